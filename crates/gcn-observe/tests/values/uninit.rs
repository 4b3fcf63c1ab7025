//! Undefined values.

use gcn_observe::finding::Check;

use crate::{TARGETS, Watched};

fn assembly(target: &str, statements: &str) -> Watched {
    Watched::assembly(target, Check::Uninit, statements)
}

/// A kernel of GCN 1.4.
fn vega(statements: &str) -> Watched {
    assembly("gfx900", statements)
}

#[test]
fn registers_that_the_hardware_does_not_set_are_undefined() {
    let uses = [
        (
            "global_load_dword v1, v[4:5], off",
            "uninitialized-address global_load_dword",
        ),
        (
            "s_load_dword s4, s[8:9], 0x0",
            "uninitialized-address s_load_dword",
        ),
        (
            "s_cmp_eq_u32 s9, 0\ns_cbranch_scc1 there\nthere:",
            "uninitialized-branch s_cbranch_scc1",
        ),
        (
            "s_cbranch_vccz there\nthere:",
            "uninitialized-branch s_cbranch_vccz",
        ),
        (
            "v_cmp_lt_u32 vcc, v0, v3\ns_and_saveexec_b64 s[4:5], vcc",
            "uninitialized-exec s_and_saveexec_b64",
        ),
        (
            "v_cmpx_lt_u32 vcc, v0, v3",
            "uninitialized-exec v_cmpx_lt_u32",
        ),
        ("s_mov_b64 exec, s[8:9]", "uninitialized-exec s_mov_b64"),
    ];
    for (statements, finding) in uses {
        let kernel = vega(statements);
        // What faults behind its finding still has one.
        let found = kernel.run();
        assert_eq!(found, [finding], "{statements}");
    }
}

#[test]
fn what_the_hardware_sets_is_defined() {
    let clean = "
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        v_lshlrev_b32 v1, 2, v0
        s_lshl_b32 s6, s2, 8
        v_add_u32 v1, s6, v1
        s_waitcnt lgkmcnt(0)
        global_load_dword v2, v1, s[4:5]
        s_waitcnt vmcnt(0)
        v_cmp_lt_u32 vcc, v2, v0
        s_and_saveexec_b64 s[6:7], vcc
        s_cbranch_execz there
        global_store_dword v1, v0, s[4:5]
      there:
        s_cmp_eq_u32 s2, 0
        s_cbranch_scc1 end
      end:";
    vega(clean).buffer(256).size(4, 64).finds(&[]);
}

#[test]
fn the_wave_whose_undefined_value_is_left_is_named() {
    // Both waves store one, which the first wave overwrites.
    let kernel = vega(
        "s_load_dwordx2 s[4:5], s[0:1], 0x0
         v_lshlrev_b32 v1, 2, v0
         v_readfirstlane_b32 s8, v0
         s_waitcnt lgkmcnt(0)
         global_store_dword v1, v9, s[4:5]
         s_cmp_lg_u32 s8, 0
         s_cbranch_scc1 end
         global_store_dword v1, v0, s[4:5]
       end:",
    );
    let kernel = kernel.buffer(128).size(1, 128);
    kernel.finds(&["uninitialized-result global_store_dword"]);
    let found = kernel.findings.all().0.remove(0);
    assert_eq!(found.place.wave.map(|it| it.wave), Some(1));
}

#[test]
fn every_target_has_the_same_undefined_registers() {
    for target in TARGETS {
        let wrong = "s_cmp_eq_u32 s9, 0\ns_cbranch_scc1 there\nthere:";
        assembly(target, wrong).finds(&["uninitialized-branch s_cbranch_scc1"]);
        let right = "s_cmp_eq_u32 s2, 0\ns_cbranch_scc1 there\nthere:";
        assembly(target, right).finds(&[]);
    }
}

#[test]
fn m0_bounds_lds_up_to_gcn_1_2() {
    let without = "v_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0";
    let with = format!("s_mov_b32 m0, -1\n{without}");
    for target in TARGETS {
        let expected: &[&str] = if target == "gfx900" {
            &[]
        } else {
            &["uninitialized-address ds_write_b32"]
        };
        assembly(target, without).finds(expected);
        assembly(target, &with).finds(&[]);
    }
}

