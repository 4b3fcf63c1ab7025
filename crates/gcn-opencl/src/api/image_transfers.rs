//! API functions that enqueue reads, writes, copies and fills of images.

use std::ffi::c_void;
use std::sync::Arc;

use gcn_runtime::image::{COLOR_BYTES, Geometry, Pitches, texel};

use super::buffers::buffer_of;
use super::commands::EnqueueArguments;
use super::entry::{array, call};
use super::images::image_of;
use super::transfers::{RetainedMemory, enqueue_copy, triple};
use crate::abi::*;
use crate::handle::Handle;
use crate::memory::Mem;
use crate::queue::CommandRole;
use crate::status::{Outcome, Status};
use crate::transfer::{BoxCopy, TransferSide, fill};

/// Enqueues a copy between an image and the application's memory.
///
/// # Safety
/// The application guarantees that its addresses are valid.
unsafe fn transfer(
    (order, command, is_blocking): (EnqueueArguments, u32, bool),
    memory: Arc<Mem>,
    (origin, region): (*const usize, *const usize),
    (row, slice): (usize, usize),
    host: *const c_void,
) -> Outcome {
    let image = memory.image()?;
    // SAFETY: the caller guarantees three readable numbers.
    let region = unsafe { image.region(triple(origin)?, triple(region)?) }?;
    let pitches = image.host_pitches(&region, row, slice)?;
    if host.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    let is_read = command == CL_COMMAND_READ_IMAGE;
    memory.check_host(is_read, !is_read)?;
    let host = (
        TransferSide::Host,
        region.alone(host.expose_provenance() as u64, pitches),
    );
    let device = memory.device_side(&region);
    let (to, from) = if is_read {
        (host, device)
    } else {
        (device, host)
    };
    let copy = BoxCopy {
        to,
        from,
        region: region.size,
    };
    enqueue_copy(
        order,
        command,
        is_blocking,
        copy,
        RetainedMemory(memory, None),
    )
}

pub unsafe extern "C" fn enqueue_read_image(
    queue: Handle,
    image: Handle,
    is_blocking: u32,
    origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
    to: *mut c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = image_of(&order, image)?;
        let command = (order, CL_COMMAND_READ_IMAGE, is_blocking != 0);
        transfer(command, memory, (origin, region), (row, slice), to)
    })
}

pub unsafe extern "C" fn enqueue_write_image(
    queue: Handle,
    image: Handle,
    is_blocking: u32,
    origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
    from: *const c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = image_of(&order, image)?;
        let command = (order, CL_COMMAND_WRITE_IMAGE, is_blocking != 0);
        transfer(command, memory, (origin, region), (row, slice), from)
    })
}

pub unsafe extern "C" fn enqueue_copy_image(
    queue: Handle,
    from: Handle,
    to: Handle,
    from_origin: *const usize,
    to_origin: *const usize,
    region: *const usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let (from, to) = (image_of(&order, from)?, image_of(&order, to)?);
        let (source, target) = (from.image()?, to.image()?);
        if source.texels.format != target.texels.format {
            return Err(Status::IMAGE_FORMAT_MISMATCH);
        }
        let size = triple(region)?;
        let read = source.region(triple(from_origin)?, size)?;
        let written = target.region(triple(to_origin)?, size)?;
        let copy = BoxCopy {
            to: to.device_side(&written),
            from: from.device_side(&read),
            region: read.size,
        };
        // Different images may share memory.
        if from.address == to.address && copy.overlaps() {
            return Err(Status::MEM_COPY_OVERLAP);
        }
        enqueue_copy(
            order,
            CL_COMMAND_COPY_IMAGE,
            false,
            copy,
            RetainedMemory(from, Some(to)),
        )
    })
}

/// Enqueues a copy between an image and a buffer. The buffer has no padding between rows or slices.
///
/// # Safety
/// The application guarantees that its addresses are valid.
unsafe fn with_buffer(
    (order, command): (EnqueueArguments, u32),
    (image, origin, region): (Handle, *const usize, *const usize),
    (buffer, offset): (Handle, usize),
) -> Outcome {
    let image = image_of(&order, image)?;
    let buffer = buffer_of(&order, buffer)?;
    let is_line = image.image()?.texels.geometry == Geometry::D1Buffer;
    let is_of_buffer = |parent: &Arc<Mem>| Arc::ptr_eq(parent, &buffer);
    if is_line && image.parent.as_ref().is_some_and(is_of_buffer) {
        return Err(Status::INVALID_MEM_OBJECT);
    }
    // SAFETY: the caller guarantees three readable numbers.
    let region = unsafe { image.image()?.region(triple(origin)?, triple(region)?) }?;
    buffer.check_range(offset, region.size.into_iter().product())?;
    let inside = region.alone(buffer.address + offset as u64, Pitches::default());
    let (own, others) = (image.device_side(&region), (TransferSide::Device, inside));
    let (to, from) = if command == CL_COMMAND_COPY_IMAGE_TO_BUFFER {
        (others, own)
    } else {
        (own, others)
    };
    let copy = BoxCopy {
        to,
        from,
        region: region.size,
    };
    enqueue_copy(
        order,
        command,
        false,
        copy,
        RetainedMemory(image, Some(buffer)),
    )
}

pub unsafe extern "C" fn enqueue_copy_image_to_buffer(
    queue: Handle,
    image: Handle,
    buffer: Handle,
    origin: *const usize,
    region: *const usize,
    offset: usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let command = (order, CL_COMMAND_COPY_IMAGE_TO_BUFFER);
        with_buffer(command, (image, origin, region), (buffer, offset))
    })
}

pub unsafe extern "C" fn enqueue_copy_buffer_to_image(
    queue: Handle,
    buffer: Handle,
    image: Handle,
    offset: usize,
    origin: *const usize,
    region: *const usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let command = (order, CL_COMMAND_COPY_BUFFER_TO_IMAGE);
        with_buffer(command, (image, origin, region), (buffer, offset))
    })
}

pub unsafe extern "C" fn enqueue_fill_image(
    queue: Handle,
    image: Handle,
    color: *const c_void,
    origin: *const usize,
    region: *const usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = image_of(&order, image)?;
        let image = memory.image()?;
        let region = image.region(triple(origin)?, triple(region)?)?;
        let given = array(color.cast::<u8>(), COLOR_BYTES)?;
        let mut color = [0; COLOR_BYTES];
        color.copy_from_slice(given);
        let pattern = texel(image.texels.format, &color);
        order.enqueue(
            CL_COMMAND_FILL_IMAGE,
            CommandRole::Command,
            false,
            move || {
                if let Some(space) = memory.space() {
                    for (address, bytes) in memory.rows(&region) {
                        // SAFETY: the bytes belong to the image.
                        fill(space, address, &pattern, bytes as usize);
                    }
                }
                drop(memory);
                Ok(())
            },
        )
    })
}
