//! Builder input: sections, symbols and relocations.

use std::borrow::Cow;

use object::elf;

use crate::elf::{Binding, RelocationKind, SymbolKind, Visibility};
use crate::target::{Flags, Version};

/// Builder for a code object. Borrowed section contents must live until the object is built.
///
/// # Examples
/// ```
/// use gcn_object::{Flags, Version, metadata_from_yaml, read, write::Builder};
/// let mut builder = Builder::new(Version::V5, Flags { mach: 0x2f, ..Flags::default() });
/// builder.metadata = Some(metadata_from_yaml("amdhsa.version: [1, 2]")?);
/// let file = builder.build().expect("the input is valid");
/// assert_eq!(read(&file)?.metadata.expect("metadata was written").version, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    /// Version of the code object format.
    pub version: Version,
    /// Processor, and XNACK and SRAM ECC settings.
    pub flags: Flags,
    /// MessagePack metadata note, created by [`metadata_from_yaml`](crate::metadata_from_yaml) or
    /// [`Metadata::to_msgpack`](crate::Metadata::to_msgpack). `None` for version 2.
    pub metadata: Option<Vec<u8>>,
    pub(super) sections: Vec<InputSection<'a>>,
    pub(super) symbols: Vec<InputSymbol>,
    pub(super) relocations: Vec<InputRelocation>,
}

/// ID of a section in a [`Builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SectionId(pub(super) usize);

/// ID of a symbol in a [`Builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputSymbolId(pub(super) usize);

/// A section in the builder's input.
#[derive(Clone, Debug)]
pub struct InputSection<'a> {
    /// Section name. The names of tables that the builder generates are reserved.
    pub name: String,
    /// Section contents.
    pub contents: SectionContents<'a>,
    /// Section type.
    pub kind: InputSectionKind,
    /// Alignment in bytes: a power of two up to 65536; zero means one.
    pub align: u64,
    /// Required address, if any. Sections without a required address follow those that have one.
    pub address: Option<u64>,
    /// True if the section occupies memory (`SHF_ALLOC`).
    pub loaded: bool,
    /// True if the section is writable (`SHF_WRITE`).
    pub write: bool,
    /// True if the section contains code (`SHF_EXECINSTR`).
    pub execute: bool,
}

/// Contents of a section.
///
/// # Examples
/// ```
/// use gcn_object::write::{Builder, InputSection, InputSectionKind, SectionContents};
/// use gcn_object::{Flags, Version, read};
/// let mut builder = Builder::new(Version::V5, Flags { mach: 0x2f, ..Flags::default() });
/// builder.section(InputSection {
///     name: ".bss".to_owned(),
///     contents: SectionContents::Zeros(1 << 20),
///     kind: InputSectionKind::Program,
///     align: 16,
///     address: None,
///     loaded: true,
///     write: true,
///     execute: false,
/// });
/// let file = builder.build().expect("the input is valid");
/// assert!(file.len() < 1 << 16, "takes memory, but no bytes in the file");
/// let object = read(&file)?;
/// assert!(object.sections.iter().any(|section| section.size == 1 << 20 && section.file.is_empty()));
/// # Ok::<(), gcn_object::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub enum SectionContents<'a> {
    /// Bytes that are stored in the file.
    Bytes(Cow<'a, [u8]>),
    /// Zero bytes, given by their number and not stored in the file.
    Zeros(u64),
}

/// Section type. Sections without bytes in the file are always `SHT_NOBITS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputSectionKind {
    /// Program data (`SHT_PROGBITS`).
    #[default]
    Program,
    /// Notes (`SHT_NOTE`).
    Note,
    /// Another type number.
    Other(u32),
}

/// Definition of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// At an offset in a section.
    At(SectionId, u64),
    /// A number, not an address.
    Absolute(u64),
    /// Undefined. Weak symbols are zero; relocations against other undefined symbols are errors.
    Undefined,
}

/// A symbol in the builder's input.
#[derive(Clone, Debug)]
pub struct InputSymbol {
    /// Symbol name.
    pub name: String,
    /// Definition of the symbol.
    pub definition: Definition,
    /// Size in bytes; zero if unknown.
    pub size: u64,
    /// Symbol kind.
    pub kind: SymbolKind,
    /// Symbol binding.
    pub binding: Binding,
    /// Visibility outside the object.
    pub visibility: Visibility,
}

/// A relocation in the builder's input: a field whose value depends on addresses.
#[derive(Clone, Copy, Debug)]
pub struct InputRelocation {
    /// Section that contains the field.
    pub section: SectionId,
    /// Offset of the field in its section, in bytes.
    pub offset: u64,
    /// Formula of any known kind. [`RelocationKind::Relative64`], which the loader applies, is valid only against a
    /// number.
    pub kind: RelocationKind,
    /// Operand S of the formula.
    pub target: RelocationBase,
    /// Operand A of the formula.
    pub addend: i64,
}

