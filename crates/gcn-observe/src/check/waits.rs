//! Uses of registers and LDS before S_WAITCNT makes them available.
//!
//! By default, the emulator performs memory operations at issue, so a missing S_WAITCNT does not change results. This
//! checker tracks the registers and LDS bytes that each wave's outstanding operations hold ([`Outstanding`]), and
//! reports instructions that use them. Kernels for which static analysis rules that out ([`Ahead`]) are not watched.

mod facts;
mod lds;

use std::sync::Arc;

use gcn_emu::observe::{
    Access, Context, Dispatched, Events, Instruction, Observer, WaveEnd, WaveObserver,
};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order, RegisterSet, RegisterUse, Registers};

use crate::by_step::ByStep;
use crate::conflict::{Conflict, conflicts};
use crate::finding::{Finding, FindingAddress, FindingKey, FindingPlace, Findings, Kind, Side};
use crate::lint::Ahead;
use crate::registers::{detail, lanes_of, used};
use crate::waves::{Groups, Waves};
use gcn_emu::outstanding::{Held, Outstanding, flat_order};

use facts::{LdsUse, WaitFacts, WaitRole};
use lds::{LdsBytes, Unwaited};

/// The wait checker.
pub(super) struct Waits {
    findings: Arc<Findings>,
    ahead: Arc<Ahead>,
}

impl Waits {
    pub(super) fn new(findings: Arc<Findings>, ahead: Arc<Ahead>) -> Waits {
        Waits { findings, ahead }
    }
}

impl Observer for Waits {
    fn wants(&self) -> Events {
        Events::WATCHED | Events::WAIT | Events::WAVE | Events::BARRIER
    }

    fn wants_in(&self, dispatch: &Dispatched<'_>) -> Events {
        if self.ahead.ruled_out(dispatch).waits {
            Events::empty()
        } else {
            self.wants()
        }
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(WaitWatch {
            findings: self.findings.clone(),
            facts: ByStep::default(),
            waves: Waves::default(),
            groups: Groups::default(),
            access: Box::default(),
        }))
    }
}

/// Registers or LDS bytes that an outstanding operation holds.
#[derive(Clone, Debug, PartialEq)]
struct HeldResource {
    /// Index and address of the operation's instruction.
    index: usize,
    pc: u64,
    what: HeldPlace,
}

#[derive(Clone, Debug, PartialEq)]
enum HeldPlace {
    /// Registers, and their lanes, that the operation has yet to write or read.
    Registers(RegisterUse, u64),
    /// LDS bytes that the operation has yet to write or read.
    Lds { bytes: Arc<LdsBytes>, writes: bool },
}

/// Outstanding operations of a wave.
#[derive(Default)]
struct WaveOperations {
    outstanding: Outstanding<HeldResource>,
    /// Registers with pending writes.
    written: RegisterSet,
    /// Registers with pending reads.
    read: RegisterSet,
    /// True if a load to LDS is outstanding.
    loads_lds: bool,
}

impl WaveOperations {
    /// Recomputes the other fields from `outstanding`.
    fn changed(&mut self) {
        let mut now = WaveOperations::default();
        for it in self.outstanding.held() {
            now.add(it.counter, &it.what.what);
        }
        now.outstanding = std::mem::take(&mut self.outstanding);
        *self = now;
    }

    fn add(&mut self, counter: Counter, what: &HeldPlace) {
        match what {
            HeldPlace::Registers(held, _) if held.written != 0 => self.written.add(held.registers),
            HeldPlace::Registers(held, _) => self.read.add(held.registers),
            HeldPlace::Lds { writes, .. } => self.loads_lds |= *writes && counter == Counter::Vm,
        }
    }
}

/// Checker for the waves that one host thread runs.
struct WaitWatch {
    findings: Arc<Findings>,
    facts: ByStep<WaitFacts>,
    waves: Waves<WaveOperations>,
    /// LDS accesses of each workgroup that were outstanding at a barrier.
    groups: Groups<Unwaited<Held<HeldResource>>>,
    /// Addresses of the current instruction, reused to avoid allocation.
    access: Box<Access>,
}

/// An instruction's use of registers that an operation holds.
struct EarlyUse {
    held: Held<HeldResource>,
    /// Counters to wait for, with the values that release the registers.
    waits: Vec<(Counter, u8)>,
    /// Registers that the instruction uses.
    its: RegisterUse,
}

impl EarlyUse {
    /// Adds another counter that holds the registers, or another execution of the operation that holds them.
    fn also(&mut self, held: &Held<HeldResource>) {
        let until = held.wait();
        match self.waits.iter_mut().find(|(by, _)| *by == held.counter) {
            Some((_, known)) => *known = until.min(*known),
            None => self.waits.push((held.counter, until)),
        }
    }
}

