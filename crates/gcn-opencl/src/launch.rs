//! Validates and runs kernel launches.

use std::ops::Range;
use std::sync::Arc;

use gcn_report::program::RunningLaunch;
use gcn_report::program::say::say;
use gcn_runtime::hsa::LaunchError;
use gcn_runtime::{AccessRule, Error, Kernel as Code, Launch, Queue as Emulated, Restricted};

use crate::abi::{CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
use crate::device::{Device, MAX_ITEMS, WAVE};
use crate::kernel::{Kernel, LaunchArguments, max_group, required_group};
use crate::memory::{Mem, mapped_regions};
use crate::printf_output::print;
use crate::runtime;
use crate::sampler::Sampler;
use crate::status::{Outcome, Status};

/// Maximum work-group size that the platform chooses if the application passes none.
const USUAL_GROUP: usize = 256;
const DWORD: u64 = 4;

/// Launch sizes as the application passed them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchSizes<'a> {
    pub(crate) dimensions: u32,
    pub(crate) offset: Option<&'a [usize]>,
    /// Global size; `None` for an empty launch.
    pub(crate) global: Option<&'a [usize]>,
    pub(crate) local: Option<&'a [usize]>,
}

/// Validated launch.
pub(crate) struct ReadyLaunch {
    launch: Launch,
    /// Buffers and images passed as arguments.
    objects: Vec<Arc<Mem>>,
    _samplers: Vec<Arc<Sampler>>,
}

/// Converts sizes and pads them with `rest` to three dimensions; `None` if a conversion fails.
fn three<T: Copy>(
    given: &[usize],
    rest: T,
    convert: impl Fn(usize) -> Option<T>,
) -> Option<[T; 3]> {
    let mut all = [rest; 3];
    for (to, from) in all.iter_mut().zip(given) {
        *to = convert(*from)?;
    }
    Some(all)
}

impl ReadyLaunch {
    /// Validates a launch; `None` if it has no work-items.
    ///
    /// # Errors
    /// The errors that the specification defines for kernels, arguments and sizes.
    pub(crate) fn new(
        kernel: &Kernel,
        device: &Arc<Device>,
        sizes: &LaunchSizes<'_>,
    ) -> Outcome<Option<ReadyLaunch>> {
        let code = kernel.code(device)?;
        let LaunchArguments {
            all: arguments,
            objects,
            samplers,
        } = kernel.launch_arguments(device)?;
        if !(1..=3).contains(&sizes.dimensions) {
            return Err(Status::INVALID_WORK_DIMENSION);
        }
        let offset = sizes.offset.unwrap_or_default();
        let global = sizes.global.unwrap_or_default();
        let mut ends = offset.iter().zip(global);
        if !ends.all(|(offset, global)| offset.checked_add(*global).is_some()) {
            return Err(Status::INVALID_GLOBAL_OFFSET);
        }
        let grid = three(global, 1, |n| u32::try_from(n).ok());
        let grid = grid.ok_or(Status::INVALID_GLOBAL_WORK_SIZE)?;
        let group = group(code, grid, sizes.local)?;
        if global.is_empty() || grid.contains(&0) {
            // Empty launches are valid since OpenCL 2.1.
            let is_valid = device.is_of_3_0();
            return is_valid
                .then_some(None)
                .ok_or(Status::INVALID_GLOBAL_WORK_SIZE);
        }
        let offset = three(offset, 0, |n| Some(n as u64)).unwrap_or_default();
        let launch = code
            .launch(grid)
            .group(group)
            .dimensions(sizes.dimensions as u16)
            .offset(offset);
        let launch = arguments
            .into_iter()
            .fold(launch, |launch, argument| launch.arg(argument))
            .restrict(flag_restrictions(&objects))
            .restrict(outside_sub_buffers(&objects));
        if let Some(problem) = launch.problems().into_iter().next() {
            return Err(status_of(&problem));
        }
        Ok(Some(ReadyLaunch {
            launch,
            objects,
            _samplers: samplers,
        }))
    }

