//! Accesses of LDS since the last barrier that are not in the shadow yet.
//!
//! Most code loads from LDS what was stored before a barrier, or adds to it by atomics, or each wave stores to places of its own:
//! as long as no access of another wave comes near there is nothing to compare. Such accesses are kept as they were, until one
//! comes near; the next barrier makes them past. What is near is asked of a 64th of LDS first, and of dwords ([`Touched`]) only if
//! that does not tell.

use std::ops::Range;

use gcn_emu::observe::{ShareAccess, ShareElements};
use gcn_emu::wave::Lanes;

use super::entry::{AccessKind, PastAccess};
use super::touched::{Met, Touched, Way};
use crate::filter::lanes;

/// Parts that LDS is divided into where it matters little how exact a place is.
const PARTS: u32 = u64::BITS;

/// The parts of LDS that waves have accessed in one way, a bit for each: of all, and by wave.
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

    /// True if another wave may have accessed something in some parts.
    #[inline]
    fn meets(&self, parts: u64, wave: u32) -> bool {
        let others = || (0..).zip(&self.by_wave).filter(|(by, _)| *by != wave);
        self.all & parts != 0 && others().any(|(_, theirs)| theirs & parts != 0)
    }
}

/// True if ranges that are not empty have a byte in common.
fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// An access of LDS, but for its bases.
#[derive(Debug)]
struct BacklogAccess {
    now: PastAccess,
    /// Its wave's number in the workgroup.
    wave: u32,
    lanes: u64,
    elements: ShareElements,
    /// Place of its bases in the backlog.
    bases: usize,
}

impl BacklogAccess {
    /// An access of a wave, by its number in the workgroup, whose bases have a place.
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

    /// The lanes and the addresses of the elements: first the lanes' first ones, then their second ones.
    #[inline]
    fn elements(&self, bases: &Lanes) -> impl Iterator<Item = (usize, u64)> {
        self.elements.distances().flat_map(move |distance| {
            let first = move |lane: usize| self.elements.first(bases.0[lane]);
            lanes(self.lanes).map(move |lane| (lane, first(lane) + distance))
        })
    }

    /// The bytes of the element at an address.
    #[inline]
    fn element(&self, at: u64) -> Range<u64> {
        at..at + u64::from(self.elements.bytes)
    }

    /// Enters it among others. It is in a range of bytes.
    fn enter(&self, touched: &mut Touched, bases: &Lanes, range: &Range<u64>) -> Met {
        let bytes = u64::from(self.elements.bytes);
        let elements = self.elements(bases).map(|(_, at)| at);
        touched.enter(self.wave, Way::of(self.now.kind()), range, bytes, elements)
    }
}

/// The accesses since the last barrier.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    /// Bytes of LDS, and the power of two that its parts have.
    lds: usize,
    shift: u32,
    /// Reach of all accesses, kept or not, by way.
    reach: [Reach; Way::ALL.len()],
    /// The stores one by one, with their waves, as long as they are few.
    stored: Vec<(Range<u64>, u32)>,
    /// All accesses by dwords, from the moment on when the reach did not tell enough.
    touched: Touched,
    has_touched: bool,
    /// True if there are accesses that `touched` does not have, and that are not kept.
    has_others: bool,
    kept: Vec<BacklogAccess>,
    /// Number of the first ones, which are in the shadow already: only their lanes are asked for.
    in_shadow: usize,
    /// The bases of those that are kept, as [`ShareAccess`] has them, and their numbers.
    bases: Vec<Lanes>,
    numbers: Vec<u64>,
    /// From the lowest to the highest byte of those that are not in the shadow.
    kept_bytes: Range<u64>,
}

/// Accesses that are kept at most.
const MOST: usize = 2048;
/// Bases that are searched for those of an access: code accesses LDS by few registers, with one offset after the other.
const RECENT: usize = 4;
/// Stores that are looked at one by one.
const FEW_STORES: usize = 32;

