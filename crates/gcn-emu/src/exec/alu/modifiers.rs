//! Modifiers of a vector instruction's encoding: absolute values and negations, halves, parts of
//! registers, other lanes, factors and clamps.
//!
//! What is asked is worked out when the instruction is decoded, as shifts and masks that are the same for all lanes.
//! Signs, which most ask for, are taken off and turned over as sources are fetched. What else there is becomes an
//! instruction around the instruction ([`Modified`]): sources of which something is asked are changed into a room of the
//! wave's, the operation is done with those, and what it has written is changed where it is. The operation's own handler
//! knows nothing of all this.

use std::hint::select_unpredictable as select;

use gcn_isa::vop3::Vop3p;
use gcn_isa::{Field, Inst, Op, Slot, Ty};

use super::dpp::CrossLane;
use super::exact;
use super::float::{Env, F16, Float};
use super::scalar;
use super::sdwa::{Part, SubDword};
use crate::code::{Arg, Handler, MAX_ARGS, Signs, Step};
use crate::lanes::{Half, LANES, Lanes, NOTHING, Sign, at_each_level, widened};
use crate::wave::Wave;

/// An instruction that asks more than signs, without what it asks.
#[derive(Clone, Debug)]
pub struct Modified {
    /// The operation. Sources that are changed are neither register nor constant to it: so it finds them in the rooms.
    pub plain: Step,
    /// Changes of its sources.
    changes: Box<[Change]>,
    /// The lanes that its first source is read from, if not the own.
    cross_lane: Option<CrossLane>,
    /// Changes of its result.
    result: Outcome,
}

/// Modifiers of an instruction's sources. Sets of operands have a bit for each, at its place in [`Step::args`].
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    /// Sources of which the absolute value is taken.
    absolute: u8,
    /// Sources that are then negated; of packed ones the low half.
    negate: u8,
    /// Packed sources of which the high half is negated; of mixed precision, those of which the absolute value is taken.
    negate_high: u8,
    /// Operands whose high half counts; of packed ones, sources whose high half is the low operation's.
    high: u8,
    /// Packed sources whose low half is the high operation's; of mixed precision, those in single precision.
    low: u8,
}

/// A source that is changed into a room.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// Its place among the operands.
    place: usize,
    /// The room that operations look for it in.
    room: usize,
    /// True if it has two dwords.
    is_wide: bool,
    /// Its changes.
    how: How,
}

/// Changes of a source's only dword, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct How {
    /// Part of the dword that is read.
    taken: Taken,
    /// Bits that are then turned over: signs of packed values.
    flip: u32,
}

/// Part of a dword that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    /// All of it.
    Whole,
    /// A part, by shifts up, then down, perhaps extended by its sign.
    Part { up: u32, down: u32, extends: bool },
    /// Halves, so far up, that become the low and the high half.
    Halves { low: u32, high: u32 },
    /// The half that is so far up, as a value in single precision; its denormals go by MODE, or never count.
    Widened { up: u32, flushes: bool },
}

/// Changes of a result, in this order.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// The type that factor and clamp go by.
    ty: Ty,
    /// Registers that it has.
    dwords: usize,
    /// The power of two that it is multiplied by.
    factor: i32,
    /// Floating-point values are clamped to 0..=1; the operations on integers clamp by themselves.
    clamp: bool,
    /// A part of it is put in the place of a part of its register.
    part: Option<Placed>,
}

/// Placement of the low part of a dword in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placed {
    /// Bits above the part.
    pub top: u32,
    /// It is extended by its sign.
    pub extends: bool,
    /// The lowest bit of its place.
    pub low: u32,
    /// Bits of the register that stay what they are.
    pub keep: u32,
}

impl Default for How {
    fn default() -> How {
        How {
            taken: Taken::Whole,
            flip: 0,
        }
    }
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome {
            ty: Ty::B32,
            dwords: 1,
            factor: 0,
            clamp: false,
            part: None,
        }
    }
}

/// In the low half of its register, of which the other stays.
const LOW_HALF: Placed = Placed {
    top: HALF_BITS,
    extends: false,
    low: 0,
    keep: HIGH,
};
const LOW: u32 = 0xffff;
const HIGH: u32 = 0xffff_0000;
/// Bits of half a dword.
const HALF_BITS: u32 = 16;
/// Sign of the value in the low half.
const SIGN_LOW: u32 = 0x8000;
/// Sign of a dword, or of the value in its high half.
const SIGN: u32 = 0x8000_0000;
/// Bytes of a dword.
const DWORD: u8 = 4;

