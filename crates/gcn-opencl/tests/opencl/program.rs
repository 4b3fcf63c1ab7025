//! Test programs and their headers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Prefix of header lines.
const HEADER: &str = "//!";

/// Header of a program: TOML in its leading `//!` lines.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, default)]
pub struct Header {
    /// Targets to run on, one run per element. An element with commas requests a platform with several devices.
    pub targets: Vec<String>,
    /// Expected exit status; 128 plus the signal number if a signal ends the program.
    pub status: i32,
    /// Strings that standard error must contain. Without these and `findings`, it must be empty if a program succeeds.
    pub stderr: Vec<String>,
    /// Environment variables, such as `GCN_CHECK`.
    pub variables: BTreeMap<String, String>,
    /// Names of all findings that standard error must contain, in order.
    pub findings: Vec<String>,
}

impl Default for Header {
    fn default() -> Header {
        Header {
            targets: vec!["gfx906".to_owned()],
            status: 0,
            stderr: Vec::new(),
            variables: BTreeMap::new(),
            findings: Vec::new(),
        }
    }
}

/// Test program.
pub struct Program {
    /// File name without extension.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Contents of the file.
    pub text: String,
    pub header: Header,
}

/// Returns the directory that contains the programs.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/opencl")
}

/// Reads all programs, sorted by name.
///
/// # Errors
/// Fails if a file cannot be read, a header is invalid, or there are no programs.
pub fn all() -> Result<Vec<Program>, String> {
    let directory = directory();
    let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
    let mut programs = Vec::new();
    for entry in fs::read_dir(&directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            programs.push(read(path)?);
        }
    }
    if programs.is_empty() {
        return Err(format!("no programs in {}", directory.display()));
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

fn read(path: PathBuf) -> Result<Program, String> {
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().map_while(|line| line.strip_prefix(HEADER));
    let header = toml::from_str(&lines.collect::<Vec<_>>().join("\n"))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Program {
        name: name.into_owned(),
        text,
        header,
        path,
    })
}
