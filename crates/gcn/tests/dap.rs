//! Tests of the protocol of `gcn debug --dap`, with kernels of `tests/debug`.

#[allow(dead_code, reason = "the test `exec_debug` uses the rest")]
#[path = "dap/client.rs"]
mod client;
#[path = "dap/compiled.rs"]
mod compiled;
#[path = "dap/refusals.rs"]
mod refusals;
#[path = "dap/stops.rs"]
mod stops;
#[path = "dap/vscode.rs"]
mod vscode;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use client::{Client, command, prepare};
use serde_json::{Value, json};

/// Number of the first line in a session's kernel that contains a text.
fn line(client: &Client, text: &str) -> u64 {
    let path = client.directory.path().join("kernel.s");
    let source = fs::read_to_string(path).expect("the kernel is there");
    let place = source.lines().position(|line| line.contains(text));
    place.expect("the line is there") as u64 + 1
}

/// Path of a session's kernel.
fn source(client: &Client) -> Value {
    let path = client.directory.path().join("kernel.s");
    json!({"path": path.to_str().expect("UTF-8")})
}

/// Sets a breakpoint at the first line that contains a text, and returns it.
#[track_caller]
fn set_line(client: &mut Client, text: &str, more: Value) -> Value {
    let mut breakpoint = json!({"line": line(client, text)});
    for (key, value) in more.as_object().expect("an object") {
        breakpoint[key] = value.clone();
    }
    let arguments = json!({"source": source(client), "breakpoints": [breakpoint]});
    client.ask("setBreakpoints", arguments)["breakpoints"][0].clone()
}

/// Finds a variable in a list, and returns its value.
#[track_caller]
fn named<'a>(variables: &'a [Value], name: &str) -> &'a Value {
    let found = variables.iter().find(|it| it["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {variables:?}"))
}

#[test]
fn a_session_stops_steps_and_goes_back() {
    let mut client = Client::start("debug/tutorial.s", &["--dap"]);
    let features = client.launch(json!({"stopOnEntry": true}));
    assert_eq!(features["supportsStepBack"], true);
    assert_eq!(features["supportsCancelRequest"], Value::Null);
    let set = set_line(&mut client, "buffer_load_dword", json!({}));
    assert_eq!(
        (&set["verified"], &set["line"]),
        (&json!(true), &json!(line(&client, "buffer_load_dword")))
    );
    client.ask("configurationDone", Value::Null);
    let thread = client.stopped("entry")["threadId"].clone();
    let threads = client.ask("threads", Value::Null);
    assert_eq!(
        threads["threads"],
        json!([{"id": thread, "name": "workgroup 0,0,0, wave 0 (runs)"}])
    );
    let stop = client.go("continue", &thread, "breakpoint");
    assert_eq!(stop["hitBreakpointIds"], json!([set["id"]]));
    let frame = client.frame(&thread);
    assert_eq!(
        (&frame["name"], &frame["line"]),
        (&json!("next"), &set["line"])
    );
    assert_eq!(frame["source"]["path"], source(&client)["path"]);
    assert_eq!(
        frame["instructionPointerReference"],
        set["instructionReference"]
    );
    assert_eq!(client.value("v3[1]"), "8");
    client.go("next", &thread, "step");
    assert_eq!(
        client.frame(&thread)["line"],
        json!(set["line"].as_u64().map(|it| it + 1))
    );
    client.go("stepBack", &thread, "step");
    assert_eq!(client.frame(&thread)["line"], set["line"]);

    let id = client.ask("dataBreakpointInfo", json!({"name": "v4[1]"}));
    assert_eq!(
        (&id["accessTypes"], &id["canPersist"]),
        (&json!(["write"]), &json!(false))
    );
    let watch = json!({"breakpoints": [{"dataId": id["dataId"], "accessType": "write"}]});
    let watch = client.ask("setDataBreakpoints", watch)["breakpoints"][0].clone();
    assert_eq!(watch["verified"], true);
    let stop = client.go("continue", &thread, "data breakpoint");
    assert_eq!(stop["hitBreakpointIds"], json!([watch["id"]]));
    let text = stop["text"].as_str().expect("text");
    assert!(text.contains("v4[1] was 0, is 1073741824"), "{text}");
    let count = client.value("$count").parse::<u64>().expect("a number");
    let stop = client.go("reverseContinue", &thread, "data breakpoint");
    assert_eq!(stop["hitBreakpointIds"], json!([watch["id"]]));
    let before = client.value("$count").parse::<u64>().expect("a number");
    assert!(before < count, "{before} {count}");
    assert_eq!(client.value("as_f32(v4[1])"), "0");

    client.ask("setDataBreakpoints", json!({"breakpoints": []}));
    client.ask("setBreakpoints", json!({"source": source(&client)}));
    client.ask("continue", json!({"threadId": thread}));
    assert_eq!(client.event("exited")["exitCode"], 0);
    client.event("terminated");
    assert_eq!(client.value("out[1]"), "14");
    let reason = client.refused("continue", json!({"threadId": thread}));
    assert_eq!(reason, "no launch is running");

    client.ask("restart", json!({}));
    client.stopped("entry");
    assert_eq!(client.value("out[1]"), "0", "memory is as at first");
    client.ends_well();
}

