//! Code that is read without running it: the findings that it must have, and none more.

use gcn_asm::{Options, Source, assemble};
use gcn_isa::Target;
use gcn_observe::finding::Findings;
use gcn_observe::lint::{CodeRegion, LintCode, lint};

/// The findings of code, each as the name, the instruction, the other one and the help.
fn findings(target: &str, text: &str) -> Vec<String> {
    let target = Target::named(target).expect("a target");
    let source = Source { name: "test", text };
    let assembly = assemble(&source, &Options::new(target));
    let errors: Vec<&str> = assembly
        .diagnostics
        .iter()
        .map(|it| it.message.as_str())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    let section = assembly.program.section(".text").expect("code");
    let code = LintCode {
        isa: target.isa,
        regions: vec![CodeRegion {
            address: 0x1000,
            bytes: &section.bytes,
        }],
        entries: vec![0x1000],
    };
    let findings = Findings::default();
    lint(&code, &findings);
    let (all, lost) = findings.all();
    assert_eq!(lost, 0);
    let line = |it: &gcn_observe::finding::Finding| {
        let other = it.sides[0].place.as_ref().expect("an instruction");
        let help = it.help.as_ref().map_or("", |help| help.machine.as_str());
        let help = help.trim_end_matches(" before the instruction");
        let name = it.kind.name();
        // GCN 1.2 has them in other encodings.
        let text = it.place.text.replace("lane_b32_e32", "lane_b32");
        let text = text.replace("interp_mov_f32_e32", "interp_mov_f32");
        format!("{name}: {text} / {}: {help}", other.text)
    };
    all.iter().map(line).collect()
}

#[track_caller]
fn check(targets: &[&str], text: &str, expected: &[&str]) {
    for target in targets {
        assert_eq!(findings(target, text), expected, "{target}");
    }
}

const ALL: &[&str] = &["gfx600", "gfx700", "gfx803", "gfx900", "gfx906"];
const FROM_GFX8: &[&str] = &["gfx803", "gfx900", "gfx906"];
const GFX9: &[&str] = &["gfx900", "gfx906"];

#[test]
fn a_wait_is_needed_on_every_way() {
    check(
        ALL,
        "ds_read_b32 v2, v1
         s_cbranch_scc1 skip
         s_waitcnt lgkmcnt(0)
         skip:
         v_mov_b32_e32 v3, v2
         s_endpgm",
        &["missing-wait: v_mov_b32_e32 v3, v2 / ds_read_b32 v2, v1: `s_waitcnt lgkmcnt(0)`"],
    );
    check(
        ALL,
        "ds_read_b32 v2, v1
         s_cbranch_scc1 other
         s_waitcnt lgkmcnt(0)
         s_branch both
         other:
         s_waitcnt lgkmcnt(0)
         both:
         v_mov_b32_e32 v3, v2
         s_endpgm",
        &[],
    );
}

#[test]
fn operations_of_a_loop_are_outstanding_at_its_beginning() {
    check(
        ALL,
        "again:
         v_add_f32_e32 v3, v2, v2
         ds_read_b32 v2, v1
         s_cbranch_scc1 again
         s_endpgm",
        &["missing-wait: v_add_f32_e32 v3, v2, v2 / ds_read_b32 v2, v1: `s_waitcnt lgkmcnt(0)`"],
    );
}

#[test]
fn the_fewest_later_operations_of_all_ways_count() {
    check(
        ALL,
        "ds_read_b32 v2, v1
         s_cbranch_scc1 skip
         ds_read_b32 v4, v1
         skip:
         ds_read_b32 v5, v1
         s_waitcnt lgkmcnt(1)
         v_mov_b32_e32 v3, v2
         s_endpgm",
        &[],
    );
    check(
        ALL,
        "ds_read_b32 v2, v1
         s_cbranch_scc1 skip
         ds_read_b32 v4, v1
         skip:
         s_waitcnt lgkmcnt(1)
         v_mov_b32_e32 v3, v2
         s_endpgm",
        &["missing-wait: v_mov_b32_e32 v3, v2 / ds_read_b32 v2, v1: `s_waitcnt lgkmcnt(0)`"],
    );
}

