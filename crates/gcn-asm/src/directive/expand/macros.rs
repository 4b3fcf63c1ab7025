//! Macros: definitions, arguments, and substitution of parameters.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use super::substitute::{
    Substitutions, blanks_separate, is_operator, locals, substitute, unquoted, with_backslashes,
};
use crate::assembler::Assembler;
use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, TextOrigin};
use crate::assembler::expansion::{
    ENTRY_COST, Jump, MAX_CALL, Macro, MacroParameter, ParameterKind,
};
use crate::assembler::reader::MACRO_NAME;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;

/// The directives that begin and end a macro.
const MACRO: (&[&str], &[&str]) = (&[".macro"], &[".endm", ".endmacro"]);
/// Expands a call of the macro with this name, if there is one; the cursor is after the name.
pub(crate) fn macro_call(
    asm: &mut Assembler<'_>,
    name: &str,
    span: &Range<usize>,
) -> Option<Result<(), Fail>> {
    let mut buffer = [0; MACRO_NAME];
    let key = asm.reader.macro_key(name, &mut buffer);
    let called = Rc::clone(asm.reader.expansion.macros.get(key)?);
    Some(call(asm, &called, span))
}

/// `name parameter, parameter=default, parameter:req, parameter:vararg`
pub(crate) fn define_macro(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let head = macro_head(asm);
    let body = asm.reader.body(MACRO, span)?;
    let (name, name_span, parameters) = head?;
    let text = asm.reader.cursor.slice(body.clone());
    let defined = Macro {
        name,
        parameters,
        body: text,
        // A position in generated text has no meaning.
        origin: match asm.reader.origin(body) {
            TextOrigin::Around(_) => TextOrigin::Unknown,
            origin => origin,
        },
        calls: Cell::new(0),
        is_plain: !text.contains('\\'),
    };
    let mut buffer = [0; MACRO_NAME];
    let key = match asm.reader.macro_key(name, &mut buffer) {
        key if key == name => name,
        key => asm.reader.expansion.keep(key.to_owned()),
    };
    if asm.reader.expansion.macros.contains_key(key) {
        return Err(fail(
            &ids::REDEFINED_MACRO,
            name_span,
            format!("macro `{name}` is already defined"),
        )
        .with_help("remove it with `.purgem` before it is defined again"));
    }
    asm.reader.expansion.macros.insert(key, Rc::new(defined));
    Ok(())
}

fn macro_head<'a>(
    asm: &mut Assembler<'a>,
) -> Result<(&'a str, Range<usize>, Vec<MacroParameter<'a>>), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let Some(name) = asm.reader.cursor.word() else {
        return Err(asm.reader.cursor.expected("the macro's name"));
    };
    let span = start..asm.reader.cursor.pos();
    let mut parameters: Vec<MacroParameter<'a>> = Vec::new();
    let _ = asm.reader.cursor.eat_after_blanks(b',');
    while !asm.reader.cursor.statement_ends() {
        let start = asm.reader.cursor.pos();
        let Some(parameter) = asm.reader.cursor.word() else {
            return Err(asm.reader.cursor.expected("a parameter's name"));
        };
        let here = start..asm.reader.cursor.pos();
        if parameters
            .last()
            .is_some_and(|last| last.kind == ParameterKind::Rest)
        {
            return Err(fail(
                &ids::MACRO_PARAMETER,
                here,
                "a parameter cannot follow the one that takes the rest",
            ));
        }
        if parameters.iter().any(|other| other.name == parameter) {
            return Err(fail(
                &ids::MACRO_PARAMETER,
                here,
                format!("the macro has two parameters `{parameter}`"),
            ));
        }
        let mut kind = ParameterKind::Optional;
        if asm.reader.cursor.eat_after_blanks(b':') {
            asm.reader.cursor.skip_blanks();
            let start = asm.reader.cursor.pos();
            kind = match asm.reader.cursor.word() {
                Some("req") => ParameterKind::Required,
                Some("vararg") => ParameterKind::Rest,
                _ => {
                    return Err(fail(
                        &ids::MACRO_PARAMETER,
                        start..asm.reader.cursor.pos(),
                        "unknown attribute of a parameter",
                    )
                    .with_help("the attributes are `req` and `vararg`"));
                }
            };
        }
        let default = if asm.reader.cursor.eat_after_blanks(b'=') {
            macro_argument(asm)?
        } else {
            ""
        };
        parameters.push(MacroParameter {
            name: parameter,
            default,
            kind,
        });
        let _ = asm.reader.cursor.eat_after_blanks(b',');
    }
    Ok((name, span, parameters))
}

