//! Output of profiles in all formats.

use std::io::{self, Write};

use super::ProfileReport;
use super::page::ProfilePage;
use crate::settings::ProfileFormat;

impl ProfileReport {
    /// Writes the profile in the given format.
    ///
    /// # Errors
    /// Fails if a write to `out` fails.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::Profiling;
    /// use gcn_report::settings::ProfileFormat;
    /// let mut json = Vec::new();
    /// Profiling::default().report().write(ProfileFormat::Json, &mut json)?;
    /// let json: serde_json::Value = serde_json::from_slice(&json)?;
    /// assert_eq!((&json["version"], &json["kernels"]), (&1.into(), &serde_json::json!([])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&self, format: ProfileFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            ProfileFormat::Text => write!(out, "{self}"),
            ProfileFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, self)?;
                writeln!(out)
            }
            ProfileFormat::Html => write!(out, "{}", ProfilePage(self)),
        }
    }
}
