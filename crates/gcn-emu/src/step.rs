//! An instruction, decoded: all that its execution needs to know and that does not change from one to the next.
//!
//! [`Decoded`] is the instruction as data, for any engine: operands, what a memory instruction does ([`MemoryPlan`]), what an
//! encoding changes of sources and result (`modifiers.rs`), and the operands that M0 moves ([`Indexed`], [`Relative`]). A [`Step`]
//! adds how the interpreter runs it, and is what a handler is given.

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
mod decoded;

use std::ops::Deref;

use gcn_isa::effect::Condition;
use gcn_isa::simm::Waitcnt;
use gcn_isa::{Kind, OperandAccess, Slot};

pub use crate::lanes::Sign;
use crate::registers::RegisterRow;
use crate::wave::Wave;

pub use arg::{Arg, MAX_ARGS, Signs};
pub use decoded::{Decoded, RegisterCounts, Source};
pub use dpp::CrossLane;
pub(crate) use format::{COMPONENTS, ComponentSelect, ElementFormat, Numbers};
pub use image::ImagePlan;
pub use indexed::Indexed;
pub use modifiers::{ResultChange, SourceChange, SourcePart};
pub use plan::{Family, MemoryPlan, ShareElements};
pub(crate) use plan::{FastPath, MAX_SCALAR_DWORDS};
pub use relative::Relative;
pub(crate) use sdwa::SubDword;
pub use sdwa::{ResultPart, Selection, Unused};

/// An instruction's handler: it has everything it needs in the wave and the step.
pub type Handler = fn(&mut Wave, &Step);

/// An instruction as the interpreter runs it.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Step {
    /// The instruction.
    pub decoded: Decoded,
    /// The function that runs it, if it has a handler; else this does nothing.
    pub handler: Handler,
    /// Work around its operation, if its handler is one for such.
    pub(crate) around: Option<Box<Around>>,
    /// Part of the emulator that runs it.
    pub run: Executor,
    /// The rows of its result and its sources at their places, whatever kind of operand each is.
    pub(crate) rows: [RegisterRow; MAX_SOURCE_PLACES],
    /// The places of its operands that have a dword for each lane, in vector registers or in rows beside them, and whose signs
    /// are left alone, a bit each.
    pub(crate) in_lanes: u8,
    /// The place of the source that is the same in all lanes, if it is the only one that is not in lanes or has something done to
    /// its sign; else [`NO_PLACE`]. `in_lanes` says as much, but handlers that find it there by masks are slower (nbody and
    /// black_scholes by 1.5 %, AVX-512).
    pub(crate) only_same: u8,
}

/// A step is in three lines of the host's cache.
const _: () = assert!(size_of::<Step>() <= 3 * align_of::<Step>());

impl Deref for Step {
    type Target = Decoded;

    #[inline(always)]
    fn deref(&self) -> &Decoded {
        &self.decoded
    }
}

/// Part of the emulator that runs an instruction. The discriminant has a byte of its own, since the step loop looks at it often.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Executor {
    /// By the handler of a vector instruction, which leaves MODE and the program counter alone.
    Vector,
    /// By the handler of a scalar instruction, which leaves MODE and the program counter alone.
    Scalar,
    /// By the handler of a vector instruction, with a source from LDS that is read before (errata E246).
    VectorFromLds,
    /// By the handler of a scalar instruction that uses MODE or the program counter. The wave's PC is the next instruction's.
    ScalarControl,
    /// In two steps, addresses and access.
    Memory,
    /// By the step loop: on this condition it jumps by this number of dwords, counted from the next instruction.
    Branch(Condition, i16),
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
const NO_PLACE: u8 = u8::MAX;
/// Sources of vector instructions are at lower places among the operands.
const MAX_SOURCE_PLACES: usize = 5;

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
pub(crate) enum Around {
    /// Sources that are the same in all lanes are put into their rows before.
    Splats(Splats, Handler),
    /// Sources are changed into their rows before, and the result after.
    Modifiers(Modified),
}

