//! Turns of a workgroup's waves with host code.

use super::super::shared::Shared;
use super::super::start::GroupStart;
use super::super::steps::{HostEntry, Turns, run_together};
use super::begin::take_wave;
use super::{REPORTED, Worker, account};
use crate::checkpoint::RunProgress;
use crate::fault::{Fault, FaultKind};
use crate::wave::{Waiting, Wave, WaveId};
use crate::workgroup::RunningGroup;

impl Worker<'_> {
    /// Runs turns of a workgroup's waves with host code, starting with wave `first`, as long as the waves are at the
    /// same block and not blocked. Does nothing if the waves are observed or debugged, read wait counters, complete
    /// operations late or take turns in random order. Returns the number of the first wave that has not had its turn.
    ///
    /// If all waves arrive at a barrier, the workgroup may begin another turn. If a workgroup ends in its first turn,
    /// the next one may take its place, as if the thread had started a new round with it. The result then refers to the
    /// last turn.
    pub(super) fn run_compiled(&mut self, index: usize, first: usize) -> Result<usize, Box<Fault>> {
        let Shared { device, code, .. } = *self.shared;
        let is_unobserved = self.watch.wants.is_empty()
            && self.control.is_none()
            && device.config.late.is_none()
            && !code.reads_counters();
        let (Some(policy), Some(quantum), true) =
            (self.policy, self.schedule.quantum_in_order(), is_unobserved)
        else {
            return Ok(first);
        };
        let can_continue = self.can_continue(index);
        let group = &mut *self.resident[index];
        let pc = match group.waves.get(first) {
            Some(Some(wave)) => wave.pc,
            Some(None) => return Ok(first),
            None => self.shared.dispatch.entry,
        };
        let Some(entry) = HostEntry::at(code, pc, policy) else {
            return Ok(first);
        };
        let start = GroupStart {
            cleared: if pc == self.shared.dispatch.entry {
                entry.cleared(code, self.shared.dispatch.initial.mode)
            } else {
                None
            },
            ..self
                .shared
                .starting(group, &self.template, &self.storage.ids, self.scratch)
        };
        let RunningGroup {
            id,
            count,
            waves,
            lds,
            ..
        } = group;
        let mut turns = GroupTurns {
            shared: self.shared,
            start,
            id,
            count: *count,
            waves,
            spare: &mut self.storage.waves,
            // Progress is reported between turns of workgroups.
            last: self.reported + REPORTED,
            can_continue,
            can_pass: first == 0,
            progress: &mut self.progress,
            turn_begin: &mut self.turn_begin,
            next: first,
            before: [0; 2],
            failed: None,
        };
        let memory = (lds, &mut *self.storage.transfer);
        let outcome = run_together(
            &self.shared.dispatched(),
            entry,
            memory,
            quantum,
            &mut turns,
        );
        let GroupTurns {
            next,
            before,
            failed,
            ..
        } = turns;
        if let Some(fault) = failed {
            let (id, pc, kind) = *fault;
            return Err(Box::new(self.fault(id, pc, kind, None)));
        }
        let Some((wave, result)) = outcome else {
            return Ok(next);
        };
        let number = next - 1;
        let left = quantum - (wave.executed - before[0]).min(quantum);
        if result.is_ok() && left > 0 && wave.waiting == Waiting::No {
            // The wave uses the rest of its turn.
            let RunProgress {
                stats, violation, ..
            } = &mut self.progress;
            account(stats, violation, &wave, before);
            self.resident[index].waves[number] = Some(wave);
            self.run_freely(index, number, left)?;
        } else {
            self.resident[index].waves[number] = Some(wave);
            self.settle(index, number, before, result)?;
        }
        Ok(next)
    }

    /// True if the next workgroup may take this one's place when this one ends in its first turn. This one must be the
    /// thread's only workgroup, so that the next one would begin anyway, and must have no LDS to set up.
    fn can_continue(&self, index: usize) -> bool {
        let round = &self.progress.round;
        let group = &*self.resident[index];
        self.resident.len() == 1
            && round.all_blocked
            && !self.progress.anyone_waits
            && group.waves.is_empty()
            && group.lds.bytes().is_empty()
            && group.slot == 0
    }
}

