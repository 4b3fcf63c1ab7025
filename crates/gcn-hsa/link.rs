// Links the shared library from the static library. `cargo xtask` and the tests of gcn-hsa include this file.

use std::path::Path;

// xtask also includes the `link.rs` of another crate, which includes the same module.
#[allow(clippy::duplicate_mod)]
#[path = "../../xtask/src/shared_library.rs"]
mod shared_library;

/// File name and soname of the shared library.
pub const LIBRARY: &str = "libhsa-runtime64.so.1";

const EXPORTS: &str = include_str!("exports.map");

/// Links the static library `archive` into the shared library `library`, with the symbol versions of `exports.map`.
///
/// # Errors
/// Fails if the C compiler cannot be run or fails; the error contains its output.
pub fn link(archive: &Path, library: &Path) -> Result<(), String> {
    shared_library::link(archive, library, EXPORTS)
}
