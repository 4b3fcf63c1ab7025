//! Mappings of memory objects and of shared virtual memory, in the order in which the program made them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mapped part of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedRegion<R> {
    /// Address for the program.
    address: usize,
    pub(crate) region: R,
    /// The program may write it.
    pub(crate) is_written: bool,
}

/// The mappings of an object.
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

    /// Maps a region that the program has at an address.
    pub(crate) fn add(&self, address: usize, region: R, is_written: bool) {
        self.list().push(MappedRegion {
            address,
            region,
            is_written,
        });
    }

    /// Takes the last mapping of an address back, if there is one.
    pub(crate) fn take(&self, address: usize) -> Option<MappedRegion<R>> {
        let mut list = self.list();
        let last = list.iter().rposition(|it| it.address == address)?;
        Some(list.remove(last))
    }

    /// Number of mappings.
    pub(crate) fn count(&self) -> usize {
        self.list().len()
    }
}
