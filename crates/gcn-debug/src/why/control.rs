//! Control dependence: the branches that determine if an instruction executes.
//!
//! An instruction is control dependent on a branch if it post-dominates one of the branch's successors, but not both
//! (Ferrante, Ottenstein, Warren: The program dependence graph and its use in optimization, 1987). The nodes of the
//! control flow graph are instructions; a call is followed by the next instruction.

use std::collections::HashMap;

use gcn_emu::Code;
use gcn_emu::post_dominators::{EXIT, PostDominators};
use gcn_emu::step::{Executor, Step};
use gcn_isa::Does;
use gcn_isa::effect::{Condition, Control};

use crate::reasons::is_call;

/// Branches that each instruction is control dependent on, by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct ControlDependences {
    branches: HashMap<u64, Vec<u64>>,
}

/// Maximum number of instructions in a control flow graph.
const MAX_INSTRUCTIONS: usize = 1 << 20;

impl ControlDependences {
    /// Returns the branches on which an instruction is control dependent.
    pub(crate) fn of(&self, pc: u64) -> &[u64] {
        self.branches.get(&pc).map_or(&[], Vec::as_slice)
    }

    /// Adds the control dependences of the code reachable from executed instructions.
    pub(crate) fn add(&mut self, code: &Code, executed: &[u64]) {
        if executed.iter().all(|pc| self.branches.contains_key(pc)) {
            return;
        }
        let graph = Graph::new(code, executed);
        let post = PostDominators::new(&graph.successors);
        for (node, successors) in graph.successors.iter().enumerate() {
            let pc = graph.pcs[node];
            self.branches.entry(pc).or_default();
            if successors.len() < 2 {
                continue;
            }
            for successor in successors {
                let mut runner = *successor;
                while runner != EXIT && Some(runner) != post.immediate(node + 1) {
                    let branches = self.branches.entry(graph.pcs[runner - 1]).or_default();
                    if !branches.contains(&pc) {
                        branches.push(pc);
                    }
                    match post.immediate(runner) {
                        Some(next) => runner = next,
                        None => break,
                    }
                }
            }
        }
    }
}

/// Control flow graph. The instruction at index `n` is node `n + 1`.
struct Graph {
    pcs: Vec<u64>,
    /// Successor nodes, by instruction index.
    successors: Vec<Vec<usize>>,
}

impl Graph {
    fn new(code: &Code, executed: &[u64]) -> Graph {
        let mut places: HashMap<u64, usize> = HashMap::new();
        let mut pcs = Vec::new();
        let mut number = |pc: u64, pcs: &mut Vec<u64>| {
            *places.entry(pc).or_insert_with(|| {
                pcs.push(pc);
                pcs.len()
            })
        };
        for pc in executed {
            number(*pc, &mut pcs);
        }
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while successors.len() < pcs.len() {
            let mut next = Vec::new();
            if pcs.len() < MAX_INSTRUCTIONS
                && let Some(Ok(step)) = code.step(pcs[successors.len()])
            {
                next = following(code, step);
            }
            let mut numbers: Vec<usize> = next.into_iter().map(|pc| number(pc, &mut pcs)).collect();
            numbers.dedup();
            if numbers.is_empty() {
                numbers.push(EXIT);
            }
            successors.push(numbers);
        }
        Graph { pcs, successors }
    }
}

/// Returns the addresses of an instruction's successors: none at the end of the program, or for an indirect jump that
/// is not a call.
fn following(code: &Code, step: &Step) -> Vec<u64> {
    let next = code.address(step.following());
    if let Executor::Branch(condition, distance) = step.run {
        let target = next.wrapping_add_signed(4 * i64::from(distance));
        return match condition {
            Condition::Always => vec![target],
            _ => vec![next, target],
        };
    }
    if !step.inst.uses().leaves_sequence() {
        return vec![next];
    }
    match step.inst.does() {
        Does::Control(Control::End) => Vec::new(),
        _ if is_call(step) => vec![next],
        _ => Vec::new(),
    }
}
