//! Tests of launch files with several launches that share buffers.

use super::*;

/// Runs a launch file next to a copy of `plain.s`.
fn launched(test: &str, text: &str, arguments: &[&str]) -> RunResult {
    let directory = scratch(test);
    let source = fs::read_to_string(kernels().join("plain.s")).expect("a source");
    // Add a second kernel, which only traps.
    let source = source
        + "\n.text\n.globl bad\n.p2align 8\n.type bad,@function\nbad:\ns_trap 2\ns_endpgm\n.rodata\n.p2align 6\n\
           .amdhsa_kernel bad\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n";
    fs::write(directory.join("k.s"), source).expect("a file");
    let text = format!("file = \"k.s\"\n{text}");
    fs::write(directory.join("l.toml"), text).expect("a file");
    run_in(&directory, &[&["l.toml"], arguments].concat())
}

const TWO: &str = "kernel = \"plain\"\ngrid = 4\nprint = [\"x\", \"y\"]\n[buffers]\nx = \"u32*4\"\ny = \"u32*8:fill(7)\"\n\
                   [[launch]]\nargs = [\"u8:0\", \"u32:10\", \"x\"]\n\
                   [[launch]]\ngrid = 2\nrepeat = 3\nargs = { pad = \"u8:0\", a = [\"u32:1\"], out = \"y[2]\" }\n";

#[test]
fn launches_run_in_order_over_shared_buffers() {
    let ran = launched("two", TWO, &[]);
    assert_eq!(
        ran.out, "x: u32[0..4] = 10, 11, 12, 13\ny: u32[0..8] = 7, 7, 1, 2, 7, 7, 7, 7\n",
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(GOOD));
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.err);
    assert!(
        lines[0].starts_with("plain: 1 workgroup, 1 wave, 7 wave instructions, "),
        "{}",
        ran.err
    );
    assert!(
        lines[1].starts_with("plain: 3 workgroups, 3 waves, 21 wave instructions, "),
        "{}",
        ran.err
    );
    assert!(lines[1].contains(" s for 3 runs, the best "), "{}", ran.err);
    let ran = launched("two", TWO, &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(report["instructions"], 28);
    let launches = report["launches"].as_array().expect("a list");
    assert_eq!(launches.len(), 2);
    assert_eq!(launches[1]["grid"], serde_json::json!([2, 1, 1]));
    assert_eq!(launches[1]["times"].as_array().map(Vec::len), Some(3));
    let ran = launched("two", TWO, &["--repeat", "5"]);
    let runs = ran.err.matches(" s for 5 runs, the best ").count();
    assert_eq!(runs, 2, "{}", ran.err);
    // The second launch sees the first one's results.
    let chain = "kernel = \"plain\"\ngrid = 4\nexpect = [\"y=u32:1,2,3,13\"]\n[buffers]\ny = \"u32*4\"\n\
                 [[launch]]\nargs = [\"u8:0\", \"u32:10\", \"y\"]\n[[launch]]\ngrid = 3\nargs = [\"u8:0\", \"u32:1\", \"y\"]\n";
    let ran = launched("chain", chain, &[]);
    assert_eq!(ran.out, "y: 4 values as expected\n", "{}", ran.err);
}

/// An argument with the name of the buffer that it refers to does not hide that buffer from other arguments.
#[test]
fn arguments_have_the_names_of_shared_buffers() {
    let text = "kernel = \"plain\"\ngrid = 2\nprint = [\"out\"]\n[buffers]\nout = \"u32*6\"\n\
                [[launch]]\nargs = { pad = \"u8:0\", a = \"u32:1\", out = \"out\" }\n\
                [[launch]]\nargs = { pad = \"u8:0\", a = \"u32:5\", out = \"out[2]\" }\n\
                [[launch]]\nargs = { pad = \"u8:0\", a = \"u32:8\", out = \"out[4]\" }\n";
    let ran = launched("names", text, &[]);
    assert_eq!(
        ran.out, "out: u32[0..6] = 1, 2, 5, 6, 8, 9\n",
        "{}",
        ran.err
    );
}

#[test]
fn options_reach_all_launches_or_are_refused() {
    let ran = launched("all", TWO, &["--grid", "1", "--buffer", "y=u32*3"]);
    assert_eq!(
        ran.out, "x: u32[0..4] = 10, 0, 0, 0\ny: u32[0..3] = 0, 0, 1\n",
        "{}",
        ran.err
    );
    for option in ["--kernel", "--arg", "--kernarg"] {
        let ran = launched("all", TWO, &[option, "a=1"]);
        let message = format!(
            "error[invalid-usage]: {option} applies to a single launch, and the launch file has 2\n"
        );
        assert_eq!((ran.err, ran.status), (message, Some(BAD_USAGE)));
    }
}

#[test]
fn a_fault_ends_the_launches_and_loses_nothing() {
    let text = TWO.replace("repeat = 3", "kernel = \"bad\"")
        + "[[launch]]\nargs = [\"u8:0\", \"u32:9\", \"x\"]\n";
    let ran = launched("fault", &text, &[]);
    assert!(
        ran.out.starts_with("x: u32[0..4] = 10, 11, 12, 13\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("\nnote: 1 launch after it did not run\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("]: kernel bad, workgroup 0,0,0, "),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(FAULT));
}

#[test]
fn what_is_wrong_with_a_launch_names_it() {
    for (from, to, message) in [
        (
            "\"u32:10\"",
            "\"u32:x\"",
            "error[invalid-value]: launch 1: argument 1: `x` is not a number\n",
        ),
        (
            "y[2]",
            "z",
            "error[invalid-value]: launch 2: argument out: `z` is neither a value nor the name of another argument\n",
        ),
        (
            "y[2]",
            "y[9]",
            "error[buffer-range]: launch 2: argument out: y has no element 9: it has 8 elements\n",
        ),
        (
            "\"x\"]\n[[",
            "\"u32*4\"]\n[[",
            "error[unknown-buffer]: print x: there is no buffer",
        ),
        (
            "y = \"u32*8:fill(7)\"",
            "y = \"u32*x\"",
            "error[invalid-value]: buffer y: `x` is not a number of elements\n",
        ),
        (
            "out = \"y[2]\"",
            "x = \"u32*2\"",
            "error[duplicate-argument]: launch 2: argument x: a buffer of this name already exists\n",
        ),
        (
            "grid = 4\n",
            "grid = 4\nargs = [\"u8:0\"]\n",
            "error[invalid-launch-file]: l.toml: arguments outside of [[launch]]: write them in each launch\n",
        ),
        (
            "repeat = 3",
            "repeat = 0",
            "l.toml:12:10: error[invalid-launch-file]: ",
        ),
        (
            "repeat = 3",
            "gird = 3",
            "l.toml:12:1: error[invalid-launch-file]: unknown field `gird`",
        ),
        (
            "grid = 2",
            "group = 2000",
            "error[workgroup-size]: launch 2: a workgroup of 2000 work-items is too large: the limit is 1024\n",
        ),
    ] {
        assert!(TWO.contains(from), "{from}");
        let text = TWO.replacen(from, to, 1);
        let text = if message.contains("there is no buffer") {
            text.replacen("x = \"u32*4\"\n", "", 1)
        } else {
            text
        };
        let ran = launched("wrong-launches", &text, &[]);
        assert!(ran.err.starts_with(message), "{to}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT), "{to}");
        assert_eq!(ran.out, "", "nothing has run");
    }
}