#[test]
fn values_of_waves_lanes_and_buffers_are_shown_and_changed() {
    let mut client = Client::start("debug/waves.s", &["launch.toml", "--dap"]);
    client.ask("initialize", json!({"adapterID": "gcn"}));
    let reason = client.refused("launch", json!({"program": "launch.toml"}));
    assert!(reason.contains("names the program already"), "{reason}");
    client.ask("launch", json!({}));
    client.event("initialized");
    let names = ["s_barrier", "nothing", "v_*_b7"].map(|name| json!({"name": name}));
    let set = json!({"breakpoints": names});
    let set = client.ask("setFunctionBreakpoints", set)["breakpoints"].clone();
    assert_eq!(set[0]["verified"], true, "{set}");
    for absent in [&set[1], &set[2]] {
        assert_eq!(absent["verified"], false, "{set}");
        let message = absent["message"].as_str().expect("a message");
        assert!(message.contains("no symbol"), "{set}");
    }
    client.ask("configurationDone", json!({}));
    client.stopped("function breakpoint");
    let stop = client.go("continue", &json!(1), "function breakpoint");
    let thread = stop["threadId"].clone();
    let threads = client.ask("threads", Value::Null);
    let names: Vec<&str> = threads["threads"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["name"].as_str().expect("text"))
        .collect();
    assert_eq!(
        names,
        [
            "workgroup 0,0,0, wave 0 (at barrier)",
            "workgroup 0,0,0, wave 1 (runs)"
        ]
    );

    let (special, registers) = client.scope(&thread, "Special registers");
    assert_eq!(named(&registers, "exec")["value"], "0xffffffffffffffff");
    let (_, vectors) = client.scope(&thread, "Vector registers");
    let v1 = named(&vectors, "v1");
    assert_eq!(
        (&v1["type"], &v1["indexedVariables"]),
        (&json!("u32*64"), &json!(64))
    );
    let reference = v1["variablesReference"].clone();
    let part = json!({"variablesReference": reference, "start": 60, "count": 100, "format": {"hex": true}});
    let part = client.ask("variables", part)["variables"].clone();
    assert_eq!(part.as_array().map(Vec::len), Some(4));
    assert_eq!(
        (
            &part[0]["name"],
            &part[0]["value"],
            &part[0]["evaluateName"]
        ),
        (&json!("[60]"), &json!("0x1f0"), &json!("v1[60]"))
    );
    let new = json!({"variablesReference": reference, "name": "[60]", "value": "2 + 3"});
    assert_eq!(client.ask("setVariable", new)["value"], "5");
    let (_, lanes) = client.scope(&thread, "Lanes");
    let lane = named(&lanes, "[60]");
    assert_eq!(lane["value"], "work-item 124,0,0");
    let lane = lane["variablesReference"].clone();
    assert_eq!(named(&client.variables(&lane), "v1")["value"], "5");
    let new = json!({"expression": "v1[60]", "value": "6"});
    assert_eq!(client.ask("setExpression", new)["value"], "6");
    let off = json!({"variablesReference": special, "name": "exec", "value": "1"});
    assert_eq!(client.ask("setVariable", off)["value"], "0x1");
    let (_, lanes) = client.scope(&thread, "Lanes");
    assert_eq!(named(&lanes, "[1]")["value"], "work-item 65,0,0, inactive");
    let (_, scalars) = client.scope(&thread, "Scalar registers");
    assert_eq!(named(&scalars, "s6")["value"], "4294967295");

    let (_, lds) = client.scope(&thread, "LDS");
    assert_eq!(lds.len(), 256);
    assert_eq!(named(&lds, "[0x40]")["value"], "16");
    let place = named(&lds, "[0x40]")["memoryReference"].clone();
    let bytes = client.ask("readMemory", json!({"memoryReference": place, "count": 8}));
    assert_eq!(bytes["data"], "EAAAABEAAAA=");
    let bytes = json!({"memoryReference": place, "offset": -64, "count": 4096});
    assert_eq!(client.ask("readMemory", bytes)["unreadableBytes"], 3072);

    let (_, buffers) = client.scope(&thread, "Buffers");
    let out = named(&buffers, "out");
    assert_eq!(
        (&out["type"], &out["indexedVariables"]),
        (&json!("u32*256"), &json!(256))
    );
    let place = out["memoryReference"].clone();
    let data = json!({"memoryReference": place, "offset": 4, "data": "AQIDBAUGBwgJ"});
    assert_eq!(client.ask("writeMemory", data)["bytesWritten"], 9);
    assert_eq!(client.value("out[1]"), (0x0403_0201).to_string());
    let data = json!({"memoryReference": place, "offset": 1020, "data": "AQIDBAUGBwgJ"});
    let reason = client.refused("writeMemory", data);
    assert!(reason.contains("are outside of memory"), "{reason}");
    assert_eq!(client.value("out[255]"), "0", "nothing is written");
    let data = json!({"memoryReference": place, "data": "?"});
    let reason = client.refused("writeMemory", data);
    assert!(reason.contains("base64"), "{reason}");

    let shown = json!({"expression": "info dispatch", "context": "repl"});
    let shown = client.ask("evaluate", shown)["result"].clone();
    assert!(
        shown.as_str().is_some_and(|it| it.contains("grid 128,2,1")),
        "{shown}"
    );
    for expression in ["1 +", "nothing", "v900", "lds[0x4000]", "*(u32*)1"] {
        client.refused(
            "evaluate",
            json!({"expression": expression, "context": "watch"}),
        );
    }
    // A wave that runs alone waits at the barrier for waves that are held.
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    let alone = json!({"threadId": thread, "singleThread": true});
    client.ask("continue", alone);
    let stop = client.event("stopped");
    assert!(
        matches!(stop["reason"].as_str(), Some("pause" | "step")),
        "{stop}"
    );
    let reason = client.refused("stepBack", json!({"threadId": thread}));
    assert!(!reason.is_empty());
    client.ends_well();
}

