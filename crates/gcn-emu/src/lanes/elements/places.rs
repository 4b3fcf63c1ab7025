//! Addresses of lanes' elements.

use super::super::addresses::are_below;
use super::super::register::Lanes;

/// Size of a dword in bytes.
pub(super) const DWORD: usize = 4;

/// Elements in memory, addressed per lane by a register and offsets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elements {
    /// Number of the address register.
    pub addresses: u8,
    /// Offsets of the lane's elements from the address.
    pub offsets: [u32; 2],
    /// Number of offsets in use.
    pub count: u8,
    /// Mask applied to the sums of address and offset, a contiguous range of bits.
    pub mask: u32,
    /// Number of data registers per element.
    pub dwords: u8,
    /// First data register of each of the lane's elements. Loads write all elements to consecutive registers starting
    /// at the first entry.
    pub data: [u8; 2],
}

impl Elements {
    /// Returns the offsets in use.
    pub(super) fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.count.into()).unwrap_or_default()
    }

    /// Returns the byte offset of a lane's element.
    pub(super) fn place(&self, addresses: &Lanes, lane: usize, offset: u32) -> usize {
        (addresses.0[lane].wrapping_add(offset) & self.mask) as usize
    }

    /// Returns `Some` if all elements of `size` bytes are within `len` bytes.
    pub(super) fn are_inside(
        &self,
        exec: u64,
        addresses: &Lanes,
        len: usize,
        size: usize,
    ) -> Option<()> {
        let last = u32::try_from(len.checked_sub(size)?).ok()?;
        let are_inside = |&offset| are_below(addresses, offset, self.mask, exec, last);
        self.offsets().iter().all(are_inside).then_some(())
    }
}
