//! Input side of an assembly: a cursor into a text, and the expansions that the text comes from.

use std::ops::Range;

use crate::argument::lower_case;
use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, PositionMap, TextOrigin};
use crate::assembler::expansion::{
    ENTRY_COST, ExpandedTexts, Expansion, Frame, Jump, MAX_EXPANDED, REPEAT_COST,
};
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::inputs::dialect::Dialect;
use crate::inputs::files::Files;
use crate::inputs::options::Source;

/// Maximum nesting depth of expansions.
const MAX_DEPTH: usize = 1024;
/// Maximum length in bytes of macro names that are matched case-insensitively.
pub(crate) const MACRO_NAME: usize = 128;
/// Number of recent files compared with a newly included one, to store the same text only once.
const MAX_COMPARED: usize = 16;

/// A cursor with its enclosing expansions.
pub(crate) struct SourceReader<'a> {
    pub cursor: Cursor<'a>,
    pub expansion: Expansion<'a>,
}

impl<'a> SourceReader<'a> {
    /// Creates a reader at the start of a source. Expanded texts are appended to `texts`.
    pub(crate) fn new(
        source: &Source<'a>,
        texts: &'a ExpandedTexts,
        files: &'a dyn Files,
        dialect: Dialect,
    ) -> SourceReader<'a> {
        SourceReader {
            cursor: Cursor::new(source.text, dialect),
            expansion: Expansion::new(source, texts, files, dialect.ignores_case_of_macros()),
        }
    }

    /// Performs the jump that the last statement requested.
    pub(crate) fn jump(&mut self) {
        match self.expansion.jump.take() {
            Some(Jump::Enter(mut frame)) => {
                frame.resume = std::mem::replace(&mut self.cursor, frame.begin.clone());
                frame.errors = self.expansion.errors;
                frame.conditions = self.expansion.conditions.len();
                self.expansion.frames.push(*frame);
            }
            Some(Jump::Leave) => self.leave(),
            Some(Jump::Abort) => self.leave_to(0),
            Some(Jump::AbortToFile) => {
                let is_file =
                    |frame: &&Frame<'_>| matches!(frame.step.what, ExpansionKind::File(_));
                self.leave_to(self.expansion.frames.iter().take_while(is_file).count());
            }
            Some(Jump::Stop) => {
                self.expansion.frames.clear();
                self.expansion.conditions.clear();
                self.cursor.set_pos(usize::MAX / 2);
            }
            None => {}
        }
    }

    /// Leaves all but the outermost `depth` expansions.
    pub(crate) fn leave_to(&mut self, depth: usize) {
        if let Some(frame) = self.expansion.frames.get(depth) {
            self.cursor = frame.resume.clone();
            self.expansion.conditions.truncate(frame.conditions);
        }
        self.expansion.frames.truncate(depth);
    }

    /// Leaves the innermost expansion.
    pub(crate) fn leave(&mut self) {
        if let Some(frame) = self.expansion.frames.pop() {
            self.expansion.conditions.truncate(frame.conditions);
            self.cursor = frame.resume;
        }
    }

    /// Makes the requested expansion continue at `again`, instead of after the current statement.
    pub(crate) fn repeat_from(&mut self, again: Cursor<'a>) {
        if let Some(Jump::Enter(frame)) = &mut self.expansion.jump {
            frame.again = Some(again);
        }
    }

    /// Charges bytes to the expansion budget. If it is exhausted, all expansions end.
    pub(crate) fn charge(&mut self, bytes: usize, span: &Range<usize>) -> Result<(), Fail> {
        match self.expansion.budget.checked_sub(bytes) {
            Some(rest) => {
                self.expansion.budget = rest;
                Ok(())
            }
            None => {
                self.expansion.jump = Some(Jump::Abort);
                Err(fail(
                    &ids::EXPANSION_LIMIT,
                    span.clone(),
                    "macros, loops and included files expand to too much text",
                )
                .with_help(format!(
                    "at most {} MiB are possible, more in a long source; a call counts as {} KiB, a repetition as {} bytes",
                    MAX_EXPANDED >> 20,
                    ENTRY_COST >> 10,
                    REPEAT_COST
                )))
            }
        }
    }

    /// Requests that a text be read `rounds` times from `begin`. The step describes the first iteration.
    pub(crate) fn expand(
        &mut self,
        step: ExpansionStep<'a>,
        begin: Cursor<'a>,
        rounds: u64,
    ) -> Result<(), Fail> {
        if self.expansion.frames.len() >= MAX_DEPTH {
            self.expansion.jump = Some(Jump::Abort);
            let message = format!("{} is nested too deep", step.what.text());
            return Err(fail(&ids::NESTING_LIMIT, step.call, message)
                .with_help(format!("expansions may nest {MAX_DEPTH} levels deep")));
        }
        let mapping = match (self.expansion.mapping(), step.text) {
            (outer, None) => outer,
            (_, Some(_)) if matches!(step.what, ExpansionKind::File(_)) => match &step.origin {
                TextOrigin::At(place) => PositionMap::From(place.start),
                TextOrigin::Unknown | TextOrigin::Around(_) => PositionMap::From(0),
            },
            (outer, Some(_)) => PositionMap::Call(outer.apply(step.call.clone())),
        };
        self.expansion.jump = Some(Jump::Enter(Box::new(Frame {
            step,
            mapping,
            resume: begin.clone(),
            again: None,
            begin,
            remaining: rounds.saturating_sub(1),
            errors: 0,
            conditions: 0,
            node: None,
        })));
        Ok(())
    }

    /// Origin of a body in the current text.
    pub(crate) fn origin(&self, body: Range<usize>) -> TextOrigin {
        match self.expansion.mapping() {
            PositionMap::Call(_) => TextOrigin::Around(body),
            from @ PositionMap::From(_) => TextOrigin::At(from.apply(body)),
        }
    }

    /// Skips a block up to its closing directive and returns the range of its body; without one, the body extends to
    /// the end of the text.
    pub(crate) fn body(
        &mut self,
        (opens, closes): (&[&str], &[&str]),
        span: &Range<usize>,
    ) -> Result<Range<usize>, Fail> {
        self.cursor.skip_statement();
        let start = self.cursor.pos();
        let mut depth = 0usize;
        while !self.cursor.at_end() {
            let line = self.cursor.pos();
            self.cursor.skip_labels();
            if self.cursor.peek() == b'.' {
                let word = self.cursor.word().unwrap_or("");
                if is_one_of(word, opens) {
                    depth += 1;
                } else if is_one_of(word, closes) {
                    match depth.checked_sub(1) {
                        None => return Ok(start..line),
                        Some(less) => depth = less,
                    }
                }
            }
            self.cursor.skip_statement();
        }
        let name = self.cursor.slice(span.clone());
        let end = closes.first().copied().unwrap_or("");
        Err(fail(
            &ids::UNCLOSED_BLOCK,
            span.clone(),
            format!("`{name}` is not closed"),
        )
        .with_help(format!("end it with `{end}`")))
    }

    /// Range of a statement up to the cursor, without trailing blanks.
    pub(crate) fn statement_from(&self, start: usize) -> Range<usize> {
        let text = self.cursor.slice(start..self.cursor.pos());
        start..start + text.trim_end().len()
    }

    /// Stores a file's name and text, or returns the stored ones if the file was included recently.
    pub(crate) fn intern_file(&mut self, name: String, text: String) -> (&'a str, &'a str) {
        let known = self
            .expansion
            .files
            .iter()
            .rev()
            .take(MAX_COMPARED)
            .find(|file| file.name == name && file.text == text);
        match known {
            Some(file) => (file.name, file.text),
            None => (self.expansion.keep(name), self.expansion.keep(text)),
        }
    }

    /// Key of a macro name in the table of macros.
    pub(crate) fn macro_key<'n>(&self, name: &'n str, buffer: &'n mut [u8; MACRO_NAME]) -> &'n str {
        match self.expansion.ignores_case {
            true => lower_case(name, buffer).unwrap_or(name),
            false => name,
        }
    }

    /// Reads the rest of the line without its comment.
    pub(crate) fn rest_of_line(&mut self) -> &'a str {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let mut end = start;
        while !self.cursor.at_statement_end() {
            if self.cursor.peek() == b'"' {
                let quote = self.cursor.pos();
                if self.cursor.string().is_ok() {
                    end = self.cursor.pos();
                    continue;
                }
                // The quote does not begin a string, and may be unmatched.
                self.cursor.set_pos(quote);
            }
            let width = self.cursor.here().len().max(1);
            self.cursor.set_pos(self.cursor.pos() + width);
            end = self.cursor.pos();
            self.cursor.skip_blanks();
        }
        self.cursor.slice(start..end)
    }
}

fn is_one_of(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| word.eq_ignore_ascii_case(name))
}
