//! From a dispatch to its end: workgroups over threads.
//!
//! A thread and its workgroups are in `worker.rs`, what a wave does in its turn in `steps.rs`.

mod emitter;
mod residency;
mod start;
mod steps;
mod worker;

use std::ops::Range;

use crate::code::Code;
use crate::device::Device;
use crate::exec::memory::Transfer;
use crate::fault::{Fault, FaultKind};
use crate::lanes::{LANES, Level, LevelError};
use crate::lds::Lds;
use crate::memory::{AllocError, Memory};
use crate::observe::{Dispatched, Observers, Watchers};
use crate::wave::{Waiting, Wave, WaveId};
pub use residency::{Unfit, fits};
use worker::{RESIDENT_GROUPS, RESIDENT_GROUPS_WAITING, Shared, Worker};

/// Executes one instruction of a wave that belongs to no dispatch: the one at its program counter.
///
/// # Errors
/// The fault, after which the wave is as far as the instruction came.
pub fn step(device: &Device, code: &Code, wave: &mut Wave, lds: &mut Lds) -> Result<(), FaultKind> {
    let dispatch = Dispatch {
        kernel: None,
        kernarg: None,
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
    };
    let (mut transfer, mut watch) = (Transfer::default(), Watchers::default());
    steps::run_wave::<false>(dispatched, code, wave, lds, &mut transfer, &mut watch, 1)
        .map_err(|stop| stop.kind)
}

/// Bytes of scratch with which a host thread keeps more workgroups alive than it must.
const SCRATCH_BYTES: u64 = 4 << 20;

/// A kernel's launch, after the ABI has been applied.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel's name, where it is known.
    pub kernel: Option<String>,
    /// Addresses of its arguments, where they are known.
    pub kernarg: Option<Range<u64>>,
    /// Address of the first instruction.
    pub entry: u64,
    /// Work-items in x, y, z; none zero.
    pub grid: [u32; 3],
    /// Work-items of a workgroup in x, y, z; none zero, 1024 at most in all.
    pub group: [u32; 3],
    /// Bytes of LDS that a workgroup has.
    pub lds_bytes: u32,
    /// Bytes of scratch that each lane has.
    pub scratch_bytes_per_lane: u32,
    /// What the first registers hold.
    pub initial: Initial,
}

/// Registers as the hardware sets them before the first instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Initial {
    /// s0 and on.
    pub sgprs: Vec<InitialSgpr>,
    /// Work-item ids in v0, v1, v2: how many dimensions, 1..=3.
    pub work_item_ids: u8,
    /// MODE.
    pub mode: u32,
}

/// What a scalar register holds before the first instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialSgpr {
    /// The same for all waves.
    Value(u32),
    /// Workgroup id in dimension 0, 1, 2.
    GroupId(u8),
    /// First wave of its workgroup in bit 31 and the number of waves below.
    GroupInfo,
    /// Dword 0 or 1 of the scratch descriptor: address of the thread's scratch.
    ScratchBase(u8),
    /// Offset of the wave's scratch behind that address, in bytes.
    ScratchWaveOffset,
    /// Low half of FLAT_SCRATCH_INIT on GCN 1.4: the same address.
    FlatScratchLow,
    /// High half.
    FlatScratchHigh,
}

/// What a finished run amounts to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Instructions executed, one for each wave that did.
    pub instructions: u64,
    /// Waves run.
    pub waves: u64,
    /// Workgroups run.
    pub groups: u64,
    /// Memory violations that did not stop the run, one for each lane (checklist 1.9).
    pub violations: u64,
}

/// Why a dispatch cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
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
    /// The host refuses another thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// Work-items of a workgroup at most.
pub const MAX_GROUP: u64 = 1024;

impl Dispatch {
    /// Workgroups in x, y, z; the last ones may be partial.
    pub fn groups(&self) -> [u64; 3] {
        std::array::from_fn(|d| u64::from(self.grid[d]).div_ceil(u64::from(self.group[d].max(1))))
    }

    /// Workgroups in all.
    fn group_count(&self) -> u128 {
        self.groups().map(u128::from).iter().product()
    }

    /// Waves of a full workgroup.
    pub fn waves_per_group(&self) -> u64 {
        self.group
            .iter()
            .map(|&n| u64::from(n))
            .product::<u64>()
            .div_ceil(LANES as u64)
    }

    /// Bytes of scratch that a host thread of the run needs.
    pub fn scratch_bytes_per_thread(&self) -> u64 {
        self.scratch_bytes_per_group() * self.resident_groups() as u64
    }

    /// Workgroups that a host thread of the run may have begun and not ended, at most: all of them need their scratch.
    fn resident_groups(&self) -> usize {
        let affordable = SCRATCH_BYTES
            .checked_div(self.scratch_bytes_per_group())
            .map_or(RESIDENT_GROUPS_WAITING, |groups| groups as usize);
        affordable.clamp(RESIDENT_GROUPS, RESIDENT_GROUPS_WAITING)
    }

    /// Waves that a run on so many host threads may have begun and not ended, at most.
    pub fn resident_waves(&self, threads: usize) -> u64 {
        let groups = (self.resident_groups() as u128 * threads as u128).min(self.group_count());
        self.waves_per_group().saturating_mul(groups as u64)
    }

