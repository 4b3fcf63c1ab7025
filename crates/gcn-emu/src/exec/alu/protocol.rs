//! What vector instructions share: fetching sources, modifiers, carries and masks, writing under EXEC.
//!
//! The functions below take the operation as a function of one lane's values; its parameter types say how many
//! registers each operand has. Without modifiers sources are read in place; with any, they are copied and changed
//! first, and the result before it is blended in.

use gcn_isa::{Isa, Ty};

use super::float::{Env, F16, Float, MODE_IEEE};
use super::scalar;
use crate::code::{Arg, OutputFactor, Step};
use crate::lanes::{self, Bit, Lane, Lanes, Src};
use crate::wave::Wave;

/// Destination, one source.
#[inline(always)]
pub(super) fn one<A: Lane, R: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A) -> R) {
    run(w, s, [1, 1, 1], 0, |a, (), (), ()| (f(a), ()));
}

/// Destination, two sources.
#[inline(always)]
pub(super) fn two<A: Lane, B: Lane, R: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> R) {
    run(w, s, [1, 2, 1], 0, |a, b, (), ()| (f(a, b), ()));
}

/// Destination, three sources.
#[inline(always)]
pub(super) fn three<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C) -> R,
) {
    run(w, s, [1, 2, 3], 0, |a, b, c, ()| (f(a, b, c), ()));
}

/// Two sources and the destination, which is read as well and given last.
#[inline(always)]
pub(super) fn accumulate<A: Lane, B: Lane, D: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, D) -> D,
) {
    run(w, s, [1, 2, 0], 0, |a, b, d, ()| (f(a, b, d), ()));
}

/// Destination, two sources, a mask whose bit is given last.
#[inline(always)]
pub(super) fn select<A: Lane, B: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, bool) -> R,
) {
    let mask = scalar::read(w, s.args[3]);
    run(w, s, [1, 2, 1], mask, |a, b, (), bit: bool| {
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
    let mask = run(w, s, [2, 3, 2], 0, |a, b, (), ()| f(a, b));
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
    let mask = run(w, s, [2, 3, 2], carried, |a, b, (), bit: bool| f(a, b, bit));
    scalar::write(w, s.args[1], mask);
}

/// Destination, mask written, three sources.
#[inline(always)]
pub(super) fn carry3<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C) -> (R, bool),
) {
    let mask = run(w, s, [2, 3, 4], 0, |a, b, c, ()| f(a, b, c));
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
    let dst = destination(s);
    let exec = w.exec();
    let table = std::slice::from_ref(table);
    let src = [
        source(w, s.args[1], A::DWORDS),
        source(w, s.args[2], B::DWORDS),
        Src::Here(table),
    ];
    lanes::map(&mut w.vgprs, dst, &src, 0, exec, |a, b, c, ()| {
        (f(a, b, c), ())
    });
}

/// Destination, three sources, VCC's bit.
#[inline(always)]
pub(super) fn three_vcc<A: Lane, B: Lane, C: Lane, R: Lane>(
    w: &mut Wave,
    s: &Step,
    f: impl Fn(A, B, C, bool) -> R,
) {
    let vcc = w.vcc();
    run(w, s, [1, 2, 3], vcc, |a, b, c, bit: bool| {
        (f(a, b, c, bit), ())
    });
}

/// Mask written, two sources; EXEC is written too if the instruction says so.
#[inline(always)]
pub(super) fn compare<A: Lane, B: Lane>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> bool) {
    let mask = run(w, s, [1, 2, 1], 0, |a, b, (), ()| ((), f(a, b)));
    scalar::write(w, s.args[0], mask);
    if s.writes_exec {
        w.set_exec(mask);
    }
}

/// [`one`] of a floating-point operation, denormals as MODE says.
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

/// [`accumulate`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float_accumulate<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, F) -> F) {
    let env = Env::of::<F>(w.mode);
    accumulate(w, s, |a, b, d| {
        env.output(f(env.input(a), env.input(b), env.input(d)))
    });
}

