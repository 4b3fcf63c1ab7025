//! Facts that the checker of arithmetic asks of every instruction, worked out once for each.

use gcn_emu::step::Step;
use gcn_isa::operand::OperandAccess;
use gcn_isa::uses::Unit;
use gcn_isa::{Does, Encoding, Field, Slot, Ty};

use super::range::IntegerRange;
use crate::vectors::Vectors;

/// An operation that may be exceptional by its operands alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArithOperation {
    /// 1 divided by the source.
    Reciprocal,
    /// The last step of a division: the quotient, the denominator, the numerator.
    Fixup,
    /// To an integer.
    Convert(IntegerRange),
    Other,
}

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
    pub(super) operation: ArithOperation,
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
        let operation = operation(inst.name());
        // The quotient has gone through whatever the division's steps have made of it.
        let is_quotient =
            |slot: &Slot| operation == ArithOperation::Fixup && slot.field == Field::Src0;
        let mut facts = ArithFacts {
            operation: ArithOperation::Other,
            sources: Box::default(),
            result: None,
            moves: moves(inst.name()),
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
        let is_mixed = inst.name().starts_with("v_mad_mix");
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

/// True if an instruction moves values or chooses among them.
fn moves(name: &str) -> bool {
    matches!(
        name,
        "v_mov_b32"
            | "v_swap_b32"
            | "v_movreld_b32"
            | "v_movrels_b32"
            | "v_movrelsd_b32"
            | "v_cndmask_b32"
            | "v_bfi_b32"
            // An exponent beyond all numbers has the same result as the nearest that an integer holds.
            | "v_ldexp_f32"
            | "v_ldexp_f64"
    )
}

fn operation(name: &str) -> ArithOperation {
    match name {
        "v_rcp_f32" | "v_rcp_iflag_f32" | "v_rcp_f16" | "v_rcp_f64" => ArithOperation::Reciprocal,
        "v_div_fixup_f32" | "v_div_fixup_f64" | "v_div_fixup_f16" | "v_div_fixup_legacy_f16" => {
            ArithOperation::Fixup
        }
        "v_cvt_i32_f32" | "v_cvt_i32_f64" => ArithOperation::Convert(IntegerRange::I32),
        "v_cvt_u32_f32" | "v_cvt_u32_f64" => ArithOperation::Convert(IntegerRange::U32),
        "v_cvt_i16_f16" => ArithOperation::Convert(IntegerRange::I16),
        "v_cvt_u16_f16" => ArithOperation::Convert(IntegerRange::U16),
        "v_cvt_flr_i32_f32" => ArithOperation::Convert(IntegerRange::FloorI32),
        "v_cvt_rpi_i32_f32" => ArithOperation::Convert(IntegerRange::NearI32),
        _ => ArithOperation::Other,
    }
}
