//! NaN results, which follow the same rule on every host (errata E190).
//!
//! Hosts differ in the NaN that an instruction with two NaN sources propagates, and a compiler may swap the operands of
//! a sum or product. Therefore, the rare lanes in which the host's result is a NaN are corrected afterwards. The check
//! for NaNs takes one comparison per two results.

use std::hint::select_unpredictable as select;

use super::env::{Env, MODE_IEEE};
use super::exact::{invalid, is_infinite};
use super::float::{F16, Float, Flush};
use super::operands::{self, SourceOperands, sources};
use super::rule::{Exact, FloatRule, NanRule, environment};
use crate::lanes::{self, LANES, Lane, Lanes, at_each_level};
use crate::step::Step;
use crate::wave::Wave;

/// Returns the NaN result for `value`, or `other` if `value` is a number.
#[inline(always)]
fn nan_or<F: Float>(env: Env, value: F, other: F) -> F {
    select(value.is_any_nan(), env.nan(value), other)
}

/// True for values treated as zero.
#[inline(always)]
fn is_zero<F: Float>(env: Env, value: F) -> bool {
    env.input(value).magnitude() == 0
}

impl NanRule {
    /// Returns the NaN result of an operation on these sources. If an operation has two sources, `c` repeats one of
    /// them.
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

/// Returns the result of an operation on one source, with the quiet NaN that the rule requires. An x86-64 host already
/// computes that NaN.
#[inline(always)]
pub(super) fn of_one<F: Float>(result: F, a: F) -> F {
    if cfg!(target_arch = "x86_64") {
        result
    } else {
        select(result.is_any_nan(), none(a), result)
    }
}

/// Returns the quiet NaN for a source outside an operation's domain.
#[inline(always)]
pub(super) fn none<F: Float>(a: F) -> F {
    nan_or(Env::KEEPING, a, invalid())
}

/// Returns the result of a multiply-add, with the rule's quiet NaN. Checks each lane, so only rare operations use it.
#[inline(always)]
pub(super) fn of_three(result: f32, a: f32, b: f32, c: f32) -> f32 {
    let chosen = NanRule::OfProduct.chosen(Env::KEEPING, a, b, c);
    select(result.is_nan(), chosen, result)
}

/// Writes the result of an operation on sources of type `F`, computed in type `N`. If a source is a NaN, a NaN result
/// is replaced with the rule's NaN. `exact` recomputes the other lanes with a NaN result, and the lanes of `others`
/// without a NaN source; its last argument is true for lanes of `others`.
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

/// Writes the result of an operation whose first source is of type `F`. Preserves signaling NaNs if MODE requires it.
#[inline(always)]
pub(super) fn write_signals<const X: usize, F: Float, N: Lane>(
    w: &mut Wave,
    s: &Step,
    result: &[Lanes; 2],
) {
    // `settle_signals` tests for NaNs, since the compiler would hoist a test here above the branch.
    if w.mode & MODE_IEEE == 0 {
        stage::<F>(w, result);
        settle_signals::<X, F, N>(w, s);
    } else {
        operands::write::<N>(w, s, (*result, 0));
    }
}

/// Copies a result to the wave's staging memory. Only the rare path does this: taking the address of the result
/// itself would spill it in every execution.
#[inline(always)]
fn stage<F: Float>(w: &mut Wave, result: &[Lanes; 2]) {
    w.staging.results[0] = result[0];
    if F::DWORDS > 1 {
        w.staging.results[1] = result[1];
    }
}

/// [`write`] for the halves of dwords.
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

/// Bits of a half without the sign.
const HALF_MAGNITUDE: u32 = 0x7fff;
/// Infinity in half precision.
const HALF_INFINITY: u32 = 0x7c00;

#[inline(always)]
fn is_half_nan(dword: u32) -> bool {
    dword & HALF_MAGNITUDE > HALF_INFINITY
}

/// True if any dword is a NaN in single precision. Each comparison tests two dwords.
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

/// True if any lane, active or not, may hold a NaN. For doubles, tests only the high dwords.
#[inline(always)]
fn may_have_nan<F: Float>([low, high]: &[Lanes; 2]) -> bool {
    match F::BITS {
        u16::BITS => {
            let dwords = low.0.iter();
            dwords.fold(false, |any, &dword| any | is_half_nan(dword))
        }
        u32::BITS => has_single_nan(low),
        // The high dword of a NaN is also a NaN in single precision. So is that of an infinity, or of a magnitude of
        // about 2^1017 or more; these are rare and take the slow path unnecessarily.
        _ => has_single_nan(high),
    }
}

/// Writes the staged results after the corrections described at [`write`].
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

/// Writes the staged results, with NaNs replaced according to the rule for single-source operations.
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

/// [`settle`] for the halves of dwords.
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
/// Replaces NaN results with the rule's NaN. Returns the lanes without a NaN source that either have a NaN result or
/// are in `others`.
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

/// [`choose`] for both halves of the dwords. No lane is recomputed.
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
