//! Turns of waves under the control of a debugger.

use super::Worker;
use crate::fault::{Fault, FaultKind};
use crate::observe::{Paused, Turn};
use crate::wave::Waiting;

impl Worker<'_> {
    /// Runs wave `number` of a workgroup for at most `instructions` instructions, or until it waits or ends, as far
    /// as the debugger allows. Returns true if it executed any instruction, or if the debugger holds it.
    pub(super) fn run(
        &mut self,
        index: usize,
        number: usize,
        instructions: u64,
    ) -> Result<bool, Box<Fault>> {
        if self.control.is_none() {
            return self.run_freely(index, number, instructions);
        }
        let mut left = instructions;
        let mut progress = false;
        loop {
            let before = self.stats.instructions;
            let most = match self.ask(index, number) {
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
            left = left.saturating_sub(self.stats.instructions - before);
            let wave = self.resident[index].waves[number].as_deref();
            if !ran || left == 0 || wave.is_none_or(|wave| wave.waiting != Waiting::No) {
                return Ok(progress);
            }
        }
    }

    /// Asks the debugger for its decision on a wave's turn.
    #[cold]
    fn ask(&mut self, index: usize, number: usize) -> Turn {
        let dispatched = self.shared.dispatched();
        let Some(control) = &mut self.control else {
            return Turn::Hold;
        };
        let place = (index, number);
        let executed = self.stats.instructions;
        let mut paused = Paused::new(&dispatched, &mut self.resident, place, executed);
        let turn = control.debugger.turn(&mut paused);
        control.has_stops = false;
        if let Turn::Run {
            stops: Some(generation),
            ..
        } = turn
        {
            control.stops.renew(generation);
            control.has_stops = true;
        }
        turn
    }

    /// Shows a fault to the debugger.
    #[cold]
    pub(super) fn show_fault(&mut self, index: usize, number: usize, fault: &Fault) {
        let dispatched = self.shared.dispatched();
        if let Some(control) = &self.control {
            let place = (index, number);
            let executed = self.stats.instructions;
            let mut paused = Paused::new(&dispatched, &mut self.resident, place, executed);
            control.debugger.faults(&mut paused, fault);
        }
    }
}
