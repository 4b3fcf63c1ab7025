//! What watches a run: observers for [`gcn_emu::run::run`]. They report to callbacks and never print.
//!
//! [`Trace`] tells every executed instruction with the lanes active and the registers it wrote.

#![forbid(unsafe_code)]

mod trace;

pub use trace::Trace;
