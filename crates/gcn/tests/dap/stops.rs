//! Tests of stops: their waves and reasons.

use std::fs;

use serde_json::{Value, json};

use super::client::Client;

#[test]
fn conditions_of_data_breakpoints_hold_in_the_wave_that_stores() {
    let mut client = Client::start("debug/watch-writer.s", &["--dap"]);
    client.launch(json!({"stopOnEntry": true}));
    client.ask("configurationDone", Value::Null);
    let first = client.stopped("entry")["threadId"].clone();
    let info = client.ask("dataBreakpointInfo", json!({"name": "out[70]"}));
    let wanted = json!({"dataId": info["dataId"], "condition": "$wave == 1"});
    let set = client.ask("setDataBreakpoints", json!({"breakpoints": [wanted]}));
    let number = set["breakpoints"][0]["id"].clone();
    let stop = client.go("continue", &first, "data breakpoint");
    let second = stop["threadId"].clone();
    assert_ne!(second, first);
    assert_eq!(client.value("v0[6]"), "70");

    let stop = client.go("reverseContinue", &second, "data breakpoint");
    assert_eq!(
        (&stop["threadId"], &stop["hitBreakpointIds"]),
        (&second, &json!([number]))
    );
    let text = stop["text"].as_str().expect("text");
    assert!(text.contains("out[70] is 0, will be 70"), "{text}");
    let set = json!({"breakpoints": [{"name": "first"}]});
    let set = client.ask("setFunctionBreakpoints", set);
    let breakpoint = set["breakpoints"][0]["id"].clone();
    let step = json!({"threadId": second, "granularity": "instruction"});
    client.ask("stepIn", step);
    client.stopped("data breakpoint");
    let stop = client.go("reverseContinue", &second, "function breakpoint");
    assert_eq!(stop["hitBreakpointIds"], json!([breakpoint, number]));
    let back = json!({"expression": "reverse-stepi 100", "context": "repl"});
    client.ask("evaluate", back);
    assert_eq!(client.stopped("entry")["threadId"], second);
    client.ends_well();
}

#[test]
fn findings_name_their_places_and_stop_in_their_wave() {
    let mut client = Client::start("debug/findings.s", &["--dap"]);
    client.launch(json!({"check": true}));
    client.ask("configurationDone", Value::Null);
    let thread = client.stopped("exception")["threadId"].clone();
    assert_eq!(client.frame(&thread)["name"], "last");
    let info = client.ask("exceptionInfo", json!({"threadId": thread}));
    let text = info["description"].as_str().expect("text");
    for part in ["wave 1, lane 0", "`ds_read_b32 v2, v1`", "wave 0, lane 0"] {
        assert!(text.contains(part), "{text}");
    }
    client.ends_well();
}

#[test]
fn an_interruption_of_a_single_wave_stops_in_that_wave() {
    // Without its limit, the kernel never ends.
    let mut client = Client::start("debug/endless.s", &["--dap"]);
    let path = client.directory.path().join("launch.toml");
    let launch = fs::read_to_string(&path).expect("the launch file");
    let two_waves = launch
        .replace("grid = 1\n", "grid = 128\ngroup = 128\n")
        .replace("limit = 1000", "");
    fs::write(&path, two_waves).expect("written");
    client.launch(json!({"stopOnEntry": true}));
    client.ask("configurationDone", Value::Null);
    let thread = client.stopped("entry")["threadId"].clone();
    for _ in 0..5 {
        let alone = json!({"threadId": thread, "singleThread": true});
        client.ask("continue", alone);
        client.ask("pause", json!({"threadId": thread}));
        assert_eq!(client.stopped("pause")["threadId"], thread);
    }
    client.ends_well();
}
