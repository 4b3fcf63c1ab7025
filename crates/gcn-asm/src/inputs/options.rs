//! Inputs of an assembly: source and options.

use gcn_isa::Target;

use crate::inputs::dialect::Dialect;
use crate::inputs::features::Features;

/// A text to assemble.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name in messages, usually a path.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Options of an assembly.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let defines = [("count".to_owned(), 3)];
/// let options = Options { defines: &defines, listing: false, ..Options::new(target) };
/// let assembly = assemble(&Source { name: "a.s", text: "s_nop count" }, &options);
/// assert_eq!(assembly.program.to_raw(), 0xbf80_0003_u32.to_le_bytes());
/// assert_eq!(assembly.program.listing().count(), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The GPU to assemble for. [`named_target`](crate::named_target) finds the one that a source asks for.
    pub target: &'static Target,
    /// Settings of its features; the source may add to them.
    pub features: Features,
    /// Symbols that are numbers before the source begins, as by `.set`.
    pub defines: &'a [(String, i64)],
    /// True if [`Program::listing`](crate::Program::listing) is wanted.
    pub listing: bool,
    /// Directory from which the names of sources start, for debug information with the line of each instruction; `None` to
    /// make none.
    pub debug: Option<&'a str>,
    /// Dialect to use where LLVM and CLRX conflict.
    pub dialect: Dialect,
}

impl Options<'_> {
    /// The usual way to assemble for a target.
    pub fn new(target: &'static Target) -> Self {
        Options {
            target,
            features: Features::unspecified(target),
            defines: &[],
            listing: true,
            debug: None,
            dialect: Dialect::default(),
        }
    }
}

/// A file that a source included; one for each time.
///
/// # Examples
/// ```
/// use gcn_asm::{File, Files, Options, Source, assemble_with};
/// struct Wrong;
/// impl Files for Wrong {
///     fn read(&self, name: &str, _: &str) -> Result<File, String> {
///         Ok(File { name: name.to_owned(), bytes: b"s_endpgn\n".to_vec() })
///     }
/// }
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: "s_nop 0\n.include \"end.s\"\n" };
/// let assembly = assemble_with(&source, &Options::new(target), &Wrong);
/// let (file, span) = (&assembly.files[0], assembly.diagnostics[0].span.clone());
/// assert!(source.text.len() < span.start, "it is behind the source");
/// assert_eq!(&file.text[span.start - file.start..span.end - file.start], "s_endpgn");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Name in messages.
    pub name: String,
    /// The contents.
    pub text: String,
    /// Position of its first byte in the spans of diagnostics.
    pub start: usize,
}
