//! Operations of ALU instructions. The types of the row's operands decide width, sign and floating point.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::implicit::Implicit;
use crate::operand::Ty;

/// Half of a register that a 16-bit load writes; the other half stays (errata E071, E100).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Half {
    Low,
    High,
}

/// The test of a vector comparison on its two sources, as the manuals abbreviate it. With N before it an order is
/// negated, so that it holds for NaN.
///
/// # Examples
/// ```
/// use gcn_isa::effect::{Implicit, Test};
/// use gcn_isa::{Does, Op, vop::Vopc};
/// let does = |op| Op::Vopc(op).row().does;
/// // Of a NaN the first is false, the second true.
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
    /// Less or greater: not for NaN.
    Lg,
    Ge,
    /// Neither is NaN.
    O,
    /// One is NaN.
    U,
    Nge, Nlg, Ngt, Nle, Neq, Nlt,
    /// Always.
    Tru,
    /// The first source is of one of the classes that the second one's bits name.
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
    /// The operation on values of any kind that has bits.
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

/// Direction of a shift and the bits that come in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shift {
    /// Left, zeros.
    Left,
    /// Right, zeros.
    Right,
    /// Right, copies of the sign.
    Arithmetic,
}

/// Sign of the integers that a conversion yields, where the types of the operands do not tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Signedness {
    Signed,
    Unsigned,
}

/// Operand of a relative move whose register number M0 is added to.
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
    /// Four bytes, without those whose reference is 0.
    MaskedBytes,
    /// Two 16-bit halves.
    Shorts,
    /// A dword.
    Dword,
}

/// Step of a parameter's interpolation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Interpolation {
    /// P10 * i + P0
    First,
    /// P20 * j + the first step's result
    Second,
    /// P10, P20 or P0
    Vertex,
}

