//! Guest memory: allocations at guest addresses, shared by all threads of a run.
//!
//! This is one of the modules that may use `unsafe`: threads share guest memory, and a guest program may race
//! with itself. Every access is therefore atomic (relaxed), whatever its width, and never through a
//! reference that claims to be exclusive; or it is one of assembly, of whole vectors, which the host makes
//! of atomic parts.

mod backing;
#[cfg(target_arch = "x86_64")]
mod vectors;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

#[cfg(target_arch = "x86_64")]
use crate::lanes;
use crate::lanes::{LANES, Lanes, Level, active, at_each_level, keep_if, level, signs};
use crate::observe::{MemoryChangeKind, Observers};
use backing::Backing;

/// Where the first allocation goes: above 4 GiB, so that a truncated pointer faults.
const FIRST_ADDRESS: u64 = 0x1_0000_0000;
/// Allocations begin at multiples of this.
const ALIGNMENT: u64 = 0x1_0000;
/// Unmapped bytes behind each allocation, so that running off its end faults.
const GUARD: u64 = 0x1_0000;
/// Bytes in the unit of backing storage.
const UNIT: usize = size_of::<AtomicU64>();

/// Guest memory.
#[derive(Debug, Default)]
pub struct Memory {
    /// In ascending order of address.
    regions: Vec<Region>,
    /// For so many bytes each as [`ALIGNMENT`] says, from the first address on, the number of the one that may have some
    /// of them.
    numbers: Vec<u32>,
    /// Whether a single thread uses it.
    has_one_user: bool,
    /// They see what the host does to it.
    observers: Observers,
}

/// An allocation.
#[derive(Debug)]
pub struct Region {
    /// What the host calls it, for messages.
    pub name: String,
    /// Its first address.
    pub base: u64,
    /// Its length in bytes.
    pub len: u64,
    host_has_written: AtomicBool,
    backing: Backing,
}

/// Why memory could not be had.
#[derive(Debug, thiserror::Error)]
pub enum AllocError {
    /// The host has not so much.
    #[error("cannot allocate {bytes} bytes for {name}")]
    TooLarge {
        /// What it was for.
        name: String,
        /// How much was asked for.
        bytes: u64,
    },
}

macro_rules! accessors {
    ($($load:ident $store:ident $swap:ident $Atomic:ty, $Int:ty;)*) => {$(
        /// Loads at `address`, which must be mapped and may be unaligned.
        #[inline]
        pub fn $load(&self, address: u64) -> Option<$Int> {
            let (region, offset) = self.find(address, size_of::<$Int>() as u64)?;
            if address % size_of::<$Int>() as u64 != 0 {
                let mut bytes = [0; size_of::<$Int>()];
                region.read(offset, &mut bytes);
                return Some(<$Int>::from_le_bytes(bytes));
            }
            // SAFETY: `find` has checked that the bytes are in the backing, `address` and with it the pointer is
            // aligned, and all accesses to the backing are atomic.
            Some(unsafe { (*region.pointer(offset).cast::<$Atomic>()).load(Relaxed) })
        }

        /// Stores at `address`, which may be unaligned; nothing if it is not mapped.
        #[inline]
        pub fn $store(&self, address: u64, value: $Int) -> Option<()> {
            let (region, offset) = self.find(address, size_of::<$Int>() as u64)?;
            if address % size_of::<$Int>() as u64 != 0 {
                region.write(offset, &value.to_le_bytes());
                return Some(());
            }
            // SAFETY: as for loading.
            unsafe { (*region.pointer(offset).cast::<$Atomic>()).store(value, Relaxed) };
            Some(())
        }

        /// Replaces the value at `address` by what `new` makes of it, indivisibly, and returns the old one;
        /// nothing if `address` is not mapped or not aligned.
        #[inline]
        pub fn $swap(&self, address: u64, new: impl Fn($Int) -> $Int) -> Option<$Int> {
            let (region, offset) = self.find(address, size_of::<$Int>() as u64)?;
            if address % size_of::<$Int>() as u64 != 0 {
                return None;
            }
            // SAFETY: as for loading.
            let cell = unsafe { &*region.pointer(offset).cast::<$Atomic>() };
            let mut old = cell.load(Relaxed);
            while let Err(now) = cell.compare_exchange_weak(old, new(old), Relaxed, Relaxed) {
                old = now;
            }
            Some(old)
        }
    )*};
}

