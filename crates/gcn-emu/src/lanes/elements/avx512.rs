//! What hosts with AVX-512 do.
//!
//! The functions that are inlined for sure cannot be declared to be for such hosts; they are called by those that are, and
//! become part of them, as no closure of theirs would.
//!
//! This is one of the modules that may use `unsafe`: what is read and written has been found to be inside.

use std::arch::x86_64::*;

use super::{DWORD, Elements, Lanes, Stored, moves};
use crate::lanes::rows::avx512::{elements_of, registers_of};
use crate::lanes::{LANES, VECTORS, blended_vector, vectors};

/// Lanes of a vector.
const WIDTH: usize = LANES / VECTORS;

/// The lanes of a vector that are active.
#[inline(always)]
fn active(exec: u64, vector: usize) -> u16 {
    (exec >> (vector * WIDTH)) as u16
}

/// Whether each of a vector's elements, of so many bytes, is behind the one before.
///
/// # Safety
/// The host has AVX-512.
#[inline(always)]
unsafe fn is_row(addresses: __m512i, size: usize) -> bool {
    // SAFETY: the host has AVX-512.
    unsafe {
        let first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(addresses));
        _mm512_cmpneq_epi32_mask(addresses, _mm512_add_epi32(first, behind(size))) == 0
    }
}

/// How far the lanes of a vector are behind the first, if it is so far from one to the next.
#[inline(always)]
fn behind(apart: usize) -> __m512i {
    let mut distances = [0; WIDTH];
    for (n, distance) in distances.iter_mut().enumerate() {
        *distance = (n * apart) as u32;
    }
    // SAFETY: both are 64 bytes, of which every value is one of the other type.
    unsafe { std::mem::transmute(distances) }
}

/// Where elements with an offset are.
///
/// # Safety
/// The host has AVX-512.
#[inline(always)]
unsafe fn places(addresses: &[__m512i; VECTORS], offset: u32, mask: u32) -> [__m512i; VECTORS] {
    let mut places = *addresses;
    for place in &mut places {
        // SAFETY: the host has AVX-512.
        unsafe {
            let sum = _mm512_add_epi32(*place, _mm512_set1_epi32(offset as i32));
            *place = _mm512_and_si512(sum, _mm512_set1_epi32(mask as i32));
        }
    }
    places
}

/// Whether all elements of active lanes are at most at `last`.
///
/// # Safety
/// The host has AVX-512.
#[inline(always)]
unsafe fn are_inside(
    addresses: &[__m512i; VECTORS],
    offsets: &[u32],
    mask: u32,
    exec: u64,
    last: u32,
) -> bool {
    let [a, b, c, d] = *addresses;
    let mut offset = 0;
    for &other in offsets {
        offset = other.max(offset);
    }
    // What the mask takes away makes no place greater.
    // SAFETY: the host has AVX-512.
    unsafe {
        let greatest = _mm512_max_epu32(_mm512_max_epu32(a, b), _mm512_max_epu32(c, d));
        let room = _mm512_set1_epi32(last.wrapping_sub(offset) as i32);
        offset <= last && _mm512_cmpgt_epu32_mask(greatest, room) == 0
            || is_each_inside(addresses, offsets, mask, exec, last)
    }
}

/// The same, if there are addresses of lanes that are not active, or places go round.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx512f")]
fn is_each_inside(
    addresses: &[__m512i; VECTORS],
    offsets: &[u32],
    mask: u32,
    exec: u64,
    last: u32,
) -> bool {
    let last = _mm512_set1_epi32(last as i32);
    let mut outside = 0;
    for &offset in offsets {
        // SAFETY: the function is for such hosts only.
        let places = unsafe { places(addresses, offset, mask) };
        for (vector, places) in places.into_iter().enumerate() {
            outside |= _mm512_mask_cmpgt_epu32_mask(active(exec, vector), places, last);
        }
    }
    outside == 0
}

