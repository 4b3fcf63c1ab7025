//! Ways of a kernel's code to put waves in order, but for barriers.

use gcn_emu::observe::Dispatched;
use gcn_isa::effect::{AtomicOp, Control};
use gcn_isa::uses::Space;
use gcn_isa::{Does, Inst};

use crate::lint::{Ahead, Reached};

/// Memory instructions with GLC, loads and returning atomics among them, as the first dword of each encoding: the bits that count,
/// and their value.
const COHERENT: [(u32, u32); 5] = [
    // FLAT, MUBUF, MTBUF, MIMG, and SMEM from GCN 1.2 on.
    (0xfc01_0000, 0xdc01_0000),
    (0xfc00_4000, 0xe000_4000),
    (0xfc00_4000, 0xe800_4000),
    (0xfc00_2000, 0xf000_2000),
    (0xfc01_0000, 0xc001_0000),
];

/// True if an instruction's first dword is that of one with GLC.
fn is_coherent(dword: u32) -> bool {
    COHERENT.iter().any(|(mask, value)| dword & mask == *value)
}

/// True if an instruction's first dword may be that of DS with GDS, to which GWS belongs.
fn may_be_of_gws(dword: u32) -> bool {
    // From GCN 1.2 on, and before.
    dword & 0xfc01_0000 == 0xd801_0000 || dword & 0xfc02_0000 == 0xd802_0000
}

/// Ways of a kernel's code to put waves in order, but for barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Means {
    /// The code may read what another workgroup releases: else no wave relies on one.
    pub(super) acquires: bool,
    /// The code may read what any wave releases, or see the host's writes.
    pub(super) orders: bool,
    /// The code may write global memory behind waits for what it has stored there: others that read it may rely on the latter.
    pub(super) publishes: bool,
    /// The code may have atomics: then it counts whether a store comes behind waits.
    pub(super) has_atomics: bool,
    /// The code may compare and swap.
    pub(super) has_swaps: bool,
}

impl Means {
    /// Means of a dispatch's code. Where it is not known which instructions may be executed, a word that looks like one counts.
    pub(super) fn of(ahead: &Ahead, dispatched: &Dispatched<'_>) -> Means {
        let words = dispatched.code.words();
        ahead
            .instructions(dispatched, Means::of_all)
            .unwrap_or_else(|| Means {
                acquires: words.iter().any(|&it| is_coherent(it) || may_be_of_gws(it)),
                orders: true,
                publishes: true,
                has_atomics: true,
                has_swaps: true,
            })
    }

    /// Means of some instructions.
    fn of_all(instructions: &[Reached]) -> Means {
        let any = |is_one: fn(&Inst) -> bool| instructions.iter().any(|it| is_one(&it.inst));
        let acquires =
            any(|inst| is_coherent(inst.words()[0]) || matches!(inst.does(), Does::Gws(_)));
        let returns = |inst: &Inst| inst.returns_old() || matches!(inst.does(), Does::Cache(_));
        Means {
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

    /// True if the wait counters count.
    pub(super) fn needs_counters(self) -> bool {
        self.orders || self.has_atomics
    }

    /// True if the host may learn from memory what a wave has done, or a wave what the host has.
    pub(super) fn may_order_host(self) -> bool {
        self.orders || self.publishes
    }
}

/// Part of an instruction in a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// A write of global memory.
    Write,
    /// A wait for all vector memory operations.
    Wait,
    /// A branch, at which execution may go on at the address that it names or at the next instruction.
    Branch(u64),
    /// A jump, from which execution may go on anywhere.
    Jump,
    Nothing,
}

impl Part {
    fn of(instruction: &Reached) -> Part {
        /// The bits of vmcnt that all generations have. GCN 1.4 has two more: there multiples of 16 count as 0, too.
        const VMCNT: u32 = 15;
        let inst = &instruction.inst;
        match (inst.does(), instruction.branch) {
            (Does::Control(Control::Waitcnt), _) if inst.words()[0] & VMCNT == 0 => Part::Wait,
            (Does::Branch(_), Some(to)) => Part::Branch(to),
            (Does::Branch(_) | Does::Fork | Does::Jump, _) => Part::Jump,
            _ => {
                let memory = inst.uses().memory();
                match memory.is_some_and(|it| it.written.has(Space::Global)) {
                    true => Part::Write,
                    false => Part::Nothing,
                }
            }
        }
    }
}

/// Steps of a release that some path to an instruction may have behind it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ReleaseProgress {
    Begun,
    HasWritten,
    HasWaited,
}

/// True if some path of the code writes global memory, waits for that, and writes again. Instructions are in any order.
fn may_publish(instructions: &[Reached]) -> bool {
    let parts = instructions.iter().map(|it| (it.pc, Part::of(it)));
    let mut parts: Vec<(u64, Part)> = parts.collect();
    parts.sort_unstable_by_key(|(pc, _)| *pc);
    let mut at = vec![ReleaseProgress::Begun; parts.len() + 1];
    let mut changes = true;
    while changes {
        changes = false;
        for (number, (_, part)) in parts.iter().enumerate() {
            let before = at[number];
            let behind = match part {
                Part::Jump => return true,
                Part::Write if before == ReleaseProgress::HasWaited => return true,
                Part::Write => ReleaseProgress::HasWritten,
                Part::Wait if before == ReleaseProgress::HasWritten => ReleaseProgress::HasWaited,
                Part::Wait | Part::Nothing | Part::Branch(_) => before,
            };
            at[number + 1] = at[number + 1].max(behind);
            if let Part::Branch(to) = part
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
