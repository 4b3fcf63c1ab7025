//! Memory instructions in two steps: [`addresses`], then [`perform`].

use crate::code::Step;
use crate::device::Device;
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::wave::Wave;

/// Where an instruction is about to go, lane by lane.
#[derive(Clone, Debug, Default)]
pub struct Access {}

/// How an instruction went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is done.
    Done,
    /// The wave must try again later.
    Blocked,
}

/// The first step.
pub fn addresses(_wave: &Wave, _step: &Step, _device: &Device) -> Access {
    Access {}
}

/// The second step.
///
/// # Errors
/// The fault, and the lane to blame.
pub fn perform(
    _wave: &mut Wave,
    _step: &Step,
    _access: &Access,
    _lds: &mut Lds,
    _device: &Device,
) -> Result<Outcome, (FaultKind, Option<u8>)> {
    Err((FaultKind::NotExecuted, None))
}

/// Counts the instruction on the wave's scoreboard.
pub fn count(_wave: &mut Wave, _step: &Step, _pc: u64) {}
