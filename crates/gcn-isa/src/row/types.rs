//! Operand types of ALU rows.

use super::Row;
use crate::field::Field;
use crate::operand::{Kind, OperandAccess, Slot, Ty};

/// Operand types of an ALU row; they distinguish the variants of an operation.
///
/// # Examples
/// ```
/// use gcn_isa::{Op, Ty, vop::{Vop1, Vop2}};
/// let convert = Op::Vop1(Vop1::V_CVT_F64_I32).row().alu_types();
/// assert_eq!((convert.result, convert.source), (Ty::F64, Ty::I32));
/// assert!(Op::Vop2(Vop2::V_MAC_F32).row().alu_types().accumulates);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AluTypes {
    /// True for scalar instructions.
    pub is_scalar: bool,
    /// Type of the result, or of the first operand if there is none.
    pub result: Ty,
    /// Type of the first source.
    pub source: Ty,
    /// True if the instruction writes a carry mask.
    pub carries: bool,
    /// True if a vector instruction has two sources: the destination is the third if the operation has three.
    pub accumulates: bool,
    /// True if the last source is a 16-bit immediate (SOPK).
    pub is_sopk: bool,
}

impl Row {
    /// Operand types of an ALU instruction.
    pub fn alu_types(&self) -> AluTypes {
        let is_written = |slot: &&Slot| slot.access != OperandAccess::Read;
        let is_mask = |slot: &Slot| slot.kind == Kind::Sdst && slot.field != Field::Ssrc0;
        let is_scalar = self.is_scalar();
        let mut sources = self
            .slots()
            .filter(|slot| !is_written(slot) && (is_scalar || !is_mask(slot)));
        let result = self.slots().next().map_or(Ty::B32, |slot| slot.ty);
        AluTypes {
            is_scalar,
            result,
            source: sources.next().map_or(result, |slot| slot.ty),
            carries: self
                .slots()
                .any(|slot| slot.field == Field::Sdst && is_written(&slot)),
            accumulates: !is_scalar && self.slots().filter(|slot| !is_written(slot)).count() == 2,
            is_sopk: self.slots().any(|slot| slot.kind == Kind::Simm16),
        }
    }
}
