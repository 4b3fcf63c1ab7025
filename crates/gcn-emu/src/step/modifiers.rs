//! Decoded modifiers of a vector instruction: absolute values and negations, halves and other parts of registers,
//! cross-lane sources, output multipliers and clamping. Parts of sources are stored as shift counts.

use gcn_isa::effect::{AluOp, Implicit};
use gcn_isa::{Does, Field, Inst, OperandAccess, Slot, Ty};

use super::arg::{Arg, MAX_ARGS, Signs};
use super::dpp::CrossLane;
use super::sdwa::{ResultPart, Selection, SubDword, Unused};
use crate::lanes::Sign;

/// Changes to an instruction's sources and result, except for signs.
#[derive(Clone, Debug)]
pub(super) struct Modifiers {
    /// Changes to the sources, by source number.
    sources: [SourceChange; SOURCES],
    /// DPP lane mapping of the first source.
    cross_lane: Option<CrossLane>,
    /// Changes to the result.
    result: ResultChange,
}

/// Maximum number of sources of a vector instruction.
const SOURCES: usize = 3;
/// Number of the source that DPP reads from other lanes.
const CROSSED: usize = 0;

/// Changes to a source of one dword, in the order in which they apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceChange {
    /// Part of the dword that is read.
    pub part: SourcePart,
    /// Bits to invert after that: signs of packed values.
    pub flip: u32,
}

/// Part of a source dword that an instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SourcePart {
    /// Entire dword.
    #[default]
    Whole,
    /// Part of the dword: shifted left, then right, optionally with sign extension.
    Bits {
        /// Left shift count.
        up: u32,
        /// Right shift count.
        down: u32,
        /// True if the part is sign-extended.
        extends: bool,
    },
    /// Two halves in any order, or one half twice.
    Halves {
        /// Lowest bit of the half that becomes the low one.
        low: u32,
        /// Lowest bit of the half that becomes the high one.
        high: u32,
    },
    /// Half converted to single precision.
    Widened {
        /// Lowest bit of the half.
        up: u32,
        /// True if denormals are flushed regardless of MODE.
        flushes: bool,
    },
}

/// Changes to a result, in the order in which they apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultChange {
    /// Type used by the output multiplier and by clamping.
    pub ty: Ty,
    /// Number of registers of the result.
    pub dwords: u8,
    /// Exponent of the power of two that the result is multiplied by.
    pub factor: i8,
    /// True if a floating-point result is clamped to 0..=1. Integer operations implement clamping themselves.
    pub clamp: bool,
    /// Part of the register that receives the result, if not all of it.
    pub part: Option<ResultPart>,
}

/// Low half of a register, whose high half is preserved.
const LOW_HALF: ResultPart = ResultPart {
    selection: Selection::LOW_HALF,
    unused: Unused::Preserve,
};
/// High half of a register, whose low half is preserved.
const HIGH_HALF: ResultPart = ResultPart {
    selection: Selection::HIGH_HALF,
    unused: Unused::Preserve,
};
const LOW: u32 = 0xffff;
/// Number of bits in half a dword.
pub(crate) const HALF_BITS: u32 = 16;
/// Sign of the value in the low half.
const SIGN_LOW: u32 = 0x8000;
/// Sign of a dword, or of the value in its high half.
const SIGN: u32 = 0x8000_0000;
/// Size of a dword in bytes.
pub(crate) const DWORD: u8 = 4;

impl Modifiers {
    /// Decodes the sign modifiers of an instruction's sources and its other modifiers, in VOP3, VOP3P, SDWA and DPP.
    /// Constant sources are replaced by their changed values.
    pub(super) fn of(inst: &Inst, args: &mut [Arg; MAX_ARGS]) -> (Signs, Modifiers) {
        let fields = ModifierFields::of(inst);
        let sub_dword = SubDword::of(inst);
        // VOP3P instructions with single-precision sources are mixed-precision instructions.
        let is_mixed = inst.layout().has(Field::OpSelHi)
            && (inst.row().slots()).any(|slot| slot.field == Field::Src0 && slot.ty == Ty::F32);
        let mut sources = [SourceChange::default(); SOURCES];
        for ((place, slot), arg) in inst.row().slots().enumerate().zip(args) {
            let Some(number) = source_number(slot.field) else {
                continue;
            };
            let change = match sub_dword.and_then(|parts| parts.source(slot.field)) {
                _ if is_mixed => {
                    // The product is rounded and flushed before the addition (errata E195).
                    let is_unfused = matches!(inst.does(), Does::Alu(AluOp::Mix(AluOp::MulAdd, _)));
                    fields.of_mixed(place, is_unfused)
                }
                part => fields.of_source(place, slot, part),
            };
            if let Arg::Const(bits) = arg
                && change != SourceChange::default()
                && let Some(changed) = change.of_constant(*bits as u32)
            {
                *arg = Arg::Const(changed.into());
                continue;
            }
            sources[number] = change;
        }
        let modifiers = Modifiers {
            sources,
            cross_lane: CrossLane::of(inst),
            result: ResultChange::of(inst, fields.high & 1 != 0),
        };
        (fields.signs(inst, is_mixed), modifiers)
    }