/// [`three_vcc`] of a floating-point operation, denormals as MODE says.
#[inline(always)]
pub(super) fn float3_vcc<F: Float>(w: &mut Wave, s: &Step, f: impl Fn(F, F, F, bool) -> F) {
    let env = Env::of::<F>(w.mode);
    three_vcc(w, s, |a, b, c, bit| {
        env.output(f(env.input(a), env.input(b), env.input(c), bit))
    });
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

/// [`two`] of a floating-point value and an integer, denormals as MODE says.
#[inline(always)]
pub(super) fn float_int<F: Float, I: Lane>(w: &mut Wave, s: &Step, f: impl Fn(F, I) -> F) {
    let env = Env::of::<F>(w.mode);
    two(w, s, |a, b| env.output(f(env.input(a), b)));
}

/// From one width to another, denormals of each as MODE says.
#[inline(always)]
pub(super) fn convert<A: Float, R: Float>(w: &mut Wave, s: &Step, f: impl Fn(A) -> R) {
    let (from, to) = (Env::of::<A>(w.mode), Env::of::<R>(w.mode));
    one(w, s, |a| to.output(f(from.input(a))));
}

/// [`float1`] of a half-precision operation that is done in single precision.
#[inline(always)]
pub(super) fn half1(w: &mut Wave, s: &Step, f: impl Fn(f32) -> f32) {
    float1(w, s, |a: F16| F16::from_f32(f(a.to_f32())));
}

/// [`float2`] of a half-precision operation that is done in single precision. Sums, differences and products are
/// exact or rounded well enough there that rounding once more is correct.
#[inline(always)]
pub(super) fn half2(w: &mut Wave, s: &Step, f: impl Fn(f32, f32) -> f32) {
    float2(w, s, |a: F16, b: F16| {
        F16::from_f32(f(a.to_f32(), b.to_f32()))
    });
}

/// A mixed-precision operation: each source is single precision, or the half of a register that OP_SEL names where
/// OP_SEL_HI is set, and every value of that is one of single precision. NEG_HI takes absolute values here.
#[inline(always)]
pub(super) fn mixed<R: Lane>(w: &mut Wave, s: &Step, f: impl Fn(f32, f32, f32) -> R) {
    let m = s.modifiers;
    // Without OP_SEL_HI, as encoded, all of the sources are in `low`.
    let source = |place: usize| {
        let has = |set: u8| set >> place & 1 != 0;
        let mut value = raw(w, s, place, 1)[0];
        let shift = if has(m.high) { 16 } else { 0 };
        for lane in &mut value.0 {
            let mut single = if has(m.low) {
                f32::from_bits(*lane)
            } else {
                F16((*lane >> shift) as u16).to_f32()
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
    let mut result = [Lanes::ZERO];
    lanes::map(&mut result, 0, &src, 0, u64::MAX, |a, b, c, ()| {
        (f(a, b, c), ())
    });
    finish(w, s, &mut result, exec);
}

/// What minima and maxima go by: up to GCN 1.2 they leave denormals alone.
#[inline(always)]
fn order_env<F: Float>(w: &Wave) -> (Env, bool) {
    let env = if w.isa < Isa::Gfx9 {
        Env::KEEPING
    } else {
        Env::of::<F>(w.mode)
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

/// Computes all lanes from the sources at `places` and the bits of `mask`, and writes the destination, operand 0 if
/// the result has registers. Returns the lanes' flags.
#[inline(always)]
pub(super) fn run<A: Lane, B: Lane, C: Lane, R: Lane, Given: Bit, Taken: Bit>(
    w: &mut Wave,
    s: &Step,
    places: [usize; 3],
    mask: u64,
    f: impl Fn(A, B, C, Given) -> (R, Taken),
) -> u64 {
    let exec = w.exec();
    if s.modifiers.any {
        let room = [
            fetch(w, s, places[0], A::DWORDS),
            fetch(w, s, places[1], B::DWORDS),
            fetch(w, s, places[2], C::DWORDS),
        ];
        let src = [
            Src::Here(&room[0]),
            Src::Here(&room[1]),
            Src::Here(&room[2]),
        ];
        let mut result = [Lanes::ZERO; 2];
        let flags = lanes::map(&mut result, 0, &src, mask, u64::MAX, f);
        finish(w, s, &mut result[..R::DWORDS], exec);
        flags & exec
    } else {
        let src = [
            source(w, s.args[places[0]], A::DWORDS),
            source(w, s.args[places[1]], B::DWORDS),
            source(w, s.args[places[2]], C::DWORDS),
        ];
        lanes::map(&mut w.vgprs, destination(s), &src, mask, exec, f)
    }
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
        (arg, 1) => Src::Same(u64::from(scalar::read::<u32>(w, arg))),
        (arg, _) => Src::Same(scalar::read(w, arg)),
    }
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

/// A source with its modifiers applied.
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
        register.blend(new, exec);
    }
}

/// MODE: clamping makes 0 of NaN.
const DX10_CLAMP: u32 = 1 << 8;

fn dx10_clamp(mode: u32) -> bool {
    mode & DX10_CLAMP != 0
}

/// The output factor, then the clamp. The factor counts only where denormal results are flushed and IEEE rules
/// are off; it flushes what it gives.
fn finish_float<F: Float>(mode: u32, s: &Step, result: &mut [Lanes]) {
    let factor = match s.modifiers.factor {
        _ if !Env::of::<F>(mode).takes_factor(mode) => None,
        OutputFactor::One => None,
        OutputFactor::Two => Some(2.0),
        OutputFactor::Four => Some(4.0),
        OutputFactor::Half => Some(0.5),
    };
    let nan_is_zero = dx10_clamp(mode);
    let [low, rest @ ..] = result else { return };
    let mut nothing = Lanes::ZERO;
    let high = rest.first_mut().unwrap_or(&mut nothing);
    for (low, high) in low.0.iter_mut().zip(&mut high.0) {
        let mut value = F::join(*low, *high);
        if let Some(factor) = factor {
            value = value.scaled(factor).flushed();
        }
        if s.modifiers.clamp {
            value = value.clamped(nan_is_zero);
        }
        [*low, *high] = value.split();
    }
}
