//! Vector ALU instructions that exist in VOP3 and VOP3P only, and interpolation.

use crate::chapters::vintrp::{Vintrp, Vop3Interp};
use crate::chapters::vop3::{Vop3, Vop3b, Vop3p};

use super::pseudocode::{Meaning, exact, words};
use super::vector::{
    COUNT_5, COUNT_6, FUSED, LANE, LEGACY, NORMALISED, NORMALISED_U, ONES, ORDER, PACKED_U8,
    TRUNCATED, UNFUSED,
};

const ORDER3: &str =
    "A NaN is left out; -0 is less than +0. With IEEE mode a signalling NaN comes out quiet.";
const MEDIAN: &str = "With a NaN it is the least of the others.";
const CUBE: &str = "The major axis is the one with the greatest magnitude; of equal ones it is Z before Y before X.";
const FIELD: &str = "Both counts are 5 bits; no bits give 0.";
const SAD: &str = "The sum of the absolute differences of four bytes.";
const MASKED: &str = "Bytes of SRC1 that are 0 are left out.";
const QUAD: &str = "Each is of SRC1 and the four bytes of SRC0 that begin at byte i; the sums of 16 bits wrap, with clamp they saturate.";
const LANES_16: &str =
    "OP_SEL and OP_SEL_HI choose the halves of the sources; SRC0 to SRC2 are those halves.";
const SHIFT_16: &str = "The count is 4 bits of its half.";
const MIXED: &str =
    "With a bit of OP_SEL_HI set, a source is a half that OP_SEL chooses, else single precision.";
const DOT: &str = "The products are exact.";

