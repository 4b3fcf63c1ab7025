//! Floating-point instructions as MODE says: rounding, denormals and signalling NaN, around the functions of `protocol`.

use gcn_isa::Isa;

use super::approximate;
use super::env::{Env, MODE_IEEE};
use super::exact;
use super::float::{Float, Flush};
use super::nan;
use super::operands::Positions;
use super::protocol::{
    at_baseline, compare, compare_compiled_once, compiled_once, computed, one, run, two,
    with_slow_path,
};
use crate::lanes::Lane;
use crate::step::Step;
use crate::wave::Wave;

/// [`one`] of a floating-point operation that does not round, denormals as MODE says.
#[inline(always)]
pub(super) fn float1<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F) -> F) {
    let f = |a| nan::of_one(f(a), a);
    let env = Env::of::<F>(w.mode);
    let signals = nan::signals::<F>(w, s);
    if env.keeps_denormals() {
        one(w, s, f);
    } else if env.is_flushing() {
        const ENV: Env = Env::FLUSHING;
        one(w, s, |a| ENV.output(f(ENV.input(a))));
    } else {
        at_baseline(w, s, Positions::<1, 1, 1>, 0, move |a, (), (), ()| {
            (env.output(f(env.input(a))), ())
        });
    }
    nan::restore_signals::<F>(w, s, signals);
}

/// [`one`] of an approximation in single precision, which flushes denormals whatever MODE says.
#[inline(always)]
pub(super) fn approximation(w: &mut Wave, s: &Step, f: impl Fn(f32) -> f32) {
    let signals = nan::signals::<f32>(w, s);
    one(w, s, |a| approximate::under(Env::FLUSHING, a, &f));
    nan::restore_signals::<f32>(w, s, signals);
}

/// [`approximation`] of a sine or cosine.
#[inline(always)]
pub(super) fn wave_function(w: &mut Wave, s: &Step, f: impl Fn(f32) -> f32) {
    let env = approximate::wave_env(w);
    let signals = nan::signals::<f32>(w, s);
    one(w, s, |a| approximate::under(env, a, &f));
    nan::restore_signals::<f32>(w, s, signals);
}

/// [`two`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float2<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F) -> F) {
    let env = Env::of::<F>(w.mode);
    if env.keeps_denormals() {
        two(w, s, f);
    } else if env.is_flushing() {
        const ENV: Env = Env::FLUSHING;
        two(w, s, |a, b| ENV.output(f(ENV.input(a), ENV.input(b))));
    } else {
        at_baseline(w, s, Positions::<1, 2, 1>, 0, move |a, b, (), ()| {
            (env.output(f(env.input(a), env.input(b))), ())
        });
    }
}

/// [`three`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float3<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, F) -> F) {
    float3_at(w, s, Positions::<1, 2, 3>, f);
}

#[inline(always)]
fn float3_at<const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: Positions<1, 2, Z>,
    f: impl Fn(F, F, F) -> F,
) {
    let env = Env::of::<F>(w.mode);
    if env.keeps_denormals() {
        run(w, s, at, 0, |a, b, c, ()| (f(a, b, c), ()));
    } else if env.is_flushing() {
        const ENV: Env = Env::FLUSHING;
        run(w, s, at, 0, |a, b, c, ()| {
            let result = f(ENV.input(a), ENV.input(b), ENV.input(c));
            (ENV.output(result), ())
        });
    } else {
        at_baseline(w, s, at, 0, move |a, b, c, ()| {
            let result = f(env.input(a), env.input(b), env.input(c));
            (env.output(result), ())
        });
    }
}

/// [`float1`] of an operation that few values make difficult (see [`with_slow_path`]), denormals among those.
#[inline(always)]
pub(super) fn float1_with_slow_path<F: Float>(
    w: &mut Wave,
    s: &Step,
    fast: impl Fn(F, (), (), ()) -> (F, bool),
    any: impl Fn(F) -> F,
) {
    let env = Env::of::<F>(w.mode);
    let fast = |a, (), (), ()| {
        let (result, is_slow) = fast(a, (), (), ());
        (nan::of_one(result, a), is_slow)
    };
    let signals = nan::signals::<F>(w, s);
    with_slow_path(w, s, Positions::<1, 1, 1>, fast, |a, (), (), ()| {
        let a = env.input(a);
        (env.output(nan::of_one(any(a), a)), ())
    });
    nan::restore_signals::<F>(w, s, signals);
}

/// [`three`] of such an operation, which obeys MODE by itself.
#[inline(always)]
pub(super) fn three_with_slow_path<F: Float>(
    w: &mut Wave,
    s: &Step,
    fast: impl Fn(F, F, F, ()) -> (F, bool),
    any: impl Fn(Env, F, F, F) -> F,
) {
    let env = Env::of::<F>(w.mode);
    with_slow_path(w, s, Positions::<1, 2, 3>, fast, |a, b, c, ()| {
        (any(env, a, b, c), ())
    });
}

