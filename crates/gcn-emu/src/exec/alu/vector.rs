//! Vector ALU: VOP1, VOP2, VOP3, VOP3P. An arm for each instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector ALU Operations".

use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::{Vop3, Vop3b};

use super::approximate;
use super::arithmetic;
use super::conversion;
use super::divide;
use super::env::Env;
use super::exact;
use super::float::F16;
use super::half::{half1, half2, half2_reversed, half3_with_slow_path};
use super::integer::{add_carry, bits, found, signed_bits, sub_borrow};
use super::nan;
use super::operands::Positions;
use super::operations::{
    BELOW_HIGH, BELOW_LOW, SCREEN_PARTITION, add_carry64, add_signed64, align, bit_field_mask,
    byte_of, bytes3, cube_coordinate, cube_major, exponent, four_sads, four_wide_sads, fraction,
    i24, low_u16, mask_count, median, move_relative, msad_u8, normalised_half,
    normalised_half_pairs, normalised_pairs, pack, permute, put_bytes, read_lane, sad_u8, sad_u16,
    saturate_i16, saturate_i32, saturate_u16, saturate_u32, saturated, saturated_u16, swap,
    truncate_pairs, u24, write_lane,
};
use super::protocol::*;
use super::scalar_operand;
use super::under_mode::*;
use crate::lanes::{HalfFloat, at_each_level};
use crate::step::Handler;

