//! From a dispatch to its end: workgroups over threads, waves of a workgroup in turns, the step loop.

use std::ops::Range;
use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};
use std::sync::{Arc, Mutex};

use gcn_isa::Does;
use gcn_isa::effect::{Condition, Control};

use crate::code::{Code, Run, Step};
use crate::device::{Device, LdsFill, OnViolation};
use crate::exec::alu::indexing;
use crate::exec::memory::{self, Access, Outcome};
use crate::fault::{self, Fault, FaultKind};
use crate::lanes::{LANES, Lanes};
use crate::lds::Lds;
use crate::observe::{Observer, Verdict};
use crate::progress::Counter;
use crate::scoreboard::{Increments, Kind};
use crate::wave::{GroupShape, MODE_VSKIP, Scratch, Waiting, Wave, WaveId};

/// A kernel's launch, after the ABI has been applied.
#[derive(Clone, Debug)]
pub struct Dispatch {
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
pub enum LaunchError {
    /// A dimension is zero.
    #[error("a grid and a workgroup have at least one work-item in every dimension")]
    Empty,
    /// Too many work-items in a workgroup.
    #[error("a workgroup has at most {MAX_GROUP} work-items, this one {0}")]
    GroupTooLarge(u64),
    /// No memory for scratch.
    #[error(transparent)]
    Memory(#[from] crate::memory::AllocError),
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
        self.scratch_bytes_per_wave() * self.waves_per_group() * RESIDENT_GROUPS as u64
    }

    /// Workgroups that a host thread of the run may have begun and not ended, at most.
    fn resident_groups(&self) -> usize {
        if self.scratch_bytes_per_wave() == 0 {
            RESIDENT_GROUPS_BLOCKED
        } else {
            RESIDENT_GROUPS
        }
    }

