//! Address registers: patterns and bounds of their values, and address arithmetic.
//!
//! This is one of the modules that may use `unsafe`: functions compiled for optional host instructions are called
//! only on hosts that have them.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::Ordering::Relaxed;

use super::level::at_each_level;
#[cfg(target_arch = "x86_64")]
use super::level::{LEVEL, Level};
use super::masks::signs;
use super::register::{BIT, HALF, LANES, Lanes, keep_if};

at_each_level! {
/// True if the 64-bit values in a register pair are equal in all lanes.
pub(crate) fn are_one(low: &Lanes, high: &Lanes) -> bool {
    are_apart_by::<0>(low, high)
}

/// True if each lane's 64-bit value exceeds the previous lane's by one, without a carry into the high dword.
pub(crate) fn are_bytes(low: &Lanes, high: &Lanes) -> bool {
    are_apart_by::<1>(low, high)
}

/// [`are_bytes`] for a distance of two.
pub(crate) fn are_shorts(low: &Lanes, high: &Lanes) -> bool {
    are_apart_by::<2>(low, high)
}

/// [`are_bytes`] for a distance of one to four dwords.
pub(crate) fn are_dwords(count: u32, low: &Lanes, high: &Lanes) -> bool {
    match count {
        1 => are_apart_by::<4>(low, high),
        2 => are_apart_by::<8>(low, high),
        3 => are_apart_by::<12>(low, high),
        4 => are_apart_by::<16>(low, high),
        _ => false,
    }
}

/// Computes index × stride + offset in each lane.
pub(crate) fn sums(indices: &Lanes, stride: u32, offsets: &Lanes) -> Lanes {
    let mut sums = Lanes::ZERO;
    for (sum, (index, offset)) in sums.0.iter_mut().zip(indices.0.iter().zip(&offsets.0)) {
        *sum = index.wrapping_mul(stride).wrapping_add(*offset);
    }
    sums
}

/// Adds an offset in each lane, applies a mask, and shifts right.
pub(crate) fn places(from: &Lanes, offset: u32, mask: u32, shift: u32) -> Lanes {
    let mut places = *from;
    for place in &mut places.0 {
        *place = (place.wrapping_add(offset) & mask) >> shift;
    }
    places
}

/// True if every active lane's value, after adding an offset and applying a mask, is at most `greatest`.
pub(crate) fn are_below(numbers: &Lanes, offset: u32, mask: u32, exec: u64, greatest: u32) -> bool {
    let mut beyond = [0; LANES];
    for (beyond, number) in beyond.iter_mut().zip(&numbers.0) {
        *beyond = keep_if(u32::from(number.wrapping_add(offset) & mask > greatest));
    }
    signs(beyond) & exec == 0
}

/// True if both registers are equal in all lanes. The library's memory comparison would compare fewer bytes at a time.
pub(crate) fn are_equal(a: &Lanes, b: &Lanes) -> bool {
    let differences = a.0.iter().zip(&b.0);
    differences.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Returns the minimum and maximum over the active lanes. Without active lanes, the minimum exceeds the maximum.
pub(crate) fn reach(numbers: &Lanes, exec: u64) -> (u32, u32) {
    let (mut lowest, mut greatest) = (u32::MAX, 0);
    for half in 0..LANES / HALF {
        let active = (exec >> (half * HALF)) as u32;
        for (&number, bit) in numbers.0[half * HALF..].iter().zip(&BIT) {
            let kept = keep_if(active & bit);
            lowest = lowest.min(number | !kept);
            greatest = greatest.max(number & kept);
        }
    }
    (lowest, greatest)
}
}

#[inline(always)]
fn are_apart_by<const STRIDE: u32>(low: &Lanes, high: &Lanes) -> bool {
    let (first, same) = (low.0[0], high.0[0]);
    let mut differ = 0;
    for lane in 0..LANES {
        differ |= low.0[lane] ^ first.wrapping_add(STRIDE * lane as u32);
        differ |= high.0[lane] ^ same;
    }
    differ == 0 && first.checked_add(STRIDE * LANES as u32).is_some()
}

/// Number of lanes whose addresses are examined together, in one vector.
pub(crate) const GROUP: usize = 8;

/// Pattern of the addresses in a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressPattern {
    /// All addresses are the same.
    Same,
    /// Each address is `stride` bytes after the previous one.
    Follow,
    /// Any other pattern.
    Apart,
}

impl AddressPattern {
    /// Classifies the addresses of a group. Must be called from a function in `at_each_level`.
    #[inline(always)]
    pub(crate) fn of(group: &[u64; GROUP], stride: u64) -> AddressPattern {
        #[cfg(target_arch = "x86_64")]
        if LEVEL.load(Relaxed) == Level::Avx512 as u8 {
            // SAFETY: the host supports the level's features.
            return unsafe { pattern_avx512(group, stride) };
        }
        let differ = |stride: u64| {
            let expected = (0..).map(|n: u64| group[0].wrapping_add(stride * n));
            let differences = group.iter().zip(expected).map(|(a, b)| a ^ b);
            differences.fold(0, |all, one| all | one) != 0
        };
        if !differ(stride) {
            AddressPattern::Follow
        } else if !differ(0) {
            AddressPattern::Same
        } else {
            AddressPattern::Apart
        }
    }
}

/// Variant of [`AddressPattern::of`] using host mask instructions.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn pattern_avx512(group: &[u64; GROUP], stride: u64) -> AddressPattern {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_cmpneq_epi64_mask, _mm512_set1_epi64,
    };
    // SAFETY: both types have 64 bytes and no invalid values.
    let vector = |values: [u64; GROUP]| -> __m512i { unsafe { std::mem::transmute(values) } };
    let behind = vector(std::array::from_fn(|n| stride.wrapping_mul(n as u64)));
    let base = _mm512_set1_epi64(group[0] as i64);
    let group = vector(*group);
    if _mm512_cmpneq_epi64_mask(group, _mm512_add_epi64(base, behind)) == 0 {
        AddressPattern::Follow
    } else if _mm512_cmpneq_epi64_mask(group, base) == 0 {
        AddressPattern::Same
    } else {
        AddressPattern::Apart
    }
}
