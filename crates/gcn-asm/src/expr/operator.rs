//! Operators of expressions, with the precedence of GNU as.

use gcn_isa::Isa;

use super::{EvalError, functions};
use crate::value::ExprValue;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Neg,
    Not,
    LogicalNot,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    SignedShr,
    UnsignedDiv,
    UnsignedRem,
    Or,
    OrNot,
    Xor,
    And,
    Add,
    Sub,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogicalAnd,
    LogicalOr,
    Below,
    NotAbove,
    Above,
    NotBelow,
    /// `a ? b : c`, written as three operands.
    Choice,
    /// The greater.
    Max,
    /// The next multiple.
    AlignTo,
    /// The last argument of the function is on top.
    Occupancy(Isa),
}

/// Spelling, precedence (the larger binds tighter) and meaning, in the order in which they are tried.
const BINARY: &[(&str, u8, Operator)] = &[
    ("||", 1, Operator::LogicalOr),
    ("&&", 2, Operator::LogicalAnd),
    ("==", 3, Operator::Eq),
    ("!=", 3, Operator::Ne),
    ("<>", 3, Operator::Ne),
    ("<<", 6, Operator::Shl),
    (">>>", 6, Operator::SignedShr),
    (">>", 6, Operator::Shr),
    ("<=@", 3, Operator::NotAbove),
    (">=@", 3, Operator::NotBelow),
    ("<@", 3, Operator::Below),
    (">@", 3, Operator::Above),
    ("<=", 3, Operator::Le),
    (">=", 3, Operator::Ge),
    ("<", 3, Operator::Lt),
    (">", 3, Operator::Gt),
    ("+", 4, Operator::Add),
    ("-", 4, Operator::Sub),
    ("|", 5, Operator::Or),
    ("!", 5, Operator::OrNot),
    ("^", 5, Operator::Xor),
    ("&", 5, Operator::And),
    ("*", 6, Operator::Mul),
    ("//", 6, Operator::UnsignedDiv),
    ("/", 6, Operator::Div),
    ("%%", 6, Operator::UnsignedRem),
    ("%", 6, Operator::Rem),
];

/// Spelling, precedence and meaning of the operator that a text begins with.
pub(super) fn operator_at(text: &[u8]) -> Option<(&'static str, u8, Operator)> {
    let (first, rest) = text.split_first()?;
    let begins = |spelling: &str| match spelling.as_bytes() {
        [only] => only == first,
        [head, tail @ ..] => head == first && rest.starts_with(tail),
        [] => false,
    };
    BINARY.iter().find(|(text, ..)| begins(text)).copied()
}

impl Operator {
    pub(super) fn text(self) -> &'static str {
        match self {
            Operator::Neg => "-",
            Operator::Not => "~",
            Operator::LogicalNot => "!",
            Operator::Choice => "?:",
            Operator::Max => "max",
            Operator::AlignTo => "alignto",
            Operator::Occupancy(_) => "occupancy",
            _ => BINARY
                .iter()
                .find(|(_, _, op)| *op == self)
                .map_or("", |(text, ..)| text),
        }
    }

    pub(super) fn is_unary(self) -> bool {
        matches!(self, Operator::Neg | Operator::Not | Operator::LogicalNot)
    }

    pub(super) fn unary(self, value: ExprValue) -> Result<ExprValue, EvalError> {
        if self == Operator::Neg {
            return Ok(value.negated());
        }
        let number = value.as_absolute().ok_or(EvalError::Addresses(self))?;
        Ok(ExprValue::absolute(match self {
            Operator::Not => !number,
            _ => i64::from(number == 0),
        }))
    }

    pub(super) fn binary(self, left: ExprValue, right: ExprValue) -> Result<ExprValue, EvalError> {
        let sum = match self {
            Operator::Add => Some(left.plus(right)),
            Operator::Sub => Some(left.plus(right.negated())),
            _ => None,
        };
        if let Some(sum) = sum {
            return sum.ok_or(EvalError::Addresses(self));
        }
        let (Some(a), Some(b)) = (left.as_absolute(), right.as_absolute()) else {
            return Err(EvalError::Addresses(self));
        };
        // A comparison that holds is −1, as in GNU as.
        let truth = |t: bool| -i64::from(t);
        let shift = |by: i64| u32::try_from(by).ok().filter(|&by| by < 64);
        let (x, y) = (a.cast_unsigned(), b.cast_unsigned());
        Ok(ExprValue::absolute(match self {
            Operator::Mul => a.wrapping_mul(b),
            Operator::Div | Operator::Rem | Operator::UnsignedDiv | Operator::UnsignedRem
                if b == 0 =>
            {
                return Err(EvalError::DivisionByZero);
            }
            Operator::AlignTo => functions::align_to(a, b).ok_or(EvalError::DivisionByZero)?,
            Operator::Max => a.max(b),
            Operator::UnsignedDiv => (x / y).cast_signed(),
            Operator::UnsignedRem => (x % y).cast_signed(),
            Operator::Div => a.wrapping_div(b),
            Operator::Rem => a.wrapping_rem(b),
            Operator::Shl => shift(b).map_or(0, |by| a << by),
            Operator::Shr => shift(b).map_or(0, |by| (a.cast_unsigned() >> by).cast_signed()),
            Operator::SignedShr => shift(b).map_or(0, |by| a >> by),
            Operator::Below => truth(x < y),
            Operator::NotAbove => truth(x <= y),
            Operator::Above => truth(x > y),
            Operator::NotBelow => truth(x >= y),
            Operator::Or => a | b,
            Operator::OrNot => a | !b,
            Operator::Xor => a ^ b,
            Operator::And => a & b,
            Operator::Eq => truth(a == b),
            Operator::Ne => truth(a != b),
            Operator::Lt => truth(a < b),
            Operator::Le => truth(a <= b),
            Operator::Gt => truth(a > b),
            Operator::Ge => truth(a >= b),
            Operator::LogicalAnd => i64::from(a != 0 && b != 0),
            Operator::LogicalOr => i64::from(a != 0 || b != 0),
            Operator::Neg
            | Operator::Not
            | Operator::LogicalNot
            | Operator::Add
            | Operator::Sub
            | Operator::Choice
            | Operator::Occupancy(_) => 0,
        }))
    }
}
