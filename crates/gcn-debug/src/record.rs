//! Record of the current launch: checkpoints and user changes.
//!
//! A launch runs on a single thread, and its schedule depends only on the program and its memory. To reach an earlier
//! point, the launch returns to a checkpoint and is replayed until the wave has executed the required number of
//! instructions. The replay reapplies user changes.

use std::collections::VecDeque;
use std::sync::Arc;

use gcn_emu::memory::Memory;
use gcn_emu::observe::{self, Resting};

use crate::checkpoints::{Checkpoint, Checkpoints, Recording, Unrecordable};
use crate::past::{Moment, UserChange};
use crate::store_log::StoreLog;
use crate::why_request::WhyRefused;

/// Message for a launch whose stores exceed the size limit of the log.
const STORES: &str = "the launch stores to more memory than is kept for going back";

/// Completed launch that can be repeated.
#[derive(Debug)]
struct EarlierLaunch {
    /// Checkpoint at the start of the launch.
    start: Checkpoint,
    /// Size in bytes, excluding memory pages shared with the previous launch; 0 for the first launch.
    bytes: usize,
    changes: Vec<UserChange>,
}

/// Record of the current launch, and of earlier launches that can be repeated.
#[derive(Debug)]
pub(crate) struct Record {
    /// Launches before the current one, oldest first.
    earlier: VecDeque<EarlierLaunch>,
    /// Size of the earlier launches in bytes, excluding the first one.
    earlier_bytes: usize,
    /// True if the user changed state in an earlier launch whose record has been dropped.
    has_forgotten_changes: bool,
    /// Reason why the latest unrepeatable launch before this one cannot be repeated.
    lost_launch: Option<&'static str>,
    /// Dispatch ID; `None` before the dispatch starts.
    dispatch: Option<u64>,
    pub(crate) checkpoints: Checkpoints,
    /// Number of workgroup turns that have started.
    pub(crate) turn: u64,
    pub(crate) changes: Vec<UserChange>,
    /// Number of `changes` applied so far.
    made: usize,
    /// Reason why the launch cannot go back.
    lost: Option<&'static str>,
    /// Initial state of the launch that is about to be repeated.
    start: Option<Arc<observe::Checkpoint>>,
    /// Turn whose checkpoint the launch is about to restore.
    returns_to: Option<u64>,
    /// True from the return to a checkpoint until the next turn of a wave.
    pub(crate) has_returned: bool,
}

impl Record {
    /// Creates the record of a launch that has not begun. `log` is the undo log, if host code runs concurrently.
    pub(crate) fn new(recording: Recording, log: Option<StoreLog>) -> Record {
        Record {
            earlier: VecDeque::new(),
            earlier_bytes: 0,
            has_forgotten_changes: false,
            lost_launch: None,
            dispatch: None,
            checkpoints: Checkpoints::new(recording, log),
            turn: 0,
            changes: Vec::new(),
            made: 0,
            lost: None,
            start: None,
            returns_to: None,
            has_returned: false,
        }
    }

    /// Starts the record of a launch. If the launch directly follows the previous one (`is_next`), reverse execution
    /// may continue into the previous one.
    pub(crate) fn begin_launch(&mut self, is_next: bool) {
        let lost = self.lost();
        let start = self.checkpoints.begin_launch();
        let changes = std::mem::take(&mut self.changes);
        match start {
            Some(start) if is_next && self.lost.is_none() => {
                let last = self.earlier.back();
                let bytes = last.map_or(0, |it| start.bytes_besides(&it.start));
                self.earlier_bytes += bytes;
                self.earlier.push_back(EarlierLaunch {
                    start,
                    bytes,
                    changes,
                });
                while self.earlier_bytes > self.checkpoints.max_bytes() {
                    self.forget_first();
                }
            }
            _ => {
                while !self.earlier.is_empty() {
                    self.forget_first();
                }
                self.has_forgotten_changes |= !changes.is_empty();
                self.lost_launch = lost;
            }
        }
        if !is_next {
            (self.has_forgotten_changes, self.lost_launch) = (false, None);
        }
        self.begin();
    }

    /// Drops the oldest launch.
    fn forget_first(&mut self) {
        if let Some(first) = self.earlier.pop_front() {
            self.has_forgotten_changes |= !first.changes.is_empty();
        }
        if let Some(first) = self.earlier.front_mut() {
            self.earlier_bytes -= std::mem::take(&mut first.bytes);
        }
    }

    /// Returns to the previous launch: restores its initial memory, and starts its record.
    pub(crate) fn begin_earlier(&mut self, memory: &Memory) {
        self.checkpoints.begin_launch();
        self.begin();
        if let Some(earlier) = self.earlier.pop_back() {
            self.earlier_bytes -= earlier.bytes;
            earlier.start.restore_memory(memory);
            self.start = Some(earlier.start.run);
            self.changes = earlier.changes;
        }
    }

    fn begin(&mut self) {
        (self.dispatch, self.turn, self.made) = (None, 0, 0);
        (self.lost, self.start, self.returns_to) = (None, None, None);
        self.has_returned = false;
    }

