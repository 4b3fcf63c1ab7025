//! Tests of denormals, modifiers and halves according to MODE and the encoding; also of minima, V_MULLIT and
//! V_TRIG_PREOP.

use crate::common::*;
use crate::float::{frexp, g};
use gcn_isa::vop::Vop2;
use gcn_isa::vop3::Vop3;
use gcn_isa::{Encoding, Field, Isa, Op};

/// Result of an instruction with the sources `a` and `b` in one lane.
fn run(isa: Isa, op: Op, mode: u32, a: u32, b: u32, set: &[(Field, i64)]) -> u32 {
    let mut wave = wave(isa, &mut Noise(7));
    wave.mode = mode;
    wave.set_exec(1);
    (wave.vgprs[0].0[0], wave.vgprs[1].0[0]) = (a, b);
    let mut inst = inst(isa, op, Encoding::Vop3, &[v(2), v(0), v(1)]);
    for &(field, value) in set {
        inst.set(field, value).expect("it has the field");
    }
    assert!(execute(&mut wave, &inst));
    wave.vgprs[2].0[0]
}

#[test]
fn denormals_are_flushed_as_mode_says() {
    let add = Op::Vop2(Vop2::V_ADD_F32);
    let mul = Op::Vop2(Vop2::V_MUL_F32);
    let (tiny, zero) = (0x0000_0300, 0);
    let (smallest, minus_half) = (f32::MIN_POSITIVE.to_bits(), (-0.5f32).to_bits());
    for isa in Isa::ALL {
        // MODE bit 4 enables denormal sources, bit 5 denormal results.
        for (mode, sum, product) in [
            (0x00, 0, 0x8000_0000),
            (0x10, 0, 0x8000_0000),
            (0x20, 0, 0x8040_0000),
            (0x30, tiny, 0x8040_0000),
        ] {
            assert_eq!(run(isa, add, mode, tiny, zero, &[]), sum, "{isa} {mode:#x}");
            assert_eq!(
                run(isa, mul, mode, smallest, minus_half, &[]),
                product,
                "{isa} {mode:#x}"
            );
        }
        // Only the denormal source matters here: 0x1p-127 * 4.
        let (denormal, four) = (0x0040_0000, 4f32.to_bits());
        assert_eq!(run(isa, mul, 0x20, denormal, four, &[]), 0);
        assert_eq!(
            run(isa, mul, 0x10, denormal, four, &[]),
            2f32.powi(-125).to_bits()
        );
    }
}

#[test]
fn source_and_result_modifiers_apply() {
    let add = Op::Vop2(Vop2::V_ADD_F32);
    let run = |mode, a: f32, b: f32, set: &[(Field, i64)]| {
        f32::from_bits(run(Isa::Gfx9, add, mode, a.to_bits(), b.to_bits(), set))
    };
    assert_eq!(run(0, 3.0, 1.0, &[(Field::Neg, 0b01)]), -2.0);
    assert_eq!(run(0, 3.0, 1.0, &[(Field::Neg, 0b10)]), 2.0);
    assert_eq!(run(0, -3.0, -1.0, &[(Field::Abs, 0b01)]), 2.0);
    assert_eq!(
        run(0, -3.0, -1.0, &[(Field::Abs, 0b11), (Field::Neg, 0b10)]),
        2.0
    );
    assert_eq!(run(0, 0.25, 0.5, &[(Field::Clamp, 1)]), 0.75);
    assert_eq!(run(0, 2.25, 0.5, &[(Field::Clamp, 1)]), 1.0);
    assert_eq!(run(0, -2.25, 0.5, &[(Field::Clamp, 1)]).to_bits(), 0);
    assert!(run(0, f32::NAN, 0.5, &[(Field::Clamp, 1)]).is_nan());
    assert_eq!(run(1 << 8, f32::NAN, 0.5, &[(Field::Clamp, 1)]), 0.0);
    for (omod, factor) in [(1, 2.0), (2, 4.0), (3, 0.5)] {
        assert_eq!(run(0, 3.0, 1.0, &[(Field::Omod, omod)]), 4.0 * factor);
        // Output modifiers do not apply with denormal results or under IEEE rules.
        assert_eq!(run(DENORMALS, 3.0, 1.0, &[(Field::Omod, omod)]), 4.0);
        assert_eq!(run(MODE_IEEE, 3.0, 1.0, &[(Field::Omod, omod)]), 4.0);
    }
}

