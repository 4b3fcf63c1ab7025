//! Functions of extensions, by their names.

use std::ffi::{c_char, c_void};

use super::entry::{guard, text};
use super::{kernels, platform};
use crate::handle::{self, Handle};
use crate::runtime::Runtime;

/// Name of the function by which loaders ask for platforms.
pub(super) const GET_PLATFORMS: &str = "clIcdGetPlatformIDsKHR";
/// Name of the one function of an extension that is in the table too.
const SUB_GROUPS: &str = "clGetKernelSubGroupInfoKHR";

/// The address of an extension's function; null for others.
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
