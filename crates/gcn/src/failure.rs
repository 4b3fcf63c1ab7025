//! Reports of errors that prevent a command from completing, as text or JSON.

use std::io::{self, Write};

use anyhow::{Result, bail};
use serde::Serialize;

use crate::problem::{self, INVALID_LAUNCH_FILE, Problem};
use crate::render::{self, RenderedDiagnostics};
use crate::status::RunOutcome;
use crate::{Status, UsageError};

/// Problems with a launch, reported together.
#[derive(Debug, thiserror::Error)]
#[error("{}", joined(.problems))]
pub struct Problems {
    /// Problems in the order of the arguments.
    pub problems: Vec<Problem>,
    /// Correct usage; may have several lines.
    pub help: Option<String>,
}

fn joined(problems: &[Problem]) -> String {
    let messages: Vec<&str> = problems.iter().map(|it| &*it.message).collect();
    messages.join("; ")
}

impl Problems {
    /// Returns an error if there are problems.
    ///
    /// # Errors
    /// Returns all problems, combined into one error.
    pub fn check(problems: Vec<Problem>, help: impl FnOnce() -> Option<String>) -> Result<()> {
        if problems.is_empty() {
            return Ok(());
        }
        let help = help();
        bail!(Problems { problems, help })
    }
}

/// Usage error whose help depends on the kernel.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct KernelUsageError {
    pub message: String,
    /// Correct usage; may have several lines.
    pub help: Option<String>,
}

/// Errors that prevent a command from completing.
struct Failure {
    outcome: RunOutcome,
    problems: Vec<Problem>,
    help: Option<String>,
    /// Rendered diagnostics of a source, shown unchanged.
    diagnostics: Option<String>,
}

/// JSON report of a [`Failure`].
#[derive(Serialize)]
struct FailureReport<'a> {
    outcome: RunOutcome,
    exit_status: u8,
    /// Messages, or rendered diagnostics of a source.
    errors: Vec<&'a str>,
    /// Names of the errors for `gcn explain`. For diagnostics, the name of the first error.
    names: Vec<Option<&'static str>>,
    help: Option<&'a str>,
}

impl Failure {
    fn new(outcome: RunOutcome, problems: Vec<Problem>, help: Option<String>) -> Failure {
        Failure {
            outcome,
            problems,
            help,
            diagnostics: None,
        }
    }

    /// Creates a failure for a usage error.
    fn of_usage(message: &str, help: Option<String>) -> Failure {
        let problem = Problem::of_usage(message.trim_end());
        Failure::new(RunOutcome::BadUsage, vec![problem], help)
    }

    /// Creates a failure for an error. Returns the error itself if an output stream failed.
    fn of(error: anyhow::Error) -> Result<Failure> {
        if error.chain().count() == 1 && error.is::<io::Error>() {
            return Err(error);
        }
        let error = match error.downcast::<RenderedDiagnostics>() {
            Ok(RenderedDiagnostics { text, name }) => {
                let message = text.trim_end().to_owned();
                let problem = Problem { name, message };
                return Ok(Failure {
                    diagnostics: Some(text),
                    ..Failure::new(RunOutcome::BadInput, vec![problem], None)
                });
            }
            Err(error) => error,
        };
        let error = match error.downcast::<Problems>() {
            Ok(Problems { problems, help }) => {
                return Ok(Failure::new(RunOutcome::BadInput, problems, help));
            }
            Err(error) => error,
        };
        let error = match error.downcast::<KernelUsageError>() {
            Ok(KernelUsageError { message, help }) => return Ok(Failure::of_usage(&message, help)),
            Err(error) => error,
        };
        let outcome = if error.is::<UsageError>() {
            RunOutcome::BadUsage
        } else {
            RunOutcome::BadInput
        };
        Ok(Failure::new(outcome, vec![Problem::of(&error)], None))
    }

