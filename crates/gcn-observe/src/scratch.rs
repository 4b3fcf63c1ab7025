//! Addresses in a wave's scratch.

use gcn_emu::observe::{Context, MemoryEvent};

const DWORD: u64 = 4;

/// Returns the address of dword `index` of a lane's access, if it is in the wave's scratch.
pub(crate) fn scratch_place(
    context: &Context<'_>,
    event: &MemoryEvent<'_>,
    lane: usize,
    index: usize,
) -> Option<u64> {
    let place = event.access().place(lane, DWORD * index as u64)?;
    let scratch = &context.wave.scratch;
    let bytes = u64::from(scratch.bytes_per_lane).next_multiple_of(DWORD) * 64;
    (scratch.base..scratch.base + bytes)
        .contains(&place)
        .then_some(place)
}
