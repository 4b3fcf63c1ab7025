//! Tests of refused requests and of input that violates the protocol.

use serde_json::{Value, json};

use super::client::Client;

#[test]
fn requests_at_the_wrong_time_are_refused() {
    let mut client = Client::start("debug/tutorial.s", &["--dap"]);
    let reason = client.refused("launch", json!({}));
    assert_eq!(reason, "launch comes before `initialize`");
    client.ask("initialize", json!({"adapterID": "gcn"}));
    for (command, arguments, part) in [
        (
            "initialize",
            json!({"adapterID": "gcn"}),
            "already been answered",
        ),
        ("attach", json!({}), "no process to attach to; use `launch`"),
        ("threads", json!({}), "threads comes before `launch`"),
        ("frobnicate", json!({}), "frobnicate comes before `launch`"),
        ("launch", json!({}), "`program` is missing"),
        ("launch", json!({"program": 5}), "launch: invalid type"),
        (
            "launch",
            json!({"program": "no.toml"}),
            "cannot read no.toml",
        ),
        (
            "launch",
            json!({"program": "kernel.s", "args": ["--frob"]}),
            "--frob",
        ),
        (
            "launch",
            json!({"program": "launch.toml", "args": ["--trace"]}),
            "--trace does not apply",
        ),
        (
            "launch",
            json!({"program": "launch.toml", "args": ["--print=out"]}),
            "--print does not apply to gcn debug",
        ),
        (
            "launch",
            json!({"program": "launch.toml", "cwd": "/no/where"}),
            "cwd /no/where",
        ),
    ] {
        let reason = client.refused(command, arguments);
        assert!(reason.contains(part), "{command}: {reason}");
    }
    client.ask(
        "launch",
        json!({"program": "launch.toml", "stopOnEntry": true}),
    );
    for (command, arguments, part) in [
        ("launch", json!({}), "already started"),
        ("frobnicate", json!({}), "there is no request `frobnicate`"),
        ("continue", json!({"threadId": 1}), "no launch is running"),
        ("pause", json!({"threadId": 1}), "no launch is running"),
        ("scopes", json!({"frameId": 4096}), "there is no frame 4096"),
        ("scopes", json!({"frameId": -1}), "there is no frame -1"),
        ("scopes", json!({}), "scopes: missing field"),
        (
            "variables",
            json!({"variablesReference": i64::MIN}),
            "there are no variables",
        ),
        ("setBreakpoints", json!({}), "needs a source"),
        ("stackTrace", json!({"threadId": 7}), "there is no thread 7"),
    ] {
        let reason = client.refused(command, arguments);
        assert!(reason.contains(part), "{command}: {reason}");
    }
    let info = client.ask("dataBreakpointInfo", json!({"name": "v3"}));
    assert_eq!(info["dataId"], Value::Null);
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("entry")["threadId"].clone();
    let reason = client.refused("exceptionInfo", json!({"threadId": thread}));
    assert!(reason.contains("has not stopped at a fault"), "{reason}");
    let data =
        json!({"breakpoints": [{"dataId": "out"}, {"dataId": "0/0/out", "accessType": "read"}]});
    let set = client.ask("setDataBreakpoints", data)["breakpoints"].clone();
    assert_eq!(
        (&set[0]["verified"], &set[1]["verified"]),
        (&json!(false), &json!(false))
    );
    let reason = client.refused(
        "readMemory",
        json!({"memoryReference": "0x0", "count": 1_u64 << 60}),
    );
    assert!(reason.starts_with("at most"), "{reason}");
    for hits in ["0", ">= 0", "-1", "% 2", "> 18446744073709551615", "x"] {
        let wanted = json!({"breakpoints": [{"name": "sums", "hitCondition": hits}]});
        let set = client.ask("setFunctionBreakpoints", wanted)["breakpoints"][0].clone();
        assert_eq!(set["verified"], false, "{set}");
        let message = set["message"].as_str().expect("a reason");
        assert!(message.contains("is not a hit condition"), "{message}");
    }
    client.ends_well();
}

#[test]
fn broken_input_ends_in_an_error() {
    for (input, part) in [
        (
            &b"GET / HTTP/1.1\r\n\r\n"[..],
            "is not a header of a message",
        ),
        (
            b"GET http://h/ HTTP/1.1\r\n\r\n",
            "is not a header of a message",
        ),
        (
            b"Content-Length: 99999999999\r\n\r\n",
            "is not a header of a message",
        ),
        (
            b"Content-Length: -1\r\n\r\n",
            "is not a header of a message",
        ),
        (&[b'x'; 100_000], "is not a header of a message"),
        (b"Content-Length: 100\r\n\r\n{", "without `disconnect`"),
        (b"Content-Le", "is not a header of a message"),
        (b"", "without `disconnect`"),
    ] {
        let mut client = Client::start("debug/tutorial.s", &["--dap"]);
        client.send_bytes(input);
        client.close();
        let (status, said) = client.end();
        assert_eq!(status.code(), Some(1), "{said}");
        assert!(
            said.starts_with("error[invalid-protocol]: ") && said.contains(part),
            "{said}"
        );
    }
    // Bodies that are not requests are answered, and the session continues.
    let mut client = Client::start("debug/tutorial.s", &["--dap"]);
    let deep = "[".repeat(100_000);
    for body in [
        "{]",
        "",
        "[]",
        "{\"seq\": 1}",
        "{\"seq\": \"x\", \"command\": 4}",
        &deep,
    ] {
        let message = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        client.send_bytes(message.as_bytes());
        let response = client.receive().expect("a response");
        assert_eq!(response["success"], false, "{response}");
    }
    client.launch(json!({}));
    client.ends_well();
}
