//! Elements of lanes in memory: loads and stores of LDS, which a thread has for itself, and loads of what threads share.
//!
//! Programs read rows and columns of matrices, so that lanes next to each other have one place, or follow each other, or are
//! near each other. On hosts with AVX-512 those are told apart from the rest, which the host's own gathers and scatters do.
//!
//! This is one of the modules that may use `unsafe`: what those instructions reach has been found to be inside.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;

use super::{Lanes, active, are_below};
#[cfg(target_arch = "x86_64")]
use super::{Level, level};

/// Bytes of a dword.
const DWORD: usize = 4;

/// Elements of whole dwords in memory, for each lane where a register and offsets say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Elements {
    /// Number of the register.
    pub addresses: u8,
    /// What is added to it for each of the lane's elements.
    pub offsets: [u32; 2],
    /// How many of those there are.
    pub count: u8,
    /// The bits of the sums that are kept: all between two.
    pub mask: u32,
    /// Dwords of an element.
    pub dwords: u8,
    /// The number of the first register of data for each of the lane's elements; those that are loaded are all behind the
    /// first.
    pub data: [u8; 2],
}

/// Loads the elements of some lanes from bytes, a register for each of their dwords. Nothing, and nothing has been loaded,
/// if any is not inside, or a register is not there.
pub(crate) type Gather = fn(&Elements, u64, &[u8], &mut [Lanes]) -> Option<()>;

impl Elements {
    /// What loads them on this host.
    pub(crate) fn gather(&self) -> Gather {
        #[cfg(target_arch = "x86_64")]
        if level() == Level::Avx512 {
            macro_rules! gather {
                ($dwords:literal, $count:literal) => {
                    |elements, exec, bytes, registers| {
                        // SAFETY: the host has the level's features.
                        unsafe {
                            avx512::gather::<$dwords, $count>(elements, exec, bytes, registers)
                        }
                    }
                };
            }
            match (self.dwords, self.count) {
                (1, 1) => return gather!(1, 1),
                (1, 2) => return gather!(1, 2),
                (2, 1) => return gather!(2, 1),
                (2, 2) => return gather!(2, 2),
                (3, 1) => return gather!(3, 1),
                (4, 1) => return gather!(4, 1),
                _ => {}
            }
        }
        Elements::gather_each
    }

    /// What is added for each of the lane's elements.
    fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.count.into()).unwrap_or_default()
    }

    /// [`Elements::gather`], one element after the other.
    fn gather_each(&self, exec: u64, bytes: &[u8], registers: &mut [Lanes]) -> Option<()> {
        let dwords = usize::from(self.dwords);
        // The register may be one of those that are loaded.
        let addresses = *registers.get(usize::from(self.addresses))?;
        self.are_inside(exec, &addresses, bytes.len(), dwords * DWORD)?;
        let into = usize::from(self.data[0]);
        let registers = registers.get_mut(into..into + self.offsets().len() * dwords)?;
        for lane in active(exec) {
            let registers = registers.chunks_exact_mut(dwords);
            for (&offset, registers) in self.offsets().iter().zip(registers) {
                let at = self.place(&addresses, lane, offset);
                let dwords = bytes[at..].as_chunks::<DWORD>().0;
                for (register, dword) in registers.iter_mut().zip(dwords) {
                    register.0[lane] = u32::from_le_bytes(*dword);
                }
            }
        }
        Some(())
    }

    /// Stores the elements of the lanes in `exec` to `bytes`, lanes in ascending order, each from a register for each of its
    /// dwords, or the low `part` bytes of the one register. Nothing, and nothing has been stored, if any is not inside, or
    /// a register is not there.
    #[inline]
    pub(crate) fn scatter(
        &self,
        exec: u64,
        bytes: &mut [u8],
        registers: &[Lanes],
        part: Option<usize>,
    ) -> Option<()> {
        #[cfg(target_arch = "x86_64")]
        if part.is_none() && level() == Level::Avx512 {
            // SAFETY: the host has the level's features.
            let stored = unsafe {
                match self.dwords {
                    1 => avx512::scatter::<1>(self, exec, bytes, registers),
                    2 => avx512::scatter::<2>(self, exec, bytes, registers),
                    4 => avx512::scatter::<4>(self, exec, bytes, registers),
                    _ => Stored::NotInOrder,
                }
            };
            match stored {
                Stored::All => return Some(()),
                Stored::Nothing => return None,
                Stored::NotInOrder => {}
            }
        }
        self.scatter_each(exec, bytes, registers, part)
    }

    /// [`Elements::scatter`], one element after the other.
    fn scatter_each(
        &self,
        exec: u64,
        bytes: &mut [u8],
        registers: &[Lanes],
        part: Option<usize>,
    ) -> Option<()> {
        let size = part.unwrap_or(usize::from(self.dwords) * DWORD);
        let addresses = registers.get(usize::from(self.addresses))?;
        self.are_inside(exec, addresses, bytes.len(), size)?;
        let data = self.data.map(usize::from);
        let are_there = |&from: &usize| from + usize::from(self.dwords) <= registers.len();
        if !data.iter().take(self.count.into()).all(are_there) {
            return None;
        }
        for lane in active(exec) {
            for (&offset, from) in self.offsets().iter().zip(data) {
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
    fn are_inside(&self, exec: u64, addresses: &Lanes, len: usize, size: usize) -> Option<()> {
        let last = u32::try_from(len.checked_sub(size)?).ok()?;
        let are_inside = |&offset| are_below(addresses, offset, self.mask, exec, last);
        self.offsets().iter().all(are_inside).then_some(())
    }
}

/// Loads the dwords at the places of some lanes in `len` bytes, of which so many bits are kept, and those behind them, a
/// register of each. Nothing, and nothing has been loaded, if any is not inside, or there are too many registers. Threads
/// may share the bytes.
///
/// # Safety
/// The host has AVX-512; that many bytes are there.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) unsafe fn load(
    places: &Lanes,
    kept: u32,
    exec: u64,
    bytes: *const u8,
    len: usize,
    into: &mut [Lanes],
) -> Option<()> {
    // SAFETY: the caller vouches for them.
    unsafe {
        match into.len() {
            1 => avx512::load::<1>(places, kept, exec, bytes, len, into),
            2 => avx512::load::<2>(places, kept, exec, bytes, len, into),
            3 => avx512::load::<3>(places, kept, exec, bytes, len, into),
            4 => avx512::load::<4>(places, kept, exec, bytes, len, into),
            _ => None,
        }
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
