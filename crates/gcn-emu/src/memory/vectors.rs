//! Moves of lanes' dwords to and from guest memory by vectors of hosts with AVX-512.
//!
//! This is one of the modules that may use `unsafe`: threads share guest memory. Moves that the compiler does not see are no
//! race in its eyes, and the host makes each aligned dword of a vector visible at once, which is all that relaxed atomic moves
//! of dwords would promise.

use std::arch::asm;
use std::arch::x86_64::__m512i;

use crate::lanes::{LANES, Lanes, active, to_elements};

/// Bytes of a dword.
const DWORD: usize = size_of::<u32>();
/// Lanes of a vector.
const WIDTH: usize = size_of::<__m512i>() / DWORD;
/// Dwords of the largest element.
const MAX_DWORDS: usize = 4;

/// Copies a register's dwords to or from guest memory, four vectors of them.
///
/// # Safety
/// The host has AVX-512; both ends have [`LANES`] dwords, those in guest memory aligned, and do not overlap.
#[inline]
#[target_feature(enable = "avx512f")]
pub unsafe fn copy_lanes(from: *const u8, to: *mut u8) {
    // SAFETY: the caller vouches for the 256 bytes at both ends.
    unsafe {
        asm!(
            "vmovdqu64 {a}, [{from}]",
            "vmovdqu64 {b}, [{from} + 64]",
            "vmovdqu64 {c}, [{from} + 128]",
            "vmovdqu64 {d}, [{from} + 192]",
            "vmovdqu64 [{to}], {a}",
            "vmovdqu64 [{to} + 64], {b}",
            "vmovdqu64 [{to} + 128], {c}",
            "vmovdqu64 [{to} + 192], {d}",
            from = in(reg) from,
            to = in(reg) to,
            a = out(zmm_reg) _,
            b = out(zmm_reg) _,
            c = out(zmm_reg) _,
            d = out(zmm_reg) _,
            options(nostack, preserves_flags),
        );
    }
}

/// Stores active lanes' dwords to their places in consecutive ones.
///
/// # Safety
/// The host has AVX-512; the dwords at `to` are there and aligned.
#[inline]
#[target_feature(enable = "avx512f")]
pub unsafe fn store_lanes(from: &Lanes, to: *mut u8, exec: u64) {
    for (n, from) in from.0.as_chunks::<WIDTH>().0.iter().enumerate() {
        // SAFETY: the caller vouches for all places of lanes; nothing is written to those of lanes that are not active.
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

/// Stores active lanes' elements, of which each register has a dword, lanes in ascending order, where places behind `to` say.
///
/// # Safety
/// The host has AVX-512; the elements are there, and no place has its highest bit set.
#[target_feature(enable = "avx512f")]
pub unsafe fn scatter(from: &[Lanes], to: *mut u8, places: &Lanes, exec: u64) {
    if let [register] = from {
        let (dwords, places) = (
            register.0.as_chunks::<WIDTH>().0,
            places.0.as_chunks::<WIDTH>().0,
        );
        for (n, (dwords, places)) in dwords.iter().zip(places).enumerate() {
            // SAFETY: the caller vouches for them. Of places that are the same the last lane's dword is what stays.
            unsafe {
                asm!(
                    "vmovdqu32 {places}, [{from_places}]",
                    "vmovdqu32 {dwords}, [{from_dwords}]",
                    "vpscatterdd [{to} + {places}]{{{active}}}, {dwords}",
                    places = out(zmm_reg) _,
                    dwords = out(zmm_reg) _,
                    from_places = in(reg) places.as_ptr(),
                    from_dwords = in(reg) dwords.as_ptr(),
                    to = in(reg) to,
                    active = inout(kreg) (exec >> (n * WIDTH)) as u16 => _,
                    options(nostack, preserves_flags),
                );
            }
        }
        return;
    }
    let mut elements = [[0; LANES]; MAX_DWORDS];
    let Some(elements) = elements.get_mut(..from.len()) else {
        return;
    };
    let elements = elements.as_flattened_mut();
    to_elements(from, elements);
    let bytes = from.len() * DWORD;
    let elements: *const u8 = elements.as_ptr().cast();
    for lane in active(exec) {
        let from = elements.wrapping_add(lane * bytes);
        let to = to.wrapping_add(places.0[lane] as usize);
        // SAFETY: the caller vouches for the element's place.
        unsafe {
            match bytes {
                8 => copy_pair(from, to),
                12 => {
                    copy_pair(from, to);
                    // The last two overlap the first two.
                    copy_pair(from.wrapping_add(DWORD), to.wrapping_add(DWORD));
                }
                _ => copy_quad(from, to),
            }
        }
    }
}

macro_rules! copies {
    ($($(#[$doc:meta])* $name:ident $class:ident $instruction:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The host has AVX-512; they are there at both ends.
        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn $name(from: *const u8, to: *mut u8) {
            // SAFETY: the caller vouches for them.
            unsafe {
                asm!(
                    concat!($instruction, " {dwords}, [{from}]"),
                    concat!($instruction, " [{to}], {dwords}"),
                    dwords = out($class) _,
                    from = in(reg) from,
                    to = in(reg) to,
                    options(nostack, preserves_flags),
                );
            }
        }
    )*};
}

copies! {
    /// Copies two dwords.
    copy_pair reg "mov";
    /// Copies four.
    copy_quad xmm_reg "vmovdqu";
}
