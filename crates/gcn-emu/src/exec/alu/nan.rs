//! NaN results by one rule on every host (errata E190).
//!
//! Hosts differ in which of two NaN sources an instruction propagates, and a compiler may exchange the operands of a sum or
//! a product. So operations are computed as the host does, and the rare lanes whose result is a NaN get theirs by the rule:
//! looking for one takes one comparison of two results.

use std::hint::select_unpredictable as select;

use super::env::{Env, MODE_IEEE};
use super::exact::{invalid, is_infinite};
use super::float::{F16, Float};
use super::operands::{self, SourceOperands, sources};
use crate::lanes::{self, LANES, Lane, Lanes, at_each_level};
use crate::step::Step;
use crate::wave::Wave;

/// The NaN that an operation gives.
pub(super) trait NanRule: Copy {
    /// The NaN of an operation on these sources, which gives one. Those of operations on two sources have the first or the
    /// second as a third.
    fn chosen<F: Float>(env: Env, a: F, b: F, c: F) -> F;
}

/// The first source that is one, else the NaN of an invalid operation: where there is no product with a sum.
#[derive(Clone, Copy)]
pub(super) struct First;

/// [`First`] of the second source and the first.
#[derive(Clone, Copy)]
pub(super) struct Reversed;

/// The product's, else the addend's.
#[derive(Clone, Copy)]
pub(super) struct OfProduct;

/// [`OfProduct`] where zero times anything is zero.
#[derive(Clone, Copy)]
pub(super) struct LegacyProduct;

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

impl NanRule for First {
    #[inline(always)]
    fn chosen<F: Float>(env: Env, a: F, b: F, c: F) -> F {
        nan_or(env, a, nan_or(env, b, nan_or(env, c, invalid())))
    }
}

impl NanRule for Reversed {
    #[inline(always)]
    fn chosen<F: Float>(env: Env, a: F, b: F, _: F) -> F {
        First::chosen(env, b, a, a)
    }
}

impl NanRule for OfProduct {
    #[inline(always)]
    fn chosen<F: Float>(env: Env, a: F, b: F, c: F) -> F {
        let is_invalid = is_infinite(a) & is_zero(env, b) | is_zero(env, a) & is_infinite(b);
        let otherwise = select(is_invalid, invalid(), nan_or(env, c, invalid()));
        nan_or(env, a, nan_or(env, b, otherwise))
    }
}

