//! `gcn run`: a kernel from text or code object to results.

mod arguments;
mod execute;
mod failure;
mod fault;
mod fidelity;
mod fill;
mod interrupt;
mod launch;
mod notes;
mod options;
mod output;
mod program;
mod progress;
mod report;
mod save;
mod spec;
mod value;

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use gcn_emu::device::Device;
use gcn_runtime::hsa::{self, Shape};
use gcn_runtime::progress::Progress;

use crate::{Status, Usage, render};
use arguments::Problems;
use execute::{afford, config, execute, group, traced};
use failure::UsageOfKernel;
pub use failure::{report_usage, reports_usage};
use fault::FaultReport;
use interrupt::Stop;
use launch::Launch;
use notes::{outside, remedy, summary, unowned};
pub use options::{Args, EXAMPLES};
use output::{Comparison, Expectation, Selector, View};
use program::{choose, program};
use report::{Outcome, Report};
use save::Save;

/// Carries the command out.
///
/// # Errors
/// `out` cannot be written. What else goes wrong is reported, and is the status.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let mut json = args.json;
    let ran = launch::read(args).and_then(|launch| {
        json = launch.json;
        carry_out(&launch, out)
    });
    ran.or_else(|error| failure::report(error, json, out))
}

fn carry_out(launch: &Launch, out: &mut dyn Write) -> Result<Status> {
    let (object, target) = program(launch)?;
    let kernel = choose(&object, launch.kernel.as_deref())?;
    if let Some(wrong) = &launch.wrong_arg {
        bail!(UsageOfKernel {
            message: wrong.clone(),
            help: arguments::help(kernel),
        });
    }
    let mut device = Device::new(config(launch, target.isa)?);
    let loaded = hsa::load(&mut device, &object, "the code object")?;
    let budget = launch.memory.unwrap_or_else(arguments::spare_memory);
    let Some(extent) = launch.grid else {
        return Err(Usage("how many work-items? add --grid X[,Y[,Z]]".to_owned()).into());
    };
    let grid = extent.sizes;
    let bound = arguments::bind(kernel, &launch.args, &mut device, budget)?;
    let dynamic_lds = launch
        .lds
        .checked_add(bound.lds)
        .context("more LDS than there is")?;
    let shape = Shape {
        grid,
        group: group(launch, kernel, grid),
        dimensions: extent
            .dimensions
            .max(launch.group.map_or(0, |group| group.dimensions)),
        offset: launch.offset.unwrap_or_default(),
        dynamic_lds,
        stack: launch.stack,
    };
    let start = hsa::Launch {
        object: &object,
        loaded: &loaded,
        kernel,
        shape,
        arguments: &bound.placed,
    };
    let problems: Vec<String> = start
        .problems(target.isa)
        .iter()
        .map(ToString::to_string)
        .collect();
    if !problems.is_empty() {
        bail!(Problems {
            problems,
            help: None
        });
    }
    let wanted = Wanted::new(launch, &bound.buffers, &loaded)?;
    let prepared = start.prepare(&mut device)?;
    for note in prepared.notes.iter().filter(|_| !launch.json) {
        render::tell(format_args!("note: {note}{}\n", remedy(note)));
    }
    device.config.threads = afford(
        &prepared,
        device.config.threads,
        budget.saturating_sub(bound.bytes),
    )?;

    let interrupted = device.interrupted.clone();
    let stop = Stop::listen(&interrupted, launch.timeout).context("cannot handle signals")?;
    let begin = Instant::now();
    let ran = stop.limited(|| {
        if launch.trace {
            traced(&mut device, &prepared, launch.json, out)
        } else {
            let watched = Arc::new(Progress::default());
            device.monitor = Some(watched.clone());
            progress::shown(&watched, || execute(&mut device, &prepared, || ()))
        }
    })?;
    let seconds = begin.elapsed();
    let cause = stop.cause();
    stop.ended();
    let stats = ran.stats;

    let fidelity = fidelity::list(&prepared.code);
    let mut remarks: Vec<String> = [outside(&ran, &loaded), unowned(&prepared.code, &loaded)]
        .into_iter()
        .flatten()
        .collect();
    let fault = FaultReport::new(ran, &kernel.name, &loaded, &device.memory, cause);
    let comparisons: Vec<Comparison> = wanted
        .expect
        .iter()
        .map(|expectation| expectation.check(&device.memory))
        .collect();
    let mut printed = prepared
        .printf
        .as_ref()
        .map_or_else(Vec::new, |printf| printf.text(&device.memory));
    if let Some(host) = &prepared.hostcall {
        let (text, lost) = host.printed();
        printed.extend(text);
        if lost > 0 {
            remarks.push(format!(
                "the kernel has printed {lost} bytes more, which are lost"
            ));
        }
    }
    let errors: Vec<String> = wanted
        .save
        .iter()
        .filter_map(|save| save.write(&device.memory).err())
        .map(|error| format!("{error:#}"))
        .collect();
    let outcome = match &fault {
        Some(fault) => fault.outcome,
        None if !errors.is_empty() => Outcome::BadInput,
        None if !comparisons.iter().all(Comparison::holds) => Outcome::Difference,
        None => Outcome::Success,
    };
    let threads = device.config.threads;
    if launch.json {
        let report = Report {
            outcome,
            exit_status: outcome.status() as u8,
            errors: &errors,
            kernel: &kernel.name,
            target: target.name,
            grid,
            group: shape.group,
            workgroups: stats.groups,
            waves: stats.waves,
            instructions: stats.instructions,
            seconds: seconds.as_secs_f64(),
            threads,
            notes: prepared
                .notes
                .iter()
                .map(ToString::to_string)
                .chain(remarks.iter().cloned())
                .collect(),
            printed: String::from_utf8_lossy(&printed),
            buffers: wanted
                .print
                .iter()
                .map(|view| view.report(&device.memory))
                .collect(),
            expectations: &comparisons,
            fidelity: &fidelity,
            fault: fault.as_ref(),
        };
        serde_json::to_writer_pretty(&mut *out, &report).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(outcome.status());
    }
    out.write_all(&printed)?;
    for view in &wanted.print {
        view.print(&device.memory, out)?;
    }
    for comparison in &comparisons {
        comparison.print(out)?;
    }
    if launch.fidelity {
        fidelity::print(&fidelity, out)?;
    }
    // What follows goes to standard error and should come after what the run has left.
    out.flush()?;
    render::tell(format_args!(
        "{}\n",
        summary(&kernel.name, stats, seconds, threads)
    ));
    for remark in &remarks {
        render::tell(format_args!("note: {remark}\n"));
    }
    if let Some(line) = fidelity::line(&fidelity).filter(|_| !launch.fidelity) {
        render::tell(format_args!("{line}\n"));
    }
    for error in &errors {
        render::tell(format_args!("error: {}\n", render::printable(error)));
    }
    if let Some(fault) = &fault {
        render::tell(format_args!("error[{}]: {fault}\n", fault.name));
    }
    Ok(outcome.status())
}

