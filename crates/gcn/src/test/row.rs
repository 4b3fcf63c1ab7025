//! Results of launch files.

use serde_json::Value;

use crate::Status;

/// Outcome of a launch file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowOutcome {
    /// Completed; all expectations hold.
    Passed,
    /// An expectation does not hold.
    Difference,
    /// A checker reported a finding.
    Finding,
    /// A launch ended in a fault, a limit or a deadlock.
    Fault,
    /// Time limit exceeded.
    Timeout,
    /// Invalid input, or a result that cannot be written.
    Error,
    /// Process killed by a signal, or an unexpected exit status.
    Crash,
    /// Stopped or never started because `gcn test` received a signal.
    Interrupted,
}

impl RowOutcome {
    /// Outcome of a process with exit status `status` (`None` if a signal killed it) and `findings` findings.
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

    pub fn passed(self) -> bool {
        self == RowOutcome::Passed
    }

    /// Name in the summary and in reports.
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

    /// Character in the progress line.
    pub fn character(self) -> char {
        match self {
            RowOutcome::Passed => '.',
            RowOutcome::Difference | RowOutcome::Finding | RowOutcome::Fault => 'F',
            RowOutcome::Timeout => 'T',
            RowOutcome::Error | RowOutcome::Crash => 'E',
            RowOutcome::Interrupted => 'I',
        }
    }

    /// True for an error in JUnit's terms; other outcomes that do not pass are failures.
    pub fn is_error(self) -> bool {
        matches!(
            self,
            RowOutcome::Error | RowOutcome::Crash | RowOutcome::Interrupted
        )
    }
}

/// Result of a launch file.
pub struct Row {
    /// Printable path.
    pub path: String,
    pub outcome: RowOutcome,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Standard output and standard error of the process; the middle of long output is dropped.
    pub report: String,
    /// SARIF log of the findings, if one was written.
    pub log: Option<Value>,
}

impl Row {
    /// Reason for a failure in one line: the outcome and, except for timeouts and crashes, the first error message.
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
