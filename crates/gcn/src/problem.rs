//! Errors with stable names, shown as `error[NAME]` and explained by `gcn explain`.

use std::error::Error;
use std::fmt;

use gcn_args::bind::{ArgumentError, BindError, PlaceError};
use gcn_args::expect::ExpectError;
use gcn_args::value::ValueError;
use gcn_isa::UnknownTarget;
use gcn_object::{
    BundleError, DriverError, ImageError, LinesError, NameError, ReadError, RelocationError,
};
use gcn_report::printable;
use gcn_report::settings::SettingsError;
use gcn_runtime::compile::CompileError;
use gcn_runtime::data::DataError;
use gcn_runtime::error_names::UNSUPPORTED_TARGET;

use crate::status::UsageError;

/// Arguments that conflict, are incomplete, or are not supported by the command or kernel.
pub const INVALID_USAGE: &str = "invalid-usage";
/// Invalid value of an environment variable, or of the corresponding option.
pub const INVALID_SETTING: &str = "invalid-setting";
/// Launch file that is not valid TOML, or has an unknown key or an invalid value.
pub const INVALID_LAUNCH_FILE: &str = "invalid-launch-file";
/// Suppression file that is not valid TOML, or has an unknown key or an invalid value.
pub const INVALID_SUPPRESSIONS: &str = "invalid-suppressions";
/// Line of a label file that is invalid, or does not fit the code.
pub const INVALID_LABELS: &str = "invalid-labels";
/// Invalid selector of a buffer's elements.
pub const INVALID_SELECTOR: &str = "invalid-selector";
/// Name, number or word unknown to `gcn isa` or `gcn explain`.
pub const UNKNOWN_ENTRY: &str = "unknown-entry";
/// Code object without source lines.
pub const MISSING_DEBUG_INFO: &str = "missing-debug-info";
/// Library for HIP or OpenCL programs that is not installed, or whose path the dynamic loader cannot use.
pub const MISSING_LIBRARY: &str = "missing-library";
/// Program that `gcn exec` cannot run.
pub const UNUSABLE_PROGRAM: &str = "unusable-program";
/// Code object without a known target, and no `--target`.
pub const MISSING_TARGET: &str = "missing-target";
/// Code object passed where a file that contains code objects is expected.
pub const NOTHING_TO_EXTRACT: &str = "nothing-to-extract";
/// Output that would overwrite an input or another output.
pub const OUTPUT_CONFLICT: &str = "output-conflict";
/// Output that cannot be written.
pub const UNWRITABLE_OUTPUT: &str = "unwritable-output";
/// Invalid selection of instructions to trace.
pub const INVALID_FILTER: &str = "invalid-filter";

/// No launch file for `gcn test` to run.
pub const NO_LAUNCH_FILE: &str = "no-launch-file";
/// Value whose history is too large for `gcn why`.
pub const HISTORY_TOO_LARGE: &str = "history-too-large";
/// Invalid message for the language server or the debug adapter.
pub const INVALID_PROTOCOL: &str = "invalid-protocol";

/// Names of this crate's own errors. A test checks that each has an explanation.
#[cfg(test)]
pub const NAMES: &[&str] = &[
    INVALID_USAGE,
    INVALID_SETTING,
    INVALID_LAUNCH_FILE,
    INVALID_SUPPRESSIONS,
    INVALID_LABELS,
    INVALID_SELECTOR,
    UNKNOWN_ENTRY,
    MISSING_DEBUG_INFO,
    MISSING_LIBRARY,
    UNUSABLE_PROGRAM,
    MISSING_TARGET,
    NOTHING_TO_EXTRACT,
    OUTPUT_CONFLICT,
    UNWRITABLE_OUTPUT,
    INVALID_FILTER,
    NO_LAUNCH_FILE,
    HISTORY_TOO_LARGE,
    INVALID_PROTOCOL,
];

/// Error message with an optional stable name. If added to an error as context, its name takes precedence.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Stable name, if there is one.
    pub name: Option<&'static str>,
    pub message: String,
}

impl Problem {
    /// Creates a problem with a stable name.
    pub fn new(name: &'static str, message: impl Into<String>) -> Problem {
        Problem {
            name: Some(name),
            message: message.into(),
        }
    }

    /// Creates a problem from an error and its causes. The name comes from the outermost [`Problem`] in the chain, or
    /// else from the outermost error that has one.
    pub fn of(error: &anyhow::Error) -> Problem {
        let own = || error.downcast_ref::<Problem>().and_then(|it| it.name);
        Problem {
            name: own().or_else(|| error.chain().find_map(name)),
            message: format!("{error:#}"),
        }
    }

    /// Creates a problem for invalid usage.
    pub fn of_usage(message: impl Into<String>) -> Problem {
        Problem::new(INVALID_USAGE, message)
    }

    /// Adds a prefix to the message.
    pub fn with_prefix(self, prefix: &str) -> Problem {
        Problem {
            message: format!("{prefix}{}", self.message),
            ..self
        }
    }
}

/// Formats the line `error[NAME]: MESSAGE`.
pub fn line(name: Option<&str>, message: &str) -> String {
    let message = printable(message);
    match name {
        Some(name) => format!("error[{name}]: {message}\n"),
        None => format!("error: {message}\n"),
    }
}

/// Reason why a code object has no usable target.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoTarget {
    /// The object names an unsupported target.
    #[error("the code cannot be read: {}", UnknownTarget(.0))]
    Unsupported(&'static str),
    /// The object names no target.
    #[error("the code object has no known target: add --target")]
    Unknown,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Problem {}

/// Stable name of an error, ignoring its causes.
fn name(error: &(dyn Error + 'static)) -> Option<&'static str> {
    fn of<E: Error + 'static>(
        error: &(dyn Error + 'static),
        name: fn(&E) -> &'static str,
    ) -> Option<&'static str> {
        error.downcast_ref().map(name)
    }
    let target = |it: &NoTarget| match it {
        NoTarget::Unsupported(_) => UNSUPPORTED_TARGET,
        NoTarget::Unknown => MISSING_TARGET,
    };
    of(error, target)
        .or_else(|| of(error, |_: &UsageError| INVALID_USAGE))
        .or_else(|| of(error, |_: &SettingsError| INVALID_SETTING))
        .or_else(|| of(error, gcn_runtime::Error::name))
        .or_else(|| of(error, ReadError::name))
        .or_else(|| of(error, BundleError::name))
        .or_else(|| of(error, DriverError::name))
        .or_else(|| of(error, ImageError::name))
        .or_else(|| of(error, RelocationError::name))
        .or_else(|| of(error, LinesError::name))
        .or_else(|| of(error, NameError::name))
        .or_else(|| of(error, CompileError::name))
        .or_else(|| of(error, BindError::name))
        .or_else(|| of(error, ArgumentError::name))
        .or_else(|| of(error, PlaceError::name))
        .or_else(|| of(error, ValueError::name))
        .or_else(|| of(error, DataError::name))
        .or_else(|| of(error, ExpectError::name))
        .or_else(|| of(error, |_: &toml::de::Error| INVALID_LAUNCH_FILE))
}