impl Asked {
    fn of(inst: &Inst) -> Asked {
        let layout = inst.layout();
        // The fields have a bit for each source, and OP_SEL one more for the destination.
        let by_operand = |sources: u64| {
            let mut set = 0;
            for (place, slot) in inst.row().slots().enumerate() {
                let bit = match slot.field {
                    Field::Vdst => 3,
                    field => match room(field) {
                        Some(room) => room,
                        None => continue,
                    },
                };
                if sources >> bit & 1 != 0 {
                    set |= 1 << place;
                }
            }
            set
        };
        // VOP3 has them in one field, SDWA and DPP in a field for each source.
        let of_sources = |all: Field, first: Field, second: Field| {
            inst.get(all) | inst.get(first) | inst.get(second) << 1
        };
        let mut asked = Asked {
            absolute: by_operand(of_sources(Field::Abs, Field::Src0Abs, Field::Src1Abs)),
            negate: by_operand(of_sources(Field::Neg, Field::Src0Neg, Field::Src1Neg)),
            negate_high: by_operand(inst.get(Field::NegHi)),
            high: by_operand(inst.get(Field::OpSel)),
            low: 0,
        };
        if layout.has(Field::OpSelHi) {
            let high = inst.get(Field::OpSelHi) | inst.get(Field::OpSelHi2) << 2;
            asked.low = by_operand(!high & 0b111);
        }
        if matches!(
            inst.op,
            Op::Vop3p(Vop3p::V_MAD_MIXHI_F16 | Vop3p::V_FMA_MIXHI_F16)
        ) {
            asked.high |= 1;
        }
        asked
    }

    /// Sign modifiers of its sources, where each has a sign.
    fn signs(&self, inst: &Inst, is_mixed: bool) -> Signs {
        let absolute = if is_mixed {
            self.negate_high
        } else {
            self.absolute
        };
        let mut signs = Signs::default();
        for (place, (sign, slot)) in signs.iter_mut().zip(inst.row().slots()).enumerate() {
            if is_mixed || matches!(slot.ty, Ty::F16 | Ty::F32 | Ty::F64) {
                let has = |set: u8| usize::from(set >> place & 1);
                *sign = Sign::WAYS[has(absolute) | has(self.negate) << 1];
            }
        }
        signs
    }

    /// Change of a source before its sign modifier: the part of the register that is read (errata E137, E140).
    fn of_source(&self, place: usize, slot: &Slot, part: Option<(Part, bool)>) -> How {
        let has = |set: u8| set >> place & 1 != 0;
        let mut how = How::default();
        if let Some((part, extends)) = part {
            let (up, down) = part.shifts();
            how.taken = Taken::part(up, down, extends);
        }
        match slot.ty {
            Ty::F16x2 | Ty::I16x2 => {
                let low = if has(self.high) { HALF_BITS } else { 0 };
                let high = if has(self.low) { 0 } else { HALF_BITS };
                if (low, high) != (0, HALF_BITS) {
                    how.taken = Taken::Halves { low, high };
                }
                if slot.ty == Ty::F16x2 {
                    how.flip = if has(self.negate) { SIGN_LOW } else { 0 }
                        | if has(self.negate_high) { SIGN } else { 0 };
                }
            }
            Ty::F16 | Ty::B16 | Ty::U16 | Ty::I16 if has(self.high) => {
                how.taken = Taken::part(0, HALF_BITS, false);
            }
            _ => {}
        }
        how
    }

    /// The same of mixed precision: a source is in single precision, or the half of a register that OP_SEL names where
    /// OP_SEL_HI is set, and every value of that is one of single precision. V_MAD_MIX has no denormals (errata E195).
    fn of_mixed(&self, place: usize, flushes: bool) -> How {
        let has = |set: u8| set >> place & 1 != 0;
        How {
            taken: match (has(self.low), has(self.high)) {
                (true, _) => Taken::Whole,
                (false, is_high) => Taken::Widened {
                    up: if is_high { HALF_BITS } else { 0 },
                    flushes,
                },
            },
            flip: 0,
        }
    }
}

