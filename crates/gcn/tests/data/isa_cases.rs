//! `tests/isa/*.isa`: lines `$ gcn isa …`, each followed by its output.

use std::fs;
use std::process::Command;

use gcn_isa::Target;

use crate::case::{Case, verdict};

/// Prefix of a line with a command.
const COMMAND: &str = "$ gcn isa";
/// Prefix of the line for an exit status other than 0.
const STATUS: &str = "exit status ";

/// Output of a command, including standard error, without trailing spaces in lines.
fn outcome(command: &str) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .arg("isa")
        .args(command.split_whitespace())
        .output()
        .map_err(|error| error.to_string())?;
    let both = [output.stdout, output.stderr].concat();
    let both = String::from_utf8(both).map_err(|error| error.to_string())?;
    let mut text: String = both
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    match output.status.code() {
        Some(0) => {}
        Some(status) => text.push_str(&format!("{STATUS}{status}\n")),
        None => text.push_str(&format!("{}\n", output.status)),
    }
    Ok(text)
}

/// Contents of the file with the current output of its commands, and the number of commands.
fn rewritten(case: &Case) -> Result<(String, usize), String> {
    let mut parts = case.text.split(COMMAND);
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for part in parts {
        let command = part.lines().next().unwrap_or_default();
        text.push_str(&format!("{COMMAND}{command}\n{}", outcome(command)?));
        count += 1;
    }
    Ok((text, count))
}

/// Checks all commands of a file.
pub fn check(case: &Case, _target: &'static Target) -> Result<(), String> {
    let (text, count) = rewritten(case)?;
    let mut problems = Vec::new();
    if count == 0 {
        problems.push(format!("{}: there are no commands", case.name));
    }
    if text != case.text {
        let mut both = case.text.lines().zip(text.lines());
        let first = both.find(|(expected, found)| expected != found);
        problems.push(match first {
            Some((expected, found)) => {
                format!("{}: expected {expected}\n    but got {found}", case.name)
            }
            None => format!("{}: one output is the other's beginning", case.name),
        });
    }
    verdict(problems)
}

/// Writes the results to the file.
pub fn bless(case: &Case) -> Result<(), String> {
    let (text, _) = rewritten(case)?;
    fs::write(&case.path, text).map_err(|error| error.to_string())
}