at_each_level! {
/// The handler of a VOP1 instruction.
#[rustfmt::skip]
pub fn vop1(op: Vop1) -> Option<Handler> {
    use Vop1::*;
    let handler: Handler = match op {
        V_NOP | V_CLREXCP   => |_, _| {},
        // The fault that the second one is for is in hardware.
        V_MOV_B32 | V_MOV_FED_B32 => |w, s| one(w, s, |a: u32| a),
        V_READFIRSTLANE_B32 => |w, s| { let lane = w.exec().trailing_zeros() % 64; read_lane(w, s, lane) },
        V_CVT_I32_F64       => |w, s| one(w, s, conversion::to_i32),
        V_CVT_F64_I32       => |w, s| one(w, s, |a: i32| f64::from(a)),
        V_CVT_F32_I32       => |w, s| from_integer(w, s, |a: i32| a as f32),
        V_CVT_F32_U32       => |w, s| from_integer(w, s, |a: u32| a as f32),
        V_CVT_U32_F32       => |w, s| one(w, s, |a: f32| conversion::to_u32(a.into())),
        V_CVT_I32_F32       => |w, s| one(w, s, |a: f32| conversion::to_i32(a.into())),
        V_CVT_F16_F32       => |w, s| convert::<f32, F16, _, _>(w, s, |env, a| env.output(HalfFloat::<0>(a))),
        V_CVT_F32_F16       => |w, s| convert::<F16, f32, _, _>(w, s, |env, a: HalfFloat| env.output(a.0)),
        V_CVT_RPI_I32_F32   => |w, s| one(w, s, |a: f32| conversion::whole_to_i32((f64::from(a) + 0.5).floor(), a)),
        V_CVT_FLR_I32_F32   => |w, s| one(w, s, |a: f32| conversion::whole_to_i32(a.floor().into(), a)),
        V_CVT_OFF_F32_I4    => |w, s| one(w, s, |a: i32| (a << 28 >> 28) as f32 / 16.0),
        V_CVT_F32_F64       => |w, s| convert::<f64, f32, _, _>(w, s, conversion::narrowed),
        V_CVT_F64_F32       => |w, s| convert::<f32, f64, _, _>(w, s, |env, a: f32| env.output(f64::from(a))),
        V_CVT_F32_UBYTE0    => |w, s| one(w, s, |a: u32| (a & 0xff) as f32),
        V_CVT_F32_UBYTE1    => |w, s| one(w, s, |a: u32| (a >> 8 & 0xff) as f32),
        V_CVT_F32_UBYTE2    => |w, s| one(w, s, |a: u32| (a >> 16 & 0xff) as f32),
        V_CVT_F32_UBYTE3    => |w, s| one(w, s, |a: u32| (a >> 24) as f32),
        V_CVT_U32_F64       => |w, s| one(w, s, conversion::to_u32),
        V_CVT_F64_U32       => |w, s| one(w, s, |a: u32| f64::from(a)),
        V_TRUNC_F64         => |w, s| float1(w, s, |a| arithmetic::whole(a, f64::trunc)),
        V_CEIL_F64          => |w, s| float1(w, s, |a| arithmetic::whole(a, f64::ceil)),
        V_RNDNE_F64         => |w, s| float1(w, s, |a| arithmetic::whole(a, f64::round_ties_even)),
        V_FLOOR_F64         => |w, s| float1(w, s, |a| arithmetic::whole(a, f64::floor)),
        V_FRACT_F64         => |w, s| rounded1(w, s, |a: f64| arithmetic::fract(a, |a, b| a - b, f64::floor), |env, a| arithmetic::fract(a, |a, b| exact::sub(env, a, b), f64::floor)),
        V_FRACT_F32         => |w, s| rounded1(w, s, |a: f32| arithmetic::fract(a, |a, b| a - b, f32::floor), |env, a| arithmetic::fract(a, |a, b| exact::sub(env, a, b), f32::floor)),
        V_TRUNC_F32         => |w, s| float1(w, s, |a| arithmetic::whole(a, f32::trunc)),
        V_CEIL_F32          => |w, s| float1(w, s, |a| arithmetic::whole(a, f32::ceil)),
        V_RNDNE_F32         => |w, s| float1(w, s, |a| arithmetic::whole(a, f32::round_ties_even)),
        V_FLOOR_F32         => |w, s| float1(w, s, |a| arithmetic::whole(a, f32::floor)),
        V_EXP_F32 | V_EXP_LEGACY_F32 => |w, s| approximation(w, s, approximate::exp2::<FUSES>),
        V_LOG_F32 | V_LOG_LEGACY_F32 => |w, s| approximation(w, s, approximate::log2::<FUSES>),
        V_LOG_CLAMP_F32     => |w, s| approximation(w, s, |a| approximate::above_minus_infinity(approximate::log2::<FUSES>(a))),
        V_RCP_F32 | V_RCP_IFLAG_F32  => |w, s| approximation(w, s, f32::recip),
        V_RCP_CLAMP_F32     => |w, s| approximation(w, s, |a| approximate::finite(f32::recip(a))),
        V_RCP_LEGACY_F32    => |w, s| approximation(w, s, |a| approximate::infinite_to_zero(f32::recip(a))),
        V_RSQ_F32           => |w, s| approximation(w, s, approximate::rsq),
        V_RSQ_CLAMP_F32     => |w, s| approximation(w, s, |a| approximate::finite(approximate::rsq(a))),
        V_RSQ_LEGACY_F32    => |w, s| approximation(w, s, |a| approximate::infinite_to_zero(approximate::rsq(a))),
        V_SQRT_F32          => |w, s| approximation(w, s, f32::sqrt),
        V_SIN_F32           => |w, s| {
            let far = approximate::farthest(w.isa);
            wave_function(w, s, |a| approximate::sin::<FUSES>(far, a));
        },
        V_COS_F32           => |w, s| {
            let far = approximate::farthest(w.isa);
            wave_function(w, s, |a| approximate::cos::<FUSES>(far, a));
        },
        V_RCP_F64           => |w, s| float1(w, s, f64::recip),
        V_RCP_CLAMP_F64     => |w, s| float1(w, s, |a: f64| approximate::finite64(a.recip())),
        V_RSQ_F64           => |w, s| float1_with_slow_path(w, s, |a, (), (), ()| approximate::rsq64_fast(a), approximate::rsq64),
        V_RSQ_CLAMP_F64     => |w, s| float1(w, s, |a: f64| approximate::finite64(approximate::rsq64(a))),
        V_SQRT_F64          => |w, s| float1(w, s, f64::sqrt),
        V_NOT_B32           => |w, s| one(w, s, |a: u32| !a),
        V_BFREV_B32         => |w, s| one(w, s, |a: u32| a.reverse_bits()),
        V_FFBH_U32          => |w, s| one(w, s, |a: u32| found(a.leading_zeros(), 32)),
        V_FFBL_B32          => |w, s| one(w, s, |a: u32| found(a.trailing_zeros(), 32)),
        V_FFBH_I32          => |w, s| one(w, s, |a: i32| found((a ^ a >> 31).leading_zeros(), 32)),
        V_FREXP_EXP_I32_F64 => |w, s| exponent::<f64, i32>(w, s, |exponent| exponent),
        V_FREXP_MANT_F64    => |w, s| fraction::<f64>(w, s),
        V_FREXP_EXP_I32_F32 => |w, s| exponent::<f32, i32>(w, s, |exponent| exponent),
        V_FREXP_MANT_F32    => |w, s| fraction::<f32>(w, s),
        V_FREXP_EXP_I16_F16 => |w, s| exponent::<F16, i16>(w, s, |exponent| exponent as i16),
        V_FREXP_MANT_F16    => |w, s| fraction::<F16>(w, s),
        V_MOVRELD_B32       => |w, s| move_relative(w, s),
        V_MOVRELS_B32       => |w, s| move_relative(w, s),
        V_MOVRELSD_B32      => |w, s| move_relative(w, s),
        V_CVT_F16_U16       => |w, s| from_integer(w, s, |a: u16| F16::from_f32(f32::from(a))),
        V_CVT_F16_I16       => |w, s| from_integer(w, s, |a: i16| F16::from_f32(f32::from(a))),
        V_CVT_U16_F16       => |w, s| one(w, s, |a: HalfFloat| conversion::to_u16(a.0)),
        V_CVT_I16_F16       => |w, s| one(w, s, |a: HalfFloat| conversion::to_i16(a.0)),
        V_RCP_F16           => |w, s| half1(w, s, f32::recip),
        V_SQRT_F16          => |w, s| half1(w, s, f32::sqrt),
        V_RSQ_F16           => |w, s| half1(w, s, approximate::rsq),
        V_LOG_F16           => |w, s| half1(w, s, approximate::log2::<FUSES>),
        V_EXP_F16           => |w, s| half1(w, s, approximate::exp2::<FUSES>),
        V_SIN_F16           => |w, s| {
            let far = approximate::farthest(w.isa);
            half1(w, s, |a| approximate::sin::<FUSES>(far, a));
        },
        V_COS_F16           => |w, s| {
            let far = approximate::farthest(w.isa);
            half1(w, s, |a| approximate::cos::<FUSES>(far, a));
        },
        V_FLOOR_F16         => |w, s| half1(w, s, f32::floor),
        V_CEIL_F16          => |w, s| half1(w, s, f32::ceil),
        V_TRUNC_F16         => |w, s| half1(w, s, f32::trunc),
        V_RNDNE_F16         => |w, s| half1(w, s, f32::round_ties_even),
        V_FRACT_F16         => |w, s| rounded1(w, s, |a: F16| arithmetic::fract(a, |a, b| F16::from_f32(a.to_f32() - b.to_f32()), F16::floor), |env, a| arithmetic::fract(a, |a, b| exact::sub(env, a, b), F16::floor)),
        V_CVT_NORM_I16_F16  => |w, s| normalised_half(w, s, |a| conversion::snorm16(a) as u16),
        V_CVT_NORM_U16_F16  => |w, s| normalised_half(w, s, conversion::unorm16),
        V_SAT_PK_U8_I16     => |w, s| one(w, s, |a: u32| u32::from(byte_of(a as i16)) | u32::from(byte_of((a >> 16) as i16)) << 8),
        V_SWAP_B32          => swap,
        V_SCREEN_PARTITION_4SE_B32 => |w, s| one(w, s, |a: u32| u32::from(SCREEN_PARTITION[(a & 0xff) as usize])),
    };
    Some(handler)
}
}

