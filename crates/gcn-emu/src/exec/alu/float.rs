//! IEEE arithmetic under the MODE register, and conversions.
//!
//! [`Env`] is what MODE says of one width: here is the one place where rounding and denormals are dealt with.
//! Operations are functions on values; the host computes them with round to nearest even and denormals kept, and
//! [`Env::input`] and [`Env::output`] do the rest.

use std::hint::select_unpredictable as select;

use super::exact::{self, Round};
use crate::lanes::{Half, Lane, of_single, to_single};

/// A half-precision value by its bits.
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

/// A type of a lane with denormals, which may count as zeros.
pub(crate) trait Flush: Lane {
    /// A denormal becomes zero with its sign.
    fn flushed(self) -> Self;

    /// The same unless denormals are kept.
    #[inline(always)]
    fn flushed_unless(self, keeps: bool) -> Self {
        select(keeps, self, self.flushed())
    }
}

/// A floating-point type of a lane.
pub(crate) trait Float: Flush + PartialOrd {
    /// Bits of the fraction.
    const FRACTION: u32;
    /// The largest exponent as it is encoded: infinities and NaN.
    const EXPONENT_MAX: u32;
    /// The lowest of its two bits among MODE's denormal bits.
    const DENORMAL_BIT: u32;
    /// The lowest of its two bits among MODE's rounding bits.
    const ROUND_BIT: u32 = Self::DENORMAL_BIT - DENORMALS_ABOVE_ROUNDING;
    /// Its bits.
    fn bits(self) -> u64;
    /// From its bits.
    fn of_bits(bits: u64) -> Self;
    /// Brought to 0..=1; NaN to 0 or left.
    fn clamped(self, nan_is_zero: bool) -> Self;
    /// The product, rounded to nearest even.
    fn times(self, other: Self) -> Self;

    /// The exponent as it is encoded.
    #[inline(always)]
    fn exponent(self) -> u32 {
        (self.bits() >> Self::FRACTION) as u32 & Self::EXPONENT_MAX
    }

    /// True if the sign bit is set.
    #[inline(always)]
    fn negative(self) -> bool {
        self.bits() >> Self::FRACTION > u64::from(Self::EXPONENT_MAX)
    }

    /// True if it is a NaN.
    #[inline(always)]
    #[allow(clippy::eq_op)] // Only a NaN differs from itself.
    fn is_any_nan(self) -> bool {
        self != self
    }

    /// True if it is a signalling NaN.
    #[inline(always)]
    fn signals(self) -> bool {
        self.is_any_nan() & (self.bits() >> (Self::FRACTION - 1) & 1 == 0)
    }

    /// With the bit that makes a NaN quiet.
    #[inline(always)]
    fn quiet(self) -> Self {
        Self::of_bits(self.bits() | 1 << (Self::FRACTION - 1))
    }

    /// Its bits without the sign.
    #[inline(always)]
    fn magnitude(self) -> u64 {
        self.bits() & ((u64::from(Self::EXPONENT_MAX) << Self::FRACTION) | fraction_mask::<Self>())
    }

    /// Plus or minus this magnitude.
    #[inline(always)]
    fn signed(magnitude: u64, negative: bool) -> Self {
        let sign = u64::from(Self::EXPONENT_MAX) + 1;
        Self::of_bits(magnitude | if negative { sign << Self::FRACTION } else { 0 })
    }

    /// Two to a power that a normal number has.
    #[inline(always)]
    fn power_of_two(power: i32) -> Self {
        let bias = (Self::EXPONENT_MAX >> 1) as i32;
        Self::of_bits(((bias + power) as u64) << Self::FRACTION)
    }

    /// The power of two of which it is a multiple by 1/2 to 1; 0 of zeros, infinities and NaN.
    #[inline(always)]
    fn frexp_exponent(self) -> i32 {
        let bias = (Self::EXPONENT_MAX >> 1) as i32;
        let fraction = self.bits() & fraction_mask::<Self>();
        match self.exponent() {
            0 if fraction == 0 => 0,
            0 => fraction.ilog2() as i32 + 2 - bias - Self::FRACTION as i32,
            e if e == Self::EXPONENT_MAX => 0,
            e => e as i32 - bias + 1,
        }
    }

