//! IEEE arithmetic on the host: multiply-add, minima and maxima, scaling by powers of two, fractional parts, cube
//! coordinates.

use std::hint::select_unpredictable as select;

use super::env::Env;
use super::exact;
use super::float::{
    F16, Float, LARGEST_HALF, LEAST_HALF, ROUNDED_TO_LEAST_HALF, SIGN_SINGLE, below_one,
};
use crate::lanes::HalfFloat;

/// Multiplies and adds, rounding both the product and the sum. Denormals are flushed throughout, regardless of MODE.
/// Returns a NaN if rounding may have affected the flushing of the product (errata E300).
#[inline(always)]
pub(crate) fn mad(a: f32, b: f32, c: f32) -> f32 {
    let env = Env::FLUSHING;
    env.output((env.input(a) * env.input(b)).flushed_or_unsettled() + env.input(c))
}

/// [`mad`] in any rounding mode, which applies to both the product and the sum.
pub(crate) fn mad_rounded<F: Float>(env: Env, a: F, b: F, c: F) -> F {
    let env = env.flushing();
    let product = exact::mul(env, env.input(a), env.input(b));
    exact::add(env, product, env.input(c))
}

/// [`mad_legacy`] in any rounding mode.
pub(crate) fn mad_legacy_rounded(env: Env, a: f32, b: f32, c: f32) -> f32 {
    let env = env.flushing();
    let product = mul_legacy_rounded(env, env.input(a), env.input(b));
    exact::add(env, product, env.input(c))
}

/// [`mul_legacy`] in any rounding mode.
pub(crate) fn mul_legacy_rounded(env: Env, a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 {
        0.0
    } else {
        exact::mul(env, a, b)
    }
}

/// [`mad`], but zero times anything is zero.
#[inline(always)]
pub(crate) fn mad_legacy(a: f32, b: f32, c: f32) -> f32 {
    let env = Env::FLUSHING;
    let product = mul_legacy(env.input(a), env.input(b));
    env.output(product.flushed_or_unsettled() + env.input(c))
}

