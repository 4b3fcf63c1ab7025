//! Tests of floating-point operations in every rounding and denormal mode against `rustc_apfloat`, on a million lanes
//! of random and special values each, and of 16-bit conversions on all values (errata E190, E192, E194).

use gcn_emu::registers::VectorRegisters;
use gcn_emu::wave::{LANES, Lanes};
use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::{Vop3, Vop3p};
use gcn_isa::{Encoding, Inst, Isa, Op, Operand, Ty};
use rustc_apfloat::ieee::{Double, Half, IeeeFloat, Semantics, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::common::*;

/// Rounding modes, indexed by MODE's two bits.
const ROUNDS: [Round; 4] = [
    Round::NearestTiesToEven,
    Round::TowardPositive,
    Round::TowardNegative,
    Round::TowardZero,
];

/// Rounding and denormal modes of one width, for the reference.
#[derive(Clone, Copy, Debug)]
struct Mode {
    round: Round,
    keeps_sources: bool,
    keeps_results: bool,
}

/// MODE with these rounding and denormal modes for all widths, under IEEE rules.
fn mode_bits(round: usize, denormals: usize) -> u32 {
    (round | round << 2 | denormals << 4 | denormals << 6) as u32 | MODE_IEEE
}

impl Mode {
    fn new(round: usize, denormals: usize) -> Mode {
        Mode {
            round: ROUNDS[round],
            keeps_sources: denormals & 1 != 0,
            keeps_results: denormals & 2 != 0,
        }
    }

    fn input<F: Float>(self, bits: u64) -> F {
        flush(F::from_bits(bits.into()), self.keeps_sources)
    }

    fn output<F: Float>(self, value: F) -> u64 {
        flush(value, self.keeps_results).to_bits() as u64
    }
}

/// Floating-point format, and a format of the same precision whose exponent range suffices for every result.
trait Width: Float + FloatConvert<Self::Wide> {
    type Wide: Float + FloatConvert<Self>;
}

macro_rules! widths {
    ($($Narrow:ident $Wide:ident $bits:literal $exponents:literal;)*) => {$(
        struct $Wide;
        impl Semantics for $Wide {
            const BITS: usize = $bits;
            const EXP_BITS: usize = $exponents;
        }
        impl Width for $Narrow {
            type Wide = IeeeFloat<$Wide>;
        }
    )*};
}
widths! {
    Half   WideHalf   27 16;
    Single WideSingle 40 16;
    Double WideDouble 69 16;
}

/// Converts a value to the format with the larger exponent range.
fn widened<F: Width>(value: F) -> F::Wide {
    let mut lost = false;
    value.convert_r(Round::TowardZero, &mut lost).value
}

/// True if the magnitude of a value is below the smallest normal number of a format.
fn is_below_normal<F: Width>(value: F::Wide) -> bool {
    value.abs() < widened(F::smallest_normalized())
}

/// Result of an operation, rounded. It is also computed with the larger exponent range, which decides if the result is
/// flushed (errata E300).
macro_rules! rounded {
    ($m:ident, $F:ident, |$($x:ident),*| $result:expr) => {{
        let value: $F = $result;
        let wide: $F::Wide = {
            $(let $x = widened($x);)*
            $result
        };
        if !$m.keeps_results && !value.is_nan() && is_below_normal::<$F>(wide) {
            $F::ZERO.copy_sign(value).to_bits() as u64
        } else {
            value.to_bits() as u64
        }
    }};
}

fn flush<F: Float>(value: F, keeps: bool) -> F {
    if value.is_denormal() && !keeps {
        F::ZERO.copy_sign(value)
    } else {
        value
    }
}

/// Reference of an instruction. Takes a lane's sources in the order of the row, with the old destination last, and
/// returns the result.
type Reference = fn(Mode, [u64; 4]) -> u64;

fn add<F: Float>(m: Mode, [a, b, ..]: [u64; 4]) -> u64 {
    m.output(m.input::<F>(a).add_r(m.input(b), m.round).value)
}
fn sub<F: Float>(m: Mode, [a, b, ..]: [u64; 4]) -> u64 {
    m.output(m.input::<F>(a).sub_r(m.input(b), m.round).value)
}
fn subrev<F: Float>(m: Mode, [a, b, ..]: [u64; 4]) -> u64 {
    sub::<F>(m, [b, a, 0, 0])
}
fn mul<F: Width>(m: Mode, [a, b, ..]: [u64; 4]) -> u64 {
    let (a, b): (F, F) = (m.input(a), m.input(b));
    rounded!(m, F, |a, b| a.mul_r(b, m.round).value)
}
fn fma<F: Width>(m: Mode, [a, b, c, _]: [u64; 4]) -> u64 {
    let (a, b, c): (F, F, F) = (m.input(a), m.input(b), m.input(c));
    rounded!(m, F, |a, b, c| a.mul_add_r(b, c, m.round).value)
}
fn fmac<F: Width>(m: Mode, [a, b, _, d]: [u64; 4]) -> u64 {
    fma::<F>(m, [a, b, d, 0])
}
/// Multiplies and adds with two roundings. Denormals are flushed whatever MODE says.
fn mad<F: Width>(m: Mode, [a, b, c, _]: [u64; 4]) -> u64 {
    let m = Mode {
        keeps_sources: false,
        keeps_results: false,
        ..m
    };
    let product = mul::<F>(m, [a, b, 0, 0]);
    add::<F>(m, [product, c, 0, 0])
}
fn mac<F: Width>(m: Mode, [a, b, _, d]: [u64; 4]) -> u64 {
    mad::<F>(m, [a, b, d, 0])
}
fn mul_legacy(m: Mode, [a, b, ..]: [u64; 4]) -> u64 {
    if m.input::<Single>(a).is_zero() || m.input::<Single>(b).is_zero() {
        0
    } else {
        mul::<Single>(m, [a, b, 0, 0])
    }
}
fn mad_legacy(m: Mode, [a, b, c, _]: [u64; 4]) -> u64 {
    let m = Mode {
        keeps_sources: false,
        keeps_results: false,
        ..m
    };
    add::<Single>(m, [mul_legacy(m, [a, b, 0, 0]), c, 0, 0])
}
/// Result of V_DIV_FMAS if VCC's bit is 0. Denormal sources are kept whatever MODE says.
fn div_fmas<F: Width>(m: Mode, sources: [u64; 4]) -> u64 {
    let m = Mode {
        keeps_sources: true,
        ..m
    };
    fma::<F>(m, sources)
}
fn fract<F: Float>(m: Mode, [a, ..]: [u64; 4]) -> u64 {
    let a: F = m.input(a);
    let floor = a.round_to_integral(Round::TowardNegative).value;
    let fraction = a.sub_r(floor, m.round).value;
    // The fraction of an integer is +0 (errata E301).
    let fraction = if fraction.is_zero() {
        F::ZERO
    } else {
        fraction
    };
    let one = F::from_u128(1).value;
    m.output(if fraction >= one {
        one.next_down().value
    } else {
        fraction
    })
}
fn ldexp<F: Width>(m: Mode, a: u64, power: i32) -> u64 {
    // Beyond this power every value is infinite or zero.
    let (a, power): (F, i32) = (m.input(a), power.clamp(-5000, 5000));
    rounded!(m, F, |a| a.scalbn_r(power, m.round))
}
fn convert<A, R>(m: Mode, [a, ..]: [u64; 4]) -> u64
where
    A: Float + FloatConvert<R> + FloatConvert<R::Wide>,
    R: Width,
{
    let mut lost = false;
    let a: A = m.input(a);
    let value: R = a.convert_r(m.round, &mut lost).value;
    let wide: R::Wide = a.convert_r(m.round, &mut lost).value;
    if !m.keeps_results && !value.is_nan() && is_below_normal::<R>(wide) {
        R::ZERO.copy_sign(value).to_bits() as u64
    } else {
        value.to_bits() as u64
    }
}
fn signed<R: Float>(m: Mode, value: i64) -> u64 {
    R::from_i128_r(value.into(), m.round).value.to_bits() as u64
}
fn integral<F: Float>(m: Mode, a: u64, round: Round) -> u64 {
    m.output(m.input::<F>(a).round_to_integral(round).value)
}
/// Converts towards zero whatever MODE says, with saturation. A NaN becomes 0.
fn to_signed<F: Float>(a: u64, width: usize) -> u64 {
    let mask = (1u128 << width) - 1;
    let a = F::from_bits(a.into());
    if a.is_nan() {
        return 0;
    }
    let mut exact = false;
    let value = a.to_i128_r(width, Round::TowardZero, &mut exact).value;
    (value as u128 & mask) as u64
}
fn to_unsigned<F: Float>(a: u64, width: usize) -> u64 {
    let a = F::from_bits(a.into());
    if a.is_nan() {
        return 0;
    }
    let mut exact = false;
    a.to_u128_r(width, Round::TowardZero, &mut exact).value as u64
}
/// Applies a reference to each half.
fn both(m: Mode, sources: [u64; 4], f: Reference) -> u64 {
    let low = f(m, sources.map(|s| s & 0xffff));
    let high = f(m, sources.map(|s| s >> 16 & 0xffff));
    low | high << 16
}

#[rustfmt::skip]
const TABLE: &[(Op, Reference)] = &[
    (Op::Vop2(Vop2::V_ADD_F32),        add::<Single>),
    (Op::Vop2(Vop2::V_SUB_F32),        sub::<Single>),
    (Op::Vop2(Vop2::V_SUBREV_F32),     subrev::<Single>),
    (Op::Vop2(Vop2::V_MUL_F32),        mul::<Single>),
    (Op::Vop2(Vop2::V_MUL_LEGACY_F32), mul_legacy),
    (Op::Vop2(Vop2::V_MAC_F32),        mac::<Single>),
    (Op::Vop2(Vop2::V_MAC_LEGACY_F32), |m, [a, b, _, d]| mad_legacy(m, [a, b, d, 0])),
    (Op::Vop2(Vop2::V_FMAC_F32),       fmac::<Single>),
    (Op::Vop2(Vop2::V_ADD_F16),        add::<Half>),
    (Op::Vop2(Vop2::V_SUB_F16),        sub::<Half>),
    (Op::Vop2(Vop2::V_SUBREV_F16),     subrev::<Half>),
    (Op::Vop2(Vop2::V_MUL_F16),        mul::<Half>),
    (Op::Vop2(Vop2::V_MAC_F16),        mac::<Half>),
    (Op::Vop2(Vop2::V_LDEXP_F16),      |m, [a, b, ..]| ldexp::<Half>(m, a, i32::from(b as i16))),
    (Op::Vop3(Vop3::V_LDEXP_F32),      |m, [a, b, ..]| ldexp::<Single>(m, a, b as i32)),
    (Op::Vop3(Vop3::V_LDEXP_F64),      |m, [a, b, ..]| ldexp::<Double>(m, a, b as i32)),
    (Op::Vop3(Vop3::V_MAD_F32),        mad::<Single>),
    (Op::Vop3(Vop3::V_MAD_LEGACY_F32), mad_legacy),
    (Op::Vop3(Vop3::V_MAD_LEGACY_F16), mad::<Half>),
    (Op::Vop3(Vop3::V_FMA_F32),        fma::<Single>),
    (Op::Vop3(Vop3::V_FMA_F64),        fma::<Double>),
    (Op::Vop3(Vop3::V_FMA_LEGACY_F16), fma::<Half>),
    (Op::Vop3(Vop3::V_ADD_F64),        add::<Double>),
    (Op::Vop3(Vop3::V_MUL_F64),        mul::<Double>),
    (Op::Vop3(Vop3::V_DIV_FMAS_F32),   div_fmas::<Single>),
    (Op::Vop3(Vop3::V_DIV_FMAS_F64),   div_fmas::<Double>),
    (Op::Vop3p(Vop3p::V_PK_ADD_F16),   |m, s| both(m, s, add::<Half>)),
    (Op::Vop3p(Vop3p::V_PK_MUL_F16),   |m, s| both(m, s, mul::<Half>)),
    (Op::Vop3p(Vop3p::V_PK_FMA_F16),   |m, s| both(m, s, fma::<Half>)),
    (Op::Vop1(Vop1::V_FRACT_F32),      fract::<Single>),
    (Op::Vop1(Vop1::V_FRACT_F64),      fract::<Double>),
    (Op::Vop1(Vop1::V_CVT_F16_F32),    convert::<Single, Half>),
    (Op::Vop1(Vop1::V_CVT_F32_F64),    convert::<Double, Single>),
    (Op::Vop1(Vop1::V_CVT_F64_F32),    convert::<Single, Double>),
    (Op::Vop1(Vop1::V_CVT_F32_I32),    |m, [a, ..]| signed::<Single>(m, i64::from(a as i32))),
    (Op::Vop1(Vop1::V_CVT_F32_U32),    |m, [a, ..]| signed::<Single>(m, a as i64)),
    (Op::Vop1(Vop1::V_CVT_F64_I32),    |m, [a, ..]| signed::<Double>(m, i64::from(a as i32))),
    (Op::Vop1(Vop1::V_CVT_F64_U32),    |m, [a, ..]| signed::<Double>(m, a as i64)),
    (Op::Vop1(Vop1::V_CVT_I32_F32),    |_, [a, ..]| to_signed::<Single>(a, 32)),
    (Op::Vop1(Vop1::V_CVT_U32_F32),    |_, [a, ..]| to_unsigned::<Single>(a, 32)),
    (Op::Vop1(Vop1::V_CVT_I32_F64),    |_, [a, ..]| to_signed::<Double>(a, 32)),
    (Op::Vop1(Vop1::V_CVT_U32_F64),    |_, [a, ..]| to_unsigned::<Double>(a, 32)),
    (Op::Vop1(Vop1::V_TRUNC_F32),      |m, [a, ..]| integral::<Single>(m, a, Round::TowardZero)),
    (Op::Vop1(Vop1::V_CEIL_F32),       |m, [a, ..]| integral::<Single>(m, a, Round::TowardPositive)),
    (Op::Vop1(Vop1::V_FLOOR_F32),      |m, [a, ..]| integral::<Single>(m, a, Round::TowardNegative)),
    (Op::Vop1(Vop1::V_RNDNE_F32),      |m, [a, ..]| integral::<Single>(m, a, Round::NearestTiesToEven)),
    (Op::Vop1(Vop1::V_TRUNC_F64),      |m, [a, ..]| integral::<Double>(m, a, Round::TowardZero)),
    (Op::Vop1(Vop1::V_CEIL_F64),       |m, [a, ..]| integral::<Double>(m, a, Round::TowardPositive)),
    (Op::Vop1(Vop1::V_FLOOR_F64),      |m, [a, ..]| integral::<Double>(m, a, Round::TowardNegative)),
    (Op::Vop1(Vop1::V_RNDNE_F64),      |m, [a, ..]| integral::<Double>(m, a, Round::NearestTiesToEven)),
];

/// Instructions with one 16-bit source, tested on all of its values.
#[rustfmt::skip]
const HALVES: &[(Op, Reference)] = &[
    (Op::Vop1(Vop1::V_FRACT_F16),   fract::<Half>),
    (Op::Vop1(Vop1::V_CVT_F32_F16), convert::<Half, Single>),
    (Op::Vop1(Vop1::V_CVT_F16_U16), |m, [a, ..]| signed::<Half>(m, a as i64)),
    (Op::Vop1(Vop1::V_CVT_F16_I16), |m, [a, ..]| signed::<Half>(m, i64::from(a as i16))),
    (Op::Vop1(Vop1::V_CVT_U16_F16), |_, [a, ..]| to_unsigned::<Half>(a, 16)),
    (Op::Vop1(Vop1::V_CVT_I16_F16), |_, [a, ..]| to_signed::<Half>(a, 16)),
    (Op::Vop1(Vop1::V_TRUNC_F16),   |m, [a, ..]| integral::<Half>(m, a, Round::TowardZero)),
    (Op::Vop1(Vop1::V_CEIL_F16),    |m, [a, ..]| integral::<Half>(m, a, Round::TowardPositive)),
    (Op::Vop1(Vop1::V_FLOOR_F16),   |m, [a, ..]| integral::<Half>(m, a, Round::TowardNegative)),
    (Op::Vop1(Vop1::V_RNDNE_F16),   |m, [a, ..]| integral::<Half>(m, a, Round::NearestTiesToEven)),
];

/// Number of registers reserved for each operand.
const STEP: u8 = 2;

/// Instruction with its operands in vector registers, the destination first.
fn instruction(op: Op) -> Inst {
    let row = op.row();
    let mut isas = Isa::ALL.into_iter().rev();
    let (isa, encoding) = isas
        .find_map(|isa| {
            let mut encodings = row.encodings();
            let found = encodings.find(|e| Inst::new(isa, op, *e).is_some());
            found.map(|encoding| (isa, encoding))
        })
        .expect("some instruction set has it");
    let operands: Vec<Operand> = (0..row.slots().count())
        .map(|n| Operand::Vgprs {
            first: STEP * n as u8,
            count: 1,
        })
        .collect();
    let mut inst = inst(isa, op, encoding, &operands);
    crate::vector::select_both_halves(&mut inst);
    inst
}

/// Checks an instruction in turn in all modes, and fails with the first error. `fill` sets the registers of a batch.
fn check(
    op: Op,
    reference: Reference,
    batches: usize,
    modes: &[(usize, usize)],
    mut fill: impl FnMut(usize, &mut [u32; LANES]),
) -> Result<(), String> {
    let inst = instruction(op);
    let (code, handler) = prepared(&inst);
    let step = code.step(BASE).expect("there is code");
    let step = step.expect("it decodes");
    let types: Vec<Ty> = op.row().slots().map(|slot| slot.ty).collect();
    let mut wave = wave(inst.isa, &mut Noise(2));
    wave.vgprs = VectorRegisters::new(usize::from(STEP) * types.len());
    wave.set_exec(u64::MAX);
    wave.set_vcc(0);
    for batch in 0..batches {
        let (round, denormals) = modes[batch % modes.len()];
        wave.mode = mode_bits(round, denormals);
        for register in &mut wave.vgprs {
            fill(batch / modes.len(), &mut register.0);
        }
        let before = wave.vgprs.clone();
        handler(&mut wave, step);
        for lane in 0..LANES {
            let value = |registers: &[Lanes], place: usize| {
                let at = |n: usize| u64::from(registers[usize::from(STEP) * place + n].0[lane]);
                match types.get(place).map(|ty| ty.bytes()) {
                    None => 0,
                    Some(2) => at(0) & 0xffff,
                    Some(8) => at(0) | at(1) << 32,
                    Some(_) => at(0),
                }
            };
            let place = |n: usize| {
                if types.len() > n {
                    value(&before, n)
                } else {
                    0
                }
            };
            let sources = [place(1), place(2), place(3), place(0)];
            let want = reference(Mode::new(round, denormals), sources);
            let got = value(&wave.vgprs, 0);
            if !agree(types[0], got, want) {
                return Err(format!(
                    "{} of {sources:x?}, rounding {round}, denormals {denormals}: {got:#x}, not {want:#x}",
                    inst.text()
                ));
            }
        }
    }
    Ok(())
}

/// True if the bits are equal, or both results are NaNs and the emulator's is quiet.
fn agree(ty: Ty, got: u64, want: u64) -> bool {
    fn quiet<F: Float>(got: u64, want: u64) -> bool {
        let (got, want) = (F::from_bits(got.into()), F::from_bits(want.into()));
        got.is_nan() && want.is_nan() && !got.is_signaling()
    }
    got == want
        || match ty {
            Ty::F32 => quiet::<Single>(got, want),
            Ty::F64 => quiet::<Double>(got, want),
            Ty::F16 => quiet::<Half>(got, want),
            Ty::F16x2 => [0, 16].into_iter().all(|n| {
                let (got, want) = (got >> n & 0xffff, want >> n & 0xffff);
                got == want || quiet::<Half>(got, want)
            }),
            _ => false,
        }
}

/// All modes. Rounding to nearest occurs as often as the other three together.
fn modes() -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for denormals in 0..4 {
        for round in [0, 1, 0, 2, 0, 3] {
            all.push((round, denormals));
        }
    }
    all
}

