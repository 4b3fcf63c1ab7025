//! Operations of ALU instructions, as far as checkers follow values through them.
//!
//! The operation belongs to the row: an instruction has the same one on every generation, whatever its name is there. The
//! matches have no wildcard, so that a new instruction does not compile until it has one.

use gcn_isa::Op;
use gcn_isa::sop::{Sop1, Sop2, Sopc, Sopk, Sopp};
use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::{Vop3, Vop3b, Vop3p};

use crate::integer_range::IntegerRange;

/// A bitwise operation of two sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bitwise {
    And,
    Or,
    Xor,
    /// The second source is inverted.
    AndNot,
    /// The second source is inverted.
    OrNot,
    /// The first source is inverted.
    NotAnd,
    /// The first source is inverted.
    NotOr,
    Nand,
    Nor,
    Xnor,
}

/// Direction of a shift, and what fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shift {
    Left,
    Right,
    /// To the right, by the sign.
    Arithmetic,
}

/// The operation of an instruction. SOPK instructions have their constant as the last source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    /// None of the others: any bit of a source may change any bit of the result.
    Other,
    /// The first source.
    Copy,
    /// The first source, inverted.
    Not,
    /// The first source with its bits in reverse order.
    ReverseBits,
    Bitwise(Bitwise),
    /// A bitwise operation of the first two sources, and another with the third.
    Bitwise3(Bitwise, Bitwise),
    /// The sum of two or three sources.
    Add,
    /// The sum of two sources and a carry.
    AddCarry,
    /// The first source minus the second.
    Subtract,
    /// The second source minus the first.
    SubtractReversed,
    /// The first source minus the second and a borrow.
    SubtractBorrow,
    /// The second source minus the first and a borrow.
    SubtractBorrowReversed,
    /// The low bits of a product.
    Multiply,
    /// The low bits of a product and a sum.
    MultiplyAdd,
    /// The same of the low 24 bits of the factors.
    Multiply24,
    /// The same of the low 24 bits of the factors.
    MultiplyAdd24,
    /// XOR of the first two sources, plus the third.
    XorAdd,
    /// The first source shifted by the second.
    Shift(Shift),
    /// The second source shifted by the first.
    ShiftReversed(Shift),
    /// The first source shifted to the left by the second, or the third.
    ShiftOr,
    /// The first source shifted to the left by the second, plus the third.
    ShiftAdd,
    /// The first source shifted to the left by this number, plus the second.
    ShiftByAdd(u32),
    /// The sum of the first two sources, shifted to the left by the third.
    AddShift,
    /// A field of the first source, with a sign or without: the second has its lowest bit, the third its width.
    Extract(bool),
    /// The same, where the second source has both numbers.
    ExtractPacked(bool),
    /// The low bits of the first source, this many, with their sign.
    SignExtend(u32),
    /// Bits of the second source where the first has ones, else of the third.
    BitSelect,
    /// The first two sources side by side, to the right by the third, in units of this many bits.
    Align(u32),
    /// Bytes of the first two sources as the third says.
    Permute,
    /// A number made of this byte of the first source.
    Byte(u32),
    /// Two halves, each made of one source.
    Pair,
    /// The same operation on both halves of the sources, as OP_SEL chooses them.
    Packed,
    /// A product and a sum of numbers of 32 or 16 bits, as OP_SEL_HI says of each source.
    Mixed,
    /// Halves of two scalar sources; true where it is the high one.
    Pack(bool, bool),
    /// The second source or the first, as the lane's bit of a mask says.
    Select,
    /// The first scalar source or the second, as SCC says.
    SelectScalar,
    /// The first scalar source if SCC says so.
    MoveScalar,
    /// A bit of the first scalar source, to SCC.
    TestBit,
    /// A bit of the destination set to a constant.
    SetBit,
    /// EXEC by the source and EXEC; the destination has the new one if this is true, else the old one.
    Exec(Bitwise, bool),
    /// Equality of scalar sources, or the contrary, to SCC.
    Equal,
    /// A lane of the source, to a scalar register.
    ReadLane,
    /// A scalar source, to a lane.
    WriteLane,
    /// Two registers exchanged.
    Swap,
    /// Bits of M0 for VGPR indexing.
    SetIndex,
    /// 1 divided by the source.
    Reciprocal,
    /// The last step of a division: the quotient, the denominator, the numerator.
    DivideFixup,
    /// A floating-point number, to an integer.
    ToInteger(IntegerRange),
    /// A floating-point number times a power of two.
    ScaleByPower,
}

