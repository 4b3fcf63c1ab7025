//! Per-instruction facts for the wait checker.

use gcn_emu::step::{Executor, Step};
use gcn_isa::Inst;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, RegisterSet, RegisterUse, Space};

use gcn_emu::outstanding::registers_held;

/// Role of an instruction for the wait counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WaitRole {
    /// Waits for counters.
    Wait(Waitcnt),
    /// Increments counters at issue.
    Counted(Counters),
    /// Does neither.
    Other,
}

/// LDS accesses that an instruction may make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LdsUse {
    pub(super) reads: bool,
    pub(super) writes: bool,
}

impl LdsUse {
    pub(super) fn is_any(self) -> bool {
        self.reads || self.writes
    }
}

/// Facts about an instruction.
#[derive(Clone, Debug)]
pub(super) struct WaitFacts {
    pub(super) inst: Inst,
    /// Registers that the instruction reads or writes.
    pub(super) used: RegisterSet,
    /// Registers that the instruction writes.
    pub(super) written: RegisterSet,
    pub(super) role: WaitRole,
    pub(super) lds: LdsUse,
    /// Register uses that the instruction holds after issue, each with the counter that releases it.
    pub(super) held: Box<[(Counter, RegisterUse)]>,
    /// Held registers that the instruction has yet to write, and that it has yet to read.
    pub(super) will_write: RegisterSet,
    pub(super) will_read: RegisterSet,
}

impl WaitFacts {
    pub(super) fn of(step: &Step) -> WaitFacts {
        let uses = step.inst.uses();
        let mut written = RegisterSet::default();
        let writes = uses.registers().filter(|it| it.written != 0);
        writes.for_each(|it| written.add(it.registers));
        let memory = uses.memory();
        let role = match (step.run, uses.counters()) {
            (Executor::Wait(until), _) => WaitRole::Wait(until),
            (_, Some(counters)) => WaitRole::Counted(counters),
            (_, None) => WaitRole::Other,
        };
        let lds = LdsUse {
            reads: memory.is_some_and(|memory| memory.read.has(Space::Lds)),
            writes: memory.is_some_and(|memory| memory.written.has(Space::Lds)),
        };
        let held: Box<[(Counter, RegisterUse)]> = registers_held(&step.inst).collect();
        let (mut will_write, mut will_read) = (RegisterSet::default(), RegisterSet::default());
        for (_, it) in &held {
            let set = if it.written != 0 {
                &mut will_write
            } else {
                &mut will_read
            };
            set.add(it.registers);
        }
        WaitFacts {
            inst: step.inst,
            used: uses.register_set(),
            written,
            role,
            lds,
            held,
            will_write,
            will_read,
        }
    }
}