/// Operand S of a relocation's formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelocationBase {
    /// Value of a symbol.
    Symbol(InputSymbolId),
    /// Start of a section, for labels that are not symbols.
    Section(SectionId),
}

impl<'a> Builder<'a> {
    /// Creates a builder for an empty object.
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

    /// Adds a section. Sections with the same access rights are kept in order.
    pub fn section(&mut self, section: InputSection<'a>) -> SectionId {
        self.sections.push(section);
        SectionId(self.sections.len() - 1)
    }

    /// Adds a symbol.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::write::{Builder, Definition, InputSymbol};
    /// use gcn_object::{Binding, Flags, SymbolKind, Version, Visibility, read};
    /// let mut builder = Builder::new(Version::V5, Flags { mach: 0x2f, ..Flags::default() });
    /// builder.symbol(InputSymbol {
    ///     name: "answer".to_owned(),
    ///     definition: Definition::Absolute(42),
    ///     size: 0,
    ///     kind: SymbolKind::NoType,
    ///     binding: Binding::Global,
    ///     visibility: Visibility::Default,
    /// });
    /// let file = builder.build().expect("the input is valid");
    /// assert_eq!(read(&file)?.symbol("answer").map(|symbol| symbol.value), Some(42));
    /// # Ok::<(), gcn_object::ReadError>(())
    /// ```
    pub fn symbol(&mut self, symbol: InputSymbol) -> InputSymbolId {
        self.symbols.push(symbol);
        InputSymbolId(self.symbols.len() - 1)
    }

    /// Adds a relocation.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::write::{Builder, InputRelocation, InputSection, InputSectionKind, RelocationBase, SectionContents};
    /// use gcn_object::{Flags, RelocationKind, Version, read};
    /// let mut builder = Builder::new(Version::V5, Flags { mach: 0x2f, ..Flags::default() });
    /// let section = builder.section(InputSection {
    ///     name: ".data".to_owned(),
    ///     contents: SectionContents::Bytes(vec![0; 8].into()),
    ///     kind: InputSectionKind::Program,
    ///     align: 8,
    ///     address: None,
    ///     loaded: true,
    ///     write: true,
    ///     execute: false,
    /// });
    /// // The field contains the address of its own section.
    /// let (kind, target) = (RelocationKind::Abs64, RelocationBase::Section(section));
    /// builder.relocation(InputRelocation { section, offset: 0, kind, target, addend: 0 });
    /// let file = builder.build().expect("the input is valid");
    /// let object = read(&file)?;
    /// let (mut image, data) = (object.image()?, object.relocations[0].address);
    /// let moved = image.base + 0x1000;
    /// object.apply_relocations(&mut image, moved).expect("all relocations are applied");
    /// assert_eq!(image.get(data, 8), Some(&(data + 0x1000).to_le_bytes()[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn relocation(&mut self, relocation: InputRelocation) {
        self.relocations.push(relocation);
    }

    /// Returns the section and offset of a symbol or section, or a number without a section; `None` for undefined
    /// symbols.
    pub(super) fn value(&self, target: RelocationBase) -> Option<(Option<usize>, u64)> {
        match target {
            RelocationBase::Section(SectionId(section)) => Some((Some(section), 0)),
            RelocationBase::Symbol(InputSymbolId(symbol)) => {
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

    pub(super) fn target_name(&self, target: RelocationBase) -> &str {
        let name = match target {
            RelocationBase::Section(SectionId(section)) => {
                self.sections.get(section).map(|section| &section.name)
            }
            RelocationBase::Symbol(InputSymbolId(symbol)) => {
                self.symbols.get(symbol).map(|symbol| &symbol.name)
            }
        };
        name.map_or("", String::as_str)
    }
}

impl InputSection<'_> {
    pub(super) fn size(&self) -> u64 {
        match &self.contents {
            SectionContents::Bytes(bytes) => bytes.len() as u64,
            SectionContents::Zeros(size) => *size,
        }
    }

    pub(super) fn number(&self) -> u32 {
        match (&self.contents, self.kind) {
            (SectionContents::Zeros(_), _) => elf::SHT_NOBITS.0,
            (_, InputSectionKind::Program) => elf::SHT_PROGBITS.0,
            (_, InputSectionKind::Note) => elf::SHT_NOTE.0,
            (_, InputSectionKind::Other(number)) => number,
        }
    }
}

impl InputSymbol {
    /// Returns true if the symbol is visible outside the object.
    pub(super) fn is_exported(&self) -> bool {
        self.binding != Binding::Local
            && !matches!(self.visibility, Visibility::Hidden | Visibility::Internal)
            && self.definition != Definition::Undefined
    }
}
