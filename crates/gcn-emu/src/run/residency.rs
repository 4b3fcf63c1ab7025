//! Number of resident workgroups, limited by the registers and LDS of the largest chips and by the device's memory.

use super::limits::{DispatchError, fits};
use crate::code::Code;
use crate::device::Device;
use crate::dispatch::{Dispatch, RESIDENT_GROUPS_WAITING};
use crate::lanes::Lanes;
use crate::memory::Charge;
use crate::wave::Wave;

/// Number of compute units of the largest chips.
const COMPUTE_UNITS: u64 = 64;
/// Returns the number of workgroups that each of `threads` threads may keep resident, and the charge against the
/// device's memory for their registers and LDS.
///
/// # Errors
/// Fails if a compute unit cannot run a workgroup, or if there is no memory for one workgroup per thread.
pub(super) fn reserve(
    device: &Device,
    code: &Code,
    dispatch: &Dispatch,
    threads: usize,
) -> Result<(usize, Charge), DispatchError> {
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
