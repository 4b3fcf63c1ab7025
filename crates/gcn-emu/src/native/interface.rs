//! Interface between compiled code and the run.

use gcn_isa::effect::Condition;
use gcn_isa::uses::RegisterSet;

use crate::lds::Lds;
use crate::memory::{Memory, Windows};
use crate::step::Step;
use crate::wave::{Waiting, Wave};

/// Interpreter for instructions without host code.
pub(crate) trait Fallback {
    /// Executes steps. `executed` is the number of instructions that the wave has executed before them. Returns false
    /// if the wave does not continue after them.
    fn interpret(&mut self, wave: &mut Wave, steps: &[Step], executed: u64) -> bool;

    /// Memory that host code accesses during the run.
    fn memories(&mut self) -> Memories<'_>;
}

/// Memory that host code accesses.
pub(crate) struct Memories<'a> {
    pub(crate) global: &'a Memory,
    /// False if FLAT accesses ignore low address bits, which only the interpreter implements.
    pub(crate) is_exact: bool,
    /// The host thread's windows of global memory.
    pub(crate) windows: &'a mut Windows,
    pub(crate) lds: &'a mut Lds,
}

/// Candidate block for a region.
pub(crate) struct Candidate<'a> {
    /// Index of the block's first dword.
    pub(crate) start: usize,
    /// Steps of the block, except a final step that `exit` represents.
    pub(crate) body: &'a [Step],
    /// Exit of the block, if the successors are known and MODE does not change.
    pub(crate) exit: Option<PlanExit>,
    /// Registers used by each of the block's steps; empty except for [`Variant::Observed`](super::Variant).
    pub(crate) uses: &'a [RegisterSet],
    /// True if the block has host code in another region.
    pub(crate) is_compiled: bool,
}

/// Exit of a compiled block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PlanExit {
    /// Continues at the dword with this index.
    Goes(usize),
    /// Branch in the block's last step.
    Branch {
        condition: Condition,
        target: usize,
        following: usize,
        /// Dword index of the branch.
        last: usize,
    },
    /// Wait or end of the wave in the block's last step.
    Waits {
        waiting: Waiting,
        /// Index of the dword after the block.
        following: usize,
    },
    /// Returns to the interpreter in the middle of the block, after `executed` instructions.
    Leaves { next: usize, executed: usize },
}

/// Exit of a wave from host code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NativeExit {
    /// The wave continues at the dword with this index.
    Goes(usize),
    /// The wave waits or has ended. Holds the index of the next dword.
    Waits(usize),
    /// The wave exited during interpretation: [`Fallback::interpret`] has returned false.
    Interpreted,
}
