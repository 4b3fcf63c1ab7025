//! Per-instruction facts for the provenance checker.

use gcn_emu::step::{Arg, Sign, Step};
use gcn_isa::effect::{AluOp, Bitwise};
use gcn_isa::operand::OperandAccess;
use gcn_isa::uses::{RegisterSet, RegisterUse, Registers, UseOrigin, UsedLanes};
use gcn_isa::{Does, Encoding, Field, Kind, Slot, regs};

use crate::vectors::Vectors;

/// Propagation of marks from sources to the result, dword by dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MarkFlow {
    /// No rule. The mark of the result is lost if a source is marked.
    Other,
    /// The first source.
    Copy,
    /// The sum of all sources, or their OR, which is a sum if they have no bits in common.
    Sum,
    /// The last source plus a number computed from the others.
    SumWithLast,
    /// The first source minus the second.
    Difference,
    /// The bits of one source that are set in the other.
    And,
    /// The first source if the lane's mask bit or, for scalars, SCC is set; otherwise the second.
    Select,
    /// The first source if SCC is set, otherwise the old value of the result.
    MoveIf,
    /// A lane of the first source, read into a scalar register.
    ReadLane,
    /// A scalar source, written to a lane.
    WriteLane,
}

/// A register operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MarkedOperand {
    /// Index of the operand.
    pub(super) place: usize,
    pub(super) dwords: u8,
}

/// Facts about an instruction.
#[derive(Clone, Debug)]
pub(super) struct ProvenanceFacts {
    pub(super) rule: MarkFlow,
    /// Sources in the order of the operation, without masks.
    pub(super) sources: Box<[MarkedOperand]>,
    pub(super) result: Option<MarkedOperand>,
    /// Operands that are read.
    pub(super) read: Box<[MarkedOperand]>,
    /// Operands that are written, except masks.
    pub(super) written: Box<[MarkedOperand]>,
    /// Masks that are written, such as carries. They are never marked.
    pub(super) masks: Box<[MarkedOperand]>,
    /// Bitmap of the scalar registers that are written implicitly.
    pub(super) implicit: u128,
    /// True if the instruction preserves some bits of the destination.
    pub(super) keeps_bits: bool,
    /// True if a lane may read registers of other lanes.
    pub(super) crosses: bool,
    /// Index of the mask operand of [`MarkFlow::Select`]; `None` for VCC.
    pub(super) mask: Option<usize>,
    pub(super) vectors: Vectors,
    /// All registers that are read or written.
    pub(super) registers: RegisterSet,
}

/// Source fields, in order.
const SOURCES: [&[Field]; 3] = [
    &[Field::Src0, Field::Ssrc0],
    &[Field::Src1, Field::Ssrc1],
    &[Field::Src2],
];

/// Source fields of SOPK. The last one is a constant.
const SOURCES_OF_SOPK: [&[Field]; 2] = [&[Field::Sdst], &[Field::Simm16]];

/// True if an operand is a lane mask that is read.
fn is_mask(slot: &Slot) -> bool {
    slot.field == Field::Src2 && slot.kind == Kind::Sdst && slot.access == OperandAccess::Read
}

