//! Byte ranges accessed by an instruction, with adjacent lanes merged.

use std::ops::Range;

use gcn_emu::fault::Intent;
use gcn_emu::observe::{Access, Shape, Span};
use gcn_isa::Does;

use super::entry::AccessKind;
use crate::filter::lanes;
use crate::finding::FindingAddress;

/// Bytes of a dword.
pub(super) const DWORD: u64 = 4;

/// A memory with a shadow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShadowedMemory {
    Global,
    Lds,
}

impl ShadowedMemory {
    /// Name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            ShadowedMemory::Global => "global memory",
            ShadowedMemory::Lds => "LDS",
        }
    }

    /// Address of a byte, for a finding.
    pub(super) fn byte(self, at: u64) -> FindingAddress {
        match self {
            ShadowedMemory::Global => FindingAddress::global(at),
            ShadowedMemory::Lds => FindingAddress::lds(at),
        }
    }
}

/// Bytes of one memory that an instruction accesses in one way.
#[derive(Debug)]
pub(super) struct AccessPart {
    pub(super) memory: ShadowedMemory,
    pub(super) kind: AccessKind,
    pub(super) extents: Vec<Span>,
    /// True if no byte is accessed twice. Not maintained for loads and atomics; if lanes are not merged, false for
    /// lanes whose addresses do not ascend.
    pub(super) is_apart: bool,
    /// Scratch buffer, reused to avoid allocation.
    sorted: Vec<u64>,
}

/// Parts of an access, reused between instructions to avoid allocation.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: Vec<AccessPart>,
    used: usize,
    /// Adjacent lanes are not merged.
    keeps_lanes: bool,
}

impl Parts {
    /// Creates an empty set; `keeps_lanes` if adjacent lanes must not be merged.
    pub(super) fn new(keeps_lanes: bool) -> Parts {
        Parts {
            keeps_lanes,
            ..Parts::default()
        }
    }

    /// Parts of the most recent access.
    pub(super) fn iter(&self) -> impl Iterator<Item = &AccessPart> {
        self.parts[..self.used].iter()
    }

    /// Adds an empty part.
    fn part(&mut self, memory: ShadowedMemory, kind: AccessKind) -> &mut AccessPart {
        if self.used == self.parts.len() {
            self.parts.push(AccessPart {
                memory,
                kind,
                extents: Vec::new(),
                is_apart: true,
                sorted: Vec::new(),
            });
        }
        let part = &mut self.parts[self.used];
        (part.memory, part.kind, part.is_apart) = (memory, kind, true);
        part.extents.clear();
        self.used += 1;
        part
    }

    /// Finds the part of a global access with a regular shape. Addresses in `scratch` are not shared between agents
    /// and are omitted.
    pub(super) fn shaped(&mut self, shape: &Shape, of: u64, kind: AccessKind, scratch: Range<u64>) {
        self.used = 0;
        let part = self.part(ShadowedMemory::Global, kind);
        let lane = of.trailing_zeros() as usize;
        let bytes = match shape {
            Shape::Row(bytes) => bytes,
            Shape::Uniform(bytes) => {
                part.is_apart = of.count_ones() <= 1;
                bytes
            }
        };
        part.extents.push(Span {
            lane,
            bytes: bytes.clone(),
        });
        part.leave_out(&scratch);
    }

    /// Finds the parts of an instruction's access, of a known kind, in some lanes. Addresses in `scratch` are not
    /// shared between agents and are omitted.
    pub(super) fn find(
        &mut self,
        access: &Access,
        of: u64,
        does: Does,
        kind: AccessKind,
        scratch: Range<u64>,
    ) {
        self.used = 0;
        let keeps = self.keeps_lanes;
        let bytes = u64::from(access.bytes);
        if access.scalar && access.global != 0 {
            let bytes = bytes.min(DWORD * u64::from(access.dwords_in_bounds));
            let at = access.address[0];
            let part = self.part(ShadowedMemory::Global, kind);
            part.add(0, at..at.saturating_add(bytes), keeps);
            return;
        }
        if access.global & of != 0 {
            let part = self.part(ShadowedMemory::Global, kind);
            part.add_lanes(access, access.global & of, 0..1, keeps);
            part.leave_out(&scratch);
        }
        if access.buffer & of != 0 {
            let part = self.part(ShadowedMemory::Global, kind);
            let step = if access.splits_dwords() { 1 } else { DWORD };
            for lane in lanes(access.buffer & of) {
                for byte in (0..bytes).step_by(step as usize) {
                    if let Some(at) = access.place(lane, byte) {
                        let end = at.saturating_add(step.min(bytes - byte));
                        part.add(lane, at..end, keeps);
                    }
                }
            }
            part.leave_out(&scratch);
        }
        if access.lds & of != 0 {
            let part = self.part(ShadowedMemory::Lds, kind);
            let lanes = access.lds & of;
            if matches!(does, Does::AtomicFromLds(..)) {
                part.add_lanes(access, lanes, 0..1, keeps);
                let part = self.part(ShadowedMemory::Lds, AccessKind::Load);
                part.add_lanes(access, lanes, 1..access.elements, keeps);
            } else {
                part.add_lanes(access, lanes, 0..access.elements, keeps);
            }
        }
        if access.to_lds.is_some() {
            let kind = match access.intent {
                Some(Intent::Store) => AccessKind::Load,
                _ => AccessKind::Store,
            };
            let part = self.part(ShadowedMemory::Lds, kind);
            for lane in lanes(access.lanes() & of) {
                let at = access.place_in_lds(lane);
                part.add(lane, at..at + DWORD, keeps);
            }
        }
    }
}

