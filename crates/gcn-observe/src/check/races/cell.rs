//! Access history of a location, and the happens-before order against which new accesses are checked.

use std::ops::Range;

use super::access::{AccessKind, EntryLayout, PastAccess, clashes};
use super::clock::{Histories, OrderedClocks, ReceivedClocks};

/// Access history of a location: its last write, and up to two other accesses that may still race.
///
/// As in Mellor-Crummey's protocol, the other accesses are loads by two agents since the write; the agents belong to
/// different workgroups if two workgroups have loaded the location. Atomics do not race with each other, but an atomic may
/// replace a write with which a later access can race. If the write is an atomic, the first slot may therefore hold another
/// agent's atomic that it has replaced, and the second slot a store or load by the same agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ShadowCell {
    write: PastAccess,
    others: [PastAccess; 2],
}

/// Received clocks, with the histories needed to compute them when an access may conflict.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastCache<'a> {
    pub(super) clocks: &'a ReceivedClocks,
    pub(super) histories: &'a Histories,
}

impl PastCache<'_> {
    #[inline(never)]
    fn has(self, wave: u32, clock: u32) -> bool {
        self.clocks.value(self.histories).has(wave, clock)
    }
}

/// Happens-before order from the perspective of a wave's access.
#[derive(Clone, Debug)]
pub(super) struct HappensBefore<'a> {
    pub(super) layout: EntryLayout,
    /// Waves of the wave's workgroup.
    pub(super) group: Range<u32>,
    /// Clock of the last barrier that the access observes. It orders all accesses of the workgroup with lower clocks.
    pub(super) since: u32,
    pub(super) known: &'a OrderedClocks,
    /// Additional clocks that happen before the access, if the access bypasses the cache.
    pub(super) past_cache: Option<PastCache<'a>>,
    /// True if earlier accesses by other workgroups always happened before this one, as in LDS.
    pub(super) is_after_others: bool,
    /// True if the kernel cannot order workgroups.
    pub(super) is_without_acquires: bool,
    /// True if waves may acquire from this memory, so that releasing stores may be stores of flags.
    pub(super) has_flags: bool,
}

impl HappensBefore<'_> {
    /// True if an earlier access by another agent happened before this one.
    #[inline]
    pub(super) fn is_before(&self, entry: PastAccess) -> bool {
        let wave = self.layout.wave(entry);
        let clock = self.layout.clock(entry);
        if self.group.contains(&wave) {
            if clock < self.since {
                return true;
            }
        } else if self.is_after_others {
            return true;
        }
        self.known.has(wave, clock) || self.past_cache.is_some_and(|it| it.has(wave, clock))
    }

    /// True if both accesses may be stores of flags: they release earlier writes or acquires of their waves.
    fn are_flags(&self, one: PastAccess, other: PastAccess) -> bool {
        let releases = |it: PastAccess| match self.is_after_others {
            true => it.releases_to_group(),
            false => it.releases_to_agent(),
        };
        let is_flag =
            |it: PastAccess| it.kind() == AccessKind::Store && it.may_publish() && releases(it);
        self.has_flags && is_flag(one) && is_flag(other)
    }

    /// True if both accesses are by this workgroup, or neither is.
    pub(super) fn same_side(&self, a: PastAccess, b: PastAccess) -> bool {
        let is_own = |entry| self.group.contains(&self.layout.wave(entry));
        is_own(a) == is_own(b)
    }
}

/// An earlier access that is unordered with the current access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    /// First byte that both accesses touch, and the size of its cell.
    pub(super) at: u64,
    pub(super) bytes: u64,
    pub(super) before: PastAccess,
}

/// Result of checking an instruction's access against the shadow.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    /// Earlier accesses that conflict with the instruction's access.
    pub(super) conflicts: Vec<Conflict>,
    /// Addresses and last writes of the accessed locations.
    pub(super) writes: Vec<(u64, PastAccess)>,
    /// True if `writes` is to be filled.
    pub(super) wants_writes: bool,
    /// Cache of the last write and the last other access found not to conflict. Most locations have the same ones.
    harmless: [PastAccess; 2],
    /// Access for which the cache is valid.
    of: PastAccess,
    /// Size in bytes of the cells being compared.
    pub(super) cell: usize,
}

