//! Data races: unordered accesses to the same byte, at least one of which is a write.
//!
//! # Model
//! Agents are waves, or lanes with [`Check::Lanes`](crate::finding::Check::Lanes), and the host, for reads and writes
//! through the runtime while a kernel runs. The checker observes every access to LDS and global memory, including
//! scalar loads and LDS_DIRECT, in all workgroups (`watch`). An access has an agent, the agent's clock, a kind and a
//! site in the code (`access`). An agent knows the clocks up to which other agents' accesses happen before its own
//! (`clock`, and per workgroup `group`); what a kernel can synchronize with is found in its code (`synchronization`).
//!
//! One access happens before another
//! - by a barrier, within a workgroup;
//! - by a release and an acquire. A release is an atomic or a store issued when waits have completed the wave's
//!   earlier operations: vector memory (vmcnt 0) for other workgroups, LDS (lgkmcnt 0) within its own. An acquire is
//!   a returning atomic or a GLC load that reads from the release or from its release sequence of later atomics.
//!   Within a workgroup that is sufficient. A wave of another workgroup must also wait for the value, which orders
//!   its stores, atomics and GLC loads, and then execute BUFFER_WBINVL1 for other loads and S_DCACHE_INV for scalar
//!   ones;
//! - by global wave synchronisation: each of its instructions releases and acquires, as above for another workgroup,
//!   except that the invalidation may precede it if the wave loads nothing in between. A release there is visible to
//!   all waves that synchronise later or still wait, whichever resource they use;
//! - by the acquire fence at the start of a dispatch; without one, its caches may hold stale values. A dispatch that
//!   begins before another has ended is unordered with it.
//!
//! Atomics, GLC loads and stores to one location do not race with each other, except a plain store with an atomic:
//! the store counts as atomic only if it follows waits for the wave's earlier writes. Two lanes of one instruction
//! that store different values to one address are always reported. Two stores of equal values are a warning.
//!
//! A failed compare-and-swap is not a write: it does not race with loads, and races with stores as any atomic does.
//! This also applies to a plain load that only feeds a compare-and-swap of the same address (`lint/swap_loads.rs`), from which
//! compilers build other atomics.
//!
//! # Shadow
//! Each byte has a history of its last accesses (`shadow`): those of LDS are a workgroup's (`group`), those of global
//! memory a dispatch's (`global`, `run`). The shadows of concurrent dispatches are compared when they end
//! (`concurrent_dispatches`).
//!
//! # Fast paths
//! LDS accesses that no other wave can race with are queued, and the next barrier discards them (`lds_queue`). Lanes of
//! one instruction are compared only if they may overlap (`lanes`). A dispatch's only wave is compared with nothing.
//!
//! # Reports
//! A shadow entry has no lanes: a log of recent accesses gives a report the lane of the earlier access (`access_log`,
//! `report`).
//!
//! # Limits
//! Known limits: races hidden because this execution happens to order them; atomic loads and relaxed atomic stores
//! compiled to plain ones (they count as plain, which reports those of workgroup scope); more than two agents that
//! have loaded a byte since its last write; scratch and GDS; accesses of a dispatch's only wave before the host's
//! first access or another dispatch's start, unless the kernel can observe the host's writes.
//!
//! Nothing is reported where memory may order agents that share no shadow. Two dispatches: the one that ends last can
//! acquire, and may thereby learn that the other has ended; or the other can acquire, and the last one writes what it
//! acquires or writes memory after waiting for its stores. The host and a wave: the wave's kernel can acquire or
//! writes in this way, except for host writes before the wave's access. An order that the host establishes by
//! starting a dispatch in response to a running one's writes is not observed.
//!
//! A dispatch is compared with up to 64 dispatches that ended while it ran, whose shadows take at most 1 GiB; if
//! there are more, it is compared with the oldest before its own end.
//!
//! At most 4 GiB of shadow are used; memory beyond is not watched. A shadow takes about 24 bytes per 256 bytes
//! accessed as a whole, six times the memory if dwords are separate, and 24 times if bytes are. Waves after the first
//! 16 million of a dispatch are not watched; a wave that has released more than four million times is unordered with
//! everything and no longer reported.

mod access;
mod clock;
mod lds_queue;
mod shadow;
mod global;
mod lanes;
mod access_log;
mod synchronization;
mod run;
mod facts;
mod report;
mod group;
mod concurrent_dispatches;
mod watch;

use std::sync::Arc;

use gcn_emu::fault::Fault;
use gcn_emu::observe::{
    Dispatched, Events, MemoryChange, MemoryChangeKind, Observer, WaveObserver,
};
use gcn_emu::run::Stats;

use crate::finding::Findings;
use crate::lint::Ahead;

use access::{AccessKind, EntryLayout};
use access_log::AccessPlaces;
use concurrent_dispatches::Runs;
use report::report_host;
use run::RaceDispatch;
use synchronization::Synchronization;
use watch::{RaceWatch, runs_waves};

/// The race checker.
pub(super) struct Races {
    findings: Arc<Findings>,
    ahead: Arc<Ahead>,
    layout: EntryLayout,
    runs: Arc<Runs>,
    places: Arc<AccessPlaces>,
}

impl Races {
    /// Creates a checker with waves or lanes as agents.
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
        let mut wants = self.wants();
        wants.set(Events::COUNTERS, run.means.needs_counters());
        // What a compare-and-swap has written is known behind it alone, and pages are held until then.
        let needs_accessed = run.means.has_swaps || run.holds_pages;
        wants.set(Events::ACCESSED, needs_accessed);
        wants
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(RaceWatch::new(
            self.findings.clone(),
            self.runs.clone(),
            self.layout,
            self.places.of_thread(),
        )))
    }

    fn dispatch_begins(&self, dispatch: &Dispatched<'_>) {
        let means = Synchronization::of(&self.ahead, dispatch);
        let swap_loads = match means.has_swaps {
            true => self.ahead.swap_loads(dispatch),
            false => Arc::default(),
        };
        self.runs.begin(RaceDispatch::new(
            dispatch,
            self.layout,
            means,
            swap_loads,
            self.places.clone(),
        ));
    }

    fn dispatch_ends(&self, dispatch: &Dispatched<'_>, _: &Stats, _: Option<&Fault>) {
        self.runs.end(dispatch.id, &self.findings);
    }

    fn memory_changes(&self, change: &MemoryChange<'_>) {
        let kind = match change.kind {
            MemoryChangeKind::Written => AccessKind::Store,
            MemoryChangeKind::Read | MemoryChangeKind::ReadAsResults => AccessKind::Load,
            MemoryChangeKind::Allocated | MemoryChangeKind::Freed | MemoryChangeKind::Undefined => {
                return;
            }
        };
        if runs_waves() {
            return;
        }
        for run in self.runs.all() {
            run.host_accesses(change.range.clone(), kind, |at, before| {
                report_host(&self.findings, &run, at, before, kind);
            });
        }
    }
}
