//! Copies and fills of a program, as checks see them.
//!
//! This is one of the modules that may use `unsafe`: copies are between any addresses of the process.
#![allow(unsafe_code)]

use crate::copies::CopyRequest;
use crate::runtime;

/// Makes a copy. Checks learn of the bytes that it reads for the host, and of those that it writes.
///
/// # Safety
/// As for [`CopyRequest::make`].
pub(crate) unsafe fn make(copy: &CopyRequest) {
    let checked = runtime::made().and_then(|it| Some((it, it.watch.checks()?)));
    let Some((runtime, checking)) = checked else {
        // SAFETY: the caller vouches for the addresses.
        return unsafe { copy.make() };
    };
    for (to, from, bytes) in copy.rows() {
        if !runtime.pools.is_of_device(to) {
            checking.reads(|| runtime.loader.modules(), (from, bytes));
        }
    }
    // SAFETY: as above.
    unsafe { copy.make() };
    for (to, _, bytes) in copy.rows() {
        checking.wrote((to, bytes));
    }
}
