//! Code objects as the compiler and the linker leave them, made ready to look into and to load.
//!
//! [`read`] accepts any bytes: it ends in a [`CodeObject`] or an error, without panicking, and what it keeps is
//! no larger than a small multiple of the input. Objects that were never linked (`clang -c`) get the layout that
//! a linker would give them here, so that everything after this module sees addresses only.

mod dynamic;
mod layout;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use object::elf;
use object::read::elf::{
    FileHeader as _, NoteIterator, ProgramHeader as _, Rela as _, SectionHeader as _, Sym as _,
};
use object::read::elf::{SectionTable, SymbolTable};
use object::{LittleEndian, SectionIndex};
use serde::Serialize;
use thiserror::Error;

use crate::cpp;
use crate::descriptor::{DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, KERNEL_CODE_SIZE, KernelDescriptor};
use crate::elf::{Binding, ELFOSABI_AMDGPU_HSA, RelocationKind, SymbolKind, Visibility};
use crate::metadata::{KernelMetadata, Metadata, MetadataError, MetadataProblem};
use crate::note;
use crate::target::{Flags, IsaVersion, Version, processor_mach, processor_name};

/// Reads a code object.
///
/// # Errors
/// What keeps the object from being loaded is an error; metadata that cannot be read, and kernels that make no
/// sense, are [`CodeObject::warnings`].
pub fn read(bytes: &[u8]) -> Result<CodeObject, ReadError> {
    read_owned(bytes.to_vec())
}

/// The same of bytes that the object keeps without copying them.
///
/// # Errors
/// Those of [`read`].
pub fn read_owned(
    bytes: impl AsRef<[u8]> + Send + Sync + 'static,
) -> Result<CodeObject, ReadError> {
    let mut object = Reader::new(bytes.as_ref())?.read()?;
    object.data = Bytes(Arc::new(bytes));
    Ok(object)
}

/// The bytes of an object, wherever they are.
#[derive(Clone)]
pub(crate) struct Bytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// A code object, read.
#[derive(Clone, Debug)]
pub struct CodeObject {
    /// The version of the format.
    pub version: Version,
    /// Processor, XNACK and SRAM-ECC.
    pub flags: Flags,
    /// What a version 2 object says about its processor in a note.
    pub isa_note: Option<IsaVersion>,
    /// Linked by a linker, or laid out by [`read`].
    pub linked: bool,
    /// What is to be loaded, by address.
    pub segments: Vec<Segment>,
    /// The sections, the null section included, so that indices are those of the file.
    pub sections: Vec<Section>,
    /// `.symtab`, then what only `.dynsym` has.
    pub symbols: Vec<Symbol>,
    /// What [`CodeObject::apply_relocations`] will do.
    pub relocations: Vec<Relocation>,
    /// The metadata note.
    pub metadata: Option<Metadata>,
    /// The kernels, by name.
    pub kernels: Vec<Kernel>,
    /// What is wrong without standing in the way.
    pub warnings: Vec<Warning>,
    pub(crate) data: Bytes,
}

/// A run of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// The address it is linked for.
    pub address: u64,
    /// Bytes in memory.
    pub size: u64,
    /// Where its first bytes are in the file; the others are zero.
    pub file: Range<usize>,
    /// Readable.
    pub read: bool,
    /// Writable.
    pub write: bool,
    /// Executable.
    pub execute: bool,
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// Its address, zero if it is not loaded.
    pub address: u64,
    /// In bytes.
    pub size: u64,
    /// Alignment in bytes; zero and one mean none.
    pub align: u64,
    /// Where it is in the file; empty if it takes no room there.
    pub file: Range<usize>,
}

impl Section {
    /// It occupies memory.
    pub fn is_loaded(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }

    /// It holds code.
    pub fn is_code(&self) -> bool {
        self.is_loaded() && self.flags & elf::SHF_EXECINSTR.0 != 0
    }
}

/// Where a symbol is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Place {
    /// Nowhere.
    Undefined,
    /// Its value is not an address.
    Absolute,
    /// In the section with this index.
    Section(usize),
    /// In no section: the linker makes room for it. An object that was not linked gets that room when it is read.
    Common {
        /// The alignment it asks for, in bytes.
        align: u64,
    },
    /// One of ELF's other special indices.
    Other(u16),
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its address, or its value if it is absolute.
    pub value: u64,
    /// In bytes.
    pub size: u64,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Who sees it.
    pub binding: Binding,
    /// Whether it is seen outside.
    pub visibility: Visibility,
    /// Where it is defined.
    pub place: Place,
}

