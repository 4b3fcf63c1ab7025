//! Races: accesses of one byte, at least one of them a write, that nothing orders.
//!
//! Agents are waves; with [`Check::Lanes`](crate::finding::Check::Lanes) their lanes; and the host, for what it reads and writes by
//! the runtime while a kernel runs. The checker looks at every access of LDS and of global memory, scalar loads and LDS_DIRECT
//! included, in all workgroups, and keeps the last ones of each byte in a shadow memory (`shadow`). Shadows of dispatches that
//! run at the same time are compared when they end (`beside`).
//!
//! One access is ordered before another
//! - by a barrier, within a workgroup;
//! - by a release and an acquire. A release is an atomic or a store at a moment when waits have guaranteed the wave's earlier
//!   operations: those of vector memory (vmcnt 0) for other workgroups, those of LDS (lgkmcnt 0) for the own. An acquire is a
//!   returning atomic or a GLC load of what a release has written, or of what later atomics have made of it. Within a
//!   workgroup that is enough; a wave of another workgroup must also wait for its value, after which its stores, atomics and GLC
//!   loads are in order, and then execute BUFFER_WBINVL1 for other loads, and S_DCACHE_INV for scalar ones;
//! - by global wave synchronisation: each of its instructions releases and acquires, as above for another workgroup, but the
//!   invalidation may come before it if the wave loads nothing in between. What a wave releases there counts for all that
//!   synchronise later or still wait, whichever resource they use;
//! - by the acquire fence with which a dispatch begins; without one its caches may have old values. A dispatch that begins before
//!   another one has ended is in no order with it.
//!
//! Atomics, GLC loads and stores of one location are no race among each other, but for a plain store and an atomic: the store
//! counts as an atomic's only if it is behind waits for what the wave has written. Two lanes of one instruction that store
//! different values to one address are always reported. Two stores of equal values are a warning.
//!
//! A compare and swap that fails is no write: no race with loads, and with stores one as of any atomic.
//!
//! The checker cannot see: races that this order of execution does not exhibit because an edge happens to order
//! them; atomic loads and relaxed atomic stores that were compiled to plain ones (they count as plain, which reports those of
//! workgroup scope); which of more than two agents has loaded a byte since its last write; scratch and GDS; what the only wave of a
//! dispatch has done before the host's first access or another dispatch's begin, unless it has means to learn of the host's writes.
//!
//! Nothing is reported where memory may order agents that have no shadow in common. Of two dispatches these are: the one that ends
//! last has means to acquire, by which it may learn that the other has ended; or the other one has, and the last writes what it
//! acquires, or writes memory behind waits for what it has stored. Of the host and a wave: the wave's kernel has such means or writes
//! so, but for what the host writes before the wave's access. An order that the host makes as it starts a dispatch because of what a
//! running one has written is not seen.
//!
//! A dispatch is compared with up to 64 that have ended while it ran, whose shadows take 1 GiB at most; if there are more, with the
//! first of them before it has ended itself.
//!
//! Memory is watched until 4 GiB of shadow are in use:
//! 24 bytes and a little for 256 bytes that are accessed as a whole, six times the memory where dwords are separate,
//! 24 times where bytes are. Waves beyond the first 16 million of a dispatch are not watched; a wave that has released more
//! than four million times is in no order with anything and is not reported any more.

mod clock;
mod entry;
mod touched;
mod backlog;
mod shadow;
mod global;
mod extent;
mod apart;
mod lanes;
mod places;
mod means;
mod swap;
mod run;
mod facts;
mod help;
mod report;
mod group;
mod beside;

use std::cell::Cell;
use std::sync::Arc;

use gcn_emu::fault::Fault;
use gcn_emu::observe::{
    Context, Dispatched, Events, Instruction, MemoryChange, MemoryChangeKind, MemoryEvent,
    Observer, ShareAccess, Span, Verdict, WaveEnd, WaveObserver,
};
use gcn_emu::run::Stats;
use gcn_emu::step::Step;
use gcn_isa::Encoding;

use crate::by_step::ByStep;
use crate::finding::Findings;
use crate::lint::Ahead;

