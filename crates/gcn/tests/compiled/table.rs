//! Table of all kernels in all builds.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use crate::case::{self, Case, Purpose};
use crate::compile::{Build, LEVELS, TARGETS};
use crate::emulate::Mode;
use crate::{COMPILERS, Job, say};

/// Selected rows and columns: part of a kernel's name, and values of options.
#[derive(Default)]
pub struct Choice {
    filter: String,
    target: Option<String>,
    level: Option<String>,
    compiler: Option<String>,
    /// True to run `gcn check`.
    check: bool,
    /// Maximum number of executed mutants per build.
    most: Option<usize>,
    /// True to run mutants with late memory operations even if they are reported.
    late: bool,
}

impl Choice {
    /// Parses the options.
    ///
    /// # Errors
    /// Returns a list of the options if an argument is invalid.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Choice, String> {
        let mut choice = Choice::default();
        while let Some(argument) = arguments.next() {
            let place = match &*argument {
                "--target" => &mut choice.target,
                "--level" => &mut choice.level,
                "--compiler" => &mut choice.compiler,
                "--check" => {
                    choice.check = true;
                    continue;
                }
                "--late" => {
                    choice.late = true;
                    continue;
                }
                "--most" => {
                    let number = arguments.next().and_then(|it| it.parse().ok());
                    let number = number.filter(|it| *it > 0);
                    choice.most = Some(number.ok_or("--most wants a number")?);
                    continue;
                }
                filter if !filter.starts_with('-') => {
                    choice.filter = argument;
                    continue;
                }
                unknown => {
                    return Err(format!(
                        "`{unknown}` is not known; there are --target, --level, --compiler, --check, --most, --late"
                    ));
                }
            };
            *place = Some(
                arguments
                    .next()
                    .ok_or(format!("{argument} wants a value"))?,
            );
        }
        if let Some(level) = &mut choice.level
            && !level.starts_with('-')
        {
            *level = format!("-{level}");
        }
        Ok(choice)
    }

    /// True if the options select a build.
    pub fn takes(&self, build: &Build) -> bool {
        let is = |wanted: &Option<String>, value: &str| wanted.as_ref().is_none_or(|w| w == value);
        is(&self.target, build.target)
            && is(&self.level, build.level)
            && is(&self.compiler, &build.compiler.to_string())
    }

    /// Maximum number of executed mutants to test per build.
    pub fn most(&self) -> usize {
        self.most.unwrap_or(usize::MAX)
    }

    /// True if mutants run with late memory operations even if they are reported.
    pub fn late(&self) -> bool {
        self.late
    }

    /// True if the options select a kernel.
    pub fn takes_case(&self, case: &Case) -> bool {
        case.name.contains(&self.filter)
    }
}

/// Outcome of a build of a kernel.
#[derive(Clone)]
enum Cell {
    /// Passed, with this version of Clang.
    Passed(u32),
    Failed(String),
}

/// Runs the selected kernels, and prints the table.
pub fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let cases = Choice::parse(arguments).and_then(|choice| Ok((choice, case::all(Purpose::Test)?)));
    let (choice, cases) = match cases {
        Ok(both) => both,
        Err(error) => {
            say(&format!("error: {error}"));
            return ExitCode::from(2);
        }
    };
    let jobs: Vec<Job> = cases
        .into_iter()
        .filter(|case| choice.takes_case(case))
        .map(Job::new)
        .collect();
    let work: Vec<(usize, Build)> = jobs
        .iter()
        .enumerate()
        .flat_map(|(n, job)| job.builds().into_iter().map(move |build| (n, build)))
        .filter(|(_, build)| choice.takes(build))
        .collect();
    let begin = Instant::now();
    let mode = if choice.check { Mode::Check } else { Mode::Run };
    let cells = run_all(&jobs, &work, mode);
    print(&jobs, &choice, &work, &cells);
    let failed = cells
        .iter()
        .filter(|cell| matches!(cell, Cell::Failed(_)))
        .count();
    say(&format!(
        "{} kernels, {} runs, {failed} failed, {:.0} s",
        jobs.len(),
        work.len(),
        begin.elapsed().as_secs_f64()
    ));
    if failed == 0 && !work.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs builds in parallel on all of the host's processors.
fn run_all(jobs: &[Job], work: &[(usize, Build)], mode: Mode) -> Vec<Cell> {
    let next = AtomicUsize::new(0);
    let cells = Mutex::new(vec![None; work.len()]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, (job, build))) = {
                    let index = next.fetch_add(1, Relaxed);
                    work.get(index).map(|item| (index, *item))
                } {
                    let cell = match jobs[job].check(build, mode) {
                        Ok(clang) => Cell::Passed(clang),
                        Err(error) => Cell::Failed(error),
                    };
                    if let Ok(mut cells) = cells.lock() {
                        cells[index] = Some(cell);
                    }
                }
            });
        }
    });
    let cells = cells
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let lost = || Cell::Failed("the harness panicked".to_owned());
    cells
        .into_iter()
        .map(|cell| cell.unwrap_or_else(lost))
        .collect()
}

fn print(jobs: &[Job], choice: &Choice, work: &[(usize, Build)], cells: &[Cell]) {
    let width = jobs
        .iter()
        .map(|job| job.case.name.len())
        .max()
        .unwrap_or(0);
    let mut failures: Vec<(String, Vec<String>)> = Vec::new();
    let mut other = false;
    let mut last_head = String::new();
    for (n, job) in jobs.iter().enumerate() {
        let more = job.case.header.versions.iter().copied();
        let compilers = COMPILERS
            .into_iter()
            .chain(more.map(crate::Compiler::for_version));
        for compiler in compilers {
            let (mut head, mut row) = (String::new(), String::new());
            let mut any = false;
            for level in LEVELS {
                for target in TARGETS {
                    let build = Build {
                        compiler,
                        level,
                        target,
                    };
                    if !choice.takes(&build) {
                        continue;
                    }
                    let found = work.iter().position(|item| *item == (n, build));
                    let text = match found.map(|index| &cells[index]) {
                        Some(Cell::Passed(clang)) if *clang != compiler.clang => {
                            other = true;
                            "pass*"
                        }
                        Some(Cell::Passed(_)) => "pass",
                        Some(Cell::Failed(error)) => {
                            let text = format!("{}: {error}", job.case.name);
                            match failures.iter_mut().find(|(known, _)| *known == text) {
                                Some((_, builds)) => builds.push(build.to_string()),
                                None => failures.push((text, vec![build.to_string()])),
                            }
                            "FAIL"
                        }
                        None => "-",
                    };
                    any |= text != "-";
                    head.push_str(&format!(" {:>10}", format!("{target}{level}")));
                    row.push_str(&format!(" {text:>10}"));
                }
            }
            if any && head != last_head {
                say(&format!("{:width$} {:11}{head}", "kernel", "compiler"));
                last_head = head;
            }
            if any {
                say(&format!(
                    "{:width$} {:11}{row}",
                    job.case.name,
                    compiler.to_string()
                ));
            }
        }
    }
    if other {
        say("* by clang-15: clang-14 crashes on it");
    }
    for (failure, builds) in failures {
        say(&format!("{failure}\n    on {}", builds.join(", ")));
    }
    for job in jobs {
        for (what, why) in &job.case.header.except {
            say(&format!(
                "{} not on {what}: {}",
                job.case.name,
                why.as_str().unwrap_or_default()
            ));
        }
    }
}
