//! Reserved address ranges.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::memory::layout::ALIGNMENT;

/// Address range that allocations avoid.
#[derive(Debug)]
pub(super) struct Reservation {
    pub(super) end: u64,
    /// Ends of the mappings, keyed by start.
    pub(super) mapped: BTreeMap<u64, u64>,
}

impl Reservation {
    pub(super) fn new(end: u64) -> Reservation {
        Reservation {
            end,
            mapped: BTreeMap::new(),
        }
    }

    /// Mappings, merged where adjacent, since an access may span several.
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

/// Size of an allocation's memory when shared: a multiple of [`ALIGNMENT`], for which the guard leaves room.
pub(super) fn shared_bytes(len: u64) -> u64 {
    len.next_multiple_of(ALIGNMENT)
}
