//! Assembler state, in two parts: the source reader, which reads statements and names, and the output, which becomes
//! the program.
//!
//! Each instruction's length is fixed when it is read, so offsets are final and one pass suffices.

pub(crate) mod layout;
pub(crate) mod names;
pub(crate) mod output;
pub(crate) mod expansion;
pub(crate) mod lines;
pub(crate) mod parser;
pub(crate) mod reader;

use crate::inputs::files::Files;
use crate::inputs::options::{Options, Source};
use expansion::ExpandedTexts;
use output::Output;
use reader::SourceReader;

/// An assembly in progress: the reader and the output.
pub(crate) struct Assembler<'a> {
    pub reader: SourceReader<'a>,
    pub output: Output,
}

impl<'a> Assembler<'a> {
    /// Creates an assembler at the start of a source. Expanded text is appended to `texts`.
    pub(crate) fn new(
        source: &Source<'a>,
        options: &Options<'_>,
        texts: &'a ExpandedTexts,
        files: &'a dyn Files,
    ) -> Assembler<'a> {
        Assembler {
            reader: SourceReader::new(source, options, texts, files),
            output: Output::new(options),
        }
    }
}
