//! Tests of `gcn why`: JSON output, usage errors, and the call that `gcn run` suggests. The trees are tested in
//! `tests/why`.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use super::{assert_status, gcn, scratch, stderr, stdout};

const KERNEL: &str = include_str!("../../../../tests/why/add.s");

/// Creates a directory with a kernel that multiplies two buffers, and its launch file.
fn directory(test: &str) -> PathBuf {
    let directory = scratch(test);
    fs::write(directory.join("k.s"), KERNEL).expect("written");
    let launch = "file = \"k.s\"\ntarget = \"gfx900\"\ngrid = 64\nexpect = { out = \"u32*64:fill(14)\" }\n\
                  args = { a = \"u32*64:fill(2)\", b = \"u32*64:fill(7)\", out = \"u32*64\" }\n";
    fs::write(directory.join("launch.toml"), launch).expect("written");
    directory
}

#[test]
fn answers_are_json_on_request() {
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
        (
            &["launch.toml", "out[0]", "--print=out"],
            2,
            "invalid-usage",
        ),
        (
            &["launch.toml", "out[0]", "--save=out=f"],
            2,
            "invalid-usage",
        ),
        (
            &["launch.toml", "out[0]", "--expect=out=u32:1"],
            2,
            "invalid-usage",
        ),
        (&["launch.toml", "out[0]", "--fidelity"], 2, "invalid-usage"),
        (
            &["launch.toml", "out[0]", "--dump-code=f"],
            2,
            "invalid-usage",
        ),
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
fn an_argument_is_undefined_in_its_own_launch_only() {
    const LAUNCH: &str = "\
file = \"two.s\"
target = \"gfx900\"
grid = 64
[buffers]
a = \"u32*64:iota\"
out = \"u32*64\"
[[launch]]
kernel = \"first\"
args = [\"u32*64:undefined\", \"out\", \"out\"]
[[launch]]
kernel = \"second\"
args = [\"a\", \"a\", \"out\"]
";
    let directory = scratch("why-undefined");
    let kernels = include_str!("../../../../tests/why/two.s");
    fs::write(directory.join("two.s"), kernels).expect("written");
    for (launch, origin) in [
        (LAUNCH.to_owned(), "├─ input a[3]\n"),
        (
            LAUNCH.replace("u32*64:iota", "u32*64:undefined"),
            "├─ undefined a[3]\n",
        ),
    ] {
        fs::write(directory.join("launch.toml"), launch).expect("written");
        let arguments = ["why", "launch.toml", "out[60]"];
        let ran = gcn(&directory, &arguments).output().expect("gcn starts");
        assert_status(&ran, 0);
        assert!(stdout(&ran).contains(origin), "{}", stdout(&ran));
    }
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
fn a_deep_tree_does_not_exhaust_the_stack() {
    let directory = directory("why-deep");
    let store = "    buffer_store_dword";
    let chain = format!("    .rept 8000\n    v_xor_b32 v4, 1, v4\n    .endr\n{store}");
    let deep = KERNEL.replace(store, &chain);
    assert_ne!(deep, KERNEL);
    fs::write(directory.join("k.s"), deep).expect("written");
    for last in [&["--depth", "8100"][..], &["--json"]] {
        let arguments = [&["why", "launch.toml", "out[3]"], last].concat();
        let mut why = gcn(&directory, &arguments);
        // The indented tree has a hundred million bytes.
        let status = why.stdout(Stdio::null()).status().expect("gcn starts");
        assert!(status.success(), "{arguments:?}: {status}");
    }
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
        stderr(&ran).contains("ended with a fault"),
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
    for (expected, place) in [
        ("out[5..7]=f32:0,1", "out:f32[5]"),
        ("out:u8[84..86]=14,1", "out:u8[85]"),
        ("out:u32[5]=1", "out[5]"),
    ] {
        let arguments = ["run", "launch.toml", "--expect", expected];
        let ran = gcn(&directory, &arguments).output().expect("gcn starts");
        assert_status(&ran, 3);
        let note = format!("note: `gcn why launch.toml '{place}'` explains {place}\n");
        assert!(stderr(&ran).contains(&note), "{}", stderr(&ran));
        let call = ["why", "launch.toml", place];
        assert_status(&gcn(&directory, &call).output().expect("gcn starts"), 0);
    }
}

/// Report of `gcn why --against` in JSON.
fn compared(directory: &PathBuf, arguments: &[&str], status: i32) -> Value {
    let all = [&["why"], arguments, &["--json"]].concat();
    let ran = gcn(directory, &all).output().expect("gcn starts");
    assert_status(&ran, status);
    serde_json::from_slice(&ran.stdout).expect("JSON")
}

#[test]
fn a_changed_instruction_is_named_in_both_runs() {
    let directory = directory("why-against");
    let changed = KERNEL.replace("v_mul_u32_u24 v4, v2, v3", "v_mul_u32_u24 v4, v2, v2");
    assert_ne!(changed, KERNEL);
    fs::write(directory.join("changed.s"), changed).expect("written");
    let arguments = ["launch.toml", "--against", "changed.s"];
    let report = compared(&directory, &arguments, 3);
    assert_eq!(report["differs"], true);
    assert_eq!(report["place"], "out[0]");
    assert_eq!(report["values"], serde_json::json!([14, 4]));
    assert_eq!(report["different"], 64);
    assert_eq!(report["kind"], "region");
    let line = KERNEL
        .lines()
        .position(|it| it.contains("v_mul_u32_u24 v4"))
        .expect("the product")
        + 1;
    for (run, values) in [(0, [2, 7]), (1, [2, 2])] {
        let run = &report["runs"][run];
        let instructions = run["instructions"].as_array().expect("a list");
        let product = instructions.last().expect("the product");
        assert_eq!(product["line"], line);
        let read = product["read"].as_array().expect("a list").iter();
        let read = read.filter(|it| it["kind"] == "data");
        let mut read: Vec<i64> = read.filter_map(|it| it["value"].as_i64()).collect();
        read.dedup();
        let mut values = values.to_vec();
        values.dedup();
        assert_eq!(read, values);
    }
    let store = &report["path"][0]["instructions"][1];
    assert!(
        store["file"]
            .as_str()
            .expect("a file")
            .ends_with("changed.s")
    );
    // Identical programs, and a tolerance that covers the difference.
    for arguments in [
        &["launch.toml", "--against", "k.s"][..],
        &["launch.toml", "out[3]", "--against", "k.s"],
        &["launch.toml", "--against", "changed.s", "--tolerance", "10"],
        &[
            "launch.toml",
            "out[3]",
            "--against",
            "changed.s",
            "--tolerance=10",
        ],
    ] {
        let report = compared(&directory, arguments, 0);
        assert_eq!(report["differs"], false, "{arguments:?}");
    }
}

#[test]
fn buffers_have_the_same_addresses_for_code_of_any_size() {
    let directory = directory("why-against-size");
    let changed = KERNEL.replace("v_mul_u32_u24 v4, v2, v3", "v_mul_u32_u24 v4, v2, v2");
    let launch = fs::read_to_string(directory.join("launch.toml")).expect("a launch");
    let launch = launch.replace("k.s", "large.s");
    fs::write(directory.join("large.toml"), launch).expect("written");
    for words in [20_000, 100_000] {
        let fill = format!("    s_endpgm\n    .fill {words}, 4, 0xbf800000");
        let large = changed.replace("    s_endpgm", &fill);
        assert_ne!(large, changed);
        fs::write(directory.join("large.s"), large).expect("written");
        for arguments in [
            ["launch.toml", "--against", "large.toml"],
            ["large.toml", "--against", "launch.toml"],
        ] {
            let report = compared(&directory, &arguments, 3);
            assert_eq!(report["notes"], serde_json::json!([]), "{arguments:?}");
        }
    }
}

#[test]
fn wrong_comparisons_are_errors() {
    let directory = directory("why-against-wrong");
    for (arguments, status, name) in [
        (
            &["launch.toml", "--against", "none.s"][..],
            1,
            "unreadable-input",
        ),
        (
            &["launch.toml", "--against", "--nothing"],
            2,
            "--against: unexpected argument '--nothing' found\n",
        ),
        (&["launch.toml", "--against", "--trace"], 2, "invalid-usage"),
        (
            &["launch.toml", "--against", "--fidelity"],
            2,
            "--fidelity does not apply to gcn why",
        ),
        (
            &["launch.toml", "out", "--against", "k.s"],
            1,
            "invalid-selector",
        ),
        (
            &["launch.toml", "out[64]", "--against", "k.s"],
            1,
            "buffer-range",
        ),
        (&["launch.toml"], 2, ""),
        (&["launch.toml", "out[0]", "--tolerance", "1"], 2, ""),
    ] {
        let all = [&["why"], arguments].concat();
        let ran = gcn(&directory, &all).output().expect("gcn starts");
        assert_status(&ran, status);
        assert!(stderr(&ran).contains(name), "{}", stderr(&ran));
        assert_eq!(stdout(&ran), "");
    }
}

#[test]
fn sources_that_cannot_be_built_are_skipped() {
    let directory = directory("why-against-unbuilt");
    fs::write(directory.join("wrong.s"), "s_nothing\n").expect("written");
    fs::write(
        directory.join("wrong.cl"),
        "kernel void k() { nothing(); }\n",
    )
    .expect("written");
    fs::write(directory.join("wrong.toml"), "nothing = 1\n").expect("written");
    for (arguments, status) in [
        (["launch.toml", "--against", "wrong.s"], 125),
        (["launch.toml", "--against", "wrong.cl"], 125),
        (["wrong.cl", "--grid=1", "--against=k.s"], 125),
        // The source is not the cause of the error.
        (["launch.toml", "--against", "wrong.toml"], 1),
        (["launch.toml", "--against", "none.s"], 1),
        // `git bisect run` has no use for an answer about one run.
        (["wrong.cl", "--grid=1", "out[0]"], 1),
    ] {
        let all = [&["why"], &arguments[..]].concat();
        let ran = gcn(&directory, &all).output().expect("gcn starts");
        assert_status(&ran, status);
        let ran = gcn(&directory, &[&all[..], &["--json"]].concat()).output();
        let ran = ran.expect("gcn starts");
        assert_status(&ran, status);
        let report: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        assert_eq!(report["exit_status"], status, "{arguments:?}");
    }
}

#[test]
fn faults_are_explained() {
    const LOAD: &str = "\
    v_mov_b32 v6, s5
    v_lshlrev_b32 v5, SHIFT, v2
    flat_load_dword v3, v[5:6]
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    v_mul_u32_u24 v4, v2, v3
";
    let directory = directory("why-fault-access");
    let kernel = KERNEL.replace("    v_mul_u32_u24 v4, v2, v3\n", LOAD);
    assert_ne!(kernel, KERNEL);
    fs::write(directory.join("k.s"), kernel).expect("written");
    let arguments = ["why", "launch.toml", "-DSHIFT=28", "out[3]", "--json"];
    let ran = gcn(&directory, &arguments).output().expect("gcn starts");
    assert_status(&ran, 0);
    let answer: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(answer["is_fault"], true);
    let root = answer["roots"][0]["step"].as_u64().expect("a step") as usize;
    let load = answer["steps"][root]["instruction"].as_str();
    assert_eq!(load, Some("flat_load_dword v3, v[5:6]"));
    let note = answer["notes"][0].as_str().expect("a note");
    assert!(note.contains("wave 0, lane 0, at 0x"), "{note}");
    let arguments = ["launch.toml", "-DSHIFT=28", "--against=-DSHIFT=27"];
    let report = compared(&directory, &arguments, 3);
    assert_eq!(
        (&report["fault"], &report["kind"]),
        (&"first".into(), &"result".into())
    );
    for (run, shift) in [(0, 28), (1, 27)] {
        let shift = format!("v_lshlrev_b32_e32 v5, {shift}, v2");
        assert_eq!(
            report["runs"][run]["instructions"][0]["instruction"],
            *shift
        );
    }
}

#[test]
fn misaligned_atomics_are_explained() {
    const ATOMIC: &str = "\
    v_mov_b32 v6, s5
    v_mov_b32 v5, s4
    v_or_b32 v5, 2, v5
    flat_atomic_add v[5:6], v3
    v_mul_u32_u24 v4, v2, v3
";
    let directory = directory("why-fault-atomic");
    let kernel = KERNEL.replace("    v_mul_u32_u24 v4, v2, v3\n", ATOMIC);
    assert_ne!(kernel, KERNEL);
    fs::write(directory.join("k.s"), kernel).expect("written");
    fs::write(directory.join("right.s"), KERNEL).expect("written");
    let fault = "with a fault: it atomically updates 4 bytes at address 0x";
    for (arguments, status) in [
        (&["why", "launch.toml", "out[3]"][..], 0),
        (&["why", "launch.toml", "--against", "right.s"], 3),
    ] {
        let ran = gcn(&directory, arguments).output().expect("gcn starts");
        assert_status(&ran, status);
        assert!(stdout(&ran).contains(fault), "{}", stdout(&ran));
    }
}

#[test]
fn compilers_and_targets_are_compared_by_values() {
    const SOURCE: &str = "\
kernel void k(global const uint *a, global uint *out) {
    local uint sums[64];
    uint i = get_global_id(0);
    uint sum = 1;
    for (uint k = 0; k < 4; k++)
        sum += a[(i + k) & 63] * (k + 3);
    sums[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint other = sums[63 - get_local_id(0)];
    uint shifted = sum << SHIFT;
    out[i] = (shifted ^ other) + 7;
}
";
    let directory = scratch("why-against-compiled");
    fs::write(directory.join("k.cl"), SOURCE).expect("written");
    let launch = "file = \"k.cl\"\ndefine = [\"SHIFT=4\"]\ngrid = 64\n\
                  args = { a = \"u32*64:random(1)\", out = \"u32*64\" }\n";
    fs::write(directory.join("launch.toml"), launch).expect("written");
    for target in ["gfx803", "gfx900"] {
        for other in [
            &["--against=-O0"][..],
            &["--against=--target=gfx906"],
            &["--against=--clang=clang-19"],
            &["--against=--target=gfx700", "--against=-O1"],
        ] {
            let options = ["launch.toml", "--target", target];
            let report = compared(&directory, &[&options, other].concat(), 0);
            assert_eq!(report["compared"], 64);
            let wrong = [&options, other, &["--against=-DSHIFT=3"]].concat();
            let report = compared(&directory, &wrong, 3);
            // Both runs name the line of the shift, and its operand agrees.
            for run in 0..2 {
                let steps = report["runs"][run]["instructions"].as_array();
                let steps = steps.expect("a list");
                let shift = steps.iter().find(|it| it["line"] == 10);
                let shift = shift.unwrap_or_else(|| panic!("{target} {other:?}: {report:#}"));
                let read = shift["read"].as_array().expect("a list");
                let mut data = read.iter().filter(|it| it["kind"] == "data");
                assert!(data.any(|it| it["agrees"] == true), "{shift:#}");
            }
        }
    }
}
