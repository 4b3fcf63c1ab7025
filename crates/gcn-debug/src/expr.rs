//! Expressions for conditions and for commands that print or change state.

use gcn_isa::uses::{RegisterSet, Registers};

use crate::scalar::{Scalar, ScalarType};

/// Expression. The text form uses C's operators and precedence; parse it with [`parse`](crate::parse()).
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Expr {
    /// Literal.
    Number(Scalar),
    /// Contents of a register or of memory.
    Place(Place),
    /// Debugger variable, such as `$lane`.
    Variable(Variable),
    /// Address of an element or a symbol, such as `&ys[3]`.
    AddressOf(Box<Place>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Conversion to a type, such as `f32(v3)`.
    Convert(ScalarType, Box<Expr>),
    /// Reinterpretation of the bits as another type, such as `as_f32(v3)`.
    Reinterpret(ScalarType, Box<Expr>),
    /// Reduction over the active lanes, such as `any(v3 > 7)`.
    Reduce(Reduction, Box<Expr>),
}

/// Register or memory location.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    /// Vector registers, in the focused lane unless a lane is given.
    Vector {
        /// First register.
        first: u8,
        /// Number of registers, 1 or 2.
        count: u8,
        /// Lane, or `None` for the focused lane.
        lane: Option<Box<Expr>>,
    },
    /// Scalar registers by number, below 128.
    Scalar {
        /// First register.
        first: u8,
        /// Number of registers, 1 or 2.
        count: u8,
    },
    /// SCC, the scalar condition code.
    Scc,
    /// MODE register.
    Mode,
    /// Program counter.
    Pc,
    /// Buffer, buffer element or symbol.
    Name {
        /// Name of the buffer or symbol.
        name: String,
        /// Element index.
        index: Option<Box<Expr>>,
    },
    /// Typed value in memory.
    Memory {
        /// Address space.
        space: Space,
        /// Type of the value.
        ty: ScalarType,
        /// Address; for LDS and scratch, a byte offset.
        address: Box<Expr>,
    },
}

/// Address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Device memory.
    Global,
    /// LDS of the focused wave's workgroup.
    Lds,
    /// Scratch of the focused lane.
    Scratch,
}

/// Debugger variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Variable {
    /// `$lane`: the focused lane, or the lane that a [`Reduction`] is evaluating.
    Lane,
    /// `$wave`: index of the wave in its workgroup.
    Wave,
    /// `$group`: x index of the workgroup.
    GroupX,
    GroupY,
    GroupZ,
    /// `$count`: number of instructions the wave has executed.
    Count,
}

/// Variables with their names.
pub(crate) const VARIABLES: [(&str, Variable); 7] = [
    ("lane", Variable::Lane),
    ("wave", Variable::Wave),
    ("group", Variable::GroupX),
    ("group_x", Variable::GroupX),
    ("group_y", Variable::GroupY),
    ("group_z", Variable::GroupZ),
    ("count", Variable::Count),
];

/// Unary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Minus,
    Complement,
    Not,
}

/// Binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Reduction over the active lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// True if the operand is nonzero in at least one lane.
    Any,
    /// True if the operand is nonzero in every lane.
    All,
    /// Number of lanes in which the operand is nonzero.
    Count,
}

/// State that an expression depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dependencies {
    /// Wave registers that the expression reads.
    pub(crate) registers: RegisterSet,
    /// True if the expression reads wave state.
    pub(crate) of_wave: bool,
    /// True if the expression reads memory that a store may change.
    pub(crate) memory: bool,
    /// True if the expression reads LDS.
    pub(crate) lds: bool,
}

impl Expr {
    /// Returns the state that the value depends on.
    pub(crate) fn dependencies(&self) -> Dependencies {
        let mut found = Dependencies::default();
        self.collect(&mut found);
        found
    }

    fn collect(&self, found: &mut Dependencies) {
        match self {
            Expr::Number(_) | Expr::Variable(_) | Expr::AddressOf(_) => {}
            Expr::Place(place) => place.collect(found),
            Expr::Unary(_, inner)
            | Expr::Convert(_, inner)
            | Expr::Reinterpret(_, inner)
            | Expr::Reduce(_, inner) => inner.collect(found),
            Expr::Binary(_, left, right) => {
                left.collect(found);
                right.collect(found);
            }
        }
    }
}

impl Place {
    fn collect(&self, found: &mut Dependencies) {
        let mut register = |registers| {
            found.registers.add(registers);
            found.of_wave = true;
        };
        match self {
            &Place::Vector {
                first,
                count,
                ref lane,
            } => {
                register(Registers::Vector { first, count });
                if let Some(lane) = lane {
                    lane.collect(found);
                }
            }
            &Place::Scalar { first, count } => register(Registers::Scalar { first, count }),
            Place::Scc => {
                found.registers.add_scc();
                found.of_wave = true;
            }
            // Register sets do not include these, so assume that every instruction may change them.
            Place::Mode | Place::Pc => {
                found.registers = RegisterSet::ALL;
                found.of_wave = true;
            }
            Place::Name { index, .. } => {
                found.memory = true;
                if let Some(index) = index {
                    index.collect(found);
                }
            }
            Place::Memory { space, address, .. } => {
                found.memory = true;
                found.lds |= *space == Space::Lds;
                found.of_wave |= *space == Space::Scratch;
                address.collect(found);
            }
        }
    }
}
