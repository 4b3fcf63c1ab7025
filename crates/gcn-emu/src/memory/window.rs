//! Windows: the addresses of an access that host code finds in one allocation by itself.

use super::Memory;

/// Copies of each number of a window: as many as a slice of host code has lanes.
pub(crate) const COPIES: usize = 8;

/// Addresses within this distance of each other have the same high dword, and signed numbers of 32 bits between them.
const PAGE: i128 = 1 << 31;
/// Number of regions of host code whose windows are kept.
const KEPT: usize = 64;

/// Addresses at which an element can be accessed. Numbers are there for each lane of a vector, as host code compares them.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Low dword of the first address, before the instruction's offset is added.
    pub(crate) low: [u32; COPIES],
    /// High dword of all addresses.
    pub(crate) high: [u32; COPIES],
    /// Number of addresses; none in an empty window.
    pub(crate) count: [u32; COPIES],
    /// Host address of the element at the first address.
    pub(crate) pointer: u64,
    /// Of a window that follows a base: the first base, the number of bases, and the distance of the element from its base.
    pub(crate) first_base: u64,
    pub(crate) bases: u64,
    pub(crate) distance: u64,
}

impl Window {
    /// A window without addresses.
    pub(crate) const EMPTY: Window = Window {
        low: [0; COPIES],
        high: [0; COPIES],
        count: [0; COPIES],
        pointer: 0,
        first_base: 0,
        bases: 0,
        distance: 0,
    };

    /// True of an address in the window.
    pub(crate) fn contains(&self, address: u64) -> bool {
        (address >> u32::BITS) as u32 == self.high[0]
            && (address as u32).wrapping_sub(self.low[0]) < self.count[0]
    }
}

impl Memory {
    /// The window around an address: an element of `bytes` bytes is `offset` bytes from it, in an allocation. Empty if it is in none.
    pub(crate) fn window(&self, address: u64, offset: i64, bytes: u32) -> Window {
        let place = address.wrapping_add_signed(offset);
        let Some((region, _)) = self.find(place, bytes.into()) else {
            return Window::EMPTY;
        };
        // The sum has not wrapped: nothing is allocated at either end of the host's addresses.
        let page = i128::from(address) / PAGE * PAGE;
        let first = i128::from(region.base()) - i128::from(offset);
        let end = first + i128::from(region.len()) - i128::from(bytes) + 1;
        let (first, end) = (first.max(page), end.min(page + PAGE));
        if !(first..end).contains(&i128::from(address)) {
            return Window::EMPTY;
        }
        let start = first as u64;
        Window {
            low: [start as u32; COPIES],
            high: [(start >> u32::BITS) as u32; COPIES],
            count: [(end - first) as u32; COPIES],
            pointer: start.wrapping_add_signed(offset),
            ..Window::EMPTY
        }
    }

    /// The window of offsets from a base, at which there is an element of `bytes` bytes in the base's allocation. Its first address is zero.
    pub(crate) fn window_from(&self, base: u64, bytes: u32) -> Window {
        let Some((region, offset)) = self.find(base, bytes.into()) else {
            return Window::EMPTY;
        };
        let count = region.len() - offset - u64::from(bytes) + 1;
        Window {
            low: [0; COPIES],
            high: [0; COPIES],
            count: [count.min(PAGE as u64) as u32; COPIES],
            pointer: base,
            ..Window::EMPTY
        }
    }

    /// The window of one place, `distance` bytes from a base, where there are `bytes` bytes, with all bases in the same allocation.
    pub(crate) fn window_at(&self, base: u64, distance: u64, bytes: u64) -> Option<Window> {
        let pointer = base.wrapping_add(distance);
        let (region, _) = self.find(pointer, bytes)?;
        Some(Window {
            count: [1; COPIES],
            pointer,
            first_base: region.base().wrapping_sub(distance),
            bases: region.len() - bytes + 1,
            distance,
            ..Window::EMPTY
        })
    }
}

/// A thread's windows, as long as no allocation is freed.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    /// Windows of a region of host code, with its number, at its number's place among [`KEPT`].
    regions: Vec<(u64, Box<[Window]>)>,
    /// The memory's count of frees.
    frees: u64,
}

impl Windows {
    /// The `count` windows of the region with a number; empty ones if it is new, or memory has been freed.
    #[inline]
    pub(crate) fn of(&mut self, memory: &Memory, region: u64, count: usize) -> &mut [Window] {
        let place = region as usize % KEPT;
        let is_known = self.frees == memory.frees()
            && self
                .regions
                .get(place)
                .is_some_and(|(number, windows)| *number == region && windows.len() == count);
        if !is_known {
            self.renew(memory, region, count);
        }
        &mut self.regions[place].1
    }

    #[cold]
    fn renew(&mut self, memory: &Memory, region: u64, count: usize) {
        let frees = memory.frees();
        if self.frees != frees {
            self.frees = frees;
            self.regions.clear();
        }
        self.regions.resize_with(KEPT, Default::default);
        self.regions[region as usize % KEPT] = (region, vec![Window::EMPTY; count].into());
    }
}