    /// Takes the initial state of the launch that is about to be repeated.
    pub(crate) fn take_start(&mut self) -> Option<Arc<observe::Checkpoint>> {
        self.start.take()
    }

    /// Returns the reason why `why` cannot repeat the launches, or `None` if it can.
    pub(crate) fn unrepeatable(&self) -> Option<WhyRefused> {
        let has_changes = |it: &EarlierLaunch| !it.changes.is_empty();
        if !self.changes.is_empty()
            || self.has_forgotten_changes
            || self.earlier.iter().any(has_changes)
        {
            return Some(WhyRefused::Changed);
        }
        let lost = "a launch before this one cannot be repeated";
        let has_lost = self.lost_launch.is_some();
        has_lost.then_some(WhyRefused::NoPast(lost))
    }

    /// Counts a workgroup's turn that is starting. Returns `None` for a dispatch that this record does not cover.
    pub(crate) fn begin_turn(&mut self, dispatch: u64) -> Option<()> {
        if *self.dispatch.get_or_insert(dispatch) != dispatch {
            return None;
        }
        self.turn += 1;
        Some(())
    }

    /// Restarts the record for a rerun of the launch, and restores its initial memory.
    pub(crate) fn begin_again(&mut self, memory: &Memory) {
        self.checkpoints.restore_first(memory);
        self.start = self.checkpoints.first().map(|it| it.run.clone());
        self.checkpoints.clear();
        (self.dispatch, self.turn, self.made) = (None, 0, 0);
    }

    /// Takes a checkpoint before the turn that is starting, if one is due.
    pub(crate) fn record(&mut self, memory: &Memory, run: &Resting<'_>) {
        if self.lost.is_some() || self.returns_to.is_some() {
            return;
        }
        let place = (self.turn, self.made);
        let recorded = self.checkpoints.record((memory, run), place);
        if let Err(reason) = recorded {
            self.lose(match reason {
                Unrecordable::Memory => {
                    "memory is larger than the 128 MiB that are kept for going back"
                }
                Unrecordable::Stores => STORES,
                Unrecordable::HostCalls => {
                    "the kernel allocates memory, which is not kept for going back"
                }
                Unrecordable::Instruction(reason) => reason,
            });
        }
    }

    /// Discards the checkpoints and stops recording.
    pub(crate) fn lose(&mut self, reason: &'static str) {
        self.lost = Some(reason);
        self.checkpoints.stop();
    }

    /// Returns the reason why an earlier launch cannot be repeated, or `None` if all of them can.
    pub(crate) fn lost_launch(&self) -> Option<&'static str> {
        self.lost_launch
    }

    /// Returns the number of earlier launches that the user can go back into.
    pub(crate) fn earlier(&self) -> usize {
        self.earlier.len()
    }

    /// Returns the reason why the launch cannot go back, or `None` if it can.
    pub(crate) fn lost(&self) -> Option<&'static str> {
        let is_empty = self.checkpoints.is_empty();
        let misses_stores = self.checkpoints.misses_stores();
        self.lost
            .or_else(|| misses_stores.then_some(STORES))
            .or_else(|| is_empty.then_some("the launch has not been recorded"))
    }

    /// Requests a return to the checkpoint of an earlier turn. The current turn then ends.
    pub(crate) fn return_to(&mut self, turn: u64) {
        self.returns_to = Some(turn);
    }

    /// True if the launch is about to return to a checkpoint.
    pub(crate) fn returns(&self) -> bool {
        self.returns_to.is_some()
    }

    /// Restores memory from the requested checkpoint and returns its run state.
    pub(crate) fn come_back(&mut self, memory: &Memory) -> Option<Arc<observe::Checkpoint>> {
        let turn = self.returns_to.take()?;
        let Checkpoint {
            run, turn, changes, ..
        } = self.checkpoints.restore(turn, memory)?;
        // `begin_turn` counts the turn again.
        self.turn = turn - 1;
        self.made = *changes;
        self.has_returned = true;
        Some(run.clone())
    }

    /// Records a user change, and drops all later changes and checkpoints.
    pub(crate) fn change(&mut self, change: UserChange) {
        self.stay();
        self.changes.push(change);
        self.made = self.changes.len();
        self.checkpoints.drop_after(self.turn);
    }

    /// Drops user changes that have not been reapplied, and the checkpoints that depend on them.
    pub(crate) fn stay(&mut self) {
        self.changes.truncate(self.made);
        self.checkpoints.drop_changed(self.made);
    }

    /// Returns the next user change to reapply.
    pub(crate) fn next_change(&self) -> Option<&UserChange> {
        self.changes.get(self.made)
    }

    /// Takes the next user change to reapply, if it was made at this point.
    pub(crate) fn due(&mut self, at: Moment) -> Option<UserChange> {
        let next = self.next_change().filter(|next| next.at == at)?.clone();
        self.made += 1;
        Some(next)
    }
}