/// Parses an argument, which ends at a comma or at blanks without an adjacent operator.
pub(crate) fn macro_argument<'a>(asm: &mut Assembler<'a>) -> Result<&'a str, Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    if asm.reader.expansion.is_alternate {
        match asm.reader.cursor.peek() {
            b'%' => {
                asm.reader.cursor.set_pos(start + 1);
                let value = asm.absolute("an argument behind `%`")?;
                return Ok(asm.reader.expansion.keep(value.to_string()));
            }
            b'<' => return bracketed(asm),
            _ => {}
        }
    }
    if asm.dialect.ignores_idle_blanks() {
        return clrx_argument(asm);
    }
    let mut end = start;
    let (mut round, mut square) = (0usize, 0usize);
    let mut after_operator = true;
    loop {
        let before = asm.reader.cursor.pos();
        asm.reader.cursor.skip_blanks();
        let is_apart = asm.reader.cursor.pos() > before;
        if asm.reader.cursor.at_statement_end() {
            break;
        }
        let byte = asm.reader.cursor.peek();
        if byte == b',' && round == 0 {
            break;
        }
        if is_apart && !after_operator && round + square == 0 && !is_operator(byte) {
            break;
        }
        match byte {
            b'"' => {
                asm.reader.cursor.string()?;
            }
            _ => {
                match byte {
                    b'(' => round += 1,
                    b')' => round = round.saturating_sub(1),
                    b'[' => square += 1,
                    b']' => square = square.saturating_sub(1),
                    _ => {}
                }
                let width = asm.reader.cursor.here().len().max(1);
                asm.reader.cursor.set_pos(asm.reader.cursor.pos() + width);
            }
        }
        after_operator = is_operator(byte);
        end = asm.reader.cursor.pos();
    }
    if round > 0 {
        return Err(fail(
            &ids::UNTERMINATED,
            start..end,
            "a parenthesis is not closed in this argument",
        ));
    }
    Ok(asm.reader.cursor.slice(start..end))
}

/// Parses an argument in CLRX's language: a string, the value after `\%`, or the text up to a comma, a string, or
/// separating blanks; other blanks are removed.
fn clrx_argument<'a>(asm: &mut Assembler<'a>) -> Result<&'a str, Fail> {
    let start = asm.reader.cursor.pos();
    match (asm.reader.cursor.peek(), asm.reader.cursor.peek_at(1)) {
        (b'\\', b'%') => {
            asm.reader.cursor.set_pos(start + 2);
            let value = asm.absolute("an argument behind `\\%`")?;
            return Ok(asm.reader.expansion.keep(value.to_string()));
        }
        (quote @ (b'"' | b'\''), _) if asm.reader.expansion.is_alternate => {
            return escaped(asm, quote);
        }
        (b'"', _) => {
            asm.reader.cursor.string()?;
            return Ok(asm.reader.cursor.slice(start..asm.reader.cursor.pos()));
        }
        _ => {}
    }
    let mut text = String::new();
    let mut last = None;
    loop {
        let before = asm.reader.cursor.pos();
        asm.reader.cursor.skip_blanks();
        let is_apart = asm.reader.cursor.pos() > before;
        let byte = asm.reader.cursor.peek();
        let is_separated = last.is_some_and(|last| is_apart && blanks_separate(last, byte));
        if asm.reader.cursor.at_statement_end() || matches!(byte, b',' | b'"') || is_separated {
            break;
        }
        let here = asm.reader.cursor.here();
        asm.reader.cursor.set_pos(here.end);
        text.push_str(asm.reader.cursor.slice(here));
        last = Some(byte);
    }
    let end = asm.reader.cursor.pos();
    // Common case: no blanks.
    Ok(match asm.reader.cursor.slice(start..end).trim_end() {
        plain if plain == text => plain,
        _ => asm.reader.expansion.keep(text),
    })
}