/// A field that depends on where the object is loaded, or on a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Relocation {
    /// The address the field is linked at.
    pub address: u64,
    /// The formula.
    pub kind: RelocationKind,
    /// S of the formula.
    pub target: RelocationTarget,
    /// A of the formula.
    pub addend: i64,
}

/// What a relocation refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum RelocationTarget {
    /// Nothing: S is zero.
    Zero,
    /// The symbol with this index in [`CodeObject::symbols`].
    Symbol(usize),
    /// An address of the object, which moves with it.
    Address(u64),
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kernel {
    /// Its name, without `.kd`.
    pub name: String,
    /// The address of the kernel descriptor or `amd_kernel_code_t`.
    pub descriptor_address: u64,
    /// The address of the first instruction.
    pub entry_address: u64,
    /// Bytes of code from the entry, as the kernel's symbol says; zero if it does not.
    pub code_size: u64,
    /// What it needs.
    pub descriptor: KernelDescriptor,
    /// What the compiler says about it.
    pub metadata: Option<KernelMetadata>,
}

/// Why bytes are not a code object that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The magic number is missing.
    #[error("not an ELF file")]
    NotElf,
    /// Not 64-bit little-endian.
    #[error("not a 64-bit little-endian ELF file")]
    Class,
    /// Not EM_AMDGPU.
    #[error("an ELF file for machine {machine}, not for AMDGPU ({})", elf::EM_AMDGPU.0)]
    Machine {
        /// `e_machine`.
        machine: u16,
    },
    /// Not the HSA ABI.
    #[error(
        "OS ABI {os_abi} is not supported, only AMDGPU_HSA ({})",
        ELFOSABI_AMDGPU_HSA
    )]
    OsAbi {
        /// `EI_OSABI`.
        os_abi: u8,
    },
    /// A version of the format that does not exist yet.
    #[error("ABI version {abi_version} is not known; 0 to 4 are code object versions 2 to 6")]
    AbiVersion {
        /// `EI_ABIVERSION`.
        abi_version: u8,
    },
    /// Neither linked nor to be linked.
    #[error("ELF type {kind} is neither a shared object nor relocatable")]
    Type {
        /// `e_type`.
        kind: u16,
    },
    /// A table does not fit the file, or is otherwise broken.
    #[error("the {what} cannot be read: {reason}")]
    Malformed {
        /// Which table.
        what: &'static str,
        /// What the ELF reader says.
        reason: String,
    },
    /// A section reaches beyond the file.
    #[error("section {name} reaches beyond the end of the file")]
    SectionOutside {
        /// Its name.
        name: String,
    },
    /// A segment reaches beyond the file, beyond the address space, or has more bytes in the file than in memory.
    #[error("the segment at {address:#x} does not fit the file or the address space")]
    SegmentOutside {
        /// Its address.
        address: u64,
    },
    /// An alignment is not a power of two, or absurd.
    #[error("section {name} has alignment {align}, which is not a power of two up to {MAX_ALIGN}")]
    Align {
        /// Its name.
        name: String,
        /// As stated.
        align: u64,
    },
    /// The sections of an object that was not linked do not fit the address space.
    #[error("the sections do not fit the address space")]
    Layout,
    /// A relocation refers to a symbol that does not exist.
    #[error("the relocation at {address:#x} refers to symbol {symbol}, which does not exist")]
    RelocationSymbol {
        /// Of the field.
        address: u64,
        /// Its index in the file.
        symbol: u32,
    },
    /// AMDGPU relocations carry their addends.
    #[error("relocations without addends are not supported")]
    RelocationsWithoutAddend,
    /// It has no section headers where it says.
    #[error(
        "the file ends after {length} bytes, before its section headers, which end at byte {end}: a part is missing"
    )]
    Cut {
        /// Of the file, in bytes.
        length: usize,
        /// As the file header says.
        end: u64,
    },
    /// Many tables or names share the same bytes, which no producer does.
    #[error("the {what} overlap each other")]
    Overlap {
        /// Which things.
        what: &'static str,
    },
}

