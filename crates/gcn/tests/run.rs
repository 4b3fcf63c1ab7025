//! `gcn run` as a user meets it: results, messages, exit statuses; the kernels are in `tests/kernels`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Exit statuses.
const GOOD: i32 = 0;
const BAD_INPUT: i32 = 1;
const BAD_USAGE: i32 = 2;

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A directory for one test's files, empty at its start.
fn scratch(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("run")
        .join(test);
    let _ = fs::remove_dir_all(&path); // It need not exist.
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// What a run left.
struct Ran {
    status: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Ran {
            status: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

fn run_in(directory: &Path, arguments: &[&str]) -> Ran {
    gcn_in(directory, &[&["run"], arguments].concat())
}

fn gcn_in(directory: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command
        .current_dir(directory)
        .args(arguments)
        .stdin(Stdio::null());
    command.output().expect("gcn starts").into()
}

/// The options that are good, but for arguments whose names the others give too, then the others.
fn replaced<'a>(good: &[&'a str], others: &[&'a str]) -> Vec<&'a str> {
    let name = |pair: &[&'a str]| match pair {
        ["--arg", given] => given.split('=').next(),
        _ => None,
    };
    let is_given = |pair: &[&'a str]| {
        let own = name(pair);
        own.is_some() && others.windows(2).any(|other| name(other) == own)
    };
    let (file, options) = good.split_at(1);
    let kept = options.chunks(2).filter(|pair| !is_given(pair)).flatten();
    file.iter().chain(kept).chain(others).copied().collect()
}

/// Runs `plain.s` with good arguments, then those given.
fn plain(arguments: &[&str]) -> Ran {
    const GOOD: [&str; 9] = [
        "plain.s",
        "--grid",
        "4",
        "--arg",
        "pad=u8:9",
        "--arg",
        "a=u32:10",
        "--arg",
        "out=u32*4",
    ];
    run_in(&kernels(), &replaced(&GOOD, arguments))
}

/// Runs `saxpy.s` of the examples, which has metadata, with good arguments, then those given.
fn saxpy(arguments: &[&str]) -> Ran {
    const GOOD: [&str; 9] = [
        "saxpy/saxpy.s",
        "--arg",
        "count=4",
        "--arg",
        "a=2",
        "--arg",
        "xs=1,2,3,4",
        "--arg",
        "ys=f32*4",
    ];
    run_in(&examples(), &replaced(&GOOD, arguments))
}

#[test]
fn without_metadata_arguments_are_laid_out_in_order() {
    let ran = plain(&[
        "--print",
        "out",
        "--print",
        "2[1..3]",
        "--print",
        "out:i16[2]",
        "--print",
        "table:u32",
    ]);
    assert_eq!(
        ran.out,
        "out: u32[0..4] = 10, 11, 12, 13\n2: u32[1..3] = 11, 12\nout: i16[2..3] = 11\ntable: u32[0..3] = 3, 1, 4\n"
    );
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    assert!(
        ran.err
            .starts_with("plain: 1 workgroup, 1 wave, 7 wave instructions, "),
        "{}",
        ran.err
    );
}

#[test]
fn values_without_types_get_them_from_the_metadata() {
    let ran = saxpy(&["--grid", "4", "--print", "ys", "--expect", "ys=2,4,6,8"]);
    assert_eq!(
        ran.out, "ys: f32[0..4] = 2, 4, 6, 8\nys: 4 values as expected\n",
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(GOOD));
}

#[test]
fn two_arguments_may_be_one_buffer() {
    let here = saxpy(&[
        "--grid", "4", "--arg", "ys=xs", "--print", "xs", "--print", "ys",
    ]);
    assert_eq!(
        here.out, "xs: f32[0..4] = 3, 6, 9, 12\nys: f32[0..4] = 3, 6, 9, 12\n",
        "{}",
        here.err
    );
    // The one that is named may come later; the other is as long as what is left of it.
    let part = saxpy(&[
        "--grid",
        "4",
        "--arg",
        "count=2",
        "--arg",
        "xs=ys[1]",
        "--arg",
        "ys=1,2,3,4",
        "--print",
        "ys",
        "--expect",
        "xs=8,3,4",
    ]);
    assert_eq!(
        part.out, "ys: f32[0..4] = 5, 8, 3, 4\nxs: 3 values as expected\n",
        "{}",
        part.err
    );
    let laid_out = plain(&["--arg", "more=out[2]", "--print", "more"]);
    assert_eq!(
        laid_out.out, "more: u32[0..2] = 12, 13\n",
        "{}",
        laid_out.err
    );
}

#[test]
fn kernels_of_cpp_have_the_name_of_the_source() {
    let directory = scratch("mangled");
    let text = fs::read_to_string(kernels().join("plain.s")).expect("the source");
    let kernel = |symbol: &str| text.replace("plain", symbol);
    let run = |name: &str| {
        let arguments = ["--grid", "3", "--arg", "pad=u8:9", "--arg", "a=u32:10"];
        let rest = ["--arg", "out=u32*4", "--print", "out", "--kernel", name];
        run_in(&directory, &[&["k.s"], &arguments[..], &rest[..]].concat())
    };
    for (symbol, others) in [
        (
            "_Z5scalehjPj",
            &["scale(unsigned char, unsigned int, unsigned int*)"][..],
        ),
        ("_ZL5scalehjPj", &[]),
        (
            "_ZN5image5scaleIjEEvhjPT_",
            &["image::scale<unsigned int>", "image::scale"],
        ),
    ] {
        fs::write(directory.join("k.s"), kernel(symbol)).expect("a file");
        for &name in ["scale", symbol].iter().chain(others) {
            let ran = run(name);
            assert_eq!(ran.out, "out: u32[0..4] = 10, 11, 12, 0\n", "{}", ran.err);
        }
        assert!(
            run("scal")
                .err
                .contains("there is no kernel scal; there are")
        );
    }
}

#[test]
fn partial_workgroups_leave_the_rest_alone() {
    let ran = plain(&["--grid", "3", "--print", "out"]);
    assert_eq!(ran.out, "out: u32[0..4] = 10, 11, 12, 0\n", "{}", ran.err);
}

#[test]
fn long_buffers_are_printed_in_lines() {
    let ran = plain(&["--arg", "out=u32*18:fill(5)", "--print", "out"]);
    let expected = "out: u32[0..18] =\n   0: 10, 11, 12, 13, 5, 5, 5, 5\n   8: 5, 5, 5, 5, 5, 5, 5, 5\n  16: 5, 5\n";
    assert_eq!(ran.out, expected, "{}", ran.err);
}

#[test]
fn a_launch_file_says_what_options_say() {
    let directory = scratch("same");
    let source = kernels().join("plain.s");
    fs::copy(&source, directory.join("plain.s")).expect("a copy");
    fs::write(directory.join("data.bin"), [1, 0, 0, 0, 2, 0, 0, 0]).expect("a file");
    for (text, arguments) in [
        (
            "grid = 4\nprint = \"out\"\n[args]\npad = \"u8:9\"\na = \"u32:10\"\nout = \"u32*4\"",
            &[
                "--grid",
                "4",
                "--arg",
                "pad=u8:9",
                "--arg",
                "a=u32:10",
                "--arg",
                "out=u32*4",
                "--print",
                "out",
            ][..],
        ),
        (
            "kernel = \"plain\"\ntarget = \"vega10\"\ngrid = [2, 1]\ngroup = \"2,1,1\"\noffset = [0, 9]\nthreads = 1\nlimit = 100\nlds = 64\n\
             memory = \"1M\"\nargs = [\"u8:9\", \"u32:10\", \"@data.bin\"]\nprint = [\"2:u32\", \"2:u32[0]\"]\n\
             expect = { 2 = \"u32:10,11~0\" }",
            &[
                "--kernel",
                "plain",
                "--target",
                "vega10",
                "--grid",
                "2,1",
                "--group",
                "2,1,1",
                "--offset",
                "0,9",
                "--threads",
                "1",
                "--limit",
                "100",
                "--lds",
                "64",
                "--memory",
                "1M",
                "--arg",
                "0=u8:9",
                "--arg",
                "1=u32:10",
                "--arg",
                "2=@data.bin",
                "--print",
                "2:u32",
                "--print",
                "2:u32[0]",
                "--expect",
                "2=u32:10,11~0",
            ],
        ),
        (
            "grid = 1\nargs = { pad = \"u8:9\", a = \"u32:10\", out = \"u32:7,7\" }\nexpect = [\"out=u32:1,2\"]\ntrace = true",
            &[
                "--grid",
                "1",
                "--arg",
                "pad=u8:9",
                "--arg",
                "a=u32:10",
                "--arg",
                "out=u32:7,7",
                "--expect",
                "out=u32:1,2",
                "--trace",
            ],
        ),
    ] {
        let file = directory.join("launch.toml");
        fs::write(&file, format!("file = \"plain.s\"\n{text}\n")).expect("a file");
        // From elsewhere, since paths in the file are relative to it.
        let by_file = run_in(&kernels(), &[file.to_str().expect("a name")]);
        let by_options = run_in(&directory, &[&["plain.s"], arguments].concat());
        assert_eq!(
            by_file.out, by_options.out,
            "{text}: {} {}",
            by_file.err, by_options.err
        );
        assert_eq!(
            by_file.status, by_options.status,
            "{text}: {} {}",
            by_file.err, by_options.err
        );
        assert!(!by_file.out.is_empty(), "{text}: {}", by_file.err);
    }
}

#[test]
fn options_win_over_the_launch_file() {
    let directory = scratch("override");
    let text = format!(
        "file = {:?}\ngrid = 4\nprint = \"out\"\n[args]\npad = \"u8:9\"\na = \"u32:10\"\nout = \"u32*4\"\n",
        kernels().join("plain.s")
    );
    fs::write(directory.join("launch.toml"), text).expect("a file");
    let ran = run_in(
        &directory,
        &[
            "launch.toml",
            "--grid",
            "2",
            "--arg",
            "a=u32:20",
            "--print",
            "out[0]",
        ],
    );
    assert_eq!(
        ran.out, "out: u32[0..4] = 20, 21, 0, 0\nout: u32[0..1] = 20\n",
        "{}",
        ran.err
    );
}

#[test]
fn wrong_launch_files_are_explained() {
    let directory = scratch("wrong");
    for (text, message) in [
        (
            "grid = 4",
            "the launch file names no program: add `file = \"kernel.s\"`",
        ),
        (
            "file = \"k.s\"\ngird = 4",
            "launch.toml:2:1: error: unknown field `gird`",
        ),
        (
            "file = \"k.s\"\ngrid = [1, 2, 3, 4]",
            "launch.toml:2:8: error: `1,2,3,4` is not X, X,Y or X,Y,Z of numbers from 1 to 4294967295\n  |\n2 | grid = \
             [1, 2, 3, 4]\n  |        ^^^^^^^^^^^^\n",
        ),
        (
            "file = \"k.s\"\ngrid = true",
            "expected a number, a list of up to three, or text such as",
        ),
        (
            "file = \"k.s\"\nmemory = \"much\"",
            "launch.toml:2:10: error: `much` is not an amount of memory such as 1048576, 512M or 4G",
        ),
        (
            "file = \"k.s\"\n[args]\na = { b = 1 }",
            "args: a is neither a number, nor a list of numbers, nor text",
        ),
        (
            "file = \"k.s\"\nexpect = [\"x\"]",
            "`expect x`: NAME=VALUE is wanted",
        ),
        (
            "file = \"k.s\"\nsave = [\"x\"]",
            "`save x`: NAME=FILE is wanted",
        ),
        (
            "file = \"k.s\"\noffset = \"1,\"",
            "launch.toml:2:10: error: `1,` is not X, X,Y or X,Y,Z of numbers from 0 to 18446744073709551615",
        ),
        (
            "file = \"launch.toml\"",
            "launch.toml: launch.toml is a launch file too; `file` names a source or a code object",
        ),
        (
            "file = ",
            "launch.toml:1:8: error: string values must be quoted, expected literal string\n  |\n1 | file = \n  |        ^\n",
        ),
    ] {
        fs::write(directory.join("launch.toml"), text).expect("a file");
        let ran = run_in(&directory, &["launch.toml"]);
        assert!(ran.err.contains(message), "{text}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT), "{text}");
    }
}

#[test]
fn wrong_arguments_are_explained() {
    const LIST: &str = "kernel saxpy takes:\n  0 count: a number, u32\n  1 a: a number, f32\n  2 xs: a buffer of f32\n  3 ys: a buffer of f32\n";
    for (arguments, message) in [
        (
            &["--arg", "zz=1"][..],
            "error: kernel saxpy has no argument zz\n",
        ),
        (&["--arg", "0=1"], "error: argument 0 is given twice\n"),
        (
            &["--arg", "count=1.5"],
            "error: argument count: 1.5 is not a whole number, but u32 needs one\n",
        ),
        (
            &["--arg", "count=-1"],
            "error: argument count: -1 does not fit u32\n",
        ),
        (
            &["--arg", "count=u64:1"],
            "error: argument count: it takes 4 bytes, not 8\n",
        ),
        (
            &["--arg", "count=1,2"],
            "error: argument count: it takes 4 bytes, not 8\n",
        ),
        (
            &["--arg", "count=f32:1"],
            "error: argument count: it is u32, not f32\n",
        ),
        (
            &["--arg", "a=u32:1"],
            "error: argument a: it is f32, not u32\n",
        ),
        (
            &["--arg", "a=null"],
            "error: argument a: it is passed by value, 4 bytes\n",
        ),
        (
            &["--arg", "a=one"],
            "error: argument a: `one` is not a number\n",
        ),
        (
            &["--arg", "xs=3"],
            "error: argument xs: a buffer is wanted, not a number; 3, with a comma is a buffer of one\n",
        ),
        (
            &["--arg", "xs=local:4"],
            "error: argument xs: a buffer is wanted, not LDS\n",
        ),
        (
            &["--arg", "xs=zs"],
            "error: argument xs: `zs` is neither a value nor another argument\n",
        ),
        (
            &["--arg", "xs=a"],
            "error: argument xs: a is passed by value, so it has no buffer\n",
        ),
        (
            &["--arg", "ys=xs", "--arg", "xs=null"],
            "error: argument ys: xs is a null pointer, so it has no buffer\n",
        ),
        (
            &["--arg", "xs=ys[5]"],
            "error: argument xs: ys has no element 5, but 4 elements\n",
        ),
        (
            &["--arg", "xs=ys", "--arg", "ys=xs"],
            "error: argument xs: ys is the buffer of xs; name an argument that has one of its own\n",
        ),
        (
            &["--arg", "xs=@missing.bin"],
            "error: argument xs: cannot read missing.bin: No such file or directory (os error 2)\n",
        ),
        (
            &[
                "--arg",
                "xs=@saxpy/saxpy.s",
                "--arg",
                "ys=u64@saxpy/expected.txt",
            ],
            "which is no whole number of u64\n",
        ),
    ] {
        let ran = saxpy(&[&["--grid", "4"], arguments].concat());
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
        assert!(ran.err.ends_with(LIST), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT), "{arguments:?}");
    }
    let ran = run_in(
        &examples(),
        &["saxpy/saxpy.s", "--grid", "4", "--arg", "a=1"],
    );
    let missing = ["count", "xs", "ys"]
        .map(|name| format!("error: argument {name} is missing\n"))
        .concat();
    assert_eq!(ran.err, missing + LIST);
}

#[test]
fn wrong_arguments_without_metadata_are_explained() {
    for (arguments, message) in [
        (
            &["--arg", "more=u64:1"][..],
            "the arguments take 24 bytes, but the descriptor of kernel sized says 16\n",
        ),
        (
            &["--arg", "pad=9"],
            "argument pad: kernel sized has no metadata, so a number needs a type, as in u32:42\n",
        ),
    ] {
        let directory = scratch("sized");
        let text = fs::read_to_string(kernels().join("plain.s")).expect("a source");
        let text = text.replace("plain", "sized").replace(
            ".amdhsa_next_free_vgpr",
            ".amdhsa_kernarg_size 16\n.amdhsa_next_free_vgpr",
        );
        fs::write(directory.join("sized.s"), text).expect("a file");
        const GOOD: [&str; 9] = [
            "sized.s",
            "--grid",
            "4",
            "--arg",
            "pad=u8:9",
            "--arg",
            "a=u32:10",
            "--arg",
            "out=u32*4",
        ];
        let good = run_in(&directory, &GOOD);
        assert_eq!(good.status, Some(0), "{}", good.err);
        let ran = run_in(&directory, &replaced(&GOOD, arguments));
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT));
        let none = run_in(&directory, &["sized.s", "--grid", "4"]);
        let message = "error: kernel sized reads 16 bytes of arguments and has no metadata; give them in order, with types\n";
        assert_eq!(none.err, message);
    }
}

#[test]
fn sizes_without_bounds_end_in_a_message() {
    for (arguments, message) in [
        (
            &["--grid", "4294967295,4294967295"][..],
            "error: a grid of 4294967295 x 4294967295 x 1 in workgroups of 64 x 1 x 1 has 288230376084602880 waves; at most \
             1073741824 are run\n",
        ),
        (
            &["--grid", "64", "--group", "128"],
            "the kernel was compiled for at most 64\n",
        ),
        (
            &["--grid", "64", "--lds", "65537"],
            "a workgroup needs 65537 bytes of LDS (0 in the kernel, 65537 dynamic)",
        ),
        (
            &["--grid", "64", "--arg", "xs=f32*1000000000000000"],
            "more than the",
        ),
        (
            &["--grid", "64", "--arg", "xs=f64*18446744073709551615"],
            "argument xs: the buffer is larger than any memory",
        ),
        (
            &["--grid", "64", "--memory", "8"],
            "the buffers take 32 bytes (xs 16, ys 16), more than the 8 bytes of memory there are",
        ),
    ] {
        let ran = saxpy(arguments);
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
}

#[test]
fn wrong_usage_is_told_from_wrong_input() {
    for (arguments, message) in [
        (
            &[][..],
            "error: how many work-items? add --grid X[,Y[,Z]]\n",
        ),
        (&["--grid", "0"], "`0` is not X, X,Y or X,Y,Z"),
        (&["--grid", "-1"], "`-1` is not X, X,Y or X,Y,Z"),
        (
            &["--grid", "4", "--arg", "count"],
            "error: `--arg count`: NAME=VALUE is wanted\nkernel saxpy takes:\n  0 count: a number, u32\n",
        ),
        (
            &["--grid", "4", "--save", "ys"],
            "error: `--save ys`: NAME=FILE is wanted\n",
        ),
        (
            &["--grid", "4", "--threads", "0"],
            "`0` is not a number of threads from 1 to 1024",
        ),
        (&["--grid", "4", "--target", "gfx1100"], "not a target"),
    ] {
        let ran = saxpy(arguments);
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_USAGE), "{arguments:?}");
    }
    let directory = scratch("usage");
    fs::write(directory.join("k.s"), "s_endpgm\n").expect("a file");
    let ran = run_in(&directory, &["k.s", "--grid", "1"]);
    assert_eq!(
        ran.err,
        "error: k.s names no target: add --target, or .amdgcn_target to the source\n"
    );
    assert_eq!(ran.status, Some(BAD_USAGE));
    let ran = run_in(&directory, &["k.s", "--grid", "1", "--target", "fiji"]);
    assert_eq!(
        ran.err,
        "error: there is no kernel: a source declares one with .amdhsa_kernel\n"
    );
    let ran = run_in(&kernels(), &["faults.s", "--grid", "1"]);
    assert_eq!(
        ran.err,
        "error: which kernel? add --kernel with one of away, beyond, forever, garbage, odd, stuck\n"
    );
    let ran = run_in(&kernels(), &["faults.s", "--grid", "1", "--kernel", "x"]);
    assert!(
        ran.err
            .starts_with("error: there is no kernel x; there are away, "),
        "{}",
        ran.err
    );
}

