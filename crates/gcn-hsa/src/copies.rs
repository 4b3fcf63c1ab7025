//! Asynchronous copies. A worker thread performs a copy once its dependency signals are complete.
//!
//! This module may use `unsafe`, since it copies between arbitrary addresses of the process.
#![allow(unsafe_code)]

use std::num::NonZero;
use std::sync::LazyLock;

use crate::abi::{Dim3, PitchedPtr};
use crate::clock::now;
use crate::signals::{Dependencies, Signal};
use crate::workers::WorkerTask;

/// Minimum number of bytes per thread of a parallel copy. A single thread reaches only two thirds of the host's memory
/// bandwidth, since `memmove` does not use non-temporal stores for 32 MiB, the size of HIP's copies.
const PIECE: usize = 4 << 20;
/// Upper bound on [`THREADS`]. More threads do not increase the bandwidth.
const MAX_THREADS: usize = 4;
/// Maximum number of threads per copy on this host.
static THREADS: LazyLock<usize> = LazyLock::new(|| {
    let threads = std::thread::available_parallelism();
    threads.map_or(1, NonZero::get).min(MAX_THREADS)
});

#[derive(Clone, Copy, Debug)]
pub(crate) enum CopyRequest {
    Line {
        to: u64,
        from: u64,
        bytes: usize,
    },
    Box {
        to: PitchedCorner,
        from: PitchedCorner,
        range: Dim3,
    },
}

/// Origin of a box in pitched memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PitchedCorner {
    pub(crate) memory: PitchedPtr,
    pub(crate) offset: Dim3,
}

impl PitchedCorner {
    fn row(&self, y: u32, z: u32) -> u64 {
        let rows = (self.offset.y as u64 + u64::from(y)).wrapping_mul(self.memory.pitch as u64);
        let slices = (self.offset.z as u64 + u64::from(z)).wrapping_mul(self.memory.slice as u64);
        let base = self.memory.base.wrapping_add(u64::from(self.offset.x));
        base.wrapping_add(rows).wrapping_add(slices)
    }
}

impl CopyRequest {
    /// Iterates over the rows, yielding each row's destination address, source address and size in bytes.
    pub(crate) fn rows(self) -> impl Iterator<Item = (u64, u64, u64)> {
        let (rows, slices) = match self {
            CopyRequest::Line { .. } => (1, 1),
            CopyRequest::Box { range, .. } => (range.y, range.z),
        };
        (0..slices).flat_map(move |z| (0..rows).map(move |y| self.row(y, z)))
    }

    fn row(&self, y: u32, z: u32) -> (u64, u64, u64) {
        match self {
            CopyRequest::Line { to, from, bytes } => (*to, *from, *bytes as u64),
            CopyRequest::Box { to, from, range } => (to.row(y, z), from.row(y, z), range.x.into()),
        }
    }

    /// Performs the copy.
    ///
    /// # Safety
    /// All bytes are accessible. Other threads and kernels may race with the copy, as on a real device; the copied
    /// bytes are then unspecified.
    pub(crate) unsafe fn make(&self) {
        for (to, from, bytes) in self.rows() {
            // SAFETY: the caller guarantees accessible bytes.
            unsafe { copy_line(to, from, bytes as usize) };
        }
    }
}

/// Copies `bytes` bytes, on several threads if the copy is large and the ranges do not overlap.
///
/// # Safety
/// All bytes in both ranges are accessible.
unsafe fn copy_line(to: u64, from: u64, bytes: usize) {
    let threads = (bytes / PIECE).min(*THREADS);
    if threads < 2 || to.abs_diff(from) < bytes as u64 {
        // SAFETY: the caller guarantees accessible bytes.
        return unsafe { copy_bytes(to, from, bytes) };
    }
    let piece = bytes.div_ceil(threads);
    std::thread::scope(|scope| {
        for begin in (piece..bytes).step_by(piece) {
            let bytes = piece.min(bytes - begin);
            let (to, from) = (to + begin as u64, from + begin as u64);
            // SAFETY: the caller guarantees accessible bytes, and no two threads write to the same byte.
            let copy = move || unsafe { copy_bytes(to, from, bytes) };
            let thread = std::thread::Builder::new().name("gcn hsa copy".to_owned());
            if thread.spawn_scoped(scope, copy).is_err() {
                copy();
            }
        }
        // SAFETY: as above.
        unsafe { copy_bytes(to, from, piece) };
    });
}

/// Copies `bytes` bytes. The ranges may overlap.
///
/// # Safety
/// All bytes in both ranges are accessible.
unsafe fn copy_bytes(to: u64, from: u64, bytes: usize) {
    let to = std::ptr::with_exposed_provenance_mut::<u8>(to as usize);
    let from = std::ptr::with_exposed_provenance::<u8>(from as usize);
    // SAFETY: the caller guarantees that both ranges are accessible.
    unsafe { std::ptr::copy(from, to, bytes) };
}

/// Copy that starts once its dependencies are complete.
pub(crate) struct CopyJob {
    pub(crate) copy: CopyRequest,
    pub(crate) after: Dependencies,
    /// Completion signal of the copy.
    pub(crate) done: Signal,
    pub(crate) make: CopyFunction,
}

/// Function that performs a copy, with the contract of [`CopyRequest::make`].
pub(crate) type CopyFunction = unsafe fn(&CopyRequest);

impl WorkerTask for CopyJob {
    const THREAD: &'static str = "gcn hsa copies";

    fn is_ready(&self) -> bool {
        self.after.are_complete()
    }

    fn carry_out(&self) -> bool {
        let begin = now();
        let result = self.after.result();
        if result.is_ok() {
            // SAFETY: the program guarantees accessible bytes, as the API function requires.
            unsafe { (self.make)(&self.copy) };
        }
        self.done.complete(result, begin, now());
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_copies_are_those_of_one_thread() {
        let source: Vec<u8> = (0..5 * PIECE + 7).map(|index| (index / 3) as u8).collect();
        for distance in [5 * PIECE + 7, PIECE, 1] {
            for bytes in [5 * PIECE + 7, 2 * PIECE, 2 * PIECE - 1, 3] {
                let mut memory = source.clone();
                memory.resize(source.len() * 2, 0);
                let mut expected = memory.clone();
                expected.copy_within(..bytes, distance);
                let from = memory.as_mut_ptr().expose_provenance() as u64;
                let to = from + distance as u64;
                // SAFETY: both ranges lie in the vector.
                unsafe { CopyRequest::Line { to, from, bytes }.make() };
                assert!(
                    memory == expected,
                    "{bytes} bytes, {distance} bytes further"
                );
            }
        }
    }
}