/// [`one`] of an operation that rounds: `nearest` is the host's, `any` obeys every rounding mode; denormals as MODE
/// says.
#[inline(always)]
pub(super) fn rounded1<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F) -> F,
    any: impl Fn(Env, F) -> F,
) {
    if Env::of::<F>(w.mode).is_nearest() {
        float1(w, s, nearest);
    } else {
        directed3(w, s, Positions::<1, 1, 1>, |env, a, _, _| any(env, a));
    }
}

/// [`rounded1`] of two sources whose sum, difference or the like it is: a denormal one is exact.
#[inline(always)]
pub(super) fn sum2<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F) -> F + Copy,
    any: impl Fn(Env, F, F) -> F,
) {
    rounded2_by::<F, nan::First>(w, s, nearest, |result| Env::FLUSHING.output(result), any);
}

/// [`sum2`] of the sources in the other order.
#[inline(always)]
pub(super) fn sum2_reversed<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F) -> F + Copy,
    any: impl Fn(Env, F, F) -> F,
) {
    rounded2_by::<F, nan::Reversed>(
        w,
        s,
        |a, b| nearest(b, a),
        |result| Env::FLUSHING.output(result),
        move |env, a, b| any(env, b, a),
    );
}

/// [`rounded1`] of two sources whose product it is.
#[inline(always)]
pub(super) fn product2<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F) -> F + Copy,
    any: impl Fn(Env, F, F) -> F,
) {
    rounded2_by::<F, nan::First>(w, s, nearest, F::flushed_or_unsettled, any);
}

/// An operation on two sources; `flushed` is a result of `nearest` where denormals are flushed.
#[inline(always)]
fn rounded2_by<F: Float, R: nan::NanRule>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F) -> F + Copy,
    flushed: impl Fn(F) -> F + Copy,
    any: impl Fn(Env, F, F) -> F,
) {
    let at = Positions::<1, 2, 1>;
    let env = Env::of::<F>(w.mode);
    let (result, _) = if !env.is_nearest() {
        return directed2(w, s, any);
    } else if env.keeps_denormals() {
        computed(w, s, at, 0, |a, b, (), ()| (nearest(a, b), ()))
    } else if env.is_flushing() {
        const ENV: Env = Env::FLUSHING;
        computed(w, s, at, 0, |a, b, (), ()| {
            (flushed(nearest(ENV.input(a), ENV.input(b))), ())
        })
    } else {
        return directed2(w, s, any);
    };
    nan::write::<1, 2, 1, F, F, R>(w, s, &result, Env::of::<F>, move |env, a, b, _| {
        any(env, a, b)
    });
}

/// [`rounded1`] of three sources.
#[inline(always)]
pub(super) fn rounded3<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F + Copy,
    any: impl Fn(Env, F, F, F) -> F,
) {
    rounded3_at(w, s, Positions::<1, 2, 3>, nearest, any);
}

/// [`rounded1`] of two sources and the destination.
#[inline(always)]
pub(super) fn rounded_accumulate<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F + Copy,
    any: impl Fn(Env, F, F, F) -> F,
) {
    rounded3_at(w, s, Positions::<1, 2, 0>, nearest, any);
}

#[inline(always)]
fn rounded3_at<const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: Positions<1, 2, Z>,
    nearest: impl Fn(F, F, F) -> F + Copy,
    any: impl Fn(Env, F, F, F) -> F,
) {
    let env = Env::of::<F>(w.mode);
    let (result, _) = if !env.is_nearest() {
        return directed3(w, s, at, any);
    } else if env.keeps_denormals() {
        computed(w, s, at, 0, |a, b, c, ()| (nearest(a, b, c), ()))
    } else if env.is_flushing() {
        const ENV: Env = Env::FLUSHING;
        computed(w, s, at, 0, |a, b, c, ()| {
            let result = nearest(ENV.input(a), ENV.input(b), ENV.input(c));
            (result.flushed_or_unsettled(), ())
        })
    } else {
        return directed3(w, s, at, any);
    };
    nan::write::<1, 2, Z, F, F, nan::OfProduct>(w, s, &result, Env::of::<F>, any);
}

/// Two sources of an operation in a rounding mode that is not the host's.
#[cold]
#[inline(never)]
pub(super) fn directed2<F: Float>(w: &mut Wave, s: &Step, any: impl Fn(Env, F, F) -> F) {
    let env = Env::of::<F>(w.mode);
    compiled_once(w, s, Positions::<1, 2, 1>, 0, |a, b, (), ()| {
        (any(env, env.input(a), env.input(b)), ())
    });
}

