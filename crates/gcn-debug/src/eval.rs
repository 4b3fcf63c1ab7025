//! Evaluation of expressions, and resolution of the locations that they denote.

use gcn_emu::wave::LANES;

use crate::error::EvalError;
use crate::expr::{BinaryOp, Expr, Part, Place, Reduction, Space, UnaryOp, Variable};
use crate::object::SourceObject;
use crate::scalar::{Scalar, ScalarType};
use crate::view::{Target, View};

/// Result of evaluating an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Evaluated {
    /// Single value.
    Scalar(Scalar),
    /// One value for each of the 64 lanes, active or not.
    Lanes(Vec<Scalar>),
    /// Whole buffer, by index in the buffer list.
    Buffer(usize),
    /// Source object other than a number: a structure, array, pointer, enumeration or Boolean.
    Object(SourceObject),
}

impl Evaluated {
    /// Returns the value as a number, or `None` for lanes and whole buffers.
    pub fn single(&self, view: &View<'_>) -> Option<Result<Scalar, EvalError>> {
        match self {
            Evaluated::Scalar(number) => Some(Ok(*number)),
            Evaluated::Object(object) => Some(object.scalar(view)),
            Evaluated::Lanes(_) | Evaluated::Buffer(_) => None,
        }
    }
}

enum Resolved {
    Target(Target),
    Object(SourceObject),
}

/// Evaluates an expression. A vector register by itself yields a value for each lane; within a larger expression, the
/// value in the focused lane.
///
/// # Errors
/// Fails if the expression reads state that does not exist, or if an operation is not defined for its operands.
pub fn evaluate(expr: &Expr, view: &View<'_>) -> Result<Evaluated, EvalError> {
    if let Expr::Place(place) = expr {
        match resolve_place(place, view)? {
            Resolved::Target(Target::Vector {
                first,
                count,
                lane: None,
            }) => {
                let lanes = (0..LANES as u8).map(|lane| {
                    view.read(Target::Vector {
                        first,
                        count,
                        lane: Some(lane),
                    })
                });
                return Ok(Evaluated::Lanes(lanes.collect::<Result<_, _>>()?));
            }
            Resolved::Target(Target::Buffer(number)) => return Ok(Evaluated::Buffer(number)),
            Resolved::Target(target) => return view.read(target).map(Evaluated::Scalar),
            Resolved::Object(object) if object.is_number() => {
                return object.scalar(view).map(Evaluated::Scalar);
            }
            Resolved::Object(object) => return Ok(Evaluated::Object(object)),
        }
    }
    scalar(expr, view).map(Evaluated::Scalar)
}

/// Resolves an expression to the register, memory or buffer it denotes.
///
/// # Errors
/// Fails if the expression denotes none of these, or if the location does not exist.
pub fn resolve(expr: &Expr, view: &View<'_>) -> Result<Target, EvalError> {
    match expr {
        Expr::Place(place) => match resolve_place(place, view)? {
            Resolved::Target(target) => Ok(target),
            Resolved::Object(object) => object.place(view),
        },
        _ => Err(EvalError::NotAPlace),
    }
}

/// Resolves the destination of an assignment. Converts the value if the destination is a source variable, or a field or
/// element of one.
///
/// # Errors
/// Fails if the expression does not denote a register or memory.
pub(crate) fn assigned(
    expr: &Expr,
    value: Scalar,
    view: &View<'_>,
) -> Result<(Target, Scalar), EvalError> {
    let Expr::Place(place) = expr else {
        return Err(EvalError::NotAPlace);
    };
    match resolve_place(place, view)? {
        Resolved::Target(target) => Ok((target, value)),
        Resolved::Object(object) => {
            let (target, ty) = object.target(view)?;
            let value = value.convert(ty);
            // Registers receive the bits of the converted value.
            let bits = ScalarType::unsigned(ty.bytes()).unwrap_or(ty);
            Ok(match target {
                Target::Memory { .. } => (target, value),
                _ => (target, Scalar::new(bits, value.bits)),
            })
        }
    }
}

