//! Scalar ALU instructions: SOP2, SOPK, SOP1, SOPC.

use crate::chapters::sop::{Sop1, Sop2, Sopc, Sopk};

use super::pseudocode::{BY_EFFECT, Meaning, exact, words};

const OVERFLOW: &str = "SCC is the signed overflow.";
const FIRST: &str = "SCC says that the first source is the result; it is 0 if both are equal.";
const COUNT_5: &str = "The shift's count is 5 bits of the source: 32 shifts by 0.";
const COUNT_6: &str = "The shift's count is 6 bits of the source: 64 shifts by 0.";
const FIELD: &str = "No bits give 0; bits beyond the highest are 0.";
const SIGNED_FIELD: &str =
    "No bits give 0; the highest bit taken is the sign; bits beyond the highest are the sign.";
const NONE_FOUND: &str = "Without such a bit it is -1.";
const LEAST: &str = "The least number stays what it is.";
const NO_LANE: &str = "SCC says if a lane is left active.";
const NAME_ALONE: &str = "No manual has more than its name (errata E205).";

/// The meaning of a SOP2 instruction.
#[rustfmt::skip]
pub(super) fn sop2(op: Sop2) -> Meaning {
    use Sop2::*;
    match op {
        S_ADD_U32     => exact("sdst = ssrc0 + ssrc1; scc = ssrc0 + ssrc1 > 0xffffffff").but("SCC is the carry."),
        S_SUB_U32     => exact("sdst = ssrc0 - ssrc1; scc = ssrc0 < ssrc1").but("SCC is the borrow."),
        S_ADD_I32     => exact("sdst = ssrc0 + ssrc1; scc = sdst != ssrc0 + ssrc1").but(OVERFLOW),
        S_SUB_I32     => exact("sdst = ssrc0 - ssrc1; scc = sdst != ssrc0 - ssrc1").but(OVERFLOW),
        S_ADDC_U32    => exact("sdst = ssrc0 + ssrc1 + scc; scc = ssrc0 + ssrc1 + scc > 0xffffffff").but("SCC is the carry, in and out."),
        S_SUBB_U32    => exact("sdst = ssrc0 - ssrc1 - scc; scc = ssrc0 < ssrc1 + scc").but("SCC is the borrow, in and out."),
        S_MIN_I32 | S_MIN_U32 => exact("sdst = min(ssrc0, ssrc1); scc = ssrc0 < ssrc1").but(FIRST),
        S_MAX_I32 | S_MAX_U32 => exact("sdst = max(ssrc0, ssrc1); scc = ssrc0 > ssrc1").but(FIRST),
        S_CSELECT_B32 | S_CSELECT_B64 => exact("sdst = scc ? ssrc0 : ssrc1"),
        S_AND_B32   | S_AND_B64   => exact("sdst = ssrc0 & ssrc1; scc = sdst != 0"),
        S_OR_B32    | S_OR_B64    => exact("sdst = ssrc0 | ssrc1; scc = sdst != 0"),
        S_XOR_B32   | S_XOR_B64   => exact("sdst = ssrc0 ^ ssrc1; scc = sdst != 0"),
        S_ANDN2_B32 | S_ANDN2_B64 => exact("sdst = ssrc0 & ~ssrc1; scc = sdst != 0"),
        S_ORN2_B32  | S_ORN2_B64  => exact("sdst = ssrc0 | ~ssrc1; scc = sdst != 0"),
        S_NAND_B32  | S_NAND_B64  => exact("sdst = ~(ssrc0 & ssrc1); scc = sdst != 0"),
        S_NOR_B32   | S_NOR_B64   => exact("sdst = ~(ssrc0 | ssrc1); scc = sdst != 0"),
        S_XNOR_B32  | S_XNOR_B64  => exact("sdst = ~(ssrc0 ^ ssrc1); scc = sdst != 0"),
        S_LSHL_B32    => exact("sdst = ssrc0 << ssrc1[4:0]; scc = sdst != 0").but(COUNT_5),
        S_LSHL_B64    => exact("sdst = ssrc0 << ssrc1[5:0]; scc = sdst != 0").but(COUNT_6),
        S_LSHR_B32 | S_ASHR_I32 => exact("sdst = ssrc0 >> ssrc1[4:0]; scc = sdst != 0").but(COUNT_5),
        S_LSHR_B64 | S_ASHR_I64 => exact("sdst = ssrc0 >> ssrc1[5:0]; scc = sdst != 0").but(COUNT_6),
        S_BFM_B32     => exact("sdst = ((1 << ssrc0[4:0]) - 1) << ssrc1[4:0]").but("Both counts are 5 bits: 32 ones cannot be made."),
        S_BFM_B64     => exact("sdst = ((1 << ssrc0[5:0]) - 1) << ssrc1[5:0]").but("Both counts are 6 bits: 64 ones cannot be made."),
        S_MUL_I32     => exact("sdst = ssrc0 * ssrc1").but("The low 32 bits, which signs do not change."),
        S_BFE_U32     => exact("sdst = (ssrc0 >> ssrc1[4:0]) & ((1 << ssrc1[22:16]) - 1); scc = sdst != 0").but(FIELD),
        S_BFE_I32     => exact("sdst = sext(ssrc0 >> ssrc1[4:0], ssrc1[22:16]); scc = sdst != 0").but(SIGNED_FIELD),
        S_BFE_U64     => exact("sdst = (ssrc0 >> ssrc1[5:0]) & ((1 << ssrc1[22:16]) - 1); scc = sdst != 0").but(FIELD),
        S_BFE_I64     => exact("sdst = sext(ssrc0 >> ssrc1[5:0], ssrc1[22:16]); scc = sdst != 0").but(SIGNED_FIELD),
        S_ABSDIFF_I32 => exact("sdst = abs(i32(ssrc0 - ssrc1)); scc = sdst != 0").but("The difference wraps before its sign is dropped; of the least number the sign stays."),
        S_MUL_HI_U32 | S_MUL_HI_I32 => exact("sdst = (ssrc0 * ssrc1) >> 32"),
        S_LSHL1_ADD_U32 => exact("sdst = (ssrc0 << 1) + ssrc1; scc = (ssrc0 << 1) + ssrc1 > 0xffffffff"),
        S_LSHL2_ADD_U32 => exact("sdst = (ssrc0 << 2) + ssrc1; scc = (ssrc0 << 2) + ssrc1 > 0xffffffff"),
        S_LSHL3_ADD_U32 => exact("sdst = (ssrc0 << 3) + ssrc1; scc = (ssrc0 << 3) + ssrc1 > 0xffffffff"),
        S_LSHL4_ADD_U32 => exact("sdst = (ssrc0 << 4) + ssrc1; scc = (ssrc0 << 4) + ssrc1 > 0xffffffff"),
        S_PACK_LL_B32_B16 => exact("sdst[15:0] = ssrc0[15:0]; sdst[31:16] = ssrc1[15:0]"),
        S_PACK_LH_B32_B16 => exact("sdst[15:0] = ssrc0[15:0]; sdst[31:16] = ssrc1[31:16]"),
        S_PACK_HH_B32_B16 => exact("sdst[15:0] = ssrc0[31:16]; sdst[31:16] = ssrc1[31:16]"),
        S_CBRANCH_G_FORK | S_RFE_RESTORE_B64 => BY_EFFECT,
    }
}

