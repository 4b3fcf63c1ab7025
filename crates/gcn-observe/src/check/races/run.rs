//! State that the threads of a dispatch share: the shadow of global memory, numbers of waves and instructions, and what waves have
//! known at their releases.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::observe::Dispatched;
use gcn_emu::wave::WaveId;
use gcn_isa::effect::AtomicOp;
use gcn_isa::{Does, Encoding, Inst};

use super::clock::{History, OrderedClocks};
use super::entry::{HOST, Kind, Layout, PastAccess, UNKNOWN_SITE};
use super::global::Global;
use crate::lint::Ahead;

/// Instructions with numbers.
#[derive(Default)]
struct Sites {
    list: Vec<(u64, Inst)>,
    numbers: HashMap<u64, u16>,
}

/// A dispatch.
pub(super) struct RaceDispatch {
    pub(super) layout: Layout,
    pub(super) global: Global,
    /// Workgroups in x and y.
    groups: [u64; 2],
    waves_per_group: u64,
    /// It has one wave.
    has_one_wave: bool,
    pub(super) means: Means,
    sites: Mutex<Sites>,
    histories: Mutex<HashMap<u32, History>>,
    /// Releases that a later atomic has continued, by address.
    chains: Mutex<HashMap<u64, Vec<PastAccess>>>,
    /// Writes of the host so far.
    host: AtomicU32,
    /// Releases of waves to others by global wave synchronisation.
    gws: Mutex<OrderedClocks>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory instructions with GLC, loads and returning atomics among them, as the first dword of each encoding: the bits that count,
/// and their value.
const COHERENT: [(u32, u32); 5] = [
    // FLAT, MUBUF, MTBUF, MIMG, and SMEM from GCN 1.2 on.
    (0xfc01_0000, 0xdc01_0000),
    (0xfc00_4000, 0xe000_4000),
    (0xfc00_4000, 0xe800_4000),
    (0xfc00_2000, 0xf000_2000),
    (0xfc01_0000, 0xc001_0000),
];

/// True if an instruction's first dword is that of one with GLC.
fn is_coherent(dword: u32) -> bool {
    COHERENT.iter().any(|(mask, value)| dword & mask == *value)
}

/// True if an instruction's first dword may be that of DS with GDS, to which GWS belongs.
fn may_be_of_gws(dword: u32) -> bool {
    // From GCN 1.2 on, and before.
    dword & 0xfc01_0000 == 0xd801_0000 || dword & 0xfc02_0000 == 0xd802_0000
}

/// Ways of a kernel's code to put waves in order, but for barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Means {
    /// It may read what another workgroup releases: else no wave relies on one.
    pub(super) acquires: bool,
    /// It may read what any wave releases, or see the host's writes.
    pub(super) orders: bool,
    /// It may have atomics: then it counts whether a store comes behind waits.
    pub(super) has_atomics: bool,
    /// It may compare and swap.
    pub(super) has_swaps: bool,
}

impl Means {
    /// Those of a dispatch's code. Where it is not known which instructions may be executed, a word that looks like one counts.
    pub(super) fn of(ahead: &Ahead, dispatched: &Dispatched<'_>) -> Means {
        let words = dispatched.code.words();
        ahead
            .instructions(dispatched, Means::of_all)
            .unwrap_or_else(|| Means {
                acquires: words.iter().any(|&it| is_coherent(it) || may_be_of_gws(it)),
                orders: true,
                has_atomics: true,
                has_swaps: true,
            })
    }

    /// Those of some instructions.
    fn of_all(instructions: &[(u64, Inst)]) -> Means {
        let any = |is_one: fn(&Inst) -> bool| instructions.iter().any(|(_, inst)| is_one(inst));
        let acquires =
            any(|inst| is_coherent(inst.words()[0]) || matches!(inst.does(), Does::Gws(_)));
        let returns = |inst: &Inst| inst.returns_old() || matches!(inst.does(), Does::Cache { .. });
        Means {
            acquires,
            orders: acquires || any(returns),
            has_atomics: any(|inst| inst.uses().memory().is_some_and(|it| it.atomic)),
            has_swaps: any(|inst| {
                matches!(
                    inst.does(),
                    Does::Atomic(AtomicOp::CompareSwap, _) | Does::Return(AtomicOp::CompareSwap, _)
                )
            }),
        }
    }

