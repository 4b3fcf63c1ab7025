//! Handles for objects that programs create and destroy. Generated handles are never reused.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use crate::abi::Handle;

/// Objects of one type, by handle.
#[derive(Debug)]
pub(crate) struct Handles<T>(RwLock<HashMap<Handle, Arc<T>>>);

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles(RwLock::default())
    }
}

/// Returns a handle that is unique in the process.
pub(crate) fn next() -> Handle {
    static NEXT: AtomicU64 = AtomicU64::new(0x4847_0001);
    NEXT.fetch_add(1, Relaxed)
}

impl<T> Handles<T> {
    /// Generates a handle, registers the object that `make` creates for it, and returns the handle.
    pub(crate) fn add(&self, make: impl FnOnce(Handle) -> T) -> Handle {
        let handle = next();
        let thing = Arc::new(make(handle));
        self.insert(handle, thing);
        handle
    }

    pub(crate) fn insert(&self, handle: Handle, thing: Arc<T>) {
        let mut things = self.0.write().unwrap_or_else(PoisonError::into_inner);
        things.insert(handle, thing);
    }

    pub(crate) fn get(&self, handle: Handle) -> Option<Arc<T>> {
        let things = self.0.read().unwrap_or_else(PoisonError::into_inner);
        things.get(&handle).cloned()
    }

    pub(crate) fn remove(&self, handle: Handle) -> Option<Arc<T>> {
        let mut things = self.0.write().unwrap_or_else(PoisonError::into_inner);
        things.remove(&handle)
    }

    /// Returns all objects, sorted by handle.
    pub(crate) fn all(&self) -> Vec<(Handle, Arc<T>)> {
        let things = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = things
            .iter()
            .map(|(handle, thing)| (*handle, thing.clone()))
            .collect();
        drop(things);
        all.sort_by_key(|(handle, _)| *handle);
        all
    }
}
