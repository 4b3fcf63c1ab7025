//! Tests of operations with a fast path, whose result must equal that of the slow path, and of series, which must be as
//! accurate as the host's library in both ways of evaluation.

use gcn_emu::internals::two_paths::{
    SERIES, TwoPaths, minima, of_half, quotients, truncated_to_half,
};

/// MODE bits for denormals and rounding.
const MODES: [u32; 7] = [0, 0x50, 0xa0, 0xf0, 0xf5, 0xfa, 0xff];
/// MODE bit for IEEE minima and signalling NaNs.
const IEEE: u32 = 1 << 9;
const SAMPLES: usize = 1 << 20;
/// Fraction bits of a single, and the largest value of its exponent field.
const SINGLE: (u32, u32) = (23, 0xff);
/// Distance between the tested single-precision numbers: a prime, so that all fractions occur with all exponents.
const STEP: usize = 4093;

/// Random values of all kinds, some of them close together.
fn samples((fraction, exponents): (u32, u32)) -> impl Iterator<Item = [u64; 3]> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let sign_bit = 1 << (fraction + exponents.count_ones());
    let infinity = u64::from(exponents) << fraction;
    let one = u64::from(exponents >> 1) << fraction;
    let ends = [0, 1, infinity, infinity - 1, infinity + 1, one, one + 1];
    std::iter::repeat_with(move || {
        let close = random() & 3 << fraction;
        std::array::from_fn(|_| {
            let (kind, bits) = (random() >> 32, random());
            let sign = if bits >> 63 != 0 { sign_bit } else { 0 };
            let value = match kind % 8 {
                0 => ends[bits as usize % ends.len()] | sign,
                1 => bits & ((1 << fraction) - 1) | sign,
                2 | 3 => (one + close).wrapping_add(bits >> 61) | sign,
                4 => one.wrapping_add(bits & ((8 << fraction) - 1)) | sign,
                _ => bits,
            };
            value & (sign_bit | (sign_bit - 1))
        })
    })
    .take(SAMPLES)
}

fn check(paths: &TwoPaths, modes: &[u32]) {
    let mut count = 0;
    for values in samples(paths.format) {
        for &mode in modes {
            if let Some(result) = (paths.fast)(mode, values) {
                count += 1;
                let expected = (paths.slow)(mode, values);
                assert_eq!(
                    result, expected,
                    "{} {:?} of {values:x?}, MODE {mode:#x}",
                    paths.name, paths.format
                );
            }
        }
    }
    let tried = SAMPLES * modes.len();
    assert!(count > tried / 16, "{count} of {tried} by the fast path");
}

#[test]
fn quotients_powers_and_roots_of_the_fast_path_are_those_of_the_slow_one() {
    for paths in quotients() {
        check(&paths, &MODES.map(|mode| mode | IEEE));
    }
}

#[test]
fn minima_and_maxima_of_numbers_are_those_of_any_values() {
    // All denormal bits, or none: other combinations make no difference.
    for paths in minima() {
        check(&paths, &[0xf0, 0xf0 | IEEE, IEEE]);
    }
}

#[test]
fn halves_become_single_precision_and_are_cut_off_as_the_library_has_it() {
    for bits in 0..=u16::MAX {
        let expected = half::f16::from_bits(bits).to_f32().to_bits();
        assert_eq!(of_half(bits).to_bits(), expected, "{bits:#x}");
    }
    for [a, _, _] in samples(SINGLE) {
        let a = f32::from_bits(a as u32);
        let nearest = half::f16::from_f32(a);
        let is_beyond = nearest.to_f32().abs() > a.abs();
        let cut = truncated_to_half(a);
        assert_eq!(cut, nearest.to_bits() - u16::from(is_beyond), "{a:e}");
    }
}

/// Errata E199: the series are as accurate as the host's library in double precision.
#[test]
fn series_are_rounded_correctly() {
    let sine = |turns: f64| (turns % 1.0 * std::f64::consts::TAU).sin();
    let cosine = |turns: f64| (turns % 1.0 * std::f64::consts::TAU).cos();
    /// Function of the host, and true if its argument is an angle in turns.
    type Host = (fn(f64) -> f64, bool);
    let hosts: [Host; 4] = [
        (f64::exp2, false),
        (f64::log2, false),
        (sine, true),
        (cosine, true),
    ];
    for bits in (0..=u32::MAX).step_by(STEP) {
        let value = f32::from_bits(bits);
        // Denormals never reach the series.
        let value = if value.is_subnormal() {
            0.0_f32.copysign(value)
        } else {
            value
        };
        for (series, (host, takes_turns)) in SERIES.iter().zip(hosts) {
            let name = series.name;
            for ours in [series.fused, series.unfused] {
                if takes_turns && value.is_nan() {
                    continue;
                }
                let (got, expected) = (ours(value), host(value.into()) as f32);
                let has_none =
                    got.is_nan() && (takes_turns && value.is_infinite() || expected.is_nan());
                // The host rounds angles once more, which matters near zeros of the function.
                let is_near = takes_turns && (got - expected).abs() < 1e-9;
                let are_same = got.to_bits() == expected.to_bits() || has_none || is_near;
                assert!(are_same, "{name}({value:e}) = {got:e}, not {expected:e}");
            }
        }
    }
}
