//! API functions that create, map and query images.

use std::ffi::c_void;
use std::sync::Arc;

use gcn_runtime::image::DeviceFormat;

use super::buffers::{check_map, enqueue_map, object_of};
use super::commands::EnqueueArguments;
use super::entry::{call, make, pairs, properties, put_if, put_info};
use super::transfers::triple;
use crate::abi::*;
use crate::context::Context;
use crate::format::{ImageFormat, header_format};
use crate::handle::{self, Handle, Object, publish};
use crate::image::{ImageDesc, geometry_of};
use crate::image_memory::{ImageRequest, create, is_supported};
use crate::memory::{DEVICE_ACCESS, HOST_ACCESS, Mem, PLACE, space};
use crate::program::host_reads;
use crate::status::{Outcome, Status};

/// Creates an image.
///
/// # Safety
/// The host memory, if any, is accessible, and the addresses are null or valid.
unsafe fn image(
    context: Handle,
    list: Vec<u64>,
    flags: u64,
    format: *const ImageFormat,
    desc: Option<ImageDesc>,
    host: *mut c_void,
) -> Outcome<Handle> {
    let context: Arc<Context> = handle::get(context)?;
    if format.is_null() {
        return Err(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    let request = ImageRequest {
        flags,
        // SAFETY: the caller guarantees a readable structure.
        format: unsafe { *format },
        desc: desc.ok_or(Status::INVALID_IMAGE_DESCRIPTOR)?,
        host: host.expose_provenance(),
        properties: list,
    };
    let new = create(&context, &request)?;
    if let (Some(copy), Some(space)) = (new.copy, space(&context)) {
        // SAFETY: the caller guarantees accessible host memory; the other side is the image's own memory.
        unsafe { copy.make(space, host_reads) };
    }
    Ok(publish(|id| Mem::new(id, new.contents)).handle())
}

/// Copies a structure from the application; `None` if `address` is null.
///
/// # Safety
/// `address` is null or valid.
unsafe fn optional<T: Copy>(address: *const T) -> Option<T> {
    // SAFETY: the caller guarantees a readable structure.
    (!address.is_null()).then(|| unsafe { *address })
}

pub unsafe extern "C" fn create_image(
    context: Handle,
    flags: u64,
    format: *const ImageFormat,
    desc: *const ImageDesc,
    host: *mut c_void,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            image(context, Vec::new(), flags, format, optional(desc), host)
        })
    }
}

pub unsafe extern "C" fn create_image_with_properties(
    context: Handle,
    list: *const u64,
    flags: u64,
    format: *const ImageFormat,
    desc: *const ImageDesc,
    host: *mut c_void,
    status: *mut i32,
) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            handle::get::<Context>(context)?;
            let list = properties(list);
            if !pairs(&list)?.is_empty() {
                return Err(Status::INVALID_PROPERTY);
            }
            image(context, list, flags, format, optional(desc), host)
        })
    }
}

/// Creates an image for an OpenCL 1.1 function, which reports an invalid descriptor as an invalid size.
///
/// # Safety
/// Same as [`image`].
unsafe fn older_image(
    context: Handle,
    flags: u64,
    format: *const ImageFormat,
    desc: ImageDesc,
    host: *mut c_void,
) -> Outcome<Handle> {
    // SAFETY: the caller guarantees that its addresses are valid.
    let made = unsafe { image(context, Vec::new(), flags, format, Some(desc), host) };
    made.map_err(|status| match status {
        Status::INVALID_IMAGE_DESCRIPTOR => Status::INVALID_IMAGE_SIZE,
        other => other,
    })
}

pub unsafe extern "C" fn create_image_2d(
    context: Handle,
    flags: u64,
    format: *const ImageFormat,
    width: usize,
    height: usize,
    row_pitch: usize,
    host: *mut c_void,
    status: *mut i32,
) -> Handle {
    let desc = ImageDesc {
        kind: CL_MEM_OBJECT_IMAGE2D,
        width,
        height,
        depth: 1,
        array_size: 1,
        row_pitch,
        slice_pitch: 0,
        mip_levels: 0,
        samples: 0,
        memory: 0,
    };
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe { make(status, || older_image(context, flags, format, desc, host)) }
}

