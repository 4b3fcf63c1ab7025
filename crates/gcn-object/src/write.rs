//! Linked, loadable code objects out of sections, symbols and relocations.
//!
//! What comes out is what a linker makes of one input with `-shared`: segments on pages of their own for
//! read-only data, code and what is written; dynamic symbols for what is seen outside; and relocations left over
//! only for addresses that depend on where the object is loaded. The same input gives the same bytes.
//!
//! A kernel needs, for the reader and for a runtime, a symbol `k` of kind [`SymbolKind::Function`] at its code and
//! a symbol `k.kd` of kind [`SymbolKind::Object`] and 64 bytes at its descriptor, both global and
//! [protected](Visibility::Protected), and in the descriptor a [`RelocationKind::Rel64`] at
//! [`ENTRY_OFFSET_FIELD`](crate::ENTRY_OFFSET_FIELD) against `k` with that number as the addend.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use object::elf;
use thiserror::Error;

use crate::elf::{Binding, ELFOSABI_AMDGPU_HSA, RelocationKind, SymbolKind, Visibility};
use crate::image::MAX_IMAGE_BYTES;
use crate::note::{self, Note};
use crate::reader::{GOT_SLOT, MAX_ALIGN, PAGE};
use crate::target::{Flags, Version};

/// A code object in the making. What sections hold may be borrowed until it is built.
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    /// The version of the format.
    pub version: Version,
    /// Processor, XNACK and SRAM-ECC.
    pub flags: Flags,
    /// The metadata note, MessagePack: from [`metadata_from_yaml`](crate::metadata_from_yaml) or
    /// [`Metadata::to_msgpack`](crate::Metadata::to_msgpack). Version 2 has none.
    pub metadata: Option<Vec<u8>>,
    sections: Vec<Section<'a>>,
    symbols: Vec<Symbol>,
    relocations: Vec<Relocation>,
}

/// A section of a [`Builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SectionId(usize);

/// A symbol of a [`Builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolId(usize);

/// A section to be written.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// Any name but those of the tables that the builder makes.
    pub name: String,
    /// What is in it.
    pub contents: Contents<'a>,
    /// Its meaning to ELF.
    pub kind: SectionKind,
    /// Alignment in bytes: a power of two up to 65536; zero means one.
    pub align: u64,
    /// The address that it is linked for, if it must be that. What has no address then comes behind all that has.
    pub address: Option<u64>,
    /// It occupies memory (`SHF_ALLOC`).
    pub loaded: bool,
    /// It is written to (`SHF_WRITE`).
    pub write: bool,
    /// It is code (`SHF_EXECINSTR`).
    pub execute: bool,
}

/// The bytes of a section.
#[derive(Clone, Debug)]
pub enum Contents<'a> {
    /// These.
    Bytes(Cow<'a, [u8]>),
    /// So many zeros, which take no room in the file.
    Zeros(u64),
}

/// The meaning of a section to ELF; one without bytes in the file is always `SHT_NOBITS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SectionKind {
    /// `SHT_PROGBITS`.
    #[default]
    Program,
    /// `SHT_NOTE`.
    Note,
    /// Another type number.
    Other(u32),
}

/// Where a symbol is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// At an offset in a section.
    At(SectionId, u64),
    /// A number, not an address.
    Absolute(u64),
    /// Not here. Weak ones count as zero, others may not be referred to.
    Undefined,
}

/// A symbol to be written.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub definition: Definition,
    /// In bytes; zero if not known.
    pub size: u64,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Who sees it.
    pub binding: Binding,
    /// Whether it is seen outside the object.
    pub visibility: Visibility,
}

/// A field to be filled in once addresses are known.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    /// The section it is in.
    pub section: SectionId,
    /// Its offset there, in bytes.
    pub offset: u64,
    /// The formula. All but unknown ones; [`RelocationKind::Relative64`], which is the loader's, against a number
    /// only.
    pub kind: RelocationKind,
    /// S of the formula.
    pub target: Target,
    /// A of the formula.
    pub addend: i64,
}

/// What a relocation refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A symbol.
    Symbol(SymbolId),
    /// The start of a section, for labels that are no symbols.
    Section(SectionId),
}

/// Why there is no code object.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    /// Version 2 states its metadata in notes of its own, which are a section of the input.
    #[error("code object version 2 has no MessagePack metadata")]
    Version,
    /// Not a power of two, or too much.
    #[error("section {name} has alignment {align}, which is not a power of two up to {MAX_ALIGN}")]
    Align {
        /// Its name.
        name: String,
        /// As asked.
        align: u64,
    },
    /// An address is given and cannot be had: it is no multiple of the alignment, or another section is there.
    #[error("section {name} cannot be at {address:#x}: {reason}")]
    Address {
        /// Its name.
        name: String,
        /// As asked.
        address: u64,
        /// What is in the way.
        reason: String,
    },
    /// The builder makes this section.
    #[error("a section cannot be named {name:?}")]
    SectionName {
        /// Its name.
        name: String,
    },
    /// Not a name for ELF.
    #[error("a symbol cannot be named {name:?}")]
    SymbolName {
        /// Its name.
        name: String,
    },
    /// Two symbols that everybody sees have one name.
    #[error("symbol {name} is defined twice")]
    Duplicate {
        /// Its name.
        name: String,
    },
    /// ELF numbers sections with 16 bits.
    #[error("{count} sections are more than a code object may have")]
    TooManySections {
        /// How many.
        count: usize,
    },
    /// Too large to be loaded.
    #[error("the code object takes more than {MAX_IMAGE_BYTES} bytes")]
    TooLarge,
    /// An id of another builder.
    #[error("there is no such section or symbol")]
    NoSuchId,
    /// A relocation that cannot be done.
    #[error("{problem}")]
    Relocation {
        /// The relocation, counted from 0 in the order of [`Builder::relocation`].
        index: usize,
        /// What is wrong.
        problem: RelocationProblem,
    },
}

