//! Arguments of [`with_slow_path`](super::with_slow_path): a result of `fast` is the one that `any` has.

use crate::exec::alu::arithmetic;
use crate::exec::alu::env::{Env, MODE_IEEE};
use crate::exec::alu::exact;
use crate::exec::alu::float::{F16, Float};
use crate::exec::alu::{approximate, divide};

/// MODE's denormal bits, and rounding bits.
const MODES: [u32; 7] = [0, 0x50, 0xa0, 0xf0, 0xf5, 0xfa, 0xff];
const SAMPLES: usize = 1 << 20;

/// Values of all kinds, some of them close to each other.
fn samples<F: Float>() -> impl Iterator<Item = [F; 3]> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let infinity = u64::from(F::EXPONENT_MAX) << F::FRACTION;
    let one = u64::from(F::EXPONENT_MAX >> 1) << F::FRACTION;
    let ends = [0, 1, infinity, infinity - 1, infinity + 1, one, one + 1];
    std::iter::repeat_with(move || {
        let close = random() & 3 << F::FRACTION;
        std::array::from_fn(|_| {
            let (kind, bits) = (random() >> 32, random());
            let sign = F::signed(0, bits >> 63 != 0).bits();
            F::of_bits(match kind % 8 {
                0 => ends[bits as usize % ends.len()] | sign,
                1 => bits & ((1 << F::FRACTION) - 1) | sign,
                2 | 3 => (one + close).wrapping_add(bits >> 61) | sign,
                4 => one.wrapping_add(bits & ((8 << F::FRACTION) - 1)) | sign,
                _ => bits,
            })
        })
    })
    .take(SAMPLES)
}

fn check<F: Float>(fast: impl Fn(F, F, F) -> (F, bool), any: impl Fn(Env, F, F, F) -> F) {
    let mut count = 0;
    for [a, b, c] in samples::<F>() {
        let (result, needs_slow_path) = fast(a, b, c);
        if needs_slow_path {
            continue;
        }
        count += 1;
        for mode in MODES {
            let expected = any(Env::of::<F>(mode | MODE_IEEE), a, b, c);
            let bits = [a, b, c, result, expected].map(F::bits);
            assert_eq!(bits[3], bits[4], "{bits:x?}, MODE {mode:#x}");
        }
    }
    assert!(count > SAMPLES / 16, "{count} by the fast path");
}

#[test]
fn quotients_of_the_fast_path_are_those_of_the_slow_one() {
    fn of<F: Float>(scale: &divide::Scale) {
        check(
            |a: F, b, c| divide::div_scale_fast(a, b, c, scale),
            |env, a, b, c| match divide::div_scale(env, a, b, c, scale) {
                (result, false) => result,
                (_, true) => panic!("the fast path scales nothing back"),
            },
        );
        check(
            |_: F, b, c| divide::div_scale_fast(b, b, c, scale),
            |env, _, b, c| divide::div_scale(env, b, b, c, scale).0,
        );
        check(
            |a: F, b, c| divide::div_fixup_fast(a, b, c, scale),
            divide::div_fixup,
        );
    }
    of::<f32>(&divide::SCALE_32);
    of::<f64>(&divide::SCALE_64);
}

#[test]
fn powers_and_roots_of_the_fast_path_are_those_of_the_slow_one() {
    let power = |b: f64| (b.to_bits() >> 20) as i32 >> (b.to_bits() % 32);
    check(
        |a, b, _| arithmetic::ldexp64_fast(a, power(b)),
        |env, a, b, _| exact::ldexp(env, env.input(a), power(b)),
    );
    check(
        |a, b, _| (arithmetic::ldexp64(a, power(b)), false),
        |_, a, b, _| exact::ldexp(Env::KEEPING, a, power(b)),
    );
    check(
        |a, _, _| approximate::rsq64_fast(a),
        |env, a, _, _| env.output(approximate::rsq64(env.input(a))),
    );
}

#[test]
fn minima_and_maxima_of_numbers_are_those_of_any_values() {
    fn of<F: Float>() {
        type Numbers<F> = fn(F, F, F) -> F;
        type Any<F> = fn(F, F, F, bool) -> F;
        let pairs: [(Numbers<F>, Any<F>); 5] = [
            (
                |a, b, _| arithmetic::lesser(a, b),
                |a, b, _, i| arithmetic::min(a, b, i),
            ),
            (
                |a, b, _| arithmetic::greater(a, b),
                |a, b, _, i| arithmetic::max(a, b, i),
            ),
            (arithmetic::least, arithmetic::min3),
            (arithmetic::greatest, arithmetic::max3),
            (arithmetic::middle, arithmetic::med3),
        ];
        for (numbers, any) in pairs {
            for (ieee, env) in [
                (false, Env::KEEPING),
                (true, Env::KEEPING),
                (true, Env::FLUSHING),
            ] {
                check(
                    |a: F, b: F, c: F| {
                        let has_nan = a.is_any_nan() | b.is_any_nan() | c.is_any_nan();
                        let of_numbers = numbers(env.input(a), env.input(b), env.input(c));
                        (of_numbers, has_nan)
                    },
                    |_, a, b, c| any(env.input(a), env.input(b), env.input(c), ieee),
                );
            }
        }
    }
    of::<f32>();
    of::<f64>();
    of::<F16>();
}

#[test]
fn halves_become_single_precision_and_are_cut_off_as_the_library_has_it() {
    for bits in 0..=u16::MAX {
        let value = half::f16::from_bits(bits);
        let expected = value.to_f32().to_bits();
        assert_eq!(F16(bits).to_f32().to_bits(), expected, "{bits:#x}");
    }
    for [a, _, _] in samples::<f32>() {
        let cut = F16::from_f32_truncated(a);
        let nearest = half::f16::from_f32(a);
        let is_beyond = nearest.to_f32().abs() > a.abs();
        assert_eq!(cut.0, nearest.to_bits() - u16::from(is_beyond), "{a:e}");
    }
}