/// Parses an `.altmacro` argument in quotes, where `!` escapes a character.
fn escaped<'a>(asm: &mut Assembler<'a>, quote: u8) -> Result<&'a str, Fail> {
    let start = asm.reader.cursor.pos();
    asm.reader.cursor.set_pos(start + 1);
    let mut text = String::new();
    loop {
        let is_escape = asm.reader.cursor.eat(b'!');
        let here = asm.reader.cursor.here();
        if here.is_empty() {
            return Err(fail(
                &ids::UNTERMINATED,
                start..here.start,
                "unterminated argument",
            )
            .with_help("add the other quote on the same line"));
        }
        let ends = asm.reader.cursor.peek() == quote && !is_escape;
        asm.reader.cursor.set_pos(here.end);
        if ends {
            return Ok(asm.reader.expansion.keep(text));
        }
        text.push_str(asm.reader.cursor.slice(here));
    }
}

/// Parses an `.altmacro` argument in `<` and `>`, where `!` escapes a character.
fn bracketed<'a>(asm: &mut Assembler<'a>) -> Result<&'a str, Fail> {
    let start = asm.reader.cursor.pos();
    let mut text = String::new();
    let mut depth = 0usize;
    loop {
        let here = asm.reader.cursor.here();
        if here.is_empty() {
            return Err(fail(
                &ids::UNTERMINATED,
                start..here.start,
                "unterminated argument",
            )
            .with_help("add `>` on the same line"));
        }
        asm.reader.cursor.set_pos(here.end);
        match asm.reader.cursor.slice(here.clone()) {
            "!" => {
                let escaped = asm.reader.cursor.here();
                asm.reader.cursor.set_pos(escaped.end);
                text.push_str(asm.reader.cursor.slice(escaped));
                continue;
            }
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Ok(asm.reader.expansion.keep(text));
        }
        if here.start > start {
            text.push_str(asm.reader.cursor.slice(here));
        }
    }
}

/// `name value, parameter=value`
fn call<'a>(asm: &mut Assembler<'a>, called: &Macro<'a>, span: &Range<usize>) -> Result<(), Fail> {
    let mut values: Vec<Option<&'a str>> = vec![None; called.parameters.len()];
    let mut position = 0;
    let mut is_named = false;
    while !asm.reader.cursor.statement_ends() {
        let start = asm.reader.cursor.pos();
        let mut index = position;
        let mut probe = asm.reader.cursor.clone();
        let word = probe.word();
        let is_assigned = word.is_some()
            && !called.parameters.is_empty()
            && probe.eat_after_blanks(b'=')
            && probe.peek() != b'=';
        if let Some(word) = word.filter(|_| is_assigned) {
            let Some(found) = called.parameters.iter().position(|p| p.name == word) else {
                let here = start..start + word.len();
                return Err(fail(
                    &ids::MACRO_ARGUMENT,
                    here,
                    format!("macro `{}` has no parameter `{word}`", called.name),
                ));
            };
            index = found;
            is_named = true;
            asm.reader.cursor.set_pos(probe.pos());
        } else if is_named {
            return Err(fail(
                &ids::MACRO_ARGUMENT,
                asm.reader.cursor.current_token().0,
                "a value without a name cannot follow one with a name",
            ));
        }
        let Some(parameter) = called.parameters.get(index) else {
            let here = asm.reader.cursor.current_token().0;
            let count = called.parameters.len();
            let plural = if count == 1 { "" } else { "s" };
            asm.reader.cursor.skip_statement_content();
            return Err(fail(
                &ids::MACRO_ARGUMENT,
                here,
                "too many values for the macro's parameters",
            )
            .with_help(format!(
                "macro `{}` has {count} parameter{plural}",
                called.name
            )));
        };
        let value = match parameter.kind {
            ParameterKind::Rest => asm.reader.rest_of_line(),
            _ => unquoted(macro_argument(asm)?),
        };
        if let Some(place) = values.get_mut(index) {
            *place = Some(value);
        }
        position = index + 1;
        let _ = asm.reader.cursor.eat_after_blanks(b',');
    }
    let mut bindings = Vec::with_capacity(values.len());
    for (parameter, value) in called.parameters.iter().zip(values) {
        let value = value
            .filter(|value| !value.is_empty())
            .unwrap_or(unquoted(parameter.default));
        if value.is_empty() && parameter.kind == ParameterKind::Required {
            return Err(fail(
                &ids::MACRO_ARGUMENT,
                span.clone(),
                format!(
                    "macro `{}` needs a value for `{}`",
                    called.name, parameter.name
                ),
            ));
        }
        bindings.push((parameter.name, value));
    }
    let call = asm.reader.statement_from(span.start);
    let round = called.calls.get();
    called.calls.set(round + 1);
    let text = if called.is_plain && !asm.reader.expansion.is_alternate {
        asm.reader.charge(called.body.len() + ENTRY_COST, &call)?;
        called.body
    } else {
        substituted(asm, called, bindings, round, &call)?
    };
    asm.reader.expansion.calls += 1;
    let step = ExpansionStep {
        what: ExpansionKind::Macro(called.name),
        text: Some(text),
        origin: called.origin.clone(),
        call,
        iteration: 1,
    };
    asm.reader.expand(step, Cursor::new(text, asm.dialect), 1)
}

