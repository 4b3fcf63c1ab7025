//! Encodes an operand into its slot's fields.

use gcn_isa::field::Encoding;
use gcn_isa::rules::{self, Rule};
use gcn_isa::{
    Does, Field, FieldError, Inst, Isa, Kind, Operand, OperandAccess, PlacedOperand, Slot, Ty, regs,
};

use super::constant::{
    float_constant, float_literal, float_of, literal, modified_constant, width_of, with_count,
};
use super::graphics::{attribute, export_value};
use super::problem::{EncodeProblem, ProblemKind, at_arg, field_problem};
use super::statement::{DelayedField, EncodedStatement, StatementOperands};
use crate::argument::{ArgValue, ParsedOperand};
use crate::ids;
use crate::inputs::dialect::Dialect;

/// Encoding of v0 in fields that also encode scalar registers.
const FIRST_VGPR: i64 = 256;
/// Width in bits of fields that encode VGPRs and scalar registers.
const VGPR_OR_SCALAR_BITS: u8 = 9;
/// Maximum alignment of a scalar register group, in registers.
const GROUP: u8 = 4;
/// Size in dwords of an image descriptor with R128.
const SHORT_DESCRIPTOR: u8 = 4;

pub(super) fn encode_operand(
    encoded: &mut EncodedStatement,
    dialect: Dialect,
    to: &'static PlacedOperand,
    index: usize,
    operands: &StatementOperands<'_>,
) -> Result<(), EncodeProblem> {
    let Some(arg) = operands.args.get(index) else {
        return Ok(());
    };
    let problem = |kind| at_arg(index, kind);
    let inst = &mut encoded.inst;
    let isa = inst.isa;
    let PlacedOperand { slot, bits, .. } = to;
    let is_signed = arg.negated || arg.absolute || arg.extended;
    // Common case: a VGPR operand.
    if let (Kind::Vgpr | Kind::Src, ArgValue::Vgprs { first, count }) = (slot.kind, arg.what)
        && count == slot.ty.dwords()
        && bits.width != 0
        && !is_signed
        && !arg.has_two_signs
    {
        inst.set_vgprs(to, first);
        return Ok(());
    }
    let what = if is_signed || arg.has_two_signs && slot.ty.is_float() {
        source_modifiers(inst, dialect, to, arg).map_err(problem)?
    } else {
        arg.what
    };
    let check_count = |found: u8| {
        let (expected, also) = register_counts(inst, slot);
        let theirs = dialect
            .takes_all_modifiers()
            .then(|| gcn_isa::clrx::width(inst.row(), slot))
            .flatten();
        if found == expected || found == also || Some(found) == theirs {
            Ok(())
        } else {
            Err(problem(ProblemKind::Registers { expected, found }))
        }
    };
    let operand = match (slot.kind, what) {
        (Kind::GlobalAddress, ArgValue::Vgprs { first, count }) => Operand::Vgprs { first, count },
        (Kind::BufferAddress, ArgValue::Off) => {
            check_count(0)?;
            Operand::Off
        }
        (Kind::BufferAddress, ArgValue::Vgprs { first, count: 1 })
            if register_counts(inst, slot).0 == 0 && dialect.takes_idle_address() =>
        {
            Operand::Vgprs { first, count: 1 }
        }
        (Kind::ExportSource(place), what) if dialect.exports_each_value() => {
            return export_value(inst, place, what).map_err(problem);
        }
        (Kind::ScratchAddress | Kind::Saddr | Kind::ExportSource(_), ArgValue::Off) => Operand::Off,
        (Kind::ImageAddress { least, most }, ArgValue::Vgprs { first, count }) => {
            let is_written_by_clrx =
                dialect.takes_idle_address() && gcn_isa::clrx::takes_image_address(most, count);
            if !Inst::takes_image_address(least, most, count) && !is_written_by_clrx {
                return Err(problem(ProblemKind::ImageAddress {
                    least,
                    most,
                    found: count,
                }));
            }
            Operand::Vgprs { first, count }
        }
        (
            Kind::Vgpr
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::Src
            | Kind::ImageData { .. }
            | Kind::ExportSource(_),
            ArgValue::Vgprs { first, count },
        ) => {
            check_count(count)?;
            Operand::Vgprs { first, count }
        }
        (Kind::Src, ArgValue::Scalar { code, count })
            if bits.width == 8 && code != regs::LDS_DIRECT && takes_scalar(inst, slot.field) =>
        {
            if count != regs::ANY_WIDTH {
                check_count(count)?;
            }
            Operand::Scalar {
                code,
                count: slot.ty.dwords(),
            }
        }
        (Kind::Vgpr, ArgValue::Scalar { code, .. })
            if bits.width == VGPR_OR_SCALAR_BITS
                && code <= regs::EXEC_HI
                && dialect.takes_all_modifiers() =>
        {
            let set = inst.set(slot.field, code.into());
            return set.map_err(|error| problem(field_problem(error, code.into())));
        }
        (Kind::Ssrc, ArgValue::Vgprs { first, count: 1 })
            if bits.width == VGPR_OR_SCALAR_BITS && dialect.takes_all_modifiers() =>
        {
            let number = i64::from(first) + FIRST_VGPR;
            let set = inst.set(slot.field, number);
            return set.map_err(|error| problem(field_problem(error, number)));
        }
        (Kind::Src, ArgValue::Int(_) | ArgValue::Float(_))
            if bits.width == 8 && takes_scalar(inst, slot.field) =>
        {
            let constant = match arg.what {
                ArgValue::Float(value) => float_constant(isa, dialect, slot.ty, value),
                ArgValue::Int(value) => dialect
                    .constant(isa, slot.ty, value)
                    .map_err(|error| field_problem(error, value)),
                _ => Err(ProblemKind::NeedsVgpr),
            };
            match constant.map_err(problem)? {
                Operand::Literal(_) => return Err(problem(ProblemKind::NoLiteral)),
                inline => inline,
            }
        }
        (Kind::Src, _) if bits.width == 8 => return Err(problem(ProblemKind::NeedsVgpr)),
        (Kind::Vgpr, ArgValue::Scalar { code, .. })
            if code == regs::LDS_DIRECT && bits.width == 9 =>
        {
            Operand::Scalar { code, count: 1 }
        }
        (
            Kind::Saddr | Kind::Src | Kind::Ssrc | Kind::Sdst | Kind::Aligned(_),
            ArgValue::Scalar { code, count },
        ) => {
            if count != regs::ANY_WIDTH {
                check_count(count)?;
            }
            if code < regs::ZERO && !takes_group(inst, slot, code, count) {
                return Err(problem(ProblemKind::Alignment(if count == 2 {
                    2
                } else {
                    4
                })));
            }
            let operand = Operand::Scalar {
                code,
                count: slot.ty.dwords(),
            };
            match rules::operand(inst, slot, operand) {
                // The code is that of an inline constant, not of a register.
                Some(Rule::NoConstant) => return Err(problem(ProblemKind::Expected(slot))),
                Some(rule) if dialect.enforces(rule) => {
                    return Err(problem(ProblemKind::Breaks(rule)));
                }
                Some(_) | None => operand,
            }
        }
        // A label distance is known here, but not yet to LLVM, which encodes it as a literal.
        (Kind::Src | Kind::Ssrc, ArgValue::Int(value)) if arg.is_distance => {
            Operand::Literal(literal(dialect, slot.ty, value).map_err(problem)?)
        }
        (Kind::Src | Kind::Ssrc, ArgValue::Int(value)) => dialect
            .constant(isa, slot.ty, value)
            .map_err(|error| problem(field_problem(error, value)))?,
        (Kind::Src | Kind::Ssrc, ArgValue::Float(value)) => {
            float_constant(isa, dialect, dialect.float_type(slot.ty), value)
                .map(|operand| with_count(operand, slot))
                .map_err(problem)?
        }
        (Kind::Src | Kind::Ssrc, ArgValue::Sized(value, width)) if width == width_of(slot.ty) => {
            float_constant(isa, dialect, float_of(width), value)
                .map(|operand| with_count(operand, slot))
                .map_err(problem)?
        }
        (Kind::Src | Kind::Ssrc | Kind::Literal, ArgValue::Sized(value, width)) => {
            Operand::Literal(float_literal(dialect, float_of(width), value).map_err(problem)?)
        }
        (Kind::Src | Kind::Ssrc | Kind::Literal, ArgValue::LiteralFloat(value)) => {
            let ty = dialect.float_type(slot.ty);
            Operand::Literal(float_literal(dialect, ty, value).map_err(problem)?)
        }
        (Kind::Src | Kind::Ssrc | Kind::Literal, ArgValue::Literal(value)) => {
            Operand::Literal(literal(dialect, slot.ty, value).map_err(problem)?)
        }
        (
            Kind::Src | Kind::Ssrc | Kind::Literal,
            ArgValue::Delayed(delayed) | ArgValue::DelayedLiteral(delayed),
        ) => {
            if encoded.delayed.is_some() {
                return Err(problem(ProblemKind::SecondLiteral));
            }
            if slot.ty.constant_bits() != u32::BITS {
                return Err(problem(ProblemKind::NotKnown));
            }
            set_unknown(inst, slot, Operand::Literal(0)).map_err(problem)?;
            encoded.delayed = Some((DelayedField::Literal, delayed));
            return Ok(());
        }
        (Kind::Literal, ArgValue::Int(value)) => {
            Operand::Literal(literal(dialect, slot.ty, value).map_err(problem)?)
        }
        (Kind::Literal, ArgValue::Float(value)) => Operand::Literal(
            float_literal(dialect, dialect.float_type(slot.ty), value).map_err(problem)?,
        ),
        (Kind::ScalarOffset { .. }, ArgValue::DelayedLiteral(delayed))
            if inst.encoding == Encoding::Smrd && isa == Isa::Ci =>
        {
            set_unknown(inst, slot, unknown_offset(true)).map_err(problem)?;
            encoded.delayed = Some((DelayedField::Literal, delayed));
            return Ok(());
        }
        (Kind::ScalarOffset { .. }, ArgValue::Delayed(delayed)) => {
            // Only numbers may be defined later, not registers.
            set_unknown(inst, slot, unknown_offset(false)).map_err(problem)?;
            let put_off = encoded.delay(DelayedField::Operand(slot), delayed);
            return put_off.map_err(problem);
        }
        (Kind::ScalarOffset { .. }, what) => {
            return scalar_offset(inst, dialect, slot, what, operands.scalar_offset)
                .map_err(problem);
        }
        (Kind::Branch, ArgValue::Delayed(delayed)) => {
            encoded.delayed = Some((DelayedField::Branch, delayed));
            return Ok(());
        }
        (Kind::Branch, ArgValue::Int(_)) if !dialect.numbers_are_distances() => {
            return Err(problem(ProblemKind::NotAllowed(
                &ids::OPERAND_KIND,
                "a branch goes to an address, such as a label or `.+8`",
            )));
        }
        (Kind::Branch, ArgValue::Int(value)) => {
            // LLVM prints distances as unsigned numbers.
            let value = match u16::try_from(value) {
                Ok(unsigned) => i64::from(unsigned.cast_signed()),
                Err(_) => value,
            };
            Operand::Imm(value)
        }
        (Kind::Waitcnt, ArgValue::Waitcnt(value))
        | (Kind::Hwreg, ArgValue::Hwreg(value))
        | (Kind::SendMsg, ArgValue::Message(value))
        | (Kind::GprIndex, ArgValue::GprIndex(value)) => Operand::Imm(i64::from(value)),
        (Kind::Attribute, ArgValue::Graphics(Kind::Attribute, value)) => {
            return attribute(inst, value).map_err(problem);
        }
        (_, ArgValue::Graphics(kind, value)) if kind == slot.kind => Operand::Imm(value),
        // Unsigned comparisons take unsigned immediates.
        (Kind::Simm16, ArgValue::Int(value @ ..0))
            if inst.row().slots().any(|slot| slot.ty == Ty::U32) =>
        {
            return Err(problem(ProblemKind::Range {
                value,
                low: 0,
                high: u16::MAX.into(),
            }));
        }
        (
            Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex,
            ArgValue::Int(value),
        ) => Operand::Imm(value),
        (
            Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex,
            ArgValue::Delayed(delayed),
        ) => {
            let put_off = encoded.delay(DelayedField::Operand(slot), delayed);
            return put_off.map_err(problem);
        }
        _ => return Err(problem(ProblemKind::Expected(slot))),
    };
    let value = match operand {
        Operand::Imm(value) => value,
        _ => 0,
    };
    if (matches!(slot.kind, Kind::GprIndex) || matches!(inst.row().does, Does::Fork))
        && let Some(rule) = rules::operand(inst, slot, operand)
        && dialect.enforces(rule)
    {
        return Err(problem(ProblemKind::Breaks(rule)));
    }
    inst.set_operand(slot, operand).map_err(|error| {
        problem(match (error, operand) {
            (FieldError::Kind, Operand::Literal(_)) if inst.literal().is_some() => {
                ProblemKind::SecondLiteral
            }
            (FieldError::Kind, Operand::Literal(_)) => ProblemKind::NoLiteral,
            (FieldError::Kind, _) if slot.kind == Kind::Sdst && bits.width == 0 => {
                ProblemKind::NeedsVcc
            }
            (FieldError::Kind, _) => ProblemKind::Expected(slot),
            _ => field_problem(error, value),
        })
    })
}

