//! Tests of vector instructions whose results do not fit into the table of references, with values computed by hand.

use gcn_isa::{Encoding, Isa, Op, Operand, regs};

use crate::common::*;

/// Executes an instruction on one lane with these dwords in v4 and up. Returns v0 to v3.
fn wide(isa: Isa, op: Op, encoding: Encoding, dwords: &[u32], operands: &[Operand]) -> [u32; 4] {
    let mut wave = wave(isa, &mut Noise(13));
    wave.set_exec(1);
    for (register, dword) in wave.vgprs[4..].iter_mut().zip(dwords) {
        register.0[0] = *dword;
    }
    assert!(execute(&mut wave, &inst(isa, op, encoding, operands)));
    std::array::from_fn(|n| wave.vgprs[n].0[0])
}

#[test]
fn sums_of_differences_fill_four_registers() {
    use gcn_isa::vop3::Vop3;
    let op = Op::Vop3(Vop3::V_MQSAD_U32_U8);
    for isa in [Isa::Ci, Isa::Vi, Isa::Gfx9] {
        // Bytes 1 to 8. The reference contains a zero byte, which is ignored.
        let dwords = [
            0x0403_0201,
            0x0807_0605,
            0x0a00_0a0a,
            100,
            200,
            300,
            u32::MAX,
        ];
        let got = wide(isa, op, Encoding::Vop3, &dwords, &[v(0), v(4), v(6), v(7)]);
        let sum = |first: u32| [0, 1, 3].map(|n| 10 - (first + n)).iter().sum::<u32>();
        let want = [sum(1) + 100, sum(2) + 200, sum(3) + 300, sum(4) - 1];
        assert_eq!(got, want, "{isa}");
    }
}

#[test]
fn sums_of_differences_saturate_if_clamped() {
    // E209
    use gcn_isa::Field;
    use gcn_isa::vop3::Vop3;
    for (op, third, want) in [
        (Vop3::V_SAD_U8, u32::MAX - 1, u32::MAX),
        (Vop3::V_SAD_U16, u32::MAX - 1, u32::MAX),
        (Vop3::V_SAD_U32, u32::MAX - 1, u32::MAX),
        (Vop3::V_MSAD_U8, u32::MAX - 1, u32::MAX),
        (Vop3::V_SAD_HI_U8, u32::MAX - 1, u32::MAX),
    ] {
        let mut wave = wave(Isa::Gfx9, &mut Noise(14));
        wave.set_exec(1);
        for (register, dword) in [0x0000_0005, 0x0000_0009, third].into_iter().enumerate() {
            wave.vgprs[register].0[0] = dword;
        }
        let mut inst = inst(
            Isa::Gfx9,
            Op::Vop3(op),
            Encoding::Vop3,
            &[v(3), v(0), v(1), v(2)],
        );
        inst.set(Field::Clamp, 1).expect("it has the field");
        assert!(execute(&mut wave, &inst));
        assert_eq!(wave.vgprs[3].0[0], want, "{op:?}");
    }
}

#[test]
fn screen_partitions_are_looked_up_by_a_byte() {
    // E208
    use gcn_isa::vop::Vop1;
    let op = Op::Vop1(Vop1::V_SCREEN_PARTITION_4SE_B32);
    for (byte, want) in [(0, 1), (0x11, 2), (0xff, 1), (0x1ee, 2), (0x80, 0xb)] {
        let [got, ..] = wide(Isa::Gfx9, op, Encoding::Vop1, &[byte], &[v(0), v(4)]);
        assert_eq!(got, want, "{byte:#x}");
    }
}

#[test]
fn short_integers_read_the_low_half_of_a_float_constant() {
    // E165: as a 16-bit integer, 1/(2π), which is 0x3e22f983, has its low half, and 0.5 is zero.
    use gcn_isa::vop::Vop2;
    for (constant, low_half) in [(regs::INV_2PI, 0xf983), (regs::HALF, 0)] {
        let mut wave = wave(Isa::Gfx9, &mut Noise(15));
        wave.vgprs[1].0 = std::array::from_fn(|lane| lane as u32 * 0x1111);
        wave.set_exec(u64::MAX);
        let inst = inst(
            Isa::Gfx9,
            Op::Vop2(Vop2::V_ADD_U16),
            Encoding::Vop2,
            &[v(2), s(constant), v(1)],
        );
        assert!(execute(&mut wave, &inst));
        for (got, old) in wave.vgprs[2].0.iter().zip(wave.vgprs[1].0) {
            assert_eq!(*got as u16, (old as u16).wrapping_add(low_half));
        }
    }
}
