//! Vectors for hosts with AVX2 but not AVX-512.
//!
//! This is one of the modules that may use `unsafe`: its callers run only on hosts with AVX2.

use std::arch::x86_64::*;

use super::super::register::{HALF, LANES, Lanes};
use super::{Vector, in_elements, in_registers, moves, operations, part, set_part};

/// Number of lanes per vector.
const WIDTH: usize = __m256i::WIDTH;

impl Vector for __m256i {
    const WIDTH: usize = 8;
    /// Lane mask in the sign bits.
    type Active = __m256i;

    operations! {
        splat(dword: u32) -> Self { _mm256_set1_epi32(dword as i32) }
        plus(self, other: Self) -> Self { _mm256_add_epi32(self, other) }
        minus(self, other: Self) -> Self { _mm256_sub_epi32(self, other) }
        and(self, other: Self) -> Self { _mm256_and_si256(self, other) }
        or(self, other: Self) -> Self { _mm256_or_si256(self, other) }
        least(self, other: Self) -> Self { _mm256_min_epu32(self, other) }
        greatest(self, other: Self) -> Self { _mm256_max_epu32(self, other) }
        in_dwords(self) -> Self { _mm256_srli_epi32::<2>(self) }
        has_any(self, bits: u32) -> bool { _mm256_testz_si256(self, Self::splat(bits)) == 0 }
        differs(self, other: Self) -> bool { _mm256_xor_si256(self, other).has_any(u32::MAX) }
        number(self) -> u32 { _mm256_cvtsi256_si32(self) as u32 }
        first(self) -> Self { _mm256_broadcastd_epi32(_mm256_castsi256_si128(self)) }
        first_of(self, active: u16) -> Self {
            _mm256_permutevar8x32_epi32(self, Self::splat(active.trailing_zeros()))
        }
        active(bits: u16) -> Self {
            selected(Self::splat(bits.into()), lane_bits(0))
        }
        kept(self, active: Self) -> Self { self.and(active) }
        blended(self, new: Self, active: Self) -> Self { blended(self, new, active) }
        picked<const BOTH: bool>(low: Self, high: Self, numbers: Self) -> Self {
            let low = _mm256_permutevar8x32_epi32(low, numbers);
            if !BOTH {
                return low;
            }
            let high = _mm256_permutevar8x32_epi32(high, numbers);
            // Moves the index bit that selects the second vector to the sign.
            low.blended(high, _mm256_slli_epi32::<28>(numbers))
        }
        at(bytes: *const u8) -> Self { vector_at(bytes) }
        or_at(self, bytes: *const u8, places: Self, active: Self) -> Self {
            dwords_at(self, bytes, places, active)
        }
        elements_at<const DWORDS: usize>(bytes: *const u8, places: Self) -> [Self; DWORDS] {
            let places: [u32; Self::WIDTH] = std::mem::transmute(places);
            let mut rows = [Self::splat(0); 4];
            if DWORDS == 2 {
                for (n, row) in rows.iter_mut().take(DWORDS).enumerate() {
                    let low = pairs_at(bytes, places[2 * n], places[2 * n + 1]);
                    let high = pairs_at(bytes, places[2 * n + 4], places[2 * n + 5]);
                    *row = _mm256_set_m128i(high, low);
                }
                let [low, high] = halves(rows[0], rows[1]);
                (rows[0], rows[1]) = (low, high);
            } else {
                for (n, row) in rows.iter_mut().enumerate() {
                    let low = quad_at(bytes.wrapping_add(places[n] as usize));
                    let high = quad_at(bytes.wrapping_add(places[n + 4] as usize));
                    *row = _mm256_set_m128i(high, low);
                }
                rows = transposed(rows);
            }
            let mut loaded = [rows[0]; DWORDS];
            for (loaded, row) in loaded.iter_mut().zip(rows) {
                *loaded = row;
            }
            loaded
        }
        in_order<const DWORDS: usize>(dwords: [Self; DWORDS]) -> [Self; DWORDS] {
            let mut elements = dwords;
            match (&dwords[..], &mut elements[..]) {
                (&[a, b], [first, second]) => {
                    let (low, high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
                    *first = _mm256_permute2x128_si256::<0x20>(low, high);
                    *second = _mm256_permute2x128_si256::<0x31>(low, high);
                }
                (&[a, b, c, d], [first, second, third, fourth]) => {
                    let [a, b, c, d] = transposed([a, b, c, d]);
                    *first = _mm256_permute2x128_si256::<0x20>(a, b);
                    *second = _mm256_permute2x128_si256::<0x20>(c, d);
                    *third = _mm256_permute2x128_si256::<0x31>(a, b);
                    *fourth = _mm256_permute2x128_si256::<0x31>(c, d);
                }
                (&[a, b, c], elements) => {
                    for (vector, element) in elements.iter_mut().enumerate() {
                        *element = of_three([a, b, c], in_registers::<Self, 3>(vector));
                    }
                }
                _ => {}
            }
            elements
        }
        taken_apart<const DWORDS: usize>(elements: [Self; DWORDS]) -> [Self; DWORDS] {
            let mut dwords = elements;
            match (&elements[..], &mut dwords[..]) {
                (&[a, b], [first, second]) => {
                    let [low, high] = halves(a, b);
                    *first = _mm256_permute4x64_epi64::<0b11_01_10_00>(low);
                    *second = _mm256_permute4x64_epi64::<0b11_01_10_00>(high);
                }
                (&[a, b, c, d], [first, second, third, fourth]) => {
                    [*first, *second, *third, *fourth] = transposed([
                        _mm256_permute2x128_si256::<0x20>(a, c),
                        _mm256_permute2x128_si256::<0x31>(a, c),
                        _mm256_permute2x128_si256::<0x20>(b, d),
                        _mm256_permute2x128_si256::<0x31>(b, d),
                    ]);
                }
                (&[a, b, c], dwords) => {
                    for (n, dwords) in dwords.iter_mut().enumerate() {
                        *dwords = of_three([a, b, c], in_elements::<Self, 3>(n));
                    }
                }
                _ => {}
            }
            dwords
        }
    }
}

moves! {
    "avx2",
    /// Loads a vector.
    vector_at __m256i ymm_reg "vmovdqu";
    /// Loads half a vector.
    quad_at __m128i xmm_reg "vmovdqu";
}

/// Gathers dwords at the active lanes' offsets; inactive lanes keep the dwords of `others`.
///
/// # Safety
/// Four bytes must be readable at the offset of each active lane.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn dwords_at(
    others: __m256i,
    bytes: *const u8,
    places: __m256i,
    active: __m256i,
) -> __m256i {
    let mut loaded = others;
    // SAFETY: the caller guarantees that the bytes are readable.
    unsafe {
        std::arch::asm!(
            "vpgatherdd {loaded}, [{bytes} + {places}], {active}",
            loaded = inout(ymm_reg) loaded,
            active = inout(ymm_reg) active => _,
            bytes = in(reg) bytes,
            places = in(ymm_reg) places,
            options(readonly, nostack, preserves_flags),
        );
    }
    loaded
}

