//! What a vector instruction's encoding asks beyond its operation: absolute values and negations, halves, parts of
//! registers, other lanes, factors and clamps.
//!
//! What is asked is worked out when the instruction is decoded, as shifts and masks that are the same for all lanes.
//! Instructions that ask for something have their sources copied and changed (`change`) before the operation, and its
//! result changed and put in its place (`finish`) after it. Signs alone are changed as the sources are read.

use gcn_isa::vop3::Vop3p;
use gcn_isa::{Field, Inst, Op, Slot, Ty};

use super::dpp::CrossLane;
use super::exact;
use super::float::{Env, F16, Float};
use super::scalar;
use super::sdwa::SubDword;
use crate::code::{Arg, Step};
use crate::lanes::{Lanes, at_each_level};
use crate::wave::Wave;

/// What an instruction asks. Sets of operands have a bit for each, at its place in [`Step::args`].
#[derive(Clone, Debug, Default)]
pub struct Modifiers {
    /// Whether there is anything but `signs`, or a source that is neither register nor constant. Without, none of the
    /// rest need be looked at.
    pub any: bool,
    /// Whether all there is are absolute values and negations of sources in single and double precision.
    pub signs: bool,
    /// Sources of which the absolute value is taken.
    absolute: u8,
    /// Sources that are then negated; of packed ones the low half.
    pub negate: u8,
    /// Packed sources of which the high half is negated.
    pub negate_high: u8,
    /// Operands whose high half counts; of packed ones, sources whose high half is the low operation's.
    pub high: u8,
    /// Packed sources whose low half is the high operation's.
    pub low: u8,
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
    /// Shifts its only dword up, then down, which takes a part of it.
    up: u32,
    /// See `up`.
    down: u32,
    /// The part is extended by its sign.
    extends: bool,
    /// How far the halves that become the low and the high half are shifted down.
    halves: Option<(u32, u32)>,
    /// Bits of its last dword that are kept.
    keep: u32,
    /// Bits of it that are then turned over.
    flip: u32,
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
            up: 0,
            down: 0,
            extends: false,
            halves: None,
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
    /// register nor constant (`has_others`) are handled as if there were some.
    pub fn of(inst: &Inst, has_others: bool) -> Modifiers {
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
        let is_plain = other_sets == 0
            && result.is_nothing()
            && cross_lane.is_none()
            && sub_dword.is_none()
            && !has_others;
        let is_single_or_double = |(place, slot): (usize, &Slot)| {
            changed >> place & 1 == 0 || matches!(slot.ty, Ty::F32 | Ty::F64)
        };
        if is_plain && inst.row().slots().enumerate().all(is_single_or_double) {
            modifiers.signs = changed != 0;
            return modifiers;
        }
        modifiers.any = true;
        let mut changes = Changes {
            result,
            ..Changes::default()
        };
        for (place, slot) in inst.row().slots().enumerate().take(SOURCES) {
            changes.sources[place] = modifiers.of_source(place, slot, sub_dword.as_ref());
            if slot.field == Field::Src0
                && let Some(cross_lane) = &cross_lane
            {
                changes.cross_lane = Some((place, cross_lane.clone()));
            }
        }
        modifiers.changes = Some(Box::new(changes));
        modifiers
    }

