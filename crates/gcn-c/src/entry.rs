//! Wraps the bodies of exported functions: converts errors to objects, and keeps panics from unwinding into the caller.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error_names::INTERNAL_ERROR;
use crate::failure::Failure;
use crate::handle;

/// Error reported by a function, with a stable name, a message and, if known, a source location.
pub enum ErrorHandle {}

handle::handles! {
    ErrorHandle Failure, "gcn_error";
}

/// Runs the body of a function that reports errors. On failure, sets `*error` to a new error and returns `failed`;
/// otherwise sets `*error` to null.
///
/// # Safety
/// `error` is null or writable.
#[inline]
pub(crate) unsafe fn call<T>(
    error: *mut *mut ErrorHandle,
    failed: T,
    body: impl FnOnce() -> Result<T, Failure>,
) -> T {
    let (value, handle) = match guarded(body) {
        Ok(value) => (value, std::ptr::null_mut()),
        Err(_) if error.is_null() => return failed,
        Err(failure) => (failed, handle::insert(failure)),
    };
    if !error.is_null() {
        // SAFETY: `error` is not null, and the caller guarantees that it is writable.
        unsafe { error.write_unaligned(handle) };
    }
    value
}

/// Runs the body of a function that cannot report errors; on failure, returns `failed`.
#[inline]
pub(crate) fn quiet<T>(failed: T, body: impl FnOnce() -> Result<T, Failure>) -> T {
    guarded(body).unwrap_or(failed)
}

/// Runs a body, and converts a panic to an error.
#[inline]
fn guarded<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(panicked(panic)))
}

#[cold]
fn panicked(panic: Box<dyn Any + Send>) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let message = format!("libgcn has a defect: {}", text.unwrap_or("it has panicked"));
    // Dropping a payload of another type may panic again.
    if text.is_none() {
        std::mem::forget(panic);
    }
    Failure::new(INTERNAL_ERROR, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sample of an exported function, which succeeds, fails or panics depending on `input`.
    extern "C" fn function(input: u32, error: *mut *mut ErrorHandle) -> u32 {
        let body = || match input {
            0 => panic!("input {input}"),
            1 => std::panic::panic_any(Bomb),
            2 => Err(Failure::null("input")),
            _ => Ok(input),
        };
        // SAFETY: the callers below pass null or a writable pointer.
        unsafe { call(error, 0, body) }
    }

    /// Panics when dropped.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    #[test]
    fn no_panic_leaves_a_function() {
        for (input, message) in [
            (0, "libgcn has a defect: input 0"),
            (1, "libgcn has a defect: it has panicked"),
        ] {
            let mut error = std::ptr::null_mut();
            assert_eq!(function(input, &raw mut error), 0);
            let failure = handle::get(error.cast_const()).expect("an error");
            assert_eq!(failure.name.to_str(), Ok(INTERNAL_ERROR));
            assert_eq!(failure.message.to_str(), Ok(message));
            assert!(handle::remove(error).is_ok());
            assert_eq!(function(input, std::ptr::null_mut()), 0, "without an error");
        }
        assert_eq!(quiet(5, || panic!("quiet")), 5);
    }

    #[test]
    fn success_leaves_no_error() {
        let mut error = std::ptr::null_mut();
        assert_eq!(function(2, &raw mut error), 0);
        let first = error;
        assert!(!first.is_null());
        assert_eq!(function(3, &raw mut error), 3);
        assert!(error.is_null());
        assert!(handle::remove(first).is_ok());
    }
}
