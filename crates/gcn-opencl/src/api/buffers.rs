//! API functions that create and map buffers, and those common to all memory objects.

use std::ffi::c_void;
use std::sync::Arc;

use gcn_runtime::image::BoxSize;

use super::commands::EnqueueArguments;
use super::entry::{array, call, make, pairs, properties, put_info, release};
use crate::abi::*;
use crate::context::Context;
use crate::handle::{self, Handle, Object, publish};
use crate::memory::{BufferRequest, Mem, NewBuffer};
use crate::program::host_reads;
use crate::queue::CommandRole;
use crate::status::{Outcome, Status};

/// `cl_buffer_region`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BufferRegion {
    pub origin: usize,
    pub size: usize,
}

/// Creates a buffer.
///
/// # Safety
/// The request's host memory, if any, is accessible.
unsafe fn buffer(context: Handle, request: BufferRequest) -> Outcome<Handle> {
    let context: Arc<Context> = handle::get(context)?;
    let allocated = NewBuffer::new(&context, request)?;
    if let (Some(contents), Some(space)) = (allocated.contents(), allocated.space()) {
        // SAFETY: the caller guarantees accessible host memory; the other side is the buffer's own memory.
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
    let request = BufferRequest {
        flags,
        size,
        host: host.expose_provenance(),
        properties: Vec::new(),
    };
    // SAFETY: the application guarantees that its addresses are valid.
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
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let list = properties(list);
            if !pairs(&list)?.is_empty() {
                return Err(Status::INVALID_PROPERTY);
            }
            let request = BufferRequest {
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
    // SAFETY: the application guarantees that its addresses are valid.
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
        // SAFETY: the application guarantees that its addresses are valid.
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
            // SAFETY: the application registered the function and its argument for this call.
            unsafe { function(memory, std::ptr::with_exposed_provenance_mut(data)) };
        }));
        Ok(())
    })
}

/// Looks up a memory object that a command uses; it must belong to the queue's context.
pub(super) fn object_of(order: &EnqueueArguments, memory: Handle) -> Outcome<Arc<Mem>> {
    let memory: Arc<Mem> = handle::get(memory)?;
    let is_own = Arc::ptr_eq(&memory.context, &order.queue.context);
    is_own.then_some(memory).ok_or(Status::INVALID_CONTEXT)
}

/// Looks up a buffer that a command uses; it must belong to the queue's context.
pub(super) fn buffer_of(order: &EnqueueArguments, memory: Handle) -> Outcome<Arc<Mem>> {
    let memory = object_of(order, memory)?;
    match memory.image {
        None => Ok(memory),
        Some(_) => Err(Status::INVALID_MEM_OBJECT),
    }
}

/// Returns the function that performs a map command.
fn map_work(
    memory: &Arc<Mem>,
    region: BoxSize,
    flags: u64,
) -> impl FnOnce() -> Outcome + Send + 'static {
    let mapped = memory.clone();
    // The application may already have written to regions that are mapped for writing.
    let copied = memory.unwritten_parts(region);
    move || {
        if let Some(space) = mapped.space() {
            match mapped.to_host(&region) {
                Some(_) if flags & CL_MAP_WRITE_INVALIDATE_REGION == 0 => {
                    for copy in copied.iter().filter_map(|part| mapped.to_host(part)) {
                        // SAFETY: the application keeps its memory valid while the object uses it.
                        unsafe { copy.make(space, host_reads) };
                    }
                }
                None if flags & CL_MAP_READ != 0 => {
                    for (address, bytes) in mapped.rows(&region) {
                        host_reads(address, bytes);
                    }
                }
                _ => {}
            }
        }
        if let Some((regions, range)) = mapped.watched_region(&region) {
            regions.map(range, flags & MAP_WRITES != 0);
        }
        Ok(())
    }
}

/// Map flags that request write access.
pub(super) const MAP_WRITES: u64 = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

