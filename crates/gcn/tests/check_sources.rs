//! Tests of findings of `gcn check` in kernels compiled by the system's Clang: source lines, and wording in terms of
//! OpenCL C and HIP.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// Kernels with races in LDS (between several instructions of the same two lines) and in global memory, and a kernel
/// with a load that the compiler merges from two branches.
const OPENCL: &str = "\
kernel void unrolled(global int *out, global const int *in) {
  local int tile[512];
  size_t i = get_local_id(0);
  for (int k = 0; k < 4; k++)
    tile[i + 128 * k] = in[i + 128 * k];
  int sum = 0;
  for (int k = 0; k < 4; k++)
    sum += tile[(i + 64 + 128 * k) % 512];
  out[i] = sum;
}

kernel void merged(global int *out, global const int *in, int c) {
  size_t i = get_global_id(0);
  int v;
  if (c > 3)
    v = in[i + 64] * 2;
  else
    v = in[i + 64] + 7;
  out[i] = v;
}

kernel void shared(global int *sums) {
  sums[get_local_id(1)] = get_global_id(0);
}

kernel void first(global int *x) {
  x[0] = get_local_id(0);
}
";

const HIP: &str = "\
__global__ void tile(int *out) {
  __attribute__((shared)) int part[128];
  int i = __builtin_amdgcn_workitem_id_x();
  part[i] = i;
  out[i] = part[(i + 64) % 128];
}

__global__ void shared(int *sums) {
  sums[__builtin_amdgcn_workitem_id_y()] = __builtin_amdgcn_workgroup_id_x();
}
";

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the directory can be written");
    path
}

/// Runs `gcn check` on one thread. Options are separated by spaces.
fn check(source: &Path, options: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command.arg("check").arg(source).args(["--threads", "1"]);
    command.args(options.split_whitespace());
    command.output().expect("gcn runs")
}

