//! Limits of a dispatch: sizes that hardware supports, and resources of a compute unit.

use crate::lanes::LevelError;
use crate::memory::AllocError;
use crate::native::{ENGINE_VARIABLE, EngineError};

/// Error that prevents a dispatch from starting.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// A dimension is zero.
    #[error("a grid and a workgroup have at least one work-item in every dimension")]
    Empty,
    /// Too many work-items in a workgroup.
    #[error("a workgroup has at most {MAX_GROUP} work-items, this one {0}")]
    GroupTooLarge(u64),
    /// More registers or LDS than a compute unit has.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// Too little memory for scratch, registers or LDS.
    #[error(transparent)]
    Memory(#[from] AllocError),
    /// The environment requests an unknown level of vector instructions, or one that the host does not support.
    #[error(transparent)]
    Vectors(#[from] LevelError),
    /// The environment requests an unknown engine.
    #[error("{ENGINE_VARIABLE}: {0}")]
    Engine(#[from] EngineError),
    /// The host cannot start another thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// Maximum number of work-items in a workgroup.
pub const MAX_GROUP: u64 = 1024;

/// Number of SIMDs in a compute unit.
const SIMDS: u64 = 4;
/// Maximum number of waves on a SIMD.
const WAVES_PER_SIMD: u64 = 10;
/// Number of vector registers that the waves of a SIMD share.
const VGPRS_PER_SIMD: u64 = 256;
/// Allocation granularity of vector registers.
const VGPR_BLOCK: u64 = 4;
/// Size of a compute unit's LDS in bytes.
const LDS_BYTES: u64 = 64 << 10;

/// Reason why no compute unit can run a workgroup.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The waves use too many vector registers.
    #[error(
        "a workgroup of {waves} waves with {vgprs} VGPRs each does not fit a compute unit, which holds {most} such waves"
    )]
    Registers {
        /// Number of waves in the workgroup.
        waves: u64,
        /// Number of vector registers of a wave.
        vgprs: u64,
        /// Number of waves that a compute unit has registers for.
        most: u64,
    },
    /// The workgroup uses too much LDS.
    #[error("a workgroup with {0} bytes of LDS does not fit a compute unit, which has {LDS_BYTES}")]
    Lds(u64),
}

/// Number of waves with `vgprs` vector registers that fit in a compute unit.
fn waves_per_unit(vgprs: u64) -> u64 {
    let vgprs = vgprs.max(1).next_multiple_of(VGPR_BLOCK);
    SIMDS * (VGPRS_PER_SIMD / vgprs).min(WAVES_PER_SIMD)
}

/// Number of workgroups that fit in a compute unit. A workgroup has `waves` waves with `vgprs` vector registers each,
/// and `lds_bytes` bytes of LDS.
///
/// # Errors
/// Fails if not even one workgroup fits.
pub fn fits(waves: u64, vgprs: u64, lds_bytes: u64) -> Result<u64, Unfit> {
    let most = waves_per_unit(vgprs);
    let by_registers = most / waves.max(1);
    if by_registers == 0 {
        return Err(Unfit::Registers { waves, vgprs, most });
    }
    let by_lds = LDS_BYTES.checked_div(lds_bytes).unwrap_or(u64::MAX);
    if by_lds == 0 {
        return Err(Unfit::Lds(lds_bytes));
    }
    Ok(by_registers.min(by_lds))
}