/// Work around the operation of an instruction that has modifiers.
#[derive(Clone, Debug)]
pub(crate) struct Modified {
    /// The operation. Staged sources are neither register nor constant to it: so it finds them in their rows.
    pub(crate) operation: Step,
    /// Sources that are changed into their rows.
    pub(crate) staged: Box<[StagedSource]>,
    /// Changes of its result that the operation does not make by itself.
    pub(crate) result: Option<ResultChange>,
}

/// A source that is changed into its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StagedSource {
    /// Place among the operands.
    pub(crate) place: usize,
    /// True for a source of two dwords, which modifiers leave unchanged.
    pub(crate) is_wide: bool,
    /// True if it is read from other lanes.
    pub(crate) is_crossed: bool,
    /// Changes.
    pub(crate) change: SourceChange,
}

impl Step {
    /// The instruction with its operation's handler, which does not know yet where its operands are.
    pub(crate) fn unprepared(decoded: Decoded, run: Executor, handler: Handler) -> Step {
        Step {
            decoded,
            handler,
            around: None,
            run,
            rows: Step::NO_ROWS,
            in_lanes: 0,
            only_same: NO_PLACE,
        }
    }

    /// True if its handler is all that runs it, as long as MODE does not change what vector instructions do.
    #[inline(always)]
    pub fn is_simple(&self) -> bool {
        matches!(self.run, Executor::Vector | Executor::Scalar)
    }

    /// Rows of operands of which none is in a register.
    const NO_ROWS: [RegisterRow; MAX_SOURCE_PLACES] = {
        let mut rows = [RegisterRow::staged(0); MAX_SOURCE_PLACES];
        let mut place = 0;
        while place < rows.len() {
            rows[place] = RegisterRow::staged(place);
            place += 1;
        }
        rows
    };

    /// The instruction with other operands, for its handler, and nothing that is of no use to that; and what
    /// [`Step::find_rows`] returns.
    pub(crate) fn with_operands(&self, args: [Arg; MAX_ARGS]) -> (Step, Splats) {
        let mut step = self.with_registers(args);
        let splats = step.find_rows();
        (step, splats)
    }

    /// The same if only registers' numbers differ.
    #[inline(always)]
    pub(crate) fn with_registers(&self, args: [Arg; MAX_ARGS]) -> Step {
        let mut step = Step {
            decoded: self.decoded.with_registers(args),
            around: match self.around.as_deref() {
                Some(Around::Splats(..)) => self.around.clone(),
                Some(Around::Modifiers(_)) | None => None,
            },
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

    /// Determines the rows from which a vector instruction's handler reads its sources. The handler itself reads a uniform
    /// source if all others are in lanes and without sign modifiers. Regardless of modifiers, it also does so for one of two
    /// dword sources, the second of three, or two adjacent ones of three. Returns the uniform sources that have to be copied
    /// to their rows.
    pub(crate) fn find_rows(&mut self) -> Splats {
        let Step {
            decoded,
            rows,
            in_lanes,
            ..
        } = self;
        *in_lanes = 0;
        *rows = Step::NO_ROWS;
        let (mut same, mut signed, mut wide, mut all, mut sources) = (0u8, 0u8, 0, 0u8, 0u8);
        let places = decoded.inst.row().slots().zip(rows);
        for (place, (slot, row)) in places.enumerate() {
            if let Arg::Vgpr(number) = decoded.args[place] {
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
            match decoded.args[place] {
                Arg::Scalar(_) | Arg::Const(_) => same |= bit,
                // `modifiers` puts the others into their rows.
                Arg::Vgpr(_) | Arg::None | Arg::Special(_) | Arg::Imm(_) => {}
            }
            match decoded.signs[place] {
                Sign::Kept => *in_lanes |= bit,
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
}

/// True of an operand of which a vector instruction reads a value for each lane.
fn is_read_by_lane(slot: &Slot) -> bool {
    let is_read = slot.access != OperandAccess::Write;
    is_read && matches!(slot.kind, Kind::Src | Kind::Vgpr | Kind::Literal)
}