/// The meaning of a VOP3 instruction.
#[rustfmt::skip]
pub(super) fn vop3(op: Vop3) -> Meaning {
    use Vop3::*;
    match op {
        V_MAD_LEGACY_F32 => words("vdst = src0 * src1 + src2").but(LEGACY),
        V_MAD_F32 | V_MAD_F16 | V_MAD_LEGACY_F16 => words("vdst = src0 * src1 + src2").but(UNFUSED),
        V_MAD_I32_I24    => exact("vdst = sext(src0, 24) * sext(src1, 24) + src2"),
        V_MAD_U32_U24    => exact("vdst = src0[23:0] * src1[23:0] + src2"),
        V_CUBEID_F32     => words("vdst = face of a cube that the vector (src0, src1, src2) meets: 0 +X, 1 -X, 2 +Y, 3 -Y, 4 +Z, 5 -Z").but(CUBE),
        V_CUBESC_F32     => words("vdst = coordinate S on the face of a cube that (src0, src1, src2) meets").but(CUBE),
        V_CUBETC_F32     => words("vdst = coordinate T on the face of a cube that (src0, src1, src2) meets").but(CUBE),
        V_CUBEMA_F32     => words("vdst = 2 * the coordinate of (src0, src1, src2) on the major axis").but(CUBE),
        V_BFE_U32        => exact("vdst = (src0 >> src1[4:0]) & ((1 << src2[4:0]) - 1)").but(FIELD),
        V_BFE_I32        => exact("vdst = sext(src0 >> src1[4:0], src2[4:0])").but(FIELD),
        V_BFI_B32        => exact("vdst = (src0 & src1) | (~src0 & src2)"),
        V_FMA_F32 | V_FMA_F64 | V_FMA_F16 | V_FMA_LEGACY_F16 => words("vdst = src0 * src1 + src2").but(FUSED),
        V_LERP_U8        => words("each byte of vdst = (src0 + src1 + (src2 & 1)) >> 1, of the bytes of the sources at its place"),
        V_ALIGNBIT_B32   => exact("vdst = ((src0 << 32) | src1) >> src2[4:0]"),
        V_ALIGNBYTE_B32  => exact("vdst = ((src0 << 32) | src1) >> (8 * src2[1:0])"),
        V_MULLIT_F32     => words("vdst = src1 or src2 is dark ? -MAX : src0 * src1").but("SRC1 is if it is -MAX, -infinity or NaN, SRC2 if it is not above 0 or is NaN; 0 times anything is 0 (errata E197)."),
        V_MIN3_F32 | V_MIN3_F16 => words("vdst = min(src0, src1, src2)").but(ORDER3),
        V_MAX3_F32 | V_MAX3_F16 => words("vdst = max(src0, src1, src2)").but(ORDER3),
        V_MED3_F32 | V_MED3_F16 => words("vdst = median(src0, src1, src2)").but(MEDIAN),
        V_MIN3_I32 | V_MIN3_U32 | V_MIN3_I16 | V_MIN3_U16 => exact("vdst = min(src0, min(src1, src2))"),
        V_MAX3_I32 | V_MAX3_U32 | V_MAX3_I16 | V_MAX3_U16 => exact("vdst = max(src0, max(src1, src2))"),
        V_MED3_I32 | V_MED3_U32 | V_MED3_I16 | V_MED3_U16 => exact("vdst = max(min(src0, src1), min(max(src0, src1), src2))").but("The one in the middle."),
        V_SAD_U8         => exact("vdst = abs(src0[7:0] - src1[7:0]) + abs(src0[15:8] - src1[15:8]) + abs(src0[23:16] - src1[23:16]) + abs(src0[31:24] - src1[31:24]) + src2").but(SAD),
        V_SAD_HI_U8      => exact("vdst = ((abs(src0[7:0] - src1[7:0]) + abs(src0[15:8] - src1[15:8]) + abs(src0[23:16] - src1[23:16]) + abs(src0[31:24] - src1[31:24])) << 16) + src2").but(SAD),
        V_SAD_U16        => exact("vdst = abs(src0[15:0] - src1[15:0]) + abs(src0[31:16] - src1[31:16]) + src2"),
        V_SAD_U32        => exact("vdst = abs(src0 - src1) + src2"),
        V_MSAD_U8        => words("vdst = sum of |src0's byte - src1's byte| over the four bytes + src2").but(MASKED),
        V_QSAD_PK_U16_U8 => words("16 bits number i of vdst = sum of four absolute differences + 16 bits number i of src2, for i = 0 to 3").but(QUAD),
        V_MQSAD_PK_U16_U8 => words("16 bits number i of vdst = sum of four absolute differences, without bytes of src1 that are 0, + 16 bits number i of src2, for i = 0 to 3").but(QUAD),
        V_MQSAD_U32_U8   => words("dword i of vdst = sum of four absolute differences, without bytes of src1 that are 0, + dword i of src2, for i = 0 to 3").but("Each is of SRC1 and the four bytes of SRC0 that begin at byte i."),
        V_CVT_PK_U8_F32  => words("vdst = src2; byte src1[1:0] of vdst = u8(src0)").but(PACKED_U8),
        V_DIV_FIXUP_F32 | V_DIV_FIXUP_F64 | V_DIV_FIXUP_F16 | V_DIV_FIXUP_LEGACY_F16 => words("vdst = src0, the quotient, with the sign of src2 / src1, or what that is where it is 0, infinite or NaN").but("0/0 and infinity/infinity give NaN; a NaN of the numerator comes before one of the denominator (errata E194)."),
        V_LSHL_B64       => exact("vdst = src0 << src1[5:0]").but(COUNT_6),
        V_LSHR_B64 | V_ASHR_I64 => exact("vdst = src0 >> src1[5:0]").but(COUNT_6),
        V_ADD_F64        => words("vdst = src0 + src1"),
        V_MUL_F64        => words("vdst = src0 * src1"),
        V_MIN_F64        => words("vdst = min(src0, src1)").but(ORDER),
        V_MAX_F64        => words("vdst = max(src0, src1)").but(ORDER),
        V_LDEXP_F64 | V_LDEXP_F32 => words("vdst = src0 * 2^src1").but("SRC1 is an integer. Rounded once."),
        V_MUL_LO_U32 | V_MUL_LO_I32 => exact("vdst = src0 * src1").but("The low 32 bits, which signs do not change."),
        V_MUL_HI_U32 | V_MUL_HI_I32 => exact("vdst = (src0 * src1) >> 32"),
        V_DIV_FMAS_F32   => words("vdst = (src0 * src1 + src2) * (vcc[lane] ? 2^64 or 2^-64 : 1)").but("Up if SRC2 is above 1 or so, else down; rounded once (errata E194)."),
        V_DIV_FMAS_F64   => words("vdst = (src0 * src1 + src2) * (vcc[lane] ? 2^128 or 2^-128 : 1)").but("Up if SRC2 is above 1 or so, else down; rounded once (errata E194)."),
        V_TRIG_PREOP_F64 => words("vdst = 53 binary digits of 2/pi from digit 53 * src1[4:0] on").but("Further on by what the exponent of SRC0 exceeds 1077; cut off, not rounded (errata E198)."),
        V_MAD_U16 | V_MAD_LEGACY_U16 | V_MAD_I16 | V_MAD_LEGACY_I16 => exact("vdst = src0 * src1 + src2"),
        V_PERM_B32       => words("each byte of vdst = the byte of {src0, src1} that the byte of src2 at its place names").but("0 to 3 are bytes of SRC1, 4 to 7 of SRC0; 8 to 11 repeat the sign of a 16-bit part; 12 is 0, 13 and above 0xff."),
        V_CVT_PKACCUM_U8_F32 => words("byte src1[1:0] of vdst = u8(src0)").but(PACKED_U8),
        V_READLANE_B32   => words("vdst = src0 of lane src1").but(LANE),
        V_WRITELANE_B32  => words("vdst of lane src1 = src0").but(LANE),
        V_BCNT_U32_B32   => exact("vdst = ones(src0) + src1"),
        V_MBCNT_LO_U32_B32 => exact("vdst = ones(src0 & ((1 << min(lane, 32)) - 1)) + src1").but("The bits of lanes below, of lanes 0 to 31."),
        V_MBCNT_HI_U32_B32 => exact("vdst = ones(src0 & ((1 << max(lane - 32, 0)) - 1)) + src1").but("The bits of lanes below, of lanes 32 to 63."),
        V_LSHLREV_B64    => exact("vdst = src1 << src0[5:0]").but(COUNT_6),
        V_LSHRREV_B64 | V_ASHRREV_I64 => exact("vdst = src1 >> src0[5:0]").but(COUNT_6),
        V_BFM_B32        => exact("vdst = ((1 << src0[4:0]) - 1) << src1[4:0]").but(ONES),
        V_CVT_PKNORM_I16_F32 | V_CVT_PKNORM_I16_F16 => words("vdst[15:0] = i16(src0 * 32767); vdst[31:16] = i16(src1 * 32767)").but(NORMALISED),
        V_CVT_PKNORM_U16_F32 | V_CVT_PKNORM_U16_F16 => words("vdst[15:0] = u16(src0 * 65535); vdst[31:16] = u16(src1 * 65535)").but(NORMALISED_U),
        V_CVT_PKRTZ_F16_F32 => words("vdst[15:0] = f16(src0); vdst[31:16] = f16(src1)").but(TRUNCATED),
        V_CVT_PK_U16_U32 => exact("vdst[15:0] = min(src0, 0xffff); vdst[31:16] = min(src1, 0xffff)"),
        V_CVT_PK_I16_I32 => exact("vdst[15:0] = max(-0x8000, min(0x7fff, src0)); vdst[31:16] = max(-0x8000, min(0x7fff, src1))"),
        V_MAD_U32_U16 | V_MAD_I32_I16 => exact("vdst = src0 * src1 + src2"),
        V_XAD_U32        => exact("vdst = (src0 ^ src1) + src2"),
        V_LSHL_ADD_U32   => exact("vdst = (src0 << src1[4:0]) + src2").but(COUNT_5),
        V_ADD_LSHL_U32   => exact("vdst = (src0 + src1) << src2[4:0]").but(COUNT_5),
        V_ADD3_U32       => exact("vdst = src0 + src1 + src2"),
        V_LSHL_OR_B32    => exact("vdst = (src0 << src1[4:0]) | src2").but(COUNT_5),
        V_AND_OR_B32     => exact("vdst = (src0 & src1) | src2"),
        V_OR3_B32        => exact("vdst = src0 | src1 | src2"),
        V_ADD_I32 | V_ADD_I16 => exact("vdst = src0 + src1"),
        V_SUB_I32 | V_SUB_I16 => exact("vdst = src0 - src1"),
        V_PACK_B32_F16   => words("vdst[15:0] = src0; vdst[31:16] = src1"),
    }
}