impl Memory {
    /// No memory at all.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Allocates `bytes` zero bytes and returns their address.
    ///
    /// # Errors
    /// [`AllocError`] when the host has not so much.
    pub fn allocate(&mut self, name: &str, bytes: u64) -> Result<u64, AllocError> {
        let base = self.regions.last().map_or(FIRST_ADDRESS, |last| {
            (last.base + last.len + GUARD).next_multiple_of(ALIGNMENT)
        });
        let too_large = || AllocError::TooLarge {
            name: name.to_owned(),
            bytes,
        };
        let units = usize::try_from(bytes.div_ceil(UNIT as u64)).map_err(|_| too_large())?;
        self.regions.push(Region {
            name: name.to_owned(),
            base,
            len: bytes,
            host_has_written: AtomicBool::new(false),
            backing: Backing::new(units).ok_or_else(too_large)?,
        });
        let pages = (base - FIRST_ADDRESS + bytes) / ALIGNMENT + 1;
        let number = self.regions.len() as u32 - 1;
        self.numbers.resize(pages as usize, number);
        let range = base..base + bytes;
        self.observers
            .memory_changes(MemoryChangeKind::Allocated, range, name);
        Ok(base)
    }

    /// Lets observers see what the host does to it from now on.
    pub fn observe(&mut self, observers: Observers) {
        self.observers = observers;
    }

    /// Says whether a single thread uses it from now on, so that nothing need be changed indivisibly.
    pub fn set_one_user(&mut self, has_one: bool) {
        self.has_one_user = has_one;
    }

    /// Whether a single thread uses it.
    #[inline]
    pub fn has_one_user(&self) -> bool {
        self.has_one_user
    }

    /// All allocations, in ascending order of address.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The allocation that is nearest to `address`, for messages.
    pub fn nearest(&self, address: u64) -> Option<&Region> {
        let distance = |r: &&Region| {
            if address < r.base {
                r.base - address
            } else {
                address.saturating_sub(r.base + r.len)
            }
        };
        self.regions.iter().min_by_key(distance)
    }

    /// The allocation that holds all of the `len` bytes at `address`, and the offset there.
    #[inline]
    pub fn find(&self, address: u64, len: u64) -> Option<(&Region, u64)> {
        let page = address.checked_sub(FIRST_ADDRESS)? / ALIGNMENT;
        let number = *self.numbers.get(usize::try_from(page).ok()?)?;
        let region = self.regions.get(number as usize)?;
        let offset = address.checked_sub(region.base)?;
        (offset <= region.len && len <= region.len - offset).then_some((region, offset))
    }

