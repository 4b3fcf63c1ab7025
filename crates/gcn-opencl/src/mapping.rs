//! Records the mappings of memory objects and of shared virtual memory, in order of creation.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Mapped region of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedRegion<R> {
    /// Address returned to the application.
    address: usize,
    pub(crate) region: R,
    /// True if the region is mapped for writing.
    pub(crate) is_written: bool,
}

/// Mappings of an object.
pub(crate) struct Mappings<R>(Mutex<Vec<MappedRegion<R>>>);

impl<R> Default for Mappings<R> {
    fn default() -> Self {
        Mappings(Mutex::default())
    }
}

impl<R> Mappings<R> {
    fn list(&self) -> MutexGuard<'_, Vec<MappedRegion<R>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a mapping to `address`.
    pub(crate) fn add(&self, address: usize, region: R, is_written: bool) {
        self.list().push(MappedRegion {
            address,
            region,
            is_written,
        });
    }

    /// Removes and returns the latest mapping to `address`.
    pub(crate) fn take(&self, address: usize) -> Option<MappedRegion<R>> {
        let mut list = self.list();
        let last = list.iter().rposition(|it| it.address == address)?;
        Some(list.remove(last))
    }

    /// Returns the number of mappings.
    pub(crate) fn count(&self) -> usize {
        self.list().len()
    }
}
