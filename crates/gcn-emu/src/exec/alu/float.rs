//! Floating-point types of lane values.

use std::hint::select_unpredictable as select;

use crate::lanes::{HalfFloat, Lane, of_single, to_single};

/// Half-precision value, represented by its bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F16(pub(crate) u16);

impl PartialEq for F16 {
    #[inline(always)]
    fn eq(&self, other: &F16) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for F16 {
    #[inline(always)]
    fn partial_cmp(&self, other: &F16) -> Option<std::cmp::Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
    #[inline(always)]
    fn lt(&self, other: &F16) -> bool {
        self.to_f32() < other.to_f32()
    }
    #[inline(always)]
    fn le(&self, other: &F16) -> bool {
        self.to_f32() <= other.to_f32()
    }
    #[inline(always)]
    fn gt(&self, other: &F16) -> bool {
        self.to_f32() > other.to_f32()
    }
    #[inline(always)]
    fn ge(&self, other: &F16) -> bool {
        self.to_f32() >= other.to_f32()
    }
}

impl Lane for F16 {
    const BITS: u32 = 16;
    const IS_HALF: bool = true;
    const SIGN: u32 = 1 << 15;
    #[inline(always)]
    fn join(low: u32, _: u32) -> F16 {
        F16(low as u16)
    }
    #[inline(always)]
    fn split(self) -> [u32; 2] {
        [u32::from(self.0), 0]
    }
}

/// Lane value type whose denormals may be flushed.
pub(crate) trait Flush: Lane {
    /// Replaces a denormal with a zero of the same sign.
    fn flushed(self) -> Self;

    /// Flushes denormals unless `keeps` is true.
    #[inline(always)]
    fn flushed_unless(self, keeps: bool) -> Self {
        select(keeps, self, self.flushed())
    }
}

macro_rules! without_denormals {
    ($($Type:ty)*) => {
        $(impl Flush for $Type {
            #[inline(always)]
            fn flushed(self) -> $Type { self }
            #[inline(always)]
            fn flushed_unless(self, _: bool) -> $Type { self }
        })*
    };
}
without_denormals! { () i16 u16 i32 u32 }

/// Floating-point lane value type.
pub(crate) trait Float: Flush + PartialOrd {
    /// Number of fraction bits.
    const FRACTION: u32;
    /// Maximum encoded exponent, used by infinities and NaNs.
    const EXPONENT_MAX: u32;
    /// Position of the lower of the two MODE bits for the type's denormals.
    const DENORMAL_BIT: u32;
    /// Position of the lower of the two MODE bits for the type's rounding.
    const ROUND_BIT: u32 = Self::DENORMAL_BIT - DENORMALS_ABOVE_ROUNDING;
    /// Returns the bits of the value.
    fn bits(self) -> u64;
    /// Creates a value from its bits.
    fn of_bits(bits: u64) -> Self;
    /// [`Flush::flushed`] for a result rounded to nearest. Returns a NaN instead of a number with the smallest normal
    /// exponent, since rounding may have raised the number from a denormal (errata E300).
    fn flushed_or_unsettled(self) -> Self;
    /// Clamps to 0..=1. A NaN becomes 0 if `nan_is_zero`; otherwise, it is preserved.
    fn clamped(self, nan_is_zero: bool) -> Self;
    /// Multiplies, rounding to nearest even.
    fn times(self, other: Self) -> Self;

    /// Returns the encoded exponent.
    #[inline(always)]
    fn exponent(self) -> u32 {
        (self.bits() >> Self::FRACTION) as u32 & Self::EXPONENT_MAX
    }

    /// True if the sign bit is set.
    #[inline(always)]
    fn negative(self) -> bool {
        self.bits() >> Self::FRACTION > u64::from(Self::EXPONENT_MAX)
    }

    /// True for any NaN.
    #[inline(always)]
    #[allow(clippy::eq_op)] // Only a NaN differs from itself.
    fn is_any_nan(self) -> bool {
        self != self
    }

    /// True for a signaling NaN.
    #[inline(always)]
    fn signals(self) -> bool {
        self.is_any_nan() & (self.bits() >> (Self::FRACTION - 1) & 1 == 0)
    }

    /// Sets the bit that makes a NaN quiet.
    #[inline(always)]
    fn quiet(self) -> Self {
        Self::of_bits(self.bits() | 1 << (Self::FRACTION - 1))
    }

    /// Returns the bits without the sign.
    #[inline(always)]
    fn magnitude(self) -> u64 {
        self.bits() & ((u64::from(Self::EXPONENT_MAX) << Self::FRACTION) | fraction_mask::<Self>())
    }

    /// Creates a value from a magnitude and a sign.
    #[inline(always)]
    fn signed(magnitude: u64, negative: bool) -> Self {
        let sign = u64::from(Self::EXPONENT_MAX) + 1;
        Self::of_bits(magnitude | if negative { sign << Self::FRACTION } else { 0 })
    }