    /// Waves that a run on so many host threads may have begun and not ended, at most.
    pub fn resident_waves(&self, threads: usize) -> u64 {
        self.waves_per_group()
            .saturating_mul(self.resident_groups() as u64)
            .saturating_mul(threads as u64)
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

/// How a run ended: what was done, the first fault if there was one, where waves are, the observers.
pub struct Finished<O> {
    /// What was done.
    pub stats: Stats,
    /// The fault that stopped it.
    pub fault: Option<Fault>,
    /// Where the waves are that have begun and not ended: [`MAX_PLACES`] of them at most, in order. The rest are only
    /// counted.
    pub places: Vec<Place>,
    /// How many there are.
    pub unfinished: u64,
    /// One for each thread.
    pub observers: Vec<O>,
}

impl<O> Finished<O> {
    /// The same without the observers.
    pub fn without_observers(self) -> Finished<()> {
        Finished {
            stats: self.stats,
            fault: self.fault,
            places: self.places,
            unfinished: self.unfinished,
            observers: Vec::new(),
        }
    }
}

/// Waves that a stopped run tells the places of, at most.
pub const MAX_PLACES: usize = 64;

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

/// Runs a dispatch to its end, or to the first fault. `observer` makes an observer for each thread.
///
/// # Errors
/// [`LaunchError`] if it cannot be started.
pub fn run<O: Observer>(
    device: &mut Device,
    code: &Code,
    dispatch: &Dispatch,
    observer: impl Fn() -> O,
) -> Result<Finished<O>, LaunchError> {
    dispatch.check()?;
    let groups = dispatch.groups();
    let total = u128::from(groups[0]) * u128::from(groups[1]) * u128::from(groups[2]);
    let threads = (device.config.threads.max(1) as u128).min(total) as usize;
    let mut scratches = Vec::new();
    for _ in 0..threads {
        let bytes = dispatch.scratch_bytes_per_thread();
        scratches.push(if bytes == 0 {
            0
        } else {
            device.memory.allocate("scratch", bytes)?
        });
    }
    device.memory.set_one_user(threads == 1);

    let shared = Shared {
        device,
        code,
        dispatch,
        groups,
        total,
        claim: if total > (threads * RESIDENT_GROUPS_BLOCKED) as u128 {
            CLAIM
        } else {
            1
        },
        next: Apart(AtomicU64::new(0)),
        working: Apart(AtomicUsize::new(threads)),
        slots: dispatch.resident_groups(),
        stop: AtomicBool::new(false),
        fault: Mutex::new(None),
    };
    device.progress.begin(total);
    let mut workers: Vec<Worker<'_, O>> = scratches
        .iter()
        .map(|&scratch| Worker::new(&shared, scratch, observer()))
        .collect();
    // The tables of decoding are made here: in the heap of a new thread they would grow by the page.
    let _ = code.step(dispatch.entry);
    std::thread::scope(|scope| {
        let mut workers = workers.iter_mut();
        let own = workers.next();
        for worker in workers {
            let thread = std::thread::Builder::new();
            if let Err(error) = thread.spawn_scoped(scope, move || worker.work()) {
                shared.stop.store(true, Relaxed);
                return Err(LaunchError::Thread(error));
            }
        }
        if let Some(worker) = own {
            worker.work();
        }
        Ok(())
    })?;

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
    let mut observers = Vec::new();
    for worker in workers {
        stats.instructions += worker.stats.instructions;
        stats.waves += worker.stats.waves;
        stats.groups += worker.stats.groups;
        stats.violations += worker.stats.violations;
        observers.push(worker.observer);
    }
    let fault = shared
        .fault
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(Finished {
        stats,
        fault,
        places,
        unfinished,
        observers,
    })
}

/// Sorts the places, x fastest as the workgroups begin, and leaves as many as are told.
fn keep_first(places: &mut Vec<Place>) {
    places.sort_by_key(|place| {
        let [x, y, z] = place.wave.group;
        (z, y, x, place.wave.wave)
    });
    places.truncate(MAX_PLACES);
}

/// Workgroups that a thread keeps alive at once. One runs at a time; another starts only when all waves of the
/// ones before are blocked or spinning, so that workgroups that wait for each other finish.
const RESIDENT_GROUPS: usize = 8;

/// Workgroups that a thread keeps alive while all of them are blocked, where they have no scratch: as many one-wave
/// workgroups as the largest chips of the time hold at once (64 compute units of 40 waves), so that a dispatch that
/// synchronises all its workgroups (checklist 2.30) runs here if it runs there.
const RESIDENT_GROUPS_BLOCKED: usize = 64 * 40;

/// Workgroups that a thread takes at once if there are more than all threads can keep alive, so that none need be there
/// for another to end. Neighbours work on data that are neighbours, which one thread's caches better hold.
const CLAIM: u64 = 64;

/// Bytes of a dword.
const DWORD: usize = 4;

/// Length of S_BARRIER.
const BARRIER_BYTES: u64 = 4;

/// What the threads of a run share.
struct Shared<'a> {
    device: &'a Device,
    code: &'a Code,
    dispatch: &'a Dispatch,
    groups: [u64; 3],
    total: u128,
    /// How many workgroups a thread takes at once.
    claim: u64,
    /// Number of the next workgroup that no thread has taken.
    next: Apart<AtomicU64>,
    /// Threads that still have workgroups.
    working: Apart<AtomicUsize>,
    /// Workgroups that a thread can keep alive.
    slots: usize,
    stop: AtomicBool,
    fault: Mutex<Option<Fault>>,
}

/// Something in cache lines of its own: a thread that changes it takes nothing else from the others' caches.
#[repr(align(128))]
struct Apart<T>(T);

impl Shared<'_> {
    /// The next workgroups in order, x fastest: their numbers.
    fn claim(&self) -> Range<u64> {
        let first = self.next.0.fetch_add(self.claim, Relaxed);
        let end = u128::from(first + self.claim).min(self.total);
        first..end as u64
    }

