//! Vector ALU instructions: VOP1, VOP2.

use crate::chapters::vop::{Vop1, Vop2};

use super::pseudocode::{Meaning, exact, words};

pub(super) const COUNT_4: &str = "The shift's count is 4 bits of the source: 16 shifts by 0.";
pub(super) const COUNT_5: &str = "The shift's count is 5 bits of the source: 32 shifts by 0.";
pub(super) const COUNT_6: &str = "The shift's count is 6 bits of the source: 64 shifts by 0.";
pub(super) const ONES: &str = "Both counts are 5 bits: 32 ones cannot be made.";
pub(super) const LANE: &str = "The lane's number is 6 bits of the source. EXEC does not count.";
pub(super) const ORDER: &str = "A NaN gives the other source; -0 is less than +0. With IEEE mode a signalling NaN comes out quiet.";
pub(super) const PACKED_U8: &str =
    "Rounded as MODE says; beyond 0 to 255 the nearest of them; NaN gives 0 (errata E192).";
pub(super) const UNFUSED: &str =
    "Rounded twice, as a product and as a sum; denormals are flushed whatever MODE says.";
pub(super) const FUSED: &str = "Rounded once.";
pub(super) const LEGACY: &str =
    "0 times anything is 0, infinity and NaN included. Rounded twice; denormals are flushed.";
pub(super) const NORMALISED: &str =
    "Below -1 and above 1 are -1 and 1; rounded to nearest even; NaN gives 0 (errata E192).";
pub(super) const NORMALISED_U: &str =
    "Below 0 and above 1 are 0 and 1; rounded to nearest even; NaN gives 0 (errata E192).";
pub(super) const TRUNCATED: &str =
    "Cut off, not rounded, whatever MODE says; what is too large becomes the largest number.";
pub(super) const BEYOND: &str = "A source beyond the wave's registers is v0; with a destination beyond them nothing is written (checklist 1.6).";

const WHOLE: &str =
    "Rounded towards zero; beyond the type's range the nearest number of it; NaN gives 0.";
const BY_MODE: &str = "Rounded as MODE says.";
const EVERY: &str = "Every value is exact.";
const PARTS: &str = "Infinities and NaN come back as they are.";
const EXPONENT: &str = "0, infinities and NaN give 0, the last two -1 on GCN 1.0 (errata E303).";
const TABLE: &str =
    "An approximation of 1 unit in the last place; denormals are flushed (errata E199).";
const TABLE_F16: &str = "An approximation of 0.51 units in the last place (errata E199).";
const TABLE_F64: &str = "An approximation of 2^29 units in the last place (errata E199).";
const NEGATIVE: &str = "A negative number gives NaN. An approximation of 1 unit in the last place; denormals are flushed (errata E199).";
const FINITE: &str = "An infinite result becomes the largest number of its sign.";
const NO_INFINITY: &str = "An infinite result becomes 0.";
const TURNS: &str = "The angle is in turns. Beyond 256 turns it counts as 0 before GCN 1.4 (errata E242); infinity gives NaN.";
const FRACTION: &str = "Always below 1: what rounding brings to 1 is the greatest number below it. Infinity gives NaN.";
const FIND: &str = "Without such a bit it is -1.";
const CARRY: &str =
    "SDST has a bit for each lane, VCC in the short encoding; it is the carry with clamp, too.";
const BORROW: &str =
    "SDST has a bit for each lane, VCC in the short encoding; it is the borrow with clamp, too.";
const WIDE: &str = "The exact product has 48 bits.";

