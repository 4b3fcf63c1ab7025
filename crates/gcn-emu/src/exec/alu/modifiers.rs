//! What a vector instruction's encoding asks beyond its operation: absolute values and negations, halves, parts of
//! registers, other lanes, factors and clamps.
//!
//! What is asked is worked out when the instruction is decoded, as shifts and masks that are the same for all lanes.
//! Sources of which something is asked are changed into a room of the wave's (`change`) before the operation, and a
//! result of which something is asked is changed and put in its place (`finish`) after it; the rest are read and written
//! where they are. Signs alone are changed as the sources are read.

use std::hint::select_unpredictable as select;

use gcn_isa::vop3::Vop3p;
use gcn_isa::{Field, Inst, Op, Slot, Ty};

use super::dpp::CrossLane;
use super::exact;
use super::float::{Env, F16, Float};
use super::scalar;
use super::sdwa::{Part, SubDword};
use crate::code::{Arg, Step};
use crate::lanes::{LANES, Lanes, NOTHING, at_each_level};
use crate::wave::Wave;

/// What an instruction asks. Sets of operands have a bit for each, at its place in [`Step::args`].
#[derive(Clone, Debug, Default)]
pub struct Modifiers {
    /// Sources that are changed into a room before they are read, those that are neither register nor constant among
    /// them.
    changed: u8,
    /// Whether anything is asked of sources.
    pub of_sources: bool,
    /// Whether the result is changed before it is written.
    pub finishes: bool,
    /// Whether all there is are absolute values and negations of sources in single and double precision.
    pub signs: bool,
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
    /// What is done where there is anything.
    changes: Option<Box<Changes>>,
}

/// What is done to an instruction's operands.
#[derive(Clone, Debug, Default)]
struct Changes {
    /// To each source, by its place.
    sources: [Change; SOURCES],
    /// The place of the source that is read from other lanes, and from which.
    cross_lane: Option<(usize, CrossLane)>,
    /// To the result.
    result: Outcome,
}

/// Places of sources: a destination, a mask written, three sources.
const SOURCES: usize = 5;

/// What is done to a source, in this order.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// What is taken of its only dword.
    taken: Taken,
    /// Bits of its last dword that are kept.
    keep: u32,
    /// Bits of it that are then turned over.
    flip: u32,
}

/// What is taken of a dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    /// All of it.
    Whole,
    /// A part, by shifts up, then down, perhaps extended by its sign.
    Part { up: u32, down: u32, extends: bool },
    /// Halves, so far up, that become the low and the high half.
    Halves { low: u32, high: u32 },
    /// The half that is so far up, as a value in single precision.
    Widened(u32),
}

/// What is done to a result, in this order.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// The type that factor and clamp go by.
    ty: Ty,
    /// The power of two that it is multiplied by.
    factor: i32,
    /// Floating-point values are clamped to 0..=1; the operations on integers clamp by themselves.
    clamp: bool,
    /// A part of it is put in the place of a part of its register.
    part: Option<Placed>,
}

/// How the low part of a dword becomes a part of a register.
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

impl Default for Change {
    fn default() -> Change {
        Change {
            taken: Taken::Whole,
            keep: !0,
            flip: 0,
        }
    }
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome {
            ty: Ty::B32,
            factor: 0,
            clamp: false,
            part: None,
        }
    }
}

const LOW: u32 = 0xffff;
const HIGH: u32 = 0xffff_0000;
/// Bits of half a dword.
const HALF_BITS: u32 = 16;
/// Sign of the value in the low half.
const SIGN_LOW: u32 = 0x8000;
/// Sign of a dword, or of the value in its high half.
const SIGN: u32 = 0x8000_0000;

