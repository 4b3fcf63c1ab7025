//! Shadow entries, which describe past accesses, and extents, the byte ranges that an access covers.

use std::ops::Range;

use gcn_emu::fault::Intent;
use gcn_emu::observe::{Access, Shape, Span};
use gcn_isa::Does;

use crate::filter::lanes;
use crate::finding::FindingAddress;

/// Sizes in bits of the fields of a shadow entry. From the lowest bit, these are flags, site, clock and agent.
const FLAG_BITS: u32 = 5;
const SITE_BITS: u32 = 13;
/// An agent is a wave number and, if agents are lanes, a lane number.
const WAVE_BITS: u32 = 24;
const LANE_BITS: u32 = 6;

/// Wave number of the host.
pub(super) const HOST: u32 = (1 << WAVE_BITS) - 1;

/// Site number of host accesses, and of all further instructions once the numbers have run out.
pub(super) const UNKNOWN_SITE: u16 = (1 << SITE_BITS) - 1;

/// Kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum AccessKind {
    /// A load without GLC.
    Load,
    /// A load with GLC, which sees stores by other compute units.
    CoherentLoad,
    Store,
    /// A read-modify-write.
    Atomic,
    /// A failed compare-and-swap: an atomic that writes nothing.
    FailedSwap,
    /// A plain load that only feeds a compare-and-swap, which detects a stale value.
    SwapLoad,
}

impl AccessKind {
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

    /// Encodes the kind. Accesses that do not write never release, so some of their kinds use release bits.
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

    pub(super) fn writes(self) -> bool {
        matches!(self, AccessKind::Store | AccessKind::Atomic)
    }

    /// True for accesses of compare-and-swap sequences that only read.
    pub(super) fn is_read_for_swap(self) -> bool {
        matches!(self, AccessKind::FailedSwap | AccessKind::SwapLoad)
    }

    /// Noun used in messages.
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
    /// All earlier vector memory operations of the wave were complete: a release at agent (device) scope.
    pub(super) to_agent: bool,
    /// All its earlier LDS operations were complete: a release at workgroup scope.
    pub(super) to_group: bool,
    /// The wave had written or acquired something that this write may publish.
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

/// Shadow entry of an access: agent, clock, site, kind and release properties. 0 means none, since clocks start at 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct PastAccess(u64);

impl PastAccess {
    pub(super) const NONE: PastAccess = PastAccess(0);

    pub(super) fn is_none(self) -> bool {
        self == PastAccess::NONE
    }

    pub(super) fn kind(self) -> AccessKind {
        AccessKind::of(self.0)
    }

    /// Adds release properties.
    pub(super) fn releasing(self, release: Release) -> PastAccess {
        PastAccess(self.0 | release.bits())
    }

    /// Removes the release properties.
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

    /// True if the write releases at each scope at which `other` releases.
    pub(super) fn releases_as(self, other: PastAccess) -> bool {
        (self.releases_to_agent() || !other.releases_to_agent())
            && (self.releases_to_group() || !other.releases_to_group())
    }

    /// True for a write that follows waits for the wave's earlier writes, so it may publish them.
    pub(super) fn may_publish(self) -> bool {
        let is_complete = self.releases_to_agent() || self.releases_to_group();
        is_complete && self.0 & Release::PUBLISHES != 0
    }

    pub(super) fn site(self) -> u16 {
        (self.0 >> FLAG_BITS) as u16 & UNKNOWN_SITE
    }
}

/// Layout of clocks and agents in shadow entries. Lane numbers take bits from clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EntryLayout {
    lane_bits: u32,
}

const CLOCK_SHIFT: u32 = FLAG_BITS + SITE_BITS;

impl EntryLayout {
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

    /// Largest clock, at which clocks saturate. Accesses at this clock have no known order.
    pub(super) fn last_clock(self) -> u32 {
        (1 << (self.agent_shift() - CLOCK_SHIFT)) - 1
    }

