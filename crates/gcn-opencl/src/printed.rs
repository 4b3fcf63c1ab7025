//! Text of kernels' `printf`, on standard output.
//!
//! This is one of the modules that may use `unsafe`: standard output is the C library's stream.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use gcn_report::program::say::say_once;

unsafe extern "C" {
    /// The C library's stream of standard output.
    static stdout: *mut libc::FILE;
}

/// Writes what a kernel has printed, behind what the program has printed by the C library's functions.
pub(crate) fn print(text: &[u8]) {
    if text.is_empty() {
        return;
    }
    // SAFETY: the stream is the process's own, which locks itself; the bytes are those of the slice.
    let failed = unsafe {
        let written = libc::fwrite(text.as_ptr().cast::<c_void>(), 1, text.len(), stdout);
        written != text.len() || libc::fflush(stdout) != 0 as c_int
    };
    if failed {
        say_once("the output of a kernel cannot be written");
    }
}
