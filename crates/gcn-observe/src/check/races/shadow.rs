//! Shadow memory: the last accesses to each byte.
//!
//! A row covers 256 bytes, which is one dword for each of 64 lanes. It has a single [`ShadowCell`] as long as it is accessed as
//! a whole. After that, it has a cell per quarter or dword, or a cell per byte if part of a dword has been accessed.

use std::mem::take;
use std::ops::Range;

use gcn_emu::observe::ShareAccess;

use super::access::{AccessKind, EntryLayout, PastAccess, clashes};
use super::clock::OrderedClocks;
use super::lds_queue::Backlog;

/// Size of a row in bytes.
pub(super) const ROW: usize = 256;
/// Size of a quarter row in bytes: 16 dwords, or one byte for each lane.
pub(super) const QUARTER: usize = 64;
const DWORD: usize = 4;

/// Access history of a location: its last write, and up to two other accesses that may still race.
///
/// As in Mellor-Crummey's protocol, the other accesses are loads since the write by two agents, which are from different
/// workgroups if two workgroups have loaded the location. Atomics do not race with each other, but an atomic may replace a
/// write with which a later access can race. If the write is an atomic, the first slot may therefore hold another agent's
/// atomic that it has replaced, and the second slot a store or load by the same agent that it has replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ShadowCell {
    write: PastAccess,
    others: [PastAccess; 2],
}

/// Happens-before order from the perspective of a wave's access.
#[derive(Clone, Debug)]
pub(super) struct HappensBefore<'a> {
    pub(super) layout: EntryLayout,
    /// Waves of the wave's workgroup.
    pub(super) group: Range<u32>,
    /// Clock of the workgroup's last barrier. The barrier orders all accesses with lower clocks.
    pub(super) since: u32,
    /// Clocks of the waves that the wave has synchronized with.
    pub(super) known: &'a OrderedClocks,
    /// True for LDS, where earlier accesses by other workgroups always happened before this one.
    pub(super) is_lds: bool,
    /// True if workgroups cannot be ordered.
    pub(super) is_without_acquires: bool,
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
        } else if self.is_lds {
            return true;
        }
        self.known.has(wave, clock)
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
    /// First byte that both access, and the size of its shadow cell.
    pub(super) at: u64,
    pub(super) bytes: u64,
    pub(super) before: PastAccess,
}

/// Result of checking an instruction's access against the shadow.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    /// Earlier accesses that conflict with it.
    pub(super) conflicts: Vec<Conflict>,
    /// Last writes to the accessed locations, by address. Collected on demand.
    pub(super) writes: Vec<(u64, PastAccess)>,
    /// True if `writes` are collected.
    pub(super) wants_writes: bool,
    /// Cache of the last write and the last other access found not to conflict, which most locations share.
    harmless: [PastAccess; 2],
    /// Access for which the cache is valid.
    of: PastAccess,
    /// Size in bytes of the cells being compared.
    cell: usize,
}

impl Conflicts {
    pub(super) fn clear(&mut self) {
        self.conflicts.clear();
        self.writes.clear();
        self.of = PastAccess::NONE;
    }

    /// Number of conflicts and writes found.
    fn found(&self) -> usize {
        self.conflicts.len() + self.writes.len()
    }
}

