//! Propagation of undefined bits through memory instructions.

mod atomic;

use std::ops::Range;

use gcn_emu::observe::{Access, Context, Instruction, LaneSpace};
use gcn_emu::step::{Family, MemoryPlan};
use gcn_isa::effect::{AtomicOp, Half, ImageOp, TexelForm};
use gcn_isa::image::{COMPONENTS, ImageDescriptor};
use gcn_isa::{Does, Ty};

use super::facts::UninitFacts;
use super::memory::{GlobalView, PADDING, UndefinedGlobal, UndefinedPrivate};
use super::origin::{Loads, UndefinedOrigin};
use super::part::PartlyDefined;
use super::registers::UndefinedRegisters;
use crate::filter::lanes;

/// Size of a dword in bytes.
const DWORD: u64 = 4;

/// A location in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryPlace {
    Lds(u64),
    Scratch(u64),
    Global(u64),
}

impl MemoryPlace {
    fn memory(self) -> &'static str {
        match self {
            MemoryPlace::Lds(_) => "LDS",
            MemoryPlace::Scratch(_) => "scratch",
            MemoryPlace::Global(_) => "global memory",
        }
    }
}

/// Shadow memory of a wave.
pub(super) struct Memories<'a> {
    pub(super) lds: &'a mut UndefinedPrivate,
    pub(super) scratch: &'a mut UndefinedPrivate,
    /// Address range of the wave's scratch.
    pub(super) scratch_range: Range<u64>,
    pub(super) global: &'a UndefinedGlobal,
}

/// Evaluation of a memory instruction whose data or memory may be undefined.
pub(super) struct UndefinedAccess<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) instruction: &'a Instruction<'a>,
    pub(super) plan: &'a MemoryPlan,
    pub(super) facts: &'a UninitFacts,
    pub(super) access: &'a Access,
    /// False for all but the first texel that each lane of a sample reads.
    pub(super) is_first: bool,
    pub(super) shadow: &'a mut UndefinedRegisters,
    pub(super) memories: Memories<'a>,
    pub(super) view: GlobalView<'a>,
    pub(super) loads: &'a mut Loads,
    /// Dwords that earlier lanes of a compare-and-swap have written, in this order.
    pub(super) swapped: Vec<(MemoryPlace, u32)>,
    /// Records a store of undefined bits to global memory by the instruction, and returns the number of the store.
    pub(super) store: &'a mut dyn FnMut(&Loads, UndefinedOrigin) -> u32,
}

/// Undefined bits of a lane's element (up to four dwords) or of a scalar access (up to 16).
type UndefinedElement = [u32; 16];

