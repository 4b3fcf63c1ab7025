//! Plain loads that belong to compare-and-swaps: no race with other waves' atomics, unless they are used otherwise.

use super::common::{Size, compiled, device, expect_compiled, found};
use super::{GROUPS, RACES, WAVES, assembly};

const LOAD: &str = "buffer_load_dword v3, v2, s[4:7], 0 offen";
const SWAP: &str = "buffer_atomic_cmpswap v[4:5], v6, s[4:7], 0 offen glc";
/// A store of each work-item to an element of its own.
const STORE: &str = "buffer_store_dword v0, v1, s[4:7], 0 offen offset:2048";

/// A loop of compare-and-swaps at the address in v6, whose first value was loaded from the address in v2: both in memory that nobody
/// else accesses otherwise. `v3` has the value, and `s[10:11]` the lanes that were active before.
fn swap_loop(between: &str) -> String {
    format!(
        "v_mov_b32 v2, 0\nv_mov_b32 v6, 0\n{LOAD}\ns_mov_b64 s[10:11], exec\ns_waitcnt vmcnt(0)\n{between}\nloop:\n\
         v_xor_b32 v4, v3, v0\nv_mov_b32 v5, v3\n{SWAP}\ns_waitcnt vmcnt(0)\nv_cmp_ne_u32 vcc, v4, v3\nv_mov_b32 v3, v4\n\
         s_and_b64 exec, exec, vcc\ns_cbranch_execnz loop\nend:\ns_mov_b64 exec, s[10:11]\n"
    )
}

#[test]
fn the_load_of_a_compare_and_swap_loop_is_part_of_it() {
    assembly(GROUPS, &swap_loop(""), &[]);
    assembly(WAVES, &swap_loop(""), &[]);
    // An address of what decides whether there is a swap.
    let address = "v_and_b32 v7, 0x7c, v3\nbuffer_load_dword v8, v7, s[4:7], 0 offen offset:2048\ns_waitcnt vmcnt(0)\n\
                   v_cmp_lt_u32 vcc, 40, v8\ns_and_b64 exec, exec, vcc\ns_cbranch_execz end";
    assembly(GROUPS, &swap_loop(address), &[]);
    // The value that memory had last, and a decision to leave it as it is.
    let old = format!(
        "{}v_lshlrev_b32 v7, 2, v0\nbuffer_store_dword v3, v7, s[4:7], 0 offen offset:1024",
        swap_loop("")
    );
    assembly(WAVES, &old, &[]);
    assembly(
        GROUPS,
        &swap_loop("v_cmp_gt_u32 vcc, 40, v3\ns_and_b64 exec, exec, vcc\ns_cbranch_execz end"),
        &[],
    );
    let left = "v_readfirstlane_b32 s12, v3\ns_cmp_eq_u32 s12, s8\ns_cbranch_scc0 loop\ns_endpgm";
    assembly(WAVES, &swap_loop(left), &[]);
}

/// A body that is executed twice.
fn twice(body: &str) -> String {
    format!(
        "s_mov_b32 s13, 2\nagain:\n{body}\ns_sub_u32 s13, s13, 1\ns_cmp_lg_u32 s13, 0\ns_cbranch_scc1 again"
    )
}

#[test]
fn a_load_that_decides_how_long_a_wave_waits_is_part_of_a_compare_and_swap() {
    let is_early = "v_readfirstlane_b32 s12, v3\ns_cmp_eq_u32 s12, -1";
    for wait in [
        format!("{is_early}\ns_cbranch_scc1 wait\n{STORE}"),
        format!("{is_early}\ns_cbranch_scc0 ready\ns_sleep 1\ns_branch wait\nready:\n{STORE}"),
    ] {
        let body = swap_loop(&wait).replace(LOAD, &format!("wait:\n{LOAD}"));
        assembly(WAVES, &body, &[]);
        assembly(WAVES, &twice(&body), &[]);
    }
    // A store behind a decision whose paths meet at a lower address.
    let below = format!(
        "{}s_endpgm\ndecide:\n{is_early}\ns_cbranch_scc0 merge\ns_nop 0\ns_branch merge",
        swap_loop(&format!("s_branch decide\nmerge:\n{STORE}"))
    );
    assembly(WAVES, &below, &[]);
}

