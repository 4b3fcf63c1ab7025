//! Release sequences: releases at a location, continued by later atomics.

use std::collections::HashSet;
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use super::access::{EntryLayout, PastAccess};

/// Maximum number of releases per wave in a rebuilt list: the last one of any scope, and the last one of agent scope.
const KEPT: usize = 2;
/// Number of further releases above which a list is rebuilt.
const MAX_OTHERS: usize = 64;

/// Release sequence at a location.
#[derive(Clone, Debug, Default)]
pub(super) struct ReleaseSequence {
    /// Last release of each wave, sorted by wave.
    last: Vec<PastAccess>,
    /// Persistent list of releases: a reader keeps the list as of its read.
    list: Releases,
    /// Length of the list, which may also contain earlier releases of a wave.
    length: usize,
}

/// Releases of a sequence, newest first. Lists share their tails.
#[derive(Clone, Debug, Default)]
pub(super) struct Releases(Option<Arc<ReleaseNode>>);

#[derive(Debug)]
struct ReleaseNode {
    release: PastAccess,
    older: Releases,
}

impl ReleaseSequence {
    /// Adds a release, unless a later one of its wave is known.
    pub(super) fn add(&mut self, layout: EntryLayout, release: PastAccess) {
        let wave = layout.wave(release);
        let place = self.last.partition_point(|it| layout.wave(*it) < wave);
        match self.last.get_mut(place) {
            Some(last) if layout.wave(*last) == wave => {
                if layout.clock(*last) >= layout.clock(release) {
                    return;
                }
                *last = release;
            }
            _ => self.last.insert(place, release),
        }
        self.length += 1;
        self.list = self.list.with(release);
        if self.length > KEPT * self.last.len() + MAX_OTHERS {
            self.rebuild(layout);
        }
    }

    /// Rebuilds the list without releases that a later release of the same wave includes.
    fn rebuild(&mut self, layout: EntryLayout) {
        let (mut seen, mut kept) = (HashSet::new(), Vec::new());
        let mut list = take(&mut self.list);
        while let Some(release) = list.pop() {
            let wave = layout.wave(release);
            let is_last = seen.insert((wave, false));
            let is_last_to_all = release.releases_to_agent() && seen.insert((wave, true));
            if is_last || is_last_to_all {
                kept.push(release);
            }
        }
        self.length = kept.len();
        let none = Releases::default();
        self.list = kept.iter().rev().fold(none, |list, it| list.with(*it));
    }

    /// Returns the last releases by a range of waves.
    pub(super) fn of_waves(
        &self,
        layout: EntryLayout,
        waves: &Range<u32>,
    ) -> impl Iterator<Item = PastAccess> {
        let first = self
            .last
            .partition_point(|it| layout.wave(*it) < waves.start);
        let end = self.last.partition_point(|it| layout.wave(*it) < waves.end);
        self.last[first..end].iter().copied()
    }

    /// True if a wave outside a range has released.
    pub(super) fn has_others(&self, layout: EntryLayout, waves: &Range<u32>) -> bool {
        self.of_waves(layout, waves).count() < self.last.len()
    }

    pub(super) fn releases(&self) -> &Releases {
        &self.list
    }
}

impl Releases {
    fn with(&self, release: PastAccess) -> Releases {
        Releases(Some(Arc::new(ReleaseNode {
            release,
            older: self.clone(),
        })))
    }

    pub(super) fn one(release: PastAccess) -> Releases {
        Releases::default().with(release)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// True if both are the same list, rather than equal ones.
    pub(super) fn is_same(&self, other: &Releases) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Removes and returns the newest release.
    pub(super) fn pop(&mut self) -> Option<PastAccess> {
        let node = self.0.take()?;
        let release = node.release;
        self.0.clone_from(&node.older.0);
        Some(release)
    }
}

/// Drops long lists without recursion.
impl Drop for ReleaseNode {
    fn drop(&mut self) {
        let mut older = self.older.0.take();
        while let Some(mut node) = older.and_then(Arc::into_inner) {
            older = node.older.0.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::access::AccessKind;
    use super::*;

    #[test]
    fn readers_keep_the_releases_that_they_have_read() {
        let layout = EntryLayout::new(false);
        let release = |wave, clock| layout.entry(wave, 0, clock, 0, AccessKind::Atomic);
        let all = |mut list: Releases| {
            let mut found = Vec::new();
            while let Some(it) = list.pop() {
                found.push((layout.wave(it), layout.clock(it)));
            }
            found
        };
        let mut sequence = ReleaseSequence::default();
        sequence.add(layout, release(7, 1));
        sequence.add(layout, release(2, 1));
        let read = sequence.releases().clone();
        sequence.add(layout, release(2, 5));
        sequence.add(layout, release(2, 4));
        assert_eq!(all(read.clone()), [(2, 1), (7, 1)]);
        assert_eq!(all(sequence.releases().clone()), [(2, 5), (2, 1), (7, 1)]);
        assert!(!read.is_same(sequence.releases()) && read.is_same(&read.clone()));
        let of = |waves| sequence.of_waves(layout, &waves).collect::<Vec<_>>();
        assert_eq!((of(0..7), of(3..7)), (vec![release(2, 5)], vec![]));
        assert!(sequence.has_others(layout, &(0..7)) && !sequence.has_others(layout, &(0..8)));
        // Releases of one wave do not accumulate.
        for clock in 6..100_000 {
            sequence.add(layout, release(2, clock));
        }
        let found = all(sequence.releases().clone());
        assert!(found.len() < 100, "{}", found.len());
        assert!(found.contains(&(2, 99_999)) && found.contains(&(7, 1)));
    }

    #[test]
    fn long_lists_are_dropped() {
        let layout = EntryLayout::new(false);
        let mut sequence = ReleaseSequence::default();
        for wave in 0..300_000 {
            sequence.add(layout, layout.entry(wave, 0, 1, 0, AccessKind::Atomic));
        }
        drop(sequence);
    }
}
