//! Expression operators, with the precedence of GNU as.

use gcn_isa::Isa;

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
    /// `a ? b : c`, with three operands.
    Choice,
    /// Maximum of two operands.
    Max,
    /// Rounds the first operand up to a multiple of the second.
    AlignTo,
    /// `occupancy`, whose last argument is on top of the stack.
    Occupancy(Isa),
}

/// Binary operators in matching order: spelling, precedence (larger binds tighter) and operator.
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

/// Binary operator at the start of `text`, after its spelling and precedence.
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
}
