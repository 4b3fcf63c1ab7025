//! Tests of instructions that move values between lanes, scalar registers, hardware registers and the PC, and of EXEC
//! and carries.

use gcn_emu::wave::{TRAPSTS_MEM_VIOL, Wave};
use gcn_isa::simm::Hwreg;
use gcn_isa::sop::{Sop1, Sopk};
use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::Vop3;
use gcn_isa::{Encoding, Isa, Op, Operand, regs};

use crate::common::*;

fn noisy(isa: Isa) -> Wave {
    wave(isa, &mut Noise(0x5eed_0004))
}

fn run(wave: &mut Wave, op: Op, operands: &[Operand]) {
    run_as(wave, op, op.family_encoding(), operands);
}

fn run_as(wave: &mut Wave, op: Op, encoding: Encoding, operands: &[Operand]) {
    let inst = inst(wave.isa, op, encoding, operands);
    assert!(execute(wave, &inst), "{}", inst.text());
}

#[test]
fn exec_is_saved_and_combined() {
    use Sop1::*;
    type Combine = fn(u64, u64) -> u64;
    #[rustfmt::skip]
    const TABLE: &[(Sop1, bool, Combine)] = &[
        (S_AND_SAVEEXEC_B64,   true,  |a, exec| a & exec),
        (S_OR_SAVEEXEC_B64,    true,  |a, exec| a | exec),
        (S_XOR_SAVEEXEC_B64,   true,  |a, exec| a ^ exec),
        (S_ANDN2_SAVEEXEC_B64, true,  |a, exec| a & !exec),
        (S_ORN2_SAVEEXEC_B64,  true,  |a, exec| a | !exec),
        (S_NAND_SAVEEXEC_B64,  true,  |a, exec| !(a & exec)),
        (S_NOR_SAVEEXEC_B64,   true,  |a, exec| !(a | exec)),
        (S_XNOR_SAVEEXEC_B64,  true,  |a, exec| !(a ^ exec)),
        (S_ANDN1_SAVEEXEC_B64, true,  |a, exec| !a & exec),
        (S_ORN1_SAVEEXEC_B64,  true,  |a, exec| !a | exec),
        (S_ANDN1_WREXEC_B64,   false, |a, exec| !a & exec),
        (S_ANDN2_WREXEC_B64,   false, |a, exec| a & !exec),
    ];
    for &(op, saves, combine) in TABLE {
        for (a, exec) in [
            (0xff00_ff00_1234_5678, 0x0ff0_0ff0_ffff_0000),
            (0, u64::MAX),
            (5, 5),
            (0, 0),
        ] {
            let mut wave = noisy(Isa::Gfx9);
            wave.set_exec(exec);
            wave.set_scalar64(4, a);
            run(&mut wave, Op::Sop1(op), &[s(8), s(4)]);
            let new = combine(a, exec);
            assert_eq!(wave.exec(), new, "{op:?}");
            assert_eq!(wave.scalar64(8), if saves { exec } else { new }, "{op:?}");
            assert_eq!(wave.scc, new != 0, "{op:?}");
        }
    }
}

#[test]
fn the_program_counter_is_that_of_the_next_instruction() {
    let next = BASE + 4;
    let mut wave = noisy(Isa::Gfx9);
    run(&mut wave, Op::Sop1(Sop1::S_GETPC_B64), &[s(4)]);
    assert_eq!((wave.scalar64(4), wave.pc), (next, next));
    wave.set_scalar64(6, 0x12_3456_7890);
    run(&mut wave, Op::Sop1(Sop1::S_SETPC_B64), &[s(6)]);
    assert_eq!(wave.pc, 0x12_3456_7890);
    // The source is read before the destination is written.
    run(&mut wave, Op::Sop1(Sop1::S_SWAPPC_B64), &[s(6), s(6)]);
    assert_eq!((wave.scalar64(6), wave.pc), (next, 0x12_3456_7890));
    run(
        &mut wave,
        Op::Sopk(Sopk::S_CALL_B64),
        &[s(10), Operand::Imm(-3)],
    );
    assert_eq!((wave.scalar64(10), wave.pc), (next, next - 12));
}

