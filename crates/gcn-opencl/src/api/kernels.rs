//! API functions for kernels: creation, arguments, attributes and launches.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::commands::EnqueueArguments;
use super::entry::{call, make, optional_array, put_handles, put_info, release, text};
use crate::abi::*;
use crate::device::Device;
use crate::handle::{self, Handle, Object, publish};
use crate::kernel::Kernel;
use crate::launch::{LaunchSizes, ReadyLaunch};
use crate::program::Program;
use crate::queue::CommandRole;
use crate::status::{Outcome, Status};

pub unsafe extern "C" fn create_kernel(
    program: Handle,
    name: *const c_char,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let program: Arc<Program> = handle::get(program)?;
            if name.is_null() {
                return Err(Status::INVALID_VALUE);
            }
            let name = text(name);
            let codes = program.codes(&name)?;
            Ok(publish(|id| Kernel::new(id, &program, &name, codes)).handle())
        })
    }
}

pub unsafe extern "C" fn create_kernels_in_program(
    program: Handle,
    room: u32,
    kernels: *mut Handle,
    count: *mut u32,
) -> i32 {
    call(|| {
        let program: Arc<Program> = handle::get(program)?;
        let found = program.creatable_kernels()?;
        if !kernels.is_null() && (room as usize) < found.len() {
            return Err(Status::INVALID_VALUE);
        }
        let made: Vec<Handle> = if kernels.is_null() {
            vec![0; found.len()]
        } else {
            let named = found.into_iter();
            named
                .map(|(name, codes)| publish(|id| Kernel::new(id, &program, &name, codes)).handle())
                .collect()
        };
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_handles(&made, room, kernels, count) }
    })
}

pub unsafe extern "C" fn clone_kernel(kernel: Handle, status: *mut i32) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let kernel: Arc<Kernel> = handle::get(kernel)?;
            Ok(publish(|id| kernel.duplicate(id)).handle())
        })
    }
}

pub unsafe extern "C" fn retain_kernel(kernel: Handle) -> i32 {
    call(|| handle::retain::<Kernel>(kernel))
}

pub unsafe extern "C" fn release_kernel(kernel: Handle) -> i32 {
    release::<Kernel>(kernel)
}

pub unsafe extern "C" fn set_kernel_arg(
    kernel: Handle,
    index: u32,
    size: usize,
    value: *const c_void,
) -> i32 {
    call(|| {
        let kernel: Arc<Kernel> = handle::get(kernel)?;
        // SAFETY: the application guarantees that its addresses are valid.
        let value = unsafe { optional_array(value.cast::<u8>(), size) };
        let value = value.map_err(|_| Status::INVALID_ARG_SIZE)?;
        kernel.set_argument(index, size, value)
    })
}

pub unsafe extern "C" fn get_kernel_info(
    kernel: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let kernel: Arc<Kernel> = handle::get(kernel)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(kernel.info(name), room, value, size) }
    })
}

pub unsafe extern "C" fn get_kernel_arg_info(
    kernel: Handle,
    index: u32,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let kernel: Arc<Kernel> = handle::get(kernel)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(kernel.argument_info(index, name), room, value, size) }
    })
}

/// Looks up the device named in a query; `None` for a null handle.
fn device(device: Handle) -> Outcome<Option<Arc<Device>>> {
    match device {
        0 => Ok(None),
        device => handle::get(device).map(Some),
    }
}

pub unsafe extern "C" fn get_kernel_work_group_info(
    kernel: Handle,
    of: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let kernel: Arc<Kernel> = handle::get(kernel)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(kernel.group_info(device(of)?, name), room, value, size) }
    })
}

pub unsafe extern "C" fn get_kernel_sub_group_info(
    kernel: Handle,
    of: Handle,
    name: u32,
    input_size: usize,
    input: *const c_void,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let kernel: Arc<Kernel> = handle::get(kernel)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe {
            // Read at most 4 elements: more than 3 are rejected later.
            let read = (input_size / size_of::<usize>()).min(4);
            let input = optional_array(input.cast::<usize>(), read)?;
            let device = device(of)?;
            let info = kernel.sub_group_info(device, name, input.unwrap_or_default(), room);
            put_info(info, room, value, size)
        }
    })
}

/// `clGetKernelSubGroupInfoKHR`, from the OpenCL 2.0 extension.
pub unsafe extern "C" fn get_kernel_sub_group_info_khr(
    kernel: Handle,
    of: Handle,
    name: u32,
    input_size: usize,
    input: *const c_void,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    // SAFETY: both functions have the same safety contract.
    unsafe { get_kernel_sub_group_info(kernel, of, name, input_size, input, room, value, size) }
}

pub unsafe extern "C" fn enqueue_nd_range_kernel(
    queue: Handle,
    kernel: Handle,
    dimensions: u32,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        // Read at most 3 elements: a larger dimension count is rejected later.
        let read = dimensions.min(3) as usize;
        let sizes = LaunchSizes {
            dimensions,
            offset: optional_array(offset, read)?,
            global: optional_array(global, read)?,
            local: optional_array(local, read)?,
        };
        enqueue_launch(order, CL_COMMAND_NDRANGE_KERNEL, kernel, &sizes)
    })
}

pub unsafe extern "C" fn enqueue_task(
    queue: Handle,
    kernel: Handle,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let sizes = LaunchSizes {
            dimensions: 1,
            offset: None,
            global: Some(&[1]),
            local: Some(&[1]),
        };
        enqueue_launch(order, CL_COMMAND_TASK, kernel, &sizes)
    })
}

/// Enqueues a kernel launch as a command of the given type.
fn enqueue_launch(
    order: EnqueueArguments,
    command: u32,
    kernel: Handle,
    sizes: &LaunchSizes<'_>,
) -> Outcome {
    let kernel: Arc<Kernel> = handle::get(kernel)?;
    if !Arc::ptr_eq(&kernel.program().context, &order.queue.context) {
        return Err(Status::INVALID_CONTEXT);
    }
    let ready = ReadyLaunch::new(&kernel, &order.queue.device, sizes)?;
    let work = move |queue: &_| match ready {
        Some(ready) => ready.run(queue),
        None => Ok(()),
    };
    order.enqueue_work(command, CommandRole::Command, false, Box::new(work))
}

/// Always fails, since devices cannot execute host functions.
pub unsafe extern "C" fn enqueue_native_kernel(
    queue: Handle,
    _function: *const c_void,
    _arguments: *const c_void,
    _size: usize,
    _objects: u32,
    _memory: *const Handle,
    _places: *const *const c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        EnqueueArguments::new(queue, count, list, event)?;
        Err(Status::INVALID_OPERATION)
    })
}
