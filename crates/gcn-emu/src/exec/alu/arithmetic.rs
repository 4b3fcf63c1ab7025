//! IEEE arithmetic on values: products with sums, minima and maxima, powers of two, places on a cube.

use std::hint::select_unpredictable as select;

use super::env::Env;
use super::exact;
use super::float::{
    F16, Float, LARGEST_HALF, LEAST_HALF, ROUNDED_TO_LEAST_HALF, SIGN_SINGLE, below_one,
};
use crate::lanes::HalfFloat;

/// The product, rounded, and the sum of that and `c`, rounded; denormals are zero throughout, whatever MODE says. Where it takes
/// more to tell if the product is one the result is a NaN (errata E300).
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

/// The product; zero times anything is zero.
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

/// Rounded to nearest even in half precision, denormals to zero. The digits that are lost of infinities and of the NaN
/// that a product of halves can be are zeros.
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

/// [`fma_half`] where it is simple, and whether it is not: it is a number of single precision that lies just between two
/// of half precision, or a denormal of that.
#[inline(always)]
pub(crate) fn fma_half_fast(a: HalfFloat, b: HalfFloat, c: HalfFloat) -> (HalfFloat, bool) {
    const LOST: u32 = 0x1fff;
    const BETWEEN: u32 = 0x1000;
    let sum = a.0 * b.0 + c.0;
    let is_small = (sum.abs() < LEAST_HALF) & (sum != 0.0);
    let is_between = sum.to_bits() & LOST == BETWEEN;
    (HalfFloat(sum), is_small | is_between)
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

/// Times two to the power, rounded once, a denormal flushed as `env` says. All digits of the value are in the product: it is
/// less than the least normal number before rounding or not at all.
#[inline(always)]
pub(crate) fn ldexp(env: Env, a: f32, power: i32) -> f32 {
    let product = times_power(a, power);
    let is_small = (product.abs() < f32::MIN_POSITIVE.into()) & !env.keeps_results();
    select(is_small, 0f32.copysign(a), product as f32)
}

/// The exact product of a value and a power of two, or one that is as much too large or too small.
#[inline(always)]
fn times_power(a: f32, power: i32) -> f64 {
    // Beyond this power every value is infinite or zero, and within it the product is exact in double precision.
    const ENOUGH: i32 = 400;
    let bias = (f64::EXPONENT_MAX >> 1) as i32;
    let factor = (power.clamp(-ENOUGH, ENOUGH) + bias) as u64;
    f64::from(a) * f64::from_bits(factor << f64::FRACTION)
}

/// The same in half precision.
#[inline(always)]
pub(crate) fn ldexp_half(env: Env, a: F16, power: i16) -> HalfFloat {
    env.output(HalfFloat(times_power(a.to_f32(), power.into()) as f32))
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

/// [`ldexp64`] with denormals as `env` says.
#[inline(always)]
pub(crate) fn ldexp64_under(env: Env, a: f64, power: i32) -> f64 {
    let a = env.input(a);
    if env.keeps_results() {
        ldexp64(a, power)
    } else {
        exact::ldexp(env, a, power)
    }
}

/// Distance from the integer below, less than 1; of integers a zero without sign (errata E301).
#[inline(always)]
pub(crate) fn fract<F: Float>(a: F, minus: impl Fn(F, F) -> F, floor: impl Fn(F) -> F) -> F {
    let rest = below_one(minus(a, floor(a)));
    select(rest.magnitude() == 0, F::signed(0, false), rest)
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
