//! The times of kernels under `gcn check` beside those under `gcn run`, in turns.

use std::path::Path;

use gcn_observe::finding::Check;

use crate::bench::{BUILD, Report};
use crate::case::{self, Case, Purpose};
use crate::compile;
use crate::emulate::{GCN, Mode, emulate};
use crate::say;

/// Kernels that are timed.
pub const KERNELS: &[&str] = &[
    "sgemm_tiled",
    "reduce_float",
    "histogram",
    "xorshift",
    "radix_sort",
    "fft",
    "saxpy",
];
/// Runs of each in each way; the best counts. Checks that are off unless asked for take so long that one run is enough.
const RUNS: usize = 3;

/// The checks that are timed one by one, and nothing for those that are on together.
fn checks() -> impl Iterator<Item = &'static str> {
    Check::ALL.iter().map(|it| it.name()).chain([""])
}

/// True unless it is a check that has to be asked for.
fn is_on(name: &str) -> bool {
    Check::named(name).map_or(name.is_empty(), Check::is_default)
}

/// Prints a row for each kernel: seconds without checkers, and how many times as long each check takes.
///
/// # Errors
/// A kernel cannot be built or run, or has a finding that it does not name.
pub fn table() -> Result<(), String> {
    say(&format!(
        "Seconds of the kernel itself on one thread under `gcn run`, and times as long under `gcn check`; the best of {RUNS} \
         runs in turns, of one for checks that are off unless asked for; {BUILD}."
    ));
    let names = checks().map(|name| if name.is_empty() { "default" } else { name });
    say(&format!(
        "{:16} {:>8} {}",
        "kernel",
        "run s",
        names.map(|name| format!("{name:>9}")).collect::<String>()
    ));
    for case in case::all(Purpose::Bench)? {
        if KERNELS.contains(&case.name.as_str()) {
            row(&case).map_err(|error| format!("{}: {error}", case.name))?;
        }
    }
    Ok(())
}

/// Seconds of a kernel itself on one thread, by `gcn run`, or by `gcn check` with one check or all that are on.
///
/// # Errors
/// It cannot be run.
pub fn seconds(case: &Case, object: &Path, mode: Mode, check: &str) -> Result<f64, String> {
    let mut options = vec!["--threads", "1", "--json"];
    if !check.is_empty() {
        options.extend(["--only", check]);
    }
    let emulated = emulate(GCN, mode, case, object, "bench", &options)?;
    Ok(Report::of_all(&emulated.results.printed)?.seconds)
}

fn row(case: &Case) -> Result<(), String> {
    let object = compile::build(case, BUILD)?.object;
    let seconds = |mode, check| seconds(case, &object, mode, check);
    let mut alone = f64::INFINITY;
    let mut checked = vec![f64::INFINITY; checks().count()];
    for run in 0..RUNS {
        alone = alone.min(seconds(Mode::Run, "")?);
        for (best, check) in checked.iter_mut().zip(checks()) {
            if run == 0 || is_on(check) {
                *best = best.min(seconds(Mode::Check, check)?);
            }
        }
    }
    let factors = checked
        .iter()
        .map(|seconds| format!("{:>9.2}", seconds / alone));
    say(&format!(
        "{:16} {alone:>8.3} {}",
        case.name,
        factors.collect::<String>()
    ));
    Ok(())
}
