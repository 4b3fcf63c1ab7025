//! A program's run, under a time limit, and what it must leave.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::compile::{Built, cache};
use crate::link;
use crate::program::Program;

/// Time that a program may take; most take a tenth of a second.
const LIMIT: Duration = Duration::from_secs(60);
/// Time between two looks at a running program.
const PAUSE: Duration = Duration::from_millis(2);
/// Last line of a program that found no fault.
const PASSED: &str = "ok";
/// Variables that change how HIP or the emulator work.
const FOREIGN: [&str; 6] = [
    "AMD_LOG_LEVEL",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HIP_LAUNCH_BLOCKING",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
];

/// Directory of the library, which is linked if it is older than what this test was built with.
///
/// # Errors
/// There is nothing to link, or the linker's messages.
pub fn library() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let beside = test.parent().unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| format!("{}: {error}", beside.display());
    // Cargo keeps archives of earlier builds. The latest has today's sources: this test's own would be built anew otherwise.
    let mut latest = None;
    for entry in beside.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("libgcn_hsa") && name.ends_with(".a") {
            let time = entry.metadata().and_then(|data| data.modified());
            latest = latest.max(Some((time.map_err(failed)?, entry.path())));
        }
    }
    let (time, archive) =
        latest.ok_or_else(|| format!("no archive of gcn-hsa in {}", beside.display()))?;
    let directory = cache()?.join("library");
    let library = directory.join(link::LIBRARY);
    let linked = library.metadata().and_then(|data| data.modified());
    if linked.map_or(true, |linked| linked < time) {
        link::link(&archive, &library)?;
    }
    Ok(directory)
}

/// Runs a program on a target, and looks at its end.
///
/// # Errors
/// It fails, prints something else, or does not end in time.
pub fn check(program: &Program, built: &Built, target: &str, library: &Path) -> Result<(), String> {
    let io = |error: std::io::Error| format!("{}: {error}", program.name);
    let mut stdout = tempfile::tempfile().map_err(io)?;
    let mut stderr = tempfile::tempfile().map_err(io)?;
    let header = &program.header;
    let mut command = Command::new(&built.executable);
    command
        .args(&built.module)
        .stdin(Stdio::null())
        .stdout(stdout.try_clone().map_err(io)?)
        .stderr(stderr.try_clone().map_err(io)?)
        .env("LD_LIBRARY_PATH", library)
        .env(
            "GCN_TARGET",
            vec![target; header.devices.unwrap_or(1)].join(","),
        );
    for name in FOREIGN {
        command.env_remove(name);
    }
    command.envs(&header.variables);
    let end = wait(command.spawn().map_err(io)?).map_err(io)?;
    let stdout = text(&mut stdout).map_err(io)?;
    let stderr = text(&mut stderr).map_err(io)?;
    let problem = match end {
        None => Some(format!("it runs for more than {} s", LIMIT.as_secs())),
        Some(status) => problem(program, status, &stdout, &stderr),
    };
    match problem {
        None => Ok(()),
        Some(problem) => Err(format!(
            "{problem}\nstandard output:\n{stdout}\nstandard error:\n{stderr}"
        )),
    }
}

/// Waits for the end of a program, and ends it when its time is over.
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

/// The first of what is wrong with a program's end and output.
fn problem(program: &Program, status: ExitStatus, stdout: &str, stderr: &str) -> Option<String> {
    let header = &program.header;
    let number = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    if number != Some(header.status) {
        return Some(format!("{status}; expected status {}", header.status));
    }
    if header.status == 0 && stdout.lines().last() != Some(PASSED) {
        return Some(format!("its last line is not `{PASSED}`"));
    }
    let expected = header.findings.as_deref().unwrap_or_default();
    let found = findings(stderr);
    if found != expected {
        return Some(format!("its findings are {found:?}, not {expected:?}"));
    }
    let may_write = !header.stderr.is_empty() || !expected.is_empty();
    if !may_write && header.status == 0 && !stderr.is_empty() {
        return Some("it writes to standard error".to_owned());
    }
    let missing = header.stderr.iter().find(|part| !stderr.contains(*part))?;
    Some(format!("its standard error lacks `{missing}`"))
}

/// The names of the findings in a text: `missing-wait` of `error[missing-wait]: …`.
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
