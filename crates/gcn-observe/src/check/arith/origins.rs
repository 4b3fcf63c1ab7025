//! Origins of exceptional values in registers and scratch.

use std::collections::HashMap;

use gcn_isa::Inst;

use super::values::FloatBits;
use crate::integer_range::IntegerRange;
use crate::lane_numbers::LaneNumbers;

/// Cause of an exceptional value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ExceptionCause {
    /// A division by zero, which results in infinity or a NaN.
    Division,
    /// The result of a division by zero, converted to an integer.
    Quotient,
    /// A NaN computed from numbers.
    Nan,
    /// An out-of-range number, converted to an integer.
    Conversion(RangeName),
}

/// Name of an integer range.
type RangeName = &'static str;

impl ExceptionCause {
    /// Creates the cause for a conversion to `range`.
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

/// The instruction that produced an exceptional value.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExceptionSource {
    pub(super) cause: ExceptionCause,
    pub(super) pc: u64,
    pub(super) inst: Inst,
}

/// Number of an origin in [`Exceptions`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ExceptionId(u32);

/// Origins of the exceptional values seen by the waves of one thread.
#[derive(Default)]
pub(super) struct Exceptions {
    made: Vec<ExceptionSource>,
    numbers: HashMap<(u64, ExceptionCause), ExceptionId>,
}

impl Exceptions {
    /// Returns the number of an origin, adding the origin if it is new.
    pub(super) fn of(&mut self, cause: ExceptionCause, pc: u64, inst: &Inst) -> ExceptionId {
        let made = &mut self.made;
        *self.numbers.entry((pc, cause)).or_insert_with(|| {
            made.push(ExceptionSource {
                cause,
                pc,
                inst: *inst,
            });
            ExceptionId(made.len() as u32)
        })
    }

    /// Returns the origin of an integer converted from a value with origin `from`, if it is to be reported.
    pub(super) fn converted(&mut self, from: ExceptionId) -> Option<ExceptionId> {
        let ExceptionSource { cause, pc, inst } = self.made(from);
        match cause {
            ExceptionCause::Division => Some(self.of(ExceptionCause::Quotient, pc, &inst)),
            // Only the original value is reported.
            ExceptionCause::Nan | ExceptionCause::Quotient | ExceptionCause::Conversion(_) => None,
        }
    }

    pub(super) fn made(&self, origin: ExceptionId) -> ExceptionSource {
        // Numbers start at 1.
        self.made[origin.0 as usize - 1]
    }
}

/// Origins of the exceptional values of a wave.
#[derive(Default)]
pub(super) struct ExceptionShadow {
    /// Origin numbers by register and lane.
    registers: LaneNumbers,
    /// Origin numbers by address of the scratch dword.
    pub(super) scratch: HashMap<u64, ExceptionId>,
    /// Last out-of-range number that was converted, by instruction address and lane.
    pub(super) converted: HashMap<(u64, usize), FloatBits>,
}

impl ExceptionShadow {
    /// True if no register has an exceptional value.
    pub(super) fn is_empty(&self) -> bool {
        self.registers.is_empty()
    }

    /// Returns the lanes of a register that contain exceptional values.
    pub(super) fn lanes(&self, register: u8) -> u64 {
        self.registers.lanes(register)
    }

    /// Returns the origin of a lane's value.
    pub(super) fn get(&self, register: u8, lane: usize) -> Option<ExceptionId> {
        let number = self.registers.get(register, lane);
        (number != 0).then_some(ExceptionId(number))
    }

    /// Sets or clears the origin of a lane's value.
    pub(super) fn set(&mut self, register: u8, lane: usize, origin: Option<ExceptionId>) {
        self.registers
            .set(register, lane, origin.map_or(0, |it| it.0));
    }

    /// Clears the origins of the given lanes of a register.
    pub(super) fn clear(&mut self, register: u8, lanes: u64) {
        self.registers.clear(register, lanes);
    }
}
