//! Synchronization that a kernel can use besides barriers, and compare-and-swaps: which lanes of one write, and which
//! plain loads feed one.

use gcn_emu::observe::{Access, Context, Dispatched, LaneSpace, MemoryEvent};
use gcn_emu::step::MemoryPlan;
use gcn_emu::wave::LANES;
use gcn_isa::effect::{AtomicOp, Control};
use gcn_isa::uses::{Intent, Space};
use gcn_isa::{Does, Field, Inst, Numbering, Ty};
use hashbrown::HashMap;

use super::access::{DWORD, ShadowedMemory};
use crate::filter::lanes;
use crate::lint::{Ahead, Reached, SwapLoads};

/// Vector memory instructions with GLC set, such as GLC loads and returning atomics: mask and value of the first dword.
const COHERENT: [(u32, u32); 4] = [
    // FLAT, MUBUF, MTBUF, MIMG.
    (0xfc01_0000, 0xdc01_0000),
    (0xfc00_4000, 0xe000_4000),
    (0xfc00_4000, 0xe800_4000),
    (0xfc00_2000, 0xf000_2000),
];

/// True if a dword may begin a memory instruction with GLC set.
fn may_be_coherent(numbering: Numbering, dword: u32) -> bool {
    let is_scalar = match numbering {
        // SMRD has no GLC.
        Numbering::SiCi => false,
        Numbering::Vi9 => dword & 0xfc01_0000 == 0xc001_0000,
    };
    is_scalar || COHERENT.iter().any(|(mask, value)| dword & mask == *value)
}

/// True if a dword may begin a DS instruction with GDS set, such as a GWS instruction.
fn may_be_of_gws(numbering: Numbering, dword: u32) -> bool {
    match numbering {
        Numbering::SiCi => dword & 0xfc02_0000 == 0xd802_0000,
        Numbering::Vi9 => dword & 0xfc01_0000 == 0xd801_0000,
    }
}

/// True for a load with GLC set.
fn is_coherent_load(inst: &Inst) -> bool {
    inst.does().intent() == Some(Intent::Load) && inst.flag(Field::Glc)
}

/// True if an instruction may acquire from a kind of memory: a returning atomic, or a GLC load by a vector instruction.
fn may_acquire_from(inst: &Inst, space: Space) -> bool {
    inst.uses().memory().is_some_and(|it| {
        it.read.has(space) && (inst.returns_old() || is_coherent_load(inst) && !it.scalar)
    })
}

/// Synchronization that a kernel can use besides barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Synchronization {
    /// The code may read from a release by another workgroup.
    pub(super) acquires: bool,
    /// The code may read from a release in LDS.
    pub(super) acquires_lds: bool,
    /// The code may read from a release by any wave, or observe host writes.
    pub(super) orders: bool,
    /// The code may write global memory after waiting for earlier writes, and thereby publish them.
    pub(super) publishes: bool,
    /// The code may contain atomics, which do not race with stores that follow waits.
    pub(super) has_atomics: bool,
    /// The code may contain compare-and-swaps.
    pub(super) has_swaps: bool,
}

impl Synchronization {
    /// Determines the synchronization that a dispatch's code can use. If the reachable instructions are unknown, assumes
    /// everything except acquires from global memory, which require a word that looks like one.
    pub(super) fn of(ahead: &Ahead, dispatched: &Dispatched<'_>) -> Synchronization {
        let (words, numbering) = (dispatched.code.words(), dispatched.code.isa().numbering());
        let may_acquire =
            |word: u32| may_be_coherent(numbering, word) || may_be_of_gws(numbering, word);
        ahead
            .instructions(dispatched, Synchronization::of_all)
            .unwrap_or_else(|| Synchronization {
                acquires: words.iter().any(|&word| may_acquire(word)),
                acquires_lds: true,
                orders: true,
                publishes: true,
                has_atomics: true,
                has_swaps: true,
            })
    }

