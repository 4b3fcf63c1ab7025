//! Placement of allocations and reservations in the address range.

use super::{GIVEN_BACK_TOGETHER, PAGE, SpaceState, rounded};
use crate::memory::allocation::AllocError;
use crate::memory::layout::{ALIGNMENT, GUARD};

/// Candidate address of an allocation, which occupies its bytes and a guard, rounded up to whole units.
pub(super) struct Place {
    pub(super) base: u64,
    extent: u64,
    /// Start and end of the hole that contains the address.
    hole: Option<(u64, u64)>,
}

impl SpaceState {
    /// Finds addresses for `bytes` bytes at a multiple of `align`.
    pub(super) fn find_place(
        &self,
        name: &str,
        bytes: u64,
        align: u64,
    ) -> Result<Place, AllocError> {
        let too_large = || AllocError::TooLarge {
            name: name.to_owned(),
            bytes,
        };
        let range = self
            .range
            .as_ref()
            .ok_or_else(|| AllocError::NoAddressSpace {
                name: name.to_owned(),
                bytes,
            })?;
        let extent = bytes
            .checked_add(GUARD)
            .and_then(|bytes| bytes.checked_next_multiple_of(ALIGNMENT))
            .ok_or_else(too_large)?;
        let end_of_range = range.first() + range.len();
        let fits = |begin: u64, end: u64| {
            let base = begin.checked_next_multiple_of(align)?;
            (base.checked_add(extent)? <= end).then_some(base)
        };
        let place = |base, hole| Place { base, extent, hole };
        if let Some(base) = fits(self.next, end_of_range) {
            return Ok(place(base, None));
        }
        let mut holes = self.holes.iter();
        let found = holes.find_map(|(begin, end)| {
            let base = fits(*begin, *end)?;
            Some(place(base, Some((*begin, *end))))
        });
        found.ok_or_else(too_large)
    }

    /// Takes a place and makes its first `bytes` bytes accessible and zero.
    pub(super) fn take_place(
        &mut self,
        name: &str,
        place: &Place,
        bytes: u64,
    ) -> Result<(), AllocError> {
        let too_large = || AllocError::TooLarge {
            name: name.to_owned(),
            bytes,
        };
        let Place { base, extent, hole } = *place;
        if hole.is_some() {
            self.give_back();
        }
        let range = self.range.as_mut().ok_or_else(too_large)?;
        // An empty allocation needs no accessible bytes of its own.
        range.grow(base + bytes).map_err(|_| too_large())?;
        let (begin, end) = hole.unwrap_or((self.next, base + extent));
        self.holes.remove(&begin);
        if begin < base {
            self.holes.insert(begin, base);
        }
        if base + extent < end {
            self.holes.insert(base + extent, end);
        }
        if hole.is_none() {
            self.next = base + extent;
        }
        if base < self.freed_until {
            // A racing thread may have stored after the memory was freed.
            range.discard(base, bytes.next_multiple_of(PAGE));
        }
        Ok(())
    }

    /// Places the next allocations at `address` again if everything placed at or above it has been freed.
    pub(super) fn place_from(&mut self, address: u64) {
        self.give_back();
        let last = self.holes.range(..self.next).next_back();
        if let Some((&begin, &end)) = last
            && end == self.next
            && (begin..end).contains(&address)
        {
            self.holes.remove(&begin);
            if begin < address {
                self.holes.insert(begin, address);
            }
            self.next = address;
        }
    }

    /// Releases the addresses of `len` bytes and their guard, along with their memory.
    pub(super) fn leave_place(&mut self, address: u64, len: u64) {
        let mut begin = address;
        let mut end = (address + len + GUARD).next_multiple_of(ALIGNMENT);
        if let Some((&before, &its_end)) = self.holes.range(..begin).next_back()
            && its_end == begin
        {
            begin = before;
        }
        if let Some(after) = self.holes.remove(&end) {
            end = after;
        }
        self.holes.insert(begin, end);
        self.freed_until = self.freed_until.max(end);
        let stale = address..address + len.next_multiple_of(PAGE);
        self.stale = if self.stale_bytes == 0 {
            stale
        } else {
            self.stale.start.min(stale.start)..self.stale.end.max(stale.end)
        };
        self.stale_bytes += rounded(len);
        if self.stale_bytes >= GIVEN_BACK_TOGETHER {
            self.give_back();
        }
    }
}
