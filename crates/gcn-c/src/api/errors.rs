//! Queries errors and the library version.

use std::ffi::c_char;
use std::ptr::null;

use crate::entry::{ErrorHandle, quiet};
use crate::handle;
use crate::records::or_null;

/// Returns the library's version, such as `0.1.0`. The string is static.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_version() -> *const c_char {
    quiet(null(), || {
        Ok(concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast())
    })
}

/// Returns the stable name of an error, such as `unknown-opcode`, explained by `gcn explain`; null if `error` is
/// invalid. The string belongs to the error.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_error_name(error: *const ErrorHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(error)?.name.as_ptr()))
}

/// Returns the message of an error, without a final period; null if `error` is invalid. Messages of faults have several
/// lines. The string belongs to the error.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_error_message(error: *const ErrorHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(error)?.message.as_ptr()))
}

/// Returns the suggested fix for an error, which may be empty or have several lines; null if `error` is invalid. The
/// string belongs to the error.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_error_help(error: *const ErrorHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(error)?.help.as_ptr()))
}

/// Returns the source file of an error, or null if unknown. The string belongs to the error.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_error_file(error: *const ErrorHandle) -> *const c_char {
    quiet(null(), || {
        let error = handle::get(error)?;
        Ok(or_null(error.place.as_ref().map(|place| &place.file)))
    })
}

/// Returns the line number of an error, starting at 1; 0 if unknown.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_error_line(error: *const ErrorHandle) -> u32 {
    quiet(0, || {
        let error = handle::get(error)?;
        Ok(error.place.as_ref().map_or(0, |place| place.line))
    })
}

/// Returns the column number of an error, in characters starting at 1; 0 if unknown.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_error_column(error: *const ErrorHandle) -> u32 {
    quiet(0, || {
        let error = handle::get(error)?;
        Ok(error.place.as_ref().map_or(0, |place| place.column))
    })
}

/// Frees an error and its strings. Null and freed errors are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_error_free(error: *mut ErrorHandle) {
    quiet((), || handle::remove(error));
}