/// Sets an operand whose value is delayed; the fields hold zero for now.
fn set_unknown(inst: &mut Inst, slot: &Slot, operand: Operand) -> Result<(), ProblemKind> {
    let set = inst.set_operand(slot, operand);
    set.map_err(|error| field_problem(error, 0))
}

/// Scalar offset with a delayed value, held in a literal or in the offset field.
fn unknown_offset(literal: bool) -> Operand {
    Operand::ScalarOffset {
        imm: Some(0),
        reg: None,
        literal,
    }
}

/// Number of registers that the operand takes, and another number that is also valid.
pub(super) fn register_counts(inst: &Inst, slot: &Slot) -> (u8, u8) {
    let count = slot.ty.dwords();
    match slot.kind {
        // With TFE, the value may be followed by a status dword (errata E015).
        Kind::Vgpr if slot.access != OperandAccess::Read && inst.flag(Field::Tfe) => {
            (count + 1, count)
        }
        Kind::Vgpr
            if matches!(inst.encoding, Encoding::Mubuf | Encoding::Mtbuf)
                && inst.flag(Field::Tfe) =>
        {
            (count + 1, count)
        }
        Kind::ImageData { .. } => match inst.operand(slot) {
            Operand::Vgprs { count, .. } => (count, count),
            _ => (count, count),
        },
        Kind::ExportSource(_) => (1, 1),
        // LLVM prints short descriptors with as many registers as long ones.
        Kind::Aligned(_) if slot.field == Field::Srsrc && inst.flag(Field::R128) => {
            (count, SHORT_DESCRIPTOR)
        }
        Kind::BufferAddress => {
            let count = if inst.flag(Field::Addr64) {
                2
            } else {
                u8::from(inst.flag(Field::Idxen)) + u8::from(inst.flag(Field::Offen))
            };
            (count, count)
        }
        _ => (count, count),
    }
}

