//! Macro definitions and calls.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use super::substitute::{
    Substitutions, blanks_separate, is_operator, locals, substitute, unquoted, with_backslashes,
};
use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, TextOrigin};
use crate::assembler::expansion::{
    ENTRY_COST, Expansion, Jump, MACRO_NAME, MAX_CALL, Macro, MacroParameter, ParameterKind,
};
use crate::assembler::reader::SourceReader;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::inputs::dialect::Dialect;

/// Directives that begin and end a macro.
const MACRO: (&[&str], &[&str]) = (&[".macro"], &[".endm", ".endmacro"]);
/// Expands a call to the macro `name`, if there is one; the cursor is after the name.
pub(crate) fn macro_call(
    reader: &mut SourceReader<'_>,
    name: &str,
    span: &Range<usize>,
) -> Option<Result<(), Fail>> {
    let mut buffer = [0; MACRO_NAME];
    let key = reader.expansion.macro_key(name, &mut buffer);
    let called = Rc::clone(reader.expansion.macros.get(key)?);
    Some(call(reader, &called, span))
}

/// Handles `.macro name parameter, parameter=default, parameter:req, parameter:vararg`.
pub(crate) fn define_macro(reader: &mut SourceReader<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let head = macro_head(reader);
    let body = reader.parser.cursor.body(MACRO, span)?;
    let (name, name_span, parameters) = head?;
    let text = reader.parser.cursor.slice(body.clone());
    let defined = Macro {
        name,
        parameters,
        body: text,
        // Positions in generated text cannot be reported to the user.
        origin: match reader.parser.mapping.origin(body) {
            TextOrigin::Around(_) => TextOrigin::Unknown,
            origin => origin,
        },
        calls: Cell::new(0),
        is_plain: !text.contains('\\'),
    };
    let mut buffer = [0; MACRO_NAME];
    let key = match reader.expansion.macro_key(name, &mut buffer) {
        key if key == name => name,
        key => reader.expansion.keep(key.to_owned()),
    };
    if reader.expansion.macros.contains_key(key) {
        let message = format!("macro `{name}` is already defined");
        return Err(fail(&ids::REDEFINED_MACRO, name_span, message)
            .with_help("remove it with `.purgem` before it is defined again"));
    }
    reader.expansion.macros.insert(key, Rc::new(defined));
    Ok(())
}

fn macro_head<'a>(
    reader: &mut SourceReader<'a>,
) -> Result<(&'a str, Range<usize>, Vec<MacroParameter<'a>>), Fail> {
    let start = reader.parser.cursor.token_start();
    let Some(name) = reader.parser.cursor.word() else {
        return Err(reader.parser.cursor.expected("the macro's name"));
    };
    let span = reader.parser.cursor.since(start);
    let mut parameters: Vec<MacroParameter<'a>> = Vec::new();
    let _ = reader.parser.cursor.eat_after_blanks(b',');
    while !reader.parser.cursor.statement_ends() {
        let start = reader.parser.cursor.pos();
        let Some(parameter) = reader.parser.cursor.word() else {
            return Err(reader.parser.cursor.expected("a parameter's name"));
        };
        let here = reader.parser.cursor.since(start);
        if parameters
            .last()
            .is_some_and(|last| last.kind == ParameterKind::Rest)
        {
            let message = "a parameter cannot follow the one that takes the rest";
            return Err(fail(&ids::MACRO_PARAMETER, here, message));
        }
        if parameters.iter().any(|other| other.name == parameter) {
            let message = format!("the macro has two parameters `{parameter}`");
            return Err(fail(&ids::MACRO_PARAMETER, here, message));
        }
        let mut kind = ParameterKind::Optional;
        if reader.parser.cursor.eat_after_blanks(b':') {
            let start = reader.parser.cursor.token_start();
            kind = match reader.parser.cursor.word() {
                Some("req") => ParameterKind::Required,
                Some("vararg") => ParameterKind::Rest,
                _ => {
                    return Err(fail(
                        &ids::MACRO_PARAMETER,
                        reader.parser.cursor.since(start),
                        "unknown attribute of a parameter",
                    )
                    .with_help("the attributes are `req` and `vararg`"));
                }
            };
        }
        let default = if reader.parser.cursor.eat_after_blanks(b'=') {
            macro_argument(reader)?
        } else {
            ""
        };
        parameters.push(MacroParameter {
            name: parameter,
            default,
            kind,
        });
        let _ = reader.parser.cursor.eat_after_blanks(b',');
    }
    Ok((name, span, parameters))
}

