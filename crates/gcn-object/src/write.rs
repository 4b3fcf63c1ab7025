//! Writes linked, loadable code objects from sections, symbols and relocations.
//!
//! The output matches that of a linker with a single input and `-shared`: read-only data, code and writable data are on
//! separate pages, exported symbols are in the dynamic symbol table, and relocations remain only for addresses that
//! depend on the load address. The output is deterministic.
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
//! let text = object.sections.iter().find(|section| section.is_code()).expect("the section was written");
//! assert_eq!(object.section_bytes(text), [0, 0, 0x81, 0xbf]);
//! # Ok::<(), gcn_object::ReadError>(())
//! ```
//!
//! Readers and runtimes find a kernel `k` by two symbols, both global and [protected](crate::Visibility::Protected):
//! `k`, a [`SymbolKind::Function`](crate::SymbolKind::Function) at the code, and `k.kd`, a 64-byte
//! [`SymbolKind::Object`](crate::SymbolKind::Object) at the descriptor. The descriptor also needs a
//! [`RelocationKind::Rel64`](crate::RelocationKind::Rel64) against `k` at
//! [`ENTRY_OFFSET_FIELD`](crate::ENTRY_OFFSET_FIELD), with this offset as the addend:
//!
//! ```
//! use gcn_object::write::{Builder, Definition, InputRelocation, InputSection, InputSectionKind, InputSymbol};
//! use gcn_object::write::{RelocationBase, SectionContents};
//! use gcn_object::{Binding, DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, Flags, KernelDescriptor, RelocationKind, SymbolKind};
//! use gcn_object::{Version, Visibility, read};
//! let section = |name: &str, bytes: &[u8], execute| InputSection {
//!     name: name.to_owned(),
//!     contents: SectionContents::Bytes(bytes.to_vec().into()),
//!     kind: InputSectionKind::Program,
//!     align: 256,
//!     address: None,
//!     loaded: true,
//!     write: false,
//!     execute,
//! };
//! let symbol = |name: &str, section, kind, size| InputSymbol {
//!     name: name.to_owned(),
//!     definition: Definition::At(section, 0),
//!     size,
//!     kind,
//!     binding: Binding::Global,
//!     visibility: Visibility::Protected,
//! };
//! // The code is S_ENDPGM alone.
//! let mut builder = Builder::new(Version::V5, Flags { mach: 0x2f, ..Flags::default() });
//! let code = builder.section(section(".text", &[0, 0, 0x81, 0xbf], true));
//! let data = builder.section(section(".rodata", &KernelDescriptor::default().encode(), false));
//! let kernel = builder.symbol(symbol("ends", code, SymbolKind::Function, 4));
//! builder.symbol(symbol("ends.kd", data, SymbolKind::Object, DESCRIPTOR_SIZE as u64));
//! builder.relocation(InputRelocation {
//!     section: data,
//!     offset: ENTRY_OFFSET_FIELD,
//!     kind: RelocationKind::Rel64,
//!     target: RelocationBase::Symbol(kernel),
//!     addend: ENTRY_OFFSET_FIELD as i64,
//! });
//! let file = builder.build().expect("the input is valid");
//! let object = read(&file)?;
//! assert_eq!((object.kernels[0].name.as_str(), object.kernels[0].code_size), ("ends", 4));
//! assert!(object.warnings.is_empty());
//! # Ok::<(), gcn_object::ReadError>(())
//! ```

// In dependency order: a module uses only those above it.
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
