//! Fixed-point iteration over all paths from the entry points of a program.
//!
//! Each function has its own facts at the start of a block, so that functions that share code return to their own
//! callers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::constants::{Constants, LINK};
use super::hazards::OpenHazards;
use super::program::{LintProgram, LintStep, Next};
use super::report::FindingSink;
use super::waits::OpenOperations;

/// Facts known at a program point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct FlowState {
    waits: OpenOperations,
    hazards: OpenHazards,
    constants: Constants,
}

impl FlowState {
    /// Joins the facts of another path. Returns true if this state changed.
    fn join(&mut self, other: &FlowState) -> bool {
        let waits = self.waits.join(&other.waits);
        let hazards = self.hazards.join(&other.hazards);
        let constants = self.constants.join(&other.constants);
        waits | hazards | constants
    }

    /// Replaces the constants. A function's constants do not depend on its callers, so it is analyzed once for all of them.
    fn with(&self, constants: Constants) -> FlowState {
        FlowState {
            constants,
            ..self.clone()
        }
    }
}

/// A basic block of a function.
struct BasicBlock {
    /// Facts at the start.
    state: FlowState,
    /// End address, as of the last visit.
    end: u64,
}

#[derive(Default)]
struct Function {
    blocks: BTreeMap<u64, BasicBlock>,
    /// Joined facts at all returns; `None` until one is reached.
    exit: Option<FlowState>,
    /// Constants known before each call, by return point.
    callers: BTreeMap<BlockPlace, Constants>,
}

/// Identity of a block: function number and address.
type BlockPlace = (usize, u64);

/// Analysis of a program.
pub(super) struct Flow<'a> {
    program: LintProgram<'a>,
    functions: Vec<Function>,
    by_entry: HashMap<u64, usize>,
    /// Worklist of blocks.
    work: BTreeSet<BlockPlace>,
    /// Start addresses of blocks that lead to unknown code.
    unknown: BTreeSet<u64>,
}

/// Edge out of a block, with the facts on it.
enum BlockEnd {
    To(u64, FlowState),
    Call {
        entry: u64,
        /// First register of the pair that receives the return address.
        link: u8,
        back: u64,
        state: FlowState,
    },
    /// Edge to unknown code.
    Unknown,
    /// Return to the function's callers.
    Return(FlowState),
}