/// What is wrong with a code object without standing in the way of loading it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Warning {
    /// There are notes, but they are broken.
    #[error("the notes cannot be read: {0}")]
    Notes(String),
    /// The metadata note cannot be used.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// The metadata says what cannot be true.
    #[error("kernel {kernel}: {problem}")]
    Claim {
        /// Its name.
        kernel: String,
        /// What is claimed.
        problem: MetadataProblem,
    },
    /// The descriptor is not in the file.
    #[error("kernel {kernel}: the descriptor at {address:#x} is not in any segment")]
    Descriptor {
        /// Its name.
        kernel: String,
        /// Of the descriptor.
        address: u64,
    },
    /// The entry is not in code.
    #[error("kernel {kernel}: the entry at {address:#x} is not in an executable segment")]
    Entry {
        /// Its name.
        kernel: String,
        /// Of the entry.
        address: u64,
    },
    /// The metadata names a kernel that has no symbol.
    #[error("the metadata names kernel {kernel}, which has no descriptor")]
    NoSymbol {
        /// Its name.
        kernel: String,
    },
}

/// Permissions change at multiples of this.
pub(crate) const PAGE: u64 = 0x1000;
/// Nothing needs more alignment than this.
pub(crate) const MAX_ALIGN: u64 = 1 << 16;
/// Names may share bytes (a linker merges tails), but not so much.
const NAME_BYTES_PER_FILE_BYTE: usize = 16;
/// The smallest relocation and note take this many bytes.
const SMALLEST_RECORD: usize = 12;
/// A slot of the global offset table.
pub(crate) const GOT_SLOT: u64 = 8;

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

