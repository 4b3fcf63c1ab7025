//! Test programs, and the headers that describe how to build and run them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Targets that programs can run on.
pub const TARGETS: [&str; 3] = ["gfx803", "gfx900", "gfx906"];

/// Environment variable that, if set, makes programs whose header names no targets run on all of [`TARGETS`].
const ALL_TARGETS: &str = "GCN_ALL_TARGETS";

/// Prefix of a header line.
const HEADER: &str = "//!";

/// Header of a program: TOML in its leading `//!` lines.
#[derive(Deserialize, Default, Debug)]
#[serde(deny_unknown_fields, default)]
pub struct Header {
    /// Names of libraries to link, without the `lib` prefix.
    pub links: Vec<String>,
    /// Additional options for hipcc.
    pub flags: Vec<String>,
    /// Source file of a separate code object. The code object's path is the program's first argument.
    pub module: Option<String>,
    /// Target to compile for, instead of the targets on which the program runs.
    pub code: Option<String>,
    /// Targets on which the program runs; [`Program::targets`] describes the default.
    pub targets: Option<Vec<String>>,
    /// Number of devices; one by default.
    pub devices: Option<usize>,
    /// Expected exit status, 0 by default; 128 plus the signal number if a signal ends the program.
    pub status: i32,
    /// Strings that standard error must contain. If these and `findings` are empty, and the status is 0, standard error
    /// must be empty.
    pub stderr: Vec<String>,
    /// Environment variables, such as `GCN_CHECK`.
    pub variables: BTreeMap<String, String>,
    /// Names of the findings on standard error, in order. Standard error must not contain any others.
    pub findings: Option<Vec<String>>,
}

pub struct Program {
    /// File name without extension.
    pub name: String,
    pub path: PathBuf,
    /// Contents of the file.
    pub text: String,
    pub header: Header,
}

impl Program {
    /// Returns the targets on which the program runs: by default gfx803 and, depending on the program's name, gfx900 or
    /// gfx906. The tests spend most of their time in hipcc, which compiles HIP's headers again for each target.
    pub fn targets(&self) -> Vec<&str> {
        if let Some(targets) = &self.header.targets {
            return targets.iter().map(String::as_str).collect();
        }
        if std::env::var_os(ALL_TARGETS).is_some() {
            return TARGETS.to_vec();
        }
        let [first, others @ ..] = TARGETS;
        let other = self.name.bytes().map(usize::from).sum::<usize>() % others.len();
        vec![first, others[other]]
    }
}

/// Returns the directory that contains the programs.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hip")
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
        if path.extension().is_some_and(|extension| extension == "hip") {
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
    let header: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix(HEADER))
        .collect();
    let header = toml::from_str(&header.join("\n"))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Program {
        name: name.into_owned(),
        text,
        header,
        path,
    })
}
