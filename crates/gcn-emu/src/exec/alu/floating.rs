//! Execution of floating-point operations according to their rules, including source reads and result writes under
//! EXEC.
//!
//! [`under_rule`] executes all of them. The host computes all lanes, rounding to nearest. The rule specifies the
//! handling of denormals and the lanes in which the host's result may be wrong. These lanes are rare, and an exact
//! operation computes them.
//!
//! Half precision is computed in single precision ([`HalfFloat`]). Sums, differences and products are then exact, or
//! accurate enough for a second rounding to be correct.

use super::env::Env;
use super::exact;
use super::float::{F16, Float, Flush};
use super::nan;
use super::operands::{Positions, sources, write};
use super::protocol::{compare, compare_compiled_once, computed, computed_with_slow_path};
use super::rule::{
    Choice, Conversion, Denormals, DivisionStep, Environment, FloatRule, FromInteger, Order, Rare,
    environment,
};
use crate::lanes::{self, Bit, HalfFloat, Lane, Lanes};
use crate::step::Step;
use crate::wave::Wave;

/// Position of one source.
pub(super) const ONE: Positions<1, 1, 1> = Positions;
/// Positions of two sources.
pub(super) const TWO: Positions<1, 2, 1> = Positions;
/// Positions of three sources.
pub(super) const THREE: Positions<1, 2, 3> = Positions;
/// Positions of two sources, with the destination as the third.
pub(super) const ACCUMULATE: Positions<1, 2, 0> = Positions;

/// Type in which the host computes.
pub(super) trait HostFloat: Flush {
    /// Type of the emulated values.
    type Value: Float;

    /// Flushes a result as in `env`. Returns a NaN if rounding may have made it normal (errata E300).
    fn rounded(self, env: Env) -> Self;

    /// Returns `self`, the result of an operation on `source`, or the NaN required by the rule.
    fn of_source(self, env: Env, source: Self) -> Self;
}

macro_rules! host_float {
    ($($Type:ty)*) => {
        $(impl HostFloat for $Type {
            type Value = $Type;
            #[inline(always)]
            fn rounded(self, env: Env) -> $Type {
                if env.keeps_results() { self } else { self.flushed_or_unsettled() }
            }
            #[inline(always)]
            fn of_source(self, _: Env, source: $Type) -> $Type { nan::of_one(self, source) }
        })*
    };
}
host_float! { f32 f64 F16 }

impl HostFloat for HalfFloat {
    type Value = F16;
    /// Flushes a result that has yet to be rounded, by comparing it with the smallest value that rounds to a normal
    /// number.
    #[inline(always)]
    fn rounded(self, env: Env) -> HalfFloat {
        env.output(self)
    }
    #[inline(always)]
    fn of_source(self, env: Env, source: HalfFloat) -> HalfFloat {
        HalfFloat(env.limited(source.0, nan::of_one(self.0, source.0)))
    }
}

/// Executes a function of one source that ignores MODE's rounding, so that no separate exact operation is needed.
#[inline(always)]
pub(super) fn unary<N: HostFloat>(
    w: &mut Wave,
    s: &Step,
    rule: impl FloatRule,
    f: impl Fn(N) -> N + Copy,
) {
    let by_rule = move |env, a: N, (), ()| f(a).of_source(env, a);
    float(w, s, ONE, rule, by_rule, by_rule);
}

/// Executes an operation on two sources. `nearest` rounds to nearest; `exact` supports every rounding mode.
#[inline(always)]
pub(super) fn binary<N: HostFloat>(
    w: &mut Wave,
    s: &Step,
    rule: impl FloatRule,
    nearest: impl Fn(N, N) -> N + Copy,
    exact: impl Fn(Env, N::Value, N::Value) -> N::Value,
) where
    N::Value: HostFloat,
{
    let nearest = move |_, a: N, b: N, ()| nearest(a, b);
    float(w, s, TWO, rule, nearest, move |env, a, b, ()| {
        exact(env, a, b)
    });
}

