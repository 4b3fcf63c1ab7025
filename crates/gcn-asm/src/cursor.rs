//! Scanner for source text: blanks, comments, words, numbers and strings. GNU as syntax depends on context, so there is
//! no tokenizer; the parser requests the kind of token that is valid at a position.

mod literal;
mod skip;

use std::ops::Range;

use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::inputs::dialect::Dialect;
pub(crate) use literal::without_suffix;

/// Name of the location counter.
pub(crate) const HERE: &str = ".";
/// Separator between components of a scope path.
pub(crate) const SEPARATOR: &str = "::";

/// A position in source text.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    pos: usize,
    dialect: Dialect,
}

/// A number literal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum WrittenNumber {
    /// An integer, stored as a signed 64-bit value.
    Int(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A number with a CLRX width suffix.
    Suffixed(f64, FloatWidth),
}

/// Width of a floating-point constant, from its suffix `h`, `s` or `l`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatWidth {
    Half,
    Single,
    Double,
}

const fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'$')
}

pub(crate) const fn is_word(byte: u8) -> bool {
    /// Lookup table indexed by byte, because source text consists mostly of words.
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

/// Splits off a leading decimal number of one to three digits; `None` for longer numbers, or if a leading 0 makes the
/// number octal.
#[inline]
fn decimal(bytes: &[u8]) -> Option<(u32, &[u8])> {
    const MOST: u32 = 999;
    let (&first @ b'0'..=b'9', mut rest) = bytes.split_first()? else {
        return None;
    };
    let mut value = u32::from(first - b'0');
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
        let longer = value * 10 + u32::from(digit - b'0');
        if value == 0 || longer > MOST {
            return None;
        }
        (value, rest) = (longer, tail);
    }
    Some((value, rest))
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

    /// Skips blanks and returns the position of the next token.
    pub(crate) fn token_start(&mut self) -> usize {
        self.skip_blanks();
        self.pos
    }

    /// Range from `start` to the cursor.
    pub(crate) fn since(&self, start: usize) -> Range<usize> {
        start..self.pos
    }

    /// Text in `range`; empty if the range is invalid.
    pub(crate) fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or("")
    }

    /// Cursor at the start of `range` whose text ends with the range; positions are unchanged.
    pub(crate) fn within(&self, range: Range<usize>) -> Cursor<'a> {
        Cursor {
            text: self.slice(0..range.end),
            pos: range.start,
            dialect: self.dialect,
        }
    }

    /// Remaining bytes.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.pos..).unwrap_or(&[])
    }

    /// Fast path for the usual spelling of registers, `v1` or `s[2:3]`: returns the lower-case letter and the first and
    /// last number. Returns `None` and reads nothing if anything else follows.
    #[inline]
    pub(crate) fn common_register(&mut self) -> Option<(u8, u32, u32)> {
        let all = self.rest();
        let (letter, rest) = all.split_first()?;
        let letter = letter | 0x20;
        if !matches!(letter, b'v' | b's') {
            return None;
        }
        let (first, last, rest) = match rest {
            [b'[', rest @ ..] => {
                let (first, rest) = decimal(rest)?;
                let (last, rest) = match rest {
                    [b':', rest @ ..] => decimal(rest)?,
                    _ => (first, rest),
                };
                (first, last, rest.strip_prefix(b"]")?)
            }
            _ => {
                let (number, rest) = decimal(rest)?;
                let is_more = |&byte: &u8| is_word(byte) || byte == b'[';
                if rest.first().is_some_and(is_more) {
                    return None;
                }
                (number, number, rest)
            }
        };
        self.pos += all.len() - rest.len();
        Some((letter, first, last))
    }

    /// Fast path for an operand that consists of a lower-case word. Returns `None` and reads nothing if anything else
    /// follows.
    #[inline]
    pub(crate) fn common_word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let is_letter = |&byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
        let length = rest.iter().take_while(|byte| is_letter(byte)).count();
        if length == 0 || !matches!(rest.get(length)?, b',' | b'\n' | b' ' | b'|') {
            return None;
        }
        let start = self.pos;
        self.pos += length;
        Some(self.slice(start..self.pos))
    }

    /// Fast path for an expression that consists of a decimal fraction such as `0.5`. Returns `None` and reads nothing
    /// if anything else follows.
    #[inline]
    pub(crate) fn common_fraction(&mut self) -> Option<f64> {
        let rest = self.rest();
        let digits = |from: usize| {
            let digits = rest.get(from..).unwrap_or_default().iter();
            digits.take_while(|byte| byte.is_ascii_digit()).count()
        };
        let first = usize::from(rest.first() == Some(&b'-'));
        let point = first + digits(first);
        if point == first || rest.get(point) != Some(&b'.') {
            return None;
        }
        let end = point + 1 + digits(point + 1);
        if !matches!(rest.get(end)?, b',' | b'\n' | b' ') {
            return None;
        }
        let value = self.slice(self.pos..self.pos + end).parse().ok()?;
        self.pos += end;
        Some(value)
    }

    /// Fast path for an expression that consists of an integer. Returns `None` and reads nothing if anything else
    /// follows.
    #[inline]
    pub(crate) fn common_integer(&mut self) -> Option<i64> {
        /// Maximum number of digits, few enough not to overflow.
        const MOST: usize = 8;
        let rest = self.rest();
        let is_negative = rest.first() == Some(&b'-');
        let mut at = usize::from(is_negative);
        let (radix, first) = match rest.get(at..)? {
            [b'0', b'x' | b'X', ..] => (16, at + 2),
            // Octal or binary.
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
            // These bytes may follow a blank without continuing the expression.
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

    /// Next byte, or 0 at the end of the source.
    #[inline]
    pub(crate) fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    #[inline]
    pub(crate) fn peek_at(&self, distance: usize) -> u8 {
        let at = self.pos.wrapping_add(distance);
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Consumes the next byte if it is `byte`.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && !self.at_end();
        self.pos += usize::from(found);
        found
    }

    /// Skips blanks, then consumes the next byte if it is `byte`.
    pub(crate) fn eat_after_blanks(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.eat(byte)
    }

    /// Skips blanks and consumes `byte`. If another byte follows, the error says that `what` is expected.
    pub(crate) fn require(&mut self, byte: u8, what: &str) -> Result<(), Fail> {
        if self.eat_after_blanks(byte) {
            Ok(())
        } else {
            Err(self.expected(what))
        }
    }

    /// Consumes a comma; `what` describes the item that it must precede.
    pub(crate) fn comma(&mut self, what: &str) -> Result<(), Fail> {
        if self.eat_after_blanks(b',') {
            Ok(())
        } else {
            Err(self.expected(&format!("`,` and {what}")))
        }
    }

    /// Consumes the separator after a list item. Returns true for a comma, false for the closing byte `close`.
    pub(crate) fn list_continues(&mut self, close: u8) -> Result<bool, Fail> {
        if self.eat_after_blanks(close) {
            return Ok(false);
        }
        if self.eat(b',') {
            return Ok(true);
        }
        Err(self.expected(&format!("`,` or `{}`", char::from(close))))
    }

    /// Checks that the statement ends at the cursor.
    pub(crate) fn end_statement(&mut self) -> Result<(), Fail> {
        if self.statement_ends() {
            Ok(())
        } else {
            Err(self.expected("the end of the statement"))
        }
    }

    /// Skips blanks, block comments (which may span lines) and line continuations.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        if matches!(self.peek(), b' ' | b'\t') {
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

    /// Length of a line continuation at the cursor; `None` if the dialect does not have them.
    fn continuation(&self) -> Option<usize> {
        if self.peek() != b'\\' || !self.dialect.continues_lines() {
            return None;
        }
        self.clrx_continuation()
    }

    /// Length of a CLRX line continuation at the cursor, regardless of the dialect.
    fn clrx_continuation(&self) -> Option<usize> {
        ["\\\n", "\\\r\n"]
            .into_iter()
            .find(|mark| self.rest().starts_with(mark.as_bytes()))
            .map(str::len)
    }

    /// Returns true if the line before the cursor continues on the next line.
    fn line_goes_on(&self) -> bool {
        let before = self.text.as_bytes().get(..self.pos).unwrap_or(&[]);
        before
            .strip_suffix(b"\r")
            .unwrap_or(before)
            .ends_with(b"\\")
    }

    /// Skips a byte order mark.
    pub(crate) fn skip_byte_order_mark(&mut self) {
        const MARK: char = '\u{feff}';
        if self.pos == 0 && self.text.starts_with(MARK) {
            self.pos = MARK.len_utf8();
        }
    }

    /// Returns true if the cursor is at the end of a statement. Call [`Cursor::skip_blanks`] first.
    pub(crate) fn at_statement_end(&self) -> bool {
        match self.peek() {
            b'\n' | b';' | b'#' => true,
            b'/' => self.peek_at(1) == b'/' && self.dialect.slashes_begin_comment(),
            _ => self.at_end(),
        }
    }

    /// Skips blanks and returns true if they end the statement.
    #[inline]
    pub(crate) fn statement_ends(&mut self) -> bool {
        self.skip_blanks();
        self.at_statement_end()
    }

    /// Skips to the next line, or to the next statement if it is on the same line.
    pub(crate) fn skip_line(&mut self) {
        self.skip_comment();
        let _ = self.eat(b'\n') || self.eat(b';');
    }

    /// Skips blanks and labels, which may contain macro parameters.
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

    /// Skips to the end of the line, unless the cursor is at a `;` that separates statements.
    pub(crate) fn skip_comment(&mut self) {
        if self.peek() != b';' || !self.dialect.semicolon_separates() {
            self.skip_line_content();
        }
    }

    /// Skips to the end of the line, including its continuation lines.
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

    /// Range of the next character, for messages; empty at the end of a line or of the source.
    pub(crate) fn here(&self) -> Range<usize> {
        let rest = self.text.get(self.pos..).unwrap_or("");
        let width = match rest.chars().next() {
            None | Some('\n') => 0,
            Some(c) => c.len_utf8(),
        };
        self.pos..self.pos + width
    }

    /// Range and description of the token at the cursor, for messages: a word, a single character or the statement's end.
    #[cold]
    pub(crate) fn current_token(&self) -> (Range<usize>, String) {
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

    /// Error for an unexpected token at the cursor; `what` describes the expected one.
    #[cold]
    pub(crate) fn expected(&self, what: &str) -> Fail {
        let (span, found) = self.current_token();
        let expected = fail(
            &ids::UNEXPECTED_TOKEN,
            span,
            format!("expected {what}, found {found}"),
        );
        if self.clrx_continuation().is_some() {
            return expected.with_help(
                "in CLRX's language the line continues on the next one: --dialect clrx",
            );
        }
        expected
    }

    /// Reads a word: a mnemonic, register, symbol or directive.
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

    /// Reads the word characters at the cursor, which may begin with a digit, as in `8_8_8_8`.
    pub(crate) fn tail_word(&mut self) -> &'a str {
        let range = self.tail();
        self.text.get(range).unwrap_or("")
    }

    /// Skips word characters, without checking the first one, and returns their range.
    pub(crate) fn tail(&mut self) -> Range<usize> {
        let start = self.pos;
        while is_word(self.peek()) {
            self.pos += 1;
        }
        start..self.pos
    }

    /// Returns true if the cursor is at a scoped name that begins with `::`.
    #[inline]
    pub(crate) fn at_scope(&self) -> bool {
        self.peek() == b':'
            && self.peek_at(1) == b':'
            && is_word_start(self.peek_at(2))
            && self.dialect.has_scopes()
    }
}
