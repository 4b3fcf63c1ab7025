//! Operations that may be outstanding on some way to an instruction, and the registers that they hold.

use gcn_isa::Isa;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order, RegisterSet, RegisterUse};

use crate::conflict::{Conflict, conflicts, detail};
use crate::finding::{Findings, Key, Place};
use gcn_emu::outstanding::{Held, Outstanding};

use super::program::{Program, Step};

/// Registers that an operation holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hold {
    /// The operation's instruction.
    step: u32,
    its: RegisterUse,
}

/// Operations that may be outstanding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Waits {
    outstanding: Outstanding<Hold>,
    /// Registers that are held.
    held: RegisterSet,
}

/// True where the compilers take FLAT for what it cannot be told from: before GCN 1.4 it is the only way to global memory, and code
/// that knows where an address leads waits for one counter, as if it were vector memory or LDS.
fn is_either(isa: Isa, counters: &Counters) -> bool {
    isa < Isa::Gfx9 && counters.order == Order::Flat
}

impl Waits {
    /// Joins what may be outstanding on another way. Returns true if that is more than before.
    pub(super) fn join(&mut self, other: &Waits) -> bool {
        let grown = self.outstanding.join(&other.outstanding);
        if grown {
            self.changed();
        }
        grown
    }

    fn changed(&mut self) {
        self.held = RegisterSet::default();
        for it in self.outstanding.held() {
            self.held.add(it.what.its.registers);
        }
    }

    /// An instruction is executed; its conflicts are reported where somebody listens.
    pub(super) fn step(&mut self, program: &Program<'_>, number: u32, to: Option<&Findings>) {
        let step = program.step(number);
        if step.used.meets(&self.held) {
            self.release(program, step, to);
        }
        if let Some(until) = step.wait {
            self.outstanding.wait(until);
            self.changed();
        }
        if let Some(counters) = &step.counters {
            self.issue(program.isa, step, number, counters);
        }
    }

    fn issue(&mut self, isa: Isa, step: &Step, number: u32, counters: &Counters) {
        let hold = |its| Hold { step: number, its };
        // The same operation of an earlier time around a loop completes before, or at any time: this one decides.
        let is_new = |it: &Held<Hold>| it.what.step != number;
        self.outstanding.retain(is_new);
        let max = Waitcnt::max(isa);
        if is_either(isa, counters) {
            let parts = [
                (Counter::Vm, 1, 0, Order::VectorMemory),
                (Counter::Lgkm, 0, 1, Order::Flat),
            ];
            for (counter, vm, lgkm, order) in parts {
                let counters = Counters {
                    vm,
                    lgkm,
                    exp: 0,
                    order,
                };
                let held = step.holds.iter().filter(|(by, _)| *by == counter);
                let held = held.map(|&(by, its)| (by, hold(its)));
                self.outstanding.issue(&counters, max, held);
            }
        } else {
            let held = step.holds.iter().map(|&(by, its)| (by, hold(its)));
            self.outstanding.issue(counters, max, held);
        }
        self.changed();
    }

    /// The first conflict with each operation.
    fn conflicts(&self, program: &Program<'_>, step: &Step) -> Vec<(RegisterUse, Held<Hold>)> {
        let mut found: Vec<(RegisterUse, Held<Hold>)> = Vec::new();
        for &(its, released) in &step.uses {
            for held in self.outstanding.held() {
                let meets = conflicts(
                    &its,
                    (step.counters, released),
                    &held.what.its,
                    (held.counter, held.order),
                );
                let is_new = || found.iter().all(|(_, it)| it.what.step != held.what.step);
                if meets && is_new() && self.is_held(program, held) {
                    found.push((its, held.clone()));
                }
            }
        }
        found
    }

    /// True if no counter has released it.
    fn is_held(&self, program: &Program<'_>, held: &Held<Hold>) -> bool {
        let by = |counter| {
            let mut all = self.outstanding.held().iter();
            all.any(|it| it.what == held.what && it.counter == counter)
        };
        let counters = &program.step(held.what.step).counters;
        let is_either = counters.is_some_and(|it| is_either(program.isa, &it));
        !is_either || by(Counter::Vm) && by(Counter::Lgkm)
    }

    /// Reports conflicts, and releases what they are about: later uses of the same value say nothing new.
    fn release(&mut self, program: &Program<'_>, step: &Step, to: Option<&Findings>) {
        let found = self.conflicts(program, step);
        if found.is_empty() {
            return;
        }
        for (its, held) in &found {
            let Some(findings) = to else { break };
            let operation = program.step(held.what.step);
            let same = self.outstanding.held().iter();
            let same = same.filter(|it| it.what == held.what);
            let conflict = Conflict {
                its: *its,
                theirs: held.what.its,
                operation: Place::new(operation.pc, &operation.inst, None),
                waits: same.map(|it| (it.counter, it.wait())).collect(),
            };
            let key = Key {
                kind: conflict.kind(),
                pc: step.pc,
                other: operation.pc,
                detail: detail(its.registers),
            };
            findings.report(key, None, || {
                conflict.finding(program.isa, Place::new(step.pc, &step.inst, None))
            });
        }
        self.outstanding
            .retain(|it| found.iter().all(|(_, held)| held.what.step != it.what.step));
        self.changed();
    }
}
