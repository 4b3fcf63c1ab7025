//! Tests of long runs: Ctrl-C, SIGTERM, and the progress shown on a terminal.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Exit status after SIGINT.
const INTERRUPTED: i32 = 130;
/// Exit status after SIGTERM.
const TERMINATED: i32 = 143;
/// Maximum time to wait for something that should happen immediately.
const PATIENCE: Duration = Duration::from_secs(60);
const INTERVAL: Duration = Duration::from_millis(20);
/// Bits of SIGINT and SIGTERM in the signal masks of `/proc`.
const SIGNALS: u64 = 1 << 1 | 1 << 14;

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

/// `gcn run` of a kernel that never ends.
fn forever(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command
        .args(["run", "faults.s", "--kernel", "forever", "--threads", "2"])
        .args(arguments)
        .current_dir(kernels())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Waits until `ready` returns a value.
fn wait_for<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(result) = ready() {
            return result;
        }
        assert!(begin.elapsed() < PATIENCE, "{what} does not happen");
        std::thread::sleep(INTERVAL);
    }
}

/// Waits until a process has handlers for SIGINT and SIGTERM.
fn wait_until_listening(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    wait_for("listening to Ctrl-C", || {
        let status = std::fs::read_to_string(&status).ok()?;
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))?;
        let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
        (mask & SIGNALS == SIGNALS).then_some(())
    });
}

/// Waits until the threads of a run have started, and a little longer.
fn wait_until_running(child: &Child) {
    wait_until_listening(child);
    let tasks = format!("/proc/{}/task", child.id());
    wait_for("several threads", || {
        let threads = std::fs::read_dir(&tasks).ok()?.count();
        (threads > 1).then_some(())
    });
    std::thread::sleep(INTERVAL);
}

fn interrupt(child: &Child) {
    send("INT", child);
}

fn send(signal: &str, child: &Child) {
    let kill = format!("kill -{signal} {}", child.id());
    let status = Command::new("sh").args(["-c", &kill]).status();
    assert!(status.expect("a shell").success());
}

fn wait_for_end(child: &mut Child) -> ExitStatus {
    wait_for("the end", || child.try_wait().expect("a child"))
}

fn text(pipe: Option<impl Read>) -> String {
    let mut text = String::new();
    let mut pipe = pipe.expect("a pipe");
    pipe.read_to_string(&mut text).expect("text");
    text
}

#[test]
fn control_c_shows_where_the_waves_are_and_loses_nothing() {
    let mut child = forever(&[
        "--grid",
        "320",
        "--group",
        "128",
        "--arg",
        "out=u32*16:fill(5)",
        "--print",
        "out[0..2]",
    ])
    .spawn()
    .expect("gcn starts");
    wait_until_running(&child);
    interrupt(&child);
    let status = wait_for_end(&mut child);
    let (out, err) = (text(child.stdout), text(child.stderr));
    assert_eq!(status.code(), Some(INTERRUPTED), "{err}");
    assert_eq!(out, "out: u32[0..2] = 5, 5\n");
    let (first, list) = err
        .split_once("\n  interrupted\n")
        .expect("an interruption");
    assert!(
        first.contains("error[interrupted]: kernel forever, workgroup "),
        "{err}"
    );
    let lines: Vec<&str> = list.lines().collect();
    // The number of waves that have begun depends on timing.
    assert!(lines[0].ends_with(" unfinished waves:"), "{err}");
    let (places, waves): (Vec<&str>, Vec<&str>) = lines[1..]
        .iter()
        .partition(|line| line.trim_start().starts_with("--> "));
    assert!((1..=5).contains(&waves.len()), "{err}");
    assert_eq!(
        places,
        vec!["      --> faults.s:19: s_branch forever"; waves.len()],
        "{err}"
    );
    for line in waves {
        assert!(line.starts_with("    workgroup "), "{err}");
        assert!(
            line.contains(" (forever+0x0): s_branch 65535, exec="),
            "{err}"
        );
    }
}

