//! Tests of blocks of executed code: where they begin, how they end, and how often they are entered.

mod common;

use common::*;
use gcn_emu::device::{Config, Device};
use gcn_emu::run::{Engine, Initial};
use gcn_emu::{Code, Exit, MAX_ENTERED};
use gcn_isa::Target;
use gcn_isa::effect::Condition;

/// Runs a wave of a program in turns of `quantum` instructions. Returns, for each block, the number of its first dword,
/// the number of its instructions, its exit, and the number of its entries.
fn blocks(text: &str, quantum: u64) -> Vec<(usize, usize, Exit, u16)> {
    // Host code does not count entries.
    Engine::Interpreter.set();
    let target = Target::named(GFX9).expect("it exists");
    let mut config = Config::new(target.isa);
    config.quantum = quantum;
    let mut device = Device::new(config);
    let code = Code::new(target.isa, BASE, &code(target, text), VGPRS, SGPRS);
    let done = dispatch_code(&mut device, &code, 1, 64, Initial::default());
    assert_eq!(done.fault.map(|fault| fault.kind), None, "{text}");
    let blocks = code.blocks().map(|it| {
        let first = it.steps().first().map_or(0, |step| step.index);
        (first, it.steps().len(), it.exit(), it.entered())
    });
    blocks.collect()
}

const LOOP: &str = "s_movk_i32 s0, 100\n v_mov_b32 v0, 0\nloop:\n v_add_u32 v0, 1, v0\n s_sub_u32 s0, s0, 1\n \
                    s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 loop\n s_endpgm";

#[test]
fn a_loop_is_a_block_from_its_head_to_its_branch() {
    let exit = Exit::Branch {
        condition: Condition::Scc1,
        target: 2,
    };
    let expected = [
        (0, 2, Exit::FallThrough, 1),
        (2, 4, exit, 100),
        (6, 1, Exit::End, 1),
    ];
    assert_eq!(blocks(LOOP, 1 << 20), expected);
}

#[test]
fn turns_that_end_within_a_block_make_no_others() {
    let blocks = blocks(LOOP, 3);
    let places: Vec<(usize, usize)> = blocks.iter().map(|it| (it.0, it.1)).collect();
    assert_eq!(places, [(0, 2), (2, 4), (6, 1)]);
}

#[test]
fn the_count_of_entries_stops_at_its_limit() {
    let entered = blocks(&LOOP.replace("100", "10000"), 1 << 20)[1].3;
    assert_eq!(entered, MAX_ENTERED);
}

#[test]
fn both_successors_of_a_branch_begin_blocks() {
    let text = "s_cbranch_scc1 else\n s_nop 0\n s_nop 1\nelse:\n s_nop 2\n s_endpgm";
    let exit = Exit::Branch {
        condition: Condition::Scc1,
        target: 3,
    };
    let expected = [
        (0, 1, exit, 1),
        (1, 2, Exit::FallThrough, 1),
        (3, 2, Exit::End, 1),
    ];
    assert_eq!(blocks(text, 1 << 20), expected);
}

#[test]
fn writes_of_mode_and_barriers_end_blocks() {
    let text =
        "s_nop 0\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\n s_nop 0\n s_barrier\n s_endpgm";
    let expected = [
        (0, 2, Exit::FallThrough, 1),
        (3, 2, Exit::Wait, 1),
        (5, 1, Exit::End, 1),
    ];
    assert_eq!(blocks(text, 1 << 20), expected);
}

#[test]
fn indexing_is_turned_on_and_off_in_a_block() {
    let text =
        "s_set_gpr_idx_on s0, gpr_idx(SRC0)\n v_mov_b32 v0, v1\n s_set_gpr_idx_off\n s_endpgm";
    assert_eq!(blocks(text, 1 << 20), [(0, 4, Exit::End, 1)]);
}

#[test]
fn a_jump_by_registers_may_enter_a_block_in_the_middle() {
    // The first pass begins at dword 0; the jump enters the block at dword 2.
    let text = "s_mov_b32 s4, 0\n s_nop 0\n s_nop 1\n s_add_u32 s4, s4, 1\n s_cmp_eq_u32 s4, 2\n s_cbranch_scc1 end\n \
                s_getpc_b64 s[0:1]\n s_sub_u32 s0, s0, 20\n s_subb_u32 s1, s1, 0\n s_setpc_b64 s[0:1]\nend:\n s_endpgm";
    let exit = Exit::Branch {
        condition: Condition::Scc1,
        target: 10,
    };
    let expected = [
        (0, 6, exit, 2),
        (6, 4, Exit::Jump, 1),
        (10, 1, Exit::End, 1),
    ];
    assert_eq!(blocks(text, 1 << 20), expected);
}
