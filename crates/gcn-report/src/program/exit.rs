//! The end of the process: the profile and findings are written then, and findings may change its status.
//!
//! This is one of the modules that may use `unsafe`: the C library calls it.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

use super::say::say;

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
/// exit::at_end(None);
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

/// Ends what watches the program's kernels. A library has this called by the loader, as a function in its section `.fini_array`,
/// behind all functions that the program and the libraries above have registered for its end; `status` is that of [`Watch::end`], and
/// none in a child that was forked, which is not the program whose profile and findings these are.
///
/// [`Watch::end`]: super::Watch::end
pub fn at_end(status: Option<u8>) {
    if let Some(status) = status.filter(|_| STATUS.load(SeqCst) == 0) {
        // SAFETY: the process is at its end. Its streams are written as they would be after this function; of other libraries
        // only those that this one needs have not ended yet.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::_exit(status.into());
        }
    }
}
