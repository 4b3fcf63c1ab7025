//! Copies of lanes to and from guest memory with host vectors.
//!
//! This is one of the modules that may use `unsafe`: threads share guest memory. Assembly is opaque to the compiler, so
//! concurrent accesses are not data races in its model. The host accesses each aligned dword of a vector atomically,
//! which is all that relaxed atomic accesses to dwords would guarantee.

use std::arch::asm;
use std::arch::x86_64::__m512i;

use crate::lanes::{self, Lanes, Level, level};

/// Size of a dword in bytes.
const DWORD: usize = size_of::<u32>();
/// Number of lanes in the widest vector.
const WIDTH: usize = size_of::<__m512i>() / DWORD;

/// Copies the dwords of a register to or from guest memory.
///
/// # Safety
/// The host must have AVX2. Both sides must have [`lanes::LANES`] dwords and must not overlap, and the dwords in guest
/// memory must be aligned.
#[inline]
pub unsafe fn copy_lanes(from: *const u8, to: *mut u8) {
    // SAFETY: the host supports the level's features; the caller guarantees that 256 bytes are accessible on both
    // sides.
    unsafe {
        if level() == Level::Avx512 {
            copy_avx512(from, to);
        } else {
            copy_avx2(from, to);
            copy_avx2(from.wrapping_add(HALF), to.wrapping_add(HALF));
        }
    }
}

/// Size of half a register in bytes.
const HALF: usize = size_of::<Lanes>() / 2;

macro_rules! copies {
    ($($(#[$doc:meta])* $name:ident $feature:literal $class:ident $instruction:literal $second:literal $third:literal $fourth:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The host must support vectors of this width. Four vectors must be readable at `from` and writable at `to`.
        #[inline]
        #[target_feature(enable = $feature)]
        unsafe fn $name(from: *const u8, to: *mut u8) {
            // SAFETY: the caller guarantees that the bytes are accessible.
            unsafe {
                asm!(
                    concat!($instruction, " {a}, [{from}]"),
                    concat!($instruction, " {b}, [{from} + ", $second, "]"),
                    concat!($instruction, " {c}, [{from} + ", $third, "]"),
                    concat!($instruction, " {d}, [{from} + ", $fourth, "]"),
                    concat!($instruction, " [{to}], {a}"),
                    concat!($instruction, " [{to} + ", $second, "], {b}"),
                    concat!($instruction, " [{to} + ", $third, "], {c}"),
                    concat!($instruction, " [{to} + ", $fourth, "], {d}"),
                    from = in(reg) from,
                    to = in(reg) to,
                    a = out($class) _,
                    b = out($class) _,
                    c = out($class) _,
                    d = out($class) _,
                    options(nostack, preserves_flags),
                );
            }
        }
    )*};
}

copies! {
    /// Copies four vectors.
    copy_avx512 "avx512f" zmm_reg "vmovdqu64" "64" "128" "192";
    /// Copies four vectors.
    copy_avx2 "avx2" ymm_reg "vmovdqu" "32" "64" "96";
}

/// Stores the dwords of active lanes at their positions in a row of consecutive dwords.
///
/// # Safety
/// The host must have AVX2, and the dwords at `to` must be accessible and aligned.
pub unsafe fn store_lanes(from: &Lanes, to: *mut u8, exec: u64) {
    // SAFETY: the host supports the level's features; the caller guarantees that the dwords of all lanes are
    // accessible.
    unsafe {
        if level() == Level::Avx512 {
            store_avx512(from, to, exec);
        } else {
            lanes::store(&IN_ROW, exec, to, std::slice::from_ref(from));
        }
    }
}

/// Byte offsets of consecutive dwords.
static IN_ROW: Lanes = {
    let mut places = Lanes::ZERO;
    let mut lane = 0;
    while lane < lanes::LANES {
        places.0[lane] = (lane * DWORD) as u32;
        lane += 1;
    }
    places
};

/// Variant of [`store_lanes`] for hosts with AVX-512.
///
/// # Safety
/// Same as for [`store_lanes`].
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store_avx512(from: &Lanes, to: *mut u8, exec: u64) {
    for (n, from) in from.0.as_chunks::<WIDTH>().0.iter().enumerate() {
        // SAFETY: the caller guarantees that the dwords of all lanes are accessible; those of inactive lanes are not
        // written.
        unsafe {
            asm!(
                "vmovdqu32 {dwords}, [{from}]",
                "vmovdqu32 [{to}]{{{active}}}, {dwords}",
                dwords = out(zmm_reg) _,
                from = in(reg) from.as_ptr(),
                to = in(reg) to.wrapping_add(n * size_of::<__m512i>()),
                active = in(kreg) (exec >> (n * WIDTH)) as u16,
                options(nostack, preserves_flags),
            );
        }
    }
}
