//! Dwords that move between lanes, and elements of several that follow each other in memory, from registers of which each
//! has one of their dwords, and back.
//!
//! This is one of the modules that may use `unsafe`: hosts with AVX-512 have instructions that move dwords between vectors.

use super::{LANES, Lanes};
#[cfg(target_arch = "x86_64")]
use super::{Level, level};

/// Lanes' elements, one behind the other, from registers of which each has one of their dwords: two to four.
pub(crate) fn to_elements(registers: &[Lanes], elements: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has the level's features.
        unsafe {
            match registers {
                [a, b] => avx512::to_elements([a, b], elements),
                [a, b, c] => avx512::to_elements([a, b, c], elements),
                [a, b, c, d] => avx512::to_elements([a, b, c, d], elements),
                _ => {}
            }
        }
        return;
    }
    put_together(registers, elements);
}

/// [`to_elements`] a dword after the other.
fn put_together(registers: &[Lanes], elements: &mut [u32]) {
    for (lane, element) in elements.chunks_exact_mut(registers.len()).enumerate() {
        for (dword, register) in element.iter_mut().zip(registers) {
            *dword = register.0[lane % LANES];
        }
    }
}

/// The other way round, for active lanes.
pub(crate) fn from_elements(elements: &[u32], exec: u64, registers: &mut [Lanes]) {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has the level's features.
        unsafe {
            match registers.len() {
                2 => avx512::from_elements::<2>(elements, exec, registers),
                3 => avx512::from_elements::<3>(elements, exec, registers),
                4 => avx512::from_elements::<4>(elements, exec, registers),
                _ => {}
            }
        }
        return;
    }
    take_apart(elements, exec, registers);
}

/// [`from_elements`] a dword after the other.
fn take_apart(elements: &[u32], exec: u64, registers: &mut [Lanes]) {
    for (lane, element) in elements.chunks_exact(registers.len()).enumerate() {
        if exec >> (lane % LANES) & 1 != 0 {
            for (dword, register) in element.iter().zip(registers.iter_mut()) {
                register.0[lane % LANES] = *dword;
            }
        }
    }
}

/// What each lane reads in the lane whose number it gives, of which the low six bits count.
#[inline]
pub(crate) fn permuted(value: &Lanes, from: &Lanes) -> Lanes {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has the level's features.
        return unsafe { avx512::permuted(value, from) };
    }
    looked_up(value, from)
}

/// [`permuted`] a lane after the other.
fn looked_up(value: &Lanes, from: &Lanes) -> Lanes {
    Lanes(from.0.map(|lane| value.0[lane as usize % LANES]))
}

