//! Scratch: what the lanes of a wave have interleaved dword by dword (errata E087), through a descriptor, by SCRATCH, or
//! in FLAT's window. Where all lanes name one offset, as they do for what a compiler keeps there, their dwords are a row.

use gcn_isa::Does;

use super::super::HALF_BITS;
use super::super::access::{self, SCRATCH_ROW};
use super::super::places::DWORD;
use super::super::plan::{Family, Plan};
use crate::device::Device;
use crate::lanes::{self, LANES, Lanes, NOTHING};
use crate::memory::{Addresses, Memory};
use crate::wave::Wave;

/// Loads elements of a few bytes or dwords.
pub fn load(wave: &mut Wave, plan: &Plan, device: &Device) -> Option<()> {
    let memory = &device.memory;
    let bytes = plan.ty.bytes();
    let exec = wave.exec();
    let places = Places::of(wave, plan, device)?;
    let count = usize::from(plan.ty.dwords());
    // A register may be the one with the offsets: it is written when all has been loaded.
    let mut loaded = [Lanes::ZERO; MAX_DWORDS];
    let loaded = loaded.get_mut(..count)?;
    for (n, register) in (0..).zip(loaded.iter_mut()) {
        match &places {
            Places::Row(row) => row.load(n, memory, register)?,
            Places::Each(each) => {
                let size = bytes.min(DWORD as u8);
                gather(memory, each, n, size, exec, register)?;
            }
        }
    }
    let first = usize::from(plan.vdst);
    let registers = wave.vgprs.get_mut(first..first + count)?;
    for (register, new) in registers.iter_mut().zip(loaded) {
        super::write(plan, new, register, exec);
    }
    Some(())
}

/// Stores them.
pub fn store(wave: &mut Wave, plan: &Plan, device: &Device) -> Option<()> {
    let memory = &device.memory;
    let bytes = plan.ty.bytes();
    let exec = wave.exec();
    let places = Places::of(wave, plan, device)?;
    let first = usize::from(plan.vdata);
    let count = usize::from(plan.ty.dwords());
    let mut registers = wave.vgprs.get(first..first + count)?;
    let mut high;
    if matches!(plan.does, Does::StoreHigh(_)) {
        high = *wave.vgpr(plan.vdata);
        lanes::shift_down(HALF_BITS, &mut high);
        registers = std::slice::from_ref(&high);
    }
    match places {
        Places::Row(row) => {
            // All rows are there, or none is written.
            memory.find(row.first, count as u64 * SCRATCH_ROW)?;
            for (n, register) in (0..).zip(registers) {
                row.store(n, memory, register, exec)?;
            }
            Some(())
        }
        Places::Each(each) if count == 1 => {
            // The bytes of a dword that is not aligned are not next to each other.
            let aligned = DWORD as u64;
            memory.scatter(
                Addresses::Each(&each),
                bytes.into(),
                aligned,
                exec,
                registers,
            )
        }
        Places::Each(_) => None,
    }
}

/// Dwords of the largest element.
const MAX_DWORDS: usize = 4;

fn gather(
    memory: &Memory,
    each: &[u64; LANES],
    row: u64,
    bytes: u8,
    exec: u64,
    into: &mut Lanes,
) -> Option<()> {
    let addresses = each.map(|address| address.wrapping_add(row * SCRATCH_ROW));
    let into = std::slice::from_mut(into);
    memory.gather(Addresses::Each(&addresses), bytes.into(), exec, into)
}

/// Where the lanes' elements are in global memory.
#[allow(clippy::large_enum_variant)] // It is never moved, and a box would cost more than what it saves.
enum Places {
    /// In rows.
    Row(Row),
    /// A place for each lane; what is behind the first dword as above.
    Each([u64; LANES]),
}

/// Elements that begin in dwords one behind the other; what is behind the first dword of each is in rows of its own.
struct Row {
    /// Where the first dword is.
    first: u64,
    /// Bits of an element that is less than a dword, and its place in it.
    part: Option<(u32, u32)>,
}

impl Row {
    /// Loads row `n`.
    fn load(&self, n: u64, memory: &Memory, into: &mut Lanes) -> Option<()> {
        memory.load_dwords(self.first.wrapping_add(n * SCRATCH_ROW), &mut into.0)?;
        if let Some((bits, place)) = self.part {
            lanes::shift_down(place, into);
            lanes::keep_low(bits, into);
        }
        Some(())
    }

