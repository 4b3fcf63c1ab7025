//! Code ready to run: each instruction decoded once, at its first execution, and shared by all threads.

use std::sync::Arc;

use gcn_isa::effect::Control;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{RegisterSet, RegisterUse, Registers, UnnumberedState};
use gcn_isa::{DecodeError, Does, Inst, Isa, decode, regs};

use crate::code_segment::{BlockEntry, CodeSegment, DWORD, FoundSegments, Slot};
use crate::exec::alu::{self, modifiers};
use crate::memory::Memory;
use crate::step::{Arg, Decoded, Executor, Handler, NO_PLACE, RegisterCounts, Step};
use crate::wave::LEAST_VGPRS;

/// Code in memory, for one kernel's number of registers.
pub struct Code {
    isa: Isa,
    base: u64,
    own: CodeSegment,
    /// Memory with the code that the own one may jump to.
    memory: Option<Memory>,
    found: FoundSegments,
    vgprs: usize,
    sgprs: u8,
}

/// Instructions of a block at most.
const BLOCK: usize = 256;

impl Code {
    /// Code at address `base` for a kernel with `vgprs` vector (two at least) and `sgprs` scalar registers.
    /// Bytes after the last whole dword are not code.
    pub fn new(isa: Isa, base: u64, bytes: &[u8], vgprs: usize, sgprs: u8) -> Code {
        Code {
            isa,
            base,
            own: CodeSegment::new(isa, 0, bytes),
            memory: None,
            found: FoundSegments::default(),
            vgprs: vgprs.max(LEAST_VGPRS),
            sgprs,
        }
    }

    /// Lets the code jump to executable memory outside of it ([`Memory::make_executable`]), which is decoded at the first jump there.
    pub fn in_memory(self, memory: &Memory) -> Code {
        Code {
            memory: Some(memory.clone()),
            ..self
        }
    }

    /// The instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Words, from address `address(0)` on, without those of other code.
    pub fn words(&self) -> &[u32] {
        &self.own.words
    }

    /// Vector registers of the kernel.
    pub fn vgprs(&self) -> usize {
        self.vgprs
    }

    /// SGPRs of the kernel.
    pub fn sgprs(&self) -> u8 {
        self.sgprs
    }

    /// True if any of it, wherever it is entered, reads the counters of outstanding operations.
    pub fn reads_counters(&self) -> bool {
        self.segments().any(|segment| segment.reads_counters)
    }

    fn segments(&self) -> impl Iterator<Item = &CodeSegment> {
        std::iter::once(&self.own).chain(self.found.segments())
    }

    /// The instruction at `pc`; nothing outside the code.
    #[inline]
    pub fn step(&self, pc: u64) -> Option<Result<&Step, DecodeError>> {
        let steps = self.steps_at(self.index(pc)?)?;
        Some(steps.map(|steps| &steps[0]))
    }

    /// The number of the dword at `pc`, which may be outside the code, behind it or before; nothing if it is not aligned.
    #[inline]
    pub fn index(&self, pc: u64) -> Option<usize> {
        let offset = pc.wrapping_sub(self.base);
        if offset.is_multiple_of(DWORD) {
            usize::try_from(offset / DWORD).ok()
        } else {
            None
        }
    }

    /// The address of dword number `index`, which may be outside the code.
    #[inline]
    pub fn address(&self, index: usize) -> u64 {
        self.base.wrapping_add((index as u64).wrapping_mul(DWORD))
    }

    /// The instruction at dword number `index` and those behind it as far as they follow each other; nothing outside
    /// the code.
    #[inline]
    pub fn steps_at(&self, index: usize) -> Option<Result<&[Step], DecodeError>> {
        // The own code begins with dword 0.
        match self.own.decoded(index) {
            Some(Ok(place)) => Some(Ok(&place.block[place.number..])),
            _ => self.steps_elsewhere(index),
        }
    }

    /// The slow path of [`Code::steps_at`]: code that is executed for the first time, or is another object's.
    #[inline(never)]
    fn steps_elsewhere(&self, index: usize) -> Option<Result<&[Step], DecodeError>> {
        match self.slot(index)?.get() {
            Some(Ok(place)) => Some(Ok(&place.block[place.number..])),
            _ => self.decode_from(index),
        }
    }

    /// The registers that the instructions of [`Code::steps_at`] use, all where an index may lead anywhere. Worked out when they
    /// are asked for; nothing for what has not been decoded.
    #[inline]
    pub(crate) fn used_at(&self, index: usize) -> &[RegisterSet] {
        let Some(Ok(place)) = self.slot(index).and_then(Slot::get) else {
            return &[];
        };
        let used = place.used.get_or_init(|| {
            let all = place.block.iter().map(|step| match step.relative {
                Some(_) => RegisterSet::ALL,
                None => step.inst.uses().register_set(),
            });
            all.collect()
        });
        &used[place.number..]
    }

    #[inline]
    fn slot(&self, index: usize) -> Option<&Slot> {
        match self.own.slot(index) {
            Some(slot) => Some(slot),
            None => self.elsewhere(index)?.slot(index),
        }
    }

    /// The segment of other code that has the dword with number `index`.
    #[cold]
    #[inline(never)]
    fn elsewhere(&self, index: usize) -> Option<&CodeSegment> {
        let has = |segment: &&CodeSegment| !segment.words_from(index).is_empty();
        if let Some(known) = self.found.segments().find(has) {
            return Some(known);
        }
        let memory = self.memory.as_ref()?;
        let range = memory.executable(self.address(index))?;
        let first = self.index(range.base)?;
        let mut bytes = vec![0; usize::try_from(range.len).ok()?];
        if first == 0 || !memory.read(range.base, &mut bytes) {
            return None;
        }
        self.found
            .add(range, CodeSegment::new(self.isa, first, &bytes));
        self.found.segments().find(has)
    }