/// Loads two pairs of dwords.
///
/// # Safety
/// Eight bytes must be readable at both offsets.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn pairs_at(bytes: *const u8, first: u32, second: u32) -> __m128i {
    let pairs;
    // SAFETY: the caller guarantees that the bytes are readable.
    unsafe {
        std::arch::asm!(
            "vmovq {pairs}, qword ptr [{bytes} + {first}]",
            "vmovhps {pairs}, {pairs}, qword ptr [{bytes} + {second}]",
            pairs = out(xmm_reg) pairs,
            bytes = in(reg) bytes,
            first = in(reg) u64::from(first),
            second = in(reg) u64::from(second),
            options(readonly, nostack, preserves_flags),
        );
    }
    pairs
}

/// Separates pairs of dwords into low dwords and high dwords. Each 128-bit half of a result has two dwords of
/// `first`, then two of `second`.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(first: __m256i, second: __m256i) -> [__m256i; 2] {
    let (first, second) = (_mm256_castsi256_ps(first), _mm256_castsi256_ps(second));
    [
        _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, second)),
        _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, second)),
    ]
}

/// Transposes the 4×4 dwords in each 128-bit half: vectors with the elements of lanes 0 and 4, 1 and 5, 2 and 6, and 3
/// and 7 become one vector per dword of the elements. The function is its own inverse.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let (ab, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let (cd, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    [
        _mm256_unpacklo_epi64(ab, cd),
        _mm256_unpackhi_epi64(ab, cd),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ]
}

/// Selects dwords by index from three vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn of_three([a, b, c]: [__m256i; 3], numbers: __m256i) -> __m256i {
    // SAFETY: the function is called only on hosts with the feature.
    unsafe {
        let both = __m256i::picked::<true>(a, b, numbers);
        let third = _mm256_permutevar8x32_epi32(c, numbers);
        // Moves the index bit that selects the third vector to the sign.
        both.blended(third, _mm256_slli_epi32::<27>(numbers))
    }
}

/// See [`Lanes::blend_in_memory`].
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::lanes) fn blend(old: &mut Lanes, new: &Lanes, exec: u64) {
    let halves = [exec as u32, (exec >> u32::BITS) as u32];
    let halves = halves.map(|half| _mm256_set1_epi32(half as i32));
    for n in 0..LANES / WIDTH {
        let active = selected(halves[n * WIDTH / HALF], lane_bits(n * WIDTH % HALF));
        set_part(old, n, blended(part(old, n), part(new, n), active));
    }
}

/// Replaces dwords where the sign of `active` is set. Written in assembly because the compiler would use masked stores,
/// as with AVX-512.
#[inline]
#[target_feature(enable = "avx2")]
fn blended(old: __m256i, new: __m256i, active: __m256i) -> __m256i {
    let mut blended = old;
    // SAFETY: the instruction only computes on registers.
    unsafe {
        std::arch::asm!(
            "vblendvps {old}, {old}, {new}, {active}",
            old = inout(ymm_reg) blended,
            new = in(ymm_reg) new,
            active = in(ymm_reg) active,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    blended
}

/// Returns all ones in lanes whose bit is set in a mask that has been broadcast to all lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn selected(mask: __m256i, bit: __m256i) -> __m256i {
    _mm256_cmpeq_epi32(_mm256_and_si256(mask, bit), bit)
}

/// Returns the bits of consecutive lanes starting at `first`, all in one half of a mask.
#[inline]
#[target_feature(enable = "avx2")]
fn lane_bits(first: usize) -> __m256i {
    let bit = |n: usize| 1 << (first + n);
    _mm256_setr_epi32(
        bit(0),
        bit(1),
        bit(2),
        bit(3),
        bit(4),
        bit(5),
        bit(6),
        bit(7),
    )
}

/// See [`crate::lanes::signs`].
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::lanes) fn signs(words: &Lanes) -> u64 {
    // Packing preserves words of all ones or zeros, and works on each 128-bit half separately.
    let half = |first: usize| {
        let word = |n: usize| part(words, first + n);
        let low = _mm256_packs_epi32(word(0), word(1));
        let high = _mm256_packs_epi32(word(2), word(3));
        let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        let bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
        u64::from(_mm256_movemask_epi8(bytes) as u32)
    };
    half(0) | half(HALF / WIDTH) << HALF
}
