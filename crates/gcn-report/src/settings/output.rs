//! Output files and formats in settings.

use std::path::{Path, PathBuf};

/// File name that denotes standard output or standard error.
///
/// # Examples
/// ```
/// use gcn_report::settings::{ProfileSettings, STANDARD};
/// let settings = ProfileSettings { file: STANDARD.into(), format: None };
/// assert_eq!(settings.file_of(7), None, "standard error");
/// ```
pub const STANDARD: &str = "-";

/// Placeholder for the process ID in file names.
///
/// # Examples
/// ```
/// use gcn_report::settings::{CheckSettings, PROCESS};
/// let output = Some(format!("findings-{PROCESS}.txt").into());
/// let settings = CheckSettings { output, ..CheckSettings::default() };
/// assert_eq!(settings.file_of(7), Some("findings-7.txt".into()));
/// ```
pub const PROCESS: &str = "%p";

/// Returns the output file of a process, with [`PROCESS`] replaced by the process ID, or `None` for [`STANDARD`].
pub(super) fn file_of(output: &Path, process: u32) -> Option<PathBuf> {
    let output = (output != Path::new(STANDARD)).then_some(output)?;
    Some(match output.to_str() {
        Some(name) => name.replace(PROCESS, &process.to_string()).into(),
        None => output.to_owned(),
    })
}

/// Returns the format named `name`.
///
/// # Errors
/// Fails if the name is unknown. The message lists the valid ones.
pub(super) fn form<T: Copy>(forms: &[(&'static str, T)], name: &str) -> Result<T, String> {
    let found = forms.iter().find(|(known, _)| *known == name);
    found.map(|(_, form)| *form).ok_or_else(|| {
        let names: Vec<&str> = forms.iter().map(|(name, _)| *name).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        format!("`{name}` is not {} or {last}", others.join(", "))
    })
}
