//! The past of a launch: memory as it was at its begin, and the changes that the user has made since.
//!
//! A launch runs on one thread, and its schedule depends on nothing but the program and its memory. To come to an earlier moment, memory
//! is restored and the launch runs again until the wave has executed as many instructions as then. Changes by the user are made again.

use gcn_emu::memory::Memory;
use gcn_emu::wave::WaveId;

use crate::scalar::Scalar;
use crate::view::Target;

/// Memory that is kept for going back at most, in bytes.
const MAX_BYTES: u64 = 128 << 20;

/// Largest allocation that is kept though the host has written nothing there, in bytes. Larger is the memory of kernels' `malloc`.
const MAX_UNWRITTEN: u64 = 64 << 20;

/// Contents of all allocations, but for the memory of kernels' `malloc`.
#[derive(Clone, Debug, Default)]
pub struct MemoryImage {
    parts: Vec<(u64, Vec<u8>)>,
}

impl MemoryImage {
    /// Copies memory; `None` if there is more than is kept.
    pub fn take(memory: &Memory) -> Option<MemoryImage> {
        let mut allocations = memory.allocations();
        allocations.retain(|it| it.host_has_written || it.len <= MAX_UNWRITTEN);
        let bytes: u64 = allocations.iter().map(|it| it.len).sum();
        if bytes > MAX_BYTES {
            return None;
        }
        let parts = allocations.iter().filter_map(|it| {
            let mut bytes = vec![0; usize::try_from(it.len).ok()?];
            memory.read(it.base, &mut bytes).then_some((it.base, bytes))
        });
        Some(MemoryImage {
            parts: parts.collect(),
        })
    }

    /// Writes the contents back; what has been freed is left out.
    pub fn restore(&self, memory: &Memory) {
        for (address, bytes) in &self.parts {
            memory.write(*address, bytes);
        }
    }
}

/// A moment of a launch: a wave that has executed a number of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Wave.
    pub wave: WaveId,
    /// Instructions that it has executed.
    pub executed: u64,
}

/// A change of state by the user.
#[derive(Clone, Debug)]
pub(crate) struct UserChange {
    /// The wave whose turn it was.
    pub(crate) at: Moment,
    /// Instructions of the launch before it.
    pub(crate) instructions: u64,
    /// The wave in focus.
    pub(crate) wave: Option<WaveId>,
    pub(crate) lane: u8,
    pub(crate) target: Target,
    pub(crate) value: Scalar,
}

/// The past of the launch that runs.
#[derive(Debug, Default)]
pub(crate) struct Past {
    pub(crate) image: Option<MemoryImage>,
    pub(crate) changes: Vec<UserChange>,
    /// Changes that have been made again.
    pub(crate) replayed: usize,
    /// Reason for which the launch cannot be run again to the same end.
    pub(crate) lost: Option<&'static str>,
}

impl Past {
    /// Forgets changes behind a moment.
    pub(crate) fn truncate(&mut self, instructions: u64) {
        self.changes.retain(|it| it.instructions <= instructions);
        self.replayed = self.changes.len();
    }

    /// The next change to make again.
    pub(crate) fn next_change(&self) -> Option<&UserChange> {
        self.changes.get(self.replayed)
    }

    /// The next change, if it was made at this moment.
    pub(crate) fn due(&mut self, at: Moment) -> Option<UserChange> {
        let next = self.next_change().filter(|next| next.at == at)?.clone();
        self.replayed += 1;
        Some(next)
    }
}