    /// Decodes from dword number `index` on, up to a branch or to what has been decoded already. Another thread may do
    /// the same at the same time: what comes second is not kept.
    #[cold]
    #[inline(never)]
    fn decode_from(&self, index: usize) -> Option<Result<&[Step], DecodeError>> {
        let segment = match self.own.slot(index) {
            Some(_) => &self.own,
            None => self.elsewhere(index)?,
        };
        let mut steps = Vec::new();
        let mut slots = Vec::new();
        let mut next = index;
        while steps.len() < BLOCK
            && let Some(slot) = segment.slot(next)
            && slot.get().is_none()
        {
            let words = segment.words_from(next);
            match decode(self.isa, &words[..words.len().min(2)]) {
                Ok(inst) => {
                    let step = self.prepare(inst, next);
                    let is_last = ends_block(&step);
                    next = step.following();
                    slots.push(slot);
                    steps.push(step);
                    if is_last {
                        break;
                    }
                }
                Err(error) => {
                    // It is reported when it is executed.
                    let _ = slot.set(Err(error));
                }
            }
        }
        let block: Arc<[Step]> = steps.into();
        let used = Arc::default();
        for (number, slot) in slots.into_iter().enumerate() {
            let _ = slot.set(Ok(BlockEntry {
                block: Arc::clone(&block),
                number,
                used: Arc::clone(&used),
            }));
        }
        match segment.slot(index)?.get()? {
            Ok(place) => Some(Ok(&place.block[place.number..])),
            Err(error) => Some(Err(*error)),
        }
    }

    /// The address of the first executed instruction that memory holds otherwise; `None` as well where memory does not hold the
    /// code at all.
    pub fn changed(&self, memory: &Memory) -> Option<u64> {
        let own = self.own.changed(memory, self.base);
        own.map(|index| self.address(index))
            .or_else(|| self.found.changed(memory))
    }

    /// True if memory has what was found of other code; otherwise code has to be made anew before it is run again.
    pub fn is_current(&self, memory: &Memory) -> bool {
        self.found.are_current(memory)
    }

    /// The instructions of the blocks that have been executed, each once: decoding waits for the first execution.
    pub fn executed(&self) -> impl Iterator<Item = &Step> {
        self.segments().flat_map(CodeSegment::executed)
    }

    /// Of the executed instructions those that read registers which the kernel does not ask for (checklist 1.6, 1.7).
    pub fn reading_outside(&self) -> impl Iterator<Item = &Step> {
        self.executed().filter(|step| step.reads_outside)
    }

    /// The instruction at dword number `index`.
    fn prepare(&self, inst: Inst, index: usize) -> Step {
        let counts = RegisterCounts {
            vgprs: self.vgprs,
            sgprs: self.sgprs,
        };
        let decoded = Decoded::new(inst, index, counts);
        let handler = alu::handler(&inst);
        let run = executor(&decoded, handler);
        let mut step = Step {
            handler: handler.unwrap_or(|_, _| {}),
            around: None,
            run,
            rows: Step::NO_ROWS,
            in_lanes: 0,
            only_same: NO_PLACE,
            decoded,
        };
        if matches!(run, Executor::Vector) {
            if step.args.contains(&Arg::Special(regs::LDS_DIRECT)) {
                step.run = Executor::VectorFromLds;
            }
            modifiers::prepare(&mut step);
        }
        step
    }
}

/// The part of the emulator that runs an instruction with this handler.
fn executor(decoded: &Decoded, handler: Option<Handler>) -> Executor {
    let inst = &decoded.inst;
    let alu = match handler {
        None => Executor::Missing,
        Some(_) if uses_control(inst) => Executor::ScalarControl,
        Some(_) if inst.encoding.is_scalar() => Executor::Scalar,
        Some(_) => Executor::Vector,
    };
    let run = match inst.does() {
        Does::Alu(_) | Does::Compare(..) | Does::Jump | Does::Fork => alu,
        // A call has a destination, which the step loop knows nothing of.
        Does::Branch(_) if inst.uses().calls() => alu,
        Does::Branch(condition) => Executor::Branch(condition, decoded.immediate() as i16),
        Does::Control(Control::Waitcnt) => {
            Executor::Wait(Waitcnt::unpack(inst.isa, decoded.immediate() as u16))
        }
        Does::Control(_) | Does::ReturnFromTrap => Executor::Flow,
        // Exports, interpolation.
        _ if decoded.memory.is_none() => Executor::Missing,
        _ => Executor::Memory,
    };
    match run {
        Executor::Missing => Executor::Missing,
        _ if decoded.is_cancelled => Executor::Cancelled,
        run => run,
    }
}

/// True of a scalar instruction that uses the program counter or MODE.
fn uses_control(inst: &Inst) -> bool {
    let is_control = |it: RegisterUse| {
        matches!(
            it.registers,
            Registers::State(UnnumberedState::Pc | UnnumberedState::MODE)
        )
    };
    let uses = inst.uses();
    inst.encoding.is_scalar() && (uses.leaves_sequence() || uses.registers().any(is_control))
}

/// True if the instruction behind this one need not be one.
fn ends_block(step: &Step) -> bool {
    step.inst.uses().leaves_sequence()
        || matches!(step.run, Executor::Missing | Executor::Cancelled)
}
