//! Conversions of floating-point values to integers.

use super::exact::Round;

/// To an integer of 0..=255 (errata E192).
#[inline(always)]
pub(crate) fn to_u8(round: Round, a: f32) -> u8 {
    let whole = match round {
        Round::Nearest => a.round_ties_even(),
        Round::Up => a.ceil(),
        Round::Down => a.floor(),
        Round::Zero => a,
    };
    to_short(whole, 0.0, u8::MAX.into()) as u8
}

/// −1..=1 to −32767..=32767, rounded to nearest even; 0 of NaN.
#[inline(always)]
pub(crate) fn snorm16(a: f32) -> i16 {
    to_i16((a.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round_ties_even())
}

/// 0..=1 to 0..=65535, rounded to nearest even; 0 of NaN.
#[inline(always)]
pub(crate) fn unorm16(a: f32) -> u16 {
    to_u16((a.clamp(0.0, 1.0) * f32::from(u16::MAX)).round_ties_even())
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
pub(super) const WHOLE_SINGLE: f32 = 12_582_912.0;

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