/// Whether no element is where one of another offset is, so that it does not matter which is stored first.
///
/// # Safety
/// The host has AVX-512.
#[inline(always)]
unsafe fn are_apart(
    addresses: &[__m512i; VECTORS],
    offsets: &[u32],
    last: u32,
    size: usize,
) -> bool {
    let [first, second] = *offsets else {
        return offsets.len() == 1;
    };
    let [a, b, c, d] = *addresses;
    // SAFETY: the host has AVX-512.
    let (least, greatest) = unsafe {
        let greatest = _mm512_max_epu32(_mm512_max_epu32(a, b), _mm512_max_epu32(c, d));
        let least = _mm512_min_epu32(_mm512_min_epu32(a, b), _mm512_min_epu32(c, d));
        (
            _mm512_reduce_min_epu32(least),
            _mm512_reduce_max_epu32(greatest),
        )
    };
    // None goes round, which would bring it near others.
    let end = greatest.checked_add(first.max(second));
    let span = (greatest - least).saturating_add(size as u32);
    end.is_some_and(|end| end <= last) && first.abs_diff(second) >= span
}

/// See [`super::Gather`]; a lane has `COUNT` elements of `DWORDS` dwords.
#[target_feature(enable = "avx512f")]
pub(super) fn gather<const DWORDS: usize, const COUNT: usize>(
    elements: &Elements,
    exec: u64,
    bytes: &[u8],
    registers: &mut [Lanes],
) -> Option<()> {
    let offsets = *elements.offsets.first_chunk::<COUNT>()?;
    let addresses = registers.get(usize::from(elements.addresses))?;
    let places = vectors(*addresses);
    let mask = elements.mask;
    let first = usize::from(elements.data[0]);
    let into = registers.get_mut(first..first + COUNT * DWORDS)?;
    let (at, len) = (bytes.as_ptr(), bytes.len());
    // SAFETY: the function is for such hosts only; that many bytes are there.
    let done = unsafe {
        if exec == u64::MAX {
            load_near::<DWORDS, COUNT, true>(places, offsets, mask, exec, at, len, into)
        } else {
            load_near::<DWORDS, COUNT, false>(places, offsets, mask, exec, at, len, into)
        }
    };
    match done {
        Some(()) => done,
        None => {
            // The register may be one of those that are loaded.
            let addresses = registers[usize::from(elements.addresses)];
            let into = &mut registers[first..first + COUNT * DWORDS];
            // SAFETY: as above.
            unsafe { load_apart::<DWORDS>(&addresses, &offsets, mask, exec, at, len, into) }
        }
    }
}

/// See [`super::load`]; there are `DWORDS` registers. The mask says which bits of the addresses are kept.
///
/// # Safety
/// That many bytes are there.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn load<const DWORDS: usize>(
    addresses: &Lanes,
    mask: u32,
    exec: u64,
    bytes: *const u8,
    len: usize,
    into: &mut [Lanes],
) -> Option<()> {
    let places = vectors(*addresses);
    // SAFETY: the function is for such hosts only; the caller vouches for the rest.
    unsafe {
        let done = if exec == u64::MAX {
            load_near::<DWORDS, 1, true>(places, [0], mask, exec, bytes, len, into)
        } else {
            load_near::<DWORDS, 1, false>(places, [0], mask, exec, bytes, len, into)
        };
        match done {
            Some(()) => done,
            None => load_apart::<DWORDS>(addresses, &[0], mask, exec, bytes, len, into),
        }
    }
}

/// Bytes of memory that two vectors hold.
const WINDOW: usize = 2 * WIDTH * DWORD;

