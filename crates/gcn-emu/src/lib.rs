//! Runs GCN kernels on the host: dispatch → workgroup → wave → execute.
//!
//! [`run::run`] takes a [`run::Dispatch`] of [`Code`] on a [`device::Device`] to its end. A [`Block`] is
//! decoded once, to [`step::Step`]s; ALU instructions then run by a handler, memory instructions by their
//! plan. An [`observe::Observer`] sees the events that it asks for.

#![cfg_attr(
    not(all(unix, target_arch = "x86_64")),
    allow(dead_code, reason = "blocks are compiled on other hosts")
)]

// In the order of their imports: a module names only modules above it.

// State: registers, LDS, GDS, counters, memory, the device, a wave.
mod lanes;
mod noise;
mod lds;
mod gds;
pub mod scoreboard;
pub mod outstanding;
mod late;
pub mod memory;
mod host;
pub mod device;
pub mod registers;
pub mod wave;
mod workgroup;

// Faults and launches.
pub mod fault;
mod dispatch;

// An instruction as it is decoded, its execution, and decoding. Memory reports to a `Listener`, and does not know that
// observers are one.
pub mod step;
mod exec;
mod native;
mod block;
mod code_segment;
mod code;

// Observation, and the run that uses all of it.
pub mod observe;
pub mod run;
mod fidelity;

pub use block::{Block, Exit, MAX_ENTERED};
pub use code::{Code, HostBlock, HostFunction};
pub use fidelity::Fidelity;
pub use lds::Lds;

#[doc(hidden)]
pub mod internals;
