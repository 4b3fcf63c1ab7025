//! Facts that the checker of arithmetic asks of every instruction, worked out once for each.

use gcn_emu::step::Step;
use gcn_isa::operand::OperandAccess;
use gcn_isa::uses::Unit;
use gcn_isa::{Does, Encoding, Field, Slot, Ty};

use crate::operation::Operation;
use crate::vectors::Vectors;

/// A source in floating point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FloatSource {
    /// Place among the operands.
    pub(super) place: usize,
    pub(super) ty: Ty,
}

/// Facts of an instruction.
#[derive(Clone, Debug)]
pub(super) struct ArithFacts {
    /// An operation that may be exceptional by its operands alone, or [`Operation::Other`].
    pub(super) operation: Operation,
    /// Sources in floating point, where a lane has its own.
    pub(super) sources: Box<[FloatSource]>,
    /// Type of its result, if that is in floating point and computed, and its place.
    pub(super) result: Option<FloatSource>,
    /// The instruction moves values or chooses among them: a value that it reads is not used yet.
    pub(super) moves: bool,
    pub(super) vectors: Vectors,
}

impl ArithFacts {
    pub(super) fn of(step: &Step) -> ArithFacts {
        let inst = &step.inst;
        let uses = inst.uses();
        let row = inst.row();
        let operation = Operation::of(inst.op);
        // The quotient has gone through whatever the division's steps have made of it.
        let is_quotient =
            |slot: &Slot| operation == Operation::DivideFixup && slot.field == Field::Src0;
        let mut facts = ArithFacts {
            operation: Operation::Other,
            sources: Box::default(),
            result: None,
            moves: moves(operation),
            vectors: Vectors::of(step, is_quotient),
        };
        // A lane's source may be that of another lane, or a part of a register.
        let is_sdwa = matches!(
            inst.encoding,
            Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa
        );
        let selects_halves = inst.encoding != Encoding::Vop3p
            && inst.layout().has(Field::OpSel)
            && inst.get(Field::OpSel) != 0;
        let has_dpp = inst.layout().has(Field::DppCtrl);
        let is_mixed = operation == Operation::Mixed;
        let is_partial = is_sdwa || selects_halves || has_dpp || is_mixed;
        let is_alu = uses.unit() == Unit::Vector && matches!(inst.does(), Does::Alu(_));
        if is_partial || !is_alu || facts.moves {
            return facts;
        }
        facts.operation = operation;
        let slots = row.slots().enumerate();
        facts.sources = slots
            .filter(|(_, slot)| {
                slot.ty.is_float() && slot.access != OperandAccess::Write && !is_quotient(slot)
            })
            .map(|(place, slot)| FloatSource { place, ty: slot.ty })
            .collect();
        facts.result = row
            .slots()
            .enumerate()
            .find(|(_, slot)| {
                slot.field == Field::Vdst
                    && slot.access != OperandAccess::Read
                    && slot.ty.is_float()
            })
            .map(|(place, slot)| FloatSource { place, ty: slot.ty });
        facts
    }
}

/// True if a vector instruction moves values or chooses among them.
fn moves(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Copy
            | Operation::Swap
            | Operation::Select
            | Operation::BitSelect
            // An exponent beyond all numbers has the same result as the nearest that an integer holds.
            | Operation::ScaleByPower
    )
}
