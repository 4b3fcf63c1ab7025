//! A launch file's outcome.

use serde_json::Value;

use crate::Status;

/// Outcome of a launch file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowOutcome {
    /// End with every expectation held.
    Passed,
    /// An expectation did not hold.
    Difference,
    /// A checker has found something.
    Finding,
    /// A fault, a limit or a deadlock stopped a launch.
    Fault,
    /// End by the time limit.
    Timeout,
    /// Input that cannot be run, or a result that cannot be written.
    Error,
    /// Its process was ended by a signal, or with an unknown status.
    Crash,
    /// A signal to the tool stopped it, or kept it from starting.
    Interrupted,
}

impl RowOutcome {
    /// The outcome of a process by its exit status; `None` is one that a signal has ended. Checks have `findings`.
    pub fn of(status: Option<i32>, findings: usize) -> RowOutcome {
        const SUCCESS: i32 = Status::Success as i32;
        const BAD_INPUT: i32 = Status::BadInput as i32;
        const BAD_USAGE: i32 = Status::BadUsage as i32;
        const DIFFERENCE: i32 = Status::Difference as i32;
        const FAULT: i32 = Status::Fault as i32;
        const TIMEOUT: i32 = Status::Timeout as i32;
        const INTERRUPTED: i32 = Status::Interrupted as i32;
        const TERMINATED: i32 = Status::Terminated as i32;
        match status {
            Some(SUCCESS) => RowOutcome::Passed,
            Some(BAD_INPUT | BAD_USAGE) => RowOutcome::Error,
            Some(DIFFERENCE) if findings > 0 => RowOutcome::Finding,
            Some(DIFFERENCE) => RowOutcome::Difference,
            Some(FAULT) => RowOutcome::Fault,
            Some(TIMEOUT) => RowOutcome::Timeout,
            Some(INTERRUPTED | TERMINATED) => RowOutcome::Interrupted,
            _ => RowOutcome::Crash,
        }
    }

    /// True if the launch file did as it says.
    pub fn passed(self) -> bool {
        self == RowOutcome::Passed
    }

    /// Name in summaries and reports.
    pub fn name(self) -> &'static str {
        match self {
            RowOutcome::Passed => "passed",
            RowOutcome::Difference => "difference",
            RowOutcome::Finding => "finding",
            RowOutcome::Fault => "fault",
            RowOutcome::Timeout => "timeout",
            RowOutcome::Error => "error",
            RowOutcome::Crash => "crash",
            RowOutcome::Interrupted => "interrupted",
        }
    }

    /// The character of the short form of progress.
    pub fn character(self) -> char {
        match self {
            RowOutcome::Passed => '.',
            RowOutcome::Difference | RowOutcome::Finding | RowOutcome::Fault => 'F',
            RowOutcome::Timeout => 'T',
            RowOutcome::Error | RowOutcome::Crash => 'E',
            RowOutcome::Interrupted => 'I',
        }
    }

    /// True if the launch did not come to a verdict of its own: JUnit's errors, as opposed to its failures.
    pub fn is_error(self) -> bool {
        matches!(
            self,
            RowOutcome::Error | RowOutcome::Crash | RowOutcome::Interrupted
        )
    }
}

/// A launch file that ran.
pub struct Row {
    /// Path, as messages show it.
    pub path: String,
    /// Outcome.
    pub outcome: RowOutcome,
    /// Seconds from the start of its process to its end.
    pub seconds: f64,
    /// All that the process has printed, on both streams; the middle of long output is left out.
    pub report: String,
    /// SARIF log of its findings, if it was checked and has written one.
    pub log: Option<Value>,
}

impl Row {
    /// The reason for a failure in a line: the first error, or else the outcome.
    pub fn reason(&self) -> String {
        let errors = ["error[", "error:"];
        let is_error = |line: &&str| errors.iter().any(|error| line.contains(error));
        let error = self.report.lines().find(is_error);
        let name = self.outcome.name();
        match (self.outcome, error) {
            (RowOutcome::Timeout | RowOutcome::Crash, _) | (_, None) => name.to_owned(),
            (_, Some(line)) => format!("{name}: {}", line.trim()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_follow_from_exit_statuses() {
        for (status, findings, expected) in [
            (Some(0), 0, RowOutcome::Passed),
            (Some(1), 0, RowOutcome::Error),
            (Some(3), 0, RowOutcome::Difference),
            (Some(3), 2, RowOutcome::Finding),
            (Some(4), 1, RowOutcome::Fault),
            (Some(124), 0, RowOutcome::Timeout),
            (Some(101), 0, RowOutcome::Crash),
            (None, 0, RowOutcome::Crash),
        ] {
            assert_eq!(RowOutcome::of(status, findings), expected, "{status:?}");
        }
    }
}
