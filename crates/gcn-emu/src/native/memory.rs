//! Lowering of loads and stores in global memory and LDS.

use std::iter;

use gcn_isa::effect::{Half, Shift};
use gcn_isa::{Does, Isa, Ty, regs};

use super::access::{
    Access, BufferAccess, GLOBAL, Memories, SHARE, ScalarSource, Space, Store, StoredElements, pair,
};
use super::graph::{Binary, Id, Op};
use super::lower::Builder;
use crate::step::{Arg, Family, FastPath, MemoryPlan, Step};
use crate::wave::Strides;

/// Maximum number of dwords of an element.
const MAX_DWORDS: u8 = 4;

impl Builder {
    pub(super) fn access(&mut self, step: &Step) -> Option<()> {
        let plan = step.memory.as_deref()?;
        // A coherent load needs a fence.
        if plan.loads_coherently {
            return None;
        }
        // If the interpreter has to execute a FLAT or LDS access, it reads these registers.
        self.note_read(1 << regs::M0);
        if let Some(first) = regs::flat_scratch(self.isa) {
            self.note_read(pair(first));
        }
        match (plan.fast_path, plan.does) {
            (FastPath::Load, _) => self.load_global(plan),
            (FastPath::Store, _) => self.store_global(plan),
            (FastPath::LoadShare | FastPath::LoadSharePart, _) => self.load_share(plan),
            (FastPath::StoreShare, _) => self.store_share(plan),
            (FastPath::LoadBuffer, _) => {
                let (access, address) = self.buffer(plan)?;
                self.load(access.dwords(), GLOBAL, address, plan)
            }
            (FastPath::StoreBuffer, _) => {
                let (access, address) = self.buffer(plan)?;
                self.store_element(access, GLOBAL, address, plan)
            }
            _ => None,
        }
    }

    fn load_global(&mut self, plan: &MemoryPlan) -> Option<()> {
        let (mut access, address) = self.global(plan)?;
        if !access.is_part() {
            access.visit = Some(Strides::entry(plan.number));
        }
        self.load(access.dwords(), global_memories(plan), address, plan)
    }

    fn store_global(&mut self, plan: &MemoryPlan) -> Option<()> {
        let (access, address) = self.global(plan)?;
        self.store_element(access, global_memories(plan), address, plan)
    }

    fn store_element(
        &mut self,
        access: Access,
        memories: Memories,
        address: [Id; 2],
        plan: &MemoryPlan,
    ) -> Option<()> {
        let values = self.stored(plan, plan.vdata, plan.ty.dwords())?;
        let elements = StoredElements {
            count: 1,
            bytes: access.bytes,
        };
        let accesses = iter::once(access);
        self.store(accesses, memories, address, (elements, values))
    }

    /// Access to an element in a buffer without indices, and the offsets of the lanes.
    fn buffer(&mut self, plan: &MemoryPlan) -> Option<(Access, [Id; 2])> {
        // GCN 1.0 ignores bits of unaligned addresses (errata E104).
        let is_plain = plan.ty.dwords() <= MAX_DWORDS && !plan.idxen && !plan.addr64;
        if !is_plain || self.isa == Isa::Si || plan.sbase + 3 >= regs::EXEC_LO {
            return None;
        }
        // The descriptor is read at the start of the part, so the part must not have written it.
        for n in 0..4 {
            self.dword(Arg::Scalar(plan.sbase), n)?;
        }
        let soffset = ScalarSource::new(plan.soffset)?;
        if let ScalarSource::Register(register) = soffset {
            self.dword(plan.soffset, 0)?;
            if register >= regs::EXEC_LO {
                return None;
            }
        }
        let mut access = Access {
            space: Space::Buffer(BufferAccess {
                descriptor: plan.sbase,
                soffset,
                has_offsets: plan.offen,
            }),
            offset: plan.offset,
            bytes: plan.ty.bytes().into(),
            dword: 0,
            visit: None,
        };
        let low = if plan.offen {
            self.dword(Arg::Vgpr(plan.vaddr?), 0)?
        } else if access.is_part() {
            return None;
        } else {
            self.recorder.constant(0)
        };
        let is_load = matches!(plan.fast_path, FastPath::LoadBuffer);
        if is_load && plan.offen && !access.is_part() {
            access.visit = Some(Strides::entry(plan.number));
        }
        Some((access, [low; 2]))
    }

