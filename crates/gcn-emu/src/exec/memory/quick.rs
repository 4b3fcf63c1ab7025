//! Accesses of a common shape: one place for all lanes, a row, elements scattered in one allocation. They make no
//! [`Access`](super::Access). Any other is left to what makes one, before anything has changed.
//!
//! Here is scalar memory; `share.rs` has LDS, `global.rs` addresses of global memory, `scratch.rs` what the lanes of a wave
//! have interleaved, `atomics.rs` what changes memory, `formats.rs` what is converted, `moves.rs` what changes lanes only.

mod atomics;
mod formats;
mod global;
mod moves;
mod scratch;
pub(super) mod share;

use gcn_isa::effect::{Half, LaneMove};
use gcn_isa::{Does, Ty};

use crate::device::Device;
use crate::lanes::{self, Lanes};
use crate::lds::Lds;
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
    /// A load through a descriptor that is converted.
    LoadFormat,
    /// A store there.
    StoreFormat,
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
            (Family::Buffer, Does::LoadFormat(..) | Does::LoadFormatHigh) => Quick::LoadFormat,
            (Family::Buffer, Does::StoreFormat(..) | Does::StoreFormatHigh) => Quick::StoreFormat,
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

/// Performs the instruction; nothing, and nothing has been done, if it is not usual. It is compiled into each of the two step
/// loops: a call costs a load from LDS an eighth of its time.
#[inline(always)]
pub fn perform(
    wave: &mut Wave,
    plan: &Plan,
    lds: &mut Lds,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<()> {
    let done = perform_usual(wave, plan, lds, device, old);
    if done.is_none() && wave.exec() == 0 && plan.quick != Quick::No && !plan.family.is_scalar() {
        // No lane is there to be unusual.
        return Some(());
    }
    done
}

#[inline(always)]
fn perform_usual(
    wave: &mut Wave,
    plan: &Plan,
    lds: &mut Lds,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<()> {
    match plan.quick {
        Quick::No => None,
        Quick::LoadShare => share::load(wave, plan, lds, device),
        Quick::LoadSharePart => share::load_part(wave, plan, lds, device),
        Quick::StoreShare => share::store(wave, plan, lds, device),
        Quick::Load => global::load(wave, plan, device).or_else(|| match plan.family {
            Family::Flat if share::is_reached(wave, plan, device) => {
                share::load_any(wave, plan, lds, device)
            }
            Family::Flat => scratch::load(wave, plan, device),
            _ => None,
        }),
        Quick::Store => global::store(wave, plan, device).or_else(|| match plan.family {
            Family::Flat if share::is_reached(wave, plan, device) => {
                share::store(wave, plan, lds, device)
            }
            Family::Flat => scratch::store(wave, plan, device),
            _ => None,
        }),
        Quick::Atomic => atomics::global(wave, plan, device, old).or_else(|| match plan.family {
            Family::Flat => atomics::share(wave, plan, lds, device, old),
            _ => None,
        }),
        Quick::AtomicShare => atomics::share(wave, plan, lds, device, old),
        Quick::LoadScratch => scratch::load(wave, plan, device),
        Quick::StoreScratch => scratch::store(wave, plan, device),
        Quick::LoadBuffer => {
            scratch::load(wave, plan, device).or_else(|| global::load(wave, plan, device))
        }
        Quick::StoreBuffer => {
            scratch::store(wave, plan, device).or_else(|| global::store(wave, plan, device))
        }
        Quick::LoadScalar => load_scalar(wave, plan, device),
        Quick::LoadFormat => formats::load(wave, plan, device),
        Quick::StoreFormat => formats::store(wave, plan, device),
        Quick::Moves(how) => moves::perform(wave, plan, how),
        Quick::Nothing => Some(()),
    }
}

/// Writes a dword, or a part of one without sign, to its register, or to the half that it is for.
fn write(plan: &Plan, loaded: &mut Lanes, register: &mut Lanes, exec: u64) {
    if matches!(plan.ty, Ty::I8 | Ty::I16) {
        lanes::extend_sign(u32::from(plan.ty.bytes()) * u8::BITS, loaded);
    }
    if let Does::LoadHalf(_, half) = plan.does {
        let place = if half == Half::High { HALF_BITS } else { 0 };
        lanes::insert(HALF_BITS, place, loaded, register);
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
