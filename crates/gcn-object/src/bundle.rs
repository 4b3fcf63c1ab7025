//! Reads files that contain code objects: offload bundles written by `hipcc --genco`, uncompressed or compressed;
//! programs and libraries with bundles in their `.hip_fatbin` section; and programs compiled by AMD's OpenCL 2
//! compiler, whose format miners and assemblers still use. These programs are ELF files with their own machine type and
//! the code object in the `.text` section ("AmdCL2 binary format" in CLRX's documentation).
//!
//! The bundle formats are described in the sections "Bundled Code Object File Layout" and "Compression and
//! Decompression" of Clang's "Clang Offload Bundler" documentation.

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
