//! Queue of LDS accesses since the last barrier that are not in the shadow yet.
//!
//! Most code loads values from LDS that were stored before a barrier, accumulates in LDS with atomics, or stores to
//! separate locations in each wave. Unless another wave accesses nearby bytes, there is nothing to compare, so these
//! accesses are queued, and discarded at the next barrier. Coarse bitmaps, which divide LDS into 64 parts, detect nearby
//! accesses; bitmaps of dwords ([`LdsBitmap`]) are used only if those are inconclusive.

use std::ops::Range;

use gcn_emu::observe::{ShareAccess, ShareElements};
use gcn_emu::wave::Lanes;

use super::access::{AccessKind, PastAccess};
use crate::filter::lanes;

/// Number of bytes per bit of an [`LdsBitmap`].
const DWORD: u64 = 4;

/// Class of access kinds with the same conflicts. Two loads do not conflict, nor do two atomics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessMode {
    Load,
    Store,
    Atomic,
}

impl AccessMode {
    /// All modes, in order of their discriminants.
    pub(super) const ALL: [AccessMode; 3] =
        [AccessMode::Load, AccessMode::Store, AccessMode::Atomic];

    pub(super) fn of(kind: AccessKind) -> AccessMode {
        match kind {
            AccessKind::Load | AccessKind::CoherentLoad | AccessKind::SwapLoad => AccessMode::Load,
            AccessKind::Store => AccessMode::Store,
            AccessKind::Atomic | AccessKind::FailedSwap => AccessMode::Atomic,
        }
    }

    /// True if accesses in these modes by two waves may conflict.
    #[inline]
    pub(super) fn meets(self, other: AccessMode) -> bool {
        self != other || self == AccessMode::Store
    }
}

/// Overlap of an access with accesses already in the bitmap, and of its elements with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct DwordOverlap {
    /// True if another wave has accessed one of its dwords in a conflicting mode.
    pub(super) others: bool,
    /// True if two of its elements share a dword.
    pub(super) itself: bool,
}

/// Bitmaps of the dwords accessed in one mode by any wave, and by several waves.
#[derive(Debug, Default)]
struct SharedBits {
    all: Vec<u64>,
    several: Vec<u64>,
}

/// Bitmaps of accessed dwords, by wave and mode.
#[derive(Debug, Default)]
pub(super) struct LdsBitmap {
    /// Number of 64-bit words in a bitmap.
    words: usize,
    /// Indexed by mode.
    by_all: [SharedBits; AccessMode::ALL.len()],
    /// One bitmap for each mode of each wave.
    own: Vec<u64>,
    /// Dwords of the access being entered. Zero between accesses.
    bits: Vec<u64>,
}

/// Collector for the dwords of an access, one 64-bit word of the bitmap at a time.
struct Collector<'a> {
    bits: &'a mut [u64],
    /// Index of the current word, and its bits that have not been written back yet.
    word: u64,
    open: u64,
}

impl Collector<'_> {
    #[inline]
    fn put(&mut self, word: u64, bits: u64) {
        if word != self.word {
            self.flush();
            self.word = word;
        }
        self.open |= bits;
    }

    fn flush(&mut self) {
        // Bytes beyond LDS are ignored.
        if let Some(bits) = self.bits.get_mut(self.word as usize) {
            *bits |= self.open;
        }
        self.open = 0;
    }

    /// Adds the dwords that contain `bytes`. Returns the number of dwords.
    fn add(&mut self, bytes: Range<u64>) -> u64 {
        let (mut first, end) = (bytes.start / DWORD, bytes.end.div_ceil(DWORD));
        let all = end - first;
        while first < end {
            let (word, bit) = (first / 64, first % 64);
            let count = (end - first).min(64 - bit);
            self.put(word, u64::MAX >> (64 - count) << bit);
            first += count;
        }
        all
    }

    /// Adds the dwords of elements of `bytes` bytes each. Returns the number of dwords.
    fn add_all(&mut self, bytes: u64, elements: impl Iterator<Item = u64>) -> u64 {
        let dwords = bytes.div_ceil(DWORD);
        let mask = u64::MAX >> (64 - dwords.clamp(1, 64));
        let mut all = 0;
        elements.for_each(|at| {
            let (word, bit) = (at / DWORD / 64, at / DWORD % 64);
            if at % DWORD == 0 && bit + dwords <= 64 {
                self.put(word, mask << bit);
                all += dwords;
            } else {
                all += self.add(at..at + bytes);
            }
        });
        self.flush();
        all
    }
}

