//! Parses operands before an encoding is chosen.

pub(crate) mod register;
pub(crate) mod function;

use gcn_isa::{Kind, exp, vintrp};

use crate::argument::{ArgValue, DelayedValue, ParsedOperand};
use crate::assembler::parser::Parser;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::expr::{ParsedExpr, is_function};
use crate::ids;

use register::is_register;

/// Parses the operand at the cursor, which must not be at a blank.
pub(crate) fn operand(parser: &mut Parser<'_>) -> Result<ParsedOperand, Fail> {
    let start = parser.cursor.pos();
    let mut arg = ParsedOperand {
        what: ArgValue::Off,
        negated: false,
        absolute: false,
        extended: false,
        has_two_signs: parser.cursor.peek() == b'-' && parser.cursor.peek_at(1) == b'-',
        is_distance: false,
        span: start..start,
    };
    parser.names.exprs.forget_labels();
    modified(parser, &mut arg, 0)?;
    arg.is_distance = parser.names.exprs.names_labels();
    arg.span = parser.cursor.since(start);
    Ok(arg)
}

/// Fast path for common operands: a register, optionally negated or in absolute-value bars, or a number. Returns false
/// and reads nothing for anything else, and for invalid operands. A special register is accepted only if `beginning` is
/// set, at the start of an operand; elsewhere, words are modifiers.
#[inline]
pub(crate) fn common_operand(
    parser: &mut Parser<'_>,
    beginning: bool,
    args: &mut Vec<ParsedOperand>,
) -> bool {
    let start = parser.cursor.pos();
    let (mut negated, mut absolute) = (false, false);
    let what = match parser.cursor.peek() {
        b'a'..=b'z' | b'A'..=b'Z' => common_register(parser, beginning),
        b'0'..=b'9' => common_number(&mut parser.cursor),
        b'-' if parser.cursor.peek_at(1).is_ascii_digit() => common_number(&mut parser.cursor),
        b'-' | b'|' => {
            negated = parser.cursor.eat(b'-');
            absolute = parser.cursor.eat(b'|');
            let what = common_register(parser, true);
            // `-off` negates a symbol called `off`.
            what.filter(|&what| what != ArgValue::Off && (!absolute || parser.cursor.eat(b'|')))
        }
        _ => None,
    };
    let Some(what) = what else {
        parser.cursor.set_pos(start);
        return false;
    };
    args.push(ParsedOperand {
        what,
        negated,
        absolute,
        extended: false,
        has_two_signs: false,
        is_distance: false,
        span: parser.cursor.since(start),
    });
    true
}

/// Parses a numbered register, or `off` or a special register if `may_be_named` is set.
fn common_register(parser: &mut Parser<'_>, may_be_named: bool) -> Option<ArgValue> {
    if let Some((letter, first, last)) = parser.cursor.common_register() {
        return register::common_group(parser, letter, first, last);
    }
    if !may_be_named {
        return None;
    }
    match parser.cursor.common_word()? {
        "off" => Some(ArgValue::Off),
        word => register::common_named(parser, word),
    }
}

fn common_number(cursor: &mut Cursor<'_>) -> Option<ArgValue> {
    Some(match cursor.common_integer() {
        Some(value) => ArgValue::Int(value),
        None => ArgValue::Float(cursor.common_fraction()?),
    })
}

