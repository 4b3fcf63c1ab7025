//! Data directives: numbers, strings, space and alignment.

use std::ops::Range;

use crate::argument::DelayedValue;
use crate::assembler::layout::MAX_ALIGN;
use crate::assembler::output::{Fixup, FixupKind, NOP, Output, check_width};
use crate::assembler::parser::Parser;
use crate::cursor::without_suffix;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::expr::ParsedExpr;
use crate::float::{FloatLayout, HALF};
use crate::ids;
use crate::value::{ExprValue, Term};

/// Emits comma-separated integers or addresses of `width` bytes each.
pub(crate) fn data(parser: &mut Parser<'_>, output: &mut Output, width: u8) -> Result<(), Fail> {
    if parser.cursor.statement_ends() {
        return Ok(());
    }
    loop {
        let start = parser.cursor.token_start();
        let parsed = if is_missing_datum(parser) {
            ParsedExpr::Known(ExprValue::absolute(0))
        } else {
            parser.parse_expr()?
        };
        let span = parser.cursor.since(start);
        let (section, offset) = parser.names.layout.here();
        let mut bytes = [0; 8];
        let delayed = match parsed {
            ParsedExpr::Float(_) | ParsedExpr::Suffixed(..) => {
                return Err(
                    fail(&ids::FLOAT_VALUE, span, "this directive takes integers")
                        .with_help("use `.float` or `.double`"),
                );
            }
            ParsedExpr::Known(value) => match value.as_absolute() {
                Some(number) => {
                    check_datum(parser, number, width, &span)?;
                    bytes = number.to_le_bytes();
                    None
                }
                None => Some(DelayedValue::Value(value)),
            },
            ParsedExpr::Later(id) => Some(DelayedValue::Expr(id)),
        };
        if let Some(value) = delayed {
            output.fixups.push(Fixup {
                section,
                offset,
                kind: FixupKind::Data(width),
                value,
                span: span.clone(),
                instruction: None,
            });
        }
        output.emit(
            &mut parser.names.layout,
            bytes.get(..usize::from(width)).unwrap_or(&bytes),
            &span,
        )?;
        if !parser.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Checks that a number fits in `width` bytes. If the dialect truncates data, reports an oversized number as a warning.
pub(crate) fn check_datum(
    parser: &mut Parser<'_>,
    number: i64,
    width: u8,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let checked = check_width(number, width, span);
    if parser.dialect.truncates_data()
        && let Err(mut error) = checked
    {
        error.id = &ids::TRUNCATED_VALUE;
        error.message += ", and is truncated";
        parser.warn(*error);
        return Ok(());
    }
    checked
}

/// Parses the size of reserved space. If the dialect allows it, a negative size counts as 0, with a warning.
fn room_size(parser: &mut Parser<'_>, what: &str) -> Result<u64, Fail> {
    if !parser.dialect.truncates_data() {
        let size = parser.absolute_within(what, 0, i64::MAX)?;
        return Ok(size.cast_unsigned());
    }
    let start = parser.cursor.token_start();
    let size = parser.absolute(what)?;
    Ok(u64::try_from(size).unwrap_or_else(|_| {
        let message = format!("no data is emitted: {what} is {size}");
        let span = parser.cursor.since(start);
        parser.warning(&ids::EMPTY_FILL, span, message);
        0
    }))
}

/// Returns true, with a warning, if a value is missing at the cursor and the dialect uses 0 instead.
fn is_missing_datum(parser: &mut Parser<'_>) -> bool {
    let is_missing = parser.dialect.takes_missing_data()
        && (parser.cursor.at_statement_end() || parser.cursor.peek() == b',');
    if is_missing {
        let here = parser.cursor.here();
        let message = "the number is missing; 0 is used";
        parser.warning(&ids::MISSING_VALUE, here, message);
    }
    is_missing
}

/// Emits comma-separated LEB128 numbers.
pub(crate) fn leb128(
    parser: &mut Parser<'_>,
    output: &mut Output,
    is_signed: bool,
) -> Result<(), Fail> {
    const PAYLOAD: i64 = 0x7f;
    const MORE: u8 = 0x80;
    const SIGN: u8 = 0x40;
    loop {
        let start = parser.cursor.token_start();
        let mut value = parser.absolute("a number of variable length")?;
        let span = parser.cursor.since(start);
        loop {
            let byte = (value & PAYLOAD) as u8;
            let is_last = if is_signed {
                value >>= 7;
                value == -i64::from(byte & SIGN != 0)
            } else {
                value = (value.cast_unsigned() >> 7).cast_signed();
                value == 0
            };
            output.emit(
                &mut parser.names.layout,
                &[if is_last { byte } else { byte | MORE }],
                &span,
            )?;
            if is_last {
                break;
            }
        }
        if !parser.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Emits comma-separated 16-byte numbers.
pub(crate) fn octa(parser: &mut Parser<'_>, output: &mut Output) -> Result<(), Fail> {
    loop {
        let start = parser.cursor.token_start();
        let is_missing = is_missing_datum(parser);
        // A sign before anything but a number is part of an expression.
        let is_negative = parser.cursor.peek() == b'-' && parser.cursor.peek_at(1).is_ascii_digit();
        parser
            .cursor
            .set_pos(parser.cursor.pos() + usize::from(is_negative));
        let number = match parser.cursor.peek() {
            _ if is_missing => 0,
            b'0'..=b'9' => {
                let place = parser.cursor.tail();
                let text = parser.cursor.slice(place);
                let number = without_suffix(text);
                let (prefix, radix) = match number.as_bytes() {
                    [b'0', b'x' | b'X', ..] => (2, 16),
                    [b'0', b'b' | b'B', ..] => (2, 2),
                    [b'0', _, ..] => (1, 8),
                    _ => (0, 10),
                };
                let digits = number.get(prefix..).unwrap_or("");
                let number = u128::from_str_radix(digits, radix).map_err(|_| {
                    let message = format!("`{text}` is not a number of 128 bits");
                    fail(&ids::INVALID_NUMBER, parser.cursor.since(start), message)
                })?;
                number.cast_signed()
            }
            _ => parser.absolute("a number of 16 bytes")?.into(),
        };
        let number = if is_negative {
            number.wrapping_neg()
        } else {
            number
        };
        output.emit(
            &mut parser.names.layout,
            &number.to_le_bytes(),
            &parser.cursor.since(start),
        )?;
        if !parser.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Emits comma-separated floating-point numbers.
pub(crate) fn floats(
    parser: &mut Parser<'_>,
    output: &mut Output,
    format: &FloatLayout,
) -> Result<(), Fail> {
    loop {
        let start = parser.cursor.token_start();
        let bytes = float_bits(parser, format)?.to_le_bytes();
        let span = parser.cursor.since(start);
        output.emit(
            &mut parser.names.layout,
            bytes.get(..format.width).unwrap_or(&bytes),
            &span,
        )?;
        if !parser.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Parses a floating-point number and rounds it to a format.
fn float_bits(parser: &mut Parser<'_>, format: &FloatLayout) -> Result<u64, Fail> {
    let start = parser.cursor.token_start();
    let is_missing = is_missing_datum(parser);
    let is_negative = parser.cursor.eat(b'-');
    if !is_negative {
        let _ = parser.cursor.eat(b'+');
    }
    let place = parser.cursor.float_tail();
    let text = if is_missing {
        "0"
    } else {
        parser.cursor.slice(place)
    };
    let span = parser.cursor.since(start);
    if text.is_empty() {
        return Err(parser.cursor.expected("a floating-point number"));
    }
    let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let bits = match hexadecimal {
        Some(digits) => format.hexadecimal(digits),
        None if text.eq_ignore_ascii_case("nan") => Some(format.nan()),
        // Rust parses LLVM's names for infinity: `inf` and `infinity`.
        None => (format.decimal)(text),
    };
    let Some(bits) = bits else {
        let error = fail(
            &ids::INVALID_NUMBER,
            span,
            format!("`{text}` is not a floating-point number"),
        );
        return Err(match hexadecimal {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                error.with_help("write bit patterns with `.long` or `.quad`")
            }
            _ => error,
        });
    };
    Ok(if is_negative {
        bits | format.sign()
    } else {
        bits
    })
}

/// Emits comma-separated strings with `width` bytes per character; strings separated by blanks are concatenated.
pub(crate) fn strings(
    parser: &mut Parser<'_>,
    output: &mut Output,
    terminated: bool,
    width: usize,
) -> Result<(), Fail> {
    if parser.cursor.statement_ends() {
        return Ok(());
    }
    loop {
        let start = parser.cursor.token_start();
        if parser.dialect.takes_missing_data() && parser.cursor.peek() == b',' {
            // An empty list item emits nothing, not even a terminating zero.
            parser.cursor.set_pos(start + 1);
            continue;
        }
        let mut bytes = parser.cursor.string()?;
        parser.cursor.skip_blanks();
        while parser.cursor.peek() == b'"' {
            bytes.extend(parser.cursor.string()?);
            parser.cursor.skip_blanks();
        }
        if terminated {
            bytes.push(0);
        }
        if width > 1 {
            let wide = |byte| std::iter::once(byte).chain(std::iter::repeat_n(0, width - 1));
            bytes = bytes.into_iter().flat_map(wide).collect();
        }
        output.emit(
            &mut parser.names.layout,
            &bytes,
            &parser.cursor.since(start),
        )?;
        if !parser.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Handles `.space count, value`.
pub(crate) fn space(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let count = room_size(parser, "the number of bytes")?;
    let value = parser.optional_absolute("the value")?.unwrap_or(0);
    output.emit_repeated(&mut parser.names.layout, count, &[value as u8], span)
}

/// Handles `.dcb count, value`, with elements of `width` bytes.
pub(crate) fn repeated(
    parser: &mut Parser<'_>,
    output: &mut Output,
    width: u8,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let count = parser.absolute_within("the number of elements", 0, i64::MAX)?;
    let value = parser.optional_absolute("the value")?.unwrap_or(0);
    check_datum(parser, value, width, span)?;
    let bytes = value.to_le_bytes();
    let element = bytes.get(..usize::from(width)).unwrap_or(&bytes);
    output.emit_repeated(
        &mut parser.names.layout,
        count.cast_unsigned(),
        element,
        span,
    )
}

/// Handles `.dcb.s count, number` and `.dcb.d`.
pub(crate) fn repeated_floats(
    parser: &mut Parser<'_>,
    output: &mut Output,
    format: &FloatLayout,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let count = parser.absolute_within("the number of elements", 0, i64::MAX)?;
    parser.cursor.comma("the number")?;
    let bytes = float_bits(parser, format)?.to_le_bytes();
    output.emit_repeated(
        &mut parser.names.layout,
        count.cast_unsigned(),
        bytes.get(..format.width).unwrap_or(&bytes),
        span,
    )
}

/// Handles `.ds count`, with elements of `width` bytes.
pub(crate) fn space_of(
    parser: &mut Parser<'_>,
    output: &mut Output,
    width: u64,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let count = parser.absolute_within("the number of elements", 0, i64::MAX)?;
    output.emit_zeros(
        &mut parser.names.layout,
        count.cast_unsigned().saturating_mul(width),
        span,
    )
}

/// Handles `.fill count, size, value`; `mask` selects the bits of the value to use.
pub(crate) fn fill(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: &Range<usize>,
    mask: u64,
) -> Result<(), Fail> {
    /// Maximum element size in bytes.
    const MAX_SIZE: usize = 8;
    let count = parser.absolute("the number of elements")?;
    let size = parser
        .optional_absolute("the size of an element")?
        .unwrap_or(1);
    let value = parser.optional_absolute("the value")?.unwrap_or(0);
    let Ok(size) = usize::try_from(size) else {
        if parser.dialect.truncates_data() {
            let message = format!("nothing is filled: an element has {size} bytes");
            parser.warning(&ids::EMPTY_FILL, span.clone(), message);
            return Ok(());
        }
        let message = format!("an element has {size} bytes; 0 to {MAX_SIZE} are possible");
        return Err(fail(&ids::VALUE_RANGE, span.clone(), message));
    };
    let Ok(count) = u64::try_from(count) else {
        let message = format!("nothing is filled: the number of elements is {count}");
        parser.warning(&ids::EMPTY_FILL, span.clone(), message);
        return Ok(());
    };
    if size > MAX_SIZE {
        let message = format!("elements of {size} bytes are taken as {MAX_SIZE} bytes");
        parser.warning(&ids::TRUNCATED_VALUE, span.clone(), message);
    }
    let bytes = (value.cast_unsigned() & mask).to_le_bytes();
    output.emit_repeated(
        &mut parser.names.layout,
        count,
        bytes.get(..size).unwrap_or(&bytes),
        span,
    )
}

/// Handles `.align alignment, fill, limit`; if more than `limit` bytes of padding are needed, emits none. Code is
/// padded with S_NOP by default.
pub(crate) fn align(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: &Range<usize>,
    is_power: bool,
    width: usize,
) -> Result<(), Fail> {
    let align = if is_power {
        1 << parser.absolute_within("the alignment", 0, i64::from(MAX_ALIGN.ilog2()))?
    } else {
        parser
            .absolute_within("the alignment", 0, MAX_ALIGN)?
            .max(1)
    };
    if align.count_ones() != 1 {
        let message = format!("the alignment is {align}, but must be a power of two");
        return Err(fail(&ids::INVALID_ALIGNMENT, span.clone(), message));
    }
    let fill = parser.optional_absolute("the fill value")?;
    let most = parser.optional_absolute("the most bytes to skip")?;
    let align = align.cast_unsigned();
    let offset = parser.names.layout.here().1;
    let padding = offset.next_multiple_of(align) - offset;
    if most.is_some_and(|most| most > 0 && padding > most.cast_unsigned()) {
        return Ok(());
    }
    let is_code = parser.names.layout.section().is_some_and(|s| s.flags.exec);
    let layout = &mut parser.names.layout;
    layout.align(layout.current, align);
    match fill {
        Some(value) => {
            let bytes = value.to_le_bytes();
            let element = bytes.get(..width).unwrap_or(&bytes);
            if !padding.is_multiple_of(width as u64) {
                let message = format!(
                    "{padding} bytes of padding are not a multiple of the fill value's {width}"
                );
                return Err(fail(&ids::INVALID_ALIGNMENT, span.clone(), message));
            }
            output.emit_repeated(
                &mut parser.names.layout,
                padding / width as u64,
                element,
                span,
            )
        }
        None if is_code => {
            output.emit_zeros(&mut parser.names.layout, padding % 4, span)?;
            output.emit_repeated(&mut parser.names.layout, padding / 4, &NOP, span)
        }
        None => output.emit_zeros(&mut parser.names.layout, padding, span),
    }
}

/// Handles `.org offset, fill`: advances to an offset in the section.
pub(crate) fn org(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let start = parser.cursor.token_start();
    let parsed = parser.parse_expr()?;
    let here = parser.cursor.since(start);
    let (section, now) = parser.names.layout.here();
    let wanted = match parsed {
        ParsedExpr::Known(value) => match (value.plus, value.minus) {
            (None, None) => Some(value.constant),
            (
                Some(Term {
                    place: Some((at, offset)),
                    ..
                }),
                None,
            ) if at == section => offset
                .checked_add_signed(value.constant)
                .map(u64::cast_signed),
            _ => None,
        },
        _ => None,
    };
    let Some(wanted) = wanted else {
        let message = "`.org` takes a number or a label of this section that is known here";
        return Err(fail(&ids::INVALID_ORG, here, message));
    };
    let fill = parser.optional_absolute("the fill value")?.unwrap_or(0);
    match u64::try_from(wanted)
        .ok()
        .and_then(|wanted| wanted.checked_sub(now))
    {
        Some(count) => output.emit_repeated(&mut parser.names.layout, count, &[fill as u8], span),
        None => Err(fail(
            &ids::INVALID_ORG,
            here,
            format!("`.org` cannot go back: {wanted} lies before {now}"),
        )),
    }
}

/// Handles `.half`: emits 16-bit integers or floats, depending on the dialect.
pub(crate) fn halves(parser: &mut Parser<'_>, output: &mut Output) -> Result<(), Fail> {
    if parser.dialect.halves_are_floats() {
        floats(parser, output, &HALF)
    } else {
        data(parser, output, 2)
    }
}
