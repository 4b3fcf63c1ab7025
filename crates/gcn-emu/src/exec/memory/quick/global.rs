//! Global memory: what FLAT, GLOBAL, and MUBUF with 64-bit addresses find there.

use super::super::access;
use super::super::places::DWORD;
use super::super::plan::{Family, Plan};
use crate::device::Device;
use crate::lanes::{self, LANES, Lanes, NOTHING};
use crate::memory;
use crate::wave::Wave;

/// Loads an element.
#[inline]
pub fn load(wave: &mut Wave, plan: &Plan, device: &Device) -> Option<()> {
    let bytes = usize::from(plan.ty.bytes());
    if bytes > DWORD {
        return load_dwords(wave, plan, device);
    }
    if bytes < DWORD {
        return load_apart(wave, plan, device);
    }
    let from = Addresses::of(wave, plan);
    let Some(address) = from.row(Stride::Dword, device) else {
        return load_apart(wave, plan, device);
    };
    let exec = wave.exec();
    let register = wave.vgprs.get_mut(usize::from(plan.vdst))?;
    if exec == u64::MAX {
        return device.memory.load_dwords(address, &mut register.0);
    }
    let mut loaded = Lanes::ZERO;
    device.memory.load_dwords(address, &mut loaded.0)?;
    register.blend(&loaded, exec);
    Some(())
}

/// [`load`] of several dwords.
#[inline(never)]
fn load_dwords(wave: &mut Wave, plan: &Plan, device: &Device) -> Option<()> {
    // The registers may be among those that are loaded.
    let from = Addresses::of(wave, plan);
    let [low, high] = [*from.low, *from.high];
    let from = Addresses {
        low: &low,
        high: &high,
        ..from
    };
    let exec = wave.exec();
    let first = usize::from(plan.vdst);
    let registers = first..first + usize::from(plan.ty.dwords());
    let registers = wave.vgprs.get_mut(registers)?;
    let memory = &device.memory;
    memory.gather(from.all(device)?, plan.ty.bytes().into(), exec, registers)
}

/// [`load`] of what is no row of dwords.
#[inline(never)]
fn load_apart(wave: &mut Wave, plan: &Plan, device: &Device) -> Option<()> {
    let memory = &device.memory;
    let from = Addresses::of(wave, plan);
    let bytes = plan.ty.bytes();
    let exec = wave.exec();
    let mut loaded;
    if let Some(address) = from.row(Stride::None, device) {
        loaded = Lanes::splat(match bytes {
            1 => memory.load_u8(address)?.into(),
            2 => memory.load_u16(address)?.into(),
            _ => memory.load_u32(address)?,
        });
    } else if bytes == 1
        && let Some(address) = from.row(Stride::Byte, device)
    {
        let mut raw = [0; LANES];
        memory.read(address, &mut raw).then_some(())?;
        loaded = lanes::widen(&raw);
    } else {
        loaded = Lanes::ZERO;
        let into = std::slice::from_mut(&mut loaded);
        memory.gather(from.all(device)?, bytes.into(), exec, into)?;
    }
    let register = wave.vgprs.get_mut(usize::from(plan.vdst))?;
    super::write(plan, &mut loaded, register, exec);
    Some(())
}

/// Stores an element, but not dwords of all lanes: of them [`super::super::wide`] knows more.
pub fn store(wave: &mut Wave, plan: &Plan, device: &Device) -> Option<()> {
    let bytes = plan.ty.bytes();
    let exec = wave.exec();
    let from = Addresses::of(wave, plan);
    if exec == u64::MAX {
        if bytes == DWORD as u8
            && let Some(address) = from.row(Stride::Dword, device)
        {
            return device
                .memory
                .store_dwords(address, &wave.vgpr(plan.vdata).0);
        }
        if bytes > DWORD as u8 {
            // There is a way to store such rows, for those that have addresses.
            return None;
        }
    }
    let first = usize::from(plan.vdata);
    let registers = wave
        .vgprs
        .get(first..first + usize::from(plan.ty.dwords()))?;
    device
        .memory
        .scatter(from.all(device)?, bytes.into(), exec, registers)
}

/// How far the lanes' addresses are apart.
#[derive(Clone, Copy)]
enum Stride {
    None = 0,
    Byte = 1,
    Dword = DWORD as isize,
}

/// Addresses of global memory: for each lane a number in a pair of registers, to which one is added that is the same for
/// all.
struct Addresses<'a> {
    low: &'a Lanes,
    high: &'a Lanes,
    base: u64,
    /// They are those of FLAT.
    is_flat: bool,
}

impl Addresses<'_> {
    #[inline]
    fn of<'a>(wave: &'a Wave, plan: &Plan) -> Addresses<'a> {
        let first = plan.vaddr.unwrap_or(0);
        let (base, high) = match plan.saddr {
            Some(base) => (wave.scalar64(base), &NOTHING),
            None => (0, wave.vgpr(first.wrapping_add(1))),
        };
        let base = match plan.family {
            Family::Buffer => access::descriptor(wave, plan).linear(0, plan.offset as u64),
            _ => base.wrapping_add_signed(plan.offset),
        };
        Addresses {
            low: wave.vgpr(first),
            high,
            base,
            is_flat: plan.family == Family::Flat,
        }
    }

    /// Lane 0's if the others, of active lanes or not, follow each so many bytes behind the one before. None of FLAT is
    /// in an aperture.
    #[inline]
    fn row(&self, stride: Stride, device: &Device) -> Option<u64> {
        // Most that do not follow each other are told apart by the second.
        let [first, second] = [self.low.0[0], self.low.0[1]];
        if second.wrapping_sub(first) != stride as u32 {
            return None;
        }
        let is_row = match stride {
            Stride::None => lanes::are_one(self.low, self.high),
            Stride::Byte => lanes::are_bytes(self.low, self.high),
            Stride::Dword => lanes::are_dwords(self.low, self.high),
        };
        if !is_row {
            return None;
        }
        let address = self.lane(0);
        let last = self.lane(LANES - 1).wrapping_add(DWORD as u64 - 1);
        self.is_usual(&[address, last], device).then_some(address)
    }

    /// All of them, for what looks for them in allocations: those have nothing that is in an aperture.
    #[inline]
    fn all(&self, device: &Device) -> Option<memory::Addresses<'_>> {
        let is_usual = !self.is_flat || !device.config.dword_alignment;
        is_usual.then_some(memory::Addresses::Pairs([self.low, self.high], self.base))
    }

    #[inline]
    fn lane(&self, lane: usize) -> u64 {
        let pair = u64::from(self.low.0[lane]) | u64::from(self.high.0[lane]) << u32::BITS;
        pair.wrapping_add(self.base)
    }

    /// Whether addresses are none that FLAT looks at twice.
    #[inline]
    fn is_usual(&self, addresses: &[u64], device: &Device) -> bool {
        let apertures = device.config.apertures;
        let is_aside = |address: &u64| {
            let high = (address >> u32::BITS) as u32;
            (high == apertures.shared) | (high == apertures.private)
        };
        let is_aside = || addresses.iter().fold(false, |any, a| any | is_aside(a));
        !self.is_flat || !device.config.dword_alignment && !is_aside()
    }
}
