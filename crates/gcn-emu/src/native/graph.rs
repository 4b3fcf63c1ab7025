//! Acyclic value graph of operations on a slice of lanes or on scalar registers.

use gcn_isa::effect::Shift;
use hashbrown::HashMap;

/// Value of the graph: 32 bits for each lane of a slice. Operands come before their users.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Id(pub(super) u32);

/// Operation. In a mask, all bits of a lane are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Op {
    /// Vector register on entry.
    Vgpr(u8),
    /// Scalar register on entry, broadcast to all lanes.
    Scalar(u8),
    /// Constant in every lane.
    Const(u32),
    /// 64-bit constant in half the lanes.
    Const64(u64),
    /// Mask in a pair of scalar registers.
    Mask(u8),
    /// SCC on entry, as a mask.
    Scc,
    /// Operation on two values.
    Binary(Binary, Id, Id),
    /// Shift by fewer than 32 bits.
    ShiftBy(Shift, Id, u8),
    /// Left rotation by fewer than 32 bits.
    Rotate(Id, u8),
    /// Operation on one value.
    Unary(Unary, Id),
    /// Second value in lanes where the mask is set, third value elsewhere.
    Select(Id, Id, Id),
    /// Single-precision fused multiply-add: the first two values are multiplied.
    Fma(Id, Id, Id),
    /// [`Op::Fma`] in double precision.
    FmaF64(Id, Id, Id),
    /// Dword loaded by the part's access with this index, from addresses with these low and high dwords.
    Load(u8, Id, Id),
}

/// Operation on two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    /// Low half of the product.
    Mul,
    And,
    /// Bits of the second value that are clear in the first.
    AndNot,
    Or,
    Xor,
    /// Left shift; counts of 32 and more give zero.
    Shl,
    /// Logical right shift; counts of 32 and more give zero.
    Shr,
    /// Arithmetic right shift.
    Sar,
    /// Mask: the values are equal.
    Equal,
    /// Mask: the first value is greater (signed).
    Greater,
    /// Mask: the first value is greater or equal (unsigned).
    AtLeast,
    MinSigned,
    MinUnsigned,
    MaxSigned,
    MaxUnsigned,
    /// Unsigned 64-bit products of the even lanes.
    MulEven,
    /// Signed 64-bit products of the even lanes.
    MulEvenSigned,
    /// Even lanes of the first value, odd lanes of the second.
    Interleave,
    /// Single-precision sum.
    AddF32,
    SubF32,
    MulF32,
    DivF32,
    /// First value if it is smaller, otherwise the second.
    MinF32,
    /// First value if it is greater, otherwise the second.
    MaxF32,
    /// Mask: single-precision comparison.
    CompareF32(Predicate),
    /// 64-bit numbers from low and high dwords, for the first half of each group of four lanes.
    UnpackLow,
    /// 64-bit numbers for the second half of each group of four lanes.
    UnpackHigh,
    /// Low dwords of the 64-bit numbers in both halves of the lanes.
    PackLow,
    /// High dwords of the 64-bit numbers in both halves of the lanes.
    PackHigh,
    /// Double-precision sum for half the lanes.
    AddF64,
    MulF64,
    DivF64,
    /// Conversion of both halves of the lanes to single precision.
    NarrowF64,
    /// 64-bit mask: double-precision comparison.
    CompareF64(Predicate),
    /// Sum of the products of two pairs of signed 16-bit numbers.
    MulAddPairs,
}

/// Operation on one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Unary {
    /// Copy of the value in a separate register.
    Copy,
    /// Odd lanes moved to the even lanes below them; odd lanes become zero.
    OddToEven,
    /// Conversion from signed integer to single precision.
    FloatOfSigned,
    /// Single-precision square root.
    SqrtF32,
    /// Estimate of the reciprocal square root in double precision, for half the lanes. Its relative error is at most
    /// 1.5 * 2^-12. The source has the range of single precision.
    RsqrtEstimateF64,
    /// Conversion of the first half of each group of four lanes to double precision, in the order of
    /// [`Binary::UnpackLow`].
    WidenLow,
    /// Conversion of the second half of each group of four lanes to double precision.
    WidenHigh,
    /// Rounding to an integral value in single precision.
    RoundF32(Rounding),
    /// Conversion from single precision to signed integer, rounding towards zero; 1 << 31 if the result does not fit in
    /// 32 bits.
    SignedOfFloat,
    /// Even bytes, sign-extended to 16 bits.
    EvenBytes,
    /// Odd bytes, sign-extended to 16 bits.
    OddBytes,
}

