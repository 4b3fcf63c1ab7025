//! A wave's turn: where it ends, and where the instructions are.

use std::sync::atomic::Ordering::Relaxed;

use super::instruction::NOWHERE;
use super::stop::Stop;
use crate::fault::FaultKind;
use crate::observe::Dispatched;
use crate::step::Step;
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

    /// Ends it where the wave has executed its instructions, and goes on at the dword with number `index`.
    ///
    /// # Errors
    /// The wave may not go on.
    pub(super) fn end(&self, wave: &mut Wave, index: usize) -> Result<(), Stop> {
        let Dispatched { device, code, .. } = *self.dispatched;
        if index != NOWHERE {
            wave.pc = code.address(index);
        }
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

    /// The instructions from the dword with number `index` on that follow each other, of those that the turn still has.
    ///
    /// # Errors
    /// There are none.
    #[inline(always)]
    pub(super) fn steps(&self, wave: &Wave, index: usize) -> Result<&'a [Step], Stop> {
        match self.dispatched.code.steps_at(index) {
            Some(Ok(steps)) => Ok(match usize::try_from(self.until - wave.executed) {
                Ok(left) if left < steps.len() => &steps[..left],
                _ => steps,
            }),
            Some(Err(error)) => {
                Err(self.is_nowhere(wave, index, Some(FaultKind::Undecodable(error))))
            }
            None => Err(self.is_nowhere(wave, index, None)),
        }
    }

    /// The first of them.
    ///
    /// # Errors
    /// There is none.
    #[inline(always)]
    pub(super) fn step(&self, wave: &Wave, index: usize) -> Result<&'a Step, Stop> {
        let none = || self.is_nowhere(wave, index, None);
        self.steps(wave, index)?.first().ok_or_else(none)
    }

    /// The reason why there is no instruction.
    #[cold]
    fn is_nowhere(&self, wave: &Wave, index: usize, undecodable: Option<FaultKind>) -> Stop {
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
