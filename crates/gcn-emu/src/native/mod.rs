//! Host code for blocks that are entered often (x86-64 with AVX2, on Unix).
//!
//! Hot blocks that lead to each other are a region (`region`), which is one function. A block of it is made of parts (`plan`): scalar
//! instructions and loads, vector instructions whose lanes are computed by themselves, loads and stores (`memory`, `access`) among them,
//! and what the interpreter executes, which the function calls. The instructions of a part become operations on values (`lower`, `scalar`,
//! `single`, `double`, `functions`, `graph`), which integer operations record by their bodies (`record`), and then host code (`emit`,
//! `accesses`, `bases`, `loads`, `stores`, `lane`, `function`) in pages of its own (`pages`), which is called with a frame (`frame`).
//!
//! Compiled code has the usual case and its guard. If a lane needs more, a NaN or another allocation for example, the code writes nothing
//! of that slice of lanes, and the interpreter executes the part for the lanes that are left. So rare cases are identical by construction.

mod engine;
mod interface;
pub mod mutation;
#[cfg(not(all(unix, target_arch = "x86_64")))]
mod absent;
#[cfg(all(unix, target_arch = "x86_64"))]
mod graph;
#[cfg(all(unix, target_arch = "x86_64"))]
mod access;
#[cfg(all(unix, target_arch = "x86_64"))]
mod record;
#[cfg(all(unix, target_arch = "x86_64"))]
mod lower;
#[cfg(all(unix, target_arch = "x86_64"))]
mod scalar;
#[cfg(all(unix, target_arch = "x86_64"))]
mod memory;
#[cfg(all(unix, target_arch = "x86_64"))]
mod double;
#[cfg(all(unix, target_arch = "x86_64"))]
mod functions;
#[cfg(all(unix, target_arch = "x86_64"))]
mod single;
#[cfg(all(unix, target_arch = "x86_64"))]
mod frame;
#[cfg(all(unix, target_arch = "x86_64"))]
mod bases;
#[cfg(all(unix, target_arch = "x86_64"))]
mod places;
#[cfg(all(unix, target_arch = "x86_64"))]
mod lane;
#[cfg(all(unix, target_arch = "x86_64"))]
mod plan;
#[cfg(all(unix, target_arch = "x86_64"))]
mod emit;
#[cfg(all(unix, target_arch = "x86_64"))]
mod accesses;
#[cfg(all(unix, target_arch = "x86_64"))]
mod loads;
#[cfg(all(unix, target_arch = "x86_64"))]
mod stores;
#[cfg(all(unix, target_arch = "x86_64"))]
mod function;
#[cfg(all(unix, target_arch = "x86_64"))]
mod pages;
#[cfg(all(unix, target_arch = "x86_64"))]
mod region;

#[cfg(not(all(unix, target_arch = "x86_64")))]
pub(crate) use absent::NativeBlock;
pub(crate) use engine::Policy;
pub use engine::{ENGINE_VARIABLE, Engine, EngineError};
pub(crate) use interface::{Candidate, Fallback, Memories, NativeExit, PlanExit};
#[cfg(all(unix, target_arch = "x86_64"))]
pub(crate) use region::NativeBlock;