impl Operation {
    /// The operation of an instruction.
    pub(crate) fn of(op: Op) -> Operation {
        match op {
            Op::Sop2(op) => sop2(op),
            Op::Sopk(op) => sopk(op),
            Op::Sop1(op) => sop1(op),
            Op::Sopc(op) => sopc(op),
            Op::Sopp(Sopp::S_SET_GPR_IDX_MODE) => Operation::SetIndex,
            Op::Vop1(op) => vop1(op),
            Op::Vop2(op) => vop2(op),
            Op::Vop3(op) => vop3(op),
            Op::Vop3b(op) => vop3b(op),
            Op::Vop3p(op) => vop3p(op),
            // Comparisons by lane, interpolation, and what is no ALU instruction.
            Op::Vopc(_) | Op::Vintrp(_) | Op::Vop3Interp(_) | Op::Sopp(_) => Operation::Other,
            Op::Smrd(_) | Op::Smem(_) | Op::Ds(_) | Op::Flat(_) | Op::Global(_) => Operation::Other,
            Op::Scratch(_) | Op::Mubuf(_) | Op::Mtbuf(_) | Op::Mimg(_) | Op::Exp(_) => {
                Operation::Other
            }
        }
    }

    /// True if two equal sources give one result, whatever they hold; a borrow may be added to it.
    pub(crate) fn cancels(self) -> bool {
        use Bitwise::{AndNot, NotAnd, NotOr, OrNot, Xnor, Xor};
        use Operation as It;
        matches!(
            self,
            It::Subtract
                | It::SubtractReversed
                | It::SubtractBorrow
                | It::SubtractBorrowReversed
                | It::XorAdd
                | It::Equal
                | It::Bitwise(Xor | Xnor | AndNot | OrNot | NotAnd | NotOr)
        )
    }
}

#[rustfmt::skip]
fn sop2(op: Sop2) -> Operation {
    use Bitwise::*;
    use Operation as It;
    use Sop2::*;
    match op {
        S_ADD_U32 | S_ADD_I32         => It::Add,
        S_SUB_U32 | S_SUB_I32         => It::Subtract,
        S_ADDC_U32                    => It::AddCarry,
        S_SUBB_U32                    => It::SubtractBorrow,
        S_MUL_I32                     => It::Multiply,
        S_CSELECT_B32 | S_CSELECT_B64 => It::SelectScalar,
        S_AND_B32 | S_AND_B64         => It::Bitwise(And),
        S_OR_B32 | S_OR_B64           => It::Bitwise(Or),
        S_XOR_B32 | S_XOR_B64         => It::Bitwise(Xor),
        S_ANDN2_B32 | S_ANDN2_B64     => It::Bitwise(AndNot),
        S_ORN2_B32 | S_ORN2_B64       => It::Bitwise(OrNot),
        S_NAND_B32 | S_NAND_B64       => It::Bitwise(Nand),
        S_NOR_B32 | S_NOR_B64         => It::Bitwise(Nor),
        S_XNOR_B32 | S_XNOR_B64       => It::Bitwise(Xnor),
        S_LSHL_B32 | S_LSHL_B64       => It::Shift(Shift::Left),
        S_LSHR_B32 | S_LSHR_B64       => It::Shift(Shift::Right),
        S_ASHR_I32 | S_ASHR_I64       => It::Shift(Shift::Arithmetic),
        S_BFE_U32 | S_BFE_U64         => It::ExtractPacked(false),
        S_BFE_I32 | S_BFE_I64         => It::ExtractPacked(true),
        S_LSHL1_ADD_U32               => It::ShiftByAdd(1),
        S_LSHL2_ADD_U32               => It::ShiftByAdd(2),
        S_LSHL3_ADD_U32               => It::ShiftByAdd(3),
        S_LSHL4_ADD_U32               => It::ShiftByAdd(4),
        S_PACK_LL_B32_B16             => It::Pack(false, false),
        S_PACK_LH_B32_B16             => It::Pack(false, true),
        S_PACK_HH_B32_B16             => It::Pack(true, true),
        S_MIN_I32 | S_MIN_U32 | S_MAX_I32 | S_MAX_U32 | S_ABSDIFF_I32 | S_MUL_HI_U32 | S_MUL_HI_I32
        | S_BFM_B32 | S_BFM_B64 | S_CBRANCH_G_FORK | S_RFE_RESTORE_B64 => It::Other,
    }
}