    /// Workgroup number `n` in x, y, z.
    fn group(&self, n: u64) -> [u32; 3] {
        let [x, y, _] = self.groups;
        [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
    }

    /// Where a wave is.
    fn place(&self, wave: &Wave) -> Place {
        // A wave at a barrier goes on behind it, one at a GWS resource tries again.
        let pc = match wave.waiting {
            Waiting::Barrier => wave.pc.wrapping_sub(BARRIER_BYTES),
            _ => wave.pc,
        };
        Place {
            wave: wave.id,
            pc,
            text: self.text(pc),
            exec: wave.exec(),
            waiting: wave.waiting,
        }
    }

    /// The text of the instruction at `pc`, if there is one.
    fn text(&self, pc: u64) -> Option<String> {
        match self.code.step(pc) {
            Some(Ok(step)) => Some(step.inst.text()),
            _ => None,
        }
    }

    fn report(&self, fault: Fault) {
        self.stop.store(true, Relaxed);
        let mut first = self
            .fault
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        first.get_or_insert(fault);
    }
}

/// A workgroup that has begun and not ended.
struct Group {
    id: [u32; 3],
    /// Work-items in x, y, z.
    size: [u32; 3],
    /// Waves that it has in all.
    count: usize,
    /// Those that have begun, by number; nothing in place of one that has ended.
    waves: Vec<Option<Box<Wave>>>,
    lds: Lds,
    /// Which of the thread's scratch slots it has.
    slot: usize,
}

impl Group {
    /// Work-items in all.
    fn items(&self) -> usize {
        self.size.iter().product::<u32>() as usize
    }

    /// The waves that have begun and not ended.
    fn begun(&self) -> impl Iterator<Item = &Wave> {
        self.waves.iter().flatten().map(Box::as_ref)
    }
}

/// A host thread and the workgroups it runs, in cache lines of its own.
#[repr(align(128))]
struct Worker<'a, O> {
    shared: &'a Shared<'a>,
    scratch: u64,
    observer: O,
    stats: Stats,
    /// The workgroups that have begun and not ended. To be moved from list to list they are boxed: the host waits for
    /// what has just been written in parts before it reads it as a whole.
    #[allow(clippy::vec_box)]
    resident: Vec<Box<Group>>,
    /// LDS of ended workgroups, to be used again.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Group>>,
    /// Waves that have ended, to be used again: the last one first, whose registers are in the host's nearest cache.
    #[allow(clippy::vec_box)]
    spare_waves: Vec<Box<Wave>>,
    /// Workgroups that no other thread begins.
    claimed: Range<u64>,
    /// Whether all waves were blocked once.
    anyone_waits: bool,
    /// Tells how far the thread is.
    counter: Arc<Counter>,
    /// The access of the instruction that is being executed.
    access: Box<Access>,
    /// Work-item ids of a full workgroup's waves, in as many dimensions as the kernel asks for.
    ids: Vec<[Lanes; DIMENSIONS]>,
}

/// How a turn of a workgroup went.
#[derive(PartialEq, Eq)]
enum Turn {
    /// Every wave has ended.
    Ended,
    /// At least one wave used up its turn.
    Ran,
    /// A barrier has opened.
    Passed,
    /// No wave could execute one.
    Blocked,
}

impl<'a, O: Observer> Worker<'a, O> {
    fn new(shared: &'a Shared<'a>, scratch: u64, observer: O) -> Self {
        Worker {
            shared,
            scratch,
            observer,
            stats: Stats::default(),
            resident: Vec::new(),
            spare: Vec::new(),
            spare_waves: Vec::new(),
            claimed: 0..0,
            anyone_waits: false,
            counter: shared.device.progress.counter(),
            access: Box::default(),
            ids: (0..shared.dispatch.waves_per_group())
                .map(|wave| work_item_ids(shared.dispatch.group, wave as usize * LANES))
                .collect(),
        }
    }

    /// Runs workgroups until there are none left, or something stops the run.
    fn work(&mut self) {
        self.work_through();
        self.shared.device.gws.retire();
        self.shared.working.0.fetch_sub(1, AcqRel);
    }