use apart::PlaceBits;
use beside::{Runs, UnseenDispatches};
use entry::{EntryLayout, PastAccess, Release};
use extent::{Parts, ShadowedMemory};
use facts::AccessFacts;
use global::Recent;
use group::{CachePath, GroupShadow, GroupShadows, Read};
use lanes::{Stored, overlap, stored};
use means::Means;
use places::{AccessPlaces, ThreadPlaces};
use report::{report_conflicts, report_host, report_lanes, report_old};
use run::{RaceDispatch, continue_release};
use shadow::{Conflicts, HappensBefore};
use swap::Swap;

thread_local! {
    /// True in a thread that runs waves: what it writes for the host belongs to the kernel's calls.
    static RUNS_WAVES: Cell<bool> = const { Cell::new(false) };
}

/// The checker. See the module.
pub(super) struct Races {
    findings: Arc<Findings>,
    ahead: Arc<Ahead>,
    layout: EntryLayout,
    runs: Arc<Runs>,
    places: Arc<AccessPlaces>,
}

impl Races {
    /// A checker whose agents are waves, or lanes.
    pub(super) fn new(findings: Arc<Findings>, ahead: Arc<Ahead>, of_lanes: bool) -> Races {
        Races {
            findings,
            ahead,
            layout: EntryLayout::new(of_lanes),
            runs: Arc::default(),
            places: Arc::default(),
        }
    }
}

impl Observer for Races {
    fn wants(&self) -> Events {
        Events::DISPATCH
            | Events::WAVE
            | Events::BARRIER
            | Events::ACCESS
            | Events::ACCESSED
            | Events::CACHE
            | Events::COUNTERS
            | Events::GWS
            | Events::MEMORY
    }

    fn may_overlook(&self) -> bool {
        true
    }

    fn wants_in(&self, dispatch: &Dispatched<'_>) -> Events {
        let Some((run, _)) = self.runs.find(dispatch.id) else {
            return self.wants();
        };
        let counters = (run.means.needs_counters(), Events::COUNTERS);
        // What a compare and swap has written is known behind it alone.
        let swaps = (run.means.has_swaps, Events::ACCESSED);
        let mut wants = self.wants();
        for (needs, events) in [counters, swaps] {
            if !needs {
                wants = wants.without(events);
            }
        }
        wants
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(RaceWatch {
            findings: self.findings.clone(),
            runs: self.runs.clone(),
            run: None,
            unseen: Arc::default(),
            groups: GroupShadows::default(),
            facts: ByStep::default(),
            parts: Parts::new(self.layout.has_lanes()),
            apart: PlaceBits::default(),
            met: Conflicts::default(),
            recent: Recent::default(),
            swap: None,
            places: self.places.of_thread(),
        }))
    }

    fn dispatch_begins(&self, dispatch: &Dispatched<'_>) {
        let means = Means::of(&self.ahead, dispatch);
        self.runs.begin(RaceDispatch::new(
            dispatch,
            self.layout,
            means,
            self.places.clone(),
        ));
    }

    fn dispatch_ends(&self, dispatch: &Dispatched<'_>, _: &Stats, _: Option<&Fault>) {
        self.runs.end(dispatch.id, &self.findings);
    }

    fn memory_changes(&self, change: &MemoryChange<'_>) {
        let kind = match change.kind {
            MemoryChangeKind::Written => entry::AccessKind::Store,
            MemoryChangeKind::Read => entry::AccessKind::Load,
            MemoryChangeKind::Allocated | MemoryChangeKind::Freed | MemoryChangeKind::Undefined => {
                return;
            }
        };
        if RUNS_WAVES.get() {
            return;
        }
        for run in self.runs.all() {
            run.host_accesses(change.range.clone(), kind, |at, before| {
                report_host(&self.findings, &run, at, before, kind);
            });
        }
    }
}