impl Conflicts {
    /// Records a conflict between two accesses, if they conflict. `which` is the index in the cache.
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
    /// Records an access to the location at an address.
    #[inline]
    fn touch(&mut self, now: PastAccess, view: &HappensBefore<'_>, at: u64, met: &mut Conflicts) {
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

    /// True for a store by an agent that has read the last store with a load that bypasses the cache: coherence orders
    /// the two stores, regardless of other releases.
    fn has_read_back(&self, now: PastAccess, layout: EntryLayout) -> bool {
        let is_load =
            |it: &PastAccess| it.kind() == AccessKind::CoherentLoad && layout.same_agent(*it, now);
        let both_store = (self.write.kind(), now.kind()) == (AccessKind::Store, AccessKind::Store);
        both_store && self.others.iter().any(is_load)
    }

    /// True if another load changes nothing: the location has not been written, and two unordered workgroups have
    /// loaded it, so every write conflicts.
    pub(super) fn is_loaded_enough(&self, view: &HappensBefore<'_>) -> bool {
        let [first, second] = self.others;
        let is_full = !first.is_none() && !second.is_none() && self.write.is_none();
        is_full && !view.same_side(first, second)
    }

    /// [`ShadowCell::touch`] for plain loads when writes are not collected, by far the most frequent case.
    #[inline(always)]
    fn touch_by_load(
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

    /// Returns all accesses in the history.
    pub(super) fn accesses(&self) -> impl Iterator<Item = PastAccess> {
        let [first, second] = self.others;
        [self.write, first, second]
            .into_iter()
            .filter(|it| !it.is_none())
    }

    /// Returns the last atomic by another agent, if `now` is an atomic. Loads by the agent of `now` may race with it.
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

    /// Returns the plain store or load by the same agent, if `now` is an atomic that replaces it. Atomics by other
    /// agents may still conflict with it.
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
            // A GLC load replaces no other kind of load, and a load for a compare-and-swap replaces no plain load.
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

/// Cells of a row: one for the whole row, or one for each part.
#[derive(Debug)]
pub(super) enum ShadowRow {
    Whole(ShadowCell),
    Quarters(Box<[ShadowCell; ROW / QUARTER]>),
    Dwords(Box<[ShadowCell; ROW / DWORD]>),
    Bytes(Box<[ShadowCell; ROW]>),
}

impl Default for ShadowRow {
    fn default() -> ShadowRow {
        ShadowRow::Whole(ShadowCell::default())
    }
}

/// Repeats each cell in place, to fill `N` cells.
fn repeat<const N: usize>(cells: &[ShadowCell]) -> Box<[ShadowCell; N]> {
    let times = N / cells.len();
    Box::new(std::array::from_fn(|number| cells[number / times]))
}

impl ShadowRow {
    /// Returns the cells, and the number of bytes that each covers.
    fn cells(&mut self) -> (&mut [ShadowCell], usize) {
        match self {
            ShadowRow::Whole(cell) => (std::slice::from_mut(cell), ROW),
            ShadowRow::Quarters(cells) => (&mut cells[..], QUARTER),
            ShadowRow::Dwords(cells) => (&mut cells[..], DWORD),
            ShadowRow::Bytes(cells) => (&mut cells[..], 1),
        }
    }

    /// Splits cells until a range consists of whole cells. Returns false if their memory may not be allocated.
    #[cold]
    fn split(&mut self, bytes: &Range<usize>, may_grow: impl Fn(u64) -> bool) -> bool {
        let fits = |size| bytes.start.is_multiple_of(size) && bytes.end.is_multiple_of(size);
        let (cells, size) = self.cells();
        let parts = [QUARTER, DWORD, 1];
        let Some(part) = parts.into_iter().find(|&part| part < size && fits(part)) else {
            return true;
        };
        if !may_grow((ROW / part * size_of::<ShadowCell>()) as u64) {
            return false;
        }
        *self = match part {
            QUARTER => ShadowRow::Quarters(repeat(cells)),
            DWORD => ShadowRow::Dwords(repeat(cells)),
            _ => ShadowRow::Bytes(repeat(cells)),
        };
        true
    }

    /// Records a plain load of bytes that form a single cell, if writes are not collected. Otherwise, returns false and
    /// changes nothing. `at` is the address of the first byte.
    #[inline(always)]
    pub(super) fn touch_cell_by_load(
        &mut self,
        bytes: Range<usize>,
        at: u64,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) -> bool {
        let (cell, size) = match self {
            ShadowRow::Dwords(cells) => (cells.get_mut(bytes.start / DWORD), DWORD),
            ShadowRow::Bytes(cells) => (cells.get_mut(bytes.start), 1),
            ShadowRow::Whole(_) | ShadowRow::Quarters(_) => return false,
        };
        let is_cell = bytes.len() == size && bytes.start.is_multiple_of(size) && !met.wants_writes;
        let Some(cell) = cell.filter(|_| is_cell) else {
            return false;
        };
        met.cell = size;
        cell.touch_by_load(now, view, at, met);
        true
    }

    /// Records an access to bytes of the row. `base` is the address of the row. `may_grow` returns true if a number of
    /// bytes may be allocated; if it returns false, an access to part of a cell is not recorded.
    pub(super) fn touch(
        &mut self,
        bytes: Range<usize>,
        base: u64,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
        may_grow: impl Fn(u64) -> bool,
    ) {
        let (_, size) = self.cells();
        let is_of_parts = bytes.start.is_multiple_of(size) && bytes.end.is_multiple_of(size);
        if !is_of_parts && !self.split(&bytes, may_grow) {
            return;
        }
        let (cells, size) = self.cells();
        met.cell = size;
        let cells = &mut cells[bytes.start / size..bytes.end / size];
        let addresses = (base + bytes.start as u64..).step_by(size);
        let all = cells.iter_mut().zip(addresses);
        if now.kind() == AccessKind::Load && !met.wants_writes {
            all.for_each(|(cell, at)| cell.touch_by_load(now, view, at, met));
            return;
        }
        // Adjacent cells mostly have the same history. If nothing was found, the result for one cell also applies to the next.
        let mut last: Option<[ShadowCell; 2]> = None;
        for (cell, at) in all {
            if let Some([before, after]) = last
                && *cell == before
            {
                *cell = after;
                continue;
            }
            let (before, found) = (*cell, met.found());
            cell.touch(now, view, at, met);
            last = (met.found() == found).then_some([before, *cell]);
        }
    }

    /// Calls `each` for each location of two rows, with its first byte and its cells in both rows. A location is
    /// skipped if its cells equal those of the previous location.
    pub(super) fn both(rows: [&ShadowRow; 2], mut each: impl FnMut(usize, [&ShadowCell; 2])) {
        let [(one, one_size), (other, other_size)] = rows.map(ShadowRow::parts);
        let mut last = None;
        for byte in (0..ROW).step_by(one_size.min(other_size)) {
            let cells = [&one[byte / one_size], &other[byte / other_size]];
            if last != Some(cells) {
                each(byte, cells);
                last = Some(cells);
            }
        }
    }

    /// Calls `each` for each written part of a byte range, with its last write.
    pub(super) fn writes(
        &self,
        bytes: Range<usize>,
        mut each: impl FnMut(Range<usize>, PastAccess),
    ) {
        let (cells, size) = self.parts();
        let first = bytes.start / size;
        let parts = (first * size..).step_by(size);
        for (start, cell) in parts.zip(&cells[first..bytes.end.div_ceil(size)]) {
            if !cell.write.is_none() {
                each(
                    start.max(bytes.start)..(start + size).min(bytes.end),
                    cell.write,
                );
            }
        }
    }

    /// Returns the cells, and the number of bytes that each covers.
    fn parts(&self) -> (&[ShadowCell], usize) {
        match self {
            ShadowRow::Whole(cell) => (std::slice::from_ref(cell), ROW),
            ShadowRow::Quarters(cells) => (&cells[..], QUARTER),
            ShadowRow::Dwords(cells) => (&cells[..], DWORD),
            ShadowRow::Bytes(cells) => (&cells[..], 1),
        }
    }

    /// True if all cells of a byte range satisfy a predicate. False if the cells are too coarse for the range.
    pub(super) fn all(&mut self, bytes: Range<usize>, is: impl Fn(&ShadowCell) -> bool) -> bool {
        let (cells, size) = self.cells();
        let is_of_parts = bytes.start.is_multiple_of(size) && bytes.end.is_multiple_of(size);
        is_of_parts && cells[bytes.start / size..bytes.end / size].iter().all(is)
    }
}

/// Calls `each` for each row of a range, with the row number and the accessed bytes of the row.
pub(super) fn rows(range: Range<u64>, mut each: impl FnMut(u64, Range<usize>)) {
    let mut at = range.start;
    while at < range.end {
        let row = at / ROW as u64;
        // Saturates in the last row: 2^64 is not representable, and no range contains the last byte.
        let end = (row + 1).saturating_mul(ROW as u64).min(range.end);
        let from = (at % ROW as u64) as usize;
        each(row, from..from + (end - at) as usize);
        at = end;
    }
}

/// Shadow of a workgroup's LDS. If it is reused, accesses by the previous workgroup are in the past.
#[derive(Debug, Default)]
pub(super) struct LdsShadow {
    rows: Vec<ShadowRow>,
    backlog: Backlog,
}

impl LdsShadow {
    /// Sets the size in bytes.
    pub(super) fn resize(&mut self, bytes: usize) {
        self.rows
            .resize_with(bytes.div_ceil(ROW), ShadowRow::default);
        self.backlog.resize(self.rows.len() * ROW);
    }

    /// Marks all accesses so far as ordered by a barrier.
    pub(super) fn barrier(&mut self) {
        self.backlog.clear();
    }

    /// Queues an LDS access without ordering effects, unless a nearby access may conflict with it. Lanes of the access
    /// may conflict with each other unless `is_apart`. Returns false if the access was not queued, and must be checked
    /// by [`LdsShadow::touch`].
    pub(super) fn keep(
        &mut self,
        access: &ShareAccess<'_>,
        is_apart: bool,
        now: PastAccess,
        wave: u32,
    ) -> bool {
        self.backlog.keep(access, is_apart, now, wave)
    }

    /// True if the queue must be emptied before another access is queued.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.backlog.is_full()
    }

    /// Returns the lane with which a queued access touched an address.
    pub(super) fn lane_of(&self, access: PastAccess, at: u64) -> Option<usize> {
        self.backlog.lane_of(access, at)
    }

    /// Records an access. Bytes beyond LDS are ignored.
    pub(super) fn touch(
        &mut self,
        range: Range<u64>,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) {
        if self.backlog.meets(&range) {
            self.settle(view);
        }
        let wave = view.layout.wave(now).wrapping_sub(view.group.start);
        self.backlog.note(&range, now.kind(), wave);
        self.note(range, now, view, met);
    }

    /// Records the queued accesses.
    #[cold]
    pub(super) fn settle(&mut self, view: &HappensBefore<'_>) {
        let mut backlog = take(&mut self.backlog);
        let mut met = Conflicts::default();
        backlog.each(|range, now| self.note(range, now, view, &mut met));
        debug_assert!(met.conflicts.is_empty(), "they were kept apart from those");
        backlog.settled();
        self.backlog = backlog;
    }

    fn note(
        &mut self,
        range: Range<u64>,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) {
        let size = (self.rows.len() * ROW) as u64;
        rows(range.start.min(size)..range.end.min(size), |row, bytes| {
            let base = row * ROW as u64;
            self.rows[row as usize].touch(bytes, base, now, view, met, |_| true);
        });
    }
}