    /// Stores it. A lane's dword is no other's, so that what is around a part of one can be written again.
    fn store(&self, n: u64, memory: &Memory, from: &Lanes, exec: u64) -> Option<()> {
        let address = self.first.wrapping_add(n * SCRATCH_ROW);
        let Some((bits, place)) = self.part else {
            return memory.store_row(address, from, exec);
        };
        let (mut new, mut old) = (*from, Lanes::ZERO);
        memory.load_dwords(address, &mut old.0)?;
        lanes::insert(bits, place, &mut new, &old);
        memory.store_row(address, &new, exec)
    }
}

impl Places {
    /// Nothing if any lane is out of bounds, or an element is not within whole dwords.
    fn of(wave: &Wave, plan: &Plan, device: &Device) -> Option<Places> {
        let first = plan.vaddr.unwrap_or(0);
        let offset = plan.offset as u32;
        let bytes_per_lane =
            || u64::from(wave.scratch.bytes_per_lane).next_multiple_of(DWORD as u64);
        // What a compiler keeps in scratch has no register with offsets.
        let (base, limit, offsets, constant) = match plan.family {
            Family::Buffer if plan.idxen || plan.addr64 => return None,
            Family::Buffer => {
                let (base, limit) = access::descriptor(wave, plan).of_lanes()?;
                (base, limit, plan.offen.then(|| wave.vgpr(first)), offset)
            }
            Family::Scratch => {
                let (offsets, scalar) = match (plan.saddr, plan.vaddr) {
                    (None, Some(register)) => (Some(wave.vgpr(register)), 0),
                    (saddr, _) => (None, saddr.map_or(0, |code| wave.scalar(code))),
                };
                let constant = scalar.checked_add_signed(plan.offset as i32)?;
                (
                    access::scratch_base(wave),
                    bytes_per_lane(),
                    offsets,
                    constant,
                )
            }
            Family::Flat => {
                let high = wave.vgpr(first.wrapping_add(1));
                let aperture = device.config.apertures.private;
                if !lanes::are_below(high, aperture.wrapping_neg(), u32::MAX, wave.exec(), 0) {
                    return None;
                }
                (
                    access::scratch_base(wave),
                    bytes_per_lane(),
                    Some(wave.vgpr(first)),
                    offset,
                )
            }
            _ => return None,
        };
        let bytes = u64::from(plan.ty.bytes());
        let last = u32::try_from(limit.checked_sub(bytes)?.min(i32::MAX as u64)).ok()?;
        let place = |offset: u32| {
            let row = u64::from(offset) / DWORD as u64 * SCRATCH_ROW;
            base.wrapping_add(row + u64::from(offset) % DWORD as u64)
        };
        let row = |offset: u32| {
            let behind = offset % DWORD as u32;
            let part =
                (bytes < DWORD as u64).then_some((bytes as u32 * u8::BITS, behind * u8::BITS));
            let is_one = behind == 0 || u64::from(behind) + bytes <= DWORD as u64;
            is_one.then(|| {
                Places::Row(Row {
                    first: place(offset - behind),
                    part,
                })
            })
        };
        let offsets = match offsets {
            None if constant > last => return None,
            None => match row(constant) {
                Some(row) => return Some(row),
                None => &NOTHING,
            },
            Some(offsets) => {
                // A sum that wraps is one that no lane has.
                let exec = wave.exec();
                if constant > i32::MAX as u32
                    || !lanes::are_below(offsets, 0, u32::MAX, exec, i32::MAX as u32)
                    || !lanes::are_below(offsets, constant, u32::MAX, exec, last)
                {
                    return None;
                }
                let first = offsets.0[0].wrapping_add(constant);
                match row(first) {
                    Some(row) if lanes::are_one(offsets, &NOTHING) => return Some(row),
                    _ => offsets,
                }
            }
        };
        let mut each = [0; LANES];
        for (lane, (each, offset)) in each.iter_mut().zip(&offsets.0).enumerate() {
            *each = place(offset.wrapping_add(constant)).wrapping_add((lane * DWORD) as u64);
        }
        Some(Places::Each(each))
    }
}
