//! The checker of races: racy kernels, and the same in order.

#[path = "../common/mod.rs"]
mod common;
mod overlap;
mod releases;
mod sides;
mod swap_loads;
mod values;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{Size, TARGETS, assembled, buffer, device, expect, expect_compiled, told};
use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, Findings};

const RACES: &[Check] = &[Check::Races];

/// Two waves of one workgroup.
const WAVES: Size = Size {
    grid: 128,
    group: 128,
};
/// Two workgroups of a wave.
const GROUPS: Size = Size {
    grid: 128,
    group: 64,
};

#[track_caller]
fn assembly(size: Size, body: &str, expected: &[&str]) {
    expect(&TARGETS, size, RACES, body, expected);
}

#[track_caller]
fn opencl(size: Size, text: &str, expected: &[&str]) {
    expect_compiled(&["gfx701", "gfx803", "gfx906"], size, RACES, text, expected);
}

#[test]
fn lds_of_another_wave_needs_a_barrier() {
    let body = |between: &str| {
        format!(
            "ds_write_b32 v1, v0\nv_xor_b32 v2, 0x100, v1\n{between}\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)"
        )
    };
    // Each wave reads what the other has not written, or has.
    assembly(
        WAVES,
        &body("s_waitcnt lgkmcnt(0)"),
        &["lds-race: ds_read_b32 v3, v2 | ds_write_b32 v1, v0"],
    );
    assembly(WAVES, &body("s_waitcnt lgkmcnt(0)\ns_barrier"), &[]);
}

#[test]
fn what_was_loaded_before_is_not_to_be_overwritten_behind_no_barrier() {
    let body = |between: &str| {
        format!(
            "ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_read_b32 v3, v2\n\
             s_waitcnt lgkmcnt(0)\n{between}\nds_write_b32 v1, v3\n"
        )
    };
    assembly(
        WAVES,
        &body(""),
        &["lds-race: ds_write_b32 v1, v3 | ds_read_b32 v3, v2"],
    );
    assembly(WAVES, &body("s_barrier"), &[]);
}

#[test]
fn stores_of_waves_to_rows_of_lds_are_apart_or_not() {
    let body = |distance: u32, before: usize| {
        let before = "ds_write_b32 v1, v0\n".repeat(before);
        format!(
            "{before}v_and_b32 v2, 0xff, v1\nv_mov_b32 v3, {distance}\nv_mul_lo_u32 v3, v3, s8\nv_or_b32 v2, v2, v3\n\
             ds_write_b32 v2, v0"
        )
    };
    // Few stores, which are looked at one by one, and many.
    for before in [0, 1, 100] {
        assembly(WAVES, &body(0x100, before), &[]);
        let twice = "lds-race: ds_write_b32 v2, v0 | ds_write_b32 v2, v0";
        assembly(WAVES, &body(0, before), &[twice]);
    }
    // Waves that store next to each other, and load their own.
    let own = "ds_write_b32 v1, v0\nds_read_b32 v2, v1\nds_write_b32 v1, v0 offset:1024\nds_read_b32 v2, v1 offset:1024";
    assembly(WAVES, own, &[]);
}

#[test]
fn bytes_of_a_dword_are_told_apart() {
    let body = |distance: u32| {
        format!(
            "v_and_b32 v2, 63, v0\nv_lshlrev_b32 v2, 1, v2\nv_mov_b32 v3, {distance}\nv_mul_lo_u32 v3, v3, s8\n\
             v_or_b32 v2, v2, v3\nds_write_b8 v2, v0\n"
        )
    };
    assembly(WAVES, &body(1), &[]);
    assembly(
        WAVES,
        &body(0),
        &["lds-race: ds_write_b8 v2, v0 | ds_write_b8 v2, v0"],
    );
}

