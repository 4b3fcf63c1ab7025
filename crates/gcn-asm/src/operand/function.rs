//! Parses operands in function notation, such as `vmcnt(0)`, `hwreg(…)`, `sendmsg(…)`, `gpr_idx(…)` and `lit(…)`, and
//! names that stand for numbers.

use std::ops::Range;

use gcn_isa::simm::{self, Hwreg, Waitcnt};
use gcn_isa::{Isa, IsaSet, clrx};

use super::register::is_register;
use crate::argument::{ArgValue, DelayedValue, lower_case};
use crate::assembler::parser::Parser;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::explain::closest;
use crate::expr::ParsedExpr;
use crate::ids;

/// Operand function names, for suggestions.
const FUNCTIONS: [&str; 10] = [
    "vmcnt", "expcnt", "lgkmcnt", "hwreg", "sendmsg", "gpr_idx", "lit", "neg", "abs", "sext",
];

/// Prefixes that CLRX allows before hardware register and message names.
const CLRX_PREFIXES: [&str; 2] = ["hwreg_", "msg_"];

/// Parses an operand in function notation; returns `None` if `word` is not a function.
pub(crate) fn function(
    parser: &mut Parser<'_>,
    word: &str,
    at: &Cursor<'_>,
) -> Result<Option<ArgValue>, Fail> {
    let mut buffer = [0; 24];
    let Some(lower) = lower_case(word, &mut buffer) else {
        return Ok(None);
    };
    let counter = lower.strip_suffix("_sat").unwrap_or(lower);
    Ok(Some(match counter {
        "vmcnt" | "expcnt" | "lgkmcnt" => waitcnt(parser)?,
        "hwreg" => {
            parser.cursor.set_pos(at.pos() + 1);
            hwreg(parser)?
        }
        "sendmsg" => {
            parser.cursor.set_pos(at.pos() + 1);
            message(parser)?
        }
        "gpr_idx" => {
            parser.cursor.set_pos(at.pos() + 1);
            gpr_index(parser)?
        }
        "lit" => {
            parser.cursor.set_pos(at.pos() + 1);
            parser.cursor.skip_blanks();
            let mut probe = parser.cursor.clone();
            let word = probe.word().unwrap_or("");
            if is_register(parser.isa, word, probe.peek() == b'[') {
                return Err(parser.cursor.expected("a number"));
            }
            let value = match parser.parse_expr()? {
                ParsedExpr::Float(value) | ParsedExpr::Suffixed(value, _) => {
                    ArgValue::LiteralFloat(value)
                }
                ParsedExpr::Known(value) => match value.as_absolute() {
                    Some(number) => ArgValue::Literal(number),
                    None => ArgValue::DelayedLiteral(parser.delay(DelayedValue::Value(value))),
                },
                ParsedExpr::Later(id) => {
                    ArgValue::DelayedLiteral(parser.delay(DelayedValue::Expr(id)))
                }
            };
            parser.cursor.require(b')', "`)`")?;
            value
        }
        _ => return Ok(None),
    }))
}

/// Error for an unknown operand function.
pub(crate) fn unknown(name: &str, span: Range<usize>) -> Fail {
    let message = format!("unknown function `{name}`");
    let error = fail(&ids::UNKNOWN_NAME, span, message);
    match closest(&name.to_ascii_lowercase(), FUNCTIONS.into_iter()) {
        Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
        None => error,
    }
}

/// Parses wait counts such as `vmcnt(0) & lgkmcnt(1)`; omitted counters are not waited for.
fn waitcnt(parser: &mut Parser<'_>) -> Result<ArgValue, Fail> {
    let max = Waitcnt::max(parser.isa);
    let mut wait = max;
    let mut named: Vec<&str> = Vec::new();
    loop {
        let start = parser.cursor.token_start();
        let word = parser.cursor.word().unwrap_or("");
        let mut buffer = [0; 24];
        let lower = lower_case(word, &mut buffer).unwrap_or("");
        let (name, saturates) = match lower.strip_suffix("_sat") {
            Some(name) => (name, true),
            None => (lower, false),
        };
        let (name, field, limit) = match name {
            "vmcnt" => ("vmcnt", &mut wait.vm, max.vm),
            "expcnt" => ("expcnt", &mut wait.exp, max.exp),
            "lgkmcnt" => ("lgkmcnt", &mut wait.lgkm, max.lgkm),
            _ => {
                let message = format!("unknown counter `{word}`");
                return Err(
                    fail(&ids::UNKNOWN_NAME, parser.cursor.since(start), message)
                        .with_help("the counters are vmcnt, expcnt and lgkmcnt"),
                );
            }
        };
        if named.contains(&name) {
            let message = format!("`{name}` is written twice; the last one counts");
            parser.warning(
                &ids::DUPLICATE_MODIFIER,
                parser.cursor.since(start),
                message,
            );
        }
        named.push(name);
        parser.cursor.require(b'(', "`(`")?;
        let value = parser.absolute("the counter's value")?;
        let limit = i64::from(limit);
        let is_possible = (0..=limit).contains(&value) || saturates && value > limit;
        if !is_possible {
            let message = format!("{value} is out of range: {name} counts from 0 to {limit}");
            return Err(fail(
                &ids::OPERAND_RANGE,
                parser.cursor.since(start),
                message,
            ));
        }
        *field = value.min(limit) as u8;
        parser.cursor.require(b')', "`)`")?;
        parser.cursor.skip_blanks();
        let separated = parser.cursor.eat(b'&') || parser.cursor.eat(b',');
        if !separated && !parser.cursor.peek().is_ascii_alphabetic() {
            return Ok(ArgValue::Waitcnt(wait.pack(parser.isa)));
        }
    }
}

