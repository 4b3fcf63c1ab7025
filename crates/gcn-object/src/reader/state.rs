//! Parser state: the parts of a code object that have been read.

use super::header::{Header, file_header};
use crate::error::{ReadError, Warning};
use crate::metadata::Metadata;
use crate::object::{Relocation, Section, Segment, Symbol};
use crate::target::{IsaVersion, Version};

/// Number of name bytes that may be copied per byte of the file. Names may share bytes (linkers merge tails), but few
/// do.
pub(super) const NAME_BYTES_PER_FILE_BYTE: usize = 16;
/// Minimum size of a relocation or note in bytes.
const SMALLEST_RECORD: usize = 12;

/// Code object that the parser is building.
pub(super) struct ObjectReader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) header: &'a Header,
    pub(super) version: Version,
    pub(super) linked: bool,
    /// Number of name bytes that may still be copied.
    pub(super) names: usize,
    /// Number of relocations and notes that may still be read.
    pub(super) records: usize,
    /// Number of bytes of metadata notes that may still be read.
    pub(super) note_bytes: usize,
    pub(super) sections: Vec<Section>,
    pub(super) segments: Vec<Segment>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) relocations: Vec<Relocation>,
    pub(super) isa_note: Option<IsaVersion>,
    pub(super) metadata: Option<Metadata>,
    pub(super) warnings: Vec<Warning>,
}

impl<'a> ObjectReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let (header, version, linked) = file_header(bytes)?;
        Ok(Self {
            bytes,
            header,
            version,
            linked,
            names: bytes.len().saturating_mul(NAME_BYTES_PER_FILE_BYTE),
            records: bytes.len() / SMALLEST_RECORD,
            note_bytes: bytes.len(),
            sections: Vec::new(),
            segments: Vec::new(),
            symbols: Vec::new(),
            relocations: Vec::new(),
            isa_note: None,
            metadata: None,
            warnings: Vec::new(),
        })
    }

    pub(super) fn name(&mut self, bytes: &[u8]) -> Result<String, ReadError> {
        self.names = self
            .names
            .checked_sub(bytes.len())
            .ok_or(ReadError::Overlap { what: "names" })?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    pub(super) fn spend_record(&mut self, what: &'static str) -> Result<(), ReadError> {
        self.records = self
            .records
            .checked_sub(1)
            .ok_or(ReadError::Overlap { what })?;
        Ok(())
    }
}
