//! Tests of `--json`: each command writes its result and its errors as JSON to standard output.

use std::fs;

use serde_json::Value;

use crate::{assert_status, gcn, scratch, stderr, stdout};

/// Assembly kernel with a missing wait.
const SOURCE: &str = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n\
                      \tglobal_load_dword v1, v0, s[0:1]\n\tv_mov_b32 v2, v1\n\ts_endpgm\n.Lend:\n.size k, .Lend-k\n.rodata\n\
                      .p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n";

#[test]
fn results_are_json_on_request() {
    let directory = scratch("json");
    fs::write(directory.join("k.s"), SOURCE).expect("written");
    fs::write(directory.join("wrong.s"), "\ts_endpgm\n\tv_mov_b32 v1\n").expect("written");
    let json = |arguments: &[&str], status: i32| -> Value {
        let ran = gcn(&directory, arguments).output().expect("gcn starts");
        assert_status(&ran, status);
        assert_eq!(stderr(&ran), "", "{arguments:?}");
        serde_json::from_str(&stdout(&ran)).expect("JSON")
    };
    let assembled = json(&["asm", "k.s", "-o", "k.co", "--json"], 0);
    assert_eq!(assembled["output"], "k.co");
    assert_eq!(assembled["diagnostics"], Value::Array(Vec::new()));
    let wrong = json(&["asm", "wrong.s", "--target", "gfx900", "--json"], 1);
    assert_eq!(wrong["output"], Value::Null);
    let diagnostic = &wrong["diagnostics"][0];
    assert_eq!(diagnostic["severity"], "error");
    assert_eq!(
        (&diagnostic["file"], &diagnostic["line"]),
        (&"wrong.s".into(), &2.into())
    );
    assert!(!directory.join("wrong.co").exists());

    let listed = json(&["dis", "k.co", "--json"], 0);
    let instructions = listed[0]["instructions"].as_array().expect("a list");
    assert_eq!(instructions[0]["symbols"], serde_json::json!(["k"]));
    assert_eq!(instructions[0]["words"].as_array().map(Vec::len), Some(2));
    assert_eq!(instructions[1]["text"], "v_mov_b32_e32 v2, v1");
    let distance = instructions[1]["address"]
        .as_u64()
        .zip(instructions[0]["address"].as_u64());
    assert_eq!(distance.map(|(second, first)| second - first), Some(8));

    let odd = "\ts_endpgm\n.globl tail\ntail:\n\t.byte 1, 2\n";
    fs::write(directory.join("odd.s"), odd).expect("written");
    json(&["asm", "odd.s", "--target", "gfx900", "--json"], 0);
    let listed = json(&["dis", "odd.co", "--json"], 0);
    let last = &listed[0]["instructions"][1];
    assert_eq!(last["bytes"], serde_json::json!([1, 2]));
    assert_eq!(last["symbols"], serde_json::json!(["tail"]));
    assert_eq!(
        (&last["text"], &last["is_exact"]),
        (&Value::Null, &false.into())
    );

    let found = json(&["lint", "k.s", "--json"], 3);
    assert_eq!(found[0]["name"], "missing-wait");
    let explained = json(&["explain", "missing-wait", "--json"], 0);
    assert_eq!(explained["kind"], "finding");
    assert!(
        json(&["explain", "--json"], 0)
            .as_array()
            .is_some_and(|all| all.len() > 100)
    );
    assert_eq!(
        json(&["explain", "no-such-name", "--json"], 1)["names"][0],
        "unknown-entry"
    );
    assert_eq!(json(&["extract", "k.co", "--json"], 1)["exit_status"], 1);
    assert_eq!(
        json(&["info", "k.co", "--json"], 0)["kernels"][0]["name"],
        "k"
    );
    let both = json(&["asm", "k.s", "-o", "-", "--json"], 2);
    assert_eq!(both["outcome"], "bad_usage");
}

#[test]
fn several_inputs_are_read_though_one_is_wrong() {
    let directory = scratch("lint-several");
    fs::write(directory.join("a.s"), SOURCE).expect("written");
    fs::write(
        directory.join("b.s"),
        SOURCE.replace("v_mov_b32 v2, v1", "s_waitcnt vmcnt(0)"),
    )
    .expect("written");
    let lint = |arguments: &[&str]| {
        gcn(&directory, &[&["lint"], arguments].concat())
            .output()
            .expect("gcn starts")
    };
    let ran = lint(&["b.s", "a.s"]);
    assert_status(&ran, 3);
    assert_eq!(stdout(&ran).matches("error[missing-wait]").count(), 1);
    assert!(stdout(&ran).contains("--> a.s:8:2"), "{}", stdout(&ran));
    let ran = lint(&["no-such.s", "a.s"]);
    assert_status(&ran, 1);
    assert!(stderr(&ran).contains("no-such.s"), "{}", stderr(&ran));
    assert_eq!(stdout(&ran).matches("error[missing-wait]").count(), 1);
    assert_status(&lint(&["b.s", "b.s"]), 0);
}

#[test]
fn colours_follow_the_option() {
    let directory = scratch("color");
    fs::write(directory.join("wrong.s"), "\tv_mov_b32 v1\n").expect("written");
    let coloured = |arguments: &[&str]| {
        let arguments = [&["asm", "wrong.s", "--target", "gfx900"], arguments].concat();
        let ran = gcn(&directory, &arguments).output().expect("gcn starts");
        stderr(&ran).contains('\u{1b}')
    };
    assert!(!coloured(&[]), "it is no terminal");
    assert!(coloured(&["--color", "always"]));
    assert!(!coloured(&["--color=never"]));
    let wrong = gcn(&directory, &["asm", "wrong.s", "--color", "often"])
        .output()
        .expect("gcn starts");
    assert_status(&wrong, 2);
}