/// A value that means nothing keeps its place: those behind it go to the arguments that they would have.
#[test]
fn a_wrong_value_does_not_shift_the_others() {
    let directory = scratch("shift");
    let arguments = "\n    .args:\n      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}\n      \
                     - {.offset: 8, .size: 4, .value_kind: by_value}\n";
    let text = kernel_of("", "gfx900")
        + &metadata(arguments).replace(
            "size: 0\n    .kernarg_segment_align",
            "size: 16\n    .kernarg_segment_align",
        );
    fs::write(directory.join("k.s"), text).expect("a file");
    let ran = run_in(
        &directory,
        &[
            "k.s", "--grid", "1", "--arg", "xs=f32*x", "--arg", "n=u32:1",
        ],
    );
    let errors: Vec<&str> = ran
        .err
        .lines()
        .filter(|line| line.starts_with("error"))
        .collect();
    assert_eq!(
        errors,
        ["error: argument xs: `x` is not a number of elements"]
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
}

/// What a descriptor allows against what the code does (checklist 1.6, 1.7): writes stop the run, reads are told.
#[test]
fn registers_that_a_kernel_did_not_ask_for_are_told() {
    let directory = scratch("registers");
    let run = |instructions: &str, arguments: &[&str]| {
        fs::write(directory.join("k.s"), kernel_of(instructions, "gfx900")).expect("a file");
        run_in(&directory, &[&["k.s", "--grid", "64"], arguments].concat())
    };
    let ran = run(
        "v_mov_b32 v0, v40\ns_mov_b32 s0, s60\nv_mov_b32 v1, v3",
        &[],
    );
    let note = "note: 2 instructions with sources that the wave does not have, which are v0 and s0 then, as on hardware: its \
                kernel asks for 4 VGPRs and 16 SGPRs; the first, at 0x100001300 (k+0x0): v_mov_b32_e32 v0, v40\n";
    assert!(ran.err.ends_with(note), "{}", ran.err);
    assert_eq!(ran.status, Some(GOOD));
    let ran = run("v_mov_b32 v0, v40", &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let told = report["notes"][0].as_str().expect("a note");
    assert!(told.starts_with("1 instruction with sources"), "{told}");
    let ran = run("v_mov_b32 v40, v0", &[]);
    assert!(
        ran.err
            .contains("writes registers that the wave does not have"),
        "{}",
        ran.err
    );
}

/// The first access outside is the one of the first wave, whichever thread comes first.
#[test]
fn the_first_access_outside_is_named() {
    let directory = scratch("outside");
    let instructions = "v_mov_b32 v1, 0x10000\nds_write_b32 v1, v0\nds_read_b32 v1, v1";
    fs::write(directory.join("k.s"), kernel_of(instructions, "gfx900")).expect("a file");
    for threads in ["1", "2"] {
        let ran = run_in(&directory, &["k.s", "--grid", "4096", "--threads", threads]);
        let note = "note: 8192 accesses beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on \
                    hardware; the first by workgroup 0,0,0, wave 0, at 0x100001308 (k+0x8): ds_write_b32 v1, v0\n";
        assert!(ran.err.ends_with(note), "{}", ran.err);
        assert_eq!(ran.status, Some(GOOD));
    }
}

#[test]
fn errors_of_the_source_are_shown() {
    let directory = scratch("source");
    fs::write(directory.join("k.s"), "s_endpgm\nv_bogus v0\n").expect("a file");
    let ran = run_in(&directory, &["k.s", "--grid", "1", "--target", "fiji"]);
    assert!(ran.err.starts_with("k.s:2:1: error: "), "{}", ran.err);
    assert_eq!(ran.status, Some(BAD_INPUT));
}

#[test]
fn sources_for_a_compiler_are_not_taken_for_assembly() {
    let directory = scratch("compiled");
    for (name, message) in [
        (
            "k.cl",
            "error: k.cl is OpenCL C, not assembly: run what a compiler makes of it, as by `clang -x cl -target amdgcn-amd-amdhsa \
             -mcpu=gfx906 -O2 k.cl -o kernel.co`\n",
        ),
        (
            "k.hip",
            "error: k.hip is HIP, not assembly: run what a compiler makes of it, as by `clang++ -x hip --cuda-device-only \
             --offload-arch=gfx906 -O2 k.hip -o kernel.co`\n",
        ),
    ] {
        fs::write(directory.join(name), "void k() {}\n").expect("a source");
        let ran = run_in(&directory, &[name, "--grid", "1"]);
        assert_eq!(ran.err, message);
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
}

#[test]
fn null_pointers_are_called_so() {
    let ran = saxpy(&["--grid", "4", "--arg", "xs=null"]);
    assert!(
        ran.err
            .ends_with("at unmapped address 0x0\n  that is a null pointer\n"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
}

#[test]
fn what_linking_finds_is_shown_where_it_is() {
    let directory = scratch("link");
    fs::write(directory.join("k.s"), "s_branch nowhere\ns_endpgm\n").expect("a source");
    let ran = run_in(&directory, &["k.s", "--target", "fiji", "--grid", "64"]);
    assert_eq!(ran.status, Some(BAD_INPUT));
    let message = "k.s:1:10: error: symbol nowhere is not defined\n";
    assert!(ran.err.starts_with(message), "{}", ran.err);
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
        "error: print zz: there is no buffer zz; there are out\n\
         error: print out[2..9]: elements 2..9 of out do not exist: it has 4 of u32\n\
         error: print table: table is a symbol; write its type, as in table:u32\n\
         error: save q: there is no buffer q; there are out\n\
         error: expect out: 1 values cannot be compared with 4 elements; choose some with out[A..B]\n"
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
    assert_eq!(ran.status, Some(BAD_INPUT));
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
        ran.out.ends_with("  out[9] is 0, expected 99\n  …\n"),
        "{}",
        ran.out
    );
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
fn faults_name_the_place_and_lose_nothing() {
    for (kernel, message) in [
        (
            "beyond",
            "error: kernel beyond, workgroup 0,0,0, wave 0, lane 16, at 0x100001614 (beyond+0x14): global_store_dword v1, v2, \
             s[4:5]\n  stores 4 bytes at unmapped address 0x100020040\n  nearest is out: 64 bytes at 0x100020000; the \
             address is right behind its end\n",
        ),
        (
            "forever",
            "(forever+0x0): s_branch 65535\n  stopped after 1000000 instructions, the limit\n",
        ),
        (
            "away",
            "at 0x0\n  the program counter left the code\n  it came from the instruction at 0x100001804 (away+0x4): \
             s_setpc_b64 s[4:5]\n",
        ),
        (
            "odd",
            "(odd+0x10): global_atomic_add v1, v1, s[4:5]\n  atomic at address 0x100020002, which is not a multiple of 4\n  \
             nearest is out: 64 bytes at 0x100020000; the address is 2 bytes into it\n",
        ),
        (
            "garbage",
            "(garbage+0x0)\n  0xffffffff begins no instruction of GCN 1.4\n",
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
        assert_eq!(ran.status, Some(BAD_INPUT), "{kernel}");
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
            BAD_INPUT,
            "at 0x800000008\n  the program counter left the code\n  it came from the instruction at 0x10000",
        ),
        (
            "overflows",
            BAD_INPUT,
            "(more+0x0): buffer_store_dword v3, v3, s[0:3], s4 offen\n  stores 4 bytes at unmapped address ",
        ),
        (
            "overflows",
            BAD_INPUT,
            "; the address is right behind its end\n",
        ),
        (
            "into_data",
            BAD_INPUT,
            " (numbers+0x0)\n  the program counter left the code\n  it came from the instruction at ",
        ),
        (
            "crooked",
            BAD_INPUT,
            "(crooked+0xe)\n  the program counter is not a multiple of 4\n  it came from the instruction at 0x10000",
        ),
        ("crooked", BAD_INPUT, "(crooked+0x8): s_setpc_b64 s[4:5]\n"),
        (
            "divides",
            GOOD,
            "not exact: v_rcp_iflag_f32 (approximate, E199)\n",
        ),
        (
            "aborts",
            BAD_INPUT,
            "(aborts+0x0): s_trap 2\n  trap 2: the kernel aborts, as by __builtin_trap or a failed assertion\n",
        ),
        (
            "greedy",
            BAD_INPUT,
            "(greedy+0x0): v_mov_b32_e32 v8, 0\n  writes registers that the wave does not have: its kernel asks for 8 \
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
fn a_limit_tells_where_all_waves_are() {
    let arguments = [
        "faults.s", "--kernel", "forever", "--grid", "4096", "--group", "1024", "--limit", "100000",
    ];
    let arguments = [&arguments[..], &["--threads", "1", "--arg", "out=u32*64"]].concat();
    let ran = run_in(&kernels(), &arguments);
    assert_eq!(ran.status, Some(BAD_INPUT));
    let (_, list) = ran
        .err
        .split_once("  stopped after 100000 instructions, the limit\n")
        .expect("the limit is told");
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines[0], "  64 waves had begun and not ended:");
    assert_eq!(lines.len(), 18, "{list}");
    for (wave, line) in lines[1..17].iter().enumerate() {
        assert!(
            line.starts_with(&format!("    workgroup 0,0,0, wave {wave}, at 0x")),
            "{line}"
        );
        assert!(
            line.ends_with(" (forever+0x0): s_branch 65535, exec=ffffffffffffffff"),
            "{line}"
        );
    }
    assert_eq!(lines[17], "    and 48 more");
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

/// Lines of a kernel that executes these instructions and ends.
fn kernel_of(instructions: &str, target: &str) -> String {
    format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n{instructions}\n\
         s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 8\n\
         .end_amdhsa_kernel\n"
    )
}

#[test]
fn fidelity_is_told_in_a_line_a_list_and_json() {
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
fn code_for_other_targets_is_refused() {
    let directory = scratch("targets");
    fs::write(
        directory.join("k.s"),
        kernel_of("v_mov_b32 v1, v0", "gfx906"),
    )
    .expect("a file");
    let object = directory.join("k.co");
    let assembled = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .current_dir(&directory)
        .args(["asm", "k.s", "-o", "k.co"])
        .status()
        .expect("gcn starts");
    assert!(assembled.success());
    let run =
        |arguments: &[&str]| run_in(&directory, &[&["k.co", "--grid", "64"], arguments].concat());
    assert_eq!(run(&[]).status, Some(GOOD));
    assert_eq!(run(&["--target", "vega20"]).status, Some(GOOD));
    for target in ["gfx900", "gfx803", "gfx600"] {
        let ran = run(&["--target", target]);
        assert_eq!(
            ran.err,
            format!("error: k.co: code for gfx906, which is not run as {target}\n")
        );
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
    // The processor's number is the low byte of the ELF header's flags (LLVM's AMDGPU user guide, "ELF Header").
    const FLAGS: usize = 48;
    let bytes = fs::read(&object).expect("the object");
    for (number, name) in [
        (0x30, "gfx908"),
        (0x3f, "gfx90a"),
        (0x36, "gfx1030"),
        (0x41, "gfx1100"),
    ] {
        let mut bytes = bytes.clone();
        bytes[FLAGS] = number;
        fs::write(&object, bytes).expect("a file");
        let message = format!(
            "error: k.co: code for {name}, which is not supported yet; GCN 1.0 to 1.4 are: gfx600 to gfx90c without gfx908 \
             and gfx90a\n"
        );
        for arguments in [&[][..], &["--target", "gfx900"]] {
            let ran = run(arguments);
            assert_eq!(ran.err, message, "{arguments:?}");
            assert_eq!(ran.status, Some(BAD_INPUT));
        }
        // To look at it with the eyes of another is allowed, and said.
        let list = |command: &str| gcn_in(&directory, &[command, "k.co", "--target", "gfx906"]);
        let (dis, info) = (list("dis"), list("info"));
        let warning = format!("k.co: warning: the code is for {name}, and is listed as gfx906's\n");
        assert_eq!((dis.err, dis.status), (warning, Some(GOOD)));
        assert!(dis.out.contains("v_mov_b32"), "{}", dis.out);
        let warning = format!("k.co: warning: the code is for {name}, not for gfx906\n");
        assert_eq!((info.err, info.status), (warning, Some(GOOD)));
        // Others allocate registers in blocks of other sizes.
        assert!(!info.out.contains("allocated"), "{}", info.out);
    }
    fs::write(&object, &bytes).expect("a file");
    for (command, warning) in [
        (
            "dis",
            "k.co: warning: the code is for gfx906, and is listed as gfx803's\n",
        ),
        (
            "info",
            "k.co: warning: the code is for gfx906, not for gfx803\n",
        ),
    ] {
        assert_eq!(
            gcn_in(&directory, &[command, "k.co", "--target", "gfx803"]).err,
            warning
        );
        assert_eq!(
            gcn_in(&directory, &[command, "k.co", "--target", "vega20"]).err,
            ""
        );
        assert_eq!(
            gcn_in(&directory, &[command, "k.co", "--entry", "1"]).err,
            ""
        );
        let ran = gcn_in(&directory, &[command, "k.co", "--entry", "2"]);
        assert_eq!(
            ran.err,
            "error: k.co: the file is a code object itself, so that there is no entry 2\n"
        );
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
    // Code object version 6 of gfx9-generic, version 1: what all targets of GCN 1.4 can run.
    const ABI_VERSION: usize = 8;
    let mut generic = bytes.clone();
    generic[ABI_VERSION] = 4;
    generic[FLAGS] = 0x51;
    generic[FLAGS + 3] = 1;
    fs::write(&object, generic).expect("a file");
    for arguments in [&[][..], &["--target", "gfx90c"], &["--target", "vega20"]] {
        let ran = run(arguments);
        assert_eq!(ran.status, Some(GOOD), "{arguments:?}: {}", ran.err);
    }
    let ran = run(&["--target", "gfx803"]);
    let refused = "error: k.co: code for gfx9-generic, which is not run as gfx803\n";
    assert_eq!(ran.err, refused);
    let mut bytes = bytes;
    bytes[FLAGS] = 0;
    fs::write(&object, bytes).expect("a file");
    let ran = run(&[]);
    assert_eq!(
        ran.err,
        "error: k.co: the code object names no target that is known; add --target\n"
    );
    assert_eq!(run(&["--target", "gfx906"]).status, Some(GOOD));
}

/// Metadata that say something about the workgroups of [`kernel_of`].
fn metadata(workgroups: &str) -> String {
    format!(
        ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    \
         .kernarg_segment_size: 0\n    .kernarg_segment_align: 4\n    .group_segment_fixed_size: 0\n    \
         .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 8\n    .vgpr_count: 4\n    \
         {workgroups}\n...\n.end_amdgpu_metadata\n"
    )
}

#[test]
fn workgroups_are_held_against_what_the_kernel_was_compiled_for() {
    let directory = scratch("workgroups");
    for (file, workgroups) in [
        (
            "whole.s",
            ".max_flat_workgroup_size: 128\n    .uniform_work_group_size: 1",
        ),
        (
            "fixed.s",
            ".max_flat_workgroup_size: 128\n    .reqd_workgroup_size: [64, 2, 1]",
        ),
    ] {
        let source = kernel_of("v_mov_b32 v1, v0", "gfx900") + &metadata(workgroups);
        fs::write(directory.join(file), source).expect("a file");
    }
    for (arguments, status, message) in [
        (
            &["whole.s", "--grid", "100,3"][..],
            GOOD,
            "note: a grid of 100 x 3 x 1 has partial workgroups of 64 x 1 x 1; the kernel was compiled for whole ones and may \
             take them for such\nk: 6 workgroups, 6 waves, ",
        ),
        (
            &["whole.s", "--grid", "128,3"],
            GOOD,
            "k: 6 workgroups, 6 waves, ",
        ),
        (
            &["fixed.s", "--grid", "128,2"],
            GOOD,
            "k: 2 workgroups, 4 waves, ",
        ),
        (
            &["fixed.s", "--grid", "128", "--group", "64"],
            BAD_INPUT,
            "error: the kernel was compiled for workgroups of 64 x 2 x 1, not of 64 x 1 x 1\n",
        ),
        (
            &["whole.s", "--grid", "256", "--group", "129"],
            BAD_INPUT,
            "error: a workgroup of 129 work-items is too large: the kernel was compiled for at most 128\n",
        ),
        (
            &["whole.s", "--grid", "2048", "--group", "32,33"],
            BAD_INPUT,
            "error: a workgroup of 1056 work-items is too large: the hardware takes 1024\n",
        ),
    ] {
        let ran = run_in(&directory, arguments);
        assert!(ran.err.starts_with(message), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(status), "{arguments:?}");
    }
}

/// A buffer's file may be as large as memory, and is not read before it is known to fit.
#[test]
fn files_are_as_large_as_memory() {
    let directory = scratch("large");
    let large = directory.join("large.bin");
    let file = fs::File::create(&large).expect("a file");
    file.set_len(3 << 30).expect("a file without contents");
    let argument = format!("xs=f32@{}", large.display());
    let ran = saxpy(&["--grid", "4", "--memory", "2G", "--arg", &argument]);
    assert!(
        ran.err
            .contains("the buffers take 3221225488 bytes (xs 3221225472, ys 16), more than the 2147483648 bytes"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
    fs::remove_file(large).expect("it is there");
    // Several pieces, from a file and to another.
    let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i * 7 / 8) as u8).collect();
    let (from, to) = (directory.join("from.bin"), directory.join("to.bin"));
    fs::write(&from, &bytes).expect("a file");
    let argument = format!("xs=f32@{}", from.display());
    let save = format!("xs={}", to.display());
    let ran = saxpy(&["--grid", "4", "--arg", &argument, "--save", &save]);
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    assert!(fs::read(&to).expect("a file") == bytes, "the same bytes");
}

#[test]
fn files_of_other_lengths_are_explained() {
    let directory = scratch("lengths");
    for (name, bytes) in [("six.bin", 6), ("eight.bin", 8)] {
        fs::write(directory.join(name), vec![0; bytes]).expect("a file");
    }
    let file = |name: &str| directory.join(name).display().to_string();
    let (six, eight) = (file("six.bin"), file("eight.bin"));
    let xs = |value: String| saxpy(&["--grid", "4", "--arg", &format!("xs={value}")]);
    let ran = xs(format!("f32@{six}"));
    assert!(
        ran.err
            .contains("six.bin: the file has 6 bytes, which is no whole number of f32\n"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
    // What is too short for the kernel shows where the kernel reads on.
    let ran = xs(format!("f32@{eight}"));
    assert!(
        ran.err.contains("\n  nearest is xs: 8 bytes at "),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("; the address is right behind its end\n"),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
    let ran = saxpy(&["--grid", "4", "--expect", &format!("ys=f32@{eight}")]);
    assert!(
        ran.err
            .contains("error: expect ys: 2 values cannot be compared with 4 elements"),
        "{}",
        ran.err
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
        ("kernel", serde_json::json!("plain")),
        ("target", serde_json::json!("gfx900")),
        ("grid", serde_json::json!([4, 1, 1])),
        ("group", serde_json::json!([2, 1, 1])),
        ("workgroups", serde_json::json!(2)),
        ("waves", serde_json::json!(2)),
        ("instructions", serde_json::json!(14)),
        ("threads", serde_json::json!(1)),
        ("fault", serde_json::Value::Null),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    assert_eq!(
        report["buffers"][0]["values"],
        serde_json::json!([10, 11, 0, 0]),
        "v0 counts within the workgroup"
    );
    assert_eq!(
        report["expectations"][0]["differences"],
        serde_json::json!([{"index": 1, "is": 11, "expected": 12}])
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
        lines[0].ends_with("exec=000000000000000f  s_load_dword s4, s[0:1], 0x4  -> s4=0xa"),
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
    assert!(lines[6].ends_with("s_endpgm"), "{}", lines[6]);
    assert_ne!(address(lines[0]), address(lines[1]));
}
