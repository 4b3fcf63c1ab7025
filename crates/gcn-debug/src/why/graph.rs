//! Value graphs: slices annotated with the values that their instructions read, for comparing two runs.
//!
//! A graph outlives the device on which its launches ran, so the two runs of a comparison can use the same addresses.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use gcn_emu::memory::Memory;
use gcn_emu::wave::WaveId;
use gcn_isa::{Does, Isa};

use super::facts::{Class, Edge, Register};
use super::report::{Origin, Terms, origin_of};
use super::slice::{Node, Outcome, Slice, Source, Target};
use super::trace::{GDS, Instance, LDS, NO_LANE, Trace, Unit};
use crate::program::Location;
use crate::why_request::{AccessChoice, AccessKey, AccessPlace};

/// Set of origins of a value: a Bloom filter with two bits per origin.
pub(super) type Origins = u128;

/// Identity of a value in both runs: its bits and its origins.
pub(super) type Key = (u32, Origins);

/// Returns the registers and lanes that each instruction of a slice reads.
pub(super) fn reads(slice: &Slice) -> HashMap<Instance, Vec<(Register, u8)>> {
    let mut reads: HashMap<Instance, Vec<(Register, u8)>> = HashMap::new();
    for (from, _, target) in &slice.edges {
        let at = slice.nodes[*from as usize].at;
        if let Some(read) = read_by(slice, *target) {
            reads.entry(at).or_default().push(read);
        }
    }
    for reads in reads.values_mut() {
        reads.sort_unstable();
        reads.dedup();
    }
    reads
}

/// Returns the register and lane at the target of an edge, or `None` for memory and branches.
fn read_by(slice: &Slice, target: Target) -> Option<(Register, u8)> {
    match target {
        Target::Node(node) => match slice.nodes[node as usize] {
            Node {
                outcome: Outcome::Register(register),
                lane,
                ..
            } => Some((register, lane)),
            _ => None,
        },
        Target::Source(source) => match slice.sources[source as usize] {
            Source::Register { register, lane, .. } => Some((register, lane)),
            _ => None,
        },
    }
}

/// Value graph of a queried location.
pub struct ValueGraph {
    pub(super) isa: Isa,
    pub(super) instructions: Vec<GraphInstruction>,
    pub(super) nodes: Vec<GraphNode>,
    pub(super) inputs: Vec<GraphInput>,
    pub(super) sources: Vec<GraphSource>,
    /// Definitions that reach the location; for memory, one for each byte.
    pub(super) roots: Vec<Target>,
    /// Value of the location at the queried point.
    pub(super) end: u32,
    /// Identities of all values in the graph.
    pub(super) keys: HashSet<Key>,
    /// IDs of the memory locations that the graph's instructions accessed.
    pub(super) places: HashSet<u64>,
    /// Number of nodes in active lanes.
    pub(super) executions: usize,
    /// Number of traced workgroups.
    pub(super) workgroups: usize,
    /// Key of the queried access, if the question is about an access.
    pub(super) access: Option<AccessKey>,
    /// Reason why the graph is incomplete, if it is.
    pub(super) cut: Option<&'static str>,
}

/// Static instruction, shared by its executions.
#[derive(Clone, Debug)]
pub(super) struct GraphInstruction {
    pub(super) text: String,
    pub(super) location: Location,
    /// Symbolic branch target.
    pub(super) target: Option<String>,
    pub(super) does: Does,
    pub(super) class: Class,
    pub(super) constants: Vec<u32>,
}

/// Result of an executed instruction.
#[derive(Clone, Debug)]
pub(super) struct GraphNode {
    pub(super) instruction: u32,
    pub(super) run: u32,
    pub(super) kernel: Option<String>,
    pub(super) wave: WaveId,
    /// Index of the instruction in its wave's execution, from 0.
    pub(super) at: u32,
    pub(super) lane: u8,
    pub(super) outcome: Outcome,
    pub(super) is_f32: bool,
    /// Value of the result, if known.
    pub(super) value: Option<u32>,
    pub(super) origins: Origins,
    inputs: (u32, u32),
    /// Named memory location that the instruction accessed.
    pub(super) place: Option<Place>,
}

/// Buffer element or argument, which has the same name in both runs.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) id: u64,
    pub(super) origin: Origin,
}

impl Place {
    /// True for a kernel argument.
    pub(super) fn is_argument(&self) -> bool {
        matches!(self.origin, Origin::Argument { .. })
    }
}

/// Value that an instruction read.
#[derive(Clone, Copy, Debug)]
pub(super) struct GraphInput {
    pub(super) edge: Edge,
    pub(super) target: Target,
    pub(super) value: Option<u32>,
}

