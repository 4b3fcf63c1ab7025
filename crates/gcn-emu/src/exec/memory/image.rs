//! Images: address computation from lane registers and the descriptor, and the operations on texels.
//!
//! Loads, stores and atomics access one texel per lane; samples and gathers access several, which [`sample`] finds.
//! Observers see these accesses one at a time: [`addresses`] finds the first texel, [`texel`] any texel.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "Vector Memory Image Instructions";
//! errata E320–E331.

mod bound;
mod texel;
mod clamp;
mod detail;
mod sample;
mod perform;

use gcn_isa::Does;
use gcn_isa::effect::ImageOp;
use gcn_isa::uses::{RegisterUse, Registers};

use super::access::Access;
use crate::lanes::active;
use crate::step::{Family, MemoryPlan, Step};
use crate::wave::Wave;

use bound::BoundImage;
use sample::BoundSampler;

pub(super) use perform::perform;

/// Finds each lane's first texel. A lane accesses no memory if the instruction is not executed or the texel is out of
/// range.
pub(super) fn addresses(wave: &Wave, plan: &MemoryPlan, access: &mut Access) {
    find(wave, plan, 0, access);
}

/// Finds texel number `number`, below [`sample::MAX_TEXELS`], of each lane of a sample or gather. Returns false if no
/// lane has that many texels. Overwrites `access`.
pub fn texel(wave: &Wave, step: &Step, number: usize, access: &mut Access) -> bool {
    match step.memory.as_deref() {
        Some(plan) if plan.family == Family::Image => find(wave, plan, number, access),
        _ => false,
    }
}

/// Returns the address registers that the descriptor requires in addition to those common to all images: the part of
/// [`Uses::address_beyond`](gcn_isa::uses::Uses::address_beyond) that is read. `None` if there are none.
pub fn address_beyond(wave: &Wave, step: &Step) -> Option<RegisterUse> {
    let plan = step.memory.as_deref()?;
    let beyond = step.inst.uses().address_beyond()?;
    let bound = BoundImage::new(wave, plan).ok()?;
    let Registers::Vector { first, .. } = beyond.registers else {
        return None;
    };
    let before = first.wrapping_sub(plan.vaddr?);
    let count = bound.address.registers.checked_sub(before)?;
    let registers = Registers::Vector { first, count };
    (count != 0).then_some(RegisterUse {
        registers,
        ..beyond
    })
}

fn find(wave: &Wave, plan: &MemoryPlan, number: usize, access: &mut Access) -> bool {
    access.global = 0;
    let Ok(bound) = BoundImage::new(wave, plan) else {
        return false;
    };
    let Does::Image(ImageOp::Sample(sampling) | ImageOp::Gather(sampling)) = plan.does else {
        if access.intent.is_none() {
            return false;
        }
        access.bytes = bound.bytes();
        for lane in active(wave.exec()) {
            if let Some(address) = bound.own_texel(wave, lane) {
                access.address[lane] = address;
                access.global |= 1 << lane;
            }
        }
        return number == 0;
    };
    access.bytes = bound.bytes();
    let Ok(sampler) = BoundSampler::new(wave, &bound, sampling) else {
        return false;
    };
    let mut has_any = false;
    for lane in active(wave.exec()) {
        let footprint = sampler.footprint(wave, lane);
        let Some(texel) = footprint.texels().get(number) else {
            continue;
        };
        has_any = true;
        if let Some(address) = texel.address {
            access.address[lane] = address;
            access.global |= 1 << lane;
        }
    }
    has_any
}
