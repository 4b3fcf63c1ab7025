//! Functions that hardware approximates with tables: reciprocals, roots, exponentials, logarithms and sines. The
//! emulator's results are rounded to nearest even (errata E199). The module also contains the digits of 2/π.

use std::hint::select_unpredictable as select;

use gcn_isa::Isa;

use super::arithmetic::ldexp64;
use super::conversion::WHOLE_SINGLE;
use super::env::Env;
use super::exact;
use super::float::Float;
use super::nan;

/// Polynomial coefficients of 2^x for x from −1/2 to 1/2, accurate to within 2^-55.
pub(crate) const EXPONENTIAL: [f64; 12] = [
    1.0,
    0.693_147_180_559_945_7,
    0.240_226_506_959_100_97,
    0.055_504_108_664_790_39,
    0.009_618_129_107_607_001,
    0.001_333_355_815_344_007_2,
    0.000_154_035_304_415_733_2,
    1.525_272_738_506_461_8e-5,
    1.321_544_267_486_424_5e-6,
    1.018_064_773_281_740_8e-7,
    7.072_570_475_457_9e-9,
    4.078_057_776_775_167e-10,
];

/// Coefficients of a polynomial in t² that approximates log2((1 + t) / (1 − t)) / t for t² up to 17 − √288,
/// accurate to within 2^-52.
pub(crate) const LOGARITHM: [f64; 7] = [
    2.885_390_081_777_927,
    0.961_796_693_924_323_5,
    0.577_078_017_250_753_4,
    0.412_198_401_397_245_84,
    0.320_616_431_370_627_34,
    0.261_442_926_677_234_57,
    0.242_931_252_149_766_02,
];

/// Coefficients of a polynomial in x² that approximates sin(2πx) / x for x from −1/4 to 1/4, accurate to within
/// 2^-61.
#[allow(clippy::approx_constant)] // The first coefficient is close to 2π by design.
pub(crate) const SINE: [f64; 9] = [
    6.283_185_307_179_586,
    -41.341_702_240_399_75,
    81.605_249_276_073_41,
    -76.705_859_752_798_49,
    42.058_693_923_785_53,
    -15.094_641_620_519_61,
    3.819_927_050_650_435,
    -0.717_723_581_755_954_2,
    0.100_856_336_871_197_52,
];

/// Bound on exponents: 2 to this power, or to its negative, is infinite or zero in single precision but not in double
/// precision.
pub(crate) const MAX_POWER: f32 = 300.0;
/// Constant whose sum with an integer n has the biased double-precision exponent of 2^n in its low bits.
pub(crate) const BIASED_WHOLE: f32 = (f64::EXPONENT_MAX >> 1) as f32 + WHOLE_SINGLE;

/// Applies a function of one value under the given settings.
#[inline(always)]
pub(crate) fn under<F: Float>(env: Env, a: F, f: impl Fn(F) -> F) -> F {
    let a = env.input(a);
    env.output(nan::of_one(f(a), a))
}

/// Evaluates a polynomial in `x`. With `FUSES`, multiplications and additions are fused, which is slow on hosts without
/// FMA instructions. The choice does not affect results after rounding to single precision, as tested for all inputs.
#[inline(always)]
fn polynomial<const FUSES: bool, const TERMS: usize>(coefficients: &[f64; TERMS], x: f64) -> f64 {
    let mut sum = coefficients[TERMS - 1];
    for coefficient in coefficients[..TERMS - 1].iter().rev() {
        sum = fused::<FUSES>(sum, x, *coefficient);
    }
    sum
}

#[inline(always)]
fn fused<const FUSES: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSES { a.mul_add(b, c) } else { a * b + c }
}

/// Returns 2 to the power of `a`.
#[inline(always)]
pub(crate) fn exp2<const FUSES: bool>(a: f32) -> f32 {
    let power = a.clamp(-MAX_POWER, MAX_POWER);
    let whole = power.round_ties_even();
    let exponent = u64::from((whole + BIASED_WHOLE).to_bits());
    let scale = f64::from_bits(exponent << f64::FRACTION);
    (polynomial::<FUSES, _>(&EXPONENTIAL, (power - whole).into()) * scale) as f32
}

/// Returns the base-2 logarithm of a value that is not denormal.
#[inline(always)]
pub(crate) fn log2<const FUSES: bool>(a: f32) -> f32 {
    // Splits `a` into a power of two and a factor from √½ to √2.
    let above = a
        .to_bits()
        .wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits()) as i32;
    let power = above >> f32::FRACTION;
    let rest = f32::from_bits(a.to_bits().wrapping_sub((power << f32::FRACTION) as u32));
    let rest = f64::from(rest);
    let tangent = (rest - 1.0) / (rest + 1.0);
    let series = polynomial::<FUSES, _>(&LOGARITHM, tangent * tangent);
    let result = fused::<FUSES>(tangent, series, power.into()) as f32;
    let is_number = a > 0.0 && a < f32::INFINITY;
    // Minus infinity for 0, NaN for negative values.
    let at_zero = if a == 0.0 {
        f32::NEG_INFINITY
    } else {
        nan::none(a)
    };
    let limit = if a > 0.0 { a } else { at_zero };
    if is_number { result } else { limit }
}

/// Returns the reciprocal square root.
pub(crate) fn rsq(a: f32) -> f32 {
    f64::from(a).sqrt().recip() as f32
}

/// Returns the reciprocal square root in double precision. A Newton step corrects the rounding errors of the square
/// root and of its reciprocal.
pub(crate) fn rsq64(a: f64) -> f64 {
    if !(a > 0.0 && a.is_finite()) {
        return a.sqrt().recip();
    }
    // Remove an even power of two, so that nothing below overflows or underflows.
    let power = a.frexp_exponent() & !1;
    let scaled = ldexp64(a, -power);
    ldexp64(put_right(scaled, scaled.sqrt().recip()), -power / 2)
}

