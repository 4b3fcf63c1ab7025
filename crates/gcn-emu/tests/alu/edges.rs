//! Tests of results at the limits of number formats, as documented by their evidence (errata E190–E192, E194,
//! E300–E303, E306).

use gcn_emu::wave::{Wave, WaveId};
use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::{Vop3, Vop3b, Vop3p};
use gcn_isa::{Encoding, Field, Isa, Op, Operand, Slot, regs};
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, Round};

use crate::common::*;

/// MODE bits of the rounding modes, for all widths.
const NEAREST: u32 = 0;
const UP: u32 = 0b0101;
const DOWN: u32 = 0b1010;
const TO_ZERO: u32 = 0b1111;
/// MODE bits that enable denormals.
const KEEPS: u32 = DENORMALS;
/// MODE bit that saturates overflow in half precision.
const SATURATES: u32 = 1 << 23;

/// Instruction, MODE, sources, and result.
type Known = (Op, u32, [u64; 3], u64);

const fn vop1(op: Vop1) -> Op {
    Op::Vop1(op)
}
const fn vop3(op: Vop3) -> Op {
    Op::Vop3(op)
}

const MUL: Op = Op::Vop2(Vop2::V_MUL_F32);
const FRACT: Op = vop1(Vop1::V_FRACT_F32);
const FIXUP: Op = vop3(Vop3::V_DIV_FIXUP_F32);
const FLOOR: Op = vop1(Vop1::V_CVT_FLR_I32_F32);
const NEAR: Op = vop1(Vop1::V_CVT_RPI_I32_F32);
const MAJOR: Op = vop3(Vop3::V_CUBEMA_F32);
const BYTE: Op = vop3(Vop3::V_CVT_PK_U8_F32);
const HALF: Op = vop1(Vop1::V_CVT_F16_F32);
const MANTISSA: Op = vop1(Vop1::V_FREXP_MANT_F32);
const EXPONENT: Op = vop1(Vop1::V_FREXP_EXP_I32_F32);
const NORM: Op = vop1(Vop1::V_CVT_NORM_I16_F16);
const UNORM: Op = vop1(Vop1::V_CVT_NORM_U16_F16);
const MAD: Op = vop3(Vop3::V_MAD_F32);
const MUL_HALF: Op = Op::Vop2(Vop2::V_MUL_F16);
const MUL_WIDE: Op = vop3(Vop3::V_MUL_F64);
const LDEXP_WIDE: Op = vop3(Vop3::V_LDEXP_F64);
const SINGLE: Op = vop1(Vop1::V_CVT_F32_F64);
const LARGEST: u64 = 0x7f7f_ffff;
const INFINITY: u64 = 0x7f80_0000;