impl LdsBitmap {
    /// Clears the bitmap, and sets the size of LDS.
    pub(super) fn begin(&mut self, bytes: usize) {
        self.words = bytes.div_ceil(64 * DWORD as usize);
        for it in &mut self.by_all {
            for bits in [&mut it.all, &mut it.several] {
                bits.clear();
                bits.resize(self.words, 0);
            }
        }
        self.own.clear();
        self.bits.resize(self.words, 0);
    }

    /// Enters an access by a wave of the workgroup to elements of `bytes` bytes each, all within `reach`.
    pub(super) fn enter(
        &mut self,
        wave: u32,
        way: AccessMode,
        reach: &Range<u64>,
        bytes: u64,
        elements: impl Iterator<Item = u64>,
    ) -> DwordOverlap {
        let mut collector = Collector {
            bits: &mut self.bits,
            word: 0,
            open: 0,
        };
        let count = collector.add_all(bytes, elements);
        let of_wave = self.words * AccessMode::ALL.len();
        let own = wave as usize * of_wave;
        if self.own.len() < own + of_wave {
            self.own.resize(own + of_wave, 0);
        }
        let own = &mut self.own[own..own + of_wave];
        let size = 64 * DWORD;
        let end = (reach.end.div_ceil(size) as usize).min(self.words);
        let start = ((reach.start / size) as usize).min(end);
        let (mut met, mut different) = (0, 0);
        for word in start..end {
            let bits = std::mem::take(&mut self.bits[word]);
            different += u64::from(bits.count_ones());
            for other in AccessMode::ALL {
                let number = other as usize;
                let by_all = &mut self.by_all[number];
                let (all, several) = (&mut by_all.all[word], &mut by_all.several[word]);
                let own = &mut own[number * self.words + word];
                let others = *all & !*own | *several;
                if way.meets(other) {
                    met |= bits & others;
                }
                if way == other {
                    *several |= bits & others;
                    *all |= bits;
                    *own |= bits;
                }
            }
        }
        DwordOverlap {
            others: met != 0,
            itself: different != count,
        }
    }
}

/// Number of parts into which the coarse bitmaps divide LDS.
const PARTS: u32 = u64::BITS;

/// Coarse bitmaps of the LDS parts accessed in one mode, by all waves together and by each wave.
#[derive(Debug, Default)]
struct Reach {
    all: u64,
    by_wave: Vec<u64>,
}

impl Reach {
    fn clear(&mut self) {
        if self.all != 0 {
            self.all = 0;
            self.by_wave.fill(0);
        }
    }

    #[inline]
    fn add(&mut self, parts: u64, wave: u32) {
        self.all |= parts;
        let wave = wave as usize;
        match self.by_wave.get_mut(wave) {
            Some(it) => *it |= parts,
            None => {
                self.by_wave.resize(wave + 1, 0);
                self.by_wave[wave] = parts;
            }
        }
    }

    /// True if another wave may have accessed one of `parts`.
    #[inline]
    fn meets(&self, parts: u64, wave: u32) -> bool {
        let others = || (0..).zip(&self.by_wave).filter(|(by, _)| *by != wave);
        self.all & parts != 0 && others().any(|(_, theirs)| theirs & parts != 0)
    }
}

/// True if two nonempty ranges overlap.
fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// A queued LDS access, without its base addresses.
#[derive(Debug)]
struct BacklogAccess {
    now: PastAccess,
    /// Wave number within the workgroup.
    wave: u32,
    lanes: u64,
    elements: ShareElements,
    /// Index of the base addresses in the backlog.
    bases: usize,
}

impl BacklogAccess {
    #[inline]
    fn new(access: &ShareAccess<'_>, now: PastAccess, wave: u32, bases: usize) -> BacklogAccess {
        BacklogAccess {
            now,
            wave,
            lanes: access.lanes,
            elements: access.elements,
            bases,
        }
    }

    /// Returns lanes and addresses of elements: the first elements of all lanes, then the second ones.
    #[inline]
    fn elements(&self, bases: &Lanes) -> impl Iterator<Item = (usize, u64)> {
        self.elements.distances().flat_map(move |distance| {
            let first = move |lane: usize| self.elements.first(bases.0[lane]);
            lanes(self.lanes).map(move |lane| (lane, first(lane) + distance))
        })
    }

