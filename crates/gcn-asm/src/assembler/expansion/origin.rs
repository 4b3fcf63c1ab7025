//! Origins of texts that are read: the expansions that made them, and the places that their positions mean.

use std::ops::Range;

/// The kind and name of an expansion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expanded<'a> {
    Macro(&'a str),
    Loop(&'static str),
    File(&'a str),
}

impl Expanded<'_> {
    pub(crate) fn text(self) -> String {
        match self {
            Expanded::Macro(name) => format!("macro `{name}`"),
            Expanded::Loop(name) => format!("`{name}`"),
            Expanded::File(name) => format!("`{}`", name.escape_debug()),
        }
    }
}

/// The origin of a body of text.
#[derive(Clone, Debug)]
pub(crate) enum TextOrigin {
    /// In a text that has gone.
    Unknown,
    /// A place.
    At(Range<usize>),
    /// In the text that the expansion is part of.
    Around(Range<usize>),
}

/// An expansion, as far as messages need it.
#[derive(Clone, Debug)]
pub(crate) struct ExpansionStep<'a> {
    pub what: Expanded<'a>,
    /// `None` if the expansion is read in place, so that positions are those of the text around it.
    pub text: Option<&'a str>,
    pub origin: TextOrigin,
    /// The call, in the text that the call is part of.
    pub call: Range<usize>,
    /// The number of this repetition.
    pub iteration: u64,
}

/// An expansion as messages need it after it has ended.
#[derive(Clone, Debug)]
pub(crate) struct ExpansionNode<'a> {
    /// The expansion that it is part of.
    pub parent: Option<u32>,
    pub step: ExpansionStep<'a>,
}

/// The map from positions in the text that is read to places.
#[derive(Clone, Debug)]
pub(crate) enum PositionMap {
    /// The text is a file whose places begin here.
    From(usize),
    /// The text was made; all of it is at the outermost call.
    Call(Range<usize>),
}

impl PositionMap {
    pub(crate) fn apply(&self, span: Range<usize>) -> Range<usize> {
        match self {
            PositionMap::From(start) => start + span.start..start + span.end,
            PositionMap::Call(call) => call.clone(),
        }
    }
}

/// A file that a source includes, each time that it does.
#[derive(Clone, Debug)]
pub(crate) struct Included<'a> {
    pub name: &'a str,
    pub text: &'a str,
    /// The place of its first byte.
    pub start: usize,
    /// The place of the directive.
    pub from: Range<usize>,
}

/// A field that waits and was made inside an expansion.
pub(crate) struct Deferred {
    pub fixup: usize,
    pub node: u32,
    pub span: Range<usize>,
}
