//! Locations of source variables: DWARF expressions with the registers and address spaces of AMDGPU.
//!
//! Sources: "DWARF Register Identifier" and "DWARF Address Space Identifier" of LLVM's "User Guide for AMDGPU Backend", as
//! far as LLVM itself emits them. LLVM states an address space as `DW_OP_constu SPACE, DW_OP_swap, DW_OP_xderef`. Here,
//! `DW_OP_xderef` turns an address into a location instead of loading from it. LLVM keeps these operations when it moves
//! a variable from its stack slot to a register, where they have no meaning.

use gimli::{AttributeValue, Expression, Operation, Reader as _, UnitRef};
use thiserror::Error;

use super::embedded::DwarfReader;

/// Maximum depth of the evaluation stack.
const MAX_STACK: usize = 64;
/// Number of work-items per wave. The frame register holds an offset in the scratch of the whole wave.
const WAVE: u64 = 64;

/// A register that holds a source variable.
///
/// # Examples
/// ```
/// use gcn_object::SourceRegister;
/// assert_eq!(SourceRegister::of_dwarf(2565), Some(SourceRegister::Vector(5)));
/// assert_eq!(SourceRegister::of_dwarf(65), Some(SourceRegister::Scalar(33)));
/// assert_eq!(SourceRegister::of_dwarf(1), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceRegister {
    /// VGPR, by number.
    Vector(u8),
    /// SGPR, by number.
    Scalar(u8),
    /// EXEC.
    Exec,
    /// Program counter.
    Pc,
}

impl SourceRegister {
    /// Returns the register with a DWARF number, for waves of 64 work-items.
    pub fn of_dwarf(number: u16) -> Option<SourceRegister> {
        Some(match number {
            16 => SourceRegister::Pc,
            17 => SourceRegister::Exec,
            32..=95 => SourceRegister::Scalar((number - 32) as u8),
            1088..=1151 => SourceRegister::Scalar((number - 1088 + 64) as u8),
            2560..=2815 => SourceRegister::Vector((number - 2560) as u8),
            _ => return None,
        })
    }
}

/// An address space of a source variable or pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceSpace {
    /// Generic addresses, which include global memory.
    Generic,
    /// LDS, by offset.
    Local,
    /// Scratch of a work-item, by offset.
    Private,
}

impl SourceSpace {
    /// Returns the address space with a DWARF number.
    pub(super) fn of_dwarf(number: u64) -> Option<SourceSpace> {
        Some(match number {
            0 => SourceSpace::Generic,
            1 => SourceSpace::Private,
            2 => SourceSpace::Local,
            _ => return None,
        })
    }
}

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariablePiece {
    /// Place of the part.
    pub place: PiecePlace,
    /// Size in bytes; `None` if the piece is the whole variable.
    pub bytes: Option<u64>,
}

/// Place of a part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PiecePlace {
    /// Low bytes of a register.
    Register(SourceRegister),
    /// Memory at an address.
    Memory(SourceSpace, u64),
    /// A known value, in little-endian order.
    Value(Vec<u8>),
    /// The part is optimized out.
    Missing,
}

/// State from which locations are computed.
pub trait VariableState {
    /// Reads a register of the wave; for a VGPR, its value in one lane.
    fn register(&self, register: SourceRegister) -> Option<u64>;

    /// Returns the memory address at which a link address of the code object is loaded.
    fn loaded(&self, address: u64) -> u64;

    /// Reads eight bytes of memory.
    fn memory(&self, space: SourceSpace, address: u64) -> Option<u64>;
}

/// Reason why a variable has no location.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LocationError {
    /// The variable is optimized out at this instruction.
    #[error("optimized out")]
    OptimizedOut,
    /// The function has not set up its stack frame yet.
    #[error("the function has not set up its frame")]
    InPrologue,
    /// The location expression has an unsupported operation.
    #[error("its DWARF location has an operation that is not evaluated: {0}")]
    Operation(String),
    /// The location expression is not valid.
    #[error("its DWARF location is not valid: {0}")]
    Invalid(String),
    /// The location needs a register that cannot be read.
    #[error("its DWARF location needs a register that the wave does not have")]
    Register,
    /// The location needs memory that cannot be read.
    #[error("its DWARF location needs memory that cannot be read")]
    Memory,
}

impl From<gimli::Error> for LocationError {
    fn from(error: gimli::Error) -> LocationError {
        match error {
            gimli::Error::InvalidExpression(operation) => {
                LocationError::Operation(operation.to_string())
            }
            other => LocationError::Invalid(other.to_string()),
        }
    }
}

