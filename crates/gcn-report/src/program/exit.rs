//! The end of the process: the profile and findings are written then, and findings may change its status.
//!
//! This is one of the modules that may use `unsafe`: the C library calls it.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use super::say::say;
use super::{Watch, forks};

/// No status: the process does not exit.
const NONE: c_int = -1;
/// The bits of a status that a parent process sees.
const SEEN: c_int = 0xff;
/// The status that the process exits with.
static STATUS: AtomicI32 = AtomicI32::new(NONE);

unsafe extern "C" {
    /// Has a function called with the status when the process exits; an extension of glibc.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

extern "C" fn note_status(status: c_int, _: *mut c_void) {
    STATUS.store(status & SEEN, SeqCst);
}

/// Has the status noted when the process exits.
///
/// # Examples
/// ```
/// use gcn_report::program::exit;
/// exit::watch();
/// // Nothing is watched: the process goes on.
/// exit::end(None);
/// ```
pub fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // SAFETY: the function stores to an atomic, and the library is never unloaded.
        let failed = unsafe { on_exit(note_status, std::ptr::null_mut()) } != 0;
        if failed {
            say("the exit status of the program is not seen");
        }
    });
}

/// Has a library end the [`Watch`] of its kernels when the process exits, by a pointer in the library's section `.fini_array`. The
/// loader calls it behind all functions that the program and the libraries above have registered for the end. The expression is
/// an `Option<&Watch>`, without a value if the library has not been used.
#[macro_export]
macro_rules! end_watch_at_exit {
    ($watch:expr) => {
        #[allow(unsafe_code)]
        const _: () = {
            // SAFETY: the section is for pointers to such functions.
            #[used]
            #[unsafe(link_section = ".fini_array")]
            static AT_END: extern "C" fn() = at_end;

            extern "C" fn at_end() {
                $crate::program::exit::end($watch);
            }
        };
    };
}

/// Ends a watch at the end of the process, see [`end_watch_at_exit`]. In a child that was forked
/// nothing is done: it is not the program whose profile and findings these are.
pub fn end(watch: Option<&Watch>) {
    let watch = watch.filter(|_| !forks::is_child());
    exit_with(watch.and_then(Watch::end));
}

/// Ends the process with a status in place of 0.
fn exit_with(status: Option<u8>) {
    if let Some(status) = status.filter(|_| STATUS.load(SeqCst) == 0) {
        // SAFETY: the process is at its end. Its streams are written as they would be after this function; of other libraries
        // only those that this one needs have not ended yet.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::_exit(status.into());
        }
    }
}