/// Why a relocation cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RelocationProblem {
    /// It needs a definition.
    #[error("symbol {symbol} is not defined")]
    Undefined {
        /// Its name.
        symbol: String,
    },
    /// It reaches beyond its section.
    #[error("the field at offset {offset} is outside section {section}")]
    Outside {
        /// The section's name.
        section: String,
        /// In bytes.
        offset: u64,
    },
    /// The field does not hold the number.
    #[error("{value:#x} does not fit the field")]
    Overflow {
        /// What is to be stored.
        value: u64,
    },
    /// 32 bits do not hold an address that depends on where the object is loaded.
    #[error("32 bits do not hold the address of {symbol}; use its halves or 64 bits")]
    Narrow {
        /// The symbol's or the section's name.
        symbol: String,
    },
    /// The distance to a number depends on where the object is loaded.
    #[error("{symbol} is a number, to which code that can be moved has no distance")]
    DistanceToNumber {
        /// Its name.
        symbol: String,
    },
    /// Not for input.
    #[error("relocation type {number} cannot be written")]
    Kind {
        /// The type.
        number: u32,
    },
}

const FILE_HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;
const SECTION_HEADER: u64 = 64;
const SYMBOL: u64 = 24;
const RELA: u64 = 24;
const DYNAMIC: u64 = 16;
const HASH_WORD: u64 = 4;
const WORD_ALIGN: u64 = 8;
/// Section indices from here on mean something else.
const MAX_SECTIONS: usize = 0xff00;

const DYNSYM: &str = ".dynsym";
const HASH: &str = ".hash";
const DYNSTR: &str = ".dynstr";
const RELA_DYN: &str = ".rela.dyn";
const DYNAMIC_NAME: &str = ".dynamic";
const SYMTAB: &str = ".symtab";
const STRTAB: &str = ".strtab";
const SHSTRTAB: &str = ".shstrtab";
const MADE_HERE: [&str; 8] = [
    DYNSYM,
    HASH,
    DYNSTR,
    RELA_DYN,
    DYNAMIC_NAME,
    SYMTAB,
    STRTAB,
    SHSTRTAB,
];

impl<'a> Builder<'a> {
    /// An empty object.
    pub fn new(version: Version, flags: Flags) -> Self {
        Self {
            version,
            flags,
            metadata: None,
            sections: Vec::new(),
            symbols: Vec::new(),
            relocations: Vec::new(),
        }
    }

    /// Adds a section. Sections keep their order among those with the same rights.
    pub fn section(&mut self, section: Section<'a>) -> SectionId {
        self.sections.push(section);
        SectionId(self.sections.len() - 1)
    }

    /// Adds a symbol.
    pub fn symbol(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId(self.symbols.len() - 1)
    }

    /// Adds a field to be filled in.
    pub fn relocation(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }

