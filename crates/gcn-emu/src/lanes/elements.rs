//! Elements of lanes in memory that a thread has for itself: loads and stores of LDS.
//!
//! Programs read rows and columns of matrices, so that lanes next to each other have one place, or follow each other.
//! On hosts with AVX-512 those are told apart, vector by vector, from the rest, which the host's own gathers and scatters
//! do.
//!
//! This is one of the modules that may use `unsafe`: what those instructions reach has been found to be inside.

use super::{Lanes, active, are_below};
#[cfg(target_arch = "x86_64")]
use super::{Level, level};

/// Bytes of a dword.
const DWORD: usize = 4;

/// Elements of whole dwords in memory, for each lane where a register and offsets say.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'a> {
    /// Number of the register.
    pub register: usize,
    /// What is added to it for each of the lane's elements.
    pub offsets: &'a [u32],
    /// The bits of the sums that are kept: all between two.
    pub mask: u32,
    /// Dwords of an element.
    pub dwords: usize,
    /// The lanes that have elements.
    pub exec: u64,
}

impl Elements<'_> {
    /// Loads the elements from `bytes`, a register for each of their dwords from number `into` on. Nothing, and nothing
    /// has been loaded, if any is not inside, or a register is not there.
    #[inline]
    pub(crate) fn gather(self, bytes: &[u8], registers: &mut [Lanes], into: usize) -> Option<()> {
        #[cfg(target_arch = "x86_64")]
        if level() == Level::Avx512 {
            // SAFETY: the host has the level's features.
            return unsafe {
                match self.dwords {
                    1 => avx512::gather::<1>(&self, bytes, registers, into),
                    2 => avx512::gather::<2>(&self, bytes, registers, into),
                    3 => avx512::gather::<3>(&self, bytes, registers, into),
                    4 => avx512::gather::<4>(&self, bytes, registers, into),
                    _ => None,
                }
            };
        }
        // The register may be one of those that are loaded.
        let addresses = *registers.get(self.register)?;
        self.are_inside(&addresses, bytes.len(), self.dwords * DWORD)?;
        let registers = registers.get_mut(into..into + self.offsets.len() * self.dwords)?;
        for lane in active(self.exec) {
            let registers = registers.chunks_exact_mut(self.dwords);
            for (&offset, registers) in self.offsets.iter().zip(registers) {
                let at = self.place(&addresses, lane, offset);
                let dwords = bytes[at..].as_chunks::<DWORD>().0;
                for (register, dword) in registers.iter_mut().zip(dwords) {
                    register.0[lane] = u32::from_le_bytes(*dword);
                }
            }
        }
        Some(())
    }

    /// Stores the elements to `bytes`, lanes in ascending order, each from a register for each of its dwords, from the
    /// number in `from` on, or the low `part` bytes of the one register. Nothing, and nothing has been stored, if any is
    /// not inside, or a register is not there.
    #[inline]
    pub(crate) fn scatter(
        self,
        bytes: &mut [u8],
        registers: &[Lanes],
        from: &[usize],
        part: Option<usize>,
    ) -> Option<()> {
        #[cfg(target_arch = "x86_64")]
        if part.is_none() && level() == Level::Avx512 {
            // SAFETY: the host has the level's features.
            let stored = unsafe {
                match self.dwords {
                    1 => avx512::scatter::<1>(&self, bytes, registers, from),
                    2 => avx512::scatter::<2>(&self, bytes, registers, from),
                    4 => avx512::scatter::<4>(&self, bytes, registers, from),
                    _ => Stored::NotInOrder,
                }
            };
            match stored {
                Stored::All => return Some(()),
                Stored::Nothing => return None,
                Stored::NotInOrder => {}
            }
        }
        self.scatter_each(bytes, registers, from, part)
    }

    /// [`Elements::scatter`], one element after the other.
    fn scatter_each(
        self,
        bytes: &mut [u8],
        registers: &[Lanes],
        from: &[usize],
        part: Option<usize>,
    ) -> Option<()> {
        let size = part.unwrap_or(self.dwords * DWORD);
        let addresses = registers.get(self.register)?;
        self.are_inside(addresses, bytes.len(), size)?;
        let are_there = |&from: &usize| from + self.dwords <= registers.len();
        if !from.iter().all(are_there) {
            return None;
        }
        for lane in active(self.exec) {
            for (&offset, &from) in self.offsets.iter().zip(from) {
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

    /// Where an element of a lane is.
    fn place(&self, addresses: &Lanes, lane: usize, offset: u32) -> usize {
        (addresses.0[lane].wrapping_add(offset) & self.mask) as usize
    }

    /// Whether all elements of so many bytes are inside of `len` bytes.
    fn are_inside(&self, addresses: &Lanes, len: usize, size: usize) -> Option<()> {
        let last = u32::try_from(len.checked_sub(size)?).ok()?;
        let are_inside = |&offset| are_below(addresses, offset, self.mask, self.exec, last);
        self.offsets.iter().all(are_inside).then_some(())
    }
}

/// What became of a store.
#[cfg(target_arch = "x86_64")]
enum Stored {
    /// It is done.
    All,
    /// It cannot be done.
    Nothing,
    /// The elements have to be stored one after the other.
    NotInOrder,
}

/// What hosts with AVX-512 do. The functions that are inlined for sure cannot be declared to be for such hosts; they are
/// called by those that are, and become part of them, as no closure of theirs would.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{DWORD, Elements, Lanes, Stored};
    use crate::lanes::{LANES, VECTORS, blended_vector, vectors};

    /// Lanes of a vector.
    const WIDTH: usize = LANES / VECTORS;

    /// How the places of a vector's lanes, all of them active, are to each other.
    #[derive(Clone, Copy)]
    enum Shape {
        /// They are one.
        One,
        /// Each is an element behind the one before.
        Row,
        /// They are those of the vector before.
        AsBefore,
        /// Otherwise, or not all lanes are active.
        Apart,
    }

    /// The lanes of a vector that are active.
    #[inline(always)]
    fn active(exec: u64, vector: usize) -> u16 {
        (exec >> (vector * WIDTH)) as u16
    }

    /// The shapes of a register's vectors of addresses, whose elements are so many bytes apart in a row.
    ///
    /// # Safety
    /// The host has AVX-512.
    #[inline(always)]
    unsafe fn shapes(register: &Lanes, apart: usize, exec: u64) -> [Shape; VECTORS] {
        let mut shapes = [Shape::Apart; VECTORS];
        if exec != u64::MAX {
            return shapes;
        }
        let addresses = vectors(*register);
        let lanes = &register.0;
        for (n, shape) in shapes.iter_mut().enumerate() {
            // What the first two lanes have tells what the others may have.
            let (first, second) = (lanes[n * WIDTH], lanes[n * WIDTH + 1]);
            let step = second.wrapping_sub(first);
            // SAFETY: the host has AVX-512.
            unsafe {
                let base = _mm512_set1_epi32(first as i32);
                if n > 0
                    && first == lanes[(n - 1) * WIDTH]
                    && _mm512_cmpneq_epi32_mask(addresses[n], addresses[n - 1]) == 0
                {
                    *shape = Shape::AsBefore;
                } else if step == 0 {
                    if _mm512_cmpneq_epi32_mask(addresses[n], base) == 0 {
                        *shape = Shape::One;
                    }
                } else if step == apart as u32 {
                    let row = _mm512_add_epi32(base, behind(apart));
                    if _mm512_cmpneq_epi32_mask(addresses[n], row) == 0 {
                        *shape = Shape::Row;
                    }
                }
            }
        }
        shapes
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
    unsafe fn places(
        elements: &Elements,
        addresses: &[__m512i; VECTORS],
        offset: u32,
    ) -> [__m512i; VECTORS] {
        let mut places = *addresses;
        for place in &mut places {
            // SAFETY: the host has AVX-512.
            unsafe {
                let sum = _mm512_add_epi32(*place, _mm512_set1_epi32(offset as i32));
                *place = _mm512_and_si512(sum, _mm512_set1_epi32(elements.mask as i32));
            }
        }
        places
    }

    /// Whether all elements are at most at `last`.
    ///
    /// # Safety
    /// The host has AVX-512.
    #[inline(always)]
    unsafe fn are_inside(elements: &Elements, addresses: &[__m512i; VECTORS], last: u32) -> bool {
        let [a, b, c, d] = *addresses;
        let mut offset = 0;
        for &other in elements.offsets {
            offset = other.max(offset);
        }
        // What the mask takes away makes no place greater.
        // SAFETY: the host has AVX-512.
        unsafe {
            let greatest = _mm512_max_epu32(_mm512_max_epu32(a, b), _mm512_max_epu32(c, d));
            let room = _mm512_set1_epi32(last.wrapping_sub(offset) as i32);
            offset <= last && _mm512_cmpgt_epu32_mask(greatest, room) == 0
                || is_each_inside(elements, addresses, last)
        }
    }

    /// The same, if there are addresses of lanes that are not active, or places go round.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx512f")]
    fn is_each_inside(elements: &Elements, addresses: &[__m512i; VECTORS], last: u32) -> bool {
        let last = _mm512_set1_epi32(last as i32);
        let mut outside = 0;
        for &offset in elements.offsets {
            // SAFETY: the function is for such hosts only.
            let places = unsafe { places(elements, addresses, offset) };
            for (vector, places) in places.into_iter().enumerate() {
                let active = active(elements.exec, vector);
                outside |= _mm512_mask_cmpgt_epu32_mask(active, places, last);
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
        elements: &Elements,
        addresses: &[__m512i; VECTORS],
        last: u32,
        size: usize,
    ) -> bool {
        let [first, second] = *elements.offsets else {
            return elements.offsets.len() == 1;
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

    /// See [`Elements::gather`]; an element has `DWORDS` dwords.
    #[target_feature(enable = "avx512f")]
    pub(super) fn gather<const DWORDS: usize>(
        elements: &Elements,
        bytes: &[u8],
        registers: &mut [Lanes],
        into: usize,
    ) -> Option<()> {
        // SAFETY: the function is for such hosts only.
        let done = unsafe {
            match (elements.offsets, elements.exec == u64::MAX) {
                ([first], true) => {
                    gather_near::<DWORDS, 1, true>(elements, [*first], bytes, registers, into)
                }
                ([first], false) => {
                    gather_near::<DWORDS, 1, false>(elements, [*first], bytes, registers, into)
                }
                ([first, second], true) if DWORDS <= 2 => {
                    let offsets = [*first, *second];
                    gather_near::<DWORDS, 2, true>(elements, offsets, bytes, registers, into)
                }
                _ => None,
            }
        };
        match done {
            Some(()) => done,
            None => gather_apart::<DWORDS>(elements, bytes, registers, into),
        }
    }

    /// Bytes of memory that two vectors hold.
    const WINDOW: usize = 2 * WIDTH * DWORD;

    /// [`gather`] of `COUNT` elements for each lane, if those of each vector's lanes are near each other, behind that of
    /// the first active one or there: rows, and places that lanes share. `ALL` of the lanes are active or not.
    ///
    /// # Safety
    /// The host has AVX-512.
    #[inline(always)]
    unsafe fn gather_near<const DWORDS: usize, const COUNT: usize, const ALL: bool>(
        elements: &Elements,
        offsets: [u32; COUNT],
        bytes: &[u8],
        registers: &mut [Lanes],
        into: usize,
    ) -> Option<()> {
        let last = u32::try_from(bytes.len().checked_sub(WINDOW)?).ok()?;
        let register = registers.get(elements.register)?;
        let addresses = vectors(*register);
        let mut starts = [[0; VECTORS]; COUNT];
        let mut from = [addresses; COUNT];
        let (mut outside, mut beside) = (0, 0);
        // SAFETY: the host has AVX-512.
        unsafe {
            let greatest = _mm512_set1_epi32((WINDOW / DWORD - DWORDS) as i32);
            let near = _mm512_set1_epi32((WIDTH - DWORDS) as i32);
            for n in 0..COUNT {
                let places = places(elements, &addresses, offsets[n]);
                for vector in 0..VECTORS {
                    let active = if ALL {
                        u16::MAX
                    } else {
                        active(elements.exec, vector)
                    };
                    // All of it is done in vectors: the compiler makes more than one of what is done beside them.
                    let first = if ALL {
                        places[vector]
                    } else {
                        _mm512_maskz_compress_epi32(active, places[vector])
                    };
                    let first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(first));
                    let start = _mm512_min_epu32(first, _mm512_set1_epi32(last as i32));
                    // An address that is no dword's is far away.
                    let behind = _mm512_ror_epi32::<2>(_mm512_sub_epi32(places[vector], start));
                    let start = _mm512_cvtsi512_si32(start) as u32;
                    starts[n][vector] = start as usize;
                    from[n][vector] = behind;
                    outside |= _mm512_mask_cmpgt_epu32_mask(active, behind, greatest);
                    beside |= _mm512_mask_cmpgt_epu32_mask(active, behind, near);
                }
            }
        }
        if outside != 0 {
            return None;
        }
        let registers = registers.get_mut(into..into + COUNT * DWORDS)?;
        let registers = registers.as_chunks_mut::<DWORDS>().0;
        for n in 0..COUNT {
            for vector in 0..VECTORS {
                let at = bytes
                    .as_ptr()
                    .wrapping_add(starts[n][vector])
                    .cast::<__m512i>();
                for dword in 0..DWORDS {
                    // SAFETY: the host has AVX-512. Two vectors from the last start on are inside. The part of the register is
                    // as long as a vector.
                    unsafe {
                        let dword_behind = _mm512_set1_epi32(dword as i32);
                        let behind = _mm512_add_epi32(from[n][vector], dword_behind);
                        let low = at.read_unaligned();
                        let loaded = if beside == 0 {
                            _mm512_permutexvar_epi32(behind, low)
                        } else {
                            let high = at.wrapping_add(1).read_unaligned();
                            _mm512_permutex2var_epi32(low, behind, high)
                        };
                        let part = registers[n][dword].0[vector * WIDTH..].as_mut_ptr();
                        let part = part.cast::<__m512i>();
                        if ALL {
                            part.write(loaded);
                        } else {
                            let active = active(elements.exec, vector);
                            part.write(blended_vector(part.read(), loaded, active));
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// [`gather`], wherever the elements are.
    #[inline(never)]
    #[target_feature(enable = "avx512f")]
    fn gather_apart<const DWORDS: usize>(
        elements: &Elements,
        bytes: &[u8],
        registers: &mut [Lanes],
        into: usize,
    ) -> Option<()> {
        let size = DWORDS * DWORD;
        // Signed, it is not negative, nor is a place.
        let last = i32::try_from(bytes.len().checked_sub(size)?).ok()? as u32;
        let addresses = vectors(*registers.get(elements.register)?);
        // SAFETY: the function is for such hosts only.
        unsafe {
            if !are_inside(elements, &addresses, last) {
                return None;
            }
        }
        let registers = registers.get_mut(into..into + elements.offsets.len() * DWORDS)?;
        let registers = registers.as_chunks_mut::<DWORDS>().0;
        for (&offset, registers) in elements.offsets.iter().zip(registers) {
            // SAFETY: as above.
            let places = unsafe { places(elements, &addresses, offset) };
            for (vector, &places) in places.iter().enumerate() {
                let active = active(elements.exec, vector);
                let mut loaded = [_mm512_setzero_si512(); DWORDS];
                // SAFETY: the places of the active lanes are inside, with all dwords of their elements; nothing is read for
                // others.
                unsafe {
                    if DWORDS == 2 {
                        let quads = |places, active| {
                            let none = _mm512_setzero_si512();
                            let from = bytes.as_ptr().cast();
                            _mm512_mask_i32gather_epi64::<1>(none, active, places, from)
                        };
                        let low = quads(_mm512_castsi512_si256(places), active as u8);
                        let high = _mm512_extracti64x4_epi64::<1>(places);
                        let high = quads(high, (active >> (WIDTH / 2)) as u8);
                        unzip(low, high, &mut loaded);
                    } else if DWORDS == 4 && active == u16::MAX {
                        let places = of_lanes(places);
                        let quad = |lane: usize| {
                            let at = bytes.as_ptr().wrapping_add(places[lane] as usize);
                            _mm_loadu_si128(at.cast())
                        };
                        let mut fourths = [_mm512_setzero_si512(); DWORDS];
                        for (n, fourth) in fourths.iter_mut().enumerate() {
                            let quads = _mm512_castsi128_si512(quad(n));
                            let quads = _mm512_inserti32x4::<1>(quads, quad(n + 4));
                            let quads = _mm512_inserti32x4::<2>(quads, quad(n + 8));
                            *fourth = _mm512_inserti32x4::<3>(quads, quad(n + 12));
                        }
                        loaded = transposed(fourths);
                    } else {
                        for (n, loaded) in loaded.iter_mut().enumerate() {
                            let from = bytes.as_ptr().wrapping_add(n * DWORD).cast();
                            let none = _mm512_setzero_si512();
                            *loaded = _mm512_mask_i32gather_epi32::<1>(none, active, places, from);
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

    /// Takes the low dwords of 16 pairs, or the high ones.
    #[inline(always)]
    fn unzip(low: __m512i, high: __m512i, into: &mut [__m512i]) {
        for (n, into) in into.iter_mut().enumerate() {
            let mut from = [0; WIDTH];
            for (lane, from) in from.iter_mut().enumerate() {
                *from = (2 * lane + n) as u32;
            }
            // SAFETY: both are 64 bytes; who calls this is for hosts with AVX-512.
            *into = unsafe {
                let from = std::mem::transmute::<[u32; WIDTH], __m512i>(from);
                _mm512_permutex2var_epi32(low, from, high)
            };
        }
    }

    /// The lanes of a vector.
    #[inline(always)]
    fn of_lanes(vector: __m512i) -> [u32; WIDTH] {
        // SAFETY: both are 64 bytes, of which every value is one of the other type.
        unsafe { std::mem::transmute(vector) }
    }

    /// Pairs of dwords, of 16 lanes each.
    #[inline(always)]
    fn zip(low: __m512i, high: __m512i) -> [__m512i; 2] {
        let mut pairs = [low, high];
        for (n, pairs) in pairs.iter_mut().enumerate() {
            let mut from = [0; WIDTH];
            for (place, from) in from.iter_mut().enumerate() {
                *from = (n * WIDTH / 2 + place / 2 + place % 2 * WIDTH) as u32;
            }
            // SAFETY: both are 64 bytes; who calls this is for hosts with AVX-512.
            *pairs = unsafe {
                let from = std::mem::transmute::<[u32; WIDTH], __m512i>(from);
                _mm512_permutex2var_epi32(low, from, high)
            };
        }
        pairs
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
        bytes: &mut [u8],
        registers: &[Lanes],
        from: &[usize],
    ) -> Stored {
        let size = DWORDS * DWORD;
        let last = bytes.len().checked_sub(size);
        let last = last.and_then(|last| i32::try_from(last).ok());
        let (Some(last), Some(register)) = (last, registers.get(elements.register)) else {
            return Stored::Nothing;
        };
        let (last, addresses) = (last as u32, vectors(*register));
        // SAFETY: the function is for such hosts only.
        let shapes = unsafe {
            if !are_inside(elements, &addresses, last)
                || from.iter().any(|&from| from + DWORDS > registers.len())
            {
                return Stored::Nothing;
            }
            if !are_apart(elements, &addresses, last, size) {
                return Stored::NotInOrder;
            }
            shapes(register, size, elements.exec)
        };
        for (&offset, &from) in elements.offsets.iter().zip(from) {
            // SAFETY: as above.
            let places = unsafe { places(elements, &addresses, offset) };
            for vector in 0..VECTORS {
                let mut dwords = [_mm512_setzero_si512(); DWORDS];
                for (dwords, register) in dwords.iter_mut().zip(&registers[from..]) {
                    *dwords = vectors(*register)[vector];
                }
                let places = places[vector];
                let place = _mm512_cvtsi512_si32(places) as u32 as usize;
                let is_row = matches!(shapes[vector], Shape::Row)
                    && place + (WIDTH - 1) * size <= last as usize;
                let active = active(elements.exec, vector);
                let bytes = bytes.as_mut_ptr();
                let at = bytes.wrapping_add(place).cast::<__m512i>();
                // SAFETY: the places of the active lanes are inside, all lanes are active where they have a shape.
                unsafe {
                    if DWORDS == 1 && is_row {
                        at.write_unaligned(dwords[0]);
                    } else if DWORDS == 1 {
                        _mm512_mask_i32scatter_epi32::<1>(bytes.cast(), active, places, dwords[0]);
                    } else if DWORDS == 2 {
                        let [low, high] = zip(dwords[0], dwords[1]);
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
                                let quad =
                                    quads.add(lane % DWORDS * VECTORS + lane / DWORDS).read();
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
}