/// Parses the arguments of `hwreg(HW_REG_MODE, 0, 4)`: a register and a range of its bits.
fn hwreg(parser: &mut Parser<'_>) -> Result<ArgValue, Fail> {
    let isa = parser.isa;
    let everywhere = isa.only();
    let theirs = clrx::hwregs(isa).map(move |(name, id)| (name, id, everywhere));
    let names = simm::HWREGS
        .iter()
        .copied()
        .chain(theirs)
        .chain(clrx::HWREG_ALIASES);
    let id = named_number(parser, "hardware register", names, isa, 63)?;
    let mut offset = 0;
    let mut width = 32;
    if parser.cursor.eat_after_blanks(b',') {
        offset = parser.absolute_within("the lowest bit", 0, 31)?;
        parser.cursor.require(b',', "`,` and the number of bits")?;
        width = parser.absolute_within("the number of bits", 1, 32)?;
    }
    parser.cursor.require(b')', "`)`")?;
    let reg = Hwreg {
        id,
        offset: offset as u8,
        width: width as u8,
    };
    Ok(ArgValue::Hwreg(reg.pack()))
}

/// Parses `{id: 1, offset: 0, size: 4}`, equivalent to [`hwreg`]. Offset and size default to the whole register.
pub(crate) fn hwreg_fields(parser: &mut Parser<'_>) -> Result<ArgValue, Fail> {
    const FIELDS: [(&str, i64, i64); 3] = [("id", 0, 63), ("offset", 0, 31), ("size", 1, 32)];
    let isa = parser.isa;
    let mut values = [None; FIELDS.len()];
    let mut separator = b'{';
    let mut probe = parser.cursor.clone();
    let is_empty = probe.eat(b'{') && probe.eat_after_blanks(b'}');
    if is_empty {
        parser.cursor = probe;
    }
    let mut is_open = !is_empty;
    while is_open {
        let what = if separator == b'{' {
            "`{` or `}`"
        } else {
            "`,` or `}`"
        };
        parser.cursor.require(separator, what)?;
        separator = b',';
        let start = parser.cursor.token_start();
        let name = parser.cursor.word().unwrap_or("");
        let place = FIELDS.iter().position(|(field, ..)| *field == name);
        let (Some(index), true) = (place, parser.cursor.eat_after_blanks(b':')) else {
            let message = "expected `id:`, `offset:` or `size:`";
            return Err(fail(
                &ids::UNEXPECTED_TOKEN,
                parser.cursor.since(start),
                message,
            ));
        };
        let value = match FIELDS.get(index) {
            Some(&(_, _, max)) if index == 0 => {
                let names = simm::HWREGS.iter().map(|&(name, id, on)| (name, id, on));
                i64::from(named_number(parser, "hardware register", names, isa, max)?)
            }
            Some(&(name, low, high)) => parser.absolute_within(name, low, high)?,
            None => 0,
        };
        let old = values.get_mut(index).and_then(|place| place.replace(value));
        if old.is_some() {
            let message = format!("`{name}` is written twice");
            return Err(fail(
                &ids::DUPLICATE_NAME,
                parser.cursor.since(start),
                message,
            ));
        }
        is_open = !parser.cursor.eat_after_blanks(b'}');
    }
    let [id, offset, width] = values;
    let reg = Hwreg {
        id: id.unwrap_or(0) as u8,
        offset: offset.unwrap_or(0) as u8,
        width: width.unwrap_or(32) as u8,
    };
    Ok(ArgValue::Hwreg(reg.pack()))
}

