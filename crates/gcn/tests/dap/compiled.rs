//! Tests of the protocol with compiled code: source variables and lines.

use std::io::BufReader;

use serde_json::json;

use super::client::{Client, command};
use super::named;

/// Starts an adapter for a compiled fixture.
fn compiled(object: &str, arguments: &[&str]) -> Client {
    let directory = tempfile::tempdir().expect("a directory");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-object/tests/fixtures/");
    let object = format!("{fixtures}{object}");
    let mut all = vec![object.as_str(), "--dap"];
    all.extend(arguments);
    let mut process = command(directory.path(), &all).spawn().expect("gcn starts");
    let to = Box::new(process.stdin.take().expect("a pipe"));
    let from = Box::new(BufReader::new(process.stdout.take().expect("a pipe")));
    Client::new(directory, process, to, from)
}

#[test]
fn variables_of_the_source_are_shown_and_changed() {
    let arguments = [
        "--grid=64",
        "--arg=out=i32*64",
        "--arg=in=f32*64:iota",
        "--arg=n=4",
    ];
    let mut client = compiled("variables-O0-gfx906.co", &arguments);
    client.ask("initialize", json!({"adapterID": "gcn"}));
    client.ask("launch", json!({}));
    client.event("initialized");
    let line = json!({"line": 46, "condition": "any(lane == 3 && item.kind == 1)"});
    let set = json!({"source": {"path": "/elsewhere/variables.cl"}, "breakpoints": [line]});
    client.ask("setBreakpoints", set);
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("breakpoint")["threadId"].clone();

    let (scope, locals) = client.scope(&thread, "Locals");
    let item = named(&locals, "item").clone();
    assert_eq!(item["type"], "Item");
    let fields = client.variables(&item["variablesReference"]);
    assert_eq!(named(&fields, "kind")["value"], "SMALL");
    let at = named(&fields, "at");
    let (x, reference) = (&at["evaluateName"], at["variablesReference"].clone());
    assert_eq!(x, "locals.item.at");
    assert_eq!(named(&client.variables(&reference), "y")["value"], "2.5");
    let new = json!({"variablesReference": reference, "name": "y", "value": "8"});
    assert_eq!(client.ask("setVariable", new)["value"], "8");
    assert_eq!(client.value("item.at.y * 2"), "16");
    let tags = named(&fields, "tags");
    assert_eq!(tags["value"], "{{1, 2, 3}, {4, 5, 6}}");
    let rows = client.variables(&tags["variablesReference"]);
    let last = client.variables(&named(&rows, "[1]")["variablesReference"]);
    assert_eq!(
        named(&last, "[2]")["evaluateName"],
        "locals.item.tags[1][2]"
    );
    // Among locals, a pointer to a buffer of the launch has its source type.
    let pointer = named(&locals, "in");
    assert_eq!(pointer["type"], "const float *");
    let first = client.variables(&pointer["variablesReference"]);
    assert_eq!(named(&first, "[0]")["value"], "0");
    let new = json!({"variablesReference": scope, "name": "lane", "value": "4"});
    assert_eq!(client.ask("setVariable", new)["value"], "4");
    let lds = named(&locals, "tile")["memoryReference"].clone();
    let bytes = client.ask("readMemory", json!({"memoryReference": lds, "count": 4}));
    assert_eq!(bytes["data"], "FAAAAA==", "20");

    // Fields of the structure that a pointer points to.
    let none = json!({"source": {"path": "/elsewhere/variables.cl"}, "breakpoints": []});
    client.ask("setBreakpoints", none);
    let set = json!({"breakpoints": [{"name": "weigh"}]});
    client.ask("setFunctionBreakpoints", set);
    client.go("continue", &thread, "function breakpoint");
    client.go("next", &thread, "step");
    let pointed = client.ask("evaluate", json!({"expression": "*item"}));
    let fields = client.variables(&pointed["variablesReference"]);
    let at = named(&fields, "at");
    assert_eq!(at["evaluateName"], "(*item).at");
    let reference = at["variablesReference"].clone();
    assert_eq!(named(&client.variables(&reference), "y")["value"], "8");
    let new = json!({"variablesReference": reference, "name": "y", "value": "9"});
    assert_eq!(client.ask("setVariable", new)["value"], "9");
    client.ends_well();
}

#[test]
fn hidden_variables_are_not_counted() {
    let mut client = compiled(
        "shadowed-gfx906.co",
        &["--grid=1", "--arg=out=i32*4", "--arg=n=4"],
    );
    let features = json!({"adapterID": "gcn", "columnsStartAt1": false});
    client.ask("initialize", features);
    client.ask("launch", json!({}));
    client.event("initialized");
    let set = json!({"source": {"path": "/elsewhere/shadowed.cl"}, "breakpoints": [{"line": 7}]});
    client.ask("setBreakpoints", set);
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("breakpoint")["threadId"].clone();
    let frame = client.frame(&thread);
    assert_eq!((&frame["line"], &frame["column"]), (&json!(7), &json!(0)));
    let scopes = client.ask("scopes", json!({"frameId": frame["id"]}));
    let locals = scopes["scopes"][0].clone();
    assert_eq!(locals["name"], "Locals");
    let variables = client.variables(&locals["variablesReference"]);
    assert_eq!(locals["namedVariables"], variables.len());
    assert_eq!(named(&variables, "n")["value"], "5");
    client.ends_well();
}

#[test]
fn lines_of_compiled_code_have_breakpoints() {
    let arguments = ["--grid=64", "--arg=data=f32*64:iota", "--arg=n=60"];
    let mut client = compiled("lines-gfx906.co", &arguments);
    client.ask(
        "initialize",
        json!({"adapterID": "gcn", "linesStartAt1": false}),
    );
    client.ask("launch", json!({}));
    client.event("initialized");
    let set = json!({"source": {"path": "/elsewhere/lines.cl"}, "breakpoints": [{"line": 3}]});
    let set = client.ask("setBreakpoints", set)["breakpoints"][0].clone();
    assert_eq!(
        (&set["verified"], &set["line"]),
        (&json!(true), &json!(3)),
        "counted from 0"
    );
    let set = json!({"source": {"path": "/elsewhere/other.cl"}, "breakpoints": [{"line": 3}]});
    let set = client.ask("setBreakpoints", set)["breakpoints"][0].clone();
    let reason = set["message"].as_str().expect("a reason");
    assert!(reason.contains("the program has no code of"), "{reason}");
    client.ask("configurationDone", json!({}));
    let thread = client.stopped("breakpoint")["threadId"].clone();
    let stack = client.ask("stackTrace", json!({"threadId": thread}));
    assert_eq!(stack["totalFrames"], 2, "one is inlined: {stack}");
    let frames = stack["stackFrames"].as_array().expect("a list");
    assert_eq!(
        (&frames[0]["line"], &frames[1]["line"]),
        (&json!(3), &json!(9))
    );
    assert_eq!(frames[0]["column"], 1);
    client.ends_well();
}
