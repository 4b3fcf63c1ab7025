//! Locations of source variables: DWARF expressions with the registers and address spaces of AMDGPU.
//!
//! Sources: "DWARF Register Identifier" and "DWARF Address Space Identifier" of LLVM's "User Guide for AMDGPU Backend", as
//! far as LLVM itself emits them. LLVM states an address space as `DW_OP_constu SPACE, DW_OP_swap, DW_OP_xderef`, in which
//! the last operation turns an address into a location instead of loading from it. It keeps these operations when it
//! moves a variable from its stack slot to a register; then they do not apply.

use gimli::{AttributeValue, Expression, Operation, Reader as _, UnitRef};
use thiserror::Error;

use super::embedded::DwarfReader;

/// Maximum depth of the evaluation stack.
const MAX_STACK: usize = 64;
/// Work-items per wave. The stack and frame registers count bytes of all of them.
const WAVE: u64 = 64;
/// Stack and frame registers.
const FRAME_REGISTERS: [u8; 2] = [32, 33];

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
    /// Memory at an address of the code object.
    Static(u64),
    /// A known value, in little-endian order.
    Value(Vec<u8>),
    /// The compiler has not kept the part.
    Missing,
}

/// Reason why a variable has no location.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LocationError {
    /// The compiler has not kept the variable at this instruction.
    #[error("optimized out")]
    OptimizedOut,
    /// The function has not set up its stack frame yet.
    #[error("the function has not set up its frame")]
    InPrologue,
    /// The location expression has an operation that is not evaluated.
    #[error("its DWARF location has an operation that is not evaluated: {0}")]
    Operation(String),
    /// The location expression is not valid.
    #[error("its DWARF location is not valid: {0}")]
    Invalid(String),
    /// The location needs a register that cannot be read.
    #[error("its DWARF location needs a register that the wave does not have")]
    Register,
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
    /// Address of the code object.
    Address(u64),
    Constant(u64),
}

/// Location expression.
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

    /// Evaluates the expression. `base` is the frame base's expression, and `register` reads a register.
    pub(super) fn evaluate(
        &self,
        base: Option<&LocationExpression>,
        register: &dyn Fn(SourceRegister) -> Option<u64>,
    ) -> Result<Vec<VariablePiece>, LocationError> {
        let mut stack = Stack::default();
        let mut pieces = Vec::new();
        for operation in &self.0 {
            stack.apply(operation, base, register, &mut pieces)?;
        }
        if pieces.is_empty() {
            let place = stack.place(register)?;
            pieces.push(VariablePiece { place, bytes: None });
        }
        Ok(pieces)
    }

    /// Returns the stack pointer or frame pointer in bytes of one work-item.
    fn frame(
        &self,
        register: &dyn Fn(SourceRegister) -> Option<u64>,
    ) -> Result<u64, LocationError> {
        match self.evaluate(None, register)?.as_slice() {
            [
                VariablePiece {
                    place: PiecePlace::Register(it),
                    bytes: None,
                },
            ] => Ok(register(*it).ok_or(LocationError::Register)? / WAVE),
            _ => Err(LocationError::Operation("DW_AT_frame_base".to_owned())),
        }
    }

    /// True if the location is in the function's frame.
    pub(super) fn is_in_frame(&self) -> bool {
        let is_offset =
            |it: &LocationOp| matches!(it, LocationOp::Standard(Operation::FrameOffset { .. }));
        self.0.iter().any(is_offset)
    }
}

/// Value on the evaluation stack.
#[derive(Clone, Debug)]
enum StackValue {
    Number(u64),
    /// Contents of a register other than the frame registers.
    Register(SourceRegister),
    /// Offset in the scratch of a work-item.
    Frame(u64),
    /// Address of the code object.
    Address(u64),
    /// Complete location.
    Place(PiecePlace),
}

/// Evaluation stack.
#[derive(Default)]
struct Stack {
    values: Vec<StackValue>,
    /// True after `DW_OP_stack_value`.
    is_value: bool,
}

type Register<'a> = &'a dyn Fn(SourceRegister) -> Option<u64>;

impl Stack {
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

