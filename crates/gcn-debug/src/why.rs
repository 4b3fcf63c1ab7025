//! `why`: dynamic slicing of a value.
//!
//! Launches are deterministic, so a slice can be built in several passes over the same execution:
//!
//! 1. The first pass records the last workgroup to write each byte.
//! 2. The next pass [traces](trace) the workgroups that wrote the queried location, and ends after the last launch with
//!    such a workgroup. If the slice leads to other workgroups, another pass traces these too.
//! 3. The last pass records the values to show in the answer.
//!
//! To compare two runs ([`ValueGraph`], [`part`]), the last pass records the values read by every instruction of the
//! slice.
//!
//! In the last launch of a pass, only traced workgroups execute, unless workgroups communicate. The first pass detects
//! bytes that several workgroups write. Tracing passes detect workgroups that read another's bytes or wait for it.

mod control;
mod facts;
mod shadow;
mod calls;
mod groups;
mod trace;
mod tracer;
mod slice;
mod access;
mod report;

// Comparison of two runs.
mod graph;
mod parting;
mod part;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use gcn_emu::fault::Fault;
use gcn_emu::memory::{Allocation, Memory};
use gcn_emu::observe::{Debugger, Observers, Paused, Turn};
use gcn_emu::step::Step;
use gcn_emu::wave::WaveId;

use crate::past::{MemoryImage, Moment};
use crate::program::Program;
use crate::store_log::StoreLog;
use crate::view::NamedBuffer;
use crate::why_request::QuestionPlace;

pub use facts::Edge;
use facts::Register;
pub use graph::ValueGraph;
use groups::Group;
pub use part::{part, part_addresses};
pub use parting::{Parting, PartingKind, PartingSide, StepInput, ValueOrigin, ValueStep};
pub use report::{Answer, AnswerEdge, AnswerStep, AnswerTarget, Origin};
use report::{Folds, Terms, answer};
use slice::Slice;
use trace::{Instance, Trace, Writer};
use tracer::Tracer;

/// Sequence of launches that can be rerun.
pub trait Launches {
    /// Reason why a launch cannot start.
    type Error;

    /// Returns the number of runs, counting each repetition of a launch.
    fn runs(&self) -> u32;

    /// Restores device state outside memory, such as GDS, to its state before the first run.
    fn restart(&self);

    /// Executes run `run` with the given observers. Returns false if the next run must not start, for example after a
    /// fault.
    ///
    /// # Errors
    /// Fails if the run cannot start.
    fn run(&self, run: u32, observers: &Observers) -> Result<bool, Self::Error>;
}

/// Query about the value of a location.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Executed code.
    pub program: &'a Program,
    /// Device memory. Without a log, it must be in its state before the first launch.
    pub memory: &'a Memory,
    /// Named buffers.
    pub buffers: &'a [NamedBuffer],
    /// Address ranges in buffers whose contents are undefined until a launch writes them.
    pub undefined: &'a [Range<u64>],
    /// Queried location.
    pub place: QuestionPlace,
    /// Point at which the value is queried, or `None` for the end of the last launch.
    pub until: Option<Until>,
    /// Maximum number of executed instructions in the slice, counted per lane.
    pub executions: usize,
    /// Log of the launches' stores, for a program whose host code may write memory while they run. All memory of the
    /// program counts as defined.
    pub log: Option<&'a StoreLog>,
}

/// Point at which a value is queried, just before a wave executes an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Until {
    /// Index of the run, from 0.
    pub run: u32,
    /// Current wave and the number of instructions it has executed.
    pub moment: Moment,
}

/// Reason why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum WhyError<E> {
    /// A launch cannot start.
    #[error("a launch cannot begin")]
    Launch(E),
    /// Memory is too large to save.
    #[error("buffers are larger than the memory that is kept to run launches again")]
    TooLarge,
    /// The traced workgroups execute too many instructions.
    #[error("the workgroups concerned execute more instructions than are kept")]
    TooLong,
}

/// Maximum number of traced workgroups.
const MAX_GROUPS: usize = 1024;
/// Maximum number of tracing passes.
const MAX_PASSES: usize = 16;
/// Number of instructions that a wave may execute in addition to twice the maximum of the first pass while workgroups
/// are skipped. Waves that wait for others of their workgroup may execute more than in the first pass, because the
/// order of turns changes.
const MORE_INSTRUCTIONS: u64 = 1 << 16;
/// Reason reported for a slice that reaches [`MAX_GROUPS`] or [`MAX_PASSES`].
const TOO_MANY_GROUPS: &str = "more workgroups have taken part than are traced";

