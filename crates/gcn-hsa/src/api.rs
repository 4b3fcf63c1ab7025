//! HSA API functions, as declared in the headers.
//!
//! These modules may use `unsafe`, since they dereference addresses passed by the program. Each function validates
//! its arguments, looks up its handles, calls into another module of the crate and writes the results.
#![allow(unsafe_code)]
// The HSA specification and the headers define the safety contracts of these functions.
#![allow(clippy::missing_safety_doc, missing_docs)]

mod system;
mod agents;
mod executables;
mod images;
mod extensions;
mod memory;
mod virtual_memory;
mod processes;
mod queues;
mod signals;
mod unsupported;

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::{Handle, HandleCallback};
use crate::info::Info;
use crate::runtime::{self, Runtime};
use crate::status::{HsaResult, Status};

/// Calls a function with the runtime, and returns its status. Fails if the runtime is not initialised or the function
/// panics.
fn call(function: impl FnOnce(&'static Runtime) -> HsaResult) -> Status {
    guard(|| function(runtime::get()?))
}

/// Calls a function, and returns its status. A panic becomes [`Status::ERROR`] instead of unwinding into the program.
fn guard(function: impl FnOnce() -> HsaResult) -> Status {
    match catch_unwind(AssertUnwindSafe(function)) {
        Ok(Ok(())) => Status::SUCCESS,
        Ok(Err(status)) => status,
        Err(_) => Status::ERROR,
    }
}

/// Converts a pointer from the program to an address.
fn address<T>(pointer: *const T) -> u64 {
    pointer.expose_provenance() as u64
}

/// Converts an address to a pointer for the program.
fn pointer<T>(address: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// Writes a result to program memory. Fails if `to` is null.
///
/// # Safety
/// `to` is null or writable.
unsafe fn put<T>(to: *mut T, value: T) -> HsaResult {
    if to.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller guarantees that the destination is writable.
    unsafe { to.write(value) };
    Ok(())
}

/// Writes an attribute value to program memory. Fails if `to` is null or `info` is an error.
///
/// # Safety
/// `to` is null, or points to enough memory for the attribute's type.
unsafe fn put_info(to: *mut c_void, info: HsaResult<Info>) -> HsaResult {
    if to.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller guarantees that the destination is writable.
    unsafe { info?.write(to) };
    Ok(())
}

/// Borrows an array from the program. Fails if `elements` is null and `count` is not 0.
///
/// # Safety
/// `elements` is null or points to `count` elements, which do not change during the borrow.
unsafe fn array<'a, T>(elements: *const T, count: u32) -> HsaResult<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if elements.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller guarantees readable elements.
    Ok(unsafe { std::slice::from_raw_parts(elements, count as usize) })
}

/// Borrows a string from the program. Fails if `text` is null or the string is not UTF-8.
///
/// # Safety
/// `text` is null or points to a null-terminated string.
unsafe fn text<'a>(text: *const c_char) -> HsaResult<&'a str> {
    if text.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller guarantees a valid string.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Status::INVALID_ARGUMENT)
}

/// Calls the program's callback for each handle, until the callback returns a status other than [`Status::SUCCESS`].
///
/// # Safety
/// `callback` must be safe to call with `data`.
unsafe fn each(
    handles: impl IntoIterator<Item = Handle>,
    callback: Option<HandleCallback>,
    data: *mut c_void,
) -> HsaResult {
    let callback = callback.ok_or(Status::INVALID_ARGUMENT)?;
    for handle in handles {
        // SAFETY: the caller guarantees that the callback is valid.
        match unsafe { callback(handle, data) } {
            Status::SUCCESS => {}
            other => return Err(other),
        }
    }
    Ok(())
}
