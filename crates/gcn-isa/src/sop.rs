//! SOP2, SOPK, SOP1, SOPC, SOPP: scalar ALU and program control. Field maps, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Scalar ALU Operations".

use crate::effect::{Condition, Control, Does::*, Implicit};
use crate::field::{Encoding, Field, Format};
use crate::operand::{Kind, Ty::*, words::*};
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
const CARRY: Implicit = Implicit::READS_SCC.and(Implicit::WRITES_SCC);
const NONE: Implicit = Implicit::NONE;

#[rustfmt::skip]
family! {
    /// SOP2 instructions.
    Sop2 in SOP2;
//  instruction              si,ci vi,9 on    written as                              does
    S_ADD_U32                0x00 0x00 SI    [SDst(U32), SSrc0(U32), SSrc1(U32)]     Alu(SCC);
    S_SUB_U32                0x01 0x01 SI    [SDst(U32), SSrc0(U32), SSrc1(U32)]     Alu(SCC);
    S_ADD_I32                0x02 0x02 SI    [SDst(I32), SSrc0(I32), SSrc1(I32)]     Alu(SCC);
    S_SUB_I32                0x03 0x03 SI    [SDst(I32), SSrc0(I32), SSrc1(I32)]     Alu(SCC);
    S_ADDC_U32               0x04 0x04 SI    [SDst(U32), SSrc0(U32), SSrc1(U32)]     Alu(CARRY);
    S_SUBB_U32               0x05 0x05 SI    [SDst(U32), SSrc0(U32), SSrc1(U32)]     Alu(CARRY);
    S_AND_B32                0x0e 0x0c SI    [SDst(B32), SSrc0(B32), SSrc1(B32)]     Alu(SCC);
    S_AND_B64                0x0f 0x0d SI    [SDst(B64), SSrc0(B64), SSrc1(B64)]     Alu(SCC);
    S_LSHL_B32               0x1e 0x1c SI    [SDst(B32), SSrc0(B32), SSrc1(U32)]     Alu(SCC);
    S_MUL_I32                0x26 0x24 SI    [SDst(I32), SSrc0(I32), SSrc1(I32)]     Alu(NONE);
}

#[rustfmt::skip]
family! {
    /// SOPK instructions.
    Sopk in SOPK;
//  instruction              si,ci vi,9 on    written as                              does
    S_MOVK_I32               0x00 0x00 SI    [SDst(I32), Simm(Kind::Simm16)]         Alu(NONE);
    S_SETREG_B32             0x13 0x12 SI    [Simm(Kind::Hwreg), SStored(B32)]       Alu(NONE);
    S_SETREG_IMM32_B32       0x15 0x14 SI    [Simm(Kind::Hwreg), K]                  Alu(NONE);
}

#[rustfmt::skip]
family! {
    /// SOP1 instructions.
    Sop1 in SOP1;
//  instruction              si,ci vi,9 on    written as                              does
    S_MOV_B32                0x03 0x00 SI    [SDst(B32), SSrc0(B32)]                 Alu(NONE);
    S_MOV_B64                0x04 0x01 SI    [SDst(B64), SSrc0(B64)]                 Alu(NONE);
    S_AND_SAVEEXEC_B64       0x24 0x20 SI    [SDst(B64), SSrc0(B64)]                 Alu(SCC.and(Implicit::READS_EXEC).and(Implicit::WRITES_EXEC));
}

#[rustfmt::skip]
family! {
    /// SOPC instructions.
    Sopc in SOPC;
//  instruction              si,ci vi,9 on    written as                              does
    S_CMP_EQ_U32             0x06 0x06 SI    [SSrc0(U32), SSrc1(U32)]                Alu(SCC);
    S_CMP_LG_U32             0x07 0x07 SI    [SSrc0(U32), SSrc1(U32)]                Alu(SCC);
}

#[rustfmt::skip]
family! {
    /// SOPP instructions.
    Sopp in SOPP;
//  instruction              si,ci vi,9 on    written as                              does
    S_NOP                    0x00 0x00 SI    [Simm(Kind::Unsigned)]                  Control(Control::Nop);
    S_ENDPGM                 0x01 0x01 SI    [Simm(Kind::Unsigned).optional()]       Control(Control::End);
    S_BRANCH                 0x02 0x02 SI    [Simm(Kind::Branch)]                    Branch(Condition::Always);
    S_CBRANCH_SCC0           0x04 0x04 SI    [Simm(Kind::Branch)]                    Branch(Condition::Scc0);
    S_CBRANCH_SCC1           0x05 0x05 SI    [Simm(Kind::Branch)]                    Branch(Condition::Scc1);
    S_CBRANCH_VCCZ           0x06 0x06 SI    [Simm(Kind::Branch)]                    Branch(Condition::VccZero);
    S_CBRANCH_VCCNZ          0x07 0x07 SI    [Simm(Kind::Branch)]                    Branch(Condition::VccNotZero);
    S_CBRANCH_EXECZ          0x08 0x08 SI    [Simm(Kind::Branch)]                    Branch(Condition::ExecZero);
    S_CBRANCH_EXECNZ         0x09 0x09 SI    [Simm(Kind::Branch)]                    Branch(Condition::ExecNotZero);
    S_BARRIER                0x0a 0x0a SI    [ ]                                     Control(Control::Barrier);
    S_WAITCNT                0x0c 0x0c SI    [Simm(Kind::Waitcnt)]                   Control(Control::Waitcnt);
}
