//! Execution of a dispatch: distributes its workgroups over host threads.
//!
//! `worker.rs` implements a thread and its workgroups, `steps.rs` a wave's turn and its blocks, `instruction.rs` one
//! instruction, and `events.rs` and `observed.rs` its events. A wave's registers are set up at its first turn and
//! released after its last, so that the next wave finds them in the host's L1 cache. After a wave's turn, the run's
//! [`HostCalls`](crate::device::HostCalls) serve the calls that the wave has made.

mod limits;
mod place;
mod residency;
mod start;
mod stop;
mod storage;
mod events;
mod late;
mod instruction;
mod turn;
mod stop_points;
mod steps;
mod observed;
mod shared;
mod worker;

use crate::code::Code;
use crate::device::Device;
pub use crate::dispatch::{
    AccessRule, Dispatch, GridShape, Initial, InitialSgpr, Restricted, Stats,
};
use crate::exec::memory::Transfer;
use crate::fault::{Fault, FaultKind, Site};
pub use crate::lanes::{FloatEnvironment, LEVEL_VARIABLE, Level, LevelError};
use crate::lds::Lds;
use crate::memory::{AllocError, Memory};
pub use crate::native::{ENGINE_VARIABLE, Engine, EngineError};
use crate::observe::{Dispatched, Observers};
use crate::wave::Wave;
pub use limits::{DispatchError, MAX_GROUP, Unfit, fits};
pub use place::{MAX_PLACES, WavePlace};
use place::{keep_first, keep_first_wave};
use shared::Shared;
use storage::RunStorage;
use worker::Worker;

/// Executes the instruction at the program counter of a wave that is not part of a dispatch.
///
/// # Errors
/// Returns the instruction's fault. Effects of the instruction before the fault remain.
pub fn step(device: &Device, code: &Code, wave: &mut Wave, lds: &mut Lds) -> Result<(), FaultKind> {
    let dispatch = Dispatch {
        kernel: None,
        kernarg: None,
        restricted: Vec::new(),
        acquires: true,
        entry: wave.pc,
        grid: [1; 3],
        group: [1; 3],
        lds_bytes: 0,
        scratch_bytes_per_lane: 0,
        initial: Initial::default(),
    };
    let dispatched = Dispatched {
        id: 0,
        device,
        dispatch: &dispatch,
        code,
    };
    let mut transfer = Transfer::default();
    let state = (wave, lds, &mut transfer);
    let policy = steps::unobserved_policy(false);
    steps::run_unobserved(&dispatched, state, None, 1, policy).map_err(|stop| stop.kind)
}

impl Dispatch {
    /// Checks the grid and workgroup sizes.
    ///
    /// # Errors
    /// Returns a [`DispatchError`] for sizes that no hardware supports.
    ///
    /// # Examples
    /// ```
    /// use gcn_emu::run::{Dispatch, DispatchError, Initial};
    /// let dispatch = Dispatch {
    ///     kernel: None,
    ///     kernarg: None,
    ///     restricted: Vec::new(),
    ///     acquires: true,
    ///     entry: 0,
    ///     grid: [1; 3],
    ///     group: [1 << 31, 1 << 31, 4],
    ///     lds_bytes: 0,
    ///     scratch_bytes_per_lane: 0,
    ///     initial: Initial::default(),
    /// };
    /// assert!(matches!(dispatch.check(), Err(DispatchError::GroupTooLarge(u64::MAX))));
    /// ```
    pub fn check(&self) -> Result<(), DispatchError> {
        if self.grid.contains(&0) || self.group.contains(&0) {
            return Err(DispatchError::Empty);
        }
        let items = self.items_per_group();
        if items > MAX_GROUP {
            Err(DispatchError::GroupTooLarge(items))
        } else {
            Ok(())
        }
    }
}

/// Result of a run: totals, the first fault if there was one, and the positions of unfinished waves.
pub struct Finished {
    /// Numbers of instructions, waves, workgroups and violations.
    pub stats: Stats,
    /// Fault that stopped the run.
    pub fault: Option<Fault>,
    /// Positions of the waves that have begun but not ended, in order; at most [`MAX_PLACES`].
    pub places: Vec<WavePlace>,
    /// Number of waves that have begun but not ended, including those not in `places`.
    pub unfinished: u64,
    /// First violation that did not stop the run, in the order in which waves begin.
    pub violation: Option<Site>,
}

