//! State shared by the threads that run a dispatch: the shadow of global memory, the numbers of waves and instructions,
//! and the vector clocks that waves release.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::observe::Dispatched;
use gcn_emu::wave::WaveId;
use gcn_isa::{Encoding, Inst};
use hashbrown::HashMap;

use super::access::{AccessKind, EntryLayout, HOST, PastAccess, Release, UNKNOWN_SITE};
use super::access_log::AccessPlaces;
use super::clock::{Histories, OrderedClocks};
use super::global::GlobalShadow;
use super::releases::ReleaseSequence;
use super::synchronization::Synchronization;
use crate::finding::FindingLaunch;
use crate::lint::SwapLoads;

/// Instructions by site number, and their numbers by address.
#[derive(Default)]
struct Sites {
    list: Vec<(u64, Inst)>,
    numbers: HashMap<u64, u16>,
}

/// State of a dispatch.
pub(super) struct RaceDispatch {
    pub(super) id: u64,
    /// Symbol of the kernel, if known.
    pub(super) kernel: Option<String>,
    /// Sizes and arguments of the launch, for findings.
    pub(super) launch: Arc<FindingLaunch>,
    pub(super) layout: EntryLayout,
    pub(super) global: GlobalShadow,
    /// Logs of accesses by this dispatch and others.
    pub(super) places: Arc<AccessPlaces>,
    /// True if threads hold the pages that they are about to write; see [`Recent::hold`](super::global::Recent::hold).
    pub(super) holds_pages: bool,
    /// Numbers of workgroups in x and y.
    groups: [u64; 2],
    waves_per_group: u64,
    /// True if the dispatch begins with an acquire fence, so that its caches contain no stale values.
    pub(super) acquires: bool,
    /// True if memory operations may take effect late (`--late`).
    pub(super) is_late: bool,
    /// True if the dispatch has a single wave.
    has_one_wave: bool,
    pub(super) means: Synchronization,
    /// Plain loads that only feed compare-and-swaps.
    pub(super) swap_loads: Arc<SwapLoads>,
    sites: Mutex<Sites>,
    pub(super) histories: Histories,
    /// Release sequences continued by atomics, by address.
    chains: Mutex<HashMap<u64, ReleaseSequence>>,
    /// Clock of the host: the number of its accesses so far.
    host: AtomicU32,
    /// True if another dispatch has run concurrently.
    has_company: AtomicBool,
    /// Clocks released through GWS.
    gws: Mutex<OrderedClocks>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RaceDispatch {
    pub(super) fn new(
        dispatched: &Dispatched<'_>,
        layout: EntryLayout,
        means: Synchronization,
        swap_loads: Arc<SwapLoads>,
        places: Arc<AccessPlaces>,
    ) -> RaceDispatch {
        let dispatch = dispatched.dispatch;
        let [x, y, z] = dispatch.groups();
        RaceDispatch {
            id: dispatched.id,
            kernel: dispatch.kernel.clone(),
            launch: Arc::new(FindingLaunch::of(dispatched)),
            layout,
            global: GlobalShadow::default(),
            places,
            holds_pages: dispatched.device.config.threads > 1,
            groups: [x, y],
            waves_per_group: dispatch.waves_per_group(),
            acquires: dispatch.acquires,
            is_late: dispatched.device.config.late.is_some(),
            has_one_wave: [x, y, z, dispatch.waves_per_group()] == [1; 4],
            means,
            swap_loads,
            sites: Mutex::default(),
            histories: Histories::new(layout),
            chains: Mutex::default(),
            host: AtomicU32::new(0),
            has_company: AtomicBool::new(false),
            gws: Mutex::default(),
        }
    }

    /// True if no race is possible: agents are waves, the dispatch has one wave and begins with an acquire fence, no other
    /// dispatch has run concurrently, the host has not accessed memory so far, and the kernel cannot observe host writes.
    pub(super) fn is_alone(&self) -> bool {
        let is_of_waves = !self.layout.has_lanes();
        let may_be = is_of_waves && self.has_one_wave && self.acquires && !self.means.orders;
        may_be && self.host_clock() == 0 && !self.has_company.load(Relaxed)
    }

    pub(super) fn meets_another(&self) {
        self.has_company.store(true, Relaxed);
    }

    /// Returns the number of a workgroup's first wave; `None` if the wave numbers have run out.
    pub(super) fn first_wave(&self, group: [u32; 3]) -> Option<u32> {
        let [x, y, z] = group.map(u64::from);
        let [across, down] = self.groups;
        let number = (z * down + y) * across + x;
        let first = number.checked_mul(self.waves_per_group)?;
        let last = first.checked_add(self.waves_per_group)?;
        (last <= u64::from(HOST)).then_some(first as u32)
    }

    /// Returns the ID of wave `number`; `None` for the host.
    pub(super) fn wave(&self, number: u32) -> Option<WaveId> {
        if number == HOST {
            return None;
        }
        let number = u64::from(number);
        let [across, down] = self.groups;
        let group = number / self.waves_per_group;
        Some(WaveId {
            group: [
                (group % across) as u32,
                (group / across % down) as u32,
                (group / across / down) as u32,
            ],
            wave: (number % self.waves_per_group) as u32,
        })
    }

    /// Returns the site number of the instruction at an address, after assigning one if necessary.
    pub(super) fn site(&self, pc: u64, inst: &Inst) -> u16 {
        let mut sites = lock(&self.sites);
        if let Some(&number) = sites.numbers.get(&pc) {
            return number;
        }
        let number = sites.list.len() as u16;
        if number >= UNKNOWN_SITE {
            return UNKNOWN_SITE;
        }
        sites.list.push((pc, *inst));
        sites.numbers.insert(pc, number);
        number
    }

    pub(super) fn instruction(&self, site: u16) -> Option<(u64, Inst)> {
        lock(&self.sites).list.get(usize::from(site)).copied()
    }

    pub(super) fn is_scalar(&self, entry: PastAccess) -> bool {
        let found = self.instruction(entry.site());
        found.is_some_and(|(_, inst)| matches!(inst.encoding, Encoding::Smrd | Encoding::Smem))
    }

    /// Returns the lane of an access, if agents are lanes and the access is not scalar.
    pub(super) fn lane(&self, entry: PastAccess) -> Option<usize> {
        let lane = self.layout.lane(entry);
        lane.filter(|_| !self.is_scalar(entry))
    }

    pub(super) fn chains(&self) -> MutexGuard<'_, HashMap<u64, ReleaseSequence>> {
        lock(&self.chains)
    }

