//! Entries of the errata.

use std::io::{self, Write};

use anyhow::Result;
use gcn_isa::{Isa, Row};
use serde::Serialize;

use super::answer::{Answer, unknown};

/// The errata that the tables cite.
const ERRATA: &str = include_str!("../../../../docs/errata.md");

/// An entry.
#[derive(Serialize)]
pub(super) struct ErrataEntry {
    title: &'static str,
    text: &'static str,
}

impl Answer for ErrataEntry {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n\n{}", self.title, self.text)
    }
}

/// All entries: the title's line, then the text.
fn entries() -> impl Iterator<Item = ErrataEntry> {
    let of_heading = |entry: &'static str| {
        // Behind the last entry of a chapter the next chapter begins.
        let entry = entry.split("\n# ").next().unwrap_or(entry);
        let (title, text) = entry.split_once('\n').unwrap_or((entry, ""));
        ErrataEntry {
            title,
            text: text.trim().trim_end_matches("---").trim_end(),
        }
    };
    ERRATA.split("\n### ").skip(1).map(of_heading)
}

/// True for the number of an entry: `E058`.
pub(super) fn is_number(query: &str) -> bool {
    let digits = query.strip_prefix(['E', 'e']);
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.len() < 4 && digits.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// The entry of a number.
///
/// # Errors
/// There is none.
pub(super) fn entry(query: &str) -> Result<ErrataEntry> {
    let number = format!("E{:0>3}", &query[1..]);
    let found = entries().find(|entry| entry.title.split(' ').next() == Some(&number));
    found.ok_or_else(|| unknown(format!("the errata have no entry {number}")).into())
}

/// The titles of the entries that name an instruction.
pub(super) fn naming(row: &Row) -> Vec<&'static str> {
    let names: Vec<&str> = Isa::ALL.iter().map(|&isa| row.name_on(isa)).collect();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names_it = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.split(|c| !is_letter(c))
            .any(|word| names.contains(&word))
    };
    entries()
        .filter(|entry| names_it(entry.title) || names_it(entry.text))
        .map(|entry| entry.title)
        .collect()
}
