//! Requested runs, not yet checked against the kernels.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gcn_runtime::{Engine, Variations};

use super::option_values::{LaunchSizes, NamedText};
use super::profile::ProfileOptions;
use crate::input;
use crate::program::ProgramRequest;

/// Requested run: a program, buffers, a sequence of launches, and uses of the results.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunRequest {
    /// Launch file, if there is one.
    pub launch_file: Option<PathBuf>,
    pub program: ProgramRequest,
    /// Number of host threads.
    pub threads: Option<usize>,
    /// Engine that executes instructions.
    pub engine: Option<Engine>,
    /// Total time limit for all launches.
    pub timeout: Option<Duration>,
    /// Maximum guest memory in bytes.
    pub memory: Option<u64>,
    /// Buffers that all launches can use.
    pub buffers: Vec<NamedText>,
    /// Launches in order; at least one.
    pub launches: Vec<LaunchRequest>,
    /// Error for an argument without a name or value, reported later together with the kernel's parameters.
    pub wrong_arg: Option<String>,
    /// Buffers to print.
    pub print: Vec<NamedText>,
    /// Buffers to save; the value is the file.
    pub save: Vec<NamedText>,
    /// Buffers to compare.
    pub expect: Vec<NamedText>,
    pub variations: Variations,
    pub trace: TraceOptions,
    pub profile: ProfileOptions,
    /// File for the host code.
    pub dump_code: Option<PathBuf>,
    /// True to list instructions by fidelity.
    pub fidelity: bool,
    /// True to report in JSON.
    pub json: bool,
}

/// Options of a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TraceOptions {
    /// True if `--trace` is given.
    pub all: bool,
    /// Filters that select the instructions to trace, each `KEY=VALUE`.
    pub only: Vec<String>,
    /// Output file.
    pub file: Option<PathBuf>,
}

impl TraceOptions {
    /// True if a trace is requested.
    pub fn is_on(&self) -> bool {
        self.all || !self.only.is_empty() || self.file.is_some()
    }

    /// Output file, unless it is standard output.
    pub fn named_file(&self) -> Option<&Path> {
        let file = self.file.as_deref();
        file.filter(|path| *path != Path::new(input::STDIN))
    }

    /// True if the trace is written to standard output.
    pub fn is_for_stdout(&self) -> bool {
        self.is_on() && self.named_file().is_none()
    }
}

/// Requested launch of a kernel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LaunchRequest {
    /// Kernel name. Defaults to the only kernel.
    pub kernel: Option<String>,
    /// Grid size in work-items.
    pub grid: Option<LaunchSizes>,
    /// Workgroup size in work-items.
    pub group: Option<LaunchSizes>,
    /// Global IDs of the first work-item.
    pub offset: Option<[u64; 3]>,
    /// Maximum number of instructions per wave.
    pub limit: Option<u64>,
    /// Dynamic LDS in bytes, in addition to LDS arguments.
    pub lds: Option<u32>,
    /// Scratch per lane in bytes, in addition to the kernel's fixed part.
    pub stack: Option<u32>,
    /// Arguments by name or index.
    pub args: Vec<NamedText>,
    /// All explicit arguments as bytes.
    pub kernarg: Option<NamedText>,
    /// Number of executions; 1 by default.
    pub repeat: Option<NonZeroU32>,
}

impl LaunchRequest {
    /// Fills in missing settings from another request, except for arguments, which belong to one launch.
    pub fn or(self, others: &LaunchRequest) -> LaunchRequest {
        LaunchRequest {
            kernel: self.kernel.or_else(|| others.kernel.clone()),
            grid: self.grid.or(others.grid),
            group: self.group.or(others.group),
            offset: self.offset.or(others.offset),
            limit: self.limit.or(others.limit),
            lds: self.lds.or(others.lds),
            stack: self.stack.or(others.stack),
            repeat: self.repeat.or(others.repeat),
            ..self
        }
    }
}
