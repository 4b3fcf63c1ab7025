//! The steps of division: scaling, the last multiply-add, what no step can give (errata E194).

use super::exact::{self, Round};
use super::float::{Float, ldexp64, sum_to_odd, to_odd, two_sum};

/// What division scaling goes by, of one width.
pub(crate) struct Scale {
    /// Quotients that may overflow on the way: exponents differ by this much.
    far: i32,
    /// Numerators that are tiny: exponent as encoded.
    tiny: u32,
    /// The power of two by which is scaled.
    power: i32,
}

/// Of single precision.
pub(crate) const SCALE_32: Scale = Scale {
    far: 96,
    tiny: 23,
    power: 64,
};
/// Of double precision.
pub(crate) const SCALE_64: Scale = Scale {
    far: 768,
    tiny: 53,
    power: 128,
};

/// One of denominator and numerator, `a`, scaled so that the division's steps neither overflow nor lose bits;
/// whether [`div_fmas`] has to scale back.
#[inline(always)]
pub(crate) fn div_scale<F: Float + std::ops::Div<Output = F>>(
    a: F,
    denominator: F,
    numerator: F,
    ldexp: impl Fn(F, i32) -> F,
    scale: &Scale,
) -> (F, bool) {
    let is_zero = |v: F| v.magnitude() == 0;
    let is_denormal = |v: F| v.exponent() == 0;
    let one = F::of_bits(u64::from(F::EXPONENT_MAX >> 1) << F::FRACTION);
    let (up, down) = (ldexp(a, scale.power), ldexp(a, -scale.power));
    let is_denominator = a.bits() == denominator.bits();
    let is_numerator = a.bits() == numerator.bits();
    let reciprocal_is = is_denormal(one / denominator);
    let quotient_is = is_denormal(numerator / denominator);
    if is_zero(denominator) || is_zero(numerator) {
        let nan = u64::from(F::EXPONENT_MAX) << F::FRACTION;
        (F::of_bits(nan).quiet(), false)
    } else if numerator.exponent() as i32 - denominator.exponent() as i32 >= scale.far {
        (if is_denominator { up } else { a }, true)
    } else if is_denormal(denominator) {
        (up, false)
    } else if reciprocal_is && quotient_is {
        // The manual scales the denominator up here, which would make it infinite; the quotient is to be larger.
        (if is_denominator { down } else { a }, true)
    } else if reciprocal_is {
        (down, false)
    } else if quotient_is {
        (if is_numerator { up } else { a }, true)
    } else if numerator.exponent() <= scale.tiny {
        (up, false)
    } else {
        (a, false)
    }
}

/// The last step of a division, scaled back if [`div_scale`] said so: up if the quotient is large, since then the
/// denominator was scaled up, else down. The manual's pseudocode has one factor for both; only this gives quotients.
#[inline(always)]
pub(crate) fn div_fmas_32(a: f32, b: f32, quotient: f32, scaled: bool) -> f32 {
    if !scaled {
        return a.mul_add(b, quotient);
    }
    let power = back(quotient, &SCALE_32);
    let product = f64::from(a) * f64::from(b);
    // In double precision the scaled value is exact but for the sum's rounding to odd.
    ldexp64(sum_to_odd(product, quotient.into()), power) as f32
}

/// The same in double precision.
#[inline(always)]
pub(crate) fn div_fmas_64(a: f64, b: f64, quotient: f64, scaled: bool) -> f64 {
    let sum = a.mul_add(b, quotient);
    if !scaled {
        return sum;
    }
    let power = back(quotient, &SCALE_64);
    let product = a * b;
    let rest = a.mul_add(b, -product);
    let (rough, lost) = two_sum(product, quotient);
    let left = (rough - sum) + lost + rest;
    ldexp64(to_odd(sum, left), power)
}

/// The power of two that undoes the scaling.
#[inline(always)]
fn back<F: Float>(quotient: F, scale: &Scale) -> i32 {
    if quotient.exponent() > F::EXPONENT_MAX >> 1 {
        scale.power
    } else {
        -scale.power
    }
}

/// The quotient where it is a number, with the right sign; otherwise what IEEE division gives.
#[inline(always)]
pub(crate) fn div_fixup<F: Float>(quotient: F, denominator: F, numerator: F) -> F {
    let infinity = u64::from(F::EXPONENT_MAX) << F::FRACTION;
    let is_zero = |v: F| v.magnitude() == 0;
    let is_infinite = |v: F| v.magnitude() == infinity;
    let negative = denominator.negative() != numerator.negative();
    // Exponents that differ by more than this leave nothing, not even a denormal.
    let lowest = -((F::EXPONENT_MAX >> 1) as i32 + F::FRACTION as i32);
    if numerator.is_any_nan() {
        numerator.quiet()
    } else if denominator.is_any_nan() {
        denominator.quiet()
    } else if is_zero(denominator) && is_zero(numerator)
        || is_infinite(denominator) && is_infinite(numerator)
    {
        F::signed(infinity, true).quiet()
    } else if is_zero(denominator) || is_infinite(numerator) {
        F::signed(infinity, negative)
    } else if is_infinite(denominator)
        || is_zero(numerator)
        || (numerator.exponent() as i32 - denominator.exponent() as i32) < lowest
    {
        F::signed(0, negative)
    } else if quotient.is_any_nan() {
        // Of numbers only an overflow on the way makes a NaN.
        F::signed(infinity, negative)
    } else {
        F::signed(quotient.magnitude(), negative)
    }
}

/// [`div_fmas_32`] and [`div_fmas_64`] in any rounding mode.
pub(crate) fn div_fmas_rounded<F: Float>(
    round: Round,
    scale: &Scale,
    a: F,
    b: F,
    quotient: F,
    scaled: bool,
) -> F {
    let power = if scaled { back(quotient, scale) } else { 0 };
    exact::fma_scaled(round, a, b, quotient, power)
}
