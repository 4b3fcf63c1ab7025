//! Kernel arguments and expected results in text form: numbers, buffer contents, structures and files.
//!
//! Text is parsed into a [`Spec`](spec::Spec) (`u32*64:iota`, `@weights.bin`, `{f32:1, null}`). [`bind::arguments`] binds
//! specs to parameters, whose types come from the kernel's metadata or symbol, and [`bind::place`] allocates the buffers.
//! [`Expected`](expect::Expected) describes the contents that a buffer must have afterwards. [`compare`] finds differences.
//!
//! ```
//! # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
//! # let (device, kernel) = example::scale_kernel();
//! use gcn_args::bind::{self, Buffers, GivenArgument};
//! use gcn_runtime::data::Data;
//! let given = [("xs", "u32:1,2"), ("factor", "10")].map(|(name, text)| GivenArgument::parse(name, text));
//! let binding = bind::arguments(kernel.description(), &given, &[], &Data::open);
//! assert!(binding.problems.is_empty());
//! let mut buffers = Buffers::default();
//! let placement = bind::place(binding.arguments, kernel.fixed_lds(), device.memory(), &mut buffers)?;
//! let launch = kernel.launch([2, 1, 1]).dynamic_lds(placement.lds).placed(placement.placed);
//! launch.run(&device.queue())?;
//! assert_eq!(device.memory().load_u32(buffers.views()[0].address), Some(10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

// In dependency order: a module imports only from modules above it.

// Text form of numbers, buffer contents and arguments.
pub mod value;
pub mod fill;
pub mod spec;
pub mod open;

// Expected buffer contents.
pub mod compare;
pub mod expect;

// Kernel arguments.
pub mod parameter_type;
pub mod bind;

pub mod error_names;
