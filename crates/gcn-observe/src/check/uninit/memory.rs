//! Shadow memory: undefined bits of global memory, which all host threads share, and of LDS and scratch.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Number of dwords in a page.
const PAGE_DWORDS: u64 = 1024;
/// Size of a page in bytes.
const PAGE: u64 = 4 * PAGE_DWORDS;

/// Store number for stores that leave only padding undefined.
pub(super) const PADDING: u32 = u32::MAX;

/// Shadow of a page: undefined bits, and the stores that left them undefined.
struct UndefinedPage {
    bits: Box<[AtomicU32]>,
    /// For each dword, the number of the last store that left it undefined ([`PADDING`], or at least 1), or 0 for none.
    stores: OnceLock<Box<[AtomicU32]>>,
}

fn atomics(value: u32) -> Box<[AtomicU32]> {
    (0..PAGE_DWORDS).map(|_| AtomicU32::new(value)).collect()
}

impl UndefinedPage {
    fn new(bits: u32) -> UndefinedPage {
        UndefinedPage {
            bits: atomics(bits),
            stores: OnceLock::new(),
        }
    }
}

/// Shadow of an allocation. A shadow page is allocated when it first changes. Pages begin at multiples of [`PAGE`], so
/// the first and the last may extend beyond the allocation.
struct Tracked {
    base: u64,
    len: u64,
    /// Undefined bits of each dword without an allocated shadow page.
    unseen: u32,
    /// True if the host reads the memory only through copies, at which undefined bits are reported.
    is_apart: bool,
    pages: Box<[OnceLock<UndefinedPage>]>,
}

/// A dword that a store left undefined, at least in part.
pub(super) struct UndefinedDword {
    pub(super) address: u64,
    pub(super) store: u32,
}

impl Tracked {
    fn new(range: Range<u64>, unseen: u32, is_apart: bool) -> Tracked {
        let pages = range.start / PAGE..range.end.div_ceil(PAGE);
        Tracked {
            base: range.start,
            len: range.end - range.start,
            unseen,
            is_apart,
            pages: pages.map(|_| OnceLock::new()).collect(),
        }
    }

    /// Returns the shadow page of an address, and the index of the dword in the page.
    fn place(&self, address: u64) -> Option<(&OnceLock<UndefinedPage>, usize)> {
        let number = (address / PAGE).checked_sub(self.base / PAGE)?;
        let page = self.pages.get(number as usize)?;
        Some((page, (address / 4 % PAGE_DWORDS) as usize))
    }

    fn dword(&self, address: u64) -> u32 {
        match self.place(address) {
            Some((page, dword)) => page
                .get()
                .map_or(self.unseen, |page| page.bits[dword].load(Relaxed)),
            None => 0,
        }
    }

    /// Sets the undefined bits of a dword within `mask`. `store` is the number of the store, or 0.
    fn set(&self, address: u64, mask: u32, bits: u32, store: u32) {
        let Some((page, dword)) = self.place(address) else {
            return;
        };
        if page.get().is_none() && bits & mask == self.unseen & mask && store == 0 {
            return;
        }
        let page = page.get_or_init(|| UndefinedPage::new(self.unseen));
        let place = &page.bits[dword];
        if mask == u32::MAX {
            place.store(bits, Relaxed);
        } else {
            place.fetch_and(bits | !mask, Relaxed);
            place.fetch_or(bits & mask, Relaxed);
        }
        if bits & mask != 0 {
            page.stores.get_or_init(|| atomics(0))[dword].store(store, Relaxed);
        }
    }

    fn define_page(&self, page: &OnceLock<UndefinedPage>) {
        if page.get().is_none() && self.unseen == 0 {
            return;
        }
        let page = page.get_or_init(|| UndefinedPage::new(0));
        page.bits.iter().for_each(|it| it.store(0, Relaxed));
    }

    /// Marks bytes as defined, in whole pages where possible.
    fn define(&self, bytes: &Range<u64>) {
        let mut at = bytes.start;
        while at < bytes.end {
            if at.is_multiple_of(PAGE)
                && bytes.end - at >= PAGE
                && let Some((page, _)) = self.place(at)
            {
                self.define_page(page);
                at += PAGE;
                continue;
            }
            let count = (4 - at % 4).min(bytes.end - at);
            self.set(at & !3, mask_of(at, count), 0, 0);
            at += count;
        }
    }

