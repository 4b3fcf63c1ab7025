//! Skipping of statements that are not assembled, and unterminated comments.

use std::ops::Range;

use super::Cursor;

impl Cursor<'_> {
    /// Finds an unterminated block comment, starting from the beginning of a line.
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

    /// Skips a statement without parsing it.
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
}
