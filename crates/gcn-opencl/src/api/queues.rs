//! API functions for command queues.

use std::ffi::c_void;
use std::sync::Arc;

use super::commands::EnqueueArguments;
use super::entry::{call, make, pairs, properties, put_if, put_info, release};
use crate::abi::*;
use crate::context::Context;
use crate::device::Device;
use crate::handle::{self, Handle, Object, publish};
use crate::queue::{CommandRole, Queue};
use crate::status::{Outcome, Status};

/// Supported properties of host queues.
const HOST_PROPERTIES: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
/// Properties that request on-device queues, which are not supported.
const ON_DEVICE_PROPERTIES: u64 = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

fn check_properties(flags: u64) -> Outcome {
    if flags & !(HOST_PROPERTIES | ON_DEVICE_PROPERTIES) != 0 {
        return Err(Status::INVALID_VALUE);
    }
    if flags & ON_DEVICE_PROPERTIES != 0 {
        return Err(Status::INVALID_QUEUE_PROPERTIES);
    }
    Ok(())
}

fn queue(context: Handle, device: Handle, flags: u64, list: Vec<u64>) -> Outcome<Handle> {
    let context: Arc<Context> = handle::get(context)?;
    let device: Arc<Device> = handle::get(device)?;
    if !context.has(&device) {
        return Err(Status::INVALID_DEVICE);
    }
    check_properties(flags)?;
    Ok(publish(|id| Queue::new(id, context, device, flags, list)).handle())
}

pub unsafe extern "C" fn create_command_queue(
    context: Handle,
    device: Handle,
    flags: u64,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe { make(status, || queue(context, device, flags, Vec::new())) }
}

pub unsafe extern "C" fn create_command_queue_with_properties(
    context: Handle,
    device: Handle,
    list: *const u64,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let list = properties(list);
            let mut flags = 0;
            for (name, value) in pairs(&list).map_err(|_| Status::INVALID_VALUE)? {
                match name {
                    name if name == u64::from(CL_QUEUE_PROPERTIES) => flags = value,
                    _ => return Err(Status::INVALID_VALUE),
                }
            }
            queue(context, device, flags, list)
        })
    }
}

pub unsafe extern "C" fn retain_command_queue(queue: Handle) -> i32 {
    call(|| handle::retain::<Queue>(queue))
}

pub unsafe extern "C" fn release_command_queue(queue: Handle) -> i32 {
    release::<Queue>(queue)
}

pub unsafe extern "C" fn get_command_queue_info(
    queue: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let queue: Arc<Queue> = handle::get(queue)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(queue.info(name), room, value, size) }
    })
}

pub unsafe extern "C" fn set_command_queue_property(
    queue: Handle,
    flags: u64,
    on: u32,
    old: *mut u64,
) -> i32 {
    call(|| {
        let queue: Arc<Queue> = handle::get(queue)?;
        check_properties(flags)?;
        if flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0 {
            // Otherwise, later commands would not be ordered after those already in the queue.
            queue.finish()?;
        }
        let before = queue.set_properties(flags, on != 0);
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_if(old, before) };
        Ok(())
    })
}

/// Always fails, since on-device queues are not supported.
pub unsafe extern "C" fn set_default_device_command_queue(
    context: Handle,
    device: Handle,
    _queue: Handle,
) -> i32 {
    call(|| {
        handle::get::<Context>(context)?;
        handle::get::<Device>(device)?;
        Err(Status::INVALID_OPERATION)
    })
}

/// Wakes the queue's thread if there are ready commands.
pub unsafe extern "C" fn flush(queue: Handle) -> i32 {
    call(|| handle::get::<Queue>(queue).map(|queue| queue.flush()))
}

pub unsafe extern "C" fn finish(queue: Handle) -> i32 {
    call(|| handle::get::<Queue>(queue)?.finish())
}

pub unsafe extern "C" fn enqueue_marker_with_wait_list(
    queue: Handle,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        order.enqueue(CL_COMMAND_MARKER, CommandRole::Marker, false, || Ok(()))
    })
}

pub unsafe extern "C" fn enqueue_barrier_with_wait_list(
    queue: Handle,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        order.enqueue(CL_COMMAND_BARRIER, CommandRole::Barrier, false, || Ok(()))
    })
}

pub unsafe extern "C" fn enqueue_marker(queue: Handle, event: *mut Handle) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        if event.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let order = EnqueueArguments::new(queue, 0, std::ptr::null(), event)?;
        order.enqueue(CL_COMMAND_MARKER, CommandRole::Marker, false, || Ok(()))
    })
}

pub unsafe extern "C" fn enqueue_barrier(queue: Handle) -> i32 {
    // SAFETY: the wait list and the event are null.
    unsafe { enqueue_barrier_with_wait_list(queue, 0, std::ptr::null(), std::ptr::null_mut()) }
}

pub unsafe extern "C" fn enqueue_wait_for_events(
    queue: Handle,
    count: u32,
    list: *const Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        if count == 0 || list.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let order = EnqueueArguments::new(queue, count, list, std::ptr::null_mut());
        let order = order.map_err(|error| match error {
            Status::INVALID_EVENT_WAIT_LIST => Status::INVALID_EVENT,
            other => other,
        })?;
        order.enqueue(CL_COMMAND_BARRIER, CommandRole::Barrier, false, || Ok(()))
    })
}