#[test]
fn hardware_registers_are_read_and_written_by_bits() {
    let of = |id, offset, width| Operand::Imm(Hwreg { id, offset, width }.pack().into());
    let mut wave = noisy(Isa::Gfx9);
    wave.mode = 0x1f0;
    run(
        &mut wave,
        Op::Sopk(Sopk::S_GETREG_B32),
        &[s(4), of(1, 4, 4)],
    );
    assert_eq!(wave.scalar(4), 0xf);
    wave.set_scalar(5, 0xffff_fffa);
    run(
        &mut wave,
        Op::Sopk(Sopk::S_SETREG_B32),
        &[of(1, 0, 4), s(5)],
    );
    assert_eq!(wave.mode, 0x1fa);
    run(
        &mut wave,
        Op::Sopk(Sopk::S_SETREG_IMM32_B32),
        &[of(1, 8, 1), Operand::Literal(0)],
    );
    assert_eq!(wave.mode, 0xfa);
    wave.trapsts = TRAPSTS_MEM_VIOL;
    run(
        &mut wave,
        Op::Sopk(Sopk::S_GETREG_B32),
        &[s(4), of(3, 0, 32)],
    );
    assert_eq!(wave.scalar(4), TRAPSTS_MEM_VIOL);
    wave.scc = true;
    wave.set_exec(0);
    wave.set_vcc(1);
    run(
        &mut wave,
        Op::Sopk(Sopk::S_GETREG_B32),
        &[s(4), of(2, 0, 16)],
    );
    assert_eq!(wave.scalar(4), 1 | 1 << 9, "SCC and EXECZ, not VCCZ");
    // Aperture bases (errata E088).
    run(
        &mut wave,
        Op::Sopk(Sopk::S_GETREG_B32),
        &[s(4), of(15, 16, 16)],
    );
    assert_eq!(wave.scalar(4), wave.apertures.shared >> 16);
    run(
        &mut wave,
        Op::Sopk(Sopk::S_GETREG_B32),
        &[s(4), of(15, 0, 16)],
    );
    assert_eq!(wave.scalar(4), wave.apertures.private >> 16);
}

#[test]
fn lanes_are_read_and_written_by_number() {
    for (isa, read, write) in [
        (
            Isa::Si,
            Op::Vop2(Vop2::V_READLANE_B32),
            Op::Vop2(Vop2::V_WRITELANE_B32),
        ),
        (
            Isa::Gfx9,
            Op::Vop3(Vop3::V_READLANE_B32),
            Op::Vop3(Vop3::V_WRITELANE_B32),
        ),
    ] {
        let mut wave = noisy(isa);
        // EXEC does not matter, and lane numbers wrap modulo 64.
        wave.set_exec(0);
        wave.set_scalar(5, 64 + 17);
        let wanted = wave.vgprs[3].0[17];
        run(&mut wave, read, &[s(4), v(3), s(5)]);
        assert_eq!(wave.scalar(4), wanted);
        let before = wave.vgprs[3].0;
        wave.set_scalar(6, 0xdead_beef);
        run(&mut wave, write, &[v(3), s(6), s(5)]);
        let mut wanted = before;
        wanted[17] = 0xdead_beef;
        assert_eq!(wave.vgprs[3].0, wanted);
        for (exec, lane) in [(0b1100 << 30, 32), (0, 0), (u64::MAX, 0), (1 << 63, 63)] {
            wave.set_exec(exec);
            run(
                &mut wave,
                Op::Vop1(Vop1::V_READFIRSTLANE_B32),
                &[s(7), v(2)],
            );
            assert_eq!(wave.scalar(7), wave.vgprs[2].0[lane]);
        }
    }
}

#[test]
fn registers_are_exchanged_in_active_lanes() {
    let mut wave = noisy(Isa::Gfx9);
    let exec = 0xf0f0_1234_5678_ffff;
    wave.set_exec(exec);
    let (a, b) = (wave.vgprs[1].0, wave.vgprs[2].0);
    run(&mut wave, Op::Vop1(Vop1::V_SWAP_B32), &[v(1), v(2)]);
    for lane in 0..64 {
        let active = exec >> lane & 1 == 1;
        let (x, y) = if active {
            (b[lane], a[lane])
        } else {
            (a[lane], b[lane])
        };
        assert_eq!((wave.vgprs[1].0[lane], wave.vgprs[2].0[lane]), (x, y));
    }
    let before = registers(&wave);
    run(&mut wave, Op::Vop1(Vop1::V_NOP), &[]);
    run(&mut wave, Op::Vop1(Vop1::V_CLREXCP), &[]);
    assert_eq!(registers(&wave), before);
}

