//! State of macros, loops, conditionals and included files.
//!
//! Each expansion is a [`Frame`] on an explicit stack, so that nesting uses no native stack and is bounded. Loops
//! without parameters and macros that reference none are read in place repeatedly; other bodies are substituted into
//! [`ExpandedTexts`], which live as long as the assembly. Positions in expanded text are meaningless to the user:
//! after each statement, its diagnostics are mapped back to the source ([`location`]).

pub(crate) mod origin;
pub(crate) mod location;

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::argument::lower_case;
use crate::cursor::Cursor;
use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::ids;
use crate::inputs::files::Files;
use crate::inputs::options::{Source, SourceFile};
use origin::{
    DeferredFixup, ExpansionKind, ExpansionNode, ExpansionStep, IncludedFile, PositionMap,
    TextOrigin,
};

/// Maximum number of bytes that all expansions together may read; larger for long sources ([`EXPANDED_PER_BYTE`]).
pub(crate) const MAX_EXPANDED: usize = 1 << 28;
/// Additional limit per byte of the source, so that every call written out in the source can be expanded.
const EXPANDED_PER_BYTE: usize = ENTRY_COST / 8;
/// Cost of an expansion in addition to its text, in bytes of text that take about as long to read. Unbounded growth
/// is rejected within a second.
pub(crate) const ENTRY_COST: usize = 3072;
/// Cost of an iteration in addition to its text.
pub(crate) const REPEAT_COST: usize = 128;
/// Maximum size of a single macro expansion in bytes, so that a value that grows with every call is rejected early.
pub(crate) const MAX_CALL: usize = 1 << 24;

/// Maximum length in bytes of macro names that are matched case-insensitively.
pub(crate) const MACRO_NAME: usize = 128;
/// Number of recent files compared with a newly included one, to store the same text only once.
const MAX_COMPARED: usize = 16;

/// Append-only list of expanded texts; each has a stable address.
#[derive(Default)]
pub(crate) struct ExpandedTexts {
    pub text: String,
    pub next: OnceCell<Box<ExpandedTexts>>,
}

impl Drop for ExpandedTexts {
    /// Drops iteratively, because the list may be long.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut texts) = next {
            next = texts.next.take();
        }
    }
}

/// An active expansion.
pub(crate) struct Frame<'a> {
    pub step: ExpansionStep<'a>,
    /// Mapping of the text; once it is being read, the mapping of the text after the call.
    pub mapping: PositionMap,
    /// Position after the call, where reading continues.
    pub resume: Cursor<'a>,
    /// Start of the loop statement, if its condition is evaluated before each iteration.
    pub again: Option<Cursor<'a>>,
    /// Start of each iteration.
    pub begin: Cursor<'a>,
    /// Remaining iterations.
    pub remaining: u64,
    /// Error count when this iteration began.
    pub errors: usize,
    /// Number of enclosing open conditionals.
    pub conditions: usize,
    pub node: Option<u32>,
}

/// A change of the text to read, performed after the current statement.
pub(crate) enum Jump<'a> {
    Enter(Box<Frame<'a>>),
    Leave,
    /// Leaves all expansions, after an error that would only repeat.
    Abort,
    /// Leaves macros and loops, but not the enclosing file, after too many errors.
    AbortToFile,
    /// `.end`
    Stop,
}

