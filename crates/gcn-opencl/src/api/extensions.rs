//! Lookup of extension functions by name.

use std::ffi::{c_char, c_void};

use super::entry::{guard, text};
use super::{kernels, platform};
use crate::handle::{self, Handle};
use crate::runtime::Runtime;

/// Name of the function from which the ICD loader gets the platforms.
pub(super) const GET_PLATFORMS: &str = "clIcdGetPlatformIDsKHR";
/// Name of the only extension function that is also in the function table.
const SUB_GROUPS: &str = "clGetKernelSubGroupInfoKHR";

/// Returns the address of an extension function; null if the name is unknown.
fn extension_function(name: &str) -> *const c_void {
    match name {
        GET_PLATFORMS => platform::get_platform_ids as *const c_void,
        SUB_GROUPS => kernels::get_kernel_sub_group_info_khr as *const c_void,
        _ => std::ptr::null(),
    }
}

pub unsafe extern "C" fn get_extension_function_address(name: *const c_char) -> *const c_void {
    // SAFETY: the application guarantees a valid string.
    let found = guard(|| Ok(extension_function(&unsafe { text(name) })));
    found.unwrap_or(std::ptr::null())
}

pub unsafe extern "C" fn get_extension_function_address_for_platform(
    platform: Handle,
    name: *const c_char,
) -> *const c_void {
    let found = guard(|| {
        handle::get::<Runtime>(platform)?;
        // SAFETY: the application guarantees a valid string.
        Ok(extension_function(&unsafe { text(name) }))
    });
    found.unwrap_or(std::ptr::null())
}