/// [`binary`] for three sources.
#[inline(always)]
pub(super) fn ternary<const Z: usize, N: HostFloat>(
    w: &mut Wave,
    s: &Step,
    at: Positions<1, 2, Z>,
    rule: impl FloatRule,
    nearest: impl Fn(N, N, N) -> N + Copy,
    exact: impl Fn(Env, N::Value, N::Value, N::Value) -> N::Value,
) where
    N::Value: HostFloat,
{
    float(
        w,
        s,
        at,
        rule,
        move |_, a: N, b: N, c: N| nearest(a, b, c),
        exact,
    );
}

/// Executes a function of two or three sources with an exact result: one of the sources, or a cube face.
#[inline(always)]
pub(super) fn choice<const Z: usize, C: Flush>(
    w: &mut Wave,
    s: &Step,
    at: Positions<1, 2, Z>,
    f: impl Fn(f32, f32, C) -> f32 + Copy,
) {
    let f = move |_, a, b, c| f(a, b, c);
    float(w, s, at, Choice, f, f);
}

/// Executes an operation with `fast`, or with `any` if `fast` flags an active lane, which is rare. `any` supports every
/// MODE. `fast` must not be a closure in a handler table: it would be compiled for a vector level and, because it
/// returns two values, called for each lane instead of inlined.
#[inline(always)]
pub(super) fn flagged<
    const Y: usize,
    const Z: usize,
    A: Flush,
    B: Flush,
    C: Flush,
    R: HostFloat,
>(
    w: &mut Wave,
    s: &Step,
    at: Positions<1, Y, Z>,
    rule: impl FloatRule,
    fast: impl Fn(A, B, C) -> (R, bool) + Copy,
    any: impl Fn(Env, A, B, C) -> R + Copy,
) {
    under_rule(w, s, at, rule, 0, fast, any, move |env, a, b, c, _| {
        any(env, a, b, c)
    });
}

/// Executes the last multiply-add of a division. `exact` scales results in the few lanes whose VCC bit is set.
#[inline(always)]
pub(super) fn division_step<N: Float + HostFloat<Value = N>>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(N, N, N) -> N + Copy,
    exact: impl Fn(Env, N, N, N, bool) -> N,
) {
    let scaled = w.vcc() & w.exec();
    let nearest = move |_, a: N, b: N, c: N| nearest(a, b, c);
    let fast = move |a, b, c| (nearest(Env::KEEPING, a, b, c), ());
    under_rule(w, s, THREE, DivisionStep, scaled, fast, nearest, exact);
}

/// Executes a minimum, maximum or median of three sources. `numbers` handles sources that are not NaN, and `any` all
/// sources; the last argument of `any` is true under IEEE rules.
#[inline(always)]
pub(super) fn order3<F: Float + HostFloat>(
    w: &mut Wave,
    s: &Step,
    numbers: impl Fn(F, F, F) -> F + Copy,
    any: impl Fn(F, F, F, bool) -> F + Copy,
) {
    let ieee = Env::of::<F>(w.mode).quiets();
    let has_nan = |a: F, b: F, c: F| a.is_any_nan() | b.is_any_nan() | c.is_any_nan();
    let fast = move |a, b, c| (numbers(a, b, c), has_nan(a, b, c));
    flagged(w, s, THREE, Order, fast, move |_, a, b, c| {
        any(a, b, c, ieee)
    });
}

/// [`order3`] for two sources.
#[inline(always)]
pub(super) fn order2<F: Float + HostFloat>(
    w: &mut Wave,
    s: &Step,
    numbers: impl Fn(F, F) -> F + Copy,
    any: impl Fn(F, F, bool) -> F + Copy,
) {
    let ieee = Env::of::<F>(w.mode).quiets();
    let fast = move |a: F, b: F, ()| (numbers(a, b), a.is_any_nan() | b.is_any_nan());
    flagged(w, s, TWO, Order, fast, move |_, a, b, ()| any(a, b, ieee));
}

/// Executes a conversion between widths. `nearest` may use other types for the values, and flushes its result.
#[inline(always)]
pub(super) fn convert<A: Float, R: Float + HostFloat, From: Flush, To: HostFloat>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(Env, From) -> To + Copy,
) {
    let from = Env::of_converted::<A>(w.isa, w.mode);
    let nearest = move |env, a: From, (), ()| nearest(env, from.input(a));
    float(w, s, ONE, Conversion, nearest, move |env, a: A, (), ()| {
        exact::convert::<A, R>(env, from.input(a))
    });
}