/// Parses a macro argument. A comma outside parentheses ends it, and so do blanks outside parentheses and brackets unless
/// they are next to an operator.
pub(crate) fn macro_argument<'a>(reader: &mut SourceReader<'a>) -> Result<&'a str, Fail> {
    let start = reader.parser.cursor.token_start();
    if reader.expansion.is_alternate {
        match reader.parser.cursor.peek() {
            b'%' => {
                reader.parser.cursor.set_pos(start + 1);
                let value = reader.parser.absolute("an argument after `%`")?;
                return Ok(reader.expansion.keep(value.to_string()));
            }
            b'<' => return bracketed(reader),
            _ => {}
        }
    }
    if reader.parser.dialect.ignores_idle_blanks() {
        return clrx_argument(reader);
    }
    let mut end = start;
    let (mut round, mut square) = (0usize, 0usize);
    let mut after_operator = true;
    loop {
        let before = reader.parser.cursor.pos();
        reader.parser.cursor.skip_blanks();
        let is_apart = reader.parser.cursor.pos() > before;
        if reader.parser.cursor.at_statement_end() {
            break;
        }
        let byte = reader.parser.cursor.peek();
        if byte == b',' && round == 0 {
            break;
        }
        if is_apart && !after_operator && round + square == 0 && !is_operator(byte) {
            break;
        }
        match byte {
            b'"' => {
                reader.parser.cursor.string()?;
            }
            _ => {
                match byte {
                    b'(' => round += 1,
                    b')' => round = round.saturating_sub(1),
                    b'[' => square += 1,
                    b']' => square = square.saturating_sub(1),
                    _ => {}
                }
                let width = reader.parser.cursor.here().len().max(1);
                reader
                    .parser
                    .cursor
                    .set_pos(reader.parser.cursor.pos() + width);
            }
        }
        after_operator = is_operator(byte);
        end = reader.parser.cursor.pos();
    }
    if round > 0 {
        let message = "a parenthesis is not closed in this argument";
        return Err(fail(&ids::UNTERMINATED, start..end, message));
    }
    Ok(reader.parser.cursor.slice(start..end))
}

/// Parses a macro argument in CLRX's language: a string, the value after `\%`, or text up to a comma, a string or
/// separating blanks. Other blanks are removed.
fn clrx_argument<'a>(reader: &mut SourceReader<'a>) -> Result<&'a str, Fail> {
    let start = reader.parser.cursor.pos();
    match (reader.parser.cursor.peek(), reader.parser.cursor.peek_at(1)) {
        (b'\\', b'%') => {
            reader.parser.cursor.set_pos(start + 2);
            let value = reader.parser.absolute("an argument after `\\%`")?;
            return Ok(reader.expansion.keep(value.to_string()));
        }
        (quote @ (b'"' | b'\''), _) if reader.expansion.is_alternate => {
            return escaped(reader, quote);
        }
        (b'"', _) => {
            reader.parser.cursor.string()?;
            return Ok(reader
                .parser
                .cursor
                .slice(reader.parser.cursor.since(start)));
        }
        _ => {}
    }
    let mut text = String::new();
    let mut last = None;
    loop {
        let before = reader.parser.cursor.pos();
        reader.parser.cursor.skip_blanks();
        let is_apart = reader.parser.cursor.pos() > before;
        let byte = reader.parser.cursor.peek();
        let is_separated = last.is_some_and(|last| is_apart && blanks_separate(last, byte));
        if reader.parser.cursor.at_statement_end() || matches!(byte, b',' | b'"') || is_separated {
            break;
        }
        let here = reader.parser.cursor.here();
        reader.parser.cursor.set_pos(here.end);
        text.push_str(reader.parser.cursor.slice(here));
        last = Some(byte);
    }
    let end = reader.parser.cursor.pos();
    // Common case: there are no blanks to remove.
    Ok(match reader.parser.cursor.slice(start..end).trim_end() {
        plain if plain == text => plain,
        _ => reader.expansion.keep(text),
    })
}

