//! Answers: slices folded so that all executions of an instruction in a run form one step.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use gcn_emu::memory::Memory;
use gcn_emu::run::InitialSgpr;
use gcn_emu::wave::WaveId;
use gcn_isa::Isa;

use super::facts::{Edge, Register};
use super::groups::Group;
use super::slice::{Node, Outcome, Slice, Source, Target};
use super::trace::{Instance, NO_LANE, Trace};
use crate::program::{Location, Program};
use crate::view::NamedBuffer;

/// Explanation of a value.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Writers of the queried location, or the origin of its value if no instruction wrote it.
    pub roots: Vec<AnswerTarget>,
    /// Instructions of the explanation.
    pub steps: Vec<AnswerStep>,
    /// Origins at which the dependence chains end.
    pub origins: Vec<Origin>,
    /// Number of executed instructions in the slice, counted per lane.
    pub executions: usize,
    /// Number of traced workgroups.
    pub workgroups: usize,
    /// Reason why the answer is incomplete, if it is.
    pub cut: Option<&'static str>,
}

/// Instruction of an answer, with its relevant executions.
#[derive(Clone, Debug)]
pub struct AnswerStep {
    /// Index of the run, from 0; each repetition of a launch is a run.
    pub run: u32,
    /// Kernel name.
    pub kernel: Option<String>,
    /// Assembly text.
    pub text: String,
    /// Location in the code.
    pub location: Location,
    /// Relevant destination registers; `None` for memory and branches.
    pub register: Option<String>,
    /// True for a branch.
    pub is_branch: bool,
    /// Address of the branch target.
    pub target: Option<u64>,
    /// Wave of the execution nearest to the queried location.
    pub wave: WaveId,
    /// Lane of the nearest execution; `None` if its result belongs to no lane.
    pub lane: Option<u8>,
    /// Position of the nearest execution among the wave's instructions, from 1.
    pub executed: u64,
    /// Number of relevant executions.
    pub count: usize,
    /// Lowest and highest position of an execution in its wave, from 1.
    pub range: (u64, u64),
    /// Number of waves with relevant executions.
    pub waves: usize,
    /// Number of lanes with relevant executions, over all waves.
    pub lanes: usize,
    /// Registers that the nearest execution read, with their values.
    pub read: Vec<(String, u32)>,
    /// Values of the written registers after the nearest execution.
    pub written: Vec<u32>,
    /// True for F32 values.
    pub is_f32: bool,
    /// Dependences on other steps and origins.
    pub edges: Vec<AnswerEdge>,
}

/// Dependence of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AnswerEdge {
    /// Kind of dependence.
    pub kind: Edge,
    /// Step or origin on which the instruction depends.
    pub target: AnswerTarget,
}

/// Target of a dependence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AnswerTarget {
    /// Instruction, by index in [`Answer::steps`].
    Step(usize),
    /// Origin, by index in [`Answer::origins`].
    Origin(usize),
}

/// Origin at which a dependence chain ends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// Buffer elements, as they were before the first launch.
    Buffer {
        /// Buffer name.
        name: String,
        /// Ranges of element indices, in ascending order.
        elements: Vec<Range<u64>>,
        /// False if the contents are undefined.
        is_defined: bool,
    },
    /// Bytes of the kernel arguments.
    Argument {
        /// Index of the run.
        run: u32,
        /// Byte ranges in the kernarg segment, in ascending order.
        bytes: Vec<Range<u64>>,
    },
    /// Register initialized by the launch.
    Register {
        /// Register name.
        name: String,
        /// Meaning of the initial value.
        meaning: &'static str,
    },
    /// Register that was never set.
    UndefinedRegister {
        /// Register name.
        name: String,
    },
    /// Bytes in other memory.
    Memory {
        /// Name of the symbol, allocation or address space.
        name: String,
        /// Byte ranges from the start of the object, in ascending order.
        bytes: Vec<Range<u64>>,
        /// False if the bytes were never written.
        is_defined: bool,
    },
    /// Workgroup that was not traced.
    Workgroup {
        /// Index of the run.
        run: u32,
        /// Workgroup ID.
        group: [u32; 3],
    },
}

/// Key of the slice nodes that form a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FoldKey {
    run: u32,
    pc: u64,
    outcome: FoldedOutcome,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FoldedOutcome {
    /// First register of the destination operand.
    Register(Register),
    Memory,
    Branch,
}

/// Mapping of slice nodes to steps.
pub(crate) struct Folds {
    keys: HashMap<FoldKey, usize>,
    /// For each step, its slice node nearest to the queried location.
    pub(crate) nearest: Vec<Node>,
    /// First and last register of each step.
    registers: Vec<Option<(Register, Register)>>,
    of_node: Vec<usize>,
}