/// The checker of one thread's waves.
struct RaceWatch {
    findings: Arc<Findings>,
    runs: Arc<Runs>,
    /// The dispatch, once a wave of it has begun.
    run: Option<Arc<RaceDispatch>>,
    unseen: UnseenDispatches,
    groups: GroupShadows,
    /// Facts of instructions by their number.
    facts: ByStep<AccessFacts>,
    parts: Parts,
    apart: PlaceBits,
    met: Conflicts,
    recent: Recent,
    /// A compare and swap that is being carried out.
    swap: Option<Swap>,
    places: ThreadPlaces,
}

/// Active lanes of an atomic on LDS up to which it continues releases: those that synchronise waves have few.
const FEW_LANES: u32 = 4;

impl RaceWatch {
    /// Facts of the instruction of an event.
    #[inline]
    fn facts(
        &mut self,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
        run: &RaceDispatch,
    ) -> Option<AccessFacts> {
        let intent = event.intent()?;
        let make = |step: &Step| AccessFacts::of(step, intent, context.pc, run);
        Some(*self.facts.of(event.instruction.step, make))
    }

    /// Looks at an access before it is carried out.
    fn begins(
        &mut self,
        run: &RaceDispatch,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
    ) -> Option<()> {
        self.swap = None;
        let facts = self.facts(context, event, run)?;
        let plan = event.instruction.step.memory.as_deref();
        let stores = facts.kind == entry::AccessKind::Store || plan.is_some_and(|plan| plan.to_lds);
        // A wave is in no race with itself, unless its lanes are.
        if run.is_alone() && (!stores || self.apart.is_certain(event.access())) {
            return Some(());
        }
        let mut lanes = u64::MAX;
        if facts.is_swap {
            let swap = Swap::begin(context, event);
            lanes = swap.expected;
            self.swap = Some(swap);
        }
        if lanes != 0 {
            self.access(run, context, event, &facts, lanes);
        }
        Some(())
    }

    /// Looks at the lanes of a compare and swap that were not known to succeed before it.
    fn ends(
        &mut self,
        run: &RaceDispatch,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
        swap: &Swap,
    ) -> Option<()> {
        let facts = self.facts(context, event, run)?;
        let outcome = swap.end(event);
        for (kind, lanes) in [
            (entry::AccessKind::Atomic, outcome.succeeded),
            (entry::AccessKind::FailedSwap, outcome.failed),
        ] {
            let lanes = lanes & !swap.expected;
            if lanes != 0 {
                self.access(run, context, event, &AccessFacts { kind, ..facts }, lanes);
            }
        }
        Some(())
    }

