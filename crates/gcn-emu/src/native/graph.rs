//! Operations on a slice of lanes, or on scalar registers, as a graph of values without cycles.

use std::collections::HashMap;

use gcn_isa::effect::Shift;

/// Lanes of a slice.
pub(super) const SLICE: usize = 8;

/// A value of the graph: 32 bits for each lane of a slice. Those that are used come after what they use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Id(pub(super) u32);

/// An operation. Masks have all bits of a lane set or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Op {
    /// A vector register's value on entry.
    Vgpr(u8),
    /// A scalar register's value on entry, in every lane.
    Scalar(u8),
    /// A constant in every lane.
    Const(u32),
    /// A constant of 64 bits in half the lanes.
    Const64(u64),
    /// The mask in a pair of scalar registers.
    Mask(u8),
    /// SCC on entry, as a mask.
    Scc,
    /// An operation on two values.
    Binary(Binary, Id, Id),
    /// A shift by fewer than 32 bits.
    ShiftBy(Shift, Id, u8),
    /// An operation on one value.
    Unary(Unary, Id),
    /// The second value where the mask is set, else the third.
    Select(Id, Id, Id),
    /// The product of the first two and the third in single precision, rounded once.
    Fma(Id, Id, Id),
    /// [`Op::Fma`] in double precision.
    FmaF64(Id, Id, Id),
    /// The dword that an access of the part, given by its number, loads from addresses with these low and high dwords.
    Load(u8, Id, Id),
}

/// Operation on two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    /// The low half of the product.
    Mul,
    And,
    /// The second value's bits that the first lacks.
    AndNot,
    Or,
    Xor,
    /// A shift left, which gives zero from 32 on.
    Shl,
    /// A shift right likewise.
    Shr,
    /// A shift right that copies the sign.
    Sar,
    /// Mask: they are the same.
    Equal,
    /// Mask: the first is greater, as a number with a sign.
    Greater,
    MinSigned,
    MinUnsigned,
    MaxSigned,
    MaxUnsigned,
    /// Products of 64 bits of even lanes, without sign.
    MulEven,
    /// Products of 64 bits of even lanes, with sign.
    MulEvenSigned,
    /// Even lanes of the first, odd lanes of the second.
    Interleave,
    /// Single precision.
    AddF32,
    SubF32,
    MulF32,
    DivF32,
    /// The first if it is less, else the second.
    MinF32,
    /// The first if it is greater, else the second.
    MaxF32,
    /// Mask: a comparison.
    CompareF32(Predicate),
    /// Numbers of 64 bits of half the lanes, from low and high dwords: the first half of each four lanes.
    UnpackLow,
    /// The second half of each four lanes.
    UnpackHigh,
    /// Low dwords of numbers of 64 bits in both halves of the lanes.
    PackLow,
    /// High dwords.
    PackHigh,
    /// Double precision, of half the lanes.
    AddF64,
    MulF64,
    DivF64,
    /// Single precision from both halves of the lanes in double precision.
    NarrowF64,
    /// Mask of 64 bits: a comparison.
    CompareF64(Predicate),
    /// Sums of the products of two pairs of signed numbers of 16 bits.
    MulAddPairs,
}

/// Operation on one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Unary {
    /// The value, in a place of its own.
    Copy,
    /// Odd lanes in the place of even ones, zeros in theirs.
    OddToEven,
    /// From a number with a sign to single precision.
    FloatOfSigned,
    /// The square root in single precision.
    SqrtF32,
    /// The square root in double precision, of half the lanes.
    SqrtF64,
    /// Single to double precision: the first half of each four lanes, as [`Binary::UnpackLow`].
    WidenLow,
    /// The second half of each four lanes.
    WidenHigh,
    /// A whole number in single precision.
    RoundF32(Rounding),
    /// From single precision to a number with a sign, towards zero; 1 << 31 if it is none of 32 bits.
    SignedOfFloat,
    /// Even bytes as signed numbers of 16 bits.
    EvenBytes,
    /// Odd bytes as signed numbers of 16 bits.
    OddBytes,
}

/// Rounding, with the host's number for it: precision is of no account.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Rounding {
    Nearest = 8,
    Down = 9,
    Up = 10,
    TowardsZero = 11,
}

/// Comparison in single or double precision, with the host's number for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Predicate {
    Equal = 0x00,
    Less = 0x11,
    LessOrEqual = 0x12,
    Unordered = 0x03,
    NotEqual = 0x04,
    NotLess = 0x15,
    NotLessOrEqual = 0x16,
    Ordered = 0x07,
    EqualOrUnordered = 0x08,
    NotGreaterOrEqual = 0x19,
    NotGreater = 0x1a,
    LessOrGreater = 0x0c,
    GreaterOrEqual = 0x1d,
    Greater = 0x1e,
}

impl Op {
    /// Name of the operation, whatever it is of.
    pub(super) fn name(self) -> String {
        match self {
            Op::Binary(binary, ..) => format!("{binary:?}"),
            Op::ShiftBy(how, ..) => format!("Shift{how:?}"),
            Op::Unary(unary, _) => format!("{unary:?}"),
            Op::Select(..) => "Select".to_owned(),
            Op::Fma(..) => "Fma".to_owned(),
            Op::FmaF64(..) => "FmaF64".to_owned(),
            Op::Load(..) => "Load".to_owned(),
            Op::Vgpr(_) | Op::Scalar(_) | Op::Const(_) | Op::Const64(_) | Op::Mask(_) | Op::Scc => {
                "leaf".to_owned()
            }
        }
    }

