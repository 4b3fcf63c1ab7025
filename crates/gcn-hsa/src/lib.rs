//! The HSA runtime over emulated devices: what AMD's HIP runtime needs to run programs without a Radeon.
//!
//! Linked as `libhsa-runtime64.so.1` (`cargo xtask hsa`), this library takes the place of AMD's, and `gcn exec` runs programs
//! with it. It translates the HSA API into calls of [`gcn_runtime`], and emulates nothing by itself.
//!
//! # What a program finds
//! A host agent, and a device for each target of `GCN_TARGET` ([`gcn_runtime::settings`]). All memory is the host's, where all
//! agents access it at the same addresses; pools count what they give. A queue has a thread that carries out its packets in
//! order; queues run beside each other. Copies and handlers of signals have a thread each.
//!
//! # Sources
//! "HSA Runtime Programmer's Reference Manual" 1.2 and "HSA Platform System Architecture Specification" 1.2, for what the
//! functions and packets do; the public headers of Debian's `libhsa-runtime-dev` 5.2, for types and for AMD's extensions.
#![deny(unsafe_code)]

// In the order of their imports: a module names only modules above it.
pub mod status;
pub mod abi;
mod clock;
mod sync;
pub mod changes;
mod info;
mod handles;
mod signals;
mod pools;
mod agents;
mod workers;
mod copies;
mod handlers;
mod loader;
mod queues;
mod runtime;
mod transfers;
mod failure;
mod dispatch;
mod exit;
pub mod api;
