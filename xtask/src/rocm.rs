//! Runs AMD's test programs on an emulated device, using Debian's packages for each ROCm release. Each release has its
//! own root directory, which is created once.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::roots::{self, Release, chroot, entered};
use crate::{dist, is_root, run};
use outcome::{Outcome, outcomes_of, output_of};

mod outcome;

/// Install prefix of `gcn` in a root.
const PREFIX: &str = "opt/gcn";
/// Directory of the test programs in a root, with a subdirectory for each package.
const PROGRAMS: &str = "usr/libexec/rocm";
/// File of known failures with their causes.
const KNOWN: &str = "rocm-known.txt";
/// Number of tests per process. rocBLAS's test program takes a minute to start.
const BATCH: usize = 200;
/// Time limit of a test in seconds.
const TEST_SECONDS: u64 = 100;
/// Time limit for listing a program's tests, in seconds.
const LIST_SECONDS: u64 = 1800;
/// Placeholder test name for a program that does not list its tests.
const WHOLE: &str = "*";
/// Device memory size.
const MEMORY: &str = "4G";
/// Exit status of `timeout` if the time limit is exceeded.
const TIMED_OUT: i32 = 124;

/// Test suite of a library.
struct Suite {
    name: &'static str,
    /// Package name without the ABI number and `-tests`: `librocblas` for `librocblas4-tests`.
    package: &'static str,
    /// Default GoogleTest filter.
    filter: &'static str,
}

const fn suite(name: &'static str, package: &'static str, filter: &'static str) -> Suite {
    Suite {
        name,
        package,
        filter,
    }
}

const SUITES: [Suite; 17] = [
    suite("rocrand", "librocrand", "*"),
    suite("hiprand", "libhiprand", "*"),
    suite("rocblas", "librocblas", "*quick*"),
    suite("hipblas", "libhipblas", "*quick*"),
    suite("rocfft", "librocfft", "*"),
    suite("hipfft", "libhipfft", "*"),
    suite("rocprim", "librocprim", "*"),
    suite("hipcub", "libhipcub", "*"),
    suite("rocthrust", "librocthrust", "*"),
    suite("rocsparse", "librocsparse", "*quick*"),
    suite("hipsparse", "libhipsparse", "*"),
    suite("rocsolver", "librocsolver", "*"),
    suite("hipsolver", "libhipsolver", "*"),
    suite("rocalution", "librocalution", "*"),
    suite("rccl", "librccl", "*"),
    suite("miopen", "libmiopen", "*"),
    suite("migraphx", "migraphx", "*"),
];

/// Debian releases, which package different ROCm versions.
const RELEASES: [Release; 4] = [
    Release::plain("trixie"),
    Release::plain("forky"),
    Release {
        name: "sid",
        base: "forky",
        preferred: "sid",
    },
    Release {
        name: "experimental",
        base: "forky",
        preferred: "experimental",
    },
];

/// Command-line options.
struct Selection {
    suite: &'static Suite,
    release: &'static Release,
    target: String,
    /// Sampling interval: one in `sample` tests runs.
    sample: u64,
    /// GoogleTest filter; the suite's by default.
    filter: String,
    /// Time limit for each program's tests, excluding the time to list them.
    time: Duration,
    /// Prefix installed by `cargo xtask dist`; by default, the working tree is built.
    prefix: Option<PathBuf>,
}

/// Runs a suite. `words` are the command-line arguments after `rocm`.
///
/// # Errors
/// Fails if an argument is invalid, a root is missing and cannot be created, a test that is not a known failure fails,
/// or a known failure passes.
pub(crate) fn rocm(words: &[&str]) -> Result<()> {
    let selection = Selection::parse(words)?;
    ensure!(
        is_root(),
        "a root of another release of Debian is made and entered by root alone"
    );
    let root = roots::make(selection.release)?;
    roots::mount(&root)?;
    let packages = packages(&root, &selection)?;
    chroot(&root, &install_command(selection.release, &packages))?;
    let installed = root.join(PREFIX);
    match &selection.prefix {
        Some(prefix) => run(Command::new("cp")
            .args(["-aT", "--remove-destination"])
            .args([prefix, &installed]))?,
        None => dist::dist(&installed)?,
    }
    let results = run_suite(&root, &selection, &packages[0])?;
    report(&selection, &results)
}

