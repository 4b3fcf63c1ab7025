//! Messages on standard error, and the text of kernels' `printf` on standard output: the one place of the library that prints.
//!
//! This is one of the modules that may use `unsafe`: standard output is the C library's stream.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ffi::{c_int, c_void};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    /// The C library's stream of standard output.
    static stdout: *mut libc::FILE;
}

/// Prints a message.
pub(crate) fn say(message: &str) {
    // A program without a standard error does without messages.
    let _ = writeln!(std::io::stderr().lock(), "gcn: {message}");
}

/// Prints a message the first time that it is given.
pub(crate) fn say_once(message: &str) {
    static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.get_or_insert_default().insert(message.to_owned()) {
        drop(said);
        say(message);
    }
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