    /// Copies guest memory out; false if not all of it is mapped in one allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        match self.find(address, bytes.len() as u64) {
            Some((region, offset)) => {
                region.read(offset, bytes);
                true
            }
            None => false,
        }
    }

    /// Copies into guest memory for the host, which observers see; false if not all of it is mapped in one allocation.
    pub fn write(&self, address: u64, bytes: &[u8]) -> bool {
        let Some((region, offset)) = self.find(address, bytes.len() as u64) else {
            return false;
        };
        region.write(offset, bytes);
        region.host_has_written.store(true, Relaxed);
        let range = address..address + bytes.len() as u64;
        self.observers
            .memory_changes(MemoryChangeKind::Written, range, &region.name);
        true
    }

    /// [`Memory::write`] for a wave: no event of the host's.
    pub(crate) fn store_bytes(&self, address: u64, bytes: &[u8]) -> Option<()> {
        let (region, offset) = self.find(address, bytes.len() as u64)?;
        region.write(offset, bytes);
        Some(())
    }

    /// Loads consecutive dwords from `address` on; nothing if not all of them are mapped in one allocation.
    #[inline]
    pub fn load_dwords(&self, address: u64, into: &mut [u32]) -> Option<()> {
        let (region, offset) = self.find(address, size_of_val(into) as u64)?;
        if region.read_dwords(offset, into).is_none() {
            let mut row = [[0; DWORD as usize]; LANES];
            for (into, offset) in into.chunks_mut(LANES).zip((offset..).step_by(ROW)) {
                let row = &mut row[..into.len()];
                region.read(offset, row.as_flattened_mut());
                for (dword, bytes) in into.iter_mut().zip(row) {
                    *dword = u32::from_le_bytes(*bytes);
                }
            }
        }
        Some(())
    }

    /// Stores consecutive dwords from `address` on; nothing, and nothing is stored, if not all are mapped in one allocation.
    #[inline]
    pub fn store_dwords(&self, address: u64, from: &[u32]) -> Option<()> {
        let (region, offset) = self.find(address, size_of_val(from) as u64)?;
        if region.write_dwords(offset, from).is_none() {
            let mut row = [[0; DWORD as usize]; LANES];
            for (from, offset) in from.chunks(LANES).zip((offset..).step_by(ROW)) {
                let row = &mut row[..from.len()];
                for (bytes, dword) in row.iter_mut().zip(from) {
                    *bytes = dword.to_le_bytes();
                }
                region.write(offset, row.as_flattened());
            }
        }
        Some(())
    }

    /// Loads an element for each active lane, a register for each of its dwords, or 1 or 2 bytes, without sign. Nothing,
    /// and nothing has been loaded, if they are not all mapped in one allocation and aligned to their size, or to dwords.
    pub fn gather(
        &self,
        addresses: Addresses<'_>,
        bytes: u64,
        exec: u64,
        into: &mut [Lanes],
    ) -> Option<()> {
        let mut places = Lanes::ZERO;
        let part = self.places(addresses, bytes, bytes.min(DWORD), exec, &mut places)?;
        if bytes >= DWORD {
            return part.gather(&places, ALIGNED, exec, into);
        }
        let mut loaded = Lanes::ZERO;
        let keep = (1 << (bytes as u32 * u8::BITS)) - 1;
        let registers = std::slice::from_mut(&mut loaded);
        part.gather(&places, ALIGNED, exec, registers)?;
        elements(&places, keep, &mut loaded);
        into.first_mut()?.blend(&loaded, exec);
        Some(())
    }

    /// Stores an element of each active lane, lanes in ascending order: the low 1, 2 or 4 bytes of the one register, or a
    /// dword of each. Nothing, and nothing has been stored, if they are not all mapped in one allocation and `aligned`, or
    /// as the host needs it: to their size, or to dwords, where its vectors do not store these anywhere.
    pub fn scatter(
        &self,
        addresses: Addresses<'_>,
        bytes: u64,
        aligned: u64,
        exec: u64,
        from: &[Lanes],
    ) -> Option<()> {
        let mut places = Lanes::ZERO;
        let alignment = match bytes {
            DWORD.. if level() != Level::Baseline => aligned,
            _ => bytes.min(DWORD),
        };
        let part = self.places(addresses, bytes, alignment, exec, &mut places)?;
        part.scatter(&places, bytes, exec, from);
        Some(())
    }

    /// The part of an allocation that has all active lanes' elements, and where they are there. Nothing if there is none,
    /// or if one is not at a multiple of `alignment`.
    #[inline]
    pub(crate) fn places(
        &self,
        addresses: Addresses<'_>,
        bytes: u64,
        alignment: u64,
        exec: u64,
        into: &mut Lanes,
    ) -> Option<Part<'_>> {
        let first = addresses.lane(exec.trailing_zeros() as usize % LANES);
        let (region, offset) = self.find(first, bytes)?;
        let part = region.part(offset);
        let last = part.len.checked_sub(bytes as u32)?;
        let low = alignment as u32 - 1;
        let are_inside = match addresses {
            Addresses::Each(each) => behind(each, part.base(), last, low, exec, into),
            Addresses::Pairs([low_half, high_half], base) => {
                let base = base.wrapping_sub(part.base());
                pairs_behind([low_half, high_half], base, last, low, exec, into)
            }
        };
        are_inside.then_some(part)
    }

    /// Loads consecutive dwords into a register's active lanes; nothing if not all of them are mapped in one allocation.
    #[inline]
    pub fn load_row(&self, address: u64, into: &mut Lanes, exec: u64) -> Option<()> {
        if exec == u64::MAX {
            return self.load_dwords(address, &mut into.0);
        }
        let mut loaded = Lanes::ZERO;
        self.load_dwords(address, &mut loaded.0)?;
        into.blend(&loaded, exec);
        Some(())
    }

    /// Stores the active lanes' dwords to their places in consecutive ones; nothing, and nothing is stored, if not all of
    /// those, of active lanes or not, are mapped in one allocation and aligned.
    #[inline]
    pub fn store_row(&self, address: u64, from: &Lanes, exec: u64) -> Option<()> {
        if exec == u64::MAX {
            return self.store_dwords(address, &from.0);
        }
        let (region, offset) = self.find(address, size_of::<Lanes>() as u64)?;
        if !offset.is_multiple_of(size_of::<u32>() as u64) {
            return None;
        }
        let at = region.pointer(offset);
        #[cfg(target_arch = "x86_64")]
        if level() != Level::Baseline {
            // SAFETY: the host has the level's instructions; all dwords are inside.
            unsafe { vectors::store_lanes(from, at.cast_mut(), exec) };
            return Some(());
        }
        for lane in active(exec) {
            let at = at.wrapping_add(lane * size_of::<u32>());
            // SAFETY: all dwords are inside and aligned, and all accesses to the backing are atomic.
            unsafe { (*at.cast::<AtomicU32>()).store(from.0[lane], Relaxed) };
        }
        Some(())
    }

    /// The allocation that has the active lanes' elements of 4 or 8 bytes, and in `into` their numbers there, those of other
    /// lanes being anything. Nothing if they are not all in one, and aligned to their size.
    pub fn indices(
        &self,
        addresses: Addresses<'_>,
        bytes: u64,
        exec: u64,
        into: &mut Lanes,
    ) -> Option<&Region> {
        let part = self.places(addresses, bytes, bytes, exec, into)?;
        let first = part.origin / bytes;
        u32::try_from(first + u64::from(part.len) / bytes).ok()?;
        numbers(bytes.trailing_zeros(), first as u32, into);
        Some(part.region)
    }

    accessors! {
        load_u8 store_u8 update_u8 AtomicU8, u8;
        load_u16 store_u16 update_u16 AtomicU16, u16;
        load_u32 store_u32 update_u32 AtomicU32, u32;
        load_u64 store_u64 update_u64 AtomicU64, u64;
    }
}

