//! Tests of the command line from a user's perspective: results, messages and exit statuses.

mod clrxdisasm;
mod exec;
mod exec_library;
mod exec_profile;
mod host;
mod json;
mod launch_files;
mod listing;
mod why;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const SOURCE: &str = "\
\t.text
start:
\tds_read_b32 v1, v2 offset:16
\ts_waitcnt lgkmcnt(0)
\ts_cbranch_scc1 start
\ts_endpgm
";

const KERNEL: &str = "\
.amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 9
  .amdhsa_next_free_sgpr 20
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx906
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 26
    .vgpr_count: 9
    .max_flat_workgroup_size: 256
    .args:
      - {.name: data, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: !str n, .offset: 8, .size: 4, .value_kind: by_value}
.end_amdgpu_metadata
";

/// Creates an empty directory for a test.
fn scratch(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path); // May not exist.
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

fn gcn(directory: &PathBuf, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command
        .current_dir(directory)
        .args(arguments)
        .stdin(Stdio::null());
    command
}

fn output(directory: &PathBuf, arguments: &[&str]) -> Output {
    gcn(directory, arguments).output().expect("gcn starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Runs a command with `input` as standard input.
fn piped(directory: &PathBuf, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = gcn(directory, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gcn starts");
    // Inputs here are smaller than a pipe's buffer.
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input)
        .expect("gcn reads");
    child.wait_with_output().expect("gcn ends")
}

#[track_caller]
fn assert_status(output: &Output, status: i32) {
    assert_eq!(
        output.status.code(),
        Some(status),
        "stdout:\n{}\nstderr:\n{}",
        stdout(output),
        stderr(output)
    );
}

#[test]
fn encodings_are_shown_and_go_on_after_errors() {
    let directory = scratch("show-encoding");
    let source = "ds_read_b32 v1, v2\nbogus\ns_endpgm\n";
    let shown = piped(
        &directory,
        &["asm", "-", "--target", "fiji", "--show-encoding"],
        source.as_bytes(),
    );
    assert_status(&shown, 1);
    let lines: Vec<String> = stdout(&shown)
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        lines,
        [
            "ds_read_b32 v1, v2 ; encoding: [0x00,0x00,0x6c,0xd8,0x02,0x00,0x00,0x01]",
            "s_endpgm ; encoding: [0x00,0x00,0x81,0xbf]",
        ]
    );
    assert!(
        stderr(&shown).starts_with("<stdin>:2:1: error["),
        "{}",
        stderr(&shown)
    );
    assert!(
        stderr(&shown).ends_with("<stdin>: 1 error\n"),
        "{}",
        stderr(&shown)
    );
}

#[test]
fn bad_source_makes_no_file() {
    let directory = scratch("bad-source");
    fs::write(directory.join("in.s"), "bogus\n").expect("written");
    let failed = output(
        &directory,
        &["asm", "in.s", "-o", "out.co", "--target", "fiji"],
    );
    assert_status(&failed, 1);
    assert!(!directory.join("out.co").exists());
    assert!(stderr(&failed).contains("1 | bogus"), "{}", stderr(&failed));
}

#[test]
fn bad_usage_exits_with_2() {
    let directory = scratch("usage");
    fs::write(directory.join("in.s"), SOURCE).expect("written");
    fs::write(directory.join("words"), [0; 4]).expect("written");
    for (arguments, message) in [
        (&["asm"][..], "required"),
        (&["frobnicate"], "unrecognized"),
        (&[], "Usage"),
        (&["asm", "in.s", "--target", "gfx1030"], "gfx90c"),
        (&["asm", "in.s", "--format", "coff"], "elf"),
        (&["asm", "in.s", "--format", "json"], "elf"),
        (&["asm", "in.s"], "--target"),
        (&["dis", "words"], "--target"),
    ] {
        let failed = output(&directory, arguments);
        assert_status(&failed, 2);
        assert!(
            stderr(&failed).contains(message),
            "{arguments:?}: {}",
            stderr(&failed)
        );
    }
}

#[test]
fn bad_input_exits_with_1() {
    let directory = scratch("input");
    fs::write(directory.join("latin1.s"), b"s_endpgm\n; caf\xe9\n").expect("written");
    fs::write(directory.join("cut.co"), b"\x7fELF\x02\x01\x01").expect("written");
    fs::write(directory.join("text.co"), "no object").expect("written");
    fs::write(directory.join("empty.co"), "").expect("written");
    fs::write(directory.join("k.s"), "s_endpgm\n").expect("written");
    assert_status(&output(&directory, &["asm", "k.s", "--target", "fiji"]), 0);
    let whole = fs::read(directory.join("k.co")).expect("the object");
    let half = whole.len() / 2;
    fs::write(directory.join("half.co"), &whole[..half]).expect("written");
    let host = fs::read(env!("CARGO_BIN_EXE_gcn")).expect("a program");
    fs::write(directory.join("host"), &host[..1 << 16]).expect("written");
    let cut = format!(
        "half.co: the file is truncated: it has {half} bytes, and its section headers end at byte {}",
        whole.len()
    );
    for (arguments, message) in [
        (
            &["asm", "latin1.s", "--target", "fiji"][..],
            "latin1.s:2: the file is not text: byte 14 is not UTF-8",
        ),
        (
            &["asm", "missing.s", "--target", "fiji"],
            "cannot read missing.s",
        ),
        (&["dis", "."], "cannot read ."),
        (&["dis", "cut.co"], "cut.co"),
        (&["dis", "half.co"], &cut),
        (&["info", "half.co"], &cut),
        (
            &["info", "host"],
            "whose section headers cannot be read: the file is truncated: it has 65536 bytes",
        ),
        (&["info", "text.co"], "not an ELF file"),
        (&["info", "empty.co"], "empty.co is empty"),
        (&["dis", "empty.co"], "empty.co is empty"),
        (&["run", "empty.co", "--grid", "1"], "empty.co is empty"),
        (&["dis", "text.co", "--format", "elf"], "not an ELF file"),
        (
            &["info", "/dev/zero"],
            "/dev/zero is larger than the limit of 1 MiB",
        ),
        (
            &["asm", "/dev/zero", "--target", "fiji", "-o", "zero.co"],
            "/dev/zero is larger than the limit of 1 MiB",
        ),
    ] {
        let failed = output(&directory, arguments);
        assert_status(&failed, 1);
        assert!(
            stderr(&failed).contains(message),
            "{arguments:?}: {}",
            stderr(&failed)
        );
    }
}

#[test]
fn info_lists_a_kernel() {
    let directory = scratch("info");
    assert_status(
        &piped(&directory, &["asm", "-", "-o", "k.co"], KERNEL.as_bytes()),
        0,
    );
    let info = output(&directory, &["info", "k.co"]);
    assert_status(&info, 0);
    for part in [
        "gfx906",
        "kernel k",
        "26 SGPRs",
        "9 VGPRs (12 allocated)",
        "1024 bytes",
        "global_buffer",
        "data",
    ] {
        assert!(
            stdout(&info).contains(part),
            "no {part}:\n{}",
            stdout(&info)
        );
    }
    let kernel = |name| output(&directory, &["info", "k.co", "--kernel", name]);
    assert_eq!(stdout(&kernel("k.kd")), stdout(&info));
    let missing = kernel("kk");
    assert_status(&missing, 1);
    assert_eq!(
        stderr(&missing),
        "error[unknown-kernel]: no kernel is named kk; the kernels are k\n"
    );
    let json = output(&directory, &["info", "k.co", "--json"]);
    assert_status(&json, 0);
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(report["target"], "gfx906");
    assert_eq!(report["kernels"][0]["arguments"][1]["name"], "n");
    assert_eq!(report["kernels"][0]["arguments"][1]["offset"], 8);
    assert_eq!(report["kernels"][0]["lds_bytes"], 1024);
}

#[test]
fn nothing_is_assembled_onto_an_input() {
    let directory = scratch("onto-input");
    let files = [
        ("s.s", ".include \"inc.s\"\n.incbin \"data.bin\"\n"),
        ("inc.s", "s_endpgm\n"),
        ("data.bin", "data"),
        ("s.co", "s_endpgm\n"),
    ];
    for (name, text) in files {
        fs::write(directory.join(name), text).expect("written");
    }
    fs::hard_link(directory.join("inc.s"), directory.join("linked")).expect("a link");
    for (arguments, same) in [
        (&["s.s", "-o", "s.s"][..], "s.s is the input s.s"),
        (&["s.s", "-o", "./s.s"], "./s.s is the input s.s"),
        (&["s.s", "-o", "inc.s"], "inc.s is the input inc.s"),
        (&["s.s", "-o", "linked"], "linked is the input inc.s"),
        (&["s.s", "-o", "data.bin"], "data.bin is the input data.bin"),
        (&["s.co"], "s.co is the input s.co"),
    ] {
        let asm = ["asm", "--target", "fiji"];
        let refused = output(&directory, &[&asm[..], arguments].concat());
        assert_status(&refused, 1);
        assert_eq!(
            stderr(&refused),
            format!("error[output-conflict]: {same}: name another file with --output\n")
        );
    }
    for (name, text) in files {
        let now = fs::read_to_string(directory.join(name)).expect("a file");
        assert_eq!(now, text, "{name}");
    }
}

#[test]
fn errors_are_json_on_request() {
    let directory = scratch("json-errors");
    fs::write(directory.join("text.co"), "no object").expect("written");
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    let bad = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"\nv_bogus\n";
    fs::write(directory.join("bad.s"), bad).expect("written");
    fs::write(directory.join("bad.toml"), "nonsense = 1\n").expect("written");
    for (arguments, status, name, message) in [
        (
            &["info", "text.co"][..],
            1,
            "not-a-code-object",
            "text.co: ",
        ),
        (
            &["info", "missing.co"],
            1,
            "unreadable-input",
            "cannot read missing.co",
        ),
        (
            &["info", "text.co", "--entry", "x"],
            2,
            "invalid-usage",
            "--entry",
        ),
        (&["info"], 2, "invalid-usage", "required"),
        (&["isa", "v_frobnicate"], 1, "unknown-entry", "v_frobnicate"),
        (
            &["isa", "v_add_f32", "ds"],
            2,
            "invalid-usage",
            "expected one family",
        ),
        (
            &["isa", "--target", "gfx1030"],
            2,
            "invalid-usage",
            "gfx90c",
        ),
        (
            &["check", "k.s", "--only", "wait"],
            2,
            "invalid-usage",
            "the checks are",
        ),
        (
            &["check", "k.s", "--only", "waits", "--except", "waits"],
            2,
            "invalid-usage",
            "--except excludes all checks",
        ),
        (
            &["check", "k.s", "--suppress", "no.toml"],
            1,
            "unreadable-input",
            "no.toml",
        ),
        (
            &["check", "missing.s", "--grid", "1"],
            1,
            "unreadable-input",
            "missing.s",
        ),
        (&["check", "--nonsense"], 2, "invalid-usage", "--nonsense"),
        (
            &["--color", "never", "run", "--nonsense"],
            2,
            "invalid-usage",
            "--nonsense",
        ),
        (&["asm", "--nonsense"], 2, "invalid-usage", "--nonsense"),
        (&["dis", "--nonsense"], 2, "invalid-usage", "--nonsense"),
        (&["extract", "--nonsense"], 2, "invalid-usage", "--nonsense"),
        (&["explain", "--nonsense"], 2, "invalid-usage", "--nonsense"),
        (&["lint", "--nonsense"], 2, "invalid-usage", "--nonsense"),
        (&["lint", "missing.s"], 1, "unreadable-input", "missing.s"),
        (&["lint", "bad.s"], 1, "unknown-opcode", "bad.s:2:1: error"),
        (
            &["lint", "k.s", "--suppress", "bad.toml"],
            1,
            "invalid-suppressions",
            "bad.toml:1:1: error",
        ),
    ] {
        let forms: &[&[&str]] = match arguments[0] {
            "check" => &[&["--json"], &["--format", "json"]],
            "lint" => &[&["--format", "json"], &["--format=json"]],
            _ => &[&["--json"]],
        };
        for form in forms {
            let arguments = [arguments, form].concat();
            let failed = output(&directory, &arguments);
            assert_json_error(&arguments, &failed, (status, name, message));
        }
    }
    let arguments = ["check", "bad.toml", "--json", "--output", "findings.json"];
    let failed = output(&directory, &arguments);
    let expected = (1, "invalid-launch-file", "bad.toml:1:1: error");
    assert_json_error(&arguments, &failed, expected);
    for arguments in [
        &["lint", "missing.s"][..],
        &["check", "--nonsense"],
        &["check", "k.s", "--suppress", "no.toml"],
    ] {
        let to_file = ["--format", "json", "--output", "findings.json"];
        let failed = output(&directory, &[arguments, &to_file].concat());
        assert_eq!(stdout(&failed), "", "{arguments:?}: JSON is for the file");
        assert!(stderr(&failed).starts_with("error"), "{arguments:?}");
    }
}

/// Checks that a command's output is a JSON error with this exit status, name and part of the message.
#[track_caller]
fn assert_json_error(arguments: &[&str], failed: &Output, expected: (i32, &str, &str)) {
    let (status, name, message) = expected;
    assert_status(failed, status);
    assert_eq!(stderr(failed), "", "{arguments:?}");
    let report: serde_json::Value = serde_json::from_slice(&failed.stdout).expect("JSON");
    let outcome = if status == 1 {
        "bad_input"
    } else {
        "bad_usage"
    };
    assert_eq!(report["outcome"], outcome, "{arguments:?}");
    assert_eq!(report["exit_status"], status, "{arguments:?}");
    let error = report["errors"][0].as_str().expect("a message");
    assert!(error.contains(message), "{arguments:?}: {error}");
    assert_eq!(report["names"][0], name, "{arguments:?}");
}

#[test]
fn errors_have_names() {
    let directory = scratch("named-errors");
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    fs::write(directory.join("k.cl"), "kernel void k() {}").expect("written");
    fs::write(directory.join("empty"), "").expect("written");
    fs::write(directory.join("bad.txt"), "x y\n").expect("written");
    fs::write(directory.join("t.toml"), "file = 'k.s'\nthreads = 0\n").expect("written");
    assert_status(&output(&directory, &["asm", "k.s", "-o", "k.co"]), 0);
    for (name, commands) in [
        (
            "unreadable-input",
            &[
                &["asm", "no.s"][..],
                &["dis", "no.co"],
                &["info", "empty"],
                &["lint", "no.s"],
                &["run", "no.s"],
            ][..],
        ),
        (
            "unwritable-output",
            &[
                &["asm", "k.s", "-o", "/dev/full"],
                &["lint", "k.s", "--output", "no/x"],
                &["man", "-o", "k.s"],
                &["run", "k.s", "--trace-file", "no/x"],
                &["run", "k.s", "--trace", "--trace-file", "/dev/full"],
                &["run", "k.s", "--profile", "no/x"],
            ],
        ),
        ("not-a-code-object", &[&["dis", "k.cl"]]),
        ("missing-debug-info", &[&["dis", "--source", "k.co"]]),
        (
            "invalid-labels",
            &[
                &["dis", "k.co", "--labels", "bad.txt"],
                &["dis", "k.cl", "--labels", "bad.txt"],
            ],
        ),
        (
            "no-matching-code",
            &[&[
                "dis",
                "--format=raw",
                "--target=fiji",
                "k.s",
                "--offset=0x10000",
            ]],
        ),
        (
            "unknown-entry",
            &[
                &["explain", "nosuch"],
                &["isa", "nosuch"],
                &["isa", "vop9:1"],
                &["isa", "E999"],
                &["isa", "0xfe000000"],
            ],
        ),
        ("invalid-selector", &[&["run", "k.s", "--print", "data[x]"]]),
        ("invalid-launch-file", &[&["run", "t.toml"]]),
        ("invalid-usage", &[&["man", "nosuch"]]),
    ] {
        for command in commands {
            let given = ["--grid=1", "--arg=data=i32*1", "--arg=n=u32:1"];
            let given = given.iter().filter(|_| command[0] == "run");
            let arguments: Vec<&str> = command.iter().chain(given).copied().collect();
            let failed = output(&directory, &arguments);
            let message = stderr(&failed);
            let expected = format!("error[{name}]: ");
            assert!(message.contains(&expected), "{arguments:?}: {message}");
            assert_ne!(failed.status.code(), Some(0), "{arguments:?}");
        }
    }
}