impl Modifiers {
    /// Those of a vector instruction in VOP3, VOP3P, SDWA or DPP; other encodings have none. Sources that are neither
    /// register nor constant, of which `others` has a bit for each, are changed even if they stay the same.
    pub fn of(inst: &Inst, others: u8) -> Modifiers {
        let layout = inst.layout();
        // The fields have a bit for each source, and OP_SEL one more for the destination.
        let by_operand = |sources: u64| {
            let mut set = 0;
            for (place, slot) in inst.row().slots().enumerate() {
                let bit = match slot.field {
                    Field::Src0 => 0,
                    Field::Src1 => 1,
                    Field::Src2 => 2,
                    Field::Vdst => 3,
                    _ => continue,
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
        let mut modifiers = Modifiers {
            absolute: by_operand(of_sources(Field::Abs, Field::Src0Abs, Field::Src1Abs)),
            negate: by_operand(of_sources(Field::Neg, Field::Src0Neg, Field::Src1Neg)),
            negate_high: by_operand(inst.get(Field::NegHi)),
            high: by_operand(inst.get(Field::OpSel)),
            ..Modifiers::default()
        };
        if layout.has(Field::OpSelHi) {
            let high = inst.get(Field::OpSelHi) | inst.get(Field::OpSelHi2) << 2;
            modifiers.low = by_operand(!high & 0b111);
        }
        let changed = modifiers.absolute | modifiers.negate;
        let other_sets = modifiers.negate_high | modifiers.high | modifiers.low;
        if matches!(
            inst.op,
            Op::Vop3p(Vop3p::V_MAD_MIXHI_F16 | Vop3p::V_FMA_MIXHI_F16)
        ) {
            modifiers.high |= 1;
        }
        let result = Outcome::of(inst, modifiers.high & 1 != 0);
        let cross_lane = CrossLane::of(inst);
        let sub_dword = SubDword::of(inst);
        // Packed instructions whose sources are not packed mix precisions.
        let is_mixed = layout.has(Field::OpSelHi)
            && (inst.row().slots()).any(|slot| slot.field == Field::Src0 && slot.ty == Ty::F32);
        let is_plain = other_sets == 0
            && result.is_nothing()
            && cross_lane.is_none()
            && sub_dword.is_none()
            && !is_mixed
            && others == 0;
        let is_single_or_double = |(place, slot): (usize, &Slot)| {
            changed >> place & 1 == 0 || matches!(slot.ty, Ty::F32 | Ty::F64)
        };
        if is_plain && inst.row().slots().enumerate().all(is_single_or_double) {
            modifiers.signs = changed != 0;
            modifiers.of_sources = modifiers.signs;
            return modifiers;
        }
        modifiers.changed = others;
        modifiers.finishes = !result.is_nothing();
        let mut changes = Changes {
            result,
            ..Changes::default()
        };
        for (place, slot) in inst.row().slots().enumerate().take(SOURCES) {
            let change = match sub_dword.and_then(|parts| parts.source(slot.field)) {
                _ if is_mixed => modifiers.of_mixed(place),
                part => modifiers.of_source(place, slot, part),
            };
            if !change.is_nothing() {
                modifiers.changed |= 1 << place;
            }
            changes.sources[place] = change;
            if slot.field == Field::Src0
                && let Some(cross_lane) = &cross_lane
            {
                modifiers.changed |= 1 << place;
                changes.cross_lane = Some((place, cross_lane.clone()));
            }
        }
        modifiers.of_sources = modifiers.changed != 0;
        modifiers.changes = Some(Box::new(changes));
        modifiers
    }

    /// What is done to a source: first a part of the register is taken, then the absolute value, then the negation
    /// (errata E137, E140). An accumulator is read as it is, whatever is asked for the result that replaces it.
    fn of_source(&self, place: usize, slot: &Slot, part: Option<(Part, bool)>) -> Change {
        let has = |set: u8| set >> place & 1 != 0 && place != 0;
        let mut change = Change::default();
        if let Some((part, extends)) = part {
            let (up, down) = part.shifts();
            change.taken = Taken::part(up, down, extends);
        }
        let signs = |sign: u32| {
            let keep = if has(self.absolute) { !sign } else { !0 };
            (keep, if has(self.negate) { sign } else { 0 })
        };
        match slot.ty {
            Ty::F16x2 | Ty::I16x2 => {
                let low = if has(self.high) { HALF_BITS } else { 0 };
                let high = if has(self.low) { 0 } else { HALF_BITS };
                if (low, high) != (0, HALF_BITS) {
                    change.taken = Taken::Halves { low, high };
                }
                if slot.ty == Ty::F16x2 {
                    change.flip = if has(self.negate) { SIGN_LOW } else { 0 }
                        | if has(self.negate_high) { SIGN } else { 0 };
                }
            }
            Ty::F16 | Ty::B16 | Ty::U16 | Ty::I16 => {
                if has(self.high) {
                    change.taken = Taken::part(0, HALF_BITS, false);
                }
                if slot.ty == Ty::F16 {
                    (change.keep, change.flip) = signs(SIGN_LOW);
                }
            }
            Ty::F32 | Ty::F64 => (change.keep, change.flip) = signs(SIGN),
            _ => {}
        }
        change
    }

    /// The same of mixed precision: a source is in single precision, or the half of a register that OP_SEL names where
    /// OP_SEL_HI is set, and every value of that is one of single precision.
    fn of_mixed(&self, place: usize) -> Change {
        let has = |set: u8| set >> place & 1 != 0 && place != 0;
        Change {
            taken: match (has(self.low), has(self.high)) {
                (true, _) => Taken::Whole,
                (false, is_high) => Taken::Widened(if is_high { HALF_BITS } else { 0 }),
            },
            keep: if has(self.negate_high) { !SIGN } else { !0 },
            flip: if has(self.negate) { SIGN } else { 0 },
        }
    }

    /// Whether a source is changed before it is read.
    #[inline(always)]
    pub fn changes(&self, place: usize) -> bool {
        self.changed >> place & 1 != 0
    }

    /// Whether any is.
    #[inline(always)]
    pub fn changes_any(&self) -> bool {
        self.changed != 0
    }

    /// Whether `signs` is about this source.
    pub fn changes_sign(&self, place: usize) -> bool {
        self.signs && (self.absolute | self.negate) >> place & 1 != 0
    }

    /// Gives the last dwords of a source in single or double precision the sign that is asked for.
    #[inline(always)]
    pub fn change_sign(&self, place: usize, dwords: &mut Lanes) {
        let has = |set: u8| u32::from(set) >> place & 1;
        let (keep, flip) = (!(SIGN * has(self.absolute)), SIGN * has(self.negate));
        for dword in &mut dwords.0 {
            *dword = *dword & keep ^ flip;
        }
    }
}

impl Outcome {
    /// What is done to an instruction's result, which is to be the high half of its register if `to_high`.
    fn of(inst: &Inst, to_high: bool) -> Outcome {
        let destination = inst.row().slots().find(|slot| slot.field == Field::Vdst);
        let selects = inst.row().modifiers().any(|m| m.field == Field::OpSel);
        // A 16-bit result leaves the other half of its register as it was.
        let merges = selects && destination.is_some_and(|slot| slot.ty.bytes() == 2);
        let half = Placed {
            top: HALF_BITS,
            extends: false,
            low: 0,
            keep: HIGH,
        };
        let part = match SubDword::of(inst) {
            Some(sub_dword) => {
                debug_assert!(!merges && !to_high, "parts have one place");
                sub_dword.destination()
            }
            None if to_high => Some(Placed {
                low: HALF_BITS,
                keep: LOW,
                ..half
            }),
            None => merges.then_some(half),
        };
        let ty = inst.row().slots().next().map_or(Ty::B32, |slot| slot.ty);
        let is_float = matches!(ty, Ty::F16 | Ty::F16x2 | Ty::F32 | Ty::F64);
        Outcome {
            ty,
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

impl Change {
    fn is_nothing(&self) -> bool {
        (self.taken, self.keep, self.flip) == (Taken::Whole, !0, 0)
    }

    /// Changes a source's last dwords; halves to be widened have the denormals that `halves` says.
    #[inline(always)]
    fn apply(&self, halves: Env, from: &Lanes, to: &mut Lanes) {
        let (keep, flip) = (self.keep, self.flip);
        match self.taken {
            Taken::Whole => each_of(from, to, |dword| dword & keep ^ flip),
            Taken::Part { up, down, extends } if extends => each_of(from, to, |dword| {
                ((dword << up) as i32 >> down) as u32 & keep ^ flip
            }),
            Taken::Part { up, down, .. } => {
                each_of(from, to, |dword| dword << up >> down & keep ^ flip);
            }
            Taken::Halves { low, high } => each_of(from, to, |dword| {
                (dword >> low & LOW | (dword >> high) << HALF_BITS) & keep ^ flip
            }),
            Taken::Widened(up) => each_of(from, to, |dword| {
                let half = halves.input(F16((dword >> up) as u16));
                half.to_f32().to_bits() & keep ^ flip
            }),
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

at_each_level! {
/// Puts the sources that are to be changed, of those given by place and number of registers, in the wave's rooms.
/// Returns the lanes that the result is for.
#[cold] // So that what needs it not is in one piece.
pub(super) fn change(w: &mut Wave, s: &Step, places: &'static [(usize, usize); 3]) -> u64 {
    let exec = w.exec();
    let halves = Env::of::<F16>(w.mode);
    let Some(changes) = &s.modifiers.changes else {
        return exec;
    };
    let found = match &changes.cross_lane {
        Some((_, cross_lane)) => cross_lane.finding(exec),
        None => u64::MAX,
    };
    for (n, &(place, dwords)) in places.iter().enumerate() {
        if dwords == 0 || !s.modifiers.changes(place) {
            continue;
        }
        let Some(change) = changes.sources.get(place) else {
            continue;
        };
        let (splat, permuted);
        let mut value = match s.args[place] {
            Arg::Vgpr(first) => {
                let register = |n: usize| w.vgprs.get(usize::from(first) + n).unwrap_or(&NOTHING);
                [register(0), register(dwords - 1)]
            }
            arg => {
                let bits: u64 = scalar::read(w, arg);
                splat = [Lanes::splat(bits as u32), Lanes::splat((bits >> u32::BITS) as u32)];
                [&splat[0], &splat[dwords - 1]]
            }
        };
        if let Some((read, cross_lane)) = &changes.cross_lane && *read == place {
            permuted = cross_lane.read(value[0], found);
            value[0] = &permuted;
        }
        let [low, high] = &mut w.rooms.sources[n];
        if dwords == 1 {
            change.apply(halves, value[0], low);
        } else {
            *low = *value[0];
            change.apply(halves, value[1], high);
        }
    }
    match &changes.cross_lane {
        Some((_, cross_lane)) => cross_lane.written(exec, found),
        None => exec,
    }
}

/// Applies what is asked for the result in the wave's room, of so many registers, and writes it in the lanes of `exec`.
#[cold]
pub(super) fn finish(w: &mut Wave, s: &Step, dwords: usize, exec: u64) {
    let (Some(changes), Arg::Vgpr(first)) = (&s.modifiers.changes, s.args[0]) else {
        return;
    };
    let outcome = &changes.result;
    let mode = w.mode;
    let (registers, _, rooms) = w.parts();
    let result = &mut rooms.result[..dwords];
    if outcome.clamp || outcome.factor != 0 {
        match outcome.ty {
            Ty::F32 => finish_float::<f32>(mode, outcome, result),
            Ty::F64 => finish_float::<f64>(mode, outcome, result),
            Ty::F16 => finish_float::<F16>(mode, outcome, result),
            Ty::F16x2 if outcome.clamp => {
                let nan_is_zero = dx10_clamp(mode);
                let half = |bits| F16(bits).clamped(nan_is_zero).0;
                each(&mut result[0].0, |lane| {
                    u32::from(half(lane as u16)) | u32::from(half((lane >> HALF_BITS) as u16)) << HALF_BITS
                });
            }
            _ => {}
        }
    }
    let registers = registers.get_mut(usize::from(first)..).unwrap_or_default();
    for (register, new) in registers.iter_mut().zip(result) {
        if let Some(Placed { top, extends, low, keep }) = outcome.part {
            for (new, old) in new.0.iter_mut().zip(&register.0) {
                let part = *new << top;
                let part = if extends { (part as i32 >> top) as u32 } else { part >> top };
                *new = old & keep | part << low;
            }
        }
        register.blend(new, exec);
    }
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
