//! Code shared by all kinds of test files: file discovery, targets, and expectations by generation.

use std::fs;
use std::path::{Path, PathBuf};

use gcn_asm::{Assembly, Options, Source};
use gcn_isa::{Isa, Target};

/// Directory of the test files.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// Test file.
#[derive(Clone, Debug)]
pub struct Case {
    /// Path of the file.
    pub path: PathBuf,
    /// Name starting at `tests/`, as used in messages.
    pub name: String,
    /// Contents.
    pub text: String,
    /// Targets of the `RUN:` line, at least one.
    pub targets: Vec<&'static Target>,
}

/// Prefix of the line with the targets.
const RUN: &str = "// RUN:";
/// Prefix of an expectation: versions, a colon, and the expected text.
const EXPECT: &str = "// GCN ";
/// Placeholder for the versions of all targets.
const ALL: &str = "all";

/// Files of a directory under `tests/`, sorted by name.
pub fn cases(directory: &str, extension: &str) -> Result<Vec<Case>, String> {
    let place = root().join(directory);
    let entries = fs::read_dir(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| format!("{}: {error}", place.display()))?
            .path();
        if path.extension().is_some_and(|e| e == extension) {
            paths.push(path);
        }
    }
    paths.sort();
    paths
        .into_iter()
        .map(|path| Case::read(path, directory))
        .collect()
}

impl Case {
    fn read(path: PathBuf, directory: &str) -> Result<Case, String> {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{directory}/{file}");
        let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let names = text.lines().find_map(|line| line.strip_prefix(RUN));
        let names = names.ok_or_else(|| format!("{name}: no line `{RUN} TARGET…`"))?;
        let targets = names
            .split_whitespace()
            .map(|target| {
                Target::named(target).ok_or_else(|| format!("{name}: `{target}` is not a target"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        if targets.is_empty() {
            return Err(format!("{name}: `{RUN}` names no target"));
        }
        Ok(Case {
            path,
            name,
            text,
            targets,
        })
    }

    /// Reads the file again.
    pub fn reread(&self) -> Result<Case, String> {
        let text =
            fs::read_to_string(&self.path).map_err(|error| format!("{}: {error}", self.name))?;
        Ok(Case {
            text,
            ..self.clone()
        })
    }

    /// Value of a header line such as `// SYNTAX: clrx`.
    pub fn header(&self, name: &str) -> Option<&str> {
        let value = |line: &'_ str| {
            line.strip_prefix("// ")
                .and_then(|line| line.strip_prefix(name))
                .is_some()
        };
        let line = self.text.lines().find(|line| value(line))?;
        line.split_once(':').map(|(_, value)| value.trim())
    }

    /// Distinct versions of the targets, as used in expectations: `1.0`.
    pub fn versions(&self) -> Vec<&'static str> {
        let mut versions: Vec<&str> = self.targets.iter().map(|target| version(target)).collect();
        versions.sort_unstable();
        versions.dedup();
        versions
    }
}

/// Version of a target, as used in expectations: `1.4.1`.
pub fn version(target: &Target) -> &'static str {
    target.isa.version().trim_start_matches("GCN ")
}

/// Expectation as written in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation<'a> {
    /// Line number, starting at 1.
    pub line: usize,
    /// Number of the line that it applies to: its own, or the previous one that is not a comment.
    pub about: usize,
    /// Versions that it applies to; empty for all.
    pub versions: Vec<&'a str>,
    /// Expected text.
    pub text: &'a str,
}

impl Expectation<'_> {
    /// Error for an unknown version, if any.
    pub fn problem(&self) -> Option<String> {
        let known = |version: &&str| {
            Isa::ALL
                .iter()
                .any(|isa| isa.version() == format!("GCN {version}"))
        };
        let unknown = self.versions.iter().find(|version| !known(version))?;
        Some(format!("{}: there is no GCN {unknown}", self.line))
    }

    /// True if the expectation applies to this version.
    pub fn is_for(&self, version: &str) -> bool {
        self.versions.is_empty() || self.versions.contains(&version)
    }
}

/// Expectations of a file, and its lines without them.
pub fn expectations(text: &str) -> (Vec<Expectation<'_>>, Vec<&str>) {
    let mut found = Vec::new();
    let mut rest = Vec::new();
    let mut about = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let (before, expected) = match line.find(EXPECT) {
            Some(at) => (&line[..at], line[at + EXPECT.len()..].split_once(':')),
            None => (line, None),
        };
        let code = before.trim();
        if !code.is_empty() && !code.starts_with("//") {
            about = number;
        }
        if let Some((versions, text)) = expected {
            let versions: Vec<&str> = versions
                .split(',')
                .map(str::trim)
                .filter(|v| *v != ALL)
                .collect();
            found.push(Expectation {
                line: number,
                about,
                versions,
                text: text.trim(),
            });
        }
        rest.push(if expected.is_some() {
            before.trim_end()
        } else {
            line
        });
    }
    (found, rest)
}

/// Writes results as expectations. Versions with the same result share a line.
pub fn write_expectations(out: &mut String, case: &Case, outcomes: &[(&str, String)]) {
    let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
    for (version, outcome) in outcomes {
        match groups.iter_mut().find(|(_, text)| text == outcome) {
            Some((versions, _)) if versions.contains(version) => {}
            Some((versions, _)) => versions.push(version),
            None => groups.push((vec![version], outcome)),
        }
    }
    for (versions, outcome) in groups {
        let all = versions.len() == case.versions().len();
        let versions = if all {
            ALL.to_owned()
        } else {
            versions.join(", ")
        };
        out.push_str(&format!("{EXPECT}{versions}: {outcome}\n"));
    }
}

/// Formats bytes as in expectations: `[0x00,0x01]`.
pub fn bytes_text(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!("[{}]", bytes.join(","))
}

/// Assembles text for a target.
pub fn assemble(text: &str, target: &'static Target) -> Assembly {
    gcn_asm::assemble(&Source { name: "test", text }, &Options::new(target))
}

/// Joins problems into an error, one per line; success if there are none.
pub fn verdict(problems: Vec<String>) -> Result<(), String> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}
