//! `tests/dis/*.dis`: hexadecimal words with the expected listing on each generation.

use std::fs;

use gcn_asm::Severity;
use gcn_asm::list::{ListOptions, ListedCode, list};
use gcn_isa::{Syntax, Target};

use crate::case::{Case, bytes_text, expectations, verdict, version, write_expectations};

/// Separator between lines of a listing.
const LINE_BREAK: &str = " | ";

/// Bytes of a line of words; `None` for other lines.
fn bytes(line: &str) -> Option<Result<Vec<u8>, String>> {
    let code = line.split("//").next().unwrap_or("").trim();
    if code.is_empty() {
        return None;
    }
    let words = code.split_whitespace().map(|word| {
        let word = u32::from_str_radix(word, 16).map_err(|error| format!("`{word}`: {error}"))?;
        Ok(word.to_le_bytes())
    });
    Some(
        words
            .collect::<Result<Vec<_>, String>>()
            .map(|words| words.concat()),
    )
}

fn options(case: &Case) -> Result<ListOptions, String> {
    let syntax = match case.header("SYNTAX") {
        None | Some("llvm") => Syntax::Llvm,
        Some("clrx") => Syntax::Clrx,
        Some(other) => return Err(format!("{}: no syntax `{other}`", case.name)),
    };
    Ok(ListOptions {
        syntax,
        hex: case.header("HEX").is_some(),
    })
}

/// Listing in the format of expectations: single spaces, joined lines.
fn listing(bytes: &[u8], target: &Target, options: &ListOptions) -> String {
    let text = list(&ListedCode::raw(target.isa, bytes), options);
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    lines.join(LINE_BREAK)
}

/// Checks a file on one target: each line's listing, and that it assembles to the line's words.
pub fn check(case: &Case, target: &'static Target) -> Result<(), String> {
    let options = options(case)?;
    let (expectations, lines) = expectations(&case.text);
    let mut problems: Vec<String> = expectations
        .iter()
        .filter_map(|e| Some(format!("{}:{}", case.name, e.problem()?)))
        .collect();
    let mut checked = 0;
    for (index, line) in lines.iter().enumerate() {
        let number = index + 1;
        let Some(bytes) = bytes(line) else { continue };
        let bytes = bytes.map_err(|error| format!("{}:{number}: {error}", case.name))?;
        let is_met = |e: &&crate::case::Expectation| e.about == number && e.is_for(version(target));
        let expected = expectations
            .iter()
            .find(is_met)
            .map_or("nothing", |e| e.text);
        let text = listing(&bytes, target, &options);
        if text != expected {
            problems.push(format!(
                "{}:{number}: expected {expected}\n    but got {text}",
                case.name
            ));
        }
        let source = list(&ListedCode::raw(target.isa, &bytes), &options);
        let again = crate::case::assemble(&source, target);
        match again
            .diagnostics
            .iter()
            .find(|d| d.severity == Severity::Error)
        {
            Some(error) => {
                problems.push(format!("{}:{number}: {text}: {}", case.name, error.message))
            }
            None if again.program.to_raw() != bytes => problems.push(format!(
                "{}:{number}: {text}\n    assembles to {}",
                case.name,
                bytes_text(&again.program.to_raw())
            )),
            None => {}
        }
        checked += 1;
    }
    if checked == 0 {
        problems.push(format!("{}: there are no words", case.name));
    }
    verdict(problems)
}

/// Writes the results to the file.
pub fn bless(case: &Case) -> Result<(), String> {
    let options = options(case)?;
    let (expectations, lines) = expectations(&case.text);
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let number = index + 1;
        if !expectations.iter().any(|e| e.line == number) || !line.is_empty() {
            out.push_str(line);
            out.push('\n');
        }
        if let Some(bytes) = bytes(line) {
            let bytes = bytes?;
            let outcomes: Vec<(&str, String)> = case
                .targets
                .iter()
                .map(|t| (version(t), listing(&bytes, t, &options)))
                .collect();
            write_expectations(&mut out, case, &outcomes);
        }
    }
    fs::write(&case.path, out).map_err(|error| error.to_string())
}
