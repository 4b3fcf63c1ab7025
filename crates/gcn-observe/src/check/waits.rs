//! Uses of registers and LDS before S_WAITCNT says that they may be used.
//!
//! Operations take effect at issue in the emulator, so that a missing wait changes no result. This checker keeps what
//! each wave's operations hold ([`Outstanding`]) and looks at every instruction's registers. A kernel whose code has no such use on
//! any path ([`Ahead`]) is not watched.

mod facts;
mod lds;

use std::sync::Arc;

use gcn_emu::observe::{
    Access, Context, Dispatched, Events, Instruction, Observer, WaveEnd, WaveObserver,
};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Order, RegisterSet, RegisterUse, Registers};

use crate::by_step::ByStep;
use crate::conflict::{Conflict, conflicts, detail};
use crate::finding::{Finding, Findings, Key, Kind, Place, Side};
use crate::lint::Ahead;
use crate::registers::{lanes_of, used};
use crate::waves::{Groups, Waves};
use gcn_emu::outstanding::{Held, Outstanding, flat_order};

use facts::{Facts, Issued, Role};
use lds::{Bytes, Unwaited};

/// The checker. See the module.
pub(super) struct Waits {
    findings: Arc<Findings>,
    ahead: Ahead,
}

impl Waits {
    pub(super) fn new(findings: Arc<Findings>) -> Waits {
        Waits {
            findings,
            ahead: Ahead::default(),
        }
    }
}

impl Observer for Waits {
    fn wants(&self) -> Events {
        Events::WATCHED | Events::WAVE | Events::BARRIER
    }

    fn wants_in(&self, dispatch: &Dispatched<'_>) -> Events {
        if self.ahead.ruled_out(dispatch).waits {
            Events::NONE
        } else {
            self.wants()
        }
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Watch {
            findings: self.findings.clone(),
            facts: ByStep::default(),
            waves: Waves::default(),
            groups: Groups::default(),
            access: Box::default(),
        }))
    }
}

/// A thing that an operation holds.
#[derive(Clone, Debug, PartialEq)]
struct Hold {
    /// The operation's instruction by its number, and its address.
    index: usize,
    pc: u64,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    /// Registers that it will write, or still has to read, and lanes of them.
    Registers(RegisterUse, u64),
    /// Bytes of LDS that it will write.
    Lds(Arc<Bytes>),
}

/// The operations of a wave, and the registers that they hold.
#[derive(Default)]
struct WaveState {
    outstanding: Outstanding<Hold>,
    /// Registers that will be written.
    written: RegisterSet,
    /// Registers that still have to be read.
    read: RegisterSet,
    /// True if a load to LDS is outstanding.
    loads_lds: bool,
}

impl WaveState {
    /// Finds the registers that are held.
    fn changed(&mut self) {
        let mut now = WaveState::default();
        for it in self.outstanding.held() {
            now.add(it.counter, &it.what.what);
        }
        now.outstanding = std::mem::take(&mut self.outstanding);
        *self = now;
    }

    fn add(&mut self, counter: Counter, what: &What) {
        match what {
            What::Registers(held, _) if held.written != 0 => self.written.add(held.registers),
            What::Registers(held, _) => self.read.add(held.registers),
            What::Lds(_) => self.loads_lds |= counter == Counter::Vm,
        }
    }
}

/// The checker of one thread's waves.
struct Watch {
    findings: Arc<Findings>,
    facts: ByStep<Facts>,
    waves: Waves<WaveState>,
    /// LDS writes that were outstanding at a barrier, by workgroup.
    groups: Groups<Unwaited<Hold>>,
    /// Addresses of an instruction; kept to be allocated once.
    access: Box<Access>,
}

/// An instruction's use of what an operation holds.
struct Met {
    held: Held<Hold>,
    /// The instruction's use.
    its: RegisterUse,
}

impl Watch {
    /// The first conflict of the instruction's registers with each outstanding operation.
    fn met(state: &WaveState, instruction: &Instruction<'_>) -> Vec<Met> {
        let inst = &instruction.step.inst;
        let uses = inst.uses();
        let own = uses.counters();
        let mut found: Vec<Met> = Vec::new();
        for its in used(instruction) {
            let its_lanes = lanes_of(its.lanes, instruction.exec);
            let released = uses.released_by(&its);
            for held in state.outstanding.held() {
                let What::Registers(use_held, lanes) = &held.what.what else {
                    continue;
                };
                let is_vector = matches!(its.registers, Registers::Vector { .. });
                if is_vector && its_lanes & lanes == 0 {
                    continue;
                }
                let meets = conflicts(&its, (own, released), use_held, (held.counter, held.order));
                let is_known = |it: &Met| it.held.what.pc == held.what.pc;
                if meets && !found.iter().any(is_known) {
                    found.push(Met {
                        held: held.clone(),
                        its,
                    });
                }
            }
        }
        found
    }

    /// Reports conflicts, and releases what they are about: later uses of the same value say nothing new.
    fn registers(
        findings: &Findings,
        facts: &ByStep<Facts>,
        state: &mut WaveState,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
    ) {
        for Met { held, its } in Self::met(state, instruction) {
            let operation = facts.get(held.what.index);
            let (What::Registers(theirs, _), Some(operation)) = (&held.what.what, operation) else {
                continue;
            };
            let pc = held.what.pc;
            let conflict = Conflict {
                its,
                theirs: *theirs,
                operation: Place::new(pc, &operation.inst, Some(context.id())),
                waits: vec![(held.counter, held.wait())],
            };
            let key = Key {
                kind: conflict.kind(),
                pc: context.pc,
                other: pc,
                detail: detail(its.registers),
            };
            let isa = instruction.step.inst.isa;
            findings.report(key, Some(context.id()), || {
                let finding = conflict.finding(isa, Place::of(context, instruction));
                finding.in_dispatch(&context.dispatched)
            });
            state
                .outstanding
                .retain(|it| it.what.pc != pc || it.counter != held.counter);
            state.changed();
        }
    }