    /// True if there are no modifiers besides signs.
    pub(super) fn are_none(&self) -> bool {
        self.sources == [SourceChange::default(); SOURCES]
            && self.cross_lane.is_none()
            && self.result.is_none()
    }

    /// Returns the change to source `number`.
    pub(super) fn source(&self, number: usize) -> SourceChange {
        self.sources[number]
    }

    /// Returns the DPP lane mapping of source `number`, if there is one.
    pub(super) fn lanes_of(&self, number: usize) -> Option<&CrossLane> {
        self.cross_lane().filter(|_| number == CROSSED)
    }

    /// Returns the DPP lane mapping of the first source, if there is one.
    pub(super) fn cross_lane(&self) -> Option<&CrossLane> {
        self.cross_lane.as_ref()
    }

    /// Returns the changes to the result, if there are any.
    pub(super) fn result(&self) -> Option<ResultChange> {
        Some(self.result).filter(|result| !result.is_none())
    }

    /// True if the only change to the result is that the other half of its register is preserved, which the operation
    /// handles itself.
    pub(super) fn keep_high(&self) -> bool {
        self.cross_lane.is_none() && self.result.keeps_high()
    }
}

/// Modifier fields of an instruction, as bit sets of operand indexes.
#[derive(Clone, Copy, Debug, Default)]
struct ModifierFields {
    /// Sources with an absolute value modifier.
    absolute: u8,
    /// Sources that are negated after taking the absolute value; for packed sources, those whose low half is negated.
    negate: u8,
    /// Packed sources whose high half is negated. For mixed precision: sources with an absolute value modifier.
    negate_high: u8,
    /// Operands that use the high half. For packed instructions: sources whose high half is the operand of the low
    /// operation.
    high: u8,
    /// Packed sources whose low half is the operand of the high operation. For mixed precision: single-precision
    /// sources.
    low: u8,
}

impl ModifierFields {
    fn of(inst: &Inst) -> ModifierFields {
        let layout = inst.layout();
        // The fields have a bit for each source, and OP_SEL has another one for the destination.
        let by_operand = |sources: u64| {
            let mut set = 0;
            for (place, slot) in inst.row().slots().enumerate() {
                let bit = match slot.field {
                    Field::Vdst => 3,
                    field => match source_number(field) {
                        Some(number) => number,
                        None => continue,
                    },
                };
                if sources >> bit & 1 != 0 {
                    set |= 1 << place;
                }
            }
            set
        };
        // VOP3 has a single field for all sources; SDWA and DPP have a field for each.
        let of_sources = |all: Field, first: Field, second: Field| {
            inst.get(all) | inst.get(first) | inst.get(second) << 1
        };
        let mut fields = ModifierFields {
            absolute: by_operand(of_sources(Field::Abs, Field::Src0Abs, Field::Src1Abs)),
            negate: by_operand(of_sources(Field::Neg, Field::Src0Neg, Field::Src1Neg)),
            negate_high: by_operand(inst.get(Field::NegHi)),
            high: by_operand(inst.get(Field::OpSel)),
            low: 0,
        };
        if layout.has(Field::OpSelHi) {
            let high = inst.get(Field::OpSelHi) | inst.get(Field::OpSelHi2) << 2;
            fields.low = by_operand(!high & 0b111);
        }
        if inst.row().implicit().has(Implicit::HIGH_HALF) {
            fields.high |= 1;
        }
        fields
    }

    /// Returns the sign modifiers of the sources that have a sign.
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