#[test]
fn instructions_are_listed_and_stopped_at() {
    let mut client = Client::start("debug/tutorial.s", &["--dap"]);
    client.launch(json!({"stopOnEntry": true}));
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("entry")["threadId"].clone();
    let entry = client.frame(&thread)["instructionPointerReference"].clone();
    let listed = json!({"memoryReference": entry, "instructionOffset": -3, "instructionCount": 9});
    let listed = client.ask("disassemble", listed)["instructions"].clone();
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len(), 9);
    assert_eq!(listed[2]["presentationHint"], "invalid");
    assert_eq!(
        (&listed[3]["symbol"], &listed[3]["instruction"]),
        (&json!("sums"), &json!("s_load_dwordx2 s[4:5], s[0:1], 0x0"))
    );
    assert_eq!(listed[3]["instructionBytes"], "00 01 06 c0 00 00 00 00");
    assert_eq!(listed[3]["line"], line(&client, "s_load_dwordx2"));
    let third = &listed[5];
    let back = json!({"memoryReference": third["address"], "instructionOffset": -2, "instructionCount": 3});
    let back = client.ask("disassemble", back)["instructions"].clone();
    assert_eq!(
        [
            &back[0]["address"],
            &back[1]["address"],
            &back[2]["address"]
        ],
        [
            &listed[3]["address"],
            &listed[4]["address"],
            &third["address"]
        ]
    );
    let reason = client.refused(
        "disassemble",
        json!({"memoryReference": entry, "instructionCount": 1_000_000_000}),
    );
    assert!(reason.starts_with("at most"), "{reason}");

    let set = json!({"breakpoints": [
        {"instructionReference": third["address"]},
        {"instructionReference": third["address"], "offset": 2},
        {"instructionReference": "nowhere"},
    ]});
    let set = client.ask("setInstructionBreakpoints", set)["breakpoints"].clone();
    let verified: Vec<_> = set
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["verified"])
        .collect();
    assert_eq!(verified, [true, false, false]);
    client.go("continue", &thread, "instruction breakpoint");
    assert_eq!(
        client.frame(&thread)["instructionPointerReference"],
        third["address"]
    );
    let step = json!({"threadId": thread, "granularity": "instruction"});
    client.ask("stepIn", step);
    client.stopped("step");
    assert_eq!(client.value("$count"), "3");

    let lines = json!({"source": source(&client), "line": 1, "endLine": 7});
    let lines = client.ask("breakpointLocations", lines)["breakpoints"].clone();
    let first = line(&client, "s_load_dwordx2");
    assert_eq!(lines[0], json!({"line": first}));
    let sources = client.ask("loadedSources", json!({}));
    assert_eq!(sources["sources"][0]["path"], source(&client)["path"]);
    let text = client.ask(
        "source",
        json!({"source": source(&client), "sourceReference": 0}),
    );
    assert!(
        text["content"]
            .as_str()
            .is_some_and(|it| it.contains("sums:")),
        "{text}"
    );
    client.ends_well();
}