#[test]
fn a_load_that_is_used_otherwise_is_a_plain_one() {
    let race = format!("global-race: {SWAP} | {LOAD}");
    let old = ["gfx601", "gfx701", "gfx803"];
    for between in [
        // The value itself, something that depends on it, and conditions of another store.
        "buffer_store_dword v3, v1, s[4:7], 0 offen offset:2048",
        "v_add_i32 v7, vcc, 1, v3\nbuffer_store_dword v7, v1, s[4:7], 0 offen offset:2048",
        "v_cmp_gt_u32 vcc, 40, v3\ns_and_saveexec_b64 s[12:13], vcc\nbuffer_store_dword v0, v1, s[4:7], 0 offen offset:2048\n\
         s_or_b64 exec, exec, s[12:13]",
        "v_readfirstlane_b32 s12, v3\ns_cmp_eq_u32 s12, 0\ns_cbranch_scc0 loop\n\
         buffer_store_dword v0, v1, s[4:7], 0 offen offset:2048",
        // A path that ends before it meets the other one: that of the first wave.
        "v_readfirstlane_b32 s12, v3\ns_cmp_eq_u32 s12, s8\ns_cbranch_scc0 loop\n\
         buffer_store_dword v0, v1, s[4:7], 0 offen offset:2048\ns_endpgm",
    ] {
        super::expect(&old, WAVES, RACES, &swap_loop(between), &[&race]);
    }
    // Paths that meet at a lower address.
    let below = format!(
        "{}s_endpgm\ndecide:\nv_readfirstlane_b32 s12, v3\ns_cmp_eq_u32 s12, 0\ns_cbranch_scc0 merge\n\
         buffer_store_dword v0, v1, s[4:7], 0 offen offset:2048\ns_branch merge",
        swap_loop("s_branch decide\nmerge:")
    );
    super::expect(&old, WAVES, RACES, &below, &[&race]);
    // Paths that both lead to everything, through a loop.
    let decide = "v_readfirstlane_b32 s12, v3\ns_cmp_eq_u32 s12, 0";
    let body = swap_loop(&format!("{decide}\ns_cbranch_scc0 loop\n{STORE}"));
    super::expect(&old, WAVES, RACES, &twice(&body), &[&race]);
    // A path that leaves before the store at which the other paths meet.
    let side = format!(
        "{decide}\ns_cbranch_scc0 other\ns_cmp_eq_u32 s8, 7\ns_cbranch_scc1 loop\ns_branch merge\n\
         other:\ns_nop 0\nmerge:\n{STORE}"
    );
    super::expect(&old, WAVES, RACES, &swap_loop(&side), &[&race]);
    // A second decision, whose paths meet earlier but at a higher address.
    let nested = format!(
        "{}s_endpgm\nfar:\ns_cmp_eq_u32 s12, 1\ns_cbranch_scc0 skip\ns_nop 0\nskip:\n{STORE}\ns_branch near",
        swap_loop(&format!("{decide}\ns_cbranch_scc0 far\nnear:"))
    );
    super::expect(&old, WAVES, RACES, &nested, &[&race]);
    // The load decides nothing else, but compares with another place.
    let elsewhere = "v_mov_b32 v7, 1\nbuffer_atomic_add v7, v2, s[4:7], 0 offen\nv_mov_b32 v6, 4";
    let race = format!("global-race: buffer_atomic_add v7, v2, s[4:7], 0 offen | {LOAD}");
    assembly(WAVES, &swap_loop(elsewhere), &[&race]);
    // Another wave stores there.
    let store = "buffer_store_dword v9, v2, s[4:7], 0 offen";
    let first = format!("v_mov_b32 v9, 0\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc0 loop\n{store}");
    assembly(
        WAVES,
        &swap_loop(&first),
        &[
            &format!("global-race: {store} | {LOAD}"),
            &format!("global-race: {SWAP} | {store}"),
        ],
    );
}

/// A kernel whose work-items update elements of an array with a statement, in global memory or in LDS.
fn updates(ty: &str, helper: &str, space: &str, update: &str) -> String {
    let (declare, clear, base, sum) = match space {
        "local" => (
            format!("local {ty} sums[4];"),
            "if (n < 4) sums[n] = 0; barrier(CLK_LOCAL_MEM_FENCE);",
            "sums",
            "barrier(CLK_LOCAL_MEM_FENCE); if (n < 4) data[1024 + get_group_id(0) * 4 + n] = sums[n];",
        ),
        _ => (String::new(), "", "data", ""),
    };
    format!(
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        {helper}
        kernel void test(global {ty} *data) {{
            {declare}
            uint n = get_local_id(0);
            {clear}
            volatile {space} {ty} *at = {base} + n % 3;
            {ty} value = n;
            {update}
            {sum}
        }}"
    )
}

fn size(space: &str) -> Size {
    if space == "local" { WAVES } else { GROUPS }
}

#[test]
fn atomics_that_compilers_lower_to_a_loop_are_clean() {
    let targets = ["gfx701", "gfx803", "gfx906"];
    for ty in ["float", "double"] {
        for space in ["global", "local"] {
            let update = format!(
                "__opencl_atomic_fetch_add((volatile {space} atomic_{ty} *)at, value, memory_order_relaxed, memory_scope_device);"
            );
            let text = updates(ty, "", space, &update);
            expect_compiled(&targets, size(space), RACES, &text, &[]);
        }
    }
}

#[test]
fn atomics_that_programs_write_as_a_loop_are_clean() {
    for (ty, bits, swap) in [
        ("float", "uint", "atomic_cmpxchg"),
        ("double", "ulong", "atom_cmpxchg"),
        ("int", "uint", "atomic_cmpxchg"),
    ] {
        for space in ["global", "local"] {
            for (result, condition) in [
                ("as_TY(expected) + value", "true"),
                ("max(as_TY(expected), value)", "true"),
                ("value", "as_TY(expected) < value"),
            ] {
                let update = format!(
                    "{bits} expected = *(volatile {space} {bits} *)at;
                    while ({condition}) {{
                        {bits} old = {swap}((volatile {space} {bits} *)at, expected, as_{bits}({result}));
                        if (old == expected) break;
                        expected = old;
                    }}"
                );
                let update = update.replace("*(volatile", "*(").replace("TY", ty);
                let text = updates(ty, "", space, &update);
                for target in ["gfx701", "gfx803", "gfx906"] {
                    let device = device(target);
                    let kernel = compiled(&device, &text, &["-O2", "-cl-std=CL2.0"]);
                    let found = found(&device, &kernel, size(space), RACES);
                    assert!(found.is_empty(), "on {target}:\n{text}\n{found:#?}");
                }
            }
        }
    }
}
