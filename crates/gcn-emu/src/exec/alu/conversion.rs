//! Conversions from floating-point values to integers, and from double to single precision.

use super::env::{Env, Round};

/// Converts to an integer in 0..=255, rounding as in MODE (errata E192).
#[inline(always)]
pub(crate) fn to_u8(env: Env, a: f32) -> u8 {
    let a = env.input(a);
    let whole = match env.round {
        Round::Nearest => a.round_ties_even(),
        Round::Up => a.ceil(),
        Round::Down => a.floor(),
        Round::Zero => a,
    };
    to_short(whole, 0.0, u8::MAX.into()) as u8
}

/// Maps −1..=1 to −32767..=32767, rounding once to nearest even; NaN becomes 0 (errata E192). The product is exact in
/// double precision.
#[inline(always)]
pub(crate) fn snorm16(a: f32) -> i16 {
    let product = f64::from(a.clamp(-1.0, 1.0)) * f64::from(i16::MAX);
    to_i16(product.round_ties_even() as f32)
}

/// Maps 0..=1 to 0..=65535, like [`snorm16`].
#[inline(always)]
pub(crate) fn unorm16(a: f32) -> u16 {
    let product = f64::from(a.clamp(0.0, 1.0)) * f64::from(u16::MAX);
    to_u16(product.round_ties_even() as f32)
}

/// Converts `whole`, the integer to which V_CVT_FLR or V_CVT_RPI has rounded `a`. A NaN saturates according to its sign
/// (errata E192).
#[inline(always)]
pub(crate) fn whole_to_i32(whole: f64, a: f32) -> i32 {
    let limit = i32::MAX.wrapping_add(i32::from(a.is_sign_negative()));
    if a.is_nan() { limit } else { to_i32(whole) }
}

/// Converts to single precision, with denormal results handled as in `env` (errata E300).
#[inline(always)]
pub(crate) fn narrowed(env: Env, a: f64) -> f32 {
    /// Smallest value that rounds to the smallest normal number if the exponent range is unbounded.
    const ROUNDED_TO_LEAST: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / (1 << 25) as f64);
    let least = if env.keeps_results() {
        0.0
    } else {
        ROUNDED_TO_LEAST
    };
    let a = if a.abs() < least { 0f64.copysign(a) } else { a };
    a as f32
}

/// 1.5 times 2^52. Its sum with an integer of magnitude below 2^51 has that integer in the low bits.
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0;

/// Rounds towards zero and saturates; NaN becomes 0. Equivalent to a cast, but vectorizable.
#[inline(always)]
pub(crate) fn to_i32(a: f64) -> i32 {
    let number = a.clamp(i32::MIN.into(), i32::MAX.into());
    let whole = (number.trunc() + WHOLE).to_bits() as i32;
    if a.is_nan() { 0 } else { whole }
}

/// [`to_i32`] for unsigned integers.
#[inline(always)]
pub(crate) fn to_u32(a: f64) -> u32 {
    let number = a.clamp(0.0, u32::MAX.into());
    let whole = (number.trunc() + WHOLE).to_bits() as u32;
    if a.is_nan() { 0 } else { whole }
}

/// 1.5 times 2^23: [`WHOLE`] for single precision.
pub(crate) const WHOLE_SINGLE: f32 = 12_582_912.0;

/// [`to_i32`] for 16-bit integers, from single precision.
#[inline(always)]
pub(crate) fn to_i16(a: f32) -> i16 {
    to_short(a, i16::MIN.into(), i16::MAX.into()) as i16
}

/// [`to_i16`] for unsigned integers.
#[inline(always)]
pub(crate) fn to_u16(a: f32) -> u16 {
    to_short(a, 0.0, u16::MAX.into())
}

#[inline(always)]
fn to_short(a: f32, least: f32, greatest: f32) -> u16 {
    let whole = (a.clamp(least, greatest).trunc() + WHOLE_SINGLE).to_bits() as u16;
    if a.is_nan() { 0 } else { whole }
}
