//! Race checker for the waves of one thread.

use std::cell::Cell;
use std::sync::Arc;

use gcn_emu::observe::{
    Access, Context, Dispatched, Instruction, MemoryEvent, Shape, ShareAccess, Verdict, WaveEnd,
    WaveObserver,
};
use gcn_emu::step::Step;
use gcn_emu::wave::WaveId;
use gcn_isa::effect::CacheOp;
use gcn_isa::{Does, Encoding};

use crate::by_step::ByStep;
use crate::finding::Findings;

use super::access::{
    AccessKind, AccessPart, EntryLayout, Parts, PastAccess, Release, ShadowedMemory,
};
use super::access_log::ThreadPlaces;
use super::cell::Conflicts;
use super::concurrent_dispatches::{Runs, UnseenDispatches};
use super::facts::AccessFacts;
use super::global::Recent;
use super::group::{CachePath, GroupShadow, GroupShadows, Read};
use super::lanes::{PlaceBits, overlap, stored};
use super::report::{ConflictingAccess, report_lanes, report_old};
use super::run::RaceDispatch;
use super::synchronization::Swap;

thread_local! {
    static RUNS_WAVES: Cell<bool> = const { Cell::new(false) };
}

/// True on threads that run waves. Host accesses on these threads serve calls made by the kernel.
pub(super) fn runs_waves() -> bool {
    RUNS_WAVES.get()
}

/// Checker for the waves of one thread.
pub(super) struct RaceWatch {
    findings: Arc<Findings>,
    runs: Arc<Runs>,
    /// The dispatch, once one of its waves has begun on this thread.
    run: Option<Arc<RaceDispatch>>,
    unseen: UnseenDispatches,
    groups: GroupShadows,
    facts: ByStep<AccessFacts>,
    parts: Parts,
    apart: PlaceBits,
    met: Conflicts,
    /// Writes that the instruction reads: scratch buffer, reused to avoid allocation.
    reads: Vec<Read>,
    recent: Recent,
    /// The compare-and-swap in progress, if any.
    swap: Option<Swap>,
    places: ThreadPlaces,
}

impl RaceWatch {
    pub(super) fn new(
        findings: Arc<Findings>,
        runs: Arc<Runs>,
        layout: EntryLayout,
        places: ThreadPlaces,
    ) -> RaceWatch {
        RaceWatch {
            findings,
            runs,
            run: None,
            unseen: Arc::default(),
            groups: GroupShadows::default(),
            facts: ByStep::default(),
            parts: Parts::new(layout.has_lanes()),
            apart: PlaceBits::default(),
            met: Conflicts::default(),
            reads: Vec::new(),
            recent: Recent::default(),
            swap: None,
            places,
        }
    }

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

    /// Handles an access before its execution.
    fn begins(
        &mut self,
        run: &RaceDispatch,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
    ) -> Option<()> {
        self.swap = None;
        let facts = self.facts(context, event, run)?;
        let plan = event.instruction.step.memory.as_deref();
        let stores = facts.kind == AccessKind::Store || plan.is_some_and(|plan| plan.to_lds);
        // A wave does not race with itself, unless its lanes do.
        if run.is_alone() && (!stores || self.apart.is_certain(event.access())) {
            return Some(());
        }
        if facts.kind == AccessKind::SwapLoad {
            let wave = self.groups.of(context.id().group)?.wave(context.id().wave);
            let loads = wave.swap_loads.get_or_insert_default();
            loads.add(context.pc, facts.site, event.access());
        }
        if facts.kind == AccessKind::Atomic
            && !run.swap_loads.is_empty()
            && !run.swap_loads.compared(context.pc).is_empty()
        {
            self.find_plain_loads(run, context, event, &facts);
        }
        let mut lanes = u64::MAX;
        if facts.is_swap {
            if run.holds_pages {
                self.hold(run, context, event, &facts);
            }
            let swap = Swap::begin(context, event);
            lanes = swap.expected;
            self.swap = Some(swap);
        }
        if lanes != 0 {
            self.access(run, context, event, &facts, lanes);
        }
        Some(())
    }

    /// Holds the pages that a compare-and-swap accesses, before its result is predicted: lanes that are predicted to fail may
    /// succeed and release, too.
    fn hold(
        &mut self,
        run: &RaceDispatch,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
        swap: &AccessFacts,
    ) {
        let (access, scratch) = (event.access(), context.scratch());
        self.parts
            .find(access, u64::MAX, swap.does, swap.kind, scratch);
        for part in self.parts.iter() {
            if part.memory == ShadowedMemory::Global {
                self.recent.hold(&run.global, &part.extents);
            }
        }
    }