    fn work_through(&mut self) {
        let gws = &self.shared.device.gws;
        let mut exhausted = false;
        loop {
            if self.resident.is_empty() {
                match self.next_group() {
                    Some(id) => self.start(id),
                    None => return,
                }
            }
            // What other threads do from here on may release waves that this round finds blocked.
            let seen = if self.anyone_waits { gws.changes() } else { 0 };
            let mut all_blocked = true;
            let mut index = 0;
            while index < self.resident.len() {
                if self.shared.stop.load(Relaxed) {
                    return;
                }
                // Waves that end soon never come to ask for themselves.
                if self.shared.device.interrupted.load(Relaxed) {
                    self.report(FaultKind::Interrupted);
                    return;
                }
                match self.turn(index) {
                    Ok(Turn::Ended) => {
                        let group = self.resident.remove(index);
                        self.stats.groups += 1;
                        self.spare.push(group);
                        all_blocked = false;
                        continue;
                    }
                    Ok(Turn::Ran) => all_blocked = false,
                    // The same workgroup goes on, while its data are in the host's caches.
                    Ok(Turn::Passed) => continue,
                    Ok(Turn::Blocked) => {}
                    Err(fault) => {
                        self.shared.report(*fault);
                        return;
                    }
                }
                index += 1;
            }
            // What is resident waits for something, or spins: give the next workgroup a chance to end that.
            let room = if all_blocked {
                self.shared.slots
            } else {
                self.shared.slots.min(RESIDENT_GROUPS)
            };
            if !self.resident.is_empty() && self.resident.len() < room && !exhausted {
                match self.next_group() {
                    Some(id) => self.start(id),
                    None => exhausted = true,
                }
            } else if all_blocked && !self.resident.is_empty() {
                // The first time there was no count of changes to compare with; from now on there is.
                if std::mem::replace(&mut self.anyone_waits, true) && !self.wait_for_others(seen) {
                    self.report_blocked();
                    return;
                }
            }
        }
    }

    /// Waits until another thread may have released a wave of this one; false if none can: the waves of all are blocked.
    fn wait_for_others(&self, seen: u64) -> bool {
        let mut registered = false;
        loop {
            if self.shared.stop.load(Relaxed) || self.shared.device.interrupted.load(Relaxed) {
                return true;
            }
            let threads = self.shared.working.0.load(Acquire);
            if let Some(changed) = self.shared.device.gws.wait(seen, &mut registered, threads) {
                return changed;
            }
            std::thread::yield_now();
        }
    }

    fn report_blocked(&mut self) {
        let Some(group) = self.resident.first() else {
            return;
        };
        let count = |waiting| group.begun().filter(|w| w.waiting == waiting).count();
        let kind = FaultKind::Blocked {
            at_barrier: count(Waiting::Barrier),
            at_gws: count(Waiting::Gws),
            ended: group.count - group.begun().count(),
        };
        self.report(kind);
    }

    /// Stops the run for something that no wave is more to blame for than others.
    fn report(&self, kind: FaultKind) {
        let (wave, pc) = match self.unfinished().next() {
            Some(wave) => (wave.id, self.shared.place(wave).pc),
            // None of the workgroup's waves has begun yet.
            None => {
                let group = self.resident.first().map_or([0; 3], |group| group.id);
                (WaveId { group, wave: 0 }, self.shared.dispatch.entry)
            }
        };
        self.shared.report(self.fault(wave, pc, kind, None));
    }

    /// The waves that have begun and not ended.
    fn unfinished(&self) -> impl Iterator<Item = &Wave> {
        self.resident.iter().flat_map(|group| group.begun())
    }

    /// The next workgroup that has not begun.
    fn next_group(&mut self) -> Option<[u32; 3]> {
        if self.claimed.is_empty() {
            self.claimed = self.shared.claim();
        }
        self.claimed.next().map(|n| self.shared.group(n))
    }