    /// The file.
    ///
    /// # Errors
    /// Everything that is wrong with the input.
    pub fn build(mut self) -> Result<Vec<u8>, Vec<WriteError>> {
        let errors = self.input_errors();
        if !errors.is_empty() {
            return Err(errors);
        }
        self.make_got();
        let mut errors = Vec::new();
        let dynamic = self.dynamic_relocations(&mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut layout = Layout::new(&self, dynamic).map_err(|error| vec![error])?;
        layout.fill_tables(&self);
        let mut file = layout.write(self.version, self.flags);
        layout.relocate(&self, &mut file)?;
        Ok(file)
    }

    fn input_errors(&self) -> Vec<WriteError> {
        let mut errors = Vec::new();
        if self.version == Version::V2 && self.metadata.is_some() {
            errors.push(WriteError::Version);
        }
        let mut bytes = 0u64;
        for section in &self.sections {
            let align = section.align.max(1);
            if !align.is_power_of_two() || align > MAX_ALIGN {
                errors.push(WriteError::Align {
                    name: section.name.clone(),
                    align,
                });
            }
            if MADE_HERE.contains(&section.name.as_str()) || section.name.contains('\0') {
                errors.push(WriteError::SectionName {
                    name: section.name.clone(),
                });
            }
            bytes = bytes.saturating_add(section.size()).saturating_add(align);
        }
        if bytes > MAX_IMAGE_BYTES {
            errors.push(WriteError::TooLarge);
        }
        // The tables made here need indices too.
        if self.sections.len() + MADE_HERE.len() + 2 >= MAX_SECTIONS {
            errors.push(WriteError::TooManySections {
                count: self.sections.len(),
            });
        }
        let mut names = HashSet::new();
        for symbol in &self.symbols {
            if symbol.name.contains('\0') {
                errors.push(WriteError::SymbolName {
                    name: symbol.name.clone(),
                });
            }
            let seen_by_all =
                symbol.binding != Binding::Local && symbol.definition != Definition::Undefined;
            if seen_by_all && !names.insert(symbol.name.as_str()) {
                errors.push(WriteError::Duplicate {
                    name: symbol.name.clone(),
                });
            }
            if let Definition::At(SectionId(section), _) = symbol.definition
                && section >= self.sections.len()
            {
                errors.push(WriteError::NoSuchId);
            }
        }
        for (index, relocation) in self.relocations.iter().enumerate() {
            if let Err(problem) = self.check(relocation) {
                errors.push(problem.map_or(WriteError::NoSuchId, |problem| {
                    WriteError::Relocation { index, problem }
                }));
            }
        }
        errors
    }

    /// `Err(None)` is an id of another builder.
    fn check(&self, relocation: &Relocation) -> Result<(), Option<RelocationProblem>> {
        let Relocation {
            section: SectionId(section),
            offset,
            kind,
            target,
            ..
        } = *relocation;
        let section = self.sections.get(section).ok_or(None)?;
        match target {
            Target::Section(SectionId(target)) => self.sections.get(target).map(|_| ()),
            Target::Symbol(SymbolId(target)) => self.symbols.get(target).map(|_| ()),
        }
        .ok_or(None)?;
        let number = kind.number();
        let width = match kind {
            RelocationKind::None => 0,
            RelocationKind::Relative64 if matches!(self.value(target), Some((Some(_), _))) => {
                return Err(Some(RelocationProblem::Kind { number }));
            }
            _ => kind
                .width()
                .ok_or(Some(RelocationProblem::Kind { number }))?,
        };
        let end = offset.checked_add(width);
        let inside = match &section.contents {
            Contents::Bytes(bytes) => end.is_some_and(|end| end <= bytes.len() as u64),
            Contents::Zeros(_) => false,
        };
        if !inside {
            return Err(Some(RelocationProblem::Outside {
                section: section.name.clone(),
                offset,
            }));
        }
        let undefined = |symbol: &Symbol| {
            Err(Some(RelocationProblem::Undefined {
                symbol: symbol.name.clone(),
            }))
        };
        match (self.value(target), target) {
            (None, Target::Symbol(SymbolId(symbol))) => {
                self.symbols.get(symbol).map_or(Err(None), undefined)
            }
            _ => Ok(()),
        }
    }

    /// Where a target is: a section and an offset, or a number. `None` for symbols that are not defined.
    fn value(&self, target: Target) -> Option<(Option<usize>, u64)> {
        match target {
            Target::Section(SectionId(section)) => Some((Some(section), 0)),
            Target::Symbol(SymbolId(symbol)) => {
                let symbol = self.symbols.get(symbol)?;
                match symbol.definition {
                    Definition::At(SectionId(section), offset) => Some((Some(section), offset)),
                    Definition::Absolute(value) => Some((None, value)),
                    Definition::Undefined if symbol.binding == Binding::Weak => Some((None, 0)),
                    Definition::Undefined => None,
                }
            }
        }
    }

    fn target_name(&self, target: Target) -> &str {
        let name = match target {
            Target::Section(SectionId(section)) => {
                self.sections.get(section).map(|section| &section.name)
            }
            Target::Symbol(SymbolId(symbol)) => self.symbols.get(symbol).map(|symbol| &symbol.name),
        };
        name.map_or("", String::as_str)
    }

    /// Gives each symbol that is reached through the global offset table its slot there.
    fn make_got(&mut self) {
        let got = SectionId(self.sections.len());
        let mut slots: HashMap<Target, u64> = HashMap::new();
        let mut filled = Vec::new();
        for relocation in &mut self.relocations {
            let Some(kind) = relocation.kind.without_got() else {
                continue;
            };
            let next = slots.len() as u64 * GOT_SLOT;
            let slot = *slots.entry(relocation.target).or_insert_with(|| {
                let (kind, target) = (RelocationKind::Abs64, relocation.target);
                filled.push(Relocation {
                    section: got,
                    offset: next,
                    kind,
                    target,
                    addend: 0,
                });
                next
            });
            relocation.kind = kind;
            relocation.target = Target::Section(got);
            relocation.addend = relocation.addend.wrapping_add_unsigned(slot);
        }
        if filled.is_empty() {
            return;
        }
        self.sections.push(Section {
            name: ".got".to_owned(),
            contents: Contents::Bytes(vec![0; filled.len() * GOT_SLOT as usize].into()),
            kind: SectionKind::Program,
            align: GOT_SLOT,
            address: None,
            loaded: true,
            write: true,
            execute: false,
        });
        self.relocations.append(&mut filled);
    }

    /// The relocations, by index, that are left to the loader.
    fn dynamic_relocations(&self, errors: &mut Vec<WriteError>) -> HashSet<usize> {
        let mut dynamic = HashSet::new();
        for (index, relocation) in self.relocations.iter().enumerate() {
            let loaded = self
                .sections
                .get(relocation.section.0)
                .is_some_and(|section| section.loaded);
            let moves = matches!(self.value(relocation.target), Some((Some(_), _)));
            if !loaded || relocation.kind == RelocationKind::None {
                continue;
            }
            if relocation.kind == RelocationKind::Relative64 {
                dynamic.insert(index);
                continue;
            }
            let mut fail = |problem| errors.push(WriteError::Relocation { index, problem });
            match (relocation.kind.is_pc_relative(), moves) {
                (true, true) | (false, false) => {}
                (true, false) => {
                    fail(RelocationProblem::DistanceToNumber {
                        symbol: self.target_name(relocation.target).to_owned(),
                    });
                }
                (false, true) if relocation.kind == RelocationKind::Abs32 => {
                    fail(RelocationProblem::Narrow {
                        symbol: self.target_name(relocation.target).to_owned(),
                    });
                }
                (false, true) => {
                    dynamic.insert(index);
                }
            }
        }
        dynamic
    }
}

impl Section<'_> {
    fn size(&self) -> u64 {
        match &self.contents {
            Contents::Bytes(bytes) => bytes.len() as u64,
            Contents::Zeros(size) => *size,
        }
    }

    fn number(&self) -> u32 {
        match (&self.contents, self.kind) {
            (Contents::Zeros(_), _) => elf::SHT_NOBITS.0,
            (_, SectionKind::Program) => elf::SHT_PROGBITS.0,
            (_, SectionKind::Note) => elf::SHT_NOTE.0,
            (_, SectionKind::Other(number)) => number,
        }
    }
}