impl NanRule for LegacyProduct {
    #[inline(always)]
    fn chosen<F: Float>(env: Env, a: F, b: F, c: F) -> F {
        let otherwise = nan_or(env, c, invalid());
        let of_product = nan_or(env, a, nan_or(env, b, otherwise));
        select(is_zero(env, a) | is_zero(env, b), otherwise, of_product)
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
    let chosen = OfProduct::chosen(Env::KEEPING, a, b, c);
    select(result.is_nan(), chosen, result)
}

/// Sources of lanes, and those that signal.
pub(super) struct Signals {
    lanes: u64,
    sources: [Lanes; 2],
}

/// Signalling NaN in the first source of an operation whose result they are, where they stay as they are; nothing is what there is
/// nearly always. [`restore_signals`] puts them into the result.
///
/// The two are no function around the operation: one that is given as a closure would be compiled without the host's vectors.
#[inline(always)]
pub(super) fn signals<F: Float>(w: &mut Wave, s: &Step) -> Option<Box<Signals>> {
    if w.mode & MODE_IEEE != 0 {
        return None;
    }
    find_signals::<F>(w, s)
}

#[cold]
#[inline(never)]
fn find_signals<F: Float>(w: &mut Wave, s: &Step) -> Option<Box<Signals>> {
    let exec = w.exec();
    let (source, ..) = sources::<1, 0, 0, F, (), ()>(w, s);
    let src = (source, source, source);
    let (_, lanes) = lanes::map(src, 0, |a: F, (), (), ()| ((), a.signals()));
    let lanes = lanes & exec;
    (lanes != 0).then(|| {
        Box::new(Signals {
            lanes,
            sources: source.map(|register| *register),
        })
    })
}

/// Puts what [`signals`] has found into the result.
#[inline(always)]
pub(super) fn restore_signals<F: Float>(w: &mut Wave, s: &Step, signals: Option<Box<Signals>>) {
    if let Some(signals) = signals {
        write_signals::<F>(w, s, &signals);
    }
}

#[cold]
#[inline(never)]
fn write_signals<F: Float>(w: &mut Wave, s: &Step, signals: &Signals) {
    let exec = w.exec();
    w.set_exec(signals.lanes);
    let [low, high] = &signals.sources;
    let source = [low, high];
    let src = (source, source, source);
    let (values, _) = lanes::map(src, 0, |a: F, (), (), ()| (a, ()));
    operands::write::<F>(w, s, (values, 0));
    w.set_exec(exec);
}

/// Writes the result of an operation on the sources at the places, which are values of type `F`, as the operation on type `N`
/// gave it but for NaN: one that comes of a source is that by the rule, any other lane is computed by `exact`. `env` is what MODE
/// says of the operation: only NaN need it.
#[inline(always)]
pub(super) fn write<
    const X: usize,
    const Y: usize,
    const Z: usize,
    F: Float,
    N: Lane,
    R: NanRule,
>(
    w: &mut Wave,
    s: &Step,
    result: &[Lanes; 2],
    env: impl Fn(u32) -> Env,
    exact: impl Fn(Env, F, F, F) -> F,
) {
    write_but::<X, Y, Z, F, N, R>(w, s, result, (env, 0), move |env, _, a, b, c| {
        exact(env, a, b, c)
    });
}

/// [`write`] of an operation of which some lanes, given as a mask, are computed by `exact` unless a source is a NaN; it is given
/// the lane.
#[inline(always)]
pub(super) fn write_but<
    const X: usize,
    const Y: usize,
    const Z: usize,
    F: Float,
    N: Lane,
    R: NanRule,
>(
    w: &mut Wave,
    s: &Step,
    result: &[Lanes; 2],
    (env, others): (impl Fn(u32) -> Env, u64),
    exact: impl Fn(Env, usize, F, F, F) -> F,
) {
    if others != 0 || may_have_nan::<F>(result) {
        // Only here are they put in memory: a result whose address is taken would be there in every execution.
        w.staging.results[0] = result[0];
        if F::DWORDS > 1 {
            w.staging.results[1] = result[1];
        }
        settle::<X, Y, Z, F, N, R>(w, s, (env, others), exact);
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

/// Writes the results in the wave's staging, settled as [`write_but`] says.
#[cold]
#[inline(never)]
fn settle<const X: usize, const Y: usize, const Z: usize, F: Float, N: Lane, R: NanRule>(
    w: &mut Wave,
    s: &Step,
    (env, others): (impl Fn(u32) -> Env, u64),
    exact: impl Fn(Env, usize, F, F, F) -> F,
) {
    let env = env(w.mode);
    let mut results = w.staging.results;
    let sources = sources::<X, Y, Z, F, F, F>(w, s);
    let unsettled = choose::<F, R>(&mut results, sources, env, others);
    for lane in lanes::active(unsettled) {
        let [a, b, c] = <[_; 3]>::from(sources)
            .map(|[low, high]| env.input(F::join(low.0[lane], high.0[lane])));
        let dwords = exact(env, lane, a, b, c).split();
        for (result, dword) in results.iter_mut().zip(dwords).take(F::DWORDS) {
            result.0[lane] = dword;
        }
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
fn choose<F: Float, R: NanRule>(
    results: &mut [Lanes; 2],
    sources: SourceOperands<'_>,
    env: Env,
    others: u64,
) -> u64 {
    let (chosen, without) = lanes::map(sources, 0, |a: F, b: F, c: F, ()| {
        let has_nan = a.is_any_nan() | b.is_any_nan() | c.is_any_nan();
        (R::chosen(env, a, b, c), !has_nan)
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
            u32::from(select(result.is_any_nan(), OfProduct::chosen(env, a, b, c), result).0) << up
        };
        results.0[lane] = settled(0) | settled(u16::BITS);
    }
}
}
