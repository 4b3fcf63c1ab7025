//! Accesses of a wave's lanes to an allocation: each lane's element is at an address of its own.
//!
//! This is one of the modules that may use `unsafe`, for the reason that `memory.rs` gives.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

use super::layout::ALIGNMENT;
use super::region::Region;
use super::{DWORD, Memory};
#[cfg(target_arch = "x86_64")]
use crate::lanes;
use crate::lanes::{LANES, Lanes, Level, active, at_each_level, keep_if, level, signs};

/// The bits of an address that an aligned dword has.
const ALIGNED: u32 = !(DWORD as u32 - 1);

/// An address for each lane.
#[derive(Clone, Copy)]
pub enum Addresses<'a> {
    /// These.
    Each(&'a [u64; LANES]),
    /// Pairs of dwords, to which a number is added.
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
/// Distances of addresses from `base`; and true if no active lane's is more than `last`, nor has one of the low bits.
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

/// Numbers of elements before each place, by the bits of their size, with a number added.
fn numbers(shift: u32, add: u32, places: &mut Lanes) {
    for place in &mut places.0 {
        *place = (*place >> shift).wrapping_add(add);
    }
}

/// Sums of pairs of dwords and a number; and true if no active lane's is more than `last`, nor has one of the low bits.
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

/// Rests of dwords at an element's place in them.
fn elements(places: &Lanes, keep: u32, dwords: &mut Lanes) {
    for (dword, &place) in dwords.0.iter_mut().zip(&places.0) {
        *dword = *dword >> ((place & 3) * u8::BITS) & keep;
    }
}
}

/// Has the host fetch the row of dwords at an address of guest memory, whether or not it is mapped.
#[inline]
pub(crate) fn prefetch_row(address: u64) {
    for line in (0..size_of::<Lanes>() as u64).step_by(64) {
        prefetch_line(address.wrapping_add(line));
    }
}

/// Prefetches the cache line that contains a guest address.
#[inline]
fn prefetch_line(address: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = std::ptr::with_exposed_provenance::<i8>(address as usize);
        // SAFETY: fetching ahead does nothing where there is no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// A part of an allocation, at most as long as a place can say that is a number with sign.
pub(crate) struct RegionPart<'a> {
    region: Region<'a>,
    /// First address, a multiple of [`ALIGNMENT`].
    origin: u64,
    /// Bytes.
    len: u32,
}

impl RegionPart<'_> {
    /// First address.
    fn base(&self) -> u64 {
        self.region.base() + self.origin
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
        for &place in places.0.iter().step_by(16) {
            prefetch_line(self.address(place).wrapping_add(stride));
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
            // SAFETY: the host has the level's instructions; `len` bytes are there.
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

impl<'a> Region<'a> {
    /// The part that has the byte at `offset` and what is a gigabyte around it, or all.
    #[inline]
    fn part(self, offset: u64) -> RegionPart<'a> {
        const LONGEST: u64 = i32::MAX as u64;
        let origin = if self.len() <= LONGEST {
            0
        } else {
            offset.saturating_sub(LONGEST / 2) / ALIGNMENT * ALIGNMENT
        };
        RegionPart {
            region: self,
            origin,
            len: (self.len() - origin).min(LONGEST) as u32,
        }
    }
}

impl Memory {
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
    ) -> Option<RegionPart<'_>> {
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

    /// The allocation that has the active lanes' elements of 4 or 8 bytes, and in `into` their numbers there, those of other
    /// lanes being anything. Nothing if they are not all in one, and aligned to their size.
    pub fn indices(
        &self,
        addresses: Addresses<'_>,
        bytes: u64,
        exec: u64,
        into: &mut Lanes,
    ) -> Option<Region<'_>> {
        let part = self.places(addresses, bytes, bytes, exec, into)?;
        let first = part.origin / bytes;
        u32::try_from(first + u64::from(part.len) / bytes).ok()?;
        numbers(bytes.trailing_zeros(), first as u32, into);
        Some(part.region)
    }
}
