//! Measures the time and memory that a command uses. The benchmarks in `crates/gcn`'s tests include this file too.

use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Time and memory used by a command.
pub(crate) struct ResourceUsage {
    /// Exit status.
    pub(crate) status: ExitStatus,
    /// Wall-clock time in seconds.
    pub(crate) seconds: f64,
    /// Peak memory in kilobytes, sampled from `/proc` while the command runs.
    pub(crate) kilobytes: u64,
}

/// Runs a command and discards its output.
///
/// # Errors
/// Fails if the command cannot be started or waited for.
pub(crate) fn measure(command: &mut Command) -> io::Result<ResourceUsage> {
    const INTERVAL: Duration = Duration::from_micros(500);
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let status = std::fs::read_to_string(&status_file).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = kilobytes.unwrap_or(0).max(peak);
        std::thread::sleep(INTERVAL);
    };
    Ok(ResourceUsage {
        status,
        seconds: begin.elapsed().as_secs_f64(),
        kilobytes: peak,
    })
}