#[test]
fn calls_are_followed_where_registers_hold_constants() {
    let called = |wait: &str| {
        format!(
            "ds_read_b32 v2, v1
             s_getpc_b64 s[4:5]
             here:
             s_add_u32 s4, s4, function-here
             s_addc_u32 s5, s5, 0
             s_swappc_b64 s[30:31], s[4:5]
             v_mov_b32_e32 v3, v4
             s_endpgm
             function:
             {wait}
             v_mov_b32_e32 v6, v2
             ds_read_b32 v4, v1
             s_setpc_b64 s[30:31]"
        )
    };
    check(
        ALL,
        &called(""),
        &[
            "missing-wait: v_mov_b32_e32 v3, v4 / ds_read_b32 v4, v1: `s_waitcnt lgkmcnt(0)`",
            "missing-wait: v_mov_b32_e32 v6, v2 / ds_read_b32 v2, v1: `s_waitcnt lgkmcnt(0)`",
        ],
    );
    check(
        ALL,
        &called("s_waitcnt lgkmcnt(0)"),
        &["missing-wait: v_mov_b32_e32 v3, v4 / ds_read_b32 v4, v1: `s_waitcnt lgkmcnt(0)`"],
    );
}

#[test]
fn unknown_functions_wait() {
    check(
        ALL,
        "ds_read_b32 v2, v1
         s_swappc_b64 s[30:31], s[4:5]
         v_mov_b32_e32 v3, v2
         s_endpgm",
        &[],
    );
}

/// A function that reads the register which `restoring` loads before it leaves.
fn calling(restoring: &str) -> String {
    format!(
        "s_getpc_b64 s[4:5]
         here:
         s_add_u32 s4, s4, restoring-here
         s_addc_u32 s5, s5, 0
         s_swappc_b64 s[30:31], s[4:5]
         v_mov_b32_e32 v3, v40
         s_endpgm
         restoring:
         s_waitcnt lgkmcnt(0)
         {restoring}"
    )
}

/// The finding of `calling` in a function that returns without a wait.
const NOT_WAITED: &str =
    "missing-wait: v_mov_b32_e32 v3, v40 / ds_read_b32 v40, v1: `s_waitcnt lgkmcnt(0)`";

#[test]
fn a_function_that_takes_over_the_return_waits() {
    let leaving = |clobber: &str, to: &str| {
        calling(&format!(
            "s_mov_b64 s[16:17], s[30:31]
             s_getpc_b64 s[6:7]
             there:
             s_add_u32 s6, s6, last-there
             s_addc_u32 s7, s7, 0
             s_swappc_b64 s[30:31], s[6:7]
             s_mov_b64 s[30:31], s[16:17]
             ds_read_b32 v40, v1
             s_setpc_b64 {to}
             last:
             s_waitcnt lgkmcnt(0)
             {clobber}
             s_setpc_b64 s[30:31]"
        ))
    };
    // The address of `last` is in s[6:7] behind the first call, too.
    check(ALL, &leaving("", "s[6:7]"), &[]);
    check(ALL, &leaving("s_mov_b32 s8, 0", "s[6:7]"), &[]);
    check(ALL, &leaving("", "s[30:31]"), &[NOT_WAITED]);
    check(ALL, &leaving("", "s[16:17]"), &[NOT_WAITED]);
    // s[6:7] is unknown, and s[30:31] has the address to return to.
    check(ALL, &leaving("s_mov_b32 s6, 0", "s[6:7]"), &[]);
    // A function may have changed both.
    check(
        ALL,
        &leaving("s_mov_b64 s[6:7], 0\ns_mov_b64 s[16:17], 0", "s[6:7]"),
        &[NOT_WAITED],
    );
}

#[test]
fn an_unknown_function_that_takes_over_the_return_waits() {
    let leaving = |to: &str| {
        calling(&format!(
            "v_writelane_b32 v41, s30, 0
             v_writelane_b32 v41, s31, 1
             v_writelane_b32 v41, s7, 2
             s_load_dwordx2 s[34:35], s[8:9], 0x0
             s_waitcnt lgkmcnt(0)
             s_swappc_b64 s[30:31], s[34:35]
             {to}"
        ))
    };
    let from_lanes = "v_readlane_b32 s30, v41, 0
         v_readlane_b32 s31, v41, 1
         ds_read_b32 v40, v1";
    let by = |pair: &str| leaving(&format!("{from_lanes}\ns_setpc_b64 {pair}"));
    check(ALL, &by("s[34:35]"), &[]);
    check(ALL, &by("s[30:31]"), &[NOT_WAITED]);
    // Older compilers return by other registers.
    check(
        ALL,
        &leaving(
            "v_readlane_b32 s4, v41, 0
             v_readlane_b32 s5, v41, 1
             ds_read_b32 v40, v1
             s_setpc_b64 s[4:5]",
        ),
        &[NOT_WAITED],
    );
    // Wrong lanes, a lane overwritten, and a whole register: nothing says where the jump goes, and it may return.
    for unknown in [
        "v_readlane_b32 s30, v41, 1\nv_readlane_b32 s31, v41, 0",
        "v_writelane_b32 v41, s7, 1\nv_readlane_b32 s30, v41, 0\nv_readlane_b32 s31, v41, 1",
        "v_mov_b32_e32 v41, v1\nv_readlane_b32 s30, v41, 0\nv_readlane_b32 s31, v41, 1",
    ] {
        let text = format!("{unknown}\nds_read_b32 v40, v1\ns_setpc_b64 s[34:35]");
        check(ALL, &leaving(&text), &[NOT_WAITED]);
    }
}

