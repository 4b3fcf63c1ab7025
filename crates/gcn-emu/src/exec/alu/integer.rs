//! Integer arithmetic that scalar and vector instructions share.

/// The sum with a carry, and the carry out.
#[inline(always)]
pub(super) fn add_carry(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u32::from(carry));
    (sum, first | second)
}

/// The difference with a borrow, and the borrow out.
#[inline(always)]
pub(super) fn sub_borrow(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    // Comparisons are what the host's vectors have.
    let difference = a.wrapping_sub(b);
    let last = u32::from(borrow);
    (difference.wrapping_sub(last), (a < b) | (difference < last))
}

/// A bit's number, −1 if there was none.
#[inline(always)]
pub(super) fn found(number: u32, none: u32) -> i32 {
    if number == none { -1 } else { number as i32 }
}

/// `width` bits from `offset` on.
#[inline(always)]
pub(super) fn bits(value: u64, offset: u32, width: u32) -> u64 {
    let shifted = value >> offset;
    if width < 64 {
        shifted & ((1 << width) - 1)
    } else {
        shifted
    }
}

/// The same with the highest of them as sign.
#[inline(always)]
pub(super) fn signed_bits(value: i64, offset: u32, width: u32) -> i64 {
    let shifted = value >> offset;
    match width {
        0 => 0,
        1..64 => shifted << (64 - width) >> (64 - width),
        _ => shifted,
    }
}