#[test]
fn minima_make_signalling_nan_quiet_under_ieee_rules_only() {
    let min = Op::Vop2(Vop2::V_MIN_F32);
    let (signalling, quiet, one) = (0x7f80_0001, 0x7fc0_0001, 1f32.to_bits());
    for isa in Isa::ALL {
        assert_eq!(run(isa, min, DENORMALS, signalling, one, &[]), one);
        assert_eq!(
            run(isa, min, DENORMALS | MODE_IEEE, signalling, one, &[]),
            quiet
        );
        assert_eq!(
            run(isa, min, DENORMALS | MODE_IEEE, one, signalling, &[]),
            quiet
        );
        assert_eq!(run(isa, min, DENORMALS | MODE_IEEE, quiet, one, &[]), one);
    }
}

#[test]
fn half_precision_selects_and_keeps_halves() {
    // E304
    let mad = Op::Vop3(Vop3::V_MAD_U16);
    let mut wave = wave(Isa::Gfx9, &mut Noise(9));
    wave.set_exec(1);
    for (register, bits) in [0x0003_0002, 0x0007_0005, 0x000b_000d, 0x1111_2222]
        .into_iter()
        .enumerate()
    {
        wave.vgprs[register].0[0] = bits;
    }
    let mut inst = inst(Isa::Gfx9, mad, Encoding::Vop3, &[v(3), v(0), v(1), v(2)]);
    assert!(execute(&mut wave, &inst));
    assert_eq!(
        wave.vgprs[3].0[0],
        0x1111_0000 | (2 * 5 + 13),
        "the high half stays"
    );
    inst.set(Field::OpSel, 0b1101).expect("it has the field");
    assert!(execute(&mut wave, &inst));
    assert_eq!(
        wave.vgprs[3].0[0],
        (3 * 5 + 11) << 16 | (2 * 5 + 13),
        "high halves of a, c and d"
    );
}

#[test]
fn factors_take_the_sign_from_zero_and_round() {
    // E191
    let mul = Op::Vop2(Vop2::V_MUL_F32);
    for isa in Isa::ALL {
        let with = |mode, a: f32, b: f32, omod| {
            run(
                isa,
                mul,
                mode,
                a.to_bits(),
                b.to_bits(),
                &[(Field::Omod, omod)],
            )
        };
        assert_eq!(with(0, -0.0, 1.0, 1), 0);
        assert_eq!(with(0, -0.0, 1.0, 0), (-0f32).to_bits());
        // A result that halving makes a denormal is flushed, even if rounding would make it normal; its sign stays.
        for small in [0x8080_0000, 0x80ff_ffff].map(f32::from_bits) {
            assert_eq!(with(0, small, 1.0, 3), 0x8000_0000);
            assert_eq!(with(2, small, 1.0, 3), 0x8000_0000);
        }
        assert_eq!(with(0, f32::from_bits(0x8100_0000), 1.0, 3), 0x8080_0000);
        assert_eq!(with(0, -0.0, 1.0, 3), 0);
        assert_eq!(with(0, f32::MAX, 1.0, 1), f32::INFINITY.to_bits());
        assert_eq!(with(3, f32::MAX, 1.0, 1), f32::MAX.to_bits());
    }
}

#[test]
fn minima_keep_the_denormals_that_sources_have() {
    // E193
    let min = Op::Vop2(Vop2::V_MIN_F32);
    let (tiny, one) = (0x300, 1f32.to_bits());
    for isa in Isa::ALL {
        for (denormals, from_gfx9) in [(0, 0), (1, tiny), (2, 0), (3, tiny)] {
            let want = if isa < Isa::Gfx9 { tiny } else { from_gfx9 };
            let got = run(isa, min, denormals << 4, tiny, one, &[]);
            assert_eq!(got, want, "{isa}, denormals {denormals}");
        }
    }
}

