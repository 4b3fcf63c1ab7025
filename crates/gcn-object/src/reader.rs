//! Parser for code objects produced by compilers and linkers.
//!
//! [`read`] accepts any bytes: it returns a [`CodeObject`] or an error, never panics, and its memory use is bounded by
//! a small multiple of the input size. It assigns addresses to relocatable objects (`clang -c`) as a linker would, so
//! later stages see only addresses.

mod header;
mod state;

mod dynamic;
mod layout;
mod notes;
mod symbols;

mod kernels;

pub(crate) use header::truncation_error;
pub(crate) use symbols::kernel_names;

use std::ops::Range;

use object::elf;
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _, SectionTable};

use crate::bytes::Bytes;
use crate::error::ReadError;
use crate::object::{CodeObject, Section, Segment};
use crate::target::{Flags, processor_mach};
use header::{Header, LE, malformed, section_headers};
use state::ObjectReader;

/// Reads a code object. The result keeps the bytes, either borrowed from a slice or shared ([`Bytes::shared`]).
///
/// ```
/// use gcn_object::{Flags, Version, read, write::Builder};
///
/// let flags = Flags { mach: 0x2f, ..Flags::default() };
/// let file = Builder::new(Version::V5, flags).build().expect("an empty object is valid");
/// let object = read(&file)?;
/// assert_eq!(object.processor(), Some("gfx906"));
/// assert!(object.kernels.is_empty());
/// # Ok::<(), gcn_object::ReadError>(())
/// ```
///
/// # Errors
/// Fails if the file has defects that prevent loading. Invalid metadata and inconsistent kernels are only reported in
/// [`CodeObject::warnings`].
pub fn read<'a>(bytes: impl Into<Bytes<'a>>) -> Result<CodeObject<'a>, ReadError> {
    let bytes = bytes.into();
    let mut object = ObjectReader::new(&bytes)?.read()?;
    object.data = bytes.clone();
    Ok(object)
}

fn file_range(offset: u64, size: u64, file: usize) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    (end <= file).then_some(start..end)
}

impl<'a> ObjectReader<'a> {
    /// Reads the object, without its bytes, which the caller adds.
    fn read<'b>(mut self) -> Result<CodeObject<'b>, ReadError> {
        let table = section_headers(self.header, self.bytes)?;
        self.read_sections(&table)?;
        if self.linked {
            self.read_segments()?;
        } else {
            self.lay_out()?;
        }
        if self.linked && table.is_empty() {
            self.read_without_sections()?;
        } else {
            let dynamic_symbols = self.read_symbols(&table)?;
            self.read_relocations(&table, &dynamic_symbols)?;
        }
        if !self.linked {
            self.make_commons()?;
            self.make_got()?;
        }
        self.read_notes(&table)?;
        let kernels = self.find_kernels();
        let mut flags = Flags::decode(self.version, self.header.e_flags(LE).0);
        if flags.mach == 0
            && let Some(mach) = self
                .isa_note
                .and_then(|isa| processor_mach(&isa.processor_name()))
        {
            flags.mach = mach;
        }
        Ok(CodeObject {
            version: self.version,
            flags,
            isa_note: self.isa_note,
            linked: self.linked,
            segments: self.segments,
            sections: self.sections,
            symbols: self.symbols,
            relocations: self.relocations,
            metadata: self.metadata,
            kernels,
            warnings: self.warnings,
            data: Bytes::from(&[][..]),
        })
    }

    fn read_sections(&mut self, table: &SectionTable<'a, Header>) -> Result<(), ReadError> {
        for header in table.iter() {
            let name = table
                .section_name(LE, header)
                .map_err(malformed("section names"))?;
            let name = self.name(name)?;
            let size = header.sh_size(LE);
            let kind = header.sh_type(LE);
            let file = match kind {
                elf::SHT_NULL | elf::SHT_NOBITS => 0..0,
                _ => match file_range(header.sh_offset(LE), size, self.bytes.len()) {
                    Some(range) => range,
                    None => return Err(ReadError::SectionOutside { name }),
                },
            };
            self.sections.push(Section {
                name,
                kind: kind.0,
                flags: header.sh_flags(LE).0,
                address: header.sh_addr(LE),
                size,
                align: header.sh_addralign(LE),
                file,
            });
        }
        Ok(())
    }

    fn read_segments(&mut self) -> Result<(), ReadError> {
        let headers = self
            .header
            .program_headers(LE, self.bytes)
            .map_err(malformed("program headers"))?;
        for header in headers
            .iter()
            .filter(|header| header.p_type(LE) == elf::PT_LOAD)
        {
            let address = header.p_vaddr(LE);
            let size = header.p_memsz(LE);
            let in_file = header.p_filesz(LE);
            let outside = ReadError::SegmentOutside { address };
            if in_file > size || address.checked_add(size).is_none() {
                return Err(outside);
            }
            let file = file_range(header.p_offset(LE), in_file, self.bytes.len()).ok_or(outside)?;
            let flags = header.p_flags(LE).0;
            let has = |flag: elf::ProgramFlags| flags & flag.0 != 0;
            let (read, write, execute) = (has(elf::PF_R), has(elf::PF_W), has(elf::PF_X));
            self.segments.push(Segment {
                address,
                size,
                file,
                read,
                write,
                execute,
            });
        }
        self.segments.sort_by_key(|segment| segment.address);
        Ok(())
    }
}
