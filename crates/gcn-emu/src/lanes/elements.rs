//! Lane elements in memory: accesses to thread-local LDS and to memory that other threads may access.
//!
//! Programs read rows and columns of matrices, so adjacent lanes often access the same, consecutive or nearby
//! addresses. On hosts with AVX-512 or AVX2, `wide.rs` separates these cases from the rest.
//!
//! This is one of the modules that may use `unsafe`: the addresses that host instructions access have been
//! bounds-checked.

mod places;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(target_arch = "x86_64")]
use super::level::{Level, level};
use super::register::{Lanes, active};
use places::DWORD;
pub use places::Elements;
#[cfg(target_arch = "x86_64")]
use wide::{avx2, avx512};

/// Function that loads the elements of selected lanes from bytes, one register per dword. Returns `None` and loads
/// nothing if an element is out of bounds or a register does not exist.
pub type Gather = fn(&Elements, u64, &[u8], &mut [Lanes]) -> Option<()>;

/// Makes the enclosing function return the expansion of `$moves` for the level in use and the elements' dwords and
/// count, if host vectors support this combination.
#[cfg(target_arch = "x86_64")]
macro_rules! by_vectors {
    ($elements:ident, $moves:ident) => {
        match level() {
            Level::Avx512 => by_vectors!($elements, $moves avx512),
            Level::Avx2 => by_vectors!($elements, $moves avx2),
            Level::Baseline => {}
        }
    };
    ($elements:ident, $moves:ident $level:ident) => {
        match ($elements.dwords, $elements.count) {
            (1, 1) => return $moves!($level 1 1),
            (1, 2) => return $moves!($level 1 2),
            (2, 1) => return $moves!($level 2 1),
            (2, 2) => return $moves!($level 2 2),
            (3, 1) => return $moves!($level 3 1),
            (4, 1) => return $moves!($level 4 1),
            _ => {}
        }
    };
}

impl Elements {
    /// Selects the load function for the level in use.
    pub fn gather(&self) -> Gather {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! gather {
                ($level:ident $dwords:literal $count:literal) => {
                    |elements, exec, bytes, registers| {
                        // SAFETY: the host supports the level's features.
                        unsafe {
                            $level::gather::<$dwords, $count>(elements, exec, bytes, registers)
                        }
                    }
                };
            }
            by_vectors!(self, gather);
        }
        Elements::gather_each
    }

    /// Variant of [`Elements::gather`] that loads one element at a time.
    fn gather_each(&self, exec: u64, bytes: &[u8], registers: &mut [Lanes]) -> Option<()> {
        let dwords = usize::from(self.dwords);
        // The loads may overwrite the address register.
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

    /// Stores the elements of the lanes in `exec` to `bytes`, in ascending lane order. An element consists of one
    /// dword per register, or of the low `part` bytes of a single register. Returns `None` and stores nothing if an
    /// element is out of bounds or a register does not exist.
    #[inline]
    pub fn scatter(
        &self,
        exec: u64,
        bytes: &mut [u8],
        registers: &[Lanes],
        part: Option<usize>,
    ) -> Option<()> {
        #[cfg(target_arch = "x86_64")]
        if part.is_none() {
            macro_rules! scatter {
                ($level:ident $dwords:literal $count:literal) => {
                    // SAFETY: the host supports the level's features.
                    unsafe { $level::scatter::<$dwords, $count>(self, exec, bytes, registers) }
                };
            }
            by_vectors!(self, scatter);
        }
        self.scatter_each(exec, bytes, registers, part)
    }

    /// Variant of [`Elements::scatter`] that stores one element at a time.
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
}

/// Minimum size of memory, in bytes, for which [`load`] is used.
#[cfg(target_arch = "x86_64")]
pub(crate) const LOADED: u32 = 64;

/// Loads consecutive dwords, one per register, at each active lane's offset masked with `kept`, using host vectors.
/// Returns `None` and loads nothing if an element is outside the `len` bytes, if there are too many registers, or if
/// the memory is too small. Other threads may access the bytes.
///
/// # Safety
/// The host must have AVX2, and `len` bytes must be readable at `bytes`.
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
    macro_rules! load {
        ($dwords:literal) => {
            // SAFETY: the host supports the level's features; the caller guarantees that the bytes are accessible.
            unsafe {
                if level() == Level::Avx512 {
                    avx512::load::<$dwords>(places, kept, exec, (bytes, len), into)
                } else {
                    avx2::load::<$dwords>(places, kept, exec, (bytes, len), into)
                }
            }
        };
    }
    match into.len() {
        1 => load!(1),
        2 => load!(2),
        3 => load!(3),
        4 => load!(4),
        _ => None,
    }
}

/// Stores the elements of active lanes, one dword per register and in ascending lane order, at their offsets from
/// `bytes`, using host vectors. Returns `None` and stores nothing if there are too many registers. Other threads may
/// access the bytes.
///
/// # Safety
/// The host must have AVX2, and the elements must be writable.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn store(
    places: &Lanes,
    exec: u64,
    bytes: *mut u8,
    from: &[Lanes],
) -> Option<()> {
    macro_rules! store {
        ($dwords:literal) => {
            // SAFETY: the host supports the level's features; the caller guarantees that the bytes are accessible.
            unsafe {
                if level() == Level::Avx512 {
                    avx512::store::<$dwords>(places, exec, bytes, from)
                } else {
                    avx2::store::<$dwords>(places, exec, bytes, from)
                }
            }
        };
    }
    match from.len() {
        1 => store!(1),
        2 => store!(2),
        3 => store!(3),
        4 => store!(4),
        _ => None,
    }
}
