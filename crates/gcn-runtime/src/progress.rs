//! Progress of a run, observable while it is running. Each thread writes only its own counters, so an update is two
//! relaxed stores.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use gcn_emu::device::Monitor;

/// Progress counters of one run.
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
pub struct Progress(OnceLock<RunWork>);

/// Counters of a started run.
#[derive(Debug)]
struct RunWork {
    total: u128,
    /// Counters of each thread.
    counters: Box<[ThreadWork]>,
}

/// Work done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    /// Number of completed workgroups.
    pub groups: u64,
    /// Total number of workgroups; 0 before the run starts.
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
        let Some(RunWork { total, counters }) = self.0.get() else {
            return Done::default();
        };
        Done {
            groups: counters.iter().map(|c| c.groups.load(Relaxed)).sum(),
            total: *total,
            instructions: counters.iter().map(|c| c.instructions.load(Relaxed)).sum(),
        }
    }
}

impl Monitor for Progress {
    fn begin(&self, groups: u128, threads: usize) {
        // The counters are for one run: a later run would overwrite them, but not the total.
        let _ = self.0.set(RunWork {
            total: groups,
            counters: (0..threads).map(|_| ThreadWork::default()).collect(),
        });
    }

    fn advance(&self, thread: usize, groups: u64, instructions: u64) {
        let counter = self.0.get().and_then(|counts| counts.counters.get(thread));
        if let Some(counter) = counter {
            counter.groups.store(groups, Relaxed);
            counter.instructions.store(instructions, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_summed() {
        let progress = Progress::default();
        progress.advance(0, 1, 1);
        assert_eq!(progress.done(), Done::default(), "no run has begun");
        progress.begin(10, 2);
        progress.advance(0, 1, 100);
        progress.advance(1, 2, 30);
        progress.advance(0, 3, 300);
        progress.advance(2, 1, 1);
        let done = Done {
            groups: 5,
            total: 10,
            instructions: 330,
        };
        assert_eq!(progress.done(), done);
    }
}