#[rustfmt::skip]
fn sopk(op: Sopk) -> Operation {
    use Operation as It;
    use Sopk::*;
    match op {
        S_MOVK_I32  => It::Copy,
        S_CMOVK_I32 => It::MoveScalar,
        S_ADDK_I32  => It::Add,
        S_MULK_I32  => It::Multiply,
        S_CMPK_EQ_I32 | S_CMPK_LG_I32 | S_CMPK_EQ_U32 | S_CMPK_LG_U32 => It::Equal,
        S_CMPK_GT_I32 | S_CMPK_GE_I32 | S_CMPK_LT_I32 | S_CMPK_LE_I32
        | S_CMPK_GT_U32 | S_CMPK_GE_U32 | S_CMPK_LT_U32 | S_CMPK_LE_U32
        | S_GETREG_B32 | S_GETREG_REGRD_B32 | S_SETREG_B32 | S_SETREG_IMM32_B32
        | S_CBRANCH_I_FORK | S_CALL_B64 => It::Other,
    }
}

#[rustfmt::skip]
fn sop1(op: Sop1) -> Operation {
    use Bitwise::*;
    use Operation as It;
    use Sop1::*;
    match op {
        S_MOV_B32 | S_MOV_B64 | S_MOV_REGRD_B32 | S_MOV_FED_B32
        | S_MOVRELS_B32 | S_MOVRELS_B64 | S_MOVRELD_B32 | S_MOVRELD_B64 => It::Copy,
        S_CMOV_B32 | S_CMOV_B64 => It::MoveScalar,
        S_NOT_B32 | S_NOT_B64   => It::Not,
        S_BREV_B32 | S_BREV_B64 => It::ReverseBits,
        S_SEXT_I32_I8           => It::SignExtend(8),
        S_SEXT_I32_I16          => It::SignExtend(16),
        S_BITSET0_B32 | S_BITSET0_B64 | S_BITSET1_B32 | S_BITSET1_B64 => It::SetBit,
        S_AND_SAVEEXEC_B64      => It::Exec(And, false),
        S_OR_SAVEEXEC_B64       => It::Exec(Or, false),
        S_XOR_SAVEEXEC_B64      => It::Exec(Xor, false),
        S_ANDN2_SAVEEXEC_B64    => It::Exec(AndNot, false),
        S_ORN2_SAVEEXEC_B64     => It::Exec(OrNot, false),
        S_NAND_SAVEEXEC_B64     => It::Exec(Nand, false),
        S_NOR_SAVEEXEC_B64      => It::Exec(Nor, false),
        S_XNOR_SAVEEXEC_B64     => It::Exec(Xnor, false),
        S_ANDN1_SAVEEXEC_B64    => It::Exec(NotAnd, false),
        S_ORN1_SAVEEXEC_B64     => It::Exec(NotOr, false),
        S_ANDN1_WREXEC_B64      => It::Exec(NotAnd, true),
        S_ANDN2_WREXEC_B64      => It::Exec(AndNot, true),
        S_SET_GPR_IDX_IDX       => It::SetIndex,
        S_WQM_B32 | S_WQM_B64 | S_QUADMASK_B32 | S_QUADMASK_B64 | S_BITREPLICATE_B64_B32
        | S_BCNT0_I32_B32 | S_BCNT0_I32_B64 | S_BCNT1_I32_B32 | S_BCNT1_I32_B64
        | S_FF0_I32_B32 | S_FF0_I32_B64 | S_FF1_I32_B32 | S_FF1_I32_B64
        | S_FLBIT_I32_B32 | S_FLBIT_I32_B64 | S_FLBIT_I32 | S_FLBIT_I32_I64 | S_ABS_I32
        | S_GETPC_B64 | S_SETPC_B64 | S_SWAPPC_B64 | S_RFE_B64 | S_CBRANCH_JOIN => It::Other,
    }
}

