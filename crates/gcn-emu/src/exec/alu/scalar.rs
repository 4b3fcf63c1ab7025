//! Scalar ALU: SOP2, SOPK, SOP1, SOPC. An arm for each instruction; the protocol is in the functions below.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Scalar ALU Operations".

use gcn_isa::Isa;
use gcn_isa::simm::Hwreg;
use gcn_isa::sop::{Sop1, Sop2, Sopc, Sopk};

use super::indexing;
use crate::code::{Arg, Handler, Step};
use crate::wave::{MODE_VSKIP, Wave};

/// The handler of a SOP2 instruction.
#[rustfmt::skip]
pub fn sop2(op: Sop2) -> Option<Handler> {
    use Sop2::*;
    let handler: Handler = match op {
        S_ADD_U32         => |w, s| two(w, s, |a: u32, b: u32, _| a.overflowing_add(b)),
        S_SUB_U32         => |w, s| two(w, s, |a: u32, b: u32, _| a.overflowing_sub(b)),
        S_ADD_I32         => |w, s| two(w, s, |a: i32, b: i32, _| a.overflowing_add(b)),
        S_SUB_I32         => |w, s| two(w, s, |a: i32, b: i32, _| a.overflowing_sub(b)),
        S_ADDC_U32        => |w, s| two(w, s, |a: u32, b: u32, scc| add_carry(a, b, scc)),
        S_SUBB_U32        => |w, s| two(w, s, |a: u32, b: u32, scc| sub_borrow(a, b, scc)),
        S_MIN_I32         => |w, s| two(w, s, |a: i32, b: i32, _| (a.min(b), a < b)),
        S_MIN_U32         => |w, s| two(w, s, |a: u32, b: u32, _| (a.min(b), a < b)),
        S_MAX_I32         => |w, s| two(w, s, |a: i32, b: i32, _| (a.max(b), a > b)),
        S_MAX_U32         => |w, s| two(w, s, |a: u32, b: u32, _| (a.max(b), a > b)),
        S_CSELECT_B32     => |w, s| two(w, s, |a: u32, b: u32, scc| if scc { a } else { b }),
        S_CSELECT_B64     => |w, s| two(w, s, |a: u64, b: u64, scc| if scc { a } else { b }),
        S_AND_B32         => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(a & b)),
        S_AND_B64         => |w, s| two(w, s, |a: u64, b: u64, _| non_zero(a & b)),
        S_OR_B32          => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(a | b)),
        S_OR_B64          => |w, s| two(w, s, |a: u64, b: u64, _| non_zero(a | b)),
        S_XOR_B32         => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(a ^ b)),
        S_XOR_B64         => |w, s| two(w, s, |a: u64, b: u64, _| non_zero(a ^ b)),
        S_ANDN2_B32       => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(a & !b)),
        S_ANDN2_B64       => |w, s| two(w, s, |a: u64, b: u64, _| non_zero(a & !b)),
        S_ORN2_B32        => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(a | !b)),
        S_ORN2_B64        => |w, s| two(w, s, |a: u64, b: u64, _| non_zero(a | !b)),
        S_NAND_B32        => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(!(a & b))),
        S_NAND_B64        => |w, s| two(w, s, |a: u64, b: u64, _| non_zero(!(a & b))),
        S_NOR_B32         => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(!(a | b))),
        S_NOR_B64         => |w, s| two(w, s, |a: u64, b: u64, _| non_zero(!(a | b))),
        S_XNOR_B32        => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(!(a ^ b))),
        S_XNOR_B64        => |w, s| two(w, s, |a: u64, b: u64, _| non_zero(!(a ^ b))),
        S_LSHL_B32        => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(a.wrapping_shl(b))),
        S_LSHL_B64        => |w, s| two(w, s, |a: u64, b: u32, _| non_zero(a.wrapping_shl(b))),
        S_LSHR_B32        => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(a.wrapping_shr(b))),
        S_LSHR_B64        => |w, s| two(w, s, |a: u64, b: u32, _| non_zero(a.wrapping_shr(b))),
        S_ASHR_I32        => |w, s| two(w, s, |a: i32, b: u32, _| non_zero(a.wrapping_shr(b))),
        S_ASHR_I64        => |w, s| two(w, s, |a: i64, b: u32, _| non_zero(a.wrapping_shr(b))),
        S_BFM_B32         => |w, s| two(w, s, |a: u32, b: u32, _| ((1u32 << (a & 31)) - 1).wrapping_shl(b)),
        S_BFM_B64         => |w, s| two(w, s, |a: u32, b: u32, _| ((1u64 << (a & 63)) - 1).wrapping_shl(b)),
        S_MUL_I32         => |w, s| two(w, s, |a: i32, b: i32, _| a.wrapping_mul(b)),
        S_BFE_U32         => |w, s| two(w, s, |a: u32, b: u32, _| non_zero(bits(u64::from(a), b & 31, b >> 16 & 0x7f) as u32)),
        S_BFE_I32         => |w, s| two(w, s, |a: i32, b: u32, _| non_zero(signed_bits(i64::from(a), b & 31, b >> 16 & 0x7f) as i32)),
        S_BFE_U64         => |w, s| two(w, s, |a: u64, b: u32, _| non_zero(bits(a, b & 63, b >> 16 & 0x7f))),
        S_BFE_I64         => |w, s| two(w, s, |a: i64, b: u32, _| non_zero(signed_bits(a, b & 63, b >> 16 & 0x7f))),
        S_ABSDIFF_I32     => |w, s| two(w, s, |a: i32, b: i32, _| non_zero(a.wrapping_sub(b).wrapping_abs())),
        S_MUL_HI_U32      => |w, s| two(w, s, |a: u32, b: u32, _| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        S_MUL_HI_I32      => |w, s| two(w, s, |a: i32, b: i32, _| ((i64::from(a) * i64::from(b)) >> 32) as i32),
        S_LSHL1_ADD_U32   => |w, s| two(w, s, |a: u32, b: u32, _| shift_add(a, 1, b)),
        S_LSHL2_ADD_U32   => |w, s| two(w, s, |a: u32, b: u32, _| shift_add(a, 2, b)),
        S_LSHL3_ADD_U32   => |w, s| two(w, s, |a: u32, b: u32, _| shift_add(a, 3, b)),
        S_LSHL4_ADD_U32   => |w, s| two(w, s, |a: u32, b: u32, _| shift_add(a, 4, b)),
        S_PACK_LL_B32_B16 => |w, s| two(w, s, |a: u32, b: u32, _| a & 0xffff | b << 16),
        S_PACK_LH_B32_B16 => |w, s| two(w, s, |a: u32, b: u32, _| a & 0xffff | b & 0xffff_0000),
        S_PACK_HH_B32_B16 => |w, s| two(w, s, |a: u32, b: u32, _| a >> 16 | b & 0xffff_0000),
        S_CBRANCH_G_FORK  => |w, s| { let target = read(w, s.args[1]); fork(w, s, target) },
        // The step loop reports it: there are no trap handlers here.
        S_RFE_RESTORE_B64 => return None,
    };
    Some(handler)
}

