//! Builds the wheel of the Python package `amdgcn`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::install::Libraries;
use crate::wheel::Parts;
use crate::{hsa, install, wheel};

/// The profile of what is packed.
const PROFILE: &str = "release";
/// The extension as cargo names it.
const EXTENSION: &str = "libgcn_python.so";

/// Builds the extension, `gcn` and its libraries in one go, and packs them into a wheel in `directory`.
///
/// # Errors
/// Something cannot be built, read or written.
pub(crate) fn wheel(directory: &Path) -> Result<()> {
    let library = hsa::build_with(PROFILE, &["gcn", "gcn-python"])?;
    let beside = library.parent().context("the library is in a directory")?;
    let built = beside.parent().context("which is in the build directory")?;
    let libraries = Libraries {
        hsa: &library,
        opencl: &beside.join(hsa::OPENCL),
    };
    let prefix = built.join("wheel-prefix");
    if prefix.exists() {
        let failed = || format!("cannot remove {}", prefix.display());
        std::fs::remove_dir_all(&prefix).with_context(failed)?;
    }
    install::install(&prefix, &built.join("gcn"), &libraries)?;
    let parts = Parts {
        package: &Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/gcn-python"),
        extension: &built.join(EXTENSION),
        prefix: &prefix,
        version: env!("CARGO_PKG_VERSION"),
        strip: true,
    };
    println!("{}", wheel::pack(&parts, directory)?.display());
    Ok(())
}
