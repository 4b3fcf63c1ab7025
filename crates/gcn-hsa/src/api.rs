//! The functions of the library, as the headers declare them.
//!
//! These modules may use `unsafe`: they take the program's addresses. A function checks its handles, asks a module above for
//! what it needs, and writes results; it holds no logic of its own.
#![allow(unsafe_code)]
// The contracts of the functions are those of the HSA specification, which the headers repeat.
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
mod refused;

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::{EachHandle, Handle};
use crate::info::Info;
use crate::runtime::{self, Runtime};
use crate::status::{HsaResult, Status};

/// Runs a function of an initialised runtime.
fn call(function: impl FnOnce(&'static Runtime) -> HsaResult) -> Status {
    guard(|| function(runtime::get()?))
}

/// Runs a function, and makes a panic an error: none may leave for the program.
fn guard(function: impl FnOnce() -> HsaResult) -> Status {
    match catch_unwind(AssertUnwindSafe(function)) {
        Ok(Ok(())) => Status::SUCCESS,
        Ok(Err(status)) => status,
        Err(_) => Status::ERROR,
    }
}

/// The address of a program's pointer.
fn address<T>(pointer: *const T) -> u64 {
    pointer.expose_provenance() as u64
}

/// A pointer for a program to an address of memory that agents share.
fn pointer<T>(address: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// Writes a result.
///
/// # Safety
/// The address is null or has room for the value.
unsafe fn put<T>(to: *mut T, value: T) -> HsaResult {
    if to.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller vouches for the room.
    unsafe { to.write(value) };
    Ok(())
}

/// Writes the value of an attribute.
///
/// # Safety
/// The address is null or has room for the attribute's type.
unsafe fn put_info(to: *mut c_void, info: HsaResult<Info>) -> HsaResult {
    if to.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller vouches for the room.
    unsafe { info?.write(to) };
    Ok(())
}

/// The elements of a program's array.
///
/// # Safety
/// The address is null, or that of `count` elements that nobody changes meanwhile.
unsafe fn array<'a, T>(elements: *const T, count: u32) -> HsaResult<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if elements.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller vouches for the elements.
    Ok(unsafe { std::slice::from_raw_parts(elements, count as usize) })
}

/// A program's text.
///
/// # Safety
/// The address is null, or that of a text with its terminator.
unsafe fn text<'a>(text: *const c_char) -> HsaResult<&'a str> {
    if text.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller vouches for the text.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Status::INVALID_ARGUMENT)
}

/// Calls a program's function for each handle, until it returns another status than success.
///
/// # Safety
/// `callback` may be called with `data`.
unsafe fn each(
    handles: impl IntoIterator<Item = Handle>,
    callback: Option<EachHandle>,
    data: *mut c_void,
) -> HsaResult {
    let callback = callback.ok_or(Status::INVALID_ARGUMENT)?;
    for handle in handles {
        // SAFETY: the caller vouches for the function.
        match unsafe { callback(handle, data) } {
            Status::SUCCESS => {}
            other => return Err(other),
        }
    }
    Ok(())
}