/// Bytes of a dword.
const DWORD: u64 = size_of::<u32>() as u64;
/// Those of all lanes' dwords.
const ROW: usize = size_of::<Lanes>();
/// The bits of an address that an aligned dword has.
const ALIGNED: u32 = !(DWORD as u32 - 1);

/// An address for each lane.
#[derive(Clone, Copy)]
pub enum Addresses<'a> {
    /// These.
    Each(&'a [u64; LANES]),
    /// What pairs of dwords are, and a number is added to.
    Pairs([&'a Lanes; 2], u64),
}

impl Addresses<'_> {
    /// A lane's.
    #[inline]
    pub(crate) fn lane(&self, lane: usize) -> u64 {
        match self {
            Addresses::Each(each) => each[lane],
            Addresses::Pairs([low, high], base) => {
                let pair = u64::from(low.0[lane]) | u64::from(high.0[lane]) << u32::BITS;
                pair.wrapping_add(*base)
            }
        }
    }
}

at_each_level! {
/// How far addresses are behind `base`. Whether no active lane's is more than `last`, nor has one of the low bits.
fn behind(
    addresses: &[u64; LANES],
    base: u64,
    last: u32,
    low: u32,
    exec: u64,
    into: &mut Lanes,
) -> bool {
    let mut outside = false;
    for (lane, &address) in addresses.iter().enumerate() {
        let place = address.wrapping_sub(base);
        into.0[lane] = place as u32;
        let is_outside = (place > u64::from(last)) | (place as u32 & low != 0);
        outside |= is_outside & (exec >> lane & 1 != 0);
    }
    !outside
}

/// How many elements are before each place, by the bits of their size, with a number added.
fn numbers(shift: u32, add: u32, places: &mut Lanes) {
    for place in &mut places.0 {
        *place = (*place >> shift).wrapping_add(add);
    }
}

/// What pairs of dwords are with a number added. Whether no active lane's is more than `last`, nor has one of the low bits.
fn pairs_behind(
    pairs: [&Lanes; 2],
    base: u64,
    last: u32,
    low: u32,
    exec: u64,
    into: &mut Lanes,
) -> bool {
    let [add, add_high] = [base as u32, (base >> u32::BITS) as u32];
    let mut outside = Lanes::ZERO;
    for lane in 0..LANES {
        let place = pairs[0].0[lane].wrapping_add(add);
        let carry = u32::from(place < add);
        let high = pairs[1].0[lane].wrapping_add(add_high).wrapping_add(carry);
        into.0[lane] = place;
        outside.0[lane] = keep_if(high | place & low | u32::from(place > last));
    }
    signs(outside.0) & exec == 0
}

/// What is left of dwords at an element's place in them.
fn elements(places: &Lanes, keep: u32, dwords: &mut Lanes) {
    for (dword, &place) in dwords.0.iter_mut().zip(&places.0) {
        *dword = *dword >> ((place & 3) * u8::BITS) & keep;
    }
}
}

/// A part of an allocation, at most as long as a place can say that is a number with sign.
pub(crate) struct Part<'a> {
    region: &'a Region,
    /// Where it begins, a multiple of [`ALIGNMENT`].
    origin: u64,
    /// Its bytes.
    len: u32,
}