    /// Bytes of scratch of a workgroup.
    fn scratch_bytes_per_group(&self) -> u64 {
        self.scratch_bytes_per_wave() * self.waves_per_group()
    }

    /// Bytes of scratch of a wave.
    fn scratch_bytes_per_wave(&self) -> u64 {
        u64::from(self.scratch_bytes_per_lane.next_multiple_of(4)) * LANES as u64
    }

    /// # Errors
    /// [`LaunchError`] for sizes that no hardware takes.
    pub fn check(&self) -> Result<(), LaunchError> {
        if self.grid.contains(&0) || self.group.contains(&0) {
            return Err(LaunchError::Empty);
        }
        let items = self.group.iter().map(|&n| u64::from(n)).product();
        if items > MAX_GROUP {
            Err(LaunchError::GroupTooLarge(items))
        } else {
            Ok(())
        }
    }
}

/// How a run ended: what was done, the first fault if there was one, where waves are.
pub struct Finished {
    /// What was done.
    pub stats: Stats,
    /// The fault that stopped it.
    pub fault: Option<Fault>,
    /// Where the waves are that have begun and not ended: [`MAX_PLACES`] of them at most, in order. The rest are only
    /// counted.
    pub places: Vec<Place>,
    /// How many there are.
    pub unfinished: u64,
    /// The first of the violations that did not stop the run, in the order in which waves begin.
    pub violation: Option<Site>,
}

/// Waves that a stopped run tells the places of, at most.
pub const MAX_PLACES: usize = 64;

/// An instruction that a wave has executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Which wave.
    pub wave: WaveId,
    /// Address of the instruction.
    pub pc: u64,
    /// The instruction's text, if it is one.
    pub text: Option<String>,
}

/// Where a wave is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which wave.
    pub wave: WaveId,
    /// Address of the instruction that it executes next, or that it waits at.
    pub pc: u64,
    /// The instruction's text, if it is one.
    pub text: Option<String>,
    /// The active lanes.
    pub exec: u64,
    /// What it waits for.
    pub waiting: Waiting,
}

/// Runs a dispatch to its end, or to the first fault. The observers' events of memory are none of the run's: they come
/// from [`Memory`], which has observers of its own.
///
/// # Errors
/// [`LaunchError`] if it cannot be started.
pub fn run(
    device: &mut Device,
    code: &Code,
    dispatch: &Dispatch,
    observers: &Observers,
) -> Result<Finished, LaunchError> {
    dispatch.check()?;
    Level::of_environment()?;
    let total = dispatch.group_count();
    let threads = (device.config.threads.max(1) as u128).min(total) as usize;
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

    let shared = Shared::new(device, code, dispatch, threads, slots);
    let dispatched = shared.dispatched();
    observers.dispatch_begins(&dispatched);
    if let Some(monitor) = &device.monitor {
        monitor.begin(total, threads);
    }
    let mut workers: Vec<Worker<'_>> = scratches
        .iter()
        .enumerate()
        .map(|(number, scratch)| {
            Worker::new(&shared, number, scratch.address, observers.watchers())
        })
        .collect();
    // The tables of decoding are made here: in the heap of a new thread they would grow by the page.
    let _ = code.step(dispatch.entry);
    if let [worker] = &mut workers[..] {
        worker.work();
    } else {
        work_side_by_side(&shared, &mut workers)?;
    }

    let mut places: Vec<Place> = Vec::new();
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
        stats.instructions += worker.stats.instructions;
        stats.waves += worker.stats.waves;
        stats.groups += worker.stats.groups;
        stats.violations += worker.stats.violations;
        if let Some(other) = worker.violation {
            keep_first_wave(&mut violation, other);
        }
    }
    let violation = violation.map(|place| shared.site(place));
    let fault = shared.into_fault();
    observers.dispatch_ends(&dispatched, &stats, fault.as_ref());
    Ok(Finished {
        stats,
        fault,
        places,
        unfinished,
        violation,
    })
}

/// Scratch of a host thread, freed at the end of the run.
struct ThreadScratch {
    memory: Memory,
    /// 0 if there is none.
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

/// Lets every worker work on a thread of its own. The calling thread only waits: Linux may put a new thread behind the
/// one that makes it while another core has nothing to do, and if that one went on working, both would share its core for
/// some milliseconds.
fn work_side_by_side(shared: &Shared<'_>, workers: &mut [Worker<'_>]) -> Result<(), LaunchError> {
    std::thread::scope(|scope| {
        for worker in workers {
            let thread = std::thread::Builder::new();
            if let Err(error) = thread.spawn_scoped(scope, move || worker.work()) {
                shared.stop();
                return Err(LaunchError::Thread(error));
            }
        }
        Ok(())
    })
}

/// Sorts the places, x fastest as the workgroups begin, and leaves as many as are told.
fn keep_first(places: &mut Vec<Place>) {
    places.sort_by_key(|place| place.wave.rank());
    places.truncate(MAX_PLACES);
}

/// Keeps the one of two places that comes first in the order in which waves begin.
fn keep_first_wave(kept: &mut Option<(WaveId, u64)>, other: (WaveId, u64)) {
    if kept.is_none_or(|(wave, _)| other.0.rank() < wave.rank()) {
        *kept = Some(other);
    }
}
