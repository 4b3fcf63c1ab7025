//! Runs code objects under `gcn run` and `gcn check`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use gcn_observe::finding::Check;

use crate::case::{Arg, Case};
use crate::compile::{cache, run_to};
use crate::reference::Results;

/// Maximum number of instructions per wave, so that a kernel with an endless loop fails.
const LIMIT: u32 = 200_000_000;

/// Path of the tested `gcn`.
pub const GCN: &str = env!("CARGO_BIN_EXE_gcn");

/// Results of a run with its findings.
pub struct EmulationResults {
    /// Buffers and output.
    pub results: Results,
    /// Names of findings.
    pub findings: BTreeSet<String>,
}

/// Mode in which `gcn` runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `gcn run`.
    Run,
    /// `gcn run` with all variations that hardware allows: late memory operations, random scheduling of waves, noise in
    /// LDS and registers.
    Vary,
    /// `gcn check`.
    Check,
    /// `gcn check` with checks that are off by default.
    CheckMore,
}

impl Mode {
    /// True if `gcn` reports findings.
    pub fn checks(self) -> bool {
        matches!(self, Mode::Check | Mode::CheckMore)
    }

    /// True if the mode includes a check.
    pub fn includes(self, check: Check) -> bool {
        match self {
            Mode::Run | Mode::Vary => false,
            Mode::Check => check.is_default(),
            Mode::CheckMore => MORE_CHECKS.contains(&check),
        }
    }
}

/// Checks of [`Mode::CheckMore`].
pub const MORE_CHECKS: [Check; 3] = [Check::Arith, Check::Align, Check::Provenance];

/// Exit statuses of `gcn check`, without and with findings.
const CHECKED: [i32; 2] = [0, 3];

/// Options of [`Mode::Vary`].
const VARIATIONS: [&str; 7] = [
    "--late=1",
    "--schedule",
    "random(2)",
    "--lds-fill",
    "random(3)",
    "--register-fill",
    "random(4)",
];

/// Names of the findings in a file written by `gcn check`.
fn names(file: &Path) -> Result<BTreeSet<String>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read(file).map_err(|error| failed(&error))?;
    let all: Vec<serde_json::Value> =
        serde_json::from_slice(&text).map_err(|error| failed(&error))?;
    let name = |finding: &serde_json::Value| finding["name"].as_str().map(str::to_owned);
    let names: Option<_> = all.iter().map(name).collect();
    names.ok_or_else(|| failed(&"a finding without a name"))
}

/// Runs the launches of a kernel with the program `gcn` and additional options. Returns the buffers, the output and
/// the names of findings.
///
/// # Errors
/// Returns the message of `gcn` if it cannot run the launches.
pub fn emulate(
    gcn: &str,
    mode: Mode,
    case: &Case,
    object: &Path,
    label: &str,
    options: &[&str],
) -> Result<EmulationResults, String> {
    let place = cache()?.join(format!("{} {label} {}.run", case.name, std::process::id()));
    let text = |error: std::io::Error| format!("{}: {error}", place.display());
    fs::create_dir_all(&place).map_err(text)?;
    let file = |n: usize| place.join(format!("buffer{n}"));
    // Outputs must not overwrite inputs during a run.
    let saved = |n: usize| place.join(format!("saved{n}"));
    for (n, buffer) in case.buffers.iter().enumerate() {
        fs::write(file(n), &buffer.bytes).map_err(text)?;
    }
    let mut printed = String::new();
    let found = place.join("findings.json");
    let mut findings = BTreeSet::new();
    let more = MORE_CHECKS.map(Check::name).join(",");
    for launch in &case.launches {
        let mut command = Command::new(gcn);
        match mode {
            Mode::Run => command.arg("run"),
            Mode::Vary => command.arg("run").args(VARIATIONS),
            Mode::Check => command.arg("check"),
            Mode::CheckMore => command.args(["check", "--only", &more]),
        };
        if mode.checks() {
            command.args(["--format", "json", "--output"]).arg(&found);
        }
        if launch.repeat == 1 {
            command.arg(object);
        } else {
            // A launch file sets the number of repetitions.
            let (path, repeat) = (place.join("launch.toml"), launch.repeat);
            let contents = format!(
                "file = {:?}\nrepeat = {repeat}\n",
                object.display().to_string()
            );
            fs::write(&path, contents).map_err(text)?;
            command.arg(path);
        }
        command.arg("--kernel").arg(&launch.kernel);
        command.arg("--grid").arg(list(launch.grid));
        command.arg("--group").arg(list(launch.group));
        command.arg("--limit").arg(LIMIT.to_string()).args(options);
        for (index, arg) in launch.args.iter().enumerate() {
            let value = match arg {
                Arg::Buffer(n) => {
                    let save = format!("{index}={}", saved(*n).display());
                    command.arg("--save").arg(save);
                    format!("{}@{}", case.buffers[*n].ty, file(*n).display())
                }
                Arg::Value(bytes) => {
                    let path = place.join(format!("value{index}"));
                    fs::write(&path, bytes).map_err(text)?;
                    format!("@{}", path.display())
                }
                Arg::Local(bytes) => format!("local:{bytes}"),
                Arg::Null => "null".to_owned(),
            };
            command.arg("--arg").arg(format!("{index}={value}"));
        }
        let statuses = if mode.checks() { &CHECKED[..] } else { &[0] };
        let output = run_to(&mut command, statuses)?;
        printed.push_str(&String::from_utf8_lossy(&output));
        if mode.checks() {
            findings.extend(names(&found)?);
        }
        for arg in &launch.args {
            if let Arg::Buffer(n) = arg {
                fs::rename(saved(*n), file(*n)).map_err(text)?;
            }
        }
    }
    let buffers = (0..case.buffers.len())
        .map(|n| fs::read(file(n)).map_err(text))
        .collect::<Result<_, _>>()?;
    fs::remove_dir_all(&place).map_err(text)?;
    Ok(EmulationResults {
        results: Results { buffers, printed },
        findings,
    })
}

fn list(sizes: [u32; 3]) -> String {
    sizes.map(|size| size.to_string()).join(",")
}