/// The meaning of a VOP3 instruction with a scalar destination.
#[rustfmt::skip]
pub(super) fn vop3b(op: Vop3b) -> Meaning {
    use Vop3b::*;
    match op {
        V_DIV_SCALE_F32 => words("vdst = src0, which is src1 or src2, scaled by 2^64 or 2^-64 where src2 / src1 needs it; sdst[lane] = V_DIV_FMAS has to scale back").but("A zero as SRC1 or SRC2 gives NaN (errata E194)."),
        V_DIV_SCALE_F64 => words("vdst = src0, which is src1 or src2, scaled by 2^128 or 2^-128 where src2 / src1 needs it; sdst[lane] = V_DIV_FMAS has to scale back").but("A zero as SRC1 or SRC2 gives NaN (errata E194)."),
        V_MAD_U64_U32   => exact("vdst = src0 * src1 + src2; sdst[lane] = src0 * src1 + src2 > 0xffffffffffffffff").but("SDST has a bit for each lane: the carry."),
        V_MAD_I64_I32   => exact("vdst = src0 * src1 + src2; sdst[lane] = src0 * src1 + src2 < 0").but("SDST has a bit for each lane: bit 64 of the exact sum (errata E302)."),
    }
}

/// The meaning of a VOP3P instruction.
#[rustfmt::skip]
pub(super) fn vop3p(op: Vop3p) -> Meaning {
    use Vop3p::*;
    match op {
        V_PK_MAD_I16 | V_PK_MAD_U16 => words("each half of vdst = src0 * src1 + src2").but(LANES_16),
        V_PK_MUL_LO_U16  => words("each half of vdst = src0 * src1").but(LANES_16),
        V_PK_ADD_I16 | V_PK_ADD_U16 => words("each half of vdst = src0 + src1").but(LANES_16),
        V_PK_SUB_I16 | V_PK_SUB_U16 => words("each half of vdst = src0 - src1").but(LANES_16),
        V_PK_LSHLREV_B16 => words("each half of vdst = src1 << src0[3:0]").but(SHIFT_16),
        V_PK_LSHRREV_B16 => words("each half of vdst = src1 >> src0[3:0]").but(SHIFT_16),
        V_PK_ASHRREV_I16 => words("each half of vdst = src1 >> src0[3:0], filled with the sign").but(SHIFT_16),
        V_PK_MAX_I16 | V_PK_MAX_U16 => words("each half of vdst = max(src0, src1)").but(LANES_16),
        V_PK_MIN_I16 | V_PK_MIN_U16 => words("each half of vdst = min(src0, src1)").but(LANES_16),
        V_PK_FMA_F16     => words("each half of vdst = src0 * src1 + src2").but(FUSED),
        V_PK_ADD_F16     => words("each half of vdst = src0 + src1").but(LANES_16),
        V_PK_MUL_F16     => words("each half of vdst = src0 * src1").but(LANES_16),
        V_PK_MIN_F16     => words("each half of vdst = min(src0, src1)").but(ORDER),
        V_PK_MAX_F16     => words("each half of vdst = max(src0, src1)").but(ORDER),
        V_MAD_MIX_F32    => words("vdst = src0 * src1 + src2, rounded twice").but(MIXED),
        V_MAD_MIXLO_F16  => words("vdst[15:0] = f16(src0 * src1 + src2), rounded twice").but(MIXED),
        V_MAD_MIXHI_F16  => words("vdst[31:16] = f16(src0 * src1 + src2), rounded twice").but(MIXED),
        V_FMA_MIX_F32    => words("vdst = src0 * src1 + src2, rounded once").but(MIXED),
        V_FMA_MIXLO_F16  => words("vdst[15:0] = f16(src0 * src1 + src2)").but(MIXED),
        V_FMA_MIXHI_F16  => words("vdst[31:16] = f16(src0 * src1 + src2)").but(MIXED),
        V_DOT2_F32_F16   => words("vdst = src0[15:0] * src1[15:0] + src0[31:16] * src1[31:16] + src2").but("Each addition rounds to nearest even, the low product's first; denormals are flushed whatever MODE says (errata E196)."),
        V_DOT2_I32_I16   => exact("vdst = sext(src0, 16) * sext(src1, 16) + sext(src0 >> 16, 16) * sext(src1 >> 16, 16) + src2").but(DOT),
        V_DOT2_U32_U16   => exact("vdst = src0[15:0] * src1[15:0] + src0[31:16] * src1[31:16] + src2").but(DOT),
        V_DOT4_I32_I8    => exact("vdst = sext(src0, 8) * sext(src1, 8) + sext(src0 >> 8, 8) * sext(src1 >> 8, 8) + sext(src0 >> 16, 8) * sext(src1 >> 16, 8) + sext(src0 >> 24, 8) * sext(src1 >> 24, 8) + src2").but(DOT),
        V_DOT4_U32_U8    => exact("vdst = src0[7:0] * src1[7:0] + src0[15:8] * src1[15:8] + src0[23:16] * src1[23:16] + src0[31:24] * src1[31:24] + src2").but(DOT),
        V_DOT8_I32_I4    => words("vdst = sum of the products of the eight parts of 4 bits with sign of src0 and src1, + src2").but(DOT),
        V_DOT8_U32_U4    => words("vdst = sum of the products of the eight parts of 4 bits of src0 and src1, + src2").but(DOT),
    }
}

