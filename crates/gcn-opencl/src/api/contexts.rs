//! API functions for contexts.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::entry::{array, call, make, pairs, properties, put_info, release};
use super::platform::devices_of_type;
use crate::abi::*;
use crate::context::Context;
use crate::device::Device;
use crate::handle::{self, Handle, Object, publish};
use crate::runtime::{self, Runtime};
use crate::status::{Outcome, Status};

/// Callback for errors in a context. It is never called, since every error is returned by an API function.
type ContextNotify = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

/// Validates a context's property list.
fn check_properties(list: &[isize]) -> Outcome {
    for (name, value) in pairs(list)? {
        match name {
            CL_CONTEXT_PLATFORM => drop(handle::get::<Runtime>(value as Handle)?),
            CL_CONTEXT_INTEROP_USER_SYNC => {}
            _ => return Err(Status::INVALID_PROPERTY),
        }
    }
    Ok(())
}

fn check_notify(notify: ContextNotify, data: *mut c_void) -> Outcome {
    let is_valid = notify.is_some() || data.is_null();
    is_valid.then_some(()).ok_or(Status::INVALID_VALUE)
}

fn context(devices: &[Arc<Device>], list: Vec<isize>) -> Handle {
    let mut own: Vec<Arc<Device>> = Vec::new();
    for device in devices {
        if !own.iter().any(|known| Arc::ptr_eq(known, device)) {
            own.push(device.clone());
        }
    }
    publish(|id| Context::new(id, own, list)).handle()
}

pub unsafe extern "C" fn create_context(
    list: *const isize,
    count: u32,
    devices: *const Handle,
    notify: ContextNotify,
    data: *mut c_void,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let list = properties(list);
            check_properties(&list)?;
            check_notify(notify, data)?;
            if count == 0 {
                return Err(Status::INVALID_VALUE);
            }
            let devices: Vec<Arc<Device>> = handle::get_all(array(devices, count as usize)?)?;
            Ok(context(&devices, list))
        })
    }
}

pub unsafe extern "C" fn create_context_from_type(
    list: *const isize,
    kind: u64,
    notify: ContextNotify,
    data: *mut c_void,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let list = properties(list);
            check_properties(&list)?;
            check_notify(notify, data)?;
            let devices = devices_of_type(runtime::get()?, kind)?;
            Ok(context(&devices, list))
        })
    }
}

pub unsafe extern "C" fn retain_context(context: Handle) -> i32 {
    call(|| handle::retain::<Context>(context))
}

pub unsafe extern "C" fn release_context(context: Handle) -> i32 {
    release::<Context>(context)
}

pub unsafe extern "C" fn get_context_info(
    context: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let context: Arc<Context> = handle::get(context)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(context.info(name), room, value, size) }
    })
}

pub unsafe extern "C" fn set_context_destructor_callback(
    context: Handle,
    function: Option<unsafe extern "C" fn(Handle, *mut c_void)>,
    data: *mut c_void,
) -> i32 {
    call(|| {
        let context: Arc<Context> = handle::get(context)?;
        let function = function.ok_or(Status::INVALID_VALUE)?;
        let data = data.expose_provenance();
        context.at_end.add(Box::new(move |context| {
            // SAFETY: the application registered the function and its argument for this call.
            unsafe { function(context, std::ptr::with_exposed_provenance_mut(data)) };
        }));
        Ok(())
    })
}
