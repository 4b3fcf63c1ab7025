//! IEEE arithmetic on integers: results are computed exactly and rounded once, in any rounding mode.
//!
//! The host rounds to nearest even; other results that MODE requires are computed here, one lane at a time. Values are
//! decomposed into [`Number`]s, whose products and sums preserve everything that affects rounding.

use super::env::{Env, Round};
use super::float::Float;

impl Round {
    /// True if discarding `rest` rounds a magnitude up; `half` is half a unit in the last place.
    fn goes_up(self, negative: bool, odd: bool, rest: u128, half: u128) -> bool {
        match self {
            Round::Nearest => rest > half || rest == half && odd,
            Round::Up => !negative && rest != 0,
            Round::Down => negative && rest != 0,
            Round::Zero => false,
        }
    }
}

/// Finite value: digits times a power of two.
#[derive(Clone, Copy, Debug)]
struct Number {
    negative: bool,
    power: i32,
    digits: u128,
}

/// Position of the highest digit of a sum's operands before alignment, with room for a carry.
const HIGHEST: u32 = u128::BITS - 3;
/// Bound on powers: beyond it every value overflows or underflows.
const FAR: i32 = 1 << 20;

impl Number {
    /// Decodes a float that is neither infinite nor NaN.
    fn of<F: Float>(value: F) -> Number {
        let fraction = value.magnitude() & ((1 << F::FRACTION) - 1);
        let (exponent, implied) = match value.exponent() {
            0 => (1, 0),
            e => (e as i32, 1u64 << F::FRACTION),
        };
        Number {
            negative: value.negative(),
            power: exponent - bias::<F>() - F::FRACTION as i32,
            digits: u128::from(fraction | implied),
        }
    }

    /// Multiplies exactly: the product of two 53-digit significands fits.
    fn times(self, other: Number) -> Number {
        Number {
            negative: self.negative != other.negative,
            power: self.power + other.power,
            digits: self.digits * other.digits,
        }
    }

    /// Adds. If nonzero digits are too low to be kept, the lowest digit is set to 1 (sticky bit), so the sum is rounded
    /// correctly. A zero sum of values with opposite signs is negative when rounding down.
    fn plus(self, other: Number, round: Round) -> Number {
        if self.digits == 0 && other.digits == 0 {
            let negative = if self.negative == other.negative {
                self.negative
            } else {
                round == Round::Down
            };
            return Number { negative, ..self };
        }
        if self.digits == 0 {
            return other;
        }
        if other.digits == 0 {
            return self;
        }
        let (mut large, mut small) = (self.highest(), other.highest());
        if (large.power, large.digits) < (small.power, small.digits) {
            (large, small) = (small, large);
        }
        let distance = large.power.abs_diff(small.power);
        small.digits = if distance >= u128::BITS {
            1
        } else {
            let kept = small.digits >> distance;
            kept | u128::from(kept << distance != small.digits)
        };
        if large.negative == small.negative {
            large.digits += small.digits;
        } else {
            large.digits -= small.digits;
        }
        if large.digits == 0 {
            large.negative = round == Round::Down;
        }
        large
    }

    /// Returns the same value with its highest digit at [`HIGHEST`].
    fn highest(self) -> Number {
        let up = HIGHEST as i32 - self.digits.ilog2() as i32;
        let digits = if up >= 0 {
            self.digits << up
        } else {
            self.digits >> -up | u128::from(self.digits.trailing_zeros() < up.unsigned_abs())
        };
        Number {
            power: self.power - up,
            digits,
            ..self
        }
    }

    /// Rounds to a value of type `F`. If denormal results are flushed, the result is zero when rounding with an
    /// unbounded exponent range gives a magnitude below the smallest normal number (errata E300).
    fn round<F: Float>(self, env: Env) -> F {
        if self.digits == 0 {
            return F::signed(0, self.negative);
        }
        let lowest = 1 - bias::<F>();
        let exponent = self.power + self.digits.ilog2() as i32;
        if exponent > bias::<F>() {
            return env.overflow(self.negative);
        }
        if exponent < lowest && !env.keeps_results() {
            let is_carried = self.kept(env.round, exponent - F::FRACTION as i32) >> F::FRACTION > 1;
            let reaches = is_carried && exponent + 1 == lowest;
            return F::signed(u64::from(reaches) << F::FRACTION, self.negative);
        }
        let exponent = exponent.max(lowest);
        let kept = self.kept(env.round, exponent - F::FRACTION as i32);
        // The implied digit, and a carry into it, increment the exponent field.
        let magnitude = kept as u64 + (((exponent - lowest) as u64) << F::FRACTION);
        if magnitude >= u64::from(F::EXPONENT_MAX) << F::FRACTION {
            env.overflow(self.negative)
        } else {
            F::signed(magnitude, self.negative)
        }
    }

    /// Rounds to a multiple of 2^`last`, and returns that multiple divided by 2^`last`.
    fn kept(self, round: Round, last: i32) -> u128 {
        let cut = last - self.power;
        if cut <= 0 {
            return self.digits << cut.unsigned_abs();
        }
        let cut = cut.unsigned_abs();
        let kept = self.digits.checked_shr(cut).unwrap_or(0);
        let rest = self.digits - kept.checked_shl(cut).unwrap_or(0);
        // If half of the last place does not fit, it exceeds any rest.
        let half = 1u128.checked_shl(cut - 1).unwrap_or(u128::MAX);
        kept + u128::from(round.goes_up(self.negative, kept & 1 == 1, rest, half))
    }
}