/// The handler of a SOPK instruction.
#[rustfmt::skip]
pub fn sopk(op: Sopk) -> Option<Handler> {
    use Sopk::*;
    let handler: Handler = match op {
        S_MOVK_I32         => |w, s| one(w, s, |k: i32, _| k),
        S_CMOVK_I32        => |w, s| if w.scc { one(w, s, |k: i32, _| k) },
        S_CMPK_EQ_I32      => |w, s| compare(w, s, |a: i32, k: i32| a == k),
        S_CMPK_LG_I32      => |w, s| compare(w, s, |a: i32, k: i32| a != k),
        S_CMPK_GT_I32      => |w, s| compare(w, s, |a: i32, k: i32| a > k),
        S_CMPK_GE_I32      => |w, s| compare(w, s, |a: i32, k: i32| a >= k),
        S_CMPK_LT_I32      => |w, s| compare(w, s, |a: i32, k: i32| a < k),
        S_CMPK_LE_I32      => |w, s| compare(w, s, |a: i32, k: i32| a <= k),
        S_CMPK_EQ_U32      => |w, s| compare(w, s, |a: u32, k: u32| a == k & 0xffff),
        S_CMPK_LG_U32      => |w, s| compare(w, s, |a: u32, k: u32| a != k & 0xffff),
        S_CMPK_GT_U32      => |w, s| compare(w, s, |a: u32, k: u32| a > k & 0xffff),
        S_CMPK_GE_U32      => |w, s| compare(w, s, |a: u32, k: u32| a >= k & 0xffff),
        S_CMPK_LT_U32      => |w, s| compare(w, s, |a: u32, k: u32| a < k & 0xffff),
        S_CMPK_LE_U32      => |w, s| compare(w, s, |a: u32, k: u32| a <= k & 0xffff),
        S_ADDK_I32         => |w, s| update(w, s, |d: i32, k: i32| d.overflowing_add(k)),
        S_MULK_I32         => |w, s| update(w, s, |d: i32, k: i32| d.wrapping_mul(k)),
        // Of the second nothing but its name is known (errata E205).
        S_GETREG_B32 | S_GETREG_REGRD_B32 => |w, s| get_register(w, s),
        S_SETREG_B32       => |w, s| set_register(w, s),
        S_SETREG_IMM32_B32 => |w, s| set_register(w, s),
        S_CALL_B64         => |w, s| {
            let next = w.pc;
            write(w, s.args[0], next);
            w.pc = next.wrapping_add_signed(s.immediate() * 4);
        },
        S_CBRANCH_I_FORK   => |w, s| { let target = w.pc.wrapping_add_signed(s.immediate() * 4); fork(w, s, target) },
    };
    Some(handler)
}

