//! What vector instructions share: fetching sources, modifiers, carries and masks, writing under EXEC.
//!
//! The functions below take the operation as a function of one lane's values; its parameter types say how many
//! registers each operand has. Without modifiers sources are read in place; with any, they are copied and changed
//! first, and the result before it is blended in.

use gcn_isa::Isa;

use super::exact::{self, Round};
use super::float::{Env, F16, Float, MODE_IEEE};
use super::modifiers::{self, raw};
use super::scalar;
use crate::code::{Arg, Step};
use crate::lanes::{self, Bit, Lane, Lanes, NOTHING, Source};
use crate::wave::{SCALARS, Scalars, Wave};

/// Destination, one source.
#[inline(always)]
pub(super) fn one<A: Lane, R: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A) -> R) {
    run(w, s, At::<1, 1, 1>, 0, |a, (), (), ()| (f(a), ()));
}

/// Destination, two sources.
#[inline(always)]
pub(super) fn two<A: Lane, B: Lane, R: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> R) {
    run(w, s, At::<1, 2, 1>, 0, |a, b, (), ()| (f(a, b), ()));
}

/// Destination, three sources.
#[inline(always)]
pub(super) fn three<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C) -> R,
) {
    run(w, s, At::<1, 2, 3>, 0, |a, b, c, ()| (f(a, b, c), ()));
}

/// Two sources and the destination, which is read as well and given last.
#[inline(always)]
pub(super) fn accumulate<A: Lane, B: Lane, D: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, D) -> D,
) {
    run(w, s, At::<1, 2, 0>, 0, |a, b, d, ()| (f(a, b, d), ()));
}

/// Destination, two sources, a mask whose bit is given last.
#[inline(always)]
pub(super) fn select<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, bool) -> R,
) {
    let mask = scalar::read(w, s.args[3]);
    run(w, s, At::<1, 2, 1>, mask, |a, b, (), bit: bool| {
        (f(a, b, bit), ())
    });
}

/// Destination, mask written, two sources.
#[inline(always)]
pub(super) fn carry<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B) -> (R, bool),
) {
    let mask = run(w, s, At::<2, 3, 2>, 0, |a, b, (), ()| f(a, b));
    scalar::write(w, s.args[1], mask);
}

/// Destination, mask written, two sources, mask read.
#[inline(always)]
pub(super) fn carry_through<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, bool) -> (R, bool),
) {
    let carried = scalar::read(w, s.args[4]);
    let mask = run(w, s, At::<2, 3, 2>, carried, |a, b, (), bit: bool| {
        f(a, b, bit)
    });
    scalar::write(w, s.args[1], mask);
}

/// Destination, mask written, three sources. The operation is the one that [`run`] takes: with a function of its own in
/// between, operations as large as these would be called for each lane.
#[inline(always)]
pub(super) fn carry3<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C, ()) -> (R, bool),
) {
    let mask = run(w, s, At::<2, 3, 4>, 0, f);
    scalar::write(w, s.args[1], mask);
}

/// Destination, two sources, and `table` with a value for each lane.
#[inline(always)]
pub(super) fn with_lanes<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    table: &'static Lanes,
    f: impl Fn(A, B, u32) -> R,
) {
    let (a, b) = (raw(w, s, 1, A::DWORDS), raw(w, s, 2, B::DWORDS));
    let src = [[&a[0], &a[1]], [&b[0], &b[1]], [table, &NOTHING]];
    let (result, _) = lanes::map(src, 0, |a, b, c, ()| (f(a, b, c), ()));
    let exec = w.exec();
    let registers = w.vgprs.get_mut(destination(s)..).unwrap_or_default();
    for (register, new) in registers.iter_mut().zip(&result).take(R::DWORDS) {
        register.blend(new, exec);
    }
}