/// Operation of a location expression, independent of its compilation unit.
#[derive(Clone, Debug)]
enum LocationOp {
    /// Standard operation without references to the unit.
    Standard(Operation<DwarfReader>),
    /// Link address in the code object.
    Address(u64),
    Constant(u64),
}

#[derive(Clone, Debug)]
pub(super) struct LocationExpression(Vec<LocationOp>);

impl LocationExpression {
    /// Decodes an expression.
    pub(super) fn new(
        unit: UnitRef<'_, DwarfReader>,
        expression: Expression<DwarfReader>,
    ) -> Result<LocationExpression, LocationError> {
        let mut operations = expression.operations(unit.encoding());
        let mut decoded = Vec::new();
        while let Some(operation) = operations.next()? {
            decoded.push(match operation {
                Operation::Address { address } => LocationOp::Address(address),
                Operation::AddressIndex { index } => LocationOp::Address(unit.address(index)?),
                Operation::ConstantIndex { index } => LocationOp::Constant(unit.address(index)?),
                Operation::UnsignedConstant { value } => LocationOp::Constant(value),
                Operation::SignedConstant { value } => LocationOp::Constant(value.cast_unsigned()),
                other => LocationOp::Standard(other),
            });
        }
        Ok(LocationExpression(decoded))
    }

    /// Creates the location of a constant, from `DW_AT_const_value`.
    pub(super) fn constant(
        value: &AttributeValue<DwarfReader>,
    ) -> Result<LocationExpression, LocationError> {
        let data = match value {
            AttributeValue::Block(bytes) => {
                let data = bytes.clone();
                return Ok(LocationExpression(vec![LocationOp::Standard(
                    Operation::ImplicitValue { data },
                )]));
            }
            AttributeValue::Sdata(value) => value.cast_unsigned(),
            other => other
                .udata_value()
                .ok_or_else(|| LocationError::Operation("DW_AT_const_value".to_owned()))?,
        };
        let value = LocationOp::Standard(Operation::StackValue);
        Ok(LocationExpression(vec![LocationOp::Constant(data), value]))
    }

    /// Creates a frame base that cannot be evaluated.
    pub(super) fn unknown() -> LocationExpression {
        LocationExpression(Vec::new())
    }

    /// Evaluates the expression. `base` is the frame base of the function, if it states one.
    pub(super) fn evaluate(
        &self,
        base: Option<&LocationExpression>,
        state: &dyn VariableState,
    ) -> Result<Vec<VariablePiece>, LocationError> {
        let mut stack = Stack {
            values: Vec::new(),
            is_value: false,
            base,
            state,
        };
        let mut pieces = Vec::new();
        for operation in &self.0 {
            stack.apply(operation, &mut pieces)?;
        }
        if pieces.is_empty() {
            let place = stack.place()?;
            pieces.push(VariablePiece { place, bytes: None });
        }
        Ok(pieces)
    }

    /// Returns the register if the expression consists of a single `DW_OP_reg`.
    fn register(&self) -> Option<SourceRegister> {
        match self.0.as_slice() {
            [LocationOp::Standard(Operation::Register { register })] => {
                SourceRegister::of_dwarf(register.0)
            }
            _ => None,
        }
    }

    /// Returns true if the location depends on the function's frame.
    pub(super) fn is_in_frame(&self, base: Option<&LocationExpression>) -> bool {
        let frame = base.and_then(LocationExpression::register);
        self.0.iter().any(|it| match it {
            LocationOp::Standard(Operation::FrameOffset { .. }) => true,
            LocationOp::Standard(Operation::RegisterOffset { register, .. }) => {
                frame.is_some() && SourceRegister::of_dwarf(register.0) == frame
            }
            _ => false,
        })
    }
}

/// Value on the evaluation stack.
#[derive(Clone, Debug)]
enum StackValue {
    Number(u64),
    /// Contents of a register other than the frame register.
    Register(SourceRegister),
    /// Offset in the scratch of a work-item.
    Frame(u64),
    /// Link address in the code object.
    Address(u64),
    /// Complete location.
    Place(PiecePlace),
}

struct Stack<'a> {
    values: Vec<StackValue>,
    /// True after `DW_OP_stack_value`.
    is_value: bool,
    base: Option<&'a LocationExpression>,
    state: &'a dyn VariableState,
}

