//! A wave's turn: where it ends, and why it cannot go on.

use std::sync::atomic::Ordering::Relaxed;

use super::instruction::NOWHERE;
use super::stop::Stop;
use crate::fault::FaultKind;
use crate::observe::Dispatched;
use crate::wave::Wave;

/// A wave's turn.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    dispatched: &'a Dispatched<'a>,
    /// Instructions that a wave may execute in all.
    limit: u64,
    /// The turn ends when the wave has executed this number of instructions.
    pub(super) until: u64,
}

impl<'a> Turn<'a> {
    /// A turn of at most `instructions` instructions, but one at least.
    #[inline(always)]
    pub(super) fn new(dispatched: &'a Dispatched<'a>, wave: &Wave, instructions: u64) -> Turn<'a> {
        let limit = dispatched.device.config.limit.unwrap_or(u64::MAX);
        Turn {
            dispatched,
            limit,
            until: wave.executed.saturating_add(instructions.max(1)).min(limit),
        }
    }

    /// The wave goes on at the dword with number `index`.
    pub(super) fn set_pc(&self, wave: &mut Wave, index: usize) {
        if index != NOWHERE {
            wave.pc = self.dispatched.code.address(index);
        }
    }

    /// Ends it where the wave has executed its instructions.
    ///
    /// # Errors
    /// The wave may not go on.
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

    /// The reason why there is no instruction.
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