#[test]
fn conditions_and_hits_choose_the_stop() {
    let mut client = Client::start("debug/endless.s", &["--dap"]);
    client.launch(json!({}));
    let set = set_line(
        &mut client,
        "s_add_u32",
        json!({"condition": "s8 > 20", "hitCondition": "5"}),
    );
    assert_eq!(set["verified"], true);
    for (key, wrong) in [("condition", "1 +"), ("hitCondition", "% 3")] {
        let refused = json!({"name": "again", key: wrong});
        let refused = json!({"breakpoints": [refused]});
        let refused = client.ask("setFunctionBreakpoints", refused)["breakpoints"][0].clone();
        assert_eq!(refused["verified"], false, "{refused}");
    }
    client.ask("configurationDone", json!({}));
    let stop = client.stopped("breakpoint");
    assert_eq!(client.value("s8"), "25");
    // A breakpoint that is set again keeps its number and hit count.
    let same = set_line(
        &mut client,
        "s_add_u32",
        json!({"condition": "s8 > 20", "hitCondition": "5"}),
    );
    assert_eq!(same["id"], set["id"]);
    client.go("continue", &stop["threadId"], "breakpoint");
    assert_eq!(client.value("s8"), "26");
    client.ask("restart", json!({}));
    client.stopped("breakpoint");
    assert_eq!(client.value("s8"), "25", "hits are counted anew");
    client.ends_well();
}

