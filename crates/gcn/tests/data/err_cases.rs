//! `tests/err/*.s`: invalid sources, with `//~ ERROR part of the message` on the line of each error, and the complete
//! output of the command in a `.stderr` file.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use gcn_isa::Target;

use crate::case::{Case, root, verdict};

/// Prefix of an annotation, which applies to its own line, or to one line further up for each `^`.
const ANNOTATION: &str = "//~";

/// Message; annotations contain only part of its text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Message<'a> {
    line: usize,
    severity: &'a str,
    text: &'a str,
}

fn annotations(source: &str) -> Result<Vec<Message<'_>>, String> {
    let mut found = Vec::new();
    for (index, line) in source.lines().enumerate() {
        for annotation in line.split(ANNOTATION).skip(1) {
            let up = annotation.len() - annotation.trim_start_matches('^').len();
            let (severity, text) = annotation[up..].trim().split_once(' ').unwrap_or_default();
            let severity = match severity {
                "ERROR" => "error",
                "WARNING" => "warning",
                "NOTE" => "note",
                _ => {
                    return Err(format!(
                        "line {}: `{ANNOTATION}` lacks ERROR, WARNING or NOTE, or a text",
                        index + 1
                    ));
                }
            };
            found.push(Message {
                line: (index + 1).saturating_sub(up),
                severity,
                text: text.trim(),
            });
        }
    }
    Ok(found)
}

/// Messages in the command's output: `file:line:column: severity[name]: text`.
fn messages<'a>(case: &Case, stderr: &'a str) -> Vec<Message<'a>> {
    let message = |line: &'a str| {
        let mut parts = line
            .strip_prefix(&case.name)?
            .strip_prefix(':')?
            .splitn(4, ':');
        let line = parts.next()?.parse().ok()?;
        let _column: usize = parts.next()?.parse().ok()?;
        Some(Message {
            line,
            severity: parts.next()?.trim().split('[').next()?,
            text: parts.next()?.trim(),
        })
    };
    stderr.lines().filter_map(message).collect()
}

fn run(case: &Case, target: &Target) -> Result<Output, String> {
    let result = result(case, target);
    let _ = fs::remove_file(&result); // Usually does not exist.
    Command::new(env!("CARGO_BIN_EXE_gcn"))
        .current_dir(root())
        .args(["asm", &case.name, "--target", target.name])
        .args(["--warning-limit", "0", "--output"])
        .arg(result)
        .output()
        .map_err(|error| error.to_string())
}

/// Path of the code object that the command writes on success.
fn result(case: &Case, target: &Target) -> PathBuf {
    let name = format!("{}-{}.co", case.name.replace('/', "-"), target.name);
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn snapshot(case: &Case) -> PathBuf {
    case.path.with_extension("stderr")
}

/// Checks a file on one target: annotations and messages match one to one, and the output equals the stored one.
pub fn check(case: &Case, target: &'static Target) -> Result<(), String> {
    let annotations = annotations(&case.text)?;
    let output = run(case, target)?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let mut messages = messages(case, &stderr);
    let mut problems = Vec::new();
    for wanted in &annotations {
        let fits = |m: &Message| {
            (m.line, m.severity) == (wanted.line, wanted.severity) && m.text.contains(wanted.text)
        };
        match messages.iter().position(fits) {
            Some(at) => drop(messages.remove(at)),
            None => problems.push(format!(
                "{}:{}: no {}: {}",
                case.name, wanted.line, wanted.severity, wanted.text
            )),
        }
    }
    for message in messages {
        problems.push(format!(
            "{}:{}: unexpected {}: {}",
            case.name, message.line, message.severity, message.text
        ));
    }
    if annotations.is_empty() {
        problems.push(format!("{}: nothing is expected", case.name));
    }
    let expected_status = if annotations.iter().any(|a| a.severity == "error") {
        1
    } else {
        0
    };
    if output.status.code() != Some(expected_status) {
        problems.push(format!(
            "{}: {}, expected status {expected_status}",
            case.name, output.status
        ));
    }
    if result(case, target).exists() == (expected_status != 0) {
        problems.push(format!(
            "{}: a file is made with errors, or none without",
            case.name
        ));
    }
    let stored = fs::read_to_string(snapshot(case)).unwrap_or_default();
    if problems.is_empty() && stored != stderr {
        problems.push(format!(
            "{}: other than stored, GCN_BLESS=1 stores it:\n{stderr}",
            case.name
        ));
    }
    verdict(problems)
}

/// Stores the output of the command. The annotations are not changed.
pub fn bless(case: &Case) -> Result<(), String> {
    let target = case.targets.first().ok_or("no target")?;
    let output = run(case, target)?;
    fs::write(snapshot(case), output.stderr).map_err(|error| error.to_string())
}
