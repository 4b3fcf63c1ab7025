//! Errors and warnings from reading code objects.

use object::elf;
use thiserror::Error;

use crate::elf::{ELFOSABI_AMDGPU_HSA, MAX_ALIGN};
use crate::metadata::MetadataProblem;
use crate::value::MetadataError;

/// Reason why bytes cannot be read as a loadable code object.
///
/// # Examples
/// ```
/// use gcn_object::{ReadError, read};
/// let file = std::fs::read("tests/fixtures/scale-gfx803-v3.co")?;
/// assert_eq!(read(&file[..3000]).unwrap_err(), ReadError::Cut { length: 3000, end: 3224 });
/// assert_eq!(read(&b"text"[..]).unwrap_err(), ReadError::NotElf);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The ELF magic number is missing.
    #[error("not an ELF file")]
    NotElf,
    /// The file is not 64-bit little-endian.
    #[error("not a 64-bit little-endian ELF file")]
    Class,
    /// The machine type is not AMDGPU.
    #[error("an ELF file for machine {machine}, not for AMDGPU ({})", elf::EM_AMDGPU.0)]
    Machine {
        /// Machine type in the file (`e_machine`).
        machine: u16,
    },
    /// The OS ABI is not HSA.
    #[error(
        "unsupported OS ABI {os_abi}: only AMDGPU_HSA ({}) is supported",
        ELFOSABI_AMDGPU_HSA
    )]
    OsAbi {
        /// OS ABI in the file (`EI_OSABI`).
        os_abi: u8,
    },
    /// The version of the code object format is unknown.
    #[error("unsupported ABI version {abi_version}: 0 to 4 are code object versions 2 to 6")]
    AbiVersion {
        /// ABI version in the file (`EI_ABIVERSION`).
        abi_version: u8,
    },
    /// The file is neither a linked nor a relocatable object.
    #[error("ELF type {kind} is neither a shared object nor relocatable")]
    Type {
        /// File type (`e_type`).
        kind: u16,
    },
    /// A table exceeds the file, or is otherwise malformed.
    #[error("the {what} cannot be read: {reason}")]
    Malformed {
        /// Malformed table.
        what: &'static str,
        /// ELF parser's message.
        reason: String,
    },
    /// A section extends past the end of the file.
    #[error("section {name} extends past the end of the file")]
    SectionOutside {
        /// Section name.
        name: String,
    },
    /// A segment extends past the end of the file or address space, or is larger in the file than in memory.
    #[error("the segment at {address:#x} does not fit the file or the address space")]
    SegmentOutside {
        /// Address of the segment.
        address: u64,
    },
    /// An alignment is not a power of two, or exceeds the limit.
    #[error("section {name} has alignment {align}, which is not a power of two up to {MAX_ALIGN}")]
    Align {
        /// Name of the section or symbol.
        name: String,
        /// Alignment stated in the file.
        align: u64,
    },
    /// The sections of a relocatable object do not fit in the address space.
    #[error("the sections do not fit the address space")]
    Layout,
    /// A relocation refers to a nonexistent symbol.
    #[error("the relocation at {address:#x} refers to symbol {symbol}, which does not exist")]
    RelocationSymbol {
        /// Address of the field.
        address: u64,
        /// Index of the symbol.
        symbol: u32,
    },
    /// The file has relocations without explicit addends, which AMDGPU objects do not use.
    #[error("relocations without addends are not supported")]
    RelocationsWithoutAddend,
    /// The file ends before the end of its section headers.
    #[error(
        "the file is truncated: it has {length} bytes, and its section headers end at byte {end}"
    )]
    Cut {
        /// Length of the file in bytes.
        length: usize,
        /// End of the section headers in bytes, according to the file header.
        end: u64,
    },
    /// Tables or names share more bytes than in any real file.
    #[error("the {what} overlap each other")]
    Overlap {
        /// Overlapping tables or names.
        what: &'static str,
    },
}

/// Defect of a code object that does not prevent loading.
///
/// # Examples
/// ```
/// use gcn_object::{Flags, Version, Warning, read, write::Builder};
/// let mut builder = Builder::new(Version::V5, Flags { mach: 0x2f, ..Flags::default() });
/// builder.metadata = Some(b"no MessagePack".to_vec());
/// let file = builder.build().expect("the bytes are not inspected");
/// assert!(matches!(read(&file)?.warnings[..], [Warning::Metadata(_)]), "everything else can be used");
/// # Ok::<(), gcn_object::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Warning {
    /// The notes are malformed.
    #[error("the notes cannot be read: {0}")]
    Notes(String),
    /// A metadata note is invalid.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// The metadata contradicts itself.
    #[error("kernel {kernel}: {problem}")]
    Claim {
        /// Kernel name.
        kernel: String,
        /// Contradiction in the kernel's metadata.
        problem: MetadataProblem,
    },
    /// The kernel descriptor is not in any segment, or extends past the initial bytes of its segment.
    #[error("kernel {kernel}: the descriptor at {address:#x} is not in any segment")]
    Descriptor {
        /// Kernel name.
        kernel: String,
        /// Address of the descriptor.
        address: u64,
    },
    /// The entry point is not in executable memory.
    #[error("kernel {kernel}: the entry at {address:#x} is not in an executable segment")]
    Entry {
        /// Kernel name.
        kernel: String,
        /// Address of the entry point.
        address: u64,
    },
    /// A kernel in the metadata has no symbol.
    #[error("the metadata names kernel {kernel}, which has no descriptor")]
    NoSymbol {
        /// Kernel name.
        kernel: String,
    },
}
