//! Traits of the values that integer operations work on.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Values with bitwise operations.
pub trait Bits:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl<T> Bits for T where
    T: Copy + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T> + Not<Output = T>
{
}

/// An integer of known width and signedness: a lane's register, a scalar register, a value with undefined bits, or a
/// node that a compiler records. [`super::body`] implements each operation once for all of them.
///
/// Sums, differences and products wrap around. Shift amounts are taken modulo the width; a right shift of a signed
/// value is arithmetic.
///
/// # Examples
/// ```
/// use gcn_isa::effect::Value;
/// fn negated<V: Value>(a: V) -> V {
///     a.constant(0).wrapping_sub(a)
/// }
/// assert_eq!((negated(1_u16), negated(5_i32)), (0xffff, -5));
/// assert_eq!((Value::shr(0x8000_0000_u32, 31), Value::shr(i32::MIN, 31)), (1, -1));
/// ```
pub trait Value: Bits {
    /// Boolean result.
    type Flag: Bits;
    /// Unsigned 32-bit value: a shift amount or a count.
    type Dword: Value<Flag = Self::Flag, Dword = Self::Dword>;

    /// Width in bits.
    fn width(self) -> u32;
    /// True if the type is signed.
    fn is_signed(self) -> bool;
    /// Constant of this value's type.
    fn constant(self, value: u64) -> Self;
    /// Value truncated or zero-extended to 32 bits.
    fn dword(self) -> Self::Dword;
    /// Dword converted to this value's type: truncated or zero-extended.
    fn of_dword(self, dword: Self::Dword) -> Self;
    /// Selects `one` if `flag` is true, otherwise `other`.
    fn select(flag: Self::Flag, one: Self, other: Self) -> Self;

    /// Sum.
    fn wrapping_add(self, other: Self) -> Self;
    /// Difference.
    fn wrapping_sub(self, other: Self) -> Self;
    /// Low half of the product.
    fn wrapping_mul(self, other: Self) -> Self;
    /// High half of the product.
    fn mul_high(self, other: Self) -> Self;
    /// Sum, and an overflow flag.
    fn overflowing_add(self, other: Self) -> (Self, Self::Flag);
    /// Difference, and an overflow flag.
    fn overflowing_sub(self, other: Self) -> (Self, Self::Flag);
    /// Saturating sum.
    fn saturating_add(self, other: Self) -> Self;
    /// Saturating difference.
    fn saturating_sub(self, other: Self) -> Self;

    /// Shifts left.
    fn shl(self, by: Self::Dword) -> Self;
    /// Shifts right.
    fn shr(self, by: Self::Dword) -> Self;
    /// Reverses the bits.
    fn reverse_bits(self) -> Self;
    /// Number of ones.
    fn count_ones(self) -> Self::Dword;
    /// Number of leading zeros.
    fn leading_zeros(self) -> Self::Dword;
    /// Number of trailing zeros.
    fn trailing_zeros(self) -> Self::Dword;

    /// True if the values are equal.
    fn equals(self, other: Self) -> Self::Flag;
    /// True if `self` is less than `other`.
    fn less(self, other: Self) -> Self::Flag;
}

macro_rules! integers {
    ($($T:ident, $Unsigned:ident, $Wide:ident;)*) => {$(
        impl Value for $T {
            type Flag = bool;
            type Dword = u32;

            #[inline(always)]
            fn width(self) -> u32 { $T::BITS }
            #[inline(always)]
            fn is_signed(self) -> bool { $T::MIN != 0 }
            #[inline(always)]
            fn constant(self, value: u64) -> $T { value as $T }
            #[inline(always)]
            fn dword(self) -> u32 { self as $Unsigned as u32 }
            #[inline(always)]
            fn of_dword(self, dword: u32) -> $T { dword as $T }
            #[inline(always)]
            fn select(flag: bool, one: $T, other: $T) -> $T { if flag { one } else { other } }
            #[inline(always)]
            fn wrapping_add(self, other: $T) -> $T { $T::wrapping_add(self, other) }
            #[inline(always)]
            fn wrapping_sub(self, other: $T) -> $T { $T::wrapping_sub(self, other) }
            #[inline(always)]
            fn wrapping_mul(self, other: $T) -> $T { $T::wrapping_mul(self, other) }
            #[inline(always)]
            fn mul_high(self, other: $T) -> $T { ((self as $Wide * other as $Wide) >> $T::BITS) as $T }
            #[inline(always)]
            fn overflowing_add(self, other: $T) -> ($T, bool) { $T::overflowing_add(self, other) }
            #[inline(always)]
            fn overflowing_sub(self, other: $T) -> ($T, bool) { $T::overflowing_sub(self, other) }
            #[inline(always)]
            fn saturating_add(self, other: $T) -> $T { $T::saturating_add(self, other) }
            #[inline(always)]
            fn saturating_sub(self, other: $T) -> $T { $T::saturating_sub(self, other) }
            #[inline(always)]
            fn shl(self, by: u32) -> $T { self.wrapping_shl(by) }
            #[inline(always)]
            fn shr(self, by: u32) -> $T { self.wrapping_shr(by) }
            #[inline(always)]
            fn reverse_bits(self) -> $T { $T::reverse_bits(self) }
            #[inline(always)]
            fn count_ones(self) -> u32 { $T::count_ones(self) }
            #[inline(always)]
            fn leading_zeros(self) -> u32 { $T::leading_zeros(self) }
            #[inline(always)]
            fn trailing_zeros(self) -> u32 { $T::trailing_zeros(self) }
            #[inline(always)]
            fn equals(self, other: $T) -> bool { self == other }
            #[inline(always)]
            fn less(self, other: $T) -> bool { self < other }
        }
    )*};
}

integers! {
    u16, u16, u32;
    i16, u16, i32;
    u32, u32, u64;
    i32, u32, i64;
    u64, u64, u128;
    i64, u64, i128;
}
