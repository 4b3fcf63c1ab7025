//! Tests of reports about failing kernels.

use super::*;

/// Registers beyond those of the descriptor (checklist 1.6, 1.7): writes fault, and reads produce a note.
#[test]
fn registers_that_a_kernel_did_not_request_are_reported() {
    let directory = scratch("registers");
    let run = |instructions: &str, arguments: &[&str]| {
        fs::write(directory.join("k.s"), kernel_of(instructions, "gfx900")).expect("a file");
        run_in(&directory, &[&["k.s", "--grid", "64"], arguments].concat())
    };
    let ran = run(
        "v_mov_b32 v0, v40\ns_mov_b32 s0, s60\nv_mov_b32 v1, v3",
        &[],
    );
    let note = "note: 2 instructions with source registers that the wave does not have, which read as v0 and s0, as on hardware: its \
                kernel asks for 4 VGPRs and 16 SGPRs; the first, at 0x100001300 (k+0x0): v_mov_b32_e32 v0, v40\n  --> k.s:7: v_mov_b32 v0, v40\n";
    assert!(ran.err.ends_with(note), "{}", ran.err);
    assert_eq!(ran.status, Some(GOOD));
    let ran = run("v_mov_b32 v0, v40", &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let told = report["notes"][0].as_str().expect("a note");
    assert!(
        told.starts_with("1 instruction with source registers"),
        "{told}"
    );
    let ran = run("v_mov_b32 v40, v0", &[]);
    assert!(
        ran.err
            .contains("writes registers that the wave does not have"),
        "{}",
        ran.err
    );
}

/// The reported out-of-range access is the first wave's, regardless of thread order.
#[test]
fn the_first_access_outside_is_named() {
    let directory = scratch("outside");
    let instructions = "v_mov_b32 v1, 0x10000\nds_write_b32 v1, v0\nds_read_b32 v1, v1";
    fs::write(directory.join("k.s"), kernel_of(instructions, "gfx900")).expect("a file");
    for threads in ["1", "2"] {
        let ran = run_in(&directory, &["k.s", "--grid", "4096", "--threads", threads]);
        let note = "note: 8192 accesses beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on \
                    hardware; the first by workgroup 0,0,0, wave 0, at 0x100001308 (k+0x8): ds_write_b32 v1, v0\n  --> k.s:8: ds_write_b32 v1, v0\n";
        assert!(ran.err.ends_with(note), "{}", ran.err);
        assert_eq!(ran.status, Some(GOOD));
    }
}

/// Kernel with these instructions, and a descriptor with these directives.
fn asking(directives: &str, instructions: &str, target: &str) -> String {
    kernel_of(instructions, target).replace(
        ".amdhsa_next_free_vgpr",
        &format!("{directives}\n.amdhsa_next_free_vgpr"),
    )
}

#[test]
fn an_address_from_an_sgpr_that_nothing_sets_names_the_directive() {
    const KERNARG: &str = ".amdhsa_user_sgpr_kernarg_segment_ptr";
    let directory = scratch("unset");
    for (directives, instructions, hint) in [
        (
            "",
            "s_load_dwordx2 s[4:5], s[0:1], 0x0",
            format!("s[0:1], which nothing has set: the kernel does not ask for {KERNARG}"),
        ),
        (
            ".amdhsa_user_sgpr_dispatch_ptr 1",
            "s_load_dwordx2 s[4:5], s[2:3], 0x0",
            format!("s[2:3], which nothing has set: the kernel does not ask for {KERNARG}"),
        ),
        (
            "",
            "s_load_dwordx2 s[4:5], s[4:5], 0x0",
            format!(
                "s[4:5], which nothing has set: the kernel does not ask for {KERNARG}, nor for \
                 .amdhsa_user_sgpr_private_segment_buffer, which precedes it"
            ),
        ),
        // A store whose vector address comes from the SGPR.
        (
            "",
            "v_mov_b32 v0, s0\ns_add_u32 s6, s1, 0\nv_mov_b32 v1, s6\nglobal_store_dword v[0:1], v2, off",
            format!("s1, which nothing has set: the kernel does not ask for {KERNARG}"),
        ),
        // s[0:1] has the segment's address; s[2:3] is not set.
        (
            ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_user_sgpr_count 2",
            "s_load_dword s4, s[2:3], 0x0",
            "s[2:3], which nothing has set".to_owned(),
        ),
    ] {
        let text = asking(directives, instructions, "gfx900");
        fs::write(directory.join("k.s"), text).expect("a file");
        let ran = run_in(&directory, &["k.s", "--grid", "1"]);
        let line = format!("\n  the address comes from {hint}");
        assert!(ran.err.contains(&line), "{instructions}: {}", ran.err);
        let ran = run_in(&directory, &["k.s", "--grid", "1", "--json"]);
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        let told = report["fault"]["hints"][0].as_str().unwrap_or_default();
        assert!(told.contains(&hint), "{told}");
    }
    // Addresses computed from registers that are set.
    for (directives, instructions) in [
        (
            "",
            "s_lshl_b32 s4, s0, 2\ns_mov_b32 s5, 0\ns_load_dword s4, s[4:5], 0x0",
        ),
        (
            ".amdhsa_user_sgpr_kernarg_segment_ptr 1",
            "s_load_dwordx2 s[4:5], s[0:1], 0x30\ns_waitcnt lgkmcnt(0)\ns_load_dword s4, s[4:5], 0x0",
        ),
        (
            "",
            "v_mov_b32 v1, 0\nv_mov_b32 v2, s7\nglobal_store_dword v[0:1], v2, off",
        ),
    ] {
        let text = asking(directives, instructions, "gfx900");
        fs::write(directory.join("k.s"), text).expect("a file");
        let ran = run_in(&directory, &["k.s", "--grid", "1"]);
        assert_eq!(ran.status, Some(FAULT), "{instructions}: {}", ran.err);
        assert!(!ran.err.contains("comes from"), "{}", ran.err);
    }
}

#[test]
fn null_hidden_arguments_have_a_known_cause() {
    let directory = scratch("null-hidden");
    let instructions = "s_mov_b64 s[4:5], 0\ns_load_dword s4, s[4:5], ";
    for (target, offset, has_cause) in [
        ("gfx803", "0xc0", true),
        ("gfx803", "0xc8", true),
        ("gfx803", "0xcc", false),
        ("gfx900", "0xc4", false),
    ] {
        let text = kernel_of(&format!("{instructions}{offset}"), target);
        fs::write(directory.join("k.s"), text).expect("a file");
        let ran = run_in(&directory, &["k.s", "--grid", "1"]);
        let cause = "\n  a known cause: for GCN 1.2, Clang takes null for the hidden arguments of version 5 where a function \
                     distinguishes generic pointers; -mcode-object-version=4 helps\n";
        assert_eq!(ran.err.contains(cause), has_cause, "{target}: {}", ran.err);
    }
}

#[test]
fn missing_arguments_are_reported_without_metadata() {
    let run = |arguments: &[&str]| {
        let program = ["plain.s", "--grid", "4", "--arg", "pad=u8:9"];
        run_in(&kernels(), &[&program[..], arguments].concat())
    };
    let note = |loaded: u32, given: u32, place: &str, offset: &str| {
        format!(
            "note: the kernel loads {loaded} bytes of arguments, but {given} are given; hidden arguments and zeros follow \
             them; the first such load, at 0x100001{place}, s[0:1], {offset}\n"
        )
    };
    let second = "308 (plain+0x8): s_load_dwordx2 s[6:7]";
    let ran = run(&["--arg", "a=u32:10"]);
    let expected = note(16, 8, second, "0x8");
    assert!(ran.err.contains(&expected), "{expected}{}", ran.err);
    let ran = run(&[]);
    let first = "300 (plain+0x0): s_load_dword s4";
    let expected = note(16, 1, first, "0x4");
    assert!(ran.err.contains(&expected), "{expected}{}", ran.err);
    let ran = run(&["--arg", "a=u32:10", "--arg", "out=u32*4"]);
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    assert!(!ran.err.contains("note"), "{}", ran.err);
    // The whole dword of the last argument may be loaded; an address computed from the base is not checked.
    let directory = scratch("beyond");
    let asks = ".amdhsa_user_sgpr_kernarg_segment_ptr 1";
    for (instructions, is_told) in [
        ("s_load_dword s4, s[0:1], 0x0", false),
        ("s_load_dword s4, s[0:1], 0x4", true),
        ("s_add_u32 s0, s0, 0\ns_load_dword s4, s[0:1], 0x4", false),
    ] {
        let text = asking(asks, instructions, "gfx900");
        fs::write(directory.join("k.s"), text).expect("a file");
        let ran = run_in(&directory, &["k.s", "--grid", "1", "--arg", "x=u8:1"]);
        assert_eq!(
            ran.err.contains("bytes of arguments"),
            is_told,
            "{}",
            ran.err
        );
    }
}

#[test]
fn null_pointers_are_reported_as_null() {
    let ran = saxpy(&["--grid", "4", "--arg", "xs=null"]);
    assert!(
        ran.err
            .ends_with("at unmapped address 0x0\n  that is a null pointer\n"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(FAULT));
}

#[test]
fn faults_name_the_place_and_lose_nothing() {
    for (kernel, message) in [
        (
            "beyond",
            "error[unmapped-access]: kernel beyond, workgroup 0,0,0, wave 0, lane 16, at 0x100001614 (beyond+0x14): global_store_dword v1, v2, \
             s[4:5]\n  --> faults.s:12: global_store_dword v1, v2, s[4:5]\n  stores 4 bytes at unmapped address 0x100020040\n  nearest is out: 64 bytes at 0x100020000; the \
             address is right past its end\n",
        ),
        (
            "forever",
            "(forever+0x0): s_branch 65535\n  --> faults.s:19: s_branch forever\n  stopped after 1000000 instructions, the limit\n",
        ),
        (
            "away",
            "at 0x0\n  the program counter left the code\n  it came from the instruction at 0x100001804 (away+0x4): \
             s_setpc_b64 s[4:5]\n  --> faults.s:26: s_setpc_b64 s[4:5]\n",
        ),
        (
            "odd",
            "(odd+0x10): global_atomic_add v1, v1, s[4:5]\n  --> faults.s:35: global_atomic_add v1, v1, s[4:5]\n  atomically updates 4 bytes at address 0x100020002, which is not a multiple of 4\n  \
             nearest is out: 64 bytes at 0x100020000; the address is 2 bytes into it\n",
        ),
        (
            "garbage",
            "(garbage+0x0)\n  0xffffffff does not begin an instruction of GCN 1.4\n",
        ),
        (
            "stuck",
            "  all waves are blocked: 0 at a barrier, 1 at a global wave synchronisation, 0 ended\n",
        ),
    ] {
        let arguments = [
            "faults.s",
            "--kernel",
            kernel,
            "--grid",
            "64",
            "--limit",
            "1000000",
            "--arg",
            "out=u32*16:fill(5)",
        ];
        let ran = run_in(
            &kernels(),
            &[
                &arguments[..],
                &["--print", "out[0..2]", "--expect", "out[0]=u32:5"],
            ]
            .concat(),
        );
        assert!(ran.err.contains(message), "{kernel}: {}", ran.err);
        assert_eq!(ran.status, Some(FAULT), "{kernel}");
        let first = if kernel == "beyond" { "7, 7" } else { "5, 5" };
        assert!(
            ran.out
                .starts_with(&format!("out: u32[0..2] = {first}\nout: 1 ")),
            "{kernel}: {}",
            ran.out
        );
        let ran = run_in(&kernels(), &[&arguments[..], &["--json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(report["fault"]["kernel"], *kernel);
        assert_eq!(report["fault"]["wave"], 0);
    }
}

#[test]
fn kernels_that_misbehave_harm_only_themselves() {
    for (kernel, status, message) in [
        (
            "smashed",
            FAULT,
            "at 0x800000008\n  the program counter left the code\n  it came from the instruction at 0x10000",
        ),
        (
            "overflows",
            FAULT,
            "(more+0x0): buffer_store_dword v3, v3, s[0:3], s4 offen\n  --> misbehaves.s:33: buffer_store_dword v3, v3, s[0:3], s4 offen\n  stores 4 bytes at unmapped address ",
        ),
        ("overflows", FAULT, "; the address is right past its end\n"),
        (
            "into_data",
            FAULT,
            " (numbers+0x0)\n  the program counter left the code\n  it came from the instruction at ",
        ),
        (
            "crooked",
            FAULT,
            "(crooked+0xe)\n  --> misbehaves.s:53: s_endpgm\n  the program counter is not a multiple of 4\n  it came from the instruction at 0x10000",
        ),
        ("crooked", FAULT, "(crooked+0x8): s_setpc_b64 s[4:5]\n"),
        (
            "divides",
            GOOD,
            "not exact: v_rcp_iflag_f32 (approximate, E199)\n",
        ),
        (
            "aborts",
            FAULT,
            "(aborts+0x0): s_trap 2\n  --> misbehaves.s:73: s_trap 2\n  trap 2: the kernel aborts, as by __builtin_trap or a failed assertion\n",
        ),
        (
            "greedy",
            FAULT,
            "(greedy+0x0): v_mov_b32_e32 v8, 0\n  --> misbehaves.s:80: v_mov_b32 v8, 0\n  writes registers that the wave does not have: its kernel asks for 8 \
             VGPRs and 16 SGPRs\n",
        ),
    ] {
        let arguments = ["misbehaves.s", "--kernel", kernel, "--grid", "64"];
        let rest = ["--arg", "out=u32*64", "--print", "out[1..4]"];
        let ran = run_in(&kernels(), &[&arguments[..], &rest].concat());
        assert!(ran.err.contains(message), "{kernel}: {}", ran.err);
        assert_eq!(ran.status, Some(status), "{kernel}");
        let values = if kernel == "divides" {
            "100, 50, 33"
        } else {
            "0, 0, 0"
        };
        assert_eq!(ran.out, format!("out: u32[1..4] = {values}\n"), "{kernel}");
    }
}

#[test]
fn a_limit_shows_where_all_waves_are() {
    let arguments = [
        "faults.s", "--kernel", "forever", "--grid", "4096", "--group", "1024", "--limit", "100000",
    ];
    let arguments = [&arguments[..], &["--threads", "1", "--arg", "out=u32*64"]].concat();
    let ran = run_in(&kernels(), &arguments);
    assert_eq!(ran.status, Some(FAULT));
    let (_, list) = ran
        .err
        .split_once("  stopped after 100000 instructions, the limit\n")
        .expect("the limit is told");
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines[0], "  64 unfinished waves:");
    assert_eq!(lines.len(), 34, "{list}");
    for (wave, lines) in lines[1..33].chunks(2).enumerate() {
        let line = lines[0];
        assert_eq!(lines[1], "      --> faults.s:19: s_branch forever");
        assert!(
            line.starts_with(&format!("    workgroup 0,0,0, wave {wave}, at 0x")),
            "{line}"
        );
        assert!(
            line.ends_with(" (forever+0x0): s_branch 65535, exec=ffffffffffffffff"),
            "{line}"
        );
    }
    assert_eq!(lines[33], "    and 48 more");
    let ran = run_in(&kernels(), &[&arguments[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let fault = &report["fault"];
    assert_eq!(fault["unfinished_waves"], 64);
    let waves = fault["unfinished"].as_array().expect("a list");
    assert_eq!(waves.len(), 64);
    assert_eq!(waves[63]["workgroup"], serde_json::json!([3, 0, 0]));
    assert_eq!(waves[63]["wave"], 15);
    assert_eq!(waves[63]["place"], "forever+0x0");
    assert_eq!(waves[63]["exec"], u64::MAX);
}

/// The fixture was compiled with `-g`. A fault shows the line, and its text if the source is available.
#[test]
fn a_fault_shows_its_source_line() {
    let directory = scratch("source-line");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gcn-object/tests/fixtures");
    for name in ["lines-gfx906.co", "lines.cl"] {
        fs::copy(fixtures.join(name), directory.join(name)).expect("a copy");
    }
    let arguments = [
        "lines-gfx906.co",
        "--grid",
        "64",
        "--group",
        "64",
        "--arg",
        "data=f32*4",
        "--arg",
        "n=64",
    ];
    let ran = run_in(&directory, &arguments);
    assert_eq!(ran.status, Some(FAULT), "{}", ran.err);
    let expected = "global_load_dword v2, v[0:1], off\n  --> ./lines.cl:10: data[i] = twice(data[i]) - 1.0f;\n  loads 4";
    assert!(ran.err.contains(expected), "{}", ran.err);
    let json = run_in(&directory, &[&arguments[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let source = "./lines.cl:10: data[i] = twice(data[i]) - 1.0f;";
    assert_eq!(report["fault"]["source"], source);

    fs::remove_file(directory.join("lines.cl")).expect("it is there");
    let ran = run_in(&directory, &arguments);
    assert!(ran.err.contains("\n  --> ./lines.cl:10\n"), "{}", ran.err);
}
