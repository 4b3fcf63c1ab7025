//! Answers: the slice with the executions of an instruction folded into one node.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use gcn_emu::memory::Memory;
use gcn_emu::run::InitialSgpr;
use gcn_emu::wave::WaveId;

use super::facts::{Edge, Register};
use super::slice::{NO_LANE, Node, Outcome, Slice, Source, Target};
use super::trace::{Group, Instance, Trace};
use crate::program::{Location, Program};
use crate::view::NamedBuffer;

/// Answer to the question why a place has its value.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Writers of the place, or the origin of its value if nothing has written it.
    pub roots: Vec<AnswerTarget>,
    /// Instructions.
    pub steps: Vec<AnswerStep>,
    /// Ends of the chains.
    pub origins: Vec<Origin>,
    /// Executed instructions, lane by lane, that the answer is made of.
    pub executions: usize,
    /// Workgroups that were traced.
    pub workgroups: usize,
    /// Reason for which the answer is not complete.
    pub cut: Option<&'static str>,
}

/// An instruction of an answer, with all its executions that matter.
#[derive(Clone, Debug)]
pub struct AnswerStep {
    /// Number of the run, from 0: launches in order, each as often as it is repeated.
    pub run: u32,
    /// Kernel.
    pub kernel: Option<String>,
    /// Instruction.
    pub text: String,
    /// Position in the code.
    pub location: Location,
    /// Registers that it has written and that matter, `None` for memory and branches.
    pub register: Option<String>,
    /// True for a branch.
    pub is_branch: bool,
    /// Address at which a branch that is taken goes on.
    pub target: Option<u64>,
    /// The execution that is nearest to the place: wave, lane, and number of the instruction in the wave from 1.
    pub wave: WaveId,
    /// Lane of that execution.
    pub lane: Option<u8>,
    /// Instructions that the wave had executed before, and this one.
    pub executed: u64,
    /// Executions.
    pub count: usize,
    /// First and last number of an instruction in its wave.
    pub range: (u64, u64),
    /// Number of waves.
    pub waves: usize,
    /// Lanes, added up over waves.
    pub lanes: usize,
    /// Registers that the nearest execution has read, and their values.
    pub read: Vec<(String, u32)>,
    /// Values of the written registers after the nearest execution.
    pub written: Vec<u32>,
    /// True for a number of type F32.
    pub is_f32: bool,
    /// Dependences.
    pub edges: Vec<AnswerEdge>,
}

/// A dependence of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AnswerEdge {
    /// Kind.
    pub kind: Edge,
    /// Step or origin that it leads to.
    pub target: AnswerTarget,
}

/// Target of a dependence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AnswerTarget {
    /// An instruction, by its place in [`Answer::steps`].
    Step(usize),
    /// An end, by its place in [`Answer::origins`].
    Origin(usize),
}

/// End of a chain.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// Elements of a buffer as they are before the first launch.
    Buffer {
        /// Name.
        name: String,
        /// Ranges of elements, in ascending order.
        elements: Vec<Range<u64>>,
        /// False if they are undefined.
        is_defined: bool,
    },
    /// Bytes of the kernel's arguments.
    Argument {
        /// Number of the run.
        run: u32,
        /// Ranges of offsets, in ascending order.
        bytes: Vec<Range<u64>>,
    },
    /// A register as the launch sets it.
    Register {
        /// Register.
        name: String,
        /// Contents.
        meaning: &'static str,
    },
    /// A register that nothing has set.
    UndefinedRegister {
        /// Register.
        name: String,
    },
    /// Bytes of other memory.
    Memory {
        /// Name of the symbol, of the allocation or of the memory.
        name: String,
        /// Ranges of offsets from its first byte, in ascending order.
        bytes: Vec<Range<u64>>,
        /// False if nothing has written them.
        is_defined: bool,
    },
    /// A workgroup that was not traced.
    Workgroup {
        /// Number of the run.
        run: u32,
        /// Position.
        group: [u32; 3],
    },
}

/// A node of the answer before it has a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FoldKey {
    run: u32,
    pc: u64,
    outcome: FoldedOutcome,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FoldedOutcome {
    /// The first register of an operand.
    Register(Register),
    Memory,
    Branch,
}

/// Mapping from slice nodes to the answer nodes they are merged into.
pub(crate) struct Folds {
    keys: HashMap<FoldKey, usize>,
    /// Nearest slice node of each answer node.
    pub(crate) nearest: Vec<Node>,
    /// The first and the last register of each.
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

    /// Executions whose values an answer shows, and the lane of each.
    pub(crate) fn shown(&self) -> HashMap<Instance, u8> {
        let lane = |node: &Node| if node.lane == NO_LANE { 0 } else { node.lane };
        self.nearest.iter().map(|it| (it.at, lane(it))).collect()
    }
}

/// Terms that an answer names places with.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) program: &'a Program,
    pub(crate) memory: &'a Memory,
    pub(crate) buffers: &'a [NamedBuffer],
    /// Undefined contents of buffers.
    pub(crate) undefined: &'a [Range<u64>],
    /// Allocations that the host has not written.
    pub(crate) unwritten: &'a [Range<u64>],
}

/// Makes an answer of a slice.
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
    let named = |registers: Option<&Vec<(Register, u32)>>| {
        let mut named: Vec<(String, u32)> = Vec::new();
        for (register, value) in registers.into_iter().flatten() {
            let it = (register.name(), *value);
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
        register: registers.map(|(first, last)| first.name_to(last)),
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

/// Makes an origin, without ranges.
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
            Source::Register { wave, register, .. } => initial(trace, wave, register),
            _ => Origin::UndefinedRegister {
                name: register.name(),
            },
        },
        OriginKey::Workgroup(Group { run, group }) => Origin::Workgroup { run, group },
    }
}

/// The origin of one source, with its elements or bytes.
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

/// Ends that are being collected.
#[derive(Default)]
struct Origins {
    origins: Vec<Origin>,
    /// Places by the instruction that reads, whose bytes of one memory are one end.
    places: HashMap<(Option<usize>, OriginKey), usize>,
    /// Ranges of elements or bytes of each.
    ranges: Vec<BTreeSet<(u64, u64)>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum OriginKey {
    /// A buffer, by its place in the list.
    Buffer(usize, bool),
    Argument(u32),
    Memory(String, bool),
    Register(Register),
    Workgroup(Group),
}

impl Origins {
    /// Place of the end that a source belongs to.
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

    /// The ends, with their ranges.
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

/// The memory or register that a source belongs to, and its elements or bytes there.
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

/// Origin of a register's initial value.
fn initial(trace: &Trace, wave: u32, register: Register) -> Origin {
    let run = trace.waves[wave as usize].run;
    let name = register.name();
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
            None if number >= 102 => "the launch's value",
            None => return undefined,
        },
        (None, None) if register == Register::SCC => return undefined,
        (None, None) => "the launch's value",
    };
    Origin::Register { name, meaning }
}
