//! `clrxdisasm`: `gcn dis` for programs that call CLRX's disassembler, such as the shader viewer of shadPS4.
//!
//! When `gcn` is started through a link of this name, it accepts CLRX's options. The output is CLRX source, which
//! `gcn asm --dialect clrx` assembles to the same words.
//!
//! Source: CLRX's "CLRadeonExtender Disassembler".

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{ArgAction, Parser};
use gcn_asm::clrx_target;
use gcn_isa::Target;

use crate::{Status, dis, input, render};

/// File name of the link to `gcn`.
const NAME: &str = "clrxdisasm";
/// Default GPU for raw words, as in CLRX.
const DEFAULT_GPU: &str = "CapeVerde";

/// Usage text for `--help` and errors.
const USAGE: &str = "\
clrxdisasm [-rh?] [-g GPUDEVICE] [-A ARCH] [--raw] [--hexcode] [--gpuType=GPUDEVICE] [--arch=ARCH]
                  [--help] [--usage] [--version] FILE...";

/// The arguments of `clrxdisasm`.
#[derive(Parser)]
#[command(
    name = NAME,
    version,
    about = "Disassembles AMD GCN machine code to CLRX's language, with CLRX's options.",
    after_help = "`gcn dis` has more options, and `gcn info` shows what a program contains.",
    override_usage = USAGE,
    disable_help_flag = true,
    disable_version_flag = true,
    max_term_width = 100
)]
pub struct Args {
    /// Binaries from AMD's OpenCL compilers or from Gallium, or raw words with --raw; `-` reads standard input.
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Read files as raw words.
    #[arg(short, long)]
    raw: bool,
    /// Add each line's address and words as a comment.
    #[arg(short = 'h', long)]
    hexcode: bool,
    /// GPU of raw words and Gallium programs, by CLRX, LLVM or chip name; CapeVerde by default.
    #[arg(short, long = "gpuType", value_name = "GPUDEVICE", value_parser = Gpu::named)]
    gpu_type: Option<Gpu>,
    /// Architecture of raw words and Gallium programs: GCN1.0 to GCN1.4.1. --gpuType takes precedence.
    #[arg(short = 'A', long, value_name = "ARCH", value_parser = Gpu::of_architecture)]
    arch: Option<Gpu>,
    /// Print help.
    #[arg(short = '?', long, alias = "usage", action = ArgAction::Help)]
    help: Option<bool>,
    /// Print the version.
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// Target, with the CLRX directive that selects it.
#[derive(Clone)]
struct Gpu {
    target: &'static Target,
    directive: String,
}

impl Gpu {
    fn named(name: &str) -> Result<Gpu, String> {
        let unknown = || input::target(name).err().unwrap_or_default();
        Ok(Gpu {
            target: clrx_target(name).ok_or_else(unknown)?,
            directive: format!(".gpu {name}"),
        })
    }

    fn of_architecture(name: &str) -> Result<Gpu, String> {
        Ok(Gpu {
            directive: format!(".arch {name}"),
            ..Gpu::named(name)?
        })
    }
}

/// True if `program`, which is `argv[0]`, has the name of CLRX's disassembler.
pub fn is_called(program: Option<&OsStr>) -> bool {
    program.and_then(|program| Path::new(program).file_stem()) == Some(OsStr::new(NAME))
}

/// Runs the command.
///
/// # Errors
/// Fails as `gcn dis` does, at the first file with an error.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let given = args.gpu_type.as_ref().or(args.arch.as_ref());
    for input in &args.inputs {
        let name = input::name(input).replace("*/", "* /");
        writeln!(out, "/* Disassembling '{}' */", render::printable(&name))?;
        let target = if args.raw {
            let gpu = given.cloned().map_or_else(|| Gpu::named(DEFAULT_GPU), Ok);
            let gpu = gpu.map_err(anyhow::Error::msg)?;
            writeln!(out, "\t.rawcode\n\t{}\n\t.text", gpu.directive)?;
            Some(gpu.target)
        } else {
            given.map(|gpu| gpu.target)
        };
        dis::run(
            &dis::Args::clrx(input.clone(), args.raw, target, args.hexcode),
            out,
        )?;
    }
    Ok(Status::Success)
}
