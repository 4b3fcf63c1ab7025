//! Execution trace of selected workgroups, with the last writer of each byte of memory.
//!
//! Each instruction that a traced wave executes has a [`Record`]. The trace lists the definitions of each register, so a
//! binary search finds the one that reaches a use. Each access records its bytes and their previous writers.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use gcn_emu::fault::Intent;
use gcn_emu::observe::{Access, Context, Instruction, LaneSpace};
use gcn_emu::run::Initial;
use gcn_emu::step::Step;
use gcn_emu::wave::WaveId;
use gcn_isa::Does;

use super::calls::Calls;
use super::control::ControlDependences;
use super::facts::{Class, Facts, Reads, Register, Selector, noted_lane};
use super::shadow::{Shadow, WriterId};

/// Maximum size of a trace in bytes.
const MAX_BYTES: usize = 1 << 30;

/// Address bits that mark LDS and GDS.
pub(crate) const LDS: u64 = 1 << 63;
pub(crate) const GDS: u64 = 1 << 62;

/// Workgroup of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Group {
    /// Index of the run, from 0.
    pub(crate) run: u32,
    pub(crate) group: [u32; 3],
}

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

/// Executed instruction: index of the wave in the trace, and index of the instruction in the wave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Instance {
    pub(crate) wave: u32,
    pub(crate) at: u32,
}

/// Part of a dword that a lane accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) address: u64,
    /// Last writer of the bytes before the access.
    writer: WriterId,
    pub(crate) lane: u8,
    pub(crate) element: u8,
    pub(crate) dword: u8,
    /// Offset of the first byte in the dword, and number of bytes.
    pub(crate) bytes: (u8, u8),
    pub(crate) is_read: bool,
    pub(crate) is_written: bool,
}

impl Unit {
    /// True if byte `byte` of this part contains any of the dword's bits in the mask `bits`.
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
    /// Index in the trace's `pulled` or `selected`, if the instruction has an entry there.
    more: u32,
    /// Index of the call in [`Calls`].
    call: u32,
    pub(crate) exec: u64,
    /// Selected lane, or the first active one.
    pub(crate) lane: u8,
}

/// Trace of a wave.
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
        // Executions of an instruction take effect in order. Earlier ones with another EXEC made no access.
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

/// Trace of consecutive runs.
#[derive(Default)]
pub(crate) struct Trace {
    /// Index of the current run.
    pub(crate) run: u32,
    pub(crate) wanted: HashSet<Group>,
    /// Executed instructions whose values are recorded, each with the lane.
    pub(crate) values_of: HashMap<Instance, u8>,
    /// Values recorded for `values_of`: those read (false) and those written (true).
    pub(crate) values: HashMap<(Instance, bool), Vec<(Register, u32)>>,
    /// Registers and lanes whose values are recorded when an instruction is issued.
    pub(crate) reads_of: HashMap<Instance, Vec<(Register, u8)>>,
    /// Values recorded for `reads_of`.
    pub(crate) reads: HashMap<(Instance, Register, u8), u32>,
    pub(crate) facts: Vec<Facts>,
    by_pc: HashMap<u64, u32>,
    pub(crate) waves: Vec<WaveTrace>,
    by_id: HashMap<(u32, WaveId), u32>,
    units: Vec<Unit>,
    pulled: Vec<[u8; 64]>,
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
    /// Address of an `s_endpgm` instruction.
    pub(crate) end: Option<u64>,
    /// True if the trace has reached its maximum size.
    pub(crate) is_full: bool,
    /// Number of waves that have ended in each traced workgroup.
    pub(crate) ended: HashMap<Group, u32>,
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

    /// Returns the parts of dwords that a record's instruction accessed.
    pub(crate) fn units(&self, record: &Record) -> &[Unit] {
        &self.units[record.units.0 as usize..record.units.1 as usize]
    }

    /// Returns the source lane for each lane, if recorded.
    pub(crate) fn pulled(&self, record: &Record) -> Option<&[u8; 64]> {
        self.pulled.get(record.more as usize)
    }

    /// Returns the lanes in which the condition of a selection is true.
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

    /// Returns the instance after the last one of a wave, if the wave is traced.
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

