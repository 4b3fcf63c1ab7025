//! Schedule of the turns of a workgroup's waves: in order and of equal length, or random.

use crate::device::Config;
use crate::noise::Noise;

/// Maximum number of instructions in a random turn.
const LONGEST_TURN: u64 = 64;

/// Order and length of the turns on one thread.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// Generator of a random schedule.
    noise: Option<Noise>,
    /// Random number that selects the wave with the workgroup's first turn.
    first: usize,
    quantum: u64,
}

impl Schedule {
    /// Creates the schedule of thread `thread`.
    pub(crate) fn new(config: &Config, thread: usize) -> Schedule {
        let noise = |seed| Noise::new(seed).of(thread as u64);
        Schedule {
            noise: config.schedule.map(noise),
            first: 0,
            quantum: config.quantum.max(1),
        }
    }

    /// Length of all turns in instructions, if waves take turns in order.
    pub(super) fn quantum_in_order(&self) -> Option<u64> {
        self.noise.is_none().then_some(self.quantum)
    }

    /// Returns the wave that has the given turn of a workgroup with `count` waves, and the length of the turn in
    /// instructions.
    pub(crate) fn turn(&mut self, turn: usize, count: usize) -> (usize, u64) {
        let Some(noise) = &mut self.noise else {
            return (turn, self.quantum);
        };
        if turn == 0 {
            self.first = noise.next() as usize;
        }
        let quantum = 1 + noise.next() % LONGEST_TURN.min(self.quantum);
        ((self.first % count + turn) % count, quantum)
    }
}
