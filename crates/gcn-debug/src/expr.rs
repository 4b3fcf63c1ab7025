//! Expressions of conditions and of commands that print or change state.

use gcn_isa::uses::{RegisterSet, Registers};

use crate::scalar::{Scalar, ScalarType};

/// An expression. Its text has C's operators and precedence; [`parse`](crate::parse()) reads it.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Expr {
    /// A literal.
    Number(Scalar),
    /// Contents of a register or of memory.
    Place(Place),
    /// A fact about the place of execution.
    Variable(Variable),
    /// Address of an element or a symbol, as `&ys[3]`.
    AddressOf(Box<Place>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Conversion to a type, as `f32(v3)`.
    Convert(ScalarType, Box<Expr>),
    /// Reinterpretation of the bits as another type: `as_f32(v3)`.
    Reinterpret(ScalarType, Box<Expr>),
    /// Summary over the active lanes, as `any(v3 > 7)`.
    Reduce(Reduction, Box<Expr>),
}

/// A register or a part of memory.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    /// Vector registers; without a lane, that of the focus.
    Vector {
        /// The first.
        first: u8,
        /// Number of registers, 1 or 2.
        count: u8,
        /// Lane.
        lane: Option<Box<Expr>>,
    },
    /// Scalar registers by their numbers below 128.
    Scalar {
        /// The first.
        first: u8,
        /// Number of registers, 1 or 2.
        count: u8,
    },
    /// SCC.
    Scc,
    /// MODE.
    Mode,
    /// The program counter.
    Pc,
    /// A buffer or its element, or a symbol.
    Name {
        /// Name.
        name: String,
        /// Number of the element.
        index: Option<Box<Expr>>,
    },
    /// A number in memory.
    Memory {
        /// Address space.
        space: Space,
        /// Type.
        ty: ScalarType,
        /// Address; of LDS and scratch an offset in bytes.
        address: Box<Expr>,
    },
}

/// Memory that an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Memory of the device.
    Global,
    /// LDS of the workgroup.
    Lds,
    /// Scratch of the lane.
    Scratch,
}

/// A fact about the place of execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Variable {
    /// `$lane`: the lane in focus, or the one that [`Reduction`] considers.
    Lane,
    /// `$wave`: number of the wave in its workgroup.
    Wave,
    /// `$group`: number of the workgroup, in x.
    GroupX,
    GroupY,
    GroupZ,
    /// `$count`: instructions that the wave has executed.
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

/// Operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Minus,
    Complement,
    Not,
}

/// Operator with two operands.
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

/// Summary over the active lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// True in at least one lane.
    Any,
    /// True in every lane.
    All,
    /// Number of lanes where it is true.
    Count,
}

/// State that an expression depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dependencies {
    /// Registers of the wave.
    pub(crate) registers: RegisterSet,
    /// True if it reads a register.
    pub(crate) of_wave: bool,
    /// True if it reads memory, which a store may change.
    pub(crate) memory: bool,
    /// True if it reads LDS.
    pub(crate) lds: bool,
}

impl Expr {
    /// State that the value depends on.
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
            // Every instruction may change them, as far as a set of registers can say.
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
