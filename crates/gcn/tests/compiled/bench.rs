//! Benchmarks: run times of kernels with `gcn` and with OpenCL on the host, measured alternately so that changes in the
//! machine's speed cancel out. Also memory use and start-up time.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Instant;

use serde::Deserialize;

use crate::case::{self, Case, Purpose};
use crate::compile::{self, COMPILERS};
use crate::emulate::{self, GCN, Mode};
use crate::measure::measure;
use crate::{Build, bench_check, compare, reference, say};

/// Build that is timed.
pub const BUILD: Build = Build {
    compiler: COMPILERS[1],
    level: "-O2",
    target: "gfx900",
};
/// Number of runs of a kernel per tool; the fastest is used.
const RUNS: usize = 5;
/// Number of runs on two threads for each run on one. Other load on the machine disturbs runs on two threads more.
const RUNS_OF_TWO: usize = 2;
/// Number of runs of each kernel with each `gcn` in a comparison of two.
const RUNS_BESIDE: usize = 8;
/// Number of runs of commands that take milliseconds.
const SHORT_RUNS: usize = 30;
/// Number of work-items in a grid for measuring memory use.
const HUGE_GRID: u32 = 1 << 28;
/// Number of kernels, and of instructions in each, in a 100 KiB code object for measuring the start-up time.
const KERNELS: usize = 64;
const INSTRUCTIONS: usize = 400;

/// Fields of `gcn run --json` used by the benchmark.
#[derive(Deserialize)]
pub struct Report {
    /// Number of executed wave instructions.
    instructions: u64,
    /// Time of the kernels alone, in seconds.
    pub seconds: f64,
}

impl Report {
    /// Sums the concatenated reports of several runs.
    pub fn of_all(printed: &str) -> Result<Report, String> {
        let mut all = Report {
            instructions: 0,
            seconds: 0.0,
        };
        for report in serde_json::Deserializer::from_str(printed).into_iter() {
            let report: Report = report.map_err(|error| error.to_string())?;
            all.instructions += report.instructions;
            all.seconds += report.seconds;
        }
        Ok(all)
    }
}

/// Benchmark that prints its result.
type Measurement = fn() -> Result<(), String>;

/// Option for timing kernels under `gcn check`. The arguments after it select the kernels.
const CHECK: &str = "--check";

/// Option for comparing with another `gcn`, such as one built before a change. Runs of the two alternate.
pub const BESIDE: &str = "--beside";

