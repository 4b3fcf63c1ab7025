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

/// The extension of launch files.
const EXTENSION: &str = "toml";

/// A launch file, and the settings in it that concern the process that runs it.
pub struct LaunchFile {
    /// Path as found, relative to the current directory if the search began there.
    pub path: PathBuf,
    /// True if it sets the number of host threads.
    pub has_threads: bool,
    /// Time limit that it sets.
    pub timeout: Option<Duration>,
}

/// Launch files among paths and in directories below them, whose path contains one of the texts if there are any. Each is found once;
/// those of a directory are in the order of their names.
///
/// # Errors
/// A path does not exist, a directory cannot be read, or there is no launch file.
pub fn find(paths: &[PathBuf], filter: &[String]) -> Result<Vec<LaunchFile>> {
    let mut found = Vec::new();
    for path in paths {
        if fs::metadata(path).with_context(unreadable(path))?.is_dir() {
            search(path, &mut found).with_context(unreadable(path))?;
        } else if has_extension(path) {
            found.push(path.clone());
        } else {
            let message = format!(
                "{} is no launch file: its name does not end with .{EXTENSION}",
                path.display()
            );
            bail!(Problem::new(NO_LAUNCH_FILE, message));
        }
    }
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    let places = paths.iter().map(|path| path.display().to_string());
    let places = places.collect::<Vec<_>>().join(", ");
    if found.is_empty() {
        let message = format!(
            "no launch file in {places}: a launch file is a *.{EXTENSION} with the key `file`"
        );
        bail!(Problem::new(NO_LAUNCH_FILE, message));
    }
    let count = found.len();
    found.retain(|path| {
        let text = path.to_string_lossy();
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
    Ok(found.into_iter().map(LaunchFile::new).collect())
}

fn unreadable(path: &Path) -> impl FnOnce() -> Problem {
    move || Problem::new(UNREADABLE_INPUT, format!("cannot read {}", path.display()))
}

fn has_extension(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == EXTENSION)
}

/// Adds the launch files of a directory and of those below it, but for hidden ones and links to directories.
///
/// # Errors
/// A directory cannot be read.
fn search(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            search(&path, found)?;
        } else if has_extension(&path) && path.is_file() && is_launch(&path) {
            found.push(path);
        }
    }
    Ok(())
}

/// False if a file is TOML of another kind, such as a manifest. One that is no TOML may have been meant as a launch, and fails.
fn is_launch(path: &Path) -> bool {
    table(path).is_none_or(|table| table.contains_key("file"))
}

/// The keys of a file, if it is TOML.
fn table(path: &Path) -> Option<toml::Table> {
    let text = input::read_text(path, MAX_SETTINGS_BYTES).ok()?;
    text.parse().ok()
}

impl LaunchFile {
    fn new(path: PathBuf) -> LaunchFile {
        let table = table(&path).unwrap_or_default();
        let timeout = table.get("timeout").and_then(|value| match value {
            toml::Value::Integer(seconds) => Some(*seconds as f64),
            toml::Value::Float(seconds) => Some(*seconds),
            toml::Value::String(text) => text.parse().ok(),
            _ => None,
        });
        LaunchFile {
            has_threads: table.contains_key("threads"),
            timeout: timeout.and_then(|it| Duration::try_from_secs_f64(it).ok()),
            path,
        }
    }
}