#[test]
fn lighting_multiplies_where_the_others_allow_it() {
    // E197
    let op = Op::Vop3(Vop3::V_MULLIT_F32);
    let lit = |a: f32, b: f32, c: f32| {
        let mut wave = wave(Isa::Ci, &mut Noise(11));
        wave.set_exec(1);
        for (register, value) in [a, b, c].into_iter().enumerate() {
            wave.vgprs[register].0[0] = value.to_bits();
        }
        let inst = inst(Isa::Ci, op, Encoding::Vop3, &[v(3), v(0), v(1), v(2)]);
        assert!(execute(&mut wave, &inst));
        f32::from_bits(wave.vgprs[3].0[0])
    };
    assert_eq!(lit(3.0, 2.0, 1.0), 6.0);
    assert_eq!(lit(0.0, f32::INFINITY, 1.0).to_bits(), 0);
    for (b, c) in [
        (2.0, 0.0),
        (2.0, -1.0),
        (2.0, f32::NAN),
        (f32::MIN, 1.0),
        (f32::NEG_INFINITY, 1.0),
        (f32::NAN, 1.0),
    ] {
        assert_eq!(lit(3.0, b, c), f32::MIN, "{b} {c}");
    }
}

/// Result of V_TRIG_PREOP for `a` and a segment.
fn segment(a: f64, segment: u32) -> f64 {
    let mut wave = wave(Isa::Gfx9, &mut Noise(12));
    wave.set_exec(1);
    wave.vgprs[0].0[0] = a.to_bits() as u32;
    wave.vgprs[1].0[0] = (a.to_bits() >> 32) as u32;
    wave.vgprs[2].0[0] = segment;
    let op = Op::Vop3(Vop3::V_TRIG_PREOP_F64);
    let inst = inst(Isa::Gfx9, op, Encoding::Vop3, &[v(4), v(0), v(2)]);
    assert!(execute(&mut wave, &inst));
    let at = |register: usize| u64::from(wave.vgprs[register].0[0]);
    g(at(4) | at(5) << 32)
}

#[test]
fn segments_of_two_by_pi_reduce_angles() {
    // E198
    use std::f64::consts::FRAC_2_PI;
    let sum = segment(1.0, 0) + segment(1.0, 1);
    assert_eq!(sum, FRAC_2_PI);
    assert!(segment(1.0, 0) < FRAC_2_PI, "segments are cut off");
    assert_eq!(segment(1.0, 33), segment(1.0, 1), "five bits count");
    // For large values, the digits that make multiples of four are left out; very large values are scaled.
    assert_eq!(segment(1.0, 31), 0.0, "all digits are used up");
    for exponent in [100, 400, 900, 944] {
        let a = 1.75 * 2f64.powi(exponent);
        let left_out = (exponent + 1023 - 1077).max(0);
        let first = segment(a, 0);
        assert!(first < 2f64.powi(-left_out) && first > 0.0, "{exponent}");
        let scaled = segment(a * 2.0, 0);
        assert_eq!(exponent == 944, scaled > 2f64.powi(-left_out), "{exponent}");
    }
    // An angle reduced by these segments has the right sine. Products are exact integers, and multiples of four cancel.
    for a in [1e22f64, 12345678.9, 3e15, 7.25e20] {
        let (fraction, power) = frexp(a);
        let digits = (fraction * 2f64.powi(53)) as u128;
        let quadrants: f64 = (0..3)
            .map(|n| {
                let (fraction, exponent) = frexp(segment(a, n));
                let product = digits * (fraction * 2f64.powi(53)) as u128;
                let below = -(power - 53 + exponent - 53) as i32;
                let modulus = 1u128 << (below + 2).clamp(0, 127);
                (product % modulus) as f64 * 2f64.powi(-below)
            })
            .sum();
        let sine = (quadrants % 4.0 * std::f64::consts::FRAC_PI_2).sin();
        assert!(
            (sine - a.sin()).abs() < 1e-12,
            "{a:e}: {sine}, not {}",
            a.sin()
        );
    }
}
