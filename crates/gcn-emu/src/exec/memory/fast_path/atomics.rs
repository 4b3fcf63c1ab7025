//! Vectorized atomics on LDS, and on global memory accessed by FLAT, GLOBAL and MUBUF.
//!
//! Lanes take effect in ascending order (errata E047). If all lanes have the same address, its value stays in a
//! register until the last lane is done. Consecutive dwords are computed with vectors. Global memory that other threads
//! use is updated atomically, with one update for consecutive active lanes that access the same 64-bit unit.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use gcn_isa::Ty;
use gcn_isa::effect::AtomicOp;

use super::super::combine::{Denormals, combine};
use super::global::LaneAddresses;
use super::share::{is_reached, reached, takes_addresses};
use crate::device::Device;
use crate::lanes::{self, LANES, Lane, Lanes, NOTHING, active, at_each_level};
use crate::lds::Lds;
use crate::memory::Region;
use crate::step::{Family, MemoryPlan};
use crate::wave::Wave;

/// Performs an atomic on global memory and saves the old values in `old`.
pub fn global(
    wave: &mut Wave,
    plan: &MemoryPlan,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<()> {
    let memory = &device.memory;
    let bytes = plan.ty.bytes();
    let mut sums = None;
    let from = LaneAddresses::of(wave, plan, bytes, &mut sums)?;
    let mut indices = Lanes::ZERO;
    let region = memory.indices(from.all(device)?, bytes.into(), wave.exec(), &mut indices)?;
    let lanes = operands(wave, plan, &indices);
    let place = if memory.has_one_user() {
        AtomicTarget::Alone(region)
    } else {
        AtomicTarget::Global(region)
    };
    *old = [Lanes::ZERO; 2];
    by_operation(plan, Denormals::FLUSHED, &lanes, place, old)?;
    finish(wave, plan, old)
}

/// Performs a DS or FLAT atomic on LDS and saves the old values in `old`.
pub fn share(
    wave: &mut Wave,
    plan: &MemoryPlan,
    lds: &mut Lds,
    device: &Device,
    old: &mut [Lanes; 2],
) -> Option<()> {
    let exec = wave.exec();
    let (bytes, offset) = (u32::from(plan.ty.bytes()), plan.offset as u32);
    let from = wave.vgpr(plan.vaddr.unwrap_or(0));
    if !takes_addresses(wave, plan, device)
        || plan.family == Family::Flat
            && !(is_reached(wave, plan, device)
                && lanes::are_below(from, offset, bytes - 1, exec, 0))
    {
        return None;
    }
    let mut share = reached(wave, plan, lds);
    let last = u32::try_from(share.bytes().len())
        .ok()?
        .checked_sub(bytes)?;
    if !lanes::are_below(from, offset, plan.mask, exec, last) {
        return None;
    }
    let indices = lanes::places(from, offset, plan.mask, bytes.trailing_zeros());
    let lanes = operands(wave, plan, &indices);
    let denormals = Denormals::of_mode(wave.mode);
    let place = AtomicTarget::Share(share.bytes_mut());
    *old = [Lanes::ZERO; 2];
    by_operation(plan, denormals, &lanes, place, old)?;
    finish(wave, plan, old)
}

/// Writes the old values to registers if the instruction has a destination.
fn finish(wave: &mut Wave, plan: &MemoryPlan, old: &[Lanes; 2]) -> Option<()> {
    if plan.returns {
        let exec = wave.exec();
        for (number, old) in old.iter().enumerate().take(plan.ty.dwords().into()) {
            wave.vgpr_mut(plan.vdst.wrapping_add(number as u8))
                .blend(old, exec);
        }
    }
    Some(())
}

/// Operands of all lanes.
struct Operands<'a> {
    /// Index of each lane's element in its target.
    indices: &'a Lanes,
    exec: u64,
    /// Operands of [`combine`], as low and high dwords.
    data: [&'a Lanes; 2],
    second: [&'a Lanes; 2],
}

/// Returns the operands of [`combine`]. In a DS compare-and-swap, the first data field holds the comparison value and
/// the second the new value. In other instructions, the low half of the data holds the new value and the high half the
/// comparison value (errata E059, E090).
fn operands<'a>(wave: &'a Wave, plan: &MemoryPlan, indices: &'a Lanes) -> Operands<'a> {
    let at = |first: u8| [wave.vgpr(first), wave.vgpr(first.wrapping_add(1))];
    let swaps = matches!(plan.atomic(), Some((AtomicOp::CompareSwap, _)));
    let (data, second) = match (plan.family, swaps) {
        (Family::Share, true) => (at(plan.vdata1), at(plan.vdata)),
        (Family::Share, false) => (at(plan.vdata), at(plan.vdata1)),
        (_, true) => (
            at(plan.vdata),
            at(plan.vdata.wrapping_add(plan.ty.dwords())),
        ),
        (_, false) => (at(plan.vdata), [&NOTHING; 2]),
    };
    Operands {
        indices,
        exec: wave.exec(),
        data,
        second,
    }
}

/// Memory that an atomic updates.
enum AtomicTarget<'a> {
    /// LDS.
    Share(&'a mut [u8]),
    /// Global memory that no other thread uses.
    Alone(Region<'a>),
    /// Global memory that other threads may use.
    Global(Region<'a>),
}

/// Operation that computes a new value from an old one and a lane's operands.
trait Update: Copy {
    /// Type of values.
    type Value: Word;
    /// Returns the new value.
    fn apply(&self, old: Self::Value, data: Self::Value, second: Self::Value) -> Self::Value;
}

/// Selects the operation and performs it.
fn by_operation(
    plan: &MemoryPlan,
    denormals: Denormals,
    lanes: &Operands<'_>,
    place: AtomicTarget<'_>,
    old: &mut [Lanes; 2],
) -> Option<()> {
    // Each operation gets its own loop over the lanes.
    macro_rules! operations {
        ($($Op:ident $Type:ident $Value:ident;)*) => {
            match plan.atomic()? {
                $((AtomicOp::$Op, Ty::$Type) => {
                    #[derive(Clone, Copy)]
                    struct Operation(Denormals);
                    impl Update for Operation {
                        type Value = $Value;
                        #[inline(always)]
                        fn apply(&self, old: $Value, data: $Value, second: $Value) -> $Value {
                            let (old, data, second) = (old.into(), data.into(), second.into());
                            combine(AtomicOp::$Op, Ty::$Type, old, data, second, self.0) as $Value
                        }
                    }
                    lanes.update(place, Operation(denormals), old);
                    Some(())
                })*
                _ => None,
            }
        };
    }
    operations! {
        Add U32 u32; Sub U32 u32; Rsub U32 u32; Inc U32 u32; Dec U32 u32; And B32 u32; Or B32 u32; Xor B32 u32;
        Swap B32 u32; CompareSwap B32 u32; MaskOr B32 u32; Wrap U32 u32;
        Min I32 u32; Max I32 u32; Min U32 u32; Max U32 u32;
        Add F32 u32; Min F32 u32; Max F32 u32; CompareSwap F32 u32;
        Add U64 u64; Sub U64 u64; Rsub U64 u64; Inc U64 u64; Dec U64 u64; And B64 u64; Or B64 u64; Xor B64 u64;
        Swap B64 u64; CompareSwap B64 u64; MaskOr B64 u64;
        Min I64 u64; Max I64 u64; Min U64 u64; Max U64 u64;
        Min F64 u64; Max F64 u64; CompareSwap F64 u64;
    }
}

impl Operands<'_> {
    /// Updates memory and saves the old values in `old`, which must be zero.
    fn update<U: Update>(&self, place: AtomicTarget<'_>, update: U, old: &mut [Lanes; 2]) {
        match place {
            AtomicTarget::Share(bytes) => self.update_own(&mut Own(bytes), update, old),
            AtomicTarget::Alone(mut region) => self.update_own(&mut region, update, old),
            AtomicTarget::Global(region) => self.update_common(region.units(), update, old),
        }
    }

    #[inline(always)]
    fn data<U: Update>(&self, lane: usize) -> [U::Value; 2] {
        let at = |[low, high]: [&Lanes; 2]| U::Value::join(low.0[lane], high.0[lane]);
        [at(self.data), at(self.second)]
    }

    /// Updates memory that no other thread uses.
    #[inline(never)]
    fn update_own<U: Update>(
        &self,
        cells: &mut impl Cells<U::Value>,
        update: U,
        old: &mut [Lanes; 2],
    ) {
        let Some(first) = active(self.exec).next() else {
            return;
        };
        let first = self.indices.0[first];
        if lanes::are_below(self.indices, first.wrapping_neg(), u32::MAX, self.exec, 0) {
            let mut value = cells.get(first);
            for lane in active(self.exec) {
                put(old, lane, value);
                let [data, second] = self.data::<U>(lane);
                value = update.apply(value, data, second);
            }
            cells.set(first, value);
            return;
        }
        if U::Value::DWORDS == 1
            && lanes::are_bytes(self.indices, &NOTHING)
            && let Some(row) = cells.row(self.indices.0[0])
        {
            let mut new = computed(update, &row, self.data[0], self.second[0]);
            if self.exec != u64::MAX {
                let values = new;
                new = row;
                new.blend(&values, self.exec);
            }
            cells.set_row(self.indices.0[0], &new);
            old[0] = row;
            return;
        }
        if self.exec == u64::MAX {
            for lane in 0..LANES {
                self.update_lane(cells, update, lane, old);
            }
        } else {
            for lane in active(self.exec) {
                self.update_lane(cells, update, lane, old);
            }
        }
    }

    #[inline(always)]
    fn update_lane<U: Update>(
        &self,
        cells: &mut impl Cells<U::Value>,
        update: U,
        lane: usize,
        old: &mut [Lanes; 2],
    ) {
        let index = self.indices.0[lane];
        let [data, second] = self.data::<U>(lane);
        let value = cells.get(index);
        cells.set(index, update.apply(value, data, second));
        put(old, lane, value);
    }

    /// Updates memory that other threads may use. Consecutive active lanes that access the same 64-bit unit share one
    /// atomic update of the unit, in which they take effect in ascending order.
    #[inline(never)]
    fn update_common<U: Update>(&self, units: &[AtomicU64], update: U, old: &mut [Lanes; 2]) {
        let per_unit = (size_of::<u64>() / size_of::<U::Value>()) as u32;
        let unit = |lane: usize| self.indices.0[lane] / per_unit;
        let mut rest = self.exec;
        while rest != 0 {
            let first = unit(rest.trailing_zeros() as usize % LANES);
            let begin = rest;
            while rest != 0 && unit(rest.trailing_zeros() as usize % LANES) == first {
                rest &= rest - 1;
            }
            let together = begin & !rest;
            // Always present: the indices were checked.
            let Some(cell) = units.get(first as usize) else {
                continue;
            };
            let mut was = cell.load(Relaxed);
            loop {
                let mut is = was;
                for lane in active(together) {
                    let part = self.indices.0[lane] % per_unit;
                    let value = U::Value::taken(is, part);
                    put(old, lane, value);
                    let [data, second] = self.data::<U>(lane);
                    is = update.apply(value, data, second).put(is, part);
                }
                match cell.compare_exchange_weak(was, is, Relaxed, Relaxed) {
                    Ok(_) => break,
                    Err(now) => was = now,
                }
            }
        }
    }
}

/// Writes a lane's value.
#[inline(always)]
fn put<T: Word>(into: &mut [Lanes; 2], lane: usize, value: T) {
    let dwords = value.split();
    for (register, dword) in into.iter_mut().zip(dwords).take(T::DWORDS) {
        register.0[lane] = dword;
    }
}

at_each_level! {
/// Computes the new value of one dword per lane.
fn computed<U: Update>(update: U, old: &Lanes, data: &Lanes, second: &Lanes) -> Lanes {
    let mut new = Lanes::ZERO;
    for lane in 0..LANES {
        let join = |register: &Lanes| U::Value::join(register.0[lane], 0);
        new.0[lane] = update.apply(join(old), join(data), join(second)).split()[0];
    }
    new
}
}

/// Value of 32 or 64 bits that an atomic updates.
trait Word: Lane {
    /// Loads the element with this index, which must be in bounds.
    fn load(bytes: &[u8], index: usize) -> Self;
    /// Stores the element with this index.
    fn store(self, bytes: &mut [u8], index: usize);
    /// Loads an element of global memory.
    fn load_from(region: &Region<'_>, index: usize) -> Self;
    /// Stores an element of global memory.
    fn store_to(self, region: &Region<'_>, index: usize);
    /// Extracts part number `part` of a unit.
    fn taken(unit: u64, part: u32) -> Self;
    /// Returns the unit with part number `part` replaced by the value.
    fn put(self, unit: u64, part: u32) -> u64;
}

macro_rules! words {
    ($($Value:ident $Cell:ident $cells:ident;)*) => {$(
        impl Word for $Value {
            #[inline(always)]
            fn load(bytes: &[u8], index: usize) -> $Value {
                let element = bytes.as_chunks().0.get(index);
                element.map_or(0, |element| $Value::from_le_bytes(*element))
            }
            #[inline(always)]
            fn store(self, bytes: &mut [u8], index: usize) {
                if let Some(element) = bytes.as_chunks_mut().0.get_mut(index) {
                    *element = self.to_le_bytes();
                }
            }
            #[inline(always)]
            fn load_from(region: &Region<'_>, index: usize) -> $Value {
                region.$cells().get(index).map_or(0, |cell: &$Cell| cell.load(Relaxed))
            }
            #[inline(always)]
            fn store_to(self, region: &Region<'_>, index: usize) {
                if let Some(cell) = region.$cells().get(index) {
                    cell.store(self, Relaxed);
                }
            }
            #[inline(always)]
            fn taken(unit: u64, part: u32) -> $Value {
                (unit >> (part * $Value::BITS)) as $Value
            }
            #[inline(always)]
            fn put(self, unit: u64, part: u32) -> u64 {
                let shift = part * $Value::BITS;
                unit & !(u64::from($Value::MAX) << shift) | u64::from(self) << shift
            }
        }
    )*};
}

words! {
    u32 AtomicU32 dwords;
    u64 AtomicU64 units;
}

/// Elements that no other thread uses. Indices passed to `get` and `set` must be in bounds.
trait Cells<T> {
    fn get(&self, index: u32) -> T;
    fn set(&mut self, index: u32, value: T);
    /// Loads one dword per lane from consecutive dwords; `None` if some are out of bounds.
    fn row(&self, index: u32) -> Option<Lanes>;
    fn set_row(&mut self, index: u32, row: &Lanes);
}

/// LDS memory, which other threads do not use.
struct Own<'a>(&'a mut [u8]);

impl Own<'_> {
    /// Returns the byte range of the row that starts at dword `index`.
    fn place(index: u32) -> std::ops::Range<usize> {
        let begin = index as usize * size_of::<u32>();
        begin..begin + size_of::<Lanes>()
    }
}

impl<T: Word> Cells<T> for Own<'_> {
    #[inline(always)]
    fn get(&self, index: u32) -> T {
        T::load(self.0, index as usize)
    }
    #[inline(always)]
    fn set(&mut self, index: u32, value: T) {
        value.store(self.0, index as usize);
    }
    #[inline(always)]
    fn row(&self, index: u32) -> Option<Lanes> {
        let dwords = self.0.get(Own::place(index))?.as_chunks().0;
        let dwords: &[_; LANES] = dwords.try_into().ok()?;
        Some(Lanes(dwords.map(u32::from_le_bytes)))
    }
    #[inline(always)]
    fn set_row(&mut self, index: u32, row: &Lanes) {
        if let Some(bytes) = self.0.get_mut(Own::place(index)) {
            bytes.copy_from_slice(row.0.map(u32::to_le_bytes).as_flattened());
        }
    }
}

impl<T: Word> Cells<T> for Region<'_> {
    #[inline(always)]
    fn get(&self, index: u32) -> T {
        T::load_from(self, index as usize)
    }
    #[inline(always)]
    fn set(&mut self, index: u32, value: T) {
        value.store_to(self, index as usize);
    }
    #[inline(always)]
    fn row(&self, index: u32) -> Option<Lanes> {
        let mut row = Lanes::ZERO;
        let offset = u64::from(index) * size_of::<u32>() as u64;
        self.read_dwords(offset, &mut row.0)?;
        Some(row)
    }
    #[inline(always)]
    fn set_row(&mut self, index: u32, row: &Lanes) {
        // Cannot fail: the row has just been read.
        let _ = self.write_dwords(u64::from(index) * size_of::<u32>() as u64, &row.0);
    }
}