    /// Runs the kernel to completion.
    ///
    /// # Errors
    /// Fails if the kernel fails. The fault is reported on standard error.
    pub(crate) fn run(self, queue: &Emulated) -> Outcome {
        let watch = &runtime::get()?.watch;
        let running = register_launch(&self.objects);
        let rules = running.iter().flat_map(|it| it.rules.iter().cloned());
        match watch.run(self.launch.restrict(rules), queue, &Arc::default()) {
            Ok(completion) => {
                print(&completion.printed);
                Ok(())
            }
            Err(failed) => {
                if let Error::Fault(completion) = &failed.error {
                    print(&completion.printed);
                }
                say(&format!("error: {failed}"));
                Err(Status::OUT_OF_RESOURCES)
            }
        }
    }
}

/// Returns the address range of an object's memory.
fn range(object: &Mem) -> Range<u64> {
    object.address..object.address.saturating_add(object.size as u64)
}

/// Registers a running launch for the checks of mapped regions, if those are enabled.
fn register_launch(objects: &[Arc<Mem>]) -> Option<RunningLaunch<'static>> {
    let regions = mapped_regions()?;
    let own = objects.iter().filter(|object| !object.uses_svm);
    Some(regions.launch(
        objects.first()?.space()?,
        own.map(|object| range(object)).collect(),
    ))
}

/// Returns the address ranges that lie in the parents of sub-buffer arguments but outside every argument.
fn outside_sub_buffers(objects: &[Arc<Mem>]) -> Vec<Restricted> {
    let whole = |object: &Arc<Mem>| {
        let parents = std::iter::successors(Some(object), |object| object.parent.as_ref());
        parents.last().cloned()
    };
    let mut found: Vec<Restricted> = Vec::new();
    let is_part = |it: &&Arc<Mem>| it.image.is_none() && it.parent.is_some() && !it.uses_svm;
    let mut wholes: Vec<Arc<Mem>> = objects.iter().filter(is_part).filter_map(whole).collect();
    wholes.sort_by_key(|whole| whole.address);
    wholes.dedup_by_key(|whole| whole.address);
    for whole in wholes.iter().map(|it| range(it)) {
        let mut parts: Vec<Range<u64>> = objects.iter().map(|it| range(it)).collect();
        parts.sort_by_key(|part| part.start);
        // Compilers load the whole dword that contains the last byte.
        let mut end = whole.start;
        for part in parts.iter().chain([&(whole.end..whole.end)]) {
            let next = part.start.clamp(whole.start, whole.end);
            if end < next {
                found.push(Restricted {
                    range: end..next,
                    rule: AccessRule::OutsideSubBuffers,
                });
            }
            end = end.max(part.end.next_multiple_of(DWORD).min(whole.end));
        }
    }
    found
}

/// Access rule for each memory object flag.
const FLAG_RULES: [(u64, AccessRule); 2] = [
    (CL_MEM_READ_ONLY, AccessRule::ReadOnly),
    (CL_MEM_WRITE_ONLY, AccessRule::WriteOnly),
];

/// Returns the address ranges of buffers created with a read-only or write-only flag, except where another argument of
/// the launch without that flag overlaps them. Shared virtual memory is excluded: kernels access it through pointers,
/// to which flags do not apply.
fn flag_restrictions(objects: &[Arc<Mem>]) -> Vec<Restricted> {
    let mut found: Vec<Restricted> = Vec::new();
    for object in objects {
        let mut rules = FLAG_RULES
            .iter()
            .filter(|(flag, _)| object.flags & flag != 0);
        let Some(&(flag, rule)) = rules.next() else {
            continue;
        };
        let own = range(object);
        let is_reached = objects.iter().any(|other| {
            let it = range(other);
            other.flags & flag == 0 && it.start < own.end && own.start < it.end
        });
        let is_buffer = object.image.is_none() && !object.uses_svm;
        if is_buffer && !is_reached && !found.iter().any(|it| it.range == own) {
            found.push(Restricted { range: own, rule });
        }
    }
    found
}