    /// True of a value that there is on entry.
    pub(super) fn is_leaf(self) -> bool {
        matches!(
            self,
            Op::Vgpr(_) | Op::Scalar(_) | Op::Const(_) | Op::Const64(_) | Op::Mask(_) | Op::Scc
        )
    }
}

/// A graph. Equal operations are one value.
#[derive(Debug, Default)]
pub(super) struct Graph {
    ops: Vec<Op>,
    known: HashMap<Op, Id>,
}

impl Graph {
    pub(super) fn op(&self, id: Id) -> Op {
        self.ops[id.0 as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    fn constant(&self, id: Id) -> Option<u32> {
        match self.op(id) {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The value of an operation, simplified where an operand is a constant.
    pub(super) fn add(&mut self, op: Op) -> Id {
        let op = match self.simplified(op) {
            Ok(id) => return id,
            Err(op) => op,
        };
        if let Some(&id) = self.known.get(&op) {
            return id;
        }
        let id = Id(self.ops.len() as u32);
        self.ops.push(op);
        self.known.insert(op, id);
        id
    }

    pub(super) fn add_const(&mut self, value: u32) -> Id {
        self.add(Op::Const(value))
    }

    /// A value that there is already, or the operation to add.
    fn simplified(&mut self, op: Op) -> Result<Id, Op> {
        match op {
            Op::Binary(binary, a, b) => {
                if let Some(half) = self.unpacked(binary, a, b) {
                    return Ok(half);
                }
                let (known_a, known_b) = (self.constant(a), self.constant(b));
                let folded = match (binary, known_a, known_b) {
                    (Binary::Add, Some(a), Some(b)) => Some(a.wrapping_add(b)),
                    (Binary::Sub, Some(a), Some(b)) => Some(a.wrapping_sub(b)),
                    (Binary::Mul, Some(a), Some(b)) => Some(a.wrapping_mul(b)),
                    (Binary::And, Some(a), Some(b)) => Some(a & b),
                    (Binary::Or, Some(a), Some(b)) => Some(a | b),
                    (Binary::Xor, Some(a), Some(b)) => Some(a ^ b),
                    (Binary::AndNot, Some(a), Some(b)) => Some(!a & b),
                    (Binary::Shl, Some(a), Some(b)) => Some(a.checked_shl(b).unwrap_or(0)),
                    (Binary::Shr, Some(a), Some(b)) => Some(a.checked_shr(b).unwrap_or(0)),
                    _ => None,
                };
                if let Some(value) = folded {
                    return Ok(self.add_const(value));
                }
                match (binary, known_b) {
                    (
                        Binary::Add
                        | Binary::Sub
                        | Binary::Or
                        | Binary::Xor
                        | Binary::Shl
                        | Binary::Shr
                        | Binary::Sar,
                        Some(0),
                    )
                    | (Binary::And, Some(u32::MAX)) => Ok(a),
                    (Binary::And, Some(0)) => Ok(b),
                    (Binary::Shl, Some(by @ 1..32)) => Err(Op::ShiftBy(Shift::Left, a, by as u8)),
                    (Binary::Shr, Some(by @ 1..32)) => Err(Op::ShiftBy(Shift::Right, a, by as u8)),
                    (Binary::Sar, Some(by @ 1..32)) => {
                        Err(Op::ShiftBy(Shift::Arithmetic, a, by as u8))
                    }
                    (Binary::Shl | Binary::Shr, Some(32..)) => Ok(self.add_const(0)),
                    _ => Err(op),
                }
            }
            Op::ShiftBy(_, a, 0) => Ok(a),
            Op::Select(_, a, b) if a == b => Ok(a),
            op => Err(op),
        }
    }

    /// The half that was packed into two values.
    fn unpacked(&self, binary: Binary, low: Id, high: Id) -> Option<Id> {
        let Op::Binary(Binary::PackLow, first, second) = self.op(low) else {
            return None;
        };
        let is_pair = self.op(high) == Op::Binary(Binary::PackHigh, first, second);
        match binary {
            Binary::UnpackLow if is_pair => Some(first),
            Binary::UnpackHigh if is_pair => Some(second),
            _ => None,
        }
    }

    /// The values that an operation uses.
    pub(super) fn sources(&self, id: Id) -> [Option<Id>; 3] {
        match self.op(id) {
            Op::Vgpr(_) | Op::Scalar(_) | Op::Const(_) | Op::Const64(_) | Op::Mask(_) | Op::Scc => {
                [None; 3]
            }
            Op::ShiftBy(_, a, _) | Op::Unary(_, a) => [Some(a), None, None],
            Op::Binary(_, a, b) | Op::Load(_, a, b) => [Some(a), Some(b), None],
            Op::Select(a, b, c) | Op::Fma(a, b, c) | Op::FmaF64(a, b, c) => {
                [Some(a), Some(b), Some(c)]
            }
        }
    }
}
