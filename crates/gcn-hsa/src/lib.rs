//! The HSA runtime over emulated devices: what AMD's HIP runtime needs to run programs without a Radeon.
//!
//! Linked as `libhsa-runtime64.so.1` (`cargo xtask hsa`), this library takes the place of AMD's, and `gcn exec` runs
//! programs with it. It translates the HSA API into calls of [`gcn_runtime`], and contains no emulation logic.
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
//! The runtime has a host agent, and a device for each target of `GCN_TARGET` ([`gcn_report::settings`]). All memory
//! is host memory, at the same addresses for all agents; pools only account for it. Each queue has a thread that
//! executes its packets in order; queues run in parallel. Copies and signal handlers have a thread each.
//!
//! # From `hipMalloc` to a kernel
//! HIP calls `hsa_amd_memory_pool_allocate` (`api/memory.rs`). `pools.rs` charges the allocation to its agent and
//! allocates memory of the [`Device`](gcn_runtime::Device). Devices of one process share their memory. Memory that a
//! program locks has a separate address for kernels (`gcn_emu::memory::ALIAS`). `mappings.rs` has memory handles that
//! a program maps at addresses of its choice, and `shared.rs` has memory of other processes.
//!
//! HIP writes a launch as a packet to a ring buffer. The queue's thread (`queues.rs`) takes the packet. `dispatch.rs`
//! makes a [`Launch`](gcn_runtime::Launch) of it, in which packet, queue and kernel arguments are at the addresses
//! that HIP chose, and finally decrements the completion signal. Signals are 64 bytes of device memory, which kernels
//! change too (`signals.rs`). All threads wait on one change counter (`changes.rs`, which a model checker tests).
//! Executables are in `loader.rs`, statuses of faults in `failure.rs`; `transfers.rs` reports copies to the checkers.
//!
//! Images and samplers are descriptors in memory (`images.rs`, [`gcn_runtime::image`]). Their handles are the
//! descriptors' addresses, from which HIP copies them into texture and surface objects. Texels are stored in rows, in
//! memory that HIP allocates.
//!
//! Launches run under [`gcn_report::program`], as in the OpenCL platform. It provides a time limit, traces, checks,
//! profiles, reports of failures, and findings at the end of the process. [`gcn_report::settings`] reads the
//! environment that `gcn exec` sets.
//!
//! # Sources
//! References: "HSA Runtime Programmer's Reference Manual" 1.2 and "HSA Platform System Architecture Specification"
//! 1.2 for functions and packets; the public headers of ROCm 5.2, 6.4 and 7.2 for types and AMD's extensions. `cargo
//! xtask headers` generates `numbers.rs` and `tests/layouts.txt` from them.
#![deny(unsafe_code)]

// In import order: a module imports only from modules above it.

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
