//! Creates and runs kernel launches.

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::checkers::{CheckerHandle, FindingHandle, finding_handle};
use super::devices::BufferHandle;
use super::modules::KernelHandle;
use crate::entry::{ErrorHandle, call, quiet};
use crate::failure::{Failure, c_text};
use crate::handle::{self, handles};
use crate::pointers;
use crate::records::or_null;
use crate::runtime::{Argument, Checking, Completion, Error, FindingReport, Kernel};
use crate::source_place::launch_failure;

/// Kernel launch: sizes, arguments and, after a run, results.
pub enum LaunchHandle {}

handles! {
    LaunchHandle Launch, "gcn_launch";
}

/// Work done by a launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchStatistics {
    /// Number of instructions executed, counted per wave.
    pub instructions: u64,
    /// Number of waves that ran.
    pub waves: u64,
    /// Number of workgroups that ran.
    pub workgroups: u64,
}

/// Object that a `gcn_launch` handle refers to.
#[derive(Debug)]
pub struct Launch {
    kernel: Kernel,
    grid: [u32; 3],
    group: Option<[u32; 3]>,
    changing: Mutex<LaunchState>,
}

/// Mutable state of a launch.
#[derive(Debug, Default)]
struct LaunchState {
    arguments: Vec<Argument>,
    checker: Option<Arc<Checking>>,
    /// Findings first reported by the last run.
    findings: Vec<FindingReport>,
    /// Text printed by the last run; `None` before the first run.
    printed: Option<CString>,
}

impl Launch {
    fn state(&self) -> MutexGuard<'_, LaunchState> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, argument: Argument) {
        self.state().arguments.push(argument);
    }

    /// Runs the kernel on this thread and the device's threads.
    fn run(&self) -> Result<Arc<Completion>, Failure> {
        // Held during the run, to prevent the launch from running concurrently with itself.
        let mut state = self.state();
        let mut launch = self.kernel.launch(self.grid);
        if let Some(group) = self.group {
            launch = launch.group(group);
        }
        for argument in &state.arguments {
            launch = launch.arg(argument.clone());
        }
        let module = self.kernel.module();
        if let Some(checking) = &state.checker {
            checking.notes(module);
            launch = launch.observers(&checking.launch(self.kernel.name()));
        }
        // Use a separate queue, since a queue runs nothing after a failure.
        let end = launch.run(&module.device().queue());
        state.findings = match &state.checker {
            Some(checking) => checking.collect(module),
            None => Vec::new(),
        };
        let completion = match &end {
            Ok(completion) | Err(Error::Fault(completion)) => Some(completion),
            Err(_) => None,
        };
        let printed = completion.map(|it| String::from_utf8_lossy(&it.printed).into_owned());
        state.printed = Some(c_text(printed.unwrap_or_default()));
        end.map_err(|error| launch_failure(&error, &self.kernel))
    }
}

/// Creates a launch of a kernel, without arguments. Returns null and sets an error if an argument is invalid.
///
/// `grid` is the grid size and `group` the workgroup size, in work-items in x, y and z. If `group` is null, the
/// workgroup size is the one required by the kernel, or else 64 in x. Free the result with `gcn_launch_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_new(
    kernel: *const KernelHandle,
    grid: *const u32,
    group: *const u32,
    error: *mut *mut ErrorHandle,
) -> *mut LaunchHandle {
    let body = || {
        let kernel = handle::get(kernel)?;
        // SAFETY: the caller guarantees that `grid` is null or points to three sizes.
        let grid = unsafe { pointers::optional(grid.cast::<[u32; 3]>(), "grid") }?;
        // SAFETY: the caller guarantees that `group` is null or points to three sizes.
        let group = unsafe { pointers::optional(group.cast::<[u32; 3]>(), "group") }?;
        Ok(handle::insert(Launch {
            kernel: kernel.kernel.clone(),
            grid: *grid.ok_or_else(|| Failure::null("grid"))?,
            group: group.copied(),
            changing: Mutex::default(),
        }))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Appends the address of a buffer to a launch's arguments. The launch keeps the buffer's memory alive until the launch
/// is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_buffer(
    launch: *const LaunchHandle,
    buffer: *const BufferHandle,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let buffer = handle::get(buffer)?;
        handle::get(launch)?.add(Argument::from(&buffer.buffer));
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Appends a value, such as a number or a structure, to a launch's arguments. If the kernel has metadata, the size must
/// match the argument's; `gcn_launch_run` checks this.
///
/// `value` points to `size` bytes, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_value(
    launch: *const LaunchHandle,
    value: *const c_void,
    size: usize,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let launch = handle::get(launch)?;
        // SAFETY: the caller guarantees that `value` is null or points to `size` bytes.
        let bytes: &[u8] = unsafe { pointers::array(value.cast(), size, "value") }?;
        launch.add(Argument::Bytes(bytes.to_vec()));
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Appends a pointer to `size` bytes of LDS, allocated for each workgroup, to a launch's arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_local(
    launch: *const LaunchHandle,
    size: u32,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        handle::get(launch)?.add(Argument::Local(size));
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Sets a launch's checkers, which must be for the same device; they replace earlier ones. The launch keeps them alive
/// until it is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_check(
    launch: *const LaunchHandle,
    checker: *const CheckerHandle,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let checker = handle::get(checker)?;
        handle::get(launch)?.state().checker = Some(checker);
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Runs a launch to completion. If the kernel faults, the error contains the fault report and, if known, the source
/// line. A launch may run several times.
///
/// If `statistics` is not null, it receives the work done by a successful launch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_run(
    launch: *const LaunchHandle,
    statistics: *mut LaunchStatistics,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let stats = handle::get(launch)?.run()?.stats;
        if !statistics.is_null() {
            let work = LaunchStatistics {
                instructions: stats.instructions,
                waves: stats.waves,
                workgroups: stats.groups,
            };
            // SAFETY: the caller guarantees that `statistics` is writable.
            unsafe { pointers::put(statistics, work, "statistics") }?;
        }
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Returns the text that the kernel printed in a launch's last run, which may be empty; null if the handle is invalid
/// or the launch has not run. The string belongs to the launch until the next run.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_launch_printed(launch: *const LaunchHandle) -> *const c_char {
    quiet(null(), || {
        let launch = handle::get(launch)?;
        Ok(or_null(launch.state().printed.as_ref()))
    })
}

/// Returns the number of new findings in a launch's last run; 0 if the handle is invalid. A finding that the checkers
/// already reported in another run is not new, and only its number of occurrences increases.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_launch_finding_count(launch: *const LaunchHandle) -> usize {
    quiet(0, || Ok(handle::get(launch)?.state().findings.len()))
}

/// Returns the new finding at `index` from a launch's last run. Returns null and sets an error if the index is out of
/// range. Free the result with `gcn_finding_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_finding(
    launch: *const LaunchHandle,
    index: usize,
    error: *mut *mut ErrorHandle,
) -> *mut FindingHandle {
    let body = || finding_handle(&handle::get(launch)?.state().findings, index);
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Frees a launch and its text. Null and freed handles are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_launch_free(launch: *mut LaunchHandle) {
    quiet((), || handle::remove(launch));
}
