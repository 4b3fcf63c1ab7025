//! Stable names of errors, for programs and `gcn explain`. Messages may change, but names do not. Errors in code objects
//! use the names in [`gcn_object::error_names`], faults those in [`fault::names`].
//!
//! ```
//! use gcn_runtime::{Device, error_names};
//! let error = Device::new("gfx12345").err().expect("no such target");
//! assert_eq!(error.name(), error_names::UNSUPPORTED_TARGET);
//! assert_eq!(error.name(), "unsupported-target");
//! ```

use gcn_emu::fault;
use gcn_emu::run::DispatchError;
use gcn_object::error_names::MALFORMED_FILE;

use crate::abi::hsa::{LaunchError, LoadError};
use crate::compile::CompileError;
use crate::data::DataError;
use crate::error::Error;

/// Unknown or unsupported target.
pub const UNSUPPORTED_TARGET: &str = "unsupported-target";
/// File that contains no code, or several code objects, for the target or selection.
pub const NO_MATCHING_CODE: &str = "no-matching-code";
/// Allocation that exceeds the device's or the host's memory.
pub const OUT_OF_MEMORY: &str = "out-of-memory";
/// Host range that cannot be registered.
pub const HOST_RANGE: &str = "host-range";
/// Address at which no allocation starts, for example because it has already been freed.
pub const ALREADY_FREED: &str = "already-freed";
/// Range beyond the end of a buffer.
pub const BUFFER_RANGE: &str = "buffer-range";
/// Compiler, linker or library that is not installed or cannot be started.
pub const MISSING_COMPILER: &str = "missing-compiler";
/// Source rejected by the compiler.
pub const COMPILATION_FAILED: &str = "compilation-failed";
/// Input that cannot be read.
pub const UNREADABLE_INPUT: &str = "unreadable-input";
/// Temporary file that cannot be read or written.
pub const TEMPORARY_FILE: &str = "temporary-file";
/// Argument without a value, or a wrong number of arguments.
pub const MISSING_ARGUMENT: &str = "missing-argument";
/// Value whose size differs from that of the argument.
pub const ARGUMENT_SIZE: &str = "argument-size";
/// Workgroup size not allowed by the hardware or the kernel.
pub const WORKGROUP_SIZE: &str = "workgroup-size";
/// Grid or workgroup without work-items, or grid that is too large.
pub const GRID_SIZE: &str = "grid-size";
/// Kernel that needs more registers, LDS or scratch than a compute unit has, or a feature that the target lacks.
pub const RESOURCE_LIMIT: &str = "resource-limit";
/// Host that cannot start a thread, or lacks the vector instructions or engine that the environment requests.
pub const HOST_LIMIT: &str = "host-limit";
/// Module and queue of different devices.
pub const OTHER_DEVICE: &str = "other-device";
/// Cancelled command.
pub const CANCELLED: &str = "cancelled";
/// Command skipped after a failed one.
pub const SKIPPED: &str = "skipped";
/// Panic in a function called by a queue.
pub const PANICKED: &str = "panicked";

/// All error names in this module.
///
/// # Examples
/// ```
/// use gcn_runtime::error_names::ALL;
/// let is_name = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
/// assert!(ALL.iter().all(|name| is_name(name)));
/// ```
pub const ALL: &[&str] = &[
    UNSUPPORTED_TARGET,
    NO_MATCHING_CODE,
    OUT_OF_MEMORY,
    HOST_RANGE,
    ALREADY_FREED,
    BUFFER_RANGE,
    MISSING_COMPILER,
    COMPILATION_FAILED,
    UNREADABLE_INPUT,
    TEMPORARY_FILE,
    MISSING_ARGUMENT,
    ARGUMENT_SIZE,
    WORKGROUP_SIZE,
    GRID_SIZE,
    RESOURCE_LIMIT,
    HOST_LIMIT,
    OTHER_DEVICE,
    CANCELLED,
    SKIPPED,
    PANICKED,
];

