//! Buffers: making them, mapping them, and their attributes.

use std::ffi::c_void;
use std::sync::Arc;

use super::commands::Order;
use super::{call, make, pairs, properties, put_if, put_info, release};
use crate::abi::*;
use crate::context::Context;
use crate::handle::{self, Handle, Object, publish};
use crate::memory::{Allocated, Mem, Request};
use crate::program::host_reads;
use crate::queue::Part;
use crate::status::{Outcome, Status};

/// `cl_buffer_region`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BufferRegion {
    pub origin: usize,
    pub size: usize,
}

/// Makes a buffer.
///
/// # Safety
/// The program's memory is accessible, if the request has some.
unsafe fn buffer(context: Handle, request: Request) -> Outcome<Handle> {
    let context: Arc<Context> = handle::get(context)?;
    let allocated = Allocated::new(&context, request)?;
    if let (Some(contents), Some(space)) = (allocated.contents(), allocated.space()) {
        // SAFETY: the caller vouches for the program's memory; the other is the buffer's.
        unsafe { contents.make(space, host_reads) };
    }
    Ok(publish(|id| allocated.into_mem(id)).handle())
}

pub unsafe extern "C" fn create_buffer(
    context: Handle,
    flags: u64,
    size: usize,
    host: *mut c_void,
    status: *mut i32,
) -> Handle {
    let request = Request {
        flags,
        size,
        host: host.expose_provenance(),
        properties: Vec::new(),
    };
    // SAFETY: the program vouches for its addresses.
    unsafe { make(status, || buffer(context, request)) }
}

pub unsafe extern "C" fn create_buffer_with_properties(
    context: Handle,
    list: *const u64,
    flags: u64,
    size: usize,
    host: *mut c_void,
    status: *mut i32,
) -> Handle {
    // SAFETY: the program vouches for its addresses.
    unsafe {
        make(status, || {
            let list = properties(list);
            if !pairs(&list)?.is_empty() {
                return Err(Status::INVALID_PROPERTY);
            }
            let request = Request {
                flags,
                size,
                host: host.expose_provenance(),
                properties: list,
            };
            buffer(context, request)
        })
    }
}

pub unsafe extern "C" fn create_sub_buffer(
    memory: Handle,
    flags: u64,
    kind: u32,
    region: *const BufferRegion,
    status: *mut i32,
) -> Handle {
    // SAFETY: the program vouches for its addresses.
    unsafe {
        make(status, || {
            let parent: Arc<Mem> = handle::get(memory)?;
            if kind != CL_BUFFER_CREATE_TYPE_REGION || region.is_null() {
                return Err(Status::INVALID_VALUE);
            }
            let BufferRegion { origin, size } = *region;
            parent.check_part(flags, origin, size)?;
            Ok(publish(|id| Mem::part(id, &parent, flags, origin, size)).handle())
        })
    }
}

pub unsafe extern "C" fn retain_mem_object(memory: Handle) -> i32 {
    call(|| handle::retain::<Mem>(memory))
}

pub unsafe extern "C" fn release_mem_object(memory: Handle) -> i32 {
    release::<Mem>(memory)
}

pub unsafe extern "C" fn get_mem_object_info(
    memory: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let memory: Arc<Mem> = handle::get(memory)?;
        // SAFETY: the program vouches for its addresses.
        unsafe { put_info(memory.info(name), room, value, size) }
    })
}

pub unsafe extern "C" fn set_mem_object_destructor_callback(
    memory: Handle,
    function: Option<unsafe extern "C" fn(Handle, *mut c_void)>,
    data: *mut c_void,
) -> i32 {
    call(|| {
        let memory: Arc<Mem> = handle::get(memory)?;
        let function = function.ok_or(Status::INVALID_VALUE)?;
        let data = data.expose_provenance();
        memory.at_end.add(Box::new(move |memory| {
            // SAFETY: the program gave the function and its argument for this call.
            unsafe { function(memory, std::ptr::with_exposed_provenance_mut(data)) };
        }));
        Ok(())
    })
}

/// The buffer of a command, which is of the queue's context.
pub(super) fn buffer_of(order: &Order, memory: Handle) -> Outcome<Arc<Mem>> {
    let memory: Arc<Mem> = handle::get(memory)?;
    let is_own = Arc::ptr_eq(&memory.context, &order.queue.context);
    is_own.then_some(memory).ok_or(Status::INVALID_CONTEXT)
}

