//! Reports, checks and profiles for kernel launches, shared by front ends of [`gcn_runtime`].
//!
//! A [`CodeMap`] maps addresses to symbols and source lines. A [`FaultReport`] describes a fault, a [`FindingReport`] a
//! finding of a checker, and a [`ProfileReport`] a profile. All have text and JSON output, and findings also have SARIF
//! output. [`Checking`] and [`Profiling`] collect results over the launches of a run. [`program`] provides all of this
//! for programs that use emulated devices through a library; the library reads its [`settings`] from the environment.
//!
//! ```
//! # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
//! # let (device, kernel) = example::add_one_kernel();
//! use gcn_report::{Checking, settings::CheckSettings};
//! let checking = Checking::new(CheckSettings::default())?;
//! let short = device.buffer("short", &[0u32; 4])?;
//! let launch = kernel.launch([64, 1, 1]).arg(&short).observers(&checking.launch(kernel.name()));
//! assert!(launch.run(&device.queue()).is_err(), "the buffer is too short");
//! assert_eq!(checking.collect(kernel.module())[0].name, "global-out-of-bounds");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

// In dependency order: a module uses only those above it.

pub mod settings;
mod report;

// Results collected over the launches of a run or a program.
mod output;
mod checking;
mod profiling;
pub mod program;

pub use checking::Checking;
pub use output::{Output, replace_file};
pub use profiling::{ProfileFileError, Profiling, ProgramProfile};
pub use report::{
    CodeMap, CodePlace, FaultReport, FileFailure, FindingReport, InvalidSuppressions, Notification,
    PlaceReport, ProfilePage, ProfileReport, Sources, Suppressions, SuppressionsError, kernel_name,
    plural, printable, site, symbolic, write_findings, write_merged_sarif,
};