pub unsafe extern "C" fn create_image_3d(
    context: Handle,
    flags: u64,
    format: *const ImageFormat,
    width: usize,
    height: usize,
    depth: usize,
    row_pitch: usize,
    slice_pitch: usize,
    host: *mut c_void,
    status: *mut i32,
) -> Handle {
    let desc = ImageDesc {
        kind: CL_MEM_OBJECT_IMAGE3D,
        width,
        height,
        depth,
        array_size: 1,
        row_pitch,
        slice_pitch,
        mip_levels: 0,
        samples: 0,
        memory: 0,
    };
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            // `clCreateImage3D` requires at least two slices.
            if depth <= 1 {
                handle::get::<Context>(context)?;
                return Err(Status::INVALID_IMAGE_SIZE);
            }
            older_image(context, flags, format, desc, host)
        })
    }
}

pub unsafe extern "C" fn get_supported_image_formats(
    context: Handle,
    flags: u64,
    kind: u32,
    room: u32,
    formats: *mut ImageFormat,
    count: *mut u32,
) -> i32 {
    const ACCESS: u64 = DEVICE_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE;
    call(|| {
        handle::get::<Context>(context)?;
        let geometry = geometry_of(kind)?;
        let is_known = flags & !(ACCESS | HOST_ACCESS | PLACE) == 0;
        let is_single = (flags & ACCESS).count_ones() <= 1;
        if !is_known || !is_single || !formats.is_null() && room == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let all: Vec<DeviceFormat> = DeviceFormat::all()
            .filter(|format| geometry.takes(*format) && is_supported(*format, flags))
            .collect();
        if !formats.is_null() {
            for (index, format) in all.iter().take(room as usize).enumerate() {
                // SAFETY: the application guarantees that the destination is writable.
                unsafe { formats.add(index).write(header_format(*format)) };
            }
        }
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_if(count, all.len() as u32) };
        Ok(())
    })
}

pub unsafe extern "C" fn get_image_info(
    image: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let memory: Arc<Mem> = handle::get(image)?;
        let parent = memory.parent.as_ref();
        let buffer = parent.filter(|parent| parent.image.is_none());
        let info = memory.image()?.info(name, buffer.map(|it| it.handle()));
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(info, room, value, size) }
    })
}

/// Looks up an image that a command uses; it must belong to the queue's context.
///
/// # Errors
/// Fails if the handle is not an image of the queue's context.
pub(super) fn image_of(order: &EnqueueArguments, image: Handle) -> Outcome<Arc<Mem>> {
    let memory = object_of(order, image)?;
    memory.image()?;
    Ok(memory)
}

pub unsafe extern "C" fn enqueue_map_image(
    queue: Handle,
    memory: Handle,
    is_blocking: u32,
    flags: u64,
    origin: *const usize,
    region: *const usize,
    row: *mut usize,
    slice: *mut usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
    status: *mut i32,
) -> usize {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let order = EnqueueArguments::new(queue, count, list, event)?;
            let memory = image_of(&order, memory)?;
            let image = memory.image()?;
            let region = image.region(triple(origin)?, triple(region)?)?;
            let has_slices = image.texels.geometry.has_slices();
            if row.is_null() || has_slices && slice.is_null() {
                return Err(Status::INVALID_VALUE);
            }
            check_map(&memory, flags)?;
            order.queue.check()?;
            let pitches = match memory.host {
                Some(_) => image.declared,
                None => image.texels.pitches,
            };
            let command = CL_COMMAND_MAP_IMAGE;
            let pointer = enqueue_map(order, command, is_blocking != 0, &memory, region, flags)?;
            row.write_unaligned(pitches.row);
            put_if(slice, if has_slices { pitches.slice } else { 0 });
            Ok(pointer)
        })
    }
}
