//! The launches of a run: their arguments are bound, they are prepared, and they are run in order.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gcn_emu::code::Code;
use gcn_emu::device::Device;
use gcn_emu::host::HostCalls;
use gcn_emu::observe::Observers;
use gcn_emu::run::{Finished, Stats};
use gcn_isa::Isa;
use gcn_object::{CodeObject, Kernel};
use gcn_runtime::bind::{self, Binding, BoundArgument, Buffers, Placement};
use gcn_runtime::hsa::{self, Loaded, Prepared, Shape};
use gcn_runtime::progress::Progress;

use super::arguments::{self, Problems};
use super::execute::{affordable_threads, execute, group, traced};
use super::launch::{Given, Launch, Run};
use super::notes::{outside, plural, remedy, unowned};
use super::progress;
use crate::Usage;
use crate::input::open;

/// The launches of a run with their arguments in memory.
pub struct Dispatches<'a> {
    /// The buffers of all, the shared ones first.
    pub buffers: Buffers,
    /// Bytes that they take.
    bytes: u64,
    list: Vec<Dispatch<'a>>,
}

/// A launch with its arguments in memory.
struct Dispatch<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch,
    shape: Shape,
    placement: Placement,
}

/// The beginning of a message about one of several launches.
fn prefix(number: usize, count: usize) -> String {
    if count == 1 {
        String::new()
    } else {
        format!("launch {}: ", number + 1)
    }
}

impl<'a> Dispatches<'a> {
    /// Decides what every argument of every launch is, and puts the buffers into guest memory, `budget` bytes at most.
    ///
    /// # Errors
    /// [`Problems`] with all arguments that are missing, unknown, given twice, or given invalid values; buffers that are too large.
    pub fn new(
        run: &'a Run,
        kernels: &[&'a Kernel],
        device: &mut Device,
        budget: u64,
    ) -> Result<Dispatches<'a>> {
        let count = run.launches.len();
        let launches = || run.launches.iter().zip(kernels).enumerate();
        for (number, (launch, _)) in launches() {
            if launch.grid.is_none() {
                let message = "how many work-items? add --grid X[,Y[,Z]]";
                return Err(Usage(format!("{}{message}", prefix(number, count))).into());
            }
        }
        let buffers: Vec<_> = run.buffers.iter().map(Given::bindable).collect();
        let Binding {
            arguments: shared,
            problems,
            ..
        } = bind::shared(&buffers, &open);
        let mut problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let mut all: Vec<Vec<BoundArgument>> = Vec::new();
        let mut help = Vec::new();
        for (number, (launch, kernel)) in launches() {
            let binding = bound(kernel, launch, &shared);
            let mut own: Vec<String> = binding.problems.iter().map(ToString::to_string).collect();
            let has_buffer = |argument: &&BoundArgument| argument.buffer_bytes().is_some();
            for BoundArgument { name, .. } in binding.arguments.iter().filter(has_buffer) {
                let mut others = all.iter().flatten().filter(has_buffer);
                if others.any(|other| other.name == *name) {
                    own.push(format!("argument {name}: an earlier launch has a buffer of this name; what launches share stands under [buffers]"));
                }
            }
            all.push(binding.arguments);
            if !own.is_empty() {
                help.extend(arguments::help(kernel).filter(|help_of| !help.contains(help_of)));
            }
            problems.extend(
                own.into_iter()
                    .map(|problem| prefix(number, count) + &problem),
            );
        }
        Problems::check(problems, || (!help.is_empty()).then(|| help.join("\n")))?;
        let bytes = arguments::afford(shared.iter().chain(all.iter().flatten()), budget)?;
        let mut buffers = Buffers::default();
        bind::place(shared, 0, &device.memory, &mut buffers)?;
        let mut list = Vec::new();
        for ((_, (launch, &kernel)), arguments) in launches().zip(all) {
            let fixed = kernel.descriptor.group_segment_fixed_size;
            let placement = bind::place(arguments, fixed, &device.memory, &mut buffers)?;
            let shape = shape(launch, kernel, placement.lds)?;
            list.push(Dispatch {
                kernel,
                launch,
                shape,
                placement,
            });
        }
        Ok(Dispatches {
            buffers,
            bytes,
            list,
        })
    }

    /// Holds the sizes against the kernels and the device.
    ///
    /// # Errors
    /// [`Problems`] with all that do not fit.
    pub fn check(&self, object: &CodeObject, loaded: &Loaded, isa: Isa) -> Result<()> {
        let mut problems = Vec::new();
        for (number, dispatch) in self.list.iter().enumerate() {
            for problem in dispatch.start(object, loaded).problems(isa) {
                problems.push(format!("{}{problem}", prefix(number, self.list.len())));
            }
        }
        Problems::check(problems, || None)
    }

    /// Builds what the kernels find when they start. Fewer host threads are used if `budget` is too small for all.
    ///
    /// # Errors
    /// Memory does not suffice, or an entry is no code.
    pub fn prepare(
        &self,
        object: &CodeObject,
        loaded: &Loaded,
        device: &mut Device,
        budget: u64,
    ) -> Result<Vec<Ready<'a>>> {
        let left = budget.saturating_sub(self.bytes);
        let mut ready = Vec::new();
        for dispatch in &self.list {
            let prepared = dispatch.start(object, loaded).prepare(device)?;
            device.config.threads = affordable_threads(&prepared, device.config.threads, left)?;
            ready.push(Ready {
                kernel: dispatch.kernel,
                launch: dispatch.launch,
                shape: dispatch.shape,
                prepared,
            });
        }
        Ok(ready)
    }
}

