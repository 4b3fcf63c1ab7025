//! Model of the waits that registers need, derived from executed instructions: the ground truth for `gcn check`.
//!
//! The model follows each operation from its issue until a second wait guarantees its completion. While only one wait
//! does, a use of its registers needs that wait, and is recorded with the largest counter value that would still
//! suffice. One run of unmodified code therefore shows the effect of each modification of each wait, since S_WAITCNT
//! has no other effect in the emulator.
//!
//! Rules: checklist 5 and 6, errata E082, E083, E120, E250. The checker has an independent implementation, which
//! shares only `gcn_isa::uses` with the model.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::step::Arg;
use gcn_isa::effect::{Control, Does};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Order, RegisterUse, Registers, Space, UsedLanes};
use gcn_isa::{Field, Inst, Isa};
use gcn_runtime::observe::{
    Context, Events, Instruction, MemoryEvent, Observer, WaveEnd, WaveObserver,
};

/// Outcome of an operation whose completion only one wait has guaranteed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fate {
    /// The operation wrote LDS, and a barrier followed before another wait.
    Barrier,
    /// The operation holds no register: a store, or an atomic without a result.
    Memory,
    /// FLAT instruction whose lanes accessed memory that the other counter tracks.
    OtherMemory,
    /// Another wait guarantees completion before the registers are used.
    OtherWait,
    /// Its registers are not used until the wave ends.
    Unused,
}

/// Addresses of an operation's instruction and of one that uses its registers.
pub type Pair = (u64, u64);

/// Facts about one counter of a wait, for operations that only a counter value below `level` completes.
#[derive(Clone, Default, Debug)]
pub struct ReleaseFacts {
    /// Uses that need the wait.
    pub uses: BTreeSet<Pair>,
    /// First use of each operation, among `uses`.
    pub first: BTreeSet<Pair>,
    /// Outcomes of the other operations.
    pub fates: BTreeSet<Fate>,
}

/// Facts observed in a run. Addresses are those of the loaded code.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    /// Executed instructions.
    pub executed: BTreeSet<u64>,
    /// Facts by wait, counter and level.
    pub released: HashMap<(u64, Counter, u8), ReleaseFacts>,
    /// Uses without a guarding wait.
    pub unguarded: BTreeSet<Pair>,
    /// Waits, each with the next one that also guarantees one of its operations.
    pub next: BTreeSet<Pair>,
    /// S_NOPs with the instructions before them.
    pub nops: BTreeSet<(u64, [u64; HISTORY])>,
    /// Number of waves that had ended, including the current one, at the last new fact about the wait or S_NOP at an
    /// address.
    pub settled: HashMap<u64, u64>,
}

/// Number of recent instructions kept per wave.
const HISTORY: usize = 6;

impl Facts {
    /// Adds the facts of the `number`th wave to end.
    fn add(&mut self, other: Facts, number: u64) {
        self.unguarded.extend(other.unguarded);
        self.next.extend(other.next);
        for (key, theirs) in other.released {
            let ours = self.released.entry(key).or_default();
            let size = ours.size();
            ours.uses.extend(theirs.uses);
            ours.first.extend(theirs.first);
            ours.fates.extend(theirs.fates);
            if ours.size() > size {
                self.settled.insert(key.0, number);
            }
        }
        for it in other.nops {
            if self.nops.insert(it) {
                self.settled.insert(it.0, number);
            }
        }
    }
}

impl ReleaseFacts {
    fn size(&self) -> usize {
        self.uses.len() + self.first.len() + self.fates.len()
    }
}

/// Observer that follows operations.
pub struct Model {
    all: Arc<Mutex<All>>,
}

#[derive(Default)]
struct All {
    facts: Facts,
    /// Number of ended waves.
    ended: u64,
}

impl Model {
    /// Creates an empty model.
    pub fn new() -> Model {
        Model {
            all: Arc::default(),
        }
    }

    /// Facts so far.
    pub fn facts(&self) -> Facts {
        let all = self.all.lock();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        all.facts.clone()
    }
}

impl Observer for Model {
    fn wants(&self) -> Events {
        Events::WAVE | Events::COMPLETE | Events::ACCESSED
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Watch {
            all: self.all.clone(),
            waves: HashMap::new(),
            decoded: HashMap::new(),
        }))
    }
}