    /// Returns the writer of a unit's bytes before the access.
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
        self.units.len() * size_of::<Unit>() + self.instructions as usize * size_of::<Record>()
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
        let is_moved = *instruction.operands != instruction.step.args;
        if !is_moved && let Some(place) = self.by_pc.get(&context.pc) {
            return *place;
        }
        let place = self.facts.len() as u32;
        self.facts.push(Facts::of(context, instruction));
        if !is_moved {
            self.by_pc.insert(context.pc, place);
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
        if let (Some(register), Some(plan)) = (facts.pulls_by, &instruction.step.memory) {
            let places = context.wave.vgpr(register).0;
            let offset = plan.offset as u32;
            record.more = self.pulled.len() as u32;
            self.pulled
                .push(places.map(|it| (it.wrapping_add(offset) / 4 % 64) as u8));
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
                let lane = match read.reads {
                    Reads::Noted => record.lane,
                    _ => *lane,
                };
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

    /// Records a memory access. For untraced waves, only stores and atomics are recorded.
    pub(crate) fn access(&mut self, context: &Context<'_>, step: &Step, access: &Access) {
        let id = context.id();
        let group = Group {
            run: self.run,
            group: id.group,
        };
        let wave = if self.is_full { None } else { self.wave(id) };
        let Some(intent) = access.intent else {
            return;
        };
        if wave.is_none() && intent == Intent::Load {
            return;
        }
        let writes = intent != Intent::Load;
        let reads = intent != Intent::Store;
        let at = wave.map_or(0, |wave| self.waves[wave as usize].accessing(context));
        let by = match wave {
            Some(wave) => {
                let id = (self.instances.len() as u32) << 1 | 1;
                self.instances.push(Instance { wave, at });
                id
            }
            None => self.group_id(group),
        };
        let does = step.memory.as_deref().map(|it| it.does);
        let begin = self.units.len() as u32;
        for lane in gcn_emu::wave::active(access.lanes()) {
            for element in 0..access.elements {
                let bytes = match access.scalar {
                    true if access.dwords_in_bounds != 0 => 4 * access.dwords_in_bounds,
                    _ => access.bytes,
                };
                for dword in 0..bytes.div_ceil(4) {
                    for byte in 0..(bytes - 4 * dword).min(4) {
                        let part = Part {
                            lane: lane as u8,
                            element,
                            dword,
                            byte,
                        };
                        if let Some(address) = byte_address(access, part) {
                            self.byte(address, group, (reads, writes), by, part, wave.is_some());
                        }
                    }
                }
            }
            // LDS side of a transfer between LDS and memory, or the second LDS location of an SRC2 atomic.
            if access.to_lds.is_some() || matches!(does, Some(Does::AtomicFromLds(..))) {
                let (base, is_written) = match does {
                    Some(Does::AtomicFromLds(..)) => (access.second[lane], false),
                    _ => (access.place_in_lds(lane), intent == Intent::Load),
                };
                for byte in 0..4 {
                    let part = Part {
                        lane: lane as u8,
                        element: 0,
                        dword: 0,
                        byte,
                    };
                    let uses = (!is_written, is_written);
                    let address = LDS | base.wrapping_add(byte.into());
                    self.byte(address, group, uses, by, part, wave.is_some());
                }
            }
        }
        if let Some(wave) = wave
            && let Some(record) = self.waves[wave as usize].records.get_mut(at as usize)
        {
            // An image instruction makes a separate access for each texel.
            if record.units.1 != begin {
                record.units.0 = begin;
            }
            record.units.1 = self.units.len() as u32;
        }
    }

    /// Records an access to a byte by a traced wave, or a write to it by any other wave.
    fn byte(
        &mut self,
        address: u64,
        group: Group,
        (is_read, is_written): (bool, bool),
        by: WriterId,
        part: Part,
        is_traced: bool,
    ) {
        let writer = if address & LDS != 0 {
            if !is_traced {
                return;
            }
            let shadow = self.lds.entry(group).or_default();
            if is_written {
                shadow.set(address, by)
            } else {
                shadow.get(address)
            }
        } else {
            if address & GDS != 0 {
                self.shares.insert(group.run);
            }
            let before = if is_written {
                self.shadow.set(address, by)
            } else {
                self.shadow.get(address)
            };
            if before != 0
                && before != by
                && is_written
                && !self.shares.contains(&group.run)
                && self
                    .group_of(before)
                    .is_some_and(|it| it.run == group.run && it != group)
            {
                self.shares.insert(group.run);
            }
            before
        };
        if !is_traced {
            return;
        }
        let next = self.units.last_mut().filter(|it| {
            it.lane == part.lane
                && it.element == part.element
                && it.dword == part.dword
                && it.writer == writer
                && it.is_written == is_written
                && it.address + u64::from(it.bytes.1) == address
                && it.bytes.0 + it.bytes.1 == part.byte
        });
        match next {
            Some(unit) => unit.bytes.1 += 1,
            None => self.units.push(Unit {
                address,
                writer,
                lane: part.lane,
                element: part.element,
                dword: part.dword,
                bytes: (part.byte, 1),
                is_read,
                is_written,
            }),
        }
    }
}

/// Byte of a lane's access.
#[derive(Clone, Copy)]
struct Part {
    lane: u8,
    element: u8,
    dword: u8,
    byte: u8,
}

/// Returns the address of a byte in an access, with the flag of its address space.
fn byte_address(access: &Access, part: Part) -> Option<u64> {
    let lane = usize::from(part.lane);
    let byte = u64::from(part.dword) * 4 + u64::from(part.byte);
    let base = match part.element {
        0 => access.address[lane],
        _ => access.second[lane],
    };
    match access.space(lane)? {
        LaneSpace::Lds => Some(LDS | base.wrapping_add(byte) & u64::from(u32::MAX)),
        LaneSpace::Gds => Some(GDS | base.wrapping_add(byte) & u64::from(u32::MAX)),
        LaneSpace::Global => Some(base.wrapping_add(byte)),
        LaneSpace::Scratch | LaneSpace::Buffer => access.place(lane, byte),
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