fn resolve_place(place: &Place, view: &View<'_>) -> Result<Resolved, EvalError> {
    Ok(Resolved::Target(match place {
        &Place::Vector {
            first,
            count,
            ref lane,
        } => Target::Vector {
            first,
            count,
            lane: match lane {
                Some(lane) => Some(self::lane(lane, view)?),
                None => None,
            },
        },
        &Place::Scalar { first, count } => Target::Scalar { first, count },
        Place::Scc => Target::Scc,
        Place::Mode => Target::Mode,
        Place::Pc => Target::Pc,
        Place::Memory { space, ty, address } => Target::Memory {
            space: *space,
            ty: *ty,
            address: scalar(address, view)?.integer() as u64,
        },
        Place::Name(name) => return named(name, view),
        Place::Part { of, part } => return self::part(of, part, view),
        Place::Pointed(expr) => match Operand::of(expr, view)? {
            Operand::Pointer(object) => return Ok(Resolved::Object(object)),
            Operand::Number(address) => Target::Memory {
                space: Space::Global,
                ty: ScalarType::U32,
                address: address.integer() as u64,
            },
        },
    }))
}

/// Operand of pointer arithmetic, as in C.
enum Operand {
    Number(Scalar),
    /// Pointer to this object.
    Pointer(SourceObject),
}

impl Operand {
    /// Evaluates an operand. Arrays decay to pointers.
    fn of(expr: &Expr, view: &View<'_>) -> Result<Operand, EvalError> {
        match expr {
            Expr::Place(place @ (Place::Name(_) | Place::Part { .. } | Place::Pointed(_))) => {
                match resolve_place(place, view)? {
                    Resolved::Object(object) if object.has_elements() => {
                        object.first(view).map(Operand::Pointer)
                    }
                    Resolved::Object(object) => object.scalar(view).map(Operand::Number),
                    Resolved::Target(target) => view.read(target).map(Operand::Number),
                }
            }
            Expr::AddressOf(place) => Ok(match resolve_place(place, view)? {
                Resolved::Object(object) => Operand::Pointer(object),
                Resolved::Target(_) => Operand::Number(scalar(expr, view)?),
            }),
            Expr::Binary(operator @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                let is_add = *operator == BinaryOp::Add;
                match (Operand::of(left, view)?, Operand::of(right, view)?) {
                    (Operand::Pointer(object), Operand::Number(by)) => {
                        let by = by.integer();
                        let by = if is_add { by } else { by.wrapping_neg() };
                        Ok(Operand::Pointer(object.neighbour(by)))
                    }
                    (Operand::Number(by), Operand::Pointer(object)) if is_add => {
                        Ok(Operand::Pointer(object.neighbour(by.integer())))
                    }
                    (Operand::Pointer(left), Operand::Pointer(right)) if !is_add => {
                        let distance = i128::from(address(&left)?) - i128::from(address(&right)?);
                        let size = i128::from(left.ty().bytes.max(1));
                        Ok(Operand::Number(Scalar::of_integer(distance / size)))
                    }
                    (Operand::Number(left), Operand::Number(right)) => {
                        binary(*operator, left, right).map(Operand::Number)
                    }
                    _ => Err(EvalError::NotInteger),
                }
            }
            _ => scalar(expr, view).map(Operand::Number),
        }
    }
}

fn address(object: &SourceObject) -> Result<u64, EvalError> {
    let (_, address) = object.address().ok_or(EvalError::NoAddress)?;
    Ok(address)
}

/// Resolves an element or field of a place.
fn part(of: &Place, part: &Part, view: &View<'_>) -> Result<Resolved, EvalError> {
    let index = |expr: &Expr| scalar(expr, view).map(Scalar::integer);
    let object = match (resolve_place(of, view)?, part) {
        (Resolved::Object(object), _) => object,
        (Resolved::Target(Target::Buffer(number)), Part::Element(expr)) => {
            return element(number, index(expr)?, view).map(Resolved::Target);
        }
        (Resolved::Target(Target::Memory { space, ty, address }), Part::Element(expr)) => {
            let distance = (index(expr)? as u64).wrapping_mul(ty.bytes());
            let address = address.wrapping_add(distance);
            return Ok(Resolved::Target(Target::Memory { space, ty, address }));
        }
        (Resolved::Target(_), _) => return Err(EvalError::NoStructure),
    };
    Ok(Resolved::Object(match part {
        Part::Element(expr) => object.element(view, index(expr)?)?,
        Part::Field(name) => object.field(view, name)?,
        Part::PointedField(name) => object.first(view)?.field(view, name)?,
    }))
}

