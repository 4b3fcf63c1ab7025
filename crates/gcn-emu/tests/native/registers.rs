//! Tests of wave registers that are selected by an index, and of host registers that run out.

use std::sync::PoisonError;

use gcn_emu::run::Engine;
use gcn_isa::Target;

use super::programs::Program;
use super::{CHOICE, KEPT, compiled, compiles};

#[test]
fn a_part_may_have_more_masks_than_the_host_has_mask_registers() {
    let target = Target::named("gfx900").expect("it exists");
    let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    // The last use of each source is its comparison.
    let mut text = "v_mbcnt_lo_u32_b32 v0, -1, 0\n v_mbcnt_hi_u32_b32 v0, -1, v0".to_owned();
    for n in 0..8 {
        text += &format!("\n v_add_u32 v{}, {n}, v0", n + 1);
    }
    for n in 0..8 {
        let first = 10 + 2 * n;
        let last = first + 1;
        text += &format!(
            "\n v_cmp_eq_u32_e64 s[{first}:{last}], v{}, {}",
            n + 1,
            2 * n
        );
        text += &format!("\n v_mov_b32 v{}, s{n}", n + 1);
    }
    for n in 0..8 {
        let (first, last) = (10 + 2 * n, 11 + 2 * n);
        text += &format!("\n v_cndmask_b32 v{}, v30, v31, s[{first}:{last}]", n + 20);
    }
    Program::of_text(target, &text, KEPT, 7).compare_engines();
}

#[test]
fn indexed_moves_are_compiled() {
    let target = Target::named("gfx900").expect("it exists");
    let lanes = "v_mbcnt_lo_u32_b32 v2, -1, 0\n v_mul_u32_u24 v3, 3, v2\n v_not_b32 v4, v2";
    let moves = [
        ("s4, gpr_idx(SRC0)", "v_mov_b32 v1, v2"),
        ("s4, gpr_idx(DST)", "v_mov_b32 v1, v2"),
        (
            "s4, gpr_idx(SRC0,DST)",
            "v_mov_b32 v1, v2\n v_mov_b32 v5, v3",
        ),
        (
            "1, gpr_idx(DST)",
            "v_mov_b32 v1, 0x12345\n v_mov_b32 v6, s5",
        ),
        ("m0, gpr_idx(SRC0)", "v_mov_b32 v1, v2\n v_mov_b32 v2, m0"),
        ("s4, 0", "v_mov_b32 v1, v2"),
    ];
    // Without an index, a source outside the wave's registers is v0.
    let text = format!(
        "{lanes}\n s_movk_i32 s4, 3\n s_set_gpr_idx_on s4, gpr_idx(SRC0)\n v_mov_b32 v1, v200\n s_set_gpr_idx_off"
    );
    {
        let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
        Program::of_text(target, &text, KEPT, 7).compare_engines();
    }
    for (on, moves) in moves {
        let text =
            format!("s_set_gpr_idx_on {on}\n {moves}\n s_set_gpr_idx_off\n v_mov_b32 v7, m0");
        let count = compiled("gfx900", &text, KEPT, Engine::Compiled);
        let expected = if compiles() { text.lines().count() } else { 0 };
        assert_eq!(count, expected, "{text}");
        let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
        // Indices of registers that the wave has, of the first one that it lacks, and with bits above the index.
        for index in [0, 1, 2, 60, 254, 255, 0x102] {
            for exec in ["-1", "0x00ff0000f0f0f0f1", "0"] {
                let text = format!(
                    "{lanes}\n s_movk_i32 s4, {index}\n s_or_b32 m0, s4, 0x5000\n s_mov_b32 s5, 77\n \
                     s_mov_b32 s6, 0xf0f0f0f1\n s_mov_b32 s7, 0xff0000\n s_mov_b64 exec, {}\n {text}",
                    if exec.len() > 2 { "s[6:7]" } else { exec }
                );
                Program::of_text(target, &text, KEPT, 7).compare_engines();
            }
        }
    }
}
