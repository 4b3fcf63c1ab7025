//! Handles, which are keys into a table of objects.
//!
//! Keys are never reused, and their high bits occur in no valid address. Freed handles and other pointers are therefore
//! detected without dereferencing them. Objects are shared: if another thread frees an object, it lives until the
//! functions that use it return.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use crate::error_names::INVALID_HANDLE;
use crate::failure::Failure;

/// Opaque C type of a handle.
pub(crate) trait Handle {
    /// Type of the objects that handles refer to.
    type Object: Any + Send + Sync;
    /// Name of the C type.
    const NAME: &'static str;
}

type Objects = HashMap<usize, Arc<dyn Any + Send + Sync>>;

static OBJECTS: LazyLock<RwLock<Objects>> = LazyLock::new(RwLock::default);

/// High bits of all keys, which no valid address has on 64-bit hosts.
const TAG: usize = 0x6763 << (usize::BITS - u16::BITS);
/// Distance between keys, chosen so that they look like aligned pointers.
const STEP: usize = 16;

/// Adds an object to the table, and returns its handle.
pub(crate) fn insert<H: Handle>(object: H::Object) -> *mut H {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let key = TAG | (NEXT.fetch_add(1, Relaxed) * STEP);
    let mut objects = OBJECTS.write().unwrap_or_else(PoisonError::into_inner);
    objects.insert(key, Arc::new(object));
    std::ptr::without_provenance_mut(key)
}

/// Returns the object that a handle refers to.
///
/// # Errors
/// Fails if the handle is null, was freed or never created, or has another type.
pub(crate) fn get<H: Handle>(handle: *const H) -> Result<Arc<H::Object>, Failure> {
    if handle.is_null() {
        return Err(Failure::null(H::NAME));
    }
    let objects = OBJECTS.read().unwrap_or_else(PoisonError::into_inner);
    let object = objects.get(&handle.addr()).cloned();
    drop(objects);
    let object = object.ok_or_else(|| {
        let message = format!("the handle is not a {}, or has been freed", H::NAME);
        Failure::new(INVALID_HANDLE, message)
    })?;
    object.downcast().map_err(|_| {
        let message = format!("the handle is of another type than {}", H::NAME);
        Failure::new(INVALID_HANDLE, message)
    })
}

/// Removes an object from the table.
///
/// # Errors
/// Fails if the handle is null, was freed or never created, or has another type.
pub(crate) fn remove<H: Handle>(handle: *mut H) -> Result<(), Failure> {
    get(handle.cast_const())?;
    let mut objects = OBJECTS.write().unwrap_or_else(PoisonError::into_inner);
    let object = objects.remove(&handle.addr());
    // Dropping the object may take time or access the table, so release the lock first.
    drop(objects);
    drop(object);
    Ok(())
}

/// Implements [`Handle`] for opaque types with the given object types and C names.
macro_rules! handles {
    ($($(#[$doc:meta])* $Handle:ident $Object:ty, $name:literal;)*) => {$(
        impl $crate::handle::Handle for $Handle {
            type Object = $Object;
            const NAME: &'static str = $name;
        }
    )*};
}
pub(crate) use handles;

#[cfg(test)]
mod tests {
    use super::*;

    enum Number {}
    enum Name {}

    handles! {
        Number u32, "number";
        Name String, "name";
    }

    #[test]
    fn freed_handles_and_those_of_other_types_are_errors() {
        let handle = insert::<Number>(7);
        assert_eq!(get::<Number>(handle).map(|number| *number).ok(), Some(7));
        let other = get::<Name>(handle.cast()).expect_err("it is a number");
        assert_eq!(other.name.to_str(), Ok(INVALID_HANDLE));
        assert!(remove::<Name>(handle.cast()).is_err(), "nor is it freed");
        assert!(remove::<Number>(handle).is_ok());
        assert!(remove::<Number>(handle).is_err(), "it has been freed");
        let freed = get::<Number>(handle).expect_err("it has been freed");
        assert!(freed.message.to_string_lossy().contains("number"));
        assert_ne!(insert::<Number>(8), handle, "keys are not used again");
    }

    #[test]
    fn pointers_that_are_no_handles_are_errors() {
        let number = 5;
        assert!(get::<Number>(std::ptr::from_ref(&number).cast()).is_err());
        let null = get::<Number>(std::ptr::null()).expect_err("null");
        assert_eq!(null.name.to_str(), Ok("null-pointer"));
    }

    #[test]
    fn an_object_lives_while_it_is_used() {
        let handle = insert::<Name>("x".to_owned());
        let used = get::<Name>(handle).expect("a name");
        assert!(remove::<Name>(handle).is_ok());
        assert_eq!(*used, "x");
    }
}
