//! `gcn test`: runs launch files, each in a process of its own, and summarizes what became of them.

// In the order of their imports: a module names only modules above it.
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
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::problem::{OUTPUT_CONFLICT, Problem};
use crate::{Status, UsageError, check, outputs, render, run};
use launches::LaunchFile;
use process::ChildTerms;
use row::Row;
use summary::Summary;

/// For `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn test launches
  gcn test launches --check --jobs 4 --junit tests.xml --sarif tests.sarif
  gcn test launches/sum.toml launches/scan.toml --verbose
  gcn test launches --filter reduce --timeout 20 -- --late --schedule 'random(7)'

Exit status: 0 if all launch files passed, 1 if one did not, 2 if none was run or a report could not be written.";

/// Seconds that a launch file may take, without `--timeout`.
const DEFAULT_TIMEOUT: &str = "300";
/// Largest number of processes at the same time.
const MAX_JOBS: u64 = 1024;

/// The arguments of `gcn test`.
#[derive(clap::Args)]
pub struct Args {
    /// Launch files, or directories that are searched for them: for `*.toml` with the key `file`.
    #[arg(required = true, value_name = "DIR|FILE")]
    paths: Vec<PathBuf>,
    /// Run each launch file as `gcn check` does; a finding is a failure.
    #[arg(long)]
    check: bool,
    /// Number of launch files that run at the same time; as many as the host has threads by default.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_JOBS))]
    jobs: Option<u64>,
    /// Run only the launch files whose path contains this text; if given several times, one of the texts.
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Stop a launch file after S seconds; compilation counts.
    #[arg(long, value_name = "S", value_parser = settings::seconds, default_value = DEFAULT_TIMEOUT)]
    timeout: Duration,
    /// Print a line for each launch file, instead of a character.
    #[arg(short, long)]
    verbose: bool,
    /// Write the outcomes to a file in the format of JUnit.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the findings and the failed launch files to a file in SARIF.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Options of `gcn run`, or with --check of `gcn check`, for every launch file.
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<OsString>,
}

/// The options behind `--` without `--check`.
#[derive(Parser)]
#[command(name = "gcn run", no_binary_name = true, disable_help_flag = true)]
struct RunCommand {
    #[command(flatten)]
    run: run::Args,
}

/// The options behind `--` with `--check`.
#[derive(Parser)]
#[command(name = "gcn check", no_binary_name = true, disable_help_flag = true)]
struct CheckCommand {
    #[command(flatten)]
    check: check::Args,
}

/// Carries the command out. Errors that keep launch files from being run, or their outcomes from being written, are reported with
/// [`Status::BadUsage`], to be told from failures.
///
/// # Errors
/// `out` cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let prepared = check_usage(args).and_then(|()| launches::find(&args.paths, &args.filter));
    let launches = match prepared {
        Ok(launches) => launches,
        Err(error) => {
            render::complain(&error);
            return Ok(Status::BadUsage);
        }
    };
    let signal = Arc::new(AtomicUsize::new(0));
    let ran = listen(&signal).and_then(|()| run_all(args, &launches, &signal, out));
    let (rows, seconds) = match ran {
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
    Ok(match signal.load(SeqCst) as i32 {
        SIGINT => Status::Interrupted,
        SIGTERM => Status::Terminated,
        _ if !is_written => Status::BadUsage,
        _ if rows.iter().all(|row| row.outcome.passed()) => Status::Success,
        _ => Status::BadInput,
    })
}

/// Holds that the options behind `--` are those of the command and write no file, which every launch file would replace, and that
/// both reports can be written.
///
/// # Errors
/// They are not, or the reports are one file.
fn check_usage(args: &Args) -> Result<()> {
    let usage = |error: clap::Error| {
        let text = error.to_string();
        let text = text.lines().next().unwrap_or_default();
        let text = text.strip_prefix("error: ").unwrap_or(text);
        UsageError(format!("behind `--`: {text}"))
    };
    // A launch file, which the options have no place for.
    let input = [OsString::from("launch.toml")];
    let given = input.iter().chain(&args.options);
    let writes_file = if args.check {
        let options = CheckCommand::try_parse_from(given).map_err(usage)?;
        options.check.writes_file()
    } else {
        let options = RunCommand::try_parse_from(given).map_err(usage)?;
        options.run.writes_file()
    };
    if writes_file {
        let message = "behind `--`: every launch file would write to the same file";
        bail!(UsageError(message.to_owned()));
    }
    let reports: Vec<&Path> = [&args.junit, &args.sarif]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    for report in &reports {
        outputs::check_place(report)?;
    }
    if let [junit, sarif] = reports[..]
        && outputs::FileIdentity::of(junit)
            .is_some_and(|it| Some(it) == outputs::FileIdentity::of(sarif))
    {
        let message = "--junit and --sarif name the same file";
        bail!(Problem::new(OUTPUT_CONFLICT, message));
    }
    Ok(())
}

/// Has the first signal stored, and a second one end the tool.
///
/// # Errors
/// The system refuses to have the signals handled.
fn listen(signal: &Arc<AtomicUsize>) -> Result<()> {
    let seen = Arc::new(AtomicBool::new(false));
    for (number, status) in [(SIGINT, Status::Interrupted), (SIGTERM, Status::Terminated)] {
        // In this order: what is registered first looks at the flag before the last sets it.
        signal_hook::flag::register_conditional_shutdown(number, status as i32, seen.clone())
            .and_then(|_| {
                signal_hook::flag::register_usize(number, signal.clone(), number as usize)
            })
            .and_then(|_| signal_hook::flag::register(number, seen.clone()))
            .with_context(|| Problem::new(HOST_LIMIT, "cannot handle signals"))?;
    }
    Ok(())
}

/// Runs launch files, prints the summary, and returns a row for each, in their order, and the seconds that all took.
///
/// # Errors
/// `out` cannot be written, or the host has no room for threads or temporary files.
fn run_all(
    args: &Args,
    launches: &[LaunchFile],
    signal: &AtomicUsize,
    out: &mut dyn Write,
) -> Result<(Vec<Row>, f64)> {
    let host_threads = thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or(host_threads, |jobs| jobs as usize);
    let jobs = jobs.min(launches.len());
    let refused = |message| move || Problem::new(HOST_LIMIT, message);
    let logs = tempfile::tempdir().with_context(refused("cannot make a temporary directory"))?;
    let terms = ChildTerms {
        program: std::env::current_exe().with_context(refused("the path of gcn is not known"))?,
        check: args.check,
        timeout: args.timeout,
        // Those that run share the host.
        threads: (host_threads / jobs).max(1),
        options: &args.options,
        logs: logs.path(),
        signal,
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
                    // A summary that cannot be written needs no further rows.
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