/// What is to be done with memory after the run.
struct Wanted {
    print: Vec<View>,
    save: Vec<Save>,
    expect: Vec<Expectation>,
}

impl Wanted {
    fn new(launch: &Launch, buffers: &[arguments::Buffer], loaded: &hsa::Loaded) -> Result<Wanted> {
        let mut problems = Vec::new();
        fn keep<T>(
            result: Result<T>,
            what: &str,
            name: &str,
            problems: &mut Vec<String>,
        ) -> Option<T> {
            result
                .map_err(|error| {
                    problems.push(format!("{what} {}: {error:#}", render::printable(name)))
                })
                .ok()
        }
        let view = |name: &str| Selector::parse(name)?.find(buffers, loaded);
        let print = launch
            .print
            .iter()
            .filter_map(|given| keep(view(&given.name), "print", &given.name, &mut problems))
            .collect();
        let save: Vec<Save> = launch
            .save
            .iter()
            .filter_map(|given| {
                keep(
                    Save::new(given, buffers, loaded),
                    "save",
                    &given.name,
                    &mut problems,
                )
            })
            .collect();
        let expect = launch
            .expect
            .iter()
            .filter_map(|given| {
                keep(
                    Expectation::new(given, buffers, loaded),
                    "expect",
                    &given.name,
                    &mut problems,
                )
            })
            .collect();
        problems.extend(save::conflicts(&save, &launch.inputs()));
        if problems.is_empty() {
            Ok(Wanted {
                print,
                save,
                expect,
            })
        } else {
            bail!(Problems {
                problems,
                help: None
            })
        }
    }
}
