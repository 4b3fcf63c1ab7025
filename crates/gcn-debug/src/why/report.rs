//! Answers: the slice with the executions of an instruction folded into one node.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use gcn_emu::memory::Memory;
use gcn_emu::run::InitialSgpr;
use gcn_emu::wave::WaveId;

use super::facts::{Edge, Register};
use super::slice::{NO_LANE, Node, Outcome, Slice, Source, Target};
use super::trace::{Instance, Trace};
use crate::program::{Location, Program};
use crate::view::NamedBuffer;

/// Answer to the question why a place has its value.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Instructions; the first ones have written the place.
    pub steps: Vec<AnswerStep>,
    /// Number of those that have written the place.
    pub roots: usize,
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
    /// Register that it has written, `None` for memory and branches.
    pub register: Option<String>,
    /// True for a branch.
    pub is_branch: bool,
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
    /// Waves, and lanes of all waves.
    pub waves: usize,
    /// Lanes, added up over waves.
    pub lanes: usize,
    /// Registers that the nearest execution has read, and their values.
    pub read: Vec<(String, u32)>,
    /// Values that it has written.
    pub written: Vec<(String, u32)>,
    /// Dependences.
    pub edges: Vec<AnswerEdge>,
}

/// A dependence of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AnswerEdge {
    /// Kind.
    pub kind: Edge,
    /// What it depends on.
    pub target: AnswerTarget,
}

