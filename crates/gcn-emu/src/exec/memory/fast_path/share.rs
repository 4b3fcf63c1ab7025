//! LDS accesses by DS and FLAT, with addresses in registers and constant offsets.

use gcn_isa::{Does, Isa};

use super::super::element::{DWORD, HALF_BITS};
use super::part::write;
use crate::device::Device;
use crate::lanes::{self, Lanes};
use crate::lds::{Lds, Share};
use crate::step::{Family, MemoryPlan};
use crate::wave::Wave;

/// True unless an address register holds a value that GCN 1.0 treats as out of range (errata E039).
#[inline]
pub fn takes_addresses(wave: &Wave, plan: &MemoryPlan, device: &Device) -> bool {
    wave.isa != Isa::Si || !device.config.si_checks_lds_base || {
        let addresses = wave.vgpr(plan.vaddr.unwrap_or(0));
        lanes::are_below(addresses, 0, u32::MAX, wave.exec(), i32::MAX as u32)
    }
}

/// True if all active lanes of a FLAT access address LDS, the offset cannot wrap, and addresses are not aligned down.
pub fn is_reached(wave: &Wave, plan: &MemoryPlan, device: &Device) -> bool {
    let first = plan.vaddr.unwrap_or(0);
    let (low, high) = (wave.vgpr(first), wave.vgpr(first.wrapping_add(1)));
    let (exec, aperture) = (wave.exec(), device.config.apertures.shared);
    !device.config.dword_alignment
        && lanes::are_below(high, aperture.wrapping_neg(), u32::MAX, exec, 0)
        && lanes::are_below(low, 0, u32::MAX, exec, i32::MAX as u32)
}

/// Returns the part of LDS accessible to the instruction.
#[inline(always)]
pub fn reached<'a>(wave: &Wave, plan: &MemoryPlan, lds: &'a mut Lds) -> Share<'a> {
    let m0 = wave.m0();
    if plan.family == Family::Flat && m0 == 0 {
        // FLAT code may never have set M0, so 0 is no limit (errata E230).
        lds.share(wave.isa, u32::MAX)
    } else {
        lds.share(wave.isa, m0)
    }
}

/// Loads elements of whole dwords.
#[inline]
pub fn load(wave: &mut Wave, plan: &MemoryPlan, lds: &mut Lds, device: &Device) -> Option<()> {
    if !takes_addresses(wave, plan, device) {
        return None;
    }
    let share = reached(wave, plan, lds);
    (plan.gather)(&plan.elements, wave.exec(), share.bytes(), &mut wave.vgprs)
}

/// Loads elements smaller than a dword.
pub fn load_part(wave: &mut Wave, plan: &MemoryPlan, lds: &mut Lds, device: &Device) -> Option<()> {
    if !takes_addresses(wave, plan, device) {
        return None;
    }
    let exec = wave.exec();
    let share = reached(wave, plan, lds);
    // Loads the dword at the address and keeps its low bits. If the dword is not entirely in range, the access takes
    // the slow path.
    let mut registers = [*wave.vgpr(plan.vaddr.unwrap_or(0)), Lanes::ZERO];
    (plan.gather)(&plan.elements, exec, share.bytes(), &mut registers)?;
    let [_, loaded] = &mut registers;
    lanes::keep_low(u32::from(plan.ty.bytes()) * u8::BITS, loaded);
    let register = wave.vgprs.get_mut(usize::from(plan.vdst))?;
    write(plan, loaded, register, exec);
    Some(())
}

/// Loads elements of any size.
pub fn load_any(wave: &mut Wave, plan: &MemoryPlan, lds: &mut Lds, device: &Device) -> Option<()> {
    if usize::from(plan.ty.bytes()) < DWORD {
        load_part(wave, plan, lds, device)
    } else {
        load(wave, plan, lds, device)
    }
}

/// Stores elements.
pub fn store(wave: &mut Wave, plan: &MemoryPlan, lds: &mut Lds, device: &Device) -> Option<()> {
    if !takes_addresses(wave, plan, device) {
        return None;
    }
    let exec = wave.exec();
    let mut share = reached(wave, plan, lds);
    let bytes = share.bytes_mut();
    let part = Some(usize::from(plan.ty.bytes())).filter(|&bytes| bytes < DWORD);
    if matches!(plan.does, Does::StoreHigh(_)) {
        let mut registers = [plan.vaddr.unwrap_or(0), plan.vdata].map(|number| *wave.vgpr(number));
        let [_, high] = &mut registers;
        lanes::shift_down(HALF_BITS, high);
        return plan.elements.scatter(exec, bytes, &registers, part);
    }
    plan.elements.scatter(exec, bytes, &wave.vgprs, part)
}
