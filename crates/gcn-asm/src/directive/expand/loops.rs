//! Conditional loops of CLRX: `.while` and `.for`.
//!
//! The loop statement is read again before each iteration: the iteration's frame stores its position.

use std::ops::Range;

use crate::assembler::Assembler;
use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, TextOrigin};
use crate::diagnostic::{Fail, fail};
use crate::ids;

/// The directives that begin and end a loop.
pub(super) const LOOP: (&[&str], &[&str]) = (
    &[".rept", ".rep", ".irp", ".irpc", ".for", ".while"],
    &[".endr", ".endrept"],
);
/// Cost of an iteration in addition to its text: the condition is evaluated again and may never fail.
const ROUND_COST: usize = 1024;

/// `condition`, up to `.endr`
pub(crate) fn while_loop(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let round = round(asm, span);
    let holds = asm.absolute("the condition").map(|number| number != 0);
    round_if(asm, holds, ".while", round, span)
}

/// `symbol = first, condition, next`, up to `.endr`
pub(crate) fn for_loop(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let round = round(asm, span);
    let holds = for_head(asm, round);
    round_if(asm, holds, ".for", round, span)
}

/// Number of the iteration that is about to begin.
fn round(asm: &mut Assembler<'_>, span: &Range<usize>) -> u64 {
    let next = asm.reader.expansion.next_iteration.take();
    let own = next.filter(|next| next.at == span.start);
    own.map_or(1, |next| next.round)
}

/// Updates the loop symbol for this iteration; returns true if the iteration is executed.
fn for_head(asm: &mut Assembler<'_>, round: u64) -> Result<bool, Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let name = asm.reader.cursor.name()?.into_owned();
    let span = start..asm.reader.cursor.pos();
    if !asm.reader.cursor.eat_after_blanks(b'=') {
        return Err(asm.reader.cursor.expected("`=` and the first value"));
    }
    let first = asm.absolute("the first value")?;
    if round == 1 {
        set_number(asm, &name, first, span.clone())?;
    }
    asm.comma("the condition")?;
    let condition = asm.reader.cursor.pos();
    let holds = asm.absolute("the condition")?;
    asm.comma("the next value")?;
    let next = asm.absolute("the next value")?;
    if round == 1 {
        return Ok(holds != 0);
    }
    // The condition is evaluated for the next value.
    set_number(asm, &name, next, span)?;
    let end = asm.reader.cursor.pos();
    asm.reader.cursor.set_pos(condition);
    let holds = asm.absolute("the condition")?;
    asm.reader.cursor.set_pos(end);
    Ok(holds != 0)
}

/// Expands the body once if the condition holds, then returns to the loop statement.
fn round_if(
    asm: &mut Assembler<'_>,
    holds: Result<bool, Fail>,
    name: &'static str,
    round: u64,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let holds = holds.and_then(|holds| {
        if asm.reader.cursor.statement_ends() {
            Ok(holds)
        } else {
            Err(asm.reader.cursor.expected("the end of the statement"))
        }
    });
    let call = asm.reader.statement_from(span.start);
    let mut again = asm.reader.cursor.clone();
    again.set_pos(span.start);
    let body = asm.reader.body(LOOP, span)?;
    if !holds? {
        return Ok(());
    }
    asm.reader.charge(body.len() + ROUND_COST, &call)?;
    let begin = asm.reader.cursor.within(body);
    let step = ExpansionStep {
        what: ExpansionKind::Loop(name),
        text: None,
        origin: TextOrigin::Unknown,
        call,
        iteration: round,
    };
    asm.reader.expand(step, begin, 1)?;
    asm.reader.repeat_from(again);
    Ok(())
}

/// Defines a symbol as a number, as `=` does.
fn set_number(
    asm: &mut Assembler<'_>,
    name: &str,
    value: i64,
    span: Range<usize>,
) -> Result<(), Fail> {
    if asm.names.is_label(name) {
        let message = format!("symbol `{name}` is already defined as a label");
        return Err(fail(&ids::REDEFINED_SYMBOL, span, message));
    }
    asm.names.define_number(name, value, span);
    Ok(())
}
