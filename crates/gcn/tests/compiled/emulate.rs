//! Results of a code object under `gcn run`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::case::{Arg, Case};
use crate::compile::{cache, run};
use crate::reference::Results;

/// Instructions of a wave at most, so that a kernel that never ends is a failure.
const LIMIT: u32 = 200_000_000;

/// The `gcn` that is being tested.
pub const GCN: &str = env!("CARGO_BIN_EXE_gcn");

/// The command of `gcn` that runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `gcn run`.
    Run,
    /// `gcn run` with all variations that hardware may show: late memory operations, waves that take turns by chance, noise in LDS
    /// and registers.
    Vary,
    /// `gcn check`: a finding that the kernel's header does not name is a failure.
    Check,
}

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

/// A file for `gcn check --suppress` with what the kernel's header says.
fn suppressions(case: &Case) -> String {
    let names = case.header.findings.keys();
    names
        .map(|name| format!("[[suppress]]\nname = \"{name}\"\n"))
        .collect()
}

/// Runs the launches of a kernel one after the other by the program `gcn`, with further options, and returns the buffers
/// they leave and the commands' output.
///
/// # Errors
/// The message of `gcn` if it cannot run them.
pub fn emulate(
    gcn: &str,
    mode: Mode,
    case: &Case,
    object: &Path,
    label: &str,
    options: &[&str],
) -> Result<Results, String> {
    let place = cache()?.join(format!("{} {label} {}.run", case.name, std::process::id()));
    let text = |error: std::io::Error| format!("{}: {error}", place.display());
    fs::create_dir_all(&place).map_err(text)?;
    let file = |n: usize| place.join(format!("buffer{n}"));
    // An output does not take the place of an input until the run is over.
    let saved = |n: usize| place.join(format!("saved{n}"));
    for (n, buffer) in case.buffers.iter().enumerate() {
        fs::write(file(n), &buffer.bytes).map_err(text)?;
    }
    let mut printed = String::new();
    let known = place.join("known.toml");
    fs::write(&known, suppressions(case)).map_err(text)?;
    for launch in &case.launches {
        for _ in 0..launch.repeat {
            let mut command = Command::new(gcn);
            match mode {
                Mode::Run => command.arg("run"),
                Mode::Vary => command.arg("run").args(VARIATIONS),
                Mode::Check => command.arg("check").arg("--suppress").arg(&known),
            };
            command.arg(object);
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
            let output = run(&mut command)?;
            printed.push_str(&String::from_utf8_lossy(&output));
            for arg in &launch.args {
                if let Arg::Buffer(n) = arg {
                    fs::rename(saved(*n), file(*n)).map_err(text)?;
                }
            }
        }
    }
    let buffers = (0..case.buffers.len())
        .map(|n| fs::read(file(n)).map_err(text))
        .collect::<Result<_, _>>()?;
    fs::remove_dir_all(&place).map_err(text)?;
    Ok(Results { buffers, printed })
}

fn list(sizes: [u32; 3]) -> String {
    sizes.map(|size| size.to_string()).join(",")
}
