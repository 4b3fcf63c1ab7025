//! `gcn test`: runs launch files, each in its own process, and summarizes the results.

// In import order: a module imports only from modules above it.
mod launches;
mod row;
mod process;
mod summary;
mod junit;
mod sarif;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use gcn_report::settings;
use gcn_runtime::error_names::HOST_LIMIT;

use crate::outputs::FileIdentity;
use crate::problem::{OUTPUT_CONFLICT, Problem};
use crate::run::{InterruptCause, StopHandle};
use crate::{Status, UsageError, check, outputs, render, run};
use launches::LaunchFile;
use process::ChildTerms;
use row::Row;
use summary::Summary;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn test launches
  gcn test launches --check --jobs 4 --junit tests.xml --sarif tests.sarif
  gcn test launches/sum.toml launches/scan.toml --verbose
  gcn test launches --filter reduce --timeout 20 -- --late --schedule 'random(7)'

Exit status: 0 if all launch files passed, 1 if one did not, 2 if none was run or a report could not be written.";

/// Default time limit of a launch file in seconds.
const DEFAULT_TIMEOUT: &str = "300";
/// Maximum value of `--jobs`.
const MAX_JOBS: u64 = 1024;

/// The arguments of `gcn test`.
#[derive(clap::Args)]
pub struct Args {
    /// Launch files, or directories to search for them: `*.toml` with the key `file`.
    #[arg(required = true, value_name = "DIR|FILE")]
    paths: Vec<PathBuf>,
    /// Run `gcn check` instead of `gcn run`; a finding is a failure.
    #[arg(long)]
    check: bool,
    /// Number of launch files to run in parallel; by default the number of host threads.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_JOBS))]
    jobs: Option<u64>,
    /// Run only launch files whose path contains TEXT; can be repeated to select more.
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Stop the run of a launch file after S seconds, including compilation.
    #[arg(long, value_name = "S", value_parser = settings::seconds, default_value = DEFAULT_TIMEOUT)]
    timeout: Duration,
    /// Print one line per launch file instead of one character.
    #[arg(short, long)]
    verbose: bool,
    /// Write the results to FILE as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the findings and the failed launch files to FILE in SARIF.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Options of `gcn run`, or of `gcn check` with --check, for every launch file.
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<OsString>,
}

/// Options after `--`, without `--check`.
#[derive(Parser)]
#[command(name = "gcn run", no_binary_name = true, disable_help_flag = true)]
struct RunCommand {
    #[command(flatten)]
    run: run::Args,
}

/// Options after `--`, with `--check`.
#[derive(Parser)]
#[command(name = "gcn check", no_binary_name = true, disable_help_flag = true)]
struct CheckCommand {
    #[command(flatten)]
    check: check::Args,
}

/// Runs the command. If launch files cannot be run or a report cannot be written, the error is printed and the status
/// is [`Status::BadUsage`], which differs from the status of failing launch files.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let prepared = check_options(args)
        .and_then(|()| launches::find(&args.paths, &args.filter))
        .and_then(|launches| check_reports(args, &launches).map(|()| launches));
    let launches = match prepared {
        Ok(launches) => launches,
        Err(error) => {
            render::complain(&error);
            return Ok(Status::BadUsage);
        }
    };
    let interrupted = Arc::<AtomicBool>::default();
    let ran = StopHandle::listen(&interrupted, None)
        .with_context(|| Problem::new(HOST_LIMIT, "cannot handle signals"))
        .and_then(|stop| Ok((stop, run_all(args, &launches, &interrupted, out)?)));
    let (stop, (rows, seconds)) = match ran {
        Ok(ran) => ran,
        Err(error) if error.is::<Problem>() => {
            render::complain(&error);
            return Ok(Status::BadUsage);
        }
        Err(error) => return Err(error),
    };
    let reports = [
        args.junit
            .as_deref()
            .map(|path| outputs::write(path, |file| junit::write(&rows, seconds, file))),
        args.sarif
            .as_deref()
            .map(|path| outputs::write(path, |file| sarif::write(&rows, file))),
    ];
    let mut is_written = true;
    for error in reports.into_iter().flatten().filter_map(Result::err) {
        render::complain(&error);
        is_written = false;
    }
    Ok(if interrupted.load(SeqCst) {
        match stop.cause() {
            InterruptCause::Terminate => Status::Terminated,
            InterruptCause::Interrupt | InterruptCause::Timeout(_) => Status::Interrupted,
        }
    } else if !is_written {
        Status::BadUsage
    } else if rows.iter().all(|row| row.outcome.passed()) {
        Status::Success
    } else {
        Status::BadInput
    })
}

