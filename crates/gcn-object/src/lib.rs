//! Reads and writes AMDGPU code objects: the ELF files that compilers and assemblers produce and a runtime loads.
//!
//! This complete program lists the kernels in a file, which can be a code object, an offload bundle, or a program or
//! library that contains bundles:
//!
//! ```
//! use gcn_object::{CodeObject, code_objects};
//!
//! fn list(object: &CodeObject) {
//!     println!("version {} for {}", object.version.number(), object.target_id());
//!     for kernel in &object.kernels {
//!         println!("{} at {:#x}", kernel.name, kernel.entry_address);
//!         for argument in kernel.metadata.iter().flat_map(|metadata| &metadata.args) {
//!             let name = argument.name.as_deref().unwrap_or("?");
//!             let kind = argument.value_kind.name();
//!             println!("  {name}: {kind}, {} bytes at {}", argument.size, argument.offset);
//!         }
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let path = std::env::args().nth(1);
//!     let path = path.as_deref().unwrap_or("tests/fixtures/scale-gfx803-v3.co");
//!     let file = std::fs::read(path)?;
//!     for entry in code_objects(&file)? {
//!         list(&entry?.read()?);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! [`read`] reads a code object into a [`CodeObject`]: target, kernels with descriptors and metadata, sections,
//! symbols, and an image to load. [`find_name`] finds a kernel by any name that people or tools use.
//! [`read_driver_program`] reads programs for drivers that have their own ABI: Catalyst and Gallium.
//! [`write`](mod@write) creates linked, loadable objects. This crate treats code as bytes and does not decode
//! instructions. File contents are borrowed or shared ([`Bytes`]), so a large mapped file is neither copied nor read
//! completely.
//!
//! Sources: LLVM's "User Guide for AMDGPU Backend" for everything specific to AMDGPU, the ELF specification for the
//! rest.

#![forbid(unsafe_code)]

// In dependency order: a module uses only those above it.

// Bytes, notes, metadata and names.
mod bytes;
mod elf;
mod target;
pub mod note;
mod value;
mod metadata;
mod descriptor;
mod names;
mod error;

// The parsed object, its memory image, and the reader.
mod object;
mod image;
mod reader;

// Other files that contain programs: driver programs and bundles.
mod driver;
mod bundle;

// Source lines.
mod lines;

// Stable names of all errors.
pub mod error_names;

// Writing.
pub mod write;

pub use bundle::{
    BundleEntry, BundleError, CodeObjects, bundle_entries, code_objects, is_bundle, is_container,
};
pub use bytes::Bytes;
pub use descriptor::{
    DESCRIPTOR_ALIGN, DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, Field, KERNEL_CODE_SIZE, KernelCode,
    KernelDescriptor, Properties, Rsrc1, Rsrc2, Rsrc3, UserSgpr,
};
pub use driver::{
    DriverArgument, DriverArgumentKind, DriverChip, DriverError, DriverFormat, DriverKernel,
    DriverProgram, DriverWarning, PointerSpace, UserData, UserDataClass, is_driver_program,
    read_driver_program,
};
pub use elf::{Binding, RelocationKind, SymbolKind, Visibility};
pub use error::{ReadError, Warning};
pub use image::{Externals, ImageError, LoadImage, MAX_IMAGE_BYTES, RelocationError};
pub use lines::{
    LinesError, LocationError, PiecePlace, SourceField, SourceFrame, SourceLanguage, SourceLines,
    SourcePlace, SourceRange, SourceRegister, SourceSpace, SourceType, SourceTypeKind,
    SourceVariable, TypeRef, VariablePiece, VariableState,
};
pub use metadata::{
    Access, AddressSpace, ArgumentMetadata, KernelMetadata, MAX_KERNARG_BYTES, Metadata,
    MetadataProblem, ValueKind, metadata_from_yaml, pal_metadata_from_yaml,
};
pub use names::{NameError, NamePattern, declaration, find_name, source_name};
pub use object::{
    CodeObject, ObjectKernel, Relocation, RelocationTarget, Section, Segment, Symbol, SymbolSection,
};
pub use reader::read;
pub use target::{Feature, Flags, IsaVersion, PROCESSORS, Version, processor_mach, processor_name};
pub use value::{DocumentValue, MetadataError};
