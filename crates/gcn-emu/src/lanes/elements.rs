//! Elements of lanes in memory: loads and stores of LDS, which a thread has for itself, and loads of what threads share.
//!
//! Programs read rows and columns of matrices, so that lanes next to each other have one place, or follow each other, or are
//! near each other. On hosts with AVX-512 or AVX2 `wide.rs` separates those from the rest.
//!
//! This is one of the modules that may use `unsafe`: what those instructions reach has been found to be inside.

#[cfg(target_arch = "x86_64")]
mod wide;

use super::{Lanes, active, are_below};
#[cfg(target_arch = "x86_64")]
use super::{Level, level};
#[cfg(target_arch = "x86_64")]
use wide::{avx2, avx512};

/// Bytes of a dword.
const DWORD: usize = 4;

/// Elements of whole dwords in memory, for each lane where a register and offsets say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Elements {
    /// Number of the register.
    pub addresses: u8,
    /// Distances of the lane's elements from it.
    pub offsets: [u32; 2],
    /// Number of offsets in use.
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

/// Returns what a macro makes of the host's level and of the elements' dwords and count, if vectors move such elements.
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
    /// The fastest way to load them on this host.
    pub(crate) fn gather(&self) -> Gather {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! gather {
                ($level:ident $dwords:literal $count:literal) => {
                    |elements, exec, bytes, registers| {
                        // SAFETY: the host has the level's features.
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

    /// Distances of the lane's elements.
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
        if part.is_none() {
            macro_rules! scatter {
                ($level:ident $dwords:literal $count:literal) => {
                    // SAFETY: the host has the level's features.
                    unsafe { $level::scatter::<$dwords, $count>(self, exec, bytes, registers) }
                };
            }
            by_vectors!(self, scatter);
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

    /// Address of an element of a lane.
    fn place(&self, addresses: &Lanes, lane: usize, offset: u32) -> usize {
        (addresses.0[lane].wrapping_add(offset) & self.mask) as usize
    }

    /// Some if all elements of `size` bytes are inside `len` bytes.
    fn are_inside(&self, exec: u64, addresses: &Lanes, len: usize, size: usize) -> Option<()> {
        let last = u32::try_from(len.checked_sub(size)?).ok()?;
        let are_inside = |&offset| are_below(addresses, offset, self.mask, exec, last);
        self.offsets().iter().all(are_inside).then_some(())
    }
}

/// The bytes that [`load`] takes at least.
#[cfg(target_arch = "x86_64")]
pub(crate) const LOADED: u32 = 64;

/// Loads the dwords at the places of some lanes in `len` bytes, of which the bits of a mask are kept, and those behind them, a
/// register of each, by vectors of the host's. Nothing, and nothing has been loaded, if any is not inside, there are too many
/// registers or too few bytes. Threads may share the bytes.
///
/// # Safety
/// The host has AVX2; that many bytes are there.
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
            // SAFETY: the host has the level's features; the caller vouches for the bytes.
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

/// Stores active lanes' elements, of which each register has a dword, lanes in ascending order, where places behind `bytes`
/// say, by vectors of the host's. Nothing, and nothing has been stored, if there are too many registers. Threads may share
/// the bytes.
///
/// # Safety
/// The host has AVX2; the elements are there.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn store(
    places: &Lanes,
    exec: u64,
    bytes: *mut u8,
    from: &[Lanes],
) -> Option<()> {
    macro_rules! store {
        ($dwords:literal) => {
            // SAFETY: the host has the level's features; the caller vouches for the bytes.
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    //! The host's vectors do the same as one element after the other, at each level that the host has.

    use super::*;

    /// Bytes of memory, and registers.
    const BYTES: usize = 512;
    const REGISTERS: usize = 12;
    const ROUNDS: usize = 20_000;

    type Scatter = fn(&Elements, u64, &mut [u8], &[Lanes]) -> Option<()>;

    /// Dwords of an element, elements of a lane, and what loads and stores them.
    type Moves = (u8, u8, Gather, Scatter);

    /// A level's loads and stores of elements of `$dwords` dwords, `$count` to a lane.
    macro_rules! level {
        ($module:ident, $dwords:literal, $count:literal) => {
            (
                $dwords,
                $count,
                |elements, exec, bytes, registers| {
                    // SAFETY: the host has been found to have the level's features.
                    unsafe { $module::gather::<$dwords, $count>(elements, exec, bytes, registers) }
                },
                |elements, exec, bytes, registers| {
                    // SAFETY: as above.
                    unsafe { $module::scatter::<$dwords, $count>(elements, exec, bytes, registers) }
                },
            )
        };
        ($module:ident) => {{
            let all: [Moves; 6] = [
                level!($module, 1, 1),
                level!($module, 1, 2),
                level!($module, 2, 1),
                level!($module, 2, 2),
                level!($module, 3, 1),
                level!($module, 4, 1),
            ];
            all
        }};
    }

    fn levels() -> Vec<Moves> {
        let mut levels = Vec::new();
        if is_x86_feature_detected!("avx2") {
            levels.extend(level!(avx2));
        }
        if is_x86_feature_detected!("avx512f") {
            levels.extend(level!(avx512));
        }
        levels
    }

    /// Lanes in rows, at one place, near each other and anywhere, some of them not inside.
    fn addresses(random: &mut impl FnMut() -> u32, size: u32) -> Lanes {
        let (kind, start) = (random() % 8, random() % BYTES as u32);
        let row = [4, 8, 16, 32, 64][random() as usize % 5];
        let mut lanes = Lanes::ZERO;
        for (lane, place) in (0..).zip(&mut lanes.0) {
            let start = if kind < 6 { start & !3 } else { start };
            *place = match kind {
                0 => start,
                1 => start % 64 + lane % row * size,
                2 => start % 64 + lane * size,
                3 => start % 64 + lane / row * 4,
                4 => start % 128 + random() % 32 * 4,
                5 => (random() % (BYTES as u32 - 16)) & !3,
                6 => start.wrapping_sub(64).wrapping_add(random() % 64),
                _ => random() % (BYTES as u32 + 8),
            };
        }
        lanes
    }

    #[test]
    fn vectors_load_and_store_what_single_moves_do() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u32
        };
        let levels = levels();
        let (mut loaded, mut stored) = (0, 0);
        for round in 0..ROUNDS {
            let Some(&(dwords, count, gather, scatter)) = levels.get(round % levels.len().max(1))
            else {
                return;
            };
            let mut registers = vec![Lanes::ZERO; REGISTERS];
            for register in &mut registers {
                register.0.fill_with(&mut random);
            }
            registers[0] = addresses(&mut random, u32::from(dwords) * DWORD as u32);
            let mut bytes: Vec<u8> = (0..BYTES).map(|_| random() as u8).collect();
            bytes.truncate([BYTES, BYTES - 3, 60][random() as usize % 3]);
            let first = random() as u8 % 5;
            let elements = Elements {
                addresses: 0,
                offsets: [random() % 3 * 4, random() % 64 * 4],
                count,
                mask: [0xffff, 0xfffc, 0xf8, !0][random() as usize % 4],
                dwords,
                data: [first, random() as u8 % 9],
            };
            let exec = match random() % 4 {
                0 => u64::from(random()) << 32 | u64::from(random()),
                1 => u64::from(random() & random()) << (random() % 33),
                _ => u64::MAX,
            };

            let (mut by_vectors, mut by_each) = (registers.clone(), registers.clone());
            let done = gather(&elements, exec, &bytes, &mut by_vectors);
            let expected = elements.gather_each(exec, &bytes, &mut by_each);
            assert_eq!(done, expected, "{elements:?} {exec:#x}");
            assert!(by_vectors == by_each, "{elements:?} {exec:#x}");
            loaded += u32::from(done.is_some());

            let (mut by_vectors, mut by_each) = (bytes.clone(), bytes.clone());
            let done = scatter(&elements, exec, &mut by_vectors, &registers);
            let expected = elements.scatter_each(exec, &mut by_each, &registers, None);
            assert_eq!(done, expected, "{elements:?} {exec:#x}");
            stored += u32::from(done.is_some());
            assert!(by_vectors == by_each, "{elements:?} {exec:#x}");
        }
        assert!(loaded > 5_000 && stored > 5_000, "{loaded} {stored}");
    }
}