    fn of_all(instructions: &[Reached]) -> Synchronization {
        let any = |is_one: fn(&Inst) -> bool| instructions.iter().any(|it| is_one(&it.inst));
        let acquires = any(|inst| {
            may_acquire_from(inst, Space::Global) || matches!(inst.does(), Does::Gws(_))
        });
        let acquires_lds = any(|inst| may_acquire_from(inst, Space::Lds));
        let returns = |inst: &Inst| {
            inst.returns_old() || is_coherent_load(inst) || matches!(inst.does(), Does::Cache(_))
        };
        Synchronization {
            acquires,
            acquires_lds,
            orders: acquires || any(returns),
            publishes: may_publish(instructions),
            has_atomics: any(|inst| inst.uses().memory().is_some_and(|it| it.atomic)),
            has_swaps: any(|inst| {
                matches!(
                    inst.does(),
                    Does::Atomic(AtomicOp::CompareSwap, _) | Does::Return(AtomicOp::CompareSwap, _)
                )
            }),
        }
    }

    /// True if the code may acquire from `memory`.
    pub(super) fn acquires_from(self, memory: ShadowedMemory) -> bool {
        match memory {
            ShadowedMemory::Lds => self.acquires_lds,
            ShadowedMemory::Global => self.acquires,
        }
    }

    /// True if the wait counters must be tracked.
    pub(super) fn needs_counters(self) -> bool {
        self.orders || self.has_atomics
    }

    /// True if memory operations may order the host and waves.
    pub(super) fn may_order_host(self) -> bool {
        self.orders || self.publishes
    }
}

/// Role of an instruction in a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ReleaseRole {
    /// A write to global memory.
    Write,
    /// A wait for all vector memory operations.
    Wait,
    /// A branch to this address, which may also fall through.
    Branch(u64),
    /// A jump to an unknown address.
    Jump,
    Nothing,
}

impl ReleaseRole {
    fn of(instruction: &Reached) -> ReleaseRole {
        /// Bits of vmcnt that all generations have. On GCN 1.4, which has two more, multiples of 16 count as 0.
        const VMCNT: u32 = 15;
        let inst = &instruction.inst;
        match (inst.does(), instruction.branch) {
            (Does::Control(Control::Waitcnt), _) if inst.words()[0] & VMCNT == 0 => {
                ReleaseRole::Wait
            }
            (Does::Branch(_), Some(to)) => ReleaseRole::Branch(to),
            (Does::Branch(_) | Does::Fork | Does::Jump, _) => ReleaseRole::Jump,
            _ => {
                let memory = inst.uses().memory();
                match memory.is_some_and(|it| it.written.has(Space::Global)) {
                    true => ReleaseRole::Write,
                    false => ReleaseRole::Nothing,
                }
            }
        }
    }
}

/// Furthest progress towards a release on any path to an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ReleaseProgress {
    Begun,
    HasWritten,
    HasWaited,
}

/// True if a path may write global memory, wait for the write, and write again. `instructions` need not be sorted.
fn may_publish(instructions: &[Reached]) -> bool {
    let parts = instructions.iter().map(|it| (it.pc, ReleaseRole::of(it)));
    let mut parts: Vec<(u64, ReleaseRole)> = parts.collect();
    parts.sort_unstable_by_key(|(pc, _)| *pc);
    let mut at = vec![ReleaseProgress::Begun; parts.len() + 1];
    let mut changes = true;
    while changes {
        changes = false;
        for (number, (_, part)) in parts.iter().enumerate() {
            let before = at[number];
            let behind = match part {
                ReleaseRole::Jump => return true,
                ReleaseRole::Write if before == ReleaseProgress::HasWaited => return true,
                ReleaseRole::Write => ReleaseProgress::HasWritten,
                ReleaseRole::Wait if before == ReleaseProgress::HasWritten => {
                    ReleaseProgress::HasWaited
                }
                ReleaseRole::Wait | ReleaseRole::Nothing | ReleaseRole::Branch(_) => before,
            };
            at[number + 1] = at[number + 1].max(behind);
            if let ReleaseRole::Branch(to) = part
                && let Ok(target) = parts.binary_search_by_key(to, |(pc, _)| *pc)
                && at[target] < behind
            {
                at[target] = behind;
                changes |= target <= number;
            }
        }
    }
    false
}