/// The handler of a SOP1 instruction.
#[rustfmt::skip]
pub fn sop1(op: Sop1) -> Option<Handler> {
    use Sop1::*;
    let handler: Handler = match op {
        // Nothing is known of the second but its name, and the third's fault is in hardware (errata E205).
        S_MOV_B32 | S_MOV_REGRD_B32 | S_MOV_FED_B32 => |w, s| one(w, s, |a: u32, _| a),
        S_MOV_B64              => |w, s| one(w, s, |a: u64, _| a),
        S_CMOV_B32             => |w, s| if w.scc { one(w, s, |a: u32, _| a) },
        S_CMOV_B64             => |w, s| if w.scc { one(w, s, |a: u64, _| a) },
        S_NOT_B32              => |w, s| one(w, s, |a: u32, _| non_zero(!a)),
        S_NOT_B64              => |w, s| one(w, s, |a: u64, _| non_zero(!a)),
        S_WQM_B32              => |w, s| one(w, s, |a: u32, _| non_zero(whole_quads(u64::from(a)) as u32)),
        S_WQM_B64              => |w, s| one(w, s, |a: u64, _| non_zero(whole_quads(a))),
        S_BREV_B32             => |w, s| one(w, s, |a: u32, _| a.reverse_bits()),
        S_BREV_B64             => |w, s| one(w, s, |a: u64, _| a.reverse_bits()),
        S_BCNT0_I32_B32        => |w, s| one(w, s, |a: u32, _| non_zero(a.count_zeros())),
        S_BCNT0_I32_B64        => |w, s| one(w, s, |a: u64, _| non_zero(a.count_zeros())),
        S_BCNT1_I32_B32        => |w, s| one(w, s, |a: u32, _| non_zero(a.count_ones())),
        S_BCNT1_I32_B64        => |w, s| one(w, s, |a: u64, _| non_zero(a.count_ones())),
        S_FF0_I32_B32          => |w, s| one(w, s, |a: u32, _| found(a.trailing_ones(), 32)),
        S_FF0_I32_B64          => |w, s| one(w, s, |a: u64, _| found(a.trailing_ones(), 64)),
        S_FF1_I32_B32          => |w, s| one(w, s, |a: u32, _| found(a.trailing_zeros(), 32)),
        S_FF1_I32_B64          => |w, s| one(w, s, |a: u64, _| found(a.trailing_zeros(), 64)),
        S_FLBIT_I32_B32        => |w, s| one(w, s, |a: u32, _| found(a.leading_zeros(), 32)),
        S_FLBIT_I32_B64        => |w, s| one(w, s, |a: u64, _| found(a.leading_zeros(), 64)),
        S_FLBIT_I32            => |w, s| one(w, s, |a: i32, _| found((a ^ a >> 31).leading_zeros(), 32)),
        S_FLBIT_I32_I64        => |w, s| one(w, s, |a: i64, _| found((a ^ a >> 63).leading_zeros(), 64)),
        S_SEXT_I32_I8          => |w, s| one(w, s, |a: i32, _| i32::from(a as i8)),
        S_SEXT_I32_I16         => |w, s| one(w, s, |a: i32, _| i32::from(a as i16)),
        S_BITSET0_B32          => |w, s| update(w, s, |d: u32, a: u32| d & !1u32.wrapping_shl(a)),
        S_BITSET0_B64          => |w, s| update(w, s, |d: u64, a: u32| d & !1u64.wrapping_shl(a)),
        S_BITSET1_B32          => |w, s| update(w, s, |d: u32, a: u32| d | 1u32.wrapping_shl(a)),
        S_BITSET1_B64          => |w, s| update(w, s, |d: u64, a: u32| d | 1u64.wrapping_shl(a)),
        S_GETPC_B64            => |w, s| { let next = w.pc; write(w, s.args[0], next) },
        S_SETPC_B64            => |w, s| w.pc = read(w, s.args[0]),
        S_SWAPPC_B64           => |w, s| {
            let (next, target) = (w.pc, read(w, s.args[1]));
            write(w, s.args[0], next);
            w.pc = target;
        },
        S_AND_SAVEEXEC_B64     => |w, s| save_exec(w, s, |a, exec| a & exec),
        S_OR_SAVEEXEC_B64      => |w, s| save_exec(w, s, |a, exec| a | exec),
        S_XOR_SAVEEXEC_B64     => |w, s| save_exec(w, s, |a, exec| a ^ exec),
        S_ANDN2_SAVEEXEC_B64   => |w, s| save_exec(w, s, |a, exec| a & !exec),
        S_ORN2_SAVEEXEC_B64    => |w, s| save_exec(w, s, |a, exec| a | !exec),
        S_NAND_SAVEEXEC_B64    => |w, s| save_exec(w, s, |a, exec| !(a & exec)),
        S_NOR_SAVEEXEC_B64     => |w, s| save_exec(w, s, |a, exec| !(a | exec)),
        S_XNOR_SAVEEXEC_B64    => |w, s| save_exec(w, s, |a, exec| !(a ^ exec)),
        S_ANDN1_SAVEEXEC_B64   => |w, s| save_exec(w, s, |a, exec| !a & exec),
        S_ORN1_SAVEEXEC_B64    => |w, s| save_exec(w, s, |a, exec| !a | exec),
        S_ANDN1_WREXEC_B64     => |w, s| write_exec(w, s, |a, exec| !a & exec),
        S_ANDN2_WREXEC_B64     => |w, s| write_exec(w, s, |a, exec| a & !exec),
        S_QUADMASK_B32         => |w, s| one(w, s, |a: u32, _| non_zero(quad_mask(u64::from(a)) as u32)),
        S_QUADMASK_B64         => |w, s| one(w, s, |a: u64, _| non_zero(quad_mask(a))),
        S_MOVRELS_B32          => |w, s| move_relative::<u32>(w, s),
        S_MOVRELS_B64          => |w, s| move_relative::<u64>(w, s),
        S_MOVRELD_B32          => |w, s| move_relative::<u32>(w, s),
        S_MOVRELD_B64          => |w, s| move_relative::<u64>(w, s),
        S_ABS_I32              => |w, s| one(w, s, |a: i32, _| non_zero(a.wrapping_abs())),
        S_BITREPLICATE_B64_B32 => |w, s| one(w, s, |a: u32, _| replicate(a)),
        S_SET_GPR_IDX_IDX      => |w, s| indexing::set_index(w, s, 0),
        S_CBRANCH_JOIN         => join,
        // The step loop reports it: there are no trap handlers here.
        S_RFE_B64 => return None,
    };
    Some(handler)
}