#[test]
fn moving_an_undefined_value_is_no_finding() {
    vega(
        "v_mov_b32 v1, v9
         v_add_f32 v2, v1, v9
         v_swap_b32 v1, v2
         s_mov_b32 s8, s9
         v_writelane_b32 v3, s8, 5
         v_readlane_b32 s10, v3, 5
         ds_swizzle_b32 v4, v9 offset:0x041f",
    )
    .finds(&[]);
}

#[test]
fn the_names_of_a_generation_change_nothing() {
    let names = [
        "v_subrev_i32",
        "v_subrev_i32",
        "v_subrev_u32",
        "v_subrev_co_u32",
    ];
    for (target, subtract) in TARGETS.into_iter().zip(names) {
        let equal = format!(
            "{subtract} v5, vcc, v9, v9\nv_cmp_eq_u32 vcc, 0, v5\ns_and_saveexec_b64 s[8:9], vcc"
        );
        assembly(target, &equal).finds(&[]);
        let branch = "s_cbranch_scc1 there\nthere:";
        // The low bits of s9 are defined, and so are those of sums and products.
        for low in [
            "s_addk_i32 s9, 3",
            "s_mulk_i32 s9, -3",
            "s_cmp_eq_u32 s2, 0\ns_addc_u32 s9, s9, 5",
            "s_cmp_eq_u32 s2, 0\ns_subb_u32 s9, s9, s2",
        ] {
            let text = format!(
                "s_lshl_b32 s9, s9, 8\n{low}\ns_and_b32 s9, s9, 0xff\ns_cmp_eq_u32 s9, 5\n{branch}"
            );
            assembly(target, &text).finds(&[]);
        }
        // The upper bits are.
        for high in [
            "s_addk_i32 s9, 3",
            "s_mulk_i32 s9, 3",
            "s_addc_u32 s9, s9, 5",
        ] {
            let text = format!("s_lshl_b32 s9, s9, 8\n{high}\ns_cmp_gt_u32 s9, 5\n{branch}");
            assembly(target, &text).finds(&["uninitialized-branch s_cbranch_scc1"]);
        }
        // The upper half of s9 is 0, and the constant's has its sign or none.
        for (compare, is_known) in [
            ("s_cmpk_eq_u32 s9, 0x8000", false),
            ("s_cmpk_lg_i32 s9, -0x8000", true),
            ("s_cmpk_eq_i32 s9, 0x7fff", false),
        ] {
            let text = format!("s_and_b32 s9, s9, 0xffff\n{compare}\n{branch}");
            let finding = ["uninitialized-branch s_cbranch_scc1"];
            let found = assembly(target, &text).run();
            let expected = if is_known { &[][..] } else { &finding };
            assert_eq!(found, expected, "{target} {compare}");
        }
        // A carry of nothing.
        let carry =
            format!("s_cmp_eq_u32 s9, 0\ns_addc_u32 s4, s2, 0\ns_cmp_eq_u32 s4, 0\n{branch}");
        assembly(target, &carry).finds(&["uninitialized-branch s_cbranch_scc1"]);
    }
}

/// Statements that make s4 of what they are about; a branch depends on it.
fn decides(statements: &str) -> Vec<String> {
    let text = format!("{statements}\ns_cmp_gt_u32 s4, 5\ns_cbranch_scc1 there\nthere:");
    vega(&text).run()
}

