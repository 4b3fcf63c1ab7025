//! Uses that a changed wait leaves unguarded, found by following one operation at a time along every path: another way than the
//! checker's, which joins all operations where ways meet.

use std::collections::{BTreeMap, BTreeSet};

use gcn_isa::effect::{Condition, Control, Does};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Order, RegisterUse};
use gcn_isa::{Field, Inst, Isa};

/// A wait in code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    pub pc: u64,
    pub until: Waitcnt,
}

/// Reason for which no register needs a wait as it was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// A register does: the checker must find it.
    Needed,
    /// Only the result of FLAT, whose counter depends on its address.
    Flat,
    /// The result is used behind a call or a return, where the callee or the caller waits.
    Call,
    /// The program ends before the result is used, or it never is.
    Unused,
    /// Another wait comes before the use.
    OtherWait,
    /// Stores and the like, which hold no register: the memory model and barriers.
    Memory,
    /// No operation that the counter counts is outstanding here: operations of the caller, or none.
    Nothing,
}

struct Op {
    order: Order,
    sampled: bool,
    counter: Counter,
    registers: Vec<RegisterUse>,
    is_flat: bool,
}

/// Code, decoded.
pub struct Text {
    isa: Isa,
    insts: BTreeMap<u64, Inst>,
    targets: BTreeMap<u64, u64>,
}

/// Place on a path, with the least value of the counter while the operation is outstanding.
type At = (u64, u8);

/// The end of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Used(u64),
    Waited(u64, u8),
    Called,
    Ended,
}

fn field(until: Waitcnt, counter: Counter) -> u8 {
    match counter {
        Counter::Vm => until.vm,
        Counter::Lgkm => until.lgkm,
        Counter::Exp => until.exp,
    }
}

impl Text {
    pub fn new(isa: Isa, regions: &[(u64, Vec<u8>)]) -> Text {
        let (mut insts, mut targets) = (BTreeMap::new(), BTreeMap::new());
        for (address, bytes) in regions {
            let words: Vec<u32> = bytes
                .as_chunks()
                .0
                .iter()
                .map(|it| u32::from_le_bytes(*it))
                .collect();
            let mut at = 0;
            while at < words.len() {
                let pc = address + 4 * at as u64;
                match isa.decoder().decode(&words[at..]) {
                    Ok((inst, skimmed)) => {
                        at += inst.dwords();
                        if let Some(distance) = skimmed.branch {
                            let to = (address + 4 * at as u64).wrapping_add_signed(4 * distance);
                            targets.insert(pc, to);
                        }
                        insts.insert(pc, inst);
                    }
                    Err(_) => at += 1,
                }
            }
        }
        Text {
            isa,
            insts,
            targets,
        }
    }

    /// All waits.
    pub fn waits(&self) -> Vec<Wait> {
        self.insts
            .iter()
            .filter_map(|(&pc, it)| {
                Some(Wait {
                    pc,
                    until: self.wait(it)?,
                })
            })
            .collect()
    }

    fn wait(&self, inst: &Inst) -> Option<Waitcnt> {
        let is_wait = inst.does() == Does::Control(Control::Waitcnt);
        is_wait.then(|| Waitcnt::unpack(self.isa, inst.get(Field::Simm16) as u16))
    }

    /// The parts of an instruction that counters count.
    fn ops(&self, inst: &Inst) -> Vec<Op> {
        let uses = inst.uses();
        let Some(counters) = uses.counters() else {
            return Vec::new();
        };
        let is_flat = counters.order == Order::Flat;
        counters
            .held()
            .map(|counter| Op {
                order: match counter {
                    Counter::Vm if is_flat && self.isa < Isa::Gfx9 => Order::VectorMemory,
                    _ => counters.order,
                },
                sampled: counters.sampled,
                counter,
                registers: uses
                    .registers()
                    .filter(|it| uses.released_by(it).contains(&counter))
                    .collect(),
                is_flat,
            })
            .collect()
    }

    /// True if an instruction must wait for the operation.
    fn conflicts(&self, op: &Op, inst: &Inst) -> bool {
        let uses = inst.uses();
        uses.registers().any(|it| {
            op.registers
                .iter()
                .filter(|held| held.overlaps(&it))
                .any(|held| {
                    if held.written == 0 {
                        return it.written & held.read != 0;
                    }
                    let own = uses.counters();
                    let follows = own.is_some_and(|own| own.writes_behind(op.order, op.sampled))
                        && uses.released_by(&it).contains(&op.counter);
                    it.read & held.written != 0 || it.written & held.written != 0 && !follows
                })
        })
    }

