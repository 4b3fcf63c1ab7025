//! Decisions of a debugger that hold for several turns.

use crate::observe::Turn;

/// General decision of a debugger ([`Turn::Run`]).
#[derive(Clone, Copy)]
pub(super) struct GeneralDecision {
    pub(super) turn: Turn,
    /// Number of the thread's instructions at which the debugger is asked again.
    pub(super) until: u64,
}

impl GeneralDecision {
    /// Number of instructions after which the debugger is asked again, once the current turn is over.
    const INTERVAL: u64 = 1 << 14;

    /// Returns the decision if it is general. `executed` is the number of instructions that the thread has executed.
    pub(super) fn of(turn: Turn, executed: u64) -> Option<GeneralDecision> {
        let is_general = matches!(
            turn,
            Turn::Run {
                is_general: true,
                ..
            }
        );
        is_general.then_some(GeneralDecision {
            turn,
            until: executed + GeneralDecision::INTERVAL,
        })
    }
}