/// Properties of an instruction that affect waits.
struct DecodedInstruction {
    uses: Vec<(RegisterUse, &'static [Counter])>,
    /// Counters, each with its increment and the order of return.
    counters: Vec<(Counter, u8, Order)>,
    /// True if a sampler is involved.
    sampled: bool,
    wait: Option<Waitcnt>,
    is_barrier: bool,
    writes_lds: bool,
}

impl DecodedInstruction {
    fn of(inst: &Inst) -> DecodedInstruction {
        let uses = inst.uses();
        let counters = uses.counters().map_or_else(Vec::new, |it| {
            let all = [
                (Counter::Vm, it.vm),
                (Counter::Lgkm, it.lgkm),
                (Counter::Exp, it.exp),
            ];
            let held = all.into_iter().filter(|(_, amount)| *amount != 0);
            held.map(|(counter, amount)| (counter, amount, it.order))
                .collect()
        });
        DecodedInstruction {
            uses: uses
                .registers()
                .map(|it| (it, uses.released_by(&it)))
                .collect(),
            counters,
            sampled: uses.counters().is_some_and(|it| it.sampled),
            wait: wait(inst),
            is_barrier: inst.does() == Does::Control(Control::Barrier),
            writes_lds: uses.memory().is_some_and(|it| it.written.has(Space::Lds)),
        }
    }
}

/// Counter values that S_WAITCNT waits for; `None` for other instructions.
pub fn wait(inst: &Inst) -> Option<Waitcnt> {
    let is_wait = inst.does() == Does::Control(Control::Waitcnt);
    is_wait.then(|| Waitcnt::unpack(inst.isa, inst.get(Field::Simm16) as u16))
}

/// Field of an S_WAITCNT for a counter.
pub fn field(until: Waitcnt, counter: Counter) -> u8 {
    match counter {
        Counter::Vm => until.vm,
        Counter::Lgkm => until.lgkm,
        Counter::Exp => until.exp,
    }
}

/// Registers of a use, by number: vector registers, then scalar ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    first: u16,
    count: u16,
    read: u32,
    written: u32,
    /// Lanes that use the registers; all lanes for scalar registers.
    lanes: u64,
}

/// Number of vector registers.
const VECTORS: u16 = 256;

impl Span {
    fn of(it: &RegisterUse, exec: u64) -> Option<Span> {
        let (first, count) = match it.registers {
            Registers::Vector { first, count } => (u16::from(first), count),
            Registers::Scalar { first, count } => (VECTORS + u16::from(first), count),
            Registers::State(_) => return None,
        };
        let lanes = match it.lanes {
            UsedLanes::Active => exec,
            UsedLanes::First if exec != 0 => 1 << exec.trailing_zeros(),
            UsedLanes::First => 1,
            UsedLanes::Scalar | UsedLanes::Selected | UsedLanes::Crossing => u64::MAX,
        };
        Some(Span {
            first,
            count: count.into(),
            read: it.read,
            written: it.written,
            lanes,
        })
    }

    fn meets(&self, other: &Span) -> bool {
        self.first < other.first + other.count
            && other.first < self.first + self.count
            && self.lanes & other.lanes != 0
    }
}

/// Resource that an outstanding operation holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HeldResource {
    Registers,
    Lds,
    Nothing,
    /// FLAT instruction that accessed memory of the other counter.
    OtherMemory,
}

/// Operation on one counter.
#[derive(Clone, Debug)]
struct Operation {
    pc: u64,
    counter: Counter,
    order: Order,
    sampled: bool,
    spans: Vec<Span>,
    holds: HeldResource,
    /// Minimum value of the counter while the operation is outstanding.
    least: u8,
    /// The only wait that guarantees completion, with the counter value below which it does.
    guard: Option<(u64, u8)>,
    is_used: bool,
}

/// Operations of a wave.
#[derive(Default)]
struct Wave {
    operations: Vec<Operation>,
    /// Lanes of the current instruction that accessed memory counted by VM_CNT, and lanes that accessed LDS.
    vector: u64,
    lds: u64,
    /// Last executed instructions, oldest first.
    history: [u64; HISTORY],
}