/// The operation of an ALU instruction on sources a, b and c, in the order of its row.
///
/// Scalar and vector instructions, short and long encodings share an operation. A scalar one may write SCC as well.
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
    /// a if SCC is set; otherwise the destination stays.
    MoveIf,
    /// a, from or to the register M0 further.
    MoveRelative(Relative),
    /// a where the condition holds, else b. The condition is SCC, or a bit per lane of a mask.
    Select,
    /// Lane b of a.
    ReadLane,
    /// The first active lane of a.
    ReadFirstLane,
    /// a, to lane b of the destination.
    WriteLane,
    /// Exchanges destination and a.
    Swap,
    /// Halves of a and b, the first one low.
    Pack(Half, Half),

    // Bits
    /// A bitwise operation.
    Bitwise(Bitwise),
    /// One of a and b, another of its result and c.
    Bitwise3(Bitwise, Bitwise),
    /// ~a
    Not,
    /// The bits in reverse order.
    ReverseBits,
    /// a shifted by b.
    Shift(Shift),
    /// (a << b) | c
    ShiftOr,
    /// The high and low dword {a, b} shifted right by c units of this many bits.
    Align(u8),
    /// Bits of b where a has ones, else of c.
    BitSelect,
    /// Field of a: b is its lowest bit, c its width.
    Extract,
    /// Field of a: b has its lowest bit and, from bit 16, its width.
    ExtractPacked,
    /// a ones from bit b.
    FieldMask,
    /// The low bits of a, this many, sign-extended.
    SignExtend(u8),
    /// Sets bit a of the destination to this value.
    SetBit(bool),
    /// SCC: bit b of a has this value.
    TestBit(bool),
    /// Number of zeros.
    CountZeros,
    /// Number of ones.
    CountOnes,
    /// Number of ones, plus b.
    CountOnesAdd,
    /// Ones of a that belong to lower lanes, in one half of the lanes, plus b.
    MaskedCount(Half),
    /// Number of the lowest zero, -1 if there is none.
    FindLowestZero,
    /// Number of the lowest one, -1 if there is none.
    FindLowestOne,
    /// Number of zeros above the highest one, -1 if there is none.
    LeadingZeros,
    /// Number of the highest bits that equal the sign, -1 if all do.
    LeadingSigns,
    /// Each group of four bits: all ones if it has one.
    WholeQuads,
    /// A bit for each group of four: set if it has a one.
    QuadMask,
    /// Each bit twice.
    Replicate,
    /// Bytes of {a, b} that the bytes of c select.
    Permute,

    // Integers and floating point
    /// a + b
    Add,
    /// a - b
    Sub,
    /// a * b, the low bits.
    Mul,
    /// a * b + c. Floating point rounds twice.
    MulAdd,
    /// a * b + c, rounded once.
    Fma,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// The least of three.
    Min3,
    /// The greatest of three.
    Max3,
    /// The middle one of three.
    Med3,

    // Integers
    /// a + b + carry
    AddCarry,
    /// a - b - borrow
    SubBorrow,
    /// a + b + c
    Add3,
    /// The high half of a * b.
    MulHigh,
    /// a * b of the low 24 bits.
    Mul24,
    /// The high 16 bits of such a product.
    MulHigh24,
    /// a * b + c with factors of 24 bits.
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
    /// Four sums of four bytes each, at four offsets in a, plus c.
    QuadSad,
    /// Four sums as of [`AluOp::QuadSad`], without bytes whose reference is 0.
    MaskedQuadSad,
    /// Byte by byte (a + b + the lowest bit of c) >> 1.
    LerpBytes,
    /// Both halves of a, limited to 0 to 255.
    SaturateBytes,
    /// a and b, limited to 16 bits each.
    SaturatePair,
    /// Products of elements of a and b, this many, and c added up.
    Dot(u8),

    // Floating point
    /// a * b; 0 times anything is 0.
    MulLegacy,
    /// a * b + c; 0 times anything is 0.
    MulAddLegacy,
    /// b if a comparison with NaN fails, else the lesser.
    MinLegacy,
    /// b if a comparison with NaN fails, else the greater.
    MaxLegacy,
    /// The product of specular lighting.
    MulLit,
    /// Rounded towards zero.
    Trunc,
    /// Rounded up.
    Ceil,
    /// Rounded down.
    Floor,
    /// Rounded to nearest even.
    RoundEven,
    /// a - floor(a)
    Fract,
    /// 2^a
    Exp2,
    /// log2(a)
    Log2,
    /// log2(a), finite.
    Log2Clamped,
    /// 1 / a
    Rcp,
    /// 1 / a, finite.
    RcpClamped,
    /// 1 / a, 0 in place of an infinity.
    RcpLegacy,
    /// 1 / sqrt(a)
    Rsq,
    /// 1 / sqrt(a), finite.
    RsqClamped,
    /// 1 / sqrt(a), 0 in place of an infinity.
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
    /// Scales a for a division of c by b.
    DivScale,
    /// a * b + c, scaled back where VCC says so.
    DivFmas,
    /// The quotient a of c divided by b, corrected in special cases.
    DivFixup,
    /// A part of 2 / pi for the reduction of large angles.
    TrigPreop,
    /// Face of a cube map.
    CubeFace,
    /// Coordinate S on that face.
    CubeS,
    /// Coordinate T on that face.
    CubeT,
    /// Twice the major coordinate.
    CubeMajor,
    /// A parameter, interpolated.
    Interpolate(Interpolation),

    // Conversions
    /// From a's type to the destination's.
    Convert,
    /// To an integer, rounded down.
    ConvertFloor,
    /// To an integer, floor(a + 0.5).
    ConvertNear,
    /// Four bits with sign, divided by 16.
    ConvertOffset,
    /// A byte of a, by number.
    ConvertByte(u8),
    /// a as a byte, to byte b of c.
    PutByte,
    /// From -1..=1 or 0..=1 to 16 bits.
    Normalize,
    /// a and b likewise.
    NormalizePair(Signedness),
    /// a and b cut off to half precision.
    TruncatePair,

    // Operations on operations
    /// The operation with a and b exchanged.
    Reversed(&'static AluOp),
    /// The operation on both halves of the sources, as elements of this type.
    Packed(&'static AluOp, Ty),
    /// The operation on sources of 32 or 16 bits each, to this half of the destination if it has 16 bits.
    Mix(&'static AluOp, Half),

    // State
    /// EXEC by a and EXEC; the destination gets the old one.
    SaveExec(Bitwise),
    /// EXEC by a and EXEC; the destination gets the new one.
    WriteExec(Bitwise),
    /// Address of the next instruction.
    GetPc,
    /// Bits of a hardware register.
    GetRegister,
    /// Sets bits of a hardware register.
    SetRegister,
    /// Clears the floating-point exceptions.
    ClearExceptions,
    /// MODE.VSKIP: bit b of a.
    SetVskip,
    /// Sets the index of VGPR indexing.
    SetIndex,
    /// Sets the index and turns VGPR indexing on.
    IndexOn,
    /// Shader engines that a tile of the screen belongs to.
    ScreenPartition,
}

impl AluOp {
    /// The operation as it is without an exchange of its first two sources, and true if they are exchanged.
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

    /// True if the operation counts or tests bits of a, whose width is not the result's.
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

    /// State that the operation uses beyond its operands, in a scalar or a vector instruction.
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
