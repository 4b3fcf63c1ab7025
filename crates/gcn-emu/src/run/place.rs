//! Positions of waves when a run stops.

use crate::wave::{Waiting, WaveId};

/// Maximum number of wave positions that a stopped run reports.
pub const MAX_PLACES: usize = 64;

/// Position of a wave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WavePlace {
    /// ID of the wave.
    pub wave: WaveId,
    /// Address of the instruction that the wave executes next or waits at.
    pub pc: u64,
    /// Text of the instruction, if it can be decoded.
    pub text: Option<String>,
    /// Mask of active lanes.
    pub exec: u64,
    /// Execution state of the wave.
    pub waiting: Waiting,
}

/// Sorts positions in the order in which waves begin, with x varying fastest, and keeps the first [`MAX_PLACES`].
pub(super) fn keep_first(places: &mut Vec<WavePlace>) {
    places.sort_by_key(|place| place.wave.rank());
    places.truncate(MAX_PLACES);
}

/// Keeps the position of the wave that begins first.
pub(super) fn keep_first_wave(kept: &mut Option<(WaveId, u64)>, other: (WaveId, u64)) {
    if kept.is_none_or(|(wave, _)| other.0.rank() < wave.rank()) {
        *kept = Some(other);
    }
}
