//! Kernel metadata that compilers emit for the runtime: names, arguments and sizes.
//!
//! The keys follow "Code Object V3/V4/V5 Metadata" and "Code Object V2 Metadata" in LLVM's "User Guide for AMDGPU
//! Backend". Metadata is untrusted: missing keys read as `None` or zero, unknown keys are ignored, and
//! [`KernelMetadata::problems`] lists contradictions.

// In dependency order: a module uses only those above it.
mod kinds;
mod types;
mod problem;
mod read;
mod text;
#[cfg(test)]
mod tests;

pub use kinds::{Access, AddressSpace, ValueKind};
pub use problem::{MAX_KERNARG_BYTES, MetadataProblem};
pub use text::{metadata_from_yaml, pal_metadata_from_yaml};
pub use types::{ArgumentMetadata, KernelMetadata, Metadata};