/// Parses an operand of a kind specific to exports and interpolation.
pub(crate) fn graphics_operand(parser: &mut Parser<'_>, kind: Kind) -> Result<ParsedOperand, Fail> {
    let start = parser.cursor.token_start();
    let mut probe = parser.cursor.clone();
    let word = probe.word().unwrap_or("");
    let mut span = start..probe.pos();
    let value = match kind {
        Kind::ExportTarget => exp::target_named(word).map(i64::from).ok_or_else(|| {
            parser.cursor.expected("a target").with_help(
                "the targets are mrt0 to mrt7, mrtz, null, pos0 to pos3, param0 to param31",
            )
        })?,
        Kind::Attribute => {
            let last = parser.dialect.last_attribute();
            let mut text = word.to_owned();
            // CLRX allows blanks around the dot.
            if !word.contains('.') && probe.eat_after_blanks(b'.') {
                probe.skip_blanks();
                text = format!("{word}.{}", probe.word().unwrap_or(""));
            }
            let value = attribute(&text, last).ok_or_else(|| {
                parser
                    .cursor
                    .expected("an attribute")
                    .with_help(format!("the attributes are attr0.x to attr{last}.w"))
            })?;
            span.end = probe.pos();
            value
        }
        _ => {
            let names = &vintrp::VERTEX_PARAMETERS;
            let index = names.iter().position(|n| n.eq_ignore_ascii_case(word));
            index.map(|i| i as i64).ok_or_else(|| {
                parser
                    .cursor
                    .expected("a value at a vertex")
                    .with_help("they are p10, p20 and p0")
            })?
        }
    };
    parser.cursor.set_pos(span.end);
    Ok(ParsedOperand {
        what: ArgValue::Graphics(kind, value),
        negated: false,
        absolute: false,
        extended: false,
        has_two_signs: false,
        is_distance: false,
        span,
    })
}

/// Parses an operand including its source modifiers.
fn modified(parser: &mut Parser<'_>, arg: &mut ParsedOperand, depth: u32) -> Result<(), Fail> {
    const MODIFIERS_AT_MOST: u32 = 4;
    let start = parser.cursor.token_start();
    if depth > MODIFIERS_AT_MOST {
        let message = "source modifiers are nested too deep";
        return Err(fail(&ids::SOURCE_MODIFIER, parser.cursor.here(), message));
    }
    if parser.cursor.peek() == b'-' && !arg.absolute && minus_negates(parser) {
        parser.cursor.set_pos(start + 1);
        arg.negated = !arg.negated;
        return modified(parser, arg, depth + 1);
    }
    if parser.cursor.eat(b'|') {
        arg.absolute = true;
        parser.cursor.skip_blanks();
        let outer = std::mem::replace(&mut parser.bar_ends, true);
        let inner = unmodified(parser);
        parser.bar_ends = outer;
        arg.what = inner?;
        parser.cursor.require(b'|', "`|`")?;
        return Ok(());
    }
    if parser.cursor.peek().is_ascii_alphabetic() {
        let mut probe = parser.cursor.clone();
        let word = probe.word().unwrap_or("");
        let function = ["neg", "abs", "sext"]
            .into_iter()
            .position(|name| word.eq_ignore_ascii_case(name));
        if let Some(function) = function
            && probe.eat_after_blanks(b'(')
        {
            parser.cursor = probe;
            if function == 0 && arg.absolute {
                let message = "an absolute value cannot contain a negation";
                return Err(
                    fail(&ids::SOURCE_MODIFIER, parser.cursor.since(start), message)
                        .with_help("write the negation outside: `neg(abs(…))`"),
                );
            }
            match function {
                0 => arg.negated = !arg.negated,
                1 => arg.absolute = true,
                _ => arg.extended = true,
            }
            modified(parser, arg, depth + 1)?;
            if !parser.cursor.eat_after_blanks(b')') {
                return Err(parser.cursor.expected("`)`"));
            }
            return Ok(());
        }
    }
    arg.what = unmodified(parser)?;
    Ok(())
}

/// Returns true if `-` negates a register or an absolute value; otherwise it belongs to a number.
fn minus_negates(parser: &mut Parser<'_>) -> bool {
    let mut probe = parser.cursor.clone();
    probe.set_pos(probe.pos() + 1);
    probe.skip_blanks();
    if matches!(probe.peek(), b'|' | b'[') {
        return true;
    }
    let Some(word) = probe.word() else {
        return false;
    };
    let next = probe.peek();
    word.eq_ignore_ascii_case("abs") && next == b'('
        || is_register(parser.isa, word, next == b'[')
        || parser.names.register_symbol(word).is_some()
        || word.eq_ignore_ascii_case("lds") && parser.dialect.lds_is_a_source()
}

