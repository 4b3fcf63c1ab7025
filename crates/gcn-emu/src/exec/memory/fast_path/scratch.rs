//! Scratch accesses by MUBUF, SCRATCH and FLAT. Scratch interleaves the lanes of a wave dword by dword (errata E087).
//! If all lanes have the same offset, as for a compiler's stack slots, their dwords are consecutive.

use gcn_isa::Does;

use super::super::access::{self, SCRATCH_ROW};
use super::super::element::{DWORD, HALF_BITS};
use super::global::is_aligned;
use super::part::write;
use crate::device::Device;
use crate::lanes::{self, LANES, Lanes, NOTHING};
use crate::memory::{Addresses, Memory};
use crate::step::{Family, MemoryPlan};
use crate::wave::Wave;

/// Loads elements of any size up to four dwords.
pub fn load(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    let memory = &device.memory;
    let exec = wave.exec();
    let window = Window::of(wave, plan, device)?;
    let Some(row) = window.row() else {
        let each = window.each();
        return load_each(wave, plan, memory, &each);
    };
    let first = usize::from(plan.vdst);
    let count = usize::from(plan.ty.dwords());
    let registers = wave.vgprs.get_mut(first..first + count)?;
    if row.part.is_some() {
        let mut loaded = Lanes::ZERO;
        row.load(0, memory, &mut loaded, u64::MAX)?;
        write(plan, &mut loaded, registers.first_mut()?, exec);
        return Some(());
    }
    row.are_there(count, memory)?;
    for (n, register) in (0..).zip(registers) {
        row.load(n, memory, register, exec)?;
    }
    Some(())
}

/// [`load`] with a separate address per lane.
#[inline(never)]
fn load_each(
    wave: &mut Wave,
    plan: &MemoryPlan,
    memory: &Memory,
    each: &[u64; LANES],
) -> Option<()> {
    let exec = wave.exec();
    let size = u64::from(plan.ty.bytes()).min(DWORD as u64);
    let first = usize::from(plan.vdst);
    let count = usize::from(plan.ty.dwords());
    // Registers are written after all loads have succeeded.
    let mut loaded = [Lanes::ZERO; MAX_DWORDS];
    let loaded = loaded.get_mut(..count)?;
    for (n, register) in (0..).zip(loaded.iter_mut()) {
        let addresses = each.map(|address| address.wrapping_add(n * SCRATCH_ROW));
        let register = std::slice::from_mut(register);
        memory.gather(Addresses::Each(&addresses), size, exec, register)?;
    }
    let registers = wave.vgprs.get_mut(first..first + count)?;
    for (register, new) in registers.iter_mut().zip(loaded) {
        write(plan, new, register, exec);
    }
    Some(())
}

/// Stores elements.
pub fn store(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    let memory = &device.memory;
    let exec = wave.exec();
    let window = Window::of(wave, plan, device)?;
    let first = usize::from(plan.vdata);
    let count = usize::from(plan.ty.dwords());
    let mut registers = wave.vgprs.get(first..first + count)?;
    let mut high;
    if matches!(plan.does, Does::StoreHigh(_)) {
        high = *wave.vgpr(plan.vdata);
        lanes::shift_down(HALF_BITS, &mut high);
        registers = std::slice::from_ref(&high);
    }
    if let Some(row) = window.row() {
        // Outside the wave's own scratch, another wave may store to the rest of the dwords.
        if row.part.is_some() && !wave.scratch.contains(row.first, SCRATCH_ROW) {
            return None;
        }
        row.are_there(count, memory)?;
        for (n, register) in (0..).zip(registers) {
            row.store(n, memory, register, exec)?;
        }
        Some(())
    } else if count == 1 {
        let each = window.each();
        // The bytes of an unaligned dword are not contiguous.
        let (bytes, aligned) = (plan.ty.bytes().into(), DWORD as u64);
        memory.scatter(Addresses::Each(&each), bytes, aligned, exec, registers)
    } else {
        None
    }
}

/// Maximum number of dwords per element.
const MAX_DWORDS: usize = 4;

/// Row of elements at the same offset in all lanes. Their first dwords are consecutive; further dwords are in rows of
/// their own.
struct ScratchRow {
    /// Address of the first dword.
    first: u64,
    /// Width of an element smaller than a dword, and its bit position in the dword.
    part: Option<(u32, u32)>,
}

impl ScratchRow {
    /// Returns `Some` if `count` rows are mapped. The access to a single row checks that row itself.
    #[inline]
    fn are_there(&self, count: usize, memory: &Memory) -> Option<()> {
        if count > 1 {
            memory.find(self.first, count as u64 * SCRATCH_ROW)?;
        }
        Some(())
    }

