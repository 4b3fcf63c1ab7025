//! Contiguous bytes accessed by lanes, and the shape of an access as a whole.

use std::ops::Range;

/// Common shape of a global memory access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All active lanes access the same bytes, or only one lane is active.
    Uniform(Range<u64>),
    /// All 64 lanes are active, and each lane's bytes follow those of the previous lane.
    Row(Range<u64>),
}

/// Contiguous bytes accessed by consecutive lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// First lane.
    pub lane: usize,
    /// Address range of the bytes.
    pub bytes: Range<u64>,
}

impl Span {
    /// Adds a lane's bytes to the spans. Only span number `first` and later ones may be extended. Returns false if the
    /// bytes begin before the end of the last span.
    #[inline(always)]
    pub fn add(spans: &mut Vec<Span>, first: usize, lane: usize, bytes: Range<u64>) -> bool {
        if let Some(last) = spans[first..].last_mut() {
            if last.bytes.end == bytes.start {
                last.bytes.end = bytes.end;
                return true;
            }
            if last.bytes.end > bytes.start {
                if bytes.start < last.bytes.start || bytes.end > last.bytes.end {
                    spans.push(Span { lane, bytes });
                }
                return false;
            }
        }
        spans.push(Span { lane, bytes });
        true
    }
}