    /// That multiple; zeros, infinities and NaN themselves.
    #[inline(always)]
    fn frexp_fraction(self) -> Self {
        let fraction = self.bits() & fraction_mask::<Self>();
        let below_one = u64::from(Self::EXPONENT_MAX >> 1) - 1;
        match self.exponent() {
            0 if fraction == 0 => self,
            0 => {
                let shifted = fraction << (Self::FRACTION - fraction.ilog2());
                let magnitude = below_one << Self::FRACTION | shifted & fraction_mask::<Self>();
                Self::signed(magnitude, self.negative())
            }
            e if e == Self::EXPONENT_MAX => self,
            _ => Self::signed(below_one << Self::FRACTION | fraction, self.negative()),
        }
    }

    /// Its class, one of the bits that V_CMP_CLASS asks for: signalling NaN, quiet NaN, −∞, −normal, −denormal, −0,
    /// +0, +denormal, +normal, +∞ from bit 0 on.
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
                // Zeros stay what they are.
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
// Bits 5:4 of MODE are of single precision, 7:6 of the others.
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
    fn clamped(self, nan_is_zero: bool) -> F16 {
        F16::from_f32(self.to_f32().clamped(nan_is_zero))
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

/// The least normal number in half precision.
const LEAST_HALF: f32 = 1.0 / (1 << 14) as f32;
/// Least value that rounds up to it.
const ROUNDED_TO_LEAST_HALF: f32 = LEAST_HALF - LEAST_HALF / (1 << 11) as f32;

/// The largest number there.
const LARGEST_HALF: f32 = 65504.0;
/// The sign of a value in single precision.
const SIGN: u32 = 1 << 31;

impl<const UP: u32> Flush for Half<UP> {
    /// The same if it has still to be rounded.
    #[inline(always)]
    fn flushed(self) -> Half<UP> {
        self.flushed_unless(false)
    }

    /// The value to keep is the limit, which an operation has anyway.
    #[inline(always)]
    fn flushed_unless(self, keeps: bool) -> Half<UP> {
        let limit = if keeps { 0.0 } else { ROUNDED_TO_LEAST_HALF };
        Half(select(self.0.abs() < limit, 0f32.copysign(self.0), self.0))
    }
}

/// MODE has the denormal bits of all widths this far above their rounding bits.
const DENORMALS_ABOVE_ROUNDING: u32 = 4;

/// MODE's settings for one width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Env {
    /// Rounding of results.
    pub(crate) round: Round,
    /// Denormal sources keep their value.
    keeps_sources: bool,
    /// Denormal results keep their value.
    keeps_results: bool,
}

/// MODE: results of floating point follow IEEE 754 in minima, maxima and signalling NaN.
pub(crate) const MODE_IEEE: u32 = 1 << 9;

impl Env {
    /// Every denormal becomes zero, whatever MODE says (V_MAD, V_MAC and the approximations).
    pub(crate) const FLUSHING: Env = Env {
        round: Round::Nearest,
        keeps_sources: false,
        keeps_results: false,
    };

    /// Denormals keep their value.
    pub(crate) const KEEPING: Env = Env {
        round: Round::Nearest,
        keeps_sources: true,
        keeps_results: true,
    };

    /// From MODE, for values of type `F`.
    #[inline(always)]
    pub(crate) fn of<F: Float>(mode: u32) -> Env {
        let bits = mode >> F::DENORMAL_BIT;
        Env {
            round: Round::of::<F>(mode),
            keeps_sources: bits & 1 != 0,
            keeps_results: bits & 2 != 0,
        }
    }

    /// True if results are rounded as the host rounds them.
    #[inline(always)]
    pub(crate) fn is_nearest(self) -> bool {
        self.round == Round::Nearest
    }

    /// The same with denormal results kept: of minima and maxima, which make none (errata E193).
    #[inline(always)]
    pub(crate) fn keeping_results(self) -> Env {
        Env {
            keeps_results: true,
            ..self
        }
    }

    /// The same without denormals.
    #[inline(always)]
    pub(crate) fn flushing(self) -> Env {
        Env {
            round: self.round,
            ..Env::FLUSHING
        }
    }

    /// The same with denormal sources kept.
    #[inline(always)]
    pub(crate) fn keeping_sources(self) -> Env {
        Env {
            keeps_sources: true,
            ..self
        }
    }

