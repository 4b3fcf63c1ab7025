//! How a run ended, in JSON and as an exit status.

use std::borrow::Cow;

use serde::Serialize;

use super::fault::FaultReport;
use super::fidelity;
use super::output::{BufferReport, Comparison};
use crate::Status;

/// How a run ended; the names are those of the JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It finished, and every expectation held.
    Success,
    /// An input is wrong, or an output cannot be written.
    BadInput,
    /// The command is wrong.
    BadUsage,
    /// It finished, and an expectation did not hold.
    Difference,
    /// A wave did what it must not.
    Fault,
    /// A wave executed as many instructions as it may.
    Limit,
    /// All waves wait for each other.
    Deadlock,
    /// It took longer than `--timeout` allows.
    Timeout,
    /// Ctrl-C.
    Interrupted,
    /// SIGTERM.
    Terminated,
}

impl Outcome {
    /// The exit status.
    pub fn status(self) -> Status {
        match self {
            Outcome::Success => Status::Success,
            Outcome::BadInput => Status::BadInput,
            Outcome::BadUsage => Status::BadUsage,
            Outcome::Difference => Status::Difference,
            Outcome::Fault | Outcome::Limit | Outcome::Deadlock => Status::Fault,
            Outcome::Timeout => Status::Timeout,
            Outcome::Interrupted => Status::Interrupted,
            Outcome::Terminated => Status::Terminated,
        }
    }
}

/// A run in JSON; the fields are the keys.
#[derive(Serialize)]
pub struct Report<'a> {
    pub outcome: Outcome,
    pub exit_status: u8,
    /// Files that could not be written.
    pub errors: &'a [String],
    pub kernel: &'a str,
    pub target: &'a str,
    pub grid: [u32; 3],
    pub group: [u32; 3],
    pub workgroups: u64,
    pub waves: u64,
    /// Executed, one for each wave that did.
    pub instructions: u64,
    pub seconds: f64,
    pub threads: usize,
    pub notes: Vec<String>,
    /// What the kernel has printed.
    pub printed: Cow<'a, str>,
    /// What `--print` names.
    pub buffers: Vec<BufferReport>,
    pub expectations: &'a [Comparison],
    /// The executed instructions by how far they are right.
    pub fidelity: &'a [fidelity::Group],
    pub fault: Option<&'a FaultReport>,
}