/// The meaning of a VOP1 instruction.
#[rustfmt::skip]
pub(super) fn vop1(op: Vop1) -> Meaning {
    use Vop1::*;
    match op {
        V_NOP               => words("nothing"),
        V_CLREXCP           => words("clears the wave's floating-point exceptions"),
        V_MOV_B32           => exact("vdst = src0"),
        V_MOV_FED_B32       => exact("vdst = src0").but("Made to test the detection of errors in hardware (errata E205)."),
        V_READFIRSTLANE_B32 => words("vdst = src0 of the lowest active lane").but("Without an active lane it is lane 0's. VDST is scalar."),
        V_CVT_I32_F64 | V_CVT_I32_F32 => words("vdst = i32(src0)").but(WHOLE),
        V_CVT_U32_F64 | V_CVT_U32_F32 => words("vdst = u32(src0)").but(WHOLE),
        V_CVT_F64_I32 | V_CVT_F64_U32 | V_CVT_F64_F32 => words("vdst = f64(src0)").but(EVERY),
        V_CVT_F32_I32 | V_CVT_F32_U32 | V_CVT_F32_F64 => words("vdst = f32(src0)").but(BY_MODE),
        V_CVT_F16_F32       => words("vdst = f16(src0)").but("Rounded as MODE says of half precision, before GCN 1.2 of single precision; what is too large becomes infinite (errata E192, E307)."),
        V_CVT_F32_F16       => words("vdst = f32(src0)").but(EVERY),
        V_CVT_RPI_I32_F32   => words("vdst = i32(floor(src0 + 0.5))").but("The sum is exact; beyond the type's range the nearest number of it; NaN as infinity of its sign (errata E192)."),
        V_CVT_FLR_I32_F32   => words("vdst = i32(floor(src0))").but("Beyond the type's range the nearest number of it; NaN as infinity of its sign (errata E192)."),
        V_CVT_OFF_F32_I4    => words("vdst = sext(src0, 4) / 16.0").but("Four bits with sign: -0.5 to 0.4375."),
        V_CVT_F32_UBYTE0    => words("vdst = f32(src0[7:0])"),
        V_CVT_F32_UBYTE1    => words("vdst = f32(src0[15:8])"),
        V_CVT_F32_UBYTE2    => words("vdst = f32(src0[23:16])"),
        V_CVT_F32_UBYTE3    => words("vdst = f32(src0[31:24])"),
        V_TRUNC_F64 | V_TRUNC_F32 | V_TRUNC_F16 => words("vdst = the whole number between src0 and 0 that is nearest to src0").but(PARTS),
        V_CEIL_F64  | V_CEIL_F32  | V_CEIL_F16  => words("vdst = the least whole number >= src0").but(PARTS),
        V_RNDNE_F64 | V_RNDNE_F32 | V_RNDNE_F16 => words("vdst = the whole number nearest to src0, the even one of two").but(PARTS),
        V_FLOOR_F64 | V_FLOOR_F32 | V_FLOOR_F16 => words("vdst = the greatest whole number <= src0").but(PARTS),
        V_FRACT_F64 | V_FRACT_F32 | V_FRACT_F16 => words("vdst = src0 - floor(src0)").but(FRACTION),
        V_EXP_F32 | V_EXP_LEGACY_F32 => words("vdst = 2 ^ src0").but(TABLE),
        V_LOG_F32 | V_LOG_LEGACY_F32 => words("vdst = log2(src0)").but(NEGATIVE),
        V_LOG_CLAMP_F32     => words("vdst = log2(src0)").but("0 gives the least finite number (errata E306)."),
        V_RCP_F32           => words("vdst = 1 / src0").but(TABLE),
        V_RCP_IFLAG_F32     => words("vdst = 1 / src0").but("As V_RCP_F32, but that a division by 0 raises the integer exception. Denormals are flushed."),
        V_RCP_CLAMP_F32     => words("vdst = 1 / src0").but(FINITE),
        V_RCP_LEGACY_F32    => words("vdst = 1 / src0").but(NO_INFINITY),
        V_RSQ_F32           => words("vdst = 1 / sqrt(src0)").but(NEGATIVE),
        V_RSQ_CLAMP_F32     => words("vdst = 1 / sqrt(src0)").but(FINITE),
        V_RSQ_LEGACY_F32    => words("vdst = 1 / sqrt(src0)").but(NO_INFINITY),
        V_SQRT_F32          => words("vdst = sqrt(src0)").but(NEGATIVE),
        V_RCP_F64           => words("vdst = 1 / src0").but(TABLE_F64),
        V_RCP_CLAMP_F64     => words("vdst = 1 / src0").but(FINITE),
        V_RSQ_F64           => words("vdst = 1 / sqrt(src0)").but(TABLE_F64),
        V_RSQ_CLAMP_F64     => words("vdst = 1 / sqrt(src0)").but(FINITE),
        V_SQRT_F64          => words("vdst = sqrt(src0)").but(TABLE_F64),
        V_SIN_F32 | V_SIN_F16 => words("vdst = sin(2*pi * src0)").but(TURNS),
        V_COS_F32 | V_COS_F16 => words("vdst = cos(2*pi * src0)").but(TURNS),
        V_NOT_B32           => exact("vdst = ~src0"),
        V_BFREV_B32         => words("vdst[i] = src0[31 - i], for each bit i"),
        V_FFBH_U32          => exact("vdst = src0 == 0 ? -1 : 31 - highest(src0)").but("The zeros above the highest one; without a one it is -1."),
        V_FFBL_B32          => exact("vdst = src0 == 0 ? -1 : lowest(src0)").but(FIND),
        V_FFBH_I32          => exact("other = src0 < 0 ? ~src0 : src0; vdst = other == 0 ? -1 : 31 - highest(other)").but("The bits that are like the sign, the sign included; if all are, it is -1."),
        V_FREXP_EXP_I32_F64 | V_FREXP_EXP_I32_F32 | V_FREXP_EXP_I16_F16 => words("vdst = e, where src0 = m * 2^e and 0.5 <= |m| < 1").but(EXPONENT),
        V_FREXP_MANT_F64 | V_FREXP_MANT_F32 | V_FREXP_MANT_F16 => words("vdst = m, where src0 = m * 2^e and 0.5 <= |m| < 1").but("0, infinities and NaN come back as they are, but on GCN 1.0 the last two as NaN (errata E303)."),
        V_MOVRELD_B32       => words("VGPR[vdst's number + m0] = src0").but(BEYOND),
        V_MOVRELS_B32       => words("vdst = VGPR[src0's number + m0]").but(BEYOND),
        V_MOVRELSD_B32      => words("VGPR[vdst's number + m0] = VGPR[src0's number + m0]").but(BEYOND),
        V_CVT_F16_U16 | V_CVT_F16_I16 => words("vdst = f16(src0)").but(BY_MODE),
        V_CVT_U16_F16       => words("vdst = u16(src0)").but(WHOLE),
        V_CVT_I16_F16       => words("vdst = i16(src0)").but(WHOLE),
        V_RCP_F16           => words("vdst = 1 / src0").but(TABLE_F16),
        V_SQRT_F16          => words("vdst = sqrt(src0)").but(TABLE_F16),
        V_RSQ_F16           => words("vdst = 1 / sqrt(src0)").but(TABLE_F16),
        V_LOG_F16           => words("vdst = log2(src0)").but(TABLE_F16),
        V_EXP_F16           => words("vdst = 2 ^ src0").but(TABLE_F16),
        V_SCREEN_PARTITION_4SE_B32 => words("vdst = table[src0[7:0]]").but("The shader engines, a bit each, that a tile of the screen belongs to; the table is in AMD's Vega manual (errata E208)."),
        V_CVT_NORM_I16_F16  => words("vdst = i16(src0 * 32767)").but(NORMALISED),
        V_CVT_NORM_U16_F16  => words("vdst = u16(src0 * 65535)").but(NORMALISED_U),
        V_SAT_PK_U8_I16     => exact("vdst = 0; vdst[7:0] = max(0, min(255, sext(src0, 16))); vdst[15:8] = max(0, min(255, sext(src0 >> 16, 16)))"),
        V_SWAP_B32          => words("vdst, src0 = src0, vdst").but("Both registers are written, in the active lanes."),
    }
}

