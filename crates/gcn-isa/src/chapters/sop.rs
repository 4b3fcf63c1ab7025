//! SOP2, SOPK, SOP1, SOPC, SOPP: scalar ALU and program control. Field maps, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Scalar ALU Operations".

use crate::effect::{
    AluOp::*, Bitwise::*, Condition, Control, Does::*, Half::*, Implicit, Relative::*, Shift::*,
    Test::*,
};
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::family;
use crate::target::on;

#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format {
        encoding: Encoding::Sop2, on: on::SI, dwords: 1, constant: &[(30, 2, 0b10)],
        fields: &[(Field::Ssrc0, 0, 8), (Field::Ssrc1, 8, 8), (Field::Sdst, 16, 7), (Field::Op, 23, 7)],
    },
    Format {
        encoding: Encoding::Sopk, on: on::SI, dwords: 1, constant: &[(28, 4, 0b1011)],
        fields: &[(Field::Simm16, 0, 16), (Field::Sdst, 16, 7), (Field::Op, 23, 5), (Field::Literal, 32, 32)],
    },
    Format {
        encoding: Encoding::Sop1, on: on::SI, dwords: 1, constant: &[(23, 9, 0b1_0111_1101)],
        fields: &[(Field::Ssrc0, 0, 8), (Field::Op, 8, 8), (Field::Sdst, 16, 7)],
    },
    Format {
        encoding: Encoding::Sopc, on: on::SI, dwords: 1, constant: &[(23, 9, 0b1_0111_1110)],
        fields: &[(Field::Ssrc0, 0, 8), (Field::Ssrc1, 8, 8), (Field::Op, 16, 7)],
    },
    Format {
        encoding: Encoding::Sopp, on: on::SI, dwords: 1, constant: &[(23, 9, 0b1_0111_1111)],
        fields: &[(Field::Simm16, 0, 16), (Field::Op, 16, 7)],
    },
];

const SCC: Implicit = Implicit::WRITES_SCC;

// Interpretations of SIMM16.
#[allow(non_upper_case_globals)]
mod simm16 {
    use crate::operand::words::Simm;
    use crate::operand::{Kind, Written};

    pub const Simm16: Written = Simm(Kind::Simm16);
    pub const Uimm16: Written = Simm(Kind::Unsigned);
    pub const Target: Written = Simm(Kind::Branch);
    pub const Hwreg: Written = Simm(Kind::Hwreg);
    pub const Counters: Written = Simm(Kind::Waitcnt);
    pub const Message: Written = Simm(Kind::SendMsg);
    pub const GprIndexes: Written = Simm(Kind::GprIndex);
}
use simm16::*;

