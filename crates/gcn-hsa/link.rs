// Makes the shared library of the static one. `cargo xtask` and the tests of gcn-hsa include this file.

use std::path::Path;

// xtask includes this file and that of another library.
#[allow(clippy::duplicate_mod)]
#[path = "../../xtask/src/shared_library.rs"]
mod shared_library;

/// File name of the library, by which programs ask for it.
pub const LIBRARY: &str = "libhsa-runtime64.so.1";

const EXPORTS: &str = include_str!("exports.map");

/// Links the static library `archive` into the shared library `library`, with the symbol versions of `exports.map`.
///
/// # Errors
/// Fails if `cc` does not run, or does not succeed: its output.
pub fn link(archive: &Path, library: &Path) -> Result<(), String> {
    shared_library::link(archive, library, EXPORTS)
}
