//! Shadows of the workgroups that a thread runs, and the clocks of their waves.

use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use gcn_emu::observe::ShareAccess;
use gcn_emu::scoreboard::{OperationId, OutstandingOperation, Scoreboard};
use gcn_emu::wave::WaveId;
use gcn_isa::uses::Order;
use hashbrown::HashMap;

use super::access::{AccessKind, EntryLayout, HOST, PastAccess, Release, ShadowedMemory};
use super::cell::{HappensBefore, PastCache};
use super::clock::{Former, FormerClocks, Knowledge, OrderedClocks, ReadReleases, ReceivedClocks};
use super::releases::{ReleaseSequence, Releases};
use super::run::RaceDispatch;
use super::shadow::LdsShadow;
use super::synchronization::LastSwapLoads;
use crate::waves;

/// A write that an acquire reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) memory: ShadowedMemory,
    pub(super) at: u64,
    pub(super) entry: PastAccess,
}

/// Releases by other workgroups that an operation of a wave has read.
#[derive(Debug)]
struct Pending {
    operation: Option<OperationId>,
    releases: ReadReleases,
}

/// Last acquiring read at an address: the write, the release sequence, and the reading operation.
#[derive(Debug, Default)]
struct LastRead {
    write: PastAccess,
    sequence: Releases,
    operation: Option<OperationId>,
}

/// Path of a memory access through the caches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CachePath {
    /// A load through the vector cache, which may return stale values until the cache is invalidated.
    Cache,
    /// A store, an atomic or a GLC load, all of which bypass the cache.
    PastCache,
    /// A load through the scalar cache.
    ScalarCache,
}

impl CachePath {
    pub(super) fn new(kind: AccessKind, is_scalar: bool) -> CachePath {
        match kind {
            // If the loaded value is stale, the swap fails, so no stale value is used.
            AccessKind::SwapLoad => CachePath::PastCache,
            _ if is_scalar => CachePath::ScalarCache,
            AccessKind::Load => CachePath::Cache,
            AccessKind::CoherentLoad
            | AccessKind::Store
            | AccessKind::Atomic
            | AccessKind::FailedSwap => CachePath::PastCache,
        }
    }
}

/// Accesses that happen before an access by a wave.
#[derive(Debug)]
pub(super) struct EarlierAccesses {
    known: Arc<OrderedClocks>,
    /// Further clocks, for accesses that bypass the cache.
    past_cache: ReceivedClocks,
    /// Clock of the last barrier that the access observes. It orders all accesses of the workgroup with lower clocks.
    since: u32,
}

/// Clocks of a wave.
#[derive(Debug)]
pub(super) struct WaveClocks {
    /// Incremented at each release and barrier.
    pub(super) clock: u32,
    /// Clocks of other waves. `past_cache` has the releases received since the last invalidation; the next one makes
    /// them known to cached loads.
    knowledge: Knowledge,
    /// Clocks that happen before scalar loads, and the clock of the last barrier that scalar loads observe.
    scalar: Arc<OrderedClocks>,
    scalar_since: u32,
    /// Clocks that happen before delayed vector and scalar loads.
    former: FormerClocks,
    former_scalar: FormerClocks,
    /// The wave's own clock before its releases since the last barrier.
    pub(super) former_own: Former<u32>,
    /// Releases that the wave has read, by operations that may be outstanding.
    pending: Vec<Pending>,
    last_reads: HashMap<u64, LastRead>,
    /// Invalidations of the vector cache that may be outstanding.
    invalidations: Vec<OperationId>,
    /// True if the wave has invalidated the vector cache and loaded nothing through it since.
    has_invalidated: bool,
    /// Lanes that have stored to LDS, executed a returning LDS atomic, or acquired since the last barrier. All or none if
    /// agents are waves.
    wrote_lds: u64,
    /// Lanes that have stored to global memory, executed a returning atomic on it, or acquired.
    wrote_global: u64,
    /// True if all vector memory operations were complete when the wave arrived at the last barrier.
    pub(super) arrived_complete: bool,
    has_ended: bool,
    /// Last loads that feed compare-and-swaps, if any have executed.
    pub(super) swap_loads: Option<LastSwapLoads>,
}