impl ProvenanceFacts {
    pub(super) fn of(step: &Step) -> ProvenanceFacts {
        let inst = &step.inst;
        let row = inst.row();
        let operand = |(place, slot): (usize, &Slot)| MarkedOperand {
            place,
            dwords: slot.ty.dwords().max(1),
        };
        let all = |is: &dyn Fn(&Slot) -> bool| -> Box<[MarkedOperand]> {
            let slots = row.slots().enumerate();
            let some = slots.filter(|(_, slot)| is(slot));
            some.map(|(place, slot)| operand((place, slot))).collect()
        };
        let source = |fields: &&[Field]| {
            let mut slots = row.slots().enumerate();
            let found = slots.find(|(_, slot)| {
                fields.contains(&slot.field)
                    && slot.access != OperandAccess::Write
                    && !is_mask(slot)
            });
            found.map(|(place, slot)| operand((place, slot)))
        };
        let is_vector = !inst.encoding.is_scalar();
        let is_written_mask = |slot: &Slot| {
            is_vector
                && slot.kind == Kind::Sdst
                && slot.access != OperandAccess::Read
                && slot.ty.dwords() == 2
        };
        let result = row.slots().enumerate().find(|(_, slot)| {
            matches!(slot.field, Field::Vdst | Field::Sdst)
                && slot.access != OperandAccess::Read
                && !is_written_mask(slot)
        });
        let is_float = result.is_some_and(|(_, slot)| slot.ty.is_float());
        let mut sources: Box<[MarkedOperand]> = if inst.encoding == Encoding::Sopk {
            SOURCES_OF_SOPK.iter().filter_map(source).collect()
        } else {
            SOURCES.iter().filter_map(source).collect()
        };
        if matches!(inst.does(), Does::Alu(AluOp::Reversed(_))) {
            sources[..2].reverse();
        }
        let uses: Vec<_> = inst.uses().registers().collect();
        let implicit = uses.iter().filter(|it| it.source == UseOrigin::Implicit);
        let implicit = implicit.filter(|it| it.written != 0);
        ProvenanceFacts {
            rule: match inst.does() {
                Does::Alu(op) if is_whole(step) => rule(op, is_float),
                _ => MarkFlow::Other,
            },
            sources,
            result: result.map(|(place, slot)| operand((place, slot))),
            read: all(&|slot| slot.access != OperandAccess::Write && !is_mask(slot)),
            written: all(&|slot| slot.access != OperandAccess::Read && !is_written_mask(slot)),
            masks: all(&is_written_mask),
            implicit: implicit.fold(0, |all, it| all | scalars(it.registers)),
            keeps_bits: uses
                .iter()
                .any(|it| it.written != 0 && it.written != u32::MAX),
            crosses: inst.layout().has(Field::DppCtrl) || uses.iter().any(crosses),
            mask: row.slots().position(is_mask),
            vectors: Vectors::of(step, |_| false),
            registers: inst.uses().register_set(),
        }
    }
}

/// True if a lane may read the use's registers in other lanes.
fn crosses(it: &RegisterUse) -> bool {
    it.read != 0
        && matches!(
            it.lanes,
            UsedLanes::Crossing | UsedLanes::Selected | UsedLanes::First
        )
}

/// Returns a bitmap of scalar registers.
fn scalars(registers: Registers) -> u128 {
    let Registers::Scalar { first, count } = registers else {
        return 0;
    };
    let end = first.saturating_add(count).min(128);
    (first..end).fold(0, |all, register| all | 1 << register)
}

/// True if sources and result are whole registers without modifiers, and lanes are independent.
fn is_whole(step: &Step) -> bool {
    let inst = &step.inst;
    let is_sdwa = matches!(
        inst.encoding,
        Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa
    );
    let has_dpp = inst.layout().has(Field::DppCtrl);
    let is_signed = step.signs.iter().any(|sign| *sign != Sign::Kept);
    let is_half = |slot: &Slot| slot.field == Field::Vdst && slot.ty.bytes() < 4;
    let is_half = inst.row().slots().any(is_half);
    !is_sdwa && !has_dpp && !is_signed && !is_half
}

