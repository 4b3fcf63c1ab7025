//! Tests of `gcn check` for undefined buffer elements that the host prints, saves or compares.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Kernel `NAME` with the instructions `BODY`. s[4:5] has the address of its buffer, and v1 the lane's byte offset.
const KERNEL: &str = "
.text
.globl NAME
.p2align 8
.type NAME,@function
NAME:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    s_waitcnt lgkmcnt(0)
    BODY
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel NAME
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
";

const KERNELS: [(&str, &str); 5] = [
    ("clear", "global_store_dword v1, v2, s[4:5]"),
    ("count", "global_atomic_add v1, v0, s[4:5]"),
    (
        "copy",
        "global_load_dword v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n global_store_dword v1, v2, s[4:5]",
    ),
    (
        "half",
        "s_mov_b32 exec_hi, 0\n global_store_dword v1, v0, s[4:5]",
    ),
    ("beyond", "global_store_dword v1, v0, s[4:5] offset:256"),
];

/// Writes a file to the tests' directory.
fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the directory can be written");
    path
}

/// Runs kernels on an undefined buffer `xs` of 64 elements, with further options in TOML. Returns the names of the
/// findings.
fn found(case: &str, kernels: &[&str], rest: &str) -> Vec<String> {
    let text = |(name, body): &(&str, &str)| KERNEL.replace("NAME", name).replace("BODY", body);
    let kernels_text: String = KERNELS.iter().map(text).collect();
    let source = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n".to_owned() + &kernels_text;
    let name = format!("results-{case}.s");
    file(&name, &source);
    let launch = |kernel: &&str| format!("[[launch]]\nkernel = \"{kernel}\"\nargs = [\"xs\"]\n");
    let launches: String = kernels.iter().map(launch).collect();
    let text = format!(
        "file = \"{name}\"\ngrid = 64\n{rest}\n[buffers]\nxs = \"u32*64:undefined\"\n{launches}"
    );
    let launches = file(&format!("results-{case}.toml"), &text);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command.arg("check").arg(launches);
    command.args(["--only", "uninit", "--format", "json"]);
    let output = command.output().expect("gcn runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("there are findings");
    let name = |finding: &serde_json::Value| {
        let kernel = finding["kernel"].as_str().unwrap_or_default();
        let name = finding["name"].as_str().unwrap_or_default();
        format!("{kernel}: {name}")
    };
    findings.iter().map(name).collect()
}

#[test]
fn results_must_be_defined() {
    const PRINT: &str = "print = [\"xs\"]";
    let stored = "count: uninitialized-result";
    let unwritten = "half: unwritten-result";
    let expect = "expect = [\"xs=u32*64:iota\"]";
    let saved = file("results.bin", "");
    let save = format!("save = [{:?}]", format!("xs={}", saved.display()));
    for (case, kernels, rest, expected) in [
        ("printed", &["count"][..], PRINT, &[stored][..]),
        ("cleared", &["clear", "count"], PRINT, &[]),
        ("half", &["half"], PRINT, &[unwritten]),
        ("part", &["half"], "print = [\"xs[0..32]\"]", &[]),
        ("rest", &["half"], "print = [\"xs[31..33]\"]", &[unwritten]),
        ("both", &["count", "half"], PRINT, &[stored]),
        ("compared", &["half"], expect, &[unwritten]),
        ("any", &["half"], "expect = [\"xs=u32*64:iota~any\"]", &[]),
        ("saved", &["half"], &save, &[unwritten]),
        ("copied", &["copy"], "", &[]),
        ("unread", &["count", "half"], "", &[]),
        // The run ends in a fault, and has no results.
        ("fault", &["half", "beyond"], PRINT, &[]),
    ] {
        assert_eq!(found(case, kernels, rest), expected, "{case}");
    }
}
