//! Times the HIP and OpenCL benchmark kernels, alternating between a program and `gcn run`.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Kernels with their arguments for `gcn run`, which match tests/hip/bench/runtime.hip and
/// tests/opencl/bench/runtime.c.
const KERNELS: [(&str, &[&str]); 2] = [
    ("polynomial", &["xs=f32*65536", "rounds=u32:1000"]),
    (
        "smooth",
        &["ys=f32*65536", "xs=f32*65536", "rounds=u32:200"],
    ),
];
/// Prefix of output lines that contain kernel times.
const KERNEL: &str = "kernel ";
/// Number of runs of the program and of `gcn run`; the fastest counts.
const RUNS: u32 = 5;

/// Runs a program that times the kernels, alternating with `gcn run` on the same kernels in `code`, and prints the
/// fastest times of both. Returns the other lines of the program's first run.
///
/// # Errors
/// Fails if a command fails, or prints no time.
pub(crate) fn compare(
    program: &mut Command,
    name: &str,
    gcn: &Path,
    code: &Path,
) -> Result<String> {
    let mut others = String::new();
    // Runs alternate, so that other load on the machine affects both alike.
    let mut fastest = [[f64::INFINITY; 2]; KERNELS.len()];
    for round in 0..RUNS {
        let output = output(program)?;
        if round == 0 {
            let lines = output.lines().filter(|line| !line.starts_with(KERNEL));
            lines.for_each(|line| others.extend([line, "\n"]));
        }
        for ((kernel, arguments), [by_program, by_run]) in KERNELS.into_iter().zip(&mut fastest) {
            let seconds = value(&output, &format!("{KERNEL}{kernel}: "))?;
            *by_program = by_program.min(seconds);
            *by_run = by_run.min(seconds_of_run(gcn, code, kernel, arguments)?);
        }
    }
    for ((kernel, _), [by_program, by_run]) in KERNELS.into_iter().zip(fastest) {
        println!(
            "kernel {kernel}: {by_program:.6} s by {name}; {:.2} of its speed by gcn run, {by_run:.6} s",
            by_run / by_program
        );
    }
    Ok(others)
}

/// Parses the number after a label at the start of a line.
///
/// # Errors
/// Fails if the label or its number is missing.
pub(crate) fn value(output: &str, label: &str) -> Result<f64> {
    let found = output.lines().find_map(|line| line.strip_prefix(label));
    let found = found.and_then(number);
    found.with_context(|| format!("the program prints no number behind `{label}`"))
}

/// Runs a kernel with `gcn run`, and returns its run time in seconds.
fn seconds_of_run(gcn: &Path, code: &Path, kernel: &str, arguments: &[&str]) -> Result<f64> {
    let report = output(
        Command::new(gcn)
            .args(["run", "--json", "--target", "gfx906", "--kernel", kernel])
            .args(["--grid", "65536", "--group", "256"])
            .args(arguments.iter().flat_map(|argument| ["--arg", argument]))
            .arg(code),
    )?;
    let field = report.split_once("\"seconds\":");
    let seconds = field.and_then(|(_, rest)| number(rest));
    seconds.context("the report of gcn run has no time")
}

/// Parses the number at the start of a string.
fn number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let is_part = |c: char| c.is_ascii_digit() || ".eE+-".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Runs a command and returns its standard output. Standard error is inherited.
fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