/// State of all expansions.
pub(crate) struct Expansion<'a> {
    pub macros: HashMap<&'a str, Rc<Macro<'a>>>,
    pub frames: Vec<Frame<'a>>,
    pub conditions: Vec<OpenCondition>,
    pub jump: Option<Jump<'a>>,
    pub nodes: Vec<ExpansionNode<'a>>,
    pub deferred: Vec<DeferredFixup>,
    pub last: &'a ExpandedTexts,
    pub reader: &'a dyn Files,
    /// Position at which [`Files::passed`] is called next.
    pub next_pass: usize,
    pub source: &'a str,
    pub source_text: &'a str,
    /// In the order of inclusion, so sorted by start position.
    pub files: Vec<IncludedFile<'a>>,
    /// True if `.altmacro` is active.
    pub is_alternate: bool,
    /// True if macro names are case-insensitive.
    pub ignores_case: bool,
    /// The loop that the next statement continues.
    pub next_iteration: Option<NextIteration>,
    /// Number of bytes that expansions may still read.
    pub budget: usize,
    /// Number of macro calls so far, for `\@`.
    pub calls: u64,
    /// Number of names generated for `LOCAL` so far.
    pub locals: u64,
    /// Number of errors so far; `inner_errors` counts those inside expansions.
    pub errors: usize,
    pub inner_errors: usize,
    pub inner_warnings: usize,
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(
        source: &Source<'a>,
        texts: &'a ExpandedTexts,
        reader: &'a dyn Files,
        ignores_case: bool,
    ) -> Expansion<'a> {
        Expansion {
            macros: HashMap::new(),
            frames: Vec::new(),
            conditions: Vec::new(),
            jump: None,
            nodes: Vec::new(),
            deferred: Vec::new(),
            last: texts,
            reader,
            next_pass: 0,
            source: source.name,
            source_text: source.text,
            files: Vec::new(),
            is_alternate: false,
            ignores_case,
            next_iteration: None,
            budget: MAX_EXPANDED
                .saturating_add(source.text.len().saturating_mul(EXPANDED_PER_BYTE)),
            calls: 0,
            locals: 0,
            errors: 0,
            inner_errors: 0,
            inner_warnings: 0,
        }
    }

    pub(crate) fn is_inside(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Number of open conditionals that enclose the current text.
    pub(crate) fn outer_conditions(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.conditions)
    }

    pub(crate) fn wants_jump(&self) -> bool {
        self.jump.is_some()
    }

    pub(crate) fn has_macros(&self) -> bool {
        !self.macros.is_empty()
    }

    pub(crate) fn keep(&mut self, text: String) -> &'a str {
        let next = ExpandedTexts {
            text,
            next: OnceCell::new(),
        };
        self.last = self.last.next.get_or_init(|| Box::new(next));
        &self.last.text
    }

    /// Makes the requested expansion continue at `again`, instead of after the current statement.
    pub(crate) fn repeat_from(&mut self, again: Cursor<'a>) {
        if let Some(Jump::Enter(frame)) = &mut self.jump {
            frame.again = Some(again);
        }
    }

    /// Charges bytes to the expansion budget. If it is exhausted, all expansions end.
    pub(crate) fn charge(&mut self, bytes: usize, span: &Range<usize>) -> Result<(), Fail> {
        match self.budget.checked_sub(bytes) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => {
                self.jump = Some(Jump::Abort);
                let message = "macros, loops and included files expand to too much text";
                Err(fail(&ids::EXPANSION_LIMIT, span.clone(), message)
                .with_help(format!(
                    "at most {} MiB are possible, more in a long source; a call counts as {} KiB, a repetition as {} bytes",
                    MAX_EXPANDED >> 20,
                    ENTRY_COST >> 10,
                    REPEAT_COST
                )))
            }
        }
    }

    /// Stores a file's name and text, or returns the stored ones if the file was included recently.
    pub(crate) fn intern_file(&mut self, name: String, text: String) -> (&'a str, &'a str) {
        let mut recent = self.files.iter().rev().take(MAX_COMPARED);
        let known = recent.find(|file| file.name == name && file.text == text);
        match known {
            Some(file) => (file.name, file.text),
            None => (self.keep(name), self.keep(text)),
        }
    }

    /// Key of a macro name in the table of macros.
    pub(crate) fn macro_key<'n>(&self, name: &'n str, buffer: &'n mut [u8; MACRO_NAME]) -> &'n str {
        match self.ignores_case {
            true => lower_case(name, buffer).unwrap_or(name),
            false => name,
        }
    }

    /// Name of the current file.
    pub(crate) fn file(&self) -> &'a str {
        self.frames
            .iter()
            .rev()
            .find_map(|frame| match frame.step.what {
                ExpansionKind::File(name) => Some(name),
                _ => None,
            })
            .unwrap_or(self.source)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ParameterKind {
    Optional,
    Required,
    /// Takes the rest of the line.
    Rest,
}

#[derive(Debug)]
pub(crate) struct MacroParameter<'a> {
    pub name: &'a str,
    pub default: &'a str,
    pub kind: ParameterKind,
}

/// A macro.
#[derive(Debug)]
pub(crate) struct Macro<'a> {
    pub name: &'a str,
    pub parameters: Vec<MacroParameter<'a>>,
    pub body: &'a str,
    pub origin: TextOrigin,
    /// Number of calls so far, for `\+`.
    pub calls: Cell<u64>,
    /// True if the body needs no substitution.
    pub is_plain: bool,
}

/// An open `.if`.
pub(crate) struct OpenCondition {
    pub span: Range<usize>,
    /// True if one of its branches was assembled.
    pub is_taken: bool,
    pub has_else: bool,
}

/// A loop statement that is read again for its next iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NextIteration {
    /// Position of the statement.
    pub at: usize,
    /// Number of the next iteration.
    pub round: u64,
}

/// Interval of calls of [`Files::passed`], in bytes.
const PASSED_EVERY: usize = 1 << 18;

impl Expansion<'_> {
    /// Reports progress through the source to the caller, at intervals. Not for positions inside expansions.
    #[inline]
    pub(crate) fn report_progress(&mut self, position: usize) {
        if position >= self.next_pass {
            self.next_pass = position.saturating_add(PASSED_EVERY);
            self.reader.passed(position);
        }
    }

    /// First position after everything read so far.
    pub(crate) fn next_place(&self) -> usize {
        match self.files.last() {
            Some(file) => file.start + file.text.len() + 1,
            None => self.source_text.len() + 1,
        }
    }

    /// Included files that diagnostics refer to, and the files that include them.
    pub(crate) fn named_files(&self, diagnostics: &[Diagnostic]) -> Vec<SourceFile> {
        let mut is_named = vec![false; self.files.len()];
        let spans = diagnostics.iter().flat_map(|diagnostic| {
            std::iter::once(&diagnostic.span).chain(diagnostic.notes.iter().map(|note| &note.span))
        });
        for span in spans {
            let count = self.files.partition_point(|file| file.start <= span.start);
            if let Some(named) = count.checked_sub(1).and_then(|i| is_named.get_mut(i)) {
                *named = true;
            }
        }
        self.files
            .iter()
            .zip(is_named)
            .filter(|(_, is_named)| *is_named)
            .map(|(file, _)| SourceFile {
                name: file.name.to_owned(),
                text: file.text.to_owned(),
                start: file.start,
            })
            .collect()
    }
}
