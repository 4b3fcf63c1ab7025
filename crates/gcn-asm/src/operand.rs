//! Parses operands, before an encoding is chosen.

mod delayed;
pub(crate) mod register;

pub(crate) mod function;

use gcn_isa::{Kind, exp, vintrp};

use crate::argument::{ArgValue, DelayedValue, ParsedOperand};
use crate::assembler::Assembler;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::expr::{ParsedExpr, is_function};
use crate::ids;

use delayed::delayed_operand;

pub(crate) use delayed::{delay_value, delayed_value};
pub(crate) use register::is_register;

/// Parses an operand at the cursor, which is not at a blank.
pub(crate) fn operand(asm: &mut Assembler<'_>) -> Result<ParsedOperand, Fail> {
    let start = asm.reader.cursor.pos();
    let mut arg = ParsedOperand {
        what: ArgValue::Off,
        negated: false,
        absolute: false,
        extended: false,
        has_two_signs: asm.reader.cursor.peek() == b'-' && asm.reader.cursor.peek_at(1) == b'-',
        is_distance: false,
        span: start..start,
    };
    asm.names.exprs.forget_labels();
    modified(asm, &mut arg, 0)?;
    arg.is_distance = asm.names.exprs.names_labels();
    arg.span = start..asm.reader.cursor.pos();
    Ok(arg)
}

/// Fast path for the usual operands: a register, optionally with a sign or absolute-value bars, or a number. Returns
/// false and reads nothing if anything else follows, or if it is invalid. A special register is accepted only at the
/// `beginning` of an operand, after a comma; elsewhere, words are modifiers.
#[inline]
pub(crate) fn common_operand(
    asm: &mut Assembler<'_>,
    beginning: bool,
    args: &mut Vec<ParsedOperand>,
) -> bool {
    let start = asm.reader.cursor.pos();
    let (mut negated, mut absolute) = (false, false);
    let what = match asm.reader.cursor.peek() {
        b'a'..=b'z' | b'A'..=b'Z' => common_register(asm, beginning),
        b'0'..=b'9' => common_number(asm),
        b'-' if asm.reader.cursor.peek_at(1).is_ascii_digit() => common_number(asm),
        b'-' | b'|' => {
            negated = asm.reader.cursor.eat(b'-');
            absolute = asm.reader.cursor.eat(b'|');
            let what = common_register(asm, true);
            // `-off` is a symbol.
            what.filter(|&what| what != ArgValue::Off && (!absolute || asm.reader.cursor.eat(b'|')))
        }
        _ => None,
    };
    let Some(what) = what else {
        asm.reader.cursor.set_pos(start);
        return false;
    };
    args.push(ParsedOperand {
        what,
        negated,
        absolute,
        extended: false,
        has_two_signs: false,
        is_distance: false,
        span: start..asm.reader.cursor.pos(),
    });
    true
}

/// Parses a register by number, or, if `may_be_named`, `off` or a special register.
fn common_register(asm: &mut Assembler<'_>, may_be_named: bool) -> Option<ArgValue> {
    if let Some((letter, first, last)) = asm.reader.cursor.common_register() {
        return register::common_group(asm, letter, first, last);
    }
    if !may_be_named {
        return None;
    }
    match asm.reader.cursor.common_word()? {
        "off" => Some(ArgValue::Off),
        word => register::common_named(asm, word),
    }
}

fn common_number(asm: &mut Assembler<'_>) -> Option<ArgValue> {
    Some(match asm.reader.cursor.common_integer() {
        Some(value) => ArgValue::Int(value),
        None => ArgValue::Float(asm.reader.cursor.common_fraction()?),
    })
}