/// Standard error of `gcn check`.
fn text(source: &Path, options: &str) -> String {
    let output = check(source, options);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Findings of `gcn check`.
fn found(source: &Path, options: &str) -> Vec<Value> {
    let output = check(source, &format!("{options} --json"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["findings"].as_array().expect("a list").clone()
}

const UNROLLED: &str = "--kernel unrolled --target gfx900 --only races --grid 128 --group 128 --arg out=i32*128 --arg in=i32*512";
const MERGED: &str = "--kernel merged --target gfx900 --only bounds --grid 128 --group 128 --arg out=i32*128 --arg in=i32*128 --arg c=1";
const SHARED: &str =
    "--kernel shared --target gfx900 --only races --grid 8,16 --group 4,16 --arg sums=i32*16";

#[test]
fn instructions_of_the_same_lines_are_one_finding() {
    let source = file("same-lines.cl", OPENCL);
    let findings = found(&source, UNROLLED);
    let [finding] = &findings[..] else {
        panic!("{findings:?}");
    };
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&json!(8), &json!(12))
    );
    assert_eq!(finding["sides"][0]["line"], 5);
    let pairs = finding["instructions"].as_u64().expect("a number");
    assert!((2..=16).contains(&pairs), "{finding}");
    let errors = text(&source, UNROLLED);
    let note = format!("= note: reported once for {pairs} pairs of instructions on these lines");
    assert!(errors.contains(&note), "{errors}");
    // The pairs count as one finding toward the limit and for suppressions, too.
    let errors = text(&source, &format!("{UNROLLED} --stop-at 2"));
    assert!(errors.ends_with("1 error\n"), "{errors}");
    let known = Path::new(env!("CARGO_TARGET_TMPDIR")).join("same-lines.toml");
    let known = known.to_str().expect("UTF-8");
    check(
        &source,
        &format!("{UNROLLED} --gen-suppressions --output {known}"),
    );
    let errors = text(&source, &format!("{UNROLLED} --suppress {known}"));
    assert!(errors.ends_with("no findings\n"), "{errors}");
}

#[test]
fn an_instruction_without_a_line_has_the_nearest() {
    let source = file("nearest-line.cl", OPENCL);
    let findings = found(&source, MERGED);
    let [finding] = &findings[..] else {
        panic!("{findings:?}");
    };
    assert_eq!(finding["is_nearest_line"], true, "{finding}");
    let line = finding["line"].as_u64().expect("a number");
    assert!((12..=19).contains(&line), "{finding}");
    let errors = text(&source, MERGED);
    assert!(
        errors.contains(&format!("nearest-line.cl:{line}:")),
        "{errors}"
    );
    let note =
        "which has no line of its own: the nearest is shown, workgroup 0,0,0, wave 1, lane 0";
    assert!(errors.contains(note), "{errors}");
    let own = found(&source, UNROLLED);
    assert_eq!(own[0]["is_nearest_line"], false, "{own:?}");
}

#[test]
fn findings_in_opencl_are_in_its_terms() {
    let source = file("terms.cl", OPENCL);
    let errors = text(&source, UNROLLED);
    for part in [
        "= help: `barrier(CLK_LOCAL_MEM_FENCE)` between the accesses\n",
        // This kernel does not request global IDs.
        "wave 1, lane 0, local id 64,0,0\n",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let errors = text(&source, &format!("{SHARED} --offset 100,20"));
    let help = "help: an atomic function, such as `atomic_fetch_add`, for both accesses";
    assert!(errors.contains(help), "{errors}");
    let first = "--kernel first --target gfx900 --only races --grid 128 --group 128 --arg x=i32*1";
    let errors = text(&source, first);
    let help = "help: `barrier(CLK_GLOBAL_MEM_FENCE)` between the accesses\n";
    assert!(errors.contains(help), "{errors}");
    let findings = found(&source, &format!("{SHARED} --offset 100,20"));
    for finding in &findings {
        let ids = |name: &str| -> Vec<u64> {
            let ids = finding[name].as_array().expect("the lane is known").iter();
            ids.map(|id| id.as_u64().expect("a number")).collect()
        };
        let (group, local, global) = (ids("workgroup"), ids("local_id"), ids("global_id"));
        assert_eq!(global[0], 100 + 4 * group[0] + local[0], "{finding}");
        assert_eq!(global[1], 20 + local[1], "{finding}");
        let lane = finding["lane"].as_u64().expect("a number");
        assert_eq!(local[0] + 4 * local[1], lane, "{finding}");
        assert_eq!(finding["arguments"], json!(["sums"]), "{finding}");
    }
}

#[test]
fn findings_in_hip_are_in_its_terms() {
    let source = file("terms.hip", HIP);
    let options =
        "--kernel tile --target gfx900 --only races --grid 128 --group 128 --arg 0=i32*128";
    let errors = text(&source, options);
    for part in [
        "= help: `__syncthreads()` between the accesses\n",
        ", blockIdx 0,0,0, threadIdx ",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let options =
        "--kernel shared --target gfx900 --only races --grid 8,16 --group 4,16 --arg 0=i32*16";
    let errors = text(&source, options);
    assert!(
        errors.contains("such as `atomicAdd`, for both accesses"),
        "{errors}"
    );
}

#[test]
fn an_access_that_ends_the_run_is_reported_once() {
    let source = file("once.cl", OPENCL);
    let errors = text(&source, MERGED);
    assert_eq!(
        errors.matches("which no allocation holds").count(),
        1,
        "{errors}"
    );
    assert!(!errors.contains("unmapped address"), "{errors}");
    let brief = "error[unmapped-access]: kernel merged ended at the access of the finding global-out-of-bounds\n1 error\n";
    assert!(errors.ends_with(brief), "{errors}");
    assert_eq!(check(&source, MERGED).status.code(), Some(4));
    // A finding written to a file or suppressed does not replace the fault's report.
    let known = file(
        "once.toml",
        "[[suppress]]\nname = \"global-out-of-bounds\"\n",
    );
    for options in [
        format!(
            "{MERGED} --output {}",
            source.with_extension("txt").display()
        ),
        format!("{MERGED} --suppress {}", known.display()),
    ] {
        let errors = text(&source, &options);
        assert!(
            errors.contains("loads 4 bytes at unmapped address"),
            "{errors}"
        );
    }
    let output = check(&source, &format!("{MERGED} --json"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["fault"]["name"], "unmapped-access", "{report}");
}
