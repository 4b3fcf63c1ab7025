//! IEEE arithmetic in integers: every rounding mode, every result exact before it is rounded once.
//!
//! The host rounds to nearest even. What MODE asks for beyond that is computed here, a lane at a time: values are
//! taken apart into [`Number`]s, whose products and sums lose nothing that rounding looks at.

use super::float::{Float, below_one};

/// Rounding mode (MODE bits 3:0, two for single precision, two for the other widths).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    /// To nearest, ties to even.
    Nearest,
    /// Towards +∞.
    Up,
    /// Towards −∞.
    Down,
    /// Towards zero.
    Zero,
}

impl Round {
    /// As MODE has it for values of type `F`.
    #[inline(always)]
    pub(crate) fn of<F: Float>(mode: u32) -> Round {
        match mode >> F::ROUND_BIT & 3 {
            0 => Round::Nearest,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }

    /// True if a magnitude of which `rest` is cut off goes up, where `half` is half of the last place.
    fn goes_up(self, negative: bool, odd: bool, rest: u128, half: u128) -> bool {
        match self {
            Round::Nearest => rest > half || rest == half && odd,
            Round::Up => !negative && rest != 0,
            Round::Down => negative && rest != 0,
            Round::Zero => false,
        }
    }

    /// True if a magnitude too large becomes infinite, not the largest finite one.
    fn overflows(self, negative: bool) -> bool {
        match self {
            Round::Nearest => true,
            Round::Up => !negative,
            Round::Down => negative,
            Round::Zero => false,
        }
    }
}

/// A finite value: digits times a power of two.
#[derive(Clone, Copy, Debug)]
struct Number {
    negative: bool,
    power: i32,
    digits: u128,
}

/// Position of the highest digit of a sum's larger part: a carry still fits above.
const HIGHEST: u32 = u128::BITS - 3;
/// Powers beyond this, up or down, differ in nothing: every value is too large or too small.
const FAR: i32 = 1 << 20;

impl Number {
    /// The value of a float that is neither infinite nor NaN.
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

    /// The product; of two significands of 53 digits nothing is lost.
    fn times(self, other: Number) -> Number {
        Number {
            negative: self.negative != other.negative,
            power: self.power + other.power,
            digits: self.digits * other.digits,
        }
    }

    /// The sum; digits too low to keep make the lowest one a one, which rounds the same. A zero that is the sum of
    /// opposite values is negative when rounding down.
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

    /// The same with its highest digit at [`HIGHEST`].
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

