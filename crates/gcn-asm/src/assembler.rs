//! State of an assembly, in two parts: the source reader reads statements and names, the output becomes the program.
//!
//! An instruction's length is fixed as soon as it is read, so offsets are final and a single pass suffices.

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

/// An assembly in progress.
pub(crate) struct Assembler<'a> {
    pub reader: SourceReader<'a>,
    pub output: Output,
}

impl<'a> Assembler<'a> {
    /// Creates an assembler positioned at the start of a source. Expanded texts are appended to `texts`.
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
