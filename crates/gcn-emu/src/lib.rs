//! Runs GCN kernels on the host: dispatch → workgroup → wave → execute.
//!
//! [`run::run`] takes a [`run::Dispatch`] of [`code::Code`] on a [`device::Device`] to its end. An instruction is
//! decoded once ([`code::Step`]); ALU instructions then run by a handler ([`exec::alu`]), memory instructions by
//! [`exec::memory`]. An [`observe::Observer`] sees the events that it asks for.

pub mod code;
pub mod device;
pub mod exec;
pub mod fault;
pub mod fidelity;
pub mod gds;
pub mod host;
pub mod lanes;
pub mod lds;
pub mod memory;
pub mod observe;
pub mod run;
pub mod scoreboard;
pub mod wave;
