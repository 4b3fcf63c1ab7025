//! API functions for programs.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::entry::{array, call, make, optional_array, put_if, put_info, release, text};
use crate::abi::*;
use crate::build::Binary;
use crate::context::Context;
use crate::device::Device;
use crate::handle::{self, Handle, Object, publish};
use crate::info::Info;
use crate::program::Program;
use crate::status::{Outcome, Status};

/// Callback called when a build, a compilation or a link has ended.
type BuildNotify = Option<unsafe extern "C" fn(Handle, *mut c_void)>;

pub unsafe extern "C" fn create_program_with_source(
    context: Handle,
    count: u32,
    strings: *const *const c_char,
    lengths: *const usize,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let context: Arc<Context> = handle::get(context)?;
            if count == 0 {
                return Err(Status::INVALID_VALUE);
            }
            let lengths = optional_array(lengths, count as usize)?;
            let mut source = String::new();
            for (index, string) in array(strings, count as usize)?.iter().enumerate() {
                if string.is_null() {
                    return Err(Status::INVALID_VALUE);
                }
                match lengths.map_or(0, |lengths| lengths[index]) {
                    0 => source.push_str(&text(*string)),
                    length => {
                        let part = String::from_utf8_lossy(array(string.cast::<u8>(), length)?);
                        // As specified for `CL_PROGRAM_SOURCE`, strip embedded nulls.
                        source.extend(part.chars().filter(|c| *c != '\0'));
                    }
                }
            }
            Ok(publish(|id| Program::of_source(id, context, source)).handle())
        })
    }
}

pub unsafe extern "C" fn create_program_with_binary(
    context: Handle,
    count: u32,
    devices: *const Handle,
    lengths: *const usize,
    binaries: *const *const u8,
    of_binaries: *mut i32,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let context: Arc<Context> = handle::get(context)?;
            if count == 0 {
                return Err(Status::INVALID_VALUE);
            }
            let count = count as usize;
            let devices: Vec<Arc<Device>> = handle::get_all(array(devices, count)?)?;
            if !devices.iter().all(|device| context.has(device)) {
                return Err(Status::INVALID_DEVICE);
            }
            let (lengths, binaries) = (array(lengths, count)?, array(binaries, count)?);
            let mut all = Vec::new();
            let mut result = Ok(());
            for (index, device) in devices.into_iter().enumerate() {
                let loaded = if lengths[index] == 0 {
                    Err(Status::INVALID_VALUE)
                } else {
                    let bytes = array(binaries[index], lengths[index]);
                    bytes.and_then(|bytes| Binary::new(&device, bytes))
                };
                let end = loaded.map(|binary| all.push((device, binary)));
                if !of_binaries.is_null() {
                    put_if(of_binaries.add(index), Status::of(end).0);
                }
                result = result.and(end);
            }
            result?;
            Ok(publish(|id| Program::of_binaries(id, context, all)).handle())
        })
    }
}

/// Always fails, since devices have no built-in kernels.
pub unsafe extern "C" fn create_program_with_built_in_kernels(
    context: Handle,
    _count: u32,
    _devices: *const Handle,
    _names: *const c_char,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            handle::get::<Context>(context)?;
            Err(Status::INVALID_VALUE)
        })
    }
}

/// Always fails, since devices do not accept an intermediate language.
pub unsafe extern "C" fn create_program_with_il(
    context: Handle,
    _bytes: *const c_void,
    _length: usize,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            handle::get::<Context>(context)?;
            Err(Status::INVALID_OPERATION)
        })
    }
}

pub unsafe extern "C" fn retain_program(program: Handle) -> i32 {
    call(|| handle::retain::<Program>(program))
}

pub unsafe extern "C" fn release_program(program: Handle) -> i32 {
    release::<Program>(program)
}

pub(super) fn check_notify(notify: BuildNotify, data: *mut c_void) -> Outcome {
    let is_valid = notify.is_some() || data.is_null();
    is_valid.then_some(()).ok_or(Status::INVALID_VALUE)
}

/// Returns true if the callback must be called for a build: the build has succeeded, or it was attempted and its log
/// contains the reason for the failure.
fn has_begun(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Ok(()) | Err(Status::BUILD_PROGRAM_FAILURE | Status::COMPILE_PROGRAM_FAILURE)
    )
}

/// Checks that all programs belong to a context.
///
/// # Errors
/// `CL_INVALID_CONTEXT`: a program belongs to another context.
fn check_context(programs: &[Arc<Program>], context: &Arc<Context>) -> Outcome {
    let mut all = programs.iter();
    all.all(|program| Arc::ptr_eq(&program.context, context))
        .then_some(())
        .ok_or(Status::INVALID_CONTEXT)
}

