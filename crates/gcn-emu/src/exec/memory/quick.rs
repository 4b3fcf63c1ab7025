//! Plain loads and stores of dwords whose lanes go the usual ways, for runs that nobody observes: they make no
//! [`Access`](super::Access). Whatever is unusual in the least is left to those that do, before anything has changed.

use gcn_isa::{Does, Isa};

use crate::device::Device;
use crate::lanes::{self, LANES, Lanes, NOTHING};
use crate::lds::Lds;
use crate::wave::Wave;

use super::places::{DWORD, MAX_DWORDS};
use super::plan::{Family, Plan};

/// What an instruction is, as far as it may be usual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quick {
    /// It never is.
    No,
    /// A load of one or two elements from LDS.
    LoadShare,
    /// A load of a dword from global memory.
    LoadDword,
    /// A store of a dword to global memory.
    StoreDword,
}

impl Quick {
    /// What an instruction with this plan is.
    pub fn of(plan: &Plan) -> Quick {
        let is_dwords = plan.ty.bytes().is_multiple_of(DWORD as u8);
        if plan.gds || plan.tfe || plan.to_lds || !is_dwords {
            return Quick::No;
        }
        match (plan.family, plan.does) {
            (Family::Share, Does::Load(_) | Does::LoadTwo(..)) => Quick::LoadShare,
            (Family::Global | Family::Flat, Does::Load(ty)) if ty.dwords() == 1 => Quick::LoadDword,
            (Family::Global | Family::Flat, Does::Store(ty)) if ty.dwords() == 1 => {
                Quick::StoreDword
            }
            _ => Quick::No,
        }
    }
}

/// Performs the instruction; nothing, and nothing has been done, if it is not usual.
#[inline]
pub fn perform(wave: &mut Wave, plan: &Plan, lds: &mut Lds, device: &Device) -> Option<()> {
    match plan.quick {
        Quick::No => None,
        Quick::LoadShare => load_share(wave, plan, lds, device),
        Quick::LoadDword => {
            let address = row(wave, plan, device)?;
            let exec = wave.exec();
            let into = wave.vgprs.get_mut(usize::from(plan.vdst))?;
            if exec == u64::MAX {
                return device.memory.load_dwords(address, &mut into.0);
            }
            let mut loaded = Lanes::ZERO;
            device.memory.load_dwords(address, &mut loaded.0)?;
            into.blend(&loaded, exec);
            Some(())
        }
        Quick::StoreDword if wave.exec() == u64::MAX => {
            let address = row(wave, plan, device)?;
            let from = wave.vgpr(plan.vdata);
            device.memory.store_dwords(address, &from.0)
        }
        Quick::StoreDword => None,
    }
}

/// Every element is inside of the share, and no lane's address depends on another's.
fn load_share(wave: &mut Wave, plan: &Plan, lds: &mut Lds, device: &Device) -> Option<()> {
    if wave.isa == Isa::Si && device.config.si_checks_lds_base {
        return None;
    }
    let share = lds.share(wave.isa, wave.m0());
    let exec = wave.exec();
    let dwords = usize::from(plan.ty.dwords());
    let (first, distance) = (plan.offset as u32, plan.distance as u32);
    let offsets = [first, first.wrapping_add(distance)];
    let elements = match plan.does {
        Does::LoadTwo(..) => &offsets[..],
        _ => &offsets[..1],
    };
    // The address may be in one of the registers that are written.
    let addresses = *wave.vgpr(plan.vaddr.unwrap_or(0));
    let vdst = usize::from(plan.vdst);
    let into = wave.vgprs.get_mut(vdst..vdst + elements.len() * dwords)?;
    if dwords > MAX_DWORDS {
        return None;
    }
    share.gather(&addresses, elements, plan.mask, exec, into)
}

/// The address of lane 0's dword in global memory if each lane's, active or not, follows the one before.
#[inline]
fn row(wave: &Wave, plan: &Plan, device: &Device) -> Option<u64> {
    let first = plan.vaddr.unwrap_or(0);
    let low = wave.vgpr(first);
    let (base, high) = match plan.saddr {
        Some(base) => (wave.scalar64(base), &NOTHING),
        None => (0, wave.vgpr(first.wrapping_add(1))),
    };
    if !lanes::is_row(low, high) {
        return None;
    }
    let address = (u64::from(low.0[0]) | u64::from(high.0[0]) << u32::BITS)
        .wrapping_add(base)
        .wrapping_add_signed(plan.offset);
    if plan.family == Family::Flat {
        let apertures = device.config.apertures;
        let last = address.wrapping_add((LANES * DWORD) as u64 - 1);
        let is_aside = |address: u64| {
            let high = (address >> u32::BITS) as u32;
            high == apertures.shared || high == apertures.private
        };
        if is_aside(address) || is_aside(last) || device.config.dword_alignment {
            return None;
        }
    }
    Some(address)
}
