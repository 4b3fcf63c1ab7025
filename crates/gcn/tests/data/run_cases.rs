//! `tests/run/*.s`, `tests/check/*.s`, `tests/debug/*.s` and `tests/why/*.s`: kernels with a launch, and the expected
//! output of `gcn run`, `gcn check`, `gcn debug` or `gcn why` on each generation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gcn_isa::Target;

use crate::case::{Case, expectations, verdict, version, write_expectations};

/// Prefix of launch file lines.
const LAUNCH: &str = "//! ";
/// Prefix of lines that name additional checks for `gcn check`, which are off by default.
const ALSO: &str = "// ALSO: ";
/// Prefix of a debugger command.
const COMMAND: &str = "//> ";
/// Prefix of lines with additional arguments. Each line is a separate call.
const CALL: &str = "//? ";
/// Prefix of the line for an exit status other than 0.
const STATUS: &str = "exit status ";
/// Text that identifies a launch's summary line, whose times vary.
const SUMMARY: &str = " s on ";
/// Text that precedes the address of the instruction in a fault.
const AT: &str = ", at 0x";
/// Default instruction limit per wave, so that every case ends.
const LIMIT: i64 = 100_000;

/// Launch file of a case: its lines, its own path, and one host thread for a deterministic order.
fn launch(case: &Case) -> Result<toml::Table, String> {
    let lines: Vec<&str> = case
        .text
        .lines()
        .filter_map(|line| line.strip_prefix(LAUNCH))
        .collect();
    let mut launch: toml::Table = lines
        .join("\n")
        .parse()
        .map_err(|error| format!("{}: the launch: {error}", case.name))?;
    // A file for compiled code names its code object.
    let named = launch.get("file").and_then(toml::Value::as_str);
    let path = named.map_or_else(|| case.path.clone(), |file| case.path.with_file_name(file));
    let path = fs::canonicalize(path).map_err(|error| format!("{}: {error}", case.name))?;
    launch.insert("file".to_owned(), path.to_string_lossy().as_ref().into());
    launch.insert("threads".to_owned(), 1.into());
    launch.entry("limit").or_insert(LIMIT.into());
    Ok(launch)
}

/// Subcommand for a case, which is the name of its directory.
fn command(case: &Case) -> &str {
    case.name.split('/').next().unwrap_or_default()
}

/// Options for checks that are off by default.
fn also(case: &Case) -> Vec<&str> {
    let names = case.text.lines().filter_map(|line| line.strip_prefix(ALSO));
    names.flat_map(|names| ["--also", names.trim()]).collect()
}

/// Options that pass a case's debugger commands, which are written to a file.
fn script(case: &Case, name: &str) -> Result<Vec<PathBuf>, String> {
    let lines = case.text.lines();
    let commands: Vec<&str> = lines
        .filter_map(|line| line.strip_prefix(COMMAND))
        .collect();
    if commands.is_empty() {
        return Ok(Vec::new());
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, commands.join("\n")).map_err(|error| error.to_string())?;
    Ok(vec!["--commands".into(), path])
}

/// Additional arguments of each call.
fn calls(case: &Case) -> Vec<Vec<&str>> {
    let lines = case.text.lines().filter_map(|line| line.strip_prefix(CALL));
    let calls: Vec<_> = lines.map(|it| it.split_whitespace().collect()).collect();
    match calls.is_empty() {
        true => vec![Vec::new()],
        false => calls,
    }
}

/// Runs a case on a target, and returns the lines of standard output and error of all calls, in the format of
/// expectations.
fn outcome(case: &Case, target: &Target) -> Result<Vec<String>, String> {
    let name = format!("{}-{}", case.name.replace('/', "-"), target.name);
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toml"));
    fs::write(&path, launch(case)?.to_string()).map_err(|error| error.to_string())?;
    let script = script(case, &format!("{name}.gdb"))?;
    let mut lines = Vec::new();
    for arguments in calls(case) {
        let output = Command::new(env!("CARGO_BIN_EXE_gcn"))
            .arg(command(case))
            .arg(&path)
            .args(arguments)
            .args(["--target", target.name])
            .args(also(case))
            .args(&script)
            .output()
            .map_err(|error| error.to_string())?;
        lines.extend(shown(case, &output)?);
    }
    Ok(lines)
}