/// Slice for a question, with the state needed to rerun the launches.
struct Sliced {
    /// Memory before the first launch; empty if the question has a log.
    image: MemoryImage,
    unwritten: Vec<Range<u64>>,
    trace: Trace,
    slice: Slice,
    /// Plan of the pass that traced the slice; `None` if no workgroup was traced, because none wrote the queried
    /// location or too many did.
    plan: Option<Plan>,
    cut: Option<&'static str>,
    /// Bytes of the location at the queried point; empty for locations outside global memory.
    end: Vec<u8>,
}

impl Sliced {
    /// Runs the passes that find the slice.
    fn find<L: Launches>(
        launches: &L,
        question: Question<'_>,
    ) -> Result<Sliced, WhyError<L::Error>> {
        let allocations = question.memory.allocations();
        let is_unwritten = |it: &&Allocation| question.log.is_none() && !it.host_has_written;
        let unwritten = allocations.iter().filter(is_unwritten);
        let unwritten = unwritten.map(|it| it.base..it.base + it.len).collect();
        let image = match question.log {
            Some(_) => MemoryImage::default(),
            None => MemoryImage::take(question.memory).ok_or(WhyError::TooLarge)?,
        };
        let first = pass(launches, question, &image, Plan::default())?;
        let end = question.end();
        let slice_of = |trace: &Trace| match question.place {
            QuestionPlace::Memory { address, bytes } => {
                let range = address..address.saturating_add(bytes);
                Slice::of_memory(trace, range, question.executions)
            }
            QuestionPlace::Wave { wave, lane, target } => {
                let run = question.until.map_or(0, |it| it.run);
                Slice::of_wave(trace, (run, wave), lane, target, question.executions)
            }
            QuestionPlace::Access(place) => {
                let at = access::find(trace, &place, question.program, question.buffers);
                let lane = (place.group(), place.lane);
                Slice::of_access(trace, at, lane, question.executions)
            }
        };
        let slice = slice_of(&first);
        let mut plan = Plan {
            wanted: slice.missing.clone(),
            ..Plan::default()
        };
        if let Some(until) = question.until {
            // Skipping waves would change the schedule, so the run would stop at a different point.
            plan.all = true;
            let run = until.run;
            let mut add = |wave: WaveId| {
                let group = wave.group;
                plan.wanted.insert(Group { run, group });
            };
            add(until.moment.wave);
            if let QuestionPlace::Wave { wave, .. } = question.place {
                add(wave);
            }
        }
        let is_too_many = plan.wanted.len() > MAX_GROUPS;
        if plan.wanted.is_empty() || is_too_many {
            return Ok(Sliced {
                image,
                unwritten,
                trace: first,
                slice,
                plan: None,
                cut: is_too_many.then_some(TOO_MANY_GROUPS),
                end,
            });
        }
        let mut passes = 0;
        let (trace, slice, cut) = loop {
            passes += 1;
            plan.choose(&first);
            let trace = pass(launches, question, &image, plan.clone())?;
            if plan.skip.is_some() && misses_skipped(&first, &trace) {
                plan.all = true;
                continue;
            }
            if trace.is_full {
                question.restore(&image);
                return Err(WhyError::TooLong);
            }
            let slice = slice_of(&trace);
            let cut = if slice.is_cut {
                Some("it has more executions than the limit allows")
            } else if slice.missing.is_empty() {
                None
            } else if passes == MAX_PASSES || plan.wanted.len() + slice.missing.len() > MAX_GROUPS {
                Some(TOO_MANY_GROUPS)
            } else {
                plan.wanted.extend(&slice.missing);
                continue;
            };
            break (trace, slice, cut);
        };
        Ok(Sliced {
            image,
            unwritten,
            trace,
            slice,
            plan: Some(plan),
            cut,
            end,
        })
    }

    /// Returns the context for describing the slice's origins.
    fn terms<'a>(&'a self, question: Question<'a>) -> Terms<'a> {
        Terms {
            program: question.program,
            memory: question.memory,
            buffers: question.buffers,
            undefined: question.undefined,
            unwritten: &self.unwritten,
        }
    }

    /// Restores the initial contents of memory, except the queried location, which gets its value at the queried point.
    fn finish(&self, question: Question<'_>) {
        // Later passes may skip workgroups, so `end` comes from the first pass.
        question.restore(&self.image);
        if let QuestionPlace::Memory { address, bytes } = question.place {
            if let Some(log) = question.log {
                log.save(question.memory, address, bytes);
            }
            question.memory.write(address, &self.end);
        }
    }
}

