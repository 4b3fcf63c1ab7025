//! Errors from the runtime.

use std::sync::Arc;

use gcn_emu::memory::{AllocError, FreeError, RegisterError};
use gcn_isa::UnknownTarget;
use gcn_object::{BundleError, NameError, ReadError};

use crate::abi::hsa;
use crate::compile::CompileError;
use crate::completion::Completion;

/// Error of the runtime.
///
/// # Examples
/// ```
/// use gcn_runtime::{Device, Error};
/// assert!(matches!(Device::new("gfx12345"), Err(Error::Target(_))));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The target name is unknown.
    #[error("{}", UnknownTarget(.0))]
    Target(String),
    /// The target disables SRAM ECC.
    #[error(
        "`{0}` is not emulated: gfx906 is an MI50 or MI60, which have SRAM ECC on; compile for gfx906 (--offload-arch=gfx906)"
    )]
    SrameccOff(String),
    /// The device or the host has too little memory.
    #[error(transparent)]
    Memory(#[from] AllocError),
    /// A host range cannot be registered.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The memory has already been freed.
    #[error(transparent)]
    Freed(#[from] FreeError),
    /// A range extends beyond a buffer.
    #[error("bytes {begin}..{end} of {name} do not exist: it has {len} bytes")]
    OutOfBounds {
        /// Buffer name.
        name: String,
        /// Start of the range, in bytes.
        begin: u64,
        /// End of the range, in bytes.
        end: u64,
        /// Size of the buffer in bytes.
        len: u64,
    },
    /// The bytes are not a valid code object.
    #[error(transparent)]
    Read(Arc<ReadError>),
    /// A container of code objects cannot be read.
    #[error(transparent)]
    Bundle(Arc<BundleError>),
    /// No code was found for the device.
    #[error("no code for {target}; there is code for: {}", .found.join(", "))]
    NoCode {
        /// Target of the device's code.
        target: String,
        /// Targets of the code that was found.
        found: Vec<String>,
    },
    /// Several code objects were found for the device where one was expected.
    #[error("{count} code objects for {target}, where one is expected")]
    SeveralCodeObjects {
        /// Target of the device's code.
        target: String,
        /// Number of code objects.
        count: usize,
    },
    /// A source could not be compiled.
    #[error(transparent)]
    Compile(Arc<CompileError>),
    /// A code object cannot be loaded.
    #[error(transparent)]
    Load(Arc<hsa::LoadError>),
    /// The kernel name is unknown or ambiguous.
    #[error(transparent)]
    Name(Arc<NameError>),
    /// The number of arguments is wrong.
    #[error("{kernel} takes {wanted} arguments, not {given}")]
    ArgumentCount {
        /// Kernel name.
        kernel: String,
        /// Number of arguments that the kernel takes.
        wanted: usize,
        /// Number of arguments passed.
        given: usize,
    },
    /// The size of an argument is wrong.
    #[error("argument {index} of {kernel} has {wanted} bytes, not {given}")]
    ArgumentSize {
        /// Kernel name.
        kernel: String,
        /// Index of the argument, from 0.
        index: usize,
        /// Size that the kernel expects, in bytes.
        wanted: u64,
        /// Size passed, in bytes.
        given: u64,
    },
    /// The module and the queue belong to different devices.
    #[error("the queue and the kernel's module belong to different devices")]
    OtherDevice,
    /// The launch is invalid, or its initial state cannot be built.
    #[error(transparent)]
    Launch(Arc<hsa::LaunchError>),
    /// The emulator cannot start the dispatch.
    #[error(transparent)]
    Run(Arc<gcn_emu::run::DispatchError>),
    /// The kernel faulted; the completion contains the fault and the work done so far.
    #[error("{}", .0.describe())]
    Fault(Arc<Completion>),
    /// The command was cancelled before or during its execution.
    #[error("cancelled")]
    Cancelled,
    /// The command was skipped because an earlier one in its queue, or one that it waits for, failed.
    #[error("not started: {0}")]
    Skipped(Arc<Error>),
    /// A function called by a queue panicked.
    #[error("a function in the queue panicked")]
    Panicked,
}