impl Folds {
    pub(crate) fn new(trace: &Trace, slice: &Slice) -> Folds {
        let mut folds = Folds {
            keys: HashMap::new(),
            nearest: Vec::new(),
            registers: Vec::new(),
            of_node: Vec::new(),
        };
        for node in &slice.nodes {
            let key = FoldKey {
                run: trace.waves[node.at.wave as usize].run,
                pc: trace.facts(node.at).pc,
                outcome: match node.outcome {
                    Outcome::Register(register) => {
                        let write = trace.facts(node.at).write(register);
                        let dword = write.map_or(0, |it| it.dword);
                        FoldedOutcome::Register(register.first(dword))
                    }
                    Outcome::Memory { .. } => FoldedOutcome::Memory,
                    Outcome::Branch => FoldedOutcome::Branch,
                },
            };
            let next = folds.nearest.len();
            let place = *folds.keys.entry(key).or_insert(next);
            if place == next {
                folds.nearest.push(*node);
                folds.registers.push(None);
            }
            if let Outcome::Register(register) = node.outcome {
                let (first, last) = folds.registers[place].unwrap_or((register, register));
                folds.registers[place] = Some((first.min(register), last.max(register)));
            }
            folds.of_node.push(place);
        }
        folds
    }

    /// Returns the executions and lanes whose values the answer shows.
    pub(crate) fn shown(&self) -> HashMap<Instance, u8> {
        let lane = |node: &Node| if node.lane == NO_LANE { 0 } else { node.lane };
        self.nearest.iter().map(|it| (it.at, lane(it))).collect()
    }
}

/// Context for describing origins.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) program: &'a Program,
    pub(crate) memory: &'a Memory,
    pub(crate) buffers: &'a [NamedBuffer],
    /// Buffer ranges with undefined contents.
    pub(crate) undefined: &'a [Range<u64>],
    /// Allocations that the host has not written.
    pub(crate) unwritten: &'a [Range<u64>],
}

/// Builds an answer from a slice.
pub(crate) fn answer(trace: &Trace, slice: &Slice, folds: &Folds, terms: Terms<'_>) -> Answer {
    let mut steps: Vec<AnswerStep> = folds
        .nearest
        .iter()
        .zip(&folds.registers)
        .map(|(node, registers)| step(trace, node, *registers, terms))
        .collect();
    let mut counts = vec![(BTreeSet::new(), BTreeSet::new(), BTreeSet::new()); steps.len()];
    for (node, fold) in slice.nodes.iter().zip(&folds.of_node) {
        let (instances, waves, lanes) = &mut counts[*fold];
        instances.insert(node.at);
        waves.insert(node.at.wave);
        lanes.insert((node.at.wave, node.lane));
    }
    for (step, (instances, waves, lanes)) in steps.iter_mut().zip(&counts) {
        (step.count, step.waves, step.lanes) = (instances.len(), waves.len(), lanes.len());
        let numbers = || instances.iter().map(|it| u64::from(it.at) + 1);
        step.range = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
    }
    let mut origins = Origins::default();
    let mut edges: Vec<BTreeMap<(Edge, AnswerTarget), usize>> = vec![BTreeMap::new(); steps.len()];
    for (number, (from, kind, to)) in slice.edges.iter().enumerate() {
        let from = folds.of_node[*from as usize];
        let target = match *to {
            Target::Node(node) => AnswerTarget::Step(folds.of_node[node as usize]),
            Target::Source(source) => {
                let source = &slice.sources[source as usize];
                AnswerTarget::Origin(origins.add(trace, source, Some(from), terms))
            }
        };
        edges[from].entry((*kind, target)).or_insert(number);
    }
    for (step, edges) in steps.iter_mut().zip(edges) {
        let mut ordered: Vec<_> = edges.into_iter().collect();
        ordered.sort_by_key(|((kind, _), first)| (*kind, *first));
        step.edges = ordered
            .into_iter()
            .map(|((kind, target), _)| AnswerEdge { kind, target })
            .collect();
    }
    let mut roots = Vec::new();
    for root in &slice.roots {
        let target = match *root {
            Target::Node(node) => AnswerTarget::Step(folds.of_node[node as usize]),
            Target::Source(source) => {
                let source = &slice.sources[source as usize];
                AnswerTarget::Origin(origins.add(trace, source, None, terms))
            }
        };
        if !roots.contains(&target) {
            roots.push(target);
        }
    }
    Answer {
        roots,
        steps,
        origins: origins.finish(),
        executions: slice.nodes.len(),
        workgroups: trace.wanted.len(),
        cut: None,
    }
}

