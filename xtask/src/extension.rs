//! Packs the extension for Visual Studio Code.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{npm, run};

/// Directory of the extension.
const EXTENSION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../editors/vscode");

/// Packs the extension into `directory`. If the tools for it are not installed, prints the reason instead.
///
/// # Errors
/// Fails if the extension cannot be packed.
pub(crate) fn pack_for_release(directory: &Path) -> Result<()> {
    let vsce = match prepare() {
        Ok(vsce) => vsce,
        Err(error) => {
            eprintln!("the release has no extension for Visual Studio Code: {error:#}");
            return Ok(());
        }
    };
    run(Command::new(vsce)
        .args(["package", "--allow-missing-repository", "--out"])
        .arg(std::path::absolute(directory)?)
        .current_dir(EXTENSION))
}

/// Installs vsce, and returns its path. Returns an error if it does not run.
fn prepare() -> Result<PathBuf> {
    let directory = Path::new(EXTENSION);
    npm::install(directory)?;
    let vsce = directory.join("node_modules/.bin/vsce");
    let output = Command::new(&vsce)
        .arg("--version")
        .output()
        .with_context(|| format!("cannot run {}", vsce.display()))?;
    ensure!(
        output.status.success(),
        "vsce does not run, it needs Node.js 20 or later: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(vsce)
}
