//! Tests of `gcn why`: JSON output, usage errors, and the call that `gcn run` suggests. The trees are tested in
//! `tests/why`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::{assert_status, gcn, scratch, stderr, stdout};

const KERNEL: &str = include_str!("../../../../tests/why/add.s");

/// Creates a directory with a kernel that multiplies, and its launch file.
fn directory(test: &str) -> PathBuf {
    let directory = scratch(test);
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    let launch = "file = \"k.s\"\ntarget = \"gfx900\"\ngrid = 64\nexpect = { out = \"u32*64:fill(14)\" }\n\
                  args = { a = \"u32*64:fill(2)\", b = \"u32*64:fill(7)\", out = \"u32*64\" }\n";
    fs::write(directory.join("launch.toml"), launch).expect("written");
    directory
}

#[test]
fn answers_are_json_if_asked() {
    let directory = directory("why-json");
    let arguments = ["why", "launch.toml", "out[3]", "--json"];
    let ran = gcn(&directory, &arguments).output().expect("gcn starts");
    assert_status(&ran, 0);
    let answer: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(answer["place"], "out[3]");
    assert_eq!(answer["value"], 14);
    assert_eq!(answer["incomplete"], Value::Null);
    let root = answer["roots"][0]["step"].as_u64().expect("a step") as usize;
    let store = &answer["steps"][root];
    let text = store["instruction"].as_str().expect("a text");
    assert!(text.starts_with("buffer_store_dword v4"), "{text}");
    assert_eq!((&store["lane"], &store["launch"]), (&3.into(), &1.into()));
    let step = |of: &Value, kind: &str| {
        let edges = of["depends"].as_array().expect("a list");
        let edge = edges.iter().find(|it| it["kind"] == kind).expect("one");
        edge.clone()
    };
    let product = step(store, "data")["step"].as_u64().expect("a step") as usize;
    let product = &answer["steps"][product];
    assert_eq!(product["written"], serde_json::json!([14]));
    assert_eq!(product["read"]["v2"], 2);
    let origins = answer["origins"].as_array().expect("a list");
    let inputs = origins.iter().filter(|it| it["kind"] == "buffer");
    let inputs: Vec<_> = inputs.map(|it| (&it["name"], &it["ranges"][0])).collect();
    let range = serde_json::json!([3, 4]);
    assert_eq!(inputs, [(&"a".into(), &range), (&"b".into(), &range)]);
}

#[test]
fn wrong_places_are_errors() {
    let directory = directory("why-wrong");
    for (arguments, status, name) in [
        (&["launch.toml", "nothing[0]"][..], 1, "unknown-buffer"),
        (&["launch.toml", "out[64]"], 1, "buffer-range"),
        (&["launch.toml", "out"], 1, "invalid-selector"),
        (&["launch.toml", "out[x]"], 1, "invalid-selector"),
        (&["none.toml", "out[0]"], 1, "unreadable-input"),
        (&["launch.toml", "out[0]", "--trace"], 2, "invalid-usage"),
    ] {
        let all = [&["why"], arguments].concat();
        let ran = gcn(&directory, &all).output().expect("gcn starts");
        assert_status(&ran, status);
        let message = format!("error[{name}]");
        assert!(stderr(&ran).contains(&message), "{}", stderr(&ran));
        assert_eq!(stdout(&ran), "");
        let json = [&all, &["--json"][..]].concat();
        let ran = gcn(&directory, &json).output().expect("gcn starts");
        assert_status(&ran, status);
        let report: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        assert_eq!(report["names"][0], name);
    }
}

#[test]
fn an_element_that_no_launch_has_written_is_an_input() {
    let directory = directory("why-input");
    let arguments = ["why", "launch.toml", "a[5]"];
    let ran = gcn(&directory, &arguments).output().expect("gcn starts");
    assert_status(&ran, 0);
    assert!(
        stdout(&ran).starts_with("a[5] = 2\n└─ input a[5]\n"),
        "{}",
        stdout(&ran)
    );
}

#[test]
fn the_depth_bounds_the_tree() {
    let directory = directory("why-depth");
    let arguments = ["why", "launch.toml", "out[3]", "--depth", "1"];
    let ran = gcn(&directory, &arguments).output().expect("gcn starts");
    assert_status(&ran, 0);
    let text = stdout(&ran);
    assert!(
        text.contains("raise --depth") && !text.contains("v_mul"),
        "{text}"
    );
}

#[test]
fn faults_and_timeouts_are_reported() {
    let directory = directory("why-fault");
    let endless = KERNEL.replace("    s_endpgm", "end:\n    s_branch end");
    assert_ne!(endless, KERNEL);
    fs::write(directory.join("k.s"), endless).expect("written");
    let arguments = ["why", "launch.toml", "out[3]"];
    let limited = [&arguments[..], &["--limit", "1000"]].concat();
    let ran = gcn(&directory, &limited).output().expect("gcn starts");
    assert_status(&ran, 0);
    assert!(stdout(&ran).contains("out[3] = 14"), "{}", stdout(&ran));
    assert!(
        stderr(&ran).contains("has ended by a fault"),
        "{}",
        stderr(&ran)
    );
    let timed = [&arguments[..], &["--timeout", "0.2"]].concat();
    let ran = gcn(&directory, &timed).output().expect("gcn starts");
    assert_status(&ran, 124);
    assert!(
        stderr(&ran).contains("error[interrupted]"),
        "{}",
        stderr(&ran)
    );
}

#[test]
fn a_run_names_the_call_for_its_first_difference() {
    let directory = directory("why-call");
    let ran = gcn(&directory, &["run", "launch.toml"])
        .output()
        .expect("gcn starts");
    assert_status(&ran, 0);
    assert!(!stderr(&ran).contains("gcn why"), "{}", stderr(&ran));
    let arguments = ["run", "launch.toml", "--expect", "out[5..7]=f32:0,1"];
    let ran = gcn(&directory, &arguments).output().expect("gcn starts");
    assert_status(&ran, 3);
    let note = "note: `gcn why launch.toml 'out:f32[5]'` explains out:f32[5]\n";
    assert!(stderr(&ran).contains(note), "{}", stderr(&ran));
    let call = ["why", "launch.toml", "out:f32[5]"];
    assert_status(&gcn(&directory, &call).output().expect("gcn starts"), 0);
}
