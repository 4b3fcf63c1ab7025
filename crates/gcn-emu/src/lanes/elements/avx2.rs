//! What hosts with AVX2 and no AVX-512 do. The functions that are inlined for sure are as in `avx512.rs`.
//!
//! This is one of the modules that may use `unsafe`: what is read and written has been found to be inside.

use std::arch::x86_64::*;

use super::{DWORD, Elements, Lanes, Stored, moves};
use crate::lanes::LANES;

/// Lanes of a vector.
const WIDTH: usize = 8;
/// Vectors that a register is.
const VECTORS: usize = LANES / WIDTH;
/// Bytes of memory that two vectors hold.
const WINDOW: usize = 2 * WIDTH * DWORD;

/// A register as vectors of the host's.
#[inline(always)]
fn vectors(lanes: &Lanes) -> [__m256i; VECTORS] {
    // SAFETY: both are 256 bytes, of which every value is one of the other type.
    unsafe { std::mem::transmute(*lanes) }
}

/// The lanes of a vector.
#[inline(always)]
fn of_lanes(vector: __m256i) -> [u32; WIDTH] {
    // SAFETY: both are 32 bytes, of which every value is one of the other type.
    unsafe { std::mem::transmute(vector) }
}

/// The lanes of a vector that are active, a bit each.
#[inline(always)]
fn active(exec: u64, vector: usize) -> u8 {
    (exec >> (vector * WIDTH)) as u8
}

/// The same as a vector of all ones and zeros.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes_in(active: u8) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let set = _mm256_and_si256(_mm256_set1_epi32(active.into()), bits);
    _mm256_cmpeq_epi32(set, bits)
}

/// Whether all bits are zero.
#[inline]
#[target_feature(enable = "avx2")]
fn is_zero(vector: __m256i) -> bool {
    _mm256_testz_si256(vector, vector) != 0
}

/// Where elements with an offset are.
#[inline]
#[target_feature(enable = "avx2")]
fn places(addresses: __m256i, offset: u32, mask: u32) -> __m256i {
    let sum = _mm256_add_epi32(addresses, _mm256_set1_epi32(offset as i32));
    _mm256_and_si256(sum, _mm256_set1_epi32(mask as i32))
}

/// Whether all elements of active lanes are at most at `last`.
#[inline]
#[target_feature(enable = "avx2")]
fn are_inside(
    addresses: &[__m256i; VECTORS],
    offsets: &[u32],
    mask: u32,
    exec: u64,
    last: u32,
) -> bool {
    let last = _mm256_set1_epi32(last as i32);
    let mut outside = _mm256_setzero_si256();
    for &offset in offsets {
        for (vector, &addresses) in addresses.iter().enumerate() {
            let places = places(addresses, offset, mask);
            let mut differ = _mm256_xor_si256(_mm256_max_epu32(places, last), last);
            if exec != u64::MAX {
                differ = _mm256_and_si256(differ, lanes_in(active(exec, vector)));
            }
            outside = _mm256_or_si256(outside, differ);
        }
    }
    is_zero(outside)
}

/// See [`super::Gather`]; a lane has `COUNT` elements of `DWORDS` dwords.
#[target_feature(enable = "avx2")]
pub(super) fn gather<const DWORDS: usize, const COUNT: usize>(
    elements: &Elements,
    exec: u64,
    bytes: &[u8],
    registers: &mut [Lanes],
) -> Option<()> {
    let offsets = elements.offsets.first_chunk::<COUNT>()?;
    // The register may be one of those that are loaded.
    let addresses = *registers.get(usize::from(elements.addresses))?;
    if bytes.len() < WINDOW {
        return elements.gather_each(exec, bytes, registers);
    }
    let first = usize::from(elements.data[0]);
    let into = registers.get_mut(first..first + COUNT * DWORDS)?;
    let (at, len) = (bytes.as_ptr(), bytes.len());
    // SAFETY: that many bytes are there.
    unsafe { load::<DWORDS>(&addresses, offsets, elements.mask, exec, at, len, into) }
}

/// See [`super::load`]; there are `DWORDS` registers for each offset. The mask says which bits of the sums are kept. Nothing
/// as well if there are fewer bytes than two vectors have.
///
/// # Safety
/// That many bytes are there.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load<const DWORDS: usize>(
    addresses: &Lanes,
    offsets: &[u32],
    mask: u32,
    exec: u64,
    bytes: *const u8,
    len: usize,
    into: &mut [Lanes],
) -> Option<()> {
    // Signed, it is not negative, nor is a place.
    let last = i32::try_from(len.checked_sub(WINDOW)?).ok()? as u32;
    let room = (WINDOW - DWORDS * DWORD) as u32;
    let addresses = vectors(addresses);
    if !are_inside(&addresses, offsets, mask, exec, last + room) {
        return None;
    }
    for (registers, &offset) in into.chunks_exact_mut(DWORDS).zip(offsets) {
        for (vector, &addresses) in addresses.iter().enumerate() {
            let active = active(exec, vector);
            if active == 0 {
                continue;
            }
            let places = places(addresses, offset, mask);
            // SAFETY: two vectors from `last` on are inside, and so are the elements of the active lanes.
            let loaded = unsafe { load_vector::<DWORDS>(bytes, places, active, last) };
            for (register, loaded) in registers.iter_mut().zip(loaded) {
                let part = register.0[vector * WIDTH..][..WIDTH].as_mut_ptr();
                let part = part.cast::<__m256i>();
                // SAFETY: the part of the register is as long as a vector.
                unsafe {
                    let new = match active {
                        u8::MAX => loaded,
                        _ => _mm256_blendv_epi8(part.read(), loaded, lanes_in(active)),
                    };
                    part.write(new);
                }
            }
        }
    }
    Some(())
}

