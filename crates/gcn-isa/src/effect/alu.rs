//! ALU operations. The types of the row's operands determine width, sign and floating point.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::implicit::Implicit;
use crate::operand::Ty;

/// Half of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Half {
    Low,
    High,
}

/// Comparison of two sources, abbreviated as in the manuals. A leading N negates an ordered comparison, so that it is
/// true for NaN.
///
/// # Examples
/// ```
/// use gcn_isa::effect::{Implicit, Test};
/// use gcn_isa::{Does, Op, vop::Vopc};
/// let does = |op| Op::Vopc(op).row().does;
/// // For a NaN, the first is false and the second is true.
/// assert_eq!(does(Vopc::V_CMP_GE_F32), Does::Compare(Test::Ge, Implicit::NONE));
/// assert_eq!(does(Vopc::V_CMP_NLT_F32), Does::Compare(Test::Nlt, Implicit::NONE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[rustfmt::skip]
#[allow(missing_docs)]
pub enum Test {
    /// Never.
    F,
    Lt, Eq, Le, Gt,
    /// Less or greater: false for NaN.
    Lg,
    Ge,
    /// Neither is NaN.
    O,
    /// At least one is NaN.
    U,
    Nge, Nlg, Ngt, Nle, Neq, Nlt,
    /// Always.
    Tru,
    /// The first source belongs to one of the floating-point classes selected by the bits of the second.
    Class,
}

/// A bitwise operation on two sources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bitwise {
    /// a & b
    And,
    /// a | b
    Or,
    /// a ^ b
    Xor,
    /// a & ~b
    AndNot,
    /// a | ~b
    OrNot,
    /// ~a & b
    NotAnd,
    /// ~a | b
    NotOr,
    /// ~(a & b)
    Nand,
    /// ~(a | b)
    Nor,
    /// ~(a ^ b)
    Xnor,
}

impl Bitwise {
    /// Applies the operation to two values.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::effect::Bitwise;
    /// assert_eq!(Bitwise::AndNot.apply(0b1100_u32, 0b1010), 0b0100);
    /// ```
    #[inline(always)]
    pub fn apply<V>(self, a: V, b: V) -> V
    where
        V: BitAnd<Output = V> + BitOr<Output = V> + BitXor<Output = V> + Not<Output = V>,
    {
        match self {
            Bitwise::And => a & b,
            Bitwise::Or => a | b,
            Bitwise::Xor => a ^ b,
            Bitwise::AndNot => a & !b,
            Bitwise::OrNot => a | !b,
            Bitwise::NotAnd => !a & b,
            Bitwise::NotOr => !a | b,
            Bitwise::Nand => !(a & b),
            Bitwise::Nor => !(a | b),
            Bitwise::Xnor => !(a ^ b),
        }
    }
}

/// Direction of a shift, and the bits shifted in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shift {
    /// Left, shifting in zeros.
    Left,
    /// Right, shifting in zeros.
    Right,
    /// Right, shifting in the sign.
    Arithmetic,
}

/// Signedness of the integers that a conversion produces, if the operand types do not determine it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Signedness {
    Signed,
    Unsigned,
}

/// Operand of a relative move whose register number is offset by M0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Relative {
    Source,
    Destination,
    Both,
}

/// Elements whose absolute differences are summed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sad {
    /// Four bytes.
    Bytes,
    /// Four bytes; their sum is shifted left by 16.
    BytesHigh,
    /// Four bytes, skipping bytes whose reference is 0.
    MaskedBytes,
    /// Two 16-bit halves.
    Shorts,
    /// A dword.
    Dword,
}

/// Step of a parameter interpolation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Interpolation {
    /// P10 * i + P0
    First,
    /// P20 * j + the first step's result
    Second,
    /// P10, P20 or P0
    Vertex,
}

