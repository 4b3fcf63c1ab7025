//! Expected results of a kernel: the same source run by OpenCL on the host (Debian's pocl), using
//! `tests/kernels/host.c`.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::case::{Arg, Case, directory};
use crate::compile::{cache, fingerprint, run};

/// Results of a run: buffers and output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Results {
    /// Buffers in the order of the header.
    pub buffers: Vec<Vec<u8>>,
    /// Printed output.
    pub printed: String,
}

/// Macro defined when a source is compiled for the reference.
const DEFINE: &str = "-DREFERENCE";

/// Configuration with one thread and without vectorisation of work-items: pocl 3.1 miscompiles an AES kernel when it
/// vectorises.
const EXACTLY: [(&str, &str); 2] = [
    ("POCL_DEVICES", "basic"),
    ("POCL_WORK_GROUP_METHOD", "loops"),
];

/// Pocl's fastest configuration with one thread.
const FAST: [(&str, &str); 2] = [("POCL_DEVICES", "pthread"), ("POCL_MAX_PTHREAD_COUNT", "1")];

/// Environment variables that configure pocl.
type Environment = [(&'static str, &'static str)];

/// Computes the reference results of a kernel, or returns the cached ones.
///
/// # Errors
/// Returns the messages of the host's compiler or OpenCL.
pub fn reference(case: &Case) -> Result<Results, String> {
    let place = place(case, &EXACTLY)?;
    if !printed(&place).exists() {
        run_in(case, &place, &EXACTLY)?;
    }
    read(case, &place)
}

/// Checks that the host has a usable OpenCL device.
///
/// # Errors
/// Returns the messages of the host's compiler or OpenCL, and a likely cause.
pub fn check_host() -> Result<(), String> {
    let cause = if Path::new("/sys/devices/system").exists() {
        "`cargo xtask tools` installs it"
    } else {
        "pocl needs /sys mounted"
    };
    run(Command::new(host()?)
        .arg("/dev/null")
        .env("POCL_CACHE_DIR", cache()?.join("pocl"))
        .envs(EXACTLY))
    .map(drop)
    .map_err(|error| {
        let error = String::from(error);
        format!("OpenCL on the host, which the kernels are compared with, cannot be used ({cause}): {error}")
    })
}

/// Runs a kernel as fast as the host can. Returns the results and the kernel's time in seconds.
///
/// # Errors
/// Fails as [`reference`] does.
pub fn timed(case: &Case) -> Result<(Results, f64), String> {
    let place = place(case, &FAST)?;
    run_in(case, &place, &FAST)?;
    let timed = measured(case, &place)?;
    // Results may be large, and timed runs are not cached.
    fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
    Ok(timed)
}

/// Reads the results of a run and its time in seconds.
fn measured(case: &Case, place: &Path) -> Result<(Results, f64), String> {
    let times = fs::read_to_string(times(place)).map_err(|error| error.to_string())?;
    let parse = |line: &str| {
        line.parse::<f64>()
            .map_err(|error| format!("{line}: {error}"))
    };
    let seconds = times.lines().map(parse).sum::<Result<f64, _>>()?;
    Ok((read(case, place)?, seconds))
}

/// Runs a kernel under a command that replaces the host's OpenCL, such as Oclgrind. Returns the results and the
/// kernel's time in seconds.
///
/// # Errors
/// Fails as [`reference`] does, or if the command cannot be run.
pub fn timed_under(case: &Case, command: &[String]) -> Result<(Results, f64), String> {
    let place = cache()?.join(format!("{}-{}.under", case.name, std::process::id()));
    let timed = run_under(case, &place, &[], command).and_then(|()| measured(case, &place));
    fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
    timed
}

/// Directory for a run, whose name depends on all of its inputs.
fn place(case: &Case, environment: &Environment) -> Result<PathBuf, String> {
    let job = job(case, Path::new(""));
    let inputs: Vec<&[u8]> = case.buffers.iter().map(|b| &b.bytes[..]).collect();
    let program = host()?.display().to_string();
    let name = fingerprint((&case.text, job, inputs, program, environment));
    Ok(cache()?.join(format!("{}-{name}.reference", case.name)))
}