/// Parses an operand of a kind that only exports and interpolation have.
pub(crate) fn graphics_operand(asm: &mut Assembler<'_>, kind: Kind) -> Result<ParsedOperand, Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let mut probe = asm.reader.cursor.clone();
    let word = probe.word().unwrap_or("");
    let mut span = start..probe.pos();
    let value = match kind {
        Kind::ExportTarget => exp::target_named(word).map(i64::from).ok_or_else(|| {
            asm.reader.cursor.expected("a target").with_help(
                "the targets are mrt0 to mrt7, mrtz, null, pos0 to pos3, param0 to param31",
            )
        })?,
        Kind::Attribute => {
            let last = asm.dialect.last_attribute();
            let mut text = word.to_owned();
            // CLRX accepts blanks around the dot.
            if !word.contains('.') && probe.eat_after_blanks(b'.') {
                probe.skip_blanks();
                text = format!("{word}.{}", probe.word().unwrap_or(""));
            }
            let value = attribute(&text, last).ok_or_else(|| {
                asm.reader
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
                asm.reader
                    .cursor
                    .expected("a value at a vertex")
                    .with_help("they are p10, p20 and p0")
            })?
        }
    };
    asm.reader.cursor.set_pos(span.end);
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

/// Parses an operand with its source modifiers.
fn modified(asm: &mut Assembler<'_>, arg: &mut ParsedOperand, depth: u32) -> Result<(), Fail> {
    const MODIFIERS_AT_MOST: u32 = 4;
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    if depth > MODIFIERS_AT_MOST {
        return Err(fail(
            &ids::SOURCE_MODIFIER,
            asm.reader.cursor.here(),
            "source modifiers are nested too deep",
        ));
    }
    if asm.reader.cursor.peek() == b'-' && !arg.absolute && minus_negates(asm) {
        asm.reader.cursor.set_pos(start + 1);
        arg.negated = !arg.negated;
        return modified(asm, arg, depth + 1);
    }
    if asm.reader.cursor.eat(b'|') {
        arg.absolute = true;
        asm.reader.cursor.skip_blanks();
        let outer = std::mem::replace(&mut asm.bar_ends, true);
        let inner = unmodified(asm);
        asm.bar_ends = outer;
        arg.what = inner?;
        if !asm.reader.cursor.eat_after_blanks(b'|') {
            return Err(asm.reader.cursor.expected("`|`"));
        }
        return Ok(());
    }
    if asm.reader.cursor.peek().is_ascii_alphabetic() {
        let mut probe = asm.reader.cursor.clone();
        let word = probe.word().unwrap_or("");
        let function = ["neg", "abs", "sext"]
            .into_iter()
            .position(|name| word.eq_ignore_ascii_case(name));
        if let Some(function) = function
            && probe.eat_after_blanks(b'(')
        {
            asm.reader.cursor = probe;
            if function == 0 && arg.absolute {
                return Err(fail(
                    &ids::SOURCE_MODIFIER,
                    start..asm.reader.cursor.pos(),
                    "an absolute value cannot contain a negation",
                )
                .with_help("write the negation outside: `neg(abs(…))`"));
            }
            match function {
                0 => arg.negated = !arg.negated,
                1 => arg.absolute = true,
                _ => arg.extended = true,
            }
            modified(asm, arg, depth + 1)?;
            if !asm.reader.cursor.eat_after_blanks(b')') {
                return Err(asm.reader.cursor.expected("`)`"));
            }
            return Ok(());
        }
    }
    arg.what = unmodified(asm)?;
    Ok(())
}

/// Returns true if `-` negates a register or an absolute value; before a number, it is part of the number.
fn minus_negates(asm: &mut Assembler<'_>) -> bool {
    let mut probe = asm.reader.cursor.clone();
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
        || is_register(asm.isa, word, next == b'[')
        || asm.names.register_symbol(word).is_some()
        || word.eq_ignore_ascii_case("lds") && asm.dialect.lds_is_a_source()
}

/// Parses an operand without source modifiers.
fn unmodified(asm: &mut Assembler<'_>) -> Result<ArgValue, Fail> {
    let start = asm.reader.cursor.pos();
    let byte = asm.reader.cursor.peek();
    if byte == b'[' {
        return register::register_list(asm);
    }
    if byte == b'@' {
        // CLRX: an expression, even if it looks like a register.
        asm.reader.cursor.set_pos(start + 1);
        return expression_operand(asm);
    }
    if byte == b'{' {
        return function::hwreg_fields(asm);
    }
    let may_be_symbol = || matches!(byte, b'_' | b'.' | b'$') || asm.reader.cursor.at_scope();
    if byte.is_ascii_alphabetic() || !asm.names.registers.is_empty() && may_be_symbol() {
        let mut probe = asm.reader.cursor.clone();
        let word = probe.word().unwrap_or("");
        if let Some(what) = register::register(asm, word, &mut probe)? {
            asm.reader.cursor = probe;
            return Ok(what);
        }
        if word.eq_ignore_ascii_case("off") {
            asm.reader.cursor = probe;
            return Ok(ArgValue::Off);
        }
        if word == "null" {
            return Err(fail(
                &ids::UNSUPPORTED_REGISTER,
                start..probe.pos(),
                format!("{} has no register `null`", asm.isa),
            )
            .with_help("it exists from GFX10 on"));
        }
        probe.skip_blanks();
        if probe.peek() == b'('
            && let Some(what) = function::function(asm, word, &probe)?
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
    expression_operand(asm)
}

fn expression_operand(asm: &mut Assembler<'_>) -> Result<ArgValue, Fail> {
    Ok(match asm.parse_expr()? {
        ParsedExpr::Float(value) => ArgValue::Float(value),
        ParsedExpr::Suffixed(value, width) => ArgValue::Sized(value, width),
        ParsedExpr::Later(id) => delayed_operand(asm, DelayedValue::Expr(id)),
        ParsedExpr::Known(value) => match value.as_absolute() {
            Some(number) => ArgValue::Int(number),
            None => delayed_operand(asm, DelayedValue::Value(value)),
        },
    })
}

/// Parses `attr3.x` into a number.
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

/// Returns true for operand kinds that only exports and interpolation have.
pub(crate) fn is_graphics(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ExportTarget | Kind::Attribute | Kind::VertexParameter
    )
}