/// The error of a file that ends before the section headers that its own header tells of, which are last in most.
pub(crate) fn missing(length: usize, header: &Header) -> Option<ReadError> {
    let table = u64::from(header.e_shnum(LE)) * u64::from(header.e_shentsize(LE));
    let end = header.e_shoff(LE).checked_add(table)?;
    let is_cut = end > length as u64;
    is_cut.then_some(ReadError::Cut { length, end })
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
    fn read(mut self) -> Result<CodeObject, ReadError> {
        let table = self.header.sections(LE, self.bytes).map_err(|error| {
            missing(self.bytes.len(), self.header)
                .unwrap_or_else(|| malformed("section headers")(error))
        })?;
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
            data: Bytes(Arc::new([])),
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

    /// Reads both symbol tables. Returns the position in `self.symbols` of each entry of the table that the
    /// relocations refer to.
    fn read_symbols(&mut self, table: &SectionTable<'a, Header>) -> Result<Vec<usize>, ReadError> {
        let symtab = table
            .symbols(LE, self.bytes, elf::SHT_SYMTAB)
            .map_err(malformed("symbol table"))?;
        self.symbols.reserve_exact(symtab.len());
        for (index, symbol) in symtab.enumerate() {
            let symbol = self.symbol(&symtab, index, symbol)?;
            self.symbols.push(symbol);
        }
        if !self.linked {
            return Ok((0..self.symbols.len()).collect());
        }
        let dynsym = table
            .symbols(LE, self.bytes, elf::SHT_DYNSYM)
            .map_err(malformed("dynamic symbol table"))?;
        let dynamic: Vec<Symbol> = dynsym
            .enumerate()
            .map(|(index, symbol)| self.symbol(&dynsym, index, symbol))
            .collect::<Result<_, _>>()?;
        // Which of the others each of them is. There are few of them, and there may be many others.
        fn identity(symbol: &Symbol) -> (u64, &str) {
            (symbol.value, &symbol.name)
        }
        let mut same: Vec<((u64, &str), Option<usize>)> = dynamic
            .iter()
            .map(|symbol| (identity(symbol), None))
            .collect();
        same.sort_unstable();
        same.dedup();
        let find = |same: &[((u64, &str), Option<usize>)], symbol| {
            same.binary_search_by_key(&identity(symbol), |(identity, _)| *identity)
        };
        for (index, symbol) in self.symbols.iter().enumerate() {
            if let Ok(place) = find(&same, symbol)
                && let Some((_, first)) = same.get_mut(place)
            {
                first.get_or_insert(index);
            }
        }
        let same: Vec<Option<usize>> = dynamic
            .iter()
            .map(|symbol| same.get(find(&same, symbol).ok()?)?.1)
            .collect();
        let mut positions = Vec::with_capacity(dynamic.len());
        for (symbol, same) in dynamic.into_iter().zip(same) {
            positions.push(same.unwrap_or(self.symbols.len()));
            if same.is_none() {
                self.symbols.push(symbol);
            }
        }
        Ok(positions)
    }

    fn symbol(
        &mut self,
        table: &SymbolTable<'a, Header>,
        index: object::SymbolIndex,
        symbol: &elf::Sym64<LittleEndian>,
    ) -> Result<Symbol, ReadError> {
        let name = symbol
            .name(LE, table.strings())
            .map_err(malformed("symbol names"))?;
        let mut name = self.name(name)?;
        let place = match symbol.st_shndx(LE) {
            elf::SHN_UNDEF => Place::Undefined,
            elf::SHN_ABS => Place::Absolute,
            elf::SHN_COMMON => Place::Common {
                align: symbol.st_value(LE),
            },
            special if special.0 >= elf::SHN_LORESERVE && special != elf::SHN_XINDEX => {
                Place::Other(special.0)
            }
            _ => match table
                .symbol_section(LE, symbol, index)
                .map_err(malformed("symbol table"))?
            {
                Some(section) => Place::Section(section.0),
                None => Place::Undefined,
            },
        };
        let mut value = symbol.st_value(LE);
        let kind = SymbolKind::from_number(symbol.st_type().0);
        if let Place::Section(section) = place
            && let Some(section) = self.sections.get(section)
        {
            if !self.linked {
                value = value.wrapping_add(section.address);
            }
            if kind == SymbolKind::Section && name.is_empty() {
                let section_name = section.name.clone();
                name = self.name(section_name.as_bytes())?;
            }
        }
        Ok(Symbol {
            name,
            value,
            size: symbol.st_size(LE),
            kind,
            binding: Binding::from_number(symbol.st_bind().0),
            visibility: Visibility::from_number(symbol.st_visibility().0),
            place,
        })
    }

    fn read_relocations(
        &mut self,
        table: &SectionTable<'a, Header>,
        positions: &[usize],
    ) -> Result<(), ReadError> {
        for header in table.iter() {
            let loaded = header.sh_flags(LE).0 & elf::SHF_ALLOC.0 != 0;
            // What a linked object keeps for a later link (`--emit-relocs`) is done already; and of an object
            // that was not linked only the loaded sections matter.
            let base = if self.linked {
                if !loaded {
                    continue;
                }
                0
            } else {
                let SectionIndex(target) = header.info_link(LE);
                match self.sections.get(target) {
                    Some(section) if section.is_loaded() => section.address,
                    _ => continue,
                }
            };
            if header.sh_type(LE) == elf::SHT_REL {
                return Err(ReadError::RelocationsWithoutAddend);
            }
            let Some((entries, _)) = header
                .rela(LE, self.bytes)
                .map_err(malformed("relocations"))?
            else {
                continue;
            };
            for entry in entries {
                self.spend_record("relocations")?;
                let address = base.wrapping_add(entry.r_offset(LE));
                let symbol = entry.r_sym(LE, false);
                let target = match symbol {
                    0 => RelocationTarget::Zero,
                    _ => usize::try_from(symbol)
                        .ok()
                        .and_then(|index| positions.get(index))
                        .map(|position| RelocationTarget::Symbol(*position))
                        .ok_or(ReadError::RelocationSymbol { address, symbol })?,
                };
                let kind = RelocationKind::from_number(entry.r_type(LE, false).0);
                self.relocations.push(Relocation {
                    address,
                    kind,
                    target,
                    addend: entry.r_addend(LE),
                });
            }
        }
        Ok(())
    }

    fn read_notes(&mut self, table: &SectionTable<'a, Header>) -> Result<(), ReadError> {
        let mut found = false;
        if self.linked {
            let headers = self
                .header
                .program_headers(LE, self.bytes)
                .map_err(malformed("program headers"))?;
            for header in headers {
                if header.p_type(LE) != elf::PT_NOTE {
                    continue;
                }
                let outside = || Warning::Notes("they lie outside the file".to_owned());
                match header.data(LE, self.bytes) {
                    Ok(notes) => {
                        found = true;
                        self.read_note_list(notes)?;
                    }
                    Err(()) => self.warnings.push(outside()),
                }
            }
        }
        if found {
            return Ok(());
        }
        for header in table.iter() {
            if header.sh_type(LE) != elf::SHT_NOTE {
                continue;
            }
            match header.data(LE, self.bytes) {
                Ok(notes) => self.read_note_list(notes)?,
                Err(error) => self.warnings.push(Warning::Notes(error.to_string())),
            }
        }
        Ok(())
    }

    /// Reads the notes of a section or segment. They begin at multiples of four bytes, also where AMD's OpenCL compiler
    /// says that their section is aligned to eight.
    fn read_note_list(&mut self, notes: &'a [u8]) -> Result<(), ReadError> {
        let broken = |error: object::Error| Warning::Notes(error.to_string());
        let align = (note::ALIGN as u32).into();
        let mut notes = match NoteIterator::<Header>::new(LE, align, notes) {
            Ok(notes) => notes,
            Err(error) => {
                self.warnings.push(broken(error));
                return Ok(());
            }
        };
        loop {
            let found = match notes.next() {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.warnings.push(Warning::Notes(error.to_string()));
                    return Ok(());
                }
            };
            self.spend_record("notes")?;
            let metadata = match (found.name(), found.n_type(LE).0) {
                (note::AMD, note::ISA_VERSION) => {
                    self.isa_note = self.isa_note.or_else(|| isa_version(found.desc()));
                    continue;
                }
                // Only the first counts: a second would only cost memory.
                _ if self.metadata.is_some() => continue,
                (note::AMD, note::HSA_METADATA) => Metadata::from_yaml_v2(found.desc()),
                (note::AMDGPU, note::METADATA) => Metadata::from_msgpack(found.desc()),
                _ => continue,
            };
            match metadata {
                Ok(metadata) => self.metadata = Some(metadata),
                Err(error) => {
                    self.warnings.push(error.into());
                    self.metadata = Some(Metadata::default());
                }
            }
        }
    }

    fn find_kernels(&mut self) -> Vec<Kernel> {
        let claims = self
            .metadata
            .as_ref()
            .map(|metadata| metadata.kernels.as_slice())
            .unwrap_or_default();
        let mut by_symbol: HashMap<&str, &KernelMetadata> = HashMap::new();
        for claim in claims {
            let symbol = claim
                .symbol
                .strip_suffix(".kd")
                .or_else(|| claim.symbol.strip_suffix("@kd"));
            by_symbol
                .entry(symbol.unwrap_or(&claim.name))
                .or_insert(claim);
        }
        let mut entries = HashMap::new();
        if !self.linked {
            let fields = self
                .relocations
                .iter()
                .filter(|relocation| relocation.kind == RelocationKind::Rel64);
            entries.extend(fields.map(|relocation| (relocation.address, *relocation)));
        }
        let functions: HashMap<&str, u64> = self
            .symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Function)
            .map(|symbol| (symbol.name.as_str(), symbol.size))
            .collect();
        let mut seen = HashSet::new();
        let mut kernels = Vec::new();
        for symbol in self
            .symbols
            .iter()
            .filter(|symbol| matches!(symbol.place, Place::Section(_)))
        {
            let address = symbol.value;
            let name = match (self.version, symbol.kind) {
                (Version::V2, SymbolKind::HsaKernel) => symbol.name.as_str(),
                (Version::V2, _) => continue,
                (_, SymbolKind::Object | SymbolKind::NoType) => {
                    match symbol.name.strip_suffix(".kd") {
                        Some(name) => name,
                        None => continue,
                    }
                }
                _ => continue,
            };
            if !seen.insert(name) {
                continue;
            }
            let (decoded, code_size) = if self.version == Version::V2 {
                let decoded = self
                    .bytes_at::<KERNEL_CODE_SIZE>(address)
                    .map(KernelDescriptor::decode_kernel_code);
                let entry = decoded
                    .as_ref()
                    .map_or(0, |descriptor| descriptor.kernel_code_entry_byte_offset);
                (
                    decoded,
                    symbol.size.saturating_sub(entry.max(0).cast_unsigned()),
                )
            } else {
                let decoded = self
                    .bytes_at::<DESCRIPTOR_SIZE>(address)
                    .map(KernelDescriptor::decode);
                (decoded, functions.get(name).copied().unwrap_or(0))
            };
            let Some(mut descriptor) = decoded else {
                self.warnings.push(Warning::Descriptor {
                    kernel: name.to_owned(),
                    address,
                });
                continue;
            };
            if let Some(relocation) = entries.get(&address.wrapping_add(ENTRY_OFFSET_FIELD))
                && let RelocationTarget::Symbol(target) = relocation.target
                && let Some(target) = self.symbols.get(target)
            {
                let value = target
                    .value
                    .wrapping_add_signed(relocation.addend)
                    .wrapping_sub(relocation.address);
                descriptor.kernel_code_entry_byte_offset = value.cast_signed();
            }
            let entry_address =
                address.wrapping_add_signed(descriptor.kernel_code_entry_byte_offset);
            if !self
                .segments
                .iter()
                .any(|segment| segment.execute && segment.contains(entry_address))
            {
                self.warnings.push(Warning::Entry {
                    kernel: name.to_owned(),
                    address: entry_address,
                });
            }
            kernels.push(Kernel {
                name: name.to_owned(),
                descriptor_address: address,
                entry_address,
                code_size,
                descriptor,
                metadata: by_symbol.remove(name).cloned(),
            });
        }
        kernels.sort_by(|a, b| a.name.cmp(&b.name));
        let mut orphans: Vec<&str> = by_symbol.into_keys().collect();
        orphans.sort_unstable();
        let orphans = orphans.into_iter().map(|kernel| Warning::NoSymbol {
            kernel: kernel.to_owned(),
        });
        let problems = claims.iter().flat_map(|claim| {
            let of = move |problem| Warning::Claim {
                kernel: claim.name.clone(),
                problem,
            };
            claim.problems().into_iter().map(of)
        });
        self.warnings.extend(orphans.chain(problems));
        kernels
    }

    fn bytes_at<const N: usize>(&self, address: u64) -> Option<&'a [u8; N]> {
        let segment = self
            .segments
            .iter()
            .find(|segment| segment.contains(address))?;
        let offset = usize::try_from(address.checked_sub(segment.address)?).ok()?;
        self.bytes
            .get(segment.file.clone())?
            .get(offset..)?
            .first_chunk()
    }
}

