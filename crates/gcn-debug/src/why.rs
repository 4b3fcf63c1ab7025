//! `why`: the dynamic slice of a value.
//!
//! Launches are deterministic, so a slice is found in passes over the same execution:
//!
//! 1. All launches run once, with an observer of stores: it learns the last workgroup that has written each byte.
//! 2. The launches run again up to the last one that matters, and waves of the workgroups that have written the place are
//!    [traced](trace). If the slice leads to other workgroups, they are traced too in the next pass.
//! 3. A last pass notes the values that the answer shows.
//!
//! The comparison of two runs ([`ValueGraph`], [`part`]) has a last pass that notes the values that all instructions of the slice read.
//!
//! In the last launch that matters, only traced workgroups are executed, unless workgroups share memory there: the pass compares the bytes
//! that they have read with the writers of the first pass.

mod control;
mod facts;
mod shadow;
mod trace;
mod tracer;
mod slice;
mod report;

// The comparison of two runs.
mod graph;
mod parting;
mod part;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gcn_emu::fault::Fault;
use gcn_emu::memory::Memory;
use gcn_emu::observe::{Debugger, Observers, Paused, Turn};
use gcn_emu::step::Step;
use gcn_emu::wave::WaveId;

use crate::past::{MemoryImage, Moment};
use crate::program::Program;
use crate::view::NamedBuffer;
use crate::why_request::QuestionPlace;

pub use facts::Edge;
use facts::Register;
pub use graph::ValueGraph;
pub use part::part;
pub use parting::{Parting, PartingKind, PartingSide, StepInput, ValueOrigin, ValueStep};
pub use report::{Answer, AnswerEdge, AnswerStep, AnswerTarget, Origin};
use report::{Folds, Terms, answer};
use slice::Slice;
use trace::{Group, Instance, Trace, Writer};
use tracer::Tracer;

/// Launches that can be run again.
pub trait Launches {
    /// Reason for which a launch cannot begin.
    type Error;

    /// Number of runs: launches, each as often as it is repeated.
    fn runs(&self) -> u32;

    /// Runs number `run` with observers to its end. False if the next must not begin, as after a fault.
    ///
    /// # Errors
    /// It cannot begin.
    fn run(&self, run: u32, observers: &Observers) -> Result<bool, Self::Error>;
}

/// A question.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The code.
    pub program: &'a Program,
    /// Memory of the device, as it is before the first launch.
    pub memory: &'a Memory,
    /// Buffers with names.
    pub buffers: &'a [NamedBuffer],
    /// Addresses in buffers whose contents mean nothing before a launch writes them.
    pub undefined: &'a [Range<u64>],
    /// The place.
    pub place: QuestionPlace,
    /// Moment of the question; `None` for the end of all launches.
    pub until: Option<Until>,
    /// Maximum number of executions in the slice, lane by lane.
    pub executions: usize,
}

/// Moment at which a question is asked: a wave of a run is about to execute an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Until {
    /// Number of the run, from 0.
    pub run: u32,
    /// The wave whose turn it is, and the instructions that it has executed.
    pub moment: Moment,
}

/// Reason for which there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum WhyError<E> {
    /// A launch cannot begin.
    #[error("a launch cannot begin")]
    Launch(E),
    /// Memory is larger than what is kept.
    #[error("buffers are larger than what is kept to run launches again")]
    TooLarge,
    /// The workgroups concerned execute too many instructions.
    #[error("the workgroups concerned execute more instructions than are kept")]
    TooLong,
}

/// Maximum number of traced workgroups.
const MAX_GROUPS: usize = 1024;
/// Maximum number of passes.
const MAX_PASSES: usize = 16;

/// The slice of a question, and what is needed to run its launches again.
struct Sliced {
    image: MemoryImage,
    unwritten: Vec<Range<u64>>,
    trace: Trace,
    slice: Slice,
    /// Pass that has traced the slice; `None` if no launch has written the place.
    plan: Option<Plan>,
    cut: Option<&'static str>,
    /// Bytes of the place after all launches.
    end: Vec<u8>,
}

