//! Lowering of loads and stores of dwords in global memory and LDS.

use std::iter;

use gcn_isa::{Does, Isa, regs};

use super::access::{Access, GLOBAL, Memories, SHARE, Space, Store, StoredElements};
use super::graph::{Id, Op};
use super::lower::{Builder, pair};
use crate::step::{Arg, Family, FastPath, MemoryPlan, Step};
use crate::wave::Strides;

/// Bytes of a dword.
const DWORD: u32 = 4;
/// Maximum number of dwords of an element.
const MAX_DWORDS: u8 = 4;

impl Builder {
    /// Access of a memory instruction.
    pub(super) fn access(&mut self, step: &Step) -> Option<()> {
        let plan = step.memory.as_deref()?;
        // A coherent load is behind a fence.
        if plan.loads_coherently {
            return None;
        }
        // The interpreter may execute it, and reads these for FLAT and LDS.
        self.note_read(1 << regs::M0);
        if let Some(first) = regs::flat_scratch(self.isa) {
            self.note_read(pair(first));
        }
        match (plan.fast_path, plan.does) {
            (FastPath::Load, Does::Load(_)) => self.load_global(plan),
            (FastPath::Store, Does::Store(_)) => self.store_global(plan),
            (FastPath::LoadShare, _) => self.load_share(plan),
            (FastPath::StoreShare, Does::Store(_) | Does::StoreTwo(..)) => self.store_share(plan),
            _ => None,
        }
    }

    fn load_global(&mut self, plan: &MemoryPlan) -> Option<()> {
        let (mut access, address) = self.global(plan)?;
        access.visit = Some(Strides::entry(plan.number));
        self.load(access.dwords(), global_memories(plan), address, plan.vdst)
    }

    fn store_global(&mut self, plan: &MemoryPlan) -> Option<()> {
        let (access, address) = self.global(plan)?;
        let (elements, values) = self.stored_element(plan.vdata, plan.ty.dwords())?;
        let accesses = iter::once(access);
        self.store(accesses, global_memories(plan), address, (elements, values))
    }

    /// Access to an element of dwords in global memory, and its addresses.
    fn global(&mut self, plan: &MemoryPlan) -> Option<(Access, [Id; 2])> {
        let bytes = u32::from(plan.ty.bytes());
        if bytes < DWORD || plan.ty.dwords() > MAX_DWORDS {
            return None;
        }
        let first = Arg::Vgpr(plan.vaddr?);
        let low = self.dword(first, 0)?;
        let (space, high) = match plan.saddr {
            Some(base) => {
                // It is read when the part begins.
                for n in 0..2 {
                    self.dword(Arg::Scalar(base), n)?;
                }
                let is_exec = base + 1 >= regs::EXEC_LO;
                (!is_exec).then_some((Space::GlobalFrom(base), low))?
            }
            None => (Space::Global, self.dword(first, 1)?),
        };
        let access = Access {
            space,
            offset: plan.offset,
            bytes,
            dword: 0,
            visit: None,
        };
        Some((access, [low, high]))
    }

    fn load_share(&mut self, plan: &MemoryPlan) -> Option<()> {
        let elements = &plan.elements;
        let address = self.share(plan)?;
        let offsets = elements.offsets.get(..elements.count.into())?.iter();
        let accesses = offsets.flat_map(|offset| share_access(plan, *offset).dwords());
        self.load(accesses, SHARE, address, elements.data[0])
    }

    fn store_share(&mut self, plan: &MemoryPlan) -> Option<()> {
        if u32::from(plan.ty.bytes()) < DWORD {
            return None;
        }
        let elements = &plan.elements;
        let address = self.share(plan)?;
        let stored = match (elements.count, elements.dwords) {
            (2, 1) => {
                let [first, second] = elements.data.map(|data| self.dword(Arg::Vgpr(data), 0));
                (StoredElements::Two, [first?, second?])
            }
            (1, dwords) => self.stored_element(elements.data[0], dwords)?,
            _ => return None,
        };
        let offsets = elements.offsets.get(..elements.count.into())?.iter();
        let accesses = offsets.map(|offset| share_access(plan, *offset));
        self.store(accesses, SHARE, address, stored)
    }

    /// The dwords of an element that is stored, one or two.
    fn stored_element(&self, data: u8, dwords: u8) -> Option<(StoredElements, [Id; 2])> {
        let data = Arg::Vgpr(data);
        let first = self.dword(data, 0)?;
        match dwords {
            1 => Some((StoredElements::One, [first; 2])),
            2 => Some((StoredElements::Pair, [first, self.dword(data, 1)?])),
            _ => None,
        }
    }

    /// Addresses in LDS.
    fn share(&mut self, plan: &MemoryPlan) -> Option<[Id; 2]> {
        let elements = &plan.elements;
        // GCN 1.0 may check bases (errata E039).
        if self.isa == Isa::Si || plan.family != Family::Share || elements.dwords > MAX_DWORDS {
            return None;
        }
        if self.isa < Isa::Gfx9 {
            // The limit is compared when the part begins.
            self.dword(Arg::Scalar(regs::M0), 0)?;
        }
        Some([self.dword(Arg::Vgpr(elements.addresses), 0)?; 2])
    }

    /// Adds loads into the registers from `to` on.
    fn load(
        &mut self,
        accesses: impl Iterator<Item = Access>,
        memories: Memories,
        [low, high]: [Id; 2],
        to: u8,
    ) -> Option<()> {
        let numbers = self.state.accesses.add(accesses, memories, false)?;
        let load = |number| self.recorder.add(Op::Load(number, low, high));
        let loaded: Vec<Id> = numbers.map(load).collect();
        self.state.accesses.loads.extend(&loaded);
        self.set_vgprs(Arg::Vgpr(to), &loaded)
    }

    /// Adds a store.
    fn store(
        &mut self,
        accesses: impl Iterator<Item = Access>,
        memories: Memories,
        address: [Id; 2],
        (elements, values): (StoredElements, [Id; 2]),
    ) -> Option<()> {
        let numbers = self.state.accesses.add(accesses, memories, true)?;
        self.state.accesses.stores.push(Store {
            access: numbers.start,
            elements,
            address,
            values,
        });
        Some(())
    }
}

/// Memories that FLAT or GLOBAL may access.
fn global_memories(plan: &MemoryPlan) -> Memories {
    if plan.family == Family::Flat {
        GLOBAL | SHARE
    } else {
        GLOBAL
    }
}

/// Access to an element at a constant offset in LDS.
fn share_access(plan: &MemoryPlan, offset: u32) -> Access {
    Access {
        space: Space::Share(plan.elements.mask),
        offset: offset.into(),
        bytes: DWORD * u32::from(plan.elements.dwords),
        dword: 0,
        visit: None,
    }
}