#[test]
fn sigterm_reports_as_control_c_does() {
    for (json, signal, status, outcome, message) in [
        (false, "TERM", TERMINATED, "", "\n  terminated\n"),
        (true, "TERM", TERMINATED, "terminated", "terminated"),
        (true, "INT", INTERRUPTED, "interrupted", "interrupted"),
    ] {
        let arguments = [
            "--grid",
            "64",
            "--arg",
            "out=u32*16",
            "--print",
            "out[0..2]",
        ];
        let mut command = forever(&arguments);
        command.args(json.then_some("--json"));
        let mut child = command.spawn().expect("gcn starts");
        wait_until_listening(&child);
        send(signal, &child);
        let ended = wait_for_end(&mut child);
        let (out, err) = (text(child.stdout), text(child.stderr));
        assert_eq!(ended.code(), Some(status), "{err}");
        if !json {
            assert_eq!(out, "out: u32[0..2] = 0, 0\n");
            assert!(err.contains(message), "{err}");
            continue;
        }
        let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(report["outcome"], outcome);
        assert_eq!(report["exit_status"], status);
        assert_eq!(report["fault"]["message"], message);
        assert_eq!(report["buffers"][0]["values"], serde_json::json!([0, 0]));
    }
}

#[test]
fn control_c_ends_a_run_of_short_waves() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .args([
            "run",
            "misbehaves.s",
            "--kernel",
            "ends",
            "--grid",
            "4294967295,16",
        ])
        .current_dir(kernels())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gcn starts");
    wait_until_listening(&child);
    interrupt(&child);
    let status = wait_for_end(&mut child);
    let err = text(child.stderr);
    assert_eq!(status.code(), Some(INTERRUPTED), "{err}");
    assert!(
        err.contains("(ends+0x0): s_endpgm\n  --> misbehaves.s:87: s_endpgm\n  interrupted\n"),
        "{err}"
    );
}

#[test]
fn control_c_ends_a_trace() {
    let mut child = forever(&["--grid", "64", "--trace", "--arg", "out=u32*16"])
        .spawn()
        .expect("gcn starts");
    wait_until_listening(&child);
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut [0]).expect("a trace");
    let reader = std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    interrupt(&child);
    let status = wait_for_end(&mut child);
    reader.join().expect("a reader").expect("output");
    assert_eq!(status.code(), Some(INTERRUPTED), "{}", text(child.stderr));
}

#[test]
fn a_second_control_c_ends_the_tool_at_once() {
    // Output after the first Ctrl-C fills the pipe, which nobody reads.
    let mut child = forever(&["--grid", "64", "--arg", "out=u32*1000000", "--print", "out"])
        .spawn()
        .expect("gcn starts");
    wait_until_listening(&child);
    let status = wait_for("the end", || {
        interrupt(&child);
        child.try_wait().expect("a child")
    });
    assert_eq!(status.code(), Some(INTERRUPTED));
    assert_eq!(text(child.stderr), "", "it is not at its end");
}

#[test]
fn a_terminal_shows_progress_and_nothing_else_does() {
    let arguments = "run faults.s --kernel forever --grid 64 --arg out=u32*16";
    let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_gcn"));
    // `script`, of Debian's package bsdutils, provides the terminal.
    let mut child = Command::new("script")
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .current_dir(kernels())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script, of the package bsdutils, starts");
    let mut out = child.stdout.take().expect("a pipe");
    let mut shown = Vec::new();
    let has = |shown: &[u8], text: &str| String::from_utf8_lossy(shown).contains(text);
    while !has(&shown, "wave instructions/s") {
        let mut byte = [0];
        assert_eq!(
            out.read(&mut byte).expect("output"),
            1,
            "`script` has no terminal, as where /dev/pts is not mounted: {}",
            String::from_utf8_lossy(&shown)
        );
        shown.extend(byte);
    }
    assert!(
        has(&shown, "\r\x1b[K0 of 1 workgroups (0 %), "),
        "{}",
        String::from_utf8_lossy(&shown)
    );
    // Ctrl-C on the terminal.
    child
        .stdin
        .as_mut()
        .expect("a pipe")
        .write_all(&[3])
        .expect("input");
    out.read_to_end(&mut shown).expect("output");
    let shown = String::from_utf8(shown).expect("text");
    let (_, last) = shown.rsplit_once("\r\x1b[K").expect("progress");
    assert!(
        last.starts_with("forever: 0 workgroups, 1 wave, "),
        "the line is gone: {shown}"
    );
    assert!(last.contains("\n  interrupted"), "{shown}");
    assert_eq!(wait_for_end(&mut child).code(), Some(INTERRUPTED));

    let mut child = forever(&["--grid", "64", "--arg", "out=u32*16"])
        .spawn()
        .expect("gcn starts");
    wait_until_listening(&child);
    std::thread::sleep(Duration::from_secs(3));
    interrupt(&child);
    wait_for_end(&mut child);
    let err = text(child.stderr);
    assert!(err.starts_with("forever: 0 workgroups, 1 wave, "), "{err}");
}
