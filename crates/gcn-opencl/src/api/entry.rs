//! Helpers for API entry points, which catch panics and convert arguments, results and statuses.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gcn_report::program::forks;
use gcn_report::program::say::say_once;

use crate::handle::{self, Handle, Object};
use crate::info::Info;
use crate::status::{Outcome, Status};

/// Status returned by a function that panicked. The panic is reported on standard error and does not unwind into the
/// application.
const PANICKED: Status = Status::OUT_OF_RESOURCES;

/// Runs `function` and catches panics. Fails in a forked child, which cannot use the devices.
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

/// Runs `function` and returns its status.
pub(super) fn call(function: impl FnOnce() -> Outcome) -> i32 {
    Status::of(guard(function)).0
}

/// Decrements a reference count. Does nothing in a forked child, where destructors would release the parent's objects.
pub(super) fn release<T: Object>(object: Handle) -> i32 {
    if forks::is_child() {
        return Status::SUCCESS.0;
    }
    call(|| handle::release::<T>(object))
}

/// Runs `function`, writes its status to an address, and returns its value, or the default on error.
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
    // SAFETY: the caller guarantees that the destination is writable.
    unsafe { put_if(status, end.0) };
    value
}

/// Writes a result, unless the address is null.
///
/// # Safety
/// The address is null or writable.
pub(super) unsafe fn put_if<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller guarantees that the destination is writable.
        unsafe { to.write_unaligned(value) };
    }
}

/// Writes an attribute's value to `to` and its size to `size`, unless they are null.
///
/// # Errors
/// Fails if the attribute is unknown, or `room` is too small.
///
/// # Safety
/// `to` is null or points to `room` writable bytes, and `size` is null or writable.
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
        // SAFETY: the caller guarantees that the destination is writable.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
    }
    // SAFETY: as above.
    unsafe { put_if(size, bytes.len()) };
    Ok(())
}

/// Writes up to `room` handles to `to`, and the total number of handles to `count`.
///
/// # Errors
/// Fails if `room` is 0 although `to` is not null, or both addresses are null.
///
/// # Safety
/// `to` is null or points to space for `room` handles, and `count` is null or writable.
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
            // SAFETY: the caller guarantees that the destination is writable.
            unsafe { to.add(index).write(*handle) };
        }
    }
    // SAFETY: as above.
    unsafe { put_if(count, handles.len() as u32) };
    Ok(())
}

/// Checks that an array is aligned and fits into the address space.
///
/// # Errors
/// `CL_INVALID_VALUE` otherwise.
fn check_array<T>(elements: *const T, count: usize) -> Outcome {
    let fits = count <= isize::MAX as usize / size_of::<T>().max(1);
    (fits && elements.is_aligned())
        .then_some(())
        .ok_or(Status::INVALID_VALUE)
}

/// Borrows an array from the application. `elements` must be null if and only if the array is empty.
///
/// # Errors
/// `CL_INVALID_VALUE`: only the address or only the count is 0, or the array is misaligned or too large.
///
/// # Safety
/// The address is null or points to `count` elements, which do not change during the borrow.
pub(super) unsafe fn array<'a, T>(elements: *const T, count: usize) -> Outcome<&'a [T]> {
    if (count == 0) != elements.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    if count == 0 {
        return Ok(&[]);
    }
    check_array(elements, count)?;
    // SAFETY: the address and the size have been checked, and the caller guarantees readable elements.
    Ok(unsafe { std::slice::from_raw_parts(elements, count) })
}

/// Borrows an array from the application; `None` if `elements` is null.
///
/// # Errors
/// `CL_INVALID_VALUE`: the array is misaligned or too large.
///
/// # Safety
/// Same as [`array`].
pub(super) unsafe fn optional_array<'a, T>(
    elements: *const T,
    count: usize,
) -> Outcome<Option<&'a [T]>> {
    if elements.is_null() {
        return Ok(None);
    }
    check_array(elements, count)?;
    // SAFETY: the address and the size have been checked, and the caller guarantees readable elements.
    Ok(Some(unsafe { std::slice::from_raw_parts(elements, count) }))
}

/// Copies a property list, including its terminator; empty if `list` is null.
///
/// # Safety
/// `list` is null or points to name-value pairs followed by a 0.
pub(super) unsafe fn properties<T: Copy + PartialEq + Default>(list: *const T) -> Vec<T> {
    let mut all = Vec::new();
    if list.is_null() {
        return all;
    }
    let zero = T::default();
    // SAFETY: the caller guarantees that the list has a terminator.
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

/// Returns the name-value pairs of a property list.
///
/// # Errors
/// Fails if a name occurs twice.
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

/// Copies a string from the application; empty if `text` is null.
///
/// # Safety
/// `text` is null or points to a null-terminated string.
pub(super) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees a valid string.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
