//! Values that a statement waits for.

use crate::argument::{ArgValue, Delayed, DelayedId};
use crate::assembler::Assembler;

/// An operand that is not known yet.
pub(super) fn wait(asm: &mut Assembler<'_>, delayed: Delayed) -> ArgValue {
    ArgValue::Delayed(wait_on(asm, delayed))
}

/// Keeps what the statement waits for.
pub(crate) fn wait_on(asm: &mut Assembler<'_>, delayed: Delayed) -> DelayedId {
    let place = u32::try_from(asm.waiting.len()).unwrap_or(u32::MAX);
    asm.waiting.push(delayed);
    DelayedId(place)
}

/// The value that an operand of the statement waits for.
pub(crate) fn waiting(asm: &Assembler<'_>, waiting: DelayedId) -> Option<Delayed> {
    asm.waiting.get(waiting.0 as usize).copied()
}
