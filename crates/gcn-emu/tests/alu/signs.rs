//! Tests of sign modifiers: an instruction with them must have the same result as one without them whose sources
//! already have the changed signs (checklist 8.11).

use gcn_emu::wave::Wave;
use gcn_isa::vop::Vop1;
use gcn_isa::vop3::Vop3;
use gcn_isa::{Encoding, Field, Inst, Isa, Kind, Op, Operand, OperandAccess, Slot, Ty, rows};

use crate::common::*;

/// Maximum number of registers of an operand.
const STEP: u8 = 2;
/// Number of sign modifiers tried for each choice of operands.
const TRIES: usize = 6;

/// Sign modifiers of a source.
#[derive(Clone, Copy)]
struct SignModifiers {
    absolute: bool,
    negate: bool,
}

impl SignModifiers {
    fn of(self, dword: u32, sign: u32) -> u32 {
        let kept = if self.absolute { dword & !sign } else { dword };
        kept ^ if self.negate { sign } else { 0 }
    }
}

/// Dword of a value that contains its sign, and the sign bit; `None` for values without one.
fn sign(slot: &Slot) -> Option<(u8, u32)> {
    match slot.ty {
        Ty::F16 => Some((0, 1 << 15)),
        Ty::F32 => Some((0, 1 << 31)),
        Ty::F64 => Some((1, 1 << 31)),
        _ => None,
    }
}

/// Clears the second-highest bit of a dword, so that it is not the top of a NaN: the choice between two NaNs is not
/// settled.
fn number(dword: u32, sign: u32) -> u32 {
    const SECOND_HIGHEST: u32 = 1;
    dword & !(sign >> SECOND_HIGHEST)
}

/// Changes the dword of an operand that contains its sign.
fn change(wave: &mut Wave, slot: &Slot, operand: Operand, f: impl Fn(u32, u32) -> u32) {
    let Some((dword, sign)) = sign(slot) else {
        return;
    };
    match operand {
        Operand::Vgprs { first, .. } => {
            for lane in &mut wave.vgprs[usize::from(first + dword)].0 {
                *lane = f(*lane, sign);
            }
        }
        Operand::Scalar { code, .. } => {
            let changed = f(wave.scalar(code + dword), sign);
            wave.set_scalar(code + dword, changed);
        }
        other => panic!("{other:?} is no register"),
    }
}

/// Clears the registers of an operand, so that the compared values are those that were written.
fn clear(wave: &mut Wave, operand: Operand) {
    for n in 0..STEP {
        match operand {
            Operand::Vgprs { first, .. } => wave.vgprs[usize::from(first + n)].0.fill(0),
            Operand::Scalar { code, .. } => wave.set_scalar(code + n, 0),
            other => panic!("{other:?} is no register"),
        }
    }
}

/// Positions of the sources that may have sign modifiers, in the order of the fields' bits.
fn places(slots: &[&Slot]) -> Vec<usize> {
    [Field::Src0, Field::Src1, Field::Src2]
        .into_iter()
        .filter_map(|field| slots.iter().position(|slot| slot.field == field))
        .collect()
}

/// Separate registers for the operands: vector registers, except for the source at `scalar`.
fn operands(bare: &Inst, slots: &[&Slot], scalar: Option<usize>) -> Option<Vec<Operand>> {
    let mut all = Vec::new();
    for (place, slot) in slots.iter().enumerate() {
        let (vgpr, sgpr) = (place as u8 * STEP, 8 + place as u8 * STEP);
        let choices = choices(bare, slot, vgpr, sgpr);
        let is_scalar = |o: &&Operand| matches!(o, Operand::Scalar { code, .. } if *code == sgpr);
        all.push(if scalar == Some(place) {
            *choices.iter().find(is_scalar)?
        } else {
            choices[0]
        });
    }
    Some(all)
}

