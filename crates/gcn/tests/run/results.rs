//! Tests of results: printed, saved, compared, traced, and in JSON.

use super::*;

#[test]
fn long_buffers_are_printed_in_lines() {
    let ran = plain(&["--arg", "out=u32*18:fill(5)", "--print", "out"]);
    let expected = "out: u32[0..18] =\n   0: 10, 11, 12, 13, 5, 5, 5, 5\n   8: 5, 5, 5, 5, 5, 5, 5, 5\n  16: 5, 5\n";
    assert_eq!(ran.out, expected, "{}", ran.err);
}

#[test]
fn bits_are_printed_in_hexadecimal() {
    let arguments = ["--arg", "out=i32*5:fill(-1)", "--print"];
    for (selector, printed) in [
        ("out:hex[3..]", "i32[3..5] = 0x0000000d, 0xffffffff"),
        ("out:u8:hex[0..2]", "u8[0..2] = 0x0a, 0x00"),
        ("out:f16:hex[9]", "f16[9..10] = 0xffff"),
    ] {
        let ran = plain(&[&arguments[..], &[selector]].concat());
        assert_eq!(ran.out, format!("out: {printed}\n"), "{}", ran.err);
    }
    let ran = plain(&[&arguments[..], &["out:hex[3..]", "--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let values = serde_json::json!(["0x0000000d", "0xffffffff"]);
    assert_eq!(report["buffers"][0]["values"], values);
    let ran = plain(&["--save", "out:hex=f", "--expect", "out:hex=u32*4"]);
    assert_eq!(
        ran.err,
        "error[invalid-selector]: save out:hex: `:hex` in `out:hex` is allowed in --print only\n\
         error[invalid-selector]: expect out:hex: `:hex` in `out:hex` is allowed in --print only\n"
    );
}

#[test]
fn a_buffer_is_saved_to_standard_output() {
    let ran = plain(&["--save", "out[0..2]=-"]);
    assert_eq!(ran.out, "\n\0\0\0\x0b\0\0\0", "{}", ran.err);
    let directory = scratch("save-stdout");
    let file = kernels().join("plain.s");
    let launch = format!(
        "file = {file:?}\ngrid = 4\nargs = [\"u8:1\", \"u32:0x30\", \"u8*16\"]\nsave = {{ \"2\" = \"-\" }}\n"
    );
    fs::write(directory.join("launch.toml"), launch).expect("a file");
    let ran = run_in(&directory, &["launch.toml"]);
    let bytes = "0\0\0\x001\0\0\x002\0\0\x003\0\0\0";
    assert_eq!(ran.out, bytes, "{}", ran.err);
    assert!(!directory.join("-").exists());
    let ran = plain(&["--save", "out=-", "--json"]);
    let message = "--save out cannot use standard output, which is for --json";
    assert!(ran.out.contains(message), "{}", ran.out);
    assert_eq!(ran.status, Some(BAD_INPUT));
}

#[test]
fn standard_output_is_shared_by_texts_only() {
    let save = "--save=out=-";
    for (options, conflicts) in [
        (&[save, "--save=out[0]=-"][..], &["--save out[0]"][..]),
        (&[save, "--trace-file", "-"], &["--trace"]),
        (&[save, "--trace"], &["--trace"]),
        (&[save, "--profile", "-"], &["--profile"]),
        (&[save, "--print", "out"], &["--print"]),
        (
            &[save, "--expect", "out=u32*4", "--fidelity"],
            &["--expect", "--fidelity"],
        ),
    ] {
        let ran = plain(options);
        let conflict = |it: &&str| {
            format!(
                "error[output-conflict]: {it} cannot use standard output, which is for --save out\n"
            )
        };
        let expected: String = conflicts.iter().map(conflict).collect();
        assert_eq!((&*ran.err, &*ran.out), (&*expected, ""), "{options:?}");
        assert_eq!(ran.status, Some(BAD_INPUT), "{options:?}");
    }
    let ran = plain(&["--trace-file", "-", "--profile", "-"]);
    let message = "--profile cannot use standard output, which is for --trace";
    assert!(ran.err.contains(message), "{}", ran.err);
    let ran = plain(&["--trace", "--print", "out", "--fidelity"]);
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
}

#[test]
fn wrong_selections_are_all_reported_before_the_run() {
    let ran = plain(&[
        "--print",
        "zz",
        "--print",
        "out[2..9]",
        "--save",
        "q=f",
        "--expect",
        "out=u32:1",
        "--print",
        "table",
    ]);
    assert_eq!(
        ran.err,
        "error[unknown-buffer]: print zz: there is no buffer zz; the buffers are out\n\
         error[buffer-range]: print out[2..9]: elements 2..9 of out do not exist: it has 4 elements of u32\n\
         error[invalid-selector]: print table: table is a symbol: write its type, as in table:u32\n\
         error[unknown-buffer]: save q: there is no buffer q; the buffers are out\n\
         error[invalid-expectation]: expect out: 1 values cannot be compared with 4 elements; select elements with out[A..B]\n"
    );
    assert_eq!((ran.status, ran.out.as_str()), (Some(BAD_INPUT), ""));
}

#[test]
fn differences_are_shown_and_counted() {
    let ran = plain(&["--expect", "out=u32:10,11,13,13"]);
    assert_eq!(
        ran.out,
        "out: 1 of 4 values are not as expected\n  out[2] is 12, expected 13\n"
    );
    assert_eq!(ran.status, Some(DIFFERENCE));
    let ran = plain(&["--expect", "out=u32:10,11,13,13~0.1"]);
    assert_eq!(
        (ran.out.as_str(), ran.status),
        ("out: 4 values as expected\n", Some(GOOD))
    );
    let ran = plain(&["--arg", "out=u32*40", "--expect", "out=u32*40:fill(99)"]);
    assert!(
        ran.out
            .starts_with("out: 40 of 40 values are not as expected\n  out[0] is 10, expected 99\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.ends_with(
            "  out[9] is 0, expected 99\n  …\n  the worst: out[4] is 0, expected 99 (99 ulp)\n"
        ),
        "{}",
        ran.out
    );
}

#[test]
fn tolerances_may_count_representable_numbers() {
    // As floating-point numbers, the bit patterns 10 to 13 are adjacent denormals.
    for (tolerance, status) in [
        ("", DIFFERENCE),
        ("~2ulp", DIFFERENCE),
        ("~3 ulp", GOOD),
        ("~exact", DIFFERENCE),
        ("~ftz", GOOD),
        ("~any", GOOD),
    ] {
        let expect = format!("out:f32=f32*4:fill(1.4e-44){tolerance}");
        let ran = plain(&["--expect", &expect]);
        assert_eq!(ran.status, Some(status), "{expect}: {}{}", ran.out, ran.err);
    }
    let ran = plain(&["--expect", "out=u32:0,0,0,0~4 ulps"]);
    assert!(
        ran.err
            .contains("`4 ulps` after `u32:0,0,0,0~` is not a tolerance"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
}

#[test]
fn buffers_are_saved_and_read_again() {
    let directory = scratch("save");
    let file = directory.join("out.bin");
    let ran = plain(&["--save", &format!("out[1..3]={}", file.display())]);
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    assert_eq!(fs::read(&file).expect("a file"), [11, 0, 0, 0, 12, 0, 0, 0]);
    let ran = plain(&["--expect", &format!("out[1..3]=@{}", file.display())]);
    assert_eq!(ran.out, "out: 2 values as expected\n", "{}", ran.err);
}

#[test]
fn fidelity_is_reported_in_a_line_a_list_and_json() {
    let directory = scratch("fidelity");
    let instructions = "v_cvt_f32_u32 v1, v0\nv_rcp_f32 v2, v1\nv_sqrt_f32 v2, v1\nv_rcp_f32 v1, v2\nv_cvt_norm_i16_f16 v3, v1";
    fs::write(directory.join("k.s"), kernel_of(instructions, "gfx900")).expect("a file");
    fs::write(
        directory.join("exact.s"),
        kernel_of("v_mov_b32 v1, v0", "gfx900"),
    )
    .expect("a file");
    let not_exact = "v_rcp_f32, v_sqrt_f32 (approximate, E199); v_cvt_norm_i16_f16 (open, E192)";

    let ran = run_in(&directory, &["k.s", "--grid", "64"]);
    assert_eq!((ran.out.as_str(), ran.status), ("", Some(GOOD)));
    assert!(
        ran.err.ends_with(&format!("\nnot exact: {not_exact}\n")),
        "{}",
        ran.err
    );

    let ran = run_in(&directory, &["exact.s", "--grid", "64"]);
    assert_eq!(
        (ran.out.as_str(), ran.err.lines().count()),
        ("", 1),
        "{}",
        ran.err
    );

    let ran = run_in(&directory, &["k.s", "--grid", "64", "--fidelity"]);
    assert_eq!(
        ran.out,
        "exact: s_endpgm, v_cvt_f32_u32\napproximate (E199): v_rcp_f32, v_sqrt_f32\nopen (E192): v_cvt_norm_i16_f16\n"
    );
    assert_eq!(
        ran.err.lines().count(),
        1,
        "the list is enough: {}",
        ran.err
    );

    let ran = run_in(&directory, &["k.s", "--grid", "64", "--json"]);
    assert_eq!(ran.err, "", "everything is in the report");
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(
        report["fidelity"],
        serde_json::json!([
            {"fidelity": "exact", "instructions": ["s_endpgm", "v_cvt_f32_u32"]},
            {"fidelity": "approximate", "errata": "E199", "instructions": ["v_rcp_f32", "v_sqrt_f32"]},
            {"fidelity": "open", "errata": "E192", "instructions": ["v_cvt_norm_i16_f16"]},
        ])
    );
}

#[test]
fn json_has_everything() {
    let ran = plain(&[
        "--json",
        "--print",
        "out",
        "--expect",
        "out[0..2]=u32:10,12",
        "--threads",
        "1",
        "--group",
        "2",
    ]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    for (key, value) in [
        ("target", serde_json::json!("gfx900")),
        ("workgroups", serde_json::json!(2)),
        ("waves", serde_json::json!(2)),
        ("instructions", serde_json::json!(14)),
        ("threads", serde_json::json!(1)),
        ("fault", serde_json::Value::Null),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    let launch = &report["launches"][0];
    for (key, value) in [
        ("kernel", serde_json::json!("plain")),
        ("grid", serde_json::json!([4, 1, 1])),
        ("group", serde_json::json!([2, 1, 1])),
        ("waves", serde_json::json!(2)),
        ("times", serde_json::json!([launch["seconds"]])),
    ] {
        assert_eq!(launch[key], value, "{key}");
    }
    assert_eq!(
        report["buffers"][0]["values"],
        serde_json::json!([10, 11, 0, 0]),
        "v0 counts within the workgroup"
    );
    assert_eq!(
        report["expectations"][0]["differences"],
        serde_json::json!([{"index": 1, "is": 11, "expected": 12, "ulps": 1}])
    );
    assert!(
        report["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds >= 0.0)
    );
}

#[test]
fn a_trace_has_a_line_for_each_instruction() {
    let ran = plain(&["--trace"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    let address = |line: &str| line.split_whitespace().nth(2).map(str::to_owned);
    assert_eq!(lines.len(), 7, "{}", ran.out);
    assert!(
        lines.iter().all(|line| line.starts_with("[0,0,0] 0  0x")),
        "{}",
        ran.out
    );
    assert!(
        lines[0].contains(
            " plain+0x0  exec=000000000000000f  s_load_dword s4, s[0:1], 0x4  -> s4=0xa  load global 0x"
        ) && lines[0].ends_with("4"),
        "{}",
        lines[0]
    );
    assert!(
        lines[2].ends_with("v_lshlrev_b32_e32 v1, 2, v0  -> v1=0x0+0x4*lane"),
        "{}",
        lines[2]
    );
    assert!(
        lines[4].ends_with("v_add_u32_e32 v2, s4, v0  -> v2=0xa+0x1*lane"),
        "{}",
        lines[4]
    );
    assert!(
        lines[5].contains("global_store_dword v1, v2, s[6:7]  store global 0x")
            && lines[5].ends_with("00+0x4*lane: 0xa+0x1*lane"),
        "{}",
        lines[5]
    );
    assert!(lines[6].ends_with("s_endpgm"), "{}", lines[6]);
    assert_ne!(address(lines[0]), address(lines[1]));
}

/// Kernel that accesses LDS with a store, an atomic, a load of two elements, and LDS_DIRECT.
const ACCESSES: &str = "v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, 7\nds_write_b32 v1, v0\nds_add_rtn_u32 v3, v1, v2\n\
                        ds_read2_b32 v[2:3], v1 offset1:16\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, 0x20004\n\
                        v_mov_b32 v2, src_lds_direct";

#[test]
fn a_trace_has_the_accesses_of_memory() {
    let directory = scratch("trace-accesses");
    let text = kernel_of(ACCESSES, "gfx900");
    let text = text.replace(
        ".amdhsa_next_free_vgpr",
        ".amdhsa_group_segment_fixed_size 256\n.amdhsa_next_free_vgpr",
    );
    fs::write(directory.join("k.s"), text).expect("a file");
    let ran = run_in(&directory, &["k.s", "--grid", "4", "--trace"]);
    let accesses: Vec<&str> = ran
        .out
        .lines()
        .filter_map(|line| line.split_once(" lds "))
        .map(|(_, access)| access)
        .collect();
    assert_eq!(
        accesses,
        [
            "0x0+0x4*lane: 0x0+0x1*lane",
            "0x0+0x4*lane: 0x7, was 0x0+0x1*lane",
            "0x0+0x4*lane  load lds 0x40+0x4*lane",
            "0x4: 0x8",
        ],
        "{}",
        ran.out
    );
    assert!(ran.out.contains("  atomic lds 0x0"), "{}", ran.out);
}

#[test]
fn a_trace_is_filtered() {
    let texts = |only: &[&str]| {
        let mut arguments = vec!["--arg", "out=u32*4", "--grid", "128", "--group", "64"];
        for only in only {
            arguments.extend(["--trace-only", only]);
        }
        let ran = plain(&arguments);
        assert_eq!(ran.status, Some(FAULT), "it stores beyond: {}", ran.err);
        let text = |line: &str| {
            let (wave, rest) = line.split_once("  0x")?;
            let (_, rest) = rest.split_once("  ")?;
            let (_, text) = rest.split_once("  ")?;
            Some(format!("{wave} {}", text.split_whitespace().next()?))
        };
        ran.out.lines().filter_map(text).collect::<Vec<_>>()
    };
    assert_eq!(texts(&["instruction=s_load*"]).len(), 2);
    assert_eq!(texts(&["code=plain+8"]), ["[0,0,0] 0 s_load_dwordx2"]);
    let expected = ["[0,0,0] 0 s_load_dwordx2", "[0,0,0] 0 v_lshlrev_b32_e32"];
    assert_eq!(texts(&["code=plain+8 .. plain+0x14"]), expected);
    assert_eq!(
        texts(&["instruction=s_*", "code=plain..plain+8", "wave=0..2"]),
        ["[0,0,0] 0 s_load_dword"]
    );
    assert!(texts(&["wave=1"]).is_empty() && texts(&["workgroup=1"]).is_empty());

    let good = plain(&["--trace-only", "memory=out", "--grid", "4"]);
    assert_eq!(good.out.lines().count(), 1, "{}", good.out);
    assert!(good.out.contains("  global_store_dword v1, v2"));
    let groups = [
        "--trace-only",
        "workgroup=1,0",
        "--grid",
        "4",
        "--group",
        "2",
    ];
    let ran = plain(&groups);
    assert_eq!(ran.out.lines().count(), 7, "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.starts_with("[1,0,0] 0 ")));

    let wrong = plain(&[
        "--trace-only",
        "wave=x",
        "--trace-only",
        "what",
        "--trace-only",
        "code=nowhere",
        "--trace-only",
        "lane=3",
    ]);
    let keys = "workgroup=X,Y,Z, wave=N, code=A..B, memory=A..B or instruction=NAME";
    assert_eq!(
        wrong.err,
        format!(
            "error[invalid-filter]: trace only wave=x: `x` is not the number of a wave in its workgroup, or A..B\n\
             error[invalid-filter]: trace only what: write {keys}\n\
             error[invalid-filter]: trace only code=nowhere: `nowhere` is neither a symbol nor a range A..B of addresses or SYMBOL+OFFSET\n\
             error[invalid-filter]: trace only lane=3: unknown key `lane`: write {keys}\n"
        )
    );
    assert_eq!(wrong.status, Some(BAD_INPUT));
}

#[test]
fn a_trace_goes_to_a_file() {
    let directory = scratch("trace-file");
    let file = directory.join("trace.txt");
    let path = file.to_str().expect("a path of the test");
    let ran = plain(&["--trace-file", path, "--print", "out[1]"]);
    assert_eq!(ran.out, "out: u32[1..2] = 11\n", "{}", ran.err);
    let trace = fs::read_to_string(&file).expect("the trace");
    assert_eq!(trace.lines().count(), 7, "{trace}");
    let report = plain(&["--trace-file", path, "--json"]);
    assert_eq!((report.err.as_str(), report.status), ("", Some(GOOD)));

    let save = format!("out={path}");
    let ran = plain(&["--trace-file", path, "--save", &save]);
    assert_eq!(
        ran.err,
        format!("error[output-conflict]: trace: {path} is already the output of out\n")
    );
    let source = kernels().join("plain.s");
    let before = fs::read(&source).expect("the source");
    let ran = plain(&["--trace-file", "plain.s"]);
    assert_eq!(
        ran.err,
        "error[output-conflict]: trace: plain.s is the input plain.s\n"
    );
    assert_eq!(fs::read(&source).expect("the source"), before);

    let launch = format!(
        "file = {source:?}\ngrid = 4\nargs = [\"u8:1\", \"u32:3\", \"u32*4\"]\ntrace_file = \"launch.txt\"\n\
         trace_only = [\"instruction=v_*\"]\n"
    );
    fs::write(directory.join("launch.toml"), launch).expect("a file");
    let ran = run_in(&directory, &["launch.toml"]);
    assert_eq!(ran.out, "", "{}", ran.err);
    let trace = fs::read_to_string(directory.join("launch.txt")).expect("the trace");
    assert_eq!(trace.lines().count(), 2, "{trace}");
}
