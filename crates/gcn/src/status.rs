//! Outcomes of commands and of runs, and their exit statuses.

use std::process::ExitCode;

use serde::Serialize;

/// Outcome of a command; the number is the exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Status {
    /// As asked.
    Success = 0,
    /// An input is wrong or an output cannot be written, and the reasons have been reported.
    BadInput = 1,
    /// The usage is wrong, and the reasons have been reported; clap's number too.
    BadUsage = 2,
    /// A result differs from what is expected, or a checker has found something.
    Difference = 3,
    /// The kernel had a fault, came to a limit, or blocked itself.
    Fault = 4,
    /// The kernel took longer than allowed; the number is that of timeout(1).
    Timeout = 124,
    /// `gcn exec` has not started the program; as with timeout(1) and env(1), like the following.
    NotStarted = 125,
    /// The program cannot be executed.
    NotExecutable = 126,
    /// The program does not exist.
    NotFound = 127,
    /// SIGINT: 128 and the signal's number, as shells have it.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// An invalid combination of arguments, which clap cannot detect.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// The end of a run; the names are those of the JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// The run finished, and every expectation held.
    Success,
    /// An input is wrong, or an output cannot be written.
    BadInput,
    /// The command is wrong.
    BadUsage,
    /// The run finished, and an expectation did not hold.
    Difference,
    /// The run finished, and a checker has found something.
    Finding,
    /// A wave did what it must not.
    Fault,
    /// A wave executed as many instructions as it may.
    Limit,
    /// All waves wait for each other.
    Deadlock,
    /// The run took longer than `--timeout` allows.
    Timeout,
    /// Ctrl-C.
    Interrupted,
    /// SIGTERM.
    Terminated,
}

impl RunOutcome {
    /// The exit status.
    pub fn status(self) -> Status {
        match self {
            RunOutcome::Success => Status::Success,
            RunOutcome::BadInput => Status::BadInput,
            RunOutcome::BadUsage => Status::BadUsage,
            RunOutcome::Difference | RunOutcome::Finding => Status::Difference,
            RunOutcome::Fault | RunOutcome::Limit | RunOutcome::Deadlock => Status::Fault,
            RunOutcome::Timeout => Status::Timeout,
            RunOutcome::Interrupted => Status::Interrupted,
            RunOutcome::Terminated => Status::Terminated,
        }
    }
}