fn step(
    trace: &Trace,
    node: &Node,
    registers: Option<(Register, Register)>,
    terms: Terms<'_>,
) -> AnswerStep {
    let wave = &trace.waves[node.at.wave as usize];
    let facts = trace.facts(node.at);
    let isa = terms.program.isa();
    let named = |registers: Option<&Vec<(Register, u32)>>| {
        let mut named: Vec<(String, u32)> = Vec::new();
        for (register, value) in registers.into_iter().flatten() {
            let it = (register.name(isa), *value);
            if !named.contains(&it) {
                named.push(it);
            }
        }
        named
    };
    let is_shown =
        |it: Register| registers.is_some_and(|(first, last)| (first..=last).contains(&it));
    let values = trace.values.get(&(node.at, true)).into_iter().flatten();
    let mut written: Vec<(Register, u32)> =
        values.filter(|(it, _)| is_shown(*it)).copied().collect();
    written.sort_unstable();
    AnswerStep {
        run: wave.run,
        kernel: trace.runs.get(&wave.run).and_then(|it| it.kernel.clone()),
        text: facts.text.clone(),
        location: terms.program.location(facts.pc),
        register: registers.map(|(first, last)| first.name_to(last, isa)),
        is_branch: node.outcome == Outcome::Branch,
        target: facts.target,
        wave: wave.id,
        lane: (node.lane != NO_LANE).then_some(node.lane),
        executed: u64::from(node.at.at) + 1,
        count: 0,
        range: (0, 0),
        waves: 0,
        lanes: 0,
        read: named(trace.values.get(&(node.at, false))),
        is_f32: registers.is_some_and(|(it, _)| facts.write(it).is_some_and(|it| it.is_f32)),
        written: written.into_iter().map(|(_, value)| value).collect(),
        edges: Vec::new(),
    }
}

/// Creates an origin with empty ranges.
fn origin(trace: &Trace, source: &Source, key: OriginKey, terms: Terms<'_>) -> Origin {
    match key {
        OriginKey::Buffer(number, is_defined) => Origin::Buffer {
            name: terms.buffers[number].name.clone(),
            elements: Vec::new(),
            is_defined,
        },
        OriginKey::Argument(run) => Origin::Argument {
            run,
            bytes: Vec::new(),
        },
        OriginKey::Memory(name, is_defined) => Origin::Memory {
            name,
            bytes: Vec::new(),
            is_defined,
        },
        OriginKey::Register(register) => match *source {
            Source::Register { wave, register, .. } => {
                initial(trace, wave, register, terms.program.isa())
            }
            _ => Origin::UndefinedRegister {
                name: register.name(terms.program.isa()),
            },
        },
        OriginKey::Workgroup(Group { run, group }) => Origin::Workgroup { run, group },
    }
}

/// Returns the origin of a source, with its elements or bytes.
pub(crate) fn origin_of(trace: &Trace, source: &Source, terms: Terms<'_>) -> Origin {
    let (key, range) = place_of(trace, source, terms);
    let mut origin = origin(trace, source, key, terms);
    origin.set_ranges(vec![range]);
    origin
}

impl Origin {
    fn set_ranges(&mut self, ranges: Vec<Range<u64>>) {
        match self {
            Origin::Buffer { elements, .. } => *elements = ranges,
            Origin::Argument { bytes, .. } | Origin::Memory { bytes, .. } => *bytes = ranges,
            Origin::Register { .. }
            | Origin::UndefinedRegister { .. }
            | Origin::Workgroup { .. } => {}
        }
    }
}

/// Builder for the list of origins.
#[derive(Default)]
struct Origins {
    origins: Vec<Origin>,
    /// Indices by reading step and memory object. Bytes that a step reads from one object share an origin.
    places: HashMap<(Option<usize>, OriginKey), usize>,
    /// Element or byte ranges of each origin.
    ranges: Vec<BTreeSet<(u64, u64)>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum OriginKey {
    /// Buffer, by index in the buffer list; true if its contents are defined.
    Buffer(usize, bool),
    Argument(u32),
    Memory(String, bool),
    Register(Register),
    Workgroup(Group),
}

impl Origins {
    /// Adds a source, and returns the index of its origin.
    fn add(
        &mut self,
        trace: &Trace,
        source: &Source,
        from: Option<usize>,
        terms: Terms<'_>,
    ) -> usize {
        let (key, range) = place_of(trace, source, terms);
        let next = self.origins.len();
        let place = *self.places.entry((from, key.clone())).or_insert(next);
        if place == next {
            self.ranges.push(BTreeSet::new());
            self.origins.push(origin(trace, source, key, terms));
        }
        self.ranges[place].insert((range.start, range.end));
        place
    }