    /// Checks those loads that feed a compare-and-swap but read another address, since they count as plain.
    fn find_plain_loads(
        &mut self,
        run: &RaceDispatch,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
        swap: &AccessFacts,
    ) -> Option<()> {
        let id = context.id();
        let loads = self
            .groups
            .of(id.group)?
            .wave(id.wave)
            .swap_loads
            .as_ref()?;
        let plain = loads.elsewhere(context.pc, event.access(), &run.swap_loads);
        for load in plain {
            let facts = AccessFacts {
                site: load.site,
                kind: AccessKind::Load,
                is_scalar: load.is_scalar,
                acquires: false,
                ..*swap
            };
            let scratch = context.scratch();
            self.parts
                .find(&load.access, u64::MAX, facts.does, facts.kind, scratch);
            self.look(run, context, event, &load.access, None, &facts);
        }
        Some(())
    }

    /// Handles the lanes of a compare-and-swap that were not predicted to succeed.
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
            (AccessKind::Atomic, outcome.succeeded),
            (AccessKind::FailedSwap, outcome.failed),
        ] {
            let lanes = lanes & !swap.expected;
            if lanes != 0 {
                self.access(run, context, event, &AccessFacts { kind, ..facts }, lanes);
            }
        }
        Some(())
    }

    /// Handles the part of an access by the lanes in `lanes`.
    fn access(
        &mut self,
        run: &RaceDispatch,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
        facts: &AccessFacts,
        lanes: u64,
    ) -> Option<()> {
        let is_of_waves = !run.layout.has_lanes();
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
        self.look(run, context, event, event.access(), shape.as_ref(), facts)
    }

    /// Checks and records each part of an access: determines the accesses that happen before it, updates the shadow and
    /// release sequences, and reports conflicts. Finally applies the wave's acquires and releases.
    fn look(
        &mut self,
        run: &RaceDispatch,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
        access: &Access,
        shape: Option<&Shape>,
        facts: &AccessFacts,
    ) -> Option<()> {
        let WaveId { group, wave } = context.id();
        let group = self.groups.of(group)?;
        let (operation, scoreboard) = (event.instruction.operation, &context.wave.scoreboard);
        let completed = match run.means.needs_counters() {
            true => group.wave(wave).completed(scoreboard, operation),
            false => Release::default(),
        };
        let agent = group.first_wave() + wave;
        let clock = group.wave(wave).clock_of(operation);
        let mut has_released = false;
        self.reads.clear();
        for part in self.parts.iter().filter(|part| !part.extents.is_empty()) {
            let roles = PartRoles::new(part, facts, run, group);
            let (release, publishers) = match part.kind.writes() {
                true => (completed, group.wave(wave).publishers(part.memory)),
                false => (Release::default(), 0),
            };
            has_released |= release.to_agent || release.to_group;
            let entry = |lane| {
                let (layout, site) = (run.layout, facts.site);
                layout.entry(agent, lane, clock, site, part.kind)
            };

            let path = CachePath::new(part.kind, facts.is_scalar);
            let earlier = group.order(wave, path, run, operation, scoreboard);
            let view = group.happens_before(&earlier, part.memory, run);

            self.met.clear();
            self.met.wants_writes = roles.acquires || roles.sequences.is_some();
            let released = |lane: usize| {
                let publishes = publishers >> lane & 1 != 0;
                entry(lane).releasing(Release {
                    publishes,
                    ..release
                })
            };
            let is_alone = run.is_alone() || part.memory == ShadowedMemory::Lds && group.is_alone();
            let is_new = match part.memory {
                _ if is_alone && !run.layout.has_lanes() => false, // A wave does not race with itself.
                ShadowedMemory::Lds => {
                    group
                        .share
                        .touch_all(&part.extents, released, &view, &mut self.met);
                    true
                }
                ShadowedMemory::Global => {
                    let synchronizes = roles.acquires && run.means.acquires;
                    if run.holds_pages && (part.kind.writes() || synchronizes) {
                        self.recent.hold(&run.global, &part.extents);
                    }
                    let (global, met) = (&run.global, &mut self.met);
                    self.recent
                        .touch_all(global, &part.extents, released, &view, met)
                }
            };
            if is_new && !run.layout.has_lanes() && !facts.is_scalar {
                match shape {
                    Some(shape) => {
                        let lanes = event.lanes();
                        self.places.add_shape(run.id, entry(0), shape, lanes);
                    }
                    None => self.places.add(run.id, entry(0), part.memory, access),
                }
            }

            if let Some(effect) = roles.sequences {
                let now = entry(0).releasing(release);
                change_sequences(effect, run, group, part.memory, &self.met, now);
            }
            if roles.acquires {
                let (memory, writes) = (part.memory, self.met.writes.iter());
                let reads = writes.map(|&(at, entry)| Read { memory, at, entry });
                self.reads.extend(reads);
            }
            // A returning atomic may take a lock, which a store releases.
            let may_lock = part.kind == AccessKind::Atomic && roles.acquires;
            if part.kind == AccessKind::Store || may_lock {
                let lanes = match run.layout.has_lanes() && !facts.is_scalar {
                    true => part.lanes(),
                    false => u64::MAX,
                };
                group.wave(wave).writes(part.memory, lanes);
            }

            // A kernel that uses acquires may invalidate the caches itself.
            let may_be_old = part.memory == ShadowedMemory::Global && !run.means.orders;
            if may_be_old && part.kind == AccessKind::Load && !self.unseen.is_empty() {
                report_old(&self.findings, run, &self.unseen, part, entry);
            }
            let mut values = None;
            if part.kind == AccessKind::Store && !part.is_apart {
                let stored = stored(event, part.memory);
                if let Some(found) = overlap(stored.clone()) {
                    report_lanes(&self.findings, context, event, part.memory, &found);
                }
                values = Some(stored);
            }
            if !self.met.conflicts.is_empty() {
                let path = CachePath::PastCache;
                let earlier = group.order(wave, path, run, operation, scoreboard);
                let conflicting = ConflictingAccess {
                    run,
                    context,
                    event,
                    access,
                    part,
                    now: entry(0),
                    is_scalar: facts.is_scalar,
                    past_cache: group.happens_before(&earlier, part.memory, run),
                    share: &group.share,
                };
                conflicting.report(&self.findings, &self.met.conflicts, values);
            }
        }
        for read in self.reads.drain(..) {
            group.acquire(wave, run, read, operation, scoreboard);
        }
        if has_released && run.means.orders {
            let wave = group.wave(wave);
            if run.is_late
                && let Some(release) = operation
            {
                wave.former_own.add_own(release, clock, scoreboard);
            }
            wave.tick(run.layout);
        }
        Some(())
    }
}

