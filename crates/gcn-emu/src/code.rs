//! Code ready to run: each instruction decoded once, at its first execution, and shared by all threads.

use std::sync::{Arc, OnceLock};

use gcn_isa::effect::{Condition, Control, Implicit};
use gcn_isa::simm::{Hwreg, Waitcnt};
use gcn_isa::uses::{RegisterUse, Registers, State};
use gcn_isa::{DecodeError, Does, Inst, Isa, Kind, Operand, Ty, decode, regs};

use crate::exec;
use crate::exec::alu::indexing::Indexed;
use crate::exec::alu::modifiers::{self, Modified};
use crate::exec::alu::relative::Relative;
use crate::exec::memory::Plan;
use crate::lanes::Sign;
use crate::scoreboard::{self, Increments};
use crate::wave::Wave;

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
type Page = [OnceLock<Result<Place, DecodeError>>; PAGE];

/// Where an instruction is: among those that are executed one after the other, without a look where they are.
#[derive(Debug)]
struct Place {
    block: Arc<[Step]>,
    number: usize,
}

/// Instructions of a block at most.
const BLOCK: usize = 256;

/// An instruction's handler: it has everything it needs in the wave and the step.
pub type Handler = fn(&mut Wave, &Step);

/// An instruction, decoded.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Step {
    /// The instruction.
    pub inst: Inst,
    /// Where it is: the number of its first dword.
    pub index: usize,
    /// Its length in bytes.
    pub bytes: u8,
    /// Its operands, in the order of its row.
    pub args: [Arg; MAX_ARGS],
    /// What is done to the signs of its sources.
    pub signs: Signs,
    /// The places of its operands that are in vector registers and whose signs are left alone, a bit each.
    pub in_registers: u8,
    /// The numbers of those registers, without a look at what kind of operand each is.
    pub registers: [u8; MAX_ARGS],
    /// Whether its result, which has 16 bits, leaves the high half of its register as it was.
    pub keeps_high: bool,
    /// The instruction without what it asks beyond its operation, if its handler is the one for such.
    pub modified: Option<Box<Modified>>,
    /// Whether it reads registers which the kernel does not ask for.
    pub reads_outside: bool,
    /// Whether its mask goes to EXEC as well (V_CMPX).
    pub writes_exec: bool,
    /// Whether it is a vector instruction with a handler, told apart from the rest without a look at `run`.
    pub is_vector: bool,
    /// How it runs.
    pub run: Run,
    /// What runs it, if it has a handler; else this does nothing.
    pub handler: Handler,
    /// The operands that VGPR indexing moves.
    pub indexed: Indexed,
    /// The operands that MOVREL moves, if it is one.
    pub relative: Option<Relative>,
    /// What a memory instruction is known to do before it runs.
    pub memory: Option<Box<Plan>>,
}

/// Bytes of a dword.
const DWORD: u64 = 4;
/// Codes of scalar operands below this are registers.
const SCALAR_REGISTERS: u8 = 128;

/// The most operands that a row has.
pub const MAX_ARGS: usize = 6;

/// An operand, resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arg {
    /// There is none.
    #[default]
    None,
    /// Vector registers from this one on. Sources beyond the allocation are v0 already (checklist 1.6).
    Vgpr(u8),
    /// Scalar registers from this one on, 0..=127.
    Scalar(u8),
    /// A scalar source that is not a register: 235..=254 without constants (apertures, VCCZ, EXECZ, SCC, LDS_DIRECT).
    Special(u8),
    /// A constant, extended to 64 bits as the operand's type says.
    Const(u64),
    /// A number that is not a source: SIMM16 and the like.
    Imm(i64),
}

/// What is done to the signs of an instruction's sources, at their places in [`Step::args`].
pub type Signs = [Sign; MAX_ARGS];

