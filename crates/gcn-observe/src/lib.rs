//! Observers for [`gcn_emu::run::run`]. They report to callbacks and never print.
//!
//! [`Trace`] writes a line for every executed instruction, or for those that a [`Filter`] chooses: the active lanes, the
//! registers that it wrote, and its accesses of memory.

#![forbid(unsafe_code)]

mod spread;
mod filter;
mod access;
mod trace;

pub use filter::Filter;
pub use trace::Trace;
