//! Files that hold code objects: offload bundles as `hipcc --genco` writes them, uncompressed and compressed; programs and
//! libraries with such bundles in their section `.hip_fatbin`; and the programs of AMD's OpenCL 2 compiler, which miners
//! and assemblers still make: an ELF file for a machine of its own, with the code object in its section `.text` ("AmdCL2
//! binary format" in CLRX's documentation).
//!
//! The layouts of bundles are those of "Bundled Code Object File Layout" and "Compression and Decompression" in Clang's
//! "Clang Offload Bundler".

mod error;
mod table;
mod compressed;
mod entry;
mod container;
#[cfg(test)]
mod tests;

pub(crate) use compressed::decompressed;
pub use container::{CodeObjects, code_objects, is_container};
pub use entry::{BundleEntry, bundle_entries, is_bundle};
pub use error::BundleError;