    /// Looks for reads of LDS that an operation has not written yet.
    fn lds(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let state = self.waves.get(context.id());
        let unwaited = self.groups.find(context.id().group).map(|it| &*it);
        if !state.loads_lds && unwaited.is_none_or(Unwaited::is_empty) {
            return;
        }
        context.addresses(instruction.step, &mut self.access);
        let read = Bytes::read(&self.access);
        let own = state
            .outstanding
            .held()
            .iter()
            .filter(|it| it.counter == Counter::Vm);
        let own = own.filter_map(|it| match &it.what.what {
            What::Lds(bytes) => Some((&it.what, bytes, None)),
            What::Registers(..) => None,
        });
        let others = unwaited.into_iter().flat_map(Unwaited::writes);
        let others = others
            .filter(|(wave, _)| *wave != context.id())
            .filter_map(|(wave, it)| match &it.what {
                What::Lds(bytes) => Some((it, bytes, Some(*wave))),
                What::Registers(..) => None,
            });
        for (hold, bytes, wave) in own.chain(others) {
            let Some((lane, offset)) = read.meets(bytes) else {
                continue;
            };
            let key = Key {
                kind: Kind::MissingLdsWait,
                pc: context.pc,
                other: hold.pc,
                detail: 0,
            };
            self.findings.report(key, Some(context.id()), || {
                let (message, label, help) = match wave {
                    None => (
                        "LDS is read while a load to it may be incomplete",
                        "the load to LDS",
                        "`s_waitcnt vmcnt(0)` before the instruction",
                    ),
                    Some(_) => (
                        "LDS is read behind a barrier that a wave reached before its write was complete",
                        "the write of the other wave",
                        "`s_waitcnt lgkmcnt(0)` before the barrier, in the wave that writes",
                    ),
                };
                let mut finding = Finding::new(Kind::MissingLdsWait, context, instruction, message);
                finding.place = finding.place.lane(lane);
                finding.label = format!("reads LDS at {offset:#x}");
                finding.sides.push(Side {
                    label: label.to_owned(),
                    place: self.facts.get(hold.index).map(|operation| {
                        Place::new(hold.pc, &operation.inst, wave.or(Some(context.id())))
                    }),
                });
                finding.help = Some(help.to_owned());
                finding
            });
        }
    }

    /// An operation is issued.
    fn issue(&mut self, context: &Context<'_>, instruction: &Instruction<'_>, issued: Issued) {
        let Watch {
            facts,
            waves,
            access,
            ..
        } = self;
        let facts = facts.of(instruction.step, Facts::of);
        let inst = &instruction.step.inst;
        let Issued {
            mut counters,
            writes_lds,
            ..
        } = issued;
        let mut lanes = instruction.exec;
        let mut lds_lanes = 0;
        if counters.order == Order::Flat || writes_lds {
            context.addresses(instruction.step, access);
            lds_lanes = access.lds;
            lanes = access.lanes();
        }
        // The apertures that the lanes hit decide which counter says so (errata E082).
        let is_flat = counters.order == Order::Flat;
        if is_flat && lanes != 0 {
            counters.order = flat_order(lds_lanes, lanes);
        }
        let pc = context.pc;
        let hold = |what| Hold {
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
            is_held.then(|| (counter, hold(What::Registers(it, held_lanes))))
        });
        let copied_lanes = access.to_lds.map_or(0, |_| lanes);
        let bytes = (writes_lds && lds_lanes | copied_lanes != 0).then(|| {
            let counter = if access.to_lds.is_some() {
                Counter::Vm
            } else {
                Counter::Lgkm
            };
            let bytes = Arc::new(Bytes::written(access));
            (counter, hold(What::Lds(bytes)))
        });
        let state = waves.get(context.id());
        state.written.add_all(&facts.will_write);
        state.read.add_all(&facts.will_read);
        state.loads_lds |= matches!(bytes, Some((Counter::Vm, _)));
        let holds = registers.chain(bytes);
        if state
            .outstanding
            .issue(&counters, Waitcnt::max(inst.isa), holds)
        {
            state.changed();
        }
    }
}

impl WaveObserver for Watch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        *self.waves.get(context.id()) = WaveState::default();
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        self.waves.remove(context.id());
    }

    fn watched(&mut self, context: &Context<'_>) -> RegisterSet {
        let state = self.waves.get(context.id());
        let mut set = state.written;
        set.add_all(&state.read);
        set
    }

    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let facts = self.facts.of(instruction.step, Facts::of);
        let state = self.waves.get(context.id());
        let role = facts.role;
        if !state.outstanding.is_empty() {
            let is_moved = !std::ptr::eq(instruction.operands, &instruction.step.args);
            if is_moved || facts.used.meets(&state.written) || facts.written.meets(&state.read) {
                Self::registers(&self.findings, &self.facts, state, context, instruction);
            }
        }
        match role {
            Role::Wait(until) => {
                if state.outstanding.wait(until) {
                    state.changed();
                }
            }
            Role::Counted(issued) => {
                if issued.reads_lds {
                    self.lds(context, instruction);
                }
                self.issue(context, instruction, issued);
            }
            Role::Other => {}
        }
    }

    fn barrier_arrives(&mut self, context: &Context<'_>) {
        let state = self.waves.get(context.id());
        let writes = state.outstanding.held().iter();
        let writes = writes.filter(|it| matches!(it.what.what, What::Lds(_)));
        for it in writes {
            let group = self.groups.get(context.id().group);
            group.push(context.id(), it.what.clone());
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
