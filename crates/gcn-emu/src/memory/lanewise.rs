//! Per-lane accesses to an allocation, where each lane has its own address.
//!
//! This is one of the modules that may use `unsafe`, for the reason given in `memory.rs`.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

use super::layout::ALIGNMENT;
use super::region::Region;
use super::{DWORD, Memory};
#[cfg(target_arch = "x86_64")]
use crate::lanes;
use crate::lanes::{LANES, Lanes, Level, active, at_each_level, keep_if, level, signs};

/// Mask that aligns an address to a dword.
const ALIGNED: u32 = !(DWORD as u32 - 1);

/// Addresses of all lanes.
#[derive(Clone, Copy)]
pub enum Addresses<'a> {
    /// Explicit addresses.
    Each(&'a [u64; LANES]),
    /// Sums of 64-bit register pairs and a base.
    Pairs([&'a Lanes; 2], u64),
}

impl Addresses<'_> {
    /// Address of a lane.
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
/// Computes the offsets of addresses from `base`. Returns true if no active lane's offset exceeds `last` or has a bit
/// of `low` set.
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

/// Converts byte offsets to element indices (right shift by `shift`) and adds `add`.
fn numbers(shift: u32, add: u32, places: &mut Lanes) {
    for place in &mut places.0 {
        *place = (*place >> shift).wrapping_add(add);
    }
}

/// Adds `base` to register pairs. Returns true if no active lane's sum exceeds `last` or has a bit of `low` set.
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

/// Extracts elements smaller than a dword from the dwords that contain them.
fn elements(places: &Lanes, keep: u32, dwords: &mut Lanes) {
    for (dword, &place) in dwords.0.iter_mut().zip(&places.0) {
        *dword = *dword >> ((place & 3) * u8::BITS) & keep;
    }
}
}

/// Prefetches the row of dwords at a guest address, mapped or not.
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
        // SAFETY: a prefetch of unmapped memory has no effect.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Part of an allocation in which offsets fit in a signed 32-bit integer.
pub(crate) struct RegionPart<'a> {
    region: Region<'a>,
    /// Offset of the part, a multiple of [`ALIGNMENT`].
    origin: u64,
    /// Length in bytes.
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

    /// Address of an offset.
    pub(crate) fn address(&self, place: u32) -> u64 {
        self.base() + u64::from(place)
    }

    /// Prefetches the memory `stride` bytes after the offsets of every 16th lane, since a host cache line holds 16
    /// dwords.
    #[inline]
    pub(crate) fn prefetch(&self, places: &Lanes, stride: u64) {
        for &place in places.0.iter().step_by(16) {
            prefetch_line(self.address(place).wrapping_add(stride));
        }
    }

    /// Loads consecutive dwords, one per register, at the active lanes' in-bounds offsets masked with `kept`. Returns
    /// `None` if there are too many registers.
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
            // SAFETY: the host supports the level's instructions, and `len` bytes are readable.
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

    /// Dword at an in-bounds offset, which may be unaligned.
    fn dword(&self, place: u32) -> u32 {
        let aligned = |place: u32| {
            let at = self.pointer(place & ALIGNED);
            // SAFETY: a byte of the dword is in bounds, so all of it is in the backing, which has larger alignment
            // and consists of larger units; all accesses to the backing are atomic.
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

    /// Stores the active lanes' elements as in [`Memory::scatter`], at in-bounds offsets with the alignment that the
    /// host needs.
    fn scatter(&self, places: &Lanes, bytes: u64, exec: u64, from: &[Lanes]) {
        let base = self.pointer(0);
        #[cfg(target_arch = "x86_64")]
        if bytes >= DWORD && level() != Level::Baseline {
            // SAFETY: the host supports the level's instructions; the elements are in bounds.
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
                // SAFETY: the element is in bounds and aligned to its size, at most to dwords, and has one dword per
                // register; all accesses to the backing are atomic.
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
    /// Part of the region that extends about a gigabyte to either side of the byte at `offset`, or the whole region
    /// if it is smaller than 2 GiB.
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
    /// Loads an element for each active lane: one dword per register, or 1 or 2 bytes, zero-extended. Returns `None`
    /// and loads nothing unless all elements are mapped in one allocation and aligned to their size or, if larger than
    /// a dword, to 4 bytes.
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

    /// Stores an element for each active lane, in lane order: the low 1, 2 or 4 bytes of a single register, or one
    /// dword per register. Returns `None` and stores nothing unless all elements are mapped in one allocation and
    /// aligned. Elements of 1 or 2 bytes must be aligned to their size, others to `aligned` bytes, or to 4 bytes on
    /// hosts without unaligned vector stores.
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

    /// Finds the part of an allocation that contains the elements of all active lanes, and writes their offsets to
    /// `into`. Returns `None` if no part contains them all or an element is not aligned to `alignment`.
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

    /// Finds the allocation that contains the active lanes' elements of 4 or 8 bytes, and writes the elements' indices
    /// in the allocation to `into`; values of inactive lanes are unspecified. Returns `None` unless one allocation
    /// contains all elements, aligned to their size.
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
