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
use crate::step::{Family, MAX_SCALAR_DWORDS, Plan, Quick};

/// Performs the instruction; nothing, and nothing has been done, if its access has no common shape. It is compiled into each of the two step
/// loops: a call costs a load from LDS an eighth of its time.
#[inline(always)]
pub fn perform(
    wave: &mut Wave,
    plan: &Plan,
    lds: &mut Lds,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<()> {
    let done = perform_shape(wave, plan, lds, device, old);
    if done.is_none() && wave.exec() == 0 && plan.quick != Quick::No && !plan.family.is_scalar() {
        // No lane accesses anything.
        return Some(());
    }
    done
}

#[inline(always)]
fn perform_shape(
    wave: &mut Wave,
    plan: &Plan,
    lds: &mut Lds,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<()> {
    // FLAT alone may go elsewhere than to global memory.
    let is_flat = plan.family == Family::Flat;
    match plan.quick {
        Quick::No => None,
        Quick::LoadShare => share::load(wave, plan, lds, device),
        Quick::LoadSharePart => share::load_part(wave, plan, lds, device),
        Quick::StoreShare => share::store(wave, plan, lds, device),
        Quick::Load => global::load(wave, plan, device).or_else(|| {
            if !is_flat {
                None
            } else if share::is_reached(wave, plan, device) {
                share::load_any(wave, plan, lds, device)
            } else {
                scratch::load(wave, plan, device)
            }
        }),
        Quick::Store => global::store(wave, plan, device).or_else(|| {
            if !is_flat {
                None
            } else if share::is_reached(wave, plan, device) {
                share::store(wave, plan, lds, device)
            } else {
                scratch::store(wave, plan, device)
            }
        }),
        Quick::Atomic => atomics::global(wave, plan, device, old).or_else(|| {
            if is_flat {
                atomics::share(wave, plan, lds, device, old)
            } else {
                None
            }
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