/// Checks the options after `--`.
///
/// # Errors
/// Fails if an option is invalid, sets the time limit, or names an output file, which every launch file would
/// overwrite.
fn check_options(args: &Args) -> Result<()> {
    let usage = |error: clap::Error| {
        let text = error.to_string();
        let text = text.lines().next().unwrap_or_default();
        let text = text.strip_prefix("error: ").unwrap_or(text);
        UsageError(format!("after `--`: {text}"))
    };
    // Placeholder for the required positional argument.
    let input = [OsString::from("launch.toml")];
    let given = input.iter().chain(&args.options);
    let (writes_file, timeout) = if args.check {
        let options = CheckCommand::try_parse_from(given).map_err(usage)?.check;
        (options.writes_file(), options.timeout())
    } else {
        let options = RunCommand::try_parse_from(given).map_err(usage)?.run;
        (options.writes_file(), options.timeout)
    };
    if timeout.is_some() {
        let message = "after `--`: --timeout is an option of gcn test: give it before `--`";
        bail!(UsageError(message.to_owned()));
    }
    if writes_file {
        let message = "after `--`: every launch file would write to the same file";
        bail!(UsageError(message.to_owned()));
    }
    Ok(())
}

/// Checks that the reports can be written.
///
/// # Errors
/// Fails if a report cannot be created, would overwrite a launch file, or is the same file as the other report.
fn check_reports(args: &Args, launches: &[LaunchFile]) -> Result<()> {
    let junit = args.junit.as_deref();
    let sarif = args.sarif.as_deref();
    for (option, report) in [("--junit", junit), ("--sarif", sarif)] {
        if let Some(report) = report {
            outputs::check_place(report)?;
            outputs::refuse_inputs(option, report, launches.iter().map(|it| &*it.path))?;
        }
    }
    let identity = |report: Option<&Path>| report.and_then(FileIdentity::of);
    if identity(junit).is_some_and(|junit| identity(sarif) == Some(junit)) {
        let message = "--junit and --sarif name the same file";
        bail!(Problem::new(OUTPUT_CONFLICT, message));
    }
    Ok(())
}

/// Runs launch files and prints the summary. Returns the rows in the order of the files, and the wall-clock time in seconds.
///
/// # Errors
/// Fails if `out` cannot be written, the path of `gcn` is unknown, or the host cannot create a thread or a temporary
/// directory.
fn run_all(
    args: &Args,
    launches: &[LaunchFile],
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<(Vec<Row>, f64)> {
    let host_threads = thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or(host_threads, |jobs| jobs as usize);
    let jobs = jobs.min(launches.len());
    let refused = |message| move || Problem::new(HOST_LIMIT, message);
    let logs = tempfile::tempdir().with_context(refused("cannot make a temporary directory"))?;
    let terms = ChildTerms {
        program: std::env::current_exe().with_context(refused("the path of gcn is unknown"))?,
        check: args.check,
        timeout: args.timeout,
        // Parallel launches share the host's threads.
        threads: (host_threads / jobs).max(1),
        options: &args.options,
        logs: logs.path(),
        interrupted,
    };
    let start = Instant::now();
    let mut summary = Summary::new(out, launches.len(), args.verbose);
    summary.begin(jobs)?;
    let next = AtomicUsize::new(0);
    let mut rows: Vec<Option<Row>> = launches.iter().map(|_| None).collect();
    thread::scope(|scope| -> Result<()> {
        let (ended, rows_ended) = mpsc::channel();
        for _ in 0..jobs {
            let (ended, next, terms) = (ended.clone(), &next, &terms);
            let work = move || {
                loop {
                    let index = next.fetch_add(1, SeqCst);
                    let Some(launch) = launches.get(index) else {
                        break;
                    };
                    // The receiver has been dropped if the summary cannot be written.
                    if ended
                        .send((index, process::run(terms, index, launch)))
                        .is_err()
                    {
                        break;
                    }
                }
            };
            thread::Builder::new()
                .spawn_scoped(scope, work)
                .with_context(refused("cannot start a thread"))?;
        }
        drop(ended);
        for (index, row) in rows_ended {
            summary.ended(&row)?;
            rows[index] = Some(row);
        }
        Ok(())
    })?;
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    let seconds = start.elapsed().as_secs_f64();
    summary.finish(&rows, seconds)?;
    Ok((rows, seconds))
}
