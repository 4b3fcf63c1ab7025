//! Maps code to source locations (files, lines and inlined calls), using DWARF debug information (`-g`).

mod embedded;
mod language;
mod location;
mod nearest;
mod parameters;
mod types;
mod variables;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use addr2line::Context;
use gimli::{Dwarf, LittleEndian, SectionId, Unit};
use object::elf;
use thiserror::Error;

use crate::bundle::decompress_section;
use crate::names::source_name;
use crate::object::{CodeObject, Section};
use embedded::{DwarfReader, EmbeddedSources, displayed_path, lines_of};
pub use language::SourceLanguage;
pub use location::{
    LocationError, PiecePlace, SourceRegister, SourceSpace, VariablePiece, VariableState,
};
pub use types::{SourceField, SourceType, SourceTypeKind, TypeRef};
pub use variables::SourceVariable;

/// Size in bytes of `Elf64_Chdr`, which precedes the stream in a compressed section: type, four reserved bytes, size,
/// alignment.
const HEADER: usize = 24;
/// Offset of the size field in `Elf64_Chdr`.
const SIZE_FIELD: usize = 8;

/// Debug information of a code object, returned by [`CodeObject::source_lines`].
pub struct SourceLines {
    context: Context<DwarfReader>,
    dwarf: Arc<Dwarf<DwarfReader>>,
    /// Compilation units, read on first use.
    units: OnceLock<Vec<Unit<DwarfReader>>>,
    embedded: EmbeddedSources,
}

/// A source location, displayed as in compiler messages: `scale.cl:12:5`.
///
/// # Examples
/// ```
/// use gcn_object::SourcePlace;
/// let place = SourcePlace { file: "scale.cl".into(), line: 12, column: 5 };
/// assert_eq!(place.to_string(), "scale.cl:12:5");
/// assert_eq!(SourcePlace { column: 0, ..place }.to_string(), "scale.cl:12");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    /// Path of the file, with the compilation directory unless the path is absolute; `<NAME>` for source text that was
    /// not in a file.
    pub file: Arc<str>,
    /// Line number from 1; 0 if unknown.
    pub line: u32,
    /// Column number from 1; 0 if unknown.
    pub column: u32,
}

/// A function that contains an instruction, directly or by inlining, and the location within it.
///
/// # Examples
/// ```
/// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
/// let lines = object.source_lines()?.expect("compiled with -g");
/// let frames = lines.frames(0x1868)?;
/// let numbers: Vec<_> = frames.iter().map(|frame| frame.place.as_ref().map(|place| place.line)).collect();
/// assert_eq!(numbers, [Some(4), Some(10)], "the instruction's line, and the line of the inlined call");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFrame {
    /// Function name in the source, if known.
    pub function: Option<String>,
    /// Location of the instruction, or of the call that was inlined.
    pub place: Option<SourcePlace>,
}

/// Contiguous code with the same source location.
///
/// # Examples
/// ```
/// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
/// let lines = object.source_lines()?.expect("compiled with -g");
/// let first = lines.ranges(0x1800..0x1880)?.remove(0);
/// assert_eq!((first.addresses.start, first.place.line), (0x1800, 8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    /// Address range of the code.
    pub addresses: Range<u64>,
    /// Source location of the code.
    pub place: SourcePlace,
}

/// Reason why debug information cannot be used.
///
/// # Examples
/// ```
/// use gcn_object::LinesError;
/// let mut object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
/// object.linked = false;
/// assert_eq!(object.source_lines().err(), Some(LinesError::NotLinked));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LinesError {
    /// The object is not linked, so its debug information contains unresolved relocations.
    #[error("the debug information of an unlinked object cannot be read: link it first")]
    NotLinked,
    /// A compressed section cannot be decompressed.
    #[error("the section {section} cannot be decompressed: {reason}")]
    Compressed {
        /// Section name.
        section: String,
        /// Reason for the failure.
        reason: String,
    },
    /// The debug information is not valid DWARF.
    #[error("the debug information is not valid DWARF: {0}")]
    Dwarf(String),
}

impl From<gimli::Error> for LinesError {
    fn from(error: gimli::Error) -> LinesError {
        LinesError::Dwarf(error.to_string())
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SourcePlace { file, line, column } = self;
        match (line, column) {
            (0, _) => write!(f, "{file}"),
            (_, 0) => write!(f, "{file}:{line}"),
            _ => write!(f, "{file}:{line}:{column}"),
        }
    }
}

impl SourcePlace {
    fn of(location: &addr2line::Location<'_>) -> Option<SourcePlace> {
        Some(SourcePlace {
            file: displayed_path(location.file?).into(),
            line: location.line.unwrap_or(0),
            column: location.column.unwrap_or(0),
        })
    }
}

