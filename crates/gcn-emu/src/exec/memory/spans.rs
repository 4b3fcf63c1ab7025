//! Bytes that the lanes of an access have in a row, and the shape of an access as a whole.

use std::ops::Range;

/// Common shape of an access of global memory by lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All active lanes access the same bytes, or there is one.
    Uniform(Range<u64>),
    /// All 64 lanes are active, and each one's bytes follow those of the lane before.
    Row(Range<u64>),
}

/// Bytes that lanes access one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The first of the lanes.
    pub lane: usize,
    /// The addresses of the bytes.
    pub bytes: Range<u64>,
}

impl Span {
    /// Adds bytes of a lane to spans, of which those from number `first` on may grow. Returns false if they begin before the last
    /// one ends.
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
