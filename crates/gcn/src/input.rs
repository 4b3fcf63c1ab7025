//! Arguments shared by commands: dialects, targets, files and numbers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::num::ParseIntError;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gcn_asm::{Features, Options};
use gcn_isa::{Isa, TARGETS, Target, UnknownTarget};

use crate::file::{MAX_INPUT_BYTES, SourceText};
pub use crate::file::{STDIN, name, open, read, read_text};

/// Assembly dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DialectOption {
    /// Syntax of llvm-mc.
    Llvm,
    /// Syntax of CLRX.
    Clrx,
}

impl From<DialectOption> for gcn_asm::Dialect {
    fn from(dialect: DialectOption) -> gcn_asm::Dialect {
        match dialect {
            DialectOption::Llvm => gcn_asm::Dialect::Llvm,
            DialectOption::Clrx => gcn_asm::Dialect::Clrx,
        }
    }
}

/// Returns a clap parser that maps a fixed set of names to values.
pub fn form<T, const N: usize>(forms: [(&'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names = forms.map(|(name, _)| name);
    PossibleValuesParser::new(names).try_map(move |name| {
        let found = forms.iter().find(|(known, _)| *known == name);
        found.map(|(_, form)| *form).ok_or("no form has the name")
    })
}

/// Target with optional features, as in `--target`: `gfx900` or `gfx900:xnack-`.
#[derive(Clone, Copy)]
pub struct NamedTarget {
    pub target: &'static Target,
    /// Features that the name enables or disables.
    pub features: Features,
}

impl NamedTarget {
    /// Assembler options for the target.
    pub fn options(self) -> Options<'static> {
        Options {
            features: self.features,
            ..Options::new(self.target)
        }
    }
}

impl fmt::Display for NamedTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.target.name, self.features)
    }
}

/// Parses a target name.
///
/// # Errors
/// Returns a message if the name is unknown or a feature is invalid.
pub fn target(name: &str) -> Result<NamedTarget, String> {
    let target = Target::named(name).ok_or_else(|| accepted_targets(name))?;
    let features = Features::parse(target, name).map_err(|error| match error.help() {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    })?;
    Ok(NamedTarget { target, features })
}

/// Clap parser for `--target`. Shell completions use its list of possible values.
#[derive(Clone, Copy)]
pub struct TargetParser;

impl TypedValueParser for TargetParser {
    type Value = NamedTarget;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let named: fn(&str) -> Result<Self::Value, String> = target;
        named.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = TARGETS.iter().map(|target| target.name.to_owned());
        let chips = TARGETS.iter().flat_map(|target| target.chips);
        let all = names
            .chain(chips.map(|chip| (*chip).to_owned()))
            .chain(versions());
        Some(Box::new(all.map(PossibleValue::new)))
    }
}

/// GCN versions accepted as targets.
fn versions() -> Vec<String> {
    let mut versions: Vec<String> = Isa::ALL
        .iter()
        .map(|isa| isa.version().to_lowercase().replace(' ', ""))
        .collect();
    versions.retain(|version| Target::named(version).is_some());
    versions.dedup();
    versions
}

/// Error message for an unknown target. Lists all accepted names, unless the target is CDNA or RDNA.
fn accepted_targets(name: &str) -> String {
    let unknown = UnknownTarget(name);
    if unknown.architecture().is_some() {
        return unknown.to_string();
    }
    let chips: Vec<&str> = TARGETS
        .iter()
        .flat_map(|target| target.chips)
        .copied()
        .collect();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    format!(
        "not a target; the targets are {}, the chips {}, the versions {}",
        names.join(" "),
        chips.join(" "),
        versions().join(" ")
    )
}

/// Reader of included files.
pub struct SourceFiles<'a> {
    directories: &'a [PathBuf],
    /// Source whose memory is released as it is read, if any.
    text: Option<&'a SourceText>,
    included: RefCell<BTreeSet<PathBuf>>,
}

impl<'a> SourceFiles<'a> {
    /// Creates a reader that searches the directory of the including file, then `directories` in order. The reader
    /// releases the memory of the source `text` as the assembler proceeds.
    pub fn new(directories: &'a [PathBuf], text: Option<&'a SourceText>) -> SourceFiles<'a> {
        SourceFiles {
            directories,
            text,
            included: RefCell::default(),
        }
    }

    /// Files that have been included.
    pub fn included(self) -> Vec<PathBuf> {
        self.included.into_inner().into_iter().collect()
    }
}

impl gcn_asm::Files for SourceFiles<'_> {
    fn read(&self, name: &str, from: &str) -> Result<gcn_asm::File, String> {
        let beside = Path::new(from).parent().unwrap_or(Path::new(""));
        let places = std::iter::once(beside).chain(self.directories.iter().map(PathBuf::as_path));
        let mut found = places
            .map(|place| place.join(name))
            .filter(|path| path.exists());
        let mut is_there = false;
        let path = found
            .find(|path| {
                is_there = true;
                path.is_file()
            })
            .ok_or(if is_there {
                "it is not a regular file"
            } else {
                "there is no such file next to the source or in the directories of -I"
            })?;
        let bytes = read(&path, MAX_INPUT_BYTES).map_err(|error| format!("{error:#}"))?;
        let name = path.display().to_string();
        self.included.borrow_mut().insert(path);
        Ok(gcn_asm::File { name, bytes })
    }

    fn passed(&self, position: usize) {
        if let Some(text) = self.text {
            text.passed(position);
        }
    }
}

/// Parses a decimal number, or a hexadecimal one with `0x`.
///
/// # Errors
/// Fails if the text is not a number, or exceeds 64 bits.
pub fn number(text: &str) -> Result<u64, ParseIntError> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
}
