//! Parsed operands and modifiers, before an encoding is chosen.

use std::ops::Range;

use gcn_isa::{Kind, Modifier};

use crate::cursor::FloatWidth;
use crate::symbols::SymbolDefinition;
use crate::value::{ExprId, ExprValue};

#[derive(Clone, Debug)]
pub(crate) struct ParsedOperand {
    pub what: ArgValue,
    /// Negated: `-x` or `neg(x)`.
    pub negated: bool,
    /// Absolute value: `|x|` or `abs(x)`.
    pub absolute: bool,
    /// Sign-extended: `sext(x)`.
    pub extended: bool,
    /// Two consecutive signs: `--x`.
    pub has_two_signs: bool,
    /// True if the value is a distance between labels.
    pub is_distance: bool,
    pub span: Range<usize>,
}

/// Kind and value of an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ArgValue {
    Vgprs {
        first: u8,
        count: u8,
    },
    /// Scalar register or inline constant; `count` is [`gcn_isa::regs::ANY_WIDTH`] if any width is accepted.
    Scalar {
        code: u8,
        count: u8,
    },
    Off,
    Int(i64),
    /// `lit(…)`: encoded as a literal even if there is an inline constant.
    Literal(i64),
    Float(f64),
    /// A floating-point number whose suffix states its width.
    Sized(f64, FloatWidth),
    /// `lit(…)` of a floating-point number.
    LiteralFloat(f64),
    /// Value known only at the end of the source or after linking; index into the parser's delayed values.
    Delayed(DelayedId),
    /// `lit(…)` of a delayed value.
    DelayedLiteral(DelayedId),
    Waitcnt(u16),
    Hwreg(u16),
    Message(u16),
    GprIndex(u16),
    /// Export target, attribute and channel, or interpolation vertex.
    Graphics(Kind, i64),
}

impl ArgValue {
    /// Forces a constant to be encoded as a literal, even if it has an inline encoding.
    pub(crate) fn make_literal(&mut self) {
        *self = match *self {
            ArgValue::Int(value) => ArgValue::Literal(value),
            ArgValue::Float(value) => ArgValue::LiteralFloat(value),
            other => other,
        };
    }
}

/// Index into the delayed values of the current statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DelayedId(pub u32);

/// Value that becomes known at the end of the source or when linking.
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

/// A parsed modifier and its value.
#[derive(Clone, Debug)]
pub(crate) struct ModArg {
    pub modifier: &'static Modifier,
    /// Value; the first element of a bit list is bit 0.
    pub value: i64,
    /// Number of elements in a bit list.
    pub count: usize,
    /// Delayed value, if `value` is not known yet.
    pub later: Option<DelayedId>,
    pub span: Range<usize>,
}

/// Lowercases a word into `buffer`; `None` if the word is too long for the buffer.
pub(crate) fn lower_case<'b>(word: &str, buffer: &'b mut [u8]) -> Option<&'b str> {
    let place = buffer.get_mut(..word.len())?;
    place.copy_from_slice(word.as_bytes());
    place.make_ascii_lowercase();
    std::str::from_utf8(place).ok()
}