impl Symbol {
    /// Seen outside the object.
    fn is_exported(&self) -> bool {
        self.binding != Binding::Local
            && !matches!(self.visibility, Visibility::Hidden | Visibility::Internal)
            && self.definition != Definition::Undefined
    }
}

/// A section of the file.
struct Output<'a> {
    name: &'a str,
    kind: u32,
    flags: u64,
    align: u64,
    size: u64,
    /// Empty for those without bytes in the file, and for tables not yet filled.
    bytes: Cow<'a, [u8]>,
    link: u32,
    info: u32,
    entry: u64,
    /// The address is given, not to be found.
    is_fixed: bool,
    address: u64,
    offset: u64,
}

impl Output<'_> {
    fn table(
        name: &'static str,
        kind: elf::SectionType,
        flags: elf::SectionFlags,
        align: u64,
        size: u64,
    ) -> Self {
        Self {
            name,
            kind: kind.0,
            flags: flags.0,
            align,
            size,
            bytes: Cow::default(),
            link: 0,
            info: 0,
            entry: 0,
            is_fixed: false,
            address: 0,
            offset: 0,
        }
    }

    fn has(&self, flag: elf::SectionFlags) -> bool {
        self.flags & flag.0 != 0
    }

    fn in_file(&self) -> bool {
        self.kind != elf::SHT_NOBITS.0
    }

    /// Whether the given address can be had: `free` is the first that nothing is at.
    fn check_address(&self, free: u64) -> Result<(), WriteError> {
        let reason = if self.address < free {
            format!("what stands before it ends at {free:#x}")
        } else if !self.address.is_multiple_of(self.align.max(1)) {
            format!("it is aligned to {} bytes", self.align)
        } else if self.address > MAX_IMAGE_BYTES {
            return Err(WriteError::TooLarge);
        } else {
            return Ok(());
        };
        Err(WriteError::Address {
            name: self.name.to_owned(),
            address: self.address,
            reason,
        })
    }

    /// Sections with the same rights share a segment; those that take no room in the file come last in it.
    fn group(&self) -> (bool, bool, bool) {
        (
            !self.has(elf::SHF_ALLOC),
            self.has(elf::SHF_WRITE),
            self.has(elf::SHF_EXECINSTR),
        )
    }
}

/// A run of sections with the same rights, as indices into the sections of the file.
struct Load {
    first: usize,
    end: usize,
    align: u64,
}

/// Whether a loader sees the headers of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Headers {
    /// The first segment begins with them.
    WithFirst,
    /// They are a segment, so that the object begins on a page although the first section has an address.
    Alone,
    /// A section has an address where they would be.
    NotLoaded,
}

/// The file, section by section.
struct Layout<'a> {
    outputs: Vec<Output<'a>>,
    loads: Vec<Load>,
    headers: Headers,
    /// Where each section of the builder went.
    placed: Vec<usize>,
    dynamic: HashSet<usize>,
    /// Targets in `.dynsym`, local ones first, and how many are local.
    dynamic_symbols: Vec<Target>,
    dynamic_locals: usize,
    dynamic_names: Strings<'a>,
    symbol_names: Strings<'a>,
    section_names: Strings<'a>,
    /// End of the file's contents, where the section headers are.
    headers_at: u64,
}

impl<'a> Layout<'a> {
    fn new(builder: &'a Builder<'_>, dynamic: HashSet<usize>) -> Result<Self, WriteError> {
        let (dynamic_symbols, dynamic_locals) = dynamic_symbols(builder, &dynamic);
        let mut dynamic_names = Strings::default();
        for target in &dynamic_symbols {
            dynamic_names.add(dynamic_name(builder, *target));
        }
        let mut layout = Self {
            outputs: vec![Output::table("", elf::SHT_NULL, elf::SectionFlags(0), 0, 0)],
            loads: Vec::new(),
            headers: Headers::WithFirst,
            placed: Vec::new(),
            dynamic,
            dynamic_symbols,
            dynamic_locals,
            dynamic_names,
            symbol_names: Strings::default(),
            section_names: Strings::default(),
            headers_at: 0,
        };
        layout.add_outputs(builder);
        layout.place()?;
        Ok(layout)
    }