#[test]
fn bits_that_an_operation_drops_do_not_matter() {
    let dropped = [
        "s_and_b32 s4, s9, 0",
        "s_or_b32 s4, s9, -1",
        "s_mov_b32 s9, 3\ns_lshr_b32 s4, s9, 1",
        "s_lshl_b32 s9, s9, 16\ns_and_b32 s4, s9, 0xffff",
        "s_and_b32 s9, s9, 0xff00\ns_bfe_u32 s4, s9, 0x80000",
        "s_pack_ll_b32_b16 s4, s2, s2",
        "s_mov_b32 s8, 1\ns_cmp_eq_u32 s2, 0\ns_cselect_b32 s4, s8, s9",
        "v_and_b32 v9, 0xffff, v9\nv_lshrrev_b32 v9, 16, v9\nv_readfirstlane_b32 s4, v9",
        "v_lshlrev_b32 v9, 8, v9\nv_bfe_u32 v9, v9, 0, 8\nv_readfirstlane_b32 s4, v9",
        "v_mov_b32 v1, 0xff\nv_bfi_b32 v2, v1, v0, v9\nv_and_b32 v2, v1, v2\nv_readfirstlane_b32 s4, v2",
        "v_mov_b32 v1, 0x07060c0c\nv_perm_b32 v2, v0, v9, v1\nv_readfirstlane_b32 s4, v2",
        "v_cmp_eq_u32 vcc, v0, v0\nv_cndmask_b32 v2, v9, v0, vcc\nv_readfirstlane_b32 s4, v2",
        "v_mov_b32 v1, 7\nv_alignbit_b32 v2, v1, v9, 32\nv_mov_b32 v2, v0\nv_readfirstlane_b32 s4, v2",
        "v_writelane_b32 v3, s2, 5\nv_readlane_b32 s4, v3, 5",
        "v_mov_b32_sdwa v2, v9 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0\nv_and_b32 v2, 0xffff, v2\nv_readfirstlane_b32 s4, v2",
        "v_pk_add_u16 v2, v0, v9 op_sel_hi:[1,0]\nv_mov_b32 v2, v0\nv_readfirstlane_b32 s4, v2",
        "v_readfirstlane_b32 s4, v200",
        "s_lshl_b32 s9, s9, 8\ns_mov_b32 s4, 0\ns_bitset1_b32 s4, s9",
        "s_lshl_b32 s9, s9, 8\ns_bitcmp1_b32 s2, s9\ns_cselect_b32 s4, s2, 1",
        "v_lshlrev_b32 v9, 8, v9\nds_bpermute_b32 v2, v9, v0\nv_readfirstlane_b32 s4, v2",
        "v_and_b32 v9, 3, v9\nds_permute_b32 v2, v9, v0\nv_readfirstlane_b32 s4, v2",
        "s_mov_b32 m0, s9\ns_set_gpr_idx_mode 3\ns_and_b32 s4, m0, 0xf000",
        "s_mov_b32 m0, s9\ns_set_gpr_idx_idx s2\ns_and_b32 s4, m0, 0xff",
        "s_mov_b32 m0, s9\ns_set_gpr_idx_on s2, 1\ns_set_gpr_idx_off\ns_and_b32 s4, m0, 0xf0ff",
        "s_lshl_b32 s9, s9, 6\nv_writelane_b32 v0, 1, s9\nv_readlane_b32 s4, v0, 5",
        "s_and_b32 s9, s9, 2\nv_writelane_b32 v0, 1, s9\nv_readlane_b32 s4, v0, 5",
        "v_mov_b32 v1, 1\nv_writelane_b32 v1, 1, s9\nv_readlane_b32 s4, v1, 5",
        "v_add_f32_dpp v2, v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf\nv_readlane_b32 s4, v2, 1",
        "v_add_f32_dpp v2, v9, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\nv_readlane_b32 s4, v2, 0",
    ];
    for statements in dropped {
        assert_eq!(decides(statements), [""; 0], "{statements}");
    }
}

#[test]
fn bits_that_an_operation_keeps_do_matter() {
    let kept = [
        "s_mov_b32 s4, s9",
        "s_and_b32 s4, s9, 1",
        "s_add_u32 s4, s9, s2",
        "s_mul_i32 s4, s9, s2",
        "s_lshl_b32 s4, s2, s9",
        "s_mov_b32 s8, 1\ns_cmp_eq_u32 s2, 0\ns_cselect_b32 s4, s9, s8",
        "v_readfirstlane_b32 s4, v9",
        "v_readlane_b32 s4, v9, 5",
        "v_add_f32 v1, v0, v9\nv_readfirstlane_b32 s4, v1",
        "v_add_u32 v1, v0, v9\nv_readfirstlane_b32 s4, v1",
        "v_cmp_eq_u32 vcc, v0, v0\nv_cndmask_b32 v2, v0, v9, vcc\nv_readfirstlane_b32 s4, v2",
        "v_mov_b32 v1, 0x07060504\nv_perm_b32 v2, v9, v0, v1\nv_readfirstlane_b32 s4, v2",
        "v_cvt_f64_u32 v[2:3], v9\nv_readfirstlane_b32 s4, v3",
        "v_mov_b32_dpp v0, v9 row_shr:1 row_mask:0xf bank_mask:0xf\nv_readlane_b32 s4, v0, 1",
        "ds_bpermute_b32 v2, v0, v9\nv_readfirstlane_b32 s4, v2",
        "s_mov_b32 s4, 0\ns_and_b32 s9, s9, 16\ns_bitset1_b32 s4, s9",
        "v_and_b32 v9, 4, v9\nds_bpermute_b32 v2, v9, v0\nv_readfirstlane_b32 s4, v2",
        "v_and_b32 v9, 3, v9\nds_bpermute_b32 v2, v9, v0 offset:1\nv_readfirstlane_b32 s4, v2",
        "v_pk_add_u16 v2, v0, v9\nv_readfirstlane_b32 s4, v2",
        "v_lshlrev_b16 v1, 15, v9\nv_ashrrev_i16 v1, 8, v1\nv_and_b32 v1, 0x100, v1\nv_readfirstlane_b32 s4, v1",
        "s_mov_b32 m0, s9\ns_set_gpr_idx_mode 3\ns_and_b32 s4, m0, 0xff",
        "s_mov_b32 m0, s9\ns_set_gpr_idx_idx s2\ns_and_b32 s4, m0, 0xf000",
        "v_writelane_b32 v0, 1, s9\nv_readlane_b32 s4, v0, 5",
        // Lane 0 has no source lane, and keeps the undefined value.
        "v_add_f32_dpp v2, v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf\nv_readlane_b32 s4, v2, 0",
        // The kernel has no v200, which is read as v0.
        "v_mov_b32 v0, v9\nv_readfirstlane_b32 s4, v200",
    ];
    for statements in kept {
        let found = decides(statements);
        assert_eq!(
            found,
            ["uninitialized-branch s_cbranch_scc1"],
            "{statements}"
        );
    }
}

