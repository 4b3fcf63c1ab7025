//! Answers of a comparison: the place where two runs part.

use gcn_emu::wave::WaveId;

use super::facts::{Edge, Register};
use super::graph::{GraphInput, ValueGraph};
use super::report::Origin;
use super::slice::{NO_LANE, Outcome, Target};
use crate::program::Location;

/// Place where two runs part.
#[derive(Clone, Debug)]
pub struct Parting {
    /// Kind.
    pub kind: PartingKind,
    /// Both runs.
    pub sides: [PartingSide; 2],
    /// Pairs of instructions from the place that was asked about down to the parting, and the kinds of dependence that led to them.
    pub path: Vec<(Edge, [ValueStep; 2])>,
    /// Number of other places where operands of the path part.
    pub others: usize,
    /// Run, 0 or 1, in which the register of a load has been read before the load took effect.
    pub unwaited: Option<usize>,
}

/// Kind of a place where runs part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartingKind {
    /// Two instructions have equal operands and different results.
    Result,
    /// Two instructions take operands that both runs have, and not the same ones.
    Operands,
    /// Different instructions make different results of values that both runs have.
    Region,
    /// The values come from different origins, or their origins differ.
    Origin,
}

/// One run at a place where two part.
#[derive(Clone, Debug)]
pub struct PartingSide {
    /// Value of the place that was asked about.
    pub end: u32,
    /// Instructions, in the order of their execution; the last one has the result.
    pub steps: Vec<ValueStep>,
    /// Number of instructions of the region that are left out.
    pub hidden: usize,
    /// The last comparisons that decided about the last instruction, unless the kind is [`PartingKind::Result`].
    pub conditions: Vec<ValueStep>,
    /// Origin of the value, in place of an instruction, and the value.
    pub origin: Option<(Origin, Option<u32>)>,
    /// Executed instructions, lane by lane, that the place depends on.
    pub executions: usize,
    /// Workgroups that were traced.
    pub workgroups: usize,
    /// Reason for which the slice is not complete.
    pub cut: Option<&'static str>,
}

/// An executed instruction with the values that it has read.
#[derive(Clone, Debug)]
pub struct ValueStep {
    /// Number of the run of the launch, from 0.
    pub run: u32,
    /// Kernel.
    pub kernel: Option<String>,
    /// Instruction.
    pub text: String,
    /// Position in the code.
    pub location: Location,
    /// Symbol at which a branch that is taken goes on.
    pub target: Option<String>,
    /// Wave.
    pub wave: WaveId,
    /// Lane.
    pub lane: Option<u8>,
    /// Number of the instruction in its wave, from 1.
    pub executed: u64,
    /// Register that it has written, `None` for memory and branches.
    pub register: Option<String>,
    /// Value of the register, or the one that was stored, if it is known.
    pub value: Option<u32>,
    /// True for a number of type F32.
    pub is_f32: bool,
    /// Element or argument that it has accessed.
    pub place: Option<Origin>,
    /// Values that it has read, those of a mask or EXEC for the lane only.
    pub inputs: Vec<StepInput>,
}

/// A value that an instruction has read.
#[derive(Clone, Debug)]
pub struct StepInput {
    /// Kind of the dependence.
    pub edge: Edge,
    /// Register that was read, `None` for memory.
    pub register: Option<String>,
    /// Value, if it is known.
    pub value: Option<u32>,
    /// True for a number of type F32.
    pub is_f32: bool,
    /// True if the other run has the value, from the same origins.
    pub agrees: bool,
    /// Origin of the value.
    pub from: ValueOrigin,
}

/// Instruction or origin that a value is from.
#[derive(Clone, Debug)]
pub enum ValueOrigin {
    /// Instruction.
    Instruction {
        /// Text.
        text: String,
        /// Position in the code.
        location: Location,
    },
    /// Origin.
    Origin(Origin),
}

/// True if the other run has a value, from the same origins.
pub(super) fn agrees(graphs: [&ValueGraph; 2], side: usize, input: &GraphInput) -> bool {
    let key = graphs[side].key(input);
    key.is_some_and(|key| graphs[1 - side].keys.contains(&key))
}

/// An instruction of one of two graphs, with the values that it has read.
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

/// Name of a result in a register: of a mask, the bit of the lane.
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
