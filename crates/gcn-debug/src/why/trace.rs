//! Execution trace of selected workgroups, with the last writer of each byte of memory.
//!
//! Each instruction that a traced wave executes has a [`Record`]. The trace lists the definitions of each register, so
//! a binary search finds the one that reaches a use. Each access records its bytes and their previous writers.

mod memory;

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use gcn_emu::observe::{Context, Instruction};
use gcn_emu::run::Initial;
use gcn_emu::step::{Arg, MAX_ARGS, MemoryPlan};
use gcn_emu::wave::{Wave, WaveId, active};
use gcn_isa::Does;
use gcn_isa::effect::LaneMove;
use gcn_isa::swizzle::Pattern;
use gcn_isa::uses::RegisterUse;

use super::calls::Calls;
use super::control::ControlDependences;
use super::facts::{Class, Facts, Reads, Register, Selector, noted_lane};
use super::groups::{Ends, Group};
use super::shadow::{Shadow, WriterId};

/// Maximum size of a trace in bytes.
const MAX_BYTES: usize = 1 << 30;

/// Address bits that mark LDS and GDS addresses.
pub(crate) const LDS: u64 = 1 << 63;
pub(crate) const GDS: u64 = 1 << 62;

/// Lane number of results and accesses that belong to no lane.
pub(crate) const NO_LANE: u8 = u8::MAX;

/// Last writer of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Writer {
    /// No writer: the byte has its initial value.
    Nobody,
    /// Workgroup that is not traced.
    Group(Group),
    /// Executed instruction.
    Instance(Instance),
}

/// Executed instruction: index of the wave in the trace, and index of the instruction in the wave's trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Instance {
    pub(crate) wave: u32,
    pub(crate) at: u32,
}

/// Consecutive bytes of a dword that a lane or the whole wave accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) address: u64,
    /// Last writer of the bytes before the access.
    writer: WriterId,
    /// Lane, or [`NO_LANE`] if the whole wave made the access.
    pub(crate) lane: u8,
    pub(crate) element: u8,
    pub(crate) dword: u8,
    /// Offset of the first byte in the dword, and number of bytes.
    pub(crate) bytes: (u8, u8),
    pub(crate) is_read: bool,
    pub(crate) is_written: bool,
}

impl Unit {
    /// True if `lane` takes part in the access. [`NO_LANE`] matches every access.
    pub(crate) fn is_of(&self, lane: u8) -> bool {
        lane == NO_LANE || self.lane == NO_LANE || self.lane == lane
    }

    /// True if byte `byte` of this unit contains any of the dword's bits in the mask `bits`.
    pub(crate) fn has(&self, byte: u8, bits: u32) -> bool {
        byte < self.bytes.1 && bits >> (8 * (self.bytes.0 + byte)) & 0xff != 0
    }
}

/// Executed instruction of a traced wave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) facts: u32,
    /// Range of the access in [`Trace`]'s list of units.
    units: (u32, u32),
    /// Index in the trace's `exchanged` or `selected`, if the instruction has an entry there.
    more: u32,
    /// Index of the call in [`Calls`].
    call: u32,
    pub(crate) exec: u64,
    /// Selected lane, or the first active one.
    pub(crate) lane: u8,
}

#[derive(Debug)]
pub(crate) struct WaveTrace {
    pub(crate) run: u32,
    pub(crate) id: WaveId,
    /// Base address of the wave's scratch.
    scratch: u64,
    pub(crate) records: Vec<Record>,
    definitions: HashMap<Register, Vec<u32>>,
    branches: HashMap<u64, Vec<u32>>,
    calls: Calls,
    /// Memory instructions that have been issued but have not taken effect, by PC. Used only for late completion.
    late: HashMap<u64, VecDeque<u32>>,
}

impl WaveTrace {
    /// Returns the index of the record whose access takes effect.
    fn accessing(&mut self, context: &Context<'_>) -> u32 {
        let last = self.records.len().saturating_sub(1) as u32;
        if !is_late(context) {
            return last;
        }
        // Executions of an instruction take effect in order. Earlier executions with another EXEC made no access.
        let exec = context.wave.exec();
        let records = &self.records;
        let issued = self.late.get_mut(&context.pc);
        let issued = issued.and_then(|issued| {
            let place = issued
                .iter()
                .position(|at| records[*at as usize].exec == exec)?;
            issued.drain(..=place).next_back()
        });
        issued.unwrap_or(last)
    }
}

/// True if the device simulates late completion of memory operations.
pub(crate) fn is_late(context: &Context<'_>) -> bool {
    context.dispatched.device.config.late.is_some()
}

