//! Accesses through a pointer to one allocation that reach another allocation.
//!
//! A pair of dwords loaded from an aligned address, such as an argument, is a pointer to an allocation if its value is an
//! address in the allocation or its end. Its halves are marked. Marks propagate through moves, selects, additions and
//! subtractions of numbers, alignment, and spills to scratch. The difference of two pointers to one allocation is a number.
//! The mark of any other result computed from a marked value is lost. An address with a lost component is not checked,
//! since the compiler may have combined two pointers.
//!
//! Unmapped bytes follow each allocation, so the end of an allocation is not the start of the next.

mod facts;
mod marks;

use std::sync::Arc;

use gcn_emu::fault::Intent;
use gcn_emu::memory::Memory;
use gcn_emu::observe::{
    Context, Events, Instruction, MemoryEvent, Observer, Phase, Verdict, WaveEnd, WaveObserver,
};
use gcn_emu::step::{Arg, Family, MemoryPlan};
use gcn_isa::uses::RegisterSet;

use crate::by_step::ByStep;
use crate::filter::lanes;
use crate::finding::{Finding, FindingAddress, FindingKey, FindingPlace, Findings, Kind, Side};
use crate::nearest::nearest;
use crate::scratch::scratch_place;
use crate::waves::Waves;

use facts::{MarkFlow, MarkedOperand, ProvenanceFacts, mask_register};
use marks::{AddressHalf, LoadedPointer, LoadedPointers, PointerMark, PointerMarks, sum};

pub(super) struct Provenance {
    findings: Arc<Findings>,
}

impl Provenance {
    pub(super) fn new(findings: Arc<Findings>) -> Provenance {
        Provenance { findings }
    }
}

impl Observer for Provenance {
    fn wants(&self) -> Events {
        Events::WAVE | Events::WATCHED | Events::ACCESS | Events::ACCESSED
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(ProvenanceWatch {
            findings: self.findings.clone(),
            facts: ByStep::default(),
            origins: LoadedPointers::default(),
            waves: Waves::default(),
        }))
    }
}

/// Checker for the waves of one thread.
struct ProvenanceWatch {
    findings: Arc<Findings>,
    facts: ByStep<Arc<ProvenanceFacts>>,
    origins: LoadedPointers,
    waves: Waves<PointerMarks>,
}

const POINTER: u64 = 8;
/// Address bits in the high half of a pointer. In descriptors, the other bits belong to other fields.
const ADDRESS_BITS: u32 = 0xffff;
/// Number of low bits that are zero in the first address of an allocation: allocations are aligned to 64 KiB.
const OFFSET_BITS: u32 = 16;
/// Maximum number of dwords in a result.
const RESULT: usize = 2;

/// An instruction that is about to execute.
struct Issue<'a> {
    context: &'a Context<'a>,
    instruction: &'a Instruction<'a>,
    facts: &'a ProvenanceFacts,
    origins: &'a LoadedPointers,
}

