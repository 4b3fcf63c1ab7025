// Links the shared library from the static one. `cargo xtask` and gcn-c's tests include this file.

use std::path::Path;

// xtask also includes another library's link.rs, which has the same module.
#[allow(clippy::duplicate_mod)]
#[path = "../../xtask/src/shared_library.rs"]
mod shared_library;

/// File name of the library that programs load.
pub const LIBRARY: &str = "libgcn.so.0";

/// File name that linkers look for.
pub const UNVERSIONED: &str = "libgcn.so";

const EXPORTS: &str = include_str!("exports.map");

/// Version shared by all crates.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const PKG_CONFIG: &str = include_str!("gcn.pc.in");

/// Links the static library `archive` into `directory`, with the symbol versions of `exports.map`.
///
/// # Errors
/// Fails if `cc` cannot be run or fails; the error contains its output.
pub fn link(archive: &Path, directory: &Path) -> Result<(), String> {
    shared_library::link(archive, &directory.join(LIBRARY), EXPORTS)?;
    alias(directory)
}

/// Creates the [`UNVERSIONED`] link to the library in `directory`.
///
/// # Errors
/// Fails if the link cannot be created.
pub fn alias(directory: &Path) -> Result<(), String> {
    let unversioned = directory.join(UNVERSIONED);
    // The file may not exist.
    let _ = std::fs::remove_file(&unversioned);
    std::os::unix::fs::symlink(LIBRARY, &unversioned)
        .map_err(|error| format!("cannot make {}: {error}", unversioned.display()))
}

/// Returns the pkg-config file for a library installed in `prefix`.
pub fn pkg_config(prefix: &Path) -> String {
    PKG_CONFIG
        .replace("@PREFIX@", &prefix.display().to_string())
        .replace("@VERSION@", VERSION)
}
