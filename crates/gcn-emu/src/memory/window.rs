//! Windows: address ranges within one allocation that host code can check without a call.

use super::Memory;

/// Number of copies of each value in a window: one for each lane of an AVX2 slice.
pub(crate) const COPIES: usize = 8;

/// Size of aligned blocks of addresses that share their high dword and whose differences fit in a signed 32-bit
/// integer.
const PAGE: i128 = 1 << 31;
/// Maximum number of host code regions whose windows a thread caches.
const KEPT: usize = 64;

/// Range of addresses at which an element is accessible. Values that host code compares are replicated for each lane of
/// an AVX2 vector.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Low dword of the first address, before adding the instruction's offset.
    pub(crate) low: [u32; COPIES],
    /// High dword of all addresses.
    pub(crate) high: [u32; COPIES],
    /// Number of addresses; 0 for an empty window.
    pub(crate) count: [u32; COPIES],
    /// Host address of the element for the first address.
    pub(crate) pointer: u64,
    /// First valid base, for windows relative to a base.
    pub(crate) first_base: u64,
    /// Number of valid bases.
    pub(crate) bases: u64,
    /// Distance of the element from its base.
    pub(crate) distance: u64,
}

impl Window {
    /// Maximum number of addresses in a window.
    pub(crate) const MAX_COUNT: u32 = PAGE as u32;

    /// Window without addresses.
    pub(crate) const EMPTY: Window = Window {
        low: [0; COPIES],
        high: [0; COPIES],
        count: [0; COPIES],
        pointer: 0,
        first_base: 0,
        bases: 0,
        distance: 0,
    };

    /// Moves a window of offsets to another base in the same allocation. Returns false if the base is elsewhere.
    pub(crate) fn move_to(&mut self, base: u64) -> bool {
        let offset = base.wrapping_sub(self.first_base);
        let is_inside = offset < self.bases;
        if is_inside {
            let count = (self.bases - offset).min(Window::MAX_COUNT.into());
            self.count = [count as u32; COPIES];
            self.pointer = base;
        }
        is_inside
    }

    /// True if the address is in the window.
    pub(crate) fn contains(&self, address: u64) -> bool {
        (address >> u32::BITS) as u32 == self.high[0]
            && (address as u32).wrapping_sub(self.low[0]) < self.count[0]
    }
}

impl Memory {
    /// Window of the addresses around `address` for which an element of `bytes` bytes at distance `offset` is in the
    /// same allocation; empty if the element for `address` is in none.
    pub(crate) fn window(&self, address: u64, offset: i64, bytes: u32) -> Window {
        let place = address.wrapping_add_signed(offset);
        let Some((region, _)) = self.find(place, bytes.into()) else {
            return Window::EMPTY;
        };
        // `place` cannot have wrapped, since nothing is allocated at either end of the host's address space.
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

    /// Window of offsets from a base, starting at zero, for which an element of `bytes` bytes is in the base's
    /// allocation. The window can be [moved](Window::move_to) to other bases in the same allocation.
    pub(crate) fn window_from(&self, base: u64, bytes: u32) -> Window {
        let Some((region, _)) = self.find(base, bytes.into()) else {
            return Window::EMPTY;
        };
        let mut window = Window {
            first_base: region.base(),
            bases: region.len() - u64::from(bytes) + 1,
            ..Window::EMPTY
        };
        window.move_to(base);
        window
    }

    /// Window of a single element of `bytes` bytes at `distance` from a base. Host code can reuse it for every base
    /// whose element is in the same allocation.
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

/// Windows of a thread, valid until an allocation is freed.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    /// Number and windows of each region of host code, indexed by the number modulo [`KEPT`].
    regions: Vec<(u64, Box<[Window]>)>,
    /// Number of frees in the memory when the windows were computed.
    frees: u64,
}

impl Windows {
    /// Discards all windows, keeping the allocation of their list.
    pub(crate) fn forget(&mut self) {
        self.frees = 0;
        self.regions.clear();
    }

    /// Returns the `count` windows of a region. They are empty if the region is new or memory has been freed.
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
