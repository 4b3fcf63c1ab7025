//! Plain loads and stores whose lanes go the usual ways, for runs that nobody observes: they make no
//! [`Access`](super::Access). Whatever is unusual in the least is left to those that do, before anything has changed.
//!
//! Here are LDS and scalar memory; `atomics.rs` has what changes memory, `moves.rs` what changes lanes only; `global.rs` has addresses of global memory, `scratch.rs` what the lanes of a wave have
//! interleaved.

mod atomics;
mod global;
mod moves;
mod scratch;

use gcn_isa::effect::{Half, LaneMove};
use gcn_isa::{Does, Isa, Ty};

use crate::device::Device;
use crate::lanes::{self, Elements, Lanes};
use crate::lds::{Lds, Share};
use crate::wave::Wave;

use super::places::DWORD;
use super::plan::{Family, Plan};
use super::{HALF_BITS, MAX_SCALAR_DWORDS, access};

/// What an instruction is, as far as it may be usual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quick {
    /// It never is.
    No,
    /// A load of one or two elements of whole dwords from LDS.
    LoadShare,
    /// A load of a part of a dword from there.
    LoadSharePart,
    /// A store of one or two elements to LDS.
    StoreShare,
    /// A load from global memory.
    Load,
    /// A store there.
    Store,
    /// A load from scratch.
    LoadScratch,
    /// A store there.
    StoreScratch,
    /// A load through a descriptor, of global memory or of scratch.
    LoadBuffer,
    /// A store there.
    StoreBuffer,
    /// A load of scalar registers from an address.
    LoadScalar,
    /// An atomic on global memory, by FLAT also on LDS.
    Atomic,
    /// An atomic on LDS.
    AtomicShare,
    /// Lanes exchange values.
    Moves(LaneMove),
    /// Nothing is done.
    Nothing,
}

impl Quick {
    /// What an instruction with this plan is.
    pub fn of(plan: &Plan) -> Quick {
        if plan.gds || plan.tfe || plan.to_lds {
            return Quick::No;
        }
        let is_part = usize::from(plan.ty.bytes()) < DWORD;
        match (plan.family, plan.does) {
            // Caches are coherent here, and translation needs no prefetch (errata E124, E125).
            (_, Does::Cache { .. } | Does::Probe | Does::LdsNop) => Quick::Nothing,
            (Family::Share, Does::Load(_) | Does::LoadHalf(..)) if is_part => Quick::LoadSharePart,
            (Family::Share, Does::Load(_) | Does::LoadTwo(..)) => Quick::LoadShare,
            (Family::Share, Does::Store(_) | Does::StoreHigh(_) | Does::StoreTwo(..)) => {
                Quick::StoreShare
            }
            (Family::Share, Does::Lanes(how)) => Quick::Moves(how),
            (Family::Share, Does::Atomic(..) | Does::Return(..)) => Quick::AtomicShare,
            (Family::Global | Family::Flat | Family::Buffer, Does::Atomic(..)) => Quick::Atomic,
            (Family::Scratch, Does::Load(_) | Does::LoadHalf(..)) => Quick::LoadScratch,
            (Family::Scratch, Does::Store(_) | Does::StoreHigh(_)) => Quick::StoreScratch,
            (Family::Buffer, Does::Load(_) | Does::LoadHalf(..)) => Quick::LoadBuffer,
            (Family::Buffer, Does::Store(_) | Does::StoreHigh(_)) => Quick::StoreBuffer,
            (Family::Global | Family::Flat, Does::Load(_) | Does::LoadHalf(..)) => Quick::Load,
            (Family::Global | Family::Flat, Does::Store(_) | Does::StoreHigh(_)) => Quick::Store,
            (Family::Scalar, Does::Load(ty)) if usize::from(ty.dwords()) <= MAX_SCALAR_DWORDS => {
                Quick::LoadScalar
            }
            _ => Quick::No,
        }
    }
}

/// Performs the instruction; nothing, and nothing has been done, if it is not usual.
#[inline]
pub fn perform(wave: &mut Wave, plan: &Plan, lds: &mut Lds, device: &Device) -> Option<()> {
    let done = perform_usual(wave, plan, lds, device);
    if done.is_none() && wave.exec() == 0 && plan.quick != Quick::No && !plan.family.is_scalar() {
        // No lane is there to be unusual.
        return Some(());
    }
    done
}

