//! Bytes of an allocation or a registered host range.
//!
//! This is one of the modules that may use `unsafe`, for the reason given in `memory.rs`.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::lanes::LANES;
#[cfg(target_arch = "x86_64")]
use crate::lanes::{Lanes, Level, level};

/// Size of a copy unit in bytes.
const UNIT: usize = size_of::<AtomicU64>();

/// Bytes at host addresses that remain accessible for `'a`.
///
/// Once the allocation has been freed, the bytes may belong to another one. An access after the free may read the new
/// contents, but does not fault on the host.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    base: u64,
    len: u64,
    memory: PhantomData<&'a [AtomicU8]>,
}

macro_rules! accessors {
    ($($load:ident $store:ident $update:ident $Atomic:ty, $Int:ty;)*) => {$(
        /// Loads from `offset`, which must be in bounds and may be unaligned.
        #[inline(always)]
        pub(super) fn $load(self, offset: u64) -> $Int {
            if (self.base + offset) % size_of::<$Int>() as u64 != 0 {
                let mut bytes = [0; size_of::<$Int>()];
                self.read(offset, &mut bytes);
                return <$Int>::from_le_bytes(bytes);
            }
            // SAFETY: the caller has checked that the bytes are in bounds and the address is aligned, and all
            // accesses are atomic.
            unsafe { (*self.pointer(offset).cast::<$Atomic>()).load(Relaxed) }
        }

        /// Stores to `offset`, which must be in bounds and may be unaligned.
        #[inline(always)]
        pub(super) fn $store(self, offset: u64, value: $Int) {
            if (self.base + offset) % size_of::<$Int>() as u64 != 0 {
                self.write(offset, &value.to_le_bytes());
                return;
            }
            // SAFETY: as for the load.
            unsafe { (*self.pointer(offset).cast::<$Atomic>()).store(value, Relaxed) };
        }

        /// Atomically replaces the value at the in-bounds `offset` with the result of `new` and returns the old value;
        /// `None` if the address is misaligned.
        #[inline(always)]
        pub(super) fn $update(self, offset: u64, new: impl Fn($Int) -> $Int) -> Option<$Int> {
            if (self.base + offset) % size_of::<$Int>() as u64 != 0 {
                return None;
            }
            // SAFETY: as for the load.
            let cell = unsafe { &*self.pointer(offset).cast::<$Atomic>() };
            let mut old = cell.load(Relaxed);
            while let Err(now) = cell.compare_exchange_weak(old, new(old), Relaxed, Relaxed) {
                old = now;
            }
            Some(old)
        }
    )*};
}

