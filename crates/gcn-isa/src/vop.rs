//! VOP1, VOP2, VOPC, VOP3, VOP3P: vector ALU. Field maps, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector ALU Operations".
//! An instruction of VOP1, VOP2 or VOPC has one row; its VOP3, SDWA and DPP forms follow from `in FORMS`.

use crate::effect::{Does::*, Implicit};
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::{Forms, family};
use crate::target::on;

#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format {
        encoding: Encoding::Vop2, on: on::SI, dwords: 1, constant: &[(31, 1, 0)],
        fields: &[(Field::Src0, 0, 9), (Field::Src1, 9, 8), (Field::Vdst, 17, 8), (Field::Op, 25, 6), (Field::Literal, 32, 32)],
    },
    Format {
        encoding: Encoding::Vop1, on: on::SI, dwords: 1, constant: &[(25, 7, 0b011_1111)],
        fields: &[(Field::Src0, 0, 9), (Field::Op, 9, 8), (Field::Vdst, 17, 8)],
    },
    Format {
        encoding: Encoding::Vopc, on: on::SI, dwords: 1, constant: &[(25, 7, 0b011_1110)],
        fields: &[(Field::Src0, 0, 9), (Field::Src1, 9, 8), (Field::Op, 17, 8)],
    },
    // VOP3 of GCN 1.0 and 1.1: nine bits of opcode.
    Format {
        encoding: Encoding::Vop3, on: on::SI_CI, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Vdst, 0, 8), (Field::Abs, 8, 3), (Field::Clamp, 11, 1), (Field::Op, 17, 9),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Src2, 50, 9), (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
    Format {
        encoding: Encoding::Vop3b, on: on::SI_CI, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Vdst, 0, 8), (Field::Sdst, 8, 7), (Field::Op, 17, 9),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Src2, 50, 9), (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
    Format {
        encoding: Encoding::Vop3c, on: on::SI_CI, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Sdst, 0, 8), (Field::Abs, 8, 3), (Field::Clamp, 11, 1), (Field::Op, 17, 9),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Neg, 61, 3),
        ],
    },
    // VOP3 of GCN 1.2: ten bits of opcode, CLAMP moves.
    Format {
        encoding: Encoding::Vop3, on: on::VI_ONLY, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Vdst, 0, 8), (Field::Abs, 8, 3), (Field::Clamp, 15, 1), (Field::Op, 16, 10),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Src2, 50, 9), (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
    // GCN 1.4 adds OP_SEL.
    Format {
        encoding: Encoding::Vop3, on: on::GFX9, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Vdst, 0, 8), (Field::Abs, 8, 3), (Field::OpSel, 11, 4), (Field::Clamp, 15, 1), (Field::Op, 16, 10),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Src2, 50, 9), (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
    Format {
        encoding: Encoding::Vop3b, on: on::VI, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Vdst, 0, 8), (Field::Sdst, 8, 7), (Field::Clamp, 15, 1), (Field::Op, 16, 10),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Src2, 50, 9), (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
    Format {
        encoding: Encoding::Vop3c, on: on::VI, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Sdst, 0, 8), (Field::Abs, 8, 3), (Field::Clamp, 15, 1), (Field::Op, 16, 10),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Neg, 61, 3),
        ],
    },
    // The third operand's OP_SEL_HI is apart from the other two.
    Format {
        encoding: Encoding::Vop3p, on: on::GFX9, dwords: 2, constant: &[(23, 9, 0b1_1010_0111)],
        fields: &[
            (Field::Vdst, 0, 8), (Field::NegHi, 8, 3), (Field::OpSel, 11, 3), (Field::OpSelHi2, 14, 1), (Field::Clamp, 15, 1),
            (Field::Op, 16, 7),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Src2, 50, 9), (Field::OpSelHi, 59, 2), (Field::Neg, 61, 3),
        ],
    },
];

const NONE: Implicit = Implicit::NONE;

#[rustfmt::skip]
family! {
    /// VOP1 instructions.
    Vop1 in VOP1;
//  instruction              si,ci vi,9 on    written as                              does
    V_NOP                    0x00 0x00 SI    [ ]                                     Alu(NONE), in Forms::E64;
    V_MOV_B32                0x01 0x01 SI    [VDst(B32), Src0(B32)]                  Alu(NONE), in Forms::ALL;
}

#[rustfmt::skip]
family! {
    /// VOP2 instructions.
    Vop2 in VOP2;
//  instruction              si,ci vi,9 on    written as                              does
    V_CNDMASK_B32            0x00 0x00 SI    [VDst(B32), Src0(B32), Src1(B32), Mask]           Alu(NONE), in Forms::ALL;
    V_ADD_F32                0x03 0x01 SI    [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]    Alu(NONE), in Forms::ALL;
    V_LSHLREV_B32            0x1a 0x12 SI    [VDst(B32), Src0(U32), Src1(B32)]                 Alu(NONE), in Forms::ALL;
    V_ADD_CO_U32             0x25 0x19 SI    [VDst(U32), Carry, Src0(U32), Src1(U32), Clamp]   Alu(NONE), in Forms::ALL, spelled SI_CI "v_add_i32", VI_ONLY "v_add_u32";
    V_ADD_U32                _    0x34 GFX9  [VDst(U32), Src0(U32), Src1(U32), Clamp]          Alu(NONE), in Forms::ALL;
}

#[rustfmt::skip]
family! {
    /// VOPC instructions: without a field for it the destination is VCC.
    Vopc in VOPC;
//  instruction              si,ci vi,9 on    written as                              does
    V_CMP_LT_F32             0x01 0x41 SI    [Carry, Src0(F32), Src1(F32), Clamp]    Alu(NONE), in Forms::E64.and(Forms::SDWA);
    V_CMP_GT_U32             0xc4 0xcc SI    [Carry, Src0(U32), Src1(U32)]           Alu(NONE), in Forms::E64.and(Forms::SDWA);
}

#[rustfmt::skip]
family! {
    /// Instructions that exist in VOP3 only.
    Vop3 in VOP3;
//  instruction              si,ci vi,9  on    written as                                                  does
    V_FMA_F32                0x14b 0x1cb SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]   Alu(NONE);
    V_MUL_LO_U32             0x169 0x285 SI    [VDst(U32), Src0(U32), Src1(U32)]                           Alu(NONE);
    V_LSHLREV_B64            _     0x28f VI    [VDst(B64), Src0(U32), Src1(B64)]                           Alu(NONE);
}

#[rustfmt::skip]
family! {
    /// Instructions that exist in VOP3 only and have a scalar destination beside the vector one.
    Vop3b in VOP3B;
//  instruction              si,ci vi,9  on    written as                                                  does
    V_MAD_U64_U32            0x176 0x1e8 CI    [VDst(U64), Carry, Src0(U32), Src1(U32), Src2(U64), Clamp]  Alu(NONE);
}

#[rustfmt::skip]
family! {
    /// VOP3P instructions.
    Vop3p in VOP3P;
//  instruction              si,ci vi,9 on    written as                                                   does
    V_PK_ADD_F16             _    0x0f GFX9   [VDst(F16x2), Src0(F16x2), Src1(F16x2), Clamp]               Alu(NONE);
}