    /// Begins the workgroup `id`; its waves begin with their first turns.
    fn start(&mut self, id: [u32; 3]) {
        let Shared {
            device,
            code,
            dispatch,
            ..
        } = *self.shared;
        let mut group = self.spare.pop().unwrap_or_else(|| {
            Box::new(Group {
                id,
                size: dispatch.group,
                count: 0,
                waves: Vec::new(),
                lds: Lds::new(code.isa(), dispatch.lds_bytes),
                slot: 0,
            })
        });
        group.id = id;
        group.slot = if dispatch.scratch_bytes_per_wave() == 0 {
            0
        } else {
            (0..RESIDENT_GROUPS)
                .find(|slot| self.resident.iter().all(|g| g.slot != *slot))
                .unwrap_or(0)
        };
        match device.config.lds_fill {
            LdsFill::Zero => group.lds.clear(),
            LdsFill::Random(seed) => group.lds.randomise(
                seed ^ (u64::from(id[0]) << 40) ^ (u64::from(id[1]) << 20) ^ u64::from(id[2]),
            ),
        }
        // A group at the edge of the grid has only the work-items that the grid has.
        group.size = std::array::from_fn(|d| {
            let begin = u64::from(id[d]) * u64::from(dispatch.group[d]);
            (u64::from(dispatch.grid[d]) - begin).min(u64::from(dispatch.group[d])) as u32
        });
        group.count = group.items().div_ceil(LANES);
        group.waves.clear();
        self.stats.waves += group.count as u64;
        self.resident.push(group);
    }

    /// Begins the next wave of a workgroup.
    fn begin(&mut self, index: usize) {
        let Shared {
            device,
            code,
            dispatch,
            ..
        } = *self.shared;
        let group = &mut self.resident[index];
        let number = group.waves.len();
        let mut wave = if let Some(mut wave) = self.spare_waves.pop() {
            wave.restart(dispatch.entry);
            wave
        } else {
            let id = WaveId::default();
            let mut wave = Wave::new(code.isa(), id, dispatch.entry, code.vgprs(), code.sgprs());
            wave.apertures = device.config.apertures;
            Box::new(wave)
        };
        let [x, y, z] = group.id;
        identify(&mut wave.id, x, y, z, number as u32);
        wave.group = GroupShape {
            lds_bytes: dispatch.lds_bytes,
            waves: group.count as u32,
        };
        let slot = (group.slot as u64 * dispatch.waves_per_group() + number as u64)
            * dispatch.scratch_bytes_per_wave();
        wave.scratch = Scratch {
            base: self.scratch + slot,
            region: self.scratch,
            bytes_per_lane: dispatch.scratch_bytes_per_lane,
        };
        let first_item = number * LANES;
        let part;
        let ids = match self.ids.get(number) {
            Some(ids) if group.size == dispatch.group => ids,
            _ => {
                part = work_item_ids(group.size, first_item);
                &part
            }
        };
        let lanes = group.items() - first_item;
        initialise(&mut wave, &dispatch.initial, ids, lanes, slot);
        if O::ACTIVE {
            self.observer.started(&wave);
        }
        group.waves.push(Some(wave));
    }