#[inline(always)]
fn perform_usual(wave: &mut Wave, plan: &Plan, lds: &mut Lds, device: &Device) -> Option<()> {
    match plan.quick {
        Quick::No => None,
        Quick::LoadShare => load_share(wave, plan, lds, device),
        Quick::LoadSharePart => load_share_part(wave, plan, lds, device),
        Quick::StoreShare => store_share(wave, plan, lds, device),
        Quick::Load => global::load(wave, plan, device).or_else(|| match plan.family {
            Family::Flat if reaches_share(wave, plan, device) => {
                load_share_any(wave, plan, lds, device)
            }
            Family::Flat => scratch::load(wave, plan, device),
            _ => None,
        }),
        Quick::Store => global::store(wave, plan, device).or_else(|| match plan.family {
            Family::Flat if reaches_share(wave, plan, device) => {
                store_share(wave, plan, lds, device)
            }
            Family::Flat => scratch::store(wave, plan, device),
            _ => None,
        }),
        Quick::Atomic => atomics::global(wave, plan, device).or_else(|| match plan.family {
            Family::Flat => atomics::share(wave, plan, lds, device),
            _ => None,
        }),
        Quick::AtomicShare => atomics::share(wave, plan, lds, device),
        Quick::LoadScratch => scratch::load(wave, plan, device),
        Quick::StoreScratch => scratch::store(wave, plan, device),
        Quick::LoadBuffer => {
            scratch::load(wave, plan, device).or_else(|| global::load(wave, plan, device))
        }
        Quick::StoreBuffer => {
            scratch::store(wave, plan, device).or_else(|| global::store(wave, plan, device))
        }
        Quick::LoadScalar => load_scalar(wave, plan, device),
        Quick::Moves(how) => moves::perform(wave, plan, how),
        Quick::Nothing => Some(()),
    }
}

/// Whether the addresses of LDS are none that GCN 1.0 takes for out of range by their registers (errata E039).
fn takes_addresses(wave: &Wave, plan: &Plan, device: &Device) -> bool {
    wave.isa != Isa::Si || !device.config.si_checks_lds_base || {
        let addresses = wave.vgpr(plan.vaddr.unwrap_or(0));
        lanes::are_below(addresses, 0, u32::MAX, wave.exec(), i32::MAX as u32)
    }
}

/// Whether all active lanes of FLAT go to LDS, and none of their sums with the offset wraps.
fn reaches_share(wave: &Wave, plan: &Plan, device: &Device) -> bool {
    let first = plan.vaddr.unwrap_or(0);
    let (low, high) = (wave.vgpr(first), wave.vgpr(first.wrapping_add(1)));
    let (exec, aperture) = (wave.exec(), device.config.apertures.shared);
    !device.config.dword_alignment
        && lanes::are_below(high, aperture.wrapping_neg(), u32::MAX, exec, 0)
        && lanes::are_below(low, 0, u32::MAX, exec, i32::MAX as u32)
}

/// The part of LDS that the instruction reaches.
fn share_of<'a>(wave: &Wave, plan: &Plan, lds: &'a mut Lds) -> Share<'a> {
    let m0 = wave.m0();
    if plan.family == Family::Flat && m0 == 0 {
        // Nobody sets it for FLAT (errata E230).
        lds.share(wave.isa, u32::MAX)
    } else {
        lds.share(wave.isa, m0)
    }
}

/// What is added to an address of LDS for each element, and how many there are.
fn offsets(plan: &Plan) -> ([u32; 2], usize) {
    let (first, distance) = (plan.offset as u32, plan.distance as u32);
    let count = match plan.does {
        Does::LoadTwo(..) => 2,
        // Two elements for one place are one (errata E042).
        Does::StoreTwo(..) if distance != 0 => 2,
        _ => 1,
    };
    ([first, first.wrapping_add(distance)], count)
}

