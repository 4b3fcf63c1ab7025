//! Runs GCN kernels on emulated devices. Front ends are built on this library.
//!
//! A [`Device`] has memory for [`Buffer`]s and [`Module`]s. A [`Kernel`] from a module is launched on a [`Queue`], and
//! a [`Signal`] reports its completion. This crate re-exports the crates that assemble, check and trace kernels, so
//! a program needs no other dependency.
//!
//! ```
//! use gcn_runtime::Device;
//! use gcn_runtime::gcn_asm::{Options, Source, assemble};
//!
//! let device = Device::new("gfx900")?;
//! let text = "
//!     .text
//!     .type square,@function
//!     square:
//!       s_load_dwordx2 s[0:1], s[0:1], 0x0
//!       v_lshlrev_b32 v1, 2, v0           // each work-item has a dword
//!       v_mul_u32_u24 v0, v0, v0
//!       s_waitcnt lgkmcnt(0)
//!       global_store_dword v1, v0, s[0:1]
//!       s_endpgm
//!     .rodata
//!     .p2align 6
//!     .amdhsa_kernel square
//!       .amdhsa_user_sgpr_kernarg_segment_ptr 1
//!       .amdhsa_next_free_vgpr 2
//!       .amdhsa_next_free_sgpr 2
//!     .end_amdhsa_kernel";
//! let program = assemble(&Source { name: "square.s", text }, &Options::new(device.target())).program;
//! let kernel = device.load(&program.to_object(None)?)?.kernel("square")?;
//! let squares = device.allocate("squares", 8 * 4)?;
//! kernel.launch([8, 1, 1]).arg(&squares).submit(&device.queue())?.wait()?;
//! assert_eq!(squares.read::<u32>()?, [0, 1, 4, 9, 16, 25, 36, 49]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Threads
//! Handles are `Send` and `Sync` and, except [`HostMemory`] and [`WeakModule`], cheap to clone. Commands in a queue run
//! in order; queues run concurrently. By default, a kernel uses all of the device's threads.
//!
//! # Memory
//! Addresses are the same for kernels and for the host. Memory may be allocated, freed, read and written while kernels
//! run, and kernel atomics are atomic with respect to the host. If [`Device::has_usual_addresses`], equal sequences of
//! allocations and frees get equal addresses in every run. Accesses to freed memory fault and report its former name.
//!
//! # Faults
//! A fault ends only its launch: [`Signal::wait`] returns it, and later commands in the queue are skipped until
//! [`Queue::clear`]. Other queues, other devices and the process continue to run.
#![deny(unsafe_code)]

// In dependency order: a module imports only from modules above it.

// Temporary files, inputs, the ABI, compilers.
mod temporary;
pub mod data;
mod abi;
pub mod compile;

// Command completion.
pub mod progress;
mod completion;
mod error;
mod signal;

// Device, memory and queues.
mod device;
mod buffer;
mod host_memory;
mod queue;

// Images.
pub mod image;

// Modules, kernels and parameters.
mod module;
pub mod parameters;
mod kernel;
mod argument;

// Launches.
mod prepared;
mod launch;

// Stable error names.
pub mod error_names;

// One dependency is enough to assemble, run, check and trace a kernel.
#[doc(no_inline)]
pub use {gcn_asm, gcn_isa, gcn_object, gcn_observe};

#[doc(no_inline)]
pub use gcn_emu::observe;
#[doc(no_inline)]
pub use gcn_emu::{
    Code, Fidelity, HostFunction,
    device::{HostCalls, SavedCalls},
    fault, memory,
    run::{AccessRule, Engine, Restricted, Stats, WavePlace},
};

pub use abi::{hsa, printf};
pub use argument::Argument;
pub use buffer::{Buffer, Element};
pub use completion::Completion;
pub use device::chips::Chip;
pub use device::variations::Variations;
pub use device::{Device, DeviceBuilder};
pub use error::Error;
pub use host_memory::HostMemory;
pub use kernel::Kernel;
pub use launch::Launch;
pub use module::{Module, WeakModule};
pub use prepared::PreparedLaunch;
pub use queue::Queue;
pub use signal::{CommandResult, Signal, Times};
pub use temporary::{ScratchDirectory, system_error};
