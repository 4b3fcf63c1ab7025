//! What hardware takes from tables: reciprocals, roots, exponentials, logarithms, sines, rounded correctly here (errata
//! E199), and the digits of 2/π.

use std::hint::select_unpredictable as select;

use super::exact::{self, Round};
use super::float::{Env, Float, WHOLE, ldexp64};

/// An approximation in single precision: denormals are zero, whatever MODE says.
#[inline(always)]
pub(crate) fn flushing(a: f32, f: impl Fn(f32) -> f32) -> f32 {
    Env::FLUSHING.output(f(Env::FLUSHING.input(a)))
}

/// Adds up a power series in `x`.
#[inline(always)]
fn series<const TERMS: usize>(coefficients: &[f64; TERMS], x: f64) -> f64 {
    let mut sum = 0.0;
    for coefficient in coefficients.iter().rev() {
        sum = sum * x + coefficient;
    }
    sum
}

/// 2 to the power.
#[inline(always)]
pub(crate) fn exp2(a: f32) -> f32 {
    /// Where the exponential of half of ln 2 is beyond the last place of double precision.
    const TERMS: usize = 14;
    const EXPONENTIAL: [f64; TERMS] = {
        let mut terms = [1.0; TERMS];
        let mut n = 1;
        while n < TERMS {
            terms[n] = terms[n - 1] * std::f64::consts::LN_2 / n as f64;
            n += 1;
        }
        terms
    };
    /// Beyond this power everything is infinite or zero in single precision, and nothing is in double precision.
    const ENOUGH: f64 = 300.0;
    let power = f64::from(a).clamp(-ENOUGH, ENOUGH);
    let whole = power.round_ties_even();
    let scale = f64::from_bits((whole + BIAS + WHOLE).to_bits() << f64::FRACTION);
    (series(&EXPONENTIAL, power - whole) * scale) as f32
}

/// The bias of double precision's exponents.
const BIAS: f64 = (f64::EXPONENT_MAX >> 1) as f64;

/// The logarithm to base 2.
#[inline(always)]
pub(crate) fn log2(a: f32) -> f32 {
    /// Where the series of the inverse hyperbolic tangent of 3 − √8 is beyond the last place of double precision.
    const TERMS: usize = 12;
    const TANGENT: [f64; TERMS] = {
        let mut terms = [1.0; TERMS];
        let mut n = 0;
        while n < TERMS {
            terms[n] = 1.0 / (2 * n + 1) as f64;
            n += 1;
        }
        terms
    };
    let value = f64::from(a);
    // A power of two, and what is left: from √½ to √2.
    let above = value.to_bits().wrapping_sub(SQRT_HALF.to_bits()) as i64;
    let power = above >> f64::FRACTION;
    let rest = f64::from_bits(
        value
            .to_bits()
            .wrapping_sub((power << f64::FRACTION) as u64),
    );
    let tangent = (rest - 1.0) / (rest + 1.0);
    let natural = 2.0 * tangent * series(&TANGENT, tangent * tangent);
    let result = f64::from(power as i32) + natural * std::f64::consts::LOG2_E;
    let is_number = value > 0.0 && value < f64::INFINITY;
    // Minus infinity of 0, NaN of what is below.
    let at_zero = if value == 0.0 {
        f64::NEG_INFINITY
    } else {
        value - f64::NAN
    };
    let limit = if value > 0.0 { value } else { at_zero };
    (if is_number { result } else { limit }) as f32
}

/// The root of one half.
const SQRT_HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// 1 by the root.
pub(crate) fn rsq(a: f32) -> f32 {
    f64::from(a).sqrt().recip() as f32
}

/// The same in double precision: what the square root's rounding left over is put right.
pub(crate) fn rsq64(a: f64) -> f64 {
    if !(a > 0.0 && a.is_finite()) {
        return a.sqrt().recip();
    }
    // Powers of two are taken off in pairs, so that nothing below over- or underflows.
    let power = a.frexp_exponent() & !1;
    let scaled = ldexp64(a, -power);
    ldexp64(put_right(scaled, scaled.sqrt().recip()), -power / 2)
}

/// [`rsq64`] where nothing on the way over- or underflows, whether or not there is a root; whether it is otherwise.
#[inline(always)]
pub(crate) fn rsq64_usual(a: f64) -> (f64, bool) {
    /// The greatest magnitude, and 1 by the least.
    const FAR: f64 = f64::from_bits((900 + (f64::EXPONENT_MAX as u64 >> 1)) << f64::FRACTION);
    let magnitude = a.abs();
    let is_far = (magnitude > 0.0) & (magnitude < FAR.recip())
        | (magnitude > FAR) & (magnitude < f64::INFINITY);
    let rough = a.sqrt().recip();
    let has_root = (a > 0.0) & (a < f64::INFINITY);
    (select(has_root, put_right(a, rough), rough), is_far)
}

/// 1 by the root of `a` from a rough value of it.
#[inline(always)]
fn put_right(a: f64, rough: f64) -> f64 {
    const HALF: f64 = 0.5;
    // 1 − a·rough², exact but for its own last place.
    let square = rough * rough;
    let below = rough.mul_add(rough, -square);
    let left = (-a).mul_add(square, 1.0) - a * below;
    (HALF * rough).mul_add(left, rough)
}

/// Beyond this many turns the sine and cosine instructions give what they give for 0.
const TURNS: f32 = 256.0;

