//! Origins of expanded text: the expansions that produced it, and maps from its positions to the source.

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

/// Location of the body that an expansion was generated from.
#[derive(Clone, Debug)]
pub(crate) enum TextOrigin {
    /// Body in a text that no longer exists.
    Unknown,
    /// Body at a position in the source.
    At(Range<usize>),
    /// Body in the text that contains the expansion.
    Around(Range<usize>),
}

/// One expansion, as described in diagnostics.
#[derive(Clone, Debug)]
pub(crate) struct ExpansionStep<'a> {
    pub what: ExpansionKind<'a>,
    /// Expanded text; `None` if the body is read in place, with positions in the enclosing text.
    pub text: Option<&'a str>,
    pub origin: TextOrigin,
    /// Span of the call in the text that contains it.
    pub call: Range<usize>,
    /// Current iteration number.
    pub iteration: u64,
}

/// Expansion record kept for diagnostics after the expansion ends.
#[derive(Clone, Debug)]
pub(crate) struct ExpansionNode<'a> {
    /// Index of the enclosing expansion's node.
    pub parent: Option<u32>,
    pub step: ExpansionStep<'a>,
}

/// Maps positions in the current text to positions in the source.
#[derive(Clone, Debug)]
pub(crate) enum PositionMap {
    /// File contents, starting at this source position.
    From(usize),
    /// Generated text, all mapped to the outermost call.
    Call(Range<usize>),
}

impl PositionMap {
    pub(crate) fn apply(&self, span: Range<usize>) -> Range<usize> {
        match self {
            PositionMap::From(start) => start + span.start..start + span.end,
            PositionMap::Call(call) => call.clone(),
        }
    }

    /// Origin of a macro or loop body in the current text.
    pub(crate) fn origin(&self, body: Range<usize>) -> TextOrigin {
        match self {
            PositionMap::Call(_) => TextOrigin::Around(body),
            PositionMap::From(_) => TextOrigin::At(self.apply(body)),
        }
    }
}

/// An included file; one entry per inclusion.
#[derive(Clone, Debug)]
pub(crate) struct IncludedFile<'a> {
    pub name: &'a str,
    pub text: &'a str,
    /// Position of the file's first byte.
    pub start: usize,
    /// Span of the `.include` directive.
    pub from: Range<usize>,
}

/// A fixup created inside an expansion. Its source location is looked up only if it fails.
pub(crate) struct DeferredFixup {
    pub fixup: usize,
    pub node: u32,
    pub span: Range<usize>,
}