    /// Returns the origins with merged ranges.
    fn finish(mut self) -> Vec<Origin> {
        for (origin, ranges) in self.origins.iter_mut().zip(&self.ranges) {
            let mut merged: Vec<Range<u64>> = Vec::new();
            for &(start, end) in ranges {
                match merged.last_mut().filter(|last| start <= last.end) {
                    Some(last) => last.end = last.end.max(end),
                    None => merged.push(start..end),
                }
            }
            origin.set_ranges(merged);
        }
        self.origins
    }
}

/// Returns the key of a source's origin, and the range of elements or bytes in it.
fn place_of(trace: &Trace, source: &Source, terms: Terms<'_>) -> (OriginKey, Range<u64>) {
    let (run, address, bytes) = match *source {
        Source::Register { register, .. } => return (OriginKey::Register(register), 0..0),
        Source::Group(group) => return (OriginKey::Workgroup(group), 0..0),
        Source::Lds { address, bytes } => {
            let range = address..address + u64::from(bytes);
            return (OriginKey::Memory("LDS".to_owned(), false), range);
        }
        Source::Gds { address, bytes } => {
            let range = address..address + u64::from(bytes);
            return (OriginKey::Memory("GDS".to_owned(), true), range);
        }
        Source::Memory {
            run,
            address,
            bytes,
        } => (run, address, u64::from(bytes.max(1))),
    };
    let is_defined = |undefined: &[Range<u64>]| !undefined.iter().any(|it| it.contains(&address));
    let from = |base: u64| address - base..address - base + bytes;
    let has = |it: &NamedBuffer| address.wrapping_sub(it.address) < it.bytes;
    if let Some(place) = terms.buffers.iter().position(has) {
        let buffer = &terms.buffers[place];
        let size = buffer.ty.bytes();
        let range = from(buffer.address);
        let elements = range.start / size..range.end.div_ceil(size);
        return (
            OriginKey::Buffer(place, is_defined(terms.undefined)),
            elements,
        );
    }
    let kernarg = trace.runs.get(&run).and_then(|it| it.kernarg.clone());
    if let Some(kernarg) = kernarg.filter(|it| it.contains(&address)) {
        return (OriginKey::Argument(run), from(kernarg.start));
    }
    let mut symbols = terms.program.symbols().iter().filter(|it| it.is_data);
    if let Some(symbol) = symbols.find(|it| address.wrapping_sub(it.address) < it.size) {
        let key = OriginKey::Memory(symbol.name.clone(), true);
        return (key, from(symbol.address));
    }
    let allocation = terms.memory.nearest(address);
    match allocation.filter(|it| address.wrapping_sub(it.base) < it.len) {
        Some(it) => {
            let key = OriginKey::Memory(it.name.to_string(), is_defined(terms.unwritten));
            (key, from(it.base))
        }
        None => (OriginKey::Memory("memory".to_owned(), false), from(0)),
    }
}

/// Returns the origin of a register's initial value.
fn initial(trace: &Trace, wave: u32, register: Register, isa: Isa) -> Origin {
    let run = trace.waves[wave as usize].run;
    let name = register.name(isa);
    let undefined = Origin::UndefinedRegister { name: name.clone() };
    let Some(info) = trace.runs.get(&run) else {
        return undefined;
    };
    let meaning = match (register.as_vector(), register.as_scalar()) {
        (Some(number), _) if number < info.initial.work_item_ids => match number {
            0 => "work-item ID x",
            1 => "work-item ID y",
            _ => "work-item ID z",
        },
        (Some(_), _) => return undefined,
        (None, Some(number)) => match info.initial.sgprs.get(usize::from(number)) {
            Some(InitialSgpr::Value(_)) => "the launch's value",
            Some(InitialSgpr::GroupId(0)) => "workgroup ID x",
            Some(InitialSgpr::GroupId(1)) => "workgroup ID y",
            Some(InitialSgpr::GroupId(_)) => "workgroup ID z",
            Some(InitialSgpr::GroupInfo) => "workgroup information",
            Some(
                InitialSgpr::ScratchBase(_)
                | InitialSgpr::ScratchWaveOffset
                | InitialSgpr::FlatScratchLow
                | InitialSgpr::FlatScratchHigh,
            ) => "address of scratch",
            None if register == Register::EXEC || register == Register::EXEC.next() => {
                "lanes that have work-items"
            }
            None if register.is_state(isa) => "the launch's value",
            None => return undefined,
        },
        (None, None) if register == Register::SCC => return undefined,
        (None, None) => "the launch's value",
    };
    Origin::Register { name, meaning }
}
