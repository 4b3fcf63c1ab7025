//! Sub-dword addressing: operands that are a byte or a word of their register (SDWA).
//!
//! Source: AMD's GCN3 and Vega manuals, fields of VOP_SDWA; errata E136–E138, E141.

use gcn_isa::{Field, Inst};

/// The SDWA fields of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubDword {
    /// The part of each source, and whether its sign is extended.
    sources: [(Selection, bool); 2],
    destination: Selection,
    unused: Unused,
}

/// A byte, a word or all of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Lowest bit.
    low: u8,
    /// Width in bits: 8, 16 or 32.
    width: u8,
}

/// Treatment of the rest of a destination's register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unused {
    /// Zeros.
    Pad,
    /// The part's sign above it, zeros below.
    Sext,
    /// The rest is unchanged.
    Preserve,
}

/// Part of a destination's register that receives the low bits of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultPart {
    /// Bits of the register.
    pub selection: Selection,
    /// Treatment of the other bits.
    pub unused: Unused,
}

impl SubDword {
    /// The fields of an instruction in SDWA; nothing in other encodings.
    pub fn of(inst: &Inst) -> Option<SubDword> {
        if !inst.layout().has(Field::Src0Sel) {
            return None;
        }
        let part = |field| Selection::selected(inst.get(field)).unwrap_or(Selection::DWORD);
        Some(SubDword {
            sources: [
                (part(Field::Src0Sel), inst.flag(Field::Src0Sext)),
                (part(Field::Src1Sel), inst.flag(Field::Src1Sext)),
            ],
            destination: part(Field::DstSel),
            unused: Unused::numbered(inst.get(Field::DstUnused)).unwrap_or(Unused::Pad),
        })
    }

    /// True if none of SDWA's fields has a reserved number (errata E141).
    pub(crate) fn has_meaning(inst: &Inst) -> bool {
        [Field::Src0Sel, Field::Src1Sel, Field::DstSel]
            .into_iter()
            .all(|field| Selection::selected(inst.get(field)).is_some())
            && Unused::numbered(inst.get(Field::DstUnused)).is_some()
    }

    /// The part that a source is, and whether its sign is extended; nothing for other operands.
    pub fn source(&self, field: Field) -> Option<(Selection, bool)> {
        match field {
            Field::Src0 => Some(self.sources[0]),
            Field::Src1 => Some(self.sources[1]),
            _ => None,
        }
    }

    /// Part of the destination register that is written (errata E138); `None` for the whole register.
    pub(super) fn destination(&self) -> Option<ResultPart> {
        Some(ResultPart {
            selection: self.destination,
            unused: self.unused,
        })
        .filter(|part| part.selection != Selection::DWORD)
    }
}

impl Selection {
    const DWORD: Selection = Selection { low: 0, width: 32 };
    /// The low half of a dword.
    pub(super) const LOW_HALF: Selection = Selection { low: 0, width: 16 };
    /// The high half of a dword.
    pub(super) const HIGH_HALF: Selection = Selection { low: 16, width: 16 };

    /// From a field; nothing for the reserved number.
    fn selected(number: u64) -> Option<Selection> {
        let at = |low, width| Some(Selection { low, width });
        match number {
            0 => at(0, 8),
            1 => at(8, 8),
            2 => at(16, 8),
            3 => at(24, 8),
            4 => at(0, 16),
            5 => at(16, 16),
            6 => Some(Selection::DWORD),
            _ => None,
        }
    }

    /// The lowest bit.
    pub(crate) fn low(self) -> u32 {
        self.low.into()
    }

    /// The bits of a register.
    pub(crate) fn mask(self) -> u32 {
        u32::MAX >> self.top() << self.low
    }

    /// Bits of a dword above the part's, if they were its low ones.
    pub(crate) fn top(self) -> u32 {
        u32::BITS - u32::from(self.width)
    }

    /// Distances to shift a register up, then down, to extract the part; the sign goes with an arithmetic shift (errata
    /// E136).
    pub(super) fn shifts(self) -> (u32, u32) {
        (self.top() - u32::from(self.low), self.top())
    }
}

impl Unused {
    /// From the field; nothing for the reserved number.
    fn numbered(number: u64) -> Option<Unused> {
        match number {
            0 => Some(Unused::Pad),
            1 => Some(Unused::Sext),
            2 => Some(Unused::Preserve),
            _ => None,
        }
    }
}