    /// Creates a shadow entry. `lane` is ignored unless agents are lanes.
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

    /// Returns the lane of an access, if agents are lanes.
    pub(super) fn lane(self, entry: PastAccess) -> Option<usize> {
        let lane = entry.0 >> self.agent_shift() & ((1 << self.lane_bits) - 1);
        self.has_lanes().then_some(lane as usize)
    }

    #[inline]
    pub(super) fn same_agent(self, a: PastAccess, b: PastAccess) -> bool {
        (a.0 ^ b.0) >> self.agent_shift() == 0
    }
}

/// True if two accesses by different agents to the same location race, provided that they are unordered.
pub(super) fn clashes(before: PastAccess, now: PastAccess) -> bool {
    use AccessKind::{Atomic, CoherentLoad, FailedSwap, Load, Store, SwapLoad};
    match (before.kind(), now.kind()) {
        (
            Load | CoherentLoad | FailedSwap | SwapLoad,
            Load | CoherentLoad | FailedSwap | SwapLoad,
        ) => false,
        // The GLC load may be an atomic load of a flag, whose store looks like any other store.
        (CoherentLoad, Store | Atomic) | (Store | Atomic, CoherentLoad) => false,
        (Atomic | FailedSwap | SwapLoad, Atomic) | (Atomic, FailedSwap | SwapLoad) => false,
        (Store, Atomic | FailedSwap | SwapLoad) => !before.may_publish(),
        (Atomic | FailedSwap | SwapLoad, Store) => !now.may_publish(),
        (Load, Store | Atomic) | (Store | Atomic, Load) | (Store, Store) => true,
    }
}

pub(super) const DWORD: u64 = 4;

/// Kind of memory with a shadow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShadowedMemory {
    Global,
    Lds,
}

impl ShadowedMemory {
    /// Name used in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            ShadowedMemory::Global => "global memory",
            ShadowedMemory::Lds => "LDS",
        }
    }

    /// Returns the address of a byte, as shown in findings.
    pub(super) fn byte(self, at: u64) -> FindingAddress {
        match self {
            ShadowedMemory::Global => FindingAddress::global(at),
            ShadowedMemory::Lds => FindingAddress::lds(at),
        }
    }
}

/// Part of an instruction's access: bytes of one memory, all accessed in the same way.
#[derive(Debug)]
pub(super) struct AccessPart {
    pub(super) memory: ShadowedMemory,
    pub(super) kind: AccessKind,
    pub(super) extents: Vec<Span>,
    /// True only if no byte is accessed twice. May also be false if addresses do not ascend.
    pub(super) is_apart: bool,
    /// Scratch buffer, reused to avoid allocation.
    sorted: Vec<u64>,
}

/// Parts of an access. Reused between instructions to avoid allocation.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: Vec<AccessPart>,
    used: usize,
    /// True if adjacent lanes are not merged.
    keeps_lanes: bool,
}

impl Parts {
    pub(super) fn new(keeps_lanes: bool) -> Parts {
        Parts {
            keeps_lanes,
            ..Parts::default()
        }
    }

    /// Returns the parts of the most recent access.
    pub(super) fn iter(&self) -> impl Iterator<Item = &AccessPart> {
        self.parts[..self.used].iter()
    }

    /// Adds an empty part, reusing a previous one's allocations.
    fn part(&mut self, memory: ShadowedMemory, kind: AccessKind) -> &mut AccessPart {
        if self.used == self.parts.len() {
            self.parts.push(AccessPart {
                memory,
                kind,
                extents: Vec::new(),
                is_apart: true,
                sorted: Vec::new(),
            });
        }
        let part = &mut self.parts[self.used];
        (part.memory, part.kind, part.is_apart) = (memory, kind, true);
        part.extents.clear();
        self.used += 1;
        part
    }

