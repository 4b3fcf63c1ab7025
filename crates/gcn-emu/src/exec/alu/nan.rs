//! NaN results by one rule on every host (errata E190).
//!
//! Hosts differ in which of two NaN sources an instruction propagates, and a compiler may exchange the operands of a sum or
//! a product. So operations are computed as the host does, and the rare lanes whose result is a NaN are computed again by
//! what obeys the rule: looking for one takes two comparisons for all lanes on hosts with the widest vectors.

use std::hint::select_unpredictable as select;

use super::exact::{first_nan, invalid};
use super::float::{F16, Float};
use super::protocol::{At, sources};
use crate::code::Step;
use crate::lanes::{LANES, Lanes, active};
use crate::wave::Wave;

/// The NaN that a result is: the first of the sources that are one, quiet, else the NaN of an invalid operation.
#[inline(always)]
pub(super) fn chosen<F: Float>(sources: &[F]) -> F {
    first_nan(sources).unwrap_or_else(invalid)
}

/// The result of an operation on two sources, a NaN by the rule: for operations that are rarely executed, in each lane.
#[inline(always)]
pub(super) fn of_two(result: f32, a: f32, b: f32) -> f32 {
    of_three(result, a, b, b)
}

/// [`of_two`] of three sources.
#[inline(always)]
pub(super) fn of_three(result: f32, a: f32, b: f32, c: f32) -> f32 {
    let nan = |value: f32, other| select(value.is_nan(), value.quiet(), other);
    let chosen = nan(a, nan(b, nan(c, invalid())));
    select(result.is_nan(), chosen, result)
}

/// The result, with NaN as the rule has them: `exact` computes an active lane's from its sources at the places.
#[inline(always)]
pub(super) fn settled<const X: usize, const Y: usize, const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: At<X, Y, Z>,
    result: [Lanes; 2],
    exact: impl Fn(F, F, F) -> F,
) -> [Lanes; 2] {
    if may_have_nan::<F>(&result) {
        settle(w, s, at, result, &exact)
    } else {
        result
    }
}

/// [`settled`] of halves of dwords.
#[inline(always)]
pub(super) fn settled_halves<const X: usize, const Y: usize, const Z: usize>(
    w: &mut Wave,
    s: &Step,
    at: At<X, Y, Z>,
    result: Lanes,
    exact: impl Fn(F16, F16, F16) -> F16,
) -> Lanes {
    let mut any = false;
    for dword in result.0 {
        any |= is_half_nan(dword) | is_half_nan(dword >> u16::BITS);
    }
    if any {
        settle_halves(w, s, at, result, &exact)
    } else {
        result
    }
}

/// Bits of a half but the sign.
const HALF_MAGNITUDE: u32 = 0x7fff;
/// An infinity.
const HALF_INFINITY: u32 = 0x7c00;
/// Bits of the exponent in the high dword of a double.
const DOUBLE_EXPONENT: u32 = 0x7ff0_0000;

#[inline(always)]
fn is_half_nan(dword: u32) -> bool {
    dword & HALF_MAGNITUDE > HALF_INFINITY
}

/// Whether a lane, active or not, may have a NaN. In double precision an infinity looks like one, so that one dword of each
/// lane is enough.
#[inline(always)]
fn may_have_nan<F: Float>([low, high]: &[Lanes; 2]) -> bool {
    let mut any = false;
    match F::BITS {
        u16::BITS => {
            for &dword in &low.0 {
                any |= is_half_nan(dword);
            }
        }
        u32::BITS => {
            // One comparison says it of two numbers.
            let (first, second) = low.0.split_at(LANES / 2);
            for (&a, &b) in first.iter().zip(second) {
                any |= f32::from_bits(a).partial_cmp(&f32::from_bits(b)).is_none();
            }
        }
        _ => {
            for &dword in &high.0 {
                any |= dword & DOUBLE_EXPONENT == DOUBLE_EXPONENT;
            }
        }
    }
    any
}

#[cold]
#[inline(never)]
fn settle<const X: usize, const Y: usize, const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    _: At<X, Y, Z>,
    mut result: [Lanes; 2],
    exact: &dyn Fn(F, F, F) -> F,
) -> [Lanes; 2] {
    let exec = w.exec();
    let (a, b, c) = sources::<X, Y, Z, F, F, F>(w, s);
    for lane in active(exec) {
        let at = |[low, high]: [&Lanes; 2]| F::join(low.0[lane], high.0[lane]);
        let [low, high] = &mut result;
        if at([low, high]).is_any_nan() {
            let dwords = exact(at(a), at(b), at(c)).split();
            low.0[lane] = dwords[0];
            if F::DWORDS > 1 {
                high.0[lane] = dwords[1];
            }
        }
    }
    result
}

#[cold]
#[inline(never)]
fn settle_halves<const X: usize, const Y: usize, const Z: usize>(
    w: &mut Wave,
    s: &Step,
    _: At<X, Y, Z>,
    mut result: Lanes,
    exact: &dyn Fn(F16, F16, F16) -> F16,
) -> Lanes {
    let exec = w.exec();
    let (a, b, c) = sources::<X, Y, Z, u32, u32, u32>(w, s);
    for lane in active(exec) {
        for up in [0, u16::BITS] {
            let half = |dword: u32| F16((dword >> up) as u16);
            let at = |[low, _]: [&Lanes; 2]| half(low.0[lane]);
            let dword = &mut result.0[lane];
            if half(*dword).is_any_nan() {
                let new = u32::from(exact(at(a), at(b), at(c)).0);
                *dword = *dword & !(u32::from(u16::MAX) << up) | new << up;
            }
        }
    }
    result
}