/// Origin at which dependence chains end, with its value.
#[derive(Clone, Debug)]
pub(super) struct GraphSource {
    pub(super) origin: Origin,
    pub(super) origins: Origins,
    pub(super) value: Option<u32>,
}

impl ValueGraph {
    /// Builds the graph of a slice. Memory must be as it was before the launches.
    pub(super) fn new(trace: &Trace, slice: &Slice, end: u32, terms: Terms<'_>) -> ValueGraph {
        let mut instructions = Instructions::default();
        let mut kernels = HashMap::new();
        let mut nodes: Vec<GraphNode> = Vec::with_capacity(slice.nodes.len());
        for node in &slice.nodes {
            let wave = &trace.waves[node.at.wave as usize];
            let kernel = kernels.entry(wave.run).or_insert_with(|| {
                let run = trace.runs.get(&wave.run);
                run.and_then(|it| it.kernel.clone())
            });
            let facts = trace.facts(node.at);
            let write = match node.outcome {
                Outcome::Register(register) => facts.write(register),
                Outcome::Memory { .. } | Outcome::Branch => None,
            };
            nodes.push(GraphNode {
                instruction: instructions.number(trace, node.at, terms),
                run: wave.run,
                kernel: kernel.clone(),
                wave: wave.id,
                at: node.at.at,
                lane: node.lane,
                outcome: node.outcome,
                is_f32: write.is_some_and(|it| it.is_f32),
                value: None,
                origins: 0,
                inputs: (0, 0),
                place: place(trace, node, terms),
            });
        }
        let sources = slice.sources.iter();
        let sources = sources.map(|it| source(trace, it, terms)).collect();
        let mut edges = slice.edges.clone();
        edges.sort_by_key(|it| it.0);
        let mut inputs = Vec::with_capacity(edges.len());
        let masks = read_masks(slice, trace);
        for (from, edge, target) in edges {
            let node = &mut nodes[from as usize];
            if node.inputs.1 == 0 {
                node.inputs.0 = inputs.len() as u32;
            }
            let at = slice.nodes[from as usize].at;
            let read = read_by(slice, target).and_then(|(register, lane)| {
                let value = *trace.reads.get(&(at, register, lane))?;
                Some(wanted(slice, &masks, target, register, lane, value))
            });
            inputs.push(GraphInput {
                edge,
                target,
                value: read,
            });
            node.inputs.1 = inputs.len() as u32;
        }
        let is_active = |node: &&Node| {
            usize::from(node.lane) >= 64
                || !trace.facts(node.at).has_exec()
                || trace.record(node.at).exec >> node.lane & 1 != 0
        };
        let mut graph = ValueGraph {
            isa: terms.program.isa(),
            executions: slice.nodes.iter().filter(is_active).count(),
            instructions: instructions.all,
            nodes,
            inputs,
            sources,
            roots: slice.roots.clone(),
            end,
            keys: HashSet::new(),
            places: HashSet::new(),
            workgroups: trace.wanted.len(),
            access: None,
            cut: None,
        };
        graph.set_values();
        graph.set_origins();
        graph.set_keys();
        graph
    }

    /// Returns the key of the queried access, if the question is about an access.
    pub fn access(&self) -> Option<AccessKey> {
        self.access
    }

    /// Clears the roots' values, since a question about an access is about its address.
    pub(super) fn forget_end(&mut self) {
        for root in self.roots.iter().filter_map(|it| it.node()) {
            self.nodes[root as usize].value = None;
        }
    }

    /// Returns the counterpart of the other run's store if no instruction of this run wrote the location: the last
    /// store to a buffer by the same lane.
    pub fn other_store(&self, other: &ValueGraph) -> Option<AccessPlace> {
        let is_unwritten = self.roots.iter().all(|it| it.node().is_none());
        let store = other.roots.iter().rev().find_map(|it| it.node());
        let store = store.filter(|_| is_unwritten)?;
        let node = &other.nodes[store as usize];
        Some(AccessPlace {
            run: node.run,
            wave: node.wave,
            lane: (node.lane != NO_LANE).then_some(node.lane),
            access: AccessChoice::LastStore,
        })
    }

    /// Returns the values that a node read.
    pub(super) fn inputs(&self, node: u32) -> &[GraphInput] {
        let (begin, end) = self.nodes[node as usize].inputs;
        &self.inputs[begin as usize..end as usize]
    }

    pub(super) fn instruction(&self, node: u32) -> &GraphInstruction {
        &self.instructions[self.nodes[node as usize].instruction as usize]
    }

    /// Returns the identity of a value, or `None` if the value is unknown.
    pub(super) fn key(&self, input: &GraphInput) -> Option<Key> {
        let origins = match input.target {
            Target::Node(node) => self.nodes[node as usize].origins,
            Target::Source(source) => self.sources[source as usize].origins,
        };
        Some((self.value(input)?, origins))
    }