/// Returns the status for a launch with invalid sizes or arguments.
fn status_of(problem: &Error) -> Status {
    match problem {
        Error::Launch(problem) => match **problem {
            LaunchError::GroupTooLarge(_)
            | LaunchError::GroupBeyondKernel { .. }
            | LaunchError::GroupRequired { .. } => Status::INVALID_WORK_GROUP_SIZE,
            LaunchError::TooManyWaves { .. } | LaunchError::Empty => {
                Status::INVALID_GLOBAL_WORK_SIZE
            }
            _ => Status::OUT_OF_RESOURCES,
        },
        Error::ArgumentCount { .. } | Error::ArgumentSize { .. } => Status::INVALID_KERNEL_ARGS,
        _ => Status::OUT_OF_RESOURCES,
    }
}

/// Returns true if the kernel requires uniform work-groups.
fn wants_uniform(code: &Code) -> bool {
    let metadata = code.description().metadata.as_ref();
    metadata.is_some_and(|metadata| metadata.uniform_work_group_size == Some(1))
}

/// Returns the application's work-group size after validation, or chooses one.
fn group(code: &Code, grid: [u32; 3], local: Option<&[usize]>) -> Outcome<[u32; 3]> {
    let narrow = |sizes: [usize; 3]| sizes.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let required = required_group(code);
    let Some(local) = local else {
        return match required {
            Some(required) => {
                let group = narrow(required);
                check_uniform(code, grid, group)?;
                Ok(group)
            }
            None => {
                let most = max_group(code).min(USUAL_GROUP);
                let group = usual_group(grid, most);
                let items: u32 = group.iter().product();
                // If the grid size has few divisors, a dividing work-group size would be small and leave lanes idle.
                let is_small = (items as usize) < WAVE && grid[0] as usize > most;
                Ok(if is_small && !wants_uniform(code) {
                    [WAVE.min(most) as u32, 1, 1]
                } else {
                    group
                })
            }
        };
    };
    let sizes = three(local, 1, Some).unwrap_or([1; 3]);
    if sizes.contains(&0) {
        return Err(Status::INVALID_WORK_GROUP_SIZE);
    }
    if required.is_some_and(|required| required != sizes) {
        return Err(Status::INVALID_WORK_GROUP_SIZE);
    }
    if sizes.iter().any(|n| *n > MAX_ITEMS) {
        return Err(Status::INVALID_WORK_ITEM_SIZE);
    }
    if sizes.iter().product::<usize>() > max_group(code) {
        return Err(Status::INVALID_WORK_GROUP_SIZE);
    }
    let group = narrow(sizes);
    check_uniform(code, grid, group)?;
    Ok(group)
}

/// Checks that a grid has no partial work-groups if the kernel requires uniform ones.
///
/// # Errors
/// Fails if the grid has partial work-groups that the kernel does not support.
fn check_uniform(code: &Code, grid: [u32; 3], group: [u32; 3]) -> Outcome {
    let is_whole = (0..3).all(|d| grid[d].is_multiple_of(group[d]));
    (is_whole || !wants_uniform(code))
        .then_some(())
        .ok_or(Status::INVALID_WORK_GROUP_SIZE)
}

/// Chooses a work-group size that divides the grid. Each dimension in turn gets the largest divisor that keeps the
/// product at or below `most`.
fn usual_group(grid: [u32; 3], most: usize) -> [u32; 3] {
    let mut left = u32::try_from(most).unwrap_or(u32::MAX);
    grid.map(|size| {
        let divisor = (1..=left.min(size)).rev().find(|n| size.is_multiple_of(*n));
        let divisor = divisor.unwrap_or(1);
        left /= divisor;
        divisor
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_groups_divide_the_grid() {
        for (grid, expected) in [
            ([1024, 1, 1], [256, 1, 1]),
            ([100, 1, 1], [100, 1, 1]),
            ([257, 1, 1], [1, 1, 1]),
            ([16, 16, 4], [16, 16, 1]),
            ([3, 5, 7], [3, 5, 7]),
            ([300, 2, 0], [150, 1, 1]),
        ] {
            assert_eq!(usual_group(grid, 256), expected, "{grid:?}");
        }
    }
}
