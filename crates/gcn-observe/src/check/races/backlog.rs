//! Accesses of LDS since the last barrier that are not in the shadow yet.
//!
//! Most code loads from LDS what was stored before a barrier, or adds to it by atomics: as long as no access of another kind comes
//! near there is nothing to compare, nor where each wave stores to a range of its own. Such accesses are kept as they were, until
//! one comes near; the next barrier makes them past.

use std::ops::Range;

use gcn_emu::observe::{ShareAccess, ShareElements};
use gcn_emu::wave::Lanes;

use super::entry::{AccessKind, EntryLayout, PastAccess};
use crate::filter::lanes;

/// The bytes from the lowest to the highest of some accesses, and the wave that made them all, if one did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct AccessedRange {
    bytes: Range<u64>,
    wave: Option<u32>,
}

/// True if ranges that are not empty have a byte in common.
fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

impl AccessedRange {
    fn add(&mut self, bytes: &Range<u64>, wave: u32) {
        if self.bytes.is_empty() {
            (self.bytes, self.wave) = (bytes.clone(), Some(wave));
            return;
        }
        self.bytes = self.bytes.start.min(bytes.start)..self.bytes.end.max(bytes.end);
        if self.wave != Some(wave) {
            self.wave = None;
        }
    }

    /// True if another wave may have accessed one of some bytes.
    fn meets(&self, bytes: &Range<u64>, wave: u32) -> bool {
        overlap(&self.bytes, bytes) && self.wave != Some(wave)
    }
}

/// An access of LDS, but for its bases.
#[derive(Debug)]
struct BacklogAccess {
    now: PastAccess,
    lanes: u64,
    elements: ShareElements,
    /// Place of its bases in the backlog.
    bases: usize,
}

impl BacklogAccess {
    /// The bytes of each element: first the lanes' first ones, then their second ones.
    fn elements(&self, bases: &Lanes) -> impl Iterator<Item = Range<u64>> {
        let count = 1 + usize::from(self.elements.distance.is_some());
        (0..count).flat_map(move |number| {
            lanes(self.lanes).filter_map(move |lane| {
                let at = self.elements.addresses(bases.0[lane]).nth(number)?;
                Some(at..at + u64::from(self.elements.bytes))
            })
        })
    }
}

/// The accesses since the last barrier.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    /// Reach of all accesses, kept or not, by kind: loads and swaps that fail, atomics, stores.
    loads: AccessedRange,
    atomics: AccessedRange,
    stores: AccessedRange,
    /// The stores one by one, with their waves, as long as they are few.
    stored: Vec<(Range<u64>, u32)>,
    kept: Vec<BacklogAccess>,
    /// The bases of those that are kept, as [`ShareAccess`] has them, and their numbers.
    bases: Vec<Lanes>,
    numbers: Vec<u64>,
    /// From the lowest to the highest byte of those that are kept.
    kept_bytes: Range<u64>,
}

/// Accesses that are kept at most.
const MOST: usize = 2048;
/// Bases that are searched for those of an access: code accesses LDS by few registers, with one offset after the other.
const RECENT: usize = 4;
/// Stores that are looked at one by one.
const FEW_STORES: usize = 32;

impl Backlog {
    /// All is past.
    pub(super) fn clear(&mut self) {
        *self = Backlog {
            stored: std::mem::take(&mut self.stored),
            kept: std::mem::take(&mut self.kept),
            bases: std::mem::take(&mut self.bases),
            numbers: std::mem::take(&mut self.numbers),
            ..Backlog::default()
        };
        self.stored.clear();
        self.forget();
    }

    /// The same, of whose accesses none are kept any more.
    pub(super) fn settled(mut self) -> Backlog {
        self.forget();
        self
    }

    /// Keeps none any more.
    fn forget(&mut self) {
        self.kept.clear();
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

    /// Notes where an access goes that is not kept.
    #[inline]
    pub(super) fn note(&mut self, bytes: &Range<u64>, now: PastAccess, layout: EntryLayout) {
        let wave = layout.wave(now);
        match now.kind() {
            AccessKind::Load | AccessKind::CoherentLoad | AccessKind::FailedSwap => {
                self.loads.add(bytes, wave)
            }
            AccessKind::Store => self.stores(bytes, wave),
            AccessKind::Atomic => self.atomics.add(bytes, wave),
        }
    }

    /// Notes where a store goes.
    fn stores(&mut self, bytes: &Range<u64>, wave: u32) {
        self.stores.add(bytes, wave);
        if self.stored.len() < FEW_STORES {
            self.stored.push((bytes.clone(), wave));
        }
    }

    /// True if another wave may have stored to some bytes.
    fn meets_stores(&self, bytes: &Range<u64>, wave: u32) -> bool {
        let mut stored = self.stored.iter();
        self.stores.meets(bytes, wave)
            && (self.stored.len() == FEW_STORES
                || stored.any(|(other, by)| *by != wave && overlap(other, bytes)))
    }

    /// Keeps a load or an atomic, if no other wave has come near in another way, or a store that ascends, if none has come near at all.
    /// Returns false if one has.
    #[inline]
    pub(super) fn keep(
        &mut self,
        access: &ShareAccess<'_>,
        now: PastAccess,
        layout: EntryLayout,
    ) -> bool {
        let bytes = access.range.clone();
        let wave = layout.wave(now);
        let (meets_loads, meets_atomics) = (
            self.loads.meets(&bytes, wave),
            self.atomics.meets(&bytes, wave),
        );
        let conflicts = match now.kind() {
            AccessKind::Load => meets_atomics,
            AccessKind::Atomic => meets_loads,
            AccessKind::Store => meets_loads || meets_atomics,
            AccessKind::CoherentLoad | AccessKind::FailedSwap => true,
        };
        if conflicts || self.meets_stores(&bytes, wave) {
            return false;
        }
        self.note(&bytes, now, layout);
        self.kept_bytes = match self.kept_bytes.is_empty() {
            true => bytes,
            false => self.kept_bytes.start.min(bytes.start)..self.kept_bytes.end.max(bytes.end),
        };
        let bases = self.bases(access);
        self.kept.push(BacklogAccess {
            now,
            lanes: access.lanes,
            elements: access.elements,
            bases,
        });
        true
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

    /// Calls a function with the bytes of each access that is kept, in order; lanes that follow each other are taken together.
    pub(super) fn each(&self, mut each: impl FnMut(Range<u64>, PastAccess)) {
        for kept in &self.kept {
            let bases = &self.bases[kept.bases];
            let mut open = 0..0;
            for element in kept.elements(bases) {
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