/// Loads `COUNT` elements for each active lane from `len` bytes, a register for each of their dwords, if those of each
/// vector's lanes are near each other, at that of the first active one or a little behind it, as in rows and in places that
/// lanes share: all of them are in two vectors of memory, from which each lane takes its own. Nothing, and nothing has been
/// loaded, if they are not. `ALL` of the lanes are active or not. Other threads may write there.
///
/// # Safety
/// The host has AVX-512; that many bytes are there.
#[inline(always)]
unsafe fn load_near<const DWORDS: usize, const COUNT: usize, const ALL: bool>(
    addresses: [__m512i; VECTORS],
    offsets: [u32; COUNT],
    mask: u32,
    exec: u64,
    bytes: *const u8,
    len: usize,
    into: &mut [Lanes],
) -> Option<()> {
    let last = u32::try_from(len.checked_sub(WINDOW)?).ok()?;
    let registers = into.as_chunks_mut::<DWORDS>().0;
    let registers = registers.first_chunk_mut::<COUNT>()?;
    let mut starts = [[0; VECTORS]; COUNT];
    let mut from = [addresses; COUNT];
    let (mut outside, mut in_second) = (0, 0);
    // SAFETY: the host has AVX-512.
    unsafe {
        let last = _mm512_set1_epi32(last as i32);
        let greatest = _mm512_set1_epi32((2 * WIDTH - DWORDS) as i32);
        let greatest_in_first = _mm512_set1_epi32((WIDTH - DWORDS) as i32);
        for n in 0..COUNT {
            let places = places(&addresses, offsets[n], mask);
            for vector in 0..VECTORS {
                let active = if ALL { u16::MAX } else { active(exec, vector) };
                // All of it is done in vectors: the compiler makes more than one of what is done beside them.
                let first = if ALL {
                    places[vector]
                } else {
                    _mm512_maskz_compress_epi32(active, places[vector])
                };
                let first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(first));
                let start = _mm512_min_epu32(first, last);
                // An address that is no dword's is far away.
                let behind = _mm512_ror_epi32::<2>(_mm512_sub_epi32(places[vector], start));
                starts[n][vector] = _mm512_cvtsi512_si32(start) as u32 as usize;
                from[n][vector] = behind;
                outside |= _mm512_mask_cmpgt_epu32_mask(active, behind, greatest);
                in_second |= _mm512_mask_cmpgt_epu32_mask(active, behind, greatest_in_first);
            }
        }
    }
    if outside != 0 {
        return None;
    }
    for n in 0..COUNT {
        for vector in 0..VECTORS {
            let at = bytes.wrapping_add(starts[n][vector]);
            // SAFETY: the host has AVX-512. Two vectors from the last start on are inside.
            let (low, high) = unsafe {
                let low = vector_at(at);
                let high = if in_second == 0 {
                    low
                } else {
                    vector_at(at.wrapping_add(size_of::<__m512i>()))
                };
                (low, high)
            };
            for (dword, register) in registers[n].iter_mut().enumerate() {
                let part = register.0[vector * WIDTH..].as_mut_ptr();
                let part = part.cast::<__m512i>();
                // SAFETY: the host has AVX-512; the part of the register is as long as a vector.
                unsafe {
                    let behind = _mm512_set1_epi32(dword as i32);
                    let behind = _mm512_add_epi32(from[n][vector], behind);
                    let loaded = if in_second == 0 {
                        _mm512_permutexvar_epi32(behind, low)
                    } else {
                        _mm512_permutex2var_epi32(low, behind, high)
                    };
                    if ALL {
                        part.write(loaded);
                    } else {
                        let active = active(exec, vector);
                        part.write(blended_vector(part.read(), loaded, active));
                    }
                }
            }
        }
    }
    Some(())
}