/// Runs a dispatch until it ends or faults. Observers receive no [memory changes](crate::memory::MemoryChange):
/// [`Memory`] reports those to its own listener.
///
/// # Errors
/// Returns a [`DispatchError`] if the dispatch cannot be started.
pub fn run(
    device: &mut Device,
    code: &Code,
    dispatch: &Dispatch,
    observers: &Observers,
) -> Result<Finished, DispatchError> {
    dispatch.check()?;
    Level::of_environment()?;
    Engine::of_environment()?;
    let total = dispatch.group_count();
    let threads = match observers.debugger() {
        Some(_) => 1,
        None => (device.config.threads.max(1) as u128).min(total) as usize,
    };
    let mut scratches = Vec::new();
    for _ in 0..threads {
        scratches.push(ThreadScratch::new(
            &device.memory,
            dispatch.scratch_bytes_per_thread(),
        )?);
    }
    let (slots, _registers) = residency::reserve(device, code, dispatch, threads)?;
    let is_alone = threads == 1 && device.config.exclusive;
    device.memory.set_one_user(is_alone);

    device.gws.begin_run();
    let shared = Shared::new(device, code, dispatch, threads, slots);
    let dispatched = shared.dispatched();
    observers.dispatch_begins(&dispatched);
    if let Some(monitor) = &device.monitor {
        monitor.begin(total, threads);
    }
    let mut storage = RunStorage::take(device, code, dispatch);
    let mut workers: Vec<Worker<'_>> = scratches
        .iter()
        .enumerate()
        .map(|(number, scratch)| {
            let watchers = observers.watchers(&dispatched);
            Worker::new(
                &shared,
                storage.thread(),
                number,
                scratch.address,
                watchers,
                observers.debugger(),
            )
        })
        .collect();
    // Fill the decoder's tables on this thread: on the heap of a new thread they would grow page by page.
    let _ = code.step(dispatch.entry);
    let started = if let [worker] = &mut workers[..] {
        worker.work();
        Ok(())
    } else {
        work_side_by_side(&shared, &mut workers)
    };

    let mut places: Vec<WavePlace> = Vec::new();
    let mut unfinished = 0;
    for wave in workers.iter().flat_map(Worker::unfinished) {
        unfinished += 1;
        places.push(shared.place(wave));
        if places.len() >= 2 * MAX_PLACES {
            keep_first(&mut places);
        }
    }
    keep_first(&mut places);
    let mut stats = Stats::default();
    let mut violation = None;
    for worker in workers {
        stats.instructions += worker.progress.stats.instructions;
        stats.waves += worker.progress.stats.waves;
        stats.groups += worker.progress.stats.groups;
        stats.violations += worker.progress.stats.violations;
        if let Some(other) = worker.progress.violation {
            keep_first_wave(&mut violation, other);
        }
        storage.add(worker.storage);
    }
    let violation = violation.map(|place| shared.site(place));
    shared.check_code();
    let fault = shared.into_fault();
    storage.keep();
    observers.dispatch_ends(&dispatched, &stats, fault.as_ref());
    started?;
    Ok(Finished {
        stats,
        fault,
        places,
        unfinished,
        violation,
    })
}

/// Scratch memory of a host thread, freed at the end of the run.
struct ThreadScratch {
    memory: Memory,
    /// Address, or 0 if there is no scratch.
    address: u64,
}

impl ThreadScratch {
    fn new(memory: &Memory, bytes: u64) -> Result<ThreadScratch, AllocError> {
        let address = if bytes == 0 {
            0
        } else {
            memory.allocate("scratch", bytes)?
        };
        Ok(ThreadScratch {
            memory: memory.clone(),
            address,
        })
    }
}

impl Drop for ThreadScratch {
    fn drop(&mut self) {
        if self.address != 0 {
            let freed = self.memory.free(self.address);
            debug_assert!(freed.is_ok(), "it is freed here only");
        }
    }
}

/// Runs every worker on its own thread. The calling thread only waits: Linux may queue a new thread on its creator's
/// core even if another core is idle, and if the creator kept working, both would share the core for a few
/// milliseconds.
fn work_side_by_side(shared: &Shared<'_>, workers: &mut [Worker<'_>]) -> Result<(), DispatchError> {
    std::thread::scope(|scope| {
        for worker in workers {
            let thread = std::thread::Builder::new();
            if let Err(error) = thread.spawn_scoped(scope, move || worker.work()) {
                shared.stop();
                return Err(DispatchError::Thread(error));
            }
        }
        Ok(())
    })
}