    /// Gives every wave of a workgroup its turn.
    fn turn(&mut self, index: usize) -> Result<Turn, Box<Fault>> {
        let mut progress = false;
        for number in 0..self.resident[index].count {
            if number >= self.resident[index].waves.len() {
                self.begin(index);
            }
            let Group { waves, lds, .. } = &mut *self.resident[index];
            let Some(wave) = &mut waves[number] else {
                continue;
            };
            match wave.waiting {
                Waiting::No | Waiting::Gws => {}
                Waiting::Asleep => wave.waiting = Waiting::No,
                Waiting::Barrier | Waiting::Ended => continue,
            }
            let before = wave.executed;
            let violations = wave.violations;
            let result = run_wave(self.shared, wave, lds, &mut self.access, &mut self.observer);
            progress |= wave.executed != before;
            self.stats.instructions += wave.executed - before;
            self.stats.violations += wave.violations - violations;
            let has_ended = wave.waiting == Waiting::Ended;
            if let Err(stop) = result {
                let id = wave.id;
                return Err(Box::new(self.fault(id, stop.pc, stop.kind, stop.lane)));
            }
            if let Some(host) = &self.shared.device.hostcall
                && let Err(error) = host.serve(&self.shared.device.memory)
            {
                let (id, pc) = (wave.id, self.shared.place(wave).pc);
                return Err(Box::new(self.fault(id, pc, error.into(), None)));
            }
            if has_ended {
                self.spare_waves.extend(waves[number].take());
            }
        }
        self.counter.set(self.stats.groups, self.stats.instructions);

        // A barrier opens when every wave that has not ended is at it. All have begun by now.
        let group = &mut self.resident[index];
        if group.begun().all(|w| w.waiting == Waiting::Barrier) {
            if group.begun().next().is_none() {
                return Ok(Turn::Ended);
            }
            for wave in group.waves.iter_mut().flatten() {
                wave.waiting = Waiting::No;
            }
            if O::ACTIVE {
                self.observer.barrier(group.id);
            }
            return Ok(Turn::Passed);
        }
        Ok(if progress { Turn::Ran } else { Turn::Blocked })
    }

