//! Reads sections, symbols and program headers of 32-bit and 64-bit ELF files. Names are compared without searching for
//! their end, which may be far away in hostile files.

use std::ops::Range;

use object::elf;
use object::read::elf::{FileHeader, ProgramHeader as _, SectionHeader as _, Sym as _};
use object::{LittleEndian, SectionIndex, pod};

use super::model::DriverError;

const LE: LittleEndian = LittleEndian;
/// Number of name bytes that may be read per byte of the file.
const NAME_BYTES_PER_FILE_BYTE: usize = 16;

pub(super) struct Elf<'a> {
    pub bytes: &'a [u8],
    /// Word size: 32 or 64.
    pub bits: u8,
    /// Machine type (`e_machine`).
    pub machine: u16,
    /// ELF flags (`e_flags`).
    pub flags: u32,
    pub sections: Vec<DriverSection<'a>>,
    /// Symbols in the first symbol table.
    pub symbols: Vec<DriverSymbol<'a>>,
    pub segments: Vec<DriverSegment>,
}

pub(super) struct DriverSection<'a> {
    name: DriverName<'a>,
    /// Range in the file, possibly empty.
    pub file: Range<usize>,
}

pub(super) struct DriverSymbol<'a> {
    pub name: DriverName<'a>,
    /// Index of the section that contains the symbol.
    pub section: usize,
    /// Offset in that section.
    pub value: u64,
    pub size: u64,
    pub is_global: bool,
}

/// A program header.
pub(super) struct DriverSegment {
    pub kind: u32,
    pub offset: u64,
    pub size: u64,
}

/// A name, represented by the bytes of the string table from the start of the name.
#[derive(Clone, Copy)]
pub(super) struct DriverName<'a>(&'a [u8]);

impl<'a> DriverName<'a> {
    fn new(strings: &'a [u8], offset: u32) -> Self {
        Self(strings.get(offset as usize..).unwrap_or_default())
    }

    /// Returns true if the name equals `name`.
    pub fn is(self, name: &[u8]) -> bool {
        self.after(name)
            .is_some_and(|rest| rest.0.first() == Some(&0))
    }

    /// Returns the part of the name after `prefix`, if the name starts with it.
    pub fn after(self, prefix: &[u8]) -> Option<Self> {
        self.0.strip_prefix(prefix).map(Self)
    }

    /// Reads the name and subtracts its length from `budget`.
    ///
    /// # Errors
    /// Fails if the name is longer than the remaining budget, because names share bytes.
    pub fn read(self, budget: &mut usize) -> Result<&'a [u8], DriverError> {
        let limit = self.0.get(..budget.saturating_add(1)).unwrap_or(self.0);
        let length = memchr::memchr(0, limit).unwrap_or(limit.len());
        *budget = budget
            .checked_sub(length)
            .ok_or(DriverError::Overlap { what: "names" })?;
        Ok(&self.0[..length])
    }
}

impl<'a> Elf<'a> {
    /// Returns the machine type of a little-endian ELF file; `None` for other files.
    pub fn machine_of(bytes: &[u8]) -> Option<u16> {
        fn machine<H: FileHeader<Endian = LittleEndian>>(header: Option<&H>) -> Option<u16> {
            let header = header.filter(|header| header.is_supported())?;
            let is_little = header.is_little_endian();
            is_little.then(|| header.e_machine(LE).0)
        }
        let header = header32(bytes);
        match header {
            Some(header) if header.is_class_32() => machine(Some(header)),
            _ => machine(header64(bytes).filter(|header| header.is_class_64())),
        }
    }