/// How an instruction runs. Which it is has a byte of its own, for it is looked at often.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Run {
    /// By its handler, which leaves MODE and the program counter alone.
    Vector,
    /// The same, with a source from LDS that is read before (errata E246).
    VectorFromLds,
    /// By its handler, for which the program counter is the next instruction's address.
    Scalar,
    /// In two steps, addresses and access.
    Memory,
    /// By the step loop: on this condition it goes so many dwords on, counted from the next instruction.
    Branch(Condition, i32),
    /// By the step loop: waits for the counters.
    Wait(Waitcnt),
    /// By the step loop.
    Flow,
    /// Not at all: its destination is outside the wave's registers (checklist 1.6, 1.7). Counters still complete.
    Cancelled,
    /// It cannot: not executed by this emulator.
    Missing,
}

impl Code {
    /// Code at address `base` for a kernel with so many vector and scalar registers.
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
            vgprs: vgprs.max(1),
            sgprs,
            reads_counters: words.iter().any(|&word| reads_counters(isa, word)),
            words,
        }
    }

    /// The instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Vector registers of the kernel.
    pub fn vgprs(&self) -> usize {
        self.vgprs
    }

    /// SGPRs of the kernel.
    pub fn sgprs(&self) -> u8 {
        self.sgprs
    }

    /// Whether any of it, wherever it is entered, tells what operations are outstanding.
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

    #[inline]
    fn slot(&self, index: usize) -> Option<&OnceLock<Result<Place, DecodeError>>> {
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
                    let is_last = step.ends_block();
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
        for (number, slot) in slots.into_iter().enumerate() {
            let block = block.clone();
            let _ = slot.set(Ok(Place { block, number }));
        }
        match self.slot(index)?.get()? {
            Ok(place) => Some(Ok(&place.block[place.number..])),
            Err(error) => Some(Err(*error)),
        }
    }

    /// The instructions of the blocks that have been executed, each once: decoding waits for the first execution.
    pub fn executed(&self) -> impl Iterator<Item = &Step> {
        let pages = self.pages.iter().filter_map(OnceLock::get);
        let slots = pages.flat_map(|page| page.iter());
        slots.filter_map(|slot| match slot.get()? {
            Ok(place) => Some(&place.block[place.number]),
            Err(_) => None,
        })
    }

    /// Of the executed instructions those that read registers which the kernel does not ask for (checklist 1.6, 1.7).
    pub fn reading_outside(&self) -> impl Iterator<Item = &Step> {
        self.executed().filter(|step| step.reads_outside)
    }

    /// Whether the registers that an operand uses, if it uses any, are all among those that the kernel asks for.
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
        let memory = Plan::new(&inst, &args, index);
        let handler = exec::alu::handler(&inst);
        let alu = match handler {
            None => Run::Missing,
            Some(_) if inst.encoding.is_scalar() => Run::Scalar,
            Some(_) => Run::Vector,
        };
        let run = match inst.does() {
            Does::Alu(_) | Does::Compare(..) | Does::Jump | Does::Fork => alu,
            // A call has a destination, which the step loop knows nothing of.
            Does::Branch(_) if uses.calls() => alu,
            Does::Branch(condition) => Run::Branch(condition, immediate(&inst, &args) as i32),
            Does::Control(Control::Waitcnt) => {
                Run::Wait(Waitcnt::unpack(inst.isa, immediate(&inst, &args) as u16))
            }
            Does::Control(_) | Does::ReturnFromTrap => Run::Flow,
            // Images, exports.
            _ if memory.is_none() => Run::Missing,
            _ => Run::Memory,
        };
        let run = match run {
            Run::Missing => Run::Missing,
            _ if cancelled => Run::Cancelled,
            run => run,
        };
        let mut step = Step {
            inst,
            index,
            bytes: inst.dwords() as u8 * DWORD as u8,
            args,
            signs: [Sign::Kept; MAX_ARGS],
            in_registers: 0,
            registers: [0; MAX_ARGS],
            keeps_high: false,
            reads_outside,
            modified: None,
            writes_exec: matches!(inst.does(), Does::Compare(_, i) if i.has(Implicit::WRITES_EXEC)),
            is_vector: matches!(run, Run::Vector),
            run,
            handler: handler.unwrap_or(|_, _| {}),
            indexed: Indexed::of(&inst, self.vgprs),
            relative: Relative::of(&inst),
            memory: memory.map(Box::new),
        };
        if step.is_vector {
            modifiers::apply(&mut step);
            if args.contains(&Arg::Special(regs::LDS_DIRECT)) {
                step.is_vector = false;
                step.run = Run::VectorFromLds;
            }
        }
        step
    }
}

