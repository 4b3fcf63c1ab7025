//! Outcomes of commands and runs, and their exit statuses.

use std::process::ExitCode;

use serde::Serialize;

/// Outcome of a command; the discriminant is the exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Status {
    /// Completed as requested.
    Success = 0,
    /// Invalid input, or an output that cannot be written. The reasons have been reported.
    BadInput = 1,
    /// Invalid usage, which has been reported. Clap uses the same exit status.
    BadUsage = 2,
    /// A result differs from the expected one, or a checker has reported a finding.
    Difference = 3,
    /// The kernel faulted, exceeded a limit, or deadlocked.
    Fault = 4,
    /// The run exceeded its time limit. timeout(1) uses the same exit status.
    Timeout = 124,
    /// `gcn exec` failed before starting the program, or a source of `gcn why --against` could not be built. `git bisect
    /// run` skips commits with this status. timeout(1) and env(1) use it and the next two.
    NotStarted = 125,
    /// The program cannot be executed.
    NotExecutable = 126,
    /// The program does not exist.
    NotFound = 127,
    /// SIGINT: 128 plus the signal number, as in shells.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Invalid combination of arguments that clap cannot detect.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Outcome of a run; JSON uses the names of the variants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// Completed; all expectations hold.
    Success,
    /// Invalid input, or an output that cannot be written.
    BadInput,
    /// Invalid usage.
    BadUsage,
    /// A source in a comparison of two runs could not be built.
    NotBuilt,
    /// Completed; an expectation does not hold.
    Difference,
    /// Completed; a checker reported a finding.
    Finding,
    /// A wave faulted.
    Fault,
    /// A wave reached the instruction limit.
    Limit,
    /// All waves are waiting, and none can continue.
    Deadlock,
    /// The run exceeded `--timeout`.
    Timeout,
    /// Ctrl-C.
    Interrupted,
    /// SIGTERM.
    Terminated,
}

impl RunOutcome {
    /// Exit status of the outcome.
    pub fn status(self) -> Status {
        match self {
            RunOutcome::Success => Status::Success,
            RunOutcome::BadInput => Status::BadInput,
            RunOutcome::BadUsage => Status::BadUsage,
            RunOutcome::NotBuilt => Status::NotStarted,
            RunOutcome::Difference | RunOutcome::Finding => Status::Difference,
            RunOutcome::Fault | RunOutcome::Limit | RunOutcome::Deadlock => Status::Fault,
            RunOutcome::Timeout => Status::Timeout,
            RunOutcome::Interrupted => Status::Interrupted,
            RunOutcome::Terminated => Status::Terminated,
        }
    }
}
