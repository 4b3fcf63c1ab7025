//! Tests of `gcn test`: outcomes of launch files, summaries, and reports for CI servers.

use std::fs;

use serde_json::Value;

use crate::{KERNEL, assert_status, gcn, scratch, stderr, stdout};

/// Launch file for [`KERNEL`].
const LAUNCH: &str =
    "file = \"k.s\"\ngrid = 64\nargs = [\"data\", \"u32:4\"]\n[buffers]\ndata = \"u32*4:iota\"\n";

#[test]
fn every_launch_file_has_a_row() {
    let directory = scratch("launch-files");
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).expect("written");
    write("k.s", KERNEL);
    write(
        "endless.s",
        &KERNEL.replace("  s_endpgm", "  s_branch k\n  s_endpgm"),
    );
    write("passes.toml", LAUNCH);
    write(
        "differs.toml",
        &format!("{LAUNCH}[expect]\ndata = \"u32*4:fill(0)\"\n"),
    );
    write("endless.toml", &LAUNCH.replace("k.s", "endless.s"));
    write("lost.toml", &LAUNCH.replace("k.s", "lost.s"));
    write("wrong.toml", "file = ]");
    write("settings.toml", "[other]\nkey = 1\n");

    let arguments = [
        "test",
        ".",
        "--verbose",
        "--timeout",
        "1",
        "--junit",
        "t.xml",
        "--sarif",
        "t.sarif",
    ];
    let ran = gcn(&directory, &arguments).output().expect("gcn starts");
    assert_status(&ran, 1);
    let shown = stdout(&ran);
    for (outcome, file) in [
        ("passed", "passes"),
        ("difference", "differs"),
        ("timeout", "endless"),
        ("error", "lost"),
        ("error", "wrong"),
    ] {
        let is_row = |line: &str| line.contains(outcome) && line.contains(&format!("{file}.toml"));
        assert!(shown.lines().any(is_row), "{outcome} {file}:\n{shown}");
    }
    assert!(!shown.contains("settings.toml"), "{shown}");
    assert!(shown.contains("1 passed, 2 failed, 2 errors"), "{shown}");
    let junit = fs::read_to_string(directory.join("t.xml")).expect("JUnit");
    assert!(
        junit.contains("tests=\"5\" failures=\"2\" errors=\"2\""),
        "{junit}"
    );
    let sarif = fs::read(directory.join("t.sarif")).expect("SARIF");
    let sarif: Value = serde_json::from_slice(&sarif).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 4);
    assert!(results.iter().all(|it| it["ruleId"] == "failed-launch"));

    // `--format` does not name an output file, so it is allowed.
    for options in [&[][..], &["--", "--format", "text"]] {
        let arguments = [&["test", ".", "--filter", "passes", "--check"], options].concat();
        let passing = gcn(&directory, &arguments).output().expect("gcn starts");
        assert_status(&passing, 0);
        assert!(stdout(&passing).contains("1 passed in"));
    }
}

#[test]
fn wrong_uses_run_nothing() {
    let directory = scratch("launch-files-wrong");
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    fs::write(directory.join("passes.toml"), LAUNCH).expect("written");
    for (arguments, message) in [
        (&["test", "none"][..], "unreadable-input"),
        (&["test", "k.s"], "no-launch-file"),
        (&["test", ".", "--filter", "other"], "no-launch-file"),
        (
            &["test", ".", "--junit", "a", "--sarif", "a"],
            "output-conflict",
        ),
        (
            &["test", ".", "--junit", "passes.toml"],
            "is the input ./passes.toml: name another file with --junit",
        ),
        (&["test", ".", "--junit", "none/a"], "unwritable-output"),
        (&["test", ".", "--", "--no-such-option"], "invalid-usage"),
        (
            &["test", ".", "--check", "--", "--output", "findings"],
            "every launch file would write to the same file",
        ),
        (
            &["test", ".", "--timeout", "4", "--", "--timeout", "1"],
            "--timeout is an option of gcn test: give it before `--`",
        ),
        (
            &["test", ".", "--check", "--", "--timeout=1"],
            "--timeout is an option of gcn test: give it before `--`",
        ),
    ] {
        let ran = gcn(&directory, arguments).output().expect("gcn starts");
        assert_status(&ran, 2);
        assert!(stderr(&ran).contains(message), "{}", stderr(&ran));
        assert_eq!(stdout(&ran), "");
    }
}
