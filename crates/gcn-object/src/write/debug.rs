//! Writes debug information for assembled code: lines of instructions and labels, as DWARF 4, or as DWARF 5 with
//! embedded sources.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, FileInfo, LineProgram, LineString, Range,
    RangeList, RelocateWriter, Relocation, RelocationTarget, Sections, Writer as _,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian};

use super::error::WriteError;
use super::input::{
    Builder, InputRelocation, InputSection, InputSectionKind, RelocationBase, SectionContents,
    SectionId,
};
use crate::elf::RelocationKind;

/// DWARF encoding that older debuggers can also read.
const ENCODING: Encoding = Encoding {
    format: Format::Dwarf32,
    version: 4,
    address_size: 8,
};
/// DWARF encoding that supports embedded sources.
const EMBEDDING: Encoding = Encoding {
    version: 5,
    ..ENCODING
};
/// Line number of data and of padding between instructions.
const NO_LINE: u64 = 0;
/// Replacement for an empty file name.
const NO_NAME: &str = "<unknown>";

/// Source locations of assembled code.
///
/// # Examples
/// ```
/// use gcn_object::write::{Builder, DebugLines, DebugRow, InputSection, InputSectionKind, SectionContents};
/// use gcn_object::{Flags, Version, read};
/// let mut builder = Builder::new(Version::V5, Flags { mach: 0x2f, ..Flags::default() });
/// let section = builder.section(InputSection {
///     name: ".text".to_owned(),
///     contents: SectionContents::Bytes(vec![0, 0, 0x81, 0xbf].into()),
///     kind: InputSectionKind::Program,
///     align: 256,
///     address: None,
///     loaded: true,
///     write: false,
///     execute: true,
/// });
/// let row = DebugRow { section, offset: 0, size: 4, file: 0, line: 7 };
/// let files = vec!["ends.s".to_owned()];
/// builder.debug_lines(&DebugLines { files, rows: vec![row], ..DebugLines::default() })?;
/// let file = builder.build().expect("the input is valid");
/// let object = read(&file)?;
/// let text = object.sections.iter().find(|section| section.is_code()).expect("the section was written");
/// let frames = object.source_lines()?.expect("the lines were added").frames(text.address)?;
/// assert_eq!(frames[0].place.as_ref().map(|place| place.line), Some(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugLines {
    /// Name of the program that generated the code.
    pub producer: String,
    /// Base directory of relative paths.
    pub directory: String,
    /// Source file paths, the main file first.
    pub files: Vec<String>,
    /// Source text of each file, to be embedded; empty to write only paths.
    pub texts: Vec<String>,
    /// Locations of instructions.
    pub rows: Vec<DebugRow>,
    /// Labels, by name.
    pub labels: Vec<(String, DebugRow)>,
}

/// Source location of an instruction or a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugRow {
    /// Section that contains the code.
    pub section: SectionId,
    /// Offset in the section, in bytes.
    pub offset: u64,
    /// Size of the instruction in bytes; 0 for a label. Bytes between the instruction and the next row have no line.
    pub size: u64,
    /// Index of the source file in [`DebugLines::files`].
    pub file: usize,
    /// Line number, from 1.
    pub line: u64,
}

/// Contents of a debug section, with relocations for the addresses in it.
#[derive(Clone)]
struct SectionBytes {
    bytes: EndianVec<LittleEndian>,
    addresses: Vec<Relocation>,
}

impl RelocateWriter for SectionBytes {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.addresses.push(relocation);
    }
}

/// Converts text to a DWARF string, truncated at the first zero byte.
fn text(text: &str) -> Vec<u8> {
    let end = text.find('\0').unwrap_or(text.len());
    text[..end].into()
}

fn file_name(name: &str) -> Vec<u8> {
    let name = text(name);
    if name.is_empty() {
        NO_NAME.into()
    } else {
        name
    }
}

/// Creates a DWARF address from an offset in a section.
fn address(SectionId(section): SectionId, offset: u64) -> Address {
    Address::Symbol {
        symbol: section,
        addend: offset.cast_signed(),
    }
}