#[test]
fn two_workgroups_store_to_one_address() {
    let store = "buffer_store_dword v2, v1, s[4:7], 0 offen";
    let twice = |kind: &str| format!("{kind}: {store} | {store}");
    let body = |value: &str| format!("v_mov_b32 v2, {value}\n{store}");
    assembly(GROUPS, &body("s2"), &[&twice("global-race")]);
    assembly(GROUPS, &body("7"), &[&twice("same-value-race")]);
    let apart = "s_lshl_b32 s9, s2, 8\nv_add_u32 v1, s9, v1\nv_mov_b32 v2, s2\n\
                 buffer_store_dword v2, v1, s[4:7], 0 offen";
    expect(&["gfx900", "gfx906"], GROUPS, RACES, apart, &[]);
    // A barrier is the workgroup's.
    let body = "v_mov_b32 v2, s2\ns_barrier\nbuffer_store_dword v2, v1, s[4:7], 0 offen";
    assembly(GROUPS, body, &[&twice("global-race")]);
    assembly(
        Size {
            grid: 64,
            group: 64,
        },
        body,
        &[],
    );
}

#[test]
fn lanes_store_different_values_to_one_address() {
    let one = Size {
        grid: 64,
        group: 64,
    };
    let store = "buffer_store_dword v0, v2, s[4:7], 0 offen";
    let own = format!("lane-race: {store} | {store}");
    assembly(one, &format!("v_mov_b32 v2, 0\n{store}"), &[&own]);
    assembly(
        one,
        "v_mov_b32 v2, 0\nbuffer_store_dword v2, v2, s[4:7], 0 offen",
        &[],
    );
    // Two lanes share a dword.
    assembly(
        one,
        "v_and_b32 v2, 0x7c, v1\nds_write_b32 v2, v0",
        &["lane-race: ds_write_b32 v2, v0 | ds_write_b32 v2, v0"],
    );
    // The same of lanes 4 to 11, and of every second lane; and lanes 4 to 11 in a row.
    for (exec, address, shares) in [
        ("0xff0", "v2", true),
        ("0x555", "v2", false),
        ("0xff0", "v1", false),
    ] {
        let store = format!("ds_write_b32 {address}, v0");
        let finding: &str = &format!("lane-race: {store} | {store}");
        let body =
            format!("v_and_b32 v2, -8, v1\ns_mov_b64 exec, {exec}\n{store}\ns_mov_b64 exec, -1");
        assembly(GROUPS, &body, &[finding][..usize::from(shares)]);
    }
    // One word of the second element is the next lane's first.
    assembly(
        one,
        "ds_write2_b32 v1, v0, v0 offset0:0 offset1:1",
        &["lane-race: ds_write2_b32 v1, v0, v0 offset1:1 | ds_write2_b32 v1, v0, v0 offset1:1"],
    );
    assembly(one, "ds_write2_b32 v1, v0, v0 offset0:0 offset1:64", &[]);
}

