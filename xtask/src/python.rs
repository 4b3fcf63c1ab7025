//! Builds the wheel of the Python package `amdgcn`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::wheel::Parts;
use crate::{dist, hsa, wheel};

/// The extension as cargo names it.
const EXTENSION: &str = "libgcn_python.so";
/// Directory of the crate.
pub(crate) const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/gcn-python");

/// Builds the extension, `gcn` and its libraries in one go, and packs them into a wheel in `directory`.
///
/// # Errors
/// Something cannot be built, read or written.
pub(crate) fn wheel(directory: &Path) -> Result<()> {
    let library = hsa::build_with(dist::PROFILE, &["gcn", "gcn-python"])?;
    println!("{}", pack(&library, directory)?.display());
    Ok(())
}

/// Packs what is built, the library of HIP programs being `library`, into a wheel in `directory`: its path.
///
/// # Errors
/// Something cannot be read or written.
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
