//! Workgroups resident on a host thread: their waves and LDS.

use crate::lds::Lds;
use crate::wave::Wave;

/// Workgroup that has started but not ended.
#[derive(Clone, Debug)]
pub(crate) struct RunningGroup {
    pub(crate) id: [u32; 3],
    /// Size in work-items (x, y, z).
    pub(crate) size: [u32; 3],
    /// Total number of waves.
    pub(crate) count: usize,
    /// Waves started so far, by index; `None` for a wave that has ended.
    pub(crate) waves: Vec<Option<Box<Wave>>>,
    pub(crate) lds: Lds,
    /// Index of the workgroup's slot in the thread's scratch.
    pub(crate) slot: usize,
}

impl RunningGroup {
    /// Total number of work-items.
    pub(crate) fn items(&self) -> usize {
        self.size.iter().product::<u32>() as usize
    }

    /// Waves that have started but not ended.
    pub(crate) fn begun(&self) -> impl Iterator<Item = &Wave> {
        self.waves.iter().flatten().map(Box::as_ref)
    }
}
