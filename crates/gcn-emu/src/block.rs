//! Basic blocks of guest code and their exits.
//!
//! A block begins at the entry of a kernel or function, at a branch target, or after the end of another block. A block
//! ends with an instruction that may transfer control, make the wave wait or change MODE, before the next branch
//! target, or at its maximum length. A block compiler can therefore treat MODE as constant, never sees a branch into
//! the middle of a block, and finds loops by their headers. VGPR indexing is the one exception for MODE: instructions
//! within a block may turn it on and off.
//!
//! Branch targets are known in advance: decoding the first block at an address follows all direct branches from there
//! ([`CodeSegment`](crate::code_segment::CodeSegment)) and records one bit per dword. Only jumps to addresses in
//! registers remain. A jump into the middle of a block creates an entry ([`BlockEntry`]) instead of a new block.
//! Entries are needed anyway to resume a wave in the middle of a block, and they cost no memory even if every dword of
//! a block is a jump target. The compiler leaves these entries to the interpreter, which soon reaches the end of the
//! block.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use gcn_isa::effect::{Condition, Control};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{RegisterSet, RegisterUse, Registers, UnnumberedState};
use gcn_isa::{DecodeError, Does, Inst, regs};

use crate::exec::alu::{self, indexing, modifiers};
use crate::exposed::exposed;
use crate::native::{Candidate, NativeBlock, PlanExit, Policy, Variant};
use crate::step::{Arg, Decoded, Executor, Handler, Step};
use crate::wave::Waiting;

/// Basic block.
#[derive(Debug)]
pub struct Block {
    steps: Box<[Step]>,
    /// Number of branches at the block's end: 0 or 1.
    branches: usize,
    exit: Exit,
    /// Dword index of the last step.
    last: usize,
    /// Index of the dword after the block.
    following: usize,
    /// Registers used by each step.
    uses: OnceLock<Box<[RegisterSet]>>,
    /// VGPRs whose initial values matter to a kernel that begins with the block; `None` for all.
    exposed: OnceLock<Option<Box<[u8]>>>,
    /// Host code by [`Variant`], set once compilation has been attempted; `None` if it failed.
    native: [OnceLock<Option<NativeBlock>>; Variant::COUNT],
    entered: EntryCount,
}

/// Successors of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Continues at the dword after the block, for example because that dword is a branch target, the last step may
    /// change MODE, or the block has the maximum length.
    FallThrough,
    /// Branches to the target dword if the condition holds, otherwise continues at the dword after the block.
    Branch {
        /// Branch condition.
        condition: Condition,
        /// Dword index of the target.
        target: usize,
    },
    /// Jumps to an address in registers, calls, or forks. A fork may also continue at the dword after the block.
    Jump,
    /// Continues at the dword after the block, once the wave has waited at a barrier or slept.
    Wait,
    /// Has no successor: the wave ends or faults.
    End,
    /// Has no successor and no steps: the first dword does not decode.
    Undecodable(DecodeError),
}

/// Position in a block at which execution enters it.
#[derive(Clone, Copy)]
pub(crate) struct BlockEntry<'a> {
    pub(crate) block: &'a Block,
    /// Index of the step.
    pub(crate) from: usize,
}

/// Entry counter. Saturates, so that threads stop contending for the cache line.
#[derive(Debug, Default)]
struct EntryCount(AtomicU16);