#[test]
fn atomics_meet_atomics_and_nothing_else() {
    let atomic = "buffer_atomic_add v0, v1, s[4:7], 0 offen";
    assembly(GROUPS, atomic, &[]);
    assembly(
        GROUPS,
        &format!("{atomic}\nbuffer_load_dword v3, v1, s[4:7], 0 offen glc"),
        &[],
    );
    let load = "buffer_load_dword v3, v1, s[4:7], 0 offen";
    // The first workgroup's load is ordered behind its own atomic; the second's atomic is behind neither.
    assembly(
        GROUPS,
        &format!("{atomic}\n{load}"),
        &[&format!("global-race: {load} | {atomic}")],
    );
    // Each wave loads, and then counts there.
    let then = |between: &str| {
        format!(
            "v_mov_b32 v4, 0\nds_read_b32 v3, v4\ns_waitcnt lgkmcnt(0)\n{between}\nds_add_u32 v4, v0"
        )
    };
    let race = "lds-race: ds_add_u32 v4, v0 | ds_read_b32 v3, v4";
    assembly(WAVES, &then(""), &[race]);
    assembly(WAVES, &then("s_barrier"), &[]);
    // Each wave counts, and then loads what the other has counted in, too.
    let count = "ds_add_u32 v4, v0";
    let own = |between: &str| {
        format!("v_mov_b32 v4, 0\n{count}\n{between}\nds_read_b32 v3, v4\ns_waitcnt lgkmcnt(0)")
    };
    let race = format!("lds-race: ds_read_b32 v3, v4 | {count}");
    let only_last =
        own("s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 end").replace("s_waitcnt", "end:\ns_waitcnt");
    assembly(WAVES, &only_last, &[&race]);
    assembly(WAVES, &own("s_waitcnt lgkmcnt(0)\ns_barrier"), &[]);
    // LDS is set to zero and counted in without a barrier.
    let init = |between: &str| {
        format!(
            "v_and_b32 v2, 0xfc, v1\nv_mov_b32 v3, 0\nv_mov_b32 v4, 1\nds_write_b32 v2, v3\n\
             {between}\nds_add_u32 v2, v4\n"
        )
    };
    let store = "ds_write_b32 v2, v3";
    assembly(
        WAVES,
        &init(""),
        &[
            &format!("lds-race: {store} | {store}"),
            &format!("lds-race: ds_add_u32 v2, v4 | {store}"),
        ],
    );
    let barrier = "s_waitcnt lgkmcnt(0)\ns_barrier";
    let clean = init(barrier).replace(store, &format!("ds_write_b32 v1, v3\n{barrier}"));
    assembly(WAVES, &clean, &[]);
}

#[test]
fn a_swap_that_fails_writes_nothing() {
    let swap = "buffer_atomic_cmpswap v[2:3], v4, s[4:7], 0 offen glc";
    let (load, store) = (
        "buffer_load_dword v5, v4, s[4:7], 0 offen",
        "buffer_store_dword v5, v4, s[4:7], 0 offen",
    );
    // There is 8.
    let body = |compared: u32, then: &str| {
        format!(
            "v_mov_b32 v4, 32\nv_mov_b32 v2, 1\nv_mov_b32 v3, {compared}\nv_mov_b32 v5, 2\n{swap}\n\
             s_cmp_eq_u32 s2, 0\ns_cbranch_scc1 end\n{then}\nend:\ns_waitcnt vmcnt(0)"
        )
    };
    assembly(GROUPS, &body(7, load), &[]);
    assembly(
        GROUPS,
        &body(8, load),
        &[&format!("global-race: {load} | {swap}")],
    );
    assembly(
        GROUPS,
        &body(7, store),
        &[&format!("global-race: {store} | {swap}")],
    );
}

#[test]
fn swaps_of_lanes_follow_each_other() {
    // Lane n takes n for n + 1: all succeed, and the place belongs to the wave; or only the first does.
    let body = |by_lane: &str| {
        format!(
            "v_mov_b32 v4, 0\nv_and_b32 v2, 63, v0\nv_add_i32 v3, vcc, 1, v2\nds_cmpst_b32 v4, {by_lane}, v3\n\
             s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 end\nds_read_b32 v5, v4\nend:\ns_waitcnt lgkmcnt(0)"
        )
    };
    let old = ["gfx601", "gfx701", "gfx803"];
    let found = ["lds-race: ds_read_b32 v5, v4 | ds_cmpst_b32 v4, v2, v3"];
    expect(&old, WAVES, RACES, &body("v2"), &found);
    let none = body("v1").replace(
        "v_mov_b32 v4, 0",
        "v_mov_b32 v4, 0\nv_or_b32 v1, 0x1000, v1",
    );
    expect(&old, WAVES, RACES, &none, &[]);
}

