//! LDS accesses since the last barrier that have not been entered into the shadow.
//!
//! Most code loads from LDS what was stored before a barrier, or adds to it by atomics, or each wave stores to its
//! own locations. Unless another wave accesses nearby bytes there is nothing to compare, so such accesses are queued,
//! and the next barrier discards them. A nearby access is detected by 64ths of LDS first, and by dwords
//! ([`LdsBitmap`]) only if that is inconclusive.

use std::ops::Range;

use gcn_emu::observe::{ShareAccess, ShareElements};
use gcn_emu::wave::Lanes;

use super::entry::{AccessKind, PastAccess};
use super::lds_bitmap::{AccessMode, DwordOverlap, LdsBitmap};
use crate::filter::lanes;

/// Number of equal parts of LDS in the coarse bitmaps.
const PARTS: u32 = u64::BITS;

/// Coarse bitmaps of the LDS parts accessed in one mode, by all waves and by each wave.
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

    /// True if another wave may have accessed one of the parts.
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
    /// Creates an entry for an access by a wave of the workgroup, with the index of its base addresses.
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

    /// Lanes and element addresses: first elements of all lanes, then second elements.
    #[inline]
    fn elements(&self, bases: &Lanes) -> impl Iterator<Item = (usize, u64)> {
        self.elements.distances().flat_map(move |distance| {
            let first = move |lane: usize| self.elements.first(bases.0[lane]);
            lanes(self.lanes).map(move |lane| (lane, first(lane) + distance))
        })
    }

    /// Bytes of the element at an address.
    #[inline]
    fn element(&self, at: u64) -> Range<u64> {
        at..at + u64::from(self.elements.bytes)
    }

    /// Enters the access, which is within a byte range, into the bitmap.
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

/// LDS accesses since the last barrier.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    /// Size of LDS in bytes, and log2 of the size of a part.
    lds: usize,
    shift: u32,
    /// Coarse bitmaps of all accesses, queued or not, by mode.
    reach: [Reach; AccessMode::ALL.len()],
    /// Individual stores with their waves, while there are few.
    stored: Vec<(Range<u64>, u32)>,
    /// Dword bitmap of all accesses, filled once the coarse bitmaps have been inconclusive.
    touched: LdsBitmap,
    has_touched: bool,
    /// True if there were accesses that are neither in the dword bitmap nor queued.
    has_others: bool,
    kept: Vec<BacklogAccess>,
    /// Number of leading entries that are in the shadow already and kept only for lane numbers.
    in_shadow: usize,
    /// Base addresses of queued accesses, as in [`ShareAccess`], and their numbers.
    bases: Vec<Lanes>,
    numbers: Vec<u64>,
    /// Byte range that covers the entries not in the shadow.
    kept_bytes: Range<u64>,
}

/// Maximum number of queued accesses.
const MOST: usize = 2048;
/// Number of recent base addresses searched for a match: code accesses LDS with few registers, one offset after the
/// other.
const RECENT: usize = 4;
/// Maximum number of stores tracked individually.
const FEW_STORES: usize = 32;

impl Backlog {
    /// Sets the size of LDS.
    pub(super) fn resize(&mut self, bytes: usize) {
        self.lds = bytes;
        self.shift = bytes.div_ceil(PARTS as usize).next_power_of_two().ilog2();
    }

    /// All is past.
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

    /// True if the queue is full.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= MOST
    }

    /// True if bytes may overlap a queued access.
    #[inline]
    pub(super) fn meets(&self, bytes: &Range<u64>) -> bool {
        overlap(&self.kept_bytes, bytes)
    }

    /// Bitmap of the parts that contain some bytes; bytes beyond LDS count to the last part.
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

    /// Records the bytes and parts of an access in the coarse bitmaps.
    #[inline]
    fn reaches(&mut self, bytes: &Range<u64>, parts: u64, way: AccessMode, wave: u32) {
        self.reach[way as usize].add(parts, wave);
        if way == AccessMode::Store && self.stored.len() < FEW_STORES {
            self.stored.push((bytes.clone(), wave));
        }
    }

    /// True if another wave may have accessed some of the bytes in a conflicting mode. `parts` are the parts that
    /// contain them.
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

    /// Queues a load, an atomic or a store of a wave of the workgroup, if no other wave has a nearby access in a
    /// conflicting mode and no two lanes store to the same byte; `is_apart` if this is known of the lanes. Returns
    /// false if the access must be checked now.
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

    /// Enters an access into the dword bitmap and returns its overlaps; `None` if the bitmap does not have all
    /// earlier accesses.
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

    /// Index of an access's base addresses.
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

    /// Lane by which a recent access touched an address.
    pub(super) fn lane_of(&self, access: PastAccess, at: u64) -> Option<usize> {
        let access = access.without_release();
        let mut kept = self.kept.iter().filter(|it| it.now == access);
        kept.find_map(|it| {
            let mut elements = it.elements(&self.bases[it.bases]);
            let lane = elements.find(|(_, from)| it.element(*from).contains(&at));
            lane.map(|(lane, _)| lane)
        })
    }

    /// Calls a function for the bytes of each access not in the shadow, in order, with adjacent lanes merged.
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