/// Mask written, two sources; EXEC is written too if the instruction says so.
#[inline(always)]
pub(super) fn compare<A: Lane, B: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> bool) {
    let mask = run(w, s, At::<1, 2, 1>, 0, |a, b, (), ()| ((), f(a, b)));
    scalar::write(w, s.args[0], mask);
    if s.writes_exec {
        w.set_exec(mask);
    }
}

/// [`one`] of a floating-point operation that does not round, denormals as MODE says.
#[inline(always)]
pub(super) fn float1<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F) -> F) {
    let env = Env::of::<F>(w.mode);
    if env.is_plain() {
        one(w, s, f);
    } else if env.is_flushing() {
        const ENV: Env = Env::FLUSHING;
        one(w, s, |a| ENV.output(f(ENV.input(a))));
    } else {
        rarely(w, s, At::<1, 1, 1>, 0, |a, (), (), ()| {
            (env.output(f(env.input(a))), ())
        });
    }
}

/// [`two`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float2<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F) -> F) {
    let env = Env::of::<F>(w.mode);
    if env.is_plain() {
        two(w, s, f);
    } else if env.is_flushing() {
        const ENV: Env = Env::FLUSHING;
        two(w, s, |a, b| ENV.output(f(ENV.input(a), ENV.input(b))));
    } else {
        rarely(w, s, At::<1, 2, 1>, 0, |a, b, (), ()| {
            (env.output(f(env.input(a), env.input(b))), ())
        });
    }
}

/// [`three`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float3<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, F) -> F) {
    float3_at(w, s, At::<1, 2, 3>, f);
}

#[inline(always)]
fn float3_at<const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: At<1, 2, Z>,
    f: impl Fn(F, F, F) -> F,
) {
    let env = Env::of::<F>(w.mode);
    if env.is_plain() {
        run(w, s, at, 0, |a, b, c, ()| (f(a, b, c), ()));
    } else if env.is_flushing() {
        const ENV: Env = Env::FLUSHING;
        run(w, s, at, 0, |a, b, c, ()| {
            let result = f(ENV.input(a), ENV.input(b), ENV.input(c));
            (ENV.output(result), ())
        });
    } else {
        rarely(w, s, at, 0, |a, b, c, ()| {
            let result = f(env.input(a), env.input(b), env.input(c));
            (env.output(result), ())
        });
    }
}

/// [`one`] of an operation that rounds: `nearest` is the host's, `any` obeys every rounding mode; denormals as MODE
/// says.
#[inline(always)]
pub(super) fn rounded1<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F) -> F,
    any: impl Fn(Round, F) -> F,
) {
    if Env::of::<F>(w.mode).is_nearest() {
        float1(w, s, nearest);
    } else {
        directed3(w, s, At::<1, 1, 1>, |r, a, _, _| any(r, a));
    }
}

/// [`rounded1`] of two sources.
#[inline(always)]
pub(super) fn rounded2<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F) -> F,
    any: impl Fn(Round, F, F) -> F,
) {
    if Env::of::<F>(w.mode).is_nearest() {
        float2(w, s, nearest);
    } else {
        directed2(w, s, any);
    }
}

/// [`rounded1`] of three sources.
#[inline(always)]
pub(super) fn rounded3<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F) -> F,
) {
    rounded3_at(w, s, At::<1, 2, 3>, nearest, any);
}

/// [`rounded1`] of two sources and the destination.
#[inline(always)]
pub(super) fn rounded_accumulate<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F) -> F,
) {
    rounded3_at(w, s, At::<1, 2, 0>, nearest, any);
}

#[inline(always)]
fn rounded3_at<const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: At<1, 2, Z>,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F) -> F,
) {
    if Env::of::<F>(w.mode).is_nearest() {
        float3_at(w, s, at, nearest);
    } else {
        directed3(w, s, at, any);
    }
}

/// Two sources of an operation in a rounding mode that is not the host's.
#[cold]
#[inline(never)]
fn directed2<F: Float>(w: &mut Wave, s: &Step, any: impl Fn(Round, F, F) -> F) {
    let env = Env::of::<F>(w.mode);
    run(w, s, At::<1, 2, 1>, 0, |a, b, (), ()| {
        let result = any(env.round, env.input(a), env.input(b));
        (env.output(result), ())
    });
}

