//! Directives that make data: numbers, strings, room.

use std::ops::Range;

use half::f16;

use crate::assembler::{Assembler, Fixup, FixupKind, check_width};
use crate::diagnostic::{Diagnostic, Fail, Helped, fail};
use crate::directive::MAX_ALIGN;
use crate::expr::{Parsed, Term, Value};
use crate::ids;
use crate::instruction::NOP;
use crate::operand::Delayed;
use crate::program::SectionKind;

/// What is tried when a directive is unknown.
pub(crate) const NAMES: &[&str] = &[
    ".byte", ".short", ".hword", ".value", ".long", ".int", ".quad", ".octa", ".uleb128",
    ".sleb128", ".float", ".single", ".double", ".ascii", ".asciz", ".string", ".space", ".skip",
    ".zero", ".fill", ".align", ".balign", ".p2align", ".org",
];

/// A format of floating-point numbers.
struct Format {
    /// Bytes.
    width: usize,
    /// Bits of the significand, with the one that is implied.
    precision: u32,
    /// The exponent of 1.
    bias: i64,
    /// Rounds what was written in decimal; nothing if that is not a number.
    decimal: fn(&str) -> Option<u64>,
}

const SINGLE: Format = Format {
    width: 4,
    precision: f32::MANTISSA_DIGITS,
    bias: 127,
    decimal: |text| Some(text.parse::<f32>().ok()?.to_bits().into()),
};
const HALF: Format = Format {
    width: 2,
    precision: f16::MANTISSA_DIGITS,
    bias: 15,
    decimal: |text| Some(f16::from_f64(text.parse().ok()?).to_bits().into()),
};
const DOUBLE: Format = Format {
    width: 8,
    precision: f64::MANTISSA_DIGITS,
    bias: 1023,
    decimal: |text| Some(text.parse::<f64>().ok()?.to_bits()),
};

impl Format {
    fn infinity(&self) -> u64 {
        (self.bias.cast_unsigned() * 2 + 1) << (self.precision - 1)
    }

    fn sign(&self) -> u64 {
        1 << (self.width * 8 - 1)
    }

    /// LLVM's NaN has all bits of the significand.
    fn nan(&self) -> u64 {
        self.sign() - 1
    }

