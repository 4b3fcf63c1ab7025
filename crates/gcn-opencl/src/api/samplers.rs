//! API functions for samplers.

use std::ffi::c_void;
use std::sync::Arc;

use super::entry::{call, make, pairs, properties, put_info, release};
use crate::context::Context;
use crate::handle::{self, Handle, Object, publish};
use crate::sampler::{Modes, NewSampler, Sampler};
use crate::status::{Outcome, Status};

fn sampler(context: Handle, modes: Modes, list: Vec<u64>) -> Outcome<Handle> {
    let context: Arc<Context> = handle::get(context)?;
    let new = NewSampler::new(&context, modes, list)?;
    Ok(publish(|id| Sampler::published(id, new)).handle())
}

pub unsafe extern "C" fn create_sampler(
    context: Handle,
    is_normalized: u32,
    addressing: u32,
    filter: u32,
    status: *mut i32,
) -> Handle {
    let modes = Modes {
        is_normalized: is_normalized != 0,
        addressing,
        filter,
    };
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe { make(status, || sampler(context, modes, Vec::new())) }
}

pub unsafe extern "C" fn create_sampler_with_properties(
    context: Handle,
    list: *const u64,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            handle::get::<Context>(context)?;
            let list = properties(list);
            let pairs = pairs(&list).map_err(|_| Status::INVALID_VALUE)?;
            sampler(context, Modes::new(&pairs)?, list)
        })
    }
}

pub unsafe extern "C" fn retain_sampler(sampler: Handle) -> i32 {
    call(|| handle::retain::<Sampler>(sampler))
}

pub unsafe extern "C" fn release_sampler(sampler: Handle) -> i32 {
    release::<Sampler>(sampler)
}

pub unsafe extern "C" fn get_sampler_info(
    sampler: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let sampler: Arc<Sampler> = handle::get(sampler)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(sampler.info(name), room, value, size) }
    })
}
