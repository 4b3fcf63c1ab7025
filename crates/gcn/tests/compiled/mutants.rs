//! Waits of compiled kernels, removed and weakened by one, and wait states, less by one: `gcn check` reports every wait that a
//! register needs on the path that is executed, at the instructions that need it, and every wait state, and nothing else. Where
//! `gcn run --late` has other results without a wait, it reports it, too.
//!
//! The uses that need a wait are worked out by [`model`] from one run of the unchanged code; wait states are needed where LLVM has
//! put them ([`nops`]). Then changed code objects are loaded and run under the checker, several waits changed at once as far as each
//! finding can be told to be one's ([`waits::groups`]). Those of some builds are tried as a test; all of them by
//! `cargo xtask mutants`, which prints the counts.

mod model;
mod nops;
mod waits;
mod subject;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::case::{self, Case, Language, Purpose};
use crate::compile::{Build, COMPILERS, LEVELS, TARGETS};
use crate::say;
use crate::table::Choice;
use model::Fate;
use subject::Subject;

/// The reason why a wait is there, or what makes it needless.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reason {
    /// A register needs it.
    Needed,
    /// LDS must be written before other waves go on at a barrier.
    Barrier,
    /// The first instruction of a function, or the last one before it returns.
    Call,
    /// Another wait comes before the registers are used.
    OtherWait,
    /// Nobody uses the registers.
    Unused,
    /// FLAT went to memory of which the other counter tells.
    OtherMemory,
    /// Only operations without a register are outstanding: the memory model's.
    Memory,
    /// No operation that the wait would wait for is outstanding.
    Nothing,
    /// The wait is not executed.
    NotExecuted,
}

impl From<Fate> for Reason {
    fn from(fate: Fate) -> Reason {
        match fate {
            Fate::Barrier => Reason::Barrier,
            Fate::Memory => Reason::Memory,
            Fate::OtherMemory => Reason::OtherMemory,
            Fate::OtherWait => Reason::OtherWait,
            Fate::Unused => Reason::Unused,
        }
    }
}

/// Numbers of mutants: of all, of those of which the checker reports a register or LDS, of those whose results `--late` changes
/// as far as they are run so, and of these that the checker does not report, but that of races does.
type Counts = BTreeMap<(&'static str, Reason), [usize; 5]>;

/// The reason why wait states are there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Nop {
    /// The instructions before them need them.
    Needed,
    /// The instruction that needs them is in another block than the one they are counted from, and they cannot be taken away by
    /// a change of their own block.
    OtherBlock,
    /// LLVM has put them there for a reason of its own.
    Other(nops::Other),
    /// A path that is not executed does.
    OtherPath,
    /// The wait states are not executed.
    NotExecuted,
}

/// Numbers of mutants: of all, of those that the checker reports, and of those that reading the code reports.
type NopCounts = BTreeMap<(&'static str, Nop), [usize; 3]>;

/// Counts by target and reason.
#[derive(Default)]
struct Tally {
    waits: Counts,
    nops: NopCounts,
    /// Mutants of waits that are executed, tried or not.
    executed: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        fn add<K: Ord, const N: usize>(
            to: &mut BTreeMap<K, [usize; N]>,
            from: BTreeMap<K, [usize; N]>,
        ) {
            for (key, more) in from {
                let sums = to.entry(key).or_insert([0; N]);
                for (sum, more) in sums.iter_mut().zip(more) {
                    *sum += more;
                }
            }
        }
        add(&mut self.waits, other.waits);
        add(&mut self.nops, other.nops);
        self.executed += other.executed;
    }
}

/// Wrong mutants of a build that are shown.
const SHOWN: usize = 5;

/// A choice among the mutants that are executed: at most `most`, evenly spaced.
#[derive(Clone, Copy, Debug)]
struct Sample {
    most: usize,
    /// Reported mutants run with late memory operations, too. Those that are not reported always do.
    late: bool,
}

impl Sample {
    /// The distance of those that are tried among `count`: an odd number, since most waits have two mutants, of which an even one
    /// would meet the same each time.
    fn step(self, count: usize) -> usize {
        count.div_ceil(self.most) | 1
    }
}

/// Tries mutants of a build.
fn check(case: &Case, build: Build, sample: Sample, tally: &mut Tally) -> Result<(), String> {
    let mut subject = Subject::new(case, build)?;
    tally.executed += subject.check_waits(sample, &mut tally.waits)?;
    subject.check_nops(sample, &mut tally.nops)?;
    let mut wrong = subject.wrong;
    let count = wrong.len();
    if count == 0 {
        return Ok(());
    }
    wrong.truncate(SHOWN);
    Err(format!("{count} mutants:\n{}", wrong.join("\n")))
}

/// Kernels that are tried as a test: LDS, calls, scratch, FLAT, lanes that others read.
const SAMPLE: [&str; 5] = [
    "reduce_int",
    "calls",
    "spills",
    "generic_pointer",
    "work_group",
];
/// The kernel that is tried without optimisation, too.
const SMALL: &str = "saxpy";

/// True if a build is tried as a test.
pub fn is_sample(case: &Case, build: Build) -> bool {
    let is_chosen = SAMPLE.contains(&&*case.name) && build.level == "-O2" || case.name == SMALL;
    is_chosen && build.compiler == COMPILERS[1]
}

