//! Modifiers of a vector instruction's encoding, as shifts and masks that are the same for all lanes: absolute values and
//! negations, halves, parts of registers, factors and clamps.

use gcn_isa::effect::Implicit;
use gcn_isa::{Field, Inst, OperandAccess, Slot, Ty};

use super::arg::Signs;
use super::sdwa::{Placed, Selection, SubDword};
use crate::lanes::Sign;

/// Modifiers of an instruction's sources. Sets of operands have a bit for each, at its place in [`Step::args`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// Sources of which the absolute value is taken.
    absolute: u8,
    /// Sources that are then negated; of packed ones the low half.
    negate: u8,
    /// Packed sources of which the high half is negated; of mixed precision, those of which the absolute value is taken.
    negate_high: u8,
    /// Operands whose high half counts; of packed ones, sources whose high half is the low operation's.
    pub(crate) high: u8,
    /// Packed sources whose low half is the high operation's; of mixed precision, those in single precision.
    low: u8,
}

/// A source that is changed into its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// Place among the operands.
    pub(crate) place: usize,
    /// Number among the sources.
    pub(crate) number: usize,
    /// True if it has two dwords.
    pub(crate) is_wide: bool,
    /// Changes.
    pub(crate) how: How,
}

/// Changes of a source's only dword, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct How {
    /// Part of the dword that is read.
    pub(crate) taken: Taken,
    /// Bits that are then turned over: signs of packed values.
    pub(crate) flip: u32,
}

/// Part of a dword that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// All of it.
    Whole,
    /// A part, by shifts up, then down, perhaps extended by its sign.
    Part { up: u32, down: u32, extends: bool },
    /// Halves, so far up, that become the low and the high half.
    Halves { low: u32, high: u32 },
    /// The half that is so far up, as a value in single precision; its denormals follow MODE, or never count.
    Widened { up: u32, flushes: bool },
}

/// Changes of a result, in this order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultChange {
    /// The type of factor and clamp.
    pub(crate) ty: Ty,
    /// Registers that it has.
    pub(crate) dwords: usize,
    /// The power of two that it is multiplied by.
    pub(crate) factor: i32,
    /// Floating-point values are clamped to 0..=1; the operations on integers clamp by themselves.
    pub(crate) clamp: bool,
    /// A part of it is put in the place of a part of its register.
    pub(crate) part: Option<Placed>,
}

impl Default for How {
    fn default() -> How {
        How {
            taken: Taken::Whole,
            flip: 0,
        }
    }
}

impl Default for ResultChange {
    fn default() -> ResultChange {
        ResultChange {
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
pub(crate) const LOW: u32 = 0xffff;
const HIGH: u32 = 0xffff_0000;
/// Bits of half a dword.
pub(crate) const HALF_BITS: u32 = 16;
/// Sign of the value in the low half.
const SIGN_LOW: u32 = 0x8000;
/// Sign of a dword, or of the value in its high half.
const SIGN: u32 = 0x8000_0000;
/// Bytes of a dword.
pub(crate) const DWORD: u8 = 4;

impl Asked {
    pub(crate) fn of(inst: &Inst) -> Asked {
        let layout = inst.layout();
        // The fields have a bit for each source, and OP_SEL one more for the destination.
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
        if inst.row().implicit().has(Implicit::HIGH_HALF) {
            asked.high |= 1;
        }
        asked
    }

    /// Sign modifiers of its sources, where each has a sign.
    pub(crate) fn signs(&self, inst: &Inst, is_mixed: bool) -> Signs {
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
    pub(crate) fn of_source(
        &self,
        place: usize,
        slot: &Slot,
        part: Option<(Selection, bool)>,
    ) -> How {
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
    pub(crate) fn of_mixed(&self, place: usize, flushes: bool) -> How {
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

/// The number of a source, which is that of its field; nothing of other operands. An
/// accumulator is read as it is, whatever is asked for the result that replaces it.
pub(crate) fn source_number(field: Field) -> Option<usize> {
    match field {
        Field::Src0 => Some(0),
        Field::Src1 => Some(1),
        Field::Src2 => Some(2),
        _ => None,
    }
}

impl ResultChange {
    /// Changes of an instruction's result, which is the high half of its register if `to_high`.
    pub(crate) fn of(inst: &Inst, to_high: bool) -> ResultChange {
        let destination = inst.row().slots().find(|slot| slot.field == Field::Vdst);
        let selects = inst.row().modifiers().any(|m| m.field == Field::OpSel);
        // Some 16-bit results leave the other half of their register as it was (errata E304); all others have no half to go to.
        let is_short = destination.is_some_and(|slot| slot.ty.bytes() == 2);
        let is_updated = destination.is_some_and(|slot| slot.access == OperandAccess::ReadWrite);
        let merges = selects && is_short && is_updated;
        let to_high = to_high && is_short;
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

    /// True if it has 16 bits and is as the operation leaves it, but for the high half of its register.
    pub(crate) fn only_merges(&self) -> bool {
        let is_short = self.ty.bytes() == 2;
        is_short && self.factor == 0 && !self.clamp && self.part == Some(LOW_HALF)
    }

    pub(crate) fn is_nothing(&self) -> bool {
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
