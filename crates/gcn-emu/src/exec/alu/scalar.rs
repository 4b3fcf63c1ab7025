//! Scalar ALU: SOP2, SOPK, SOP1, SOPC. An arm for each instruction; the protocol is in the functions below.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Scalar ALU Operations".

use gcn_isa::simm::MODE_VSKIP;
use gcn_isa::sop::{Sop1, Sop2, Sopc, Sopk};

use super::fork::{fork, join};
use super::hardware::{get_register, set_register};
use super::indexing;
use super::integer::{add_carry, bits, found, signed_bits, sub_borrow};
use super::scalar_operand::{Scalar, read, write};
use crate::step::{Arg, Handler, Step};
use crate::wave::Wave;

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

/// Result of a scalar instruction: a value, SCC, or both.
trait ScalarResult {
    fn put(self, wave: &mut Wave, destination: Arg);
}

impl<T: Scalar> ScalarResult for T {
    #[inline(always)]
    fn put(self, wave: &mut Wave, destination: Arg) {
        write(wave, destination, self);
    }
}

impl<T: Scalar> ScalarResult for (T, bool) {
    #[inline(always)]
    fn put(self, wave: &mut Wave, destination: Arg) {
        write(wave, destination, self.0);
        wave.scc = self.1;
    }
}

/// Destination, two sources; SCC is given to `f`.
#[inline(always)]
fn two<A: Scalar, B: Scalar, R: ScalarResult>(w: &mut Wave, s: &Step, f: impl Fn(A, B, bool) -> R) {
    f(read(w, s.args[1]), read(w, s.args[2]), w.scc).put(w, s.args[0]);
}

/// Destination, one source; SCC is given to `f`.
#[inline(always)]
fn one<A: Scalar, R: ScalarResult>(w: &mut Wave, s: &Step, f: impl Fn(A, bool) -> R) {
    f(read(w, s.args[1]), w.scc).put(w, s.args[0]);
}

/// A destination that is read as well, one source.
#[inline(always)]
fn update<D: Scalar, A: Scalar, R: ScalarResult>(w: &mut Wave, s: &Step, f: impl Fn(D, A) -> R) {
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