    /// What is done to a source: first a part of the register is taken, then the absolute value, then the negation
    /// (errata E137, E140). An accumulator is read as it is, whatever is asked for the result that replaces it.
    fn of_source(&self, place: usize, slot: &Slot, sub_dword: Option<&SubDword>) -> Change {
        let has = |set: u8| set >> place & 1 != 0 && place != 0;
        let mut change = Change::default();
        if let Some((part, extends)) = sub_dword.and_then(|parts| parts.source(slot.field)) {
            (change.up, change.down) = part.shifts();
            change.extends = extends;
        }
        let signs = |sign: u32| {
            let keep = if has(self.absolute) { !sign } else { !0 };
            (keep, if has(self.negate) { sign } else { 0 })
        };
        match slot.ty {
            Ty::F16x2 | Ty::I16x2 => {
                let low = if has(self.high) { HALF_BITS } else { 0 };
                let high = if has(self.low) { 0 } else { HALF_BITS };
                change.halves = Some((low, high));
                if slot.ty == Ty::F16x2 {
                    change.flip = if has(self.negate) { SIGN_LOW } else { 0 }
                        | if has(self.negate_high) { SIGN } else { 0 };
                }
            }
            Ty::F16 | Ty::B16 | Ty::U16 | Ty::I16 => {
                if has(self.high) {
                    change.down = HALF_BITS;
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

    /// Whether `signs` is about this source.
    pub fn changes_sign(&self, place: usize) -> bool {
        self.signs && (self.absolute | self.negate) >> place & 1 != 0
    }

    /// The last dwords of a source in single or double precision, with the sign that is asked for.
    #[inline(always)]
    pub fn with_sign(&self, place: usize, dwords: &Lanes) -> Lanes {
        let has = |set: u8| u32::from(set) >> place & 1;
        let (keep, flip) = (!(SIGN * has(self.absolute)), SIGN * has(self.negate));
        Lanes(dwords.0.map(|dword| dword & keep ^ flip))
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

impl Change {
    #[inline(always)]
    fn apply(&self, value: &mut [Lanes]) {
        let Some(first) = value.first_mut() else {
            return;
        };
        let (up, down) = (self.up, self.down);
        if self.extends {
            for dword in &mut first.0 {
                *dword = ((*dword << up) as i32 >> down) as u32;
            }
        } else if up | down != 0 {
            for dword in &mut first.0 {
                *dword = *dword << up >> down;
            }
        }
        if let Some((low, high)) = self.halves
            && (low, high) != (0, HALF_BITS)
        {
            for dword in &mut first.0 {
                *dword = *dword >> low & LOW | (*dword >> high) << HALF_BITS;
            }
        }
        let (keep, flip) = (self.keep, self.flip);
        if (keep, flip) != (!0, 0)
            && let Some(last) = value.last_mut()
        {
            for dword in &mut last.0 {
                *dword = *dword & keep ^ flip;
            }
        }
    }
}

/// A source as it is.
pub(super) fn raw(w: &Wave, s: &Step, place: usize, dwords: usize) -> [Lanes; 2] {
    let mut value = [Lanes::ZERO; 2];
    copy(w, s, place, &mut value[..dwords]);
    value
}

/// Copies a source.
#[inline(always)]
fn copy(w: &Wave, s: &Step, place: usize, into: &mut [Lanes]) {
    match s.args[place] {
        Arg::Vgpr(first) => {
            let registers = w.vgprs.get(usize::from(first)..).unwrap_or_default();
            for (into, register) in into.iter_mut().zip(registers) {
                *into = *register;
            }
        }
        arg => {
            let bits: u64 = scalar::read(w, arg);
            for (into, dword) in into
                .iter_mut()
                .zip([bits as u32, (bits >> u32::BITS) as u32])
            {
                *into = Lanes::splat(dword);
            }
        }
    }
}

at_each_level! {
/// Puts sources, each by its place and number of registers, with what is asked for them, in the wave's rooms.
pub(super) fn change(w: &mut Wave, s: &Step, places: [(usize, usize); 3]) {
    let exec = w.exec();
    for (n, (place, dwords)) in places.into_iter().enumerate() {
        if dwords == 0 {
            continue;
        }
        let mut room = [Lanes::ZERO; 2];
        let value = &mut room[..dwords];
        copy(w, s, place, value);
        if let Some(changes) = &s.modifiers.changes {
            if let Some((read, cross_lane)) = &changes.cross_lane && *read == place {
                value[0] = cross_lane.read(&value[0], exec);
            }
            if let Some(change) = changes.sources.get(place) {
                change.apply(value);
            }
        }
        for (room, value) in w.parts().2.sources[n].iter_mut().zip(value) {
            *room = *value;
        }
    }
}

/// Applies what is asked for the result in the wave's room, of so many registers, and writes it. Returns the lanes that
/// it is for.
pub(super) fn finish(w: &mut Wave, s: &Step, dwords: usize) -> u64 {
    let mut exec = w.exec();
    let mut outcome = Outcome::default();
    if let Some(changes) = &s.modifiers.changes {
        outcome = changes.result;
        if let Some((_, cross_lane)) = &changes.cross_lane {
            exec = cross_lane.written(exec);
        }
    }
    let mode = w.mode;
    let (registers, _, rooms) = w.parts();
    let Arg::Vgpr(first) = s.args[0] else {
        return exec;
    };
    let result = &mut rooms.result[..dwords];
    if outcome.clamp || outcome.factor != 0 {
        match outcome.ty {
            Ty::F32 => finish_float::<f32>(mode, &outcome, result),
            Ty::F64 => finish_float::<f64>(mode, &outcome, result),
            Ty::F16 => finish_float::<F16>(mode, &outcome, result),
            Ty::F16x2 if outcome.clamp => {
                let nan_is_zero = dx10_clamp(mode);
                let half = |bits| F16(bits).clamped(nan_is_zero).0;
                for lane in &mut result[0].0 {
                    *lane = u32::from(half(*lane as u16)) | u32::from(half((*lane >> HALF_BITS) as u16)) << HALF_BITS;
                }
            }
            _ => {}
        }
    }
    let registers = registers.get_mut(usize::from(first)..).unwrap_or_default();
    for (register, new) in registers.iter_mut().zip(result.iter_mut()) {
        if let Some(Placed { top, extends, low, keep }) = outcome.part {
            for (new, old) in new.0.iter_mut().zip(&register.0) {
                let part = *new << top;
                let part = if extends { (part as i32 >> top) as u32 } else { part >> top };
                *new = old & keep | part << low;
            }
        }
        register.blend(new, exec);
    }
    exec
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
    let factor = Some(outcome.factor).filter(|&power| power != 0 && env.takes_factor(mode));
    let nan_is_zero = dx10_clamp(mode);
    let [low, rest @ ..] = result else { return };
    let mut nothing = Lanes::ZERO;
    let high = rest.first_mut().unwrap_or(&mut nothing);
    if let Some(power) = factor {
        for (low, high) in low.0.iter_mut().zip(&mut high.0) {
            let value = exact::ldexp(env.round, F::join(*low, *high), power).flushed();
            let is_zero = value.magnitude() == 0;
            let value = if is_zero { F::signed(0, false) } else { value };
            [*low, *high] = value.split();
        }
    }
    if outcome.clamp {
        for (low, high) in low.0.iter_mut().zip(&mut high.0) {
            [*low, *high] = F::join(*low, *high).clamped(nan_is_zero).split();
        }
    }
}