/// Parses an operand excluding source modifiers.
fn unmodified(parser: &mut Parser<'_>) -> Result<ArgValue, Fail> {
    let start = parser.cursor.pos();
    let byte = parser.cursor.peek();
    if byte == b'[' {
        return register::register_list(parser);
    }
    if byte == b'@' {
        // CLRX: an expression follows, even if it looks like a register.
        parser.cursor.set_pos(start + 1);
        return expression_operand(parser);
    }
    if byte == b'{' {
        return function::hwreg_fields(parser);
    }
    let may_be_symbol = || matches!(byte, b'_' | b'.' | b'$') || parser.cursor.at_scope();
    if byte.is_ascii_alphabetic() || !parser.names.registers.is_empty() && may_be_symbol() {
        let mut probe = parser.cursor.clone();
        let word = probe.word().unwrap_or("");
        if let Some(what) = register::register(parser, word, &mut probe)? {
            parser.cursor = probe;
            return Ok(what);
        }
        if word.eq_ignore_ascii_case("off") {
            parser.cursor = probe;
            return Ok(ArgValue::Off);
        }
        if word == "null" {
            let message = format!("{} has no register `null`", parser.isa);
            return Err(
                fail(&ids::UNSUPPORTED_REGISTER, start..probe.pos(), message)
                    .with_help("it exists from GFX10 on"),
            );
        }
        probe.skip_blanks();
        if probe.peek() == b'('
            && let Some(what) = function::function(parser, word, &probe)?
        {
            return Ok(what);
        }
        let word_span = start..start + word.len();
        if probe.peek() == b'(' && !is_function(word) {
            return Err(function::unknown(word, word_span));
        }
        if probe.peek().is_ascii_digit() && register::is_bank(word) {
            let digits = probe.digits();
            let message = "a register's number follows the letter without a blank";
            return Err(fail(&ids::UNEXPECTED_TOKEN, start..probe.pos(), message)
                .with_help(format!("write `{word}{}`", digits.unwrap_or(0))));
        }
    }
    expression_operand(parser)
}

fn expression_operand(parser: &mut Parser<'_>) -> Result<ArgValue, Fail> {
    Ok(match parser.parse_expr()? {
        ParsedExpr::Float(value) => ArgValue::Float(value),
        ParsedExpr::Suffixed(value, width) => ArgValue::Sized(value, width),
        ParsedExpr::Later(id) => ArgValue::Delayed(parser.delay(DelayedValue::Expr(id))),
        ParsedExpr::Known(value) => match value.as_absolute() {
            Some(number) => ArgValue::Int(number),
            None => ArgValue::Delayed(parser.delay(DelayedValue::Value(value))),
        },
    })
}

/// Parses an attribute such as `attr3.x` into a number.
fn attribute(word: &str, last: u8) -> Option<i64> {
    const PREFIX: &str = "attr";
    let head = word.get(..PREFIX.len())?;
    let (digits, channel) = word.get(PREFIX.len()..)?.split_once('.')?;
    let mut letters = channel.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return None;
    };
    let letter = letter.to_ascii_lowercase();
    let channel = vintrp::CHANNELS.iter().position(|&c| c == letter)?;
    let is_number = digits.bytes().all(|b| b.is_ascii_digit());
    let number = digits.parse().ok().filter(|&n| n <= last)?;
    let is_attribute = head.eq_ignore_ascii_case(PREFIX) && is_number;
    is_attribute.then(|| vintrp::pack_attribute(number, channel as u8))
}

/// Returns true for operand kinds specific to exports and interpolation.
pub(crate) fn is_graphics(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ExportTarget | Kind::Attribute | Kind::VertexParameter
    )
}
