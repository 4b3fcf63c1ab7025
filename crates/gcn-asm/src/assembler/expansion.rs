//! State of macros, loops, conditionals and included files.
//!
//! Each expansion is a [`Frame`] on an explicit stack, so nesting is bounded and does not use the native stack. Bodies of
//! loops without parameters, and of macros that use none of theirs, are read as they are; other bodies are expanded into
//! [`ExpandedTexts`], which live as long as the assembly. Positions in expanded text mean nothing to the user, so the
//! diagnostics of each statement are mapped back to the source ([`location`]).

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

/// Expansion budget in bytes, shared by all expansions; long sources get more ([`EXPANDED_PER_BYTE`]).
pub(crate) const MAX_EXPANDED: usize = 1 << 28;
/// Additional budget per byte of source: enough to start one expansion per eight bytes.
const EXPANDED_PER_BYTE: usize = ENTRY_COST / 8;
/// Cost of starting an expansion, in addition to its text: the number of bytes that could be read in the same time.
/// With this cost, the budget ends unbounded recursion within a second.
pub(crate) const ENTRY_COST: usize = 3072;
/// Cost of an iteration in addition to its text, in bytes.
pub(crate) const REPEAT_COST: usize = 128;
/// Maximum size of one macro expansion in bytes; catches values that grow with every call.
pub(crate) const MAX_CALL: usize = 1 << 24;

/// Maximum length in bytes of macro names that are matched case-insensitively.
pub(crate) const MACRO_NAME: usize = 128;
/// Number of recently included files compared with a new one, so that identical text is stored once.
const MAX_COMPARED: usize = 16;

/// Append-only list of expanded texts with stable addresses.
#[derive(Default)]
pub(crate) struct ExpandedTexts {
    pub text: String,
    pub next: OnceCell<Box<ExpandedTexts>>,
}

impl Drop for ExpandedTexts {
    /// Drops the list iteratively, to avoid deep recursion.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut texts) = next {
            next = texts.next.take();
        }
    }
}

/// An active expansion on the stack.
pub(crate) struct Frame<'a> {
    pub step: ExpansionStep<'a>,
    /// Position map of this text; swapped with the enclosing text's map while this text is read.
    pub mapping: PositionMap,
    /// Position at which reading continues after the expansion.
    pub resume: Cursor<'a>,
    /// Start of the loop statement, if its condition is evaluated before each iteration.
    pub again: Option<Cursor<'a>>,
    /// Position at which each iteration starts.
    pub begin: Cursor<'a>,
    /// Number of iterations left.
    pub remaining: u64,
    /// Error count at the start of the expansion.
    pub errors: usize,
    /// Number of conditionals open when the expansion began.
    pub conditions: usize,
    pub node: Option<u32>,
}

/// Switch to another text, performed after the current statement.
pub(crate) enum Jump<'a> {
    Enter(Box<Frame<'a>>),
    Leave,
    /// Leaves all expansions after an error that would otherwise repeat.
    Abort,
    /// Returns to the file that started the outermost macro or loop, after too many errors.
    AbortToFile,
    /// Ends the source (`.end`).
    Stop,
}

/// State shared by all expansions.
pub(crate) struct Expansion<'a> {
    pub macros: HashMap<&'a str, Rc<Macro<'a>>>,
    pub frames: Vec<Frame<'a>>,
    pub conditions: Vec<OpenCondition>,
    pub jump: Option<Jump<'a>>,
    pub nodes: Vec<ExpansionNode<'a>>,
    pub deferred: Vec<DeferredFixup>,
    pub last: &'a ExpandedTexts,
    pub reader: &'a dyn Files,
    /// Source position at which [`Files::passed`] is called next.
    pub next_pass: usize,
    pub source: &'a str,
    pub source_text: &'a str,
    /// Included files in order of inclusion, and therefore of start position.
    pub files: Vec<IncludedFile<'a>>,
    /// True if `.altmacro` is active.
    pub is_alternate: bool,
    /// True if macro names are case-insensitive.
    pub ignores_case: bool,
    /// Loop iteration that the next statement starts.
    pub next_iteration: Option<NextIteration>,
    /// Remaining expansion budget in bytes.
    pub budget: usize,
    /// Number of macro calls so far, for `\@`.
    pub calls: u64,
    /// Number of names generated for `LOCAL` so far, to make each unique.
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

    /// Number of conditionals opened outside the current expansion.
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

    /// Makes reading continue at `again` after the pending expansion, rather than after the current statement.
    pub(crate) fn repeat_from(&mut self, again: Cursor<'a>) {
        if let Some(Jump::Enter(frame)) = &mut self.jump {
            frame.again = Some(again);
        }
    }

    /// Deducts bytes from the expansion budget. If too few are left, requests [`Jump::Abort`] and fails.
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

    /// Stores a file's name and text, or returns the stored copy if the same file was included recently.
    pub(crate) fn intern_file(&mut self, name: String, text: String) -> (&'a str, &'a str) {
        let mut recent = self.files.iter().rev().take(MAX_COMPARED);
        let known = recent.find(|file| file.name == name && file.text == text);
        match known {
            Some(file) => (file.name, file.text),
            None => (self.keep(name), self.keep(text)),
        }
    }

    /// Key for a macro name in the macro table.
    pub(crate) fn macro_key<'n>(&self, name: &'n str, buffer: &'n mut [u8; MACRO_NAME]) -> &'n str {
        match self.ignores_case {
            true => lower_case(name, buffer).unwrap_or(name),
            false => name,
        }
    }

    /// Name of the file being read.
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
    /// Takes the rest of the call's arguments.
    Rest,
}

#[derive(Debug)]
pub(crate) struct MacroParameter<'a> {
    pub name: &'a str,
    pub default: &'a str,
    pub kind: ParameterKind,
}

/// A macro definition.
#[derive(Debug)]
pub(crate) struct Macro<'a> {
    pub name: &'a str,
    pub parameters: Vec<MacroParameter<'a>>,
    pub body: &'a str,
    pub origin: TextOrigin,
    /// Number of calls so far, for `\+`.
    pub calls: Cell<u64>,
    /// True if the body can be read without substitution.
    pub is_plain: bool,
}

/// An open conditional.
pub(crate) struct OpenCondition {
    pub span: Range<usize>,
    /// True if a branch was already assembled.
    pub is_taken: bool,
    pub has_else: bool,
}

/// Next iteration of a loop whose statement is read again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NextIteration {
    /// Position of the loop statement.
    pub at: usize,
    /// One-based number of the iteration.
    pub round: u64,
}

/// Minimum number of bytes between calls to [`Files::passed`].
const PASSED_EVERY: usize = 1 << 18;

impl Expansion<'_> {
    /// Reports progress through the source to [`Files::passed`] at intervals. `position` must not be inside an
    /// expansion.
    #[inline]
    pub(crate) fn report_progress(&mut self, position: usize) {
        if position >= self.next_pass {
            self.next_pass = position.saturating_add(PASSED_EVERY);
            self.reader.passed(position);
        }
    }

    /// Start position for the next included file, after all text read so far.
    pub(crate) fn next_place(&self) -> usize {
        match self.files.last() {
            Some(file) => file.start + file.text.len() + 1,
            None => self.source_text.len() + 1,
        }
    }

    /// Included files that diagnostics or their notes point into.
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
