//! Memory accesses as seen by observers.

use gcn_isa::effect::{AtomicOp, Half};
use gcn_isa::{Does, Ty};

use super::context::{Context, Instruction};
use crate::exec::memory::{self, Access, Shape, Transfer};
use crate::fault::Intent;
use crate::lanes::LANES;
use crate::step::{Family, MemoryPlan};

/// Time of an event relative to the access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Before the access.
    Before,
    /// After the access.
    After,
}

/// Event of an access to vector or scalar memory, LDS or GDS, including LDS_DIRECT.
pub struct MemoryEvent<'a> {
    /// Accessing instruction.
    pub instruction: &'a Instruction<'a>,
    /// Time of the event relative to the access.
    pub phase: Phase,
    context: &'a Context<'a>,
    transfer: &'a Transfer,
}

/// Maximum number of dwords in a value, reached by a scalar load.
const MAX_DWORDS: usize = 16;

/// Transferred value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AccessValue {
    dwords: [u32; MAX_DWORDS],
    count: u8,
}

impl AccessValue {
    /// Dwords of the value. A value smaller than a dword is in the low bits.
    pub fn dwords(&self) -> &[u32] {
        &self.dwords[..usize::from(self.count)]
    }

    fn of(dwords: impl IntoIterator<Item = u32>) -> AccessValue {
        let mut value = AccessValue::default();
        for (place, dword) in value.dwords.iter_mut().zip(dwords) {
            *place = dword;
            value.count += 1;
        }
        value
    }
}

