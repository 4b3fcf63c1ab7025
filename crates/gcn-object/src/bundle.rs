//! Files that contain code objects: offload bundles written by `hipcc --genco`, uncompressed and compressed; programs
//! and libraries with such bundles in their `.hip_fatbin` section; and programs of AMD's OpenCL 2 compiler, a format
//! that miners and assemblers still use: an ELF file for a machine type of its own, with the code object in its
//! `.text` section ("AmdCL2 binary format" in CLRX's documentation).
//!
//! The bundle formats are described in "Bundled Code Object File Layout" and "Compression and Decompression" of
//! Clang's "Clang Offload Bundler".

mod error;
mod table;
mod compressed;
mod entry;
mod container;
#[cfg(test)]
mod tests;

pub(crate) use compressed::decompress_section;
pub use container::{CodeObjects, code_objects, is_container};
pub use entry::{BundleEntry, bundle_entries, is_bundle};
pub use error::BundleError;
