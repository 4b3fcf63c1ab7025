//! Division steps: scaling, the last multiply-add, and the fixup of quotients that multiply-adds cannot produce (errata
//! E194).

use std::hint::select_unpredictable as select;

use super::env::{Env, Round};
use super::exact::{self, invalid, is_infinite};
use super::float::Float;

/// Parameters of division scaling for one width.
pub(crate) struct Scale {
    /// Minimum exponent difference at which a step of the division may overflow or underflow.
    far: i32,
    /// Maximum encoded exponent of a tiny numerator.
    tiny: u32,
    /// Exponent of the scale factor, a power of two.
    power: i32,
}

/// Parameters for single precision.
pub(crate) const SCALE_32: Scale = Scale {
    far: 96,
    tiny: 24,
    power: 64,
};
/// Parameters for double precision.
pub(crate) const SCALE_64: Scale = Scale {
    far: 768,
    tiny: 53,
    power: 128,
};

/// Scales `a`, which is the denominator or the numerator, so that the division's steps neither overflow nor lose
/// bits. Returns true if [`div_fmas`] must scale back. Denormals are handled as in `env`, and exponents are compared
/// in encoded form.
#[inline(always)]
pub(crate) fn div_scale<F: Float>(
    env: Env,
    a: F,
    denominator: F,
    numerator: F,
    scale: &Scale,
) -> (F, bool) {
    let [a, denominator, numerator] = [a, denominator, numerator].map(|source| env.input(source));
    let is_zero = |v: F| v.magnitude() == 0;
    let is_number = |v: F| v.exponent() != F::EXPONENT_MAX;
    let (above, below) = (numerator.exponent() as i32, denominator.exponent() as i32);
    let is_denominator = a.bits() == denominator.bits();
    let (is_far_above, is_far_below) = (above - below >= scale.far, above - below <= -scale.far);
    // The reciprocal of a value this large may be denormal.
    let is_large = below >= 2 * (F::EXPONENT_MAX >> 1) as i32 - 1;
    let (up, down) = (scale.power, -scale.power);
    let power = |of_denominator: i32, of_numerator: i32| {
        select(is_denominator, of_denominator, of_numerator)
    };
    // Cases in ascending order of precedence, without branches, which would be hard to predict.
    let result = select(above <= scale.tiny as i32, up, 0);
    let result = select(is_far_below, power(0, up), result);
    let result = select(is_large, power(down, select(is_far_below, 0, down)), result);
    let result = select(below == 0, up, result);
    let result = select(is_far_above, power(up, 0), result);
    let scaled = env.output(a.times(F::power_of_two(result)));
    let are_numbers = is_number(denominator) & is_number(numerator) & is_number(a);
    let is_nan = is_zero(denominator) | is_zero(numerator);
    let value = select(are_numbers, scaled, a);
    let scales_back = is_far_above | (below != 0) & is_far_below;
    (select(is_nan, invalid(), value), scales_back)
}

impl Scale {
    /// True if a value is in the range in which divisions need neither scaling nor special cases.
    #[inline(always)]
    fn is_moderate<F: Float>(&self, value: F) -> bool {
        let power = self.far / 2 - 1;
        let magnitude = F::of_bits(value.magnitude());
        (magnitude >= F::power_of_two(-power)) & (magnitude < F::power_of_two(power))
    }
}

/// [`div_scale`] for sources that need no scaling. The flag is true for all other sources.
#[inline(always)]
pub(crate) fn div_scale_fast<F: Float>(
    a: F,
    denominator: F,
    numerator: F,
    scale: &Scale,
) -> (F, bool) {
    let are_moderate =
        scale.is_moderate(a) & scale.is_moderate(denominator) & scale.is_moderate(numerator);
    (a, !are_moderate)
}