/// Dispatch parameters of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunInfo {
    pub(crate) kernel: Option<String>,
    pub(crate) kernarg: Option<Range<u64>>,
    pub(crate) initial: Initial,
}

/// Operands and further register use of an execution, if they vary between executions.
type Variant = ([Arg; MAX_ARGS], Option<RegisterUse>);

/// Trace of consecutive runs.
#[derive(Default)]
pub(crate) struct Trace {
    /// Index of the current run.
    pub(crate) run: u32,
    pub(crate) wanted: HashSet<Group>,
    /// Executed instructions whose values are recorded, and the lane to record.
    pub(crate) values_of: HashMap<Instance, u8>,
    /// Values recorded for `values_of`: read values (false) and written values (true).
    pub(crate) values: HashMap<(Instance, bool), Vec<(Register, u32)>>,
    /// Registers and lanes whose values are recorded when an instruction is issued.
    pub(crate) reads_of: HashMap<Instance, Vec<(Register, u8)>>,
    /// Values recorded for `reads_of`.
    pub(crate) reads: HashMap<(Instance, Register, u8), u32>,
    pub(crate) facts: Vec<Facts>,
    /// Indices of the facts, by PC and variant.
    by_pc: HashMap<(u64, Option<Variant>), u32>,
    pub(crate) waves: Vec<WaveTrace>,
    by_id: HashMap<(u32, WaveId), u32>,
    units: Vec<Unit>,
    /// Source lanes of exchanges between lanes; [`NO_LANE`] for a lane that receives no value.
    exchanged: Vec<[u8; 64]>,
    /// Masks of the lanes in which a selection's condition is true.
    selected: Vec<u64>,
    shadow: Shadow,
    lds: HashMap<Group, Shadow>,
    instances: Vec<Instance>,
    groups: Vec<Group>,
    by_group: HashMap<Group, u32>,
    pub(crate) runs: HashMap<u32, RunInfo>,
    pub(crate) control: ControlDependences,
    /// Runs in which workgroups write the same bytes, or use GDS.
    pub(crate) shares: HashSet<u32>,
    pub(crate) ends: Ends,
    /// True if the trace has reached its maximum size.
    pub(crate) is_full: bool,
    /// Total number of records.
    instructions: u64,
}

impl Trace {
    pub(crate) fn record(&self, at: Instance) -> &Record {
        &self.waves[at.wave as usize].records[at.at as usize]
    }

    pub(crate) fn facts(&self, at: Instance) -> &Facts {
        &self.facts[self.record(at).facts as usize]
    }

    /// Returns the units that an executed instruction accessed.
    pub(crate) fn units(&self, record: &Record) -> &[Unit] {
        &self.units[record.units.0 as usize..record.units.1 as usize]
    }

    /// Returns the source lane of each lane in an exchange ([`NO_LANE`] if it receives no value), if recorded.
    pub(crate) fn exchanged(&self, record: &Record) -> Option<&[u8; 64]> {
        self.exchanged.get(record.more as usize)
    }

    /// Returns the lane in which an execution reads a vector register for its lane `own`.
    fn read_lane(&self, record: &Record, reads: Reads, own: u8) -> u8 {
        let facts = &self.facts[record.facts as usize];
        let source = match reads {
            Reads::Noted => Some(record.lane),
            Reads::Permuted => facts.permutation.and_then(|it| it.source(own % 64)),
            Reads::Exchanged => {
                let sources = self.exchanged(record);
                sources.map(|it| it[usize::from(own % 64)])
            }
            _ => None,
        };
        source.filter(|it| *it != NO_LANE).unwrap_or(own)
    }

    /// Returns the lanes in which the condition of a selection is true, if recorded.
    pub(crate) fn selected(&self, record: &Record) -> Option<u64> {
        self.selected.get(record.more as usize).copied()
    }

    /// Returns the lanes that an instance writes.
    pub(crate) fn lanes(&self, at: Instance) -> u64 {
        let record = self.record(at);
        let facts = self.facts(at);
        if facts.writes_noted_lane {
            1 << record.lane
        } else if let Some(cross) = &facts.cross_lane {
            cross.written(record.exec, cross.finding(record.exec))
        } else if facts.has_exec() {
            record.exec
        } else {
            u64::MAX
        }
    }

    /// Returns the instances that write a register before `before` in the same wave, latest first.
    pub(crate) fn definitions(
        &self,
        before: Instance,
        register: Register,
    ) -> impl Iterator<Item = Instance> {
        let all = self.waves[before.wave as usize].definitions.get(&register);
        let all = all.map_or(&[][..], Vec::as_slice);
        let end = all.partition_point(|at| *at < before.at);
        all[..end].iter().rev().map(move |at| Instance {
            wave: before.wave,
            at: *at,
        })
    }