/// The sine of an angle in turns.
#[inline(always)]
pub(crate) fn sin(turns: f32) -> f32 {
    let sine = sine_of_turns(turns.into()) as f32;
    let sine = if is_too_far(turns) { 0.0 } else { sine };
    if turns == 0.0 { turns } else { sine }
}

/// The cosine of an angle in turns.
#[inline(always)]
pub(crate) fn cos(turns: f32) -> f32 {
    /// From a cosine to a sine.
    const QUARTER: f64 = 0.25;
    let cosine = sine_of_turns(f64::from(turns) + QUARTER) as f32;
    if is_too_far(turns) { 1.0 } else { cosine }
}

#[inline(always)]
fn is_too_far(turns: f32) -> bool {
    turns.abs() > TURNS && turns.abs() < f32::INFINITY
}

/// Half turns are taken off first, exactly, so that the zeros are where they belong.
#[inline(always)]
fn sine_of_turns(turns: f64) -> f64 {
    /// Where the sine of a quarter of a turn is beyond the last place of double precision.
    const TERMS: usize = 12;
    const SINE: [f64; TERMS] = {
        let mut terms = [1.0; TERMS];
        let mut n = 1;
        while n < TERMS {
            terms[n] = -terms[n - 1] / (2 * n * (2 * n + 1)) as f64;
            n += 1;
        }
        terms
    };
    let half_turns = (2.0 * turns).round_ties_even();
    let angle = (turns - half_turns / 2.0) * std::f64::consts::TAU;
    let sine = angle * series(&SINE, angle * angle);
    let is_even = (half_turns + WHOLE).to_bits() & 1 == 0;
    if is_even || sine == 0.0 { sine } else { -sine }
}

/// Infinities become the largest finite values.
#[inline(always)]
pub(crate) fn finite(a: f32) -> f32 {
    if a.is_infinite() {
        f32::MAX.copysign(a)
    } else {
        a
    }
}

/// The same in double precision.
#[inline(always)]
pub(crate) fn finite64(a: f64) -> f64 {
    if a.is_infinite() {
        f64::MAX.copysign(a)
    } else {
        a
    }
}

/// Infinities become zeros of the same sign.
#[inline(always)]
pub(crate) fn infinite_to_zero(a: f32) -> f32 {
    if a.is_infinite() {
        0.0f32.copysign(a)
    } else {
        a
    }
}

/// 2/π from its first digit below 1 on, 1201 of its binary digits.
static TWO_BY_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_0000,
    0,
];

/// The segment of 2/π that reducing `a` begins with, or one of the next (errata E198): 53 digits, cut off.
#[inline(always)]
pub(crate) fn two_by_pi(a: f64, segment: u32) -> f64 {
    /// Digits of a segment.
    const DIGITS: u32 = 53;
    /// Segments that the second source can name.
    const SEGMENTS: u32 = 31;
    // Exponents, as encoded, from which on digits are left out and values scaled.
    const LEAVES_OUT: u32 = 1077;
    const SCALED: u32 = 1968;
    const SCALE: i32 = 128;
    let exponent = a.exponent();
    let first = (segment & SEGMENTS) * DIGITS + exponent.saturating_sub(LEAVES_OUT);
    let word = (first / u64::BITS) as usize;
    let at = |n: usize| u128::from(TWO_BY_PI.get(n).copied().unwrap_or(0));
    let pair = at(word) << u64::BITS | at(word + 1);
    let digits = (pair << (first % u64::BITS) >> (u128::BITS - DIGITS)) as u64;
    let scale = if exponent >= SCALED { SCALE } else { 0 };
    exact::ldexp(Round::Zero, digits as f64, scale - (DIGITS + first) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every so many bits of single precision are tried: a prime number, so that all fractions come with all exponents.
    const STEP: usize = 4093;

    /// Errata E199: the series are as good as the library of the host in double precision.
    #[test]
    fn series_are_rounded_correctly() {
        type Pair = (&'static str, fn(f32) -> f32, fn(f64) -> f64);
        let sine = |turns: f64| (turns % 1.0 * std::f64::consts::TAU).sin();
        let cosine = |turns: f64| (turns % 1.0 * std::f64::consts::TAU).cos();
        let functions: [Pair; 2] = [("exp2", exp2, f64::exp2), ("log2", log2, f64::log2)];
        let waves: [Pair; 2] = [("sin", sin, sine), ("cos", cos, cosine)];
        for bits in (0..=u32::MAX).step_by(STEP) {
            let value = f32::from_bits(bits);
            for (name, ours, host) in functions {
                let (got, expected) = (ours(value), host(value.into()) as f32);
                let are_nan = got.is_nan() && expected.is_nan();
                let are_same = got.to_bits() == expected.to_bits() || are_nan;
                assert!(are_same, "{name}({value:e}) = {got:e}, not {expected:e}");
            }
            for (name, ours, host) in waves {
                if value.is_nan() || value.abs() > TURNS {
                    continue;
                }
                let (got, expected) = (ours(value), host(value.into()) as f32);
                // The host's angles are rounded once more, which counts near its zeros.
                let is_near = (got - expected).abs() < 1e-9;
                let are_same = got.to_bits() == expected.to_bits() || is_near;
                assert!(are_same, "{name}({value:e}) = {got:e}, not {expected:e}");
            }
        }
    }
}