impl Default for WaveClocks {
    fn default() -> WaveClocks {
        WaveClocks {
            clock: 1,
            knowledge: Knowledge::default(),
            scalar: Arc::default(),
            scalar_since: 0,
            former: FormerClocks::default(),
            former_scalar: FormerClocks::default(),
            former_own: Former::default(),
            pending: Vec::new(),
            last_reads: HashMap::new(),
            invalidations: Vec::new(),
            has_invalidated: false,
            wrote_lds: 0,
            wrote_global: 0,
            arrived_complete: false,
            has_ended: false,
            swap_loads: None,
        }
    }
}

impl WaveClocks {
    /// Returns the release properties of a write by an operation of the wave, as established by waits. Later operations do
    /// not count; they may be outstanding if the write is delayed.
    pub(super) fn completed(
        &mut self,
        scoreboard: &Scoreboard,
        operation: Option<OperationId>,
    ) -> Release {
        let mut earlier = scoreboard
            .outstanding()
            .filter(|it| operation.is_none_or(|id| it.operation < id));
        Release {
            to_agent: self.is_complete(scoreboard, operation),
            to_group: scoreboard.counters().lgkm == 0 || earlier.all(|it| it.held.lgkm == 0),
            publishes: false,
        }
    }

    /// Lanes whose writes to `memory` may publish earlier operations.
    pub(super) fn publishers(&self, memory: ShadowedMemory) -> u64 {
        match memory {
            ShadowedMemory::Lds => self.wrote_lds,
            ShadowedMemory::Global => self.wrote_lds | self.wrote_global,
        }
    }

    /// Increments the clock, after a release.
    pub(super) fn tick(&mut self, layout: EntryLayout) {
        self.clock = self.clock.saturating_add(1).min(layout.last_clock());
    }

    /// Returns the clock of an operation, which precedes later releases even if it takes effect after them.
    pub(super) fn clock_of(&self, operation: Option<OperationId>) -> u32 {
        self.former_own.of(operation).unwrap_or(self.clock)
    }

    /// True if waits have completed all vector memory operations, or those before `end`. Cache invalidations do not count,
    /// since a fence issues them after its wait.
    pub(super) fn is_complete(
        &mut self,
        scoreboard: &Scoreboard,
        end: Option<OperationId>,
    ) -> bool {
        if scoreboard.counters().vm == 0 {
            self.invalidations.clear();
            return true;
        }
        let mut pending = scoreboard
            .outstanding()
            .filter(|it| it.held.vm != 0 && end.is_none_or(|end| it.operation < end));
        pending.all(|it| self.invalidations.contains(&it.operation))
    }

    /// Records that lanes store to `memory`, or execute a returning atomic on it.
    pub(super) fn writes(&mut self, memory: ShadowedMemory, lanes: u64) {
        match memory {
            ShadowedMemory::Lds => self.wrote_lds |= lanes,
            ShadowedMemory::Global => self.wrote_global |= lanes,
        }
    }

    /// Receives the releases whose reads are complete. `own` is the wave's number in the dispatch, and `group` has the numbers
    /// of its workgroup's waves.
    fn receive(
        &mut self,
        own: u32,
        group: &Range<u32>,
        scoreboard: &Scoreboard,
        run: &RaceDispatch,
    ) {
        if self.pending.is_empty() {
            return;
        }
        // FLAT instructions also hold lgkmcnt, but vmcnt alone determines when their global loads are complete.
        let is_late = |it: &OutstandingOperation| it.held.vm != 0 || it.held.order == Order::Scalar;
        let outstanding = scoreboard.outstanding().filter(is_late);
        let outstanding: Vec<OperationId> = outstanding.map(|it| it.operation).collect();
        let (late, here): (Vec<Pending>, Vec<Pending>) = take(&mut self.pending)
            .into_iter()
            .partition(|it| it.operation.is_some_and(|id| outstanding.contains(&id)));
        self.pending = late;
        if here.is_empty() {
            return;
        }
        let releases = here.into_iter().map(|it| it.releases).collect();
        self.knowledge.past_cache.receive(releases, group.clone());
        run.histories.learn(own, self.clock, self.knowledge.clone());
    }

