//! Launches of a run: binds their arguments, prepares them and runs them in order.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use gcn_args::bind::{self, BindError, Binding, BoundArgument, BufferView, Buffers};
use gcn_args::error_names::DUPLICATE_ARGUMENT;
use gcn_report::{Checking, Profiling};
use gcn_report::{CodeMap, plural};
use gcn_runtime::error_names::OUT_OF_MEMORY;
use gcn_runtime::hsa::LaunchShape;
use gcn_runtime::observe::Observers;
use gcn_runtime::progress::Progress;
use gcn_runtime::{
    CommandResult, Completion, Device, Error, Kernel, Launch, PreparedLaunch, Queue, Stats,
};

use super::arguments;
use super::notes::{missing_arguments, out_of_range_accesses, remedy, unrequested_registers};
use super::option_values::NamedText;
use super::progress;
use super::request::{LaunchRequest, RunRequest};
use super::trace::RunTrace;
use crate::UsageError;
use crate::failure::Problems;
use crate::input::open;
use crate::problem::Problem;

/// Launches of a run, with their buffers in guest memory.
pub struct Dispatches {
    /// Buffers of all launches, shared ones first.
    pub buffers: Buffers,
    /// Total size of the buffers in bytes.
    bytes: u64,
    launches: Vec<Launch>,
}

/// Prefix of a message about one of several launches.
fn prefix(number: usize, count: usize) -> String {
    if count == 1 {
        String::new()
    } else {
        format!("launch {}: ", number + 1)
    }
}

/// Problem for an argument that cannot be bound.
fn bad_argument(error: &BindError) -> Problem {
    Problem::new(error.name(), error.to_string())
}

impl Dispatches {
    /// Binds the arguments of all launches, and copies their buffers, at most `budget` bytes, to guest memory.
    ///
    /// # Errors
    /// Fails if a launch has no grid, arguments are missing, unknown, duplicate or invalid, or the buffers exceed the
    /// budget.
    pub fn new(
        run: &RunRequest,
        kernels: &[Kernel],
        device: &Device,
        budget: u64,
    ) -> Result<Dispatches> {
        let count = run.launches.len();
        let launches = || run.launches.iter().zip(kernels).enumerate();
        for (number, (launch, _)) in launches() {
            if launch.grid.is_none() {
                let message = "the grid is missing: add --grid X[,Y[,Z]]";
                return Err(UsageError(format!("{}{message}", prefix(number, count))).into());
            }
        }
        let buffers: Vec<_> = run.buffers.iter().map(NamedText::bindable).collect();
        let Binding {
            arguments: shared,
            problems,
            ..
        } = bind::shared(&buffers, &open);
        let mut problems: Vec<Problem> = problems.iter().map(bad_argument).collect();
        let mut all: Vec<Vec<BoundArgument>> = Vec::new();
        let mut help = Vec::new();
        for (number, (launch, kernel)) in launches() {
            let binding = bound(kernel, launch, &shared);
            let mut own: Vec<Problem> = binding.problems.iter().map(bad_argument).collect();
            let has_buffer = |argument: &&BoundArgument| argument.buffer_bytes().is_some();
            for BoundArgument { name, .. } in binding.arguments.iter().filter(has_buffer) {
                let mut others = all.iter().flatten().filter(has_buffer);
                if others.any(|other| other.name == *name) {
                    let message = format!(
                        "argument {name}: an earlier launch has a buffer of this name; declare shared buffers under [buffers]"
                    );
                    own.push(Problem::new(DUPLICATE_ARGUMENT, message));
                }
            }
            all.push(binding.arguments);
            if !own.is_empty() {
                help.extend(arguments::help(kernel).filter(|help_of| !help.contains(help_of)));
            }
            problems.extend(
                own.into_iter()
                    .map(|problem| problem.with_prefix(&prefix(number, count))),
            );
        }
        Problems::check(problems, || (!help.is_empty()).then(|| help.join("\n")))?;
        let bytes = arguments::afford(shared.iter().chain(all.iter().flatten()), budget)?;
        let mut buffers = Buffers::default();
        bind::place(shared, 0, device.memory(), &mut buffers)?;
        let mut placed = Vec::new();
        for ((_, (launch, kernel)), arguments) in launches().zip(all) {
            let placement =
                bind::place(arguments, kernel.fixed_lds(), device.memory(), &mut buffers)?;
            let launch = launch_with_sizes(launch, kernel)?.dynamic_lds(placement.lds);
            placed.push(launch.placed(placement.placed));
        }
        Ok(Dispatches {
            buffers,
            bytes,
            launches: placed,
        })
    }

