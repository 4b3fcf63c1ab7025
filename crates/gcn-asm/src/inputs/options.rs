//! Assembler source and options.

use std::ops::Range;

use gcn_isa::Target;

use crate::inputs::dialect::Dialect;
use crate::inputs::features::Features;

/// Source text to assemble.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name for messages, usually a path.
    pub name: &'a str,
    /// Source text.
    pub text: &'a str,
}

/// Assembler options.
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
    /// Target GPU. [`named_target`](crate::named_target) finds the target that a source names.
    pub target: &'static Target,
    /// Target feature settings; the source may specify more.
    pub features: Features,
    /// Symbols predefined as numbers, as by `.set`.
    pub defines: &'a [(String, i64)],
    /// Records instructions for [`Program::listing`](crate::Program::listing).
    pub listing: bool,
    /// Base directory for source names in debug information, which maps instructions to source lines; `None` omits debug
    /// information.
    pub debug: Option<&'a str>,
    /// Embeds the source text in debug information, for sources that are not files.
    pub embed_sources: bool,
    /// Dialect that applies where LLVM and CLRX conflict.
    pub dialect: Dialect,
}

impl Options<'_> {
    /// Default options for a target.
    pub fn new(target: &'static Target) -> Self {
        Options {
            target,
            features: Features::unspecified(target),
            defines: &[],
            listing: true,
            debug: None,
            embed_sources: false,
            dialect: Dialect::default(),
        }
    }
}

/// Text of an included file; one entry per inclusion.
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
/// assert!(source.text.len() < span.start, "the span is after the source");
/// assert_eq!(&file.text[span.start - file.start..span.end - file.start], "s_endpgn");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Name for messages.
    pub name: String,
    /// File contents.
    pub text: String,
    /// Position of the file's first byte in diagnostic spans.
    pub start: usize,
}

/// An inclusion of a file. The text occupies positions after the main source.
///
/// # Examples
/// ```
/// use gcn_asm::{File, Files, Options, Source, assemble_with};
/// struct Ends;
/// impl Files for Ends {
///     fn read(&self, name: &str, _: &str) -> Result<File, String> {
///         Ok(File { name: format!("lib/{name}"), bytes: b"s_endpgm\n".to_vec() })
///     }
/// }
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: "s_nop 0\n.include \"end.s\"\n" };
/// let assembly = assemble_with(&source, &Options::new(target), &Ends);
/// let inclusion = &assembly.inclusions[0];
/// assert_eq!((inclusion.name.as_str(), &source.text[inclusion.from.clone()]), ("lib/end.s", ".include \"end.s\""));
/// let last = assembly.program.listing().last().expect("an instruction");
/// assert_eq!(last.span.start, inclusion.start, "the file's first statement");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inclusion {
    /// File name as returned by [`Files`](crate::Files).
    pub name: String,
    /// Position of the file's first byte in spans.
    pub start: usize,
    /// Span of the `.include` directive, which may be in another included file.
    pub from: Range<usize>,
}

/// Parses a symbol definition from a command line: `NAME` or `NAME=VALUE`, with a number as in sources (`010` is octal).
/// The value defaults to 1.
///
/// # Errors
/// Returns a message that states why the definition is invalid.
///
/// # Examples
/// ```
/// assert_eq!(gcn_asm::definition("size=-0x10"), Ok(("size".to_owned(), -16)));
/// assert_eq!(gcn_asm::definition("fast"), Ok(("fast".to_owned(), 1)));
/// assert!(gcn_asm::definition("1st=1").is_err());
/// assert!(gcn_asm::definition("size=--5").is_err());
/// assert_eq!(gcn_asm::definition("mode=010"), Ok(("mode".to_owned(), 8)));
/// ```
pub fn definition(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || !name.chars().all(is_name)
    {
        return Err(format!("`{name}` is not the name of a symbol"));
    }
    let (sign, digits) = match value.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, value),
    };
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (digits, 8),
        _ => (digits, 10),
    };
    match u64::from_str_radix(digits, radix) {
        // `from_str_radix` accepts a plus sign, but this syntax does not.
        Ok(number) if !digits.starts_with('+') => {
            Ok((name.to_owned(), number.cast_signed().wrapping_mul(sign)))
        }
        _ => Err(format!("`{value}` is not a number of 64 bits")),
    }
}