    fn add_outputs(&mut self, builder: &'a Builder<'_>) {
        let alloc = elf::SHF_ALLOC;
        let mut made = Vec::new();
        if let Some(metadata) = &builder.metadata {
            let note = Note {
                owner: note::AMDGPU,
                kind: note::METADATA,
                description: metadata,
            };
            let note = note.encode();
            let size = note.len() as u64;
            let output = Output::table(".note", elf::SHT_NOTE, alloc, note::ALIGN, size);
            made.push(Output {
                bytes: note.into(),
                ..output
            });
        }
        let count = self.dynamic_symbols.len() as u64 + 1;
        let table = |name, kind, align, size, entry| Output {
            entry,
            ..Output::table(name, kind, alloc, align, size)
        };
        made.push(table(
            DYNSYM,
            elf::SHT_DYNSYM,
            WORD_ALIGN,
            count * SYMBOL,
            SYMBOL,
        ));
        made.push(table(
            HASH,
            elf::SHT_HASH,
            HASH_WORD,
            (2 + 2 * count) * HASH_WORD,
            HASH_WORD,
        ));
        let names = self.dynamic_names.bytes.clone();
        let dynstr = table(DYNSTR, elf::SHT_STRTAB, 1, names.len() as u64, 0);
        made.push(Output {
            bytes: names.into(),
            ..dynstr
        });
        if !self.dynamic.is_empty() {
            made.push(table(
                RELA_DYN,
                elf::SHT_RELA,
                WORD_ALIGN,
                self.dynamic.len() as u64 * RELA,
                RELA,
            ));
        }
        let entries = self.dynamic_entries(builder).len() as u64;
        let writable = elf::SectionFlags(alloc.0 | elf::SHF_WRITE.0);
        let output = Output::table(
            DYNAMIC_NAME,
            elf::SHT_DYNAMIC,
            writable,
            WORD_ALIGN,
            entries * DYNAMIC,
        );
        made.push(Output {
            entry: DYNAMIC,
            ..output
        });

        // Sorting is stable, so tables stay before the sections of the builder and those in their order.
        let mut all: Vec<(Option<usize>, Output<'_>)> =
            made.into_iter().map(|output| (None, output)).collect();
        all.extend(
            builder
                .sections
                .iter()
                .enumerate()
                .map(|(index, section)| (Some(index), section.output())),
        );
        all.sort_by_key(|(_, output)| {
            let usual = (output.group(), !output.in_file());
            (!output.is_fixed, output.address, usual)
        });
        self.placed = vec![0; builder.sections.len()];
        for (from, output) in all {
            if let Some(place) = from.and_then(|index| self.placed.get_mut(index)) {
                *place = self.outputs.len();
            }
            self.outputs.push(output);
        }

        let symbols = builder
            .symbols
            .iter()
            .filter(|symbol| symbol.definition != Definition::Undefined);
        let mut count = 1;
        for symbol in symbols {
            self.symbol_names.add(&symbol.name);
            count += 1;
        }
        let plain = elf::SectionFlags(0);
        let symtab = Output::table(SYMTAB, elf::SHT_SYMTAB, plain, WORD_ALIGN, count * SYMBOL);
        self.outputs.push(Output {
            entry: SYMBOL,
            ..symtab
        });
        for (name, bytes) in [
            (SHSTRTAB, Vec::new()),
            (STRTAB, self.symbol_names.bytes.clone()),
        ] {
            let size = bytes.len() as u64;
            self.outputs.push(Output {
                bytes: bytes.into(),
                ..Output::table(name, elf::SHT_STRTAB, plain, 1, size)
            });
        }
        let mut names = Strings::default();
        for output in &self.outputs {
            names.add(output.name);
        }
        if let Some(output) = self.find_mut(SHSTRTAB) {
            output.size = names.bytes.len() as u64;
            output.bytes = names.bytes.clone().into();
        }
        self.section_names = names;
    }

    /// Gives every section its offset in the file and its address. An address and its offset are equal modulo
    /// the page, so that a loader can map the file.
    fn place(&mut self) -> Result<(), WriteError> {
        let mut first = 1;
        while let Some(count) = self.load_length(first) {
            let outputs = self.outputs.get(first..).unwrap_or_default();
            let align = outputs.iter().take(count).map(|output| output.align).max();
            self.loads.push(Load {
                first,
                end: first + count,
                align: align.unwrap_or(1).max(PAGE),
            });
            first += count;
        }
        if let Some(fixed) = self.outputs.get(1).filter(|output| output.is_fixed) {
            let address = fixed.address;
            self.headers = Headers::Alone;
            if address < self.headers_size() {
                self.headers = Headers::NotLoaded;
            }
        }
        let mut offset = self.headers_size();
        let mut address = match self.headers {
            Headers::NotLoaded => 0,
            Headers::WithFirst | Headers::Alone => offset,
        };
        for (index, load) in self.loads.iter().enumerate() {
            let outputs = self
                .outputs
                .get_mut(load.first..load.end)
                .unwrap_or_default();
            match outputs.first() {
                Some(fixed) if fixed.is_fixed => {
                    fixed.check_address(address)?;
                    address = fixed.address;
                    let in_page = address % PAGE;
                    offset = up(offset.saturating_sub(in_page), PAGE) + in_page;
                }
                Some(free) if index != 0 => {
                    offset = up(offset, free.align);
                    address = up(address, load.align) + offset % load.align;
                }
                _ => {}
            }
            for output in outputs {
                if output.in_file() {
                    let padding = up(offset, output.align) - offset;
                    offset += padding;
                    address += padding;
                } else {
                    address = up(address, output.align);
                }
                (output.offset, output.address) = (offset, address);
                address += output.size;
                if output.in_file() {
                    offset += output.size;
                }
            }
        }
        if address > MAX_IMAGE_BYTES {
            return Err(WriteError::TooLarge);
        }
        for output in self.outputs.iter_mut().skip(first) {
            offset = up(offset, output.align);
            output.offset = offset;
            if output.in_file() {
                offset += output.size;
            }
        }
        self.headers_at = up(offset, WORD_ALIGN);
        Ok(())
    }

    fn notes(&self) -> impl Iterator<Item = &Output<'a>> {
        self.outputs
            .iter()
            .filter(|output| output.kind == elf::SHT_NOTE.0 && output.has(elf::SHF_ALLOC))
    }

    /// How many sections from the `first` on share a segment; nothing if it is not loaded. A section with an
    /// address has one for itself.
    fn load_length(&self, first: usize) -> Option<usize> {
        let rest = self.outputs.get(first..)?;
        let head = rest.first().filter(|output| output.has(elf::SHF_ALLOC))?;
        let group = head.group();
        let same = |output: &&Output| output.group() == group;
        Some(match head.is_fixed {
            true => 1,
            false => rest.iter().take_while(same).count(),
        })
    }

    fn program_header_count(&self) -> u64 {
        // The dynamic table and the stack; themselves if they are loaded, and their own segment.
        let own = match self.headers {
            Headers::NotLoaded => 0,
            Headers::WithFirst => 1,
            Headers::Alone => 2,
        };
        2 + own + self.loads.len() as u64 + self.notes().count() as u64
    }

    /// Where the contents of the file may begin.
    fn headers_size(&self) -> u64 {
        FILE_HEADER + PROGRAM_HEADER * self.program_header_count()
    }