    /// Makes received releases known to cached loads. Returns true if some clocks are new.
    fn acquire_arrived(&mut self, run: &RaceDispatch) -> bool {
        let arrived = take(&mut self.knowledge.past_cache).value(&run.histories);
        Arc::make_mut(&mut self.knowledge.known).join(&arrived)
    }

    /// Records that an operation reads a write and a sequence at an address. Returns true for each that must be received: if
    /// it differs from the last one read there, or if that read is still outstanding, since this one may complete first.
    fn note_read(
        &mut self,
        at: u64,
        (write, sequence): (PastAccess, &Releases),
        operation: Option<OperationId>,
    ) -> (bool, bool) {
        if self.last_reads.len() >= MANY_READ {
            self.last_reads.clear();
        }
        let last = self.last_reads.entry(at).or_default();
        let is_outstanding = last.operation != operation
            && self.pending.iter().any(|it| it.operation == last.operation);
        let must_receive = (
            is_outstanding || last.write != write,
            is_outstanding || !last.sequence.is_same(sequence),
        );
        *last = LastRead {
            write,
            sequence: sequence.clone(),
            operation,
        };
        must_receive
    }
}

/// Shadow of a workgroup.
#[derive(Debug)]
pub(super) struct GroupShadow {
    first: u32,
    count: u32,
    /// Clock of the last barrier.
    since: u32,
    waves: Vec<WaveClocks>,
    pub(super) share: LdsShadow,
    /// Release sequences continued by LDS atomics, by address.
    pub(super) chains: HashMap<u64, ReleaseSequence>,
    nothing: OrderedClocks,
}

/// Number of outstanding reads or invalidations above which completed ones are removed.
const MANY_PENDING: usize = 64;
/// Maximum number of addresses whose last reads a wave remembers.
const MANY_READ: usize = 4096;

impl GroupShadow {
    /// Returns wave `number` of the workgroup.
    pub(super) fn wave(&mut self, number: u32) -> &mut WaveClocks {
        let number = number as usize;
        if self.waves.len() <= number {
            self.waves.resize_with(number + 1, WaveClocks::default);
        }
        &mut self.waves[number]
    }

    /// Returns the number of the first wave in the dispatch.
    pub(super) fn first_wave(&self) -> u32 {
        self.first
    }

    /// True if the workgroup has a single wave.
    pub(super) fn is_alone(&self) -> bool {
        self.count == 1
    }

