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
//! A compare-and-swap that fails is no write: no race with loads, and with stores one as of any atomic. The same holds of a plain load
//! that only feeds a compare-and-swap of the same address (`lint/swap_loads.rs`): compilers make other atomics of both.
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
mod swap_loads;
mod run;
mod facts;
mod help;
mod report;
mod group;
mod beside;
mod watch;

use std::sync::Arc;

use gcn_emu::fault::Fault;
use gcn_emu::observe::{
    Dispatched, Events, MemoryChange, MemoryChangeKind, Observer, WaveObserver,
};
use gcn_emu::run::Stats;

use crate::finding::Findings;
use crate::lint::Ahead;

use beside::Runs;
use entry::EntryLayout;
use means::Means;
use places::AccessPlaces;
use report::report_host;
use run::RaceDispatch;
use watch::{RaceWatch, runs_waves};

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
        // What a compare-and-swap has written is known behind it alone, and pages are held until then.
        let accessed = (run.means.has_swaps || run.holds_pages, Events::ACCESSED);
        let mut wants = self.wants();
        for (needs, events) in [counters, accessed] {
            if !needs {
                wants = wants.without(events);
            }
        }
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
        let means = Means::of(&self.ahead, dispatch);
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
            MemoryChangeKind::Written => entry::AccessKind::Store,
            MemoryChangeKind::Read | MemoryChangeKind::ReadAsResults => entry::AccessKind::Load,
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
