//! Source reader: the parser for the current text, and the stack of expansions around it.

use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, PositionMap, TextOrigin};
use crate::assembler::expansion::{ExpandedTexts, Expansion, Frame, Jump};
use crate::assembler::parser::Parser;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::inputs::files::Files;
use crate::inputs::options::{Options, Source};

/// Maximum nesting depth of expansions.
const MAX_DEPTH: usize = 1024;

/// Parser for the current text, and the expansions that enclose it.
pub(crate) struct SourceReader<'a> {
    pub parser: Parser<'a>,
    pub expansion: Expansion<'a>,
}

impl<'a> SourceReader<'a> {
    /// Creates a reader at the start of a source. Expanded text is appended to `texts`.
    pub(crate) fn new(
        source: &Source<'a>,
        options: &Options<'_>,
        texts: &'a ExpandedTexts,
        files: &'a dyn Files,
    ) -> SourceReader<'a> {
        let ignores_case = options.dialect.ignores_case_of_macros();
        SourceReader {
            parser: Parser::new(source, options),
            expansion: Expansion::new(source, texts, files, ignores_case),
        }
    }

    /// Records a statement's error, if any.
    pub(crate) fn collect(&mut self, result: Result<(), Fail>) {
        if let Err(mut error) = result {
            self.expansion.errors += 1;
            // The span of an expression may include the blanks before the next token.
            let content = self.parser.cursor.slice(error.span.clone()).trim_end();
            if !content.is_empty() {
                error.span.end = error.span.start + content.len();
            }
            self.parser.diagnostics.push(*error);
        }
    }

    /// Performs the jump requested by the last statement.
    pub(crate) fn jump(&mut self) {
        match self.expansion.jump.take() {
            Some(Jump::Enter(mut frame)) => {
                let parser = &mut self.parser;
                frame.resume = std::mem::replace(&mut parser.cursor, frame.begin.clone());
                std::mem::swap(&mut frame.mapping, &mut parser.mapping);
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
                self.parser.mapping = PositionMap::From(0);
                self.parser.cursor.set_pos(usize::MAX / 2);
            }
            None => {}
        }
    }

    /// Leaves all but the outermost `depth` expansions.
    pub(crate) fn leave_to(&mut self, depth: usize) {
        if let Some(frame) = self.expansion.frames.get(depth) {
            self.parser.cursor = frame.resume.clone();
            self.parser.mapping = frame.mapping.clone();
            self.expansion.conditions.truncate(frame.conditions);
        }
        self.expansion.frames.truncate(depth);
    }

    /// Leaves the innermost expansion.
    pub(crate) fn leave(&mut self) {
        if let Some(frame) = self.expansion.frames.pop() {
            self.expansion.conditions.truncate(frame.conditions);
            self.parser.cursor = frame.resume;
            self.parser.mapping = frame.mapping;
        }
    }

    /// Requests that the text at `begin` be read `rounds` times. `step` describes the expansion in diagnostics.
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
        let mapping = match (self.parser.mapping.clone(), step.text) {
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
}