#[rustfmt::skip]
fn sopc(op: Sopc) -> Operation {
    use Operation as It;
    use Sopc::*;
    match op {
        S_CMP_EQ_I32 | S_CMP_LG_I32 | S_CMP_EQ_U32 | S_CMP_LG_U32 | S_CMP_EQ_U64 | S_CMP_LG_U64 => It::Equal,
        S_BITCMP0_B32 | S_BITCMP1_B32 | S_BITCMP0_B64 | S_BITCMP1_B64 => It::TestBit,
        S_SET_GPR_IDX_ON => It::SetIndex,
        S_CMP_GT_I32 | S_CMP_GE_I32 | S_CMP_LT_I32 | S_CMP_LE_I32
        | S_CMP_GT_U32 | S_CMP_GE_U32 | S_CMP_LT_U32 | S_CMP_LE_U32 | S_SETVSKIP => It::Other,
    }
}

#[rustfmt::skip]
fn vop1(op: Vop1) -> Operation {
    use Operation as It;
    use Vop1::*;
    match op {
        V_MOV_B32 | V_MOV_FED_B32 | V_MOVRELD_B32 | V_MOVRELS_B32 | V_MOVRELSD_B32 => It::Copy,
        V_NOT_B32           => It::Not,
        V_BFREV_B32         => It::ReverseBits,
        V_READFIRSTLANE_B32 => It::ReadLane,
        V_SWAP_B32          => It::Swap,
        V_CVT_F32_UBYTE0    => It::Byte(0),
        V_CVT_F32_UBYTE1    => It::Byte(1),
        V_CVT_F32_UBYTE2    => It::Byte(2),
        V_CVT_F32_UBYTE3    => It::Byte(3),
        V_RCP_F32 | V_RCP_IFLAG_F32 | V_RCP_F16 | V_RCP_F64 => It::Reciprocal,
        V_CVT_I32_F32 | V_CVT_I32_F64 => It::ToInteger(IntegerRange::I32),
        V_CVT_U32_F32 | V_CVT_U32_F64 => It::ToInteger(IntegerRange::U32),
        V_CVT_I16_F16       => It::ToInteger(IntegerRange::I16),
        V_CVT_U16_F16       => It::ToInteger(IntegerRange::U16),
        V_CVT_FLR_I32_F32   => It::ToInteger(IntegerRange::FloorI32),
        V_CVT_RPI_I32_F32   => It::ToInteger(IntegerRange::NearI32),
        // Results of a division by zero are finite, or 0.
        V_RCP_CLAMP_F32 | V_RCP_CLAMP_F64 | V_RCP_LEGACY_F32 => It::Other,
        V_NOP | V_CLREXCP
        | V_CVT_F64_I32 | V_CVT_F64_U32 | V_CVT_F64_F32 | V_CVT_F32_I32 | V_CVT_F32_U32 | V_CVT_F32_F64
        | V_CVT_F16_F32 | V_CVT_F32_F16 | V_CVT_F16_U16 | V_CVT_F16_I16 | V_CVT_OFF_F32_I4
        | V_CVT_NORM_I16_F16 | V_CVT_NORM_U16_F16 | V_SAT_PK_U8_I16 | V_SCREEN_PARTITION_4SE_B32
        | V_TRUNC_F64 | V_CEIL_F64 | V_RNDNE_F64 | V_FLOOR_F64 | V_FRACT_F64
        | V_TRUNC_F32 | V_CEIL_F32 | V_RNDNE_F32 | V_FLOOR_F32 | V_FRACT_F32
        | V_TRUNC_F16 | V_CEIL_F16 | V_RNDNE_F16 | V_FLOOR_F16 | V_FRACT_F16
        | V_EXP_F32 | V_EXP_LEGACY_F32 | V_EXP_F16 | V_LOG_F32 | V_LOG_CLAMP_F32 | V_LOG_LEGACY_F32 | V_LOG_F16
        | V_RSQ_F32 | V_RSQ_CLAMP_F32 | V_RSQ_LEGACY_F32 | V_RSQ_F64 | V_RSQ_CLAMP_F64 | V_RSQ_F16
        | V_SQRT_F32 | V_SQRT_F64 | V_SQRT_F16 | V_SIN_F32 | V_SIN_F16 | V_COS_F32 | V_COS_F16
        | V_FFBH_U32 | V_FFBL_B32 | V_FFBH_I32
        | V_FREXP_EXP_I32_F64 | V_FREXP_EXP_I32_F32 | V_FREXP_EXP_I16_F16
        | V_FREXP_MANT_F64 | V_FREXP_MANT_F32 | V_FREXP_MANT_F16 => It::Other,
    }
}

