//! Bytes that the lanes of an access have in a row.

use std::ops::Range;

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