impl<'a> Region<'a> {
    /// Creates the region of `len` bytes at `base`.
    ///
    /// # Safety
    /// The bytes must be accessible for `'a`, including the rest of the aligned 8-byte units that they touch. All
    /// accesses must be atomic or in assembly.
    #[inline(always)]
    pub(super) unsafe fn new(base: u64, len: u64) -> Region<'a> {
        Region {
            base,
            len,
            memory: PhantomData,
        }
    }

    /// First address.
    #[inline(always)]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Length in bytes.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)] // Empty allocations need no special handling.
    pub fn len(&self) -> u64 {
        self.len
    }

    #[inline(always)]
    pub(super) fn pointer(&self, offset: u64) -> *const u8 {
        std::ptr::with_exposed_provenance(self.base.wrapping_add(offset) as usize)
    }

    /// Byte at `offset`, which must be below `len`.
    fn byte(&self, offset: u64) -> &'a AtomicU8 {
        assert!(
            offset < self.len,
            "offset {offset} is beyond {} bytes",
            self.len
        );
        // SAFETY: the offset is in bounds, bytes need no alignment, and all accesses are atomic.
        unsafe { &*self.pointer(offset).cast::<AtomicU8>() }
    }

    /// True if `bytes` bytes at `offset` are in bounds and dword-aligned.
    #[inline(always)]
    fn has_dwords(&self, offset: u64, bytes: usize) -> bool {
        offset <= self.len
            && bytes as u64 <= self.len - offset
            && (self.base + offset).is_multiple_of(size_of::<u32>() as u64)
    }

    /// Loads dwords. Returns `None` unless all are in bounds and aligned.
    #[inline(always)]
    pub fn read_dwords(&self, offset: u64, into: &mut [u32]) -> Option<()> {
        if !self.has_dwords(offset, size_of_val(into)) {
            return None;
        }
        let cells = self.pointer(offset);
        #[cfg(target_arch = "x86_64")]
        if !into.is_empty() && into.len().is_multiple_of(LANES) && level() != Level::Baseline {
            for (row, into) in into.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                let cells = cells.wrapping_add(row * size_of::<Lanes>());
                // SAFETY: the host supports the level's instructions; all dwords are in bounds, and `into` has as
                // many.
                unsafe { super::vectors::copy_lanes(cells, into.as_mut_ptr().cast()) };
            }
            return Some(());
        }
        // Loads two at a time where alignment permits.
        if (self.base + offset).is_multiple_of(UNIT as u64) && into.len().is_multiple_of(2) {
            for (i, pair) in into.chunks_exact_mut(2).enumerate() {
                // SAFETY: all dwords are in bounds, pairs are aligned here, and all accesses are atomic.
                let both = unsafe { (*cells.cast::<AtomicU64>().add(i)).load(Relaxed) };
                pair[0] = both as u32;
                pair[1] = (both >> 32) as u32;
            }
        } else {
            for (i, dword) in into.iter_mut().enumerate() {
                // SAFETY: as above, for single dwords.
                *dword = unsafe { (*cells.cast::<AtomicU32>().add(i)).load(Relaxed) };
            }
        }
        Some(())
    }

    /// Stores dwords. Returns `None` and stores nothing unless all are in bounds and aligned.
    #[inline(always)]
    pub fn write_dwords(&self, offset: u64, from: &[u32]) -> Option<()> {
        if !self.has_dwords(offset, size_of_val(from)) {
            return None;
        }
        let cells = self.pointer(offset);
        #[cfg(target_arch = "x86_64")]
        if !from.is_empty() && from.len().is_multiple_of(LANES) && level() != Level::Baseline {
            for (row, from) in from.as_chunks::<LANES>().0.iter().enumerate() {
                let cells = cells.wrapping_add(row * size_of::<Lanes>());
                // SAFETY: as for the load; the bytes are atomics, which may be modified through a shared reference.
                unsafe { super::vectors::copy_lanes(from.as_ptr().cast(), cells.cast_mut()) };
            }
            return Some(());
        }
        if (self.base + offset).is_multiple_of(UNIT as u64) && from.len().is_multiple_of(2) {
            for (i, pair) in from.chunks_exact(2).enumerate() {
                let both = u64::from(pair[0]) | u64::from(pair[1]) << 32;
                // SAFETY: as for the load.
                unsafe { (*cells.cast::<AtomicU64>().add(i)).store(both, Relaxed) };
            }
        } else {
            for (i, &dword) in from.iter().enumerate() {
                // SAFETY: as for the load.
                unsafe { (*cells.cast::<AtomicU32>().add(i)).store(dword, Relaxed) };
            }
        }
        Some(())
    }

    /// Contents as 8-byte units; empty if `base` is not 8-byte aligned. The last unit may extend past the allocation.
    #[inline]
    pub fn units(&self) -> &'a [AtomicU64] {
        if !self.base.is_multiple_of(UNIT as u64) {
            return &[];
        }
        let units = self.len.div_ceil(UNIT as u64) as usize;
        // SAFETY: all units are accessible and aligned; all accesses are atomic.
        unsafe { std::slice::from_raw_parts(self.pointer(0).cast(), units) }
    }

    /// Contents as dwords; see [`Region::units`].
    #[inline]
    pub fn dwords(&self) -> &'a [AtomicU32] {
        let units = self.units();
        // SAFETY: dwords need no more alignment than units, and each unit consists of two dwords.
        unsafe { std::slice::from_raw_parts(units.as_ptr().cast(), units.len() * 2) }
    }

    pub(super) fn read(&self, offset: u64, bytes: &mut [u8]) {
        let (head, rest) = bytes.split_at_mut(self.to_whole_units(offset, bytes.len()));
        let (units, tail) = rest.as_chunks_mut::<UNIT>();
        let first = offset + head.len() as u64;
        let last = first + (units.len() * UNIT) as u64;
        for (i, byte) in (offset..).zip(head).chain((last..).zip(tail)) {
            *byte = self.byte(i).load(Relaxed);
        }
        for (unit, cell) in units.iter_mut().zip(self.units_from(first, last)) {
            *unit = cell.load(Relaxed).to_le_bytes();
        }
    }

    pub(super) fn write(&self, offset: u64, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(self.to_whole_units(offset, bytes.len()));
        let (units, tail) = rest.as_chunks::<UNIT>();
        let first = offset + head.len() as u64;
        let last = first + (units.len() * UNIT) as u64;
        for (i, &byte) in (offset..).zip(head).chain((last..).zip(tail)) {
            self.byte(i).store(byte, Relaxed);
        }
        for (unit, cell) in units.iter().zip(self.units_from(first, last)) {
            cell.store(u64::from_le_bytes(*unit), Relaxed);
        }
    }

    /// Units between two offsets with aligned addresses; empty unless `first` is below `last` and both are in bounds.
    fn units_from(&self, first: u64, last: u64) -> &'a [AtomicU64] {
        if first >= last || last > self.len {
            return &[];
        }
        let count = (last - first) as usize / UNIT;
        // SAFETY: the units are in bounds and aligned; all accesses are atomic.
        unsafe { std::slice::from_raw_parts(self.pointer(first).cast(), count) }
    }

    /// Number of bytes before the first whole unit among the `len` bytes at `offset`.
    fn to_whole_units(self, offset: u64, len: usize) -> usize {
        let address = self.base + offset;
        let missing = address.next_multiple_of(UNIT as u64) - address;
        (missing as usize).min(len)
    }

    accessors! {
        load_u8 store_u8 update_u8 AtomicU8, u8;
        load_u16 store_u16 update_u16 AtomicU16, u16;
        load_u32 store_u32 update_u32 AtomicU32, u32;
        load_u64 store_u64 update_u64 AtomicU64, u64;
    }
}