/// Executes a conversion from an integer.
#[inline(always)]
pub(super) fn from_integer<I: Flush + Into<i64>, R: Float + HostFloat>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(I) -> R + Copy,
) {
    let nearest = move |_, a: I, (), ()| nearest(a);
    float(w, s, ONE, FromInteger, nearest, |env, a: I, (), ()| {
        exact::of_integer::<R>(env, a.into())
    });
}

/// [`under_rule`] for an operation that flags no lanes.
#[inline(always)]
pub(super) fn float<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Flush,
    B: Flush,
    C: Flush,
    R: HostFloat,
    ExactA: Flush,
    ExactB: Flush,
    ExactC: Flush,
    ExactR: HostFloat,
>(
    w: &mut Wave,
    s: &Step,
    at: Positions<X, Y, Z>,
    rule: impl FloatRule,
    nearest: impl Fn(Env, A, B, C) -> R + Copy,
    exact: impl Fn(Env, ExactA, ExactB, ExactC) -> ExactR,
) {
    let fast = move |a, b, c| (nearest(Env::KEEPING, a, b, c), ());
    under_rule(w, s, at, rule, 0, fast, nearest, move |env, a, b, c, _| {
        exact(env, a, b, c)
    });
}

/// Executes a floating-point instruction according to a rule. `fast` rounds to nearest and may flag lanes that it
/// cannot compute, including lanes with denormal results; if an active lane is flagged, `nearest` computes all lanes.
/// `exact` supports every MODE and always computes the lanes in `others`; its last argument is true for these lanes.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "an operation in three precisions of care"
)]
pub(super) fn under_rule<
    const X: usize,
    const Y: usize,
    const Z: usize,
    P: FloatRule,
    A: Flush,
    B: Flush,
    C: Flush,
    R: HostFloat,
    Flag: Bit,
    ExactA: Flush,
    ExactB: Flush,
    ExactC: Flush,
    ExactR: HostFloat,
>(
    w: &mut Wave,
    s: &Step,
    at: Positions<X, Y, Z>,
    _: P,
    others: u64,
    fast: impl Fn(A, B, C) -> (R, Flag) + Copy,
    nearest: impl Fn(Env, A, B, C) -> R + Copy,
    exact: impl Fn(Env, ExactA, ExactB, ExactC, bool) -> ExactR,
) {
    // Environment. If the host does not support it, all lanes are computed exactly.
    let env = environment::<P, ExactR::Value>(w);
    if const { P::RULE.rounds } && !env.is_nearest()
        || const { matches!(P::RULE.rare, Rare::AllIfSignals) } && !env.quiets()
    {
        return exactly::<X, Y, Z, P, _, _, _, _>(w, s, others, exact);
    }
    // Sources and operation, compiled once for kept and once for flushed denormals.
    let result = if const { is_compiled_once::<P, A>() } {
        compute::<X, Y, Z, P, _, _, _, _, _>(w, s, at, env, fast, nearest)
    } else if env.keeps_denormals() {
        compute::<X, Y, Z, P, _, _, _, _, _>(w, s, at, env.keeping(), fast, nearest)
    } else if const { !P::RULE.environment.may_be_mixed() }
        || env.has_denormals_of(flushing::<P>(env))
    {
        compute::<X, Y, Z, P, _, _, _, _, _>(w, s, at, flushing::<P>(env), fast, nearest)
    } else {
        return exactly::<X, Y, Z, P, _, _, _, _>(w, s, others, exact);
    };
    // Corrections in rare lanes, and the result under EXEC.
    if const { matches!(P::RULE.rare, Rare::Nan) } {
        nan::write::<X, Y, Z, P, ExactR::Value, R, _, _, _, _>(w, s, &result, others, exact);
    } else if const { matches!(P::RULE.rare, Rare::Signals) } {
        nan::write_signals::<X, ExactR::Value, R>(w, s, &result);
    } else {
        write::<R>(w, s, (result, 0));
    }
}