pub unsafe extern "C" fn build_program(
    program: Handle,
    count: u32,
    devices: *const Handle,
    options: *const c_char,
    notify: BuildNotify,
    data: *mut c_void,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let built: Arc<Program> = handle::get(program)?;
        check_notify(notify, data)?;
        let devices: Vec<Arc<Device>> = handle::get_all(array(devices, count as usize)?)?;
        let outcome = built.build(&devices, &text(options));
        if let Some(notify) = notify.filter(|_| has_begun(outcome)) {
            // SAFETY: the application registered the function and its argument for this call.
            notify(program, data);
        }
        outcome
    })
}

pub unsafe extern "C" fn get_program_info(
    program: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let program: Arc<Program> = handle::get(program)?;
        if name != CL_PROGRAM_BINARIES {
            return put_info(program.info(name), room, value, size);
        }
        let binaries = program.binaries();
        let bytes = binaries.len() * size_of::<*const u8>();
        if !value.is_null() {
            if room < bytes {
                return Err(Status::INVALID_VALUE);
            }
            for (index, binary) in binaries.iter().enumerate() {
                let to = value.cast::<*mut u8>().add(index).read_unaligned();
                if !to.is_null() {
                    std::ptr::copy_nonoverlapping(binary.as_ptr(), to, binary.len());
                }
            }
        }
        put_if(size, bytes);
        Ok(())
    })
}

pub unsafe extern "C" fn get_program_build_info(
    program: Handle,
    device: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let program: Arc<Program> = handle::get(program)?;
        let device: Arc<Device> = handle::get(device)?;
        let info: Outcome<Info> = program.build_info(&device, name);
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(info, room, value, size) }
    })
}

/// Always fails: callbacks on program release are not supported.
pub unsafe extern "C" fn set_program_release_callback(
    program: Handle,
    _function: BuildNotify,
    _data: *mut c_void,
) -> i32 {
    call(|| {
        handle::get::<Program>(program)?;
        Err(Status::INVALID_OPERATION)
    })
}

/// Always fails, since devices do not accept an intermediate language.
pub unsafe extern "C" fn set_program_specialization_constant(
    program: Handle,
    _id: u32,
    _size: usize,
    _value: *const c_void,
) -> i32 {
    call(|| {
        handle::get::<Program>(program)?;
        Err(Status::INVALID_OPERATION)
    })
}

pub unsafe extern "C" fn compile_program(
    program: Handle,
    count: u32,
    devices: *const Handle,
    options: *const c_char,
    headers: u32,
    sources: *const Handle,
    names: *const *const c_char,
    notify: BuildNotify,
    data: *mut c_void,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let compiled: Arc<Program> = handle::get(program)?;
        check_notify(notify, data)?;
        let devices: Vec<Arc<Device>> = handle::get_all(array(devices, count as usize)?)?;
        let sources: Vec<Arc<Program>> = handle::get_all(array(sources, headers as usize)?)?;
        check_context(&sources, &compiled.context)?;
        let names = array(names, headers as usize)?
            .iter()
            .map(|name| text(*name));
        let headers: Vec<_> = names.zip(sources).collect();
        let outcome = compiled.compile(&devices, &text(options), &headers);
        if let Some(notify) = notify.filter(|_| has_begun(outcome)) {
            // SAFETY: the application registered the function and its argument for this call.
            notify(program, data);
        }
        outcome
    })
}

pub unsafe extern "C" fn link_program(
    context: Handle,
    count: u32,
    devices: *const Handle,
    options: *const c_char,
    inputs: u32,
    programs: *const Handle,
    notify: BuildNotify,
    data: *mut c_void,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        // A program object with a build log is returned even if linking fails.
        let mut end = Ok(());
        let mut own_status = 0;
        let made = make(&raw mut own_status, || {
            let context: Arc<Context> = handle::get(context)?;
            check_notify(notify, data)?;
            let mut devices: Vec<Arc<Device>> = handle::get_all(array(devices, count as usize)?)?;
            if !devices.iter().all(|device| context.has(device)) {
                return Err(Status::INVALID_DEVICE);
            }
            if devices.is_empty() {
                devices.clone_from(&context.devices);
            }
            if inputs == 0 {
                return Err(Status::INVALID_VALUE);
            }
            let programs: Vec<Arc<Program>> = handle::get_all(array(programs, inputs as usize)?)?;
            check_context(&programs, &context)?;
            let (program, outcome) = Program::link(&context, &devices, &text(options), &programs)?;
            end = outcome;
            let program = publish(program).handle();
            if let Some(notify) = notify {
                // SAFETY: the application registered the function and its argument for this call.
                notify(program, data);
            }
            Ok(program)
        });
        let end = Status::of(end).0;
        put_if(status, if own_status == 0 { end } else { own_status });
        made
    }
}