impl Issue<'_> {
    /// Returns the mark of a dword of an operand in a lane.
    fn mark(&self, marks: &PointerMarks, it: MarkedOperand, dword: u8, lane: usize) -> PointerMark {
        if dword >= it.dwords {
            return PointerMark::Number;
        }
        match self.instruction.operands[it.place] {
            Arg::Vgpr(first) => marks.vector(first.wrapping_add(dword), lane),
            Arg::Scalar(first) => marks.scalar(first.wrapping_add(dword)),
            Arg::None | Arg::Special(_) | Arg::Const(_) | Arg::Imm(_) => PointerMark::Number,
        }
    }

    /// Returns the value of a dword of an operand in a lane.
    fn value(&self, it: MarkedOperand, dword: u8, lane: usize) -> u32 {
        let wave = self.context.wave;
        match self.instruction.operands[it.place] {
            Arg::Vgpr(first) => wave.vgpr(first.wrapping_add(dword)).0[lane],
            Arg::Scalar(first) => wave.scalar(first.wrapping_add(dword)),
            Arg::Const(bits) => (bits >> (u32::BITS * u32::from(dword))) as u32,
            Arg::None | Arg::Special(_) | Arg::Imm(_) => 0,
        }
    }

    /// True if a dword of an operand is marked in a lane.
    fn is_marked(&self, marks: &PointerMarks, it: MarkedOperand, lane: usize) -> bool {
        (0..it.dwords).any(|dword| self.mark(marks, it, dword, lane) != PointerMark::Number)
    }

    /// Returns the mark of the result of an operation without a rule: lost if an operand is marked.
    fn other(&self, marks: &PointerMarks, lane: usize) -> PointerMark {
        let exec = if self.facts.crosses {
            u64::MAX
        } else {
            1 << lane
        };
        let mut operands = self.facts.read.iter();
        let is_marked = operands.any(|it| lanes(exec).any(|lane| self.is_marked(marks, *it, lane)));
        if is_marked {
            PointerMark::Lost
        } else {
            PointerMark::Number
        }
    }

    /// Returns the mark of the bitwise AND of two sources. Alignment of a pointer to at most 64 KiB preserves its mark.
    fn common_bits(&self, marks: &PointerMarks, dword: u8, lane: usize) -> PointerMark {
        let [a, b] = self.facts.sources[..] else {
            return PointerMark::Lost;
        };
        let (first, second) = (
            self.mark(marks, a, dword, lane),
            self.mark(marks, b, dword, lane),
        );
        let values = (self.value(a, dword, lane), self.value(b, dword, lane));
        let (mark, value) = match (first, second) {
            (it, PointerMark::Number) => (it, values.0),
            (PointerMark::Number, it) => (it, values.1),
            _ => return PointerMark::Lost,
        };
        let lost = (values.0 & values.1) ^ value;
        let stays = match mark {
            PointerMark::Number | PointerMark::Lost => true,
            PointerMark::Of(_, AddressHalf::Low) => lost >> OFFSET_BITS == 0,
            PointerMark::Of(_, AddressHalf::High) => lost & ADDRESS_BITS == 0,
        };
        if stays { mark } else { PointerMark::Lost }
    }

    /// Returns the mark of a dword of the result in a lane.
    fn result(&self, marks: &PointerMarks, dword: u8, lane: usize) -> PointerMark {
        let sources = &self.facts.sources;
        let source = |number: usize| match sources.get(number) {
            Some(it) => self.mark(marks, *it, dword, lane),
            None => PointerMark::Number,
        };
        let old = || match self.facts.result {
            Some(it) => self.mark(marks, it, dword, lane),
            None => PointerMark::Number,
        };
        let wave = self.context.wave;
        match self.facts.rule {
            MarkFlow::Other | MarkFlow::ReadLane | MarkFlow::WriteLane => self.other(marks, lane),
            MarkFlow::Copy => source(0),
            MarkFlow::Sum => {
                let all = (0..sources.len()).map(source);
                all.fold(PointerMark::Number, sum)
            }
            MarkFlow::SumWithLast => match sources.split_last() {
                Some((last, others)) => {
                    if others.iter().any(|it| self.is_marked(marks, *it, lane)) {
                        PointerMark::Lost
                    } else {
                        self.mark(marks, *last, dword, lane)
                    }
                }
                None => PointerMark::Lost,
            },
            MarkFlow::Difference => self.origins.difference(source(0), source(1)),
            MarkFlow::And => self.common_bits(marks, dword, lane),
            MarkFlow::Select => {
                let holds = if self.instruction.step.inst.encoding.is_scalar() {
                    wave.scc
                } else {
                    let register = mask_register(self.facts, self.instruction.operands);
                    wave.scalar64(register) >> lane & 1 != 0
                };
                source(usize::from(!holds))
            }
            MarkFlow::MoveIf if wave.scc => source(0),
            MarkFlow::MoveIf => old(),
        }
    }

    /// Returns the lane that V_READLANE, V_READFIRSTLANE or V_WRITELANE accesses.
    fn chosen_lane(&self) -> usize {
        match self.facts.sources.get(1) {
            Some(it) => self.value(*it, 0, 0) as usize % 64,
            None => self.instruction.exec.trailing_zeros() as usize % 64,
        }
    }

    /// Propagates marks through an instruction that does not access memory.
    fn follow(&self, marks: &mut PointerMarks) {
        let result = self.facts.result;
        match (self.facts.rule, result, self.facts.sources.first()) {
            (MarkFlow::ReadLane, Some(result), Some(source)) => {
                let mark = self.mark(marks, *source, 0, self.chosen_lane());
                self.set(marks, result, 0, [mark, PointerMark::Number]);
                return;
            }
            (MarkFlow::WriteLane, Some(result), Some(source)) => {
                let lane = self.chosen_lane();
                let mark = self.mark(marks, *source, 0, lane);
                self.set(marks, result, lane, [mark, PointerMark::Number]);
                return;
            }
            _ => {}
        }
        let exec = if self.instruction.step.inst.encoding.is_scalar() {
            1
        } else {
            self.instruction.exec
        };
        // Lanes may read other lanes, so all results are computed before any is written.
        let mut found: Vec<(usize, [PointerMark; RESULT])> = Vec::with_capacity(64);
        for lane in lanes(exec) {
            let mut dwords = [PointerMark::Number; RESULT];
            for (dword, mark) in (0..).zip(&mut dwords) {
                *mark = self.result(marks, dword, lane);
            }
            found.push((lane, dwords));
        }
        for &it in &self.facts.written {
            for &(lane, dwords) in &found {
                self.set(marks, it, lane, dwords);
            }
        }
        for &it in &self.facts.masks {
            self.set(marks, it, 0, [PointerMark::Number; RESULT]);
        }
        for register in (0..128).filter(|it| self.facts.implicit >> it & 1 != 0) {
            marks.set_scalar(register, PointerMark::Number);
        }
    }

    /// Sets the marks of an operand. Dwords beyond [`RESULT`] get the last mark.
    fn set(
        &self,
        marks: &mut PointerMarks,
        it: MarkedOperand,
        lane: usize,
        dwords: [PointerMark; RESULT],
    ) {
        for dword in 0..it.dwords {
            let mark = dwords[usize::from(dword).min(RESULT - 1)];
            match self.instruction.operands[it.place] {
                Arg::Vgpr(first) => {
                    let register = first.wrapping_add(dword);
                    let is_mixed = self.facts.keeps_bits
                        && marks.vector(register, lane) != PointerMark::Number;
                    let mark = if is_mixed { PointerMark::Lost } else { mark };
                    marks.set_vector(register, lane, mark);
                }
                Arg::Scalar(first) => marks.set_scalar(first.wrapping_add(dword), mark),
                Arg::None | Arg::Special(_) | Arg::Const(_) | Arg::Imm(_) => {}
            }
        }
    }
}

