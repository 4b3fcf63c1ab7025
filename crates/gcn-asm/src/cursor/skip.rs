//! Skips blocks, statements and line remainders without assembling them, and finds unterminated comments.

use std::ops::Range;

use super::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;

impl<'a> Cursor<'a> {
    /// Searches for an unterminated block comment from `line`, the position of a line's first byte.
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
                (b'"', _) if probe.string().is_err() => return None,
                (b'"', _) => {}
                (b'\n', _) => probe.pos += 1,
                (b'\'', _) if probe.peek_at(2) == b'\'' => probe.pos += 3,
                _ if probe.at_statement_end() => probe.skip_line(),
                _ => probe.pos += 1,
            }
        }
        None
    }

    /// Skips a statement and its terminator without parsing it.
    pub(crate) fn skip_statement(&mut self) {
        self.skip_statement_content();
        let _ = self.eat(b'\n') || self.eat(b';');
    }

    /// Skips to the end of a statement without parsing it.
    pub(crate) fn skip_statement_content(&mut self) {
        if !self.dialect.semicolon_separates() {
            return self.skip_line_content();
        }
        loop {
            match self.peek() {
                b'\n' | b';' => return,
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

    /// Skips a block through its closing directive, one of `closes`, and returns the range of its body. Nested blocks begin
    /// with one of `opens`.
    pub(crate) fn body(
        &mut self,
        (opens, closes): (&[&str], &[&str]),
        span: &Range<usize>,
    ) -> Result<Range<usize>, Fail> {
        self.skip_statement();
        let start = self.pos();
        let mut depth = 0usize;
        while !self.at_end() {
            let line = self.pos();
            self.skip_labels();
            if self.peek() == b'.' {
                let word = self.word().unwrap_or("");
                if is_one_of(word, opens) {
                    depth += 1;
                } else if is_one_of(word, closes) {
                    match depth.checked_sub(1) {
                        None => return Ok(start..line),
                        Some(less) => depth = less,
                    }
                }
            }
            self.skip_statement();
        }
        let name = self.slice(span.clone());
        let end = closes.first().copied().unwrap_or("");
        let message = format!("`{name}` is not closed");
        Err(fail(&ids::UNCLOSED_BLOCK, span.clone(), message)
            .with_help(format!("end it with `{end}`")))
    }

    /// Range from `start` to the cursor, without trailing blanks.
    pub(crate) fn statement_from(&self, start: usize) -> Range<usize> {
        let text = self.slice(start..self.pos());
        start..start + text.trim_end().len()
    }

    /// Reads the rest of the statement, without its comment.
    pub(crate) fn rest_of_line(&mut self) -> &'a str {
        self.skip_blanks();
        let start = self.pos();
        let mut end = start;
        while !self.at_statement_end() {
            if self.peek() == b'"' {
                let quote = self.pos();
                if self.string().is_ok() {
                    end = self.pos();
                    continue;
                }
                // The quote is unmatched, so it does not begin a string.
                self.set_pos(quote);
            }
            let width = self.here().len().max(1);
            self.set_pos(self.pos() + width);
            end = self.pos();
            self.skip_blanks();
        }
        self.slice(start..end)
    }
}

fn is_one_of(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| word.eq_ignore_ascii_case(name))
}