impl Part<'_> {
    /// Its first address.
    fn base(&self) -> u64 {
        self.region.base + self.origin
    }

    fn pointer(&self, place: u32) -> *const u8 {
        self.region.pointer(self.origin + u64::from(place))
    }

    /// The address of a place.
    pub(crate) fn address(&self, place: u32) -> u64 {
        self.base() + u64::from(place)
    }

    /// Has the host fetch what is so far behind the places of every 16th lane: as many dwords are in a line of its caches.
    #[inline]
    pub(crate) fn prefetch(&self, places: &Lanes, stride: u64) {
        #[cfg(target_arch = "x86_64")]
        for &place in places.0.iter().step_by(16) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let at = self.pointer(place).wrapping_add(stride as usize);
            // SAFETY: fetching ahead does nothing where there is no memory.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
        }
    }

    /// Loads the dwords at the active lanes' places, which are inside, and those behind them, a register of each. What is
    /// not in `kept` of a place counts for nothing. Nothing if there are too many registers.
    #[inline]
    pub(crate) fn gather(
        &self,
        places: &Lanes,
        kept: u32,
        exec: u64,
        into: &mut [Lanes],
    ) -> Option<()> {
        #[cfg(target_arch = "x86_64")]
        if level() != Level::Baseline && self.len >= lanes::LOADED {
            let (bytes, len) = (self.pointer(0), self.len as usize);
            // SAFETY: the host has the level's instructions; so many bytes are there.
            return unsafe { lanes::load(places, kept, exec, bytes, len, into) };
        }
        for lane in active(exec) {
            let places = (places.0[lane] & kept..).step_by(size_of::<u32>());
            for (place, register) in places.zip(into.iter_mut()) {
                register.0[lane] = self.dword(place);
            }
        }
        Some(())
    }

    /// The dword at a place, which is inside, aligned or not.
    fn dword(&self, place: u32) -> u32 {
        let aligned = |place: u32| {
            let at = self.pointer(place & ALIGNED);
            // SAFETY: a byte of the dword is inside, and so all of it is in the backing, which is aligned to more and made
            // of longer units; all accesses to that are atomic.
            unsafe { (*at.cast::<AtomicU32>()).load(Relaxed) }
        };
        let low = aligned(place);
        match place & !ALIGNED {
            0 => low,
            byte => {
                let both = u64::from(low) | u64::from(aligned(place + DWORD as u32)) << u32::BITS;
                (both >> (byte * u8::BITS)) as u32
            }
        }
    }

    /// Stores the active lanes' elements, see [`Memory::scatter`], to their places, which are inside and as the host needs them.
    fn scatter(&self, places: &Lanes, bytes: u64, exec: u64, from: &[Lanes]) {
        let base = self.pointer(0);
        #[cfg(target_arch = "x86_64")]
        if bytes >= DWORD && level() != Level::Baseline {
            // SAFETY: the host has the level's instructions; the elements are inside.
            let done = unsafe { lanes::store(places, exec, base.cast_mut(), from) };
            if done.is_some() {
                return;
            }
        }
        for lane in active(exec) {
            let at = base.wrapping_add(places.0[lane] as usize);
            for (n, register) in from.iter().enumerate() {
                let value = register.0[lane];
                let at = at.wrapping_add(n * size_of::<u32>());
                // SAFETY: the element is inside and aligned to its size, or to dwords, which are as many as registers; all
                // accesses to the backing are atomic.
                unsafe {
                    match bytes {
                        1 => (*at.cast::<AtomicU8>()).store(value as u8, Relaxed),
                        2 => (*at.cast::<AtomicU16>()).store(value as u16, Relaxed),
                        _ => (*at.cast::<AtomicU32>()).store(value, Relaxed),
                    }
                }
            }
        }
    }
}