/// The same of three sources.
#[cold]
#[inline(never)]
pub(super) fn directed3<const X: usize, const Y: usize, const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: Positions<X, Y, Z>,
    any: impl Fn(Env, F, F, F) -> F,
) {
    let env = Env::of::<F>(w.mode);
    compiled_once(w, s, at, 0, |a, b, c, ()| {
        (any(env, env.input(a), env.input(b), env.input(c)), ())
    });
}

/// Three sources of an operation that rounds twice and flushes denormals by itself; `nearest` may compute with another type
/// than `any`, and `R` says which NaN comes out.
#[inline(always)]
pub(super) fn flushing3<F: Float, N: Lane, R: nan::NanRule>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(N, N, N) -> N + Copy,
    any: impl Fn(Env, F, F, F) -> F,
    _: R,
) {
    flushing::<3, F, N, R>(w, s, nearest, any);
}

/// Two sources and the destination of such an operation.
#[inline(always)]
pub(super) fn flushing_accumulate<F: Float, N: Lane, R: nan::NanRule>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(N, N, N) -> N + Copy,
    any: impl Fn(Env, F, F, F) -> F,
    _: R,
) {
    flushing::<0, F, N, R>(w, s, nearest, any);
}

#[inline(always)]
fn flushing<const Z: usize, F: Float, N: Lane, R: nan::NanRule>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(N, N, N) -> N + Copy,
    any: impl Fn(Env, F, F, F) -> F,
) {
    let at = Positions::<1, 2, Z>;
    let env = Env::of::<F>(w.mode).flushing();
    if env.is_nearest() {
        let (result, _) = computed(w, s, at, 0, |a, b, c, ()| (nearest(a, b, c), ()));
        let env = |mode| Env::of::<F>(mode).flushing();
        nan::write::<1, 2, Z, F, N, R>(w, s, &result, env, any);
    } else {
        at_baseline(w, s, at, 0, move |a, b, c, ()| (any(env, a, b, c), ()));
    }
}

/// [`rounded3`] of V_DIV_FMAS: denormal sources are kept (errata E194), and lanes whose bit in VCC is set, which are few,
/// do something else, as `any` has it.
#[inline(always)]
pub(super) fn rounded3_vcc<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F + Copy,
    any: impl Fn(Env, F, F, F, bool) -> F,
) {
    let env = Env::of::<F>(w.mode).keeping_sources();
    let vcc = w.vcc();
    let at = Positions::<1, 2, 3>;
    if env.is_nearest() {
        let scaled = vcc & w.exec();
        let (result, _) = if env.keeps_results() {
            computed(w, s, at, 0, |a, b, c, ()| (nearest(a, b, c), ()))
        } else {
            computed(w, s, at, 0, |a, b, c, ()| {
                (nearest(a, b, c).flushed_or_unsettled(), ())
            })
        };
        let any = |env, lane, a, b, c| any(env, a, b, c, scaled >> lane & 1 != 0);
        let env = |mode| Env::of::<F>(mode).keeping_sources();
        nan::write_but::<1, 2, 3, F, F, nan::OfProduct>(w, s, &result, (env, scaled), any);
    } else {
        at_baseline(w, s, at, vcc, move |a, b, c, bit: bool| {
            (any(env, a, b, c, bit), ())
        });
    }
}

/// A floating-point value and an integer, of which `nearest` makes a result rounded to nearest and flushed.
#[inline(always)]
pub(super) fn rounded_int<F: Float, I: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(Env, F, I) -> R,
    any: impl Fn(Env, F, I) -> F,
) {
    let env = Env::of::<F>(w.mode);
    if env.is_nearest() {
        let signals = nan::signals::<F>(w, s);
        if env.keeps_denormals() {
            // Compiled without what flushing costs.
            two(w, s, |a, b| nearest(Env::KEEPING, a, b));
        } else {
            two(w, s, |a, b| nearest(env, env.input(a), b));
        }
        nan::restore_signals::<F>(w, s, signals);
    } else {
        at_baseline(w, s, Positions::<1, 2, 1>, 0, move |a, b, (), ()| {
            (any(env, env.input(a), b), ())
        });
    }
}

/// [`rounded_int`] of an operation that few values make difficult (see [`with_slow_path`]), those that are rounded and denormals
/// among them.
#[inline(always)]
pub(super) fn rounded_int_with_slow_path<F: Float, I: Lane>(
    w: &mut Wave,
    s: &Step,
    fast: impl Fn(F, I, (), ()) -> (F, bool),
    nearest: impl Fn(Env, F, I) -> F,
    any: impl Fn(Env, F, I) -> F,
) {
    let env = Env::of::<F>(w.mode);
    if env.is_nearest() && env.quiets() {
        with_slow_path(w, s, Positions::<1, 2, 1>, fast, |a, b, (), ()| {
            (nearest(env, env.input(a), b), ())
        });
    } else {
        at_baseline(w, s, Positions::<1, 2, 1>, 0, move |a, b, (), ()| {
            (any(env, env.input(a), b), ())
        });
    }
}

