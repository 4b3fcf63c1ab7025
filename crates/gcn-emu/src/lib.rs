//! Emulation of GCN kernels on the host: dispatches, their workgroups and waves, and instructions.
//!
//! ```
//! use gcn_asm::{Options, Source, assemble};
//! use gcn_emu::Code;
//! use gcn_emu::device::{Config, Device};
//! use gcn_emu::observe::Observers;
//! use gcn_emu::run::{Dispatch, Initial, InitialSgpr, run};
//!
//! let target = gcn_isa::Target::named("gfx900").expect("a supported target");
//! let text = "
//!     v_lshlrev_b32 v1, 2, v0           // each work-item has a dword
//!     v_mul_u32_u24 v0, v0, v0
//!     global_store_dword v1, v0, s[0:1]
//!     s_endpgm";
//! let program = assemble(&Source { name: "square.s", text }, &Options::new(target)).program;
//! let code = Code::new(target.isa, 0x1000, &program.to_raw(), 2, 2);
//!
//! let mut device = Device::new(Config::new(target.isa));
//! let squares = device.memory.allocate("squares", 8 * 4)?;
//! let dispatch = Dispatch {
//!     kernel: None,
//!     kernarg: None,
//!     entry: code.address(0),
//!     grid: [8, 1, 1],
//!     group: [64, 1, 1],
//!     lds_bytes: 0,
//!     scratch_bytes_per_lane: 0,
//!     restricted: Vec::new(),
//!     acquires: true,
//!     initial: Initial {
//!         // The address, in s[0:1].
//!         sgprs: [squares, squares >> 32].map(|half| InitialSgpr::Value(half as u32)).to_vec(),
//!         work_item_ids: 1,
//!         mode: 0,
//!     },
//! };
//! let finished = run(&mut device, &code, &dispatch, &Observers::none())?;
//! assert!(finished.fault.is_none());
//!
//! let mut values = [0; 8];
//! device.memory.load_dwords(squares, &mut values).expect("allocated memory");
//! assert_eq!(values, [0, 1, 4, 9, 16, 25, 36, 49]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Programs should use the `gcn-runtime` crate, which loads code objects and applies the ABI.
//!
//! [`run::run`] runs a [`run::Dispatch`] of [`Code`] on a [`device::Device`] to completion. Each [`Block`] is decoded
//! once into [`step::Step`]s; then ALU instructions run through a handler and memory instructions through their plan.
//! An [`observe::Observer`] receives the events it subscribes to.

#![cfg_attr(
    not(all(unix, target_arch = "x86_64")),
    allow(dead_code, reason = "blocks are compiled on other hosts")
)]

// Modules in import order: each imports only modules listed before it.

// State: registers, LDS, GDS, counters, memory, device and wave.
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

// Faults, dispatches, schedules and checkpoints.
pub mod fault;
mod dispatch;
mod schedule;
mod checkpoint;

// Decoded instructions, their execution, and decoding. Memory reports to a `Listener` and does not know about
// observers.
pub mod step;
mod exec;
mod native;
mod exposed;
mod block;
mod code_segment;
mod code;

// Control flow, for analyses of code.
pub mod post_dominators;

// Observation, and runs, which use everything above.
pub mod observe;
pub mod run;
mod fidelity;

pub use block::{Block, Exit, MAX_ENTERED};
pub use code::{Code, HostBlock, HostFunction};
pub use exec::alu::float::half_bits;
pub use fidelity::Fidelity;
pub use lds::Lds;

#[doc(hidden)]
pub mod internals;