    /// Loads row `n`.
    #[inline]
    fn load(&self, n: u64, memory: &Memory, into: &mut Lanes, exec: u64) -> Option<()> {
        memory.load_row(self.first.wrapping_add(n * SCRATCH_ROW), into, exec)?;
        if let Some((bits, place)) = self.part {
            lanes::shift_down(place, into);
            lanes::keep_low(bits, into);
        }
        Some(())
    }

    /// Stores row `n`. No other lane accesses a lane's dword, so the rest of it can be written back unchanged.
    #[inline]
    fn store(&self, n: u64, memory: &Memory, from: &Lanes, exec: u64) -> Option<()> {
        let address = self.first.wrapping_add(n * SCRATCH_ROW);
        let Some((bits, place)) = self.part else {
            return memory.store_row(address, from, exec);
        };
        let (mut new, mut old) = (*from, Lanes::ZERO);
        memory.load_row(address, &mut old, u64::MAX)?;
        lanes::insert(bits, place, &mut new, &old);
        memory.store_row(address, &new, exec)
    }
}

/// Offsets of the active lanes' elements, all within the bounds of scratch.
struct Window<'a> {
    /// Address of offset 0 of lane 0.
    base: u64,
    /// Register with offsets, if any.
    offsets: Option<&'a Lanes>,
    /// Constant added to the offsets.
    constant: u32,
    /// Bytes per element.
    bytes: u32,
}

impl Window<'_> {
    /// Finds the offsets; `None` if any active lane is out of bounds or the access needs the slow path.
    #[inline]
    fn of<'a>(wave: &'a Wave, plan: &MemoryPlan, device: &Device) -> Option<Window<'a>> {
        let first = plan.vaddr.unwrap_or(0);
        let offset = plan.offset as u32;
        let bytes_per_lane =
            || u64::from(access::scratch_bytes(wave)).next_multiple_of(DWORD as u64);
        // Compilers usually address stack slots without an offset register; `offsets` is then `None`.
        let (base, limit, offsets, constant) = match plan.family {
            Family::Buffer if plan.idxen || plan.addr64 => return None,
            Family::Buffer => {
                let (base, limit) = access::descriptor(wave, plan).of_lanes()?;
                let offsets = plan.offen.then(|| wave.vgpr(first));
                let low = offsets.unwrap_or(&NOTHING);
                let begin = base.wrapping_add(offset.into());
                if !is_aligned(wave, plan, plan.ty.bytes(), begin, low) {
                    return None;
                }
                (base, limit, offsets, offset)
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
            Family::Share | Family::Global | Family::Image => return None,
            Family::Scalar | Family::ScalarScratch | Family::ScalarBuffer => return None,
        };
        let bytes = u32::from(plan.ty.bytes());
        let last = limit.checked_sub(bytes.into())?.min(i32::MAX as u64) as u32;
        let are_inside = match offsets {
            None => constant <= last,
            Some(offsets) => {
                // A sum that wraps is out of bounds.
                let exec = wave.exec();
                constant <= i32::MAX as u32
                    && lanes::are_below(offsets, 0, u32::MAX, exec, i32::MAX as u32)
                    && lanes::are_below(offsets, constant, u32::MAX, exec, last)
            }
        };
        are_inside.then_some(Window {
            base,
            offsets,
            constant,
            bytes,
        })
    }

    /// Finds the row of all lanes, active or not. Returns `None` if the offsets differ or an element crosses into the
    /// next dword.
    #[inline]
    fn row(&self) -> Option<ScratchRow> {
        let offset = match self.offsets {
            None => self.constant,
            Some(offsets) if lanes::are_one(offsets, &NOTHING) => {
                offsets.0[0].wrapping_add(self.constant)
            }
            Some(_) => return None,
        };
        let behind = offset % DWORD as u32;
        let is_part = self.bytes < DWORD as u32;
        let is_one = behind == 0 || behind + self.bytes <= DWORD as u32;
        is_one.then(|| ScratchRow {
            first: self.place(offset - behind),
            part: is_part.then_some((self.bytes * u8::BITS, behind * u8::BITS)),
        })
    }

    /// Returns the address of lane 0's byte at an offset.
    #[inline]
    fn place(&self, offset: u32) -> u64 {
        let row = u64::from(offset) / DWORD as u64 * SCRATCH_ROW;
        self.base
            .wrapping_add(row + u64::from(offset) % DWORD as u64)
    }

    /// Returns the address of the first dword of each lane's element; further dwords are in rows of their own.
    #[inline(never)]
    fn each(&self) -> [u64; LANES] {
        let offsets = self.offsets.unwrap_or(&NOTHING);
        std::array::from_fn(|lane| {
            let offset = offsets.0[lane].wrapping_add(self.constant);
            self.place(offset).wrapping_add((lane * DWORD) as u64)
        })
    }
}