at_each_level! {
/// The handler of a VOP2 instruction; `clamp` if an integer result is to stay within its range.
#[rustfmt::skip]
pub fn vop2(op: Vop2, clamp: bool) -> Option<Handler> {
    use Vop2::*;
    let handler: Handler = match op {
        V_CNDMASK_B32     => |w, s| select(w, s, |a: f32, b: f32, bit| if bit { b } else { a }),
        V_READLANE_B32    => |w, s| { let lane = scalar_operand::read(w, s.args[2]); read_lane(w, s, lane) },
        V_WRITELANE_B32   => write_lane,
        V_ADD_F32         => |w, s| sum2(w, s, |a: f32, b| a + b, exact::add),
        V_SUB_F32         => |w, s| sum2(w, s, |a: f32, b| a - b, exact::sub),
        V_SUBREV_F32      => |w, s| sum2_reversed(w, s, |a: f32, b| a - b, exact::sub),
        V_MAC_LEGACY_F32  => |w, s| flushing_accumulate(w, s, arithmetic::mad_legacy, arithmetic::mad_legacy_rounded, nan::LegacyProduct),
        V_MUL_LEGACY_F32  => |w, s| product2(w, s, arithmetic::mul_legacy, arithmetic::mul_legacy_rounded),
        V_MUL_F32         => |w, s| product2(w, s, |a: f32, b| a * b, exact::mul),
        V_MUL_I32_I24 if clamp => |w, s| staged2(w, s, |a, b| saturate_i32(i24(a) * i24(b))),
        V_MUL_I32_I24     => |w, s| two(w, s, |a, b| (i24(a) * i24(b)) as i32),
        V_MUL_HI_I32_I24  => |w, s| staged2(w, s, |a, b| ((i24(a) * i24(b)) >> 32) as i32),
        V_MUL_U32_U24 if clamp => |w, s| staged2(w, s, |a, b| saturate_u32(u24(a) * u24(b))),
        V_MUL_U32_U24     => |w, s| two(w, s, |a, b| (u24(a) * u24(b)) as u32),
        V_MUL_HI_U32_U24  => |w, s| staged2(w, s, |a, b| ((u24(a) * u24(b)) >> 32) as u32),
        V_MIN_LEGACY_F32  => |w, s| float2(w, s, |a: f32, b| if a < b { a } else { b }),
        V_MAX_LEGACY_F32  => |w, s| float2(w, s, |a: f32, b| if a >= b { a } else { b }),
        V_MIN_F32         => |w, s| order2::<f32>(w, s, arithmetic::lesser, arithmetic::min),
        V_MAX_F32         => |w, s| order2::<f32>(w, s, arithmetic::greater, arithmetic::max),
        V_MIN_I32         => |w, s| two(w, s, |a: i32, b: i32| a.min(b)),
        V_MAX_I32         => |w, s| two(w, s, |a: i32, b: i32| a.max(b)),
        V_MIN_U32         => |w, s| two(w, s, |a: u32, b: u32| a.min(b)),
        V_MAX_U32         => |w, s| two(w, s, |a: u32, b: u32| a.max(b)),
        V_LSHR_B32        => |w, s| two(w, s, u32::wrapping_shr),
        V_LSHRREV_B32     => |w, s| two(w, s, |a, b: u32| b.wrapping_shr(a)),
        V_ASHR_I32        => |w, s| two(w, s, i32::wrapping_shr),
        V_ASHRREV_I32     => |w, s| two(w, s, |a, b: i32| b.wrapping_shr(a)),
        V_LSHL_B32        => |w, s| two(w, s, u32::wrapping_shl),
        V_LSHLREV_B32     => |w, s| two(w, s, |a, b: u32| b.wrapping_shl(a)),
        V_AND_B32         => |w, s| two(w, s, |a: u32, b: u32| a & b),
        V_OR_B32          => |w, s| two(w, s, |a: u32, b: u32| a | b),
        V_XOR_B32         => |w, s| two(w, s, |a: u32, b: u32| a ^ b),
        V_XNOR_B32        => |w, s| staged2(w, s, |a: u32, b: u32| !(a ^ b)),
        V_BFM_B32         => |w, s| staged2(w, s, bit_field_mask),
        V_MAC_F32         => |w, s| flushing_accumulate(w, s, arithmetic::mad, arithmetic::mad_rounded::<f32>, nan::OfProduct),
        V_MADMK_F32 | V_MADAK_F32 => |w, s| flushing3(w, s, arithmetic::mad, arithmetic::mad_rounded::<f32>, nan::OfProduct),
        V_FMAC_F32        => |w, s| rounded_accumulate(w, s, f32::mul_add, exact::fma),
        V_BCNT_U32_B32    => |w, s| two(w, s, |a: u32, b: u32| a.count_ones().wrapping_add(b)),
        V_MBCNT_LO_U32_B32 => |w, s| mask_count(w, s, &BELOW_LOW),
        V_MBCNT_HI_U32_B32 => |w, s| mask_count(w, s, &BELOW_HIGH),
        V_ADD_CO_U32 if clamp     => |w, s| carry(w, s, |a: u32, b: u32, (), ()| saturated(a.overflowing_add(b), u32::MAX)),
        V_SUB_CO_U32 if clamp     => |w, s| carry(w, s, |a, b, (), ()| saturated(sub_borrow(a, b, false), 0)),
        V_SUBREV_CO_U32 if clamp  => |w, s| carry(w, s, |a, b, (), ()| saturated(sub_borrow(b, a, false), 0)),
        V_ADDC_CO_U32 if clamp    => |w, s| carry_through(w, s, |a, b, (), c| saturated(add_carry(a, b, c), u32::MAX)),
        V_SUBB_CO_U32 if clamp    => |w, s| carry_through(w, s, |a, b, (), c| saturated(sub_borrow(a, b, c), 0)),
        V_SUBBREV_CO_U32 if clamp => |w, s| carry_through(w, s, |a, b, (), c| saturated(sub_borrow(b, a, c), 0)),
        V_ADD_CO_U32      => |w, s| carry(w, s, |a: u32, b: u32, (), ()| a.overflowing_add(b)),
        V_SUB_CO_U32      => |w, s| carry(w, s, |a, b, (), ()| sub_borrow(a, b, false)),
        V_SUBREV_CO_U32   => |w, s| carry(w, s, |a, b, (), ()| sub_borrow(b, a, false)),
        V_ADDC_CO_U32     => |w, s| carry_through(w, s, |a, b, (), c| add_carry(a, b, c)),
        V_SUBB_CO_U32     => |w, s| carry_through(w, s, |a, b, (), c| sub_borrow(a, b, c)),
        V_SUBBREV_CO_U32  => |w, s| carry_through(w, s, |a, b, (), c| sub_borrow(b, a, c)),
        V_LDEXP_F32       => |w, s| rounded_int(w, s, arithmetic::ldexp, exact::ldexp),
        V_CVT_PKACCUM_U8_F32 => |w, s| put_bytes(w, s, Positions::<1, 2, 0>),
        V_CVT_PKNORM_I16_F32 => |w, s| normalised_pairs(w, s, |a| conversion::snorm16(a) as u16),
        V_CVT_PKNORM_U16_F32 => |w, s| normalised_pairs(w, s, conversion::unorm16),
        V_CVT_PKRTZ_F16_F32  => |w, s| truncate_pairs(w, s),
        V_CVT_PK_U16_U32  => |w, s| staged2(w, s, |a: u32, b: u32| pack(a.min(0xffff) as u16, b.min(0xffff) as u16)),
        V_CVT_PK_I16_I32  => |w, s| staged2(w, s, |a, b| pack(saturate_i16(a) as u16, saturate_i16(b) as u16)),
        V_ADD_F16         => |w, s| half2(w, s, |a, b| a + b, exact::add),
        V_SUB_F16         => |w, s| half2(w, s, |a, b| a - b, exact::sub),
        V_SUBREV_F16      => |w, s| half2_reversed(w, s, |a, b| a - b, exact::sub),
        V_MUL_F16         => |w, s| half2(w, s, |a, b| a * b, exact::mul),
        V_MAC_F16         => |w, s| flushing_accumulate(w, s, arithmetic::mad_half, arithmetic::mad_rounded::<F16>, nan::OfProduct),
        V_MADMK_F16 | V_MADAK_F16 => |w, s| flushing3(w, s, arithmetic::mad_half, arithmetic::mad_rounded::<F16>, nan::OfProduct),
        V_ADD_U16 if clamp    => |w, s| staged2(w, s, u16::saturating_add),
        V_SUB_U16 if clamp    => |w, s| staged2(w, s, u16::saturating_sub),
        V_SUBREV_U16 if clamp => |w, s| staged2(w, s, |a: u16, b: u16| b.saturating_sub(a)),
        V_ADD_U16         => |w, s| two(w, s, u16::wrapping_add),
        V_SUB_U16         => |w, s| two(w, s, u16::wrapping_sub),
        V_SUBREV_U16      => |w, s| two(w, s, |a: u16, b: u16| b.wrapping_sub(a)),
        V_MUL_LO_U16      => |w, s| two(w, s, u16::wrapping_mul),
        V_LSHLREV_B16     => |w, s| two(w, s, |a: u16, b: u16| b.wrapping_shl(a.into())),
        V_LSHRREV_B16     => |w, s| two(w, s, |a: u16, b: u16| b.wrapping_shr(a.into())),
        V_ASHRREV_I16     => |w, s| two(w, s, |a: u16, b: i16| b.wrapping_shr(a.into())),
        V_MAX_F16         => |w, s| order2::<F16>(w, s, arithmetic::greater, arithmetic::max),
        V_MIN_F16         => |w, s| order2::<F16>(w, s, arithmetic::lesser, arithmetic::min),
        V_MAX_U16         => |w, s| two(w, s, |a: u16, b: u16| a.max(b)),
        V_MAX_I16         => |w, s| two(w, s, |a: i16, b: i16| a.max(b)),
        V_MIN_U16         => |w, s| two(w, s, |a: u16, b: u16| a.min(b)),
        V_MIN_I16         => |w, s| two(w, s, |a: i16, b: i16| a.min(b)),
        V_LDEXP_F16       => |w, s| rounded_int(w, s, arithmetic::ldexp_half, |env, a: F16, b: i16| exact::ldexp(env, a, b.into())),
        V_ADD_U32 if clamp    => |w, s| staged2(w, s, u32::saturating_add),
        V_SUB_U32 if clamp    => |w, s| staged2(w, s, u32::saturating_sub),
        V_SUBREV_U32 if clamp => |w, s| staged2(w, s, |a: u32, b: u32| b.saturating_sub(a)),
        V_ADD_U32         => |w, s| two(w, s, u32::wrapping_add),
        V_SUB_U32         => |w, s| two(w, s, u32::wrapping_sub),
        V_SUBREV_U32      => |w, s| two(w, s, |a: u32, b: u32| b.wrapping_sub(a)),
    };
    Some(handler)
}
}

