//! Code by address, with the facts of its instructions worked out once.

use std::collections::HashMap;

use gcn_isa::effect::{Condition, Control, Does};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, RegisterSet, RegisterUse, Space};
use gcn_isa::{Inst, Isa, Operand, OperandAccess};

use crate::wait_states::HazardPart;
use gcn_emu::outstanding::registers_held;

/// The place at which execution goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// The next instruction.
    Following,
    /// Nowhere.
    End,
    /// An address; or the next instruction, if the branch may not be taken.
    Branch { to: u64, may_follow: bool },
    /// A function, which finds the address of the next instruction in a pair of scalar registers and returns there.
    Call { to: u64, link: u8 },
    /// An address in a pair of scalar registers; a call if there are others for the address of the next instruction.
    Jump { first: u8, link: Option<u8> },
}

/// An instruction.
pub(super) struct LintStep {
    pub(super) pc: u64,
    pub(super) inst: Inst,
    pub(super) next: Next,
    /// Uses of registers, and the counters that say when each is over.
    pub(super) uses: Vec<(RegisterUse, &'static [Counter])>,
    /// Registers that it reads or writes.
    pub(super) used: RegisterSet,
    /// The counters that it waits for.
    pub(super) wait: Option<Waitcnt>,
    pub(super) counters: Option<Counters>,
    /// Registers that it holds, with the counter that releases them.
    pub(super) holds: Vec<(Counter, RegisterUse)>,
    /// The instruction may read or write LDS.
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

    /// The address of the next instruction.
    pub(super) fn following(&self) -> u64 {
        self.pc + self.inst.dwords() as u64 * DWORD
    }
}

/// Bytes of a word.
const DWORD: u64 = 4;

/// The counters that an instruction waits for.
fn wait(inst: &Inst) -> Option<Waitcnt> {
    if inst.does() != Does::Control(Control::Waitcnt) {
        return None;
    }
    let slot = inst.row().slots().next()?;
    Some(Waitcnt::unpack(inst.isa, inst.get(slot.field) as u16))
}

/// The place at which execution goes on after an instruction, which is a branch by this number of dwords.
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
        // A part of the wave goes either way.
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

/// The first of the registers that a call sets to the address of the next instruction.
fn link(inst: &Inst) -> Option<u8> {
    scalar(inst, OperandAccess::Write)
}

/// The first of the scalar registers that an instruction reads, or writes.
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

/// The memory that the lanes of FLAT instructions go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flat {
    /// Vector memory, or LDS. So compilers have it before GCN 1.4, where FLAT is the only way to global memory: code that knows where
    /// an address leads waits for one counter.
    Either,
    /// Vector memory.
    Vector,
    /// Both.
    Both,
}

/// Words of code by address: that at it and the one behind, which may be none of the code's; `None` where there is no code.
pub(super) type CodeWords<'a> = Box<dyn Fn(u64) -> Option<(u32, Option<u32>)> + 'a>;

/// Code by address.
pub(super) struct LintProgram<'a> {
    pub(super) isa: Isa,
    pub(super) flat: Flat,
    /// Accesses of LDS count, too.
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

    /// The instructions that have been looked at.
    pub(super) fn steps(&self) -> &[LintStep] {
        &self.steps
    }

    /// The number of the instruction at an address; `None` where there is none.
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

    /// An instruction by its number.
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