/// Rounding mode, with its VROUNDPS encoding. The precision exception is suppressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Rounding {
    Nearest = 8,
    Down = 9,
    Up = 10,
    TowardsZero = 11,
}

/// Floating-point comparison, with its encoding in host instructions.
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
    /// Name of the operation without its operands.
    pub(super) fn name(self) -> String {
        match self {
            Op::Binary(binary, ..) => format!("{binary:?}"),
            Op::ShiftBy(how, ..) => format!("Shift{how:?}"),
            Op::Rotate(..) => "Rotate".to_owned(),
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

    /// True if the value is available on entry.
    pub(super) fn is_leaf(self) -> bool {
        matches!(
            self,
            Op::Vgpr(_) | Op::Scalar(_) | Op::Const(_) | Op::Const64(_) | Op::Mask(_) | Op::Scc
        )
    }
}

/// Value graph. Equal operations share one value.
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

    /// Returns the value of an operation, simplified if operands are constants.
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

    /// Simplifies an operation: returns an existing value, or the operation to add.
    fn simplified(&mut self, op: Op) -> Result<Id, Op> {
        match op {
            Op::Binary(binary, a, b) => {
                if let Some(half) = self.unpacked(binary, a, b) {
                    return Ok(half);
                }
                if let (Binary::Or, Some(rotation)) = (binary, self.rotation(a, b)) {
                    return Err(rotation);
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

    /// Recognizes a rotation as the union of two shifts.
    fn rotation(&self, a: Id, b: Id) -> Option<Op> {
        let (id, left, other, right) = match (self.op(a), self.op(b)) {
            (Op::ShiftBy(Shift::Left, id, left), Op::ShiftBy(Shift::Right, other, right))
            | (Op::ShiftBy(Shift::Right, other, right), Op::ShiftBy(Shift::Left, id, left)) => {
                (id, left, other, right)
            }
            _ => return None,
        };
        let is_rotation = id == other && u32::from(left + right) == u32::BITS;
        is_rotation.then_some(Op::Rotate(id, left))
    }

    /// Simplifies the unpacking of packed halves: returns the original half.
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

    /// Determines which values are masks. AVX-512 code computes masks in mask registers.
    pub(super) fn masks(&self) -> Vec<bool> {
        let mut is_mask: Vec<bool> = Vec::with_capacity(self.len());
        for op in &self.ops {
            is_mask.push(match *op {
                Op::Mask(_) => true,
                Op::Binary(binary, a, b) => match binary {
                    Binary::Equal | Binary::Greater | Binary::AtLeast | Binary::CompareF32(_) => {
                        true
                    }
                    Binary::And | Binary::AndNot | Binary::Or | Binary::Xor => {
                        is_mask[a.0 as usize] && is_mask[b.0 as usize]
                    }
                    _ => false,
                },
                _ => false,
            });
        }
        is_mask
    }

    /// Operands of an operation.
    pub(super) fn sources(&self, id: Id) -> [Option<Id>; 3] {
        match self.op(id) {
            Op::Vgpr(_) | Op::Scalar(_) | Op::Const(_) | Op::Const64(_) | Op::Mask(_) | Op::Scc => {
                [None; 3]
            }
            Op::ShiftBy(_, a, _) | Op::Rotate(a, _) | Op::Unary(_, a) => [Some(a), None, None],
            Op::Binary(_, a, b) | Op::Load(_, a, b) => [Some(a), Some(b), None],
            Op::Select(a, b, c) | Op::Fma(a, b, c) | Op::FmaF64(a, b, c) => {
                [Some(a), Some(b), Some(c)]
            }
        }
    }
}
