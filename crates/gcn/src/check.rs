//! `gcn check`: runs a kernel with checkers, and reports what they find.

mod sarif;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gcn_asm::closest;
use gcn_observe::finding::Check;
use gcn_runtime::report::FindingReport;

use crate::run::{self, Checking, Suppressions};
use crate::{Status, Usage, input, render};

/// For `--help`.
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
    /// The run.
    #[command(flatten)]
    run: run::Args,
    /// Its checkers.
    #[command(flatten)]
    check: Options,
}

/// Checkers, and what becomes of their findings.
#[derive(clap::Args)]
#[command(next_help_heading = "Checks")]
struct Options {
    /// Carry out these checks alone.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = check)]
    only: Vec<Check>,
    /// Leave out these checks.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = check)]
    except: Vec<Check>,
    /// Carry out these checks too, which are off otherwise.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = check)]
    also: Vec<Check>,
    /// Launches, repetitions counted, that are not checked at the beginning.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    launch_skip: u64,
    /// Launches that are checked; without, all.
    #[arg(long, value_name = "N")]
    launch_count: Option<u64>,
    /// Stop the run at N different findings.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    stop_at: Option<u64>,
    /// Form of the findings; --json is --format json.
    #[arg(long, value_enum, default_value_t = Format::Text, hide_default_value = true)]
    format: Format,
    /// Write the findings to a file instead of standard error, or of standard output in JSON and SARIF.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave out the findings that a file describes.
    #[arg(long, value_name = "FILE")]
    suppress: Vec<PathBuf>,
    /// Write a file for --suppress that describes all findings, in place of them.
    #[arg(long)]
    gen_suppressions: bool,
}

/// Form of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// As a compiler has its diagnostics.
    Text,
    /// The run's report, with the findings.
    Json,
    /// Static Analysis Results Interchange Format 2.1.0.
    Sarif,
}

/// A check by its name, or the error that names those that there are.
fn check(name: &str) -> Result<Check, String> {
    Check::find(name).ok_or_else(|| {
        let names = Check::ALL.iter().map(|it| it.name());
        let list = names.clone().collect::<Vec<_>>().join(", ");
        match closest(name, names) {
            Some(near) => format!("no check is called {name}; did you mean {near}?"),
            None => format!("no check is called {name}; there are {list}"),
        }
    })
}

impl Options {
    /// The checks that are carried out.
    fn checks(&self) -> Result<Vec<Check>> {
        let is_on = |it: &Check| {
            let is_base = if self.only.is_empty() {
                it.is_default()
            } else {
                self.only.contains(it)
            };
            (is_base || self.also.contains(it)) && !self.except.contains(it)
        };
        let checks: Vec<Check> = Check::ALL.iter().copied().filter(is_on).collect();
        if checks.is_empty() {
            return Err(
                Usage("no check is left: --except leaves all of them out".to_owned()).into(),
            );
        }
        Ok(checks)
    }

    fn checking(&self) -> Result<Checking> {
        let mut suppressions = Suppressions::default();
        for path in &self.suppress {
            let text = input::read_text(path)?;
            suppressions.extend(Suppressions::read(&text).with_context(|| input::name(path))?);
        }
        let watched = (self.launch_skip, self.launch_count.unwrap_or(u64::MAX));
        let stop_at = self
            .stop_at
            .map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok(Checking::new(
            &self.checks()?,
            watched,
            stop_at,
            suppressions,
        ))
    }

    /// Writes the findings in a form of their own.
    fn write(&self, format: Format, findings: &[FindingReport], out: &mut dyn Write) -> Result<()> {
        if self.gen_suppressions {
            write!(out, "{}", Suppressions::of(findings))?;
            return Ok(());
        }
        match format {
            Format::Sarif => render::json(&sarif::log(findings), out)?,
            Format::Json => render::json(findings, out)?,
            Format::Text => {
                for finding in findings {
                    writeln!(out, "{finding}\n")?;
                }
            }
        }
        Ok(())
    }
}

/// Carries the command out.
///
/// # Errors
/// `out` or another output cannot be written, or the options contradict each other.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let options = &args.check;
    let format = if args.run.json {
        Format::Json
    } else {
        options.format
    };
    let checking = options.checking()?;
    let file = match &options.output {
        Some(path) if path != Path::new(input::STDIN) => {
            let file = File::create(path)
                .with_context(|| format!("cannot write {}", input::name(path)))?;
            Some(BufWriter::new(file))
        }
        _ => None,
    };
    let is_report = format == Format::Json && file.is_none() && !options.gen_suppressions;
    // Standard output has the findings alone where they are for programs.
    let keeps_output = format == Format::Text && !options.gen_suppressions || file.is_some();
    let (status, findings) = if is_report || keeps_output {
        run::checked(&args.run, is_report, Some(&checking), out)?
    } else {
        run::checked(&args.run, false, Some(&checking), &mut io::stderr())?
    };
    match file {
        Some(mut file) => {
            options.write(format, &findings, &mut file)?;
            file.flush()?;
        }
        None if is_report => {}
        None if keeps_output => {
            let renderer = render::renderer();
            for finding in &findings {
                render::tell(format_args!("{}\n\n", finding.render(&renderer)));
            }
        }
        None => options.write(format, &findings, out)?,
    }
    // A run that did not begin has reported why.
    let has_run = !matches!(status, Status::BadInput | Status::BadUsage);
    if format == Format::Text && has_run {
        render::tell(format_args!("{}\n", summary(&findings)));
    }
    Ok(status)
}

/// A line that counts the findings.
fn summary(findings: &[FindingReport]) -> String {
    let of = |severity: &str| findings.iter().filter(|it| it.severity == severity).count();
    let counts = [(of("error"), "error"), (of("warning"), "warning")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, name)| format!("{count} {name}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if counts.is_empty() {
        "no findings".to_owned()
    } else {
        counts.join(", ")
    }
}
