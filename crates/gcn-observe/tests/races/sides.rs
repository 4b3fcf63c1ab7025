//! Both sides of a race: their waves and lanes.

use gcn_observe::finding::{Check, Finding, FindingPlace};

use super::{GROUPS, RACES, Size, TARGETS, WAVES, assembled, device};
use crate::common::found;

/// The instruction, workgroup, wave and lane of a place.
fn told(place: &FindingPlace) -> String {
    let name = place.text.split(' ').next().unwrap_or_default();
    let wave = place.wave.expect("a wave");
    let lane = place.lane.map_or("-".to_owned(), |it| it.to_string());
    format!("{name} {} {} {lane}", wave.group[0], wave.wave)
}

/// Asserts the sides of the only finding of a body.
#[track_caller]
fn expect(size: Size, body: &str, expected: [&str; 2]) {
    expect_of(RACES, size, body, expected);
}

/// Asserts the sides of the only finding of some checkers.
#[track_caller]
fn expect_of(checks: &[Check], size: Size, body: &str, expected: [&str; 2]) {
    for target in TARGETS {
        let device = device(target);
        let found = found(&device, &assembled(&device, body), size, checks);
        let sides = |it: &Finding| {
            let other = it.sides[0].place.as_ref().expect("an instruction");
            [told(&it.place), told(other)]
        };
        let sides: Vec<_> = found.iter().map(sides).collect();
        assert_eq!(sides, [expected], "on {target}:\n{body}\n{found:#?}");
    }
}

#[test]
fn lanes_of_lds_are_known_of_accesses_that_were_kept_and_of_others() {
    // The lanes of the second wave, from the last to the first, meet those of the first wave.
    let turned = "v_xor_b32 v2, 0x1fc, v1";
    expect(
        WAVES,
        &format!("{turned}\nds_write_b32 v1, v0\nds_read_b32 v3, v2"),
        ["ds_read_b32 0 0 63", "ds_write_b32 0 1 0"],
    );
    // A swap is looked at at once.
    let swap = "ds_cmpst_b32 v2, v0, v0 offset:2048";
    expect(
        WAVES,
        &format!("{turned}\n{swap}\ns_waitcnt lgkmcnt(0)\nds_read_b32 v3, v1 offset:2048"),
        ["ds_read_b32 0 1 63", "ds_cmpst_b32 0 0 0"],
    );
    // The second one of two addresses.
    expect(
        WAVES,
        "v_mov_b32 v3, 0x200\nds_write2_b32 v1, v0, v0 offset1:128\n\
         s_mov_b64 exec, 4\nds_read_b32 v4, v3",
        ["ds_read_b32 0 1 2", "ds_write2_b32 0 0 0"],
    );
}

#[test]
fn lanes_of_global_memory_are_known_of_every_shape() {
    let load = "buffer_load_dword v3, v2, s[4:7], 0 offen";
    let store = "buffer_store_dword v0, v1, s[4:7], 0 offen";
    let last = "v_mov_b32 v2, 0xf4\ns_mov_b64 exec, 0x100";
    for (before, lane) in [
        // A row, one with inactive lanes, and lanes in another order.
        ("", 61),
        ("s_mov_b32 exec_lo, -2", 61),
        ("v_xor_b32 v1, 0xfc, v1", 2),
    ] {
        let own = "buffer_load_dword 1 0 8";
        let other = format!("buffer_store_dword 0 0 {lane}");
        let first = format!("s_cmp_lg_u32 s2, 0\ns_cbranch_scc1 other\n{store}\nother:");
        let body = format!("{before}\n{first}\n{last}\n{load}");
        expect(GROUPS, &body, [own, &other]);
    }
    // All lanes of a wave store to one address: the first one is named.
    let body = format!("v_mov_b32 v2, s2\nv_mov_b32 v1, 0\ns_lshl_b64 exec, 1, 5\n{store}");
    expect(
        GROUPS,
        &body.replace("v0, v1,", "v2, v1,"),
        ["buffer_store_dword 1 0 5", "buffer_store_dword 0 0 5"],
    );
}

#[test]
fn scalar_accesses_have_no_lane() {
    let (load, store) = (
        "s_load_dword s9, s[4:5], 0x0",
        "buffer_store_dword v0, v2, s[4:7], 0 offen",
    );
    let body = format!(
        "v_mov_b32 v2, 0\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 other\n{load}\ns_waitcnt lgkmcnt(0)\n\
         s_endpgm\nother:\ns_mov_b64 exec, 4\n{store}"
    );
    let own = "buffer_store_dword 1 0 2";
    expect_of(&[Check::Lanes], GROUPS, &body, [own, "s_load_dword 0 0 -"]);
    expect(GROUPS, &body, [own, "s_load_dword 0 0 -"]);
}

#[test]
fn the_higher_of_two_waves_at_one_instruction_is_told_first() {
    // The second workgroup stores, and then a flag for which the first one waits: nothing is released.
    let store = "buffer_store_dword v6, v1, s[4:7], 0 offen";
    let body = format!(
        "s_mov_b64 exec, 1\nv_mov_b32 v1, 0\nv_mov_b32 v2, 0x1000\nv_mov_b32 v5, 1\nv_mov_b32 v6, s2\n\
         s_cmp_lg_u32 s2, 0\ns_cbranch_scc1 store\n\
         spin:\nbuffer_load_dword v3, v2, s[4:7], 0 offen glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s9, v3\n\
         s_cmp_lg_u32 s9, 1\ns_cbranch_scc1 spin\n\
         store:\n{store}\ns_cmp_eq_u32 s2, 0\ns_cbranch_scc1 end\n\
         buffer_store_dword v5, v2, s[4:7], 0 offen\nend:"
    );
    expect(
        GROUPS,
        &body,
        ["buffer_store_dword 1 0 0", "buffer_store_dword 0 0 0"],
    );
}
