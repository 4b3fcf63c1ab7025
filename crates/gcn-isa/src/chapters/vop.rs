//! Vector ALU: field maps of all its encodings, then a row per instruction of VOP1 and VOP2. The rows of [`Vopc`],
//! [`Vop3`], [`Vop3b`] and [`Vop3p`] are in separate files.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector ALU Operations". An instruction
//! of VOP1, VOP2 or VOPC has one row; `in FORMS` declares its VOP3, SDWA and DPP forms.

use crate::effect::{AluOp::*, Bitwise::*, Does::*, Half::*, Relative::*, Shift::*, Signedness::*};
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::{Forms, family};
use crate::target::on;

pub(crate) use crate::chapters::vop3::{VOP3, VOP3B, VOP3P};
pub use crate::chapters::vop3::{Vop3, Vop3b, Vop3p};
pub(crate) use crate::chapters::vopc::VOPC;
pub use crate::chapters::vopc::Vopc;

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
    // SDWA: SRC0 is 249, and a second dword selects bytes or words of the operands. GCN 1.4 adds output modifiers,
    // scalar sources and, for comparisons, a destination.
    Format {
        encoding: Encoding::Vop2Sdwa, on: on::VI_ONLY, dwords: 2, constant: &[(31, 1, 0), (0, 9, SDWA)],
        fields: &[
            (Field::Src1, 9, 8), (Field::Vdst, 17, 8), (Field::Op, 25, 6),
            (Field::Src0, 32, 8), (Field::DstSel, 40, 3), (Field::DstUnused, 43, 2), (Field::Clamp, 45, 1),
            (Field::Src0Sel, 48, 3), (Field::Src0Sext, 51, 1), (Field::Src0Neg, 52, 1), (Field::Src0Abs, 53, 1),
            (Field::Src1Sel, 56, 3), (Field::Src1Sext, 59, 1), (Field::Src1Neg, 60, 1), (Field::Src1Abs, 61, 1),
        ],
    },
    Format {
        encoding: Encoding::Vop2Sdwa, on: on::GFX9, dwords: 2, constant: &[(31, 1, 0), (0, 9, SDWA)],
        fields: &[
            (Field::Src1, 9, 8), (Field::Vdst, 17, 8), (Field::Op, 25, 6),
            (Field::Src0, 32, 8), (Field::DstSel, 40, 3), (Field::DstUnused, 43, 2), (Field::Clamp, 45, 1), (Field::Omod, 46, 2),
            (Field::Src0Sel, 48, 3), (Field::Src0Sext, 51, 1), (Field::Src0Neg, 52, 1), (Field::Src0Abs, 53, 1), (Field::Src0Scalar, 55, 1),
            (Field::Src1Sel, 56, 3), (Field::Src1Sext, 59, 1), (Field::Src1Neg, 60, 1), (Field::Src1Abs, 61, 1), (Field::Src1Scalar, 63, 1),
        ],
    },
    Format {
        encoding: Encoding::Vop1Sdwa, on: on::VI_ONLY, dwords: 2, constant: &[(25, 7, 0b011_1111), (0, 9, SDWA)],
        fields: &[
            (Field::Op, 9, 8), (Field::Vdst, 17, 8),
            (Field::Src0, 32, 8), (Field::DstSel, 40, 3), (Field::DstUnused, 43, 2), (Field::Clamp, 45, 1),
            (Field::Src0Sel, 48, 3), (Field::Src0Sext, 51, 1), (Field::Src0Neg, 52, 1), (Field::Src0Abs, 53, 1),
        ],
    },
    Format {
        encoding: Encoding::Vop1Sdwa, on: on::GFX9, dwords: 2, constant: &[(25, 7, 0b011_1111), (0, 9, SDWA)],
        fields: &[
            (Field::Op, 9, 8), (Field::Vdst, 17, 8),
            (Field::Src0, 32, 8), (Field::DstSel, 40, 3), (Field::DstUnused, 43, 2), (Field::Clamp, 45, 1), (Field::Omod, 46, 2),
            (Field::Src0Sel, 48, 3), (Field::Src0Sext, 51, 1), (Field::Src0Neg, 52, 1), (Field::Src0Abs, 53, 1), (Field::Src0Scalar, 55, 1),
        ],
    },
    Format {
        encoding: Encoding::VopcSdwa, on: on::VI_ONLY, dwords: 2, constant: &[(25, 7, 0b011_1110), (0, 9, SDWA)],
        fields: &[
            (Field::Src1, 9, 8), (Field::Op, 17, 8),
            (Field::Src0, 32, 8), (Field::DstSel, 40, 3), (Field::DstUnused, 43, 2), (Field::Clamp, 45, 1),
            (Field::Src0Sel, 48, 3), (Field::Src0Sext, 51, 1), (Field::Src0Neg, 52, 1), (Field::Src0Abs, 53, 1),
            (Field::Src1Sel, 56, 3), (Field::Src1Sext, 59, 1), (Field::Src1Neg, 60, 1), (Field::Src1Abs, 61, 1),
        ],
    },
    Format {
        encoding: Encoding::VopcSdwa, on: on::GFX9, dwords: 2, constant: &[(25, 7, 0b011_1110), (0, 9, SDWA)],
        fields: &[
            (Field::Src1, 9, 8), (Field::Op, 17, 8),
            (Field::Src0, 32, 8), (Field::Sdst, 40, 7), (Field::SdwaSdst, 47, 1),
            (Field::Src0Sel, 48, 3), (Field::Src0Sext, 51, 1), (Field::Src0Neg, 52, 1), (Field::Src0Abs, 53, 1), (Field::Src0Scalar, 55, 1),
            (Field::Src1Sel, 56, 3), (Field::Src1Sext, 59, 1), (Field::Src1Neg, 60, 1), (Field::Src1Abs, 61, 1), (Field::Src1Scalar, 63, 1),
        ],
    },
    // DPP: SRC0 is 250, and a second dword selects a lane permutation of SRC0.
    Format {
        encoding: Encoding::Vop2Dpp, on: on::VI, dwords: 2, constant: &[(31, 1, 0), (0, 9, DPP)],
        fields: &[
            (Field::Src1, 9, 8), (Field::Vdst, 17, 8), (Field::Op, 25, 6),
            (Field::Src0, 32, 8), (Field::DppCtrl, 40, 9), (Field::BoundCtrl, 51, 1), (Field::Src0Neg, 52, 1), (Field::Src0Abs, 53, 1),
            (Field::Src1Neg, 54, 1), (Field::Src1Abs, 55, 1), (Field::BankMask, 56, 4), (Field::RowMask, 60, 4),
        ],
    },
    Format {
        encoding: Encoding::Vop1Dpp, on: on::VI, dwords: 2, constant: &[(25, 7, 0b011_1111), (0, 9, DPP)],
        fields: &[
            (Field::Op, 9, 8), (Field::Vdst, 17, 8),
            (Field::Src0, 32, 8), (Field::DppCtrl, 40, 9), (Field::BoundCtrl, 51, 1), (Field::Src0Neg, 52, 1), (Field::Src0Abs, 53, 1),
            (Field::BankMask, 56, 4), (Field::RowMask, 60, 4),
        ],
    },
    // VOP3 of GCN 1.0 and 1.1: nine-bit opcode.
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
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
    // VOP3 of GCN 1.2: ten-bit opcode, and CLAMP moves to bit 15.
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
        encoding: Encoding::Vop3c, on: on::VI_ONLY, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Sdst, 0, 8), (Field::Abs, 8, 3), (Field::Clamp, 15, 1), (Field::Op, 16, 10),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
    Format {
        encoding: Encoding::Vop3c, on: on::GFX9, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Sdst, 0, 8), (Field::Abs, 8, 3), (Field::OpSel, 11, 4), (Field::Clamp, 15, 1), (Field::Op, 16, 10),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
    // The third operand's OP_SEL_HI bit is separate from the other two.
    Format {
        encoding: Encoding::Vop3p, on: on::GFX9, dwords: 2, constant: &[(23, 9, 0b1_1010_0111)],
        fields: &[
            (Field::Vdst, 0, 8), (Field::NegHi, 8, 3), (Field::OpSel, 11, 3), (Field::OpSelHi2, 14, 1), (Field::Clamp, 15, 1),
            (Field::Op, 16, 7),
            (Field::Src0, 32, 9), (Field::Src1, 41, 9), (Field::Src2, 50, 9), (Field::OpSelHi, 59, 2), (Field::Neg, 61, 3),
        ],
    },
];