/// The handler of a SOPC instruction.
#[rustfmt::skip]
pub fn sopc(op: Sopc) -> Option<Handler> {
    use Sopc::*;
    let handler: Handler = match op {
        S_CMP_EQ_I32  => |w, s| compare(w, s, |a: i32, b: i32| a == b),
        S_CMP_LG_I32  => |w, s| compare(w, s, |a: i32, b: i32| a != b),
        S_CMP_GT_I32  => |w, s| compare(w, s, |a: i32, b: i32| a > b),
        S_CMP_GE_I32  => |w, s| compare(w, s, |a: i32, b: i32| a >= b),
        S_CMP_LT_I32  => |w, s| compare(w, s, |a: i32, b: i32| a < b),
        S_CMP_LE_I32  => |w, s| compare(w, s, |a: i32, b: i32| a <= b),
        S_CMP_EQ_U32  => |w, s| compare(w, s, |a: u32, b: u32| a == b),
        S_CMP_LG_U32  => |w, s| compare(w, s, |a: u32, b: u32| a != b),
        S_CMP_GT_U32  => |w, s| compare(w, s, |a: u32, b: u32| a > b),
        S_CMP_GE_U32  => |w, s| compare(w, s, |a: u32, b: u32| a >= b),
        S_CMP_LT_U32  => |w, s| compare(w, s, |a: u32, b: u32| a < b),
        S_CMP_LE_U32  => |w, s| compare(w, s, |a: u32, b: u32| a <= b),
        S_BITCMP0_B32 => |w, s| compare(w, s, |a: u32, b: u32| a.wrapping_shr(b) & 1 == 0),
        S_BITCMP1_B32 => |w, s| compare(w, s, |a: u32, b: u32| a.wrapping_shr(b) & 1 == 1),
        S_BITCMP0_B64 => |w, s| compare(w, s, |a: u64, b: u32| a.wrapping_shr(b) & 1 == 0),
        S_BITCMP1_B64 => |w, s| compare(w, s, |a: u64, b: u32| a.wrapping_shr(b) & 1 == 1),
        S_CMP_EQ_U64  => |w, s| compare(w, s, |a: u64, b: u64| a == b),
        S_CMP_LG_U64  => |w, s| compare(w, s, |a: u64, b: u64| a != b),
        S_SET_GPR_IDX_ON => indexing::turn_on,
        S_SETVSKIP    => |w, s| {
            let bits: u32 = read(w, s.args[0]);
            let skips = bits.wrapping_shr(read(w, s.args[1])) & 1 != 0;
            w.mode = w.mode & !MODE_VSKIP | if skips { MODE_VSKIP } else { 0 };
        },
    };
    Some(handler)
}

