//! Workgroups that are alive at once: as many as the registers and the LDS of the largest chips hold, and as the device's
//! memory holds here.

use super::worker::RESIDENT_GROUPS_WAITING;
use super::{Dispatch, LaunchError};
use crate::code::Code;
use crate::device::Device;
use crate::lanes::Lanes;
use crate::memory::Charge;
use crate::wave::Wave;

/// Compute units of the largest chips.
const COMPUTE_UNITS: u64 = 64;
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
    /// Its waves have too many vector registers.
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
    /// It has too much LDS.
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

/// Workgroups that each of `threads` threads may keep alive, and the device's memory that their registers and LDS take.
///
/// # Errors
/// A compute unit cannot run one, or there is no memory for one a thread.
pub(super) fn reserve(
    device: &Device,
    code: &Code,
    dispatch: &Dispatch,
    threads: usize,
) -> Result<(usize, Charge), LaunchError> {
    let waves = dispatch.waves_per_group();
    let vgprs = code.vgprs() as u64;
    let lds_bytes = u64::from(dispatch.lds_bytes);
    let on_chip = COMPUTE_UNITS * fits(waves, vgprs, lds_bytes)?;
    let wave_bytes = vgprs * size_of::<Lanes>() as u64 + size_of::<Wave>() as u64;
    let group_bytes = waves * wave_bytes + lds_bytes;
    let (used, limit) = device.memory.usage();
    let affordable = limit.saturating_sub(used) / threads as u64 / group_bytes;
    let slots = on_chip
        .min(dispatch.resident_groups() as u64)
        .min(affordable)
        .clamp(1, RESIDENT_GROUPS_WAITING as u64);
    let resident = dispatch
        .group_count()
        .min(u128::from(slots) * threads as u128) as u64;
    let name = "registers and LDS of workgroups";
    let charge = device.memory.charge(name, resident * group_bytes)?;
    Ok((slots as usize, charge))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compute_unit_holds_what_its_registers_and_its_lds_hold() {
        for (waves, vgprs, lds, expected) in [
            (1, 24, 0, Ok(40)),
            (1, 25, 0, Ok(36)),
            (1, 256, 0, Ok(4)),
            (16, 64, 0, Ok(1)),
            (4, 64, 20 << 10, Ok(3)),
            (1, 8, 64 << 10, Ok(1)),
        ] {
            assert_eq!(fits(waves, vgprs, lds), expected, "{waves} {vgprs} {lds}");
        }
        let unfit = fits(16, 65, 0).expect_err("12 waves fit");
        assert_eq!(
            unfit.to_string(),
            "a workgroup of 16 waves with 65 VGPRs each does not fit a compute unit, which holds 12 such waves"
        );
        assert_eq!(fits(1, 8, 65537), Err(Unfit::Lds(65537)));
    }
}