    fn index(&self, name: &str) -> u32 {
        self.outputs
            .iter()
            .position(|output| output.name == name)
            .unwrap_or(0) as u32
    }

    fn find(&self, name: &str) -> Option<&Output<'a>> {
        self.outputs.iter().find(|output| output.name == name)
    }

    fn find_mut(&mut self, name: &str) -> Option<&mut Output<'a>> {
        self.outputs.iter_mut().find(|output| output.name == name)
    }

    fn output(&self, SectionId(section): SectionId) -> Option<&Output<'a>> {
        self.outputs.get(*self.placed.get(section)?)
    }

    /// S of a relocation, before the object is moved.
    fn address(&self, builder: &Builder<'_>, target: Target) -> u64 {
        match builder.value(target) {
            Some((Some(section), offset)) => self
                .output(SectionId(section))
                .map_or(0, |output| output.address)
                .wrapping_add(offset),
            Some((None, value)) => value,
            None => 0,
        }
    }

    /// Fills in the fields of the file that no loader needs to see.
    fn relocate(&self, builder: &Builder<'_>, file: &mut [u8]) -> Result<(), Vec<WriteError>> {
        let mut errors = Vec::new();
        for (index, relocation) in builder.relocations.iter().enumerate() {
            let Some(width) = relocation
                .kind
                .width()
                .filter(|_| !self.dynamic.contains(&index))
            else {
                continue;
            };
            let mut value = self
                .address(builder, relocation.target)
                .wrapping_add_signed(relocation.addend);
            let Some(output) = self.output(relocation.section) else {
                continue;
            };
            if relocation.kind.is_pc_relative() {
                value = value.wrapping_sub(output.address.wrapping_add(relocation.offset));
            }
            // The field is within the section, and the section within the file.
            let start = (output.offset + relocation.offset) as usize;
            let Some(field) = file.get_mut(start..start + width as usize) else {
                continue;
            };
            if relocation.kind.store(value, field).is_err() {
                let problem = RelocationProblem::Overflow { value };
                errors.push(WriteError::Relocation { index, problem });
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// Makes the tables whose contents depend on addresses.
    fn fill_tables(&mut self, builder: &'a Builder<'_>) {
        let mut dynsym = Bytes::default();
        dynsym.zeros(SYMBOL);
        for target in &self.dynamic_symbols {
            let name = self.dynamic_names.offset(dynamic_name(builder, *target));
            match *target {
                Target::Symbol(SymbolId(symbol)) => {
                    let Some(symbol) = builder.symbols.get(symbol) else {
                        continue;
                    };
                    self.symbol(builder, *target, symbol, name, &mut dynsym);
                }
                Target::Section(section) => {
                    dynsym.u32(name);
                    dynsym.u8(elf::STT_SECTION.0);
                    dynsym.u8(Visibility::Default.number());
                    dynsym.u16(self.placed.get(section.0).map_or(0, |place| *place as u16));
                    dynsym.u64(self.address(builder, *target));
                    dynsym.u64(0);
                }
            }
        }
        let (dynstr, dynsym_index) = (self.index(DYNSTR), self.index(DYNSYM));
        let locals = self.dynamic_locals as u32 + 1;
        self.fill(DYNSYM, dynsym, dynstr, locals);
        let hash = self.hash_table(builder);
        self.fill(HASH, hash, dynsym_index, 0);
        let relocations = self.rela_dyn(builder);
        self.fill(RELA_DYN, relocations, dynsym_index, 0);
        let mut dynamic = Bytes::default();
        for (tag, value) in self.dynamic_entries(builder) {
            dynamic.u64(tag.cast_unsigned());
            dynamic.u64(value);
        }
        self.fill(DYNAMIC_NAME, dynamic, dynstr, 0);

        let symbols = || {
            let all = builder.symbols.iter().enumerate();
            all.filter(|(_, symbol)| symbol.definition != Definition::Undefined)
        };
        let mut symtab = Bytes::default();
        symtab.zeros(SYMBOL);
        let mut locals = 1;
        for exported in [false, true] {
            for (index, symbol) in symbols().filter(|(_, symbol)| symbol.is_exported() == exported)
            {
                let name = self.symbol_names.offset(&symbol.name);
                self.symbol(
                    builder,
                    Target::Symbol(SymbolId(index)),
                    symbol,
                    name,
                    &mut symtab,
                );
                locals += u32::from(!exported);
            }
        }
        self.fill(SYMTAB, symtab, self.index(STRTAB), locals);
    }

    fn fill(&mut self, name: &str, bytes: Bytes, link: u32, info: u32) {
        if let Some(output) = self.find_mut(name) {
            debug_assert_eq!(
                output.size,
                bytes.0.len() as u64,
                "the size of {name} was foreseen wrongly"
            );
            output.bytes = bytes.0.into();
            output.link = link;
            output.info = info;
        }
    }

    fn symbol(
        &self,
        builder: &Builder<'_>,
        target: Target,
        symbol: &Symbol,
        name: u32,
        table: &mut Bytes,
    ) {
        // What is not seen outside is local once the object is linked.
        let binding = if symbol.is_exported() {
            symbol.binding
        } else {
            Binding::Local
        };
        table.u32(name);
        table.u8(binding.number() << 4 | symbol.kind.number() & 0xf);
        table.u8(symbol.visibility.number());
        table.u16(match symbol.definition {
            Definition::At(SectionId(section), _) => {
                self.placed.get(section).map_or(0, |place| *place as u16)
            }
            Definition::Absolute(_) => elf::SHN_ABS.0,
            Definition::Undefined => elf::SHN_UNDEF.0,
        });
        table.u64(self.address(builder, target));
        table.u64(symbol.size);
    }

    /// One bucket a symbol: small tables, short chains.
    fn hash_table(&self, builder: &Builder<'_>) -> Bytes {
        let count = self.dynamic_symbols.len() + 1;
        let mut buckets = vec![0u32; count];
        let mut chains = vec![0u32; count];
        for (index, target) in self
            .dynamic_symbols
            .iter()
            .enumerate()
            .skip(self.dynamic_locals)
        {
            let name = dynamic_name(builder, *target);
            let bucket = elf::hash(name.as_bytes()) as usize % count;
            let symbol = index + 1;
            if let (Some(bucket), Some(chain)) = (buckets.get_mut(bucket), chains.get_mut(symbol)) {
                *chain = std::mem::replace(bucket, symbol as u32);
            }
        }
        let mut table = Bytes::default();
        table.u32(count as u32);
        table.u32(count as u32);
        buckets
            .into_iter()
            .chain(chains)
            .for_each(|word| table.u32(word));
        table
    }

    fn rela_dyn(&self, builder: &Builder<'_>) -> Bytes {
        let positions: HashMap<Target, u64> = self
            .dynamic_symbols
            .iter()
            .enumerate()
            .map(|(index, target)| (*target, index as u64 + 1))
            .collect();
        let mut table = Bytes::default();
        for (index, relocation) in builder.relocations.iter().enumerate() {
            if !self.dynamic.contains(&index) {
                continue;
            }
            let section = self
                .output(relocation.section)
                .map_or(0, |output| output.address);
            table.u64(section.wrapping_add(relocation.offset));
            if matches!(
                relocation.kind,
                RelocationKind::Abs64 | RelocationKind::Relative64
            ) {
                let value = self
                    .address(builder, relocation.target)
                    .wrapping_add_signed(relocation.addend);
                table.u64(RelocationKind::Relative64.number().into());
                table.u64(value);
            } else {
                let symbol = positions.get(&relocation.target).copied().unwrap_or(0);
                table.u64(symbol << 32 | u64::from(relocation.kind.number()));
                table.u64(relocation.addend.cast_unsigned());
            }
        }
        table
    }

    fn dynamic_entries(&self, builder: &Builder<'_>) -> Vec<(i64, u64)> {
        let address = |name| self.find(name).map_or(0, |output| output.address);
        let mut entries = vec![
            (elf::DT_SYMTAB, address(DYNSYM)),
            (elf::DT_SYMENT, SYMBOL),
            (elf::DT_STRTAB, address(DYNSTR)),
            (elf::DT_STRSZ, self.dynamic_names.bytes.len() as u64),
            (elf::DT_HASH, address(HASH)),
        ];
        if !self.dynamic.is_empty() {
            entries.extend([
                (elf::DT_RELA, address(RELA_DYN)),
                (elf::DT_RELASZ, self.dynamic.len() as u64 * RELA),
                (elf::DT_RELAENT, RELA),
            ]);
        }
        let read_only = |index: &usize| {
            let section = builder
                .relocations
                .get(*index)
                .and_then(|it| builder.sections.get(it.section.0));
            section.is_some_and(|section| !section.write)
        };
        if self.dynamic.iter().any(read_only) {
            entries.push((elf::DT_TEXTREL, 0));
        }
        entries.push((elf::DT_NULL, 0));
        entries
            .into_iter()
            .map(|(tag, value)| (tag.0, value))
            .collect()
    }

    fn write(&self, version: Version, flags: Flags) -> Vec<u8> {
        let end = self.headers_at + SECTION_HEADER * self.outputs.len() as u64;
        let mut file = Bytes(Vec::with_capacity(end as usize));
        file.0.extend(elf::ELFMAG);
        file.u8(elf::ELFCLASS64.0);
        file.u8(elf::ELFDATA2LSB.0);
        file.u8(elf::EV_CURRENT.0);
        file.u8(ELFOSABI_AMDGPU_HSA);
        file.u8(version.abi_version());
        file.pad(16);
        file.u16(elf::ET_DYN.0);
        file.u16(elf::EM_AMDGPU.0);
        file.u32(elf::EV_CURRENT.0.into());
        file.u64(0);
        file.u64(FILE_HEADER);
        file.u64(self.headers_at);
        file.u32(flags.encode(version));
        file.u16(FILE_HEADER as u16);
        file.u16(PROGRAM_HEADER as u16);
        file.u16(self.program_header_count() as u16);
        file.u16(SECTION_HEADER as u16);
        file.u16(self.outputs.len() as u16);
        file.u16(self.index(SHSTRTAB) as u16);
        self.program_headers(&mut file);
        for output in self
            .outputs
            .iter()
            .skip(1)
            .filter(|output| output.in_file())
        {
            file.pad(output.offset);
            file.0.extend_from_slice(&output.bytes);
        }
        file.pad(self.headers_at);
        for output in &self.outputs {
            file.u32(self.section_names.offset(output.name));
            file.u32(output.kind);
            file.u64(output.flags);
            file.u64(output.address);
            file.u64(output.offset);
            file.u64(output.size);
            file.u32(output.link);
            file.u32(output.info);
            file.u64(output.align);
            file.u64(output.entry);
        }
        file.0
    }

    fn program_headers(&self, file: &mut Bytes) {
        let (read, write, execute) = (elf::PF_R.0, elf::PF_W.0, elf::PF_X.0);
        let mut header = |kind: elf::ProgramType,
                          flags: u32,
                          offset: u64,
                          address: u64,
                          sizes: [u64; 2],
                          align: u64| {
            file.u32(kind.0);
            file.u32(flags);
            file.u64(offset);
            file.u64(address);
            file.u64(address);
            file.u64(sizes[0]);
            file.u64(sizes[1]);
            file.u64(align);
        };
        if self.headers != Headers::NotLoaded {
            let own = PROGRAM_HEADER * self.program_header_count();
            header(
                elf::PT_PHDR,
                read,
                FILE_HEADER,
                FILE_HEADER,
                [own; 2],
                WORD_ALIGN,
            );
        }
        if self.headers == Headers::Alone {
            let size = self.headers_size();
            header(elf::PT_LOAD, read, 0, 0, [size; 2], PAGE);
        }
        for (index, load) in self.loads.iter().enumerate() {
            let outputs = self.outputs.get(load.first..load.end).unwrap_or_default();
            let Some((first, last)) = outputs.first().zip(outputs.last()) else {
                continue;
            };
            // The first segment begins with the headers of the file.
            let (offset, address) = if index == 0 && self.headers == Headers::WithFirst {
                (0, 0)
            } else {
                (first.offset, first.address)
            };
            let bytes = outputs.iter().rfind(|output| output.in_file());
            let in_file = bytes.map_or(offset, |output| output.offset + output.size) - offset;
            let in_memory = last.address + last.size - address;
            let flags = read
                | if first.has(elf::SHF_WRITE) { write } else { 0 }
                | if first.has(elf::SHF_EXECINSTR) {
                    execute
                } else {
                    0
                };
            header(
                elf::PT_LOAD,
                flags,
                offset,
                address,
                [in_file, in_memory],
                load.align,
            );
        }
        if let Some(dynamic) = self.find(DYNAMIC_NAME) {
            header(
                elf::PT_DYNAMIC,
                read | write,
                dynamic.offset,
                dynamic.address,
                [dynamic.size; 2],
                WORD_ALIGN,
            );
        }
        header(elf::PT_GNU_STACK, read | write, 0, 0, [0; 2], 0);
        for note in self.notes() {
            header(
                elf::PT_NOTE,
                read,
                note.offset,
                note.address,
                [note.size; 2],
                note.align,
            );
        }
    }
}

impl Section<'_> {
    fn output(&self) -> Output<'_> {
        let flag = |set: bool, flag: elf::SectionFlags| if set { flag.0 } else { 0 };
        Output {
            name: &self.name,
            kind: self.number(),
            flags: flag(self.loaded, elf::SHF_ALLOC)
                | flag(self.write, elf::SHF_WRITE)
                | flag(self.execute, elf::SHF_EXECINSTR),
            align: self.align.max(1),
            size: self.size(),
            bytes: match &self.contents {
                Contents::Bytes(bytes) => Cow::Borrowed(&**bytes),
                Contents::Zeros(_) => Cow::default(),
            },
            link: 0,
            info: 0,
            entry: 0,
            is_fixed: self.loaded && self.address.is_some(),
            address: self.address.filter(|_| self.loaded).unwrap_or(0),
            offset: 0,
        }
    }
}

