//! Accesses of memory, as observers see them.

use gcn_isa::effect::{AtomicOp, Half};
use gcn_isa::{Does, Ty};

use super::context::{Context, Instruction};
use crate::exec::memory::{self, Access, Shape, Transfer};
use crate::fault::Intent;
use crate::lanes::LANES;
use crate::step::{Family, MemoryPlan};

/// Moment of an event: before the access or after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// The access has not read or written anything.
    Before,
    /// The access has read or written everything.
    After,
}

/// An access of memory: of vector or scalar memory, of LDS or GDS, or of LDS by LDS_DIRECT.
pub struct MemoryEvent<'a> {
    /// The instruction.
    pub instruction: &'a Instruction<'a>,
    /// Before or after.
    pub phase: Phase,
    context: &'a Context<'a>,
    transfer: &'a Transfer,
}

/// Dwords of the largest value: that of a scalar load.
const MAX_DWORDS: usize = 16;

/// A value that is transferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AccessValue {
    dwords: [u32; MAX_DWORDS],
    count: u8,
}

impl AccessValue {
    /// Dwords; of less than a dword the low bits.
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
    /// An event of an instruction. Its lanes and addresses are in `transfer`; or nobody has asked for them, and the wave's registers
    /// still have what they depend on.
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

    /// Intent, spaces, lanes, addresses and sizes. Where an instruction has a pair of addresses for each lane, they are worked
    /// out by the first call for either of its events: an observer that needs no more than [`MemoryEvent::lanes`] goes without.
    pub fn access(&self) -> &'a Access {
        let step = self.instruction.step;
        self.transfer
            .access(|access| self.context.addresses(step, access))
    }

    /// Shape of an access of global memory that has a common one: known without [`MemoryEvent::access`]. Of an instruction that has
    /// overwritten its own addresses there is none.
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

    /// The lanes that access something.
    #[inline]
    pub fn lanes(&self) -> u64 {
        match self.transfer.known() {
            Some(access) => access.lanes(),
            // All that are active: see `MemoryPlan::is_by_lane`.
            None => self.instruction.exec,
        }
    }

    /// Load, store or atomic.
    #[inline]
    pub fn intent(&self) -> Option<Intent> {
        match (self.transfer.known(), &self.instruction.step.memory) {
            (None, Some(plan)) => plan.does.intent(),
            _ => self.access().intent,
        }
    }

    /// The value of a lane's element, 0 or 1 of [`Access::elements`], as registers have it (a typed buffer's are converted,
    /// small integers extended): before the access what will be stored, or an atomic's operands, of a compare and swap the
    /// new value and then the one to compare with; after it what was loaded or stored, or what was there before an atomic.
    /// `None` where nothing is known: of a load before it, of a lane that accesses nothing.
    pub fn value(&self, lane: usize, element: u8) -> Option<AccessValue> {
        if lane >= LANES || self.lanes() >> lane & 1 == 0 || element >= self.elements() {
            return None;
        }
        let Some(plan) = self.instruction.step.memory.as_deref() else {
            // LDS_DIRECT.
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

    /// Elements of a lane: 1, or 2 where there are two addresses.
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
            // One for the wave.
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

/// The bits of a dword that a store of this type takes.
fn part(ty: Ty, dword: u32) -> u32 {
    match ty.bytes() {
        1 => dword & u32::from(u8::MAX),
        2 => dword & u32::from(u16::MAX),
        _ => dword,
    }
}