    #[inline]
    fn element(&self, at: u64) -> Range<u64> {
        at..at + u64::from(self.elements.bytes)
    }

    /// Enters the access into the bitmap. `range` contains its elements.
    fn enter(&self, touched: &mut LdsBitmap, bases: &Lanes, range: &Range<u64>) -> DwordOverlap {
        let bytes = u64::from(self.elements.bytes);
        let elements = self.elements(bases).map(|(_, at)| at);
        touched.enter(
            self.wave,
            AccessMode::of(self.now.kind()),
            range,
            bytes,
            elements,
        )
    }
}

/// Queue of LDS accesses, and bitmaps of all LDS accesses since the last barrier.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    /// Size of LDS in bytes, and base-2 logarithm of the size of a part.
    lds: usize,
    shift: u32,
    /// Coarse bitmaps of all accesses, queued or not, by mode.
    reach: [Reach; AccessMode::ALL.len()],
    /// Byte ranges of the first [`FEW_STORES`] stores, with their waves.
    stored: Vec<(Range<u64>, u32)>,
    /// Dword bitmaps of all accesses. Maintained only once the coarse bitmaps have been inconclusive.
    touched: LdsBitmap,
    has_touched: bool,
    /// True if some accesses are neither in the dword bitmaps nor queued.
    has_others: bool,
    kept: Vec<BacklogAccess>,
    /// Number of leading entries of `kept` that are already in the shadow, and remain only for their lane numbers.
    in_shadow: usize,
    /// Base addresses of queued accesses, and their numbers, as in [`ShareAccess`].
    bases: Vec<Lanes>,
    numbers: Vec<u64>,
    /// Range that covers all entries that are not in the shadow.
    kept_bytes: Range<u64>,
}

/// Maximum number of queued accesses.
const MOST: usize = 2048;
/// Number of recent base addresses searched for a match. Code mostly varies the offset, not the address register.
const RECENT: usize = 4;
/// Maximum number of stores tracked individually.
const FEW_STORES: usize = 32;

impl Backlog {
    /// Sets the size of LDS.
    pub(super) fn resize(&mut self, bytes: usize) {
        self.lds = bytes;
        self.shift = bytes.div_ceil(PARTS as usize).next_power_of_two().ilog2();
    }

    /// Discards all accesses.
    pub(super) fn clear(&mut self) {
        self.reach.iter_mut().for_each(Reach::clear);
        self.stored.clear();
        self.forget();
        (self.has_touched, self.has_others) = (false, false);
    }

    /// Marks all queued accesses as entered into the shadow.
    pub(super) fn settled(&mut self) {
        self.has_others |= !self.has_touched && self.kept.len() > self.in_shadow;
        if self.is_full() {
            self.forget();
        }
        self.in_shadow = self.kept.len();
        self.kept_bytes = 0..0;
    }

