//! Expression items.

use super::operator::Operator;
use crate::value::{SymbolId, Variant};

/// An item of an expression in postfix order.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExprItem {
    Int(i64),
    Symbol(SymbolId, Variant),
    /// `.`, as a section index and an offset.
    Here(u32, u64),
    Operator(Operator),
}
