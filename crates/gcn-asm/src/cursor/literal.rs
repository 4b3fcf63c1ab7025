//! Parses literals: numbers, characters and strings.

use std::borrow::Cow;
use std::ops::Range;

use super::{Cursor, FloatWidth, WrittenNumber, is_word};
use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::float::{DOUBLE, FloatLayout, HALF, SINGLE};
use crate::ids;

impl<'a> Cursor<'a> {
    /// Reads a decimal number; `None` if there are no digits. A number too large for 32 bits saturates.
    pub(crate) fn digits(&mut self) -> Option<u32> {
        let start = self.pos;
        let mut value: u32 = 0;
        while self.peek().is_ascii_digit() {
            value = value
                .saturating_mul(10)
                .saturating_add(u32::from(self.peek() - b'0'));
            self.pos += 1;
        }
        (self.pos > start).then_some(value)
    }

    /// Reads a symbol name: a word, or arbitrary text in quotes.
    pub(crate) fn name(&mut self) -> Result<Cow<'a, str>, Fail> {
        self.skip_blanks();
        if self.peek() == b'"' {
            let start = self.pos;
            let bytes = self.string()?;
            return match String::from_utf8(bytes) {
                Ok(name) => Ok(name.into()),
                Err(_) => Err(fail(
                    &ids::INVALID_UTF8,
                    start..self.pos,
                    "a name must be valid UTF-8",
                )),
            };
        }
        match self.word() {
            Some(word) => Ok(word.into()),
            None => Err(self.expected("a name")),
        }
    }

    /// Reads a symbol name and returns it with its span.
    pub(crate) fn name_and_span(&mut self) -> Result<(Cow<'a, str>, Range<usize>), Fail> {
        let start = self.token_start();
        Ok((self.name()?, self.since(start)))
    }

    /// Reads an integer (`12`, `0xc`, `0b1100`, `014`) or a floating-point number (`1.5`, `2e3`, `0x1.8p3`).
    pub(crate) fn number(&mut self) -> Result<WrittenNumber, Fail> {
        let start = self.pos;
        let (radix, prefix) = match (self.peek(), self.peek_at(1) | 0x20) {
            (b'0', b'x') => (16, 2),
            (b'0', b'b') if matches!(self.peek_at(2), b'0' | b'1') => (2, 2),
            _ => (10, 0),
        };
        self.pos += prefix;
        let digits = self.pos;
        let mut value: u64 = 0;
        let mut overflow = false;
        while let Some(digit) = char::from(self.peek()).to_digit(radix) {
            let next = value
                .checked_mul(u64::from(radix))
                .and_then(|v| v.checked_add(u64::from(digit)));
            overflow |= next.is_none();
            value = next.unwrap_or(0);
            self.pos += 1;
        }
        if radix == 10 {
            let exponent = matches!(self.peek(), b'e' | b'E')
                && (self.peek_at(1).is_ascii_digit()
                    || matches!(self.peek_at(1), b'+' | b'-') && self.peek_at(2).is_ascii_digit());
            if self.peek() == b'.' || exponent {
                return self.float(start);
            }
        }
        if radix == 16 && matches!(self.peek(), b'.' | b'p' | b'P') {
            return self.hexadecimal_float(start, start + prefix);
        }
        if self.pos == digits {
            return Err(self.expected("a number"));
        }
        let end = self.pos;
        if is_word(self.peek()) {
            self.tail();
            let text = self.slice(start..self.pos);
            if start + without_suffix(text).len() != end {
                let message = format!("`{text}` is not a number");
                return Err(fail(&ids::INVALID_NUMBER, start..self.pos, message));
            }
        }
        if radix == 10 && self.text.as_bytes().get(start) == Some(&b'0') && end > start + 1 {
            return self.octal(start..end);
        }
        if overflow {
            let message = "the number does not fit into 64 bits";
            return Err(fail(&ids::INVALID_NUMBER, start..self.pos, message));
        }
        Ok(WrittenNumber::Int(value.cast_signed()))
    }

    /// Skips an unsigned floating-point number, or text that resembles one.
    pub(crate) fn float_tail(&mut self) -> Range<usize> {
        let start = self.pos;
        loop {
            self.tail();
            let is_exponent = self.text.get(start..self.pos).is_some_and(|text| {
                let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
                text.ends_with(if is_hexadecimal {
                    ['p', 'P']
                } else {
                    ['e', 'E']
                })
            });
            if !is_exponent || !matches!(self.peek(), b'+' | b'-') {
                return start..self.pos;
            }
            self.pos += 1;
        }
    }

    fn float(&mut self, start: usize) -> Result<WrittenNumber, Fail> {
        self.eat(b'.');
        while self.peek().is_ascii_digit() {
            self.pos += 1;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.pos += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.pos += 1;
            }
            while self.peek().is_ascii_digit() {
                self.pos += 1;
            }
        }
        let text = self.slice(start..self.pos);
        self.float_number(start, |format| (format.decimal)(text))
    }

    /// Reads a hexadecimal floating-point number, such as `0x1.8p3`, whose digits begin at `digits`.
    fn hexadecimal_float(&mut self, start: usize, digits: usize) -> Result<WrittenNumber, Fail> {
        self.eat(b'.');
        while self.peek().is_ascii_hexdigit() {
            self.pos += 1;
        }
        if matches!(self.peek(), b'p' | b'P') {
            self.pos += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.pos += 1;
            }
            while self.peek().is_ascii_digit() {
                self.pos += 1;
            }
        }
        let digits = self.slice(digits..self.pos);
        self.float_number(start, |format| format.hexadecimal(digits))
    }

    /// Finishes a floating-point number whose digits end at the cursor; reads its width suffix, if any. `bits` rounds
    /// the digits to a format.
    fn float_number(
        &mut self,
        start: usize,
        bits: impl Fn(&FloatLayout) -> Option<u64>,
    ) -> Result<WrittenNumber, Fail> {
        let suffix = match self.peek() | 0x20 {
            _ if is_word(self.peek_at(1)) => None,
            b'h' => Some(FloatWidth::Half),
            b's' => Some(FloatWidth::Single),
            b'l' => Some(FloatWidth::Double),
            _ => None,
        };
        self.pos += usize::from(suffix.is_some());
        let double = bits(&DOUBLE).map(f64::from_bits);
        let rounded = |format: &FloatLayout| Some(format.double_for(double?, bits(format)?));
        let value = match suffix {
            Some(FloatWidth::Half) => rounded(&HALF),
            Some(FloatWidth::Single) => rounded(&SINGLE),
            Some(FloatWidth::Double) | None => double,
        };
        match value {
            Some(value) if !is_word(self.peek()) => Ok(match suffix {
                Some(width) => WrittenNumber::Suffixed(value, width),
                None => WrittenNumber::Float(value),
            }),
            _ => {
                self.tail();
                let text = self.slice(start..self.pos);
                let message = format!("`{text}` is not a number");
                Err(fail(&ids::INVALID_NUMBER, start..self.pos, message))
            }
        }
    }

    /// Parses a number with a leading 0 as octal, as GNU as does.
    fn octal(&self, span: Range<usize>) -> Result<WrittenNumber, Fail> {
        let text = self.slice(span.clone());
        match u64::from_str_radix(text, 8) {
            Ok(value) => Ok(WrittenNumber::Int(value.cast_signed())),
            Err(_) => Err(Box::new(
                Diagnostic::error(
                    &ids::INVALID_NUMBER,
                    span,
                    format!("`{text}` is not an octal number"),
                )
                .help("a number that begins with 0 is octal"),
            )),
        }
    }

    /// Reads a character in single quotes and returns its code. The cursor is at the opening quote.
    pub(crate) fn character(&mut self) -> Result<i64, Fail> {
        let start = self.pos;
        self.pos += 1;
        let escaped = self.peek_at(1);
        let is_single = self.peek_at(2) == b'\'' && escaped.is_ascii_graphic();
        let value = match self.peek() {
            b'\\' if is_single && !self.dialect.characters_have_codes() => {
                self.pos += 2;
                letter_escape(escaped).unwrap_or(escaped)
            }
            b'\\' => match self.escape() {
                Ok(value) => value,
                // In an unknown escape, punctuation stands for itself.
                Err(_) if self.pos == start + 2 && self.peek().is_ascii_punctuation() => {
                    self.pos += 1;
                    self.text.as_bytes().get(self.pos - 1).copied().unwrap_or(0)
                }
                Err(error) => return Err(error),
            },
            b'\n' | 0 => {
                let message = "a character is missing after `'`";
                return Err(fail(&ids::INVALID_CHARACTER, start..self.pos, message));
            }
            byte if byte.is_ascii() => {
                self.pos += 1;
                byte
            }
            _ => {
                let message = "only ASCII characters have a value here";
                return Err(fail(&ids::INVALID_CHARACTER, self.here(), message));
            }
        };
        self.eat(b'\'');
        Ok(i64::from(value))
    }

    /// Reads a string in double quotes with C escapes.
    pub(crate) fn string(&mut self) -> Result<Vec<u8>, Fail> {
        self.skip_blanks();
        let start = self.pos;
        if !self.eat(b'"') {
            return Err(self.expected("a string in double quotes"));
        }
        let mut bytes = Vec::new();
        loop {
            match self.peek() {
                b'"' => {
                    self.pos += 1;
                    return Ok(bytes);
                }
                b'\\' => bytes.push(self.escape()?),
                b'\n' | 0 if self.peek() == b'\n' || self.at_end() => {
                    return Err(
                        fail(&ids::UNTERMINATED, start..self.pos, "unterminated string")
                            .with_help("add `\"` on the same line"),
                    );
                }
                byte => {
                    bytes.push(byte);
                    self.pos += 1;
                }
            }
        }
    }

    /// Reads an escape sequence. The cursor is at the backslash.
    fn escape(&mut self) -> Result<u8, Fail> {
        let start = self.pos;
        self.pos += 1;
        let byte = self.peek();
        if byte.is_ascii_digit() && byte < b'8' {
            let mut value: u32 = 0;
            for _ in 0..3 {
                match self.peek() {
                    digit @ b'0'..=b'7' => value = value * 8 + u32::from(digit - b'0'),
                    _ => break,
                }
                self.pos += 1;
            }
            return u8::try_from(value).map_err(|_| {
                fail(
                    &ids::INVALID_ESCAPE,
                    start..self.pos,
                    "the escape is larger than a byte",
                )
            });
        }
        if matches!(byte, b'x' | b'X') {
            self.pos += 1;
            let digits = self.pos;
            let mut value: u32 = 0;
            while let Some(digit) = char::from(self.peek()).to_digit(16) {
                value = (value << 4 | digit) & 0xff;
                self.pos += 1;
            }
            if self.pos == digits {
                let message = "`\\x` needs hexadecimal digits";
                return Err(fail(&ids::INVALID_ESCAPE, start..self.pos, message));
            }
            return Ok(value as u8);
        }
        let value = match (letter_escape(byte), byte) {
            (Some(value), _) => value,
            (None, b'"' | b'\\' | b'\'') => byte,
            (None, _) => {
                let message = "unknown escape";
                return Err(
                    fail(&ids::INVALID_ESCAPE, start..self.here().end, message).with_help(
                        "the escapes are \\n \\t \\r \\b \\f \\\" \\\\ \\' \\xHH and octal \\NNN",
                    ),
                );
            }
        };
        self.pos += 1;
        Ok(value)
    }
}

/// Character code of an escape such as `\n`, by the letter after the backslash.
fn letter_escape(letter: u8) -> Option<u8> {
    Some(match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0c,
        _ => return None,
    })
}

/// Strips a C integer suffix such as `u` or `ULL`, which has no effect.
pub(crate) fn without_suffix(text: &str) -> &str {
    let is_long = |c: char| matches!(c, 'l' | 'L');
    let text = text.strip_suffix(is_long).unwrap_or(text);
    let text = text.strip_suffix(is_long).unwrap_or(text);
    text.strip_suffix(['u', 'U']).unwrap_or(text)
}
