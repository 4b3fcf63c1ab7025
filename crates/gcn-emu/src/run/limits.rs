//! Reasons to refuse a dispatch: sizes that hardware does not take, and workgroups that no compute unit holds.

use crate::lanes::LevelError;
use crate::memory::AllocError;
use crate::native::{ENGINE_VARIABLE, EngineError};

/// Reason for which a dispatch cannot be started.
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
    /// No memory for scratch or registers.
    #[error(transparent)]
    Memory(#[from] AllocError),
    /// The environment asks for vector instructions that do not exist here.
    #[error(transparent)]
    Vectors(#[from] LevelError),
    /// The environment asks for an engine that does not exist.
    #[error("{ENGINE_VARIABLE}: {0}")]
    Engine(#[from] EngineError),
    /// The host refuses another thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// Work-items of a workgroup at most.
pub const MAX_GROUP: u64 = 1024;

/// SIMDs of a compute unit.
const SIMDS: u64 = 4;
/// Waves of a SIMD at most.
const WAVES_PER_SIMD: u64 = 10;
/// Vector registers that the waves of a SIMD share.
const VGPRS_PER_SIMD: u64 = 256;
/// Vector registers are allocated in blocks of this many.
const VGPR_BLOCK: u64 = 4;
/// Bytes of LDS of a compute unit.
const LDS_BYTES: u64 = 64 << 10;

/// A reason why no compute unit can run a workgroup.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The waves have too many vector registers.
    #[error(
        "a workgroup of {waves} waves with {vgprs} VGPRs each does not fit a compute unit, which holds {most} such waves"
    )]
    Registers {
        /// Waves of the workgroup.
        waves: u64,
        /// Vector registers of a wave.
        vgprs: u64,
        /// Waves that a compute unit has registers for.
        most: u64,
    },
    /// The workgroup has too much LDS.
    #[error("a workgroup with {0} bytes of LDS does not fit a compute unit, which has {LDS_BYTES}")]
    Lds(u64),
}

/// Waves with `vgprs` vector registers that a compute unit holds.
fn waves_per_unit(vgprs: u64) -> u64 {
    let vgprs = vgprs.max(1).next_multiple_of(VGPR_BLOCK);
    SIMDS * (VGPRS_PER_SIMD / vgprs).min(WAVES_PER_SIMD)
}

/// Workgroups of `waves` waves that a compute unit holds, each wave with `vgprs` vector registers and each workgroup with
/// `lds_bytes` bytes of LDS.
///
/// # Errors
/// Not even one fits.
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