/// The same of three sources.
#[cold]
#[inline(never)]
fn directed3<const X: usize, const Y: usize, const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: At<X, Y, Z>,
    any: impl Fn(Round, F, F, F) -> F,
) {
    let env = Env::of::<F>(w.mode);
    run(w, s, at, 0, |a, b, c, ()| {
        let result = any(env.round, env.input(a), env.input(b), env.input(c));
        (env.output(result), ())
    });
}

/// Three sources of an operation that flushes denormals by itself.
#[inline(always)]
pub(super) fn flushing3<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F) -> F,
) {
    flushing(w, s, At::<1, 2, 3>, nearest, any);
}

/// Two sources and the destination of an operation that flushes denormals by itself.
#[inline(always)]
pub(super) fn flushing_accumulate<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F) -> F,
) {
    flushing(w, s, At::<1, 2, 0>, nearest, any);
}

#[inline(always)]
fn flushing<const Z: usize, F: Float>(
    w: &mut Wave,
    s: &Step,
    at: At<1, 2, Z>,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F) -> F,
) {
    let round = Round::of::<F>(w.mode);
    if round == Round::Nearest {
        run(w, s, at, 0, |a, b, c, ()| (nearest(a, b, c), ()));
    } else {
        rarely(w, s, at, 0, |a, b, c, ()| (any(round, a, b, c), ()));
    }
}

/// [`rounded3`] of V_DIV_FMAS: denormal sources are kept (errata E194), and lanes whose bit in VCC is set, which are few,
/// do something else, as `any` has it.
#[inline(always)]
pub(super) fn rounded3_vcc<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F, bool) -> F,
) {
    let env = Env::of::<F>(w.mode).keeping_sources();
    let vcc = w.vcc();
    if env.is_nearest() && vcc & w.exec() == 0 {
        run(w, s, At::<1, 2, 3>, 0, |a, b, c, ()| {
            (env.output(nearest(a, b, c)), ())
        });
    } else {
        rarely(w, s, At::<1, 2, 3>, vcc, |a, b, c, bit: bool| {
            (env.output(any(env.round, a, b, c, bit)), ())
        });
    }
}

/// [`rounded2`] of a floating-point value and an integer.
#[inline(always)]
pub(super) fn rounded_int<F: Float, I: Lane>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, I) -> F,
    any: impl Fn(Round, F, I) -> F,
) {
    let env = Env::of::<F>(w.mode);
    if env.is_nearest() {
        two(w, s, |a, b| env.output(nearest(env.input(a), b)));
    } else {
        rarely(w, s, At::<1, 2, 1>, 0, |a, b, (), ()| {
            (env.output(any(env.round, env.input(a), b)), ())
        });
    }
}

