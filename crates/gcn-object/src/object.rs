//! Representation of a parsed code object: target, kernels, sections, symbols and relocations.

use std::ops::Range;

use object::elf;
use serde::Serialize;

use crate::bytes::Bytes;
use crate::descriptor::KernelDescriptor;
use crate::elf::{Binding, RelocationKind, SymbolKind, Visibility};
use crate::error::Warning;
use crate::metadata::{KernelMetadata, Metadata};
use crate::names::{NameError, find_name};
use crate::target::{Feature, Flags, IsaVersion, Version, processor_name};

/// A parsed code object. It keeps the bytes of its file, either borrowed or shared.
///
/// # Examples
/// ```
/// use gcn_object::{Version, read};
/// let object = read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
/// assert_eq!((object.version, object.processor()), (Version::V3, Some("gfx803")));
/// let kernel = object.kernel("scale").expect("the kernel exists");
/// assert_eq!(kernel.metadata.as_ref().map(|metadata| metadata.kernarg_segment_size), Some(48));
/// assert_eq!(object.symbol("table").map(|symbol| symbol.size), Some(16));
/// let code = object.sections.iter().find(|section| section.is_code()).expect("the object has code");
/// assert_eq!(object.section_bytes(code).len() as u64, code.size);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CodeObject<'a> {
    /// Version of the code object format.
    pub version: Version,
    /// Processor, and XNACK and SRAM ECC settings.
    pub flags: Flags,
    /// Processor stated in the ISA note of a version 2 object.
    pub isa_note: Option<IsaVersion>,
    /// True if the file is a linked object; false if [`read`](crate::read) assigned the addresses.
    pub linked: bool,
    /// Memory to load, in ascending order of addresses.
    pub segments: Vec<Segment>,
    /// Sections, including the null section, so that indices match those in the file.
    pub sections: Vec<Section>,
    /// Symbols in `.symtab`, followed by those that only `.dynsym` contains.
    pub symbols: Vec<Symbol>,
    /// Relocations that [`CodeObject::apply_relocations`] applies.
    pub relocations: Vec<Relocation>,
    /// Contents of the first valid metadata note.
    pub metadata: Option<Metadata>,
    /// Kernels, sorted by name.
    pub kernels: Vec<ObjectKernel>,
    /// Defects that do not prevent the object from being loaded.
    pub warnings: Vec<Warning>,
    pub(crate) data: Bytes<'a>,
}

/// A memory range with its access rights.
///
/// # Examples
/// ```
/// use gcn_object::Segment;
/// let segment = Segment { address: 0x1000, size: 0x100, file: 0x400..0x480, read: true, write: true, execute: false };
/// assert!(segment.contains(0x10ff) && !segment.contains(0x1100));
/// assert!((segment.file.len() as u64) < segment.size, "the second half is zero");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// Link address.
    pub address: u64,
    /// Size in memory, in bytes.
    pub size: u64,
    /// File range of the initial bytes; the remaining bytes are zero.
    pub file: Range<usize>,
    /// True if the memory is readable.
    pub read: bool,
    /// True if the memory is writable.
    pub write: bool,
    /// True if the memory is executable.
    pub execute: bool,
}

/// A section.
///
/// # Examples
/// ```
/// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
/// let named = |name: &str| object.sections.iter().find(|section| section.name == name).expect(name);
/// assert!(named(".text").is_loaded() && named(".text").is_code());
/// assert!(named(".rodata").is_loaded() && !named(".rodata").is_code());
/// assert!(!named(".debug_line").is_loaded(), "the section is for debuggers");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Section name.
    pub name: String,
    /// Section type (`sh_type`).
    pub kind: u32,
    /// Section flags (`sh_flags`).
    pub flags: u64,
    /// Link address; zero if the section is not loaded.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes; zero and one mean no alignment.
    pub align: u64,
    /// Range in the file, possibly empty.
    pub file: Range<usize>,
}