/// A value of one or two scalar registers.
pub(super) trait Scalar: Copy {
    /// Number of registers.
    const DWORDS: u8;
    /// From 64 bits, of which the low ones count.
    fn from_bits(bits: u64) -> Self;
    /// To 64 bits.
    fn bits(self) -> u64;
}

macro_rules! scalar {
    ($($Type:ty, $dwords:literal, $Unsigned:ty;)*) => {
        $(impl Scalar for $Type {
            const DWORDS: u8 = $dwords;
            #[inline(always)]
            fn from_bits(bits: u64) -> $Type { bits as $Type }
            #[inline(always)]
            fn bits(self) -> u64 { u64::from(self as $Unsigned) }
        })*
    };
}
scalar! { u32, 1, u32; i32, 1, u32; u64, 2, u64; i64, 2, u64; }

/// Result of a scalar instruction: a value, SCC, or both.
trait Outcome {
    fn put(self, wave: &mut Wave, destination: Arg);
}

impl<T: Scalar> Outcome for T {
    #[inline(always)]
    fn put(self, wave: &mut Wave, destination: Arg) {
        write(wave, destination, self);
    }
}

impl<T: Scalar> Outcome for (T, bool) {
    #[inline(always)]
    fn put(self, wave: &mut Wave, destination: Arg) {
        write(wave, destination, self.0);
        wave.scc = self.1;
    }
}

