//! Cache of compiled files, rebuilt when their inputs change.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum number of bytes of compiler messages in an error, which contains the end of longer messages.
const MESSAGE: usize = 4000;

/// Creates a directory in Cargo's temporary directory for tests, and returns its path.
///
/// # Errors
/// Fails if the directory cannot be created.
pub fn directory(name: &str) -> Result<PathBuf, String> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    Ok(place)
}

/// Runs a command that writes one file, unless it has already run with the same `sources`. Returns the file's path.
///
/// # Errors
/// Fails if the command fails, with its messages, or if its output cannot be renamed.
pub fn make(
    directory: &Path,
    name: &str,
    sources: impl Hash,
    command: &mut Command,
) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    (sources, format!("{command:?}")).hash(&mut hasher);
    let place = directory.join(format!("{name}-{:016x}", hasher.finish()));
    if !place.exists() {
        // Another process may run the same command at the same time, and writes the same contents.
        let unfinished = place.with_extension(std::process::id().to_string());
        run(command.arg("-o").arg(&unfinished))?;
        fs::rename(&unfinished, &place).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    Ok(place)
}

/// Runs a compiler and returns its standard output.
///
/// # Errors
/// Fails if the compiler is not installed, or if it fails; the error then contains its messages.
pub fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let compiler = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        format!("cannot run {compiler} ({error}); `cargo xtask tools` installs it")
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let start = output.stderr.len().saturating_sub(MESSAGE);
    let text = String::from_utf8_lossy(&output.stderr[start..]);
    Err(format!("{compiler}: {}\n{text}", output.status))
}