/// From one width to another, denormals of each as MODE says, rounded as it says of the narrower one (errata E192).
#[inline(always)]
pub(super) fn convert<A: Float, R: Float>(w: &mut Wave, s: &Step, nearest: impl Fn(A) -> R) {
    let (from, to) = (Env::of::<A>(w.mode), Env::of::<R>(w.mode));
    if to.is_nearest() {
        one(w, s, |a| to.output(nearest(from.input(a))));
    } else {
        rarely(w, s, At::<1, 1, 1>, 0, |a, (), (), ()| {
            let result = exact::convert::<A, R>(to.round, from.input(a));
            (to.output(result), ())
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
    let round = Round::of::<R>(w.mode);
    if round == Round::Nearest {
        one(w, s, nearest);
    } else {
        rarely(w, s, At::<1, 1, 1>, 0, |a: I, (), (), ()| {
            (exact::of_integer::<R>(round, a.into()), ())
        });
    }
}

/// [`float1`] of a half-precision operation that is done in single precision and does not round there.
#[inline(always)]
pub(super) fn half1(w: &mut Wave, s: &Step, f: impl Fn(f32) -> f32) {
    float1(w, s, |a: F16| F16::from_f32(f(a.to_f32())));
}

/// [`rounded2`] of a half-precision operation that is done in single precision. Sums, differences and products are
/// exact or rounded well enough there that rounding once more is correct.
#[inline(always)]
pub(super) fn half2(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(f32, f32) -> f32,
    any: impl Fn(Round, F16, F16) -> F16,
) {
    rounded2(
        w,
        s,
        |a: F16, b: F16| F16::from_f32(nearest(a.to_f32(), b.to_f32())),
        any,
    );
}

/// A mixed-precision operation: each source is single precision, or the half of a register that OP_SEL names where
/// OP_SEL_HI is set, and every value of that is one of single precision. NEG_HI takes absolute values here. `sum` has
/// what MODE says of single precision, `result` what it says of half precision.
#[inline(always)]
pub(super) fn mixed<R: Lane>(
    w: &mut Wave,
    s: &Step,
    sum: impl Fn(Env, f32, f32, f32) -> f32,
    result: impl Fn(f32, Env) -> R,
) {
    let m = &s.modifiers;
    let (single, half) = (Env::of::<f32>(w.mode), Env::of::<F16>(w.mode));
    // Without OP_SEL_HI, as encoded, all of the sources are in `low`.
    let source = |place: usize| {
        let has = |set: u8| set >> place & 1 != 0;
        let mut value = raw(w, s, place, 1)[0];
        let shift = if has(m.high) { 16 } else { 0 };
        for lane in &mut value.0 {
            let mut single = if has(m.low) {
                f32::from_bits(*lane)
            } else {
                half.input(F16((*lane >> shift) as u16)).to_f32()
            };
            if has(m.negate_high) {
                single = single.abs();
            }
            if has(m.negate) {
                single = -single;
            }
            *lane = single.to_bits();
        }
        value
    };
    let room = [source(1), source(2), source(3)];
    let src = room.each_ref().map(|lanes| [lanes, &NOTHING]);
    let (lanes, _) = lanes::map(src, 0, |a, b, c, ()| {
        (result(sum(single, a, b, c), half), ())
    });
    w.parts().2.result = lanes;
    modifiers::finish(w, s, R::DWORDS);
}

/// What minima and maxima go by: up to GCN 1.2 they leave denormals alone; on 1.4 a denormal that is a source is a
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

/// A minimum or maximum; `f` is also told whether IEEE rules are on.
#[inline(always)]
pub(super) fn order2<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, bool) -> F) {
    let (env, ieee) = order_env::<F>(w);
    if env.is_plain() {
        two(w, s, |a, b| f(a, b, ieee));
    } else {
        const ENV: Env = Env::FLUSHING;
        two(w, s, |a, b| f(ENV.input(a), ENV.input(b), ieee));
    }
}

/// The same of three sources.
#[inline(always)]
pub(super) fn order3<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, F, bool) -> F) {
    let (env, ieee) = order_env::<F>(w);
    if env.is_plain() {
        three(w, s, |a, b, c| f(a, b, c, ieee));
    } else {
        const ENV: Env = Env::FLUSHING;
        three(w, s, |a, b, c| {
            f(ENV.input(a), ENV.input(b), ENV.input(c), ieee)
        });
    }
}

/// [`compare`] of floating-point values, denormals as MODE says.
#[inline(always)]
pub(super) fn compare_float<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F) -> bool) {
    if Env::of::<F>(w.mode).keeping_results().is_plain() {
        compare(w, s, f);
    } else {
        const ENV: Env = Env::FLUSHING;
        compare(w, s, |a, b| f(ENV.input(a), ENV.input(b)));
    }
}

/// Computes all lanes from the sources at the places and the bits of `mask`, and writes the destination, operand 0 if
/// the result has registers. Returns the lanes' flags, 0 where EXEC is.
#[inline(always)]
pub(super) fn run<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
    Taken: Bit,
