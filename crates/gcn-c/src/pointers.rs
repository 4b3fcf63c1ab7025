//! Reads and writes through pointers from the caller.

use std::ffi::{CStr, c_char};

use crate::error_names::{INVALID_ARRAY, INVALID_UTF8};
use crate::failure::Failure;

/// Reads a string. `parameter` is its name in errors.
///
/// # Errors
/// Fails if the pointer is null, or the string is not UTF-8.
///
/// # Safety
/// `text` is null or null-terminated, and does not change during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char, parameter: &str) -> Result<&'a str, Failure> {
    // SAFETY: the caller guarantees that `text` is null or null-terminated, and does not change.
    let text = unsafe { optional_text(text, parameter) }?;
    text.ok_or_else(|| Failure::null(parameter))
}

/// Reads a string that may be null.
///
/// # Errors
/// Fails if the string is not UTF-8.
///
/// # Safety
/// `text` is null or null-terminated, and does not change during `'a`.
pub(crate) unsafe fn optional_text<'a>(
    text: *const c_char,
    parameter: &str,
) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: `text` is not null, and the caller guarantees that it is null-terminated and does not change.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str().map_err(|error| {
        let message = format!("`{parameter}` is not UTF-8: {error}");
        Failure::new(INVALID_UTF8, message)
    })?;
    Ok(Some(text))
}

/// Rejects pointers and lengths that do not form a valid array.
///
/// # Errors
/// Fails if the pointer is null or misaligned, or the array exceeds the address space.
#[inline]
pub(crate) fn check<T>(array: *const T, count: usize, parameter: &str) -> Result<(), Failure> {
    if array.is_null() {
        return Err(Failure::null(parameter));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) || !array.is_aligned() {
        let size = size_of::<T>();
        let message = format!("`{parameter}` is not an array of {count} elements of {size} bytes");
        return Err(Failure::new(INVALID_ARRAY, message));
    }
    Ok(())
}

/// Reads an array. The pointer may be null if the array is empty.
///
/// # Errors
/// Fails if the pointer is null or misaligned, or the array exceeds the address space.
///
/// # Safety
/// `array` is null or points to `count` elements, which do not change during `'a`.
#[inline]
pub(crate) unsafe fn array<'a, T>(
    array: *const T,
    count: usize,
    parameter: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(array, count, parameter)?;
    // SAFETY: `array` is aligned and not null, and the caller guarantees that it points to `count` elements.
    Ok(unsafe { std::slice::from_raw_parts(array, count) })
}

/// Reads a structure that may be null.
///
/// # Errors
/// Fails if the pointer is misaligned.
///
/// # Safety
/// `value` is null or points to a value that does not change during `'a`.
pub(crate) unsafe fn optional<'a, T>(
    value: *const T,
    parameter: &str,
) -> Result<Option<&'a T>, Failure> {
    if value.is_null() {
        return Ok(None);
    }
    check(value, 1, parameter)?;
    // SAFETY: `value` is aligned and not null, and the caller guarantees that it is valid.
    Ok(Some(unsafe { &*value }))
}

/// Writes a result through a pointer.
///
/// # Errors
/// Fails if `to` is null.
///
/// # Safety
/// `to` is null or writable.
#[inline]
pub(crate) unsafe fn put<T>(to: *mut T, value: T, parameter: &str) -> Result<(), Failure> {
    if to.is_null() {
        return Err(Failure::null(parameter));
    }
    // SAFETY: `to` is not null, and the caller guarantees that it is writable.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Writes as much of a string as fits, with a terminator, and returns the length of the whole string, like `snprintf`.
///
/// # Errors
/// Fails if `to` is null, and `room` is not 0.
///
/// # Safety
/// `to` is null or has `room` writable bytes.
#[inline]
pub(crate) unsafe fn put_text(
    text: &[u8],
    to: *mut c_char,
    room: usize,
    parameter: &str,
) -> Result<usize, Failure> {
    if room == 0 {
        return Ok(text.len());
    }
    if to.is_null() {
        return Err(Failure::null(parameter));
    }
    let count = text.len().min(room - 1);
    // SAFETY: the caller guarantees that `to` has `room` bytes, and `count` bytes and a terminator fit into them.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), count);
        to.add(count).write(0);
    }
    Ok(text.len())
}

/// Writes bytes through a pointer.
///
/// # Errors
/// Fails if `to` is null, and `bytes` is not empty.
///
/// # Safety
/// `to` is null or has room for the bytes.
pub(crate) unsafe fn put_bytes(bytes: &[u8], to: *mut u8, parameter: &str) -> Result<(), Failure> {
    if bytes.is_empty() {
        return Ok(());
    }
    if to.is_null() {
        return Err(Failure::null(parameter));
    }
    // SAFETY: the caller guarantees that `to` has room, and `bytes` belongs to the library, so they do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    Ok(())
}
