//! Origins of exceptional values: where a value that a register has, or a place of scratch, came to be.

use std::collections::HashMap;

use gcn_isa::Inst;

use super::range::IntegerRange;
use crate::lane_numbers::LaneNumbers;

/// Cause of an exceptional value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Cause {
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

impl Cause {
    /// A conversion to a range.
    pub(super) fn conversion(range: IntegerRange) -> Cause {
        Cause::Conversion(range.name())
    }

    /// True if the value is an integer.
    pub(super) fn is_integer(self) -> bool {
        match self {
            Cause::Quotient | Cause::Conversion(_) => true,
            Cause::Division | Cause::Nan => false,
        }
    }
}

/// The instruction that made a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) cause: Cause,
    pub(super) pc: u64,
    pub(super) inst: Inst,
}

/// Number of an origin in [`Origins`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Origin(u32);

/// Origins that the waves of a thread have met.
#[derive(Default)]
pub(super) struct Origins {
    made: Vec<Made>,
    numbers: HashMap<(u64, Cause), Origin>,
}

impl Origins {
    /// The origin of what an instruction makes.
    pub(super) fn of(&mut self, cause: Cause, pc: u64, inst: &Inst) -> Origin {
        let made = &mut self.made;
        *self.numbers.entry((pc, cause)).or_insert_with(|| {
            made.push(Made {
                cause,
                pc,
                inst: *inst,
            });
            Origin(made.len() as u32)
        })
    }

    /// The origin of an integer that is converted from a value with an origin.
    pub(super) fn converted(&mut self, from: Origin) -> Option<Origin> {
        let Made { cause, pc, inst } = self.made(from);
        match cause {
            Cause::Division => Some(self.of(Cause::Quotient, pc, &inst)),
            // The NaN is to blame for what it is converted to.
            Cause::Nan | Cause::Quotient | Cause::Conversion(_) => None,
        }
    }

    /// The instruction of an origin.
    pub(super) fn made(&self, origin: Origin) -> Made {
        // Numbers are counted from 1 on.
        self.made[origin.0 as usize - 1]
    }
}

/// Origins of the exceptional values of a wave.
#[derive(Default)]
pub(super) struct Shadow {
    /// Numbers of origins.
    registers: LaneNumbers,
    /// By the address of a dword of scratch.
    pub(super) scratch: HashMap<u64, Origin>,
}

impl Shadow {
    /// True if no register has an exceptional value.
    pub(super) fn is_empty(&self) -> bool {
        self.registers.is_empty()
    }

    /// Lanes of a register that have such a value.
    pub(super) fn lanes(&self, register: u8) -> u64 {
        self.registers.lanes(register)
    }

    /// The origin of a lane's value.
    pub(super) fn get(&self, register: u8, lane: usize) -> Option<Origin> {
        let number = self.registers.get(register, lane);
        (number != 0).then_some(Origin(number))
    }

    /// Notes the origin of a lane's value, or that it has none.
    pub(super) fn set(&mut self, register: u8, lane: usize, origin: Option<Origin>) {
        self.registers
            .set(register, lane, origin.map_or(0, |it| it.0));
    }

    /// Notes that lanes of a register have no such value.
    pub(super) fn clear(&mut self, register: u8, lanes: u64) {
        self.registers.clear(register, lanes);
    }
}