impl Error {
    /// Returns the stable name of the error, from [`error_names`](self), [`gcn_object::error_names`] or
    /// [`fault::names`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let queue = device.queue();
    /// let null = kernel.launch([1, 1, 1]).arg(0u64).run(&queue).unwrap_err();
    /// assert_eq!(null.name(), "unmapped-access");
    /// let behind = queue.call(|| ()).wait().unwrap_err();
    /// assert_eq!(behind.name(), "skipped");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            Error::Target(_) | Error::SrameccOff(_) => UNSUPPORTED_TARGET,
            Error::Memory(_) => OUT_OF_MEMORY,
            Error::Register(_) => HOST_RANGE,
            Error::Freed(_) => ALREADY_FREED,
            Error::OutOfBounds { .. } => BUFFER_RANGE,
            Error::Read(error) => error.name(),
            Error::Bundle(error) => error.name(),
            Error::NoCode { .. } | Error::SeveralCodeObjects { .. } => NO_MATCHING_CODE,
            Error::Compile(error) => error.name(),
            Error::Load(error) => error.name(),
            Error::Name(error) => error.name(),
            Error::ArgumentCount { .. } => MISSING_ARGUMENT,
            Error::ArgumentSize { .. } => ARGUMENT_SIZE,
            Error::OtherDevice => OTHER_DEVICE,
            Error::Launch(error) => error.name(),
            Error::Run(error) => of_dispatch(error),
            Error::Fault(completion) => {
                let fault = completion.fault.as_ref();
                fault.map_or(fault::names::INTERRUPTED, |fault| {
                    fault::names::of(&fault.kind)
                })
            }
            Error::Cancelled => CANCELLED,
            Error::Skipped(_) => SKIPPED,
            Error::Panicked => PANICKED,
        }
    }
}

/// Returns the stable name of an error that prevents a dispatch.
fn of_dispatch(error: &DispatchError) -> &'static str {
    match error {
        DispatchError::Empty => GRID_SIZE,
        DispatchError::GroupTooLarge(_) => WORKGROUP_SIZE,
        DispatchError::Memory(_) => OUT_OF_MEMORY,
        DispatchError::Vectors(_) | DispatchError::Engine(_) | DispatchError::Thread(_) => {
            HOST_LIMIT
        }
        _ => RESOURCE_LIMIT,
    }
}

impl LaunchError {
    /// Returns the stable name of the error, from [`error_names`](self) or [`gcn_object::error_names`].
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{error_names, hsa::LaunchError};
    /// assert_eq!(LaunchError::GroupTooLarge(2048).name(), error_names::WORKGROUP_SIZE);
    /// assert_eq!(LaunchError::Empty.name(), error_names::GRID_SIZE);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            LaunchError::Empty | LaunchError::TooManyWaves { .. } => GRID_SIZE,
            LaunchError::GroupTooLarge(_)
            | LaunchError::GroupBeyondKernel { .. }
            | LaunchError::GroupRequired { .. } => WORKGROUP_SIZE,
            LaunchError::Lds { .. }
            | LaunchError::Scratch { .. }
            | LaunchError::Unfit(_)
            | LaunchError::Wave32(_) => RESOURCE_LIMIT,
            LaunchError::Arguments { .. } => ARGUMENT_SIZE,
            LaunchError::Entry(_) => MALFORMED_FILE,
            LaunchError::Memory(_) => OUT_OF_MEMORY,
        }
    }
}

impl LoadError {
    /// Returns the stable name of the error, from [`error_names`](self) or [`gcn_object::error_names`].
    pub fn name(&self) -> &'static str {
        match self {
            LoadError::Image(error) => error.name(),
            LoadError::Relocations(errors) => {
                (errors.first()).map_or(MALFORMED_FILE, |error| error.name())
            }
            LoadError::Memory(_) => OUT_OF_MEMORY,
        }
    }
}

impl CompileError {
    /// Returns the stable name of the error, from [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{compile::CompileError, error_names};
    /// assert_eq!(CompileError::NoCompiler.name(), error_names::MISSING_COMPILER);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            CompileError::NoCompiler
            | CompileError::NoSuchCompiler { .. }
            | CompileError::NotAProgram { .. }
            | CompileError::NoLibraries
            | CompileError::NoLibraryForTarget { .. }
            | CompileError::NoLinker { .. }
            | CompileError::Start { .. } => MISSING_COMPILER,
            CompileError::Failed { .. } => COMPILATION_FAILED,
            CompileError::Source(error) => error.name(),
            CompileError::Temporary(_) => TEMPORARY_FILE,
        }
    }
}

impl DataError {
    /// Returns the stable name of the error, from [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{data::Data, error_names};
    /// let error = Data::read("the input".to_owned(), &mut &[0; 9][..], 8).unwrap_err();
    /// assert_eq!(error.name(), error_names::UNREADABLE_INPUT);
    /// ```
    pub fn name(&self) -> &'static str {
        UNREADABLE_INPUT
    }
}
