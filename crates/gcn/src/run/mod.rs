//! `gcn run`: runs kernels of a source or code object, and reports the results.

// In import order: a module imports only from modules above it.

// Requests.
mod option_values;
mod profile;
mod options;
mod request;
mod launch_file;
mod launch;

// Inputs, outputs and observers of a run.
mod arguments;
mod output;
mod expect;
mod save;
mod trace_filter;
mod memory_uses;
mod trace;
mod progress;
mod interrupt;
mod fidelity;
mod notes;
mod host_code;
mod why_call;

// The run.
mod dispatch;
mod report;
pub mod debugged;

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use gcn_object::find_name;
use gcn_report::Checking;
use gcn_report::settings::MAX_THREADS;
use gcn_report::{CodeMap, FaultReport, FindingReport};
use gcn_runtime::error_names::HOST_LIMIT;
use gcn_runtime::{Device, Kernel};

use crate::failure::{self, KernelUsageError};
use crate::problem::{self, INVALID_LAUNCH_FILE, Problem};
use crate::program::{LoadedProgram, ProgramTerms, choose, program};
use crate::status::RunOutcome;
use crate::{Status, findings, render};
use dispatch::Dispatches;
use expect::ComparisonOutcome;
use host_code::HostCodeFile;
pub use interrupt::{InterruptCause, StopHandle};
pub use launch::{read, read_other};
pub use launch_file::Timeout;
use memory_uses::{MemoryUses, OtherFiles};
pub use options::{Args, EXAMPLES};
pub use output::{MemoryView, json};
use profile::ProfileFile;
use report::{RunReport, RunResults};
pub use request::RunRequest;
use trace::RunTrace;

/// Runs the command.
///
/// # Errors
/// Fails if `out` cannot be written. Other errors are reported, and determine the status.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    Ok(run_checked(args, false, None, out)?.status)
}

/// Result of a run, after it has been reported.
pub struct CheckResult {
    pub status: Status,
    /// Findings of checkers; `None` if the run could not start.
    pub findings: Option<Vec<FindingReport>>,
    /// Errors that prevented the run from starting, ended it, or left outputs unwritten.
    pub errors: Vec<Problem>,
    /// One-line form of the fault that ended the run, if a finding replaces its full report.
    pub brief: Option<String>,
}

/// Runs the command with checkers, if any, and returns their findings. With `json`, the report is JSON and contains them.
///
/// # Errors
/// Fails as [`run`] does.
pub fn run_checked(
    args: &Args,
    json: bool,
    checking: Option<&Checking>,
    out: &mut dyn Write,
) -> Result<CheckResult> {
    let mut json = json || args.json;
    let ran = read(args, checking.is_some(), json).and_then(|mut run| {
        run.json |= json;
        json = run.json;
        carry_out(&run, checking, out)
    });
    match ran {
        Ok(checked) => Ok(checked),
        Err(error) => {
            let (status, errors) = failure::report_all(error, json, out)?;
            Ok(CheckResult {
                status,
                findings: None,
                errors,
                brief: None,
            })
        }
    }
}

/// Checks that the kernels selected for checking, if any, include the kernel of a launch.
fn check_kernel_names(checking: &Checking, kernels: &[Kernel]) -> Result<()> {
    let settings = checking.settings();
    let symbols = || kernels.iter().map(Kernel::name);
    if let (Some(name), false) = (
        settings.kernels.first(),
        symbols().any(|it| settings.covers(it)),
    ) {
        find_name(symbols(), name)?;
    }
    Ok(())
}

/// Creates a device for a run.
///
/// # Errors
/// Fails if the number of threads or the target is invalid.
fn device(run: &RunRequest, target: &str) -> Result<Device> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match run.threads {
        // With several threads, the order of the trace would not be deterministic.
        _ if run.trace.is_on() => 1,
        Some(threads) if !(1..=MAX_THREADS).contains(&threads) => {
            let message = format!("threads: {threads} is not a number from 1 to {MAX_THREADS}");
            bail!(Problem::new(INVALID_LAUNCH_FILE, message))
        }
        Some(threads) => threads,
        None => all().min(MAX_THREADS),
    };
    if let Some(engine) = run.engine {
        engine.set();
    }
    // The host does not modify memory while a launch runs, and launches run one at a time.
    Ok(Device::builder(target)?
        .threads(threads)
        .exclusive()
        .vary(&run.variations)
        .build())
}

/// Loads the program of a run, with checkers on its device, and finds the kernels of the launches.
///
/// # Errors
/// Fails if the program is invalid or lacks a kernel that a launch names, or an argument has no name or value.
fn load(run: &RunRequest, checking: Option<&Checking>) -> Result<(LoadedProgram, Vec<Kernel>)> {
    let launches = run.launches.iter();
    let names: Vec<_> = launches.map(|launch| launch.kernel.as_deref()).collect();
    let terms = ProgramTerms {
        kernels: &names,
        json: run.json,
        device: &|target| device(run, target),
    };
    let loaded = program(&run.program, &terms)?;
    let module = &loaded.module;
    let chosen = names.iter().map(|name| choose(module, *name));
    let kernels = chosen.collect::<Result<Vec<Kernel>>>()?;
    if let Some(wrong) = &run.wrong_arg {
        bail!(KernelUsageError {
            message: wrong.clone(),
            help: kernels.first().and_then(arguments::help),
        });
    }
    if let Some(checking) = checking {
        checking.notes(module);
        module.device().observe(checking.observers());
    }
    Ok((loaded, kernels))
}