impl Sliced {
    /// Finds the slice.
    ///
    /// # Errors
    /// [`WhyError`].
    fn find<L: Launches>(
        launches: &L,
        question: Question<'_>,
    ) -> Result<Sliced, WhyError<L::Error>> {
        let allocations = question.memory.allocations();
        let unwritten = allocations.iter().filter(|it| !it.host_has_written);
        let unwritten = unwritten.map(|it| it.base..it.base + it.len).collect();
        let image = MemoryImage::take(question.memory).ok_or(WhyError::TooLarge)?;
        let first = pass(launches, question, &image, Plan::default())?;
        let end = question.end();
        let slice_of = |trace: &Trace| match question.place {
            QuestionPlace::Memory { address, bytes } => {
                Slice::of_memory(trace, address, bytes, question.executions)
            }
            QuestionPlace::Wave { wave, lane, target } => {
                let run = question.until.map_or(0, |it| it.run);
                Slice::of_wave(trace, (run, wave), lane, target, question.executions)
            }
        };
        let slice = slice_of(&first);
        let mut plan = Plan {
            wanted: slice.missing.clone(),
            ..Plan::default()
        };
        if let Some(until) = question.until {
            // Waves that are not executed would move the moment.
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
        if plan.wanted.is_empty() {
            return Ok(Sliced {
                image,
                unwritten,
                trace: first,
                slice,
                plan: None,
                cut: None,
                end,
            });
        }
        let mut cut = None;
        let mut passes = 0;
        let (mut trace, mut slice);
        loop {
            passes += 1;
            plan.choose(&first);
            trace = pass(launches, question, &image, plan.clone())?;
            if trace.is_full {
                return Err(WhyError::TooLong);
            }
            if plan.end.is_some() && communicates(&first, &trace) {
                plan.all = true;
                continue;
            }
            slice = slice_of(&trace);
            if slice.is_cut {
                cut = Some("it has more executions than the limit allows");
                break;
            }
            if slice.missing.is_empty() {
                break;
            }
            if passes == MAX_PASSES || plan.wanted.len() + slice.missing.len() > MAX_GROUPS {
                cut = Some("more workgroups have taken part than are traced");
                break;
            }
            plan.wanted.extend(&slice.missing);
        }
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

    /// Terms for the places of the slice.
    fn terms<'a>(&'a self, question: Question<'a>) -> Terms<'a> {
        Terms {
            program: question.program,
            memory: question.memory,
            buffers: question.buffers,
            undefined: question.undefined,
            unwritten: &self.unwritten,
        }
    }

    /// Gives memory the contents of the begin, and the place its value of the end.
    fn finish(&self, question: Question<'_>) {
        // Values of memory at the end are those of a whole run.
        self.image.restore(question.memory);
        if let QuestionPlace::Memory { address, .. } = question.place {
            question.memory.write(address, &self.end);
        }
    }
}

impl Question<'_> {
    /// Bytes of a place of memory.
    fn end(&self) -> Vec<u8> {
        let QuestionPlace::Memory { address, bytes } = self.place else {
            return Vec::new();
        };
        let mut end = vec![0; bytes as usize];
        self.memory.read(address, &mut end);
        end
    }
}

/// Answers why a place of memory has the value that it has after all launches. The place has that value when this returns; other memory
/// is as before the launches.
///
/// # Errors
/// [`WhyError`].
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
    /// The slice of a place of memory with its values. The place has its value of the end when this returns; other memory is as before
    /// the launches.
    ///
    /// # Errors
    /// [`WhyError`].
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
        sliced.image.restore(question.memory);
        let end = dword(&sliced.end);
        let terms = sliced.terms(question);
        let mut graph = ValueGraph::new(&sliced.trace, &sliced.slice, end, terms);
        graph.cut = sliced.cut;
        sliced.finish(question);
        Ok(graph)
    }
}

/// Value of up to four bytes.
fn dword(bytes: &[u8]) -> u32 {
    let bytes = bytes.iter().take(4).rev();
    bytes.fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// A pass over the launches.
#[derive(Clone, Default)]
struct Plan {
    /// Workgroups to trace; none for a pass that learns writers.
    wanted: HashSet<Group>,
    values_of: HashMap<Instance, u8>,
    reads_of: HashMap<Instance, Vec<(Register, u8)>>,
    /// All workgroups of the last launch are executed.
    all: bool,
    /// Address of a wave-ending instruction, to which waves of untraced workgroups in the last launch jump.
    end: Option<u64>,
}

impl Plan {
    /// The last run that is traced.
    fn last(&self) -> Option<u32> {
        self.wanted.iter().map(|it| it.run).max()
    }

    /// Decides if other workgroups of the last launch are executed.
    fn choose(&mut self, first: &Trace) {
        let shares = self.last().is_none_or(|it| first.shares.contains(&it));
        self.end = if shares || self.all { None } else { first.end };
    }
}

/// Runs the launches once.
fn pass<L: Launches>(
    launches: &L,
    question: Question<'_>,
    image: &MemoryImage,
    plan: Plan,
) -> Result<Trace, WhyError<L::Error>> {
    image.restore(question.memory);
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
                end: plan.end,
                until: until.map(|it| it.moment),
            }));
        }
        let goes_on = launches.run(run, &observers).map_err(WhyError::Launch)?;
        if !goes_on || last == Some(run) || until.is_some() {
            break;
        }
    }
    Ok(tracer.into_trace())
}

/// True if a traced workgroup of the last launch has read what another one writes there.
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
                let mut units = units.filter(|it| it.address & trace::LDS == 0);
                units.any(|unit| match first.last_writer(unit.address) {
                    Writer::Group(group) => group.run == own.run && group != own,
                    Writer::Nobody | Writer::Instance(_) => false,
                })
            })
    })
}

/// Debugger that ends a launch once the traced workgroups have ended, or at a moment, and may keep other workgroups from executing
/// anything.
struct Chooser {
    groups: HashSet<[u32; 3]>,
    ended: Arc<AtomicUsize>,
    end: Option<u64>,
    until: Option<Moment>,
}

impl Debugger for Chooser {
    fn turn(&self, paused: &mut Paused<'_>) -> Turn {
        if !self.groups.is_empty() && self.ended.load(Relaxed) >= self.groups.len() {
            return Turn::Quit;
        }
        let current = paused.current().map(|wave| (wave.id, wave.executed));
        let id = current.map(|it| it.0);
        let mut instructions = u64::MAX;
        if let (Some(until), Some((id, executed))) = (self.until, current)
            && id == until.wave
        {
            instructions = until.executed.saturating_sub(executed);
            if instructions == 0 {
                return Turn::Quit;
            }
        }
        if let (Some(end), Some(id)) = (self.end, id)
            && !self.groups.contains(&id.group)
            && let Some((wave, _)) = paused.wave_mut(id)
        {
            wave.pc = end;
        }
        Turn::Run {
            instructions,
            stops: None,
        }
    }

    fn stops(&self, _: u64, _: &Step) -> bool {
        false
    }

    fn faults(&self, _: &mut Paused<'_>, _: &Fault) {}
}