/// From one width to another, denormals of each as MODE says, rounded as it says of the narrower one (errata E192);
/// `nearest` may have other types for them, and flushes its result. Half precision gets no signalling NaN (errata E190).
#[inline(always)]
pub(super) fn convert<A: Float, R: Float, From: Flush, To: Lane>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(Env, From) -> To,
) {
    let from = Env::of_converted::<A>(w.isa, w.mode);
    let to = Env::of_converted::<R>(w.isa, w.mode);
    let to = if R::BITS == u16::BITS {
        to.quieting()
    } else {
        to
    };
    if to.is_nearest() && to.quiets() {
        one(w, s, |a: From| nearest(to, from.input(a)));
    } else {
        at_baseline(w, s, Positions::<1, 1, 1>, 0, move |a, (), (), ()| {
            (exact::convert::<A, R>(to, from.input(a)), ())
        });
    }
}

/// From an integer to floating point.
#[inline(always)]
pub(super) fn from_integer<I: Lane + Into<i64>, R: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(I) -> R,
) {
    let env = Env::of::<R>(w.mode);
    if env.is_nearest() {
        one(w, s, nearest);
    } else {
        at_baseline(w, s, Positions::<1, 1, 1>, 0, move |a: I, (), (), ()| {
            (exact::of_integer::<R>(env, a.into()), ())
        });
    }
}

/// Environment of minima and maxima: up to GCN 1.2 they leave denormals unchanged; on 1.4 a denormal that is a source is a
/// result (errata E193).
#[inline(always)]
pub(super) fn order_env<F: Float>(w: &Wave) -> (Env, bool) {
    let env = if w.isa < Isa::Gfx9 {
        Env::KEEPING
    } else {
        Env::of::<F>(w.mode).keeping_results()
    };
    (env, w.mode & MODE_IEEE != 0)
}

/// A minimum or maximum: `numbers` is of numbers, `f` of any values, and told whether IEEE rules are on.
#[inline(always)]
pub(super) fn order2<F: Float>(
    w: &mut Wave,
    s: &Step,
    numbers: impl Fn(F, F) -> F,
    f: impl Fn(F, F, bool) -> F,
) {
    order3_at(
        w,
        s,
        Positions::<1, 2, 1>,
        |a, b, _| numbers(a, b),
        |a, b, _, ieee| f(a, b, ieee),
    );
}

/// The same of three sources.
#[inline(always)]
pub(super) fn order3<F: Float>(
    w: &mut Wave,
    s: &Step,
    numbers: impl Fn(F, F, F) -> F,
    f: impl Fn(F, F, F, bool) -> F,
) {
    order3_at(w, s, Positions::<1, 2, 3>, numbers, f);
}

#[inline(always)]
fn order3_at<const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: Positions<1, 2, Z>,
    numbers: impl Fn(F, F, F) -> F,
    f: impl Fn(F, F, F, bool) -> F,
) {
    let has_nan = |a: F, b: F, c: F| a.is_any_nan() | b.is_any_nan() | c.is_any_nan();
    let (env, ieee) = order_env::<F>(w);
    if env.keeps_denormals() {
        with_slow_path(
            w,
            s,
            at,
            |a, b, c, ()| (numbers(a, b, c), has_nan(a, b, c)),
            |a, b, c, ()| (f(a, b, c, ieee), ()),
        );
    } else {
        const ENV: Env = Env::FLUSHING;
        with_slow_path(
            w,
            s,
            at,
            |a, b, c, ()| {
                let result = numbers(ENV.input(a), ENV.input(b), ENV.input(c));
                (result, has_nan(a, b, c))
            },
            |a, b, c, ()| (f(ENV.input(a), ENV.input(b), ENV.input(c), ieee), ()),
        );
    }
}

/// [`compare`] of floating-point values, denormals as MODE says. Compilers keep those of double precision.
#[inline(always)]
pub(super) fn compare_float<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F) -> bool) {
    let flushing = |a, b| f(Env::FLUSHING.input(a), Env::FLUSHING.input(b));
    if Env::of::<F>(w.mode).keeping_results().keeps_denormals() {
        compare(w, s, f);
    } else if const { F::DWORDS > 1 } {
        compare_compiled_once(w, s, flushing);
    } else {
        compare(w, s, flushing);
    }
}