    /// Determines the part of a global access with a regular shape, for the lanes in `of`. Addresses in `scratch` are
    /// omitted, since agents do not share them.
    pub(super) fn shaped(&mut self, shape: &Shape, of: u64, kind: AccessKind, scratch: Range<u64>) {
        self.used = 0;
        let part = self.part(ShadowedMemory::Global, kind);
        let lane = of.trailing_zeros() as usize;
        let bytes = match shape {
            Shape::Row(bytes) => bytes,
            Shape::Uniform(bytes) => {
                part.is_apart = of.count_ones() <= 1;
                bytes
            }
        };
        part.extents.push(Span {
            lane,
            bytes: bytes.clone(),
        });
        part.leave_out(&scratch);
    }

    /// Determines the parts of an access, for the lanes in `of`. Addresses in `scratch` are omitted, since agents do not
    /// share them.
    pub(super) fn find(
        &mut self,
        access: &Access,
        of: u64,
        does: Does,
        kind: AccessKind,
        scratch: Range<u64>,
    ) {
        self.used = 0;
        let keeps = self.keeps_lanes;
        let bytes = u64::from(access.bytes);
        if access.scalar && access.global != 0 {
            let bytes = bytes.min(DWORD * u64::from(access.dwords_in_bounds));
            let at = access.address[0];
            let part = self.part(ShadowedMemory::Global, kind);
            part.add(0, at..at.saturating_add(bytes), keeps);
            return;
        }
        if access.global & of != 0 {
            let part = self.part(ShadowedMemory::Global, kind);
            part.add_lanes(access, access.global & of, 0..1, keeps);
            part.leave_out(&scratch);
        }
        if access.buffer & of != 0 {
            let part = self.part(ShadowedMemory::Global, kind);
            let step = if access.splits_dwords() { 1 } else { DWORD };
            for lane in lanes(access.buffer & of) {
                for byte in (0..bytes).step_by(step as usize) {
                    if let Some(at) = access.place(lane, byte) {
                        let end = at.saturating_add(step.min(bytes - byte));
                        part.add(lane, at..end, keeps);
                    }
                }
            }
            part.leave_out(&scratch);
        }
        if access.lds & of != 0 {
            let part = self.part(ShadowedMemory::Lds, kind);
            let lanes = access.lds & of;
            if matches!(does, Does::AtomicFromLds(..)) {
                part.add_lanes(access, lanes, 0..1, keeps);
                let part = self.part(ShadowedMemory::Lds, AccessKind::Load);
                part.add_lanes(access, lanes, 1..access.elements, keeps);
            } else {
                part.add_lanes(access, lanes, 0..access.elements, keeps);
            }
        }
        if access.to_lds.is_some() {
            let kind = match access.intent {
                Some(Intent::Store) => AccessKind::Load,
                _ => AccessKind::Store,
            };
            let part = self.part(ShadowedMemory::Lds, kind);
            for lane in lanes(access.lanes() & of) {
                let at = access.place_in_lds(lane);
                part.add(lane, at..at + DWORD, keeps);
            }
        }
    }
}

impl AccessPart {
    /// Mask of the extents' first lanes: all lanes of the part, unless adjacent lanes are merged.
    pub(super) fn lanes(&self) -> u64 {
        let lanes = self.extents.iter().map(|it| 1u64 << it.lane);
        lanes.fold(0, |all, lane| all | lane)
    }

    /// Adds the bytes that a lane accesses.
    #[inline]
    fn add(&mut self, lane: usize, bytes: Range<u64>, keeps_lanes: bool) {
        if keeps_lanes {
            let last = self.extents.last();
            self.is_apart &= last.is_none_or(|last| last.bytes.end <= bytes.start);
            self.extents.push(Span { lane, bytes });
        } else {
            self.is_apart &= Span::add(&mut self.extents, 0, lane, bytes);
        }
    }

