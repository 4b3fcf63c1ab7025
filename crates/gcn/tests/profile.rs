//! Tests of `gcn run --profile`, its formats and output files, and of `--dump-code`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gcn_emu::run::Level;
use serde_json::Value;

/// Kernel with an instruction that no wave executes, and a name that must be escaped in HTML.
const KERNEL: &str = "
.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"
.globl \"a<b\"
.p2align 8
.type \"a<b\",@function
\"a<b\":
    v_lshlrev_b32 v1, 3, v0
    ds_read_b32 v2, v1
    s_branch end
    v_mov_b32 v3, 0
end:
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel \"a<b\"
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Runs two waves of the kernel.
fn run(name: &str, options: &[&str]) -> Output {
    let kernel = path(name);
    fs::write(&kernel, KERNEL).expect("the directory can be written");
    Command::new(env!("CARGO_BIN_EXE_gcn"))
        .arg("run")
        .arg(kernel)
        .args(["--grid", "128", "--group", "64"])
        .args(options)
        .output()
        .expect("gcn runs")
}

/// Runs the kernel with a profile, and returns the contents of the file.
fn profiled(name: &str, options: &[&str]) -> String {
    let file = path(name);
    // An old profile must not pass for a new one.
    let _ = fs::remove_file(&file);
    let mut all = vec!["--profile", file.to_str().expect("a path in UTF-8")];
    all.extend(options);
    let output = run(&format!("{name}.s"), &all);
    assert!(output.status.success(), "{}", text(&output.stderr));
    fs::read_to_string(&file).expect("the profile was written")
}

#[test]
fn text_has_the_hottest_first_and_totals() {
    let profile = profiled("profile.txt", &[]);
    let lines: Vec<&str> = profile.lines().collect();
    assert_eq!(
        lines[0],
        "kernel a<b: 1 dispatch, 2 workgroups, 2 waves, 10 instructions executed"
    );
    assert_eq!(
        lines[1],
        "  by class: valu 2 (20.0%), lds 2 (20.0%), branch 2 (20.0%), wait 2 (20.0%), control 2 (20.0%)"
    );
    assert!(lines.contains(&"  active lanes: 64.0 of 64 in a vector instruction"));
    assert!(lines.contains(&"  LDS: 4 cycles of bank conflicts"));
    let row = lines.iter().find(|line| line.contains("ds_read_b32"));
    let row: Vec<&str> = row.expect("a row").split_whitespace().collect();
    assert_eq!(row[..5], ["2", "20.0%", "64.0", "-", "4"]);
    assert!(!profile.contains("v_mov_b32"));
}

#[test]
fn json_has_every_count() {
    for (name, options) in [
        ("profile.json", &[][..]),
        ("profile-json.txt", &["--profile-format", "json"]),
    ] {
        let profile: Value = serde_json::from_str(&profiled(name, options)).expect("JSON");
        assert_eq!(profile["version"], 1);

        let kernel = &profile["kernels"][0];
        assert_eq!(kernel["name"], "a<b");
        assert_eq!(kernel["target"], "gfx900");
        assert_eq!(kernel["waves"], 2);
        assert_eq!(kernel["executions"], 10);
        assert_eq!(kernel["classes"]["lds"], 2);
        let instructions = kernel["instructions"].as_array().expect("a list");
        assert_eq!(instructions.len(), 5);
        let load = &instructions[1];
        assert_eq!(load["instruction"], "ds_read_b32 v2, v1");
        assert_eq!(load["place"], "a<b+0x4");
        assert_eq!(load["class"], "lds");
        assert_eq!(load["executions"], 2);
        assert_eq!(load["active_lanes"], 128);
        assert_eq!(load["bytes"], 512);
        assert_eq!(load["bank_conflicts"], 4);
        assert_eq!(load["cache_lines"], 0);
        // The instruction that no wave executes.
        assert_eq!(instructions[3]["skipped_bytes"], 4);
    }
}

#[test]
fn a_page_is_complete_and_escaped() {
    let page = profiled("profile.html", &[]);
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.ends_with("</html>\n"));
    assert!(page.contains("a&lt;b") && !page.contains("a<b"), "{page}");
    assert!(page.contains("4 bytes that no wave has executed"));
    for outside in ["http:", "https:", "src=", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn repetitions_and_launch_files_count_together() {
    let kernel = path("profile-launch.s");
    fs::write(&kernel, KERNEL).expect("the directory can be written");
    let launch = path("profile-launch.toml");
    let keys = "file = \"profile-launch.s\"\ngrid = 64\nrepeat = 3\n\
                profile = \"profile-launch.out\"\nprofile_format = \"json\"\n";
    fs::write(&launch, keys).expect("the directory can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    let output = command.arg("run").arg(&launch).output().expect("gcn runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let profile = fs::read(path("profile-launch.out")).expect("beside the launch file");
    let profile: Value = serde_json::from_slice(&profile).expect("JSON");
    assert_eq!(profile["kernels"][0]["dispatches"], 3);
    assert_eq!(profile["kernels"][0]["executions"], 15);
}

#[test]
fn standard_output_has_one_thing() {
    let output = run("profile-stdout.s", &["--profile", "-"]);
    assert!(text(&output.stdout).starts_with("kernel a<b: "));
    let both = run("profile-both.s", &["--profile", "-", "--json"]);
    assert_eq!(both.status.code(), Some(1), "{both:?}");
    let message = "--profile cannot use standard output, which is for --json";
    assert!(text(&both.stdout).contains(message), "{both:?}");
}

#[test]
fn inputs_are_not_overwritten() {
    let kernel = path("profile-input.s");
    let name = kernel.to_str().expect("a path in UTF-8");
    let output = run("profile-input.s", &["--profile", name]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("is the input"), "{output:?}");
    assert_eq!(fs::read_to_string(&kernel).expect("it is there"), KERNEL);
}

#[test]
fn host_code_is_listed_with_the_instructions_that_it_executes() {
    let file = path("host-code.txt");
    let _ = fs::remove_file(&file);
    let name = file.to_str().expect("a path in UTF-8");
    let output = run(
        "host-code.s",
        &["--engine", "compiled", "--dump-code", name],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let listing = fs::read_to_string(&file).expect("the listing was written");
    if Level::current() < Level::Avx2 || !cfg!(all(unix, target_arch = "x86_64")) {
        assert_eq!(listing, "; a<b: no host code\n");
        return;
    }
    let steps = ["v_lshlrev_b32_e32 v1, 3, v0", "ds_read_b32 v2, v1"];
    let has_steps = |block: &&str| steps.iter().all(|step| block.contains(step));
    let first_block = listing.split("block of").find(has_steps).expect(&listing);
    let vectors = if Level::current() < Level::Avx512 {
        "vpslld ymm"
    } else {
        "vpslld zmm"
    };
    assert!(first_block.contains(vectors), "{first_block}");
    let interpreted = run(
        "no-host-code.s",
        &["--engine", "interpreter", "--dump-code", "-"],
    );
    assert_eq!(text(&interpreted.stdout), "; a<b: no host code\n");
    let both = run("host-code-both.s", &["--dump-code", "-", "--json"]);
    assert!(
        text(&both.stdout).contains("--dump-code cannot use standard output, which is for --json")
    );
    let nowhere = run("host-code-nowhere.s", &["--dump-code", "/nowhere/code.txt"]);
    assert!(text(&nowhere.stderr).contains("there is no directory /nowhere"));
}