fn lane(expr: &Expr, view: &View<'_>) -> Result<u8, EvalError> {
    let lane = scalar(expr, view)?.integer();
    let valid = u8::try_from(lane).ok();
    let valid = valid.filter(|lane| usize::from(*lane) < LANES);
    valid.ok_or(EvalError::NoLane(lane))
}

/// Resolves a name: a source variable in scope, a buffer, or a symbol. A buffer takes precedence over a variable that
/// points to it or has no value, because the length of a buffer is known.
fn named(name: &str, view: &View<'_>) -> Result<Resolved, EvalError> {
    // Unnamed argument 0 is written `arg0`; its buffer is named `0`.
    let number = name.strip_prefix("arg").unwrap_or(name);
    let has = |wanted: &str| view.buffers.iter().position(|it| it.name == wanted);
    let buffer = has(name).or_else(|| has(number));
    if let Some(name) = name.strip_prefix(LOCALS) {
        return variable_named(name, view);
    }
    match (SourceObject::variable(view, name), buffer) {
        (Some(Ok(object)), Some(place)) if object.points_to(view, &view.buffers[place]) => {}
        (Some(Err(_)), Some(_)) => {}
        (Some(found), _) => return found.map(Resolved::Object),
        (None, _) => {}
    }
    if let Some(place) = buffer {
        return Ok(Resolved::Target(Target::Buffer(place)));
    }
    if let Some(symbol) = view.program.symbol(name) {
        return Ok(Resolved::Target(Target::Memory {
            space: Space::Global,
            ty: ScalarType::U32,
            address: symbol.address,
        }));
    }
    variable_named(name, view)
}

/// Prefix of a name that denotes a variable, even if a register or buffer has the same name.
const LOCALS: &str = "locals.";

/// Resolves a variable or field such as `a.b`. The parser keeps it as one name, since symbols may contain periods.
fn variable_named(name: &str, view: &View<'_>) -> Result<Resolved, EvalError> {
    if let Some(found) = SourceObject::variable(view, name) {
        return found.map(Resolved::Object);
    }
    let mut parts = name.split('.');
    let base = parts
        .next()
        .and_then(|base| SourceObject::variable(view, base));
    let missing = || EvalError::NoName {
        name: name.to_owned(),
        names: view.buffers.iter().map(|it| it.name.clone()).collect(),
    };
    let base = base.ok_or_else(missing)??;
    let object = parts.try_fold(base, |object, field| object.field(view, field))?;
    Ok(Resolved::Object(object))
}

/// True if a name denotes a source variable rather than a buffer or a symbol.
pub(crate) fn is_variable(name: &str, view: &View<'_>) -> bool {
    let found = named(name, view);
    matches!(
        found,
        Ok(Resolved::Object(_)) | Err(EvalError::Unavailable { .. })
    )
}

/// Returns the ID of the variable in scope that a name denotes.
pub(crate) fn variable_id(name: &str, view: &View<'_>) -> Option<usize> {
    let name = name.strip_prefix(LOCALS).unwrap_or(name);
    SourceObject::variable_id(view, name)
}

/// Resolves an element of a buffer.
fn element(number: usize, index: i128, view: &View<'_>) -> Result<Target, EvalError> {
    let buffer = &view.buffers[number];
    let (ty, elements) = (buffer.ty, buffer.elements());
    match u64::try_from(index).ok().filter(|index| *index < elements) {
        Some(index) => Ok(Target::Memory {
            space: Space::Global,
            ty,
            address: buffer.address + index * ty.bytes(),
        }),
        None => Err(EvalError::NoElement {
            name: buffer.name.clone(),
            index,
            elements,
        }),
    }
}