/// The same, wherever the elements are; nothing, and nothing has been loaded, if any is not inside.
///
/// # Safety
/// As for [`load_near`].
#[inline(never)]
#[target_feature(enable = "avx512f")]
unsafe fn load_apart<const DWORDS: usize>(
    addresses: &Lanes,
    offsets: &[u32],
    mask: u32,
    exec: u64,
    bytes: *const u8,
    len: usize,
    into: &mut [Lanes],
) -> Option<()> {
    let addresses = vectors(*addresses);
    // Signed, it is not negative, nor is a place.
    let last = i32::try_from(len.checked_sub(DWORDS * DWORD)?).ok()? as u32;
    // SAFETY: the function is for such hosts only.
    if !unsafe { are_inside(&addresses, offsets, mask, exec, last) } {
        return None;
    }
    let registers = into.as_chunks_mut::<DWORDS>().0;
    for (&offset, registers) in offsets.iter().zip(registers) {
        // SAFETY: as above.
        let places = unsafe { places(&addresses, offset, mask) };
        for (vector, &places) in places.iter().enumerate() {
            let active = active(exec, vector);
            let mut loaded = [_mm512_setzero_si512(); DWORDS];
            // SAFETY: the places of the active lanes are inside, with all dwords of their elements.
            unsafe {
                if DWORDS == 2 {
                    let low = pairs_at(bytes, _mm512_castsi512_si256(places), active as u8);
                    let high = _mm512_extracti64x4_epi64::<1>(places);
                    let high = pairs_at(bytes, high, (active >> (WIDTH / 2)) as u8);
                    for (loaded, dwords) in loaded.iter_mut().zip(registers_of([low, high])) {
                        *loaded = dwords;
                    }
                } else if DWORDS == 4 && active == u16::MAX {
                    let places = of_lanes(places);
                    let mut fourths = [_mm512_setzero_si512(); DWORDS];
                    for (n, fourth) in fourths.iter_mut().enumerate() {
                        let quad = |lane: usize| quad_at(bytes.wrapping_add(places[lane] as usize));
                        let quads = _mm512_castsi128_si512(quad(n));
                        let quads = _mm512_inserti32x4::<1>(quads, quad(n + 4));
                        let quads = _mm512_inserti32x4::<2>(quads, quad(n + 8));
                        *fourth = _mm512_inserti32x4::<3>(quads, quad(n + 12));
                    }
                    loaded = transposed(fourths);
                } else {
                    for (n, loaded) in loaded.iter_mut().enumerate() {
                        *loaded = dwords_at(bytes.wrapping_add(n * DWORD), places, active);
                    }
                }
                for (register, &loaded) in registers.iter_mut().zip(&loaded) {
                    let part = register.0[vector * WIDTH..][..WIDTH].as_mut_ptr();
                    let part = part.cast::<__m512i>();
                    if active == u16::MAX {
                        part.write(loaded);
                    } else {
                        part.write(blended_vector(part.read(), loaded, active));
                    }
                }
            }
        }
    }
    Some(())
}

