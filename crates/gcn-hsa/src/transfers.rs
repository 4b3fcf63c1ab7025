//! Performs the copies that programs request, and reports them to the checkers.
//!
//! This module may use `unsafe`, since it copies between arbitrary addresses of the process.
#![allow(unsafe_code)]

use crate::copies::CopyRequest;
use crate::runtime;

/// Performs a copy. Reports the bytes read to the checkers, unless they are copied to device memory, and all bytes
/// written.
///
/// # Safety
/// Same as [`CopyRequest::make`].
pub(crate) unsafe fn make(copy: &CopyRequest) {
    let checked = runtime::existing().and_then(|it| Some((it, it.watch.checks()?)));
    let Some((runtime, checking)) = checked else {
        // SAFETY: the caller guarantees accessible bytes.
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