/// What `.dynsym` lists: what relocations left to the loader refer to and nobody sees, then what is exported.
fn dynamic_symbols(builder: &Builder<'_>, dynamic: &HashSet<usize>) -> (Vec<Target>, usize) {
    let exported = |target: &Target| match target {
        Target::Symbol(SymbolId(symbol)) => builder
            .symbols
            .get(*symbol)
            .is_some_and(Symbol::is_exported),
        Target::Section(_) => false,
    };
    let mut known = HashSet::new();
    let mut list: Vec<Target> = builder
        .relocations
        .iter()
        .enumerate()
        .filter(|(index, relocation)| {
            let is_named = !matches!(
                relocation.kind,
                RelocationKind::Abs64 | RelocationKind::Relative64
            );
            dynamic.contains(index) && is_named
        })
        .map(|(_, relocation)| relocation.target)
        .filter(|target| !exported(target) && known.insert(*target))
        .collect();
    let locals = list.len();
    list.extend(
        (0..builder.symbols.len())
            .map(|index| Target::Symbol(SymbolId(index)))
            .filter(exported),
    );
    (list, locals)
}

/// The name of a target in `.dynsym`, where sections have none.
fn dynamic_name<'a>(builder: &'a Builder<'_>, target: Target) -> &'a str {
    match target {
        Target::Symbol(_) => builder.target_name(target),
        Target::Section(_) => "",
    }
}