/// True if an instruction of mixed precision rounds its product by itself.
fn is_unfused(inst: &Inst) -> bool {
    use Vop3p::*;
    matches!(
        inst.op,
        Op::Vop3p(V_MAD_MIX_F32 | V_MAD_MIXLO_F16 | V_MAD_MIXHI_F16)
    )
}

/// The number of the room that a source is changed into, which is that of its field; nothing of other operands. An
/// accumulator is read as it is, whatever is asked for the result that replaces it.
fn room(field: Field) -> Option<usize> {
    match field {
        Field::Src0 => Some(0),
        Field::Src1 => Some(1),
        Field::Src2 => Some(2),
        _ => None,
    }
}

/// The room of the source that DPP reads from other lanes.
const CROSSED: usize = 0;

/// Makes a vector instruction do what its encoding asks beyond its operation: VOP3, VOP3P, SDWA and DPP may ask something.
/// A source that is neither register nor constant becomes one in a room.
pub fn apply(step: &mut Step) {
    let inst = step.inst;
    let asked = Asked::of(&inst);
    let cross_lane = CrossLane::of(&inst);
    let sub_dword = SubDword::of(&inst);
    // Packed instructions whose sources are not packed mix precisions.
    let is_mixed = inst.layout().has(Field::OpSelHi)
        && (inst.row().slots()).any(|slot| slot.field == Field::Src0 && slot.ty == Ty::F32);
    step.signs = asked.signs(&inst, is_mixed);
    let mut args = step.args;
    let mut changes = Vec::new();
    for ((place, slot), arg) in inst.row().slots().enumerate().zip(&mut args) {
        let Some(room) = room(slot.field) else {
            continue;
        };
        let change = Change {
            place,
            room,
            is_wide: slot.ty.bytes() > DWORD,
            how: match sub_dword.and_then(|parts| parts.source(slot.field)) {
                _ if is_mixed => asked.of_mixed(place, is_unfused(&inst)),
                part => asked.of_source(place, slot, part),
            },
        };
        let reads_others = room == CROSSED && cross_lane.is_some();
        let is_other = matches!(arg, Arg::Special(_));
        if change.how == How::default() && !reads_others && !is_other {
            continue;
        }
        match arg {
            Arg::Const(bits) if let Some(changed) = change.how.of_constant(*bits) => {
                *arg = Arg::Const(changed);
            }
            _ => {
                if !is_other {
                    *arg = Arg::None;
                }
                changes.push(change);
            }
        }
    }
    let mut result = Outcome::of(&inst, asked.high & 1 != 0);
    if result.only_merges() && cross_lane.is_none() {
        result.part = None;
        step.keeps_high = true;
    }
    if changes.is_empty() && result.is_nothing() {
        step.args = args;
        step.find_registers();
        return;
    }
    step.modified = Some(Box::new(Modified {
        plain: step.with(args),
        changes: changes.into(),
        cross_lane,
        result,
    }));
    step.handler = handler();
}

impl Modified {
    /// The same of other operands of the operation.
    pub fn with(&self, args: [Arg; MAX_ARGS]) -> Modified {
        Modified {
            plain: self.plain.with(args),
            changes: self.changes.clone(),
            cross_lane: self.cross_lane.clone(),
            result: self.result,
        }
    }

    /// Puts the changed sources in the wave's rooms. Returns the lanes that the result is for.
    #[inline(always)]
    fn change(&self, w: &mut Wave, s: &Step) -> u64 {
        let exec = w.exec();
        let found = match &self.cross_lane {
            Some(cross_lane) => cross_lane.finding(exec),
            None => u64::MAX,
        };
        let halves = Env::of::<F16>(w.mode);
        for change in &self.changes {
            let splat;
            let [from_low, from_high] = match s.args[change.place] {
                Arg::Vgpr(first) => {
                    let first = usize::from(first);
                    [first, first + 1].map(|n| w.vgprs.get(n).unwrap_or(&NOTHING))
                }
                arg => {
                    let bits: u64 = scalar::read(w, arg);
                    splat = [bits, bits >> u32::BITS].map(|dword| Lanes::splat(dword as u32));
                    [&splat[0], &splat[1]]
                }
            };
            let [low, high] = &mut w.rooms.sources[change.room];
            match &self.cross_lane {
                _ if change.is_wide => (*low, *high) = (*from_low, *from_high),
                Some(cross_lane) if change.room == CROSSED => {
                    change
                        .how
                        .apply(halves, &cross_lane.read(from_low, found), low);
                }
                _ => change.how.apply(halves, from_low, low),
            }
        }
        match &self.cross_lane {
            Some(cross_lane) => cross_lane.written(exec, found),
            None => exec,
        }
    }