/// The meaning of a VOP2 instruction.
#[rustfmt::skip]
pub(super) fn vop2(op: Vop2) -> Meaning {
    use Vop2::*;
    match op {
        V_CNDMASK_B32      => words("vdst = src2[lane] ? src1 : src0").but("SRC2 is VCC in the short encoding. Signs of the sources can be changed, as of floats; nothing else is done to them."),
        V_READLANE_B32     => words("vdst = src0 of lane src1").but(LANE),
        V_WRITELANE_B32    => words("vdst of lane src1 = src0").but(LANE),
        V_ADD_F32 | V_ADD_F16       => words("vdst = src0 + src1"),
        V_SUB_F32 | V_SUB_F16       => words("vdst = src0 - src1"),
        V_SUBREV_F32 | V_SUBREV_F16 => words("vdst = src1 - src0"),
        V_MAC_LEGACY_F32   => words("vdst = src0 * src1 + vdst").but(LEGACY),
        V_MUL_LEGACY_F32   => words("vdst = src0 * src1").but("0 times anything is 0, infinity and NaN included."),
        V_MUL_F32 | V_MUL_F16       => words("vdst = src0 * src1"),
        V_MUL_I32_I24      => exact("vdst = sext(src0, 24) * sext(src1, 24)").but(WIDE),
        V_MUL_HI_I32_I24   => exact("vdst = (sext(src0, 24) * sext(src1, 24)) >> 32").but(WIDE),
        V_MUL_U32_U24      => exact("vdst = src0[23:0] * src1[23:0]").but(WIDE),
        V_MUL_HI_U32_U24   => exact("vdst = (src0[23:0] * src1[23:0]) >> 32").but(WIDE),
        V_MIN_LEGACY_F32   => words("vdst = src0 < src1 ? src0 : src1").but("With a NaN, or if both are equal, it is SRC1."),
        V_MAX_LEGACY_F32   => words("vdst = src0 >= src1 ? src0 : src1").but("With a NaN it is SRC1."),
        V_MIN_F32 | V_MIN_F16 => words("vdst = min(src0, src1)").but(ORDER),
        V_MAX_F32 | V_MAX_F16 => words("vdst = max(src0, src1)").but(ORDER),
        V_MIN_I32 | V_MIN_U32 | V_MIN_I16 | V_MIN_U16 => exact("vdst = min(src0, src1)"),
        V_MAX_I32 | V_MAX_U32 | V_MAX_I16 | V_MAX_U16 => exact("vdst = max(src0, src1)"),
        V_LSHR_B32 | V_ASHR_I32       => exact("vdst = src0 >> src1[4:0]").but(COUNT_5),
        V_LSHRREV_B32 | V_ASHRREV_I32 => exact("vdst = src1 >> src0[4:0]").but(COUNT_5),
        V_LSHL_B32         => exact("vdst = src0 << src1[4:0]").but(COUNT_5),
        V_LSHLREV_B32      => exact("vdst = src1 << src0[4:0]").but(COUNT_5),
        V_AND_B32          => exact("vdst = src0 & src1"),
        V_OR_B32           => exact("vdst = src0 | src1"),
        V_XOR_B32          => exact("vdst = src0 ^ src1"),
        V_XNOR_B32         => exact("vdst = ~(src0 ^ src1)"),
        V_BFM_B32          => exact("vdst = ((1 << src0[4:0]) - 1) << src1[4:0]").but(ONES),
        V_MAC_F32 | V_MAC_F16     => words("vdst = src0 * src1 + vdst").but(UNFUSED),
        V_MADMK_F32 | V_MADMK_F16 => words("vdst = src0 * literal + src1").but(UNFUSED),
        V_MADAK_F32 | V_MADAK_F16 => words("vdst = src0 * src1 + literal").but(UNFUSED),
        V_FMAC_F32         => words("vdst = src0 * src1 + vdst").but(FUSED),
        V_BCNT_U32_B32     => exact("vdst = ones(src0) + src1"),
        V_MBCNT_LO_U32_B32 => exact("vdst = ones(src0 & ((1 << min(lane, 32)) - 1)) + src1").but("The bits of lanes below, of lanes 0 to 31."),
        V_MBCNT_HI_U32_B32 => exact("vdst = ones(src0 & ((1 << max(lane - 32, 0)) - 1)) + src1").but("The bits of lanes below, of lanes 32 to 63."),
        V_ADD_CO_U32       => exact("vdst = src0 + src1; sdst[lane] = src0 + src1 > 0xffffffff").but(CARRY),
        V_SUB_CO_U32       => exact("vdst = src0 - src1; sdst[lane] = src0 < src1").but(BORROW),
        V_SUBREV_CO_U32    => exact("vdst = src1 - src0; sdst[lane] = src1 < src0").but(BORROW),
        V_ADDC_CO_U32      => exact("vdst = src0 + src1 + src2[lane]; sdst[lane] = src0 + src1 + src2[lane] > 0xffffffff").but(CARRY),
        V_SUBB_CO_U32      => exact("vdst = src0 - src1 - src2[lane]; sdst[lane] = src0 < src1 + src2[lane]").but(BORROW),
        V_SUBBREV_CO_U32   => exact("vdst = src1 - src0 - src2[lane]; sdst[lane] = src1 < src0 + src2[lane]").but(BORROW),
        V_LDEXP_F32 | V_LDEXP_F16 => words("vdst = src0 * 2^src1").but("SRC1 is an integer. Rounded once."),
        V_CVT_PKACCUM_U8_F32 => words("byte src1[1:0] of vdst = u8(src0)").but(PACKED_U8),
        V_CVT_PKNORM_I16_F32 => words("vdst[15:0] = i16(src0 * 32767); vdst[31:16] = i16(src1 * 32767)").but(NORMALISED),
        V_CVT_PKNORM_U16_F32 => words("vdst[15:0] = u16(src0 * 65535); vdst[31:16] = u16(src1 * 65535)").but(NORMALISED_U),
        V_CVT_PKRTZ_F16_F32  => words("vdst[15:0] = f16(src0); vdst[31:16] = f16(src1)").but(TRUNCATED),
        V_CVT_PK_U16_U32   => exact("vdst[15:0] = min(src0, 0xffff); vdst[31:16] = min(src1, 0xffff)"),
        V_CVT_PK_I16_I32   => exact("vdst[15:0] = max(-0x8000, min(0x7fff, src0)); vdst[31:16] = max(-0x8000, min(0x7fff, src1))"),
        V_ADD_U16 | V_ADD_U32 => exact("vdst = src0 + src1"),
        V_SUB_U16 | V_SUB_U32 => exact("vdst = src0 - src1"),
        V_SUBREV_U16 | V_SUBREV_U32 => exact("vdst = src1 - src0"),
        V_MUL_LO_U16       => exact("vdst = src0 * src1"),
        V_LSHLREV_B16      => exact("vdst = src1 << src0[3:0]").but(COUNT_4),
        V_LSHRREV_B16 | V_ASHRREV_I16 => exact("vdst = src1 >> src0[3:0]").but(COUNT_4),
    }
}