#[test]
fn compiled_locks_are_clean_and_are_not_without_their_fences() {
    let text = |acquire: &str, release: &str| {
        format!(
            "kernel void test(global uint *data) {{
                global atomic_uint *lock = (global atomic_uint *)(data + 8192);
                uint n = get_local_id(0);
                if (n % 64 != 0) return;
                uint free = 8192;
                while (!atomic_compare_exchange_strong_explicit(lock, &free, 1u, memory_order_relaxed,
                           memory_order_relaxed, memory_scope_device)) free = 8192;
                {acquire}
                data[n] += get_group_id(0);
                {release}
                atomic_store_explicit(lock, 8192u, memory_order_relaxed, memory_scope_device);
            }}"
        )
    };
    let fence = |order: &str| {
        format!("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {order}, memory_scope_device);")
    };
    // A fence for both invalidates the cache behind its wait, and before the store that releases.
    let both = fence("memory_order_seq_cst");
    opencl(GROUPS, &text(&both, &both), &[]);
    let (acquire, release) = (fence("memory_order_acquire"), fence("memory_order_release"));
    opencl(GROUPS, &text(&acquire, &release), &[]);
    opencl(GROUPS, &text("", &release), &["global-race"]);
}

/// A wave stores data and a flag; one of another workgroup, or of the same, waits for the flag and loads the data. `is_second`
/// is true in a scalar register for the producer.
fn flag(producer: &str, release: &str, acquire: &str, load: &str) -> String {
    format!(
        "s_movk_i32 s10, 0x4000\nv_and_b32 v1, 0xfc, v1\nv_mov_b32 v2, 0x1000\nv_mov_b32 v5, 1\n\
         s_cmp_eq_u32 {producer}, 1\ns_cbranch_scc1 produce\n\
         spin:\nbuffer_load_dword v3, v2, s[4:7], 0 offen glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s9, v3\n\
         s_cmp_lg_u32 s9, 1\ns_cbranch_scc1 spin\n{acquire}\n{load}\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm\n\
         produce:\nbuffer_store_dword v0, v1, s[4:7], 0 offen\n{release}\nbuffer_store_dword v5, v2, s[4:7], 0 offen\n"
    )
}

const LOAD: &str = "buffer_load_dword v4, v1, s[4:7], 0 offen";
const DATA: &str = "buffer_store_dword v0, v1, s[4:7], 0 offen";
const SCALAR: &str = "s_load_dword s12, s[4:5], 0x0";

#[test]
fn a_flag_orders_behind_a_release_and_an_acquire() {
    let race = [format!("global-race: {DATA} | {LOAD}")];
    let race: Vec<&str> = race.iter().map(String::as_str).collect();
    let wait = "s_waitcnt vmcnt(0)";
    let cases: [(&str, &str, &[&str]); 4] = [
        (wait, "buffer_wbinvl1", &[]),
        ("", "buffer_wbinvl1", &race),
        (wait, "", &race),
        ("", "", &race),
    ];
    for (release, acquire, expected) in cases {
        assembly(GROUPS, &flag("s2", release, acquire, LOAD), expected);
    }
    // Stores do not go through the cache.
    let store = "buffer_store_dword v5, v1, s[4:7], 0 offen";
    let body = |release| flag("s2", release, "", store);
    assembly(GROUPS, &body(wait), &[]);
    assembly(
        GROUPS,
        &body(""),
        &[&format!("global-race: {DATA} | {store}")],
    );
    // In one workgroup the cache is one.
    assembly(WAVES, &flag("s8", wait, "", LOAD), &[]);
}

#[test]
fn a_flag_is_stored_again_behind_a_load_of_its_value() {
    // The producer releases nothing: its store of data is on its way. The consumer stores to the flag only.
    let again = "buffer_store_dword v5, v2, s[4:7], 0 offen offset:0";
    assembly(GROUPS, &flag("s2", "", "", again), &[]);
    // Without a load of the value there is no order.
    let blind = flag("s2", "", "", again).replace("s_cbranch_scc1 spin", "s_nop 0");
    let blind = blind.replace("buffer_load_dword v3, v2", "buffer_load_dword v3, v5");
    let flag = "buffer_store_dword v5, v2, s[4:7], 0 offen";
    let race = format!("same-value-race: {flag} | {flag}");
    assembly(GROUPS, &blind, &[&race]);
}