impl AccessPart {
    /// Adds the bytes of a lane.
    #[inline]
    fn add(&mut self, lane: usize, bytes: Range<u64>, keeps_lanes: bool) {
        if keeps_lanes {
            let last = self.extents.last();
            self.is_apart &= last.is_none_or(|last| last.bytes.end <= bytes.start);
            self.extents.push(Span { lane, bytes });
        } else {
            self.is_apart &= Span::add(&mut self.extents, 0, lane, bytes);
        }
    }

    /// Adds elements of lanes, in ascending order where the order matters.
    fn add_lanes(&mut self, access: &Access, mask: u64, elements: Range<u8>, keeps_lanes: bool) {
        /// Maximum number of spans that may be unsorted.
        const FEW: usize = 4;
        let addresses = |element: u8| match element {
            0 => &access.address,
            _ => &access.second,
        };
        let bytes = |at: u64| at..at.saturating_add(access.bytes.into());
        if keeps_lanes {
            for element in elements {
                for lane in lanes(mask) {
                    self.add(lane, bytes(addresses(element)[lane]), true);
                }
            }
            return;
        }
        for element in elements.clone() {
            let is_first = self.extents.is_empty();
            self.is_apart &= access.spans(mask, element == 1, &mut self.extents);
            self.is_apart &= is_first;
        }
        if self.is_apart || self.kind != AccessKind::Store && self.extents.len() <= FEW {
            return;
        }
        self.sorted.clear();
        for element in elements {
            self.sorted
                .extend(lanes(mask).map(|lane| addresses(element)[lane]));
        }
        self.sorted.sort_unstable();
        self.extents.clear();
        self.is_apart = true;
        let lane = mask.trailing_zeros() as usize;
        for &at in &self.sorted {
            self.is_apart &= Span::add(&mut self.extents, 0, lane, bytes(at));
        }
    }

    /// Removes spans that begin in a range.
    fn leave_out(&mut self, range: &Range<u64>) {
        if !range.is_empty() {
            self.extents.retain(|it| !range.contains(&it.bytes.start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(mask: u64, address: impl Fn(u64) -> u64, keeps: bool) -> (Vec<[u64; 2]>, bool) {
        let mut parts = Parts::new(keeps);
        let mut access = Access {
            bytes: 4,
            lds: mask,
            ..Access::default()
        };
        for (lane, at) in (0..).zip(&mut access.address) {
            *at = address(lane);
        }
        parts.find(&access, u64::MAX, Does::LdsNop, AccessKind::Load, 0..0);
        let part = parts.iter().next().expect("a part");
        let bytes = part.extents.iter().map(|it| [it.bytes.start, it.bytes.end]);
        (bytes.collect(), part.is_apart)
    }

    #[test]
    fn lanes_that_follow_each_other_are_one_extent() {
        let row = extents(u64::MAX, |lane| 4 * lane, false);
        assert_eq!(row, (vec![[0, 256]], true));
        let two = extents(
            0b1111,
            |lane| {
                if lane < 2 {
                    8 + 4 * lane
                } else {
                    64 + 4 * lane
                }
            },
            false,
        );
        assert_eq!(two, (vec![[8, 16], [72, 80]], true));
        let one = extents(u64::MAX, |_| 12, false);
        assert_eq!(one, (vec![[12, 16]], false));
        let backwards = extents(0b11, |lane| 4u64.wrapping_sub(4 * lane), false);
        assert_eq!(backwards, (vec![[4, 8], [0, 4]], false));
        let odd_first = |lane: u64| {
            4 * (if lane < 8 {
                2 * lane + 1
            } else {
                2 * (lane - 8)
            })
        };
        assert_eq!(extents(0xffff, odd_first, false).0, [[0, 64]]);
        assert_eq!(
            extents(0b111_1111, odd_first, false).0.len(),
            7,
            "they are apart"
        );
        let lanes = extents(0b11, |lane| 4 * lane, true);
        assert_eq!(lanes, (vec![[0, 4], [4, 8]], true));
    }
}