impl Builder<'_> {
    /// Adds debug information in the sections `.debug_line`, `.debug_info` and others. The code sections that it
    /// describes must be complete.
    ///
    /// # Errors
    /// [`WriteError::NoSuchId`]: a section or file does not exist. [`WriteError::Debug`]: the information cannot be encoded.
    pub fn debug_lines(&mut self, lines: &DebugLines) -> Result<(), WriteError> {
        // Rows by code section, in input order.
        let mut by_section: BTreeMap<usize, Vec<&DebugRow>> = BTreeMap::new();
        for row in &lines.rows {
            by_section.entry(row.section.0).or_default().push(row);
        }
        let labels = lines.labels.iter().map(|(_, row)| row);
        let is_known =
            |row: &DebugRow| row.section.0 < self.sections.len() && row.file < lines.files.len();
        if !lines.rows.iter().chain(labels).all(is_known) {
            return Err(WriteError::NoSuchId);
        }
        let failed = |error: gimli::write::Error| WriteError::Debug {
            reason: error.to_string(),
        };
        let sections = self.dwarf(lines, by_section).map_err(failed)?;
        let mut made = Vec::new();
        let all: Result<(), WriteError> = sections.for_each(|id, section| {
            if !section.bytes.slice().is_empty() {
                made.push((id.name(), section.clone()));
            }
            Ok(())
        });
        all?;
        for (name, mut section) in made {
            // The only unit starts at offset 0, so an offset in another debug section is relative to the section's
            // start.
            for it in &section.addresses {
                if let RelocationTarget::Section(_) = it.target {
                    let written =
                        (section.bytes).write_udata_at(it.offset, it.addend as u64, it.size);
                    written.map_err(failed)?;
                }
            }
            let id = self.section(InputSection {
                name: name.to_owned(),
                contents: SectionContents::Bytes(Cow::Owned(section.bytes.into_vec())),
                kind: InputSectionKind::Program,
                align: 1,
                address: None,
                loaded: false,
                write: false,
                execute: false,
            });
            for it in section.addresses {
                if let RelocationTarget::Symbol(target) = it.target {
                    self.relocation(InputRelocation {
                        section: id,
                        offset: it.offset as u64,
                        kind: RelocationKind::Abs64,
                        target: RelocationBase::Section(SectionId(target)),
                        addend: it.addend,
                    });
                }
            }
        }
        Ok(())
    }

    fn dwarf(
        &self,
        lines: &DebugLines,
        by_section: BTreeMap<usize, Vec<&DebugRow>>,
    ) -> gimli::write::Result<Sections<SectionBytes>> {
        let encoding = if lines.texts.is_empty() {
            ENCODING
        } else {
            EMBEDDING
        };
        let mut dwarf = DwarfUnit::new(encoding);
        let main = lines.files.first().map_or("", String::as_str);
        let info = |file: usize| {
            let embedded = lines.texts.get(file).map(|it| text(it));
            let embedded = embedded.filter(|it| !it.is_empty());
            Some(FileInfo {
                source: Some(LineString::String(embedded?)),
                ..FileInfo::default()
            })
        };
        let mut program = LineProgram::new(
            encoding,
            LineEncoding::default(),
            LineString::String(text(&lines.directory)),
            None,
            LineString::String(file_name(main)),
            info(0),
        );
        program.file_has_source = !lines.texts.is_empty();
        let directory = program.default_directory();
        let names = lines.files.iter().enumerate();
        let files: Vec<_> = names
            .map(|(file, name)| {
                let name = LineString::String(file_name(name));
                program.add_file(name, directory, info(file))
            })
            .collect();
        let mut ranges = Vec::new();
        for (number, mut rows) in by_section {
            let section = SectionId(number);
            let size = self.sections.get(number).map_or(0, InputSection::size);
            rows.sort_by_key(|row| row.offset);
            rows.retain(|row| row.offset < size);
            program.begin_sequence(Some(address(section, 0)));
            let ends = rows.iter().skip(1).map(|row| row.offset).chain([size]);
            let ends: Vec<u64> = ends.collect();
            for (row, next) in rows.into_iter().zip(ends) {
                let end = row.offset.saturating_add(row.size);
                let places = [(row.offset, row.line), (end, NO_LINE)];
                for (offset, line) in places.into_iter().take(1 + usize::from(end < next)) {
                    let to = program.row();
                    (to.address_offset, to.line) = (offset, line);
                    if let Some(file) = files.get(row.file) {
                        to.file = *file;
                    }
                    program.generate_row();
                }
            }
            program.end_sequence(size);
            ranges.push(Range::StartLength {
                begin: address(section, 0),
                length: size.max(1),
            });
        }
        dwarf.unit.line_program = program;
        let ranges = dwarf.unit.ranges.add(RangeList(ranges));
        let root = dwarf.unit.root();
        let unit = dwarf.unit.get_mut(root);
        let mut set = |name, value| unit.set(name, value);
        set(gimli::DW_AT_ranges, AttributeValue::RangeListRef(ranges));
        set(gimli::DW_AT_name, AttributeValue::String(file_name(main)));
        set(
            gimli::DW_AT_comp_dir,
            AttributeValue::String(text(&lines.directory)),
        );
        set(
            gimli::DW_AT_producer,
            AttributeValue::String(text(&lines.producer)),
        );
        // Assemblers use this language code for every architecture.
        set(
            gimli::DW_AT_language,
            AttributeValue::Language(gimli::DW_LANG_Mips_Assembler),
        );
        for (name, row) in &lines.labels {
            let label = dwarf.unit.add(root, gimli::DW_TAG_label);
            let label = dwarf.unit.get_mut(label);
            label.set(gimli::DW_AT_name, AttributeValue::String(text(name)));
            let file = files.get(row.file).copied();
            label.set(gimli::DW_AT_decl_file, AttributeValue::FileIndex(file));
            label.set(gimli::DW_AT_decl_line, AttributeValue::Udata(row.line));
            let at = AttributeValue::Address(address(row.section, row.offset));
            label.set(gimli::DW_AT_low_pc, at);
        }
        let mut sections = Sections::new(SectionBytes {
            bytes: EndianVec::new(LittleEndian),
            addresses: Vec::new(),
        });
        dwarf.write(&mut sections)?;
        Ok(sections)
    }
}
