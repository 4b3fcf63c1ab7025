//! Encoder input and output: a statement's operands, and the encoded instruction.

use gcn_isa::{Field, FieldError, Inst, Kind, Modifier, ModifierValue, Operand, Slot};

use super::problem::ProblemKind;
use crate::argument::{DelayedId, ModArg, ParsedOperand};

/// [`ModArg::count`](crate::argument::ModArg::count) of a list written as a single number, as in CLRX.
pub(crate) const AS_NUMBER: usize = usize::MAX;

pub(crate) struct StatementOperands<'a> {
    pub args: &'a [ParsedOperand],
    pub mods: &'a [ModArg],
    /// `offset:` value after the register operand of a scalar memory instruction (errata E025).
    pub scalar_offset: Option<i64>,
}

/// An encoded instruction, and its fields that are still unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EncodedStatement {
    pub inst: Inst,
    pub delayed: Option<(DelayedField, DelayedId)>,
    /// Delayed fields that cannot hold addresses.
    pub later: [Option<(DelayedField, DelayedId)>; MOST_LATER],
}

/// A field whose value is filled in later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DelayedField {
    /// Literal dword after the instruction.
    Literal,
    /// Branch offset.
    Branch,
    /// Operand value.
    Operand(&'static Slot),
    /// Modifier value.
    Modifier(&'static Modifier),
}

/// Maximum number of delayed fields per instruction, besides a literal or branch offset.
pub(crate) const MOST_LATER: usize = 3;

impl EncodedStatement {
    /// Marks a field to be filled in at the end of the source.
    pub(super) fn delay(
        &mut self,
        field: DelayedField,
        value: DelayedId,
    ) -> Result<(), ProblemKind> {
        let free = self.later.iter_mut().find(|place| place.is_none());
        *free.ok_or(ProblemKind::NotKnown)? = Some((field, value));
        Ok(())
    }
}

impl DelayedField {
    /// Writes a value to the field.
    ///
    /// # Errors
    /// [`FieldError`] if the value does not fit.
    pub(crate) fn fill(self, inst: &mut Inst, value: i64) -> Result<(), FieldError> {
        match self {
            DelayedField::Literal => inst.set_literal(value as u32),
            DelayedField::Branch => inst.set_signed(Field::Simm16, value),
            DelayedField::Operand(slot) => {
                let operand = match slot.kind {
                    Kind::ScalarOffset { .. } => {
                        let range = || FieldError::Range {
                            value,
                            low: 0,
                            high: inst.layout().bits(Field::Offset).max().cast_signed(),
                        };
                        Operand::ScalarOffset {
                            imm: Some(i32::try_from(value).map_err(|_| range())?),
                            reg: None,
                            literal: false,
                        }
                    }
                    _ => Operand::Imm(value),
                };
                inst.set_operand(slot, operand)
            }
            DelayedField::Modifier(modifier) if modifier.value == ModifierValue::Signed => {
                inst.set_signed(modifier.field, value)
            }
            DelayedField::Modifier(modifier) => inst.set(modifier.field, value),
        }
    }
}