    /// Looks at an access in some lanes.
    fn access(
        &mut self,
        run: &RaceDispatch,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
        facts: &AccessFacts,
        lanes: u64,
    ) -> Option<()> {
        let id = context.id();
        let number = id.wave;
        let group = self.groups.of(id.group)?;
        let is_of_waves = !run.layout.has_lanes();
        let wave = group.wave(number);
        let scoreboard = &context.wave.scoreboard;
        let mut complete = Release::default();
        if run.means.needs_counters() {
            complete.to_agent = wave.is_complete(scoreboard);
            complete.to_group = scoreboard.counters().lgkm == 0;
        }
        let shape = event.shape().filter(|_| lanes == u64::MAX && is_of_waves);
        match &shape {
            Some(shape) => {
                let lanes = event.lanes();
                self.parts
                    .shaped(shape, lanes, facts.kind, context.scratch());
            }
            None => self.parts.find(
                event.access(),
                lanes,
                facts.does,
                facts.kind,
                context.scratch(),
            ),
        }
        let clock = wave.clock;
        let mut acquired: Vec<Read> = Vec::new();
        let mut has_released = false;
        for part in self.parts.iter() {
            if part.extents.is_empty() {
                continue;
            }
            let wave = group.wave(number);
            let mut release = Release::default();
            if part.kind.writes() {
                release = Release {
                    // What a wave has written says nothing of a lane.
                    publishes: !run.layout.has_lanes() && wave.has_to_publish(part.memory),
                    ..complete
                };
                has_released |= release.to_agent || release.to_group;
            }
            let is_atomic = part.kind == entry::AccessKind::Atomic;
            let continues = is_atomic
                && run.means.orders
                && (event.instruction.exec.count_ones() <= FEW_LANES
                    || part.memory == ShadowedMemory::Global && run.means.acquires);
            let ends_chains = part.kind == entry::AccessKind::Store
                && match part.memory {
                    ShadowedMemory::Lds => !group.chains.is_empty(),
                    ShadowedMemory::Global => run.means.acquires && !run.chains().is_empty(),
                };
            let acquires = facts.acquires && part.kind == facts.kind;
            self.met.clear();
            self.met.wants_writes = acquires || continues || ends_chains;
            let way = match part.kind {
                _ if facts.is_scalar => CachePath::ScalarCache,
                entry::AccessKind::Load => CachePath::Cache,
                entry::AccessKind::CoherentLoad
                | entry::AccessKind::Store
                | entry::AccessKind::Atomic
                | entry::AccessKind::FailedSwap => CachePath::PastCache,
            };
            let (known, since) = group.order(number, way, run, scoreboard);
            let view = HappensBefore {
                layout: run.layout,
                group: group.waves(),
                since,
                known: &known,
                is_lds: part.memory == ShadowedMemory::Lds,
                is_without_acquires: !run.means.acquires,
            };
            let first = group.first_wave();
            // A wave is in no race with itself.
            let is_own = run.is_alone()
                || part.memory == ShadowedMemory::Lds && group.is_alone() && is_of_waves;
            let extents = if is_own { &[] } else { &part.extents[..] };
            let entry = |lane| {
                let wave = first + number;
                run.layout.entry(wave, lane, clock, facts.site, part.kind)
            };
            let noted = |lane| entry(lane).releasing(release);
            let is_new = match part.memory {
                ShadowedMemory::Lds => {
                    for Span { lane, bytes } in extents {
                        let share = &mut group.share;
                        share.touch(bytes.clone(), noted(*lane), &view, &mut self.met);
                    }
                    !is_own
                }
                ShadowedMemory::Global => {
                    let met = &mut self.met;
                    self.recent
                        .touch_all(&run.global, extents, noted, &view, met)
                }
            };
            if is_new && is_of_waves && !facts.is_scalar {
                match &shape {
                    Some(shape) => self
                        .places
                        .add_shape(run.id, entry(0), shape, event.lanes()),
                    None => self
                        .places
                        .add(run.id, entry(0), part.memory, event.access()),
                }
            }
            let now = entry(0);
            // A kernel that orders its waves may invalidate the caches by itself.
            let may_be_old = part.memory == ShadowedMemory::Global && !run.means.orders;
            if may_be_old && part.kind == entry::AccessKind::Load && !self.unseen.is_empty() {
                report_old(&self.findings, run, &self.unseen, part, entry);
            }
            if continues || ends_chains {
                continue_releases(run, group, part.memory, &self.met, now, is_atomic);
            }
            if acquires {
                let memory = part.memory;
                let writes = self.met.writes.iter();
                acquired.extend(writes.map(|&(at, entry)| Read { memory, at, entry }));
            }
            if part.kind == entry::AccessKind::Store {
                group.wave(number).writes(part.memory);
            }
            let mut values: Option<Vec<Stored>> = None;
            if part.kind == entry::AccessKind::Store && !part.is_apart {
                let stored = stored(event, part.memory);
                if let Some(found) = overlap(stored.clone()) {
                    report_lanes(&self.findings, context, event, part.memory, &found);
                }
                values = Some(stored);
            }
            if !self.met.conflicts.is_empty() {
                let conflicts = &self.met.conflicts;
                let past = CachePath::PastCache;
                let (known, since) = group.order(number, past, run, scoreboard);
                let past_cache = HappensBefore {
                    since,
                    known: &known,
                    ..view
                };
                report_conflicts(
                    &self.findings,
                    context,
                    event,
                    run,
                    part,
                    &now,
                    conflicts,
                    values,
                    &past_cache,
                    &group.share,
                );
            }
        }
        for read in acquired {
            group.acquire(number, run, read, event.instruction.operation, scoreboard);
        }
        let wave = group.wave(number);
        if has_released && run.means.orders {
            wave.clock = wave.clock.saturating_add(1).min(run.layout.last_clock());
        }
        Some(())
    }
}

