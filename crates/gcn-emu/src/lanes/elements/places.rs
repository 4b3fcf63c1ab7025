//! Places of lanes' elements.

use super::super::addresses::are_below;
use super::super::register::Lanes;

/// Bytes of a dword.
pub(super) const DWORD: usize = 4;

/// Elements of whole dwords in memory, for each lane where a register and offsets say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elements {
    /// Number of the register.
    pub addresses: u8,
    /// Distances of the lane's elements from it.
    pub offsets: [u32; 2],
    /// Number of offsets in use.
    pub count: u8,
    /// The bits of the sums that are kept: all between two.
    pub mask: u32,
    /// Dwords of an element.
    pub dwords: u8,
    /// The number of the first register of data for each of the lane's elements; those that are loaded are all behind the
    /// first.
    pub data: [u8; 2],
}

impl Elements {
    /// Distances of the lane's elements.
    pub(super) fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.count.into()).unwrap_or_default()
    }

    /// Address of an element of a lane.
    pub(super) fn place(&self, addresses: &Lanes, lane: usize, offset: u32) -> usize {
        (addresses.0[lane].wrapping_add(offset) & self.mask) as usize
    }

    /// Some if all elements of `size` bytes are inside `len` bytes.
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
