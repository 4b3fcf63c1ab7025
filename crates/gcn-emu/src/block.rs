//! Blocks: instructions that are executed one after the other, and what follows them.
//!
//! A block begins at the entry of a kernel or a function, at a branch target, or behind the end of another block. It ends with
//! an instruction that may go elsewhere, after which the wave waits, or that changes MODE, and before the next branch target. So a
//! block compiler may take MODE as constant, has no branch into the middle of what it compiles, and finds the loops by their heads.
//! VGPR indexing is the exception in MODE: it is turned on for single instructions, and off behind them in the same block.
//!
//! Branch targets are known ahead: the first block at an address follows all direct branches from there
//! ([`CodeSegment`](crate::code_segment::CodeSegment)), a bit for each dword. Jumps to addresses in registers remain. Such
//! a jump into the middle of a block is an entry ([`BlockEntry`]) and makes no block of its own: a wave needs entries anyway to go on
//! in the middle of a block in its next turn, and a jump to each dword of a block costs no memory that way. A compiler leaves an
//! entry in the middle to the interpreter, which is at the end of the block soon.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use gcn_isa::effect::{Condition, Control};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{RegisterSet, RegisterUse, Registers, UnnumberedState};
use gcn_isa::{DecodeError, Does, Inst, regs};

use crate::exec::alu::{self, indexing, modifiers};
use crate::native::{Candidate, NativeBlock, PlanExit, Policy};
use crate::step::{Arg, Decoded, Executor, Handler, Step};
use crate::wave::Waiting;

/// A block.
#[derive(Debug)]
pub struct Block {
    steps: Box<[Step]>,
    /// Branches that it ends with: 1 or 0.
    branches: usize,
    exit: Exit,
    /// Numbers of the last step's dword, and of the one behind it.
    last: usize,
    following: usize,
    /// Registers that each step uses.
    uses: OnceLock<Box<[RegisterSet]>>,
    /// Its host code; `None` if it is to have none.
    /// Host code, and host code that leaves memory to the interpreter, for when too many accesses fail the checks of the former.
    native: [OnceLock<Option<NativeBlock>>; 2],
    entered: EntryCount,
}

/// A block's successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The dword behind the block: a branch target is there, or the last step changes MODE, or the block has as many steps as one may
    /// have.
    FallThrough,
    /// The dword with this number where the condition holds, else the one behind the block.
    Branch {
        /// Condition.
        condition: Condition,
        /// Number of the dword.
        target: usize,
    },
    /// The address that the last step finds in registers; of a call or a fork perhaps the dword behind the block.
    Jump,
    /// The dword behind the block, after the wave has waited for other waves.
    Wait,
    /// None: the wave ends or faults.
    End,
    /// None, in a block without steps: there is no instruction.
    Undecodable(DecodeError),
}

/// A step of a block at which it is entered.
#[derive(Clone, Copy)]
pub(crate) struct BlockEntry<'a> {
    pub(crate) block: &'a Block,
    /// Number of the step.
    pub(crate) from: usize,
}

/// Count of entries. It stops at a limit, so that threads do not take the cache line from each other for long.
#[derive(Debug, Default)]
struct EntryCount(AtomicU16);

/// Number of entries at which a block's count stops: it is hot.
pub const MAX_ENTERED: u16 = 1 << 12;

impl Block {
    pub(crate) fn new(steps: Vec<Step>, exit: Exit) -> Block {
        Block {
            branches: usize::from(matches!(exit, Exit::Branch { .. })),
            last: steps.last().map_or(0, |last| last.index),
            following: steps.last().map_or(0, |last| last.following()),
            steps: steps.into(),
            exit,
            uses: OnceLock::new(),
            native: Default::default(),
            entered: EntryCount::default(),
        }
    }

    /// The instructions.
    #[inline(always)]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The successors.
    #[inline(always)]
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// The number of the dword behind it.
    #[inline(always)]
    pub fn following(&self) -> usize {
        self.following
    }

    /// The number of the last step's dword.
    #[inline(always)]
    pub(crate) fn last(&self) -> usize {
        self.last
    }