#[test]
fn inactive_lanes_keep_what_they_have() {
    let half = "
        s_mov_b64 s[6:7], exec
        s_mov_b64 exec, 0xff
        v_mov_b32 v1, 1
        s_mov_b64 exec, s[6:7]
        v_readlane_b32 s4, v1, LANE";
    assert_eq!(decides(&half.replace("LANE", "7")), [""; 0]);
    let found = decides(&half.replace("LANE", "8"));
    assert_eq!(found, ["uninitialized-branch s_cbranch_scc1"]);
}

#[test]
fn without_active_lanes_no_address_matters() {
    for access in [
        "global_load_dword v2, v1, s[20:21]",
        "buffer_store_dword v0, v1, s[20:23], s24 offen",
    ] {
        let text = format!("s_mov_b64 exec, LANES\n{access}");
        vega(&text.replace("LANES", "0")).finds(&[]);
        let found = vega(&text.replace("LANES", "1")).run();
        let name = access.split(' ').next().unwrap_or_default();
        assert!(
            found.contains(&format!("uninitialized-address {name}")),
            "{access}: {found:?}"
        );
    }
    // A scalar load needs no lane.
    vega("s_mov_b64 exec, 0\ns_load_dword s4, s[8:9], 0x0")
        .finds(&["uninitialized-address s_load_dword"]);
}

#[test]
fn lds_is_undefined_until_it_is_written() {
    let read = "ds_read_b32 v2, v1 offset:OFFSET\ns_waitcnt lgkmcnt(0)\nv_readlane_b32 s4, v2, 0";
    let write = "v_mov_b32 v1, 0\nds_write_b8 v1, v0\nds_write_b8 v1, v0 offset:1\nds_write_b16 v1, v0 offset:2\n";
    let at = |offset: &str| decides(&format!("{write}{}", read.replace("OFFSET", offset)));
    assert_eq!(at("0"), [""; 0]);
    assert_eq!(at("4"), ["uninitialized-branch s_cbranch_scc1"]);
    assert_eq!(
        at("1"),
        ["uninitialized-branch s_cbranch_scc1"],
        "a byte of four"
    );
    let carried = "v_mov_b32 v1, 0\nds_write_b32 v1, v9\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_readlane_b32 s4, v2, 0";
    assert_eq!(decides(carried), ["uninitialized-branch s_cbranch_scc1"]);
    // The exchange writes the register of its second source.
    let exchanged = "v_mov_b32 v1, 0\nds_wrxchg2_rtn_b32 v[2:3], v1, v0, v3 offset1:1\n\
                     ds_read_b32 v4, v1 offset:4\ns_waitcnt lgkmcnt(0)\nv_readlane_b32 s4, v4, 0";
    assert_eq!(decides(exchanged), ["uninitialized-branch s_cbranch_scc1"]);
}

