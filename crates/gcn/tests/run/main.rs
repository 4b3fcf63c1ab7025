//! Tests of `gcn run` from a user's perspective: results, messages and exit statuses. Kernels are tested in
//! `tests/kernels`.

mod arguments;
mod compile_cache;
mod faults;
mod launches;
mod outcomes;
mod programs;
mod results;
mod multi_launch;
mod sources;
mod argument_types;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Exit statuses, documented in docs/launch.md.
const GOOD: i32 = 0;
const BAD_INPUT: i32 = 1;
const BAD_USAGE: i32 = 2;
const DIFFERENCE: i32 = 3;
const FAULT: i32 = 4;
const TIMEOUT: i32 = 124;

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Creates an empty directory for a test.
fn scratch(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("run")
        .join(test);
    let _ = fs::remove_dir_all(&path); // May not exist.
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// Exit status and output of a run.
struct RunResult {
    status: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for RunResult {
    fn from(output: Output) -> RunResult {
        let text = |bytes| String::from_utf8(bytes).expect("text");
        RunResult {
            status: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

fn run_in(directory: &Path, arguments: &[&str]) -> RunResult {
    gcn_in(directory, &[&["run"], arguments].concat())
}

fn gcn_in(directory: &Path, arguments: &[&str]) -> RunResult {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command
        .current_dir(directory)
        .args(arguments)
        .stdin(Stdio::null());
    command.output().expect("gcn starts").into()
}

/// Combines valid options with `others`, which replace arguments of the same name.
fn replaced<'a>(good: &[&'a str], others: &[&'a str]) -> Vec<&'a str> {
    let name = |pair: &[&'a str]| match pair {
        ["--arg", given] => given.split('=').next(),
        _ => None,
    };
    let is_given = |pair: &[&'a str]| {
        let own = name(pair);
        own.is_some() && others.windows(2).any(|other| name(other) == own)
    };
    let (file, options) = good.split_at(1);
    let kept = options.chunks(2).filter(|pair| !is_given(pair)).flatten();
    file.iter().chain(kept).chain(others).copied().collect()
}

/// Runs `plain.s` with valid arguments, overridden by those given.
fn plain(arguments: &[&str]) -> RunResult {
    const GOOD: [&str; 9] = [
        "plain.s",
        "--grid",
        "4",
        "--arg",
        "pad=u8:9",
        "--arg",
        "a=u32:10",
        "--arg",
        "out=u32*4",
    ];
    run_in(&kernels(), &replaced(&GOOD, arguments))
}

/// Runs `saxpy.s` of the examples, which has metadata, with valid arguments, overridden by those given.
fn saxpy(arguments: &[&str]) -> RunResult {
    const GOOD: [&str; 9] = [
        "saxpy/saxpy.s",
        "--arg",
        "count=4",
        "--arg",
        "a=2",
        "--arg",
        "xs=1,2,3,4",
        "--arg",
        "ys=f32*4",
    ];
    run_in(&examples(), &replaced(&GOOD, arguments))
}

/// Source of a kernel that executes these instructions and ends.
fn kernel_of(instructions: &str, target: &str) -> String {
    format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n{instructions}\n\
         s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 8\n\
         .end_amdhsa_kernel\n"
    )
}

/// Metadata for [`kernel_of`], with additional attributes of the kernel.
fn metadata(workgroups: &str) -> String {
    format!(
        ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    \
         .kernarg_segment_size: 0\n    .kernarg_segment_align: 4\n    .group_segment_fixed_size: 0\n    \
         .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 8\n    .vgpr_count: 4\n    \
         {workgroups}\n...\n.end_amdgpu_metadata\n"
    )
}
