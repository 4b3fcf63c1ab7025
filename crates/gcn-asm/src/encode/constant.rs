//! Encodes constants according to operand type: as inline constants if possible, otherwise as literals.

use gcn_isa::rules;
use gcn_isa::{Isa, Operand, Slot, Ty, regs};

use super::problem::{ProblemKind, field_problem};
use crate::argument::{ArgValue, ParsedOperand};
use crate::cursor::FloatWidth;
use crate::float::HALF;
use crate::inputs::dialect::Dialect;

/// Encodes a floating-point number as an inline constant with the same bits, if there is one, or else as a literal.
pub(super) fn float_constant(
    isa: Isa,
    dialect: Dialect,
    ty: Ty,
    value: f64,
) -> Result<Operand, ProblemKind> {
    // CLRX prints 1/(2π) the same way for all types.
    let is_inv_2pi = dialect.rounds_inv_2pi() && value as f32 == std::f32::consts::FRAC_1_PI / 2.0;
    if is_inv_2pi && regs::inline(isa, regs::INV_2PI).is_some() {
        return Ok(Operand::Scalar {
            code: regs::INV_2PI,
            count: ty.dwords(),
        });
    }
    let bits = if ty.constant_bits() == u64::BITS {
        dialect.double_bits(value)
    } else {
        float_literal(dialect, ty, value)?.into()
    };
    rules::inline_or_literal(isa, ty, bits, float_literal(dialect, ty, value))
}

/// Converts a floating-point number to literal bits for `ty`. A 16-bit integer operand gets the bits of a 32-bit float,
/// as with inline constants (errata E165).
pub(super) fn float_literal(dialect: Dialect, ty: Ty, value: f64) -> Result<u32, ProblemKind> {
    let (bits, is_possible) = match (ty, ty.constant_bits()) {
        (Ty::F16 | Ty::F16x2, _) => {
            let half = half::f16::from_bits(HALF.magnitude(value) as u16);
            let half = if value.is_sign_negative() {
                -half
            } else {
                half
            };
            let is_rounded = f64::from(half) != value;
            let is_possible = half.is_finite() && (half.is_normal() || !is_rounded);
            (u32::from(half.to_bits()), is_possible)
        }
        // The literal holds the upper half; the lower half is zero.
        (Ty::F64, _) => ((dialect.double_bits(value) >> u32::BITS) as u32, true),
        (_, 64) => return Err(ProblemKind::FloatInInteger),
        // The value must also be representable as a half.
        _ if ty.is_short_integer() => {
            float_literal(dialect, Ty::F16, value)?;
            ((value as f32).to_bits(), true)
        }
        _ => {
            let single = value as f32;
            let is_rounded = f64::from(single) != value;
            let is_possible = single.is_finite() && (single.is_normal() || !is_rounded);
            (single.to_bits(), is_possible)
        }
    };
    if is_possible {
        Ok(bits)
    } else {
        Err(ProblemKind::FloatRange(value))
    }
}

/// Converts an integer to literal bits for `ty`.
pub(super) fn literal(dialect: Dialect, ty: Ty, value: i64) -> Result<u32, ProblemKind> {
    dialect
        .literal(ty, value)
        .map_err(|error| field_problem(error, value))
}

/// Applies an operand's negation and absolute value to its constant. Returns `None` for other operands, and for integers
/// that do not fit into a literal or belong to a 64-bit type.
pub(super) fn modified_constant(ty: Ty, arg: &ParsedOperand) -> Option<ArgValue> {
    let float = |value: f64| {
        let value = if arg.absolute { value.abs() } else { value };
        if arg.negated { -value } else { value }
    };
    let integer = |value: i64| {
        if ty.constant_bits() == u64::BITS {
            return None;
        }
        let bits = i64::from(rules::literal(ty, value).ok()?);
        let sign = 1 << (ty.constant_bits() - 1);
        let bits = if arg.absolute { bits & !sign } else { bits };
        Some(if arg.negated { bits ^ sign } else { bits })
    };
    match arg.what {
        ArgValue::Float(value) => Some(ArgValue::Float(float(value))),
        ArgValue::LiteralFloat(value) => Some(ArgValue::LiteralFloat(float(value))),
        ArgValue::Int(value) => integer(value).map(ArgValue::Int),
        ArgValue::Literal(value) => integer(value).map(ArgValue::Literal),
        _ => None,
    }
}

/// Sets the register count of a scalar operand to its slot's.
pub(super) fn with_count(operand: Operand, slot: &Slot) -> Operand {
    match operand {
        Operand::Scalar { code, .. } => Operand::Scalar {
            code,
            count: slot.ty.dwords(),
        },
        other => other,
    }
}

/// Width of floating-point constants for `ty`.
pub(super) fn width_of(ty: Ty) -> FloatWidth {
    match ty {
        Ty::F16 | Ty::F16x2 => FloatWidth::Half,
        Ty::F64 => FloatWidth::Double,
        _ => FloatWidth::Single,
    }
}

/// Type of floating-point constants with this width.
pub(super) fn float_of(width: FloatWidth) -> Ty {
    match width {
        FloatWidth::Half => Ty::F16,
        FloatWidth::Single => Ty::F32,
        FloatWidth::Double => Ty::F64,
    }
}
