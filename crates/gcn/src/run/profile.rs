//! The profile of a run: its form, and the file that it goes to.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use gcn_observe::profile::Profile;
use gcn_runtime::observe::Observers;
use gcn_runtime::report::{CodeMap, ProfilePage, ProfileReport};
use serde::Deserialize;

use crate::{input, render};

/// Form of a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Tables of the instructions and lines of source that are executed most.
    Text,
    /// All counts; docs/profile.md lists the keys.
    Json,
    /// A page with the annotated listing, which needs no other file.
    Html,
}

impl Format {
    /// The form that a file's extension says; text without one that is known.
    fn of_file(path: &Path) -> Format {
        match path.extension().and_then(OsStr::to_str) {
            Some("json") => Format::Json,
            Some("html" | "htm") => Format::Html,
            _ => Format::Text,
        }
    }
}

/// A profile that is asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProfileOptions {
    /// File to write it to; `-` is standard output.
    pub file: Option<PathBuf>,
    /// Its form, in place of the one that the file's extension says.
    pub format: Option<Format>,
}

impl ProfileOptions {
    /// True if standard output has it.
    pub fn is_for_stdout(&self) -> bool {
        self.file.as_deref() == Some(Path::new(input::STDIN))
    }
}

/// A profile of the launches of a run, and its file.
pub struct Profiling<'a> {
    profile: Arc<Profile>,
    format: Format,
    path: &'a Path,
    /// `None` for standard output.
    file: Option<BufWriter<File>>,
}

impl Profiling<'_> {
    /// The profile that a run asks for.
    ///
    /// # Errors
    /// Its file cannot be made.
    pub fn new(options: &ProfileOptions) -> Result<Option<Profiling<'_>>> {
        let Some(path) = options.file.as_deref() else {
            return Ok(None);
        };
        let file = if options.is_for_stdout() {
            None
        } else {
            let file = File::create(path).with_context(|| failed(path))?;
            Some(BufWriter::new(file))
        };
        Ok(Some(Profiling {
            profile: Arc::default(),
            format: options.format.unwrap_or_else(|| Format::of_file(path)),
            path,
            file,
        }))
    }

    /// Adds its observer to others.
    pub fn watch(&self, observers: Observers) -> Observers {
        observers.with(self.profile.clone())
    }

    /// Writes what was counted.
    ///
    /// # Errors
    /// The file, or `out` for standard output, cannot be written.
    pub fn write(mut self, code: &CodeMap<'_>, out: &mut dyn Write) -> Result<()> {
        let report = ProfileReport::new(&self.profile, code);
        let out: &mut dyn Write = match &mut self.file {
            Some(file) => file,
            None => out,
        };
        let written = match self.format {
            Format::Text => write!(out, "{report}"),
            Format::Json => render::json(&report, out),
            Format::Html => write!(out, "{}", ProfilePage(&report)),
        };
        let written = written.and_then(|()| out.flush());
        written.with_context(|| failed(self.path))
    }
}

fn failed(path: &Path) -> String {
    format!("cannot write {}", input::name(path))
}