    /// Checks the launch sizes against the limits of the kernels and the device.
    ///
    /// # Errors
    /// Returns [`Problems`] with all sizes that do not fit.
    pub fn check(&self) -> Result<()> {
        let mut problems = Vec::new();
        for (number, launch) in self.launches.iter().enumerate() {
            for problem in launch.problems() {
                let message = format!("{}{problem}", prefix(number, self.launches.len()));
                problems.push(Problem::new(problem.name(), message));
            }
        }
        Problems::check(problems, || None)
    }

    /// Prepares the launches, with fewer host threads if their scratch exceeds the budget. Setting `stop` stops the
    /// launches.
    ///
    /// # Errors
    /// Fails if memory is insufficient, or an entry point is not code.
    pub fn prepare(
        self,
        device: &Device,
        budget: u64,
        stop: &Arc<AtomicBool>,
    ) -> Result<ReadyLaunches> {
        let left = budget.saturating_sub(self.bytes);
        let mut threads = device.threads();
        for launch in &self.launches {
            threads = affordable_threads(launch, threads, left)?;
        }
        let prepare = |launch: Launch| launch.threads(threads).stop_flag(stop).prepare();
        let launches: Result<Vec<_>, Error> = self.launches.into_iter().map(prepare).collect();
        Ok(ReadyLaunches {
            buffers: self.buffers,
            threads,
            launches: launches?,
            queue: device.queue(),
        })
    }
}

/// Maximum number of threads, up to `threads`, whose scratch fits into `budget` bytes.
///
/// # Errors
/// Fails if the scratch of a single thread does not fit.
fn affordable_threads(launch: &Launch, threads: usize, budget: u64) -> Result<usize> {
    let each = launch.scratch_bytes_per_thread()?;
    if each > budget {
        bail!(Problem::new(
            OUT_OF_MEMORY,
            format!(
                "the kernel's scratch needs {each} bytes, more than the {budget} bytes of memory that are left; raise --memory"
            )
        ));
    }
    let most = budget.checked_div(each).unwrap_or(u64::MAX);
    Ok(threads.min(usize::try_from(most).unwrap_or(usize::MAX)))
}

/// Binds the arguments of a launch, or its whole argument segment.
fn bound(kernel: &Kernel, launch: &LaunchRequest, shared: &[BoundArgument]) -> Binding {
    let given: Vec<_> = launch.args.iter().map(NamedText::bindable).collect();
    match &launch.kernarg {
        Some(segment) => bind::segment(
            kernel.description(),
            &segment.bindable(),
            &given,
            shared,
            &open,
        ),
        None => bind::arguments(kernel.description(), &given, shared, &open),
    }
}

/// Creates a launch with the requested sizes and limits.
fn launch_with_sizes(launch: &LaunchRequest, kernel: &Kernel) -> Result<Launch> {
    let extent = launch.grid.context("the grid is missing")?;
    let dimensions = launch.group.map_or(0, |group| group.dimensions);
    let mut sized = kernel
        .launch(extent.sizes)
        .dimensions(extent.dimensions.max(dimensions))
        .offset(launch.offset.unwrap_or_default())
        .dynamic_lds(launch.lds.unwrap_or(0));
    if let Some(group) = launch.group {
        sized = sized.group(group.sizes);
    }
    if let Some(stack) = launch.stack {
        sized = sized.stack(stack);
    }
    if let Some(limit) = launch.limit {
        sized = sized.instruction_limit(limit);
    }
    Ok(sized)
}

/// Prepared launches of a run.
pub struct ReadyLaunches {
    buffers: Buffers,
    /// Number of host threads.
    pub threads: usize,
    /// Prepared launches, in order.
    pub launches: Vec<PreparedLaunch>,
    queue: Queue,
}

/// Launch that has completed or faulted.
pub struct FinishedLaunch {
    /// Kernel name.
    pub kernel: String,
    /// Numbers of work-items and workgroups.
    pub shape: LaunchShape,
    /// Totals over all repetitions.
    pub stats: Stats,
    /// Time of each repetition.
    pub times: Vec<Duration>,
}

/// Results of the launches of a run.
#[derive(Default)]
pub struct FinishedRuns {
    /// Executed launches, in order.
    pub launches: Vec<FinishedLaunch>,
    /// Output of the kernels' `printf`.
    pub printed: Vec<u8>,
    /// Notes about the runs.
    pub notes: Vec<String>,
    /// Launch that faulted or was stopped, with its completion.
    pub fault: Option<(PreparedLaunch, Arc<Completion>)>,
}

/// One execution of a launch.
struct Repetition {
    observers: Observers,
    /// True if there are checkers, but none observes this launch.
    is_unseen: bool,
}

impl ReadyLaunches {
    /// Named buffers.
    pub fn buffers(&self) -> &[BufferView] {
        self.buffers.views()
    }

    /// Address ranges of buffers with undefined initial contents.
    pub fn undefined(&self) -> &[Range<u64>] {
        self.buffers.undefined()
    }