impl WaitWatch {
    /// Finds the first register conflict of an instruction with each outstanding operation.
    fn met(
        state: &WaveOperations,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
    ) -> Vec<EarlyUse> {
        let inst = &instruction.step.inst;
        let uses = inst.uses();
        let own = uses.counters();
        let mut found: Vec<EarlyUse> = Vec::new();
        let beyond = context.address_beyond(instruction.step);
        for its in used(instruction).chain(beyond) {
            let its_lanes = lanes_of(its.lanes, instruction.exec);
            let released = uses.released_by(&its);
            for held in state.outstanding.held() {
                let HeldPlace::Registers(use_held, lanes) = &held.what.what else {
                    continue;
                };
                let is_vector = matches!(its.registers, Registers::Vector { .. });
                if is_vector && its_lanes & lanes == 0 {
                    continue;
                }
                let meets = conflicts(&its, (own, released), use_held, held);
                if !meets {
                    continue;
                }
                let is_known = |it: &&mut EarlyUse| it.held.what.pc == held.what.pc;
                match found.iter_mut().find(is_known) {
                    Some(known) => known.also(held),
                    None => found.push(EarlyUse {
                        held: held.clone(),
                        waits: vec![(held.counter, held.wait())],
                        its,
                    }),
                }
            }
        }
        found
    }

    /// Reports register conflicts, and releases the registers so that later uses of the same values are not reported.
    fn registers(
        findings: &Findings,
        facts: &ByStep<WaitFacts>,
        state: &mut WaveOperations,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
    ) {
        for EarlyUse { held, waits, its } in Self::met(state, context, instruction) {
            let operation = facts.get(held.what.index);
            let (HeldPlace::Registers(theirs, _), Some(operation)) = (&held.what.what, operation)
            else {
                continue;
            };
            let pc = held.what.pc;
            let conflict = Conflict {
                its,
                theirs: *theirs,
                operation: FindingPlace::new(pc, &operation.inst, Some(context.id())),
                waits: waits.clone(),
            };
            let key = FindingKey {
                kind: conflict.kind(),
                pc: context.pc,
                other: pc,
                detail: detail(its.registers),
            };
            let isa = instruction.step.inst.isa;
            findings.report(key, Some(context.id()), || {
                let finding = conflict.finding(isa, FindingPlace::of(context, instruction));
                finding.in_dispatch(context.dispatched)
            });
            state
                .outstanding
                .retain(|it| it.what.pc != pc || waits.iter().all(|(by, _)| *by != it.counter));
            state.changed();
        }
    }

    /// Reports an instruction whose LDS accesses overlap outstanding ones.
    fn lds(&mut self, context: &Context<'_>, instruction: &Instruction<'_>, uses: LdsUse) {
        let state = self.waves.get(context.id());
        let unwaited = self.groups.find(context.id().group).map(|it| &*it);
        if !state.loads_lds && unwaited.is_none_or(Unwaited::is_empty) {
            return;
        }
        context.addresses(instruction.step, &mut self.access);
        let of = |is: bool, bytes: fn(&Access) -> LdsBytes| is.then(|| bytes(&self.access));
        let read = of(uses.reads, LdsBytes::read).unwrap_or_default();
        let written = of(uses.writes, LdsBytes::written).unwrap_or_default();
        let own = state.outstanding.held().iter();
        let own = own.filter(|it| it.counter == Counter::Vm);
        let own = own.filter_map(|it| match &it.what.what {
            HeldPlace::Lds {
                bytes,
                writes: true,
            } => Some((it, &**bytes, true, None)),
            HeldPlace::Lds { .. } | HeldPlace::Registers(..) => None,
        });
        let others = unwaited.into_iter().flat_map(Unwaited::accesses);
        let others = others
            .filter(|(wave, _)| *wave != context.id())
            .filter_map(|(wave, it)| match &it.what.what {
                HeldPlace::Lds { bytes, writes } => Some((it, &**bytes, *writes, Some(*wave))),
                HeldPlace::Registers(..) => None,
            });
        for (held, bytes, writes, wave) in own.chain(others) {
            let read = writes.then(|| read.meets(bytes)).flatten();
            let written = wave.and_then(|_| written.meets(bytes));
            let Some((lane, offset)) = read.or(written) else {
                continue;
            };
            let key = FindingKey {
                kind: Kind::MissingLdsWait,
                pc: context.pc,
                other: held.what.pc,
                detail: 0,
            };
            let verb = if read.is_some() { "read" } else { "written" };
            let access = if writes { "write" } else { "read" };
            self.findings.report(key, Some(context.id()), || {
                let (message, label, help) = match wave {
                    None => (
                        "LDS is read while a load to it may be incomplete".to_owned(),
                        "the load to LDS".to_owned(),
                        "`s_waitcnt vmcnt(0)` before the instruction".to_owned(),
                    ),
                    Some(_) => (
                        format!("LDS is {verb} after a barrier that a wave reached before its {access} was complete"),
                        format!("the {access} of the other wave"),
                        format!(
                            "`s_waitcnt {}(0)` before the barrier, in the wave that {access}s",
                            held.counter
                        ),
                    ),
                };
                let mut finding = Finding::new(Kind::MissingLdsWait, context, instruction, message);
                finding.place = finding.place.lane_of(&self.access, lane);
                let verb = if read.is_some() { "reads" } else { "writes" };
                finding.label = format!("{verb} LDS at {offset:#x}");
                finding.address = Some(FindingAddress::lds(offset));
                finding.sides.push(Side {
                    label,
                    place: self.facts.get(held.what.index).map(|operation| {
                        let wave = wave.or(Some(context.id()));
                        FindingPlace::new(held.what.pc, &operation.inst, wave)
                    }),
                });
                finding.help = Some(help.into());
                finding
            });
        }
    }

