//! NaN results by one rule on every host (errata E190).
//!
//! Hosts differ in which of two NaN sources an instruction propagates, and a compiler may exchange the operands of a sum or
//! a product. So operations are computed as the host does, and the rare lanes whose result is a NaN get theirs by the rule:
//! looking for one takes one comparison of two results.

use std::hint::select_unpredictable as select;

use super::env::{Env, MODE_IEEE};
use super::exact::{invalid, is_infinite};
use super::float::{F16, Float, Flush};
use super::operands::{self, SourceOperands, sources};
use super::rule::{Exact, FloatRule, NanRule, environment};
use crate::lanes::{self, LANES, Lane, Lanes, at_each_level};
use crate::step::Step;
use crate::wave::Wave;

/// A NaN as a result, or else another value.
#[inline(always)]
fn nan_or<F: Float>(env: Env, value: F, other: F) -> F {
    select(value.is_any_nan(), env.nan(value), other)
}

/// True of what counts as zero.
#[inline(always)]
fn is_zero<F: Float>(env: Env, value: F) -> bool {
    env.input(value).magnitude() == 0
}

impl NanRule {
    /// The NaN of an operation on these sources, which gives one. Those of operations on two sources have the first or the
    /// second as a third.
    #[inline(always)]
    fn chosen<F: Float>(self, env: Env, a: F, b: F, c: F) -> F {
        let of_addend = || nan_or(env, c, invalid());
        match self {
            NanRule::First => nan_or(env, a, nan_or(env, b, of_addend())),
            NanRule::Reversed => NanRule::First.chosen(env, b, a, a),
            NanRule::OfProduct => {
                let is_invalid =
                    is_infinite(a) & is_zero(env, b) | is_zero(env, a) & is_infinite(b);
                let otherwise = select(is_invalid, invalid(), of_addend());
                nan_or(env, a, nan_or(env, b, otherwise))
            }
            NanRule::LegacyProduct => {
                let otherwise = of_addend();
                let of_product = nan_or(env, a, nan_or(env, b, otherwise));
                select(is_zero(env, a) | is_zero(env, b), otherwise, of_product)
            }
        }
    }
}

/// The result of an operation on one source, a NaN by the rule and quiet: on x86-64 as the host has it.
#[inline(always)]
pub(super) fn of_one<F: Float>(result: F, a: F) -> F {
    if cfg!(target_arch = "x86_64") {
        result
    } else {
        select(result.is_any_nan(), none(a), result)
    }
}

/// The quiet NaN that comes of a source of which an operation has no result.
#[inline(always)]
pub(super) fn none<F: Float>(a: F) -> F {
    nan_or(Env::KEEPING, a, invalid())
}

/// The result of an operation on three sources, a NaN by the rule and quiet: for operations that are rarely executed, in each
/// lane.
#[inline(always)]
pub(super) fn of_three(result: f32, a: f32, b: f32, c: f32) -> f32 {
    let chosen = NanRule::OfProduct.chosen(Env::KEEPING, a, b, c);
    select(result.is_nan(), chosen, result)
}

/// Writes the result of an operation on sources of type `F`, computed in type `N`. A NaN result of a NaN source is replaced by the
/// rule's NaN. `exact` recomputes other lanes with a NaN result, and the lanes of `others` without a NaN source; it is told if a
/// lane is one of `others`.
#[inline(always)]
pub(super) fn write<
    const X: usize,
    const Y: usize,
    const Z: usize,
    P: FloatRule,
    F: Float,
    N: Lane,
    A: Flush,
    B: Flush,
    C: Flush,
    R: Lane,
>(
    w: &mut Wave,
    s: &Step,
    result: &[Lanes; 2],
    others: u64,
    exact: impl Fn(Env, A, B, C, bool) -> R,
) {
    if others != 0 || may_have_nan::<F>(result) {
        stage::<F>(w, result);
        settle::<X, Y, Z, P, F, N, A, B, C, R>(w, s, others, exact);
    } else {
        operands::write::<N>(w, s, (*result, 0));
    }
}

/// Writes the result of an operation whose first source is of type `F`. Signalling NaN are left as they are where MODE says so.
#[inline(always)]
pub(super) fn write_signals<const X: usize, F: Float, N: Lane>(
    w: &mut Wave,
    s: &Step,
    result: &[Lanes; 2],
) {
    // A look for NaN here would be taken ahead of the branch.
    if w.mode & MODE_IEEE == 0 {
        stage::<F>(w, result);
        settle_signals::<X, F, N>(w, s);
    } else {
        operands::write::<N>(w, s, (*result, 0));
    }
}