    fn fault(&self, wave: WaveId, pc: u64, kind: FaultKind, lane: Option<u8>) -> Fault {
        Fault {
            kind,
            wave,
            lane,
            pc,
            text: self.shared.text(pc),
        }
    }
}

/// Sets a wave's position, each number by itself: the host cannot hand a vector of them on while they are stores that wait
/// in its queue, behind those to memory. Without this a kernel that streams takes a third more time.
#[inline(never)]
fn identify(id: &mut WaveId, x: u32, y: u32, z: u32, wave: u32) {
    id.group = [x, y, z];
    id.wave = wave;
}

/// Sets the registers that the hardware sets. The wave has the first of `lanes` work-items, whose ids are given, and its
/// scratch, at `scratch_offset` behind the thread's.
fn initialise(
    wave: &mut Wave,
    initial: &Initial,
    ids: &[Lanes; DIMENSIONS],
    lanes: usize,
    scratch_offset: u64,
) {
    wave.mode = initial.mode;
    wave.set_exec(if lanes >= LANES {
        u64::MAX
    } else {
        (1 << lanes) - 1
    });
    let scratch = wave.scratch.region;
    for (number, sgpr) in initial.sgprs.iter().enumerate() {
        let value = match *sgpr {
            InitialSgpr::Value(value) => value,
            InitialSgpr::GroupId(dimension) => wave.id.group[usize::from(dimension) % 3],
            InitialSgpr::GroupInfo => u32::from(wave.id.wave == 0) << 31 | wave.group.waves,
            InitialSgpr::ScratchBase(0) | InitialSgpr::FlatScratchLow => scratch as u32,
            InitialSgpr::ScratchBase(_) => (scratch >> 32) as u32 | SCRATCH_SWIZZLE,
            InitialSgpr::FlatScratchHigh => (scratch >> 32) as u32,
            InitialSgpr::ScratchWaveOffset => scratch_offset as u32,
        };
        wave.set_scalar(number as u8, value);
    }
    let dimensions = usize::from(initial.work_item_ids).min(DIMENSIONS);
    for (register, ids) in wave.vgprs.iter_mut().zip(ids).take(dimensions) {
        *register = *ids;
    }
}

/// Dimensions of a grid.
const DIMENSIONS: usize = 3;

/// The ids of 64 work-items of a workgroup of this size, from the one with this number on, in each dimension.
fn work_item_ids(size: [u32; DIMENSIONS], first: usize) -> [Lanes; DIMENSIONS] {
    let mut ids = [Lanes::ZERO; DIMENSIONS];
    for lane in 0..LANES {
        let item = (first + lane) as u32;
        ids[0].0[lane] = item % size[0];
        ids[1].0[lane] = item / size[0] % size[1];
        ids[2].0[lane] = item / size[0] / size[1];
    }
    ids
}

/// Bit of dword 1 of a buffer descriptor: SWIZZLE_ENABLE.
const SCRATCH_SWIZZLE: u32 = 1 << 31;

/// What stopped a wave.
struct Stop {
    kind: FaultKind,
    pc: u64,
    lane: Option<u8>,
}

/// Runs a wave until it ends, waits, or has had its turn. `access` is any; it is the caller's so that it is not made
/// anew for every turn.
fn run_wave<O: Observer>(
    shared: &Shared<'_>,
    wave: &mut Wave,
    lds: &mut Lds,
    access: &mut Access,
    observer: &mut O,
) -> Result<(), Stop> {
    let Shared { device, code, .. } = *shared;
    let limit = device.config.limit.unwrap_or(u64::MAX);
    let until = wave
        .executed
        .saturating_add(device.config.quantum.max(1))
        .min(limit);
    // The program counter is in `index`, in dwords of the code; the wave's own is right wherever anyone can see it.
    let mut index = code.index(wave.pc).unwrap_or(NOWHERE);
    'blocks: loop {
        let stop = |kind, pc| Stop {
            kind,
            pc,
            lane: None,
        };
        let steps = match code.steps_at(index) {
            Some(Ok(steps)) => steps,
            Some(Err(error)) => {
                return Err(stop(FaultKind::Undecodable(error), code.address(index)));
            }
            None if index == NOWHERE => return Err(stop(FaultKind::PcOutside, wave.pc)),
            None => return Err(stop(FaultKind::PcOutside, code.address(index))),
        };
        for step in steps {
            let at = |kind| stop(kind, code.address(index));
            if wave.executed >= until {
                wave.pc = code.address(index);
                if wave.executed >= limit {
                    return Err(at(FaultKind::Limit(limit)));
                }
                if device.interrupted.load(Relaxed) {
                    return Err(at(FaultKind::Interrupted));
                }
                return Ok(());
            }
            if O::ACTIVE {
                wave.pc = code.address(index);
                observer.before(wave, step);
            }
            let following = index + usize::from(step.bytes) / DWORD;
            // What most instructions are, ahead of the rest.
            if step.is_vector && !O::ACTIVE && wave.mode & UNUSUAL == 0 {
                (step.handler)(wave, step);
                wave.executed += 1;
                index = following;
                continue;
            }
            let mut next = following;
            match step.run {
                Run::Vector | Run::Memory | Run::Cancelled | Run::Missing
                    if is_skipped(wave, step) => {}
                Run::Vector if indexing::is_on(wave) => indexing::execute(wave, step),
                Run::Vector => (step.handler)(wave, step),
                Run::Scalar => {
                    let after = code.address(next);
                    wave.pc = after;
                    (step.handler)(wave, step);
                    if wave.pc != after {
                        next = code.index(wave.pc).unwrap_or(NOWHERE);
                    }
                }
                Run::Branch(condition, distance) => {
                    if holds(wave, condition) {
                        next = next.wrapping_add_signed(distance as isize);
                    }
                }
                Run::Wait(until) => wave.scoreboard.wait(until),
                Run::Memory => {
                    let pc = code.address(index);
                    if O::ACTIVE || memory::quickly(wave, step, lds, device).is_none() {
                        memory::addresses(wave, step, device, access);
                        if O::ACTIVE
                            && let Verdict::Veto(message) = observer.access(wave, step, access)
                        {
                            return Err(at(FaultKind::Vetoed(message)));
                        }
                        match memory::perform(wave, step, access, lds, device) {
                            Ok(Outcome::Done) => wave.waiting = Waiting::No,
                            Ok(Outcome::Blocked) => {
                                // The wave yields, and issues the instruction anew at its next turn.
                                wave.pc = pc;
                                wave.waiting = Waiting::Gws;
                                return Ok(());
                            }
                            Err((kind, lane)) => return Err(Stop { kind, pc, lane }),
                        }
                    }
                    memory::count(wave, step, pc);
                }
                Run::Cancelled if device.config.on_violation == OnViolation::Stop => {
                    return Err(at(FaultKind::RegisterOutOfRange {
                        vgprs: code.vgprs(),
                        sgprs: code.sgprs(),
                    }));
                }
                Run::Cancelled => memory::count(wave, step, code.address(index)),
                Run::Flow => flow(wave, step, code.address(index)).map_err(at)?,
                Run::Missing => return Err(at(FaultKind::NotExecuted)),
            }
            wave.executed += 1;
            if O::ACTIVE {
                if next != NOWHERE {
                    wave.pc = code.address(next);
                }
                observer.after(wave, step, code.address(index));
            }
            index = next;
            // Nothing else makes a wave wait; a memory instruction that does has returned.
            if matches!(step.run, Run::Flow) && wave.waiting != Waiting::No {
                wave.pc = code.address(index);
                if O::ACTIVE && wave.waiting == Waiting::Ended {
                    observer.ended(wave);
                }
                return Ok(());
            }
            if next != following {
                continue 'blocks;
            }
        }
    }
}