/// The next multiple of a power of two; zero counts as one. Offsets here stay far from the end of `u64`, since
/// the input is no larger than [`MAX_IMAGE_BYTES`].
fn up(offset: u64, align: u64) -> u64 {
    offset.next_multiple_of(align.max(1))
}

/// Little-endian numbers one after another.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u8(&mut self, number: u8) {
        self.0.push(number);
    }

    fn u16(&mut self, number: u16) {
        self.0.extend(number.to_le_bytes());
    }

    fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn zeros(&mut self, count: u64) {
        self.pad(self.0.len() as u64 + count);
    }

    /// Zeros up to an offset.
    fn pad(&mut self, offset: u64) {
        self.0.resize(offset as usize, 0);
    }
}

/// A string table: each name once, in the order they come.
struct Strings<'a> {
    bytes: Vec<u8>,
    offsets: HashMap<&'a str, u32>,
}

impl Default for Strings<'_> {
    fn default() -> Self {
        Self {
            bytes: vec![0],
            offsets: HashMap::from([("", 0)]),
        }
    }
}

impl<'a> Strings<'a> {
    fn add(&mut self, name: &'a str) {
        if !self.offsets.contains_key(name) {
            self.offsets.insert(name, self.bytes.len() as u32);
            self.bytes.extend(name.as_bytes());
            self.bytes.push(0);
        }
    }

    /// Zero, the empty name, for what was not added.
    fn offset(&self, name: &str) -> u32 {
        self.offsets.get(name).copied().unwrap_or(0)
    }
}
