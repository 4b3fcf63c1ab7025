//! Releases: locks and counters that order what waves do before and behind them.

use gcn_observe::finding::Check;
use gcn_runtime::{Device, Variations};

use super::common::{Size, TARGETS, assembled, expect, found, told};
use super::{DATA, GROUPS, LOAD, RACES, SCALAR, WAVES, assembly, flag};

/// Code of a critical section with a lock in global memory, which holds 0x400 when free. The section accesses the address in v6.
fn global_lock(section: &str) -> String {
    format!(
        "s_mov_b64 exec, 1\nv_mov_b32 v4, 0x1000\nv_mov_b32 v5, 0x400\nv_mov_b32 v6, 0\n\
         spin:\nv_mov_b32 v2, 1\nv_mov_b32 v3, v5\nbuffer_atomic_cmpswap v[2:3], v4, s[4:7], 0 offen glc\n\
         s_waitcnt vmcnt(0)\nv_readfirstlane_b32 s9, v2\ns_cmp_lg_u32 s9, 0x400\ns_cbranch_scc1 spin\n\
         buffer_wbinvl1\n{section}\ns_waitcnt vmcnt(0)\nbuffer_store_dword v5, v4, s[4:7], 0 offen"
    )
}

/// Code of a critical section with a lock in LDS, which holds 0 when free. The section accesses the address in v6.
fn lds_lock(section: &str) -> String {
    format!(
        "s_mov_b64 exec, 1\nv_mov_b32 v4, 0x800\nv_mov_b32 v5, 1\nv_mov_b32 v6, 0\n\
         s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 begin\nds_write_b32 v4, v6\n\
         begin:\ns_waitcnt lgkmcnt(0)\ns_barrier\n\
         spin:\nds_cmpst_rtn_b32 v2, v4, v6, v5\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s9, v2\n\
         s_cmp_lg_u32 s9, 0\ns_cbranch_scc1 spin\n\
         {section}\ns_waitcnt lgkmcnt(0)\nds_write_b32 v4, v6"
    )
}

#[test]
fn a_store_releases_a_lock_behind_loads_or_stores() {
    let load = "buffer_load_dword v7, v6, s[4:7], 0 offen";
    let store = "buffer_store_dword v5, v6, s[4:7], 0 offen";
    for checks in [RACES, &[Check::Lanes][..]] {
        for section in [load, store] {
            expect(&TARGETS, GROUPS, checks, &global_lock(section), &[]);
        }
        for section in ["ds_read_b32 v7, v6", "ds_write_b32 v6, v5"] {
            expect(&TARGETS, WAVES, checks, &lds_lock(section), &[]);
        }
    }
}

#[test]
fn stores_that_release_one_flag_do_not_race() {
    // Each wave stores its part of the data and then its number to a flag, of which nothing shows who acquires it.
    let flag = "buffer_store_dword v5, v2, s[4:7], 0 offen";
    let body = |poll: &str, release: &str| {
        format!(
            "v_mov_b32 v2, 0x1000\nv_mov_b32 v6, 0x2000\nv_mov_b32 v5, s2\ns_lshl_b32 s9, s2, 8\n\
             v_or_b32 v1, s9, v1\n{poll}\n{DATA}\n{release}\n{flag}"
        )
    };
    let (glc, wait) = (
        "buffer_load_dword v3, v6, s[4:7], 0 offen glc",
        "s_waitcnt vmcnt(0)",
    );
    let race = format!("global-race: {flag} | {flag}");
    assembly(GROUPS, &body(glc, wait), &[]);
    assembly(GROUPS, &body(glc, ""), &[&race]);
    assembly(GROUPS, &body("", wait), &[&race]);
    // GLC of a store, or of a scalar load, acquires nothing.
    let nontemporal = body("", wait).replace(DATA, &format!("{DATA} glc"));
    assembly(GROUPS, &nontemporal, &[&race]);
    let scalar = body("s_load_dword s11, s[4:5], 0x2000 glc", wait);
    expect(&TARGETS[2..], GROUPS, RACES, &scalar, &[&race]);
    // The same in LDS.
    let flag = "ds_write_b32 v2, v5";
    let body = |poll: &str, release: &str| {
        format!(
            "v_mov_b32 v2, 0x400\nv_mov_b32 v6, 0x800\nv_mov_b32 v5, s8\n{poll}\n\
             ds_write_b32 v1, v0\n{release}\n{flag}"
        )
    };
    let (atomic, wait) = ("ds_add_rtn_u32 v3, v6, v5", "s_waitcnt lgkmcnt(0)");
    let race = format!("lds-race: {flag} | {flag}");
    assembly(WAVES, &body(atomic, wait), &[]);
    assembly(WAVES, &body(atomic, ""), &[&race]);
    assembly(WAVES, &body("", wait), &[&race]);
}

/// Asserts what is found in the body of a kernel, with and without delayed operations.
#[track_caller]
fn delayed(size: Size, body: &str, expected: &[&str]) {
    assembly(size, body, expected);
    let late = Variations {
        late: Some(1),
        ..Variations::default()
    };
    for target in TARGETS {
        let builder = Device::builder(target).expect("a target").threads(1);
        let device = builder.vary(&late).build();
        let found = found(&device, &assembled(&device, body), size, RACES);
        let told: Vec<String> = found.iter().map(told).collect();
        assert_eq!(told, expected, "on {target}:\n{body}\n{found:#?}");
    }
}