#[test]
fn relative_registers_are_offset_by_m0() {
    let m0 = regs::M0;
    let mut wave = noisy(Isa::Vi);
    wave.set_exec(u64::MAX);
    wave.set_scalar(m0, 3);
    let source = wave.vgprs[5].0;
    run(&mut wave, Op::Vop1(Vop1::V_MOVRELS_B32), &[v(0), v(2)]);
    assert_eq!(wave.vgprs[0].0, source);
    run(&mut wave, Op::Vop1(Vop1::V_MOVRELD_B32), &[v(4), v(0)]);
    assert_eq!(wave.vgprs[7].0, source);
    let source = wave.vgprs[9].0;
    run(&mut wave, Op::Vop1(Vop1::V_MOVRELSD_B32), &[v(7), v(6)]);
    assert_eq!(wave.vgprs[10].0, source);
    let (low, wide) = (wave.scalar(9), wave.scalar64(12));
    run(&mut wave, Op::Sop1(Sop1::S_MOVRELS_B32), &[s(4), s(6)]);
    assert_eq!(wave.scalar(4), low);
    run(&mut wave, Op::Sop1(Sop1::S_MOVRELD_B32), &[s(11), s(4)]);
    assert_eq!(wave.scalar(14), low);
    wave.set_scalar(m0, 2);
    run(&mut wave, Op::Sop1(Sop1::S_MOVRELS_B64), &[s(4), s(10)]);
    assert_eq!(wave.scalar64(4), wide);
    run(&mut wave, Op::Sop1(Sop1::S_MOVRELD_B64), &[s(18), s(4)]);
    assert_eq!(wave.scalar64(20), wide);
    // Out of range, a source reads the first register, and a destination is not written (checklist 1.6, 1.7).
    wave.set_scalar(m0, u32::MAX);
    run(&mut wave, Op::Vop1(Vop1::V_MOVRELS_B32), &[v(2), v(1)]);
    assert_eq!(wave.vgprs[2].0, wave.vgprs[0].0);
    run(&mut wave, Op::Sop1(Sop1::S_MOVRELS_B32), &[s(4), s(6)]);
    assert_eq!(wave.scalar(4), wave.scalar(0));
    let before = registers(&wave);
    run(&mut wave, Op::Vop1(Vop1::V_MOVRELD_B32), &[v(2), v(1)]);
    run(&mut wave, Op::Sop1(Sop1::S_MOVRELD_B32), &[s(4), s(6)]);
    assert_eq!(registers(&wave), before);
}

#[test]
fn inactive_lanes_keep_their_value_and_no_lane_means_nothing() {
    for exec in [0, 1, 0x8000_0000_0000_0000, 0x00ff_0f0f_aaaa_5555] {
        let mut wave = noisy(Isa::Gfx9);
        wave.set_exec(exec);
        let before = wave.clone();
        run(
            &mut wave,
            Op::Vop2(Vop2::V_ADD_U32),
            &[v(1), s(regs::ZERO + 1), v(1)],
        );
        for lane in 0..64 {
            let old = before.vgprs[1].0[lane];
            let new = if exec >> lane & 1 == 1 {
                old.wrapping_add(1)
            } else {
                old
            };
            assert_eq!(wave.vgprs[1].0[lane], new);
        }
        if exec == 0 {
            assert_eq!(registers(&wave), registers(&before));
        }
    }
}

#[test]
fn carries_chain_64_bit_additions_and_subtractions() {
    use Vop2::*;
    let vcc = s(regs::VCC_LO);
    for isa in Isa::ALL {
        type Wide = fn(u64, u64) -> u64;
        let cases: [(Vop2, Vop2, Wide); 2] = [
            (V_ADD_CO_U32, V_ADDC_CO_U32, u64::wrapping_add),
            (V_SUB_CO_U32, V_SUBB_CO_U32, u64::wrapping_sub),
        ];
        for (low, high, wide) in cases {
            let mut wave = noisy(isa);
            wave.set_exec(u64::MAX);
            let before = wave.clone();
            run(&mut wave, Op::Vop2(low), &[v(0), vcc, v(0), v(2)]);
            run(&mut wave, Op::Vop2(high), &[v(1), vcc, v(1), v(3), vcc]);
            for lane in 0..64 {
                let pair = |w: &Wave, first: usize| {
                    u64::from(w.vgprs[first].0[lane]) | u64::from(w.vgprs[first + 1].0[lane]) << 32
                };
                let want = wide(pair(&before, 0), pair(&before, 2));
                assert_eq!(pair(&wave, 0), want, "{isa} {low:?}");
            }
        }
    }
}

