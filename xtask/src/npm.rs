//! Installs npm packages.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Installs the packages of the lock file in `directory`, without running their scripts.
///
/// # Errors
/// Fails if npm is missing or fails.
pub(crate) fn install(directory: &Path) -> Result<()> {
    let status = Command::new("npm")
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--silent",
        ])
        .current_dir(directory)
        .status()
        .context("npm does not start; install Node.js 20 or later, on Debian: apt-get install nodejs npm")?;
    ensure!(
        status.success(),
        "npm cannot install the packages of {}: {status}",
        directory.display()
    );
    Ok(())
}