#[test]
fn a_delayed_load_is_before_the_invalidations_behind_it() {
    let wait = "s_waitcnt vmcnt(0)";
    for (acquire, load, invalidation) in [
        ("", LOAD, "buffer_wbinvl1"),
        ("buffer_wbinvl1", SCALAR, "s_dcache_inv"),
    ] {
        let body = flag("s2", wait, acquire, &format!("{load}\n{invalidation}"));
        delayed(GROUPS, &body, &[&format!("global-race: {DATA} | {load}")]);
    }
    // A barrier behind the invalidation is behind the load, too.
    let body = format!(
        "v_and_b32 v1, 0xfc, v1\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 store\n\
         {LOAD}\nbuffer_wbinvl1\ns_barrier\n{wait}\ns_endpgm\nstore:\n{DATA}\ns_barrier"
    );
    delayed(WAVES, &body, &[&format!("global-race: {DATA} | {LOAD}")]);
}

#[test]
fn a_delayed_load_is_before_the_barriers_and_releases_behind_it() {
    let wait = "s_waitcnt vmcnt(0)";
    let body = format!(
        "v_and_b32 v1, 0xfc, v1\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 store\n{LOAD}\ns_barrier\n{wait}\ns_endpgm\n\
         store:\ns_barrier\n{DATA}"
    );
    delayed(WAVES, &body, &[]);
    // A wave counts in LDS behind its load, or before it; the other one waits for the count and stores.
    let body = |early: &str, late: &str| {
        format!(
            "v_and_b32 v1, 0xfc, v1\nv_mov_b32 v2, 0\nv_mov_b32 v3, 1\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc0 poll\n\
             {early}\nds_add_u32 v2, v3\ns_waitcnt lgkmcnt(0)\n{late}\n{wait}\ns_endpgm\n\
             poll:\nds_or_rtn_b32 v5, v2, v2\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s9, v5\ns_cmp_eq_u32 s9, 0\n\
             s_cbranch_scc1 poll\n{DATA}"
        )
    };
    delayed(WAVES, &body(LOAD, ""), &[]);
    let race = format!("global-race: {DATA} | {LOAD}");
    delayed(WAVES, &body("", LOAD), &[&race]);
}

#[test]
fn an_atomic_continues_the_release_of_an_earlier_one_by_its_wave() {
    // A wave stores to two places, counts behind each, and waits only before it counts first. The other one waits for both
    // counts and loads one of the places.
    let add = "buffer_atomic_add v5, v2, s[4:7], 0 offen";
    let body = |offset: &str| {
        format!(
            "s_mov_b64 exec, 1\nv_mov_b32 v1, 0\nv_mov_b32 v2, 0x1000\nv_mov_b32 v5, 1\n\
             s_cmp_eq_u32 s2, 0\ns_cbranch_scc1 produce\n\
             spin:\nbuffer_load_dword v3, v2, s[4:7], 0 offen glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s9, v3\n\
             s_cmp_lg_u32 s9, 0x402\ns_cbranch_scc1 spin\nbuffer_wbinvl1\n{LOAD}{offset}\ns_waitcnt vmcnt(0)\ns_endpgm\n\
             produce:\n{DATA}\ns_waitcnt vmcnt(0)\n{add}\n{DATA} offset:128\n{add}"
        )
    };
    assembly(GROUPS, &body(""), &[]);
    let race = format!("global-race: {DATA} offset:128 | {LOAD} offset:128");
    assembly(GROUPS, &body(" offset:128"), &[&race]);
}

#[test]
fn atomics_of_all_lanes_in_lds_continue_releases() {
    // Three waves store to LDS and count, all lanes at one place or each at its own. The last one waits for all counts and loads
    // what the first has stored.
    let size = Size {
        grid: 192,
        group: 192,
    };
    let (store, load) = ("ds_write_b32 v1, v0", "ds_read_b32 v4, v3 offset:4");
    let body = |places: u32, count: u32, early: &str| {
        format!(
            "v_mov_b32 v3, 0\nv_mov_b32 v7, 1\nv_and_b32 v8, {places}, v1\n\
             s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 begin\nds_write_b32 v8, v3 offset:2048\n\
             begin:\ns_waitcnt lgkmcnt(0)\ns_barrier\n\
             {store}\ns_waitcnt lgkmcnt(0)\nds_add_u32 v8, v7 offset:2048\ns_cmp_lg_u32 s8, 2\ns_cbranch_scc1 end\n\
             s_mov_b64 exec, 1\n{early}\n\
             poll:\nds_or_rtn_b32 v2, v8, v3 offset:2048\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s9, v2\n\
             s_cmp_lg_u32 s9, {count}\ns_cbranch_scc1 poll\n{load}\nend:\ns_waitcnt lgkmcnt(0)"
        )
    };
    let race = format!("lds-race: {load} | {store}");
    for (places, count) in [(0, 192), (0xfc, 3)] {
        assembly(size, &body(places, count, ""), &[]);
        assembly(size, &body(places, count, load), &[&race]);
    }
}
