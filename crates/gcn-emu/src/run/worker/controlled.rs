//! Control by a debugger: turns of waves, and checkpoints.

use std::sync::atomic::Ordering::Relaxed;

use super::decision::GeneralDecision;
use super::{Worker, unobserved_policy};
use crate::checkpoint::{Checkpoint, SavedDevice};
use crate::fault::{Fault, FaultKind};
use crate::observe::{Paused, Resting, Turn};
use crate::wave::Waiting;

impl Worker<'_> {
    /// Runs workgroups until the run ends. If the debugger returns to a checkpoint, the run continues there.
    pub(super) fn work_through(&mut self) {
        let mut resumes = false;
        loop {
            let end = self.work_from(resumes);
            resumes = self.resume();
            if resumes {
                continue;
            }
            if let Err(fault) = end {
                self.shared.report(*fault);
            }
            return;
        }
    }

    /// Runs wave `number` of a workgroup for at most `instructions` instructions, or until it waits or ends, as far
    /// as the debugger allows. Returns true if it executed any instruction, or if the debugger holds it.
    pub(super) fn run(
        &mut self,
        index: usize,
        number: usize,
        instructions: u64,
    ) -> Result<bool, Box<Fault>> {
        let mut left = instructions;
        let mut progress = false;
        loop {
            let before = self.progress.stats.instructions;
            let most = match self.decision(index, number) {
                Turn::Run { instructions, .. } => instructions.clamp(1, left.max(1)),
                Turn::Hold => return Ok(true),
                Turn::Quit => {
                    let (id, pc) = match &self.resident[index].waves[number] {
                        Some(wave) => (wave.id, wave.pc),
                        None => return Ok(progress),
                    };
                    return Err(Box::new(self.fault(id, pc, FaultKind::Interrupted, None)));
                }
            };
            let ran = self.run_freely(index, number, most)?;
            progress |= ran;
            left = left.saturating_sub(self.progress.stats.instructions - before);
            let wave = self.resident[index].waves[number].as_deref();
            if !ran || left == 0 || wave.is_none_or(|wave| wave.waiting != Waiting::No) {
                return Ok(progress);
            }
        }
    }

    /// Decision on a wave's turn: the debugger's last one if it is general, or else a new one.
    fn decision(&mut self, index: usize, number: usize) -> Turn {
        let dispatched = self.shared.dispatched();
        if let (Some(control), Some(wave)) =
            (&mut self.control, &self.resident[index].waves[number])
            && let Some(GeneralDecision { turn, until }) = control.general
            && self.progress.stats.instructions < until
            && !(control.has_stops && control.stops.is_at_stop(&dispatched, wave.pc))
        {
            return turn;
        }
        self.ask(index, number)
    }

    /// Asks the debugger for its decision on a wave's turn.
    #[cold]
    fn ask(&mut self, index: usize, number: usize) -> Turn {
        let dispatched = self.shared.dispatched();
        let Some(control) = &mut self.control else {
            return Turn::Hold;
        };
        let place = (index, number);
        let executed = self.progress.stats.instructions;
        let mut paused = Paused::new(&dispatched, &mut self.resident, place, executed);
        let turn = control.debugger.turn(&mut paused);
        control.general = GeneralDecision::of(turn, executed);
        control.has_stops = false;
        let is_exact = control.debugger.is_exact();
        if std::mem::replace(&mut control.is_exact, is_exact) != is_exact {
            self.policy = unobserved_policy(is_exact);
        }
        if let Turn::Run {
            stops: Some(generation),
            ..
        } = turn
        {
            let variant = self.policy.map(|policy| policy.variant);
            control.stops.begin_turn(generation, variant);
            control.has_stops = true;
        }
        turn
    }

    /// Reports a fault to the debugger.
    #[cold]
    pub(super) fn show_fault(&mut self, index: usize, number: usize, fault: &Fault) {
        let dispatched = self.shared.dispatched();
        if let Some(control) = &self.control {
            let place = (index, number);
            let executed = self.progress.stats.instructions;
            let mut paused = Paused::new(&dispatched, &mut self.resident, place, executed);
            control.debugger.faults(&mut paused, fault);
        }
    }

    /// Calls the debugger between turns of workgroups.
    #[cold]
    pub(super) fn rest(&mut self) {
        let Some(control) = &self.control else {
            return;
        };
        let dispatched = self.shared.dispatched();
        let save = || self.save();
        let instructions = self.progress.stats.instructions;
        let resting = Resting::new(&dispatched, instructions, &save);
        control.debugger.rests(&resting);
        // The debugger may have lost its recording, which changes `is_exact`.
        let is_exact = control.debugger.is_exact();
        if let Some(control) = self.control.as_mut().filter(|it| it.is_exact != is_exact) {
            control.general = None;
        }
    }

    /// Saves the state of the run; `None` if the state of host calls cannot be saved.
    fn save(&self) -> Option<Checkpoint> {
        Some(Checkpoint {
            groups: self.resident.iter().map(|it| (**it).clone()).collect(),
            progress: self.progress.clone(),
            next: self.shared.next.0.load(Relaxed),
            schedule: self.schedule.clone(),
            device: SavedDevice::save(self.shared.device)?,
        })
    }

    /// Returns to a checkpoint if the debugger continues a run that would otherwise end. Returns false if the run ends.
    fn resume(&mut self) -> bool {
        let dispatched = self.shared.dispatched();
        let control = self.control.as_ref();
        let checkpoint = control.map(|it| it.debugger.resumes_at(&dispatched));
        let Some(checkpoint) = checkpoint.flatten() else {
            return false;
        };
        if let Some(control) = &mut self.control {
            control.general = None;
        }
        self.resident.clear();
        let groups = checkpoint.groups.iter();
        self.resident.extend(groups.map(|it| Box::new(it.clone())));
        self.progress.clone_from(&checkpoint.progress);
        self.schedule.clone_from(&checkpoint.schedule);
        self.shared.next.0.store(checkpoint.next, Relaxed);
        checkpoint.device.restore(self.shared.device);
        self.faulty = None;
        self.reported = self.reported.min(checkpoint.instructions());
        true
    }
}