/// What an instruction depends on.
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
    /// Elements of a buffer as the host has made them.
    Buffer {
        /// Name.
        name: String,
        /// Elements, in ascending order.
        elements: Vec<u64>,
    },
    /// Bytes of the kernel's arguments.
    Argument {
        /// Number of the run.
        run: u32,
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
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
    /// Memory that nothing has written: LDS, scratch, an allocation.
    UndefinedMemory {
        /// Memory.
        space: &'static str,
        /// Address of the first byte.
        address: u64,
    },
    /// Memory of the host or of the program that has no name.
    Memory {
        /// Symbol or allocation.
        name: String,
        /// Address of the first byte.
        address: u64,
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
    Register(Register),
    Memory,
    Branch,
}

/// Nodes of a slice by the nodes of the answer.
pub(crate) struct Folds {
    keys: HashMap<FoldKey, usize>,
    /// The nearest node of each.
    pub(crate) nearest: Vec<Node>,
    of_node: Vec<usize>,
}

impl Folds {
    pub(crate) fn new(trace: &Trace, slice: &Slice) -> Folds {
        let mut folds = Folds {
            keys: HashMap::new(),
            nearest: Vec::new(),
            of_node: Vec::new(),
        };
        for node in &slice.nodes {
            let key = FoldKey {
                run: trace.waves[node.at.wave as usize].run,
                pc: trace.facts(node.at).pc,
                outcome: match node.outcome {
                    Outcome::Register(register) => FoldedOutcome::Register(register),
                    Outcome::Memory { .. } => FoldedOutcome::Memory,
                    Outcome::Branch => FoldedOutcome::Branch,
                },
            };
            let next = folds.nearest.len();
            let place = *folds.keys.entry(key).or_insert(next);
            if place == next {
                folds.nearest.push(*node);
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
}

/// Makes an answer of a slice.
pub(crate) fn answer(trace: &Trace, slice: &Slice, folds: &Folds, terms: Terms<'_>) -> Answer {
    let mut steps: Vec<AnswerStep> = folds
        .nearest
        .iter()
        .map(|node| step(trace, node, terms))
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
    let (origins, of_source) = origins(trace, slice, terms);
    let mut edges: Vec<BTreeMap<(Edge, AnswerTarget), usize>> = vec![BTreeMap::new(); steps.len()];
    for (number, (from, kind, to)) in slice.edges.iter().enumerate() {
        let target = match *to {
            Target::Node(node) => AnswerTarget::Step(folds.of_node[node as usize]),
            Target::Source(source) => AnswerTarget::Origin(of_source[source as usize]),
        };
        let from = folds.of_node[*from as usize];
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
    Answer {
        steps,
        roots: 0,
        origins,
        executions: slice.nodes.len(),
        workgroups: trace.wanted.len(),
        cut: None,
    }
}

fn step(trace: &Trace, node: &Node, terms: Terms<'_>) -> AnswerStep {
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
    let written = match node.outcome {
        Outcome::Register(_) => named(trace.values.get(&(node.at, true))),
        Outcome::Memory { .. } | Outcome::Branch => Vec::new(),
    };
    AnswerStep {
        run: wave.run,
        kernel: trace.runs.get(&wave.run).and_then(|it| it.kernel.clone()),
        text: facts.text.clone(),
        location: terms.program.location(facts.pc),
        register: match node.outcome {
            Outcome::Register(register) => Some(register.name()),
            Outcome::Memory { .. } | Outcome::Branch => None,
        },
        is_branch: node.outcome == Outcome::Branch,
        wave: wave.id,
        lane: (node.lane != NO_LANE).then_some(node.lane),
        executed: u64::from(node.at.at) + 1,
        count: 0,
        range: (0, 0),
        waves: 0,
        lanes: 0,
        read: named(trace.values.get(&(node.at, false))),
        written,
        edges: Vec::new(),
    }
}

/// Ends with names, and the place of each source among them.
fn origins(trace: &Trace, slice: &Slice, terms: Terms<'_>) -> (Vec<Origin>, Vec<usize>) {
    let mut origins: Vec<Origin> = Vec::new();
    let mut buffers: HashMap<String, (usize, BTreeSet<u64>)> = HashMap::new();
    let mut known: HashMap<Origin, usize> = HashMap::new();
    let mut places = Vec::new();
    for source in &slice.sources {
        if let Source::Memory { address, bytes, .. } = *source
            && let Some((buffer, elements)) = element(terms.buffers, address, bytes)
        {
            let next = origins.len();
            let (place, all) = buffers
                .entry(buffer.to_owned())
                .or_insert_with(|| (next, BTreeSet::new()));
            all.extend(elements);
            places.push(*place);
            if *place == next {
                origins.push(Origin::Buffer {
                    name: buffer.to_owned(),
                    elements: Vec::new(),
                });
            }
            continue;
        }
        let origin = origin(trace, source, terms);
        let next = origins.len();
        let place = *known.entry(origin.clone()).or_insert(next);
        if place == next {
            origins.push(origin);
        }
        places.push(place);
    }
    for (place, all) in buffers.into_values() {
        if let Origin::Buffer { elements, .. } = &mut origins[place] {
            *elements = all.into_iter().collect();
        }
    }
    (origins, places)
}

/// Elements of a buffer that bytes belong to.
fn element(buffers: &[NamedBuffer], address: u64, bytes: u8) -> Option<(&str, Range<u64>)> {
    let has = |it: &&NamedBuffer| address.wrapping_sub(it.address) < it.bytes;
    let buffer = buffers.iter().find(has)?;
    let begin = address - buffer.address;
    let size = buffer.ty.bytes();
    let end = begin + u64::from(bytes.max(1));
    Some((&buffer.name, begin / size..end.div_ceil(size)))
}

fn origin(trace: &Trace, source: &Source, terms: Terms<'_>) -> Origin {
    match *source {
        Source::Register { wave, register, .. } => initial(trace, wave, register),
        Source::Lds { address } => Origin::UndefinedMemory {
            space: "LDS",
            address,
        },
        Source::Gds { address } => Origin::Memory {
            name: "GDS".to_owned(),
            address,
        },
        Source::Group(group) => Origin::Workgroup {
            run: group.run,
            group: group.group,
        },
        Source::Memory {
            run,
            address,
            bytes,
        } => {
            let kernarg = trace.runs.get(&run).and_then(|it| it.kernarg.clone());
            if let Some(kernarg) = kernarg.filter(|it| it.contains(&address)) {
                return Origin::Argument {
                    run,
                    offset: address - kernarg.start,
                    bytes: bytes.into(),
                };
            }
            let symbol = terms
                .program
                .symbols()
                .iter()
                .find(|it| it.is_data && address.wrapping_sub(it.address) < it.size.max(1));
            if let Some(symbol) = symbol {
                return Origin::Memory {
                    name: symbol.name.clone(),
                    address,
                };
            }
            let allocation = terms.memory.nearest(address);
            match allocation.filter(|it| address.wrapping_sub(it.base) < it.len) {
                Some(it) if it.host_has_written => Origin::Memory {
                    name: it.name.to_string(),
                    address,
                },
                _ => Origin::UndefinedMemory {
                    space: "memory",
                    address,
                },
            }
        }
    }
}

/// A register as the wave began.
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
