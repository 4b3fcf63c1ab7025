//! Reading the text in place: blanks, comments, words, numbers, strings. The syntax of GNU as depends on
//! context, so there are no tokens; who reads asks for what may stand at a place.

use std::ops::Range;

use crate::diagnostic::{Fail, Helped, fail};
use crate::dialect::Dialect;
use crate::ids;

/// The name of the place that is assembled to.
pub(crate) const HERE: &str = ".";
/// Separator of the parts of a path of scopes.
pub(crate) const SEPARATOR: &str = "::";

/// A position in a source.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    pos: usize,
    dialect: Dialect,
}

/// A number as written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    /// An integer; 64 bits, taken as a number with sign.
    Int(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// The same with CLRX's suffix for its width.
    Suffixed(f64, FloatWidth),
}

/// The width of a floating-point constant that says it: suffixes `h`, `s` and `l`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatWidth {
    Half,
    Single,
    Double,
}

const fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'$')
}

const fn is_word(byte: u8) -> bool {
    /// By byte, for most of a source is words.
    const IS_WORD: [bool; 256] = {
        let mut is_word = [false; 256];
        let mut byte: u8 = 0;
        while byte < u8::MAX {
            is_word[byte as usize] =
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
            byte += 1;
        }
        is_word
    };
    IS_WORD[byte as usize]
}