/// Identity of a wave: workgroup and number.
type Name = ([u32; 3], u32);

/// Model of one thread's waves.
struct Watch {
    all: Arc<Mutex<All>>,
    waves: HashMap<Name, (Wave, Facts)>,
    decoded: HashMap<u64, DecodedInstruction>,
}

fn name(context: &Context<'_>) -> Name {
    let id = context.id();
    (id.group, id.wave)
}

impl Facts {
    fn released(&mut self, operation: &Operation) -> Option<&mut ReleaseFacts> {
        let (wait, level) = operation.guard?;
        let key = (wait, operation.counter, level);
        Some(self.released.entry(key).or_default())
    }

    fn ends(&mut self, operation: &Operation, fate: Fate) {
        let fate = match operation.holds {
            HeldResource::Registers => fate,
            HeldResource::OtherMemory => Fate::OtherMemory,
            HeldResource::Lds if fate == Fate::Barrier => fate,
            HeldResource::Lds | HeldResource::Nothing => Fate::Memory,
        };
        if operation.is_used {
            return;
        }
        if let Some(it) = self.released(operation) {
            it.fates.insert(fate);
        }
    }
}

/// True if the second of two writes always lands after the first.
fn follows(first: &Operation, own: Option<(Order, bool)>, released: &[Counter]) -> bool {
    let same = own == Some((first.order, first.sampled));
    first.order.is_kept() && same && released.contains(&first.counter)
}

