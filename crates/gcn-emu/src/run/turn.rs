//! Turn of a wave: its end, and reasons why the wave cannot continue.

use std::sync::atomic::Ordering::Relaxed;

use super::instruction::NOWHERE;
use super::stop::Stop;
use crate::fault::FaultKind;
use crate::observe::Dispatched;
use crate::wave::Wave;

#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    dispatched: &'a Dispatched<'a>,
    /// Maximum number of instructions that a wave may execute in total.
    limit: u64,
    /// Instruction count at which the turn ends.
    pub(super) until: u64,
}

impl<'a> Turn<'a> {
    /// Creates a turn of at most `instructions` instructions, but at least one.
    #[inline(always)]
    pub(super) fn new(dispatched: &'a Dispatched<'a>, wave: &Wave, instructions: u64) -> Turn<'a> {
        let limit = dispatched.device.config.limit.unwrap_or(u64::MAX);
        Turn {
            dispatched,
            limit,
            until: wave.executed.saturating_add(instructions.max(1)).min(limit),
        }
    }

    /// Sets the wave's program counter to the dword with this index.
    pub(super) fn set_pc(&self, wave: &mut Wave, index: usize) {
        if index != NOWHERE {
            wave.pc = self.dispatched.code.address(index);
        }
    }

    /// Checks for the instruction limit and for an interruption at the end of a turn.
    ///
    /// # Errors
    /// Fails if the wave may not continue.
    pub(super) fn end(&self, wave: &Wave) -> Result<(), Stop> {
        let device = self.dispatched.device;
        let stop = |kind| Stop {
            kind,
            pc: wave.pc,
            lane: None,
        };
        if wave.executed >= self.limit {
            return Err(stop(FaultKind::Limit(self.limit)));
        }
        if device.interrupted.load(Relaxed) {
            return Err(stop(FaultKind::Interrupted));
        }
        Ok(())
    }

    /// Creates the stop of a wave at dword `index`, where there is no instruction.
    #[cold]
    pub(super) fn nowhere(
        &self,
        wave: &Wave,
        index: usize,
        undecodable: Option<FaultKind>,
    ) -> Stop {
        let code = self.dispatched.code;
        let from = wave.branch.map(|branch| code.address(branch));
        let (kind, pc) = match undecodable {
            Some(kind) => (kind, code.address(index)),
            None if index == NOWHERE => (FaultKind::PcMisaligned { from }, wave.pc),
            None => (FaultKind::PcOutside { from }, code.address(index)),
        };
        Stop {
            kind,
            pc,
            lane: None,
        }
    }
}
