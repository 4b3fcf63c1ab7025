//! Options of `gcn run`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use gcn_report::settings::{self, ProfileFormat};
use gcn_runtime::Engine;

use super::option_values::{self, LaunchSizes};
use crate::program::ProgramOptions;
use crate::{UsageError, input, variations};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn run launch.toml
  gcn run saxpy.s --grid 256 --group 64 --arg count=250 --arg a=2 --arg xs=f32*250:iota \\
      --arg ys=f32*250 --print ys[0..6]
  gcn run saxpy.cl --target vega10 --grid 256 --arg y=f32*256 --arg x=f32*256:iota --arg a=2 --print y
  gcn run kernel.co --kernel reduce --grid 1024 --arg 0=@input.bin --arg 1=f32*16 --trace
  gcn run launch.toml --profile profile.html";

/// The arguments of `gcn run`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
pub struct Args {
    /// Source, code object, or launch file (`.toml`). OpenCL C (`.cl`), C++ for OpenCL (`.clcpp`), HIP (`.hip`) and LLVM IR
    /// (`.ll`, `.bc`) are compiled by the system's Clang.
    pub input: PathBuf,
    /// Target and compiler options.
    #[command(flatten)]
    pub program: ProgramOptions,
    /// Kernel to run, if there are several; C++ kernels by their symbol or by their name in the source.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Number of work-items, in up to three dimensions.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = option_values::sizes, allow_hyphen_values = true)]
    pub grid: Option<LaunchSizes>,
    /// Number of work-items per workgroup, in up to three dimensions.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = option_values::sizes, allow_hyphen_values = true)]
    pub group: Option<LaunchSizes>,
    /// Global IDs of the first work-item, for OpenCL kernels.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = option_values::offsets, allow_hyphen_values = true)]
    pub offset: Option<[u64; 3]>,
    /// Number of host threads.
    #[arg(long, value_name = "N", value_parser = settings::threads)]
    pub threads: Option<usize>,
    /// Engine that executes instructions: only the interpreter, or host code for hot blocks (default) or all blocks.
    #[arg(long, value_name = "ENGINE", value_parser = input::form(Engine::NAMES))]
    pub engine: Option<Engine>,
    /// Argument, by name or index: 42, f32:1.5, f32:1,2,3, u32*100:iota, f32*9:fill(1), f32*9:random(seed,lo,hi), {u32:1,
    /// f32:2.5}, @FILE, hex:00ff, local:BYTES, null, or the name of a buffer.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub arg: Vec<String>,
    /// All explicit arguments as bytes: @FILE, hex:00ff…, or {u32:1, f32:2.5, BUFFER}.
    #[arg(long, value_name = "BYTES")]
    pub kernarg: Option<String>,
    /// Buffer that arguments can name.
    #[arg(long, value_name = "NAME=VALUE")]
    pub buffer: Vec<String>,
    /// Print a buffer, or some of its elements, after the run; `hex` after the type prints their bits in hexadecimal.
    #[arg(long, value_name = "NAME[:TYPE][:hex][[A..B]]")]
    pub print: Vec<String>,
    /// Save a buffer's bytes; `-` is standard output.
    #[arg(long, value_name = "NAME=FILE")]
    pub save: Vec<String>,
    /// Compare a buffer with a value, written as for --arg; `~1e-6` or `~4 ulp` at the end sets a tolerance.
    #[arg(long, value_name = "NAME=VALUE[~TOLERANCE]")]
    pub expect: Vec<String>,
    /// Run each kernel N times, each time with the buffers as the previous run left them.
    #[arg(long, value_name = "N")]
    pub repeat: Option<NonZeroU32>,
    /// Dynamic LDS in bytes, for kernels without an argument for it.
    #[arg(long, value_name = "BYTES")]
    pub lds: Option<u32>,
    /// Scratch per lane beyond the kernel's fixed part, in bytes, for kernels that recurse or call through pointers; 4096
    /// by default.
    #[arg(long, value_name = "BYTES")]
    pub stack: Option<u32>,
    /// Maximum guest memory for buffers, such as 512M or 4G; half of the available memory by default.
    #[arg(long, value_name = "BYTES", value_parser = settings::amount)]
    pub memory: Option<u64>,
    /// Print every executed instruction, with the active lanes, the registers written and the memory accessed.
    #[arg(long)]
    pub trace: bool,
    /// Trace only some instructions: workgroup=X,Y,Z, wave=N or A..B, code=A..B or SYMBOL, memory=A..B or BUFFER,
    /// instruction=NAME (`*` matches any text).
    #[arg(long, value_name = "KEY=VALUE")]
    pub trace_only: Vec<String>,
    /// Write the trace to a file.
    #[arg(long, value_name = "FILE")]
    pub trace_file: Option<PathBuf>,
    /// Count how often each instruction and source line executes, and write the counts to a file: JSON for *.json, a page
    /// with the listing for *.html, text otherwise; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Format of the profile, instead of the one implied by the file's extension.
    #[arg(long, value_name = "FORMAT", value_parser = input::form(ProfileFormat::NAMES))]
    pub profile_format: Option<ProfileFormat>,
    /// Write the host code compiled for hot blocks, with the instructions that it executes, to a file.
    #[arg(long, value_name = "FILE")]
    pub dump_code: Option<PathBuf>,
    /// Stop a wave after N instructions.
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Stop the run after S seconds, with exit status 124.
    #[arg(long, value_name = "S", value_parser = settings::seconds)]
    pub timeout: Option<Duration>,
    /// Options that vary the execution.
    #[command(flatten)]
    pub variations: variations::Options,
    /// List the executed instructions by their fidelity: exact, approximate, open, hardware fault.
    #[arg(long)]
    pub fidelity: bool,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// True if the options name a file to write.
    pub fn writes_file(&self) -> bool {
        let files = [&self.trace_file, &self.profile, &self.dump_code];
        !self.save.is_empty() || files.iter().any(|file| file.is_some())
    }

    /// Rejects options for results, traces and profiles, which `command` would ignore.
    ///
    /// # Errors
    /// Fails if one of these options is given.
    pub fn refuse_results(&self, command: &str) -> Result<(), UsageError> {
        let options = [
            ("--print", !self.print.is_empty()),
            ("--save", !self.save.is_empty()),
            ("--expect", !self.expect.is_empty()),
            ("--trace", self.trace),
            ("--trace-only", !self.trace_only.is_empty()),
            ("--trace-file", self.trace_file.is_some()),
            ("--profile", self.profile.is_some()),
            ("--profile-format", self.profile_format.is_some()),
            ("--dump-code", self.dump_code.is_some()),
            ("--fidelity", self.fidelity),
        ];
        match options.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(UsageError(format!("{option} does not apply to {command}"))),
            None => Ok(()),
        }
    }
}