/// The elements of a vector's lanes, of which some are active, a vector for each of their dwords. If they are in two vectors
/// of memory, as in rows and in places that lanes share, each lane takes its own from those.
///
/// # Safety
/// Two vectors are there from `last` on, and the elements of the active lanes.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_vector<const DWORDS: usize>(
    bytes: *const u8,
    places: __m256i,
    active: u8,
    last: u32,
) -> [__m256i; DWORDS] {
    /// The bits that a distance in the first vector has, and in both.
    const IN_FIRST: i32 = (WIDTH * DWORD - DWORD) as i32;
    const IN_BOTH: i32 = (WINDOW - DWORD) as i32;
    let mut loaded = [_mm256_setzero_si256(); DWORDS];
    let first = _mm256_set1_epi32(active.trailing_zeros() as i32);
    let first = _mm256_permutevar8x32_epi32(places, first);
    // Lanes that are not active are where the first is that is.
    let places = match active {
        u8::MAX => places,
        _ => _mm256_blendv_epi8(first, places, lanes_in(active)),
    };
    let start = _mm256_min_epu32(first, _mm256_set1_epi32(last as i32));
    let behind = _mm256_sub_epi32(places, start);
    let rest = _mm256_set1_epi32((DWORDS * DWORD - DWORD) as i32);
    let reached = _mm256_or_si256(behind, _mm256_add_epi32(behind, rest));
    let is_in = |bits: i32| is_zero(_mm256_andnot_si256(_mm256_set1_epi32(bits), reached));
    let at = bytes.wrapping_add(_mm256_cvtsi256_si32(start) as u32 as usize);
    let number = _mm256_srli_epi32::<2>(behind);
    // SAFETY: the caller vouches for what is read.
    unsafe {
        if is_in(IN_FIRST) {
            let low = vector_at(at);
            for (dword, loaded) in loaded.iter_mut().enumerate() {
                let number = _mm256_add_epi32(number, _mm256_set1_epi32(dword as i32));
                *loaded = _mm256_permutevar8x32_epi32(low, number);
            }
        } else if is_in(IN_BOTH) {
            let low = vector_at(at);
            let high = vector_at(at.wrapping_add(size_of::<__m256i>()));
            for (dword, loaded) in loaded.iter_mut().enumerate() {
                let number = _mm256_add_epi32(number, _mm256_set1_epi32(dword as i32));
                let low = _mm256_permutevar8x32_epi32(low, number);
                let high = _mm256_permutevar8x32_epi32(high, number);
                let is_high = _mm256_cmpgt_epi32(number, _mm256_set1_epi32(WIDTH as i32 - 1));
                *loaded = _mm256_blendv_epi8(low, high, is_high);
            }
        } else if DWORDS == 4 {
            let places = of_lanes(places);
            let quad = |lane: usize| quad_at(bytes.wrapping_add(places[lane] as usize));
            let mut pairs = [_mm256_setzero_si256(); DWORDS];
            for (n, pair) in pairs.iter_mut().enumerate() {
                *pair = _mm256_set_m128i(quad(n + WIDTH / 2), quad(n));
            }
            loaded = transposed(pairs);
        } else {
            for (dword, loaded) in loaded.iter_mut().enumerate() {
                *loaded = dwords_at(bytes.wrapping_add(dword * DWORD), places);
            }
        }
    }
    loaded
}

moves! {
    "avx2",
    /// A vector of memory.
    vector_at __m256i ymm_reg "vmovdqu";
    /// Half of one.
    quad_at __m128i xmm_reg "vmovdqu";
}

/// The dwords at some places.
///
/// # Safety
/// They are there.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn dwords_at(bytes: *const u8, places: __m256i) -> __m256i {
    let mut loaded = _mm256_setzero_si256();
    // SAFETY: the caller vouches for what is read.
    unsafe {
        std::arch::asm!(
            "vpgatherdd {loaded}, [{bytes} + {places}], {all}",
            loaded = inout(ymm_reg) loaded,
            all = inout(ymm_reg) _mm256_set1_epi32(-1) => _,
            bytes = in(reg) bytes,
            places = in(ymm_reg) places,
            options(readonly, nostack, preserves_flags),
        );
    }
    loaded
}

