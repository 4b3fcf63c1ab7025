//! Global memory accesses by FLAT, GLOBAL, and MUBUF without interleaved buffer records.

use gcn_isa::Does;

use super::super::access;
use super::super::element::{DWORD, HALF_BITS, MAX_DWORDS};
use super::super::spans::Shape;
use super::part::write;
use crate::device::Device;
use crate::lanes::{self, LANES, Lanes, NOTHING};
use crate::memory::{self, Memory};
use crate::step::{Family, MemoryPlan};
use crate::wave::{Strides, Wave};

/// Loads an element per lane.
#[inline]
pub fn load(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    let bytes = usize::from(plan.ty.bytes());
    if bytes < DWORD {
        return load_part(wave, plan, device);
    }
    if bytes > DWORD {
        return load_dwords(wave, plan, device);
    }
    let mut sums = None;
    let from = LaneAddresses::of(wave, plan, plan.ty.bytes(), &mut sums)?;
    let exec = wave.exec();
    let row = from.row(LaneStride::Dwords(1), device);
    let one = match row {
        Some(_) => None,
        None => from.row(LaneStride::None, device),
    };
    if let Some(address) = row
        && let Some(stride) = wave.strides.next(plan.number, address)
    {
        memory::prefetch_row(address.wrapping_add(Strides::AHEAD.wrapping_mul(stride)));
    }
    let register = wave.vgprs.get_mut(usize::from(plan.vdst))?;
    let memory = &device.memory;
    match (row, one) {
        (Some(address), _) => memory.load_row(address, register, exec),
        (None, Some(address)) => {
            register.blend(&Lanes::splat(memory.load_u32(address)?), exec);
            Some(())
        }
        (None, None) => load_apart(wave, plan, device),
    }
}

/// [`load`] for elements of several dwords.
#[inline(never)]
fn load_dwords(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    let count = usize::from(plan.ty.dwords());
    let mut sums = None;
    let from = LaneAddresses::of(wave, plan, plan.ty.bytes(), &mut sums)?;
    let Some(address) = from.row(LaneStride::Dwords(count as u32), device) else {
        return load_apart(wave, plan, device);
    };
    let mut row = [[0; LANES]; MAX_DWORDS];
    let row = row.get_mut(..count)?.as_flattened_mut();
    device.memory.load_dwords(address, row)?;
    let exec = wave.exec();
    let first = usize::from(plan.vdst);
    lanes::from_elements(row, exec, wave.vgprs.get_mut(first..first + count)?);
    Some(())
}

/// [`load`] for dwords that are neither consecutive nor at one address.
#[inline(never)]
fn load_apart(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    let exec = wave.exec();
    let bytes = plan.ty.bytes();
    let (mut sums, mut places) = (None, Lanes::ZERO);
    let from = LaneAddresses::of(wave, plan, bytes, &mut sums)?;
    let memory = &device.memory;
    let part = memory.places(from.all(device)?, bytes.into(), 1, exec, &mut places)?;
    let address = part.address(places.0[0]);
    if let Some(stride) = wave.strides.next(plan.number, address) {
        part.prefetch(&places, stride);
    }
    let first = usize::from(plan.vdst);
    let registers = first..first + usize::from(plan.ty.dwords());
    part.gather(&places, u32::MAX, exec, wave.vgprs.get_mut(registers)?)
}

/// [`load`] for elements smaller than a dword.
#[inline(never)]
fn load_part(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    let memory = &device.memory;
    let bytes = plan.ty.bytes();
    let mut sums = None;
    let from = LaneAddresses::of(wave, plan, bytes, &mut sums)?;
    let exec = wave.exec();
    let mut loaded;
    if let Some(address) = from.row(LaneStride::None, device) {
        loaded = Lanes::splat(match bytes {
            1 => memory.load_u8(address)?.into(),
            _ => memory.load_u16(address)?.into(),
        });
    } else if bytes == 1
        && let Some(address) = from.row(LaneStride::Byte, device)
    {
        let mut raw = [0; LANES];
        memory.read(address, &mut raw).then_some(())?;
        loaded = lanes::widen(&raw);
    } else if bytes == 2
        && let Some(address) = from.row(LaneStride::Short, device)
    {
        let mut raw = [[0; 2]; LANES];
        memory.read(address, raw.as_flattened_mut()).then_some(())?;
        loaded = lanes::widen_shorts(&raw);
    } else {
        loaded = Lanes::ZERO;
        let into = std::slice::from_mut(&mut loaded);
        memory.gather(from.all(device)?, bytes.into(), exec, into)?;
    }
    let register = wave.vgprs.get_mut(usize::from(plan.vdst))?;
    write(plan, &mut loaded, register, exec);
    Some(())
}

