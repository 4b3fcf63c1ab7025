//! Shadow of global memory: pages of rows, allocated on first access and shared between threads.

use std::mem::take;
use std::ops::Range;
use std::sync::atomic::{
    AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::observe::Span;
use hashbrown::HashMap;

use super::access::{AccessKind, EntryLayout, HOST, PastAccess, clashes};
use super::cell::{Conflicts, HappensBefore};
use super::clock::OrderedClocks;
use super::shadow::{QUARTER, ROW, ShadowRow, rows};

/// Number of rows in a page.
const ROWS: usize = 32;
/// Size of a page in bytes.
const PAGE: u64 = (ROW * ROWS) as u64;

/// Maximum size of a dispatch's shadow in bytes. Memory accessed after that is not watched.
const LIMIT: u64 = 4 << 30;

/// Shadow of a page of global memory.
#[derive(Debug, Default)]
pub(super) struct ShadowPage {
    /// Quarter rows that further loads may skip; see `ShadowCell::is_loaded_enough`. Modified only while `rows` is locked.
    loaded_enough: QuarterBits,
    /// Quarter rows accessed by operations that may acquire (atomics and GLC loads).
    acquired: QuarterBits,
    /// True if a thread holds the page; see [`Recent::hold`].
    is_held: AtomicBool,
    rows: Mutex<[ShadowRow; ROWS]>,
}

/// Bitmap of the quarter rows of a page.
type QuarterBits = [AtomicU64; ROWS * QUARTERS / 64];

const QUARTERS: usize = ROW / QUARTER;

/// Calls `each` for each word of [`QuarterBits`] that covers part of a byte range, with the mask of the quarters inside
/// the range. If `parts` is true, includes quarters that are partially inside.
fn quarters(bytes: &Range<u64>, parts: bool, mut each: impl FnMut(usize, u64)) {
    let (first, end) = (
        bytes.start % PAGE,
        bytes.end - (bytes.start - bytes.start % PAGE),
    );
    let quarter = QUARTER as u64;
    let (mut at, end) = if parts {
        (first / quarter, end.div_ceil(quarter))
    } else {
        (first.div_ceil(quarter), end / quarter)
    };
    while at < end {
        let count = (64 - at % 64).min(end - at);
        each((at / 64) as usize, (u64::MAX >> (64 - count)) << (at % 64));
        at += count;
    }
}

impl ShadowPage {
    fn rows(&self) -> MutexGuard<'_, [ShadowRow; ROWS]> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread holds the page, and claims it.
    fn claim(&self) {
        while self.is_held.swap(true, Acquire) {
            std::thread::yield_now();
        }
    }

    /// True if another load of the bytes may be skipped.
    #[inline]
    fn is_loaded_enough(&self, bytes: &Range<u64>) -> bool {
        let mut is_all = true;
        quarters(bytes, true, |word, bits| {
            is_all &= self.loaded_enough[word].load(Relaxed) & bits == bits;
        });
        is_all
    }

    /// Checks and records an access. `may_grow` is passed to [`ShadowRow::touch`]. Locks the rows into `held` on demand.
    /// Returns false if nothing was recorded.
    fn touch<'p>(
        &'p self,
        held: &mut Option<MutexGuard<'p, [ShadowRow; ROWS]>>,
        bytes: Range<u64>,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
        may_grow: impl Fn(u64) -> bool,
    ) -> bool {
        let is_load = now.kind() == AccessKind::Load;
        let may_be_enough =
            is_load && view.is_without_acquires && !view.layout.has_lanes() && !met.wants_writes;
        if may_be_enough && self.is_loaded_enough(&bytes) {
            return false;
        }
        let page = held.get_or_insert_with(|| self.rows());
        let is_of_host = view.layout.wave(now) == HOST;
        if is_load && !is_of_host {
            // A load of a single element usually matches a cell, and never covers a whole quarter.
            let row = &mut page[(bytes.start / ROW as u64) as usize % ROWS];
            let first = (bytes.start % ROW as u64) as usize;
            let inside = first..first + (bytes.end - bytes.start) as usize;
            if row.touch_cell_by_load(inside, bytes.start, now, view, met) {
                return true;
            }
        }
        let is_plain = matches!(now.kind(), AccessKind::Load | AccessKind::Store);
        if !is_plain && !view.is_without_acquires {
            quarters(&bytes, true, |word, bits| {
                self.acquired[word].fetch_or(bits, Relaxed);
            });
        }
        if !is_load || is_of_host {
            quarters(&bytes, true, |word, bits| {
                self.loaded_enough[word].fetch_and(!bits, Relaxed);
            });
        }
        let mut is_enough = may_be_enough;
        rows(bytes.clone(), |row, bytes| {
            let base = row * ROW as u64;
            let row = &mut page[row as usize % ROWS];
            row.touch(bytes.clone(), base, now, view, met, &may_grow);
            is_enough = is_enough && row.all(bytes, |cell| cell.is_loaded_enough(view));
        });
        if is_enough {
            quarters(&bytes, false, |word, bits| {
                self.loaded_enough[word].fetch_or(bits, Relaxed);
            });
        }
        true
    }
}