impl CodeObject<'_> {
    /// Reads the debug information; `None` if the code object has no `.debug_line` section.
    ///
    /// # Errors
    /// Fails if the code object contains debug information that cannot be read.
    ///
    /// # Examples
    /// ```
    /// let file = std::fs::read("tests/fixtures/lines-gfx906.co")?;
    /// let object = gcn_object::read(&file)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// let frames = lines.frames(0x1868)?;
    /// let place = frames[0].place.as_ref().expect("the line is known");
    /// assert_eq!(place.to_string(), "./lines.cl:4:14");
    /// assert_eq!(frames[0].function.as_deref(), Some("twice"));
    /// assert_eq!(frames[1].function.as_deref(), Some("lines"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn source_lines(&self) -> Result<Option<SourceLines>, LinesError> {
        let found = |name: &str| self.sections.iter().find(|section| section.name == name);
        if found(SectionId::DebugLine.name()).is_none() {
            return Ok(None);
        }
        if !self.linked {
            return Err(LinesError::NotLinked);
        }
        let load = |id: SectionId| {
            let bytes = match found(id.name()) {
                Some(section) => self.debug_bytes(section)?,
                None => Arc::default(),
            };
            Ok::<_, LinesError>(DwarfReader::new(bytes, LittleEndian))
        };
        let dwarf = Arc::new(Dwarf::load(load)?);
        Ok(Some(SourceLines {
            context: Context::from_arc_dwarf(dwarf.clone())?,
            units: OnceLock::new(),
            embedded: EmbeddedSources::read(&dwarf),
            dwarf,
        }))
    }

    /// Returns the contents of a debug section, which may be compressed (`-gz`).
    fn debug_bytes(&self, section: &Section) -> Result<Arc<[u8]>, LinesError> {
        let bytes = self.section_bytes(section);
        if section.flags & elf::SHF_COMPRESSED.0 == 0 {
            return Ok(bytes.into());
        }
        let broken = |reason: String| LinesError::Compressed {
            section: section.name.clone(),
            reason,
        };
        let short = || broken("the section ends early".to_owned());
        let (header, stream) = bytes.split_at_checked(HEADER).ok_or_else(short)?;
        let field = |at: usize| {
            let bytes = header.get(at..)?.first_chunk()?;
            Some(u64::from_le_bytes(*bytes))
        };
        let kind = header.first_chunk().map(|kind| u32::from_le_bytes(*kind));
        let (kind, size) = kind.zip(field(SIZE_FIELD)).ok_or_else(short)?;
        let bytes = decompress_section(stream, kind, size).map_err(broken)?;
        Ok(bytes.into())
    }
}

impl SourceLines {
    /// Returns the functions that contain the instruction at `address`: the innermost inlined function first, the
    /// function that owns the code last. Empty if the address is unknown.
    ///
    /// # Errors
    /// Fails if the debug information for the address is not valid DWARF.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// let functions: Vec<_> = lines.frames(0x1868)?.into_iter().filter_map(|frame| frame.function).collect();
    /// assert_eq!(functions, ["twice", "lines"], "the first is inlined into the second");
    /// assert!(lines.frames(0)?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn frames(&self, address: u64) -> Result<Vec<SourceFrame>, LinesError> {
        let mut found = self.context.find_frames(address).skip_all_loads()?;
        let mut frames = Vec::new();
        while let Some(frame) = found.next()? {
            let function = match &frame.function {
                Some(name) => {
                    let name = name.raw_name()?;
                    Some(source_name(&name).unwrap_or_else(|| name.into_owned()))
                }
                None => None,
            };
            let place = frame.location.as_ref().and_then(SourcePlace::of);
            frames.push(SourceFrame { function, place });
        }
        Ok(frames)
    }

    /// Returns the source locations of the code in an address range, in ascending order. Code without a known line is
    /// skipped.
    ///
    /// # Errors
    /// Fails if the debug information for the addresses is not valid DWARF.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// let kernel = &object.kernels[0];
    /// let ranges = lines.ranges(kernel.entry_address..kernel.entry_address + kernel.code_size)?;
    /// assert!(ranges.iter().all(|range| &*range.place.file == "./lines.cl"));
    /// assert!(ranges.windows(2).all(|pair| pair[0].addresses.end <= pair[1].addresses.start));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ranges(&self, addresses: Range<u64>) -> Result<Vec<SourceRange>, LinesError> {
        let mut ranges: Vec<SourceRange> = Vec::new();
        let found = self
            .context
            .find_location_range(addresses.start, addresses.end)?;
        for (start, length, location) in found {
            let Some(mut place) = SourcePlace::of(&location) else {
                continue;
            };
            // Reuse the path, since thousands of rows name the same file.
            if let Some(last) = ranges.last().filter(|last| last.place.file == place.file) {
                place.file = last.place.file.clone();
            }
            ranges.push(SourceRange {
                addresses: start..start.saturating_add(length),
                place,
            });
        }
        Ok(ranges)
    }

    /// Returns the source text of a file named in a [`SourcePlace`], if the debug information contains it
    /// (`-gembed-source`). The text may contain `#line` directives that refer to several files.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// assert_eq!(lines.embedded_source("./lines.cl"), None, "compiled without -gembed-source");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn embedded_source(&self, file: &str) -> Option<String> {
        let embedded = &self.embedded;
        embedded
            .text(file)
            .or_else(|| embedded.text(embedded.path_of(file)?))
    }

    /// Returns the lines of a file named in a [`SourcePlace`] by line number, if the debug information contains its text
    /// (`-gembed-source`). `#line` directives in the text are applied and left out.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// assert_eq!(lines.embedded_lines("./lines.cl"), None, "compiled without -gembed-source");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn embedded_lines(&self, file: &str) -> Option<BTreeMap<u32, String>> {
        Some(lines_of(&self.embedded_source(file)?, file))
    }
}

impl fmt::Debug for SourceLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SourceLines")
    }
}