    /// Returns the instance on which `before` is control dependent: the last earlier execution, in the same call, of a
    /// branch that controls it, or else the jump that entered the call.
    pub(crate) fn branch(&self, before: Instance) -> Option<Instance> {
        let wave = &self.waves[before.wave as usize];
        let call = self.record(before).call;
        let by = wave.calls.by(call);
        let branches = self.control.of(self.facts(before).pc);
        let last = branches.iter().filter_map(|pc| {
            let all = wave.branches.get(pc)?;
            let end = all.partition_point(|at| *at < before.at);
            let inner = all[..end].iter().rev().copied();
            inner
                .take_while(|at| by.is_none_or(|by| *at > by))
                .find(|at| wave.records[*at as usize].call == call)
        });
        let at = last.max().or(by)?;
        Some(Instance {
            wave: before.wave,
            at,
        })
    }

    /// Returns the last writer of a byte in global memory.
    pub(crate) fn last_writer(&self, address: u64) -> Writer {
        self.writer(self.shadow.get(address))
    }

    /// Returns the last writer of a byte in a traced workgroup's LDS. The address must have the LDS flag.
    pub(crate) fn last_writer_in_lds(&self, group: Group, address: u64) -> Writer {
        let shadow = self.lds.get(&group);
        shadow.map_or(Writer::Nobody, |it| self.writer(it.get(address)))
    }

    /// Returns the position after the last instance of a wave, if the wave is traced.
    pub(crate) fn end_of(&self, wave: (u32, WaveId)) -> Option<Instance> {
        let wave = *self.by_id.get(&wave)?;
        let at = self.waves[wave as usize].records.len() as u32;
        Some(Instance { wave, at })
    }

    /// Returns the base address of a wave's scratch, if the wave is traced.
    pub(crate) fn scratch_of(&self, wave: (u32, WaveId)) -> Option<u64> {
        let wave = *self.by_id.get(&wave)?;
        Some(self.waves[wave as usize].scratch)
    }

    /// Returns the last writer of a unit's bytes before the access.
    pub(crate) fn writer_of(&self, unit: &Unit) -> Writer {
        self.writer(unit.writer)
    }

    fn writer(&self, id: WriterId) -> Writer {
        let place = (id >> 1) as usize;
        match (id, id & 1) {
            (0, _) => Writer::Nobody,
            (_, 0) => Writer::Group(self.groups[place - 1]),
            _ => Writer::Instance(self.instances[place]),
        }
    }

    fn group_of(&self, id: WriterId) -> Option<Group> {
        match self.writer(id) {
            Writer::Nobody => None,
            Writer::Group(group) => Some(group),
            Writer::Instance(at) => {
                let wave = &self.waves[at.wave as usize];
                Some(Group {
                    run: wave.run,
                    group: wave.id.group,
                })
            }
        }
    }

    fn group_id(&mut self, group: Group) -> WriterId {
        let next = self.groups.len() as u32;
        let place = *self.by_group.entry(group).or_insert(next);
        if place == next {
            self.groups.push(group);
        }
        (place + 1) << 1
    }

    fn bytes(&self) -> usize {
        self.units.len() * size_of::<Unit>()
            + self.instructions as usize * size_of::<Record>()
            + size_of_val(&*self.exchanged)
    }

    /// Returns the index of a wave in the trace, adding it if it is new, or `None` if its workgroup is not traced.
    pub(crate) fn wave(&mut self, id: WaveId) -> Option<u32> {
        let group = Group {
            run: self.run,
            group: id.group,
        };
        if !self.wanted.contains(&group) {
            return None;
        }
        let next = self.waves.len() as u32;
        let place = *self.by_id.entry((self.run, id)).or_insert(next);
        if place == next {
            self.waves.push(WaveTrace {
                run: self.run,
                id,
                scratch: 0,
                records: Vec::new(),
                definitions: HashMap::new(),
                branches: HashMap::new(),
                calls: Calls::default(),
                late: HashMap::new(),
            });
        }
        Some(place)
    }

    fn facts_of(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) -> u32 {
        let step = instruction.step;
        let index = context.index(step);
        let further = index.or_else(|| context.address_beyond(step));
        let is_moved = *instruction.operands != step.args;
        let variant = (is_moved || further.is_some()).then_some((*instruction.operands, further));
        let next = self.facts.len() as u32;
        let place = *self.by_pc.entry((context.pc, variant)).or_insert(next);
        if place == next {
            self.facts.push(Facts::of(context, instruction, further));
        }
        place
    }

