//! Delayed values of a statement: known only at the end of the source or after linking.

use crate::argument::{ArgValue, Delayed, DelayedId};
use crate::assembler::Assembler;

/// Records a delayed value as an operand.
pub(super) fn wait(asm: &mut Assembler<'_>, delayed: Delayed) -> ArgValue {
    ArgValue::Delayed(wait_on(asm, delayed))
}

/// Records a delayed value of the statement.
pub(crate) fn wait_on(asm: &mut Assembler<'_>, delayed: Delayed) -> DelayedId {
    let place = u32::try_from(asm.waiting.len()).unwrap_or(u32::MAX);
    asm.waiting.push(delayed);
    DelayedId(place)
}

/// The delayed value with this index.
pub(crate) fn waiting(asm: &Assembler<'_>, waiting: DelayedId) -> Option<Delayed> {
    asm.waiting.get(waiting.0 as usize).copied()
}