#[rustfmt::skip]
const KNOWN: &[Known] = &[
    // E300: flushing depends on the result as rounded with an unlimited exponent range.
    (MUL, NEAREST,         [0x00ff_ffff, 0x3f00_0000, 0], 0),
    (MUL, NEAREST | KEEPS, [0x00ff_ffff, 0x3f00_0000, 0], 0x0080_0000),
    (MUL, NEAREST,         [0x3f7f_ffff, 0x8080_0000, 0], 0x8000_0000),
    (MUL, NEAREST,         [0x3f00_0001, 0x00ff_fffe, 0], 0x0080_0000),
    (MUL, UP,              [0x3f00_0001, 0x00ff_fffe, 0], 0x0080_0000),
    (MUL, DOWN,            [0x3f00_0001, 0x00ff_fffe, 0], 0),
    (HALF, NEAREST,        [0x387f_f000, 0, 0], 0x0400),
    (HALF, NEAREST,        [0x387f_efff, 0, 0], 0x0000),
    (HALF, NEAREST,        [0xb87f_e000, 0, 0], 0x8000),
    (HALF, NEAREST | KEEPS, [0x387f_efff, 0, 0], 0x0400),
    (MAD, NEAREST | KEEPS,  [0x00ff_ffff, 0x3f00_0000, 0], 0),
    (MAD, NEAREST,          [0x3f00_0001, 0x00ff_fffe, 0], 0x0080_0000),
    (MUL_HALF, NEAREST,         [0x07ff, 0x3800, 0], 0),
    (MUL_HALF, NEAREST | KEEPS, [0x07ff, 0x3800, 0], 0x0400),
    (MUL_HALF, NEAREST,         [0x3bff, 0x8400, 0], 0x8000),
    (vop3(Vop3::V_FMA_F16), NEAREST, [0x07ff, 0x3800, 0], 0),
    (MUL_WIDE, NEAREST,         [0x001f_ffff_ffff_ffff, 0x3fe0 << 48, 0], 0),
    (MUL_WIDE, NEAREST | KEEPS, [0x001f_ffff_ffff_ffff, 0x3fe0 << 48, 0], 0x0010 << 48),
    (MUL_WIDE, NEAREST,         [0x3fef_ffff_ffff_ffff, 0x8010 << 48, 0], 0x8000 << 48),
    (MUL_WIDE, NEAREST,         [0x3fe0_0000_0000_0001, 0x001f_ffff_ffff_fffe, 0], 0x0010 << 48),
    (MUL_WIDE, UP,              [0x3fe0_0000_0000_0001, 0x001f_ffff_ffff_fffe, 0], 0x0010 << 48),
    (MUL_WIDE, DOWN,            [0x3fe0_0000_0000_0001, 0x001f_ffff_ffff_fffe, 0], 0),
    (vop3(Vop3::V_FMA_F64), NEAREST, [0x001f_ffff_ffff_ffff, 0x3fe0 << 48, 0], 0),
    (LDEXP_WIDE, NEAREST,         [0x001f_ffff_ffff_ffff, 0xffff_ffff, 0], 0),
    (LDEXP_WIDE, NEAREST | KEEPS, [0x001f_ffff_ffff_ffff, 0xffff_ffff, 0], 0x0010 << 48),
    (SINGLE, NEAREST,         [0x380f_ffff_f000_0000, 0, 0], 0x0080_0000),
    (SINGLE, NEAREST,         [0x380f_ffff_efff_ffff, 0, 0], 0),
    (SINGLE, NEAREST | KEEPS, [0x380f_ffff_efff_ffff, 0, 0], 0x0080_0000),
    // E301: the fraction of an integer is +0.
    (FRACT, NEAREST, [0xc000_0000, 0, 0], 0),
    (FRACT, DOWN,    [0xc000_0000, 0, 0], 0),
    (FRACT, DOWN,    [0x8000_0000, 0, 0], 0),
    (FRACT, DOWN,    [0x4040_0000, 0, 0], 0),
    (FRACT, NEAREST, [0xb300_0000, 0, 0], 0x3f7f_ffff),
    (FRACT, NEAREST, [INFINITY, 0, 0], 0xffc0_0000),
    // E192: a NaN saturates by its sign, except in truncating conversions.
    (FLOOR, NEAREST, [0x7fc0_0000, 0, 0], 0x7fff_ffff),
    (FLOOR, NEAREST, [0xff80_0001, 0, 0], 0x8000_0000),
    (NEAR,  NEAREST, [0x7fc0_0000, 0, 0], 0x7fff_ffff),
    (NEAR,  NEAREST, [0xffc0_0000, 0, 0], 0x8000_0000),
    (vop1(Vop1::V_CVT_I32_F32), NEAREST, [0xffc0_0000, 0, 0], 0),
    (BYTE, NEAREST, [0x3fc0_0000, 0, 0], 2),
    (BYTE, TO_ZERO, [0x3fc0_0000, 0, 0], 1),
    (BYTE, UP,      [0x3fa0_0000, 3, 0x11], 0x0200_0011),
    (BYTE, UP,      [0x0000_0001, 0, 0], 0),
    (BYTE, UP | KEEPS, [0x0000_0001, 0, 0], 1),
    (NORM, NEAREST,  [0x3801, 0, 0], 16399),
    (NORM, NEAREST,  [0x3802, 0, 0], 16415),
    (NORM, NEAREST,  [0xb802, 0, 0], 0x1_0000 - 16415),
    (UNORM, NEAREST, [0x3803, 0, 0], 32863),
    (UNORM, NEAREST | KEEPS, [0x03ff, 0, 0], 4),
    (UNORM, NEAREST, [0x03ff, 0, 0], 0),
    // 0.4387…: a tie of the rounded product, not of the exact one.
    (vop3(Vop3::V_CVT_PKNORM_I16_F32), NEAREST, [0x3ee0_a7c1, 0, 0], 14377),
    (vop3(Vop3::V_CVT_PKNORM_I16_F16), NEAREST, [0x3802, 0xb801, 0], (0x1_0000 - 16399) << 16 | 16415),
    (vop3(Vop3::V_CVT_PKNORM_U16_F16), NEAREST, [0x3803, 0x03ff, 0], 32863),
    (vop3(Vop3::V_CVT_PKNORM_U16_F16), NEAREST | KEEPS, [0x3803, 0x03ff, 0], 4 << 16 | 32863),
    // E313: overflow saturates; an infinite source stays infinite.
    (MUL_HALF, SATURATES, [0x7bff, 0x4000, 0], 0x7bff),
    (MUL_HALF, SATURATES, [0xfbff, 0x4000, 0], 0xfbff),
    (MUL_HALF, SATURATES, [0x7c00, 0x4000, 0], 0x7c00),
    (MUL_HALF, SATURATES | UP, [0x7bff, 0x4000, 0], 0x7bff),
    (MUL_HALF, SATURATES, [0x3c01, 0x3c01, 0], 0x3c02),
    (MUL_HALF, NEAREST,   [0x7bff, 0x4000, 0], 0x7c00),
    (Op::Vop2(Vop2::V_ADD_F16), SATURATES, [0x7bff, 0x7bff, 0], 0x7bff),
    (Op::Vop2(Vop2::V_LDEXP_F16), SATURATES, [0x7bff, 1, 0], 0x7bff),
    (vop3(Vop3::V_FMA_F16), SATURATES, [0x7bff, 0x4000, 0], 0x7bff),
    (vop3(Vop3::V_MAD_F16), SATURATES, [0x7bff, 0x4000, 0], 0x7bff),
    (Op::Vop3p(Vop3p::V_PK_MUL_F16), SATURATES, [0x7bff_7bff, 0x4000_4000, 0], 0x7bff_7bff),
    (HALF, SATURATES, [0x4780_0000, 0, 0], 0x7bff),
    (HALF, SATURATES, [INFINITY, 0, 0], 0x7c00),
    (vop1(Vop1::V_CVT_F16_U16), SATURATES, [0xffff, 0, 0], 0x7bff),
    (vop1(Vop1::V_RCP_F16), SATURATES, [0x0001, 0, 0], 0x7c00),
    (vop1(Vop1::V_RCP_F16), SATURATES | KEEPS, [0x8001, 0, 0], 0xfbff),
    (vop1(Vop1::V_RCP_F16), SATURATES, [0x8000, 0, 0], 0xfc00),
    (vop1(Vop1::V_EXP_F16), SATURATES, [0x7bff, 0, 0], 0x7bff),
    (vop1(Vop1::V_EXP_F16), SATURATES, [0x7c00, 0, 0], 0x7c00),
    (vop1(Vop1::V_LOG_F16), SATURATES, [0, 0, 0], 0xfc00),
    (MUL, SATURATES, [LARGEST, 0x4000_0000, 0], INFINITY),
    // E305
    (MAJOR, NEAREST, [LARGEST, 0, 0], INFINITY),
    (MAJOR, TO_ZERO, [LARGEST, 0, 0], LARGEST),
    (MAJOR, UP,      [LARGEST | 1 << 31, 0, 0], LARGEST | 1 << 31),
    (vop3(Vop3::V_CUBESC_F32), KEEPS | MODE_IEEE, [0x4000_0000, 0, 0x7f80_0001], 0xffc0_0001),
    (vop3(Vop3::V_CUBETC_F32), KEEPS | MODE_IEEE, [0x4000_0000, 0xff80_0001, 0], 0x7fc0_0001),
    // Checklist 8.2: sources are flushed according to MODE.
    (MANTISSA, NEAREST,         [0x8040_0000, 0, 0], 0x8000_0000),
    (MANTISSA, NEAREST | KEEPS, [0x8040_0000, 0, 0], 0xbf00_0000),
    (EXPONENT, NEAREST,         [0x0040_0000, 0, 0], 0),
    (EXPONENT, NEAREST | KEEPS, [0x0040_0000, 0, 0], (-126i32) as u32 as u64),
    (vop1(Vop1::V_FREXP_MANT_F64), NEAREST,         [0x0008 << 48, 0, 0], 0),
    (vop1(Vop1::V_FREXP_MANT_F64), NEAREST | KEEPS, [0x0008 << 48, 0, 0], 0x3fe0 << 48),
    (vop1(Vop1::V_FREXP_EXP_I16_F16), NEAREST, [0x0200, 0, 0], 0),
    (vop1(Vop1::V_FREXP_EXP_I16_F16), KEEPS,   [0x0200, 0, 0], (-14i16) as u16 as u64),
    // E194: quotients that underflow or overflow depend on the sources and MODE.
    (FIXUP, NEAREST | KEEPS, [0, 0x7f00_0000, 0x0080_0000], 0),
    (FIXUP, UP | KEEPS,      [0, 0x7f00_0000, 0x0080_0000], 1),
    (FIXUP, UP,              [0, 0x7f00_0000, 0x0080_0000], 0),
    (FIXUP, DOWN | KEEPS,    [0, 0x7f00_0000, 0x0080_0000], 0),
    (FIXUP, DOWN | KEEPS,    [0, 0x7f00_0000, 0x8080_0000], 0x8000_0001),
    (FIXUP, UP | KEEPS,      [0, 0x7f00_0000, 0x8080_0000], 0x8000_0000),
    (FIXUP, NEAREST,         [INFINITY, 0x3f00_0000, LARGEST], INFINITY),
    (FIXUP, TO_ZERO,         [INFINITY, 0x3f00_0000, LARGEST], LARGEST),
    (FIXUP, TO_ZERO,         [0x7fc0_0000, 0xbf00_0000, LARGEST], LARGEST | 1 << 31),
    (FIXUP, TO_ZERO,         [0, 0, 0x3f80_0000], INFINITY),
    (FIXUP, TO_ZERO,         [0, 0, 0], 0xffc0_0000),
    (vop3(Vop3::V_DIV_FIXUP_LEGACY_F16), UP | KEEPS, [0, 0x7800, 0x0001], 0),
    (vop3(Vop3::V_DIV_FIXUP_LEGACY_F16), TO_ZERO, [0x7c00, 0x3800, 0xfbff], 0xfc00),
];

