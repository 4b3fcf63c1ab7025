//! Output files: checks of their paths, and atomic writes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gcn_report::replace_file;

use crate::input;
use crate::problem::{OUTPUT_CONFLICT, Problem, UNWRITABLE_OUTPUT};

/// Problem for an output that cannot be written, as context for the I/O error.
pub fn unwritable(path: &Path) -> Problem {
    let message = format!("cannot write {}", input::name(path));
    Problem::new(UNWRITABLE_OUTPUT, message)
}

/// Writes a file atomically: the old contents stay until the new ones are complete ([`replace_file`]).
///
/// # Errors
/// Fails if the file cannot be written, or `document` fails.
pub fn write(path: &Path, document: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    replace_file(path, document).with_context(|| unwritable(path))
}

/// Checks that a file can be created at a path, before a long run.
///
/// # Errors
/// Fails if the path is a directory, or its directory does not exist.
pub fn check_place(path: &Path) -> Result<()> {
    if path.is_dir() {
        let message = format!("{} is a directory", input::name(path));
        bail!(Problem::new(UNWRITABLE_OUTPUT, message));
    }
    if !directory(path).is_dir() {
        let message = format!("there is no directory {}", directory(path).display());
        bail!(Problem::new(UNWRITABLE_OUTPUT, message));
    }
    Ok(())
}

/// Checks that the output of `option` does not overwrite an input.
///
/// # Errors
/// Fails if the output is one of the inputs, even under another name.
pub fn refuse_inputs<'a>(
    option: &str,
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let Some(identity) = FileIdentity::of(output) else {
        return Ok(());
    };
    let mut inputs = inputs.into_iter();
    if let Some(same) = inputs.find(|path| FileIdentity::of(path).as_ref() == Some(&identity)) {
        let message = format!(
            "{} is the input {}: name another file with {option}",
            input::name(output),
            input::name(same)
        );
        bail!(Problem::new(OUTPUT_CONFLICT, message));
    }
    Ok(())
}

/// Directory that contains a file.
fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Identity of a file, independent of its name.
#[derive(PartialEq, Eq)]
pub enum FileIdentity {
    /// Device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Canonical path.
    Path(PathBuf),
}

impl FileIdentity {
    /// Identity of the file at a path; `None` for `-` and for special files, to which several outputs may be written.
    pub fn of(path: &Path) -> Option<FileIdentity> {
        if path == Path::new(input::STDIN) {
            return None;
        }
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => None,
            #[cfg(unix)]
            Ok(metadata) => {
                use std::os::unix::fs::MetadataExt;
                Some(FileIdentity::Inode(metadata.dev(), metadata.ino()))
            }
            #[cfg(not(unix))]
            Ok(_) => fs::canonicalize(path).ok().map(FileIdentity::Path),
            Err(_) => {
                let directory = fs::canonicalize(directory(path)).ok()?;
                Some(FileIdentity::Path(directory.join(path.file_name()?)))
            }
        }
    }
}
