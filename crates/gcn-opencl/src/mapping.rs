//! Records the mappings of memory objects and of shared virtual memory, in order of creation.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gcn_runtime::image::BoxSize;

use crate::handle::Handle;

/// Mapped region of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedRegion<R> {
    /// Handle of the object; 0 for shared virtual memory.
    pub(crate) owner: Handle,
    /// Address returned to the application.
    pub(crate) address: usize,
    pub(crate) region: R,
    /// True if the region is mapped for writing.
    pub(crate) is_written: bool,
}

/// Mappings of an SVM allocation, or of a memory object and the objects that share its memory.
pub(crate) struct Mappings<R>(Mutex<Vec<MappedRegion<R>>>);

impl<R> Default for Mappings<R> {
    fn default() -> Self {
        Mappings(Mutex::default())
    }
}

impl<R> Mappings<R> {
    fn list(&self) -> MutexGuard<'_, Vec<MappedRegion<R>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, mapped: MappedRegion<R>) {
        self.list().push(mapped);
    }

    /// Removes and returns the latest mapping of `owner` to `address`.
    pub(crate) fn take(&self, owner: Handle, address: usize) -> Option<MappedRegion<R>> {
        let mut list = self.list();
        let is_it = |it: &MappedRegion<R>| (it.owner, it.address) == (owner, address);
        let last = list.iter().rposition(is_it)?;
        Some(list.remove(last))
    }

    /// Removes all mappings of `owner`.
    pub(crate) fn forget(&self, owner: Handle) {
        self.list().retain(|it| it.owner != owner);
    }

    /// Returns the number of mappings of `owner`.
    pub(crate) fn count(&self, owner: Handle) -> usize {
        self.list().iter().filter(|it| it.owner == owner).count()
    }
}

impl Mappings<BoxSize> {
    /// Adds a mapping, unless it is for writing and overlaps another one for writing. Returns true if it was added.
    pub(crate) fn add_disjoint(&self, mapped: MappedRegion<BoxSize>) -> bool {
        let mut list = self.list();
        let mut written = list.iter().filter(|it| it.is_written);
        if mapped.is_written && written.any(|it| overlap(it.region, mapped.region)) {
            return false;
        }
        list.push(mapped);
        true
    }

    /// Returns the parts of a region that are not mapped for writing.
    pub(crate) fn unwritten_parts(&self, region: BoxSize) -> Vec<BoxSize> {
        let list = self.list();
        let written = list.iter().filter(|it| it.is_written);
        written.fold(vec![region], |parts, it| {
            let left = parts.into_iter().flat_map(|part| without(part, it.region));
            left.collect()
        })
    }
}

/// Returns true if two boxes overlap.
fn overlap(a: BoxSize, b: BoxSize) -> bool {
    let begins_in = |a: BoxSize, b: BoxSize, d: usize| a.origin[d] < b.origin[d] + b.size[d];
    (0..3).all(|d| begins_in(a, b, d) && begins_in(b, a, d))
}

/// Subtracts `other` from a box, and returns the rest as disjoint boxes.
fn without(mut rest: BoxSize, other: BoxSize) -> Vec<BoxSize> {
    let mut parts = Vec::new();
    for d in 0..3 {
        let (begin, end) = (rest.origin[d], rest.origin[d] + rest.size[d]);
        let from = other.origin[d].clamp(begin, end);
        let to = (other.origin[d] + other.size[d]).clamp(begin, end);
        let section = move |begin: usize, end: usize| {
            let mut section = rest;
            section.origin[d] = begin;
            section.size[d] = end - begin;
            section
        };
        parts.extend([section(begin, from), section(to, end)]);
        rest = section(from, to);
    }
    parts.retain(|part| !part.size.contains(&0));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(owner: Handle, region: BoxSize, is_written: bool) -> MappedRegion<BoxSize> {
        MappedRegion {
            owner,
            address: 0,
            region,
            is_written,
        }
    }

    #[test]
    fn regions_mapped_for_writing_do_not_overlap() {
        let mappings = Mappings::<BoxSize>::default();
        let left = BoxSize {
            origin: [4, 0, 0],
            size: [4, 2, 1],
        };
        let below = BoxSize {
            origin: [0, 1, 0],
            size: [5, 1, 1],
        };
        assert!(mappings.add_disjoint(mapped(1, left, true)));
        assert!(!mappings.add_disjoint(mapped(2, below, true)));
        assert!(mappings.add_disjoint(mapped(2, below, false)));
        assert!(mappings.add_disjoint(mapped(2, BoxSize::line(8, 4), true)));
        assert_eq!((mappings.count(1), mappings.count(2)), (1, 2));
        assert!(mappings.take(1, 0).is_some_and(|it| it.region == left));
        assert!(mappings.take(1, 0).is_none());
        assert!(mappings.add_disjoint(mapped(1, below, true)));
        mappings.forget(1);
        assert_eq!((mappings.count(1), mappings.count(2)), (0, 2));
    }

    #[test]
    fn regions_mapped_for_writing_are_left_out() {
        let mappings = Mappings::<BoxSize>::default();
        let region = BoxSize {
            origin: [4, 1, 0],
            size: [8, 3, 1],
        };
        let centre = BoxSize {
            origin: [6, 2, 0],
            size: [2, 1, 1],
        };
        mappings.add(mapped(0, region, false));
        mappings.add(mapped(0, BoxSize::line(0, 100), true));
        assert_eq!(mappings.unwritten_parts(region), [region]);
        mappings.add(mapped(0, centre, true));
        let expected = [
            ([4, 1, 0], [2, 3, 1]),
            ([8, 1, 0], [4, 3, 1]),
            ([6, 1, 0], [2, 1, 1]),
            ([6, 3, 0], [2, 1, 1]),
        ];
        assert_eq!(
            mappings.unwritten_parts(region),
            expected.map(|(origin, size)| BoxSize { origin, size })
        );
        mappings.add(mapped(0, region, true));
        assert!(mappings.unwritten_parts(region).is_empty());
    }
}
