//! Builds and installs all that programs of HIP and OpenCL and people at a command line need.

use std::path::Path;

use anyhow::{Context, Result};

use crate::install::Libraries;
use crate::{hsa, install};

/// The profile of what is installed.
const PROFILE: &str = "release";

/// Builds `gcn` and its libraries, and installs them with manual pages and completions into `prefix`.
///
/// # Errors
/// Something cannot be built or written.
pub(crate) fn dist(prefix: &Path) -> Result<()> {
    let library = hsa::build_with(PROFILE, &["gcn"])?;
    let beside = library.parent().context("the library is in a directory")?;
    let built = beside.parent().context("which is in the build directory")?;
    let libraries = Libraries {
        hsa: &library,
        opencl: &beside.join(hsa::OPENCL),
    };
    install::install(prefix, &built.join("gcn"), &libraries)?;
    println!("{}", prefix.join("bin/gcn").display());
    Ok(())
}
