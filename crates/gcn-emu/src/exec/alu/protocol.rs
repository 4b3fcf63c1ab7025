//! What vector instructions share: fetching sources, modifiers, carries and masks, writing under EXEC.
//!
//! The functions below take the operation as a function of one lane's values; its parameter types say how many
//! registers each operand has. Without modifiers sources are read in place; with any, they are copied and changed
//! first, and the result before it is blended in.

use gcn_isa::{Field, Isa, Ty};

use super::exact::{self, Round};
use super::float::{Env, F16, Float, MODE_IEEE};
use super::scalar;
use crate::code::{Arg, OutputFactor, Step};
use std::marker::PhantomData;

use crate::lanes::{self, Bit, Kernel, Lane, Lanes, Src, at_best};
use crate::wave::Wave;

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

/// Destination, mask written, three sources.
#[inline(always)]
pub(super) fn carry3<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C) -> (R, bool),
) {
    let mask = run(w, s, At::<2, 3, 4>, 0, |a, b, c, ()| f(a, b, c));
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
    let room = [raw(w, s, 1, A::DWORDS), raw(w, s, 2, B::DWORDS)];
    let src = [
        Src::Here(&room[0]),
        Src::Here(&room[1]),
        Src::Here(std::slice::from_ref(table)),
    ];
    let mut result = [Lanes::ZERO; 2];
    map(&mut result, &src, 0, |a, b, c, ()| (f(a, b, c), ()));
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
    } else {
        one(w, s, |a| env.output(f(env.input(a))));
    }
}

/// [`two`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float2<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F) -> F) {
    let env = Env::of::<F>(w.mode);
    if env.is_plain() {
        two(w, s, f);
    } else {
        two(w, s, |a, b| env.output(f(env.input(a), env.input(b))));
    }
}

