//! Errors with stable names, which messages show as `error[NAME]` and `gcn explain` explains.

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

/// Arguments that contradict each other, are incomplete, or that the command or the kernel does not have.
pub const INVALID_USAGE: &str = "invalid-usage";
/// A variable of the environment, or an option for such a variable, with a wrong value.
pub const INVALID_SETTING: &str = "invalid-setting";
/// A launch file that is not valid TOML, or has a key or value that launches do not have.
pub const INVALID_LAUNCH_FILE: &str = "invalid-launch-file";
/// A file of suppressions that is not valid TOML, or has a key or value that suppressions do not have.
pub const INVALID_SUPPRESSIONS: &str = "invalid-suppressions";
/// A line of a file of labels that cannot be read, or that does not fit the code.
pub const INVALID_LABELS: &str = "invalid-labels";
/// Text that selects no elements of a buffer.
pub const INVALID_SELECTOR: &str = "invalid-selector";
/// A name, number or word that `gcn isa` or `gcn explain` does not know.
pub const UNKNOWN_ENTRY: &str = "unknown-entry";
/// A code object without source lines.
pub const MISSING_DEBUG_INFO: &str = "missing-debug-info";
/// A library for programs that is not installed, or that a program cannot load.
pub const MISSING_LIBRARY: &str = "missing-library";
/// A program of `gcn exec` that cannot run.
pub const UNUSABLE_PROGRAM: &str = "unusable-program";
/// A program that does not state its target.
pub const MISSING_TARGET: &str = "missing-target";
/// A code object itself, where a file that holds code objects is expected.
pub const NOTHING_TO_EXTRACT: &str = "nothing-to-extract";
/// An output that would replace an input or another output.
pub const OUTPUT_CONFLICT: &str = "output-conflict";
/// An output that cannot be written.
pub const UNWRITABLE_OUTPUT: &str = "unwritable-output";
/// A choice of instructions to trace that cannot be read.
pub const INVALID_FILTER: &str = "invalid-filter";

/// Paths of `gcn test` without a launch file.
pub const NO_LAUNCH_FILE: &str = "no-launch-file";
/// A value whose history `gcn why` cannot keep.
pub const HISTORY_TOO_LARGE: &str = "history-too-large";
/// Input of the language server or the debug adapter that is no message of the protocol.
pub const INVALID_PROTOCOL: &str = "invalid-protocol";

/// The names of this command's own errors; tests hold that each is explained.
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

/// An error as a message shows it; also the context of an error that has no name of its own.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Stable name, if it has one.
    pub name: Option<&'static str>,
    /// The message.
    pub message: String,
}

impl Problem {
    /// A problem with a stable name.
    pub fn new(name: &'static str, message: impl Into<String>) -> Problem {
        Problem {
            name: Some(name),
            message: message.into(),
        }
    }

    /// An error with its causes, and the name of the problem among them, or else of the outermost that has one.
    pub fn of(error: &anyhow::Error) -> Problem {
        let own = || error.downcast_ref::<Problem>().and_then(|it| it.name);
        Problem {
            name: own().or_else(|| error.chain().find_map(name)),
            message: format!("{error:#}"),
        }
    }

    /// The problem of arguments that are wrong.
    pub fn of_usage(message: impl Into<String>) -> Problem {
        Problem::new(INVALID_USAGE, message)
    }

    /// The problem with text before its message.
    pub fn behind(self, prefix: &str) -> Problem {
        Problem {
            message: format!("{prefix}{}", self.message),
            ..self
        }
    }
}

/// A line of standard error: `error[NAME]: MESSAGE`.
pub fn line(name: Option<&str>, message: &str) -> String {
    let message = printable(message);
    match name {
        Some(name) => format!("error[{name}]: {message}\n"),
        None => format!("error: {message}\n"),
    }
}

/// Reason why a code object's target is none of the supported ones.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoTarget {
    /// The object names another target.
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

/// The stable name of an error, without those of its causes.
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
