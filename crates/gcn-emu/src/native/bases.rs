//! Bases of loads from LDS. Loads of a part at constant offsets from the same register have their places checked and compared once in a
//! slice, for all of them.

use super::access::{Access, Space};
use super::graph::{Id, Op};
use super::lower::Lowered;

/// Register that several loads have their places from.
pub(super) struct ShareBase {
    pub(super) low: Id,
    /// Bytes from the base to the end of the last element.
    pub(super) end: u32,
    /// Distances between lanes at which elements are loaded together, in bytes.
    pub(super) strides: Vec<u32>,
    /// Stack slot with the address of lane 0's place and the distance, once they are known.
    pub(super) slot: Option<usize>,
}

/// Distance of a base whose lanes have none of its distances.
pub(super) const APART: i32 = -1;

/// Distances at which the elements of a load are loaded together, in bytes: they follow each other, or overlap, or are one.
pub(super) fn strides(access: Access) -> impl Iterator<Item = u32> {
    let dwords = access.count();
    let elements = matches!(dwords, 1 | 2 | 4).then_some(access.bytes);
    let overlapping = (dwords > 1).then_some(4);
    elements.into_iter().chain(overlapping).chain([0])
}

/// True of a load that can share its base. Offsets within LDS do not reach the bits that a mask of 16 bits removes.
pub(super) fn can_share(access: Access) -> bool {
    let is_share = matches!(access.space, Space::Share(mask) if mask >= u16::MAX.into());
    is_share && !access.is_part()
}

/// Bases that several loads of a part have.
pub(super) fn bases(lowered: &Lowered) -> Vec<ShareBase> {
    let accesses = &lowered.accesses;
    let mut bases: Vec<(ShareBase, usize)> = Vec::new();
    for id in &accesses.loads {
        let Op::Load(number, low, _) = lowered.graph.op(*id) else {
            continue;
        };
        let access = accesses.all[usize::from(number)];
        if access.dword > 0 || !can_share(access) {
            continue;
        }
        let place = bases.iter().position(|(base, _)| base.low == low);
        let place = place.unwrap_or_else(|| {
            let base = ShareBase {
                low,
                end: 0,
                strides: Vec::new(),
                slot: None,
            };
            bases.push((base, 0));
            bases.len() - 1
        });
        let (base, loads) = &mut bases[place];
        *loads += 1;
        base.end = base.end.max(access.offset as u32 + access.bytes);
        for stride in strides(access) {
            if !base.strides.contains(&stride) {
                base.strides.push(stride);
            }
        }
    }
    let shared = bases.into_iter().filter(|(_, loads)| *loads > 1);
    shared.map(|(base, _)| base).collect()
}