impl<'a> Flow<'a> {
    pub(super) fn new(program: LintProgram<'a>) -> Flow<'a> {
        Flow {
            program,
            functions: Vec::new(),
            by_entry: HashMap::new(),
            work: BTreeSet::new(),
            unknown: BTreeSet::new(),
        }
    }

    /// Returns the number of the function at `entry`, adding it if it is new.
    fn function(&mut self, entry: u64) -> usize {
        *self.by_entry.entry(entry).or_insert_with(|| {
            self.functions.push(Function::default());
            self.functions.len() - 1
        })
    }

    /// Adds an entry point: a kernel, or a function that may be called from anywhere. No operations are outstanding
    /// there.
    pub(super) fn enter(&mut self, entry: u64) {
        let function = self.function(entry);
        let state = FlowState::default().with(Constants::called(LINK));
        self.arrive((function, entry), &state);
    }

    /// Joins facts into those at a block's start, and schedules the block if they change.
    fn arrive(&mut self, at: BlockPlace, state: &FlowState) {
        let blocks = &mut self.functions[at.0].blocks;
        if let Some(block) = blocks.get_mut(&at.1) {
            if block.state.join(state) {
                self.work.insert(at);
            }
            return;
        }
        // A block that was visited beyond this address now ends here.
        let before = blocks.range(..at.1).next_back();
        let cut = before.filter(|(_, block)| block.end > at.1);
        self.work.extend(cut.map(|(&start, _)| (at.0, start)));
        let block = BasicBlock {
            state: state.clone(),
            end: at.1,
        };
        blocks.insert(at.1, block);
        self.work.insert(at);
    }

    /// Iterates to a fixed point. Gives up and returns false if more than `most` instructions are reachable.
    pub(super) fn run(&mut self, most: usize) -> bool {
        while let Some(at) = self.work.pop_first() {
            for way in self.read(at, None) {
                self.go(at.0, way);
            }
            if self.program.steps().len() > most {
                return false;
            }
        }
        true
    }

    /// Returns the reachable instructions.
    pub(super) fn steps(&self) -> &[LintStep] {
        self.program.steps()
    }

    /// Returns the number of blocks that lead to unknown code, as recorded by [`Flow::report`].
    pub(super) fn unknown(&self) -> usize {
        self.unknown.len()
    }

    fn go(&mut self, function: usize, way: BlockEnd) {
        match way {
            BlockEnd::To(to, state) => self.arrive((function, to), &state),
            BlockEnd::Unknown => {}
            BlockEnd::Call {
                entry,
                link,
                back,
                state,
            } => {
                let callee = self.function(entry);
                self.arrive((callee, entry), &state.with(Constants::called(link)));
                let caller = (function, back);
                let callers = &mut self.functions[callee].callers;
                callers.insert(caller, state.constants.clone());
                if let Some(exit) = self.functions[callee].exit.clone() {
                    self.go_back(caller, state.constants, &exit);
                }
            }
            BlockEnd::Return(state) => {
                let state = state.with(state.constants.at_end());
                let left = &mut self.functions[function];
                let is_new = match &mut left.exit {
                    Some(exit) => exit.join(&state),
                    None => {
                        left.exit = Some(state);
                        true
                    }
                };
                if let (true, Some(exit)) = (is_new, left.exit.clone()) {
                    for (caller, before) in left.callers.clone() {
                        self.go_back(caller, before, &exit);
                    }
                }
            }
        }
    }

    /// Propagates a function's exit state to a caller. `before` are the constants known before the call.
    fn go_back(&mut self, caller: BlockPlace, before: Constants, exit: &FlowState) {
        self.arrive(caller, &exit.with(before.behind(&exit.constants)));
    }

    /// Visits a block to its end. Returns the edges out of it.
    fn read(&mut self, at: BlockPlace, to: Option<&FindingSink<'_>>) -> Vec<BlockEnd> {
        let (function, mut pc) = at;
        let Some(block) = self.functions[function].blocks.get(&pc) else {
            return Vec::new();
        };
        let mut state = block.state.clone();
        let ways = loop {
            let is_next = pc != at.1 && self.functions[function].blocks.contains_key(&pc);
            if is_next {
                break vec![BlockEnd::To(pc, state)];
            }
            let Some(number) = self.program.find(pc) else {
                break vec![BlockEnd::Unknown];
            };
            state.waits.step(&self.program, number, to);
            state.hazards.step(&self.program, number, to);
            let step = self.program.step(number);
            let target = match step.next {
                Next::Jump { first, .. } => state.constants.address(first),
                _ => None,
            };
            state.constants.step(step);
            pc = step.following();
            match step.next {
                Next::Following => {}
                Next::End => break Vec::new(),
                Next::Branch {
                    to,
                    may_follow: false,
                } => break vec![BlockEnd::To(to, state)],
                Next::Branch { to, .. } => {
                    break vec![BlockEnd::To(to, state.clone()), BlockEnd::To(pc, state)];
                }
                Next::Call { to: entry, link } => {
                    break vec![BlockEnd::Call {
                        entry,
                        link,
                        back: pc,
                        state,
                    }];
                }
                Next::Jump { first, link } => {
                    let is_tail_call = state.constants.is_tail_call(first);
                    // The unknown code waits for all outstanding operations.
                    let unknown = |state: FlowState| FlowState {
                        constants: state.constants.behind_unknown(),
                        ..FlowState::default()
                    };
                    break match (target, link) {
                        (Some(entry), Some(link)) => vec![BlockEnd::Call {
                            entry,
                            link,
                            back: pc,
                            state,
                        }],
                        (Some(to), None) => vec![BlockEnd::To(to, state)],
                        (None, Some(_)) => {
                            vec![BlockEnd::Unknown, BlockEnd::To(pc, unknown(state))]
                        }
                        (None, None) if is_tail_call => {
                            vec![BlockEnd::Unknown, BlockEnd::Return(unknown(state))]
                        }
                        (None, None) => vec![BlockEnd::Return(state)],
                    };
                }
            }
        };
        if let Some(block) = self.functions[function].blocks.get_mut(&at.1) {
            block.end = pc;
        }
        ways
    }

    /// Reports all findings, and records the blocks that lead to unknown code.
    pub(super) fn report(&mut self, to: &FindingSink<'_>) {
        for function in 0..self.functions.len() {
            let blocks: Vec<u64> = self.functions[function].blocks.keys().copied().collect();
            for block in blocks {
                let ways = self.read((function, block), Some(to));
                if ways.iter().any(|way| matches!(way, BlockEnd::Unknown)) {
                    self.unknown.insert(block);
                }
            }
        }
    }
}
