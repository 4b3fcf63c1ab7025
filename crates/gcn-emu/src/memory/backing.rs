//! Where the host has an allocation of the guest's.

use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use memmap2::{MmapMut, MmapOptions};

/// Zeros that the host gives when they are touched.
#[derive(Debug)]
pub(super) struct Backing {
    /// Pages of its own; nothing for no bytes.
    pages: Option<MmapMut>,
    units: usize,
}

impl Backing {
    /// So many units of zero; nothing if the host has not so much.
    pub(super) fn new(units: usize) -> Option<Backing> {
        let bytes = units.checked_mul(size_of::<AtomicU64>())?;
        let pages = if bytes == 0 {
            None
        } else {
            let pages = MmapOptions::new().len(bytes).map_anon().ok()?;
            // A kernel that is the first to write a buffer waits for each page: they had better be large. Where there
            // are no large ones small ones will do.
            #[cfg(target_os = "linux")]
            let _ = pages.advise(memmap2::Advice::HugePage);
            Some(pages)
        };
        Some(Backing { pages, units })
    }
}

impl Deref for Backing {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        match &self.pages {
            // SAFETY: the pages are so many units, aligned, of which every value is one; nothing but what this gives
            // accesses them.
            Some(pages) => unsafe { std::slice::from_raw_parts(pages.as_ptr().cast(), self.units) },
            None => &[],
        }
    }
}
