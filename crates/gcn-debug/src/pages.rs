//! Memory images divided into pages. Consecutive images share unchanged pages.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use gcn_emu::memory::{Allocation, DEVICE_HEAP, Memory};

/// Maximum total size in bytes of the allocations saved for going back.
const MAX_BYTES: u64 = 128 << 20;

/// Number of 8-byte units in a page.
const PAGE_UNITS: usize = 512;
/// Number of units compared before each branch.
const COMPARED: usize = 16;

type Page = [u64; PAGE_UNITS];

/// Page of zeros, shared by all images.
static ZEROS: LazyLock<Arc<Page>> = LazyLock::new(|| Arc::new([0; PAGE_UNITS]));

/// Returns the allocations to save for going back, or `None` if their total size is too large.
pub(crate) fn kept_allocations(memory: &Memory) -> Option<Vec<Allocation>> {
    let mut allocations = memory.allocations();
    // Launches that use the heap cannot go back.
    allocations.retain(|it| &*it.name != DEVICE_HEAP);
    let bytes: u64 = allocations.iter().map(|it| it.len).sum();
    (bytes <= MAX_BYTES).then_some(allocations)
}

/// Memory image divided into pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    parts: Vec<Part>,
}

/// Contents of an allocation, as pages.
#[derive(Clone, Debug)]
struct Part {
    base: u64,
    len: u64,
    pages: Arc<[Arc<Page>]>,
}

impl Pages {
    /// Copies the pages that differ from an earlier image, and shares the others. Returns the image and its size in
    /// bytes, excluding shared pages, or `None` if memory is too large.
    pub(crate) fn take(memory: &Memory, earlier: Option<&Pages>) -> Option<(Pages, usize)> {
        let mut bytes = 0;
        let mut parts = Vec::new();
        for allocation in kept_allocations(memory)? {
            let Allocation { base, len, .. } = allocation;
            let Some((region, _)) = memory.find(base, len) else {
                continue;
            };
            let cells = region.units();
            let known = earlier.and_then(|it| it.part(base, len));
            let known = known.unwrap_or_else(|| {
                let count = cells.len().div_ceil(PAGE_UNITS);
                bytes += count * size_of::<Arc<Page>>();
                std::iter::repeat_with(|| ZEROS.clone())
                    .take(count)
                    .collect()
            });
            let mut fresh: Option<Vec<Arc<Page>>> = None;
            for (number, cells) in cells.chunks(PAGE_UNITS).enumerate() {
                if !equals(cells, &known[number]) {
                    let pages = fresh.get_or_insert_with(|| known.to_vec());
                    pages[number] = Arc::new(copied(cells));
                    bytes += size_of::<Page>();
                }
            }
            let pages = match fresh {
                Some(pages) => {
                    bytes += pages.len() * size_of::<Arc<Page>>();
                    pages.into()
                }
                None => known,
            };
            parts.push(Part { base, len, pages });
        }
        Some((Pages { parts }, bytes))
    }

    /// Returns the pages of an allocation that has this address and length.
    fn part(&self, base: u64, len: u64) -> Option<Arc<[Arc<Page>]>> {
        let part = self
            .parts
            .iter()
            .find(|it| it.base == base && it.len == len)?;
        Some(part.pages.clone())
    }

    /// Writes the contents back, except for allocations that have been freed.
    pub(crate) fn restore(&self, memory: &Memory) {
        for part in &self.parts {
            let Some((region, _)) = memory.find(part.base, part.len) else {
                continue;
            };
            let cells = region.units().chunks(PAGE_UNITS);
            for (cells, page) in cells.zip(part.pages.iter()) {
                if !equals(cells, page) {
                    for (cell, unit) in cells.iter().zip(page.iter()) {
                        cell.store(*unit, Relaxed);
                    }
                }
            }
        }
    }