    fn number(&mut self, register: Register<'_>) -> Result<u64, LocationError> {
        Ok(match self.pop()? {
            StackValue::Number(it) | StackValue::Frame(it) | StackValue::Address(it) => it,
            StackValue::Register(it) => register(it).ok_or(LocationError::Register)?,
            StackValue::Place(_) => {
                let load = "a load from an address space".to_owned();
                return Err(LocationError::Operation(load));
            }
        })
    }

    /// Applies an operation to the top two numbers.
    fn binary(
        &mut self,
        register: Register<'_>,
        apply: impl Fn(u64, u64) -> Option<u64>,
    ) -> Result<(), LocationError> {
        let is_in_frame = |it: &StackValue| matches!(it, StackValue::Frame(_));
        let in_frame = self.values.iter().rev().take(2).any(is_in_frame);
        let (right, left) = (self.number(register)?, self.number(register)?);
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
        base: Option<&LocationExpression>,
        register: Register<'_>,
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
                register: it,
                offset,
                ..
            } => {
                let it = SourceRegister::of_dwarf(it.0).ok_or(LocationError::Register)?;
                let read = || register(it).ok_or(LocationError::Register);
                match it {
                    SourceRegister::Scalar(number) if FRAME_REGISTERS.contains(&number) => {
                        let frame = read()? / WAVE;
                        self.push(StackValue::Frame(frame.wrapping_add_signed(*offset)))
                    }
                    _ if *offset == 0 => self.push(StackValue::Register(it)),
                    _ => self.push(StackValue::Number(read()?.wrapping_add_signed(*offset))),
                }
            }
            Operation::FrameOffset { offset } => {
                // The frame of a kernel without a frame pointer begins at 0.
                let frame = base.map_or(Ok(0), |base| base.frame(register))?;
                self.push(StackValue::Frame(frame.wrapping_add_signed(*offset)))
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
                self.binary(register, |a, b| Some(a.wrapping_add(b)))
            }
            Operation::Plus => self.binary(register, |a, b| Some(a.wrapping_add(b))),
            Operation::Minus => self.binary(register, |a, b| Some(a.wrapping_sub(b))),
            Operation::Mul => self.binary(register, |a, b| Some(a.wrapping_mul(b))),
            Operation::And => self.binary(register, |a, b| Some(a & b)),
            Operation::Or => self.binary(register, |a, b| Some(a | b)),
            Operation::Xor => self.binary(register, |a, b| Some(a ^ b)),
            Operation::Shl => self.binary(register, |a, b| Some(shifted(b, |by| a << by))),
            Operation::Shr => self.binary(register, |a, b| Some(shifted(b, |by| a >> by))),
            Operation::Shra => self.binary(register, |a, b| {
                Some((signed(a) >> b.min(63)).cast_unsigned())
            }),
            Operation::Div => self.binary(register, |a, b| {
                let quotient = signed(a).checked_div(signed(b));
                quotient.map(i64::cast_unsigned)
            }),
            Operation::Mod => self.binary(register, |a, b| a.checked_rem(b)),
            Operation::Neg => {
                let value = self.number(register)?;
                self.push(StackValue::Number(value.wrapping_neg()))
            }
            Operation::Not => {
                let value = self.number(register)?;
                self.push(StackValue::Number(!value))
            }
            Operation::Deref { space: true, .. } => self.enter_space(register),
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
                    false => self.place(register)?,
                };
                let bytes = Some(size_in_bits / 8);
                pieces.push(VariablePiece { place, bytes });
                *self = Stack::default();
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
    fn enter_space(&mut self, register: Register<'_>) -> Result<(), LocationError> {
        let address = self.pop()?;
        let number = self.number(register)?;
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
            (StackValue::Address(it) | StackValue::Number(it), SourceSpace::Local) => {
                PiecePlace::Memory(space, it)
            }
            (address, _) => {
                self.push(address)?;
                PiecePlace::Memory(space, self.number(register)?)
            }
        };
        self.push(StackValue::Place(place))
    }

    /// Returns the location that the stack describes.
    fn place(&mut self, register: Register<'_>) -> Result<PiecePlace, LocationError> {
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
            StackValue::Address(address) if !is_value => PiecePlace::Static(address),
            other => {
                self.push(other)?;
                let number = self.number(register)?;
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