    /// `significand × 2^exponent`, rounded to nearest, ties to even. What lies below the significand's bits and is
    /// not zero must be in its last one.
    fn rounded(&self, significand: u64, exponent: i64) -> u64 {
        if significand == 0 {
            return 0;
        }
        let zeros = significand.leading_zeros();
        let significand = significand << zeros;
        let top = u64::BITS - 1;
        // Of the leading bit, as the format stores it.
        let stored = exponent.saturating_add(i64::from(top - zeros) + self.bias);
        if stored > 2 * self.bias {
            return self.infinity();
        }
        let below = u32::try_from(1i64.saturating_sub(stored)).unwrap_or(0);
        let drop = (u64::BITS - self.precision).saturating_add(below);
        if drop > u64::BITS {
            return 0;
        }
        let wide = u128::from(significand);
        let (kept, rest, half) = (wide >> drop, wide & ((1 << drop) - 1), 1 << (drop - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        let kept = kept as u64 + u64::from(up);
        // The leading bit adds one to the exponent, and so does a carry.
        let exponent = u64::try_from(stored - 1).unwrap_or(0);
        (exponent << (self.precision - 1)) + kept
    }

    /// A number as C writes it in hexadecimal, for example `1.8p3`, without its prefix.
    fn hexadecimal(&self, text: &str) -> Option<u64> {
        /// Hexadecimal digits that a significand may grow by without losing one.
        const ROOM: u64 = u64::MAX >> 4;
        const DIGIT_BITS: i64 = 4;
        let (digits, exponent) = text.split_once(['p', 'P'])?;
        let (sign, magnitude) = match exponent.strip_prefix('-') {
            Some(magnitude) => (-1, magnitude),
            None => (1, exponent.strip_prefix('+').unwrap_or(exponent)),
        };
        if magnitude.is_empty() || !magnitude.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // What does not fit is as good as infinite.
        let mut exponent = sign * i64::from(magnitude.parse::<i32>().unwrap_or(i32::MAX));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut significand = 0u64;
        for (index, c) in whole.chars().chain(fraction.chars()).enumerate() {
            let digit = u64::from(c.to_digit(16)?);
            let is_fraction = index >= whole.len();
            if significand <= ROOM {
                significand = significand << DIGIT_BITS | digit;
                exponent -= DIGIT_BITS * i64::from(is_fraction);
            } else {
                significand |= u64::from(digit != 0);
                exponent += DIGIT_BITS * i64::from(!is_fraction);
            }
        }
        Some(self.rounded(significand, exponent))
    }
}

impl Assembler<'_> {
    /// A directive of this module, with its name in lower case; nothing if it is none.
    pub(crate) fn data_directive(
        &mut self,
        name: &str,
        span: &Range<usize>,
    ) -> Option<Result<(), Fail>> {
        Some(match name {
            ".byte" | ".1byte" | ".dc.b" => self.data(1),
            ".half" if self.dialect.halves_are_floats() => self.floats(&HALF),
            ".short" | ".hword" | ".half" | ".value" | ".2byte" | ".dc" | ".dc.w" => self.data(2),
            ".long" | ".int" | ".word" | ".4byte" | ".dc.l" => self.data(4),
            ".quad" | ".8byte" | ".dc.a" => self.data(8),
            ".octa" => self.octa(),
            ".uleb128" => self.leb128(false),
            ".sleb128" => self.leb128(true),
            ".float" | ".single" | ".dc.s" => self.floats(&SINGLE),
            ".double" | ".dc.d" => self.floats(&DOUBLE),
            ".ascii" => self.strings(false, 1),
            ".asciz" | ".string" => self.strings(true, 1),
            ".string16" => self.strings(true, 2),
            ".string32" => self.strings(true, 4),
            ".string64" => self.strings(true, 8),
            ".space" | ".skip" | ".zero" => self.space(span),
            // GNU as takes four bytes of the value.
            ".fill" => self.fill(span, u64::from(u32::MAX)),
            ".fillq" => self.fill(span, u64::MAX),
            ".dcb.b" => self.repeated(1, span),
            ".dcb" | ".dcb.w" => self.repeated(2, span),
            ".dcb.l" => self.repeated(4, span),
            ".ds.b" => self.room(1, span),
            ".ds" | ".ds.w" => self.room(2, span),
            ".ds.l" | ".ds.s" => self.room(4, span),
            ".ds.d" => self.room(8, span),
            ".align" | ".balign" => self.align(span, false, 1),
            ".balignw" => self.align(span, false, 2),
            ".balignl" => self.align(span, false, 4),
            ".p2align" => self.align(span, true, 1),
            ".p2alignw" => self.align(span, true, 2),
            ".p2alignl" => self.align(span, true, 4),
            ".org" => self.org(span),
            _ => return None,
        })
    }

    /// Integers or addresses of `width` bytes, separated by commas.
    fn data(&mut self, width: u8) -> Result<(), Fail> {
        if self.cursor.statement_ends() {
            return Ok(());
        }
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let parsed = if self.is_missing_datum() {
                Parsed::Known(Value::absolute(0))
            } else {
                self.parse_expr()?
            };
            let span = start..self.cursor.pos();
            let (section, offset) = self.here();
            let mut bytes = [0; 8];
            let delayed = match parsed {
                Parsed::Float(_) | Parsed::Suffixed(..) => {
                    return Err(
                        fail(&ids::FLOAT_VALUE, span, "this directive takes integers")
                            .helped("use `.float` or `.double`"),
                    );
                }
                Parsed::Known(value) => match value.as_absolute() {
                    Some(number) => {
                        self.check_datum(number, width, &span)?;
                        bytes = number.to_le_bytes();
                        None
                    }
                    None => Some(Delayed::Value(value)),
                },
                Parsed::Later(id) => Some(Delayed::Expr(id)),
            };
            if let Some(value) = delayed {
                self.fixups.push(Fixup {
                    section,
                    offset,
                    kind: FixupKind::Data(width),
                    value,
                    span: span.clone(),
                    instruction: None,
                });
            }
            self.emit(bytes.get(..usize::from(width)).unwrap_or(&bytes), &span)?;
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(());
            }
        }
    }

    /// A datum fits, or is cut with a warning.
    pub(crate) fn check_datum(
        &mut self,
        number: i64,
        width: u8,
        span: &Range<usize>,
    ) -> Result<(), Fail> {
        let checked = check_width(number, width, span);
        if self.dialect.cuts_data()
            && let Err(mut error) = checked
        {
            error.id = &ids::TRUNCATED_VALUE;
            error.message += ", and is truncated";
            self.warn(*error);
            return Ok(());
        }
        checked
    }

    /// A size of room, which is none if it is negative and the dialect takes that.
    fn room_size(&mut self, what: &str) -> Result<u64, Fail> {
        if !self.dialect.cuts_data() {
            let size = self.absolute_within(what, 0, i64::MAX)?;
            return Ok(size.cast_unsigned());
        }
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let size = self.absolute(what)?;
        Ok(u64::try_from(size).unwrap_or_else(|_| {
            let message = format!("nothing is made: {what} is {size}");
            let span = start..self.cursor.pos();
            self.diagnostics
                .push(Diagnostic::warning(&ids::EMPTY_FILL, span, message));
            0
        }))
    }

    /// Whether a number of data is left out at the cursor, which CLRX takes for 0 with a warning.
    fn is_missing_datum(&mut self) -> bool {
        let is_missing = self.dialect.takes_missing_data()
            && (self.cursor.at_statement_end() || self.cursor.peek() == b',');
        if is_missing {
            let here = self.cursor.here();
            self.diagnostics.push(Diagnostic::warning(
                &ids::MISSING_VALUE,
                here,
                "no number stands here: it is 0",
            ));
        }
        is_missing
    }

    /// Numbers in the variable-length format of DWARF, separated by commas.
    fn leb128(&mut self, is_signed: bool) -> Result<(), Fail> {
        const PAYLOAD: i64 = 0x7f;
        const MORE: u8 = 0x80;
        const SIGN: u8 = 0x40;
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let mut value = self.absolute("a number of variable length")?;
            let span = start..self.cursor.pos();
            loop {
                let byte = (value & PAYLOAD) as u8;
                let is_last = if is_signed {
                    value >>= 7;
                    value == -i64::from(byte & SIGN != 0)
                } else {
                    value = (value.cast_unsigned() >> 7).cast_signed();
                    value == 0
                };
                self.emit(&[if is_last { byte } else { byte | MORE }], &span)?;
                if is_last {
                    break;
                }
            }
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(());
            }
        }
    }

    /// Numbers of 16 bytes, separated by commas.
    fn octa(&mut self) -> Result<(), Fail> {
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let is_missing = self.is_missing_datum();
            let is_negative = self.cursor.eat(b'-');
            let number = match self.cursor.peek() {
                _ if is_missing => 0,
                b'0'..=b'9' => {
                    let place = self.cursor.tail();
                    let text = self.cursor.slice(place);
                    let (digits, radix) = match text.get(..2) {
                        Some("0x" | "0X") => (text.get(2..).unwrap_or(""), 16),
                        _ => (text, 10),
                    };
                    let number = u128::from_str_radix(digits, radix).map_err(|_| {
                        let message = format!("`{text}` is not a number of 128 bits");
                        fail(&ids::INVALID_NUMBER, start..self.cursor.pos(), message)
                    })?;
                    number.cast_signed()
                }
                _ => self.absolute("a number of 16 bytes")?.into(),
            };
            let number = if is_negative {
                number.wrapping_neg()
            } else {
                number
            };
            self.emit(&number.to_le_bytes(), &(start..self.cursor.pos()))?;
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(());
            }
        }
    }

    /// Floating-point numbers, separated by commas.
    fn floats(&mut self, format: &Format) -> Result<(), Fail> {
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let is_missing = self.is_missing_datum();
            let is_negative = self.cursor.eat(b'-');
            if !is_negative {
                let _ = self.cursor.eat(b'+');
            }
            let place = self.cursor.float_tail();
            let text = if is_missing {
                "0"
            } else {
                self.cursor.slice(place)
            };
            let span = start..self.cursor.pos();
            if text.is_empty() {
                return Err(self.cursor.expected("a floating-point number"));
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
                        error.helped("write bit patterns with `.long` or `.quad`")
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
            self.emit(bytes.get(..format.width).unwrap_or(&bytes), &span)?;
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(());
            }
        }
    }

    /// Strings separated by commas, a character in `width` bytes; those separated by blanks are one.
    fn strings(&mut self, terminated: bool, width: usize) -> Result<(), Fail> {
        if self.cursor.statement_ends() {
            return Ok(());
        }
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            if self.dialect.takes_missing_data() && self.cursor.peek() == b',' {
                // No string at all, not even an empty one.
                self.cursor.set_pos(start + 1);
                continue;
            }
            let mut bytes = self.cursor.string()?;
            self.cursor.skip_blanks();
            while self.cursor.peek() == b'"' {
                bytes.extend(self.cursor.string()?);
                self.cursor.skip_blanks();
            }
            if terminated {
                bytes.push(0);
            }
            if width > 1 {
                let wide = |byte| std::iter::once(byte).chain(std::iter::repeat_n(0, width - 1));
                bytes = bytes.into_iter().flat_map(wide).collect();
            }
            self.emit(&bytes, &(start..self.cursor.pos()))?;
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(());
            }
        }
    }

    /// `count, value`
    fn space(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let count = self.room_size("the number of bytes")?;
        let value = self.optional_absolute("the value")?.unwrap_or(0);
        self.repeat(count, &[value as u8], span)
    }

    /// `count, value` of elements of `width` bytes
    fn repeated(&mut self, width: usize, span: &Range<usize>) -> Result<(), Fail> {
        let count = self.absolute_within("the number of elements", 0, i64::MAX)?;
        let bytes = self
            .optional_absolute("the value")?
            .unwrap_or(0)
            .to_le_bytes();
        let element = bytes.get(..width).unwrap_or(&bytes);
        self.repeat(count.cast_unsigned(), element, span)
    }

    /// `count` of elements of `width` bytes
    fn room(&mut self, width: u64, span: &Range<usize>) -> Result<(), Fail> {
        let count = self.absolute_within("the number of elements", 0, i64::MAX)?;
        self.emit_zeros(count.cast_unsigned().saturating_mul(width), span)
    }

    /// `count, size, value`, of which the bits of `mask` are taken.
    fn fill(&mut self, span: &Range<usize>, mask: u64) -> Result<(), Fail> {
        /// Bytes of an element at most.
        const MAX_SIZE: usize = 8;
        let count = self.absolute("the number of elements")?;
        let size = self
            .optional_absolute("the size of an element")?
            .unwrap_or(1);
        let value = self.optional_absolute("the value")?.unwrap_or(0);
        let Ok(size) = usize::try_from(size) else {
            if self.dialect.cuts_data() {
                let message = format!("nothing is filled: an element has {size} bytes");
                self.diagnostics
                    .push(Diagnostic::warning(&ids::EMPTY_FILL, span.clone(), message));
                return Ok(());
            }
            let message = format!("an element has {size} bytes; 0 to {MAX_SIZE} are possible");
            return Err(fail(&ids::VALUE_RANGE, span.clone(), message));
        };
        let Ok(count) = u64::try_from(count) else {
            let message = format!("nothing is filled: the number of elements is {count}");
            self.diagnostics
                .push(Diagnostic::warning(&ids::EMPTY_FILL, span.clone(), message));
            return Ok(());
        };
        if size > MAX_SIZE {
            let message = format!("elements of {size} bytes are taken as {MAX_SIZE} bytes");
            self.diagnostics.push(Diagnostic::warning(
                &ids::TRUNCATED_VALUE,
                span.clone(),
                message,
            ));
        }
        let bytes = (value.cast_unsigned() & mask).to_le_bytes();
        self.repeat(count, bytes.get(..size).unwrap_or(&bytes), span)
    }

    pub(crate) fn repeat(
        &mut self,
        count: u64,
        element: &[u8],
        span: &Range<usize>,
    ) -> Result<(), Fail> {
        let length = count.saturating_mul(element.len() as u64);
        let start = self.here().1;
        self.emit_zeros(length, span)?;
        if element.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let name = self.section().map(|s| (s.kind, s.name.clone()));
        if let Some((SectionKind::NoBits, name)) = name {
            return Err(fail(
                &ids::ZEROS_SECTION,
                span.clone(),
                format!("section `{name}` holds no bytes, only zeros"),
            ));
        }
        let section = self.current as usize;
        let place = self
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

    /// `alignment, fill, most bytes to skip`. Code is padded with S_NOP.
    fn align(&mut self, span: &Range<usize>, is_power: bool, width: usize) -> Result<(), Fail> {
        let align = if is_power {
            1 << self.absolute_within("the alignment", 0, i64::from(MAX_ALIGN.ilog2()))?
        } else {
            self.absolute_within("the alignment", 0, MAX_ALIGN)?.max(1)
        };
        if align.count_ones() != 1 {
            return Err(fail(
                &ids::INVALID_ALIGNMENT,
                span.clone(),
                format!("the alignment is {align}, but must be a power of two"),
            ));
        }
        let fill = self.optional_absolute("the fill value")?;
        let most = self.optional_absolute("the most bytes to skip")?;
        let align = align.cast_unsigned();
        let offset = self.here().1;
        let padding = offset.next_multiple_of(align) - offset;
        if most.is_some_and(|most| most > 0 && padding > most.cast_unsigned()) {
            return Ok(());
        }
        let is_code = self.section().is_some_and(|s| s.flags.exec);
        if let Some(section) = self.sections.get_mut(self.current as usize) {
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
                            "{padding} bytes of padding are no multiple of the fill value's {width}"
                        ),
                    ));
                }
                self.repeat(padding / width as u64, element, span)
            }
            None if is_code => {
                self.emit_zeros(padding % 4, span)?;
                self.repeat(padding / 4, &NOP, span)
            }
            None => self.emit_zeros(padding, span),
        }
    }

    /// Padding to a descriptor's alignment and the like.
    pub(crate) fn align_to(&mut self, align: u64, span: &Range<usize>) -> Result<(), Fail> {
        let offset = self.here().1;
        if let Some(section) = self.sections.get_mut(self.current as usize) {
            section.align = section.align.max(align);
        }
        self.emit_zeros(offset.next_multiple_of(align) - offset, span)
    }

    /// `offset, fill`: on to an offset in the section.
    pub(crate) fn org(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let parsed = self.parse_expr()?;
        let here = start..self.cursor.pos();
        let (section, now) = self.here();
        let wanted = match parsed {
            Parsed::Known(value) => match (value.plus, value.minus) {
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
        let fill = self.optional_absolute("the fill value")?.unwrap_or(0);
        match u64::try_from(wanted)
            .ok()
            .and_then(|wanted| wanted.checked_sub(now))
        {
            Some(count) => self.repeat(count, &[fill as u8], span),
            None => Err(fail(
                &ids::INVALID_ORG,
                here,
                format!("`.org` cannot go back: {wanted} lies before {now}"),
            )),
        }
    }
}
