//! The three functions that the ICD loader looks up by name. All others are reached only through the function table:
//! the loader exports the same names, so programs could bind to the wrong library if they were exported here too.

use std::ffi::{c_char, c_void};

use super::entry::text;
use super::extensions::{GET_PLATFORMS, get_extension_function_address};
use super::platform::{get_platform_ids, get_platform_info};
use super::table;
use crate::handle::{self, Handle};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    room: u32,
    platforms: *mut Handle,
    count: *mut u32,
) -> i32 {
    handle::set_table(table::address());
    // SAFETY: both functions have the same safety contract.
    unsafe { get_platform_ids(room, platforms, count) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformInfo(
    platform: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    // SAFETY: both functions have the same safety contract.
    unsafe { get_platform_info(platform, name, room, value, size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *const c_void {
    // SAFETY: the application guarantees a valid string.
    if unsafe { text(name) } == GET_PLATFORMS {
        // The exported variant also sets the function table.
        return clIcdGetPlatformIDsKHR as *const c_void;
    }
    // SAFETY: both functions have the same safety contract.
    unsafe { get_extension_function_address(name) }
}
