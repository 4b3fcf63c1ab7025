//! `gcn why`: runs kernels, and explains the value of a buffer element.

// In import order: a module imports only from modules above it.
mod terms;
mod tree;
mod json;

use std::cell::RefCell;
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, Result, bail};
use gcn_debug::{Launches, Question, WhyError, why};
use gcn_runtime::error_names::HOST_LIMIT;
use gcn_runtime::fault::FaultKind;
use gcn_runtime::fault::names::INTERRUPTED;
use gcn_runtime::observe::Observers;

use crate::problem::{HISTORY_TOO_LARGE, INVALID_SELECTOR, Problem};
use crate::render::printable;
use crate::run;
use crate::run::StopHandle;
use crate::run::debugged::{DebuggedRun, debugged};
use crate::status::RunOutcome;
use crate::{Status, UsageError, failure, render};
use terms::Terms;

/// For `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn why launch.toml 'out[37]'
  gcn why launch.toml 'out:u8[5]' --depth 20
  gcn why saxpy.s --grid 256 --arg ys=f32*256 --arg xs=f32*256:iota --arg a=2 'ys[3]' --json";

/// The arguments of `gcn why`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
#[group(skip)]
pub struct Args {
    /// The run.
    #[command(flatten)]
    run: run::Args,
    /// Element of a buffer after the last launch.
    #[arg(value_name = "NAME[:TYPE][A]")]
    place: String,
    /// Levels of the tree.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// Maximum number of executions of instructions, lane by lane, that are followed.
    #[arg(long, value_name = "N", default_value_t = 4_000_000, value_parser = executions)]
    executions: usize,
}

/// Parses a number of executions.
///
/// # Errors
/// The text is not a number greater than 0.
fn executions(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("write a number from 1 on".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// `out` cannot be written. Other errors are reported, and determine the status.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let json = args.run.json;
    match explain(args, out) {
        Ok(status) => Ok(status),
        Err(error) => failure::report(error, json, out),
    }
}

/// Runs the launches and writes the answer.
///
/// # Errors
/// An option does not apply, a launch or the place is invalid, or the output cannot be written.
fn explain(args: &Args, out: &mut dyn Write) -> Result<Status> {
    for (option, is_given) in [
        ("--trace", args.run.trace || args.run.trace_file.is_some()),
        ("--profile", args.run.profile.is_some()),
    ] {
        if is_given {
            bail!(UsageError(format!("{option} does not apply to gcn why")));
        }
    }
    let debugged = debugged(&args.run, None)?;
    let view = debugged.elements(&args.place)?;
    if view.count() != 1 {
        let message = format!(
            "`{}` is {} elements: name one, as {}[{}]",
            args.place,
            view.count(),
            view.name,
            view.begin
        );
        bail!(Problem::new(INVALID_SELECTOR, message));
    }
    let program = debugged.code();
    let buffers = debugged.named_buffers();
    let undefined = debugged.undefined();
    let memory = debugged.module().device().memory().clone();
    let addresses = view.addresses();
    let question = Question {
        program: &program,
        memory: &memory,
        buffers: &buffers,
        undefined: &undefined,
        address: addresses.start,
        bytes: addresses.end - addresses.start,
        executions: args.executions,
    };
    let refused = |message| move || Problem::new(HOST_LIMIT, message);
    let stop = StopHandle::listen(debugged.stop(), debugged.timeout())
        .with_context(refused("cannot handle signals"))?;
    let runs = Runs::new(&debugged);
    let answer = stop
        .run_with_timeout(|| why(&runs, question))
        .with_context(refused("cannot watch the timeout"))?;
    let cause = stop.cause();
    let answer = match answer {
        Ok(answer) => answer,
        Err(WhyError::Launch(RunEnd::Stopped)) => {
            let outcome = RunOutcome::of_fault(&FaultKind::Interrupted, cause);
            let problem = Problem::new(INTERRUPTED, cause.to_string());
            return failure::report_end(outcome, problem, args.run.json, out);
        }
        Err(WhyError::Launch(RunEnd::Error(error))) => return Err(error),
        Err(error @ (WhyError::TooLarge | WhyError::TooLong)) => {
            bail!(Problem::new(HISTORY_TOO_LARGE, error.to_string()))
        }
    };
    stop.ended();
    let notes: Vec<String> = runs.note.take().into_iter().collect();
    let terms = Terms::new(&debugged, &program, &answer);
    let (value, json) = view.first(&memory).unwrap_or_default();
    if args.run.json {
        json::write(&args.place, view.ty, json, &terms, &notes, out)?;
    } else {
        tree::write(&args.place, &value, args.depth, &terms, out)?;
        out.flush()?;
        for note in &notes {
            render::tell(format_args!("note: {note}\n"));
        }
    }
    Ok(Status::Success)
}

/// Reason why launches stop early.
enum RunEnd {
    /// A launch cannot be prepared.
    Error(anyhow::Error),
    /// A signal or the timeout stopped the run.
    Stopped,
}

/// Runs of the launches, including repetitions.
struct Runs<'a> {
    debugged: &'a DebuggedRun,
    /// Launch number of each run.
    launches: Vec<usize>,
    /// Fault that ended a launch.
    note: RefCell<Option<String>>,
}

impl<'a> Runs<'a> {
    fn new(debugged: &'a DebuggedRun) -> Runs<'a> {
        Runs {
            debugged,
            launches: debugged.runs(),
            note: RefCell::default(),
        }
    }
}

impl Launches for Runs<'_> {
    type Error = RunEnd;

    fn runs(&self) -> u32 {
        u32::try_from(self.launches.len()).unwrap_or(u32::MAX)
    }

    fn run(&self, run: u32, observers: &Observers) -> Result<bool, RunEnd> {
        let Some(number) = self.launches.get(run as usize) else {
            return Ok(false);
        };
        let ran = self.debugged.execute(*number, observers);
        let end = ran.map_err(RunEnd::Error)?;
        if self.debugged.stop().load(Relaxed) {
            return Err(RunEnd::Stopped);
        }
        let Some(fault) = &end.fault else {
            return Ok(true);
        };
        if fault.kind != FaultKind::Interrupted {
            let kernel = printable(&end.kernel);
            let note = format!("{kernel} has ended by a fault: {}", fault.kind);
            self.note.borrow_mut().get_or_insert(note);
        }
        Ok(false)
    }
}
