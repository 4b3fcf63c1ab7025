//! Uses of registers and LDS before S_WAITCNT says that they may be used.
//!
//! Operations take effect at issue in the emulator, so that a missing wait changes no result. This checker keeps what
//! each wave's operations hold ([`Outstanding`]) and looks at every instruction's registers.

mod facts;
mod lds;

use std::collections::HashMap;
use std::sync::Arc;

use gcn_emu::observe::{
    Access, Context, Dispatched, Events, Instruction, Observer, WaveEnd, WaveObserver,
};
use gcn_isa::Inst;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order, RegisterUse, Registers};

use crate::finding::{Finding, Findings, Key, Kind, Place, Side};
use crate::outstanding::{Held, Outstanding, registers_held};
use crate::registers::{Set, lanes_of, name, used};
use crate::waves::Waves;

use facts::{Cache, Issued, Role};
use lds::{Bytes, Unwaited};

/// The checker. See the module.
pub(super) struct Waits {
    findings: Arc<Findings>,
}

impl Waits {
    pub(super) fn new(findings: Arc<Findings>) -> Waits {
        Waits { findings }
    }
}

impl Observer for Waits {
    fn wants(&self) -> Events {
        Events::ISSUE | Events::WAVE | Events::BARRIER
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Watch {
            findings: self.findings.clone(),
            facts: Cache::default(),
            waves: Waves::default(),
            groups: HashMap::new(),
            access: Box::default(),
        }))
    }
}

/// A thing that an operation holds.
#[derive(Clone, Debug, PartialEq)]
struct Hold {
    /// The operation's instruction, and its address.
    inst: Inst,
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
    written: Set,
    /// Registers that still have to be read.
    read: Set,
    /// True if a load to LDS is outstanding.
    loads_lds: bool,
}

impl WaveState {
    /// Finds the registers that are held.
    fn changed(&mut self) {
        (self.written, self.read) = (Set::default(), Set::default());
        self.loads_lds = false;
        for it in self.outstanding.held() {
            match &it.what.what {
                What::Registers(held, _) if held.written != 0 => self.written.add(held.registers),
                What::Registers(held, _) => self.read.add(held.registers),
                What::Lds(_) => self.loads_lds |= it.counter == Counter::Vm,
            }
        }
    }
}

/// The checker of one thread's waves.
struct Watch {
    findings: Arc<Findings>,
    facts: Cache,
    waves: Waves<WaveState>,
    /// LDS writes that were outstanding at a barrier, by workgroup.
    groups: HashMap<[u32; 3], Unwaited<Hold>>,
    /// Addresses of an instruction; kept to be allocated once.
    access: Box<Access>,
}

/// A conflict of an instruction with what an operation holds.
struct Conflict {
    held: Held<Hold>,
    /// The instruction's use.
    its: RegisterUse,
}

impl Watch {
    /// The first conflict of the instruction's registers with each outstanding operation.
    fn conflicts(state: &WaveState, instruction: &Instruction<'_>) -> Vec<Conflict> {
        let inst = &instruction.step.inst;
        let uses = inst.uses();
        let own = uses.counters();
        let mut found: Vec<Conflict> = Vec::new();
        for its in used(instruction) {
            let its_lanes = lanes_of(its.lanes, instruction.exec);
            for held in state.outstanding.held() {
                let What::Registers(use_held, lanes) = &held.what.what else {
                    continue;
                };
                let is_vector = matches!(its.registers, Registers::Vector { .. });
                if !use_held.overlaps(&its) || is_vector && its_lanes & lanes == 0 {
                    continue;
                }
                let meets = if use_held.written != 0 {
                    let reads = its.read & use_held.written != 0;
                    let writes = its.written & use_held.written != 0
                        && !returns_in_order(held, own, uses.released_by(&its));
                    reads || writes
                } else {
                    its.written & use_held.read != 0
                };
                let is_known = |it: &Conflict| it.held.what.pc == held.what.pc;
                if meets && !found.iter().any(is_known) {
                    found.push(Conflict {
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
        state: &mut WaveState,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
    ) {
        for conflict in Self::conflicts(state, instruction) {
            let pc = conflict.held.what.pc;
            let kind = match &conflict.held.what.what {
                What::Registers(held, _) if held.written == 0 => Kind::SourceOverwritten,
                _ => Kind::MissingWait,
            };
            let detail = detail(conflict.its.registers);
            let key = Key {
                kind,
                pc: context.pc,
                other: pc,
                detail,
            };
            findings.report(key, Some(context.id()), || {
                described(kind, &conflict, context, instruction)
            });
            state
                .outstanding
                .retain(|it| it.what.pc != pc || it.counter != conflict.held.counter);
            state.changed();
        }
    }

    /// Looks for reads of LDS that an operation has not written yet.
    fn lds(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let state = self.waves.get(context.id());
        let unwaited = self.groups.get(&context.id().group);
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
                    place: Some(Place::new(hold.pc, &hold.inst, wave.or(Some(context.id())))),
                });
                finding.help = Some(help.to_owned());
                finding
            });
        }
    }