    /// Changes what the operation has written in the lanes of `exec`; the others' is what was there, which the wave's
    /// room has.
    #[inline(always)]
    fn finish(&self, w: &mut Wave, exec: u64) {
        let outcome = &self.result;
        let mode = w.mode;
        let Some((registers, olds)) = result(w, self) else {
            return;
        };
        if outcome.clamp || outcome.factor != 0 {
            match outcome.ty {
                Ty::F32 => finish_float::<f32>(mode, outcome, registers),
                Ty::F64 => finish_float::<f64>(mode, outcome, registers),
                Ty::F16 => finish_float::<F16>(mode, outcome, registers),
                Ty::F16x2 if outcome.clamp => {
                    let nan_is_zero = dx10_clamp(mode);
                    let half = |bits| F16(bits).clamped(nan_is_zero).0;
                    each(&mut registers[0].0, |lane| {
                        u32::from(half(lane as u16))
                            | u32::from(half((lane >> HALF_BITS) as u16)) << HALF_BITS
                    });
                }
                _ => {}
            }
        }
        for (register, old) in registers.iter_mut().zip(olds) {
            if let Some(Placed {
                top,
                extends,
                low,
                keep,
            }) = outcome.part
            {
                for (new, old) in register.0.iter_mut().zip(&old.0) {
                    let part = *new << top;
                    let part = if extends {
                        (part as i32 >> top) as u32
                    } else {
                        part >> top
                    };
                    *new = old & keep | part << low;
                }
            }
            if exec != u64::MAX {
                register.blend(old, !exec);
            }
        }
    }
}

/// Registers that an instruction writes, and the room for what they had before.
#[inline(always)]
fn result<'a>(w: &'a mut Wave, modified: &Modified) -> Option<(&'a mut [Lanes], &'a mut [Lanes])> {
    let Arg::Vgpr(first) = modified.plain.args[0] else {
        return None;
    };
    let (first, dwords) = (usize::from(first), modified.result.dwords);
    let registers = w.vgprs.get_mut(first..first + dwords)?;
    Some((registers, &mut w.rooms.old[..dwords]))
}

at_each_level! {
/// The handler of a modified instruction.
fn handler() -> Handler {
    |w, s| {
        let Some(modified) = &s.modified else {
            return;
        };
        let plain = &modified.plain;
        let exec = w.exec();
        let lanes = modified.change(w, s);
        if modified.cross_lane.is_some() {
            w.set_exec(lanes);
        }
        let finishes = !modified.result.is_nothing();
        if finishes
            && (modified.result.part.is_some() || lanes != u64::MAX)
            && let Some((registers, olds)) = result(w, modified)
        {
            olds.copy_from_slice(registers);
        }
        (plain.handler)(w, plain);
        if finishes {
            modified.finish(w, lanes);
        }
        if modified.cross_lane.is_some() {
            w.set_exec(exec);
        }
    }
}
}

impl Outcome {
    /// Changes of an instruction's result, which is the high half of its register if `to_high`.
    fn of(inst: &Inst, to_high: bool) -> Outcome {
        let destination = inst.row().slots().find(|slot| slot.field == Field::Vdst);
        let selects = inst.row().modifiers().any(|m| m.field == Field::OpSel);
        // A 16-bit result leaves the other half of its register as it was.
        let merges = selects && destination.is_some_and(|slot| slot.ty.bytes() == 2);
        let part = match SubDword::of(inst) {
            Some(sub_dword) => {
                debug_assert!(!merges && !to_high, "parts have one place");
                sub_dword.destination()
            }
            None if to_high => Some(Placed {
                low: HALF_BITS,
                keep: LOW,
                ..LOW_HALF
            }),
            None => merges.then_some(LOW_HALF),
        };
        let ty = inst.row().slots().next().map_or(Ty::B32, |slot| slot.ty);
        let is_float = matches!(ty, Ty::F16 | Ty::F16x2 | Ty::F32 | Ty::F64);
        Outcome {
            ty,
            dwords: if ty.bytes() > DWORD { 2 } else { 1 },
            factor: match inst.get(Field::Omod) {
                1 => 1,
                2 => 2,
                3 => -1,
                _ => 0,
            },
            clamp: is_float && inst.flag(Field::Clamp),
            part,
        }
    }