    /// Follows an operation from a place, where a wait may be changed, to the ends of all paths.
    fn follow(&self, op: &Op, from: At, changed: Option<Wait>) -> BTreeSet<End> {
        let (mut ends, mut seen, mut work) = (BTreeSet::new(), BTreeSet::new(), vec![from]);
        while let Some((pc, mut least)) = work.pop() {
            if !seen.insert((pc, least)) {
                continue;
            }
            let Some(inst) = self.insts.get(&pc) else {
                ends.insert(End::Ended);
                continue;
            };
            if self.conflicts(op, inst) {
                ends.insert(End::Used(pc));
                continue;
            }
            let here = changed.filter(|it| it.pc == pc).map(|it| it.until);
            if let Some(until) = here.or_else(|| self.wait(inst))
                && field(until, op.counter) < least
            {
                ends.insert(End::Waited(pc, least));
                continue;
            }
            for other in self.ops(inst) {
                if other.counter == op.counter && other.order == op.order && op.order.is_kept() {
                    let counters = inst.uses().counters();
                    least += counters.map_or(0, |it| match op.counter {
                        Counter::Vm => it.vm,
                        Counter::Lgkm => it.lgkm,
                        Counter::Exp => it.exp,
                    });
                }
            }
            // Issue waits for what would overflow the counter.
            if least > field(Waitcnt::max(self.isa), op.counter) {
                continue;
            }
            let next = pc + 4 * inst.dwords() as u64;
            let to = self.targets.get(&pc).copied();
            match inst.does() {
                Does::Control(Control::End) => drop(ends.insert(End::Ended)),
                Does::Jump => drop(ends.insert(End::Called)),
                Does::Branch(_) if inst.uses().calls() => drop(ends.insert(End::Called)),
                Does::Branch(Condition::Always) => work.extend(to.map(|to| (to, least))),
                Does::Branch(_) | Does::Fork => {
                    work.push((next, least));
                    work.extend(to.map(|to| (to, least)));
                }
                _ => work.push((next, least)),
            }
        }
        ends
    }

    /// For each wait, by its address: the operations that it releases.
    pub fn released(&self) -> BTreeMap<u64, Vec<Released>> {
        let mut all: BTreeMap<u64, Vec<Released>> = BTreeMap::new();
        for (&pc, inst) in &self.insts {
            for (number, op) in self.ops(inst).iter().enumerate() {
                let own = if op.order.is_kept() {
                    let counters = inst.uses().counters().expect("it is counted");
                    field(
                        Waitcnt {
                            vm: counters.vm,
                            exp: counters.exp,
                            lgkm: counters.lgkm,
                        },
                        op.counter,
                    )
                } else {
                    1
                };
                for end in self.follow(op, (pc + 4 * inst.dwords() as u64, own), None) {
                    if let End::Waited(wait, least) = end {
                        all.entry(wait).or_default().push(Released {
                            by: pc,
                            number,
                            least,
                        });
                    }
                }
            }
        }
        all
    }

    /// Result of a changed wait: why no register needs it, or the uses that do, each with its operation.
    pub fn judge(&self, released: &[Released], changed: Wait) -> (Reason, BTreeSet<(u64, u64)>) {
        let mut uses = BTreeSet::new();
        let mut reason = Reason::Nothing;
        for it in released {
            let inst = &self.insts[&it.by];
            let op = &self.ops(inst)[it.number];
            if field(changed.until, op.counter) < it.least {
                continue;
            }
            if op.registers.is_empty() {
                reason = reason.min(Reason::Memory);
                continue;
            }
            for end in self.follow(op, (changed.pc, it.least), Some(changed)) {
                let why = match end {
                    End::Used(_) if op.is_flat => Reason::Flat,
                    End::Used(pc) => {
                        uses.insert((it.by, pc));
                        Reason::Needed
                    }
                    End::Waited(..) => Reason::OtherWait,
                    End::Called => Reason::Call,
                    End::Ended => Reason::Unused,
                };
                reason = reason.min(why);
            }
        }
        (reason, uses)
    }
}

/// An operation that a wait releases.
#[derive(Clone, Copy, Debug)]
pub struct Released {
    /// Its address.
    by: u64,
    /// The one of its counters.
    number: usize,
    /// The least value of the counter while it is outstanding.
    least: u8,
}
