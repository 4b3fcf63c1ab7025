//! Tests of `gcn exec --debug` and `gcn debug` on a pseudo-terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{LIMIT, assert_parts, libraries, name, shift};

/// Program under test.
const GCN: &str = env!("CARGO_BIN_EXE_gcn");

/// Runs a command on a pseudo-terminal. Types `first` at the start, and one of `keys` at each prompt of the line editor.
/// Returns the terminal's text.
#[track_caller]
fn at_terminal(first: &str, keys: &[&str], command: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec_debug/terminal.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(LIMIT.as_secs().to_string())
        .arg(first)
        .args(keys)
        .arg("--")
        .args(command)
        .env("GCN_LIB_DIR", libraries())
        .env_remove("GCN_CHECK")
        .output()
        .expect("python3 starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{error}");
    text
}

#[test]
fn a_line_editor_reads_commands() {
    let keys = [
        "start\r",
        "stepi\r",
        "\u{3}",
        "print $count\r",
        "delete\u{3}",
        "info dispatch\r",
        "continue\r",
    ];
    let command = [GCN, "exec", "--debug", "--", name(shift())];
    let text = at_terminal("", &keys, &command);
    assert_parts(
        &text,
        &[
            "shift begins\nworkgroup 0,0,0, wave 0: shift (",
            "=> shift+0x",
            "$count = 1\n",
            "kernel shift, grid 64,1,1",
            "ok\n",
            "The program ended with status 0.\n",
        ],
    );
}

#[test]
fn a_console_whose_output_is_redirected_reads_lines() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("output");
    let redirected = |first: &str, arguments: &[&str]| {
        let script = "file=$1; shift; exec \"$@\" > \"$file\"";
        let shell: &[&str] = &["sh", "-c", script, "sh", name(&file), GCN];
        let command = [shell, arguments].concat();
        let text = at_terminal(first, &[], &command);
        (text, fs::read_to_string(&file).expect("output"))
    };
    let exec = ["exec", "--debug", "--", name(shift())];
    let (text, output) = redirected("print 3 * 4\nrun\n", &exec);
    assert_parts(
        &text,
        &[
            "(gcn) 3 * 4 = 12\n",
            "(gcn) The program ended with status 0.\n",
        ],
    );
    assert_eq!(output, "ok\n");

    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/plain.s");
    let (_, output) = redirected("print 3 * 4\nquit\n", &["debug", kernel, "--grid", "64"]);
    assert_eq!(output, "(gcn) print 3 * 4\n3 * 4 = 12\n(gcn) quit\n");
}