    /// Parses the headers.
    ///
    /// # Errors
    /// Fails if the bytes are not a little-endian ELF file, or a table or section exceeds the file.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DriverError> {
        Self::machine_of(bytes).ok_or(DriverError::Unknown)?;
        match header32(bytes).filter(|header| header.is_class_32()) {
            Some(header) => Self::of(header, bytes, 32),
            None => match header64(bytes) {
                Some(header) => Self::of(header, bytes, 64),
                None => Err(DriverError::Unknown),
            },
        }
    }

    fn of<H: FileHeader<Endian = LittleEndian>>(
        header: &'a H,
        bytes: &'a [u8],
        bits: u8,
    ) -> Result<Self, DriverError> {
        let broken = |what| {
            move |error: object::read::Error| DriverError::Malformed {
                what,
                reason: error.to_string(),
            }
        };
        let headers = header
            .section_headers(LE, bytes)
            .map_err(broken("section headers"))?;
        let strings_index = match headers {
            [] => SectionIndex(0),
            _ => header
                .section_strings_index(LE, bytes)
                .map_err(broken("section names"))?,
        };
        let strings = headers
            .get(strings_index.0)
            .map_or(Ok(&[][..]), |section| section.data(LE, bytes))
            .map_err(broken("section names"))?;
        let mut sections = Vec::with_capacity(headers.len());
        for section in headers {
            let file = section.file_range(LE).map_or(Some(0..0), |(offset, size)| {
                range(offset, size, bytes.len())
            });
            let file = file.ok_or(DriverError::Outside { what: "a section" })?;
            let name = DriverName::new(strings, section.sh_name(LE));
            sections.push(DriverSection { name, file });
        }
        let mut symbols = Vec::new();
        let table = headers
            .iter()
            .find(|section| section.sh_type(LE) == elf::SHT_SYMTAB);
        if let Some(table) = table {
            let entries: &[H::Sym] = table
                .data_as_array(LE, bytes)
                .map_err(broken("symbol table"))?;
            let strings = sections
                .get(table.sh_link(LE) as usize)
                .and_then(|section| bytes.get(section.file.clone()))
                .unwrap_or_default();
            symbols.extend(entries.iter().map(|symbol| DriverSymbol {
                name: DriverName::new(strings, symbol.st_name(LE)),
                section: symbol.st_shndx(LE).0.into(),
                value: symbol.st_value(LE).into(),
                size: symbol.st_size(LE).into(),
                is_global: symbol.st_bind() == elf::STB_GLOBAL,
            }));
        }
        let segments = header
            .program_headers(LE, bytes)
            .map_err(broken("program headers"))?;
        let segments = segments.iter().map(|segment| DriverSegment {
            kind: segment.p_type(LE).0,
            offset: segment.p_offset(LE).into(),
            size: segment.p_filesz(LE).into(),
        });
        Ok(Self {
            bytes,
            bits,
            machine: header.e_machine(LE).0,
            flags: header.e_flags(LE).0,
            sections,
            symbols,
            segments: segments.collect(),
        })
    }

    /// Returns the section named `name` and its index.
    pub fn section(&self, name: &[u8]) -> Option<(usize, &DriverSection<'a>)> {
        let mut sections = self.sections.iter().enumerate();
        sections.find(|(_, section)| section.has_name(name))
    }

    /// Returns the bytes of a section.
    pub fn section_bytes(&self, section: &DriverSection) -> &'a [u8] {
        self.bytes.get(section.file.clone()).unwrap_or_default()
    }

    /// Returns the file range of a symbol's contents; `None` if it extends past the symbol's section.
    pub fn symbol_range(&self, symbol: &DriverSymbol) -> Option<Range<usize>> {
        let section = &self.sections.get(symbol.section)?.file;
        let inner = range(symbol.value, symbol.size, section.len())?;
        Some(section.start + inner.start..section.start + inner.end)
    }

    /// Returns the number of name bytes that may be read.
    pub fn name_budget(&self) -> usize {
        self.bytes.len().saturating_mul(NAME_BYTES_PER_FILE_BYTE)
    }
}

impl DriverSection<'_> {
    /// Returns true if the section is named `name`.
    pub fn has_name(&self, name: &[u8]) -> bool {
        self.name.is(name)
    }
}

fn header32(bytes: &[u8]) -> Option<&elf::FileHeader32<LittleEndian>> {
    Some(pod::from_bytes(bytes).ok()?.0)
}

fn header64(bytes: &[u8]) -> Option<&elf::FileHeader64<LittleEndian>> {
    Some(pod::from_bytes(bytes).ok()?.0)
}

/// Returns the range at `offset` with `size` bytes, if it lies within `length` bytes.
pub(super) fn range(offset: u64, size: u64, length: usize) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    (end <= length).then_some(start..end)
}

/// Subtracts the length of a range from `contents`, the number of bytes that further parts of the file may occupy. `what` names
/// the parts in the error.
pub(super) fn spend(
    contents: &mut usize,
    range: &Option<Range<usize>>,
    what: &'static str,
) -> Result<(), DriverError> {
    let length = range.as_ref().map_or(0, Range::len);
    *contents = contents
        .checked_sub(length)
        .ok_or(DriverError::Overlap { what })?;
    Ok(())
}

/// Converts bytes to a string without trailing zeros.
pub(super) fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_end_matches('\0').to_owned()
}