/// Parses a quoted `.altmacro` argument, in which `!` escapes a character.
fn escaped<'a>(reader: &mut SourceReader<'a>, quote: u8) -> Result<&'a str, Fail> {
    let start = reader.parser.cursor.pos();
    reader.parser.cursor.set_pos(start + 1);
    let mut text = String::new();
    loop {
        let is_escape = reader.parser.cursor.eat(b'!');
        let here = reader.parser.cursor.here();
        if here.is_empty() {
            let message = "unterminated argument";
            return Err(fail(&ids::UNTERMINATED, start..here.start, message)
                .with_help("add the other quote on the same line"));
        }
        let ends = reader.parser.cursor.peek() == quote && !is_escape;
        reader.parser.cursor.set_pos(here.end);
        if ends {
            return Ok(reader.expansion.keep(text));
        }
        text.push_str(reader.parser.cursor.slice(here));
    }
}

/// Parses an `.altmacro` argument between `<` and `>`, in which `!` escapes a character.
fn bracketed<'a>(reader: &mut SourceReader<'a>) -> Result<&'a str, Fail> {
    let start = reader.parser.cursor.pos();
    let mut text = String::new();
    let mut depth = 0usize;
    loop {
        let here = reader.parser.cursor.here();
        if here.is_empty() {
            let message = "unterminated argument";
            return Err(fail(&ids::UNTERMINATED, start..here.start, message)
                .with_help("add `>` on the same line"));
        }
        reader.parser.cursor.set_pos(here.end);
        match reader.parser.cursor.slice(here.clone()) {
            "!" => {
                let escaped = reader.parser.cursor.here();
                reader.parser.cursor.set_pos(escaped.end);
                text.push_str(reader.parser.cursor.slice(escaped));
                continue;
            }
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Ok(reader.expansion.keep(text));
        }
        if here.start > start {
            text.push_str(reader.parser.cursor.slice(here));
        }
    }
}

/// Expands a macro call with the arguments `value, parameter=value`; the cursor is after the name.
fn call<'a>(
    reader: &mut SourceReader<'a>,
    called: &Macro<'a>,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let mut values: Vec<Option<&'a str>> = vec![None; called.parameters.len()];
    let mut position = 0;
    let mut is_named = false;
    while !reader.parser.cursor.statement_ends() {
        let start = reader.parser.cursor.pos();
        let mut index = position;
        let mut probe = reader.parser.cursor.clone();
        let word = probe.word();
        let is_assigned = word.is_some()
            && !called.parameters.is_empty()
            && probe.eat_after_blanks(b'=')
            && probe.peek() != b'=';
        if let Some(word) = word.filter(|_| is_assigned) {
            let Some(found) = called.parameters.iter().position(|p| p.name == word) else {
                let here = start..start + word.len();
                let message = format!("macro `{}` has no parameter `{word}`", called.name);
                return Err(fail(&ids::MACRO_ARGUMENT, here, message));
            };
            index = found;
            is_named = true;
            reader.parser.cursor.set_pos(probe.pos());
        } else if is_named {
            return Err(fail(
                &ids::MACRO_ARGUMENT,
                reader.parser.cursor.current_token().0,
                "a value without a name cannot follow one with a name",
            ));
        }
        let Some(parameter) = called.parameters.get(index) else {
            let here = reader.parser.cursor.current_token().0;
            let count = called.parameters.len();
            let plural = if count == 1 { "" } else { "s" };
            reader.parser.cursor.skip_statement_content();
            let message = "too many values for the macro's parameters";
            return Err(fail(&ids::MACRO_ARGUMENT, here, message).with_help(format!(
                "macro `{}` has {count} parameter{plural}",
                called.name
            )));
        };
        let value = match parameter.kind {
            ParameterKind::Rest => reader.parser.cursor.rest_of_line(),
            _ => unquoted(macro_argument(reader)?),
        };
        if let Some(place) = values.get_mut(index) {
            *place = Some(value);
        }
        position = index + 1;
        let _ = reader.parser.cursor.eat_after_blanks(b',');
    }
    let mut bindings = Vec::with_capacity(values.len());
    for (parameter, value) in called.parameters.iter().zip(values) {
        let value = value
            .filter(|value| !value.is_empty())
            .unwrap_or(unquoted(parameter.default));
        if value.is_empty() && parameter.kind == ParameterKind::Required {
            let message = format!(
                "macro `{}` needs a value for `{}`",
                called.name, parameter.name
            );
            return Err(fail(&ids::MACRO_ARGUMENT, span.clone(), message));
        }
        bindings.push((parameter.name, value));
    }
    let call = reader.parser.cursor.statement_from(span.start);
    let round = called.calls.get();
    called.calls.set(round + 1);
    let dialect = reader.parser.dialect;
    let text = if called.is_plain && !reader.expansion.is_alternate {
        reader
            .expansion
            .charge(called.body.len() + ENTRY_COST, &call)?;
        called.body
    } else {
        substituted(
            &mut reader.expansion,
            dialect,
            called,
            bindings,
            round,
            &call,
        )?
    };
    reader.expansion.calls += 1;
    let step = ExpansionStep {
        what: ExpansionKind::Macro(called.name),
        text: Some(text),
        origin: called.origin.clone(),
        call,
        iteration: 1,
    };
    reader.expand(step, Cursor::new(text, dialect), 1)
}