/// Checks the map flags, and that the host may access the object accordingly.
///
/// # Errors
/// `CL_INVALID_VALUE`: the flags are invalid. `CL_INVALID_OPERATION`: the object's flags forbid the access.
pub(super) fn check_map(memory: &Mem, flags: u64) -> Outcome {
    let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    let is_known = flags & !(CL_MAP_READ | MAP_WRITES) == 0;
    if !is_known || invalidates && flags != CL_MAP_WRITE_INVALIDATE_REGION {
        return Err(Status::INVALID_VALUE);
    }
    memory.check_host(flags & CL_MAP_READ != 0, flags & MAP_WRITES != 0)
}

/// Maps a region and enqueues the map command. Returns the address to pass to the application.
///
/// # Errors
/// Fails if the region overlaps another one and both are mapped for writing, the queue has failed, or a blocking
/// command fails. The region is then not mapped.
pub(super) fn enqueue_map(
    order: EnqueueArguments,
    command: u32,
    is_blocking: bool,
    memory: &Arc<Mem>,
    region: BoxSize,
    flags: u64,
) -> Outcome<usize> {
    let work = map_work(memory, region, flags);
    let pointer = memory.map(region, flags & MAP_WRITES != 0)?;
    let enqueued = order.enqueue(command, CommandRole::Command, is_blocking, work);
    if let Err(error) = enqueued {
        memory.unmap(pointer)?;
        return Err(match error {
            Status::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => error,
            _ => Status::OUT_OF_RESOURCES,
        });
    }
    Ok(pointer)
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
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let order = EnqueueArguments::new(queue, count, list, event)?;
            let memory = buffer_of(&order, memory)?;
            memory.check_range(offset, size)?;
            if size == 0 {
                return Err(Status::INVALID_VALUE);
            }
            check_map(&memory, flags)?;
            order.queue.check()?;
            let region = BoxSize::line(offset, size);
            let command = CL_COMMAND_MAP_BUFFER;
            enqueue_map(order, command, is_blocking != 0, &memory, region, flags)
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
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = object_of(&order, memory)?;
        order.queue.check()?;
        let mapping = memory.unmap(pointer.expose_provenance())?;
        let watched = memory.watched_region(&mapping.region);
        // The application may keep writing to its own host memory, so only the object's own memory is compared.
        let compared = watched.clone().filter(|_| memory.host.is_none());
        let contents = compared.zip(memory.space());
        let contents = contents.and_then(|((regions, range), space)| {
            regions.contents(space, &range, mapping.is_written)
        });
        let work = move || {
            let contents = watched.and_then(|(regions, range)| {
                let contents = regions.unmap(&range, mapping.is_written, contents)?;
                Some((regions, contents))
            });
            let space = memory.space().filter(|_| mapping.is_written);
            if let Some(space) = space {
                match memory.to_device(&mapping.region) {
                    // SAFETY: the application keeps its memory valid while the object uses it.
                    Some(copy) => copy.make(space, host_reads),
                    None => {
                        for (address, bytes) in memory.rows(&mapping.region) {
                            space.wrote(address, bytes);
                        }
                    }
                }
            }
            if let Some((regions, contents)) = contents {
                regions.keep(contents);
            }
            Ok(())
        };
        order.enqueue(
            CL_COMMAND_UNMAP_MEM_OBJECT,
            CommandRole::Command,
            false,
            work,
        )
    })
}

/// Validates the arguments. All devices share one memory, so there is nothing to migrate.
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
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        if objects == 0 || flags & !KNOWN != 0 {
            return Err(Status::INVALID_VALUE);
        }
        for memory in array(memory, objects as usize)? {
            object_of(&order, *memory)?;
        }
        order.enqueue(
            CL_COMMAND_MIGRATE_MEM_OBJECTS,
            CommandRole::Command,
            false,
            || Ok(()),
        )
    })
}