    /// The nearest value of type `F` in the rounding's sense.
    fn round<F: Float>(self, round: Round) -> F {
        if self.digits == 0 {
            return F::signed(0, self.negative);
        }
        let infinity = u64::from(F::EXPONENT_MAX) << F::FRACTION;
        let lowest = 1 - bias::<F>();
        let exponent = (self.power + self.digits.ilog2() as i32).max(lowest);
        let magnitude = if exponent > bias::<F>() {
            infinity
        } else {
            // The last place's power; everything below is cut off.
            let cut = exponent - F::FRACTION as i32 - self.power;
            let kept = if cut <= 0 {
                self.digits << cut.unsigned_abs()
            } else {
                let cut = cut.unsigned_abs();
                let kept = self.digits.checked_shr(cut).unwrap_or(0);
                let rest = self.digits - kept.checked_shl(cut).unwrap_or(0);
                // A half that does not fit is more than any rest.
                let half = 1u128.checked_shl(cut - 1).unwrap_or(u128::MAX);
                kept + u128::from(round.goes_up(self.negative, kept & 1 == 1, rest, half))
            };
            // The implied digit, and a carry into it, count the exponent up by themselves.
            kept as u64 + (((exponent - lowest) as u64) << F::FRACTION)
        };
        let magnitude = if magnitude >= infinity && !round.overflows(self.negative) {
            infinity - 1
        } else {
            magnitude.min(infinity)
        };
        F::signed(magnitude, self.negative)
    }
}

fn bias<F: Float>() -> i32 {
    (F::EXPONENT_MAX >> 1) as i32
}

/// Result of an invalid operation: a quiet NaN with its sign set (errata E190).
#[inline(always)]
pub(crate) fn invalid<F: Float>() -> F {
    F::signed(u64::from(F::EXPONENT_MAX) << F::FRACTION, true).quiet()
}

/// The first NaN of the sources, quiet (errata E190).
pub(crate) fn first_nan<F: Float>(sources: &[F]) -> Option<F> {
    let nan = sources.iter().find(|source| source.is_any_nan())?;
    Some(nan.quiet())
}

/// True of an infinity.
#[inline(always)]
pub(crate) fn is_infinite<F: Float>(value: F) -> bool {
    value.magnitude() == u64::from(F::EXPONENT_MAX) << F::FRACTION
}

/// The sum.
#[inline(never)]
pub(crate) fn add<F: Float>(round: Round, a: F, b: F) -> F {
    if let Some(nan) = first_nan(&[a, b]) {
        return nan;
    }
    match (is_infinite(a), is_infinite(b)) {
        (true, true) if a.negative() != b.negative() => invalid(),
        (true, _) => a,
        (_, true) => b,
        _ => Number::of(a).plus(Number::of(b), round).round(round),
    }
}

/// The difference.
pub(crate) fn sub<F: Float>(round: Round, a: F, b: F) -> F {
    if b.is_any_nan() {
        return add(round, a, b);
    }
    add(round, a, F::signed(b.magnitude(), !b.negative()))
}

/// The product.
#[inline(never)]
pub(crate) fn mul<F: Float>(round: Round, a: F, b: F) -> F {
    if let Some(nan) = first_nan(&[a, b]) {
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
    Number::of(a).times(Number::of(b)).round(round)
}

/// The product and the sum, rounded once.
pub(crate) fn fma<F: Float>(round: Round, a: F, b: F, c: F) -> F {
    fma_scaled(round, a, b, c, 0)
}

/// The product and the sum times a power of two, rounded once.
#[inline(never)]
pub(crate) fn fma_scaled<F: Float>(round: Round, a: F, b: F, c: F, power: i32) -> F {
    if let Some(nan) = first_nan(&[a, b, c]) {
        return nan;
    }
    if is_infinite(a) || is_infinite(b) || is_infinite(c) {
        // Rounding is no matter, and only the signs of the product are.
        let one = F::of_bits(u64::from(F::EXPONENT_MAX >> 1) << F::FRACTION);
        let product = if is_infinite(a) || is_infinite(b) {
            mul(round, a, b)
        } else {
            F::signed(one.bits(), a.negative() != b.negative())
        };
        return add(round, product, c);
    }
    let sum = Number::of(a)
        .times(Number::of(b))
        .plus(Number::of(c), round);
    Number {
        power: sum.power + power,
        ..sum
    }
    .round(round)
}

/// Times two to the power.
#[inline(never)]
pub(crate) fn ldexp<F: Float>(round: Round, a: F, power: i32) -> F {
    if a.is_any_nan() {
        return a.quiet();
    }
    if is_infinite(a) {
        return a;
    }
    let number = Number::of(a);
    Number {
        power: number.power + power.clamp(-FAR, FAR),
        ..number
    }
    .round(round)
}

/// Distance from the integer below, less than 1.
pub(crate) fn fract<F: Float>(round: Round, a: F, floor: F) -> F {
    below_one(sub(round, a, floor))
}

/// From one width to another.
#[inline(never)]
pub(crate) fn convert<A: Float, R: Float>(round: Round, a: A) -> R {
    let infinity = u64::from(R::EXPONENT_MAX) << R::FRACTION;
    if a.is_any_nan() {
        let fraction = a.bits() & ((1 << A::FRACTION) - 1);
        let payload = if A::FRACTION > R::FRACTION {
            fraction >> (A::FRACTION - R::FRACTION)
        } else {
            fraction << (R::FRACTION - A::FRACTION)
        };
        return R::signed(infinity | payload, a.negative()).quiet();
    }
    if is_infinite(a) {
        return R::signed(infinity, a.negative());
    }
    Number::of(a).round(round)
}

/// From an integer.
#[inline(never)]
pub(crate) fn of_integer<R: Float>(round: Round, value: i64) -> R {
    Number {
        negative: value < 0,
        power: 0,
        digits: value.unsigned_abs().into(),
    }
    .round(round)
}
