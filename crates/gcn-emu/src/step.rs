//! An instruction, decoded: all that its execution needs to know and that does not change from one to the next.
//!
//! [`Step`] is what a handler is given. Its parts are in files of their own: what a memory instruction does ([`MemoryPlan`]), what
//! an encoding asks beyond its operation ([`Modified`]), and the operands that M0 moves ([`Indexed`], [`Relative`]).

mod arg;
mod dpp;
mod format;
mod image;
mod indexed;
mod sdwa;
pub(crate) mod modifiers;
pub(crate) mod plan;
mod fast_path;
mod resolve;
mod relative;

use gcn_isa::effect::{Condition, Control, ImageOp};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counters, Order};
use gcn_isa::{Does, Inst, Kind, OperandAccess, Slot};

pub use crate::lanes::Sign;
use crate::registers::RegisterRow;
use crate::wave::Wave;

use arg::DWORD;
pub use arg::{Arg, MAX_ARGS, Signs};
pub(crate) use dpp::CrossLane;
pub(crate) use format::{COMPONENTS, ComponentSelect, ElementFormat, Numbers};
pub use image::ImagePlan;
pub use indexed::Indexed;
use modifiers::{Change, ResultChange};
pub use plan::{Family, MemoryPlan, ShareElements};
pub(crate) use plan::{FastPath, MAX_SCALAR_DWORDS};
pub use relative::Relative;
pub(crate) use sdwa::{Placed, SubDword};

/// An instruction's handler: it has everything it needs in the wave and the step.
pub type Handler = fn(&mut Wave, &Step);

/// An instruction, decoded.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Step {
    /// The instruction.
    pub inst: Inst,
    /// The number of its first dword.
    pub index: usize,
    /// Length in bytes.
    pub bytes: u8,
    /// Operands, in the order of its row.
    pub args: [Arg; MAX_ARGS],
    /// Sign modifiers of its sources.
    pub signs: Signs,
    /// The places of its operands that have a dword for each lane, in vector registers or in rows beside them, and whose signs
    /// are left alone, a bit each.
    pub(crate) in_lanes: u8,
    /// The place of the source that is the same in all lanes, if it is the only one that is not in lanes or has something done to
    /// its sign; else [`NO_PLACE`]. `in_lanes` says as much, but handlers that find it there by masks are slower (nbody and
    /// black_scholes by 1.5 %, AVX-512).
    pub(crate) only_same: u8,
    /// The rows of its result and its sources at their places, whatever kind of operand each is.
    pub(crate) rows: [RegisterRow; MAX_SOURCE_PLACES],
    /// True if its result, which has 16 bits, leaves the high half of its register as it was.
    pub keeps_high: bool,
    /// Work around its operation, if its handler is one for such.
    pub around: Option<Box<Around>>,
    /// True if it reads registers which the kernel does not ask for.
    pub reads_outside: bool,
    /// True if its mask goes to EXEC as well (V_CMPX).
    pub writes_exec: bool,
    /// True if its handler is all that runs it, as long as MODE does not change what vector instructions do: a test that needs no
    /// look at `run`. Such are vector instructions, and scalar ones that leave MODE and the program counter alone.
    pub is_simple: bool,
    /// Part of the emulator that runs it.
    pub run: Executor,
    /// The function that runs it, if it has a handler; else this does nothing.
    pub handler: Handler,
    /// The operands that VGPR indexing moves.
    pub indexed: Indexed,
    /// The operands that MOVREL moves, if it is one.
    pub relative: Option<Relative>,
    /// Plan of a memory instruction.
    pub memory: Option<Box<MemoryPlan>>,
}

/// Part of the emulator that runs an instruction. The discriminant has a byte of its own, since the step loop looks at it often.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Executor {
    /// By its handler, which leaves MODE and the program counter alone.
    Vector,
    /// The same, with a source from LDS that is read before (errata E246).
    VectorFromLds,
    /// By its handler, for which the program counter is the next instruction's address.
    Scalar,
    /// In two steps, addresses and access.
    Memory,
    /// By the step loop: on this condition it jumps by this number of dwords, counted from the next instruction.
    Branch(Condition, i32),
    /// By the step loop: waits for the counters.
    Wait(Waitcnt),
    /// By the step loop.
    Flow,
    /// Not at all: its destination is outside the wave's registers (checklist 1.6, 1.7). Counters still complete.
    Cancelled,
    /// No part: this emulator does not execute the instruction.
    Missing,
}

/// In place of an operand's.
pub(crate) const NO_PLACE: u8 = u8::MAX;
/// Sources of vector instructions are at lower places among the operands.
pub(crate) const MAX_SOURCE_PLACES: usize = 5;

/// Sources that are the same in all lanes, by their places among the operands, a bit each.
#[derive(Clone, Copy, Debug)]
pub struct Splats {
    /// Places.
    pub(crate) places: u8,
    /// Places of operands of two dwords, others than such sources among them.
    pub(crate) wide: u8,
}

/// Work around the operation of a vector instruction.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a step has it in a box, and another box would be another line of the host's cache"
)]
pub enum Around {
    /// Sources that are the same in all lanes are put into their rows before.
    Splats(Splats, Handler),
    /// Demands of the encoding beyond the operation.
    Modifiers(Modified),
}

/// An instruction that asks more than an operation does by itself, without what it asks.
#[derive(Clone, Debug)]
pub struct Modified {
    /// The operation. Sources that are changed are neither register nor constant to it: so it finds them in their rows.
    pub operation: Step,
    /// Changes of its sources.
    pub(crate) changes: Box<[Change]>,
    /// The lanes that its first source is read from, if not the own.
    pub(crate) cross_lane: Option<CrossLane>,
    /// Changes of its result.
    pub(crate) result: ResultChange,
}

