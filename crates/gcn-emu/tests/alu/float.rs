//! References for floating-point instructions, with denormals enabled.

use crate::vector::{In, Out, Reference};
use gcn_isa::Isa;

pub fn f(x: u64) -> f32 {
    f32::from_bits(x as u32)
}
pub fn g(x: u64) -> f64 {
    f64::from_bits(x)
}
pub fn bits32(x: f32) -> u64 {
    x.to_bits().into()
}
pub fn bits64(x: f64) -> u64 {
    x.to_bits()
}

/// Value of a half-precision number.
pub fn h(x: u64) -> f64 {
    let (fraction, exponent) = ((x & 0x3ff) as f64, (x >> 10 & 0x1f) as i32);
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if x >> 15 & 1 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

/// Binary logarithm of the number of units in 1.0 for [`half_units`].
const UNITS: i32 = 60;

/// Half-precision number nearest to a number of units, ties to even, found by binary search.
fn half_units(units: u128, negative: bool) -> u64 {
    let of = |bits: u64| (h(bits) * 2f64.powi(UNITS)) as u128;
    let (mut low, mut high) = (0u64, 0x7c00u64);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if of(middle) <= units {
            low = middle
        } else {
            high = middle
        }
    }
    // Infinity counts as the value after the largest finite one.
    let next = if high == 0x7c00 {
        1 << (16 + UNITS)
    } else {
        of(high)
    };
    let (down, up) = (units - of(low), next.saturating_sub(units));
    let bits = match down.cmp(&up) {
        std::cmp::Ordering::Less => low,
        std::cmp::Ordering::Greater => high,
        std::cmp::Ordering::Equal => low + (low & 1),
    };
    bits | if negative { 0x8000 } else { 0 }
}

/// Nearest half-precision number.
pub fn half(x: f64) -> u64 {
    if x.is_nan() {
        return 0x7e00;
    }
    let scaled = x.abs() * 2f64.powi(UNITS);
    // Sticky bit: if a fraction is cut off, the number becomes odd, and cannot be mistaken for a tie.
    half_units(
        scaled as u128 | u128::from(scaled.fract() != 0.0),
        x.is_sign_negative(),
    )
}

fn half_fma(a: u64, b: u64, c: u64) -> u64 {
    let (x, y, z) = (h(a), h(b), h(c));
    let product = x * y;
    if !(product + z).is_finite() || product + z == 0.0 {
        return half(product + z);
    }
    let units = (product * 2f64.powi(UNITS)) as i128 + (z * 2f64.powi(UNITS)) as i128;
    half_units(units.unsigned_abs(), units < 0)
}

/// V_CMP_CLASS bit of a value with these fraction and exponent widths.
pub fn class(x: u64, fraction_bits: u32, exponent_bits: u32) -> u64 {
    let fraction = x & ((1 << fraction_bits) - 1);
    let exponent = x >> fraction_bits & ((1 << exponent_bits) - 1);
    let negative = x >> (fraction_bits + exponent_bits) & 1 == 1;
    let top = (1 << exponent_bits) - 1;
    1 << match (exponent == top, exponent == 0, fraction == 0, negative) {
        (true, _, false, _) => fraction >> (fraction_bits - 1),
        (true, _, true, true) => 2,
        (_, false, _, true) => 3,
        (_, true, false, true) => 4,
        (_, true, true, true) => 5,
        (_, true, true, false) => 6,
        (_, true, false, false) => 7,
        (false, false, _, false) => 8,
        (true, _, true, false) => 9,
    }
}

fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0.0f32.copysign(x)
    } else {
        x
    }
}
fn flush_half(x: u64) -> u64 {
    if x & 0x7c00 == 0 {
        x & 0x8000
    } else {
        x & 0xffff
    }
}
/// Flushes an exact value to zero if it is below `least`, a power of two, after rounding to `digits` digits with an
/// unlimited exponent range (errata E300).
fn flush_exact(x: f64, least: f64, digits: i32) -> f64 {
    // The tie rounds up to the power of two, which is even.
    let tie = least - least * 0.5f64.powi(digits + 1);
    if x.abs() < tie { 0f64.copysign(x) } else { x }
}
fn flushed_product(a: f32, b: f32) -> f32 {
    let product = f64::from(flush(a)) * f64::from(flush(b));
    flush_exact(product, f32::MIN_POSITIVE.into(), 24) as f32
}
fn flushed_half(x: f64) -> u64 {
    half(flush_exact(x, h(0x400), 11))
}
fn mad(x: In) -> u64 {
    bits32(flush(flushed_product(f(x.a), f(x.b)) + flush(f(x.c))))
}
fn mad_half(a: u64, b: u64, c: u64) -> u64 {
    let product = flushed_half(h(flush_half(a)) * h(flush_half(b)));
    flushed_half(h(product) + h(flush_half(c)))
}
fn mad_legacy(a: u64, b: u64, c: u64) -> u64 {
    let (a, b) = (flush(f(a)), flush(f(b)));
    let product = if a == 0.0 || b == 0.0 {
        0.0
    } else {
        flushed_product(a, b)
    };
    bits32(flush(product + flush(f(c))))
}
fn legacy(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}
fn unit(x: u64, f: impl Fn(f32) -> f64) -> Out {
    value(bits32(flush(f(flush(self::f(x))) as f32)))
}
/// Sine or cosine, which supports denormals from GCN 1.4 on.
fn turns(x: In, f: impl Fn(Isa, f64) -> f64) -> Out {
    if x.isa < Isa::Gfx9 {
        unit(x.a, |a| f(x.isa, a.into()))
    } else {
        value(bits32(f(x.isa, self::f(x.a).into()) as f32))
    }
}
fn finite(x: f64) -> f64 {
    let x = f64::from(x as f32);
    if x.is_infinite() {
        f64::from(f32::MAX).copysign(x)
    } else {
        x
    }
}
fn no_infinity(x: f64) -> f64 {
    let x = f64::from(x as f32);
    if x.is_infinite() { 0f64.copysign(x) } else { x }
}
/// Correctly rounded reciprocal square root: the neighbour of an estimate whose square times `x` is nearest to 1,
/// compared exactly in integers.
fn rsq(x: f64) -> f64 {
    let rough = 1.0 / x.sqrt();
    if !(x > 0.0 && x.is_finite()) {
        return rough;
    }
    let (fraction, power) = frexp(x);
    let (mut m, mut power) = ((fraction * 2f64.powi(53)) as u128, power - 53);
    // An even power, so that its root is a power of two, too.
    if power % 2 != 0 {
        (m, power) = (2 * m, power - 1);
    }
    let (fraction, mut exponent) = frexp(rough);
    let mut r = (fraction * 2f64.powi(53)) as u128;
    if r == 1 << 52 {
        // The neighbour below is half as far away.
        (r, exponent) = (2 * r, exponent - 1);
    }
    // r·2^(exponent − 53) is below 1/√(m·2^power) + half a unit if (2r − 1)²·m < 4·2^(106 − 2·exponent − power).
    let target = 2 + 106 - 2 * exponent - power;
    let is_below = |twice: u128| {
        let square = twice * twice;
        let (high, low) = ((square >> 64) * m, (square & u128::from(u64::MAX)) * m);
        let high = high + (low >> 64);
        // The product in 64-bit digits, compared with 2^target.
        high >> (target - 64) == 0
    };
    let nearest = (r - 1..=r + 1)
        .rev()
        .find(|&r| is_below(2 * r - 1))
        .expect("one of them is near");
    nearest as f64 * 2f64.powi((exponent - 53) as i32)
}
/// True for an angle in turns outside the range of V_SIN (errata E242).
fn is_too_far(isa: Isa, x: f64) -> bool {
    isa < Isa::Gfx9 && x.is_finite() && x.abs() > 256.0
}
fn sine(isa: Isa, x: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    if is_too_far(isa, x) || x.is_finite() && x != 0.0 && (2.0 * x).fract() == 0.0 {
        return 0.0;
    }
    if x == 0.0 {
        return x;
    }
    ((x - x.round()) * turn).sin()
}
fn cosine(isa: Isa, x: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    if is_too_far(isa, x) {
        1.0
    } else if x.is_finite() && (2.0 * x).fract().abs() == 0.5 {
        0.0
    } else {
        ((x - x.round()) * turn).cos()
    }
}
/// Splits a value into a fraction in [1/2, 1) and an exponent, by halving and doubling.
pub fn frexp(mut x: f64) -> (f64, i64) {
    let mut exponent = 0;
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    while x.abs() >= 1.0 {
        (x, exponent) = (x / 2.0, exponent + 1);
    }
    while x.abs() < 0.5 {
        (x, exponent) = (x * 2.0, exponent - 1);
    }
    (x, exponent)
}
/// Scales a value by a power of two: shifts the integer fraction digit by digit, and rounds to nearest even.
fn ldexp(x: f64, power: i64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (fraction, exponent) = frexp(x);
    let (mut digits, mut exponent) = (
        (fraction.abs() * 2f64.powi(53)) as u64,
        exponent + power - 53,
    );
    let mut lost = (0u64, false);
    while exponent < -1074 && digits + lost.0 > 0 {
        lost = (digits & 1, lost.1 || lost.0 == 1);
        (digits, exponent) = (digits >> 1, exponent + 1);
    }
    if lost.0 == 1 && (lost.1 || digits & 1 == 1) {
        digits += 1;
    }
    let mut result = digits as f64;
    for _ in 0..exponent.clamp(-1100, 3000).unsigned_abs() {
        result *= if exponent < 0 { 0.5 } else { 2.0 };
    }
    result.copysign(x)
}
/// Minimum: −0 is less than +0, and a NaN gives way to a number.
fn least(x: f64, y: f64) -> f64 {
    match (x.is_nan(), y.is_nan()) {
        (true, _) => y,
        (_, true) => x,
        _ if x.total_cmp(&y).is_lt() => x,
        _ => y,
    }
}
fn greatest(x: f64, y: f64) -> f64 {
    -least(-x, -y)
}
/// Median as in the manuals: a source that equals the maximum is left out, and zeros are equal.
fn middle(x: [f64; 3]) -> f64 {
    if x.iter().any(|v| v.is_nan()) {
        return least(least(x[0], x[1]), x[2]);
    }
    let top = greatest(greatest(x[0], x[1]), x[2]);
    let [a, b] = if x[0] == top {
        [x[1], x[2]]
    } else if x[1] == top {
        [x[0], x[2]]
    } else {
        [x[0], x[1]]
    };
    greatest(a, b)
}
fn three(x: In) -> [f64; 3] {
    [x.a, x.b, x.c].map(|v| f(v).into())
}
fn three_halves(x: In) -> [f64; 3] {
    [x.a, x.b, x.c].map(h)
}
fn both(x: In, f: impl Fn(u64, u64, u64) -> u64) -> Out {
    let at = |n: u32| f(x.a >> n & 0xffff, x.b >> n & 0xffff, x.c >> n & 0xffff);
    value(at(0) | at(16) << 16)
}
fn pk(low: u64, high: u64) -> Out {
    value(low & 0xffff | (high & 0xffff) << 16)
}
fn norm(x: f64, low: f64, scale: f64) -> u64 {
    // The product is exact in double precision.
    ((x.clamp(low, 1.0) * scale).round_ties_even() as i64 & 0xffff) as u64
}
/// Converts a rounded-down value to an integer. A NaN saturates by its sign.
fn floored(x: f64, source: u64) -> u64 {
    match (x.is_nan(), source >> 31 & 1) {
        (false, _) => truncated(x, I32.0, I32.1),
        (true, 0) => 0x7fff_ffff,
        (true, _) => 0x8000_0000,
    }
}
/// The given exponent, or on GCN 1.0, −1 for infinities and NaN.
fn exponent(isa: Isa, x: f64, exponent: i64) -> u64 {
    let is_other = isa == Isa::Si && !x.is_finite();
    (if is_other { -1 } else { exponent }) as u64
}
fn fraction(isa: Isa, x: f64, fraction: f64) -> f64 {
    let is_other = isa == Isa::Si && !x.is_finite();
    if is_other { f64::NAN } else { fraction }
}
fn towards_zero(x: f32) -> u64 {
    let nearest = half(x.into());
    if x.is_finite() && h(nearest).abs() > f64::from(x).abs() {
        nearest - 1
    } else {
        nearest
    }
}
fn to_byte(x: f32) -> u64 {
    if x.is_nan() {
        0
    } else {
        f64::from(x).clamp(0.0, 255.0).round_ties_even() as u64
    }
}
fn put(old: u64, number: u64, byte: u64) -> u64 {
    let shift = 8 * (number & 3);
    old & 0xffff_ffff & !(0xff << shift) | byte << shift
}
fn truncated(x: f64, low: f64, high: f64) -> u64 {
    if x.is_nan() {
        0
    } else {
        x.trunc().clamp(low, high) as i64 as u64 & 0xffff_ffff
    }
}
const I32: (f64, f64) = (-2147483648.0, 2147483647.0);
const U32: (f64, f64) = (0.0, 4294967295.0);
fn fract(x: f64) -> f64 {
    x - x.floor()
}
/// Face of a cube map, its two coordinates, and twice the largest coordinate.
fn cube(x: In) -> [f32; 4] {
    let [x, y, z] = [f(x.a), f(x.b), f(x.c)];
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z < 0.0 {
            [5.0, -x, -y, 2.0 * z]
        } else {
            [4.0, x, -y, 2.0 * z]
        }
    } else if y.abs() >= x.abs() {
        if y < 0.0 {
            [3.0, x, -z, 2.0 * y]
        } else {
            [2.0, x, z, 2.0 * y]
        }
    } else if x < 0.0 {
        [1.0, z, -y, 2.0 * x]
    } else {
        [0.0, -z, -y, 2.0 * x]
    }
}
/// Reads the second source from the low half of its register, in half precision.
fn mixed(x: In) -> In {
    In {
        b: bits32(h(x.b) as f32),
        ..x
    }
}
/// Result of V_MAD_MIX, which flushes half-precision denormals (errata E195).
fn mad_mix(x: In) -> u64 {
    let b = flush_half(x.b);
    mad(mixed(In { b, ..x }))
}
/// Half-precision result of V_MAD_MIX.
fn mad_mix_half(x: In) -> u64 {
    flushed_half(f(mad_mix(x)).into())
}
fn fma(x: In) -> f32 {
    f(x.a).mul_add(f(x.b), f(x.c))
}

