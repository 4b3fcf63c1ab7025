//! Detection of forked children, which lack the parent's threads and have copies of its locks.
//!
//! This module uses `unsafe` code to register callbacks with the C library.
#![allow(unsafe_code)]

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use super::say::say_once;

static IS_CHILD: AtomicBool = AtomicBool::new(false);
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

extern "C" fn in_child() {
    IS_CHILD.fetch_or(IS_WATCHED.load(SeqCst), SeqCst);
}

/// Registers a handler that marks forked children, for [`is_child`].
pub fn watch() {
    static WATCH: Once = Once::new();
    IS_WATCHED.store(true, SeqCst);
    // SAFETY: the handler only accesses atomics, and the library is never unloaded.
    WATCH.call_once(|| unsafe {
        // Registration fails only without memory. Children are then not detected.
        let _ = libc::pthread_atfork(None, None, Some(in_child));
    });
}

/// Stops marking forked children, which may then use devices of their own. No thread may still be serving devices.
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

/// True in a process forked between [`watch`] and [`unwatch`].
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

/// True in a process forked between [`watch`] and [`unwatch`]. In this case, reports once on standard error that the
/// child cannot use its parent's devices through `interface`.
///
/// # Examples
/// ```
/// use gcn_report::program::forks;
/// forks::watch();
/// assert!(!forks::refuse("OpenCL"), "this process is not a child, so nothing is reported");
/// ```
pub fn refuse(interface: &str) -> bool {
    if is_child() {
        say_once(&format!(
            "this process was forked from one that had used {interface}, whose devices it cannot use; use {interface} in the child only",
        ));
    }
    is_child()
}
