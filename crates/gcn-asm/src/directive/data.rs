//! Data directives: numbers, strings, space, alignment.

use std::ops::Range;

use crate::argument::DelayedValue;
use crate::assembler::Assembler;
use crate::assembler::output::{Fixup, FixupKind, MAX_ALIGN, NOP, check_width};
use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::expr::ParsedExpr;
use crate::float::{FloatLayout, HALF};
use crate::ids;
use crate::program::SectionKind;
use crate::value::{ExprValue, Term};

/// Integers or addresses of `width` bytes, separated by commas.
pub(crate) fn data(asm: &mut Assembler<'_>, width: u8) -> Result<(), Fail> {
    if asm.reader.cursor.statement_ends() {
        return Ok(());
    }
    loop {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        let parsed = if is_missing_datum(asm) {
            ParsedExpr::Known(ExprValue::absolute(0))
        } else {
            asm.parse_expr()?
        };
        let span = start..asm.reader.cursor.pos();
        let (section, offset) = asm.output.here();
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
                    check_datum(asm, number, width, &span)?;
                    bytes = number.to_le_bytes();
                    None
                }
                None => Some(DelayedValue::Value(value)),
            },
            ParsedExpr::Later(id) => Some(DelayedValue::Expr(id)),
        };
        if let Some(value) = delayed {
            asm.output.fixups.push(Fixup {
                section,
                offset,
                kind: FixupKind::Data(width),
                value,
                span: span.clone(),
                instruction: None,
            });
        }
        asm.output
            .emit(bytes.get(..usize::from(width)).unwrap_or(&bytes), &span)?;
        if !asm.reader.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Checks that a datum fits, or truncates it with a warning.
pub(crate) fn check_datum(
    asm: &mut Assembler<'_>,
    number: i64,
    width: u8,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let checked = check_width(number, width, span);
    if asm.dialect.truncates_data()
        && let Err(mut error) = checked
    {
        error.id = &ids::TRUNCATED_VALUE;
        error.message += ", and is truncated";
        asm.warn(*error);
        return Ok(());
    }
    checked
}

/// Reads the size of reserved space; a negative size counts as 0 if the dialect allows it.
fn room_size(asm: &mut Assembler<'_>, what: &str) -> Result<u64, Fail> {
    if !asm.dialect.truncates_data() {
        let size = asm.absolute_within(what, 0, i64::MAX)?;
        return Ok(size.cast_unsigned());
    }
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let size = asm.absolute(what)?;
    Ok(u64::try_from(size).unwrap_or_else(|_| {
        let message = format!("nothing is made: {what} is {size}");
        let span = start..asm.reader.cursor.pos();
        asm.diagnostics
            .push(Diagnostic::warning(&ids::EMPTY_FILL, span, message));
        0
    }))
}

/// Returns true if a value is missing at the cursor, which CLRX treats as 0 with a warning.
fn is_missing_datum(asm: &mut Assembler<'_>) -> bool {
    let is_missing = asm.dialect.takes_missing_data()
        && (asm.reader.cursor.at_statement_end() || asm.reader.cursor.peek() == b',');
    if is_missing {
        let here = asm.reader.cursor.here();
        asm.diagnostics.push(Diagnostic::warning(
            &ids::MISSING_VALUE,
            here,
            "the number is missing; 0 is used",
        ));
    }
    is_missing
}