/// The meaning of a SOPK instruction.
#[rustfmt::skip]
pub(super) fn sopk(op: Sopk) -> Meaning {
    use Sopk::*;
    match op {
        S_MOVK_I32    => exact("sdst = simm16"),
        S_CMOVK_I32   => exact("if scc: sdst = simm16"),
        S_CMPK_EQ_I32 => exact("scc = sdst == simm16"),
        S_CMPK_LG_I32 => exact("scc = sdst != simm16"),
        S_CMPK_GT_I32 => exact("scc = sdst > simm16"),
        S_CMPK_GE_I32 => exact("scc = sdst >= simm16"),
        S_CMPK_LT_I32 => exact("scc = sdst < simm16"),
        S_CMPK_LE_I32 => exact("scc = sdst <= simm16"),
        S_CMPK_EQ_U32 => exact("scc = sdst == simm16[15:0]"),
        S_CMPK_LG_U32 => exact("scc = sdst != simm16[15:0]"),
        S_CMPK_GT_U32 => exact("scc = sdst > simm16[15:0]"),
        S_CMPK_GE_U32 => exact("scc = sdst >= simm16[15:0]"),
        S_CMPK_LT_U32 => exact("scc = sdst < simm16[15:0]"),
        S_CMPK_LE_U32 => exact("scc = sdst <= simm16[15:0]"),
        S_ADDK_I32    => exact("sum = sdst + simm16; sdst = sum; scc = sdst != sum").but(OVERFLOW),
        S_MULK_I32    => exact("sdst = sdst * simm16").but("SCC stays."),
        S_GETREG_B32  => words("sdst = hwreg[offset + width - 1 : offset]").but("The bits above are 0; a register that is not there reads as 0."),
        S_GETREG_REGRD_B32 => words("sdst = hwreg[offset + width - 1 : offset]").but(NAME_ALONE),
        S_SETREG_B32  => words("hwreg[offset + width - 1 : offset] = sdst").but("The field SDST holds the source. A kernel changes MODE and TRAPSTS; writes to other registers are ignored."),
        S_SETREG_IMM32_B32 => words("hwreg[offset + width - 1 : offset] = literal").but("A kernel changes MODE and TRAPSTS; writes to other registers are ignored."),
        S_CBRANCH_I_FORK | S_CALL_B64 => BY_EFFECT,
    }
}