/// Lines of standard output and error of a call.
fn shown(case: &Case, output: &Output) -> Result<Vec<String>, String> {
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let stderr = stderr.lines().filter(|line| !line.contains(SUMMARY));
    let source = fs::canonicalize(&case.path).map_err(|error| error.to_string())?;
    let source = source.to_string_lossy();
    let mut lines: Vec<String> = stdout
        .lines()
        .chain(stderr)
        .map(|line| with_place_only(line.trim()).replace(&*source, &case.name))
        .collect();
    match output.status.code() {
        Some(0) => {}
        Some(status) => lines.push(format!("{STATUS}{status}")),
        None => lines.push(output.status.to_string()),
    }
    Ok(lines)
}

/// Removes the address of an instruction if its position is also given relative to a symbol: the address depends on
/// the size of preceding data.
fn with_place_only(line: &str) -> String {
    let placed = || {
        let (before, after) = line.split_once(AT)?;
        let (_address, place) = after.split_once(" (")?;
        let (place, after) = place.split_once(')')?;
        Some(format!("{before}, at {place}{after}"))
    };
    placed().unwrap_or_else(|| line.to_owned())
}

/// Checks a file on one target: the output must consist of the expected lines, in order.
pub fn check(case: &Case, target: &'static Target) -> Result<(), String> {
    let (expectations, _) = expectations(&case.text);
    let mut problems: Vec<String> = expectations
        .iter()
        .filter_map(|e| Some(format!("{}:{}", case.name, e.problem()?)))
        .collect();
    let expected: Vec<&str> = expectations
        .iter()
        .filter(|e| e.is_for(version(target)))
        .map(|e| e.text)
        .collect();
    let outcome = outcome(case, target)?;
    if expected.is_empty() {
        problems.push(format!("{}: nothing is expected", case.name));
    }
    if expected != outcome {
        problems.push(format!(
            "{}: expected\n    {}\n  but got\n    {}",
            case.name,
            expected.join("\n    "),
            outcome.join("\n    ")
        ));
    }
    verdict(problems)
}

/// Maximum number of passes to bless a file. The first pass moves lines, which changes line numbers in expectations.
const ROUNDS: usize = 4;

/// Writes the results to the file, in place of its expectations or below its launch.
pub fn bless(case: &Case) -> Result<(), String> {
    let mut case = case.clone();
    for _ in 0..ROUNDS {
        let written = blessed(&case)?;
        if written == case.text {
            return Ok(());
        }
        fs::write(&case.path, written).map_err(|error| error.to_string())?;
        case = case.reread()?;
    }
    Err("what comes out depends on itself".to_owned())
}

/// Contents of the file with the actual results as expectations.
fn blessed(case: &Case) -> Result<String, String> {
    let mut by_version: Vec<(&str, Vec<String>)> = Vec::new();
    for target in &case.targets {
        by_version.push((version(target), outcome(case, target)?));
    }
    let longest = by_version.iter().map(|(_, lines)| lines.len()).max();
    let mut expected = String::new();
    for index in 0..longest.unwrap_or(0) {
        let lines: Vec<(&str, String)> = by_version
            .iter()
            .filter_map(|(version, lines)| Some((*version, lines.get(index)?.clone())))
            .collect();
        write_expectations(&mut expected, case, &lines);
    }
    let (old, lines) = expectations(&case.text);
    let launch_end = lines.iter().rposition(|line| {
        [LAUNCH, COMMAND, CALL]
            .iter()
            .any(|it| line.starts_with(it))
    });
    let place = match old.first() {
        Some(first) => first.line - 1,
        None => launch_end.map_or(0, |line| line + 1),
    };
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index == place {
            out.push_str(&expected);
        }
        if !line.is_empty() || !old.iter().any(|e| e.line == index + 1) {
            out.push_str(line);
            out.push('\n');
        }
    }
    Ok(out)
}
