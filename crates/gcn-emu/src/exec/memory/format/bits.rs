//! Bit operations on components.

/// Returns a mask of the lowest `width` bits, at most 32.
#[inline(always)]
pub(super) fn ones(width: u32) -> u32 {
    ((1u64 << width) - 1) as u32
}

/// Sign-extends a value of `width` bits.
#[inline(always)]
pub(super) fn signed(bits: u32, width: u32) -> i32 {
    let top = u32::BITS - width.max(1);
    (bits << top) as i32 >> top
}
