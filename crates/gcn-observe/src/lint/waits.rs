//! Operations that may be outstanding on some path, and the registers that they hold.

use gcn_isa::effect::{Control, Does};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order, RegisterSet, RegisterUse};

use crate::conflict::{Conflict, conflicts};
use crate::finding::{Finding, FindingKey, FindingPlace, Kind};
use crate::registers::detail;
use gcn_emu::outstanding::{Held, Outstanding};

use super::program::{Flat, LintProgram, LintStep};
use super::report::FindingSink;

/// A resource held by an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PossiblyHeld {
    /// Number of the instruction.
    step: u32,
    what: HeldUse,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HeldUse {
    Registers(RegisterUse),
    /// LDS bytes that the operation will read or write. Tracked only in strict mode.
    Lds,
}

/// Use of registers by an instruction while an operation may hold them.
struct PossibleEarlyUse {
    its: RegisterUse,
    theirs: RegisterUse,
    held: Held<PossiblyHeld>,
}

/// Operations that may be outstanding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct OpenOperations {
    outstanding: Outstanding<PossiblyHeld>,
    /// Union of the registers held.
    held: RegisterSet,
}

/// True for FLAT instructions that are assumed to access either vector memory or LDS, not both.
fn is_either(program: &LintProgram<'_>, counters: &Counters) -> bool {
    program.flat == Flat::Either && counters.order == Order::Flat
}

impl OpenOperations {
    /// Joins the operations of another path. Returns true if this state changed.
    pub(super) fn join(&mut self, other: &OpenOperations) -> bool {
        let grown = self.outstanding.join(&other.outstanding);
        if grown {
            self.changed();
        }
        grown
    }

    fn changed(&mut self) {
        self.held = RegisterSet::default();
        for it in self.outstanding.held() {
            if let HeldUse::Registers(its) = it.what.what {
                self.held.add(its.registers);
            }
        }
    }

    /// Updates the state for an instruction. If there is a sink, reports the instruction's conflicts.
    pub(super) fn step(
        &mut self,
        program: &LintProgram<'_>,
        number: u32,
        to: Option<&FindingSink<'_>>,
    ) {
        let step = program.step(number);
        if step.used.meets(&self.held) {
            self.release(program, step, to);
        }
        if let Some(until) = step.wait {
            self.outstanding.wait(until);
            self.changed();
        }
        if let Some(counters) = &step.counters {
            self.issue(program, step, number, counters);
        }
        if program.is_strict
            && let Some(report) = to
        {
            self.look_at_lds(program, step, report);
        }
    }

    /// Reports an LDS access that may be incomplete at a barrier, after which other waves may rely on it, and a load to
    /// LDS that may be incomplete at any instruction.
    fn look_at_lds(&self, program: &LintProgram<'_>, step: &LintStep, report: &FindingSink<'_>) {
        let is_barrier = step.inst.does() == Does::Control(Control::Barrier);
        let accesses = self.outstanding.held().iter();
        let mut accesses = accesses.filter(|it| it.what.what == HeldUse::Lds);
        let found = accesses.find(|it| is_barrier || it.counter == Counter::Vm);
        if let Some(access) = found {
            let operation = program.step(access.what.step);
            let key = FindingKey {
                kind: Kind::MissingLdsWait,
                pc: step.pc,
                other: operation.pc,
                detail: 0,
            };
            let message = "LDS may be accessed while an access of it is incomplete";
            report.add(key, || {
                Finding::at(
                    key.kind,
                    FindingPlace::new(step.pc, &step.inst, None),
                    message,
                )
            });
        }
    }

    fn issue(
        &mut self,
        program: &LintProgram<'_>,
        step: &LintStep,
        number: u32,
        counters: &Counters,
    ) {
        let hold = |what| PossiblyHeld { step: number, what };
        let registers = |by: Option<Counter>| {
            let held = step.holds.iter();
            let held = held.filter(move |(it, _)| by.is_none_or(|by| by == *it));
            held.map(move |&(by, its)| (by, hold(HeldUse::Registers(its))))
        };
        // An execution in an earlier loop iteration adds no constraint: it completes earlier, or in any order.
        let is_new = |it: &Held<PossiblyHeld>| it.what.step != number;
        self.outstanding.retain(is_new);
        let max = Waitcnt::max(program.isa);
        if program.flat == Flat::Vector && counters.order == Order::Flat {
            let counters = Counters {
                order: Order::VectorMemory,
                ..*counters
            };
            let held = registers(Some(Counter::Vm));
            self.outstanding.issue(&counters, max, held);
        } else if is_either(program, counters) {
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
                    sampled: false,
                };
                self.outstanding
                    .issue(&counters, max, registers(Some(counter)));
            }
        } else {
            let by = match counters.lgkm {
                0 => Counter::Vm,
                _ => Counter::Lgkm,
            };
            let is_kept = program.is_strict && step.accesses_lds;
            let access = is_kept.then(|| (by, hold(HeldUse::Lds)));
            self.outstanding
                .issue(counters, max, registers(None).chain(access));
        }
        self.changed();
    }

    /// Returns the first conflict with each operation.
    fn conflicts(&self, program: &LintProgram<'_>, step: &LintStep) -> Vec<PossibleEarlyUse> {
        let mut found: Vec<PossibleEarlyUse> = Vec::new();
        for &(its, released) in &step.uses {
            for held in self.outstanding.held() {
                let HeldUse::Registers(theirs) = held.what.what else {
                    continue;
                };
                let meets = conflicts(&its, (step.counters, released), &theirs, held);
                let is_new = || found.iter().all(|it| it.held.what.step != held.what.step);
                if meets && is_new() && self.is_held(program, held) {
                    found.push(PossibleEarlyUse {
                        its,
                        theirs,
                        held: held.clone(),
                    });
                }
            }
        }
        found
    }

    /// True if no counter has released the resource.
    fn is_held(&self, program: &LintProgram<'_>, held: &Held<PossiblyHeld>) -> bool {
        let by = |counter| {
            let mut all = self.outstanding.held().iter();
            all.any(|it| it.what == held.what && it.counter == counter)
        };
        let counters = &program.step(held.what.step).counters;
        let is_either = counters.is_some_and(|it| is_either(program, &it));
        !is_either || by(Counter::Vm) && by(Counter::Lgkm)
    }

    /// Reports conflicts, and releases the operations so that later uses of their registers are not reported.
    fn release(
        &mut self,
        program: &LintProgram<'_>,
        step: &LintStep,
        to: Option<&FindingSink<'_>>,
    ) {
        let found = self.conflicts(program, step);
        if found.is_empty() {
            return;
        }
        for PossibleEarlyUse { its, theirs, held } in &found {
            let Some(report) = to else { break };
            let operation = program.step(held.what.step);
            let same = self.outstanding.held().iter();
            let same = same.filter(|it| it.what == held.what);
            let conflict = Conflict {
                its: *its,
                theirs: *theirs,
                operation: FindingPlace::new(operation.pc, &operation.inst, None),
                waits: same.map(|it| (it.counter, it.wait())).collect(),
            };
            let key = FindingKey {
                kind: conflict.kind(),
                pc: step.pc,
                other: operation.pc,
                detail: detail(its.registers),
            };
            report.add(key, || {
                conflict.finding(program.isa, FindingPlace::new(step.pc, &step.inst, None))
            });
        }
        self.outstanding
            .retain(|it| found.iter().all(|met| met.held.what.step != it.what.step));
        self.changed();
    }
}
