//! The end of the process.
//!
//! This is one of the modules that may use `unsafe`: the loader calls it.
#![allow(unsafe_code)]

use gcn_report::program::{exit, forks};

use crate::runtime;

// SAFETY: the section is for pointers to such functions.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

extern "C" fn at_end() {
    let made = runtime::made().filter(|_| !forks::is_child());
    exit::at_end(made.and_then(|runtime| runtime.watch.end()));
}
