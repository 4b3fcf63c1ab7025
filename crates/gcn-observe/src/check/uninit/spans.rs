//! Fast path for memory accesses with defined data, which looks up spans of bytes rather than each lane's element.

use std::ops::Range;

use gcn_emu::fault::Intent;
use gcn_emu::observe::{Access, Span};

use super::memory::{GlobalView, UndefinedPrivate};

/// A memory access on the fast path.
pub(super) struct SpanAccess<'a> {
    pub(super) access: &'a Access,
    /// Spans of the access, reused to avoid allocation.
    pub(super) spans: &'a mut Vec<Span>,
}

impl SpanAccess<'_> {
    /// True if the fast path covers the access: a vector access to LDS, or to global memory outside the wave's scratch.
    pub(super) fn is_it(&self, scratch: &Range<u64>) -> bool {
        let access = self.access;
        let is_elsewhere = |(first, last): (u64, u64)| last < scratch.start || first >= scratch.end;
        !access.scalar
            && access.to_lds.is_none()
            && access.gds | access.scratch | access.buffer == 0
            && access.range(access.global).is_none_or(is_elsewhere)
    }

    /// Computes the spans that the given lanes access.
    fn find(&mut self, lanes: u64) {
        self.spans.clear();
        self.access.spans(lanes, false, self.spans);
        if self.access.elements > 1 {
            self.access.spans(lanes, true, self.spans);
        }
    }

    /// True if the accessed memory is defined after the access. A store of defined data marks it as defined; for other
    /// accesses, it must already be defined.
    pub(super) fn leaves_defined(
        &mut self,
        lds: &mut UndefinedPrivate,
        view: &mut GlobalView<'_>,
    ) -> bool {
        let access = self.access;
        let is_store = access.intent == Some(Intent::Store);
        if access.lds != 0 {
            self.find(access.lds);
            let mut spans = self.spans.iter();
            if is_store {
                spans.for_each(|it| lds.define(&it.bytes));
            } else if !spans.all(|it| lds.is_defined(&it.bytes)) {
                return false;
            }
        }
        let Some((first, last)) = access.range(access.global) else {
            return true;
        };
        if view.is_untracked(first, last.saturating_add(access.bytes.into())) {
            return true;
        }
        self.find(access.global);
        let mut spans = self.spans.iter();
        if is_store {
            spans.for_each(|it| view.define(&it.bytes));
            return true;
        }
        spans.all(|it| view.is_defined(&it.bytes))
    }
}