impl Selection {
    fn parse(words: &[&str]) -> Result<Selection> {
        let names =
            |all: &mut dyn Iterator<Item = &'static str>| all.collect::<Vec<_>>().join(", ");
        let [name, options @ ..] = words else {
            bail!(
                "name a suite: {}",
                names(&mut SUITES.iter().map(|it| it.name))
            );
        };
        let suite = SUITES.iter().find(|it| it.name == *name);
        let suite = suite.with_context(|| {
            format!(
                "there is no suite `{name}`, but {}",
                names(&mut SUITES.iter().map(|it| it.name))
            )
        })?;
        let mut selection = Selection {
            suite,
            release: &RELEASES[1],
            target: "gfx906".to_owned(),
            sample: 1,
            filter: suite.filter.to_owned(),
            time: Duration::MAX,
            prefix: None,
        };
        for option in options.chunks(2) {
            match option {
                ["--release", name] => {
                    let found = RELEASES.iter().find(|it| it.name == *name);
                    selection.release = found.with_context(|| {
                        format!(
                            "there is no release `{name}`, but {}",
                            names(&mut RELEASES.iter().map(|it| it.name))
                        )
                    })?;
                }
                ["--target", target] => selection.target = (*target).to_owned(),
                ["--sample", count] => selection.sample = positive(count)?,
                ["--filter", filter] => selection.filter = (*filter).to_owned(),
                ["--seconds", seconds] => selection.time = Duration::from_secs(positive(seconds)?),
                ["--prefix", prefix] => selection.prefix = Some(prefix.into()),
                other => bail!(
                    "`{}` is not --release, --target, --sample, --filter, --seconds or --prefix with a value",
                    other.join(" ")
                ),
            }
        }
        Ok(selection)
    }

    /// Path of a results file. `txt` records outcomes, so that an interrupted run can resume; `log` has the output of
    /// failed tests.
    fn results(&self, extension: &str) -> PathBuf {
        let name = format!(
            "{}-{}-{}.{extension}",
            self.suite.name, self.release.name, self.target
        );
        roots::directory().join("results").join(name)
    }

    /// True if the sample includes a test. This depends only on its name, so the order of the list does not matter.
    fn takes(&self, test: &str) -> bool {
        test == WHOLE || fnv1a(test).is_multiple_of(self.sample)
    }
}

fn positive(number: &str) -> Result<u64> {
    let parsed = number.parse().ok().filter(|it| *it > 0);
    parsed.with_context(|| {
        format!("`{number}` is not a number from 1: `--sample 50` runs one test in 50")
    })
}

/// 64-bit FNV-1a hash of a name. std's hashers may change between Rust releases.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Finds the packages of a suite, the one with the programs first. Their names contain the library's ABI number, which
/// differs between releases.
fn packages(root: &Path, selection: &Selection) -> Result<Vec<String>> {
    let Selection { suite, release, .. } = selection;
    let listed = entered(root, &format!("apt-cache pkgnames {}", suite.package)).output()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let number = |name: &&str| {
        let digits = name.strip_prefix(suite.package)?.strip_suffix("-tests")?;
        match digits {
            "" => Some(0),
            _ => digits.parse::<u32>().ok(),
        }
    };
    let newest = listed
        .lines()
        .filter(|name| number(name).is_some())
        .max_by_key(number);
    let newest = newest.with_context(|| {
        format!(
            "Debian {} has no package {}*-tests",
            release.name, suite.package
        )
    })?;
    let data = format!("{newest}-data");
    let mut packages = vec![newest.to_owned()];
    packages.extend(listed.lines().any(|name| name == data).then_some(data));
    Ok(packages)
}

fn install_command(release: &Release, packages: &[String]) -> String {
    format!(
        "DEBIAN_FRONTEND=noninteractive apt-get install -y -o DPkg::Lock::Timeout=600 -t {} {}",
        release.preferred,
        packages.join(" ")
    )
}

/// Runs a test program under `gcn exec`.
fn execute(
    root: &Path,
    target: &str,
    program: &str,
    arguments: &[&str],
    seconds: u64,
) -> Result<Output> {
    let quoted: Vec<String> = arguments.iter().map(|it| format!("'{it}'")).collect();
    let command = format!(
        "cd /{PROGRAMS} && GTEST_LISTENER=PASS_LINE_IN_LOG timeout -k 10 {seconds} /{PREFIX}/bin/gcn exec --target {target} --memory {MEMORY} -- ./{program} {} 2>&1",
        quoted.join(" ")
    );
    Ok(entered(root, &command).output()?)
}

