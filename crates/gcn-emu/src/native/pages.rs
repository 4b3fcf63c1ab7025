//! Pages of host code. They are first writable and then executable, never both at once.
//!
//! This module may use `unsafe`, because it maps memory.

use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Size of a page in bytes.
const PAGE: usize = 1 << 12;
/// Maximum total size of the process's host code, in bytes.
const MOST: usize = 256 << 20;
/// Total size of mapped code, in bytes.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Mapped code of a function.
#[derive(Debug)]
pub(super) struct CodePages {
    start: NonNull<c_void>,
    /// Size of the pages in bytes.
    bytes: usize,
    /// Size of the code in bytes.
    used: usize,
}

// SAFETY: the pages are not written after construction.
unsafe impl Send for CodePages {}
// SAFETY: as for `Send`.
unsafe impl Sync for CodePages {}

impl CodePages {
    /// Maps pages and copies `code` to them.
    ///
    /// # Errors
    /// Fails if the process's host code would become too large, or if the host cannot provide executable memory.
    pub(super) fn new(code: &[u8]) -> io::Result<CodePages> {
        let bytes = code.len().next_multiple_of(PAGE);
        let more = |mapped: usize| Some(mapped + bytes).filter(|all| *all <= MOST);
        if MAPPED.fetch_update(Relaxed, Relaxed, more).is_err() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let start = map(code, bytes).inspect_err(|_| {
            MAPPED.fetch_sub(bytes, Relaxed);
        })?;
        Ok(CodePages {
            start,
            bytes,
            used: code.len(),
        })
    }

    /// Bytes of the code.
    pub(super) fn code(&self) -> &[u8] {
        // SAFETY: `used` bytes have been written, and they are not written again.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.used) }
    }

    /// Address of the code at an offset.
    pub(super) fn address(&self, offset: usize) -> *const c_void {
        self.start.as_ptr().wrapping_byte_add(offset)
    }
}

/// Maps `bytes` bytes that start with `code`, and makes them executable.
fn map(code: &[u8], bytes: usize) -> io::Result<NonNull<c_void>> {
    // SAFETY: the pages are new, and no other code can access them until this function returns.
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
        NonNull::new(start).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }
}

impl Drop for CodePages {
    fn drop(&mut self) {
        MAPPED.fetch_sub(self.bytes, Relaxed);
        // SAFETY: the code is no longer executed.
        let _ = unsafe { munmap(self.start.as_ptr(), self.bytes) };
    }
}
