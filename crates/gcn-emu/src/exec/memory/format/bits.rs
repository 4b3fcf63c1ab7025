//! Bits of components.

/// As many ones, up to 32.
#[inline(always)]
pub(super) fn ones(width: u32) -> u32 {
    ((1u64 << width) - 1) as u32
}

/// Bits with the highest of them as sign.
#[inline(always)]
pub(super) fn signed(bits: u32, width: u32) -> i32 {
    let top = u32::BITS - width.max(1);
    (bits << top) as i32 >> top
}
