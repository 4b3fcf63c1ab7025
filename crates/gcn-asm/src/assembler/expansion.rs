//! State of macros, loops, conditions and included files.
//!
//! Every expansion is a [`Frame`] on a stack, so that depth costs no native stack and is bounded by a number.
//! A loop without parameters and a macro that names none are read in place, again and again; other bodies are
//! substituted into [`ExpandedTexts`] that live as long as the assembly. Positions inside such a text are of no use in
//! messages: after each statement, its findings are moved to their places ([`place`]).

pub(crate) mod origin;
pub(crate) mod place;

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::cursor::Cursor;
use crate::diagnostic::Diagnostic;
use crate::inputs::files::Files;
use crate::inputs::options::{Source, SourceFile};
use origin::{Deferred, Expanded, ExpansionNode, ExpansionStep, Included, PositionMap, TextOrigin};

/// Bytes that all expansions together may read, and more in a long source ([`EXPANDED_PER_BYTE`]).
pub(crate) const MAX_EXPANDED: usize = 1 << 28;
/// Bytes for each byte of the source: so all the calls that a source writes can be made.
const EXPANDED_PER_BYTE: usize = ENTRY_COST / 8;
/// Cost of an expansion besides its text: the bytes of a text that are read in the same time, about. What grows without
/// end is refused within a second.
pub(crate) const ENTRY_COST: usize = 3072;
/// Cost of a repetition besides its text.
pub(crate) const REPEAT_COST: usize = 128;
/// Bytes of one call of a macro: a value that grows with every call is found before it has cost seconds.
pub(crate) const MAX_CALL: usize = 1 << 24;

/// Texts that were made, each of which stays where it is: a list that only grows.
#[derive(Default)]
pub(crate) struct ExpandedTexts {
    pub text: String,
    pub next: OnceCell<Box<ExpandedTexts>>,
}

impl Drop for ExpandedTexts {
    /// Without recursion, for the list is long.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut texts) = next {
            next = texts.next.take();
        }
    }
}

/// An expansion that is being read.
pub(crate) struct Frame<'a> {
    pub step: ExpansionStep<'a>,
    pub mapping: PositionMap,
    /// The statement after the call.
    pub resume: Cursor<'a>,
    /// The beginning of a loop that asks before each round.
    pub again: Option<Cursor<'a>>,
    /// Beginning of each repetition.
    pub begin: Cursor<'a>,
    /// Repetitions to come.
    pub remaining: u64,
    /// Errors when this repetition began.
    pub errors: usize,
    /// Conditions that are open outside.
    pub conditions: usize,
    pub node: Option<u32>,
}

/// A change of the text that is read, carried out behind the current statement.
pub(crate) enum Jump<'a> {
    Enter(Box<Frame<'a>>),
    Leave,
    /// Out of all expansions, after an error that would only repeat itself.
    Abort,
    /// Out of macros and loops, but not of the file that they are in, after too many errors.
    AbortToFile,
    /// `.end`
    Stop,
}

/// The state of expanding.
pub(crate) struct Expansion<'a> {
    pub macros: HashMap<&'a str, Rc<Macro<'a>>>,
    pub frames: Vec<Frame<'a>>,
    pub conditions: Vec<OpenCondition>,
    pub jump: Option<Jump<'a>>,
    pub nodes: Vec<ExpansionNode<'a>>,
    pub deferred: Vec<Deferred>,
    pub last: &'a ExpandedTexts,
    pub reader: &'a dyn Files,
    /// Position at which [`Files::passed`] is called next.
    pub next_pass: usize,
    pub source: &'a str,
    pub source_text: &'a str,
    /// In the order of inclusion, so of their places.
    pub files: Vec<Included<'a>>,
    /// True if `.altmacro` is in force.
    pub is_alternate: bool,
    /// True if macros are called in any case.
    pub ignores_case: bool,
    /// The loop that the next statement goes on with.
    pub resumed: Option<Resumed>,
    /// Bytes that may still be read.
    pub budget: usize,
    /// Macros called so far, for `\@`.
    pub calls: u64,
    /// Names made for `LOCAL` so far.
    pub locals: u64,
    /// Errors so far, in all and inside expansions.
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
            resumed: None,
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

    /// The name of the file that is read.
    pub(crate) fn file(&self) -> &'a str {
        self.frames
            .iter()
            .rev()
            .find_map(|frame| match frame.step.what {
                Expanded::File(name) => Some(name),
                _ => None,
            })
            .unwrap_or(self.source)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    Optional,
    Required,
    /// Takes the rest of the line.
    Rest,
}

#[derive(Debug)]
pub(crate) struct MacroParameter<'a> {
    pub name: &'a str,
    pub default: &'a str,
    pub need: Need,
}

/// A macro.
#[derive(Debug)]
pub(crate) struct Macro<'a> {
    pub name: &'a str,
    pub parameters: Vec<MacroParameter<'a>>,
    pub body: &'a str,
    pub origin: TextOrigin,
    /// Calls so far, for `\+`.
    pub calls: Cell<u64>,
    /// True if nothing is to be substituted.
    pub is_plain: bool,
}

/// An `.if` that has not ended.
pub(crate) struct OpenCondition {
    pub span: Range<usize>,
    /// True if one of its branches was read.
    pub is_taken: bool,
    pub has_else: bool,
}

/// A loop whose beginning is about to be read again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Resumed {
    /// Position of its beginning.
    pub at: usize,
    /// The number of the round to come.
    pub round: u64,
}

/// Bytes between two calls of [`Files::passed`].
const PASSED_EVERY: usize = 1 << 18;

impl Expansion<'_> {
    /// Tells the reader how far the source has been read, now and then. Not for positions inside expansions.
    #[inline]
    pub(crate) fn pass(&mut self, position: usize) {
        if position >= self.next_pass {
            self.next_pass = position.saturating_add(PASSED_EVERY);
            self.reader.passed(position);
        }
    }

    /// The place behind everything that was read so far.
    pub(crate) fn next_place(&self) -> usize {
        match self.files.last() {
            Some(file) => file.start + file.text.len() + 1,
            None => self.source_text.len() + 1,
        }
    }

    /// The included files that diagnostics name, and those that include them.
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
