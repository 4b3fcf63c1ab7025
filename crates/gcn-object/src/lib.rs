//! AMDGPU code objects: the ELF files that compilers and assemblers leave and that a runtime loads.
//!
//! [`read`] takes any bytes and yields a [`CodeObject`]: target, kernels with their descriptors and metadata,
//! sections, symbols, and an image to load. [`write`](mod@write) makes linked, loadable objects. The crate knows no
//! instruction: code is bytes.
//!
//! Sources: LLVM's "User Guide for AMDGPU Backend" for everything that is AMDGPU's own, the ELF specification
//! for the rest.

mod bundle;
mod cpp;
mod descriptor;
mod elf;
mod image;
mod metadata;
pub mod note;
mod reader;
mod target;
mod value;
pub mod write;

pub use bundle::{
    BundleEntry, BundleError, EntryBytes, bundle_entries, container_entries, is_bundle,
    is_container,
};
pub use cpp::{declaration, source_name};
pub use descriptor::{
    DESCRIPTOR_ALIGN, DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, Field, KERNEL_CODE_SIZE, KernelCode,
    KernelDescriptor, Properties, Rsrc1, Rsrc2, Rsrc3, UserSgpr,
};
pub use elf::{Binding, RelocationKind, SymbolKind, Visibility};
pub use image::{ImageError, LoadImage, MAX_IMAGE_BYTES, RelocationError};
pub use metadata::{
    Access, AddressSpace, Argument, KernelMetadata, MAX_KERNARG_BYTES, Metadata, MetadataError,
    MetadataProblem, ValueKind, metadata_from_yaml, pal_metadata_from_yaml,
};
pub use reader::{
    CodeObject, Kernel, Place, ReadError, Relocation, RelocationTarget, Section, Segment, Symbol,
    Warning, read, read_owned,
};
pub use target::{Feature, Flags, IsaVersion, PROCESSORS, Version, processor_mach, processor_name};
pub use value::Value;