#[test]
fn a_polling_wave_acquires_for_its_workgroup_behind_a_barrier() {
    // Both waves of workgroup 0 load; one of them sets a flag behind a barrier. A wave of workgroup 1 polls, and behind a barrier the
    // other one stores, which goes past the cache.
    let store = "buffer_store_dword v0, v6, s[4:7], 0 offen";
    let body = |wait: &str, barrier: &str| {
        format!(
            "v_mov_b32 v2, 0x1000\nv_mov_b32 v5, 1\nv_mov_b32 v6, 0x100\n{LOAD}\ns_cmp_eq_u32 s2, 0\ns_cbranch_scc1 produce\n\
             s_cmp_eq_u32 s8, 1\ns_cbranch_scc1 join\n\
             spin:\nbuffer_load_dword v3, v2, s[4:7], 0 offen glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s9, v3\n\
             s_cmp_lg_u32 s9, 1\ns_cbranch_scc1 spin\njoin:\ns_waitcnt vmcnt(0)\n{barrier}\ns_cmp_eq_u32 s8, 0\n\
             s_cbranch_scc1 end\ns_mov_b64 exec, 1\n{store}\ns_branch end\n\
             produce:\n{wait}\ns_barrier\ns_cmp_eq_u32 s8, 1\ns_cbranch_scc1 end\n\
             s_waitcnt vmcnt(0)\nbuffer_store_dword v5, v2, s[4:7], 0 offen\nend:\ns_waitcnt vmcnt(0)\n"
        )
    };
    let size = Size {
        grid: 256,
        group: 128,
    };
    let race = format!("global-race: {store} | {LOAD}");
    let wait = "s_waitcnt vmcnt(0)";
    assembly(size, &body(wait, "s_barrier"), &[]);
    assembly(size, &body("", "s_barrier"), &[&race]);
    assembly(size, &body(wait, ""), &[&race]);
}

#[test]
fn scalar_loads_need_an_invalidation_of_their_own() {
    let race = format!("global-race: {DATA} | {SCALAR}");
    let body = |acquire| flag("s2", "s_waitcnt vmcnt(0)", acquire, SCALAR);
    assembly(GROUPS, &body("buffer_wbinvl1"), &[&race]);
    assembly(GROUPS, &body("buffer_wbinvl1\ns_dcache_inv"), &[]);
}

#[test]
fn a_barrier_passes_on_what_its_waves_have_acquired() {
    // Two waves store; one of them releases for both, behind a barrier.
    let body = |wait: &str| {
        format!(
            "v_mov_b32 v2, 0x1000\nv_mov_b32 v5, 1\ns_cmp_eq_u32 s2, 1\ns_cbranch_scc1 produce\n\
             spin:\nbuffer_load_dword v3, v2, s[4:7], 0 offen glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s9, v3\n\
             s_cmp_lg_u32 s9, 1\ns_cbranch_scc1 spin\nbuffer_wbinvl1\n{LOAD}\ns_waitcnt vmcnt(0)\ns_endpgm\n\
             produce:\n{DATA}\n{wait}\ns_barrier\ns_cmp_eq_u32 s8, 1\ns_cbranch_scc1 end\n\
             s_waitcnt vmcnt(0)\nbuffer_store_dword v5, v2, s[4:7], 0 offen\nend:\n"
        )
    };
    let size = Size {
        grid: 256,
        group: 128,
    };
    assembly(size, &body("s_waitcnt vmcnt(0)"), &[]);
    // The other wave's stores may be on their way.
    assembly(size, &body(""), &[&format!("global-race: {DATA} | {LOAD}")]);
}