/// Tries all mutants of a build.
///
/// # Errors
/// The checker does not report what it must, or something else; or none of the mutants is needed.
pub fn check_all(case: &Case, build: Build) -> Result<(), String> {
    let mut tally = Tally::default();
    let sample = Sample {
        most: usize::MAX,
        late: false,
    };
    check(case, build, sample, &mut tally)?;
    let [needed, ..] = tally
        .waits
        .get(&(build.target, Reason::Needed))
        .copied()
        .unwrap_or_default();
    if needed == 0 {
        return Err("no mutant that is needed was tried".to_owned());
    }
    Ok(())
}

/// Headers of the kernels among the examples, as `tests/README.md` has them.
const EXAMPLES: [(&str, &str); 2] = [
    (
        "vadd",
        "[buffers]\na = \"f32*1000:iota\"\nb = \"f32*1000:iota\"\nc = \"f32*1000\"\n\
         [[launch]]\ngrid = 1000\ngroup = 64\nargs = [\"a\", \"b\", \"c\", \"u32:990\"]\n",
    ),
    (
        "reduce",
        "[buffers]\nin = \"i32*1000:iota\"\nsums = \"i32*11\"\n\
         [[launch]]\ngrid = 1010\ngroup = 96\nargs = [\"in\", \"sums\", \"local:384\", \"u32:1000\"]\n",
    ),
];

/// The kernels among the examples.
fn examples() -> Result<Vec<Case>, String> {
    let place = case::directory().join("../../examples/opencl");
    let mut cases = Vec::new();
    for (name, header) in EXAMPLES {
        let path = place.join(format!("{name}.cl"));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let header: String = header.lines().map(|line| format!("//! {line}\n")).collect();
        let case = Case::new(&path, Language::OpenCl, Purpose::Test, header + &text)?;
        cases.extend(case);
    }
    Ok(cases)
}

/// Tries all mutants of all builds that are chosen, and prints the counts.
pub fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let chosen = Choice::parse(arguments).and_then(|choice| {
        let mut cases = case::all(Purpose::Test)?;
        cases.extend(examples()?);
        let cases = cases.into_iter().filter(|it| choice.takes_case(it));
        Ok((cases.collect::<Vec<_>>(), choice))
    });
    let (cases, choice) = match chosen {
        Ok(both) => both,
        Err(error) => {
            say(&format!("error: {error}"));
            return ExitCode::from(2);
        }
    };
    let mut work: Vec<(&Case, Build)> = Vec::new();
    for case in &cases {
        for target in TARGETS {
            for level in LEVELS {
                let build = Build {
                    compiler: COMPILERS[1],
                    level,
                    target,
                };
                if choice.takes(&build) && build.exception(case).is_none() {
                    work.push((case, build));
                }
            }
        }
    }
    let next = AtomicUsize::new(0);
    let all = Mutex::new((Tally::default(), 0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((case, build)) = work.get(next.fetch_add(1, Relaxed)) {
                    let mut tally = Tally::default();
                    let begin = Instant::now();
                    let sample = Sample {
                        most: choice.most(),
                        late: choice.late(),
                    };
                    let result = check(case, *build, sample, &mut tally);
                    let tried = tally.waits.iter();
                    let tried = tried.filter(|((_, reason), _)| *reason != Reason::NotExecuted);
                    let tried: usize = tried.map(|(_, [all, ..])| all).sum();
                    say(&format!(
                        "{} on {build}: {tried} of {} mutants of waits, {:.1} s",
                        case.name,
                        tally.executed,
                        begin.elapsed().as_secs_f64()
                    ));
                    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                    all.0.add(tally);
                    if let Err(error) = result {
                        all.1 += 1;
                        say(&format!("{} on {build}: {error}", case.name));
                    }
                }
            });
        }
    });
    let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    print(
        &all.0.waits,
        ["all", "registers", "lds", "late", "late, a race"],
    );
    print(&all.0.nops, ["all", "checker", "lint"]);
    say(&format!(
        "{} mutants of waits are executed; {} builds, {} failed",
        all.0.executed,
        work.len(),
        all.1
    ));
    if all.1 == 0 && !work.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Prints a table: numbers of mutants by reason and target, and below each reason the numbers that are not all.
fn print<R: Copy + Ord + std::fmt::Debug, const N: usize>(
    counts: &BTreeMap<(&'static str, R), [usize; N]>,
    parts: [&str; N],
) {
    let reasons: BTreeSet<R> = counts.keys().map(|(_, reason)| *reason).collect();
    let targets: String = TARGETS.iter().map(|it| format!(" {it:>9}")).collect();
    say(&format!("{:21}{targets}", ""));
    for reason in reasons {
        for (n, part) in parts.iter().enumerate() {
            let cells = TARGETS.map(|it| counts.get(&(it, reason)).map_or(0, |all| all[n]));
            if n == 0 || cells != [0; TARGETS.len()] {
                let cells: String = cells.iter().map(|it| format!(" {it:>9}")).collect();
                let name = if n == 0 {
                    format!("{reason:?}")
                } else {
                    format!("  {part}")
                };
                say(&format!("{name:21}{cells}"));
            }
        }
    }
}
