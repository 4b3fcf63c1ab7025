//! Reason why a wave has stopped.

use crate::fault::FaultKind;

pub(super) struct Stop {
    pub(super) kind: FaultKind,
    pub(super) pc: u64,
    pub(super) lane: Option<u8>,
}
