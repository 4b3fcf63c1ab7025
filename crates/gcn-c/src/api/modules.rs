//! Loads modules and looks up their kernels.

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
/// Kernel in a module.
pub enum KernelHandle {}

handles! {
    ModuleHandle Module, "gcn_module";
    KernelHandle NamedKernel, "gcn_kernel";
}

/// Object that a `gcn_kernel` handle refers to.
#[derive(Debug)]
pub struct NamedKernel {
    pub(super) kernel: Kernel,
    record: KernelRecord,
}

/// Loads a code object onto a device, or the code object for the device from a bundle, a fat binary or an executable.
/// Returns null and sets an error if there is no such code object, or not enough memory.
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
        // SAFETY: the caller guarantees that `bytes` is null or points to `size` bytes.
        let bytes = unsafe { pointers::array(bytes, size, "bytes") }?;
        Ok(handle::insert(device.load(bytes)?))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Assembles text for a device, with debug information, and loads it. If the text has errors, returns null and sets the
/// first error, with its source location; `gcn_assemble` returns all diagnostics.
///
/// `text` is the program and `name` is its name in messages; both are null-terminated. Free the result with
/// `gcn_module_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_module_assemble(
    device: *const DeviceHandle,
    name: *const c_char,
    text: *const c_char,
    error: *mut *mut ErrorHandle,
) -> *mut ModuleHandle {
    let body = || {
        let device = handle::get(device)?;
        // SAFETY: the caller guarantees that the strings are null or null-terminated.
        let (name, text) =
            unsafe { (pointers::text(name, "name")?, pointers::text(text, "text")?) };
        let assembly = Assembly::new(device.target().name, name, text, &DEFAULTS, Some("."))?;
        Ok(handle::insert(device.load(assembly.object()?)?))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Frees a module. Its code stays loaded until its kernels and their launches are freed too. Null and freed handles are
/// ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_module_free(module: *mut ModuleHandle) {
    quiet((), || handle::remove(module));
}

/// Looks up a kernel in a module by its symbol, or by any name that tools print for it. Returns null and sets an error
/// unless exactly one kernel has the name.
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
        // SAFETY: the caller guarantees that `name` is null or null-terminated.
        let name = unsafe { pointers::text(name, "name") }?;
        let kernel = module.kernel(name)?;
        Ok(handle::insert(NamedKernel {
            record: KernelRecord::new(kernel.description()),
            kernel,
        }))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
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
        // SAFETY: the caller guarantees that `info` is null or writable.
        unsafe { pointers::put(info, found, "info") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Writes the description of the kernel argument at `index` to `*argument`. Its strings belong to the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_kernel_argument(
    kernel: *const KernelHandle,
    index: usize,
    argument: *mut ArgumentInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let info = handle::get(kernel)?.record.argument(index)?;
        // SAFETY: the caller guarantees that `argument` is null or writable.
        unsafe { pointers::put(argument, info, "argument") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Frees a kernel. Null and freed handles are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_kernel_free(kernel: *mut KernelHandle) {
    quiet((), || handle::remove(kernel));
}
