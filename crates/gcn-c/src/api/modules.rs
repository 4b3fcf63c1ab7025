//! Modules and their kernels.

use std::ffi::c_char;
use std::ptr::null_mut;

use super::assemblies::{Assembly, DEFAULTS};
use super::devices::DeviceHandle;
use crate::entry::{ErrorHandle, call, quiet};
use crate::handle::{self, handles};
use crate::pointers;
use crate::records::{ArgumentInfo, KernelInfo, KernelRecord};
use crate::runtime::{Kernel, Module};

/// Code loaded into a device's memory.
pub enum ModuleHandle {}
/// Kernel of a module.
pub enum KernelHandle {}

handles! {
    ModuleHandle Module, "gcn_module";
    KernelHandle NamedKernel, "gcn_kernel";
}

/// Object behind `gcn_kernel`.
#[derive(Debug)]
pub struct NamedKernel {
    pub(super) kernel: Kernel,
    record: KernelRecord,
}

/// Loads a code object on a device, or the device's code object from a bundle, a fat binary or an executable. Returns
/// null and sets an error if there is none, or not enough memory.
///
/// `bytes` points to `size` bytes, which are copied. Free the result with `gcn_module_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_module_load(
    device: *const DeviceHandle,
    bytes: *const u8,
    size: usize,
    error: *mut *mut ErrorHandle,
) -> *mut ModuleHandle {
    let body = || {
        let device = handle::get(device)?;
        // SAFETY: the caller passes null or `size` bytes.
        let bytes = unsafe { pointers::array(bytes, size, "bytes") }?;
        Ok(handle::insert(device.load(bytes)?))
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, null_mut(), body) }
}

/// Assembles text for a device, with debug information, and loads it. If the text has errors, returns null and the
/// first error with its place; `gcn_assemble` returns all diagnostics.
///
/// `name` is the name of the text in messages, and `text` is the program; both are null-terminated. Free the result
/// with `gcn_module_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_module_assemble(
    device: *const DeviceHandle,
    name: *const c_char,
    text: *const c_char,
    error: *mut *mut ErrorHandle,
) -> *mut ModuleHandle {
    let body = || {
        let device = handle::get(device)?;
        // SAFETY: the caller passes null or texts that end with a NUL.
        let (name, text) =
            unsafe { (pointers::text(name, "name")?, pointers::text(text, "text")?) };
        let assembly = Assembly::new(device.target().name, name, text, &DEFAULTS, Some("."))?;
        Ok(handle::insert(device.load(assembly.object()?)?))
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, null_mut(), body) }
}

/// Frees a module. Its code lives until its kernels and their launches have been freed too. Null and handles that
/// have been freed are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_module_free(module: *mut ModuleHandle) {
    quiet((), || handle::remove(module));
}

/// Returns the kernel of a module with a name: its symbol, or any name that tools print for it. Returns null and sets
/// an error if no or several kernels have the name.
///
/// `name` is null-terminated. Free the result with `gcn_kernel_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_kernel_named(
    module: *const ModuleHandle,
    name: *const c_char,
    error: *mut *mut ErrorHandle,
) -> *mut KernelHandle {
    let body = || {
        let module = handle::get(module)?;
        // SAFETY: the caller passes null or text that ends with a NUL.
        let name = unsafe { pointers::text(name, "name") }?;
        let kernel = module.kernel(name)?;
        Ok(handle::insert(NamedKernel {
            record: KernelRecord::new(kernel.description()),
            kernel,
        }))
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, null_mut(), body) }
}

/// Writes the code object's description of a kernel to `*info`. Its strings belong to the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_kernel_describe(
    kernel: *const KernelHandle,
    info: *mut KernelInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let found = handle::get(kernel)?.record.info();
        // SAFETY: the caller passes null or room for a kernel.
        unsafe { pointers::put(info, found, "info") }?;
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Writes an argument of a kernel, selected by index, to `*argument`. Its strings belong to the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_kernel_argument(
    kernel: *const KernelHandle,
    index: usize,
    argument: *mut ArgumentInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let info = handle::get(kernel)?.record.argument(index)?;
        // SAFETY: the caller passes null or room for an argument.
        unsafe { pointers::put(argument, info, "argument") }?;
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Frees a kernel. Null and handles that have been freed are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_kernel_free(kernel: *mut KernelHandle) {
    quiet((), || handle::remove(kernel));
}