#[test]
fn integer_clamping_saturates() {
    use gcn_isa::Field;
    let isa = Isa::Gfx9;
    #[rustfmt::skip]
    let cases = [
        (Op::Vop2(Vop2::V_ADD_U32), 0xffff_fff0u32, 0x20, 0xffff_ffff),
        (Op::Vop2(Vop2::V_SUB_U32), 0x10, 0x20, 0),
        (Op::Vop2(Vop2::V_SUBREV_U32), 0x20, 0x10, 0),
        (Op::Vop3(Vop3::V_ADD_I32), 0x7fff_ffff, 1, 0x7fff_ffff),
        (Op::Vop3(Vop3::V_SUB_I32), 0x8000_0000, 1, 0x8000_0000),
        (Op::Vop2(Vop2::V_ADD_U16), 0xfff0, 0x20, 0xffff),
        (Op::Vop2(Vop2::V_MUL_U32_U24), 0xff_ffff, 0xff_ffff, 0xffff_ffff),
        (Op::Vop2(Vop2::V_MUL_I32_I24), 0x80_0000, 0x7f_ffff, 0x8000_0000),
    ];
    for (op, a, b, want) in cases {
        let mut wave = noisy(isa);
        wave.set_exec(1);
        (wave.vgprs[0].0[0], wave.vgprs[1].0[0]) = (a, b);
        let mut inst = inst(isa, op, Encoding::Vop3, &[v(2), v(0), v(1)]);
        inst.set(Field::Clamp, 1).expect("it has the field");
        assert!(execute(&mut wave, &inst));
        assert_eq!(wave.vgprs[2].0[0], want, "{}", inst.text());
    }
    // The carry is that of the unclamped sum.
    let mut wave = noisy(isa);
    wave.set_exec(1);
    (wave.vgprs[0].0[0], wave.vgprs[1].0[0]) = (u32::MAX, 1);
    let operands = [v(2), s(8), v(0), v(1)];
    let mut inst = inst(
        isa,
        Op::Vop2(Vop2::V_ADD_CO_U32),
        Encoding::Vop3b,
        &operands,
    );
    inst.set(Field::Clamp, 1).expect("it has the field");
    assert!(execute(&mut wave, &inst));
    assert_eq!((wave.vgprs[2].0[0], wave.scalar64(8)), (u32::MAX, 1));
}

/// Wave with these active lanes after a fork by `mask` to `target`, with a stack of `depth` forks before it.
fn forked(isa: Isa, exec: u64, mask: u64, target: u64, depth: u32) -> Wave {
    let mut wave = noisy(isa);
    wave.mode = depth << 29;
    wave.set_exec(exec);
    wave.set_scalar64(20, mask);
    wave.set_scalar64(22, target);
    run(
        &mut wave,
        Op::Sop2(gcn_isa::sop::Sop2::S_CBRANCH_G_FORK),
        &[s(20), s(22)],
    );
    wave
}