/// SRC0 value that indicates SDWA.
const SDWA: u32 = 249;
/// SRC0 value that indicates DPP.
const DPP: u32 = 250;

#[rustfmt::skip]
family! {
    /// VOP1 instructions.
    Vop1 in VOP1;
//  instruction                si,ci vi,9 on       written as                          does
    V_NOP                      0x00 0x00 SI       []                                  Alu(Nop), in Forms::E64;
    V_MOV_B32                  0x01 0x01 SI       [VDst(B32), Src0(B32)]              Alu(Move), in Forms::ALL;
    V_READFIRSTLANE_B32        0x02 0x02 SI       [VDstScalar, VSrc0]                 Alu(ReadFirstLane);
    V_CVT_I32_F64              0x03 0x03 SI       [VDst(I32), Src0(F64), Clamp, Omod] Alu(Convert), in Forms::E64;
    V_CVT_F64_I32              0x04 0x04 SI       [VDst(F64), Src0(I32), Clamp, Omod] Alu(Convert), in Forms::E64;
    V_CVT_F32_I32              0x05 0x05 SI       [VDst(F32), Src0(I32), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_CVT_F32_U32              0x06 0x06 SI       [VDst(F32), Src0(U32), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_CVT_U32_F32              0x07 0x07 SI       [VDst(U32), Src0(F32), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_CVT_I32_F32              0x08 0x08 SI       [VDst(I32), Src0(F32), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_MOV_FED_B32              0x09 0x09 SI       [VDst(B32), Src0(B32)]              Alu(Move), in Forms::E64, lacking ALL;
    V_CVT_F16_F32              0x0a 0x0a SI       [VDst(F16), Src0(F32), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_CVT_F32_F16              0x0b 0x0b SI       [VDst(F32), Src0(F16), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_CVT_RPI_I32_F32          0x0c 0x0c SI       [VDst(I32), Src0(F32), Clamp]       Alu(ConvertNear), in Forms::ALL;
    V_CVT_FLR_I32_F32          0x0d 0x0d SI       [VDst(I32), Src0(F32), Clamp]       Alu(ConvertFloor), in Forms::ALL;
    V_CVT_OFF_F32_I4           0x0e 0x0e SI       [VDst(F32), Src0(B32), Clamp, Omod] Alu(ConvertOffset), in Forms::ALL;
    V_CVT_F32_F64              0x0f 0x0f SI       [VDst(F32), Src0(F64), Clamp, Omod] Alu(Convert), in Forms::E64;
    V_CVT_F64_F32              0x10 0x10 SI       [VDst(F64), Src0(F32), Clamp, Omod] Alu(Convert), in Forms::E64;
    V_CVT_F32_UBYTE0           0x11 0x11 SI       [VDst(F32), Src0(U32), Clamp, Omod] Alu(ConvertByte(0)), in Forms::ALL;
    V_CVT_F32_UBYTE1           0x12 0x12 SI       [VDst(F32), Src0(U32), Clamp, Omod] Alu(ConvertByte(1)), in Forms::ALL;
    V_CVT_F32_UBYTE2           0x13 0x13 SI       [VDst(F32), Src0(U32), Clamp, Omod] Alu(ConvertByte(2)), in Forms::ALL;
    V_CVT_F32_UBYTE3           0x14 0x14 SI       [VDst(F32), Src0(U32), Clamp, Omod] Alu(ConvertByte(3)), in Forms::ALL;
    V_CVT_U32_F64              0x15 0x15 SI       [VDst(U32), Src0(F64), Clamp, Omod] Alu(Convert), in Forms::E64;
    V_CVT_F64_U32              0x16 0x16 SI       [VDst(F64), Src0(U32), Clamp, Omod] Alu(Convert), in Forms::E64;
    V_TRUNC_F64                0x17 0x17 CI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(Trunc), in Forms::E64;
    V_CEIL_F64                 0x18 0x18 CI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(Ceil), in Forms::E64;
    V_RNDNE_F64                0x19 0x19 CI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(RoundEven), in Forms::E64;
    V_FLOOR_F64                0x1a 0x1a CI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(Floor), in Forms::E64;
    V_FRACT_F32                0x20 0x1b SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Fract), in Forms::ALL;
    V_TRUNC_F32                0x21 0x1c SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Trunc), in Forms::ALL;
    V_CEIL_F32                 0x22 0x1d SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Ceil), in Forms::ALL;
    V_RNDNE_F32                0x23 0x1e SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(RoundEven), in Forms::ALL;
    V_FLOOR_F32                0x24 0x1f SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Floor), in Forms::ALL;
    V_EXP_F32                  0x25 0x20 SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Exp2), in Forms::ALL;
    V_LOG_CLAMP_F32            0x26 _    SI_CI    [VDst(F32), Src0(F32), Clamp, Omod] Alu(Log2Clamped), in Forms::E64;
    V_LOG_F32                  0x27 0x21 SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Log2), in Forms::ALL;
    V_RCP_CLAMP_F32            0x28 _    SI_CI    [VDst(F32), Src0(F32), Clamp, Omod] Alu(RcpClamped), in Forms::E64;
    V_RCP_LEGACY_F32           0x29 _    SI_CI    [VDst(F32), Src0(F32), Clamp, Omod] Alu(RcpLegacy), in Forms::E64;
    V_RCP_F32                  0x2a 0x22 SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Rcp), in Forms::ALL;
    V_RCP_IFLAG_F32            0x2b 0x23 SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Rcp), in Forms::ALL;
    V_RSQ_CLAMP_F32            0x2c _    SI_CI    [VDst(F32), Src0(F32), Clamp, Omod] Alu(RsqClamped), in Forms::E64;
    V_RSQ_LEGACY_F32           0x2d _    SI_CI    [VDst(F32), Src0(F32), Clamp, Omod] Alu(RsqLegacy), in Forms::E64;
    V_RSQ_F32                  0x2e 0x24 SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Rsq), in Forms::ALL;
    V_RCP_F64                  0x2f 0x25 SI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(Rcp), in Forms::E64;
    V_RCP_CLAMP_F64            0x30 _    SI_CI    [VDst(F64), Src0(F64), Clamp, Omod] Alu(RcpClamped), in Forms::E64;
    V_RSQ_F64                  0x31 0x26 SI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(Rsq), in Forms::E64;
    V_RSQ_CLAMP_F64            0x32 _    SI_CI    [VDst(F64), Src0(F64), Clamp, Omod] Alu(RsqClamped), in Forms::E64;
    V_SQRT_F32                 0x33 0x27 SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Sqrt), in Forms::ALL;
    V_SQRT_F64                 0x34 0x28 SI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(Sqrt), in Forms::E64;
    V_SIN_F32                  0x35 0x29 SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Sin), in Forms::ALL;
    V_COS_F32                  0x36 0x2a SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Cos), in Forms::ALL;
    V_NOT_B32                  0x37 0x2b SI       [VDst(B32), Src0(B32)]              Alu(Not), in Forms::ALL;
    V_BFREV_B32                0x38 0x2c SI       [VDst(B32), Src0(B32)]              Alu(ReverseBits), in Forms::ALL;
    V_FFBH_U32                 0x39 0x2d SI       [VDst(U32), Src0(U32)]              Alu(LeadingZeros), in Forms::ALL;
    V_FFBL_B32                 0x3a 0x2e SI       [VDst(U32), Src0(B32)]              Alu(FindLowestOne), in Forms::ALL;
    V_FFBH_I32                 0x3b 0x2f SI       [VDst(U32), Src0(I32)]              Alu(LeadingSigns), in Forms::ALL;
    V_FREXP_EXP_I32_F64        0x3c 0x30 SI       [VDst(I32), Src0(F64), Clamp, Omod] Alu(FrexpExponent), in Forms::E64;
    V_FREXP_MANT_F64           0x3d 0x31 SI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(FrexpMantissa), in Forms::E64;
    V_FRACT_F64                0x3e 0x32 SI       [VDst(F64), Src0(F64), Clamp, Omod] Alu(Fract), in Forms::E64;
    V_FREXP_EXP_I32_F32        0x3f 0x33 SI       [VDst(I32), Src0(F32), Clamp]       Alu(FrexpExponent), in Forms::ALL;
    V_FREXP_MANT_F32           0x40 0x34 SI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(FrexpMantissa), in Forms::ALL;
    V_CLREXCP                  0x41 0x35 SI       []                                  Alu(ClearExceptions), in Forms::E64;
    V_MOVRELD_B32              0x42 0x36 SI_CI_VI [VDst(B32), Src0(B32)]              Alu(MoveRelative(Destination)), in Forms::E64, lacking SCALAR;
    V_MOVRELS_B32              0x43 0x37 SI_CI_VI [VDst(B32), VSrc0]                  Alu(MoveRelative(Source)), in Forms::E64, lacking LDS_DIRECT;
    V_MOVRELSD_B32             0x44 0x38 SI_CI_VI [VDst(B32), VSrc0]                  Alu(MoveRelative(Both)), in Forms::E64, lacking LDS_DIRECT;
    V_LOG_LEGACY_F32           0x45 0x4c CI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Log2), in Forms::ALL;
    V_EXP_LEGACY_F32           0x46 0x4b CI       [VDst(F32), Src0(F32), Clamp, Omod] Alu(Exp2), in Forms::ALL;
    V_CVT_F16_U16              _    0x39 VI       [VDst(F16), Src0(U16), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_CVT_F16_I16              _    0x3a VI       [VDst(F16), Src0(I16), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_CVT_U16_F16              _    0x3b VI       [VDst(U16), Src0(F16), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_CVT_I16_F16              _    0x3c VI       [VDst(I16), Src0(F16), Clamp, Omod] Alu(Convert), in Forms::ALL;
    V_RCP_F16                  _    0x3d VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Rcp), in Forms::ALL;
    V_SQRT_F16                 _    0x3e VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Sqrt), in Forms::ALL;
    V_RSQ_F16                  _    0x3f VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Rsq), in Forms::ALL;
    V_LOG_F16                  _    0x40 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Log2), in Forms::ALL;
    V_EXP_F16                  _    0x41 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Exp2), in Forms::ALL;
    V_FREXP_MANT_F16           _    0x42 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(FrexpMantissa), in Forms::ALL;
    V_FREXP_EXP_I16_F16        _    0x43 VI       [VDst(I16), Src0(F16), Clamp, Omod] Alu(FrexpExponent), in Forms::ALL;
    V_FLOOR_F16                _    0x44 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Floor), in Forms::ALL;
    V_CEIL_F16                 _    0x45 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Ceil), in Forms::ALL;
    V_TRUNC_F16                _    0x46 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Trunc), in Forms::ALL;
    V_RNDNE_F16                _    0x47 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(RoundEven), in Forms::ALL;
    V_FRACT_F16                _    0x48 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Fract), in Forms::ALL;
    V_SIN_F16                  _    0x49 VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Sin), in Forms::ALL;
    V_COS_F16                  _    0x4a VI       [VDst(F16), Src0(F16), Clamp, Omod] Alu(Cos), in Forms::ALL;
    V_SCREEN_PARTITION_4SE_B32 _    0x37 GFX9     [VDst(B32), Src0(B32)]              Alu(ScreenPartition), in Forms::ALL;
    V_CVT_NORM_I16_F16         _    0x4d GFX9     [VDst(I16), Src0(F16), Clamp, Omod] Alu(Normalize), in Forms::ALL;
    V_CVT_NORM_U16_F16         _    0x4e GFX9     [VDst(U16), Src0(F16), Clamp, Omod] Alu(Normalize), in Forms::ALL;
    V_SAT_PK_U8_I16            _    0x4f GFX9     [VDst(B32), Src0(B32)]              Alu(SaturateBytes), in Forms::ALL;
    V_SWAP_B32                 _    0x51 GFX9     [VDst(B32).updated(), VSrc0.updated()] Alu(Swap);
}

