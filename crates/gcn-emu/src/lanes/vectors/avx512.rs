//! Vectors for hosts with AVX-512.
//!
//! This is one of the modules that may use `unsafe`: its callers run only on hosts with AVX-512.

use std::arch::x86_64::*;

use super::super::register::{LANES, Lanes};
use super::{Vector, in_elements, in_registers, moves, operations, part, set_part};

/// Number of lanes per vector, and number of vectors per register.
const WIDTH: usize = __m512i::WIDTH;
const VECTORS: usize = LANES / WIDTH;

impl Vector for __m512i {
    const WIDTH: usize = 16;
    type Active = u16;

    operations! {
        splat(dword: u32) -> Self { _mm512_set1_epi32(dword as i32) }
        plus(self, other: Self) -> Self { _mm512_add_epi32(self, other) }
        minus(self, other: Self) -> Self { _mm512_sub_epi32(self, other) }
        and(self, other: Self) -> Self { _mm512_and_si512(self, other) }
        or(self, other: Self) -> Self { _mm512_or_si512(self, other) }
        least(self, other: Self) -> Self { _mm512_min_epu32(self, other) }
        greatest(self, other: Self) -> Self { _mm512_max_epu32(self, other) }
        in_dwords(self) -> Self { _mm512_srli_epi32::<2>(self) }
        has_any(self, bits: u32) -> bool { _mm512_test_epi32_mask(self, Self::splat(bits)) != 0 }
        differs(self, other: Self) -> bool { _mm512_cmpneq_epi32_mask(self, other) != 0 }
        number(self) -> u32 { _mm512_cvtsi512_si32(self) as u32 }
        first(self) -> Self { _mm512_broadcastd_epi32(_mm512_castsi512_si128(self)) }
        first_of(self, active: u16) -> Self { _mm512_maskz_compress_epi32(active, self).first() }
        kept(self, active: u16) -> Self { _mm512_maskz_mov_epi32(active, self) }
        blended(self, new: Self, active: u16) -> Self { blended(self, new, active) }
        picked<const BOTH: bool>(low: Self, high: Self, numbers: Self) -> Self {
            if BOTH {
                _mm512_permutex2var_epi32(low, numbers, high)
            } else {
                _mm512_permutexvar_epi32(numbers, low)
            }
        }
        at(bytes: *const u8) -> Self { vector_at(bytes) }
        or_at(self, bytes: *const u8, places: Self, active: u16) -> Self {
            dwords_at(self, bytes, places, active)
        }
        elements_at<const DWORDS: usize>(bytes: *const u8, places: Self) -> [Self; DWORDS] {
            let mut loaded = [Self::splat(0); DWORDS];
            if DWORDS == 2 {
                loaded[0] = pairs_at(bytes, _mm512_castsi512_si256(places));
                loaded[1] = pairs_at(bytes, _mm512_extracti64x4_epi64::<1>(places));
                return Self::taken_apart(loaded);
            }
            let places: [u32; Self::WIDTH] = std::mem::transmute(places);
            let mut rows = [Self::splat(0); 4];
            for (n, row) in rows.iter_mut().enumerate() {
                let quads = _mm512_castsi128_si512(quad_at(bytes, places[n]));
                let quads = _mm512_inserti32x4::<1>(quads, quad_at(bytes, places[n + 4]));
                let quads = _mm512_inserti32x4::<2>(quads, quad_at(bytes, places[n + 8]));
                *row = _mm512_inserti32x4::<3>(quads, quad_at(bytes, places[n + 12]));
            }
            for (loaded, dwords) in loaded.iter_mut().zip(transposed(rows)) {
                *loaded = dwords;
            }
            loaded
        }
        in_order<const DWORDS: usize>(dwords: [Self; DWORDS]) -> [Self; DWORDS] {
            let mut elements = dwords;
            for (vector, element) in elements.iter_mut().enumerate() {
                *element = moved(dwords, in_registers::<Self, DWORDS>(vector));
            }
            elements
        }
        taken_apart<const DWORDS: usize>(elements: [Self; DWORDS]) -> [Self; DWORDS] {
            let mut dwords = elements;
            for (n, dwords) in dwords.iter_mut().enumerate() {
                *dwords = moved(elements, in_elements::<Self, DWORDS>(n));
            }
            dwords
        }
    }

    #[inline(always)]
    unsafe fn active(bits: u16) -> u16 {
        bits
    }
}

moves! {
    "avx512f",
    /// Loads a vector.
    vector_at __m512i zmm_reg "vmovdqu64";
    /// Loads a quarter of a vector.
    fourth_at __m128i xmm_reg "vmovdqu";
}

/// Loads four dwords at an offset.
///
/// # Safety
/// Sixteen bytes must be readable at offset `place`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn quad_at(bytes: *const u8, place: u32) -> __m128i {
    // SAFETY: the caller guarantees that the bytes are readable.
    unsafe { fourth_at(bytes.wrapping_add(place as usize)) }
}

