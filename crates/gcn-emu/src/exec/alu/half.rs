//! Half precision, done in single: sums, differences and products are exact or rounded well enough there that rounding once more
//! is correct.

use super::env::Env;
use super::float::F16;
use super::nan;
use super::operands::{Positions, SourceOperands, sources};
use super::protocol::{compiled_once, computed_with_slow_path};
use super::under_mode::{directed2, directed3};
use crate::lanes::{self, HalfFloat, Lanes};
use crate::step::Step;
use crate::wave::Wave;

/// An operation on one source that does not round in single precision.
#[inline(always)]
pub(super) fn half1(w: &mut Wave, s: &Step, f: impl Fn(f32) -> f32) {
    let env = Env::of::<F16>(w.mode);
    let signals = nan::signals::<F16>(w, s);
    compiled_once(w, s, Positions::<1, 1, 1>, 0, |a: HalfFloat, (), (), ()| {
        let a = env.input(a).0;
        let result = env.limited(a, nan::of_one(f(a), a));
        (env.output(HalfFloat::<0>(result)), ())
    });
    nan::restore_signals::<F16>(w, s, signals);
}

/// An operation on two sources: `nearest` rounds to nearest, `any` obeys every rounding mode.
#[inline(always)]
pub(super) fn half2(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(f32, f32) -> f32,
    any: impl Fn(Env, F16, F16) -> F16,
) {
    half2_by::<nan::First>(w, s, nearest, any);
}

/// [`half2`] of the sources in the other order.
#[inline(always)]
pub(super) fn half2_reversed(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(f32, f32) -> f32,
    any: impl Fn(Env, F16, F16) -> F16,
) {
    half2_by::<nan::Reversed>(w, s, |a, b| nearest(b, a), |env, a, b| any(env, b, a));
}

#[inline(always)]
fn half2_by<R: nan::NanRule>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(f32, f32) -> f32,
    any: impl Fn(Env, F16, F16) -> F16,
) {
    let env = Env::of::<F16>(w.mode);
    if env.is_nearest() {
        let src = sources::<1, 2, 1, HalfFloat, HalfFloat, ()>(w, s);
        let (result, _) = lanes::map(src, 0, |a: HalfFloat, b: HalfFloat, (), ()| {
            let result = nearest(env.input(a).0, env.input(b).0);
            (env.output(HalfFloat::<0>(result)), ())
        });
        nan::write::<1, 2, 1, F16, HalfFloat<0>, R>(
            w,
            s,
            &result,
            Env::of::<F16>,
            move |env, a, b, _| any(env, a, b),
        );
    } else {
        directed2(w, s, any);
    }
}

/// The same of three sources: `fast` yields a result, and true in the few lanes where `nearest` is needed.
#[inline(always)]
pub(super) fn half3_with_slow_path(
    w: &mut Wave,
    s: &Step,
    fast: impl Fn(f32, f32, f32) -> (f32, bool),
    nearest: impl Fn(f32, f32, f32) -> f32,
    any: impl Fn(Env, F16, F16, F16) -> F16,
) {
    let env = Env::of::<F16>(w.mode);
    let at = Positions::<1, 2, 3>;
    if !env.is_nearest() {
        return directed3(w, s, at, any);
    }
    let (result, _) = computed_with_slow_path(
        w,
        s,
        at,
        |a: HalfFloat, b: HalfFloat, c: HalfFloat, ()| {
            let (result, needs_slow_path) = fast(env.input(a).0, env.input(b).0, env.input(c).0);
            (HalfFloat::<0>(result), needs_slow_path)
        },
        |a: HalfFloat, b: HalfFloat, c: HalfFloat, ()| {
            let result = nearest(env.input(a).0, env.input(b).0, env.input(c).0);
            (env.output(HalfFloat::<0>(result)), ())
        },
    );
    nan::write::<1, 2, 3, F16, HalfFloat<0>, nan::OfProduct>(w, s, &result, Env::of::<F16>, any);
}

/// An operation on each half of three dwords, done in single precision and rounded to nearest; denormals as `env` says.
#[inline(always)]
pub(super) fn both_halves<const X: usize, const Y: usize, const Z: usize>(
    w: &mut Wave,
    s: &Step,
    _: Positions<X, Y, Z>,
    env: Env,
    f: impl Fn(f32, f32, f32) -> f32 + Copy,
) {
    let src = sources::<X, Y, Z, u32, u32, u32>(w, s);
    let (low, mut both) = (each_half::<0>(src, env, f), each_half::<16>(src, env, f));
    for (both, low) in both.0.iter_mut().zip(&low.0) {
        *both = *both << u16::BITS | low;
    }
    nan::write_halves::<X, Y, Z>(w, s, &both);
}

/// [`both_halves`] of the halves that begin at bit `UP`; the results are in the low bits.
#[inline(always)]
fn each_half<const UP: u32>(
    src: SourceOperands<'_>,
    env: Env,
    f: impl Fn(f32, f32, f32) -> f32,
) -> Lanes {
    let f = |a: HalfFloat<UP>, b: HalfFloat<UP>, c: HalfFloat<UP>, ()| {
        let result = f(env.input(a).0, env.input(b).0, env.input(c).0);
        (env.output(HalfFloat::<0>(result)), ())
    };
    lanes::map(src, 0, f).0[0]
}
