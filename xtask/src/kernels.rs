//! Kernels of the benchmarks of HIP and OpenCL, timed in a program and by `gcn run` in turns.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The kernels, and the arguments that `gcn run` launches them with: those of tests/hip/bench/runtime.hip and tests/opencl/bench/runtime.c.
const KERNELS: [(&str, &[&str]); 2] = [
    ("polynomial", &["xs=f32*65536", "rounds=u32:1000"]),
    (
        "smooth",
        &["ys=f32*65536", "xs=f32*65536", "rounds=u32:200"],
    ),
];
/// The begin of a line of a program about a kernel.
const KERNEL: &str = "kernel ";
/// Runs of the program, and by `gcn run`, the fastest of which counts.
const RUNS: u32 = 5;

/// Runs a program that times the kernels, in turns with `gcn run` of the same in `code`, and prints the fastest times of both; the
/// lines of the program's first run that are about anything else.
///
/// # Errors
/// Something fails, or prints no time.
pub(crate) fn compare(
    program: &mut Command,
    name: &str,
    gcn: &Path,
    code: &Path,
) -> Result<String> {
    let mut others = String::new();
    // In turns, so that what else the machine does slows both down alike.
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

/// The number behind a label, at the beginning of a line.
///
/// # Errors
/// There is none.
pub(crate) fn value(output: &str, label: &str) -> Result<f64> {
    let found = output.lines().find_map(|line| line.strip_prefix(label));
    let found = found.and_then(number);
    found.with_context(|| format!("the program prints no number behind `{label}`"))
}

/// Seconds of a launch by `gcn run` of a kernel in a file of code.
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
