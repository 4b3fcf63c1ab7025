//! Instructions that wait for other waves: GWS and DS_ORDERED_COUNT.

use gcn_isa::effect::GwsOp;

use super::access::ORDERED_INDEX;
use super::running::Attempt;
use crate::device::Device;
use crate::lanes::{LANES, Lanes};
use crate::lds::Share;
use crate::step::MemoryPlan;
use crate::wave::Wave;

/// Executes a GWS instruction (checklist 2.30; errata E048). Its value comes from the first active lane, or lane 0 if
/// none is active.
pub(super) fn synchronise(
    wave: &mut Wave,
    plan: &MemoryPlan,
    op: GwsOp,
    device: &Device,
) -> Attempt {
    let resource = (wave.m0() >> 16).wrapping_add(plan.offset as u32 & 0x3f);
    let lane = wave.exec().trailing_zeros() as usize % LANES;
    let value = wave.vgpr(plan.vaddr.unwrap_or(0)).0[lane];
    if device
        .gws
        .perform(op, resource, value, &mut wave.gws_ticket)
    {
        Attempt::Done
    } else {
        Attempt::Blocked
    }
}

// Fields of DS_ORDERED_COUNT's OFFSET (errata E049).
const ORDERED_RELEASE: u32 = 1 << 8;
const ORDERED_DONE: u32 = 1 << 9;
const ORDERED_OPERATION_SHIFT: u32 = 12;

/// Executes DS_ORDERED_COUNT (errata E049). Waves take turns in the order of their logical IDs in M0, regardless of
/// EXEC. The release bit or the done bit ends the turn.
pub(super) fn count_in_order(
    wave: &mut Wave,
    plan: &MemoryPlan,
    device: &Device,
    replaced: &mut [Lanes; 2],
) -> Attempt {
    let m0 = wave.m0();
    let offset = plan.offset as u32;
    let address = u64::from((m0 >> 16).wrapping_add(offset & ORDERED_INDEX));
    let exec = wave.exec();
    let operand = if exec == 0 {
        0
    } else {
        wave.vgpr(plan.vaddr.unwrap_or(0)).0[exec.trailing_zeros() as usize % LANES]
    };
    let new = |old: u32| match offset >> ORDERED_OPERATION_SHIFT & 3 {
        0 => old.wrapping_add(operand),
        1 => operand,
        // The reserved operation leaves memory unchanged.
        2 => old,
        _ if old >= operand => old - operand,
        _ => old,
    };
    let passes_on = offset & (ORDERED_RELEASE | ORDERED_DONE) != 0;
    let number = m0 as u16;
    if !device.gws.has_turn(number) {
        return Attempt::Blocked;
    }
    let mut guard = device.gds.lock();
    let size = guard.len() as u64;
    let mut share = Share::new(&mut guard, 0, size);
    let mut old = 0;
    if let Some([value]) = share.dwords(address) {
        old = value;
        // Cannot fail: the read above succeeded.
        let _ = share.set_dwords(address, [new(old)]);
    } else {
        wave.note_violation();
    }
    drop(guard);
    replaced[0] = Lanes::splat(old);
    wave.vgpr_mut(plan.vdst).blend(&replaced[0], exec);
    if passes_on {
        device.gws.pass_turn(number);
    }
    Attempt::Done
}
