//! Functions of extensions, by name.

use std::ffi::{c_char, c_void};

use super::entry::{guard, text};
use super::{kernels, platform};
use crate::handle::{self, Handle};
use crate::runtime::Runtime;

/// Name of the function that the ICD loader calls for the platforms.
pub(super) const GET_PLATFORMS: &str = "clIcdGetPlatformIDsKHR";
/// Name of the only extension function that is also in the function table.
const SUB_GROUPS: &str = "clGetKernelSubGroupInfoKHR";

/// Address of an extension function; null if unknown.
fn extension_function(name: &str) -> *const c_void {
    match name {
        GET_PLATFORMS => platform::get_platform_ids as *const c_void,
        SUB_GROUPS => kernels::get_kernel_sub_group_info_khr as *const c_void,
        _ => std::ptr::null(),
    }
}

pub unsafe extern "C" fn get_extension_function_address(name: *const c_char) -> *const c_void {
    // SAFETY: the program vouches for the text.
    let found = guard(|| Ok(extension_function(&unsafe { text(name) })));
    found.unwrap_or(std::ptr::null())
}

pub unsafe extern "C" fn get_extension_function_address_for_platform(
    platform: Handle,
    name: *const c_char,
) -> *const c_void {
    let found = guard(|| {
        handle::get::<Runtime>(platform)?;
        // SAFETY: the program vouches for the text.
        Ok(extension_function(&unsafe { text(name) }))
    });
    found.unwrap_or(std::ptr::null())
}