    /// The same where [`Env::is_nearest`] has been found, so that the compiler knows.
    #[inline(always)]
    pub(crate) fn to_nearest(self) -> Env {
        Env {
            round: Round::Nearest,
            ..self
        }
    }

    /// True if denormals are left as they are.
    #[inline(always)]
    pub(crate) fn is_plain(self) -> bool {
        self.keeps_sources && self.keeps_results
    }

    /// True if every denormal becomes zero.
    #[inline(always)]
    pub(crate) fn is_flushing(self) -> bool {
        !self.keeps_sources && !self.keeps_results
    }

    /// True if output factors count.
    pub(crate) fn takes_factor(self, mode: u32) -> bool {
        !self.keeps_results && mode & MODE_IEEE == 0
    }

    /// A source as the operation sees it.
    #[inline(always)]
    pub(crate) fn input<F: Flush>(self, value: F) -> F {
        value.flushed_unless(self.keeps_sources)
    }

    /// A result as it is written.
    #[inline(always)]
    pub(crate) fn output<F: Flush>(self, value: F) -> F {
        value.flushed_unless(self.keeps_results)
    }
}

/// The product, rounded, and the sum of that and `c`, rounded; denormals are zero throughout, whatever MODE says.
#[inline(always)]
pub(crate) fn mad(a: f32, b: f32, c: f32) -> f32 {
    let env = Env::FLUSHING;
    let product = env.output(env.input(a) * env.input(b));
    env.output(product + env.input(c))
}

/// [`mad`] in any rounding mode, which both steps obey.
pub(crate) fn mad_rounded<F: Float>(round: Round, a: F, b: F, c: F) -> F {
    let env = Env::FLUSHING;
    let product = env.output(exact::mul(round, env.input(a), env.input(b)));
    env.output(exact::add(round, product, env.input(c)))
}

/// [`mad_legacy`] in any rounding mode.
pub(crate) fn mad_legacy_rounded(round: Round, a: f32, b: f32, c: f32) -> f32 {
    let env = Env::FLUSHING;
    let product = env.output(mul_legacy_rounded(round, env.input(a), env.input(b)));
    env.output(exact::add(round, product, env.input(c)))
}

/// [`mul_legacy`] in any rounding mode.
pub(crate) fn mul_legacy_rounded(round: Round, a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 {
        0.0
    } else {
        exact::mul(round, a, b)
    }
}

/// [`mad`], but zero times anything is zero.
#[inline(always)]
pub(crate) fn mad_legacy(a: f32, b: f32, c: f32) -> f32 {
    let env = Env::FLUSHING;
    env.output(env.output(mul_legacy(env.input(a), env.input(b))) + env.input(c))
}

/// The product; zero times anything is zero.
#[inline(always)]
pub(crate) fn mul_legacy(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// [`mad`] in half precision.
#[inline(always)]
pub(crate) fn mad_half(a: Half, b: Half, c: Half) -> Half {
    let env = Env::FLUSHING;
    let product = round_normal_half(env.input(a).0 * env.input(b).0);
    env.output(Half(product + env.input(c).0))
}

/// Rounded to nearest even in half precision, denormals to zero. The digits that are lost of infinities and of the NaN
/// that a product of halves can be are zeros.
#[inline(always)]
fn round_normal_half(value: f32) -> f32 {
    const BELOW_HALF: u32 = 0xfff;
    const LOST: u32 = 0x1fff;
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(BELOW_HALF + (bits >> 13 & 1)) & !LOST;
    let magnitude = f32::from_bits(rounded & !SIGN);
    let normal = select(magnitude < LEAST_HALF, LEAST_HALF, magnitude);
    let finite = select(value.abs() < ROUNDED_TO_LEAST_HALF, 0.0, normal);
    let number = select(magnitude > LARGEST_HALF, magnitude + f32::INFINITY, finite);
    f32::from_bits(number.to_bits() | bits & SIGN)
}

/// [`fma_half`] where it is simple, and whether it is not: it is a number of single precision that lies just between two
/// of half precision, or a denormal of that.
#[inline(always)]
pub(crate) fn fma_half_usual(a: f32, b: f32, c: f32) -> (f32, bool) {
    const LOST: u32 = 0x1fff;
    const BETWEEN: u32 = 0x1000;
    let sum = a * b + c;
    let is_small = (sum.abs() < LEAST_HALF) & (sum != 0.0);
    (sum, is_small | (sum.to_bits() & LOST == BETWEEN))
}

/// The product and the sum rounded once, in half precision. In single precision the product is exact, and so is what
/// the sum's rounding loses.
#[inline(always)]
pub(crate) fn fma_half(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    // Rounded to odd, so that rounding again to fewer bits is correct. What is lost of an infinity or a NaN is a NaN.
    let bits = sum.to_bits();
    let away = (lost > 0.0) == (sum > 0.0);
    let odd = select(away, bits.wrapping_add(1), bits.wrapping_sub(1));
    let is_between = (bits & 1 == 0) & (lost.abs() > 0.0);
    f32::from_bits(select(is_between, odd, bits))
}

/// A whole number near `a`, as `f` has it; a NaN is quiet, which not every host makes it.
#[inline(always)]
pub(crate) fn whole<F: Float>(a: F, f: impl Fn(F) -> F) -> F {
    if a.is_any_nan() { a.quiet() } else { f(a) }
}

/// A result that rounding has brought to 1 becomes the value below it.
#[inline(always)]
pub(crate) fn below_one<F: Float>(a: F) -> F {
    let one = F::of_bits(u64::from(F::EXPONENT_MAX >> 1) << F::FRACTION);
    if a >= one {
        F::of_bits(one.bits() - 1)
    } else {
        a
    }
}

/// The lesser; −0 is less than +0. The number if the other is a NaN; under IEEE rules a signalling NaN becomes the
/// result, quiet.
#[inline(always)]
pub(crate) fn min<F: Float>(a: F, b: F, ieee: bool) -> F {
    choose(a, b, ieee, (a < b) | (a == b) & a.negative())
}

/// The greater, in the same way.
#[inline(always)]
pub(crate) fn max<F: Float>(a: F, b: F, ieee: bool) -> F {
    choose(a, b, ieee, (a > b) | (a == b) & !a.negative())
}

#[inline(always)]
fn choose<F: Float>(a: F, b: F, ieee: bool, first: bool) -> F {
    // Not branches: the lanes of a vector differ.
    let number = select(b.is_any_nan() | first, a, b);
    let number = select(ieee & b.signals(), b.quiet(), number);
    select(ieee & a.signals(), a.quiet(), number)
}

/// The least of three.
#[inline(always)]
pub(crate) fn min3<F: Float>(a: F, b: F, c: F, ieee: bool) -> F {
    min(min(a, b, ieee), c, ieee)
}

/// The greatest of three.
#[inline(always)]
pub(crate) fn max3<F: Float>(a: F, b: F, c: F, ieee: bool) -> F {
    max(max(a, b, ieee), c, ieee)
}

/// [`min`] of numbers.
#[inline(always)]
pub(crate) fn lesser<F: Float>(a: F, b: F) -> F {
    // Of zeros both come out, and the bits of both make the lesser one.
    let (first, second) = (if a < b { a } else { b }, if b < a { b } else { a });
    F::of_bits(first.bits() | second.bits())
}

/// [`max`] of numbers.
#[inline(always)]
pub(crate) fn greater<F: Float>(a: F, b: F) -> F {
    let (first, second) = (if a > b { a } else { b }, if b > a { b } else { a });
    F::of_bits(first.bits() & second.bits())
}

/// [`min3`] of numbers.
#[inline(always)]
pub(crate) fn least<F: Float>(a: F, b: F, c: F) -> F {
    lesser(lesser(a, b), c)
}

/// [`max3`] of numbers.
#[inline(always)]
pub(crate) fn greatest<F: Float>(a: F, b: F, c: F) -> F {
    greater(greater(a, b), c)
}

/// [`med3`] of numbers.
#[inline(always)]
pub(crate) fn middle<F: Float>(a: F, b: F, c: F) -> F {
    let ab = if a > b { a } else { b };
    let greatest = if ab > c { ab } else { c };
    let (is_a, is_b) = (a == greatest, b == greatest);
    // The other two.
    greater(select(is_a, b, a), select(is_a | is_b, c, b))
}

/// The one in the middle; the least if one is a NaN.
#[inline(always)]
pub(crate) fn med3<F: Float>(a: F, b: F, c: F, ieee: bool) -> F {
    let (ab, bc, ac) = (max(a, b, ieee), max(b, c, ieee), max(a, c, ieee));
    let greatest = max(ab, c, ieee);
    let middle = select(greatest == a, bc, select(greatest == b, ac, ab));
    let is_any_nan = a.is_any_nan() | b.is_any_nan() | c.is_any_nan();
    select(is_any_nan, min3(a, b, c, ieee), middle)
}

/// Times two to the power, rounded once.
#[inline(always)]
pub(crate) fn ldexp(a: f32, power: i32) -> f32 {
    // Beyond this power every value is infinite or zero, and within it the product is exact in double precision.
    const ENOUGH: i32 = 400;
    let bias = (f64::EXPONENT_MAX >> 1) as i32;
    let factor = (power.clamp(-ENOUGH, ENOUGH) + bias) as u64;
    (f64::from(a) * f64::from_bits(factor << f64::FRACTION)) as f32
}

/// The same in half precision.
#[inline(always)]
pub(crate) fn ldexp_f16(a: F16, power: i16) -> F16 {
    F16::from_f32(ldexp(a.to_f32(), power.into()))
}

/// The same in double precision.
pub(crate) fn ldexp64(a: f64, power: i32) -> f64 {
    let bias = (f64::EXPONENT_MAX >> 1) as i32;
    let lowest = 1 - bias;
    if a.is_nan() {
        return a.quiet();
    }
    if a == 0.0 || a.is_infinite() {
        return a;
    }
    let two_to = |power: i32| f64::from_bits(((power + bias) as u64) << f64::FRACTION);
    // From 1/2 to 1 times a power: only the last product rounds.
    let fraction = a.frexp_fraction();
    // Beyond this power every value is infinite or zero.
    const ENOUGH: i32 = 3000;
    let power = a.frexp_exponent() + power.clamp(-ENOUGH, ENOUGH);
    if power > bias {
        fraction * two_to(bias) * two_to((power - bias).min(bias))
    } else if power > lowest {
        fraction * two_to(power)
    } else {
        2.0 * fraction * two_to(lowest) * two_to((power - 1 - lowest).max(lowest))
    }
}

/// [`ldexp64`] where neither the value nor the result is denormal, infinite or a NaN, or the value is zero; whether it is
/// otherwise.
#[inline(always)]
pub(crate) fn ldexp64_usual(a: f64, power: i32) -> (f64, bool) {
    let exponents = 1..f64::EXPONENT_MAX as i64;
    let exponent = (a.to_bits() >> f64::FRACTION) as i64 & i64::from(f64::EXPONENT_MAX);
    let sum = exponent + i64::from(power);
    let result = f64::from_bits(
        a.to_bits()
            .wrapping_add((i64::from(power) as u64) << f64::FRACTION),
    );
    let is_zero = a == 0.0;
    let is_normal = exponents.contains(&exponent) & exponents.contains(&sum);
    (select(is_zero, a, result), !(is_zero | is_normal))
}

/// To an integer of 0..=255 (errata E192).
#[inline(always)]
pub(crate) fn to_u8(round: Round, a: f32) -> u8 {
    let whole = match round {
        Round::Nearest => a.round_ties_even(),
        Round::Up => a.ceil(),
        Round::Down => a.floor(),
        Round::Zero => a,
    };
    to_short(whole, 0.0, u8::MAX.into()) as u8
}

/// The product of V_MULLIT where its other two sources allow it (errata E197).
#[inline(always)]
pub(crate) fn lit(product: f32, b: f32, c: f32) -> f32 {
    // Also where one of them is a NaN.
    if b > f32::MIN && c > 0.0 {
        product
    } else {
        f32::MIN
    }
}

/// A product and a sum in double precision, rounded once. Where no instruction of the host's does it, what a library does
/// may leave a NaN signaling, which is quiet as a result (errata E190).
#[inline(always)]
pub(crate) fn fma_f64<const FUSES: bool>(a: f64, b: f64, c: f64) -> f64 {
    let result = a.mul_add(b, c);
    if !FUSES && result.is_nan() {
        result.quiet()
    } else {
        result
    }
}

/// −1..=1 to −32767..=32767, rounded to nearest even; 0 of NaN.
#[inline(always)]
pub(crate) fn snorm16(a: f32) -> i16 {
    to_i16((a.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round_ties_even())
}

/// 0..=1 to 0..=65535, rounded to nearest even; 0 of NaN.
#[inline(always)]
pub(crate) fn unorm16(a: f32) -> u16 {
    to_u16((a.clamp(0.0, 1.0) * f32::from(u16::MAX)).round_ties_even())
}

/// A direction's place on a cube.
pub(crate) struct Cube {
    /// The face's number: +x, −x, +y, −y, +z, −z.
    pub(crate) face: f32,
    /// Coordinates on the face, not yet divided.
    pub(crate) s: f32,
    pub(crate) t: f32,
    /// The coordinate with the greatest magnitude.
    pub(crate) major: f32,
}

/// Of equal magnitudes z goes before y before x.
#[inline(always)]
pub(crate) fn cube(x: f32, y: f32, z: f32) -> Cube {
    let face = |number: f32, major: f32| number + if major < 0.0 { 1.0 } else { 0.0 };
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        let s = if z < 0.0 { -x } else { x };
        Cube {
            face: face(4.0, z),
            s,
            t: -y,
            major: z,
        }
    } else if y.abs() >= x.abs() {
        let t = if y < 0.0 { -z } else { z };
        Cube {
            face: face(2.0, y),
            s: x,
            t,
            major: y,
        }
    } else {
        let s = if x < 0.0 { z } else { -z };
        Cube {
            face: face(0.0, x),
            s,
            t: -y,
            major: x,
        }
    }
}

impl F16 {
    /// Rounded to nearest even, once.
    #[inline(always)]
    pub(crate) fn from_f64(value: f64) -> F16 {
        let single = value as f32;
        if f64::from(single) == value || value.is_nan() {
            return F16::from_f32(single);
        }
        // Rounded to odd in between.
        let too_far = f64::from(single).abs() > value.abs();
        let truncated = single.to_bits() - u32::from(too_far);
        F16::from_f32(f32::from_bits(truncated | 1))
    }

    /// Every value is one of single precision; a signalling NaN becomes quiet.
    #[inline(always)]
    pub(crate) fn to_f32(self) -> f32 {
        to_single(self.0)
    }

    /// Rounded to nearest even.
    #[inline(always)]
    pub(crate) fn from_f32(value: f32) -> F16 {
        F16(of_single(value))
    }

    /// Rounded towards zero.
    #[inline(always)]
    pub(crate) fn from_f32_truncated(value: f32) -> F16 {
        let sign = (value.to_bits() >> 16) & 0x8000;
        let magnitude = value.to_bits() & 0x7fff_ffff;
        // Of denormals, the digits that are above the last place, which is 2^-24.
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

/// 1.5 times 2^52: a whole number below 2^51 that is added to it is in the sum's low bits.
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0;

/// Rounded towards zero, the nearest number there is, 0 of NaN: what a cast does, for many lanes at once.
#[inline(always)]
pub(crate) fn to_i32(a: f64) -> i32 {
    let number = a.clamp(i32::MIN.into(), i32::MAX.into());
    let whole = (number.trunc() + WHOLE).to_bits() as i32;
    if a.is_nan() { 0 } else { whole }
}

/// The same without sign.
#[inline(always)]
pub(crate) fn to_u32(a: f64) -> u32 {
    let number = a.clamp(0.0, u32::MAX.into());
    let whole = (number.trunc() + WHOLE).to_bits() as u32;
    if a.is_nan() { 0 } else { whole }
}

/// 1.5 times 2^23, which is the same for single precision.
pub(super) const WHOLE_SINGLE: f32 = 12_582_912.0;

/// To an integer of 16 bits, in the same way.
#[inline(always)]
pub(crate) fn to_i16(a: f32) -> i16 {
    to_short(a, i16::MIN.into(), i16::MAX.into()) as i16
}

/// The same without sign.
#[inline(always)]
pub(crate) fn to_u16(a: f32) -> u16 {
    to_short(a, 0.0, u16::MAX.into())
}

#[inline(always)]
fn to_short(a: f32, least: f32, greatest: f32) -> u16 {
    let whole = (a.clamp(least, greatest).trunc() + WHOLE_SINGLE).to_bits() as u16;
    if a.is_nan() { 0 } else { whole }
}
