//! `tests/run/*.s`, `tests/check/*.s`, `tests/debug/*.s` and `tests/why/*.s`: kernels with their launch and what `gcn run`,
//! `gcn check`, `gcn debug` or `gcn why` then prints on each generation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gcn_isa::Target;

use crate::case::{Case, expectations, verdict, version, write_expectations};

/// Begins a line of the launch file.
const LAUNCH: &str = "//! ";
/// Begins the line with checks that are off without it, of a case of `gcn check`.
const ALSO: &str = "// ALSO: ";
/// Begins a command of the debugger's console.
const COMMAND: &str = "//> ";
/// Begins the arguments behind the launch file of one call, of which there may be several.
const CALL: &str = "//? ";
/// Begins the line that stands for an exit status other than 0.
const STATUS: &str = "exit status ";
/// Is in the line that tells how much was executed and how long it took, and in no other.
const SUMMARY: &str = " s on 1 thread";
/// Stands before the address of the instruction in a fault.
const AT: &str = ", at 0x";
/// Instructions after which a wave is stopped where the launch does not say: no case may run for ever.
const LIMIT: i64 = 100_000;

/// The launch file of a case: what its lines say, its own path, and one host thread so that the order is always the same.
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
    // A case of compiled code names its code object.
    let named = launch.get("file").and_then(toml::Value::as_str);
    let path = named.map_or_else(|| case.path.clone(), |file| case.path.with_file_name(file));
    let path = fs::canonicalize(path).map_err(|error| format!("{}: {error}", case.name))?;
    launch.insert("file".to_owned(), path.to_string_lossy().as_ref().into());
    launch.insert("threads".to_owned(), 1.into());
    launch.entry("limit").or_insert(LIMIT.into());
    Ok(launch)
}

/// The command that runs the cases of a directory has the directory's name.
fn command(case: &Case) -> &str {
    case.name.split('/').next().unwrap_or_default()
}

/// The options for checks that are off without them.
fn also(case: &Case) -> Vec<&str> {
    let names = case.text.lines().filter_map(|line| line.strip_prefix(ALSO));
    names.flat_map(|names| ["--also", names.trim()]).collect()
}

/// The options that give the debugger the commands of a case, which are written to a file with a name.
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

/// The arguments behind the launch file of each call.
fn calls(case: &Case) -> Vec<Vec<&str>> {
    let lines = case.text.lines().filter_map(|line| line.strip_prefix(CALL));
    let calls: Vec<_> = lines.map(|it| it.split_whitespace().collect()).collect();
    match calls.is_empty() {
        true => vec![Vec::new()],
        false => calls,
    }
}

/// Runs a case on a target; the lines of both outputs of all calls as its expectations have them.
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

/// The lines of both outputs of a call.
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

/// A line without the address of the instruction where its symbol says the place: a symbol does not move with the
/// size of what is before the code.
fn with_place_only(line: &str) -> String {
    let placed = || {
        let (before, after) = line.split_once(AT)?;
        let (_address, place) = after.split_once(" (")?;
        let (place, after) = place.split_once(')')?;
        Some(format!("{before}, at {place}{after}"))
    };
    placed().unwrap_or_else(|| line.to_owned())
}

/// Checks a file on one target: the lines of the output are those expected, in this order.
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

/// Times that a file is blessed at most: the first time its lines move, and with them those that its expectations name.
const ROUNDS: usize = 4;

/// Writes what comes out into the file, in the place of its expectations or else below its launch.
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

/// The file with what comes out as its expectations.
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
