//! Builds and installs the command line tool and the libraries for HIP and OpenCL programs.

use std::path::Path;

use anyhow::{Context, Result};

use crate::install::Libraries;
use crate::{hsa, install};

/// Cargo profile for installed files.
pub(crate) const PROFILE: &str = "release";

/// Builds `gcn` and its libraries, and installs them into `prefix` with manual pages and completions.
///
/// # Errors
/// Fails if a file cannot be built or written.
pub(crate) fn dist(prefix: &Path) -> Result<()> {
    place(&hsa::build_with(PROFILE, &["gcn"])?, prefix)?;
    println!("{}", prefix.join("bin/gcn").display());
    Ok(())
}

/// Installs already built files into `prefix`. `library` is the library for HIP programs.
///
/// # Errors
/// Fails if a file cannot be written.
pub(crate) fn place(library: &Path, prefix: &Path) -> Result<()> {
    let beside = library.parent().context("the library is in a directory")?;
    let built = beside.parent().context("which is in the build directory")?;
    let libraries = Libraries {
        hsa: library,
        opencl: &beside.join(hsa::OPENCL),
    };
    install::install(prefix, &built.join("gcn"), &libraries)
}