/// Returns true if an SDWA source may be a scalar register or an inline constant (GCN 1.4).
fn takes_scalar(inst: &Inst, field: Field) -> bool {
    match field {
        Field::Src0 => inst.layout().has(Field::Src0Scalar),
        Field::Src1 => inst.layout().has(Field::Src1Scalar),
        _ => false,
    }
}

/// Returns true if a scalar register group has the alignment that the slot requires.
fn takes_group(inst: &Inst, slot: &Slot, code: u8, count: u8) -> bool {
    match slot.kind {
        // The field may be able to encode groups that are not aligned enough.
        Kind::Aligned(_) => regs::aligned(code, count.min(GROUP)),
        _ => gcn_isa::clrx::takes_group(inst.encoding, code, count),
    }
}

/// Encodes negation, absolute value and sign extension in the encoding's fields, or applies them to the constant.
fn source_modifiers(
    inst: &mut Inst,
    dialect: Dialect,
    place: &PlacedOperand,
    arg: &ParsedOperand,
) -> Result<ArgValue, ProblemKind> {
    let slot = &place.slot;
    let is_float = slot.ty.is_float();
    if arg.has_two_signs {
        return Err(ProblemKind::NotAllowed(
            &ids::SOURCE_MODIFIER,
            "two consecutive signs: write `neg(…)`",
        ));
    }
    let is_any = dialect.takes_all_modifiers();
    let has_modifiers = match slot.kind {
        Kind::Src | Kind::Vgpr => true,
        Kind::Ssrc => is_any,
        _ => false,
    };
    if !has_modifiers
        || !is_any && (arg.negated || arg.absolute) && !is_float
        || !is_any && arg.extended && is_float
    {
        return Err(ProblemKind::NotAllowed(
            &ids::SOURCE_MODIFIER,
            if arg.extended {
                "only integers can be sign-extended"
            } else {
                "only floating-point operands of vector instructions can be negated"
            },
        ));
    }
    let has_fields = inst.layout().has(Field::Neg) || inst.layout().has(Field::Src0Neg);
    if !has_fields
        && !arg.extended
        && let Some(constant) = modified_constant(slot.ty, arg)
    {
        return Ok(constant);
    }
    let (negate, absolute, extend) = match is_any {
        true => modifier_bits(inst, slot),
        false => (place.negate, place.absolute, place.extend),
    };
    let wanted = [
        (arg.negated, negate),
        (arg.absolute, absolute),
        (arg.extended, extend),
    ];
    for (_, bit) in wanted.into_iter().filter(|(is_wanted, _)| *is_wanted) {
        if bit == 0 {
            return Err(ProblemKind::NoSourceModifiers);
        }
        inst.set_bits(bit);
    }
    Ok(arg.what)
}

