//! Object handles: addresses by which applications refer to objects.
//!
//! The ICD loader reads the function table pointer at a handle's address. The platform never dereferences a handle but
//! looks it up, so it detects released handles and handles of the wrong type. An object and its handle remain valid
//! while the application, another object or a command holds a reference.

use std::collections::{BTreeMap, VecDeque};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use crate::status::{Outcome, Status};

/// Object handle: an address, or 0.
pub type Handle = usize;

/// Number of free handles kept before one is reused, which makes a stale handle unlikely to denote a new object.
const MIN_FREE: usize = 1 << 14;

/// Address of the function table.
static TABLE: AtomicUsize = AtomicUsize::new(0);

/// Memory at a handle's address. The ICD loader reads it.
#[repr(C)]
struct Stub {
    table: usize,
}

/// Free handles, oldest first.
static FREE: Mutex<VecDeque<Handle>> = Mutex::new(VecDeque::new());

/// Sets the address of the function table for handles created from now on.
pub(crate) fn set_table(address: usize) {
    TABLE.store(address, Relaxed);
}

fn new_handle() -> Handle {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    if free.len() > MIN_FREE
        && let Some(handle) = free.pop_front()
    {
        return handle;
    }
    drop(free);
    let stub: &'static Stub = Box::leak(Box::new(Stub {
        table: TABLE.load(Relaxed),
    }));
    std::ptr::from_ref(stub).expose_provenance()
}

/// Handle that an object owns. Dropping it frees the handle.
#[derive(Debug)]
pub(crate) struct Id<T: Object> {
    handle: Handle,
    of: PhantomData<fn() -> T>,
}

impl<T: Object> Id<T> {
    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }
}

impl<T: Object> Drop for Id<T> {
    fn drop(&mut self) {
        T::registry().write().remove(&self.handle);
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        free.push_back(self.handle);
    }
}

/// Type of object that applications refer to by a handle.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// Error for a handle that does not denote an object of this type.
    const INVALID: Status;

    /// Returns the registry of all objects of this type.
    fn registry() -> &'static Registry<Self>;

    /// Returns the owned handle.
    fn id(&self) -> &Id<Self>;

    fn handle(&self) -> Handle {
        self.id().handle()
    }
}

/// Objects of one type, by handle.
pub(crate) struct Registry<T>(RwLock<BTreeMap<Handle, HandleSlot<T>>>);

struct HandleSlot<T> {
    object: Weak<T>,
    /// Number of references that the application holds.
    count: u32,
    /// Reference that keeps the object alive; `None` once the count is 0.
    retained: Option<Arc<T>>,
}

impl<T> Registry<T> {
    pub(crate) const fn new() -> Registry<T> {
        Registry(RwLock::new(BTreeMap::new()))
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Handle, HandleSlot<T>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<Handle, HandleSlot<T>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates and registers an object, for which the application holds the first reference. `make` gets the handle.
pub(crate) fn publish<T: Object>(make: impl FnOnce(Id<T>) -> T) -> Arc<T> {
    let handle = new_handle();
    let object = Arc::new(make(Id {
        handle,
        of: PhantomData,
    }));
    let slot = HandleSlot {
        object: Arc::downgrade(&object),
        count: 1,
        retained: Some(object.clone()),
    };
    T::registry().write().insert(handle, slot);
    object
}

/// Looks up an object by handle.
///
/// # Errors
/// Fails if the handle does not denote an object of this type.
pub(crate) fn get<T: Object>(handle: Handle) -> Outcome<Arc<T>> {
    let slots = T::registry().read();
    let object = slots.get(&handle).and_then(|slot| slot.object.upgrade());
    object.ok_or(T::INVALID)
}

/// Looks up several objects by handle.
///
/// # Errors
/// The errors of [`get`].
pub(crate) fn get_all<T: Object>(handles: &[Handle]) -> Outcome<Vec<Arc<T>>> {
    handles.iter().map(|handle| get(*handle)).collect()
}

/// Returns all objects of a type.
pub(crate) fn all<T: Object>() -> Vec<Arc<T>> {
    let slots = T::registry().read();
    slots
        .values()
        .filter_map(|slot| slot.object.upgrade())
        .collect()
}

/// Increments the application's reference count.
///
/// # Errors
/// The errors of [`get`].
pub(crate) fn retain<T: Object>(handle: Handle) -> Outcome {
    let mut slots = T::registry().write();
    let slot = slots.get_mut(&handle).ok_or(T::INVALID)?;
    let object = slot.object.upgrade().ok_or(T::INVALID)?;
    slot.count = slot.count.checked_add(1).ok_or(Status::OUT_OF_RESOURCES)?;
    slot.retained = Some(object);
    Ok(())
}

/// Decrements the application's reference count.
///
/// # Errors
/// The errors of [`get`], or the count is already 0.
pub(crate) fn release<T: Object>(handle: Handle) -> Outcome {
    let mut slots = T::registry().write();
    let slot = slots.get_mut(&handle).ok_or(T::INVALID)?;
    slot.count = slot.count.checked_sub(1).ok_or(T::INVALID)?;
    let last = if slot.count == 0 {
        slot.retained.take()
    } else {
        None
    };
    drop(slots);
    // Dropping the object accesses the registry and may call application callbacks, so the lock is released first.
    drop(last);
    Ok(())
}

/// Returns the number of references that the application holds.
pub(crate) fn references<T: Object>(object: &T) -> u32 {
    let slots = T::registry().read();
    slots.get(&object.handle()).map_or(0, |slot| slot.count)
}

/// Implements [`Object`] for a type and defines its registry.
macro_rules! object {
    ($Type:ident, $invalid:ident) => {
        impl crate::handle::Object for $Type {
            const INVALID: crate::status::Status = crate::status::Status::$invalid;

            fn registry() -> &'static crate::handle::Registry<$Type> {
                static REGISTRY: crate::handle::Registry<$Type> = crate::handle::Registry::new();
                &REGISTRY
            }

            fn id(&self) -> &crate::handle::Id<$Type> {
                &self.id
            }
        }
    };
}
pub(crate) use object;

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing {
        id: Id<Thing>,
    }

    object!(Thing, INVALID_SAMPLER);

    #[test]
    fn an_object_lives_as_long_as_somebody_holds_it() {
        let thing = publish(|id| Thing { id });
        let handle = thing.handle();
        assert_eq!(references(&*thing), 1);
        assert_eq!(retain::<Thing>(handle), Ok(()));
        assert_eq!(references(&*thing), 2);
        assert_eq!(release::<Thing>(handle), Ok(()));
        assert_eq!(release::<Thing>(handle), Ok(()));
        // The application no longer has a reference, but this test keeps the object alive.
        assert_eq!(release::<Thing>(handle), Err(Status::INVALID_SAMPLER));
        assert!(get::<Thing>(handle).is_ok());
        drop(thing);
        assert!(matches!(get::<Thing>(handle), Err(Status::INVALID_SAMPLER)));
        assert!(get::<Thing>(0).is_err() && retain::<Thing>(handle).is_err());
    }

    #[test]
    fn a_released_handle_is_not_used_again_soon() {
        let first = publish(|id| Thing { id });
        let handle = first.handle();
        assert_eq!(release::<Thing>(handle), Ok(()));
        drop(first);
        for _ in 0..1000 {
            let other = publish(|id| Thing { id });
            assert_ne!(other.handle(), handle);
            assert_eq!(release::<Thing>(other.handle()), Ok(()));
        }
    }
}
