//! An HSA runtime with emulated devices, which lets AMD's HIP runtime run programs without a Radeon GPU.
//!
//! Linked as `libhsa-runtime64.so.1` (`cargo xtask hsa`), this library replaces AMD's. `gcn exec` runs programs with
//! it. It translates HSA API calls into [`gcn_runtime`] calls and contains no emulation logic.
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
//! The runtime has a host agent, and a device for each target in `GCN_TARGET` ([`gcn_report::settings`]). All memory is
//! host memory, at the same addresses for all agents; pools only account for it. Each queue has a thread that executes
//! its packets in order; queues run in parallel. Copies and signal handlers have one thread each.
//!
//! # From `hipMalloc` to a kernel
//! HIP calls `hsa_amd_memory_pool_allocate` (`api/memory.rs`). `pools.rs` charges the allocation to its agent and
//! allocates memory from the [`Device`](gcn_runtime::Device). All devices in a process share their memory. Host memory
//! that a program locks has a separate address for kernels (`gcn_emu::memory::ALIAS`). `mappings.rs` implements memory
//! handles, which a program maps at addresses of its choice, and `shared.rs` imports memory from other processes.
//!
//! HIP writes a launch as a packet to a ring buffer. The queue's thread (`queues.rs`) takes the packet. `dispatch.rs`
//! creates a [`Launch`](gcn_runtime::Launch) from it, with the packet, the queue and the kernel arguments at the
//! addresses that HIP chose. When the kernel ends, the queue decrements the completion signal. Each signal is 64 bytes
//! of device memory, so kernels can change it too (`signals.rs`). Threads wait on a change counter (`changes.rs`, tested
//! with a model checker). `loader.rs` implements executables, `failure.rs` maps faults to statuses, and `transfers.rs`
//! reports copies to the checkers.
//!
//! Images and samplers are descriptors in memory (`images.rs`, [`gcn_runtime::image`]). Their handles are the
//! descriptors' addresses, from which HIP copies them into texture and surface objects. Texels are stored row by row in
//! memory that HIP allocates.
//!
//! Launches run under [`gcn_report::program`], as in the OpenCL platform. It provides a time limit, traces, checks,
//! profiles, failure reports, and findings when the process exits. [`gcn_report::settings`] reads the environment that
//! `gcn exec` sets.
//!
//! # Sources
//! References: "HSA Runtime Programmer's Reference Manual" 1.2 and "HSA Platform System Architecture Specification"
//! 1.2 for functions and packets; the public headers of ROCm 5.2, 6.4 and 7.2 for types and AMD's extensions. `cargo
//! xtask headers` generates `numbers.rs` and `tests/layouts.txt` from them.
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
