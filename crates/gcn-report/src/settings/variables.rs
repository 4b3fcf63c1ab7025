//! Parsing environment variables, and errors in their values.

use std::ffi::OsString;

/// Separates the items of a list.
pub(super) const COMMA: char = ',';

/// Environment variable with an invalid value.
///
/// # Examples
/// ```
/// use gcn_report::settings::Settings;
/// let error = Settings::from_variables(|name| (name == "GCN_THREADS").then(|| "0".into())).unwrap_err();
/// assert_eq!(error.variable, "GCN_THREADS");
/// assert_eq!(error.problem, "`0` is not a number of threads from 1 to 1024");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{variable}: {problem}")]
#[non_exhaustive]
pub struct SettingsError {
    /// The variable.
    pub variable: &'static str,
    /// Error message: the value and the accepted ones.
    pub problem: String,
}

/// An environment.
pub(super) struct Variables<F> {
    /// Looks a variable up.
    pub(super) value: F,
}

impl<F: Fn(&str) -> Option<OsString>> Variables<F> {
    /// Value of a variable; `None` if it is not set or empty.
    pub(super) fn value(&self, name: &'static str) -> Option<OsString> {
        (self.value)(name).filter(|value| !value.is_empty())
    }

    /// Value of a variable as text.
    pub(super) fn text(&self, variable: &'static str) -> Result<Option<String>, SettingsError> {
        let not_text = |value: OsString| SettingsError {
            variable,
            problem: format!("`{}` is not text in UTF-8", value.to_string_lossy()),
        };
        let value = self.value(variable);
        value
            .map(|value| value.into_string().map_err(not_text))
            .transpose()
    }

    /// Value of a variable, parsed by `read`.
    pub(super) fn read<T>(
        &self,
        variable: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SettingsError> {
        let wrong = |problem| SettingsError { variable, problem };
        let text = self.text(variable)?;
        text.map(|text| read(&text).map_err(wrong)).transpose()
    }
}

/// Nonempty items of a list.
pub(super) fn items(text: &str, separator: char) -> Vec<String> {
    let items = text.split(separator).map(str::trim);
    items
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}