impl Wave {
    /// Records the operations whose registers an instruction uses. `own` is the instruction's order and sampler flag,
    /// if a counter counts it.
    fn uses(
        &mut self,
        pc: u64,
        spans: &[(Span, &'static [Counter])],
        own: Option<(Order, bool)>,
        facts: &mut Facts,
    ) {
        for operation in &mut self.operations {
            let conflicts = spans.iter().any(|(it, released)| {
                let mut held = operation.spans.iter();
                let follows = follows(operation, own, released);
                held.any(|held| {
                    it.meets(held)
                        && if held.written == 0 {
                            it.written & held.read != 0
                        } else {
                            it.read & held.written != 0
                                || it.written & held.written != 0 && !follows
                        }
                })
            });
            if !conflicts {
                continue;
            }
            let pair = (operation.pc, pc);
            let is_first = !operation.is_used;
            match facts.released(operation) {
                Some(it) => {
                    it.uses.insert(pair);
                    if is_first {
                        it.first.insert(pair);
                    }
                }
                None => drop(facts.unguarded.insert(pair)),
            }
            operation.is_used = true;
        }
    }

    fn wait(&mut self, pc: u64, until: Waitcnt, facts: &mut Facts) {
        let mut kept: Vec<Operation> = Vec::new();
        for mut it in self.operations.drain(..) {
            if field(until, it.counter) < it.least {
                match it.guard {
                    Some((own, level)) if own == pc => it.guard = Some((own, level.max(it.least))),
                    None => it.guard = Some((pc, it.least)),
                    Some((own, _)) => {
                        facts.next.insert((own, pc));
                        facts.ends(&it, Fate::OtherWait);
                        continue;
                    }
                }
                // The same operation in an earlier loop iteration would yield the same facts.
                let is_same = |other: &Operation| {
                    (other.pc, other.counter, other.guard) == (it.pc, it.counter, it.guard)
                        && other.spans == it.spans
                };
                kept.retain(|other| !is_same(other));
            }
            kept.push(it);
        }
        self.operations = kept;
    }

    fn barrier(&self, facts: &mut Facts) {
        for it in self
            .operations
            .iter()
            .filter(|it| it.holds == HeldResource::Lds)
        {
            facts.ends(it, Fate::Barrier);
        }
    }

    /// Order of an operation on a counter. For FLAT it depends on the memory accessed.
    fn order(&self, counter: Counter, order: Order) -> (Order, bool) {
        match (order, counter) {
            (Order::Flat, Counter::Vm) if self.lds == 0 => (Order::VectorMemory, true),
            (Order::Flat, Counter::Vm) => (order, self.vector != 0),
            (Order::Flat, Counter::Lgkm) => (order, self.lds != 0),
            _ => (order, true),
        }
    }

    fn issue(
        &mut self,
        isa: Isa,
        pc: u64,
        decoded: &DecodedInstruction,
        spans: &[(Span, &'static [Counter])],
        facts: &mut Facts,
    ) {
        for &(counter, amount, order) in &decoded.counters {
            let (order, is_here) = self.order(counter, order);
            let most = field(Waitcnt::max(isa), counter);
            for it in &mut self.operations {
                if it.counter == counter && it.order == order && order.is_kept() {
                    it.least += amount;
                }
            }
            // Issue stalls until the counter can hold the operation.
            self.operations.retain(|it| {
                let is_left = it.counter != counter || it.least <= most;
                if !is_left {
                    facts.ends(it, Fate::OtherWait);
                }
                is_left
            });
            let held = spans.iter().filter(|(_, by)| by.contains(&counter));
            let held: Vec<Span> = held.map(|(span, _)| *span).collect();
            let holds = match (is_here, held.is_empty()) {
                (false, _) => HeldResource::OtherMemory,
                (true, false) => HeldResource::Registers,
                (true, true) if decoded.writes_lds && counter == Counter::Lgkm => HeldResource::Lds,
                (true, true) => HeldResource::Nothing,
            };
            self.operations.push(Operation {
                pc,
                counter,
                order,
                sampled: decoded.sampled,
                spans: if is_here { held } else { Vec::new() },
                holds,
                least: if order.is_kept() { amount } else { 1 },
                guard: None,
                is_used: false,
            });
        }
    }
}

/// Registers of a use after VGPR indexing and MOVREL.
fn moved(it: &RegisterUse, instruction: &Instruction<'_>) -> Option<RegisterUse> {
    let Some(&arg) = it
        .operand()
        .and_then(|place| instruction.operands.get(place))
    else {
        return Some(*it);
    };
    let registers = match (it.registers, arg) {
        (Registers::Vector { count, .. }, Arg::Vgpr(first)) => Registers::Vector { first, count },
        (Registers::Scalar { count, .. }, Arg::Scalar(first)) => Registers::Scalar { first, count },
        // The destination is outside the wave's registers.
        (_, Arg::None) => return None,
        (registers, _) => registers,
    };
    Some(RegisterUse { registers, ..*it })
}

impl WaveObserver for Watch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        self.waves.insert(name(context), Default::default());
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        let (wave, mut facts) = self.waves.remove(&name(context)).unwrap_or_default();
        for it in &wave.operations {
            facts.ends(it, Fate::Unused);
        }
        let all = self.all.lock();
        let mut all = all.unwrap_or_else(PoisonError::into_inner);
        all.ended += 1;
        let number = all.ended;
        all.facts.add(facts, number);
    }

    fn accessed(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        let (wave, _) = self.waves.entry(name(context)).or_default();
        let access = event.access();
        wave.vector |= access.global | access.scratch | access.buffer;
        wave.lds |= access.lds;
    }

    fn completes(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let (wave, facts) = self.waves.entry(name(context)).or_default();
        let inst = &instruction.step.inst;
        let decoded = self.decoded.entry(context.pc);
        let decoded = decoded.or_insert_with(|| DecodedInstruction::of(inst));
        let spans: Vec<(Span, &'static [Counter])> = decoded
            .uses
            .iter()
            .filter_map(|(it, released)| {
                let span = Span::of(&moved(it, instruction)?, instruction.exec)?;
                Some((span, *released))
            })
            .collect();
        let own = decoded.counters.first();
        let own = own.map(|&(counter, _, order)| (wave.order(counter, order).0, decoded.sampled));
        wave.uses(context.pc, &spans, own, facts);
        if decoded.is_barrier {
            wave.barrier(facts);
        }
        if let Some(until) = decoded.wait {
            wave.wait(context.pc, until, facts);
        }
        wave.issue(inst.isa, context.pc, decoded, &spans, facts);
        (wave.vector, wave.lds) = (0, 0);
        if inst.does() == Does::Control(Control::Nop) {
            facts.nops.insert((context.pc, wave.history));
        }
        wave.history.rotate_left(1);
        wave.history[HISTORY - 1] = context.pc;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let all = self.all.lock();
        let mut all = all.unwrap_or_else(PoisonError::into_inner);
        all.facts.executed.extend(self.decoded.keys());
    }
}
