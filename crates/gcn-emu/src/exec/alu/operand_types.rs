//! Types of an ALU instruction's operands and what its encoding adds, by which the tables choose among an operation's handlers.

use gcn_isa::{Encoding, Field, Inst, Kind, OperandAccess, Slot, Ty};

/// Types of an ALU instruction's operands, and what its encoding adds.
#[derive(Clone, Copy)]
pub struct Operands {
    /// Type of the result, or of the first operand if there is none.
    pub result: Ty,
    /// Type of the first source.
    pub source: Ty,
    /// An integer result stays within its range.
    pub clamp: bool,
    /// A mask of carries is written.
    pub carries: bool,
    /// The destination is the third source.
    pub accumulates: bool,
    /// The second source is a constant of 16 bits (SOPK).
    pub is_sopk: bool,
}

impl Operands {
    /// The operands of an instruction.
    pub fn of(inst: &Inst) -> Operands {
        let is_written = |slot: &&Slot| slot.access != OperandAccess::Read;
        let is_mask = |slot: &Slot| slot.kind == Kind::Sdst && slot.field != Field::Ssrc0;
        let slots = || inst.row().slots();
        let is_scalar = inst.encoding.is_scalar();
        let first = slots().next();
        let mut sources = slots().filter(|slot| !is_written(slot) && (is_scalar || !is_mask(slot)));
        let source = sources.next();
        Operands {
            result: first.map_or(Ty::B32, |slot| slot.ty),
            source: source.map_or(Ty::B32, |slot| slot.ty),
            clamp: inst.flag(Field::Clamp),
            carries: slots().any(|slot| slot.field == Field::Sdst && is_written(&slot)),
            accumulates: !is_scalar && slots().filter(|slot| !is_written(slot)).count() == 2,
            is_sopk: inst.encoding == Encoding::Sopk,
        }
    }
}