/// Vector registers of an operand.
fn pair(first: u8, slot: &Slot) -> Operand {
    let count = slot.ty.dwords().max(1);
    Operand::Vgprs { first, count }
}

/// Result of an instruction, and lane 5's bit of VCC.
fn result(isa: Isa, op: Op, mode: u32, sources: [u64; 3]) -> (u64, bool) {
    let mut encodings = op.row().encodings();
    let encoding = encodings
        .find(|encoding| gcn_isa::Inst::new(isa, op, *encoding).is_some())
        .unwrap_or_else(|| panic!("{isa} has no {op:?}"));
    let mut wave = Wave::new(isa, WaveId::default(), BASE, VGPRS, SGPRS);
    wave.set_exec(u64::MAX);
    wave.mode = mode;
    let is_mask = |slot: &Slot| slot.kind == gcn_isa::Kind::Sdst;
    let mut operands = Vec::new();
    for (n, slot) in op.row().slots().enumerate() {
        operands.push(match is_mask(slot) {
            true => s(regs::VCC_LO),
            false => pair(2 * n as u8, slot),
        });
    }
    let places = (op.row().slots().enumerate().skip(1)).filter(|(_, slot)| !is_mask(slot));
    for ((n, _), source) in places.zip(sources) {
        wave.vgprs[2 * n].0.fill(source as u32);
        wave.vgprs[2 * n + 1].0.fill((source >> 32) as u32);
    }
    let inst = inst(isa, op, encoding, &operands);
    assert!(execute(&mut wave, &inst), "{}", inst.text());
    let is_wide = op.row().slots().next().expect("a destination").ty.dwords() > 1;
    let high = if is_wide { wave.vgprs[1].0[5] } else { 0 };
    let value = u64::from(wave.vgprs[0].0[5]) | u64::from(high) << 32;
    (value, wave.vcc() >> 5 & 1 != 0)
}

