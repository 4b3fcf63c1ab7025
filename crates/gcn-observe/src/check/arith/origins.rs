//! Origins of exceptional values: where a value that a register has, or a place of scratch, came to be.

use std::collections::HashMap;

use gcn_isa::Inst;

use super::values::FloatBits;
use crate::integer_range::IntegerRange;
use crate::lane_numbers::LaneNumbers;

/// Cause of an exceptional value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ExceptionCause {
    /// A division by zero: infinity, or a NaN.
    Division,
    /// The same, converted to an integer.
    Quotient,
    /// A NaN of numbers.
    Nan,
    /// An integer in place of a number that its type does not have.
    Conversion(RangeName),
}

/// The name of a range.
type RangeName = &'static str;

impl ExceptionCause {
    /// A conversion to a range.
    pub(super) fn conversion(range: IntegerRange) -> ExceptionCause {
        ExceptionCause::Conversion(range.name())
    }

    /// True if the value is an integer.
    pub(super) fn is_integer(self) -> bool {
        match self {
            ExceptionCause::Quotient | ExceptionCause::Conversion(_) => true,
            ExceptionCause::Division | ExceptionCause::Nan => false,
        }
    }
}

/// The instruction that made a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) cause: ExceptionCause,
    pub(super) pc: u64,
    pub(super) inst: Inst,
}

/// Number of an exceptional value's origin in [`Exceptions`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ExceptionId(u32);

/// Origins of exceptional values that the waves of a thread have met.
#[derive(Default)]
pub(super) struct Exceptions {
    made: Vec<Made>,
    numbers: HashMap<(u64, ExceptionCause), ExceptionId>,
}

impl Exceptions {
    /// The origin of what an instruction makes.
    pub(super) fn of(&mut self, cause: ExceptionCause, pc: u64, inst: &Inst) -> ExceptionId {
        let made = &mut self.made;
        *self.numbers.entry((pc, cause)).or_insert_with(|| {
            made.push(Made {
                cause,
                pc,
                inst: *inst,
            });
            ExceptionId(made.len() as u32)
        })
    }

    /// The origin of an integer that is converted from a value with an origin.
    pub(super) fn converted(&mut self, from: ExceptionId) -> Option<ExceptionId> {
        let Made { cause, pc, inst } = self.made(from);
        match cause {
            ExceptionCause::Division => Some(self.of(ExceptionCause::Quotient, pc, &inst)),
            // The NaN is to blame for what it is converted to.
            ExceptionCause::Nan | ExceptionCause::Quotient | ExceptionCause::Conversion(_) => None,
        }
    }

    /// The instruction of an origin.
    pub(super) fn made(&self, origin: ExceptionId) -> Made {
        // Numbers are counted from 1 on.
        self.made[origin.0 as usize - 1]
    }
}

/// Origins of the exceptional values of a wave.
#[derive(Default)]
pub(super) struct ExceptionShadow {
    /// Numbers of origins.
    registers: LaneNumbers,
    /// By the address of a dword of scratch.
    pub(super) scratch: HashMap<u64, ExceptionId>,
    /// By the address of an instruction and lane: the first number that it converted and its type does not have.
    pub(super) converted: HashMap<(u64, usize), FloatBits>,
}

impl ExceptionShadow {
    /// True if no register has an exceptional value.
    pub(super) fn is_empty(&self) -> bool {
        self.registers.is_empty()
    }

    /// Lanes of a register that have such a value.
    pub(super) fn lanes(&self, register: u8) -> u64 {
        self.registers.lanes(register)
    }

    /// The origin of a lane's value.
    pub(super) fn get(&self, register: u8, lane: usize) -> Option<ExceptionId> {
        let number = self.registers.get(register, lane);
        (number != 0).then_some(ExceptionId(number))
    }

    /// Notes the origin of a lane's value, or that it has none.
    pub(super) fn set(&mut self, register: u8, lane: usize, origin: Option<ExceptionId>) {
        self.registers
            .set(register, lane, origin.map_or(0, |it| it.0));
    }

    /// Notes that lanes of a register have no such value.
    pub(super) fn clear(&mut self, register: u8, lanes: u64) {
        self.registers.clear(register, lanes);
    }
}
