//! Observers for [`gcn_emu::run::run`]. They report to callbacks and never print.
//!
//! [`Trace`] writes a line for every executed instruction, or for those that a [`Filter`] chooses, which [`Choice`]s put together from text: the active lanes, the
//! registers that it wrote, and its accesses of memory.

#![forbid(unsafe_code)]

mod spread;
mod filter;
mod choice;
mod access;
mod trace;

pub use choice::Choice;
pub use filter::Filter;
pub use trace::Trace;
