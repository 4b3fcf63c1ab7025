//! Parses registers: `v1`, `s[2:3]`, `[v1,v2]`, `vcc`, `exec[0]`, and CLRX's register aliases.

use std::ops::Range;

use gcn_isa::{Isa, regs};

use crate::argument::{ArgValue, lower_case};
use crate::assembler::parser::Parser;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;

/// Number of VGPRs that operands can name.
const VGPRS: u32 = 256;
/// Maximum number of registers in a group.
const MAX_GROUP: u32 = 32;

/// Parses a register that begins with `word`. `cursor` is after the word and advances past the register.
pub(crate) fn register(
    parser: &mut Parser<'_>,
    word: &str,
    cursor: &mut Cursor<'_>,
) -> Result<Option<ArgValue>, Fail> {
    let end = cursor.pos();
    let start = end - word.len();
    let bytes = word.as_bytes();
    if let [first @ (b'v' | b'V' | b's' | b'S'), digits @ ..] = bytes
        && !digits.is_empty()
        && digits.iter().all(u8::is_ascii_digit)
    {
        let bank = match first | 0x20 {
            b'v' => Bank::Vector,
            _ => Bank::Scalar,
        };
        let number = digits.iter().fold(0u32, |n, d| {
            n.saturating_mul(10).saturating_add(u32::from(d - b'0'))
        });
        return group(parser, bank, number, 1, start..end).map(Some);
    }
    let is_bank = ["v", "s", "ttmp"]
        .iter()
        .any(|b| word.eq_ignore_ascii_case(b));
    if !(is_bank && parser.banks_first)
        && let Some(whole) = parser.names.register_symbol(word)
    {
        return if cursor.peek() == b'[' {
            part(parser, whole, start, cursor).map(Some)
        } else {
            Ok(Some(whole))
        };
    }
    let bank = match bytes {
        [b'v' | b'V'] => Some(Bank::Vector),
        [b's' | b'S'] => Some(Bank::Scalar),
        _ if word
            .get(..4)
            .is_some_and(|t| t.eq_ignore_ascii_case("ttmp")) =>
        {
            Some(Bank::Trap)
        }
        _ => None,
    };
    if let Some(bank) = bank {
        let digits = word.get(4..).unwrap_or("");
        if bank == Bank::Trap && !digits.is_empty() {
            let Ok(number) = digits.parse::<u32>() else {
                return Ok(None);
            };
            return group(parser, bank, number, 1, start..end).map(Some);
        }
        let mut probe = cursor.clone();
        if !probe.eat_after_blanks(b'[') {
            return Ok(None);
        }
        // The expression parser reads from `parser.cursor`.
        let outer = std::mem::replace(&mut parser.bar_ends, false);
        parser.cursor.set_pos(probe.pos());
        let result = range(parser, bank, start);
        parser.bar_ends = outer;
        let what = result?;
        cursor.set_pos(parser.cursor.pos());
        return Ok(Some(what));
    }
    // The longest register name has 24 characters: `src_pops_exiting_wave_id`.
    let mut buffer = [0; 24];
    let Some(lower) = lower_case(word, &mut buffer) else {
        return Ok(None);
    };
    if let Some((code, count)) = named_register(parser, lower) {
        if regs::is_xnack_mask(parser.isa, code)
            && !parser.target.xnack
            && parser.dialect.xnack_mask_needs_xnack()
        {
            let message = format!("{} has no register `{lower}`", parser.target.name);
            return Err(fail(&ids::UNSUPPORTED_REGISTER, start..end, message)
                .with_help("only chips that replay faulting accesses have it, such as gfx801"));
        }
        let whole = whole_register(parser, code, count);
        return if cursor.peek() == b'[' {
            part(parser, whole, start, cursor).map(Some)
        } else {
            Ok(Some(whole))
        };
    }
    match regs::named_anywhere(lower) {
        Some(on) => Err(fail(
            &ids::UNSUPPORTED_REGISTER,
            start..end,
            format!("{} has no register `{lower}`", parser.isa),
        )
        .with_help(format!("it exists on {on}"))),
        None => Ok(None),
    }
}

/// Operand code of a special register, and its size in dwords.
fn named_register(parser: &Parser<'_>, lower: &str) -> Option<(u8, u8)> {
    if lower == "lds" && parser.dialect.lds_is_a_source() {
        return Some((regs::LDS_DIRECT, 1));
    }
    regs::named(parser.isa, lower)
}

/// Fast path for special registers; `None` if the general parser must decide.
pub(crate) fn common_named(parser: &Parser<'_>, name: &str) -> Option<ArgValue> {
    let (code, count) = named_register(parser, name)?;
    let may_lack = regs::is_xnack_mask(parser.isa, code);
    (!may_lack).then(|| whole_register(parser, code, count))
}

