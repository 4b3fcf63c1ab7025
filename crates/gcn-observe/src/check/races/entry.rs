//! Encoding of accesses in the shadow memory, 64 bits each.

/// Fields of an entry, from the lowest bit: flags, site, clock, agent.
const FLAG_BITS: u32 = 5;
const SITE_BITS: u32 = 13;
/// Bits for a wave number.
const WAVE_BITS: u32 = 24;
/// Bits for a lane number, if agents are lanes.
const LANE_BITS: u32 = 6;

/// Wave number that stands for the host.
pub(super) const HOST: u32 = (1 << WAVE_BITS) - 1;

/// Site number shared by all instructions after the numbers have run out.
pub(super) const UNKNOWN_SITE: u16 = (1 << SITE_BITS) - 1;

/// Kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum AccessKind {
    /// A load.
    Load,
    /// A load with GLC, which sees stores of other compute units.
    CoherentLoad,
    /// A store.
    Store,
    /// A read-modify-write.
    Atomic,
    /// A failed compare-and-swap: an atomic that writes nothing.
    FailedSwap,
    /// A plain load that only feeds a compare-and-swap, which detects a stale value.
    SwapLoad,
}

impl AccessKind {
    /// Mask for the kind.
    const MASK: u64 = 3;

    fn of(bits: u64) -> AccessKind {
        match bits & AccessKind::MASK {
            0 => AccessKind::Load,
            1 if bits & Release::PUBLISHES != 0 => AccessKind::FailedSwap,
            1 if bits & Release::GROUP != 0 => AccessKind::SwapLoad,
            1 => AccessKind::CoherentLoad,
            2 => AccessKind::Store,
            _ => AccessKind::Atomic,
        }
    }

    /// Encoding of the kind. Accesses that do not write publish nothing.
    fn bits(self) -> u64 {
        match self {
            AccessKind::Load => 0,
            AccessKind::CoherentLoad => 1,
            AccessKind::Store => 2,
            AccessKind::Atomic => 3,
            AccessKind::FailedSwap => 1 | Release::PUBLISHES,
            AccessKind::SwapLoad => 1 | Release::GROUP,
        }
    }

    /// True if the access writes memory.
    pub(super) fn writes(self) -> bool {
        matches!(self, AccessKind::Store | AccessKind::Atomic)
    }

    /// True if the access reads only for a compare-and-swap, and does not write.
    pub(super) fn is_read_for_swap(self) -> bool {
        matches!(self, AccessKind::FailedSwap | AccessKind::SwapLoad)
    }

    /// Noun for an instruction of this kind.
    pub(super) fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::CoherentLoad => "GLC load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
            AccessKind::FailedSwap => "compare-and-swap that fails",
            AccessKind::SwapLoad => "load for a compare-and-swap",
        }
    }
}

/// Release properties of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Release {
    /// All earlier vector memory operations of the wave were complete: a release to the agent.
    pub(super) to_agent: bool,
    /// All earlier LDS operations were complete: a release to the workgroup.
    pub(super) to_group: bool,
    /// The wave had written or acquired something that the store may publish.
    pub(super) publishes: bool,
}

impl Release {
    const AGENT: u64 = 1 << 2;
    const GROUP: u64 = 1 << 3;
    const PUBLISHES: u64 = 1 << 4;

    fn bits(self) -> u64 {
        let bit = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
        bit(self.to_agent, Self::AGENT)
            | bit(self.to_group, Self::GROUP)
            | bit(self.publishes, Self::PUBLISHES)
    }
}

/// A past access: agent, clock, instruction and kind. 0 is no access; clocks start at 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct PastAccess(u64);

impl PastAccess {
    /// No access.
    pub(super) const NONE: PastAccess = PastAccess(0);

    pub(super) fn is_none(self) -> bool {
        self == PastAccess::NONE
    }

    pub(super) fn kind(self) -> AccessKind {
        AccessKind::of(self.0)
    }

    /// Sets the release properties.
    pub(super) fn releasing(self, release: Release) -> PastAccess {
        PastAccess(self.0 | release.bits())
    }

    /// Clears the release properties.
    pub(super) fn without_release(self) -> PastAccess {
        if !self.kind().writes() {
            return self;
        }
        PastAccess(self.0 & !(Release::AGENT | Release::GROUP | Release::PUBLISHES))
    }

    pub(super) fn releases_to_agent(self) -> bool {
        self.0 & Release::AGENT != 0
    }

    pub(super) fn releases_to_group(self) -> bool {
        self.0 & Release::GROUP != 0 && self.kind().writes()
    }

    /// True for a store that follows waits for the wave's earlier writes, and may be a store-release.
    pub(super) fn may_publish(self) -> bool {
        let is_complete = self.releases_to_agent() || self.releases_to_group();
        is_complete && self.0 & Release::PUBLISHES != 0
    }

    /// Site number of the instruction.
    pub(super) fn site(self) -> u16 {
        (self.0 >> FLAG_BITS) as u16 & UNKNOWN_SITE
    }
}

/// Layout of clock and agent in an entry; lane numbers take bits from the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EntryLayout {
    lane_bits: u32,
}

const CLOCK_SHIFT: u32 = FLAG_BITS + SITE_BITS;

impl EntryLayout {
    /// Creates the layout for waves or lanes as agents.
    pub(super) fn new(lanes: bool) -> EntryLayout {
        EntryLayout {
            lane_bits: if lanes { LANE_BITS } else { 0 },
        }
    }

