//! Vector ALU: VOP1, VOP2, VOP3, VOP3P. An arm for each instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector ALU Operations".

use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::{Vop3, Vop3b, Vop3p};

use super::float;
use super::protocol::*;
use super::scalar::{self, add_carry, bits, found, signed_bits, sub_borrow};
use crate::code::{Arg, Handler, Step};
use crate::lanes::{LANES, Lanes};
use crate::wave::Wave;

/// The handler of a VOP1 instruction.
#[rustfmt::skip]
pub fn vop1(op: Vop1) -> Option<Handler> {
    use Vop1::*;
    let handler: Handler = match op {
        V_NOP | V_CLREXCP   => |_, _| {},
        V_MOV_B32           => |w, s| one(w, s, |a: u32| a),
        V_READFIRSTLANE_B32 => |w, s| { let lane = w.exec().trailing_zeros() % 64; read_lane(w, s, lane) },
        V_NOT_B32           => |w, s| one(w, s, |a: u32| !a),
        V_BFREV_B32         => |w, s| one(w, s, |a: u32| a.reverse_bits()),
        V_FFBH_U32          => |w, s| one(w, s, |a: u32| found(a.leading_zeros(), 32)),
        V_FFBL_B32          => |w, s| one(w, s, |a: u32| found(a.trailing_zeros(), 32)),
        V_FFBH_I32          => |w, s| one(w, s, |a: i32| found((a ^ a >> 31).leading_zeros(), 32)),
        V_CVT_F32_I32       => |w, s| one(w, s, |a: i32| a as f32),
        V_CVT_F32_U32       => |w, s| one(w, s, |a: u32| a as f32),
        V_CVT_U32_F32       => |w, s| one(w, s, |a: f32| a as u32),
        V_CVT_I32_F32       => |w, s| one(w, s, |a: f32| a as i32),
        _ => return None,
    };
    Some(handler)
}

