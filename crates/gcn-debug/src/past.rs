//! Data for reverse execution: points in the execution of a launch, memory images, and user changes.

use gcn_emu::memory::Memory;
use gcn_emu::wave::WaveId;

use crate::pages::kept_allocations;
use crate::scalar::Scalar;
use crate::view::Target;

/// Contents of all allocations except the device `malloc` heap.
#[derive(Clone, Debug, Default)]
pub struct MemoryImage {
    parts: Vec<(u64, Vec<u8>)>,
}

impl MemoryImage {
    /// Copies memory, or returns `None` if it is too large.
    pub fn take(memory: &Memory) -> Option<MemoryImage> {
        let allocations = kept_allocations(memory)?;
        let parts = allocations.iter().filter_map(|it| {
            let mut bytes = vec![0; usize::try_from(it.len).ok()?];
            memory.read(it.base, &mut bytes).then_some((it.base, bytes))
        });
        Some(MemoryImage {
            parts: parts.collect(),
        })
    }

    /// Writes the contents back, except for allocations that have been freed.
    pub fn restore(&self, memory: &Memory) {
        for (address, bytes) in &self.parts {
            memory.write(*address, bytes);
        }
    }
}

/// Point in the execution of a launch: a wave and the number of instructions it has executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Wave whose execution defines the point.
    pub wave: WaveId,
    /// Number of instructions that the wave has executed.
    pub executed: u64,
}

/// Register or memory change made by the user.
#[derive(Clone, Debug)]
pub(crate) struct UserChange {
    /// Position of the current wave at the time of the change.
    pub(crate) at: Moment,
    /// Focused wave at the time of the change.
    pub(crate) wave: Option<WaveId>,
    pub(crate) lane: u8,
    pub(crate) target: Target,
    pub(crate) value: Scalar,
}