impl<'a> MemoryEvent<'a> {
    /// Creates an event of an instruction. Its lanes and addresses are in `transfer`; if they have not been computed
    /// yet, the wave's registers still hold their inputs.
    #[inline]
    pub(crate) fn new(
        instruction: &'a Instruction<'a>,
        context: &'a Context<'a>,
        phase: Phase,
        transfer: &'a Transfer,
    ) -> MemoryEvent<'a> {
        MemoryEvent {
            instruction,
            phase,
            context,
            transfer,
        }
    }

    /// Intent, address spaces, lanes, addresses and sizes. If all active lanes access memory, the addresses are
    /// computed on the first call for either event of the instruction. Observers that only need [`MemoryEvent::lanes`]
    /// avoid this cost.
    pub fn access(&self) -> &'a Access {
        let step = self.instruction.step;
        self.transfer
            .access(|access| self.context.addresses(step, access))
    }

    /// Shape of a global memory access, found without [`MemoryEvent::access`]. Returns `None` if the access has none of
    /// the common shapes or the instruction has overwritten its own addresses.
    pub fn shape(&self) -> Option<Shape> {
        let Context {
            wave, dispatched, ..
        } = *self.context;
        let step = self.instruction.step;
        let keeps = |plan: &MemoryPlan| plan.keeps_addresses;
        if self.phase == Phase::After && !step.memory.as_deref().is_some_and(keeps) {
            return None;
        }
        memory::shape(wave, step, dispatched.device)
    }

    /// Lanes that access memory.
    #[inline]
    pub fn lanes(&self) -> u64 {
        match self.transfer.known() {
            Some(access) => access.lanes(),
            // All active lanes: see `MemoryPlan::is_by_lane`.
            None => self.instruction.exec,
        }
    }

    /// Load, store or atomic; `None` for other instructions.
    #[inline]
    pub fn intent(&self) -> Option<Intent> {
        match (self.transfer.known(), &self.instruction.step.memory) {
            (None, Some(plan)) => plan.does.intent(),
            _ => self.access().intent,
        }
    }

    /// Value of element 0 or 1 ([`Access::elements`]) of a lane, in register format: values of typed buffers are
    /// converted and small integers extended. Before the access, this is the value to be stored, or an atomic's
    /// operands; a compare-and-swap has the new value first and then the value to compare with. After the access, it is
    /// the loaded or stored value, or an atomic's old value. Returns `None` if the value is unknown, which is the case
    /// before a load and for a lane that accesses nothing.
    pub fn value(&self, lane: usize, element: u8) -> Option<AccessValue> {
        if lane >= LANES || self.lanes() >> lane & 1 == 0 || element >= self.elements() {
            return None;
        }
        let Some(plan) = self.instruction.step.memory.as_deref() else {
            // This is LDS_DIRECT.
            let is_known = self.phase == Phase::After;
            return is_known.then(|| AccessValue::of([self.context.wave.lds_direct]));
        };
        match (self.intent()?, self.phase) {
            (Intent::Load, Phase::Before) => None,
            (Intent::Load, Phase::After) => Some(self.loaded(plan, lane, element)),
            (Intent::Store, _) => Some(self.stored(plan, lane, element)),
            (Intent::Atomic, Phase::Before) => Some(self.operands(plan, lane, element)),
            (Intent::Atomic, Phase::After) => Some(self.replaced(plan, lane, element)),
        }
    }

    /// Number of elements per lane: 2 if there are two addresses, otherwise 1.
    fn elements(&self) -> u8 {
        match (self.transfer.known(), &self.instruction.step.memory) {
            (None, Some(plan)) => plan.elements_per_lane(),
            _ => self.access().elements,
        }
    }

    fn loaded(&self, plan: &MemoryPlan, lane: usize, element: u8) -> AccessValue {
        if plan.to_lds {
            return self.in_lds(self.access().place_in_lds(lane));
        }
        let dwords = plan.ty.dwords();
        match plan.does {
            _ if plan.family.is_scalar() => self.scalars(plan.sdata, dwords),
            Does::LoadHalf(_, half) => {
                let [dword, ..] = self.vectors(plan.vdst, 1, lane).dwords;
                AccessValue::of([match half {
                    Half::Low => dword & u32::from(u16::MAX),
                    Half::High => dword >> u16::BITS,
                }])
            }
            Does::LoadFormatHigh => {
                let [dword, ..] = self.vectors(plan.vdst, 1, lane).dwords;
                AccessValue::of([dword >> u16::BITS])
            }
            Does::LoadFormat(..) | Does::Image(_) => {
                self.vectors(plan.vdst, plan.data_dwords, lane)
            }
            _ => self.vectors(plan.vdst.wrapping_add(element * dwords), dwords, lane),
        }
    }

    fn stored(&self, plan: &MemoryPlan, lane: usize, element: u8) -> AccessValue {
        let dwords = plan.ty.dwords();
        match plan.does {
            _ if plan.family.is_scalar() => self.scalars(plan.sdata, dwords),
            Does::StoreFromLds => self.in_lds(self.access().place_in_lds(lane)),
            Does::StoreHigh(ty) => {
                let [dword, ..] = self.vectors(plan.vdata, 1, lane).dwords;
                AccessValue::of([part(ty, dword >> u16::BITS)])
            }
            Does::StoreFormatHigh => {
                let [dword, ..] = self.vectors(plan.vdata, 1, lane).dwords;
                AccessValue::of([dword >> u16::BITS])
            }
            Does::StoreFormat(..) | Does::Image(_) => {
                self.vectors(plan.vdata, plan.data_dwords, lane)
            }
            Does::StoreTwo(..) if element == 1 => self.vectors(plan.vdata1, dwords, lane),
            Does::Store(ty) if ty.bytes() < 4 => {
                let [dword, ..] = self.vectors(plan.vdata, 1, lane).dwords;
                AccessValue::of([part(ty, dword)])
            }
            _ => self.vectors(plan.vdata, dwords, lane),
        }
    }

    fn operands(&self, plan: &MemoryPlan, lane: usize, element: u8) -> AccessValue {
        let dwords = plan.ty.dwords();
        let swaps = matches!(plan.atomic(), Some((AtomicOp::CompareSwap, _)));
        let count = if swaps { 2 * dwords } else { dwords };
        match plan.does {
            _ if plan.family.is_scalar() => self.scalars(plan.sdata, count),
            // A single value for the wave.
            Does::Count(_) => AccessValue::of([self.instruction.exec.count_ones()]),
            Does::OrderedCount => {
                let first = self.instruction.exec.trailing_zeros() as usize % LANES;
                self.vectors(plan.vaddr.unwrap_or(0), 1, first)
            }
            Does::AtomicFromLds(..) => {
                let place = self.access().second[lane];
                AccessValue::of((0..u64::from(dwords)).map(|n| self.lds_dword(place + 4 * n)))
            }
            Does::ExchangeTwo(..) if element == 1 => self.vectors(plan.vdata1, dwords, lane),
            // DS has the value to compare with first (errata E059, E090).
            _ if swaps && plan.family == Family::Share => {
                let new = self.vectors(plan.vdata1, dwords, lane);
                let old = self.vectors(plan.vdata, dwords, lane);
                AccessValue::of(new.dwords().iter().chain(old.dwords()).copied())
            }
            _ => self.vectors(plan.vdata, count, lane),
        }
    }

    fn replaced(&self, plan: &MemoryPlan, lane: usize, element: u8) -> AccessValue {
        let dwords = plan.ty.dwords();
        match plan.does {
            Does::ExchangeTwo(..) | Does::ExchangeConditionally(_) => {
                self.vectors(plan.vdst.wrapping_add(element * dwords), dwords, lane)
            }
            _ => {
                let old = self.transfer.old.iter().take(dwords.into());
                AccessValue::of(old.map(|register| register.0[lane]))
            }
        }
    }

    fn vectors(&self, first: u8, count: u8, lane: usize) -> AccessValue {
        let registers = (0..count).map(|n| self.context.wave.vgpr(first.wrapping_add(n)));
        AccessValue::of(registers.map(|register| register.0[lane]))
    }

    fn scalars(&self, first: u8, count: u8) -> AccessValue {
        AccessValue::of((0..count).map(|n| self.context.wave.scalar(first.wrapping_add(n))))
    }

    fn in_lds(&self, place: u64) -> AccessValue {
        AccessValue::of([self.lds_dword(place)])
    }

    fn lds_dword(&self, place: u64) -> u32 {
        let bytes = usize::try_from(place).ok().and_then(|place| {
            let bytes = self.context.lds.bytes().get(place..)?.first_chunk()?;
            Some(*bytes)
        });
        bytes.map_or(0, u32::from_le_bytes)
    }
}

/// Bits of a dword that a store of type `ty` writes.
fn part(ty: Ty, dword: u32) -> u32 {
    match ty.bytes() {
        1 => dword & u32::from(u8::MAX),
        2 => dword & u32::from(u16::MAX),
        _ => dword,
    }
}
