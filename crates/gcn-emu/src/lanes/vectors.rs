//! Host vectors, abstracted over their width.
//!
//! All functions are `inline(always)` and thus have no target features. They are inlined into functions that have them;
//! closures would not be.
//!
//! This is one of the modules that may use `unsafe`: optional host instructions are used only on hosts that have
//! them.

pub(super) mod avx2;
pub(super) mod avx512;

use super::register::{LANES, Lanes};

/// Maximum number of lanes in a vector.
pub(super) const WIDEST: usize = 16;
/// Maximum number of vectors per register.
pub(super) const MOST: usize = 8;

/// Host vector: one dword for each of several consecutive lanes.
///
/// # Safety
/// The host must support these vectors, and accessed addresses must be readable or writable.
pub(super) trait Vector: Copy {
    /// Number of lanes.
    const WIDTH: usize;
    /// Lane mask in the host's representation.
    type Active: Copy;

    unsafe fn splat(dword: u32) -> Self;
    unsafe fn plus(self, other: Self) -> Self;
    unsafe fn minus(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn least(self, other: Self) -> Self;
    unsafe fn greatest(self, other: Self) -> Self;
    /// Converts byte offsets to dword offsets.
    unsafe fn in_dwords(self) -> Self;
    /// True if any lane has one of these bits set.
    unsafe fn has_any(self, bits: u32) -> bool;
    /// True if the vectors differ in any lane.
    unsafe fn differs(self, other: Self) -> bool;
    /// Returns the value of the first lane.
    unsafe fn number(self) -> u32;
    /// Broadcasts the first lane.
    unsafe fn first(self) -> Self;
    /// Broadcasts the first active lane; the result is unspecified if no lane is active.
    unsafe fn first_of(self, active: u16) -> Self;
    /// Creates a mask of the lanes whose bits are set.
    unsafe fn active(bits: u16) -> Self::Active;
    /// Sets inactive lanes to zero.
    unsafe fn kept(self, active: Self::Active) -> Self;
    /// Replaces active lanes with the lanes of `new`.
    unsafe fn blended(self, new: Self, active: Self::Active) -> Self;
    /// Selects dwords by index from `low`, or from `low` and `high` if `BOTH`.
    unsafe fn picked<const BOTH: bool>(low: Self, high: Self, numbers: Self) -> Self;
    /// Loads a vector from memory that other threads may access.
    unsafe fn at(bytes: *const u8) -> Self;
    /// Gathers dwords at `bytes` plus the active lanes' offsets. Inactive lanes keep the values of `self`.
    unsafe fn or_at(self, bytes: *const u8, places: Self, active: Self::Active) -> Self;
    /// Gathers elements of two or four dwords at all lanes' offsets, one vector per dword.
    unsafe fn elements_at<const DWORDS: usize>(bytes: *const u8, places: Self) -> [Self; DWORDS];
    /// Interleaves vectors of one dword each into consecutive elements of one to four dwords.
    unsafe fn in_order<const DWORDS: usize>(dwords: [Self; DWORDS]) -> [Self; DWORDS];
    /// Reverses `in_order`.
    unsafe fn taken_apart<const DWORDS: usize>(elements: [Self; DWORDS]) -> [Self; DWORDS];
}

/// Reads vector number `vector` of a register.
#[inline(always)]
pub(super) fn part<V: Vector>(register: &Lanes, vector: usize) -> V {
    let part = register.0[vector * V::WIDTH..][..V::WIDTH].as_ptr();
    // SAFETY: the slice has as many dwords as the vector, and every value is valid.
    unsafe { part.cast::<V>().read() }
}

/// Writes vector number `vector` of a register.
#[inline(always)]
pub(super) fn set_part<V: Vector>(register: &mut Lanes, vector: usize, part: V) {
    let to = register.0[vector * V::WIDTH..][..V::WIDTH].as_mut_ptr();
    // SAFETY: as above.
    unsafe { to.cast::<V>().write(part) };
}

/// Reads all vectors of a register.
#[inline(always)]
pub(super) fn all_vectors<V: Vector>(register: &Lanes) -> [V; MOST] {
    let mut vectors = [part(register, 0); MOST];
    for (vector, into) in vectors.iter_mut().enumerate().take(LANES / V::WIDTH) {
        *into = part(register, vector);
    }
    vectors
}

/// Returns the active lanes of vector number `vector`.
#[inline(always)]
pub(super) fn active<V: Vector>(exec: u64, vector: usize) -> u16 {
    (exec >> (vector * V::WIDTH)) as u16 & all::<V>()
}

/// Returns the mask of all lanes of a vector.
#[inline(always)]
pub(super) fn all<V: Vector>() -> u16 {
    u16::MAX >> (WIDEST - V::WIDTH)
}

/// Creates a vector from dwords.
#[inline(always)]
fn vector_of<V: Vector>(dwords: [u32; WIDEST]) -> V {
    // SAFETY: the array has at least as many dwords as the vector, and every value is valid.
    unsafe { dwords.as_ptr().cast::<V>().read_unaligned() }
}

/// Returns the indices, within registers' vectors, of the dwords that make up one of `N` vectors of elements.
#[inline(always)]
fn in_registers<V: Vector, const N: usize>(vector: usize) -> V {
    let mut numbers = [0; WIDEST];
    for (lane, number) in numbers.iter_mut().enumerate() {
        let dword = vector * V::WIDTH + lane;
        *number = (dword % N * V::WIDTH + dword / N) as u32;
    }
    vector_of(numbers)
}

/// Returns the indices, within vectors of elements, of the dwords that make up one of `N` registers' vectors.
#[inline(always)]
fn in_elements<V: Vector, const N: usize>(register: usize) -> V {
    let mut numbers = [0; WIDEST];
    for (lane, number) in numbers.iter_mut().enumerate() {
        *number = (lane * N + register) as u32;
    }
    vector_of(numbers)
}

/// Returns the lane numbers multiplied by `distance`.
#[inline(always)]
pub(super) fn apart<V: Vector>(distance: usize) -> V {
    let mut distances = [0_u32; WIDEST];
    for (n, behind) in distances.iter_mut().enumerate() {
        *behind = (n * distance) as u32;
    }
    vector_of(distances)
}

/// Defines functions of [`Vector`] with host instructions.
macro_rules! operations {
    ($($name:ident $(<const $CONST:ident: $Const:ty>)? ($($arg:ident $(: $Arg:ty)?),*) -> $Result:ty { $($body:tt)* })*) => {$(
        #[inline(always)]
        unsafe fn $name $(<const $CONST: $Const>)? ($($arg $(: $Arg)?),*) -> $Result {
            // SAFETY: guaranteed by the caller, as the trait requires.
            unsafe { $($body)* }
        }
    )*};
}
use operations;

/// Defines loads that are one host instruction each, available with a target feature. Assembly is opaque to the
/// compiler, which therefore cannot assume that no other thread writes. The host loads each aligned dword of a vector
/// at once, like relaxed atomic loads of dwords.
macro_rules! moves {
    ($feature:literal, $($(#[$doc:meta])* $name:ident $Vector:ident $class:ident $instruction:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// A whole vector must be readable at `at`.
        #[inline]
        #[target_feature(enable = $feature)]
        unsafe fn $name(at: *const u8) -> $Vector {
            let loaded;
            // SAFETY: guaranteed by the caller.
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