impl Question<'_> {
    /// Restores memory to its state before the first launch.
    fn restore(&self, image: &MemoryImage) {
        match self.log {
            Some(log) => log.undo_all(self.memory),
            None => image.restore(self.memory),
        }
    }

    /// Reads the bytes of the queried location if it is in global memory.
    fn end(&self) -> Vec<u8> {
        let QuestionPlace::Memory { address, bytes } = self.place else {
            return Vec::new();
        };
        let mut end = vec![0; bytes as usize];
        self.memory.read(address, &mut end);
        end
    }
}

/// Explains the value of a location. On success, a queried location in global memory contains its value at the queried
/// point; other memory is as it was before the launches.
///
/// # Errors
/// Fails if a launch cannot start, or if memory or the trace is too large; all of memory is then restored.
pub fn why<L: Launches>(
    launches: &L,
    question: Question<'_>,
) -> Result<Answer, WhyError<L::Error>> {
    let mut sliced = Sliced::find(launches, question)?;
    let folds = Folds::new(&sliced.trace, &sliced.slice);
    if let Some(mut plan) = sliced.plan.clone() {
        plan.values_of = folds.shown();
        let values = pass(launches, question, &sliced.image, plan)?;
        sliced.trace.values = values.values;
    }
    sliced.finish(question);
    let terms = sliced.terms(question);
    let mut answer = answer(&sliced.trace, &sliced.slice, &folds, terms);
    answer.cut = sliced.cut;
    Ok(answer)
}

impl ValueGraph {
    /// Builds the value graph of a location. On success, a queried location in global memory contains its value at the
    /// queried point; other memory is as it was before the launches.
    ///
    /// # Errors
    /// Fails if a launch cannot start, or if memory or the trace is too large; all of memory is then restored.
    pub fn of<L: Launches>(
        launches: &L,
        question: Question<'_>,
    ) -> Result<ValueGraph, WhyError<L::Error>> {
        let mut sliced = Sliced::find(launches, question)?;
        if let Some(mut plan) = sliced.plan.clone() {
            plan.reads_of = graph::reads(&sliced.slice);
            let values = pass(launches, question, &sliced.image, plan)?;
            sliced.trace.reads = values.reads;
        }
        question.restore(&sliced.image);
        let end = dword(&sliced.end);
        let terms = sliced.terms(question);
        let mut graph = ValueGraph::new(&sliced.trace, &sliced.slice, end, terms);
        graph.cut = sliced.cut;
        if let (QuestionPlace::Access(place), Some(root)) =
            (question.place, sliced.slice.roots.first())
        {
            let at = root.node().map(|it| sliced.slice.nodes[it as usize].at);
            let key = |at| access::key(&sliced.trace, at, &place, question.program);
            graph.access = at.map(key);
            graph.forget_end();
        }
        sliced.finish(question);
        Ok(graph)
    }
}