#[test]
fn global_wave_synchronisation_orders_workgroups_behind_waits_and_before_an_invalidation() {
    // Each of two workgroups of one wave stores its part and loads the other's behind a barrier.
    let body = |release: &str, acquire: &str| {
        format!(
            "s_mov_b32 m0, 0\nv_mov_b32 v6, 1\nv_and_b32 v1, 0xfc, v1\ns_lshl_b32 s9, s2, 8\n\
             s_xor_b32 s10, s9, 0x100\nv_or_b32 v2, s10, v1\nv_or_b32 v1, s9, v1\n\
             {DATA}\n{release}\nds_gws_barrier v6 gds\ns_waitcnt lgkmcnt(0)\n{acquire}\n\
             buffer_load_dword v4, v2, s[4:7], 0 offen\ns_waitcnt vmcnt(0)"
        )
    };
    let wait = "s_waitcnt vmcnt(0)";
    let race = format!("global-race: buffer_load_dword v4, v2, s[4:7], 0 offen | {DATA}");
    assembly(GROUPS, &body(wait, "buffer_wbinvl1"), &[]);
    // As AMD's device library has it.
    let both = format!("{wait}\nbuffer_wbinvl1");
    assembly(GROUPS, &body(&both, ""), &[]);
    let other = "buffer_load_dword v7, v8, s[4:7], 0 offen offset:2048";
    let late = format!("v_mov_b32 v8, 0\n{both}\n{other}\ns_waitcnt vmcnt(0)");
    for (release, acquire) in [("", "buffer_wbinvl1"), (wait, ""), (&late, "")] {
        assembly(GROUPS, &body(release, acquire), &[&race]);
    }
}

#[test]
fn the_host_is_an_agent_while_the_kernel_runs() {
    for (acquire, expected) in [
        ("", &[&*format!("global-race: {LOAD} | -")][..]),
        ("buffer_wbinvl1", &[]),
    ] {
        let device = device("gfx900");
        let body = flag("s30", "", acquire, LOAD);
        let kernel = assembled(&device, &format!("s_mov_b32 s30, 0\n{body}"));
        let findings = Arc::new(Findings::default());
        let observers = checkers(RACES, &findings);
        device.observe(&observers);
        let data = buffer(&device);
        let launch = kernel.launch([64, 1, 1]).group([64, 1, 1]).arg(&data);
        let progress = Arc::new(gcn_runtime::progress::Progress::default());
        let launch = launch.observers(&observers).progress(&progress);
        let running = launch.submit(&device.queue()).expect("it can be launched");
        let begin = Instant::now();
        while progress.done().instructions == 0 {
            assert!(begin.elapsed() < Duration::from_secs(60), "nothing runs");
            std::thread::yield_now();
        }
        data.write(0, &[5u32; 64]).expect("it is there");
        data.write(0x400, &[1u32]).expect("it is there");
        running.wait().expect("no fault");
        let found: Vec<String> = findings.all().0.iter().map(told).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn compiled_reductions_are_clean_and_are_not_without_their_barriers() {
    let text = |barrier: &str| {
        format!(
            "kernel void test(global uint *data) {{
                local uint part[256];
                uint n = get_local_id(0);
                part[n] = data[get_global_id(0)];
                {barrier}
                for (uint step = 128; step > 0; step /= 2) {{
                    if (n < step) part[n] += part[n + step];
                    {barrier}
                }}
                if (n == 0) data[1024 + get_group_id(0)] = part[0];
            }}"
        )
    };
    let size = Size {
        grid: 1024,
        group: 256,
    };
    opencl(size, &text("barrier(CLK_LOCAL_MEM_FENCE);"), &[]);
    opencl(size, &text(""), &["lds-race"]);
}

#[test]
fn compiled_histograms_are_clean_and_are_not_without_their_barriers() {
    let text = |before: &str, after: &str| {
        format!(
            "kernel void test(global uint *data) {{
                local uint bins[64];
                uint n = get_local_id(0);
                if (n < 64) bins[n] = 0;
                {before}
                atomic_inc(&bins[(data[get_global_id(0)] * 7) & 63]);
                {after}
                if (n < 64) atomic_add(&data[2048 + n], bins[n]);
            }}"
        )
    };
    let barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
    let size = Size {
        grid: 1024,
        group: 256,
    };
    opencl(size, &text(barrier, barrier), &[]);
    opencl(size, &text("", barrier), &["lds-race"]);
    opencl(size, &text(barrier, ""), &["lds-race"]);
}

