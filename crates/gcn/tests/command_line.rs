//! The command line as a user meets it: results, messages, exit statuses.

use std::fs;
use std::io::{Read, Write};
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

/// A directory for one test's files, empty at its start.
fn scratch(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path); // It need not exist.
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

/// Runs with `input` as standard input.
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
fn a_code_object_disassembles_to_source_that_gives_it_again() {
    let directory = scratch("round-trip");
    fs::write(directory.join("in.s"), SOURCE).expect("written");
    assert_status(
        &output(
            &directory,
            &["asm", "in.s", "-o", "one.co", "--target", "gfx900"],
        ),
        0,
    );
    let listing = output(&directory, &["dis", "one.co"]);
    assert_status(&listing, 0);
    assert!(
        stdout(&listing).contains("ds_read_b32 v1, v2 offset:16"),
        "{}",
        stdout(&listing)
    );
    assert!(
        stdout(&listing).contains(".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\""),
        "{}",
        stdout(&listing)
    );
    // The target is in the listing.
    assert_status(
        &piped(&directory, &["asm", "-", "-o", "two.co"], &listing.stdout),
        0,
    );
    let read = |name| fs::read(directory.join(name)).expect("written");
    let text = |name| stdout(&output(&directory, &["dis", name, "--hex"]));
    assert_eq!(text("one.co"), text("two.co"));
    assert!(read("one.co").starts_with(b"\x7fELF"));
}

#[test]
fn kernels_and_metadata_come_back() {
    let directory = scratch("kernels");
    assert_status(
        &piped(&directory, &["asm", "-", "-o", "one.co"], KERNEL.as_bytes()),
        0,
    );
    let listing = output(&directory, &["dis", "one.co"]);
    assert_status(&listing, 0);
    assert_status(
        &piped(&directory, &["asm", "-", "-o", "two.co"], &listing.stdout),
        0,
    );
    let info = |name| stdout(&output(&directory, &["info", name, "--json"]));
    assert!(
        info("one.co").contains("\"lds_bytes\": 1024"),
        "{}",
        info("one.co")
    );
    assert_eq!(info("one.co"), info("two.co"), "{}", stdout(&listing));
    assert_eq!(
        output(&directory, &["dis", "two.co"]).stdout,
        listing.stdout
    );
}

#[test]
fn llvm_assembles_what_is_listed() {
    let directory = scratch("llvm");
    let assembled = ["asm", "-", "-o", "one.co"];
    assert_status(&piped(&directory, &assembled, KERNEL.as_bytes()), 0);
    let listing = stdout(&output(&directory, &["dis", "one.co"]));
    // Without its tag LLVM takes the name for a truth value.
    assert!(listing.contains(".name: !str n\n"), "{listing}");

    let compiled = |kernel: &str| {
        let path = format!(
            "{}/../../examples/opencl/{kernel}",
            env!("CARGO_MANIFEST_DIR")
        );
        stdout(&output(&directory, &["dis", &path]))
    };
    for (cpu, listing) in [
        ("gfx906", listing),
        ("gfx803", compiled("vadd-gfx803.co")),
        ("gfx900", compiled("reduce-gfx900.co")),
    ] {
        fs::write(directory.join("listing.s"), &listing).expect("the listing can be written");
        let llvm = Command::new("llvm-mc-19")
            .current_dir(&directory)
            .args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o", "llvm.o"])
            .args([&format!("-mcpu={cpu}"), "listing.s"])
            .output()
            .expect("llvm-mc-19 of the Debian package llvm-19");
        assert!(llvm.status.success(), "{}\n{listing}", stderr(&llvm));
    }
}

#[test]
fn raw_words_come_back() {
    let directory = scratch("raw");
    fs::write(directory.join("in.s"), SOURCE).expect("written");
    assert_status(
        &output(
            &directory,
            &["asm", "in.s", "--target", "fiji", "--format", "raw"],
        ),
        0,
    );
    let words = fs::read(directory.join("in.bin")).expect("the default name");
    assert_eq!(words.len(), 20);
    for syntax in ["llvm", "clrx"] {
        let listing = output(
            &directory,
            &[
                "dis", "in.bin", "--target", "fiji", "--syntax", syntax, "--hex",
            ],
        );
        assert_status(&listing, 0);
        let again = piped(
            &directory,
            &["asm", "-", "--target", "fiji", "--format", "raw"],
            &listing.stdout,
        );
        assert_status(&again, 0);
        assert_eq!(again.stdout, words, "{}", stdout(&listing));
    }
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
        "half.co: the file ends after {half} bytes, before its section headers, which end at byte {}: a part is missing",
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
            "whose section headers cannot be read: the file ends after 65536 bytes",
        ),
        (&["info", "text.co"], "not an ELF file"),
        (&["info", "empty.co"], "empty.co is empty"),
        (&["dis", "empty.co"], "empty.co is empty"),
        (&["run", "empty.co", "--grid", "1"], "empty.co is empty"),
        (&["dis", "text.co", "--format", "elf"], "not an ELF file"),
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
        "error: there is no kernel kk; there are k\n"
    );
    let json = output(&directory, &["info", "k.co", "--json"]);
    assert_status(&json, 0);
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(report["target"], "gfx906");
    assert_eq!(report["kernels"][0]["arguments"][1]["name"], "n");
    assert_eq!(report["kernels"][0]["arguments"][1]["offset"], 8);
    assert_eq!(report["kernels"][0]["lds_bytes"], 1024);
}

/// Linux has a file that is always full.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_told() {
    let directory = scratch("full");
    for arguments in [&["isa", "v_add_f32"][..], &["completions", "bash"]] {
        let full = fs::File::create("/dev/full").expect("Linux has it");
        let failed = gcn(&directory, arguments)
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .expect("gcn starts");
        assert_status(&failed, 1);
        assert_eq!(
            stderr(&failed),
            "error: cannot write the output: No space left on device (os error 28)\n"
        );
    }
}

/// A closed standard error changes neither the result nor the exit status.
#[test]
fn diagnostics_that_cannot_be_written_change_nothing() {
    let directory = scratch("mute");
    fs::write(directory.join("wrong.s"), "v_nonsense\n").expect("a file");
    fs::write(directory.join("launch.toml"), "file = 1\n").expect("a file");
    for (arguments, status) in [
        (&["asm", "wrong.s", "--target", "gfx900"][..], 1),
        (&["asm", "missing.s"], 1),
        (&["run", "launch.toml"], 1),
        (&["run", "wrong.s", "--target", "gfx900", "--grid", "1"], 1),
        (&["run", "wrong.s", "--grid", "1"], 2),
    ] {
        let full = fs::File::options().write(true).open("/dev/full");
        // A pipe that nobody reads any more.
        let (reader, pipe) = std::io::pipe().expect("a pipe");
        drop(reader);
        for stderr in [Stdio::from(full.expect("Linux has it")), Stdio::from(pipe)] {
            let ended = gcn(&directory, arguments).stderr(stderr).status();
            assert_eq!(
                ended.expect("gcn starts").code(),
                Some(status),
                "{arguments:?}"
            );
        }
    }
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let directory = scratch("pipe");
    // More than a pipe holds.
    fs::write(directory.join("words"), [0; 1 << 20]).expect("written");
    let mut child = gcn(&directory, &["dis", "words", "--target", "fiji"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gcn starts");
    let mut first = [0; 16];
    child
        .stdout
        .take()
        .expect("a pipe")
        .read_exact(&mut first)
        .expect("output");
    let rest = child.wait_with_output().expect("gcn ends");
    assert_status(&rest, 0);
    assert_eq!(stderr(&rest), "");
}
