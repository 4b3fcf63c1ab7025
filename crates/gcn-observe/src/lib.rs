//! Observers for [`gcn_emu::run::run`]. They report to callbacks or collect results, and never print.
//!
//! [`Trace`] writes a line per executed instruction: active lanes, written registers, memory accesses. A
//! [`TraceFilter`], built from textual [`Choice`]s, selects instructions. [`profile`] counts executions. [`check`]
//! has the checkers, which report [`finding`]s; [`lint`] reports some of these by static analysis.

#![forbid(unsafe_code)]

// In the order of their imports: a module names only modules above it.

// Text of events, and filters of them.
mod spread;
mod filter;
mod choice;
mod access;
mod quantity;
mod nearest;

// Registers in use, and facts that are computed once for an instruction.
mod integer_range;
mod registers;
mod by_step;
mod vectors;

// State that checkers keep of registers and waves.
mod lane_numbers;
mod scratch;
mod waves;

// The profile and the trace.
pub mod profile;
mod trace;

// Findings, their texts, and the checkers that report them.
pub mod finding;
mod conflict;
mod vccz;
mod wait_states;
pub mod lint;
pub mod check;

pub use choice::Choice;
pub use filter::{TraceFilter, matches};
pub use nearest::nearest;
pub use trace::Trace;