impl Dispatch<'_> {
    fn start<'b>(&'b self, object: &'b CodeObject, loaded: &'b Loaded) -> hsa::Launch<'b> {
        hsa::Launch {
            object,
            loaded,
            kernel: self.kernel,
            shape: self.shape,
            arguments: hsa::Arguments::Placed(&self.placement.placed),
            answers_host_calls: true,
        }
    }
}

/// Binds the arguments of a launch, or its whole argument segment.
fn bound(kernel: &Kernel, launch: &Launch, shared: &[BoundArgument]) -> Binding {
    let given: Vec<_> = launch.args.iter().map(Given::bindable).collect();
    match &launch.kernarg {
        Some(segment) => bind::segment(kernel, &segment.bindable(), &given, shared, &open),
        None => bind::arguments(kernel, &given, shared, &open),
    }
}

/// The sizes of a launch.
fn shape(launch: &Launch, kernel: &Kernel, arguments_lds: u32) -> Result<Shape> {
    let extent = launch.grid.context("there is no grid")?;
    let dynamic_lds = launch.lds.unwrap_or(0).checked_add(arguments_lds);
    Ok(Shape {
        grid: extent.sizes,
        group: group(launch, kernel, extent.sizes),
        dimensions: extent
            .dimensions
            .max(launch.group.map_or(0, |group| group.dimensions)),
        offset: launch.offset.unwrap_or_default(),
        dynamic_lds: dynamic_lds.context("more LDS than there is")?,
        stack: launch.stack,
    })
}

/// A launch that is ready to run.
pub struct Ready<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch,
    shape: Shape,
    prepared: Prepared,
}

impl Ready<'_> {
    /// The notes about its preparation.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let notes = self.prepared.notes.iter();
        notes.map(|note| format!("{note}{}", remedy(note)))
    }

    /// The code that it runs.
    pub fn code(&self) -> &Code {
        &self.prepared.code
    }
}

/// A launch that has run.
pub struct Done {
    /// The kernel's name.
    pub kernel: String,
    /// Work-items.
    pub grid: [u32; 3],
    /// Work-items of a workgroup.
    pub group: [u32; 3],
    /// Of all repetitions.
    pub stats: Stats,
    /// Of each repetition.
    pub times: Vec<Duration>,
}

/// The launches that have run.
#[derive(Default)]
pub struct Ran<'a> {
    /// In order.
    pub launches: Vec<Done>,
    /// Output of the kernels' `printf`.
    pub printed: Vec<u8>,
    /// Notes about the runs.
    pub notes: Vec<String>,
    /// The kernel that was stopped, and its end.
    pub fault: Option<(&'a str, Finished)>,
}

/// Runs all launches in order, up to the first that is stopped.
///
/// # Errors
/// A launch cannot begin, or the trace cannot be written to `out`.
pub fn run_all<'a>(
    run: &Run,
    ready: &[Ready<'a>],
    device: &mut Device,
    loaded: &Loaded,
    out: &mut dyn Write,
) -> Result<Ran<'a>> {
    let mut ran = Ran::default();
    let count = ready.len();
    for (number, ready) in ready.iter().enumerate() {
        let host = ready.prepared.hostcall.clone();
        device.host_calls = host.map(|host| host as Arc<dyn HostCalls>);
        device.config.limit = ready.launch.limit;
        let mut done = Done {
            kernel: ready.kernel.name.clone(),
            grid: ready.shape.grid,
            group: ready.shape.group,
            stats: Stats::default(),
            times: Vec::new(),
        };
        let mut notes = None;
        for _ in 0..ready.launch.repeat.map_or(1, u32::from) {
            let begin = Instant::now();
            let end = if run.trace {
                traced(device, &ready.prepared, run.json, out)?
            } else {
                let watched = Arc::new(Progress::default());
                device.monitor = Some(watched.clone());
                progress::shown(&watched, || {
                    execute(device, &ready.prepared, &Observers::none())
                })?
            };
            done.times.push(begin.elapsed());
            done.stats = sum(done.stats, end.stats);
            notes = notes.or_else(|| outside(&end, loaded));
            if end.fault.is_some() {
                ran.fault = Some((&ready.kernel.name, end));
                break;
            }
        }
        ran.launches.push(done);
        ran.notes.extend(notes);
        ran.notes.extend(unowned(&ready.prepared.code, loaded));
        if let Some(printf) = &ready.prepared.printf {
            ran.printed.extend(printf.text(&device.memory));
        }
        if let Some(host) = &ready.prepared.hostcall {
            let (text, lost) = host.printed();
            ran.printed.extend(text);
            if lost > 0 {
                ran.notes.push(format!(
                    "the kernel has printed {lost} bytes more, which are lost"
                ));
            }
        }
        if ran.fault.is_some() {
            let left = (count - number - 1) as u64;
            if left > 0 {
                let left = plural(left, "launch", "es");
                ran.notes.push(format!("{left} after it did not run"));
            }
            break;
        }
    }
    Ok(ran)
}

fn sum(a: Stats, b: Stats) -> Stats {
    Stats {
        instructions: a.instructions + b.instructions,
        waves: a.waves + b.waves,
        groups: a.groups + b.groups,
        violations: a.violations + b.violations,
    }
}