fn store_share(wave: &mut Wave, plan: &Plan, lds: &mut Lds, device: &Device) -> Option<()> {
    if !takes_addresses(wave, plan, device) {
        return None;
    }
    let (offsets, count) = offsets(plan);
    let elements = Elements {
        offsets: &offsets[..count],
        mask: plan.mask,
        dwords: usize::from(plan.ty.dwords()),
        exec: wave.exec(),
    };
    let mut share = share_of(wave, plan, lds);
    let register = plan.vaddr.map_or(0, usize::from);
    let part = Some(usize::from(plan.ty.bytes())).filter(|&bytes| bytes < DWORD);
    if matches!(plan.does, Does::StoreHigh(_)) {
        let mut registers = [wave.vgpr(plan.vaddr.unwrap_or(0)), wave.vgpr(plan.vdata)].map(|r| *r);
        let [_, high] = &mut registers;
        lanes::shift_down(HALF_BITS, high);
        return elements.scatter(share.bytes_mut(), &registers, 0, &[1], part);
    }
    let from = [plan.vdata, plan.vdata1].map(usize::from);
    elements.scatter(
        share.bytes_mut(),
        &wave.vgprs,
        register,
        &from[..count],
        part,
    )
}

/// A load of FLAT from LDS.
fn load_share_any(wave: &mut Wave, plan: &Plan, lds: &mut Lds, device: &Device) -> Option<()> {
    if usize::from(plan.ty.bytes()) < DWORD {
        load_share_part(wave, plan, lds, device)
    } else {
        load_share(wave, plan, lds, device)
    }
}

fn load_share_part(wave: &mut Wave, plan: &Plan, lds: &mut Lds, device: &Device) -> Option<()> {
    if !takes_addresses(wave, plan, device) {
        return None;
    }
    let exec = wave.exec();
    let elements = Elements {
        offsets: &[plan.offset as u32],
        mask: plan.mask,
        dwords: 1,
        exec,
    };
    let share = share_of(wave, plan, lds);
    // The dword at the place is loaded, its low bits are what counts. Where there is no whole one, it is not usual.
    let mut registers = [*wave.vgpr(plan.vaddr.unwrap_or(0)), Lanes::ZERO];
    elements.gather(share.bytes(), &mut registers, 0, 1)?;
    let [_, loaded] = &mut registers;
    lanes::keep_low(u32::from(plan.ty.bytes()) * u8::BITS, loaded);
    let register = wave.vgprs.get_mut(usize::from(plan.vdst))?;
    write(plan, loaded, register, exec);
    Some(())
}

/// Writes a dword, or a part of one without sign, to its register, or to the half that it is for.
fn write(plan: &Plan, loaded: &mut Lanes, register: &mut Lanes, exec: u64) {
    if matches!(plan.ty, Ty::I8 | Ty::I16) {
        lanes::extend_sign(u32::from(plan.ty.bytes()) * u8::BITS, loaded);
    }
    if let Does::LoadHalf(_, half) = plan.does {
        lanes::into_half(half == Half::High, loaded, register);
    }
    register.blend(loaded, exec);
}

fn load_scalar(wave: &mut Wave, plan: &Plan, device: &Device) -> Option<()> {
    let address = access::scalar_address(wave, plan);
    let mut loaded = [0; MAX_SCALAR_DWORDS];
    let loaded = &mut loaded[..plan.ty.dwords().into()];
    device.memory.load_dwords(address, loaded)?;
    for (register, &dword) in (plan.sdata..).zip(&*loaded) {
        wave.set_scalar(register, dword);
    }
    Some(())
}

fn load_share(wave: &mut Wave, plan: &Plan, lds: &mut Lds, device: &Device) -> Option<()> {
    if !takes_addresses(wave, plan, device) {
        return None;
    }
    let (offsets, count) = offsets(plan);
    let elements = Elements {
        offsets: &offsets[..count],
        mask: plan.mask,
        dwords: usize::from(plan.ty.dwords()),
        exec: wave.exec(),
    };
    let share = share_of(wave, plan, lds);
    let register = plan.vaddr.map_or(0, usize::from);
    elements.gather(share.bytes(), &mut wave.vgprs, register, plan.vdst.into())
}
