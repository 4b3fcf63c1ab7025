//! Per-instruction facts for the arithmetic checker.

use gcn_emu::step::Step;
use gcn_isa::effect::AluOp;
use gcn_isa::operand::OperandAccess;
use gcn_isa::uses::Unit;
use gcn_isa::{Does, Encoding, Field, Row, Slot, Ty};

use crate::integer_range::IntegerRange;
use crate::vectors::Vectors;

/// A floating-point operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FloatSource {
    /// Index of the operand.
    pub(super) place: usize,
    pub(super) ty: Ty,
}

/// Exception that depends only on the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OperandException {
    /// Division by the first source. The exception is a zero divisor.
    Division,
    /// Conversion of the source. The exception is a number that is out of range.
    Conversion(IntegerRange),
}

/// Facts about an instruction.
#[derive(Clone, Debug)]
pub(super) struct ArithFacts {
    /// Exception that the operands may cause.
    pub(super) exception: Option<OperandException>,
    /// Floating-point sources.
    pub(super) sources: Box<[FloatSource]>,
    /// Result, if it is floating-point and not moved or selected.
    pub(super) result: Option<FloatSource>,
    /// True if the instruction moves or selects values, which does not count as a use.
    pub(super) moves: bool,
    pub(super) vectors: Vectors,
}

impl ArithFacts {
    pub(super) fn of(step: &Step) -> ArithFacts {
        let inst = &step.inst;
        let uses = inst.uses();
        let row = inst.row();
        let op = match inst.does() {
            Does::Alu(op) => Some(op.in_order().0),
            _ => None,
        };
        // The quotient operand is ignored, since the preceding steps of the division may have produced any value.
        let is_quotient = |slot: &Slot| op == Some(AluOp::DivFixup) && slot.field == Field::Src0;
        let mut facts = ArithFacts {
            exception: None,
            sources: Box::default(),
            result: None,
            moves: op.is_some_and(moves),
            vectors: Vectors::of(step, is_quotient),
        };
        // With these, a source may be part of a register or come from another lane.
        let is_sdwa = matches!(
            inst.encoding,
            Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa
        );
        let selects_halves = inst.encoding != Encoding::Vop3p
            && inst.layout().has(Field::OpSel)
            && inst.get(Field::OpSel) != 0;
        let has_dpp = inst.layout().has(Field::DppCtrl);
        let is_mixed = matches!(op, Some(AluOp::Mix(..)));
        let is_partial = is_sdwa || selects_halves || has_dpp || is_mixed;
        let Some(op) = op.filter(|_| uses.unit() == Unit::Vector) else {
            return facts;
        };
        if is_partial || facts.moves {
            return facts;
        }
        facts.exception = exception(op, row);
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

/// True if a vector operation moves or selects values.
fn moves(op: AluOp) -> bool {
    matches!(
        op,
        AluOp::Move
            | AluOp::MoveRelative(_)
            | AluOp::Swap
            | AluOp::Select
            | AluOp::BitSelect
            // An exponent saturated by its conversion gives the same result as the original one.
            | AluOp::Ldexp
    )
}

/// Returns the exception that the operands of a vector instruction may cause. Clamped and legacy reciprocals cause
/// none, because their results are finite.
fn exception(op: AluOp, row: &Row) -> Option<OperandException> {
    let is_from_float = || row.slots().skip(1).all(|slot| slot.ty.is_float());
    let range = match op {
        AluOp::Rcp | AluOp::DivFixup => return Some(OperandException::Division),
        AluOp::ConvertFloor => IntegerRange::FloorI32,
        AluOp::ConvertNear => IntegerRange::NearI32,
        AluOp::Convert if is_from_float() => match row.slots().next()?.ty {
            Ty::I32 => IntegerRange::I32,
            Ty::U32 => IntegerRange::U32,
            Ty::I16 => IntegerRange::I16,
            Ty::U16 => IntegerRange::U16,
            _ => return None,
        },
        _ => return None,
    };
    Some(OperandException::Conversion(range))
}