/// Reads a scalar source.
#[inline(always)]
pub(super) fn read<T: Scalar>(wave: &Wave, source: Arg) -> T {
    T::from_bits(match source {
        Arg::Scalar(code) if T::DWORDS == 2 => {
            u64::from(wave.resolved(code)) | u64::from(wave.resolved(code + 1)) << 32
        }
        Arg::Scalar(code) => u64::from(wave.resolved(code)),
        Arg::Const(value) => value,
        other => read_other(wave, other),
    })
}

/// A source that few instructions have.
#[cold]
#[inline(never)]
fn read_other(wave: &Wave, source: Arg) -> u64 {
    match source {
        Arg::Special(code) => wave.special(code),
        Arg::Imm(value) => value as u64,
        _ => 0,
    }
}

/// Writes a scalar destination.
#[inline(always)]
pub(super) fn write<T: Scalar>(wave: &mut Wave, destination: Arg, value: T) {
    if let Arg::Scalar(code) = destination {
        if T::DWORDS == 2 {
            wave.set_scalar64(code, value.bits());
        } else {
            wave.set_scalar(code, value.bits() as u32);
        }
    }
}

/// Destination, two sources; SCC is given to `f`.
#[inline(always)]
fn two<A: Scalar, B: Scalar, R: Outcome>(w: &mut Wave, s: &Step, f: impl Fn(A, B, bool) -> R) {
    f(read(w, s.args[1]), read(w, s.args[2]), w.scc).put(w, s.args[0]);
}

/// Destination, one source; SCC is given to `f`.
#[inline(always)]
fn one<A: Scalar, R: Outcome>(w: &mut Wave, s: &Step, f: impl Fn(A, bool) -> R) {
    f(read(w, s.args[1]), w.scc).put(w, s.args[0]);
}

/// A destination that is read as well, one source.
#[inline(always)]
fn update<D: Scalar, A: Scalar, R: Outcome>(w: &mut Wave, s: &Step, f: impl Fn(D, A) -> R) {
    f(read(w, s.args[0]), read(w, s.args[1])).put(w, s.args[0]);
}

/// Two sources; the result is SCC.
#[inline(always)]
fn compare<A: Scalar, B: Scalar>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> bool) {
    w.scc = f(read(w, s.args[0]), read(w, s.args[1]));
}

/// The destination receives the old EXEC; SCC says whether the new one has a lane.
#[inline(always)]
fn save_exec(w: &mut Wave, s: &Step, f: impl Fn(u64, u64) -> u64) {
    let old = w.exec();
    let new = f(read(w, s.args[1]), old);
    write(w, s.args[0], old);
    w.set_exec(new);
    w.scc = new != 0;
}

/// The destination receives the new EXEC; SCC says whether it has a lane.
#[inline(always)]
fn write_exec(w: &mut Wave, s: &Step, f: impl Fn(u64, u64) -> u64) {
    let new = f(read(w, s.args[1]), w.exec());
    write(w, s.args[0], new);
    w.set_exec(new);
    w.scc = new != 0;
}

/// A result with SCC as its being non-zero.
#[inline(always)]
fn non_zero<T: Scalar>(value: T) -> (T, bool) {
    (value, value.bits() != 0)
}

/// The sum with a carry, and the carry out.
#[inline(always)]
pub(super) fn add_carry(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u32::from(carry));
    (sum, first | second)
}

/// The difference with a borrow, and the borrow out.
#[inline(always)]
pub(super) fn sub_borrow(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    // Comparisons are what the host's vectors have.
    let difference = a.wrapping_sub(b);
    let last = u32::from(borrow);
    (difference.wrapping_sub(last), (a < b) | (difference < last))
}

/// A bit's number, −1 if there was none.
#[inline(always)]
pub(super) fn found(number: u32, none: u32) -> i32 {
    if number == none { -1 } else { number as i32 }
}

/// `width` bits from `offset` on.
#[inline(always)]
pub(super) fn bits(value: u64, offset: u32, width: u32) -> u64 {
    let shifted = value >> offset;
    if width < 64 {
        shifted & ((1 << width) - 1)
    } else {
        shifted
    }
}

/// The same with the highest of them as sign.
#[inline(always)]
pub(super) fn signed_bits(value: i64, offset: u32, width: u32) -> i64 {
    let shifted = value >> offset;
    match width {
        0 => 0,
        1..64 => shifted << (64 - width) >> (64 - width),
        _ => shifted,
    }
}

