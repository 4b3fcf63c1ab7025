//! Decoded instructions, with all data that is the same for every execution.
//!
//! [`Decoded`] is the instruction as data, for any engine: operands, the effect of a memory instruction
//! ([`MemoryPlan`]), source and result modifiers of the encoding (`modifiers.rs`), and the operands whose register
//! numbers are offset by M0 ([`Indexed`], [`Relative`]). A [`Step`] adds the interpreter's data and is passed to
//! handlers.

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

/// Handler of an instruction. The wave and the step contain all the data it needs.
pub type Handler = fn(&mut Wave, &Step);

/// Instruction in the form that the interpreter executes.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Step {
    /// Instruction as data, independent of the interpreter.
    pub decoded: Decoded,
    /// Function that executes the instruction; does nothing if the instruction has no handler.
    pub handler: Handler,
    /// Work before and after the operation, if the handler needs it.
    pub(crate) around: Option<Box<Around>>,
    /// Part of the emulator that executes the instruction.
    pub run: Executor,
    /// Rows of the result and the sources, by operand index and for any kind of operand.
    pub(crate) rows: [RegisterRow; MAX_SOURCE_PLACES],
    /// Bit set of the indexes of operands that have a dword for each lane, in vector registers or in staging rows,
    /// and no sign modifier.
    pub(crate) in_lanes: u8,
    /// Index of the uniform source, if it is the only source that is not in lanes or has a sign modifier; otherwise
    /// [`NO_PLACE`]. `in_lanes` contains the same information, but handlers that extract it with masks are slower
    /// (nbody and black_scholes by 1.5 %, AVX-512).
    pub(crate) only_same: u8,
}

/// A step fits in three host cache lines.
const _: () = assert!(size_of::<Step>() <= 3 * align_of::<Step>());

impl Deref for Step {
    type Target = Decoded;

    #[inline(always)]
    fn deref(&self) -> &Decoded {
        &self.decoded
    }
}

/// Part of the emulator that executes an instruction. The discriminant is a separate byte, since the step loop reads
/// it often.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Executor {
    /// Handler of a vector instruction that does not change MODE or the program counter.
    Vector,
    /// Handler of a scalar instruction that does not change MODE or the program counter.
    Scalar,
    /// Handler of a vector instruction with a source from LDS, which is read first (errata E246).
    VectorFromLds,
    /// Handler of a scalar instruction that uses MODE or the program counter. The wave's PC is the address of the next
    /// instruction.
    ScalarControl,
    /// Memory instruction, executed in two steps: addresses and access.
    Memory,
    /// Branch, executed by the step loop: if the condition holds, it jumps by this number of dwords from the next
    /// instruction.
    Branch(Condition, i16),
    /// Wait for counters, executed by the step loop.
    Wait(Waitcnt),
    /// Program control, executed by the step loop.
    Flow,
    /// No execution, since the destination is outside the wave's registers (checklist 1.6, 1.7). The wait counters
    /// still count the instruction.
    Cancelled,
    /// No execution, since the emulator does not support the instruction.
    Missing,
}

/// Sentinel for no operand index.
const NO_PLACE: u8 = u8::MAX;
/// Exclusive upper bound of the operand indexes of a vector instruction's sources.
const MAX_SOURCE_PLACES: usize = 5;

/// Uniform sources to copy to their rows before the operation.
#[derive(Clone, Copy, Debug)]
pub struct Splats {
    /// Bit set of the operand indexes of these sources.
    pub(crate) places: u8,
    /// Bit set of the indexes of two-dword operands, uniform or not.
    pub(crate) wide: u8,
}

/// Work before and after the operation of a vector instruction.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a step has it in a box, and another box would be another line of the host's cache"
)]
pub(crate) enum Around {
    /// Uniform sources are broadcast to their rows first.
    Splats(Splats, Handler),
    /// Modified sources are written to their rows first, and the result is modified afterwards.
    Modifiers(Modified),
}

/// Work before and after the operation of an instruction with modifiers.
#[derive(Clone, Debug)]
pub(crate) struct Modified {
    /// Unmodified operation. Its staged sources are neither registers nor constants, so it reads them from their rows.
    pub(crate) operation: Step,
    /// Sources whose modified values are written to their rows.
    pub(crate) staged: Box<[StagedSource]>,
    /// Changes to the result that the operation does not make itself.
    pub(crate) result: Option<ResultChange>,
}

/// Source whose modified value is written to its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StagedSource {
    /// Operand index.
    pub(crate) place: usize,
    /// True for a source of two dwords, which modifiers leave unchanged.
    pub(crate) is_wide: bool,
    /// True if the source is read from other lanes.
    pub(crate) is_crossed: bool,
    /// Changes to the source.
    pub(crate) change: SourceChange,
}

impl Step {
    /// Creates a step with the handler of its operation. The rows of the operands are not determined yet.
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

    /// True if the handler alone executes the instruction, as long as MODE does not affect vector instructions.
    #[inline(always)]
    pub fn is_simple(&self) -> bool {
        matches!(self.run, Executor::Vector | Executor::Scalar)
    }

    /// Rows of operands if none of them is in a register.
    const NO_ROWS: [RegisterRow; MAX_SOURCE_PLACES] = {
        let mut rows = [RegisterRow::staged(0); MAX_SOURCE_PLACES];
        let mut place = 0;
        while place < rows.len() {
            rows[place] = RegisterRow::staged(place);
            place += 1;
        }
        rows
    };

    /// Copies the instruction with other operands and without data that its handler does not use. Also returns the
    /// result of [`Step::find_rows`].
    pub(crate) fn with_operands(&self, args: [Arg; MAX_ARGS]) -> (Step, Splats) {
        let mut step = self.with_registers(args);
        let splats = step.find_rows();
        (step, splats)
    }

    /// Copies the instruction with other register numbers, but the same kinds of operands.
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

    /// Determines the rows from which a vector instruction's handler reads its sources. The handler itself fetches a
    /// uniform source if all others are in lanes without sign modifiers. Regardless of sign modifiers, it also fetches
    /// one of two dword sources, the second of three sources, or two adjacent ones of three. Returns the uniform
    /// sources that must be copied to their rows before the handler runs.
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
                // `modifiers` writes the other sources to their rows.
                Arg::Vgpr(_) | Arg::None | Arg::Special(_) | Arg::Imm(_) => {}
            }
            match decoded.signs[place] {
                Sign::Kept => *in_lanes |= bit,
                Sign::Off | Sign::Over | Sign::On => signed |= bit,
            }
        }
        // Bit of the middle one of three adjacent sources.
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

/// True if a vector instruction reads a value of the operand for each lane.
fn is_read_by_lane(slot: &Slot) -> bool {
    let is_read = slot.access != OperandAccess::Write;
    is_read && matches!(slot.kind, Kind::Src | Kind::Vgpr | Kind::Literal)
}
