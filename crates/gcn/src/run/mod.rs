//! `gcn run`: a kernel from text or code object to results.

mod arguments;
mod fault;
mod fidelity;
mod fill;
mod interrupt;
mod launch;
mod output;
mod progress;
mod value;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::TypedValueParser;
use gcn_asm::{Options, Source};
use gcn_emu::code::Code;
use gcn_emu::device::{Config, Device};
use gcn_emu::fault::{Fault, FaultKind};
use gcn_emu::hsa::{self, Note, Prepared, Shape};
use gcn_emu::observe::Observer;
use gcn_emu::run::{Finished, Stats};
use gcn_isa::{Isa, Target};
use gcn_object::{CodeObject, Kernel};
use gcn_observe::Trace;
use serde::Serialize;

use crate::object::NoTarget;
use crate::{Status, Usage, asm, input, object, render};
use arguments::Problems;
use fault::FaultReport;
use launch::{Extent, Launch};
use output::{BufferReport, Comparison, Expectation, Save, Selector, View};

/// For `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn run launch.toml
  gcn run saxpy.s --grid 256 --group 64 --arg count=250 --arg a=2 --arg xs=f32*250:iota \\
      --arg ys=f32*250 --print ys[0..6]
  gcn run kernel.co --kernel reduce --grid 1024 --arg 0=@input.bin --arg 1=f32*16 --trace";

/// The arguments of `gcn run`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
pub struct Args {
    /// A source, a code object, or a launch file (`.toml`).
    input: PathBuf,
    /// The GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1. Sources and code objects may say it themselves.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.to_string()), hide_possible_values = true)]
    target: Option<String>,
    /// The kernel, if there are several; those of C++ by their symbol or by their name in the source.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Work-items, in up to three dimensions.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = launch::sizes, allow_hyphen_values = true)]
    grid: Option<Extent>,
    /// Work-items of a workgroup.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = launch::sizes, allow_hyphen_values = true)]
    group: Option<Extent>,
    /// What the work-items' global numbers begin with, in OpenCL kernels.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = launch::offsets, allow_hyphen_values = true)]
    offset: Option<[u64; 3]>,
    /// Host threads.
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// An argument by its name or index: 42, f32:1.5, f32:1,2,3, u32*100:iota, f32*9:fill(1),
    /// f32*9:random(seed,lo,hi), @FILE, local:BYTES, null.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    arg: Vec<String>,
    /// Print a buffer, or some of its elements, after the run.
    #[arg(long, value_name = "NAME[:TYPE][[A..B]]")]
    print: Vec<String>,
    /// Save a buffer's bytes.
    #[arg(long, value_name = "NAME=FILE")]
    save: Vec<String>,
    /// Compare a buffer with a value as for --arg; `~TOLERANCE` at the end allows a difference.
    #[arg(long, value_name = "NAME=VALUE[~TOLERANCE]")]
    expect: Vec<String>,
    /// Dynamic LDS in bytes, for kernels that have no argument for it.
    #[arg(long, value_name = "BYTES")]
    lds: Option<u32>,
    /// Bytes of a lane's scratch beyond the kernel's fixed part, for kernels that recurse or call by pointers; without, 4096.
    #[arg(long, value_name = "BYTES")]
    stack: Option<u32>,
    /// The most guest memory that buffers may take, such as 512M or 4G; without, what the machine has to spare.
    #[arg(long, value_name = "BYTES", value_parser = launch::amount)]
    memory: Option<u64>,
    /// Print every executed instruction, with the lanes active and the registers written.
    #[arg(long)]
    trace: bool,
    /// Stop a wave after so many instructions.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// List the executed instructions by how far they are right: exact, approximate, open.
    #[arg(long)]
    fidelity: bool,
    /// Report in JSON.
    #[arg(long)]
    json: bool,
}

/// Host threads at most.
const MAX_THREADS: usize = 1024;
/// Work-items of a workgroup if nothing asks for another number: a wave.
const DEFAULT_GROUP: u32 = 64;
/// Lines of a trace that may wait to be written.
const TRACE_BACKLOG: usize = 1024;

fn threads(text: &str) -> Result<usize, String> {
    let wrong = || format!("`{text}` is not a number of threads from 1 to {MAX_THREADS}");
    text.parse()
        .ok()
        .filter(|threads| (1..=MAX_THREADS).contains(threads))
        .ok_or_else(wrong)
}

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