#[test]
fn the_findings_other_side_is_where_the_value_came_to_be() {
    for load in [
        "ds_read_b32 v2, v1",
        "ds_add_rtn_u32 v2, v1, v0",
        "ds_wrxchg2_rtn_b32 v[2:3], v1, v0, v0 offset1:1",
        "ds_condxchg32_rtn_b64 v[2:3], v1, v[4:5]",
    ] {
        let kernel = vega(&format!(
            "v_mov_b32 v1, 0
             v_mov_b32 v4, 0
             v_mov_b32 v5, 0
             {load}
             s_waitcnt lgkmcnt(0)
             v_add_u32 v3, v2, v0
             v_readfirstlane_b32 s4, v3
             s_cmp_eq_u32 s4, 0
             s_cbranch_scc1 there
             there:"
        ));
        kernel.finds(&["uninitialized-branch s_cbranch_scc1"]);
        let (all, _) = kernel.findings.all();
        let side = &all[0].sides[0];
        assert_eq!(side.label, "the load of LDS that holds an undefined value");
        let text = side.place.as_ref().map(|place| place.text.as_str());
        assert_eq!(text, Some(load));
    }
}

#[test]
fn a_store_is_known_by_what_it_leaves_in_global_memory() {
    // LDS first, then the buffer.
    let kernel = vega(
        "s_load_dwordx2 s[4:5], s[0:1], 0x0
         s_mov_b64 s[8:9], src_shared_base
         v_lshlrev_b32 v2, 2, v0
         v_mov_b32 v3, s9
         v_mov_b32 v5, v9
         s_mov_b32 s10, 0
         s_waitcnt lgkmcnt(0)
       again:
         flat_store_dword v[2:3], v5
         s_cmp_lg_u32 s10, 0
         s_cbranch_scc1 end
         s_mov_b32 s10, 1
         v_mov_b32 v5, v10
         v_add_co_u32 v2, vcc, s4, v2
         v_mov_b32 v3, s5
         v_addc_co_u32 v3, vcc, 0, v3, vcc
         s_branch again
       end:",
    );
    let kernel = kernel.buffer(64);
    kernel.finds(&["uninitialized-result flat_store_dword"]);
    let (all, _) = kernel.findings.all();
    let label = &all[0].sides[0].label;
    assert!(label.contains("v10"), "{label}");
}

/// Loads a dword of the first buffer to v2, and stores one that `value` names to the second.
fn copy(value: &str) -> String {
    format!(
        "s_load_dwordx4 s[4:7], s[0:1], 0x0
         v_lshlrev_b32 v1, 2, v0
         s_waitcnt lgkmcnt(0)
         global_load_dword v2, v1, s[4:5]
         s_waitcnt vmcnt(0)
         global_store_dword v1, {value}, s[6:7]"
    )
}

#[test]
fn what_a_kernel_leaves_undefined_is_a_finding() {
    let left = ["uninitialized-result global_store_dword"];
    let text = |value| vega(&copy(value));
    text("v2").buffer(64).buffer(64).finds(&[]);
    text("v9").buffer(64).buffer(64).finds(&left);
    text("v2").undefined(64).undefined(64).finds(&left);
    text("v2").undefined(64).undefined(64).unread().finds(&[]);
    text("v0").undefined(64).undefined(64).finds(&[]);
    let twice = format!("{}\nglobal_store_dword v1, v0, s[6:7]", copy("v9"));
    vega(&twice).buffer(64).buffer(64).finds(&[]);
}