/// File with the kernels' output.
fn printed(place: &Path) -> PathBuf {
    place.join("printed")
}

/// File with the time of each launch in seconds.
fn times(place: &Path) -> PathBuf {
    place.join("times")
}

/// File with a buffer, before and after the run.
fn buffer(place: &Path, number: usize) -> PathBuf {
    place.join(number.to_string())
}

fn run_in(case: &Case, place: &Path, environment: &Environment) -> Result<(), String> {
    run_under(case, place, environment, &[])
}

/// Runs a kernel on the host. `command`, if not empty, is a prefix of the host program's command line.
fn run_under(
    case: &Case,
    place: &Path,
    environment: &Environment,
    command: &[String],
) -> Result<(), String> {
    let text = |error: std::io::Error| format!("{}: {error}", place.display());
    fs::create_dir_all(place).map_err(text)?;
    for (n, contents) in case.buffers.iter().enumerate() {
        fs::write(buffer(place, n), &contents.bytes).map_err(text)?;
    }
    let list = place.join("job");
    fs::write(&list, job(case, place)).map_err(text)?;
    let host = host()?;
    let mut words = command.iter().map(OsStr::new).chain([host.as_os_str()]);
    let mut program = Command::new(words.next().unwrap_or_default());
    let output = run(program
        .args(words)
        .arg(&list)
        .env("POCL_CACHE_DIR", cache()?.join("pocl"))
        .envs(environment.iter().copied()))?;
    fs::write(printed(place), output).map_err(text)
}

fn read(case: &Case, place: &Path) -> Result<Results, String> {
    let read =
        |path: PathBuf| fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    let buffers = (0..case.buffers.len()).map(|n| read(buffer(place, n)));
    Ok(Results {
        buffers: buffers.collect::<Result<_, _>>()?,
        printed: String::from_utf8_lossy(&read(printed(place))?).into_owned(),
    })
}

/// Builds the program that runs references, once. Returns its path.
fn host() -> Result<PathBuf, String> {
    static HOST: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || {
        let source = directory().join("host.c");
        let text = fs::read_to_string(&source).map_err(|error| error.to_string())?;
        let place = cache()?.join(format!("host-{}", fingerprint(&text)));
        if !place.exists() {
            let new = place.with_extension(std::process::id().to_string());
            run(Command::new("cc")
                .args(["-O1", "-o"])
                .arg(&new)
                .arg(&source)
                .arg("-lOpenCL"))?;
            fs::rename(&new, &place).map_err(|error| error.to_string())?;
        }
        Ok(place)
    };
    HOST.get_or_init(build).clone()
}

/// Job description for the host program, with files in the directory `place`.
fn job(case: &Case, place: &Path) -> String {
    let mut job = String::new();
    let _ = writeln!(job, "times {}", times(place).display());
    let _ = writeln!(job, "source {}", case.path.display());
    let _ = writeln!(
        job,
        "options -cl-std={} {DEFINE} {}",
        case.header.host_std,
        case.header.options.join(" ")
    );
    for n in 0..case.buffers.len() {
        let _ = writeln!(job, "buffer {}", buffer(place, n).display());
    }
    for launch in &case.launches {
        let by_one = [1; 3];
        let (name, grid, group) = match &launch.reference {
            Some(name) => (name, by_one, by_one),
            None => (&launch.kernel, launch.grid, launch.group),
        };
        for _ in 0..launch.repeat {
            let numbers = grid.iter().chain(&group).map(u32::to_string);
            let _ = writeln!(
                job,
                "launch {name} {}",
                numbers.collect::<Vec<_>>().join(" ")
            );
            for arg in &launch.args {
                let _ = match arg {
                    Arg::Buffer(n) => writeln!(job, "b {n}"),
                    Arg::Value(bytes) => {
                        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                        writeln!(job, "v {hex}")
                    }
                    Arg::Local(bytes) => writeln!(job, "l {bytes}"),
                    Arg::Null => writeln!(job, "n"),
                };
            }
            let _ = writeln!(job, "end");
        }
    }
    job
}
