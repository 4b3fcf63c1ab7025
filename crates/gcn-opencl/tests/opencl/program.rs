//! The programs and their headers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Beginning of a line of the header.
const HEADER: &str = "//!";

/// A program's header.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, default)]
pub struct Header {
    /// Targets to run on, one after the other; several devices of one platform are separated by commas.
    pub targets: Vec<String>,
    /// Exit status, or 128 and the number of the signal that ends the program.
    pub status: i32,
    /// Texts that the program's standard error must contain; it must be empty if none are given, but for `findings`.
    pub stderr: Vec<String>,
    /// Variables of its environment, such as `GCN_CHECK`.
    pub variables: BTreeMap<String, String>,
    /// Names of the findings that its standard error must have, in order, and no others.
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

/// A program of the directory.
pub struct Program {
    /// Name of its file, without the extension.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Text of the file.
    pub text: String,
    /// Its header.
    pub header: Header,
}

/// The directory of the programs.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/opencl")
}

/// Every program, in the order of their names.
///
/// # Errors
/// A file that cannot be read, a header that means nothing, or no program at all.
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