fn a_million_lanes(part: impl Fn(usize) -> bool) {
    const BATCHES: usize = 1 << 14;
    let mut noise = Noise(0x5eed_0191);
    let pool = Pool::of(near, &mut noise);
    let modes = modes();
    let mut wrong = Vec::new();
    for (n, &(op, reference)) in TABLE.iter().enumerate() {
        if !part(n) {
            continue;
        }
        let checked = check(op, reference, BATCHES, &modes, |_, register| {
            pool.fill(&mut noise, register);
        });
        wrong.extend(checked.err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Random dword: an edge case, or floats whose exponents are close together, so that sums cancel.
fn near(noise: &mut Noise) -> u32 {
    let bits = noise.next();
    match bits >> 62 {
        0 => bits as u32 & 0x807f_ffff | (0x3f00_0000 + (bits >> 40 & 3) as u32 * 0x80_0000),
        1 if bits >> 61 & 1 != 0 => (bits as u32 & 0x83ff_83ff) | 0x3c00_3c00,
        1 => least(bits),
        _ => noise.dword(),
    }
}

#[test]
fn every_mode_is_exact_on_a_million_lanes() {
    a_million_lanes(|n| n % 2 == 0);
}

#[test]
fn every_mode_is_exact_on_another_million_lanes() {
    a_million_lanes(|n| n % 2 == 1);
}

#[test]
fn every_mode_is_exact_for_every_half() {
    let modes = modes();
    let batches = (1 << 16) / LANES * modes.len();
    let mut wrong = Vec::new();
    for &(op, reference) in HALVES {
        let checked = check(op, reference, batches, &modes, |batch, register| {
            for (lane, value) in register.iter_mut().enumerate() {
                *value = (batch * LANES + lane) as u32;
            }
        });
        wrong.extend(checked.err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Results that depend only on the rounding mode: a third, the largest values, the smallest.
#[test]
fn rounding_follows_mode() {
    let add = |round: usize, a: u32, b: u32| {
        let inst = instruction(Op::Vop2(Vop2::V_ADD_F32));
        let mut wave = wave(inst.isa, &mut Noise(3));
        wave.mode = mode_bits(round, 3);
        wave.set_exec(1);
        wave.vgprs[2].0[0] = a;
        wave.vgprs[4].0[0] = b;
        assert!(execute(&mut wave, &inst));
        wave.vgprs[0].0[0]
    };
    let (one, tiny, max) = (0x3f80_0000, 1, 0x7f7f_ffff);
    let minus = |bits: u32| bits | 0x8000_0000;
    for (round, sum, less, overflow, negative, zero) in [
        (0, one, one, 0x7f80_0000, 0xff80_0000, 0),
        (1, one + 1, one, 0x7f80_0000, minus(max), 0),
        (2, one, one - 1, max, 0xff80_0000, minus(0)),
        (3, one, one - 1, max, minus(max), 0),
    ] {
        assert_eq!(add(round, one, tiny), sum, "{round}");
        assert_eq!(add(round, one, minus(tiny)), less, "{round}");
        assert_eq!(add(round, max, max), overflow, "{round}");
        assert_eq!(add(round, minus(max), minus(max)), negative, "{round}");
        assert_eq!(add(round, one, minus(one)), zero, "{round}");
    }
}

#[test]
fn only_encodings_of_registers_are_tried() {
    for (op, _) in TABLE.iter().chain(HALVES) {
        assert!(
            matches!(
                instruction(*op).encoding,
                Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 | Encoding::Vop3p
            ),
            "{op:?}"
        );
    }
}

/// Random factor of a product near the least normal single or half, or a number that converts to one.
fn least(bits: u64) -> u32 {
    let low = bits as u32;
    match bits >> 58 & 7 {
        // Nearly all fraction bits set, for a factor of one half or of a power of two close to the least one.
        0 => low & 0x8000_0007 | 0x00ff_fff8,
        1 => low & 0x8000_0007 | 0x3eff_fff8,
        2 => low & 0x8100_0003 | 0x0080_0000,
        3 => low & 0x8180_0003 | 0x3f00_0000,
        // The least half as a single.
        4 => low & 0x8000_1fff | 0x387f_e000,
        5 => low & 0x8003_8003 | 0x07fc_07fc,
        6 => low & 0x8003_8003 | 0x3bfc_3bfc,
        _ => low & 0x8400_8400 | 0x0400_3800,
    }
}