#[rustfmt::skip]
family! {
    /// VOP2 instructions.
    Vop2 in VOP2;
//  instruction          si,ci vi,9 on     written as                                               does
    V_CNDMASK_B32        0x00 0x00 SI     [VDst(B32), Src0(F32), Src1(F32), Mask]                  Alu(Reversed(&Select)), in Forms::ALL;
    V_READLANE_B32       0x01 _    SI_CI  [VDstScalar, VSrc0, Lane1]                               Alu(ReadLane), in Forms::E64, lacking LANES;
    V_WRITELANE_B32      0x02 _    SI_CI  [VDst(B32).updated(), Scalar0, Lane1]                    Alu(WriteLane), in Forms::E64, lacking LANES;
    V_ADD_F32            0x03 0x01 SI     [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(Add), in Forms::ALL;
    V_SUB_F32            0x04 0x02 SI     [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(Sub), in Forms::ALL;
    V_SUBREV_F32         0x05 0x03 SI     [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(Reversed(&Sub)), in Forms::ALL, lacking LDS_DIRECT;
    V_MAC_LEGACY_F32     0x06 _    SI_CI  [VDst(F32).updated(), Src0(F32), Src1(F32), Clamp, Omod] Alu(MulAddLegacy), in Forms::E64;
    V_MUL_LEGACY_F32     0x07 0x04 SI     [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(MulLegacy), in Forms::ALL;
    V_MUL_F32            0x08 0x05 SI     [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(Mul), in Forms::ALL;
    V_MUL_I32_I24        0x09 0x06 SI     [VDst(I32), Src0(I32), Src1(I32), Clamp]                 Alu(Mul24), in Forms::ALL;
    V_MUL_HI_I32_I24     0x0a 0x07 SI     [VDst(I32), Src0(I32), Src1(I32)]                        Alu(MulHigh24), in Forms::ALL;
    V_MUL_U32_U24        0x0b 0x08 SI     [VDst(U32), Src0(U32), Src1(U32), Clamp]                 Alu(Mul24), in Forms::ALL;
    V_MUL_HI_U32_U24     0x0c 0x09 SI     [VDst(U32), Src0(U32), Src1(U32)]                        Alu(MulHigh24), in Forms::ALL;
    V_MIN_LEGACY_F32     0x0d _    SI_CI  [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(MinLegacy), in Forms::E64;
    V_MAX_LEGACY_F32     0x0e _    SI_CI  [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(MaxLegacy), in Forms::E64;
    V_MIN_F32            0x0f 0x0a SI     [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(Min), in Forms::ALL;
    V_MAX_F32            0x10 0x0b SI     [VDst(F32), Src0(F32), Src1(F32), Clamp, Omod]           Alu(Max), in Forms::ALL;
    V_MIN_I32            0x11 0x0c SI     [VDst(I32), Src0(I32), Src1(I32)]                        Alu(Min), in Forms::ALL;
    V_MAX_I32            0x12 0x0d SI     [VDst(I32), Src0(I32), Src1(I32)]                        Alu(Max), in Forms::ALL;
    V_MIN_U32            0x13 0x0e SI     [VDst(U32), Src0(U32), Src1(U32)]                        Alu(Min), in Forms::ALL;
    V_MAX_U32            0x14 0x0f SI     [VDst(U32), Src0(U32), Src1(U32)]                        Alu(Max), in Forms::ALL;
    V_LSHR_B32           0x15 _    SI_CI  [VDst(B32), Src0(B32), Src1(U32)]                        Alu(Shift(Right)), in Forms::E64;
    V_LSHRREV_B32        0x16 0x10 SI     [VDst(B32), Src0(U32), Src1(B32)]                        Alu(Reversed(&Shift(Right))), in Forms::ALL, lacking LDS_DIRECT;
    V_ASHR_I32           0x17 _    SI_CI  [VDst(I32), Src0(I32), Src1(U32)]                        Alu(Shift(Arithmetic)), in Forms::E64;
    V_ASHRREV_I32        0x18 0x11 SI     [VDst(I32), Src0(U32), Src1(I32)]                        Alu(Reversed(&Shift(Arithmetic))), in Forms::ALL, lacking LDS_DIRECT;
    V_LSHL_B32           0x19 _    SI_CI  [VDst(B32), Src0(B32), Src1(U32)]                        Alu(Shift(Left)), in Forms::E64;
    V_LSHLREV_B32        0x1a 0x12 SI     [VDst(B32), Src0(U32), Src1(B32)]                        Alu(Reversed(&Shift(Left))), in Forms::ALL, lacking LDS_DIRECT;
    V_AND_B32            0x1b 0x13 SI     [VDst(B32), Src0(B32), Src1(B32)]                        Alu(Bitwise(And)), in Forms::ALL;
    V_OR_B32             0x1c 0x14 SI     [VDst(B32), Src0(B32), Src1(B32)]                        Alu(Bitwise(Or)), in Forms::ALL;
    V_XOR_B32            0x1d 0x15 SI     [VDst(B32), Src0(B32), Src1(B32)]                        Alu(Bitwise(Xor)), in Forms::ALL;
    V_BFM_B32            0x1e _    SI_CI  [VDst(B32), Src0(U32), Src1(U32)]                        Alu(FieldMask), in Forms::E64;
    V_MAC_F32            0x1f 0x16 SI     [VDst(F32).updated(), Src0(F32), Src1(F32), Clamp, Omod] Alu(MulAdd), in Forms::MAC, lacking DST_SEL;
    V_MADMK_F32          0x20 0x17 SI     [VDst(F32), Src0(F32), K, Src1(F32)]                     Alu(MulAdd);
    V_MADAK_F32          0x21 0x18 SI     [VDst(F32), Src0(F32), Src1(F32), K]                     Alu(MulAdd);
    V_BCNT_U32_B32       0x22 _    SI_CI  [VDst(U32), Src0(B32), Src1(U32)]                        Alu(CountOnesAdd), in Forms::E64;
    V_MBCNT_LO_U32_B32   0x23 _    SI_CI  [VDst(U32), Src0(B32), Src1(U32)]                        Alu(MaskedCount(Low)), in Forms::E64;
    V_MBCNT_HI_U32_B32   0x24 _    SI_CI  [VDst(U32), Src0(B32), Src1(U32)]                        Alu(MaskedCount(High)), in Forms::E64;
    V_ADD_CO_U32         0x25 0x19 SI     [VDst(U32), Carry, Src0(U32), Src1(U32), Clamp]          Alu(Add), in Forms::ALL, spelled SI_CI "v_add_i32", VI_ONLY "v_add_u32";
    V_SUB_CO_U32         0x26 0x1a SI     [VDst(U32), Carry, Src0(U32), Src1(U32), Clamp]          Alu(Sub), in Forms::ALL, spelled SI_CI "v_sub_i32", VI_ONLY "v_sub_u32";
    V_SUBREV_CO_U32      0x27 0x1b SI     [VDst(U32), Carry, Src0(U32), Src1(U32), Clamp]          Alu(Reversed(&Sub)), in Forms::ALL, lacking LDS_DIRECT, spelled SI_CI "v_subrev_i32", VI_ONLY "v_subrev_u32";
    V_ADDC_CO_U32        0x28 0x1c SI     [VDst(U32), Carry, Src0(U32), Src1(U32), Mask, Clamp]    Alu(AddCarry), in Forms::ALL, spelled SI_CI_VI "v_addc_u32";
    V_SUBB_CO_U32        0x29 0x1d SI     [VDst(U32), Carry, Src0(U32), Src1(U32), Mask, Clamp]    Alu(SubBorrow), in Forms::ALL, spelled SI_CI_VI "v_subb_u32";
    V_SUBBREV_CO_U32     0x2a 0x1e SI     [VDst(U32), Carry, Src0(U32), Src1(U32), Mask, Clamp]    Alu(Reversed(&SubBorrow)), in Forms::ALL, lacking LDS_DIRECT, spelled SI_CI_VI "v_subbrev_u32";
    V_LDEXP_F32          0x2b _    SI_CI  [VDst(F32), Src0(F32), Src1(I32), Clamp, Omod]           Alu(Ldexp), in Forms::E64;
    V_CVT_PKACCUM_U8_F32 0x2c _    SI_CI  [VDst(U32).updated(), Src0(F32), Src1(U32), Clamp]       Alu(PutByte), in Forms::E64;
    V_CVT_PKNORM_I16_F32 0x2d _    SI_CI  [VDst(I16x2), Src0(F32), Src1(F32), Clamp]               Alu(NormalizePair(Signed)), in Forms::E64;
    V_CVT_PKNORM_U16_F32 0x2e _    SI_CI  [VDst(I16x2), Src0(F32), Src1(F32), Clamp]               Alu(NormalizePair(Unsigned)), in Forms::E64;
    V_CVT_PKRTZ_F16_F32  0x2f _    SI_CI  [VDst(F16x2), Src0(F32), Src1(F32), Clamp, Omod]         Alu(TruncatePair), in Forms::E64;
    V_CVT_PK_U16_U32     0x30 _    SI_CI  [VDst(I16x2), Src0(U32), Src1(U32)]                      Alu(SaturatePair), in Forms::E64;
    V_CVT_PK_I16_I32     0x31 _    SI_CI  [VDst(I16x2), Src0(I32), Src1(I32)]                      Alu(SaturatePair), in Forms::E64;
    V_ADD_F16            _    0x1f VI     [VDst(F16), Src0(F16), Src1(F16), Clamp, Omod]           Alu(Add), in Forms::ALL;
    V_SUB_F16            _    0x20 VI     [VDst(F16), Src0(F16), Src1(F16), Clamp, Omod]           Alu(Sub), in Forms::ALL;
    V_SUBREV_F16         _    0x21 VI     [VDst(F16), Src0(F16), Src1(F16), Clamp, Omod]           Alu(Reversed(&Sub)), in Forms::ALL, lacking LDS_DIRECT;
    V_MUL_F16            _    0x22 VI     [VDst(F16), Src0(F16), Src1(F16), Clamp, Omod]           Alu(Mul), in Forms::ALL;
    V_MAC_F16            _    0x23 VI     [VDst(F16).updated(), Src0(F16), Src1(F16), Clamp, Omod] Alu(MulAdd), in Forms::MAC, lacking DST_SEL;
    V_MADMK_F16          _    0x24 VI     [VDst(F16), Src0(F16), K16, Src1(F16)]                   Alu(MulAdd);
    V_MADAK_F16          _    0x25 VI     [VDst(F16), Src0(F16), Src1(F16), K16]                   Alu(MulAdd);
    V_ADD_U16            _    0x26 VI     [VDst(U16), Src0(U16), Src1(U16), Clamp]                 Alu(Add), in Forms::ALL;
    V_SUB_U16            _    0x27 VI     [VDst(U16), Src0(U16), Src1(U16), Clamp]                 Alu(Sub), in Forms::ALL;
    V_SUBREV_U16         _    0x28 VI     [VDst(U16), Src0(U16), Src1(U16), Clamp]                 Alu(Reversed(&Sub)), in Forms::ALL, lacking LDS_DIRECT;
    V_MUL_LO_U16         _    0x29 VI     [VDst(U16), Src0(U16), Src1(U16)]                        Alu(Mul), in Forms::ALL;
    V_LSHLREV_B16        _    0x2a VI     [VDst(B16), Src0(U16), Src1(B16)]                        Alu(Reversed(&Shift(Left))), in Forms::ALL, lacking LDS_DIRECT;
    V_LSHRREV_B16        _    0x2b VI     [VDst(B16), Src0(U16), Src1(B16)]                        Alu(Reversed(&Shift(Right))), in Forms::ALL, lacking LDS_DIRECT;
    V_ASHRREV_I16        _    0x2c VI     [VDst(I16), Src0(U16), Src1(I16)]                        Alu(Reversed(&Shift(Arithmetic))), in Forms::ALL, lacking LDS_DIRECT;
    V_MAX_F16            _    0x2d VI     [VDst(F16), Src0(F16), Src1(F16), Clamp, Omod]           Alu(Max), in Forms::ALL;
    V_MIN_F16            _    0x2e VI     [VDst(F16), Src0(F16), Src1(F16), Clamp, Omod]           Alu(Min), in Forms::ALL;
    V_MAX_U16            _    0x2f VI     [VDst(U16), Src0(U16), Src1(U16)]                        Alu(Max), in Forms::ALL;
    V_MAX_I16            _    0x30 VI     [VDst(I16), Src0(I16), Src1(I16)]                        Alu(Max), in Forms::ALL;
    V_MIN_U16            _    0x31 VI     [VDst(U16), Src0(U16), Src1(U16)]                        Alu(Min), in Forms::ALL;
    V_MIN_I16            _    0x32 VI     [VDst(I16), Src0(I16), Src1(I16)]                        Alu(Min), in Forms::ALL;
    V_LDEXP_F16          _    0x33 VI     [VDst(F16), Src0(F16), Src1(I16), Clamp, Omod]           Alu(Ldexp), in Forms::ALL;
    V_ADD_U32            _    0x34 GFX9   [VDst(U32), Src0(U32), Src1(U32), Clamp]                 Alu(Add), in Forms::ALL;
    V_SUB_U32            _    0x35 GFX9   [VDst(U32), Src0(U32), Src1(U32), Clamp]                 Alu(Sub), in Forms::ALL;
    V_SUBREV_U32         _    0x36 GFX9   [VDst(U32), Src0(U32), Src1(U32), Clamp]                 Alu(Reversed(&Sub)), in Forms::ALL, lacking LDS_DIRECT;
    V_FMAC_F32           _    0x3b VEGA20 [VDst(F32).updated(), Src0(F32), Src1(F32), Clamp, Omod] Alu(Fma), in Forms::FMAC;
    V_XNOR_B32           _    0x3d VEGA20 [VDst(B32), Src0(B32), Src1(B32)]                        Alu(Bitwise(Xnor)), in Forms::ALL;
}