impl ShadowPage {
    /// Calls `each` for each conflict between two dispatches in a page, with its address. Returns true if either may
    /// have acquired a write of the other.
    fn compare(
        pages: [&ShadowPage; 2],
        base: u64,
        layout: EntryLayout,
        each: &mut impl FnMut(u64, [PastAccess; 2]),
    ) -> bool {
        let rows = pages.map(ShadowPage::rows);
        let of_wave = |it: &PastAccess| layout.wave(*it) != HOST;
        for (start, (one, other)) in (base..).step_by(ROW).zip(rows[0].iter().zip(&*rows[1])) {
            ShadowRow::both([one, other], |byte, [one, other]| {
                for first in one.accesses().filter(of_wave) {
                    let others = other.accesses().filter(of_wave);
                    for second in others.filter(|second| clashes(first, *second)) {
                        each(start + byte as u64, [first, second]);
                    }
                }
            });
        }
        let acquires = |acquired: &QuarterBits, rows: &[ShadowRow; ROWS]| {
            let acquired = acquired.each_ref().map(|word| word.load(Relaxed));
            if acquired.iter().all(|word| *word == 0) {
                return false;
            }
            let mut is_met = false;
            for (start, row) in (0..).step_by(ROW).zip(rows) {
                row.writes(0..ROW, |bytes, _| {
                    let bytes = start + bytes.start as u64..start + bytes.end as u64;
                    quarters(&bytes, true, |word, bits| {
                        is_met |= acquired[word] & bits != 0
                    });
                });
            }
            is_met
        };
        acquires(&pages[0].acquired, &rows[1]) || acquires(&pages[1].acquired, &rows[0])
    }
}

/// Number of shards in the page table, each with its own lock.
const SHARDS: usize = 16;

/// Pages by page number.
type Shard = Mutex<HashMap<u64, Arc<ShadowPage>>>;

/// Shadow of global memory.
#[derive(Debug, Default)]
pub(super) struct GlobalShadow {
    pages: [Shard; SHARDS],
    /// Number of bytes allocated.
    bytes: AtomicU64,
}

impl GlobalShadow {
    /// Accounts for bytes about to be allocated. Returns false if the limit has already been reached.
    fn grow(&self, bytes: u64) -> bool {
        self.bytes.fetch_add(bytes, Relaxed) < LIMIT
    }

    fn page(&self, number: u64) -> Option<Arc<ShadowPage>> {
        let mut shard = self.shard(number as usize % SHARDS);
        if let Some(page) = shard.get(&number) {
            return Some(page.clone());
        }
        if !self.grow(size_of::<ShadowPage>() as u64) {
            return None;
        }
        Some(shard.entry(number).or_default().clone())
    }

