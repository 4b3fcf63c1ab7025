//! Tests of `gcn exec --dap`: a client debugs programs.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use serde_json::{Value, json};

use super::client::Client;
use super::{built_with_opencl, gcn_exec, libraries, name, scale, shift, sources};

/// Starts a session over the standard streams, up to the response of `initialize`.
fn start(options: &[&str], program: &[&str]) -> (Client, Value) {
    let mut process = command(options, program).spawn().expect("gcn starts");
    let to = Box::new(process.stdin.take().expect("a pipe"));
    let from = Box::new(BufReader::new(process.stdout.take().expect("a pipe")));
    let directory = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(directory, process, to, from);
    let features = client.ask("initialize", json!({"adapterID": "gcn"}));
    (client, features)
}

/// Starts a session over a TCP port, and writes a text to the program's standard input. Returns that stream, too.
fn start_at_port(program: &[&str], text: &str) -> (Client, ChildStdin) {
    let mut process = command(&["--dap=0"], program).spawn().expect("gcn starts");
    let mut input = process.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("a pipe has room");
    let mut stderr = BufReader::new(process.stderr.take().expect("a pipe"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("gcn exec listens on ");
    let stream = TcpStream::connect(address.expect("an address")).expect("it listens");
    let from = Box::new(BufReader::new(stream.try_clone().expect("a socket")));
    let directory = tempfile::tempdir().expect("a directory");
    let mut client = Client::new(directory, process, Box::new(stream), from);
    client.ask("initialize", json!({"adapterID": "gcn"}));
    client.ask("launch", json!({}));
    client.event("initialized");
    (client, input)
}

fn command(options: &[&str], program: &[&str]) -> Command {
    let mut command = gcn_exec();
    command.args(options).arg("--").args(program);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Sets function breakpoints, and returns the answers.
fn set_functions(client: &mut Client, names: &[&str]) -> Vec<Value> {
    let wanted: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    let set = client.ask("setFunctionBreakpoints", json!({"breakpoints": wanted}));
    set["breakpoints"].as_array().expect("a list").clone()
}

/// Collects the program's output up to the end of the session. Returns it with the program's exit code.
fn to_the_end(client: &mut Client) -> (String, Value) {
    let mut text = String::new();
    loop {
        let message = client.next_event();
        match message["event"].as_str() {
            Some("output") if message["body"]["category"] != "console" => {
                text += message["body"]["output"].as_str().expect("text");
            }
            Some("exited") => return (text, message["body"]["exitCode"].clone()),
            _ => {}
        }
    }
}

#[test]
fn kernels_of_a_hip_program_stop_for_a_client() {
    let (mut client, features) = start(&["--dap"], &[name(scale())]);
    assert_eq!(features["supportsStepBack"], true);
    assert_eq!(features["supportsRestartRequest"], false);
    client.ask("launch", json!({}));
    client.event("initialized");
    let source = sources().join("scale.hip");
    let wanted = json!({"source": {"path": source.to_str()}, "breakpoints": [{"line": 14}]});
    let set = client.ask("setBreakpoints", wanted);
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    assert_eq!(set["breakpoints"][0]["line"], 14, "{set}");
    let set = set_functions(&mut client, &["sum", "nosuch"]);
    assert_eq!(
        (&set[0]["verified"], &set[1]["verified"]),
        (&json!(true), &json!(false))
    );
    client.ask("configurationDone", Value::Null);

    let stop = client.stopped("breakpoint");
    let frame = client.frame(&stop["threadId"]);
    assert_eq!(
        (&frame["name"], &frame["line"]),
        (&json!("image::scale<float>"), &json!(14))
    );
    assert_eq!(client.value("pixels[3]"), "9");
    client.go("stepBack", &stop["threadId"], "step");
    assert_eq!(client.value("pixels[3]"), "3");
    client.go("continue", &stop["threadId"], "breakpoint");
    assert_eq!(client.value("pixels[3]"), "9");
    client.ask(
        "setBreakpoints",
        json!({"source": {"path": source.to_str()}}),
    );
    let stop = client.go("continue", &stop["threadId"], "function breakpoint");
    assert_eq!(client.frame(&stop["threadId"])["name"], "sum");
    client.ask("continue", json!({"threadId": stop["threadId"]}));
    let (text, code) = to_the_end(&mut client);
    assert_eq!((&*text, code), ("sum 24384\n", json!(5)));
    let reason = client.refused("threads", Value::Null);
    assert_eq!(reason, "the program has ended");
    client.ask("disconnect", json!({}));
    let (status, said) = client.end();
    assert_eq!((status.code(), &*said), (Some(5), ""));
}

#[test]
fn a_process_that_connects_and_sends_nothing_delays_no_other() {
    let script = "import os, socket, subprocess, sys\n\
                  connection = socket.socket(socket.AF_UNIX)\n\
                  connection.connect(os.environ['GCN_DEBUG'])\n\
                  sys.exit(subprocess.call(sys.argv[1:]))\n";
    let (mut client, _) = start(&["--dap"], &["python3", "-c", script, name(scale())]);
    client.ask("launch", json!({}));
    client.event("initialized");
    set_functions(&mut client, &["sum"]);
    client.ask("configurationDone", Value::Null);
    let stop = client.stopped("function breakpoint");
    client.ask("continue", json!({"threadId": stop["threadId"]}));
    let (text, code) = to_the_end(&mut client);
    assert_eq!((&*text, code), ("sum 24384\n", json!(5)));
    client.ask("disconnect", json!({}));
}

#[test]
fn requests_are_answered_between_launches() {
    let modules = built_with_opencl("modules.c");
    let (mut client, mut input) = start_at_port(&[name(&modules)], "");
    let set = set_functions(&mut client, &["second", "first"]);
    assert_eq!(set[0]["verified"], false, "{set:?}");
    client.ask("configurationDone", Value::Null);
    let stop = client.stopped("function breakpoint");
    client.ask("continue", json!({"threadId": stop["threadId"]}));
    // The first kernel ends soon.
    while client.ask("threads", Value::Null)["threads"] != json!([]) {}
    let reason = client.refused("evaluate", json!({"expression": "data[0]"}));
    assert_eq!(
        reason,
        "evaluate: no launch is running; `pause` stops the next one"
    );
    let set = set_functions(&mut client, &["second", "third"]);
    assert_eq!(set[0]["verified"], false, "{set:?}");
    client.ask("pause", json!({"threadId": 0}));
    input.write_all(b"\n").expect("the program reads");

    let changed = client.event("breakpoint");
    assert_eq!(changed["reason"], "changed");
    let changed = &changed["breakpoint"];
    assert_eq!(
        (&changed["id"], &changed["verified"]),
        (&set[0]["id"], &json!(true))
    );
    let stop = client.stopped("entry");
    assert_eq!(client.value("data[5]"), "1");
    client.ask("continue", json!({"threadId": stop["threadId"]}));
    let code = client.event("exited");
    assert_eq!(code["exitCode"], 0);
    client.ask("disconnect", json!({}));
}

#[test]
fn breakpoints_at_instructions_are_checked_again_when_other_code_is_loaded() {
    let modules = built_with_opencl("modules.c");
    let (mut client, mut input) = start_at_port(&[name(&modules)], "");
    set_functions(&mut client, &["first"]);
    client.ask("configurationDone", Value::Null);
    let stop = client.stopped("function breakpoint");
    let frame = client.frame(&stop["threadId"]);
    let address = frame["instructionPointerReference"].clone();
    let set = |client: &mut Client, offset: u32| {
        let wanted = json!([{"instructionReference": address, "offset": offset}]);
        let set = client.ask("setInstructionBreakpoints", json!({"breakpoints": wanted}));
        set["breakpoints"][0].clone()
    };
    // The last instruction; the second kernel is shorter, and its code is loaded at the same address.
    let mut all = (0..1024).rev().map(|dword| set(&mut client, 4 * dword));
    let last = all.find(|it| it["verified"] == true);
    let last = last.expect("the kernel has instructions");
    set_functions(&mut client, &[]);
    let stop = client.go("continue", &stop["threadId"], "instruction breakpoint");
    client.ask("continue", json!({"threadId": stop["threadId"]}));
    input.write_all(b"\n").expect("the program reads");
    let changed = client.event("breakpoint");
    let changed = &changed["breakpoint"];
    assert_eq!(
        (&changed["id"], &changed["verified"]),
        (&last["id"], &json!(false))
    );
    assert_eq!(
        changed["instructionReference"],
        last["instructionReference"]
    );
    client.event("exited");
    client.ask("disconnect", json!({}));
}

#[test]
fn a_client_pauses_and_terminates_a_program() {
    let (mut client, _input) = start_at_port(&[name(scale())], "forever\n");
    // The kernel that runs forever, not the one before it.
    set_functions(&mut client, &["sum"]);
    client.ask("configurationDone", Value::Null);
    let stop = client.stopped("function breakpoint");
    client.ask("continue", json!({"threadId": stop["threadId"]}));
    client.ask("pause", json!({"threadId": 1}));
    client.stopped("pause");
    client.ask("terminate", json!({}));
    assert_eq!(client.event("exited")["exitCode"], 143);
    client.event("terminated");
    client.ask("disconnect", json!({}));
}

#[test]
fn a_client_turns_on_the_checkers_of_a_program() {
    let (mut client, _) = start(&["--dap"], &[name(shift()), "wrong"]);
    client.ask("launch", json!({"check": true}));
    client.event("initialized");
    let filters = json!({"filters": ["fault", "bounds"]});
    let set = client.ask("setExceptionBreakpoints", filters);
    assert_eq!(set["breakpoints"][1]["verified"], true, "{set}");
    client.ask("configurationDone", Value::Null);
    let stop = client.stopped("exception");
    let info = client.ask("exceptionInfo", json!({"threadId": stop["threadId"]}));
    assert_eq!(info["exceptionId"], "fault", "{info}");
    let frame = client.frame(&stop["threadId"]);
    assert!(frame["name"].to_string().contains("fill+"), "{frame}");
    client.ask("continue", json!({"threadId": stop["threadId"]}));
    let (text, _) = to_the_end(&mut client);
    assert!(text.contains("error[global-out-of-bounds]"), "{text}");
    client.ask("disconnect", json!({}));
}

#[test]
fn requests_that_arrive_together_are_all_answered() {
    let (mut client, _) = start(&["--dap"], &[name(shift())]);
    client.ask("launch", json!({"stopOnEntry": true}));
    client.event("initialized");
    client.ask("configurationDone", Value::Null);
    client.stopped("entry");
    let arguments = json!({"expression": "data[5]"});
    // All requests fit into the pipe's buffer.
    let sent: Vec<i64> = (0..400)
        .map(|_| client.send("evaluate", arguments.clone()))
        .collect();
    for seq in sent {
        assert_eq!(client.response(seq)["body"]["result"], "5");
    }
    let reason = client.refused("restart", Value::Null);
    assert_eq!(reason, "restart: start another session");
    client.ends_well();
}

#[test]
fn the_text_of_an_opencl_program_is_a_source() {
    let (mut client, _) = start(&["--dap"], &[name(shift())]);
    client.ask("launch", json!({"stopOnEntry": true}));
    client.event("initialized");
    client.ask("configurationDone", Value::Null);
    let stop = client.stopped("entry");
    let source = client.frame(&stop["threadId"])["source"].clone();
    let reference = source["sourceReference"].clone();
    let arguments = json!({"source": source, "sourceReference": reference});
    let text = client.ask("source", arguments)["content"].clone();
    let mut lines = text.as_str().expect("text").lines();
    assert_eq!(
        lines.next(),
        Some("kernel void shift(global int* data, int by) {")
    );
    assert_eq!(lines.nth(1), Some("    data[at] = data[at] << by;"));
    let wanted = json!({"source": source, "breakpoints": [{"line": 3}]});
    let set = client.ask("setBreakpoints", wanted);
    assert_eq!(set["breakpoints"][0]["line"], 3, "{set}");
    client.go("continue", &stop["threadId"], "breakpoint");
    client.ends_well();
}

#[test]
fn a_signal_ends_a_session_and_its_program() {
    let (mut client, _) = start(&["--dap"], &[name(shift())]);
    client.ask("launch", json!({"stopOnEntry": true}));
    client.event("initialized");
    client.ask("configurationDone", Value::Null);
    client.stopped("entry");
    client.signal("TERM");
    client.event("terminated");
    let (status, said) = client.end();
    assert_eq!((status.code(), &*said), (Some(130), ""));
}

#[test]
fn a_disconnected_client_ends_the_program() {
    let (mut client, features) = start(&["--dap"], &[name(shift())]);
    assert_eq!(features["supportsTerminateRequest"], true);
    client.ask("launch", json!({"stopOnEntry": true}));
    client.event("initialized");
    client.ask("configurationDone", Value::Null);
    client.stopped("entry");
    client.ends_well();
}

#[test]
fn programs_that_do_not_start_or_launch_nothing_are_reported() {
    let missing = Path::new("/nonexistent/program");
    let (mut client, _) = start(&["--dap"], &[name(missing)]);
    let reason = client.refused("launch", json!({}));
    assert_eq!(reason, "there is no program /nonexistent/program");
    client.ends_well();

    let (mut client, _) = start(&["--dap"], &["sh", "-c", "echo said; sleep 0.3; exit 3"]);
    for (arguments, part) in [
        (json!({"program": "a"}), "names the program already"),
        (json!({"args": ["a"]}), "`args` belong to `program`"),
        (json!({"cwd": "/nonexistent"}), "launch: cwd /nonexistent"),
    ] {
        let reason = client.refused("launch", arguments);
        assert!(reason.contains(part), "{reason}");
    }
    client.ask("launch", json!({}));
    let early = client.send("threads", Value::Null);
    let response = client.response(early);
    assert_eq!(
        response["message"],
        "the program has ended without a launch"
    );
    let (text, code) = to_the_end(&mut client);
    assert_eq!((&*text, code), ("said\n", json!(3)));
    client.ask("disconnect", json!({}));
    let (status, _) = client.end();
    assert_eq!(status.code(), Some(3));
}

#[test]
#[allow(clippy::print_stderr)]
fn the_client_of_vs_code_debugs_a_program() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dap/vscode");
    if !directory.join("node_modules").exists() {
        // The harness has no result for skipped tests.
        eprintln!("skipped: `npm ci` has not run in {}", directory.display());
        return;
    }
    let source = sources().join("scale.hip").canonicalize();
    let output = Command::new("node")
        .args(["--test", "--test-reporter=tap", "program.test.js"])
        .env("GCN", env!("CARGO_BIN_EXE_gcn"))
        .env("GCN_LIB_DIR", libraries())
        .env("PROGRAM", scale())
        .env("SOURCE", source.expect("it exists"))
        .current_dir(&directory)
        .output()
        .expect("Node.js starts");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
    assert!(
        report.lines().any(|line| line.starts_with("ok 1 ")),
        "{report}"
    );
}