impl Backlog {
    /// LDS has some bytes.
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

    /// All that are kept are in the shadow.
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

    /// True if no more are kept.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= MOST
    }

    /// True if some bytes may be among those of accesses that are kept.
    #[inline]
    pub(super) fn meets(&self, bytes: &Range<u64>) -> bool {
        overlap(&self.kept_bytes, bytes)
    }

    /// The parts that bytes are in; those beyond LDS are in the last one.
    fn parts(&self, bytes: &Range<u64>) -> u64 {
        let part = |at: u64| (at >> self.shift).min(u64::from(PARTS - 1)) as u32;
        let (first, last) = (part(bytes.start), part(bytes.end.saturating_sub(1)));
        u64::MAX << first & u64::MAX >> (PARTS - 1 - last)
    }

    /// Notes where an access of a wave goes, by its number in the workgroup, that is not kept.
    #[inline]
    pub(super) fn note(&mut self, bytes: &Range<u64>, kind: AccessKind, wave: u32) {
        let way = Way::of(kind);
        self.reaches(bytes, self.parts(bytes), way, wave);
        if self.has_touched {
            let all = std::iter::once(bytes.start);
            self.touched
                .enter(wave, way, bytes, bytes.end - bytes.start, all);
        } else {
            self.has_others = true;
        }
    }

    /// Notes where an access goes: some bytes, which are in some parts.
    #[inline]
    fn reaches(&mut self, bytes: &Range<u64>, parts: u64, way: Way, wave: u32) {
        self.reach[way as usize].add(parts, wave);
        if way == Way::Store && self.stored.len() < FEW_STORES {
            self.stored.push((bytes.clone(), wave));
        }
    }

    /// True if another wave may have accessed some bytes, which are in some parts, in a way that conflicts with this one.
    #[inline]
    fn is_near(&self, bytes: &Range<u64>, parts: u64, way: Way, wave: u32) -> bool {
        Way::ALL.into_iter().any(|other| {
            way.meets(other)
                && self.reach[other as usize].meets(parts, wave)
                && (other != Way::Store || self.meets_stored(bytes, wave))
        })
    }

    /// True if another wave may have stored to some bytes.
    fn meets_stored(&self, bytes: &Range<u64>, wave: u32) -> bool {
        let mut stored = self.stored.iter();
        self.stored.len() == FEW_STORES
            || stored.any(|(other, by)| *by != wave && overlap(other, bytes))
    }

    /// Keeps a load, an atomic or a store of a wave, by its number in the workgroup, if no other wave has come near in a way that it may
    /// conflict with, and no two lanes store to one byte; `is_apart` if these are known not to. Returns false if it has to be looked at.
    #[inline]
    pub(super) fn keep(
        &mut self,
        access: &ShareAccess<'_>,
        is_apart: bool,
        now: PastAccess,
        wave: u32,
    ) -> bool {
        let parts = self.parts(&access.range);
        let way = Way::of(now.kind());
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

    /// Enters an access, and returns the kinds of access that it meets in its dwords; nothing if others are not known by dwords.
    #[inline(never)]
    fn enter(&mut self, access: &ShareAccess<'_>, now: PastAccess, wave: u32) -> Option<Met> {
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

    /// The place of an access's bases.
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

    /// The lane by which one of the last accesses has accessed an address.
    pub(super) fn lane_of(&self, access: PastAccess, at: u64) -> Option<usize> {
        let access = access.without_release();
        let mut kept = self.kept.iter().filter(|it| it.now == access);
        kept.find_map(|it| {
            let mut elements = it.elements(&self.bases[it.bases]);
            let lane = elements.find(|(_, from)| it.element(*from).contains(&at));
            lane.map(|(lane, _)| lane)
        })
    }

    /// Calls a function with the bytes of each access that is not in the shadow, in order; lanes that follow each other are taken
    /// together.
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
