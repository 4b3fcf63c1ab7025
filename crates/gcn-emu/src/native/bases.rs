//! Shared bases of LDS loads. If several loads of a part use constant offsets from the same register, host code
//! checks and classifies their addresses once per slice.

use super::access::{Access, Space};
use super::graph::{Id, Op};
use super::lower::Lowered;

/// Address register shared by several loads.
pub(super) struct ShareBase {
    pub(super) low: Id,
    /// Distance in bytes from the base to the end of the last element.
    pub(super) end: u32,
    /// Low address bits that some of the loads ignore. Host code requires them to be zero.
    pub(super) ignored: u32,
    /// Strides between lanes, in bytes, for which the loads have a fast path.
    pub(super) strides: Vec<u32>,
    /// Stack slot with lane 0's address and the stride, once they are known.
    pub(super) slot: Option<usize>,
}

/// Offset of the stride in a base's stack slot, which starts with lane 0's address.
pub(super) const BASE_STRIDE: usize = 8;
/// Offset of the address of lane [`HALF`].
pub(super) const BASE_MIDDLE: usize = 16;

/// Stride value for lanes that match none of a base's strides.
pub(super) const APART: i32 = -1;

/// Number of lanes in half of an AVX-512 slice. Tiles are often eight lanes wide.
pub(super) const HALF: u32 = 8;
/// Flag of a stride that holds only within each half of the slice.
pub(super) const HALVES: u32 = 1 << 30;

/// Strides, in bytes, at which a load moves its elements together because they are adjacent, overlapping or identical.
pub(super) fn strides(access: Access) -> impl Iterator<Item = u32> {
    let dwords = access.count();
    let elements = matches!(dwords, 1 | 2 | 4).then_some(access.bytes);
    let overlapping = (dwords > 1).then_some(4);
    elements.into_iter().chain(overlapping).chain([0])
}

/// Low address bits that a load ignores; `None` if the load cannot share its base. Offsets within LDS fit in the low
/// 16 bits.
pub(super) fn ignored_bits(access: Access) -> Option<u32> {
    let Space::Share(mask) = access.space else {
        return None;
    };
    let ignored = !mask & u32::from(u16::MAX);
    let is_low = (ignored + 1).is_power_of_two() && access.offset as u32 & ignored == 0;
    (is_low && !access.is_part()).then_some(ignored)
}

/// Bases used by more than one load of a part.
pub(super) fn bases(lowered: &Lowered) -> Vec<ShareBase> {
    let accesses = &lowered.accesses;
    let mut bases: Vec<(ShareBase, usize)> = Vec::new();
    for id in &accesses.loads {
        let Op::Load(number, low, _) = lowered.graph.op(*id) else {
            continue;
        };
        let access = accesses.all[usize::from(number)];
        let Some(ignored) = ignored_bits(access).filter(|_| access.dword == 0) else {
            continue;
        };
        let place = bases.iter().position(|(base, _)| base.low == low);
        let place = place.unwrap_or_else(|| {
            let base = ShareBase {
                low,
                end: 0,
                ignored: 0,
                strides: Vec::new(),
                slot: None,
            };
            bases.push((base, 0));
            bases.len() - 1
        });
        let (base, loads) = &mut bases[place];
        *loads += 1;
        base.ignored |= ignored;
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