/// The handler of a VOP2 instruction; `clamp` if an integer result is to stay within its range.
#[rustfmt::skip]
pub fn vop2(op: Vop2, clamp: bool) -> Option<Handler> {
    use Vop2::*;
    let handler: Handler = match op {
        V_MAC_F32         => |w, s| accumulate(w, s, float::mad),
        V_CNDMASK_B32     => |w, s| select(w, s, |a: u32, b: u32, bit| if bit { b } else { a }),
        V_ADD_F32         => |w, s| float2(w, s, |a: f32, b| a + b),
        V_SUB_F32         => |w, s| float2(w, s, |a: f32, b| a - b),
        V_SUBREV_F32      => |w, s| float2(w, s, |a: f32, b| b - a),
        V_MUL_F32         => |w, s| float2(w, s, |a: f32, b| a * b),
        V_MUL_I32_I24     => |w, s| two(w, s, |a, b| (i24(a) * i24(b)) as i32),
        V_MUL_HI_I32_I24  => |w, s| two(w, s, |a, b| (i24(a) * i24(b) >> 32) as i32),
        V_MUL_U32_U24     => |w, s| two(w, s, |a, b| (u24(a) * u24(b)) as u32),
        V_MUL_HI_U32_U24  => |w, s| two(w, s, |a, b| (u24(a) * u24(b) >> 32) as u32),
        V_MIN_I32         => |w, s| two(w, s, |a: i32, b: i32| a.min(b)),
        V_MAX_I32         => |w, s| two(w, s, |a: i32, b: i32| a.max(b)),
        V_MIN_U32         => |w, s| two(w, s, |a: u32, b: u32| a.min(b)),
        V_MAX_U32         => |w, s| two(w, s, |a: u32, b: u32| a.max(b)),
        V_LSHR_B32        => |w, s| two(w, s, |a: u32, b: u32| a.wrapping_shr(b)),
        V_LSHRREV_B32     => |w, s| two(w, s, |a: u32, b: u32| b.wrapping_shr(a)),
        V_ASHR_I32        => |w, s| two(w, s, |a: i32, b: u32| a.wrapping_shr(b)),
        V_ASHRREV_I32     => |w, s| two(w, s, |a: u32, b: i32| b.wrapping_shr(a)),
        V_LSHL_B32        => |w, s| two(w, s, |a: u32, b: u32| a.wrapping_shl(b)),
        V_LSHLREV_B32     => |w, s| two(w, s, |a: u32, b: u32| b.wrapping_shl(a)),
        V_AND_B32         => |w, s| two(w, s, |a: u32, b: u32| a & b),
        V_OR_B32          => |w, s| two(w, s, |a: u32, b: u32| a | b),
        V_XOR_B32         => |w, s| two(w, s, |a: u32, b: u32| a ^ b),
        V_XNOR_B32        => |w, s| two(w, s, |a: u32, b: u32| !(a ^ b)),
        V_ADD_CO_U32 if clamp     => |w, s| carry(w, s, |a: u32, b: u32| (a.saturating_add(b), a.checked_add(b).is_none())),
        V_SUB_CO_U32 if clamp     => |w, s| carry(w, s, |a: u32, b: u32| (a.saturating_sub(b), a < b)),
        V_SUBREV_CO_U32 if clamp  => |w, s| carry(w, s, |a: u32, b: u32| (b.saturating_sub(a), b < a)),
        V_ADDC_CO_U32 if clamp    => |w, s| carry_through(w, s, |a, b, c| saturated(add_carry(a, b, c), u32::MAX)),
        V_SUBB_CO_U32 if clamp    => |w, s| carry_through(w, s, |a, b, c| saturated(sub_borrow(a, b, c), 0)),
        V_SUBBREV_CO_U32 if clamp => |w, s| carry_through(w, s, |a, b, c| saturated(sub_borrow(b, a, c), 0)),
        V_ADD_CO_U32      => |w, s| carry(w, s, |a: u32, b: u32| a.overflowing_add(b)),
        V_SUB_CO_U32      => |w, s| carry(w, s, |a: u32, b: u32| a.overflowing_sub(b)),
        V_SUBREV_CO_U32   => |w, s| carry(w, s, |a: u32, b: u32| b.overflowing_sub(a)),
        V_ADDC_CO_U32     => |w, s| carry_through(w, s, add_carry),
        V_SUBB_CO_U32     => |w, s| carry_through(w, s, sub_borrow),
        V_SUBBREV_CO_U32  => |w, s| carry_through(w, s, |a, b, c| sub_borrow(b, a, c)),
        V_ADD_U32 if clamp    => |w, s| two(w, s, u32::saturating_add),
        V_SUB_U32 if clamp    => |w, s| two(w, s, u32::saturating_sub),
        V_SUBREV_U32 if clamp => |w, s| two(w, s, |a: u32, b: u32| b.saturating_sub(a)),
        V_ADD_U32         => |w, s| two(w, s, u32::wrapping_add),
        V_SUB_U32         => |w, s| two(w, s, u32::wrapping_sub),
        V_SUBREV_U32      => |w, s| two(w, s, |a: u32, b: u32| b.wrapping_sub(a)),
        _ => return None,
    };
    Some(handler)
}