    /// Returns the size in bytes, excluding pages shared with an earlier image.
    pub(crate) fn bytes_besides(&self, earlier: &Pages) -> usize {
        let besides = |part: &Part| {
            let known = earlier.part(part.base, part.len).unwrap_or_default();
            if Arc::ptr_eq(&part.pages, &known) {
                return 0;
            }
            let is_known = |at: usize, page: &Arc<Page>| {
                let known = known.get(at).unwrap_or(&ZEROS);
                Arc::ptr_eq(page, known)
            };
            let pages = part.pages.iter().enumerate();
            let fresh = pages.filter(|(at, page)| !is_known(*at, page));
            fresh.count() * size_of::<Page>() + part.pages.len() * size_of::<Arc<Page>>()
        };
        self.parts.iter().map(besides).sum()
    }

    /// Returns the size in bytes, excluding pages shared with any other image.
    pub(crate) fn own_bytes(&self) -> usize {
        let own = |part: &Part| {
            if Arc::strong_count(&part.pages) > 1 {
                return 0;
            }
            let own = part.pages.iter().filter(|it| Arc::strong_count(it) == 1);
            own.count() * size_of::<Page>() + part.pages.len() * size_of::<Arc<Page>>()
        };
        self.parts.iter().map(own).sum()
    }
}

/// True if memory equals a page, or the start of the page if memory is shorter.
fn equals(cells: &[AtomicU64], page: &Page) -> bool {
    let mut chunks = cells.chunks(COMPARED).zip(page.chunks(COMPARED));
    chunks.all(|(cells, units)| {
        let differences = cells.iter().zip(units);
        differences.fold(0, |all, (cell, unit)| all | (cell.load(Relaxed) ^ unit)) == 0
    })
}

/// Copies memory to a page, padded with zeros.
fn copied(cells: &[AtomicU64]) -> Page {
    let mut page = [0; PAGE_UNITS];
    for (unit, cell) in page.iter_mut().zip(cells) {
        *unit = cell.load(Relaxed);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_share_what_has_not_changed() -> Result<(), Box<dyn std::error::Error>> {
        let memory = Memory::new();
        // Two pages and part of a third.
        let base = memory.allocate("numbers", 2 * 4096 + 12)?;
        let load = |at: u64| memory.load_u32(base + at);
        memory.store_u32(base + 4096, 1);
        let (first, bytes) = Pages::take(&memory, None).expect("it is small");
        assert!(
            (4096..8192).contains(&bytes),
            "one page is not zero: {bytes}"
        );
        memory.store_u32(base + 8192 + 8, 2);
        let (second, bytes) = Pages::take(&memory, Some(&first)).expect("it is small");
        assert!(
            (4096..8192).contains(&bytes),
            "one page has changed: {bytes}"
        );
        let (third, bytes) = Pages::take(&memory, Some(&second)).expect("it is small");
        assert_eq!((bytes, third.own_bytes()), (0, 0));
        assert_eq!(third.bytes_besides(&second), 0);
        let besides = third.bytes_besides(&first);
        assert!((4096..8192).contains(&besides), "one page: {besides}");

        memory.store_u32(base, 3);
        first.restore(&memory);
        assert_eq!([0, 4096, 8200].map(load), [0, 1, 0].map(Some));
        third.restore(&memory);
        assert_eq!([0, 4096, 8200].map(load), [0, 1, 2].map(Some));
        drop((second, third));
        assert!(first.own_bytes() >= 4096);
        Ok(())
    }

    #[test]
    fn large_memory_is_refused() -> Result<(), Box<dyn std::error::Error>> {
        let memory = Memory::new();
        memory.allocate(DEVICE_HEAP, MAX_BYTES + 1)?;
        memory.allocate("one", MAX_BYTES - 1)?;
        let kept = kept_allocations(&memory).expect("it is not too large");
        assert_eq!(kept.len(), 1, "without the heap");
        memory.allocate("two", 2)?;
        assert!(Pages::take(&memory, None).is_none());
        Ok(())
    }
}