/// Bits that negate, take the absolute value of, or sign-extend a source of any type; 0 if the encoding lacks them.
fn modifier_bits(inst: &Inst, slot: &Slot) -> (u64, u64, u64) {
    let index = match slot.field {
        Field::Src0 => 0,
        Field::Src1 => 1,
        Field::Src2 => 2,
        _ => return (0, 0, 0),
    };
    let layout = inst.layout();
    if layout.has(Field::Src0Neg) {
        let of = |field| layout.bits(field).mask();
        return match index {
            0 => (of(Field::Src0Neg), of(Field::Src0Abs), of(Field::Src0Sext)),
            1 => (of(Field::Src1Neg), of(Field::Src1Abs), of(Field::Src1Sext)),
            _ => (0, 0, 0),
        };
    }
    let bit = |field| {
        let bits = layout.bits(field);
        if bits.width > index {
            1 << (bits.low + index)
        } else {
            0
        }
    };
    // Packed instructions use modifier lists instead; in CLRX, a sign also sets the negation list.
    let is_packed = inst.encoding == Encoding::Vop3p;
    let absolute = if is_packed { 0 } else { bit(Field::Abs) };
    (bit(Field::Neg), absolute, 0)
}

/// Encodes the offset of a scalar memory instruction (errata E012, E025, E026).
pub(super) fn scalar_offset(
    inst: &mut Inst,
    dialect: Dialect,
    slot: &'static Slot,
    what: ArgValue,
    added: Option<i64>,
) -> Result<(), ProblemKind> {
    // Only the literal of GCN 1.1 is a full 32-bit unsigned number.
    let has_literal = inst.encoding == Encoding::Smrd;
    let narrow = |value: i64| {
        let unsigned = u32::try_from(value).map(u32::cast_signed);
        i32::try_from(value).or_else(|error| if has_literal { unsigned } else { Err(error) })
    };
    let has_both = inst.layout().has(Field::Soe);
    let operand = match what {
        ArgValue::Scalar { code, count: 1 } if code < regs::ZERO => {
            let imm = match added {
                None => None,
                Some(_) if !has_both => return Err(ProblemKind::ModifierNotHere),
                Some(value) => Some(narrow(value).map_err(|_| offset_range(inst, slot, value))?),
            };
            let operand = Operand::ScalarOffset {
                imm,
                reg: Some(code),
                literal: false,
            };
            match rules::operand(inst, slot, operand) {
                // `set_operand` checks the range.
                None | Some(Rule::OffsetRange) => operand,
                Some(rule) if !dialect.enforces(rule) => operand,
                Some(rule) => return Err(ProblemKind::Breaks(rule)),
            }
        }
        ArgValue::Int(value) if added.is_none() => {
            let largest = inst.layout().bits(Field::Offset).max().cast_signed();
            let literal = inst.encoding == Encoding::Smrd && inst.isa == Isa::Ci && value > largest;
            Operand::ScalarOffset {
                imm: Some(narrow(value).map_err(|_| offset_range(inst, slot, value))?),
                reg: None,
                literal,
            }
        }
        ArgValue::Literal(value) if inst.encoding == Encoding::Smrd => Operand::ScalarOffset {
            imm: Some(narrow(value).map_err(|_| offset_range(inst, slot, value))?),
            reg: None,
            literal: true,
        },
        ArgValue::Delayed(_) | ArgValue::DelayedLiteral(_) => return Err(ProblemKind::NotKnown),
        _ => return Err(ProblemKind::Expected(slot)),
    };
    let value = match what {
        ArgValue::Int(value) => value,
        _ => added.unwrap_or(0),
    };
    match inst.set_operand(slot, operand) {
        // CLRX prints negative offsets as unsigned numbers.
        Err(FieldError::Range { .. })
            if !dialect.enforces(Rule::OffsetRange) && inst.set(Field::Offset, value).is_ok() =>
        {
            Ok(())
        }
        // A larger offset becomes a literal, so the limit is that of the literal.
        Err(FieldError::Range { low, .. }) if has_literal && inst.isa == Isa::Ci => {
            let high = u32::MAX.into();
            Err(ProblemKind::Range { value, low, high })
        }
        result => result.map_err(|error| field_problem(error, value)),
    }
}

/// Out-of-range problem for an offset, with the valid range.
fn offset_range(inst: &Inst, slot: &Slot, value: i64) -> ProblemKind {
    let mut probe = *inst;
    let extreme = Operand::ScalarOffset {
        imm: Some(i32::MAX),
        reg: None,
        literal: false,
    };
    match probe.set_operand(slot, extreme) {
        Err(FieldError::Range { low, high, .. }) => ProblemKind::Range { value, low, high },
        _ => ProblemKind::NotKnown,
    }
}
