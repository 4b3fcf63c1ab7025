//! Children that a process with a platform has forked: they have none of its threads, and its locks as they were.
//!
//! This is one of the modules that may use `unsafe`: the C library calls it.
#![allow(unsafe_code)]

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use gcn_runtime::program::say::say_once;

use crate::status::{Outcome, Status};

static IS_CHILD: AtomicBool = AtomicBool::new(false);

extern "C" fn in_child() {
    IS_CHILD.store(true, SeqCst);
}

/// Has every child know that it is one.
pub(crate) fn watch() {
    static WATCH: Once = Once::new();
    // SAFETY: the function only stores to an atomic, and the library is never unloaded.
    WATCH.call_once(|| unsafe {
        // Without memory for the note, children are not refused.
        let _ = libc::pthread_atfork(None, None, Some(in_child));
    });
}

/// True in a process that was forked from one with a platform.
pub(crate) fn is_child() -> bool {
    IS_CHILD.load(SeqCst)
}

/// # Errors
/// This process was forked from one with a platform, which is said on standard error.
pub(crate) fn check() -> Outcome {
    if !is_child() {
        return Ok(());
    }
    say_once(
        "this process was forked from one that had used OpenCL, whose devices it cannot use; use OpenCL in the child only",
    );
    Err(Status::OUT_OF_RESOURCES)
}
