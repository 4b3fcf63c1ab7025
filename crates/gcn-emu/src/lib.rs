//! Runs GCN kernels on the host: dispatch → workgroup → wave → execute.
//!
//! [`run::run`] takes a [`run::Dispatch`] of [`code::Code`] on a [`device::Device`] to its end. An instruction is
//! decoded once ([`step::Step`]); ALU instructions then run by a handler, memory instructions by their
//! plan. An [`observe::Observer`] sees the events that it asks for.

// In the order of their imports: a module names only modules above it.
pub mod lanes;
pub mod lds;
pub mod gds;
pub mod scoreboard;
pub mod memory;
pub mod host;
pub mod device;
pub mod wave;
pub mod fault;
mod dispatch;
pub mod step;
pub mod exec;
pub mod code;
pub mod observe;
pub mod run;
pub mod fidelity;