    /// True if agents are lanes.
    pub(super) fn has_lanes(self) -> bool {
        self.lane_bits != 0
    }

    fn agent_shift(self) -> u32 {
        u64::BITS - WAVE_BITS - self.lane_bits
    }

    /// Largest clock: accesses at this clock have no known order.
    pub(super) fn last_clock(self) -> u32 {
        (1 << (self.agent_shift() - CLOCK_SHIFT)) - 1
    }

    /// Encodes an entry. `lane` is ignored unless agents are lanes.
    pub(super) fn entry(
        self,
        wave: u32,
        lane: usize,
        clock: u32,
        site: u16,
        kind: AccessKind,
    ) -> PastAccess {
        let agent =
            u64::from(wave) << self.lane_bits | if self.has_lanes() { lane as u64 } else { 0 };
        PastAccess(
            agent << self.agent_shift()
                | u64::from(clock.min(self.last_clock())) << CLOCK_SHIFT
                | u64::from(site) << FLAG_BITS
                | kind.bits(),
        )
    }

    pub(super) fn clock(self, entry: PastAccess) -> u32 {
        (entry.0 >> CLOCK_SHIFT) as u32 & self.last_clock()
    }

    pub(super) fn wave(self, entry: PastAccess) -> u32 {
        (entry.0 >> (u64::BITS - WAVE_BITS)) as u32
    }

    /// The lane, if agents are lanes.
    pub(super) fn lane(self, entry: PastAccess) -> Option<usize> {
        let lane = entry.0 >> self.agent_shift() & ((1 << self.lane_bits) - 1);
        self.has_lanes().then_some(lane as usize)
    }

    /// True if two accesses are by the same agent.
    #[inline]
    pub(super) fn same_agent(self, a: PastAccess, b: PastAccess) -> bool {
        (a.0 ^ b.0) >> self.agent_shift() == 0
    }
}

/// True if two unordered accesses of the same location by different agents are a race.
pub(super) fn clashes(before: PastAccess, now: PastAccess) -> bool {
    use AccessKind::{Atomic, CoherentLoad, FailedSwap, Load, Store, SwapLoad};
    match (before.kind(), now.kind()) {
        (
            Load | CoherentLoad | FailedSwap | SwapLoad,
            Load | CoherentLoad | FailedSwap | SwapLoad,
        ) => false,
        // An atomic load and a write: stores of flags look like all others.
        (CoherentLoad, Store | Atomic) | (Store | Atomic, CoherentLoad) => false,
        (Atomic | FailedSwap | SwapLoad, Atomic) | (Atomic, FailedSwap | SwapLoad) => false,
        (Store, Atomic | FailedSwap | SwapLoad) => !before.may_publish(),
        (Atomic | FailedSwap | SwapLoad, Store) => !now.may_publish(),
        (Load, Store | Atomic) | (Store | Atomic, Load) | (Store, Store) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_keeps_its_parts() {
        for lanes in [false, true] {
            let layout = EntryLayout::new(lanes);
            let kinds = [
                AccessKind::Load,
                AccessKind::CoherentLoad,
                AccessKind::Store,
                AccessKind::Atomic,
                AccessKind::FailedSwap,
                AccessKind::SwapLoad,
            ];
            for kind in kinds {
                let entry = layout.entry(HOST - 1, 63, 77, 4097, kind);
                assert_eq!(layout.wave(entry), HOST - 1);
                assert_eq!(layout.lane(entry), lanes.then_some(63));
                assert_eq!(layout.clock(entry), 77);
                assert_eq!((entry.site(), entry.kind()), (4097, kind));
                assert!(
                    !entry.releases_to_agent()
                        && !entry.releases_to_group()
                        && !entry.may_publish()
                );
                let other_lane = layout.entry(HOST - 1, 62, 78, 4097, kind);
                assert_eq!(layout.same_agent(entry, other_lane), !lanes);
                let late = layout.entry(1, 0, u32::MAX, 0, kind);
                assert_eq!(layout.clock(late), layout.last_clock());
            }
        }
    }

    #[test]
    fn stores_that_follow_waits_may_meet_atomics() {
        let layout = EntryLayout::new(false);
        let of = |wave, kind| layout.entry(wave, 0, 1, 0, kind);
        let atomic = of(1, AccessKind::Atomic);
        let store = of(2, AccessKind::Store);
        let released = store.releasing(Release {
            to_agent: true,
            to_group: false,
            publishes: true,
        });
        assert!(clashes(atomic, store) && clashes(store, atomic));
        assert!(!clashes(atomic, released) && !clashes(released, atomic));
        assert!(!clashes(store, of(1, AccessKind::CoherentLoad)));
        assert!(clashes(released, of(1, AccessKind::Load)));
        assert!(!clashes(of(1, AccessKind::Load), of(2, AccessKind::Load)));
        let swap = of(1, AccessKind::FailedSwap);
        assert_eq!(
            (released.without_release(), swap.without_release()),
            (store, swap)
        );
        // A swap that fails, and a load that belongs to one, read as an atomic does and write nothing.
        for read in [AccessKind::FailedSwap, AccessKind::SwapLoad].map(|kind| of(1, kind)) {
            assert!(clashes(read, store) && clashes(store, read));
            assert!(!clashes(read, released) && !clashes(released, read));
            let [load, atomic] = [AccessKind::Load, AccessKind::Atomic].map(|kind| of(2, kind));
            assert!(!clashes(read, load) && !clashes(read, atomic) && !clashes(atomic, read));
        }
    }
}