    /// Returns two to the power of `power`, which must be in the range of normal numbers.
    #[inline(always)]
    fn power_of_two(power: i32) -> Self {
        let bias = (Self::EXPONENT_MAX >> 1) as i32;
        Self::of_bits(((bias + power) as u64) << Self::FRACTION)
    }

    /// Scales a denormal by a power of two that makes it normal, and returns that power (also for zeros). Normal
    /// values, infinities and NaNs are unchanged, with power 0.
    #[inline(always)]
    fn normal(self) -> (Self, i32) {
        let power = Self::FRACTION as i32 + 1;
        let scaled = self.times(Self::power_of_two(power));
        let is_small = self.exponent() == 0;
        (select(is_small, scaled, self), select(is_small, power, 0))
    }

    /// Returns the exponent of the value written as a fraction from 1/2 to 1 times a power of two; 0 for zeros,
    /// infinities and NaNs.
    #[inline(always)]
    fn frexp_exponent(self) -> i32 {
        let bias = (Self::EXPONENT_MAX >> 1) as i32;
        let (normal, power) = self.normal();
        let exponent = normal.exponent();
        let has_none = (exponent == 0) | (exponent == Self::EXPONENT_MAX);
        select(has_none, 0, exponent as i32 - bias + 1 - power)
    }

    /// Returns the fraction that corresponds to [`Float::frexp_exponent`]. Zeros, infinities and NaNs are unchanged.
    #[inline(always)]
    fn frexp_fraction(self) -> Self {
        let below_one = u64::from(Self::EXPONENT_MAX >> 1) - 1;
        let (normal, _) = self.normal();
        let exponent = normal.exponent();
        let has_none = (exponent == 0) | (exponent == Self::EXPONENT_MAX);
        let fraction = normal.bits() & fraction_mask::<Self>();
        let multiple = Self::signed(below_one << Self::FRACTION | fraction, self.negative());
        select(has_none, self, multiple)
    }

    /// Returns the class as one of the bits that V_CMP_CLASS tests: signaling NaN, quiet NaN, −∞, −normal, −denormal,
    /// −0, +0, +denormal, +normal, +∞, starting at bit 0.
    #[inline(always)]
    fn class(self) -> u32 {
        let fraction = self.bits() & ((1 << Self::FRACTION) - 1);
        let exponent = self.exponent();
        if exponent == Self::EXPONENT_MAX && fraction != 0 {
            return 1 << (fraction >> (Self::FRACTION - 1));
        }
        let distance = if exponent == Self::EXPONENT_MAX {
            3
        } else if exponent != 0 {
            2
        } else {
            u32::from(fraction != 0)
        };
        1 << if self.negative() {
            5 - distance
        } else {
            6 + distance
        }
    }
}

#[inline(always)]
fn fraction_mask<F: Float>() -> u64 {
    (1 << F::FRACTION) - 1
}

macro_rules! float {
    ($($Type:ty, $fraction:literal, $exponent_max:literal, $denormal_bit:literal;)*) => {
        $(impl Flush for $Type {
            #[inline(always)]
            fn flushed(self) -> $Type {
                const SIGN: $Type = -0.0;
                let bits = self.to_bits();
                // Zeros are unchanged.
                let is_small = bits & <$Type>::INFINITY.to_bits() == 0;
                <$Type>::from_bits(select(is_small, bits & SIGN.to_bits(), bits))
            }
        }

        impl Float for $Type {
            const FRACTION: u32 = $fraction;
            const EXPONENT_MAX: u32 = $exponent_max;
            #[inline(always)]
            fn bits(self) -> u64 { self.to_bits().into() }
            #[inline(always)]
            fn of_bits(bits: u64) -> $Type { <$Type>::from_bits(bits as _) }
            const DENORMAL_BIT: u32 = $denormal_bit;
            #[inline(always)]
            fn flushed_or_unsettled(self) -> $Type {
                let exponent = self.to_bits() & <$Type>::INFINITY.to_bits();
                let is_unsettled = exponent == <$Type>::MIN_POSITIVE.to_bits();
                // All ones encode a quiet NaN.
                let ones = if is_unsettled { !0 } else { 0 };
                <$Type>::from_bits(self.flushed().to_bits() | ones)
            }
            #[inline(always)]
            fn clamped(self, nan_is_zero: bool) -> $Type {
                if self > 1.0 {
                    1.0
                } else if self <= 0.0 || self.is_nan() && nan_is_zero {
                    0.0
                } else {
                    self
                }
            }
            #[inline(always)]
            fn times(self, other: $Type) -> $Type { self * other }
        })*
    };
}
// Bits 5:4 of MODE apply to single precision, 7:6 to the other widths.
float! { f32, 23, 0xff, 4; f64, 52, 0x7ff, 6; }

impl Float for F16 {
    const FRACTION: u32 = 10;
    const EXPONENT_MAX: u32 = 0x1f;
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.0)
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> F16 {
        F16(bits as u16)
    }
    const DENORMAL_BIT: u32 = 6;
    #[inline(always)]
    fn flushed_or_unsettled(self) -> F16 {
        let ones = if self.exponent() == 1 { !0 } else { 0 };
        F16(self.flushed().0 | ones)
    }
    #[inline(always)]
    fn clamped(self, nan_is_zero: bool) -> F16 {
        let clamped = F16::from_f32(self.to_f32().clamped(nan_is_zero));
        select(self.is_any_nan() & !nan_is_zero, self, clamped)
    }
    #[inline(always)]
    fn times(self, other: F16) -> F16 {
        F16::from_f32(self.to_f32() * other.to_f32())
    }
}