/// The number of no dword: where a program counter points that is not aligned. No branch comes near it.
const NOWHERE: usize = 1 << (usize::BITS - 1);

/// MODE: bits that make instructions do something else than usual.
const UNUSUAL: u32 = indexing::GPR_IDX_EN | MODE_VSKIP;

/// Whether an instruction is a vector instruction while those are skipped (S_SETVSKIP, errata E206). Nothing of it
/// happens, and no counter counts it.
#[inline(always)]
fn is_skipped(wave: &Wave, step: &Step) -> bool {
    wave.mode & MODE_VSKIP != 0 && !step.inst.encoding.is_scalar()
}

/// S_SETPRIO has two bits.
const PRIORITY: u8 = 3;

/// Whether a branch on `condition` is taken.
#[inline]
fn holds(wave: &Wave, condition: Condition) -> bool {
    match condition {
        Condition::Always => true,
        Condition::Scc0 => !wave.scc,
        Condition::Scc1 => wave.scc,
        Condition::VccZero => wave.vcc() == 0,
        Condition::VccNotZero => wave.vcc() != 0,
        Condition::ExecZero => wave.exec() == 0,
        Condition::ExecNotZero => wave.exec() != 0,
        Condition::Debugger => false,
    }
}

/// Program control.
fn flow(wave: &mut Wave, step: &Step, pc: u64) -> Result<(), FaultKind> {
    match step.inst.does() {
        Does::Control(control) => match control {
            // The counters do not hold up the end; what was issued takes place all the same (checklist 5.5).
            Control::End => wave.waiting = Waiting::Ended,
            Control::Barrier => wave.waiting = Waiting::Barrier,
            Control::SendMsg { halt } => {
                wave.scoreboard.issue(
                    Kind::Message,
                    pc,
                    Increments {
                        lgkm: 1,
                        ..Increments::default()
                    },
                );
                if halt {
                    return Err(FaultKind::Halted);
                }
            }
            Control::Trap if step.immediate() as u8 == fault::BREAKPOINT => {}
            Control::Trap => return Err(FaultKind::Trap(step.immediate() as u8)),
            Control::SetHalt if step.immediate() & 1 != 0 => return Err(FaultKind::Halted),
            // Who sleeps waits for somebody, whose turn it is now. There is no time that could pass.
            Control::Sleep => wave.waiting = Waiting::Asleep,
            Control::SetPrio => wave.priority = step.immediate() as u8 & PRIORITY,
            Control::GprIndexOff => indexing::turn_off(wave),
            Control::GprIndexMode => indexing::set_operands(wave, step, 0),
            // Nothing here depends on time, priority, caches of code or performance counters. Waits have been done.
            Control::Nop
            | Control::Waitcnt
            | Control::SetHalt
            | Control::CacheInvalidate
            | Control::PerfCount
            | Control::TraceData
            | Control::SetKill
            | Control::Wakeup => {}
        },
        Does::ReturnFromTrap => return Err(FaultKind::OutsideTrapHandler),
        _ => return Err(FaultKind::NotExecuted),
    }
    Ok(())
}