    /// Returns the value of an input, if known.
    pub(super) fn value(&self, input: &GraphInput) -> Option<u32> {
        input.value.or_else(|| match input.target {
            Target::Node(node) => self.nodes[node as usize].value,
            Target::Source(source) => self.sources[source as usize].value,
        })
    }

    /// True if both inputs are lane bits of the same mask, with the same kind of dependence.
    pub(super) fn is_same_mask(&self, a: &GraphInput, b: &GraphInput) -> bool {
        let mask = |input: &GraphInput| Some((input.edge, self.mask(input.target.node()?)?));
        mask(a).is_some() && mask(a) == mask(b)
    }

    /// Identifies the mask of a lane bit by the run, wave and position of its writer. Returns `None` for other nodes.
    pub(super) fn mask(&self, node: u32) -> Option<(u32, WaveId, u32)> {
        let node = &self.nodes[node as usize];
        let Outcome::Register(register) = node.outcome else {
            return None;
        };
        let is_lane = node.lane != NO_LANE && register.as_scalar().is_some();
        is_lane.then_some((node.run, node.wave, node.at))
    }

    /// Returns the only data input of a node if the node copies its value.
    pub(super) fn copies(&self, node: u32) -> Option<GraphInput> {
        let inputs = self.inputs(node);
        let mut data = inputs.iter().filter(|it| it.edge == Edge::Data);
        let (Some(only), None) = (data.next(), data.next()) else {
            return None;
        };
        let value = self.nodes[node as usize].value;
        let is_same = value.is_some() && value == self.value(only);
        (is_same && self.instruction(node).constants.is_empty()).then_some(*only)
    }

    /// Sets the values of results: for registers, as read by other instructions; for memory, as stored.
    fn set_values(&mut self) {
        for input in &self.inputs {
            if let (Target::Node(node), Some(value)) = (input.target, input.value) {
                self.nodes[node as usize].value = Some(value);
            }
        }
        for node in 0..self.nodes.len() as u32 {
            if !matches!(self.nodes[node as usize].outcome, Outcome::Memory { .. }) {
                continue;
            }
            let inputs = self.inputs(node);
            let mut data = inputs.iter().filter(|it| it.edge == Edge::Data);
            if let (Some(only), None) = (data.next(), data.next()) {
                self.nodes[node as usize].value = only.value;
            }
        }
        let is_only = |root: &&Target| self.roots.iter().all(|it| it == *root);
        let only = self.roots.first().filter(is_only);
        if let Some(root) = only.and_then(|it| it.node()) {
            self.nodes[root as usize].value = Some(self.end);
        }
    }

    /// Propagates origins along data edges to all nodes.
    fn set_origins(&mut self) {
        let mut is_done = vec![false; self.nodes.len()];
        let mut stack: Vec<(u32, bool)> = Vec::new();
        for root in 0..self.nodes.len() as u32 {
            stack.push((root, false));
            while let Some((node, is_entered)) = stack.pop() {
                if is_done[node as usize] {
                    continue;
                }
                let targets = self.inputs(node).iter();
                let targets = targets.filter(|it| it.edge == Edge::Data);
                let targets = targets.map(|it| it.target);
                if is_entered {
                    let origins = targets.map(|target| match target {
                        Target::Node(node) => self.nodes[node as usize].origins,
                        Target::Source(source) => self.sources[source as usize].origins,
                    });
                    let origins = origins.fold(0, |all, it| all | it);
                    self.nodes[node as usize].origins = origins;
                    is_done[node as usize] = true;
                } else {
                    stack.push((node, true));
                    let nodes = targets.filter_map(|it| it.node());
                    let left = nodes.filter(|it| !is_done[*it as usize]);
                    stack.extend(left.map(|it| (it, false)));
                }
            }
        }
    }

    fn set_keys(&mut self) {
        let values = self.inputs.iter().filter_map(|it| self.key(it));
        let constants = self.instructions.iter();
        let constants = constants.flat_map(|it| it.constants.iter().map(|it| (*it, 0)));
        self.keys = values.chain(constants).collect();
        let places = self.nodes.iter().filter_map(|it| it.place.as_ref());
        self.places = places.map(|it| it.id).collect();
    }
}

impl Target {
    /// Returns the index of a node, or `None` for a source.
    pub(super) fn node(self) -> Option<u32> {
        match self {
            Target::Node(node) => Some(node),
            Target::Source(_) => None,
        }
    }
}

/// Static instructions, numbered by their facts in the trace.
#[derive(Default)]
struct Instructions {
    all: Vec<GraphInstruction>,
    numbers: HashMap<u32, u32>,
}

