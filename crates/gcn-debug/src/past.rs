//! Moments of a launch, images of memory, and changes by the user.

use gcn_emu::memory::Memory;
use gcn_emu::wave::WaveId;

use crate::pages::kept_allocations;
use crate::scalar::Scalar;
use crate::view::Target;

/// Contents of all allocations, except for the memory of kernels' `malloc`.
#[derive(Clone, Debug, Default)]
pub struct MemoryImage {
    parts: Vec<(u64, Vec<u8>)>,
}

impl MemoryImage {
    /// Copies memory; `None` if there is more than is kept.
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
    /// The wave in focus.
    pub(crate) wave: Option<WaveId>,
    pub(crate) lane: u8,
    pub(crate) target: Target,
    pub(crate) value: Scalar,
}
