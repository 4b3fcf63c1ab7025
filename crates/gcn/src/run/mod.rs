//! `gcn run`: a kernel from text or code object to results.

mod arguments;
mod execute;
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
mod spec;
mod value;

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use gcn_emu::device::Device;
use gcn_emu::fault::FaultKind;
use gcn_emu::hsa::{self, Shape};
use serde::Serialize;

use crate::{Status, Usage, render};
use arguments::Problems;
use execute::{afford, config, execute, group, traced};
use fault::FaultReport;
use launch::Launch;
use notes::{outside, remedy, summary, unowned};
pub use options::{Args, EXAMPLES};
use output::{BufferReport, Comparison, Expectation, Save, Selector, View};
use program::{choose, program};

/// Carries the command out.
///
/// # Errors
/// What keeps the kernel from being started. A fault of the kernel is a [`Status::BadInput`] that has been reported.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let launch = match launch::read(args)? {
        Some(launch) => launch,
        None => return Ok(Status::BadInput),
    };
    match carry_out(&launch, out) {
        Err(error) if error.is::<Problems>() => {
            let Problems { problems, help } = error.downcast::<Problems>()?;
            report(&problems, help);
            Ok(Status::BadInput)
        }
        result => result,
    }
}

/// Writes what is wrong, and what would be right, to standard error.
fn report(problems: &[String], help: Option<String>) {
    for problem in problems {
        render::tell(format_args!("error: {}\n", render::printable(problem)));
    }
    if let Some(help) = help {
        render::tell(format_args!("{help}\n"));
    }
}

fn carry_out(launch: &Launch, out: &mut dyn Write) -> Result<Status> {
    let Some((object, target)) = program(launch)? else {
        return Ok(Status::BadInput);
    };
    let kernel = choose(&object, launch.kernel.as_deref())?;
    if let Some(wrong) = &launch.wrong_arg {
        report(std::slice::from_ref(wrong), arguments::help(kernel));
        return Ok(Status::BadUsage);
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
    for note in &prepared.notes {
        render::tell(format_args!("note: {note}{}\n", remedy(note)));
    }
    device.config.threads = afford(
        &prepared,
        device.config.threads,
        budget.saturating_sub(bound.bytes),
    )?;

    let interrupted = device.interrupted.clone();
    interrupt::listen(&interrupted).context("cannot listen to Ctrl-C")?;
    let begin = Instant::now();
    let ran = if launch.trace {
        traced(&mut device, &prepared, launch.json, out)?
    } else {
        let watched = device.progress.clone();
        progress::shown(&watched, || execute(&mut device, &prepared, || ()))?
    };
    let seconds = begin.elapsed();
    interrupt::ended(&interrupted);
    let stats = ran.stats;

    let fidelity = fidelity::list(&prepared.code);
    let stopped = matches!(&ran.fault, Some(fault) if fault.kind == FaultKind::Interrupted);
    let remarks: Vec<String> = [outside(&ran, &loaded), unowned(&prepared.code, &loaded)]
        .into_iter()
        .flatten()
        .collect();
    let fault = FaultReport::new(ran, &kernel.name, &loaded, &device.memory);
    let comparisons: Vec<Comparison> = wanted
        .expect
        .iter()
        .map(|expectation| expectation.check(&device.memory))
        .collect();
    let mut printed = prepared
        .printf
        .as_ref()
        .map_or_else(Vec::new, |printf| printf.text(&device.memory));
    if let Some(host) = &device.hostcall {
        let (text, lost) = host.printed();
        printed.extend(text);
        if lost > 0 {
            render::tell(format_args!(
                "note: the kernel has printed {lost} bytes more, which are lost\n"
            ));
        }
    }
    let good = fault.is_none() && comparisons.iter().all(Comparison::holds);
    let threads = device.config.threads;
    if launch.json {
        let report = Report {
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
    } else {
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
    }
    // What follows goes to standard error and should come after what the run has left.
    out.flush()?;
    for save in &wanted.save {
        save.write(&device.memory)?;
    }
    if !launch.json {
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
    }
    if let Some(fault) = &fault {
        render::tell(format_args!("error: {fault}\n"));
    }
    Ok(if good {
        Status::Success
    } else if stopped {
        Status::Interrupted
    } else {
        Status::BadInput
    })
}

/// What is to be done with memory after the run.
struct Wanted<'a> {
    print: Vec<View>,
    save: Vec<Save<'a>>,
    expect: Vec<Expectation>,
}

impl<'a> Wanted<'a> {
    fn new(
        launch: &'a Launch,
        buffers: &[arguments::Buffer],
        loaded: &hsa::Loaded,
    ) -> Result<Wanted<'a>> {
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
        let save = launch
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

/// A run in JSON; the fields are the keys.
#[derive(Serialize)]
struct Report<'a> {
    kernel: &'a str,
    target: &'a str,
    grid: [u32; 3],
    group: [u32; 3],
    workgroups: u64,
    waves: u64,
    /// Executed, one for each wave that did.
    instructions: u64,
    seconds: f64,
    threads: usize,
    notes: Vec<String>,
    /// What the kernel has printed.
    printed: Cow<'a, str>,
    /// What `--print` names.
    buffers: Vec<BufferReport>,
    expectations: &'a [Comparison],
    /// The executed instructions by how far they are right.
    fidelity: &'a [fidelity::Group],
    fault: Option<&'a FaultReport>,
}
