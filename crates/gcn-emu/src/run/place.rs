//! Places of waves when a run stops.

use crate::wave::{Waiting, WaveId};

/// Waves that a stopped run tells the places of, at most.
pub const MAX_PLACES: usize = 64;

/// Place of a wave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WavePlace {
    /// The wave.
    pub wave: WaveId,
    /// Address of the instruction that it executes next, or that it waits at.
    pub pc: u64,
    /// The instruction's text, if it is one.
    pub text: Option<String>,
    /// The active lanes.
    pub exec: u64,
    /// The event that it waits for.
    pub waiting: Waiting,
}

/// Sorts the places, x fastest as the workgroups begin, and keeps as many as are reported.
pub(super) fn keep_first(places: &mut Vec<WavePlace>) {
    places.sort_by_key(|place| place.wave.rank());
    places.truncate(MAX_PLACES);
}

/// Keeps the one of two places that comes first in the order in which waves begin.
pub(super) fn keep_first_wave(kept: &mut Option<(WaveId, u64)>, other: (WaveId, u64)) {
    if kept.is_none_or(|(wave, _)| other.0.rank() < wave.rank()) {
        *kept = Some(other);
    }
}