impl UndefinedAccess<'_> {
    fn place(&self, lane: usize, element: u8, byte: u64) -> Option<MemoryPlace> {
        let access = self.access;
        let address = match self.access.space(lane)? {
            LaneSpace::Lds if element == 0 => {
                return Some(MemoryPlace::Lds(access.address[lane] + byte));
            }
            LaneSpace::Lds => return Some(MemoryPlace::Lds(access.second[lane] + byte)),
            LaneSpace::Gds => return None,
            LaneSpace::Global | LaneSpace::Scratch | LaneSpace::Buffer => {
                access.place(lane, byte)?
            }
        };
        let scratch = &self.memories.scratch_range;
        Some(if scratch.contains(&address) {
            MemoryPlace::Scratch(address - scratch.start)
        } else {
            MemoryPlace::Global(address)
        })
    }

    fn load_at(&mut self, place: MemoryPlace, bytes: u64) -> u32 {
        match place {
            MemoryPlace::Lds(at) => self.memories.lds.load(at, bytes),
            MemoryPlace::Scratch(at) => self.memories.scratch.load(at, bytes),
            MemoryPlace::Global(address) => self.view.load(address, bytes),
        }
    }

    fn store_at(&mut self, place: MemoryPlace, bytes: u64, bits: u32, store: u32) {
        match place {
            MemoryPlace::Lds(at) => self.memories.lds.store(at, bytes, bits),
            MemoryPlace::Scratch(at) => self.memories.scratch.store(at, bytes, bits),
            MemoryPlace::Global(address) => {
                if bits != 0 && !self.view.knows(address) {
                    let memory = &self.context.dispatched.device.memory;
                    if let Some(it) = memory.nearest(address)
                        && !it.is_freed
                        && address.wrapping_sub(it.base) < it.len
                    {
                        self.memories.global.track(it.base..it.base + it.len);
                    }
                }
                self.view.store(address, bytes, bits, store);
            }
        }
    }

    /// Returns the undefined bits of a lane's element in memory, and the location of its first undefined dword.
    fn load(
        &mut self,
        lane: usize,
        element: u8,
        bytes: u64,
    ) -> (UndefinedElement, Option<MemoryPlace>) {
        let mut bits = [0; 16];
        let mut first = None;
        for (chunk, bits) in (0..bytes.div_ceil(DWORD)).zip(&mut bits) {
            let at = chunk * DWORD;
            let Some(place) = self.place(lane, element, at) else {
                continue;
            };
            *bits = self.load_at(place, (bytes - at).min(DWORD));
            if *bits != 0 {
                first.get_or_insert(place);
            }
        }
        (bits, first)
    }

    /// Sets the undefined bits of a lane's element in memory.
    fn store(
        &mut self,
        lane: usize,
        element: u8,
        bytes: u64,
        bits: &UndefinedElement,
        origin: UndefinedOrigin,
    ) {
        let mut number = if all_or_none(bits) == 0 {
            Some(0)
        } else {
            (!self.is_bitwise() && is_padded(bits, bytes)).then_some(PADDING)
        };
        for (chunk, bits) in (0..bytes.div_ceil(DWORD)).zip(bits) {
            let at = chunk * DWORD;
            let Some(place) = self.place(lane, element, at) else {
                continue;
            };
            let number = match place {
                MemoryPlace::Lds(_) | MemoryPlace::Scratch(_) => 0,
                MemoryPlace::Global(_) => {
                    *number.get_or_insert_with(|| (self.store)(self.loads, origin))
                }
            };
            self.store_at(place, (bytes - at).min(DWORD), *bits, number);
        }
    }

    fn origin(&mut self, place: Option<MemoryPlace>) -> UndefinedOrigin {
        let memory = place.map_or("memory", MemoryPlace::memory);
        let (pc, inst) = (self.context.pc, &self.instruction.step.inst);
        self.loads.origin(pc, inst, memory)
    }

    /// Returns the undefined bits of consecutive vector registers in a lane.
    fn registers(&self, first: u8, count: u8, lane: usize) -> UndefinedElement {
        let mut bits = [0; 16];
        for (number, bits) in (0..count).zip(&mut bits) {
            *bits = self.shadow.vector(first.wrapping_add(number), lane);
        }
        bits
    }

    fn set_registers(
        &mut self,
        first: u8,
        count: u8,
        lane: usize,
        bits: &UndefinedElement,
        origin: UndefinedOrigin,
    ) {
        for (number, bits) in (0..count).zip(bits) {
            let register = first.wrapping_add(number);
            self.shadow
                .set_vector(register, lane, u32::MAX, *bits, origin);
        }
    }

    /// Updates the shadow of the registers and memory that the instruction writes.
    pub(super) fn run(mut self) {
        let plan = self.plan;
        if plan.family.is_scalar() {
            self.scalar();
            return;
        }
        let origin =
            super::evaluate::origin_of_sources(self.facts, self.shadow, self.instruction.exec);
        let data: Vec<[UndefinedElement; 2]> = lanes(self.access.lanes())
            .map(|lane| [self.data(lane), self.second_data(lane)])
            .collect();
        if !plan.keeps_half && self.is_first {
            for register in &self.facts.vector_written {
                self.shadow.define_vector(*register, self.instruction.exec);
            }
        }
        for (lane, data) in lanes(self.access.lanes()).zip(data) {
            self.lane(lane, &data, origin);
        }
    }

    /// Returns the undefined bits of a lane's first data operand.
    fn data(&self, lane: usize) -> UndefinedElement {
        let plan = self.plan;
        let dwords = plan.ty.dwords();
        match plan.does {
            Does::StoreHigh(_) | Does::StoreFormatHigh => {
                let mut bits = self.registers(plan.vdata, 1, lane);
                bits[0] >>= 16;
                bits
            }
            Does::Image(ImageOp::Store(TexelForm::Converted, _)) => {
                let bits = self.registers(plan.vdata, plan.data_dwords, lane);
                self.stored_components(bits)
            }
            Does::StoreFormat(..) | Does::Image(_) => {
                self.registers(plan.vdata, plan.data_dwords, lane)
            }
            _ => self.registers(plan.vdata, dwords, lane),
        }
    }

    /// Returns the undefined bits of a lane's second data operand, or zeros if there is none.
    fn second_data(&self, lane: usize) -> UndefinedElement {
        let has_two = match self.plan.does {
            Does::StoreTwo(..) | Does::ExchangeTwo(..) => true,
            Does::Atomic(op, _) | Does::Return(op, _) => op.values() > 1,
            _ => false,
        };
        if !has_two {
            return [0; 16];
        }
        self.registers(self.second_register(), self.plan.ty.dwords(), lane)
    }

    /// Returns the first register of the second data operand.
    fn second_register(&self) -> u8 {
        let plan = self.plan;
        if plan.family == Family::Share {
            plan.vdata1
        } else {
            plan.vdata.wrapping_add(plan.ty.dwords())
        }
    }

    /// Keeps the undefined bits of the components that the image format stores. Compilers leave the others undefined.
    fn stored_components(&self, bits: UndefinedElement) -> UndefinedElement {
        let Some(image_plan) = &self.plan.image else {
            return bits;
        };
        let (wave, isa) = (&self.context.wave, self.instruction.step.inst.isa);
        let image = if image_plan.is_short {
            ImageDescriptor::from_short_words(isa, wave.scalars_from(self.plan.sbase))
        } else {
            ImageDescriptor::from_words(isa, wave.scalars_from(self.plan.sbase))
        };
        let room = image.stored_components();
        let mut stored = [0; 16];
        let in_registers = (0..COMPONENTS).filter(|n| image_plan.mask.max(1) >> n & 1 != 0);
        for (number, component) in in_registers.enumerate() {
            let (register, part) = match (image_plan.is_packed, number % 2) {
                (false, _) => (number, u32::MAX),
                (true, 0) => (number / 2, 0xffff),
                (true, _) => (number / 2, 0xffff_0000),
            };
            if room >> component & 1 != 0 {
                stored[register] |= bits[register] & part;
            }
        }
        stored
    }

    fn lane(&mut self, lane: usize, data: &[UndefinedElement; 2], origin: UndefinedOrigin) {
        let plan = self.plan;
        let bytes = u64::from(plan.ty.bytes());
        let dwords = plan.ty.dwords();
        match plan.does {
            Does::Load(ty) if self.access.to_lds.is_some() => {
                let (bits, _) = self.load(lane, 0, bytes);
                let bits = extended(bits[0], ty);
                let at = self.access.place_in_lds(lane);
                self.memories.lds.store(at, DWORD, bits);
            }
            Does::Load(_) | Does::LoadByLane => {
                let (mut bits, place) = self.load(lane, 0, bytes);
                bits[0] = extended(bits[0], plan.ty);
                let origin = self.origin_if(place);
                self.set_registers(plan.vdst, dwords, lane, &bits, origin);
            }
            Does::LoadTwo(..) => {
                for element in 0..2 {
                    let (bits, place) = self.load(lane, element, bytes);
                    let origin = self.origin_if(place);
                    let first = plan.vdst.wrapping_add(element * dwords);
                    self.set_registers(first, dwords, lane, &bits, origin);
                }
            }
            Does::LoadHalf(ty, half) => {
                let (bits, place) = self.load(lane, 0, bytes);
                let bits = extended(bits[0], ty);
                let origin = self.origin_if(place);
                let (mask, bits) = match half {
                    Half::Low => (0xffff, bits & 0xffff),
                    Half::High => (0xffff_0000, bits << 16),
                };
                self.shadow.set_vector(plan.vdst, lane, mask, bits, origin);
            }
            Does::LoadFormat(..) | Does::LoadFormatHigh => {
                let (bits, place) = self.load(lane, 0, self.access.bytes.into());
                let bits = all_or_none(&bits);
                let origin = self.origin_if(place);
                if plan.does == Does::LoadFormatHigh {
                    let bits = bits & 0xffff_0000;
                    self.shadow
                        .set_vector(plan.vdst, lane, 0xffff_0000, bits, origin);
                } else {
                    self.set_registers(plan.vdst, plan.data_dwords, lane, &[bits; 16], origin);
                }
            }
            Does::Image(ImageOp::Load(..) | ImageOp::Sample(_) | ImageOp::Gather(_)) => {
                let (bits, place) = self.load(lane, 0, self.access.bytes.into());
                let bits = all_or_none(&bits);
                // Defined texels do not clear undefined bits that other texels have set.
                if bits != 0 {
                    let origin = self.origin_if(place);
                    self.set_registers(plan.vdst, plan.data_dwords, lane, &[bits; 16], origin);
                }
            }
            Does::Store(_) | Does::StoreByLane | Does::StoreHigh(_) => {
                self.store(lane, 0, bytes, &data[0], origin);
            }
            Does::StoreTwo(..) => {
                for (element, data) in (0..).zip(data) {
                    self.store(lane, element, bytes, data, origin);
                }
            }
            Does::StoreFromLds => {
                let at = self.access.place_in_lds(lane);
                let mut bits = [0; 16];
                bits[0] = self.memories.lds.load(at, DWORD);
                let origin = self.origin(Some(MemoryPlace::Lds(at)));
                self.store(lane, 0, DWORD, &bits, origin);
            }
            Does::StoreFormat(..) | Does::StoreFormatHigh | Does::Image(ImageOp::Store(..)) => {
                let bits = [all_or_none(&data[0]); 16];
                self.store(lane, 0, self.access.bytes.into(), &bits, origin);
            }
            Does::Atomic(op, _) | Does::Return(op, _) => {
                let new = self.left_by(op, lane, data);
                let both = std::array::from_fn(|at| data[0][at] | data[1][at]);
                let old = self.update(lane, 0, bytes, (&both, origin), new);
                if plan.returns || matches!(plan.does, Does::Return(..)) {
                    self.set_returned(lane, 0, &old);
                }
            }
            Does::ExchangeTwo(..) => {
                for (element, data) in (0..).zip(data) {
                    let old = self.update(lane, element, bytes, (data, origin), Some(*data));
                    self.set_returned(lane, element, &old);
                }
            }
            Does::ExchangeConditionally(_) => {
                let old = self.update(lane, 0, bytes, (&data[0], origin), None);
                self.set_returned(lane, 0, &old);
            }
            Does::AtomicFromLds(..) => {
                let (second, place) = self.load(lane, 1, bytes);
                let origin = self.origin_if(place);
                self.update(lane, 0, bytes, (&second, origin), None);
            }
            Does::Count(_) => {
                let (bits, place) = self.load(lane, 0, DWORD);
                if bits[0] != 0 {
                    let origin = self.origin(place);
                    for lane in lanes(self.instruction.exec) {
                        self.shadow
                            .set_vector(plan.vdst, lane, u32::MAX, u32::MAX, origin);
                    }
                }
            }
            _ => {}
        }
    }

    /// Sets the undefined bits of the registers that receive an atomic's return value.
    fn set_returned(&mut self, lane: usize, element: u8, old: &UndefinedElement) {
        let dwords = self.plan.ty.dwords();
        let place = self.place(lane, element, 0);
        let origin = self.origin_if(place.filter(|_| all_or_none(old) != 0));
        let first = self.plan.vdst.wrapping_add(element * dwords);
        self.set_registers(first, dwords, lane, old, origin);
    }

    /// Returns the origin of undefined bits loaded from `place`, or `Unknown` for `None`.
    fn origin_if(&mut self, place: Option<MemoryPlace>) -> UndefinedOrigin {
        if place.is_none() {
            return UndefinedOrigin::Unknown;
        }
        self.origin(place)
    }

    /// Updates the shadow of an element for an atomic, and returns its old undefined bits. `new` holds its new ones; if
    /// `None`, any undefined bit of the element or of `data` makes the whole element undefined.
    fn update(
        &mut self,
        lane: usize,
        element: u8,
        bytes: u64,
        (data, origin): (&UndefinedElement, UndefinedOrigin),
        new: Option<UndefinedElement>,
    ) -> UndefinedElement {
        let (old, place) = self.load(lane, element, bytes);
        let origin = if all_or_none(data) == 0 {
            self.origin_if(place)
        } else {
            origin
        };
        let new = new.unwrap_or([all_or_none(data) | all_or_none(&old); 16]);
        if old != [0; 16] || new != [0; 16] {
            self.store(lane, element, bytes, &new, origin);
        }
        old
    }

    fn scalar(&mut self) {
        let plan = self.plan;
        let exec = self.instruction.exec;
        let origin = super::evaluate::origin_of_sources(self.facts, self.shadow, exec);
        let dwords = plan.ty.dwords();
        match plan.does {
            Does::Load(_) => {
                let bytes = DWORD * u64::from(self.access.dwords_in_bounds.min(dwords));
                let (bits, place) = self.load(0, 0, bytes);
                let origin = self.origin_if(place);
                for (number, bits) in (0..dwords).zip(bits) {
                    self.shadow
                        .set_scalar(plan.sdata.wrapping_add(number), bits, origin);
                }
            }
            Does::Store(_) => {
                let mut bits = [0; 16];
                for (number, bits) in (0..dwords).zip(&mut bits) {
                    *bits = self.shadow.scalar(plan.sdata.wrapping_add(number));
                }
                self.store(0, 0, plan.ty.bytes().into(), &bits, origin);
            }
            Does::Atomic(op, _) => {
                let mut data = [0; 16];
                for (number, bits) in (0..dwords * op.values()).zip(&mut data) {
                    *bits = self.shadow.scalar(plan.sdata.wrapping_add(number));
                }
                let bytes = plan.ty.bytes().into();
                let new = (op == AtomicOp::Swap).then_some(data);
                let old = self.update(0, 0, bytes, (&data, origin), new);
                if plan.returns {
                    let place = self.place(0, 0, 0);
                    let origin = self.origin_if(place.filter(|_| all_or_none(&old) != 0));
                    for (number, bits) in (0..dwords).zip(old) {
                        self.shadow
                            .set_scalar(plan.sdata.wrapping_add(number), bits, origin);
                    }
                }
            }
            _ => {
                for number in 0..128 {
                    if self.facts.scalar_written >> number & 1 != 0 {
                        self.shadow.define_scalar(number);
                    }
                }
            }
        }
    }
}