    /// True if it has 16 bits and is as the operation leaves it, but for the high half of its register.
    fn only_merges(&self) -> bool {
        let is_short = self.ty.bytes() == 2;
        is_short && self.factor == 0 && !self.clamp && self.part == Some(LOW_HALF)
    }

    fn is_nothing(&self) -> bool {
        self.factor == 0 && !self.clamp && self.part.is_none()
    }
}

impl Taken {
    fn part(up: u32, down: u32, extends: bool) -> Taken {
        match (up, down) {
            (0, 0) => Taken::Whole,
            _ => Taken::Part { up, down, extends },
        }
    }
}

impl How {
    /// A constant source changed; nothing if that needs MODE.
    fn of_constant(&self, bits: u64) -> Option<u64> {
        if matches!(self.taken, Taken::Widened { .. }) {
            return None;
        }
        let mut changed = Lanes::ZERO;
        self.apply(Env::KEEPING, &Lanes::splat(bits as u32), &mut changed);
        Some(changed.0[0].into())
    }

    /// Changes a source's dwords; halves to be widened have the denormals that `halves` says.
    #[inline(always)]
    fn apply(&self, halves: Env, from: &Lanes, to: &mut Lanes) {
        let flip = self.flip;
        match self.taken {
            Taken::Whole => each_of(from, to, |dword| dword ^ flip),
            Taken::Part { up, down, extends } if extends => each_of(from, to, |dword| {
                ((dword << up) as i32 >> down) as u32 ^ flip
            }),
            Taken::Part { up, down, .. } => {
                each_of(from, to, |dword| dword << up >> down ^ flip);
            }
            Taken::Halves { low, high } => each_of(from, to, |dword| {
                (dword >> low & LOW | (dword >> high) << HALF_BITS) ^ flip
            }),
            Taken::Widened { up, flushes } => {
                let halves = if flushes { Env::FLUSHING } else { halves };
                each_of(&widened(*from, up), to, |dword| {
                    let half = Half::<0>(f32::from_bits(dword));
                    halves.input(half).0.to_bits()
                })
            }
        }
    }
}

/// Makes lanes of others.
#[inline(always)]
fn each_of(from: &Lanes, to: &mut Lanes, f: impl Fn(u32) -> u32) {
    for (to, from) in to.0.iter_mut().zip(&from.0) {
        *to = f(*from);
    }
}

/// Changes each lane.
#[inline(always)]
fn each(lanes: &mut [u32; LANES], f: impl Fn(u32) -> u32) {
    for dword in lanes {
        *dword = f(*dword);
    }
}

/// MODE: clamping makes 0 of NaN.
const DX10_CLAMP: u32 = 1 << 8;

#[inline(always)]
fn dx10_clamp(mode: u32) -> bool {
    mode & DX10_CLAMP != 0
}

/// The output factor, then the clamp. The factor counts only where denormal results are flushed and IEEE rules
/// are off; it flushes what it gives, and zeros lose their sign (errata E191).
#[inline(always)]
fn finish_float<F: Float>(mode: u32, outcome: &Outcome, result: &mut [Lanes]) {
    let env = Env::of::<F>(mode);
    let nan_is_zero = dx10_clamp(mode);
    let power = outcome.factor;
    if power != 0 && env.takes_factor(mode) {
        let flushed = |value: F| {
            let value = value.flushed();
            select(value.magnitude() == 0, F::signed(0, false), value)
        };
        if env.is_nearest() {
            let factor = F::power_of_two(power);
            values(result, |value: F| flushed(value.times(factor)));
        } else {
            values(result, |value: F| {
                flushed(exact::ldexp(env.round, value, power))
            });
        }
    }
    if outcome.clamp {
        values(result, |value: F| value.clamped(nan_is_zero));
    }
}

/// Changes each lane's value, of one register or two.
#[inline(always)]
fn values<F: Float>(registers: &mut [Lanes], f: impl Fn(F) -> F) {
    match registers {
        [low] => each(&mut low.0, |dword| f(F::join(dword, 0)).split()[0]),
        [low, high] => {
            for (low, high) in low.0.iter_mut().zip(&mut high.0) {
                [*low, *high] = f(F::join(*low, *high)).split();
            }
        }
        _ => {}
    }
}
