//! Builds the libraries of emulated devices, `libhsa-runtime64.so.1` and `libgcn_opencl.so`, and times HIP.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};

use crate::{install, run};

#[path = "../../crates/gcn-hsa/link.rs"]
mod link;

/// File name of the OpenCL platform's library.
pub(crate) const OPENCL: &str = "libgcn_opencl.so";

/// Builds the libraries with a profile of cargo's, in the build directory, where `gcn exec` of the same profile finds them; the
/// path of HIP's.
///
/// # Errors
/// One cannot be built or linked.
pub(crate) fn build(profile: &str) -> Result<PathBuf> {
    build_with(profile, &[])
}

/// As [`build`], together with other packages: cargo compiles what they share once, with the features that all of them ask for.
///
/// # Errors
/// As those of [`build`].
pub(crate) fn build_with(profile: &str, others: &[&str]) -> Result<PathBuf> {
    run(Command::new(env!("CARGO"))
        .args(["build", "--locked", "--profile", profile])
        .args(["--package", "gcn-hsa", "--package", "gcn-opencl"])
        .args(others.iter().flat_map(|other| ["--package", other])))?;
    let directory = target_directory().join(match profile {
        "dev" => "debug",
        other => other,
    });
    let library = directory.join("gcn-hsa").join(link::LIBRARY);
    link::link(&directory.join("libgcn_hsa.a"), &library).map_err(|problem| anyhow!(problem))?;
    let opencl = library.with_file_name(OPENCL);
    install::replace(&directory.join(OPENCL), &opencl)?;
    for library in [&library, &opencl] {
        println!("{}", library.display());
    }
    Ok(library)
}

/// The kernels of the benchmark, and the arguments that `gcn run` launches them with: those of tests/hip/bench/runtime.hip.
const KERNELS: [(&str, &[&str]); 2] = [
    ("polynomial", &["xs=f32*65536", "rounds=u32:1000"]),
    (
        "smooth",
        &["ys=f32*65536", "xs=f32*65536", "rounds=u32:200"],
    ),
];
/// The begin of a line of that program about a kernel.
const KERNEL: &str = "kernel ";
/// Runs of the program, and by `gcn run`, the fastest of which counts.
const RUNS: u32 = 5;

/// Times kernels and what is around them, with the library of the release profile, and the kernels with `gcn run`.
///
/// # Errors
/// Something cannot be built, or fails.
pub(crate) fn bench() -> Result<()> {
    let library = build_with("release", &["gcn"])?;
    let directory = library.parent().unwrap_or(Path::new("."));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hip/bench/runtime.hip");
    let program = directory.join("runtime");
    run(Command::new("hipcc")
        .args(["-O2", "--offload-arch=gfx906", "-o"])
        .arg(&program)
        .arg(source))?;
    let gcn = directory.parent().unwrap_or(directory).join("gcn");
    // In turns, so that what else the machine does slows both down alike.
    let mut fastest = [[f64::INFINITY; 2]; KERNELS.len()];
    for round in 0..RUNS {
        let output = output(Command::new(&program).env("LD_LIBRARY_PATH", directory))?;
        let is_of_kernel = |line: &&str| line.starts_with(KERNEL);
        if round == 0 {
            let lines = output.lines().filter(|line| !is_of_kernel(line));
            lines.for_each(|line| println!("{line}"));
        }
        for ((kernel, arguments), [by_hip, by_run]) in KERNELS.into_iter().zip(&mut fastest) {
            let label = format!("{KERNEL}{kernel}: ");
            let seconds = output.lines().find_map(|line| line.strip_prefix(&label));
            let seconds = seconds.and_then(number);
            let seconds = seconds.with_context(|| format!("the program does not time {kernel}"))?;
            *by_hip = by_hip.min(seconds);
            *by_run = by_run.min(seconds_of_run(&gcn, &program, kernel, arguments)?);
        }
    }
    for ((kernel, _), [by_hip, by_run]) in KERNELS.into_iter().zip(fastest) {
        println!(
            "kernel {kernel}: {by_hip:.6} s; {:.2} of its speed by gcn run, {by_run:.6} s",
            by_run / by_hip
        );
    }
    run(Command::new(env!("CARGO"))
        .args(["bench", "--quiet", "--locked", "--profile", "release"])
        .args(["--package", "gcn-hsa", "--bench", "packets"]))
}

/// Seconds of a launch by `gcn run` of a kernel in the program.
fn seconds_of_run(gcn: &Path, program: &Path, kernel: &str, arguments: &[&str]) -> Result<f64> {
    let report = output(
        Command::new(gcn)
            .args(["run", "--json", "--target", "gfx906", "--kernel", kernel])
            .args(["--grid", "65536", "--group", "256"])
            .args(arguments.iter().flat_map(|argument| ["--arg", argument]))
            .arg(program),
    )?;
    let field = report.split_once("\"seconds\":");
    let seconds = field.and_then(|(_, rest)| number(rest));
    seconds.context("the report of gcn run has no time")
}

/// The number that a text begins with.
fn number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let is_part = |c: char| c.is_ascii_digit() || ".eE+-".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Standard output of a command, whose standard error is this program's.
fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The build directory: this program is in one of its subdirectories.
fn target_directory() -> PathBuf {
    let own = std::env::current_exe().ok();
    let target = own.as_deref().and_then(|own| own.parent()?.parent());
    target.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        Path::to_owned,
    )
}
