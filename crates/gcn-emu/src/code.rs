//! Code ready to run: each instruction decoded once, at its first execution, and shared by all threads.

use std::sync::{Arc, OnceLock};

use gcn_isa::effect::{Control, Implicit};
use gcn_isa::simm::{Hwreg, Waitcnt};
use gcn_isa::uses::{RegisterSet, RegisterUse, Registers, UnnumberedState};
use gcn_isa::{DecodeError, Does, Inst, Isa, Operand, Ty, decode, regs};

use crate::exec::alu::{self, modifiers};
use crate::lanes::Sign;
use crate::memory::Memory;
use crate::step::{
    Arg, Executor, Indexed, MAX_ARGS, MemoryPlan, NO_PLACE, Relative, Step, immediate,
};
use crate::wave::LEAST_VGPRS;

/// Code in memory, for one kernel's number of registers.
pub struct Code {
    isa: Isa,
    base: u64,
    words: Box<[u32]>,
    /// By dwords, in pages that come into being at their first execution: most code of a large object is never run.
    pages: Box<[OnceLock<Box<Page>>]>,
    vgprs: usize,
    sgprs: u8,
    reads_counters: bool,
}

/// Dwords of a page.
const PAGE: usize = 64;

/// The instructions that begin in some dwords.
type Page = [OnceLock<Result<BlockEntry, DecodeError>>; PAGE];

/// Place of an instruction: its number in a block, whose instructions are executed one after the other.
#[derive(Debug)]
struct BlockEntry {
    block: Arc<[Step]>,
    number: usize,
    /// Registers that each instruction of the block uses, for runs whose observers watch some.
    used: Arc<OnceLock<Box<[RegisterSet]>>>,
}

/// Instructions of a block at most.
const BLOCK: usize = 256;

/// Bytes of a dword.
const DWORD: u64 = 4;
/// Codes of scalar operands below this are registers.
const SCALAR_REGISTERS: u8 = 128;

impl Code {
    /// Code at address `base` for a kernel with `vgprs` vector (two at least) and `sgprs` scalar registers.
    /// Bytes after the last whole dword are not code.
    pub fn new(isa: Isa, base: u64, bytes: &[u8], vgprs: usize, sgprs: u8) -> Code {
        let words: Box<[u32]> = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let pages = std::iter::repeat_with(OnceLock::new)
            .take(words.len().div_ceil(PAGE))
            .collect();
        Code {
            isa,
            base,
            pages,
            vgprs: vgprs.max(LEAST_VGPRS),
            sgprs,
            reads_counters: words.iter().any(|&word| reads_counters(isa, word)),
            words,
        }
    }

    /// The instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Words, from address `address(0)` on.
    pub fn words(&self) -> &[u32] {
        &self.words
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
        self.reads_counters
    }

    /// The instruction at `pc`; nothing outside the code.
    #[inline]
    pub fn step(&self, pc: u64) -> Option<Result<&Step, DecodeError>> {
        let steps = self.steps_at(self.index(pc)?)?;
        Some(steps.map(|steps| &steps[0]))
    }

