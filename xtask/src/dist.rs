//! Builds and installs all that programs of HIP and OpenCL and people at a command line need.

use std::path::Path;

use anyhow::{Context, Result};

use crate::install::Libraries;
use crate::{hsa, install};

/// The profile of what is installed.
pub(crate) const PROFILE: &str = "release";

/// Builds `gcn` and its libraries, and installs them with manual pages and completions into `prefix`.
///
/// # Errors
/// Something cannot be built or written.
pub(crate) fn dist(prefix: &Path) -> Result<()> {
    place(&hsa::build_with(PROFILE, &["gcn"])?, prefix)?;
    println!("{}", prefix.join("bin/gcn").display());
    Ok(())
}

/// Installs what is built, the library of HIP programs being `library`, into `prefix`.
///
/// # Errors
/// Something cannot be written.
pub(crate) fn place(library: &Path, prefix: &Path) -> Result<()> {
    let beside = library.parent().context("the library is in a directory")?;
    let built = beside.parent().context("which is in the build directory")?;
    let libraries = Libraries {
        hsa: library,
        opencl: &beside.join(hsa::OPENCL),
    };
    install::install(prefix, &built.join("gcn"), &libraries)
}
