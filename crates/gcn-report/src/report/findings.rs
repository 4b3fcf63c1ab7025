//! Output of findings in all formats.

use std::io::{self, Write};

use super::finding::FindingReport;
use super::notification::Notification;
use super::sarif;
use super::suppressions::Suppressions;
use crate::settings::{CheckSettings, FindingFormat};

/// Writes findings, or suppressions for them, in the configured format. SARIF includes messages about the run.
///
/// # Errors
/// Fails if a write to `out` fails.
///
/// # Examples
/// ```
/// use gcn_report::write_findings;
/// use gcn_report::settings::{CheckSettings, FindingFormat};
/// let json = CheckSettings { format: FindingFormat::Json, ..CheckSettings::default() };
/// let mut out = Vec::new();
/// write_findings(&[], &[], &json, &mut out)?;
/// assert_eq!(out, b"[]\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_findings(
    findings: &[FindingReport],
    notifications: &[Notification],
    settings: &CheckSettings,
    out: &mut dyn Write,
) -> io::Result<()> {
    if settings.gen_suppressions {
        return write!(out, "{}", Suppressions::of(findings));
    }
    match settings.format {
        FindingFormat::Text => findings.iter().try_for_each(|it| writeln!(out, "{it}\n")),
        FindingFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, findings)?;
            writeln!(out)
        }
        FindingFormat::Sarif => {
            serde_json::to_writer_pretty(&mut *out, &sarif::log(findings, notifications))?;
            writeln!(out)
        }
    }
}