    /// Runs a launch once, to completion.
    ///
    /// # Errors
    /// Fails if the launch cannot start.
    pub fn execute(&self, number: usize, observers: &Observers) -> Result<Arc<Completion>> {
        let launch = self
            .launches
            .get(number)
            .context("there is no such launch")?;
        // Use a separate queue, since a queue starts no further launches after a fault.
        let queue = launch.kernel().module().device().queue();
        completion(launch.clone().observers(observers).run(&queue))
    }

    /// Notes from the preparation, with remedies.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let notes = self.launches.iter().flat_map(PreparedLaunch::notes);
        notes.map(|note| format!("{note}{}", remedy(note)))
    }

    /// Runs all launches in order, up to the first one that faults or is stopped. A trace for standard output is written
    /// to `out`.
    ///
    /// # Errors
    /// Fails if a launch cannot start, or the trace cannot be written.
    pub fn run(
        &self,
        run: &RunRequest,
        mut trace: Option<&mut RunTrace>,
        (checking, profiling): (Option<&Checking>, Option<&Profiling>),
        map: &CodeMap<'_>,
        out: &mut dyn Write,
    ) -> Result<FinishedRuns> {
        let mut ran = FinishedRuns::default();
        let mut written = run.launches.iter().zip(&self.launches);
        while let Some((launch, prepared)) = written.next() {
            let repeat = launch.repeat.map_or(1, u32::from);
            let trace = trace.as_deref_mut();
            let name = prepared.kernel().name();
            let repetition = |_| {
                let checkers = checking.map_or_else(Observers::none, |it| it.launch(name));
                let is_unseen = checking.is_some() && checkers.wants().is_empty();
                let observers = match profiling {
                    Some(profiling) => profiling.watch(prepared.kernel(), checkers),
                    None => checkers,
                };
                Repetition {
                    observers,
                    is_unseen,
                }
            };
            let repetitions: Vec<_> = (0..repeat).map(repetition).collect();
            self.repeat(prepared, &repetitions, trace, map, &mut ran, out)?;
            if ran.fault.is_some() {
                if let left @ 1.. = written.len() as u64 {
                    let left = plural(left, "launch", "es");
                    ran.notes.push(format!("{left} after it did not run"));
                }
                break;
            }
        }
        Ok(ran)
    }

    /// Runs all repetitions of a launch, and adds the results to `ran`.
    fn repeat(
        &self,
        prepared: &PreparedLaunch,
        repetitions: &[Repetition],
        mut trace: Option<&mut RunTrace>,
        map: &CodeMap<'_>,
        ran: &mut FinishedRuns,
        out: &mut dyn Write,
    ) -> Result<()> {
        let mut done = FinishedLaunch {
            kernel: prepared.kernel().name().to_owned(),
            shape: prepared.shape(),
            stats: Stats::default(),
            times: Vec::new(),
        };
        let (mut note, mut lost) = (None, 0);
        let shows_progress = progress::is_visible();
        for Repetition {
            observers,
            is_unseen,
        } in repetitions
        {
            let begin = Instant::now();
            let outcome = match &mut trace {
                Some(trace) => trace.run(prepared, &self.queue, observers, out)?,
                None => {
                    let watched = Arc::new(Progress::default());
                    let prepared = prepared.clone().progress(&watched).observers(observers);
                    let run = || prepared.run(&self.queue);
                    if shows_progress {
                        progress::with_progress(&watched, run)
                    } else {
                        run()
                    }
                }
            };
            done.times.push(begin.elapsed());
            let end = completion(outcome)?;
            if *is_unseen {
                // The checkers did not see the stores of this launch, so report all buffers as written.
                let memory = prepared.kernel().module().device().memory();
                for view in self.buffers.views() {
                    memory.wrote(view.address, view.bytes);
                }
            }
            done.stats = sum(done.stats, end.stats);
            ran.printed.extend_from_slice(&end.printed);
            lost += end.lost;
            note = note.or_else(|| out_of_range_accesses(&end, map));
            if end.fault.is_some() {
                ran.fault = Some((prepared.clone(), end));
                break;
            }
        }
        ran.launches.push(done);
        ran.notes.extend(note);
        ran.notes.extend(unrequested_registers(prepared, map));
        ran.notes.extend(missing_arguments(prepared, map));
        if lost > 0 {
            ran.notes.push(format!(
                "the kernel's output is truncated: {lost} bytes are lost"
            ));
        }
        Ok(())
    }
}

/// Extracts the completion of a launch, even if it faulted.
fn completion(outcome: CommandResult) -> Result<Arc<Completion>> {
    match outcome {
        Ok(completion) | Err(Error::Fault(completion)) => Ok(completion),
        Err(error) => Err(error.into()),
    }
}

fn sum(a: Stats, b: Stats) -> Stats {
    Stats {
        instructions: a.instructions + b.instructions,
        waves: a.waves + b.waves,
        groups: a.groups + b.groups,
        violations: a.violations + b.violations,
    }
}
