//! Result of comparing two runs: where they diverge.

use gcn_emu::wave::WaveId;

use super::facts::{Edge, Register};
use super::graph::{GraphInput, ValueGraph};
use super::report::Origin;
use super::slice::{NO_LANE, Outcome, Target};
use crate::program::Location;

/// Point at which two runs diverge.
#[derive(Clone, Debug)]
pub struct Parting {
    /// Kind of divergence.
    pub kind: PartingKind,
    /// Details for each of the two runs.
    pub sides: [PartingSide; 2],
    /// Pairs of instructions on the path from the queried location to the divergence, with the dependence that led to
    /// each.
    pub path: Vec<(Edge, [ValueStep; 2])>,
    /// Number of other points at which operands of the path diverge.
    pub others: usize,
    /// Run, 0 or 1, that read a load's destination register before the load had taken effect.
    pub unwaited: Option<usize>,
}

/// Kind of divergence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartingKind {
    /// Two instructions have equal operands but different results.
    Result,
    /// Two instructions read different operands, all of which exist in both runs.
    Operands,
    /// Different instructions compute different results from values that both runs have.
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
    /// Origin and value, if the value does not come from an instruction.
    pub origin: Option<(Origin, Option<u32>)>,
    /// Number of executed instructions on which the location depends, counted per lane.
    pub executions: usize,
    /// Number of traced workgroups.
    pub workgroups: usize,
    /// Reason why the slice is incomplete.
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
    /// Value written or stored, if known.
    pub value: Option<u32>,
    /// True for an F32 value.
    pub is_f32: bool,
    /// Buffer element or argument accessed.
    pub place: Option<Origin>,
    /// Values read. For a lane mask or EXEC, only the bit of the lane.
    pub inputs: Vec<StepInput>,
}

/// Value that an instruction read.
#[derive(Clone, Debug)]
pub struct StepInput {
    /// Kind of dependence.
    pub edge: Edge,
    /// Register read; `None` for memory.
    pub register: Option<String>,
    /// Value, if known.
    pub value: Option<u32>,
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

/// Describes an instruction of one of the graphs with the values it read.
pub(super) fn value_step(graphs: [&ValueGraph; 2], side: usize, number: u32) -> ValueStep {
    let graph = graphs[side];
    let node = &graph.nodes[number as usize];
    let instruction = graph.instruction(number);
    let inputs = graph.inputs(number).iter().map(|it| StepInput {
        edge: it.edge,
        register: match it.target {
            Target::Node(node) => {
                let node = &graph.nodes[node as usize];
                register(node.outcome, node.lane)
            }
            Target::Source(source) => match &graph.sources[source as usize].origin {
                Origin::Register { name, .. } | Origin::UndefinedRegister { name } => {
                    Some(name.clone())
                }
                _ => None,
            },
        },
        value: graph.value(it),
        is_f32: it
            .target
            .node()
            .is_some_and(|it| graph.nodes[it as usize].is_f32),
        agrees: agrees(graphs, side, it),
        from: match it.target {
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
        register: register(node.outcome, node.lane),
        value: node.value,
        is_f32: node.is_f32,
        place: node.place.as_ref().map(|it| it.origin.clone()),
        inputs: inputs.collect(),
    }
}

/// Returns the name of a result register; for a lane mask, the bit of the lane.
fn register(outcome: Outcome, lane: u8) -> Option<String> {
    let Outcome::Register(register) = outcome else {
        return None;
    };
    if register.as_scalar().is_none() || lane == NO_LANE {
        return Some(register.name());
    }
    let first: Register = register.first(lane / 32);
    Some(format!("{}[{lane}]", first.name_to(first.next())))
}
