//! Code objects as compilers and linkers leave them, made ready to be examined and loaded.
//!
//! [`read`] accepts any bytes: it ends in a [`CodeObject`] or an error, without panicking, and what it keeps is
//! no larger than a small multiple of the input. Objects that were never linked (`clang -c`) get the layout that
//! a linker would give them here, so that everything after this module sees addresses only.

mod dynamic;
mod kernels;
mod layout;
mod notes;
mod symbols;

pub(crate) use symbols::kernel_names;

use std::ops::Range;

use object::LittleEndian;
use object::elf;
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _, SectionTable};

use crate::bytes::Bytes;
use crate::elf::ELFOSABI_AMDGPU_HSA;
use crate::error::{ReadError, Warning};
use crate::metadata::Metadata;
use crate::object::{CodeObject, Relocation, Section, Segment, Symbol};
use crate::target::{Flags, IsaVersion, Version, processor_mach};

/// Reads a code object, which keeps the bytes: borrowed from a slice, or shared ([`Bytes::shared`]).
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
/// Everything that keeps the object from being loaded. Metadata that cannot be read and kernels that are inconsistent are
/// [`CodeObject::warnings`].
pub fn read<'a>(bytes: impl Into<Bytes<'a>>) -> Result<CodeObject<'a>, ReadError> {
    let bytes = bytes.into();
    let mut object = Reader::new(&bytes)?.read()?;
    object.data = bytes.clone();
    Ok(object)
}

/// Bytes of names that are copied per byte of the file at most. Names may share bytes (a linker merges tails), but few do.
const NAME_BYTES_PER_FILE_BYTE: usize = 16;
/// Bytes of the smallest relocation or note.
const SMALLEST_RECORD: usize = 12;

type Header = elf::FileHeader64<LittleEndian>;
const LE: LittleEndian = LittleEndian;

fn malformed(what: &'static str) -> impl Fn(object::read::Error) -> ReadError {
    move |error| ReadError::Malformed {
        what,
        reason: error.to_string(),
    }
}

fn file_range(offset: u64, size: u64, file: usize) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    (end <= file).then_some(start..end)
}

/// The error of a file that ends before the section headers that its own header states, which are last in most files.
pub(crate) fn missing(length: usize, header: &Header) -> Option<ReadError> {
    let table = u64::from(header.e_shnum(LE)) * u64::from(header.e_shentsize(LE));
    let end = header.e_shoff(LE).checked_add(table)?;
    let is_cut = end > length as u64;
    is_cut.then_some(ReadError::Cut { length, end })
}

/// The file header of a code object, its version, and `true` if it was linked.
fn file_header(bytes: &[u8]) -> Result<(&Header, Version, bool), ReadError> {
    if !bytes.starts_with(&elf::ELFMAG) {
        return Err(ReadError::NotElf);
    }
    let (header, _) =
        object::pod::from_bytes::<Header>(bytes).map_err(|()| ReadError::Malformed {
            what: "file header",
            reason: "the file ends in it".to_owned(),
        })?;
    if !header.is_supported() || !header.is_class_64() || !header.is_little_endian() {
        return Err(ReadError::Class);
    }
    let machine = header.e_machine(LE);
    if machine != elf::EM_AMDGPU {
        return Err(ReadError::Machine { machine: machine.0 });
    }
    let os_abi = header.e_ident().os_abi;
    if os_abi.0 != ELFOSABI_AMDGPU_HSA {
        return Err(ReadError::OsAbi { os_abi: os_abi.0 });
    }
    let abi_version = header.e_ident().abi_version;
    let version =
        Version::from_abi_version(abi_version).ok_or(ReadError::AbiVersion { abi_version })?;
    let linked = match header.e_type(LE) {
        elf::ET_DYN | elf::ET_EXEC => true,
        elf::ET_REL => false,
        other => return Err(ReadError::Type { kind: other.0 }),
    };
    Ok((header, version, linked))
}

/// The section headers of a code object; none if it has no table of them.
fn section_headers<'a>(
    header: &Header,
    bytes: &'a [u8],
) -> Result<SectionTable<'a, Header>, ReadError> {
    header.sections(LE, bytes).map_err(|error| {
        missing(bytes.len(), header).unwrap_or_else(|| malformed("section headers")(error))
    })
}

struct Reader<'a> {
    bytes: &'a [u8],
    header: &'a Header,
    version: Version,
    linked: bool,
    /// Bytes of names that may still be copied.
    names: usize,
    /// Relocations and notes that may still be read.
    records: usize,
    sections: Vec<Section>,
    segments: Vec<Segment>,
    symbols: Vec<Symbol>,
    relocations: Vec<Relocation>,
    isa_note: Option<IsaVersion>,
    metadata: Option<Metadata>,
    warnings: Vec<Warning>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let (header, version, linked) = file_header(bytes)?;
        Ok(Self {
            bytes,
            header,
            version,
            linked,
            names: bytes.len().saturating_mul(NAME_BYTES_PER_FILE_BYTE),
            records: bytes.len() / SMALLEST_RECORD,
            sections: Vec::new(),
            segments: Vec::new(),
            symbols: Vec::new(),
            relocations: Vec::new(),
            isa_note: None,
            metadata: None,
            warnings: Vec::new(),
        })
    }

    /// The object, without its bytes.
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

    fn name(&mut self, bytes: &[u8]) -> Result<String, ReadError> {
        self.names = self
            .names
            .checked_sub(bytes.len())
            .ok_or(ReadError::Overlap { what: "names" })?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn spend_record(&mut self, what: &'static str) -> Result<(), ReadError> {
        self.records = self
            .records
            .checked_sub(1)
            .ok_or(ReadError::Overlap { what })?;
        Ok(())
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
