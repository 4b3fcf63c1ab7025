//! Accesses of a common shape: one place for all lanes, a row, elements scattered in one allocation. They make no
//! [`Access`](super::Access). Any other is left to what makes one, before anything has changed.
//!
//! Here is scalar memory; `share.rs` has LDS, `global.rs` addresses of global memory, `scratch.rs` what the lanes of a wave
//! have interleaved, `atomics.rs` what changes memory, `formats.rs` what is converted, `moves.rs` what changes lanes only.

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

/// Performs the instruction; nothing, and nothing has been done, if its access has no common shape. It is compiled into each of the two step
/// loops: a call costs a load from LDS an eighth of its time.
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
        // No lane accesses anything.
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
    // FLAT alone may go elsewhere than to global memory.
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

/// An access by FLAT that does not go to global memory: one of LDS, or else of scratch.
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