impl Section {
    /// Returns true if the section occupies memory.
    pub fn is_loaded(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }

    /// Returns true if the section contains code.
    pub fn is_code(&self) -> bool {
        self.is_loaded() && self.flags & elf::SHF_EXECINSTR.0 != 0
    }
}

/// Section of a symbol, or a special section index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum SymbolSection {
    /// The symbol is undefined.
    Undefined,
    /// The symbol's value is a number, not an address.
    Absolute,
    /// The symbol is in the section with this index.
    Section(usize),
    /// A linker allocates memory for the symbol. [`read`](crate::read) does this for relocatable objects.
    Common {
        /// Required alignment in bytes.
        align: u64,
    },
    /// The index has another special meaning.
    Other(u16),
}

/// A symbol.
///
/// # Examples
/// ```
/// use gcn_object::{Binding, SymbolKind, SymbolSection};
/// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
/// let table = object.symbol("table").expect("a variable");
/// assert_eq!((table.kind, table.binding, table.size), (SymbolKind::Object, Binding::Local, 16));
/// let SymbolSection::Section(index) = table.section else { panic!("the symbol is defined") };
/// assert_eq!(object.sections[index].name, ".rodata");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Symbol {
    /// Symbol name.
    pub name: String,
    /// Address, or a number if the symbol is absolute.
    pub value: u64,
    /// Size in bytes.
    pub size: u64,
    /// Symbol kind.
    pub kind: SymbolKind,
    /// Symbol binding.
    pub binding: Binding,
    /// Visibility outside the linked object.
    pub visibility: Visibility,
    /// Section that contains the definition.
    pub section: SymbolSection,
}

/// A field whose value depends on the load address or on a symbol.
///
/// # Examples
/// ```
/// use gcn_object::{Relocation, RelocationKind, RelocationTarget};
/// let mut object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
/// let address = object.symbol("table").expect("a variable").value;
/// let target = RelocationTarget::Address(object.kernels[0].entry_address);
/// object.relocations = vec![Relocation { address, kind: RelocationKind::Abs64, target, addend: 4 }];
/// let mut image = object.image()?;
/// let load_address = image.base + 0x10_0000;
/// object.apply_relocations(&mut image, load_address).expect("the address fits the field");
/// assert_eq!(image.get(address, 8), Some(&0x10_1704_u64.to_le_bytes()[..]), "S + A, where S has moved");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Relocation {
    /// Address of the field.
    pub address: u64,
    /// Formula that computes the field.
    pub kind: RelocationKind,
    /// Operand S of the formula.
    pub target: RelocationTarget,
    /// Operand A of the formula.
    pub addend: i64,
}

/// Operand S of a relocation's formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum RelocationTarget {
    /// The number zero.
    Zero,
    /// Value of a symbol, by its index in [`CodeObject::symbols`].
    Symbol(usize),
    /// Address in the object, which moves with the object.
    Address(u64),
}

/// A kernel.
///
/// # Examples
/// ```
/// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
/// let (kernel, image) = (&object.kernels[0], object.image()?);
/// assert_eq!((kernel.name.as_str(), kernel.code_size), ("scale", 184));
/// let code = image.get(kernel.entry_address, kernel.code_size).expect("the code is loaded");
/// assert!(code.ends_with(&0xbf81_0000_u32.to_le_bytes()), "S_ENDPGM");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectKernel {
    /// Symbol name, without the suffix `.kd`.
    pub name: String,
    /// Address of the kernel descriptor or `amd_kernel_code_t`.
    pub descriptor_address: u64,
    /// Address of the first instruction.
    pub entry_address: u64,
    /// Code size in bytes, starting at the entry point; zero if the symbol does not state it.
    pub code_size: u64,
    /// Contents of the kernel descriptor.
    pub descriptor: KernelDescriptor,
    /// Kernel metadata, if the object contains any.
    pub metadata: Option<KernelMetadata>,
}

