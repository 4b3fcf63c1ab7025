//! Settings for the profile: its format and output file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::output;
use super::variables::{SettingsError, Variables};

/// Environment variable for the output file of the profile.
pub(super) const PROFILE: &str = "GCN_PROFILE";
/// Environment variable for the format of the profile. Ignored without [`PROFILE`].
const FORMAT: &str = "GCN_PROFILE_FORMAT";

/// Output format of a profile.
///
/// # Examples
/// ```
/// use gcn_report::settings::ProfileFormat;
/// assert!(ProfileFormat::NAMES.iter().all(|(name, format)| format.name() == *name));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProfileFormat {
    /// Tables of the hottest instructions and source lines.
    Text,
    /// JSON with all counts. `docs/profile.md` describes the keys.
    Json,
    /// Self-contained HTML page with annotated listings.
    Html,
}

impl ProfileFormat {
    /// All formats with their names.
    pub const NAMES: [(&'static str, ProfileFormat); 3] = [
        ("text", ProfileFormat::Text),
        ("json", ProfileFormat::Json),
        ("html", ProfileFormat::Html),
    ];

    /// Returns the format named `name`.
    ///
    /// # Errors
    /// Fails if the name is unknown. The message lists the valid ones.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::ProfileFormat;
    /// assert_eq!(ProfileFormat::named("html"), Ok(ProfileFormat::Html));
    /// assert_eq!(ProfileFormat::named("csv").unwrap_err(), "`csv` is not text, json or html");
    /// ```
    pub fn named(name: &str) -> Result<ProfileFormat, String> {
        output::form(&ProfileFormat::NAMES, name)
    }

    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            ProfileFormat::Text => "text",
            ProfileFormat::Json => "json",
            ProfileFormat::Html => "html",
        }
    }

    /// Returns the format for a file's extension, or text if the extension is unknown.
    ///
    /// # Examples
    /// ```
    /// use std::path::Path;
    /// use gcn_report::settings::ProfileFormat;
    /// assert_eq!(ProfileFormat::of_file(Path::new("profile.json")), ProfileFormat::Json);
    /// assert_eq!(ProfileFormat::of_file(Path::new("-")), ProfileFormat::Text);
    /// ```
    pub fn of_file(path: &Path) -> ProfileFormat {
        match path.extension().and_then(OsStr::to_str) {
            Some("json") => ProfileFormat::Json,
            Some("html" | "htm") => ProfileFormat::Html,
            _ => ProfileFormat::Text,
        }
    }
}

/// Settings for a profile of a program's kernels.
///
/// # Examples
/// ```
/// use gcn_report::settings::{ProfileFormat, ProfileSettings, Settings};
/// let profile = ProfileSettings { file: "kernels.html".into(), format: Some(ProfileFormat::Json) };
/// assert_eq!(profile.form(), ProfileFormat::Json, "the explicit format takes precedence over the extension");
/// let settings = Settings { profile: Some(profile), ..Settings::default() };
/// assert!(settings.variables().contains(&("GCN_PROFILE", "kernels.html".into())));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ProfileSettings {
    /// Output file; [`STANDARD`](super::STANDARD) is standard error.
    pub file: PathBuf,
    /// Output format; `None` to choose by the file's extension.
    pub format: Option<ProfileFormat>,
}

impl ProfileSettings {
    /// Reads the settings from environment variables; `None` if no profile is requested.
    pub(super) fn from_variables(
        variables: &Variables<impl Fn(&str) -> Option<OsString>>,
    ) -> Result<Option<ProfileSettings>, SettingsError> {
        let Some(file) = variables.value(PROFILE) else {
            return Ok(None);
        };
        Ok(Some(ProfileSettings {
            file: file.into(),
            format: variables.read(FORMAT, ProfileFormat::named)?,
        }))
    }

    /// Returns the environment variables that represent these settings.
    pub(super) fn variables(&self) -> Vec<(&'static str, Option<OsString>)> {
        vec![
            (PROFILE, Some(self.file.clone().into())),
            (FORMAT, self.format.map(|format| format.name().into())),
        ]
    }

    /// Returns the file for a process's profile, with [`PROCESS`](super::PROCESS) replaced by the process ID; `None`
    /// for standard error.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::{ProfileFormat, ProfileSettings};
    /// let settings = ProfileSettings { file: "profile-%p.html".into(), format: None };
    /// assert_eq!(settings.file_of(12), Some("profile-12.html".into()));
    /// assert_eq!(settings.form(), ProfileFormat::Html);
    /// ```
    pub fn file_of(&self, process: u32) -> Option<PathBuf> {
        output::file_of(&self.file, process)
    }

    /// Returns the explicit format, or else the format of the file's extension.
    pub fn form(&self) -> ProfileFormat {
        self.format
            .unwrap_or_else(|| ProfileFormat::of_file(&self.file))
    }
}
