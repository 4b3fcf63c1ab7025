//! Data races: unordered accesses to the same byte, at least one of which is a write.
//!
//! # Model
//! Agents are waves (lanes with [`Check::Lanes`](crate::finding::Check::Lanes)) and the host, which may read and write
//! memory through the runtime while a kernel runs. The checker observes all accesses to LDS and global memory in all
//! workgroups, including scalar loads and LDS_DIRECT (`watch`). Each access has an agent, the agent's clock, a kind and
//! a code site (`access`). Each wave has a vector clock: for each other wave, the clock up to which its accesses happen
//! before the wave's own (`clock`, `releases`, `group`). The checker scans the kernel's code for the synchronization
//! that it can use (`synchronization`).
//!
//! One access happens before another
//! - through a barrier, within a workgroup;
//! - through a release and an acquire. A release is an atomic or a store issued after waits have completed the wave's
//!   earlier vector memory operations (vmcnt 0) or, for its own workgroup, LDS operations (lgkmcnt 0). An acquire is a
//!   returning atomic or a vector GLC load that reads from the release or from its release sequence of later atomics. Within a
//!   workgroup, this is sufficient. A wave of another workgroup must also wait for the value, which orders its stores,
//!   atomics and GLC loads, and then execute BUFFER_WBINVL1 to order other loads and S_DCACHE_INV to order scalar
//!   loads;
//! - through global wave synchronization (GWS): each GWS instruction releases and acquires, as above between
//!   workgroups, except that the invalidation may precede it if the wave loads nothing in between. The release is
//!   visible to all waves that synchronize later or are still waiting, whichever resource they use;
//! - through the acquire fence at the start of a dispatch; without one, its caches may hold stale values. Dispatches
//!   that run concurrently are unordered.
//!
//! Atomics do not race with each other, and GLC loads race with no other access. A plain store races with other stores,
//! and with atomics unless it follows waits for the wave's earlier writes. Two stores that follow such waits do not race if
//! the kernel can acquire, since they may be stores of flags. Two lanes of one instruction that store different values to
//! one address are always reported. Two racing stores of the same value cause a warning.
//!
//! A failed compare-and-swap is not a write: it does not race with loads, but races with stores like any atomic. The
//! same applies to a plain load that only feeds a compare-and-swap of the same address (`lint/swap_loads.rs`), since
//! compilers implement other atomics with such sequences.
//!
//! # Shadow
//! Each byte has a history of its last accesses (`cell`, `shadow`). A workgroup has a shadow of its LDS (`group`), and a
//! dispatch has a shadow of global memory (`global`, `run`). The shadows of concurrent dispatches are compared when
//! they end (`concurrent_dispatches`).
//!
//! # Fast paths
//! LDS accesses that cannot race with earlier ones are queued, and discarded at the next barrier (`lds_queue`). The
//! clocks of releases by other workgroups are computed only if an access may conflict or a wave invalidates its cache
//! (`clock`), so they cost little if waves share only counters. Lanes of one instruction are compared only if they may
//! overlap (`lanes`). If a dispatch has a single wave, its accesses are not compared.
//!
//! # Reports
//! Shadow entries do not contain lanes. A report looks up the lane of the earlier access in a log of recent accesses
//! (`access_log`, `report`).
//!
//! # Limits
//! The checker does not detect races that this execution happens to order; races with accesses to a byte before its last
//! write, or with more than two of the agents that have loaded it since; races in scratch and GDS; and races of a dispatch's
//! only wave before the host's first access or another dispatch's start, unless the kernel can observe host writes. If there
//! are several races at one byte, the execution order of the waves decides which of them are detected. Atomic loads and
//! relaxed atomic stores that compilers implement as plain ones count as plain, so those of workgroup scope are reported.
//!
//! Races between dispatches, or with the host, are not reported if memory operations may order the two. Two dispatches may be
//! ordered if the one that ends last can acquire, and may thereby learn that the other has ended; or if the other can acquire,
//! and the last one writes a location that the other acquires, or writes memory after waiting for its own stores. The host and
//! a wave may be ordered if the wave's kernel can acquire or writes in this way, except for host writes that precede the
//! wave's access. If the host starts a dispatch in response to a running one's writes, the checker misses this order.
//!
//! A running dispatch keeps the shadows of up to 64 dispatches that ended while it ran, up to 1 GiB in total. If there are
//! more, it is compared with the oldest of them before it ends.
//!
//! A dispatch's shadow of global memory may take 4 GiB; memory accessed after that is not watched. A shadow takes about
//! 32 bytes per 256 bytes accessed as a whole, twice the size of the memory if dwords are accessed separately, and
//! eight times its size if bytes are. Where several accesses may still race, this triples. Waves after the first 16 million
//! of a dispatch are not watched. Races of a wave within its dispatch are not reported once its clock, which counts
//! releases and barriers, has reached its maximum: four million, or 65 thousand if agents are lanes.

mod access;
mod releases;
mod clock;
mod cell;
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
    /// Creates a checker. Agents are lanes if `of_lanes`, and waves otherwise.
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
        // A compare-and-swap's result is known only after its execution, and pages are held until the access is complete.
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