at_each_level! {
/// The handler of a VOP3 instruction; `clamp` if an integer result is to stay within its range (sums of differences
/// too, errata E209).
#[rustfmt::skip]
pub fn vop3(op: Vop3, clamp: bool) -> Option<Handler> {
    use Vop3::*;
    let handler: Handler = match op {
        V_MAD_LEGACY_F32   => |w, s| flushing3(w, s, arithmetic::mad_legacy, arithmetic::mad_legacy_rounded, nan::LegacyProduct),
        V_MAD_F32          => |w, s| flushing3(w, s, arithmetic::mad, arithmetic::mad_rounded::<f32>, nan::OfProduct),
        V_MAD_I32_I24 if clamp => |w, s| staged3(w, s, |a, b, c: i32| saturate_i32(i24(a) * i24(b) + i64::from(c))),
        V_MAD_I32_I24      => |w, s| three(w, s, |a, b, c: i32| (i24(a) * i24(b) + i64::from(c)) as i32),
        V_MAD_U32_U24 if clamp => |w, s| staged3(w, s, |a, b, c: u32| saturate_u32(u24(a) * u24(b) + u64::from(c))),
        V_MAD_U32_U24      => |w, s| three(w, s, |a, b, c: u32| (u24(a) * u24(b) + u64::from(c)) as u32),
        V_CUBEID_F32       => |w, s| float3(w, s, |x, y, z| arithmetic::cube(x, y, z).face),
        V_CUBESC_F32       => |w, s| cube_coordinate(w, s, |cube| cube.s),
        V_CUBETC_F32       => |w, s| cube_coordinate(w, s, |cube| cube.t),
        V_CUBEMA_F32       => |w, s| cube_major(w, s),
        V_BFE_U32          => |w, s| three(w, s, |a: u32, b: u32, c: u32| bits(u64::from(a), b & 31, c & 31) as u32),
        V_BFE_I32          => |w, s| three(w, s, |a: i32, b: u32, c: u32| signed_bits(i64::from(a), b & 31, c & 31) as i32),
        V_BFI_B32          => |w, s| three(w, s, |a: u32, b: u32, c: u32| a & b | !a & c),
        V_FMA_F32          => |w, s| rounded3(w, s, f32::mul_add, exact::fma),
        V_FMA_F64          => |w, s| rounded3(w, s, arithmetic::fma_f64::<FUSES>, exact::fma),
        V_LERP_U8          => |w, s| staged3(w, s, |a, b, c| bytes3(a, b, c, |a, b, c| (a + b + (c & 1)) >> 1)),
        V_ALIGNBIT_B32     => |w, s| three(w, s, |a: u32, b: u32, c: u32| align(a, b, c & 31)),
        V_ALIGNBYTE_B32    => |w, s| staged3(w, s, |a: u32, b: u32, c: u32| align(a, b, 8 * (c & 3))),
        V_MIN3_F32         => |w, s| order3::<f32>(w, s, arithmetic::least, arithmetic::min3),
        V_MIN3_I32         => |w, s| three(w, s, |a: i32, b: i32, c: i32| a.min(b).min(c)),
        V_MIN3_U32         => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.min(b).min(c)),
        V_MAX3_F32         => |w, s| order3::<f32>(w, s, arithmetic::greatest, arithmetic::max3),
        V_MAX3_I32         => |w, s| three(w, s, |a: i32, b: i32, c: i32| a.max(b).max(c)),
        V_MAX3_U32         => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.max(b).max(c)),
        V_MED3_F32         => |w, s| order3::<f32>(w, s, arithmetic::middle, arithmetic::med3),
        V_MED3_I32         => |w, s| three(w, s, |a: i32, b: i32, c: i32| median(a, b, c)),
        V_MED3_U32         => |w, s| three(w, s, |a: u32, b: u32, c: u32| median(a, b, c)),
        V_SAD_U8 if clamp  => |w, s| staged3(w, s, |a, b, c: u32| sad_u8(a, b).saturating_add(c)),
        V_SAD_HI_U8 if clamp => |w, s| staged3(w, s, |a, b, c: u32| (sad_u8(a, b) << 16).saturating_add(c)),
        V_SAD_U16 if clamp => |w, s| staged3(w, s, |a, b, c: u32| sad_u16(a, b).saturating_add(c)),
        V_SAD_U32 if clamp => |w, s| staged3(w, s, |a: u32, b, c: u32| a.abs_diff(b).saturating_add(c)),
        V_MSAD_U8 if clamp => |w, s| staged3(w, s, |a, b, c: u32| msad_u8(a, b).saturating_add(c)),
        V_QSAD_PK_U16_U8 if clamp  => |w, s| staged3(w, s, |a, b, c| four_sads(a, b, c, sad_u8, saturated_u16)),
        V_MQSAD_PK_U16_U8 if clamp => |w, s| staged3(w, s, |a, b, c| four_sads(a, b, c, msad_u8, saturated_u16)),
        V_SAD_U8           => |w, s| staged3(w, s, |a, b, c: u32| sad_u8(a, b).wrapping_add(c)),
        V_SAD_HI_U8        => |w, s| staged3(w, s, |a, b, c: u32| (sad_u8(a, b) << 16).wrapping_add(c)),
        V_SAD_U16          => |w, s| staged3(w, s, |a, b, c: u32| sad_u16(a, b).wrapping_add(c)),
        V_SAD_U32          => |w, s| staged3(w, s, |a: u32, b, c: u32| a.abs_diff(b).wrapping_add(c)),
        V_MSAD_U8          => |w, s| staged3(w, s, |a, b, c: u32| msad_u8(a, b).wrapping_add(c)),
        V_QSAD_PK_U16_U8   => |w, s| staged3(w, s, |a, b, c| four_sads(a, b, c, sad_u8, low_u16)),
        V_MQSAD_PK_U16_U8  => |w, s| staged3(w, s, |a, b, c| four_sads(a, b, c, msad_u8, low_u16)),
        V_CVT_PK_U8_F32    => |w, s| put_bytes(w, s, Positions::<1, 2, 3>),
        V_DIV_FIXUP_F32    => |w, s| three_with_slow_path(w, s, |q, d, n, ()| divide::div_fixup_fast(q, d, n, &divide::SCALE_32), divide::div_fixup::<f32>),
        V_DIV_FIXUP_F64    => |w, s| three_with_slow_path(w, s, |q, d, n, ()| divide::div_fixup_fast(q, d, n, &divide::SCALE_64), divide::div_fixup::<f64>),
        V_LSHL_B64         => |w, s| two(w, s, u64::wrapping_shl),
        V_LSHR_B64         => |w, s| two(w, s, u64::wrapping_shr),
        V_ASHR_I64         => |w, s| two(w, s, i64::wrapping_shr),
        V_ADD_F64          => |w, s| sum2(w, s, |a: f64, b| a + b, exact::add),
        V_MUL_F64          => |w, s| product2(w, s, |a: f64, b| a * b, exact::mul),
        V_MIN_F64          => |w, s| order2::<f64>(w, s, arithmetic::lesser, arithmetic::min),
        V_MAX_F64          => |w, s| order2::<f64>(w, s, arithmetic::greater, arithmetic::max),
        V_LDEXP_F64        => |w, s| rounded_int_with_slow_path(w, s, |a: f64, b: i32, (), ()| arithmetic::ldexp64_fast(a, b), |env, a, b| if env.keeps_results() { arithmetic::ldexp64(a, b) } else { exact::ldexp(env, a, b) }, exact::ldexp),
        V_MUL_LO_U32 | V_MUL_LO_I32 => |w, s| two(w, s, u32::wrapping_mul),
        V_MUL_HI_U32       => |w, s| two(w, s, |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        V_MUL_HI_I32       => |w, s| two(w, s, |a: i32, b: i32| ((i64::from(a) * i64::from(b)) >> 32) as i32),
        V_DIV_FMAS_F32     => |w, s| rounded3_vcc(w, s, f32::mul_add, |env, a, b, q, scaled| divide::div_fmas(env, &divide::SCALE_32, a, b, q, scaled)),
        V_DIV_FMAS_F64     => |w, s| rounded3_vcc(w, s, arithmetic::fma_f64::<FUSES>, |env, a, b, q, scaled| divide::div_fmas(env, &divide::SCALE_64, a, b, q, scaled)),
        V_MAD_LEGACY_F16 | V_MAD_F16 => |w, s| flushing3(w, s, arithmetic::mad_half, arithmetic::mad_rounded::<F16>, nan::OfProduct),
        V_MAD_LEGACY_U16 | V_MAD_U16 if clamp => |w, s| staged3(w, s, |a: u16, b: u16, c: u16| saturate_u16(u64::from(a) * u64::from(b) + u64::from(c))),
        V_MAD_LEGACY_U16 | V_MAD_U16 => |w, s| staged3(w, s, |a: u16, b: u16, c: u16| a.wrapping_mul(b).wrapping_add(c)),
        V_MAD_LEGACY_I16 | V_MAD_I16 if clamp => |w, s| staged3(w, s, |a: i16, b: i16, c: i16| saturate_i16(i32::from(a) * i32::from(b) + i32::from(c))),
        V_MAD_LEGACY_I16 | V_MAD_I16 => |w, s| staged3(w, s, |a: i16, b: i16, c: i16| a.wrapping_mul(b).wrapping_add(c)),
        V_PERM_B32         => |w, s| permute(w, s),
        V_FMA_LEGACY_F16 | V_FMA_F16 => |w, s| half3_with_slow_path(w, s, arithmetic::fma_half_fast, arithmetic::fma_half, exact::fma),
        V_DIV_FIXUP_LEGACY_F16 | V_DIV_FIXUP_F16 => |w, s| { let env = Env::of::<F16>(w.mode); three(w, s, |q, d, n| divide::div_fixup::<F16>(env, q, d, n)) },
        V_CVT_PKACCUM_U8_F32 => |w, s| put_bytes(w, s, Positions::<1, 2, 0>),
        V_LDEXP_F32        => |w, s| rounded_int(w, s, arithmetic::ldexp, exact::ldexp),
        V_READLANE_B32     => |w, s| { let lane = scalar_operand::read(w, s.args[2]); read_lane(w, s, lane) },
        V_WRITELANE_B32    => write_lane,
        V_BCNT_U32_B32     => |w, s| two(w, s, |a: u32, b: u32| a.count_ones().wrapping_add(b)),
        V_MBCNT_LO_U32_B32 => |w, s| mask_count(w, s, &BELOW_LOW),
        V_MBCNT_HI_U32_B32 => |w, s| mask_count(w, s, &BELOW_HIGH),
        V_LSHLREV_B64      => |w, s| two(w, s, |a: u32, b: u64| b.wrapping_shl(a)),
        V_LSHRREV_B64      => |w, s| two(w, s, |a: u32, b: u64| b.wrapping_shr(a)),
        V_ASHRREV_I64      => |w, s| two(w, s, |a: u32, b: i64| b.wrapping_shr(a)),
        V_BFM_B32          => |w, s| staged2(w, s, bit_field_mask),
        V_CVT_PKNORM_I16_F32 => |w, s| normalised_pairs(w, s, |a| conversion::snorm16(a) as u16),
        V_CVT_PKNORM_U16_F32 => |w, s| normalised_pairs(w, s, conversion::unorm16),
        V_CVT_PKRTZ_F16_F32  => |w, s| truncate_pairs(w, s),
        V_CVT_PK_U16_U32   => |w, s| staged2(w, s, |a: u32, b: u32| pack(a.min(0xffff) as u16, b.min(0xffff) as u16)),
        V_CVT_PK_I16_I32   => |w, s| staged2(w, s, |a, b| pack(saturate_i16(a) as u16, saturate_i16(b) as u16)),
        V_MAD_U32_U16 if clamp => |w, s| staged3(w, s, |a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).saturating_add(c)),
        V_MAD_U32_U16      => |w, s| staged3(w, s, |a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
        V_MAD_I32_I16 if clamp => |w, s| staged3(w, s, |a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).saturating_add(c)),
        V_MAD_I32_I16      => |w, s| staged3(w, s, |a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
        V_XAD_U32          => |w, s| staged3(w, s, |a: u32, b: u32, c: u32| (a ^ b).wrapping_add(c)),
        V_MIN3_F16         => |w, s| order3::<F16>(w, s, arithmetic::least, arithmetic::min3),
        V_MIN3_I16         => |w, s| staged3(w, s, |a: i16, b: i16, c: i16| a.min(b).min(c)),
        V_MIN3_U16         => |w, s| staged3(w, s, |a: u16, b: u16, c: u16| a.min(b).min(c)),
        V_MAX3_F16         => |w, s| order3::<F16>(w, s, arithmetic::greatest, arithmetic::max3),
        V_MAX3_I16         => |w, s| staged3(w, s, |a: i16, b: i16, c: i16| a.max(b).max(c)),
        V_MAX3_U16         => |w, s| staged3(w, s, |a: u16, b: u16, c: u16| a.max(b).max(c)),
        V_MED3_F16         => |w, s| order3::<F16>(w, s, arithmetic::middle, arithmetic::med3),
        V_MED3_I16         => |w, s| staged3(w, s, |a: i16, b: i16, c: i16| median(a, b, c)),
        V_MED3_U16         => |w, s| staged3(w, s, |a: u16, b: u16, c: u16| median(a, b, c)),
        V_LSHL_ADD_U32     => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_shl(b).wrapping_add(c)),
        V_ADD_LSHL_U32     => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_shl(c)),
        V_ADD3_U32         => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_add(c)),
        V_LSHL_OR_B32      => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_shl(b) | c),
        V_AND_OR_B32       => |w, s| three(w, s, |a: u32, b: u32, c: u32| a & b | c),
        V_OR3_B32          => |w, s| three(w, s, |a: u32, b: u32, c: u32| a | b | c),
        V_CVT_PKNORM_I16_F16 => |w, s| normalised_half_pairs(w, s, |a| conversion::snorm16(a) as u16),
        V_CVT_PKNORM_U16_F16 => |w, s| normalised_half_pairs(w, s, conversion::unorm16),
        V_ADD_I32 if clamp => |w, s| staged2(w, s, i32::saturating_add),
        V_SUB_I32 if clamp => |w, s| staged2(w, s, i32::saturating_sub),
        V_ADD_I16 if clamp => |w, s| staged2(w, s, i16::saturating_add),
        V_SUB_I16 if clamp => |w, s| staged2(w, s, i16::saturating_sub),
        V_ADD_I32          => |w, s| two(w, s, i32::wrapping_add),
        V_SUB_I32          => |w, s| two(w, s, i32::wrapping_sub),
        V_ADD_I16          => |w, s| two(w, s, i16::wrapping_add),
        V_SUB_I16          => |w, s| two(w, s, i16::wrapping_sub),
        V_PACK_B32_F16     => |w, s| two(w, s, |a: F16, b: F16| pack(a.0, b.0)),
        V_MULLIT_F32       => |w, s| rounded3(w, s, |a, b, c| arithmetic::lit(arithmetic::mul_legacy(a, b), b, c), |env, a, b, c| arithmetic::lit(arithmetic::mul_legacy_rounded(env, a, b), b, c)),
        V_TRIG_PREOP_F64   => |w, s| staged2(w, s, approximate::two_by_pi),
        V_MQSAD_U32_U8 if clamp => |w, s| four_wide_sads(w, s, u32::saturating_add),
        V_MQSAD_U32_U8     => |w, s| four_wide_sads(w, s, u32::wrapping_add),
    };
    Some(handler)
}
}