#[inline(always)]
fn shift_add(a: u32, shift: u32, b: u32) -> (u32, bool) {
    let sum = (u64::from(a) << shift) + u64::from(b);
    (sum as u32, sum > u64::from(u32::MAX))
}

/// The lowest bit of each group of four.
const QUADS: u64 = 0x1111_1111_1111_1111;

/// True if a group of four has a bit, in the group's lowest bit.
fn quads(value: u64) -> u64 {
    (value | value >> 1 | value >> 2 | value >> 3) & QUADS
}

/// All bits of every group of four that has one.
fn whole_quads(value: u64) -> u64 {
    quads(value) * 0xf
}

/// A bit for every group of four, set if the group has one.
fn quad_mask(value: u64) -> u64 {
    let quads = quads(value);
    (0..16).fold(0, |mask, quad| mask | (quads >> (3 * quad)) & 1 << quad)
}

/// Every bit twice.
fn replicate(value: u32) -> u64 {
    (0..32).fold(0, |wide, bit| {
        wide | (u64::from(value >> bit & 1) * 0b11) << (2 * bit)
    })
}

/// Moves a register, or a pair, to or from where MOVREL says (checklist 1.7).
fn move_relative<T: Scalar>(w: &mut Wave, s: &Step) {
    let [destination, source, ..] = s.relative_operands(w);
    if let Arg::Scalar(_) = destination {
        let value: T = read(w, source);
        write(w, destination, value);
    }
}

/// MODE: how many parts of the wave wait on the stack of S_CBRANCH_…_FORK, three bits.
const STACK_SHIFT: u32 = 29;
/// Scalar registers of a part: EXEC, then the program counter.
const PART: u32 = 4;

/// The stack's depth.
fn depth(w: &Wave) -> u32 {
    w.mode >> STACK_SHIFT
}

fn set_depth(w: &mut Wave, depth: u32) {
    w.mode = w.mode & !(u32::MAX << STACK_SHIFT) | depth << STACK_SHIFT;
}

/// The scalar registers of part number `number`.
fn part(number: u32) -> [u8; 2] {
    let first = (number * PART) as u8;
    [first, first + 2]
}

/// The lanes in the first operand go to `target`, the others on; where both have some, the smaller part goes first and
/// the other waits on the stack (errata E204). Registers that the wave has not are not written (checklist 1.7).
fn fork(w: &mut Wave, s: &Step, target: u64) {
    let (exec, next) = (w.exec(), w.pc);
    let mask: u64 = read(w, s.args[0]);
    let (passes, fails) = (mask & exec, !mask & exec);
    if passes == exec {
        w.pc = target;
        return;
    }
    if fails == exec {
        return;
    }
    let (first, later) = if fails.count_ones() < passes.count_ones() {
        ((fails, next), (passes, target))
    } else {
        ((passes, target), (fails, next))
    };
    let depth_before = depth(w);
    let [lanes, address] = part(depth_before);
    if w.owns_scalars(lanes, PART as u8) {
        w.set_scalar64(lanes, later.0);
        w.set_scalar64(address, later.1);
    }
    set_depth(w, depth_before + 1);
    w.set_exec(first.0);
    w.pc = first.1;
}

/// Goes on where the stack was as deep as the operand says; until then the next part has its turn (errata E204).
fn join(w: &mut Wave, s: &Step) {
    let until: u32 = read(w, s.args[0]);
    if depth(w) == until {
        return;
    }
    let number = depth(w).wrapping_sub(1) & (u32::MAX >> STACK_SHIFT);
    let [lanes, address] = part(number);
    set_depth(w, number);
    let (exec, pc) = (w.scalar64(lanes), w.scalar64(address));
    w.set_exec(exec);
    w.pc = pc;
}

// Numbers of the hardware registers.
const MODE: u8 = 1;
const STATUS: u8 = 2;
const TRAPSTS: u8 = 3;
const HW_ID: u8 = 4;
const GPR_ALLOC: u8 = 5;
const LDS_ALLOC: u8 = 6;
/// The one with the counters.
pub(crate) const IB_STS: u8 = 7;
const SH_MEM_BASES: u8 = 15;

