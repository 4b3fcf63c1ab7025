//! `gcn why`: runs kernels, and explains the value of a buffer element.

// In import order: a module imports only from modules above it.
mod options;
mod runs;
mod json;

// Comparison of two runs.
mod parting;
mod against;

use std::io::{self, Write};
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, Result, bail};
use gcn_console::why::{EXECUTIONS, Terms, write, write_at_stop};
use gcn_debug::{
    AnswerTarget, MemoryImage, Question, QuestionPlace, Until, WhyError, WhyRequest, why,
};
use gcn_runtime::Device;
use gcn_runtime::error_names::HOST_LIMIT;
use gcn_runtime::fault::FaultKind;
use gcn_runtime::fault::names::INTERRUPTED;
use gcn_runtime::observe::LastingState;
use signal_hook::consts::SIGINT;
use signal_hook::{flag, low_level};

use crate::problem::{HISTORY_TOO_LARGE, Problem};
use crate::render::printable;
use crate::run::StopHandle;
use crate::run::debugged::{DebuggedRun, debugged};
use crate::status::RunOutcome;
use crate::{Status, failure, render};
pub use options::Args;
use options::COMMAND;
use runs::{RunEnd, Runs, element, run_names};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn why launch.toml 'out[37]'
  gcn why launch.toml 'out:u8[5]' --depth 20
  gcn why saxpy.s --grid 256 --arg ys=f32*256 --arg xs=f32*256:iota --arg a=2 'ys[3]' --json
  gcn why launch.toml --against other.co             the first difference to another code object
  gcn why launch.toml --against -O0 --tolerance '4 ulp'
  gcn why launch.toml 'out[37]' --against --late";

/// Runs the command.
///
/// # Errors
/// Fails if `out` cannot be written. Other errors are reported, and determine the status.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let json = args.run.json;
    if args.against.is_empty() {
        return match explain(args, out) {
            Ok(status) => Ok(status),
            Err(error) => failure::report(error, json, out),
        };
    }
    match against::compare(args, out) {
        Ok(status) => Ok(status),
        Err(error) => failure::report_comparison(error, json, out),
    }
}

/// Runs the launches and writes the answer.
///
/// # Errors
/// Fails if an option does not apply, a launch or the selector is invalid, or the output cannot be written.
fn explain(args: &Args, out: &mut dyn Write) -> Result<Status> {
    args.run.refuse_results(COMMAND)?;
    let debugged = debugged(&args.run, None)?;
    let place = args.place.as_deref().unwrap_or_default();
    let view = element(&debugged, place)?;
    let program = debugged.code();
    let buffers = debugged.named_buffers();
    let memory = debugged.module().device().memory().clone();
    let addresses = view.addresses();
    let question = Question {
        program: &program,
        memory: &memory,
        buffers: &buffers,
        undefined: debugged.undefined(),
        place: QuestionPlace::Memory {
            address: addresses.start,
            bytes: addresses.end - addresses.start,
        },
        until: None,
        executions: args.executions,
        log: None,
    };
    let refused = |message| move || Problem::new(HOST_LIMIT, message);
    let stop = StopHandle::listen(debugged.stop(), debugged.timeout())
        .with_context(refused("cannot handle signals"))?;
    let runs = Runs::new(&debugged);
    let explained = || {
        let answer = why(&runs, question)?;
        let fault = runs.fault.borrow().clone();
        let access = fault.and_then(|it| it.access);
        let is_written = answer
            .roots
            .iter()
            .any(|it| matches!(it, AnswerTarget::Step(_)));
        // If no instruction wrote the element, explain the access that ended the run.
        let Some(access) = access.filter(|_| !is_written) else {
            return Ok((answer, None));
        };
        let question = Question {
            place: QuestionPlace::Access(access.place),
            ..question
        };
        Ok((why(&runs, question)?, Some(access)))
    };
    let answer = stop
        .run_with_timeout(explained)
        .with_context(refused("cannot watch the timeout"))?;
    let cause = stop.cause();
    let (answer, access) = match answer {
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
    let fault = runs.fault.take().into_iter();
    let notes = fault.map(|it| format!("the run ended with a fault: {}", it.note));
    let notes: Vec<String> = notes.collect();
    let terms = Terms::new(run_names(&debugged), &program, &answer);
    let (value, json) = view.first(&memory).unwrap_or_default();
    if args.run.json {
        let element = json::Element {
            place,
            ty: view.ty,
            value: json,
        };
        json::write(element, access.is_some(), &terms, &notes, out)?;
    } else {
        let mut title = format!("{} = {value}", printable(place));
        if let Some(access) = &access {
            title += &format!(
                ": no instruction has written it. The run ended with a fault: it {}",
                access.message
            );
        }
        write(&title, args.depth, &terms, out)?;
        out.flush()?;
        for note in &notes {
            render::tell(format_args!("note: {note}\n"));
        }
    }
    Ok(Status::Success)
}

/// Memory and device state between launches.
pub struct InitialState {
    /// Memory; `None` if it is too large to be kept.
    pub image: Option<MemoryImage>,
    lasting: LastingState,
}

impl InitialState {
    /// Saves the current state.
    pub fn save(device: &Device) -> InitialState {
        InitialState {
            image: MemoryImage::take(device.memory()),
            lasting: device.lasting_state(),
        }
    }

    /// Restores the device state, and memory if it was saved.
    pub fn restore(&self, device: &Device) {
        if let Some(image) = &self.image {
            image.restore(device.memory());
        }
        device.restore(&self.lasting);
    }
}

/// Answers a `why` command of the debugger. A request with a moment refers to a stop in run `run`; repeating that run
/// restores memory and the device. Other requests refer to the state after `run` runs, which this function restores.
/// SIGINT interrupts the search.
///
/// # Errors
/// Fails if `out` cannot be written, or signals cannot be handled.
pub fn at_stop(
    debugged: &DebuggedRun,
    initial: &InitialState,
    run: u32,
    request: &WhyRequest,
    out: &mut dyn Write,
) -> io::Result<()> {
    let memory = debugged.module().device().memory().clone();
    if initial.image.is_none() {
        return writeln!(out, "error: {}", WhyError::<RunEnd>::TooLarge);
    }
    let device = debugged.module().device();
    let end = request.moment.is_none().then(|| InitialState::save(device));
    initial.restore(device);
    let program = debugged.code();
    let buffers = debugged.named_buffers();
    let question = Question {
        program: &program,
        memory: &memory,
        buffers: &buffers,
        undefined: debugged.undefined(),
        place: request.place,
        until: request.moment.map(|moment| Until { run, moment }),
        executions: EXECUTIONS,
        log: None,
    };
    let mut runs = Runs::new(debugged);
    if end.is_some() {
        runs.truncate(run);
    }
    let handler = flag::register(SIGINT, debugged.stop().clone())?;
    let answer = why(&runs, question);
    low_level::unregister(handler);
    debugged.stop().store(false, Relaxed);
    if let Some(end) = end {
        end.restore(device);
    }
    write_at_stop(request, answer, run_names(debugged), &program, out)
}
