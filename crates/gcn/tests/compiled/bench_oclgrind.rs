//! Compares the times of checks with Oclgrind's, which interprets the kernel's LLVM IR on the host.

use std::process::Command;

use crate::bench::BUILD;
use crate::bench_check::{KERNELS, seconds};
use crate::case::{self, Case, Purpose};
use crate::emulate::{GCN, Mode};
use crate::{compare, compile, reference, say};

/// Environment variable that overrides [`COMMAND`].
const VARIABLE: &str = "OCLGRIND";
/// Command of Oclgrind's package.
const COMMAND: &str = "oclgrind";
/// Options for one thread, as for `gcn`.
const ONE_THREAD: [&str; 2] = ["--num-threads", "1"];
/// Number of runs of `gcn`; the fastest is used. Oclgrind takes so long that one run is enough.
const RUNS: usize = 3;

/// Equivalent checks: our name, and Oclgrind's option; both empty for a run without checks.
const CHECKS: [(&str, &str); 3] = [
    ("", ""),
    ("races", "--data-races"),
    ("uninit", "--uninitialized"),
];

/// Prints a row for each kernel: nanoseconds per work-item of both tools, without checks and with each check, and their
/// ratio.
///
/// # Errors
/// Fails if a kernel cannot be built, `gcn` cannot run it, or Oclgrind has different results. If Oclgrind fails, a note
/// is printed.
pub fn table() -> Result<(), String> {
    let oclgrind = std::env::var(VARIABLE).unwrap_or_else(|_| COMMAND.to_owned());
    let version = Command::new(&oclgrind).arg("--version").output();
    let Some(version) = version.ok().filter(|it| it.status.success()) else {
        say(&format!(
            "{oclgrind} cannot be run: no times beside Oclgrind's (the variable {VARIABLE} may name its command)"
        ));
        return Ok(());
    };
    let version = String::from_utf8_lossy(&version.stdout);
    let version = version.lines().find(|line| !line.is_empty());
    say(&format!(
        "\nMicroseconds of the kernel for a work-item of the launches above, on one thread, and the ratio; {} on launches with \
         the same work for each item, {BUILD}.",
        version.unwrap_or(COMMAND)
    ));
    let heads = CHECKS.map(|(check, _)| {
        let name = if check.is_empty() { "run" } else { check };
        format!("{name:>10} {:>10} {:>8}", "Oclgrind", "ratio")
    });
    say(&format!("{:16} {}", "kernel", heads.join(" ")));
    let small = case::all(Purpose::Small)?;
    for case in case::all(Purpose::Bench)? {
        let small = small.iter().find(|small| small.name == case.name);
        if let Some(small) = small.filter(|it| KERNELS.contains(&it.name.as_str())) {
            row(&case, small, &oclgrind).map_err(|error| format!("{}: {error}", case.name))?;
        }
    }
    Ok(())
}

/// Number of work-items in all launches.
fn items(case: &Case) -> f64 {
    let items = case.launches.iter().map(|launch| {
        let grid = launch.grid.iter().map(|size| f64::from(*size));
        f64::from(launch.repeat) * grid.product::<f64>()
    });
    items.sum()
}

fn row(case: &Case, small: &Case, oclgrind: &str) -> Result<(), String> {
    const MICROSECONDS: f64 = 1e6;
    let object = compile::build(case, BUILD)?.object;
    let expected = reference::reference(small)?;
    let mut cells = Vec::new();
    let mut notes = Vec::new();
    for (check, option) in CHECKS {
        let (mode, options): (Mode, &[&str]) = if check.is_empty() {
            (Mode::Run, &[])
        } else {
            (Mode::Check, &["--only", check])
        };
        let mut ours = f64::INFINITY;
        for _ in 0..RUNS {
            ours = ours.min(seconds(GCN, case, &object, mode, options)?);
        }
        let words = [oclgrind].into_iter().chain(ONE_THREAD);
        let words = words.chain([option].into_iter().filter(|it| !it.is_empty()));
        let words: Vec<String> = words.map(str::to_owned).collect();
        let items = items(case) / MICROSECONDS;
        let ours = ours / items;
        let cell = match reference::timed_under(small, &words) {
            Ok((results, theirs)) => {
                compare::compare(&small.buffers, &results, &expected)?;
                let theirs = theirs * f64::from(small.times) / items;
                format!("{theirs:>10.2} {:>8.0}", theirs / ours)
            }
            // Oclgrind 21.10 crashes in some kernels with --uninitialized.
            Err(error) => {
                notes.push(format!("{}, {}: {error}", case.name, words.join(" ")));
                format!("{:>10} {:>8}", "fails", "-")
            }
        };
        cells.push(format!("{ours:>10.3} {cell}"));
    }
    say(&format!("{:16} {}", case.name, cells.join(" ")));
    notes.iter().for_each(|note| say(note));
    Ok(())
}