    /// Returns the dwords that stores left undefined, without padding.
    fn left(&self) -> impl Iterator<Item = UndefinedDword> {
        let pages = (self.base / PAGE..).zip(&self.pages);
        let pages = pages.filter_map(|(number, page)| Some((number, page.get()?)));
        pages.flat_map(move |(number, page)| {
            let stores = page
                .stores
                .get()
                .into_iter()
                .flat_map(|stores| stores.iter());
            let dwords = stores.zip(&page.bits).enumerate();
            dwords.filter_map(move |(dword, (store, bits))| {
                let store = store.load(Relaxed);
                let is_known = store != 0 && store != PADDING;
                (is_known && bits.load(Relaxed) != 0).then_some(UndefinedDword {
                    address: (number * PAGE + 4 * dword as u64).max(self.base),
                    store,
                })
            })
        })
    }

    /// Calls `each` for the unwritten bytes of a range, one by one or in whole pages, in ascending order.
    fn each_unwritten(&self, range: &Range<u64>, mut each: impl FnMut(Range<u64>)) {
        let end = range.end.min(self.base + self.len);
        let mut at = range.start.max(self.base);
        while at < end {
            let Some((page, dword)) = self.place(at) else {
                return;
            };
            let Some(page) = page.get() else {
                let next = (at + PAGE - at % PAGE).min(end);
                if self.unseen != 0 {
                    each(at..next);
                }
                at = next;
                continue;
            };
            let next = (at + 4 - at % 4).min(end);
            let is_stored = || {
                let stores = page.stores.get();
                stores.is_some_and(|stores| stores[dword].load(Relaxed) != 0)
            };
            let bits = page.bits[dword].load(Relaxed);
            if bits & mask_of(at, next - at) != 0 && !is_stored() {
                let unwritten = (at..next).filter(|at| bits & mask_of(*at, 1) != 0);
                unwritten.for_each(|at| each(at..at + 1));
            }
            at = next;
        }
    }
}

/// Unwritten bytes in an allocation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unwritten {
    /// Address of the allocation.
    pub(super) base: u64,
    /// Address of the first of them.
    pub(super) first: u64,
    /// Number of unwritten bytes.
    pub(super) bytes: u64,
}

/// Shadow of global memory. Only allocations that have or had undefined bits are tracked. A shadow page is as large as
/// the page, or twice as large if a kernel stored undefined bits to it.
#[derive(Default)]
pub(super) struct UndefinedGlobal {
    tracked: RwLock<BTreeMap<u64, Arc<Tracked>>>,
    /// True if any allocation is tracked.
    any: AtomicBool,
}

impl UndefinedGlobal {
    /// False if all memory is defined.
    #[inline]
    pub(super) fn has_any(&self) -> bool {
        self.any.load(Relaxed)
    }

    /// Starts tracking an allocation whose contents are undefined.
    pub(super) fn undefine(&self, range: Range<u64>) {
        self.insert(Tracked::new(range, u32::MAX, true));
    }

    /// Starts tracking a defined allocation, before undefined bits are stored to it.
    pub(super) fn track(&self, range: Range<u64>) {
        self.insert(Tracked::new(range, 0, false));
    }

    fn insert(&self, tracked: Tracked) {
        let mut all = self.tracked.write().unwrap_or_else(PoisonError::into_inner);
        let place = all.entry(tracked.base);
        place.or_insert_with(|| Arc::new(tracked));
        self.any.store(true, Relaxed);
    }