/// Runs the tests of a suite that have no outcome yet.
fn run_suite(
    root: &Path,
    selection: &Selection,
    package: &str,
) -> Result<BTreeMap<String, Outcome>> {
    let file = selection.results("txt");
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    let known = fs::read_to_string(&file).unwrap_or_default();
    let mut results: BTreeMap<String, Outcome> = known
        .lines()
        .filter_map(|line| {
            let (outcome, test) = line.split_once('\t')?;
            Some((test.to_owned(), Outcome::named(outcome)?))
        })
        .collect();
    let mut log = OpenOptions::new().create(true).append(true).open(&file)?;
    let failures = selection.results("log");
    let mut failures = OpenOptions::new()
        .create(true)
        .append(true)
        .open(failures)?;
    for program in programs(&root.join(PROGRAMS).join(package))? {
        let program = format!("{package}/{program}");
        let tests = list(root, selection, &program)?;
        let mut left: Vec<&String> = tests
            .iter()
            .filter(|test| selection.takes(test))
            .filter(|test| !results.contains_key(&format!("{program} {test}")))
            .collect();
        left.reverse();
        let start = Instant::now();
        while !left.is_empty() && start.elapsed() < selection.time {
            let batch: Vec<&String> = left
                .split_off(left.len().saturating_sub(BATCH))
                .into_iter()
                .rev()
                .collect();
            let begin = Instant::now();
            let remaining = selection.time.saturating_sub(start.elapsed());
            let (outcomes, output) = run_batch(root, selection, &program, &batch, remaining)?;
            // The test that stopped the program has an outcome; later ones run again.
            let done = outcomes.len();
            left.extend(batch[done..].iter().rev().copied());
            for (test, outcome) in batch.iter().zip(outcomes) {
                let name = format!("{program} {test}");
                writeln!(log, "{}\t{name}", outcome.name())?;
                if outcome.is_failure() {
                    failures.write_all(output_of(&output, test).as_bytes())?;
                }
                results.insert(name, outcome);
            }
            println!(
                "{program}: {done} tests in {:.0} s, {} left",
                begin.elapsed().as_secs_f64(),
                left.len()
            );
        }
    }
    Ok(results)
}

