//! Tests of host failures: outputs that cannot be written, threads that cannot be created, files that are truncated.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{KERNEL, assert_status, gcn, output, scratch, stderr};

/// Uses `/dev/full`.
#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_output_is_reported() {
    let directory = scratch("full");
    for arguments in [
        &["isa", "v_add_f32"][..],
        &["completions", "bash"],
        &["--help"],
        &["help", "run"],
        &["--version"],
    ] {
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
            "error[unwritable-output]: cannot write the output: No space left on device (os error 28)\n"
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
        // A pipe whose reader has closed.
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
fn a_reader_that_stops_early_is_not_an_error() {
    let directory = scratch("pipe");
    // More bytes than a pipe's buffer holds.
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

/// A host that cannot create threads makes the tool slower, but does not change results. (Creating a thread with a
/// stack of 2^50 bytes fails.)
#[cfg(target_os = "linux")]
#[test]
fn a_host_without_threads_is_not_an_error() {
    const HUGE_STACK: &str = "1125899906842624";
    let directory = scratch("threads");
    fs::write(directory.join("words"), [0; 1 << 20]).expect("written");
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    let run = [
        "run",
        "k.s",
        "--grid",
        "1",
        "--threads",
        "1",
        "--arg",
        "n=u32:1",
    ];
    let run = [&run[..], &["--arg", "data=i32*4", "--print", "data"]].concat();
    let alone = |arguments: &[&str]| {
        gcn(&directory, arguments)
            .env("RUST_MIN_STACK", HUGE_STACK)
            .output()
            .expect("gcn starts")
    };
    for arguments in [&["dis", "words", "--target", "fiji"][..], &run] {
        let expected = output(&directory, arguments);
        let alone = alone(arguments);
        assert_status(&alone, 0);
        assert!(alone.stdout == expected.stdout, "{arguments:?}");
    }
    for (option, message) in [
        (
            &["--timeout", "60"][..],
            "error[host-limit]: cannot watch the timeout: ",
        ),
        (&["--threads", "2", "--grid", "512"], "thread"),
    ] {
        let refused = alone(&[&run[..], option].concat());
        assert_status(&refused, 1);
        assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
        assert!(
            !stderr(&refused).contains("panicked"),
            "{}",
            stderr(&refused)
        );
    }
}

/// If a mapped file is truncated while it is read, SIGBUS kills a process that has no handler.
#[cfg(target_os = "linux")]
#[test]
fn a_truncated_file_is_reported() {
    let directory = scratch("shorter");
    let path = directory.join("words");
    fs::write(&path, vec![0; 8 << 20]).expect("written");
    let mut child = gcn(&directory, &["dis", "words", "--target", "fiji"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gcn starts");
    // Output has begun, and blocks until the pipe is read: most of the file is still unread.
    let mut pipe = child.stdout.take().expect("a pipe");
    pipe.read_exact(&mut [0; 4096]).expect("output");
    let file = fs::File::options().write(true).open(&path);
    file.and_then(|file| file.set_len(1 << 20))
        .expect("the file is made shorter");
    std::io::copy(&mut pipe, &mut std::io::sink()).expect("output");
    let ended = child.wait_with_output().expect("gcn ends");
    assert_status(&ended, 1);
    assert_eq!(
        stderr(&ended),
        "error[unreadable-input]: words was truncated while it was read\n"
    );
    fs::remove_file(path).expect("it is there");
}

/// Runs a shell script with `gcn` in `$GCN`, since a shell can set limits and close streams.
#[cfg(target_os = "linux")]
fn shell(directory: &Path, script: &str) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(directory);
    shell.env("GCN", env!("CARGO_BIN_EXE_gcn"));
    shell.output().expect("sh starts")
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_reported_if_it_is_used() {
    let directory = scratch("closed");
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    for (arguments, status) in [
        (
            "run k.s --grid 1 --arg data=u32*64 --arg n=u32:1 --print data",
            1,
        ),
        ("isa v_add_f32", 1),
        ("--help", 1),
        ("--version", 1),
        ("asm k.s -o -", 1),
        ("asm k.s -o k.co", 0),
    ] {
        let ran = shell(&directory, &format!("exec \"$GCN\" {arguments} >&-"));
        assert_status(&ran, status);
        let message =
            "error[unwritable-output]: cannot write the output: standard output is closed\n";
        assert_eq!(stderr(&ran).ends_with(message), status == 1, "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_host_are_named_or_do_not_matter() {
    let directory = scratch("limits");
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    let run = "exec \"$GCN\" run k.s --grid 1 --arg data=u32*64 --arg n=u32:1";
    assert_status(&shell(&directory, &format!("ulimit -s 64; {run}")), 0);
    let ran = shell(&directory, &format!("ulimit -v 600000; {run}"));
    assert_status(&ran, 1);
    let message =
        "the host has no address space for the memory of a device, at least 1 GiB, of which ";
    assert!(stderr(&ran).contains(message), "{}", stderr(&ran));
    fs::write(directory.join("k.cl"), "kernel void k() {}\n").expect("written");
    let run = "TMPDIR=/no/such XDG_CACHE_HOME=$PWD/cache exec \"$GCN\" run k.cl --grid 1";
    let ran = shell(&directory, run);
    assert_status(&ran, 1);
    let message = "error[temporary-file]: cannot compile k.cl: cannot make a temporary directory in /no/such: ";
    assert!(stderr(&ran).starts_with(message), "{}", stderr(&ran));
}

/// A limit of 0 on the file size acts like a full file system.
#[cfg(target_os = "linux")]
#[test]
fn an_old_file_stays_if_the_new_one_cannot_be_written() {
    let directory = scratch("old");
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    let run = "run k.s --grid 1 --arg data=u32*64 --arg n=u32:1";
    for arguments in [
        "asm k.s -o",
        "lint k.s --format json --output",
        &format!("{run} --profile-format json --profile"),
        &format!("{run} --save data="),
        "check k.s --grid 1 --arg data=u32*64 --arg n=u32:1 --format json --output",
    ] {
        let old = directory.join("old");
        fs::write(&old, "of an earlier run").expect("written");
        let space = if arguments.ends_with('=') { "" } else { " " };
        let script = format!("trap '' XFSZ; ulimit -f 0; exec \"$GCN\" {arguments}{space}old");
        let ran = shell(&directory, &script);
        assert_status(&ran, 1);
        let message = "error[unwritable-output]: cannot write old: File too large";
        assert!(
            stderr(&ran).contains(message),
            "{arguments}: {}",
            stderr(&ran)
        );
        let left = fs::read_to_string(&old).expect("it is there");
        assert_eq!(left, "of an earlier run", "{arguments}");
        let names = fs::read_dir(&directory).expect("a directory");
        assert_eq!(names.count(), 2, "{arguments}: a temporary file is left");
        fs::remove_file(&old).expect("it is there");
    }
}

/// Inputs that are endless or do not fit into memory are rejected before they are read.
#[test]
fn inputs_have_limits() {
    let directory = scratch("huge");
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    for name in ["huge", "huge.s", "huge.cl", "huge.toml"] {
        let file = fs::File::create(directory.join(name)).expect("a file");
        file.set_len(10 << 30).expect("a sparse file");
    }
    for (arguments, message) in [
        (
            &["lint", "k.s", "--suppress", "huge"][..],
            "huge (10240 MiB) is larger than the limit of 16 MiB",
        ),
        (
            &["lint", "k.s", "--suppress", "/dev/zero"],
            "/dev/zero is larger than the limit of 1 MiB",
        ),
        (
            &["run", "huge.toml"],
            "huge.toml (10240 MiB) is larger than the limit of 16 MiB",
        ),
        (
            &["run", "huge.cl", "--grid", "1"],
            "huge.cl (10240 MiB) is larger than the limit of 1024 MiB",
        ),
        (
            &["lint", "huge.s", "--target", "gfx900"],
            "huge.s (10240 MiB) is larger than the limit of 1024 MiB",
        ),
        (
            &["asm", "huge.s", "--target", "gfx900"],
            "huge.s (10240 MiB) is larger than the limit of 1024 MiB",
        ),
    ] {
        let ran = output(&directory, arguments);
        assert_status(&ran, 1);
        let expected = "error[unreadable-input]: ";
        assert!(stderr(&ran).starts_with(expected), "{}", stderr(&ran));
        assert!(
            stderr(&ran).trim_end().ends_with(message),
            "{}",
            stderr(&ran)
        );
    }
}
