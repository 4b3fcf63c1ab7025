//! Vector ALU: VOP1, VOP2 and VOP3. The table has a row for each operation and type.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector ALU Operations".

use gcn_isa::effect::{AluOp, Bitwise::*, Half::*, Sad::*, Shift::*, Signedness::*, Value, body};
use gcn_isa::{AluTypes, Ty};

use super::approximate;
use super::arithmetic;
use super::conversion;
use super::divide;
use super::env::Env;
use super::exact;
use super::float::F16;
use super::floating::*;
use super::operands::Positions;
use super::operations::{
    BELOW_HIGH, BELOW_LOW, SCREEN_PARTITION, add_carry64, add_signed64, byte_of, cube_coordinate,
    cube_major, division_fixup, exponent, fma_half, four_sads, four_wide_sads, fraction, i24,
    low_u16, mask_count, move_relative, normalised_half, normalised_half_pairs, normalised_pairs,
    pack, permute, put_bytes, read_lane, root64, saturate_i16, saturate_i32, saturate_u16,
    saturate_u32, saturated, saturated_u16, scaling64, swap, truncate_pairs, u24, write_lane,
};
use super::protocol::*;
use super::rule::{
    Approximation, Exact, Fraction, Fused, LegacyUnfused, Product, ReversedSum, Scaling, Sum,
    Unfused, WaveFunction,
};
use super::scalar_operand;
use crate::lanes::{HalfFloat, at_each_level};
use crate::step::Handler;

/// Handler for operands of type `$T`, one of the integer types of table rows. Rows list signed types first. A row
/// without signed types uses the unsigned type for signed operands, with the same results.
macro_rules! by_type {
    ($ty:expr, |$T:ident: $($Type:ident)*| $handler:expr) => {
        match $ty {
            $(#[allow(unreachable_patterns)]
            by_type!($Type) => {
                type $T = $Type;
                $handler as Handler
            })*
            _ => return None,
        }
    };
    (i16) => { Ty::I16 };
    (u16) => { Ty::I16 | Ty::U16 | Ty::B16 };
    (i32) => { Ty::I32 };
    (u32) => { Ty::I32 | Ty::U32 | Ty::B32 };
    (i64) => { Ty::I64 };
    (u64) => { Ty::I64 | Ty::U64 | Ty::B64 };
}

/// Handler for a sum of absolute differences, whose variant is the constant `$SAD`.
macro_rules! by_sad {
    ($sad:expr, |$SAD:ident| $handler:expr) => {
        by_sad!($sad, |$SAD| $handler, Bytes BytesHigh MaskedBytes Shorts Dword)
    };
    ($sad:expr, |$SAD:ident| $handler:expr, $($Name:ident)*) => {
        match $sad {
            $(gcn_isa::effect::Sad::$Name => {
                const $SAD: gcn_isa::effect::Sad = gcn_isa::effect::Sad::$Name;
                let handler: Handler = $handler;
                handler
            })*
        }
    };
}

