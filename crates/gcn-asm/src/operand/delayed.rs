//! Delayed values of a statement: known only at the end of the source or after linking.

use crate::argument::{ArgValue, DelayedId, DelayedValue};
use crate::assembler::Assembler;

/// Records a delayed value as an operand.
pub(super) fn delayed_operand(asm: &mut Assembler<'_>, delayed: DelayedValue) -> ArgValue {
    ArgValue::Delayed(delay_value(asm, delayed))
}

/// Records a delayed value of the statement.
pub(crate) fn delay_value(asm: &mut Assembler<'_>, delayed: DelayedValue) -> DelayedId {
    let place = u32::try_from(asm.delayed_values.len()).unwrap_or(u32::MAX);
    asm.delayed_values.push(delayed);
    DelayedId(place)
}

/// The delayed value with this index.
pub(crate) fn delayed_value(asm: &Assembler<'_>, id: DelayedId) -> Option<DelayedValue> {
    asm.delayed_values.get(id.0 as usize).copied()
}
