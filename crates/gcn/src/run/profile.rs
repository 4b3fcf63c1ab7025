//! The profile of a run: its form, and the file that it goes to.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gcn_runtime::Profiling;
use gcn_runtime::settings::ProfileFormat;

use crate::input;
use crate::outputs::unwritable;

/// A profile that is asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProfileOptions {
    /// File to write it to; `-` is standard output.
    pub file: Option<PathBuf>,
    /// Form, in place of the one that the file's extension says.
    pub format: Option<ProfileFormat>,
}

impl ProfileOptions {
    /// True if standard output has it.
    pub fn is_for_stdout(&self) -> bool {
        self.file.as_deref() == Some(Path::new(input::STDIN))
    }
}

/// A profile of the launches of a run, and its file.
pub struct ProfileFile<'a> {
    /// The counts.
    pub profiling: Profiling,
    format: ProfileFormat,
    path: &'a Path,
    /// `None` for standard output.
    file: Option<BufWriter<File>>,
}

impl ProfileFile<'_> {
    /// The profile that a run asks for.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn new(options: &ProfileOptions) -> Result<Option<ProfileFile<'_>>> {
        let Some(path) = options.file.as_deref() else {
            return Ok(None);
        };
        let file = if options.is_for_stdout() {
            None
        } else {
            let file = File::create(path).with_context(|| unwritable(path))?;
            Some(BufWriter::new(file))
        };
        Ok(Some(ProfileFile {
            profiling: Profiling::default(),
            format: options
                .format
                .unwrap_or_else(|| ProfileFormat::of_file(path)),
            path,
            file,
        }))
    }

    /// Writes what was counted.
    ///
    /// # Errors
    /// The file, or `out` for standard output, cannot be written.
    pub fn write(mut self, out: &mut dyn Write) -> Result<()> {
        let out: &mut dyn Write = match &mut self.file {
            Some(file) => file,
            None => out,
        };
        let written = self.profiling.report().write(self.format, out);
        let written = written.and_then(|()| out.flush());
        written.with_context(|| unwritable(self.path))
    }
}
