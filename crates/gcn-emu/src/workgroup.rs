//! Workgroups that a host thread runs: their waves and their LDS.

use crate::lds::Lds;
use crate::wave::Wave;

/// A workgroup that has begun and not ended.
pub(crate) struct RunningGroup {
    pub(crate) id: [u32; 3],
    /// Work-items in x, y, z.
    pub(crate) size: [u32; 3],
    /// Waves that it has in all.
    pub(crate) count: usize,
    /// Waves that have begun, by number; `None` in place of one that has ended.
    pub(crate) waves: Vec<Option<Box<Wave>>>,
    pub(crate) lds: Lds,
    /// The one of the thread's scratch slots that it uses.
    pub(crate) slot: usize,
}

impl RunningGroup {
    /// Work-items in all.
    pub(crate) fn items(&self) -> usize {
        self.size.iter().product::<u32>() as usize
    }

    /// The waves that have begun and not ended.
    pub(crate) fn begun(&self) -> impl Iterator<Item = &Wave> {
        self.waves.iter().flatten().map(Box::as_ref)
    }
}
