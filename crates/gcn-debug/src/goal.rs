//! Conditions under which a resumed run stops, by command.

use gcn_emu::wave::WaveId;

use crate::past::Moment;
use crate::program::Line;
use crate::stops::Stop;

/// Condition under which the current run stops.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    Run,
    Instructions {
        wave: WaveId,
        left: u64,
        from: u64,
        over: bool,
    },
    Lines {
        wave: WaveId,
        left: u64,
        from: u64,
        line: Option<Line>,
        over: bool,
    },
    /// Runs until a call made by the wave returns, then continues with the step in `then`.
    Return {
        wave: WaveId,
        /// Call to return from, and the calls nested in it.
        stack: CallStack,
        then: Box<Goal>,
    },
    /// Runs until a wave reaches one of these addresses.
    Until {
        wave: WaveId,
        addresses: Vec<u64>,
        from: u64,
    },
    /// Runs until the wave leaves its current function.
    Finish {
        wave: WaveId,
        /// Calls made by the function.
        stack: CallStack,
    },
    /// Replays the launch up to a given point.
    Replay {
        /// Point to stop at; `None` for the start of the launch.
        until: Option<Moment>,
        /// Stop to report there.
        stop: Stop,
    },
    /// Replays the launch from the checkpoint of turn `begin` up to `end`, to find the last stop in between.
    Search {
        sought: SoughtStop,
        begin: u64,
        end: SearchEnd,
        /// Last match so far.
        found: Option<Found>,
    },
    /// Replays the launch to search a wave's instructions between `from` and `before`.
    SearchWave {
        before: Moment,
        from: u64,
        sought: Sought,
    },
    /// Replays the launch up to the same fault with exact registers, then restores the previous goal.
    ToFault(Box<Goal>),
}

/// Calls that have not returned. A jump to a return address counts as a return, even if the jump itself is a call.
#[derive(Clone, Default, Debug)]
pub(crate) struct CallStack {
    /// Return addresses, outermost first.
    returns: Vec<u64>,
    /// Jump or call in progress; the inner value is the return address that a call saves.
    jump: Option<Option<u64>>,
}

impl CallStack {
    /// Creates the stack for a call that returns to `address`.
    pub(crate) fn of_call(address: u64) -> CallStack {
        CallStack {
            returns: vec![address],
            jump: None,
        }
    }

    /// Records a jump, or a call that saves a return address.
    pub(crate) fn jump(&mut self, saved: Option<u64>) {
        self.jump = Some(saved);
    }

    /// Updates the stack at the target of a jump. Returns true if the jump left the function that made the calls.
    pub(crate) fn arrive(&mut self, pc: u64) -> bool {
        let Some(saved) = self.jump.take() else {
            return false;
        };
        if let Some(place) = self.returns.iter().rposition(|it| *it == pc) {
            self.returns.truncate(place);
            return false;
        }
        let leaves = saved.is_none() && self.returns.is_empty();
        self.returns.extend(saved);
        leaves
    }

    /// True if all calls have returned.
    pub(crate) fn is_empty(&self) -> bool {
        self.returns.is_empty()
    }
}

/// End of a search interval.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SearchEnd {
    /// Instruction count of the launch.
    Instructions(u64),
    /// Number of a workgroup turn.
    Turn(u64),
    /// End of the launch.
    Launch,
}

/// Match of a search.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) at: Moment,
    /// Number of the workgroup turn.
    pub(crate) turn: u64,
    /// Stops at this point; empty for the last instruction of a wave.
    pub(crate) stops: Vec<Stop>,
}

/// Kind of stop that a search looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SoughtStop {
    /// Breakpoint or change of a watched value.
    Any,
    /// Last instruction of a wave.
    WaveEnd,
}

/// Target of a search among a wave's instructions.
#[derive(Clone, Debug)]
pub(crate) enum Sought {
    /// Start of the `count`th source line before the current position.
    Lines {
        count: u64,
        /// Lines reached so far, each with the wave's instruction count.
        begun: Vec<(u64, Line)>,
    },
    /// Call that entered the current function.
    Call {
        /// Calls and returns so far: the wave's instruction count, and true for a call.
        jumps: Vec<(u64, bool)>,
    },
}

impl Goal {
    /// Returns the wave that the goal applies to.
    pub(crate) fn wave(&self) -> Option<WaveId> {
        match self {
            Goal::Instructions { wave, .. }
            | Goal::Lines { wave, .. }
            | Goal::Return { wave, .. }
            | Goal::Until { wave, .. }
            | Goal::Finish { wave, .. } => Some(*wave),
            Goal::Run
            | Goal::Replay { .. }
            | Goal::Search { .. }
            | Goal::SearchWave { .. }
            | Goal::ToFault(_) => None,
        }
    }

    /// True during a replay.
    pub(crate) fn is_replay(&self) -> bool {
        matches!(
            self,
            Goal::Replay { .. } | Goal::Search { .. } | Goal::SearchWave { .. } | Goal::ToFault(_)
        )
    }
}
