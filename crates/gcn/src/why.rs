//! `gcn why`: runs kernels, and explains the value of a buffer element.

// In import order: a module imports only from modules above it.
mod terms;
mod tree;
mod json;

// Comparison of two runs.
mod parting;
mod against;

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, Result, bail};
use gcn_args::compare::Tolerance;
use gcn_debug::{Launches, MemoryImage, Question, QuestionPlace, Until, WhyError, WhyRequest, why};
use gcn_runtime::error_names::HOST_LIMIT;
use gcn_runtime::fault::FaultKind;
use gcn_runtime::fault::names::INTERRUPTED;
use gcn_runtime::observe::Observers;

use crate::problem::{HISTORY_TOO_LARGE, INVALID_SELECTOR, Problem};
use crate::render::printable;
use crate::run;
use crate::run::MemoryView;
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
  gcn why saxpy.s --grid 256 --arg ys=f32*256 --arg xs=f32*256:iota --arg a=2 'ys[3]' --json
  gcn why launch.toml --against other.co             the first difference to another code object
  gcn why launch.toml --against -O0 --tolerance '4 ulp'
  gcn why launch.toml 'out[37]' --against --late";

/// Levels of a tree by default.
const DEPTH: u32 = 8;
/// Executions that are followed by default.
const EXECUTIONS: usize = 4_000_000;

/// The arguments of `gcn why`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
#[group(skip)]
pub struct Args {
    /// The run.
    #[command(flatten)]
    run: run::Args,
    /// Element of a buffer after the last launch.
    #[arg(value_name = "NAME[:TYPE][A]", required_unless_present = "against")]
    place: Option<String>,
    /// Compare with another run, and find the first instructions that differ in their results: another program, code object or
    /// launch file, or an option that only the other run has, such as -O0, --target=gfx803 or --late; may be given several times.
    #[arg(long, value_name = "OTHER", allow_hyphen_values = true)]
    against: Vec<String>,
    /// Tolerance of --against for elements that it searches, as in `--expect`: 1e-6, `4 ulp`.
    #[arg(long, value_name = "TOLERANCE", requires = "against", value_parser = tolerance)]
    tolerance: Option<Tolerance>,
    /// Levels of the tree.
    #[arg(long, value_name = "N", default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// Maximum number of executions of instructions, lane by lane, that are followed.
    #[arg(long, value_name = "N", default_value_t = EXECUTIONS, value_parser = executions)]
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

/// Parses a tolerance.
///
/// # Errors
/// The text is not a tolerance.
fn tolerance(text: &str) -> Result<Tolerance, String> {
    Tolerance::parse(text).ok_or_else(|| "write a number, or `N ulp`".to_owned())
}

/// Runs the command.
///
/// # Errors
/// `out` cannot be written. Other errors are reported, and determine the status.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let json = args.run.json;
    let explained = match args.against.is_empty() {
        true => explain(args, out),
        false => against::compare(args, out),
    };
    match explained {
        Ok(status) => Ok(status),
        Err(error) => failure::report(error, json, out),
    }
}

/// Runs the launches and writes the answer.
///
/// # Errors
/// An option does not apply, a launch or the place is invalid, or the output cannot be written.
fn explain(args: &Args, out: &mut dyn Write) -> Result<Status> {
    refuse(&args.run)?;
    let debugged = debugged(&args.run, None)?;
    let place = args.place.as_deref().unwrap_or_default();
    let view = element(&debugged, place)?;
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
        place: QuestionPlace::Memory {
            address: addresses.start,
            bytes: addresses.end - addresses.start,
        },
        until: None,
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
        json::write(place, view.ty, json, &terms, &notes, out)?;
    } else {
        tree::write(place, &value, args.depth, &terms, out)?;
        out.flush()?;
        for note in &notes {
            render::tell(format_args!("note: {note}\n"));
        }
    }
    Ok(Status::Success)
}

/// Answers a question of a debugger at a stop in run number `run`. `image` is memory before the first launch; memory is as it was
/// when the run began when this returns.
///
/// # Errors
/// `out` cannot be written.
pub fn at_stop(
    debugged: &DebuggedRun,
    image: Option<&MemoryImage>,
    run: u32,
    request: &WhyRequest,
    out: &mut dyn Write,
) -> io::Result<()> {
    let memory = debugged.module().device().memory().clone();
    let Some(image) = image else {
        return writeln!(out, "error: {}", WhyError::<RunEnd>::TooLarge);
    };
    image.restore(&memory);
    let program = debugged.code();
    let buffers = debugged.named_buffers();
    let undefined = debugged.undefined();
    let question = Question {
        program: &program,
        memory: &memory,
        buffers: &buffers,
        undefined: &undefined,
        place: request.place,
        until: Some(Until {
            run,
            moment: request.moment,
        }),
        executions: EXECUTIONS,
    };
    let runs = Runs::new(debugged);
    let answer = why(&runs, question);
    image.restore(&memory);
    for earlier in 0..run {
        // They have ended without a fault before.
        let _ = runs.run(earlier, &Observers::none());
    }
    let depth = request.depth.unwrap_or(DEPTH);
    match answer {
        Ok(answer) => {
            let terms = Terms::new(debugged, &program, &answer);
            tree::write(&request.text, &request.value, depth, &terms, out)
        }
        Err(WhyError::Launch(RunEnd::Error(error))) => writeln!(out, "error: {error:#}"),
        Err(error) => writeln!(out, "error: {error}"),
    }
}

/// Refuses options of results.
///
/// # Errors
/// An option is given.
fn refuse(args: &run::Args) -> Result<()> {
    for (option, is_given) in [
        ("--trace", args.trace || args.trace_file.is_some()),
        ("--profile", args.profile.is_some()),
    ] {
        if is_given {
            bail!(UsageError(format!("{option} does not apply to gcn why")));
        }
    }
    Ok(())
}

/// Resolves the selector of one element.
///
/// # Errors
/// The text does not select one element.
fn element(debugged: &DebuggedRun, place: &str) -> Result<MemoryView> {
    let view = debugged.elements(place)?;
    if view.count() != 1 {
        let message = format!(
            "`{place}` is {} elements: name one, as {}[{}]",
            view.count(),
            view.name,
            view.begin
        );
        bail!(Problem::new(INVALID_SELECTOR, message));
    }
    Ok(view)
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
