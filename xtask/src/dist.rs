//! Builds and installs all that programs of HIP and people at a command line need.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{hsa, install};

/// The profile of what is installed.
const PROFILE: &str = "release";

/// Builds `gcn` and its library, and installs them with manual pages and completions into `prefix`.
///
/// # Errors
/// Something cannot be built or written.
pub(crate) fn dist(prefix: &Path) -> Result<()> {
    let library = hsa::build_with(PROFILE, &["gcn"])?;
    let gcn = library
        .parent()
        .and_then(Path::parent)
        .context("the library is in a directory of the build directory")?
        .join("gcn");
    install::install(prefix, &gcn, &library)?;
    println!("{}", prefix.join("bin/gcn").display());
    Ok(())
}