    /// Stops tracking all allocations that overlap a range.
    pub(super) fn forget(&self, range: &Range<u64>) {
        let mut all = self.tracked.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, it| it.base >= range.end || it.base + it.len <= range.start);
        if all.is_empty() {
            self.any.store(false, Relaxed);
        }
    }

    fn find(&self, address: u64) -> Option<Arc<Tracked>> {
        let all = self.tracked.read().unwrap_or_else(PoisonError::into_inner);
        let (_, it) = all.range(..=address).next_back()?;
        (address - it.base < it.len).then(|| it.clone())
    }

    /// Marks a range as defined.
    pub(super) fn define(&self, range: Range<u64>) {
        if !self.has_any() {
            return;
        }
        let mut all = self.tracked.write().unwrap_or_else(PoisonError::into_inner);
        for (base, tracked) in all.range_mut(range.clone()) {
            let own = *base..base + tracked.len;
            if own.end <= range.end {
                *tracked = Arc::new(Tracked::new(own, 0, tracked.is_apart));
            }
        }
        drop(all);
        GlobalView::new(self).define(&range);
    }

    /// Returns the dwords that stores left undefined in memory that the host may read at any time.
    pub(super) fn left(&self) -> Vec<UndefinedDword> {
        let all = self.tracked.read().unwrap_or_else(PoisonError::into_inner);
        let near = all.values().filter(|it| !it.is_apart);
        near.flat_map(|it| it.left()).collect()
    }

    /// Returns the dwords that stores left undefined in a range of memory that the host reads only through copies.
    pub(super) fn left_apart(&self, range: &Range<u64>) -> Vec<UndefinedDword> {
        let all = self.tracked.read().unwrap_or_else(PoisonError::into_inner);
        let apart = all.range(..range.end).rev();
        let apart = apart.take_while(|(base, it)| *base + it.len > range.start);
        let left = apart.filter(|(_, it)| it.is_apart);
        left.flat_map(|(_, it)| it.left())
            .filter(|it| range.contains(&it.address))
            .collect()
    }

    /// Finds the unwritten bytes of a range in an allocation whose contents were initially undefined.
    pub(super) fn unwritten(&self, range: &Range<u64>) -> Option<Unwritten> {
        let tracked = self.find(range.start).filter(|it| it.is_apart)?;
        let mut found: Option<Unwritten> = None;
        tracked.each_unwritten(range, |bytes| {
            let unwritten = found.get_or_insert(Unwritten {
                base: tracked.base,
                first: bytes.start,
                bytes: 0,
            });
            unwritten.bytes += bytes.end - bytes.start;
        });
        found
    }
}

/// Returns the mask of `bytes` bytes at an address, within its dword.
fn mask_of(address: u64, bytes: u64) -> u32 {
    let ones = u32::MAX
        .checked_shr(32 - 8 * bytes.min(4) as u32)
        .unwrap_or(0);
    ones << (8 * (address % 4))
}

/// View of the shadow of global memory for one instruction, which caches the allocation that was found last.
pub(super) struct GlobalView<'a> {
    global: &'a UndefinedGlobal,
    last: Option<Arc<Tracked>>,
}

impl GlobalView<'_> {
    pub(super) fn new(global: &UndefinedGlobal) -> GlobalView<'_> {
        GlobalView { global, last: None }
    }

    fn at(&mut self, address: u64) -> Option<&Tracked> {
        if !self.global.has_any() {
            return None;
        }
        let holds = |it: &Arc<Tracked>| address >= it.base && address - it.base < it.len;
        if !self.last.as_ref().is_some_and(holds) {
            self.last = self.global.find(address);
        }
        self.last.as_deref()
    }

    /// True if an address is in a tracked allocation.
    pub(super) fn knows(&mut self, address: u64) -> bool {
        self.at(address).is_some()
    }

    /// True if no tracked allocation overlaps an inclusive address range.
    pub(super) fn is_untracked(&self, first: u64, last: u64) -> bool {
        if !self.global.has_any() {
            return true;
        }
        let all = self.global.tracked.read();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        let below = all.range(..=last).next_back();
        below.is_none_or(|(_, it)| it.base + it.len <= first)
    }

    /// True if all bytes of a range are defined.
    pub(super) fn is_defined(&mut self, bytes: &Range<u64>) -> bool {
        let mut undefined = 0;
        each_dword(bytes, |at, bytes| undefined |= self.load(at, bytes));
        undefined == 0
    }

    /// Marks a range as defined. The range must be in one allocation.
    pub(super) fn define(&mut self, bytes: &Range<u64>) {
        if let Some(tracked) = self.at(bytes.start) {
            tracked.define(bytes);
        }
    }

    /// Returns the undefined bits of up to four bytes.
    pub(super) fn load(&mut self, address: u64, bytes: u64) -> u32 {
        let Some(tracked) = self.at(address) else {
            return 0;
        };
        let shift = 8 * (address % 4) as u32;
        let low = tracked.dword(address & !3) >> shift;
        let both = if shift != 0 && address % 4 + bytes > 4 {
            low | tracked.dword((address & !3) + 4) << (32 - shift)
        } else {
            low
        };
        both & mask_of(0, bytes)
    }

    /// Sets the undefined bits of up to four bytes.
    pub(super) fn store(&mut self, address: u64, bytes: u64, bits: u32, store: u32) {
        let Some(tracked) = self.at(address) else {
            return;
        };
        let shift = 8 * (address % 4) as u32;
        tracked.set(
            address & !3,
            mask_of(0, bytes) << shift,
            bits << shift,
            store,
        );
        if shift != 0 && address % 4 + bytes > 4 {
            let high = mask_of(0, bytes) >> (32 - shift);
            tracked.set((address & !3) + 4, high, bits >> (32 - shift), store);
        }
    }
}

