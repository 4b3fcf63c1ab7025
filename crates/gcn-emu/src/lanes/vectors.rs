//! Vectors of the host's, whatever their width is: what is written for them is written once.
//!
//! Everything here is inlined for sure, which nothing can be that is declared to be for some hosts; it is called by functions
//! that are, and becomes part of them, as no closure would.
//!
//! This is one of the modules that may use `unsafe`: instructions that not every host has are used where it has them.

pub(super) mod avx2;
pub(super) mod avx512;

use super::register::{LANES, Lanes};

/// The most lanes that a vector has.
pub(super) const WIDEST: usize = 16;
/// The most vectors that a register is.
pub(super) const MOST: usize = 8;

/// A vector of the host's: a dword for each of some lanes that follow each other.
///
/// # Safety
/// The host has such vectors, and the bytes at the addresses are readable or writable.
pub(super) trait Vector: Copy {
    /// Number of lanes.
    const WIDTH: usize;
    /// Some of them, as the host selects them.
    type Active: Copy;

    unsafe fn splat(dword: u32) -> Self;
    unsafe fn plus(self, other: Self) -> Self;
    unsafe fn minus(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn least(self, other: Self) -> Self;
    unsafe fn greatest(self, other: Self) -> Self;
    /// Bytes as dwords.
    unsafe fn in_dwords(self) -> Self;
    /// True if a lane has one of some bits.
    unsafe fn has_any(self, bits: u32) -> bool;
    /// True if a lane has another dword.
    unsafe fn differs(self, other: Self) -> bool;
    /// The first lane's.
    unsafe fn number(self) -> u32;
    /// The first lane's, in all.
    unsafe fn first(self) -> Self;
    /// The first active lane's, in all; if there is none, anything.
    unsafe fn first_of(self, active: u16) -> Self;
    /// The lanes whose bits are set.
    unsafe fn active(bits: u16) -> Self::Active;
    /// Zero in all other lanes.
    unsafe fn kept(self, active: Self::Active) -> Self;
    /// Another's dwords in active lanes.
    unsafe fn blended(self, new: Self, active: Self::Active) -> Self;
    /// The dwords with these numbers in one vector, or in both.
    unsafe fn picked<const BOTH: bool>(low: Self, high: Self, numbers: Self) -> Self;
    /// Loads from memory that threads may share.
    unsafe fn at(bytes: *const u8) -> Self;
    /// The dwords at active lanes' places there, these in others.
    unsafe fn or_at(self, bytes: *const u8, places: Self, active: Self::Active) -> Self;
    /// The elements of two or four dwords at all lanes' places there, a vector for each of those.
    unsafe fn elements_at<const DWORDS: usize>(bytes: *const u8, places: Self) -> [Self; DWORDS];
    /// Elements of one to four dwords, one behind the other, from a vector of each.
    unsafe fn in_order<const DWORDS: usize>(dwords: [Self; DWORDS]) -> [Self; DWORDS];
    /// The other way round.
    unsafe fn taken_apart<const DWORDS: usize>(elements: [Self; DWORDS]) -> [Self; DWORDS];
}

/// One of a register's vectors.
#[inline(always)]
pub(super) fn part<V: Vector>(register: &Lanes, vector: usize) -> V {
    let part = register.0[vector * V::WIDTH..][..V::WIDTH].as_ptr();
    // SAFETY: it has as many dwords, of which every value is one of the vector's.
    unsafe { part.cast::<V>().read() }
}

/// Writes one.
#[inline(always)]
pub(super) fn set_part<V: Vector>(register: &mut Lanes, vector: usize, part: V) {
    let to = register.0[vector * V::WIDTH..][..V::WIDTH].as_mut_ptr();
    // SAFETY: as above.
    unsafe { to.cast::<V>().write(part) };
}

/// All of them.
#[inline(always)]
pub(super) fn all_vectors<V: Vector>(register: &Lanes) -> [V; MOST] {
    let mut vectors = [part(register, 0); MOST];
    for (vector, into) in vectors.iter_mut().enumerate().take(LANES / V::WIDTH) {
        *into = part(register, vector);
    }
    vectors
}

/// The lanes of a vector that are active.
#[inline(always)]
pub(super) fn active<V: Vector>(exec: u64, vector: usize) -> u16 {
    (exec >> (vector * V::WIDTH)) as u16 & all::<V>()
}

/// All of its lanes.
#[inline(always)]
pub(super) fn all<V: Vector>() -> u16 {
    u16::MAX >> (WIDEST - V::WIDTH)
}

/// Some dwords.
#[inline(always)]
fn vector_of<V: Vector>(dwords: [u32; WIDEST]) -> V {
    // SAFETY: there are as many, of which every value is one of the vector's.
    unsafe { dwords.as_ptr().cast::<V>().read_unaligned() }
}

/// Positions in registers' vectors of the dwords of one of `N` vectors of elements.
#[inline(always)]
fn in_registers<V: Vector, const N: usize>(vector: usize) -> V {
    let mut numbers = [0; WIDEST];
    for (lane, number) in numbers.iter_mut().enumerate() {
        let dword = vector * V::WIDTH + lane;
        *number = (dword % N * V::WIDTH + dword / N) as u32;
    }
    vector_of(numbers)
}

/// Positions in vectors of elements of the dwords of one of `N` registers' vectors.
#[inline(always)]
fn in_elements<V: Vector, const N: usize>(register: usize) -> V {
    let mut numbers = [0; WIDEST];
    for (lane, number) in numbers.iter_mut().enumerate() {
        *number = (lane * N + register) as u32;
    }
    vector_of(numbers)
}

/// Distances of a vector's lanes from the first, for this distance between neighbours.
#[inline(always)]
pub(super) fn apart<V: Vector>(distance: usize) -> V {
    let mut distances = [0_u32; WIDEST];
    for (n, behind) in distances.iter_mut().enumerate() {
        *behind = (n * distance) as u32;
    }
    vector_of(distances)
}

/// Functions of [`Vector`] that are instructions of the host's.
macro_rules! operations {
    ($($name:ident $(<const $CONST:ident: $Const:ty>)? ($($arg:ident $(: $Arg:ty)?),*) -> $Result:ty { $($body:tt)* })*) => {$(
        #[inline(always)]
        unsafe fn $name $(<const $CONST: $Const>)? ($($arg $(: $Arg)?),*) -> $Result {
            // SAFETY: as the trait has it.
            unsafe { $($body)* }
        }
    )*};
}
use operations;

/// Loads by one instruction of the host's each, which it has with a feature. Moves that the compiler does not see are no
/// race in its eyes, and the host makes each aligned dword of a vector visible at once, which is all that relaxed atomic
/// moves of dwords would promise.
macro_rules! moves {
    ($feature:literal, $($(#[$doc:meta])* $name:ident $Vector:ident $class:ident $instruction:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The bytes of a vector are readable at `at`.
        #[inline]
        #[target_feature(enable = $feature)]
        unsafe fn $name(at: *const u8) -> $Vector {
            let loaded;
            // SAFETY: the caller vouches for it.
            unsafe {
                std::arch::asm!(
                    concat!($instruction, " {loaded}, [{at}]"),
                    loaded = out($class) loaded,
                    at = in(reg) at,
                    options(readonly, nostack, preserves_flags),
                );
            }
            loaded
        }
    )*};
}
use moves;