    /// The number of the dword at `pc`, which may be outside the code; nothing if it is not aligned.
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
        match self.slot(index)?.get() {
            Some(Ok(place)) => Some(Ok(&place.block[place.number..])),
            _ => self.decode_from(index),
        }
    }

    /// The registers that the instructions of [`Code::steps_at`] use, all where an index may lead anywhere. Worked out when they
    /// are asked for; nothing for what has not been decoded.
    #[inline]
    pub(crate) fn used_at(&self, index: usize) -> &[RegisterSet] {
        let Some(Ok(place)) = self.slot(index).and_then(OnceLock::get) else {
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
    fn slot(&self, index: usize) -> Option<&OnceLock<Result<BlockEntry, DecodeError>>> {
        let page = self.pages.get(index / PAGE)?;
        let page = page.get_or_init(|| Box::new([const { OnceLock::new() }; PAGE]));
        Some(&page[index % PAGE])
    }

    /// Decodes from dword number `index` on, up to a branch or to what has been decoded already. Another thread may do
    /// the same at the same time: what comes second is not kept.
    #[cold]
    #[inline(never)]
    fn decode_from(&self, index: usize) -> Option<Result<&[Step], DecodeError>> {
        let mut steps = Vec::new();
        let mut slots = Vec::new();
        let mut next = index;
        while steps.len() < BLOCK
            && let Some(slot) = self.slot(next)
            && slot.get().is_none()
            && let Some(words) = self.words.get(next..).filter(|words| !words.is_empty())
        {
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
        match self.slot(index)?.get()? {
            Ok(place) => Some(Ok(&place.block[place.number..])),
            Err(error) => Some(Err(*error)),
        }
    }

    /// The address of the first executed instruction that memory holds otherwise; `None` as well where memory does not hold the
    /// code at all. What lies between instructions may be data, which a kernel may store to.
    pub fn changed(&self, memory: &Memory) -> Option<u64> {
        self.pages.iter().enumerate().find_map(|(number, page)| {
            let page = page.get()?;
            let first = number * PAGE;
            let words = self.words.get(first..)?;
            // The last instruction may end in the next page.
            let words = words.get(..=PAGE).unwrap_or(words);
            let mut now = [0; PAGE + 1];
            let now = &mut now[..words.len()];
            memory.load_dwords(self.address(first), now)?;
            if *words == *now {
                return None;
            }
            let changed = executed(page).find(|step| {
                let begin = step.index - first;
                let dwords = begin..begin + usize::from(step.bytes) / DWORD as usize;
                words[dwords.clone()] != now[dwords]
            })?;
            Some(self.address(changed.index))
        })
    }

    /// The instructions of the blocks that have been executed, each once: decoding waits for the first execution.
    pub fn executed(&self) -> impl Iterator<Item = &Step> {
        let pages = self.pages.iter().filter_map(OnceLock::get);
        pages.flat_map(|page| executed(page))
    }

    /// Of the executed instructions those that read registers which the kernel does not ask for (checklist 1.6, 1.7).
    pub fn reading_outside(&self) -> impl Iterator<Item = &Step> {
        self.executed().filter(|step| step.reads_outside)
    }

    /// True if the registers that an operand uses, if it uses any, are all among those that the kernel asks for.
    fn owns(&self, used: Option<RegisterUse>) -> bool {
        used.is_none_or(|used| match used.registers {
            Registers::Vector { first, count } => {
                usize::from(first) + usize::from(count) <= self.vgprs
            }
            Registers::Scalar { first, count } => {
                first >= self.isa.sgprs()
                    || u16::from(first) + u16::from(count) <= u16::from(self.sgprs)
            }
            Registers::State(_) => true,
        })
    }

    /// The instruction at dword number `index`.
    fn prepare(&self, inst: Inst, index: usize) -> Step {
        let mut args = [Arg::None; MAX_ARGS];
        let (mut cancelled, mut reads_outside) = (false, false);
        let uses = inst.uses();
        for (place, (arg, slot)) in args.iter_mut().zip(inst.row().slots()).enumerate() {
            let operand = inst.operand(slot);
            let [read, written] = uses.of_slot(place, slot, &operand);
            let is_owned = self.owns(read) && self.owns(written);
            if written.is_some() {
                cancelled |= !is_owned;
            } else {
                reads_outside |= !is_owned;
            }
            // A register that is named but not used may be any.
            let inside = is_owned && (read.is_some() || written.is_some());
            *arg = match operand {
                Operand::Vgprs { first, .. } => Arg::Vgpr(if inside { first } else { 0 }),
                Operand::Scalar { code, .. } if code < SCALAR_REGISTERS => {
                    Arg::Scalar(if inside { code } else { 0 })
                }
                Operand::Scalar { code, .. } => match regs::inline(self.isa, code) {
                    Some(regs::Inline::Int(i)) => Arg::Const(i64::from(i) as u64),
                    Some(regs::Inline::Float(_)) => {
                        Arg::Const(regs::float_bits(code, slot.ty).unwrap_or(0))
                    }
                    None => Arg::Special(code),
                },
                Operand::Literal(value) => Arg::Const(extend_literal(value, slot.ty)),
                Operand::Imm(value) => Arg::Imm(value),
                Operand::Off | Operand::ScalarOffset { .. } => Arg::None,
            };
        }
        let memory = MemoryPlan::new(&inst, &args, index);
        let handler = alu::handler(&inst);
        let alu = match handler {
            None => Executor::Missing,
            Some(_) if inst.encoding.is_scalar() => Executor::Scalar,
            Some(_) => Executor::Vector,
        };
        let run = match inst.does() {
            Does::Alu(_) | Does::Compare(..) | Does::Jump | Does::Fork => alu,
            // A call has a destination, which the step loop knows nothing of.
            Does::Branch(_) if uses.calls() => alu,
            Does::Branch(condition) => Executor::Branch(condition, immediate(&inst, &args) as i32),
            Does::Control(Control::Waitcnt) => {
                Executor::Wait(Waitcnt::unpack(inst.isa, immediate(&inst, &args) as u16))
            }
            Does::Control(_) | Does::ReturnFromTrap => Executor::Flow,
            // Exports, interpolation.
            _ if memory.is_none() => Executor::Missing,
            _ => Executor::Memory,
        };
        let run = match run {
            Executor::Missing => Executor::Missing,
            _ if cancelled => Executor::Cancelled,
            run => run,
        };
        let mut step = Step {
            inst,
            index,
            bytes: inst.dwords() as u8 * DWORD as u8,
            args,
            signs: [Sign::Kept; MAX_ARGS],
            in_lanes: 0,
            only_same: NO_PLACE,
            rows: Step::NO_ROWS,
            keeps_high: false,
            reads_outside,
            around: None,
            writes_exec: matches!(inst.does(), Does::Compare(_, i) if i.has(Implicit::WRITES_EXEC)),
            is_simple: matches!(run, Executor::Vector) || is_simple_scalar(run, &inst),
            run,
            handler: handler.unwrap_or(|_, _| {}),
            indexed: Indexed::of(&inst, self.vgprs),
            relative: Relative::of(&inst),
            memory: memory.map(Box::new),
        };
        if matches!(run, Executor::Vector) {
            modifiers::apply(&mut step);
            if args.contains(&Arg::Special(regs::LDS_DIRECT)) {
                step.is_simple = false;
                step.run = Executor::VectorFromLds;
            }
        }
        step
    }
}

/// The instructions that begin in a page and have been executed.
fn executed(page: &Page) -> impl Iterator<Item = &Step> {
    page.iter().filter_map(|slot| match slot.get()? {
        Ok(place) => Some(&place.block[place.number]),
        Err(_) => None,
    })
}

/// True if an instruction that has this for its first dword reads the hardware register with the counters.
fn reads_counters(isa: Isa, word: u32) -> bool {
    // Few have such bits: the rest is not decoded.
    let is_it = Hwreg::unpack(word as u16).id == alu::hardware::IB_STS;
    let counters = Registers::State(UnnumberedState::Hardware(alu::hardware::IB_STS));
    let names_one = |inst: Inst| inst.uses().registers().any(|it| it.registers == counters);
    is_it && decode(isa, &[word]).is_ok_and(names_one)
}

/// A 32-bit literal as an operand: sign-extended for 64-bit signed integers, the high half of a double,
/// zero-extended otherwise.
fn extend_literal(value: u32, ty: Ty) -> u64 {
    match ty {
        Ty::F64 => u64::from(value) << 32,
        Ty::I64 => i64::from(value as i32) as u64,
        _ => u64::from(value),
    }
}

/// True of a scalar instruction that uses neither the program counter nor MODE.
fn is_simple_scalar(run: Executor, inst: &Inst) -> bool {
    let is_aside = |it: RegisterUse| {
        matches!(
            it.registers,
            Registers::State(UnnumberedState::Pc | UnnumberedState::MODE)
        )
    };
    let uses = inst.uses();
    matches!(run, Executor::Scalar) && !uses.leaves_sequence() && !uses.registers().any(is_aside)
}

/// True if the instruction behind this one need not be one.
fn ends_block(step: &Step) -> bool {
    step.inst.uses().leaves_sequence()
        || matches!(step.run, Executor::Missing | Executor::Cancelled)
}
