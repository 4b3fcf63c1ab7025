//! Hosts that refuse: outputs that cannot be written, threads that cannot be made, files that become shorter.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use super::{KERNEL, assert_status, gcn, output, scratch, stderr};

/// Linux has a file that is always full.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_told() {
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

/// A host that refuses every thread makes the tool slower and changes nothing else. (A thread whose stack has 2^50 bytes
/// cannot be made.)
#[cfg(target_os = "linux")]
#[test]
fn a_host_without_threads_is_no_error() {
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

/// A mapped file that becomes shorter while it is read would end the process by SIGBUS.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_becomes_shorter_is_told() {
    let directory = scratch("shorter");
    let path = directory.join("words");
    fs::write(&path, vec![0; 8 << 20]).expect("written");
    let mut child = gcn(&directory, &["dis", "words", "--target", "fiji"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gcn starts");
    // It has begun, and goes on as the pipe is read: it is far from the end of the file.
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