    /// Number of bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    fn shard(&self, number: usize) -> MutexGuard<'_, HashMap<u64, Arc<ShadowPage>>> {
        self.pages[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a host access to a range. Calls `each` for each earlier access that conflicts with it, with the address of
    /// the conflict. If `is_ordered`, earlier accesses do not conflict.
    pub(super) fn host_accesses(
        &self,
        range: Range<u64>,
        layout: EntryLayout,
        now: PastAccess,
        is_ordered: bool,
        mut each: impl FnMut(u64, PastAccess),
    ) {
        let nothing = OrderedClocks::default();
        let view = HappensBefore {
            layout,
            group: HOST..HOST + 1,
            since: 0,
            known: &nothing,
            past_cache: None,
            is_after_others: is_ordered,
            is_without_acquires: false,
            has_flags: false,
        };
        let (mut recent, mut met) = (Recent::default(), Conflicts::default());
        let mut at = range.start;
        while at < range.end {
            let end = end_of(at / PAGE).min(range.end);
            recent.touch(self, at..end, now, &view, &mut met);
            for conflict in met.conflicts.drain(..) {
                each(conflict.at, conflict.before);
            }
            at = end;
        }
    }

    /// Calls `each` for each conflict between two dispatches, with its address. Returns true if either may have
    /// acquired a write of the other, or if a shadow has reached its limit. To avoid deadlocks, all threads must pass two
    /// dispatches in the same order.
    pub(super) fn compare(
        [one, other]: [&GlobalShadow; 2],
        layout: EntryLayout,
        mut each: impl FnMut(u64, [PastAccess; 2]),
    ) -> bool {
        let mut is_met = one.bytes() >= LIMIT || other.bytes() >= LIMIT;
        let mut common: Vec<(u64, [Arc<ShadowPage>; 2])> = Vec::new();
        for number in 0..SHARDS {
            let pages: Vec<_> = one
                .shard(number)
                .iter()
                .map(|(at, page)| (*at, page.clone()))
                .collect();
            let others = other.shard(number);
            let both = pages
                .into_iter()
                .filter_map(|(at, page)| Some((at, [page, others.get(&at)?.clone()])));
            common.extend(both);
        }
        common.sort_unstable_by_key(|(at, _)| *at);
        for (number, [one, other]) in &common {
            is_met |= ShadowPage::compare([one, other], number * PAGE, layout, &mut each);
        }
        is_met
    }

    /// Calls `each` for the last write of each location in a range, with its address.
    pub(super) fn writes(&self, range: Range<u64>, mut each: impl FnMut(u64, PastAccess)) {
        rows(range, |row, bytes| {
            let base = row * ROW as u64;
            let number = base / PAGE;
            let page = self.shard(number as usize % SHARDS).get(&number).cloned();
            if let Some(page) = page {
                let row = &page.rows()[row as usize % ROWS];
                row.writes(bytes, |bytes, write| each(base + bytes.start as u64, write));
            }
        });
    }
}

/// End address of a page.
fn end_of(number: u64) -> u64 {
    number.saturating_add(1).saturating_mul(PAGE)
}

/// Cache of the pages that a thread has recently accessed. It grows with the number of misses.
#[derive(Debug, Default)]
pub(super) struct Recent {
    slots: Vec<Option<(u64, Arc<ShadowPage>)>>,
    /// Number of misses since the last resize.
    missed: usize,
    /// Pages that the thread holds with their numbers, in ascending order, and a scratch buffer for page numbers.
    held: Vec<(u64, Arc<ShadowPage>)>,
    numbers: Vec<u64>,
}

/// Number of adjacent pages in consecutive slots. The slots fit in a host cache line.
const NEIGHBOURS: u64 = 4;
/// Initial and maximum number of slots.
const FEW_SLOTS: usize = 1 << 5;
const MOST_SLOTS: usize = 1 << 12;

impl Recent {
    /// Returns the slot for a page.
    #[inline]
    fn slot(&self, number: u64) -> usize {
        // Blocks are hashed, since the numbers of a matrix column's pages often differ by multiples of a power of two.
        let (block, within) = (number / NEIGHBOURS, number % NEIGHBOURS);
        let mixed = block.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> u32::BITS;
        let blocks = self.slots.len() as u64 / NEIGHBOURS;
        (((mixed * blocks) >> u32::BITS) * NEIGHBOURS + within) as usize
    }