#[rustfmt::skip]
fn vop2(op: Vop2) -> Operation {
    use Bitwise::*;
    use Operation as It;
    use Vop2::*;
    match op {
        V_CNDMASK_B32   => It::Select,
        V_READLANE_B32  => It::ReadLane,
        V_WRITELANE_B32 => It::WriteLane,
        V_ADD_CO_U32 | V_ADD_U32 | V_ADD_U16 => It::Add,
        V_SUB_CO_U32 | V_SUB_U32 | V_SUB_U16 => It::Subtract,
        V_SUBREV_CO_U32 | V_SUBREV_U32 | V_SUBREV_U16 => It::SubtractReversed,
        V_ADDC_CO_U32    => It::AddCarry,
        V_SUBB_CO_U32    => It::SubtractBorrow,
        V_SUBBREV_CO_U32 => It::SubtractBorrowReversed,
        V_MUL_LO_U16     => It::Multiply,
        V_MUL_I32_I24 | V_MUL_U32_U24 => It::Multiply24,
        V_AND_B32        => It::Bitwise(And),
        V_OR_B32         => It::Bitwise(Or),
        V_XOR_B32        => It::Bitwise(Xor),
        V_XNOR_B32       => It::Bitwise(Xnor),
        V_LSHL_B32       => It::Shift(Shift::Left),
        V_LSHR_B32       => It::Shift(Shift::Right),
        V_ASHR_I32       => It::Shift(Shift::Arithmetic),
        V_LSHLREV_B32 | V_LSHLREV_B16 => It::ShiftReversed(Shift::Left),
        V_LSHRREV_B32 | V_LSHRREV_B16 => It::ShiftReversed(Shift::Right),
        V_ASHRREV_I32 | V_ASHRREV_I16 => It::ShiftReversed(Shift::Arithmetic),
        V_LDEXP_F32 | V_LDEXP_F16     => It::ScaleByPower,
        V_CVT_PKRTZ_F16_F32 | V_CVT_PKNORM_I16_F32 | V_CVT_PKNORM_U16_F32 | V_CVT_PK_U16_U32 | V_CVT_PK_I16_I32 => It::Pair,
        V_ADD_F32 | V_ADD_F16 | V_SUB_F32 | V_SUB_F16 | V_SUBREV_F32 | V_SUBREV_F16
        | V_MUL_F32 | V_MUL_F16 | V_MUL_LEGACY_F32 | V_MAC_F32 | V_MAC_F16 | V_MAC_LEGACY_F32 | V_FMAC_F32
        | V_MADMK_F32 | V_MADMK_F16 | V_MADAK_F32 | V_MADAK_F16
        | V_MIN_F32 | V_MIN_F16 | V_MIN_LEGACY_F32 | V_MAX_F32 | V_MAX_F16 | V_MAX_LEGACY_F32
        | V_MIN_I32 | V_MIN_U32 | V_MIN_I16 | V_MIN_U16 | V_MAX_I32 | V_MAX_U32 | V_MAX_I16 | V_MAX_U16
        | V_MUL_HI_I32_I24 | V_MUL_HI_U32_U24 | V_BFM_B32 | V_BCNT_U32_B32 | V_MBCNT_LO_U32_B32 | V_MBCNT_HI_U32_B32
        | V_CVT_PKACCUM_U8_F32 => It::Other,
    }
}

