//! `gcn check`: runs a kernel with checkers, and reports their findings.

mod options;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use gcn_report::settings::{CheckSettings, FindingFormat};
use gcn_report::{Checking, Notification, write_findings};

use crate::findings::{self, CONFLICT, shown};
use crate::{Status, UsageError, failure, outputs, render, run};
pub use options::CheckOptions;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn check launch.toml
  gcn check saxpy.cl --grid 256 --arg y=f32*256 --arg x=f32*256:iota --arg a=2
  gcn check launch.toml --only waits --format sarif --output findings.sarif
  gcn check launch.toml --gen-suppressions --output known.toml
  gcn check launch.toml --suppress known.toml";

/// The arguments of `gcn check`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
#[group(skip)]
pub struct Args {
    /// Options of the run.
    #[command(flatten)]
    run: run::Args,
    /// Options of the checkers.
    #[command(flatten)]
    check: CheckOptions,
    /// Also write the findings to FILE in SARIF, for `gcn test`.
    #[arg(long, value_name = "FILE", hide = true)]
    sarif_log: Option<PathBuf>,
}

impl Args {
    /// True if the options name an output file.
    pub fn writes_file(&self) -> bool {
        self.run.writes_file() || self.sarif_log.is_some() || self.check.write_file()
    }

    /// Time limit of the run.
    pub fn timeout(&self) -> Option<Duration> {
        self.run.timeout
    }
}

/// Runs the command.
///
/// # Errors
/// Fails if an output cannot be written. Other errors are reported.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let json = args.run.json || args.check.write_json();
    let checking = match checking(args, json) {
        Ok(checking) => checking,
        Err(error) => return failure::report(error, json, out),
    };
    let settings = checking.settings();
    let format = settings.format;
    let file = match findings::file(settings) {
        Ok(file) => file,
        Err(error) => return failure::report(error, json, out),
    };
    // JSON on standard output is the report of the run, which contains the findings.
    let is_report = format == FindingFormat::Json && file.is_none();
    let keeps_output = !findings::take_stdout(settings);
    let run::CheckResult {
        status,
        findings: found,
        errors,
        brief,
    } = if is_report || keeps_output {
        run::run_checked(&args.run, is_report, Some(&checking), out)?
    } else {
        run::run_checked(&args.run, false, Some(&checking), &mut io::stderr())?
    };
    let has_begun = found.is_some();
    let found = found.as_deref().unwrap_or_default();
    let unwatched = checking.unwatched();
    let errors = errors
        .into_iter()
        .map(|it| Notification::error(it.name, it.message));
    let notes = unwatched.iter().map(Notification::note);
    let notifications: Vec<Notification> = errors.chain(notes).collect();
    if let Some(path) = &args.sarif_log {
        let sarif = CheckSettings {
            format: FindingFormat::Sarif,
            gen_suppressions: false,
            ..settings.clone()
        };
        outputs::write(path, |file| {
            write_findings(found, &notifications, &sarif, file)
        })?;
    }
    match file {
        // The run may have been refused because the file is an input.
        Some(_) if !has_begun => {}
        Some(path) => {
            let write = |file: &mut dyn Write| checking.write(found, &notifications, file);
            if let Err(error) = outputs::write(path, write) {
                // The findings must not be lost.
                findings::tell(found);
                return Err(error);
            }
        }
        None if is_report => {}
        None if keeps_output => findings::tell(found),
        None => checking.write(found, &notifications, out)?,
    }
    if let Some(brief) = brief {
        render::tell(format_args!("{brief}"));
    }
    // With these statuses, an error has been reported: the run did not start, or an output could not be written. Without
    // findings, nothing is counted then.
    let is_error = matches!(status, Status::BadInput | Status::BadUsage);
    let has_run = !is_error || !found.is_empty();
    if format == FindingFormat::Text && has_run {
        let of = |severity: &str| found.iter().filter(|it| it.severity == severity).count();
        let counted = render::totals(of("error"), of("warning")).or(unwatched);
        let counted = counted.as_deref().unwrap_or("no findings");
        render::tell(format_args!("{counted}\n"));
    } else if let Some(unwatched) = unwatched.filter(|_| has_run && !is_report) {
        render::tell(format_args!("{unwatched}\n"));
    }
    Ok(status)
}

/// Creates the checkers that the options select. With `json`, errors have no colours.
///
/// # Errors
/// Fails if the options conflict, or a suppression file cannot be read.
fn checking(args: &Args, json: bool) -> Result<Checking> {
    let mut settings = args.check.over(CheckSettings::default())?;
    if args.run.json {
        let format = args.check.format();
        if format.is_some_and(|format| format != FindingFormat::Json) {
            let message = "--json means --format json, but --format selects another";
            bail!(UsageError(message.to_owned()));
        }
        settings.format = FindingFormat::Json;
    }
    // Only this kernel's launches are checked.
    settings.kernels.extend(args.run.kernel.clone());
    if settings.gen_suppressions && settings.format != FindingFormat::Text {
        bail!(UsageError(CONFLICT.to_owned()));
    }
    Checking::new(settings).map_err(|error| shown(error, json))
}