/// Operation of an ALU instruction on sources a, b and c, in row order.
///
/// Scalar and vector instructions share operations, as do short and long encodings. Scalar ones may also write SCC.
///
/// # Examples
/// ```
/// use gcn_isa::effect::{AluOp, Bitwise, Shift};
/// use gcn_isa::{Does, Op, sop::Sop2, vop::Vop2};
/// let and = Does::Alu(AluOp::Bitwise(Bitwise::And));
/// assert_eq!(Op::Sop2(Sop2::S_AND_B64).row().does, and);
/// assert_eq!(Op::Vop2(Vop2::V_AND_B32).row().does, and);
/// let shift = Op::Vop2(Vop2::V_LSHLREV_B32).row();
/// assert_eq!(shift.does, Does::Alu(AluOp::Reversed(&AluOp::Shift(Shift::Left))));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AluOp {
    // Moves
    /// No effect.
    Nop,
    /// a
    Move,
    /// a if SCC is set; otherwise the destination is unchanged.
    MoveIf,
    /// a, with M0 added to the register number of the source, the destination or both.
    MoveRelative(Relative),
    /// a if the condition holds, otherwise b. The condition is SCC, or a bit per lane of a mask.
    Select,
    /// Lane b of a.
    ReadLane,
    /// a in the first active lane.
    ReadFirstLane,
    /// a, written to lane b of the destination.
    WriteLane,
    /// Swaps the destination and a.
    Swap,
    /// A half of a as the low half, and a half of b as the high half.
    Pack(Half, Half),

    // Bits
    /// A bitwise operation.
    Bitwise(Bitwise),
    /// Bitwise operation on a and b, then another on its result and c.
    Bitwise3(Bitwise, Bitwise),
    /// ~a
    Not,
    /// Reverses the bits.
    ReverseBits,
    /// a shifted by b.
    Shift(Shift),
    /// (a << b) | c
    ShiftOr,
    /// {a, b}, with a as the high dword, shifted right by c units of this number of bits.
    Align(u8),
    /// Bits of b where a is one, otherwise of c.
    BitSelect,
    /// Bit field of a: b is its lowest bit, c its width.
    Extract,
    /// Bit field of a: b contains its lowest bit and, starting at bit 16, its width.
    ExtractPacked,
    /// Mask of a ones, starting at bit b.
    FieldMask,
    /// Sign-extends this number of low bits of a.
    SignExtend(u8),
    /// Sets bit a of the destination to this value.
    SetBit(bool),
    /// Sets SCC to true if bit b of a has this value, otherwise to false.
    TestBit(bool),
    /// Number of zeros in a.
    CountZeros,
    /// Number of ones in a.
    CountOnes,
    /// Number of ones in a, plus b.
    CountOnesAdd,
    /// Number of ones in a that belong to lower lanes, plus b; a has a bit per lane of this half of the wave.
    MaskedCount(Half),
    /// Index of the lowest zero, or -1 if there is none.
    FindLowestZero,
    /// Index of the lowest set bit, or -1 if there is none.
    FindLowestOne,
    /// Number of zeros above the highest set bit, or -1 if no bit is set.
    LeadingZeros,
    /// Number of leading bits equal to the sign bit, or -1 if all are.
    LeadingSigns,
    /// Sets each group of four bits to all ones if any of them is one.
    WholeQuads,
    /// A bit for each group of four bits, set if any of them is one.
    QuadMask,
    /// Duplicates each bit.
    Replicate,
    /// Bytes of {a, b} selected by the bytes of c.
    Permute,

    // Integers and floating point
    /// a + b
    Add,
    /// a - b
    Sub,
    /// a * b; for integers, the low half.
    Mul,
    /// a * b + c; floating point rounds twice.
    MulAdd,
    /// a * b + c, rounded once.
    Fma,
    /// Minimum of a and b.
    Min,
    /// Maximum of a and b.
    Max,
    /// Minimum of three sources.
    Min3,
    /// Maximum of three sources.
    Max3,
    /// Median of three sources.
    Med3,

    // Integers
    /// a + b + carry
    AddCarry,
    /// a - b - borrow
    SubBorrow,
    /// a + b + c
    Add3,
    /// High half of a * b.
    MulHigh,
    /// a * b, with both factors reduced to 24 bits.
    Mul24,
    /// High 16 bits of the product of 24-bit factors.
    MulHigh24,
    /// a * b + c with 24-bit factors.
    MulAdd24,
    /// (a ^ b) + c
    XorAdd,
    /// (a << b) + c
    ShiftAdd,
    /// (a << n) + b
    ShiftByAdd(u8),
    /// (a + b) << c
    AddShift,
    /// |a|
    Abs,
    /// |a - b|
    AbsDiff,
    /// Sum of absolute differences of a and b, plus c.
    Sad(Sad),
    /// Four sums of absolute differences of four bytes, at four offsets in a, plus c.
    QuadSad,
    /// Four sums like [`AluOp::QuadSad`], skipping bytes whose reference is 0.
    MaskedQuadSad,
    /// For each byte, (a + b + lowest bit of c) >> 1.
    LerpBytes,
    /// Both halves of a, each saturated to 0..=255.
    SaturateBytes,
    /// a and b, saturated to 16 bits each.
    SaturatePair,
    /// Dot product of this number of elements of a and b, plus c.
    Dot(u8),

    // Floating point
    /// a * b, where 0 times anything is 0.
    MulLegacy,
    /// a * b + c, where 0 times anything is 0.
    MulAddLegacy,
    /// Minimum; b if either is NaN.
    MinLegacy,
    /// Maximum; b if either is NaN.
    MaxLegacy,
    /// Product for specular lighting.
    MulLit,
    /// Rounds towards zero.
    Trunc,
    /// Rounds up.
    Ceil,
    /// Rounds down.
    Floor,
    /// Rounds to nearest even.
    RoundEven,
    /// a - floor(a)
    Fract,
    /// 2^a
    Exp2,
    /// log2(a)
    Log2,
    /// log2(a), clamped to finite values.
    Log2Clamped,
    /// 1 / a
    Rcp,
    /// 1 / a, clamped to finite values.
    RcpClamped,
    /// 1 / a, with 0 instead of infinity.
    RcpLegacy,
    /// 1 / sqrt(a)
    Rsq,
    /// 1 / sqrt(a), clamped to finite values.
    RsqClamped,
    /// 1 / sqrt(a), with 0 instead of infinity.
    RsqLegacy,
    /// sqrt(a)
    Sqrt,
    /// sin(2 pi a)
    Sin,
    /// cos(2 pi a)
    Cos,
    /// a * 2^b
    Ldexp,
    /// Exponent of a.
    FrexpExponent,
    /// Mantissa of a.
    FrexpMantissa,
    /// Scales a for the division of c by b.
    DivScale,
    /// a * b + c, rescaled depending on VCC.
    DivFmas,
    /// Fixes up special cases of a, the quotient of c divided by b.
    DivFixup,
    /// Part of 2 / pi for the range reduction of large angles.
    TrigPreop,
    /// Cube map face.
    CubeFace,
    /// Coordinate S on the cube map face.
    CubeS,
    /// Coordinate T on the cube map face.
    CubeT,
    /// Twice the major axis coordinate.
    CubeMajor,
    /// Interpolates a parameter.
    Interpolate(Interpolation),

    // Conversions
    /// Converts from a's type to the destination's.
    Convert,
    /// Converts to an integer, rounding down.
    ConvertFloor,
    /// Converts to an integer: floor(a + 0.5).
    ConvertNear,
    /// Converts a signed 4-bit number and divides it by 16.
    ConvertOffset,
    /// Converts the byte of a with this index.
    ConvertByte(u8),
    /// Converts a to a byte, inserted as byte b of c.
    PutByte,
    /// Converts numbers from -1..=1 or 0..=1 to normalized 16-bit integers, signed or unsigned like the destination type.
    Normalize,
    /// Like [`AluOp::Normalize`], for a and b.
    NormalizePair(Signedness),
    /// Converts a and b to half precision, rounding towards zero.
    TruncatePair,

    // Operations derived from other operations
    /// The operation with a and b swapped.
    Reversed(&'static AluOp),
    /// The operation applied to both halves of the sources, as elements of this type.
    Packed(&'static AluOp, Ty),
    /// The operation on mixed 32-bit and 16-bit sources; a 16-bit result goes to this half of the destination.
    Mix(&'static AluOp, Half),

    // State
    /// EXEC = a op EXEC; the destination gets the old EXEC.
    SaveExec(Bitwise),
    /// EXEC = a op EXEC; the destination gets the new EXEC.
    WriteExec(Bitwise),
    /// Address of the next instruction.
    GetPc,
    /// Reads bits of a hardware register.
    GetRegister,
    /// Writes bits of a hardware register.
    SetRegister,
    /// Clears floating-point exceptions.
    ClearExceptions,
    /// MODE.VSKIP = bit b of a.
    SetVskip,
    /// Sets the VGPR index.
    SetIndex,
    /// Sets the VGPR index and enables VGPR indexing.
    IndexOn,
    /// Shader engines that own a tile of the screen.
    ScreenPartition,
}

impl AluOp {
    /// Returns the operation without swapped sources, and true if the first two sources are swapped.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::effect::AluOp;
    /// assert_eq!(AluOp::Reversed(&AluOp::Sub).in_order(), (AluOp::Sub, true));
    /// assert_eq!(AluOp::Sub.in_order(), (AluOp::Sub, false));
    /// ```
    pub const fn in_order(self) -> (AluOp, bool) {
        if let AluOp::Reversed(op) = self {
            (*op, true)
        } else {
            (self, false)
        }
    }

    /// True if the operation counts or tests bits of a, so that a's width can differ from the result's.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::effect::AluOp;
    /// assert!(AluOp::CountOnes.counts_source() && !AluOp::ReverseBits.counts_source());
    /// ```
    pub const fn counts_source(self) -> bool {
        matches!(
            self,
            AluOp::TestBit(_)
                | AluOp::CountZeros
                | AluOp::CountOnes
                | AluOp::FindLowestZero
                | AluOp::FindLowestOne
                | AluOp::LeadingZeros
                | AluOp::LeadingSigns
        )
    }

    /// Implicit state used by the operation in a scalar or vector instruction.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most operations use operands alone"
    )]
    pub(crate) const fn implicit(self, is_scalar: bool) -> Implicit {
        let uses_scc = match self {
            AluOp::Add
            | AluOp::Sub
            | AluOp::Min
            | AluOp::Max
            | AluOp::Abs
            | AluOp::AbsDiff
            | AluOp::ShiftByAdd(_)
            | AluOp::Bitwise(_)
            | AluOp::Not
            | AluOp::Shift(_)
            | AluOp::ExtractPacked
            | AluOp::TestBit(_)
            | AluOp::CountZeros
            | AluOp::CountOnes
            | AluOp::WholeQuads
            | AluOp::QuadMask => Implicit::WRITES_SCC,
            AluOp::AddCarry | AluOp::SubBorrow => Implicit::READS_SCC.and(Implicit::WRITES_SCC),
            AluOp::Select | AluOp::MoveIf => Implicit::READS_SCC,
            other => return other.beyond_scc(),
        };
        if is_scalar { uses_scc } else { Implicit::NONE }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most operations use operands alone"
    )]
    const fn beyond_scc(self) -> Implicit {
        let m0 = Implicit::READS_M0.and(Implicit::WRITES_M0);
        let mode = Implicit::READS_MODE.and(Implicit::WRITES_MODE);
        let from_index = Implicit::READS_M0.and(Implicit::INDEXES_SOURCE);
        let to_index = Implicit::READS_M0.and(Implicit::INDEXES_DESTINATION);
        match self {
            AluOp::SaveExec(_) | AluOp::WriteExec(_) => Implicit::READS_EXEC
                .and(Implicit::WRITES_EXEC)
                .and(Implicit::WRITES_SCC),
            AluOp::MoveRelative(Relative::Source) => from_index,
            AluOp::MoveRelative(Relative::Destination) => to_index,
            AluOp::MoveRelative(Relative::Both) => from_index.and(to_index),
            AluOp::GetPc => Implicit::READS_PC,
            AluOp::SetVskip => Implicit::WRITES_VSKIP,
            AluOp::SetIndex => m0,
            AluOp::IndexOn => m0.and(mode),
            AluOp::DivFmas => Implicit::READS_VCC,
            AluOp::Interpolate(_) => Implicit::READS_M0,
            AluOp::Mix(_, Half::High) => Implicit::HIGH_HALF,
            _ => Implicit::NONE,
        }
    }
}
