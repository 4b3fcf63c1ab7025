//! Process that runs a launch file.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::launches::LaunchFile;
use super::row::{Row, RowOutcome};
use crate::render::printable;

/// Grace period for a process to exit after its time limit or a signal, and for its output to close after its exit.
const GRACE: Duration = Duration::from_secs(5);
/// Maximum interval at which a process is polled.
const POLL: Duration = Duration::from_millis(20);
/// Number of bytes kept from the start of a process's output, and minimum number kept from the end of longer output.
const KEPT: usize = 32 << 10;

/// Settings shared by all processes.
pub struct ChildTerms<'a> {
    /// Path of `gcn`.
    pub program: PathBuf,
    /// True to run `gcn check` instead of `gcn run`.
    pub check: bool,
    /// Time limit of a launch file.
    pub timeout: Duration,
    /// Number of host threads, for launch files that do not set it.
    pub threads: usize,
    /// Options given after `--`.
    pub options: &'a [OsString],
    /// Directory for the SARIF log of each process.
    pub logs: &'a Path,
    /// Set by the first signal.
    pub interrupted: &'a AtomicBool,
}

/// Runs a launch file to completion.
pub fn run(terms: &ChildTerms<'_>, index: usize, launch: &LaunchFile) -> Row {
    let start = Instant::now();
    let log = terms.logs.join(format!("{index}.sarif"));
    let row = |outcome, report, log| Row {
        path: printable(&launch.path.display().to_string()),
        outcome,
        seconds: start.elapsed().as_secs_f64(),
        report,
        log,
    };
    if terms.interrupted.load(SeqCst) {
        return row(RowOutcome::Interrupted, "not started\n".to_owned(), None);
    }
    let (status, mut report) = match execute(&mut command(terms, launch, &log), terms) {
        Ok(ended) => ended,
        Err(error) => {
            let report = format!("error: cannot run gcn: {error}\n");
            return row(RowOutcome::Error, report, None);
        }
    };
    let written = fs::read(&log).ok();
    let written = written.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let findings = written
        .as_ref()
        .and_then(|log| log.pointer("/runs/0/results")?.as_array())
        .map_or(0, Vec::len);
    let outcome = match status {
        Some(status) => RowOutcome::of(status.code(), findings),
        None if terms.interrupted.load(SeqCst) => RowOutcome::Interrupted,
        None => {
            let seconds = (terms.timeout + GRACE).as_secs_f64();
            report += &format!("killed after {seconds} s: it did not stop at its time limit\n");
            RowOutcome::Timeout
        }
    };
    if let (RowOutcome::Crash, Some(status)) = (outcome, status) {
        report += &format!("the process ended with {status}\n");
    }
    row(outcome, report, written)
}

/// Command that runs a launch file.
fn command(terms: &ChildTerms<'_>, launch: &LaunchFile, log: &Path) -> Command {
    let mut command = Command::new(&terms.program);
    command.arg("--color=never");
    command.arg(if terms.check { "check" } else { "run" });
    if terms.check {
        command.arg("--sarif-log").arg(log);
    }
    if !launch.has_threads {
        command.arg("--threads").arg(terms.threads.to_string());
    }
    command.args(terms.options);
    if launch.timeout.is_none_or(|own| own > terms.timeout) {
        command.arg("--timeout");
        command.arg(terms.timeout.as_secs_f64().to_string());
    }
    // The path may begin with `-`.
    command.arg("--").arg(&launch.path);
    command.stdin(Stdio::null());
    command
}

/// Runs a command. Returns its exit status (`None` if it was killed) and its output.
///
/// # Errors
/// Fails if the command cannot be started or waited for.
fn execute(
    command: &mut Command,
    terms: &ChildTerms<'_>,
) -> io::Result<(Option<ExitStatus>, String)> {
    let (reader, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let child = command.spawn();
    // Drop the write ends in `command`, which would keep the pipe open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child?;
    let (send, output) = mpsc::channel();
    // The thread is not joined, because a process that the child left running may keep the pipe open.
    thread::spawn(move || {
        let _ = send.send(read_ends(reader));
    });
    let ended = wait(&mut child, terms)?;
    let output = output.recv_timeout(GRACE);
    let text = output
        .unwrap_or_else(|_| "the output is unknown: another process holds it open\n".to_owned());
    Ok((ended, text))
}

/// Waits for a child to exit. If it is still running [`GRACE`] after its time limit or a signal, kills it and returns `None`.
fn wait(child: &mut Child, terms: &ChildTerms<'_>) -> io::Result<Option<ExitStatus>> {
    let mut deadline = Instant::now().checked_add(terms.timeout.saturating_add(GRACE));
    let mut is_stopping = false;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let now = Instant::now();
        if terms.interrupted.load(SeqCst) && !is_stopping {
            // A terminal sends the signal to the child, too.
            is_stopping = true;
            deadline = now.checked_add(GRACE);
        }
        if deadline.is_some_and(|deadline| now >= deadline) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(POLL);
    }
}

/// Reads a stream as text, dropping the middle if it is long.
fn read_ends(mut stream: impl Read) -> String {
    let mut kept = Vec::new();
    let mut end = Vec::new();
    let mut skipped = 0;
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        let begins = count.min(KEPT - kept.len());
        kept.extend_from_slice(&buffer[..begins]);
        end.extend_from_slice(&buffer[begins..count]);
        if end.len() > 2 * KEPT {
            let excess = end.len() - KEPT;
            end.drain(..excess);
            skipped += excess;
        }
    }
    let mut text = String::from_utf8_lossy(&kept).into_owned();
    if skipped > 0 {
        text += &format!("\n[{skipped} bytes are left out here]\n");
    }
    text + &String::from_utf8_lossy(&end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_keeps_both_ends() {
        assert_eq!(read_ends(&b"short\n"[..]), "short\n");
        let long: String = (0..100_000).map(|line| format!("{line}\n")).collect();
        let text = read_ends(long.as_bytes());
        assert!(text.starts_with("0\n1\n") && text.ends_with("99998\n99999\n"));
        assert!(text.contains("bytes are left out here") && text.len() < 4 * KEPT);
    }
}
