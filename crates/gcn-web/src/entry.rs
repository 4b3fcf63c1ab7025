//! Functions that WebAssembly exports. A request and its answer share a buffer:
//!
//! 1. [`gcn_reserve`] makes room for a request and returns its address; the page writes the request there.
//! 2. [`gcn_respond`] replaces the request with its answer and returns the answer's size.
//! 3. [`gcn_buffer`] returns the answer's address.
//!
//! This module may use `unsafe`: exported names can collide with those of other libraries.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::respond::respond;

static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn buffer() -> MutexGuard<'static, Vec<u8>> {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Resizes the buffer to `size` bytes, the size of a request, and returns its address.
// SAFETY: no other function of the library or of WebAssembly's host has this name.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_reserve(size: usize) -> *mut u8 {
    let mut buffer = buffer();
    buffer.clear();
    buffer.resize(size, 0);
    buffer.as_mut_ptr()
}

/// Replaces the request in the buffer with its answer, and returns the size of the answer in bytes.
// SAFETY: no other function of the library or of WebAssembly's host has this name.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_respond() -> usize {
    let mut buffer = buffer();
    let answer = respond(&String::from_utf8_lossy(&buffer));
    *buffer = answer.into_bytes();
    buffer.len()
}

/// Address of the buffer.
// SAFETY: no other function of the library or of WebAssembly's host has this name.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_buffer() -> *const u8 {
    buffer().as_ptr()
}
