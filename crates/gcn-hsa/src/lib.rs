//! The HSA runtime over emulated devices: what AMD's HIP runtime needs to run programs without a Radeon.
//!
//! Linked as `libhsa-runtime64.so.1` (`cargo xtask hsa`), this library takes the place of AMD's, and `gcn exec` runs programs
//! with it. It translates the HSA API into calls of [`gcn_runtime`], and emulates nothing by itself.
//!
//! ```text
//! $ cargo xtask dist ~/.local
//! $ hipcc --offload-arch=gfx906 vector_add.hip -o vector_add    # docs/hip.md has this program
//! $ gcn exec -- ./vector_add
//! c[999] = 2997, hipSuccess
//! $ GCN_TARGET=gfx906 LD_LIBRARY_PATH=~/.local/lib/gcn ./vector_add    # without gcn exec
//! c[999] = 2997, hipSuccess
//! ```
//!
//! # What a program finds
//! A host agent, and a device for each target of `GCN_TARGET` ([`gcn_report::settings`]). All memory is the host's, where all
//! agents access it at the same addresses; pools count what they give. A queue has a thread that carries out its packets in
//! order; queues run beside each other. Copies and handlers of signals have a thread each.
//!
//! # From `hipMalloc` to a kernel
//! HIP calls `hsa_amd_memory_pool_allocate` (`api/memory.rs`); `pools.rs` counts the allocation against its agent and gives memory
//! of the [`Device`](gcn_runtime::Device). Devices of one process share their memory. Memory that a program locks has an address
//! of its own for kernels (`gcn_emu::memory::ALIAS`). Memory handles that a program maps at addresses of its choice are in
//! `mappings.rs`, memory of other processes in `shared.rs`.
//!
//! HIP writes a launch as a packet into a ring. The queue's thread (`queues.rs`) takes the packet, and `dispatch.rs` makes a
//! [`Launch`](gcn_runtime::Launch) of it, with the packet, the queue and the argument segment where HIP has them; then it
//! decrements the completion signal. Signals are 64 bytes of device memory, which kernels change too (`signals.rs`); all
//! threads wait on one counter of changes (`changes.rs`, which a model checker tests). Executables are in `loader.rs`, statuses of
//! faults in `failure.rs`; `transfers.rs` reports copies to the checkers.
//!
//! Images and samplers are descriptors in memory (`images.rs`, [`gcn_runtime::image`]). Their handles are the descriptors'
//! addresses, from which HIP copies them into texture and surface objects; their texels are in rows, in memory that HIP allocates.
//!
//! Launches run under [`gcn_report::program`], which OpenCL's library shares: a time limit, a trace, checks, a profile, reports
//! of failures, and findings when the process ends. [`gcn_report::settings`] reads what `gcn exec` has put into the environment.
//!
//! # Sources
//! "HSA Runtime Programmer's Reference Manual" 1.2 and "HSA Platform System Architecture Specification" 1.2, for what the
//! functions and packets do; the public headers of ROCm 5.2, 6.4 and 7.2, for types and for AMD's extensions: `numbers.rs` and
//! `tests/layouts.txt`, which `cargo xtask headers` writes, have their facts.
#![deny(unsafe_code)]

// In the order of their imports: a module names only modules above it.

// Types of the headers.
pub mod numbers;
pub mod status;
pub mod abi;

// State.
mod clock;
mod sync;
pub mod changes;
mod info;
mod handles;
mod signals;
mod pools;
mod mappings;
mod shared;
mod agents;
mod workers;
mod copies;
mod images;
mod handlers;
mod loader;

// Queues, the process's runtime, and launches.
mod queues;
mod runtime;
mod transfers;
mod failure;
mod dispatch;

// The functions.
pub mod api;
