//! The turns of a workgroup's waves: in their order and of one length, or as chance has them.

use crate::device::Config;
use crate::noise::Noise;

/// Instructions of the longest turn where chance decides.
const LONGEST_TURN: u64 = 64;

/// The order and the length of the turns that one thread gives.
pub(super) struct Schedule {
    /// Noise that decides, where it does.
    noise: Option<Noise>,
    /// The wave that begins the workgroup's turn.
    first: usize,
    quantum: u64,
}

impl Schedule {
    /// The schedule of the thread with a number.
    pub(super) fn new(config: &Config, thread: usize) -> Schedule {
        let noise = |seed| Noise::new(seed).of(thread as u64);
        Schedule {
            noise: config.schedule.map(noise),
            first: 0,
            quantum: config.quantum,
        }
    }

    /// The wave that has the turn with this number among those of a workgroup's `count` waves, and its length in instructions.
    pub(super) fn turn(&mut self, turn: usize, count: usize) -> (usize, u64) {
        let Some(noise) = &mut self.noise else {
            return (turn, self.quantum);
        };
        if turn == 0 {
            self.first = noise.next() as usize;
        }
        let quantum = 1 + noise.next() % LONGEST_TURN.min(self.quantum);
        (self.first.wrapping_add(turn) % count, quantum)
    }
}