/// Notes the releases that an atomic continues, or that a store ends, of the places that it has met.
fn continue_releases(
    run: &RaceDispatch,
    group: &mut GroupShadow,
    memory: ShadowedMemory,
    met: &Conflicts,
    now: PastAccess,
    is_atomic: bool,
) {
    let mut shared;
    let chains = match memory {
        ShadowedMemory::Lds => &mut group.chains,
        ShadowedMemory::Global => {
            shared = run.chains();
            &mut *shared
        }
    };
    for &(at, entry) in &met.writes {
        let is_release = entry.releases_to_agent() || entry.releases_to_group();
        if !is_atomic {
            chains.remove(&at);
        } else if is_release && !run.layout.same_agent(entry, now) {
            continue_release(run.layout, chains.entry(at).or_default(), entry);
        }
    }
}

impl WaveObserver for RaceWatch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        if self.run.is_none() {
            RUNS_WAVES.set(true);
            if let Some((run, unseen)) = self.runs.find(context.dispatched.id) {
                (self.run, self.unseen) = (Some(run), unseen);
            }
        }
        let Some(run) = &self.run else {
            return;
        };
        let id = context.id();
        let Some(first) = run.first_wave(id.group) else {
            return;
        };
        let lds = context.lds.bytes().len();
        self.groups
            .begin(id.group, first, context.wave.group.waves, lds);
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        self.groups.wave_ends(context.id());
    }

    /// Keeps an access of LDS to look at it only if there is a reason. Returns false if there is one now.
    fn overlooks(&mut self, context: &Context<'_>, access: &ShareAccess<'_>) -> bool {
        let Some(run) = &self.run else {
            return true;
        };
        let make = |step: &Step| AccessFacts::of(step, access.intent, context.pc, run);
        let facts = self.facts.of(access.step, make);
        if !facts.is_kept || run.layout.has_lanes() {
            return false;
        }
        let id = context.id();
        self.groups
            .of(id.group)
            .is_none_or(|group| group.keep(run, id.wave, access, facts.site, facts.kind))
    }

    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        if let Some(run) = self.run.take() {
            self.begins(&run, context, event);
            self.run = Some(run);
        }
        Verdict::Allow
    }

    fn accessed(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        if let Some(swap) = self.swap.take()
            && let Some(run) = self.run.take()
        {
            self.ends(&run, context, event, &swap);
            self.run = Some(run);
        }
    }

    fn manages_cache(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let Some(run) = self.run.clone() else {
            return;
        };
        let id = context.id();
        let Some(group) = self.groups.of(id.group) else {
            return;
        };
        let inst = &instruction.step.inst;
        if inst.encoding == Encoding::Mubuf {
            let operation = instruction.operation;
            group.invalidates(id.wave, &run, operation, &context.wave.scoreboard);
        } else if inst.name().to_ascii_lowercase().starts_with("s_dcache_inv") {
            group.invalidates_scalars(id.wave, &context.wave.scoreboard, &run);
        }
    }

    fn barrier_arrives(&mut self, context: &Context<'_>) {
        let id = context.id();
        if let Some(group) = self.groups.of(id.group) {
            let wave = group.wave(id.wave);
            wave.arrived_complete = wave.is_complete(&context.wave.scoreboard);
        }
    }

    fn gws_begins(&mut self, context: &Context<'_>) {
        let id = context.id();
        if let (Some(run), Some(group)) = (&self.run, self.groups.of(id.group)) {
            group.gws_begins(id.wave, run, &context.wave.scoreboard);
        }
    }

    fn gws_ends(&mut self, context: &Context<'_>) {
        let id = context.id();
        if let (Some(run), Some(group)) = (&self.run, self.groups.of(id.group)) {
            group.gws_ends(id.wave, run);
        }
    }

    fn barrier_opens(&mut self, _: &Dispatched<'_>, id: [u32; 3]) {
        if let (Some(run), Some(group)) = (self.run.clone(), self.groups.of(id)) {
            group.barrier(&run);
        }
    }
}

impl Drop for RaceWatch {
    fn drop(&mut self) {
        RUNS_WAVES.set(false);
    }
}
