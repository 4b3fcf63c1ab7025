//! The options of `gcn run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::TypedValueParser;
use gcn_runtime::settings::{self, ProfileFormat};

use super::launch::{self, WrittenSizes};
use crate::{input, variations};

/// For `--help`.
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
    /// A source, a code object, or a launch file (`.toml`). OpenCL C (`.cl`), C++ for OpenCL (`.clcpp`), HIP (`.hip`) and LLVM IR
    /// (`.ll`, `.bc`) are compiled by the system's Clang.
    pub input: PathBuf,
    /// The GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1. Sources and code objects may say it themselves; what is
    /// compiled is for gfx906 without.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.to_string()), hide_possible_values = true)]
    pub target: Option<String>,
    /// Dialect of assembly to use where LLVM and CLRX conflict; without, LLVM's.
    #[arg(long, value_enum)]
    pub dialect: Option<input::Dialect>,
    /// Define a macro for the compiler, or a symbol for the assembler; without a value it is 1.
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Directory of files that the source includes.
    #[arg(short = 'I', long, value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Level of optimisation for the compiler; without, 2.
    #[arg(short = 'O', long, value_name = "LEVEL")]
    pub optimize: Option<String>,
    /// Option of Clang, such as -X=-ffast-math.
    #[arg(
        short = 'X',
        long = "clang-option",
        value_name = "OPTION",
        allow_hyphen_values = true
    )]
    pub clang_options: Vec<String>,
    /// Show the compiler's commands.
    #[arg(short, long)]
    pub verbose: bool,
    /// The kernel, if there are several; those of C++ by their symbol or by their name in the source.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Work-items, in up to three dimensions.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = launch::sizes, allow_hyphen_values = true)]
    pub grid: Option<WrittenSizes>,
    /// Work-items of a workgroup.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = launch::sizes, allow_hyphen_values = true)]
    pub group: Option<WrittenSizes>,
    /// First global numbers of the work-items, in OpenCL kernels.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = launch::offsets, allow_hyphen_values = true)]
    pub offset: Option<[u64; 3]>,
    /// Host threads.
    #[arg(long, value_name = "N", value_parser = settings::threads)]
    pub threads: Option<usize>,
    /// An argument by its name or index: 42, f32:1.5, f32:1,2,3, u32*100:iota, f32*9:fill(1),
    /// f32*9:random(seed,lo,hi), {u32:1, f32:2.5}, @FILE, hex:00ff, local:BYTES, null, the name of a buffer.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub arg: Vec<String>,
    /// All explicit arguments as bytes: @FILE, hex:00ff…, or {u32:1, f32:2.5, BUFFER}.
    #[arg(long, value_name = "BYTES")]
    pub kernarg: Option<String>,
    /// A buffer that arguments may name.
    #[arg(long, value_name = "NAME=VALUE")]
    pub buffer: Vec<String>,
    /// Print a buffer, or some of its elements, after the run; `hex` behind the type prints their bits in hexadecimal.
    #[arg(long, value_name = "NAME[:TYPE][:hex][[A..B]]")]
    pub print: Vec<String>,
    /// Save a buffer's bytes; `-` is standard output.
    #[arg(long, value_name = "NAME=FILE")]
    pub save: Vec<String>,
    /// Compare a buffer with a value as for --arg; `~1e-6` or `~4 ulp` at the end allows a difference.
    #[arg(long, value_name = "NAME=VALUE[~TOLERANCE]")]
    pub expect: Vec<String>,
    /// Dynamic LDS in bytes, for kernels that have no argument for it.
    #[arg(long, value_name = "BYTES")]
    pub lds: Option<u32>,
    /// Scratch of a lane beyond the kernel's fixed part, in bytes, for kernels that recurse or call by pointers; without, 4096.
    #[arg(long, value_name = "BYTES")]
    pub stack: Option<u32>,
    /// Maximum guest memory for buffers, such as 512M or 4G; without, half of the available memory.
    #[arg(long, value_name = "BYTES", value_parser = settings::amount)]
    pub memory: Option<u64>,
    /// Print every executed instruction, with the lanes active, the registers written, and the memory accessed.
    #[arg(long)]
    pub trace: bool,
    /// Trace some instructions only: workgroup=X,Y,Z, wave=N or A..B, code=A..B or SYMBOL, memory=A..B or BUFFER,
    /// instruction=NAME (`*` stands for any text).
    #[arg(long, value_name = "KEY=VALUE")]
    pub trace_only: Vec<String>,
    /// Write the trace to a file.
    #[arg(long, value_name = "FILE")]
    pub trace_file: Option<PathBuf>,
    /// Count what each instruction and line of source executes, and write the counts: *.json, *.html for a page with the listing,
    /// else text; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Form of the profile, in place of the one that the file's extension says.
    #[arg(long, value_name = "FORMAT", value_parser = input::form(ProfileFormat::NAMES))]
    pub profile_format: Option<ProfileFormat>,
    /// Stop a wave after N instructions.
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Stop the run after S seconds: exit status 124.
    #[arg(long, value_name = "S", value_parser = settings::seconds)]
    pub timeout: Option<Duration>,
    /// Variations of the execution.
    #[command(flatten)]
    pub variations: variations::Options,
    /// List the executed instructions by their fidelity: exact, approximate, open.
    #[arg(long)]
    pub fidelity: bool,
    /// Report in JSON.
    #[arg(long)]
    pub json: bool,
}
