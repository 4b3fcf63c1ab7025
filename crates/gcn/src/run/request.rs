//! Runs that are asked for. Nothing is compared with the kernels yet.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gcn_runtime::{Engine, Variations};

use super::profile::ProfileOptions;
use super::written::{NamedText, WrittenSizes};
use crate::input;
use crate::program::ProgramRequest;

/// A run as written: a program, buffers, launches one after the other, and what is to be done with the results.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunRequest {
    /// The launch file, if there is one.
    pub launch_file: Option<PathBuf>,
    /// The program.
    pub program: ProgramRequest,
    /// Host threads.
    pub threads: Option<usize>,
    /// Engine that executes instructions.
    pub engine: Option<Engine>,
    /// Time that the launches may take together.
    pub timeout: Option<Duration>,
    /// Bytes of guest memory that may be allocated.
    pub memory: Option<u64>,
    /// Buffers that all launches may use.
    pub buffers: Vec<NamedText>,
    /// In order; at least one.
    pub launches: Vec<LaunchRequest>,
    /// The error of an argument that has no name or no value; the correct way to write it depends on the kernel.
    pub wrong_arg: Option<String>,
    /// Buffers to print.
    pub print: Vec<NamedText>,
    /// Buffers to save; the value is a file.
    pub save: Vec<NamedText>,
    /// Buffers to compare.
    pub expect: Vec<NamedText>,
    /// Variations of the execution.
    pub variations: Variations,
    /// Prints instructions.
    pub trace: TraceOptions,
    /// Counts what is executed.
    pub profile: ProfileOptions,
    /// File for the host code.
    pub dump_code: Option<PathBuf>,
    /// Lists instructions by their fidelity.
    pub fidelity: bool,
    /// Reports in JSON.
    pub json: bool,
}

/// Options of a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TraceOptions {
    /// Traces every instruction.
    pub all: bool,
    /// The choice of instructions, each `KEY=VALUE`.
    pub only: Vec<String>,
    /// File to write it to.
    pub file: Option<PathBuf>,
}

impl TraceOptions {
    /// True if there is a trace.
    pub fn is_on(&self) -> bool {
        self.all || !self.only.is_empty() || self.file.is_some()
    }

    /// The file to write it to, if it is not standard output.
    pub fn named_file(&self) -> Option<&Path> {
        let file = self.file.as_deref();
        file.filter(|path| *path != Path::new(input::STDIN))
    }

    /// True if there is a trace for standard output.
    pub fn is_for_stdout(&self) -> bool {
        self.is_on() && self.named_file().is_none()
    }
}

/// A launch of a kernel as written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LaunchRequest {
    /// Name of the kernel; without, the only one.
    pub kernel: Option<String>,
    /// Work-items.
    pub grid: Option<WrittenSizes>,
    /// Work-items of a workgroup.
    pub group: Option<WrittenSizes>,
    /// Work-items' global numbers begin with these.
    pub offset: Option<[u64; 3]>,
    /// Instructions of a wave.
    pub limit: Option<u64>,
    /// Dynamic LDS beyond the arguments that ask for it, in bytes.
    pub lds: Option<u32>,
    /// Scratch of a lane beyond the kernel's fixed part, in bytes.
    pub stack: Option<u32>,
    /// Arguments in the order of writing.
    pub args: Vec<NamedText>,
    /// All explicit arguments as bytes.
    pub kernarg: Option<NamedText>,
    /// Number of times that it runs; without, once.
    pub repeat: Option<NonZeroU32>,
}

impl LaunchRequest {
    /// The launch with what it does not say taken from another. Arguments belong to one launch.
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