#[test]
fn signs_are_as_if_the_sources_had_them() {
    let mut noise = Noise(7);
    let mut tried = 0;
    for row in rows() {
        for isa in [Isa::Si, Isa::Gfx9] {
            for encoding in [Encoding::Vop3, Encoding::Vop3b, Encoding::Vop3c] {
                let Some(bare) = Inst::new(isa, row.op(), encoding) else {
                    continue;
                };
                let slots: Vec<&Slot> = row.slots().collect();
                let takes = |field| bare.layout().has(field);
                if !takes(Field::Neg) || !slots.iter().any(|slot| sign(slot).is_some()) {
                    continue;
                }
                let places = places(&slots);
                for scalar in std::iter::once(None).chain(places.iter().copied().map(Some)) {
                    let Some(operands) = operands(&bare, &slots, scalar) else {
                        continue;
                    };
                    for _ in 0..TRIES {
                        compare(
                            &mut noise,
                            isa,
                            row.op(),
                            encoding,
                            &operands,
                            takes(Field::Abs),
                        );
                        tried += 1;
                    }
                }
            }
        }
    }
    assert!(tried > 5000, "{tried} were tried");
}

fn compare(
    noise: &mut Noise,
    isa: Isa,
    op: Op,
    encoding: Encoding,
    operands: &[Operand],
    takes_absolute: bool,
) {
    let plain = inst(isa, op, encoding, operands);
    let slots: Vec<&Slot> = op.row().slots().collect();
    let places = places(&slots);
    let mut signed = wave(isa, noise);
    for &place in &places {
        change(&mut signed, slots[place], operands[place], number);
    }
    let mut changed = signed.clone();
    let random = noise.next() >> 32;
    let (negate, absolute) = (random & 7, if takes_absolute { random >> 3 & 7 } else { 0 });
    let mut asking = plain;
    for (field, bits) in [(Field::Neg, negate), (Field::Abs, absolute)] {
        let sources = bits & ((1 << places.len()) - 1);
        if sources != 0 {
            asking.set(field, sources as i64).expect("it may ask that");
        }
    }
    for (bit, &place) in places.iter().enumerate() {
        let modifiers = SignModifiers {
            absolute: absolute >> bit & 1 != 0,
            negate: negate >> bit & 1 != 0,
        };
        let of = |dword, sign| modifiers.of(dword, sign);
        change(&mut changed, slots[place], operands[place], of);
    }
    assert!(execute(&mut signed, &asking) && execute(&mut changed, &plain));
    for &place in &places {
        if slots[place].access == OperandAccess::Read && slots[place].kind != Kind::Sdst {
            clear(&mut signed, operands[place]);
            clear(&mut changed, operands[place]);
        }
    }
    let is_same = registers(&signed) == registers(&changed) && signed.exec() == changed.exec();
    assert!(is_same, "{}", asking.text());
}

#[test]
fn a_source_that_is_not_a_register_does_not_change() {
    // Without IEEE rules, sources are inspected before the operation; if the result is a NaN, they are inspected after
    // it.
    let shared_base = Operand::Scalar {
        code: 235,
        count: 2,
    };
    let pair = |first| Operand::Vgprs { first, count: 2 };
    for mode in [DENORMALS, DENORMALS | MODE_IEEE] {
        let mut wave = wave(Isa::Gfx9, &mut Noise(7));
        wave.mode = mode;
        wave.set_exec(u64::MAX);
        let mut reciprocal = inst(
            Isa::Gfx9,
            Op::Vop1(Vop1::V_RCP_F64),
            Encoding::Vop3,
            &[pair(2), shared_base],
        );
        reciprocal.set(Field::Neg, 1).expect("it has the field");
        assert!(execute(&mut wave, &reciprocal));
        assert_eq!(wave.vgprs[3].0, [0xfff0_0000; 64], "-inf, {mode:#x}");

        (wave.vgprs[4].0, wave.vgprs[5].0) = ([0; 64], [0x7ff0_0000; 64]);
        wave.vgprs[5].0[1] = 0x7ff8_0001;
        let mut product = inst(
            Isa::Gfx9,
            Op::Vop3(Vop3::V_MUL_F64),
            Encoding::Vop3,
            &[pair(2), shared_base, pair(4)],
        );
        product.set(Field::Neg, 1).expect("it has the field");
        assert!(execute(&mut wave, &product));
        let [infinite, nan, ..] = wave.vgprs[3].0;
        assert_eq!([infinite, nan], [0xfff0_0000, 0x7ff8_0001], "{mode:#x}");
    }
}
