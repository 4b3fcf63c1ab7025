//! Elements of lanes in memory that a thread has for itself: loads and stores of LDS.
//!
//! Programs read rows and columns of matrices, so that lanes next to each other have one place, or follow each other.
//! On hosts with AVX-512 those are told apart, vector by vector, from the rest, which the host's own gathers and scatters
//! do.
//!
//! This is one of the modules that may use `unsafe`: what those instructions reach has been found to be inside.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;

use super::{Lanes, active, are_below};
#[cfg(target_arch = "x86_64")]
use super::{Level, level};

/// Bytes of a dword.
const DWORD: usize = 4;

/// Elements of whole dwords in memory, for each lane where a register, of addresses, and offsets say.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'a> {
    /// What is added to the register for each of the lane's elements.
    pub offsets: &'a [u32],
    /// The bits of the sums that are kept: all between two.
    pub mask: u32,
    /// Dwords of an element.
    pub dwords: usize,
    /// The lanes that have elements.
    pub exec: u64,
}

impl Elements<'_> {
    /// Loads the elements from `bytes`, where the register with this number says, a register for each of their dwords from
    /// number `into` on. Nothing, and nothing has been loaded, if any is not inside, or a register is not there.
    #[inline]
    pub(crate) fn gather(
        self,
        bytes: &[u8],
        registers: &mut [Lanes],
        register: usize,
        into: usize,
    ) -> Option<()> {
        #[cfg(target_arch = "x86_64")]
        if level() == Level::Avx512 {
            // SAFETY: the host has the level's features.
            return unsafe {
                match self.dwords {
                    1 => avx512::gather::<1>(&self, bytes, registers, register, into),
                    2 => avx512::gather::<2>(&self, bytes, registers, register, into),
                    3 => avx512::gather::<3>(&self, bytes, registers, register, into),
                    4 => avx512::gather::<4>(&self, bytes, registers, register, into),
                    _ => None,
                }
            };
        }
        // The register may be one of those that are loaded.
        let addresses = *registers.get(register)?;
        self.are_inside(&addresses, bytes.len(), self.dwords * DWORD)?;
        let registers = registers.get_mut(into..into + self.offsets.len() * self.dwords)?;
        for lane in active(self.exec) {
            let registers = registers.chunks_exact_mut(self.dwords);
            for (&offset, registers) in self.offsets.iter().zip(registers) {
                let at = self.place(&addresses, lane, offset);
                let dwords = bytes[at..].as_chunks::<DWORD>().0;
                for (register, dword) in registers.iter_mut().zip(dwords) {
                    register.0[lane] = u32::from_le_bytes(*dword);
                }
            }
        }
        Some(())
    }

    /// Loads the elements from `len` bytes of memory that threads share, a register for each of their dwords. Nothing, and
    /// nothing has been loaded, if any is not inside, or there are too many registers.
    ///
    /// # Safety
    /// The host has AVX-512; that many bytes are there.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) unsafe fn load(
        self,
        addresses: &Lanes,
        bytes: *const u8,
        len: usize,
        into: &mut [Lanes],
    ) -> Option<()> {
        // SAFETY: the caller vouches for them.
        unsafe {
            match self.dwords {
                1 => avx512::load::<1>(&self, addresses, bytes, len, into),
                2 => avx512::load::<2>(&self, addresses, bytes, len, into),
                3 => avx512::load::<3>(&self, addresses, bytes, len, into),
                4 => avx512::load::<4>(&self, addresses, bytes, len, into),
                _ => None,
            }
        }
    }

    /// Stores the elements to `bytes`, where the register with this number says, lanes in ascending order, each from a
    /// register for each of its dwords, from the number in `from` on, or the low `part` bytes of the one register. Nothing, and nothing has been stored, if any is
    /// not inside, or a register is not there.
    #[inline]
    pub(crate) fn scatter(
        self,
        bytes: &mut [u8],
        registers: &[Lanes],
        register: usize,
        from: &[usize],
        part: Option<usize>,
    ) -> Option<()> {
        #[cfg(target_arch = "x86_64")]
        if part.is_none() && level() == Level::Avx512 {
            // SAFETY: the host has the level's features.
            let stored = unsafe {
                match self.dwords {
                    1 => avx512::scatter::<1>(&self, bytes, registers, register, from),
                    2 => avx512::scatter::<2>(&self, bytes, registers, register, from),
                    4 => avx512::scatter::<4>(&self, bytes, registers, register, from),
                    _ => Stored::NotInOrder,
                }
            };
            match stored {
                Stored::All => return Some(()),
                Stored::Nothing => return None,
                Stored::NotInOrder => {}
            }
        }
        self.scatter_each(bytes, registers, register, from, part)
    }

    /// [`Elements::scatter`], one element after the other.
    fn scatter_each(
        self,
        bytes: &mut [u8],
        registers: &[Lanes],
        register: usize,
        from: &[usize],
        part: Option<usize>,
    ) -> Option<()> {
        let size = part.unwrap_or(self.dwords * DWORD);
        let addresses = registers.get(register)?;
        self.are_inside(addresses, bytes.len(), size)?;
        let are_there = |&from: &usize| from + self.dwords <= registers.len();
        if !from.iter().all(are_there) {
            return None;
        }
        for lane in active(self.exec) {
            for (&offset, &from) in self.offsets.iter().zip(from) {
                let element = &mut bytes[self.place(addresses, lane, offset)..][..size];
                let (dwords, rest) = element.as_chunks_mut::<DWORD>();
                for (dword, register) in dwords.iter_mut().zip(&registers[from..]) {
                    *dword = register.0[lane].to_le_bytes();
                }
                for (byte, low) in rest.iter_mut().zip(registers[from].0[lane].to_le_bytes()) {
                    *byte = low;
                }
            }
        }
        Some(())
    }

    /// Where an element of a lane is.
    fn place(&self, addresses: &Lanes, lane: usize, offset: u32) -> usize {
        (addresses.0[lane].wrapping_add(offset) & self.mask) as usize
    }

    /// Whether all elements of so many bytes are inside of `len` bytes.
    fn are_inside(&self, addresses: &Lanes, len: usize, size: usize) -> Option<()> {
        let last = u32::try_from(len.checked_sub(size)?).ok()?;
        let are_inside = |&offset| are_below(addresses, offset, self.mask, self.exec, last);
        self.offsets.iter().all(are_inside).then_some(())
    }
}

/// What became of a store.
#[cfg(target_arch = "x86_64")]
enum Stored {
    /// It is done.
    All,
    /// It cannot be done.
    Nothing,
    /// The elements have to be stored one after the other.
    NotInOrder,
}
