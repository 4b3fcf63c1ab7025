//! Sub-dword addressing (SDWA): operands that are a byte or a word of their register.
//!
//! Sources: AMD's GCN3 and Vega manuals, fields of VOP_SDWA; errata E136–E138, E141.

use gcn_isa::{Field, Inst};

/// SDWA fields of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubDword {
    /// Part of each source, and true if it is sign-extended.
    sources: [(Selection, bool); 2],
    destination: Selection,
    unused: Unused,
}

/// Byte, word or all of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Lowest bit.
    low: u8,
    /// Width in bits: 8, 16 or 32.
    width: u8,
}

/// Treatment of the remaining bits of a destination register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unused {
    /// Bits are cleared.
    Pad,
    /// Bits above the part are copies of its sign; bits below are cleared.
    Sext,
    /// Bits are preserved.
    Preserve,
}

/// Part of a destination register that receives the low bits of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultPart {
    /// Bits of the register.
    pub selection: Selection,
    /// Treatment of the other bits.
    pub unused: Unused,
}

impl SubDword {
    /// Decodes the SDWA fields of an instruction; `None` for other encodings.
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

    /// True if no SDWA field has a reserved value (errata E141).
    pub(crate) fn has_meaning(inst: &Inst) -> bool {
        [Field::Src0Sel, Field::Src1Sel, Field::DstSel]
            .into_iter()
            .all(|field| Selection::selected(inst.get(field)).is_some())
            && Unused::numbered(inst.get(Field::DstUnused)).is_some()
    }

    /// Returns the part selected by a source, and true if it is sign-extended; `None` for other operands.
    pub fn source(&self, field: Field) -> Option<(Selection, bool)> {
        match field {
            Field::Src0 => Some(self.sources[0]),
            Field::Src1 => Some(self.sources[1]),
            _ => None,
        }
    }

    /// Returns the part of the destination register that is written (errata E138); `None` for the whole register.
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
    /// Low half of a dword.
    pub(super) const LOW_HALF: Selection = Selection { low: 0, width: 16 };
    /// High half of a dword.
    pub(super) const HIGH_HALF: Selection = Selection { low: 16, width: 16 };

    /// Decodes a field; `None` for the reserved value.
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

    /// Returns the lowest bit of the part.
    pub(crate) fn low(self) -> u32 {
        self.low.into()
    }

    /// Returns the mask of the part in its register.
    pub(crate) fn mask(self) -> u32 {
        u32::MAX >> self.top() << self.low
    }

    /// Returns the number of bits in a dword above a part of this width at bit 0.
    pub(crate) fn top(self) -> u32 {
        u32::BITS - u32::from(self.width)
    }

    /// Returns the left and right shift counts that extract the part from a register. An arithmetic right shift
    /// sign-extends it (errata E136).
    pub(super) fn shifts(self) -> (u32, u32) {
        (self.top() - u32::from(self.low), self.top())
    }
}

impl Unused {
    /// Decodes the field; `None` for the reserved value.
    fn numbered(number: u64) -> Option<Unused> {
        match number {
            0 => Some(Unused::Pad),
            1 => Some(Unused::Sext),
            2 => Some(Unused::Preserve),
            _ => None,
        }
    }
}