/// The meaning of a SOP1 instruction.
#[rustfmt::skip]
pub(super) fn sop1(op: Sop1) -> Meaning {
    use Sop1::*;
    match op {
        S_MOV_B32 | S_MOV_B64   => exact("sdst = ssrc0"),
        S_CMOV_B32 | S_CMOV_B64 => exact("if scc: sdst = ssrc0"),
        S_NOT_B32 | S_NOT_B64   => exact("sdst = ~ssrc0; scc = sdst != 0"),
        S_WQM_B32 | S_WQM_B64   => words("sdst[i] = ssrc0[4*(i/4) + 3 : 4*(i/4)] != 0, for each bit i; scc = sdst != 0").but("A group of four bits becomes ones if it has one."),
        S_BREV_B32              => words("sdst[i] = ssrc0[31 - i], for each bit i"),
        S_BREV_B64              => words("sdst[i] = ssrc0[63 - i], for each bit i"),
        S_BCNT0_I32_B32         => exact("sdst = 32 - ones(ssrc0); scc = sdst != 0"),
        S_BCNT0_I32_B64         => exact("sdst = 64 - ones(ssrc0); scc = sdst != 0"),
        S_BCNT1_I32_B32 | S_BCNT1_I32_B64 => exact("sdst = ones(ssrc0); scc = sdst != 0"),
        S_FF0_I32_B32           => exact("sdst = ssrc0 == 0xffffffff ? -1 : lowest(~ssrc0)").but(NONE_FOUND),
        S_FF0_I32_B64           => exact("sdst = ssrc0 == 0xffffffffffffffff ? -1 : lowest(~ssrc0)").but(NONE_FOUND),
        S_FF1_I32_B32 | S_FF1_I32_B64 => exact("sdst = ssrc0 == 0 ? -1 : lowest(ssrc0)").but(NONE_FOUND),
        S_FLBIT_I32_B32         => exact("sdst = ssrc0 == 0 ? -1 : 31 - highest(ssrc0)").but("The zeros above the highest one; without a one it is -1."),
        S_FLBIT_I32_B64         => exact("sdst = ssrc0 == 0 ? -1 : 63 - highest(ssrc0)").but("The zeros above the highest one; without a one it is -1."),
        S_FLBIT_I32             => exact("other = ssrc0 < 0 ? ~ssrc0 : ssrc0; sdst = other == 0 ? -1 : 31 - highest(other)").but("The bits that are like the sign, the sign included; if all are, it is -1."),
        S_FLBIT_I32_I64         => exact("other = ssrc0 < 0 ? ~ssrc0 : ssrc0; sdst = other == 0 ? -1 : 63 - highest(other)").but("The bits that are like the sign, the sign included; if all are, it is -1."),
        S_SEXT_I32_I8           => exact("sdst = sext(ssrc0, 8)"),
        S_SEXT_I32_I16          => exact("sdst = sext(ssrc0, 16)"),
        S_BITSET0_B32           => exact("sdst = sdst & ~(1 << ssrc0[4:0])"),
        S_BITSET0_B64           => exact("sdst = sdst & ~(1 << ssrc0[5:0])"),
        S_BITSET1_B32           => exact("sdst = sdst | (1 << ssrc0[4:0])"),
        S_BITSET1_B64           => exact("sdst = sdst | (1 << ssrc0[5:0])"),
        S_GETPC_B64             => words("sdst = pc").but("PC is the address of the next instruction."),
        S_AND_SAVEEXEC_B64      => exact("sdst = exec; exec = ssrc0 & exec; scc = exec != 0").but(NO_LANE),
        S_OR_SAVEEXEC_B64       => exact("sdst = exec; exec = ssrc0 | exec; scc = exec != 0").but(NO_LANE),
        S_XOR_SAVEEXEC_B64      => exact("sdst = exec; exec = ssrc0 ^ exec; scc = exec != 0").but(NO_LANE),
        S_ANDN2_SAVEEXEC_B64    => exact("sdst = exec; exec = ssrc0 & ~exec; scc = exec != 0").but(NO_LANE),
        S_ORN2_SAVEEXEC_B64     => exact("sdst = exec; exec = ssrc0 | ~exec; scc = exec != 0").but(NO_LANE),
        S_NAND_SAVEEXEC_B64     => exact("sdst = exec; exec = ~(ssrc0 & exec); scc = exec != 0").but(NO_LANE),
        S_NOR_SAVEEXEC_B64      => exact("sdst = exec; exec = ~(ssrc0 | exec); scc = exec != 0").but(NO_LANE),
        S_XNOR_SAVEEXEC_B64     => exact("sdst = exec; exec = ~(ssrc0 ^ exec); scc = exec != 0").but(NO_LANE),
        S_ANDN1_SAVEEXEC_B64    => exact("sdst = exec; exec = ~ssrc0 & exec; scc = exec != 0").but(NO_LANE),
        S_ORN1_SAVEEXEC_B64     => exact("sdst = exec; exec = ~ssrc0 | exec; scc = exec != 0").but(NO_LANE),
        S_ANDN1_WREXEC_B64      => exact("exec = ~ssrc0 & exec; sdst = exec; scc = exec != 0").but(NO_LANE),
        S_ANDN2_WREXEC_B64      => exact("exec = ssrc0 & ~exec; sdst = exec; scc = exec != 0").but(NO_LANE),
        S_QUADMASK_B32 | S_QUADMASK_B64 => words("sdst[i] = ssrc0[4*i + 3 : 4*i] != 0, for each group i of four bits; scc = sdst != 0").but("The bits above are 0."),
        S_MOVRELS_B32 | S_MOVRELS_B64 => words("sdst = SGPR[ssrc0's number + m0]").but("Beyond the wave's registers nothing is written (checklist 1.6)."),
        S_MOVRELD_B32 | S_MOVRELD_B64 => words("SGPR[sdst's number + m0] = ssrc0").but("Beyond the wave's registers nothing is written (checklist 1.6)."),
        S_MOV_REGRD_B32         => words("sdst = ssrc0").but(NAME_ALONE),
        S_MOV_FED_B32           => words("sdst = ssrc0").but("Made to test the detection of errors in hardware (errata E205)."),
        S_ABS_I32               => exact("sdst = abs(ssrc0); scc = sdst != 0").but(LEAST),
        S_SET_GPR_IDX_IDX       => exact("m0[7:0] = ssrc0[7:0]"),
        S_BITREPLICATE_B64_B32  => words("sdst[2*i] = ssrc0[i]; sdst[2*i + 1] = ssrc0[i], for each bit i of ssrc0"),
        S_SETPC_B64 | S_SWAPPC_B64 | S_RFE_B64 | S_CBRANCH_JOIN => BY_EFFECT,
    }
}