#[test]
fn flat_needs_both_counters_where_global_has_its_own_instructions() {
    let text = "flat_load_dword v2, v[0:1]
         s_waitcnt vmcnt(0)
         v_mov_b32_e32 v3, v2
         s_endpgm";
    check(&["gfx700", "gfx803"], text, &[]);
    check(
        GFX9,
        text,
        &[
            "missing-wait: v_mov_b32_e32 v3, v2 / flat_load_dword v2, v[0:1]: `s_waitcnt lgkmcnt(0)`",
        ],
    );
    check(
        &["gfx700", "gfx803"],
        "flat_load_dword v2, v[0:1]
         v_mov_b32_e32 v3, v2
         s_endpgm",
        &[
            "missing-wait: v_mov_b32_e32 v3, v2 / flat_load_dword v2, v[0:1]: `s_waitcnt vmcnt(0) lgkmcnt(0)`",
        ],
    );
}

#[test]
fn sources_of_stores_are_held_on_gcn_1_0() {
    let text = "buffer_store_dword v2, off, s[4:7], 0
         v_mov_b32_e32 v2, 0
         s_endpgm";
    check(
        &["gfx600"],
        text,
        &[
            "source-overwritten: v_mov_b32_e32 v2, 0 / buffer_store_dword v2, off, s[4:7], 0: `s_waitcnt expcnt(0)`",
        ],
    );
    check(&["gfx700", "gfx803", "gfx900"], text, &[]);
}

#[test]
fn samples_and_loads_overwrite_each_other_in_any_order() {
    const SAMPLE: &str = "image_sample v2, v0, s[8:15], s[4:7] dmask:0x1";
    const LOAD: &str = "image_load v2, v0, s[8:15] dmask:0x1 unorm";
    let code = |first, second| {
        format!(
            "{first}
             {second}
             s_waitcnt vmcnt(0)
             v_mov_b32_e32 v3, v2
             s_endpgm"
        )
    };
    for (first, second) in [(SAMPLE, LOAD), (LOAD, SAMPLE)] {
        let expected = format!("missing-wait: {second} / {first}: `s_waitcnt vmcnt(0)`");
        check(ALL, &code(first, second), &[&expected]);
        check(ALL, &code(first, first), &[]);
    }
}

#[test]
fn short_descriptors_leave_the_data_of_stores_open() {
    let code = |store: &str, then: &str| {
        format!(
            "{store}
             {then}
             s_endpgm"
        )
    };
    let whole = "image_store v[0:3], v4, s[8:15] dmask:0xf unorm";
    let short = "image_store v[0:3], v4, s[8:11] dmask:0xf unorm r128";
    let few = "image_store v[0:1], v4, s[8:11] dmask:0x3 unorm r128";
    let targets = &["gfx700", "gfx803"];
    for then in ["v_mov_b32_e32 v1, 0", "v_interp_mov_f32 v1, p0, attr0.x"] {
        // Listings have eight registers, as LLVM's.
        let listed = short.replace("s[8:11]", "s[8:15]");
        let expected = format!("missing-wait-states: {then} / {listed}: `s_nop 0`");
        check(targets, &code(short, then), &[&expected]);
        check(targets, &code(whole, then), &[]);
        check(targets, &code(few, then), &[]);
    }
}

