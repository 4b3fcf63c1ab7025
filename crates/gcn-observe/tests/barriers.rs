//! The checker of barriers: kernels that miss them in part, and the same without a mistake.

mod common;

use common::{Size, TARGETS, expect, expect_compiled};
use gcn_observe::finding::Check;

const BARRIERS: &[Check] = &[Check::Barriers];

const WAVES: Size = Size {
    grid: 128,
    group: 128,
};

#[track_caller]
fn assembly(size: Size, body: &str, expected: &[&str]) {
    expect(&TARGETS, size, BARRIERS, body, expected);
}

#[track_caller]
fn opencl(size: Size, text: &str, expected: &[&str]) {
    expect_compiled(
        &["gfx701", "gfx803", "gfx906"],
        size,
        BARRIERS,
        text,
        expected,
    );
}

/// Lanes below 32 of each wave reach a barrier, and then some go on.
fn divergent(behind: &str) -> String {
    format!(
        "v_and_b32 v2, 63, v0\nv_cmp_gt_u32 vcc, 32, v2\ns_and_saveexec_b64 s[10:11], vcc\ns_barrier\n{behind}\n\
         buffer_store_dword v0, v1, s[4:7], 0 offen\n"
    )
}

#[test]
fn lanes_that_come_back_have_skipped_a_barrier() {
    assembly(
        WAVES,
        &divergent("s_or_b64 exec, exec, s[10:11]"),
        &["divergent-barrier: s_barrier | buffer_store_dword v0, v1, s[4:7], 0 offen"],
    );
    // The others may have returned.
    assembly(
        WAVES,
        &divergent(""),
        &["partial-barrier: s_barrier | s_endpgm"],
    );
    // Arithmetic is no sign of what has become of them, nor is scratch.
    assembly(
        WAVES,
        &divergent(
            "s_or_b64 exec, exec, s[10:11]\nv_add_f32 v2, v2, v2\ns_and_b64 exec, exec, vcc",
        ),
        &["partial-barrier: s_barrier | s_endpgm"],
    );
    // Of two barriers one is skipped, and the other one not reached.
    assembly(
        WAVES,
        "v_and_b32 v2, 63, v0\nv_cmp_gt_u32 vcc, 32, v2\ns_and_saveexec_b64 s[10:11], vcc\ns_barrier\n\
         s_mov_b64 exec, s[10:11]\nv_cmp_gt_u32 vcc, 16, v2\ns_and_b64 exec, exec, vcc\ns_nop 0\ns_barrier",
        &[
            "partial-barrier: s_barrier | s_endpgm",
            "partial-barrier: s_barrier | s_endpgm",
        ],
    );
    // The last wave has lanes of no work-item.
    assembly(
        Size {
            grid: 100,
            group: 100,
        },
        "s_barrier\nbuffer_store_dword v0, v1, s[4:7], 0 offen",
        &[],
    );
}

#[test]
fn waves_meet_at_one_barrier() {
    let body = |own: &str| {
        format!(
            "s_cmp_eq_u32 s8, 1\ns_cbranch_scc1 second\ns_barrier\ns_endpgm\nsecond:\ns_nop 0\n{own}\n"
        )
    };
    assembly(
        WAVES,
        &body("s_barrier"),
        &["mismatched-barriers: s_barrier | s_barrier"],
    );
    assembly(WAVES, &body(""), &["early-end: s_barrier | s_endpgm"]);
    assembly(WAVES, "s_barrier\ns_nop 0\ns_barrier", &[]);
}

#[test]
fn a_wave_that_never_comes_is_awaited() {
    assembly(
        WAVES,
        "s_cmp_eq_u32 s8, 1\ns_cbranch_scc1 meet\n\
         spin:\nds_read_b32 v2, v1 offset:1024\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s9, v2\n\
         s_cmp_eq_u32 s9, 0\ns_cbranch_scc1 spin\n\
         meet:\ns_barrier\nds_write_b32 v1, v0 offset:1024",
        &["barrier-deadlock: s_barrier | s_waitcnt lgkmcnt(0)"],
    );
}

#[test]
fn compiled_conditions_around_barriers_are_found() {
    let text = |condition: &str| {
        format!(
            "kernel void test(global uint *data) {{
                local uint part[128];
                uint n = get_local_id(0);
                part[n] = data[n];
                if ({condition}) {{
                    barrier(CLK_LOCAL_MEM_FENCE);
                    data[1024 + n] = part[127 - n];
                }}
                data[2048 + n] = part[n];
            }}"
        )
    };
    opencl(WAVES, &text("n % 2"), &["divergent-barrier"]);
    // Nothing behind the condition is seen of the lanes that skip it.
    let reduction = "kernel void test(global uint *data) {
        local uint part[64];
        uint n = get_local_id(0);
        part[n] = data[n];
        for (uint step = 32; step > 0; step /= 2) {
            if (n < step) {
                part[n] += part[n + step];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        if (n == 0) data[1024] = part[0];
    }";
    let size = Size {
        grid: 64,
        group: 64,
    };
    opencl(size, reduction, &["partial-barrier"]);
    opencl(WAVES, &text("get_group_id(0) == 0"), &[]);
}

#[test]
fn compiled_returns_and_loops_are_clean() {
    let text = |limit: &str| RETURNS_AND_LOOPS.replace("LIMIT", limit);
    let size = Size {
        grid: 1024,
        group: 128,
    };
    opencl(size, &text("4096"), &[]);
    // By the rules work-items may not return before a barrier.
    opencl(size, &text("1000"), &["partial-barrier"]);
}

const RETURNS_AND_LOOPS: &str = "kernel void test(global uint *data) {
        local uint part[128];
        uint n = get_local_id(0);
        if (get_global_id(0) >= LIMIT && n % 2) return;
        for (uint round = 0; round < data[3]; round++) {
            if (n > data[n & 15]) part[n] = data[n] + round;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint k = 0; k < (n & 3); k++) data[1024 + get_global_id(0)] += part[127 - n];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        data[4096 + get_global_id(0)] = part[n];
    }";