/// Maximum value of a block's entry counter.
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
            exposed: OnceLock::new(),
            native: Default::default(),
            entered: EntryCount::default(),
        }
    }

    /// Instructions of the block.
    #[inline(always)]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Successors of the block.
    #[inline(always)]
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Dword index of the instruction after the block.
    #[inline(always)]
    pub fn following(&self) -> usize {
        self.following
    }

    #[inline(always)]
    pub(crate) fn last(&self) -> usize {
        self.last
    }

    /// Returns `steps`, a tail of the block, without the final branch.
    #[inline(always)]
    pub(crate) fn body<'a>(&self, steps: &'a [Step]) -> &'a [Step] {
        &steps[..steps.len() - self.branches]
    }

    /// Registers that each step uses, computed on the first call. Relative addressing counts as a use of all registers.
    pub fn uses(&self) -> &[RegisterSet] {
        self.uses
            .get_or_init(|| self.steps.iter().map(|step| step.registers()).collect())
    }

    /// VGPRs whose initial values may matter to a wave that starts at the block with all lanes active and `vgprs`
    /// registers, the number that each wave of the code has; `None` for all. Computed on the first call.
    pub(crate) fn exposed(&self, vgprs: usize) -> Option<&[u8]> {
        let exposed = || exposed(&self.steps, vgprs);
        self.exposed.get_or_init(exposed).as_deref()
    }

    /// Returns the block's host code, if any. When guards of [`Variant::Full`] have failed too often,
    /// [`Variant::WithoutMemory`] replaces it.
    #[inline(always)]
    pub(crate) fn native(&self, variant: Variant) -> Option<&NativeBlock> {
        let in_use = |native: &&NativeBlock| !native.is_abandoned();
        let of = |variant: Variant| self.native[variant as usize].get()?.as_ref().filter(in_use);
        match variant {
            Variant::Full => of(Variant::Full).or_else(|| of(Variant::WithoutMemory)),
            _ => of(variant),
        }
    }

    /// Iterates over all host code compiled for the block.
    pub(crate) fn all_native(&self) -> impl Iterator<Item = &NativeBlock> {
        self.native
            .iter()
            .filter_map(|native| native.get()?.as_ref())
    }

    /// True if the block should be compiled now: it has been entered often enough and compilation has not been
    /// attempted, or [`Variant::WithoutMemory`] must replace an abandoned [`Variant::Full`].
    #[inline(always)]
    pub(crate) fn is_due(&self, policy: Policy) -> bool {
        let compiled = |variant: Variant| self.native[variant as usize].get();
        match compiled(policy.variant) {
            None => self.entered() >= policy.entries,
            Some(Some(native)) => {
                policy.variant == Variant::Full
                    && native.is_abandoned()
                    && compiled(Variant::WithoutMemory).is_none()
            }
            Some(None) => false,
        }
    }

    /// Variant to compile if `variant` is due.
    pub(crate) fn due_variant(&self, variant: Variant) -> Variant {
        match variant {
            Variant::Full if self.native[variant as usize].get().is_some() => {
                Variant::WithoutMemory
            }
            _ => variant,
        }
    }

    /// Records the result of compiling the block, unless one has been recorded already.
    pub(crate) fn set_native(&self, native: Option<NativeBlock>, variant: Variant) {
        let _ = self.native[variant as usize].set(native);
    }

    /// Returns the block as a candidate for a compiled region; `None` if it has no steps.
    pub(crate) fn candidate(&self, variant: Variant) -> Option<Candidate<'_>> {
        let mut body = self.body(&self.steps);
        let exit = match self.exit {
            Exit::End | Exit::Wait if variant.has_waits() => {
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
            uses: match variant {
                Variant::Observed => self.uses(),
                Variant::Full | Variant::WithoutMemory | Variant::WithoutStores => &[],
            },
            is_compiled: self.native(variant).is_some(),
        })
    }

    /// Number of the block's instructions that have host code.
    pub fn compiled(&self) -> usize {
        self.native(Variant::Full)
            .map_or(0, NativeBlock::instructions)
    }

    /// Number of times that the step loop has entered the block, at most [`MAX_ENTERED`]. Concurrent entries from two
    /// threads may be counted once.
    pub fn entered(&self) -> u16 {
        self.entered.0.load(Relaxed)
    }
}

impl BlockEntry<'_> {
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
            // The words after the instruction need not decode.
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
    /// Prepares a decoded instruction for the interpreter.
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

/// Selects the executor for a decoded instruction, given the handler of its operation.
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
        // A call has a destination register, which the step loop does not handle.
        Does::Branch(_) if inst.uses().calls() => alu,
        Does::Branch(condition) => Executor::Branch(condition, decoded.immediate() as i16),
        Does::Control(Control::Waitcnt) => {
            Executor::Wait(Waitcnt::unpack(inst.isa, decoded.immediate() as u16))
        }
        Does::Control(_) | Does::ReturnFromTrap => Executor::Flow,
        // Exports and undocumented image instructions.
        _ if decoded.memory.is_none() => Executor::Missing,
        _ => Executor::Memory,
    };
    match run {
        Executor::Missing => Executor::Missing,
        _ if decoded.is_cancelled => Executor::Cancelled,
        run => run,
    }
}

/// True for scalar instructions that use the program counter or MODE.
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
