//! Value exchange between lanes through the LDS hardware, which accesses no memory and ignores M0 (checklist
//! 2.32–2.35).

use gcn_isa::effect::LaneMove;
use gcn_isa::swizzle::Pattern;

use crate::lanes::{LANES, Lanes, active};
use crate::wave::Wave;

use crate::step::MemoryPlan;

/// Executes a move with the current EXEC. All sources are read before any destination is written (errata E058).
pub fn perform(wave: &mut Wave, plan: &MemoryPlan, how: LaneMove) {
    let exec = wave.exec();
    let is_active = |lane: usize| exec >> lane & 1 != 0;
    let address = *wave.vgpr(plan.vaddr.unwrap_or(0));
    let data = *wave.vgpr(plan.vdata);
    let offset = plan.offset as u32;
    let named = |lane: usize| (address.0[lane].wrapping_add(offset) >> 2) as usize % LANES;
    let mut moved = Lanes::ZERO;
    match how {
        LaneMove::Swizzle => {
            let pattern = Pattern::unpack(wave.isa, plan.offset as u16);
            for lane in 0..LANES {
                let from = usize::from(pattern.source(lane as u8));
                if is_active(from) {
                    moved.0[lane] = address.0[from];
                }
            }
        }
        LaneMove::Push => {
            for lane in active(exec) {
                moved.0[named(lane)] = data.0[lane];
            }
        }
        LaneMove::Pull => {
            for lane in active(exec) {
                let from = named(lane);
                if is_active(from) {
                    moved.0[lane] = data.0[from];
                }
            }
        }
    }
    wave.vgpr_mut(plan.vdst).blend(&moved, exec);
}
