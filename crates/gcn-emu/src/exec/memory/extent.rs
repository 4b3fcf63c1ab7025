//! The extent of an access: the addresses of its lanes together.

use super::access::Access;
use super::spans::Span;
use super::wide;

impl Access {
    /// The lowest and the highest address of the elements of some lanes; `None` without a lane. Elements have
    /// [`bytes`](Access::bytes) from there on.
    pub fn range(&self, lanes: u64) -> Option<(u64, u64)> {
        if lanes == 0 {
            return None;
        }
        let (mut low, mut high) = wide::range(&self.address, lanes);
        if self.elements > 1 {
            let (second_low, second_high) = wide::range(&self.second, lanes);
            (low, high) = (low.min(second_low), high.max(second_high));
        }
        Some((low, high))
    }

    /// The bytes of the elements of some lanes, the first or, with `second`, the second ones: as spans, which are appended. Returns
    /// false if some bytes may be accessed twice.
    pub fn spans(&self, lanes: u64, second: bool, into: &mut Vec<Span>) -> bool {
        let addresses = if second { &self.second } else { &self.address };
        wide::spans(addresses, lanes, self.bytes.into(), into)
    }
}