#[test]
fn buffers_have_names_that_are_no_expressions() {
    let mut client = Client::start("debug/endless.s", &["--dap"]);
    let path = client.directory.path().join("launch.toml");
    let launch = fs::read_to_string(&path).expect("the launch file");
    let args = r#"{ v0 = "u32*2:iota", a-b = "u32*3", many = "u32*1000:iota" }"#;
    let changed = launch.replace(r#"{ out = "u32*1" }"#, args);
    assert_ne!(changed, launch);
    fs::write(&path, changed).expect("written");
    client.launch(json!({"stopOnEntry": true}));
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("entry")["threadId"].clone();
    let (scope, buffers) = client.scope(&thread, "Buffers");
    assert_eq!(named(&buffers, "a-b")["type"], "u32*3");
    let hidden = named(&buffers, "v0");
    assert_eq!(
        (&hidden["type"], &hidden["evaluateName"]),
        (&json!("u32*2"), &Value::Null)
    );
    let elements = client.variables(&hidden["variablesReference"]);
    assert_eq!(named(&elements, "[1]")["value"], "1");
    let set =
        json!({"variablesReference": hidden["variablesReference"], "name": "[1]", "value": "7"});
    assert_eq!(client.ask("setVariable", set)["value"], "7");
    let set = json!({"variablesReference": scope, "name": "v0", "value": "7"});
    let reason = client.refused("setVariable", set);
    assert!(
        reason.contains("is not a buffer in expressions"),
        "{reason}"
    );
    let shown = json!({"expression": "print many", "context": "repl"});
    let shown = client.ask("evaluate", shown)["result"].clone();
    assert!(
        shown
            .as_str()
            .is_some_and(|it| it.trim_end().ends_with("198, 199, ... 800 more}")),
        "{shown}"
    );
    client.ends_well();
}

#[test]
fn requests_are_answered_while_waves_run() {
    // Without its limit, the kernel never ends.
    let mut client = Client::start("debug/endless.s", &["--dap"]);
    let path = client.directory.path().join("launch.toml");
    let launch = fs::read_to_string(&path).expect("the launch file");
    fs::write(&path, launch.replace("limit = 1000", "")).expect("written");
    client.launch(json!({}));
    client.ask("configurationDone", json!({}));
    let reason = client.refused("evaluate", json!({"expression": "s8"}));
    assert_eq!(reason, "evaluate: waves are running; `pause` stops them");
    client.ask("pause", json!({"threadId": 1}));
    let thread = client.stopped("pause")["threadId"].clone();
    client.ask("continue", json!({"threadId": thread}));
    let threads = client.ask("threads", json!({}));
    assert_eq!(threads["threads"][0]["id"], thread);
    let set = json!({"breakpoints": [{"name": "again"}]});
    let set = client.ask("setFunctionBreakpoints", set)["breakpoints"][0].clone();
    assert_eq!(set["verified"], true);
    client.stopped("function breakpoint");
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    // Both requests at once: the second must not be lost.
    for _ in 0..20 {
        let resumed = client.send("continue", json!({"threadId": thread}));
        let paused = client.send("pause", json!({"threadId": thread}));
        client.response(resumed);
        client.response(paused);
        client.stopped("pause");
    }
    client.ask("continue", json!({"threadId": thread}));
    client.ask("restart", json!({}));
    client.ask("pause", json!({"threadId": thread}));
    client.stopped("pause");
    client.ask("continue", json!({"threadId": thread}));
    client.ask("terminate", json!({}));
    client.event("terminated");
    client.ends_well();

    // A client that leaves while waves run.
    let mut client = Client::start("debug/endless.s", &["--dap"]);
    let launch =
        fs::read_to_string(client.directory.path().join("launch.toml")).expect("the launch file");
    let path = client.directory.path().join("launch.toml");
    fs::write(path, launch.replace("limit = 1000", "")).expect("written");
    client.launch(json!({}));
    client.ask("configurationDone", json!({}));
    let (status, said) = client.end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("error[invalid-protocol]: the client has closed"),
        "{said}"
    );
}