#[rustfmt::skip]
fn vop3(op: Vop3) -> Operation {
    use Bitwise::*;
    use Operation as It;
    use Vop3::*;
    match op {
        V_READLANE_B32  => It::ReadLane,
        V_WRITELANE_B32 => It::WriteLane,
        V_ADD_I32 | V_ADD_I16 | V_ADD3_U32 => It::Add,
        V_SUB_I32 | V_SUB_I16 => It::Subtract,
        V_MUL_LO_U32 | V_MUL_LO_I32 => It::Multiply,
        V_MAD_U16 | V_MAD_LEGACY_U16 | V_MAD_I16 | V_MAD_LEGACY_I16 | V_MAD_U32_U16 | V_MAD_I32_I16 => It::MultiplyAdd,
        V_MAD_I32_I24 | V_MAD_U32_U24 => It::MultiplyAdd24,
        V_XAD_U32       => It::XorAdd,
        V_AND_OR_B32    => It::Bitwise3(And, Or),
        V_OR3_B32       => It::Bitwise3(Or, Or),
        V_LSHL_B64      => It::Shift(Shift::Left),
        V_LSHR_B64      => It::Shift(Shift::Right),
        V_ASHR_I64      => It::Shift(Shift::Arithmetic),
        V_LSHLREV_B64   => It::ShiftReversed(Shift::Left),
        V_LSHRREV_B64   => It::ShiftReversed(Shift::Right),
        V_ASHRREV_I64   => It::ShiftReversed(Shift::Arithmetic),
        V_LSHL_OR_B32   => It::ShiftOr,
        V_LSHL_ADD_U32  => It::ShiftAdd,
        V_ADD_LSHL_U32  => It::AddShift,
        V_BFE_U32       => It::Extract(false),
        V_BFE_I32       => It::Extract(true),
        V_BFI_B32       => It::BitSelect,
        V_ALIGNBIT_B32  => It::Align(1),
        V_ALIGNBYTE_B32 => It::Align(8),
        V_PERM_B32      => It::Permute,
        V_LDEXP_F32 | V_LDEXP_F64 => It::ScaleByPower,
        V_DIV_FIXUP_F32 | V_DIV_FIXUP_F64 | V_DIV_FIXUP_F16 | V_DIV_FIXUP_LEGACY_F16 => It::DivideFixup,
        V_CVT_PKRTZ_F16_F32 | V_CVT_PKNORM_I16_F32 | V_CVT_PKNORM_U16_F32 | V_CVT_PKNORM_I16_F16 | V_CVT_PKNORM_U16_F16
        | V_CVT_PK_U16_U32 | V_CVT_PK_I16_I32 | V_PACK_B32_F16 => It::Pair,
        V_MAD_LEGACY_F32 | V_MAD_F32 | V_MAD_F16 | V_MAD_LEGACY_F16 | V_FMA_F32 | V_FMA_F64 | V_FMA_F16 | V_FMA_LEGACY_F16
        | V_ADD_F64 | V_MUL_F64 | V_MIN_F64 | V_MAX_F64 | V_MULLIT_F32
        | V_CUBEID_F32 | V_CUBESC_F32 | V_CUBETC_F32 | V_CUBEMA_F32
        | V_MIN3_F32 | V_MIN3_I32 | V_MIN3_U32 | V_MIN3_F16 | V_MIN3_I16 | V_MIN3_U16
        | V_MAX3_F32 | V_MAX3_I32 | V_MAX3_U32 | V_MAX3_F16 | V_MAX3_I16 | V_MAX3_U16
        | V_MED3_F32 | V_MED3_I32 | V_MED3_U32 | V_MED3_F16 | V_MED3_I16 | V_MED3_U16
        | V_LERP_U8 | V_SAD_U8 | V_SAD_HI_U8 | V_SAD_U16 | V_SAD_U32 | V_MSAD_U8 | V_QSAD_PK_U16_U8 | V_MQSAD_PK_U16_U8 | V_MQSAD_U32_U8
        | V_CVT_PK_U8_F32 | V_CVT_PKACCUM_U8_F32 | V_MUL_HI_U32 | V_MUL_HI_I32 | V_DIV_FMAS_F32 | V_DIV_FMAS_F64 | V_TRIG_PREOP_F64
        | V_BFM_B32 | V_BCNT_U32_B32 | V_MBCNT_LO_U32_B32 | V_MBCNT_HI_U32_B32 => It::Other,
    }
}

