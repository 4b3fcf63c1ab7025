//! The command line: `gcn asm`, `gcn dis`, `gcn info`, `gcn isa`, `gcn run`, and what a shell needs to know of them. A
//! module per command; this one chooses among them.
//!
//! Everything that is printed in the project is printed by this crate. A command writes its result to a
//! [`Write`] that it is given, its diagnostics to standard error, and ends in a [`Status`] or an error.

mod asm;
mod completions;
mod dis;
mod file;
mod info;
mod input;
mod isa;
mod man;
mod object;
mod render;
mod run;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Assembles, disassembles and runs AMD GCN machine code on any CPU.
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Assemble a source file to a code object or to raw words.
    #[command(after_help = asm::EXAMPLES)]
    Asm(asm::Args),
    /// Disassemble a code object or raw words to source that assembles again.
    #[command(after_help = dis::EXAMPLES)]
    Dis(dis::Args),
    /// List what a code object holds: target, kernels, arguments, registers, memory.
    #[command(after_help = info::EXAMPLES)]
    Info(info::Args),
    /// Show what is known of families of instructions, of one instruction, or of words.
    #[command(after_help = isa::EXAMPLES)]
    Isa(isa::Args),
    /// Run a kernel: a source, a code object, or a launch file that says everything.
    #[command(after_help = run::EXAMPLES)]
    Run(run::Args),
    /// Print what makes a shell complete the commands, options and targets.
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Args),
    /// Print a manual page, or write all of them.
    #[command(after_help = man::EXAMPLES)]
    Man(man::Args),
}

/// How a command that could be carried out ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// As asked.
    Success,
    /// The input is wrong, and the reasons have been reported.
    BadInput,
    /// The usage is wrong, and the reasons have been reported.
    BadUsage,
    /// The user has stopped it, and what was done until then has been reported.
    Interrupted,
}

/// Arguments that are wrong together, which clap cannot know.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// Exit status for input that is wrong.
const BAD_INPUT: u8 = 1;
/// Exit status for usage that is wrong, clap's too.
const BAD_USAGE: u8 = 2;
/// Exit status after Ctrl-C, as shells have it: 128 and the signal's number.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let result = match &cli.command {
        Command::Asm(args) => asm::run(args, &mut out),
        Command::Dis(args) => dis::run(args, &mut out),
        Command::Info(args) => info::run(args, &mut out),
        Command::Isa(args) => isa::run(args, &mut out),
        Command::Run(args) => run::run(args, &mut out),
        Command::Completions(args) => completions::run(args, &mut out),
        Command::Man(args) => man::run(args, &mut out),
    };
    let result = result.and_then(|status| {
        out.flush()?;
        Ok(status)
    });
    // What is still buffered could not be written, or belongs to a result that failed.
    let (_, _) = out.into_parts();
    match result {
        Ok(Status::Success) => ExitCode::SUCCESS,
        Ok(Status::BadInput) => ExitCode::from(BAD_INPUT),
        Ok(Status::BadUsage) => ExitCode::from(BAD_USAGE),
        Ok(Status::Interrupted) => ExitCode::from(INTERRUPTED),
        // Who reads has read enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // What is read or written by name says its name; what is left is the output.
            let is_bare = error.chain().count() == 1 && error.is::<io::Error>();
            let error = if is_bare {
                error.context("cannot write the output")
            } else {
                error
            };
            render::complain(&error);
            ExitCode::from(if error.is::<Usage>() {
                BAD_USAGE
            } else {
                BAD_INPUT
            })
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
