//! Decoded code, with facts that are computed once per instruction.

use std::collections::HashMap;

use gcn_isa::effect::{Condition, Control, Does};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, RegisterSet, RegisterUse, Space};
use gcn_isa::{Inst, Isa, Operand, OperandAccess};

use crate::wait_states::HazardPart;
use gcn_emu::outstanding::registers_held;

/// Successor of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// The next instruction.
    Following,
    /// No successor.
    End,
    /// A branch target, and the next instruction if the branch may fall through.
    Branch { to: u64, may_follow: bool },
    /// A function that returns to the next instruction, whose address the call writes to a pair of scalar registers.
    Call { to: u64, link: u8 },
    /// An address in a pair of scalar registers; a call if another pair receives the address of the next instruction.
    Jump { first: u8, link: Option<u8> },
}

/// A decoded instruction.
pub(super) struct LintStep {
    pub(super) pc: u64,
    pub(super) inst: Inst,
    pub(super) next: Next,
    /// Register uses, and the counters that indicate the end of each.
    pub(super) uses: Vec<(RegisterUse, &'static [Counter])>,
    /// Registers that are read or written.
    pub(super) used: RegisterSet,
    /// Counter values that the instruction waits for.
    pub(super) wait: Option<Waitcnt>,
    pub(super) counters: Option<Counters>,
    /// Registers that are held, each with the counter that releases it.
    pub(super) holds: Vec<(Counter, RegisterUse)>,
    /// True if the instruction may read or write LDS.
    pub(super) accesses_lds: bool,
    pub(super) part: HazardPart,
}

impl LintStep {
    fn new(pc: u64, inst: Inst, branch: Option<i64>) -> LintStep {
        let uses = inst.uses();
        let all: Vec<(RegisterUse, &'static [Counter])> = uses
            .registers()
            .map(|it| (it, uses.released_by(&it)))
            .collect();
        LintStep {
            pc,
            next: next(pc, &inst, branch),
            uses: all,
            used: uses.register_set(),
            wait: wait(&inst),
            counters: uses.counters(),
            holds: registers_held(&inst).collect(),
            accesses_lds: uses
                .memory()
                .is_some_and(|it| it.read.has(Space::Lds) || it.written.has(Space::Lds)),
            part: HazardPart::of(&inst),
            inst,
        }
    }

    /// Address of the next instruction.
    pub(super) fn following(&self) -> u64 {
        self.pc + self.inst.dwords() as u64 * DWORD
    }
}

const DWORD: u64 = 4;

fn wait(inst: &Inst) -> Option<Waitcnt> {
    if inst.does() != Does::Control(Control::Waitcnt) {
        return None;
    }
    let slot = inst.row().slots().next()?;
    Some(Waitcnt::unpack(inst.isa, inst.get(slot.field) as u16))
}

/// Returns the successor of an instruction. `branch` is its branch offset in dwords, if it has one.
fn next(pc: u64, inst: &Inst, branch: Option<i64>) -> Next {
    let following = pc + inst.dwords() as u64 * DWORD;
    let to = branch.map(|dwords| following.wrapping_add_signed(dwords * DWORD as i64));
    match (inst.does(), to) {
        (Does::Branch(_), Some(to)) if inst.uses().calls() => match link(inst) {
            Some(link) => Next::Call { to, link },
            None => Next::End,
        },
        (Does::Branch(condition), Some(to)) => Next::Branch {
            to,
            may_follow: condition != Condition::Always,
        },
        // Some lanes branch, the others fall through.
        (Does::Fork, Some(to)) => Next::Branch {
            to,
            may_follow: true,
        },
        (Does::Jump, _) => jump(inst),
        (Does::ReturnFromTrap | Does::Control(Control::End), _) => Next::End,
        _ => Next::Following,
    }
}

fn jump(inst: &Inst) -> Next {
    match scalar(inst, OperandAccess::Read) {
        Some(first) => Next::Jump {
            first,
            link: link(inst),
        },
        None => Next::End,
    }
}

/// Returns the first register of the pair in which a call stores the return address.
fn link(inst: &Inst) -> Option<u8> {
    scalar(inst, OperandAccess::Write)
}

/// Returns the first register of an instruction's first operand with the given access, if it is scalar.
fn scalar(inst: &Inst, access: OperandAccess) -> Option<u8> {
    let mut slots = inst.row().slots();
    match inst.operand(slots.find(|slot| slot.access == access)?) {
        Operand::Scalar { code, .. } => Some(code),
        Operand::Vgprs { .. }
        | Operand::Literal(_)
        | Operand::Off
        | Operand::Imm(_)
        | Operand::ScalarOffset { .. } => None,
    }
}

/// Memory that FLAT instructions are assumed to access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flat {
    /// Either vector memory or LDS. Before GCN 1.4, compilers access global memory with FLAT instructions, and wait for only
    /// one counter if they know the address space.
    Either,
    /// Vector memory.
    Vector,
    /// Both vector memory and LDS.
    Both,
}

/// Code words by address: the word at the address, and the next word, if any. `None` if there is no code at the address.
pub(super) type CodeWords<'a> = Box<dyn Fn(u64) -> Option<(u32, Option<u32>)> + 'a>;

/// Decoded code by address.
pub(super) struct LintProgram<'a> {
    pub(super) isa: Isa,
    pub(super) flat: Flat,
    /// True if incomplete LDS accesses are also reported.
    pub(super) is_strict: bool,
    words: CodeWords<'a>,
    steps: Vec<LintStep>,
    by_address: HashMap<u64, Option<u32>>,
}

impl<'a> LintProgram<'a> {
    pub(super) fn new(
        isa: Isa,
        flat: Flat,
        is_strict: bool,
        words: CodeWords<'a>,
    ) -> LintProgram<'a> {
        LintProgram {
            isa,
            flat,
            is_strict,
            words,
            steps: Vec::new(),
            by_address: HashMap::new(),
        }
    }

    /// Instructions that have been visited.
    pub(super) fn steps(&self) -> &[LintStep] {
        &self.steps
    }

    /// Returns the number of the instruction at an address; `None` if there is no instruction.
    pub(super) fn find(&mut self, pc: u64) -> Option<u32> {
        if let Some(&known) = self.by_address.get(&pc) {
            return known;
        }
        let found = self.decode(pc).map(|step| {
            self.steps.push(step);
            self.steps.len() as u32 - 1
        });
        self.by_address.insert(pc, found);
        found
    }

    /// Returns an instruction by number.
    pub(super) fn step(&self, number: u32) -> &LintStep {
        &self.steps[number as usize]
    }

    fn decode(&self, pc: u64) -> Option<LintStep> {
        let (first, second) = (self.words)(pc)?;
        let words = [first, second.unwrap_or_default()];
        let words = &words[..1 + usize::from(second.is_some())];
        let (inst, skimmed) = self.isa.decoder().decode(words).ok()?;
        Some(LintStep::new(pc, inst, skimmed.branch))
    }
}