    pub(super) fn gws(&self) -> MutexGuard<'_, OrderedClocks> {
        lock(&self.gws)
    }

    pub(super) fn host_clock(&self) -> u32 {
        self.host.load(Relaxed)
    }

    /// Records that the host is reading a range or has written it. Calls `each` for one conflicting access per
    /// instruction and kind, with the address of the conflict.
    pub(super) fn host_accesses(
        &self,
        range: Range<u64>,
        kind: AccessKind,
        mut each: impl FnMut(u64, PastAccess),
    ) {
        let releases = match kind {
            // A wave may learn from memory that the host has read the range, and may then store to it.
            AccessKind::Load if self.means.orders => return,
            AccessKind::Store => Release {
                to_agent: true,
                to_group: true,
                publishes: true,
            },
            _ => Release::default(),
        };
        let clock = self.host.fetch_add(1, Relaxed).saturating_add(1);
        let entry = self.layout.entry(HOST, 0, clock, UNKNOWN_SITE, kind);
        let entry = entry.releasing(releases);
        let mut met: HashSet<(u16, AccessKind)> = HashSet::new();
        let is_ordered = self.means.may_order_host();
        self.global
            .host_accesses(range, self.layout, entry, is_ordered, |at, before| {
                if met.insert((before.site(), before.kind())) {
                    each(at, before);
                }
            });
    }
}
