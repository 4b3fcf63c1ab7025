//! Children that a program forks: they have none of its threads, and its locks as they were.
//!
//! This is one of the modules that may use `unsafe`: the C library calls it.
#![allow(unsafe_code)]

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use super::say::say_once;

static IS_CHILD: AtomicBool = AtomicBool::new(false);
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

extern "C" fn in_child() {
    IS_CHILD.fetch_or(IS_WATCHED.load(SeqCst), SeqCst);
}

/// From now on, a child that is forked knows that it is one.
pub fn watch() {
    static WATCH: Once = Once::new();
    IS_WATCHED.store(true, SeqCst);
    // SAFETY: the function only stores to an atomic, and the library is never unloaded.
    WATCH.call_once(|| unsafe {
        // Without memory for the note, children are not refused.
        let _ = libc::pthread_atfork(None, None, Some(in_child));
    });
}

/// From now on, a child that is forked uses devices as if it were no child: this process has no thread that serves them.
///
/// # Examples
/// ```
/// use gcn_report::program::forks;
/// forks::watch();
/// forks::unwatch();
/// assert!(!forks::is_child());
/// ```
pub fn unwatch() {
    IS_WATCHED.store(false, SeqCst);
}

/// True in a process that was forked after [`watch`].
///
/// # Examples
/// ```
/// use gcn_report::program::forks;
/// forks::watch();
/// assert!(!forks::is_child());
/// ```
pub fn is_child() -> bool {
    IS_CHILD.load(SeqCst)
}

/// True in a process that was forked after [`watch`], which is said once on standard error: the child cannot use the devices that
/// its parent used by `interface`.
///
/// # Examples
/// ```
/// use gcn_report::program::forks;
/// forks::watch();
/// assert!(!forks::refuse("OpenCL"), "this process is no child: nothing is said");
/// ```
pub fn refuse(interface: &str) -> bool {
    if is_child() {
        say_once(&format!(
            "this process was forked from one that had used {interface}, whose devices it cannot use; use {interface} in the child only",
        ));
    }
    is_child()
}