fn bias<F: Float>() -> i32 {
    (F::EXPONENT_MAX >> 1) as i32
}

/// Returns the result of an invalid operation: a quiet NaN with its sign set (errata E190).
#[inline(always)]
pub(crate) fn invalid<F: Float>() -> F {
    F::signed(u64::from(F::EXPONENT_MAX) << F::FRACTION, true).quiet()
}

/// Returns the result for the first NaN among the sources, if any (errata E190).
pub(crate) fn first_nan<F: Float>(env: Env, sources: &[F]) -> Option<F> {
    let nan = sources.iter().find(|source| source.is_any_nan())?;
    Some(env.nan(*nan))
}

/// True for infinities.
#[inline(always)]
pub(crate) fn is_infinite<F: Float>(value: F) -> bool {
    value.magnitude() == u64::from(F::EXPONENT_MAX) << F::FRACTION
}

/// Adds two values.
#[inline(never)]
pub(crate) fn add<F: Float>(env: Env, a: F, b: F) -> F {
    if let Some(nan) = first_nan(env, &[a, b]) {
        return nan;
    }
    match (is_infinite(a), is_infinite(b)) {
        (true, true) if a.negative() != b.negative() => invalid(),
        (true, _) => a,
        (_, true) => b,
        _ => Number::of(a).plus(Number::of(b), env.round).round(env),
    }
}

/// Subtracts `b` from `a`.
pub(crate) fn sub<F: Float>(env: Env, a: F, b: F) -> F {
    if b.is_any_nan() {
        return add(env, a, b);
    }
    add(env, a, F::signed(b.magnitude(), !b.negative()))
}

/// Multiplies two values.
#[inline(never)]
pub(crate) fn mul<F: Float>(env: Env, a: F, b: F) -> F {
    if let Some(nan) = first_nan(env, &[a, b]) {
        return nan;
    }
    if is_infinite(a) || is_infinite(b) {
        return if a.magnitude() == 0 || b.magnitude() == 0 {
            invalid()
        } else {
            F::signed(
                u64::from(F::EXPONENT_MAX) << F::FRACTION,
                a.negative() != b.negative(),
            )
        };
    }
    Number::of(a).times(Number::of(b)).round(env)
}

/// Computes a fused multiply-add.
pub(crate) fn fma<F: Float>(env: Env, a: F, b: F, c: F) -> F {
    fma_scaled(env, a, b, c, 0)
}

/// Computes a fused multiply-add, scaled by a power of two before rounding. An invalid product takes precedence over a
/// NaN addend (errata E190).
#[inline(never)]
pub(crate) fn fma_scaled<F: Float>(env: Env, a: F, b: F, c: F, power: i32) -> F {
    let is_any_infinite = is_infinite(a) || is_infinite(b);
    if a.is_any_nan() || b.is_any_nan() || is_any_infinite {
        let product = mul(env, a, b);
        return if product.is_any_nan() {
            product
        } else {
            add(env, product, c)
        };
    }
    if c.is_any_nan() {
        return env.nan(c);
    }
    if is_infinite(c) {
        return c;
    }
    let sum = (Number::of(a).times(Number::of(b))).plus(Number::of(c), env.round);
    Number {
        power: sum.power + power,
        ..sum
    }
    .round(env)
}

/// Multiplies by a power of two.
#[inline(never)]
pub(crate) fn ldexp<F: Float>(env: Env, a: F, power: i32) -> F {
    if a.is_any_nan() {
        return env.nan(a);
    }
    if is_infinite(a) {
        return a;
    }
    let number = Number::of(a);
    Number {
        power: number.power + power.clamp(-FAR, FAR),
        ..number
    }
    .round(env)
}

/// Converts between widths, with settings for the result's width. A NaN keeps its leading fraction bits, and is made
/// quiet if they are all zero.
#[inline(never)]
pub(crate) fn convert<A: Float, R: Float>(env: Env, a: A) -> R {
    let infinity = u64::from(R::EXPONENT_MAX) << R::FRACTION;
    if a.is_any_nan() {
        let fraction = a.bits() & ((1 << A::FRACTION) - 1);
        let payload = if A::FRACTION > R::FRACTION {
            fraction >> (A::FRACTION - R::FRACTION)
        } else {
            fraction << (R::FRACTION - A::FRACTION)
        };
        let nan = R::signed(infinity | payload, a.negative());
        return if payload == 0 {
            nan.quiet()
        } else {
            env.nan(nan)
        };
    }
    if is_infinite(a) {
        return R::signed(infinity, a.negative());
    }
    Number::of(a).round(env)
}

/// Converts an integer.
#[inline(never)]
pub(crate) fn of_integer<R: Float>(env: Env, value: i64) -> R {
    Number {
        negative: value < 0,
        power: 0,
        digits: value.unsigned_abs().into(),
    }
    .round(env)
}
