//! Directives that change the text being read: macros, loops, conditionals and included files.

mod substitute;

pub(crate) mod condition;
pub(crate) mod files;
pub(crate) mod loops;
pub(crate) mod macros;
pub(crate) mod source_mapping;

use std::ops::Range;

use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, TextOrigin};
use crate::assembler::expansion::{ENTRY_COST, Jump, REPEAT_COST};
use crate::assembler::parser::Parser;
use crate::assembler::reader::SourceReader;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, Severity, fail};
use crate::ids;
use crate::inputs::dialect::Dialect;
use loops::LOOP;
use substitute::{Substitutions, substitute, unquoted};

/// Placeholder for the iteration number in a loop, or the call number in a macro.
const ROUND: &str = "\\+";

/// Handles `.rept count` up to `.endr`.
pub(crate) fn rept(reader: &mut SourceReader<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let count = reader
        .parser
        .absolute("the number of repetitions")
        .and_then(|count| {
            reader.parser.cursor.end_statement()?;
            Ok(count)
        });
    let call = reader.parser.cursor.statement_from(span.start);
    let body = reader.parser.cursor.body(LOOP, span)?;
    let count = count?;
    let Ok(count) = u64::try_from(count) else {
        let message = format!("a loop cannot be repeated {count} times");
        return Err(fail(&ids::EXPANSION_LIMIT, call, message));
    };
    if count == 0 || body.is_empty() {
        return Ok(());
    }
    if reader.parser.cursor.slice(body.clone()).contains(ROUND) {
        let rounds = usize::try_from(count).unwrap_or(usize::MAX);
        let values = std::iter::repeat_n(None, rounds);
        return unrolled(reader, ".rept", body, values, call);
    }
    let each = body.len() + REPEAT_COST;
    let bytes = usize::try_from(count)
        .unwrap_or(usize::MAX)
        .saturating_mul(each);
    reader
        .expansion
        .charge(bytes.saturating_add(ENTRY_COST), &call)?;
    let begin = reader.parser.cursor.within(body);
    let step = ExpansionStep {
        what: ExpansionKind::Loop(".rept"),
        text: None,
        origin: TextOrigin::Unknown,
        call,
        iteration: 1,
    };
    reader.expand(step, begin, count)
}

/// Handles `.irp parameter, value, value` up to `.endr`; for `.irpc`, the values are the characters of a string.
pub(crate) fn irp(
    reader: &mut SourceReader<'_>,
    span: &Range<usize>,
    name: &'static str,
) -> Result<(), Fail> {
    let head = irp_head(reader, name == ".irpc");
    let call = reader.parser.cursor.statement_from(span.start);
    let body = reader.parser.cursor.body(LOOP, span)?;
    let (parameter, values) = head?;
    let values = values.into_iter().map(|value| Some((parameter, value)));
    unrolled(reader, name, body, values, call)
}

/// Expands all iterations of a loop into one text, for a body that depends on the iteration.
fn unrolled<'a>(
    reader: &mut SourceReader<'a>,
    name: &'static str,
    body: Range<usize>,
    values: impl Iterator<Item = Option<(&'a str, &'a str)>>,
    call: Range<usize>,
) -> Result<(), Fail> {
    let text = reader.parser.cursor.slice(body.clone());
    let mut out = String::new();
    for (round, value) in (0..).zip(values) {
        let values = Substitutions {
            bindings: value.as_slice(),
            calls: reader.expansion.calls,
            round,
        };
        let limit = reader.expansion.budget;
        // Iterations of an empty body also count toward the limit.
        let limit = limit.saturating_sub(round as usize * REPEAT_COST);
        if !substitute(&mut out, text, &values, limit) || limit == 0 {
            return reader.expansion.charge(usize::MAX, &call);
        }
    }
    reader.expansion.charge(out.len() + ENTRY_COST, &call)?;
    let origin = reader.parser.mapping.origin(body);
    let text = reader.expansion.keep(out);
    let step = ExpansionStep {
        what: ExpansionKind::Loop(name),
        text: Some(text),
        origin,
        call,
        iteration: 1,
    };
    reader.expand(step, Cursor::new(text, reader.parser.dialect), 1)
}

fn irp_head<'a>(
    reader: &mut SourceReader<'a>,
    by_character: bool,
) -> Result<(&'a str, Vec<&'a str>), Fail> {
    reader.parser.cursor.skip_blanks();
    let Some(parameter) = reader.parser.cursor.word() else {
        return Err(reader.parser.cursor.expected("a parameter's name"));
    };
    let _ = reader.parser.cursor.eat_after_blanks(b',');
    let mut values = Vec::new();
    if by_character {
        let characters = unquoted(reader.parser.cursor.rest_of_line());
        let ends = characters
            .char_indices()
            .map(|(at, c)| at..at + c.len_utf8());
        let characters = ends.filter_map(|range| characters.get(range));
        let is_idle = |c: &str| reader.parser.dialect.ignores_idle_blanks() && c.trim().is_empty();
        values.extend(characters.filter(|c| !is_idle(c)));
    } else {
        let mut after_comma = false;
        while after_comma || !reader.parser.cursor.statement_ends() {
            values.push(unquoted(macros::macro_argument(reader)?));
            after_comma = reader.parser.cursor.eat_after_blanks(b',');
        }
    }
    // GNU as and CLRX expand an empty list once; LLVM skips an empty `.irp`.
    if values.is_empty() && (by_character || reader.parser.dialect == Dialect::Clrx) {
        values.push("");
    }
    Ok((parameter, values))
}

/// Reports a user-defined error, warning or note: `.error "text"`.
pub(crate) fn user_message(
    parser: &mut Parser<'_>,
    name: &str,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let mut text = String::new();
    if !parser.cursor.statement_ends() || name == ".print" {
        text = String::from_utf8_lossy(&parser.cursor.string()?).into_owned();
    }
    if text.is_empty() {
        text = format!("`{name}` without a text");
    }
    let mut message = fail(&ids::USER_ERROR, parser.cursor.since(span.start), text);
    (message.severity, message.id) = match name {
        ".print" => (Severity::Note, &ids::USER_NOTE),
        ".warning" => (Severity::Warning, &ids::USER_WARNING),
        _ => return Err(message),
    };
    parser.diagnostics.push(*message);
    Ok(())
}

/// Handles `.end`: ignores the rest of the source.
pub(crate) fn end(reader: &mut SourceReader<'_>) {
    reader.parser.cursor.skip_line_content();
    reader.expansion.jump = Some(Jump::Stop);
}

/// Error for a directive that closes a block which is not open.
pub(crate) fn unopened_error(name: &str, span: &Range<usize>, beginning: &str) -> Result<(), Fail> {
    let message = format!("`{name}` without {beginning}");
    Err(fail(&ids::UNOPENED_BLOCK, span.clone(), message))
}
