//! Errors and notes about launches.

use gcn_emu::memory::AllocError;
use gcn_emu::run::{MAX_GROUP, Unfit};
use gcn_isa::Isa;
use gcn_object::MAX_KERNARG_BYTES;

use crate::abi::printf::FormatError;

/// Maximum number of waves in a dispatch. The packet's three 32-bit grid sizes allow 2^96 work-items, but even 2^30 waves
/// take days in the emulator.
pub(crate) const MAX_WAVES: u128 = 1 << 30;
/// Maximum scratch per lane in bytes. The size per wave is a 13-bit field in units of 1 KiB.
pub(crate) const MAX_SCRATCH_PER_LANE: u32 = ((1 << 13) - 1) * 1024 / 64;

/// Note about a launch that may explain unexpected behaviour.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LaunchNote {
    /// The kernel has a dynamic stack, whose size the descriptor does not contain.
    #[error(
        "the size of the kernel's stack is unknown; each lane has {bytes} bytes of scratch, {stack} more than the fixed part"
    )]
    DynamicStack {
        /// Scratch per lane in bytes.
        bytes: u64,
        /// Dynamic part of the scratch in bytes.
        stack: u32,
    },
    /// The grid has partial workgroups, but the kernel was compiled for whole ones only.
    #[error(
        "a grid of {} has partial workgroups of {}; the kernel was compiled for whole workgroups only", by(.grid), by(.group)
    )]
    Partial {
        /// Grid size in work-items.
        grid: [u64; 3],
        /// Workgroup size in work-items.
        group: [u64; 3],
    },
    /// A printf format is malformed, so its output is lost.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The kernel's printf prints nothing (errata E244).
    #[error(
        "the code object calls the device library's empty printf instead of the compiler's, and prints nothing"
    )]
    MutePrintf,
}

/// Error that prevents a launch.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_runtime::Error;
/// let error = kernel.launch([64, 1, 1]).group([0, 1, 1]).prepare().unwrap_err();
/// assert!(matches!(error, Error::Launch(_)));
/// assert_eq!(error.to_string(), "a grid and a workgroup need at least one work-item in every dimension");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A size is zero.
    #[error("a grid and a workgroup need at least one work-item in every dimension")]
    Empty,
    /// The workgroup has too many work-items.
    #[error("a workgroup of {0} work-items is too large: the limit is {MAX_GROUP}")]
    GroupTooLarge(u64),
    /// The workgroup has too many work-items for this kernel.
    #[error(
        "a workgroup of {items} work-items is too large: the kernel was compiled for at most {most}"
    )]
    GroupBeyondKernel {
        /// Number of work-items in the workgroup.
        items: u64,
        /// Maximum number allowed by the metadata.
        most: u64,
    },
    /// The kernel requires another workgroup size.
    #[error("the kernel was compiled for workgroups of {}, not of {}", by(.required), by(.given))]
    GroupRequired {
        /// Size that the metadata requires.
        required: [u64; 3],
        /// Requested size.
        given: [u64; 3],
    },
    /// The grid has too many waves.
    #[error(
        "a grid of {} in workgroups of {} has {waves} waves; the limit is {MAX_WAVES}", by(.grid), by(.group)
    )]
    TooManyWaves {
        /// Grid size in work-items.
        grid: [u64; 3],
        /// Workgroup size in work-items.
        group: [u64; 3],
        /// Number of waves.
        waves: u128,
    },
    /// The LDS size exceeds the limit.
    #[error("a workgroup needs {bytes} bytes of LDS ({fixed} in the kernel, {dynamic} dynamic); {} has {most}", .isa.version())]
    Lds {
        /// Total size in bytes.
        bytes: u64,
        /// Static size from the descriptor, in bytes.
        fixed: u32,
        /// Dynamic size from the launch, in bytes.
        dynamic: u32,
        /// Instruction set of the device.
        isa: Isa,
        /// Maximum size per workgroup in bytes.
        most: u32,
    },
    /// The scratch size exceeds the hardware's limit.
    #[error(
        "the kernel needs {bytes} bytes of scratch per lane; the limit is {MAX_SCRATCH_PER_LANE}"
    )]
    Scratch {
        /// Size per lane in bytes, including the stack.
        bytes: u64,
    },
    /// The argument segment is too large.
    #[error("the argument segment has {bytes} bytes; the limit is {MAX_KERNARG_BYTES}")]
    Arguments {
        /// Size in bytes.
        bytes: u64,
    },
    /// A workgroup needs more registers than a compute unit has.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The kernel needs waves of 32 lanes, which GCN lacks.
    #[error("the kernel needs waves of 32 lanes, which {} does not have", .0.version())]
    Wave32(Isa),
    /// The entry point is not in an executable segment.
    #[error("the entry of the kernel at {0:#x} is not in an executable segment")]
    Entry(u64),
    /// Not enough device memory is available.
    #[error(transparent)]
    Memory(#[from] AllocError),
}

fn by(size: &[u64; 3]) -> String {
    format!("{} x {} x {}", size[0], size[1], size[2])
}
