//! The steps of division: scaling, the last multiply-add, what no step can give (errata E194).

use std::hint::select_unpredictable as select;

use super::env::Env;
use super::exact::{self, Round};
use super::float::Float;

/// Parameters of division scaling for one width.
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
/// whether [`div_fmas`] has to scale back. Denormals are what `env` says.
#[inline(always)]
pub(crate) fn div_scale<F>(env: Env, a: F, denominator: F, numerator: F, scale: &Scale) -> (F, bool)
where
    F: Float + std::ops::Div<Output = F> + std::ops::Mul<Output = F>,
{
    let [a, denominator, numerator] = [a, denominator, numerator].map(|source| env.input(source));
    let is_zero = |v: F| v.magnitude() == 0;
    let is_denormal = |v: F| v.exponent() == 0;
    let (up, down) = (
        a * F::power_of_two(scale.power),
        a * F::power_of_two(-scale.power),
    );
    let is_denominator = a.bits() == denominator.bits();
    let is_numerator = a.bits() == numerator.bits();
    let reciprocal_is = is_denormal(F::power_of_two(0) / denominator);
    let quotient_is = is_denormal(numerator / denominator);
    let is_far = numerator.exponent() as i32 - denominator.exponent() as i32 >= scale.far;
    let nan = F::of_bits(u64::from(F::EXPONENT_MAX) << F::FRACTION).quiet();
    let is_nan = is_zero(denominator) | is_zero(numerator);
    // From the last case to the first, and no branches: the lanes of a vector differ.
    let result = select(numerator.exponent() <= scale.tiny, up, a);
    let result = select(quotient_is, select(is_numerator, up, a), result);
    let result = select(reciprocal_is, down, result);
    // The manual scales the denominator up here, which would make it infinite; the quotient is to be larger.
    let both = select(is_denominator, down, a);
    let result = select(reciprocal_is & quotient_is, both, result);
    let result = select(is_denormal(denominator), up, result);
    let result = select(is_far, select(is_denominator, up, a), result);
    let scales_back = is_far | !is_denormal(denominator) & quotient_is;
    (
        env.output(select(is_nan, nan, result)),
        scales_back & !is_nan,
    )
}

impl Scale {
    /// True if a value is so far from the ends that in a division by or of another one like it there is nothing to be
    /// scaled, and nothing that no step can give.
    #[inline(always)]
    fn is_moderate<F: Float>(&self, value: F) -> bool {
        let power = self.far / 2 - 1;
        let magnitude = F::of_bits(value.magnitude());
        (magnitude >= F::power_of_two(-power)) & (magnitude < F::power_of_two(power))
    }
}

/// [`div_scale`] where there is nothing to scale, or no quotient; whether it is otherwise.
#[inline(always)]
pub(crate) fn div_scale_fast<F: Float>(
    a: F,
    denominator: F,
    numerator: F,
    scale: &Scale,
) -> (F, bool) {
    let nan = F::of_bits(u64::from(F::EXPONENT_MAX) << F::FRACTION).quiet();
    let is_nan = (denominator.magnitude() == 0) | (numerator.magnitude() == 0);
    let are_moderate =
        scale.is_moderate(a) & scale.is_moderate(denominator) & scale.is_moderate(numerator);
    (select(is_nan, nan, a), !(is_nan | are_moderate))
}

/// [`div_fixup`] where only the quotient's sign is to be set, or a zero divides or is divided; whether it is otherwise.
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
    let is_normal = F::of_bits(quotient.magnitude()) >= F::of_bits(1 << F::FRACTION);
    let is_fast = by_zero & (of_zero | scale.is_moderate(numerator))
        | scale.is_moderate(denominator) & (of_zero | scale.is_moderate(numerator) & is_normal);
    let magnitude = select(of_zero, 0, quotient.magnitude());
    let result = F::signed(select(by_zero, infinity, magnitude), negative);
    let nan = F::signed(infinity, true).quiet();
    (select(by_zero & of_zero, nan, result), !is_fast)
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
    let (zero, infinite) = (F::signed(0, negative), F::signed(infinity, negative));
    let are_zero = is_zero(denominator) & is_zero(numerator);
    let are_infinite = is_infinite(denominator) & is_infinite(numerator);
    let is_nothing = (numerator.exponent() as i32 - denominator.exponent() as i32) < lowest;
    // From the last case to the first. Of numbers only an overflow on the way makes a NaN.
    let result = F::signed(quotient.magnitude(), negative);
    let result = select(quotient.is_any_nan(), infinite, result);
    let result = select(
        is_infinite(denominator) | is_zero(numerator) | is_nothing,
        zero,
        result,
    );
    let result = select(
        is_zero(denominator) | is_infinite(numerator),
        infinite,
        result,
    );
    let nan = F::signed(infinity, true).quiet();
    let result = select(are_zero | are_infinite, nan, result);
    let result = select(denominator.is_any_nan(), denominator.quiet(), result);
    select(numerator.is_any_nan(), numerator.quiet(), result)
}

/// The last step of a division, scaled back if [`div_scale`] said so: up if the quotient is large, since then the
/// denominator was scaled up, else down. The manual's pseudocode has one factor for both; only this gives quotients.
pub(crate) fn div_fmas<F: Float>(
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