/// Gathers dwords at the active lanes' offsets; inactive lanes keep the dwords of `others`.
///
/// # Safety
/// Four bytes must be readable at the offset of each active lane.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn dwords_at(others: __m512i, bytes: *const u8, places: __m512i, active: u16) -> __m512i {
    let mut loaded = others;
    // SAFETY: the caller guarantees that the bytes are readable.
    unsafe {
        std::arch::asm!(
            "vpgatherdd {loaded}{{{active}}}, [{bytes} + {places}]",
            loaded = inout(zmm_reg) loaded,
            active = inout(kreg) active => _,
            bytes = in(reg) bytes,
            places = in(zmm_reg) places,
            options(readonly, nostack, preserves_flags),
        );
    }
    loaded
}

/// Gathers pairs of dwords.
///
/// # Safety
/// Eight bytes must be readable at each offset.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn pairs_at(bytes: *const u8, places: __m256i) -> __m512i {
    let mut pairs = _mm512_setzero_si512();
    // SAFETY: the caller guarantees that the bytes are readable.
    unsafe {
        std::arch::asm!(
            "vpgatherdq {pairs}{{{all}}}, [{bytes} + {places}]",
            pairs = inout(zmm_reg) pairs,
            all = inout(kreg) u16::from(u8::MAX) => _,
            bytes = in(reg) bytes,
            places = in(ymm_reg) places,
            options(readonly, nostack, preserves_flags),
        );
    }
    pairs
}

/// Replaces the dwords of active lanes. Written in assembly because the compiler would use masked stores, which cannot
/// be forwarded to the next emulated instruction's loads and would stall them.
#[inline]
#[target_feature(enable = "avx512f")]
fn blended(old: __m512i, new: __m512i, active: u16) -> __m512i {
    let mut blended = old;
    // SAFETY: the instruction only computes on registers.
    unsafe {
        std::arch::asm!(
            "vpblendmd {old}{{{active}}}, {old}, {new}",
            old = inout(zmm_reg) blended,
            new = in(zmm_reg) new,
            active = in(kreg) active,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    blended
}

/// Transposes the 4×4 dwords in each 128-bit quarter: vectors whose quarters are the elements of every fourth lane,
/// starting at lanes 0, 1, 2 and 3, become one vector per dword of the elements.
#[inline]
#[target_feature(enable = "avx512f")]
fn transposed([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ab, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (cd, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(ab, cd),
        _mm512_unpackhi_epi64(ab, cd),
        _mm512_unpacklo_epi64(ab_high, cd_high),
        _mm512_unpackhi_epi64(ab_high, cd_high),
    ]
}

/// Selects dwords by index from one to four vectors; index bits beyond those needed are ignored.
#[inline]
#[target_feature(enable = "avx512f")]
fn moved<const N: usize>(from: [__m512i; N], numbers: __m512i) -> __m512i {
    if N == 1 {
        return from[0];
    }
    let lower = _mm512_permutex2var_epi32(from[0], numbers, from[1]);
    let beyond = _mm512_test_epi32_mask(numbers, _mm512_set1_epi32(2 * WIDTH as i32));
    match N {
        2 => lower,
        3 => _mm512_mask_permutexvar_epi32(lower, beyond, numbers, from[N - 1]),
        _ => {
            let upper = _mm512_permutex2var_epi32(from[N - 2], numbers, from[N - 1]);
            _mm512_mask_mov_epi32(lower, beyond, upper)
        }
    }
}

/// Converts a register to vectors.
#[inline(always)]
pub(in crate::lanes) fn vectors(lanes: Lanes) -> [__m512i; VECTORS] {
    // SAFETY: both types have 256 bytes and no invalid values.
    unsafe { std::mem::transmute(lanes) }
}

/// Converts vectors to a register.
#[inline(always)]
pub(in crate::lanes) fn lanes_of(vectors: [__m512i; VECTORS]) -> Lanes {
    // SAFETY: as above.
    unsafe { std::mem::transmute(vectors) }
}

/// See [`crate::lanes::permuted`].
#[target_feature(enable = "avx512f")]
pub(in crate::lanes) fn permuted(value: &Lanes, from: &Lanes) -> Lanes {
    let (value, mut permuted) = (vectors(*value), vectors(*from));
    for vector in &mut permuted {
        *vector = moved(value, *vector);
    }
    lanes_of(permuted)
}

/// See [`Lanes::blend_in_memory`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::lanes) fn blend(old: &mut Lanes, new: &Lanes, exec: u64) {
    for n in 0..LANES / WIDTH {
        let active = (exec >> (n * WIDTH)) as u16;
        set_part(old, n, blended(part(old, n), part(new, n), active));
    }
}

/// See [`crate::lanes::signs`]; the compiler does not compute host masks from a loop over lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::lanes) fn signs(words: Lanes) -> u64 {
    let mut signs = 0;
    for (n, vector) in vectors(words).into_iter().enumerate() {
        signs |= u64::from(_mm512_movepi32_mask(vector)) << (n * WIDTH);
    }
    signs
}
