//! Record of the launch that runs: checkpoints, and the changes that the user has made.
//!
//! A launch runs on one thread, and its schedule depends on nothing but the program and its memory. To come to an earlier moment, the
//! launch returns to a checkpoint and runs again until the wave has executed as many instructions as then. Changes by the user are made
//! again.

use std::sync::Arc;

use gcn_emu::memory::Memory;
use gcn_emu::observe::{self, Resting};

use crate::checkpoints::{Checkpoint, Checkpoints, Recording, Unrecordable};
use crate::past::{Moment, UserChange};

/// Reason for which launches that read a clock of the host cannot go back.
pub(crate) const CLOCK: &str =
    "the kernel reads the real-time clock, which has another value each time";

/// Record of a launch.
#[derive(Debug)]
pub(crate) struct Record {
    /// Number of the dispatch; `None` before it begins.
    dispatch: Option<u64>,
    pub(crate) checkpoints: Checkpoints,
    /// Number of turns of workgroups that have begun.
    pub(crate) turn: u64,
    pub(crate) changes: Vec<UserChange>,
    /// Number of changes that have been made up to the present.
    made: usize,
    /// Reason for which the launch cannot go back.
    lost: Option<&'static str>,
    /// Turn of the checkpoint that the launch is about to return to.
    returns_to: Option<u64>,
    /// True until a wave has its turn after the launch has returned to a checkpoint.
    pub(crate) has_returned: bool,
}

impl Record {
    pub(crate) fn new(recording: Recording) -> Record {
        Record {
            dispatch: None,
            checkpoints: Checkpoints::new(recording),
            turn: 0,
            changes: Vec::new(),
            made: 0,
            lost: None,
            returns_to: None,
            has_returned: false,
        }
    }

    /// Notes the begin of a workgroup's turn; `None` if it is that of another dispatch, which has a record of its own.
    pub(crate) fn begin_turn(&mut self, dispatch: u64) -> Option<()> {
        if *self.dispatch.get_or_insert(dispatch) != dispatch {
            return None;
        }
        self.turn += 1;
        Some(())
    }

    /// Begins the record of the same launch anew, with memory as it was when it began.
    pub(crate) fn begin_again(&mut self, memory: &Memory) {
        self.checkpoints.restore_first(memory);
        self.checkpoints.clear();
        (self.dispatch, self.turn, self.made) = (None, 0, 0);
    }

    /// Takes a checkpoint before the turn that begins, if it is time for one.
    pub(crate) fn record(&mut self, memory: &Memory, run: &Resting<'_>) {
        if self.lost.is_some() || self.returns_to.is_some() {
            return;
        }
        let recorded = self.checkpoints.record((memory, run), self.turn, self.made);
        if let Err(reason) = recorded {
            self.lose(match reason {
                Unrecordable::Memory => {
                    "memory is larger than what is kept for going back, 128 MiB"
                }
                Unrecordable::HostCalls => {
                    "the kernel allocates memory, which is not kept for going back"
                }
                Unrecordable::Clock => CLOCK,
            });
        }
    }

    /// Ends the record.
    pub(crate) fn lose(&mut self, reason: &'static str) {
        self.lost = Some(reason);
        self.checkpoints.clear();
    }

    /// Reason for which the launch cannot go back; `None` if it can.
    pub(crate) fn lost(&self) -> Option<&'static str> {
        let is_empty = self.checkpoints.is_empty();
        self.lost
            .or_else(|| is_empty.then_some("the launch has not been recorded"))
    }

    /// Ends the turn of the wave that runs, to return to the checkpoint of an earlier turn.
    pub(crate) fn return_to(&mut self, turn: u64) {
        self.returns_to = Some(turn);
    }

    /// True if the launch is about to return to a checkpoint.
    pub(crate) fn returns(&self) -> bool {
        self.returns_to.is_some()
    }

    /// Returns to the checkpoint that has been chosen: writes its memory back, and gives the state of the run.
    pub(crate) fn come_back(&mut self, memory: &Memory) -> Option<Arc<observe::Checkpoint>> {
        let turn = self.returns_to.take()?;
        let Checkpoint {
            run, turn, changes, ..
        } = self.checkpoints.restore(turn, memory)?;
        // The turn begins again.
        self.turn = turn - 1;
        self.made = *changes;
        self.has_returned = true;
        Some(run.clone())
    }

    /// Adds a change by the user. The future is another one then.
    pub(crate) fn change(&mut self, change: UserChange) {
        self.stay();
        self.changes.push(change);
        self.made = self.changes.len();
        self.checkpoints.drop_after(self.turn);
    }

    /// Forgets the changes after the present.
    pub(crate) fn stay(&mut self) {
        self.changes.truncate(self.made);
        self.checkpoints.drop_changed(self.made);
    }

    /// Next change to make again.
    pub(crate) fn next_change(&self) -> Option<&UserChange> {
        self.changes.get(self.made)
    }

    /// Next change to make again, if it was made at this moment.
    pub(crate) fn due(&mut self, at: Moment) -> Option<UserChange> {
        let next = self.next_change().filter(|next| next.at == at)?.clone();
        self.made += 1;
        Some(next)
    }
}