/// The handler of a VOP3 instruction; `clamp` if an integer result is to stay within its range.
#[rustfmt::skip]
pub fn vop3(op: Vop3, clamp: bool) -> Option<Handler> {
    use Vop3::*;
    let _ = clamp;
    let handler: Handler = match op {
        V_MAD_F32          => |w, s| three(w, s, float::mad),
        V_FMA_F32          => |w, s| float3(w, s, f32::mul_add),
        V_FMA_F64          => |w, s| float3(w, s, f64::mul_add),
        V_MUL_LO_U32       => |w, s| two(w, s, u32::wrapping_mul),
        V_MUL_LO_I32       => |w, s| two(w, s, u32::wrapping_mul),
        V_MUL_HI_U32       => |w, s| two(w, s, |a: u32, b: u32| (u64::from(a) * u64::from(b) >> 32) as u32),
        V_MUL_HI_I32       => |w, s| two(w, s, |a: i32, b: i32| (i64::from(a) * i64::from(b) >> 32) as i32),
        V_BFE_U32          => |w, s| three(w, s, |a: u32, b: u32, c: u32| bits(u64::from(a), b & 31, c & 31) as u32),
        V_BFE_I32          => |w, s| three(w, s, |a: i32, b: u32, c: u32| signed_bits(i64::from(a), b & 31, c & 31) as i32),
        V_BFI_B32          => |w, s| three(w, s, |a: u32, b: u32, c: u32| a & b | !a & c),
        V_READLANE_B32     => |w, s| { let lane = scalar::read(w, s.args[2]); read_lane(w, s, lane) },
        V_MBCNT_LO_U32_B32 => |w, s| mask_count(w, s, &BELOW_LOW),
        V_MBCNT_HI_U32_B32 => |w, s| mask_count(w, s, &BELOW_HIGH),
        V_LSHLREV_B64      => |w, s| two(w, s, |a: u32, b: u64| b.wrapping_shl(a)),
        V_LSHRREV_B64      => |w, s| two(w, s, |a: u32, b: u64| b.wrapping_shr(a)),
        V_ASHRREV_I64      => |w, s| two(w, s, |a: u32, b: i64| b.wrapping_shr(a)),
        V_LSHL_ADD_U32     => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_shl(b).wrapping_add(c)),
        V_ADD3_U32         => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_add(c)),
        V_LSHL_OR_B32      => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_shl(b) | c),
        V_AND_OR_B32       => |w, s| three(w, s, |a: u32, b: u32, c: u32| a & b | c),
        V_OR3_B32          => |w, s| three(w, s, |a: u32, b: u32, c: u32| a | b | c),
        _ => return None,
    };
    Some(handler)
}

/// The handler of a VOP3 instruction with a scalar destination.
#[rustfmt::skip]
pub fn vop3b(op: Vop3b, clamp: bool) -> Option<Handler> {
    use Vop3b::*;
    let _ = clamp;
    let handler: Handler = match op {
        V_MAD_U64_U32   => |w, s| carry3(w, s, |a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).overflowing_add(c)),
        V_MAD_I64_I32   => |w, s| carry3(w, s, |a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).overflowing_add(c)),
        _ => return None,
    };
    Some(handler)
}

/// The handler of a packed instruction.
pub fn vop3p(_op: Vop3p, _clamp: bool) -> Option<Handler> {
    None
}

/// The low 24 bits as a number without sign.
#[inline(always)]
fn u24(value: u32) -> u64 {
    u64::from(value & 0x00ff_ffff)
}

/// The low 24 bits as a number with sign.
#[inline(always)]
fn i24(value: i32) -> i64 {
    i64::from(value << 8 >> 8)
}

/// A sum whose carry means `limit`.
#[inline(always)]
fn saturated((value, carry): (u32, bool), limit: u32) -> (u32, bool) {
    (if carry { limit } else { value }, carry)
}

/// A lane of a vector register into a scalar one.
fn read_lane(w: &mut Wave, s: &Step, lane: u32) {
    if let Arg::Vgpr(source) = s.args[1]
        && let Some(lanes) = w.vgprs.get(usize::from(source))
    {
        let value = lanes.0[lane as usize % LANES];
        scalar::write(w, s.args[0], value);
    }
}

/// For each lane, the lanes below it among the first 32.
static BELOW_LOW: Lanes = below(0);
/// The same among the last 32.
static BELOW_HIGH: Lanes = below(32);

const fn below(first: usize) -> Lanes {
    let mut masks = Lanes::ZERO;
    let mut lane = 0;
    while lane < LANES {
        let lanes_below = ((1u64 << lane) - 1) >> first;
        masks.0[lane] = lanes_below as u32;
        lane += 1;
    }
    masks
}

/// The number of the source's bits that are of lanes below, added to the other source.
fn mask_count(w: &mut Wave, s: &Step, below: &'static Lanes) {
    with_lanes(w, s, below, |a: u32, b: u32, below: u32| {
        (a & below).count_ones().wrapping_add(b)
    });
}