    #[inline]
    fn page(&mut self, global: &GlobalShadow, number: u64) -> Option<&ShadowPage> {
        let slot = self.slot_of(global, number)?;
        self.slots[slot].as_ref().map(|(_, page)| &**page)
    }

    /// Returns the slot of a page, after inserting the page if necessary. Returns `None` if the shadow has reached its limit.
    #[inline]
    fn slot_of(&mut self, global: &GlobalShadow, number: u64) -> Option<usize> {
        let slot = self.slot(number);
        let is_there = matches!(self.slots.get(slot), Some(Some((known, _))) if *known == number);
        if is_there {
            Some(slot)
        } else {
            self.find(global, number)
        }
    }

    /// Inserts a page and returns its slot.
    #[cold]
    fn find(&mut self, global: &GlobalShadow, number: u64) -> Option<usize> {
        if self.missed >= self.slots.len() && self.slots.len() < MOST_SLOTS {
            self.missed = 0;
            let size = (4 * self.slots.len()).max(FEW_SLOTS);
            let pages = std::mem::replace(&mut self.slots, vec![None; size]);
            for page in pages.into_iter().flatten() {
                let slot = self.slot(page.0);
                self.slots[slot] = Some(page);
            }
        }
        self.missed += 1;
        let slot = self.slot(number);
        self.slots[slot] = Some((number, global.page(number)?));
        Some(slot)
    }

    /// Holds the pages that contain `spans`, too, until [`Recent::release`], so that other threads wait before they write or
    /// acquire there. The order of writes in the shadow is therefore that in memory. Claims pages in address order to avoid
    /// deadlocks: if a page precedes a held one, releases those and claims all again.
    pub(super) fn hold(&mut self, global: &GlobalShadow, spans: &[Span]) {
        let mut numbers = take(&mut self.numbers);
        for Span { bytes, .. } in spans {
            numbers.extend(bytes.start / PAGE..=bytes.end.saturating_sub(1) / PAGE);
        }
        numbers.sort_unstable();
        numbers.dedup();
        let held = &self.held;
        numbers.retain(|it| held.binary_search_by_key(it, |(held, _)| *held).is_err());
        let (first, last) = (numbers.first(), self.held.last());
        if first.is_some_and(|first| last.is_some_and(|(last, _)| first < last)) {
            numbers.extend(self.held.iter().map(|(number, _)| *number));
            numbers.sort_unstable();
            self.release();
        }
        for number in numbers.drain(..) {
            let slot = self.slot_of(global, number);
            if let Some((_, page)) = slot.and_then(|slot| self.slots[slot].as_ref()) {
                page.claim();
                self.held.push((number, page.clone()));
            }
        }
        self.numbers = numbers;
    }

    /// Releases the held pages.
    #[inline]
    pub(super) fn release(&mut self) {
        for (_, page) in self.held.drain(..) {
            page.is_held.store(false, Release);
        }
    }

    /// Checks and records an access to global memory. `now` returns the entry for a lane. Returns false if nothing was
    /// recorded.
    pub(super) fn touch_all(
        &mut self,
        global: &GlobalShadow,
        spans: &[Span],
        now: impl Fn(usize) -> PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) -> bool {
        if let [Span { lane, bytes }] = spans {
            return self.touch(global, bytes.clone(), now(*lane), view, met);
        }
        let mut changes = false;
        let mut next = 0;
        while let Some(Span { lane, bytes }) = spans.get(next) {
            let number = bytes.start / PAGE;
            let end = end_of(number);
            let page = match bytes.end <= end {
                true => self.page(global, number),
                false => None,
            };
            let Some(page) = page else {
                changes |= self.touch(global, bytes.clone(), now(*lane), view, met);
                next += 1;
                continue;
            };
            // Lanes are mostly near each other, so lock the page once for all consecutive spans in it.
            let mut held = None;
            while let Some(Span { lane, bytes }) = spans.get(next)
                && bytes.start / PAGE == number
                && bytes.end <= end
            {
                let may_grow = |bytes| global.grow(bytes);
                changes |= page.touch(&mut held, bytes.clone(), now(*lane), view, met, may_grow);
                next += 1;
            }
        }
        changes
    }

