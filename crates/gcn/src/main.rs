//! Command line of `gcn`, and of `clrxdisasm`. Each command has its own module; this one parses the arguments and
//! dispatches to them.
//!
//! A command writes its result to a [`Write`] argument and its diagnostics to standard error, and returns a [`Status`]
//! or an error. The library crates do not print, except from inside a program that uses emulated devices.

// Modules in import order: each imports only modules listed before it.

// Outcomes, files and messages.
mod stdout;
mod status;
mod problem;
mod file;
mod input;
mod labels;
mod warnings;
mod render;
mod failure;
mod explain;
mod outputs;
mod variations;
mod findings;

// Programs.
mod kernel_text;
mod driver;
mod object;
mod asm;
mod program;

// Commands.
mod dis;
mod clrxdisasm;
mod info;
mod extract;
mod isa;
mod lint;
mod lsp;
mod run;
mod check;
mod test;
mod why;
mod debug;
mod exec;
mod completions;
mod man;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::thread;

use anyhow::Result;
use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use gcn_runtime::error_names::UNREADABLE_INPUT;

use problem::{Problem, UNWRITABLE_OUTPUT};
pub use status::{Status, UsageError};

/// Assembles, disassembles and runs AMD GCN machine code on any CPU.
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Colour messages on standard error: always, never, or auto (if it is a terminal and NO_COLOR is not set).
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_possible_values = true
    )]
    color: ColorChoice,
}

#[derive(Subcommand)]
enum Command {
    /// Assemble a source file to a code object or to raw words.
    #[command(after_help = asm::EXAMPLES)]
    Asm(asm::Args),
    /// Disassemble a code object or raw words to source that assembles again.
    #[command(after_help = dis::EXAMPLES)]
    Dis(dis::Args),
    /// Show a code object: target, kernels, arguments, registers, memory.
    #[command(after_help = info::EXAMPLES)]
    Info(info::Args),
    /// Extract a code object from an offload bundle, a program or a library.
    #[command(after_help = extract::EXAMPLES)]
    Extract(extract::Args),
    /// Show the families of instructions, one instruction, or the instruction that words encode.
    #[command(after_help = isa::EXAMPLES)]
    Isa(isa::Args),
    /// Run a kernel from a source, a code object, or a launch file.
    #[command(after_help = run::EXAMPLES)]
    Run(Box<run::Args>),
    /// Run a kernel as `gcn run` does, and report its errors: missing waits, races, uninitialised reads.
    #[command(after_help = check::EXAMPLES)]
    Check(Box<check::Args>),
    /// Run launch files, each in its own process, and summarize the results.
    #[command(after_help = test::EXAMPLES)]
    Test(test::Args),
    /// Run a kernel as `gcn run` does, under a debugger: breakpoints, steps, registers, memory, steps back.
    #[command(after_help = debug::EXAMPLES)]
    Debug(Box<debug::Args>),
    /// Run a kernel as `gcn run` does, and explain an element: the instructions, inputs and conditions that it depends on.
    #[command(after_help = why::EXAMPLES)]
    Why(Box<why::Args>),
    /// Check code for missing waits and wait states on all paths, without running it.
    #[command(after_help = lint::EXAMPLES)]
    Lint(lint::Args),
    /// Run the language server for assembly, which editors start.
    #[command(after_help = lsp::EXAMPLES)]
    Lsp(lsp::Args),
    /// Run a HIP or OpenCL program on emulated devices.
    #[command(after_help = exec::EXAMPLES)]
    Exec(exec::Args),
    /// Print the environment variables that let HIP and OpenCL programs find emulated devices, for a shell.
    #[command(after_help = exec::ENV_EXAMPLES)]
    Env(exec::EnvArgs),
    /// Explain the name of an error, a warning, a fault or a finding, or list all names.
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::Args),
    /// Generate shell completions for commands, options and targets.
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Args),
    /// Print a manual page, or write all of them.
    #[command(after_help = man::EXAMPLES)]
    Man(man::Args),
}

/// Option that may precede the subcommand, with its value as a separate argument.
const COLOR_OPTION: &str = "--color";
/// Stack size of the command's thread in bytes: Linux's default, independent of `ulimit -s`.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    let command = thread::Builder::new().stack_size(STACK).spawn(run_command);
    match command.map(thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // The thread could not be created.
        Err(_) => run_command(),
    }
}

