//! Access to environment variables, and errors in their values.

use std::ffi::OsString;

/// Separator of list elements.
pub(super) const COMMA: char = ',';

/// Error for an environment variable with an invalid value.
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
    /// Name of the variable.
    pub variable: &'static str,
    /// Error message that states the value and the accepted values.
    pub problem: String,
}

/// Environment variables, accessed through a function.
pub(super) struct Variables<F> {
    /// Function that looks up a variable.
    pub(super) value: F,
}

impl<F: Fn(&str) -> Option<OsString>> Variables<F> {
    /// Returns the value of a variable; `None` if it is unset or empty.
    pub(super) fn value(&self, name: &'static str) -> Option<OsString> {
        (self.value)(name).filter(|value| !value.is_empty())
    }

    /// Returns the value of a variable as text.
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

    /// Parses the value of a variable with `read`.
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

/// Splits a list into its nonempty elements, without surrounding whitespace.
pub(super) fn items(text: &str, separator: char) -> Vec<String> {
    let items = text.split(separator).map(str::trim);
    items
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}
