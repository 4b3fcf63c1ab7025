//! Copies and fills in device memory and application memory.
//!
//! This module may use `unsafe`, since it copies between arbitrary addresses of the process.
#![allow(unsafe_code)]

use gcn_runtime::image::BoxPlace;
use gcn_runtime::memory::Memory;

/// Kind of memory on one side of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TransferSide {
    /// Device memory.
    Device,
    /// Application memory.
    Host,
}

/// Copy of a box. A contiguous copy is a box of one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxCopy {
    pub(crate) to: (TransferSide, BoxPlace),
    pub(crate) from: (TransferSide, BoxPlace),
    /// Bytes per row, rows per slice, and slices.
    pub(crate) region: [usize; 3],
}

impl BoxCopy {
    /// Creates a contiguous copy.
    pub(crate) fn line(
        to: (TransferSide, u64),
        from: (TransferSide, u64),
        bytes: usize,
    ) -> BoxCopy {
        let line = |address| BoxPlace {
            address,
            row: 0,
            slice: 0,
        };
        BoxCopy {
            to: (to.0, line(to.1)),
            from: (from.0, line(from.1)),
            region: [bytes, 1, 1],
        }
    }

    /// Iterates over the rows: destination address, source address, and size in bytes.
    fn rows(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let bytes = self.region[0] as u64;
        let (to, from) = (self.to.1.rows(self.region), self.from.1.rows(self.region));
        to.zip(from).map(move |(to, from)| (to, from, bytes))
    }

    /// Returns true if the source and the destination overlap.
    pub(crate) fn overlaps(&self) -> bool {
        let mut read: Vec<(u64, u64)> = self.rows().map(|(_, from, n)| (from, from + n)).collect();
        read.sort_unstable();
        self.rows().any(|(to, _, bytes)| {
            let next = read.partition_point(|(_, end)| *end <= to);
            read.get(next).is_some_and(|(begin, _)| *begin < to + bytes)
        })
    }

    /// Performs the copy. Notifies the observers of `memory` of each written row. Calls `host_reads` with the address
    /// and the size of each row that is copied from device memory to application memory.
    ///
    /// # Safety
    /// The application guarantees that all bytes are accessible. Other threads and kernels may race with the copy, as
    /// on a real device; the bytes are then unspecified.
    pub(crate) unsafe fn make(&self, memory: &Memory, host_reads: fn(u64, u64)) {
        for (to, from, bytes) in self.rows() {
            if self.from.0 == TransferSide::Device && self.to.0 == TransferSide::Host {
                host_reads(from, bytes);
            }
            // SAFETY: the caller guarantees accessible bytes.
            unsafe {
                std::ptr::copy(
                    std::ptr::with_exposed_provenance::<u8>(from as usize),
                    std::ptr::with_exposed_provenance_mut::<u8>(to as usize),
                    bytes as usize,
                );
            }
            memory.wrote(to, bytes);
        }
    }
}

/// Fills `bytes` bytes at `to` with a repeated pattern.
///
/// # Safety
/// Same as [`BoxCopy::make`].
pub(crate) unsafe fn fill(memory: &Memory, to: u64, pattern: &[u8], bytes: usize) {
    let start = std::ptr::with_exposed_provenance_mut::<u8>(to as usize);
    // SAFETY: the caller guarantees accessible bytes. Each copy reads bytes that were filled before.
    unsafe {
        let mut done = pattern.len().min(bytes);
        std::ptr::copy(pattern.as_ptr(), start, done);
        while done < bytes {
            let next = done.min(bytes - done);
            std::ptr::copy(start, start.add(done), next);
            done += next;
        }
    }
    memory.wrote(to, bytes as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_copied_row_by_row() {
        let from: Vec<u8> = (0..64).collect();
        let mut to = vec![0u8; 64];
        let address = |bytes: *const u8| bytes.expose_provenance() as u64;
        // Copies 2 bytes of each of 3 rows in 2 slices, starting at (1, 0, 1), to the origin of a box without padding.
        // The source has a row pitch of 4 bytes and a slice pitch of 16.
        let copy = BoxCopy {
            to: (
                TransferSide::Host,
                BoxPlace::new(address(to.as_mut_ptr()), [0; 3], [2, 3, 2], 0, 0),
            ),
            from: (
                TransferSide::Host,
                BoxPlace::new(address(from.as_ptr()), [1, 0, 1], [2, 3, 2], 4, 16),
            ),
            region: [2, 3, 2],
        };
        // SAFETY: both boxes lie within the vectors.
        unsafe { copy.make(&Memory::new(), |_, _| ()) };
        assert_eq!(
            to[..13],
            [17, 18, 21, 22, 25, 26, 33, 34, 37, 38, 41, 42, 0]
        );
    }

    #[test]
    fn a_pattern_is_repeated() {
        let mut to = [9u8; 12];
        let address = to.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: the bytes belong to the array.
        unsafe { fill(&Memory::new(), address, &[1, 2], 10) };
        assert_eq!(to, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 9, 9]);
    }
}