    /// Adds the elements that the lanes in `mask` access. Sorts them for stores and for many spans, unless they ascend.
    fn add_lanes(&mut self, access: &Access, mask: u64, elements: Range<u8>, keeps_lanes: bool) {
        /// Maximum number of spans of a load or atomic that remain unsorted.
        const FEW: usize = 4;
        let addresses = |element: u8| match element {
            0 => &access.address,
            _ => &access.second,
        };
        let bytes = |at: u64| at..at.saturating_add(access.bytes.into());
        if keeps_lanes {
            for element in elements {
                for lane in lanes(mask) {
                    self.add(lane, bytes(addresses(element)[lane]), true);
                }
            }
            return;
        }
        for element in elements.clone() {
            let is_first = self.extents.is_empty();
            self.is_apart &= access.spans(mask, element == 1, &mut self.extents);
            self.is_apart &= is_first;
        }
        if self.is_apart || self.kind != AccessKind::Store && self.extents.len() <= FEW {
            return;
        }
        self.sorted.clear();
        for element in elements {
            self.sorted
                .extend(lanes(mask).map(|lane| addresses(element)[lane]));
        }
        self.sorted.sort_unstable();
        self.extents.clear();
        self.is_apart = true;
        let lane = mask.trailing_zeros() as usize;
        for &at in &self.sorted {
            self.is_apart &= Span::add(&mut self.extents, 0, lane, bytes(at));
        }
    }

    /// Removes the spans that begin in a range.
    fn leave_out(&mut self, range: &Range<u64>) {
        if !range.is_empty() {
            self.extents.retain(|it| !range.contains(&it.bytes.start));
        }
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
        // A failed swap, and a load that feeds a swap, race like an atomic that writes nothing.
        for read in [AccessKind::FailedSwap, AccessKind::SwapLoad].map(|kind| of(1, kind)) {
            assert!(clashes(read, store) && clashes(store, read));
            assert!(!clashes(read, released) && !clashes(released, read));
            let [load, atomic] = [AccessKind::Load, AccessKind::Atomic].map(|kind| of(2, kind));
            assert!(!clashes(read, load) && !clashes(read, atomic) && !clashes(atomic, read));
        }
    }

    fn extents(mask: u64, address: impl Fn(u64) -> u64, keeps: bool) -> (Vec<[u64; 2]>, bool) {
        let mut parts = Parts::new(keeps);
        let mut access = Access {
            bytes: 4,
            lds: mask,
            ..Access::default()
        };
        for (lane, at) in (0..).zip(&mut access.address) {
            *at = address(lane);
        }
        parts.find(&access, u64::MAX, Does::LdsNop, AccessKind::Load, 0..0);
        let part = parts.iter().next().expect("a part");
        let bytes = part.extents.iter().map(|it| [it.bytes.start, it.bytes.end]);
        (bytes.collect(), part.is_apart)
    }

    #[test]
    fn lanes_that_follow_each_other_are_one_extent() {
        let row = extents(u64::MAX, |lane| 4 * lane, false);
        assert_eq!(row, (vec![[0, 256]], true));
        let two = extents(
            0b1111,
            |lane| {
                if lane < 2 {
                    8 + 4 * lane
                } else {
                    64 + 4 * lane
                }
            },
            false,
        );
        assert_eq!(two, (vec![[8, 16], [72, 80]], true));
        let one = extents(u64::MAX, |_| 12, false);
        assert_eq!(one, (vec![[12, 16]], false));
        let backwards = extents(0b11, |lane| 4u64.wrapping_sub(4 * lane), false);
        assert_eq!(backwards, (vec![[4, 8], [0, 4]], false));
        let odd_first = |lane: u64| {
            4 * (if lane < 8 {
                2 * lane + 1
            } else {
                2 * (lane - 8)
            })
        };
        assert_eq!(extents(0xffff, odd_first, false).0, [[0, 64]]);
        assert_eq!(
            extents(0b111_1111, odd_first, false).0.len(),
            7,
            "they are apart"
        );
        let lanes = extents(0b11, |lane| 4 * lane, true);
        assert_eq!(lanes, (vec![[0, 4], [4, 8]], true));
    }
}
