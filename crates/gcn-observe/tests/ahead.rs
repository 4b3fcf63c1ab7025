//! Kernels whose code is read before they run: what the reading rules out must not happen, whatever the registers lead to.

mod common;

use common::{Size, TARGETS, expect, expect_compiled};
use gcn_observe::finding::Check;

const CHECKS: &[Check] = &[Check::Waits, Check::Hazards];

const WAVE: Size = Size {
    grid: 64,
    group: 64,
};

/// Targets with VGPR indexing by S_SET_GPR_IDX_ON.
const INDEXED: [&str; 3] = ["gfx803", "gfx900", "gfx906"];

const LOAD: &str = "buffer_load_dword v3, v1, s[4:7], 0 offen\n";

/// Targets with MOVREL.
const MOVREL: [&str; 3] = ["gfx601", "gfx701", "gfx803"];

#[test]
fn registers_that_m0_chooses_are_watched() {
    let body = format!("s_mov_b32 m0, 1\n{LOAD}s_nop 7\nv_movrels_b32 v4, v2\ns_waitcnt vmcnt(0)");
    expect(
        &MOVREL,
        WAVE,
        CHECKS,
        &body,
        &["missing-wait: v_movrels_b32_e32 v4, v2 | buffer_load_dword v3, v1, s[4:7], 0 offen"],
    );
}

#[test]
fn registers_that_an_index_chooses_are_watched() {
    let body = format!(
        "s_mov_b32 s10, 1\n{LOAD}s_set_gpr_idx_on s10, 1\nv_mov_b32 v4, v2\ns_set_gpr_idx_off\ns_waitcnt vmcnt(0)"
    );
    expect(
        &INDEXED,
        WAVE,
        CHECKS,
        &body,
        &["missing-wait: v_mov_b32_e32 v4, v2 | buffer_load_dword v3, v1, s[4:7], 0 offen"],
    );
}

#[test]
fn waits_that_mode_skips_the_code_around_are_watched() {
    // VSKIP skips the load of v2 and so that the wait for one operation releases none.
    let other = "buffer_load_dword v2, v1, s[4:7], 0 offen\n";
    let body = format!(
        "{LOAD}s_setvskip -1, 0\ns_nop 7\n{other}s_setvskip 0, 0\ns_nop 7\n\
         s_waitcnt vmcnt(1)\nv_mov_b32 v4, v3\ns_waitcnt vmcnt(0)"
    );
    expect(
        &TARGETS,
        WAVE,
        CHECKS,
        &body,
        &["missing-wait: v_mov_b32_e32 v4, v3 | buffer_load_dword v3, v1, s[4:7], 0 offen"],
    );
}

#[test]
fn code_that_registers_lead_to_is_watched() {
    // The address goes through a vector register, so that it does not follow from the words.
    let body = format!(
        "s_getpc_b64 s[10:11]\nfrom:\ns_add_u32 s10, s10, behind-from\ns_addc_u32 s11, s11, 0\n\
         v_mov_b32 v5, s10\nv_readfirstlane_b32 s10, v5\ns_setpc_b64 s[10:11]\ns_endpgm\n\
         behind:\n{LOAD}v_mov_b32 v4, v3\ns_waitcnt vmcnt(0)"
    );
    expect(
        &TARGETS,
        WAVE,
        CHECKS,
        &body,
        &["missing-wait: v_mov_b32_e32 v4, v3 | buffer_load_dword v3, v1, s[4:7], 0 offen"],
    );
}

#[test]
fn writes_of_lds_that_a_barrier_does_not_wait_for_are_watched() {
    let waves = Size {
        grid: 128,
        group: 128,
    };
    let body = "ds_write_b32 v1, v0\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)";
    expect(
        &TARGETS,
        waves,
        CHECKS,
        body,
        &["missing-lds-wait: ds_read_b32 v3, v2 | ds_write_b32 v1, v0"],
    );
}

#[test]
fn compiled_code_has_neither_with_calls_nor_without() {
    let text = "__attribute__((noinline)) int twice(local int *p, int i) { return 2 * p[i]; }\n\
                kernel void test(global int *data) {\n\
                    local int tile[64];\n\
                    int i = get_local_id(0);\n\
                    tile[i] = data[i];\n\
                    barrier(CLK_LOCAL_MEM_FENCE);\n\
                    data[i] = twice(tile, 63 - i) / 3;\n\
                }";
    expect_compiled(&["gfx701", "gfx803", "gfx906"], WAVE, CHECKS, text, &[]);
}