    /// Records the issue of an operation.
    fn issue(
        &mut self,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        mut counters: Counters,
    ) {
        let WaitWatch {
            facts,
            waves,
            access,
            ..
        } = self;
        let facts = facts.of(instruction.step, WaitFacts::of);
        let inst = &instruction.step.inst;
        let (accesses_lds, writes_lds) = (facts.lds.is_any(), facts.lds.writes);
        let mut lanes = instruction.exec;
        let mut lds_lanes = 0;
        if counters.order == Order::Flat || accesses_lds {
            context.addresses(instruction.step, access);
            lds_lanes = access.lds;
            lanes = access.lanes();
        }
        // Completion of a FLAT access depends on which apertures its lanes access (errata E082).
        let is_flat = counters.order == Order::Flat;
        if is_flat && lanes != 0 {
            counters.order = flat_order(lds_lanes, lanes);
        }
        let pc = context.pc;
        let hold = |what| HeldResource {
            index: instruction.step.index,
            pc,
            what,
        };
        let registers = facts.held.iter().filter_map(|&(counter, it)| {
            let held_lanes = match (is_flat, counter) {
                (true, Counter::Lgkm) => lds_lanes,
                (true, Counter::Vm) => lanes & !lds_lanes,
                _ => lanes,
            };
            let is_vector = matches!(it.registers, Registers::Vector { .. });
            let is_held = !is_vector || held_lanes != 0;
            is_held.then(|| (counter, hold(HeldPlace::Registers(it, held_lanes))))
        });
        let copied_lanes = access.to_lds.map_or(0, |_| lanes);
        let bytes = (accesses_lds && lds_lanes | copied_lanes != 0).then(|| {
            let counter = if access.to_lds.is_some() {
                Counter::Vm
            } else {
                Counter::Lgkm
            };
            let bytes = if writes_lds {
                LdsBytes::written(access)
            } else {
                LdsBytes::read(access)
            };
            let what = HeldPlace::Lds {
                bytes: Arc::new(bytes),
                writes: writes_lds,
            };
            (counter, hold(what))
        });
        let state = waves.get(context.id());
        state.written.add_all(&facts.will_write);
        state.read.add_all(&facts.will_read);
        state.loads_lds |= writes_lds && matches!(bytes, Some((Counter::Vm, _)));
        let holds = registers.chain(bytes);
        if state
            .outstanding
            .issue(&counters, Waitcnt::max(inst.isa), holds)
        {
            state.changed();
        }
    }
}

impl WaveObserver for WaitWatch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        *self.waves.get(context.id()) = WaveOperations::default();
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        let id = context.id();
        self.waves.remove(id);
        // Waves that have yet to begin do not need the state: a barrier opens only after they have begun.
        if self.groups.find(id.group).is_some() && !self.waves.has(|it| it.group == id.group) {
            self.groups.remove(id.group);
        }
    }

    fn watched(&mut self, context: &Context<'_>) -> RegisterSet {
        let state = self.waves.get(context.id());
        let mut set = state.written;
        set.add_all(&state.read);
        set
    }

    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let facts = self.facts.of(instruction.step, WaitFacts::of);
        let state = self.waves.get(context.id());
        let (role, lds) = (facts.role, facts.lds);
        if !state.outstanding.is_empty() {
            let is_moved = !std::ptr::eq(instruction.operands, &instruction.step.args);
            if is_moved || facts.used.meets(&state.written) || facts.written.meets(&state.read) {
                Self::registers(&self.findings, &self.facts, state, context, instruction);
            }
        }
        if lds.is_any() {
            self.lds(context, instruction, lds);
        }
        let state = self.waves.get(context.id());
        match role {
            WaitRole::Wait(until) => {
                if state.outstanding.wait(until) {
                    state.changed();
                }
            }
            WaitRole::Counted(counters) => self.issue(context, instruction, counters),
            WaitRole::Other => {}
        }
    }

    fn barrier_arrives(&mut self, context: &Context<'_>) {
        let state = self.waves.get(context.id());
        let accesses = state.outstanding.held().iter();
        let accesses = accesses.filter(|it| matches!(it.what.what, HeldPlace::Lds { .. }));
        for it in accesses {
            let group = self.groups.get(context.id().group);
            group.push(context.id(), it.clone());
        }
    }

    fn barrier_opens(&mut self, _: &Dispatched<'_>, group: [u32; 3]) {
        if let Some(unwaited) = self.groups.find(group)
            && !unwaited.opened()
        {
            self.groups.remove(group);
        }
    }
}