    /// An operation is issued.
    fn issue(&mut self, context: &Context<'_>, instruction: &Instruction<'_>, issued: Issued) {
        let inst = &instruction.step.inst;
        let Issued {
            mut counters,
            writes_lds,
            ..
        } = issued;
        let mut lanes = instruction.exec;
        let mut lds_lanes = 0;
        if counters.order == Order::Flat || writes_lds {
            context.addresses(instruction.step, &mut self.access);
            lds_lanes = self.access.lds;
            lanes = self.access.lanes();
        }
        // The apertures that the lanes hit decide which counter says so (errata E082).
        let is_flat = counters.order == Order::Flat;
        if is_flat && lanes != 0 {
            if lds_lanes == 0 {
                counters.order = Order::VectorMemory;
            } else if lds_lanes == lanes {
                counters.order = Order::Lds;
            }
        }
        let pc = context.pc;
        let hold = |what| Hold {
            inst: *inst,
            pc,
            what,
        };
        let mut holds: Vec<(Counter, Hold)> = Vec::new();
        for (counter, it) in registers_held(inst) {
            let held_lanes = match (is_flat, counter) {
                (true, Counter::Lgkm) => lds_lanes,
                (true, Counter::Vm) => lanes & !lds_lanes,
                _ => lanes,
            };
            let is_vector = matches!(it.registers, Registers::Vector { .. });
            if !is_vector || held_lanes != 0 {
                holds.push((counter, hold(What::Registers(it, held_lanes))));
            }
        }
        if writes_lds && lds_lanes | self.access.to_lds.map_or(0, |_| lanes) != 0 {
            let counter = if self.access.to_lds.is_some() {
                Counter::Vm
            } else {
                Counter::Lgkm
            };
            holds.push((
                counter,
                hold(What::Lds(Arc::new(Bytes::written(&self.access)))),
            ));
        }
        let state = self.waves.get(context.id());
        state
            .outstanding
            .issue(&counters, Waitcnt::max(inst.isa), holds);
        state.changed();
    }
}

/// True if an instruction's result comes behind that of an outstanding operation, since both complete in order.
fn returns_in_order(held: &Held<Hold>, own: Option<Counters>, released: &[Counter]) -> bool {
    own.is_some_and(|own| own.order == held.order && own.order.is_kept())
        && released.contains(&held.counter)
}

/// A number that tells registers apart.
fn detail(registers: Registers) -> u64 {
    match registers {
        Registers::Vector { first, .. } => u64::from(first),
        Registers::Scalar { first, .. } => 1 << 8 | u64::from(first),
        Registers::State(_) => 1 << 9,
    }
}

fn described(
    kind: Kind,
    conflict: &Conflict,
    context: &Context<'_>,
    instruction: &Instruction<'_>,
) -> Finding {
    let isa = instruction.step.inst.isa;
    let (held, its) = (&conflict.held, &conflict.its);
    let What::Registers(theirs, _) = &held.what.what else {
        return Finding::new(kind, context, instruction, "");
    };
    let register = name(isa, its.registers);
    let reads = its.read & theirs.written != 0;
    let (message, label, side) = match (kind, reads) {
        (Kind::SourceOverwritten, _) => (
            format!("{register} is overwritten while an operation may still have to read it"),
            format!("writes {register}"),
            format!("the operation that reads {}", name(isa, theirs.registers)),
        ),
        (_, true) => (
            format!("{register} is read while the operation that writes it may be incomplete"),
            format!("reads {register}"),
            format!("the operation that writes {}", name(isa, theirs.registers)),
        ),
        (_, false) => (
            format!(
                "{register} is written while an earlier operation that writes it may be incomplete"
            ),
            format!("writes {register}"),
            format!("the operation that writes {}", name(isa, theirs.registers)),
        ),
    };
    let mut finding = Finding::new(kind, context, instruction, message);
    finding.label = label;
    finding.sides.push(Side {
        label: side,
        place: Some(Place::new(
            held.what.pc,
            &held.what.inst,
            Some(context.id()),
        )),
    });
    finding.help = Some(format!(
        "`s_waitcnt {}({})` before the instruction",
        held.counter,
        held.wait()
    ));
    finding
}

impl WaveObserver for Watch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        *self.waves.get(context.id()) = WaveState::default();
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        self.waves.remove(context.id());
    }

    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let facts = self.facts.of(instruction.step);
        let state = self.waves.get(context.id());
        if state.outstanding.is_empty() {
            if facts.role == Role::Other {
                return;
            }
        } else {
            let is_moved = !std::ptr::eq(instruction.operands, &instruction.step.args);
            if is_moved || facts.used.meets(&state.written) || facts.written.meets(&state.read) {
                Self::registers(&self.findings, state, context, instruction);
            }
        }
        match facts.role {
            Role::Wait(until) => {
                state.outstanding.wait(until);
                state.changed();
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
            let group = self.groups.entry(context.id().group).or_default();
            group.push(context.id(), it.what.clone());
        }
    }

    fn barrier_opens(&mut self, _: &Dispatched<'_>, group: [u32; 3]) {
        if let Some(unwaited) = self.groups.get_mut(&group)
            && !unwaited.opened()
        {
            self.groups.remove(&group);
        }
    }
}
