//! Helpers for entry points: they catch panics, and convert arguments, results and statuses.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gcn_report::program::forks;
use gcn_report::program::say::say_once;

use crate::handle::{self, Handle, Object};
use crate::info::Info;
use crate::status::{Outcome, Status};

/// Status of a function that has panicked. The panic is reported on standard error, and does not unwind into the
/// application.
const PANICKED: Status = Status::OUT_OF_RESOURCES;

/// Runs a function and catches panics. Fails in a forked child, which cannot use the devices.
pub(super) fn guard<T>(function: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    if forks::refuse("OpenCL") {
        return Err(Status::OUT_OF_RESOURCES);
    }
    catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(|_| {
        say_once(
            "a function of the OpenCL platform has panicked, which is an error of this project",
        );
        Err(PANICKED)
    })
}

/// Runs a function and returns its status.
pub(super) fn call(function: impl FnOnce() -> Outcome) -> i32 {
    Status::of(guard(function)).0
}

/// Decrements a reference count. In a forked child, whose destructors release the parent's objects, nothing happens.
pub(super) fn release<T: Object>(object: Handle) -> i32 {
    if forks::is_child() {
        return Status::SUCCESS.0;
    }
    call(|| handle::release::<T>(object))
}

/// Runs a function that returns a value, or on an error the default, and writes the status to an address.
///
/// # Safety
/// The address is null or writable.
pub(super) unsafe fn make<T: Default>(
    status: *mut i32,
    function: impl FnOnce() -> Outcome<T>,
) -> T {
    let (value, end) = match guard(function) {
        Ok(value) => (value, Status::SUCCESS),
        Err(error) => (T::default(), error),
    };
    // SAFETY: the caller vouches for the room.
    unsafe { put_if(status, end.0) };
    value
}

/// Writes a result, unless the address is null.
///
/// # Safety
/// The address is null or writable.
pub(super) unsafe fn put_if<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller vouches for the room.
        unsafe { to.write_unaligned(value) };
    }
}

/// Writes the value of an attribute and its size, for each address that is not null.
///
/// # Errors
/// The attribute is unknown, or `room` is too small.
///
/// # Safety
/// `to` is null or has `room` writable bytes, and `size` is null or writable.
pub(super) unsafe fn put_info(
    info: Outcome<Info>,
    room: usize,
    to: *mut c_void,
    size: *mut usize,
) -> Outcome {
    let Info(bytes) = info?;
    if !to.is_null() {
        if room < bytes.len() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the caller vouches for the room.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
    }
    // SAFETY: as above.
    unsafe { put_if(size, bytes.len()) };
    Ok(())
}

/// Writes up to `room` handles, and their total number.
///
/// # Errors
/// `room` is 0 although `to` is not null, or both addresses are null.
///
/// # Safety
/// `to` is null or has room for `room` handles, and `count` is null or writable.
pub(super) unsafe fn put_handles(
    handles: &[Handle],
    room: u32,
    to: *mut Handle,
    count: *mut u32,
) -> Outcome {
    if to.is_null() && count.is_null() || !to.is_null() && room == 0 {
        return Err(Status::INVALID_VALUE);
    }
    if !to.is_null() {
        for (index, handle) in handles.iter().take(room as usize).enumerate() {
            // SAFETY: the caller vouches for the room.
            unsafe { to.add(index).write(*handle) };
        }
    }
    // SAFETY: as above.
    unsafe { put_if(count, handles.len() as u32) };
    Ok(())
}

/// Borrows an array of the application. The address must be null exactly if the array is empty.
///
/// # Safety
/// The address is null or points to `count` elements, which nobody changes meanwhile.
pub(super) unsafe fn array<'a, T>(elements: *const T, count: usize) -> Outcome<&'a [T]> {
    if (count == 0) != elements.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: the caller vouches for the elements.
    Ok(unsafe { std::slice::from_raw_parts(elements, count) })
}

/// Borrows an array of the application; `None` if the address is null.
///
/// # Safety
/// As for [`array`].
pub(super) unsafe fn optional_array<'a, T>(elements: *const T, count: usize) -> Option<&'a [T]> {
    // SAFETY: the caller vouches for the elements.
    (!elements.is_null()).then(|| unsafe { std::slice::from_raw_parts(elements, count) })
}

/// Copies a property list including its terminator; empty for a null address.
///
/// # Safety
/// The address is null or points to pairs of name and value, ended by a 0.
pub(super) unsafe fn properties<T: Copy + PartialEq + Default>(list: *const T) -> Vec<T> {
    let mut all = Vec::new();
    if list.is_null() {
        return all;
    }
    let zero = T::default();
    // SAFETY: the caller vouches for the elements up to the terminator.
    unsafe {
        let mut at = list;
        while *at != zero {
            all.extend([*at, *at.add(1)]);
            at = at.add(2);
        }
    }
    all.push(zero);
    all
}

/// Returns the pairs of a property list. A name must not occur twice.
///
/// # Errors
/// A name occurs twice.
pub(super) fn pairs<T: Copy + PartialEq>(list: &[T]) -> Outcome<Vec<(T, T)>> {
    let mut pairs: Vec<(T, T)> = Vec::new();
    for pair in list.chunks_exact(2) {
        if pairs.iter().any(|(name, _)| *name == pair[0]) {
            return Err(Status::INVALID_PROPERTY);
        }
        pairs.push((pair[0], pair[1]));
    }
    Ok(pairs)
}

/// Copies a text of the application; empty for a null address.
///
/// # Safety
/// The address is null or points to a null-terminated text.
pub(super) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for the text.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
