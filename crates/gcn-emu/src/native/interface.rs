//! Interface between compiled code and the run.

use gcn_isa::effect::Condition;

use crate::lds::Lds;
use crate::memory::{Memory, Windows};
use crate::step::Step;
use crate::wave::{Waiting, Wave};

/// Interpreter for instructions that have no host code.
pub(crate) trait Fallback {
    /// Executes steps; `executed` counts the wave's instructions before them. Returns false if the wave does not continue behind them.
    fn interpret(&mut self, wave: &mut Wave, steps: &[Step], executed: u64) -> bool;

    /// Memory of the run, for accesses of host code.
    fn memories(&mut self) -> Memories<'_>;
}

/// Memory that host code accesses.
pub(crate) struct Memories<'a> {
    pub(crate) global: &'a Memory,
    /// False if the device ignores bits of addresses, so that the interpreter has to find them.
    pub(crate) is_exact: bool,
    /// The thread's windows of global memory.
    pub(crate) windows: &'a mut Windows,
    pub(crate) lds: &'a mut Lds,
}

/// A block that may become part of a region.
pub(crate) struct Candidate<'a> {
    /// Number of its first dword.
    pub(crate) start: usize,
    /// Its steps without the one that its exit stands for.
    pub(crate) body: &'a [Step],
    /// Its exit, if the successors are known and MODE does not change.
    pub(crate) exit: Option<PlanExit>,
    /// True if it has host code in another region.
    pub(crate) is_compiled: bool,
}

/// Exit of a compiled block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PlanExit {
    /// To the dword with this number.
    Goes(usize),
    /// By the block's last step.
    Branch {
        condition: Condition,
        target: usize,
        following: usize,
        /// Number of the branch's dword.
        last: usize,
    },
    /// By the block's last step, after which the wave waits or has ended.
    Waits {
        waiting: Waiting,
        /// Number of the dword behind the block.
        following: usize,
    },
    /// To the interpreter in the middle of the block, after `executed` instructions.
    Leaves { next: usize, executed: usize },
}

/// Exit of a wave from host code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NativeExit {
    /// To the dword with this number.
    Goes(usize),
    /// The wave waits, or has ended; it goes on at the dword with this number.
    Waits(usize),
    /// In the interpreter: [`Fallback::interpret`] has returned false.
    Interpreted,
}