/// Errata E252: hazards of Mesa and of AMD's manuals that LLVM does not have.
#[test]
fn hazards_beyond_llvms() {
    let pair = |first: &str, between: &str, second: &str| {
        format!(
            "{first}
             {between}
             {second}
             s_endpgm"
        )
    };
    let is = |first: &str, second: &str, help: &str| {
        format!("missing-wait-states: {second} / {first}: `{help}`")
    };

    let interpolation = "v_interp_mov_f32 v1, p0, attr0.x";
    let reads = [
        ("v_readlane_b32 s4, v1, 0", true),
        ("v_readlane_b32 s4, v0, 0", false),
        ("v_writelane_b32 v1, s4, 0", false),
        ("v_mov_b32_e32 v2, v1", false),
    ];
    for (second, is_hazard) in reads {
        // GCN 1.0 names the encoding.
        let expected = is("v_interp_mov_f32_e32 v1, p0, attr0.x", second, "s_nop 0")
            .replace("_f32_e32 v1", "_f32 v1");
        let expected: &[&str] = if is_hazard { &[&expected] } else { &[] };
        check(&["gfx600"], &pair(interpolation, "", second), expected);
        let apart = pair(interpolation, "s_nop 0", second);
        check(&["gfx600"], &apart, &[]);
        check(&ALL[1..], &pair(interpolation, "", second), &[]);
    }

    let vskip = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0x0";
    let ended = [
        ("v_mov_b32_e32 v1, v2", true),
        ("ds_write_b32 v1, v2", true),
        ("exp mrt0 v0, v0, v0, v0 done", true),
        ("s_mov_b32 s4, s5", false),
        ("s_load_dword s4, s[0:1], 0x0", false),
    ];
    for (second, is_hazard) in ended {
        for (between, help) in [("", "s_nop 1"), ("s_nop 0", "s_nop 0"), ("s_nop 1", "")] {
            let expected = is(vskip, second, help);
            let is_early = is_hazard && !help.is_empty();
            let expected: &[&str] = if is_early { &[&expected] } else { &[] };
            check(ALL, &pair(vskip, between, second), expected);
        }
    }
    let rounding = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 28), 0x0";
    check(ALL, &pair(rounding, "", "v_mov_b32_e32 v1, v2"), &[]);

    let skip = "s_setvskip s4, 0";
    let mode = "s_getreg_b32 s5, hwreg(HW_REG_MODE, 0, 4)";
    check(ALL, &pair(skip, "", mode), &[&is(skip, mode, "s_nop 1")]);
    check(ALL, &pair(skip, "s_nop 1", mode), &[]);
    let traps = "s_getreg_b32 s5, hwreg(HW_REG_TRAPSTS, 0, 4)";
    check(ALL, &pair(skip, "", traps), &[]);
    check(ALL, &pair(skip, "", "v_mov_b32_e32 v1, v2"), &[]);
}

#[test]
fn wait_states_are_counted_on_the_shortest_way() {
    let lane = |between: &str| {
        format!(
            "v_readfirstlane_b32 s4, v0
             {between}
             v_readlane_b32 s5, v1, s4
             s_endpgm"
        )
    };
    let is = |states: u32| {
        format!(
            "missing-wait-states: v_readlane_b32 s5, v1, s4 / v_readfirstlane_b32 s4, v0: `s_nop {}`",
            3 - states
        )
    };
    check(ALL, &lane(""), &[&is(0)]);
    check(ALL, &lane("s_nop 0"), &[&is(1)]);
    check(ALL, &lane("s_nop 2"), &[&is(3)]);
    check(ALL, &lane("s_nop 3"), &[]);
    check(
        ALL,
        &lane("s_cbranch_scc1 skip\ns_nop 7\nskip:\ns_nop 0"),
        &[&is(2)],
    );
    check(
        ALL,
        &lane("s_cbranch_scc1 skip\ns_nop 7\nskip:\ns_nop 2"),
        &[],
    );
}

#[test]
fn hazards_of_later_generations() {
    let text = "v_mov_b32_e32 v1, v0
         v_mov_b32_dpp v2, v1 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf
         s_endpgm";
    check(
        FROM_GFX8,
        text,
        &[
            "missing-wait-states: v_mov_b32_dpp v2, v1 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf / v_mov_b32_e32 v1, v0: `s_nop 1`",
        ],
    );
}

#[test]
fn words_that_are_no_code_end_a_way() {
    check(ALL, ".long 0xffffffff", &[]);
    check(ALL, "s_branch 0x7fff", &[]);
    check(ALL, "ds_read_b32 v2, v1", &[]);
}