at_each_level! {
/// Returns the handler of a vector operation. With `clamp`, integer results saturate, including sums of absolute
/// differences (errata E209).
#[rustfmt::skip]
#[allow(clippy::wildcard_enum_match_arm, reason = "an operation has rows of few types")]
pub fn handler(op: AluOp, of: AluTypes, clamp: bool) -> Option<Handler> {
    use AluOp::*;
    use Ty::{B64, F32, F64, I16, I32, I64, U16, U32, U64};
    let AluTypes { result: ty, source, carries, accumulates, .. } = of;
    let handler: Handler = match op {
        Nop | ClearExceptions => |_, _| {},
        Move                => |w, s| one(w, s, |a: u32| a),
        MoveRelative(_)     => |w, s| move_relative(w, s),
        ReadFirstLane       => |w, s| { let lane = w.exec().trailing_zeros() % 64; read_lane(w, s, lane) },
        ReadLane            => |w, s| { let lane = scalar_operand::read(w, s.args[2]); read_lane(w, s, lane) },
        WriteLane           => write_lane,
        Swap                => swap,
        Reversed(Select)    => |w, s| select(w, s, |a: f32, b: f32, bit| if bit { b } else { a }),
        Pack(Low, Low) => |w, s| two(w, s, |a: F16, b: F16| pack(a.0, b.0)),

        Bitwise(And)  => |w, s| two(w, s, |a: u32, b: u32| And.apply(a, b)),
        Bitwise(Or)   => |w, s| two(w, s, |a: u32, b: u32| Or.apply(a, b)),
        Bitwise(Xor)  => |w, s| two(w, s, |a: u32, b: u32| Xor.apply(a, b)),
        Bitwise(Xnor) => |w, s| staged2(w, s, |a: u32, b: u32| Xnor.apply(a, b)),
        Bitwise3(And, Or) => |w, s| three(w, s, |a: u32, b: u32, c: u32| a & b | c),
        Bitwise3(Or, Or)  => |w, s| three(w, s, |a: u32, b: u32, c: u32| a | b | c),
        Not                 => |w, s| one(w, s, |a: u32| !a),
        ReverseBits         => |w, s| one(w, s, |a: u32| a.reverse_bits()),
        Shift(Left)  => by_type!(ty, |T: u32 u64| |w, s| two(w, s, |a: T, b| a.shl(b))),
        Shift(_)     => by_type!(ty, |T: i32 u32 i64 u64| |w, s| two(w, s, |a: T, b| a.shr(b))),
        Reversed(Shift(Left)) => by_type!(ty, |T: u16 u32 u64| |w, s| two(w, s, |a, b: T| b.shl(a))),
        Reversed(Shift(_))    => by_type!(ty, |T: i16 u16 i32 u32 i64 u64| |w, s| two(w, s, |a, b: T| b.shr(a))),
        ShiftOr             => |w, s| three(w, s, |a: u32, b, c: u32| a.shl(b) | c),
        Align(1)            => |w, s| three(w, s, |a: u32, b, c| body::align(1, a, b, c)),
        Align(_)            => |w, s| staged3(w, s, |a: u32, b, c| body::align(8, a, b, c)),
        BitSelect           => |w, s| three(w, s, body::bit_select::<u32>),
        Extract             => by_type!(ty, |T: i32 u32| |w, s| three(w, s, body::extract::<T>)),
        FieldMask           => |w, s| staged2(w, s, body::field_mask::<u32>),
        CountOnesAdd        => |w, s| two(w, s, |a: u32, b: u32| a.count_ones().wrapping_add(b)),
        MaskedCount(Low)  => |w, s| mask_count(w, s, &BELOW_LOW),
        MaskedCount(High) => |w, s| mask_count(w, s, &BELOW_HIGH),
        FindLowestOne       => |w, s| one(w, s, body::find_lowest_one::<u32>),
        LeadingZeros        => |w, s| one(w, s, body::leading_zeros::<u32>),
        LeadingSigns        => |w, s| one(w, s, body::leading_signs::<i32>),
        Permute             => |w, s| permute(w, s),

        Add => match ty {
            F32 => |w, s| binary(w, s, Sum, |a: f32, b| a + b, exact::add),
            F64 => |w, s| binary(w, s, Sum, |a: f64, b| a + b, exact::add),
            Ty::F16 => |w, s| binary(w, s, Sum, |a: HalfFloat, b| a + b, exact::add),
            U32 if carries && clamp => |w, s| carry(w, s, |a: u32, b: u32, (), ()| saturated(a.overflowing_add(b), u32::MAX)),
            U32 if carries => |w, s| carry(w, s, |a: u32, b: u32, (), ()| a.overflowing_add(b)),
            _ if clamp     => by_type!(ty, |T: i16 u16 i32 u32| |w, s| staged2(w, s, T::saturating_add)),
            _              => by_type!(ty, |T: u16 u32| |w, s| two(w, s, T::wrapping_add)),
        },
        Sub => match ty {
            F32 => |w, s| binary(w, s, Sum, |a: f32, b| a - b, exact::sub),
            Ty::F16 => |w, s| binary(w, s, Sum, |a: HalfFloat, b| a - b, exact::sub),
            U32 if carries && clamp => |w, s| carry(w, s, |a: u32, b, (), ()| saturated(body::sub_borrow(a, b, false), 0)),
            U32 if carries => |w, s| carry(w, s, |a: u32, b, (), ()| body::sub_borrow(a, b, false)),
            _ if clamp     => by_type!(ty, |T: i16 u16 i32 u32| |w, s| staged2(w, s, T::saturating_sub)),
            _              => by_type!(ty, |T: u16 u32| |w, s| two(w, s, T::wrapping_sub)),
        },
        Reversed(Sub) => match ty {
            F32 => |w, s| binary(w, s, ReversedSum, |a: f32, b| b - a, |env, a, b| exact::sub(env, b, a)),
            Ty::F16 => |w, s| binary(w, s, ReversedSum, |a: HalfFloat, b| b - a, |env, a, b| exact::sub(env, b, a)),
            U32 if carries && clamp => |w, s| carry(w, s, |a: u32, b, (), ()| saturated(body::sub_borrow(b, a, false), 0)),
            U32 if carries => |w, s| carry(w, s, |a: u32, b, (), ()| body::sub_borrow(b, a, false)),
            _ if clamp     => by_type!(ty, |T: u16 u32| |w, s| staged2(w, s, |a: T, b: T| b.saturating_sub(a))),
            _              => by_type!(ty, |T: u16 u32| |w, s| two(w, s, |a: T, b: T| b.wrapping_sub(a))),
        },
        AddCarry if clamp   => |w, s| carry_through(w, s, |a: u32, b, (), c| saturated(body::add_carry(a, b, c), u32::MAX)),
        AddCarry            => |w, s| carry_through(w, s, |a: u32, b, (), c| body::add_carry(a, b, c)),
        SubBorrow if clamp  => |w, s| carry_through(w, s, |a: u32, b, (), c| saturated(body::sub_borrow(a, b, c), 0)),
        SubBorrow           => |w, s| carry_through(w, s, |a: u32, b, (), c| body::sub_borrow(a, b, c)),
        Reversed(SubBorrow) if clamp => |w, s| carry_through(w, s, |a: u32, b, (), c| saturated(body::sub_borrow(b, a, c), 0)),
        Reversed(SubBorrow) => |w, s| carry_through(w, s, |a: u32, b, (), c| body::sub_borrow(b, a, c)),
        Reversed(_)         => return None,
        Mul => match ty {
            F32 => |w, s| binary(w, s, Product, |a: f32, b| a * b, exact::mul),
            F64 => |w, s| binary(w, s, Product, |a: f64, b| a * b, exact::mul),
            Ty::F16 => |w, s| binary(w, s, Product, |a: HalfFloat, b| a * b, exact::mul),
            _ => by_type!(ty, |T: u16 u32| |w, s| two(w, s, T::wrapping_mul)),
        },
        MulHigh             => by_type!(ty, |T: i32 u32| |w, s| two(w, s, T::mul_high)),
        Mul24 => match ty {
            I32 if clamp => |w, s| staged2(w, s, |a, b| saturate_i32(i24(a) * i24(b))),
            _ if clamp   => |w, s| staged2(w, s, |a, b| saturate_u32(u24(a) * u24(b))),
            _            => by_type!(ty, |T: i32 u32| |w, s| two(w, s, body::mul_24::<T>)),
        },
        MulHigh24           => by_type!(ty, |T: i32 u32| |w, s| staged2(w, s, body::mul_high_24::<T>)),
        MulAdd => match (ty, source) {
            (F32, _) if accumulates => |w, s| ternary(w, s, ACCUMULATE, Unfused, arithmetic::mad, arithmetic::mad_rounded),
            (F32, _) => |w, s| ternary(w, s, THREE, Unfused, arithmetic::mad, arithmetic::mad_rounded),
            (Ty::F16, _) if accumulates => |w, s| ternary(w, s, ACCUMULATE, Unfused, arithmetic::mad_half, arithmetic::mad_rounded),
            (Ty::F16, _) => |w, s| ternary(w, s, THREE, Unfused, arithmetic::mad_half, arithmetic::mad_rounded),
            (U16, _) if clamp   => |w, s| staged3(w, s, |a: u16, b: u16, c: u16| saturate_u16(u64::from(a) * u64::from(b) + u64::from(c))),
            (I16, _) if clamp   => |w, s| staged3(w, s, |a: i16, b: i16, c: i16| saturate_i16(i32::from(a) * i32::from(b) + i32::from(c))),
            (U16 | I16, _)      => |w, s| staged3(w, s, |a: u16, b: u16, c: u16| a.wrapping_mul(b).wrapping_add(c)),
            (U32, U16) if clamp => |w, s| staged3(w, s, |a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).saturating_add(c)),
            (U32, U16)          => |w, s| staged3(w, s, |a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
            (I32, I16) if clamp => |w, s| staged3(w, s, |a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).saturating_add(c)),
            (I32, I16)          => |w, s| staged3(w, s, |a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
            (U64, _) if clamp   => |w, s| carry3(w, s, |a: u32, b: u32, c: u64, ()| { let (sum, over) = (u64::from(a) * u64::from(b)).overflowing_add(c); (if over { u64::MAX } else { sum }, over) }),
            (I64, _) if clamp   => |w, s| carry3(w, s, |a: i32, b: i32, c: i64, ()| { let product = i64::from(a) * i64::from(b); (product.saturating_add(c), add_signed64(product, c).1) }),
            (U64, _)            => |w, s| carry3(w, s, |a: u32, b: u32, c: u64, ()| add_carry64(u64::from(a) * u64::from(b), c)),
            (I64, _)            => |w, s| carry3(w, s, |a: i32, b: i32, c: i64, ()| add_signed64(i64::from(a) * i64::from(b), c)),
            _ => return None,
        },
        MulAdd24 => match ty {
            I32 if clamp => |w, s| staged3(w, s, |a, b, c: i32| saturate_i32(i24(a) * i24(b) + i64::from(c))),
            _ if clamp   => |w, s| staged3(w, s, |a, b, c: u32| saturate_u32(u24(a) * u24(b) + u64::from(c))),
            _            => by_type!(ty, |T: i32 u32| |w, s| three(w, s, |a: T, b, c| body::mul_24(a, b).wrapping_add(c))),
        },
        Fma => match ty {
            F32 if accumulates => |w, s| ternary(w, s, ACCUMULATE, Fused, f32::mul_add, exact::fma),
            F32 => |w, s| ternary(w, s, THREE, Fused, f32::mul_add, exact::fma),
            F64 => |w, s| ternary(w, s, THREE, Fused, arithmetic::fma_f64::<FUSES>, exact::fma),
            _   => |w, s| fma_half(w, s),
        },
        Min => match ty {
            F32 => |w, s| order2::<f32>(w, s, arithmetic::lesser, arithmetic::min),
            F64 => |w, s| order2::<f64>(w, s, arithmetic::lesser, arithmetic::min),
            Ty::F16 => |w, s| order2::<F16>(w, s, arithmetic::lesser, arithmetic::min),
            _ => by_type!(ty, |T: i16 u16 i32 u32| |w, s| two(w, s, body::min::<T>)),
        },
        Max => match ty {
            F32 => |w, s| order2::<f32>(w, s, arithmetic::greater, arithmetic::max),
            F64 => |w, s| order2::<f64>(w, s, arithmetic::greater, arithmetic::max),
            Ty::F16 => |w, s| order2::<F16>(w, s, arithmetic::greater, arithmetic::max),
            _ => by_type!(ty, |T: i16 u16 i32 u32| |w, s| two(w, s, body::max::<T>)),
        },
        Min3 => match ty {
            F32 => |w, s| order3::<f32>(w, s, arithmetic::least, arithmetic::min3),
            Ty::F16 => |w, s| order3::<F16>(w, s, arithmetic::least, arithmetic::min3),
            I16 | U16 => by_type!(ty, |T: i16 u16| |w, s| staged3(w, s, |a: T, b, c| a.min(b).min(c))),
            _         => by_type!(ty, |T: i32 u32| |w, s| three(w, s, |a: T, b, c| a.min(b).min(c))),
        },
        Max3 => match ty {
            F32 => |w, s| order3::<f32>(w, s, arithmetic::greatest, arithmetic::max3),
            Ty::F16 => |w, s| order3::<F16>(w, s, arithmetic::greatest, arithmetic::max3),
            I16 | U16 => by_type!(ty, |T: i16 u16| |w, s| staged3(w, s, |a: T, b, c| a.max(b).max(c))),
            _         => by_type!(ty, |T: i32 u32| |w, s| three(w, s, |a: T, b, c| a.max(b).max(c))),
        },
        Med3 => match ty {
            F32 => |w, s| order3::<f32>(w, s, arithmetic::middle, arithmetic::med3),
            Ty::F16 => |w, s| order3::<F16>(w, s, arithmetic::middle, arithmetic::med3),
            I16 | U16 => by_type!(ty, |T: i16 u16| |w, s| staged3(w, s, body::median::<T>)),
            _         => by_type!(ty, |T: i32 u32| |w, s| three(w, s, body::median::<T>)),
        },
        Add3                => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_add(c)),
        XorAdd              => |w, s| staged3(w, s, |a: u32, b: u32, c: u32| (a ^ b).wrapping_add(c)),
        ShiftAdd            => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_shl(b).wrapping_add(c)),
        AddShift            => |w, s| three(w, s, |a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_shl(c)),
        Sad(sad) => by_sad!(sad, |SAD| match clamp {
            true  => |w, s| staged3(w, s, |a: u32, b, c| body::sad(SAD, a, b).saturating_add(c)),
            false => |w, s| staged3(w, s, |a: u32, b, c| body::sad(SAD, a, b).wrapping_add(c)),
        }),
        QuadSad if clamp    => |w, s| staged3(w, s, |a, b, c| four_sads(a, b, c, Bytes, saturated_u16)),
        QuadSad             => |w, s| staged3(w, s, |a, b, c| four_sads(a, b, c, Bytes, low_u16)),
        MaskedQuadSad => match ty {
            B64 if clamp => |w, s| staged3(w, s, |a, b, c| four_sads(a, b, c, MaskedBytes, saturated_u16)),
            B64          => |w, s| staged3(w, s, |a, b, c| four_sads(a, b, c, MaskedBytes, low_u16)),
            _ if clamp   => |w, s| four_wide_sads(w, s, u32::saturating_add),
            _            => |w, s| four_wide_sads(w, s, u32::wrapping_add),
        },
        LerpBytes           => |w, s| staged3(w, s, body::lerp_bytes::<u32>),
        SaturateBytes       => |w, s| one(w, s, |a: u32| u32::from(byte_of(a as i16)) | u32::from(byte_of((a >> 16) as i16)) << 8),
        SaturatePair => match source {
            U32 => |w, s| staged2(w, s, |a: u32, b: u32| pack(a.min(0xffff) as u16, b.min(0xffff) as u16)),
            _   => |w, s| staged2(w, s, |a, b| pack(saturate_i16(a) as u16, saturate_i16(b) as u16)),
        },

        MulLegacy           => |w, s| binary(w, s, Product, arithmetic::mul_legacy, arithmetic::mul_legacy_rounded),
        MulAddLegacy if accumulates => |w, s| ternary(w, s, ACCUMULATE, LegacyUnfused, arithmetic::mad_legacy, arithmetic::mad_legacy_rounded),
        MulAddLegacy        => |w, s| ternary(w, s, THREE, LegacyUnfused, arithmetic::mad_legacy, arithmetic::mad_legacy_rounded),
        MinLegacy           => |w, s| choice(w, s, TWO, |a: f32, b, ()| if a < b { a } else { b }),
        MaxLegacy           => |w, s| choice(w, s, TWO, |a: f32, b, ()| if a >= b { a } else { b }),
        MulLit              => |w, s| ternary(w, s, THREE, Fused, |a, b, c| arithmetic::lit(arithmetic::mul_legacy(a, b), b, c), |env, a, b, c| arithmetic::lit(arithmetic::mul_legacy_rounded(env, a, b), b, c)),
        Trunc => match ty {
            F64 => |w, s| unary(w, s, Exact, |a| arithmetic::whole(a, f64::trunc)),
            F32 => |w, s| unary(w, s, Exact, |a| arithmetic::whole(a, f32::trunc)),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(f32::trunc)),
        },
        Ceil => match ty {
            F64 => |w, s| unary(w, s, Exact, |a| arithmetic::whole(a, f64::ceil)),
            F32 => |w, s| unary(w, s, Exact, |a| arithmetic::whole(a, f32::ceil)),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(f32::ceil)),
        },
        Floor => match ty {
            F64 => |w, s| unary(w, s, Exact, |a| arithmetic::whole(a, f64::floor)),
            F32 => |w, s| unary(w, s, Exact, |a| arithmetic::whole(a, f32::floor)),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(f32::floor)),
        },
        RoundEven => match ty {
            F64 => |w, s| unary(w, s, Exact, |a| arithmetic::whole(a, f64::round_ties_even)),
            F32 => |w, s| unary(w, s, Exact, |a| arithmetic::whole(a, f32::round_ties_even)),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(f32::round_ties_even)),
        },
        Fract => match ty {
            F64 => |w, s| float(w, s, ONE, Fraction, |_, a: f64, (), ()| arithmetic::fract(a, |a, b| a - b, f64::floor), |env, a: f64, (), ()| arithmetic::fract(a, |a, b| exact::sub(env, a, b), f64::floor)),
            F32 => |w, s| float(w, s, ONE, Fraction, |_, a: f32, (), ()| arithmetic::fract(a, |a, b| a - b, f32::floor), |env, a: f32, (), ()| arithmetic::fract(a, |a, b| exact::sub(env, a, b), f32::floor)),
            _   => |w, s| float(w, s, ONE, Fraction, |_, a: F16, (), ()| arithmetic::fract(a, |a, b| F16::from_f32(a.to_f32() - b.to_f32()), F16::floor), |env, a: F16, (), ()| arithmetic::fract(a, |a, b| exact::sub(env, a, b), F16::floor)),
        },
        Exp2 => match ty {
            F32 => |w, s| unary(w, s, Approximation, approximate::exp2::<FUSES>),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(approximate::exp2::<FUSES>)),
        },
        Log2 => match ty {
            F32 => |w, s| unary(w, s, Approximation, approximate::log2::<FUSES>),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(approximate::log2::<FUSES>)),
        },
        Log2Clamped         => |w, s| unary(w, s, Approximation, |a| approximate::above_minus_infinity(approximate::log2::<FUSES>(a))),
        Rcp => match ty {
            F64 => |w, s| unary(w, s, Exact, f64::recip),
            F32 => |w, s| unary(w, s, Approximation, f32::recip),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(f32::recip)),
        },
        RcpClamped => match ty {
            F64 => |w, s| unary(w, s, Exact, |a: f64| approximate::finite64(a.recip())),
            _   => |w, s| unary(w, s, Approximation, |a| approximate::finite(f32::recip(a))),
        },
        RcpLegacy           => |w, s| unary(w, s, Approximation, |a| approximate::infinite_to_zero(f32::recip(a))),
        Rsq => match ty {
            F64 => |w, s| root64(w, s),
            F32 => |w, s| unary(w, s, Approximation, approximate::rsq),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(approximate::rsq)),
        },
        RsqClamped => match ty {
            F64 => |w, s| unary(w, s, Exact, |a: f64| approximate::finite64(approximate::rsq64(a))),
            _   => |w, s| unary(w, s, Approximation, |a| approximate::finite(approximate::rsq(a))),
        },
        RsqLegacy           => |w, s| unary(w, s, Approximation, |a| approximate::infinite_to_zero(approximate::rsq(a))),
        Sqrt => match ty {
            F64 => |w, s| unary(w, s, Exact, f64::sqrt),
            F32 => |w, s| unary(w, s, Approximation, f32::sqrt),
            _   => |w, s| unary(w, s, Exact, |a: HalfFloat| a.map(f32::sqrt)),
        },
        Sin => match ty {
            F32 => |w, s| { let far = approximate::farthest(w.isa); unary(w, s, WaveFunction, |a: f32| approximate::sin::<FUSES>(far, a)) },
            _   => |w, s| { let far = approximate::farthest(w.isa); unary(w, s, Exact, |a: HalfFloat| a.map(|a| approximate::sin::<FUSES>(far, a))) },
        },
        Cos => match ty {
            F32 => |w, s| { let far = approximate::farthest(w.isa); unary(w, s, WaveFunction, |a: f32| approximate::cos::<FUSES>(far, a)) },
            _   => |w, s| { let far = approximate::farthest(w.isa); unary(w, s, Exact, |a: HalfFloat| a.map(|a| approximate::cos::<FUSES>(far, a))) },
        },
        Ldexp => match ty {
            F64 => |w, s| scaling64(w, s),
            F32 => |w, s| float(w, s, TWO, Scaling, |env, a, b, ()| arithmetic::ldexp(env, a, b), |env, a: f32, b, ()| exact::ldexp(env, a, b)),
            _   => |w, s| float(w, s, TWO, Scaling, |env, a, b, ()| arithmetic::ldexp_half(env, a, b), |env, a: F16, b: i16, ()| exact::ldexp(env, a, b.into())),
        },
        FrexpExponent => match source {
            F64 => |w, s| exponent::<f64, i32>(w, s, |exponent| exponent),
            F32 => |w, s| exponent::<f32, i32>(w, s, |exponent| exponent),
            _   => |w, s| exponent::<F16, i16>(w, s, |exponent| exponent as i16),
        },
        FrexpMantissa => match source {
            F64 => |w, s| fraction::<f64>(w, s),
            F32 => |w, s| fraction::<f32>(w, s),
            _   => |w, s| fraction::<F16>(w, s),
        },
        DivScale => match ty {
            F64 => |w, s| { let env = Env::of::<f64>(w.mode); carry3_with_slow_path(w, s, |a: f64, b, c, ()| divide::div_scale_fast(a, b, c, &divide::SCALE_64), |a, b, c, ()| divide::div_scale(env, a, b, c, &divide::SCALE_64)) },
            _   => |w, s| { let env = Env::of::<f32>(w.mode); carry3_with_slow_path(w, s, |a: f32, b, c, ()| divide::div_scale_fast(a, b, c, &divide::SCALE_32), |a, b, c, ()| divide::div_scale(env, a, b, c, &divide::SCALE_32)) },
        },
        DivFmas => match ty {
            F64 => |w, s| division_step(w, s, arithmetic::fma_f64::<FUSES>, |env, a, b, q, scaled| divide::div_fmas(env, &divide::SCALE_64, a, b, q, scaled)),
            _   => |w, s| division_step(w, s, f32::mul_add, |env, a, b, q, scaled| divide::div_fmas(env, &divide::SCALE_32, a, b, q, scaled)),
        },
        DivFixup => match ty {
            F64 => |w, s| division_fixup::<f64>(w, s, &divide::SCALE_64),
            F32 => |w, s| division_fixup::<f32>(w, s, &divide::SCALE_32),
            _   => |w, s| { let env = Env::of::<F16>(w.mode); three(w, s, |q, d, n| divide::div_fixup::<F16>(env, q, d, n)) },
        },
        TrigPreop           => |w, s| staged2(w, s, approximate::two_by_pi),
        CubeFace            => |w, s| choice(w, s, THREE, |x: f32, y, z| arithmetic::cube(x, y, z).face),
        CubeS               => |w, s| cube_coordinate(w, s, |cube| cube.s),
        CubeT               => |w, s| cube_coordinate(w, s, |cube| cube.t),
        CubeMajor           => |w, s| cube_major(w, s),

        Convert => match (ty, source) {
            (I32, F64) => |w, s| one(w, s, conversion::to_i32),
            (I32, F32) => |w, s| one(w, s, |a: f32| conversion::to_i32(a.into())),
            (U32, F64) => |w, s| one(w, s, conversion::to_u32),
            (U32, F32) => |w, s| one(w, s, |a: f32| conversion::to_u32(a.into())),
            (U16, Ty::F16) => |w, s| one(w, s, |a: HalfFloat| conversion::to_u16(a.0)),
            (I16, Ty::F16) => |w, s| one(w, s, |a: HalfFloat| conversion::to_i16(a.0)),
            (F64, I32) => |w, s| one(w, s, |a: i32| f64::from(a)),
            (F64, U32) => |w, s| one(w, s, |a: u32| f64::from(a)),
            (F32, I32) => |w, s| from_integer(w, s, |a: i32| a as f32),
            (F32, U32) => |w, s| from_integer(w, s, |a: u32| a as f32),
            (Ty::F16, U16) => |w, s| from_integer(w, s, |a: u16| F16::from_f32(f32::from(a))),
            (Ty::F16, I16) => |w, s| from_integer(w, s, |a: i16| F16::from_f32(f32::from(a))),
            (Ty::F16, F32) => |w, s| convert::<f32, F16, _, _>(w, s, |env, a| env.output(HalfFloat::<0>(a))),
            (F32, Ty::F16) => |w, s| convert::<F16, f32, _, _>(w, s, |env, a: HalfFloat| env.output(a.0)),
            (F32, F64) => |w, s| convert::<f64, f32, _, _>(w, s, conversion::narrowed),
            (F64, F32) => |w, s| convert::<f32, f64, _, _>(w, s, |env, a: f32| env.output(f64::from(a))),
            _ => return None,
        },
        ConvertNear         => |w, s| one(w, s, |a: f32| conversion::whole_to_i32((f64::from(a) + 0.5).floor(), a)),
        ConvertFloor        => |w, s| one(w, s, |a: f32| conversion::whole_to_i32(a.floor().into(), a)),
        ConvertOffset       => |w, s| one(w, s, |a: i32| (a << 28 >> 28) as f32 / 16.0),
        ConvertByte(0)      => |w, s| one(w, s, |a: u32| (a & 0xff) as f32),
        ConvertByte(1)      => |w, s| one(w, s, |a: u32| (a >> 8 & 0xff) as f32),
        ConvertByte(2)      => |w, s| one(w, s, |a: u32| (a >> 16 & 0xff) as f32),
        ConvertByte(_)      => |w, s| one(w, s, |a: u32| (a >> 24) as f32),
        PutByte if accumulates => |w, s| put_bytes(w, s, Positions::<1, 2, 0>),
        PutByte             => |w, s| put_bytes(w, s, Positions::<1, 2, 3>),
        Normalize => match ty {
            I16 => |w, s| normalised_half(w, s, |a| conversion::snorm16(a) as u16),
            _   => |w, s| normalised_half(w, s, conversion::unorm16),
        },
        NormalizePair(sign) => match (sign, source) {
            (Signed, F32)   => |w, s| normalised_pairs(w, s, |a| conversion::snorm16(a) as u16),
            (Unsigned, F32) => |w, s| normalised_pairs(w, s, conversion::unorm16),
            (Signed, _)     => |w, s| normalised_half_pairs(w, s, |a| conversion::snorm16(a) as u16),
            (Unsigned, _)   => |w, s| normalised_half_pairs(w, s, conversion::unorm16),
        },
        TruncatePair        => |w, s| truncate_pairs(w, s),
        ScreenPartition     => |w, s| one(w, s, |a: u32| u32::from(SCREEN_PARTITION[(a & 0xff) as usize])),
        // Compute kernels have no pixel parameters.
        Interpolate(_)      => return None,
        // `packed` has handlers for these.
        Packed(..) | Mix(..) | Dot(_) => return None,
        // Only scalar instructions perform these operations.
        MoveIf | Select | Pack(..) | Bitwise(_) | Bitwise3(..) | ExtractPacked | SignExtend(_) | SetBit(_)
        | TestBit(_) | CountZeros | CountOnes | FindLowestZero | WholeQuads | QuadMask | Replicate | ShiftByAdd(_)
        | Abs | AbsDiff | SaveExec(_) | WriteExec(_) | GetPc | GetRegister | SetRegister | SetVskip | SetIndex
        | IndexOn => return None,
    };
    Some(handler)
}
}