#[test]
fn faults_and_findings_are_exceptions() {
    let mut client = Client::start("debug/fault.s", &["--dap"]);
    client.launch(json!({}));
    let filters = json!({"filters": ["fault", "waits"]});
    let answers = client.ask("setExceptionBreakpoints", filters)["breakpoints"].clone();
    assert_eq!(
        (&answers[0]["verified"], &answers[1]["verified"]),
        (&json!(true), &json!(false))
    );
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("exception")["threadId"].clone();
    let info = client.ask("exceptionInfo", json!({"threadId": thread}));
    assert_eq!(info["exceptionId"], "fault");
    assert_eq!(
        client.frame(&thread)["line"],
        line(&client, "s_load_dword s8")
    );
    client.ask("continue", json!({"threadId": thread}));
    assert_eq!(client.event("exited")["exitCode"], 4);

    // Another run, without the fault.
    let command = |text: &str| json!({"expression": text, "context": "repl"});
    client.ask("evaluate", command("start"));
    client.stopped("entry");
    client.ask("evaluate", command("set pc = &kernel + 0x34"));
    client.ask("continue", json!({"threadId": thread}));
    assert_eq!(client.event("exited")["exitCode"], 0);
    client.ends_well();

    // The fault without a stop.
    let mut client = Client::start("debug/fault.s", &["--dap"]);
    client.launch(json!({}));
    client.ask("setExceptionBreakpoints", json!({"filters": []}));
    client.ask("configurationDone", json!({}));
    let shown = client.event("output");
    assert!(
        shown["category"] == "stderr"
            && shown["output"]
                .as_str()
                .is_some_and(|it| it.starts_with("Fault: ")),
        "{shown}"
    );
    assert_eq!(client.event("exited")["exitCode"], 4);
    client.ends_well();

    // Starts of launches.
    let mut client = Client::start("debug/ends.s", &["--dap"]);
    client.launch(json!({}));
    client.ask("setExceptionBreakpoints", json!({"filters": ["launch"]}));
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("entry")["threadId"].clone();
    client.go("continue", &thread, "entry");
    client.ends_well();

    let mut client = Client::start("check/races-lds.s", &["--dap"]);
    client.launch(json!({"check": true}));
    let filters = json!({"filters": ["races"]});
    let answers = client.ask("setExceptionBreakpoints", filters)["breakpoints"].clone();
    assert_eq!(answers, json!([{"verified": true}]));
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("exception")["threadId"].clone();
    // After the other wave's store.
    assert_eq!(client.frame(&thread)["line"], line(&client, "s_waitcnt"));
    let info = client.ask("exceptionInfo", json!({"threadId": thread}));
    let name = info["exceptionId"].as_str().expect("a name");
    assert!(name.contains("race"), "{info}");
    let reason = client.refused("stepBack", json!({"threadId": thread}));
    assert_eq!(reason, "going back is not possible with checkers");
    client.ends_well();
}

#[test]
fn launches_without_debugging_do_not_stop() {
    let mut client = Client::start("debug/tutorial.s", &["--dap"]);
    client.launch(json!({"noDebug": true, "stopOnEntry": true}));
    let set = set_line(&mut client, "buffer_load_dword", json!({}));
    assert_eq!(set["verified"], false);
    client.ask("configurationDone", json!({}));
    assert_eq!(client.event("exited")["exitCode"], 0);
    client.ends_well();
}

#[test]
fn a_port_of_the_loopback_serves_a_client() {
    let directory = tempfile::tempdir().expect("a directory");
    prepare(directory.path(), "debug/tutorial.s");
    let mut process = command(directory.path(), &["--dap=0"])
        .spawn()
        .expect("gcn starts");
    let mut stderr = BufReader::new(process.stderr.take().expect("a pipe"));
    let mut said = String::new();
    stderr.read_line(&mut said).expect("a line");
    let address = said
        .trim()
        .strip_prefix("gcn debug listens on ")
        .expect("an address");
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let stream = TcpStream::connect(address).expect("it listens");
    let from = Box::new(BufReader::new(stream.try_clone().expect("a stream")));
    let mut client = Client::new(directory, process, Box::new(stream), from);
    client.launch(json!({}));
    client.ask("configurationDone", json!({}));
    client.event("terminated");
    client.ask("disconnect", json!({}));
    assert!(client.receive().is_none(), "the connection is closed");
}
