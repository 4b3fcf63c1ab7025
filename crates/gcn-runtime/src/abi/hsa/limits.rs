//! Checks launch sizes against the limits of hardware and kernel.

use gcn_emu::run::{MAX_GROUP, Unfit, fits};
use gcn_emu::wave::LANES;
use gcn_isa::Isa;
use gcn_object::{MAX_KERNARG_BYTES, ObjectKernel};

use super::error::{LaunchError, MAX_SCRATCH_PER_LANE, MAX_WAVES};
use super::start::{Arguments, KernelStart, LaunchShape};

/// Returns the maximum LDS per workgroup in bytes.
///
/// # Examples
/// ```
/// use gcn_isa::Target;
/// use gcn_runtime::hsa::max_lds;
/// let of = |name| max_lds(Target::named(name).expect("a target").isa);
/// assert_eq!((of("gfx600"), of("gfx900")), (32 << 10, 64 << 10));
/// ```
pub fn max_lds(isa: Isa) -> u32 {
    match isa {
        Isa::Si => 32 << 10,
        Isa::Ci | Isa::Vi | Isa::Stoney | Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => 64 << 10,
    }
}

/// Returns the number of work-items in a workgroup.
fn items(group: [u32; 3]) -> u64 {
    let sizes = group.into_iter().map(u64::from);
    sizes.fold(1, u64::saturating_mul)
}

/// Returns an error if the kernel was not compiled for workgroups of this size.
pub(crate) fn beyond_compiled(kernel: &ObjectKernel, group: [u32; 3]) -> Option<LaunchError> {
    let metadata = kernel.metadata.as_ref()?;
    let (given, items) = (group.map(u64::from), items(group));
    if let Some(required) = metadata.reqd_workgroup_size.filter(|it| *it != given) {
        return Some(LaunchError::GroupRequired { required, given });
    }
    let most = metadata.max_flat_workgroup_size;
    let most = most.filter(|most| *most != 0 && items > *most)?;
    Some(LaunchError::GroupBeyondKernel { items, most })
}

impl KernelStart<'_> {
    /// Returns the errors in the launch sizes, for a device with instruction set `isa`.
    pub(crate) fn problems(&self, isa: Isa) -> Vec<LaunchError> {
        let LaunchShape {
            grid,
            group,
            dynamic_lds,
            ..
        } = self.shape;
        let mut problems = Vec::new();
        if grid.contains(&0) || group.contains(&0) {
            return vec![LaunchError::Empty];
        }
        let descriptor = &self.kernel.descriptor;
        let given = group.map(u64::from);
        let items = items(group);
        if items > MAX_GROUP {
            problems.push(LaunchError::GroupTooLarge(items));
        } else if !matches!(self.arguments, Arguments::Packet(_)) {
            // The packet processor does not read metadata, so the caller's packets are not checked against it.
            problems.extend(beyond_compiled(self.kernel, group));
        }
        let groups = grid
            .iter()
            .zip(given)
            .map(|(grid, group)| u128::from(u64::from(*grid).div_ceil(group)));
        let waves = groups.fold(
            u128::from(items.div_ceil(LANES as u64)),
            u128::saturating_mul,
        );
        if waves > MAX_WAVES {
            problems.push(LaunchError::TooManyWaves {
                grid: grid.map(u64::from),
                group: given,
                waves,
            });
        }
        let fixed = descriptor.group_segment_fixed_size;
        let bytes = u64::from(fixed) + u64::from(dynamic_lds);
        let most = max_lds(isa);
        if bytes > u64::from(most) {
            problems.push(LaunchError::Lds {
                bytes,
                fixed,
                dynamic: dynamic_lds,
                isa,
                most,
            });
        }
        let waves = items.div_ceil(LANES as u64);
        if items <= MAX_GROUP
            && let Err(unfit @ Unfit::Registers { .. }) = fits(waves, self.vgprs() as u64, 0)
        {
            problems.push(unfit.into());
        }
        let scratch = self.scratch_bytes();
        if scratch > u64::from(MAX_SCRATCH_PER_LANE) {
            problems.push(LaunchError::Scratch { bytes: scratch });
        }
        let arguments = self.segment_bytes();
        if arguments > MAX_KERNARG_BYTES {
            problems.push(LaunchError::Arguments { bytes: arguments });
        }
        if descriptor.kernel_code_properties.enable_wavefront_size32() {
            problems.push(LaunchError::Wave32(isa));
        }
        problems
    }
}
