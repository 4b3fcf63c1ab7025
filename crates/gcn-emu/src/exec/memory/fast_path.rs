//! Fast paths for accesses with one of the common shapes: one address for all lanes, consecutive elements, or elements
//! scattered in one allocation. They do not create an [`Access`](super::Access). Other accesses are rejected before
//! they have any architectural effect, and take the slow path.
//!
//! This module implements scalar memory, `share.rs` LDS, `global.rs` global memory, `scratch.rs` interleaved scratch,
//! `atomics.rs` atomics, `formats.rs` format conversions, and `moves.rs` moves between lanes.

mod part;
mod share;
mod global;
mod scratch;
mod atomics;
mod formats;
mod moves;

use crate::device::Device;
use crate::lanes::Lanes;
use crate::lds::Lds;
use crate::wave::Wave;

use super::access;
use crate::step::{Family, FastPath, MAX_SCALAR_DWORDS, MemoryPlan};
pub use global::shape;

/// Performs the instruction. Returns `None`, without architectural effects, if the access does not have one of the
/// common shapes. Inlined into both step loops, since a call would slow down loads from LDS by an eighth.
#[inline(always)]
pub fn perform(
    wave: &mut Wave,
    plan: &MemoryPlan,
    lds: &mut Lds,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<()> {
    let done = perform_shape(wave, plan, lds, device, old);
    if done.is_none()
        && wave.exec() == 0
        && plan.fast_path != FastPath::None
        && !plan.family.is_scalar()
    {
        // No lane is active.
        return Some(());
    }
    done
}

#[inline(always)]
fn perform_shape(
    wave: &mut Wave,
    plan: &MemoryPlan,
    lds: &mut Lds,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<()> {
    // Only FLAT may fall back from global memory to LDS or scratch.
    let is_flat = plan.family == Family::Flat;
    match plan.fast_path {
        FastPath::None => None,
        FastPath::LoadShare => share::load(wave, plan, lds, device),
        FastPath::LoadSharePart => share::load_part(wave, plan, lds, device),
        FastPath::StoreShare => share::store(wave, plan, lds, device),
        FastPath::Load => match global::load(wave, plan, device) {
            None if is_flat => elsewhere(wave, plan, lds, device, share::load_any, scratch::load),
            done => done,
        },
        FastPath::Store => match global::store(wave, plan, device) {
            None if is_flat => elsewhere(wave, plan, lds, device, share::store, scratch::store),
            done => done,
        },
        FastPath::Atomic => atomics::global(wave, plan, device, old).or_else(|| {
            if is_flat {
                atomics::share(wave, plan, lds, device, old)
            } else {
                None
            }
        }),
        FastPath::AtomicShare => atomics::share(wave, plan, lds, device, old),
        FastPath::LoadScratch => scratch::load(wave, plan, device),
        FastPath::StoreScratch => scratch::store(wave, plan, device),
        FastPath::LoadBuffer => {
            scratch::load(wave, plan, device).or_else(|| global::load(wave, plan, device))
        }
        FastPath::StoreBuffer => {
            scratch::store(wave, plan, device).or_else(|| global::store(wave, plan, device))
        }
        FastPath::LoadScalar => load_scalar(wave, plan, device),
        FastPath::LoadFormat => formats::load(wave, plan, device),
        FastPath::StoreFormat => formats::store(wave, plan, device),
        FastPath::Moves(how) => moves::perform(wave, plan, how),
        FastPath::Nothing => Some(()),
    }
}

/// Performs a FLAT access to LDS or scratch.
#[inline(never)]
fn elsewhere(
    wave: &mut Wave,
    plan: &MemoryPlan,
    lds: &mut Lds,
    device: &Device,
    of_share: impl FnOnce(&mut Wave, &MemoryPlan, &mut Lds, &Device) -> Option<()>,
    of_scratch: impl FnOnce(&mut Wave, &MemoryPlan, &Device) -> Option<()>,
) -> Option<()> {
    if share::is_reached(wave, plan, device) {
        of_share(wave, plan, lds, device)
    } else {
        of_scratch(wave, plan, device)
    }
}

fn load_scalar(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    let address = access::scalar_address(wave, plan);
    let mut loaded = [0; MAX_SCALAR_DWORDS];
    let loaded = &mut loaded[..plan.ty.dwords().into()];
    device.memory.load_dwords(address, loaded)?;
    for (register, &dword) in (plan.sdata..).zip(&*loaded) {
        wave.set_scalar(register, dword);
    }
    Some(())
}
