//! Pages of host code, writable first and then executable, never both.
//!
//! This is one of the modules that may use `unsafe`: it maps memory.

use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Bytes of a page.
const PAGE: usize = 1 << 12;
/// Maximum size of all code of the process, in bytes.
const MOST: usize = 256 << 20;
/// Size of all code that is mapped, in bytes.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// A function's code.
#[derive(Debug)]
pub(super) struct CodePages {
    start: NonNull<c_void>,
    /// Bytes of the pages, and of the code in them.
    bytes: usize,
    used: usize,
}

// SAFETY: nobody writes to the pages after they are made.
unsafe impl Send for CodePages {}
// SAFETY: the same.
unsafe impl Sync for CodePages {}

impl CodePages {
    /// Maps pages for code.
    ///
    /// # Errors
    /// The host has no memory for them, or allows no memory to become executable.
    pub(super) fn new(code: &[u8]) -> io::Result<CodePages> {
        let bytes = code.len().next_multiple_of(PAGE);
        if MAPPED.load(Relaxed) + bytes > MOST {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        // SAFETY: new pages, of which only this function knows until it returns.
        unsafe {
            let start = mmap_anonymous(
                std::ptr::null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )?;
            std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast(), code.len());
            if let Err(error) = mprotect(start, bytes, MprotectFlags::READ | MprotectFlags::EXEC) {
                let _ = munmap(start, bytes);
                return Err(error.into());
            }
            MAPPED.fetch_add(bytes, Relaxed);
            Ok(CodePages {
                start: NonNull::new(start).ok_or(io::ErrorKind::OutOfMemory)?,
                bytes,
                used: code.len(),
            })
        }
    }

    /// The code.
    pub(super) fn code(&self) -> &[u8] {
        // SAFETY: that many bytes were written, and nobody writes to them any more.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.used) }
    }

    /// Address of the code at an offset.
    pub(super) fn address(&self, offset: usize) -> *const c_void {
        self.start.as_ptr().wrapping_byte_add(offset)
    }
}

impl Drop for CodePages {
    fn drop(&mut self) {
        MAPPED.fetch_sub(self.bytes, Relaxed);
        // SAFETY: nobody runs the code any more.
        let _ = unsafe { munmap(self.start.as_ptr(), self.bytes) };
    }
}