    /// Returns the change to a source before its sign modifier: the part of the register that is read (errata E137,
    /// E140).
    fn of_source(
        &self,
        place: usize,
        slot: &Slot,
        part: Option<(Selection, bool)>,
    ) -> SourceChange {
        let has = |set: u8| set >> place & 1 != 0;
        let mut change = SourceChange::default();
        if let Some((part, extends)) = part {
            let (up, down) = part.shifts();
            change.part = SourcePart::bits(up, down, extends);
        }
        match slot.ty {
            Ty::F16x2 | Ty::I16x2 => {
                let low = if has(self.high) { HALF_BITS } else { 0 };
                let high = if has(self.low) { 0 } else { HALF_BITS };
                if (low, high) != (0, HALF_BITS) {
                    change.part = SourcePart::Halves { low, high };
                }
                if slot.ty == Ty::F16x2 {
                    change.flip = if has(self.negate) { SIGN_LOW } else { 0 }
                        | if has(self.negate_high) { SIGN } else { 0 };
                }
            }
            Ty::F16 | Ty::B16 | Ty::U16 | Ty::I16 if has(self.high) => {
                change.part = SourcePart::bits(0, HALF_BITS, false);
            }
            _ => {}
        }
        change
    }

    /// Returns the change to a mixed-precision source. The source is a single-precision value or, if OP_SEL_HI is set,
    /// the half of a register that OP_SEL selects; every half-precision value is exact in single precision. V_MAD_MIX
    /// flushes denormals (errata E195).
    fn of_mixed(&self, place: usize, flushes: bool) -> SourceChange {
        let has = |set: u8| set >> place & 1 != 0;
        SourceChange {
            part: match (has(self.low), has(self.high)) {
                (true, _) => SourcePart::Whole,
                (false, is_high) => SourcePart::Widened {
                    up: if is_high { HALF_BITS } else { 0 },
                    flushes,
                },
            },
            flip: 0,
        }
    }
}

impl SourceChange {
    /// Returns the changed value of a constant; `None` if it depends on MODE.
    fn of_constant(self, dword: u32) -> Option<u32> {
        let part = match self.part {
            SourcePart::Whole => dword,
            SourcePart::Bits { up, down, extends } => bits(dword, up, down, extends),
            SourcePart::Halves { low, high } => halves(dword, low, high),
            SourcePart::Widened { .. } => return None,
        };
        Some(part ^ self.flip)
    }
}

impl SourcePart {
    fn bits(up: u32, down: u32, extends: bool) -> SourcePart {
        match (up, down) {
            (0, 0) => SourcePart::Whole,
            _ => SourcePart::Bits { up, down, extends },
        }
    }
}

/// Computes the value of [`SourcePart::Bits`].
#[inline(always)]
pub(crate) fn bits(dword: u32, up: u32, down: u32, extends: bool) -> u32 {
    if extends {
        ((dword << up) as i32 >> down) as u32
    } else {
        dword << up >> down
    }
}

/// Computes the value of [`SourcePart::Halves`].
#[inline(always)]
pub(crate) fn halves(dword: u32, low: u32, high: u32) -> u32 {
    dword >> low & LOW | (dword >> high) << HALF_BITS
}

/// Returns the number of the source in a field; `None` for other operands. An accumulator is always read unchanged,
/// regardless of changes to the result that replaces it.
pub(super) fn source_number(field: Field) -> Option<usize> {
    match field {
        Field::Src0 => Some(0),
        Field::Src1 => Some(1),
        Field::Src2 => Some(2),
        _ => None,
    }
}

impl ResultChange {
    /// Decodes the changes to an instruction's result. If `to_high` is true, the result goes to the high half of its
    /// register.
    fn of(inst: &Inst, to_high: bool) -> ResultChange {
        let destination = inst.row().slots().find(|slot| slot.field == Field::Vdst);
        let selects = inst.row().modifiers().any(|m| m.field == Field::OpSel);
        // Some 16-bit results preserve the other half of their register (errata E304). Other results use the whole
        // register.
        let is_short = destination.is_some_and(|slot| slot.ty.bytes() == 2);
        let is_updated = destination.is_some_and(|slot| slot.access == OperandAccess::ReadWrite);
        let merges = selects && is_short && is_updated;
        let to_high = to_high && is_short;
        let part = match SubDword::of(inst) {
            Some(sub_dword) => {
                debug_assert!(!merges && !to_high, "parts have one place");
                sub_dword.destination()
            }
            None if to_high => Some(HIGH_HALF),
            None => merges.then_some(LOW_HALF),
        };
        let ty = inst.row().slots().next().map_or(Ty::B32, |slot| slot.ty);
        let is_float = matches!(ty, Ty::F16 | Ty::F16x2 | Ty::F32 | Ty::F64);
        ResultChange {
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

    /// True if the result has 16 bits, and its only change is that the high half of its register is preserved.
    fn keeps_high(&self) -> bool {
        let is_short = self.ty.bytes() == 2;
        is_short && self.factor == 0 && !self.clamp && self.part == Some(LOW_HALF)
    }

    fn is_none(&self) -> bool {
        self.factor == 0 && !self.clamp && self.part.is_none()
    }
}
