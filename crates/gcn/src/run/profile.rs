//! The profile of a run: its form, and the file that it goes to.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use gcn_report::Profiling;
use gcn_report::settings::ProfileFormat;

use crate::{input, outputs};

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
    /// `None` for standard output.
    file: Option<&'a Path>,
}

impl ProfileFile<'_> {
    /// The profile that a run asks for.
    ///
    /// # Errors
    /// No file can be there.
    pub fn new(options: &ProfileOptions) -> Result<Option<ProfileFile<'_>>> {
        let Some(path) = options.file.as_deref() else {
            return Ok(None);
        };
        let file = (!options.is_for_stdout()).then_some(path);
        file.map_or(Ok(()), outputs::check_place)?;
        Ok(Some(ProfileFile {
            profiling: Profiling::default(),
            format: options
                .format
                .unwrap_or_else(|| ProfileFormat::of_file(path)),
            file,
        }))
    }

    /// Writes what was counted.
    ///
    /// # Errors
    /// The file, or `out` for standard output, cannot be written.
    pub fn write(self, out: &mut dyn Write) -> Result<()> {
        let report = self.profiling.report();
        match self.file {
            Some(path) => outputs::write(path, |file| report.write(self.format, file)),
            None => Ok(report.write(self.format, out)?),
        }
    }
}