/// Loads as [`moves`] makes them where a vector has places, of which those of lanes that are not active count for nothing.
macro_rules! gathers {
    ($($(#[$doc:meta])* $name:ident $Places:ident $class:ident $Mask:ty, $instruction:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Those of active lanes are there.
        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn $name(bytes: *const u8, places: $Places, active: $Mask) -> __m512i {
            let mut loaded = _mm512_setzero_si512();
            // SAFETY: the caller vouches for what is read.
            unsafe {
                std::arch::asm!(
                    concat!($instruction, " {loaded}{{{active}}}, [{bytes} + {places}]"),
                    loaded = inout(zmm_reg) loaded,
                    active = inout(kreg) active => _,
                    bytes = in(reg) bytes,
                    places = in($class) places,
                    options(readonly, nostack, preserves_flags),
                );
            }
            loaded
        }
    )*};
}

moves! {
    "avx512f",
    /// A vector of memory.
    vector_at __m512i zmm_reg "vmovdqu64";
    /// A fourth of one.
    quad_at __m128i xmm_reg "vmovdqu";
}

gathers! {
    /// The dwords at some places, zero for lanes that are not active.
    dwords_at __m512i zmm_reg u16, "vpgatherdd";
    /// The pairs of dwords at some places, zero for lanes that are not active.
    pairs_at __m256i ymm_reg u8, "vpgatherdq";
}

/// The lanes of a vector.
#[inline(always)]
fn of_lanes(vector: __m512i) -> [u32; WIDTH] {
    // SAFETY: both are 64 bytes, of which every value is one of the other type.
    unsafe { std::mem::transmute(vector) }
}

/// Makes of four registers' 16 lanes, in each fourth of a vector, the four dwords of one: those of every fourth lane,
/// from 0, 1, 2 and 3 on. Done twice it changes nothing.
#[inline(always)]
fn transposed<const FOUR: usize>(rows: [__m512i; FOUR]) -> [__m512i; FOUR] {
    let mut columns = rows;
    if let ([a, b, c, d], [first, second, third, fourth]) = (&rows[..], &mut columns[..]) {
        // SAFETY: who calls this is for hosts with AVX-512.
        unsafe {
            let (ab, ab_high) = (_mm512_unpacklo_epi32(*a, *b), _mm512_unpackhi_epi32(*a, *b));
            let (cd, cd_high) = (_mm512_unpacklo_epi32(*c, *d), _mm512_unpackhi_epi32(*c, *d));
            *first = _mm512_unpacklo_epi64(ab, cd);
            *second = _mm512_unpackhi_epi64(ab, cd);
            *third = _mm512_unpacklo_epi64(ab_high, cd_high);
            *fourth = _mm512_unpackhi_epi64(ab_high, cd_high);
        }
    }
    columns
}

/// See [`Elements::scatter`]; an element has `DWORDS` dwords, 1, 2 or 4.
#[target_feature(enable = "avx512f")]
pub(super) fn scatter<const DWORDS: usize>(
    elements: &Elements,
    exec: u64,
    bytes: &mut [u8],
    registers: &[Lanes],
) -> Stored {
    let size = DWORDS * DWORD;
    let last = bytes.len().checked_sub(size);
    let last = last.and_then(|last| i32::try_from(last).ok());
    let addresses = registers.get(usize::from(elements.addresses));
    let (Some(last), Some(addresses)) = (last, addresses) else {
        return Stored::Nothing;
    };
    let (last, addresses) = (last as u32, vectors(*addresses));
    let (offsets, mask) = (elements.offsets(), elements.mask);
    let is_missing = |&from: &u8| usize::from(from) + DWORDS > registers.len();
    // SAFETY: the function is for such hosts only.
    let rows = unsafe {
        if !are_inside(&addresses, offsets, mask, exec, last)
            || elements.data[..offsets.len()].iter().any(is_missing)
        {
            return Stored::Nothing;
        }
        if !are_apart(&addresses, offsets, last, size) {
            return Stored::NotInOrder;
        }
        let mut rows = [false; VECTORS];
        if exec == u64::MAX {
            for (row, addresses) in rows.iter_mut().zip(addresses) {
                *row = is_row(addresses, size);
            }
        }
        rows
    };
    for (&offset, &from) in offsets.iter().zip(&elements.data) {
        // SAFETY: as above.
        let places = unsafe { places(&addresses, offset, mask) };
        for vector in 0..VECTORS {
            let mut dwords = [_mm512_setzero_si512(); DWORDS];
            for (dwords, register) in dwords.iter_mut().zip(&registers[from.into()..]) {
                *dwords = vectors(*register)[vector];
            }
            let places = places[vector];
            let place = _mm512_cvtsi512_si32(places) as u32 as usize;
            let is_row = rows[vector] && place + (WIDTH - 1) * size <= last as usize;
            let active = active(exec, vector);
            let bytes = bytes.as_mut_ptr();
            let at = bytes.wrapping_add(place).cast::<__m512i>();
            // SAFETY: the places of the active lanes are inside, all lanes are active where they have a shape.
            unsafe {
                if DWORDS == 1 && is_row {
                    at.write_unaligned(dwords[0]);
                } else if DWORDS == 1 {
                    _mm512_mask_i32scatter_epi32::<1>(bytes.cast(), active, places, dwords[0]);
                } else if DWORDS == 2 {
                    let [low, high] = elements_of([dwords[0], dwords[1]]);
                    if is_row {
                        at.write_unaligned(low);
                        at.wrapping_add(1).write_unaligned(high);
                    } else {
                        let (half, next) = (active as u8, (active >> (WIDTH / 2)) as u8);
                        let first = _mm512_castsi512_si256(places);
                        let second = _mm512_extracti64x4_epi64::<1>(places);
                        _mm512_mask_i32scatter_epi64::<1>(bytes.cast(), half, first, low);
                        _mm512_mask_i32scatter_epi64::<1>(bytes.cast(), next, second, high);
                    }
                } else {
                    // Each fourth is a lane's element.
                    let fourths = transposed(dwords);
                    let quads: *const __m128i = fourths.as_ptr().cast();
                    for (lane, &place) in of_lanes(places).iter().enumerate() {
                        if active >> lane & 1 != 0 {
                            let quad = quads.add(lane % DWORDS * VECTORS + lane / DWORDS).read();
                            let at = bytes.wrapping_add(place as usize).cast::<__m128i>();
                            at.write_unaligned(quad);
                        }
                    }
                }
            }
        }
    }
    Stored::All
}