/// Body of a macro after substitution.
fn substituted<'a>(
    asm: &mut Assembler<'a>,
    called: &Macro<'a>,
    mut bindings: Vec<(&'a str, &'a str)>,
    round: u64,
    call: &Range<usize>,
) -> Result<&'a str, Fail> {
    let mut alternate = None;
    if asm.reader.expansion.is_alternate {
        let anywhere = asm.dialect.alters_everywhere();
        let (names, body) = locals(called.body, anywhere);
        for name in names {
            // CLRX does not pad its numbers.
            let digits = if anywhere { 1 } else { 4 };
            let unique = format!(".LL{:0digits$}", asm.reader.expansion.locals);
            asm.reader.expansion.locals += 1;
            let name = asm.reader.expansion.keep(name.to_owned());
            bindings.push((name, asm.reader.expansion.keep(unique)));
        }
        let is_parameter = |word: &str| bindings.iter().any(|(name, _)| *name == word);
        alternate = Some(with_backslashes(&body, anywhere, is_parameter));
    }
    let mut text = String::with_capacity(called.body.len());
    let values = Substitutions {
        bindings: &bindings,
        calls: asm.reader.expansion.calls,
        round,
    };
    let body = alternate.as_deref().unwrap_or(called.body);
    let limit = asm.reader.expansion.budget.min(MAX_CALL);
    if !substitute(&mut text, body, &values, limit) {
        asm.reader.charge(usize::MAX, call)?;
    }
    asm.reader.charge(text.len() + ENTRY_COST, call)?;
    Ok(asm.reader.expansion.keep(text))
}

pub(crate) fn exit_macro(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    match asm
        .reader
        .expansion
        .frames
        .last()
        .map(|frame| frame.step.what)
    {
        Some(ExpansionKind::Macro(_) | ExpansionKind::Loop(_)) => {
            asm.reader.expansion.jump = Some(Jump::Leave);
            Ok(())
        }
        _ => Err(fail(
            &ids::MISPLACED_DIRECTIVE,
            span.clone(),
            "`.exitm` outside of macros and loops",
        )),
    }
}

pub(crate) fn purge(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    loop {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        let Some(name) = asm.reader.cursor.word() else {
            return Err(asm.reader.cursor.expected("the macro's name"));
        };
        let mut buffer = [0; MACRO_NAME];
        let key = asm.reader.macro_key(name, &mut buffer);
        if asm.reader.expansion.macros.remove(key).is_none() {
            let missing = fail(
                &ids::UNKNOWN_MACRO,
                start..asm.reader.cursor.pos(),
                format!("unknown macro `{name}`"),
            );
            if !asm.dialect.allows_unknown_purge() {
                return Err(missing);
            }
            asm.warn(*missing);
        }
        if !asm.reader.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}
