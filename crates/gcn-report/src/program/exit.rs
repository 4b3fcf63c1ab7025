//! Process exit: writes the profile and the findings, and changes the exit status if the settings request one for
//! findings.
//!
//! This module uses `unsafe` code to register callbacks with the C library.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use super::say::say;
use super::{Watch, forks};

/// Value of [`STATUS`] until the process exits.
const NONE: c_int = -1;
/// Bits of the status that are visible to the parent process.
const SEEN: c_int = 0xff;
/// Exit status of the process, or [`NONE`].
static STATUS: AtomicI32 = AtomicI32::new(NONE);

unsafe extern "C" {
    /// Registers a function that the C library calls with the exit status. A glibc extension.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

extern "C" fn note_status(status: c_int, _: *mut c_void) {
    STATUS.store(status & SEEN, SeqCst);
}

/// Registers a callback that records the exit status.
///
/// # Examples
/// ```
/// use gcn_report::program::exit;
/// exit::watch();
/// // Without a watch, the process continues.
/// exit::end(None);
/// ```
pub fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // SAFETY: the function stores to an atomic, and the library is never unloaded.
        let failed = unsafe { on_exit(note_status, std::ptr::null_mut()) } != 0;
        if failed {
            say("the exit status of the program is unknown");
        }
    });
}

/// Ends a library's [`Watch`] at process exit. The loader calls the generated function through the library's
/// `.fini_array` section, after all exit handlers of the program and of libraries that depend on this one. The argument
/// is an `Option<&Watch>`, which is `None` if the library has not been used.
#[macro_export]
macro_rules! end_watch_at_exit {
    ($watch:expr) => {
        #[allow(unsafe_code)]
        const _: () = {
            // SAFETY: the section contains pointers to functions of this type.
            #[used]
            #[unsafe(link_section = ".fini_array")]
            static AT_END: extern "C" fn() = at_end;

            extern "C" fn at_end() {
                $crate::program::exit::end($watch);
            }
        };
    };
}

/// Ends a watch at process exit; see [`end_watch_at_exit`]. Does nothing in a forked child, which does not own the
/// profile and the findings.
pub fn end(watch: Option<&Watch>) {
    let watch = watch.filter(|_| !forks::is_child());
    exit_with(watch.and_then(Watch::end));
}

/// Ends the process with `status`, if its exit status would be 0.
fn exit_with(status: Option<u8>) {
    if let Some(status) = status.filter(|_| STATUS.load(SeqCst) == 0) {
        // SAFETY: the process is exiting. C streams are flushed here, as they would be after this function. The
        // destructors of all libraries have run, except those of the libraries that this one depends on.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::_exit(status.into());
        }
    }
}
