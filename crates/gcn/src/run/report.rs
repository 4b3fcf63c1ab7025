//! Report of a run as text or JSON.

use std::borrow::Cow;
use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use gcn_report::{FaultReport, FindingReport, plural};
use gcn_runtime::memory::Memory;
use serde::Serialize;

use super::dispatch::FinishedLaunch;
use super::expect::{ComparisonOutcome, VerdictReport};
use super::fidelity;
use super::output::{BufferReport, MemoryView};
use crate::problem::{self, Problem};
use crate::render;
use crate::status::RunOutcome;

/// Results to report for a run.
pub struct RunResults<'a> {
    pub outcome: RunOutcome,
    /// Errors for files that could not be written.
    pub errors: &'a [Problem],
    /// Executed launches.
    pub launches: &'a [FinishedLaunch],
    /// Output of the kernels' `printf`.
    pub printed: &'a [u8],
    /// Notes about the launches.
    pub notes: &'a [String],
    /// Buffers to print.
    pub views: &'a [MemoryView],
    /// Results of comparisons.
    pub verdicts: &'a [ComparisonOutcome],
    /// Executed instructions by fidelity.
    pub fidelity: &'a [fidelity::FidelityGroup],
    /// Findings of checkers; `None` if there are no checkers.
    pub findings: Option<&'a [FindingReport]>,
    /// Fault that ended the run, unless a finding replaces its report.
    pub fault: Option<&'a FaultReport>,
    pub memory: &'a Memory,
}

/// Summarizes a launch in a line: workgroups, waves, instructions, seconds.
fn summary(done: &FinishedLaunch, threads: usize) -> String {
    let stats = done.stats;
    let times = match &done.times[..] {
        [only] => format!("{:.3} s", only.as_secs_f64()),
        several => {
            let seconds = several.iter().sum::<Duration>().as_secs_f64();
            let best = several.iter().min().map_or(0.0, Duration::as_secs_f64);
            let count = plural(several.len() as u64, "run", "s");
            format!("{seconds:.3} s for {count}, the best {best:.3} s,")
        }
    };
    format!(
        "{}: {}, {}, {}, {times} on {}",
        render::printable(&done.kernel),
        plural(stats.groups, "workgroup", "s"),
        plural(stats.waves, "wave", "s"),
        plural(stats.instructions, "wave instruction", "s"),
        plural(threads as u64, "thread", "s"),
    )
}

impl RunResults<'_> {
    /// Writes everything as text: results to `out`, the rest to standard error.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn print(&self, list_fidelity: bool, threads: usize, out: &mut dyn Write) -> Result<()> {
        out.write_all(self.printed)?;
        for view in self.views {
            view.print(self.memory, out)?;
        }
        for verdict in self.verdicts {
            verdict.print(out)?;
        }
        if list_fidelity {
            fidelity::print(self.fidelity, out)?;
        }
        // Flush, so that the output on standard error follows the results.
        out.flush()?;
        for done in self.launches {
            render::tell(format_args!("{}\n", summary(done, threads)));
        }
        for note in self.notes {
            render::tell(format_args!("note: {note}\n"));
        }
        if let Some(line) = fidelity::line(self.fidelity).filter(|_| !list_fidelity) {
            render::tell(format_args!("{line}\n"));
        }
        for error in self.errors {
            render::tell(format_args!(
                "{}",
                problem::line(error.name, &error.message)
            ));
        }
        if let Some(fault) = self.fault {
            render::tell(format_args!("error[{}]: {fault}\n", fault.name));
        }
        Ok(())
    }
}

/// JSON report of a run.
#[derive(Serialize)]
pub struct RunReport<'a> {
    outcome: RunOutcome,
    exit_status: u8,
    /// Messages for files that could not be written.
    errors: Vec<&'a str>,
    /// Name of each error, for `gcn explain`.
    names: Vec<Option<&'static str>>,
    target: &'a str,
    threads: usize,
    launches: Vec<LaunchReport<'a>>,
    /// Total number of workgroups.
    workgroups: u64,
    waves: u64,
    /// Number of executed wave instructions.
    instructions: u64,
    seconds: f64,
    notes: &'a [String],
    /// Output of the kernels' `printf`.
    printed: Cow<'a, str>,
    /// Contents of buffers selected by `--print`.
    buffers: Vec<BufferReport>,
    expectations: Vec<VerdictReport>,
    /// Executed instructions by fidelity.
    fidelity: &'a [fidelity::FidelityGroup],
    /// Findings of checkers, if there were any checkers.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<&'a [FindingReport]>,
    fault: Option<&'a FaultReport>,
}

/// JSON report of a launch.
#[derive(Serialize)]
struct LaunchReport<'a> {
    kernel: &'a str,
    grid: [u32; 3],
    group: [u32; 3],
    workgroups: u64,
    waves: u64,
    instructions: u64,
    seconds: f64,
    /// Duration of each repetition in seconds.
    times: Vec<f64>,
}

impl<'a> LaunchReport<'a> {
    fn new(done: &'a FinishedLaunch) -> LaunchReport<'a> {
        LaunchReport {
            kernel: &done.kernel,
            grid: done.shape.grid,
            group: done.shape.group,
            workgroups: done.stats.groups,
            waves: done.stats.waves,
            instructions: done.stats.instructions,
            seconds: done.times.iter().sum::<Duration>().as_secs_f64(),
            times: done.times.iter().map(Duration::as_secs_f64).collect(),
        }
    }
}

impl<'a> RunReport<'a> {
    /// Creates the report of a run on a `target` device with `threads` host threads.
    pub fn new(results: &RunResults<'a>, target: &'a str, threads: usize) -> RunReport<'a> {
        let launches: Vec<LaunchReport> = results.launches.iter().map(LaunchReport::new).collect();
        let sum = |of: fn(&LaunchReport) -> u64| launches.iter().map(of).sum();
        RunReport {
            outcome: results.outcome,
            exit_status: results.outcome.status() as u8,
            errors: results.errors.iter().map(|it| &*it.message).collect(),
            names: results.errors.iter().map(|it| it.name).collect(),
            target,
            threads,
            workgroups: sum(|launch| launch.workgroups),
            waves: sum(|launch| launch.waves),
            instructions: sum(|launch| launch.instructions),
            seconds: launches.iter().map(|launch| launch.seconds).sum(),
            launches,
            notes: results.notes,
            printed: String::from_utf8_lossy(results.printed),
            buffers: results
                .views
                .iter()
                .map(|view| view.report(results.memory))
                .collect(),
            expectations: results
                .verdicts
                .iter()
                .map(ComparisonOutcome::report)
                .collect(),
            fidelity: results.fidelity,
            findings: results.findings,
            fault: results.fault,
        }
    }

    /// Writes the report.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        render::json(self, out)?;
        Ok(())
    }
}