/// Multiplies; zero times anything is zero.
#[inline(always)]
pub(crate) fn mul_legacy(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// [`mad`] in half precision.
#[inline(always)]
pub(crate) fn mad_half(a: HalfFloat, b: HalfFloat, c: HalfFloat) -> HalfFloat {
    let env = Env::FLUSHING;
    let product = round_normal_half(env.input(a).0 * env.input(b).0);
    env.output(HalfFloat(product + env.input(c).0))
}

/// Rounds to nearest even in half precision and flushes denormals. Infinities and NaNs are unchanged: in a product of
/// halves, their discarded bits are zero.
#[inline(always)]
fn round_normal_half(value: f32) -> f32 {
    const BELOW_HALF: u32 = 0xfff;
    const LOST: u32 = 0x1fff;
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(BELOW_HALF + (bits >> 13 & 1)) & !LOST;
    let magnitude = f32::from_bits(rounded & !SIGN_SINGLE);
    let normal = select(magnitude < LEAST_HALF, LEAST_HALF, magnitude);
    let finite = select(value.abs() < ROUNDED_TO_LEAST_HALF, 0.0, normal);
    let number = select(magnitude > LARGEST_HALF, magnitude + f32::INFINITY, finite);
    f32::from_bits(number.to_bits() | bits & SIGN_SINGLE)
}

/// Fast path of [`fma_half`]. The flag is true if the result may be wrong because it is halfway between two
/// half-precision values or denormal in half precision.
#[inline(always)]
pub(crate) fn fma_half_fast(a: HalfFloat, b: HalfFloat, c: HalfFloat) -> (HalfFloat, bool) {
    const LOST: u32 = 0x1fff;
    const BETWEEN: u32 = 0x1000;
    let sum = a.0 * b.0 + c.0;
    let is_small = (sum.abs() < LEAST_HALF) & (sum != 0.0);
    let is_between = sum.to_bits() & LOST == BETWEEN;
    (HalfFloat(sum), is_small | is_between)
}

/// Computes a fused multiply-add in half precision. In single precision, the product is exact and the rounding error of
/// the sum can be computed exactly.
#[inline(always)]
pub(crate) fn fma_half(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    // Round to odd, so that the later rounding to half precision is correct. For infinities and NaNs, `lost` is a NaN,
    // so they are unchanged.
    let bits = sum.to_bits();
    let away = (lost > 0.0) == (sum > 0.0);
    let odd = select(away, bits.wrapping_add(1), bits.wrapping_sub(1));
    let is_between = (bits & 1 == 0) & (lost.abs() > 0.0);
    f32::from_bits(select(is_between, odd, bits))
}

/// Rounds to an integer with `f` and quiets NaNs, because `f` does not quiet them on every host.
#[inline(always)]
pub(crate) fn whole<F: Float>(a: F, f: impl Fn(F) -> F) -> F {
    if a.is_any_nan() { a.quiet() } else { f(a) }
}

/// Returns the minimum, treating −0 as less than +0. If one value is a NaN, returns the other. Under IEEE rules, a
/// signaling NaN takes precedence and is made quiet.
#[inline(always)]
pub(crate) fn min<F: Float>(a: F, b: F, ieee: bool) -> F {
    choose(a, b, ieee, (a < b) | (a == b) & a.negative())
}

/// Returns the maximum, under the rules of [`min`].
#[inline(always)]
pub(crate) fn max<F: Float>(a: F, b: F, ieee: bool) -> F {
    choose(a, b, ieee, (a > b) | (a == b) & !a.negative())
}

#[inline(always)]
fn choose<F: Float>(a: F, b: F, ieee: bool, first: bool) -> F {
    // Selects instead of branches, which would be hard to predict.
    let number = select(b.is_any_nan() | first, a, b);
    let number = select(ieee & b.signals(), b.quiet(), number);
    select(ieee & a.signals(), a.quiet(), number)
}

/// Returns the minimum of three values.
#[inline(always)]
pub(crate) fn min3<F: Float>(a: F, b: F, c: F, ieee: bool) -> F {
    min(min(a, b, ieee), c, ieee)
}

/// Returns the maximum of three values.
#[inline(always)]
pub(crate) fn max3<F: Float>(a: F, b: F, c: F, ieee: bool) -> F {
    max(max(a, b, ieee), c, ieee)
}

/// [`min`] for values that are not NaN.
#[inline(always)]
pub(crate) fn lesser<F: Float>(a: F, b: F) -> F {
    // For two zeros, `first` is `b` and `second` is `a`; combining their bits gives −0 if either is −0.
    let (first, second) = (if a < b { a } else { b }, if b < a { b } else { a });
    F::of_bits(first.bits() | second.bits())
}

/// [`max`] for values that are not NaN.
#[inline(always)]
pub(crate) fn greater<F: Float>(a: F, b: F) -> F {
    let (first, second) = (if a > b { a } else { b }, if b > a { b } else { a });
    F::of_bits(first.bits() & second.bits())
}

/// [`min3`] for values that are not NaN.
#[inline(always)]
pub(crate) fn least<F: Float>(a: F, b: F, c: F) -> F {
    lesser(lesser(a, b), c)
}

/// [`max3`] for values that are not NaN.
#[inline(always)]
pub(crate) fn greatest<F: Float>(a: F, b: F, c: F) -> F {
    greater(greater(a, b), c)
}

/// [`med3`] for values that are not NaN.
#[inline(always)]
pub(crate) fn middle<F: Float>(a: F, b: F, c: F) -> F {
    let ab = if a > b { a } else { b };
    let greatest = if ab > c { ab } else { c };
    let (is_a, is_b) = (a == greatest, b == greatest);
    // Maximum of the other two values.
    greater(select(is_a, b, a), select(is_a | is_b, c, b))
}

/// Returns the median of three values, or the minimum if one is a NaN.
#[inline(always)]
pub(crate) fn med3<F: Float>(a: F, b: F, c: F, ieee: bool) -> F {
    let (ab, bc, ac) = (max(a, b, ieee), max(b, c, ieee), max(a, c, ieee));
    let greatest = max(ab, c, ieee);
    let middle = select(greatest == a, bc, select(greatest == b, ac, ab));
    let is_any_nan = a.is_any_nan() | b.is_any_nan() | c.is_any_nan();
    select(is_any_nan, min3(a, b, c, ieee), middle)
}

/// Multiplies by a power of two, with one rounding. Flushes denormal results if `env` does. The intermediate product is
/// exact, so the comparison with the smallest normal number does not depend on rounding.
#[inline(always)]
pub(crate) fn ldexp(env: Env, a: f32, power: i32) -> f32 {
    let product = times_power(a, power);
    let is_small = (product.abs() < f32::MIN_POSITIVE.into()) & !env.keeps_results();
    select(is_small, 0f32.copysign(a), product as f32)
}

/// Multiplies by a power of two. The product is exact if it is in single-precision range.
#[inline(always)]
fn times_power(a: f32, power: i32) -> f64 {
    // Beyond this power every result is infinite or zero; within it the product is exact in double precision.
    const ENOUGH: i32 = 400;
    let bias = (f64::EXPONENT_MAX >> 1) as i32;
    let factor = (power.clamp(-ENOUGH, ENOUGH) + bias) as u64;
    f64::from(a) * f64::from_bits(factor << f64::FRACTION)
}

/// [`ldexp`] in half precision.
#[inline(always)]
pub(crate) fn ldexp_half(env: Env, a: F16, power: i16) -> HalfFloat {
    env.output(HalfFloat(times_power(a.to_f32(), power.into()) as f32))
}

/// [`ldexp`] in double precision.
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
    // A fraction from 1/2 to 1, so that only the last product rounds.
    let fraction = a.frexp_fraction();
    // Beyond this power every result is infinite or zero.
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

/// [`ldexp64`] for zeros, and for normal values with normal results. The flag is true for all other values.
#[inline(always)]
pub(crate) fn ldexp64_fast(a: f64, power: i32) -> (f64, bool) {
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

/// [`ldexp64`] with denormals handled according to `env`.
#[inline(always)]
pub(crate) fn ldexp64_under(env: Env, a: f64, power: i32) -> f64 {
    let a = env.input(a);
    if env.keeps_results() {
        ldexp64(a, power)
    } else {
        exact::ldexp(env, a, power)
    }
}

/// Returns the difference between a value and its floor: always less than 1, and +0 for integers (errata E301).
#[inline(always)]
pub(crate) fn fract<F: Float>(a: F, minus: impl Fn(F, F) -> F, floor: impl Fn(F) -> F) -> F {
    let rest = below_one(minus(a, floor(a)));
    select(rest.magnitude() == 0, F::signed(0, false), rest)
}

/// Returns V_MULLIT's result: the product if `b` is above the lowest finite value and `c` is positive, otherwise the
/// lowest finite value (errata E197).
#[inline(always)]
pub(crate) fn lit(product: f32, b: f32, c: f32) -> f32 {
    // False if `b` or `c` is a NaN.
    if b > f32::MIN && c > 0.0 {
        product
    } else {
        f32::MIN
    }
}

/// Computes a fused multiply-add in double precision. On hosts without FMA instructions, the library function may
/// return a signaling NaN; it is made quiet (errata E190).
#[inline(always)]
pub(crate) fn fma_f64<const FUSES: bool>(a: f64, b: f64, c: f64) -> f64 {
    let result = a.mul_add(b, c);
    if !FUSES && result.is_nan() {
        result.quiet()
    } else {
        result
    }
}

/// Direction mapped to a face of a cube.
pub(crate) struct Cube {
    /// Face number: +x, −x, +y, −y, +z, −z.
    pub(crate) face: f32,
    /// Coordinates on the face, before division.
    pub(crate) s: f32,
    pub(crate) t: f32,
    /// Coordinate with the greatest magnitude.
    pub(crate) major: f32,
}

/// Maps a direction to a face. For equal magnitudes, z takes precedence over y, and y over x.
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
