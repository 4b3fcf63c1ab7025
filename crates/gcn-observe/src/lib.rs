//! Observers for [`gcn_emu::run::run`]. They report to callbacks and never print.
//!
//! [`Trace`] writes a line for every executed instruction: the active lanes and the registers that it wrote.

#![forbid(unsafe_code)]

mod trace;

pub use trace::Trace;
