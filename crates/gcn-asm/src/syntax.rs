//! Tokenizer for editors: splits statements into their parts without assembling them.
//!
//! GNU as syntax depends on context, so the assembler itself has no tokenizer. These tokens are what its parser would
//! read from a valid source. Any text can be tokenized; tokens cover all of it except blanks.

use std::ops::Range;

use crate::cursor::{Cursor, is_word};
use crate::directive::text_block_end;
use crate::inputs::dialect::Dialect;

/// Token kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// Label name at its definition, followed by `:`.
    Label,
    /// Symbol name on the left of `=`.
    Assigned,
    /// First word of a statement, beginning with `.`.
    Directive,
    /// First word of any other statement: an instruction or a macro call.
    Mnemonic,
    /// Any later word: a register, a symbol or a modifier.
    Word,
    /// Macro parameter, including its backslash.
    Parameter,
    /// Number, numeric label reference, or character literal.
    Number,
    /// String literal, including its quotes.
    String,
    /// Comment, including its delimiters.
    Comment,
    /// `;` between statements.
    Separator,
    /// Line of a text block, such as one begun by `.amdgpu_metadata`.
    Text,
    /// Any other character.
    Operator,
}

/// A token and its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Token kind.
    pub kind: TokenKind,
    /// Byte range in the source.
    pub span: Range<usize>,
}

/// Splits a source into tokens.
///
/// # Examples
/// ```
/// use gcn_asm::Dialect;
/// use gcn_asm::syntax::{TokenKind, tokens};
/// let source = "loop: s_add_u32 s0, s0, 1 // next\n";
/// let kinds = tokens(source, Dialect::Llvm).map(|token| (token.kind, &source[token.span]));
/// let first: Vec<_> = kinds.take(4).collect();
/// assert_eq!(first[0], (TokenKind::Label, "loop"));
/// assert_eq!(first[1], (TokenKind::Operator, ":"));
/// assert_eq!(first[2], (TokenKind::Mnemonic, "s_add_u32"));
/// assert_eq!(first[3], (TokenKind::Word, "s0"));
/// ```
pub fn tokens(text: &str, dialect: Dialect) -> Tokens<'_> {
    let mut cursor = Cursor::new(text, dialect);
    cursor.skip_byte_order_mark();
    Tokens {
        cursor,
        has_head: false,
        block: None,
        is_inside: false,
    }
}

/// Iterator over the tokens of a source, returned by [`tokens`].
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    cursor: Cursor<'a>,
    /// True after the first word of a statement.
    has_head: bool,
    /// Directive that ends the text block begun by this statement, if any.
    block: Option<&'static str>,
    /// True inside the text block.
    is_inside: bool,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            if self.is_inside
                && let Some(token) = self.line_of_text()
            {
                return Some(token);
            }
            let rest = self.cursor.rest();
            let blanks = |&&byte: &&u8| byte != b'\n' && byte.is_ascii_whitespace() || byte == 0x0b;
            let blanks = rest.iter().take_while(blanks).count();
            self.cursor.set_pos(self.cursor.pos() + blanks);
            if self.cursor.at_end() {
                return None;
            }
            if self.cursor.peek() != b'\n' {
                break;
            }
            self.step(1);
            self.has_head = false;
            self.is_inside = self.block.is_some();
        }
        let start = self.cursor.pos();
        let kind = self.token();
        // Every token covers at least one character.
        let end = self.cursor.pos().max(self.cursor.here().end.min(start + 1));
        let end = if end > start { end } else { start + 1 };
        self.cursor.set_pos(end);
        Some(Token {
            kind,
            span: start..end,
        })
    }
}

