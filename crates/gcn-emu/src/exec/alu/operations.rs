//! Vector operations that are too long for a table row, and instructions that fit no function of `protocol`.

use std::hint::select_unpredictable;

use gcn_isa::Isa;
use gcn_isa::effect::{Sad, body};

use super::approximate;
use super::arithmetic::{self, Cube, cube};
use super::conversion;
use super::divide;
use super::env::Env;
use super::exact::{self, invalid};
use super::float::{F16, Float};
use super::floating::{HostFloat, ONE, THREE, TWO, choice, flagged, float, under_rule};
use super::operands::Positions;
use super::protocol::*;
use super::rule::{CubeMajor, DivisionFixup, Fused, Root, WideScaling};
use super::scalar_operand;
use crate::lanes::{HalfFloat, LANES, Lane, Lanes, keep_if};
use crate::step::{Arg, Step};
use crate::wave::Wave;

/// Zero-extends the low 24 bits.
#[inline(always)]
pub(super) fn u24(value: u32) -> u64 {
    u64::from(value & 0x00ff_ffff)
}

/// Sign-extends the low 24 bits.
#[inline(always)]
pub(super) fn i24(value: i32) -> i64 {
    i64::from(value << 8 >> 8)
}

#[inline(always)]
pub(super) fn saturate_i32(value: i64) -> i32 {
    value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

#[inline(always)]
pub(super) fn saturate_u32(value: u64) -> u32 {
    value.min(u32::MAX.into()) as u32
}

#[inline(always)]
pub(super) fn saturate_i16(value: i32) -> i16 {
    value.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

#[inline(always)]
pub(super) fn saturate_u16(value: u64) -> u16 {
    value.min(u16::MAX.into()) as u16
}

#[inline(always)]
pub(super) fn byte_of(value: i16) -> u8 {
    value.clamp(0, u8::MAX.into()) as u8
}

/// Packs two values, the first into the low half.
#[inline(always)]
pub(super) fn pack(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// Replaces a byte of the last source, selected by the second, with the first source, rounded to an integer as in MODE.
#[inline(always)]
pub(super) fn put_bytes<const Z: usize>(w: &mut Wave, s: &Step, at: Positions<1, 2, Z>) {
    let env = Env::of::<f32>(w.mode);
    if env.is_nearest() {
        let env = env.to_nearest();
        run(w, s, at, 0, |a, number: u32, old: u32, ()| {
            (put_byte(old, number, conversion::to_u8(env, a)), ())
        });
    } else {
        at_baseline(w, s, at, 0, |a, number: u32, old: u32, ()| {
            (put_byte(old, number, conversion::to_u8(env, a)), ())
        });
    }
}

/// Replaces byte `number`, modulo 4.
#[inline(always)]
pub(super) fn put_byte(old: u32, number: u32, byte: u8) -> u32 {
    let shift = 8 * (number & 3);
    old & !(0xff << shift) | u32::from(byte) << shift
}

/// Computes four sums of absolute differences between `b` and the dwords that start at each of the first four bytes of
/// `a`. Each sum is added to a 16-bit part of `c`; `limit` reduces it to 16 bits.
#[inline(always)]
pub(super) fn four_sads(a: u64, b: u32, c: u64, sad: Sad, limit: impl Fn(u32) -> u16) -> u64 {
    (0..4).fold(0, |result, i| {
        let sum = body::sad(sad, (a >> (8 * i)) as u32, b) + ((c >> (16 * i)) as u32 & 0xffff);
        result | u64::from(limit(sum)) << (16 * i)
    })
}

#[inline(always)]
pub(super) fn low_u16(value: u32) -> u16 {
    value as u16
}

#[inline(always)]
pub(super) fn saturated_u16(value: u32) -> u16 {
    value.min(u16::MAX.into()) as u16
}

/// Executes [`four_sads`] with sums in four 32-bit registers. Bytes are ignored if the reference byte is zero.
pub(super) fn four_wide_sads(w: &mut Wave, s: &Step, add: impl Fn(u32, u32) -> u32) {
    /// Number of registers for the sums.
    const SUMS: u8 = 4;
    let exec = w.exec();
    let register = |w: &Wave, arg: Arg, n: u8| match arg {
        Arg::Vgpr(first) => *w.vgpr(first.saturating_add(n)),
        Arg::Scalar(first) if n > 1 => Lanes::splat(w.scalar(first.saturating_add(n))),
        Arg::None | Arg::Scalar(_) | Arg::Special(_) | Arg::Const(_) | Arg::Imm(_) => Lanes::splat(
            (scalar_operand::read::<u64>(w, arg).checked_shr(32 * u32::from(n))).unwrap_or(0)
                as u32,
        ),
    };
    let (low, high) = (register(w, s.args[1], 0), register(w, s.args[1], 1));
    let reference = register(w, s.args[2], 0);
    let sums: [Lanes; SUMS as usize] = std::array::from_fn(|n| {
        let old = register(w, s.args[3], n as u8);
        Lanes(std::array::from_fn(|lane| {
            let bytes = u64::from(low.0[lane]) | u64::from(high.0[lane]) << 32;
            let sum = body::sad(
                Sad::MaskedBytes,
                (bytes >> (8 * n)) as u32,
                reference.0[lane],
            );
            add(sum, old.0[lane])
        }))
    });
    if let Arg::Vgpr(first) = s.args[0] {
        for (n, sum) in sums.iter().enumerate() {
            w.vgpr_mut(first.saturating_add(n as u8)).blend(sum, exec);
        }
    }
}

/// Results of V_SCREEN_PARTITION_4SE by low byte of the source, from AMD's Vega manual (errata E208).
#[rustfmt::skip]
pub(super) static SCREEN_PARTITION: [u8; 256] = [
    0x1, 0x3, 0x7, 0xf, 0x5, 0xf, 0xf, 0xf, 0x7, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf,
    0xf, 0x2, 0x6, 0xe, 0xf, 0xa, 0xf, 0xf, 0xf, 0xb, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf,
    0xd, 0xf, 0x4, 0xc, 0xf, 0xf, 0x5, 0xf, 0xf, 0xf, 0xd, 0xf, 0xf, 0xf, 0xf, 0xf,
    0x9, 0xb, 0xf, 0x8, 0xf, 0xf, 0xf, 0xa, 0xf, 0xf, 0xf, 0xe, 0xf, 0xf, 0xf, 0xf,
    0xf, 0xf, 0xf, 0xf, 0x4, 0xc, 0xd, 0xf, 0x6, 0xf, 0xf, 0xf, 0xe, 0xf, 0xf, 0xf,
    0xf, 0xf, 0xf, 0xf, 0xf, 0x8, 0x9, 0xb, 0xf, 0x9, 0x9, 0xf, 0xf, 0xd, 0xf, 0xf,
    0xf, 0xf, 0xf, 0xf, 0x7, 0xf, 0x1, 0x3, 0xf, 0xf, 0x9, 0xf, 0xf, 0xf, 0xb, 0xf,
    0xf, 0xf, 0xf, 0xf, 0x6, 0xe, 0xf, 0x2, 0x6, 0xf, 0xf, 0x6, 0xf, 0xf, 0xf, 0x7,
    0xb, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x2, 0x3, 0xb, 0xf, 0xa, 0xf, 0xf, 0xf,
    0xf, 0x7, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x1, 0x9, 0xd, 0xf, 0x5, 0xf, 0xf,
    0xf, 0xf, 0xe, 0xf, 0xf, 0xf, 0xf, 0xf, 0xe, 0xf, 0x8, 0xc, 0xf, 0xf, 0xa, 0xf,
    0xf, 0xf, 0xf, 0xd, 0xf, 0xf, 0xf, 0xf, 0x6, 0x7, 0xf, 0x4, 0xf, 0xf, 0xf, 0x5,
    0x9, 0xf, 0xf, 0xf, 0xd, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x8, 0xc, 0xe, 0xf,
    0xf, 0x6, 0x6, 0xf, 0xf, 0xe, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x4, 0x6, 0x7,
    0xf, 0xf, 0x6, 0xf, 0xf, 0xf, 0x7, 0xf, 0xf, 0xf, 0xf, 0xf, 0xb, 0xf, 0x2, 0x3,
    0x9, 0xf, 0xf, 0x9, 0xf, 0xf, 0xf, 0xb, 0xf, 0xf, 0xf, 0xf, 0x9, 0xd, 0xf, 0x1,
];

/// Selects bytes of two sources, or constants, by the bytes of the third source.
#[inline(always)]
pub(super) fn permute(w: &mut Wave, s: &Step) {
    match selector(w, s.args[3]).and_then(Rotations::of) {
        Some(turns) => staged2(w, s, |high: u32, low: u32| turns.of_bytes(high, low)),
        None => {
            compiled_once(w, s, Positions::<1, 2, 3>, 0, |high, low, selector, ()| {
                (bytes_of(high, low, selector), ())
            });
        }
    }
}

/// Returns the value of an operand if it is the same in all lanes.
#[inline(always)]
pub(super) fn selector(w: &Wave, arg: Arg) -> Option<u32> {
    let Arg::Vgpr(register) = arg else {
        return Some(scalar_operand::read(w, arg));
    };
    let lanes = w.vgpr(register).0;
    let first = lanes[0];
    let differ = lanes.iter().fold(0, |differ, lane| differ | lane ^ first);
    (differ == 0).then_some(first)
}

/// Selection of each byte of V_PERM_B32's result, as a rotation of a source.
#[derive(Clone, Copy, Default)]
struct Rotations([Rotation; 4]);

#[derive(Clone, Copy, Default)]
struct Rotation {
    /// All ones to select the first source, zero to select the second.
    of_high: u32,
    /// Number of bits to rotate left.
    left: u32,
    /// Mask of the byte; zero for a constant.
    mask: u32,
    /// Bits of a constant.
    ones: u32,
}

impl Rotations {
    /// Decodes a selector. Returns `None` if any of its bytes selects a sign.
    fn of(selector: u32) -> Option<Rotations> {
        let mut turns = Rotations::default();
        for (place, (turn, n)) in (0..).zip(turns.0.iter_mut().zip(selector.to_le_bytes())) {
            let mask: u32 = 0xff << (8 * place);
            match n {
                0..8 => {
                    turn.of_high = keep_if(u32::from(n & 4));
                    turn.left = (8 * (place + 4 - u32::from(n % 4))) % u32::BITS;
                    turn.mask = mask;
                }
                8..12 => return None,
                12 => {}
                13.. => turn.ones = mask,
            }
        }
        Some(turns)
    }

    #[inline(always)]
    fn of_bytes(&self, high: u32, low: u32) -> u32 {
        let byte = |turn: Rotation| {
            let source = high & turn.of_high | low & !turn.of_high;
            source.rotate_left(turn.left) & turn.mask | turn.ones
        };
        let [a, b, c, d] = self.0;
        byte(a) | byte(b) | byte(c) | byte(d)
    }
}

/// Computes V_PERM_B32 in one lane from the lane's selector.
#[inline(always)]
pub(super) fn bytes_of(high: u32, low: u32, selector: u32) -> u32 {
    (0..4).fold(0, |result, byte| {
        let n = selector >> (8 * byte) & 0xff;
        let taken = select_unpredictable(n & 4 == 0, low, high) >> (8 * (n & 3));
        // Sign of one of the four halves.
        let part = select_unpredictable(n & 2 == 0, low, high);
        let sign = ((part << (16 * (!n & 1))) as i32 >> 31) as u32;
        let constant = select_unpredictable(n == 12, 0, 0xff);
        let above = select_unpredictable(n < 12, sign, constant);
        let chosen = select_unpredictable(n < 8, taken, above) & 0xff;
        result | chosen << (8 * byte)
    })
}

/// Converts two sources in the range −1..=1 or 0..=1 to normalized 16-bit integers.
#[inline(always)]
pub(super) fn normalised_pairs(w: &mut Wave, s: &Step, f: impl Fn(f32) -> u16 + Copy) {
    let env = Env::of::<f32>(w.mode);
    two(w, s, |a: f32, b: f32| {
        pack(f(env.input(a)), f(env.input(b)))
    });
}

/// [`normalised_pairs`] for halves.
#[inline(always)]
pub(super) fn normalised_half_pairs(w: &mut Wave, s: &Step, f: impl Fn(f32) -> u16 + Copy) {
    let env = Env::of::<F16>(w.mode);
    two(w, s, |a: HalfFloat, b: HalfFloat| {
        pack(f(env.input(a).0), f(env.input(b).0))
    });
}

/// Converts a half to a normalized 16-bit integer.
#[inline(always)]
pub(super) fn normalised_half(w: &mut Wave, s: &Step, f: impl Fn(f32) -> u16 + Copy) {
    let env = Env::of::<F16>(w.mode);
    one(w, s, |a: HalfFloat| f(env.input(a).0));
}

/// Computes the exponents of values: 0 for zeros, infinities and NaNs, except that GCN 1.0 returns −1 for infinities
/// and NaNs (errata E303).
#[inline(always)]
pub(super) fn exponent<F: Float, R: Lane>(w: &mut Wave, s: &Step, of: impl Fn(i32) -> R + Copy) {
    let other = if w.isa == Isa::Si { -1 } else { 0 };
    of_numbers(w, s, |a: F| of(a.frexp_exponent()), |_, _| of(other));
}

/// Computes the fractions of values. Zeros and infinities are unchanged, and signaling NaNs may become quiet; on GCN
/// 1.0, infinities and NaNs become the NaN of an invalid operation (errata E303).
#[inline(always)]
pub(super) fn fraction<F: Float>(w: &mut Wave, s: &Step) {
    let is_first = w.isa == Isa::Si;
    of_numbers(w, s, F::frexp_fraction, |env, a: F| {
        let nan = select_unpredictable(a.is_any_nan(), env.nan(a), a);
        select_unpredictable(is_first, invalid(), nan)
    });
}

/// Executes one function for finite values, and another for infinities and NaNs.
#[inline(always)]
fn of_numbers<F: Float, R: Lane>(
    w: &mut Wave,
    s: &Step,
    number: impl Fn(F) -> R,
    other: impl Fn(Env, F) -> R,
) {
    let env = Env::of::<F>(w.mode);
    one(w, s, |a: F| {
        let is_number = a.exponent() != F::EXPONENT_MAX;
        select_unpredictable(is_number, number(env.input(a)), other(env, a))
    });
}

/// Executes a fused multiply-add in half precision.
#[inline(always)]
pub(super) fn fma_half(w: &mut Wave, s: &Step) {
    let nearest = |_, a: HalfFloat, b: HalfFloat, c: HalfFloat| {
        HalfFloat(arithmetic::fma_half(a.0, b.0, c.0))
    };
    let exact = |env, a: F16, b, c, _| exact::fma(env, a, b, c);
    under_rule(
        w,
        s,
        THREE,
        Fused,
        0,
        arithmetic::fma_half_fast,
        nearest,
        exact,
    );
}

/// Executes a reciprocal square root in double precision.
#[inline(always)]
pub(super) fn root64(w: &mut Wave, s: &Step) {
    let fast = |a, (), ()| approximate::rsq64_fast(a);
    flagged(w, s, ONE, Root, fast, |env, a, (), ()| {
        approximate::under(env, a, approximate::rsq64)
    });
}

/// Executes a multiplication by a power of two in double precision.
#[inline(always)]
pub(super) fn scaling64(w: &mut Wave, s: &Step) {
    let fast = |a, b, ()| arithmetic::ldexp64_fast(a, b);
    let nearest = |env, a, b, ()| arithmetic::ldexp64_under(env, a, b);
    let exact = |env: Env, a: f64, b: i32, (), _| exact::ldexp(env, env.input(a), b);
    under_rule(w, s, TWO, WideScaling, 0, fast, nearest, exact);
}

/// Executes V_DIV_FIXUP, the last operation of a division.
#[inline(always)]
pub(super) fn division_fixup<F: Float + HostFloat>(w: &mut Wave, s: &Step, scale: &divide::Scale) {
    let fast = |q, d, n| divide::div_fixup_fast(q, d, n, scale);
    flagged(w, s, THREE, DivisionFixup, fast, divide::div_fixup::<F>);
}

/// Computes a coordinate on a cube face: one of the sources, possibly negated.
#[inline(always)]
pub(super) fn cube_coordinate(w: &mut Wave, s: &Step, of: impl Fn(Cube) -> f32 + Copy) {
    let env = Env::of::<f32>(w.mode);
    choice(w, s, THREE, |x, y, z| {
        let coordinate = of(cube(x, y, z));
        select_unpredictable(coordinate.is_nan(), env.nan(coordinate), coordinate)
    });
}

/// Doubles the coordinate with the greatest magnitude, rounding as in MODE.
#[inline(always)]
pub(super) fn cube_major(w: &mut Wave, s: &Step) {
    let nearest = |env: Env, x, y, z| {
        let major = cube(x, y, z).major;
        select_unpredictable(major.is_nan(), env.nan(major), 2.0 * major)
    };
    float(w, s, THREE, CubeMajor, nearest, |env, x, y, z| {
        exact::mul(env, 2.0, cube(x, y, z).major)
    });
}

/// Truncates two single-precision values to half precision, regardless of the rounding mode. Denormals are handled as
/// in MODE for each width (errata E192).
#[inline(always)]
pub(super) fn truncate_pairs(w: &mut Wave, s: &Step) {
    let (from, to) = (
        Env::of::<f32>(w.mode),
        Env::of_converted::<F16>(w.isa, w.mode),
    );
    let half = move |a: f32| to.output(F16::from_f32_truncated(from.input(a))).0;
    two(w, s, |a, b| pack(half(a), half(b)));
}

/// Returns a 64-bit sum and its carry.
#[inline(always)]
pub(super) fn add_carry64(a: u64, b: u64) -> (u64, bool) {
    let ([a, b, sum], result) = add_by_halves(a, b);
    (result, ((a & b | (a | b) & !sum) as i32) < 0)
}

/// Returns a signed 64-bit sum and bit 64 of the exact sum (errata E302).
#[inline(always)]
pub(super) fn add_signed64(a: i64, b: i64) -> (i64, bool) {
    let ([a, b, sum], result) = add_by_halves(a as u64, b as u64);
    // An overflow inverts the sign.
    let overflow = (sum ^ a) & (sum ^ b);
    (result as i64, ((sum ^ overflow) as i32) < 0)
}

/// Adds 64-bit integers by halves. Returns the high halves of both operands and of the sum, and the whole sum.
/// Registers hold 64-bit values as two halves anyway, so the operands need not be combined first.
#[inline(always)]
pub(super) fn add_by_halves(a: u64, b: u64) -> ([u32; 3], u64) {
    let high = |number: u64| (number >> u32::BITS) as u32;
    let (low, carry) = (a as u32).overflowing_add(b as u32);
    let (a, b) = (high(a), high(b));
    let sum = a.wrapping_add(b).wrapping_add(carry.into());
    ([a, b, sum], u64::from(low) | u64::from(sum) << u32::BITS)
}

/// Saturates a sum to `limit` if it has a carry.
#[inline(always)]
pub(super) fn saturated((value, carry): (u32, bool), limit: u32) -> (u32, bool) {
    (if carry { limit } else { value }, carry)
}

/// Copies a lane of a vector register to a scalar register.
pub(super) fn read_lane(w: &mut Wave, s: &Step, lane: u32) {
    if let Arg::Vgpr(source) = s.args[1]
        && let Some(lanes) = w.vgprs.get(usize::from(source))
    {
        let value = lanes.0[lane as usize % LANES];
        scalar_operand::write(w, s.args[0], value);
    }
}

/// Copies a scalar to a lane of a vector register, active or not.
pub(super) fn write_lane(w: &mut Wave, s: &Step) {
    let (value, lane): (u32, u32) = (
        scalar_operand::read(w, s.args[1]),
        scalar_operand::read(w, s.args[2]),
    );
    if let Arg::Vgpr(destination) = s.args[0]
        && let Some(lanes) = w.vgprs.get_mut(usize::from(destination))
    {
        lanes.0[lane as usize % LANES] = value;
    }
}

/// Swaps two registers in the active lanes.
pub(super) fn swap(w: &mut Wave, s: &Step) {
    let exec = w.exec();
    let (Arg::Vgpr(a), Arg::Vgpr(b)) = (s.args[0], s.args[1]) else {
        return;
    };
    let (a, b) = (usize::from(a), usize::from(b));
    if let (Some(&first), Some(&second)) = (w.vgprs.get(a), w.vgprs.get(b)) {
        w.vgprs[a].blend(&second, exec);
        w.vgprs[b].blend(&first, exec);
    }
}

/// Moves a register, adding M0 to the number of the source, the destination or both (MOVREL; checklist 1.6).
pub(super) fn move_relative(w: &mut Wave, s: &Step) {
    let [destination, source, ..] = s.relative_operands(w);
    let value = match source {
        Arg::Vgpr(source) => *w.vgpr(source),
        Arg::None | Arg::Scalar(_) | Arg::Special(_) | Arg::Const(_) | Arg::Imm(_) => {
            Lanes::splat(scalar_operand::read(w, source))
        }
    };
    if let Arg::Vgpr(destination) = destination {
        let exec = w.exec();
        w.vgpr_mut(destination).blend(&value, exec);
    }
}

/// For each lane, the mask of the lower-numbered lanes among lanes 0 to 31.
pub(super) static BELOW_LOW: Lanes = below(0);
/// For each lane, the mask of the lower-numbered lanes among lanes 32 to 63.
pub(super) static BELOW_HIGH: Lanes = below(32);

pub(super) const fn below(first: usize) -> Lanes {
    let mut masks = Lanes::ZERO;
    let mut lane = 0;
    while lane < LANES {
        let lanes_below = ((1u64 << lane) - 1) >> first;
        masks.0[lane] = lanes_below as u32;
        lane += 1;
    }
    masks
}

/// Counts the bits of the first source that belong to lower-numbered lanes, and adds the second source.
#[inline(always)]
pub(super) fn mask_count(w: &mut Wave, s: &Step, below: &'static Lanes) {
    with_lanes(w, s, below, |a: u32, b: u32, below: u32| {
        (a & below).count_ones().wrapping_add(b)
    });
}
