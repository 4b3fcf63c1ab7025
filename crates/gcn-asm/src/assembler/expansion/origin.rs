//! Origins of expanded text: the expansions that produced it, and the mapping of its positions to the source.

use std::ops::Range;

/// Kind and name of an expansion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExpansionKind<'a> {
    Macro(&'a str),
    Loop(&'static str),
    File(&'a str),
}

impl ExpansionKind<'_> {
    pub(crate) fn text(self) -> String {
        match self {
            ExpansionKind::Macro(name) => format!("macro `{name}`"),
            ExpansionKind::Loop(name) => format!("`{name}`"),
            ExpansionKind::File(name) => format!("`{}`", name.escape_debug()),
        }
    }
}

/// Origin of a body of text.
#[derive(Clone, Debug)]
pub(crate) enum TextOrigin {
    /// In a text that no longer exists.
    Unknown,
    /// A place.
    At(Range<usize>),
    /// In the text that contains the expansion.
    Around(Range<usize>),
}

/// Description of an expansion for diagnostics.
#[derive(Clone, Debug)]
pub(crate) struct ExpansionStep<'a> {
    pub what: ExpansionKind<'a>,
    /// Expanded text; `None` if the body is read in place, so that positions refer to the enclosing text.
    pub text: Option<&'a str>,
    pub origin: TextOrigin,
    /// The call, as a range of the text that contains it.
    pub call: Range<usize>,
    /// Number of the current iteration.
    pub iteration: u64,
}

/// Record of an expansion that outlives it, for diagnostics.
#[derive(Clone, Debug)]
pub(crate) struct ExpansionNode<'a> {
    /// The enclosing expansion.
    pub parent: Option<u32>,
    pub step: ExpansionStep<'a>,
}

/// Mapping from positions in the current text to positions in the source.
#[derive(Clone, Debug)]
pub(crate) enum PositionMap {
    /// File contents that start at this position.
    From(usize),
    /// Generated text; all of it maps to the outermost call.
    Call(Range<usize>),
}

impl PositionMap {
    pub(crate) fn apply(&self, span: Range<usize>) -> Range<usize> {
        match self {
            PositionMap::From(start) => start + span.start..start + span.end,
            PositionMap::Call(call) => call.clone(),
        }
    }

    /// Origin of a body in the text.
    pub(crate) fn origin(&self, body: Range<usize>) -> TextOrigin {
        match self {
            PositionMap::Call(_) => TextOrigin::Around(body),
            PositionMap::From(_) => TextOrigin::At(self.apply(body)),
        }
    }
}

/// One inclusion of a file.
#[derive(Clone, Debug)]
pub(crate) struct IncludedFile<'a> {
    pub name: &'a str,
    pub text: &'a str,
    /// Position of the first byte.
    pub start: usize,
    /// Span of the directive.
    pub from: Range<usize>,
}

/// A fixup created inside an expansion.
pub(crate) struct DeferredFixup {
    pub fixup: usize,
    pub node: u32,
    pub span: Range<usize>,
}
