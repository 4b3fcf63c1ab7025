//! Address ranges and spans covered by the lanes of an access.

use super::access::Access;
use super::spans::Span;
use super::wide;

impl Access {
    /// Returns the lowest and highest element address of the given lanes; `None` if there are no lanes. Each element
    /// occupies [`bytes`](Access::bytes) bytes from its address.
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

    /// Appends the byte spans of the given lanes' first elements, or of their second elements if `second` is true.
    /// Returns false if some bytes may be accessed twice.
    pub fn spans(&self, lanes: u64, second: bool, into: &mut Vec<Span>) -> bool {
        let addresses = if second { &self.second } else { &self.address };
        wide::spans(addresses, lanes, self.bytes.into(), into)
    }
}