/// [`three`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float3<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, F) -> F) {
    let env = Env::of::<F>(w.mode);
    if env.is_plain() {
        three(w, s, f);
    } else {
        three(w, s, |a, b, c| {
            env.output(f(env.input(a), env.input(b), env.input(c)))
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
    let env = Env::of::<F>(w.mode);
    if env.is_nearest() {
        float1(w, s, nearest);
    } else {
        run(w, s, RarelyAt::<1, 1, 1>, 0, |a, (), (), ()| {
            (env.output(any(env.round, env.input(a))), ())
        });
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
    let env = Env::of::<F>(w.mode);
    if env.is_nearest() {
        float2(w, s, nearest);
    } else {
        run(w, s, RarelyAt::<1, 2, 1>, 0, |a, b, (), ()| {
            let result = any(env.round, env.input(a), env.input(b));
            (env.output(result), ())
        });
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
    let env = Env::of::<F>(w.mode);
    if env.is_nearest() {
        float3(w, s, nearest);
    } else {
        run(w, s, RarelyAt::<1, 2, 3>, 0, |a, b, c, ()| {
            let result = any(env.round, env.input(a), env.input(b), env.input(c));
            (env.output(result), ())
        });
    }
}

/// [`rounded1`] of two sources and the destination.
#[inline(always)]
pub(super) fn rounded_accumulate<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F) -> F,
) {
    let env = Env::of::<F>(w.mode);
    if env.is_nearest() {
        accumulate(w, s, |a, b, d| {
            env.output(nearest(env.input(a), env.input(b), env.input(d)))
        });
    } else {
        run(w, s, RarelyAt::<1, 2, 0>, 0, |a, b, d, ()| {
            let result = any(env.round, env.input(a), env.input(b), env.input(d));
            (env.output(result), ())
        });
    }
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
    _: At<1, 2, Z>,
    nearest: impl Fn(F, F, F) -> F,
    any: impl Fn(Round, F, F, F) -> F,
) {
    let round = Round::of::<F>(w.mode);
    if round == Round::Nearest {
        run(w, s, At::<1, 2, Z>, 0, |a, b, c, ()| (nearest(a, b, c), ()));
    } else {
        run(w, s, RarelyAt::<1, 2, Z>, 0, |a, b, c, ()| {
            (any(round, a, b, c), ())
        });
    }
}

/// [`rounded3`] with VCC's bit, of V_DIV_FMAS: denormal sources are kept (errata E194).
#[inline(always)]
pub(super) fn rounded3_vcc<F: Float>(
    w: &mut Wave,
    s: &Step,
    nearest: impl Fn(F, F, F, bool) -> F,
    any: impl Fn(Round, F, F, F, bool) -> F,
) {
    let env = Env::of::<F>(w.mode).keeping_sources();
    let vcc = w.vcc();
    if env.is_nearest() {
        run(w, s, At::<1, 2, 3>, vcc, |a, b, c, bit: bool| {
            (env.output(nearest(a, b, c, bit)), ())
        });
    } else {
        run(w, s, RarelyAt::<1, 2, 3>, vcc, |a, b, c, bit: bool| {
            (env.output(any(env.round, a, b, c, bit)), ())
        });
    }
}

/// [`carry3`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float_carry3<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, F) -> (F, bool)) {
    let env = Env::of::<F>(w.mode);
    carry3(w, s, |a, b, c| {
        let (value, bit) = f(env.input(a), env.input(b), env.input(c));
        (env.output(value), bit)
    });
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
        run(w, s, RarelyAt::<1, 2, 1>, 0, |a, b, (), ()| {
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
        run(w, s, RarelyAt::<1, 1, 1>, 0, |a, (), (), ()| {
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
        run(w, s, RarelyAt::<1, 1, 1>, 0, |a: I, (), (), ()| {
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
    let m = s.modifiers;
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
    let room = [source(1), source(2), source(3)].map(|lanes| [lanes]);
    let src = [
        Src::Here(&room[0]),
        Src::Here(&room[1]),
        Src::Here(&room[2]),
    ];
    let exec = w.exec();
    let mut lanes = [Lanes::ZERO];
    map(&mut lanes, &src, 0, |a, b, c, ()| {
        (result(sum(single, a, b, c), half), ())
    });
    finish(w, s, &mut lanes, exec);
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
    two(w, s, |a, b| env.output(f(env.input(a), env.input(b), ieee)));
}

/// The same of three sources.
#[inline(always)]
pub(super) fn order3<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, F, bool) -> F) {
    let (env, ieee) = order_env::<F>(w);
    three(w, s, |a, b, c| {
        env.output(f(env.input(a), env.input(b), env.input(c), ieee))
    });
}

/// [`compare`] of floating-point values, denormals as MODE says.
#[inline(always)]
pub(super) fn compare_float<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F) -> bool) {
    let env = Env::of::<F>(w.mode);
    if env.is_plain() {
        compare(w, s, f);
    } else {
        compare(w, s, |a, b| f(env.input(a), env.input(b)));
    }
}

/// Computes all lanes from the sources at the places and the bits of `mask`, and writes the destination, operand 0 if
/// the result has registers. Returns the lanes' flags.
#[inline(always)]
pub(super) fn run<P: Places, A: Lane, B: Lane, C: Lane, R: Lane, Given: Bit, Taken: Bit>(
    w: &mut Wave,
    s: &Step,
    _: P,
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken),
) -> u64 {
    let operation = Operation {
        f,
        types: PhantomData::<(P, _)>,
    };
    if !s.modifiers.any {
        return operation.at_level(w, s, mask);
    }
    let exec = written(s, w.exec());
    let room = [
        fetch(w, s, P::FIRST, A::DWORDS),
        fetch(w, s, P::SECOND, B::DWORDS),
        fetch(w, s, P::THIRD, C::DWORDS),
    ];
    let src = [
        Src::Here(&room[0]),
        Src::Here(&room[1]),
        Src::Here(&room[2]),
    ];
    let mut result = [Lanes::ZERO; 2];
    let flags = operation.at_level(&mut result[..], &src, mask);
    finish(w, s, &mut result[..R::DWORDS], exec);
    flags & exec
}

/// Where an operation's three sources are among an instruction's operands.
pub(super) trait Places {
    /// The first source's place.
    const FIRST: usize;
    /// The second's.
    const SECOND: usize;
    /// The third's.
    const THIRD: usize;
    /// Whether the operation is compiled for each level of the host's vectors.
    const WIDE: bool;
}

/// Places of an operation for the host's widest vectors.
pub(super) struct At<const X: usize, const Y: usize, const Z: usize>;

/// Places of an operation that has no use for wide vectors and need not be compiled for each level.
struct RarelyAt<const X: usize, const Y: usize, const Z: usize>;

impl<const X: usize, const Y: usize, const Z: usize> Places for At<X, Y, Z> {
    const FIRST: usize = X;
    const SECOND: usize = Y;
    const THIRD: usize = Z;
    const WIDE: bool = true;
}

impl<const X: usize, const Y: usize, const Z: usize> Places for RarelyAt<X, Y, Z> {
    const FIRST: usize = X;
    const SECOND: usize = Y;
    const THIRD: usize = Z;
    const WIDE: bool = false;
}

/// A function of a lane's values as a [`Kernel`]: of sources where the instruction has them, or of sources at hand.
struct Operation<P, F, L> {
    f: F,
    /// Where its sources are, and what `f` takes and gives.
    types: PhantomData<(P, L)>,
}

impl<P: Places, F, L> Operation<P, F, L> {
    /// Runs it at the host's best level, if it is compiled for that.
    #[inline(always)]
    fn at_level<X, Y>(self, x: X, y: Y, mask: u64) -> u64
    where
        Self: Kernel<X, Y>,
    {
        if P::WIDE {
            at_best(self, x, y, mask)
        } else {
            self.run(x, y, mask)
        }
    }
}

/// In place, without modifiers.
impl<P, A, B, C, R, Given, Taken, F> Kernel<&mut Wave, &Step>
    for Operation<P, F, fn(A, B, C, Given) -> (R, Taken)>
where
    P: Places,
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
    Taken: Bit,
    F: Fn(A, B, C, Given) -> (R, Taken),
{
    #[inline(always)]
    fn run(self, wave: &mut Wave, step: &Step, mask: u64) -> u64 {
        let src = [
            source(wave, step.args[P::FIRST], A::DWORDS),
            source(wave, step.args[P::SECOND], B::DWORDS),
            source(wave, step.args[P::THIRD], C::DWORDS),
        ];
        let (dst, exec) = (destination(step), wave.exec());
        lanes::map(&mut wave.vgprs, dst, &src, mask, exec, self.f)
    }
}

/// Of all lanes, into registers of its own.
impl<P, A, B, C, R, Given, Taken, F> Kernel<&mut [Lanes], &[Src<'_>; 3]>
    for Operation<P, F, fn(A, B, C, Given) -> (R, Taken)>
where
    A: Lane,
    B: Lane,
    C: Lane,
    R: Lane,
    Given: Bit,
    Taken: Bit,
    F: Fn(A, B, C, Given) -> (R, Taken),
{
    #[inline(always)]
    fn run(self, result: &mut [Lanes], src: &[Src<'_>; 3], mask: u64) -> u64 {
        lanes::map(result, 0, src, mask, u64::MAX, self.f)
    }
}

/// [`lanes::map`] at the host's best level, of all lanes.
#[inline(always)]
fn map<A: Lane, B: Lane, C: Lane, R: Lane, Given: Bit, Taken: Bit>(
    result: &mut [Lanes],
    src: &[Src<'_>; 3],
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken),
) -> u64 {
    let operation = Operation {
        f,
        types: PhantomData::<((), _)>,
    };
    at_best(operation, result, src, mask)
}

/// The first register of operand 0, 0 if it is none of the vector registers.
#[inline(always)]
fn destination(s: &Step) -> usize {
    match s.args[0] {
        Arg::Vgpr(first) => usize::from(first),
        _ => 0,
    }
}

/// Where a source of so many registers is.
#[inline(always)]
fn source(w: &Wave, arg: Arg, dwords: usize) -> Src<'static> {
    match (arg, dwords) {
        (_, 0) => Src::Same(0),
        (Arg::Vgpr(first), _) => Src::Reg(first),
        (Arg::Const(value), _) => Src::Same(value),
        (Arg::Scalar(code), 1) => Src::Same(u64::from(w.resolved(code))),
        (arg, _) => Src::Same(other_source(w, arg)),
    }
}

/// A source that few instructions have.
#[cold]
#[inline(never)]
fn other_source(w: &Wave, arg: Arg) -> u64 {
    scalar::read(w, arg)
}

const LOW: u32 = 0xffff;
const HIGH: u32 = 0xffff_0000;
/// Sign of the value in the low half.
const SIGN_LOW: u32 = 0x8000;
/// Sign of a dword, or of the value in its high half.
const SIGN: u32 = 0x8000_0000;

/// A source as it is.
fn raw(w: &Wave, s: &Step, place: usize, dwords: usize) -> [Lanes; 2] {
    let mut value = [Lanes::ZERO; 2];
    let arg = s.args[place];
    for (dword, value) in value.iter_mut().enumerate().take(dwords) {
        *value = match source(w, arg, dwords) {
            Src::Reg(first) => {
                let register = w.vgprs.get(usize::from(first) + dword);
                register.copied().unwrap_or(Lanes::ZERO)
            }
            Src::Same(bits) => Lanes::splat((bits >> (32 * dword)) as u32),
            Src::Here(_) => Lanes::ZERO,
        };
    }
    value
}

/// The lanes that are written.
#[cold]
#[inline(never)]
fn written(s: &Step, exec: u64) -> u64 {
    match &s.modifiers.cross_lane {
        Some(cross_lane) => cross_lane.written(exec),
        None => exec,
    }
}

/// A source with its modifiers applied: other lanes or a part of the register first, then absolute value and
/// negation (errata E137, E140).
#[cold]
#[inline(never)]
fn fetch(w: &Wave, s: &Step, place: usize, dwords: usize) -> [Lanes; 2] {
    let mut value = raw(w, s, place, dwords);
    if dwords == 0 {
        return value;
    }
    let Some(slot) = s.inst.row().slots().nth(place) else {
        return value;
    };
    // An accumulator is read as it is, whatever is asked for the result that replaces it.
    let m = &s.modifiers;
    if let (Some(cross_lane), Field::Src0) = (&m.cross_lane, slot.field) {
        value[0] = cross_lane.read(&value[0], w.exec());
    }
    if let Some((part, extends)) = m
        .sub_dword
        .and_then(|sub_dword| sub_dword.source(slot.field))
    {
        for lane in &mut value[0].0 {
            *lane = part.read(*lane, extends);
        }
    }
    let has = |set: u8| set >> place & 1 != 0 && place != 0;
    let mut each = |dword: usize, f: &dyn Fn(u32) -> u32| {
        for lane in &mut value[dword].0 {
            *lane = f(*lane);
        }
    };
    match slot.ty {
        Ty::F16x2 | Ty::I16x2 => {
            let low = if has(m.high) { 16 } else { 0 };
            let high = if has(m.low) { 0 } else { 16 };
            each(0, &|v| v >> low & LOW | (v >> high) << 16);
            if slot.ty == Ty::F16x2 {
                let flip = if has(m.negate) { SIGN_LOW } else { 0 }
                    | if has(m.negate_high) { SIGN } else { 0 };
                each(0, &|v| v ^ flip);
            }
        }
        Ty::F16 | Ty::B16 | Ty::U16 | Ty::I16 => {
            if has(m.high) {
                each(0, &|v| v >> 16);
            }
            if slot.ty == Ty::F16 {
                let keep = if has(m.absolute) { !SIGN_LOW } else { !0 };
                let flip = if has(m.negate) { SIGN_LOW } else { 0 };
                each(0, &|v| v & keep ^ flip);
            }
        }
        Ty::F32 | Ty::F64 => {
            let keep = if has(m.absolute) { !SIGN } else { !0 };
            let flip = if has(m.negate) { SIGN } else { 0 };
            each(dwords - 1, &|v| v & keep ^ flip);
        }
        _ => {}
    }
    value
}

/// Applies what is asked for the result, and writes it.
#[cold]
#[inline(never)]
fn finish(w: &mut Wave, s: &Step, result: &mut [Lanes], exec: u64) {
    let (Arg::Vgpr(first), Some(slot)) = (s.args[0], s.inst.row().slots().next()) else {
        return;
    };
    match slot.ty {
        Ty::F32 => finish_float::<f32>(w.mode, s, result),
        Ty::F64 => finish_float::<f64>(w.mode, s, result),
        Ty::F16 => finish_float::<F16>(w.mode, s, result),
        Ty::F16x2 if s.modifiers.clamp => {
            let nan_is_zero = dx10_clamp(w.mode);
            let half = |bits| F16(bits).clamped(nan_is_zero).0;
            for lane in &mut result[0].0 {
                *lane = u32::from(half(*lane as u16)) | u32::from(half((*lane >> 16) as u16)) << 16;
            }
        }
        _ => {}
    }
    let to_high = s.modifiers.high & 1 != 0;
    let Some(registers) = w.vgprs.get_mut(usize::from(first)..) else {
        return;
    };
    for (register, new) in registers.iter_mut().zip(result.iter_mut()) {
        if s.modifiers.merges || to_high {
            for (new, old) in new.0.iter_mut().zip(&register.0) {
                *new = if to_high {
                    old & LOW | *new << 16
                } else {
                    old & HIGH | *new & LOW
                };
            }
        }
        if let Some(sub_dword) = &s.modifiers.sub_dword {
            for (new, old) in new.0.iter_mut().zip(&register.0) {
                *new = sub_dword.result(*old, *new);
            }
        }
        register.blend(new, exec);
    }
}

/// MODE: clamping makes 0 of NaN.
const DX10_CLAMP: u32 = 1 << 8;

fn dx10_clamp(mode: u32) -> bool {
    mode & DX10_CLAMP != 0
}

/// The output factor, then the clamp. The factor counts only where denormal results are flushed and IEEE rules
/// are off; it flushes what it gives, and zeros lose their sign (errata E191).
fn finish_float<F: Float>(mode: u32, s: &Step, result: &mut [Lanes]) {
    let env = Env::of::<F>(mode);
    // The factor's power of two.
    let factor = match s.modifiers.factor {
        _ if !env.takes_factor(mode) => None,
        OutputFactor::One => None,
        OutputFactor::Two => Some(1),
        OutputFactor::Four => Some(2),
        OutputFactor::Half => Some(-1),
    };
    let nan_is_zero = dx10_clamp(mode);
    let [low, rest @ ..] = result else { return };
    let mut nothing = Lanes::ZERO;
    let high = rest.first_mut().unwrap_or(&mut nothing);
    for (low, high) in low.0.iter_mut().zip(&mut high.0) {
        let mut value = F::join(*low, *high);
        if let Some(power) = factor {
            value = exact::ldexp(env.round, value, power).flushed();
            if value.magnitude() == 0 {
                value = F::signed(0, false);
            }
        }
        if s.modifiers.clamp {
            value = value.clamped(nan_is_zero);
        }
        [*low, *high] = value.split();
    }
}
