//! Result of comparing two runs: the point at which they diverge.

use gcn_emu::wave::WaveId;

use super::facts::{Edge, Register};
use super::graph::{GraphInput, ValueGraph};
use super::report::Origin;
use super::slice::{Outcome, Target};
use super::trace::NO_LANE;
use crate::program::Location;

/// Point at which two runs diverge.
#[derive(Clone, Debug)]
pub struct Parting {
    /// Kind of divergence.
    pub kind: PartingKind,
    /// Details of the two runs.
    pub sides: [PartingSide; 2],
    /// Pairs of instructions on the path from the queried location to the divergence, each with the kind of dependence
    /// that led to it.
    pub path: Vec<(Edge, [ValueStep; 2])>,
    /// Number of other points at which the runs diverge.
    pub others: usize,
    /// Run (0 or 1) that read a load's destination before the load took effect, if only one run did.
    pub unwaited: Option<usize>,
}

/// Kind of divergence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartingKind {
    /// Two instructions have equal operands but different results.
    Result,
    /// Two instructions produce different constants.
    Constants,
    /// Two instructions read different operands, but each operand's value occurs in both runs.
    Operands,
    /// Different instructions compute different results from values that occur in both runs.
    Region,
    /// The values have different origins.
    Origin,
}

/// One of the two runs at a divergence.
#[derive(Clone, Debug)]
pub struct PartingSide {
    /// Value of the queried location.
    pub end: u32,
    /// Instructions in execution order; the last one computes the result.
    pub steps: Vec<ValueStep>,
    /// Number of instructions of the region omitted from `steps`.
    pub hidden: usize,
    /// Last comparisons that controlled the last instruction; empty for [`PartingKind::Result`].
    pub conditions: Vec<ValueStep>,
    /// Origin of the value, with the value if known; `None` if an instruction computed it.
    pub origin: Option<(Origin, Option<u32>)>,
    /// Number of executed instructions on which the location depends, counted per lane.
    pub executions: usize,
    /// Number of traced workgroups.
    pub workgroups: usize,
    /// Reason why the slice is incomplete, if it is.
    pub cut: Option<&'static str>,
}

/// Executed instruction with the values it read.
#[derive(Clone, Debug)]
pub struct ValueStep {
    /// Index of the run, from 0.
    pub run: u32,
    /// Kernel name.
    pub kernel: Option<String>,
    /// Assembly text.
    pub text: String,
    /// Location in the code.
    pub location: Location,
    /// Symbolic branch target.
    pub target: Option<String>,
    /// Wave that executed the instruction.
    pub wave: WaveId,
    /// Lane; `None` if the result belongs to no lane.
    pub lane: Option<u8>,
    /// Position of the instruction in its wave's execution, from 1.
    pub executed: u64,
    /// Register written; `None` for memory and branches.
    pub register: Option<String>,
    /// Value written or stored, if known; for a mask, only the bits of relevant lanes.
    pub value: Option<u64>,
    /// True for an F32 value.
    pub is_f32: bool,
    /// Buffer element or argument accessed.
    pub place: Option<Origin>,
    /// Values read. For EXEC, and for a mask read by one lane, only the lane's bit.
    pub inputs: Vec<StepInput>,
}

/// Value that an instruction read.
#[derive(Clone, Debug)]
pub struct StepInput {
    /// Kind of dependence.
    pub edge: Edge,
    /// Register read; `None` for memory.
    pub register: Option<String>,
    /// Value, if known; for a mask, only the bits of lanes on which the instruction depends.
    pub value: Option<u64>,
    /// True for an F32 value.
    pub is_f32: bool,
    /// True if the other run has the same value from the same origins.
    pub agrees: bool,
    /// Origin of the value.
    pub from: ValueOrigin,
}

/// Instruction or origin that a value comes from.
#[derive(Clone, Debug)]
pub enum ValueOrigin {
    /// Executed instruction.
    Instruction {
        /// Assembly text.
        text: String,
        /// Location in the code.
        location: Location,
    },
    /// Origin outside the traced instructions.
    Origin(Origin),
}

/// True if the other run has the same value from the same origins.
pub(super) fn agrees(graphs: [&ValueGraph; 2], side: usize, input: &GraphInput) -> bool {
    let key = graphs[side].key(input);
    key.is_some_and(|key| graphs[1 - side].keys.contains(&key))
}

