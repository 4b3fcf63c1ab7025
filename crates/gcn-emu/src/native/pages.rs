//! Pages of host code, writable first and then executable, never both.
//!
//! This is one of the modules that may use `unsafe`: it maps memory, and calls what has been written there.

use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use super::emit::{Emitted, SLICE};
use crate::lanes::Lanes;
use crate::wave::Scalars;

/// Bytes at a multiple of which a function begins.
const ALIGNMENT: usize = 16;
/// Bytes of a page.
const PAGE: usize = 1 << 12;
/// Maximum size of all code of the process, in bytes.
const MOST: usize = 256 << 20;
/// Size of all code that is mapped, in bytes.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// A block's code.
#[derive(Debug)]
pub(super) struct CodePages {
    start: NonNull<c_void>,
    bytes: usize,
    functions: Box<[Function]>,
}

/// A function: where it begins, and its constants.
#[derive(Debug)]
struct Function {
    offset: usize,
    constants: Box<[[u32; SLICE]]>,
}

// SAFETY: nobody writes to the pages after they are made.
unsafe impl Send for CodePages {}
// SAFETY: the same.
unsafe impl Sync for CodePages {}

/// Vector registers, scalar registers and constants by address; the number of slices that have been computed.
type Entry = unsafe extern "sysv64" fn(*mut Lanes, *mut u32, *const [u32; SLICE]) -> u32;

impl CodePages {
    /// Maps pages for some functions.
    ///
    /// # Errors
    /// The host has no memory for them, or allows no memory to become executable.
    pub(super) fn new(emitted: Vec<Emitted>) -> io::Result<CodePages> {
        let mut code = Vec::new();
        let functions = emitted.into_iter().map(|it| {
            code.resize(code.len().next_multiple_of(ALIGNMENT), 0);
            let offset = code.len();
            code.extend(it.code);
            Function {
                offset,
                constants: it.constants.into(),
            }
        });
        let functions = functions.collect();
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
                functions,
            })
        }
    }

    /// Runs a function on a wave's registers, among which are all that it was made for.
    pub(super) fn run(&self, n: usize, vgprs: &mut [Lanes], scalars: &mut Scalars) -> usize {
        let Function { offset, constants } = &self.functions[n];
        // SAFETY: the code at the offset is that of an `Emitted`, and `segment` has seen that the registers are there.
        unsafe {
            let entry: Entry = std::mem::transmute(self.start.byte_add(*offset).as_ptr());
            entry(vgprs.as_mut_ptr(), scalars.as_mut_ptr(), constants.as_ptr()) as usize
        }
    }
}

impl Drop for CodePages {
    fn drop(&mut self) {
        MAPPED.fetch_sub(self.bytes, Relaxed);
        // SAFETY: nobody runs the code any more.
        let _ = unsafe { munmap(self.start.as_ptr(), self.bytes) };
    }
}