impl Step {
    /// Rows of operands of which none is in a register.
    pub(crate) const NO_ROWS: [RegisterRow; MAX_SOURCE_PLACES] = {
        let mut rows = [RegisterRow::staged(0); MAX_SOURCE_PLACES];
        let mut place = 0;
        while place < rows.len() {
            rows[place] = RegisterRow::staged(place);
            place += 1;
        }
        rows
    };

    /// The number of the dword behind it.
    #[inline(always)]
    pub fn following(&self) -> usize {
        self.index.wrapping_add(usize::from(self.bytes) / DWORD)
    }

    /// The instruction with other operands, for its handler, and nothing that is of no use to that; and what
    /// [`Step::find_rows`] returns.
    pub(crate) fn with(&self, args: [Arg; MAX_ARGS]) -> (Step, Splats) {
        let mut step = self.with_registers(args);
        let splats = step.find_rows();
        (step, splats)
    }

    /// The same if only registers' numbers differ.
    #[inline]
    pub(crate) fn with_registers(&self, args: [Arg; MAX_ARGS]) -> Step {
        let mut step = Step {
            args,
            around: match self.around.as_deref() {
                Some(Around::Splats(..)) => self.around.clone(),
                Some(Around::Modifiers(_)) | None => None,
            },
            memory: None,
            ..*self
        };
        for ((row, none), arg) in step.rows.iter_mut().zip(Step::NO_ROWS).zip(args) {
            if row.is_register() {
                *row = match arg {
                    Arg::Vgpr(number) => RegisterRow::of_register(number),
                    Arg::None | Arg::Scalar(_) | Arg::Special(_) | Arg::Const(_) | Arg::Imm(_) => {
                        none
                    }
                };
            }
        }
        step
    }

    /// The counters that it adds to.
    #[inline]
    pub fn counters(&self) -> Option<Counters> {
        match &self.memory {
            Some(plan) => plan.counters,
            None => self.is_message().then_some(Counters {
                vm: 0,
                lgkm: 1,
                exp: 0,
                order: Order::Message,
                sampled: false,
            }),
        }
    }

    /// True if it accesses several texels of an image a lane.
    pub fn accesses_texels(&self) -> bool {
        let does = self.memory.as_deref().map(|plan| plan.does);
        matches!(
            does,
            Some(Does::Image(ImageOp::Sample(_) | ImageOp::Gather(_)))
        )
    }

    /// True if it sends a message.
    pub fn is_message(&self) -> bool {
        matches!(self.run, Executor::Flow)
            && matches!(self.inst.does(), Does::Control(Control::SendMsg { .. }))
    }

    /// The operands, with the registers that MOVREL names if it is one.
    pub(crate) fn relative_operands(&self, wave: &Wave) -> [Arg; MAX_ARGS] {
        match self.relative {
            Some(relative) => relative.operands(wave, self.args),
            None => self.args,
        }
    }

    /// Finds out where a vector instruction's handler is to look for its sources. What is the same in all lanes is its own
    /// business, if it is the only source that is not in lanes or has something done to its sign; and, whatever is done to
    /// signs, if it is one of two sources of a dword, or the second of three, or two beside each other of three. Returns those
    /// that it wants in their rows.
    pub(crate) fn find_rows(&mut self) -> Splats {
        self.in_lanes = 0;
        self.rows = Step::NO_ROWS;
        let (mut same, mut signed, mut wide, mut all, mut sources) = (0u8, 0u8, 0, 0u8, 0u8);
        let places = self.inst.row().slots().zip(&mut self.rows);
        for (place, (slot, row)) in places.enumerate() {
            if let Arg::Vgpr(number) = self.args[place] {
                *row = RegisterRow::of_register(number);
            }
            if !is_read_by_lane(slot) {
                continue;
            }
            let bit = 1 << place;
            all |= bit;
            if slot.ty.dwords() > 1 {
                wide |= bit;
            }
            if slot.access == OperandAccess::Read {
                sources |= bit;
            }
            match self.args[place] {
                Arg::Scalar(_) | Arg::Const(_) => same |= bit,
                // `modifiers` puts the others into their rows.
                Arg::Vgpr(_) | Arg::None | Arg::Special(_) | Arg::Imm(_) => {}
            }
            match self.signs[place] {
                Sign::Kept => self.in_lanes |= bit,
                Sign::Off | Sign::Over | Sign::On => signed |= bit,
            }
        }
        // The bits of three sources beside each other but the first and the last.
        let second = sources >> 1 & sources << 1 & sources;
        let are_two = all.count_ones() == 2 && wide == 0;
        let is_left = match (same.count_ones(), signed & !same) {
            (1, 0) => true,
            (1, _) => are_two || same == second,
            (2, _) => same & second != 0,
            _ => false,
        };
        self.only_same = NO_PLACE;
        if is_left {
            if same.count_ones() == 1 && signed & !same == 0 {
                self.only_same = same.trailing_zeros() as u8;
            }
            self.in_lanes &= !same;
            same = 0;
        }
        Splats { places: same, wide }
    }

    /// The instruction's number (SIMM16 and the like), 0 if it has none.
    pub fn immediate(&self) -> i64 {
        immediate(&self.inst, &self.args)
    }
}

/// True of an operand of which a vector instruction reads a value for each lane.
fn is_read_by_lane(slot: &Slot) -> bool {
    let is_read = slot.access != OperandAccess::Write;
    is_read && matches!(slot.kind, Kind::Src | Kind::Vgpr | Kind::Literal)
}

/// The number among an instruction's operands (SIMM16 and the like), 0 if it has none.
pub(crate) fn immediate(inst: &Inst, args: &[Arg; MAX_ARGS]) -> i64 {
    let is_immediate = |slot: &&Slot| {
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
