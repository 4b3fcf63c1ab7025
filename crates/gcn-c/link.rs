// Makes the shared library of the static one. `cargo xtask` and the tests of gcn-c include this file.

use std::path::Path;

// xtask includes this file and that of another library.
#[allow(clippy::duplicate_mod)]
#[path = "../../xtask/src/shared_library.rs"]
mod shared_library;

/// File name of the library, by which programs ask for it.
pub const LIBRARY: &str = "libgcn.so.0";

/// File name by which linkers ask for it.
pub const UNVERSIONED: &str = "libgcn.so";

const EXPORTS: &str = include_str!("exports.map");

/// Version of the crates, which all have the same.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const PKG_CONFIG: &str = include_str!("gcn.pc.in");

/// Links the static library `archive` into `directory`, with the symbol versions of `exports.map`.
///
/// # Errors
/// `cc` does not run, or does not succeed: its output.
pub fn link(archive: &Path, directory: &Path) -> Result<(), String> {
    shared_library::link(archive, &directory.join(LIBRARY), EXPORTS)?;
    alias(directory)
}

/// Makes the name by which linkers ask for the library in `directory`.
///
/// # Errors
/// The link cannot be made.
pub fn alias(directory: &Path) -> Result<(), String> {
    let unversioned = directory.join(UNVERSIONED);
    // It need not exist.
    let _ = std::fs::remove_file(&unversioned);
    std::os::unix::fs::symlink(LIBRARY, &unversioned)
        .map_err(|error| format!("cannot make {}: {error}", unversioned.display()))
}

/// File for pkg-config of a library that is installed into `prefix`.
pub fn pkg_config(prefix: &Path) -> String {
    PKG_CONFIG
        .replace("@PREFIX@", &prefix.display().to_string())
        .replace("@VERSION@", VERSION)
}