/// Parses the arguments, runs the command and reports its error.
fn run_command() -> ExitCode {
    let mut out = BufWriter::new(stdout::shared());
    let result = if clrxdisasm::is_called(std::env::args_os().next().as_deref()) {
        match clrxdisasm::Args::try_parse() {
            Ok(args) => clrxdisasm::run(&args, &mut out).map(ExitCode::from),
            Err(error) => print_usage(&error, Status::BadUsage).map(ExitCode::from),
        }
    } else {
        match Cli::try_parse() {
            Ok(cli) => {
                render::choose_color(cli.color);
                dispatch(&cli.command, &mut out)
            }
            Err(error) => {
                let arguments = subcommand_arguments();
                if failure::reports_usage(&error, &arguments) {
                    let written =
                        failure::report_usage(&error, &mut out).and_then(|()| Ok(out.flush()?));
                    return written
                        .map_or(Status::BadInput, |()| Status::BadUsage)
                        .into();
                }
                let rejected = if exec::is_for(&arguments) {
                    Status::NotStarted
                } else {
                    Status::BadUsage
                };
                print_usage(&error, rejected).map(ExitCode::from)
            }
        }
    };
    let result = result.and_then(|status| {
        out.flush()?;
        Ok(status)
    });
    let result = match file::guard::shortened() {
        Some(name) => {
            let message = format!("{name} was truncated while it was read");
            Err(Problem::new(UNREADABLE_INPUT, message).into())
        }
        None => result,
    };
    // Discard the rest of the buffer: it could not be written, or is part of a failed command's result.
    let (_, _) = out.into_parts();
    match result {
        Ok(status) => status,
        // The reader of the pipe, such as `head`, has read enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Errors of named files have the name as context; an I/O error without context comes from `out`.
            let is_bare = error.chain().count() == 1 && error.is::<io::Error>();
            let error = if is_bare {
                error.context(Problem::new(UNWRITABLE_OUTPUT, "cannot write the output"))
            } else {
                error
            };
            render::complain(&error);
            if error.is::<UsageError>() {
                Status::BadUsage.into()
            } else {
                Status::BadInput.into()
            }
        }
    }
}

fn dispatch(command: &Command, out: &mut dyn Write) -> Result<ExitCode> {
    let status = match command {
        Command::Asm(args) => reporting(args.json, out, |out| asm::run(args, out)),
        Command::Dis(args) => reporting(args.json, out, |out| dis::run(args, out)),
        Command::Info(args) => reporting(args.json, out, |out| info::run(args, out)),
        Command::Extract(args) => reporting(args.json, out, |out| extract::run(args, out)),
        Command::Isa(args) => reporting(args.writes_json(), out, |out| isa::run(args, out)),
        Command::Run(args) => run::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Test(args) => test::run(args, out),
        Command::Debug(args) => debug::run(args, out),
        Command::Why(args) => why::run(args, out),
        Command::Lint(args) => reporting(args.writes_json(), out, |out| lint::run(args, out)),
        Command::Lsp(args) => lsp::run(args, out),
        Command::Exec(args) => return Ok(exec::run(args)),
        Command::Env(args) => exec::print_environment(args, out),
        Command::Explain(args) => reporting(args.json, out, |out| explain::run(args, out)),
        Command::Completions(args) => completions::run(args, Cli::command(), out),
        Command::Man(args) => man::run(args, Cli::command(), out),
    }?;
    Ok(status.into())
}

/// Runs a command. If `json` is true, an error is written to `out` as JSON instead of the result.
///
/// # Errors
/// Returns the command's error if `json` is false; otherwise fails only if `out` cannot be written.
fn reporting(
    json: bool,
    out: &mut dyn Write,
    command: impl FnOnce(&mut dyn Write) -> Result<Status>,
) -> Result<Status> {
    if !json {
        return command(out);
    }
    let mut result = Vec::new();
    match command(&mut result) {
        Ok(status) => {
            out.write_all(&result)?;
            Ok(status)
        }
        Err(error) => failure::report(error, json, out),
    }
}

/// Arguments of this process from the subcommand on. Options of `gcn` itself may precede it.
fn subcommand_arguments() -> Vec<String> {
    let arguments = std::env::args_os().skip(1);
    let mut arguments = arguments
        .map(|it| it.to_string_lossy().into_owned())
        .peekable();
    while let Some(option) = arguments.next_if(|it| it.starts_with('-')) {
        if option == COLOR_OPTION {
            arguments.next();
        }
    }
    arguments.collect()
}

/// Prints clap's response to the arguments: the help, the version or an error. Returns the status, which is `rejected`
/// for an error.
///
/// # Errors
/// Fails if the help or the version cannot be written.
fn print_usage(error: &clap::Error, rejected: Status) -> Result<Status> {
    let printed = error.print();
    if error.use_stderr() {
        return Ok(rejected);
    }
    stdout::check().and(printed)?;
    Ok(Status::Success)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