fn value(x: u64) -> Out {
    (x, false)
}

/// Instructions that are accurate to one unit in the last place, since hardware uses tables.
#[rustfmt::skip]
pub const APPROXIMATE: &[&str] = &[
    "v_exp_f32", "v_exp_legacy_f32", "v_log_f32", "v_log_legacy_f32", "v_log_clamp_f32", "v_sin_f32", "v_cos_f32",
    "v_exp_f16", "v_log_f16", "v_sin_f16", "v_cos_f16",
];

#[rustfmt::skip]
pub const TABLE: &[(&str, Reference)] = &[
    ("v_cvt_i32_f64", |x| value(truncated(g(x.a), I32.0, I32.1))),
    ("v_cvt_u32_f64", |x| value(truncated(g(x.a), U32.0, U32.1))),
    ("v_cvt_i32_f32", |x| value(truncated(f(x.a).into(), I32.0, I32.1))),
    ("v_cvt_u32_f32", |x| value(truncated(f(x.a).into(), U32.0, U32.1))),
    ("v_cvt_f64_i32", |x| value(bits64((x.a as i32).into()))),
    ("v_cvt_f64_u32", |x| value(bits64((x.a as u32).into()))),
    ("v_cvt_f32_i32", |x| value(bits32(f64::from(x.a as i32) as f32))),
    ("v_cvt_f32_u32", |x| value(bits32(f64::from(x.a as u32) as f32))),
    ("v_cvt_f16_f32", |x| value(half(f(x.a).into()))),
    ("v_cvt_f32_f16", |x| value(bits32(h(x.a) as f32))),
    ("v_cvt_rpi_i32_f32", |x| value(floored((f64::from(f(x.a)) + 0.5).floor(), x.a))),
    ("v_cvt_flr_i32_f32", |x| value(floored(f64::from(f(x.a)).floor(), x.a))),
    ("v_cvt_off_f32_i4", |x| value(bits32(((x.a & 7) as f32 - (x.a & 8) as f32) / 16.0))),
    ("v_cvt_f32_f64", |x| value(bits32(g(x.a) as f32))),
    ("v_cvt_f64_f32", |x| value(bits64(f(x.a).into()))),
    ("v_cvt_f32_ubyte0", |x| value(bits32((x.a as u8).into()))),
    ("v_cvt_f32_ubyte1", |x| value(bits32(((x.a >> 8) as u8).into()))),
    ("v_cvt_f32_ubyte2", |x| value(bits32(((x.a >> 16) as u8).into()))),
    ("v_cvt_f32_ubyte3", |x| value(bits32(((x.a >> 24) as u8).into()))),
    ("v_trunc_f64", |x| value(bits64(g(x.a).trunc()))),
    ("v_ceil_f64",  |x| value(bits64(g(x.a).ceil()))),
    ("v_rndne_f64", |x| value(bits64(g(x.a).round_ties_even()))),
    ("v_floor_f64", |x| value(bits64(g(x.a).floor()))),
    ("v_fract_f64", |x| value(bits64(if g(x.a).is_finite() { fract(g(x.a)).min(1.0 - 2f64.powi(-53)) } else { f64::NAN }))),
    ("v_fract_f32", |x| value(bits32(if f(x.a).is_finite() { (f(x.a) - f(x.a).floor()).min(1.0 - 2f32.powi(-24)) } else { f32::NAN }))),
    ("v_trunc_f32", |x| value(bits32(f64::from(f(x.a)).trunc() as f32))),
    ("v_ceil_f32",  |x| value(bits32(f64::from(f(x.a)).ceil() as f32))),
    ("v_rndne_f32", |x| value(bits32(f64::from(f(x.a)).round_ties_even() as f32))),
    ("v_floor_f32", |x| value(bits32(f64::from(f(x.a)).floor() as f32))),
    ("v_exp_f32",        |x| unit(x.a, |a| 2f64.powf(a.into()))),
    ("v_exp_legacy_f32", |x| unit(x.a, |a| 2f64.powf(a.into()))),
    ("v_log_f32",        |x| unit(x.a, |a| f64::from(a).ln() / std::f64::consts::LN_2)),
    ("v_log_legacy_f32", |x| unit(x.a, |a| f64::from(a).ln() / std::f64::consts::LN_2)),
    ("v_log_clamp_f32",  |x| unit(x.a, |a| if a == 0.0 { f32::MIN.into() } else { f64::from(a).ln() / std::f64::consts::LN_2 })),
    ("v_rcp_f32",        |x| unit(x.a, |a| 1.0 / f64::from(a))),
    ("v_rcp_iflag_f32",  |x| unit(x.a, |a| 1.0 / f64::from(a))),
    ("v_rcp_clamp_f32",  |x| unit(x.a, |a| finite(1.0 / f64::from(a)))),
    ("v_rcp_legacy_f32", |x| unit(x.a, |a| no_infinity(1.0 / f64::from(a)))),
    ("v_rsq_f32",        |x| unit(x.a, |a| 1.0 / f64::from(a).sqrt())),
    ("v_rsq_clamp_f32",  |x| unit(x.a, |a| finite(1.0 / f64::from(a).sqrt()))),
    ("v_rsq_legacy_f32", |x| unit(x.a, |a| no_infinity(1.0 / f64::from(a).sqrt()))),
    ("v_sqrt_f32",       |x| unit(x.a, |a| f64::from(a).sqrt())),
    ("v_sin_f32",        |x| turns(x, sine)),
    ("v_cos_f32",        |x| turns(x, cosine)),
    ("v_rcp_f64",        |x| value(bits64(1.0 / g(x.a)))),
    ("v_rcp_clamp_f64",  |x| value(bits64((1.0 / g(x.a)).clamp(f64::MIN, f64::MAX)))),
    ("v_rsq_f64",        |x| value(bits64(rsq(g(x.a))))),
    ("v_rsq_clamp_f64",  |x| value(bits64(rsq(g(x.a)).clamp(f64::MIN, f64::MAX)))),
    ("v_sqrt_f64",       |x| value(bits64(g(x.a).sqrt()))),
    ("v_frexp_exp_i32_f64", |x| value(exponent(x.isa, g(x.a), frexp(g(x.a)).1) & 0xffff_ffff)),
    ("v_frexp_exp_i32_f32", |x| value(exponent(x.isa, f(x.a).into(), frexp(f(x.a).into()).1) & 0xffff_ffff)),
    ("v_frexp_exp_i16_f16", |x| value(frexp(h(x.a)).1 as u64 & 0xffff)),
    ("v_frexp_mant_f64", |x| value(bits64(fraction(x.isa, g(x.a), frexp(g(x.a)).0)))),
    ("v_frexp_mant_f32", |x| value(bits32(fraction(x.isa, f(x.a).into(), frexp(f(x.a).into()).0) as f32))),
    ("v_frexp_mant_f16", |x| value(half(frexp(h(x.a)).0))),
    ("v_cvt_f16_u16", |x| value(half((x.a as u16).into()))),
    ("v_cvt_f16_i16", |x| value(half((x.a as i16).into()))),
    ("v_cvt_u16_f16", |x| value(truncated(h(x.a), 0.0, 65535.0) & 0xffff)),
    ("v_cvt_i16_f16", |x| value(truncated(h(x.a), -32768.0, 32767.0) & 0xffff)),
    ("v_rcp_f16",   |x| value(half(1.0 / h(x.a)))),
    ("v_sqrt_f16",  |x| value(half(h(x.a).sqrt()))),
    ("v_rsq_f16",   |x| value(half(1.0 / h(x.a).sqrt()))),
    ("v_log_f16",   |x| value(half(h(x.a).ln() / std::f64::consts::LN_2))),
    ("v_exp_f16",   |x| value(half(2f64.powf(h(x.a))))),
    ("v_sin_f16",   |x| value(half(sine(x.isa, h(x.a))))),
    ("v_cos_f16",   |x| value(half(cosine(x.isa, h(x.a))))),
    ("v_floor_f16", |x| value(half(h(x.a).floor()))),
    ("v_ceil_f16",  |x| value(half(h(x.a).ceil()))),
    ("v_trunc_f16", |x| value(half(h(x.a).trunc()))),
    ("v_rndne_f16", |x| value(half(h(x.a).round_ties_even()))),
    ("v_fract_f16", |x| value(half(if h(x.a).is_finite() { fract(h(x.a)).min(h(0x3bff)) } else { f64::NAN }))),
    ("v_cvt_norm_i16_f16", |x| value(norm(h(x.a), -1.0, 32767.0))),
    ("v_cvt_norm_u16_f16", |x| value(norm(h(x.a), 0.0, 65535.0))),

    ("v_add_f32",    |x| value(bits32((f64::from(f(x.a)) + f64::from(f(x.b))) as f32))),
    ("v_sub_f32",    |x| value(bits32((f64::from(f(x.a)) - f64::from(f(x.b))) as f32))),
    ("v_subrev_f32", |x| value(bits32((f64::from(f(x.b)) - f64::from(f(x.a))) as f32))),
    ("v_mul_f32",    |x| value(bits32((f64::from(f(x.a)) * f64::from(f(x.b))) as f32))),
    ("v_mul_legacy_f32", |x| value(bits32(legacy(f(x.a), f(x.b))))),
    ("v_mac_legacy_f32", |x| value(mad_legacy(x.a, x.b, x.d))),
    ("v_mad_legacy_f32", |x| value(mad_legacy(x.a, x.b, x.c))),
    ("v_min_legacy_f32", |x| value(if f(x.a) < f(x.b) { x.a } else { x.b } & 0xffff_ffff)),
    ("v_max_legacy_f32", |x| value(if f(x.a) >= f(x.b) { x.a } else { x.b } & 0xffff_ffff)),
    ("v_min_f32",    |x| value(bits32(least(f(x.a).into(), f(x.b).into()) as f32))),
    ("v_max_f32",    |x| value(bits32(greatest(f(x.a).into(), f(x.b).into()) as f32))),
    ("v_mac_f32",    |x| value(mad(In { c: x.d, ..x }))),
    ("v_mad_f32",    |x| value(mad(x))),
    ("v_madmk_f32",  |x| value(mad(x))),
    ("v_madak_f32",  |x| value(mad(x))),
    ("v_fmac_f32",   |x| value(bits32(fma(In { c: x.d, ..x })))),
    ("v_ldexp_f32",  |x| value(bits32(ldexp(f(x.a).into(), i64::from(x.b as i32).clamp(-600, 600)) as f32))),
    ("v_ldexp_f16",  |x| value(half(ldexp(h(x.a), i64::from(x.b as i16).clamp(-200, 200))))),
    ("v_ldexp_f64",  |x| value(bits64(ldexp(g(x.a), i64::from(x.b as i32).clamp(-3000, 3000))))),
    ("v_cvt_pkaccum_u8_f32", |x| value(put(x.d, x.b, to_byte(f(x.a))))),
    ("v_cvt_pk_u8_f32",      |x| value(put(x.c, x.b, to_byte(f(x.a))))),
    ("v_cvt_pknorm_i16_f32", |x| pk(norm(f(x.a).into(), -1.0, 32767.0), norm(f(x.b).into(), -1.0, 32767.0))),
    ("v_cvt_pknorm_u16_f32", |x| pk(norm(f(x.a).into(), 0.0, 65535.0), norm(f(x.b).into(), 0.0, 65535.0))),
    ("v_cvt_pknorm_i16_f16", |x| pk(norm(h(x.a), -1.0, 32767.0), norm(h(x.b), -1.0, 32767.0))),
    ("v_cvt_pknorm_u16_f16", |x| pk(norm(h(x.a), 0.0, 65535.0), norm(h(x.b), 0.0, 65535.0))),
    ("v_cvt_pkrtz_f16_f32",  |x| pk(towards_zero(f(x.a)), towards_zero(f(x.b)))),
    ("v_add_f16",    |x| value(half(h(x.a) + h(x.b)))),
    ("v_sub_f16",    |x| value(half(h(x.a) - h(x.b)))),
    ("v_subrev_f16", |x| value(half(h(x.b) - h(x.a)))),
    ("v_mul_f16",    |x| value(half(h(x.a) * h(x.b)))),
    ("v_mac_f16",    |x| value(mad_half(x.a, x.b, x.d))),
    ("v_madmk_f16",  |x| value(mad_half(x.a, x.b, x.c))),
    ("v_madak_f16",  |x| value(mad_half(x.a, x.b, x.c))),
    ("v_mad_f16",    |x| value(mad_half(x.a, x.b, x.c))),
    ("v_mad_legacy_f16", |x| value(mad_half(x.a, x.b, x.c))),
    ("v_max_f16",    |x| value(half(greatest(h(x.a), h(x.b))))),
    ("v_min_f16",    |x| value(half(least(h(x.a), h(x.b))))),
    ("v_fma_f16",    |x| value(half_fma(x.a, x.b, x.c))),
    ("v_fma_legacy_f16", |x| value(half_fma(x.a, x.b, x.c))),
    ("v_fma_f32",    |x| value(bits32(fma(x)))),
    ("v_fma_f64",    |x| value(bits64(g(x.a).mul_add(g(x.b), g(x.c))))),
    ("v_add_f64",    |x| value(bits64(g(x.a) + g(x.b)))),
    ("v_mul_f64",    |x| value(bits64(g(x.a) * g(x.b)))),
    ("v_min_f64",    |x| value(bits64(least(g(x.a), g(x.b))))),
    ("v_max_f64",    |x| value(bits64(greatest(g(x.a), g(x.b))))),
    ("v_min3_f32",   |x| { let [a, b, c] = three(x); value(bits32(least(least(a, b), c) as f32)) }),
    ("v_max3_f32",   |x| { let [a, b, c] = three(x); value(bits32(greatest(greatest(a, b), c) as f32)) }),
    ("v_med3_f32",   |x| value(bits32(middle(three(x)) as f32))),
    ("v_min3_f16",   |x| { let [a, b, c] = three_halves(x); value(half(least(least(a, b), c))) }),
    ("v_max3_f16",   |x| { let [a, b, c] = three_halves(x); value(half(greatest(greatest(a, b), c))) }),
    ("v_med3_f16",   |x| value(half(middle(three_halves(x))))),
    ("v_cubeid_f32", |x| value(bits32(cube(x)[0]))),
    ("v_cubesc_f32", |x| value(bits32(cube(x)[1]))),
    ("v_cubetc_f32", |x| value(bits32(cube(x)[2]))),
    ("v_cubema_f32", |x| value(bits32(cube(x)[3]))),

    ("v_pk_fma_f16", |x| both(x, half_fma)),
    ("v_pk_add_f16", |x| both(x, |a, b, _| half(h(a) + h(b)))),
    ("v_pk_mul_f16", |x| both(x, |a, b, _| half(h(a) * h(b)))),
    ("v_pk_min_f16", |x| both(x, |a, b, _| half(least(h(a), h(b))))),
    ("v_pk_max_f16", |x| both(x, |a, b, _| half(greatest(h(a), h(b))))),
    ("v_mad_mix_f32",   |x| value(mad_mix(x))),
    ("v_mad_mixlo_f16", |x| value(mad_mix_half(x))),
    ("v_mad_mixhi_f16", |x| value(mad_mix_half(x))),
    ("v_fma_mix_f32",   |x| value(bits32(fma(mixed(x))))),
    ("v_fma_mixlo_f16", |x| value(half(fma(mixed(x)).into()))),
    ("v_fma_mixhi_f16", |x| value(half(fma(mixed(x)).into()))),
    ("v_dot2_f32_f16",  |x| {
        let at = |v: u64, n: u32| h(flush_half(v >> n)) as f32;
        let sum = at(x.a, 0).mul_add(at(x.b, 0), flush(f(x.c)));
        value(bits32(flush(at(x.a, 16).mul_add(at(x.b, 16), sum))))
    }),
];