/// Runs the benchmarks whose names contain the argument: kernels, `memory` and `start`; all by default. With
/// [`BESIDE`] and the path of another `gcn`, only compares kernel times of both.
pub fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let arguments: Vec<String> = arguments.collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let measured = match words[..] {
        [BESIDE, other] => beside("", other),
        [] => all(""),
        [CHECK, ref rest @ ..] => bench_check::main(rest),
        [filter, BESIDE, other] => beside(filter, other),
        [filter] if !filter.starts_with('-') => all(filter),
        _ => Err(format!("usage: [FILTER] [{BESIDE} GCN]")),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn all(filter: &str) -> Result<(), String> {
    let others: [(&str, Measurement); 2] = [("memory", memory), ("start", start)];
    let mut others = others.iter().filter(|(name, _)| name.contains(filter));
    table(filter)?;
    others.try_for_each(|(_, run)| run())
}

/// Compares kernel times of this `gcn` with those of another one, on one thread. Runs of the two alternate.
fn beside(filter: &str, other: &str) -> Result<(), String> {
    say(&format!(
        "Seconds of the kernel itself on one thread, the best of {RUNS_BESIDE} runs in turns; {BUILD}. Beside: {other}."
    ));
    say(&format!(
        "{:16} {:>8} {:>8} {:>10} {:>8}",
        "kernel", "M/s", "gcn s", "beside s", "speed"
    ));
    for case in case::all(Purpose::Bench)? {
        if !case.name.contains(filter) {
            continue;
        }
        let object = compile::build(&case, BUILD)?.object;
        let run = |gcn: &str| -> Result<Report, String> {
            let options = ["--threads", "1", "--json"];
            let emulated = emulate::emulate(gcn, Mode::Run, &case, &object, "bench", &options)
                .map_err(|error| format!("{}: {error}", case.name))?;
            Report::of_all(&emulated.results.printed)
        };
        let [mut ours, mut theirs] = [f64::INFINITY; 2];
        let mut instructions = 0;
        for _ in 0..RUNS_BESIDE {
            let report = run(GCN)?;
            instructions = report.instructions;
            ours = ours.min(report.seconds);
            theirs = theirs.min(run(other)?.seconds);
        }
        say(&format!(
            "{:16} {:>8.1} {ours:>8.3} {theirs:>10.3} {:>8.2}",
            case.name,
            instructions as f64 / ours / 1e6,
            theirs / ours,
        ));
    }
    Ok(())
}

fn table(filter: &str) -> Result<(), String> {
    say(&format!(
        "Seconds are those of the kernel itself on one thread, the best of {RUNS} runs in turns; {BUILD}, and pocl's \
         pthread device with one thread. Two threads: how much faster than one; two runs: how much two processes that \
         share nothing do in the time of one, which is what the machine has to give."
    ));
    say(&format!(
        "{:16} {:>18} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8}",
        "kernel", "wave instructions", "M/s", "gcn s", "pocl s", "gcn/pocl", "2 threads", "2 runs"
    ));
    for case in case::all(Purpose::Bench)? {
        if case.name.contains(filter) {
            row(&case).map_err(|error| format!("{}: {error}", case.name))?;
        }
    }
    Ok(())
}

fn row(case: &Case) -> Result<(), String> {
    let object = compile::build(case, BUILD)?.object;
    // The first run compiles the kernel.
    let (expected, _) = reference::timed(case)?;
    let run = |threads, name| -> Result<Report, String> {
        let options = ["--threads", threads, "--json"];
        let emulated = emulate::emulate(GCN, Mode::Run, case, &object, name, &options)?;
        compare::compare(&case.buffers, &emulated.results, &expected)?;
        Report::of_all(&emulated.results.printed)
    };
    let mut instructions = 0;
    let [mut one, mut two, mut apart, mut theirs] = [f64::INFINITY; 4];
    for _ in 0..RUNS {
        let report = run("1", "bench")?;
        instructions = report.instructions;
        one = one.min(report.seconds);
        for _ in 0..RUNS_OF_TWO {
            two = two.min(run("2", "bench")?.seconds);
            apart = apart.min(thread::scope(|scope| {
                let other = scope.spawn(|| run("1", "bench-too"));
                let seconds = run("1", "bench")?.seconds;
                let other = other.join().map_err(|_| "a run panicked")??;
                Ok::<f64, String>(seconds.max(other.seconds))
            })?);
        }
        theirs = theirs.min(reference::timed(case)?.1);
    }
    say(&format!(
        "{:16} {instructions:>18} {:>8.1} {one:>8.3} {theirs:>8.3} {:>8.1} {:>10.2} {:>8.2}",
        case.name,
        instructions as f64 / one / 1e6,
        one / theirs,
        one / two,
        2.0 * one / apart,
    ));
    Ok(())
}

/// Measures the memory of a run on a huge grid.
fn memory() -> Result<(), String> {
    let cases = case::all(Purpose::Test)?;
    let saxpy = cases.iter().find(|case| case.name == "saxpy");
    let saxpy = saxpy.ok_or("there is no saxpy")?;
    let object = compile::build(saxpy, BUILD)?.object;
    for threads in ["1", "2"] {
        let mut command = gcn(&["run", "--group", "256", "--grid", &HUGE_GRID.to_string()]);
        command.args([
            "--threads",
            threads,
            "--arg",
            "0=f32*1000",
            "--arg",
            "1=f32*1000",
        ]);
        command
            .args(["--arg", "2=1", "--arg", "3=1000"])
            .arg(&object)
            .stderr(Stdio::null());
        let measured = measure(&mut command).map_err(|error| error.to_string())?;
        if !measured.status.success() {
            return Err(format!("{command:?} failed: {}", measured.status));
        }
        say(&format!(
            "memory: {:.1} MiB at most, with buffers of 8 KiB, for saxpy on a grid of {HUGE_GRID} with {threads} threads, \
             in {:.2} s (Linux's VmHWM of the process)",
            measured.kilobytes as f64 / 1024.0,
            measured.seconds
        ));
    }
    Ok(())
}

/// Measures start-up time: a run of a one-instruction kernel, and `gcn --version`.
fn start() -> Result<(), String> {
    let object = many_kernels()?;
    let bytes = fs::metadata(&object)
        .map_err(|error| error.to_string())?
        .len();
    let mut run = gcn(&[
        "run",
        "--grid",
        "1",
        "--threads",
        "1",
        "--kernel",
        &format!("k{}", KERNELS - 1),
    ]);
    run.arg(&object);
    let mut version = gcn(&["--version"]);
    let [mut ours, mut least] = [f64::INFINITY; 2];
    for _ in 0..SHORT_RUNS {
        for (command, best) in [(&mut run, &mut ours), (&mut version, &mut least)] {
            let begin = Instant::now();
            compile::run(command)?;
            *best = best.min(begin.elapsed().as_secs_f64());
        }
    }
    say(&format!(
        "start: {:.2} ms from the start of the process to its end, for a kernel of one instruction in a code object of {KERNELS} \
         kernels and {} KiB; {:.2} ms for `gcn --version` (the best of {SHORT_RUNS})",
        ours * 1e3,
        bytes / 1024,
        least * 1e3
    ));
    Ok(())
}

fn gcn(arguments: &[&str]) -> Command {
    let mut command = Command::new(GCN);
    command.args(arguments);
    command
}

/// Creates a code object with many kernels, each of which ends immediately and has code after its end.
fn many_kernels() -> Result<PathBuf, String> {
    let mut source = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n".to_owned();
    for kernel in 0..KERNELS {
        let _ = write!(
            source,
            ".text\n.globl k{kernel}\n.p2align 8\n.type k{kernel},@function\nk{kernel}:\ns_endpgm\n\
             .rept {INSTRUCTIONS}\nv_add_f32 v0, v1, v2\n.endr\n\
             .rodata\n.p2align 6\n.amdhsa_kernel k{kernel}\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 16\n.end_amdhsa_kernel\n"
        );
    }
    let directory: &Path = &compile::cache()?;
    let (text, object) = (directory.join("many.s"), directory.join("many.co"));
    fs::write(&text, source).map_err(|error| error.to_string())?;
    compile::run(gcn(&["asm", "-o"]).arg(&object).arg(&text))?;
    Ok(object)
}