/// Whether an instruction that has this for its first dword reads the hardware register with the counters.
fn reads_counters(isa: Isa, word: u32) -> bool {
    // Few have such bits: the rest is not decoded.
    let is_it = Hwreg::unpack(word as u16).id == exec::alu::IB_STS;
    let counters = Registers::State(State::Hardware(exec::alu::IB_STS));
    let names_one = |inst: Inst| inst.uses().registers().any(|it| it.registers == counters);
    is_it && decode(isa, &[word]).is_ok_and(names_one)
}

impl Step {
    /// The number of the dword behind it.
    #[inline(always)]
    pub fn following(&self) -> usize {
        self.index + usize::from(self.bytes) / DWORD as usize
    }

    /// The instruction with other operands, for its handler, and nothing that is of no use to that.
    #[inline]
    pub fn with(&self, args: [Arg; MAX_ARGS]) -> Step {
        let mut step = Step {
            args,
            modified: None,
            memory: None,
            ..*self
        };
        step.find_registers();
        step
    }

    /// The kind of operation that the wait counters count for it, and how much they do.
    #[inline]
    pub fn operation(&self) -> Option<(scoreboard::Kind, Increments)> {
        match &self.memory {
            Some(plan) => Some((plan.kind, plan.increments)),
            None => self.is_message().then_some((
                scoreboard::Kind::Message,
                Increments {
                    lgkm: 1,
                    ..Increments::default()
                },
            )),
        }
    }

    /// Whether it sends a message.
    pub fn is_message(&self) -> bool {
        matches!(self.run, Run::Flow)
            && matches!(self.inst.does(), Does::Control(Control::SendMsg { .. }))
    }

    /// The operands, with the registers that MOVREL names if it is one.
    pub(crate) fn relative_operands(&self, wave: &Wave) -> [Arg; MAX_ARGS] {
        match self.relative {
            Some(relative) => relative.operands(wave, self.args),
            None => self.args,
        }
    }

    /// Finds out which operands need no more than a look at their registers.
    pub(crate) fn find_registers(&mut self) {
        self.in_registers = 0;
        let operands = self.args.iter().zip(self.signs).zip(&mut self.registers);
        for (place, ((arg, sign), register)) in operands.enumerate() {
            if let (&Arg::Vgpr(number), Sign::Kept) = (arg, sign) {
                self.in_registers |= 1 << place;
                *register = number;
            }
        }
    }

    /// Whether the instruction behind it need not be one.
    fn ends_block(&self) -> bool {
        self.inst.uses().leaves_sequence() || matches!(self.run, Run::Missing | Run::Cancelled)
    }
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

impl Step {
    /// The instruction's number (SIMM16 and the like), 0 if it has none.
    pub fn immediate(&self) -> i64 {
        immediate(&self.inst, &self.args)
    }
}

fn immediate(inst: &Inst, args: &[Arg; MAX_ARGS]) -> i64 {
    let is_immediate = |slot: &&gcn_isa::Slot| {
        matches!(
            slot.kind,
            Kind::Branch
                | Kind::Simm16
                | Kind::Waitcnt
                | Kind::Hwreg
                | Kind::SendMsg
                | Kind::Unsigned
                | Kind::Signed
        )
    };
    let arg = inst
        .row()
        .slots()
        .zip(args)
        .find(|(slot, _)| is_immediate(slot))
        .map(|(_, arg)| *arg);
    if let Some(Arg::Imm(value)) = arg {
        value
    } else {
        0
    }
}