/// Operand for a whole special register. In CLRX's dialect, read-only registers such as `vccz` fit any operand width.
fn whole_register(parser: &Parser<'_>, code: u8, count: u8) -> ArgValue {
    let is_any = code > regs::EXEC_HI && parser.dialect.takes_all_modifiers();
    ArgValue::Scalar {
        code,
        count: if is_any { regs::ANY_WIDTH } else { count },
    }
}

/// Parses part of a special register or alias, as in `vcc[0]` or `vcc[0:1]`. `cursor` moves from the `[` past the `]`.
fn part(
    parser: &mut Parser<'_>,
    whole: ArgValue,
    start: usize,
    cursor: &mut Cursor<'_>,
) -> Result<ArgValue, Fail> {
    let outer = std::mem::replace(&mut parser.bar_ends, false);
    parser.cursor.set_pos(cursor.pos() + 1);
    let bounds = bounds(parser);
    parser.bar_ends = outer;
    let (low, high) = bounds?;
    cursor.set_pos(parser.cursor.pos());
    let within = |first: u8, count: u8| {
        let last = u8::try_from(high).ok().filter(|&last| last < count)?;
        let low = u8::try_from(low).ok().filter(|&low| low <= last)?;
        Some((first + low, last - low + 1))
    };
    let part = match whole {
        ArgValue::Vgprs { first, count } => {
            within(first, count).map(|(first, count)| ArgValue::Vgprs { first, count })
        }
        ArgValue::Scalar { code, count } => {
            within(code, count).map(|(code, count)| ArgValue::Scalar { code, count })
        }
        constant => (low == 0).then_some(constant),
    };
    part.ok_or_else(|| {
        fail(
            &ids::REGISTER_RANGE,
            parser.cursor.since(start),
            "the register does not have this part",
        )
    })
}

/// Parses register bounds: `3]` or `3:4]`.
fn bounds(parser: &mut Parser<'_>) -> Result<(i64, i64), Fail> {
    let first = parser.absolute("the register's number")?;
    let last = if parser.cursor.eat_after_blanks(b':') {
        parser.absolute("the last register's number")?
    } else {
        first
    };
    parser.cursor.require(b']', "`]`")?;
    Ok((first, last))
}

/// Parses the range of a register group; the cursor is after the `[`.
fn range(parser: &mut Parser<'_>, bank: Bank, start: usize) -> Result<ArgValue, Fail> {
    let from = parser.cursor.pos();
    let (first, last) = bounds(parser)?;
    let span = parser.cursor.since(start);
    let (Ok(low), Ok(high)) = (u32::try_from(first), u32::try_from(last)) else {
        return Err(fail(&ids::REGISTER_RANGE, span, "invalid register number"));
    };
    if high < low {
        let message = format!("the last register, {high}, is before the first, {low}");
        return Err(fail(
            &ids::REGISTER_RANGE,
            from..parser.cursor.pos() - 1,
            message,
        ));
    }
    let count = (high - low).saturating_add(1);
    group(parser, bank, low, count, span)
}

/// Parses a list of single registers with consecutive numbers: `[v1,v2]`, `[s0,s1]`.
pub(crate) fn register_list(parser: &mut Parser<'_>) -> Result<ArgValue, Fail> {
    let start = parser.cursor.pos();
    parser.cursor.set_pos(start + 1);
    let mut whole: Option<ArgValue> = None;
    loop {
        parser.cursor.skip_blanks();
        let at = parser.cursor.pos();
        let mut probe = parser.cursor.clone();
        let word = probe.word().unwrap_or("");
        let Some(next) = register(parser, word, &mut probe)? else {
            return Err(parser.cursor.expected("a register"));
        };
        parser.cursor.set_pos(probe.pos());
        whole = Some(match (whole, next) {
            (None, one) => one,
            (
                Some(ArgValue::Vgprs { first, count }),
                ArgValue::Vgprs {
                    first: number,
                    count: 1,
                },
            ) if u32::from(first) + u32::from(count) == u32::from(number)
                && u32::from(count) < MAX_GROUP =>
            {
                ArgValue::Vgprs {
                    first,
                    count: count + 1,
                }
            }
            (
                Some(ArgValue::Scalar { code, count }),
                ArgValue::Scalar {
                    code: number,
                    count: 1,
                },
            ) if u32::from(code) + u32::from(count) == u32::from(number)
                && u32::from(count) < MAX_GROUP =>
            {
                ArgValue::Scalar {
                    code,
                    count: count + 1,
                }
            }
            _ => {
                let message = "the registers of a list must follow each other";
                return Err(fail(&ids::REGISTER_LIST, parser.cursor.since(at), message));
            }
        });
        if !parser.cursor.list_continues(b']')? {
            break;
        }
    }
    match whole {
        Some(ArgValue::Scalar { code, count })
            if code < parser.isa.sgprs()
                && !regs::aligned(code, count)
                && !parser.dialect.takes_any_group() =>
        {
            Err(misaligned(parser.cursor.since(start), "s", code, count))
        }
        Some(what) => Ok(what),
        None => Err(parser.cursor.expected("a register")),
    }
}

