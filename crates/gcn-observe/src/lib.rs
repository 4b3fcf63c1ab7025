//! Observers for [`gcn_emu::run::run`]. They report to callbacks or collect what they find, and never print.
//!
//! [`Trace`] writes a line for every executed instruction, or for those that a [`Filter`] chooses, which [`Choice`]s put together from text: the active lanes, the
//! registers that it wrote, and its accesses of memory. [`profile`] counts what is executed. [`check`] has the checkers, which report [`finding`]s;
//! [`lint`] finds some of these without running the code.

#![forbid(unsafe_code)]

mod spread;
mod filter;
mod choice;
mod access;
mod nearest;
mod registers;
mod by_step;
mod vectors;
mod lane_numbers;
mod scratch;
mod waves;
pub mod profile;
mod trace;
pub mod finding;
mod conflict;
mod wait_states;
pub mod lint;
pub mod check;

pub use choice::Choice;
pub use filter::{Filter, matches};
pub use nearest::nearest;
pub use trace::Trace;