/// Reads the program, or assembles it; nothing if it has errors, which have been reported.
fn program(launch: &Launch) -> Result<Option<(CodeObject, &'static Target)>> {
    let name = input::name(&launch.file);
    let asked = match &launch.target {
        Some(target) => Some(
            input::target(target)
                .map_err(|accepted| Usage(format!("target {target}: {accepted}")))?,
        ),
        None => None,
    };
    let bytes = input::read(&launch.file)?;
    if object::is_object(&bytes) {
        let asked = asked.map(|named| named.target);
        let object = object::read(
            bytes,
            object::Choice {
                target: asked,
                entry: None,
                kernel: launch.kernel.as_deref(),
            },
        )
        .with_context(|| name.clone())?;
        for warning in &object.warnings {
            render::warn(&name, warning);
        }
        let target = match (asked, object::target(&object)) {
            (Some(asked), Ok(own)) if !object::runs_as(&object, own, asked) => {
                bail!(
                    "{name}: code for {}, which is not run as {}",
                    object.processor().unwrap_or(own.name),
                    asked.name
                )
            }
            (Some(asked), Ok(_) | Err(NoTarget::Unknown)) => asked,
            (None, Ok(own)) => own,
            (_, Err(error)) => return Err(error).context(name),
        };
        return Ok(Some((object, target)));
    }
    if let Some(&(_, language, options)) = compiled_language(&launch.file) {
        bail!(
            "{name} is {language}, not assembly: run what a compiler makes of it, as by `clang{options} -O2 {name} -o kernel.co`"
        );
    }
    let Ok(text) = String::from_utf8(bytes) else {
        bail!("{name} is neither a code object nor text");
    };
    let options = match asked {
        Some(named) => named.options(),
        None => Options::new(gcn_asm::named_target(&text).ok_or_else(|| {
            Usage(format!(
                "{name} names no target: add --target, or .amdgcn_target to the source"
            ))
        })?),
    };
    let assembly = gcn_asm::assemble_with(
        &Source {
            name: &name,
            text: &text,
        },
        &options,
        &input::SourceFiles {
            directories: &[],
            text: None,
        },
    );
    let (code, diagnostics) = asm::make(&assembly, asm::Format::Elf, None);
    if !diagnostics.is_empty() {
        render::tell(format_args!(
            "{}",
            render::diagnostics(
                &render::renderer(),
                &render::Sources {
                    name: &name,
                    text: &text,
                    files: &assembly.files,
                },
                &diagnostics,
                asm::ERROR_LIMIT,
            )
        ));
    }
    let Some(code) = code else {
        return Ok(None);
    };
    let target = assembly.program.target;
    let object = gcn_object::read_owned(code).with_context(|| name.clone())?;
    for warning in &object.warnings {
        render::warn(&name, warning);
    }
    Ok(Some((object, target)))
}

/// Languages that compilers make code objects of: extension, name, and how Clang is called.
const COMPILED: &[(&str, &str, &str)] = &[
    ("cl", "OpenCL C", OPENCL),
    ("clcpp", "C++ for OpenCL", OPENCL),
    ("hip", "HIP", HIP),
    ("cu", "CUDA or HIP", HIP),
    ("cpp", "C++", HIP),
    ("ll", "LLVM IR", IR),
    ("bc", "LLVM bitcode", IR),
];
const IR: &str = " -target amdgcn-amd-amdhsa -mcpu=gfx906";
const OPENCL: &str = " -x cl -target amdgcn-amd-amdhsa -mcpu=gfx906";
const HIP: &str = "++ -x hip --cuda-device-only --offload-arch=gfx906";

/// The language of a source that is not assembly, by its name.
fn compiled_language(file: &Path) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let extension = file.extension()?;
    COMPILED.iter().find(|(known, ..)| extension == *known)
}