/// Turns of a workgroup's waves, in order, and of the workgroups that take its place.
#[allow(clippy::vec_box)]
struct GroupTurns<'g> {
    shared: &'g Shared<'g>,
    start: GroupStart<'g>,
    id: &'g mut [u32; 3],
    /// Number of waves of the workgroup.
    count: usize,
    waves: &'g mut Vec<Option<Box<Wave>>>,
    /// Ended waves, for reuse.
    spare: &'g mut Vec<Box<Wave>>,
    progress: &'g mut RunProgress,
    /// Number of instructions that the thread had executed before the turn.
    turn_begin: &'g mut u64,
    /// Instruction count of the thread at which no further turn begins.
    last: u64,
    /// True if another workgroup may take the place of this one.
    can_continue: bool,
    /// True if the turn began with the first wave, so that another one may begin after the last wave.
    can_pass: bool,
    /// Number of the next wave.
    next: usize,
    /// Numbers of instructions and violations of the current wave before its turn.
    before: [u64; 2],
    /// Wave whose host calls cannot be served, with its program counter and the fault.
    failed: Option<Box<(WaveId, u64, FaultKind)>>,
}

impl GroupTurns<'_> {
    /// Replaces a workgroup whose waves have ended with the next one, if that has the same size. Returns false if the
    /// workgroup was not replaced.
    fn continues(&mut self) -> bool {
        let progress = &mut *self.progress;
        let executed = progress.stats.instructions;
        if !self.can_continue || executed >= self.last || self.waves.iter().any(Option::is_some) {
            return false;
        }
        if progress.claimed.is_empty() {
            progress.claimed = self.shared.claim();
        }
        if progress.claimed.is_empty() {
            return false;
        }
        let id = self.shared.group(progress.claimed.start);
        if self.shared.dispatch.shape().group_size(id) != self.start.size {
            return false;
        }
        progress.claimed.start += 1;
        progress.stats.groups += 1;
        progress.stats.waves += self.count as u64;
        progress.round.begin = executed;
        *self.turn_begin = executed;
        (*self.id, self.start.id) = (id, id);
        self.waves.clear();
        self.next = 0;
        true
    }

    /// Opens the barrier and begins another turn of the workgroup if all waves that have not ended wait at the barrier
    /// and the round allows another turn. Returns false otherwise.
    fn passes(&mut self) -> bool {
        let executed = self.progress.stats.instructions;
        let round = &self.progress.round;
        let mut begun = self.waves.iter().flatten();
        if !self.can_pass
            || executed >= self.last
            || executed - round.begin >= round.long_turn
            || begun.clone().next().is_none()
            || !begun.all(|wave| wave.waiting == Waiting::Barrier)
        {
            return false;
        }
        for wave in self.waves.iter_mut().flatten() {
            wave.waiting = Waiting::No;
        }
        *self.turn_begin = executed;
        self.next = 0;
        true
    }

    /// Serves the host calls that a wave has made in its turn.
    fn serve(&mut self, wave: &Wave) {
        let device = self.shared.device;
        if let Some(host) = &device.host_calls
            && let Err(error) = host.serve(&device.memory)
        {
            let pc = self.shared.place(wave).pc;
            self.failed = Some(Box::new((wave.id, pc, FaultKind::HostCall(error))));
        }
    }
}

impl Turns for GroupTurns<'_> {
    #[inline]
    fn next(&mut self) -> Option<Box<Wave>> {
        if self.failed.is_some() {
            return None;
        }
        while self.next < self.count || self.passes() || self.continues() {
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
        let RunProgress {
            stats, violation, ..
        } = &mut *self.progress;
        account(stats, violation, &wave, self.before);
        self.serve(&wave);
        if wave.waiting == Waiting::Ended && self.failed.is_none() {
            self.spare.push(wave);
        } else {
            self.waves[self.next - 1] = Some(wave);
        }
    }
}