/// [`div_fixup`] for quotients that are correct except possibly for their sign, and for divisions of or by zero. The
/// flag is true for all other sources.
#[inline(always)]
pub(crate) fn div_fixup_fast<F: Float>(
    quotient: F,
    denominator: F,
    numerator: F,
    scale: &Scale,
) -> (F, bool) {
    let infinity = u64::from(F::EXPONENT_MAX) << F::FRACTION;
    let negative = denominator.negative() != numerator.negative();
    let (by_zero, of_zero) = (denominator.magnitude() == 0, numerator.magnitude() == 0);
    let magnitude = F::of_bits(quotient.magnitude());
    let is_normal =
        (magnitude >= F::of_bits(1 << F::FRACTION)) & (magnitude < F::of_bits(infinity));
    let is_fast = by_zero & (of_zero | scale.is_moderate(numerator))
        | scale.is_moderate(denominator) & (of_zero | scale.is_moderate(numerator) & is_normal);
    let magnitude = select(of_zero, 0, quotient.magnitude());
    let result = F::signed(select(by_zero, infinity, magnitude), negative);
    (select(by_zero & of_zero, invalid(), result), !is_fast)
}

/// Returns the exponent of the power of two that undoes the scaling.
#[inline(always)]
fn back<F: Float>(quotient: F, scale: &Scale) -> i32 {
    if quotient.exponent() > F::EXPONENT_MAX >> 1 {
        scale.power
    } else {
        -scale.power
    }
}

/// Returns the quotient with the correct sign, or the result of IEEE division if a source is zero, infinite or a NaN or
/// if the quotient is out of range. The range of half-precision quotients is not checked. Denormal sources are handled
/// as in `env`, but the quotient is not flushed.
#[inline(always)]
pub(crate) fn div_fixup<F: Float>(env: Env, quotient: F, denominator: F, numerator: F) -> F {
    let (denominator, numerator) = (env.input(denominator), env.input(numerator));
    let infinity = u64::from(F::EXPONENT_MAX) << F::FRACTION;
    let is_zero = |v: F| v.magnitude() == 0;
    let negative = denominator.negative() != numerator.negative();
    // If the exponent difference is below this, the quotient is less than half of the smallest denormal.
    let lowest = -((F::EXPONENT_MAX >> 1) as i32 + F::FRACTION as i32);
    let (zero, infinite) = (F::signed(0, negative), F::signed(infinity, negative));
    let are_zero = is_zero(denominator) & is_zero(numerator);
    let are_infinite = is_infinite(denominator) & is_infinite(numerator);
    let is_nothing = (numerator.exponent() as i32 - denominator.exponent() as i32) < lowest;
    // Cases in ascending order of precedence. For finite sources, a NaN quotient indicates an intermediate overflow.
    let result = select(
        quotient.is_any_nan(),
        env.nan(quotient),
        F::signed(quotient.magnitude(), negative),
    );
    let has_limits = F::BITS > u16::BITS;
    let is_beyond = quotient.is_any_nan() | is_infinite(quotient);
    let result = select(has_limits & is_beyond, env.overflow(negative), result);
    let rounds_up = match env.round {
        Round::Nearest | Round::Zero => false,
        Round::Up => !negative,
        Round::Down => negative,
    };
    let least = F::signed(u64::from(rounds_up & env.keeps_results()), negative);
    let result = select(has_limits & is_nothing, least, result);
    let result = select(is_infinite(denominator) | is_zero(numerator), zero, result);
    let result = select(
        is_zero(denominator) | is_infinite(numerator),
        infinite,
        result,
    );
    let result = select(are_zero | are_infinite, invalid(), result);
    let result = select(denominator.is_any_nan(), env.nan(denominator), result);
    select(numerator.is_any_nan(), env.nan(numerator), result)
}

/// Performs the last step of a division and scales back if [`div_scale`] requested it: up for a large quotient, whose
/// denominator was scaled up, and down otherwise. The manual's pseudocode uses one factor for both, but only this
/// method returns correct quotients.
pub(crate) fn div_fmas<F: Float>(
    env: Env,
    scale: &Scale,
    a: F,
    b: F,
    quotient: F,
    scaled: bool,
) -> F {
    let power = if scaled { back(quotient, scale) } else { 0 };
    exact::fma_scaled(env, a, b, quotient, power)
}