/// Makes of the four dwords of lanes 0 and 4, 1 and 5, 2 and 6, 3 and 7 a vector of the lanes for each dword. Done twice it
/// changes nothing.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed<const FOUR: usize>(rows: [__m256i; FOUR]) -> [__m256i; FOUR] {
    let mut columns = rows;
    if let ([a, b, c, d], [first, second, third, fourth]) = (&rows[..], &mut columns[..]) {
        let (ab, ab_high) = (_mm256_unpacklo_epi32(*a, *b), _mm256_unpackhi_epi32(*a, *b));
        let (cd, cd_high) = (_mm256_unpacklo_epi32(*c, *d), _mm256_unpackhi_epi32(*c, *d));
        *first = _mm256_unpacklo_epi64(ab, cd);
        *second = _mm256_unpackhi_epi64(ab, cd);
        *third = _mm256_unpacklo_epi64(ab_high, cd_high);
        *fourth = _mm256_unpackhi_epi64(ab_high, cd_high);
    }
    columns
}

/// See [`Elements::scatter`]; an element has `DWORDS` dwords, 1, 2 or 4. Only rows are stored, which leave nothing to the
/// order of lanes: vectors of lanes that are all active, each element behind the one before.
#[target_feature(enable = "avx2")]
pub(super) fn scatter<const DWORDS: usize>(
    elements: &Elements,
    exec: u64,
    bytes: &mut [u8],
    registers: &[Lanes],
) -> Stored {
    let row_bytes = WIDTH * DWORDS * DWORD;
    let (Some(addresses), Some(last)) = (
        registers.get(usize::from(elements.addresses)),
        bytes.len().checked_sub(row_bytes),
    ) else {
        return Stored::NotInOrder;
    };
    if exec != u64::MAX {
        return Stored::NotInOrder;
    }
    let mut rows = [[0; VECTORS]; 2];
    let mut ranges = [(usize::MAX, 0); 2];
    let offsets = elements.offsets();
    for ((&offset, starts), (least, greatest)) in offsets.iter().zip(&mut rows).zip(&mut ranges) {
        for (start, addresses) in starts.iter_mut().zip(vectors(addresses)) {
            let places = places(addresses, offset, elements.mask);
            let Some(first) = start_of_row::<DWORDS>(places).filter(|&first| first <= last) else {
                return Stored::NotInOrder;
            };
            *start = first;
            (*least, *greatest) = (first.min(*least), first.max(*greatest));
        }
    }
    // With two elements to a lane, no row is to be where one of the other offset is.
    let [(least, greatest), (other_least, other_greatest)] = ranges;
    let are_apart = greatest + row_bytes <= other_least || other_greatest + row_bytes <= least;
    if offsets.len() > 1 && !are_apart {
        return Stored::NotInOrder;
    }
    let mut data = [&registers[..0]; 2];
    for (data, from) in data.iter_mut().zip(elements.data).take(offsets.len()) {
        let Some(there) = registers.get(usize::from(from)..usize::from(from) + DWORDS) else {
            return Stored::Nothing;
        };
        *data = there;
    }
    for (starts, data) in rows.iter().zip(data).take(offsets.len()) {
        for (vector, &start) in starts.iter().enumerate() {
            let mut dwords = [_mm256_setzero_si256(); DWORDS];
            for (dwords, register) in dwords.iter_mut().zip(data) {
                *dwords = vectors(register)[vector];
            }
            let at = bytes.as_mut_ptr().wrapping_add(start).cast::<__m256i>();
            let put = |n: usize, row: __m256i| {
                // SAFETY: the row is inside.
                unsafe { _mm256_storeu_si256(at.wrapping_add(n), row) }
            };
            if DWORDS == 1 {
                put(0, dwords[0]);
            } else if DWORDS == 2 {
                let low = _mm256_unpacklo_epi32(dwords[0], dwords[1]);
                let high = _mm256_unpackhi_epi32(dwords[0], dwords[1]);
                put(0, _mm256_permute2x128_si256::<0x20>(low, high));
                put(1, _mm256_permute2x128_si256::<0x31>(low, high));
            } else if let [a, b, c, d] = transposed(dwords)[..] {
                put(0, _mm256_permute2x128_si256::<0x20>(a, b));
                put(1, _mm256_permute2x128_si256::<0x20>(c, d));
                put(2, _mm256_permute2x128_si256::<0x31>(a, b));
                put(3, _mm256_permute2x128_si256::<0x31>(c, d));
            }
        }
    }
    Stored::All
}

/// The first place of a row: each element is behind the one before.
#[inline]
#[target_feature(enable = "avx2")]
fn start_of_row<const DWORDS: usize>(places: __m256i) -> Option<usize> {
    let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let behind = _mm256_mullo_epi32(numbers, _mm256_set1_epi32((DWORDS * DWORD) as i32));
    let first = _mm256_broadcastd_epi32(_mm256_castsi256_si128(places));
    let differ = _mm256_xor_si256(places, _mm256_add_epi32(first, behind));
    is_zero(differ).then_some(_mm256_cvtsi256_si32(first) as u32 as usize)
}
