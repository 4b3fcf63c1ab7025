//! Handles: the addresses by which programs know objects.
//!
//! Loaders of platforms read a table of functions at a handle's address, and nobody else reads there: a handle is looked up, and
//! one that was released, or that is of another type, is not found. An object lives while a program holds references, or
//! another object or a command does; its handle is valid as long.

use std::collections::{BTreeMap, VecDeque};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use crate::status::{Outcome, Status};

/// A handle: an address, or 0.
pub type Handle = usize;

/// Handles that are free before one of them is used again, so that a handle that was released does not soon name another object.
const RESTING: usize = 1 << 14;

/// Address of the table of functions.
static TABLE: AtomicUsize = AtomicUsize::new(0);

/// Memory at a handle's address.
#[repr(C)]
struct Stub {
    table: usize,
}

/// Handles that no object has.
static FREE: Mutex<VecDeque<Handle>> = Mutex::new(VecDeque::new());

/// Sets the address of the table of functions, which is the first word at all handles made from now on.
pub(crate) fn set_table(address: usize) {
    TABLE.store(address, Relaxed);
}

fn new_handle() -> Handle {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    if free.len() > RESTING
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

/// A handle that an object has.
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

/// An object that programs have handles of.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// Error for an invalid handle of this type.
    const INVALID: Status;

    /// All objects of the type.
    fn registry() -> &'static Registry<Self>;

    /// The object's own.
    fn id(&self) -> &Id<Self>;

    /// Handle.
    fn handle(&self) -> Handle {
        self.id().handle()
    }
}

/// Objects of a type by handle.
pub(crate) struct Registry<T>(RwLock<BTreeMap<Handle, HandleSlot<T>>>);

struct HandleSlot<T> {
    object: Weak<T>,
    /// References that programs hold.
    count: u32,
    /// Present while there are any.
    kept: Option<Arc<T>>,
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

/// Makes an object, which knows its handle, with one reference of the program's.
pub(crate) fn publish<T: Object>(make: impl FnOnce(Id<T>) -> T) -> Arc<T> {
    let handle = new_handle();
    let object = Arc::new(make(Id {
        handle,
        of: PhantomData,
    }));
    let slot = HandleSlot {
        object: Arc::downgrade(&object),
        count: 1,
        kept: Some(object.clone()),
    };
    T::registry().write().insert(handle, slot);
    object
}

/// The object of a handle.
///
/// # Errors
/// The handle is none of the type.
pub(crate) fn get<T: Object>(handle: Handle) -> Outcome<Arc<T>> {
    let slots = T::registry().read();
    let object = slots.get(&handle).and_then(|slot| slot.object.upgrade());
    object.ok_or(T::INVALID)
}

/// The objects of a list of handles.
///
/// # Errors
/// As [`get`].
pub(crate) fn get_all<T: Object>(handles: &[Handle]) -> Outcome<Vec<Arc<T>>> {
    handles.iter().map(|handle| get(*handle)).collect()
}

/// All objects of a type.
pub(crate) fn all<T: Object>() -> Vec<Arc<T>> {
    let slots = T::registry().read();
    slots
        .values()
        .filter_map(|slot| slot.object.upgrade())
        .collect()
}

/// Adds a reference of the program's.
///
/// # Errors
/// As [`get`].
pub(crate) fn retain<T: Object>(handle: Handle) -> Outcome {
    let mut slots = T::registry().write();
    let slot = slots.get_mut(&handle).ok_or(T::INVALID)?;
    let object = slot.object.upgrade().ok_or(T::INVALID)?;
    slot.count = slot.count.checked_add(1).ok_or(Status::OUT_OF_RESOURCES)?;
    slot.kept = Some(object);
    Ok(())
}

/// Takes a reference of the program's back.
///
/// # Errors
/// As [`get`]; the program holds none.
pub(crate) fn release<T: Object>(handle: Handle) -> Outcome {
    let mut slots = T::registry().write();
    let slot = slots.get_mut(&handle).ok_or(T::INVALID)?;
    slot.count = slot.count.checked_sub(1).ok_or(T::INVALID)?;
    let last = if slot.count == 0 {
        slot.kept.take()
    } else {
        None
    };
    drop(slots);
    // Its end looks at the registry, and may call the program's functions.
    drop(last);
    Ok(())
}

/// References that the program holds.
pub(crate) fn references<T: Object>(object: &T) -> u32 {
    let slots = T::registry().read();
    slots.get(&object.handle()).map_or(0, |slot| slot.count)
}

/// Has a type of objects registered.
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
        // The program holds none, and this test does.
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