impl Conflicts {
    pub(super) fn clear(&mut self) {
        self.conflicts.clear();
        self.writes.clear();
        self.of = PastAccess::NONE;
    }

    pub(super) fn found(&self) -> usize {
        self.conflicts.len() + self.writes.len()
    }

    /// Records a conflict if the two accesses conflict. `which` is the index of the cache entry for `before`.
    #[inline]
    fn look(
        &mut self,
        which: usize,
        before: PastAccess,
        now: PastAccess,
        view: &HappensBefore<'_>,
        at: u64,
    ) {
        if now != self.of {
            (self.of, self.harmless) = (now, [PastAccess::NONE; 2]);
        }
        if before != self.harmless[which] {
            self.compare(which, before, now, view, at);
        }
    }

    #[inline(never)]
    fn compare(
        &mut self,
        which: usize,
        before: PastAccess,
        now: PastAccess,
        view: &HappensBefore<'_>,
        at: u64,
    ) {
        let clash = !before.is_none()
            && !view.layout.same_agent(before, now)
            && clashes(before, now)
            && !view.are_flags(before, now)
            && !view.is_before(before);
        if clash {
            self.conflicts.push(Conflict {
                at,
                bytes: self.cell as u64,
                before,
            });
        } else {
            self.harmless[which] = before;
        }
    }
}

impl ShadowCell {
    /// Checks and records an access to the location, whose address is `at`.
    #[inline]
    pub(super) fn touch(
        &mut self,
        now: PastAccess,
        view: &HappensBefore<'_>,
        at: u64,
        met: &mut Conflicts,
    ) {
        if met.wants_writes && !self.write.is_none() {
            met.writes.push((at, self.write));
        }
        if !self.has_read_back(now, view.layout) {
            met.look(0, self.write, now, view, at);
        }
        if now.kind().writes() {
            for other in self.others {
                met.look(1, other, now, view, at);
            }
            *self = ShadowCell {
                write: now,
                others: [self.earlier(now, view.layout), self.below(now, view.layout)],
            };
        } else {
            let [first, second] = self.others;
            if first.kind() == AccessKind::Atomic {
                met.look(1, first, now, view, at);
            }
            if second.kind() == AccessKind::Store && now.kind().is_read_for_swap() {
                met.look(1, second, now, view, at);
            }
            self.load(now, view);
        }
    }

    /// True for a store by an agent that has read the last store with a GLC load: coherence orders the two stores, even
    /// without a release.
    fn has_read_back(&self, now: PastAccess, layout: EntryLayout) -> bool {
        let is_load =
            |it: &PastAccess| it.kind() == AccessKind::CoherentLoad && layout.same_agent(*it, now);
        let both_store = (self.write.kind(), now.kind()) == (AccessKind::Store, AccessKind::Store);
        both_store && self.others.iter().any(is_load)
    }

    /// True if another load may be ignored: the location has not been written, and plain loads of two unordered workgroups
    /// have loaded it, so every write conflicts with one of them.
    pub(super) fn is_loaded_enough(&self, view: &HappensBefore<'_>) -> bool {
        let [first, second] = self.others;
        let is_load = |it: PastAccess| !it.is_none() && it.kind() == AccessKind::Load;
        let is_full = is_load(first) && is_load(second) && self.write.is_none();
        is_full && !view.same_side(first, second)
    }

    /// [`ShadowCell::touch`] for plain loads when writes are not collected, by far the most frequent case.
    #[inline(always)]
    pub(super) fn load_plainly(
        &mut self,
        now: PastAccess,
        view: &HappensBefore<'_>,
        at: u64,
        met: &mut Conflicts,
    ) {
        let first = self.others[0];
        let is_own = first.is_none() || view.layout.same_agent(first, now);
        if met.of == now
            && self.write == met.harmless[0]
            && is_own
            && first.kind() != AccessKind::Atomic
        {
            self.others[0] = now;
        } else {
            self.touch(now, view, at, met);
        }
    }