impl Instructions {
    fn number(&mut self, trace: &Trace, at: Instance, terms: Terms<'_>) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(trace.record(at).facts).or_insert(next);
        if number == next {
            let facts = trace.facts(at);
            self.all.push(GraphInstruction {
                text: facts.text.clone(),
                location: terms.program.location(facts.pc),
                target: facts.target.and_then(|it| terms.program.symbolic(it)),
                does: facts.does,
                class: facts.class,
                constants: facts.constants.clone(),
            });
        }
        number
    }
}

/// Returns the bits of each node's result that instructions read. The slice may depend on fewer bits because of a
/// constant, such as a shift distance. If the other run has the constant in a register, its slice depends on more bits.
fn read_masks(slice: &Slice, trace: &Trace) -> Vec<u32> {
    let mut masks = vec![0; slice.nodes.len()];
    for (from, _, target) in &slice.edges {
        if let (Some(node), Some((register, _))) = (target.node(), read_by(slice, *target)) {
            let facts = trace.facts(slice.nodes[*from as usize].at);
            let reads = facts.reads.iter().filter(|it| it.register == register);
            masks[node as usize] |= reads.fold(0, |all, it| all | it.bits);
        }
    }
    masks
}

/// Returns the bits of a register to compare: if a lane reads a scalar register (a mask), the lane's bit; for an
/// initial value, all bits; for a vector register, the bits read; otherwise, the bits on which the slice depends.
fn wanted(
    slice: &Slice,
    masks: &[u32],
    target: Target,
    register: Register,
    lane: u8,
    value: u32,
) -> u32 {
    match (target, register.as_vector()) {
        (_, None) if lane != NO_LANE => value >> (lane % 32) & 1,
        (Target::Node(node), None) => value & slice.bits[node as usize],
        (Target::Node(node), Some(_)) => value & masks[node as usize],
        (Target::Source(_), _) => value,
    }
}

/// Returns the Bloom filter bits of an origin.
fn bits(id: u64) -> Origins {
    1 << (id % 128) | 1 << (id / 128 % 128)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hashes an origin to an ID that both runs share.
fn id_of(origin: &Origin) -> u64 {
    match origin {
        // The register number depends on the compiler.
        Origin::Register { meaning, .. } => hash(meaning),
        Origin::UndefinedRegister { .. } => hash(&"undefined"),
        _ => hash(origin),
    }
}

fn source(trace: &Trace, source: &Source, terms: Terms<'_>) -> GraphSource {
    let origin = origin_of(trace, source, terms);
    let value = match *source {
        Source::Memory { address, bytes, .. } => read(terms.memory, address, bytes),
        Source::Register { .. } | Source::Lds { .. } | Source::Gds { .. } | Source::Group(_) => {
            None
        }
    };
    let isa = terms.program.isa();
    let is_state = matches!(*source, Source::Register { register, .. } if register.is_state(isa));
    GraphSource {
        origins: if is_state { 0 } else { bits(id_of(&origin)) },
        origin,
        value,
    }
}

/// Reads up to four bytes.
fn read(memory: &Memory, address: u64, bytes: u8) -> Option<u32> {
    let mut value = [0; 4];
    let part = value.get_mut(..usize::from(bytes))?;
    memory
        .read(address, part)
        .then(|| u32::from_le_bytes(value))
}

/// Returns the buffer element or argument that a node accessed, if any.
fn place(trace: &Trace, node: &Node, terms: Terms<'_>) -> Option<Place> {
    let facts = trace.facts(node.at);
    if facts.class != Class::Memory {
        return None;
    }
    let units = trace.units(trace.record(node.at)).iter();
    let per_element = units.clone().map(|it| it.dword + 1).max().unwrap_or(1);
    let is_of_node = |unit: &&Unit| match node.outcome {
        Outcome::Memory { element, dword } => {
            unit.is_written && (unit.lane, unit.element, unit.dword) == (node.lane, element, dword)
        }
        Outcome::Register(register) => {
            let dword = facts.write(register).map_or(0, |it| it.dword);
            let number = unit.element * per_element + unit.dword;
            unit.is_read && unit.is_of(node.lane) && number == dword
        }
        Outcome::Branch => false,
    };
    let unit = units.clone().find(is_of_node)?;
    if unit.address & (LDS | GDS) != 0 {
        return None;
    }
    let source = Source::Memory {
        run: trace.waves[node.at.wave as usize].run,
        address: unit.address,
        bytes: unit.bytes.1,
    };
    match origin_of(trace, &source, terms) {
        origin @ (Origin::Buffer { .. } | Origin::Argument { .. }) => Some(Place {
            id: id_of(&origin),
            origin,
        }),
        _ => None,
    }
}