#[rustfmt::skip]
fn vop3b(op: Vop3b) -> Operation {
    use Operation as It;
    use Vop3b::*;
    match op {
        V_MAD_U64_U32 | V_MAD_I64_I32     => It::MultiplyAdd,
        V_DIV_SCALE_F32 | V_DIV_SCALE_F64 => It::Other,
    }
}

#[rustfmt::skip]
fn vop3p(op: Vop3p) -> Operation {
    use Operation as It;
    use Vop3p::*;
    match op {
        V_PK_MAD_I16 | V_PK_MAD_U16 | V_PK_MUL_LO_U16 | V_PK_ADD_I16 | V_PK_ADD_U16 | V_PK_SUB_I16 | V_PK_SUB_U16
        | V_PK_LSHLREV_B16 | V_PK_LSHRREV_B16 | V_PK_ASHRREV_I16 | V_PK_MAX_I16 | V_PK_MAX_U16 | V_PK_MIN_I16 | V_PK_MIN_U16
        | V_PK_FMA_F16 | V_PK_ADD_F16 | V_PK_MUL_F16 | V_PK_MIN_F16 | V_PK_MAX_F16 => It::Packed,
        V_MAD_MIX_F32 | V_MAD_MIXLO_F16 | V_MAD_MIXHI_F16 | V_FMA_MIX_F32 | V_FMA_MIXLO_F16 | V_FMA_MIXHI_F16 => It::Mixed,
        V_DOT2_F32_F16 | V_DOT2_I32_I16 | V_DOT2_U32_U16 | V_DOT4_I32_I8 | V_DOT4_U32_U8 | V_DOT8_I32_I4 | V_DOT8_U32_U4 => It::Other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use gcn_isa::meaning::meaning;
    use gcn_isa::rows;

    use super::*;

    /// The texts do not say how a shift to the right fills: that is the type's.
    fn without_fill(operation: Operation) -> Operation {
        match operation {
            Operation::Shift(Shift::Arithmetic) => Operation::Shift(Shift::Right),
            Operation::ShiftReversed(Shift::Arithmetic) => Operation::ShiftReversed(Shift::Right),
            it => it,
        }
    }

    /// The text of an instruction's result, the same for scalar and vector ones.
    fn result(code: &str) -> String {
        let end = ["; scc = ", "; sdst[lane] = "].map(|it| code.find(it).unwrap_or(code.len()));
        let result = &code[..end[0].min(end[1])];
        result.replace("ssrc", "src").replace("sdst", "vdst")
    }

    #[test]
    fn instructions_of_one_meaning_have_one_operation() {
        let mut first_of: HashMap<String, (&str, Operation)> = HashMap::new();
        let mut compared = 0;
        for row in rows() {
            let Some(meaning) = meaning(row.op()).filter(|it| it.is_exact) else {
                continue;
            };
            let operation = without_fill(Operation::of(row.op()));
            let entry = first_of.entry(result(meaning.code));
            let (name, first) = *entry.or_insert((row.name, operation));
            assert_eq!(
                first, operation,
                "{name} and {}: {}",
                row.name, meaning.code
            );
            compared += 1;
        }
        assert!(compared > 200, "{compared} instructions");
    }
}