#[test]
fn forks_take_the_smaller_part_first_and_joins_the_other() {
    // E204
    let (next, target) = (BASE + 4, 0x5000);
    let join = |wave: &mut Wave, depth: u32| {
        wave.set_scalar(24, depth);
        run(wave, Op::Sop1(Sop1::S_CBRANCH_JOIN), &[s(24)]);
    };
    for isa in [Isa::Si, Isa::Vi] {
        // All lanes go the same way: nothing is pushed.
        let wave = forked(isa, 0xff, 0xff, target, 2);
        assert_eq!((wave.pc, wave.exec(), wave.mode >> 29), (target, 0xff, 2));
        let wave = forked(isa, 0xff, 0xff00, target, 2);
        assert_eq!((wave.pc, wave.exec(), wave.mode >> 29), (next, 0xff, 2));
        // Fewer lanes fail: they continue, and the others are pushed with their target.
        let mut wave = forked(isa, 0xff, 0x1f, target, 2);
        assert_eq!((wave.pc, wave.exec(), wave.mode >> 29), (next, 0xe0, 3));
        assert_eq!((wave.scalar64(8), wave.scalar64(10)), (0x1f, target));
        join(&mut wave, 2);
        assert_eq!((wave.pc, wave.exec(), wave.mode >> 29), (target, 0x1f, 2));
        wave.pc = 0x7000;
        join(&mut wave, 2);
        assert_eq!((wave.exec(), wave.mode >> 29), (0x1f, 2));
        assert_eq!(wave.pc, BASE + 4, "it goes on behind the join");
        // Equal numbers of lanes pass and fail: those that pass go first.
        let wave = forked(isa, 0xff, 0x0f, target, 0);
        assert_eq!((wave.pc, wave.exec(), wave.mode >> 29), (target, 0x0f, 1));
        assert_eq!((wave.scalar64(0), wave.scalar64(2)), (0xf0, next));
        // The SOPK form has a relative target.
        let mut wave = noisy(isa);
        wave.mode = 0;
        wave.set_exec(0xff);
        wave.set_scalar64(20, 1);
        run(
            &mut wave,
            Op::Sopk(Sopk::S_CBRANCH_I_FORK),
            &[s(20), Operand::Imm(5)],
        );
        assert_eq!((wave.pc, wave.exec()), (next + 20, 1));
    }
}

#[test]
fn vector_instructions_are_skipped_by_a_bit_of_mode() {
    // E206
    use gcn_isa::sop::Sopc;
    for isa in Isa::ALL {
        let mut wave = noisy(isa);
        for (bits, bit, skips) in [(4, 2, true), (4, 34, true), (4, 1, false)] {
            wave.set_scalar(20, bits);
            wave.set_scalar(21, bit);
            run(&mut wave, Op::Sopc(Sopc::S_SETVSKIP), &[s(20), s(21)]);
            assert_eq!(wave.mode & gcn_isa::simm::MODE_VSKIP != 0, skips);
        }
    }
}

#[test]
fn hardware_registers_tell_allocations_and_counters() {
    // E207
    for isa in Isa::ALL {
        let mut wave = noisy(isa);
        wave.id.wave = 6;
        wave.group = gcn_emu::wave::GroupShape {
            lds_bytes: 1024,
            waves: 8,
        };
        wave.priority = 2;
        wave.set_exec(0);
        wave.set_vcc(1);
        wave.scc = true;
        let mut read = |id: u8| {
            let operand = Operand::Imm(
                Hwreg {
                    id,
                    offset: 0,
                    width: 32,
                }
                .pack()
                .into(),
            );
            run(&mut wave, Op::Sopk(Sopk::S_GETREG_B32), &[s(4), operand]);
            let value = wave.scalar(4);
            run(
                &mut wave,
                Op::Sopk(Sopk::S_GETREG_REGRD_B32),
                &[s(4), operand],
            );
            assert_eq!(wave.scalar(4), value);
            value
        };
        // SCC, priority, EXECZ, in a group, valid.
        assert_eq!(read(2), 1 | 2 << 3 | 1 << 9 | 1 << 11 | 1 << 16);
        assert_eq!(read(4), 1 | 2 << 4, "wave 1 of SIMD 2");
        let sgprs = if isa < Isa::Vi { 3 } else { 1 };
        assert_eq!(read(5), 4 << 8 | sgprs << 24, "20 VGPRs, 32 SGPRs");
        assert_eq!(read(6), 4 << 12, "1024 bytes of LDS");
        assert_eq!(read(7), 0, "nothing is outstanding");
    }
}

#[test]
fn fault_injecting_moves_are_moves() {
    // E205
    for op in [Sop1::S_MOV_REGRD_B32, Sop1::S_MOV_FED_B32] {
        let mut wave = noisy(Isa::Si);
        wave.set_scalar(5, 0x1234);
        run(&mut wave, Op::Sop1(op), &[s(4), s(5)]);
        assert_eq!(wave.scalar(4), 0x1234);
    }
    let mut wave = noisy(Isa::Gfx9);
    wave.set_exec(u64::MAX);
    let source = wave.vgprs[1];
    run(&mut wave, Op::Vop1(Vop1::V_MOV_FED_B32), &[v(0), v(1)]);
    assert_eq!(wave.vgprs[0], source);
}