/// Returns the propagation of marks through an operation on whole registers. `is_float` is true for a floating-point
/// result.
fn rule(op: AluOp, is_float: bool) -> MarkFlow {
    use Bitwise::{And, Or};
    match op {
        _ if is_float => MarkFlow::Other,
        AluOp::Move | AluOp::MoveRelative(_) => MarkFlow::Copy,
        AluOp::Add | AluOp::Add3 | AluOp::AddCarry => MarkFlow::Sum,
        AluOp::Bitwise(Or) | AluOp::Bitwise3(Or, Or) => MarkFlow::Sum,
        AluOp::MulAdd | AluOp::MulAdd24 | AluOp::XorAdd => MarkFlow::SumWithLast,
        AluOp::ShiftAdd | AluOp::ShiftByAdd(_) => MarkFlow::SumWithLast,
        AluOp::ShiftOr | AluOp::Bitwise3(And, Or) => MarkFlow::SumWithLast,
        AluOp::Sub | AluOp::SubBorrow => MarkFlow::Difference,
        AluOp::Bitwise(And) => MarkFlow::And,
        AluOp::Select => MarkFlow::Select,
        AluOp::MoveIf => MarkFlow::MoveIf,
        AluOp::ReadLane | AluOp::ReadFirstLane => MarkFlow::ReadLane,
        AluOp::WriteLane => MarkFlow::WriteLane,
        AluOp::Reversed(op) => rule(*op, is_float),
        #[rustfmt::skip]
        AluOp::Nop | AluOp::Swap | AluOp::Pack(..) | AluOp::Bitwise(_) | AluOp::Bitwise3(..) | AluOp::Not
        | AluOp::ReverseBits | AluOp::Shift(_) | AluOp::Align(_) | AluOp::BitSelect | AluOp::Extract
        | AluOp::ExtractPacked | AluOp::FieldMask | AluOp::SignExtend(_) | AluOp::SetBit(_)
        | AluOp::TestBit(_) | AluOp::CountZeros | AluOp::CountOnes | AluOp::CountOnesAdd
        | AluOp::MaskedCount(_) | AluOp::FindLowestZero | AluOp::FindLowestOne | AluOp::LeadingZeros
        | AluOp::LeadingSigns | AluOp::WholeQuads | AluOp::QuadMask | AluOp::Replicate | AluOp::Permute
        | AluOp::Mul | AluOp::Fma | AluOp::Min | AluOp::Max | AluOp::Min3 | AluOp::Max3 | AluOp::Med3
        | AluOp::MulHigh | AluOp::Mul24 | AluOp::MulHigh24 | AluOp::AddShift | AluOp::Abs | AluOp::AbsDiff
        | AluOp::Sad(_) | AluOp::QuadSad | AluOp::MaskedQuadSad | AluOp::LerpBytes | AluOp::SaturateBytes
        | AluOp::SaturatePair | AluOp::Dot(_) | AluOp::MulLegacy | AluOp::MulAddLegacy | AluOp::MinLegacy
        | AluOp::MaxLegacy | AluOp::MulLit | AluOp::Trunc | AluOp::Ceil | AluOp::Floor | AluOp::RoundEven
        | AluOp::Fract | AluOp::Exp2 | AluOp::Log2 | AluOp::Log2Clamped | AluOp::Rcp | AluOp::RcpClamped
        | AluOp::RcpLegacy | AluOp::Rsq | AluOp::RsqClamped | AluOp::RsqLegacy | AluOp::Sqrt | AluOp::Sin
        | AluOp::Cos | AluOp::Ldexp | AluOp::FrexpExponent | AluOp::FrexpMantissa | AluOp::DivScale
        | AluOp::DivFmas | AluOp::DivFixup | AluOp::TrigPreop | AluOp::CubeFace | AluOp::CubeS | AluOp::CubeT
        | AluOp::CubeMajor | AluOp::Interpolate(_) | AluOp::Convert | AluOp::ConvertFloor | AluOp::ConvertNear
        | AluOp::ConvertOffset | AluOp::ConvertByte(_) | AluOp::PutByte | AluOp::Normalize
        | AluOp::NormalizePair(_) | AluOp::TruncatePair | AluOp::Packed(..) | AluOp::Mix(..)
        | AluOp::SaveExec(_) | AluOp::WriteExec(_) | AluOp::GetPc | AluOp::GetRegister | AluOp::SetRegister
        | AluOp::ClearExceptions | AluOp::SetVskip | AluOp::SetIndex | AluOp::IndexOn | AluOp::ScreenPartition => MarkFlow::Other,
    }
}

/// Returns the first scalar register of the mask operand, or VCC if there is none.
pub(super) fn mask_register(facts: &ProvenanceFacts, operands: &[Arg]) -> u8 {
    match facts.mask.and_then(|place| operands.get(place)) {
        Some(Arg::Scalar(first)) => *first,
        _ => regs::VCC_LO,
    }
}