/// LEB128 numbers, separated by commas.
pub(crate) fn leb128(asm: &mut Assembler<'_>, is_signed: bool) -> Result<(), Fail> {
    const PAYLOAD: i64 = 0x7f;
    const MORE: u8 = 0x80;
    const SIGN: u8 = 0x40;
    loop {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        let mut value = asm.absolute("a number of variable length")?;
        let span = start..asm.reader.cursor.pos();
        loop {
            let byte = (value & PAYLOAD) as u8;
            let is_last = if is_signed {
                value >>= 7;
                value == -i64::from(byte & SIGN != 0)
            } else {
                value = (value.cast_unsigned() >> 7).cast_signed();
                value == 0
            };
            asm.output
                .emit(&[if is_last { byte } else { byte | MORE }], &span)?;
            if is_last {
                break;
            }
        }
        if !asm.reader.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// 16-byte numbers, separated by commas.
pub(crate) fn octa(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    loop {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        let is_missing = is_missing_datum(asm);
        let is_negative = asm.reader.cursor.eat(b'-');
        let number = match asm.reader.cursor.peek() {
            _ if is_missing => 0,
            b'0'..=b'9' => {
                let place = asm.reader.cursor.tail();
                let text = asm.reader.cursor.slice(place);
                let (digits, radix) = match text.get(..2) {
                    Some("0x" | "0X") => (text.get(2..).unwrap_or(""), 16),
                    _ => (text, 10),
                };
                let number = u128::from_str_radix(digits, radix).map_err(|_| {
                    let message = format!("`{text}` is not a number of 128 bits");
                    fail(
                        &ids::INVALID_NUMBER,
                        start..asm.reader.cursor.pos(),
                        message,
                    )
                })?;
                number.cast_signed()
            }
            _ => asm.absolute("a number of 16 bytes")?.into(),
        };
        let number = if is_negative {
            number.wrapping_neg()
        } else {
            number
        };
        asm.output
            .emit(&number.to_le_bytes(), &(start..asm.reader.cursor.pos()))?;
        if !asm.reader.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Floating-point numbers, separated by commas.
pub(crate) fn floats(asm: &mut Assembler<'_>, format: &FloatLayout) -> Result<(), Fail> {
    loop {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        let is_missing = is_missing_datum(asm);
        let is_negative = asm.reader.cursor.eat(b'-');
        if !is_negative {
            let _ = asm.reader.cursor.eat(b'+');
        }
        let place = asm.reader.cursor.float_tail();
        let text = if is_missing {
            "0"
        } else {
            asm.reader.cursor.slice(place)
        };
        let span = start..asm.reader.cursor.pos();
        if text.is_empty() {
            return Err(asm.reader.cursor.expected("a floating-point number"));
        }
        let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        let bits = match hexadecimal {
            Some(digits) => format.hexadecimal(digits),
            None if text.eq_ignore_ascii_case("nan") => Some(format.nan()),
            // Names of infinity are the same in Rust.
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
        let bits = if is_negative {
            bits | format.sign()
        } else {
            bits
        };
        let bytes = bits.to_le_bytes();
        asm.output
            .emit(bytes.get(..format.width).unwrap_or(&bytes), &span)?;
        if !asm.reader.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Strings separated by commas, with `width` bytes per character; strings separated only by blanks are concatenated.
pub(crate) fn strings(asm: &mut Assembler<'_>, terminated: bool, width: usize) -> Result<(), Fail> {
    if asm.reader.cursor.statement_ends() {
        return Ok(());
    }
    loop {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        if asm.dialect.takes_missing_data() && asm.reader.cursor.peek() == b',' {
            // A missing string emits nothing, not even a terminating zero.
            asm.reader.cursor.set_pos(start + 1);
            continue;
        }
        let mut bytes = asm.reader.cursor.string()?;
        asm.reader.cursor.skip_blanks();
        while asm.reader.cursor.peek() == b'"' {
            bytes.extend(asm.reader.cursor.string()?);
            asm.reader.cursor.skip_blanks();
        }
        if terminated {
            bytes.push(0);
        }
        if width > 1 {
            let wide = |byte| std::iter::once(byte).chain(std::iter::repeat_n(0, width - 1));
            bytes = bytes.into_iter().flat_map(wide).collect();
        }
        asm.output.emit(&bytes, &(start..asm.reader.cursor.pos()))?;
        if !asm.reader.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// `count, value`
pub(crate) fn space(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let count = room_size(asm, "the number of bytes")?;
    let value = asm.optional_absolute("the value")?.unwrap_or(0);
    repeat(asm, count, &[value as u8], span)
}

/// `count, value` of elements of `width` bytes
pub(crate) fn repeated(
    asm: &mut Assembler<'_>,
    width: usize,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let count = asm.absolute_within("the number of elements", 0, i64::MAX)?;
    let bytes = asm
        .optional_absolute("the value")?
        .unwrap_or(0)
        .to_le_bytes();
    let element = bytes.get(..width).unwrap_or(&bytes);
    repeat(asm, count.cast_unsigned(), element, span)
}

/// `count` of elements of `width` bytes
pub(crate) fn space_of(
    asm: &mut Assembler<'_>,
    width: u64,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let count = asm.absolute_within("the number of elements", 0, i64::MAX)?;
    asm.output
        .emit_zeros(count.cast_unsigned().saturating_mul(width), span)
}

/// `count, size, value`; only the bits in `mask` of the value are used.
pub(crate) fn fill(asm: &mut Assembler<'_>, span: &Range<usize>, mask: u64) -> Result<(), Fail> {
    /// Maximum number of bytes per element.
    const MAX_SIZE: usize = 8;
    let count = asm.absolute("the number of elements")?;
    let size = asm
        .optional_absolute("the size of an element")?
        .unwrap_or(1);
    let value = asm.optional_absolute("the value")?.unwrap_or(0);
    let Ok(size) = usize::try_from(size) else {
        if asm.dialect.truncates_data() {
            let message = format!("nothing is filled: an element has {size} bytes");
            asm.diagnostics
                .push(Diagnostic::warning(&ids::EMPTY_FILL, span.clone(), message));
            return Ok(());
        }
        let message = format!("an element has {size} bytes; 0 to {MAX_SIZE} are possible");
        return Err(fail(&ids::VALUE_RANGE, span.clone(), message));
    };
    let Ok(count) = u64::try_from(count) else {
        let message = format!("nothing is filled: the number of elements is {count}");
        asm.diagnostics
            .push(Diagnostic::warning(&ids::EMPTY_FILL, span.clone(), message));
        return Ok(());
    };
    if size > MAX_SIZE {
        let message = format!("elements of {size} bytes are taken as {MAX_SIZE} bytes");
        asm.diagnostics.push(Diagnostic::warning(
            &ids::TRUNCATED_VALUE,
            span.clone(),
            message,
        ));
    }
    let bytes = (value.cast_unsigned() & mask).to_le_bytes();
    repeat(asm, count, bytes.get(..size).unwrap_or(&bytes), span)
}

fn repeat(
    asm: &mut Assembler<'_>,
    count: u64,
    element: &[u8],
    span: &Range<usize>,
) -> Result<(), Fail> {
    let length = count.saturating_mul(element.len() as u64);
    let start = asm.output.here().1;
    asm.output.emit_zeros(length, span)?;
    if element.iter().all(|&byte| byte == 0) {
        return Ok(());
    }
    let name = asm.output.section().map(|s| (s.kind, s.name.clone()));
    if let Some((SectionKind::NoBits, name)) = name {
        return Err(fail(
            &ids::ZEROS_SECTION,
            span.clone(),
            format!("section `{name}` holds no bytes, only zeros"),
        ));
    }
    let section = asm.output.current as usize;
    let place = asm
        .output
        .sections
        .get_mut(section)
        .and_then(|s| s.bytes.get_mut(start as usize..));
    for chunk in place
        .into_iter()
        .flat_map(|p| p.chunks_exact_mut(element.len()))
    {
        chunk.copy_from_slice(element);
    }
    Ok(())
}

/// `alignment, fill, maximum number of bytes to skip`. Code is padded with S_NOP.
pub(crate) fn align(
    asm: &mut Assembler<'_>,
    span: &Range<usize>,
    is_power: bool,
    width: usize,
) -> Result<(), Fail> {
    let align = if is_power {
        1 << asm.absolute_within("the alignment", 0, i64::from(MAX_ALIGN.ilog2()))?
    } else {
        asm.absolute_within("the alignment", 0, MAX_ALIGN)?.max(1)
    };
    if align.count_ones() != 1 {
        return Err(fail(
            &ids::INVALID_ALIGNMENT,
            span.clone(),
            format!("the alignment is {align}, but must be a power of two"),
        ));
    }
    let fill = asm.optional_absolute("the fill value")?;
    let most = asm.optional_absolute("the most bytes to skip")?;
    let align = align.cast_unsigned();
    let offset = asm.output.here().1;
    let padding = offset.next_multiple_of(align) - offset;
    if most.is_some_and(|most| most > 0 && padding > most.cast_unsigned()) {
        return Ok(());
    }
    let is_code = asm.output.section().is_some_and(|s| s.flags.exec);
    if let Some(section) = asm.output.sections.get_mut(asm.output.current as usize) {
        section.align = section.align.max(align);
    }
    match fill {
        Some(value) => {
            let bytes = value.to_le_bytes();
            let element = bytes.get(..width).unwrap_or(&bytes);
            if !padding.is_multiple_of(width as u64) {
                return Err(fail(
                    &ids::INVALID_ALIGNMENT,
                    span.clone(),
                    format!(
                        "{padding} bytes of padding are not a multiple of the fill value's {width}"
                    ),
                ));
            }
            repeat(asm, padding / width as u64, element, span)
        }
        None if is_code => {
            asm.output.emit_zeros(padding % 4, span)?;
            repeat(asm, padding / 4, &NOP, span)
        }
        None => asm.output.emit_zeros(padding, span),
    }
}

/// Aligns the current section, for example for a descriptor.
pub(crate) fn align_to(
    asm: &mut Assembler<'_>,
    align: u64,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let offset = asm.output.here().1;
    if let Some(section) = asm.output.sections.get_mut(asm.output.current as usize) {
        section.align = section.align.max(align);
    }
    asm.output
        .emit_zeros(offset.next_multiple_of(align) - offset, span)
}

/// `offset, fill`: advances to an offset in the section.
pub(crate) fn org(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let parsed = asm.parse_expr()?;
    let here = start..asm.reader.cursor.pos();
    let (section, now) = asm.output.here();
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
        return Err(fail(
            &ids::INVALID_ORG,
            here,
            "`.org` takes a number or a label of this section that is known here",
        ));
    };
    let fill = asm.optional_absolute("the fill value")?.unwrap_or(0);
    match u64::try_from(wanted)
        .ok()
        .and_then(|wanted| wanted.checked_sub(now))
    {
        Some(count) => repeat(asm, count, &[fill as u8], span),
        None => Err(fail(
            &ids::INVALID_ORG,
            here,
            format!("`.org` cannot go back: {wanted} lies before {now}"),
        )),
    }
}

/// `.half`: 16-bit integers or floats, depending on the dialect.
pub(crate) fn halves(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    if asm.dialect.halves_are_floats() {
        floats(asm, &HALF)
    } else {
        data(asm, 2)
    }
}