    fn write_json(&self, out: &mut dyn Write) -> Result<()> {
        let report = FailureReport {
            outcome: self.outcome,
            exit_status: self.outcome.status() as u8,
            errors: self.problems.iter().map(|it| &*it.message).collect(),
            names: self.problems.iter().map(|it| it.name).collect(),
            help: self.help.as_deref(),
        };
        render::json(&report, out)?;
        Ok(())
    }

    /// Shows the failure on standard error, or writes it in JSON.
    fn show(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        if json {
            return self.write_json(out);
        }
        self.tell();
        Ok(())
    }

    fn tell(&self) {
        if let Some(text) = &self.diagnostics {
            render::tell(format_args!("{text}"));
            return;
        }
        for Problem { name, message } in &self.problems {
            render::tell(format_args!("{}", problem::line(*name, message)));
        }
        for line in self.help.iter().flat_map(|help| help.lines()) {
            render::tell(format_args!("{}\n", render::printable(line)));
        }
    }
}

/// Reports an error that prevents a command from completing: to standard error, or to `out` in JSON.
///
/// # Errors
/// Fails if `out` cannot be written, or `error` comes from an output stream.
pub fn report(error: anyhow::Error, json: bool, out: &mut dyn Write) -> Result<Status> {
    let (status, _) = report_all(error, json, out)?;
    Ok(status)
}

/// Like [`report`], for a comparison of two runs: a source that cannot be built has its own exit status.
///
/// # Errors
/// Fails as [`report`] does.
pub fn report_comparison(error: anyhow::Error, json: bool, out: &mut dyn Write) -> Result<Status> {
    let mut failure = Failure::of(error)?;
    let names = failure.problems.iter().filter_map(|it| it.name);
    let is_source = failure.diagnostics.is_some() && !names.clone().eq([INVALID_LAUNCH_FILE]);
    if is_source {
        failure.outcome = RunOutcome::NotBuilt;
    }
    failure.show(json, out)?;
    Ok(failure.outcome.status())
}

/// Reports a run that ended without a result.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn report_end(
    outcome: RunOutcome,
    problem: Problem,
    json: bool,
    out: &mut dyn Write,
) -> Result<Status> {
    let failure = Failure::new(outcome, vec![problem], None);
    failure.show(json, out)?;
    Ok(outcome.status())
}

/// Like [`report`], but also returns the errors.
///
/// # Errors
/// Fails as [`report`] does.
pub fn report_all(
    error: anyhow::Error,
    json: bool,
    out: &mut dyn Write,
) -> Result<(Status, Vec<Problem>)> {
    let failure = Failure::of(error)?;
    failure.show(json, out)?;
    Ok((failure.outcome.status(), failure.problems))
}

/// Commands that report rejected arguments in JSON with `--json`.
const JSON_COMMANDS: [&str; 10] = [
    "asm", "dis", "info", "extract", "isa", "run", "check", "why", "lint", "explain",
];
/// Commands that also report rejected arguments in JSON with `--format json`, unless there is an output file.
const FORMAT_COMMANDS: [&str; 3] = ["isa", "check", "lint"];

/// True if `arguments`, which clap has rejected and which begin with the subcommand, request JSON from a command that
/// reports this error in JSON.
pub fn reports_usage(error: &clap::Error, arguments: &[String]) -> bool {
    let Some((command, options)) = arguments.split_first() else {
        return false;
    };
    let has = |option: &str| options.iter().any(|it| it == option);
    let is_json = has("--format=json") || options.windows(2).any(|it| it == ["--format", "json"]);
    let has_file = options.iter().any(|it| it.starts_with("--output"));
    error.use_stderr()
        && (has("--json") && JSON_COMMANDS.contains(&&**command)
            || is_json && !has_file && FORMAT_COMMANDS.contains(&&**command))
}

/// Reports rejected arguments in JSON.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn report_usage(error: &clap::Error, out: &mut dyn Write) -> Result<()> {
    let message = error.to_string();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    Failure::of_usage(message, None).write_json(out)
}