impl Flush for F16 {
    #[inline(always)]
    fn flushed(self) -> F16 {
        const EXPONENT: u16 = 0x7c00;
        const SIGN: u16 = 0x8000;
        F16(select(self.0 & EXPONENT == 0, self.0 & SIGN, self.0))
    }
}

/// Smallest normal number in half precision.
pub(super) const LEAST_HALF: f32 = 1.0 / (1 << 14) as f32;
/// Smallest value that rounds up to [`LEAST_HALF`] if the exponent range is unbounded; smaller values are flushed
/// (errata E300).
pub(super) const ROUNDED_TO_LEAST_HALF: f32 = LEAST_HALF - LEAST_HALF / (1 << 12) as f32;

/// Largest finite number in half precision.
pub(super) const LARGEST_HALF: f32 = 65504.0;
/// Sign bit in single precision.
pub(super) const SIGN_SINGLE: u32 = 1 << 31;

impl<const UP: u32> Flush for HalfFloat<UP> {
    /// Flushes a value before it is rounded to half precision.
    #[inline(always)]
    fn flushed(self) -> HalfFloat<UP> {
        self.flushed_unless(false)
    }

    /// Compares with a limit, which is 0 if denormals are kept, so that no value is flushed.
    #[inline(always)]
    fn flushed_unless(self, keeps: bool) -> HalfFloat<UP> {
        let limit = if keeps { 0.0 } else { ROUNDED_TO_LEAST_HALF };
        HalfFloat(select(self.0.abs() < limit, 0f32.copysign(self.0), self.0))
    }
}

/// Rounds to half precision, to nearest even, with a single rounding on every host. Returns the bits.
///
/// # Examples
/// ```
/// assert_eq!(gcn_emu::half_bits(1.5), 0x3e00);
/// // Just above the midpoint of two half-precision values; rounded to `f32`, the number is the midpoint.
/// assert_eq!(gcn_emu::half_bits(1.000_488_281_250_1), 0x3c01);
/// ```
pub fn half_bits(value: f64) -> u16 {
    F16::from_f64(value).0
}

/// Distance from MODE's rounding bits to the denormal bits of the same width.
const DENORMALS_ABOVE_ROUNDING: u32 = 4;

impl F16 {
    /// Rounds to nearest even, with a single rounding.
    #[inline(always)]
    pub(crate) fn from_f64(value: f64) -> F16 {
        let single = value as f32;
        if f64::from(single) == value || value.is_nan() {
            return F16::from_f32(single);
        }
        // Round to odd, so that the second rounding is correct.
        let too_far = f64::from(single).abs() > value.abs();
        let truncated = single.to_bits() - u32::from(too_far);
        F16::from_f32(f32::from_bits(truncated | 1))
    }

    /// Converts to single precision exactly. A signaling NaN becomes quiet.
    #[inline(always)]
    pub(crate) fn to_f32(self) -> f32 {
        to_single(self.0)
    }

    /// Rounds down to an integer.
    #[inline(always)]
    pub(crate) fn floor(self) -> F16 {
        F16::from_f32(self.to_f32().floor())
    }

    /// Rounds to nearest even.
    #[inline(always)]
    pub(crate) fn from_f32(value: f32) -> F16 {
        F16(of_single(value))
    }

    /// Rounds towards zero.
    #[inline(always)]
    pub(crate) fn from_f32_truncated(value: f32) -> F16 {
        let sign = (value.to_bits() >> 16) & 0x8000;
        let magnitude = value.to_bits() & 0x7fff_ffff;
        // For denormals: the digits down to the last place, 2^-24.
        let digits = magnitude & 0x007f_ffff | 0x0080_0000;
        let small = digits >> 126u32.saturating_sub(magnitude >> 23).min(31);
        let normal = magnitude.wrapping_sub(112 << 23) >> 13;
        let finite = select(magnitude < 0x3880_0000, small, normal);
        let number = select(magnitude >= 0x4780_0000, 0x7bff, finite);
        let special = select(
            magnitude == 0x7f80_0000,
            0x7c00,
            0x7e00 | magnitude >> 13 & 0x3ff,
        );
        let bits = select(magnitude >= 0x7f80_0000, special, number);
        F16((bits | sign) as u16)
    }
}

/// Replaces a result that was rounded up to 1 with the next lower value.
#[inline(always)]
pub(crate) fn below_one<F: Float>(a: F) -> F {
    let one = F::of_bits(u64::from(F::EXPONENT_MAX >> 1) << F::FRACTION);
    if a >= one {
        F::of_bits(one.bits() - 1)
    } else {
        a
    }
}
