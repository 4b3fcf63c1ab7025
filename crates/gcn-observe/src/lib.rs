//! Observers for [`gcn_emu::run::run`]. They pass results to callbacks or collect them, and never print.
//!
//! ```
//! use std::sync::Arc;
//!
//! use gcn_asm::{Options, Source, assemble};
//! use gcn_observe::check::checkers;
//! use gcn_observe::finding::{Check, Findings};
//! use gcn_runtime::Device;
//!
//! let device = Device::new("gfx900")?;
//! let text = "
//!     .text
//!     .type twice,@function
//!     twice:
//!       s_load_dwordx2 s[0:1], s[0:1], 0x0
//!       v_lshlrev_b32 v0, 2, v0
//!       s_waitcnt lgkmcnt(0)
//!       global_load_dword v1, v0, s[0:1]
//!       v_add_u32 v1, v1, v1              // nothing waits for the load
//!       global_store_dword v0, v1, s[0:1]
//!       s_endpgm
//!     .rodata
//!     .p2align 6
//!     .amdhsa_kernel twice
//!       .amdhsa_user_sgpr_kernarg_segment_ptr 1
//!       .amdhsa_next_free_vgpr 2
//!       .amdhsa_next_free_sgpr 2
//!     .end_amdhsa_kernel";
//! let program = assemble(&Source { name: "twice.s", text }, &Options::new(device.target())).program;
//! let kernel = device.load(&program.to_object(None)?)?.kernel("twice")?;
//! let xs = device.buffer("xs", &[1u32; 8])?;
//!
//! let findings = Arc::new(Findings::default());
//! let observers = checkers(&[Check::Waits, Check::Bounds], &findings);
//! kernel.launch([8, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
//!
//! let (all, _) = findings.all();
//! assert_eq!(all.len(), 1);
//! assert_eq!(all[0].kind.name(), "missing-wait");
//! assert_eq!(all[0].place.text, "v_add_u32_e32 v1, v1, v1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Trace`] produces a line for each executed instruction, with its active lanes, written registers and memory accesses.
//! A [`TraceFilter`], which can be built from textual [`Choice`]s, selects instructions. [`profile`] counts executions.
//! [`check`] provides the checkers, which report [`finding`]s. [`lint`] finds some of them by static analysis.

#![forbid(unsafe_code)]

// In dependency order: a module uses only the modules above it.

// Formatting and filtering of events.
mod spread;
mod filter;
mod choice;
mod access;
mod quantity;
mod nearest;

// Register uses and per-instruction facts.
mod integer_range;
mod registers;
mod by_step;
mod vectors;

// Per-lane and per-wave state of checkers.
mod lane_numbers;
mod scratch;
mod waves;

// Profile and trace.
pub mod profile;
mod trace;

// Findings, and the analyses that report them.
pub mod finding;
mod conflict;
mod vccz;
mod wait_states;
pub mod lint;
pub mod check;

pub use choice::Choice;
pub use filter::{TraceFilter, matches};
pub use nearest::nearest;
pub use trace::Trace;
