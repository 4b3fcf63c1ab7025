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
        let first = self.add_access(access.dwords(), global_memories(plan), false)?;
        let numbers = first..first + plan.ty.dwords();
        let loaded: Vec<Id> = numbers.map(|it| self.add_load(it, address)).collect();
        self.set_vgprs(Arg::Vgpr(plan.vdst), &loaded)
    }

    fn store_global(&mut self, plan: &MemoryPlan) -> Option<()> {
        let (access, address) = self.global(plan)?;
        let (elements, values) = self.stored_element(plan)?;
        let access = self.add_access(iter::once(access), global_memories(plan), true)?;
        self.add_store(Store {
            access,
            elements,
            address,
            values,
        })
    }

    /// The dwords of an element that is stored, one or two.
    fn stored_element(&mut self, plan: &MemoryPlan) -> Option<(StoredElements, [Id; 2])> {
        let data = Arg::Vgpr(plan.vdata);
        let first = self.dword(data, 0)?;
        match plan.ty.bytes() {
            4 => Some((StoredElements::One, [first; 2])),
            8 => Some((StoredElements::Pair, [first, self.dword(data, 1)?])),
            _ => None,
        }
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
        let first = self.add_access(accesses, SHARE, false)?;
        let numbers = first..first + elements.count * elements.dwords;
        let loaded: Vec<Id> = numbers.map(|it| self.add_load(it, address)).collect();
        self.set_vgprs(Arg::Vgpr(elements.data[0]), &loaded)
    }

    fn store_share(&mut self, plan: &MemoryPlan) -> Option<()> {
        let elements = &plan.elements;
        let address = self.share(plan)?;
        let (stored, values) = match (elements.count, elements.dwords) {
            (2, 1) => {
                let [first, second] = elements.data.map(|data| self.dword(Arg::Vgpr(data), 0));
                (StoredElements::Two, [first?, second?])
            }
            (1, 2) => {
                let data = Arg::Vgpr(elements.data[0]);
                let values = [self.dword(data, 0)?, self.dword(data, 1)?];
                (StoredElements::Pair, values)
            }
            (1, 1) if u32::from(plan.ty.bytes()) == DWORD => {
                let value = self.dword(Arg::Vgpr(elements.data[0]), 0)?;
                (StoredElements::One, [value; 2])
            }
            _ => return None,
        };
        let offsets = elements.offsets.get(..elements.count.into())?.iter();
        let accesses = offsets.map(|offset| share_access(plan, *offset));
        let access = self.add_access(accesses, SHARE, true)?;
        self.add_store(Store {
            access,
            elements: stored,
            address,
            values,
        })
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

    fn add_access(
        &mut self,
        accesses: impl Iterator<Item = Access>,
        memories: Memories,
        is_store: bool,
    ) -> Option<u8> {
        self.state.accesses.add(accesses, memories, is_store)
    }

    fn add_load(&mut self, number: u8, [low, high]: [Id; 2]) -> Id {
        let value = self.recorder.add(Op::Load(number, low, high));
        self.state.accesses.loads.push(value);
        value
    }

    fn add_store(&mut self, store: Store) -> Option<()> {
        self.state.accesses.stores.push(store);
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