    /// Access to an element in global memory, and its addresses.
    fn global(&mut self, plan: &MemoryPlan) -> Option<(Access, [Id; 2])> {
        if plan.ty.dwords() > MAX_DWORDS {
            return None;
        }
        let first = Arg::Vgpr(plan.vaddr?);
        let low = self.dword(first, 0)?;
        let (space, high) = match plan.saddr {
            Some(base) => {
                // The base is read at the start of the part, so the part must not have written it.
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
            bytes: plan.ty.bytes().into(),
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
        self.load(accesses, SHARE, address, plan)
    }

    fn store_share(&mut self, plan: &MemoryPlan) -> Option<()> {
        let elements = &plan.elements;
        let address = self.share(plan)?;
        let count = usize::from(elements.count);
        let mut values = self.stored(plan, plan.vdata, elements.dwords)?;
        if count > 1 {
            values.extend(self.stored(plan, plan.vdata1, elements.dwords)?);
        }
        if values.len() > MAX_DWORDS.into() {
            return None;
        }
        let offsets = elements.offsets.get(..count)?.iter();
        let accesses: Vec<Access> = offsets.map(|offset| share_access(plan, *offset)).collect();
        let bytes = accesses.first()?.bytes;
        let stored = (StoredElements { count, bytes }, values);
        self.store(accesses.into_iter(), SHARE, address, stored)
    }

    /// Dwords to store, from the registers starting at `first`.
    fn stored(&self, plan: &MemoryPlan, first: u8, dwords: u8) -> Option<Vec<Id>> {
        let shift = match plan.does {
            Does::StoreHigh(_) => u16::BITS as u8,
            _ => 0,
        };
        let value = |n| {
            let dword = self.dword(Arg::Vgpr(first), n)?;
            Some(self.recorder.add(Op::ShiftBy(Shift::Right, dword, shift)))
        };
        (0..dwords).map(value).collect()
    }

    /// LDS addresses of an instruction.
    fn share(&mut self, plan: &MemoryPlan) -> Option<[Id; 2]> {
        // GCN 1.0 may check bases (errata E039).
        if self.isa == Isa::Si || plan.family != Family::Share || plan.elements.dwords > MAX_DWORDS
        {
            return None;
        }
        if self.isa < Isa::Gfx9 {
            // The limit is checked at the start of the part, so the part must not have written M0.
            self.dword(Arg::Scalar(regs::M0), 0)?;
        }
        Some([self.dword(Arg::Vgpr(plan.vaddr?), 0)?; 2])
    }

    /// Records the loads and assigns their results to the destination registers.
    fn load(
        &mut self,
        accesses: impl Iterator<Item = Access>,
        memories: Memories,
        [low, high]: [Id; 2],
        plan: &MemoryPlan,
    ) -> Option<()> {
        let numbers = self.state.accesses.add(accesses, memories, false)?;
        let load = |number| self.recorder.add(Op::Load(number, low, high));
        let mut loaded: Vec<Id> = numbers.map(load).collect();
        self.state.accesses.loads.extend(&loaded);
        if let [part] = &mut *loaded {
            *part = self.extended(*part, plan)?;
        }
        self.set_vgprs(Arg::Vgpr(plan.vdst), &loaded)
    }

    /// Extends a loaded element to a dword: sign-extends it, or merges it into half of the destination.
    fn extended(&self, loaded: Id, plan: &MemoryPlan) -> Option<Id> {
        let r = &self.recorder;
        let shift = |by, id, count| r.add(Op::ShiftBy(by, id, count));
        let unused = (u32::BITS as u8).saturating_sub(8 * plan.ty.bytes());
        let loaded = match plan.ty {
            Ty::I8 | Ty::I16 => shift(
                Shift::Arithmetic,
                shift(Shift::Left, loaded, unused),
                unused,
            ),
            _ => loaded,
        };
        let Does::LoadHalf(_, half) = plan.does else {
            return Some(loaded);
        };
        let low_half = r.constant(u16::MAX.into());
        let old = if plan.keeps_half {
            self.dword(Arg::Vgpr(plan.vdst), 0)?
        } else {
            r.constant(0)
        };
        let (new, old) = match half {
            Half::Low => (
                r.binary(Binary::And, loaded, low_half),
                r.binary(Binary::AndNot, low_half, old),
            ),
            Half::High => (
                shift(Shift::Left, loaded, u16::BITS as u8),
                r.binary(Binary::And, old, low_half),
            ),
        };
        Some(r.binary(Binary::Or, new, old))
    }

    fn store(
        &mut self,
        accesses: impl Iterator<Item = Access>,
        memories: Memories,
        address: [Id; 2],
        (elements, values): (StoredElements, Vec<Id>),
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

/// Address spaces that a FLAT or GLOBAL instruction may access.
fn global_memories(plan: &MemoryPlan) -> Memories {
    if plan.family == Family::Flat {
        GLOBAL | SHARE
    } else {
        GLOBAL
    }
}

/// Access to an element at a constant offset in LDS.
fn share_access(plan: &MemoryPlan, offset: u32) -> Access {
    let bytes = match plan.elements.dwords {
        1 => plan.ty.bytes().into(),
        dwords => 4 * u32::from(dwords),
    };
    Access {
        space: Space::Share(plan.elements.mask),
        offset: offset.into(),
        bytes,
        dword: 0,
        visit: None,
    }
}
