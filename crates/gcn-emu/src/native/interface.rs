//! Types that compiled code and the run exchange.

use gcn_isa::effect::Condition;

use crate::step::Step;
use crate::wave::Wave;

/// The interpreter, which executes what host code does not.
pub(crate) trait Fallback {
    /// Executes steps, the first of which is the wave's instruction number `executed`. Returns false if the wave does not go on behind
    /// them.
    fn interpret(&mut self, wave: &mut Wave, steps: &[Step], executed: u64) -> bool;
}

/// A block that may become part of a region.
pub(crate) struct Candidate<'a> {
    /// Number of its first dword.
    pub(crate) start: usize,
    /// Its steps without a branch that it ends with.
    pub(crate) body: &'a [Step],
    /// Its exit, unless the wave may go elsewhere behind the last step, or have another MODE there.
    pub(crate) exit: Option<PlanExit>,
    /// True if it has host code in another region.
    pub(crate) is_compiled: bool,
}

/// Exit of a block from its parts.
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
    /// To the interpreter, at a dword, when the block has executed its first instructions.
    Leaves { next: usize, executed: usize },
}
