//! Goals of runs: how far a front-end command lets waves run.

use gcn_emu::wave::WaveId;

use crate::past::Moment;
use crate::program::Line;

/// Goal of the current run.
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
    /// Runs until a wave's call returns to `address`, then continues with the step in `then`.
    Return {
        wave: WaveId,
        address: u64,
        /// Number of calls that have not returned.
        depth: u32,
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
        /// Number of nested calls that have not returned.
        depth: u32,
        /// True once the return jump has been executed.
        returns: bool,
    },
    /// Replays the launch up to a given point.
    Replay(Moment),
    /// Replays the launch to find the last stop between the checkpoint of turn `begin` and `end`.
    Search {
        begin: u64,
        end: SearchEnd,
        /// Last stop found so far, and its turn.
        found: Option<(Moment, u64)>,
    },
    /// Replays the launch to search a wave's instructions from `from` to `before`.
    SearchWave {
        before: Moment,
        from: u64,
        sought: Sought,
    },
    /// Replays the launch up to the same fault with exact registers, then restores the previous goal.
    ToFault(Box<Goal>),
}

/// End of a search interval.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SearchEnd {
    /// Instruction count of the launch.
    Instructions(u64),
    /// Workgroup turn.
    Turn(u64),
}

/// Target of a search among a wave's instructions.
#[derive(Clone, Debug)]
pub(crate) enum Sought {
    /// Start of an earlier source line: the `count`th before the current position.
    Lines {
        count: u64,
        /// Lines that the wave reached so far, each with the wave's instruction count.
        begun: Vec<(u64, Line)>,
    },
    /// Call of the current function.
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
            | Goal::Replay(_)
            | Goal::Search { .. }
            | Goal::SearchWave { .. }
            | Goal::ToFault(_) => None,
        }
    }

    /// True during a replay.
    pub(crate) fn is_replay(&self) -> bool {
        matches!(
            self,
            Goal::Replay(_) | Goal::Search { .. } | Goal::SearchWave { .. } | Goal::ToFault(_)
        )
    }
}