/// What hosts with AVX-512 do: so many lanes as fit a vector have as many vectors of elements as there are registers, in
/// which each dword has its place.
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use std::arch::x86_64::*;

    use super::{LANES, Lanes};
    use crate::lanes::{VECTORS, lanes_of, vectors};

    /// Lanes of a vector.
    const WIDTH: usize = LANES / VECTORS;

    /// For each dword of `N` vectors the number of the one that it is made of.
    type Places<const N: usize> = [[u32; WIDTH]; N];

    /// Where the elements' dwords are in registers' vectors.
    const fn in_registers<const N: usize>() -> Places<N> {
        let mut places = [[0; WIDTH]; N];
        let mut n = 0;
        while n < N * WIDTH {
            places[n / WIDTH][n % WIDTH] = (n % N * WIDTH + n / N) as u32;
            n += 1;
        }
        places
    }

    /// Where the registers' dwords are in vectors of elements.
    const fn in_elements<const N: usize>() -> Places<N> {
        let mut places = [[0; WIDTH]; N];
        let mut n = 0;
        while n < N * WIDTH {
            places[n / WIDTH][n % WIDTH] = (n % WIDTH * N + n / WIDTH) as u32;
            n += 1;
        }
        places
    }

    /// The dwords of two to four vectors that `places` says, by the low bits that so many have.
    #[inline(always)]
    fn moved<const N: usize>(from: [__m512i; N], places: __m512i) -> __m512i {
        // SAFETY: the callers are for hosts that have the instructions.
        unsafe {
            let lower = _mm512_permutex2var_epi32(from[0], places, from[1]);
            let beyond = _mm512_test_epi32_mask(places, _mm512_set1_epi32(2 * WIDTH as i32));
            match N {
                2 => lower,
                3 => _mm512_mask_permutexvar_epi32(lower, beyond, places, from[N - 1]),
                _ => {
                    let upper = _mm512_permutex2var_epi32(from[N - 2], places, from[N - 1]);
                    _mm512_mask_mov_epi32(lower, beyond, upper)
                }
            }
        }
    }

    /// Dwords as a vector.
    #[inline(always)]
    fn vector_of(dwords: [u32; WIDTH]) -> __m512i {
        // SAFETY: both are 64 bytes, of which every value is one of the other type.
        unsafe { std::mem::transmute(dwords) }
    }

    /// Elements of as many dwords as there are registers, from a vector of each.
    #[inline(always)]
    pub(in crate::lanes) fn elements_of<const N: usize>(registers: [__m512i; N]) -> [__m512i; N] {
        let places = const { in_registers::<N>() };
        let mut elements = registers;
        for (to, places) in elements.iter_mut().zip(places) {
            *to = moved(registers, vector_of(places));
        }
        elements
    }

    /// The other way round.
    #[inline(always)]
    pub(in crate::lanes) fn registers_of<const N: usize>(elements: [__m512i; N]) -> [__m512i; N] {
        let places = const { in_elements::<N>() };
        let mut registers = elements;
        for (to, places) in registers.iter_mut().zip(places) {
            *to = moved(elements, vector_of(places));
        }
        registers
    }

    /// See [`super::permuted`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn permuted(value: &Lanes, from: &Lanes) -> Lanes {
        let value = vectors(*value);
        let [a, b, c, d] = vectors(*from);
        lanes_of([
            moved(value, a),
            moved(value, b),
            moved(value, c),
            moved(value, d),
        ])
    }

    /// See [`super::to_elements`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn to_elements<const N: usize>(registers: [&Lanes; N], elements: &mut [u32]) {
        let (groups, _) = elements.as_chunks_mut::<WIDTH>();
        for (vector, group) in groups.as_chunks_mut::<N>().0.iter_mut().enumerate() {
            let mut from = [_mm512_setzero_si512(); N];
            for (from, register) in from.iter_mut().zip(registers) {
                *from = vectors(*register)[vector % VECTORS];
            }
            for (to, moved) in group.iter_mut().zip(elements_of(from)) {
                // SAFETY: both are 64 bytes.
                *to = unsafe { std::mem::transmute::<__m512i, [u32; WIDTH]>(moved) };
            }
        }
    }

    /// See [`super::from_elements`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn from_elements<const N: usize>(
        elements: &[u32],
        exec: u64,
        registers: &mut [Lanes],
    ) {
        let places = const { in_elements::<N>() };
        let (groups, _) = elements.as_chunks::<WIDTH>();
        for (register, places) in registers.iter_mut().zip(&places) {
            let mut loaded = [_mm512_setzero_si512(); VECTORS];
            for (loaded, group) in loaded.iter_mut().zip(groups.as_chunks::<N>().0) {
                // SAFETY: both have as many bytes.
                let from =
                    unsafe { std::mem::transmute_copy::<[[u32; WIDTH]; N], [__m512i; N]>(group) };
                *loaded = moved(from, vector_of(*places));
            }
            register.blend(&lanes_of(loaded), exec);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_permutes_as_one_after_the_other_would() {
        let value = Lanes(std::array::from_fn(|lane| 7 * lane as u32));
        let from = Lanes(std::array::from_fn(|lane| {
            (lane as u32).wrapping_mul(0x9e37_79b9) >> 13
        }));
        assert_eq!(permuted(&value, &from), looked_up(&value, &from));
        assert_eq!(permuted(&value, &Lanes::splat(0x7f)), Lanes::splat(7 * 63));
    }

    #[test]
    fn the_host_moves_dwords_as_one_after_the_other_would() {
        for count in 2..=4 {
            let value = |register: usize, lane: usize| (1000 * register + lane) as u32;
            let registers: Vec<Lanes> = (0..count)
                .map(|register| Lanes(std::array::from_fn(|lane| value(register, lane))))
                .collect();
            let (mut elements, mut expected) = (vec![0; count * LANES], vec![0; count * LANES]);
            to_elements(&registers, &mut elements);
            put_together(&registers, &mut expected);
            assert_eq!(elements, expected);
            assert_eq!(elements[count + 1], value(1, 1));
            for exec in [u64::MAX, 0xffff_0001_8000_1234] {
                let (mut loaded, mut expected) =
                    (vec![Lanes::ZERO; count], vec![Lanes::ZERO; count]);
                from_elements(&elements, exec, &mut loaded);
                take_apart(&elements, exec, &mut expected);
                assert_eq!(loaded, expected);
                assert_eq!(loaded[1].0[60], value(1, 60));
            }
        }
    }
}
