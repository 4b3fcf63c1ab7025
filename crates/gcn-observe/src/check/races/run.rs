//! State that the threads of a dispatch share: the shadow of global memory, numbers of waves and instructions, and what waves have
//! known at their releases.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::observe::Dispatched;
use gcn_emu::wave::WaveId;
use gcn_isa::{Encoding, Inst};
use hashbrown::HashMap;

use super::access_log::AccessPlaces;
use super::clock::{History, Knowledge, OrderedClocks};
use super::entry::{AccessKind, EntryLayout, HOST, PastAccess, Release, UNKNOWN_SITE};
use super::global::GlobalShadow;
use super::synchronization::Synchronization;
use crate::finding::FindingLaunch;
use crate::lint::SwapLoads;

/// Instructions with numbers.
#[derive(Default)]
struct Sites {
    list: Vec<(u64, Inst)>,
    numbers: HashMap<u64, u16>,
}

/// A dispatch.
pub(super) struct RaceDispatch {
    /// Number.
    pub(super) id: u64,
    /// The kernel's symbol, where it is known.
    pub(super) kernel: Option<String>,
    /// Sizes and arguments.
    pub(super) launch: Arc<FindingLaunch>,
    pub(super) layout: EntryLayout,
    pub(super) global: GlobalShadow,
    /// Lanes of its accesses, and of those of other dispatches.
    pub(super) places: Arc<AccessPlaces>,
    /// Threads hold the pages that they write to: see [`Recent::hold`](super::global::Recent::hold).
    pub(super) holds_pages: bool,
    /// Workgroups in x and y.
    groups: [u64; 2],
    waves_per_group: u64,
    /// True if it begins with an acquire fence: its caches have nothing of what was there before.
    pub(super) acquires: bool,
    /// The dispatch has one wave.
    has_one_wave: bool,
    pub(super) means: Synchronization,
    /// Plain loads of its code that belong to compare-and-swaps.
    pub(super) swap_loads: Arc<SwapLoads>,
    sites: Mutex<Sites>,
    histories: Mutex<HashMap<u32, History>>,
    /// Releases that a later atomic has continued, by address.
    chains: Mutex<HashMap<u64, Vec<PastAccess>>>,
    /// Accesses of the host so far.
    host: AtomicU32,
    /// Another dispatch has been running at the same time.
    has_company: AtomicBool,
    /// Releases of waves to others by global wave synchronisation.
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
            // Operations that are late would keep the pages for too long.
            holds_pages: dispatched.device.config.threads > 1
                && dispatched.device.config.late.is_none(),
            groups: [x, y],
            waves_per_group: dispatch.waves_per_group(),
            acquires: dispatch.acquires,
            has_one_wave: [x, y, z, dispatch.waves_per_group()] == [1; 4],
            means,
            swap_loads,
            sites: Mutex::default(),
            histories: Mutex::default(),
            chains: Mutex::default(),
            host: AtomicU32::new(0),
            has_company: AtomicBool::new(false),
            gws: Mutex::default(),
        }
    }

    /// True if there is nobody to race with: one wave, no other dispatch at the same time or before an acquire fence, and a host that has accessed nothing while it runs. A kernel
    /// that may learn of the host's writes counts as if there were some.
    pub(super) fn is_alone(&self) -> bool {
        let is_of_waves = !self.layout.has_lanes();
        let may_be = is_of_waves && self.has_one_wave && self.acquires && !self.means.orders;
        may_be && self.host_clock() == 0 && !self.has_company.load(Relaxed)
    }

    /// Another dispatch runs at the same time.
    pub(super) fn meets_another(&self) {
        self.has_company.store(true, Relaxed);
    }

    /// Number of a workgroup's first wave; nothing if there are more than have numbers.
    pub(super) fn first_wave(&self, group: [u32; 3]) -> Option<u32> {
        let [x, y, z] = group.map(u64::from);
        let [across, down] = self.groups;
        let number = (z * down + y) * across + x;
        let first = number.checked_mul(self.waves_per_group)?;
        let last = first.checked_add(self.waves_per_group)?;
        (last <= u64::from(HOST)).then_some(first as u32)
    }

    /// The wave with a number; nothing for the host.
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

    /// The number of the instruction at an address.
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

    /// The instruction with a number.
    pub(super) fn instruction(&self, site: u16) -> Option<(u64, Inst)> {
        lock(&self.sites).list.get(usize::from(site)).copied()
    }

    /// True of an access by scalar memory, which is no lane's.
    pub(super) fn is_scalar(&self, entry: PastAccess) -> bool {
        let found = self.instruction(entry.site());
        found.is_some_and(|(_, inst)| matches!(inst.encoding, Encoding::Smrd | Encoding::Smem))
    }

    /// From a clock of a wave on it knows more.
    pub(super) fn learns(&self, wave: u32, clock: u32, knowledge: Knowledge) {
        let mut histories = lock(&self.histories);
        histories.entry(wave).or_default().push(clock, knowledge);
    }

    /// Adds a release to the clocks that are ordered before something. The knowledge of the wave that has released is returned if it is
    /// new.
    pub(super) fn add_released(
        &self,
        entry: PastAccess,
        to: &mut OrderedClocks,
    ) -> Option<Knowledge> {
        let (wave, clock) = (self.layout.wave(entry), self.layout.clock(entry));
        if !to.add(wave, clock) {
            return None;
        }
        lock(&self.histories).get(&wave)?.at(clock).cloned()
    }

    /// Releases that atomics at an address have continued.
    pub(super) fn chains(&self) -> MutexGuard<'_, HashMap<u64, Vec<PastAccess>>> {
        lock(&self.chains)
    }

    /// Releases of waves to others by global wave synchronisation.
    pub(super) fn gws(&self) -> MutexGuard<'_, OrderedClocks> {
        lock(&self.gws)
    }

    /// Accesses of the host so far.
    pub(super) fn host_clock(&self) -> u32 {
        self.host.load(Relaxed)
    }

    /// The host reads a range, or has written it. Calls a function with accesses that waves have made before in no order with that,
    /// and their addresses: one of each instruction.
    pub(super) fn host_accesses(
        &self,
        range: Range<u64>,
        kind: AccessKind,
        mut each: impl FnMut(u64, PastAccess),
    ) {
        let releases = match kind {
            // A wave that may learn from memory what the host has read may store there.
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

/// Adds a release to those that an atomic continues: of a wave the last one counts.
pub(super) fn continue_release(
    layout: EntryLayout,
    chain: &mut Vec<PastAccess>,
    entry: PastAccess,
) {
    let wave = layout.wave(entry);
    match chain.iter_mut().find(|it| layout.wave(**it) == wave) {
        Some(known) => {
            if layout.clock(*known) < layout.clock(entry) {
                *known = entry;
            }
        }
        None => chain.push(entry),
    }
}