#[rustfmt::skip]
family! {
    /// SOP2 instructions.
    Sop2 in SOP2;
//  instruction       si,ci vi,9 on   written as                          does
    S_ADD_U32         0x00 0x00 SI   [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(Add);
    S_SUB_U32         0x01 0x01 SI   [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(Sub);
    S_ADD_I32         0x02 0x02 SI   [SDst(I32), SSrc0(I32), SSrc1(I32)] Alu(Add);
    S_SUB_I32         0x03 0x03 SI   [SDst(I32), SSrc0(I32), SSrc1(I32)] Alu(Sub);
    S_ADDC_U32        0x04 0x04 SI   [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(AddCarry);
    S_SUBB_U32        0x05 0x05 SI   [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(SubBorrow);
    S_MIN_I32         0x06 0x06 SI   [SDst(I32), SSrc0(I32), SSrc1(I32)] Alu(Min);
    S_MIN_U32         0x07 0x07 SI   [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(Min);
    S_MAX_I32         0x08 0x08 SI   [SDst(I32), SSrc0(I32), SSrc1(I32)] Alu(Max);
    S_MAX_U32         0x09 0x09 SI   [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(Max);
    S_CSELECT_B32     0x0a 0x0a SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Select);
    S_CSELECT_B64     0x0b 0x0b SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Select);
    S_AND_B32         0x0e 0x0c SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Bitwise(And));
    S_AND_B64         0x0f 0x0d SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Bitwise(And));
    S_OR_B32          0x10 0x0e SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Bitwise(Or));
    S_OR_B64          0x11 0x0f SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Bitwise(Or));
    S_XOR_B32         0x12 0x10 SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Bitwise(Xor));
    S_XOR_B64         0x13 0x11 SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Bitwise(Xor));
    S_ANDN2_B32       0x14 0x12 SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Bitwise(AndNot));
    S_ANDN2_B64       0x15 0x13 SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Bitwise(AndNot));
    S_ORN2_B32        0x16 0x14 SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Bitwise(OrNot));
    S_ORN2_B64        0x17 0x15 SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Bitwise(OrNot));
    S_NAND_B32        0x18 0x16 SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Bitwise(Nand));
    S_NAND_B64        0x19 0x17 SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Bitwise(Nand));
    S_NOR_B32         0x1a 0x18 SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Bitwise(Nor));
    S_NOR_B64         0x1b 0x19 SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Bitwise(Nor));
    S_XNOR_B32        0x1c 0x1a SI   [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Bitwise(Xnor));
    S_XNOR_B64        0x1d 0x1b SI   [SDst(B64), SSrc0(B64), SSrc1(B64)] Alu(Bitwise(Xnor));
    S_LSHL_B32        0x1e 0x1c SI   [SDst(B32), SSrc0(B32), SSrc1(U32)] Alu(Shift(Left));
    S_LSHL_B64        0x1f 0x1d SI   [SDst(B64), SSrc0(B64), SSrc1(U32)] Alu(Shift(Left));
    S_LSHR_B32        0x20 0x1e SI   [SDst(B32), SSrc0(B32), SSrc1(U32)] Alu(Shift(Right));
    S_LSHR_B64        0x21 0x1f SI   [SDst(B64), SSrc0(B64), SSrc1(U32)] Alu(Shift(Right));
    S_ASHR_I32        0x22 0x20 SI   [SDst(I32), SSrc0(I32), SSrc1(U32)] Alu(Shift(Arithmetic));
    S_ASHR_I64        0x23 0x21 SI   [SDst(I64), SSrc0(I64), SSrc1(U32)] Alu(Shift(Arithmetic));
    S_BFM_B32         0x24 0x22 SI   [SDst(B32), SSrc0(U32), SSrc1(U32)] Alu(FieldMask);
    S_BFM_B64         0x25 0x23 SI   [SDst(B64), SSrc0(U32), SSrc1(U32)] Alu(FieldMask);
    S_MUL_I32         0x26 0x24 SI   [SDst(I32), SSrc0(I32), SSrc1(I32)] Alu(Mul);
    S_BFE_U32         0x27 0x25 SI   [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(ExtractPacked);
    S_BFE_I32         0x28 0x26 SI   [SDst(I32), SSrc0(I32), SSrc1(U32)] Alu(ExtractPacked);
    S_BFE_U64         0x29 0x27 SI   [SDst(U64), SSrc0(U64), SSrc1(U32)] Alu(ExtractPacked);
    S_BFE_I64         0x2a 0x28 SI   [SDst(I64), SSrc0(I64), SSrc1(U32)] Alu(ExtractPacked);
    S_CBRANCH_G_FORK  0x2b 0x29 SI   [SSrc0(B64), SSrc1(B64)]            Fork;
    S_ABSDIFF_I32     0x2c 0x2a SI   [SDst(I32), SSrc0(I32), SSrc1(I32)] Alu(AbsDiff);
    S_RFE_RESTORE_B64 _    0x2b VI   [SSrc0(B64), SSrc1(B32)]            ReturnFromTrap;
    S_MUL_HI_U32      _    0x2c GFX9 [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(MulHigh);
    S_MUL_HI_I32      _    0x2d GFX9 [SDst(I32), SSrc0(I32), SSrc1(I32)] Alu(MulHigh);
    S_LSHL1_ADD_U32   _    0x2e GFX9 [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(ShiftByAdd(1));
    S_LSHL2_ADD_U32   _    0x2f GFX9 [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(ShiftByAdd(2));
    S_LSHL3_ADD_U32   _    0x30 GFX9 [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(ShiftByAdd(3));
    S_LSHL4_ADD_U32   _    0x31 GFX9 [SDst(U32), SSrc0(U32), SSrc1(U32)] Alu(ShiftByAdd(4));
    S_PACK_LL_B32_B16 _    0x32 GFX9 [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Pack(Low, Low));
    S_PACK_LH_B32_B16 _    0x33 GFX9 [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Pack(Low, High));
    S_PACK_HH_B32_B16 _    0x34 GFX9 [SDst(B32), SSrc0(B32), SSrc1(B32)] Alu(Pack(High, High));
}

#[rustfmt::skip]
family! {
    /// SOPK instructions.
    Sopk in SOPK;
//  instruction        si,ci vi,9 on   written as                    does
    S_MOVK_I32         0x00 0x00 SI   [SDst(I32), Simm16]           Alu(Move);
    S_CMOVK_I32        0x02 0x01 SI   [SDst(I32), Simm16]           Alu(MoveIf);
    S_CMPK_EQ_I32      0x03 0x02 SI   [SStored(I32), Simm16]        Compare(Eq, SCC);
    S_CMPK_LG_I32      0x04 0x03 SI   [SStored(I32), Simm16]        Compare(Lg, SCC);
    S_CMPK_GT_I32      0x05 0x04 SI   [SStored(I32), Simm16]        Compare(Gt, SCC);
    S_CMPK_GE_I32      0x06 0x05 SI   [SStored(I32), Simm16]        Compare(Ge, SCC);
    S_CMPK_LT_I32      0x07 0x06 SI   [SStored(I32), Simm16]        Compare(Lt, SCC);
    S_CMPK_LE_I32      0x08 0x07 SI   [SStored(I32), Simm16]        Compare(Le, SCC);
    S_CMPK_EQ_U32      0x09 0x08 SI   [SStored(U32), Simm16]        Compare(Eq, SCC);
    S_CMPK_LG_U32      0x0a 0x09 SI   [SStored(U32), Simm16]        Compare(Lg, SCC);
    S_CMPK_GT_U32      0x0b 0x0a SI   [SStored(U32), Simm16]        Compare(Gt, SCC);
    S_CMPK_GE_U32      0x0c 0x0b SI   [SStored(U32), Simm16]        Compare(Ge, SCC);
    S_CMPK_LT_U32      0x0d 0x0c SI   [SStored(U32), Simm16]        Compare(Lt, SCC);
    S_CMPK_LE_U32      0x0e 0x0d SI   [SStored(U32), Simm16]        Compare(Le, SCC);
    S_ADDK_I32         0x0f 0x0e SI   [SDst(I32).updated(), Simm16] Alu(Add);
    S_MULK_I32         0x10 0x0f SI   [SDst(I32).updated(), Simm16] Alu(Mul);
    S_CBRANCH_I_FORK   0x11 0x10 SI   [SStored(B64), Target]        Fork;
    S_GETREG_B32       0x12 0x11 SI   [SDst(B32), Hwreg]            Alu(GetRegister);
    S_SETREG_B32       0x13 0x12 SI   [Hwreg, SStored(B32)]         Alu(SetRegister);
    S_GETREG_REGRD_B32 0x14 0x13 SI   [SDst(B32), Hwreg]            Alu(GetRegister), lacking ALL;
    S_SETREG_IMM32_B32 0x15 0x14 SI   [Hwreg, K]                    Alu(SetRegister);
    S_CALL_B64         _    0x15 GFX9 [SDst(B64), Target]           Branch(Condition::Always);
}

#[rustfmt::skip]
family! {
    /// SOP1 instructions.
    Sop1 in SOP1;
//  instruction            si,ci vi,9 on   written as                        does
    S_MOV_B32              0x03 0x00 SI   [SDst(B32), SSrc0(B32)]           Alu(Move);
    S_MOV_B64              0x04 0x01 SI   [SDst(B64), SSrc0(B64)]           Alu(Move);
    S_CMOV_B32             0x05 0x02 SI   [SDst(B32), SSrc0(B32)]           Alu(MoveIf);
    S_CMOV_B64             0x06 0x03 SI   [SDst(B64), SSrc0(B64)]           Alu(MoveIf);
    S_NOT_B32              0x07 0x04 SI   [SDst(B32), SSrc0(B32)]           Alu(Not);
    S_NOT_B64              0x08 0x05 SI   [SDst(B64), SSrc0(B64)]           Alu(Not);
    S_WQM_B32              0x09 0x06 SI   [SDst(B32), SSrc0(B32)]           Alu(WholeQuads);
    S_WQM_B64              0x0a 0x07 SI   [SDst(B64), SSrc0(B64)]           Alu(WholeQuads);
    S_BREV_B32             0x0b 0x08 SI   [SDst(B32), SSrc0(B32)]           Alu(ReverseBits);
    S_BREV_B64             0x0c 0x09 SI   [SDst(B64), SSrc0(B64)]           Alu(ReverseBits);
    S_BCNT0_I32_B32        0x0d 0x0a SI   [SDst(I32), SSrc0(B32)]           Alu(CountZeros);
    S_BCNT0_I32_B64        0x0e 0x0b SI   [SDst(I32), SSrc0(B64)]           Alu(CountZeros);
    S_BCNT1_I32_B32        0x0f 0x0c SI   [SDst(I32), SSrc0(B32)]           Alu(CountOnes);
    S_BCNT1_I32_B64        0x10 0x0d SI   [SDst(I32), SSrc0(B64)]           Alu(CountOnes);
    S_FF0_I32_B32          0x11 0x0e SI   [SDst(I32), SSrc0(B32)]           Alu(FindLowestZero);
    S_FF0_I32_B64          0x12 0x0f SI   [SDst(I32), SSrc0(B64)]           Alu(FindLowestZero);
    S_FF1_I32_B32          0x13 0x10 SI   [SDst(I32), SSrc0(B32)]           Alu(FindLowestOne);
    S_FF1_I32_B64          0x14 0x11 SI   [SDst(I32), SSrc0(B64)]           Alu(FindLowestOne);
    S_FLBIT_I32_B32        0x15 0x12 SI   [SDst(I32), SSrc0(B32)]           Alu(LeadingZeros);
    S_FLBIT_I32_B64        0x16 0x13 SI   [SDst(I32), SSrc0(B64)]           Alu(LeadingZeros);
    S_FLBIT_I32            0x17 0x14 SI   [SDst(I32), SSrc0(I32)]           Alu(LeadingSigns);
    S_FLBIT_I32_I64        0x18 0x15 SI   [SDst(I32), SSrc0(I64)]           Alu(LeadingSigns);
    S_SEXT_I32_I8          0x19 0x16 SI   [SDst(I32), SSrc0(B32)]            Alu(SignExtend(8));
    S_SEXT_I32_I16         0x1a 0x17 SI   [SDst(I32), SSrc0(B32)]           Alu(SignExtend(16));
    S_BITSET0_B32          0x1b 0x18 SI   [SDst(B32).updated(), SSrc0(U32)] Alu(SetBit(false));
    S_BITSET0_B64          0x1c 0x19 SI   [SDst(B64).updated(), SSrc0(U32)] Alu(SetBit(false));
    S_BITSET1_B32          0x1d 0x1a SI   [SDst(B32).updated(), SSrc0(U32)] Alu(SetBit(true));
    S_BITSET1_B64          0x1e 0x1b SI   [SDst(B64).updated(), SSrc0(U32)] Alu(SetBit(true));
    S_GETPC_B64            0x1f 0x1c SI   [SDst(B64)]                       Alu(GetPc);
    S_SETPC_B64            0x20 0x1d SI   [SReg0(B64)]                      Jump;
    S_SWAPPC_B64           0x21 0x1e SI   [SDst(B64), SSrc0(B64)]           Jump;
    S_RFE_B64              0x22 0x1f SI   [SReg0(B64)]                      ReturnFromTrap;
    S_AND_SAVEEXEC_B64     0x24 0x20 SI   [SDst(B64), SSrc0(B64)]           Alu(SaveExec(And));
    S_OR_SAVEEXEC_B64      0x25 0x21 SI   [SDst(B64), SSrc0(B64)]           Alu(SaveExec(Or));
    S_XOR_SAVEEXEC_B64     0x26 0x22 SI   [SDst(B64), SSrc0(B64)]           Alu(SaveExec(Xor));
    S_ANDN2_SAVEEXEC_B64   0x27 0x23 SI   [SDst(B64), SSrc0(B64)]           Alu(SaveExec(AndNot));
    S_ORN2_SAVEEXEC_B64    0x28 0x24 SI   [SDst(B64), SSrc0(B64)]           Alu(SaveExec(OrNot));
    S_NAND_SAVEEXEC_B64    0x29 0x25 SI   [SDst(B64), SSrc0(B64)]           Alu(SaveExec(Nand));
    S_NOR_SAVEEXEC_B64     0x2a 0x26 SI   [SDst(B64), SSrc0(B64)]           Alu(SaveExec(Nor));
    S_XNOR_SAVEEXEC_B64    0x2b 0x27 SI   [SDst(B64), SSrc0(B64)]           Alu(SaveExec(Xnor));
    S_QUADMASK_B32         0x2c 0x28 SI   [SDst(B32), SSrc0(B32)]           Alu(QuadMask);
    S_QUADMASK_B64         0x2d 0x29 SI   [SDst(B64), SSrc0(B64)]           Alu(QuadMask);
    S_MOVRELS_B32          0x2e 0x2a SI   [SDst(B32), SReg0(B32)]           Alu(MoveRelative(Source));
    S_MOVRELS_B64          0x2f 0x2b SI   [SDst(B64), SReg0(B64)]           Alu(MoveRelative(Source));
    S_MOVRELD_B32          0x30 0x2c SI   [SDst(B32), SSrc0(B32)]           Alu(MoveRelative(Destination));
    S_MOVRELD_B64          0x31 0x2d SI   [SDst(B64), SSrc0(B64)]           Alu(MoveRelative(Destination));
    S_CBRANCH_JOIN         0x32 0x2e SI   [SReg0(B32)]                      Fork;
    S_MOV_REGRD_B32        0x33 0x2f SI   [SDst(B32), SSrc0(B32)]           Alu(Move), lacking ALL;
    S_ABS_I32              0x34 0x30 SI   [SDst(I32), SSrc0(I32)]           Alu(Abs);
    S_MOV_FED_B32          0x35 0x31 SI   [SDst(B32), SSrc0(B32)]           Alu(Move), lacking ALL;
    S_SET_GPR_IDX_IDX      _    0x32 VI   [SSrc0(B32)]                      Alu(SetIndex);
    S_ANDN1_SAVEEXEC_B64   _    0x33 GFX9 [SDst(B64), SSrc0(B64)]           Alu(SaveExec(NotAnd));
    S_ORN1_SAVEEXEC_B64    _    0x34 GFX9 [SDst(B64), SSrc0(B64)]           Alu(SaveExec(NotOr));
    S_ANDN1_WREXEC_B64     _    0x35 GFX9 [SDst(B64), SSrc0(B64)]           Alu(WriteExec(NotAnd));
    S_ANDN2_WREXEC_B64     _    0x36 GFX9 [SDst(B64), SSrc0(B64)]           Alu(WriteExec(AndNot));
    S_BITREPLICATE_B64_B32 _    0x37 GFX9 [SDst(B64), SSrc0(B32)]           Alu(Replicate);
}

#[rustfmt::skip]
family! {
    /// SOPC instructions.
    Sopc in SOPC;
//  instruction      si,ci vi,9 on written as               does
    S_CMP_EQ_I32     0x00 0x00 SI [SSrc0(I32), SSrc1(I32)] Compare(Eq, SCC);
    S_CMP_LG_I32     0x01 0x01 SI [SSrc0(I32), SSrc1(I32)] Compare(Lg, SCC);
    S_CMP_GT_I32     0x02 0x02 SI [SSrc0(I32), SSrc1(I32)] Compare(Gt, SCC);
    S_CMP_GE_I32     0x03 0x03 SI [SSrc0(I32), SSrc1(I32)] Compare(Ge, SCC);
    S_CMP_LT_I32     0x04 0x04 SI [SSrc0(I32), SSrc1(I32)] Compare(Lt, SCC);
    S_CMP_LE_I32     0x05 0x05 SI [SSrc0(I32), SSrc1(I32)] Compare(Le, SCC);
    S_CMP_EQ_U32     0x06 0x06 SI [SSrc0(U32), SSrc1(U32)] Compare(Eq, SCC);
    S_CMP_LG_U32     0x07 0x07 SI [SSrc0(U32), SSrc1(U32)] Compare(Lg, SCC);
    S_CMP_GT_U32     0x08 0x08 SI [SSrc0(U32), SSrc1(U32)] Compare(Gt, SCC);
    S_CMP_GE_U32     0x09 0x09 SI [SSrc0(U32), SSrc1(U32)] Compare(Ge, SCC);
    S_CMP_LT_U32     0x0a 0x0a SI [SSrc0(U32), SSrc1(U32)] Compare(Lt, SCC);
    S_CMP_LE_U32     0x0b 0x0b SI [SSrc0(U32), SSrc1(U32)] Compare(Le, SCC);
    S_BITCMP0_B32    0x0c 0x0c SI [SSrc0(B32), SSrc1(U32)] Alu(TestBit(false));
    S_BITCMP1_B32    0x0d 0x0d SI [SSrc0(B32), SSrc1(U32)] Alu(TestBit(true));
    S_BITCMP0_B64    0x0e 0x0e SI [SSrc0(B64), SSrc1(U32)] Alu(TestBit(false));
    S_BITCMP1_B64    0x0f 0x0f SI [SSrc0(B64), SSrc1(U32)] Alu(TestBit(true));
    S_SETVSKIP       0x10 0x10 SI [SSrc0(B32), SSrc1(U32)] Alu(SetVskip);
    S_SET_GPR_IDX_ON _    0x11 VI [SSrc0(B32), GprIndex]   Alu(IndexOn);
    S_CMP_EQ_U64     _    0x12 VI [SSrc0(U64), SSrc1(U64)] Compare(Eq, SCC);
    S_CMP_LG_U64     _    0x13 VI [SSrc0(U64), SSrc1(U64)] Compare(Lg, SCC);
}

#[rustfmt::skip]
family! {
    /// SOPP instructions.
    Sopp in SOPP;
//  instruction                si,ci vi,9 on   written as          does
    S_NOP                      0x00 0x00 SI   [Uimm16]            Control(Control::Nop);
    S_ENDPGM                   0x01 0x01 SI   [Uimm16.optional()] Control(Control::End);
    S_BRANCH                   0x02 0x02 SI   [Target]            Branch(Condition::Always);
    S_WAKEUP                   _    0x03 VI   []                  Control(Control::Wakeup);
    S_CBRANCH_SCC0             0x04 0x04 SI   [Target]            Branch(Condition::Scc0);
    S_CBRANCH_SCC1             0x05 0x05 SI   [Target]            Branch(Condition::Scc1);
    S_CBRANCH_VCCZ             0x06 0x06 SI   [Target]            Branch(Condition::VccZero);
    S_CBRANCH_VCCNZ            0x07 0x07 SI   [Target]            Branch(Condition::VccNotZero);
    S_CBRANCH_EXECZ            0x08 0x08 SI   [Target]            Branch(Condition::ExecZero);
    S_CBRANCH_EXECNZ           0x09 0x09 SI   [Target]            Branch(Condition::ExecNotZero);
    S_BARRIER                  0x0a 0x0a SI   []                  Control(Control::Barrier);
    S_SETKILL                  0x0b 0x0b CI   [Uimm16]            Control(Control::SetKill);
    S_WAITCNT                  0x0c 0x0c SI   [Counters]          Control(Control::Waitcnt);
    S_SETHALT                  0x0d 0x0d SI   [Uimm16]            Control(Control::SetHalt);
    S_SLEEP                    0x0e 0x0e SI   [Uimm16]            Control(Control::Sleep);
    S_SETPRIO                  0x0f 0x0f SI   [Uimm16]            Control(Control::SetPrio);
    S_SENDMSG                  0x10 0x10 SI   [Message]           Control(Control::SendMsg { halt: false });
    S_SENDMSGHALT              0x11 0x11 SI   [Message]           Control(Control::SendMsg { halt: true });
    S_TRAP                     0x12 0x12 SI   [Uimm16]            Control(Control::Trap);
    S_ICACHE_INV               0x13 0x13 SI   []                  Control(Control::CacheInvalidate);
    S_INCPERFLEVEL             0x14 0x14 SI   [Uimm16]            Control(Control::PerfCount);
    S_DECPERFLEVEL             0x15 0x15 SI   [Uimm16]            Control(Control::PerfCount);
    S_TTRACEDATA               0x16 0x16 SI   []                  Control(Control::TraceData);
    S_CBRANCH_CDBGSYS          0x17 0x17 CI   [Target]            Branch(Condition::Debugger);
    S_CBRANCH_CDBGUSER         0x18 0x18 CI   [Target]            Branch(Condition::Debugger);
    S_CBRANCH_CDBGSYS_OR_USER  0x19 0x19 CI   [Target]            Branch(Condition::Debugger);
    S_CBRANCH_CDBGSYS_AND_USER 0x1a 0x1a CI   [Target]            Branch(Condition::Debugger);
    S_ENDPGM_SAVED             _    0x1b VI   []                  Control(Control::End);
    S_SET_GPR_IDX_OFF          _    0x1c VI   []                  Control(Control::GprIndexOff);
    S_SET_GPR_IDX_MODE         _    0x1d VI   [GprIndexes]        Control(Control::GprIndexMode);
    S_ENDPGM_ORDERED_PS_DONE   _    0x1e GFX9 []                  Control(Control::End);
}