/// True for an integer compare-and-swap, except a scalar one.
pub(super) fn is_swap(plan: &MemoryPlan) -> bool {
    let is_integer = matches!(
        plan.atomic(),
        Some((AtomicOp::CompareSwap, Ty::B32 | Ty::B64))
    );
    is_integer && !plan.family.is_scalar()
}

/// State of a compare-and-swap between the events before and after its execution.
#[derive(Debug)]
pub(super) struct Swap {
    /// Lanes whose swaps succeed unless another thread interferes.
    pub(super) expected: u64,
    /// Lanes with their comparison values.
    compared: Vec<(usize, u64)>,
}

/// Lanes of a compare-and-swap by result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SwapResult {
    pub(super) succeeded: u64,
    pub(super) failed: u64,
}

impl Swap {
    /// Predicts the result from the memory contents before the access, assuming that lanes execute in order.
    pub(super) fn begin(context: &Context<'_>, event: &MemoryEvent<'_>) -> Swap {
        let access = event.access();
        let mut written: HashMap<(bool, u64), u64> = HashMap::new();
        let mut swap = Swap {
            expected: 0,
            compared: Vec::new(),
        };
        for lane in lanes(access.lanes()) {
            let Some(value) = event.value(lane, 0) else {
                continue;
            };
            let (new, compared) = value.dwords().split_at(value.dwords().len() / 2);
            let (new, compared) = (number(new), number(compared));
            swap.compared.push((lane, compared));
            let is_lds = access.space(lane) == Some(LaneSpace::Lds);
            let at = if is_lds {
                Some(access.address[lane])
            } else {
                access.place(lane, 0)
            };
            let Some(at) = at else {
                continue;
            };
            let place = (is_lds, at);
            let now = match written.get(&place) {
                Some(now) => Some(*now),
                None => read(context, is_lds, at, access.bytes.into()),
            };
            if now == Some(compared) {
                swap.expected |= 1 << lane;
                written.insert(place, new);
            }
        }
        swap
    }

    /// Determines the result from the values that the access has returned.
    pub(super) fn end(&self, event: &MemoryEvent<'_>) -> SwapResult {
        let mut outcome = SwapResult {
            succeeded: 0,
            failed: 0,
        };
        for &(lane, compared) in &self.compared {
            match event.value(lane, 0) {
                Some(old) if number(old.dwords()) != compared => outcome.failed |= 1 << lane,
                _ => outcome.succeeded |= 1 << lane,
            }
        }
        outcome
    }
}

/// Combines up to two dwords into a number.
fn number(dwords: &[u32]) -> u64 {
    let dwords = dwords.iter().take(2).rev();
    dwords.fold(0, |number, dword| number << 32 | u64::from(*dword))
}

/// Reads a number from global memory or LDS.
fn read(context: &Context<'_>, is_lds: bool, at: u64, bytes: usize) -> Option<u64> {
    let mut value = [0; 8];
    let now = value.get_mut(..bytes)?;
    if is_lds {
        let from = usize::try_from(at).ok()?;
        let lds = context.lds.bytes();
        now.copy_from_slice(lds.get(from..from.checked_add(bytes)?)?);
    } else if !context.dispatched.device.memory.read(at, now) {
        return None;
    }
    Some(u64::from_le_bytes(value))
}

/// Last execution of a load by each lane.
#[derive(Debug)]
struct LastLoad {
    /// Address of the instruction.
    pc: u64,
    site: u16,
    bytes: u8,
    is_scalar: bool,
    /// Lanes that loaded from global memory, and from LDS.
    global: u64,
    lds: u64,
    address: Box<[u64; LANES]>,
}

/// Last execution of each load of a wave that feeds a compare-and-swap.
#[derive(Debug, Default)]
pub(super) struct LastSwapLoads(Vec<LastLoad>);

/// A load that counts as plain, since the compare-and-swap that it feeds has another address.
#[derive(Debug)]
pub(super) struct PlainLoad {
    pub(super) site: u16,
    pub(super) is_scalar: bool,
    pub(super) access: Access,
}

