//! Expressions in conditions and in commands that print or change state.

use gcn_isa::regs;
use gcn_isa::uses::{self, RegisterSet, Registers, Spaces};

use crate::scalar::{Scalar, ScalarType};

/// Expression. The text form uses C's operators and precedence; parse it with [`parse`](crate::parse()).
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Expr {
    /// Literal.
    Number(Scalar),
    /// Value of a register or of memory.
    Place(Place),
    /// Convenience variable, such as `$lane`.
    Variable(Variable),
    /// Address of a variable, buffer, symbol or memory location, such as `&ys[3]`.
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
        /// Explicit lane, if any.
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
    /// Source variable, buffer or symbol.
    Name(String),
    /// Element or field of another place.
    Part {
        /// Containing place, or pointer to it.
        of: Box<Place>,
        /// Element or field to select.
        part: Part,
    },
    /// Pointee of a pointer; for a number, the dword at this address in global memory.
    Pointed(Box<Expr>),
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

/// Element or field of a place.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// Element, such as `[3]`.
    Element(Box<Expr>),
    /// Field, such as `.x`.
    Field(String),
    /// Field of the structure that a pointer points to, such as `->x`.
    PointedField(String),
}

/// Suffix that selects a kernel parameter's value at launch, as in gdb.
pub(crate) const ENTRY: &str = "@entry";

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

/// Convenience variable.
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

/// Convenience variables by name, without the `$`.
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
pub struct Dependencies {
    /// Wave registers that the expression reads.
    pub(crate) registers: RegisterSet,
    /// True if the expression reads wave state.
    pub(crate) of_wave: bool,
    /// Kinds of memory that the expression reads.
    pub(crate) memory: Spaces,
}

/// State that a subexpression reads.
enum StateRead<'e> {
    Place(&'e Place),
    Variable(Variable),
    /// EXEC, which selects the lanes of a reduction.
    ActiveLanes,
}

/// Global memory and scratch, which is part of global memory.
pub(crate) const MAPPED: Spaces =
    Spaces::of(uses::Space::Global).and(Spaces::of(uses::Space::Scratch));

const LDS: Spaces = Spaces::of(uses::Space::Lds);

impl Dependencies {
    /// All wave state and memory.
    pub(crate) const ANY: Dependencies = Dependencies {
        registers: RegisterSet::ALL,
        of_wave: true,
        memory: MAPPED.and(LDS),
    };

    /// True if the value depends on the state of a wave or its workgroup.
    pub(crate) fn is_of_wave(&self) -> bool {
        self.of_wave || self.memory.has(uses::Space::Lds)
    }

    fn register(&mut self, registers: Registers) {
        self.registers.add(registers);
        self.of_wave = true;
    }

    fn add_active_lanes(&mut self) {
        let first = regs::EXEC_LO;
        self.register(Registers::Scalar { first, count: 2 });
    }

    fn add_variable(&mut self, variable: Variable) {
        match variable {
            // The lane of a watchpoint is fixed.
            Variable::Lane => {}
            Variable::Wave | Variable::GroupX | Variable::GroupY | Variable::GroupZ => {
                self.of_wave = true;
            }
            // Every instruction changes the count.
            Variable::Count => {
                self.registers = RegisterSet::ALL;
                self.of_wave = true;
            }
        }
    }

    fn add_place(&mut self, place: &Place) {
        match place {
            &Place::Vector { first, count, .. } => {
                self.register(Registers::Vector { first, count });
            }
            &Place::Scalar { first, count } => self.register(Registers::Scalar { first, count }),
            Place::Scc => {
                self.registers.add_scc();
                self.of_wave = true;
            }
            // Register sets do not include MODE and PC, so assume that every instruction may change them.
            Place::Mode | Place::Pc => {
                self.registers = RegisterSet::ALL;
                self.of_wave = true;
            }
            Place::Name(_) | Place::Pointed(_) => self.add_memory(Space::Global),
            Place::Part { .. } => {}
            Place::Memory { space, .. } => self.add_memory(*space),
        }
    }

    fn add_memory(&mut self, space: Space) {
        self.memory = self.memory.and(match space {
            Space::Global | Space::Scratch => MAPPED,
            Space::Lds => LDS,
        });
        self.of_wave |= space == Space::Scratch;
    }
}

impl Expr {
    /// Returns the state that the value depends on, assuming that names denote buffers.
    pub(crate) fn dependencies(&self) -> Dependencies {
        let mut found = Dependencies::default();
        self.each_read(&mut |read| match read {
            StateRead::Place(place) => found.add_place(place),
            StateRead::Variable(variable) => found.add_variable(variable),
            StateRead::ActiveLanes => found.add_active_lanes(),
        });
        found
    }

    /// True if the expression denotes a value in global memory whose address does not change during a run. Names must
    /// denote buffers or symbols.
    pub(crate) fn is_at_fixed_address(&self) -> bool {
        let constant = match self {
            Expr::Place(Place::Memory {
                space: Space::Global,
                address,
                ..
            }) => address,
            Expr::Place(Place::Part {
                of,
                part: Part::Element(index),
            }) if matches!(**of, Place::Name(_)) => index,
            _ => return false,
        };
        matches!(**constant, Expr::Number(_))
    }

    /// Calls `each` for every place in the expression.
    pub(crate) fn each_place(&self, each: &mut dyn FnMut(&Place)) {
        self.each_read(&mut |read| {
            if let StateRead::Place(place) = read {
                each(place);
            }
        });
    }

    fn each_read(&self, each: &mut dyn FnMut(StateRead<'_>)) {
        match self {
            Expr::Number(_) => {}
            Expr::Variable(variable) => each(StateRead::Variable(*variable)),
            Expr::Place(place) => place.each_read(each),
            Expr::AddressOf(place) => place.each_read(each),
            Expr::Unary(_, inner) | Expr::Convert(_, inner) | Expr::Reinterpret(_, inner) => {
                inner.each_read(each)
            }
            Expr::Reduce(_, inner) => {
                each(StateRead::ActiveLanes);
                inner.each_read(each);
            }
            Expr::Binary(_, left, right) => {
                left.each_read(each);
                right.each_read(each);
            }
        }
    }
}

impl Place {
    fn each_read(&self, each: &mut dyn FnMut(StateRead<'_>)) {
        each(StateRead::Place(self));
        match self {
            Place::Vector {
                lane: Some(lane), ..
            } => lane.each_read(each),
            Place::Part { of, part } => {
                of.each_read(each);
                if let Part::Element(index) = part {
                    index.each_read(each);
                }
            }
            Place::Pointed(address) | Place::Memory { address, .. } => address.each_read(each),
            Place::Vector { lane: None, .. }
            | Place::Scalar { .. }
            | Place::Scc
            | Place::Mode
            | Place::Pc
            | Place::Name(_) => {}
        }
    }
}
