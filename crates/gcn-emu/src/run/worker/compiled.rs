//! Turns of a workgroup's waves with host code.

use super::super::shared::Shared;
use super::super::start::GroupStart;
use super::super::steps::{HostEntry, Turns, run_together};
use super::begin::take_wave;
use super::{Worker, account};
use crate::dispatch::Stats;
use crate::fault::Fault;
use crate::wave::{Waiting, Wave, WaveId};

impl Worker<'_> {
    /// Runs turns of a workgroup's waves with host code, starting with wave `first`, as long as the waves are at the
    /// same block and not blocked. Does nothing if the waves are observed or debugged, read wait counters, complete
    /// operations late, may call the host or take turns in random order. Returns the number of the first wave that has
    /// not had its turn.
    pub(super) fn run_compiled(&mut self, index: usize, first: usize) -> Result<usize, Box<Fault>> {
        let Shared { device, code, .. } = *self.shared;
        let is_unobserved = self.watch.wants.is_empty()
            && self.control.is_none()
            && device.config.late.is_none()
            && device.host_calls.is_none()
            && !code.reads_counters();
        let (Some(policy), Some(quantum), true) =
            (self.policy, self.schedule.quantum_in_order(), is_unobserved)
        else {
            return Ok(first);
        };
        let group = &mut *self.resident[index];
        let pc = match group.waves.get(first) {
            Some(Some(wave)) => wave.pc,
            Some(None) => return Ok(first),
            None => self.shared.dispatch.entry,
        };
        let Some(entry) = HostEntry::at(code, pc, policy) else {
            return Ok(first);
        };
        let start = self
            .shared
            .starting(group, &self.template, &self.storage.ids, self.scratch);
        let mut turns = GroupTurns {
            shared: self.shared,
            start,
            count: group.count,
            waves: &mut group.waves,
            spare: &mut self.storage.waves,
            stats: &mut self.progress.stats,
            violation: &mut self.progress.violation,
            next: first,
            before: [0; 2],
        };
        let memory = (&mut group.lds, &mut *self.storage.transfer);
        let outcome = run_together(
            &self.shared.dispatched(),
            entry,
            memory,
            quantum,
            &mut turns,
        );
        let (next, before) = (turns.next, turns.before);
        let Some((wave, result)) = outcome else {
            return Ok(next);
        };
        // The wave uses the rest of its turn.
        let number = next - 1;
        let left = quantum - (wave.executed - before[0]).min(quantum);
        group.waves[number] = Some(wave);
        self.settle(index, number, before, result)?;
        let wave = self.resident[index].waves[number].as_ref();
        if left > 0 && wave.is_some_and(|wave| wave.waiting == Waiting::No) {
            self.run_freely(index, number, left)?;
        }
        Ok(next)
    }
}

/// Turns of a workgroup's waves, in order.
#[allow(clippy::vec_box)]
struct GroupTurns<'g> {
    shared: &'g Shared<'g>,
    start: GroupStart<'g>,
    /// Number of waves of the workgroup.
    count: usize,
    waves: &'g mut Vec<Option<Box<Wave>>>,
    /// Ended waves, for reuse.
    spare: &'g mut Vec<Box<Wave>>,
    stats: &'g mut Stats,
    violation: &'g mut Option<(WaveId, u64)>,
    /// Number of the next wave.
    next: usize,
    /// Numbers of instructions and violations of the current wave before its turn.
    before: [u64; 2],
}

impl Turns for GroupTurns<'_> {
    #[inline]
    fn next(&mut self) -> Option<Box<Wave>> {
        while self.next < self.count {
            let number = self.next;
            self.next += 1;
            if number == self.waves.len() {
                let mut wave = take_wave(self.spare, self.shared);
                self.start.prepare(&mut wave, number);
                self.waves.push(None);
                self.before = [0; 2];
                return Some(wave);
            }
            let Some(wave) = self.waves[number].take_if(|wave| wave.takes_turn()) else {
                continue;
            };
            if wave.waiting != Waiting::No {
                self.waves[number] = Some(wave);
                self.next = number;
                return None;
            }
            self.before = [wave.executed, wave.violations];
            return Some(wave);
        }
        None
    }

    #[inline]
    fn end(&mut self, wave: Box<Wave>) {
        account(self.stats, self.violation, &wave, self.before);
        if wave.waiting == Waiting::Ended {
            self.spare.push(wave);
        } else {
            self.waves[self.next - 1] = Some(wave);
        }
    }
}