#[test]
fn atomics_leave_undefined_only_what_they_can_change() {
    let swap = ["uninitialized-result global_atomic_cmpswap"];
    let and = ["uninitialized-result global_atomic_and"];
    let or = ["uninitialized-result global_atomic_or"];
    let store = ["uninitialized-result global_store_dword"];
    let lds = |atomic: &str| {
        format!(
            "{atomic}\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v2, s[4:5]"
        )
    };
    let lds_swap = |compared: &str| {
        let swap = format!("ds_cmpst_b32 v1, {compared}, v9");
        lds(&format!("ds_write_b32 v1, v0\n{swap}"))
    };
    let (first, others) = (
        "v_cndmask_b32 v2, v9, v5, vcc",
        "v_cndmask_b32 v3, v5, v7, vcc",
    );
    let cases: [(String, &[&str]); 13] = [
        // The first buffer is zero, and the second one undefined.
        ("global_atomic_cmpswap v1, v[4:5], s[4:5]".into(), &[]),
        ("global_atomic_cmpswap v1, v[10:11], s[4:5]".into(), &swap),
        ("global_atomic_cmpswap v1, v[6:7], s[6:7]".into(), &swap),
        ("global_atomic_and v1, v7, s[6:7]".into(), &[]),
        ("global_atomic_and v1, v5, s[6:7]".into(), &and),
        ("global_atomic_or v1, v6, s[6:7]".into(), &[]),
        // Lane 0 stores 0x100, with which the undefined values of the others are not swapped, or are.
        (
            format!("{first}\nv_mov_b32 v3, 0\nglobal_atomic_cmpswap v7, v[2:3], s[4:5]"),
            &[],
        ),
        (
            format!("{first}\n{others}\nglobal_atomic_cmpswap v7, v[2:3], s[4:5]"),
            &swap,
        ),
        // Numbers have no padding.
        ("global_atomic_or v1, v8, s[6:7]".into(), &or),
        (lds("ds_mskor_b32 v1, v6, v5"), &[]),
        (lds("ds_mskor_b32 v1, v5, v6"), &[]),
        (lds_swap("v5"), &[]),
        (lds_swap("v0"), &store),
    ];
    for (statements, expected) in cases {
        let text = format!(
            "s_load_dwordx4 s[4:7], s[0:1], 0x0
             v_lshlrev_b32 v1, 2, v0
             v_mov_b32 v5, 0x100
             v_mov_b32 v6, -1
             v_mov_b32 v7, 0
             v_mov_b32 v8, 0xff
             v_mov_b32 v11, 0
             v_cmp_eq_u32 vcc, 0, v0
             s_waitcnt lgkmcnt(0)
             {statements}"
        );
        let found = vega(&text).buffer(64).undefined(64).run();
        assert_eq!(found, expected, "{statements}");
    }
}

#[test]
fn what_the_host_writes_is_defined() {
    let kernel = vega(&copy("v2")).undefined(64).buffer(64);
    kernel.buffers[0]
        .write(0, &[0_u32; 64])
        .expect("it is as large");
    kernel.finds(&[]);
}

const OPENCL: &[(&str, &[&str])] = &[
    (
        "kernel void k(global int *xs) { int i = get_global_id(0); xs[i] = i; }",
        &[],
    ),
    (
        "kernel void k(global int *xs) { local int t[64]; int i = get_local_id(0);
         t[i] = xs[i]; barrier(CLK_LOCAL_MEM_FENCE); xs[i] = t[63 - i]; }",
        &[],
    ),
    (
        "kernel void k(global int *xs) { local int t[64]; int i = get_local_id(0);
         if (i != 3) t[i] = xs[i]; barrier(CLK_LOCAL_MEM_FENCE); xs[i] = t[63 - i]; }",
        &["uninitialized-result"],
    ),
    (
        "kernel void k(global int *xs) { local int t[64]; int i = get_local_id(0);
         if (i != 3) t[i] = xs[i] & 63; barrier(CLK_LOCAL_MEM_FENCE); xs[t[63 - i]] = i; }",
        &["uninitialized-address"],
    ),
    (
        "kernel void k(global float3 *xs) { int i = get_global_id(0) / 8; xs[i] = (float3)(i, 1, 2); }",
        &[],
    ),
    (
        "struct s { char a; int b; char c; };
         kernel void k(global struct s *xs) { struct s t; t.a = 1; t.b = 2; t.c = 3; xs[get_global_id(0) & 3] = t; }",
        &[],
    ),
    (
        "kernel void k(global int *xs) { volatile int t[8]; int i = get_global_id(0);
         t[i & 7] = i; xs[i] = t[xs[i] & 7]; }",
        &["uninitialized-result"],
    ),
];

#[test]
fn compiled_kernels_have_the_findings_of_their_source() {
    for target in ["gfx700", "gfx803", "gfx900"] {
        for level in ["-O0", "-O2"] {
            for (text, expected) in OPENCL {
                let kernel = Watched::opencl(target, level, Check::Uninit, text).buffer(64);
                let found = kernel.run();
                let kinds: Vec<_> = found.iter().map(|it| it.split(' ').next()).collect();
                let expected: Vec<_> = expected.iter().map(|it| Some(*it)).collect();
                assert_eq!(kinds, expected, "{target} {level} {text}: {found:?}");
            }
        }
    }
}