/// Fast path of [`rsq64`]. The flag is true if an intermediate result may overflow or underflow.
#[inline(always)]
pub(crate) fn rsq64_fast(a: f64) -> (f64, bool) {
    /// Maximum magnitude, and the reciprocal of the minimum.
    const FAR: f64 = f64::from_bits((900 + (f64::EXPONENT_MAX as u64 >> 1)) << f64::FRACTION);
    let magnitude = a.abs();
    let is_far = (magnitude > 0.0) & (magnitude < FAR.recip())
        | (magnitude > FAR) & (magnitude < f64::INFINITY);
    let rough = a.sqrt().recip();
    let has_root = (a > 0.0) & (a < f64::INFINITY);
    let result = select(has_root, put_right(a, rough), rough);
    (nan::of_one(result, a), is_far)
}

/// Refines an approximate reciprocal square root of `a`.
#[inline(always)]
fn put_right(a: f64, rough: f64) -> f64 {
    const HALF: f64 = 0.5;
    // 1 − a·rough², including the rounding error of the square.
    let square = rough * rough;
    let below = rough.mul_add(rough, -square);
    let left = (-a).mul_add(square, 1.0) - a * below;
    (HALF * rough).mul_add(left, rough)
}

/// Returns the number of turns beyond which the sine and cosine instructions return their result for 0 (errata E199,
/// E242).
#[inline(always)]
pub(crate) fn farthest(isa: Isa) -> f32 {
    /// Limit before GCN 1.4.
    const TURNS: f32 = 256.0;
    if isa < Isa::Gfx9 {
        TURNS
    } else {
        f32::INFINITY
    }
}

/// Returns the sine of an angle in turns; beyond `farthest`, the sine of 0.
#[inline(always)]
pub(crate) fn sin<const FUSES: bool>(farthest: f32, turns: f32) -> f32 {
    let (half_turns, rest) = without_half_turns(turns);
    let sine = alternating(half_turns, sine::<FUSES>(rest.into()));
    let sine = if is_too_far(farthest, turns) {
        0.0
    } else {
        sine
    };
    if turns == 0.0 { turns } else { sine }
}

/// Returns the cosine of an angle in turns; beyond `farthest`, the cosine of 0.
#[inline(always)]
pub(crate) fn cos<const FUSES: bool>(farthest: f32, turns: f32) -> f32 {
    /// Phase difference between cosine and sine.
    const QUARTER: f64 = 0.25;
    let (half_turns, rest) = without_half_turns(turns);
    let below = if rest > 0.0 { -rest } else { rest };
    let cosine = alternating(half_turns, sine::<FUSES>(QUARTER + f64::from(below)));
    if is_too_far(farthest, turns) {
        1.0
    } else {
        cosine
    }
}

#[inline(always)]
fn is_too_far(farthest: f32, turns: f32) -> bool {
    turns.abs() > farthest && turns.abs() < f32::INFINITY
}

/// Removes whole turns, then half turns. Returns the number of half turns removed and the rest, at most a quarter turn.
/// The reduction is exact, so zeros of the sine are exact even for large angles.
#[inline(always)]
fn without_half_turns(turns: f32) -> (f32, f32) {
    let turns = turns - turns.trunc();
    let half_turns = (2.0 * turns).round_ties_even();
    (half_turns, turns - half_turns / 2.0)
}

/// Negates a nonzero sine if the number of half turns is odd.
#[inline(always)]
fn alternating(half_turns: f32, sine: f32) -> f32 {
    let is_odd = (half_turns + WHOLE_SINGLE).to_bits() & 1 != 0;
    if is_odd && sine.abs() > 0.0 {
        -sine
    } else {
        sine
    }
}

/// Returns the sine of at most a quarter turn.
#[inline(always)]
fn sine<const FUSES: bool>(turns: f64) -> f32 {
    (turns * polynomial::<FUSES, _>(&SINE, turns * turns)) as f32
}

/// Replaces infinities with the largest finite values.
#[inline(always)]
pub(crate) fn finite(a: f32) -> f32 {
    if a.is_infinite() {
        f32::MAX.copysign(a)
    } else {
        a
    }
}

/// [`finite`] in double precision.
#[inline(always)]
pub(crate) fn finite64(a: f64) -> f64 {
    if a.is_infinite() {
        f64::MAX.copysign(a)
    } else {
        a
    }
}

/// Replaces minus infinity with the lowest finite value (errata E306).
#[inline(always)]
pub(crate) fn above_minus_infinity(a: f32) -> f32 {
    if a == f32::NEG_INFINITY { f32::MIN } else { a }
}

/// Replaces infinities with zeros of the same sign.
#[inline(always)]
pub(crate) fn infinite_to_zero(a: f32) -> f32 {
    if a.is_infinite() {
        0.0f32.copysign(a)
    } else {
        a
    }
}

/// First 1201 bits of 2/π after the binary point.
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

/// Returns a segment of 2/π for the argument reduction of `a` (errata E198): 53 bits, truncated. Segment 0 is the first
/// one that affects the reduced argument.
#[inline(always)]
pub(crate) fn two_by_pi(a: f64, segment: u32) -> f64 {
    /// Bits per segment.
    const DIGITS: u32 = 53;
    /// Mask of the segment number in the second source.
    const SEGMENTS: u32 = 31;
    // Encoded exponents: leading bits are skipped above the first, and the segment is scaled from the second.
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
    let env = Env::KEEPING.towards_zero();
    exact::ldexp(env, digits as f64, scale - (DIGITS + first) as i32)
}
