//! Linked, loadable code objects made of sections, symbols and relocations.
//!
//! The result is that of a linker with one input and `-shared`: segments on pages of their own for read-only data, code and
//! writable data; dynamic symbols for exported ones; and relocations only for addresses that depend on the load address.
//! The same input yields the same bytes.
//!
//! ```
//! use gcn_object::write::{Builder, InputSection, InputSectionKind, SectionContents};
//! use gcn_object::{Flags, Version, processor_mach, read};
//!
//! let mach = processor_mach("gfx906").expect("a processor");
//! let mut builder = Builder::new(Version::V5, Flags { mach, ..Flags::default() });
//! builder.section(InputSection {
//!     name: ".text".to_owned(),
//!     contents: SectionContents::Bytes(vec![0, 0, 0x81, 0xbf].into()),
//!     kind: InputSectionKind::Program,
//!     align: 256,
//!     address: None,
//!     loaded: true,
//!     write: false,
//!     execute: true,
//! });
//! let file = builder.build().expect("the input is valid");
//! let object = read(&file)?;
//! let text = object.sections.iter().find(|section| section.is_code()).expect("it was written");
//! assert_eq!(object.section_bytes(text), [0, 0, 0x81, 0xbf]);
//! # Ok::<(), gcn_object::ReadError>(())
//! ```
//!
//! A kernel needs, for the reader and for a runtime, a symbol `k` of kind [`SymbolKind::Function`](crate::SymbolKind::Function) at its code and
//! a symbol `k.kd` of kind [`SymbolKind::Object`](crate::SymbolKind::Object) and 64 bytes at its descriptor, both global and
//! [protected](crate::Visibility::Protected), and in the descriptor a [`RelocationKind::Rel64`](crate::RelocationKind::Rel64) at
//! [`ENTRY_OFFSET_FIELD`](crate::ENTRY_OFFSET_FIELD) against `k` with that number as the addend.

// In the order of dependencies: a module uses those above it.
mod encode;
mod error;
mod input;
mod debug;
mod relocate;
mod layout;
mod check;
mod tables;
mod file;

pub use debug::{DebugLines, DebugRow};
pub use error::{RelocationProblem, WriteError};
pub use input::{
    Builder, Definition, InputRelocation, InputSection, InputSectionKind, InputSymbol,
    InputSymbolId, RelocationBase, SectionContents, SectionId,
};
