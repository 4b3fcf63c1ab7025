//! Errors of the library.

use std::sync::Arc;

use gcn_emu::memory::{AllocError, FreeError, RegisterError};
use gcn_isa::UnknownTarget;
use gcn_object::{BundleError, NameError, ReadError};

use crate::abi::hsa;
use crate::compile::CompileError;
use crate::completion::Completion;

/// A reason why something did not succeed.
///
/// # Examples
/// ```
/// use gcn_runtime::{Device, Error};
/// assert!(matches!(Device::new("gfx12345"), Err(Error::Target(_))));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No target has this name.
    #[error("{}", UnknownTarget(.0))]
    Target(String),
    /// A device or code for a target with SRAM ECC off.
    #[error(
        "`{0}` is not emulated: gfx906 is an MI50 or MI60, which have SRAM ECC on; compile for gfx906 (--offload-arch=gfx906)"
    )]
    SrameccOff(String),
    /// No memory for it.
    #[error(transparent)]
    Memory(#[from] AllocError),
    /// A range of the host's cannot be registered.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// Memory has been freed already.
    #[error(transparent)]
    Freed(#[from] FreeError),
    /// Elements of a buffer that do not exist.
    #[error("bytes {begin}..{end} of {name} do not exist: it has {len} bytes")]
    OutOfBounds {
        /// The buffer.
        name: String,
        /// The first byte.
        begin: u64,
        /// The byte behind the last one.
        end: u64,
        /// Bytes of the buffer.
        len: u64,
    },
    /// Bytes are no code object.
    #[error(transparent)]
    Read(Arc<ReadError>),
    /// A file that holds several code objects cannot be read.
    #[error(transparent)]
    Bundle(Arc<BundleError>),
    /// No code for the device.
    #[error("no code for {target}; there is code for: {}", .found.join(", "))]
    NoCode {
        /// The device's target.
        target: String,
        /// Targets that there is code for.
        found: Vec<String>,
    },
    /// A source is not compiled.
    #[error(transparent)]
    Compile(Arc<CompileError>),
    /// A code object cannot be loaded.
    #[error(transparent)]
    Load(Arc<hsa::LoadError>),
    /// No kernel has the name, or several have.
    #[error(transparent)]
    Name(Arc<NameError>),
    /// The arguments are not those of the kernel.
    #[error("{kernel} takes {wanted} arguments, not {given}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Arguments that it takes.
        wanted: usize,
        /// Arguments that it was given.
        given: usize,
    },
    /// An argument has not the size of the kernel's.
    #[error("argument {index} of {kernel} has {wanted} bytes, not {given}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// Number of the argument, from 0 on.
        index: usize,
        /// Bytes that the kernel takes.
        wanted: u64,
        /// Bytes that it was given.
        given: u64,
    },
    /// A module of one device is used with a queue of another.
    #[error("the queue and the kernel's module belong to different devices")]
    OtherDevice,
    /// The sizes of a launch are not possible.
    #[error(transparent)]
    Launch(Arc<hsa::LaunchError>),
    /// A run cannot begin.
    #[error(transparent)]
    Run(Arc<gcn_emu::run::DispatchError>),
    /// The kernel faulted: the fault, and the work done until then.
    #[error("{}", .0.describe())]
    Fault(Arc<Completion>),
    /// A command was cancelled before or while it ran.
    #[error("cancelled")]
    Cancelled,
    /// A command was not begun, since one before it in its queue, or one that it depends on, has failed.
    #[error("not started: {0}")]
    Skipped(Arc<Error>),
    /// A function of the caller's panicked in a queue.
    #[error("a function in the queue panicked")]
    Panicked,
}
