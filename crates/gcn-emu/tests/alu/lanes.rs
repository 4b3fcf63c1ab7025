//! Tests of SDWA and DPP. Every instruction that has them does what its VOP3 form does with the selected parts, or
//! lanes, of its sources. Each field is also tested by hand.

use gcn_emu::internals::handler;
use gcn_emu::wave::{LANES, Lanes, Wave, active};
use gcn_isa::dpp::Permutation;
use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vopc::Vopc;
use gcn_isa::{Encoding, Field, Inst, Isa, Kind, Op, Operand, Slot, Ty, regs, rows};

use crate::common::*;

const ROUNDS: usize = 40;
/// First register for the sources of the VOP3 form, above all others.
const SPARE: u8 = 16;
const MODE_CLAMPS_NAN: u32 = 1 << 8;

fn is_sdwa(encoding: Encoding) -> bool {
    use Encoding::*;
    matches!(encoding, Vop1Sdwa | Vop2Sdwa | VopcSdwa)
}

fn is_dpp(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::Vop1Dpp | Encoding::Vop2Dpp)
}

fn is_long(encoding: &Encoding) -> bool {
    use Encoding::*;
    matches!(encoding, Vop3 | Vop3b | Vop3c)
}

/// SDWA or DPP form of an instruction, and its VOP3 form with sources in spare registers.
struct Pair {
    short: Inst,
    long: Inst,
    /// Sources of the short form, in order.
    sources: Vec<(&'static Slot, Operand)>,
}

/// Sets a field if the encoding has it.
fn put(inst: &mut Inst, field: Field, value: u64) {
    if inst.layout().has(field) {
        inst.set(field, value as i64).expect("the value fits");
    }
}

impl Pair {
    /// Creates both forms with the same random modifiers.
    fn new(bare: &Inst, noise: &mut Noise) -> Pair {
        let row = bare.row();
        let encoding = row.encodings().find(is_long).expect("there is a VOP3 form");
        let mut pair = Pair {
            short: *bare,
            long: Inst::new(bare.isa, bare.op, encoding).expect("the instruction set has it"),
            sources: Vec::new(),
        };
        for slot in row.slots() {
            let (short, long) = match slot.kind {
                Kind::Vgpr => (v(0), v(0)),
                Kind::Src => {
                    let place = pair.sources.len() as u8;
                    let takes_scalars = bare.layout().has(Field::Src0Scalar);
                    let short = match noise.next() % 4 {
                        0 if takes_scalars => s(8 + 2 * place),
                        1 if takes_scalars => s(regs::ZERO + 37),
                        // Sometimes the destination is a source, too.
                        2 => v(0),
                        _ => v(3 + 3 * place),
                    };
                    pair.sources.push((slot, short));
                    (short, v(SPARE + place))
                }
                Kind::Sdst => {
                    let is_free = bare.layout().has(Field::SdwaSdst) && slot.field == Field::Sdst;
                    let code = if is_free && noise.next() & 1 != 0 {
                        20
                    } else {
                        regs::VCC_LO
                    };
                    (s(code), s(code))
                }
                other => panic!("{}: {other:?}", row.name),
            };
            pair.short
                .set_operand(slot, short)
                .expect("it can be there");
            pair.long.set_operand(slot, long).expect("it can be there");
        }
        for (place, (negates, absolute)) in [
            (Field::Src0Neg, Field::Src0Abs),
            (Field::Src1Neg, Field::Src1Abs),
        ]
        .into_iter()
        .enumerate()
        {
            for (field, long) in [(negates, Field::Neg), (absolute, Field::Abs)] {
                let bit = noise.next() & 1;
                if pair.short.layout().has(field) && place < pair.sources.len() {
                    put(&mut pair.short, field, bit);
                    let others = pair.long.get(long);
                    put(&mut pair.long, long, others | bit << place);
                }
            }
        }
        for field in [Field::Clamp, Field::Omod] {
            let width = pair.short.layout().bits(field).width;
            let value = noise.next() & ((1 << width) - 1);
            put(&mut pair.short, field, value);
            if !matches!(bare.op, Op::Vopc(_)) {
                put(&mut pair.long, field, value);
            }
        }
        pair
    }
}

/// Asserts that both forms leave the same values in the registers that both use. NaNs may differ.
fn check(pair: &Pair, got: &Wave, want: &Wave, plain: &Wave) {
    let text = pair.short.text();
    for code in 0..128 {
        assert_eq!(got.scalar(code), want.scalar(code), "{text}: s{code}");
    }
    let ty = pair.short.row().slots().next().map(|slot| slot.ty);
    for register in 0..usize::from(SPARE) {
        for lane in 0..LANES {
            let bits = plain.vgprs[register].0[lane];
            // The choice of NaN is not settled.
            let is_nan = match ty {
                Some(Ty::F32) => f32::from_bits(bits).is_nan(),
                Some(Ty::F16) => bits & 0x7fff > 0x7c00,
                _ => false,
            };
            let (got, want) = (got.vgprs[register].0[lane], want.vgprs[register].0[lane]);
            assert!(
                got == want || is_nan,
                "{text}: lane {lane} of v{register} is {got:#x}, not {want:#x}"
            );
        }
    }
}

fn random_wave(isa: Isa, noise: &mut Noise) -> Wave {
    let mut wave = wave(isa, noise);
    // Output modifiers apply only without denormals and IEEE rules.
    wave.mode = match noise.next() % 3 {
        0 => 0,
        1 => DENORMALS,
        _ => DENORMALS | MODE_IEEE | MODE_CLAMPS_NAN,
    };
    wave
}

/// Selected part of a register, byte by byte.
fn part(register: u32, selection: u64, extends: bool) -> u32 {
    let bytes = register.to_le_bytes();
    match (selection, extends) {
        (n @ 0..=3, false) => u32::from(bytes[n as usize]),
        (n @ 0..=3, true) => i32::from(bytes[n as usize] as i8) as u32,
        (n @ 4..=5, signed) => {
            let at = 2 * (n as usize - 4);
            let word = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            if signed {
                i32::from(word as i16) as u32
            } else {
                word.into()
            }
        }
        _ => register,
    }
}

/// Register after a write to a part of it, byte by byte.
fn merged(old: u32, new: u32, selection: u64, unused: u64) -> u32 {
    let (first, count) = match selection {
        n @ 0..=3 => (n as usize, 1),
        n @ 4..=5 => (2 * (n as usize - 4), 2),
        _ => (0, 4),
    };
    let (old, new) = (old.to_le_bytes(), new.to_le_bytes());
    let sign = if new[count - 1] & 0x80 != 0 { 0xff } else { 0 };
    u32::from_le_bytes(std::array::from_fn(|byte| {
        match (byte.checked_sub(first), unused) {
            (Some(n), _) if n < count => new[n],
            (_, 2) => old[byte],
            (Some(_), 1) => sign,
            _ => 0,
        }
    }))
}

/// Calls `f` for each row in each wanted encoding on each instruction set, and returns the number of calls.
fn every(mut is_wanted: impl FnMut(Encoding) -> bool, mut f: impl FnMut(&Inst)) -> usize {
    let mut count = 0;
    for isa in Isa::ALL {
        for row in rows() {
            for encoding in row.encodings().filter(|&e| is_wanted(e)) {
                let Some(inst) = Inst::new(isa, row.op(), encoding) else {
                    continue;
                };
                if handler(&inst).is_none() {
                    assert_eq!(row.name, "v_screen_partition_4se_b32");
                    continue;
                }
                f(&inst);
                count += 1;
            }
        }
    }
    count
}

#[test]
fn sdwa_is_vop3_of_parts() {
    // E136, E137, E138
    let mut noise = Noise(0x5d3a);
    let count = every(is_sdwa, |bare| {
        for _ in 0..ROUNDS {
            let mut pair = Pair::new(bare, &mut noise);
            let before = random_wave(bare.isa, &mut noise);
            let mut plain = before.clone();
            let fields = [
                (Field::Src0Sel, Field::Src0Sext),
                (Field::Src1Sel, Field::Src1Sext),
            ];
            for ((place, (slot, operand)), (selection, extends)) in
                pair.sources.iter().enumerate().zip(fields)
            {
                let (part_of, signed) = (noise.next() % 7, noise.next() & 1);
                put(&mut pair.short, selection, part_of);
                put(&mut pair.short, extends, signed);
                plain.vgprs[usize::from(SPARE) + place] = Lanes(std::array::from_fn(|lane| {
                    let value = value_of(&before, slot, *operand, lane) as u32;
                    part(value, part_of, signed != 0)
                }));
            }
            let (selection, unused) = (noise.next() % 7, noise.next() % 3);
            put(&mut pair.short, Field::DstSel, selection);
            put(&mut pair.short, Field::DstUnused, unused);
            assert!(execute(&mut plain, &pair.long), "{}", pair.long.text());
            let mut want = plain.clone();
            if !matches!(bare.op, Op::Vopc(_)) {
                for lane in active(before.exec()) {
                    let (old, new) = (before.vgprs[0].0[lane], plain.vgprs[0].0[lane]);
                    want.vgprs[0].0[lane] = merged(old, new, selection, unused);
                }
            }
            let mut got = before.clone();
            assert!(execute(&mut got, &pair.short), "{}", pair.short.text());
            check(&pair, &got, &want, &plain);
        }
    });
    assert!(count > 800, "{count}");
}

#[test]
fn dpp_is_vop3_of_other_lanes() {
    // E137, E139, E140, E142
    let permutations: Vec<u16> = (0..0x200)
        .filter(|&ctrl| Permutation::unpack(ctrl).is_some())
        .collect();
    let mut noise = Noise(0xd99);
    let count = every(is_dpp, |bare| {
        for round in 0..ROUNDS {
            let mut pair = Pair::new(bare, &mut noise);
            let before = random_wave(bare.isa, &mut noise);
            // Half of the controls are not quad_perm, although most valid ones are.
            let random = noise.next() as usize;
            let ctrl = if round % 2 == 0 {
                permutations[random % permutations.len()]
            } else {
                permutations[256 + random % (permutations.len() - 256)]
            };
            let permutation = Permutation::unpack(ctrl).expect("it is one of them");
            let bounded = noise.next() & 1;
            let mask = |noise: &mut Noise| {
                if noise.next() & 1 == 0 {
                    0xf
                } else {
                    noise.next() & 0xf
                }
            };
            let (row_mask, bank_mask) = (mask(&mut noise), mask(&mut noise));
            put(&mut pair.short, Field::DppCtrl, ctrl.into());
            put(&mut pair.short, Field::BoundCtrl, bounded);
            put(&mut pair.short, Field::RowMask, row_mask);
            put(&mut pair.short, Field::BankMask, bank_mask);

            let exec = before.exec();
            let from = |lane: usize| {
                let source = permutation.source(lane as u8).map(usize::from);
                source.filter(|from| exec >> from & 1 == 1)
            };
            let mut written = exec;
            for lane in 0..LANES {
                let is_enabled =
                    row_mask & 1 << (lane / 16) != 0 && bank_mask & 1 << (lane % 16 / 4) != 0;
                if !is_enabled || bounded == 0 && from(lane).is_none() {
                    written &= !(1 << lane);
                }
            }
            let mut plain = before.clone();
            for (place, (slot, operand)) in pair.sources.iter().enumerate() {
                let read = |lane| value_of(&before, slot, *operand, lane) as u32;
                plain.vgprs[usize::from(SPARE) + place] =
                    Lanes(std::array::from_fn(|lane| match slot.field {
                        Field::Src0 => from(lane).map_or(0, read),
                        _ => read(lane),
                    }));
            }
            plain.set_exec(written);
            assert!(execute(&mut plain, &pair.long), "{}", pair.long.text());
            plain.set_exec(exec);
            let mut got = before.clone();
            assert!(execute(&mut got, &pair.short), "{}", pair.short.text());
            check(&pair, &got, &plain, &plain);
        }
    });
    assert!(count > 300, "{count}");
}

/// Wave whose v2 is 100 plus the lane number, and v3 is 0x1000. The destination, v1, is all ones.
fn counting(isa: Isa, exec: u64) -> Wave {
    let mut wave = wave(isa, &mut Noise(1));
    wave.vgprs[1] = Lanes::splat(u32::MAX);
    wave.vgprs[2] = Lanes(std::array::from_fn(|lane| 100 + lane as u32));
    wave.vgprs[3] = Lanes::splat(0x1000);
    wave.set_exec(exec);
    wave
}

fn with(isa: Isa, op: Op, encoding: Encoding, fields: &[(Field, u64)]) -> Inst {
    let mut instruction = inst(isa, op, encoding, &[v(1), v(2)]);
    for &(field, value) in fields {
        instruction
            .set(field, value as i64)
            .unwrap_or_else(|e| panic!("{field:?}: {e}"));
    }
    instruction
}

const MOV: Op = Op::Vop1(Vop1::V_MOV_B32);
const WITH_SDWA: [Isa; 2] = [Isa::Vi, Isa::Vega20];

/// v1 after v_mov_b32_dpp.
fn moved(exec: u64, fields: &[(Field, u64)]) -> [u32; LANES] {
    let results = WITH_SDWA.map(|isa| {
        let mut wave = counting(isa, exec);
        assert!(execute(
            &mut wave,
            &with(isa, MOV, Encoding::Vop1Dpp, fields)
        ));
        wave.vgprs[1].0
    });
    assert_eq!(results[0], results[1]);
    results[0]
}

#[test]
fn lanes_without_a_source_are_zero_or_not_written() {
    // E140: row_shr:1 with lane 5 inactive; lanes 0, 16, 32, 48 have no source, and lane 6 has an inactive one.
    let exec = !(1 << 5);
    for (bounded, nothing) in [(0, u32::MAX), (1, 0)] {
        let got = moved(
            exec,
            &[(Field::DppCtrl, 0x111), (Field::BoundCtrl, bounded)],
        );
        let want: [u32; LANES] = std::array::from_fn(|lane| match lane {
            5 => u32::MAX,
            0 | 16 | 32 | 48 | 6 => nothing,
            n => 99 + n as u32,
        });
        assert_eq!(got, want, "bound_ctrl {bounded}");
    }
}

#[test]
fn masks_of_rows_and_banks_are_of_the_destination() {
    // E142: lanes in rows 1 and 3, banks 0 and 3, are written; their sources are in banks 3 and 0.
    let got = moved(
        u64::MAX,
        &[
            (Field::DppCtrl, 0x140),
            (Field::RowMask, 0b1010),
            (Field::BankMask, 0b1001),
        ],
    );
    let want: [u32; LANES] = std::array::from_fn(|lane| {
        let is_written = lane / 16 % 2 == 1 && matches!(lane % 16, 0..=3 | 12..=15);
        if is_written {
            100 + (lane as u32 ^ 15)
        } else {
            u32::MAX
        }
    });
    assert_eq!(got, want);
}

#[test]
fn a_carry_of_a_lane_that_is_not_written_is_zero() {
    // E142: wave_shr:1; every lane that is written sets its carry.
    for isa in WITH_SDWA {
        let mut wave = counting(isa, u64::MAX);
        wave.vgprs[2] = Lanes::splat(u32::MAX);
        wave.set_vcc(u64::MAX);
        let op = Op::Vop2(Vop2::V_ADD_CO_U32);
        let mut add = inst(
            isa,
            op,
            Encoding::Vop2Dpp,
            &[v(1), s(regs::VCC_LO), v(2), v(3)],
        );
        add.set(Field::DppCtrl, 0x138).unwrap();
        add.set(Field::RowMask, 0b0111).unwrap();
        assert!(execute(&mut wave, &add));
        assert_eq!(wave.vcc(), 0x0000_ffff_ffff_fffe);
        assert_eq!(wave.vgprs[1].0[0], u32::MAX);
        assert_eq!(wave.vgprs[1].0[1], 0xfff);
    }
}

#[test]
fn modifiers_come_after_the_other_lane() {
    // E137: a lane without a source reads zero, which is negated.
    for isa in WITH_SDWA {
        let mut wave = counting(isa, u64::MAX);
        wave.vgprs[3] = Lanes::splat(1.0f32.to_bits());
        let op = Op::Vop2(Vop2::V_MUL_F32);
        let mut mul = inst(isa, op, Encoding::Vop2Dpp, &[v(1), v(2), v(3)]);
        for (field, value) in [
            (Field::DppCtrl, 0x138),
            (Field::BoundCtrl, 1),
            (Field::Src0Neg, 1),
            (Field::Src0Abs, 1),
        ] {
            mul.set(field, value).unwrap();
        }
        assert!(execute(&mut wave, &mul));
        assert_eq!(wave.vgprs[1].0[0], (-0.0f32).to_bits());
    }
}

/// v1 after an instruction. Before it, v1 is 0x11223344, v2 is the argument, and v3 is 0x0000_8001.
fn of_parts(op: Op, encoding: Encoding, v2: u32, fields: &[(Field, u64)]) -> u32 {
    let results = WITH_SDWA.map(|isa| {
        let mut wave = counting(isa, u64::MAX);
        wave.vgprs[1] = Lanes::splat(0x1122_3344);
        wave.vgprs[2] = Lanes::splat(v2);
        wave.vgprs[3] = Lanes::splat(0x8001);
        let operands = [v(1), v(2), v(3)];
        let mut instruction = inst(isa, op, encoding, &operands[..op.row().slots().count()]);
        for &(field, value) in fields {
            instruction.set(field, value as i64).unwrap();
        }
        assert!(execute(&mut wave, &instruction));
        wave.vgprs[1].0[9]
    });
    assert_eq!(results[0], results[1]);
    results[0]
}

#[test]
fn sources_are_parts_with_or_without_sign() {
    // E136
    for (selection, extends, want) in [
        (0, 0, 0xdd),
        (1, 0, 0x4c),
        (2, 1, 0xffff_ffbb),
        (3, 0, 0xaa),
        (3, 1, 0xffff_ffaa),
        (4, 0, 0x4cdd),
        (4, 1, 0x4cdd),
        (5, 1, 0xffff_aabb),
        (6, 1, 0xaabb_4cdd),
    ] {
        let fields = [(Field::Src0Sel, selection), (Field::Src0Sext, extends)];
        let got = of_parts(MOV, Encoding::Vop1Sdwa, 0xaabb_4cdd, &fields);
        assert_eq!(got, want, "part {selection}, sign {extends}");
    }
}

#[test]
fn results_go_to_a_part() {
    // E138
    for (selection, unused, want) in [
        (0, 0, 0x0000_00dd),
        (1, 0, 0x0000_dd00),
        (3, 2, 0xdd22_3344),
        (1, 2, 0x1122_dd44),
        (1, 1, 0xffff_dd00),
        (3, 1, 0xdd00_0000),
        (4, 1, 0x0000_4cdd),
        (5, 1, 0x4cdd_0000),
        (5, 2, 0x4cdd_3344),
        (4, 2, 0x1122_4cdd),
        (6, 0, 0xaabb_4cdd),
        (6, 2, 0xaabb_4cdd),
    ] {
        let fields = [(Field::DstSel, selection), (Field::DstUnused, unused)];
        let got = of_parts(MOV, Encoding::Vop1Sdwa, 0xaabb_4cdd, &fields);
        assert_eq!(got, want, "part {selection}, unused {unused}");
    }
}

#[test]
fn modifiers_come_after_the_part_and_the_clamp_before() {
    let add = Op::Vop2(Vop2::V_ADD_F16);
    let one_and_minus_two = 0xc000_3c00;
    let fields = [
        (Field::Src0Sel, 5),
        (Field::Src0Neg, 1),
        (Field::Src1Sel, 0),
        (Field::Clamp, 1),
        (Field::DstSel, 5),
    ];
    // E137, E138: −(−2) + 2⁻²⁴ is clamped to 1, whose half goes to the high word; the rest is preserved.
    let got = of_parts(add, Encoding::Vop2Sdwa, one_and_minus_two, &fields);
    assert_eq!(got, 0x3c00_3344);
    // Absolute value first, then negation: −|−2| + 0.
    let fields = [
        (Field::Src0Sel, 5),
        (Field::Src0Neg, 1),
        (Field::Src0Abs, 1),
        (Field::Src1Sel, 3),
        (Field::DstSel, 6),
    ];
    let got = of_parts(add, Encoding::Vop2Sdwa, one_and_minus_two, &fields);
    assert_eq!(got, 0xc000);
}

#[test]
fn comparisons_write_vcc_or_what_they_name() {
    // E138
    let op = Op::Vopc(Vopc::V_CMP_EQ_U32);
    for (isa, destination) in [
        (Isa::Vi, regs::VCC_LO),
        (Isa::Gfx9, regs::VCC_LO),
        (Isa::Gfx9, 20),
    ] {
        let mut wave = counting(isa, 0xffff_0000_ffff_0000);
        wave.vgprs[3] = Lanes::splat(0x7700);
        wave.vgprs[2].0[17] = 0x77;
        wave.vgprs[2].0[3] = 0x77;
        wave.vgprs[2].0[63] = 0xff77;
        let mut eq = inst(isa, op, Encoding::VopcSdwa, &[s(destination), v(2), v(3)]);
        eq.set(Field::Src0Sel, 0).unwrap();
        eq.set(Field::Src1Sel, 1).unwrap();
        let before = wave.clone();
        assert!(execute(&mut wave, &eq));
        // Lane 19 is initially 100 + 19, which is 0x77.
        assert_eq!(wave.scalar64(destination), 1 << 17 | 1 << 19 | 1 << 63);
        if destination != regs::VCC_LO {
            assert_eq!(wave.vcc(), before.vcc());
        }
    }
}

#[test]
fn reserved_numbers_are_not_executed() {
    // E141
    for isa in WITH_SDWA {
        for (encoding, field, number) in [
            (Encoding::Vop1Sdwa, Field::Src0Sel, 7),
            (Encoding::Vop1Sdwa, Field::DstSel, 7),
            (Encoding::Vop1Sdwa, Field::DstUnused, 3),
            (Encoding::Vop1Dpp, Field::DppCtrl, 0x100),
            (Encoding::Vop1Dpp, Field::DppCtrl, 0x131),
            (Encoding::Vop1Dpp, Field::DppCtrl, 0x1ff),
        ] {
            let mut wave = counting(isa, u64::MAX);
            assert!(execute(&mut wave, &with(isa, MOV, encoding, &[])));
            assert!(!execute(
                &mut wave,
                &with(isa, MOV, encoding, &[(field, number)])
            ));
        }
    }
}