/// The meaning of a VINTRP instruction.
#[rustfmt::skip]
pub(super) fn vintrp(op: Vintrp) -> Meaning {
    use Vintrp::*;
    match op {
        V_INTERP_P1_F32  => words("vdst = P10 * src1 + P0").but("The parameter's values at a triangle's vertices are in LDS, where M0 says: P0 is that of the first, P10 and P20 are the differences of the others to it."),
        V_INTERP_P2_F32  => words("vdst = P20 * src1 + vdst").but("The second step: SRC1 is coordinate J."),
        V_INTERP_MOV_F32 => words("vdst = P10, P20 or P0, as src1 says").but("The parameter's value without interpolation."),
    }
}

/// The meaning of an interpolation that exists in VOP3 only.
#[rustfmt::skip]
pub(super) fn vop3_interp(op: Vop3Interp) -> Meaning {
    use Vop3Interp::*;
    match op {
        V_INTERP_P1LL_F16 => words("vdst = P10 * src1 + P0").but("The parameter is a half, the result single precision; `high` takes the high halves."),
        V_INTERP_P1LV_F16 => words("vdst = P10 * src1 + src2's half").but("P0 is in SRC2; the result is single precision."),
        V_INTERP_P2_LEGACY_F16 => words("vdst = f16(P20 * src1 + src2)").but("The high half becomes 0."),
        V_INTERP_P2_F16   => words("vdst = f16(P20 * src1 + src2)").but("The high half stays."),
    }
}
