//! NaN results by one rule on every host (errata E190).
//!
//! Hosts differ in which of two NaN sources an instruction propagates, and a compiler may exchange the operands of a sum or
//! a product. So operations are computed as the host does, and the rare lanes whose result is a NaN get theirs by the rule:
//! looking for one takes two comparisons for all lanes on hosts with the widest vectors.

use std::hint::select_unpredictable as select;

use super::exact::{invalid, is_infinite};
use super::float::{F16, Float};
use super::operands::{self, Sources, sources};
use crate::lanes::{self, LANES, Lane, Lanes, at_each_level};
use crate::step::Step;
use crate::wave::Wave;

/// Which NaN an operation gives.
pub(super) trait Rule: Copy {
    /// The NaN of an operation on these sources, which gives one. Those of operations on two sources have the first or the
    /// second as a third.
    fn chosen<F: Float>(a: F, b: F, c: F) -> F;
}

/// The first source that is one, else the NaN of an invalid operation: where nothing is rounded but the result.
#[derive(Clone, Copy)]
pub(super) struct First;

/// [`First`] of the second source and the first.
#[derive(Clone, Copy)]
pub(super) struct Reversed;

/// The product's, else the addend's: where the product is rounded.
#[derive(Clone, Copy)]
pub(super) struct Product;

/// [`Product`] where zero times anything is zero.
#[derive(Clone, Copy)]
pub(super) struct LegacyProduct;

/// A NaN, quiet, or else another value.
#[inline(always)]
fn quiet_or<F: Float>(value: F, other: F) -> F {
    select(value.is_any_nan(), value.quiet(), other)
}

/// True of what counts as zero where denormals do.
#[inline(always)]
fn is_zero<F: Float>(value: F) -> bool {
    value.flushed().magnitude() == 0
}

impl Rule for First {
    #[inline(always)]
    fn chosen<F: Float>(a: F, b: F, c: F) -> F {
        quiet_or(a, quiet_or(b, quiet_or(c, invalid())))
    }
}

impl Rule for Reversed {
    #[inline(always)]
    fn chosen<F: Float>(a: F, b: F, _: F) -> F {
        First::chosen(b, a, a)
    }
}

impl Rule for Product {
    #[inline(always)]
    fn chosen<F: Float>(a: F, b: F, c: F) -> F {
        let is_invalid = is_infinite(a) & is_zero(b) | is_zero(a) & is_infinite(b);
        let otherwise = select(is_invalid, invalid(), quiet_or(c, invalid()));
        quiet_or(a, quiet_or(b, otherwise))
    }
}

impl Rule for LegacyProduct {
    #[inline(always)]
    fn chosen<F: Float>(a: F, b: F, c: F) -> F {
        let otherwise = quiet_or(c, invalid());
        let of_product = quiet_or(a, quiet_or(b, otherwise));
        select(is_zero(a) | is_zero(b), otherwise, of_product)
    }
}

/// The result of an operation on one source, a NaN by the rule: on x86-64 as the host has it.
#[inline(always)]
pub(super) fn of_one<F: Float>(result: F, a: F) -> F {
    if cfg!(target_arch = "x86_64") {
        result
    } else {
        select(result.is_any_nan(), none(a), result)
    }
}

/// The NaN that comes of a source of which an operation has no result.
#[inline(always)]
pub(super) fn none<F: Float>(a: F) -> F {
    quiet_or(a, invalid())
}

/// The result of an operation on two sources, a NaN by the rule: for operations that are rarely executed, in each lane.
#[inline(always)]
pub(super) fn of_two(result: f32, a: f32, b: f32) -> f32 {
    of_three(result, a, b, b)
}

/// [`of_two`] of three sources.
#[inline(always)]
pub(super) fn of_three(result: f32, a: f32, b: f32, c: f32) -> f32 {
    select(result.is_nan(), First::chosen(a, b, c), result)
}