/// Shadow of a workgroup's LDS or a wave's scratch.
#[derive(Default)]
pub(super) struct UndefinedPrivate {
    /// Undefined bits of each dword. Dwords beyond the end are defined.
    dwords: Vec<u32>,
    /// Number of dwords with undefined bits.
    undefined: usize,
    version: u64,
}

/// Next value of [`UndefinedPrivate::version`].
static VERSIONS: AtomicU64 = AtomicU64::new(0);

impl UndefinedPrivate {
    /// Resizes the shadow, and marks all bits as undefined.
    pub(super) fn begin(&mut self, bytes: usize) {
        self.dwords.clear();
        self.dwords.resize(bytes.div_ceil(4), u32::MAX);
        self.undefined = self.dwords.len();
        self.version = VERSIONS.fetch_add(1, Relaxed);
    }

    /// Returns a number that changes when a bit becomes undefined, and that no other shadow ever has.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// False if all bytes are defined.
    #[inline]
    pub(super) fn has_any(&self) -> bool {
        self.undefined != 0
    }

    #[inline]
    fn dword(&self, number: u64) -> u32 {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        self.dwords.get(number).copied().unwrap_or(0)
    }

    /// True if all dwords that contain the bytes are defined.
    #[inline]
    pub(super) fn is_defined(&self, bytes: &Range<u64>) -> bool {
        let size = self.dwords.len() as u64;
        let dwords = (bytes.start / 4).min(size)..bytes.end.div_ceil(4).min(size);
        let dwords = &self.dwords[dwords.start as usize..dwords.end as usize];
        dwords.iter().fold(0, |all, bits| all | bits) == 0
    }

    /// Returns the undefined bits of up to four bytes.
    #[inline]
    pub(super) fn load(&self, at: u64, bytes: u64) -> u32 {
        let low = u64::from(self.dword(at / 4));
        let high = u64::from(self.dword((at / 4).saturating_add(1)));
        ((high << 32 | low) >> (8 * (at % 4))) as u32 & mask_of(0, bytes)
    }

    /// Sets the undefined bits of up to four bytes.
    #[inline]
    pub(super) fn store(&mut self, at: u64, bytes: u64, bits: u32) {
        let shift = 8 * (at % 4);
        let mask = u64::from(mask_of(0, bytes)) << shift;
        let bits = u64::from(bits) << shift;
        self.set(at / 4, mask as u32, bits as u32);
        if mask >> 32 != 0 {
            self.set(
                (at / 4).saturating_add(1),
                (mask >> 32) as u32,
                (bits >> 32) as u32,
            );
        }
    }

    #[inline]
    fn set(&mut self, number: u64, mask: u32, bits: u32) {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(dword) = self.dwords.get_mut(number) {
            let before = *dword != 0;
            if bits & mask & !*dword != 0 {
                self.version = VERSIONS.fetch_add(1, Relaxed);
            }
            *dword = *dword & !mask | bits & mask;
            let after = *dword != 0;
            self.undefined = self.undefined + usize::from(after) - usize::from(before);
        }
    }

    /// Marks bytes as defined.
    #[inline]
    pub(super) fn define(&mut self, bytes: &Range<u64>) {
        each_dword(bytes, |at, bytes| self.store(at, bytes, 0));
    }
}

