//! Writes the output of kernel `printf` calls to standard output.
//!
//! This module may use `unsafe`, since it writes to a C library stream.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use gcn_report::program::say::say_once;

unsafe extern "C" {
    /// The C library's standard output stream.
    static stdout: *mut libc::FILE;
}

/// Writes kernel output after the application's own buffered output.
pub(crate) fn print(text: &[u8]) {
    if text.is_empty() {
        return;
    }
    // SAFETY: `stdout` is the C library's own stream, which does its own locking; the bytes are those of the slice.
    let failed = unsafe {
        let written = libc::fwrite(text.as_ptr().cast::<c_void>(), 1, text.len(), stdout);
        written != text.len() || libc::fflush(stdout) != 0 as c_int
    };
    if failed {
        say_once("the output of a kernel cannot be written");
    }
}
