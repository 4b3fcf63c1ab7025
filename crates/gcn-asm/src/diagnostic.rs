//! What the assembler has to say about a source: values, collected. Rendering them is for who prints.

use std::ops::Range;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Additional information.
    Note,
    /// The program was made, and is probably not what was meant.
    Warning,
    /// The program is incomplete.
    Error,
}

/// A place that a message came by: an expansion that it is about, from the innermost outwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// What was expanded.
    pub message: String,
    /// The call: a place as that of a [`Diagnostic`].
    pub span: Range<usize>,
}

/// A message about a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// Where: a byte range on character boundaries. It counts through the source and, behind its end, through the
    /// files that it includes ([`Assembly::files`](crate::Assembly::files)).
    pub span: Range<usize>,
    /// What to write beside the marked place; may be empty.
    pub label: String,
    /// What would be right.
    pub help: Vec<String>,
    /// The macros, loops and files that it is inside of, innermost first; `span` is in the
    /// body of the innermost, as it was written.
    pub notes: Vec<Note>,
}

impl Diagnostic {
    fn new(severity: Severity, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            message: message.into(),
            span,
            label: String::new(),
            help: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// An error.
    pub fn error(span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, span, message)
    }

    /// A warning.
    pub fn warning(span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, span, message)
    }

    /// Information that is neither.
    pub fn note(span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, span, message)
    }

    /// With something written beside the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// With one more line of help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(help.into());
        self
    }
}

/// An error on its way to the list; boxed, because it is rare and large.
pub(crate) type Fail = Box<Diagnostic>;

/// An error as a [`Fail`].
pub(crate) fn fail(span: Range<usize>, message: impl Into<String>) -> Fail {
    Box::new(Diagnostic::error(span, message))
}

/// Adds help to a [`Fail`].
pub(crate) trait Helped {
    /// With one more line of help.
    fn helped(self, help: impl Into<String>) -> Self;
}

impl Helped for Fail {
    fn helped(self, help: impl Into<String>) -> Fail {
        Box::new((*self).help(help))
    }
}
