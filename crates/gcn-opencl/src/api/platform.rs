//! API functions for platforms and devices.

use std::ffi::c_void;
use std::sync::Arc;

use super::entry::{call, put_handles, put_if, put_info};
use crate::abi::*;
use crate::clock;
use crate::device::Device;
use crate::handle::{self, Handle, Object};
use crate::runtime::{self, Runtime};
use crate::status::{Outcome, Status};

/// Returns the platforms. Handles point to the function table only after `clIcdGetPlatformIDsKHR`, which the ICD
/// loader calls first.
pub unsafe extern "C" fn get_platform_ids(
    room: u32,
    platforms: *mut Handle,
    count: *mut u32,
) -> i32 {
    call(|| {
        // If the settings are invalid, there is no platform.
        let all: Vec<Handle> = runtime::get().iter().map(|it| it.handle()).collect();
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_handles(&all, room, platforms, count) }?;
        let is_empty = all.is_empty();
        (!is_empty)
            .then_some(())
            .ok_or(Status::PLATFORM_NOT_FOUND_KHR)
    })
}

pub unsafe extern "C" fn get_platform_info(
    platform: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let platform: Arc<Runtime> = handle::get(platform)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(platform.info(name), room, value, size) }
    })
}

/// Looks up a platform; null denotes the only one.
fn platform(platform: Handle) -> Outcome<Arc<Runtime>> {
    match platform {
        0 => runtime::get().cloned(),
        platform => handle::get(platform),
    }
}

/// Returns the devices of type `kind`.
pub(super) fn devices_of_type(platform: &Runtime, kind: u64) -> Outcome<Vec<Arc<Device>>> {
    const KNOWN: u64 = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    if kind != CL_DEVICE_TYPE_ALL && (kind == 0 || kind & !KNOWN != 0) {
        return Err(Status::INVALID_DEVICE_TYPE);
    }
    let all = &platform.devices;
    let found = if kind == CL_DEVICE_TYPE_ALL || kind & CL_DEVICE_TYPE_GPU != 0 {
        &all[..]
    } else if kind & CL_DEVICE_TYPE_DEFAULT != 0 {
        &all[..all.len().min(1)]
    } else {
        &[]
    };
    if found.is_empty() {
        return Err(Status::DEVICE_NOT_FOUND);
    }
    Ok(found.to_vec())
}

pub unsafe extern "C" fn get_device_ids(
    platform_id: Handle,
    kind: u64,
    room: u32,
    devices: *mut Handle,
    count: *mut u32,
) -> i32 {
    call(|| {
        let platform = platform(platform_id)?;
        let found = devices_of_type(&platform, kind)?;
        let found: Vec<Handle> = found.iter().map(|device| device.handle()).collect();
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_handles(&found, room, devices, count) }
    })
}

pub unsafe extern "C" fn get_device_info(
    device: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let device: Arc<Device> = handle::get(device)?;
        let platform = runtime::get()?.handle();
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(device.info(name, platform), room, value, size) }
    })
}

/// Validates the handle. Root devices are not reference-counted.
pub unsafe extern "C" fn retain_device(device: Handle) -> i32 {
    call(|| handle::get::<Device>(device).map(drop))
}

/// Validates the handle, like [`retain_device`].
pub unsafe extern "C" fn release_device(device: Handle) -> i32 {
    // SAFETY: the function has no safety requirements.
    unsafe { retain_device(device) }
}

/// Always fails, since devices cannot be partitioned.
pub unsafe extern "C" fn create_sub_devices(
    device: Handle,
    _properties: *const isize,
    _room: u32,
    _devices: *mut Handle,
    _count: *mut u32,
) -> i32 {
    call(|| {
        handle::get::<Device>(device)?;
        Err(Status::INVALID_VALUE)
    })
}

pub unsafe extern "C" fn unload_platform_compiler(platform: Handle) -> i32 {
    call(|| handle::get::<Runtime>(platform).map(drop))
}

/// Does nothing, since the compiler is a separate program.
pub unsafe extern "C" fn unload_compiler() -> i32 {
    Status::SUCCESS.0
}

pub unsafe extern "C" fn get_device_and_host_timer(
    device: Handle,
    of_device: *mut u64,
    of_host: *mut u64,
) -> i32 {
    call(|| {
        handle::get::<Device>(device)?;
        if of_device.is_null() || of_host.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let now = clock::now();
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe {
            put_if(of_device, now);
            put_if(of_host, now);
        }
        Ok(())
    })
}

pub unsafe extern "C" fn get_host_timer(device: Handle, of_host: *mut u64) -> i32 {
    call(|| {
        handle::get::<Device>(device)?;
        if of_host.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_if(of_host, clock::now()) };
        Ok(())
    })
}