impl Tokens<'_> {
    fn step(&mut self, bytes: usize) {
        self.cursor.set_pos(self.cursor.pos() + bytes);
    }

    /// Next nonblank line of a text block; `None` at the end of the block.
    fn line_of_text(&mut self) -> Option<Token> {
        loop {
            if self.cursor.at_end() {
                return None;
            }
            let start = self.cursor.pos();
            let mut probe = self.cursor.clone();
            probe.skip_blanks();
            let end = self.block.unwrap_or_default();
            if probe
                .word()
                .is_some_and(|word| word.eq_ignore_ascii_case(end))
            {
                self.is_inside = false;
                self.block = None;
                return None;
            }
            let rest = self.cursor.rest();
            let length = rest.iter().position(|&byte| byte == b'\n');
            let line = self
                .cursor
                .slice(start..start + length.unwrap_or(rest.len()));
            self.step(length.map_or(rest.len(), |length| length + 1));
            let content = line.trim_end();
            let begin = start + content.len() - content.trim_start().len();
            if begin < start + content.len() {
                return Some(Token {
                    kind: TokenKind::Text,
                    span: begin..start + content.len(),
                });
            }
        }
    }

    /// Consumes the token at the cursor.
    fn token(&mut self) -> TokenKind {
        let dialect = self.cursor.dialect();
        match (self.cursor.peek(), self.cursor.peek_at(1)) {
            (b';', _) if dialect.semicolon_separates() => {
                self.step(1);
                self.has_head = false;
                TokenKind::Separator
            }
            (b'#' | b';', _) => self.comment(),
            (b'/', b'/') if dialect.slashes_begin_comment() => self.comment(),
            (b'/', b'*') => {
                let text = self.cursor.rest();
                let end = text.get(2..).unwrap_or(&[]).windows(2);
                let length = end.clone().position(|pair| pair == b"*/");
                self.step(length.map_or(text.len(), |length| length + 4));
                TokenKind::Comment
            }
            (b'"', _) => self.string(),
            (b'\'', _) => {
                let start = self.cursor.pos();
                if self.cursor.character().is_err() {
                    self.cursor.set_pos(start + 1);
                    return TokenKind::Operator;
                }
                TokenKind::Number
            }
            (b'\\', b'(') if self.cursor.peek_at(2) == b')' => {
                self.step(3);
                TokenKind::Parameter
            }
            (b'\\', b'@' | b'+') => {
                self.step(2);
                TokenKind::Parameter
            }
            (b'\\', byte) if is_word(byte) => {
                self.step(1);
                self.cursor.tail();
                TokenKind::Parameter
            }
            (b'0'..=b'9', _) => self.number(),
            _ => self.word(),
        }
    }

    fn comment(&mut self) -> TokenKind {
        self.cursor.skip_line_content();
        let start = self.cursor.pos();
        let before = self.cursor.slice(0..start);
        self.cursor.set_pos(before.trim_end_matches('\r').len());
        TokenKind::Comment
    }

    fn string(&mut self) -> TokenKind {
        let start = self.cursor.pos();
        if self.cursor.string().is_err() {
            self.cursor.set_pos(start);
            let rest = self.cursor.rest();
            let end = rest.iter().position(|&byte| byte == b'\n');
            let line = self.cursor.slice(start..start + end.unwrap_or(rest.len()));
            self.step(line.trim_end().len());
        }
        if self.has_head {
            return TokenKind::String;
        }
        self.name(TokenKind::String)
    }

    /// Kind of the name before the cursor, at the beginning of a statement; `other` if it is neither a label nor
    /// assigned.
    fn name(&mut self, other: TokenKind) -> TokenKind {
        let end = self.cursor.pos();
        self.cursor.skip_blanks();
        let is_scope = self.cursor.at_scope();
        let next = self.cursor.peek();
        self.cursor.set_pos(end);
        match next {
            b':' if !is_scope => TokenKind::Label,
            b'=' => {
                self.has_head = true;
                TokenKind::Assigned
            }
            _ => {
                self.has_head = true;
                other
            }
        }
    }

    fn number(&mut self) -> TokenKind {
        let start = self.cursor.pos();
        self.cursor.tail();
        let written = self.cursor.slice(start..self.cursor.pos());
        let is_decimal = !written.starts_with("0x") && !written.starts_with("0X");
        if is_decimal && written.ends_with(['e', 'E']) && matches!(self.cursor.peek(), b'+' | b'-')
        {
            self.step(1);
            self.cursor.tail();
        }
        if !self.has_head && written.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.name(TokenKind::Number);
        }
        TokenKind::Number
    }

    fn word(&mut self) -> TokenKind {
        let Some(word) = self.cursor.word() else {
            let width = self.cursor.here().len().max(1);
            self.step(width);
            // `has_head` is unchanged: the first word may follow an operator, such as the `:` of a label.
            return TokenKind::Operator;
        };
        if self.has_head {
            return TokenKind::Word;
        }
        if word.starts_with('.') {
            self.block = text_block_end(word);
        }
        let kind = if word.starts_with('.') {
            TokenKind::Directive
        } else {
            TokenKind::Mnemonic
        };
        let kind = self.name(kind);
        if kind != TokenKind::Directive {
            self.block = None;
        }
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds and texts of tokens, for comparison.
    fn shown(text: &str, dialect: Dialect) -> Vec<(TokenKind, &str)> {
        let tokens = tokens(text, dialect);
        tokens
            .map(|token| (token.kind, &text[token.span]))
            .collect()
    }

    #[test]
    fn statements_have_heads() {
        use TokenKind::*;
        assert_eq!(
            shown(
                "a: 1: .set x, 'b' # c\nx = 1f\n v_\\op\\()_f32 v[0:1], -2.5e-3",
                Dialect::Llvm
            ),
            [
                (Label, "a"),
                (Operator, ":"),
                (Label, "1"),
                (Operator, ":"),
                (Directive, ".set"),
                (Word, "x"),
                (Operator, ","),
                (Number, "'b'"),
                (Comment, "# c"),
                (Assigned, "x"),
                (Operator, "="),
                (Number, "1f"),
                (Mnemonic, "v_"),
                (Parameter, "\\op"),
                (Parameter, "\\()"),
                (Word, "_f32"),
                (Word, "v"),
                (Operator, "["),
                (Number, "0"),
                (Operator, ":"),
                (Number, "1"),
                (Operator, "]"),
                (Operator, ","),
                (Operator, "-"),
                (Number, "2.5e-3"),
            ]
        );
    }

    #[test]
    fn dialects_differ_in_semicolons() {
        use TokenKind::*;
        let text = "s_nop 0; s_nop 1";
        assert_eq!(
            shown(text, Dialect::Llvm).last(),
            Some(&(Comment, "; s_nop 1"))
        );
        let kinds: Vec<_> = shown(text, Dialect::Clrx)
            .into_iter()
            .map(|it| it.0)
            .collect();
        assert_eq!(kinds, [Mnemonic, Number, Separator, Mnemonic, Number]);
    }

    #[test]
    fn blocks_of_text_are_lines() {
        use TokenKind::*;
        let text = ".amdgpu_metadata\n  a: 'x\n\n.end_amdgpu_metadata\ns_endpgm /* open\n */ # é";
        assert_eq!(
            shown(text, Dialect::Llvm),
            [
                (Directive, ".amdgpu_metadata"),
                (Text, "a: 'x"),
                (Directive, ".end_amdgpu_metadata"),
                (Mnemonic, "s_endpgm"),
                (Comment, "/* open\n */"),
                (Comment, "# é"),
            ]
        );
    }

    /// Tokens of any text are in order, lie on character boundaries, and omit only blanks.
    #[test]
    fn tokens_cover_any_text() {
        arbtest::arbtest(|u| {
            const PARTS: [&str; 24] = [
                "a",
                ":",
                " ",
                "\n",
                "\"",
                "'",
                "\\",
                "é",
                "𝄞",
                "/*",
                "*/",
                "//",
                ";",
                "#",
                "=",
                ".macro",
                ".amdgpu_metadata",
                ".end_amdgpu_metadata",
                "0x",
                "1e",
                "-",
                "\r\n",
                "\t",
                "::b",
            ];
            let mut text = String::new();
            while !u.is_empty() {
                text.push_str(u.choose(&PARTS)?);
            }
            for dialect in [Dialect::Llvm, Dialect::Clrx] {
                let mut end = 0;
                for token in tokens(&text, dialect) {
                    assert!(
                        token.span.start >= end && token.span.end > token.span.start,
                        "{text:?}"
                    );
                    let gap = text.get(end..token.span.start).expect("a boundary");
                    assert!(
                        gap.trim().is_empty() || gap == "\u{feff}",
                        "{text:?}: {gap:?}"
                    );
                    assert!(text.get(token.span.clone()).is_some(), "{text:?}");
                    end = token.span.end;
                }
                assert!(text[end..].trim().is_empty(), "{text:?}");
            }
            Ok(())
        });
    }
}