/// Effect of a write on the release sequences at its locations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SequenceEffect {
    /// An atomic continues the sequences.
    Continue,
    /// A store ends the sequences.
    End,
}

/// Synchronization by a part of an access, except releases.
struct PartRoles {
    /// The part acquires the releases that it reads.
    acquires: bool,
    sequences: Option<SequenceEffect>,
}

impl PartRoles {
    fn new(
        part: &AccessPart,
        facts: &AccessFacts,
        run: &RaceDispatch,
        group: &GroupShadow,
    ) -> PartRoles {
        let may_acquire = run.means.acquires_from(part.memory);
        let has_sequences = || match part.memory {
            ShadowedMemory::Lds => !group.chains.is_empty(),
            ShadowedMemory::Global => !run.chains().is_empty(),
        };
        let sequences = match part.kind {
            AccessKind::Atomic => may_acquire.then_some(SequenceEffect::Continue),
            AccessKind::Store => (may_acquire && has_sequences()).then_some(SequenceEffect::End),
            AccessKind::Load
            | AccessKind::CoherentLoad
            | AccessKind::FailedSwap
            | AccessKind::SwapLoad => None,
        };
        PartRoles {
            acquires: facts.acquires && part.kind == facts.kind,
            sequences,
        }
    }
}

/// Continues or ends the release sequences at the accessed locations.
fn change_sequences(
    effect: SequenceEffect,
    run: &RaceDispatch,
    group: &mut GroupShadow,
    memory: ShadowedMemory,
    met: &Conflicts,
    now: PastAccess,
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
        match effect {
            SequenceEffect::End => {
                chains.remove(&at);
            }
            SequenceEffect::Continue => {
                let is_release = entry.releases_to_agent() || entry.releases_to_group();
                // A later release by the same agent includes the earlier one.
                let is_included = run.layout.same_agent(entry, now) && now.releases_as(entry);
                if is_release && !is_included {
                    chains.entry(at).or_default().add(run.layout, entry);
                }
            }
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
        // The last access may have faulted while it held pages.
        self.recent.release();
        self.groups.wave_ends(context.id());
    }

    /// Queues an LDS access if possible. Returns false if it must be checked now.
    fn overlooks(&mut self, context: &Context<'_>, access: &ShareAccess<'_>) -> bool {
        let Some(run) = &self.run else {
            return true;
        };
        let make = |step: &Step| AccessFacts::of(step, access.intent, context.pc, run);
        let facts = self.facts.of(access.step, make);
        if !facts.may_queue || run.layout.has_lanes() {
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
        self.recent.release();
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
        } else if inst.does() == Does::Cache(CacheOp::Invalidate) {
            group.invalidates_scalars(id.wave, &context.wave.scoreboard, &run);
        }
    }

    fn barrier_arrives(&mut self, context: &Context<'_>) {
        let id = context.id();
        if let Some(group) = self.groups.of(id.group) {
            let wave = group.wave(id.wave);
            wave.arrived_complete = wave.is_complete(&context.wave.scoreboard, None);
            if let Some(run) = &self.run {
                group.receive(id.wave, run, &context.wave.scoreboard);
            }
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
        self.recent.release();
        RUNS_WAVES.set(false);
    }
}
