//! Tests of compiled kernels. Clang builds every source under `tests/kernels/` for each target, `gcn run` runs it, and
//! the result must match that of the same source under OpenCL on the host. `tests/README.md` describes the sources.
//!
//! `cargo test` runs every kernel in the build selected by [`is_tested`], or in all builds if its header says so: under
//! `gcn run`, with and without variations, and under `gcn check`, with default and other checks. Findings must be those
//! in its header. In some kernels, waits are modified, and `gcn check` must report the missing waits that a register
//! needs; `--mutants` (`cargo xtask mutants`) tests all waits of all kernels and prints counts. Some kernels run with
//! modified inputs, and `why` must name the inputs that change a result. `--table` (`cargo xtask kernels`) runs all
//! kernels in all builds and prints a table. `--bench` (`cargo xtask bench run`) times kernels that have sizes for
//! timing.

mod bench;
mod bench_check;
mod bench_oclgrind;
mod case;
mod compare;
mod compile;
mod emulate;
#[path = "../../../../xtask/src/measure.rs"]
mod measure;
mod mutants;
mod reference;
mod table;
mod truth;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use gcn_observe::finding::Kind;
use libtest_mimic::{Arguments, Failed, Trial};

use case::{Case, Purpose};
use compile::{Build, COMPILERS, Compiler, LEVELS, TARGETS};
use emulate::Mode;
use reference::Results;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("--table") => return table::main(arguments),
        Some("--bench") => return bench::main(arguments),
        Some("--mutants") => return mutants::main(arguments),
        _ => {}
    }
    let arguments = Arguments::from_args();
    // Without the reference, no kernel can be compared: report one failure, not one for each build.
    let cases = reference::check_host().and_then(|()| case::all(Purpose::Test));
    let trials = match cases {
        Ok(cases) => cases.into_iter().flat_map(trials).collect(),
        Err(error) => vec![Trial::test("kernels", || Err(Failed::from(error)))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Kernel with its reference, which is computed on first use.
struct Job {
    case: Case,
    reference: OnceLock<Result<Results, String>>,
}

impl Job {
    fn new(case: Case) -> Job {
        Job {
            case,
            reference: OnceLock::new(),
        }
    }

    /// Builds that the kernel supports.
    fn builds(&self) -> Vec<Build> {
        let more = self.case.header.versions.iter().copied();
        let compilers = COMPILERS.into_iter().chain(more.map(Compiler::for_version));
        let mut builds = Vec::new();
        for compiler in compilers {
            for level in LEVELS {
                for target in TARGETS {
                    builds.push(Build {
                        compiler,
                        level,
                        target,
                    });
                }
            }
        }
        builds.retain(|build| build.exception(&self.case).is_none());
        builds
    }

    /// Builds the kernel, runs or checks it, and compares the results. Returns the version of Clang used.
    fn check(&self, build: Build, mode: Mode) -> Result<u32, String> {
        let reference = self
            .reference
            .get_or_init(|| reference::reference(&self.case))
            .as_ref()
            .map_err(|error| format!("the reference: {error}"))?;
        let built = compile::build(&self.case, build)?;
        let options = ["--threads", "1"];
        let emulate::EmulationResults { results, findings } = emulate::emulate(
            emulate::GCN,
            mode,
            &self.case,
            &built.object,
            &format!("{build} {mode:?}"),
            &options,
        )?;
        compare::compare(&self.case.buffers, &results, reference)?;
        if self.case.header.prints && results.printed != reference.printed {
            return Err(format!(
                "printed:\n{}\ninstead of:\n{}",
                results.printed, reference.printed
            ));
        }
        if mode.checks() {
            self.check_findings(build, mode, &findings)?;
        }
        Ok(built.clang)
    }

    /// Compares findings with those in the kernel's header.
    ///
    /// # Errors
    /// Fails if a finding is not in the header, or an expected one is missing in the tested build.
    fn check_findings(
        &self,
        build: Build,
        mode: Mode,
        found: &BTreeSet<String>,
    ) -> Result<(), String> {
        let named = self.case.header.findings.keys();
        let is_looked_for = |name: &&String| {
            let mut kinds = Kind::ALL.iter();
            let kind = kinds.find(|kind| kind.name() == **name);
            kind.is_none_or(|kind| mode.includes(kind.about().check))
        };
        let named: BTreeSet<String> = named.filter(is_looked_for).cloned().collect();
        let list = |names: &mut dyn Iterator<Item = &String>| {
            names.cloned().collect::<Vec<_>>().join(", ")
        };
        let made = build.findings(&self.case);
        let unknown = list(&mut found.difference(&(&named | &made)));
        if !unknown.is_empty() {
            return Err(format!("findings: {unknown}"));
        }
        let missing = list(&mut named.difference(found));
        if is_tested(build) && !missing.is_empty() {
            return Err(format!(
                "the header names findings that there are not: {missing}"
            ));
        }
        Ok(())
    }
}

/// True for the build in which `cargo test` runs every kernel.
fn is_tested(build: Build) -> bool {
    build.target == "gfx900" && build.level == "-O2" && build.compiler == COMPILERS[1]
}

fn trials(case: Case) -> Vec<Trial> {
    let everywhere = case.header.everywhere;
    let job = Arc::new(Job::new(case));
    let mut builds = job.builds();
    if !everywhere && builds.iter().any(|build| is_tested(*build)) {
        builds.retain(|build| is_tested(*build));
    }
    let trial = |build: Build, mode: Mode| {
        let how = match mode {
            Mode::Run => "",
            Mode::Vary => ", varied",
            Mode::Check => ", checked",
            Mode::CheckMore => ", checked more",
        };
        let name = format!("{} on {build}{how}", job.case.name);
        let job = job.clone();
        Trial::test(name, move || {
            job.check(build, mode).map(drop).map_err(Failed::from)
        })
    };
    let one = builds.iter().copied().find(|build| is_tested(*build));
    let runs = builds.iter().map(|build| (*build, Mode::Run));
    let more = [Mode::Vary, Mode::Check, Mode::CheckMore].map(|mode| Some((one?, mode)));
    let all = runs.chain(more.into_iter().flatten());
    let mut trials: Vec<Trial> = all.map(|(build, mode)| trial(build, mode)).collect();
    let all = job.builds().into_iter();
    for build in all.filter(|build| mutants::is_sample(&job.case, *build)) {
        let (name, job) = (
            format!("{} on {build}, waits changed", job.case.name),
            job.clone(),
        );
        let check = move || mutants::check_all(&job.case, build).map_err(Failed::from);
        trials.push(Trial::test(name, check));
    }
    if let Some(build) = one.filter(|_| truth::is_chosen(&job.case)) {
        let name = format!("{} on {build}, inputs changed", job.case.name);
        let check = move || truth::check(&job.case, build).map_err(Failed::from);
        trials.push(Trial::test(name, check));
    }
    trials
}

/// Prints a line to standard output.
#[allow(clippy::print_stdout)]
fn say(line: &str) {
    println!("{line}");
}