/// Returns the marks of both halves of the address that a lane accesses. They are lost if two components are marked.
fn address_marks(
    marks: &PointerMarks,
    plan: &MemoryPlan,
    lane: usize,
) -> (PointerMark, PointerMark) {
    let vector = |register: u8| marks.vector(register, lane);
    let pair_of_vectors = |first: u8| (vector(first), vector(first.wrapping_add(1)));
    let pair_of_scalars = |first: u8| (marks.scalar(first), marks.scalar(first.wrapping_add(1)));
    let with =
        |(low, high): (PointerMark, PointerMark), offset: PointerMark| (sum(low, offset), high);
    let offset_of =
        |register: Option<u8>| register.map_or(PointerMark::Number, |it| marks.scalar(it));
    match (plan.family, plan.vaddr) {
        (Family::Flat, Some(vaddr)) => pair_of_vectors(vaddr),
        (Family::Global, Some(vaddr)) => match plan.saddr {
            Some(saddr) => with(pair_of_scalars(saddr), vector(vaddr)),
            None => pair_of_vectors(vaddr),
        },
        (Family::Scalar | Family::ScalarBuffer, _) => {
            with(pair_of_scalars(plan.sbase), offset_of(plan.sreg))
        }
        (Family::Buffer, vaddr) => {
            let soffset = match plan.soffset {
                Arg::Scalar(register) => marks.scalar(register),
                _ => PointerMark::Number,
            };
            let base = with(pair_of_scalars(plan.sbase), soffset);
            match vaddr {
                Some(vaddr) if plan.addr64 => {
                    let (low, high) = pair_of_vectors(vaddr);
                    (sum(base.0, low), sum(base.1, high))
                }
                Some(vaddr) => {
                    let parts = u8::from(plan.idxen) + u8::from(plan.offen);
                    let parts = (0..parts).map(|part| vector(vaddr.wrapping_add(part)));
                    parts.fold(base, with)
                }
                None => base,
            }
        }
        // An image descriptor contains the address without its low bits.
        (Family::Share | Family::Scratch | Family::ScalarScratch | Family::Image, _)
        | (Family::Flat | Family::Global, None) => (PointerMark::Number, PointerMark::Number),
    }
}

