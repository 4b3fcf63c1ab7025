//! Profile of a run: its format and output file.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use gcn_report::Profiling;
use gcn_report::settings::ProfileFormat;

use crate::{input, outputs};

/// Requested profile.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProfileOptions {
    /// Output file; `-` is standard output.
    pub file: Option<PathBuf>,
    /// Format, instead of the one implied by the file's extension.
    pub format: Option<ProfileFormat>,
}

impl ProfileOptions {
    /// True if the profile is written to standard output.
    pub fn is_for_stdout(&self) -> bool {
        self.file.as_deref() == Some(Path::new(input::STDIN))
    }
}

/// Profile of a run's launches, with its output file.
pub struct ProfileFile<'a> {
    /// Collected counts.
    pub profiling: Profiling,
    format: ProfileFormat,
    /// `None` for standard output.
    file: Option<&'a Path>,
}

impl ProfileFile<'_> {
    /// Creates the requested profile, if any.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
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

    /// Writes the profile.
    ///
    /// # Errors
    /// Fails if the file, or `out` for standard output, cannot be written.
    pub fn write(self, out: &mut dyn Write) -> Result<()> {
        let report = self.profiling.report();
        match self.file {
            Some(path) => outputs::write(path, |file| report.write(self.format, file)),
            None => Ok(report.write(self.format, out)?),
        }
    }
}