/// Returns the memory that a lane accesses, and the address of the first byte.
fn place(access: &Access, lane: usize) -> Option<(ShadowedMemory, u64)> {
    match access.space(lane) {
        Some(LaneSpace::Lds) => Some((ShadowedMemory::Lds, access.address[lane])),
        _ => Some((ShadowedMemory::Global, access.place(lane, 0)?)),
    }
}

impl LastSwapLoads {
    /// Records an execution of a load.
    pub(super) fn add(&mut self, pc: u64, site: u16, access: &Access) {
        let number = self.0.iter().position(|load| load.pc == pc);
        let number = number.unwrap_or_else(|| {
            self.0.push(LastLoad {
                pc,
                site,
                bytes: access.bytes,
                is_scalar: access.scalar,
                global: 0,
                lds: 0,
                address: Box::new([0; LANES]),
            });
            self.0.len() - 1
        });
        let load = &mut self.0[number];
        if access.scalar {
            load.global = u64::MAX;
            load.bytes = access.dwords_in_bounds * DWORD as u8;
            load.address.fill(access.address[0]);
            return;
        }
        for lane in lanes(access.lanes()) {
            let bit = 1 << lane;
            load.global &= !bit;
            load.lds &= !bit;
            match place(access, lane) {
                Some((ShadowedMemory::Global, at)) => {
                    load.global |= bit;
                    load.address[lane] = at;
                }
                Some((ShadowedMemory::Lds, at)) => {
                    load.lds |= bit;
                    load.address[lane] = at;
                }
                None => {}
            }
        }
    }

    /// Returns the loads that feed a compare-and-swap, restricted to lanes that did not load from the swap's address.
    pub(super) fn elsewhere(&self, pc: u64, swap: &Access, of: &SwapLoads) -> Vec<PlainLoad> {
        let mut found = Vec::new();
        for compared in of.compared(pc) {
            let Some(load) = self.0.iter().find(|load| load.pc == compared.load) else {
                continue;
            };
            let is_elsewhere = |lane: &usize| {
                let offset = DWORD * u64::from(compared.dword);
                let from = load.address[*lane].wrapping_add(offset);
                let is_same = |(memory, at)| {
                    let lanes = match memory {
                        ShadowedMemory::Global => load.global,
                        ShadowedMemory::Lds => load.lds,
                    };
                    lanes >> lane & 1 != 0 && at == from
                };
                !place(swap, *lane).is_some_and(is_same)
            };
            let executed = swap.lanes() & (load.global | load.lds);
            let others = lanes(executed).filter(is_elsewhere);
            let others = others.fold(0, |all, lane| all | 1 << lane);
            if others != 0 {
                found.push(load.plain(others));
            }
        }
        found
    }
}

impl LastLoad {
    /// Returns the load, restricted to some lanes.
    fn plain(&self, lanes: u64) -> PlainLoad {
        PlainLoad {
            site: self.site,
            is_scalar: self.is_scalar,
            access: Access {
                bytes: self.bytes,
                global: self.global & lanes,
                lds: self.lds & lanes,
                address: *self.address,
                ..Access::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coherent_instructions_are_told_by_their_first_dword() {
        for numbering in [Numbering::SiCi, Numbering::Vi9] {
            for dword in [0xdc51_0000, 0xdd01_8000, 0xe030_5000, 0xe0c8_4000] {
                assert!(may_be_coherent(numbering, dword), "{dword:x}");
            }
            for dword in [0xe030_1000, 0xe0fc_0000, 0xbf81_0000, 0xdc50_8000] {
                assert!(!may_be_coherent(numbering, dword), "{dword:x}");
            }
        }
        // A scalar load with GLC, or to s[6:7] before GCN 1.2.
        assert!(may_be_coherent(Numbering::Vi9, 0xc043_0100));
        assert!(!may_be_coherent(Numbering::SiCi, 0xc043_0100));
        // `ds_gws_barrier v1 gds`, and `ds_write_b32 v0, v1` since GCN 1.2.
        assert!(may_be_of_gws(Numbering::SiCi, 0xd876_0000));
        assert!(may_be_of_gws(Numbering::Vi9, 0xd93b_0000));
        assert!(!may_be_of_gws(Numbering::Vi9, 0xd81a_0000));
    }
}
