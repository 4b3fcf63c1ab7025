//! Lanes that exchange values through the hardware of LDS: no memory, no M0, no limits (checklist 2.32–2.35).

use gcn_isa::effect::LaneMove;
use gcn_isa::swizzle::Pattern;

use crate::lanes::{LANES, Lanes, active};
use crate::wave::Wave;

use super::plan::Plan;

/// Lanes of a half; swizzles do not cross it.
const HALF: usize = 32;
/// Bits of a lane's number in a half.
const HALF_BITS: u32 = 5;
const HALF_MASK: u8 = 0x1f;

/// EXEC is that of the moment; all sources are read before a destination is written (errata E058).
pub fn perform(wave: &mut Wave, plan: &Plan, how: LaneMove) {
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
                let from = lane / HALF * HALF + usize::from(source(pattern, (lane % HALF) as u8));
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

/// The lane of a half that lane `lane` of it reads (errata E056).
fn source(pattern: Pattern, lane: u8) -> u8 {
    match pattern {
        Pattern::QuadPerm(lanes) => lane & !3 | lanes[usize::from(lane & 3)] & 3,
        Pattern::Bitmask { and, or, xor } => ((lane & and | or) ^ xor) & HALF_MASK,
        Pattern::Fft { mask } => {
            let reversed = lane.reverse_bits() >> (8 - HALF_BITS);
            (reversed >> mask.count_ones() | lane & mask) & HALF_MASK
        }
        Pattern::Rotate { by, mask } => {
            (lane & mask | lane.wrapping_add_signed(by) & !mask) & HALF_MASK
        }
    }
}
