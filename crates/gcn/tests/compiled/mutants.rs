//! Mutation test of waits and wait states in compiled kernels. Mutants remove waits or weaken them by one, and reduce
//! wait states by one. `gcn check` must report every removed or weakened wait that a register needs on the executed
//! path, at the instructions that need it, every missing wait state, and nothing else. A mutant that changes the
//! results of `gcn run --late` must be reported too.
//!
//! [`model`] determines the uses that need each wait, from one run of the unmodified code. Wait states are needed
//! where LLVM inserted them ([`nops`]). Modified code objects then run under the checker. One run may test several
//! mutants of waits, as long as each finding can be attributed to one of them ([`waits::groups`]). `cargo test` covers
//! a sample of the builds; `cargo xtask mutants` covers all builds and prints counts.

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

/// Reason why a wait exists, or is not needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reason {
    /// A register needs it.
    Needed,
    /// LDS must be written before other waves pass a barrier.
    Barrier,
    /// First instruction of a function, or last one before it returns.
    Call,
    /// Another wait precedes the uses of the registers.
    OtherWait,
    /// The registers are not used.
    Unused,
    /// A FLAT instruction accessed memory that the other counter tracks.
    OtherMemory,
    /// Only operations without a register are outstanding; the memory model requires the wait.
    Memory,
    /// No operation on the wait's counters is outstanding.
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

/// Numbers of mutants: all; those reported for a register; those reported for LDS; those whose results change with
/// `--late`, if they ran with it; and of the latter, those that only the race checker reports.
type Counts = BTreeMap<(&'static str, Reason), [usize; 5]>;

/// Reason why wait states exist.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Nop {
    /// The preceding instructions need them.
    Needed,
    /// The hazard spans blocks, so a change of one block cannot remove the wait states.
    OtherBlock,
    /// LLVM inserts them for another reason.
    Other(nops::Other),
    /// A path that is not executed needs them.
    OtherPath,
    /// The wait states are not executed.
    NotExecuted,
}

/// Numbers of mutants: all, those that the checker reports, and those that static analysis reports.
type NopCounts = BTreeMap<(&'static str, Nop), [usize; 3]>;

/// Counts by target and reason.
#[derive(Default)]
struct Tally {
    waits: Counts,
    nops: NopCounts,
    /// Number of mutants of executed waits, tested or not.
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

/// Maximum number of mutants with wrong reports that are shown per build.
const SHOWN: usize = 5;

/// Sample of the executed mutants: at most `most`, evenly spaced.
#[derive(Clone, Copy, Debug)]
struct Sample {
    most: usize,
    /// True to run all mutants with late memory operations, too, not only those that are not reported.
    late: bool,
}

impl Sample {
    /// Distance between tested mutants among `count`. It is odd: most waits have two mutants, and an even distance
    /// would always select the same one.
    fn step(self, count: usize) -> usize {
        count.div_ceil(self.most) | 1
    }
}

/// Tests mutants of a build.
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

/// Kernels whose mutants are tested by default. They use LDS, calls, scratch, FLAT and cross-lane reads.
const SAMPLE: [&str; 5] = [
    "reduce_int",
    "calls",
    "spills",
    "generic_pointer",
    "work_group",
];
/// Kernel that is also tested without optimisation.
const SMALL: &str = "saxpy";

/// True if a build is in the sample.
pub fn is_sample(case: &Case, build: Build) -> bool {
    let is_chosen = SAMPLE.contains(&&*case.name) && build.level == "-O2" || case.name == SMALL;
    is_chosen && build.compiler == COMPILERS[1]
}

/// Tests all mutants of a build.
///
/// # Errors
/// Fails if the checker misses a required finding or reports another one, or no mutant is needed.
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

/// Headers for the example kernels, in the format of `tests/README.md`.
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

/// Reads the kernels in `examples/opencl`.
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

/// Tests all mutants of the selected builds, and prints the counts.
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

/// Prints a table of mutants by reason and target. Below each reason are its other counts, unless all are 0.
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