/// True if an operation is not compiled separately for kept and flushed denormals, because it is large or handles
/// denormals itself.
const fn is_compiled_once<P: FloatRule, A: Lane>() -> bool {
    A::IS_HALF && !P::RULE.rounds
        || matches!(P::RULE.denormals, Denormals::Operation)
        || matches!(P::RULE.environment, Environment::FlushingBefore14)
}

/// Returns the environment with all denormals flushed, as far as the rule permits.
#[inline(always)]
fn flushing<P: FloatRule>(env: Env) -> Env {
    let flushing = env.flushing();
    if const { matches!(P::RULE.environment, Environment::KeepingSources) } {
        flushing.keeping_sources()
    } else {
        flushing
    }
}

/// Computes the results of all lanes.
#[inline(always)]
fn compute<
    const X: usize,
    const Y: usize,
    const Z: usize,
    P: FloatRule,
    A: Flush,
    B: Flush,
    C: Flush,
    R: HostFloat,
    Flag: Bit,
>(
    w: &mut Wave,
    s: &Step,
    at: Positions<X, Y, Z>,
    env: Env,
    fast: impl Fn(A, B, C) -> (R, Flag) + Copy,
    nearest: impl Fn(Env, A, B, C) -> R + Copy,
) -> [Lanes; 2] {
    let rounded = move |a, b, c, ()| {
        let (a, b, c) = inputs::<P, _, _, _>(env, a, b, c);
        let result = nearest(env, a, b, c);
        let result = match P::RULE.denormals {
            Denormals::Exact => env.output(result),
            Denormals::Rounded => result.rounded(env),
            Denormals::Sources | Denormals::Operation => result,
        };
        (result, ())
    };
    if const { Flag::USED } {
        let fast = move |a, b, c, ()| {
            let (a, b, c) = inputs::<P, _, _, _>(env, a, b, c);
            let (result, flag) = fast(a, b, c);
            (result, flag.to_word() != 0)
        };
        computed_with_slow_path(w, s, at, fast, rounded).0
    } else {
        computed(w, s, at, 0, rounded).0
    }
}

/// Returns the sources as the operation sees them.
#[inline(always)]
fn inputs<P: FloatRule, A: Flush, B: Flush, C: Flush>(env: Env, a: A, b: B, c: C) -> (A, B, C) {
    if const { matches!(P::RULE.denormals, Denormals::Operation) } {
        (a, b, c)
    } else {
        (env.input(a), env.input(b), env.input(c))
    }
}

/// Executes an instruction exactly, in any MODE. This path does not benefit from wide vectors.
#[cold]
#[inline(never)]
fn exactly<
    const X: usize,
    const Y: usize,
    const Z: usize,
    P: FloatRule,
    A: Flush,
    B: Flush,
    C: Flush,
    R: HostFloat,
>(
    w: &mut Wave,
    s: &Step,
    others: u64,
    exact: impl Fn(Env, A, B, C, bool) -> R,
) {
    let env = environment::<P, R::Value>(w);
    let src = sources::<X, Y, Z, A, B, C>(w, s);
    let (result, _) = lanes::map(src, others, |a: A, b: B, c: C, other: bool| {
        let (a, b, c) = inputs::<P, _, _, _>(env, a, b, c);
        let result = exact(env, a, b, c, other);
        let flushes = const { matches!(P::RULE.denormals, Denormals::Exact) };
        (if flushes { env.output(result) } else { result }, ())
    });
    if const { matches!(P::RULE.rare, Rare::Signals) } {
        nan::write_signals::<X, R::Value, R>(w, s, &result);
    } else {
        write::<R>(w, s, (result, 0));
    }
}

/// [`compare`] for floating-point values. The path that flushes double-precision denormals is rare and compiled once.
#[inline(always)]
pub(super) fn compare_float<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F) -> bool) {
    let flushing = |a, b| f(Env::FLUSHING.input(a), Env::FLUSHING.input(b));
    if Env::of::<F>(w.mode)
        .with_results_as_sources()
        .keeps_denormals()
    {
        compare(w, s, f);
    } else if const { F::DWORDS > 1 } {
        compare_compiled_once(w, s, flushing);
    } else {
        compare(w, s, flushing);
    }
}
