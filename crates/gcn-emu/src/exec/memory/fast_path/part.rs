//! Register writes by loads, including loads of less than a dword.

use gcn_isa::effect::Half;
use gcn_isa::{Does, Ty};

use super::super::element::HALF_BITS;
use crate::lanes::{self, Lanes};
use crate::step::MemoryPlan;

/// Writes a loaded dword, or a zero-extended part of one, to the destination register or the selected half of it.
/// Signed types are sign-extended first.
pub(super) fn write(plan: &MemoryPlan, loaded: &mut Lanes, register: &mut Lanes, exec: u64) {
    if matches!(plan.ty, Ty::I8 | Ty::I16) {
        lanes::extend_sign(u32::from(plan.ty.bytes()) * u8::BITS, loaded);
    }
    if let Does::LoadHalf(_, half) = plan.does {
        let place = if half == Half::High { HALF_BITS } else { 0 };
        lanes::insert(HALF_BITS, place, loaded, other_half(plan, register));
    }
    register.blend(loaded, exec);
}

/// Returns the source of the half that a half-register load does not write: the register itself or zeros (errata E263).
pub(super) fn other_half<'a>(plan: &MemoryPlan, register: &'a Lanes) -> &'a Lanes {
    if plan.keeps_half {
        register
    } else {
        &Lanes::ZERO
    }
}
