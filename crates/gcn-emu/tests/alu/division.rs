//! Tests that the division sequences of compilers return the IEEE quotient (errata E194, checklist 8.6).

use gcn_emu::wave::Wave;
use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::{Vop3, Vop3b};
use gcn_isa::{Encoding, Field, Isa, Op, Operand, regs};

use crate::common::*;

const B: Encoding = Encoding::Vop3b;
const VOP3: Encoding = Encoding::Vop3;
const VCC: u8 = regs::VCC_LO;
/// Code of the scalar operand 1.0.
const ONE: u8 = 242;

/// Step of a sequence: operation, encoding, registers with the result first, their number, and a flag that negates the
/// first source.
type Step = (Op, Encoding, [Operand; 5], usize, bool);

/// Creates a step with `N` operands.
fn step<const N: usize>(op: Op, encoding: Encoding, operands: [Operand; N]) -> Step {
    let mut all = [v(0); 5];
    all[..N].copy_from_slice(&operands);
    (op, encoding, all, N, false)
}

/// Negates the first source of a step.
fn negated(step: Step) -> Step {
    (step.0, step.1, step.2, step.3, true)
}

/// Executes steps on all active lanes.
fn run_steps(wave: &mut Wave, steps: &[Step]) {
    for &(op, encoding, operands, count, negate) in steps {
        let mut inst = inst(wave.isa, op, encoding, &operands[..count]);
        if negate {
            inst.set(Field::Neg, 1).expect("it has the field");
        }
        assert!(execute(wave, &inst), "{}", inst.text());
    }
}

/// Divides v0 by v2 in single precision. The quotient is in v10.
fn divide32(wave: &mut Wave) {
    let scale = Op::Vop3b(Vop3b::V_DIV_SCALE_F32);
    let fma = |operands: [Operand; 4]| step(Op::Vop3(Vop3::V_FMA_F32), VOP3, operands);
    let (rcp, mul) = (Op::Vop1(Vop1::V_RCP_F32), Op::Vop2(Vop2::V_MUL_F32));
    let (fmas, fixup) = (Vop3::V_DIV_FMAS_F32, Vop3::V_DIV_FIXUP_F32);
    run_steps(
        wave,
        &[
            step(scale, B, [v(4), s(2), v(2), v(2), v(0)]),
            step(scale, B, [v(5), s(VCC), v(0), v(2), v(0)]),
            step(rcp, Encoding::Vop1, [v(6), v(4)]),
            negated(fma([v(7), v(4), v(6), s(ONE)])),
            fma([v(6), v(7), v(6), v(6)]),
            step(mul, Encoding::Vop2, [v(8), v(5), v(6)]),
            negated(fma([v(9), v(4), v(8), v(5)])),
            fma([v(8), v(9), v(6), v(8)]),
            negated(fma([v(9), v(4), v(8), v(5)])),
            step(Op::Vop3(fmas), VOP3, [v(9), v(9), v(6), v(8)]),
            step(Op::Vop3(fixup), VOP3, [v(10), v(9), v(2), v(0)]),
        ],
    );
}

/// Register pair of a 64-bit value.
fn pair(first: u8) -> Operand {
    Operand::Vgprs { first, count: 2 }
}

/// Divides v[0:1] by v[2:3] in double precision. The quotient is in v[14:15].
fn divide64(wave: &mut Wave) {
    let scale = Op::Vop3b(Vop3b::V_DIV_SCALE_F64);
    let fma = |operands: [Operand; 4]| step(Op::Vop3(Vop3::V_FMA_F64), VOP3, operands);
    let (rcp, mul) = (Op::Vop1(Vop1::V_RCP_F64), Op::Vop3(Vop3::V_MUL_F64));
    let (fmas, fixup) = (Vop3::V_DIV_FMAS_F64, Vop3::V_DIV_FIXUP_F64);
    run_steps(
        wave,
        &[
            step(scale, B, [pair(4), s(2), pair(2), pair(2), pair(0)]),
            step(scale, B, [pair(6), s(VCC), pair(0), pair(2), pair(0)]),
            step(rcp, Encoding::Vop1, [pair(8), pair(4)]),
            negated(fma([pair(10), pair(4), pair(8), s(ONE)])),
            fma([pair(8), pair(8), pair(10), pair(8)]),
            negated(fma([pair(10), pair(4), pair(8), s(ONE)])),
            fma([pair(8), pair(8), pair(10), pair(8)]),
            step(mul, VOP3, [pair(10), pair(6), pair(8)]),
            negated(fma([pair(12), pair(4), pair(10), pair(6)])),
            step(
                Op::Vop3(fmas),
                VOP3,
                [pair(12), pair(12), pair(8), pair(10)],
            ),
            step(
                Op::Vop3(fixup),
                VOP3,
                [pair(14), pair(12), pair(2), pair(0)],
            ),
        ],
    );
}

#[test]
fn division_by_its_steps_is_ieee_division() {
    let mut noise = Noise(0x5eed_0003);
    for _ in 0..200 {
        let mut wave = wave(Isa::Gfx9, &mut noise);
        wave.set_exec(u64::MAX);
        divide32(&mut wave);
        for lane in 0..64 {
            let at = |register: usize| f32::from_bits(wave.vgprs[register].0[lane]);
            let (x, y, got) = (at(0), at(2), at(10));
            let want = x / y;
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{x:e} / {y:e} ({:#x} / {:#x}): {got:e}, not {want:e}",
                x.to_bits(),
                y.to_bits(),
            );
        }
    }
}

/// Random numerator and denominator with any exponents. In half of the cases, the quotient is near the least normal
/// number, where it has one bit less than a normal one, and is scaled.
fn operands64(noise: &mut Noise) -> (u64, u64) {
    const FRACTION: u32 = 52;
    const EXPONENTS: u64 = 0x7ff;
    let sign_and_fraction = |random: u64| random & !(EXPONENTS << FRACTION);
    let number = |random: u64, exponent: u64| sign_and_fraction(random) | exponent << FRACTION;
    let (x, y, choice) = (noise.next(), noise.next(), noise.next());
    if choice & 1 == 0 {
        return (x, y);
    }
    let below = choice >> 8 & 0x3ff;
    let near = choice >> 32 & 3;
    (
        number(x, below),
        number(y, (below + 1021 + near).min(EXPONENTS - 1)),
    )
}

#[test]
fn division_in_double_precision_is_ieee_division() {
    let mut noise = Noise(0x5eed_0004);
    let mut denormal = 0;
    for _ in 0..500 {
        let mut wave = wave(Isa::Gfx9, &mut noise);
        wave.set_exec(u64::MAX);
        for lane in 0..64 {
            let (x, y) = operands64(&mut noise);
            for (register, bits) in [(0, x), (2, y)] {
                wave.vgprs[register].0[lane] = bits as u32;
                wave.vgprs[register + 1].0[lane] = (bits >> 32) as u32;
            }
        }
        divide64(&mut wave);
        for lane in 0..64 {
            let half = |register: usize| u64::from(wave.vgprs[register].0[lane]);
            let at = |register| f64::from_bits(half(register) | half(register + 1) << 32);
            let (x, y, got) = (at(0), at(2), at(14));
            let want = x / y;
            denormal += u32::from(want.is_subnormal());
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{x:e} / {y:e} ({:#x} / {:#x}): {got:e}, not {want:e}",
                x.to_bits(),
                y.to_bits(),
            );
        }
    }
    assert!(denormal > 1000, "{denormal} denormal quotients were tested");
}