/// Returns all ones if any bit is undefined, otherwise 0.
fn all_or_none(bits: &UndefinedElement) -> u32 {
    if bits.iter().any(|bits| *bits != 0) {
        u32::MAX
    } else {
        0
    }
}

/// Returns the value of LDS_DIRECT.
pub(super) fn lds_direct(context: &Context<'_>, lds: &UndefinedPrivate) -> PartlyDefined {
    let (place, ty) = context.lds_direct();
    PartlyDefined {
        value: context.lds.direct(context.wave.m0()).into(),
        undefined: extended(lds.load(place, ty.bytes().into()), ty).into(),
    }
}

/// Sign-extends the undefined bits of signed types narrower than a dword.
fn extended(bits: u32, ty: Ty) -> u32 {
    let part = PartlyDefined {
        value: 0,
        undefined: bits.into(),
    };
    match ty {
        Ty::I8 => part.extracted(0, 8, true).undefined as u32,
        Ty::I16 => part.extracted(0, 16, true).undefined as u32,
        _ => bits,
    }
}

/// True if the undefined bits of an element look like padding: either they are in the last quarter, since compilers
/// store three-component vectors as four components, or they are runs of whole bytes that follow a defined byte in the
/// same dword and end at an even offset, where the next structure member may start.
fn is_padded(bits: &UndefinedElement, bytes: u64) -> bool {
    let dwords = bits.iter().take(bytes.div_ceil(DWORD) as usize);
    let undefined: Vec<u8> = dwords.flat_map(|bits| bits.to_le_bytes()).collect();
    let bytes = (bytes as usize).min(undefined.len());
    let undefined = &undefined[..bytes];
    let quarter = bytes / 4;
    let first = undefined.iter().position(|bits| *bits != 0);
    if quarter != 0 && first.is_some_and(|byte| byte >= bytes - quarter) {
        return true;
    }
    let mut at = 0;
    for run in undefined.chunk_by(|a, b| (*a == 0) == (*b == 0)) {
        let end = at + run.len();
        let is_hole = run.iter().all(|bits| *bits == u8::MAX)
            && !at.is_multiple_of(DWORD as usize)
            && end.is_multiple_of(2);
        if run[0] != 0 && !is_hole {
            return false;
        }
        at = end;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_follows_what_is_defined() {
        let of = |dwords: &[u32]| {
            let mut element = [0; 16];
            element[..dwords.len()].copy_from_slice(dwords);
            is_padded(&element, 4 * dwords.len() as u64)
        };
        // Fourth component of a three-component vector.
        assert!(of(&[0, 0, 0, u32::MAX]));
        // Padding after a char: before an int, at the end of a structure, before a short, and up to 8 bytes.
        assert!(of(&[0xffff_ff00]));
        assert!(of(&[0xffff_ff00, 0, 0xffff_ff00]));
        assert!(of(&[0x0000_ff00]));
        assert!(of(&[0xffff_ff00, u32::MAX]));
        // Not padding: whole dwords, a single bit, a leading byte, and bytes that end at an odd offset.
        assert!(!of(&[u32::MAX]));
        assert!(!of(&[0, u32::MAX]));
        assert!(!of(&[0x0000_0100]));
        assert!(!of(&[0x0000_00ff]));
        assert!(!of(&[0x00ff_ff00]));
    }
}
