//! Search for launch files.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gcn_runtime::data::MAX_SETTINGS_BYTES;
use gcn_runtime::error_names::UNREADABLE_INPUT;

use crate::input;
use crate::problem::{NO_LAUNCH_FILE, Problem};
use crate::run::Timeout;

/// Extension of launch files.
const EXTENSION: &str = "toml";

/// Launch file, with settings that affect the command line of its process.
pub struct LaunchFile {
    /// Path of the file: the given path, or one below it.
    pub path: PathBuf,
    /// True if the file sets the number of host threads.
    pub has_threads: bool,
    /// Time limit set in the file.
    pub timeout: Option<Duration>,
}

/// Finds launch files in `paths`, recursively and without duplicates. If `filter` is not empty, a path must contain one
/// of its strings. Files of a directory are sorted by name.
///
/// # Errors
/// Fails if a path does not exist or is not a launch file, a directory cannot be read, or no launch file is found.
pub fn find(paths: &[PathBuf], filter: &[String]) -> Result<Vec<LaunchFile>> {
    let mut found = Vec::new();
    for path in paths {
        if fs::metadata(path).with_context(unreadable(path))?.is_dir() {
            search(path, &mut found).with_context(unreadable(path))?;
        } else if has_extension(path) {
            found.push(LaunchFile::new(path.clone(), table(path)));
        } else {
            let message = format!(
                "{} is not a launch file: its name does not end with .{EXTENSION}",
                path.display()
            );
            bail!(Problem::new(NO_LAUNCH_FILE, message));
        }
    }
    let mut seen = HashSet::new();
    found.retain(|launch| {
        let path = &launch.path;
        seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone()))
    });
    let places = paths.iter().map(|path| path.display().to_string());
    let places = places.collect::<Vec<_>>().join(", ");
    if found.is_empty() {
        let message = format!(
            "no launch file in {places}: a launch file is a *.{EXTENSION} with the key `file`"
        );
        bail!(Problem::new(NO_LAUNCH_FILE, message));
    }
    let count = found.len();
    found.retain(|launch| {
        let text = launch.path.to_string_lossy();
        filter.is_empty() || filter.iter().any(|part| text.contains(part.as_str()))
    });
    if found.is_empty() {
        let message = format!(
            "none of the {count} launch files in {places} has {} in its path",
            filter
                .iter()
                .map(|it| format!("`{it}`"))
                .collect::<Vec<_>>()
                .join(" or ")
        );
        bail!(Problem::new(NO_LAUNCH_FILE, message));
    }
    Ok(found)
}

fn unreadable(path: &Path) -> impl FnOnce() -> Problem {
    move || Problem::new(UNREADABLE_INPUT, format!("cannot read {}", path.display()))
}

fn has_extension(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == EXTENSION)
}

/// Collects launch files recursively, skipping hidden files and directories, and links to directories.
///
/// # Errors
/// Fails if a directory cannot be read.
fn search(directory: &Path, found: &mut Vec<LaunchFile>) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            search(&path, found)?;
        } else if has_extension(&path) && path.is_file() {
            let table = table(&path);
            // Skip other TOML, such as a manifest. Invalid TOML may be a launch file with an error: run it, so that it fails.
            if table.as_ref().is_none_or(|it| it.contains_key("file")) {
                found.push(LaunchFile::new(path, table));
            }
        }
    }
    Ok(())
}

/// Parses a TOML file; `None` if it cannot be read or is not valid TOML.
fn table(path: &Path) -> Option<toml::Table> {
    let text = input::read_text(path, MAX_SETTINGS_BYTES).ok()?;
    text.parse().ok()
}

impl LaunchFile {
    fn new(path: PathBuf, table: Option<toml::Table>) -> LaunchFile {
        let table = table.unwrap_or_default();
        let timeout = table.get("timeout").cloned();
        let timeout = timeout.and_then(|value| value.try_into().ok());
        LaunchFile {
            has_threads: table.contains_key("threads"),
            timeout: timeout.map(|Timeout(timeout)| timeout),
            path,
        }
    }
}
