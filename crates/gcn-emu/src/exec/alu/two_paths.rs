//! Test interface to operations with a fast and a slow path, and to series with a fused and an unfused version, so that
//! tests can compare them. No instruction uses this module.

use gcn_isa::Isa;

use super::env::{Env, MODE_IEEE};
use super::float::{F16, Float};
use super::{approximate, arithmetic, divide, exact};

/// Operation with a fast and a slow path, which are functions of MODE and the bits of values.
pub struct TwoPaths {
    /// Name used in messages.
    pub name: &'static str,
    /// Number of fraction bits and maximum encoded exponent.
    pub format: (u32, u32),
    /// Fast path; returns `None` if it has no valid result.
    pub fast: Box<Path<Option<u64>>>,
    /// Slow path.
    pub slow: Box<Path<u64>>,
}

/// Function of MODE and the bits of values.
pub type Path<R> = dyn Fn(u32, [u64; 3]) -> R;

/// Creates an operation from functions of MODE and values. The flag of `fast` is true if its result is invalid.
fn of<F: Float + 'static>(
    name: &'static str,
    fast: impl Fn(u32, F, F, F) -> (F, bool) + 'static,
    slow: impl Fn(u32, F, F, F) -> F + 'static,
) -> TwoPaths {
    TwoPaths {
        name,
        format: (F::FRACTION, F::EXPONENT_MAX),
        fast: Box::new(move |mode, values| {
            let [a, b, c] = values.map(F::of_bits);
            let (result, needs_slow_path) = fast(mode, a, b, c);
            (!needs_slow_path).then(|| result.bits())
        }),
        slow: Box::new(move |mode, values| {
            let [a, b, c] = values.map(F::of_bits);
            slow(mode, a, b, c).bits()
        }),
    }
}

/// Returns division steps, multiplication by powers of two, and the reciprocal square root.
pub fn quotients() -> Vec<TwoPaths> {
    fn steps<F: Float + 'static>(scale: &'static divide::Scale) -> [TwoPaths; 3] {
        let scaled = move |mode, a, b, c| divide::div_scale(Env::of::<F>(mode), a, b, c, scale);
        [
            of::<F>(
                "V_DIV_SCALE",
                move |_, a, b, c| divide::div_scale_fast(a, b, c, scale),
                move |mode, a, b, c| match scaled(mode, a, b, c) {
                    (result, false) => result,
                    (_, true) => panic!("the fast path scales nothing back"),
                },
            ),
            of::<F>(
                "V_DIV_SCALE of a denominator",
                move |_, _, b, c| divide::div_scale_fast(b, b, c, scale),
                move |mode, _, b, c| scaled(mode, b, b, c).0,
            ),
            of::<F>(
                "V_DIV_FIXUP",
                move |_, a, b, c| divide::div_fixup_fast(a, b, c, scale),
                |mode, a, b, c| divide::div_fixup(Env::of::<F>(mode), a, b, c),
            ),
        ]
    }
    let power = |b: f64| (b.to_bits() >> 20) as i32 >> (b.to_bits() % 32);
    let mut all = Vec::from(steps::<f32>(&divide::SCALE_32));
    all.extend(steps::<f64>(&divide::SCALE_64));
    all.push(of::<f64>(
        "V_LDEXP_F64",
        move |_, a, b, _| arithmetic::ldexp64_fast(a, power(b)),
        move |mode, a, b, _| {
            let env = Env::of::<f64>(mode);
            exact::ldexp(env, env.input(a), power(b))
        },
    ));
    all.push(of::<f64>(
        "V_LDEXP_F64 with denormals",
        move |_, a, b, _| (arithmetic::ldexp64(a, power(b)), false),
        move |_, a, b, _| exact::ldexp(Env::KEEPING, a, power(b)),
    ));
    all.push(of::<f64>(
        "V_RSQ_F64",
        |_, a, _, _| approximate::rsq64_fast(a),
        |mode, a, _, _| {
            let env = Env::of::<f64>(mode);
            env.output(approximate::rsq64(env.input(a)))
        },
    ));
    all
}

/// Returns minima, maxima and medians, whose fast paths do not support NaNs.
pub fn minima() -> Vec<TwoPaths> {
    type Numbers<F> = fn(F, F, F) -> F;
    type Any<F> = fn(F, F, F, bool) -> F;
    fn each<F: Float + 'static>() -> impl Iterator<Item = TwoPaths> {
        let pairs: [(&str, Numbers<F>, Any<F>); 5] = [
            (
                "V_MIN",
                |a, b, _| arithmetic::lesser(a, b),
                |a, b, _, i| arithmetic::min(a, b, i),
            ),
            (
                "V_MAX",
                |a, b, _| arithmetic::greater(a, b),
                |a, b, _, i| arithmetic::max(a, b, i),
            ),
            ("V_MIN3", arithmetic::least, arithmetic::min3),
            ("V_MAX3", arithmetic::greatest, arithmetic::max3),
            ("V_MED3", arithmetic::middle, arithmetic::med3),
        ];
        pairs.into_iter().map(|(name, numbers, any)| {
            of::<F>(
                name,
                move |mode, a, b, c| {
                    let env = Env::of::<F>(mode);
                    let has_nan = a.is_any_nan() | b.is_any_nan() | c.is_any_nan();
                    let of_numbers = numbers(env.input(a), env.input(b), env.input(c));
                    (of_numbers, has_nan)
                },
                move |mode, a, b, c| {
                    let env = Env::of::<F>(mode);
                    let ieee = mode & MODE_IEEE != 0;
                    any(env.input(a), env.input(b), env.input(c), ieee)
                },
            )
        })
    }
    each::<f32>()
        .chain(each::<f64>())
        .chain(each::<F16>())
        .collect()
}

/// Approximation with fused and unfused multiply-adds.
pub struct Series {
    /// Name used in messages.
    pub name: &'static str,
    /// Version with fused multiply-adds.
    pub fused: fn(f32) -> f32,
    /// Version with separately rounded multiplications and additions.
    pub unfused: fn(f32) -> f32,
}

/// Instruction set with the largest range of angles: GCN 1.4.
const WIDEST: Isa = Isa::Gfx9;

/// Approximations evaluated as series.
pub const SERIES: [Series; 4] = [
    Series {
        name: "exp2",
        fused: approximate::exp2::<true>,
        unfused: approximate::exp2::<false>,
    },
    Series {
        name: "log2",
        fused: approximate::log2::<true>,
        unfused: approximate::log2::<false>,
    },
    Series {
        name: "sin",
        fused: |a| approximate::sin::<true>(approximate::farthest(WIDEST), a),
        unfused: |a| approximate::sin::<false>(approximate::farthest(WIDEST), a),
    },
    Series {
        name: "cos",
        fused: |a| approximate::cos::<true>(approximate::farthest(WIDEST), a),
        unfused: |a| approximate::cos::<false>(approximate::farthest(WIDEST), a),
    },
];

/// Converts a half to single precision.
pub fn of_half(bits: u16) -> f32 {
    F16(bits).to_f32()
}

/// Returns the bits of a value rounded towards zero to half precision.
pub fn truncated_to_half(value: f32) -> u16 {
    F16::from_f32_truncated(value).0
}