/// Evaluates an expression to a number in the focused lane.
///
/// # Errors
/// Fails like [`evaluate`], or if the expression denotes a whole buffer.
pub(crate) fn scalar(expr: &Expr, view: &View<'_>) -> Result<Scalar, EvalError> {
    Ok(match expr {
        Expr::Number(number) => *number,
        Expr::Place(place) => match resolve_place(place, view)? {
            Resolved::Target(target) => view.read(target)?,
            Resolved::Object(object) => object.scalar(view)?,
        },
        Expr::Variable(variable) => self::variable(*variable, view)?,
        Expr::AddressOf(place) => match resolve_place(place, view)? {
            Resolved::Target(Target::Memory { address, .. }) => Scalar::u64(address),
            Resolved::Target(Target::Buffer(number)) => Scalar::u64(view.buffers[number].address),
            Resolved::Object(object) => Scalar::u64(address(&object)?),
            Resolved::Target(_) => return Err(EvalError::NotAPlace),
        },
        Expr::Unary(operator, inner) => unary(*operator, scalar(inner, view)?)?,
        Expr::Binary(BinaryOp::And, left, right) => {
            let is_true = scalar(left, view)?.is_true() && scalar(right, view)?.is_true();
            Scalar::truth(is_true)
        }
        Expr::Binary(BinaryOp::Or, left, right) => {
            let is_true = scalar(left, view)?.is_true() || scalar(right, view)?.is_true();
            Scalar::truth(is_true)
        }
        Expr::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) => match Operand::of(expr, view)? {
            Operand::Number(number) => number,
            Operand::Pointer(object) => Scalar::u64(address(&object)?),
        },
        Expr::Binary(operator, left, right) => {
            binary(*operator, scalar(left, view)?, scalar(right, view)?)?
        }
        Expr::Convert(ty, inner) => scalar(inner, view)?.convert(*ty),
        Expr::Reinterpret(ty, inner) => {
            let inner = scalar(inner, view)?;
            if inner.ty.bytes() != ty.bytes() {
                return Err(EvalError::OtherSize {
                    ty: ty.name(),
                    wanted: ty.bytes(),
                    given: inner.ty.bytes(),
                });
            }
            Scalar::new(*ty, inner.bits)
        }
        Expr::Reduce(reduction, inner) => reduce(*reduction, inner, view)?,
    })
}

fn variable(variable: Variable, view: &View<'_>) -> Result<Scalar, EvalError> {
    let id = || view.wave().map(|wave| wave.id);
    Ok(match variable {
        Variable::Lane => Scalar::of_integer(view.lane.into()),
        Variable::Wave => Scalar::of_integer(id()?.wave.into()),
        Variable::GroupX => Scalar::of_integer(id()?.group[0].into()),
        Variable::GroupY => Scalar::of_integer(id()?.group[1].into()),
        Variable::GroupZ => Scalar::of_integer(id()?.group[2].into()),
        Variable::Count => Scalar::of_integer(view.wave()?.executed.into()),
    })
}

fn reduce(reduction: Reduction, inner: &Expr, view: &View<'_>) -> Result<Scalar, EvalError> {
    let exec = view.wave()?.exec();
    let mut count = 0;
    for lane in gcn_emu::wave::active(exec) {
        let lane = lane as u8;
        count += u32::from(scalar(inner, &View { lane, ..*view })?.is_true());
    }
    Ok(match reduction {
        Reduction::Any => Scalar::truth(count > 0),
        Reduction::All => Scalar::truth(count == exec.count_ones()),
        Reduction::Count => Scalar::of_integer(count.into()),
    })
}

fn unary(operator: UnaryOp, value: Scalar) -> Result<Scalar, EvalError> {
    Ok(match operator {
        UnaryOp::Not => Scalar::truth(!value.is_true()),
        UnaryOp::Minus if value.ty.is_float() => {
            Scalar::new(ScalarType::F64, (-value.float()).to_bits()).convert(value.ty)
        }
        UnaryOp::Complement if value.ty.is_float() => return Err(EvalError::NotInteger),
        UnaryOp::Minus => wrapped(-value.integer(), promoted(value.ty)),
        UnaryOp::Complement => wrapped(!value.integer(), promoted(value.ty)),
    })
}

