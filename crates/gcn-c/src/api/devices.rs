//! Creates devices, and allocates and accesses buffers.

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};

use gcn_isa::TARGETS;

use super::targets::TargetId;
use crate::entry::{ErrorHandle, call, quiet};
use crate::failure::c_text;
use crate::handle::{self, handles};
use crate::pointers;
use crate::runtime::{Buffer, Device};

/// Emulated GPU with its own memory.
pub enum DeviceHandle {}
/// Named buffer in device memory.
pub enum BufferHandle {}

handles! {
    DeviceHandle Device, "gcn_device";
    BufferHandle NamedBuffer, "gcn_buffer";
}

/// Device options. A zero-initialized structure selects the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DeviceOptions {
    /// Limit in bytes on the total memory for buffers, scratch and workgroup registers; 0 for all of the host's memory.
    pub memory: u64,
    /// Number of instructions after which a wave faults; 0 for no limit.
    pub instruction_limit: u64,
    /// Number of host threads that run a kernel; 0 to use all of the host's.
    pub threads: u32,
}

/// Object that a `gcn_buffer` handle refers to.
#[derive(Debug)]
pub struct NamedBuffer {
    pub(super) buffer: Buffer,
    name: CString,
}

/// Creates a device from a name such as `gfx906` or `vega20`. Returns null and sets an error if the name is unknown.
///
/// `name` is null-terminated; `options` may be null. Free the result with `gcn_device_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_device_new(
    name: *const c_char,
    options: *const DeviceOptions,
    error: *mut *mut ErrorHandle,
) -> *mut DeviceHandle {
    let body = || {
        // SAFETY: the caller guarantees that `name` is null or null-terminated.
        let name = unsafe { pointers::text(name, "name") }?;
        // SAFETY: the caller guarantees that `options` is null or valid.
        let options = unsafe { pointers::optional(options, "options") }?;
        let mut builder = Device::builder(name)?;
        if let Some(&DeviceOptions {
            memory,
            instruction_limit,
            threads,
        }) = options
        {
            if memory != 0 {
                builder = builder.memory(memory);
            }
            if instruction_limit != 0 {
                builder = builder.instruction_limit(instruction_limit);
            }
            if threads != 0 {
                builder = builder.threads(threads as usize);
            }
        }
        Ok(handle::insert(builder.build()))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Returns the target of a device; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_device_target(device: *const DeviceHandle) -> TargetId {
    quiet(0, || {
        let own = handle::get(device)?.target().name;
        let target = TARGETS.iter().find(|target| target.name == own);
        Ok(target.map_or(0, |target| target.elf_mach.into()))
    })
}

/// Frees a device. Its memory stays allocated until its buffers, modules, kernels and launches are freed too. Null and
/// freed handles are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_device_free(device: *mut DeviceHandle) {
    quiet((), || handle::remove(device));
}

/// Allocates `size` bytes of zeroed device memory. Returns null and sets an error if there is not enough memory.
///
/// `name` is null-terminated and identifies the buffer in messages. Free the result with `gcn_buffer_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_buffer_new(
    device: *const DeviceHandle,
    name: *const c_char,
    size: u64,
    error: *mut *mut ErrorHandle,
) -> *mut BufferHandle {
    let body = || {
        let device = handle::get(device)?;
        // SAFETY: the caller guarantees that `name` is null or null-terminated.
        let name = unsafe { pointers::text(name, "name") }?;
        Ok(handle::insert(NamedBuffer {
            buffer: device.allocate(name, size)?,
            name: c_text(name),
        }))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Writes `size` bytes to a buffer, starting at byte `offset`. On failure, nothing is written.
///
/// `bytes` points to `size` bytes; it may be null if `size` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_buffer_write(
    buffer: *const BufferHandle,
    offset: u64,
    bytes: *const c_void,
    size: usize,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let buffer = handle::get(buffer)?;
        // SAFETY: the caller guarantees that `bytes` is null or points to `size` bytes.
        let bytes = unsafe { pointers::array(bytes.cast(), size, "bytes") }?;
        buffer.buffer.write_bytes(offset, bytes)?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Reads `size` bytes from a buffer, starting at byte `offset`.
///
/// `bytes` has room for `size` bytes; it may be null if `size` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_buffer_read(
    buffer: *const BufferHandle,
    offset: u64,
    bytes: *mut c_void,
    size: usize,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let buffer = handle::get(buffer)?;
        // Clamp the size, so that an invalid range fails without a large allocation.
        let beyond = usize::try_from(buffer.buffer.len())
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        let mut read = vec![0; size.min(beyond)];
        buffer.buffer.read_bytes(offset, &mut read)?;
        // SAFETY: the caller guarantees that `bytes` is null or has room for `size` bytes.
        unsafe { pointers::put_bytes(&read, bytes.cast(), "bytes") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Returns the size of a buffer in bytes; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_buffer_size(buffer: *const BufferHandle) -> u64 {
    quiet(0, || Ok(handle::get(buffer)?.buffer.len()))
}

/// Returns the device address of a buffer; 0 if the handle is invalid. The host must not use it as a pointer.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_buffer_address(buffer: *const BufferHandle) -> u64 {
    quiet(0, || Ok(handle::get(buffer)?.buffer.address()))
}

/// Returns the name of a buffer; null if the handle is invalid. The string belongs to the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_buffer_name(buffer: *const BufferHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(buffer)?.name.as_ptr()))
}

/// Frees a buffer. Launches that have the buffer as an argument keep its memory alive. Null and freed handles are
/// ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_buffer_free(buffer: *mut BufferHandle) {
    quiet((), || handle::remove(buffer));
}
