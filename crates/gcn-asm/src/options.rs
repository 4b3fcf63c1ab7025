//! Inputs of an assembly: source and options.

use gcn_isa::Target;

use crate::dialect::Dialect;
use crate::features::Features;

/// A text to assemble.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// What messages call it, usually a path.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// How to assemble.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The GPU to assemble for. [`named_target`] finds the one that a source asks for.
    pub target: &'static Target,
    /// What is said of its features beside the source, which may say more.
    pub features: Features,
    /// Symbols that are numbers before the source begins, as by `.set`.
    pub defines: &'a [(String, i64)],
    /// Whether [`Program::listing`] is wanted.
    pub listing: bool,
    /// Whose meaning a text has where LLVM and CLRX differ.
    pub dialect: Dialect,
}

impl Options<'_> {
    /// The usual way to assemble for a target.
    pub fn new(target: &'static Target) -> Self {
        Options {
            target,
            features: Features::unsaid(target),
            defines: &[],
            listing: true,
            dialect: Dialect::default(),
        }
    }
}

/// A file that a source included; one for each time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// What messages call it.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// What positions in it count from in the spans of diagnostics.
    pub start: usize,
}