pub unsafe extern "C" fn enqueue_map_buffer(
    queue: Handle,
    memory: Handle,
    is_blocking: u32,
    flags: u64,
    offset: usize,
    size: usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
    status: *mut i32,
) -> usize {
    const WRITES: u64 = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    // SAFETY: the program vouches for its addresses.
    unsafe {
        make(status, || {
            let order = Order::new(queue, count, list, event)?;
            let memory = buffer_of(&order, memory)?;
            memory.check_range(offset, size)?;
            let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
            let is_known = flags & !(CL_MAP_READ | WRITES) == 0;
            if size == 0 || !is_known || invalidates && flags != CL_MAP_WRITE_INVALIDATE_REGION {
                return Err(Status::INVALID_VALUE);
            }
            memory.check_host(flags & CL_MAP_READ != 0, flags & WRITES != 0)?;
            order.queue.check()?;
            let pointer = memory.map(offset, size, flags & WRITES != 0);
            let mapped = memory.clone();
            let work = move || {
                if let Some(space) = mapped.space() {
                    match mapped.to_host(offset, size) {
                        // SAFETY: the program keeps its memory while the buffer uses it.
                        Some(copy) if !invalidates => copy.make(space, host_reads),
                        None if flags & CL_MAP_READ != 0 => {
                            host_reads(mapped.address + offset as u64, size as u64);
                        }
                        _ => {}
                    }
                }
                Ok(())
            };
            let enqueued =
                order.enqueue(CL_COMMAND_MAP_BUFFER, Part::Command, is_blocking != 0, work);
            if let Err(error) = enqueued {
                // It is not mapped then.
                memory.unmap(pointer)?;
                return Err(match error {
                    Status::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => error,
                    _ => Status::OUT_OF_RESOURCES,
                });
            }
            Ok(pointer)
        })
    }
}

pub unsafe extern "C" fn enqueue_unmap_mem_object(
    queue: Handle,
    memory: Handle,
    pointer: *mut c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the program vouches for its addresses.
    call(|| unsafe {
        let order = Order::new(queue, count, list, event)?;
        let memory = buffer_of(&order, memory)?;
        order.queue.check()?;
        let mapping = memory.unmap(pointer.expose_provenance())?;
        let work = move || {
            let space = memory.space().filter(|_| mapping.is_written);
            if let Some(space) = space {
                match memory.to_device(mapping.offset, mapping.bytes) {
                    // SAFETY: the program keeps its memory while the buffer uses it.
                    Some(copy) => copy.make(space, host_reads),
                    None => {
                        space.wrote(memory.address + mapping.offset as u64, mapping.bytes as u64);
                    }
                }
            }
            Ok(())
        };
        order.enqueue(CL_COMMAND_UNMAP_MEM_OBJECT, Part::Command, false, work)
    })
}

/// Memory is that of all devices: there is nothing to migrate.
pub unsafe extern "C" fn enqueue_migrate_mem_objects(
    queue: Handle,
    objects: u32,
    memory: *const Handle,
    flags: u64,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    const KNOWN: u64 = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    // SAFETY: the program vouches for its addresses.
    call(|| unsafe {
        let order = Order::new(queue, count, list, event)?;
        if objects == 0 || flags & !KNOWN != 0 {
            return Err(Status::INVALID_VALUE);
        }
        for memory in super::array(memory, objects as usize)? {
            buffer_of(&order, *memory)?;
        }
        order.enqueue(CL_COMMAND_MIGRATE_MEM_OBJECTS, Part::Command, false, || {
            Ok(())
        })
    })
}

pub unsafe extern "C" fn get_supported_image_formats(
    context: Handle,
    _flags: u64,
    kind: u32,
    room: u32,
    formats: *mut c_void,
    count: *mut u32,
) -> i32 {
    call(|| {
        handle::get::<Context>(context)?;
        let is_image = (CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&kind);
        if !is_image || !formats.is_null() && room == 0 {
            return Err(Status::INVALID_VALUE);
        }
        // Devices have no images.
        // SAFETY: the program vouches for its addresses.
        unsafe { put_if(count, 0) };
        Ok(())
    })
}
