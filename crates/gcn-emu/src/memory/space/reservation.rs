//! Reserved ranges of addresses.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::memory::layout::ALIGNMENT;

/// A range of addresses that allocations leave free.
#[derive(Debug)]
pub(super) struct Reservation {
    pub(super) end: u64,
    /// Ends of the mapped parts, by their begin.
    pub(super) mapped: BTreeMap<u64, u64>,
}

impl Reservation {
    pub(super) fn new(end: u64) -> Reservation {
        Reservation {
            end,
            mapped: BTreeMap::new(),
        }
    }

    /// Mapped parts, joined where they follow each other: an access may reach from one into the next.
    pub(super) fn runs(&self) -> Vec<Range<u64>> {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for (&begin, &end) in &self.mapped {
            match runs.last_mut() {
                Some(last) if last.end == begin => last.end = end,
                _ => runs.push(begin..end),
            }
        }
        runs
    }
}

/// Bytes of an allocation's memory when it is shared: it is mapped in whole units, which its guard leaves room for.
pub(super) fn shared_bytes(len: u64) -> u64 {
    len.next_multiple_of(ALIGNMENT)
}
