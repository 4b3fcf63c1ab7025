//! CLRX's conditional loops, `.while` and `.for`.
//!
//! The loop statement is read again before each iteration; the iteration's frame stores the statement's position.

use std::ops::Range;

use crate::assembler::expansion::Expansion;
use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, TextOrigin};
use crate::assembler::names::Names;
use crate::assembler::parser::Parser;
use crate::assembler::reader::SourceReader;
use crate::diagnostic::{Fail, fail};
use crate::ids;

/// Directives that begin and end a loop.
pub(super) const LOOP: (&[&str], &[&str]) = (
    &[".rept", ".rep", ".irp", ".irpc", ".for", ".while"],
    &[".endr", ".endrept"],
);
/// Cost of an iteration in addition to its text, in bytes: the condition is evaluated each time, and may always hold.
const ROUND_COST: usize = 1024;

/// Handles `.while condition` up to `.endr`.
pub(crate) fn while_loop(reader: &mut SourceReader<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let round = round(&mut reader.expansion, span);
    let holds = reader
        .parser
        .absolute("the condition")
        .map(|number| number != 0);
    round_if(reader, holds, ".while", round, span)
}

/// Handles `.for symbol = first, condition, next` up to `.endr`.
pub(crate) fn for_loop(reader: &mut SourceReader<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let round = round(&mut reader.expansion, span);
    let holds = for_head(&mut reader.parser, round);
    round_if(reader, holds, ".for", round, span)
}

/// One-based number of the iteration about to begin.
fn round(expansion: &mut Expansion<'_>, span: &Range<usize>) -> u64 {
    let next = expansion.next_iteration.take();
    let own = next.filter(|next| next.at == span.start);
    own.map_or(1, |next| next.round)
}

/// Parses the head of a `.for` loop and updates its symbol; returns true if the iteration is executed.
fn for_head(parser: &mut Parser<'_>, round: u64) -> Result<bool, Fail> {
    let (name, span) = parser.cursor.name_and_span()?;
    let name = name.into_owned();
    parser.cursor.require(b'=', "`=` and the first value")?;
    let first = parser.absolute("the first value")?;
    if round == 1 {
        set_number(&mut parser.names, &name, first, span.clone())?;
    }
    parser.cursor.comma("the condition")?;
    let condition = parser.cursor.pos();
    let holds = parser.absolute("the condition")?;
    parser.cursor.comma("the next value")?;
    let next = parser.absolute("the next value")?;
    if round == 1 {
        return Ok(holds != 0);
    }
    // The condition is evaluated with the new value.
    set_number(&mut parser.names, &name, next, span)?;
    let end = parser.cursor.pos();
    parser.cursor.set_pos(condition);
    let holds = parser.absolute("the condition")?;
    parser.cursor.set_pos(end);
    Ok(holds != 0)
}

/// Runs the body once if the condition holds, then returns to the loop statement.
fn round_if(
    reader: &mut SourceReader<'_>,
    holds: Result<bool, Fail>,
    name: &'static str,
    round: u64,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let holds = holds.and_then(|holds| {
        reader.parser.cursor.end_statement()?;
        Ok(holds)
    });
    let call = reader.parser.cursor.statement_from(span.start);
    let mut again = reader.parser.cursor.clone();
    again.set_pos(span.start);
    let body = reader.parser.cursor.body(LOOP, span)?;
    if !holds? {
        return Ok(());
    }
    reader.expansion.charge(body.len() + ROUND_COST, &call)?;
    let begin = reader.parser.cursor.within(body);
    let step = ExpansionStep {
        what: ExpansionKind::Loop(name),
        text: None,
        origin: TextOrigin::Unknown,
        call,
        iteration: round,
    };
    reader.expand(step, begin, 1)?;
    reader.expansion.repeat_from(again);
    Ok(())
}

/// Defines a symbol as a number, like `=`.
fn set_number(names: &mut Names, name: &str, value: i64, span: Range<usize>) -> Result<(), Fail> {
    if names.is_label(name) {
        let message = format!("symbol `{name}` is already defined as a label");
        return Err(fail(&ids::REDEFINED_SYMBOL, span, message));
    }
    names.define_number(name, value, span);
    Ok(())
}
