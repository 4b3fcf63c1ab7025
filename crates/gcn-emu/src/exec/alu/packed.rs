//! VOP3P: packed 16-bit arithmetic, mixed precision and dot products, in tables with a row for each operation and
//! type.
//!
//! Source: AMD's Vega manual, chapter "Vector ALU Operations", and the instruction notes for 7 nm Vega.

use gcn_isa::Ty;
use gcn_isa::effect::{AluOp, Shift::*};

use super::arithmetic;
use super::env::Env;
use super::exact;
use super::float::{F16, Float, Flush};
use super::floating::{THREE, TWO};
use super::nan;
use super::operands::{Positions, SourceOperands, sources};
use super::protocol::{at_baseline, compiled_once, staged2, staged3, with_slow_path};
use super::rule::{Order, environment};
use crate::lanes::{self, HalfFloat, Lane, Lanes, at_each_level};
use crate::step::{Handler, Step};
use crate::wave::Wave;

at_each_level! {
/// Returns the handler of an operation on both halves, with elements of the given type. With `clamp`, integer results
/// saturate.
#[rustfmt::skip]
#[allow(clippy::wildcard_enum_match_arm, reason = "an operation has rows of few types")]
pub fn handler(op: AluOp, ty: Ty, clamp: bool) -> Option<Handler> {
    use AluOp::*;
    use Ty::{I16, U16};
    let handler: Handler = match (op, ty) {
        (MulAdd, I16) if clamp => |w, s| pairs3(w, s, |a, b, c| (i32::from(a as i16) * i32::from(b as i16) + i32::from(c as i16)).clamp(i16::MIN.into(), i16::MAX.into()) as u16),
        (MulAdd, U16) if clamp => |w, s| pairs3(w, s, |a, b, c| (u64::from(a) * u64::from(b) + u64::from(c)).min(u16::MAX.into()) as u16),
        (MulAdd, I16 | U16)    => |w, s| pairs3(w, s, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        (Mul, U16)             => |w, s| pairs(w, s, u16::wrapping_mul),
        (Add, I16) if clamp    => |w, s| pairs(w, s, |a, b| (a as i16).saturating_add(b as i16) as u16),
        (Sub, I16) if clamp    => |w, s| pairs(w, s, |a, b| (a as i16).saturating_sub(b as i16) as u16),
        (Add, U16) if clamp    => |w, s| pairs(w, s, u16::saturating_add),
        (Sub, U16) if clamp    => |w, s| pairs(w, s, u16::saturating_sub),
        (Add, I16 | U16)       => |w, s| pairs(w, s, u16::wrapping_add),
        (Sub, I16 | U16)       => |w, s| pairs(w, s, u16::wrapping_sub),
        (Reversed(Shift(Left)), _)       => |w, s| pairs(w, s, |a, b| b.wrapping_shl(a.into())),
        (Reversed(Shift(Right)), _)      => |w, s| pairs(w, s, |a, b| b.wrapping_shr(a.into())),
        (Reversed(Shift(Arithmetic)), _) => |w, s| pairs(w, s, |a, b| (b as i16).wrapping_shr(a.into()) as u16),
        (Max, I16) => |w, s| pairs(w, s, |a, b| (a as i16).max(b as i16) as u16),
        (Min, I16) => |w, s| pairs(w, s, |a, b| (a as i16).min(b as i16) as u16),
        (Max, U16) => |w, s| pairs(w, s, u16::max),
        (Min, U16) => |w, s| pairs(w, s, u16::min),
        (Fma, Ty::F16) => |w, s| halves(w, s, THREE, arithmetic::fma_half, exact::fma),
        (Add, Ty::F16) => |w, s| halves(w, s, TWO, |a, b, _| a + b, |env, a, b, _| exact::add(env, a, b)),
        (Mul, Ty::F16) => |w, s| halves(w, s, TWO, |a, b, _| a * b, |env, a, b, _| exact::mul(env, a, b)),
        (Min, Ty::F16) => |w, s| orders(w, s, arithmetic::min),
        (Max, Ty::F16) => |w, s| orders(w, s, arithmetic::max),
        // No instruction performs any other packed operation.
        _ => return None,
    };
    Some(handler)
}
}

at_each_level! {
/// Returns the handler of a multiply-add in mixed precision.
#[rustfmt::skip]
#[allow(clippy::wildcard_enum_match_arm, reason = "an operation has rows of few types")]
pub fn mixed_handler(op: AluOp, result: Ty) -> Option<Handler> {
    let handler: Handler = match (op, result) {
        (AluOp::MulAdd, Ty::F32) => |w, s| { let m = Mixed::unfused(w); mixed(w, s, m, |a, b, c, ()| m.mad_fast(a, b, c), |a, b, c, ()| (m.mad(a, b, c), ())) },
        (AluOp::MulAdd, _)       => |w, s| { let m = Mixed::unfused(w); mixed(w, s, m, |a, b, c, ()| m.half_of(m.mad_fast(a, b, c)), |a, b, c, ()| (m.narrow(m.mad(a, b, c)), ())) },
        (AluOp::Fma, Ty::F32)    => |w, s| { let m = Mixed::of(w); mixed(w, s, m, |a, b, c, ()| m.fma_fast(a, b, c), |a, b, c, ()| (m.fma(a, b, c), ())) },
        (AluOp::Fma, _)          => |w, s| { let m = Mixed::of(w); mixed(w, s, m, |a, b, c, ()| m.half_of(m.fma_fast(a, b, c)), |a, b, c, ()| (m.narrow(m.fma(a, b, c)), ())) },
        _ => return None,
    };
    Some(handler)
}
}

at_each_level! {
/// Returns the handler of a dot product of vectors with `elements` elements.
#[rustfmt::skip]
#[allow(clippy::wildcard_enum_match_arm, reason = "an operation has rows of few types")]
pub fn dot_handler(elements: u8, result: Ty, clamp: bool) -> Option<Handler> {
    let handler: Handler = match (elements, result) {
        (2, Ty::F32) => |w, s| staged3(w, s, dot2_f16),
        (2, Ty::I32) if clamp => |w, s| staged3(w, s, |a, b, c: i32| (dot::<2>(a, b, true) + i64::from(c)).clamp(i32::MIN.into(), i32::MAX.into()) as i32),
        (2, Ty::U32) if clamp => |w, s| staged3(w, s, |a, b, c: u32| (dot::<2>(a, b, false) + i64::from(c)).min(u32::MAX.into()) as u32),
        (4, Ty::I32) if clamp => |w, s| staged3(w, s, |a, b, c: i32| (dot::<4>(a, b, true) + i64::from(c)).clamp(i32::MIN.into(), i32::MAX.into()) as i32),
        (4, Ty::U32) if clamp => |w, s| staged3(w, s, |a, b, c: u32| (dot::<4>(a, b, false) + i64::from(c)).min(u32::MAX.into()) as u32),
        (8, Ty::I32) if clamp => |w, s| staged3(w, s, |a, b, c: i32| (dot::<8>(a, b, true) + i64::from(c)).clamp(i32::MIN.into(), i32::MAX.into()) as i32),
        (8, Ty::U32) if clamp => |w, s| staged3(w, s, |a, b, c: u32| (dot::<8>(a, b, false) + i64::from(c)).min(u32::MAX.into()) as u32),
        (2, Ty::I32) => |w, s| staged3(w, s, |a, b, c: i32| (dot::<2>(a, b, true) as i32).wrapping_add(c)),
        (2, Ty::U32) => |w, s| staged3(w, s, |a, b, c: u32| (dot::<2>(a, b, false) as u32).wrapping_add(c)),
        (4, Ty::I32) => |w, s| staged3(w, s, |a, b, c: i32| (dot::<4>(a, b, true) as i32).wrapping_add(c)),
        (4, Ty::U32) => |w, s| staged3(w, s, |a, b, c: u32| (dot::<4>(a, b, false) as u32).wrapping_add(c)),
        (8, Ty::I32) => |w, s| staged3(w, s, |a, b, c: i32| (dot::<8>(a, b, true) as i32).wrapping_add(c)),
        (8, Ty::U32) => |w, s| staged3(w, s, |a, b, c: u32| (dot::<8>(a, b, false) as u32).wrapping_add(c)),
        _ => return None,
    };
    Some(handler)
}
}

/// Splits a dword into its halves.
#[inline(always)]
fn split(pair: u32) -> [u16; 2] {
    [pair as u16, (pair >> 16) as u16]
}

#[inline(always)]
fn join(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// Executes an operation on each half of two sources.
#[inline(always)]
fn pairs(w: &mut Wave, s: &Step, f: impl Fn(u16, u16) -> u16) {
    staged2(w, s, |a: u32, b: u32| {
        let ([a, a_high], [b, b_high]) = (split(a), split(b));
        join(f(a, b), f(a_high, b_high))
    });
}

/// [`pairs`] for three sources.
#[inline(always)]
fn pairs3(w: &mut Wave, s: &Step, f: impl Fn(u16, u16, u16) -> u16) {
    staged3(w, s, |a: u32, b: u32, c: u32| {
        let ([a, a_high], [b, b_high], [c, c_high]) = (split(a), split(b), split(c));
        join(f(a, b, c), f(a_high, b_high, c_high))
    });
}

/// Executes an operation on half-precision pairs. `nearest` computes in single precision on the host; `exact` supports
/// every rounding mode.
#[inline(always)]
fn halves<const Y: usize, const Z: usize>(
    w: &mut Wave,
    s: &Step,
    at: Positions<1, Y, Z>,
    nearest: impl Fn(f32, f32, f32) -> f32 + Copy,
    exact: impl Fn(Env, F16, F16, F16) -> F16,
) {
    let env = Env::of::<F16>(w.mode);
    if !env.is_nearest() {
        at_baseline(w, s, at, 0, |a: u32, b: u32, c: u32, ()| {
            let [a, b, c] = [a, b, c].map(|pair| split(pair).map(|half| env.input(F16(half))));
            let half = |n: usize| exact(env, a[n], b[n], c[n]).0;
            (join(half(0), half(1)), ())
        });
        return;
    }
    let src = sources::<1, Y, Z, u32, u32, u32>(w, s);
    let (low, mut both) = (
        each_half::<0>(src, env, nearest),
        each_half::<16>(src, env, nearest),
    );
    for (both, low) in both.0.iter_mut().zip(&low.0) {
        *both = *both << u16::BITS | low;
    }
    nan::write_halves::<1, Y, Z>(w, s, &both);
}

/// Executes an operation on the halves starting at bit `UP`. The results are in the low bits.
#[inline(always)]
fn each_half<const UP: u32>(
    src: SourceOperands<'_>,
    env: Env,
    f: impl Fn(f32, f32, f32) -> f32,
) -> Lanes {
    let f = |a: HalfFloat<UP>, b: HalfFloat<UP>, c: HalfFloat<UP>, ()| {
        let result = f(env.input(a).0, env.input(b).0, env.input(c).0);
        (env.output(HalfFloat::<0>(result)), ())
    };
    lanes::map(src, 0, f).0[0]
}

/// Executes a minimum or maximum of each half. The last argument of `f` is true under IEEE rules.
#[inline(always)]
fn orders(w: &mut Wave, s: &Step, f: impl Fn(F16, F16, bool) -> F16) {
    let env = environment::<Order, F16>(w);
    let ieee = env.quiets();
    compiled_once(w, s, Positions::<1, 2, 1>, 0, |a: u32, b: u32, (), ()| {
        let ([a, a_high], [b, b_high]) = (split(a), split(b));
        let f = |a, b| f(env.input(F16(a)), env.input(F16(b)), ieee).0;
        (join(f(a, b), f(a_high, b_high)), ())
    });
}

/// Single- and half-precision settings of MODE for mixed-precision operations, whose source modifiers convert halves to
/// single precision.
#[derive(Clone, Copy)]
struct Mixed {
    single: Env,
    half: Env,
}

impl Mixed {
    #[inline(always)]
    fn of(w: &Wave) -> Mixed {
        Mixed {
            single: Env::of::<f32>(w.mode),
            half: Env::of::<F16>(w.mode),
        }
    }

    /// Returns the settings for V_MAD_MIX, which flushes half-precision denormals too (errata E195).
    #[inline(always)]
    fn unfused(w: &Wave) -> Mixed {
        let mode = Mixed::of(w);
        Mixed {
            half: mode.half.flushing(),
            ..mode
        }
    }

    /// True if the host's results are correct, except for those that the fast operations flag.
    #[inline(always)]
    fn is_as_hosts(self) -> bool {
        self.single.is_nearest() && self.half.is_nearest() && self.single.quiets()
    }

    /// Computes the multiply-add of V_MAD_MIX, with two roundings and flushed denormals.
    #[inline(always)]
    fn mad(self, a: f32, b: f32, c: f32) -> f32 {
        arithmetic::mad_rounded(self.single, a, b, c)
    }

    /// [`Mixed::mad`] rounded to nearest. The flag is true if the result is a NaN, which may have to be corrected.
    #[inline(always)]
    fn mad_fast(self, a: f32, b: f32, c: f32) -> (f32, bool) {
        let sum = arithmetic::mad(a, b, c);
        (sum, sum.is_nan())
    }

    /// Computes the fused multiply-add of V_FMA_MIX.
    #[inline(always)]
    fn fma(self, a: f32, b: f32, c: f32) -> f32 {
        let env = self.single;
        exact::fma(env, env.input(a), env.input(b), env.input(c))
    }

    /// [`Mixed::fma`] rounded to nearest. The flag is true if the result may have to be corrected.
    #[inline(always)]
    fn fma_fast(self, a: f32, b: f32, c: f32) -> (f32, bool) {
        let env = self.single;
        let sum = env.input(a).mul_add(env.input(b), env.input(c));
        (env.output(sum), sum.is_nan() | (sum.exponent() == 1))
    }

    /// Rounds the sum again, to half precision (errata E195).
    #[inline(always)]
    fn narrow(self, sum: f32) -> HalfFloat {
        HalfFloat(exact::convert::<f32, F16>(self.half, sum).to_f32())
    }

    /// Flushes the result of a fast operation, which is rounded to half precision when it is written.
    #[inline(always)]
    fn half_of(self, (sum, is_slow): (f32, bool)) -> (HalfFloat, bool) {
        (self.half.output(HalfFloat(sum)), is_slow)
    }
}

/// Executes a mixed-precision operation. `fast` rounds as the host does and flags results that need `any`. Both have
/// the signature that [`with_slow_path`] takes, for the reason given at [`carry`](super::protocol::carry).
#[inline(always)]
fn mixed<R: Lane>(
    w: &mut Wave,
    s: &Step,
    mode: Mixed,
    fast: impl Fn(f32, f32, f32, ()) -> (R, bool),
    any: impl Fn(f32, f32, f32, ()) -> (R, ()),
) {
    if mode.is_as_hosts() {
        with_slow_path(w, s, THREE, fast, any);
    } else {
        at_baseline(w, s, THREE, 0, any);
    }
}

/// Adds the product of the low halves, then that of the high halves, to the third source. Each addition is fused.
/// Denormals are flushed and results rounded to nearest, regardless of MODE (errata E196).
#[inline(always)]
fn dot2_f16(a: u32, b: u32, c: f32) -> f32 {
    let halves = |pair| split(pair).map(|half| F16(half).flushed().to_f32());
    let ([a, a_high], [b, b_high]) = (halves(a), halves(b));
    let sum = nan::of_three(a.mul_add(b, c.flushed()), a, b, c);
    nan::of_three(a_high.mul_add(b_high, sum), a_high, b_high, sum).flushed()
}

/// Computes the dot product of two dwords with `N` elements each.
#[inline(always)]
fn dot<const N: usize>(a: u32, b: u32, signed: bool) -> i64 {
    let width = 32 / N as u32;
    let mut sum = 0;
    for part in 0..N as u32 {
        let at = |v: u32| {
            let top = v << (32 - width * (part + 1));
            if signed {
                (top as i32 >> (32 - width)) as u32
            } else {
                top >> (32 - width)
            }
        };
        // A product fits in 32 bits.
        let product = at(a).wrapping_mul(at(b));
        sum += if signed {
            i64::from(product as i32)
        } else {
            i64::from(product)
        };
    }
    sum
}
