//! The three functions that the ICD loader looks up by name. All others are only in the function table: the loader
//! exports the same names, so exported ones could be bound to the wrong library.

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
    // SAFETY: this is the same function.
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
    // SAFETY: this is the same function.
    unsafe { get_platform_info(platform, name, room, value, size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *const c_void {
    // SAFETY: the program vouches for the text.
    if unsafe { text(name) } == GET_PLATFORMS {
        // This version of the function sets the table.
        return clIcdGetPlatformIDsKHR as *const c_void;
    }
    // SAFETY: this is the same function.
    unsafe { get_extension_function_address(name) }
}
