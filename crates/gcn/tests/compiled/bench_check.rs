//! Benchmarks of `gcn check`: kernel times relative to the interpreter, or to another build of `gcn`, measured
//! alternately.

use std::path::Path;

use gcn_observe::finding::Check;

use crate::bench::{BESIDE, BUILD, Report};
use crate::case::{self, Case, Purpose};
use crate::emulate::{GCN, Mode, emulate};
use crate::{bench_oclgrind, compile, say};

/// Kernels that are timed: arithmetic, local memory, gathers, scatters, coalesced loads, single-byte accesses, atomics,
/// waves with few instructions, and small launches.
pub const KERNELS: &[&str] = &[
    "atomic_add_float",
    "bfs",
    "bitonic",
    "convolution",
    "dgemm",
    "fft",
    "grayscale",
    "histogram",
    "histogram_global",
    "hotspot",
    "lud",
    "matvec",
    "md",
    "nbody",
    "radix_sort",
    "reduce_float",
    "saxpy",
    "scan",
    "scatter",
    "sgemm_tiled",
    "small_launches",
    "spmv_csr",
    "stencil2d",
    "transpose",
    "xorshift",
];
/// Number of runs per kernel and mode; the fastest is used. Checks that are off by default take so long that one run
/// is enough.
const RUNS: usize = 3;
/// Numbers of runs per kernel, mode and build in a comparison of two builds: for default checks, and for the others.
const RUNS_BESIDE: usize = 5;
const RUNS_BESIDE_OFF: usize = 2;
/// Ratio of times above which a build counts as slower.
const SLOWER: f64 = 1.1;

/// Options for the interpreter alone.
const INTERPRETED: [&str; 2] = ["--engine", "interpreter"];

/// Argument that selects only the comparison with Oclgrind.
const OCLGRIND: &str = "oclgrind";

/// Times kernels under `gcn check`: those whose names contain the argument, or all kernels, followed by a comparison
/// with Oclgrind. With [`BESIDE`] and the path of another `gcn`, only compares the two.
///
/// # Errors
/// Fails if the arguments are invalid, or a kernel cannot be timed.
pub fn main(words: &[&str]) -> Result<(), String> {
    match *words {
        [] => table("").and_then(|()| bench_oclgrind::table()),
        [OCLGRIND] => bench_oclgrind::table(),
        [BESIDE, other] => beside("", other),
        [filter, BESIDE, other] => beside(filter, other),
        [filter] if !filter.starts_with('-') => table(filter),
        _ => Err(format!("usage: [{OCLGRIND}] or [FILTER] [{BESIDE} GCN]")),
    }
}

/// Mode in which a kernel runs: without checks, on the default engine or the interpreter; with a single check; or with
/// all checks that are on by default.
#[derive(Clone, Copy)]
enum CheckMode {
    Unchecked,
    Interpreted,
    Only(Check),
    Default,
}

impl CheckMode {
    /// All modes, in the order of the table's columns.
    fn all() -> impl Iterator<Item = CheckMode> {
        let each = Check::ALL.iter().map(|check| CheckMode::Only(*check));
        [CheckMode::Unchecked, CheckMode::Interpreted]
            .into_iter()
            .chain(each)
            .chain([CheckMode::Default])
    }

    fn name(self) -> &'static str {
        match self {
            CheckMode::Unchecked => "run",
            CheckMode::Interpreted => "interpreted",
            CheckMode::Only(check) => check.name(),
            CheckMode::Default => "default",
        }
    }

    /// True unless the mode is a single check that is off by default.
    fn is_on(self) -> bool {
        match self {
            CheckMode::Unchecked | CheckMode::Interpreted | CheckMode::Default => true,
            CheckMode::Only(check) => check.is_default(),
        }
    }

    /// Returns the time of a kernel in seconds, with the program `gcn` on one thread.
    ///
    /// # Errors
    /// Fails if the kernel cannot be run.
    fn seconds(self, gcn: &str, case: &Case, object: &Path) -> Result<f64, String> {
        match self {
            CheckMode::Unchecked => seconds(gcn, case, object, Mode::Run, &[]),
            CheckMode::Interpreted => seconds(gcn, case, object, Mode::Run, &INTERPRETED),
            CheckMode::Only(check) => {
                seconds(gcn, case, object, Mode::Check, &["--only", check.name()])
            }
            CheckMode::Default => seconds(gcn, case, object, Mode::Check, &[]),
        }
    }
}

/// Kernels whose names contain `filter`.
fn cases(filter: &str) -> Result<Vec<Case>, String> {
    let mut cases = case::all(Purpose::Bench)?;
    cases.retain(|case| KERNELS.contains(&case.name.as_str()) && case.name.contains(filter));
    match cases.is_empty() {
        true => Err(format!(
            "no kernel that is timed has `{filter}` in its name"
        )),
        false => Ok(cases),
    }
}