    /// Records an instruction issued by a traced wave.
    pub(crate) fn issue(
        &mut self,
        wave: u32,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
    ) {
        let number = self.facts_of(context, instruction);
        if self.bytes() > MAX_BYTES {
            self.is_full = true;
            return;
        }
        self.instructions += 1;
        let trace = &mut self.waves[wave as usize];
        trace.scratch = context.wave.scratch.base;
        let facts = &self.facts[number as usize];
        let at = trace.records.len() as u32;
        let call = trace.calls.execute(at, context.pc, facts.jump);
        let exec = instruction.exec;
        let end = self.units.len() as u32;
        let mut record = Record {
            facts: number,
            units: (end, end),
            more: u32::MAX,
            call,
            exec,
            lane: noted_lane(facts, context, exec),
        };
        if let (Does::Lanes(how), Some(plan)) = (facts.does, &instruction.step.memory) {
            record.more = self.exchanged.len() as u32;
            let sources = source_lanes(context.wave, plan, how, exec);
            self.exchanged.push(sources);
        }
        if let Some(selector) = facts.selector {
            let wave = context.wave;
            record.more = self.selected.len() as u32;
            self.selected.push(match selector {
                Selector::Scc if wave.scc => u64::MAX,
                Selector::Scc => 0,
                Selector::Mask(first) => {
                    let high = u64::from(wave.resolved(first.wrapping_add(1)));
                    u64::from(wave.resolved(first)) | high << 32
                }
            });
        }
        let trace = &mut self.waves[wave as usize];
        let at = trace.records.len() as u32;
        for write in &facts.writes {
            trace
                .definitions
                .entry(write.register)
                .or_default()
                .push(at);
        }
        if facts.class == Class::Branch {
            trace.branches.entry(facts.pc).or_default().push(at);
        }
        if facts.class == Class::Memory && is_late(context) {
            trace.late.entry(facts.pc).or_default().push_back(at);
        }
        trace.records.push(record);
        let instance = Instance { wave, at };
        if let Some(lane) = self.values_of.get(&instance) {
            let reads = facts.reads.iter().map(|read| {
                let lane = self.read_lane(&record, read.reads, *lane);
                (read.register, value(context, read.register, lane))
            });
            let reads = reads.collect();
            self.values.insert((instance, false), reads);
        }
        if let Some(wanted) = self.reads_of.get(&instance) {
            for &(register, lane) in wanted {
                let value = value(context, register, lane);
                self.reads.insert((instance, register, lane), value);
            }
        }
    }

    /// Records the values that a traced wave's last instruction has written.
    pub(crate) fn complete(&mut self, wave: u32, context: &Context<'_>) {
        let Some(at) = self.waves[wave as usize].records.len().checked_sub(1) else {
            return;
        };
        let at = Instance {
            wave,
            at: at as u32,
        };
        if let Some(lane) = self.values_of.get(&at) {
            let writes = self.facts(at).writes.iter();
            let writes = writes.map(|it| (it.register, value(context, it.register, *lane)));
            let writes = writes.collect();
            self.values.insert((at, true), writes);
        }
    }
}

/// Returns the lane whose value each lane receives in an exchange, or `NO_LANE` for none.
fn source_lanes(wave: &Wave, plan: &MemoryPlan, how: LaneMove, exec: u64) -> [u8; 64] {
    let offset = plan.offset as u32;
    let named = wave.vgpr(plan.vaddr.unwrap_or(0)).0;
    let named = named.map(|it| (it.wrapping_add(offset) / 4 % 64) as u8);
    match how {
        LaneMove::Swizzle => {
            let pattern = Pattern::unpack(wave.isa, plan.offset as u16);
            std::array::from_fn(|lane| pattern.source(lane as u8))
        }
        LaneMove::Pull => named,
        LaneMove::Push => {
            let mut sources = [NO_LANE; 64];
            for lane in active(exec) {
                sources[usize::from(named[lane])] = lane as u8;
            }
            sources
        }
    }
}

/// Returns the value of a register in a lane.
fn value(context: &Context<'_>, register: Register, lane: u8) -> u32 {
    let wave = context.wave;
    match (
        register.as_vector(),
        register.as_scalar(),
        register.as_hardware(),
    ) {
        (Some(number), ..) => wave.vgpr(number).0[usize::from(lane % 64)],
        (_, Some(number), _) => wave.resolved(number),
        (.., Some(number)) => wave.hardware_register(number),
        (None, None, None) => wave.scc.into(),
    }
}