fn isa_version(note: &[u8]) -> Option<IsaVersion> {
    // Two 16-bit sizes of names, then the numbers, then the names.
    let (numbers, _) = note.get(4..)?.as_chunks::<4>();
    let number = |index: usize| numbers.get(index).map(|bytes| u32::from_le_bytes(*bytes));
    Some(IsaVersion {
        major: number(0)?,
        minor: number(1)?,
        stepping: number(2)?,
    })
}

impl Segment {
    /// The address lies in it.
    pub fn contains(&self, address: u64) -> bool {
        address
            .checked_sub(self.address)
            .is_some_and(|offset| offset < self.size)
    }
}

impl CodeObject {
    /// LLVM's name of the processor that it was compiled for.
    pub fn processor(&self) -> Option<&'static str> {
        processor_name(self.flags.mach)
    }

    /// The bytes of a section as they are in the file; none for those that take no room there.
    pub fn section_bytes(&self, section: &Section) -> &[u8] {
        self.data.get(section.file.clone()).unwrap_or_default()
    }

    /// The kernel with this name, or else the only one that has it in its C++ source: with its parameters, without, without
    /// the arguments of templates, or without what it is inside of. The first of these that any kernel has counts.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        let exact = self.kernels.iter().find(|kernel| kernel.name == name);
        exact.or_else(|| {
            let names = self.kernels.iter().map(|kernel| cpp::names(&kernel.name));
            let names: Vec<_> = names.collect();
            (0..cpp::FORMS).find_map(|form| {
                let has_it = |names: &Option<[String; cpp::FORMS]>| {
                    names.as_ref().is_some_and(|names| names[form] == name)
                };
                let mut several = (0..names.len()).filter(|&index| has_it(&names[index]));
                let first = several.next()?;
                Some(several.next().is_none().then(|| &self.kernels[first]))
            })?
        })
    }

    /// The first symbol with this name that is defined.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols
            .iter()
            .find(|symbol| symbol.name == name && symbol.place != Place::Undefined)
    }
}