/// Copies a result to the wave's staging memory. Only the rare path does: taking the result's own address would spill it in every
/// execution.
#[inline(always)]
fn stage<F: Float>(w: &mut Wave, result: &[Lanes; 2]) {
    w.staging.results[0] = result[0];
    if F::DWORDS > 1 {
        w.staging.results[1] = result[1];
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

#[inline(always)]
fn is_half_nan(dword: u32) -> bool {
    dword & HALF_MAGNITUDE > HALF_INFINITY
}

/// True if a dword is a NaN in single precision. One comparison says it of two.
#[inline(always)]
fn has_single_nan(dwords: &Lanes) -> bool {
    let numbers: [f32; LANES] = dwords.0.map(f32::from_bits);
    let (first, second) = numbers.split_at(LANES / 2);
    let mut any = false;
    for (a, b) in first.iter().zip(second) {
        any |= a.partial_cmp(b).is_none();
    }
    any
}

/// True if a lane, active or not, has a NaN, or may have one. Results of arithmetic are quiet, so that the high dword of a double
/// is enough.
#[inline(always)]
fn may_have_nan<F: Float>([low, high]: &[Lanes; 2]) -> bool {
    match F::BITS {
        u16::BITS => {
            let dwords = low.0.iter();
            dwords.fold(false, |any, &dword| any | is_half_nan(dword))
        }
        u32::BITS => has_single_nan(low),
        // The high dword of a NaN is one of single precision too, as are those of infinities and of magnitudes of 2^1017 and
        // more, which are rare: they only take the way that NaN take.
        _ => has_single_nan(high),
    }
}

/// Writes the results in the wave's staging, settled as [`write`] says.
#[cold]
#[inline(never)]
fn settle<
    const X: usize,
    const Y: usize,
    const Z: usize,
    P: FloatRule,
    F: Float,
    N: Lane,
    A: Flush,
    B: Flush,
    C: Flush,
    R: Lane,
>(
    w: &mut Wave,
    s: &Step,
    others: u64,
    exact: impl Fn(Env, A, B, C, bool) -> R,
) {
    let env = environment::<P, F>(w);
    let mut results = w.staging.results;
    let sources = sources::<X, Y, Z, F, F, F>(w, s);
    let unsettled = choose::<F, P>(&mut results, sources, env, others);
    let ([a, a_high], [b, b_high], [c, c_high]) = sources;
    for lane in lanes::active(unsettled) {
        let a = env.input(A::join(a.0[lane], a_high.0[lane]));
        let b = env.input(B::join(b.0[lane], b_high.0[lane]));
        let c = env.input(C::join(c.0[lane], c_high.0[lane]));
        let dwords = exact(env, a, b, c, others >> lane & 1 != 0).split();
        for (result, dword) in results.iter_mut().zip(dwords).take(F::DWORDS) {
            result.0[lane] = dword;
        }
    }
    operands::write::<N>(w, s, (results, 0));
}

/// Writes the results in the wave's staging, NaN by the rule for one source.
#[cold]
#[inline(never)]
fn settle_signals<const X: usize, F: Float, N: Lane>(w: &mut Wave, s: &Step) {
    let env = Env::of::<F>(w.mode);
    let mut results = w.staging.results;
    if may_have_nan::<F>(&results) {
        let (source, ..) = sources::<X, 0, 0, F, (), ()>(w, s);
        choose::<F, Exact>(&mut results, (source, source, source), env, 0);
    }
    operands::write::<N>(w, s, (results, 0));
}

/// [`settle`] of halves of dwords.
#[cold]
#[inline(never)]
fn settle_halves<const X: usize, const Y: usize, const Z: usize>(w: &mut Wave, s: &Step) {
    let env = Env::of::<F16>(w.mode);
    let mut results = w.staging.results;
    let [[a, _], [b, _], [c, _]] = <[_; 3]>::from(sources::<X, Y, Z, u32, u32, u32>(w, s));
    choose_halves(&mut results[0], [a, b, c], env);
    operands::write::<u32>(w, s, (results, 0));
}

at_each_level! {
/// Puts the chosen NaN in the place of those that are results. Returns the lanes of those that no source is the reason of,
/// and of some others those without such a source.
fn choose<F: Float, P: FloatRule>(
    results: &mut [Lanes; 2],
    sources: SourceOperands<'_>,
    env: Env,
    others: u64,
) -> u64 {
    let (chosen, without) = lanes::map(sources, 0, |a: F, b: F, c: F, ()| {
        let has_nan = a.is_any_nan() | b.is_any_nan() | c.is_any_nan();
        (P::RULE.nan.chosen(env, a, b, c), !has_nan)
    });
    let result = [&results[0], &results[1]];
    let source = [&chosen[0], &chosen[1]];
    let (settled, nan) = lanes::map((result, source, source), 0, |result: F, chosen: F, (), ()| {
        (select(result.is_any_nan(), chosen, result), result.is_any_nan())
    });
    *results = settled;
    without & (nan | others)
}

/// [`choose`] of both halves of the dwords; nothing is rounded but the results.
fn choose_halves(results: &mut Lanes, sources: [&Lanes; 3], env: Env) {
    let [a, b, c] = sources.map(|source| *source);
    for lane in 0..LANES {
        let settled = |up: u32| {
            let half = |dword: u32| F16((dword >> up) as u16);
            let result = half(results.0[lane]);
            let [a, b, c] = [a, b, c].map(|source| half(source.0[lane]));
            u32::from(select(result.is_any_nan(), NanRule::OfProduct.chosen(env, a, b, c), result).0) << up
        };
        results.0[lane] = settled(0) | settled(u16::BITS);
    }
}
}
