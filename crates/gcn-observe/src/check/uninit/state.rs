//! Shadow state of waves and workgroups.

use std::collections::HashMap;

use gcn_emu::observe::Context;
use gcn_emu::wave::Scratch;

use super::memory::UndefinedPrivate;
use super::registers::UndefinedRegisters;
use super::repeats::Repeats;
use crate::waves::Groups;

/// Shadow state of a wave.
pub(super) struct UndefinedWave {
    pub(super) registers: Box<UndefinedRegisters>,
    pub(super) scratch: UndefinedPrivate,
    pub(super) repeats: Repeats,
    /// Store numbers returned by `SharedResults::note`, by address of the storing instruction.
    pub(super) stores: HashMap<u64, u32>,
}

impl UndefinedWave {
    pub(super) fn new(context: &Context<'_>, spare: &mut Vec<UndefinedWave>) -> UndefinedWave {
        let mut state = match spare.pop() {
            Some(mut state) => {
                state.registers.begin();
                state
            }
            None => UndefinedWave {
                registers: UndefinedRegisters::new(
                    context.wave.vgprs.len(),
                    &context.dispatched.dispatch.initial,
                ),
                scratch: UndefinedPrivate::default(),
                repeats: Repeats::default(),
                stores: HashMap::new(),
            },
        };
        state.repeats.begin();
        state.stores.clear();
        state
            .scratch
            .begin(scratch_bytes(&context.wave.scratch) as usize);
        state
    }
}

/// Shadow state of a workgroup.
#[derive(Default)]
pub(super) struct GroupState {
    pub(super) lds: UndefinedPrivate,
    /// Number of waves that have ended.
    pub(super) ended: u32,
}

/// Size of a wave's scratch in bytes.
pub(super) fn scratch_bytes(scratch: &Scratch) -> u64 {
    u64::from(scratch.bytes_per_lane).next_multiple_of(4) * 64
}

/// Returns the state of a wave's workgroup, and creates it on first use.
#[inline]
pub(super) fn group_of<'g>(
    groups: &'g mut Groups<GroupState>,
    context: &Context<'_>,
) -> &'g mut GroupState {
    groups.get_or_make(context.id().group, || {
        let mut group = GroupState::default();
        let bytes = context.dispatched.dispatch.lds_bytes as usize;
        group.lds.begin(bytes);
        group
    })
}
