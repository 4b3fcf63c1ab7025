//! Errors from writing code objects.

use thiserror::Error;

use crate::elf::MAX_ALIGN;
use crate::image::MAX_IMAGE_BYTES;

/// Reason why a code object cannot be written.
///
/// # Examples
/// ```
/// use gcn_object::write::{Builder, Definition, InputSymbol, WriteError};
/// use gcn_object::{Binding, Flags, SymbolKind, Version, Visibility};
/// let mut builder = Builder::new(Version::V5, Flags { mach: 0x2f, ..Flags::default() });
/// for value in [1, 2] {
///     builder.symbol(InputSymbol {
///         name: "answer".to_owned(),
///         definition: Definition::Absolute(value),
///         size: 0,
///         kind: SymbolKind::NoType,
///         binding: Binding::Global,
///         visibility: Visibility::Default,
///     });
/// }
/// assert_eq!(builder.build(), Err(vec![WriteError::Duplicate { name: "answer".to_owned() }]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Metadata was given for version 2, which stores it in separate notes. These must be in an input section.
    #[error("code object version 2 has no MessagePack metadata")]
    Version,
    /// An alignment is not a power of two, or exceeds the limit.
    #[error("section {name} has alignment {align}, which is not a power of two up to {MAX_ALIGN}")]
    Align {
        /// Section name.
        name: String,
        /// Alignment in the input.
        align: u64,
    },
    /// A required address is misaligned or already occupied.
    #[error("section {name} cannot be at {address:#x}: {reason}")]
    Address {
        /// Section name.
        name: String,
        /// Address in the input.
        address: u64,
        /// Reason why the address cannot be used.
        reason: String,
    },
    /// A section name contains a zero byte, or is reserved for a table that the builder generates.
    #[error("a section cannot be named {name:?}")]
    SectionName {
        /// Section name.
        name: String,
    },
    /// A symbol name contains a zero byte.
    #[error("a symbol cannot be named {name:?}")]
    SymbolName {
        /// Symbol name.
        name: String,
    },
    /// Two global or weak symbols have the same name.
    #[error("symbol {name} is defined twice")]
    Duplicate {
        /// Symbol name.
        name: String,
    },
    /// The number of sections exceeds the 16-bit section indices of ELF.
    #[error("too many sections: {count}")]
    TooManySections {
        /// Number of sections.
        count: usize,
    },
    /// The object exceeds the memory limit.
    #[error("the code object takes more than {MAX_IMAGE_BYTES} bytes")]
    TooLarge,
    /// The debug information cannot be encoded.
    #[error("the debug information cannot be written: {reason}")]
    Debug {
        /// Reason for the failure.
        reason: String,
    },
    /// An ID belongs to another builder, or the index of a source file is invalid.
    #[error("there is no such section or symbol")]
    NoSuchId,
    /// A relocation cannot be resolved.
    #[error("{problem}")]
    Relocation {
        /// Index of the relocation, in the order of the calls to
        /// [`Builder::relocation`](crate::write::Builder::relocation).
        index: usize,
        /// Reason why the relocation cannot be resolved.
        problem: RelocationProblem,
    },
}

/// Reason why a relocation cannot be resolved.
///
/// # Examples
/// ```
/// use gcn_object::write::{RelocationProblem, WriteError};
/// let problem = RelocationProblem::Outside { section: ".data".to_owned(), offset: 12 };
/// let error = WriteError::Relocation { index: 0, problem };
/// assert_eq!(error.to_string(), "the field at offset 12 is outside section .data");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RelocationProblem {
    /// The symbol is undefined.
    #[error("symbol {symbol} is not defined")]
    Undefined {
        /// Symbol name.
        symbol: String,
    },
    /// The field is outside its section.
    #[error("the field at offset {offset} is outside section {section}")]
    Outside {
        /// Section name.
        section: String,
        /// Offset of the field in bytes.
        offset: u64,
    },
    /// The value does not fit in the field.
    #[error("{value:#x} does not fit the field")]
    Overflow {
        /// Value that was to be stored.
        value: u64,
    },
    /// A 32-bit field cannot hold an address that depends on the load address.
    #[error("the address of {symbol} does not fit 32 bits; use its halves or 64 bits")]
    Narrow {
        /// Name of the symbol or section.
        symbol: String,
    },
    /// The distance to an absolute number would depend on the load address.
    #[error("{symbol} is an absolute number, whose distance from relocatable code is unknown")]
    DistanceToNumber {
        /// Symbol name.
        symbol: String,
    },
    /// The relocation kind is not valid in the input.
    #[error("relocation type {number} cannot be written")]
    Kind {
        /// Relocation type number.
        number: u32,
    },
}
