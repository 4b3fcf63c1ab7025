//! Diagnostics for a source. The caller renders them.

use std::fmt;
use std::ops::Range;

use crate::ids::Explanation;

/// Severity of a diagnostic.
///
/// # Examples
/// ```
/// use gcn_asm::Severity;
/// assert!(Severity::Note < Severity::Warning && Severity::Warning < Severity::Error);
/// assert_eq!(Severity::Warning.to_string(), "warning");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Additional information.
    Note,
    /// The source assembles, but probably not as intended.
    Warning,
    /// The source is invalid, and the program is incomplete.
    Error,
}

/// A macro call, loop or file inclusion that encloses a diagnostic.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: ".macro pause\ns_noop 0\n.endm\npause\n" };
/// let found = assemble(&source, &Options::new(target)).diagnostics.remove(0);
/// assert_eq!(&source.text[found.span.clone()], "s_noop", "in the macro's body");
/// let note = &found.notes[0];
/// assert_eq!((note.message.as_str(), &source.text[note.span.clone()]), ("in macro `pause`, called here", "pause"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Message, which names the macro, loop or file.
    pub message: String,
    /// Span of the call or `.include`; positions are as in [`Diagnostic::span`].
    pub span: Range<usize>,
}

/// A diagnostic for a location in the source.
///
/// ```
/// use gcn_asm::{Options, Source, assemble};
///
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: "v_ad_f32 v0, v1, v2" };
/// let found = &assemble(&source, &Options::new(target)).diagnostics[0];
/// assert_eq!(found.name(), "unknown-opcode");
/// assert_eq!(&source.text[found.span.clone()], "v_ad_f32");
/// assert_eq!(found.to_string(), "error[unknown-opcode]: unknown instruction `v_ad_f32`");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Severity; an error means that the program is incomplete.
    pub severity: Severity,
    /// Kind of diagnostic, with its stable name.
    pub id: &'static Explanation,
    /// Message on one line.
    pub message: String,
    /// Byte range on character boundaries. Positions past the end of the source are in included files
    /// ([`Assembly::files`](crate::Assembly::files)).
    pub span: Range<usize>,
    /// Text shown next to the marked range; may be empty.
    pub label: String,
    /// Advice on fixing the problem, one item per entry.
    pub help: Vec<String>,
    /// Enclosing macros, loops and files, innermost first; `span` points into the body of the innermost one.
    pub notes: Vec<Note>,
}

impl Diagnostic {
    #[cold]
    fn new(
        severity: Severity,
        id: &'static Explanation,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            severity,
            id,
            message: message.into(),
            span,
            label: String::new(),
            help: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Creates an error.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Diagnostic, Severity, explain};
    /// let id = explain("offset-range").expect("the name of a diagnostic");
    /// let error = Diagnostic::error(id, 3..7, "offset 70000 is too large").label("here").help("at most 65535");
    /// assert_eq!((error.severity, error.span.clone(), error.label.as_str()), (Severity::Error, 3..7, "here"));
    /// assert_eq!(error.to_string(), "error[offset-range]: offset 70000 is too large");
    /// ```
    pub fn error(
        id: &'static Explanation,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(Severity::Error, id, span, message)
    }

    /// Creates a warning.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{Diagnostic, explain};
    /// let id = explain("user-warning").expect("the name of a diagnostic");
    /// let warning = Diagnostic::warning(id, 0..8, "not for gfx803");
    /// assert_eq!((warning.to_string().as_str(), warning.name()), ("warning[user-warning]: not for gfx803", "user-warning"));
    /// ```
    pub fn warning(
        id: &'static Explanation,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(Severity::Warning, id, span, message)
    }

    /// Creates a note.
    pub fn note(
        id: &'static Explanation,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(Severity::Note, id, span, message)
    }

    /// Stable name of the diagnostic kind, for example `offset-range`.
    pub fn name(&self) -> &'static str {
        self.id.name
    }

    /// Sets the text shown next to the marked range.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds a line of help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(help.into());
        self
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Writes severity, name and message on one line, without the location.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.id.name;
        write!(f, "{}[{name}]: {}", self.severity, self.message)
    }
}

/// An error not yet recorded. Boxed, because errors are rare and large.
pub(crate) type Fail = Box<Diagnostic>;

/// Creates an error.
#[cold]
pub(crate) fn fail(
    id: &'static Explanation,
    span: Range<usize>,
    message: impl Into<String>,
) -> Fail {
    Box::new(Diagnostic::error(id, span, message))
}

/// Adds help to a [`Fail`].
pub(crate) trait WithHelp {
    fn with_help(self, help: impl Into<String>) -> Self;
}

impl WithHelp for Fail {
    #[cold]
    fn with_help(self, help: impl Into<String>) -> Fail {
        Box::new((*self).help(help))
    }
}