/// Assembles up to four little-endian bytes into a dword.
fn dword(bytes: &[u8]) -> u32 {
    let bytes = bytes.iter().take(4).rev();
    bytes.fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Configuration of a pass over the launches.
#[derive(Clone, Default)]
struct Plan {
    /// Workgroups to trace; empty for the first pass.
    wanted: HashSet<Group>,
    values_of: HashMap<Instance, u8>,
    reads_of: HashMap<Instance, Vec<(Register, u8)>>,
    /// True if all workgroups of the last launch must execute.
    all: bool,
    /// Skipping of untraced workgroups in the last launch; `None` if they execute.
    skip: Option<Skip>,
}

/// Parameters for skipping untraced workgroups.
#[derive(Clone, Copy)]
struct Skip {
    /// Address of an `s_endpgm` to which their waves jump.
    endpgm: u64,
    /// Number of instructions after which a traced wave is assumed to wait for a skipped workgroup.
    most: u64,
}

impl Plan {
    /// Returns the index of the last run with traced workgroups.
    fn last(&self) -> Option<u32> {
        self.wanted.iter().map(|it| it.run).max()
    }

    /// Skips untraced workgroups of the last launch, unless workgroups share memory in it or all of them must execute.
    /// If a fault elsewhere stopped a traced workgroup, all must execute so that it stops at the same point.
    fn choose(&mut self, first: &Trace) {
        let ends = &first.ends;
        let all = self.all || self.wanted.iter().any(|it| ends.is_stopped(*it));
        let last = self.last();
        let last = last.filter(|it| !all && !first.shares.contains(it));
        self.skip = last.zip(ends.endpgm).map(|(run, endpgm)| Skip {
            endpgm,
            most: 2 * ends.longest(run) + MORE_INSTRUCTIONS,
        });
    }
}

/// Runs the launches in order, up to the last one needed. Restores memory if a launch cannot start.
fn pass<L: Launches>(
    launches: &L,
    question: Question<'_>,
    image: &MemoryImage,
    plan: Plan,
) -> Result<Trace, WhyError<L::Error>> {
    question.restore(image);
    launches.restart();
    let last = plan.last();
    let mut trace = Trace::default();
    trace.wanted.clone_from(&plan.wanted);
    trace.values_of = plan.values_of;
    trace.reads_of = plan.reads_of;
    let tracer = Tracer::new(trace);
    for run in 0..launches.runs() {
        tracer.with(|trace| trace.run = run);
        tracer.ended.store(0, Relaxed);
        let mut observers = Observers::none().with(Arc::new(tracer.clone()));
        if let Some(log) = question.log {
            observers = observers.with(Arc::new(log.clone()));
        }
        let until = question.until.filter(|it| it.run == run);
        if last == Some(run) || until.is_some() {
            let groups: HashSet<[u32; 3]> = plan
                .wanted
                .iter()
                .filter(|it| it.run == run)
                .map(|it| it.group)
                .collect();
            observers = observers.controlled_by(Arc::new(Chooser {
                groups,
                ended: tracer.ended.clone(),
                is_full: tracer.is_full.clone(),
                skip: plan.skip,
                until: until.map(|it| it.moment),
            }));
        }
        let goes_on = launches.run(run, &observers).map_err(|error| {
            question.restore(image);
            WhyError::Launch(error)
        })?;
        let is_full = tracer.is_full.load(Relaxed);
        if !goes_on || is_full || last == Some(run) || until.is_some() {
            break;
        }
    }
    Ok(tracer.into_trace())
}

/// True if traced workgroups of the last launch seem to depend on skipped workgroups: they read bytes that skipped ones
/// write, or do not end as in the first pass. The second condition does not apply to a full trace, which ends early.
fn misses_skipped(first: &Trace, trace: &Trace) -> bool {
    let last = trace.wanted.iter().map(|it| it.run).max();
    let mut groups = trace.wanted.iter().filter(|it| Some(it.run) == last);
    communicates(first, trace)
        || !trace.is_full && !groups.all(|it| trace.ends.is_ended(*it, &first.ends))
}

/// True if a traced workgroup of the last launch read bytes that another workgroup may write in that launch. The first
/// pass covers all launches, so a writer in a later launch may hide one in this launch.
fn communicates(first: &Trace, trace: &Trace) -> bool {
    let last = trace.wanted.iter().map(|it| it.run).max();
    trace.waves.iter().any(|wave| {
        let own = Group {
            run: wave.run,
            group: wave.id.group,
        };
        Some(wave.run) == last
            && wave.records.iter().any(|record| {
                let units = trace.units(record).iter().filter(|it| it.is_read);
                let units = units.filter(|it| it.address & trace::LDS == 0);
                let mut bytes = units.flat_map(|it| it.address..it.address + u64::from(it.bytes.1));
                bytes.any(|byte| match first.last_writer(byte) {
                    Writer::Group(group) => group.run >= own.run && group != own,
                    Writer::Nobody | Writer::Instance(_) => false,
                })
            })
    })
}

/// Debugger that ends a launch at a given point, once the traced workgroups have ended, or when the trace is full. With
/// `skip`, waves of other workgroups end at once.
struct Chooser {
    groups: HashSet<[u32; 3]>,
    ended: Arc<AtomicUsize>,
    is_full: Arc<AtomicBool>,
    skip: Option<Skip>,
    until: Option<Moment>,
}

impl Debugger for Chooser {
    fn turn(&self, paused: &mut Paused<'_>) -> Turn {
        let have_ended = !self.groups.is_empty() && self.ended.load(Relaxed) >= self.groups.len();
        if have_ended || self.is_full.load(Relaxed) {
            return Turn::Quit;
        }
        let current = paused.current().map(|wave| (wave.id, wave.executed));
        let mut instructions = u64::MAX;
        if let (Some(until), Some((id, executed))) = (self.until, current)
            && id == until.wave
        {
            instructions = until.executed.saturating_sub(executed);
            if instructions == 0 {
                return Turn::Quit;
            }
        }
        if let (Some(skip), Some((id, executed))) = (self.skip, current) {
            if self.groups.contains(&id.group) {
                if executed >= skip.most {
                    return Turn::Quit;
                }
            } else if let Some((wave, _)) = paused.wave_mut(id) {
                wave.pc = skip.endpgm;
            }
        }
        Turn::Run {
            instructions,
            is_general: false,
            stops: None,
        }
    }

    fn stops(&self, _: u64, _: &Step) -> bool {
        false
    }

    fn faults(&self, _: &mut Paused<'_>, _: &Fault) {}

    fn is_exact(&self) -> bool {
        false
    }
}