// Bits of STATUS.
const STATUS_SCC: u32 = 0;
const STATUS_USER_PRIORITY: u32 = 3;
const STATUS_EXECZ: u32 = 9;
const STATUS_VCCZ: u32 = 10;
const STATUS_IN_GROUP: u32 = 11;
const STATUS_VALID: u32 = 16;

/// Waves of a compute unit go round its SIMD units.
const SIMD_UNITS: u32 = 4;

// Where parts of the registers are, and what their sizes count (errata E207).
const HW_ID_SIMD: u32 = 4;
const HW_ID_WAVE: u32 = 0xf;
const GPR_ALLOC_VGPRS: u32 = 8;
const GPR_ALLOC_SGPRS: u32 = 24;
const VGPRS_TOGETHER: u32 = 4;
const LDS_ALLOC_SIZE: u32 = 12;
const IB_STS_EXP: u32 = 4;
const IB_STS_LGKM: u32 = 8;
const IB_STS_VM_HIGH: u32 = 22;
const VM_LOW: u32 = 0xf;

/// Number of units that hold `count`, minus one, the form in which registers give the size of allocations.
fn units_but_one(count: u32, unit: u32) -> u32 {
    count.div_ceil(unit).saturating_sub(1)
}

/// The value of a hardware register. What nothing here has (traps, the place on a chip beyond a unit) is 0.
fn hardware_register(w: &Wave, id: u8) -> u32 {
    match id {
        MODE => w.mode,
        STATUS => {
            u32::from(w.scc) << STATUS_SCC
                | u32::from(w.exec() == 0) << STATUS_EXECZ
                | u32::from(w.vcc() == 0) << STATUS_VCCZ
                | u32::from(w.priority) << STATUS_USER_PRIORITY
                | u32::from(w.group.waves > 1) << STATUS_IN_GROUP
                | 1 << STATUS_VALID
        }
        TRAPSTS => w.trapsts,
        HW_ID => (w.id.wave / SIMD_UNITS) & HW_ID_WAVE | (w.id.wave % SIMD_UNITS) << HW_ID_SIMD,
        GPR_ALLOC => {
            let sgprs_together = if w.isa < Isa::Vi { 8 } else { 16 };
            let vgprs = units_but_one(w.vgprs.len() as u32, VGPRS_TOGETHER);
            let sgprs = units_but_one(w.sgpr_count.into(), sgprs_together);
            vgprs << GPR_ALLOC_VGPRS | sgprs << GPR_ALLOC_SGPRS
        }
        LDS_ALLOC => {
            let unit = if w.isa == Isa::Si { 256 } else { 512 };
            w.group.lds_bytes.div_ceil(unit) << LDS_ALLOC_SIZE
        }
        IB_STS => {
            let counters = w.scoreboard.counters();
            let vm = u32::from(counters.vm);
            vm & VM_LOW
                | u32::from(counters.exp) << IB_STS_EXP
                | u32::from(counters.lgkm) << IB_STS_LGKM
                | vm >> 4 << IB_STS_VM_HIGH
        }
        // The apertures' bases by their upper 16 bits: private below, shared above (errata E088).
        SH_MEM_BASES => w.apertures.private >> 16 | w.apertures.shared & 0xffff_0000,
        _ => 0,
    }
}

fn get_register(w: &mut Wave, s: &Step) {
    let reg = Hwreg::unpack(s.immediate() as u16);
    let value = hardware_register(w, reg.id);
    let value = bits(
        u64::from(value),
        u32::from(reg.offset),
        u32::from(reg.width),
    ) as u32;
    write(w, s.args[0], value);
}

/// Only MODE and TRAPSTS can be written by a kernel; other registers stay as they are.
fn set_register(w: &mut Wave, s: &Step) {
    let reg = Hwreg::unpack(s.immediate() as u16);
    let value: u32 = read(w, s.args[1]);
    let mask = (((1u64 << reg.width) - 1) << reg.offset) as u32;
    let put = |old: u32| old & !mask | value << reg.offset & mask;
    match reg.id {
        MODE => w.mode = put(w.mode),
        TRAPSTS => w.trapsts = put(w.trapsts),
        _ => {}
    }
}
