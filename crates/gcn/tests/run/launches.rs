//! Tests of launch files and options, and of grid and workgroup sizes.

use super::*;

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
        // Run in another directory, since paths in the file are relative to the file.
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
            "the launch file has no program: add `file = \"kernel.s\"`",
        ),
        (
            "file = \"k.s\"\ngird = 4",
            "launch.toml:2:1: error[invalid-launch-file]: unknown field `gird`",
        ),
        (
            "file = \"k.s\"\ngrid = [1, 2, 3, 4]",
            "launch.toml:2:8: error[invalid-launch-file]: expected X, X,Y or X,Y,Z of numbers from 1 to 4294967295, found `1,2,3,4`\n  |\n2 | grid = \
             [1, 2, 3, 4]\n  |        ^^^^^^^^^^^^\n",
        ),
        (
            "file = \"k.s\"\ngrid = true",
            "expected a number, a list of up to three, or text such as",
        ),
        (
            "file = \"k.s\"\nmemory = \"much\"",
            "launch.toml:2:10: error[invalid-launch-file]: `much` is not an amount of memory such as 1048576, 512M or 4G",
        ),
        (
            "file = \"k.s\"\n[args]\na = { b = 1 }",
            "args: a is neither a number, nor text, nor a list of either",
        ),
        (
            "file = \"k.s\"\nexpect = [\"x\"]",
            "`expect x`: expected NAME=VALUE",
        ),
        (
            "file = \"k.s\"\nsave = [\"x\"]",
            "`save x`: expected NAME=FILE",
        ),
        (
            "file = \"k.s\"\noffset = \"1,\"",
            "launch.toml:2:10: error[invalid-launch-file]: expected X, X,Y or X,Y,Z of numbers from 0 to 18446744073709551615, found `1,`",
        ),
        (
            "file = \"launch.toml\"",
            "launch.toml: launch.toml is a launch file too; `file` must name a source or a code object",
        ),
        (
            "file = ",
            "launch.toml:1:8: error[invalid-launch-file]: string values must be quoted, expected literal string\n  |\n1 | file = \n  |        ^\n",
        ),
    ] {
        fs::write(directory.join("launch.toml"), text).expect("a file");
        let ran = run_in(&directory, &["launch.toml"]);
        assert!(ran.err.contains(message), "{text}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT), "{text}");
    }
}

#[test]
fn sizes_without_bounds_end_in_a_message() {
    for (arguments, message) in [
        (
            &["--grid", "4294967295,4294967295"][..],
            "error[grid-size]: a grid of 4294967295 x 4294967295 x 1 in workgroups of 64 x 1 x 1 has 288230376084602880 waves; the limit is \
             1073741824\n",
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
            "argument xs: the buffer is larger than the address space",
        ),
        (
            &["--grid", "64", "--memory", "8"],
            "the buffers need 32 bytes (xs 16, ys 16), more than the 8 bytes of memory;",
        ),
    ] {
        let ran = saxpy(arguments);
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
}

#[test]
fn wrong_usage_is_distinguished_from_wrong_input() {
    for (arguments, message) in [
        (
            &[][..],
            "error[invalid-usage]: the grid is missing: add --grid X[,Y[,Z]]\n",
        ),
        (
            &["--grid", "0"],
            "expected X, X,Y or X,Y,Z of numbers from 1 to 4294967295, found `0`",
        ),
        (
            &["--grid", "-1"],
            "expected X, X,Y or X,Y,Z of numbers from 1 to 4294967295, found `-1`",
        ),
        (
            &["--grid", "4", "--arg", "count"],
            "error[invalid-usage]: `--arg count`: expected NAME=VALUE\nkernel saxpy takes:\n  0 count: a number, u32\n",
        ),
        (
            &["--grid", "4", "--save", "ys"],
            "error[invalid-usage]: `--save ys`: expected NAME=FILE\n",
        ),
        (
            &["--grid", "4", "--threads", "0"],
            "`0` is not a number of threads from 1 to 1024",
        ),
        (
            &["--grid", "4", "--target", "gfx1100"],
            "RDNA are not supported",
        ),
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
        "error[invalid-usage]: k.s names no target: add --target, or .amdgcn_target to the source\n"
    );
    assert_eq!(ran.status, Some(BAD_USAGE));
    let ran = run_in(&directory, &["k.s", "--grid", "1", "--target", "fiji"]);
    assert_eq!(
        ran.err,
        "error[unknown-kernel]: the program has no kernel: a source declares one with .amdhsa_kernel\n"
    );
    let ran = run_in(&kernels(), &["faults.s", "--grid", "1"]);
    assert_eq!(
        ran.err,
        "error[ambiguous-kernel]: the program has several kernels: choose one with --kernel: away, beyond, forever, garbage, odd, stuck\n"
    );
    let ran = run_in(&kernels(), &["faults.s", "--grid", "1", "--kernel", "x"]);
    assert!(
        ran.err
            .starts_with("error[unknown-kernel]: no kernel is named x; the kernels are odd, "),
        "{}",
        ran.err
    );
}

#[test]
fn partial_workgroups_leave_the_rest_alone() {
    let ran = plain(&["--grid", "3", "--print", "out"]);
    assert_eq!(ran.out, "out: u32[0..4] = 10, 11, 12, 0\n", "{}", ran.err);
}

#[test]
fn workgroups_must_fit_the_attributes_that_the_kernel_was_compiled_with() {
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
            "note: a grid of 100 x 3 x 1 has partial workgroups of 64 x 1 x 1; the kernel was compiled for whole \
             workgroups only\nk: 6 workgroups, 6 waves, ",
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
            "error[workgroup-size]: the kernel was compiled for workgroups of 64 x 2 x 1, not of 64 x 1 x 1\n",
        ),
        (
            &["whole.s", "--grid", "256", "--group", "129"],
            BAD_INPUT,
            "error[workgroup-size]: a workgroup of 129 work-items is too large: the kernel was compiled for at most 128\n",
        ),
        (
            &["whole.s", "--grid", "2048", "--group", "32,33"],
            BAD_INPUT,
            "error[workgroup-size]: a workgroup of 1056 work-items is too large: the limit is 1024\n",
        ),
    ] {
        let ran = run_in(&directory, arguments);
        assert!(ran.err.starts_with(message), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.status, Some(status), "{arguments:?}");
    }
}
