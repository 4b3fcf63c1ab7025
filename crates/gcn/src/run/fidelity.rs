//! The fidelity of the instructions that a run executed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use gcn_runtime::{Fidelity, PreparedLaunch};
use serde::Serialize;

/// Instructions of the same fidelity, by their names.
#[derive(PartialEq, Eq, Debug, Serialize)]
pub struct FidelityGroup {
    /// `exact`, `approximate` or `open`.
    fidelity: &'static str,
    /// The errata entry that says what was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    errata: Option<&'static str>,
    instructions: Vec<&'static str>,
}

/// The instructions that launches have executed, exact ones first.
pub fn list<'a>(launches: impl Iterator<Item = &'a PreparedLaunch>) -> Vec<FidelityGroup> {
    let mut groups: BTreeMap<Fidelity, BTreeSet<&'static str>> = BTreeMap::new();
    for (fidelity, names) in launches.flat_map(PreparedLaunch::executed) {
        groups.entry(fidelity).or_default().extend(names);
    }
    groups
        .into_iter()
        .map(|(fidelity, names)| {
            let (fidelity, errata) = fidelity.words();
            FidelityGroup {
                fidelity,
                errata,
                instructions: names.into_iter().collect(),
            }
        })
        .collect()
}

/// A line for each group.
///
/// # Errors
/// Those of writing.
pub fn print(groups: &[FidelityGroup], out: &mut dyn Write) -> io::Result<()> {
    for group in groups {
        writeln!(out, "{}: {}", group.title(), group.instructions.join(", "))?;
    }
    Ok(())
}

/// The instructions that were not exact, in one line; nothing if all were.
pub fn line(groups: &[FidelityGroup]) -> Option<String> {
    let parts: Vec<String> = groups
        .iter()
        .filter(|group| group.errata.is_some())
        .map(|group| format!("{} {}", group.instructions.join(", "), group.reason()))
        .collect();
    (!parts.is_empty()).then(|| format!("not exact: {}", parts.join("; ")))
}

impl FidelityGroup {
    fn title(&self) -> String {
        match self.errata {
            Some(entry) => format!("{} ({entry})", self.fidelity),
            None => self.fidelity.to_owned(),
        }
    }

    fn reason(&self) -> String {
        match self.errata {
            Some(entry) => format!("({}, {entry})", self.fidelity),
            None => format!("({})", self.fidelity),
        }
    }
}
