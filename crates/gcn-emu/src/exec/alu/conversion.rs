//! Conversions of floating-point values to integers.

use super::env::{Env, Round};

/// To an integer of 0..=255 (errata E192).
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

/// −1..=1 to −32767..=32767, rounded once to nearest even; 0 of NaN (errata E192). The product is exact in double precision.
#[inline(always)]
pub(crate) fn snorm16(a: f32) -> i16 {
    let product = f64::from(a.clamp(-1.0, 1.0)) * f64::from(i16::MAX);
    to_i16(product.round_ties_even() as f32)
}

/// 0..=1 to 0..=65535, in the same way.
#[inline(always)]
pub(crate) fn unorm16(a: f32) -> u16 {
    let product = f64::from(a.clamp(0.0, 1.0)) * f64::from(u16::MAX);
    to_u16(product.round_ties_even() as f32)
}

/// A whole number of V_CVT_FLR and V_CVT_RPI; a NaN saturates by its sign (errata E192).
#[inline(always)]
pub(crate) fn whole_to_i32(whole: f64, a: f32) -> i32 {
    let limit = i32::MAX.wrapping_add(i32::from(a.is_sign_negative()));
    if a.is_nan() { limit } else { to_i32(whole) }
}

/// To single precision, a denormal as `env` says (errata E300).
#[inline(always)]
pub(crate) fn narrowed(env: Env, a: f64) -> f32 {
    /// The least value that is the least normal number when it is rounded as if there were no least exponent.
    const ROUNDED_TO_LEAST: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / (1 << 25) as f64);
    let least = if env.keeps_results() {
        0.0
    } else {
        ROUNDED_TO_LEAST
    };
    let a = if a.abs() < least { 0f64.copysign(a) } else { a };
    a as f32
}

/// 1.5 times 2^52: a whole number below 2^51 that is added to it is in the sum's low bits.
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0;

/// Rounded towards zero, the nearest number there is, 0 of NaN: what a cast does, for many lanes at once.
#[inline(always)]
pub(crate) fn to_i32(a: f64) -> i32 {
    let number = a.clamp(i32::MIN.into(), i32::MAX.into());
    let whole = (number.trunc() + WHOLE).to_bits() as i32;
    if a.is_nan() { 0 } else { whole }
}

/// The same without sign.
#[inline(always)]
pub(crate) fn to_u32(a: f64) -> u32 {
    let number = a.clamp(0.0, u32::MAX.into());
    let whole = (number.trunc() + WHOLE).to_bits() as u32;
    if a.is_nan() { 0 } else { whole }
}

/// 1.5 times 2^23, which is the same for single precision.
pub(crate) const WHOLE_SINGLE: f32 = 12_582_912.0;

/// To an integer of 16 bits, in the same way.
#[inline(always)]
pub(crate) fn to_i16(a: f32) -> i16 {
    to_short(a, i16::MIN.into(), i16::MAX.into()) as i16
}

/// The same without sign.
#[inline(always)]
pub(crate) fn to_u16(a: f32) -> u16 {
    to_short(a, 0.0, u16::MAX.into())
}

#[inline(always)]
fn to_short(a: f32, least: f32, greatest: f32) -> u16 {
    let whole = (a.clamp(least, greatest).trunc() + WHOLE_SINGLE).to_bits() as u16;
    if a.is_nan() { 0 } else { whole }
}