    /// Checks and records an access to a range of global memory. Returns false if nothing was recorded.
    pub(super) fn touch(
        &mut self,
        global: &GlobalShadow,
        range: Range<u64>,
        now: PastAccess,
        view: &HappensBefore<'_>,
        met: &mut Conflicts,
    ) -> bool {
        let mut at = range.start;
        let mut changes = false;
        while at < range.end {
            let number = at / PAGE;
            let end = end_of(number).min(range.end);
            if let Some(page) = self.page(global, number) {
                changes |= page.touch(&mut None, at..end, now, view, met, |bytes| {
                    global.grow(bytes)
                });
            }
            at = end;
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shadow of global memory, accessed by workgroups of four waves.
    struct Fixture {
        layout: EntryLayout,
        global: GlobalShadow,
        recent: Recent,
    }

    impl Fixture {
        fn new() -> Fixture {
            Fixture {
                layout: EntryLayout::new(false),
                global: GlobalShadow::default(),
                recent: Recent::default(),
            }
        }

        /// Accesses a range after barrier number `phase` of the workgroup. Returns the conflicting waves by address.
        fn access(
            &mut self,
            wave: u32,
            phase: u32,
            kind: AccessKind,
            range: Range<u64>,
        ) -> Vec<(u64, u32)> {
            let known = OrderedClocks::default();
            let first = wave / 4 * 4;
            let view = HappensBefore {
                layout: self.layout,
                group: first..first + 4,
                since: phase,
                known: &known,
                past_cache: None,
                is_after_others: false,
                is_without_acquires: true,
                has_flags: false,
            };
            let mut met = Conflicts::default();
            let entry = self.layout.entry(wave, 0, phase, 0, kind);
            self.recent
                .touch(&self.global, range, entry, &view, &mut met);
            let conflicts = met.conflicts.iter();
            conflicts
                .map(|it| (it.at, self.layout.wave(it.before)))
                .collect()
        }
    }

    #[test]
    fn rows_are_split_where_they_are_accessed_in_part() {
        let mut of = Fixture::new();
        assert_eq!(of.access(0, 1, AccessKind::Store, 0x1000..0x1100), []);
        assert_eq!(
            of.access(1, 1, AccessKind::Load, 0x1004..0x1008),
            [(0x1004, 0)]
        );
        assert_eq!(of.access(0, 1, AccessKind::Store, 0x1008..0x100c), []);
        assert_eq!(
            of.access(2, 1, AccessKind::Load, 0x100a..0x100b),
            [(0x100a, 0)]
        );
        assert_eq!(of.access(2, 1, AccessKind::Store, 0x1101..0x1102), []);
        assert_eq!(of.access(3, 1, AccessKind::Store, 0x1102..0x1103), []);
        // The range crosses the ends of a row and a page.
        assert_eq!(of.access(0, 1, AccessKind::Store, 0x1ffe..0x2002), []);
        let met = of.access(1, 1, AccessKind::Store, 0x1ffc..0x2004);
        assert_eq!(met, [(0x1ffe, 0), (0x1fff, 0), (0x2000, 0), (0x2001, 0)]);
    }

    #[test]
    fn the_last_page_ends_at_the_last_address() {
        let mut of = Fixture::new();
        let last = u64::MAX - 3..u64::MAX;
        assert_eq!(of.access(0, 1, AccessKind::Store, last.clone()), []);
        let found = of.access(1, 1, AccessKind::Load, last.start - 64..u64::MAX);
        assert_eq!(found, last.clone().map(|at| (at, 0)).collect::<Vec<_>>());
        let mut writes = Vec::new();
        of.global.writes(last.clone(), |at, _| writes.push(at));
        assert_eq!(writes, last.collect::<Vec<_>>());
        assert!(of.global.bytes() < 1 << 20, "it is one page");
    }

    #[test]
    fn pages_stay_held_until_all_are_released() {
        let mut of = Fixture::new();
        let page = |of: &Fixture, number| of.global.page(number).expect("memory");
        let held = |of: &Fixture| [0, 1, 2].map(|it| page(of, it).is_held.load(Relaxed));
        for at in [PAGE, 2 * PAGE, 0, PAGE, 0] {
            let bytes = at..at + 4;
            of.recent.hold(&of.global, &[Span { lane: 0, bytes }]);
        }
        assert_eq!(held(&of), [true; 3]);
        of.recent.release();
        assert_eq!(held(&of), [false; 3]);
    }

    #[test]
    fn a_barrier_orders_a_workgroup_and_no_other() {
        let mut of = Fixture::new();
        assert_eq!(of.access(0, 1, AccessKind::Store, 0..256), []);
        assert_eq!(of.access(1, 2, AccessKind::Store, 0..256), []);
        assert_eq!(of.access(4, 3, AccessKind::Load, 0..256), [(0, 1)]);
    }

    #[test]
    fn loads_of_two_workgroups_are_kept() {
        let mut of = Fixture::new();
        for wave in [0, 4, 5, 6] {
            assert_eq!(of.access(wave, 1, AccessKind::Load, 0..4), []);
        }
        assert_eq!(of.access(6, 1, AccessKind::Store, 0..4), [(0, 0)]);
        // If one workgroup makes all loads, the last one and one by another wave are kept.
        for wave in [1, 0] {
            of.access(wave, 2, AccessKind::Load, 8..12);
        }
        assert_eq!(of.access(0, 2, AccessKind::Store, 8..12), [(8, 1)]);
    }

    #[test]
    fn an_atomic_does_not_hide_the_store_before_it() {
        let mut of = Fixture::new();
        of.access(0, 1, AccessKind::Store, 0..4);
        of.access(0, 1, AccessKind::Atomic, 0..4);
        of.access(0, 1, AccessKind::Load, 0..4);
        assert_eq!(of.access(4, 1, AccessKind::Atomic, 0..4), [(0, 0), (0, 0)]);
        // Those were the store and the load, and neither is remembered now.
        assert_eq!(of.access(8, 1, AccessKind::Atomic, 0..4), []);
        // An earlier load is not hidden either.
        of.access(0, 1, AccessKind::Load, 8..12);
        of.access(0, 1, AccessKind::Atomic, 8..12);
        of.access(0, 1, AccessKind::Atomic, 8..12);
        assert_eq!(of.access(4, 1, AccessKind::Atomic, 8..12), [(8, 0)]);
        // An agent's atomic does not hide another agent's earlier atomic from its own later load.
        of.access(0, 1, AccessKind::Atomic, 16..20);
        of.access(4, 1, AccessKind::Atomic, 16..20);
        assert_eq!(of.access(4, 1, AccessKind::Load, 16..20), [(16, 0)]);
    }

    #[test]
    fn a_load_for_a_swap_is_not_enough() {
        let mut of = Fixture::new();
        for (wave, kind) in [
            (0, AccessKind::SwapLoad),
            (4, AccessKind::Load),
            (8, AccessKind::Load),
        ] {
            assert_eq!(of.access(wave, 1, kind, 0..256), []);
        }
        assert_eq!(of.access(4, 1, AccessKind::Atomic, 0..256), [(0, 8)]);
    }

    #[test]
    fn loads_of_two_workgroups_are_enough_until_a_store() {
        for bytes in [0..256, 64..128, 60..132, 4..8, 100..8200] {
            for first in [0, 4, 8] {
                let mut of = Fixture::new();
                for wave in [0, 4, 0, 4, 8, 12] {
                    assert_eq!(of.access(wave, 1, AccessKind::Load, bytes.clone()), []);
                }
                // Whichever wave stores, a load by another workgroup is unordered with it.
                let at = bytes.start..bytes.start + 4;
                let found = of.access(first, 1, AccessKind::Store, at.clone());
                assert!(
                    found.iter().any(|(_, wave)| wave / 4 != first / 4),
                    "{found:?}"
                );
                // The loads are no longer considered, but the store is.
                for wave in [12, 16, 20] {
                    let found = of.access(wave, 1, AccessKind::Load, bytes.clone());
                    assert_eq!(found, [(at.start, first)], "{bytes:?} {wave}");
                }
            }
        }
    }
}