/// The meaning of a SOPC instruction.
#[rustfmt::skip]
pub(super) fn sopc(op: Sopc) -> Meaning {
    use Sopc::*;
    match op {
        S_CMP_EQ_I32 | S_CMP_EQ_U32 | S_CMP_EQ_U64 => exact("scc = ssrc0 == ssrc1"),
        S_CMP_LG_I32 | S_CMP_LG_U32 | S_CMP_LG_U64 => exact("scc = ssrc0 != ssrc1"),
        S_CMP_GT_I32 | S_CMP_GT_U32 => exact("scc = ssrc0 > ssrc1"),
        S_CMP_GE_I32 | S_CMP_GE_U32 => exact("scc = ssrc0 >= ssrc1"),
        S_CMP_LT_I32 | S_CMP_LT_U32 => exact("scc = ssrc0 < ssrc1"),
        S_CMP_LE_I32 | S_CMP_LE_U32 => exact("scc = ssrc0 <= ssrc1"),
        S_BITCMP0_B32    => exact("scc = ssrc0[ssrc1[4:0]] == 0"),
        S_BITCMP1_B32    => exact("scc = ssrc0[ssrc1[4:0]] == 1"),
        S_BITCMP0_B64    => exact("scc = ssrc0[ssrc1[5:0]] == 0"),
        S_BITCMP1_B64    => exact("scc = ssrc0[ssrc1[5:0]] == 1"),
        S_SETVSKIP       => words("mode.vskip = ssrc0[ssrc1[4:0]]").but("While it is set, vector instructions are skipped."),
        S_SET_GPR_IDX_ON => words("m0[7:0] = ssrc0[7:0]; m0[15:12] = simm4; mode.gpr_idx_en = 1").but("From then on M0's index is added to the numbers of the VGPRs whose operands M0's four bits name."),
    }
}