>(
    w: &mut Wave,
    s: &Step,
    _: At<X, Y, Z>,
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken),
) -> u64 {
    if s.modifiers.any {
        modifiers::change(w, s, [(X, A::DWORDS), (Y, B::DWORDS), (Z, C::DWORDS)]);
    }
    let exec = w.exec();
    let (registers, scalars, rooms) = w.parts();
    let [a, b, c] = &mut rooms.sources;
    let src = [
        source::<A>(registers, scalars, s, X, a),
        source::<B>(registers, scalars, s, Y, b),
        source::<C>(registers, scalars, s, Z, c),
    ];
    let (result, bits) = lanes::map(src, mask, f);
    let (target, lanes) = if s.modifiers.any {
        (&mut rooms.result[..], u64::MAX)
    } else {
        let first = destination(s);
        (registers.get_mut(first..).unwrap_or_default(), exec)
    };
    let [low, high] = result;
    if R::DWORDS > 0
        && let Some(register) = target.get_mut(0)
    {
        register.blend(&low, lanes);
    }
    if R::DWORDS > 1
        && let Some(register) = target.get_mut(1)
    {
        register.blend(&high, lanes);
    }
    if s.modifiers.any {
        return bits & modifiers::finish(w, s, R::DWORDS);
    }
    bits & exec
}

/// [`run`] of what has no use for wide vectors and need not be compiled for each level of them.
#[cold]
#[inline(never)]
fn rarely<
    const X: usize,
    const Y: usize,
    const Z: usize,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
>(
    w: &mut Wave,
    s: &Step,
    at: At<X, Y, Z>,
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, ()),
) {
    run(w, s, at, mask, f);
}

/// Where an operation's three sources are among an instruction's operands.
pub(super) struct At<const X: usize, const Y: usize, const Z: usize>;

/// A source's registers, read in place. What is no vector register is put in every lane of `room`, where a source that
/// had to be changed is already.
#[inline(always)]
fn source<'a, T: Lane>(
    registers: &'a [Lanes],
    scalars: &Scalars,
    s: &Step,
    place: usize,
    room: &'a mut [Lanes; 2],
) -> Source<'a> {
    if T::DWORDS == 0 {
        return [&NOTHING; 2];
    }
    if s.modifiers.any {
        return [&room[0], &room[1]];
    }
    debug_assert!(
        T::IS_FLOAT || !s.modifiers.changes_sign(place),
        "only floating-point values have signs to change"
    );
    let has_sign = T::IS_FLOAT && s.modifiers.signs;
    let bits = match &s.args[place] {
        Arg::Vgpr(first) => {
            let register = |n: usize| {
                let register = registers.get(usize::from(*first) + n);
                register.unwrap_or(&NOTHING)
            };
            let value = [register(0), register(T::DWORDS - 1)];
            if !has_sign {
                return value;
            }
            room[0] = *value[0];
            room[T::DWORDS - 1] = s.modifiers.with_sign(place, value[1]);
            return [&room[0], &room[1]];
        }
        Arg::Const(bits) => *bits,
        Arg::Scalar(code) => {
            let dword = |n: usize| u64::from(scalars[(usize::from(*code) + n) % SCALARS]);
            dword(0) | dword(T::DWORDS - 1) << u32::BITS
        }
        // Sources that are none of these have been changed.
        _ => return [&NOTHING; 2],
    };
    room[0] = Lanes::splat(bits as u32);
    if T::DWORDS > 1 {
        room[1] = Lanes::splat((bits >> u32::BITS) as u32);
    }
    if has_sign {
        room[T::DWORDS - 1] = s.modifiers.with_sign(place, &room[T::DWORDS - 1]);
    }
    [&room[0], &room[1]]
}

/// The first register of operand 0, 0 if it is none of the vector registers.
#[inline(always)]
fn destination(s: &Step) -> usize {
    match &s.args[0] {
        Arg::Vgpr(first) => usize::from(*first),
        _ => 0,
    }
}
