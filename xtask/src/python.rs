//! Builds the wheel of the Python package `amdgcn`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::wheel::Parts;
use crate::{dist, hsa, wheel};

/// File name of the extension as built by cargo.
const EXTENSION: &str = "libgcn_python.so";
/// Directory of the crate.
pub(crate) const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/gcn-python");

/// Builds the extension, `gcn` and its libraries together, and packs them into a wheel in `directory`.
///
/// # Errors
/// A file cannot be built, read or written.
pub(crate) fn wheel(directory: &Path) -> Result<()> {
    let library = hsa::build_with(dist::PROFILE, &["gcn", "gcn-python"])?;
    println!("{}", pack(&library, directory)?.display());
    Ok(())
}

/// Packs the files already built into a wheel in `directory`, and returns its path. `library` is the library for HIP
/// programs.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn pack(library: &Path, directory: &Path) -> Result<PathBuf> {
    let beside = library.parent().context("the library is in a directory")?;
    let built = beside.parent().context("which is in the build directory")?;
    let prefix = built.join("wheel-prefix");
    if prefix.exists() {
        let failed = || format!("cannot remove {}", prefix.display());
        std::fs::remove_dir_all(&prefix).with_context(failed)?;
    }
    dist::place(library, &prefix)?;
    let parts = Parts {
        package: Path::new(CRATE),
        extension: &built.join(EXTENSION),
        prefix: &prefix,
        version: env!("CARGO_PKG_VERSION"),
        strip: true,
    };
    wheel::pack(&parts, directory)
}