/// Body of a macro with its arguments substituted.
fn substituted<'a>(
    expansion: &mut Expansion<'a>,
    dialect: Dialect,
    called: &Macro<'a>,
    mut bindings: Vec<(&'a str, &'a str)>,
    round: u64,
    call: &Range<usize>,
) -> Result<&'a str, Fail> {
    let mut alternate = None;
    if expansion.is_alternate {
        let anywhere = dialect.alters_everywhere();
        let (names, body) = locals(called.body, anywhere);
        for name in names {
            // CLRX does not pad the number.
            let digits = if anywhere { 1 } else { 4 };
            let unique = format!(".LL{:0digits$}", expansion.locals);
            expansion.locals += 1;
            let name = expansion.keep(name.to_owned());
            bindings.push((name, expansion.keep(unique)));
        }
        let is_parameter = |word: &str| bindings.iter().any(|(name, _)| *name == word);
        alternate = Some(with_backslashes(&body, anywhere, is_parameter));
    }
    let mut text = String::with_capacity(called.body.len());
    let values = Substitutions {
        bindings: &bindings,
        calls: expansion.calls,
        round,
    };
    let body = alternate.as_deref().unwrap_or(called.body);
    let limit = expansion.budget.min(MAX_CALL);
    if !substitute(&mut text, body, &values, limit) {
        expansion.charge(usize::MAX, call)?;
    }
    expansion.charge(text.len() + ENTRY_COST, call)?;
    Ok(expansion.keep(text))
}

pub(crate) fn exit_macro(expansion: &mut Expansion<'_>, span: &Range<usize>) -> Result<(), Fail> {
    match expansion.frames.last().map(|frame| frame.step.what) {
        Some(ExpansionKind::Macro(_) | ExpansionKind::Loop(_)) => {
            expansion.jump = Some(Jump::Leave);
            Ok(())
        }
        _ => {
            let message = "`.exitm` outside of macros and loops";
            Err(fail(&ids::MISPLACED_DIRECTIVE, span.clone(), message))
        }
    }
}

pub(crate) fn purge(reader: &mut SourceReader<'_>) -> Result<(), Fail> {
    loop {
        let start = reader.parser.cursor.token_start();
        let Some(name) = reader.parser.cursor.word() else {
            return Err(reader.parser.cursor.expected("the macro's name"));
        };
        let mut buffer = [0; MACRO_NAME];
        let key = reader.expansion.macro_key(name, &mut buffer);
        if reader.expansion.macros.remove(key).is_none() {
            let missing = fail(
                &ids::UNKNOWN_MACRO,
                reader.parser.cursor.since(start),
                format!("unknown macro `{name}`"),
            );
            if !reader.parser.dialect.allows_unknown_purge() {
                return Err(missing);
            }
            reader.parser.warn(*missing);
        }
        if !reader.parser.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}