/// Stores an element per lane.
pub fn store(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    let memory = &device.memory;
    let bytes = plan.ty.bytes();
    let exec = wave.exec();
    let mut sums = None;
    let from = LaneAddresses::of(wave, plan, bytes, &mut sums)?;
    let first = usize::from(plan.vdata);
    let count = usize::from(plan.ty.dwords());
    let registers = wave.vgprs.get(first..first + count)?;
    let stride = LaneStride::of(bytes);
    let is_high = matches!(plan.does, Does::StoreHigh(_));
    if (exec == u64::MAX && !is_high || stride == LaneStride::Dwords(1))
        && let Some(address) = from.row(stride, device)
    {
        let done = store_row(registers, address, bytes, exec, memory);
        if done.is_some() {
            return done;
        }
    }
    let addresses = from.all(device)?;
    if is_high {
        let mut high = *wave.vgpr(plan.vdata);
        lanes::shift_down(HALF_BITS, &mut high);
        return memory.scatter(
            addresses,
            bytes.into(),
            1,
            exec,
            std::slice::from_ref(&high),
        );
    }
    memory.scatter(addresses, bytes.into(), 1, exec, registers)
}

/// Returns the shape of an access by the active lanes, if it is a common one.
pub fn shape(wave: &Wave, plan: &MemoryPlan, device: &Device) -> Option<Shape> {
    let (bytes, exec) = (plan.ty.bytes(), wave.exec());
    let mut sums = None;
    let from = LaneAddresses::of(wave, plan, bytes, &mut sums)?;
    let range = |first: u64, count: u64| Some(first..first.checked_add(count * u64::from(bytes))?);
    if exec == u64::MAX
        && let Some(first) = from.row(LaneStride::of(bytes), device)
    {
        return range(first, LANES as u64).map(Shape::Row);
    }
    let one = if exec.is_power_of_two() {
        let address = from.pairs().lane(exec.trailing_zeros() as usize);
        from.needs_no_second_look(&[address], device)
            .then_some(address)
    } else {
        from.row(LaneStride::None, device)
    };
    range(one?, 1).map(Shape::Uniform)
}

/// Stores consecutive elements of all lanes, or consecutive dwords of the active ones.
fn store_row(
    registers: &[Lanes],
    address: u64,
    bytes: u8,
    exec: u64,
    memory: &Memory,
) -> Option<()> {
    match (registers, bytes) {
        ([register], 1) => memory.store_bytes(address, &lanes::bytes(register)),
        ([register], 2) => {
            let raw = lanes::shorts(register);
            memory.store_bytes(address, raw.as_flattened())
        }
        ([register], _) => memory.store_row(address, register, exec),
        _ => {
            let mut row = [[0; LANES]; MAX_DWORDS];
            let row = row.get_mut(..registers.len())?.as_flattened_mut();
            lanes::to_elements(registers, row);
            memory.store_dwords(address, row)
        }
    }
}

/// Distance between the addresses of consecutive lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LaneStride {
    None,
    Byte,
    Short,
    Dwords(u32),
}

impl LaneStride {
    /// Returns the stride of contiguous elements of `bytes` bytes.
    fn of(bytes: u8) -> LaneStride {
        match bytes {
            1 => LaneStride::Byte,
            2 => LaneStride::Short,
            _ => LaneStride::Dwords(u32::from(bytes) / DWORD as u32),
        }
    }

    fn bytes(self) -> u32 {
        match self {
            LaneStride::None => 0,
            LaneStride::Byte => 1,
            LaneStride::Short => 2,
            LaneStride::Dwords(count) => DWORD as u32 * count,
        }
    }
}

/// Maximum offset of a record, and maximum offset in a record, for which addresses are computed in 32 bits.
const MAX_OFFSET: u32 = 1 << 30;

/// True if no address has a low bit set that GCN 1.0 ignores in buffer accesses (errata E104).
#[inline]
pub fn is_aligned(wave: &Wave, plan: &MemoryPlan, bytes: u8, base: u64, low: &Lanes) -> bool {
    let ignored = access::ignored(wave.isa, plan, bytes) as u32;
    if ignored == 0 {
        return true;
    }
    let base = base as u32;
    let any = |bits: u32, &low: &u32| bits | low.wrapping_add(base);
    low.0.iter().fold(0, any) & ignored == 0
}

/// Global addresses: a 64-bit value per lane in a pair of registers, plus a base common to all lanes.
pub struct LaneAddresses<'a> {
    low: &'a Lanes,
    high: &'a Lanes,
    base: u64,
    /// True for addresses of FLAT, which may be in an aperture.
    is_flat: bool,
}