at_each_level! {
/// The handler of a VOP3 instruction with a scalar destination; `clamp` if an integer result is to stay within its
/// range.
#[rustfmt::skip]
pub fn vop3b(op: Vop3b, clamp: bool) -> Option<Handler> {
    use Vop3b::*;
    let handler: Handler = match op {
        V_DIV_SCALE_F32 => |w, s| { let env = Env::of::<f32>(w.mode); carry3_with_slow_path(w, s, |a: f32, b, c, ()| divide::div_scale_fast(a, b, c, &divide::SCALE_32), |a, b, c, ()| divide::div_scale(env, a, b, c, &divide::SCALE_32)) },
        V_DIV_SCALE_F64 => |w, s| { let env = Env::of::<f64>(w.mode); carry3_with_slow_path(w, s, |a: f64, b, c, ()| divide::div_scale_fast(a, b, c, &divide::SCALE_64), |a, b, c, ()| divide::div_scale(env, a, b, c, &divide::SCALE_64)) },
        V_MAD_U64_U32 if clamp => |w, s| carry3(w, s, |a: u32, b: u32, c: u64, ()| { let (sum, over) = (u64::from(a) * u64::from(b)).overflowing_add(c); (if over { u64::MAX } else { sum }, over) }),
        V_MAD_I64_I32 if clamp => |w, s| carry3(w, s, |a: i32, b: i32, c: i64, ()| { let product = i64::from(a) * i64::from(b); (product.saturating_add(c), add_signed64(product, c).1) }),
        V_MAD_U64_U32   => |w, s| carry3(w, s, |a: u32, b: u32, c: u64, ()| add_carry64(u64::from(a) * u64::from(b), c)),
        V_MAD_I64_I32   => |w, s| carry3(w, s, |a: i32, b: i32, c: i64, ()| add_signed64(i64::from(a) * i64::from(b), c)),
    };
    Some(handler)
}
}