fn carry_out(
    run: &RunRequest,
    checking: Option<&Checking>,
    out: &mut dyn Write,
) -> Result<CheckResult> {
    let (
        LoadedProgram {
            module, included, ..
        },
        kernels,
    ) = load(run, checking)?;
    if let Some(checking) = checking {
        check_kernel_names(checking, &kernels)?;
    }
    let (device, loaded) = (module.device(), module.loaded());
    let budget = run.memory.unwrap_or_else(arguments::spare_memory);
    let dispatches = Dispatches::new(run, &kernels, device, budget)?;
    dispatches.check()?;
    let settings = checking.map(Checking::settings);
    let files = OtherFiles {
        inputs: [
            included,
            settings.map_or_else(Vec::new, |it| it.suppress.clone()),
        ]
        .concat(),
        findings: settings.and_then(|it| it.output.as_deref()),
        findings_on_stdout: settings.is_some_and(findings::take_stdout),
    };
    let uses = MemoryUses::new(run, &files, dispatches.buffers.views(), loaded)?;
    let results = uses.results();
    let mut trace = RunTrace::new(run, uses.trace)?;
    let profiling = ProfileFile::new(&run.profile)?;
    let host_code = run.dump_code.as_deref().map(HostCodeFile::new);
    let host_code = host_code.transpose()?;
    let interrupted = checking.map_or_else(Arc::default, |it| it.stop().clone());
    let ready = dispatches.prepare(device, budget, &interrupted)?;
    let address_note = notes::unusual_addresses(device);
    if !run.json {
        for note in address_note.iter().cloned().chain(ready.notes()) {
            render::tell(format_args!("note: {note}\n"));
        }
    }

    let map = CodeMap::new(&module);
    let refused = |message| move || Problem::new(HOST_LIMIT, message);
    let stop = StopHandle::listen(&interrupted, run.timeout)
        .with_context(refused("cannot handle signals"))?;
    let mut ran = stop
        .run_with_timeout(|| {
            ready.run(
                run,
                trace.as_mut(),
                (checking, profiling.as_ref().map(|it| &it.profiling)),
                &map,
                out,
            )
        })
        .with_context(refused("cannot watch the timeout"))??;
    if run.json {
        ran.notes.extend(address_note);
        ran.notes.extend(checking.and_then(Checking::unwatched));
    }
    let cause = stop.cause();
    stop.ended();

    let fidelity = fidelity::list(ready.launches.iter());
    let has_ended = ran
        .fault
        .as_ref()
        .is_none_or(|(_, end)| end.fault.is_none());
    if has_ended && checking.is_some() {
        // After a fault or a stop, unwritten results are to be expected.
        for Range { start, end } in results {
            device.memory().reads_results(start, end - start);
        }
    }
    let findings = checking.map(|it| it.collect(&module)).unwrap_or_default();
    let shown = checking.filter(|it| !run.json && findings::are_shown(it.settings()));
    let shown = shown.filter(|it| !it.is_full());
    let mut brief = None;
    let fault = ran.fault.and_then(|(launch, end)| {
        let fault = end.fault.as_ref()?;
        let unset = launch.unset_sgprs(fault);
        let report = FaultReport::new(&end, &map, &cause.to_string(), unset)?;
        let finding = shown.and_then(|it| it.finding_of(fault));
        brief = finding.map(|finding| problem::line(Some(report.name), &report.in_brief(finding)));
        Some((RunOutcome::of_fault(&fault.kind, cause), report))
    });
    // A stop at the limit on findings is not a fault of the run.
    let fault = fault.filter(|_| !checking.is_some_and(Checking::is_full));
    let verdicts: Vec<ComparisonOutcome> = uses
        .expect
        .iter()
        .map(|expectation| expectation.check(device.memory()))
        .collect();
    let mut errors = Vec::new();
    for save in &uses.save {
        if let Err(error) = save.write(device.memory(), out) {
            errors.push(Problem::of(&error));
        }
    }
    let profiled = profiling.map_or(Ok(()), |it| it.write(out));
    let dumped = host_code.map_or(Ok(()), |it| it.write(&ready.launches, out));
    let written = [profiled, dumped].into_iter().filter_map(Result::err);
    errors.extend(written.map(|error| Problem::of(&error)));
    let outcome = match &fault {
        Some((outcome, _)) => *outcome,
        None if !errors.is_empty() => RunOutcome::BadInput,
        None if !findings.is_empty() => RunOutcome::Finding,
        None if !verdicts.iter().all(ComparisonOutcome::holds) => RunOutcome::Difference,
        None => RunOutcome::Success,
    };
    if outcome == RunOutcome::Difference {
        let first = verdicts
            .iter()
            .find_map(ComparisonOutcome::first_difference);
        let note = first.and_then(|first| why_call::note(std::env::args_os(), &first));
        ran.notes.extend(note);
    }
    let results = RunResults {
        outcome,
        errors: &errors,
        launches: &ran.launches,
        printed: &ran.printed,
        notes: &ran.notes,
        views: &uses.print,
        verdicts: &verdicts,
        fidelity: &fidelity,
        findings: checking.map(|_| &findings[..]),
        fault: fault
            .as_ref()
            .map(|(_, report)| report)
            .filter(|_| brief.is_none()),
        memory: device.memory(),
    };
    if run.json {
        RunReport::new(&results, device.target().name, ready.threads).write(out)?;
    } else {
        results.print(run.fidelity, ready.threads, out)?;
    }
    let fault = fault.map(|(_, report)| Problem::new(report.name, report.to_string()));
    Ok(CheckResult {
        status: outcome.status(),
        findings: Some(findings),
        errors: fault.into_iter().chain(errors).collect(),
        brief,
    })
}