    fn forget(&mut self) {
        self.kept.clear();
        self.in_shadow = 0;
        self.bases.clear();
        self.numbers.clear();
        self.kept_bytes = 0..0;
    }

    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= MOST
    }

    /// True if the range may overlap a queued access that is not in the shadow.
    #[inline]
    pub(super) fn meets(&self, bytes: &Range<u64>) -> bool {
        overlap(&self.kept_bytes, bytes)
    }

    /// Returns the coarse bitmap of a range. Bytes beyond LDS belong to the last part.
    fn parts(&self, bytes: &Range<u64>) -> u64 {
        let part = |at: u64| (at >> self.shift).min(u64::from(PARTS - 1)) as u32;
        let (first, last) = (part(bytes.start), part(bytes.end.saturating_sub(1)));
        u64::MAX << first & u64::MAX >> (PARTS - 1 - last)
    }

    /// Records the bytes of an access that is not queued.
    #[inline]
    pub(super) fn note(&mut self, bytes: &Range<u64>, kind: AccessKind, wave: u32) {
        let way = AccessMode::of(kind);
        self.reaches(bytes, self.parts(bytes), way, wave);
        if self.has_touched {
            let all = std::iter::once(bytes.start);
            self.touched
                .enter(wave, way, bytes, bytes.end - bytes.start, all);
        } else {
            self.has_others = true;
        }
    }

    /// Records an access in the coarse bitmaps.
    #[inline]
    fn reaches(&mut self, bytes: &Range<u64>, parts: u64, way: AccessMode, wave: u32) {
        self.reach[way as usize].add(parts, wave);
        if way == AccessMode::Store && self.stored.len() < FEW_STORES {
            self.stored.push((bytes.clone(), wave));
        }
    }

    /// True if another wave may have accessed some of the bytes in a conflicting mode. `parts` is their coarse bitmap.
    #[inline]
    fn is_near(&self, bytes: &Range<u64>, parts: u64, way: AccessMode, wave: u32) -> bool {
        AccessMode::ALL.into_iter().any(|other| {
            way.meets(other)
                && self.reach[other as usize].meets(parts, wave)
                && (other != AccessMode::Store || self.meets_stored(bytes, wave))
        })
    }

    /// True if another wave may have stored to some of the bytes.
    fn meets_stored(&self, bytes: &Range<u64>, wave: u32) -> bool {
        let mut stored = self.stored.iter();
        self.stored.len() == FEW_STORES
            || stored.any(|(other, by)| *by != wave && overlap(other, bytes))
    }

    /// Queues an access by a wave of the workgroup if no other wave has a nearby access in a conflicting mode and, unless
    /// `is_apart`, its own elements share no dword. Returns false if the access must be checked now.
    #[inline]
    pub(super) fn keep(
        &mut self,
        access: &ShareAccess<'_>,
        is_apart: bool,
        now: PastAccess,
        wave: u32,
    ) -> bool {
        let parts = self.parts(&access.range);
        let way = AccessMode::of(now.kind());
        let is_near = self.is_near(&access.range, parts, way, wave);
        if is_near || !is_apart || self.has_touched {
            let met = self.enter(access, now, wave);
            if met.is_none_or(|it| it.others || it.itself && !is_apart) {
                return false;
            }
        }
        let bytes = &access.range;
        self.reaches(bytes, parts, way, wave);
        let all = &mut self.kept_bytes;
        *all = match all.is_empty() {
            true => bytes.clone(),
            false => all.start.min(bytes.start)..all.end.max(bytes.end),
        };
        let bases = self.bases(access);
        self.kept.push(BacklogAccess::new(access, now, wave, bases));
        true
    }

    /// Enters an access into the dword bitmaps and returns its overlaps. Returns `None` if they lack earlier accesses.
    #[inline(never)]
    fn enter(
        &mut self,
        access: &ShareAccess<'_>,
        now: PastAccess,
        wave: u32,
    ) -> Option<DwordOverlap> {
        if !self.has_touched && !self.has_others {
            self.touched.begin(self.lds);
            self.has_touched = true;
            for it in &self.kept[self.in_shadow..] {
                let bases = &self.bases[it.bases];
                it.enter(&mut self.touched, bases, &(0..u64::MAX));
            }
        }
        let touched = self.has_touched.then_some(&mut self.touched)?;
        let it = BacklogAccess::new(access, now, wave, 0);
        Some(it.enter(touched, access.bases, &access.range))
    }

    /// Returns the index of an access's base addresses, after adding them if necessary.
    fn bases(&mut self, access: &ShareAccess<'_>) -> usize {
        let recent = self.numbers.len().saturating_sub(RECENT);
        let mut numbers = self.numbers[recent..].iter();
        if let Some(place) = numbers.position(|it| *it == access.bases_number) {
            return recent + place;
        }
        self.numbers.push(access.bases_number);
        self.bases.push(*access.bases);
        self.bases.len() - 1
    }

    /// Returns the lane of a queued access that touched an address.
    pub(super) fn lane_of(&self, access: PastAccess, at: u64) -> Option<usize> {
        let access = access.without_release();
        let mut kept = self.kept.iter().filter(|it| it.now == access);
        kept.find_map(|it| {
            let mut elements = it.elements(&self.bases[it.bases]);
            let lane = elements.find(|(_, from)| it.element(*from).contains(&at));
            lane.map(|(lane, _)| lane)
        })
    }

    /// Calls `each` for the bytes of each access that is not in the shadow, in order, with adjacent lanes merged.
    pub(super) fn each(&self, mut each: impl FnMut(Range<u64>, PastAccess)) {
        for kept in &self.kept[self.in_shadow..] {
            let bases = &self.bases[kept.bases];
            let mut open = 0..0;
            for (_, at) in kept.elements(bases) {
                let element = kept.element(at);
                if element.start == open.end && !open.is_empty() {
                    open.end = element.end;
                } else if open != element {
                    if !open.is_empty() {
                        each(open, kept.now);
                    }
                    open = element;
                }
            }
            if !open.is_empty() {
                each(open, kept.now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enters an access whose elements are byte ranges of equal size.
    fn enter(
        touched: &mut LdsBitmap,
        wave: u32,
        kind: AccessKind,
        all: &[(u64, u64)],
    ) -> DwordOverlap {
        let bytes = all[0].1 - all[0].0;
        assert!(all.iter().all(|it| it.1 - it.0 == bytes));
        let first = all.iter().map(|it| it.0).min().unwrap();
        let last = all.iter().map(|it| it.1).max().unwrap();
        let all = all.iter().map(|it| it.0);
        touched.enter(wave, AccessMode::of(kind), &(first..last), bytes, all)
    }

    const NOTHING: DwordOverlap = DwordOverlap {
        others: false,
        itself: false,
    };
    const OTHERS: DwordOverlap = DwordOverlap {
        others: true,
        itself: false,
    };

    #[test]
    fn a_store_meets_loads_and_stores_of_other_waves() {
        use AccessKind::{Load, Store};
        let mut touched = LdsBitmap::default();
        touched.begin(1024);
        let it = &mut touched;
        assert_eq!(enter(it, 0, Store, &[(0, 4), (8, 12)]), NOTHING);
        assert_eq!(enter(it, 1, Store, &[(4, 8), (12, 16)]), NOTHING);
        assert_eq!(enter(it, 0, Load, &[(0, 4)]), NOTHING);
        assert_eq!(enter(it, 1, Load, &[(8, 9)]), OTHERS);
        assert_eq!(enter(it, 1, Store, &[(0, 1)]), OTHERS);
        // Both waves have stored there now.
        assert_eq!(enter(it, 0, Load, &[(0, 4)]), OTHERS);
        assert_eq!(enter(it, 1, Load, &[(0, 4)]), OTHERS);
        // Two loads do not conflict.
        assert_eq!(enter(it, 0, Load, &[(248, 264)]), NOTHING);
        assert_eq!(enter(it, 1, Load, &[(248, 264)]), NOTHING);
        assert_eq!(enter(it, 1, Load, &[(248, 264)]), NOTHING);
        // The load by wave 0 still counts after those by wave 1.
        assert_eq!(enter(it, 1, Store, &[(260, 264)]), OTHERS);
        it.begin(1024);
        assert_eq!(enter(it, 2, Store, &[(0, 1024)]), NOTHING);
    }

    #[test]
    fn atomics_meet_all_but_each_other() {
        use AccessKind::{Atomic, FailedSwap, Load, Store};
        let mut touched = LdsBitmap::default();
        touched.begin(256);
        let it = &mut touched;
        assert!(!enter(it, 0, Atomic, &[(0, 4), (0, 4)]).others);
        assert_eq!(enter(it, 1, Atomic, &[(0, 4)]), NOTHING);
        assert_eq!(enter(it, 1, FailedSwap, &[(4, 8)]), NOTHING);
        assert_eq!(enter(it, 0, Load, &[(0, 4)]), OTHERS);
        assert_eq!(enter(it, 0, Store, &[(4, 8)]), OTHERS);
        assert_eq!(enter(it, 1, Atomic, &[(4, 8)]), OTHERS);
        // A wave's own atomic does not conflict with its load.
        assert_eq!(enter(it, 2, Atomic, &[(8, 12)]), NOTHING);
        assert_eq!(enter(it, 2, Load, &[(8, 12)]), NOTHING);
    }

    #[test]
    fn elements_of_a_store_meet_each_other() {
        use AccessKind::Store;
        let mut touched = LdsBitmap::default();
        touched.begin(512);
        let it = &mut touched;
        let both = enter(it, 0, Store, &[(0, 4), (256, 260), (2, 6)]);
        assert!(both.itself && !both.others);
        // The same wave may store there again.
        assert_eq!(enter(it, 0, Store, &[(252, 260), (0, 8)]), NOTHING);
    }

    #[test]
    fn what_is_beyond_lds_is_nobodys() {
        use AccessKind::{Load, Store};
        let mut touched = LdsBitmap::default();
        touched.begin(256);
        let it = &mut touched;
        let beyond = [(256, 260), (1 << 32, (1 << 32) + 4)];
        assert!(!enter(it, 0, Store, &beyond).others);
        assert!(!enter(it, 1, Store, &beyond).others);
        assert!(!enter(it, 0, Store, &[(252, 272)]).others);
        assert_eq!(enter(it, 1, Load, &[(252, 256)]), OTHERS);
    }
}