impl Stack<'_> {
    fn push(&mut self, value: StackValue) -> Result<(), LocationError> {
        if self.values.len() >= MAX_STACK {
            return Err(LocationError::Invalid("the stack is too deep".to_owned()));
        }
        self.values.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Result<StackValue, LocationError> {
        let empty = || LocationError::Invalid("the stack is empty".to_owned());
        self.values.pop().ok_or_else(empty)
    }

    fn read(&self, register: SourceRegister) -> Result<u64, LocationError> {
        self.state.register(register).ok_or(LocationError::Register)
    }

    fn number(&mut self) -> Result<u64, LocationError> {
        Ok(match self.pop()? {
            StackValue::Number(it) | StackValue::Frame(it) => it,
            StackValue::Register(it) => self.read(it)?,
            StackValue::Address(it) => self.state.loaded(it),
            StackValue::Place(PiecePlace::Memory(space, address)) => {
                let value = self.state.memory(space, address);
                value.ok_or(LocationError::Memory)?
            }
            StackValue::Place(_) => {
                let load = "a load from a register".to_owned();
                return Err(LocationError::Operation(load));
            }
        })
    }

    /// Applies an operation to the top two numbers.
    fn binary(&mut self, apply: impl Fn(u64, u64) -> Option<u64>) -> Result<(), LocationError> {
        let is_in_frame = |it: &StackValue| matches!(it, StackValue::Frame(_));
        let in_frame = self.values.iter().rev().take(2).any(is_in_frame);
        let (right, left) = (self.number()?, self.number()?);
        let result = apply(left, right);
        let result = result.ok_or_else(|| LocationError::Invalid("division by zero".to_owned()))?;
        self.push(match in_frame {
            true => StackValue::Frame(result),
            false => StackValue::Number(result),
        })
    }

    fn apply(
        &mut self,
        operation: &LocationOp,
        pieces: &mut Vec<VariablePiece>,
    ) -> Result<(), LocationError> {
        let operation = match operation {
            LocationOp::Address(address) => return self.push(StackValue::Address(*address)),
            LocationOp::Constant(value) => return self.push(StackValue::Number(*value)),
            LocationOp::Standard(operation) => operation,
        };
        let signed = u64::cast_signed;
        match operation {
            Operation::Nop => Ok(()),
            Operation::Register { register: it } => {
                let it = SourceRegister::of_dwarf(it.0).ok_or(LocationError::Register)?;
                self.push(StackValue::Place(PiecePlace::Register(it)))
            }
            Operation::RegisterOffset {
                register, offset, ..
            } => {
                let it = SourceRegister::of_dwarf(register.0).ok_or(LocationError::Register)?;
                let frame = self.base.and_then(LocationExpression::register);
                if frame == Some(it) {
                    let frame = self.read(it)? / WAVE;
                    return self.push(StackValue::Frame(frame.wrapping_add_signed(*offset)));
                }
                if *offset == 0 {
                    return self.push(StackValue::Register(it));
                }
                let number = self.read(it)?.wrapping_add_signed(*offset);
                self.push(StackValue::Number(number))
            }
            Operation::FrameOffset { offset } => {
                let frame = match self.base {
                    // The frame of a kernel without a frame pointer begins at 0.
                    None => 0,
                    Some(base) => match base.register() {
                        Some(register) => self.read(register)? / WAVE,
                        None => {
                            return Err(LocationError::Operation("DW_AT_frame_base".to_owned()));
                        }
                    },
                };
                self.push(StackValue::Frame(frame.wrapping_add_signed(*offset)))
            }
            Operation::Deref {
                space: false,
                size: 8,
                ..
            } => {
                let place = self.place()?;
                self.push(StackValue::Place(place))?;
                let value = self.number()?;
                self.push(StackValue::Number(value))
            }
            Operation::Drop => self.pop().map(drop),
            Operation::Pick { index } => {
                let index = self.values.len().checked_sub(usize::from(*index) + 1);
                let value = index.map(|index| self.values[index].clone());
                let missing = || LocationError::Invalid("the stack is empty".to_owned());
                self.push(value.ok_or_else(missing)?)
            }
            Operation::Swap => {
                let (top, next) = (self.pop()?, self.pop()?);
                self.push(top)?;
                self.push(next)
            }
            Operation::PlusConstant { value } => {
                self.push(StackValue::Number(*value))?;
                self.binary(|a, b| Some(a.wrapping_add(b)))
            }
            Operation::Plus => self.binary(|a, b| Some(a.wrapping_add(b))),
            Operation::Minus => self.binary(|a, b| Some(a.wrapping_sub(b))),
            Operation::Mul => self.binary(|a, b| Some(a.wrapping_mul(b))),
            Operation::And => self.binary(|a, b| Some(a & b)),
            Operation::Or => self.binary(|a, b| Some(a | b)),
            Operation::Xor => self.binary(|a, b| Some(a ^ b)),
            Operation::Shl => self.binary(|a, b| Some(shifted(b, |by| a << by))),
            Operation::Shr => self.binary(|a, b| Some(shifted(b, |by| a >> by))),
            Operation::Shra => self.binary(|a, b| Some((signed(a) >> b.min(63)).cast_unsigned())),
            Operation::Div => self.binary(|a, b| {
                let quotient = || signed(a).wrapping_div(signed(b)).cast_unsigned();
                (b != 0).then(quotient)
            }),
            Operation::Mod => self.binary(|a, b| a.checked_rem(b)),
            Operation::Neg => {
                let value = self.number()?;
                self.push(StackValue::Number(value.wrapping_neg()))
            }
            Operation::Not => {
                let value = self.number()?;
                self.push(StackValue::Number(!value))
            }
            Operation::Deref { space: true, .. } => self.enter_space(),
            Operation::StackValue => {
                self.is_value = true;
                Ok(())
            }
            Operation::ImplicitValue { data } => {
                let bytes = data.to_slice()?.into_owned();
                self.push(StackValue::Place(PiecePlace::Value(bytes)))
            }
            Operation::Piece {
                size_in_bits,
                bit_offset: None | Some(0),
            } if size_in_bits.is_multiple_of(8) => {
                let place = match self.values.is_empty() {
                    true => PiecePlace::Missing,
                    false => self.place()?,
                };
                let bytes = Some(size_in_bits / 8);
                pieces.push(VariablePiece { place, bytes });
                (self.values, self.is_value) = (Vec::new(), false);
                Ok(())
            }
            other => {
                let text = format!("{other:?}");
                let name = text.split([' ', '(']).next().unwrap_or_default();
                Err(LocationError::Operation(name.to_owned()))
            }
        }
    }

    /// Applies `DW_OP_xderef`, which states the address space of an address.
    fn enter_space(&mut self) -> Result<(), LocationError> {
        let address = self.pop()?;
        let number = self.number()?;
        let space = SourceSpace::of_dwarf(number);
        let space = space
            .ok_or_else(|| LocationError::Operation(format!("DW_OP_xderef in space {number}")))?;
        let place = match (address, space) {
            (StackValue::Frame(address), SourceSpace::Private) => {
                PiecePlace::Memory(space, address)
            }
            // The variable was in its stack slot before the compiler moved it to a register.
            (address, SourceSpace::Private) => {
                self.is_value = true;
                return self.push(address);
            }
            // Offsets of LDS variables do not depend on the load address.
            (StackValue::Address(it), SourceSpace::Local) => PiecePlace::Memory(space, it),
            (address, _) => {
                self.push(address)?;
                PiecePlace::Memory(space, self.number()?)
            }
        };
        self.push(StackValue::Place(place))
    }

    /// Returns the location that the stack describes.
    fn place(&mut self) -> Result<PiecePlace, LocationError> {
        if self.values.is_empty() {
            return Err(LocationError::OptimizedOut);
        }
        let is_value = self.is_value;
        Ok(match self.pop()? {
            StackValue::Place(place) => place,
            StackValue::Register(it) if is_value => PiecePlace::Register(it),
            StackValue::Frame(address) if !is_value => {
                PiecePlace::Memory(SourceSpace::Private, address)
            }
            other => {
                self.push(other)?;
                let number = self.number()?;
                match is_value {
                    true => PiecePlace::Value(number.to_le_bytes().to_vec()),
                    false => PiecePlace::Memory(SourceSpace::Generic, number),
                }
            }
        })
    }
}