fn programs(directory: &Path) -> Result<Vec<String>> {
    let read = || format!("cannot read {}", directory.display());
    let mut programs = Vec::new();
    for entry in fs::read_dir(directory).with_context(read)? {
        let entry = entry.with_context(read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut magic = [0; 4];
        let file = File::open(entry.path());
        let is_read = file.and_then(|mut file| file.read_exact(&mut magic));
        if is_read.is_ok() && magic == *b"\x7fELF" && !name.contains(".so") {
            programs.push(name);
        }
    }
    programs.sort();
    Ok(programs)
}

/// Lists the tests in a program.
fn list(root: &Path, selection: &Selection, program: &str) -> Result<Vec<String>> {
    let filter = format!("--gtest_filter={}", selection.filter);
    let arguments = ["--gtest_list_tests", &filter];
    let output = execute(root, &selection.target, program, &arguments, LIST_SECONDS)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut tests = Vec::new();
    let mut group = "";
    for line in text.lines() {
        let name = line.split('#').next().unwrap_or_default().trim_end();
        match name.strip_prefix("  ") {
            Some(test) if !group.is_empty() => {
                let test = format!("{group}{}", test.trim());
                if !is_disabled(&test) {
                    tests.push(test);
                }
            }
            _ if name.ends_with('.') && !name.contains(' ') => group = name,
            _ => group = "",
        }
    }
    // Not every program uses GoogleTest.
    if tests.is_empty() && selection.filter == "*" {
        println!("{program} lists no tests: it is run as a whole");
        tests.push(WHOLE.to_owned());
    }
    Ok(tests)
}

/// True for a test that GoogleTest lists but does not run.
fn is_disabled(test: &str) -> bool {
    test.split(['.', '/'])
        .any(|part| part.starts_with("DISABLED_"))
}

/// Runs tests in one process, and returns the outcomes of the tests and the output of the process. If the process
/// crashes or times out, there may be fewer outcomes than tests.
fn run_batch(
    root: &Path,
    selection: &Selection,
    program: &str,
    tests: &[&String],
    time: Duration,
) -> Result<(Vec<Outcome>, String)> {
    let names: Vec<&str> = tests.iter().map(|it| it.as_str()).collect();
    let filter = format!("--gtest_filter={}", names.join(":"));
    let seconds = match tests {
        [_] => TEST_SECONDS,
        _ => time.as_secs().clamp(TEST_SECONDS, 6 * TEST_SECONDS),
    };
    let output = execute(root, &selection.target, program, &[&filter], seconds)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if tests.len() == 1 && tests[0] == WHOLE {
        let outcome = match output.status.code() {
            Some(0) => Outcome::Passed,
            Some(TIMED_OUT) => Outcome::TooSlow,
            _ => Outcome::Failed,
        };
        return Ok((vec![outcome], text));
    }
    let ended = outcomes_of(&text);
    let mut outcomes: Vec<Outcome> = names
        .iter()
        .map_while(|test| ended.get(test).copied())
        .collect();
    if outcomes.len() == tests.len() {
        return Ok((outcomes, text));
    }
    // The next test was running when the process ended. If the whole batch timed out, the test runs again on its own.
    let is_late = output.status.code() == Some(TIMED_OUT);
    if is_late && tests.len() > 1 {
        if outcomes.is_empty() {
            return run_batch(root, selection, program, &tests[..1], time);
        }
        return Ok((outcomes, text));
    }
    let has_no_code =
        text.contains("no kernel image is available") || text.contains("hipErrorNoBinaryForGpu");
    outcomes.push(match (is_late, has_no_code) {
        (true, _) => Outcome::TooSlow,
        (false, true) => Outcome::NoCode,
        (false, false) => Outcome::Crashed,
    });
    Ok((outcomes, text))
}

/// Prints the result table. Returns an error that lists unexpected failures, and known failures that passed.
fn report(selection: &Selection, results: &BTreeMap<String, Outcome>) -> Result<()> {
    let mut table = String::new();
    for outcome in Outcome::ALL {
        let count = results.values().filter(|it| **it == outcome).count();
        let _ = write!(table, "{} {count}, ", outcome.name());
    }
    let Selection {
        suite,
        release,
        target,
        ..
    } = selection;
    println!(
        "{} of {} on {target}: {}",
        suite.name,
        release.name,
        table.trim_end_matches(", ")
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(KNOWN);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let known: Vec<(&str, &str)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .filter(|(place, _)| is_of(place, selection))
        .filter_map(|(place, _)| place.rsplit_once(' '))
        .collect();
    let is_known = |test: &str| known.iter().any(|(_, pattern)| test.contains(pattern));
    let mut problems = Vec::new();
    for (test, outcome) in results {
        if outcome.is_failure() && !is_known(test) {
            problems.push(format!("{test} {}", outcome.name()));
        }
        if *outcome == Outcome::Passed && is_known(test) {
            problems.push(format!("{test} passed, though {KNOWN} says that it fails"));
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    bail!(
        "{} differs from xtask/{KNOWN}:\n  {}",
        suite.name,
        problems.join("\n  ")
    )
}

/// True if a known failure, `SUITE RELEASE TARGET TEST` with `*` for any, applies to this run.
fn is_of(place: &str, selection: &Selection) -> bool {
    let own = [
        selection.suite.name,
        selection.release.name,
        &selection.target,
    ];
    let mut words = place.split(' ');
    own.iter()
        .all(|own| words.next().is_some_and(|word| word == "*" || word == *own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_a_suite_a_release_and_a_sample() {
        let selection = Selection::parse(&[
            "rocfft",
            "--release",
            "sid",
            "--target",
            "gfx803",
            "--sample",
            "500",
        ]);
        let selection = selection.expect("they are right");
        assert_eq!(
            (selection.suite.name, selection.release.name),
            ("rocfft", "sid")
        );
        assert_eq!(
            (selection.target.as_str(), selection.sample),
            ("gfx803", 500)
        );
        assert!(
            is_of("rocfft * gfx803 some_test", &selection)
                && !is_of("rocfft * gfx900 some_test", &selection)
        );
        for words in [
            &[][..],
            &["rocfoo"],
            &["rocfft", "--sample", "0"],
            &["rocfft", "--release"],
        ] {
            assert!(Selection::parse(words).is_err(), "{words:?}");
        }
    }
}
