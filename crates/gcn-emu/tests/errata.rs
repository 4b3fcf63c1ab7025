//! Tests of `docs/errata.md`: every entry with a rule is named in the code that implements it, and every entry about
//! execution is named in a test of this crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ERRATA: &str = include_str!("../../../docs/errata.md");

/// Entries that code cannot implement, with the reason.
const NOT_IN_CODE: &[(&str, &str)] = &[
    (
        "E001",
        "the result of comparing the tables; each row is tested in gcn-isa",
    ),
    ("E010", "how to test a decoder"),
    ("E029", "there is nothing to do: no aliases"),
    ("E044", "the tables decide where an instruction exists"),
    ("E081", "refers to E014, E016 and E017"),
    ("E132", "no rule needed"),
    ("E134", "a superseded document"),
    ("E135", "a superseded document"),
];

/// Number and heading of each entry.
fn entries() -> Vec<(&'static str, &'static str)> {
    ERRATA
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .filter(|heading| heading.starts_with('E'))
        .filter_map(|heading| heading.split_once(" — "))
        .collect()
}

/// Adds the entries that a text names, alone or in a range (`E040–E042`).
fn named(text: &str, into: &mut BTreeSet<String>) {
    let number = |at: usize| -> Option<u32> {
        let digits = text.get(at..)?.strip_prefix('E')?.get(..3)?;
        digits.parse().ok()
    };
    let mut previous: Option<(u32, usize)> = None;
    for (at, _) in text.match_indices('E') {
        let Some(n) = number(at) else { continue };
        let mut first = n;
        if let Some((before, end)) = previous
            && matches!(text.get(end..at), Some("–" | "-" | " to "))
        {
            first = before;
        }
        for n in first..=n {
            into.insert(format!("E{n:03}"));
        }
        previous = Some((n, at + 4));
    }
}

/// Adds all source files below a directory, except this one.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" {
            sources(&path, into);
        } else if path
            .extension()
            .is_some_and(|e| e == "rs" || e == "s" || e == "dis")
            && !path.ends_with("crates/gcn-emu/tests/errata.rs")
        {
            into.push(path);
        }
    }
}

fn named_below(folders: &[&str]) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in folders {
        sources(&root.join(folder), &mut files);
    }
    assert!(!files.is_empty(), "sources are found");
    let mut found = BTreeSet::new();
    for file in files {
        if let Ok(text) = fs::read_to_string(file) {
            named(&text, &mut found);
        }
    }
    found
}

#[test]
fn every_entry_is_named_where_its_rule_is_kept() {
    let found = named_below(&["crates", "tests"]);
    let entries = entries();
    assert!(
        entries.len() > 130,
        "the errata are read: {}",
        entries.len()
    );
    let missing: Vec<&str> = entries
        .iter()
        .map(|(number, _)| *number)
        .filter(|number| !found.contains(*number))
        .filter(|number| NOT_IN_CODE.iter().all(|(n, _)| n != number))
        .collect();
    assert!(missing.is_empty(), "named nowhere: {missing:?}");
}

#[test]
fn every_entry_about_execution_is_named_in_a_test() {
    let found = named_below(&["crates/gcn-emu/tests"]);
    let missing: Vec<&str> = entries()
        .into_iter()
        .filter(|(_, heading)| heading.contains("SEM"))
        .map(|(number, _)| number)
        .filter(|number| !found.contains(*number))
        .collect();
    assert!(missing.is_empty(), "no test names: {missing:?}");
}

#[test]
fn names_and_ranges_are_found() {
    let mut found = BTreeSet::new();
    named("errata E040–E042, E005 to E007; E12, ELF", &mut found);
    let expected = ["E005", "E006", "E007", "E040", "E041", "E042"];
    assert!(found.iter().eq(expected.iter()), "{found:?}");
}