/// Applies a shift, or returns 0 if it shifts out all bits.
fn shifted(by: u64, shift: impl Fn(u32) -> u64) -> u64 {
    match u32::try_from(by) {
        Ok(by) if by < u64::BITS => shift(by),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave without registers or memory.
    struct Nothing;

    impl VariableState for Nothing {
        fn register(&self, _: SourceRegister) -> Option<u64> {
            None
        }

        fn loaded(&self, address: u64) -> u64 {
            address
        }

        fn memory(&self, _: SourceSpace, _: u64) -> Option<u64> {
            None
        }
    }

    #[test]
    fn quotients_wrap_and_only_zero_does_not_divide() {
        let divided = |left: i64, right: i64| {
            let numbers = [left, right].map(|it| StackValue::Number(it.cast_unsigned()));
            let mut stack = Stack {
                values: numbers.to_vec(),
                is_value: false,
                base: None,
                state: &Nothing,
            };
            stack.apply(&LocationOp::Standard(Operation::Div), &mut Vec::new())?;
            stack.number().map(u64::cast_signed)
        };
        assert_eq!(divided(-7, 2), Ok(-3));
        assert_eq!(divided(i64::MIN, -1), Ok(i64::MIN));
        assert!(matches!(divided(1, 0), Err(LocationError::Invalid(_))));
    }
}
