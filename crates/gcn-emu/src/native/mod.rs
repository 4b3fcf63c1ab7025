//! Host code for blocks that are entered often (x86-64 with AVX2, on Unix).
//!
//! A block's vector instructions whose lanes are computed by themselves, several in a row, are a segment (`segment`, `lower`): operations on
//! values (`graph`), which integer operations record by their bodies (`record`), and which become host code (`emit`) in pages of
//! its own (`pages`). All other instructions stay the interpreter's.
//!
//! Compiled code has the usual case and its guard. If a lane needs more, a NaN for example, the code ends before it writes
//! anything of that slice of lanes, and the interpreter executes the segment for the lanes that are left. So rare cases are
//! identical by construction.

mod engine;
#[cfg(not(all(unix, target_arch = "x86_64")))]
mod absent;
#[cfg(all(unix, target_arch = "x86_64"))]
mod graph;
#[cfg(all(unix, target_arch = "x86_64"))]
mod record;
#[cfg(all(unix, target_arch = "x86_64"))]
mod lower;
#[cfg(all(unix, target_arch = "x86_64"))]
mod emit;
#[cfg(all(unix, target_arch = "x86_64"))]
mod pages;
#[cfg(all(unix, target_arch = "x86_64"))]
mod segment;

#[cfg(not(all(unix, target_arch = "x86_64")))]
pub(crate) use absent::{NativeBlock, Segment};
pub(crate) use engine::Policy;
pub use engine::{ENGINE_VARIABLE, Engine, EngineError};
#[cfg(all(unix, target_arch = "x86_64"))]
pub(crate) use segment::{NativeBlock, Segment};
