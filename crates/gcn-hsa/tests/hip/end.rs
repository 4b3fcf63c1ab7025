//! Runs programs with a time limit, and checks their exit status and output.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Time limit for a program. Most programs take a tenth of a second.
const LIMIT: Duration = Duration::from_secs(60);
/// Polling interval for a running program.
const PAUSE: Duration = Duration::from_millis(2);
/// Last output line of a program that passes.
const PASSED: &str = "ok";

/// Expected result of a program.
pub struct Expected<'a> {
    /// Exit status; 128 plus the signal number if a signal ends the program.
    pub status: i32,
    /// Strings that standard error must contain. If these and `findings` are empty, and the status is 0, standard error
    /// must be empty.
    pub stderr: &'a [String],
    /// Names of the findings on standard error, in order. Standard error must not contain any others.
    pub findings: &'a [String],
}

/// Runs a program and checks the result.
///
/// # Errors
/// Fails if the program cannot be run, its exit status or output is not as expected, or it times out.
pub fn check(name: &str, command: &mut Command, expected: &Expected<'_>) -> Result<(), String> {
    let io = |error: std::io::Error| format!("{name}: {error}");
    let mut stdout = tempfile::tempfile().map_err(io)?;
    let mut stderr = tempfile::tempfile().map_err(io)?;
    command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone().map_err(io)?)
        .stderr(stderr.try_clone().map_err(io)?);
    let end = wait(command.spawn().map_err(io)?).map_err(io)?;
    let stdout = text(&mut stdout).map_err(io)?;
    let stderr = text(&mut stderr).map_err(io)?;
    let problem = match end {
        None => Some(format!("it runs for more than {} s", LIMIT.as_secs())),
        Some(status) => problem(expected, status, &stdout, &stderr),
    };
    match problem {
        None => Ok(()),
        Some(problem) => Err(format!(
            "{problem}\nstandard output:\n{stdout}\nstandard error:\n{stderr}"
        )),
    }
}

/// Waits for a program to exit. Kills it after [`LIMIT`], and then returns `None`.
fn wait(mut child: Child) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

fn text(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Describes the first difference between a program's result and the expected one.
fn problem(
    expected: &Expected<'_>,
    status: ExitStatus,
    stdout: &str,
    stderr: &str,
) -> Option<String> {
    let number = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    if number != Some(expected.status) {
        return Some(format!("{status}; expected status {}", expected.status));
    }
    if expected.status == 0 && stdout.lines().last() != Some(PASSED) {
        return Some(format!("its last line is not `{PASSED}`"));
    }
    let found = findings(stderr);
    if found != expected.findings {
        let wanted = expected.findings;
        return Some(format!("its findings are {found:?}, not {wanted:?}"));
    }
    let may_write = !expected.stderr.is_empty() || !expected.findings.is_empty();
    if !may_write && expected.status == 0 && !stderr.is_empty() {
        return Some("it writes to standard error".to_owned());
    }
    let missing = expected
        .stderr
        .iter()
        .find(|part| !stderr.contains(*part))?;
    Some(format!("its standard error lacks `{missing}`"))
}

/// Returns the names of the findings in a text, such as `missing-wait` for `error[missing-wait]: …`.
fn findings(text: &str) -> Vec<&str> {
    let name = |line| {
        let line: &str = line;
        let named = line
            .strip_prefix("error[")
            .or_else(|| line.strip_prefix("warning["))?;
        Some(named.split_once("]: ")?.0)
    };
    text.lines().filter_map(name).collect()
}