/// Writes the result of an operation on the sources at the places, which are values of type `F`, as the operation on type `N`
/// gave it but for NaN.
#[inline(always)]
pub(super) fn write<const X: usize, const Y: usize, const Z: usize, F: Float, N: Lane, R: Rule>(
    w: &mut Wave,
    s: &Step,
    result: &[Lanes; 2],
) {
    if may_have_nan::<F>(result) {
        // Only here are they put in memory: a result whose address is taken would be there in every execution.
        w.staging.results[0] = result[0];
        if F::DWORDS > 1 {
            w.staging.results[1] = result[1];
        }
        settle::<X, Y, Z, F, N, R>(w, s);
    } else {
        operands::write::<N>(w, s, (*result, 0));
    }
}

/// [`write`] of halves of dwords.
#[inline(always)]
pub(super) fn write_halves<const X: usize, const Y: usize, const Z: usize>(
    w: &mut Wave,
    s: &Step,
    result: &Lanes,
) {
    let mut any = false;
    for &dword in &result.0 {
        any |= is_half_nan(dword) | is_half_nan(dword >> u16::BITS);
    }
    if any {
        w.staging.results[0] = *result;
        settle_halves::<X, Y, Z>(w, s);
    } else {
        operands::write::<u32>(w, s, ([*result, Lanes::ZERO], 0));
    }
}

/// Bits of a half but the sign.
const HALF_MAGNITUDE: u32 = 0x7fff;
/// An infinity.
const HALF_INFINITY: u32 = 0x7c00;
/// Bits that are set in the high dword of a double that is a quiet NaN, and in no other.
const QUIET_DOUBLE: u32 = 0x7ff8_0000;

#[inline(always)]
fn is_half_nan(dword: u32) -> bool {
    dword & HALF_MAGNITUDE > HALF_INFINITY
}

/// True if a lane, active or not, has a NaN. Results of arithmetic are quiet, so that one dword of a double is enough.
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
            // The largest of several lanes says it of all of them, the sign shifted out.
            let mut largest = [0; LANES / 4];
            for lanes in high.0.as_chunks::<{ LANES / 4 }>().0 {
                for (largest, dword) in largest.iter_mut().zip(lanes) {
                    *largest = (*largest).max(dword << 1);
                }
            }
            for largest in largest {
                any |= largest >= QUIET_DOUBLE << 1;
            }
        }
    }
    any
}

/// Writes the results in the wave's staging, NaN among them by the rule.
#[cold]
#[inline(never)]
fn settle<const X: usize, const Y: usize, const Z: usize, F: Float, N: Lane, R: Rule>(
    w: &mut Wave,
    s: &Step,
) {
    let mut results = w.staging.results;
    choose::<F, R>(&mut results, sources::<X, Y, Z, F, F, F>(w, s));
    operands::write::<N>(w, s, (results, 0));
}

/// [`settle`] of halves of dwords.
#[cold]
#[inline(never)]
fn settle_halves<const X: usize, const Y: usize, const Z: usize>(w: &mut Wave, s: &Step) {
    let mut results = w.staging.results;
    let [[a, _], [b, _], [c, _]] = <[_; 3]>::from(sources::<X, Y, Z, u32, u32, u32>(w, s));
    choose_halves(&mut results[0], [a, b, c]);
    operands::write::<u32>(w, s, (results, 0));
}

at_each_level! {
/// Puts the chosen NaN in the place of those that are results.
fn choose<F: Float, R: Rule>(results: &mut [Lanes; 2], sources: Sources<'_>) {
    let (chosen, _) = lanes::map(sources, 0, |a: F, b: F, c: F, ()| (R::chosen(a, b, c), ()));
    let result = [&results[0], &results[1]];
    let source = [&chosen[0], &chosen[1]];
    let (settled, _) = lanes::map((result, source, source), 0, |result: F, chosen: F, (), ()| {
        (select(result.is_any_nan(), chosen, result), ())
    });
    *results = settled;
}

/// [`choose`] of both halves of the dwords; nothing is rounded but the results.
fn choose_halves(results: &mut Lanes, sources: [&Lanes; 3]) {
    let [a, b, c] = sources.map(|source| *source);
    for lane in 0..LANES {
        let settled = |up: u32| {
            let half = |dword: u32| F16((dword >> up) as u16);
            let result = half(results.0[lane]);
            let chosen = First::chosen(half(a.0[lane]), half(b.0[lane]), half(c.0[lane]));
            u32::from(select(result.is_any_nan(), chosen, result).0) << up
        };
        results.0[lane] = settled(0) | settled(u16::BITS);
    }
}
}
