//! Reasons why a kernel cannot be started, and notes on one that can.

use gcn_emu::memory::AllocError;
use gcn_emu::run::{MAX_GROUP, Unfit};
use gcn_isa::Isa;
use gcn_object::MAX_KERNARG_BYTES;

use crate::abi::printf::FormatError;

/// Waves of a dispatch at most. The packet's three 32-bit grid sizes allow 2^96 work-items; what is beyond this
/// many waves would run for days here, so it is refused instead of begun.
pub(crate) const MAX_WAVES: u128 = 1 << 30;
/// Bytes of scratch of a lane at most: the wave's size is a field of 13 bits in units of 1 KiB.
pub(crate) const MAX_SCRATCH_PER_LANE: u32 = ((1 << 13) - 1) * 1024 / 64;

/// Something decided that the user may want to know.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LaunchNote {
    /// The stack is not in the descriptor.
    #[error(
        "the size of the kernel's stack is unknown; each lane has {bytes} bytes of scratch, {stack} more than the fixed part"
    )]
    DynamicStack {
        /// Scratch of a lane.
        bytes: u64,
        /// Of these, what is beyond the fixed part.
        stack: u32,
    },
    /// Workgroups at the edge of the grid are partial.
    #[error(
        "a grid of {} has partial workgroups of {}; the kernel was compiled for whole workgroups only", by(.grid), by(.group)
    )]
    Partial {
        /// Work-items.
        grid: [u64; 3],
        /// Work-items of a workgroup.
        group: [u64; 3],
    },
    /// Output with this format will be missing.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The output is lost (errata E244).
    #[error(
        "the code object calls the device library's empty printf instead of the compiler's, and prints nothing"
    )]
    MutePrintf,
}

/// Reason for which a kernel cannot be started.
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
    /// A dimension is zero.
    #[error("a grid and a workgroup need at least one work-item in every dimension")]
    Empty,
    /// Too many work-items in a workgroup.
    #[error("a workgroup of {0} work-items is too large: the limit is {MAX_GROUP}")]
    GroupTooLarge(u64),
    /// Too many work-items for this kernel.
    #[error(
        "a workgroup of {items} work-items is too large: the kernel was compiled for at most {most}"
    )]
    GroupBeyondKernel {
        /// Of the workgroup.
        items: u64,
        /// The most that the metadata allow.
        most: u64,
    },
    /// The kernel insists on another size.
    #[error("the kernel was compiled for workgroups of {}, not of {}", by(.required), by(.given))]
    GroupRequired {
        /// The size that the metadata require.
        required: [u64; 3],
        /// The size asked for.
        given: [u64; 3],
    },
    /// More than can be run.
    #[error(
        "a grid of {} in workgroups of {} has {waves} waves; the limit is {MAX_WAVES}", by(.grid), by(.group)
    )]
    TooManyWaves {
        /// Work-items.
        grid: [u64; 3],
        /// Work-items of a workgroup.
        group: [u64; 3],
        /// Waves.
        waves: u128,
    },
    /// More LDS than there is.
    #[error("a workgroup needs {bytes} bytes of LDS ({fixed} in the kernel, {dynamic} dynamic); {} has {most}", .isa.version())]
    Lds {
        /// In all.
        bytes: u64,
        /// Of the descriptor.
        fixed: u32,
        /// Of the launch.
        dynamic: u32,
        /// The generation.
        isa: Isa,
        /// The most that a workgroup can have.
        most: u32,
    },
    /// More scratch than the hardware can give.
    #[error(
        "the kernel needs {bytes} bytes of scratch per lane; the limit is {MAX_SCRATCH_PER_LANE}"
    )]
    Scratch {
        /// The descriptor's number.
        bytes: u64,
    },
    /// The argument segment is absurd.
    #[error("the argument segment has {bytes} bytes; the limit is {MAX_KERNARG_BYTES}")]
    Arguments {
        /// Size.
        bytes: u64,
    },
    /// More registers than a compute unit has.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// Waves of 32 lanes do not exist on GCN.
    #[error("the kernel needs waves of 32 lanes, which {} does not have", .0.version())]
    Wave32(Isa),
    /// The entry is not code.
    #[error("the entry of the kernel at {0:#x} is not in an executable segment")]
    Entry(u64),
    /// No memory.
    #[error(transparent)]
    Memory(#[from] AllocError),
}

fn by(size: &[u64; 3]) -> String {
    format!("{} x {} x {}", size[0], size[1], size[2])
}
