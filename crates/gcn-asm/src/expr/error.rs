//! Expression evaluation errors.

use std::ops::Range;

use super::operator::Operator;
use crate::diagnostic::{Fail, fail};
use crate::ids;
use crate::symbols::Symbols;
use crate::value::SymbolId;

/// Error in evaluating an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EvalError {
    /// A symbol is not defined yet.
    Pending(SymbolId),
    DivisionByZero,
    /// An operator that requires numbers got an address.
    Addresses(Operator),
    /// Symbol definitions are circular.
    Circular(SymbolId),
    /// The evaluation visits too many items.
    TooComplex,
}

impl EvalError {
    pub(crate) fn diagnose(self, span: Range<usize>, symbols: &Symbols) -> Fail {
        let (id, message) = match self {
            EvalError::Pending(symbol) => (
                &ids::UNDEFINED_SYMBOL,
                format!("symbol `{}` is not defined", symbols.name(symbol)),
            ),
            EvalError::DivisionByZero => (&ids::DIVISION_BY_ZERO, "division by zero".to_owned()),
            EvalError::Addresses(operator) => (
                &ids::ADDRESS_VALUE,
                format!(
                    "`{}` takes numbers, but an operand is an address that is known only after linking",
                    operator.text()
                ),
            ),
            EvalError::Circular(symbol) => (
                &ids::CIRCULAR_SYMBOL,
                format!(
                    "symbol `{}` is defined in terms of itself",
                    symbols.name(symbol)
                ),
            ),
            EvalError::TooComplex => (
                &ids::EXPRESSION_LIMIT,
                "the expression is too complex".to_owned(),
            ),
        };
        fail(id, span, message)
    }
}