/// Calls `each` for each dword of a range, with the address and number of its bytes that are in the range.
#[inline]
fn each_dword(bytes: &Range<u64>, mut each: impl FnMut(u64, u64)) {
    let mut at = bytes.start;
    while at < bytes.end {
        let count = (4 - at % 4).min(bytes.end - at);
        each(at, count);
        at += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_global_memory_are_defined_one_by_one() {
        let global = UndefinedGlobal::default();
        assert!(!global.has_any());
        global.undefine(0x1_0000..0x1_3000);
        let mut view = GlobalView::new(&global);
        assert_eq!(view.load(0x1_0ffe, 4), u32::MAX);
        view.store(0x1_0ffe, 4, 0, 0);
        assert_eq!(view.load(0x1_0ffe, 4), 0);
        assert_eq!(view.load(0x1_0ffd, 4), 0xff);
        assert_eq!(view.load(0x1_1001, 4), 0xffff_ff00);
        assert_eq!(view.load(0x1_3000, 4), 0, "not the allocation's");
        global.define(0x1_0f00..0x1_2001);
        assert_eq!(view.load(0x1_0efc, 4), u32::MAX);
        assert_eq!(view.load(0x1_0f00, 4), 0);
        assert_eq!(view.load(0x1_1ffc, 4), 0, "a page as a whole");
        assert_eq!(view.load(0x1_2000, 4), 0xffff_ff00);
        global.define(0x1_0000..0x1_3000);
        let mut view = GlobalView::new(&global);
        assert_eq!(view.load(0x1_2000, 4), 0);
        global.forget(&(0x1_0000..0x1_3000));
        assert!(!global.has_any());
    }

    #[test]
    fn allocations_may_begin_within_a_page_and_within_a_dword() {
        let global = UndefinedGlobal::default();
        global.undefine(0x1_0ff0..0x1_3000);
        global.define(0x1_1000..0x1_2000);
        let mut view = GlobalView::new(&global);
        assert_eq!(view.load(0x1_0ffc, 4), u32::MAX);
        assert_eq!(view.load(0x1_1000, 4), 0);
        assert_eq!(view.load(0x1_1ffc, 4), 0);
        assert_eq!(view.load(0x1_2000, 4), u32::MAX);
        let unwritten = global.unwritten(&(0x1_0ff0..0x1_3000));
        assert_eq!(unwritten.map(|it| it.bytes), Some(0x1010));
        global.track(0x2_0001..0x2_0100);
        view.store(0x2_0001, 1, 0xff, 3);
        let left = global.left();
        let left: Vec<_> = left.iter().map(|it| (it.address, it.store)).collect();
        assert_eq!(left, [(0x2_0001, 3)]);
    }

    #[test]
    fn bytes_that_nothing_has_written_are_counted() {
        let global = UndefinedGlobal::default();
        global.undefine(0x1_0000..0x1_3000);
        let unwritten = |range: Range<u64>| {
            let found = global.unwritten(&range)?;
            assert_eq!(found.base, 0x1_0000);
            Some((found.first, found.bytes))
        };
        assert_eq!(unwritten(0x1_0000..0x1_3000), Some((0x1_0000, 0x3000)));
        let mut view = GlobalView::new(&global);
        view.store(0x1_0000, 4, 0, 0);
        view.store(0x1_0004, 4, u32::MAX, 1);
        view.store(0x1_0008, 4, 0xff00, PADDING);
        view.store(0x1_000c, 2, 0, 0);
        assert_eq!(unwritten(0x1_0000..0x1_000e), None, "stored, if undefined");
        assert_eq!(unwritten(0x1_0000..0x1_0014), Some((0x1_000e, 6)));
        global.define(0x1_0000..0x1_2ffc);
        assert_eq!(unwritten(0x1_0000..0x1_3000), Some((0x1_2ffc, 4)));
        assert_eq!(unwritten(0x1_0000..0x1_2ffc), None);
        global.track(0x2_0000..0x2_1000);
        assert_eq!(unwritten(0x2_0000..0x2_1000), None, "it began defined");
    }

    #[test]
    fn stores_leave_their_number_with_what_they_leave_undefined() {
        let global = UndefinedGlobal::default();
        global.track(0x1_0000..0x1_0100);
        let mut view = GlobalView::new(&global);
        view.store(0x1_0010, 4, 0xff, 3);
        view.store(0x1_0020, 4, 0xff, 4);
        view.store(0x1_0020, 4, 0, 0);
        let left: Vec<_> = global
            .left()
            .iter()
            .map(|it| (it.address, it.store))
            .collect();
        assert_eq!(left, [(0x1_0010, 3)]);
    }

    #[test]
    fn own_memory_counts_its_undefined_dwords() {
        let mut own = UndefinedPrivate::default();
        own.begin(8);
        own.store(0, 4, 0);
        own.store(5, 2, 0);
        assert_eq!((own.load(4, 4), own.has_any()), (0xff00_00ff, true));
        own.store(4, 1, 0);
        own.store(7, 1, 0);
        assert!(!own.has_any());
        assert_eq!(own.load(6, 4), 0, "what is beyond is defined");
    }
}