/// The kernel of this name, or the only one.
fn choose<'a>(object: &'a CodeObject, name: Option<&str>) -> Result<&'a Kernel> {
    let names = || {
        object
            .kernels
            .iter()
            .map(|kernel| render::kernel_name(&kernel.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match (name, &object.kernels[..]) {
        (_, []) => bail!("there is no kernel: a source declares one with .amdhsa_kernel"),
        (None, [only]) => Ok(only),
        (None, _) => bail!("which kernel? add --kernel with one of {}", names()),
        (Some(name), _) => object.kernel(name).with_context(|| {
            format!(
                "there is no kernel {}; there are {}",
                render::printable(name),
                names()
            )
        }),
    }
}

fn config(launch: &Launch, isa: Isa) -> Result<Config> {
    let mut config = Config::new(isa);
    config.limit = launch.limit;
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    config.threads = match launch.threads {
        // Lines of several threads would come in no order.
        _ if launch.trace => 1,
        Some(threads) if !(1..=MAX_THREADS).contains(&threads) => {
            bail!("threads: {threads} is not a number from 1 to {MAX_THREADS}")
        }
        Some(threads) => threads,
        None => all().min(MAX_THREADS),
    };
    Ok(config)
}

/// How many of `threads` can have their scratch in `budget` bytes.
///
/// # Errors
/// Not even one can.
fn afford(prepared: &Prepared, threads: usize, budget: u64) -> Result<usize> {
    let each = prepared.dispatch.scratch_bytes_per_thread();
    if each > budget {
        bail!(
            "the kernel's scratch takes {each} bytes, more than the {budget} bytes of memory that are left; --memory changes that"
        );
    }
    let most = budget.checked_div(each).unwrap_or(u64::MAX);
    Ok(threads.min(usize::try_from(most).unwrap_or(usize::MAX)))
}

/// The workgroup's size: as asked, as the kernel requires, or a wave in x.
fn group(launch: &Launch, kernel: &Kernel, grid: [u32; 3]) -> [u32; 3] {
    let metadata = kernel.metadata.as_ref();
    let required = metadata.and_then(|metadata| metadata.reqd_workgroup_size);
    let required = required
        .and_then(|[x, y, z]| Some([x.try_into().ok()?, y.try_into().ok()?, z.try_into().ok()?]));
    let most = metadata
        .and_then(|metadata| metadata.max_flat_workgroup_size)
        .and_then(|most| u32::try_from(most).ok());
    let most = most.filter(|most| *most != 0).unwrap_or(DEFAULT_GROUP);
    launch
        .group
        .map(|extent| extent.sizes)
        .or(required)
        .unwrap_or([DEFAULT_GROUP.min(grid[0]).min(most), 1, 1])
}

fn execute<O: Observer>(
    device: &mut Device,
    prepared: &Prepared,
    observer: impl Fn() -> O,
) -> Result<Finished<()>> {
    let finished = gcn_emu::run::run(device, &prepared.code, &prepared.dispatch, observer)?;
    Ok(finished.without_observers())
}

/// Runs with a trace. The run has a thread of its own, since only this one may write to `out`; in JSON mode the trace
/// goes to standard error.
fn traced(
    device: &mut Device,
    prepared: &Prepared,
    json: bool,
    out: &mut dyn Write,
) -> Result<Finished<()>> {
    let interrupted = device.interrupted.clone();
    let (sender, lines) = mpsc::sync_channel::<String>(TRACE_BACKLOG);
    std::thread::scope(|scope| {
        let runner = scope.spawn(move || {
            let observer = || {
                let sender = sender.clone();
                // Nobody listens any more when the run is being stopped.
                Trace::new(move |line: &str| drop(sender.send(line.to_owned())))
            };
            execute(device, prepared, observer)
        });
        let mut written = Ok(());
        for line in lines {
            written = if json {
                writeln!(io::stderr(), "{line}")
            } else {
                writeln!(out, "{line}")
            };
            if written.is_err() {
                interrupted.store(true, Relaxed);
                break;
            }
        }
        let result = runner
            .join()
            .map_err(|_| anyhow!("the run has ended in an internal error"))?;
        written?;
        result
    })
}

/// What to do about a note, on the command line.
fn remedy(note: &Note) -> &'static str {
    match note {
        Note::DynamicStack { .. } => "; --stack changes that",
        Note::MutePrintf => {
            "; compile the source with `-nogpulib -emit-llvm -c` first, then what that makes, with the libraries"
        }
        Note::Partial { .. } | Note::Format(_) => "",
    }
}

/// What a run has to say about instructions that read registers which the kernel does not ask for.
fn unowned(code: &Code, loaded: &hsa::Loaded) -> Option<String> {
    let mut steps = code.reading_outside();
    let first = steps.next()?;
    let count = 1 + steps.count() as u64;
    Some(format!(
        "{} with sources that the wave does not have, which are v0 and s0 then, as on hardware: its kernel asks for {} \
         VGPRs and {} SGPRs; the first, {}",
        plural(count, "instruction", "s"),
        code.vgprs(),
        code.sgprs(),
        fault::place(code.address(first.index), &first.inst.text(), loaded),
    ))
}

/// What a run has to say about accesses that its memory is too small for and that were no fault.
fn outside(ran: &Finished<()>, loaded: &hsa::Loaded) -> Option<String> {
    let is_counted = |fault: &Fault| {
        matches!(
            fault.kind,
            FaultKind::Unmapped { .. } | FaultKind::Misaligned { .. }
        )
    };
    let count = ran.stats.violations;
    if count == 0 || ran.fault.as_ref().is_some_and(is_counted) {
        return None;
    }
    let mut text = format!(
        "{} beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on hardware",
        plural(count, "access", "es")
    );
    if let Some(site) = &ran.violation {
        text.push_str("; the first by ");
        text.push_str(&fault::site(site, loaded));
    }
    Some(text)
}

fn plural(n: u64, what: &str, more: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { more })
}

fn summary(kernel: &str, stats: Stats, time: Duration, threads: usize) -> String {
    format!(
        "{}: {}, {}, {}, {:.3} s on {}",
        render::printable(kernel),
        plural(stats.groups, "workgroup", "s"),
        plural(stats.waves, "wave", "s"),
        plural(stats.instructions, "wave instruction", "s"),
        time.as_secs_f64(),
        plural(threads as u64, "thread", "s"),
    )
}
