//! Operands and modifiers as a statement writes them, before an encoding is chosen for them.

use std::ops::Range;

use gcn_isa::{Kind, Modifier};

use crate::cursor::FloatWidth;
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
    /// A number that the places of labels give.
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
    /// `count` is [`regs::ANY_WIDTH`] where any will do.
    Scalar {
        code: u8,
        count: u8,
    },
    Off,
    Int(i64),
    /// `lit(…)`: a literal even where an inline constant would do.
    Literal(i64),
    Float(f64),
    /// A number with its width.
    Sized(f64, FloatWidth),
    /// `lit(1.5)`.
    LiteralFloat(f64),
    /// Not known before linking, or before the end of the source: one of the assembler's that wait.
    Delayed(DelayedId),
    /// A delayed value in `lit(…)`.
    DelayedLiteral(DelayedId),
    Waitcnt(u16),
    Hwreg(u16),
    Message(u16),
    GprIndex(u16),
    /// An export's target, an attribute and its channel, a value at a vertex.
    Graphics(Kind, i64),
}

impl ArgValue {
    /// A constant becomes a literal, whatever inline constant there is.
    pub(crate) fn make_literal(&mut self) {
        *self = match *self {
            ArgValue::Int(value) => ArgValue::Literal(value),
            ArgValue::Float(value) => ArgValue::LiteralFloat(value),
            other => other,
        };
    }
}

/// The place of what is not known yet among the statement's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DelayedId(pub u32);

/// A number that is not known yet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Delayed {
    Value(ExprValue),
    Expr(ExprId),
}

/// A modifier with its value.
#[derive(Clone, Debug)]
pub(crate) struct ModArg {
    pub modifier: &'static Modifier,
    /// The number; of a list of bits the first in bit 0.
    pub value: i64,
    /// Number of bits of a list.
    pub count: usize,
    /// The number is not known yet.
    pub later: Option<DelayedId>,
    pub span: Range<usize>,
}

/// A word in lower case, in `buffer`; nothing if it is longer.
pub(crate) fn lower_case<'b>(word: &str, buffer: &'b mut [u8]) -> Option<&'b str> {
    let place = buffer.get_mut(..word.len())?;
    place.copy_from_slice(word.as_bytes());
    place.make_ascii_lowercase();
    std::str::from_utf8(place).ok()
}
