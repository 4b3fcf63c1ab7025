//! Synchronization used by a kernel besides barriers.

use gcn_emu::observe::Dispatched;
use gcn_isa::effect::{AtomicOp, Control};
use gcn_isa::uses::Space;
use gcn_isa::{Does, Inst};

use crate::lint::{Ahead, Reached};

/// Encodings of memory instructions with GLC, including coherent loads and returning atomics: mask and value of the
/// first dword.
const COHERENT: [(u32, u32); 5] = [
    // FLAT, MUBUF, MTBUF, MIMG, and SMEM from GCN 1.2 on.
    (0xfc01_0000, 0xdc01_0000),
    (0xfc00_4000, 0xe000_4000),
    (0xfc00_4000, 0xe800_4000),
    (0xfc00_2000, 0xf000_2000),
    (0xfc01_0000, 0xc001_0000),
];

/// True if a first dword encodes an instruction with GLC.
fn is_coherent(dword: u32) -> bool {
    COHERENT.iter().any(|(mask, value)| dword & mask == *value)
}

/// True if a first dword may encode DS with GDS, which includes GWS.
fn may_be_of_gws(dword: u32) -> bool {
    // From GCN 1.2 on, and before.
    dword & 0xfc01_0000 == 0xd801_0000 || dword & 0xfc02_0000 == 0xd802_0000
}

/// Synchronization used by a kernel besides barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Synchronization {
    /// The code may read from another workgroup's release.
    pub(super) acquires: bool,
    /// The code may read from any wave's release, or see the host's writes.
    pub(super) orders: bool,
    /// The code may write global memory after waiting for earlier stores, which readers may rely on.
    pub(super) publishes: bool,
    /// The code may contain atomics, so stores after waits are significant.
    pub(super) has_atomics: bool,
    /// The code may contain compare-and-swaps.
    pub(super) has_swaps: bool,
}

impl Synchronization {
    /// Synchronization used by a dispatch's code. If the reachable instructions are unknown, any word that looks like
    /// one counts.
    pub(super) fn of(ahead: &Ahead, dispatched: &Dispatched<'_>) -> Synchronization {
        let words = dispatched.code.words();
        ahead
            .instructions(dispatched, Synchronization::of_all)
            .unwrap_or_else(|| Synchronization {
                acquires: words.iter().any(|&it| is_coherent(it) || may_be_of_gws(it)),
                orders: true,
                publishes: true,
                has_atomics: true,
                has_swaps: true,
            })
    }

    /// Synchronization used by a list of instructions.
    fn of_all(instructions: &[Reached]) -> Synchronization {
        let any = |is_one: fn(&Inst) -> bool| instructions.iter().any(|it| is_one(&it.inst));
        let acquires =
            any(|inst| is_coherent(inst.words()[0]) || matches!(inst.does(), Does::Gws(_)));
        let returns = |inst: &Inst| inst.returns_old() || matches!(inst.does(), Does::Cache(_));
        Synchronization {
            acquires,
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

    /// True if the wait counters must be tracked.
    pub(super) fn needs_counters(self) -> bool {
        self.orders || self.has_atomics
    }

    /// True if memory may order the host and waves.
    pub(super) fn may_order_host(self) -> bool {
        self.orders || self.publishes
    }
}

/// Role of an instruction in a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ReleaseRole {
    /// A write of global memory.
    Write,
    /// A wait for all vector memory operations.
    Wait,
    /// A branch to an address, or to the next instruction.
    Branch(u64),
    /// A jump to any address.
    Jump,
    Nothing,
}

impl ReleaseRole {
    fn of(instruction: &Reached) -> ReleaseRole {
        /// Bits of vmcnt present on all generations. GCN 1.4 has two more, so multiples of 16 count as 0 there.
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

/// Progress towards a release on some path to an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ReleaseProgress {
    Begun,
    HasWritten,
    HasWaited,
}

/// True if some path writes global memory, waits for the write, and writes again. Instructions are in any order.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coherent_instructions_are_told_by_their_first_dword() {
        for dword in [0xdc51_0000, 0xdd01_8000, 0xe030_5000, 0xe0c8_4000] {
            assert!(is_coherent(dword), "{dword:x}");
        }
        for dword in [0xe030_1000, 0xe0fc_0000, 0xbf81_0000, 0xdc50_8000] {
            assert!(!is_coherent(dword), "{dword:x}");
        }
    }
}
