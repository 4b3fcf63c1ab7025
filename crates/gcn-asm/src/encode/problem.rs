//! Problems that keep a statement from an encoding.

use gcn_isa::rules::Rule;
use gcn_isa::{FieldError, Slot};

use crate::ids::Explanation;

/// The part of a statement that a problem concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProblemPlace {
    Instruction,
    Arg(usize),
    Modifier(usize),
}

/// A problem that keeps operands from fitting an encoding.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct EncodeProblem {
    pub at: ProblemPlace,
    pub kind: ProblemKind,
}

/// The kind of a problem.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ProblemKind {
    /// Ordered so that the most telling one of several encodings is reported: later is better.
    ModifierNotHere,
    NeedsVgpr,
    NoLiteral,
    NoSourceModifiers,
    NeedsVcc,
    SecondLiteral,
    Breaks(Rule),
    Expected(&'static Slot),
    Registers {
        expected: u8,
        found: u8,
    },
    Alignment(u8),
    TooFew,
    TooMany,
    Missing(&'static str),
    MustReturn,
    ReturnsNothing,
    OffIsMandatory,
    /// A buffer's address of this many VGPRs is left out.
    NoAddress(u8),
    BothOff,
    BothRegisters,
    AddressRegisters {
        expected: u8,
        found: u8,
    },
    ImageAddress {
        least: u8,
        most: u8,
        found: u8,
    },
    NotAllowed(&'static Explanation, &'static str),
    NotKnown,
    Range {
        value: i64,
        low: i64,
        high: i64,
    },
    FloatRange(f64),
    FloatInInteger,
    ListLength {
        expected: usize,
        found: usize,
    },
}

impl ProblemKind {
    /// Rank of the problem; of several encodings' problems the one with the highest rank is reported.
    pub(super) fn rank(self) -> u8 {
        match self {
            ProblemKind::ModifierNotHere
            | ProblemKind::NeedsVgpr
            | ProblemKind::NeedsVcc
            | ProblemKind::NoSourceModifiers => 0,
            ProblemKind::NoLiteral => 1,
            ProblemKind::Breaks(Rule::ConstantBus) | ProblemKind::SecondLiteral => 2,
            _ => 3,
        }
    }
}

/// A problem with an argument, by its index.
pub(super) fn at_arg(index: usize, kind: ProblemKind) -> EncodeProblem {
    EncodeProblem {
        at: ProblemPlace::Arg(index),
        kind,
    }
}

/// The problem of an operand whose value a field does not take.
pub(super) fn field_problem(error: FieldError, value: i64) -> ProblemKind {
    match error {
        FieldError::Missing => ProblemKind::ModifierNotHere,
        FieldError::Range { low, high, .. } => ProblemKind::Range { value, low, high },
        FieldError::Alignment(multiple) => ProblemKind::Alignment(multiple),
        // The operand is of another kind.
        _ => ProblemKind::NoLiteral,
    }
}