    /// The last of its steps without a branch that it ends with.
    #[inline(always)]
    pub(crate) fn body<'a>(&self, steps: &'a [Step]) -> &'a [Step] {
        &steps[..steps.len() - self.branches]
    }

    /// The registers that each step uses, all where an index may lead anywhere. They are worked out by the first call.
    pub fn uses(&self) -> &[RegisterSet] {
        self.uses.get_or_init(|| {
            let all = self.steps.iter().map(|step| match step.relative {
                Some(_) => RegisterSet::ALL,
                None => step.inst.uses().register_set(),
            });
            all.collect()
        })
    }

    /// Its host code, if there is any, with accesses to memory or without.
    #[inline(always)]
    pub(crate) fn native(&self, with_memory: bool) -> Option<&NativeBlock> {
        let in_use = |native: &&NativeBlock| !native.is_abandoned();
        let mut all = self.native.iter().skip(usize::from(!with_memory));
        all.find_map(|native| native.get()?.as_ref().filter(in_use))
    }

    /// All host code that it has.
    pub(crate) fn all_native(&self) -> impl Iterator<Item = &NativeBlock> {
        self.native
            .iter()
            .filter_map(|native| native.get()?.as_ref())
    }

    /// True if it has been entered often enough to be compiled, and it is not known yet whether it can be.
    #[inline(always)]
    pub(crate) fn is_due(&self, policy: Policy) -> bool {
        let first = usize::from(!policy.with_memory);
        match self.native[first].get() {
            None => self.entered() >= policy.entries,
            Some(Some(native)) => native.is_abandoned() && self.native[1].get().is_none(),
            Some(None) => false,
        }
    }

    /// True if it is to be compiled with accesses to memory: it has not been yet.
    pub(crate) fn compiles_memory(&self) -> bool {
        self.native[0].get().is_none()
    }

    /// Keeps its host code, or notes that it has none, unless that is known.
    pub(crate) fn set_native(&self, native: Option<NativeBlock>, with_memory: bool) {
        let _ = self.native[usize::from(!with_memory)].set(native);
    }

    /// The block as part of a region; nothing of a dword that is no instruction.
    pub(crate) fn candidate(&self) -> Option<Candidate<'_>> {
        let mut body = self.body(&self.steps);
        let exit = match self.exit {
            Exit::End | Exit::Wait => {
                let (last, others) = body.split_last()?;
                let waiting = match last.inst.does() {
                    Does::Control(Control::End) => Some(Waiting::Ended),
                    Does::Control(Control::Barrier) => Some(Waiting::Barrier),
                    _ => None,
                };
                if waiting.is_some() {
                    body = others;
                }
                waiting.map(|waiting| PlanExit::Waits {
                    waiting,
                    following: self.following,
                })
            }
            Exit::Branch { condition, target } => Some(PlanExit::Branch {
                condition,
                target,
                following: self.following,
                last: self.last,
            }),
            Exit::FallThrough if Exit::behind(self.steps.last()?).is_none() => {
                Some(PlanExit::Goes(self.following))
            }
            _ => None,
        };
        Some(Candidate {
            start: self.steps.first()?.index,
            body,
            exit,
            is_compiled: self.native(true).is_some(),
        })
    }

    /// Number of its instructions that have host code.
    pub fn compiled(&self) -> usize {
        self.native(true).map_or(0, NativeBlock::instructions)
    }

    /// Times that waves have entered it in the interpreter, at most [`MAX_ENTERED`]. If two threads enter at the same time, only one may
    /// be counted.
    pub fn entered(&self) -> u16 {
        self.entered.0.load(Relaxed)
    }
}

impl BlockEntry<'_> {
    /// Counts the entry.
    #[inline(always)]
    pub(crate) fn count(&self) {
        let entered = self.block.entered.0.load(Relaxed);
        if entered < MAX_ENTERED {
            self.block.entered.0.store(entered + 1, Relaxed);
        }
    }
}

impl Exit {
    /// Exit after a step; `None` if the block continues.
    pub(crate) fn behind(step: &Step) -> Option<Exit> {
        let uses = step.inst.uses();
        Some(match (step.run, step.inst.does()) {
            (Executor::Branch(condition, distance), _) => Exit::Branch {
                condition,
                target: step.following().wrapping_add_signed(distance.into()),
            },
            (_, Does::Control(Control::End) | Does::ReturnFromTrap) => Exit::End,
            (_, Does::Control(Control::Barrier | Control::Sleep)) => Exit::Wait,
            (_, Does::Control(Control::Trap)) => Exit::FallThrough,
            // The instruction behind need not be one.
            (Executor::Missing | Executor::Cancelled, _) => Exit::FallThrough,
            _ if uses.leaves_sequence() => Exit::Jump,
            _ if uses.registers().any(writes_mode) && !indexing::switches(&step.inst) => {
                Exit::FallThrough
            }
            _ => return None,
        })
    }
}

fn writes_mode(it: RegisterUse) -> bool {
    it.written != 0 && it.registers == Registers::State(UnnumberedState::MODE)
}

impl Step {
    /// The instruction, prepared for the interpreter.
    pub(crate) fn new(decoded: Decoded) -> Step {
        let handler = alu::handler(&decoded.inst);
        let run = executor(&decoded, handler);
        let is_vector = matches!(run, Executor::Vector);
        let reads_lds = is_vector && decoded.args.contains(&Arg::Special(regs::LDS_DIRECT));
        let run = if reads_lds {
            Executor::VectorFromLds
        } else {
            run
        };
        let mut step = Step::unprepared(decoded, run, handler.unwrap_or(|_, _| {}));
        if is_vector {
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