impl Segment {
    /// Returns true if `address` is in the segment.
    pub fn contains(&self, address: u64) -> bool {
        address
            .checked_sub(self.address)
            .is_some_and(|offset| offset < self.size)
    }
}

impl CodeObject<'_> {
    /// Returns LLVM's name of the target processor.
    pub fn processor(&self) -> Option<&'static str> {
        processor_name(self.flags.mach)
    }

    /// Returns the target ID: the processor and its features, such as `gfx906:sramecc+:xnack-`; empty if the object
    /// states no processor. Versions 2 and 3 do not distinguish disabled from unsupported features.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{Feature, Flags, Version, processor_mach, read, write::Builder};
    /// let mach = processor_mach("gfx906").expect("a processor");
    /// let flags = Flags { mach, xnack: Feature::Off, sramecc: Feature::On, ..Flags::default() };
    /// let file = Builder::new(Version::V5, flags).build().expect("an empty object is valid");
    /// assert_eq!(read(&file)?.target_id(), "gfx906:sramecc+:xnack-");
    /// # Ok::<(), gcn_object::ReadError>(())
    /// ```
    pub fn target_id(&self) -> String {
        let isa_note = || Some(self.isa_note?.processor_name());
        let processor = self.processor().map(str::to_owned).or_else(isa_note);
        let Some(mut id) = processor else {
            return String::new();
        };
        for (name, feature) in [("sramecc", self.flags.sramecc), ("xnack", self.flags.xnack)] {
            let sign = match feature {
                Feature::On => "+",
                Feature::Off if self.version > Version::V3 => "-",
                Feature::Off | Feature::Any | Feature::Unsupported => continue,
            };
            id += &format!(":{name}{sign}");
        }
        id
    }

    /// Returns the bytes from which the object was read.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// Returns the bytes of a section in the file, possibly empty.
    pub fn section_bytes(&self, section: &Section) -> &[u8] {
        self.data.get(section.file.clone()).unwrap_or_default()
    }

    /// Converts to an owned value, copying borrowed bytes.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{CodeObject, read};
    /// let owned: CodeObject<'static> = {
    ///     let file = std::fs::read("tests/fixtures/scale-gfx803-v3.co")?;
    ///     read(&file)?.into_owned()
    /// };
    /// assert_eq!(owned.kernels[0].name, "scale");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_owned(self) -> CodeObject<'static> {
        let data = self.data.into_owned();
        CodeObject {
            version: self.version,
            flags: self.flags,
            isa_note: self.isa_note,
            linked: self.linked,
            segments: self.segments,
            sections: self.sections,
            symbols: self.symbols,
            relocations: self.relocations,
            metadata: self.metadata,
            kernels: self.kernels,
            warnings: self.warnings,
            data,
        }
    }

    /// Returns the kernel that `name` denotes, according to [`find_name`]; `None` if it does not denote exactly one.
    pub fn kernel(&self, name: &str) -> Option<&ObjectKernel> {
        self.find_kernel(name).ok()
    }

    /// Returns the kernel that `name` denotes, according to [`find_name`].
    ///
    /// # Errors
    /// The errors of [`find_name`].
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// assert_eq!(object.find_kernel("scale.kd")?.entry_address, 0x1700);
    /// assert!(object.find_kernel("fill").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_kernel(&self, name: &str) -> Result<&ObjectKernel, NameError> {
        let symbols = self.kernels.iter().map(|kernel| kernel.name.as_str());
        let symbol = find_name(symbols, name)?;
        let mut kernels = self.kernels.iter();
        kernels
            .find(|kernel| kernel.name == symbol)
            .ok_or_else(|| NameError::NoKernels {
                name: name.to_owned(),
            })
    }

    /// Returns the first defined symbol named `name`.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols
            .iter()
            .find(|symbol| symbol.name == name && symbol.section != SymbolSection::Undefined)
    }
}
