//! Facts that the checker of waits asks of every instruction, worked out once for each.

use std::sync::Arc;

use gcn_emu::step::{Run, Step};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, RegisterUse, Space};

use crate::outstanding::registers_held;
use crate::registers::Set;

/// Part that an instruction has in waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// It waits.
    Wait(Waitcnt),
    /// A counter counts it.
    Counted(Issued),
    /// None.
    Other,
}

/// Facts of an operation that a counter counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Issued {
    pub(super) counters: Counters,
    /// It may read LDS.
    pub(super) reads_lds: bool,
    /// It may write LDS.
    pub(super) writes_lds: bool,
}

/// Facts of an instruction.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// Registers that it reads or writes.
    pub(super) used: Set,
    /// Registers that it writes.
    pub(super) written: Set,
    pub(super) role: Role,
    /// Registers that it holds, each with the counter that releases it.
    pub(super) held: Arc<[(Counter, RegisterUse)]>,
}

impl Facts {
    fn of(step: &Step) -> Facts {
        let uses = step.inst.uses();
        let (mut used, mut written) = (Set::default(), Set::default());
        for it in uses.registers() {
            used.add(it.registers);
            if it.written != 0 {
                written.add(it.registers);
            }
        }
        let memory = uses.memory();
        let role = match (step.run, uses.counters()) {
            (Run::Wait(until), _) => Role::Wait(until),
            (_, Some(counters)) => Role::Counted(Issued {
                counters,
                reads_lds: memory.is_some_and(|memory| memory.read.has(Space::Lds)),
                writes_lds: memory.is_some_and(|memory| memory.written.has(Space::Lds)),
            }),
            (_, None) => Role::Other,
        };
        Facts {
            used,
            written,
            role,
            held: registers_held(&step.inst).collect(),
        }
    }
}

/// Facts of a kernel's instructions by their number.
#[derive(Default)]
pub(super) struct Cache(Vec<Option<Box<Facts>>>);

impl Cache {
    /// The facts of an instruction.
    #[inline]
    pub(super) fn of(&mut self, step: &Step) -> &Facts {
        if self.0.len() <= step.index {
            self.0.resize_with(step.index + 1, || None);
        }
        self.0[step.index].get_or_insert_with(|| Box::new(Facts::of(step)))
    }
}
