//! Host code for frequently entered blocks (x86-64 with AVX2 or AVX-512, on Unix).
//!
//! Hot blocks that branch to each other form a region (`region`), which becomes one function. Each block of a region
//! consists of parts (`plan`): scalar instructions and loads; vector instructions without cross-lane effects,
//! including loads and stores (`memory`, `access`); and instructions for which the function calls the interpreter.
//! The instructions of a part are lowered to a value graph (`lower`, `scalar`, `single`, `double`, `functions`,
//! `graph`). Integer operations are lowered by recording their interpreter bodies (`record`). Host code is emitted from
//! the graph (`emit`, `places`, `general`, `masks`, `accesses`, `bases`, `windows`, `loads`, `stores`, `lane`,
//! `indexed`, `function`) with AVX2 or AVX-512 (`host`, `instructions`, `encode`) into separate pages (`pages`), and is
//! called with a frame (`frame`).
//!
//! Compiled code handles the common case, protected by guards. If a lane needs anything else, for example NaN handling
//! or an access to another allocation, the code writes nothing for its slice of lanes, and the interpreter executes the
//! part for this slice and the remaining ones. Rare cases therefore behave as in the interpreter by construction.

mod engine;
mod interface;
pub mod mutation;
#[cfg(not(all(unix, target_arch = "x86_64")))]
mod absent;
#[cfg(all(unix, target_arch = "x86_64"))]
mod graph;
#[cfg(all(unix, target_arch = "x86_64"))]
mod host;
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
mod instructions;
#[cfg(all(unix, target_arch = "x86_64"))]
mod masks;
#[cfg(all(unix, target_arch = "x86_64"))]
mod lane;
#[cfg(all(unix, target_arch = "x86_64"))]
mod indexed;
#[cfg(all(unix, target_arch = "x86_64"))]
mod plan;
#[cfg(all(unix, target_arch = "x86_64"))]
mod general;
#[cfg(all(unix, target_arch = "x86_64"))]
mod emit;
#[cfg(all(unix, target_arch = "x86_64"))]
mod accesses;
#[cfg(all(unix, target_arch = "x86_64"))]
mod windows;
#[cfg(all(unix, target_arch = "x86_64"))]
mod loads;
#[cfg(all(unix, target_arch = "x86_64"))]
mod stores;
#[cfg(all(unix, target_arch = "x86_64"))]
mod encode;
#[cfg(all(unix, target_arch = "x86_64"))]
mod function;
#[cfg(all(unix, target_arch = "x86_64"))]
mod pages;
#[cfg(all(unix, target_arch = "x86_64"))]
mod region;

#[cfg(not(all(unix, target_arch = "x86_64")))]
pub(crate) use absent::{FrameSlot, NativeBlock};
pub use engine::{ENGINE_VARIABLE, Engine, EngineError};
pub(crate) use engine::{Policy, Variant};
#[cfg(all(unix, target_arch = "x86_64"))]
pub(crate) use frame::FrameSlot;
pub(crate) use interface::{Candidate, Fallback, Memories, NativeExit, PlanExit};
#[cfg(all(unix, target_arch = "x86_64"))]
pub(crate) use region::NativeBlock;
