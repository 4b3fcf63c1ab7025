//! An HSA runtime with emulated devices, which lets AMD's HIP runtime run programs without a Radeon GPU.
//!
//! `cargo xtask hsa` links this crate into a replacement for AMD's `libhsa-runtime64.so.1`, with which `gcn exec` runs
//! programs. The crate translates HSA API calls into [`gcn_runtime`] calls and contains no emulation logic.
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
//! # The system as programs see it
//! The runtime has a host agent, and a device agent for each target in `GCN_TARGET` ([`gcn_report::settings`]) that
//! `ROCR_VISIBLE_DEVICES` does not hide. All pools, including those of devices, allocate host memory, and all agents
//! access an allocation at the same address. Each queue has a thread that executes its packets in order; queues run in
//! parallel. One worker thread performs copies, another one calls signal handlers.
//!
//! # From `hipMalloc` to a kernel
//! HIP calls `hsa_amd_memory_pool_allocate` (`api/memory.rs`). `pools.rs` charges the allocation to its agent and
//! allocates memory from the [`Device`](gcn_runtime::Device). All devices in a process share their memory. Kernels
//! access locked host memory at a different address than the host (`gcn_emu::memory::ALIAS`). `mappings.rs` implements
//! memory handles, which a program maps to address ranges it has reserved. `shared.rs` shares memory between processes.
//!
//! HIP launches a kernel by writing a packet to a queue's ring buffer. The queue's thread (`queues.rs`) reads it, and
//! `dispatch.rs` converts it to a [`Launch`](gcn_runtime::Launch). Kernels see the packet, the queue and the kernel
//! arguments at the same addresses as HIP. When a kernel ends, the queue decrements the completion signal. Each signal
//! is 64 bytes of device memory, so kernels can change it too (`signals.rs`). Threads wait on a change counter
//! (`changes.rs`, tested with a model checker). `loader.rs` implements executables, `failure.rs` maps faults to
//! statuses, and `transfers.rs` reports copies to the checkers.
//!
//! The handle of an image or sampler is the address of a descriptor in memory (`images.rs`, [`gcn_runtime::image`]).
//! HIP copies the descriptor into texture and surface objects. HIP also allocates the memory for texels, which always
//! have a linear layout.
//!
//! Launches run under [`gcn_report::program`], like those of the OpenCL platform. That module provides a time limit,
//! traces, checks, profiles and failure reports, and prints findings when the process exits. [`gcn_report::settings`]
//! reads the environment variables that `gcn exec` sets.
//!
//! # Sources
//! Functions and packets follow the "HSA Runtime Programmer's Reference Manual" 1.2 and the "HSA Platform System
//! Architecture Specification" 1.2. Types and AMD's extensions follow the public headers of ROCm 5.2, 6.4 and 7.2, from
//! which `cargo xtask headers` generates `numbers.rs` and `tests/layouts.txt`.
#![deny(unsafe_code)]

// In dependency order: a module imports only from modules above it.

// Header types.
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

// Queues, the process-wide runtime, and launches.
mod queues;
mod runtime;
mod transfers;
mod failure;
mod dispatch;

// API functions.
pub mod api;
