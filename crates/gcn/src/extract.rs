//! `gcn extract`: extracts a code object from a file that contains several.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::builder::TypedValueParser;
use gcn_isa::Target;
use serde::Serialize;

use crate::file::FileBytes;
use crate::problem::{NOTHING_TO_EXTRACT, Problem};
use crate::{Status, UsageError, input, object, outputs, render};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn extract saxpy                               of a program with one code object, make saxpy.co
  gcn extract bundle.hipfb --target gfx906 -o saxpy.co
  gcn extract librocsparse.so --target gfx906 --kernel 'axpyi_kernel<256, int, float, float>' -o axpyi.co";

/// The arguments of `gcn extract`.
#[derive(clap::Args)]
pub struct Args {
    /// Offload bundle, program or library with bundles, or OpenCL binary from AMD's OpenCL 2 compiler; `-` reads
    /// standard input.
    input: PathBuf,
    /// Extract the code object for this GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.target), hide_possible_values = true)]
    target: Option<&'static Target>,
    /// Extract the code object with this number, counted from 1 as `gcn info` lists them.
    #[arg(long, value_name = "NUMBER")]
    entry: Option<usize>,
    /// Extract the code object that contains this kernel: its symbol, or its name in the source.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Output file; `-` is standard output. Defaults to IN.co for IN, and to `-` for `-`.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Print JSON that describes the output file and its contents.
    #[arg(long)]
    pub json: bool,
}

/// JSON report of the extracted code object.
#[derive(Serialize)]
struct ExtractReport<'a> {
    output: String,
    target: Option<&'a str>,
    bytes: usize,
    kernels: Vec<Cow<'a, str>>,
}

/// Default extension of output files.
const EXTENSION: &str = "co";

/// Runs the command.
///
/// # Errors
/// Fails if the input cannot be read, it contains no matching code object, or the output cannot be written or is the
/// input.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let name = input::name(&args.input);
    let file = FileBytes::open(&args.input)?;
    let choice = object::ObjectChoice {
        target: args.target,
        entry: args.entry,
        kernel: args.kernel.as_deref(),
    };
    let chosen = object::choose(&file, choice).with_context(|| name.clone())?;
    let Some(entry) = chosen else {
        gcn_object::read(file.shared()).with_context(|| name.clone())?;
        let message = format!("{name} is a code object itself: there is nothing to extract");
        bail!(Problem::new(NOTHING_TO_EXTRACT, message));
    };
    let stdin_or_stdout = Path::new(input::STDIN);
    let path = match &args.output {
        Some(path) => path.clone(),
        None if args.input == stdin_or_stdout => args.input.clone(),
        None => args.input.with_extension(EXTENSION),
    };
    if args.json && path == stdin_or_stdout {
        let message =
            "--json and the code object would both go to standard output: add --output FILE";
        return Err(UsageError(message.to_owned()).into());
    }
    if path == stdin_or_stdout {
        out.write_all(&entry.bytes)?;
    } else {
        outputs::refuse_inputs("--output", &path, [&*args.input])?;
        outputs::write(&path, |file| file.write_all(&entry.bytes))?;
    }
    if args.json {
        let report = ExtractReport {
            output: path.display().to_string(),
            target: entry.target(),
            bytes: entry.bytes.len(),
            kernels: entry.kernel_names()?,
        };
        render::json(&report, out)?;
    }
    file.check()?;
    Ok(Status::Success)
}
