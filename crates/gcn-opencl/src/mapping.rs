//! Records the mappings of memory objects and of shared virtual memory, in order of creation.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gcn_runtime::image::BoxSize;

/// Mapped region of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedRegion<R> {
    /// Address returned to the application.
    address: usize,
    pub(crate) region: R,
    /// True if the region is mapped for writing.
    pub(crate) is_written: bool,
}

/// Mappings of an object.
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

    /// Adds a mapping to `address`.
    pub(crate) fn add(&self, address: usize, region: R, is_written: bool) {
        self.list().push(MappedRegion {
            address,
            region,
            is_written,
        });
    }

    /// Removes and returns the latest mapping to `address`.
    pub(crate) fn take(&self, address: usize) -> Option<MappedRegion<R>> {
        let mut list = self.list();
        let last = list.iter().rposition(|it| it.address == address)?;
        Some(list.remove(last))
    }

    /// Returns the number of mappings.
    pub(crate) fn count(&self) -> usize {
        self.list().len()
    }
}

impl Mappings<BoxSize> {
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

/// Divides the part of a box outside `other` into boxes.
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
        mappings.add(0, region, false);
        mappings.add(0, BoxSize::line(0, 100), true);
        assert_eq!(mappings.unwritten_parts(region), [region]);
        mappings.add(0, centre, true);
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
        mappings.add(0, region, true);
        assert!(mappings.unwritten_parts(region).is_empty());
    }
}