/// Applies C's integer promotion.
fn promoted(ty: ScalarType) -> ScalarType {
    if ty.bytes() < 4 { ScalarType::I32 } else { ty }
}

/// Returns the common type of two operands: as in C for integers, F32 for two floats of at most 32 bits, else F64.
fn common(left: ScalarType, right: ScalarType) -> ScalarType {
    if left.is_float() || right.is_float() {
        let is_single = |ty: ScalarType| matches!(ty, ScalarType::F32 | ScalarType::F16);
        return match (left.is_float(), right.is_float()) {
            (true, true) if is_single(left) && is_single(right) => ScalarType::F32,
            _ => ScalarType::F64,
        };
    }
    let (left, right) = (promoted(left), promoted(right));
    match left.bytes().cmp(&right.bytes()) {
        std::cmp::Ordering::Less => right,
        std::cmp::Ordering::Greater => left,
        std::cmp::Ordering::Equal if left.is_signed() => right,
        std::cmp::Ordering::Equal => left,
    }
}

/// Wraps an integer to a type, except that an overflowing `I32` is widened.
fn wrapped(value: i128, ty: ScalarType) -> Scalar {
    if ty == ScalarType::I32 {
        Scalar::of_integer(value)
    } else {
        Scalar::new(ty, value as u64)
    }
}

fn binary(operator: BinaryOp, left: Scalar, right: Scalar) -> Result<Scalar, EvalError> {
    let ty = common(left.ty, right.ty);
    if ty.is_float() {
        let (a, b) = (left.float(), right.float());
        let number = |value: f64| Scalar::new(ScalarType::F64, value.to_bits()).convert(ty);
        return Ok(match operator {
            BinaryOp::Equal => Scalar::truth(a == b),
            BinaryOp::NotEqual => Scalar::truth(a != b),
            BinaryOp::Less => Scalar::truth(a < b),
            BinaryOp::LessOrEqual => Scalar::truth(a <= b),
            BinaryOp::Greater => Scalar::truth(a > b),
            BinaryOp::GreaterOrEqual => Scalar::truth(a >= b),
            BinaryOp::Add => number(a + b),
            BinaryOp::Subtract => number(a - b),
            BinaryOp::Multiply => number(a * b),
            BinaryOp::Divide => number(a / b),
            _ => return Err(EvalError::NotInteger),
        });
    }
    let is_shift = matches!(operator, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
    let ty = if is_shift { promoted(left.ty) } else { ty };
    let (a, b) = if is_shift {
        (left.convert(ty).integer(), right.integer())
    } else {
        (left.convert(ty).integer(), right.convert(ty).integer())
    };
    let shift = u32::try_from(b).unwrap_or(64).min(64);
    let divisor = || {
        if b == 0 {
            Err(EvalError::DivisionByZero)
        } else {
            Ok(b)
        }
    };
    Ok(match operator {
        BinaryOp::Equal => Scalar::truth(a == b),
        BinaryOp::NotEqual => Scalar::truth(a != b),
        BinaryOp::Less => Scalar::truth(a < b),
        BinaryOp::LessOrEqual => Scalar::truth(a <= b),
        BinaryOp::Greater => Scalar::truth(a > b),
        BinaryOp::GreaterOrEqual => Scalar::truth(a >= b),
        BinaryOp::Or => Scalar::truth(a != 0 || b != 0),
        BinaryOp::And => Scalar::truth(a != 0 && b != 0),
        BinaryOp::BitOr => wrapped(a | b, ty),
        BinaryOp::BitXor => wrapped(a ^ b, ty),
        BinaryOp::BitAnd => wrapped(a & b, ty),
        BinaryOp::ShiftLeft => wrapped(a << shift, ty),
        BinaryOp::ShiftRight => wrapped(a >> shift, ty),
        BinaryOp::Add => wrapped(a + b, ty),
        BinaryOp::Subtract => wrapped(a - b, ty),
        BinaryOp::Multiply => wrapped(a.wrapping_mul(b), ty),
        BinaryOp::Divide => wrapped(a / divisor()?, ty),
        BinaryOp::Remainder => wrapped(a % divisor()?, ty),
    })
}