/// The decimal number at `at`, which moves behind it; nothing if there is none, or it has more than four digits.
fn decimal(bytes: &[u8], at: &mut usize) -> Option<u32> {
    const MOST: usize = 4;
    let start = *at;
    let mut value = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(*at) {
        value = value * 10 + u32::from(digit - b'0');
        *at += 1;
        if *at - start > MOST {
            return None;
        }
    }
    (*at > start).then_some(value)
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, dialect: Dialect) -> Cursor<'a> {
        Cursor {
            text,
            pos: 0,
            dialect,
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    pub(crate) fn set_pos(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// The text of a range that was read.
    pub(crate) fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or("")
    }

    /// A cursor that reads only a part of the text; positions stay the same.
    pub(crate) fn within(&self, range: Range<usize>) -> Cursor<'a> {
        Cursor {
            text: self.slice(0..range.end),
            pos: range.start,
            dialect: self.dialect,
        }
    }

    /// The bytes from here on.
    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.pos..).unwrap_or(&[])
    }

    /// A register as most are written, `v1` or `s[2:3]`: its letter in lower case, the first and the last number.
    /// Nothing, and nothing is read, if anything else stands here.
    #[inline]
    pub(crate) fn plain_register(&mut self) -> Option<(u8, u32, u32)> {
        let rest = self.rest();
        let letter = rest.first()? | 0x20;
        if !matches!(letter, b'v' | b's') {
            return None;
        }
        let mut at = 1;
        let (first, last);
        if rest.get(at) == Some(&b'[') {
            at += 1;
            // A number that begins with 0 is octal.
            let is_octal = |at: usize| matches!(rest.get(at..), Some([b'0', b'0'..=b'9', ..]));
            if is_octal(at) {
                return None;
            }
            first = decimal(rest, &mut at)?;
            last = if rest.get(at) == Some(&b':') {
                at += 1;
                if is_octal(at) {
                    return None;
                }
                decimal(rest, &mut at)?
            } else {
                first
            };
            if rest.get(at) != Some(&b']') {
                return None;
            }
            at += 1;
        } else {
            first = decimal(rest, &mut at)?;
            last = first;
            if rest
                .get(at)
                .is_some_and(|&byte| is_word(byte) || byte == b'[')
            {
                return None;
            }
        }
        self.pos += at;
        Some((letter, first, last))
    }

    /// An integer that is a whole expression, as most are. Nothing, and nothing is read, if anything else stands here.
    #[inline]
    pub(crate) fn plain_integer(&mut self) -> Option<i64> {
        /// Digits that fit for certain.
        const MOST: usize = 8;
        let rest = self.rest();
        let is_negative = rest.first() == Some(&b'-');
        let mut at = usize::from(is_negative);
        let (radix, first) = match rest.get(at..)? {
            [b'0', b'x' | b'X', ..] => (16, at + 2),
            // An octal or a binary number.
            [b'0', b'0'..=b'9' | b'b' | b'B', ..] => return None,
            _ => (10, at),
        };
        at = first;
        let mut value: i64 = 0;
        while let Some(digit) = rest
            .get(at)
            .and_then(|&byte| char::from(byte).to_digit(radix))
        {
            value = value * i64::from(radix) + i64::from(digit);
            at += 1;
            if at - first > MOST {
                return None;
            }
        }
        let ends = match rest.get(at)? {
            b',' | b'\n' | b')' | b']' | b':' => true,
            // What may follow a blank without being a part of the expression.
            b' ' => rest
                .get(at + 1)
                .is_some_and(|&byte| is_word_start(byte) || byte == b'\n'),
            _ => false,
        };
        if at == first || !ends {
            return None;
        }
        self.pos += at;
        Some(if is_negative { -value } else { value })
    }

    pub(crate) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    /// The next byte, 0 at the end of the source.
    #[inline]
    pub(crate) fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    #[inline]
    pub(crate) fn peek_at(&self, distance: usize) -> u8 {
        let at = self.pos.wrapping_add(distance);
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Steps over a byte if it is the next one.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && !self.at_end();
        self.pos += usize::from(found);
        found
    }

    /// Blanks, then the byte, if both are there; else only the blanks are read.
    pub(crate) fn eat_after_blanks(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.eat(byte)
    }

    /// Steps over blanks and block comments, which may span lines.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        if self.peek() == b' ' {
            self.pos += 1;
        }
        if is_blank(self.peek()) || matches!(self.peek(), b'/' | b'\\') {
            self.skip_more_blanks();
        }
    }

    #[cold]
    #[inline(never)]
    fn skip_more_blanks(&mut self) {
        loop {
            loop {
                if is_blank(self.peek()) {
                    self.pos += 1;
                } else if let Some(length) = self.continuation() {
                    self.pos += length;
                } else {
                    break;
                }
            }
            if self.peek() != b'/' || self.peek_at(1) != b'*' {
                return;
            }
            let rest = self.text.get(self.pos + 2..).unwrap_or("");
            self.pos = match rest.find("*/") {
                Some(length) => self.pos + 2 + length + 2,
                None => self.text.len(),
            };
        }
    }

    /// The length of what lets the line go on in the next one, if that stands here.
    fn continuation(&self) -> Option<usize> {
        if self.peek() != b'\\' || !self.dialect.continues_lines() {
            return None;
        }
        self.clrx_continuation()
    }

    /// The same in CLRX's language.
    fn clrx_continuation(&self) -> Option<usize> {
        ["\\\n", "\\\r\n"]
            .into_iter()
            .find(|mark| self.rest().starts_with(mark.as_bytes()))
            .map(str::len)
    }

    /// Whether the line that ends here goes on in the next one.
    fn line_goes_on(&self) -> bool {
        let before = self.text.as_bytes().get(..self.pos).unwrap_or(&[]);
        before
            .strip_suffix(b"\r")
            .unwrap_or(before)
            .ends_with(b"\\")
    }

    /// Steps over the mark with which some editors begin a file.
    pub(crate) fn skip_byte_order_mark(&mut self) {
        const MARK: char = '\u{feff}';
        if self.pos == 0 && self.text.starts_with(MARK) {
            self.pos = MARK.len_utf8();
        }
    }

    /// The beginning of a block comment that has no end, in the text from the beginning of a line.
    pub(crate) fn unclosed_comment(&self, line: usize) -> Option<Range<usize>> {
        let mut probe = self.clone();
        probe.pos = line;
        while !probe.at_end() {
            match (probe.peek(), probe.peek_at(1)) {
                (b'/', b'*') => {
                    let start = probe.pos;
                    probe.skip_blanks();
                    if probe.at_end() && !self.text.ends_with("*/") || probe.pos < start + 4 {
                        return Some(start..start + 2);
                    }
                }
                (b'/', b'/') | (b';', _) => probe.skip_line(),
                (b'"', _) if probe.string().is_err() => return None,
                (b'"', _) => {}
                _ => probe.pos += 1,
            }
        }
        None
    }

    /// Whether nothing more stands in the statement. Call after [`Cursor::skip_blanks`].
    pub(crate) fn at_statement_end(&self) -> bool {
        match self.peek() {
            b'\n' | b';' | b'#' => true,
            b'/' => self.peek_at(1) == b'/' && self.dialect.slashes_begin_comment(),
            _ => self.at_end(),
        }
    }

    /// Blanks, then whether the statement ends.
    #[inline]
    pub(crate) fn statement_ends(&mut self) -> bool {
        self.skip_blanks();
        self.at_statement_end()
    }

    /// Steps behind the end of the line, or of the statement if another one follows on the line.
    pub(crate) fn skip_line(&mut self) {
        self.skip_comment();
        let _ = self.eat(b'\n') || self.eat(b';');
    }

    /// Steps behind a statement that is not read.
    pub(crate) fn skip_statement(&mut self) {
        if !self.dialect.semicolon_separates() {
            return self.skip_line();
        }
        loop {
            match self.peek() {
                b'\n' | b';' => {
                    self.pos += 1;
                    return;
                }
                b'#' => self.skip_line_content(),
                b'"' if self.string().is_err() => self.skip_line_content(),
                b'"' => {}
                b'\'' if self.peek_at(2) == b'\'' => self.pos += 3,
                b'/' if self.peek_at(1) == b'*' => self.skip_more_blanks(),
                _ if self.at_end() => return,
                _ => self.pos += self.continuation().unwrap_or(1),
            }
        }
    }

    /// Blanks and labels, in which parameters of a macro may stand.
    pub(crate) fn skip_labels(&mut self) {
        loop {
            self.skip_blanks();
            let ends = |&byte: &u8| !is_word(byte) && !matches!(byte, b'\\' | b'(' | b')' | b'@');
            let rest = self.rest();
            let length = rest.iter().position(ends).unwrap_or(0);
            if length == 0 || rest.get(length) != Some(&b':') || rest.get(length + 1) == Some(&b':')
            {
                return;
            }
            self.pos += length + 1;
        }
    }

    /// Steps to the end of the line, unless another statement follows at the cursor.
    pub(crate) fn skip_comment(&mut self) {
        if self.peek() != b';' || !self.dialect.semicolon_separates() {
            self.skip_line_content();
        }
    }

    /// Steps to the end of the line.
    pub(crate) fn skip_line_content(&mut self) {
        self.skip_to_newline();
        if self.dialect.continues_lines() {
            while !self.at_end() && self.line_goes_on() {
                self.pos += 1;
                self.skip_to_newline();
            }
        }
    }

    #[inline]
    fn skip_to_newline(&mut self) {
        let rest = self.rest();
        self.pos += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    /// The next character's range, for messages; empty at the end.
    pub(crate) fn here(&self) -> Range<usize> {
        let rest = self.text.get(self.pos..).unwrap_or("");
        let width = match rest.chars().next() {
            None | Some('\n') => 0,
            Some(c) => c.len_utf8(),
        };
        self.pos..self.pos + width
    }

    /// What stands here, for messages: a word, a number or a character.
    pub(crate) fn found(&self) -> (Range<usize>, String) {
        let mut probe = self.clone();
        if let Some(word) = probe.word() {
            return (self.pos..probe.pos, format!("`{word}`"));
        }
        let here = self.here();
        let what = if self.at_statement_end() {
            "the end of the statement".to_owned()
        } else {
            format!("`{}`", self.slice(here.clone()).escape_debug())
        };
        (here, what)
    }

    /// An error: `what` should stand here.
    pub(crate) fn expected(&self, what: &str) -> Fail {
        let (span, found) = self.found();
        let expected = fail(
            &ids::UNEXPECTED_TOKEN,
            span,
            format!("expected {what}, found {found}"),
        );
        if self.clrx_continuation().is_some() {
            return expected
                .helped("in CLRX's language the line goes on in the next: --dialect clrx");
        }
        expected
    }

    /// A word: a mnemonic, a register, a symbol, a directive.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        if !is_word_start(self.peek()) && !self.at_scope() {
            return None;
        }
        let start = self.pos;
        let rest = self.rest();
        let length = rest.iter().position(|&byte| !is_word(byte));
        self.pos += length.unwrap_or(rest.len());
        while self.at_scope() {
            self.pos += SEPARATOR.len();
            self.tail();
        }
        self.text.get(start..self.pos)
    }

    /// Whether the name of something in a scope goes on, or begins, here: `::name`.
    #[inline]
    pub(crate) fn at_scope(&self) -> bool {
        self.peek() == b':'
            && self.peek_at(1) == b':'
            && is_word_start(self.peek_at(2))
            && self.dialect.has_scopes()
    }

    /// A symbol's name: a word, or any text in quotes.
    pub(crate) fn name(&mut self) -> Result<std::borrow::Cow<'a, str>, Fail> {
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

    /// A decimal number of a register; nothing if there are no digits or more than fit.
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

    /// An integer (`12`, `0xc`, `0b1100`, `014`) or a floating-point number (`1.5`, `2e3`).
    pub(crate) fn number(&mut self) -> Result<Number, Fail> {
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
        if self.pos == digits {
            return Err(self.expected("a number"));
        }
        let end = self.pos;
        if is_word(self.peek()) {
            // The suffixes of C say nothing here.
            let suffix = self.tail();
            if !matches!(self.slice(suffix), "U" | "L" | "LL" | "UL" | "ULL") {
                let text = self.slice(start..self.pos);
                return Err(fail(
                    &ids::INVALID_NUMBER,
                    start..self.pos,
                    format!("`{text}` is not a number"),
                ));
            }
        }
        if radix == 10 && self.text.as_bytes().get(start) == Some(&b'0') && end > start + 1 {
            return self.octal(start..end);
        }
        if overflow {
            return Err(fail(
                &ids::INVALID_NUMBER,
                start..self.pos,
                "the number does not fit into 64 bits",
            ));
        }
        Ok(Number::Int(value.cast_signed()))
    }

    /// A word that may begin with a digit: `8_8_8_8`.
    pub(crate) fn tail_word(&mut self) -> &'a str {
        let range = self.tail();
        self.text.get(range).unwrap_or("")
    }

    /// Steps over the rest of a word, whatever it begins with.
    pub(crate) fn tail(&mut self) -> Range<usize> {
        let start = self.pos;
        while is_word(self.peek()) {
            self.pos += 1;
        }
        start..self.pos
    }

    /// Steps over what may be a floating-point number without its sign.
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

    fn float(&mut self, start: usize) -> Result<Number, Fail> {
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
        let suffix = match self.peek() | 0x20 {
            _ if is_word(self.peek_at(1)) => None,
            b'h' => Some(FloatWidth::Half),
            b's' => Some(FloatWidth::Single),
            b'l' => Some(FloatWidth::Double),
            _ => None,
        };
        self.pos += usize::from(suffix.is_some());
        match text.parse() {
            Ok(value) if !is_word(self.peek()) => Ok(match suffix {
                Some(width) => Number::Suffixed(value, width),
                None => Number::Float(value),
            }),
            _ => {
                self.tail();
                let text = self.slice(start..self.pos);
                Err(fail(
                    &ids::INVALID_NUMBER,
                    start..self.pos,
                    format!("`{text}` is not a number"),
                ))
            }
        }
    }

    /// GNU as reads a number that begins with 0 as octal.
    fn octal(&self, span: Range<usize>) -> Result<Number, Fail> {
        let text = self.slice(span.clone());
        match u64::from_str_radix(text, 8) {
            Ok(value) => Ok(Number::Int(value.cast_signed())),
            Err(_) => Err(Box::new(
                crate::Diagnostic::error(
                    &ids::INVALID_NUMBER,
                    span,
                    format!("`{text}` is not an octal number"),
                )
                .help("a number that begins with 0 is octal"),
            )),
        }
    }

    /// A character in single quotes, as its code. The cursor is at the quote.
    pub(crate) fn character(&mut self) -> Result<i64, Fail> {
        let start = self.pos;
        self.pos += 1;
        let value = match self.peek() {
            b'\\' => match self.escape() {
                Ok(value) => value,
                // What is no escape stands for itself here.
                Err(_) if self.pos == start + 2 && self.peek().is_ascii_punctuation() => {
                    self.pos += 1;
                    self.text.as_bytes().get(self.pos - 1).copied().unwrap_or(0)
                }
                Err(error) => return Err(error),
            },
            b'\n' | 0 => {
                return Err(fail(
                    &ids::INVALID_CHARACTER,
                    start..self.pos,
                    "a character is missing after `'`",
                ));
            }
            byte if byte.is_ascii() => {
                self.pos += 1;
                byte
            }
            _ => {
                return Err(fail(
                    &ids::INVALID_CHARACTER,
                    self.here(),
                    "only ASCII characters have a value here",
                ));
            }
        };
        self.eat(b'\'');
        Ok(i64::from(value))
    }

    /// A string in double quotes with the escapes of C.
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
                    return Err(fail(
                        &ids::UNTERMINATED,
                        start..self.pos,
                        "the string does not end",
                    )
                    .helped("add `\"` on the same line"));
                }
                byte => {
                    bytes.push(byte);
                    self.pos += 1;
                }
            }
        }
    }

    /// An escape. The cursor is at the backslash.
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
                return Err(fail(
                    &ids::INVALID_ESCAPE,
                    start..self.pos,
                    "`\\x` needs hexadecimal digits",
                ));
            }
            return Ok(value as u8);
        }
        let value = match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 0x08,
            b'f' => 0x0c,
            b'"' | b'\\' | b'\'' => byte,
            _ => {
                return Err(fail(
                    &ids::INVALID_ESCAPE,
                    start..self.here().end,
                    "there is no such escape",
                )
                .helped(
                    "the escapes are \\n \\t \\r \\b \\f \\\" \\\\ \\' \\xHH and octal \\NNN",
                ));
            }
        };
        self.pos += 1;
        Ok(value)
    }
}