/// Prints a row for each kernel: seconds without checks, and with each check as a multiple of the interpreter's; then
/// the median and the maximum of these multiples.
fn table(filter: &str) -> Result<(), String> {
    say(&format!(
        "Seconds of the kernel itself on one thread under `gcn run`, also by the interpreter, and times as long under \
         `gcn check` as by the interpreter; the best of {RUNS} runs in turns, of one for checks that are off unless asked \
         for; {BUILD}."
    ));
    let names = CheckMode::all()
        .skip(2)
        .map(|way| format!("{:>11}", way.name()));
    say(&format!(
        "{:16} {:>8} {:>14} {}",
        "kernel",
        "run s",
        "interpreted s",
        names.collect::<String>()
    ));
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); CheckMode::all().count() - 2];
    for case in cases(filter)? {
        let factors = row(&case).map_err(|error| format!("{}: {error}", case.name))?;
        for (column, factor) in columns.iter_mut().zip(factors) {
            column.push(factor);
        }
    }
    for column in &mut columns {
        column.sort_by(f64::total_cmp);
    }
    let medians: Vec<f64> = columns
        .iter()
        .map(|column| column[column.len() / 2])
        .collect();
    let worst: Vec<f64> = columns
        .iter()
        .map(|column| column[column.len() - 1])
        .collect();
    say(&format!("{:40} {}", "median", in_columns(&medians)));
    say(&format!("{:40} {}", "maximum", in_columns(&worst)));
    Ok(())
}

/// Returns the time of a kernel in seconds, with the program `gcn` on one thread, in a mode with additional options.
///
/// # Errors
/// Fails if the kernel cannot be run.
pub fn seconds(
    gcn: &str,
    case: &Case,
    object: &Path,
    mode: Mode,
    more: &[&str],
) -> Result<f64, String> {
    let options = [&["--threads", "1", "--json"], more].concat();
    let emulated = emulate(gcn, mode, case, object, "bench", &options)?;
    Ok(Report::of_all(&emulated.results.printed)?.seconds)
}

/// Prints a kernel's row, and returns its multiples of the interpreter's time.
fn row(case: &Case) -> Result<Vec<f64>, String> {
    let object = compile::build(case, BUILD)?.object;
    let mut best = vec![f64::INFINITY; CheckMode::all().count()];
    for run in 0..RUNS {
        for (best, way) in best.iter_mut().zip(CheckMode::all()) {
            if run == 0 || way.is_on() {
                *best = best.min(way.seconds(GCN, case, &object)?);
            }
        }
    }
    let (alone, interpreted) = (best[0], best[1]);
    let factors: Vec<f64> = best[2..].iter().map(|it| it / interpreted).collect();
    say(&format!(
        "{:16} {alone:>8.3} {interpreted:>14.3} {}",
        case.name,
        in_columns(&factors)
    ));
    Ok(factors)
}

/// Formats factors in columns.
fn in_columns(factors: &[f64]) -> String {
    let cells = factors.iter().map(|factor| format!("{factor:>11.2}"));
    cells.collect()
}

/// Prints a row for each kernel: times of this `gcn` relative to another one, without checks and with each check.
fn beside(filter: &str, other: &str) -> Result<(), String> {
    say(&format!(
        "Time of the kernel itself on one thread as a multiple of that with {other}, the best of {RUNS_BESIDE} runs of each in turns, of \
         {RUNS_BESIDE_OFF} for checks that are off unless asked for; `!` marks more than {SLOWER}; {BUILD}."
    ));
    let names: Vec<&str> = CheckMode::all().map(CheckMode::name).collect();
    let heads: String = names.iter().map(|name| format!("{name:>12}")).collect();
    say(&format!("{:16} {heads}", "kernel"));
    let mut all = Vec::new();
    for case in cases(filter)? {
        let ratios = ratios(&case, other).map_err(|error| format!("{}: {error}", case.name))?;
        say(&format!("{:16} {}", case.name, in_cells(&ratios)));
        all.push(ratios);
    }
    let means: Vec<f64> = (0..names.len())
        .map(|column| {
            let logarithms: f64 = all.iter().map(|ratios| ratios[column].ln()).sum();
            (logarithms / all.len() as f64).exp()
        })
        .collect();
    say(&format!("{:16} {}", "geometric mean", in_cells(&means)));
    let slower = all.iter().flatten().filter(|ratio| **ratio > SLOWER);
    say(&format!(
        "{} of {} times are more than {SLOWER} times the other's",
        slower.count(),
        all.len() * names.len()
    ));
    Ok(())
}

/// Times of this `gcn` relative to another one, for each mode.
fn ratios(case: &Case, other: &str) -> Result<Vec<f64>, String> {
    let object = compile::build(case, BUILD)?.object;
    let mut ratios = Vec::new();
    for way in CheckMode::all() {
        let [mut ours, mut theirs] = [f64::INFINITY; 2];
        let runs = if way.is_on() {
            RUNS_BESIDE
        } else {
            RUNS_BESIDE_OFF
        };
        for _ in 0..runs {
            ours = ours.min(way.seconds(GCN, case, &object)?);
            theirs = theirs.min(way.seconds(other, case, &object)?);
        }
        ratios.push(ours / theirs);
    }
    Ok(ratios)
}

/// Formats ratios as a line of the table.
fn in_cells(ratios: &[f64]) -> String {
    let mark = |ratio: f64| if ratio > SLOWER { "!" } else { " " };
    let cells = ratios.iter();
    cells
        .map(|ratio| format!("{ratio:>11.2}{}", mark(*ratio)))
        .collect()
}
