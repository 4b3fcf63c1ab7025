//! `tests/asm/*.s`: sources with the expected bytes or error of each instruction on each generation.

use std::collections::BTreeMap;
use std::fs;

use gcn_asm::list::{ListOptions, ListedCode, list};
use gcn_asm::{Assembly, Dialect, Options, Severity, Source};
use gcn_isa::{Syntax, Target};

use crate::case::{Case, bytes_text, expectations, verdict, version, write_expectations};

/// Prefix of an expected error. The message must contain the rest.
const ERROR: &str = "error: ";
/// Prefix of the expected bytes of a section.
const SECTION: &str = "section ";

/// Results of each line on one target, in the format of expectations.
fn outcomes(case: &Case, assembly: &Assembly) -> BTreeMap<usize, String> {
    let line_of = |at: usize| {
        case.text
            .bytes()
            .take(at)
            .filter(|&byte| byte == b'\n')
            .count()
            + 1
    };
    let mut bytes: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    for entry in assembly.program.listing() {
        let words = entry.inst.words();
        let words = words[..entry.inst.dwords()]
            .iter()
            .flat_map(|word| word.to_le_bytes());
        bytes
            .entry(line_of(entry.span.start))
            .or_default()
            .extend(words);
    }
    let mut outcomes: BTreeMap<usize, String> = bytes
        .into_iter()
        .map(|(line, bytes)| (line, bytes_text(&bytes)))
        .collect();
    for diagnostic in assembly
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
    {
        outcomes.insert(
            line_of(diagnostic.span.start),
            format!("{ERROR}{}", diagnostic.message),
        );
    }
    outcomes
}

fn section_text(assembly: &Assembly, name: &str) -> String {
    match assembly.program.section(name) {
        Some(section) => format!("{SECTION}{name} {}", bytes_text(&section.bytes)),
        None => format!("{SECTION}{name} does not exist"),
    }
}

/// Name in `section NAME [BYTES]`.
fn section_name(expected: &str) -> Option<&str> {
    expected.strip_prefix(SECTION)?.split_whitespace().next()
}

/// Checks a file on one target: all expectations, that every instruction has one, and that the listing assembles
/// again.
pub fn check(case: &Case, target: &'static Target) -> Result<(), String> {
    let assembly = crate::case::assemble(&case.text, target);
    let outcomes = outcomes(case, &assembly);
    let (expectations, _) = expectations(&case.text);
    let version = version(target);
    let mut problems: Vec<String> = expectations
        .iter()
        .filter_map(|e| Some(format!("{}:{}", case.name, e.problem()?)))
        .collect();
    let mut met = Vec::new();
    for expectation in expectations.iter().filter(|e| e.is_for(version)) {
        let section;
        let outcome = match section_name(expectation.text) {
            Some(name) => {
                section = section_text(&assembly, name);
                Some(&section)
            }
            None => {
                met.push(expectation.about);
                outcomes.get(&expectation.about)
            }
        };
        let holds = outcome.is_some_and(|outcome| match expectation.text.strip_prefix(ERROR) {
            Some(part) => outcome
                .strip_prefix(ERROR)
                .is_some_and(|message| message.contains(part)),
            None => outcome == expectation.text,
        });
        if !holds {
            let outcome = outcome.map_or("nothing", String::as_str);
            let (name, line) = (&case.name, expectation.line);
            problems.push(format!(
                "{name}:{line}: expected {}\n    but got {outcome}",
                expectation.text
            ));
        }
    }
    for (line, outcome) in outcomes.iter().filter(|(line, _)| !met.contains(line)) {
        problems.push(format!(
            "{}:{line}: nothing expected for GCN {version}\n    but got {outcome}",
            case.name
        ));
    }
    if expectations.is_empty() {
        problems.push(format!("{}: nothing is expected", case.name));
    }
    problems.extend(way_back(case, &assembly, target));
    verdict(problems)
}

/// Errors from assembling the listing again, in both syntaxes, each with its dialect.
fn way_back(case: &Case, assembly: &Assembly, target: &'static Target) -> Vec<String> {
    let bytes = assembly.program.to_raw();
    let mut problems = Vec::new();
    for (syntax, dialect) in [(Syntax::Llvm, Dialect::Llvm), (Syntax::Clrx, Dialect::Clrx)] {
        let listing = list(
            &ListedCode::raw(target.isa, &bytes),
            &ListOptions { syntax, hex: false },
        );
        let mut options = Options::new(target);
        options.dialect = dialect;
        let source = Source {
            name: "listing",
            text: &listing,
        };
        let again = gcn_asm::assemble(&source, &options);
        if let Some(error) = again
            .diagnostics
            .iter()
            .find(|d| d.severity == Severity::Error)
        {
            let line = listing[..error.span.start]
                .rsplit('\n')
                .next()
                .unwrap_or("")
                .len();
            let place = &listing[error.span.start - line..];
            let place = place.lines().next().unwrap_or("");
            problems.push(format!(
                "{}: the {syntax:?} listing has `{place}`: {}",
                case.name, error.message
            ));
        } else if again.program.to_raw() != bytes {
            problems.push(format!(
                "{}: the {syntax:?} listing gives other bytes:\n{listing}",
                case.name
            ));
        }
    }
    problems
}

/// Removes the version at the start or end of messages, so that versions can share an expectation.
fn without_version(
    mut outcomes: BTreeMap<usize, String>,
    version: &str,
) -> BTreeMap<usize, String> {
    for outcome in outcomes.values_mut() {
        if let Some(message) = outcome.strip_prefix(ERROR) {
            let message = message.trim_start_matches(&format!("GCN {version} "));
            *outcome = format!(
                "{ERROR}{}",
                message.trim_end_matches(&format!(" of GCN {version}"))
            );
        }
    }
    outcomes
}

/// Writes the results to the file.
pub fn bless(case: &Case) -> Result<(), String> {
    let assembled: Vec<(&str, Assembly)> = case
        .targets
        .iter()
        .map(|target| (version(target), crate::case::assemble(&case.text, target)))
        .collect();
    let by_line: Vec<(&str, BTreeMap<usize, String>)> = assembled
        .iter()
        .map(|(version, assembly)| (*version, without_version(outcomes(case, assembly), version)))
        .collect();
    let (expectations, lines) = expectations(&case.text);
    let mut out = String::new();
    let mut sections: Vec<(usize, &str)> = Vec::new();
    for expectation in &expectations {
        if let Some(name) = section_name(expectation.text)
            && !sections.iter().any(|(_, other)| *other == name)
        {
            sections.push((expectation.line, name));
        }
    }
    let was_expectation = |number| expectations.iter().any(|e| e.line == number);
    for (index, line) in lines.iter().enumerate() {
        let number = index + 1;
        if !was_expectation(number) || !line.is_empty() {
            out.push_str(line);
            out.push('\n');
        }
        let at_line: Vec<(&str, String)> = by_line
            .iter()
            .filter_map(|(version, outcomes)| Some((*version, outcomes.get(&number)?.clone())))
            .collect();
        write_expectations(&mut out, case, &at_line);
        for (_, name) in sections.iter().filter(|(line, _)| *line == number) {
            let outcomes: Vec<(&str, String)> = assembled
                .iter()
                .map(|(version, assembly)| (*version, section_text(assembly, name)))
                .collect();
            write_expectations(&mut out, case, &outcomes);
        }
    }
    fs::write(&case.path, out).map_err(|error| error.to_string())
}