const BEFORE_GFX8: &[&str] = &["gfx600", "gfx700"];

/// As `si-insert-waitcnts` of llc-19 has it: a wait and a write of VCC come before each branch that is reported, and no others.
#[test]
fn vccz_is_wrong_behind_scalar_loads() {
    let branch = |before: &str| format!("{before}\ns_cbranch_vccz end\nend:\ns_endpgm");
    let load = "s_load_dword s0, s[4:5], 0x0";
    let found = |load: &str, wait: &str| {
        format!("wrong-vccz: s_cbranch_vccz 0 / {load}: {wait}`s_mov_b64 vcc, vcc`")
    };
    let early = found(load, "`s_waitcnt lgkmcnt(0)` and ");
    let late = found(load, "");
    let cases: &[(&str, &[&str])] = &[
        ("s_mov_b64 vcc, 0", &[]),
        ("s_mov_b64 vcc, 0\ns_load_dword s0, s[4:5], 0x0", &[&early]),
        ("s_load_dword s0, s[4:5], 0x0\ns_mov_b64 vcc, 0", &[&early]),
        (
            "s_load_dword s0, s[4:5], 0x0\ns_mov_b64 vcc, 0\ns_waitcnt lgkmcnt(0)",
            &[&late],
        ),
        (
            "s_load_dword s0, s[4:5], 0x0\nv_cmp_eq_u32_e32 vcc, v0, v1\ns_waitcnt lgkmcnt(1)",
            &[&early],
        ),
        (
            "s_load_dword s0, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\nv_cmp_eq_u32_e32 vcc, v0, v1",
            &[],
        ),
    ];
    for (before, expected) in cases {
        check(BEFORE_GFX8, &branch(before), expected);
        check(FROM_GFX8, &branch(before), &[]);
    }
    let to_vcc = branch("s_load_dwordx2 vcc, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)");
    let late = found("s_load_dwordx2 vcc, s[4:5], 0x0", "");
    check(BEFORE_GFX8, &to_vcc, &[&late]);
    check(FROM_GFX8, &to_vcc, &[]);
    let time = branch("s_mov_b64 vcc, 0\ns_memtime s[0:1]\ns_waitcnt lgkmcnt(0)");
    check(BEFORE_GFX8, &time, &[&found("s_memtime s[0:1]", "")]);
    check(FROM_GFX8, &time, &[]);
}

#[test]
fn vccz_is_wrong_behind_writes_of_half_of_vcc() {
    let branch = |before: &str| format!("{before}\ns_cbranch_vccnz end\nend:\ns_endpgm");
    let found =
        |half: &str| format!("wrong-vccz: s_cbranch_vccnz 0 / {half}: `s_mov_b64 vcc, vcc`");
    check(
        ALL,
        &branch("s_mov_b32 vcc_lo, 1"),
        &[&found("s_mov_b32 vcc_lo, 1")],
    );
    check(
        ALL,
        &branch("s_mov_b64 vcc, 0\ns_mov_b32 vcc_hi, 1"),
        &[&found("s_mov_b32 vcc_hi, 1")],
    );
    check(
        ALL,
        &branch("v_readfirstlane_b32 vcc_lo, v0"),
        &[&found("v_readfirstlane_b32 vcc_lo, v0")],
    );
    check(ALL, &branch("s_mov_b32 vcc_lo, 1\ns_mov_b64 vcc, vcc"), &[]);
    check(
        ALL,
        &branch("s_mov_b32 vcc_lo, 1\nv_cmp_eq_u32_e32 vcc, v0, v1"),
        &[],
    );
    // It is written as a whole on one of two ways, and a second branch tells nothing new.
    check(
        ALL,
        "s_mov_b32 vcc_lo, 1
         s_cbranch_scc1 skip
         s_mov_b64 vcc, vcc
         skip:
         s_cbranch_vccz end
         s_cbranch_vccnz end
         end:
         s_endpgm",
        &["wrong-vccz: s_cbranch_vccz 1 / s_mov_b32 vcc_lo, 1: `s_mov_b64 vcc, vcc`"],
    );
    let value = "s_mov_b32 vcc_lo, 1\ns_mov_b32 s4, src_vccz\ns_endpgm";
    check(
        ALL,
        value,
        &["wrong-vccz: s_mov_b32 s4, src_vccz / s_mov_b32 vcc_lo, 1: `s_mov_b64 vcc, vcc`"],
    );
}