/// Describes an instruction of one of the graphs and the values it read.
pub(super) fn value_step(graphs: [&ValueGraph; 2], side: usize, number: u32) -> ValueStep {
    let graph = graphs[side];
    let node = &graph.nodes[number as usize];
    let instruction = graph.instruction(number);
    let inputs = graph.inputs(number);
    let inputs = inputs.chunk_by(|a, b| graph.is_same_mask(a, b));
    let inputs = inputs.filter_map(|inputs| match inputs {
        [] => None,
        [input] => Some(step_input(graphs, side, input)),
        [first, ..] => {
            let nodes = inputs.iter().filter_map(|it| it.target.node());
            let nodes: Vec<u32> = nodes.collect();
            let values = inputs.iter().map(|it| graph.value(it));
            Some(StepInput {
                register: nodes.first().and_then(|it| mask(graph, *it)),
                value: lanes(graph, values, &nodes),
                agrees: inputs.iter().all(|it| agrees(graphs, side, it)),
                ..step_input(graphs, side, first)
            })
        }
    });
    ValueStep {
        run: node.run,
        kernel: node.kernel.clone(),
        text: instruction.text.clone(),
        location: instruction.location.clone(),
        target: instruction.target.clone(),
        wave: node.wave,
        lane: (node.lane != NO_LANE).then_some(node.lane),
        executed: u64::from(node.at) + 1,
        register: register(graph, node.outcome, node.lane),
        value: node.value.map(u64::from),
        is_f32: node.is_f32,
        place: node.place.as_ref().map(|it| it.origin.clone()),
        inputs: inputs.collect(),
    }
}

/// Describes a value that an instruction read.
fn step_input(graphs: [&ValueGraph; 2], side: usize, input: &GraphInput) -> StepInput {
    let graph = graphs[side];
    StepInput {
        edge: input.edge,
        register: match input.target {
            Target::Node(node) => {
                let node = &graph.nodes[node as usize];
                register(graph, node.outcome, node.lane)
            }
            Target::Source(source) => match &graph.sources[source as usize].origin {
                Origin::Register { name, .. } | Origin::UndefinedRegister { name } => {
                    Some(name.clone())
                }
                _ => None,
            },
        },
        value: graph.value(input).map(u64::from),
        is_f32: input
            .target
            .node()
            .is_some_and(|it| graph.nodes[it as usize].is_f32),
        agrees: agrees(graphs, side, input),
        from: match input.target {
            Target::Node(node) => {
                let instruction = graph.instruction(node);
                ValueOrigin::Instruction {
                    text: instruction.text.clone(),
                    location: instruction.location.clone(),
                }
            }
            Target::Source(source) => {
                ValueOrigin::Origin(graph.sources[source as usize].origin.clone())
            }
        },
    }
}

/// Describes an instruction by one result, or by all relevant bits of a mask. Shows the operands of the first node.
pub(super) fn mask_step(graphs: [&ValueGraph; 2], side: usize, nodes: &[u32]) -> ValueStep {
    let graph = graphs[side];
    let first = nodes.first().copied().unwrap_or_default();
    let step = value_step(graphs, side, first);
    match nodes.len() {
        0 | 1 => step,
        _ => ValueStep {
            register: mask(graph, first),
            value: lanes(
                graph,
                nodes.iter().map(|it| graph.nodes[*it as usize].value),
                nodes,
            ),
            lane: None,
            ..step
        },
    }
}

/// Returns the name of the mask that contains a node's lane bit.
fn mask(graph: &ValueGraph, node: u32) -> Option<String> {
    let node = &graph.nodes[node as usize];
    let Outcome::Register(register) = node.outcome else {
        return None;
    };
    let first: Register = register.first(node.lane / 32);
    Some(first.name_to(first.next(), graph.isa))
}

/// Assembles a mask from the lane bits of `nodes`, or returns `None` if a bit is unknown.
fn lanes(
    graph: &ValueGraph,
    mut values: impl Iterator<Item = Option<u32>>,
    nodes: &[u32],
) -> Option<u64> {
    let mut nodes = nodes.iter();
    nodes.try_fold(0, |lanes, node| {
        let lane = graph.nodes[*node as usize].lane;
        Some(lanes | u64::from(values.next()??) << lane)
    })
}

/// Returns the name of a result register; a bit of a mask includes its lane, as in `vcc[3]`.
fn register(graph: &ValueGraph, outcome: Outcome, lane: u8) -> Option<String> {
    let Outcome::Register(register) = outcome else {
        return None;
    };
    if register.as_scalar().is_none() || lane == NO_LANE {
        return Some(register.name(graph.isa));
    }
    let first: Register = register.first(lane / 32);
    let name = first.name_to(first.next(), graph.isa);
    Some(format!("{name}[{lane}]"))
}