impl Region {
    /// Whether the host has written any of it.
    pub fn host_has_written(&self) -> bool {
        self.host_has_written.load(Relaxed)
    }

    /// The part that has the byte at `offset` and what is a gigabyte around it, or all.
    #[inline]
    fn part(&self, offset: u64) -> Part<'_> {
        const LONGEST: u64 = i32::MAX as u64;
        let origin = if self.len <= LONGEST {
            0
        } else {
            offset.saturating_sub(LONGEST / 2) / ALIGNMENT * ALIGNMENT
        };
        Part {
            region: self,
            origin,
            len: (self.len - origin).min(LONGEST) as u32,
        }
    }

    #[inline(always)]
    fn pointer(&self, offset: u64) -> *const u8 {
        self.backing
            .as_ptr()
            .cast::<u8>()
            .wrapping_add(offset as usize)
    }

    /// A byte of the backing; `offset` must be below `len`.
    fn byte(&self, offset: u64) -> &AtomicU8 {
        assert!(offset < self.len, "offset {offset} is beyond {}", self.name);
        // SAFETY: the offset is in the backing, bytes have no alignment, all accesses are atomic.
        unsafe { &*self.pointer(offset).cast::<AtomicU8>() }
    }

    /// Whether so many bytes at `offset` are inside, and it is aligned to a dword.
    #[inline(always)]
    fn has_dwords(&self, offset: u64, bytes: usize) -> bool {
        offset <= self.len
            && bytes as u64 <= self.len - offset
            && offset.is_multiple_of(size_of::<u32>() as u64)
    }

    /// Loads dwords; nothing if they are not all inside and aligned.
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
                // SAFETY: the host has the level's instructions; all dwords are inside, and as many are in `into`.
                unsafe { vectors::copy_lanes(cells, into.as_mut_ptr().cast()) };
            }
            return Some(());
        }
        // Two at a time where they are aligned to that.
        if offset.is_multiple_of(UNIT as u64) && into.len().is_multiple_of(2) {
            for (i, pair) in into.chunks_exact_mut(2).enumerate() {
                // SAFETY: all dwords are inside; a pair of them is aligned here, and all accesses to the backing are
                // atomic.
                let both = unsafe { (*cells.cast::<AtomicU64>().add(i)).load(Relaxed) };
                pair[0] = both as u32;
                pair[1] = (both >> 32) as u32;
            }
        } else {
            for (i, dword) in into.iter_mut().enumerate() {
                // SAFETY: as above, with single dwords.
                *dword = unsafe { (*cells.cast::<AtomicU32>().add(i)).load(Relaxed) };
            }
        }
        Some(())
    }

    /// Stores dwords; nothing, and nothing is stored, if they are not all inside and aligned.
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
                // SAFETY: as for loading; the backing is made of atomics, which a shared reference may change.
                unsafe { vectors::copy_lanes(from.as_ptr().cast(), cells.cast_mut()) };
            }
            return Some(());
        }
        if offset.is_multiple_of(UNIT as u64) && from.len().is_multiple_of(2) {
            for (i, pair) in from.chunks_exact(2).enumerate() {
                let both = u64::from(pair[0]) | u64::from(pair[1]) << 32;
                // SAFETY: as for loading.
                unsafe { (*cells.cast::<AtomicU64>().add(i)).store(both, Relaxed) };
            }
        } else {
            for (i, &dword) in from.iter().enumerate() {
                // SAFETY: as for loading.
                unsafe { (*cells.cast::<AtomicU32>().add(i)).store(dword, Relaxed) };
            }
        }
        Some(())
    }

    /// The backing, of which the last unit may be longer than the allocation.
    #[inline]
    pub fn units(&self) -> &[AtomicU64] {
        &self.backing
    }

    /// The same as dwords.
    #[inline]
    pub fn dwords(&self) -> &[AtomicU32] {
        let count = self.backing.len() * (UNIT / size_of::<u32>());
        // SAFETY: all of the backing is accessed atomically only, and dwords have no greater alignment than units.
        unsafe { std::slice::from_raw_parts(self.backing.as_ptr().cast(), count) }
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) {
        let (head, rest) = bytes.split_at_mut(to_whole_units(offset, bytes.len()));
        let (units, tail) = rest.as_chunks_mut::<UNIT>();
        let first = offset + head.len() as u64;
        let last = first + (units.len() * UNIT) as u64;
        for (i, byte) in (offset..).zip(head).chain((last..).zip(tail)) {
            *byte = self.byte(i).load(Relaxed);
        }
        for (unit, backing) in units.iter_mut().zip(self.units_from(first)) {
            *unit = backing.load(Relaxed).to_le_bytes();
        }
    }

    fn write(&self, offset: u64, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(to_whole_units(offset, bytes.len()));
        let (units, tail) = rest.as_chunks::<UNIT>();
        let first = offset + head.len() as u64;
        let last = first + (units.len() * UNIT) as u64;
        for (i, &byte) in (offset..).zip(head).chain((last..).zip(tail)) {
            self.byte(i).store(byte, Relaxed);
        }
        for (unit, backing) in units.iter().zip(self.units_from(first)) {
            backing.store(u64::from_le_bytes(*unit), Relaxed);
        }
    }

    /// The units from the aligned `offset` on.
    fn units_from(&self, offset: u64) -> &[AtomicU64] {
        self.backing
            .get(offset as usize / UNIT..)
            .unwrap_or_default()
    }
}

/// How many of `len` bytes at `offset` come before the first whole unit.
fn to_whole_units(offset: u64, len: usize) -> usize {
    let missing = offset.next_multiple_of(UNIT as u64) - offset;
    (missing as usize).min(len)
}

#[cfg(test)]
mod tests;