    /// True if the wait counters count.
    pub(super) fn needs_counters(self) -> bool {
        self.orders || self.has_atomics
    }
}

impl RaceDispatch {
    pub(super) fn new(dispatched: &Dispatched<'_>, layout: Layout, means: Means) -> RaceDispatch {
        let dispatch = dispatched.dispatch;
        let [x, y, z] = dispatch.groups();
        RaceDispatch {
            layout,
            global: Global::default(),
            groups: [x, y],
            waves_per_group: dispatch.waves_per_group(),
            has_one_wave: [x, y, z, dispatch.waves_per_group()] == [1; 4],
            means,
            sites: Mutex::default(),
            histories: Mutex::default(),
            chains: Mutex::default(),
            host: AtomicU32::new(0),
            gws: Mutex::default(),
        }
    }

    /// True if there is nobody to race with: one wave, and a host that has written nothing while it runs. A kernel that may learn of
    /// the host's writes counts as if there were some.
    pub(super) fn is_alone(&self) -> bool {
        let is_of_waves = !self.layout.has_lanes();
        is_of_waves && self.has_one_wave && !self.means.orders && self.host_clock() == 0
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
    pub(super) fn learns(&self, wave: u32, clock: u32, known: &Arc<OrderedClocks>) {
        let mut histories = lock(&self.histories);
        histories
            .entry(wave)
            .or_default()
            .push(clock, known.clone());
    }

    /// Adds what a release makes known, to the agent or to the workgroup.
    pub(super) fn add_released(&self, entry: PastAccess, to: &mut OrderedClocks) -> bool {
        let (wave, clock) = (self.layout.wave(entry), self.layout.clock(entry));
        if !to.add(wave, clock) {
            return false;
        }
        if let Some(known) = lock(&self.histories).get(&wave).and_then(|it| it.at(clock)) {
            to.join(known);
        }
        true
    }

    /// Releases that atomics at an address have continued.
    pub(super) fn chains(&self) -> MutexGuard<'_, HashMap<u64, Vec<PastAccess>>> {
        lock(&self.chains)
    }

    /// Releases of waves to others by global wave synchronisation.
    pub(super) fn gws(&self) -> MutexGuard<'_, OrderedClocks> {
        lock(&self.gws)
    }

    /// Writes of the host so far.
    pub(super) fn host_clock(&self) -> u32 {
        self.host.load(Relaxed)
    }

    /// The host writes a range.
    pub(super) fn host_writes(&self, range: std::ops::Range<u64>) {
        let clock = self.host.fetch_add(1, Relaxed).saturating_add(1);
        let entry = self
            .layout
            .entry(HOST, 0, clock, UNKNOWN_SITE, Kind::Store)
            .releasing(super::entry::Release {
                to_agent: true,
                to_group: true,
                publishes: true,
            });
        self.global.host_writes(range, self.layout, entry);
    }
}

/// Adds a release to those that an atomic continues: of a wave the last one counts.
pub(super) fn continue_release(layout: Layout, chain: &mut Vec<PastAccess>, entry: PastAccess) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coherent_instructions_are_told_by_their_first_dword() {
        for dword in [0xdc51_0000, 0xdd01_8000, 0xe030_5000, 0xe0c8_4000] {
            assert!(is_coherent(dword), "{dword:x}");
        }
        for dword in [0xe030_1000, 0xe0fc_0000, 0xbf81_0000, 0xdc50_8000] {
            assert!(!is_coherent(dword), "{dword:x}");
        }
    }
}