impl<'a> LaneAddresses<'a> {
    /// Computes the addresses of elements of `bytes` bytes. Returns `None` if a buffer access needs the slow path
    /// because records are interleaved, a lane is out of bounds, an offset is large, or GCN 1.0 ignores address bits.
    /// `sums` holds computed values that are not in a register.
    #[inline(always)]
    pub fn of(
        wave: &'a Wave,
        plan: &MemoryPlan,
        bytes: u8,
        sums: &'a mut Option<Lanes>,
    ) -> Option<LaneAddresses<'a>> {
        if plan.family == Family::Buffer && !plan.addr64 {
            return LaneAddresses::of_records(wave, plan, bytes, sums);
        }
        let first = plan.vaddr.unwrap_or(0);
        let (base, high) = match plan.saddr {
            Some(base) => (wave.scalar64(base), &NOTHING),
            None => (0, wave.vgpr(first.wrapping_add(1))),
        };
        let base = match plan.family {
            Family::Buffer => access::descriptor(wave, plan).linear(0, plan.offset as u64),
            Family::Flat | Family::Global | Family::Share | Family::Scratch => {
                base.wrapping_add_signed(plan.offset)
            }
            Family::Image | Family::Scalar | Family::ScalarScratch | Family::ScalarBuffer => {
                base.wrapping_add_signed(plan.offset)
            }
        };
        let low = wave.vgpr(first);
        if plan.family == Family::Buffer && !is_aligned(wave, plan, bytes, base, low) {
            return None;
        }
        Some(LaneAddresses {
            low,
            high,
            base,
            is_flat: plan.family == Family::Flat,
        })
    }

    /// [`LaneAddresses::of`] for elements in bounds of a descriptor without interleaved records.
    #[inline(never)]
    fn of_records(
        wave: &'a Wave,
        plan: &MemoryPlan,
        bytes: u8,
        sums: &'a mut Option<Lanes>,
    ) -> Option<LaneAddresses<'a>> {
        let descriptor = access::descriptor(wave, plan);
        let exec = wave.exec();
        let records = descriptor.records()?;
        let first = plan.vaddr.unwrap_or(0);
        let offsets = match (plan.offen, plan.idxen) {
            (true, with_index) => wave.vgpr(first.wrapping_add(u8::from(with_index))),
            (false, _) => &NOTHING,
        };
        let constant = plan.offset as u64;
        let end = constant + u64::from(bytes);
        let greatest_index = records.count.checked_sub(1)?;
        let greatest_offset = records.record.checked_sub(end)?.min(MAX_OFFSET.into());
        let mut last = records.bytes.checked_sub(end)?;
        let mut low = offsets;
        if plan.idxen {
            // With these limits, the arithmetic below cannot wrap.
            let index = wave.vgpr(first);
            let greatest = match descriptor.stride {
                0 => u32::MAX,
                stride => MAX_OFFSET / stride,
            };
            let greatest = greatest_index.min(greatest);
            if !lanes::are_below(index, 0, u32::MAX, exec, greatest)
                || !lanes::are_below(offsets, 0, u32::MAX, exec, greatest_offset as u32)
            {
                return None;
            }
            low = sums.insert(lanes::sums(index, descriptor.stride, offsets));
        } else {
            last = last.min(greatest_offset);
        }
        let last = last.min(2 * u64::from(MAX_OFFSET)) as u32;
        if !lanes::are_below(low, 0, u32::MAX, exec, last) {
            return None;
        }
        let base = descriptor.linear(0, constant);
        is_aligned(wave, plan, bytes, base, low).then_some(LaneAddresses {
            low,
            high: &NOTHING,
            base,
            is_flat: false,
        })
    }

    /// Returns the address of lane 0, if the addresses of all lanes, active or not, have the given stride. For FLAT, no
    /// address may be in an aperture.
    #[inline]
    fn row(&self, stride: LaneStride, device: &Device) -> Option<u64> {
        // The second address rules out most cases quickly.
        let [first, second] = [self.low.0[0], self.low.0[1]];
        if second.wrapping_sub(first) != stride.bytes() {
            return None;
        }
        let is_row = match stride {
            LaneStride::None => lanes::are_one(self.low, self.high),
            LaneStride::Byte => lanes::are_bytes(self.low, self.high),
            LaneStride::Short => lanes::are_shorts(self.low, self.high),
            LaneStride::Dwords(count) => lanes::are_dwords(count, self.low, self.high),
        };
        if !is_row {
            return None;
        }
        let address = self.pairs().lane(0);
        let last = self.pairs().lane(LANES - 1).wrapping_add(DWORD as u64 - 1);
        self.needs_no_second_look(&[address, last], device)
            .then_some(address)
    }

    /// Returns the addresses of all lanes, for lookup in allocations; `None` if FLAT may align them. No allocation
    /// overlaps an aperture, so the lookup rejects aperture addresses.
    #[inline]
    pub fn all(&self, device: &Device) -> Option<memory::Addresses<'_>> {
        let is_unmasked = !self.is_flat || !device.config.dword_alignment;
        is_unmasked.then_some(self.pairs())
    }

    #[inline]
    fn pairs(&self) -> memory::Addresses<'_> {
        memory::Addresses::Pairs([self.low, self.high], self.base)
    }

    /// True unless this is a FLAT access, and one of these addresses is in an aperture or the device aligns addresses.
    #[inline]
    fn needs_no_second_look(&self, addresses: &[u64], device: &Device) -> bool {
        let apertures = device.config.apertures;
        let is_aside = |address: &u64| {
            let high = (address >> u32::BITS) as u32;
            (high == apertures.shared) | (high == apertures.private)
        };
        let is_aside = || addresses.iter().fold(false, |any, a| any | is_aside(a));
        !self.is_flat || !device.config.dword_alignment && !is_aside()
    }
}