/// Creates a group of `count` registers starting at `first`, after checking its bounds, size and alignment.
fn group(
    parser: &mut Parser<'_>,
    bank: Bank,
    first: u32,
    count: u32,
    span: Range<usize>,
) -> Result<ArgValue, Fail> {
    let (temporaries, trap_count) = regs::trap_temporaries(parser.isa);
    let (limit, name, letter) = match bank {
        Bank::Vector => (VGPRS, "VGPRs", "v"),
        Bank::Scalar => (u32::from(parser.isa.sgprs()), "SGPRs", "s"),
        Bank::Trap => (u32::from(trap_count), "trap temporaries", "ttmp"),
    };
    let last = first.saturating_add(count - 1);
    if last >= limit {
        let message = format!("register {letter}{last} does not exist");
        return Err(fail(&ids::REGISTER_RANGE, span, message).with_help(format!(
            "{} has the {name} {letter}0 to {letter}{}",
            parser.isa,
            limit - 1
        )));
    }
    if count > MAX_GROUP {
        let message = format!("no operand has {count} registers; the largest have {MAX_GROUP}");
        return Err(fail(&ids::REGISTER_COUNT, span, message));
    }
    let (number, count) = (first as u8, count as u8);
    match bank {
        Bank::Vector => {
            parser.names.vgprs.include(last);
            Ok(ArgValue::Vgprs {
                first: number,
                count,
            })
        }
        Bank::Scalar | Bank::Trap
            if !regs::aligned(number, count) && !parser.dialect.takes_any_group() =>
        {
            Err(misaligned(span, letter, number, count))
        }
        Bank::Scalar => {
            parser.names.sgprs.include(last);
            Ok(ArgValue::Scalar {
                code: number,
                count,
            })
        }
        Bank::Trap => Ok(ArgValue::Scalar {
            code: temporaries + number,
            count,
        }),
    }
}

/// Group of registers from `first` to `last`, if valid.
pub(crate) fn common_group(
    parser: &mut Parser<'_>,
    letter: u8,
    first: u32,
    last: u32,
) -> Option<ArgValue> {
    let is_vector = letter == b'v';
    let limit = if is_vector {
        VGPRS
    } else {
        u32::from(parser.isa.sgprs())
    };
    let count = last.checked_sub(first)? + 1;
    let (number, short) = (first as u8, count as u8);
    if last >= limit || count > MAX_GROUP || !is_vector && !regs::aligned(number, short) {
        return None;
    }
    Some(if is_vector {
        parser.names.vgprs.include(last);
        ArgValue::Vgprs {
            first: number,
            count: short,
        }
    } else {
        parser.names.sgprs.include(last);
        ArgValue::Scalar {
            code: number,
            count: short,
        }
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bank {
    Vector,
    Scalar,
    Trap,
}

fn misaligned(span: Range<usize>, letter: &str, first: u8, count: u8) -> Fail {
    let multiple = if count == 2 { 2 } else { 4 };
    let below = first / multiple * multiple;
    let last = |first: u8| u32::from(first) + u32::from(count) - 1;
    fail(
        &ids::REGISTER_ALIGNMENT,
        span,
        format!("{count} registers must begin at a multiple of {multiple}, not at {letter}{first}"),
    )
    .with_help(format!(
        "for example {letter}[{below}:{}] or {letter}[{}:{}]",
        last(below),
        below.saturating_add(multiple),
        last(below.saturating_add(multiple)),
    ))
}

/// Returns true if `word` is the prefix of a register bank.
pub(crate) fn is_bank(word: &str) -> bool {
    let banks = ["v", "s", "ttmp"];
    banks.iter().any(|bank| bank.eq_ignore_ascii_case(word))
}

/// Returns true if `word` names a register; `bracket` is true if a `[` follows.
pub(crate) fn is_register(isa: Isa, word: &str, bracket: bool) -> bool {
    let bytes = word.as_bytes();
    match bytes {
        [b'v' | b'V' | b's' | b'S'] => bracket,
        [b'v' | b'V' | b's' | b'S', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => true,
        _ => {
            let mut buffer = [0; 24];
            lower_case(word, &mut buffer).is_some_and(|lower| {
                let is_trap = |rest: &str| {
                    let is_number = rest.bytes().all(|b| b.is_ascii_digit());
                    is_number && (bracket || !rest.is_empty())
                };
                regs::named(isa, lower).is_some() || lower.strip_prefix("ttmp").is_some_and(is_trap)
            })
        }
    }
}
