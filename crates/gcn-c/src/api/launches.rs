//! Launches.

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::checkers::{CheckerHandle, FindingHandle, found};
use super::devices::BufferHandle;
use super::modules::KernelHandle;
use crate::entry::{ErrorHandle, call, quiet};
use crate::failure::{Failure, c_text};
use crate::handle::{self, handles};
use crate::pointers;
use crate::records::or_null;
use crate::runtime::{Argument, Checking, Completion, Error, FindingReport, Kernel};
use crate::source_place::launch_failure;

/// Launch of a kernel: sizes, arguments and, once it has run, results.
pub enum LaunchHandle {}

handles! {
    LaunchHandle Launch, "gcn_launch";
}

/// Work done by a launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchStatistics {
    /// Instructions executed, one for each wave that did.
    pub instructions: u64,
    /// Waves run.
    pub waves: u64,
    /// Workgroups run.
    pub workgroups: u64,
}

/// Object behind `gcn_launch`.
#[derive(Debug)]
pub struct Launch {
    kernel: Kernel,
    grid: [u32; 3],
    group: Option<[u32; 3]>,
    changing: Mutex<LaunchState>,
}

/// The part of a launch that functions change.
#[derive(Debug, Default)]
struct LaunchState {
    arguments: Vec<Argument>,
    checker: Option<Arc<Checking>>,
    /// Findings that the last run was the first to have.
    findings: Vec<FindingReport>,
    /// Text that the last run has printed; `None` before the first.
    printed: Option<CString>,
}

impl Launch {
    fn state(&self) -> MutexGuard<'_, LaunchState> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, argument: Argument) {
        self.state().arguments.push(argument);
    }

    /// Runs the kernel on this thread and the device's.
    fn run(&self) -> Result<Arc<Completion>, Failure> {
        // Held while it runs: a launch runs once at a time.
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
        // A queue of its own: a queue begins nothing after a failure.
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

/// Makes a launch of a kernel, without arguments. Null and an error if an argument is wrong.
///
/// `grid` has the work-items in x, y and z, and `group` those of a workgroup; `group` may be null for the size that the kernel requires,
/// or else 64 in x. Free the result with `gcn_launch_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_new(
    kernel: *const KernelHandle,
    grid: *const u32,
    group: *const u32,
    error: *mut *mut ErrorHandle,
) -> *mut LaunchHandle {
    let body = || {
        let kernel = handle::get(kernel)?;
        // SAFETY: the caller passes null or three sizes.
        let grid = unsafe { pointers::optional(grid.cast::<[u32; 3]>(), "grid") }?;
        // SAFETY: the caller passes null or three sizes.
        let group = unsafe { pointers::optional(group.cast::<[u32; 3]>(), "group") }?;
        Ok(handle::insert(Launch {
            kernel: kernel.kernel.clone(),
            grid: *grid.ok_or_else(|| Failure::null("grid"))?,
            group: group.copied(),
            changing: Mutex::default(),
        }))
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, null_mut(), body) }
}

/// Adds the address of a buffer behind a launch's arguments. The launch keeps the buffer's memory until it is freed.
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
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Adds a value, a number or a structure, behind a launch's arguments. Where the kernel has metadata, its size must be the
/// argument's, which `gcn_launch_run` checks.
///
/// `value` has `size` bytes, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_value(
    launch: *const LaunchHandle,
    value: *const c_void,
    size: usize,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let launch = handle::get(launch)?;
        // SAFETY: the caller passes null or `size` bytes.
        let bytes: &[u8] = unsafe { pointers::array(value.cast(), size, "value") }?;
        launch.add(Argument::Bytes(bytes.to_vec()));
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Adds a pointer to `size` bytes of LDS of each workgroup behind a launch's arguments.
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
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Has checkers of the same device watch a launch. The launch keeps them until it is freed.
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
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Runs a launch and returns when it has ended. A fault of the kernel is an error with its report, and the line of its source where
/// that is known. A launch may run several times.
///
/// `statistics` has room for the work done, or is null; it is written on success.
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
            // SAFETY: the caller passes room for statistics.
            unsafe { pointers::put(statistics, work, "statistics") }?;
        }
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Returns the text that the kernel printed in a launch's last run; empty if there was none, null if the handle is invalid or it has
/// not run. The text belongs to the launch, until that runs again.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_launch_printed(launch: *const LaunchHandle) -> *const c_char {
    quiet(null(), || {
        let launch = handle::get(launch)?;
        Ok(or_null(launch.state().printed.as_ref()))
    })
}

/// Returns the number of findings that a launch's last run was the first to have: a finding that the checkers know from another run is
/// counted there. 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_launch_finding_count(launch: *const LaunchHandle) -> usize {
    quiet(0, || Ok(handle::get(launch)?.state().findings.len()))
}

/// Returns a finding that a launch's last run was the first to have, by its index. Null and an error if there is none. Free the
/// result with `gcn_finding_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_launch_finding(
    launch: *const LaunchHandle,
    index: usize,
    error: *mut *mut ErrorHandle,
) -> *mut FindingHandle {
    let body = || found(&handle::get(launch)?.state().findings, index);
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, null_mut(), body) }
}

/// Frees a launch and its text. Null and handles that have been freed are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_launch_free(launch: *mut LaunchHandle) {
    quiet((), || handle::remove(launch));
}
