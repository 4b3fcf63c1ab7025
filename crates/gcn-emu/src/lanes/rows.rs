//! Moves of dwords between lanes, and conversion between registers and multi-dword elements in memory, each register
//! holding one dword of every element.
//!
//! This is one of the modules that may use `unsafe`: it uses host instructions that permute dwords between vectors.

#[cfg(target_arch = "x86_64")]
use super::level::{Level, level};
use super::register::{LANES, Lanes};
#[cfg(target_arch = "x86_64")]
use super::vectors::{self, Vector, active, all, part, set_part};

/// Interleaves two to four registers, each with one dword of every lane's element, into consecutive elements.
pub fn to_elements(registers: &[Lanes], elements: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    match level() {
        // SAFETY: the host supports the level's features.
        Level::Avx512 => return unsafe { avx512::to_elements(registers, elements) },
        // SAFETY: as above.
        Level::Avx2 => return unsafe { avx2::to_elements(registers, elements) },
        Level::Baseline => {}
    }
    put_together(registers, elements);
}

/// Variant of [`to_elements`] that copies one dword at a time.
fn put_together(registers: &[Lanes], elements: &mut [u32]) {
    for (lane, element) in elements.chunks_exact_mut(registers.len()).enumerate() {
        for (dword, register) in element.iter_mut().zip(registers) {
            *dword = register.0[lane % LANES];
        }
    }
}

/// Reverses [`to_elements`] for active lanes.
pub fn from_elements(elements: &[u32], exec: u64, registers: &mut [Lanes]) {
    #[cfg(target_arch = "x86_64")]
    match level() {
        // SAFETY: the host supports the level's features.
        Level::Avx512 => return unsafe { avx512::from_elements(elements, exec, registers) },
        // SAFETY: as above.
        Level::Avx2 => return unsafe { avx2::from_elements(elements, exec, registers) },
        Level::Baseline => {}
    }
    take_apart(elements, exec, registers);
}

/// Variant of [`from_elements`] that copies one dword at a time.
fn take_apart(elements: &[u32], exec: u64, registers: &mut [Lanes]) {
    for (lane, element) in elements.chunks_exact(registers.len()).enumerate() {
        if exec >> (lane % LANES) & 1 != 0 {
            for (dword, register) in element.iter().zip(registers.iter_mut()) {
                register.0[lane % LANES] = *dword;
            }
        }
    }
}

/// Gives each lane the value of the lane selected by the low six bits of `from`.
#[inline]
pub fn permuted(value: &Lanes, from: &Lanes) -> Lanes {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host supports the level's features.
        return unsafe { vectors::avx512::permuted(value, from) };
    }
    looked_up(value, from)
}

/// Variant of [`permuted`] that processes one lane at a time.
fn looked_up(value: &Lanes, from: &Lanes) -> Lanes {
    Lanes(from.0.map(|lane| value.0[lane as usize % LANES]))
}

/// Variant of [`to_elements`] using vectors.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn put_in_order<V: Vector, const N: usize>(registers: &[Lanes], elements: &mut [u32]) {
    let Some(registers) = registers.first_chunk::<N>() else {
        return;
    };
    for (vector, group) in elements.chunks_exact_mut(N * V::WIDTH).enumerate() {
        let vector = vector % (LANES / V::WIDTH);
        let mut from = [part::<V>(&registers[0], vector); N];
        for (from, register) in from.iter_mut().zip(registers) {
            *from = part(register, vector);
        }
        // SAFETY: the host supports these vectors, and the group has the length of `N` vectors.
        unsafe {
            let group = group.as_mut_ptr().cast::<[V; N]>();
            group.write_unaligned(V::in_order(from));
        }
    }
}

/// Variant of [`from_elements`] using vectors.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn take_from<V: Vector, const N: usize>(
    elements: &[u32],
    exec: u64,
    registers: &mut [Lanes],
) {
    for (vector, group) in elements.chunks_exact(N * V::WIDTH).enumerate() {
        let vector = vector % (LANES / V::WIDTH);
        let active = active::<V>(exec, vector);
        // SAFETY: the host supports these vectors, and the group has the length of `N` vectors.
        unsafe {
            let group = group.as_ptr().cast::<[V; N]>().read_unaligned();
            for (register, mut dwords) in registers.iter_mut().zip(V::taken_apart(group)) {
                if active != all::<V>() {
                    dwords = part::<V>(register, vector).blended(dwords, V::active(active));
                }
                set_part(register, vector, dwords);
            }
        }
    }
}

/// Defines entry points that are compiled for a level.
#[cfg(target_arch = "x86_64")]
macro_rules! levels {
    ($($level:ident $feature:literal $Vector:ident;)*) => {$(
        mod $level {
            use std::arch::x86_64::$Vector;

            use super::{Lanes, put_in_order, take_from};

            #[target_feature(enable = $feature)]
            pub fn to_elements(registers: &[Lanes], elements: &mut [u32]) {
                // SAFETY: the function is called only on hosts with the feature.
                unsafe {
                    match registers.len() {
                        2 => put_in_order::<$Vector, 2>(registers, elements),
                        3 => put_in_order::<$Vector, 3>(registers, elements),
                        4 => put_in_order::<$Vector, 4>(registers, elements),
                        _ => {}
                    }
                }
            }

            #[target_feature(enable = $feature)]
            pub fn from_elements(elements: &[u32], exec: u64, registers: &mut [Lanes]) {
                // SAFETY: as above.
                unsafe {
                    match registers.len() {
                        2 => take_from::<$Vector, 2>(elements, exec, registers),
                        3 => take_from::<$Vector, 3>(elements, exec, registers),
                        4 => take_from::<$Vector, 4>(elements, exec, registers),
                        _ => {}
                    }
                }
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
levels! {
    avx2 "avx2" __m256i;
    avx512 "avx512f" __m512i;
}
