//! Operands and modifiers as parsed, before an encoding is chosen.

use std::ops::Range;

use gcn_isa::{Kind, Modifier};

use crate::cursor::FloatWidth;
use crate::symbols::SymbolDefinition;
use crate::value::{ExprId, ExprValue};

/// An operand.
#[derive(Clone, Debug)]
pub(crate) struct ParsedOperand {
    pub what: ArgValue,
    /// `-x`, `neg(x)`.
    pub negated: bool,
    /// `|x|`, `abs(x)`.
    pub absolute: bool,
    /// `sext(x)`.
    pub extended: bool,
    /// `--x`.
    pub has_two_signs: bool,
    /// True if the value is a distance between labels.
    pub is_distance: bool,
    pub span: Range<usize>,
}

/// The kind and value of an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ArgValue {
    Vgprs {
        first: u8,
        count: u8,
    },
    /// `count` is [`gcn_isa::regs::ANY_WIDTH`] if any width is accepted.
    Scalar {
        code: u8,
        count: u8,
    },
    Off,
    Int(i64),
    /// `lit(…)`: always a literal, even if an inline constant exists.
    Literal(i64),
    Float(f64),
    /// A number with an explicit width.
    Sized(f64, FloatWidth),
    /// `lit(1.5)`.
    LiteralFloat(f64),
    /// Value not known before linking or the end of the source; index into the assembler's delayed values.
    Delayed(DelayedId),
    /// A delayed value in `lit(…)`.
    DelayedLiteral(DelayedId),
    Waitcnt(u16),
    Hwreg(u16),
    Message(u16),
    GprIndex(u16),
    /// Export target, attribute with its channel, or interpolation vertex.
    Graphics(Kind, i64),
}

impl ArgValue {
    /// Forces a constant to be encoded as a literal, even if an inline constant exists.
    pub(crate) fn make_literal(&mut self) {
        *self = match *self {
            ArgValue::Int(value) => ArgValue::Literal(value),
            ArgValue::Float(value) => ArgValue::LiteralFloat(value),
            other => other,
        };
    }
}

/// Index of a delayed value of the statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DelayedId(pub u32);

/// A number that is not known yet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum DelayedValue {
    Value(ExprValue),
    Expr(ExprId),
}

impl From<DelayedValue> for SymbolDefinition {
    fn from(delayed: DelayedValue) -> SymbolDefinition {
        match delayed {
            DelayedValue::Value(value) => SymbolDefinition::Value(value),
            DelayedValue::Expr(id) => SymbolDefinition::Expr(id),
        }
    }
}

/// A modifier with its value.
#[derive(Clone, Debug)]
pub(crate) struct ModArg {
    pub modifier: &'static Modifier,
    /// The number; for a list of bits, the first is bit 0.
    pub value: i64,
    /// Number of bits in a list.
    pub count: usize,
    /// Delayed value, if the number is not known yet.
    pub later: Option<DelayedId>,
    pub span: Range<usize>,
}

/// Converts a word to lower case in `buffer`; `None` if it does not fit.
pub(crate) fn lower_case<'b>(word: &str, buffer: &'b mut [u8]) -> Option<&'b str> {
    let place = buffer.get_mut(..word.len())?;
    place.copy_from_slice(word.as_bytes());
    place.make_ascii_lowercase();
    std::str::from_utf8(place).ok()
}