    /// Returns the numbers of the waves in the dispatch.
    pub(super) fn waves(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// Queues an LDS access by a wave, unless a nearby access or another lane of the instruction may conflict with it.
    /// Returns false if the access must be checked now.
    #[inline]
    pub(super) fn keep(
        &mut self,
        run: &RaceDispatch,
        number: u32,
        access: &ShareAccess<'_>,
        site: u16,
        kind: AccessKind,
    ) -> bool {
        // Lanes of a store may overlap.
        let is_apart = kind != AccessKind::Store || access.ascends();
        if self.is_alone() {
            return is_apart;
        }
        let clock = self.wave(number).clock;
        let now = run.layout.entry(self.first + number, 0, clock, site, kind);
        if self.share.is_full() {
            let view = HappensBefore {
                layout: run.layout,
                group: self.waves(),
                since: self.since,
                known: &self.nothing,
                past_cache: None,
                is_after_others: true,
                is_without_acquires: !run.means.acquires,
                has_flags: run.means.acquires_lds,
            };
            self.share.settle(&view);
        }
        self.share.keep(access, is_apart, now, number)
    }

    /// Returns the accesses that happen before an access by an operation of a wave.
    pub(super) fn order(
        &mut self,
        number: u32,
        path: CachePath,
        run: &RaceDispatch,
        operation: Option<OperationId>,
        scoreboard: &Scoreboard,
    ) -> EarlierAccesses {
        let (since, own, group) = (self.since, self.first + number, self.waves());
        let wave = self.wave(number);
        let (known, past_cache, since) = match path {
            CachePath::ScalarCache => {
                let former = wave.former_scalar.of(operation);
                let now = || (wave.scalar.clone(), wave.scalar_since);
                let (known, since) = former.unwrap_or_else(now);
                (known, ReceivedClocks::default(), since)
            }
            CachePath::Cache => {
                let former = wave.former.of(operation);
                wave.has_invalidated &= former.is_some();
                let now = || (wave.knowledge.known.clone(), since);
                let (known, since) = former.unwrap_or_else(now);
                (known, ReceivedClocks::default(), since)
            }
            CachePath::PastCache => {
                wave.receive(own, &group, scoreboard, run);
                let Knowledge { known, past_cache } = wave.knowledge.clone();
                (known, past_cache, since)
            }
        };
        EarlierAccesses {
            known,
            past_cache,
            since,
        }
    }

    /// Returns the happens-before order for an access to `memory` by a wave of the workgroup.
    pub(super) fn happens_before<'a>(
        &self,
        earlier: &'a EarlierAccesses,
        memory: ShadowedMemory,
        run: &'a RaceDispatch,
    ) -> HappensBefore<'a> {
        HappensBefore {
            layout: run.layout,
            group: self.waves(),
            since: earlier.since,
            known: &earlier.known,
            past_cache: (!earlier.past_cache.is_empty()).then_some(PastCache {
                clocks: &earlier.past_cache,
                histories: &run.histories,
            }),
            is_after_others: memory == ShadowedMemory::Lds,
            is_without_acquires: !run.means.acquires,
            has_flags: run.means.acquires_from(memory),
        }
    }

    /// Records that a wave reads a write, which may be a release.
    pub(super) fn acquire(
        &mut self,
        number: u32,
        run: &RaceDispatch,
        read: Read,
        operation: Option<OperationId>,
        scoreboard: &Scoreboard,
    ) {
        let (own, group) = (self.first + number, self.waves());
        let layout = run.layout;
        // Releases by the workgroup's waves, and the sequence if it has other releases.
        let (mut here, mut others) = (Vec::new(), Releases::default());
        let mut add = |sequence: &ReleaseSequence| {
            here.extend(sequence.of_waves(layout, &group));
            if sequence.has_others(layout, &group) {
                others = sequence.releases().clone();
            }
        };
        match read.memory {
            ShadowedMemory::Lds => self.chains.get(&read.at).into_iter().for_each(&mut add),
            ShadowedMemory::Global => run.chains().get(&read.at).into_iter().for_each(&mut add),
        }
        let wave = self.wave(number);
        let is_here = group.contains(&layout.wave(read.entry));
        here.extend(is_here.then_some(read.entry));
        for entry in here {
            let (from, clock) = (layout.wave(entry), layout.clock(entry));
            let releases = entry.releases_to_group() || entry.releases_to_agent();
            if from == own || !releases || wave.knowledge.known.has(from, clock) {
                continue;
            }
            let Knowledge { known, past_cache } = &mut wave.knowledge;
            let known = Arc::make_mut(known);
            known.add(from, clock);
            if let Some(released) = run.histories.at(from, clock) {
                known.join(&released.known);
                past_cache.join([&released.past_cache]);
            }
            wave.learned(own, run);
        }
        if !run.means.acquires || read.memory == ShadowedMemory::Lds {
            return;
        }
        let (from, clock) = (layout.wave(read.entry), layout.clock(read.entry));
        let (is_new_write, is_new_sequence) =
            wave.note_read(read.at, (read.entry, &others), operation);
        let receives = is_new_write && !is_here && read.entry.releases_to_agent();
        let write = receives && !wave.knowledge.known.has(from, clock);
        let write = write.then_some(ReadReleases::One(read.entry));
        let sequence = is_new_sequence && !others.is_empty();
        let sequence = sequence.then_some(ReadReleases::Sequence(others));
        for releases in sequence.into_iter().chain(write) {
            wave.pending.push(Pending {
                operation,
                releases,
            });
            if wave.pending.len() > MANY_PENDING {
                wave.receive(own, &group, scoreboard, run);
            }
        }
    }

    /// Receives the releases that a wave has read, if waits have completed the reads.
    pub(super) fn receive(&mut self, number: u32, run: &RaceDispatch, scoreboard: &Scoreboard) {
        let (own, group) = (self.first + number, self.waves());
        self.wave(number).receive(own, &group, scoreboard, run);
    }

    /// Releases the wave's knowledge, and its own operations if they are complete, to all waves that use GWS later.
    pub(super) fn gws_begins(&mut self, number: u32, run: &RaceDispatch, scoreboard: &Scoreboard) {
        let own = self.first + number;
        let wave = self.wave(number);
        let received = wave.knowledge.past_cache.value(&run.histories);
        let mut released = run.gws();
        released.join(&wave.knowledge.known);
        released.join(&received);
        if wave.is_complete(scoreboard, None) {
            released.add(own, wave.clock);
            wave.tick(run.layout);
        }
    }

    /// Acquires the releases that other waves have made through GWS. To synchronize grids, AMD's device library (5.2.3)
    /// invalidates the cache before GWS, which counts as after it if the wave has loaded nothing in between.
    pub(super) fn gws_ends(&mut self, number: u32, run: &RaceDispatch) {
        let own = self.first + number;
        let wave = self.wave(number);
        let released = ReceivedClocks::new(Arc::new(run.gws().clone()));
        wave.knowledge.past_cache.join([&released]);
        if wave.has_invalidated {
            wave.acquire_arrived(run);
            wave.learned(own, run);
        }
    }

    /// Handles an invalidation of a wave's vector cache, which acquires the releases received.
    pub(super) fn invalidates(
        &mut self,
        number: u32,
        run: &RaceDispatch,
        operation: Option<OperationId>,
        scoreboard: &Scoreboard,
    ) {
        let (since, own, group) = (self.since, self.first + number, self.waves());
        let wave = self.wave(number);
        if run.is_late {
            let clocks = (wave.knowledge.known.clone(), since);
            wave.former.add(scoreboard.next(), clocks, scoreboard);
        }
        if wave.invalidations.len() >= MANY_PENDING {
            let is_late = |id: &OperationId| scoreboard.outstanding().any(|it| it.operation == *id);
            wave.invalidations.retain(is_late);
        }
        wave.has_invalidated = true;
        wave.invalidations.extend(operation);
        wave.receive(own, &group, scoreboard, run);
        // The checker observes host writes after they are done, so a wave may have loaded one (such as a flag) before. All
        // host writes observed so far therefore count as released.
        let host = run.host_clock();
        let is_new = host > 0 && Arc::make_mut(&mut wave.knowledge.known).add(HOST, host);
        let has_arrived = !wave.knowledge.past_cache.is_empty() && wave.acquire_arrived(run);
        if is_new || has_arrived {
            wave.learned(own, run);
        }
    }

    /// Handles an invalidation of a wave's scalar cache.
    pub(super) fn invalidates_scalars(
        &mut self,
        number: u32,
        scoreboard: &Scoreboard,
        run: &RaceDispatch,
    ) {
        let (since, own, group) = (self.since, self.first + number, self.waves());
        let wave = self.wave(number);
        if run.is_late {
            let clocks = (wave.scalar.clone(), wave.scalar_since);
            wave.former_scalar
                .add(scoreboard.next(), clocks, scoreboard);
        }
        wave.receive(own, &group, scoreboard, run);
        let mut known = (*wave.knowledge.known).clone();
        known.join(&wave.knowledge.past_cache.value(&run.histories));
        wave.scalar = Arc::new(known);
        wave.scalar_since = since;
    }

    /// Orders the waves at a barrier, which all unfinished ones have reached.
    pub(super) fn barrier(&mut self, run: &RaceDispatch) {
        let clocks = self.waves.iter().map(|it| it.clock);
        let last = run.layout.last_clock();
        let since = clocks.max().unwrap_or(0).saturating_add(1).min(last);
        self.since = since;
        self.share.barrier();
        self.chains.clear();
        let first = self.first;
        if run.means.acquires {
            // An acquire by a wave serves all accesses of its workgroup after the barrier, since its waves share a cache.
            let mut known = OrderedClocks::default();
            for (number, wave) in (first..).zip(&self.waves) {
                known.join(&wave.knowledge.known);
                if wave.arrived_complete {
                    known.add(number, wave.clock);
                }
            }
            let mut past_cache = ReceivedClocks::default();
            past_cache.join(self.waves.iter().map(|it| &it.knowledge.past_cache));
            let all = Knowledge {
                known: Arc::new(known),
                past_cache,
            };
            for wave in &mut self.waves {
                wave.knowledge = all.clone();
            }
        }
        for (number, wave) in (first..).zip(&mut self.waves) {
            wave.clock = since;
            // Operations that take effect after the barrier, such as LDS accesses, are not ordered by it.
            wave.former_own.clear();
            wave.wrote_lds = 0;
            if run.means.acquires {
                run.histories.learn(number, since, wave.knowledge.clone());
            }
        }
    }
}