#[test]
fn compiled_barriers_of_the_grid_are_clean_and_are_not_without_their_fences() {
    let text = |release: &str, acquire: &str| {
        format!(
            "kernel void test(global uint *data) {{
                global atomic_uint *count = (global atomic_uint *)(data + 8192);
                uint n = get_global_id(0);
                data[n] = n;
                barrier(CLK_GLOBAL_MEM_FENCE);
                if (get_local_id(0) == 0) {{
                    atomic_fetch_add_explicit(count, 1, {release}, memory_scope_device);
                    while (atomic_load_explicit(count, {acquire}, memory_scope_device) != 8192 + get_num_groups(0));
                }}
                barrier(CLK_GLOBAL_MEM_FENCE);
                data[4096 + n] = data[get_global_size(0) - 1 - n];
            }}"
        )
    };
    let size = Size {
        grid: 1024,
        group: 128,
    };
    let (release, acquire) = ("memory_order_acq_rel", "memory_order_acquire");
    opencl(size, &text(release, acquire), &[]);
    opencl(
        size,
        &text("memory_order_relaxed", "memory_order_relaxed"),
        &["global-race"],
    );
}

#[test]
fn compiled_flags_are_clean_and_are_not_without_their_fences() {
    let text = |release: &str, acquire: &str| {
        format!(
            "kernel void test(global uint *data) {{
                global atomic_uint *flag = (global atomic_uint *)(data + 8192);
                uint n = get_local_id(0);
                if (get_group_id(0) == 1) {{
                    data[n] = n + 1;
                    barrier(CLK_GLOBAL_MEM_FENCE);
                    if (n == 0) atomic_store_explicit(flag, 1, {release}, memory_scope_device);
                }} else {{
                    if (n == 0) while (atomic_load_explicit(flag, {acquire}, memory_scope_device) != 1);
                    barrier(CLK_GLOBAL_MEM_FENCE);
                    data[4096 + n] = data[128 - 1 - n];
                }}
            }}"
        )
    };
    let size = Size {
        grid: 256,
        group: 128,
    };
    let (release, acquire) = ("memory_order_release", "memory_order_acquire");
    opencl(size, &text(release, acquire), &[]);
    opencl(
        size,
        &text(release, "memory_order_relaxed"),
        &["global-race"],
    );
}

#[test]
fn lanes_are_agents_on_demand() {
    let one = Size {
        grid: 64,
        group: 64,
    };
    let text = |barrier: &str| {
        format!(
            "kernel void test(global uint *data) {{
                local uint part[64];
                uint n = get_local_id(0);
                part[n] = data[n];
                {barrier}
                data[1024 + n] = part[n ^ 1];
            }}"
        )
    };
    // A scalar load is the wave's, whichever lane stores behind it.
    let scalar = "s_load_dword s9, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b64 exec, 2\nv_mov_b32 v2, 0\n\
                  buffer_store_dword v0, v2, s[4:7], 0 offen";
    expect(&TARGETS, one, &[Check::Lanes], scalar, &[]);
    // All lanes load and then store one dword.
    let (load, store) = ("ds_read_b32 v3, v2", "ds_write_b32 v2, v3");
    let body = format!("v_mov_b32 v2, 0\n{load}\ns_waitcnt lgkmcnt(0)\n{store}");
    let race = format!("lds-race: {store} | {load}");
    expect(&TARGETS, one, &[Check::Lanes], &body, &[&race]);
    expect(&TARGETS, one, RACES, &body, &[]);
    let targets = ["gfx803", "gfx906"];
    let lanes = &[Check::Lanes];
    expect_compiled(&targets, one, RACES, &text(""), &[]);
    expect_compiled(&targets, one, lanes, &text(""), &["lds-race"]);
    let barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
    expect_compiled(&targets, one, lanes, &text(barrier), &[]);
}