/// Parses the arguments of `sendmsg(MSG_GS, GS_OP_EMIT, 0)`: a message, its operation and its stream.
fn message(parser: &mut Parser<'_>) -> Result<ArgValue, Fail> {
    let isa = parser.isa;
    let everywhere = isa.only();
    let theirs = clrx::messages(isa).map(move |(name, id)| (name, id, everywhere));
    let names = simm::MESSAGES.iter().copied().chain(theirs);
    let start = parser.cursor.token_start();
    let message = named_number(parser, "message", names.clone(), isa, 15)?;
    let written = parser.cursor.slice(parser.cursor.since(start));
    let is_named = names
        .clone()
        .any(|(name, ..)| name.eq_ignore_ascii_case(written));
    let (mut op, mut stream) = (None, None);
    if parser.cursor.eat_after_blanks(b',') {
        let theirs = clrx::GS_OPS.into_iter().zip(0u8..).chain([clrx::EMIT_CUT]);
        let theirs = theirs.map(|(name, id)| (name, id, everywhere));
        let names = simm::message_ops(message).iter().copied().chain(theirs);
        op = Some(named_number(parser, "operation", names, isa, 7)?);
        if parser.cursor.eat_after_blanks(b',') {
            stream = Some(parser.absolute_within("the stream", 0, 3)? as u8);
        }
    }
    parser.cursor.require(b')', "`)`")?;
    // Numeric messages are not checked.
    if is_named
        && parser.dialect.checks_messages()
        && let Some(wrong) = simm::wrong_message(isa, message, op, stream)
    {
        return Err(fail(
            &ids::INVALID_MESSAGE,
            start..parser.cursor.pos() - 1,
            wrong,
        ));
    }
    Ok(ArgValue::Message(
        u16::from(message) | u16::from(op.unwrap_or(0)) << 4 | u16::from(stream.unwrap_or(0)) << 8,
    ))
}

/// Parses the arguments of `gpr_idx(SRC0,DST)`: the operands that are indexed.
fn gpr_index(parser: &mut Parser<'_>) -> Result<ArgValue, Fail> {
    let mut bits = 0;
    if parser.cursor.eat_after_blanks(b')') {
        return Ok(ArgValue::GprIndex(bits));
    }
    let everywhere = parser.isa.only();
    loop {
        let names = (0u8..)
            .zip(simm::GPR_INDEXES)
            .map(|(bit, name)| (name, bit, everywhere));
        let isa = parser.isa;
        let start = parser.cursor.token_start();
        let bit = 1 << named_number(parser, "operand of VGPR indexing", names, isa, 3)?;
        if bits & bit != 0 {
            let message = "this operand is named twice";
            return Err(fail(
                &ids::DUPLICATE_NAME,
                parser.cursor.since(start),
                message,
            ));
        }
        bits |= bit;
        if !parser.cursor.list_continues(b')')? {
            return Ok(ArgValue::GprIndex(bits));
        }
    }
}

/// Parses a number, or a name for one from `names`.
pub(crate) fn named_number(
    parser: &mut Parser<'_>,
    what: &str,
    names: impl Iterator<Item = (&'static str, u8, IsaSet)> + Clone,
    isa: Isa,
    max: i64,
) -> Result<u8, Fail> {
    let start = parser.cursor.token_start();
    if parser.cursor.eat(b'@') {
        // CLRX: a number follows, even if a symbol has the same name.
        return parser
            .absolute_within(what, 0, max)
            .map(|value| value as u8);
    }
    let mut probe = parser.cursor.clone();
    let mut word = probe.word().unwrap_or("");
    // CLRX's names with a dash, such as `emit-cut`.
    if probe.peek() == b'-' && names.clone().any(|(name, ..)| name.contains('-')) {
        let mut longer = probe.clone();
        longer.set_pos(probe.pos() + 1);
        if longer.word().is_some() {
            let text = longer.slice(start..longer.pos());
            if names
                .clone()
                .any(|(name, ..)| name.eq_ignore_ascii_case(text))
            {
                (word, probe) = (text, longer);
            }
        }
    }
    let is_name = |word: &str| {
        names
            .clone()
            .any(|(name, ..)| name.eq_ignore_ascii_case(word))
    };
    let without = CLRX_PREFIXES.iter().find_map(|prefix| {
        let (head, rest) = word.split_at_checked(prefix.len())?;
        (head.eq_ignore_ascii_case(prefix) && is_name(rest)).then_some(rest)
    });
    if let Some(rest) = without.filter(|_| !is_name(word)) {
        word = rest;
    }
    let mut same = names
        .clone()
        .filter(|(name, ..)| name.eq_ignore_ascii_case(word));
    if let Some((_, id, _)) = same.clone().find(|(_, _, on)| on.has(isa)) {
        parser.cursor = probe;
        return Ok(id);
    }
    if let Some((name, _, on)) = same.next() {
        let message = format!("{isa} has no {what} `{name}`");
        return Err(fail(&ids::UNKNOWN_NAME, start..probe.pos(), message)
            .with_help(format!("it exists on {on}")));
    }
    let known = parser.names.is_defined(word);
    if !word.is_empty() && !known {
        let all: Vec<&str> = names
            .filter(|(_, _, on)| on.has(isa))
            .map(|n| n.0)
            .collect();
        let mut error = fail(
            &ids::UNKNOWN_NAME,
            start..probe.pos(),
            format!("unknown {what} `{word}`"),
        );
        if !all.is_empty() {
            error = error.with_help(format!("{isa} has {}", all.join(", ")));
        }
        return Err(error);
    }
    parser
        .absolute_within(what, 0, max)
        .map(|value| value as u8)
}