impl WaveClocks {
    /// Records new knowledge of the wave, which its next release publishes.
    fn learned(&mut self, own: u32, run: &RaceDispatch) {
        (self.wrote_lds, self.wrote_global) = (u64::MAX, u64::MAX);
        run.histories.learn(own, self.clock, self.knowledge.clone());
    }
}

/// Shadows of the workgroups that a thread has started but not finished.
#[derive(Debug, Default)]
pub(super) struct GroupShadows {
    groups: waves::Groups<GroupShadow>,
    /// LDS shadows of finished workgroups, kept for reuse.
    spare: Vec<LdsShadow>,
}

impl GroupShadows {
    /// Returns the shadow of a running workgroup.
    #[inline]
    pub(super) fn of(&mut self, id: [u32; 3]) -> Option<&mut GroupShadow> {
        self.groups.find(id)
    }

    /// Starts a workgroup, unless another of its waves has done so.
    pub(super) fn begin(&mut self, id: [u32; 3], first: u32, count: u32, lds: usize) {
        let spare = &mut self.spare;
        self.groups.get_or_make(id, || {
            let mut share = spare.pop().unwrap_or_default();
            share.barrier();
            share.resize(lds);
            GroupShadow {
                first,
                count,
                since: 0,
                waves: Vec::new(),
                share,
                chains: HashMap::new(),
                nothing: OrderedClocks::default(),
            }
        });
    }

    /// Records the end of a wave. The last one to end ends the workgroup.
    pub(super) fn wave_ends(&mut self, id: WaveId) {
        let Some(group) = self.of(id.group) else {
            return;
        };
        group.wave(id.wave).has_ended = true;
        let ended = group.waves.iter().filter(|it| it.has_ended).count();
        if ended == group.count as usize {
            let group = self.groups.remove(id.group);
            self.spare.extend(group.map(|group| group.share));
        }
    }
}