/// Finds the allocation that contains an address or ends at it. Returns its first address and its length.
fn allocation(memory: &Memory, address: u64) -> Option<(u64, u64)> {
    let (region, offset) = memory.find(address, 0)?;
    Some((address - offset, region.len()))
}

/// An access to an allocation through a pointer to another allocation.
struct WrongAccess {
    lane: usize,
    address: u64,
    pointer: LoadedPointer,
}

impl ProvenanceWatch {
    fn facts(&mut self, instruction: &Instruction<'_>) -> Arc<ProvenanceFacts> {
        let make = |step: &_| Arc::new(ProvenanceFacts::of(step));
        self.facts.of(instruction.step, make).clone()
    }

    /// Finds the first lane whose access reaches an allocation other than that of its pointer.
    fn wrong(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Option<WrongAccess> {
        let plan = event.instruction.step.memory.as_deref()?;
        event.intent()?;
        let memory = &context.dispatched.device.memory;
        let marks = self.waves.get(context.id());
        for lane in lanes(event.access().global | event.access().buffer) {
            let (low, high) = address_marks(marks, plan, lane);
            let Some(pointer) = self.origins.whole(low, high) else {
                continue;
            };
            let Some(address) = event.access().place(lane, 0) else {
                continue;
            };
            if address.wrapping_sub(pointer.base) <= pointer.len {
                continue;
            }
            // The bounds checker reports accesses to unmapped and freed memory.
            let reached = allocation(memory, address).filter(|it| address - it.0 < it.1);
            let own = allocation(memory, pointer.base);
            if reached.is_some() && own == Some((pointer.base, pointer.len)) {
                return Some(WrongAccess {
                    lane,
                    address,
                    pointer: *pointer,
                });
            }
        }
        None
    }

    fn report(&self, context: &Context<'_>, event: &MemoryEvent<'_>, it: &WrongAccess) {
        let key = FindingKey {
            kind: Kind::WrongBuffer,
            pc: context.pc,
            other: it.pointer.pc,
            detail: 0,
        };
        self.findings.report(key, Some(context.id()), || {
            let memory = &context.dispatched.device.memory;
            let own = memory.nearest(it.pointer.base);
            let name = |address| {
                memory
                    .nearest(address)
                    .map_or_else(String::new, |it| it.name.to_string())
            };
            let verb = match event.intent() {
                Some(Intent::Store) => "stores to",
                Some(Intent::Atomic) => "updates",
                Some(Intent::Load) | None => "loads from",
            };
            let (reached, from) = (name(it.address), name(it.pointer.base));
            let message =
                format!("{verb} {reached} through an address computed from a pointer to {from}");
            let mut finding = Finding::new(Kind::WrongBuffer, context, event.instruction, message);
            finding.place = finding.place.lane_of(event.access(), it.lane);
            finding.label = format!("accesses {:#x}", it.address);
            finding.address = Some(FindingAddress::global(it.address));
            finding.notes.extend(own.map(|own| {
                let text = nearest(&own, it.address);
                text.replacen("nearest is", "the pointer is to", 1)
            }));
            let place = FindingPlace::new(it.pointer.pc, &it.pointer.inst, Some(context.id()));
            finding.sides.push(Side {
                label: format!("loads the pointer to {from}"),
                place: Some(place),
            });
            finding
        });
    }

    /// Records the marks of values that are stored to scratch.
    fn spill(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        let facts = self.facts(event.instruction);
        let marks = self.waves.get(context.id());
        if marks.are_of_no_vector() {
            return;
        }
        for (index, &register) in facts.vectors.stored.iter().enumerate() {
            for lane in lanes(event.lanes()) {
                let Some(place) = scratch_place(context, event, lane, index) else {
                    continue;
                };
                let mark = marks.vector(register, lane);
                let value = context.wave.vgpr(register).0[lane];
                marks.spill(place, mark, value);
            }
        }
    }

    /// Marks loaded values: those from scratch with their recorded marks, others if they are pointers.
    fn loaded(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        let facts = self.facts(event.instruction);
        let access = event.access();
        let Some(plan) = event.instruction.step.memory.as_deref() else {
            return;
        };
        let marks = self.waves.get(context.id());
        for &register in &facts.vectors.written {
            marks.clear_vector(register, event.instruction.exec);
        }
        let is_load = access.intent == Some(Intent::Load) && access.to_lds.is_none();
        let is_scalar = plan.family.is_scalar();
        if is_scalar {
            for dword in 0..plan.ty.dwords() {
                marks.set_scalar(plan.sdata.wrapping_add(dword), PointerMark::Number);
            }
        }
        if !is_load || access.elements > 1 || plan.ty.bytes() < 4 {
            return;
        }
        let memory = &context.dispatched.device.memory;
        for lane in lanes(access.lanes()) {
            let Some(value) = event.value(lane, 0) else {
                continue;
            };
            let dwords = value.dwords();
            for (index, &dword) in dwords.iter().enumerate() {
                if let Some(place) = scratch_place(context, event, lane, index) {
                    if let Some(&register) = facts.vectors.written.get(index) {
                        marks.set_vector(register, lane, marks.spilled(place, dword));
                    }
                    continue;
                }
                let place = access.place(lane, 4 * index as u64);
                let place =
                    place.unwrap_or_else(|| access.address[lane].wrapping_add(4 * index as u64));
                let Some(&high) = dwords
                    .get(index + 1)
                    .filter(|_| place.is_multiple_of(POINTER))
                else {
                    continue;
                };
                let address = u64::from(dword) | u64::from(high) << u32::BITS;
                let Some((base, len)) = allocation(memory, address) else {
                    continue;
                };
                let origin = self.origins.of(LoadedPointer {
                    base,
                    len,
                    pc: context.pc,
                    inst: event.instruction.step.inst,
                });
                for (part, half) in [AddressHalf::Low, AddressHalf::High]
                    .into_iter()
                    .enumerate()
                {
                    let mark = PointerMark::Of(origin, half);
                    let number = index + part;
                    if is_scalar {
                        marks.set_scalar(plan.sdata.wrapping_add(number as u8), mark);
                    } else if let Some(&register) = facts.vectors.written.get(number) {
                        marks.set_vector(register, lane, mark);
                    }
                }
            }
        }
    }
}

impl WaveObserver for ProvenanceWatch {
    fn wave_ends(&mut self, context: &Context<'_>, _end: WaveEnd<'_>) {
        self.waves.remove(context.id());
    }

    fn watched(&mut self, context: &Context<'_>) -> RegisterSet {
        self.waves.get(context.id()).registers()
    }

    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let facts = self.facts(instruction);
        let marks = self.waves.get(context.id());
        let plan = instruction.step.memory.as_deref();
        if plan.is_some_and(|plan| plan.does.intent().is_some()) {
            // The emulator asks for the watched registers before the access executes.
            marks.set_loading(facts.registers);
            return;
        }
        marks.set_loading(RegisterSet::default());
        let issue = Issue {
            context,
            instruction,
            facts: &facts,
            origins: &self.origins,
        };
        issue.follow(marks);
    }

    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        if let Some(wrong) = self.wrong(context, event) {
            self.report(context, event, &wrong);
        }
        if event.intent() == Some(Intent::Store) {
            self.spill(context, event);
        }
        Verdict::Allow
    }

    fn accessed(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        if event.phase == Phase::After {
            self.loaded(context, event);
        }
    }
}
