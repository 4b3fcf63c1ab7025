//! Progress of runs, observable while they are running. Each thread writes only its own counters, so an update is two
//! relaxed stores.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gcn_emu::device::Monitor;

/// Progress counters of a launch. If the launch is submitted several times, the counters are sums over its runs.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use std::sync::Arc;
/// use gcn_runtime::progress::{Done, Progress};
/// let xs = device.buffer("xs", &[1u32; 64])?;
/// let progress = Arc::new(Progress::default());
/// assert_eq!(progress.done(), Done::default(), "the launch has not begun");
/// let launch = kernel.launch([64, 1, 1]).group([16, 1, 1]).arg(&xs).progress(&progress);
/// launch.run(&device.queue())?;
/// let Done { groups, total, instructions } = progress.done();
/// assert_eq!((groups, total, instructions), (4, 4, 4 * 6));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Progress(Mutex<ProgressState>);

#[derive(Debug, Default)]
struct ProgressState {
    /// Work of runs that have ended.
    ended: Done,
    running: Vec<Arc<RunWork>>,
}

/// Counters of a started run.
#[derive(Debug)]
struct RunWork {
    total: u128,
    /// Counters of each thread.
    counters: Box<[ThreadWork]>,
}

/// Monitor that adds the work of one run to a [`Progress`].
#[derive(Debug)]
struct RunMonitor {
    progress: Arc<Progress>,
    /// Counters, once the run has started.
    work: OnceLock<Arc<RunWork>>,
}

/// Work done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    /// Number of completed workgroups.
    pub groups: u64,
    /// Total number of workgroups in started runs; 0 before the first run starts.
    pub total: u128,
    /// Number of executed instructions, counted per wave.
    pub instructions: u64,
}

/// Counters of a thread, aligned to avoid false sharing.
#[derive(Debug, Default)]
#[repr(align(128))]
struct ThreadWork {
    groups: AtomicU64,
    instructions: AtomicU64,
}

impl Progress {
    /// Returns the work done so far.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let progress = std::sync::Arc::default();
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let done = kernel.launch([64, 1, 1]).arg(&xs).progress(&progress).submit(&device.queue())?;
    /// while done.poll().is_none() {
    ///     let now = progress.done();
    ///     assert!(u128::from(now.groups) <= now.total);
    ///     std::thread::yield_now();
    /// }
    /// assert_eq!(progress.done().instructions, 6);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn done(&self) -> Done {
        let state = self.state();
        let running = state.running.iter().map(|work| work.done());
        running.fold(state.ended, Done::plus)
    }

    /// Creates the monitor of a run.
    pub(crate) fn monitor(self: &Arc<Self>) -> Arc<dyn Monitor> {
        Arc::new(RunMonitor {
            progress: self.clone(),
            work: OnceLock::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Done {
    fn plus(self, other: Done) -> Done {
        Done {
            groups: self.groups + other.groups,
            total: self.total + other.total,
            instructions: self.instructions + other.instructions,
        }
    }
}

impl RunWork {
    fn done(&self) -> Done {
        let counters = self.counters.iter();
        Done {
            groups: counters.clone().map(|c| c.groups.load(Relaxed)).sum(),
            total: self.total,
            instructions: counters.map(|c| c.instructions.load(Relaxed)).sum(),
        }
    }
}

impl Monitor for RunMonitor {
    fn begin(&self, groups: u128, threads: usize) {
        let new = || {
            Arc::new(RunWork {
                total: groups,
                counters: (0..threads).map(|_| ThreadWork::default()).collect(),
            })
        };
        let work = self.work.get_or_init(new).clone();
        self.progress.state().running.push(work);
    }

    fn advance(&self, thread: usize, groups: u64, instructions: u64) {
        let counter = self.work.get().and_then(|work| work.counters.get(thread));
        if let Some(counter) = counter {
            counter.groups.store(groups, Relaxed);
            counter.instructions.store(instructions, Relaxed);
        }
    }
}

impl Drop for RunMonitor {
    fn drop(&mut self) {
        if let Some(work) = self.work.get() {
            let mut state = self.progress.state();
            state.running.retain(|other| !Arc::ptr_eq(other, work));
            state.ended = state.ended.plus(work.done());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_runs_are_summed() {
        let progress = Arc::new(Progress::default());
        let run = progress.monitor();
        run.advance(0, 1, 1);
        assert_eq!(progress.done(), Done::default(), "no run has begun");
        run.begin(10, 2);
        run.advance(0, 1, 100);
        run.advance(1, 2, 30);
        run.advance(0, 3, 300);
        run.advance(2, 1, 1);
        let first = Done {
            groups: 5,
            total: 10,
            instructions: 330,
        };
        assert_eq!(progress.done(), first);
        let again = progress.monitor();
        again.begin(7, 1);
        again.advance(0, 1, 20);
        let both = Done {
            groups: 6,
            total: 17,
            instructions: 350,
        };
        assert_eq!(progress.done(), both, "both are running");
        drop((run, again));
        assert_eq!(progress.done(), both, "both have ended");
    }
}
