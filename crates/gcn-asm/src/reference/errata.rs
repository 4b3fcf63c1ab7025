//! Parser for the errata document that the tables cite.

use gcn_isa::{Isa, Row};
use serde::Serialize;

const ERRATA: &str = include_str!("../../doc/errata.md");

/// An entry of the errata document.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ErrataEntry {
    /// Number and title, for example `E058 …`.
    pub title: &'static str,
    /// Text in Markdown.
    pub text: &'static str,
}

/// All errata, in document order.
///
/// # Examples
/// ```
/// let first = gcn_asm::reference::errata().next().expect("an entry");
/// assert!(first.title.starts_with("E001"));
/// ```
pub fn errata() -> impl Iterator<Item = ErrataEntry> {
    let of_heading = |entry: &'static str| {
        // The last erratum of a chapter ends at the next chapter heading.
        let entry = entry.split("\n# ").next().unwrap_or(entry);
        let (title, text) = entry.split_once('\n').unwrap_or((entry, ""));
        ErrataEntry {
            title,
            text: text.trim().trim_end_matches("---").trim_end(),
        }
    };
    ERRATA.split("\n### ").skip(1).map(of_heading)
}

/// Titles of the errata that mention an instruction.
///
/// # Examples
/// ```
/// use gcn_asm::reference::errata_naming;
/// use gcn_isa::{Op, ds::Ds};
/// let titles = errata_naming(Op::Ds(Ds::DS_ADD_F32).row());
/// assert!(titles.iter().all(|title| title.starts_with('E')));
/// ```
pub fn errata_naming(row: &Row) -> Vec<&'static str> {
    let names: Vec<&str> = Isa::ALL.iter().map(|&isa| row.name_on(isa)).collect();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names_it = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.split(|c| !is_letter(c))
            .any(|word| names.contains(&word))
    };
    errata()
        .filter(|entry| names_it(entry.title) || names_it(entry.text))
        .map(|entry| entry.title)
        .collect()
}
