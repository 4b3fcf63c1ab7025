//! Access to pointers that the caller passes.

use std::ffi::{CStr, c_char};

use crate::error_names::{INVALID_ARRAY, INVALID_UTF8};
use crate::failure::Failure;

/// Reads text; `parameter` names it in the error.
///
/// # Errors
/// The pointer is null, or the text is not UTF-8.
///
/// # Safety
/// `text` is null or null-terminated, and does not change during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char, parameter: &str) -> Result<&'a str, Failure> {
    // SAFETY: as the caller vouches.
    let text = unsafe { optional_text(text, parameter) }?;
    text.ok_or_else(|| Failure::null(parameter))
}

/// Reads text that may be null.
///
/// # Errors
/// The text is not UTF-8.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn optional_text<'a>(
    text: *const c_char,
    parameter: &str,
) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: it ends with a NUL and does not change, as the caller vouches.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str().map_err(|error| {
        let message = format!("`{parameter}` is not UTF-8: {error}");
        Failure::new(INVALID_UTF8, message)
    })?;
    Ok(Some(text))
}

/// Rejects pointers and lengths that are not valid for an array.
///
/// # Errors
/// The pointer is null or misaligned, or the array exceeds the address space.
#[inline]
pub(crate) fn check<T>(array: *const T, count: usize, parameter: &str) -> Result<(), Failure> {
    if array.is_null() {
        return Err(Failure::null(parameter));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) || !array.is_aligned() {
        let size = size_of::<T>();
        let message = format!("`{parameter}` is no array of {count} elements of {size} bytes");
        return Err(Failure::new(INVALID_ARRAY, message));
    }
    Ok(())
}

/// Reads an array. The pointer may be null if the array is empty.
///
/// # Errors
/// The pointer is null or misaligned, or the array exceeds the address space.
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
    // SAFETY: it is not null and aligned, and has the elements, as the caller vouches.
    Ok(unsafe { std::slice::from_raw_parts(array, count) })
}

/// Reads a structure that may be null.
///
/// # Errors
/// The pointer is misaligned.
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
    // SAFETY: it is not null and aligned, and has a value, as the caller vouches.
    Ok(Some(unsafe { &*value }))
}

/// Writes a result.
///
/// # Errors
/// `to` is null.
///
/// # Safety
/// `to` is null or writable.
#[inline]
pub(crate) unsafe fn put<T>(to: *mut T, value: T, parameter: &str) -> Result<(), Failure> {
    if to.is_null() {
        return Err(Failure::null(parameter));
    }
    // SAFETY: it has room, as the caller vouches.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Writes as much of a text as fits, with a terminator, and returns the length of the whole text, like `snprintf`.
///
/// # Errors
/// `to` is null although `room` is not 0.
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
    // SAFETY: `to` has `room` bytes, as the caller vouches, and a NUL follows the text within them.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), count);
        to.add(count).write(0);
    }
    Ok(text.len())
}

/// Writes bytes.
///
/// # Errors
/// `to` is null although there are bytes.
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
    // SAFETY: it has room, as the caller vouches, and `bytes` are the library's own.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    Ok(())
}
