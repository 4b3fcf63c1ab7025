//! Reasons why a statement cannot be encoded.

use gcn_isa::rules::Rule;
use gcn_isa::{FieldError, Slot};

use crate::ids::Explanation;

/// Part of a statement that has a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProblemPlace {
    Instruction,
    Arg(usize),
    Modifier(usize),
}

/// Reason why operands do not fit an encoding, and the part of the statement at fault.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct EncodeProblem {
    pub at: ProblemPlace,
    pub kind: ProblemKind,
}

/// Kind of encoding problem.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ProblemKind {
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
    /// A buffer address with this many VGPRs is missing.
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
    /// Specificity of the problem: if several encodings fail, the highest-ranked problem is reported.
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

/// Problem with the operand at `index`.
pub(super) fn at_arg(index: usize, kind: ProblemKind) -> EncodeProblem {
    EncodeProblem {
        at: ProblemPlace::Arg(index),
        kind,
    }
}

/// Problem for a field error; `value` is the value that does not fit.
pub(super) fn field_problem(error: FieldError, value: i64) -> ProblemKind {
    match error {
        FieldError::Missing => ProblemKind::ModifierNotHere,
        FieldError::Range { low, high, .. } => ProblemKind::Range { value, low, high },
        FieldError::Alignment(multiple) => ProblemKind::Alignment(multiple),
        // The field takes another kind of operand.
        _ => ProblemKind::NoLiteral,
    }
}