    /// Creates the history of a single access, or an empty one for [`PastAccess::NONE`].
    #[inline(always)]
    pub(super) fn of_one(access: PastAccess) -> ShadowCell {
        let none = PastAccess::NONE;
        let (write, first) = match access.kind().writes() {
            true => (access, none),
            false => (none, access),
        };
        ShadowCell {
            write,
            others: [first, none],
        }
    }

    /// Returns the only access of the history, [`PastAccess::NONE`] if there is none, or `None` if there are several.
    #[inline(always)]
    pub(super) fn only_access(&self) -> Option<PastAccess> {
        let [first, second] = self.others;
        let access = if first.is_none() { self.write } else { first };
        (second.is_none() && (first.is_none() || self.write.is_none())).then_some(access)
    }

    pub(super) fn last_write(&self) -> PastAccess {
        self.write
    }

    pub(super) fn accesses(&self) -> impl Iterator<Item = PastAccess> {
        let [first, second] = self.others;
        [self.write, first, second]
            .into_iter()
            .filter(|it| !it.is_none())
    }

    /// Returns the last atomic by another agent, if `now` is an atomic. Later loads by the agent of `now` may race with it.
    fn earlier(&self, now: PastAccess, layout: EntryLayout) -> PastAccess {
        if now.kind() != AccessKind::Atomic || self.write.kind() != AccessKind::Atomic {
            PastAccess::NONE
        } else if !layout.same_agent(self.write, now) {
            self.write
        } else if self.others[0].kind() == AccessKind::Atomic {
            self.others[0]
        } else {
            PastAccess::NONE
        }
    }

    /// Returns the plain store or load by the same agent that `now` replaces, if `now` is an atomic. Atomics by other agents
    /// may still race with it.
    fn below(&self, now: PastAccess, layout: EntryLayout) -> PastAccess {
        if now.kind() != AccessKind::Atomic {
            return PastAccess::NONE;
        }
        let [_, second] = self.others;
        let is_own = layout.same_agent(self.write, now);
        match self.write.kind() {
            AccessKind::Store if is_own && !self.write.may_publish() => return self.write,
            AccessKind::Atomic if is_own && second.kind() == AccessKind::Store => return second,
            AccessKind::Store
            | AccessKind::Atomic
            | AccessKind::Load
            | AccessKind::CoherentLoad
            | AccessKind::FailedSwap
            | AccessKind::SwapLoad => {}
        }
        let is_load = |it: &PastAccess| {
            it.kind() == AccessKind::Load && !it.is_none() && layout.same_agent(*it, now)
        };
        self.others
            .into_iter()
            .find(is_load)
            .unwrap_or(PastAccess::NONE)
    }

    #[inline]
    fn load(&mut self, now: PastAccess, view: &HappensBefore<'_>) {
        let [first, second] = self.others;
        if second.kind() == AccessKind::Store || first.kind() == AccessKind::Atomic {
            self.others[0] = now;
            return;
        }
        if first.is_none() || view.layout.same_agent(first, now) {
            // A GLC load replaces no other kind of load, and a load of a compare-and-swap sequence replaces no plain load.
            let is_hidden = match now.kind() {
                AccessKind::CoherentLoad => {
                    first.kind() == AccessKind::Load || first.kind().is_read_for_swap()
                }
                AccessKind::FailedSwap | AccessKind::SwapLoad => first.kind() == AccessKind::Load,
                AccessKind::Load | AccessKind::Store | AccessKind::Atomic => false,
            };
            if is_hidden && !first.is_none() {
                return;
            }
            self.others[0] = now;
        } else if view.layout.same_agent(second, now)
            || second.is_none()
            || view.same_side(first, second)
            || !view.same_side(first, now)
        {
            self.others = [now, first];
        } else {
            self.others[0] = now;
        }
    }
}