fn has(isa: Isa, op: Op) -> bool {
    op.row().opcode_on(isa).is_some()
}

#[test]
fn results_at_the_edges_are_those_of_the_evidence() {
    let mut wrong = Vec::new();
    for &(op, mode, sources, want) in KNOWN {
        let isa = Isa::ALL.into_iter().rev().find(|&isa| has(isa, op));
        let (got, _) = result(isa.expect("one has it"), op, mode, sources);
        if got != want {
            wrong.push(format!(
                "{} of {sources:x?}, MODE {mode:#x}: {got:#x}, not {want:#x}",
                op.row().name
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Numerator and denominator in single precision, both after scaling, and the flag (errata E194).
#[rustfmt::skip]
const SCALED: &[([u64; 2], [u64; 2], bool)] = &[
    ([0x0c00_0000, 0x3fcc_8703], [0x2c00_0000, 0x3fcc_8703], true),
    ([0x3f80_0000, 0x7e80_0000], [0x3f80_0000, 0x5e80_0000], true),
    ([0x8040_0000, 0xb0ff_ffff], [0xa000_0000, 0xb0ff_ffff], true),
    ([0x7f00_0000, 0x0080_0000], [0x7f00_0000, 0x2080_0000], true),
    ([0x3f80_0000, 0x0040_0000], [0x3f80_0000, 0x2000_0000], true),
    ([0x0080_0000, 0x0040_0000], [0x2080_0000, 0x2000_0000], false),
    ([0x7f00_0000, 0x7e80_0000], [0x5f00_0000, 0x5e80_0000], false),
    ([0x0c00_0000, 0x0c80_0000], [0x2c00_0000, 0x2c80_0000], false),
    ([0x3f80_0000, 0x4000_0000], [0x3f80_0000, 0x4000_0000], false),
    ([0x3f80_0000, 0x0000_0000], [0xffc0_0000, 0xffc0_0000], true),
    // A NaN does not change, signalling or not; neither does the other operand.
    ([0x3f80_0000, 0x7f80_0001], [0x3f80_0000, 0x7f80_0001], true),
    ([0xff80_0000, 0x3f80_0000], [0xff80_0000, 0x3f80_0000], true),
];

#[test]
fn divisions_are_scaled_by_the_distance_of_exponents() {
    let op = Op::Vop3b(Vop3b::V_DIV_SCALE_F32);
    for isa in Isa::ALL {
        for &([numerator, denominator], want, flag) in SCALED {
            for (source, want) in [numerator, denominator].into_iter().zip(want) {
                let mode = KEEPS | MODE_IEEE;
                let got = result(isa, op, mode, [source, denominator, numerator]);
                assert_eq!(
                    got,
                    (want, flag),
                    "{isa}: {source:#x} of {numerator:#x} / {denominator:#x}: {:#x}",
                    got.0
                );
            }
        }
    }
}

/// Quotients below the least denormal, compared with exact division.
#[test]
fn quotients_below_all_numbers_are_rounded() {
    fn check<F: Float>(op: Op, width: u32, noise: &mut Noise) {
        const ROUNDS: [(u32, Round); 4] = [
            (NEAREST, Round::NearestTiesToEven),
            (UP, Round::TowardPositive),
            (DOWN, Round::TowardNegative),
            (TO_ZERO, Round::TowardZero),
        ];
        let fraction: u64 = if width == 64 { 52 } else { 23 };
        let bias = (1u64 << (u64::from(width) - 2 - fraction)) - 1;
        for _ in 0..2000 {
            let (random, digits) = (noise.next(), noise.next());
            // Biased exponents; the numerator may be a denormal.
            let above = random % 40;
            let below = (above + bias + fraction + 1 + (random >> 8) % 20).min(2 * bias);
            if below - above <= bias + fraction {
                continue;
            }
            let number = |exponent: u64, digits: u64, sign: u64| {
                sign << (width - 1) | exponent << fraction | digits & ((1 << fraction) - 1)
            };
            let numerator = number(above, digits | 1, random >> 60 & 1);
            let denominator = number(below, digits >> 7, random >> 61 & 1);
            let [n, d] = [numerator, denominator].map(|bits| F::from_bits(bits.into()));
            for (mode, round) in ROUNDS {
                let want = n.div_r(d, round).value.to_bits() as u64;
                let quotient = F::ZERO.copy_sign(n.div_r(d, round).value).to_bits() as u64;
                let sources = [quotient, denominator, numerator];
                let (got, _) = result(Isa::Gfx9, op, mode | KEEPS, sources);
                assert_eq!(got, want, "{op:?} of {sources:x?}, MODE {mode:#x}");
            }
        }
    }
    let mut noise = Noise(0x5eed_0300);
    check::<Single>(FIXUP, 32, &mut noise);
    check::<Double>(vop3(Vop3::V_DIV_FIXUP_F64), 64, &mut noise);
}

/// Signalling NaNs with and without IEEE rules, by instruction and width (errata E190).
#[test]
fn signalling_nan_become_quiet_under_ieee_rules() {
    use Vop1::*;
    use Vop3::*;
    let singles = [0x7f80_0123, 0x7fc0_0123];
    let doubles = [0x7ff0_0000_0000_0123, 0x7ff8_0000_0000_0123];
    let halves = [0x7c23, 0x7e23];
    // Value of the sources before and after the signalling one.
    let one = 0x3f80_0000;
    let all: Vec<(Op, [u64; 2], usize)> = [
        V_RCP_F32,
        V_SQRT_F32,
        V_RSQ_F32,
        V_LOG_F32,
        V_EXP_F32,
        V_SIN_F32,
        V_COS_F32,
        V_FLOOR_F32,
        V_FRACT_F32,
        V_FREXP_MANT_F32,
    ]
    .into_iter()
    .map(|op| (vop1(op), singles, 0))
    .chain(
        [
            V_RCP_F64,
            V_RSQ_F64,
            V_TRUNC_F64,
            V_FRACT_F64,
            V_FREXP_MANT_F64,
        ]
        .map(|op| (vop1(op), doubles, 0)),
    )
    .chain([V_RCP_F16, V_EXP_F16, V_RNDNE_F16, V_FREXP_MANT_F16].map(|op| (vop1(op), halves, 0)))
    .chain([0, 1].map(|at| (MUL, singles, at)))
    .chain([0, 1, 2].map(|at| (vop3(V_FMA_F32), singles, at)))
    .chain([0, 1, 2].map(|at| (vop3(V_MAD_F32), singles, at)))
    .chain([0, 1, 2].map(|at| (vop3(V_FMA_F16), halves, at)))
    .chain([0, 2].map(|at| (vop3(V_ADD_F64), doubles, at & 1)))
    .chain([
        (vop3(V_LDEXP_F32), singles, 0),
        (vop3(V_LDEXP_F64), doubles, 0),
    ])
    .chain([(FIXUP, singles, 1), (FIXUP, singles, 2)])
    .collect();
    for isa in [Isa::Si, Isa::Gfx9] {
        for &(op, [signals, quiet], at) in &all {
            // GCN 1.0 does not extract parts of a NaN (E303).
            if !has(isa, op) || isa == Isa::Si && op.row().name.starts_with("v_frexp") {
                continue;
            }
            let mut sources = [one, one, one];
            sources[at] = signals;
            for round in [NEAREST, DOWN] {
                for denormals in [0, 0x50, KEEPS] {
                    let mode = round | denormals;
                    let of = |mode| result(isa, op, mode, sources).0;
                    let name = op.row().name;
                    assert_eq!(
                        of(mode | MODE_IEEE),
                        quiet,
                        "{isa}: {name}, {mode:#x}, IEEE"
                    );
                    assert_eq!(of(mode), signals, "{isa}: {name}, {mode:#x}");
                }
            }
        }
    }
    // Conversions to half precision make every NaN quiet; conversions to wider formats do so only under IEEE rules.
    for ieee in [0, MODE_IEEE] {
        let of = |op, source| result(Isa::Gfx9, op, KEEPS | ieee, [source, one, one]).0;
        assert_eq!(of(HALF, 0x7f80_2000), 0x7e01);
        let quiet = |bits: u64, bit: u64| bits | if ieee == 0 { 0 } else { bit };
        assert_eq!(of(vop1(V_CVT_F32_F16), 0x7c01), quiet(0x7f80_2000, 1 << 22));
        assert_eq!(
            of(vop1(V_CVT_F64_F32), 0x7f80_0001),
            quiet(0x7ff0_0000_2000_0000, 1 << 51)
        );
        assert_eq!(
            of(vop1(V_CVT_F32_F64), 0x7ff0_0000_2000_0000),
            quiet(0x7f80_0001, 1 << 22)
        );
        // The payload does not fit: without the quiet bit, the result would be infinity.
        assert_eq!(of(vop1(V_CVT_F32_F64), 0x7ff0_0000_0000_0001), 0x7fc0_0000);
        // Minima and scaling have their own rules.
        let scale = Op::Vop3b(Vop3b::V_DIV_SCALE_F32);
        assert_eq!(of(scale, 0x7f80_0001), 0x7f80_0001);
    }
}

/// E190: an invalid product takes precedence over a NaN addend.
#[test]
fn invalid_products_are_ahead_of_the_addend() {
    let (zero, nan, invalid) = (0, 0x7fc0_1234, 0xffc0_0000);
    for op in [vop3(Vop3::V_FMA_F32), vop3(Vop3::V_MAD_F32)] {
        for mode in [NEAREST, UP, KEEPS, KEEPS | DOWN, 0x10, 0x20] {
            let mode = mode | MODE_IEEE;
            for isa in Isa::ALL {
                let of = |sources| result(isa, op, mode, sources).0;
                assert_eq!(of([zero, INFINITY, nan]), invalid);
                assert_eq!(of([INFINITY, zero, nan]), invalid);
                assert_eq!(of([nan, zero, invalid]), nan);
                // The product is invalid if the denormal is flushed.
                let counts = op == vop3(Vop3::V_FMA_F32) && mode & 0x10 != 0;
                assert_eq!(of([1, INFINITY, nan]), if counts { nan } else { invalid });
            }
        }
    }
}

/// E303: infinities and NaN on GCN 1.0.
#[test]
fn the_first_generation_has_no_parts_of_infinities() {
    let wide = 0x7ff << 52;
    for (isa, exponent, fraction, fraction64) in [
        (Isa::Si, 0xffff_ffff, 0xffc0_0000, 0xfff8 << 48),
        (Isa::Ci, 0, INFINITY, wide),
        (Isa::Gfx9, 0, INFINITY, wide),
    ] {
        let of = |op, source| result(isa, op, MODE_IEEE, [source, 0, 0]).0;
        assert_eq!(of(EXPONENT, INFINITY), exponent);
        assert_eq!(of(EXPONENT, 0x7fc0_0000), exponent);
        assert_eq!(of(vop1(Vop1::V_FREXP_EXP_I32_F64), wide), exponent);
        assert_eq!(of(MANTISSA, INFINITY), fraction);
        assert_eq!(of(vop1(Vop1::V_FREXP_MANT_F64), wide), fraction64);
        assert_eq!(of(MANTISSA, 0), 0);
        assert_eq!(of(EXPONENT, 0), 0);
    }
}

/// E306: negative infinity is clamped, positive infinity is not.
#[test]
fn clamped_logarithms_have_no_minus_infinity() {
    let op = vop1(Vop1::V_LOG_CLAMP_F32);
    for isa in [Isa::Si, Isa::Ci] {
        let of = |source| result(isa, op, MODE_IEEE, [source, 0, 0]).0;
        assert_eq!(of(0), 0xff7f_ffff);
        assert_eq!(of(INFINITY), INFINITY);
        assert_eq!(of(0xbf80_0000), 0xffc0_0000);
    }
}

/// E307: half precision on GCN 1.0 and 1.1, including choices that the evidence leaves open.
#[test]
fn older_generations_have_rules_of_their_own() {
    for isa in [Isa::Si, Isa::Ci] {
        let of = |op, mode, sources| result(isa, op, mode, sources).0;
        let least = Op::Vop2(Vop2::V_MIN_LEGACY_F32);
        assert_eq!(of(least, KEEPS, [0x300, 0x3f80_0000, 0]), 0x300);
        assert_eq!(of(least, 0, [0x300, 0x3f80_0000, 0]), 0);
        // 2^-24 and its half: the result is a denormal whatever MODE says, rounded by MODE's single-precision bits.
        let pairs = Op::Vop2(Vop2::V_CVT_PKRTZ_F16_F32);
        for mode in [0, KEEPS] {
            assert_eq!(of(HALF, mode, [0x3380_0000, 0, 0]), 1);
            assert_eq!(of(pairs, mode, [0x3380_0000, 0, 0]), 1);
            assert_eq!(of(HALF, mode | 0b0001, [0x3300_0000, 0, 0]), 1);
            assert_eq!(of(HALF, mode | 0b0100, [0x3300_0000, 0, 0]), 0);
            assert_eq!(of(vop1(Vop1::V_CVT_F32_F16), mode, [1, 0, 0]), 0x3380_0000);
        }
    }
    // The sum of byte differences and the old value wraps around.
    let sums = vop3(Vop3::V_MQSAD_U32_U8);
    let isa = Isa::Ci;
    let old = u64::MAX;
    let (sum, _) = result(isa, sums, 0, [0x0000_0000_0000_0005, 0x01, old]);
    assert_eq!(sum as u32, 3, "4 more than the largest number");
}

/// E302: the flag is bit 64 of the exact sum.
#[test]
fn the_flag_of_a_signed_product_and_sum_is_its_65th_bit() {
    let op = Op::Vop3b(Vop3b::V_MAD_I64_I32);
    let most = u64::MAX >> 1;
    for (sources, want) in [
        ([u64::from(u32::MAX), 1, 0], (u64::MAX, true)),
        (
            [0x7fff_ffff, 0x7fff_ffff, most],
            (0xbfff_ffff_0000_0000, false),
        ),
        (
            [0x8000_0000, 0x7fff_ffff, 1 << 63],
            (0x4000_0000_8000_0000, true),
        ),
        ([1, 1, 1], (2, false)),
    ] {
        for isa in [Isa::Ci, Isa::Gfx9] {
            assert_eq!(result(isa, op, 0, sources), want, "{isa}: {sources:x?}");
        }
    }
}

/// E304: a 16-bit result zeroes or keeps the other half of its register; OP_SEL does not affect a 32-bit result.
#[test]
#[rustfmt::skip]
fn high_halves_are_zeroed_or_kept() {
    use Vop1::*;
    use Vop2::*;
    use Vop3::*;
    const OLD: u32 = 0xaaaa_5555;
    let high = |isa: Isa, op: Op, op_sel: bool| {
        let mut wave = Wave::new(isa, WaveId::default(), BASE, VGPRS, SGPRS);
        wave.set_exec(u64::MAX);
        wave.vgprs[0].0.fill(OLD);
        for register in 1..4 {
            wave.vgprs[register].0.fill(0x3c00);
        }
        let operands: Vec<Operand> = (0..op.row().slots().count() as u8).map(v).collect();
        let mut inst = inst(isa, op, Encoding::Vop3, &operands);
        if op_sel {
            inst.set(Field::OpSel, 8).expect("it has the field");
        }
        assert!(execute(&mut wave, &inst));
        wave.vgprs[0].0[0]
    };
    for isa in [Isa::Vi, Isa::Gfx9] {
        let unary = [
            V_CVT_F16_F32, V_CVT_F16_U16, V_CVT_F16_I16, V_CVT_U16_F16, V_CVT_I16_F16, V_RCP_F16, V_RSQ_F16, V_SQRT_F16,
            V_LOG_F16, V_EXP_F16, V_SIN_F16, V_COS_F16, V_FLOOR_F16, V_CEIL_F16, V_TRUNC_F16, V_RNDNE_F16, V_FRACT_F16,
            V_FREXP_MANT_F16, V_FREXP_EXP_I16_F16, V_CVT_NORM_I16_F16, V_CVT_NORM_U16_F16, V_SAT_PK_U8_I16,
        ];
        let binary = [
            V_ADD_F16, V_SUB_F16, V_SUBREV_F16, V_MUL_F16, V_MAX_F16, V_MIN_F16, V_LDEXP_F16, V_MAC_F16, V_ADD_U16, V_SUB_U16,
            V_SUBREV_U16, V_MUL_LO_U16, V_MAX_U16, V_MIN_U16, V_MAX_I16, V_MIN_I16, V_LSHLREV_B16, V_LSHRREV_B16, V_ASHRREV_I16,
        ];
        for op in unary.map(vop1).into_iter().chain(binary.map(Op::Vop2)) {
            if has(isa, op) {
                assert_eq!(high(isa, op, false) >> 16, 0, "{isa}: {op:?}");
            }
        }
    }
    let ternary = [V_MAD_F16, V_MAD_U16, V_MAD_I16, V_FMA_F16, V_DIV_FIXUP_F16].map(vop3);
    for op in ternary {
        assert_eq!(high(Isa::Gfx9, op, false) >> 16, OLD >> 16, "{op:?}");
        assert_eq!(high(Isa::Gfx9, op, true) & 0xffff, OLD & 0xffff, "{op:?}");
    }
    let zeroed = [
        V_MIN3_F16, V_MAX3_F16, V_MED3_F16, V_MIN3_I16, V_MAX3_U16, V_MED3_I16, V_ADD_I16,
        V_SUB_I16,
    ];
    for op in zeroed.map(vop3) {
        assert_eq!(high(Isa::Gfx9, op, false) >> 16, 0, "{op:?}");
        assert_eq!(high(Isa::Gfx9, op, true) & 0xffff, OLD & 0xffff, "{op:?}");
    }
    let legacy = [
        V_MAD_LEGACY_F16, V_MAD_LEGACY_U16, V_MAD_LEGACY_I16, V_FMA_LEGACY_F16, V_DIV_FIXUP_LEGACY_F16,
    ];
    // On GCN 1.2, the names of these lack LEGACY.
    for op in legacy.map(vop3) {
        assert_eq!(high(Isa::Vi, op, false) >> 16, 0, "{op:?}");
        assert_eq!(high(Isa::Gfx9, op, false) >> 16, 0, "{op:?}");
    }
    let whole = [
        V_MAD_U32_U16, V_MAD_I32_I16, V_PACK_B32_F16, V_CVT_PKNORM_U16_F16, V_CVT_PKNORM_I16_F16,
    ];
    for op in whole.map(vop3) {
        assert_eq!(high(Isa::Gfx9, op, true), high(Isa::Gfx9, op, false), "{op:?}");
    }
}
